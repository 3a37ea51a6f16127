//! Conversion between encodings.

use super::*;

#[test]
fn conversion_to_tokens_and_back_writes_shortest_floats() {
    let text = with_head("Vector {\n 0.10000000149;\n 1e-7;\n 16777217;\n}\n");
    let back = decoded(&text).convert(BINARY).unwrap().convert(TEXT).unwrap();
    assert_eq!(
        back.encode().unwrap(),
        with_head("Vector {\n 0.1;\n 0.0000001;\n 16777216.0;\n}\n").as_bytes()
    );
}

#[test]
fn conversion_preserves_infinities_and_nans() {
    let text = with_head("Vector {\n -1.#IND00;\n 1.#QNAN0;\n -1.#INF00;\n}\n");
    for to in [BINARY, DOUBLE] {
        let back = decoded(&text).convert(to).unwrap().convert(TEXT).unwrap();
        assert_eq!(back.content(), decoded(&text).content(), "{to:?}");
    }
}

/// A file of these tokens.
fn tokens(bodies: Vec<TokenBody>) -> X {
    let mut file = decoded(&with_head("")).convert(BINARY).unwrap();
    let tokens: Vec<_> = bodies.into_iter().map(Token::from).collect();
    file.tokens = Part::Present(Tokens::Binary(tokens.into()));
    file
}

fn text(bytes: &[u8]) -> Text {
    Text { text: LenStr::new(bytes) }
}

/// A frame with a texture and a reference to itself, as tokens.
fn named_in_tokens(name: &[u8], texture: &[u8]) -> X {
    use TokenBody::{CloseBrace, Name, OpenBrace, Semicolon, String};
    tokens(vec![
        Name(text(b"Frame")),
        Name(text(name)),
        OpenBrace,
        Name(text(b"TextureFilename")),
        OpenBrace,
        String(text(texture)),
        Semicolon,
        CloseBrace,
        OpenBrace,
        Name(text(name)),
        CloseBrace,
        CloseBrace,
    ])
}

#[test]
fn names_and_strings_that_text_cannot_represent_are_rejected() {
    for (name, texture, why) in [
        (&b"Root"[..], &b"a\"b.bmp"[..], "the string `a\"b.bmp` contains a quotation mark"),
        (b"Bip01 L Hand", b"a", "the name `Bip01 L Hand` is not a single word"),
        (b"x;}", b"a", "not a single word"),
        (b"# x", b"a", "not a single word"),
        (b"", b"a", "not a single word"),
    ] {
        let error = named_in_tokens(name, texture).convert(TEXT).unwrap_err();
        assert!(matches!(error.kind(), ErrorKind::Value(_)) && error.message().contains(why), "{error}");
    }
    let names = |names: &[&[u8]]| {
        let mut bodies: Vec<_> = names.iter().map(|name| TokenBody::Name(text(name))).collect();
        bodies.extend([TokenBody::OpenBrace, TokenBody::CloseBrace]);
        tokens(bodies).convert(TEXT)
    };
    let error = names(&[b"Frame", b"", b"Frame"]).unwrap_err();
    assert!(error.message().contains("read differently"), "{error}");
    assert!(names(&[b"7", b"Root"]).is_err(), "a template name cannot be a number");
    assert_eq!(names(&[b"Frame", b"7"]).unwrap().encode().unwrap(), with_head("Frame 7 {\n}\n").as_bytes());
}

#[test]
fn values_other_than_numbers_and_strings_are_rejected() {
    let error = decoded(&with_head("Unknown { 1; < 2; }")).convert(BINARY).unwrap_err();
    assert!(error.message().contains("expected a number or a string"), "{error}");
}

/// Names that are keywords or numbers, plain names, and bytes with a special meaning.
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
fn names_and_strings_survive_conversion_to_text_or_are_rejected() {
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
                let is_quotable = !texture.iter().any(|byte| b"\"\n\r".contains(byte));
                prop_assert!(!is_quotable || name.is_empty() || !name.iter().all(is_plain), "{}", error);
            }
        }
    });
    assert!(converted.get() > crate::folders::scaled(50), "{}", converted.get());
}

#[test]
fn indentation_of_nested_objects_is_limited() {
    let text = with_head(&format!("{}{}", "Frame {\n".repeat(5000), "}\n".repeat(5000)));
    let back = decoded(&text).convert(BINARY).unwrap().convert(TEXT).unwrap().encode().unwrap();
    assert!(back.len() < 10 * text.len(), "{}", back.len());
}

#[test]
fn conversion_of_packed_content_only_unpacks_it() {
    let packed = decoded(&skinned()).convert(PACKED_TEXT).unwrap();
    assert_eq!(packed.convert(TEXT).unwrap().encode().unwrap(), skinned().as_bytes());
}

/// Tokens have 32 bits and no sign.
#[test]
fn signed_integers_keep_their_sign_in_tokens() {
    let text = "xof 0303txt 0032\ntemplate T { <00000000-0000-0000-0000-000000000001> SWORD a; SDWORD b; CHAR c; WORD d; }\nT { -7; -70000; -1; 65535; }\n";
    let tokens = decoded(text).convert(BINARY).unwrap();
    let back = tokens.convert(TEXT).unwrap();
    let written = String::from_utf8(back.encode().unwrap()).unwrap();
    assert!(written.contains("-7;") && written.contains("-70000;") && written.contains("-1;"), "{written}");
    assert!(written.contains("65535;"), "{written}");
    let mut json = Vec::new();
    File::X(Box::new(tokens)).to_objects_json(&mut json).unwrap();
    let json = String::from_utf8(json).unwrap();
    assert!(json.contains("-7") && !json.contains("4294967289"), "{json}");
}

#[test]
fn a_float_that_becomes_infinite_is_refused() {
    let file = decoded(
        "xof 0303txt 0032\ntemplate T { <00000000-0000-0000-0000-000000000001> DOUBLE a; }\nT { 1e300; }\n",
    );
    assert!(file.has_doubles());
    let to = |double| file.convert(Encoding { binary: true, packed: false, double });
    assert!(to(false).unwrap_err().to_string().contains("1e300 does not fit into a float of 32 bits"));
    let tokens = to(true).unwrap();
    assert_eq!(tokens.convert(TEXT).unwrap().convert(DOUBLE).unwrap(), tokens);
    assert!(!decoded("xof 0303txt 0032\nHeader { 1; 0; 1; }\n").has_doubles());
}
