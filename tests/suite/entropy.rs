//! The values that are generated from entropy, byte by byte.

use std::ops::ControlFlow;

use bindpose::codec::{Format, Generate, Info, generate_as, generate_part};
use bindpose::formats::max::Skeleton;
use bindpose::formats::unigine::UnigineMesh;
use bindpose::harness::{dictionary, fuzz_edit, fuzz_file, fuzz_input, fuzz_json, fuzz_mutant};
use bindpose::schema::{Leaf, Place, Plain, Schema, Visitor, walk};
use bindpose::wire::{Counted, FixedStr, Rest, SmallList};
use bindpose::{FileKind, Options};
use proptest::strategy::{Strategy, ValueTree};
use proptest::test_runner::TestRunner;

use crate::folders;

#[test]
fn a_number_is_small_or_all_ones_or_random() {
    let number = |entropy: &[u8]| generate_part::<u32>(entropy, ()).expect("a number");
    assert_eq!((number(&[0, 6]), number(&[0xfb, 255]), number(&[])), (2, 3, 0));
    assert_eq!(number(&[0xfc, 1, 2, 3, 4]), u32::MAX);
    assert_eq!(number(&[0xfd, 1, 2, 3, 4]), 0x0403_0201);
}

#[test]
fn most_files_end_after_their_last_part() {
    let rest = |entropy: &[u8]| generate_part::<Rest>(entropy, ()).expect("a rest").0;
    assert_eq!(rest(&[0xf1, 3, 7, 8, 9, 10]), [7, 8, 9]);
    assert!(rest(&[0xf0, 3, 7, 8, 9, 10]).is_empty());
}

#[test]
fn some_lists_have_no_stored_count() {
    let generated = |byte| generate_part::<Counted<u8, u8>>(&[0, 2, byte, byte, byte, byte], ());
    let lists: Vec<_> = (0..=255).map(|byte| format!("{:?}", generated(byte).expect("a list"))).collect();
    let constructed = lists.iter().filter(|list| list.contains("stored: 0")).count();
    assert!(constructed > 50 && constructed < 200, "{constructed} of {}", lists.len());
}

/// The number of packed contents, and of compact integers that are longer than necessary.
#[derive(Default)]
struct Unusual {
    packed: usize,
    padded: usize,
}

impl Visitor for Unusual {
    fn leaf(&mut self, _: &Place, leaf: &dyn Leaf) -> ControlFlow<()> {
        self.packed += usize::from(leaf.type_name() == "packed" && leaf.inside().is_some());
        self.padded += usize::from(leaf.type_name() == "cint" && leaf.plain() == Plain::Bytes);
        leaf.inside().map_or(ControlFlow::Continue(()), |content| walk(content, self).map_continue(drop))
    }
}

#[test]
fn generated_meshes_have_packed_content_and_padded_integers() {
    let mut unusual = Unusual::default();
    let mut runner = TestRunner::deterministic();
    for _ in 0..1000 {
        let entropy = folders::entropy().new_tree(&mut runner).expect("entropy").current();
        let _ = walk(&UnigineMesh::generate(&entropy), &mut unusual);
    }
    assert!(unusual.packed > 5 && unusual.padded > 50, "{} and {}", unusual.packed, unusual.padded);
}

/// A record that begins with its own count.
#[derive(Schema)]
#[binrw::binrw]
#[derive(Clone, Debug, PartialEq)]
struct Numbers {
    numbers: SmallList<u8, u8, 4>,
}

#[test]
fn a_count_of_all_ones_is_ignored_without_entropy() {
    assert_eq!(generate_part::<Counted<u32, Numbers>>(&[0xfc], ()), None);
    assert_eq!(generate_part::<Counted<u32, u8>>(&[0xfc], ()), None);
}

/// A file that begins with a tag and has two more.
#[derive(Schema)]
#[binrw::binrw]
#[derive(Clone, Debug, Default, PartialEq)]
struct Tags {
    magic: FixedStr<4>,
    first: FixedStr<4>,
    second: FixedStr<4>,
    short: FixedStr<3>,
    long: FixedStr<5>,
}

impl Format for Tags {
    const INFO: Info = Info::new("tags", "Tags").with_magic(b"HEAD");

    fn args(_: &[u8], _: &Options) -> bindpose::Result<()> {
        Ok(())
    }

    fn blank_file() -> Self {
        Self::default()
    }
}

impl Generate for Tags {
    const WORDS: &'static [&'static [u8]] = &[b"BONE", b"JOINT", b"HEAD", b"SKIN"];
}

#[test]
fn a_tag_is_usually_a_word_of_the_format_most_often_the_first_of_the_file() {
    let tags = |entropy: &[u8]| {
        let entropy = [&[0], entropy].concat();
        let Tags { magic, first, second, short, long } = generate_as(b"HEAD", &entropy);
        assert_eq!(&magic.0, b"HEAD");
        ((first.0, second.0), (short.0, long.0))
    };
    let ((first, second), _) = tags(&[0x00, 0xef, 0x7f, 0xf0]);
    assert_eq!((&first, &second), (b"HEAD", b"BONE"));
    let ((first, second), (short, long)) = tags(&[0x00, 0xf1, 0x00, 0xf2, 0x00, 7, 8, 9, 0xef, 0]);
    assert_eq!((&first, &second, &long), (b"HEAD", b"SKIN", b"JOINT"));
    assert_eq!(short, [7, 8, 9], "no word has three letters");
    // Otherwise it is a count or random.
    let ((first, second), _) = tags(&[0x80, 5, 0xfe, 1, 2, 3, 4]);
    assert_eq!((&first, &second), (&[1, 0, 0, 0], &[1, 2, 3, 4]));
}

#[test]
fn the_first_byte_selects_between_a_file_and_entropy() {
    let bytes = [0x20, 1, 2, 3];
    assert_eq!(fuzz_input::<Skeleton>(&bytes), Some((bytes[..].into(), Options::default())));
    assert_eq!(fuzz_input::<Skeleton>(&[]), Some(([][..].into(), Options::default())));
    for dialect in 0..3 {
        let file = Skeleton::generate(&[dialect, 0, 1]);
        let entropy = [0x1f, dialect, 0, 1];
        let (bytes, options) = fuzz_input::<Skeleton>(&entropy).expect("a file");
        assert_eq!(options.dialect.as_deref(), file.dialect());
        assert_eq!(Skeleton::decode_with(&bytes, &options), Ok(file));
    }
}

#[test]
fn the_fuzz_targets_for_edits_and_json_reach_every_format() {
    for (first, &kind) in (0..).zip(FileKind::ALL) {
        // Generated lists that share a count can differ in length; then there is no file.
        let mut candidates = (0..=255).map(|second| [&[first, second][..], &[1; 50]].concat());
        let (entropy, file) = candidates
            .find_map(|entropy| Some((entropy.clone(), fuzz_file(&entropy)?)))
            .unwrap_or_else(|| panic!("{}", kind.name()));
        assert_eq!(file.kind(), kind);
        let mut free = None;
        let _ = file.walk(&mut |place, leaf| {
            let number =
                place.role == bindpose::schema::Role::Free && leaf.type_name().starts_with(['u', 'i']);
            if number {
                free.get_or_insert(place.path.to_string());
            }
            std::ops::ControlFlow::Continue(())
        });
        if let Some(path) = free {
            let edit = |path: &str| fuzz_edit(&[path.as_bytes(), b"\n1\n\0\0", &entropy].concat());
            assert!(edit(&path) && !edit("nowhere"), "{path}");
        }
        assert!(fuzz_json(&entropy), "{}", kind.name());
    }
    assert!(!fuzz_edit(b"") && !fuzz_json(b""));
}

#[test]
fn dictionaries_have_the_words_of_the_formats() {
    for (kind, word) in [
        (FileKind::Psk, "PNTS0000"),
        (FileKind::Psa, "ANIMINFO"),
        (FileKind::Ms3d, "MS3D000000"),
        (FileKind::UnigineMesh, "ms14"),
        (FileKind::Cal3dMesh, "CMF"),
    ] {
        assert!(dictionary(kind).contains(word.as_bytes()), "{word}");
    }
}

#[test]
fn mutants_of_files_differ_from_them_and_other_bytes_have_none() {
    let bytes = FileKind::Ms3d.blank().encode().expect("a file");
    let mutants: Vec<_> = (0..32).filter_map(|seed| fuzz_mutant(&bytes, seed)).collect();
    assert_eq!(mutants.len(), 32);
    assert!(mutants.iter().filter(|mutant| **mutant != bytes).count() > 24);
    assert_eq!(fuzz_mutant(b"other", 1), None);
}
