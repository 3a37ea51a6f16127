//! The published schemas and patterns match the structs. `tests/kaitai` tests that Kaitai agrees with them.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use bindpose::FileKind;
use bindpose::formats::unigine::CInt;
use bindpose::ksy::{Meta, write};
use bindpose::schema::{FieldShape, Length, RecordShape, Schema, Shape};

/// A record whose first field is a number of fixed size, and whose second one is not.
#[derive(Schema)]
#[binrw::binrw]
#[derive(Clone, Debug, Default, PartialEq)]
struct Modes {
    #[schema(one_of = Self::NAMES)]
    fixed: i32,
    #[schema(one_of = Self::NAMES)]
    compact: CInt,
}

impl Modes {
    const NAMES: &[(&str, i64)] = &[("still", 0), ("moving", 1)];
}

#[test]
fn only_numbers_of_fixed_size_are_enumerations() {
    let meta = Meta { id: "modes", title: "Modes", extensions: &[], note: "" };
    let ksy = write(&meta, &Modes::shape());
    assert!(ksy.contains("type: s4\n    enum: modes_fixed"), "{ksy}");
    assert!(ksy.contains("type: cint\n") && !ksy.contains("modes_compact"), "{ksy}");
}

#[test]
fn the_published_schemas_are_fresh() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("schemas");
    for kind in FileKind::ALL {
        for (extension, text) in [("ksy", kind.ksy()), ("hexpat", kind.imhex())] {
            let path = folder.join(format!("{}.{extension}", kind.name().replace('-', "_")));
            if std::env::var_os("BLESS").is_some() {
                fs::write(&path, &text).expect("the schema");
            }
            let there = fs::read_to_string(&path).unwrap_or_default().replace('\r', "");
            assert!(there == text, "{} is stale: run BLESS=1 cargo test schemas", path.display());
        }
    }
}

/// Collects the records of a shape that are published.
fn collect(shape: &Shape, records: &mut Vec<RecordShape>) {
    match shape {
        Shape::Record(record) | Shape::Choice(record)
            if !records.iter().any(|known| known.name == record.name) =>
        {
            records.push(record.clone());
            record.fields.iter().for_each(|field| collect(&field.shape, records));
        }
        Shape::List(inner, _)
        | Shape::Optional(inner)
        | Shape::Part(inner)
        | Shape::Placed(inner)
        | Shape::Region(inner)
        | Shape::Written { of: inner, .. }
        | Shape::Packed { stored: inner, .. } => collect(inner, records),
        _ => {}
    }
}

#[test]
fn every_field_is_in_the_pattern() {
    for kind in FileKind::ALL {
        let (pattern, mut records) = (kind.imhex(), Vec::new());
        collect(&kind.shape(), &mut records);
        for record in records {
            let head = [" {", "<"].map(|end| format!("\nstruct {}{end}", record.name));
            let start = head.iter().find_map(|head| pattern.find(head));
            let start = start.unwrap_or_else(|| panic!("{kind:?}: {} is missing", record.name));
            let body = &pattern[start..start + pattern[start..].find("\n}").expect("its end")];
            let names: BTreeSet<&str> = body.split(|c: char| !c.is_alphanumeric() && c != '_').collect();
            let is_published =
                |shape: &Shape| !matches!(shape, Shape::Nothing | Shape::Bytes(Length::Damage));
            // The bytes between parts at offsets, and those after a layout, are not published.
            let is_placed = |own: &FieldShape| matches!(own.shape, Shape::Placed(_));
            let is_layout = |own: &FieldShape| match &own.shape {
                Shape::Record(record) => record.fields.iter().any(is_placed),
                _ => false,
            };
            let has_offsets = record.fields.iter().any(is_placed);
            let end = record.fields.iter().position(is_layout).map_or(record.fields.len(), |last| last + 1);
            for field in record.fields[..end].iter().filter(|field| is_published(&field.shape)) {
                if has_offsets && !is_placed(field) {
                    continue;
                }
                assert!(names.contains(field.name), "{kind:?}: {}.{} is missing", record.name, field.name);
            }
        }
    }
}

#[test]
fn the_braces_of_patterns_are_balanced() {
    for kind in FileKind::ALL {
        let pattern = kind.imhex();
        let (mut open, mut is_text) = (Vec::new(), false);
        let code = pattern.lines().filter(|line| !line.starts_with("//"));
        for c in code.flat_map(|line| line.replace("\\\"", "").chars().collect::<Vec<_>>()) {
            is_text ^= c == '"';
            match c {
                '{' | '(' | '[' if !is_text => open.push(c),
                '}' => assert!(is_text || open.pop() == Some('{'), "{kind:?}"),
                ')' => assert!(is_text || open.pop() == Some('('), "{kind:?}"),
                ']' => assert!(is_text || open.pop() == Some('['), "{kind:?}"),
                _ => {}
            }
        }
        assert!(open.is_empty() && !is_text, "{kind:?}: {open:?}");
    }
}
