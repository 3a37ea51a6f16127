//! The same objects in another encoding, or a refusal.

use super::*;

#[test]
fn conversion_to_tokens_and_back_spells_shortest_floats() {
    let text = with_head("Vector {\n 0.10000000149;\n 1e-7;\n 16777217;\n}\n");
    let back = decoded(&text).convert(BINARY).unwrap().convert(TEXT).unwrap();
    assert_eq!(
        back.encode().unwrap(),
        with_head("Vector {\n 0.1;\n 0.0000001;\n 16777216.0;\n}\n").as_bytes()
    );
}

#[test]
fn conversion_keeps_what_is_no_finite_number() {
    let text = with_head("Vector {\n -1.#IND00;\n 1.#QNAN0;\n -1.#INF00;\n}\n");
    for to in [BINARY, DOUBLE] {
        let back = decoded(&text).convert(to).unwrap().convert(TEXT).unwrap();
        assert_eq!(back.content(), decoded(&text).content(), "{to:?}");
    }
}

/// A file of tokens.
fn tokens(bodies: Vec<TokenBody>) -> X {
    let mut file = decoded(&with_head("")).convert(BINARY).unwrap();
    let tokens: Vec<_> = bodies.into_iter().map(|body| Token { body }).collect();
    file.tokens = Part::Present(Tokens::Binary(tokens.into()));
    file
}

fn spelled(bytes: &[u8]) -> Text {
    Text { text: LenStr::new(bytes) }
}

/// A frame of this name in which a texture of this name stands, and a reference to the frame.
fn named_in_tokens(name: &[u8], texture: &[u8]) -> X {
    use TokenBody::{CloseBrace, Name, OpenBrace, Semicolon, String};
    tokens(vec![
        Name(spelled(b"Frame")),
        Name(spelled(name)),
        OpenBrace,
        Name(spelled(b"TextureFilename")),
        OpenBrace,
        String(spelled(texture)),
        Semicolon,
        CloseBrace,
        OpenBrace,
        Name(spelled(name)),
        CloseBrace,
        CloseBrace,
    ])
}

#[test]
fn what_text_cannot_say_is_not_converted_to_it() {
    for (name, texture, why) in [
        (&b"Root"[..], &b"a\"b.bmp"[..], "the string `a\"b.bmp` holds a quote"),
        (b"Bip01 L Hand", b"a", "the name `Bip01 L Hand` is no single word"),
        (b"x;}", b"a", "no single word"),
        (b"# x", b"a", "no single word"),
        (b"", b"a", "no single word"),
    ] {
        let error = named_in_tokens(name, texture).convert(TEXT).unwrap_err();
        assert!(matches!(error.kind(), ErrorKind::Value(_)) && error.message().contains(why), "{error}");
    }
    let names = |names: &[&[u8]]| {
        let mut bodies: Vec<_> = names.iter().map(|name| TokenBody::Name(spelled(name))).collect();
        bodies.extend([TokenBody::OpenBrace, TokenBody::CloseBrace]);
        tokens(bodies).convert(TEXT)
    };
    let error = names(&[b"Frame", b"", b"Frame"]).unwrap_err();
    assert!(error.message().contains("something else"), "{error}");
    assert!(names(&[b"7", b"Root"]).is_err(), "a number is the name of no template");
    assert_eq!(names(&[b"Frame", b"7"]).unwrap().encode().unwrap(), with_head("Frame 7 {\n}\n").as_bytes());
}

#[test]
fn what_is_neither_number_nor_string_is_told_as_such() {
    let error = decoded(&with_head("Unknown { 1; < 2; }")).convert(BINARY).unwrap_err();
    assert!(error.message().contains("where a number or a string is expected"), "{error}");
}

/// Names that are words of the language, and bytes that mean something in it.
fn name() -> impl Strategy<Value = Vec<u8>> {
    prop_oneof![
        sample::select(vec![
            &b"template"[..],
            b"DWORD",
            b"array",
            b"...",
            b".",
            b"7",
            b"-1.5",
            b"1e5",
            b"1.#INF",
            b"7a"
        ])
        .prop_map(<[u8]>::to_vec),
        "[A-Za-z_][A-Za-z0-9_-]{0,8}".prop_map(String::into_bytes),
        vec(prop_oneof![any::<u8>(), sample::select(b"a9 \"#/<>{}[]();,.\x83\x7b\xe9\0".to_vec())], 0..6),
    ]
}

#[test]
fn names_and_strings_come_back_from_text_or_are_refused() {
    let config = ProptestConfig { failure_persistence: None, ..ProptestConfig::default() };
    let converted = std::cell::Cell::new(0);
    proptest!(config, |(name in name(), texture in name())| {
        let file = named_in_tokens(&name, &texture);
        let names = |file: &X| {
            let objects = file.objects().unwrap();
            let frame = objects.roots().next().unwrap();
            let refers = frame.references().next().unwrap();
            (frame.name().to_vec(), refers.name.to_vec(), the::<TextureFilename>(file).filename)
        };
        let is_plain = |byte: &u8| byte.is_ascii_alphanumeric() || b"_-".contains(byte);
        match file.convert(TEXT) {
            Ok(text) => {
                converted.set(converted.get() + 1);
                let text = X::decode(&text.encode().unwrap()).unwrap();
                prop_assert_eq!(names(&text), names(&file));
                prop_assert_eq!(text.convert(BINARY).unwrap(), file);
            }
            Err(error) => {
                prop_assert!(matches!(error.kind(), ErrorKind::Value(_)), "{}", error);
                prop_assert!(texture.contains(&b'"') || name.is_empty() || !name.iter().all(is_plain), "{}", error);
            }
        }
    });
    assert!(converted.get() > 50, "{}", converted.get());
}

#[test]
fn depth_is_not_paid_for_with_blanks() {
    let text = with_head(&format!("{}{}", "Frame {\n".repeat(5000), "}\n".repeat(5000)));
    let back = decoded(&text).convert(BINARY).unwrap().convert(TEXT).unwrap().encode().unwrap();
    assert!(back.len() < 10 * text.len(), "{}", back.len());
}

#[test]
fn conversion_of_packed_content_only_unpacks_it() {
    let packed = decoded(&skinned()).convert(PACKED_TEXT).unwrap();
    assert_eq!(packed.convert(TEXT).unwrap().encode().unwrap(), skinned().as_bytes());
}
