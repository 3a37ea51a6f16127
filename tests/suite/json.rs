//! Through JSON and back: the same bytes, for every format.

use bindpose::{File, FileKind, Options};
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::test_runner::{Config, TestRunner};

use crate::folders;

/// Asserts that the bytes come back, where they can be decoded at all.
fn comes_back(kind: FileKind, bytes: &[u8], options: &Options, what: &dyn std::fmt::Display) {
    let Ok(file) = kind.decode(bytes, options) else { return };
    let json = json(&file);
    let again = File::from_json(&json).unwrap_or_else(|error| panic!("{what}: {error}\n{json:.4000}"));
    assert!(again.encode().expect("encodes") == bytes, "{what}: other bytes\n{json:.4000}");
}

fn json(file: &File) -> String {
    let mut json = Vec::new();
    file.to_json(&mut json).expect("memory takes all");
    String::from_utf8(json).expect("JSON is UTF-8")
}

fn for_every_format(cases: u32, property: impl Fn(FileKind, Vec<u8>) -> Result<(), TestCaseError>) {
    for &kind in FileKind::ALL {
        let mut runner = TestRunner::new(Config { cases, ..Config::with_source_file(file!()) });
        let result = runner.run(&vec(any::<u8>(), 0..3000), |bytes| property(kind, bytes));
        result.unwrap_or_else(|error| panic!("{}: {error}", kind.name()));
    }
}

#[test]
fn any_file_comes_back_through_json() {
    for_every_format(256, |kind, entropy| {
        let file = kind.generate(&entropy);
        let Ok(bytes) = file.encode() else { return Ok(()) };
        comes_back(kind, &bytes, &file.options(), &kind.name());
        serde_json::from_str::<serde_json::Value>(&json(&file))?;
        Ok(())
    });
}

#[test]
fn any_bytes_come_back_through_json() {
    for_every_format(256, |kind, bytes| {
        let magic = kind.info().magic;
        comes_back(kind, &[magic, &bytes].concat(), &Options::default(), &kind.name());
        Ok(())
    });
}

#[test]
fn a_damaged_file_comes_back_through_json() {
    for_every_format(128, |kind, entropy| {
        let file = kind.generate(&entropy);
        let mut bytes = file.encode().unwrap_or_default();
        let at = entropy.len() * 7 % bytes.len().max(1);
        if let Some(byte) = bytes.get_mut(at) {
            *byte ^= 0x41;
        }
        bytes.truncate(bytes.len() - at / 3);
        comes_back(kind, &bytes, &file.options(), &kind.name());
        Ok(())
    });
}

#[test]
fn the_samples_come_back_through_json() {
    let mut seen = 0;
    for folder in ["corpus", "damaged", "crashes"] {
        for (path, bytes) in folders::files(&folders::own(folder)) {
            let Some((kind, options)) = folders::kind(&path, &bytes) else { continue };
            comes_back(kind, &bytes, &options, &path.display());
            seen += 1;
        }
    }
    assert!(seen > 0, "no samples");
}

#[test]
fn every_corpus_file_comes_back_through_json() {
    for variable in ["BINDPOSE_CORPUS", "BINDPOSE_MALFORMED"] {
        let Some(folder) = folders::named(variable) else { continue };
        for (path, bytes) in folders::files(&folder) {
            let Some((kind, options)) = folders::kind(&path, &bytes) else { continue };
            comes_back(kind, &bytes, &options, &path.display());
        }
    }
}
