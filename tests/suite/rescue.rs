//! Valid files from damaged ones.

use std::collections::BTreeSet;

use bindpose::check::Severity;
use bindpose::{FileKind, Options};

use crate::folders;

/// The rules of errors that a file violates.
fn errors(kind: FileKind, bytes: &[u8], options: &Options) -> BTreeSet<&'static str> {
    let report = kind.decode(bytes, options).unwrap().check(bytes, 1);
    let errors = report.findings.iter().filter(|finding| finding.rule.severity == Severity::Error);
    errors.map(|finding| finding.rule.code).collect()
}

/// Rescues a file; returns why the result breaks the law, and whether there is a result.
fn obeys(
    kind: FileKind,
    options: &Options,
    bytes: &[u8],
    known: &BTreeSet<&'static str>,
) -> Result<bool, String> {
    let rescued = match kind.rescue(bytes, options) {
        Ok(rescued) => rescued,
        Err(error) => return if error.to_string().is_empty() { Err("no reason".into()) } else { Ok(false) },
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
        return if rescued.bytes == bytes { Ok(true) } else { Err("no loss is listed".into()) };
    }
    let new: Vec<_> = errors(kind, &rescued.bytes, options).difference(known).copied().collect();
    if new.is_empty() { Ok(true) } else { Err(format!("has errors: {new:?}")) }
}

#[test]
fn every_truncated_sample_becomes_a_valid_file_or_is_rejected() {
    let mut failures = Vec::new();
    let mut count = (0, 0);
    for sample in folders::samples("corpus") {
        let options = sample.file.options();
        let known = errors(sample.kind, &sample.bytes, &options);
        let first = sample.kind.info().magic.len() + 4;
        for len in (first..sample.bytes.len()).step_by(1 + sample.bytes.len() / 20) {
            count.0 += 1;
            match obeys(sample.kind, &options, &sample.bytes[..len], &known) {
                Ok(is_rescued) => count.1 += usize::from(is_rescued),
                Err(why) => failures.push(format!("{} cut to {len}: {why}", sample.name)),
            }
        }
    }
    assert!(failures.is_empty(), "{} files:\n{}", failures.len(), failures.join("\n"));
    let (all, rescued) = count;
    assert!(rescued * 4 > all * 3, "only {rescued} of {all} files are rescued");
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
