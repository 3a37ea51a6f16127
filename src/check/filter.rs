//! Traces of programs that treated a binary file as text.

use super::rule::rules;
use super::{Findings, Repair};
use crate::FieldPath;

rules! {
    TEXT_FILTER = Warning "any/text-filter" "A program seems to have processed the file as text." {
        why: "Transfers in text mode, version control without binary attributes, and text editors convert line feeds, drop single \
              bytes, or encode bytes above 127 as UTF-8. Everything after the first such byte is at a wrong offset. A conversion that \
              was applied throughout can be reversed, which is the repair of this rule. Dropped bytes are lost: transfer the file \
              again in binary mode.",
        source: "A real file that lost three bytes; the line-ending conversions of FTP, git and C's text mode.",
        example: "has a carriage return before each of its 14 line feeds",
        fixable: true,
    }
}

/// A conversion that treats a file as text.
#[derive(Clone, Copy)]
enum Filter {
    /// A carriage return was inserted before each line feed.
    LineEnds { count: usize },
    /// Each byte above 127 was encoded as UTF-8.
    Utf8 { count: usize },
    /// Invalid UTF-8 was replaced by U+FFFD.
    Replaced { count: usize },
    /// All bytes of one value were removed.
    Dropped { byte: u8, expected: usize },
}

/// The minimum number of occurrences that are not a coincidence.
const ENOUGH: usize = 8;

/// The minimum number of expected occurrences, judged by neighbouring byte values, for a missing value to be suspicious.
const MANY: usize = 32;

impl Filter {
    /// Detects the conversion that a binary file shows traces of; none for text.
    fn of(bytes: &[u8]) -> Option<Self> {
        let mut counts = [0_usize; 256];
        for byte in bytes {
            counts[usize::from(*byte)] += 1;
        }
        let controls: usize = counts[..8].iter().sum();
        if controls < ENOUGH {
            return None;
        }
        let lines = counts[usize::from(b'\n')];
        let pairs = memchr::memmem::find_iter(bytes, b"\r\n").count();
        if lines == pairs && lines >= ENOUGH {
            return Some(Self::LineEnds { count: lines });
        }
        let high: usize = counts[128..].iter().sum();
        if high >= ENOUGH && std::str::from_utf8(bytes).is_ok() {
            let replaced = memchr::memmem::find_iter(bytes, "\u{fffd}").count();
            let count: usize = counts[0xc0..].iter().sum();
            return Some(if replaced == 0 {
                Self::Utf8 { count }
            } else {
                Self::Replaced { count: replaced }
            });
        }
        let neighbours = |byte: u8| {
            let byte = usize::from(byte);
            [byte.wrapping_sub(1), byte + 1].into_iter().filter_map(|near| counts.get(near)).min().copied()
        };
        [0, b'\n', b'\r', 0x1a].into_iter().find_map(|byte| {
            let expected = neighbours(byte).filter(|near| *near >= MANY)?;
            (counts[usize::from(byte)] == 0).then_some(Self::Dropped { byte, expected })
        })
    }

    fn message(self) -> String {
        match self {
            Self::LineEnds { count } => {
                format!("has a carriage return before each of its {count} line feeds")
            }
            Self::Utf8 { count } => format!("is UTF-8 throughout, with {count} characters above 127"),
            Self::Replaced { count } => {
                format!("is UTF-8 throughout, with {count} replacement characters")
            }
            Self::Dropped { byte, expected } => {
                format!("has no byte {byte:#04x}; about {expected} are expected")
            }
        }
    }

    /// The original bytes, if the conversion is reversible.
    fn undone(self, bytes: &[u8]) -> Option<Vec<u8>> {
        match self {
            Self::LineEnds { .. } => {
                let followed = |at: usize| bytes.get(at + 1) == Some(&b'\n');
                let kept = bytes.iter().enumerate().filter(|(at, byte)| **byte != b'\r' || !followed(*at));
                Some(kept.map(|(_, byte)| *byte).collect())
            }
            Self::Utf8 { .. } => {
                let text = std::str::from_utf8(bytes).ok()?;
                text.chars().map(|character| u8::try_from(character).ok()).collect()
            }
            Self::Replaced { .. } | Self::Dropped { .. } => None,
        }
    }
}

/// Reports the conversion that may have damaged a file.
pub(crate) fn check(bytes: &[u8], findings: &mut Findings) {
    if let Some(filter) = Filter::of(bytes) {
        findings.add_at(&TEXT_FILTER, 0..bytes.len() as u64, FieldPath::root, || filter.message());
    }
}

/// The reversal of the conversion, if the result is a valid file.
pub(crate) fn repair(bytes: &[u8], is_sound: impl FnOnce(&[u8]) -> bool) -> Option<Repair> {
    let filter = Filter::of(bytes)?;
    let undone = filter.undone(bytes)?;
    if !is_sound(&undone) {
        return None;
    }
    let message = filter.message();
    Some(Repair { rule: &TEXT_FILTER, range: 0..bytes.len() as u64, bytes: undone, message })
}
