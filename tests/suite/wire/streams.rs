use bindpose::schema::Items;

use super::*;

#[derive(Schema)]
#[binrw]
#[derive(Clone, Debug, PartialEq)]
struct Texts {
    records: Stream<Text>,
    rest: Rest,
}

#[derive(Schema)]
#[binrw]
#[derive(Clone, Debug, PartialEq)]
struct Text {
    text: LenStr<u8>,
}

#[test]
fn a_stream_stops_at_the_first_invalid_record() {
    let texts: Texts = survives(b"\x01a\x05bc");
    assert_eq!(texts.records.len(), 1);
    let stopped = texts.records.stopped().expect("a reason");
    assert_eq!(
        stopped.to_string(),
        "0x00000003 [1].text: file ends inside the value (5 bytes needed, 2 left)"
    );
    assert_eq!(texts.rest.0, b"\x05bc");
}

#[test]
fn the_layout_of_an_empty_stream_is_that_of_a_new_record() {
    let mut shown = Vec::new();
    Stream::<Text>::new().blank_item(&mut |value| shown.push(schema::bytes_of(value)));
    assert_eq!(shown, [[0]]);
}
