//! Infinities and NaNs as the C runtime prints them.

use bindpose::text::{special_float, special_word};

#[test]
fn infinities_and_nans_of_the_c_runtime_are_read() {
    for (spelling, value) in [
        ("1.#INF", f32::INFINITY),
        ("+1.#INF", f32::INFINITY),
        ("-1.#INF00", f32::NEG_INFINITY),
        ("1.#INF00e+000", f32::INFINITY),
        ("1.#INFe+000", f32::INFINITY),
        ("1.#INFE+00", f32::INFINITY),
        ("1.#QNAN", f32::NAN),
        ("-1.#IND00", -f32::NAN),
        ("1.#SNAN0E+00", f32::NAN),
        ("nan", f32::NAN),
        ("NaN", f32::NAN),
        ("-nan(ind)", -f32::NAN),
        ("nan(snan)", f32::NAN),
        ("inf", f32::INFINITY),
        ("-inf", f32::NEG_INFINITY),
        ("-Infinity", f32::NEG_INFINITY),
    ] {
        let read = special_float(spelling.as_bytes()).map(f32::to_bits);
        assert_eq!(read, Some(value.to_bits()), "{spelling}");
        let word = special_word(value.into()).expect("not a finite number");
        assert_eq!(special_float(word.as_bytes()).map(f32::to_bits), read, "{word}");
    }
}

#[test]
fn other_spellings_are_rejected() {
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
        "infinite",
        "inf(ind)",
        "nano",
        "nan(ind",
        "nan(",
        "--nan",
        "nan()x",
    ] {
        assert_eq!(special_float(spelling.as_bytes()), None, "{spelling}");
    }
}
