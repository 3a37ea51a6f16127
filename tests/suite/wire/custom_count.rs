use super::*;

#[derive(Schema)]
#[binrw]
#[derive(Clone, Debug, PartialEq)]
struct Named {
    names: Counted<CInt, Name>,
}

#[derive(Schema)]
#[binrw]
#[derive(Clone, Debug, PartialEq)]
struct Name {
    name: LenStr<CInt, true>,
}

#[test]
fn a_padded_count_is_preserved_until_the_list_changes() {
    let bytes = [0x81, 0x00, 0x82, 0x00, b'a', 0];
    let mut named: Named = survives(&bytes);
    assert_eq!(map(&named)[0], "num_names 0..2 1");
    set(&mut named, r#"names["a"].name"#, "b").expect("a name of the same length");
    assert_eq!(written(&named), [0x81, 0x00, 0x82, 0x00, b'b', 0]);
    set(&mut named, "names[0].name", "long").expect("a longer name");
    assert_eq!(written(&named), [0x81, 0x00, 0x05, b'l', b'o', b'n', b'g', 0]);
}

#[test]
fn a_count_cannot_be_set_and_the_error_names_its_list() {
    let mut named: Named = survives(&[0]);
    let why = set(&mut named, "num_names", "3").expect_err("refused");
    assert_eq!(why, "num_names: is the number of elements of `names`");
}

proptest! {
    #[test]
    fn every_encoding_of_a_compact_integer_is_preserved(first: u8, more in prop::collection::vec(any::<u8>(), 0..4)) {
        let mut bytes: Vec<u8> = std::iter::once(first).chain(more).map(|byte| byte | 0x80).collect();
        *bytes.last_mut().expect("a byte") &= 0x7f;
        if let Ok(value) = CInt::read_options(&mut Source::new(&bytes), Endian::Little, ()) {
            prop_assert_eq!(&value.to_bytes(), &bytes);
        }
    }

    #[test]
    fn a_new_compact_integer_has_the_width_of_the_engines_rule(value in -0x7fff_ffff_i64..=0x7fff_ffff) {
        let own = CInt::new(value).expect("31 bits");
        prop_assert_eq!(own.value(), value);
        let width = u32::try_from(own.to_bytes().len()).expect("a small number");
        let fits = |width: u32| value.unsigned_abs() < (1 << (6 + 7 * (width - 1))) - 1;
        prop_assert!(width == 5 || fits(width));
        prop_assert!(width == 1 || !fits(width - 1));
    }
}
