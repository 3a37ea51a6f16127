//! The debug texts of values: the kind and the size rather than the contents.

use bindpose::formats::directx::XText;
use bindpose::formats::unigine::Table;
use bindpose::schema::{Choice, Selected, select};
use bindpose::text::TokenText;
use bindpose::wire::{Gap, SmallList};

use super::*;

#[derive(Schema)]
#[binrw]
#[derive(Clone, Debug, PartialEq)]
struct Pair {
    flags: Flags,
    b: u8,
}

#[derive(Schema)]
#[bitfield(bits = 8)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Flags {
    is_on: bool,
    #[skip]
    __: B7,
}

#[test]
fn a_node_shows_its_kind_and_size() {
    let show = |value: &mut dyn Value| {
        let node = format!("{:?}", value.node());
        assert_eq!(format!("{:?}", value.node_mut()), node);
        node
    };
    assert_eq!(show(&mut 7_u16), "Leaf(2 bytes)");
    assert_eq!(show(&mut survives::<Pair>(&[1, 2])), "Record(Pair)");
    assert_eq!(show(&mut List::from(vec![1_u8, 2])), "Items(2)");
    assert_eq!(show(&mut None::<u8>), "Absent");
    let body = 7_u16;
    let choice = Choice { name: "number", tag: Some(3), body: Some(&body), axis: None, quantity: None };
    assert_eq!(
        format!("{choice:?}"),
        r#"Choice { name: "number", tag: Some(3), body: Some(Leaf(2 bytes)) }"#
    );
}

#[test]
fn a_selected_value_shows_its_kind_and_has_a_value_if_it_is_a_leaf() {
    let pair: Pair = survives(&[1, 2]);
    assert!(pair.flags.is_on());
    let selected = |path: &str| {
        let mut found = Vec::new();
        select(&pair, &path.parse().expect("a path"), &mut |_, selected: Selected<'_>| {
            found.push((format!("{selected:?}"), selected.field_value().map(|value| value.to_string())));
        })
        .expect("a value");
        found
    };
    assert_eq!(selected("b"), [("Leaf(1 byte)".into(), Some("2".into()))]);
    assert_eq!(selected("flags.is_on"), [("Bits(is_on)".into(), Some("1".into()))]);
    let root = FieldPath::root();
    select(&pair, &root, &mut |_, selected| assert!(selected.field_value().is_none())).expect("a value");
}

#[test]
fn field_types_show_their_contents_briefly() {
    assert_eq!(format!("{:?}", Gap::from(vec![1, 2])), "Gap(2 bytes)");
    assert_eq!(format!("{:?}", SmallList::<u8, u8, 2>::new([1, 2, 3]).expect("three")), "[1, 2, 3]");
    assert_eq!(format!("{:?}", LenStr::<u8>::new(b"a\0")), r#""a\x00""#);
    let mut source = Source::new(&[1, 2, 3]);
    u8::read_options(&mut source, Endian::Little, ()).expect("a byte");
    assert_eq!(format!("{source:?}"), "Source at 1 of 3 bytes");
    let text: TokenText<XText> = TokenText::new(b"Frame a { }".to_vec());
    assert_eq!(format!("{text:?}"), r#"TokenText(7 in 11 bytes: "Frame a { }")"#);
    assert!(!text.is_empty() && TokenText::<XText>::default().is_empty());
    let mut table: Table<u8, u16> = Table::new(2);
    table.push([1, 2]).expect("a row");
    assert_eq!(format!("{table:?}"), "1 rows of 2 cells in 4 bytes");
    assert_eq!(format!("{:?}", List::from(vec![7_u8])), "[7]");
    let mut source = Source::truncated(&[7]);
    let list = List::<u8>::read_options(&mut source, Endian::Little, (2,)).expect("a part");
    assert_eq!(format!("{list:?}"), "[7, ..]");
    let text: TokenText<XText> = TokenText::new(b"Frame a { } Frame b { Mesh { } }".to_vec());
    assert_eq!(text.deepest(), 2);
}
