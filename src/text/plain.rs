//! Numbers in text files: the shortest text that reads back to the same bits, without exponents, which not all readers
//! support.

use std::fmt::Display;
use std::io::Write as _;
use std::ops::Range;

use super::special_word;
use crate::schema::{Scalar, Schema};

/// Appends a number of a type from its bytes. Floats have exponents where those are shorter.
pub fn plain_scalar(scalar: Scalar, bytes: &[u8], text: &mut Vec<u8>) {
    let mut digits = itoa::Buffer::new();
    let word = match scalar {
        Scalar::U8 => digits.format(u8::get(bytes)),
        Scalar::U16 => digits.format(u16::get(bytes)),
        Scalar::U32 => digits.format(u32::get(bytes)),
        Scalar::U64 => digits.format(u64::get(bytes)),
        Scalar::I8 => digits.format(i8::get(bytes)),
        Scalar::I16 => digits.format(i16::get(bytes)),
        Scalar::I32 => digits.format(i32::get(bytes)),
        Scalar::I64 => digits.format(i64::get(bytes)),
        Scalar::F32 => return shortest(f32::get(bytes), f32::get(bytes).into(), text),
        Scalar::F64 => return shortest(f64::get(bytes), f64::get(bytes), text),
    };
    text.extend_from_slice(word.as_bytes());
}

fn shortest(value: impl zmij::Float, wide: f64, text: &mut Vec<u8>) {
    match special_word(wide) {
        Some(word) => text.extend_from_slice(word.as_bytes()),
        None => text.extend_from_slice(zmij::Buffer::new().format_finite(value).as_bytes()),
    }
}

/// Appends an integer.
#[inline]
pub fn plain_integer(value: i64, text: &mut Vec<u8>) {
    match u64::try_from(value) {
        Ok(number @ ..100_000_000) => eight_digits(number, text),
        _ => text.extend_from_slice(itoa::Buffer::new().format(value).as_bytes()),
    }
}

/// Appends a number of up to eight digits. They are divided at once: first into halves, then into pairs.
#[inline]
fn eight_digits(number: u64, text: &mut Vec<u8>) {
    const ZEROS: u64 = u64::from_le_bytes([b'0'; 8]);
    let halves = (number / 10_000) | ((number % 10_000) << 32);
    let hundreds = ((halves * 5243) >> 19) & 0x7f_0000_007f;
    let pairs = hundreds | ((halves - 100 * hundreds) << 16);
    let tens = ((pairs * 103) >> 10) & 0xf_000f_000f_000f;
    let digits = tens | ((pairs - 10 * tens) << 8);
    // The first digit is in the lowest byte; the last one is written even if it is zero.
    let leading = (digits | 1 << 56).trailing_zeros() / 8;
    text.extend_from_slice(&((digits | ZEROS) >> (8 * leading)).to_le_bytes());
    text.truncate(text.len() - leading as usize);
}

/// Appends a float: `0.1`, `1.0`, or `1.#INF00`.
#[inline]
pub fn plain_single(value: f32, text: &mut Vec<u8>) {
    plain(value, value.into(), text);
}

/// Appends a float of twice the size.
#[inline]
pub fn plain_double(value: f64, text: &mut Vec<u8>) {
    plain(value, value, text);
}

/// Numbers whose shortest text never has an exponent.
const USUAL: Range<f64> = 1e-4..1e12;

#[inline]
fn plain(value: impl zmij::Float + Display, wide: f64, text: &mut Vec<u8>) {
    if wide == 0.0 || USUAL.contains(&wide.abs()) {
        text.extend_from_slice(zmij::Buffer::new().format_finite(value).as_bytes());
    } else {
        unusual(value, wide, text);
    }
}

#[cold]
fn unusual(value: impl zmij::Float + Display, wide: f64, text: &mut Vec<u8>) {
    if let Some(word) = special_word(wide) {
        return text.extend_from_slice(word.as_bytes());
    }
    let mut buffer = zmij::Buffer::new();
    let shortest = buffer.format_finite(value);
    if !shortest.contains('e') {
        return text.extend_from_slice(shortest.as_bytes());
    }
    let start = text.len();
    _ = write!(text, "{value}");
    if !text[start..].contains(&b'.') {
        text.extend_from_slice(b".0");
    }
}
