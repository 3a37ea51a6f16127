//! Marks of programs that took a binary file for text.

use super::rule::rules;
use super::{Findings, Repair};
use crate::FieldPath;

rules! {
    TEXT_FILTER = Warning "any/text-filter" "The file seems to have gone through a program that took it for text." {
        why: "Transfers in text mode, version control that is not told what is binary, and editors change line feeds, drop single \
              bytes, or write every byte above 127 as UTF-8; from the first such place on nothing stands where it should. What was \
              changed everywhere alike can be changed back, which --fix any/text-filter does where the file is sound then. What was \
              dropped is lost: get the file anew, in binary mode.",
        source: "A real file that lost three bytes; how FTP, git and C's text mode treat line ends.",
        example: "has a carriage return in front of each of its 14 line feeds",
        mended: true,
    }
}

/// What a program that takes a file for text makes of it.
#[derive(Clone, Copy)]
enum Filter {
    /// Each line feed got a carriage return in front.
    LineEnds { count: usize },
    /// Each byte above 127 became a character of UTF-8.
    Utf8 { count: usize },
    /// What is no UTF-8 became the sign for that.
    Replaced { count: usize },
    /// A byte that should occur was taken out.
    Dropped { byte: u8, expected: usize },
}

/// So many equal cases are no accident.
const ENOUGH: usize = 8;

/// So many bytes should be there, going by their neighbours, before it is strange that there is none.
const MANY: usize = 32;

impl Filter {
    /// The filter that a file has the marks of. Text has them all and is no matter here.
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
                format!("has a carriage return in front of each of its {count} line feeds")
            }
            Self::Utf8 { count } => format!("is UTF-8 throughout, with {count} characters above 127"),
            Self::Replaced { count } => {
                format!("is UTF-8 throughout, with {count} signs for what could not be read as such")
            }
            Self::Dropped { byte, expected } => {
                format!("has no byte {byte:#04x}, where about {expected} are to be expected")
            }
        }
    }

    /// The bytes as they were before, where the filter lost nothing.
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

/// Says what became of a file that does not make sense.
pub(crate) fn check(bytes: &[u8], findings: &mut Findings) {
    if let Some(filter) = Filter::of(bytes) {
        findings.add_at(&TEXT_FILTER, 0..bytes.len() as u64, FieldPath::root, || filter.message());
    }
}

/// The file as it was before it was taken for text, if it makes sense then.
pub(crate) fn repair(bytes: &[u8], is_sound: impl FnOnce(&[u8]) -> bool) -> Option<Repair> {
    let filter = Filter::of(bytes)?;
    let undone = filter.undone(bytes)?;
    if !is_sound(&undone) {
        return None;
    }
    let message = filter.message();
    Some(Repair { rule: &TEXT_FILTER, range: 0..bytes.len() as u64, bytes: undone, message })
}
