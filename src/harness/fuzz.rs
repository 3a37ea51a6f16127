//! The bodies of the fuzz targets: what bytes stand for, and what must hold for it.

use std::borrow::Cow;

use crate::codec::{Generate, Options, strayed};
use crate::schema::{Location, Step};
use crate::{File, FileKind};

/// The file that a fuzzer's bytes stand for, and how to decode it: the bytes themselves, or the file that they are entropy
/// for; none where that cannot be written.
///
/// The first byte chooses, so that the fuzzer reaches deep code both ways.
#[must_use]
pub fn fuzz_input<F: Generate>(bytes: &[u8]) -> Option<(Cow<'_, [u8]>, Options)> {
    match bytes.split_first() {
        Some((0x00..0x20, entropy)) => {
            let file = F::generate(entropy);
            // Sister lists of unequal length are refused, and that is as it should be.
            Some((file.encode().ok()?.into(), file.options()))
        }
        _ => Some((bytes.into(), Options::default())),
    }
}

/// The body of the fuzz target for edits: a path and a value, a line each, and behind them a [file](fuzz_file). Says
/// whether the file took the edit.
///
/// # Panics
/// As [`edit_is_local`].
pub fn fuzz_edit(bytes: &[u8]) -> bool {
    let mut lines = bytes.splitn(3, |byte| *byte == b'\n');
    let mut line = || lines.next().unwrap_or_default();
    let (path, value, file) = (line(), line(), line());
    let (Ok(path), Ok(value)) = (std::str::from_utf8(path), std::str::from_utf8(value)) else { return false };
    fuzz_file(file).is_some_and(|file| edit_is_local(&file, path, value))
}

/// The file that some bytes are; where they are none, one that they are entropy for, of a format that the first of them
/// chooses.
#[must_use]
pub fn fuzz_file(bytes: &[u8]) -> Option<File> {
    crate::decode(bytes).ok().or_else(|| {
        let (&first, entropy) = bytes.split_first()?;
        let kind = FileKind::ALL[usize::from(first) % FileKind::ALL.len()];
        let file = kind.generate(entropy);
        kind.decode(&file.encode().ok()?, &file.options()).ok()
    })
}

/// An edit reads back, and a free leaf of its old length is all that changed. Says whether the file took it.
///
/// # Panics
/// When that is not so.
pub fn edit_is_local(file: &File, path: &str, value: &str) -> bool {
    let before = file.encode().expect("a decoded file can be encoded");
    let mut edited = file.clone();
    let Ok(edits) = edited.set(path, value) else { return false };
    let Ok(after) = edited.encode() else { return false };
    assert!(
        file.kind().decode(&after, &file.options()).is_ok_and(|again| again.encode() == Ok(after.clone())),
        "{path}={value} does not read back"
    );
    let is_inside = |edit: &Location| edit.path.steps().contains(&Step::Inside);
    if before.len() == after.len() && !edits.iter().any(is_inside) {
        let ranges: Vec<_> = edits.into_iter().map(|edit| edit.range).collect();
        let strayed = strayed(&before, &after, &ranges);
        assert_eq!(strayed, None, "{path}={value} changes another byte");
    }
    true
}

/// The body of the fuzz target for JSON: a text that is taken for a file, or else a [file](fuzz_file), comes back. Says
/// whether there was one.
///
/// # Panics
/// As [`comes_back_through_json`].
pub fn fuzz_json(bytes: &[u8]) -> bool {
    let told = std::str::from_utf8(bytes).ok().and_then(|text| File::from_json(text).ok());
    let file = told.or_else(|| fuzz_file(bytes));
    file.as_ref().map(comes_back_through_json).is_some()
}

/// A file that is written as JSON and read again is the same, byte for byte.
///
/// # Panics
/// When it is not.
pub fn comes_back_through_json(file: &File) {
    let mut json = Vec::new();
    file.to_json(&mut json).expect("memory takes all");
    let json = String::from_utf8(json).expect("JSON is UTF-8");
    let again = File::from_json(&json).unwrap_or_else(|error| panic!("{error}\n{json:.4000}"));
    assert!(again.encode() == file.encode(), "other bytes come back\n{json:.4000}");
}
