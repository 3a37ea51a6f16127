//! Values that have bytes and no parts: numbers, texts, blobs.

use std::fmt;

use super::{EditError, FieldValue, Scalar, Truncation, Value};

/// A value with bytes and without parts.
pub trait Leaf: Value {
    /// Returns the name of the type: `u16`, `text`, `blob`.
    fn type_name(&self) -> &'static str;

    /// Returns the kind of the value.
    fn class(&self) -> Class;

    /// Returns the type of the stored number; `None` if the value is not a number of fixed size.
    fn scalar(&self) -> Option<Scalar> {
        None
    }

    /// Appends the bytes as they are in the file.
    fn bytes(&self, out: &mut Vec<u8>);

    /// Writes the value in the notation that [`assign`](Self::assign) accepts.
    ///
    /// # Errors
    /// When `out` fails.
    fn show(&self, out: &mut dyn fmt::Write) -> fmt::Result;

    /// Returns how the value is printed without loss.
    fn plain(&self) -> Plain<'_> {
        Plain::Shown
    }

    /// Sets the value from text, as [`show`](Self::show) writes it.
    ///
    /// # Errors
    /// When the text is not a value of this type, or does not fit.
    fn assign(&mut self, text: &str) -> Result<(), EditError>;

    /// Sets the value from its raw bytes.
    ///
    /// # Errors
    /// When there are fewer or more bytes than the value takes.
    fn assign_bytes(&mut self, bytes: &[u8]) -> Result<(), EditError>;

    /// Returns the value by its type.
    fn field_value(&self) -> FieldValue {
        FieldValue::of(self)
    }

    /// Sets the value. Any leaf accepts its bytes; a number is rounded to a float of the field's precision.
    ///
    /// # Errors
    /// When the value is of another type, or does not fit.
    fn assign_value(&mut self, value: &FieldValue) -> Result<(), EditError> {
        value.assign_to(self)
    }

    /// Returns the named bits of the value.
    fn bits(&self) -> &'static [Bit] {
        &[]
    }

    /// Returns whether the field has a fixed length that its value need not fill: a text that a NUL can end early.
    fn is_field(&self) -> bool {
        false
    }

    /// Returns where and why a truncated file ends. Only a rest has this information.
    fn truncation(&self) -> Option<&Truncation> {
        None
    }

    /// Marks the file as truncated, if the value is a rest.
    fn set_truncation(&mut self, _truncation: Truncation) {}

    /// Removes the bytes after the last part of the file, and lets a truncated file have all its fields; of a rest only.
    fn discard(&mut self) {}

    /// Ends a text where a truncated file ends. Returns the number of bytes that are kept and of those that the length announced;
    /// `None` if the text is complete.
    fn shorten(&mut self) -> Option<(usize, usize)> {
        None
    }

    /// Zeroes the bytes of the field that are not part of the value, and returns how many were not zero.
    fn scrub(&mut self) -> usize {
        0
    }
}

/// How a value is printed without loss.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Plain<'a> {
    /// As [`Leaf::show`] writes it.
    Shown,
    /// As this text, without the zeros or the NUL that the type adds.
    Text(&'a [u8]),
    /// By its bytes only.
    Bytes,
}

/// The kind of a leaf.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Class {
    /// An integer.
    Integer,
    /// A floating point number.
    Float,
    /// Text in an encoding that the file does not specify.
    Text,
    /// A word of a text file: not every text of its length can replace it.
    Spelling,
    /// Bytes that are themselves the value.
    Bytes,
    /// Well-delimited bytes without known meaning.
    Opaque,
    /// The bytes after the place where decoding stopped.
    Rest,
}

/// A bit, or a run of bits, with its own name inside a flag word.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Bit {
    /// The name, an alias step in paths: `flags.hidden`.
    pub name: &'static str,
    /// The first paragraph of its documentation.
    pub doc: &'static str,
    /// The lowest bit, counted from 0.
    pub offset: u32,
    /// The number of bits.
    pub width: u32,
}

impl Bit {
    /// Returns the value of these bits in a flag word.
    #[must_use]
    pub const fn of(&self, word: u64) -> u64 {
        (word >> self.offset) & self.mask()
    }

    /// Returns the flag word with these bits replaced.
    #[must_use]
    pub const fn with(&self, word: u64, value: u64) -> u64 {
        (word & !(self.mask() << self.offset)) | ((value & self.mask()) << self.offset)
    }

    /// Returns the value as an expression over the flag word, `raw`, in Kaitai's language.
    #[must_use]
    pub fn expression(&self) -> String {
        match self.width {
            1 => format!("(raw & {:#x}) != 0", self.mask() << self.offset),
            _ => format!("(raw >> {}) & {:#x}", self.offset, self.mask()),
        }
    }

    /// Returns the largest value of these bits.
    #[must_use]
    pub const fn mask(&self) -> u64 {
        if self.width >= 64 { u64::MAX } else { (1 << self.width) - 1 }
    }
}

/// Writes bytes as `hex:00ff12`, a notation that every leaf accepts.
///
/// # Errors
/// When `out` fails.
pub fn show_hex(bytes: &[u8], out: &mut dyn fmt::Write) -> fmt::Result {
    out.write_str("hex:")?;
    bytes.iter().try_for_each(|byte| write!(out, "{byte:02x}"))
}

/// Returns bytes as `hex:00ff12`.
pub(crate) fn hex(bytes: &[u8]) -> String {
    let mut text = String::new();
    let _ = show_hex(bytes, &mut text);
    text
}

/// Returns the bytes of a text such as `00ff 12`; white space is ignored.
#[must_use]
pub fn parse_hex(text: &str) -> Option<Vec<u8>> {
    let digits: Vec<u8> = text
        .chars()
        .filter(|c| !c.is_ascii_whitespace())
        .map(|c| c.to_digit(16).and_then(|digit| u8::try_from(digit).ok()))
        .collect::<Option<_>>()?;
    digits.chunks(2).map(|pair| Some(pair[0] << 4 | *pair.get(1)?)).collect()
}

/// Returns whether a character can be printed as it is: not one that controls a terminal, ends a line or changes the direction of
/// text, and none that XML cannot contain.
#[must_use]
pub fn is_printable(c: char) -> bool {
    let is_bidi =
        matches!(c, '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}');
    let is_line_end = matches!(c, '\u{2028}' | '\u{2029}');
    let is_noncharacter = c as u32 & 0xfffe == 0xfffe;
    !(c.is_control() || is_bidi || is_line_end || is_noncharacter)
}

/// Returns bytes as text that [`unescape`] accepts: bytes that are not printable UTF-8 become `\xNN`, a backslash `\\`.
///
/// ```
/// assert_eq!(bindpose::schema::escape(b"C:\\\xb9\xc7\r"), r"C:\\\xb9\xc7\x0d");
/// ```
#[must_use]
pub fn escape(bytes: &[u8]) -> String {
    let mut text = String::with_capacity(bytes.len());
    // A text takes everything.
    let _ = show_text(bytes, &mut text);
    text
}

fn write_escaped(bytes: &[u8], out: &mut dyn fmt::Write) -> fmt::Result {
    for chunk in bytes.utf8_chunks() {
        for c in chunk.valid().chars() {
            match c {
                '\\' => out.write_str("\\\\")?,
                c if is_printable(c) => out.write_char(c)?,
                c => c.encode_utf8(&mut [0; 4]).bytes().try_for_each(|byte| write!(out, "\\x{byte:02x}"))?,
            }
        }
        chunk.invalid().iter().try_for_each(|byte| write!(out, "\\x{byte:02x}"))?;
    }
    Ok(())
}

/// Writes bytes as [`escape`] does, without a copy.
///
/// # Errors
/// When `out` fails.
pub fn show_text(bytes: &[u8], out: &mut dyn fmt::Write) -> fmt::Result {
    match unescaped(bytes) {
        Some(text) => out.write_str(text),
        None => write_escaped(bytes, out),
    }
}

/// Returns the text if it is ASCII without anything to escape.
fn unescaped(bytes: &[u8]) -> Option<&str> {
    let is_plain = |byte: &u8| matches!(byte, b' '..=b'~') && *byte != b'\\';
    if bytes.iter().all(is_plain) { str::from_utf8(bytes).ok() } else { None }
}

/// Returns the bytes of an escaped text.
///
/// # Errors
/// When a backslash is followed by neither a backslash nor `x` and two hexadecimal digits.
pub fn unescape(text: &str) -> Result<Vec<u8>, EditError> {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find('\\') {
        bytes.extend_from_slice(&rest.as_bytes()[..at]);
        let (byte, used) = match rest.as_bytes().get(at + 1) {
            Some(b'\\') => (b'\\', 2),
            Some(b'x') => {
                let hex = rest.get(at + 2..at + 4).and_then(|digits| u8::from_str_radix(digits, 16).ok());
                (hex.ok_or("`\\x` must be followed by two hexadecimal digits")?, 4)
            }
            _ => return Err("a backslash is written `\\\\`, a byte `\\xNN`".into()),
        };
        bytes.push(byte);
        rest = &rest[at + used..];
    }
    bytes.extend_from_slice(rest.as_bytes());
    Ok(bytes)
}

/// Returns the text that a leaf shows.
pub(crate) fn text_of<L: Leaf + ?Sized>(leaf: &L) -> String {
    let mut text = String::new();
    let _ = leaf.show(&mut text);
    text
}
