//! Numbers in text files: the shortest text that reads back to the same bits, without exponents, which not all readers
//! support.

use std::fmt::Display;
use std::io::Write as _;

use super::special_word;

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
