//! Numbers from their spelling to their bytes, each at once in its own type.

use crate::schema::Refusal;

/// Appends the bytes of a number of one of Kaitai's types, `u1` to `f8`.
pub(super) fn push(kaitai: &str, text: &str, out: &mut Vec<u8>) -> Result<(), Refusal> {
    match kaitai {
        "f4" => single(text).map(|value| out.extend(value.to_le_bytes())),
        "u1" => integer(text, 0, u8::MAX.into()).map(|value| out.extend(&value.to_le_bytes()[..1])),
        "u2" => integer(text, 0, u16::MAX.into()).map(|value| out.extend(&value.to_le_bytes()[..2])),
        "s4" => {
            integer(text, i32::MIN.into(), i32::MAX.into()).map(|value| out.extend(&value.to_le_bytes()[..4]))
        }
        "u4" => integer(text, 0, u32::MAX.into()).map(|value| out.extend(&value.to_le_bytes()[..4])),
        "s2" => {
            integer(text, i16::MIN.into(), i16::MAX.into()).map(|value| out.extend(&value.to_le_bytes()[..2]))
        }
        "s1" => {
            integer(text, i8::MIN.into(), i8::MAX.into()).map(|value| out.extend(&value.to_le_bytes()[..1]))
        }
        "u8" => integer(text, 0, u64::MAX.into()).map(|value| out.extend(&value.to_le_bytes()[..8])),
        "s8" => {
            integer(text, i64::MIN.into(), i64::MAX.into()).map(|value| out.extend(&value.to_le_bytes()[..8]))
        }
        "f8" => double(text).map(|value| out.extend(value.to_le_bytes())),
        other => Err(format!("`{other}` is no type of a number").into()),
    }
}

/// Bytes of a number of one of Kaitai's types.
pub(super) fn size(kaitai: &str) -> usize {
    kaitai.as_bytes().last().map_or(0, |digit| usize::from(digit.wrapping_sub(b'0')))
}

fn integer(text: &str, least: i128, most: i128) -> Result<i128, Refusal> {
    let value = short(text).or_else(|| match text.strip_prefix("0x") {
        Some(hex) => i128::from_str_radix(hex, 16).ok(),
        None => text.parse().ok(),
    });
    let value = value.ok_or_else(|| format!("`{text}` is no whole number"))?;
    if (least..=most).contains(&value) {
        Ok(value)
    } else {
        Err(format!("{value} does not fit: {least} to {most}").into())
    }
}

/// Most numbers have few digits and no sign.
fn short(text: &str) -> Option<i128> {
    if text.is_empty() || text.len() > 9 {
        return None;
    }
    let digits = text
        .bytes()
        .try_fold(0_u32, |value, byte| byte.is_ascii_digit().then(|| value * 10 + u32::from(byte - b'0')));
    digits.map(i128::from)
}

fn single(text: &str) -> Result<f32, Refusal> {
    match text.strip_prefix("0x") {
        Some(hex) => u32::from_str_radix(hex, 16).ok().map(f32::from_bits),
        None => fast_float2::parse::<f32, _>(text).ok().filter(|value| value.is_finite()),
    }
    .ok_or_else(|| not_a_float(text))
}

fn double(text: &str) -> Result<f64, Refusal> {
    match text.strip_prefix("0x") {
        Some(hex) => u64::from_str_radix(hex, 16).ok().map(f64::from_bits),
        None => fast_float2::parse::<f64, _>(text).ok().filter(|value| value.is_finite()),
    }
    .ok_or_else(|| not_a_float(text))
}

fn not_a_float(text: &str) -> Refusal {
    format!("`{text}` is no finite number; other bit patterns are texts such as \"0x7f800000\"").into()
}
