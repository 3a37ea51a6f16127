//! Numbers in text files: the shortest text that reads back to the same bits, without exponents, which not all readers
//! support.

use std::fmt::Display;
use std::io::Write as _;

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
pub fn plain_integer(value: i64, text: &mut Vec<u8>) {
    text.extend_from_slice(itoa::Buffer::new().format(value).as_bytes());
}

/// Appends a float: `0.1`, `1.0`, or `1.#INF00`.
pub fn plain_single(value: f32, text: &mut Vec<u8>) {
    plain(value, value.into(), text);
}

/// Appends a float of twice the size.
pub fn plain_double(value: f64, text: &mut Vec<u8>) {
    plain(value, value, text);
}

fn plain(value: impl zmij::Float + Display, wide: f64, text: &mut Vec<u8>) {
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
