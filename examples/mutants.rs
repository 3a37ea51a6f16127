//! Mutates the files of a directory and round-trips each mutant: `cargo run --release --example mutants -- FOLDER 1000`.
//!
//! Stops at the first mutant that is not lossless or causes a panic, and prints its seed.

use std::collections::BTreeMap;
use std::fs;
use std::path::PathBuf;

use bindpose::codec::Verdict;
use bindpose::harness::Mutator;
use bindpose::{FormatSpec, Limits};

fn main() {
    let mut args = std::env::args().skip(1);
    let folder = args.next().unwrap_or_else(|| "tests/corpus".into());
    let number: u64 = args.next().and_then(|number| number.parse().ok()).unwrap_or(1000);
    let mut verdicts = BTreeMap::new();
    for path in files(folder.into()) {
        let Ok(bytes) = fs::read(&path) else { continue };
        let Some(spec) = FormatSpec::detect(&path, &bytes) else { continue };
        let options = spec.options(Limits::default());
        let Ok(file) = spec.kind.decode(&bytes, &options) else { continue };
        let mutator = Mutator::new(&file, &bytes);
        for seed in 0..number {
            let verdict = match spec.kind.roundtrip(&mutator.mutant(seed).bytes, &options).verdict {
                Verdict::Lossless => "lossless",
                Verdict::Damaged(_) => "damaged",
                Verdict::Undecodable(_) => "undecodable",
                Verdict::Limit(_) => "limit",
                verdict => panic!("{}, seed {seed}: {verdict:?}", path.display()),
            };
            *verdicts.entry(verdict).or_insert(0_u64) += 1;
        }
    }
    println!("{verdicts:?}");
}

fn files(folder: PathBuf) -> Vec<PathBuf> {
    let (mut folders, mut files) = (vec![folder], Vec::new());
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
            let path = entry.path();
            if path.is_dir() { folders.push(path) } else { files.push(path) }
        }
    }
    files.sort();
    files
}
