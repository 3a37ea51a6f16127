//! Floats that are no finite numbers, as texts spell them.

/// The value of `1.#INF`, `-1.#IND00`, `1.#QNAN`, `1.#SNAN0`: what Microsoft's C runtime printed for floats that are not
/// finite, padded with zeros like any other number, and with an exponent where one was asked for.
pub fn special_float(spelling: &[u8]) -> Option<f32> {
    let (sign, rest) = match spelling {
        [b'-', rest @ ..] => (-1.0, rest),
        [b'+', rest @ ..] | rest => (1.0, rest),
    };
    let rest = rest.strip_prefix(b"1.#")?;
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

/// Zeros, and an exponent of zero.
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

#[cfg(test)]
mod tests {
    use super::special_float;

    #[test]
    fn what_the_c_runtime_printed_is_read() {
        for (spelling, value) in [
            ("1.#INF", f32::INFINITY),
            ("+1.#INF", f32::INFINITY),
            ("-1.#INF00", f32::NEG_INFINITY),
            ("1.#INF00e+000", f32::INFINITY),
            ("1.#QNAN", f32::NAN),
            ("-1.#IND00", -f32::NAN),
            ("1.#SNAN0E+00", f32::NAN),
        ] {
            let read = special_float(spelling.as_bytes()).map(f32::to_bits);
            assert_eq!(read, Some(value.to_bits()), "{spelling}");
        }
    }

    #[test]
    fn nothing_else_is() {
        for spelling in [
            "",
            "1",
            "1.#",
            "1.#WHAT",
            "1.#INFX",
            "1.#INF01",
            "1.#INF00e",
            "1.#INF00e+",
            "1.#INF00e-000",
            "1.#INFe+001",
            "1.#inf",
            "bogus1.#INF",
            "--1.#INF",
            "-+1.#INF",
            " 1.#INF",
            "1.#INF ",
            "2.#INF",
            "11.#INF",
            "inf",
            "nan",
        ] {
            assert_eq!(special_float(spelling.as_bytes()), None, "{spelling}");
        }
    }
}
