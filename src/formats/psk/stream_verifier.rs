//! Verifies a file chunk by chunk, and long chunks a few records at a time.

use std::io::{Read, Seek};
use std::ops::ControlFlow::{Break, Continue};

use super::summary::Totals;
use super::writer::writer;
use super::{Chunk, ChunkHeader, Records, Wedge};
use crate::codec::{Outcome, StreamVerifier, Verdict};
use crate::schema::{Class, Node, Schema, Value, leaves};

/// Returns the outcome for a valid file that re-encodes identically; `None` if that needs the whole file at once.
pub(super) fn verify<R: Read + Seek>(
    pieces: &mut StreamVerifier<R>,
    detect: fn(&[u8]) -> bool,
) -> Option<Outcome> {
    let mut first = Vec::new();
    while pieces.left() > 0 {
        first.push(prove_chunk(pieces, |_, fit| fit, |_| {})?);
        begins(&first, detect).then_some(())?;
    }
    // The first records of each chunk suffice to guess the writer.
    let (writer, opaque) = (writer(&first).map(|own| own.writer.name), pieces.opaque());
    let mut outcome = Outcome::new(Verdict::Lossless);
    (outcome.writer, outcome.opaque) = (writer, opaque);
    (!first.is_empty()).then_some(outcome)
}

/// A valid file, abridged.
pub(super) struct Outlined {
    /// The chunks: records with names, and of others the first ones.
    pub chunks: Vec<Chunk>,
    pub totals: Totals,
    /// Well-delimited bytes without known meaning.
    pub opaque: u64,
}

/// Returns the outline of a valid file; `None` if the whole file is needed at once.
pub(super) fn summarize<R: Read + Seek>(
    pieces: &mut StreamVerifier<R>,
    detect: fn(&[u8]) -> bool,
) -> Option<Outlined> {
    let (mut chunks, mut totals) = (Vec::new(), Totals::default());
    while pieces.left() > 0 {
        let at = chunks.len();
        chunks.push(prove_chunk(pieces, num_kept, |piece| totals.add(at, &piece.records))?);
        begins(&chunks, detect).then_some(())?;
    }
    (!chunks.is_empty()).then(|| Outlined { chunks, totals, opaque: pieces.opaque() })
}

fn begins(chunks: &[Chunk], detect: fn(&[u8]) -> bool) -> bool {
    chunks.first().is_some_and(|chunk| detect(&chunk.id.0))
}

/// Returns how many records of a kind an outline keeps; `fit` is the number that fits into a piece.
fn num_kept(kind: &Records, fit: usize) -> usize {
    match kind {
        // Their number decides how wedges refer to them.
        Records::Points(_) => fit.max(Wedge::REACH + 1),
        kind if have_names(kind) => usize::MAX,
        _ => fit,
    }
}

/// Returns whether a field of these records is a text.
fn have_names(kind: &Records) -> bool {
    let Node::Items(items) = kind.node() else { return false };
    let mut found = false;
    items.blank_item(&mut |blank| {
        let is_text = |class| if class == Class::Text { Break(()) } else { Continue(()) };
        found = leaves(blank, &mut |_, leaf| is_text(leaf.class())).is_break();
    });
    found
}

/// Verifies a chunk in pieces, each of which is a chunk with the same header but for the count, and returns the first. That
/// has `num_first` records of their kind, which depends on the number that fits into a piece.
fn prove_chunk<R: Read + Seek>(
    pieces: &mut StreamVerifier<R>,
    num_first: impl Fn(&Records, usize) -> usize,
    mut visit: impl FnMut(&Chunk),
) -> Option<Chunk> {
    pieces.start(&[]);
    let mut header = ChunkHeader::read(pieces.take(ChunkHeader::SIZE)?)?;
    let (size, mut left) = header.extent()?;
    let fit = pieces.fit(size);
    let without_records = prove_records(pieces, &mut header, 0)?;
    let mut most = num_first(&without_records.records, fit);
    let mut first = None;
    loop {
        let count = left.min(most);
        let chunk = prove_records(pieces, &mut header, count)?;
        visit(&chunk);
        first.get_or_insert(chunk);
        (left, most) = (left - count, fit);
        if left == 0 {
            return first;
        }
    }
}

/// Verifies the next records of a chunk.
fn prove_records<R: Read + Seek>(
    pieces: &mut StreamVerifier<R>,
    header: &mut ChunkHeader,
    count: usize,
) -> Option<Chunk> {
    let mut bytes = [0; ChunkHeader::SIZE];
    header.data_count = count.try_into().ok()?;
    header.put(&mut bytes);
    pieces.start(&bytes);
    pieces.take(count.checked_mul(usize::try_from(header.data_size).ok()?)?)?;
    pieces.verify_piece()
}
