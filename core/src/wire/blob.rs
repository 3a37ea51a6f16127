//! Bytes without known meaning, and the rest of a damaged file.

use std::fmt;
use std::io::{Read, Seek, Write};

use binrw::{BinRead, BinResult, BinWrite, Endian};

use super::macros::{bin_read, bin_write, bytes_leaf, node};
use super::text::{read_bytes, read_to_end};
use crate::schema::{
    BulkWith, Class, EditError, Leaf, Length, Node, NodeMut, Record, Schema, Shape, Truncation, Value,
    show_hex,
};

/// Well-delimited bytes without known meaning; they count as opaque: `#[br(args(len_x.into()))] x: Blob`.
///
/// ```
/// let blob = bindpose::wire::Blob(vec![0xcd; 4]);
/// assert_eq!(blob.0.len(), 4);
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Blob(pub Vec<u8>);

/// Well-delimited bytes that encode other data, such as texts: `#[br(args(len_x.into()))] x: Bytes`. They can be set to more or
/// fewer bytes, so their number is a field that follows them: `#[count_of(x)] len_x`.
///
/// ```
/// let packed = bindpose::wire::Bytes(vec![3, 0]);
/// assert_eq!(packed.0.len(), 2);
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Bytes(pub Vec<u8>);

/// Bytes that fill a record up to a multiple of a number of bytes, usually zeros: `#[pad_to(4)] padding: Padding`, a key of
/// [`on_disk`](macro@crate::schema::on_disk).
///
/// Their number follows from the size of the fields before them in the record, and changes with it.
///
/// ```
/// use bindpose::schema::{Value, on_disk};
/// use bindpose::wire::{Padding, ZStr};
///
/// #[on_disk]
/// struct Name {
///     text: ZStr,
///     #[pad_to(4)]
///     padding: Padding,
/// }
/// let mut name = Name::default();
/// assert_eq!(name.size(), 4);
/// name.text = ZStr::new(b"hips").ok_or("a NUL")?;
/// assert_eq!(name.size(), 8);
/// # Ok::<(), &str>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Padding(Vec<u8>);

impl Padding {
    /// Returns the number of bytes after fields of this size, for a multiple of `to` bytes.
    pub(crate) const fn after(size: u64, to: u64) -> u64 {
        (to - size % to) % to
    }

    /// Returns it as it is after fields of this size: without its last bytes, or with more zeros.
    #[doc(hidden)]
    #[must_use]
    pub fn fit(&self, size: u64, to: u64) -> Self {
        let mut fitted = self.clone();
        fitted.0.resize(usize::try_from(Self::after(size, to)).unwrap_or(usize::MAX), 0);
        fitted
    }
}

bin_read!([] Padding, (u64, u64), |reader, _, (size, to)| {
    let len = Self::after(size, to);
    read_bytes(reader, i64::try_from(len).unwrap_or(i64::MAX)).map(Self)
});

impl BulkWith<(u64, u64)> for Padding {}

/// The bytes before a part of a [`Layout`](super::Layout): zeros that align it, or bytes without known meaning.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Spacing(pub Vec<u8>);

impl Spacing {
    /// Whether it only aligns the part.
    pub(super) fn aligns(&self) -> bool {
        aligns(&self.0)
    }
}

/// Whether bytes are zeros that move what follows to a multiple of 16 bytes or less, the most that processors need.
fn aligns(bytes: &[u8]) -> bool {
    bytes.len() < 16 && bytes.iter().all(|byte| *byte == 0)
}

/// The bytes of a [`Tail`](super::Tail).
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Leftover(pub Vec<u8>);

/// The bytes after the place where decoding stopped. It is the last field of every file; a file is damaged if its rest
/// is not empty. A rest also records that a file is truncated: that its last fields are missing, in part or completely.
///
/// ```
/// use bindpose::codec::Format;
/// use bindpose::formats::ms3d::Ms3d;
/// let bytes = [Ms3d::blank_file().encode()?, b"junk".to_vec()].concat();
/// assert_eq!(Ms3d::decode(&bytes)?.rest.0, b"junk");
/// # Ok::<(), bindpose::Error>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Rest(pub Vec<u8>, Option<Box<Truncation>>);

impl Rest {
    /// Returns an empty rest of a complete file.
    #[must_use]
    pub const fn new() -> Self {
        Self(Vec::new(), None)
    }

    /// Returns the number of bytes of the record with this rest that are present, of `size` bytes that it would have. They
    /// differ in a truncated file.
    #[doc(hidden)]
    #[must_use]
    pub fn present_of(&self, record: &dyn Record, size: u64) -> u64 {
        self.truncation().map_or(size, |truncation| truncation.present_of(record, size))
    }

    /// Returns where and why a truncated file ends; `None` for a complete one.
    #[must_use]
    pub fn truncation(&self) -> Option<&Truncation> {
        self.1.as_deref()
    }

    /// The available bytes of the field that a truncated file ends in, which are visited as its rest.
    #[must_use]
    pub(crate) fn of_truncated(&self, bytes: Vec<u8>) -> Self {
        Self(bytes, self.1.clone())
    }
}

impl From<Vec<u8>> for Rest {
    fn from(bytes: Vec<u8>) -> Self {
        Self(bytes, None)
    }
}

macro_rules! sized {
    ($($type:ident)*) => {$(
        impl BinRead for $type {
            type Args<'a> = (i64,);

            fn read_options<R: Read + Seek>(reader: &mut R, _: Endian, (len,): (i64,)) -> BinResult<Self> {
                read_bytes(reader, len).map(Self)
            }
        }

        impl BulkWith<(i64,)> for $type {}
    )*};
}

sized!(Blob Bytes);

bin_read!([] Rest, (), |reader, _, ()| Ok(read_to_end(reader)?.into()));

bytes_leaf!(Blob "blob" Opaque; Length::Argument, false);
bytes_leaf!(Bytes "bytes" Bytes; Length::Argument, true);
bytes_leaf!(Padding "padding" Bytes; Length::Padding(1), false);
bytes_leaf!(Spacing "blob" Opaque, unless aligns; Length::ToEnd, false);
bytes_leaf!(Leftover "tail" Opaque; Length::Damage, false);
bytes_leaf!(Rest "rest" Rest; Length::ToEnd, false, truncation);
