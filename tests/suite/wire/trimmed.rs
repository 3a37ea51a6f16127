//! What is left of a value of which only the first bytes are there.

use bindpose::schema::{Trimmed, trim};

use super::*;

#[derive(Schema)]
#[binrw]
#[derive(Clone, Debug, PartialEq)]
struct Model {
    id: u8,
    keys: Counted<u8, Key>,
    sizes: [u8; 2],
    names: Counted<u8, u16>,
}

#[derive(Schema)]
#[binrw]
#[derive(Clone, Debug, PartialEq)]
struct Key {
    time: u8,
    values: Counted<u8, u8>,
    last: u8,
}

const WHOLE: [u8; 19] = [7, 2, 1, 2, 5, 6, 3, 9, 1, 8, 4, 11, 12, 2, 21, 0, 22, 0, 99];

/// Trims a model to some bytes; returns what is lost, and the bytes that are left.
fn trimmed(len: u64) -> (Vec<String>, Vec<u8>) {
    let mut model: Model = read(&WHOLE, ());
    let lost = trim(&mut model, len).into_iter().map(|lost| match lost {
        Trimmed::List { path, kept, announced } => format!("{path} {kept} of {announced}"),
        Trimmed::Text { path, kept, announced } => format!("{path} text {kept} of {announced}"),
        Trimmed::Field { path } => path.to_string(),
    });
    (lost.collect(), written(&model))
}

#[test]
fn lists_keep_the_elements_that_are_complete() {
    let after = ["sizes", "num_names", "names 0 of 2"];
    for (len, lost) in [
        (1, &["num_keys", "keys 0 of 2"][..]),
        (2, &["keys 0 of 2"]),
        (4, &["keys 0 of 2"]),
        // An element keeps the first elements of a list of its own.
        (5, &["keys[0].values 1 of 2", "keys[0].last", "keys 1 of 2"]),
        (6, &["keys[0].last", "keys 1 of 2"]),
        (7, &["keys 1 of 2"]),
        (9, &["keys 1 of 2"]),
        (10, &["keys[1].last"]),
        (12, &[]),
    ] {
        assert_eq!(trimmed(len).0, [lost, &after].concat(), "{len} bytes");
    }
    for (len, lost) in
        [(13, &after[1..]), (14, &after[2..]), (15, &after[2..]), (17, &["names 1 of 2"]), (18, &[])]
    {
        assert_eq!(trimmed(len).0, lost, "{len} bytes");
    }
}

#[test]
fn counts_follow_from_trimmed_lists() {
    assert_eq!(trimmed(18).1, WHOLE[..18]);
    assert_eq!(trimmed(17).1, [&WHOLE[..13], &[1, 21, 0]].concat());
    assert_eq!(trimmed(10).1, [&WHOLE[..13], &[0]].concat());
    assert_eq!(trimmed(6).1, [7, 1, 1, 2, 5, 6, 3, 11, 12, 0]);
    assert_eq!(trimmed(5).1, [7, 1, 1, 1, 5, 3, 11, 12, 0]);
    assert_eq!(trimmed(4).1, [7, 0, 11, 12, 0]);
}

#[derive(Schema)]
#[binrw]
#[derive(Clone, Debug, PartialEq)]
struct Named {
    name: LenStr<u8, true>,
    id: u8,
}

#[test]
fn a_text_that_is_complete_is_kept() {
    let mut named: Named = read(&[2, b'a', 0, 7], ());
    assert_eq!(trim(&mut named, 4), []);
    assert_eq!(trim(&mut named, 3), [Trimmed::Field { path: "id".parse().expect("a path") }]);
    assert_eq!(written(&named), [2, b'a', 0, 7]);
}
