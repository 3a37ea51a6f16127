//! Headers of chunks that lie, where the truth can be told.
//!
//! A chunk that announces too much swallows the headers behind it. Where a known id stands at the end of a whole number
//! of records of the true length, and from there on all chunks end where they should, the header was wrong.

use std::collections::HashSet;
use std::ops::Range;

use super::rules::{LYING_COUNT, LYING_LENGTH};
use super::{Face32, MorphDelta, MorphInfo, Socket};
use crate::check::Repair;
use crate::schema::Schema;

const HEADER: usize = 32;

/// Lengths of records by id; of ids with several lengths the one that was written when the header lied.
const TRUE_LENGTHS: &[(&str, Option<usize>)] = &[
    ("FACE3200", Face32::FIXED),
    ("MRPHINFO", MorphInfo::FIXED),
    ("MRPHDATA", MorphDelta::FIXED),
    ("SKELSOCK", Socket::FIXED),
];

/// A header as it stands in the file.
struct Header<'a> {
    id: &'a [u8],
    size: usize,
    count: usize,
}

/// The header at a byte; none where no known id or no sense is.
fn header(bytes: &[u8], at: usize) -> Option<Header<'_>> {
    let header = bytes.get(at..)?.get(..HEADER)?;
    let end = header[..20].iter().position(|byte| *byte == 0)?;
    let id = &header[..end];
    let spelled = id.len() > 6 && id.iter().all(|byte| byte.is_ascii_uppercase() || byte.is_ascii_digit());
    let number = |at: usize| {
        let word = header.get(at..at + 4)?.try_into().ok()?;
        usize::try_from(i32::from_le_bytes(word)).ok()
    };
    let (size, count) = (number(24)?, number(28)?);
    (spelled && header[end..20].iter().all(|byte| *byte == 0)).then_some(Header { id, size, count })
}

/// Looks for places from which on all chunks end where they should.
struct Walks<'a> {
    bytes: &'a [u8],
    /// Places from which that is not so: no place is gone through twice.
    bad: HashSet<usize>,
}

impl Walks<'_> {
    fn is_sound_from(&mut self, start: usize) -> bool {
        let mut at = start;
        let mut passed = Vec::new();
        while at != self.bytes.len() {
            passed.push(at);
            match next(self.bytes, at).filter(|next| *next <= self.bytes.len() && !self.bad.contains(next)) {
                Some(next) => at = next,
                None => {
                    self.bad.extend(passed);
                    return false;
                }
            }
        }
        true
    }

    fn mended(&mut self, at: usize, own: &Header<'_>, size: usize) -> Option<Repair> {
        let first = at + HEADER;
        let announced = own.size.checked_mul(own.count)?;
        if first.checked_add(announced).is_some_and(|end| self.is_sound_from(end)) {
            return None;
        }
        let len = self.bytes.len();
        let mut is_sound = |count: usize| {
            let end = size.checked_mul(count).and_then(|len| first.checked_add(len));
            end.is_some_and(|end| end <= len && self.is_sound_from(end))
        };
        let id = String::from_utf8_lossy(own.id);
        if own.size != size {
            let message = format!("{id} says {} bytes for records of {size}", own.size);
            let bytes = i32::try_from(size).ok()?.to_le_bytes().to_vec();
            let repair = Repair { rule: &LYING_LENGTH, range: word(at + 24), bytes, message };
            return is_sound(own.count).then_some(repair);
        }
        // A count beyond the end of the file costs nothing.
        let most = own.count.min((len - first) / size);
        let count = (0..=most).find(|count| *count != own.count && is_sound(*count))?;
        let message = format!("{id} says {} records and has {count}", own.count);
        let bytes = i32::try_from(count).ok()?.to_le_bytes().to_vec();
        Some(Repair { rule: &LYING_COUNT, range: word(at + 28), bytes, message })
    }
}

/// The bytes of a number of a header.
const fn word(at: usize) -> Range<u64> {
    at as u64..at as u64 + 4
}

/// Where the chunk behind the one at this place begins; none where that makes no sense.
fn next(bytes: &[u8], at: usize) -> Option<usize> {
    let Header { size, count, .. } = header(bytes, at)?;
    at.checked_add(HEADER)?.checked_add(size.checked_mul(count)?)
}

/// What is certain to mend a file whose chunks stop making sense.
pub(super) fn repairs(bytes: &[u8]) -> Vec<Repair> {
    let mut walks = Walks { bytes, bad: HashSet::new() };
    if walks.is_sound_from(0) {
        return Vec::new();
    }
    let mut at = 0;
    while let Some(own) = header(bytes, at) {
        let known = TRUE_LENGTHS.iter().find(|(id, _)| own.id == id.as_bytes());
        if let Some(repair) = known.and_then(|(_, size)| walks.mended(at, &own, (*size)?)) {
            return vec![repair];
        }
        let Some(next) = next(bytes, at) else { break };
        at = next;
    }
    Vec::new()
}
