//! Truncated files: the fields before the end are decoded, and the files re-encode identically.

use bindpose::FileKind;
use bindpose::codec::{Options, Verdict};
use bindpose::harness::{Mutation, Mutator};
use bindpose::scene::{Part, Scene, Settings};

use crate::folders;

/// Lengths to cut a file to: every one of a short file, some of a long one.
fn cuts(first: usize, len: usize) -> impl Iterator<Item = usize> {
    (first..len).step_by(1 + (len - first) / folders::scaled(80))
}

fn obeys(name: &str, kind: FileKind, options: &Options, bytes: &[u8]) -> Result<(), String> {
    let outcome = kind.roundtrip(bytes, options);
    match outcome.verdict {
        Verdict::Damaged(_) | Verdict::Lossless => {
            kind.law(bytes, options);
            Ok(())
        }
        other => Err(format!("{name} cut to {}: {other:?}", bytes.len())),
    }
}

#[test]
fn every_prefix_of_a_sample_is_damaged_and_lossless() {
    let mut failures = Vec::new();
    for sample in folders::samples("corpus") {
        let first = sample.kind.info().magic.len() + 4;
        for len in cuts(first, sample.bytes.len()) {
            let file_options = sample.file.options();
            if let Err(why) = obeys(&sample.name, sample.kind, &file_options, &sample.bytes[..len]) {
                failures.push(why);
            }
        }
    }
    let count = failures.len();
    failures.dedup_by_key(|why| why.split(' ').next().unwrap_or_default().to_owned());
    assert!(failures.is_empty(), "{count} prefixes:\n{}", failures.join("\n"));
}

/// A list may announce more elements than there is memory for; what is sized by it must not believe that.
#[test]
fn a_count_beyond_the_end_of_the_file_still_gives_a_scene() {
    for sample in folders::samples("corpus").filter(|sample| sample.bytes.len() < 50_000) {
        let mutator = Mutator::new(&sample.file, &sample.bytes);
        for seed in 0..12 {
            let Some(mutant) = mutator.mutant_by(Mutation::CountMost, seed) else { continue };
            let Ok(file) = sample.kind.decode(&mutant.bytes, &sample.options) else { continue };
            let part = Part { name: "file", file: file.meaning() };
            let scene = Scene::of(&[part], &Settings::default());
            assert!(scene.clips.len() <= mutant.bytes.len(), "more clips than bytes");
        }
    }
}
