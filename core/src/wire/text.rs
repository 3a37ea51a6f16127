//! Text as bytes. Its encoding depends on the code page of the writer, and the bytes after its end are data too.

use std::fmt;
use std::io::{Read, Seek, Write};
use std::ops::ControlFlow;

use binrw::{BinRead, BinResult, BinWrite, Endian};

use super::list::{Counter, bytes_left, write_counter};
use super::macros::{bin_read, bin_write, node};
use super::memory::{allocated, charge};
use super::source::is_truncated;
use super::{note_prefix, refuse, scope};
use crate::ErrorKind;
use crate::schema::{
    Class, EditError, Expr, Leaf, Length, Node, NodeMut, Plain, Prefix, Schema, Shape, Value, show_text,
    unescape,
};
use crate::work;

/// Text in a field of `N` bytes. It ends at the first NUL; the bytes after that are preserved.
///
/// ```
/// use bindpose::wire::FixedStr;
/// let name = FixedStr(*b"hip\0\xcd\xcd\xcd\xcd");
/// assert_eq!(name.text(), b"hip");
/// assert_eq!(name.to_string(), "hip");
/// assert_eq!(name.junk(), b"\xcd\xcd\xcd\xcd");
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct FixedStr<const N: usize>(pub [u8; N]);

/// Text directly after its length in bytes: `text: LenStr<i32>`, with the length as leaf `len_text`.
///
/// `COUNTS_NUL` specifies whether the format ends the text with a NUL that the length includes.
///
/// ```
/// use bindpose::wire::LenStr;
/// let name: LenStr<i32, true> = LenStr::new(b"Bip01");
/// assert_eq!(name.text(), b"Bip01");
/// assert_eq!(name.stored(), b"Bip01\0");
/// ```
#[derive(Clone)]
pub struct LenStr<C, const COUNTS_NUL: bool = false> {
    stored: C,
    bytes: Vec<u8>,
    /// The number of bytes that are missing in a truncated file.
    missing: usize,
}

impl<const N: usize> FixedStr<N> {
    /// Returns a field with a text, padded with zeros; `None` if the text is longer than the field.
    #[must_use]
    pub fn new(text: &[u8]) -> Option<Self> {
        let mut bytes = [0; N];
        bytes.get_mut(..text.len())?.copy_from_slice(text);
        Some(Self(bytes))
    }

    /// Returns the bytes as a text of a published condition.
    ///
    /// # Panics
    /// When they are not UTF-8.
    #[must_use]
    pub const fn expr(&'static self) -> Expr {
        match std::str::from_utf8(&self.0) {
            Ok(text) => Expr::Text(text),
            Err(_) => panic!("published texts are UTF-8"),
        }
    }

    fn end(&self) -> usize {
        self.0.iter().position(|byte| *byte == 0).unwrap_or(N)
    }

    /// Returns the bytes up to the first NUL.
    #[must_use]
    pub fn text(&self) -> &[u8] {
        work::done(1);
        &self.0[..self.end()]
    }

    /// Returns the bytes after the first NUL: usually zeros, sometimes leftover memory of the program that wrote the
    /// file.
    #[must_use]
    pub fn junk(&self) -> &[u8] {
        self.0.get(self.end() + 1..).unwrap_or(&[])
    }

    /// Returns whether the text starts with these bytes.
    #[must_use]
    pub fn starts_with(&self, part: &str) -> bool {
        self.text().starts_with(part.as_bytes())
    }

    /// Returns whether the text ends with these bytes.
    #[must_use]
    pub fn ends_with(&self, part: &str) -> bool {
        self.text().ends_with(part.as_bytes())
    }

    /// Returns whether the text is empty.
    #[must_use]
    pub const fn is_empty(&self) -> bool {
        N == 0 || self.0[0] == 0
    }

    /// Changes the text. The bytes after it are preserved where they still fit.
    ///
    /// # Errors
    /// When the text is longer than the field or contains a NUL.
    pub fn set(&mut self, text: &[u8]) -> Result<(), EditError> {
        if text.contains(&0) {
            return Err("the text of a fixed field cannot contain a NUL".into());
        }
        if text.len() > N {
            return Err(format!("text of {} bytes exceeds the field of {N} bytes", text.len()).into());
        }
        let old = self.end();
        self.0[..text.len()].copy_from_slice(text);
        if text.len() < N {
            let end = old.max(text.len() + 1).min(N);
            self.0[text.len()..end].fill(0);
        }
        Ok(())
    }
}

/// Compares the text only, without the bytes after its end.
impl<const N: usize> PartialEq<&str> for FixedStr<N> {
    fn eq(&self, text: &&str) -> bool {
        self.text() == text.as_bytes()
    }
}

impl<const N: usize> Default for FixedStr<N> {
    fn default() -> Self {
        Self([0; N])
    }
}

impl<const N: usize> fmt::Display for FixedStr<N> {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        show_text(self.text(), out)
    }
}

impl<const N: usize> fmt::Debug for FixedStr<N> {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "\"{}\"", self.0.escape_ascii())
    }
}

bin_read!([const N: usize] FixedStr<N>, (), |reader, _, ()| {
    let mut bytes = [0; N];
    reader.read_exact(&mut bytes)?;
    Ok(Self(bytes))
});

bin_write!([const N: usize] FixedStr<N>, |own, writer, _| Ok(writer.write_all(&own.0)?));

impl<const N: usize> Value for FixedStr<N> {
    node!(Leaf);

    fn size(&self) -> u64 {
        N as u64
    }
}

impl<const N: usize> Leaf for FixedStr<N> {
    fn type_name(&self) -> &'static str {
        "text"
    }
    fn is_field(&self) -> bool {
        true
    }
    fn class(&self) -> Class {
        Class::Text
    }
    fn bytes(&self, out: &mut Vec<u8>) {
        out.extend_from_slice(&self.0);
    }
    fn show(&self, out: &mut dyn fmt::Write) -> fmt::Result {
        show_text(self.text(), out)
    }
    fn plain(&self) -> Plain<'_> {
        let end = self.0.iter().rposition(|byte| *byte != 0).map_or(0, |last| last + 1);
        Plain::Text(&self.0[..end])
    }
    fn assign(&mut self, text: &str) -> Result<(), EditError> {
        self.set(&unescape(text)?)
    }
    fn assign_bytes(&mut self, bytes: &[u8]) -> Result<(), EditError> {
        self.0 = super::scalar_bytes(bytes)?;
        Ok(())
    }
    fn scrub(&mut self) -> usize {
        let start = self.end();
        let junk = self.junk().iter().filter(|byte| **byte != 0).count();
        self.0[start..].fill(0);
        junk
    }
}

impl<const N: usize> Schema for FixedStr<N> {
    const FIXED: Option<usize> = Some(N);

    fn shape() -> Shape {
        Shape::Bytes(Length::Text(N))
    }
    fn blank(_like: Option<&Self>) -> Self {
        Self::default()
    }
    #[inline]
    fn get(bytes: &[u8]) -> Self {
        let mut own = [0; N];
        own.copy_from_slice(bytes);
        Self(own)
    }
    #[inline]
    fn put(&self, bytes: &mut [u8]) {
        bytes.copy_from_slice(&self.0);
    }
}

impl<C: Counter, const COUNTS_NUL: bool> LenStr<C, COUNTS_NUL> {
    /// Returns a text, with the NUL that the format requires.
    #[must_use]
    pub fn new(text: &[u8]) -> Self {
        let mut bytes = text.to_vec();
        bytes.extend(COUNTS_NUL.then_some(0));
        Self { stored: C::default(), bytes, missing: 0 }
    }

    /// Returns a text with exactly these bytes, including a NUL if there is one.
    #[must_use]
    pub fn from_stored(bytes: Vec<u8>) -> Self {
        Self { stored: C::default(), bytes, missing: 0 }
    }

    /// Returns the text without its terminating NUL.
    #[must_use]
    pub fn text(&self) -> &[u8] {
        work::done(1);
        match self.bytes.split_last() {
            Some((0, text)) if COUNTS_NUL => text,
            _ => &self.bytes,
        }
    }

    /// Returns the bytes as they are in the file.
    #[must_use]
    pub fn stored(&self) -> &[u8] {
        &self.bytes
    }

    /// Changes the text and keeps a NUL at its end.
    pub fn set(&mut self, text: &[u8]) {
        // A text of no bytes has no NUL; it gets one when it is set.
        let ends = match self.bytes[..] {
            [] => COUNTS_NUL && !text.is_empty(),
            _ => self.bytes.len() > self.text().len(),
        };
        self.bytes.clear();
        self.bytes.extend_from_slice(text);
        self.bytes.extend(ends.then_some(0));
    }

    fn counter(&self) -> Result<C, super::list::TooMany> {
        super::list::stored_or_new(self.stored, self.bytes.len() + self.missing)
    }
}

/// Two are equal if they encode to the same bytes.
impl<C: Counter, const COUNTS_NUL: bool> PartialEq for LenStr<C, COUNTS_NUL> {
    fn eq(&self, other: &Self) -> bool {
        self.bytes == other.bytes && self.counter() == other.counter()
    }
}

impl<C: Counter + Eq, const COUNTS_NUL: bool> Eq for LenStr<C, COUNTS_NUL> {}

impl<C, const COUNTS_NUL: bool> Default for LenStr<C, COUNTS_NUL>
where
    C: Counter,
{
    fn default() -> Self {
        Self::new(b"")
    }
}

impl<C: Counter, const COUNTS_NUL: bool> fmt::Display for LenStr<C, COUNTS_NUL> {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        show_text(self.text(), out)
    }
}

impl<C, const COUNTS_NUL: bool> fmt::Debug for LenStr<C, COUNTS_NUL> {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "\"{}\"", self.bytes.escape_ascii())
    }
}

impl<C: Counter, const COUNTS_NUL: bool> BinRead for LenStr<C, COUNTS_NUL> {
    type Args<'a> = ();

    fn read_options<R: Read + Seek>(reader: &mut R, endian: Endian, (): ()) -> BinResult<Self> {
        let at = reader.stream_position()?;
        let stored = C::read_options(reader, endian, ()).map_err(|error| note_prefix(error, "len"))?;
        if stored.into() < 0 {
            let why = ErrorKind::Count(format!("invalid length {}", stored.into()));
            return Err(note_prefix(refuse(at, why), "len"));
        }
        let bytes = read_bytes(reader, stored.into())?;
        let announced = usize::try_from(stored.into()).unwrap_or(usize::MAX);
        Ok(Self { stored, missing: announced - bytes.len(), bytes })
    }
}

/// Reads `len` bytes; reserves no more memory than the file has bytes left.
pub fn read_bytes<R: Read + Seek>(reader: &mut R, len: i64) -> BinResult<Vec<u8>> {
    let left = bytes_left(reader)?;
    match u64::try_from(len) {
        Ok(len) if len <= left || is_truncated(reader) => {
            let len = len.min(left);
            let len = usize::try_from(len).unwrap_or(0);
            charge(reader, allocated(len))?;
            let mut bytes = vec![0; len];
            reader.read_exact(&mut bytes)?;
            Ok(bytes)
        }
        Ok(needed) => Err(refuse(reader.stream_position()?, ErrorKind::Truncated { needed, left })),
        Err(_) => Err(refuse(reader.stream_position()?, ErrorKind::Count(format!("invalid length {len}")))),
    }
}

/// Reads all bytes that are left.
pub(super) fn read_to_end<R: Read + Seek>(reader: &mut R) -> BinResult<Vec<u8>> {
    let left = usize::try_from(bytes_left(reader)?).unwrap_or(usize::MAX);
    charge(reader, left)?;
    // Growing a list copies it, which needs memory for both.
    let mut bytes = Vec::new();
    bytes.try_reserve_exact(left).map_err(|_| std::io::Error::from(std::io::ErrorKind::OutOfMemory))?;
    // A reader that generates a file decides itself how long its rest is.
    match scope::end() {
        Some(_) => reader.take(left as u64).read_to_end(&mut bytes)?,
        None => reader.read_to_end(&mut bytes)?,
    };
    Ok(bytes)
}

bin_write!([C: Counter, const COUNTS_NUL: bool] LenStr<C, COUNTS_NUL>, |own, writer, endian| {
    write_counter(own.counter(), writer, endian)?;
    Ok(writer.write_all(&own.bytes)?)
});

impl<C: Counter, const COUNTS_NUL: bool> Value for LenStr<C, COUNTS_NUL> {
    node!(Leaf);

    fn size(&self) -> u64 {
        self.bytes.len() as u64
    }
    fn prefix(&self, show: &mut dyn FnMut(&dyn Value) -> ControlFlow<()>) -> ControlFlow<()> {
        show(&self.counter().unwrap_or(self.stored))
    }
}

impl<C: Counter, const COUNTS_NUL: bool> Leaf for LenStr<C, COUNTS_NUL> {
    fn type_name(&self) -> &'static str {
        "text"
    }
    fn class(&self) -> Class {
        Class::Text
    }
    fn bytes(&self, out: &mut Vec<u8>) {
        out.extend_from_slice(&self.bytes);
    }
    fn show(&self, out: &mut dyn fmt::Write) -> fmt::Result {
        show_text(self.text(), out)
    }
    fn plain(&self) -> Plain<'_> {
        match &self.bytes[..] {
            text if !COUNTS_NUL => Plain::Text(text),
            [text @ .., 0] => Plain::Text(text),
            _ => Plain::Bytes,
        }
    }
    fn assign(&mut self, text: &str) -> Result<(), EditError> {
        let text = unescape(text)?;
        let stored = text.len() + usize::from(COUNTS_NUL);
        C::try_from(stored).map_err(|_| format!("{} bytes exceed the range of the length", text.len()))?;
        self.set(&text);
        Ok(())
    }
    fn assign_bytes(&mut self, bytes: &[u8]) -> Result<(), EditError> {
        C::try_from(bytes.len())
            .map_err(|_| format!("{} bytes exceed the range of the length", bytes.len()))?;
        self.bytes = bytes.to_vec();
        Ok(())
    }
    fn shorten(&mut self) -> Option<(usize, usize)> {
        let missing = std::mem::take(&mut self.missing);
        let kept = self.bytes.len();
        (missing > 0).then(|| {
            self.bytes.extend(COUNTS_NUL.then_some(0));
            (kept, kept.saturating_add(missing))
        })
    }
}

impl<C: Counter, const COUNTS_NUL: bool> Schema for LenStr<C, COUNTS_NUL> {
    const PLAIN: bool = true;
    const PREFIX: Prefix = Prefix::Len;

    fn shape() -> Shape {
        let counter = Box::new(C::shape());
        Shape::Bytes(if COUNTS_NUL { Length::Ended(counter) } else { Length::Prefix(counter) })
    }
    fn blank(_like: Option<&Self>) -> Self {
        Self::default()
    }
}
