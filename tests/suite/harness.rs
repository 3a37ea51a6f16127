//! Generated files, mutants and shrunk files.

use std::collections::BTreeSet;

use bindpose::codec::Verdict;
use bindpose::harness::{Mutant, Mutation, Mutator, generate, shrink};
use bindpose::{FileKind, FormatSpec, Limits, Options};

use crate::folders::{self, Sample, each_format_in_parallel};

#[test]
fn the_same_seed_gives_the_same_file() {
    for &kind in FileKind::ALL {
        let make = |seed| generate(kind.into(), seed, 500).expect("a file").1;
        assert_eq!(make(5), make(5), "{}", kind.name());
        assert!((0..20).any(|seed| make(seed) != make(5)), "{}", kind.name());
    }
}

#[test]
fn every_dialect_can_be_generated() {
    for &kind in FileKind::ALL {
        for &dialect in kind.info().dialects {
            let (file, bytes) = generate(FormatSpec { kind, dialect: Some(dialect) }, 1, 500).expect(dialect);
            assert_eq!(file.dialect(), Some(dialect));
            kind.law(&bytes, &file.options());
        }
    }
}

#[test]
fn generated_files_are_valid_and_have_the_requested_format() {
    for &kind in FileKind::ALL {
        let dialects = kind.info().dialects.iter().map(|dialect| Some(*dialect));
        for spec in dialects.chain([None]).map(|dialect| FormatSpec { kind, dialect }) {
            for seed in 0..12 {
                let (file, bytes) = generate(spec, seed, 300).expect("a file");
                let outcome = kind.roundtrip(&bytes, &spec.options(Limits::default()));
                assert_eq!(outcome.verdict, Verdict::Lossless, "{spec} {seed}");
                assert_eq!(outcome.dialect, spec.dialect.or(kind.info().dialects.first().copied()));
                assert_eq!(outcome.dialect, file.dialect());
                assert!(kind.recognizes(&bytes) || kind.info().magic.is_empty(), "{spec} {seed}");
            }
        }
    }
}

#[test]
fn mutants_obey_the_laws() {
    let seen = each_format_in_parallel(|kind| {
        let mut seen = BTreeSet::new();
        let mut seeds = 0_u64..;
        for Sample { options, file, bytes, .. } in folders::samples_of(kind) {
            let mutator = Mutator::new(&file, &bytes);
            for seed in seeds.by_ref().take(folders::scaled(150)) {
                let Mutant { bytes, mutation, .. } = mutator.mutant(seed);
                kind.law(&bytes, &options);
                seen.insert(mutation);
            }
        }
        seen
    });
    assert_eq!(seen.into_iter().flatten().collect::<BTreeSet<_>>().len(), Mutation::ALL.len());
}

#[test]
fn a_shrunk_file_remains_valid_if_required() {
    let bytes = folders::read("corpus/ms3d/full.ms3d");
    let spec = FormatSpec::from(FileKind::Ms3d);
    let second_joint = |bytes: &[u8]| {
        let file = FileKind::Ms3d.decode(bytes, &Options::default()).ok();
        file.is_some_and(|file| file.damage().is_none() && file.get_text("joints[1].name").is_ok())
    };
    let small = shrink(Some(spec), bytes, 5000, &mut |bytes| second_joint(bytes));
    assert!(second_joint(&small));
    // An empty file, and two joints without keys.
    let blank = FileKind::Ms3d.blank().encode().expect("the smallest file").len();
    assert_eq!(small.len(), blank + 2 * 93);
}

#[test]
fn an_undecodable_file_can_be_shrunk() {
    let bytes: Vec<u8> = (0..=255).collect();
    let small = shrink(None, bytes.clone(), 2000, &mut |bytes| bytes.contains(&7) && bytes.contains(&200));
    assert_eq!(small, [7, 200]);
    let spec = FormatSpec::from(FileKind::Ms3d);
    assert!(spec.kind.decode(&bytes, &spec.options(Limits::default())).is_err());
    assert_eq!(shrink(Some(spec), bytes, 2000, &mut |bytes| bytes.contains(&7)), [7]);
}

#[test]
fn shrinking_stops_after_the_maximum_number_of_tries() {
    let mut asked = 0;
    shrink(None, vec![1; 1000], 100, &mut |_| {
        asked += 1;
        false
    });
    assert_eq!(asked, 100);
}
