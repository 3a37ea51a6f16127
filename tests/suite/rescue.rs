//! Valid files from damaged ones.

use std::collections::{BTreeMap, BTreeSet};

use bindpose::check::Severity;
use bindpose::{Error, ErrorKind, FileKind, Options};

use crate::folders;

/// The rules of errors that a file violates.
fn errors(kind: FileKind, bytes: &[u8], options: &Options) -> BTreeSet<&'static str> {
    let report = kind.decode(bytes, options).unwrap().check(bytes, 1);
    let errors = report.findings.iter().filter(|finding| finding.rule.severity == Severity::Error);
    errors.map(|finding| finding.rule.code).collect()
}

/// Rescues a file. Returns why the result breaks the law, and why there is none: no valid file can be made of what is left.
fn obeys(
    kind: FileKind,
    options: &Options,
    bytes: &[u8],
    known: &BTreeSet<&'static str>,
) -> Result<Option<Error>, String> {
    let rescued = match kind.rescue(bytes, options) {
        Ok(rescued) => rescued,
        Err(error) if kind.decode(bytes, options).is_err() => return Ok(Some(error)),
        Err(error) if matches!(error.kind(), ErrorKind::Encode(_)) => return Ok(Some(error)),
        Err(error) => return Err(format!("decodes, but is refused: {error}")),
    };
    let file = kind.decode(&rescued.bytes, options).map_err(|error| format!("undecodable: {error}"))?;
    if let Some(damage) = file.damage() {
        return Err(format!("damaged: {damage}"));
    }
    if file.encode().as_ref() != Ok(&rescued.bytes) {
        return Err("not lossless".into());
    }
    if rescued.losses.is_empty() {
        // A prefix can be a valid file.
        return if rescued.bytes == bytes { Ok(None) } else { Err("no loss is listed".into()) };
    }
    let new: Vec<_> = errors(kind, &rescued.bytes, options).difference(known).copied().collect();
    if new.is_empty() { Ok(None) } else { Err(format!("has errors: {new:?}")) }
}

/// The prefixes of a sample that contain its magic: all of a small file, and fewer of a large one.
fn prefixes(sample: &folders::Sample) -> impl Iterator<Item = usize> {
    let first = sample.kind.info().magic.len() + 4;
    let len = sample.bytes.len();
    (first..len).step_by(1 + len / folders::scaled(if len < 100_000 { 120 } else { 20 }))
}

/// Why no valid file can be made of a prefix that decodes.
const REASONS: [&str; 6] = [
    ": no complete element is left",
    ": no complete element is left, or others refer to lost elements",
    "max-animation: the number of bones of a truncated animation is unknown",
    "unigine-mesh: truncated ms15 files cannot be rescued",
    "x: no content can be read",
    "x: the encoding is unknown",
];

#[test]
fn every_truncated_sample_becomes_a_valid_file_or_is_rejected() {
    let mut failures = Vec::new();
    let (mut all, mut rejected) = (0, BTreeMap::new());
    for sample in folders::samples("corpus") {
        let options = sample.file.options();
        let known = errors(sample.kind, &sample.bytes, &options);
        for len in prefixes(&sample) {
            all += 1;
            match obeys(sample.kind, &options, &sample.bytes[..len], &known) {
                Ok(None) => {}
                Ok(Some(why)) => {
                    *rejected.entry(format!("{}: {why}", sample.kind.name())).or_insert(0) += 1;
                }
                Err(why) => failures.push(format!("{} cut to {len}: {why}", sample.name)),
            }
        }
    }
    assert!(failures.is_empty(), "{} files:\n{}", failures.len(), failures.join("\n"));
    let count: usize = rejected.values().sum();
    assert!(count * 7 < all, "{count} of {all} files are rejected: {rejected:#?}");
    let unknown: Vec<_> =
        rejected.keys().filter(|why| !REASONS.iter().any(|known| why.ends_with(known))).collect();
    assert!(unknown.is_empty(), "{unknown:#?}");
}

#[test]
fn every_damaged_file_becomes_a_valid_file_or_is_rejected() {
    let mut failures = Vec::new();
    for sample in folders::samples("damaged") {
        let known = match &*sample.name {
            // Its other surface violates them.
            "bytes_after_content.mesh" => {
                BTreeSet::from(["unigine/count-disagrees", "unigine/many-influences"])
            }
            _ => BTreeSet::new(),
        };
        if let Err(why) = obeys(sample.kind, &sample.options, &sample.bytes, &known) {
            failures.push(format!("{}: {why}", sample.name));
        }
    }
    assert!(failures.is_empty(), "{} files:\n{}", failures.len(), failures.join("\n"));
}

#[test]
fn a_valid_file_is_returned_unchanged() {
    for sample in folders::samples("corpus") {
        if sample.file.damage().is_none() {
            let rescued = sample.kind.rescue(&sample.bytes, &sample.options).unwrap();
            assert_eq!((rescued.bytes, rescued.losses), (sample.bytes, Vec::new()), "{}", sample.name);
        }
    }
}
