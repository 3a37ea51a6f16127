//! A file proven chunk by chunk, long chunks some records at a time.

use std::io::{Read, Seek};

use super::Chunk;
use super::writer::writer;
use crate::codec::{Outcome, StreamVerifier, Verdict};

/// The length of a chunk's header, which ends with the length and number of its records.
const HEADER: usize = 32;

/// That the file is sound and comes back; none where that cannot be told in pieces.
pub(super) fn prove<R: Read + Seek>(
    pieces: &mut StreamVerifier<R>,
    detect: fn(&[u8]) -> bool,
) -> Option<Outcome> {
    let mut chunks = Vec::new();
    while pieces.left() > 0 {
        chunks.push(prove_chunk(pieces)?);
    }
    // The writer is told by what stands at the beginning of each chunk.
    let (writer, opaque) = (writer(&chunks), pieces.opaque());
    let begins = chunks.first().is_some_and(|chunk| detect(&chunk.id.0));
    begins.then_some(Outcome { verdict: Verdict::Lossless, dialect: None, writer, opaque, rest: 0 })
}

/// Each piece is a chunk of its own: the same header but for the number of records. The first one stands for all.
fn prove_chunk<R: Read + Seek>(pieces: &mut StreamVerifier<R>) -> Option<Chunk> {
    pieces.start(&[]);
    let mut header: [u8; HEADER] = pieces.take(HEADER)?.try_into().ok()?;
    let [.., s0, s1, s2, s3, c0, c1, c2, c3] = header;
    let size = usize::try_from(i32::from_le_bytes([s0, s1, s2, s3])).ok()?;
    let mut left = usize::try_from(i32::from_le_bytes([c0, c1, c2, c3])).ok()?;
    let mut first = None;
    loop {
        let count = left.min(pieces.fit(size));
        header[HEADER - 4..].copy_from_slice(&i32::try_from(count).ok()?.to_le_bytes());
        pieces.start(&header);
        pieces.take(count.checked_mul(size)?)?;
        let chunk = pieces.prove()?;
        first.get_or_insert(chunk);
        left -= count;
        if left == 0 {
            return first;
        }
    }
}
