//! Mutates inputs as files: values at critical places, and words of the formats.

use std::sync::LazyLock;

use bindpose::{FileKind, harness};
use libfuzzer_sys::fuzzer_mutate;

static WORDS: LazyLock<Vec<Vec<u8>>> =
    LazyLock::new(|| FileKind::ALL.iter().flat_map(|kind| harness::dictionary(*kind)).collect());

/// Changes an input in place, and returns its size: a quarter of the inputs as the mutator of the library does, if they are
/// files; a quarter by a word; the others as libFuzzer does.
pub fn mutate(data: &mut [u8], size: usize, max_size: usize, seed: u32) -> usize {
    let bytes = &data[..size];
    let mutant = match seed % 4 {
        0 => harness::fuzz_mutant(bytes, seed.into()),
        1 => Some(with_word(bytes, seed as usize / 4)),
        _ => None,
    };
    match mutant.filter(|bytes| (1..=max_size).contains(&bytes.len())) {
        Some(bytes) => {
            data[..bytes.len()].copy_from_slice(&bytes);
            bytes.len()
        }
        None => fuzzer_mutate(data, size, max_size),
    }
}

/// Inserts a word, or writes it over other bytes.
fn with_word(bytes: &[u8], choice: usize) -> Vec<u8> {
    let word = &WORDS[choice % WORDS.len()];
    let (is_over, choice) = (choice / WORDS.len() % 2 == 1, choice / WORDS.len() / 2);
    let start = choice % (bytes.len() + 1);
    let over = if is_over { word.len().min(bytes.len() - start) } else { 0 };
    [&bytes[..start], word, &bytes[start + over..]].concat()
}
