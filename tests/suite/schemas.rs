//! The published schemas match the structs. `tests/kaitai` tests that Kaitai agrees with them.

use std::fs;
use std::path::Path;

use bindpose::FileKind;
use bindpose::formats::unigine::CInt;
use bindpose::ksy::{Meta, write};
use bindpose::schema::Schema;

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
        let path = folder.join(format!("{}.ksy", kind.name().replace('-', "_")));
        let ksy = kind.ksy();
        if std::env::var_os("BLESS").is_some() {
            fs::write(&path, &ksy).expect("the schema");
        }
        let there = fs::read_to_string(&path).unwrap_or_default().replace('\r', "");
        assert!(there == ksy, "{} is stale: run BLESS=1 cargo test schemas", path.display());
    }
}
