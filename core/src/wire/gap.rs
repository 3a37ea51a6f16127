//! Bytes between the records of a damaged file.

use std::fmt;
use std::io::{Read, Seek, Write};
use std::ops::Deref;

use binrw::{BinRead, BinResult, BinWrite, Endian};

use super::macros::{bin_read, bin_write, bytes_leaf, node};
use crate::schema::{Class, EditError, Leaf, Length, Node, NodeMut, Schema, Shape, Value, show_hex};

/// The bytes between a record and the next one that can be decoded, in a file that has lost or gained bytes.
///
/// It is the last field of a record. It is empty in a valid file, and schemas omit it. The reader of the records fills it
/// after it has found the next record.
///
/// ```
/// use bindpose::wire::Gap;
/// assert!(Gap::default().is_empty());
/// assert_eq!(*Gap::from(vec![1, 2]), [1, 2]);
/// ```
#[derive(Clone, Default, PartialEq, Eq)]
pub struct Gap(RareBytes);

/// Bytes that there rarely are.
#[derive(Clone, Default, PartialEq, Eq)]
struct RareBytes(
    #[expect(clippy::box_collection, reason = "nearly every gap is empty, and each record has one")]
    Option<Box<Vec<u8>>>,
);

impl Deref for RareBytes {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        self.0.as_deref().map_or(&[], Vec::as_slice)
    }
}

impl From<Vec<u8>> for RareBytes {
    fn from(bytes: Vec<u8>) -> Self {
        Self((!bytes.is_empty()).then(|| Box::new(bytes)))
    }
}

impl Deref for Gap {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        &self.0
    }
}

impl From<Vec<u8>> for Gap {
    fn from(bytes: Vec<u8>) -> Self {
        Self(bytes.into())
    }
}

impl fmt::Debug for Gap {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "Gap({} bytes)", self.len())
    }
}

bin_read!(
    /// Reads nothing.
    [] Gap, (), |_, _, ()| Ok(Self::default())
);

bytes_leaf!(Gap "gap" Rest; Length::Damage, false);
