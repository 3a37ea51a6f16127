//! Bytes between the records of a damaged file.

use std::fmt;
use std::io::{Read, Seek, Write};
use std::ops::Deref;

use binrw::{BinRead, BinResult, BinWrite, Endian};

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
pub struct Gap(
    #[expect(clippy::box_collection, reason = "nearly every gap is empty, and each record has one")]
    Option<Box<Vec<u8>>>,
);

impl Deref for Gap {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        self.0.as_deref().map_or(&[], Vec::as_slice)
    }
}

impl From<Vec<u8>> for Gap {
    fn from(bytes: Vec<u8>) -> Self {
        Self((!bytes.is_empty()).then(|| Box::new(bytes)))
    }
}

impl fmt::Debug for Gap {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "Gap({} bytes)", self.len())
    }
}

/// Reads nothing.
impl BinRead for Gap {
    type Args<'a> = ();

    fn read_options<R: Read + Seek>(_: &mut R, _: Endian, (): ()) -> BinResult<Self> {
        Ok(Self::default())
    }
}

impl BinWrite for Gap {
    type Args<'a> = ();

    fn write_options<W: Write + Seek>(&self, writer: &mut W, _: Endian, (): ()) -> BinResult<()> {
        Ok(writer.write_all(self)?)
    }
}

impl Value for Gap {
    fn size(&self) -> u64 {
        self.len() as u64
    }
    fn node(&self) -> Node<'_> {
        Node::Leaf(self)
    }
    fn node_mut(&mut self) -> NodeMut<'_> {
        NodeMut::Leaf(self)
    }
}

impl Leaf for Gap {
    fn type_name(&self) -> &'static str {
        "gap"
    }
    fn class(&self) -> Class {
        Class::Rest
    }
    fn bytes(&self, out: &mut Vec<u8>) {
        out.extend_from_slice(self);
    }
    fn show(&self, out: &mut dyn fmt::Write) -> fmt::Result {
        show_hex(self, out)
    }
    fn discard(&mut self) {
        *self = Self::default();
    }
    fn assign(&mut self, _text: &str) -> Result<(), EditError> {
        Err("expected raw bytes, such as hex:00ff".into())
    }
    fn assign_bytes(&mut self, bytes: &[u8]) -> Result<(), EditError> {
        if bytes.len() != self.len() {
            return Err(EditError::WrongSize { expected: self.len(), actual: bytes.len() });
        }
        *self = bytes.to_vec().into();
        Ok(())
    }
}

impl Schema for Gap {
    fn shape() -> Shape {
        Shape::Bytes(Length::Damage)
    }
    fn blank(_like: Option<&Self>) -> Self {
        Self::default()
    }
}
