//! What a format gets from its definition.

use std::ops::ControlFlow::Continue;

use bindpose::codec::{Format, Verdict, edit_law, law, roundtrip};
use bindpose::diff::diff;
use bindpose::schema::{Schema, append, get_text, leaves, set_text};
use bindpose::wire::{FixedStr, List};
use bindpose::{Options, ksy};
use own_format::{Frame, Md2, Skin, TexCoord, Triangle, Vertex};

// The end has no bytes.
bindpose::laws!(Md2, absent: &["Sections.end"]);

/// A triangle in two poses.
fn triangle() -> Md2 {
    let mut file = Md2::blank_file();
    file.num_vertices = 3;
    file.frame_size = 52;
    let mut path = [0; 64];
    path[..15].copy_from_slice(b"players/hat.pcx");
    file.sections.skins.push(Skin { path: FixedStr(path) });
    *file.sections.tex_coords = vec![TexCoord { s: 0, t: 0 }, TexCoord { s: 255, t: 0 }].into();
    file.sections.triangles.push(Triangle { vertices: [0, 1, 2], tex_coords: [0, 1, 1] });
    for name in [b"stand1\0\0\0\0\0\0\0\0\0\0", b"stand2\0\0\0\0\0\0\0\0\0\0"] {
        let vertices = (0..3).map(|x| Vertex { position: [x, 0, 1], normal: 5 }).collect::<Vec<_>>();
        let frame =
            Frame { scale: [0.5; 3], name: FixedStr(*name), vertices: vertices.into(), ..Frame::default() };
        file.sections.frames.push(frame);
    }
    *file.sections.gl_commands = List::from(vec![3, 0, 0, 0, 0, 0, 1, 0, 0, 2, 0]);
    file
}

fn bytes() -> Vec<u8> {
    triangle().encode().expect("a file")
}

fn verdict(bytes: &[u8]) -> Verdict {
    law::<Md2>(bytes);
    roundtrip::<Md2>(bytes, &Options::default()).verdict
}

/// Replaces a number of the header.
fn with_number(mut bytes: Vec<u8>, index: usize, number: i32) -> Vec<u8> {
    bytes[4 * index..][..4].copy_from_slice(&number.to_le_bytes());
    bytes
}

fn number(bytes: &[u8], index: usize) -> i32 {
    i32::from_le_bytes(bytes[4 * index..][..4].try_into().expect("four bytes"))
}

fn value(file: &Md2, path: &str) -> String {
    get_text(file, &path.parse().expect("a path")).expect("a value").remove(0).1
}

#[test]
fn a_model_is_read_and_written() {
    let bytes = bytes();
    assert_eq!(verdict(&bytes), Verdict::Lossless);
    let file = Md2::decode(&bytes).expect("a model");
    assert_eq!(file, triangle());
    assert_eq!(number(&bytes, 16), i32::try_from(bytes.len()).expect("short"), "ofs_end");
}

#[test]
fn every_byte_has_a_name() {
    let mut map = Vec::new();
    let end = leaves(&triangle(), &mut |place, leaf| {
        map.push(format!("{:#x} {} {}", place.offset, place.path, leaf.type_name()));
        Continue(())
    });
    assert_eq!(end, Continue(bytes().len() as u64));
    for line in ["0x0 ident text", "0x2c ofs_skins i32", "0x44 sections.skins[0].path text"] {
        assert!(map.iter().any(|leaf| leaf == line), "{line}: {map:#?}");
    }
}

#[test]
fn values_are_read_and_set_by_path() {
    let mut file = triangle();
    assert_eq!(value(&file, "sections.frames[1].vertices[2].position[0]"), "2");
    set_text(&mut file, &"sections.frames[\"stand2\"].name".parse().unwrap(), "run1").unwrap();
    assert_eq!(value(&file, "sections.frames[1].name"), "run1");
    assert!(edit_law::<Md2>(&bytes(), &Options::default(), "sections.skins[0].path", "hat.pcx"));
}

#[test]
fn a_derived_number_cannot_be_set() {
    let refused = |path: &str| set_text(&mut triangle(), &path.parse().unwrap(), "7").unwrap_err().message();
    assert_eq!(refused("num_frames"), "is the number of elements of `sections.frames`");
    assert!(refused("ofs_frames").contains("derived from `sections.frames`"), "{}", refused("ofs_frames"));
    assert!(refused("num_vertices").contains("both must change together"), "{}", refused("num_vertices"));
}

#[test]
fn a_longer_section_moves_those_after_it() {
    let mut file = triangle();
    append(&mut file, &"sections.skins".parse().unwrap()).expect("room");
    let longer = file.encode().expect("a model");
    assert_eq!(longer.len(), bytes().len() + 64);
    assert_eq!(number(&longer, 5), 2, "num_skins");
    assert_eq!(number(&longer, 12), number(&bytes(), 12) + 64, "ofs_tex_coords");
    assert_eq!(Md2::decode(&longer).expect("a model"), file);
}

#[test]
fn sections_in_another_order_keep_it() {
    let mut file = triangle();
    file.sections.swap(0, 3);
    let bytes = file.encode().expect("a model");
    assert!(number(&bytes, 14) < number(&bytes, 11), "frames before skins");
    assert_eq!(verdict(&bytes), Verdict::Lossless);
    let again = Md2::decode(&bytes).expect("a model");
    assert_eq!(again.sections.order()[0], "frames");
    assert_eq!(again, file);
}

#[test]
fn bytes_between_sections_are_kept() {
    let mut file = triangle();
    file.sections.set_gap(2, b"left over".to_vec());
    let bytes = file.encode().expect("a model");
    let outcome = roundtrip::<Md2>(&bytes, &Options::default());
    assert_eq!((outcome.verdict, outcome.opaque), (Verdict::Lossless, 9));
    let again = Md2::decode(&bytes).expect("a model");
    assert_eq!(value(&again, "sections.gap_2"), format!("hex:{}", "6c656674206f766572"));
}

#[test]
fn a_section_over_another_is_reported_and_kept() {
    let bytes = with_number(bytes(), 13, 70);
    let Verdict::Damaged(error) = verdict(&bytes) else { panic!("overlap is damage") };
    assert_eq!(error.path().to_string(), "sections.triangles");
    assert_eq!(error.offset(), 70);
    let file = Md2::decode(&bytes).expect("a model");
    assert_eq!(value(&file, "ofs_triangles"), "70");
    assert_eq!(value(&file, "num_triangles"), "1");
    assert_eq!(file.sections.frames.len(), 2);
}

#[test]
fn a_section_outside_of_the_file_is_reported_and_kept() {
    for offset in [-1, 0, 67, 1 << 30, i32::MAX, i32::MIN] {
        let bytes = with_number(bytes(), 14, offset);
        assert!(matches!(verdict(&bytes), Verdict::Damaged(_)), "{offset}");
    }
}

#[test]
fn a_count_that_the_file_cannot_hold_is_reported_and_kept() {
    for index in 5..11 {
        for count in [-1, 1 << 20, i32::MAX] {
            verdict(&with_number(bytes(), index, count));
        }
    }
    let bytes = with_number(bytes(), 8, 1 << 20);
    assert!(matches!(verdict(&bytes), Verdict::Damaged(_)));
}

#[test]
fn frames_may_be_longer_than_their_vertices() {
    let mut file = triangle();
    file.frame_size += 4;
    for frame in file.sections.frames.iter_mut() {
        frame.padding.0 = vec![1, 2, 3, 4];
    }
    let bytes = file.encode().expect("a model");
    assert_eq!(Md2::decode(&bytes).expect("a model"), file);
    assert_eq!(verdict(&bytes), Verdict::Lossless);
}

#[test]
fn json_has_what_does_not_follow_and_makes_the_same_bytes() {
    let text = json(&triangle());
    assert!(!text.contains("num_skins") && !text.contains("ofs_skins"), "{text}");
    assert_eq!(from_json(&text).encode().expect("a model"), bytes());
    let longer = text.replace("\"gl_commands\": [3,", "\"gl_commands\": [0, 3,");
    assert_ne!(longer, text);
    let longer = from_json(&longer).encode().expect("a model");
    assert_eq!(number(&longer, 9), number(&bytes(), 9) + 1, "num_gl_commands");
    assert_eq!(number(&longer, 16), number(&bytes(), 16) + 4, "ofs_end");
}

#[test]
fn the_difference_of_two_models_is_named() {
    let mut other = triangle();
    other.sections.skins[0].path.0[0] = b'P';
    let mut paths = Vec::new();
    let (a, b) = (bytes(), other.encode().expect("a model"));
    let _ = diff((&triangle(), &a), (&other, &b), &mut |difference| {
        paths.push(difference.path.to_string());
        Continue(())
    });
    assert_eq!(paths, ["sections.skins[0].path"]);
}

#[test]
fn the_published_schema_is_fresh() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/md2.ksy");
    let meta = ksy::Meta {
        id: Md2::INFO.name,
        title: Md2::INFO.title,
        extensions: Md2::INFO.extensions,
        note: Md2::INFO.schema_note,
    };
    let text = ksy::write(&meta, &Md2::shape());
    if std::env::var_os("BLESS").is_some() {
        std::fs::write(path, &text).expect("the schema");
    }
    assert!(std::fs::read_to_string(path).is_ok_and(|there| there == text), "run BLESS=1 cargo test");
}

fn json(file: &Md2) -> String {
    let mut text = Vec::new();
    file.write_json(&mut text).expect("memory takes all");
    String::from_utf8(text).expect("UTF-8")
}

fn from_json(text: &str) -> Md2 {
    Md2::read_json(&mut text.as_bytes()).unwrap_or_else(|error| panic!("{error}\n{text}"))
}
