//! Text up to a NUL.

use std::fmt;
use std::io::{Read, Seek, Write};
use std::ops::Deref;

use binrw::{BinRead, BinResult, BinWrite, Endian};

use super::macros::{bin_write, node};
use super::memory::room;
use crate::schema::{
    Class, EditError, Leaf, Length, Node, NodeMut, Plain, Schema, Shape, Value, show_text, unescape,
};

/// Text that a NUL ends: `name: ZStr`.
///
/// ```
/// use bindpose::wire::ZStr;
/// let name = ZStr::new(b"Bip01").ok_or("a NUL")?;
/// assert_eq!(*name, *b"Bip01");
/// assert_eq!(bindpose::schema::Value::size(&name), 6);
/// # Ok::<(), &str>(())
/// ```
#[derive(Clone, Default, PartialEq, Eq, Hash)]
pub struct ZStr(Vec<u8>);

impl ZStr {
    /// Returns a text; `None` if it contains a NUL.
    #[must_use]
    pub fn new(text: &[u8]) -> Option<Self> {
        (!text.contains(&0)).then(|| Self(text.to_vec()))
    }
}

impl Deref for ZStr {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        &self.0
    }
}

impl fmt::Debug for ZStr {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "\"{}\"", self.0.escape_ascii())
    }
}

impl BinRead for ZStr {
    type Args<'a> = ();

    fn read_options<R: Read + Seek>(reader: &mut R, _: Endian, (): ()) -> BinResult<Self> {
        let mut text = Vec::new();
        loop {
            let mut byte = [0];
            reader.read_exact(&mut byte)?;
            if byte[0] == 0 {
                return Ok(Self(text));
            }
            room(reader, &mut text, 1)?;
            text.push(byte[0]);
        }
    }
}

bin_write!([] ZStr, |own, writer, _| {
    writer.write_all(&own.0)?;
    Ok(writer.write_all(&[0])?)
});

impl Value for ZStr {
    node!(Leaf);

    fn size(&self) -> u64 {
        self.0.len() as u64 + 1
    }
}

impl Leaf for ZStr {
    fn type_name(&self) -> &'static str {
        "zstr"
    }
    fn class(&self) -> Class {
        Class::Text
    }
    fn bytes(&self, out: &mut Vec<u8>) {
        out.extend_from_slice(&self.0);
        out.push(0);
    }
    fn show(&self, out: &mut dyn fmt::Write) -> fmt::Result {
        show_text(&self.0, out)
    }
    fn plain(&self) -> Plain<'_> {
        Plain::Text(&self.0)
    }
    fn assign(&mut self, text: &str) -> Result<(), EditError> {
        *self = Self::new(&unescape(text)?).ok_or("a text that a NUL ends cannot contain one")?;
        Ok(())
    }
    fn assign_bytes(&mut self, bytes: &[u8]) -> Result<(), EditError> {
        let text = bytes.strip_suffix(&[0]).and_then(Self::new);
        *self = text.ok_or("expected bytes that end in their only NUL")?;
        Ok(())
    }
}

impl Schema for ZStr {
    const PLAIN: bool = true;

    fn shape() -> Shape {
        Shape::Bytes(Length::Terminated)
    }
    fn blank(_like: Option<&Self>) -> Self {
        Self::default()
    }
}
