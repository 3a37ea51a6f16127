//! Repairs chunk headers that state a wrong record size or count, where the correct value is certain.
//!
//! A chunk whose stated size is too large includes the headers after it. If a known id follows after a whole number of records of
//! the correct size, and all chunks from there on end where they should, the header was wrong.

use std::collections::HashSet;

use super::rules::{WRONG_COUNT, WRONG_SIZE};
use super::{ChunkHeader, ChunkKind};
use crate::check::common::counted;
use crate::check::{Repair, Rule};
use crate::schema::offset_of;

/// The kinds of chunk whose headers some writer gets wrong.
const UNRELIABLE: [ChunkKind; 4] =
    [ChunkKind::FACES_32, ChunkKind::MORPH_INFOS, ChunkKind::MORPH_DELTAS, ChunkKind::SOCKETS];

/// Returns the header at an offset, if its id looks like one.
fn header(bytes: &[u8], at: usize) -> Option<ChunkHeader> {
    ChunkHeader::read(bytes.get(at..)?).filter(ChunkHeader::is_plausible)
}

/// Finds the offsets from which on all chunks end where they should.
struct ChunkWalker<'a> {
    bytes: &'a [u8],
    /// Offsets from which they do not, so that no offset is visited twice.
    bad: HashSet<usize>,
}

impl ChunkWalker<'_> {
    fn is_valid_from(&mut self, start: usize) -> bool {
        let mut at = start;
        let mut visited = Vec::new();
        while at != self.bytes.len() {
            visited.push(at);
            match next(self.bytes, at).filter(|next| *next <= self.bytes.len() && !self.bad.contains(next)) {
                Some(next) => at = next,
                None => {
                    self.bad.extend(visited);
                    return false;
                }
            }
        }
        true
    }

    /// Returns the repair of the header at an offset, whose records have `size` bytes.
    fn repair(&mut self, at: usize, header: &ChunkHeader, size: usize) -> Option<Repair> {
        let first = at + ChunkHeader::SIZE;
        let (own_size, own_count) = header.extent()?;
        let left = self.bytes.len().checked_sub(first)?;
        let mut is_valid = |size: usize, count: usize| {
            let end = size.checked_mul(count).and_then(|len| first.checked_add(len));
            end.is_some_and(|end| self.is_valid_from(end))
        };
        if is_valid(own_size, own_count) {
            return None;
        }
        let id = String::from_utf8_lossy(header.id.text());
        if own_size != size {
            let message = format!("{id} states {own_size} bytes per record, but its records have {size}");
            return is_valid(size, own_count)
                .then(|| replace(&WRONG_SIZE, (at, header, "data_size"), size, message))?;
        }
        // A count beyond the end of the file costs nothing. Without a following chunk, the file may be truncated.
        let most = own_count.min(left / size);
        let is_followed = |count: usize| size * count < left;
        let count =
            (0..=most).find(|count| *count != own_count && is_followed(*count) && is_valid(size, *count))?;
        let message = format!("{id} states {}, but has {count}", counted(own_count, "record"));
        replace(&WRONG_COUNT, (at, header, "data_count"), count, message)
    }
}

/// Replaces a number in the header at an offset.
fn replace(
    rule: &'static Rule,
    (at, header, field): (usize, &ChunkHeader, &str),
    number: usize,
    message: String,
) -> Option<Repair> {
    let bytes = i32::try_from(number).ok()?.to_le_bytes().to_vec();
    let start = at as u64 + offset_of(header, field);
    Some(Repair { rule, range: start..start + bytes.len() as u64, bytes, message })
}

/// Returns the offset of the chunk after the one at this offset.
fn next(bytes: &[u8], at: usize) -> Option<usize> {
    let (size, count) = header(bytes, at)?.extent()?;
    at.checked_add(ChunkHeader::SIZE)?.checked_add(size.checked_mul(count)?)
}

/// Returns the repair that makes every chunk end where it should.
pub(super) fn repairs(bytes: &[u8]) -> Vec<Repair> {
    let mut walker = ChunkWalker { bytes, bad: HashSet::new() };
    if walker.is_valid_from(0) {
        return Vec::new();
    }
    let mut at = 0;
    while let Some(header) = header(bytes, at) {
        let kind = UNRELIABLE.iter().find(|kind| kind.matches(&header.id));
        let size = kind.and_then(|kind| usize::try_from(*kind.record_sizes.first()?).ok());
        if let Some(repair) = size.and_then(|size| walker.repair(at, &header, size)) {
            return vec![repair];
        }
        let Some(next) = next(bytes, at) else { break };
        at = next;
    }
    Vec::new()
}
