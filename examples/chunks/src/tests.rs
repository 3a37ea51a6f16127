//! What a format gets from its definition.

use bindpose::codec::{Format, Info, Verdict, damage, law, reread, roundtrip};
use bindpose::schema::{Schema, append, delete, get_text, set_text};
use bindpose::wire::{Stream, ZStr};
use bindpose::{Options, imhex, ksy};

use super::{Body, Chunk, Chunks, Face, FaceMaterial, Faces, Named, Tds};

// An unknown chunk has no contents but a tail.
bindpose::laws!(Tds, absent: &["Chunk.body.other"]);

fn chunk(id: u16, body: Body) -> Chunk {
    Chunk { id, body: body.into(), ..Chunk::default() }
}

fn chunks(chunks: Vec<Chunk>) -> Chunks {
    Chunks { chunks: chunks.into() }
}

fn text(text: &str) -> ZStr {
    ZStr::new(text.as_bytes()).expect("a text without NUL")
}

/// A triangle with a material, and a chunk that nobody knows.
fn scene() -> Tds {
    let faces = Faces {
        faces: vec![Face { vertices: [0, 1, 2], flags: 7 }].into(),
        chunks: vec![chunk(
            0x4130,
            Body::FaceMaterial(FaceMaterial { name: text("red"), faces: vec![0].into() }),
        )]
        .into(),
    };
    let mesh = chunks(vec![
        chunk(0x4110, Body::Vertices(vec![[0.0; 3], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]].into())),
        chunk(0x4120, Body::Faces(faces)),
    ]);
    let object = Named { name: text("Box01"), chunks: vec![chunk(0x4100, Body::Mesh(mesh))].into() };
    let material = chunks(vec![
        chunk(0xa000, Body::MaterialName(text("red"))),
        chunk(0xa020, Body::Color(chunks(vec![chunk(0x0011, Body::ColorBytes([255, 0, 0]))]))),
    ]);
    let unknown = Chunk { tail: vec![1, 2, 3].into(), ..chunk(0x1234, Body::Other) };
    let editor =
        chunks(vec![chunk(0xafff, Body::Material(material)), chunk(0x4000, Body::Object(object)), unknown]);
    let all = vec![chunk(0x0002, Body::Version(3)), chunk(0x3d3d, Body::Editor(editor))];
    Tds { chunks: Stream::from(all).into(), ..Tds::blank_file() }
}

fn bytes() -> Vec<u8> {
    scene().encode().expect("a file")
}

const OBJECT: &str = "chunks[1].body.chunks[1].body";

fn value(file: &Tds, path: &str) -> String {
    get_text(file, &path.parse().expect("a path")).expect("a value").remove(0).1
}

fn size(bytes: &[u8], at: usize) -> u32 {
    u32::from_le_bytes(bytes[at + 2..][..4].try_into().expect("four bytes"))
}

#[test]
fn chunks_are_read_and_written() {
    let bytes = bytes();
    law::<Tds>(&bytes);
    let outcome = roundtrip::<Tds>(&bytes, &Options::default());
    assert_eq!((outcome.verdict, outcome.opaque), (Verdict::Lossless, 3));
    let file = Tds::decode(&bytes).expect("a file");
    assert_eq!(file, scene());
    assert_eq!(size(&bytes, 0) as usize, bytes.len());
    assert_eq!(value(&file, &format!("{OBJECT}.name")), "Box01");
    assert_eq!(value(&file, &format!("{OBJECT}.chunks[0].body.chunks[1].body.faces[0].flags")), "7");
}

#[test]
fn sizes_follow_the_contents() {
    let mut file = scene();
    set_text(&mut file, &format!("{OBJECT}.name").parse().expect("a path"), "Box000001").expect("a text");
    let longer = reread(&file).expect("the same file").encode().expect("a file");
    assert_eq!(longer.len(), bytes().len() + 4);
    assert_eq!((size(&longer, 0), size(&longer, 16)), (size(&bytes(), 0) + 4, size(&bytes(), 16) + 4));
    let why = set_text(&mut file, &"chunks[1].size".parse().expect("a path"), "9").expect_err("derived");
    assert!(why.to_string().contains("body"), "{why}");
}

#[test]
fn chunks_are_appended_and_deleted_at_any_depth() {
    let mut file = scene();
    let list = format!("{OBJECT}.chunks[0].body.chunks");
    append(&mut file, &list.parse().expect("a path")).expect("a list");
    assert_eq!(reread(&file).expect("the same file"), file);
    delete(&mut file, &format!("{list}[0]").parse().expect("a path")).expect("an element");
    assert_eq!(reread(&file).expect("the same file"), file);
}

#[test]
fn damage_is_contained_in_its_chunk() {
    let mut bytes = bytes();
    let at = bytes.windows(4).position(|bytes| bytes == b"Box0").expect("the name") + 6;
    assert_eq!(bytes[at..][..2], [0x00, 0x41], "the mesh");
    let vertices = at + 6;
    bytes[vertices + 6..][..2].copy_from_slice(&[0xff, 0xff]);
    law::<Tds>(&bytes);
    let file = Tds::decode(&bytes).expect("a file");
    let why = damage(&file).expect("damage");
    assert_eq!(why.path().to_string(), format!("{OBJECT}.chunks[0].body.chunks[0].body"));
    assert_eq!(value(&file, &format!("{OBJECT}.chunks[0].body.chunks[1].body.faces[0].flags")), "7");
    let again = from_json(&json(&file)).encode();
    assert_eq!(again.as_deref(), Ok(&bytes[..]));
}

#[test]
fn a_chunk_that_exceeds_the_one_around_it_ends_its_list() {
    let mut bytes = bytes();
    bytes[18..22].copy_from_slice(&0x7fff_ffff_u32.to_le_bytes());
    law::<Tds>(&bytes);
    bytes[18..22].copy_from_slice(&3_u32.to_le_bytes());
    law::<Tds>(&bytes);
    assert!(damage(&Tds::decode(&bytes).expect("a file")).is_some());
}

#[test]
fn deep_chunks_are_damage() {
    let mut bytes = Vec::new();
    for _ in 0..3000 {
        let size = u32::try_from(bytes.len() + 6).expect("short");
        let mut outer = vec![0x00, 0x41];
        outer.extend(size.to_le_bytes());
        outer.extend(bytes);
        bytes = outer;
    }
    bytes[..2].copy_from_slice(b"MM");
    law::<Tds>(&bytes);
    let why = damage(&Tds::decode(&bytes).expect("a file")).expect("damage").to_string();
    assert!(why.contains("128 levels"), "{why}");
}

#[test]
fn json_omits_sizes_and_makes_the_same_bytes() {
    let text = json(&scene());
    assert!(!text.contains("\"size\""), "{text}");
    assert_eq!(from_json(&text).encode().expect("a file"), bytes());
    let longer = text.replace("Box01", "Box000001");
    assert_eq!(from_json(&longer).encode().expect("a file").len(), bytes().len() + 4);
    let other = text.replace("\"id\": 16656", "\"id\": 16657");
    assert_ne!(other, text);
    let why = Tds::read_json(&mut other.as_bytes()).expect_err("another form").to_string();
    assert!(why.contains("chunks[0].body"), "{why}");
}

#[test]
fn the_published_schemas_are_fresh() {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/");
    let folder = if folder.contains("examples") { folder } else { "examples/chunks/" };
    let Info { name, title, extensions, schema_note: note, .. } = Tds::INFO;
    // An id of Kaitai begins with a letter.
    let meta = ksy::Meta { id: "autodesk_3ds", title, extensions, note };
    assert_eq!(name, "3ds");
    for (extension, write) in [("ksy", ksy::write as fn(&_, &_) -> _), ("hexpat", imhex::write)] {
        let (path, text) = (format!("{folder}3ds.{extension}"), write(&meta, &Tds::shape()));
        if std::env::var_os("BLESS").is_some() {
            std::fs::write(&path, &text).expect("the schema");
        }
        let is_fresh = std::fs::read_to_string(&path).is_ok_and(|published| published == text);
        assert!(is_fresh, "BLESS=1 rewrites {path}");
    }
}

fn json(file: &Tds) -> String {
    let mut text = Vec::new();
    file.write_json(&mut text).expect("memory takes all");
    String::from_utf8(text).expect("UTF-8")
}

fn from_json(text: &str) -> Tds {
    Tds::read_json(&mut text.as_bytes()).expect("a file")
}
