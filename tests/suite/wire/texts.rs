use bindpose::wire::{escape, unescape};

use super::*;

proptest! {
    #[test]
    fn any_bytes_can_be_written_as_text_and_read_back(bytes: Vec<u8>) {
        prop_assert_eq!(unescape(&escape(&bytes)).expect("a spelling"), bytes);
    }

    #[test]
    fn a_name_set_to_itself_keeps_its_junk(bytes: [u8; 16]) {
        let mut name = FixedStr(bytes);
        let text = name.text().to_vec();
        name.set(&text).expect("the same text");
        prop_assert_eq!(name.0, bytes);
    }

    #[test]
    fn a_new_name_keeps_the_junk_that_it_does_not_reach(bytes: [u8; 16], new in "[a-z]{0,16}") {
        let mut name = FixedStr(bytes);
        let old_end = name.text().len();
        name.set(new.as_bytes()).expect("a text that fits");
        prop_assert_eq!(name.text(), new.as_bytes());
        let untouched = old_end.max(new.len()) + 1;
        prop_assert_eq!(name.0.get(untouched..), bytes.get(untouched..));
    }
}

#[test]
fn the_error_for_a_long_name_states_the_limit() {
    let mut name = FixedStr::<4>::default();
    assert_eq!(
        name.set(b"five!").expect_err("too long").to_string(),
        "text of 5 bytes exceeds the field of 4 bytes"
    );
    assert!(name.set(b"a\0b").is_err());
    name.set(b"four").expect("a full field");
    assert_eq!(name.text(), b"four");
}

#[test]
fn characters_that_a_terminal_or_xml_cannot_show_are_escaped() {
    for text in ["é", "骨", "🦴", "\u{a0}", "\u{200d}", "\u{fffd}", "\u{fffc}", "\u{1fffd}"] {
        assert_eq!(escape(text.as_bytes()), text);
    }
    for text in
        ["\x1b", "\x7f", "\u{85}", "\u{61c}", "\u{200e}", "\u{202a}", "\u{202e}", "\u{2066}", "\u{2069}"]
            .into_iter()
            .chain(["\u{2028}", "\u{2029}", "\u{fffe}", "\u{ffff}", "\u{1fffe}", "\u{10ffff}"])
    {
        let hex = text.bytes().fold(String::new(), |hex, byte| hex + &format!("\\x{byte:02x}"));
        assert_eq!(escape(text.as_bytes()), hex);
        assert_eq!(escape(format!("é{text}").as_bytes()), format!("é{hex}"));
    }
}
