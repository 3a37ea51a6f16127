//! Converts numbers between bytes and text, each directly in its own type.

use std::fmt::Write as _;

use crate::error::shortened;
use crate::schema::{EditError, Scalar};
use crate::wire::{FromBits, parse_integer};

impl Scalar {
    /// Appends the text of the number at the start of some bytes; floats that are not finite are written as their bits.
    #[inline]
    pub(super) fn print(self, bytes: &[u8], text: &mut String) {
        match self {
            Self::U8 | Self::U16 | Self::U32 | Self::U64 => {
                text.push_str(itoa::Buffer::new().format(word(bytes, self.size())));
            }
            Self::I8 | Self::I16 | Self::I32 | Self::I64 => {
                text.push_str(itoa::Buffer::new().format(signed(word(bytes, self.size()), self.size())));
            }
            Self::F32 => {
                #[expect(clippy::cast_possible_truncation, reason = "of four bytes")]
                let bits = word(bytes, 4) as u32;
                let value = f32::from_bits(bits);
                if value.is_finite() {
                    text.push_str(zmij::Buffer::new().format_finite(value));
                } else {
                    _ = write!(text, "\"{bits:#x}\"");
                }
            }
            Self::F64 => {
                let value = f64::from_bits(word(bytes, 8));
                if value.is_finite() {
                    text.push_str(zmij::Buffer::new().format_finite(value));
                } else {
                    _ = write!(text, "\"{:#x}\"", value.to_bits());
                }
            }
        }
    }

    /// Parses a number and appends its bytes.
    pub(super) fn push(self, text: &str, out: &mut Vec<u8>) -> Result<(), EditError> {
        match self.range() {
            Some((least, most)) => {
                out.extend_from_slice(&parse_integer(text, least, most)?.to_le_bytes()[..self.size()]);
            }
            None if self == Self::F32 => out.extend(float::<f32>(text)?.to_le_bytes()),
            None => out.extend(float::<f64>(text)?.to_le_bytes()),
        }
        Ok(())
    }

    /// Appends the bytes of the number at the start of a text, and returns the size of the text; `None` if its notation
    /// is unusual.
    #[inline]
    pub(super) fn take(self, text: &[u8], out: &mut Vec<u8>) -> Option<usize> {
        let size = self.size();
        match self {
            Self::U8 | Self::U16 | Self::U32 | Self::U64 => {
                let (value, len) = digits(text)?;
                out.extend_from_slice(
                    value.to_le_bytes().get(..size).filter(|_| value >> (8 * size - 1) <= 1)?,
                );
                Some(len)
            }
            Self::I8 | Self::I16 | Self::I32 | Self::I64 => {
                let minus = usize::from(text.first() == Some(&b'-'));
                let (value, len) = digits(&text[minus..])?;
                let fits = value >> (8 * size - 1) == 0;
                let value = if minus == 1 { value.wrapping_neg() } else { value };
                out.extend_from_slice(value.to_le_bytes().get(..size).filter(|_| fits)?);
                Some(minus + len)
            }
            Self::F32 => {
                let (value, len) = fast_float2::parse_partial::<f32, _>(text).ok()?;
                out.extend_from_slice(&value.is_finite().then(|| value.to_le_bytes())?);
                Some(len)
            }
            Self::F64 => {
                let (value, len) = fast_float2::parse_partial::<f64, _>(text).ok()?;
                out.extend_from_slice(&value.is_finite().then(|| value.to_le_bytes())?);
                Some(len)
            }
        }
    }
}

/// Returns bytes as an unsigned number.
#[inline]
fn word(bytes: &[u8], size: usize) -> u64 {
    match (size, bytes) {
        (1, [byte, ..]) => u64::from(*byte),
        (2, [low, high, ..]) => u64::from(u16::from_le_bytes([*low, *high])),
        (4, [a, b, c, d, ..]) => u64::from(u32::from_le_bytes([*a, *b, *c, *d])),
        _ => {
            let mut word = [0; 8];
            word[..size].copy_from_slice(&bytes[..size]);
            u64::from_le_bytes(word)
        }
    }
}

/// Returns bytes as a signed number.
#[inline]
const fn signed(word: u64, size: usize) -> i64 {
    let unused = 64 - 8 * size;
    (word << unused).cast_signed() >> unused
}

/// Returns the number that the digits at the start of a text form, and their count; at most as many as fit into 64
/// bits.
#[inline]
fn digits(text: &[u8]) -> Option<(u64, usize)> {
    const MOST: usize = 18;
    let mut value = 0;
    for (len, byte) in text.iter().enumerate().take(MOST + 1) {
        let digit = byte.wrapping_sub(b'0');
        if digit > 9 {
            return (len > 0).then_some((value, len));
        }
        value = 10 * value + u64::from(digit);
    }
    None
}

fn float<T: FromBits>(text: &str) -> Result<T, EditError> {
    let value = match text.strip_prefix("0x") {
        Some(hex) => T::from_bits_hex(hex),
        None => fast_float2::parse(text).ok().filter(|value: &T| (*value).into().is_finite()),
    };
    value.ok_or_else(|| {
        let text = shortened(text);
        format!("`{text}` is not a finite number; other bit patterns are texts such as \"0x7f800000\"").into()
    })
}
