//! Lost and inserted bytes: the next chunk or object is found again, and what follows it is decoded.

use bindpose::codec::Verdict;
use bindpose::formats::psk::Chunk;
use bindpose::schema::Value;
use bindpose::{File, FileKind, Options};

use crate::folders::{self, Sample};

/// Larger samples take long and contain nothing new.
const LARGEST: usize = 1 << 14;

/// The samples of a format without damage.
fn samples(kind: FileKind) -> impl Iterator<Item = Sample> {
    let is_small = |sample: &Sample| sample.bytes.len() <= LARGEST;
    folders::samples_of(kind).filter(move |sample| sample.file.damage().is_none() && is_small(sample))
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
            let found = objects_after(&is_lossless(&sample, at, &bytes), 0);
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
