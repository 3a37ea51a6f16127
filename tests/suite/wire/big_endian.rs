//! Numbers whose most significant byte is first, in parts with a size in bytes.

use bindpose::codec::{Format, Generate, Info};
use bindpose::schema::{append, on_disk};
use bindpose::wire::{Be, Region, Stream, Tail, ZStr};
use bindpose::{Options, Result, imhex, ksy};

use super::*;

/// Chunks.
#[on_disk]
struct Form {
    #[schema(magic = b"FORM")]
    id: FixedStr<4>,
    #[size_of(chunks)]
    size: Be<u32>,
    chunks: Region<Stream<Chunk>>,
    tail: Tail,
    rest: Rest,
}

#[on_disk]
struct Chunk {
    id: u8,
    #[size_of(body, plus = 2)]
    size: Be<u16>,
    body: Region<Cloud>,
    tail: Tail,
}

#[on_disk]
struct Cloud {
    name: ZStr,
    #[count_of(points)]
    num_points: Be<u16>,
    points: List<[Be<f32>; 2]>,
    weights: Counted<Be<u16>, Be<i16>>,
}

impl Format for Form {
    const INFO: Info = Info::new("form", "Chunks").with_extensions(&["form"]).with_magic(b"FORM");

    fn args(_: &[u8], _: &Options) -> Result<()> {
        Ok(())
    }
}

impl Generate for Form {}

bindpose::laws!(Form);

const BYTES: &[u8] = b"FORM\0\0\0\x17\x01\0\x16ab\0\0\x01\x3f\x80\0\0\x40\0\0\0\0\x02\xff\xff\x01\0!";

#[test]
fn numbers_are_read_and_written() {
    let mut form: Form = survives(BYTES);
    let map = map(&form);
    for line in
        ["size 4..8 23", "chunks[0].body.points[0][1] 20..24 2.0", "chunks[0].body.weights[1] 28..30 256"]
    {
        assert!(map.iter().any(|own| own == line), "{line}: {map:?}");
    }
    append(&mut form, &"chunks[0].body.weights".parse().expect("a path")).expect("a list");
    let longer = written(&form);
    assert_eq!((&longer[4..8], &longer[9..11]), (&[0, 0, 0, 0x19][..], &[0, 0x18][..]));
}

#[test]
fn json_and_schema_have_numbers() {
    let form = Form::decode(BYTES).expect("a file");
    let mut text = Vec::new();
    form.write_json(&mut text).expect("memory takes all");
    let text = String::from_utf8(text).expect("UTF-8");
    assert!(!text.contains("size") && !text.contains("num_"), "{text}");
    let other = text.replace("256", "257");
    let other = Form::read_json(&mut other.as_bytes()).expect("a file").encode().expect("a file");
    assert_eq!(other[28..30], [1, 1]);
    let meta = ksy::Meta { id: "form", title: "", extensions: &[], note: "" };
    let schema = ksy::write(&meta, &Form::shape());
    for line in ["type: u4be", "size: 'size - 2'", "repeat-expr: num_points", "type: f4be", "terminator: 0"] {
        assert!(schema.contains(line), "{line}: {schema}");
    }
    let pattern = imhex::write(&meta, &Form::shape());
    for line in ["be u32", "region_end = $ + (size - 2);", "[num_points]", "be float", "[];"] {
        assert!(pattern.contains(line), "{line}: {pattern}");
    }
}
