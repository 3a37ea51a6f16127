//! `tests/conformance`: what any reader of the formats must find in some of the samples. `BLESS=1` rewrites it.

use std::fmt::Write as _;
use std::ops::ControlFlow::Continue;
use std::path::Path;

use bindpose::File;
use bindpose::codec::damage;
use bindpose::schema::{Class, leaves, show_hex};

use crate::folders::{kind, own};

/// Samples of each format: small ones with many fields, and damaged ones.
const SAMPLES: &[&str] = &[
    "corpus/cal3d/rules.cpf",
    "corpus/cal3d/set.cpf",
    "corpus/cal3d/skin.crf",
    "corpus/cal3d/typed919.crf",
    "corpus/cal3d/walk.caf",
    "corpus/directx/odd_numbers.x",
    "corpus/directx/progressive.x",
    "corpus/directx/set.x",
    "corpus/max/quad.max-mesh.mesh",
    "corpus/max/two.max-skeleton.skel",
    "corpus/max/walk.max-animation.anim",
    "corpus/ms3d/full.ms3d",
    "corpus/ms3d/tent.ms3d",
    "corpus/psk/set.config",
    "corpus/psk/skeleton.psk",
    "corpus/psk/sparse.psa",
    "corpus/psk/static.pskx",
    "corpus/unigine/an10.anim",
    "corpus/unigine/an11.anim",
    "corpus/unigine/ms15.mesh",
    "corpus/unigine/set.mesh",
    "damaged/cal3d/cut_in_key.caf",
    "damaged/directx/unknown_token.x",
    "damaged/max/half_a_matrix.max-animation.anim",
    "damaged/ms3d/after_the_end.ms3d",
    "damaged/ms3d/cut_in_comment.ms3d",
    "damaged/psk/payload_cut.psk",
    "damaged/unigine/cut.anim",
];

#[test]
fn what_readers_must_find_is_fresh() {
    let folder = own("conformance");
    let is_blessed = std::env::var_os("BLESS").is_some();
    for sample in SAMPLES {
        let path = own(sample);
        let bytes = std::fs::read(&path).unwrap_or_else(|error| panic!("{sample}: {error}"));
        let (kind, options) = kind(&path, &bytes).expect("a known format");
        let file = kind.decode(&bytes, &options).unwrap_or_else(|error| panic!("{sample}: {error}"));
        let mut json = Vec::new();
        file.to_json(&mut json).expect("memory takes all");
        let name = path.file_name().expect("a name").to_string_lossy().into_owned();
        let expected =
            [(name.clone(), bytes), (format!("{name}.json"), json), (format!("{name}.map"), map(&file))];
        for (name, expected) in expected {
            compare(&folder.join(kind.name()).join(name), &expected, is_blessed);
        }
    }
}

fn compare(path: &Path, expected: &[u8], is_blessed: bool) {
    if is_blessed {
        std::fs::create_dir_all(path.parent().expect("a folder")).expect("a folder");
        std::fs::write(path, expected).expect("a file");
    }
    let found = std::fs::read(path).unwrap_or_default();
    assert!(found == expected, "{} differs; BLESS=1 rewrites it", path.display());
}

/// Returns a line for each field, and one for the damage.
fn map(file: &File) -> Vec<u8> {
    let mut lines = String::new();
    let _ = leaves(file.value(), &mut |place, leaf| {
        let mut value = String::new();
        let bytes = || {
            let mut bytes = Vec::new();
            leaf.bytes(&mut bytes);
            bytes
        };
        let _ = match leaf.class() {
            Class::Text => {
                value.push('"');
                let shown = leaf.show(&mut value);
                value.push('"');
                shown
            }
            Class::Opaque | Class::Bytes | Class::Rest => show_hex(&bytes(), &mut value),
            _ => leaf.show(&mut value),
        };
        let end = place.offset + leaf.size();
        _ = writeln!(lines, "{:08x} {end:08x} {} {} {value}", place.offset, place.path, leaf.type_name());
        Continue(())
    });
    if let Some(damage) = damage(file.value()) {
        _ = writeln!(lines, "damaged {:08x} {}", damage.offset(), damage.path());
    }
    lines.into_bytes()
}
