//! What a format gets from its definition.

use std::ops::ControlFlow::Continue;

use bindpose::codec::{Format, Info, Verdict, damage, law, reread, roundtrip};
use bindpose::schema::{Schema, append, get_text, leaves, set_text};
use bindpose::wire::FixedStr;
use bindpose::{Options, imhex, ksy};

use super::{Frame, Md3, Shader, Surface, Tag, Vertex};

// One number counts the elements of several lists, so none of them changes alone. The end has no bytes.
bindpose::laws!(
    Md3,
    refused: &[
        "append sections.tags",
        "delete sections.tags",
        "append sections.surfaces.parts.vertices",
        "delete sections.surfaces.parts.vertices"
    ],
    absent: &["Sections.end"]
);

fn name<const N: usize>(text: &str) -> FixedStr<N> {
    FixedStr::new(text.as_bytes()).expect("a short name")
}

fn surface(own: &str) -> Surface {
    let mut surface = Surface { name: name(own), num_frames: 2, ..Surface::default() };
    surface.parts.shaders.push(Shader { name: name("models/hat.tga"), index: 0 });
    surface.parts.triangles.push([0, 1, 2]);
    surface.parts.tex_coords.extend([[0.0, 0.0], [1.0, 0.0], [0.0, 1.0]]);
    let positions = [[0, 0, 0], [64, 0, 0], [0, 64, 0], [0, 0, 32], [64, 0, 32], [0, 64, 32]];
    surface.parts.vertices.extend(positions.map(|position| Vertex { position, normal: [0, 0] }));
    surface
}

/// Two triangles in two frames, with a tag.
fn model() -> Md3 {
    let mut file = Md3 { num_tags: 1, ..Md3::blank_file() };
    for own in ["up", "down"] {
        file.sections.frames.push(Frame { radius: 1.5, name: name(own), ..Frame::default() });
        file.sections.tags.push(Tag { name: name("tag_head"), ..Tag::default() });
        file.sections.surfaces.push(surface(own));
    }
    file
}

fn bytes() -> Vec<u8> {
    model().encode().expect("a file")
}

fn number(bytes: &[u8], at: usize) -> usize {
    let number = i32::from_le_bytes(bytes[at..][..4].try_into().expect("four bytes"));
    usize::try_from(number).expect("a positive number")
}

fn with_number(mut bytes: Vec<u8>, at: usize, number: i32) -> Vec<u8> {
    bytes[at..][..4].copy_from_slice(&number.to_le_bytes());
    bytes
}

fn value(file: &Md3, path: &str) -> String {
    get_text(file, &path.parse().expect("a path")).expect("a value").remove(0).1
}

/// The size of a header, of the model and of a surface.
const HEAD: usize = 108;
/// Where the surfaces start.
const SURFACES: usize = HEAD + 2 * 56 + 2 * 112;
/// The size of a surface.
const SURFACE: usize = HEAD + 12 + 68 + 3 * 8 + 6 * 8;

#[test]
fn a_model_is_read_and_written() {
    let bytes = bytes();
    law::<Md3>(&bytes);
    assert_eq!(roundtrip::<Md3>(&bytes, &Options::default()).verdict, Verdict::Lossless);
    assert_eq!(Md3::decode(&bytes).expect("a model"), model());
    assert_eq!(bytes.len(), SURFACES + 2 * SURFACE);
    assert_eq!(number(&bytes, 104), bytes.len(), "ofs_end");
}

#[test]
fn offsets_of_a_surface_count_from_it() {
    let bytes = bytes();
    for start in [SURFACES, SURFACES + SURFACE] {
        let own = |at: usize| number(&bytes, start + 72 + 4 * at);
        assert_eq!(
            [own(4), own(5), own(6), own(7), own(8)],
            [HEAD, HEAD + 12, HEAD + 80, HEAD + 104, SURFACE]
        );
    }
}

#[test]
fn a_longer_list_moves_what_follows_it() {
    let mut file = model();
    append(&mut file, &"sections.surfaces[0].parts.shaders".parse().expect("a path")).expect("a list");
    let longer = reread(&file).expect("the same model").encode().expect("a model");
    assert_eq!(longer.len(), bytes().len() + 68);
    assert_eq!(number(&longer, SURFACES + 72 + 4 * 8), SURFACE + 68, "the size of the first");
    assert_eq!(number(&longer, SURFACES + SURFACE + 68 + 72 + 4 * 8), SURFACE, "that of the second");
    assert_eq!(number(&longer, SURFACES + 72 + 4 * 6), HEAD + 80 + 68, "ofs_tex_coords");
}

#[test]
fn an_edit_that_would_be_read_back_differently_is_refused() {
    let mut file = model();
    append(&mut file, &"sections.surfaces[0].parts.tex_coords".parse().expect("a path")).expect("a list");
    let why = reread(&file).expect_err("each frame lacks a vertex").to_string();
    assert!(why.contains("vertices"), "{why}");
    let why = set_text(&mut file, &"sections.surfaces[0].size".parse().expect("a path"), "7").unwrap_err();
    assert!(why.message().contains("parts"), "{why}");
}

#[test]
fn damage_is_contained_in_a_surface() {
    let place = SURFACES + 72 + 4 * 4;
    let damaged = with_number(bytes(), place, 1 << 20);
    law::<Md3>(&damaged);
    let file = Md3::decode(&damaged).expect("a model");
    let why = damage(&file).expect("damage");
    assert_eq!(why.path().to_string(), "sections.surfaces[0].parts.triangles");
    assert_eq!(file.sections.surfaces[1], surface("down"));
    assert_eq!(value(&file, "sections.surfaces[0].ofs_triangles"), (1 << 20).to_string());
}

#[test]
fn bytes_after_the_last_part_are_its_tail() {
    let mut file = model();
    file.sections.surfaces[0].tail = vec![7; 3].into();
    let bytes = file.encode().expect("a model");
    assert_eq!(number(&bytes, SURFACES + 72 + 4 * 8), SURFACE + 3);
    let again = Md3::decode(&bytes).expect("a model");
    assert_eq!(again, file);
    assert_eq!(value(&again, "sections.surfaces[0].tail"), "hex:070707");
    let text = json(&file);
    assert!(text.contains("\"tail\": \"hex:070707\"") && !text.contains("\"size\""), "{text}");
    assert_eq!(from_json(&text).encode(), Ok(bytes));
}

#[test]
fn every_byte_has_a_name() {
    let mut map = Vec::new();
    let end = leaves(&model(), &mut |place, leaf| {
        map.push(format!("{:#x} {} {}", place.offset, place.path, leaf.type_name()));
        Continue(())
    });
    assert_eq!(end, Continue(bytes().len() as u64));
    for line in ["0x0 ident text", "0x58 num_skins i32", "0x6c sections.frames[0].min[0] f32"] {
        assert!(map.iter().any(|leaf| leaf == line), "{line}: {map:#?}");
    }
}

#[test]
fn json_has_what_does_not_follow_and_makes_the_same_bytes() {
    let text = json(&model());
    for derived in ["num_shaders", "num_vertices", "ofs_", "size"] {
        assert!(!text.contains(derived), "{derived}: {text}");
    }
    assert_eq!(from_json(&text).encode().expect("a model"), bytes());
    let longer = text.replacen("\"triangles\": [[", "\"triangles\": [[2, 1, 0], [", 1);
    assert_ne!(longer, text);
    let longer = from_json(&longer).encode().expect("a model");
    assert_eq!(number(&longer, SURFACES + 72 + 4 * 8), SURFACE + 12, "size");
}

#[test]
fn the_published_schemas_are_fresh() {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/");
    let folder = if folder.contains("examples") { folder } else { "examples/md3/" };
    let Info { name: id, title, extensions, schema_note: note, .. } = Md3::INFO;
    let meta = ksy::Meta { id, title, extensions, note };
    for (extension, write) in [("ksy", ksy::write as fn(&_, &_) -> _), ("hexpat", imhex::write)] {
        let (path, text) = (format!("{folder}md3.{extension}"), write(&meta, &Md3::shape()));
        if std::env::var_os("BLESS").is_some() {
            std::fs::write(&path, &text).expect("the schema");
        }
        let is_fresh = std::fs::read_to_string(&path).is_ok_and(|published| published == text);
        assert!(is_fresh, "BLESS=1 rewrites {path}");
    }
}

fn json(file: &Md3) -> String {
    let mut text = Vec::new();
    file.write_json(&mut text).expect("memory takes all");
    String::from_utf8(text).expect("UTF-8")
}

fn from_json(text: &str) -> Md3 {
    Md3::read_json(&mut text.as_bytes()).expect("a model")
}
