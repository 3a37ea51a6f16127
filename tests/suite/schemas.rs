//! The published schemas match the structs. `tests/kaitai` tests that Kaitai agrees with them.

use std::fs;
use std::path::Path;

use bindpose::FileKind;

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
