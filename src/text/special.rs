//! Infinities and NaNs in text files.

/// Returns the value of a float that is not finite, in the notations of C runtimes and scripting languages.
///
/// Microsoft's older runtime writes `1.#INF`, `-1.#IND00`, `1.#QNAN` or `1.#SNAN0`, padded with zeros and with an exponent as
/// any other number. Others write `inf`, `Infinity`, `nan`, `-nan(ind)` or `nan(snan)` in any case.
pub fn special_float(spelling: &[u8]) -> Option<f32> {
    let (sign, rest) = match spelling {
        [b'-', rest @ ..] => (-1.0, rest),
        [b'+', rest @ ..] | rest => (1.0, rest),
    };
    let Some(rest) = rest.strip_prefix(b"1.#") else {
        return named(rest).map(|value| value.copysign(sign));
    };
    let letters = rest.iter().take_while(|byte| byte.is_ascii_alphabetic() && **byte | 32 != b'e').count();
    let (name, padding) = rest.split_at(letters);
    let value = match name {
        _ if !is_padding(padding) => return None,
        b"INF" => f32::INFINITY,
        b"IND" | b"QNAN" | b"SNAN" => f32::NAN,
        _ => return None,
    };
    Some(value.copysign(sign))
}

fn named(word: &[u8]) -> Option<f32> {
    let name = &word[..word.iter().position(|byte| *byte == b'(').unwrap_or(word.len())];
    match word.get(name.len()..)? {
        [] if name.eq_ignore_ascii_case(b"inf") || name.eq_ignore_ascii_case(b"infinity") => {
            Some(f32::INFINITY)
        }
        [] | [b'(', .., b')'] if name.eq_ignore_ascii_case(b"nan") => Some(f32::NAN),
        _ => None,
    }
}

/// Returns the notation of a float that is not finite; `None` if it is. Only the sign of a NaN is kept.
pub fn special_word(value: f64) -> Option<&'static str> {
    match (value.is_sign_negative(), value.is_nan()) {
        _ if value.is_finite() => None,
        (false, true) => Some("1.#QNAN0"),
        (true, true) => Some("-1.#IND00"),
        (false, false) => Some("1.#INF00"),
        (true, false) => Some("-1.#INF00"),
    }
}

/// Returns whether the text is zeros and an optional exponent of zero.
fn is_padding(text: &[u8]) -> bool {
    let zeros = |text: &[u8]| text.iter().all(|byte| *byte == b'0');
    match text.iter().position(|byte| byte | 32 == b'e') {
        Some(at) => {
            zeros(&text[..at])
                && matches!(&text[at + 1..], [b'+', digits @ ..] if !digits.is_empty() && zeros(digits))
        }
        None => zeros(text),
    }
}
