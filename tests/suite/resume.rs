//! Lost and inserted bytes: the next chunk or object is found again, and what follows it is decoded.

use std::collections::BTreeSet;

use bindpose::codec::Verdict;
use bindpose::formats::psk::Chunk;
use bindpose::schema::Value;
use bindpose::{File, FileKind, Options};

use crate::folders::{self, Sample};

/// The samples of a format without damage.
fn samples(kind: FileKind) -> impl Iterator<Item = Sample> {
    folders::samples_of(kind).filter(|sample| sample.is_small() && sample.file.damage().is_none())
}

/// Places in a sample.
const PLACES: usize = 60;

/// A sample without a byte, and with a byte twice or with a zero, at places all over it.
fn edits(bytes: &[u8], first: usize) -> impl Iterator<Item = (usize, Vec<u8>)> {
    let step = 1 + bytes.len() / folders::scaled(PLACES);
    (first..bytes.len()).step_by(step).flat_map(move |at| {
        let (before, after) = bytes.split_at(at);
        let with = |middle: &[u8]| (at, [before, middle, after].concat());
        [(at, [before, &after[1..]].concat()), with(&after[..1]), with(&[0])]
    })
}

fn is_lossless(sample: &Sample, at: usize, bytes: &[u8]) -> File {
    let options = sample.file.options();
    sample.kind.law(bytes, &options);
    sample.kind.decode(bytes, &options).unwrap_or_else(|error| panic!("{}: {at}: {error}", sample.name))
}

fn chunks(file: &File) -> &[Chunk] {
    match file {
        File::Psk(file) => &file.chunks,
        File::Psa(file) => &file.chunks,
        _ => panic!("not a file of chunks"),
    }
}

#[test]
fn the_chunks_after_a_lost_or_inserted_byte_are_decoded() {
    let mut tried = 0;
    for kind in [FileKind::Psk, FileKind::Psa] {
        for sample in samples(kind) {
            let own = chunks(&sample.file);
            let first = usize::try_from(own[0].size()).unwrap();
            for (at, bytes) in edits(&sample.bytes, first) {
                let file = is_lossless(&sample, at, &bytes);
                let outcome = sample.kind.roundtrip(&bytes, &Options::default());
                assert!(matches!(outcome.verdict, Verdict::Damaged(_)), "{}: {at}: {outcome:?}", sample.name);
                let mut end = 0;
                let after = own.iter().position(|chunk| {
                    let start = end;
                    end += usize::try_from(chunk.size()).unwrap();
                    start > at && chunk.kind().is_some()
                });
                // A chunk with an unknown id can be damage.
                let is_known = |after: &usize| own[*after..].iter().all(|chunk| chunk.kind().is_some());
                let Some(after) = after.filter(is_known) else { continue };
                let found = chunks(&file);
                assert!(
                    found.len() >= own.len() - after && found.ends_with(&own[after..]),
                    "{}: {at}: the chunks from {after} on are not found again",
                    sample.name
                );
                tried += 1;
            }
        }
    }
    assert!(tried > 100, "{tried}");
}

/// The templates and names of the objects that follow the next object after a place.
fn objects_after(file: &File, at: u64) -> Vec<(Vec<u8>, Vec<u8>)> {
    let File::X(file) = file else { panic!("not a .x file") };
    let Ok(objects) = file.objects() else { return Vec::new() };
    let after = objects.all().filter(|object| object.offset() > at).skip(1);
    after.map(|object| (object.template_name().to_vec(), object.name().to_vec())).collect()
}

#[test]
fn the_objects_after_a_lost_or_inserted_byte_are_decoded() {
    let mut tried = 0;
    for sample in samples(FileKind::X) {
        let File::X(file) = &sample.file else { continue };
        if file.packed.is_present() {
            continue;
        }
        for (at, bytes) in edits(&sample.bytes, 64) {
            let expected = objects_after(&sample.file, at as u64);
            let file = is_lossless(&sample, at, &bytes);
            if file.damage().is_none() {
                // Without its line break, for example, a comment goes on in the next line.
                continue;
            }
            let found = objects_after(&file, 0);
            let lost = expected.iter().find(|object| {
                found.iter().filter(|own| own == object).count()
                    < expected.iter().filter(|own| own == object).count()
            });
            assert_eq!(lost, None, "{}: {at}: is not found again", sample.name);
            tried += expected.len();
        }
    }
    assert!(tried > 100, "{tried}");
}

#[test]
fn a_length_that_grew_hides_no_object() {
    let sample = folders::sample("corpus/directx/skinned_bin.x");
    // The lengths of a name, of a list of integers, and of a name before the end of an object.
    for at in [91, 187, 1081] {
        let mut bytes = sample.bytes.clone();
        bytes.insert(at, bytes[at]);
        let file = is_lossless(&sample, at, &bytes);
        let (expected, found) = (objects_after(&sample.file, at as u64), objects_after(&file, 0));
        assert!(!expected.is_empty() && found.ends_with(&expected), "{at}: {} objects", found.len());
    }
}

#[test]
fn a_file_without_a_byte_becomes_a_valid_file() {
    let mut failures = Vec::new();
    for kind in [FileKind::Psk, FileKind::Psa] {
        for sample in samples(kind) {
            let known = crate::rescue::errors(sample.kind, &sample.bytes, &sample.options);
            for (at, bytes) in edits(&sample.bytes, 32).step_by(7) {
                if let Err(why) = crate::rescue::obeys(kind, &sample.options, &bytes, &known) {
                    failures.push(format!("{}: {at}: {why}", sample.name));
                }
            }
        }
    }
    assert!(failures.is_empty(), "{} files:\n{}", failures.len(), failures.join("\n"));
}

/// Frames in a text, each of this many bytes.
const FRAME: usize = 16;

/// The unpacked size of a chunk of compressed `.x`.
const CHUNK: usize = 1 << 15;

/// A byte that begins no block of compressed data.
const NO_BLOCK: u8 = 7;

/// A compressed text of frames after some blanks, whose chunks do not depend on each other, with one damaged chunk.
fn damaged_in_a_chunk(blanks: usize, num_chunks: usize, damaged: usize) -> Vec<u8> {
    let frames = (0..CHUNK / FRAME * num_chunks).map(|number| format!("Frame A{number:07}{{}}"));
    let text = " ".repeat(blanks) + &frames.collect::<String>();
    let plain = &text.as_bytes()[..CHUNK * num_chunks];
    let size = u32::try_from(plain.len() + 16).unwrap();
    let mut bytes = [b"xof 0303tzip0032", &size.to_le_bytes()[..]].concat();
    for (number, part) in plain.chunks(CHUNK).enumerate() {
        let mut data = miniz_oxide::deflate::compress_to_vec(part, 6);
        if number == damaged {
            data[0] = NO_BLOCK;
        }
        let sizes = [part.len(), data.len() + 2].map(|size| u16::try_from(size).unwrap().to_le_bytes());
        bytes.extend([&sizes.concat()[..], b"CK", &data].concat());
    }
    bytes
}

fn num_frames(bytes: &[u8]) -> usize {
    objects_after(&FileKind::X.decode(bytes, &Options::default()).expect("a file"), 0).len() + 1
}

#[test]
fn the_chunks_after_a_damaged_one_are_unpacked() {
    let in_a_chunk = CHUNK / FRAME;
    for damaged in 0..3 {
        let bytes = damaged_in_a_chunk(0, 4, damaged);
        let outcome = FileKind::X.roundtrip(&bytes, &Options::default());
        let Verdict::Damaged(error) = &outcome.verdict else { panic!("{outcome:?}") };
        assert_eq!((error.path().to_string(), outcome.rest), (format!("packed.chunks[{damaged}]"), 0));
        assert_eq!(num_frames(&bytes), 3 * in_a_chunk);
        FileKind::X.law(&bytes, &Options::default());
        crate::rescue::obeys(FileKind::X, &Options::default(), &bytes, &BTreeSet::new()).unwrap();
    }
    let last = FileKind::X.roundtrip(&damaged_in_a_chunk(0, 4, 3), &Options::default());
    assert!(last.rest > 0, "no chunk follows");
}

#[test]
fn objects_that_a_damaged_chunk_contains_in_part_are_removed_by_a_rescue() {
    let bytes = damaged_in_a_chunk(9, 4, 1);
    let rescued = FileKind::X.rescue(&bytes, &Options::default()).expect("a file");
    let expected = 3 * (CHUNK / FRAME) - 2;
    assert!((expected..expected + 2).contains(&num_frames(&rescued.bytes)), "{}", num_frames(&rescued.bytes));
    crate::rescue::obeys(FileKind::X, &Options::default(), &bytes, &BTreeSet::new()).unwrap();
}

#[test]
fn an_edit_before_a_damaged_chunk_leaves_the_following_ones() {
    let bytes = damaged_in_a_chunk(0, 4, 1);
    let mut file = FileKind::X.decode(&bytes, &Options::default()).expect("a file");
    file.set_text("packed!tokens[0]", "frame").expect("a name of the same length");
    let edited = file.encode().expect("a file");
    assert_ne!(edited, bytes);
    let first = damaged_in_a_chunk(0, 1, 9).len();
    assert!(edited.ends_with(&bytes[first..]), "the damaged chunk and those after it");
}
