//! Records that end at a multiple of a size.

use bindpose::codec::{Format, Generate, Info};
use bindpose::schema::{append, on_disk};
use bindpose::wire::{Padding, Region, Stream, Tail, ZStr};
use bindpose::{Options, Result, imhex, ksy};

use super::*;

/// Chunks of an even size.
#[on_disk]
struct Riff {
    #[schema(magic = b"RIFF")]
    id: FixedStr<4>,
    #[size_of(chunks)]
    size: u32,
    chunks: Region<Stream<Chunk>>,
    tail: Tail,
    rest: Rest,
}

#[on_disk]
struct Chunk {
    id: FixedStr<4>,
    #[size_of(body)]
    size: u32,
    body: Region<Names>,
    tail: Tail,
    /// Zeros.
    #[pad_to(2)]
    padding: Padding,
}

#[on_disk]
struct Names {
    text: ZStr,
    #[pad_to(4)]
    padding: Padding,
    ids: Stream<u8>,
}

impl Format for Riff {
    const INFO: Info = Info::new("riff", "Chunks").with_extensions(&["riff"]).with_magic(b"RIFF");

    fn args(_: &[u8], _: &Options) -> Result<()> {
        Ok(())
    }
}

impl Generate for Riff {}

bindpose::laws!(Riff);

const BYTES: &[u8] = b"RIFF\x1c\0\0\0name\x05\0\0\0ab\0\0\x07\0last\x05\0\0\0\0\0\x09\0!\x08";

#[test]
fn its_length_follows_from_the_fields_before_it() {
    let mut riff: Riff = survives(BYTES);
    let before = map(&riff);
    for line in [
        "chunks[0].body.padding 19..20 hex:00",
        "chunks[0].padding 21..22 hex:00",
        "chunks[1].padding 35..36 hex:08",
    ] {
        assert!(before.contains(&line.to_owned()), "{line}: {before:?}");
    }
    append(&mut riff, &"chunks[0].body.ids".parse().expect("a path")).expect("a list");
    set(&mut riff, "chunks[1].body.text", "four").expect("a text");
    let bytes = riff.encode().expect("a file");
    assert_eq!(
        bytes,
        b"RIFF\x20\0\0\0name\x06\0\0\0ab\0\0\x07\0last\x09\0\0\0four\0\0\x09\0!\x08".as_slice()
    );
}

#[test]
fn json_omits_zeros_and_refuses_another_length() {
    let riff = Riff::decode(BYTES).expect("a file");
    let mut text = Vec::new();
    riff.write_json(&mut text).expect("memory takes all");
    let text = String::from_utf8(text).expect("text");
    assert_eq!(text.matches("padding").count(), 2, "{text}");
    assert_eq!(Riff::read_json(&mut text.as_bytes()).expect("the file"), riff);
    let longer = text.replace("\"hex:08\"", "\"hex:0800\"");
    let why = Riff::read_json(&mut longer.as_bytes()).expect_err("two bytes").to_string();
    assert!(why.contains("`padding` has 2 bytes, but 1 fill the record up to a multiple of 2"), "{why}");
}

#[test]
fn its_size_is_published() {
    let meta = ksy::Meta { id: "riff", title: "", extensions: &[], note: "" };
    let schema = ksy::write(&meta, &Riff::shape());
    assert!(schema.contains("size: '(2 - (_io.pos - start_of_record) % 2) % 2'"), "{schema}");
    let pattern = imhex::write(&meta, &Riff::shape());
    assert!(pattern.contains("[(2 - ($ - addressof(this)) % 2) % 2]"), "{pattern}");
}
