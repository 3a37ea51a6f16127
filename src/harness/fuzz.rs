//! The bodies of the fuzz targets.

use std::borrow::Cow;
use std::collections::BTreeSet;
use std::ops::ControlFlow;

use super::field::each_field;
use super::{Mutator, generate};
use crate::codec::{Generate, Options, first_change_outside, in_place};
use crate::schema::{Role, leaves};
use crate::{File, FileKind};

/// Returns the file for a fuzzer's bytes, with the options to decode it. The file is the bytes themselves, or is
/// generated with the bytes as entropy; none if it cannot be encoded.
///
/// The first byte chooses between both, so that the fuzzer reaches deep code either way.
#[must_use]
pub fn fuzz_input<F: Generate>(bytes: &[u8]) -> Option<(Cow<'_, [u8]>, Options)> {
    match bytes.split_first() {
        Some((0x00..0x20, entropy)) => {
            let file = F::generate(entropy);
            // Lists that share a count but differ in length are rejected, as they must be.
            Some((file.encode().ok()?.into(), file.options()))
        }
        _ => Some((bytes.into(), Options::default())),
    }
}

/// The body of the fuzz target for edits. The input is a path and a value, each on its own line, the number of bytes that are
/// cut off the end, and a [file](fuzz_file). Returns whether the file accepted the edit.
///
/// # Panics
/// As [`edit_is_local`].
pub fn fuzz_edit(bytes: &[u8]) -> bool {
    let mut lines = bytes.splitn(3, |byte| *byte == b'\n');
    let mut line = || lines.next().unwrap_or_default();
    let (path, value, file) = (line(), line(), line());
    let (Ok(path), Ok(value)) = (std::str::from_utf8(path), std::str::from_utf8(value)) else { return false };
    let file = fuzz_prefix(file).and_then(|(kind, bytes, options)| kind.decode(&bytes, &options).ok());
    file.is_some_and(|file| edit_is_local(&file, path, value))
}

/// Returns the beginning of a [file](fuzz_file). The first two bytes are the number of bytes that are cut off its end.
pub(super) fn fuzz_prefix(bytes: &[u8]) -> Option<(FileKind, Vec<u8>, Options)> {
    let (cut, bytes) = bytes.split_first_chunk()?;
    let file = fuzz_file(bytes)?;
    let mut bytes = file.encode().expect("a decoded file can be encoded");
    let cut = usize::from(u16::from_le_bytes(*cut)) % (bytes.len() + 1);
    bytes.truncate(bytes.len() - cut);
    Some((file.kind(), bytes, file.options()))
}

/// Decodes a file; if that fails, generates one with the bytes as entropy, in a format chosen by the first byte.
#[must_use]
pub fn fuzz_file(bytes: &[u8]) -> Option<File> {
    crate::decode(bytes).ok().or_else(|| {
        let (&first, entropy) = bytes.split_first()?;
        let kind = FileKind::ALL[usize::from(first) % FileKind::ALL.len()];
        let file = kind.generate(entropy);
        kind.decode(&file.encode().ok()?, &file.options()).ok()
    })
}

/// Returns a [mutant](Mutator::mutant) of the bytes, if they are a file whose format is detected: what a fuzzer uses beside
/// mutations of bytes.
#[must_use]
pub fn fuzz_mutant(bytes: &[u8], seed: u64) -> Option<Vec<u8>> {
    let file = crate::decode(bytes).ok()?;
    Some(Mutator::new(&file, bytes).mutant(seed).bytes)
}

/// The number of generated files that a dictionary is made of.
const DICTIONARY_FILES: u64 = 32;

/// Sizes of the entries of a dictionary in bytes. Shorter ones are found by chance.
const ENTRY: std::ops::RangeInclusive<usize> = 3..=32;

/// Returns the words that a fuzzer rarely finds on its own: magics, tags and keywords of a format. Those of text formats are few; a
/// fuzzer takes them from samples.
///
/// ```
/// use bindpose::FileKind;
/// use bindpose::harness::dictionary;
/// assert!(dictionary(FileKind::Psk).contains(&b"PNTS0000"[..]));
/// ```
#[must_use]
pub fn dictionary(kind: FileKind) -> BTreeSet<Vec<u8>> {
    let mut entries = BTreeSet::new();
    for seed in 0..DICTIONARY_FILES {
        let Some((file, bytes)) = generate(kind.into(), seed, 2000) else { continue };
        each_field(file.value(), bytes.len(), &mut |field| {
            let own = bytes[field.range.clone()].trim_ascii();
            let own = own.split(|byte| *byte == 0).next().unwrap_or_default();
            let is_word = own.iter().all(u8::is_ascii_graphic) && ENTRY.contains(&own.len());
            if is_word && (field.is_text() || field.role != Role::Free) {
                entries.insert(own.to_vec());
            }
        });
    }
    entries
}

/// Asserts that an edit reads back, and that setting a free leaf to a value of the same size changes no other byte.
/// Returns whether the file accepted the edit.
///
/// # Panics
/// If the assertion fails.
pub fn edit_is_local(file: &File, path: &str, value: &str) -> bool {
    let before = file.encode().expect("a decoded file can be encoded");
    let mut edited = file.clone();
    let Ok(edits) = edited.set_text(path, value) else { return false };
    let Ok(after) = edited.encode() else { return false };
    if let Err(error) = edited.reread() {
        // Where parts are found again after damage depends on all bytes; whoever writes the file must refuse.
        let again = || file.kind().decode(&after, &edited.options());
        let is_found_again =
            file.damage().is_some() && (has_gap(file) || again().is_ok_and(|own| has_gap(&own)));
        assert!(is_found_again, "{path}={value} does not read back: {error}");
        return false;
    }
    if let Some(ranges) = in_place(file.value(), edited.value(), &edits) {
        let first_change_outside = first_change_outside(&before, &after, &ranges);
        assert_eq!(first_change_outside, None, "{path}={value} changes another byte");
    }
    true
}

/// Whether parts of a file were found again after damage.
fn has_gap(file: &File) -> bool {
    let mut found = false;
    let _ = leaves(file.value(), &mut |_, leaf| {
        found |= leaf.type_name() == "gap" && leaf.size() > 0;
        ControlFlow::Continue(())
    });
    found
}

/// The body of the fuzz target for JSON. The input is JSON of a file, or a [file](fuzz_file), which must survive the
/// conversion to JSON and back. Returns whether there was a file.
///
/// # Panics
/// As [`comes_back_through_json`].
pub fn fuzz_json(bytes: &[u8]) -> bool {
    let parsed = std::str::from_utf8(bytes).ok().and_then(|text| File::from_json(text).ok());
    let file = parsed.or_else(|| fuzz_file(bytes));
    file.as_ref().map(comes_back_through_json).is_some()
}

/// Asserts that a file converted to JSON and back has the same bytes.
///
/// # Panics
/// If it has other bytes.
pub fn comes_back_through_json(file: &File) {
    let mut json = Vec::new();
    file.to_json(&mut json).expect("writing to memory does not fail");
    let json = String::from_utf8(json).expect("JSON is UTF-8");
    let again = File::from_json(&json).unwrap_or_else(|error| panic!("{error}\n{json:.4000}"));
    assert!(again.encode() == file.encode(), "the bytes differ after the conversion from JSON\n{json:.4000}");
}
