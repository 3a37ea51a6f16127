//! Numbers between their bytes and their spelling, each at once in its own type.

use std::fmt::Write as _;

use crate::schema::EditError;

/// A type of numbers: how many bytes, and what they mean.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Number {
    Unsigned(usize),
    Signed(usize),
    Single,
    Double,
}

impl Number {
    /// One of Kaitai's types, `u1` to `f8`.
    pub fn of_shape(kaitai: &str) -> Option<Self> {
        Some(match kaitai.as_bytes() {
            [b'u', digit @ (b'1' | b'2' | b'4' | b'8')] => Self::Unsigned(usize::from(digit - b'0')),
            [b's', digit @ (b'1' | b'2' | b'4' | b'8')] => Self::Signed(usize::from(digit - b'0')),
            b"f4" => Self::Single,
            b"f8" => Self::Double,
            _ => return None,
        })
    }

    /// The type of a leaf, as `map` prints it; flag words are numbers too.
    pub fn of_leaf(type_name: &str) -> Option<Self> {
        Some(match type_name {
            "u8" | "bits8" => Self::Unsigned(1),
            "u16" | "bits16" => Self::Unsigned(2),
            "u32" | "bits32" => Self::Unsigned(4),
            "u64" | "bits64" => Self::Unsigned(8),
            "i8" => Self::Signed(1),
            "i16" => Self::Signed(2),
            "i32" => Self::Signed(4),
            "i64" => Self::Signed(8),
            "f32" => Self::Single,
            "f64" => Self::Double,
            _ => return None,
        })
    }

    /// Bytes of a number.
    pub const fn size(self) -> usize {
        match self {
            Self::Unsigned(size) | Self::Signed(size) => size,
            Self::Single => 4,
            Self::Double => 8,
        }
    }

    /// Appends the spelling of the number that begins these bytes: the bits of floats that are no finite numbers.
    #[inline]
    pub fn print(self, bytes: &[u8], text: &mut String) {
        match self {
            Self::Unsigned(size) => text.push_str(itoa::Buffer::new().format(word(bytes, size))),
            Self::Signed(size) => text.push_str(itoa::Buffer::new().format(signed(word(bytes, size), size))),
            Self::Single => {
                #[expect(clippy::cast_possible_truncation, reason = "of four bytes")]
                let bits = word(bytes, 4) as u32;
                let value = f32::from_bits(bits);
                if value.is_finite() {
                    text.push_str(zmij::Buffer::new().format_finite(value));
                } else {
                    _ = write!(text, "\"{bits:#x}\"");
                }
            }
            Self::Double => {
                let value = f64::from_bits(word(bytes, 8));
                if value.is_finite() {
                    text.push_str(zmij::Buffer::new().format_finite(value));
                } else {
                    _ = write!(text, "\"{:#x}\"", value.to_bits());
                }
            }
        }
    }

    /// Appends the bytes of a number from its spelling.
    pub fn push(self, text: &str, out: &mut Vec<u8>) -> Result<(), EditError> {
        match self {
            Self::Unsigned(size) => integer(text, 0, i128::from(u64::MAX >> (64 - 8 * size)), size, out),
            Self::Signed(size) => {
                let most = i64::MAX >> (64 - 8 * size);
                integer(text, i128::from(!most), i128::from(most), size, out)
            }
            Self::Single => single(text).map(|value| out.extend(value.to_le_bytes())),
            Self::Double => double(text).map(|value| out.extend(value.to_le_bytes())),
        }
    }

    /// Appends the bytes of the number that a text begins with, and says how long it is; nothing where it is spelled in
    /// no usual way.
    #[inline]
    pub fn take(self, text: &[u8], out: &mut Vec<u8>) -> Option<usize> {
        match self {
            Self::Unsigned(size) => {
                let (value, len) = digits(text)?;
                out.extend_from_slice(
                    value.to_le_bytes().get(..size).filter(|_| value >> (8 * size - 1) <= 1)?,
                );
                Some(len)
            }
            Self::Signed(size) => {
                let minus = usize::from(text.first() == Some(&b'-'));
                let (value, len) = digits(&text[minus..])?;
                let fits = value >> (8 * size - 1) == 0;
                let value = if minus == 1 { value.wrapping_neg() } else { value };
                out.extend_from_slice(value.to_le_bytes().get(..size).filter(|_| fits)?);
                Some(minus + len)
            }
            Self::Single => {
                let (value, len) = fast_float2::parse_partial::<f32, _>(text).ok()?;
                out.extend_from_slice(&value.is_finite().then(|| value.to_le_bytes())?);
                Some(len)
            }
            Self::Double => {
                let (value, len) = fast_float2::parse_partial::<f64, _>(text).ok()?;
                out.extend_from_slice(&value.is_finite().then(|| value.to_le_bytes())?);
                Some(len)
            }
        }
    }
}

/// So many bytes as a number.
#[inline]
fn word(bytes: &[u8], size: usize) -> u64 {
    let mut word = [0; 8];
    word[..size].copy_from_slice(&bytes[..size]);
    u64::from_le_bytes(word)
}

/// The number of so many bytes with its sign.
#[inline]
const fn signed(word: u64, size: usize) -> i64 {
    let unused = 64 - 8 * size;
    (word << unused).cast_signed() >> unused
}

/// Digits that a text begins with; no more than can be counted in 64 bits.
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

fn integer(text: &str, least: i128, most: i128, size: usize, out: &mut Vec<u8>) -> Result<(), EditError> {
    let value = match text.strip_prefix("0x") {
        Some(hex) => i128::from_str_radix(hex, 16).ok(),
        None => text.parse().ok(),
    };
    let value = value.ok_or_else(|| format!("`{text}` is no whole number"))?;
    if !(least..=most).contains(&value) {
        return Err(format!("{value} does not fit: {least} to {most}").into());
    }
    out.extend_from_slice(&value.to_le_bytes()[..size]);
    Ok(())
}

fn single(text: &str) -> Result<f32, EditError> {
    match text.strip_prefix("0x") {
        Some(hex) => u32::from_str_radix(hex, 16).ok().map(f32::from_bits),
        None => fast_float2::parse::<f32, _>(text).ok().filter(|value| value.is_finite()),
    }
    .ok_or_else(|| not_a_float(text))
}

fn double(text: &str) -> Result<f64, EditError> {
    match text.strip_prefix("0x") {
        Some(hex) => u64::from_str_radix(hex, 16).ok().map(f64::from_bits),
        None => fast_float2::parse::<f64, _>(text).ok().filter(|value| value.is_finite()),
    }
    .ok_or_else(|| not_a_float(text))
}

fn not_a_float(text: &str) -> EditError {
    format!("`{text}` is no finite number; other bit patterns are texts such as \"0x7f800000\"").into()
}
