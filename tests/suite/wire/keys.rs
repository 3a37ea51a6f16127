//! The keys of `#[on_disk]`.

use bindpose::codec::{Format, Info, reread};
use bindpose::schema::{append, create, on_disk};
use bindpose::{Options, Result};

use super::*;

#[derive(Schema)]
#[bitfield(bits = 8)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Components {
    x: bool,
    y: bool,
    #[skip]
    __: B6,
}

#[on_disk]
#[derive(Clone, Debug, Default, PartialEq)]
struct Key {
    #[flag_of(x, y)]
    components: Components,
    x: Option<u16>,
    y: Option<u8>,
}

#[derive(Schema)]
#[schema(tag(kind: u8), import(size: u16))]
#[derive(Clone, Debug, PartialEq)]
enum Body {
    #[schema(tag = 1)]
    Number(u32),
    #[schema(raw)]
    #[br(args(i64::from(size) - 2))]
    #[schema(args(size - 2))]
    Other(Blob),
}

#[on_disk]
#[brw(little)]
#[derive(Clone, Debug, PartialEq)]
struct Keyed {
    #[count_of(keys)]
    num_keys: u8,
    #[size_of(name, plus = 1)]
    len_name: u8,
    sign: u8,
    #[br(args(i64::from(len_name) - 1))]
    #[schema(args(len_name - 1))]
    name: Blob,
    #[br(args(num_keys.into()))]
    keys: List<Key>,
    #[tag_of(body)]
    pub kind: u8,
    #[size_of(body, plus = 2)]
    size: u16,
    #[br(args(kind, size))]
    body: Body,
    rest: Rest,
}

impl Format for Keyed {
    const INFO: Info = Info::new("keyed", "A format with keys").with_extensions(&["keyed"]);

    fn args(_: &[u8], _: &Options) -> Result<()> {
        Ok(())
    }
}

const BYTES: &[u8] = &[2, 3, 9, b'a', b'b', 0x81, 5, 0, 0xf0, 7, 4, 0, 1, 2];

#[test]
fn what_follows_from_others_is_written_from_them() {
    let mut keyed = Keyed::decode(BYTES).expect("a file");
    assert_eq!(keyed.encode().as_deref(), Ok(BYTES));
    keyed.name.0.push(b'c');
    keyed.keys.pop();
    keyed.body = Body::Other(Blob(vec![1, 2, 3]));
    let expected = [1, 4, 9, b'a', b'b', b'c', 0x81, 5, 0, 7, 5, 0, 1, 2, 3];
    let again = reread(&keyed).and_then(|keyed| keyed.encode());
    assert_eq!(again.as_deref(), Ok(&expected[..]));
}

#[test]
fn flags_follow_the_parts_and_keep_other_bits() {
    let mut keyed = Keyed::decode(BYTES).expect("a file");
    keyed.keys[0].x = None;
    keyed.keys[1].y = Some(3);
    let expected = [2, 3, 9, b'a', b'b', 0x80, 0xf2, 3, 7, 4, 0, 1, 2];
    let again = reread(&keyed).and_then(|keyed| keyed.encode());
    assert_eq!(again.as_deref(), Ok(&expected[..]));
    let mut own = Vec::new();
    keyed.keys[0].append_to(&mut own);
    assert_eq!(own, [0x80], "the fast path");
}

#[test]
fn an_element_with_a_flag_is_appended_and_its_part_created() {
    let mut keyed = Keyed::decode(BYTES).expect("a file");
    append(&mut keyed, &"keys".parse().expect("a path")).expect("a list");
    create(&mut keyed, &Keyed::shape(), &"keys[1].y".parse().expect("a path"), Some("4"), false)
        .expect("absent");
    let again = reread(&keyed).expect("the same file");
    assert_eq!((again.keys.len(), again.keys[1].y), (3, Some(4)));
}

#[test]
fn json_omits_what_follows() {
    let keyed = Keyed::decode(BYTES).expect("a file");
    let mut text = Vec::new();
    keyed.write_json(&mut text).expect("memory takes all");
    let text = String::from_utf8(text).expect("UTF-8");
    assert!(!["num_keys", "len_name", "size"].iter().any(|name| text.contains(name)), "{text}");
    let longer = text.replace("hex:6162", "hex:616263");
    assert_ne!(longer, text);
    let longer = Keyed::read_json(&mut longer.as_bytes()).expect("a file");
    assert_eq!(longer.encode().expect("a file")[..6], [2, 4, 9, b'a', b'b', b'c']);
    let wrong = text.replace("\"kind\": 7", "\"kind\": 1");
    assert_ne!(wrong, text);
    let why = Keyed::read_json(&mut wrong.as_bytes()).expect_err("another form").to_string();
    assert!(why.contains(" body: "), "{why}");
}

#[test]
fn a_stored_tag_selects_what_is_written() {
    let mut keyed = Keyed::decode(BYTES).expect("a file");
    keyed.kind = 1;
    let why = keyed.encode().expect_err("another form").to_string();
    assert!(why.contains("`body` has another form than `kind` selects"), "{why}");
    keyed.kind = 9;
    assert!(keyed.encode().is_ok(), "an unknown tag");
}

#[test]
fn a_size_cannot_be_set() {
    let mut keyed = Keyed::decode(BYTES).expect("a file");
    let why = set(&mut keyed, "size", "9").expect_err("derived");
    assert!(why.contains("`body`"), "{why}");
}
