//! Verifies a file chunk by chunk, and long chunks a few records at a time.

use std::io::{Read, Seek};

use super::writer::writer;
use super::{Chunk, ChunkHeader};
use crate::codec::{Outcome, StreamVerifier, Verdict};
use crate::schema::Schema;

/// Returns the outcome for a valid file that re-encodes identically; `None` if that needs the whole file at once.
pub(super) fn prove<R: Read + Seek>(
    pieces: &mut StreamVerifier<R>,
    detect: fn(&[u8]) -> bool,
) -> Option<Outcome> {
    let mut chunks = Vec::new();
    while pieces.left() > 0 {
        chunks.push(prove_chunk(pieces)?);
    }
    // The first records of each chunk suffice to guess the writer.
    let (writer, opaque) = (writer(&chunks), pieces.opaque());
    let begins = chunks.first().is_some_and(|chunk| detect(&chunk.id.0));
    let mut outcome = Outcome::new(Verdict::Lossless);
    (outcome.writer, outcome.opaque) = (writer, opaque);
    begins.then_some(outcome)
}

/// Verifies a chunk in pieces, each of which is a chunk with the same header but for the count, and returns the first.
fn prove_chunk<R: Read + Seek>(pieces: &mut StreamVerifier<R>) -> Option<Chunk> {
    pieces.start(&[]);
    let mut header = ChunkHeader::read(pieces.take(ChunkHeader::SIZE)?)?;
    let (size, mut left) = header.extent()?;
    let mut bytes = [0; ChunkHeader::SIZE];
    let mut first = None;
    loop {
        let count = left.min(pieces.fit(size));
        header.data_count = count.try_into().ok()?;
        header.put(&mut bytes);
        pieces.start(&bytes);
        pieces.take(count.checked_mul(size)?)?;
        let chunk = pieces.prove()?;
        first.get_or_insert(chunk);
        left -= count;
        if left == 0 {
            return first;
        }
    }
}
