//! Values that have bytes and no parts: numbers, texts, blobs.

use std::fmt::{self, Write as _};

use super::{EditError, Scalar, Value};
use crate::Error;

/// A value with bytes and without parts.
pub trait Leaf: Value {
    /// The type, as `map` prints it: `u16`, `text`, `blob`.
    fn type_name(&self) -> &'static str;

    /// What kind of value it is.
    fn class(&self) -> Class;

    /// The type of number it is stored as; `None` where it is not a number of fixed size.
    fn scalar(&self) -> Option<Scalar> {
        None
    }

    /// Appends the bytes as they stand in the file.
    fn bytes(&self, out: &mut Vec<u8>);

    /// Writes the value in the spelling that [`assign`](Self::assign) takes back.
    ///
    /// # Errors
    /// When `out` fails.
    fn show(&self, out: &mut dyn fmt::Write) -> fmt::Result;

    /// How the value is told without loss.
    fn plain(&self) -> Plain<'_> {
        Plain::Shown
    }

    /// Takes a new value from its spelling.
    ///
    /// # Errors
    /// When the text is no such value, or one that does not fit.
    fn assign(&mut self, text: &str) -> Result<(), EditError>;

    /// Takes a new value as raw bytes.
    ///
    /// # Errors
    /// When the bytes are not as many as the value takes.
    fn assign_bytes(&mut self, bytes: &[u8]) -> Result<(), EditError>;

    /// The named bits inside the value.
    fn bits(&self) -> &'static [Bit] {
        &[]
    }

    /// Whether it is a field of fixed length that its value need not fill: a text that ends with a NUL before its end.
    fn is_field(&self) -> bool {
        false
    }

    /// Where and why a truncated file ends; of a rest only.
    fn truncation(&self) -> Option<&Truncation> {
        None
    }

    /// Lets the file end before its fields do; a rest only can.
    fn set_truncation(&mut self, _truncation: Truncation) {}

    /// Zeroes the bytes that stand in the file but are no part of the value, and says how many were not zero.
    fn scrub(&mut self) -> usize {
        0
    }
}

/// Where and why a truncated file ends.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Truncation {
    /// Bytes of the fields that lie behind the end of the file.
    pub overrun: u64,
    /// Which field the file ends in, and what it lacks.
    pub cause: Error,
}

/// How a value is told without loss.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Plain<'a> {
    /// As [`Leaf::show`] spells it.
    Shown,
    /// As this text; what the type adds by itself, zeros that fill a field or the NUL that ends it, is left out.
    Text(&'a [u8]),
    /// By its bytes only.
    Bytes,
}

/// What kind of value a leaf is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Class {
    /// An integer.
    Integer,
    /// A floating point number.
    Float,
    /// Text in an encoding that the file does not name.
    Text,
    /// A word of a text file: not every text of its length can stand in its place.
    Spelling,
    /// Bytes that are themselves the value.
    Bytes,
    /// Well-delimited bytes without known meaning.
    Opaque,
    /// The bytes behind the place where decoding stopped.
    Rest,
}

/// A bit, or a run of bits, with a name of its own inside a flag word.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Bit {
    /// The name, an alias step in paths: `flags.hidden`.
    pub name: &'static str,
    /// The first paragraph of its documentation.
    pub doc: &'static str,
    /// The lowest bit, counted from 0.
    pub offset: u32,
    /// How many bits.
    pub width: u32,
}

impl Bit {
    /// The bits of this name within a word, shifted down.
    #[must_use]
    pub const fn of(&self, word: u64) -> u64 {
        (word >> self.offset) & self.mask()
    }

    /// The word with the bits of this name replaced.
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

    /// The largest value of these bits.
    #[must_use]
    pub const fn mask(&self) -> u64 {
        if self.width >= 64 { u64::MAX } else { (1 << self.width) - 1 }
    }
}

/// Writes bytes in the spelling `hex:00ff12` that any leaf takes.
///
/// # Errors
/// When `out` fails.
pub fn show_hex(bytes: &[u8], out: &mut dyn fmt::Write) -> fmt::Result {
    out.write_str("hex:")?;
    bytes.iter().try_for_each(|byte| write!(out, "{byte:02x}"))
}

/// The bytes that `00ff 12` spells; white space is free.
#[must_use]
pub fn parse_hex(text: &str) -> Option<Vec<u8>> {
    let digits: Vec<u8> = text
        .chars()
        .filter(|c| !c.is_ascii_whitespace())
        .map(|c| c.to_digit(16).and_then(|digit| u8::try_from(digit).ok()))
        .collect::<Option<_>>()?;
    digits.chunks(2).map(|pair| Some(pair[0] << 4 | *pair.get(1)?)).collect()
}

/// Bytes as text that [`unescape`] takes back: what is no printable UTF-8 becomes `\xNN`, a backslash `\\`.
///
/// ```
/// assert_eq!(bindpose::schema::escape(b"C:\\\xb9\xc7\r"), r"C:\\\xb9\xc7\x0d");
/// ```
#[must_use]
pub fn escape(bytes: &[u8]) -> String {
    let mut text = String::with_capacity(bytes.len());
    for chunk in bytes.utf8_chunks() {
        for c in chunk.valid().chars() {
            match c {
                '\\' => text.push_str("\\\\"),
                c if c.is_ascii_control() => _ = write!(text, "\\x{:02x}", u32::from(c)),
                c if c.is_control() => {
                    for byte in c.encode_utf8(&mut [0; 4]).bytes() {
                        _ = write!(text, "\\x{byte:02x}");
                    }
                }
                c => text.push(c),
            }
        }
        for byte in chunk.invalid() {
            _ = write!(text, "\\x{byte:02x}");
        }
    }
    text
}

/// The bytes that a text spells.
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
                (hex.ok_or("`\\x` takes two hexadecimal digits")?, 4)
            }
            _ => return Err("a backslash is written `\\\\`, a byte `\\xNN`".into()),
        };
        bytes.push(byte);
        rest = &rest[at + used..];
    }
    bytes.extend_from_slice(rest.as_bytes());
    Ok(bytes)
}

/// What a leaf shows, as a text.
pub(crate) fn spelled(leaf: &dyn Leaf) -> String {
    let mut text = String::new();
    let _ = leaf.show(&mut text);
    text
}
