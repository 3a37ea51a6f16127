//! Reads chunks, and finds them again in a file that has lost or gained bytes.

use binrw::io::{Read, Seek, SeekFrom};
use binrw::{BinRead, BinResult, Endian};

use super::{CHUNKS, Chunk, ChunkHeader, ChunkKind, IdPattern};
use crate::schema::Step;
use crate::wire::{Gap, Rest, Source, Stream, note_index, past_end};
use crate::{Error, ErrorKind, counted};

/// Reads the chunks; a file whose first chunk is invalid is not of this format instead of damaged.
pub(super) fn at_least_one<R: Read + Seek>(
    reader: &mut R,
    endian: Endian,
    (): (),
) -> BinResult<Stream<Chunk>> {
    let start = reader.stream_position()?;
    let chunks = Stream::read_options(reader, endian, ())?;
    if chunks.is_empty() {
        reader.seek(SeekFrom::Start(start))?;
        Chunk::read_options(reader, endian, ()).map_err(|error| note_index(error, 0))?;
    }
    let end = reader.stream_position()?;
    reader.seek(SeekFrom::End(0))?;
    let is_damaged = chunks.stopped().is_some() || past_end(reader)?;
    if is_damaged && let Some(chunks) = found_again(reader, endian, start)? {
        return Ok(chunks);
    }
    reader.seek(SeekFrom::Start(end))?;
    Ok(chunks)
}

/// A chunk before damage or in it. Positions are offsets.
struct Found {
    start: usize,
    /// The end of its last complete record.
    end: usize,
    /// The start of the next chunk.
    next: usize,
    /// The size and the number of records that the header states.
    extent: Option<(usize, usize)>,
    is_damaged: bool,
}

impl Found {
    fn damage(&self, start: u64) -> Error {
        let next = start + self.next as u64;
        let stated = match self.extent {
            Some((size, count)) => format!("{} of {size} bytes", counted(count, "record")),
            None => "a negative size or number".to_owned(),
        };
        let why = format!("the header states {stated}, and the next chunk begins at {next:#010x}");
        Error::new(start + self.end as u64, ErrorKind::Unknown(why))
    }
}

/// Reads the chunks with gaps between them; `None` if no chunk follows the damage.
fn found_again<R: Read + Seek>(
    reader: &mut R,
    endian: Endian,
    start: u64,
) -> BinResult<Option<Stream<Chunk>>> {
    reader.seek(SeekFrom::Start(start))?;
    let bytes = Rest::read_options(reader, endian, ())?.0;
    let found = before_damage(&bytes);
    let Some(last) = found.last() else { return Ok(None) };
    let mut chunks = Vec::with_capacity(found.len());
    for Found { start, end, next, .. } in &found {
        let mut source = Source::truncated(&bytes[*start..*end]);
        let chunk = Chunk::read_options(&mut source, endian, ())?;
        chunks.push(Chunk { gap: Gap::from(bytes[*end..*next].to_vec()), ..chunk });
    }
    reader.seek(SeekFrom::Start(start + last.next as u64))?;
    let mut chunks = Stream::resume(reader, endian, &(), chunks)?;
    if chunks.stopped().is_none()
        && let Some(at) = found.iter().position(|own| own.is_damaged)
    {
        let error = found[at].damage(start);
        chunks.stop_at(chunks.len(), error.at(vec![Step::Index(at)].into()));
    }
    Ok(Some(chunks))
}

/// Finds the chunks up to the last one that follows damage; empty if no chunk follows damage.
fn before_damage(bytes: &[u8]) -> Vec<Found> {
    let mut found: Vec<Found> = Vec::new();
    let (mut start, mut len) = (0, 0);
    while let Some(header) = bytes.get(start..).and_then(ChunkHeader::read) {
        let first = start + ChunkHeader::SIZE;
        let end = header.extent().and_then(|(size, count)| first.checked_add(size.checked_mul(count)?));
        let end = end.filter(|end| *end <= bytes.len());
        // A header can have lost bytes, too; the first one begins with the magic and is read in any case.
        let from = if found.is_empty() { first } else { start + 1 };
        let next = match end {
            Some(end) if end == bytes.len() => break,
            Some(end) if follows(&bytes[end..]) => end,
            _ => match (from..bytes.len()).find(|at| begins_chunk(&bytes[*at..])) {
                Some(next) => next,
                None => break,
            },
        };
        match (header.extent().filter(|_| next >= first), found.last_mut()) {
            (Some((size, _)), _) => {
                let whole = first + (next - first).checked_div(size).unwrap_or(0) * size;
                let is_damaged = end != Some(next);
                let extent = header.extent();
                found.push(Found { start, end: end.unwrap_or(whole).min(whole), next, extent, is_damaged });
            }
            (None, Some(last)) => (last.next, last.is_damaged) = (next, true),
            (None, None) => break,
        }
        if end != Some(next) {
            len = found.len();
        }
        start = next;
    }
    found.truncate(len);
    found
}

/// Whether a chunk can end before these bytes.
fn follows(bytes: &[u8]) -> bool {
    let Some(header) = ChunkHeader::read(bytes) else { return false };
    is_named(&header) || is_chunk(&header, bytes, |header| header.is_plausible() || is_known(header))
}

/// Returns the kinds of chunks with the id of a header.
fn kinds(header: &ChunkHeader) -> impl Iterator<Item = &'static ChunkKind> {
    let id = header.id.text();
    CHUNKS.iter().filter(move |kind| kind.id.matches(id))
}

fn is_known(header: &ChunkHeader) -> bool {
    kinds(header).next().is_some()
}

/// The bytes that ids with a known beginning begin with.
const INITIALS: [bool; 256] = {
    let mut initials = [false; 256];
    let mut at = CHUNKS.len();
    while at > 0 {
        at -= 1;
        if let IdPattern::Exact(text) | IdPattern::Prefix(text) = CHUNKS[at].id {
            initials[text.as_bytes()[0] as usize] = true;
        }
    }
    initials
};

/// Whether this is the header of a known chunk whose id has a known beginning. Of the other ids only the end is known, so that
/// they can begin anywhere.
fn is_named(header: &ChunkHeader) -> bool {
    let is_initial = INITIALS[usize::from(header.id.0[0])];
    is_initial
        && header.extent().is_some()
        && kinds(header).any(|kind| !matches!(kind.id, IdPattern::Suffix(_)))
}

/// Whether these bytes begin with a chunk, which has such a header, and is the last one or is followed by a known one.
fn is_chunk(header: &ChunkHeader, bytes: &[u8], is_such: impl Fn(&ChunkHeader) -> bool) -> bool {
    let extent = header.extent().filter(|(size, count)| *size > 0 || *count == 0);
    let end = extent.and_then(|(size, count)| ChunkHeader::SIZE.checked_add(size.checked_mul(count)?));
    let Some(next) = end.and_then(|end| bytes.get(end..)) else { return false };
    is_such(header) && (next.is_empty() || ChunkHeader::read(next).is_some_and(|next| is_known(&next)))
}

/// Whether these bytes begin with the header of a known chunk, which can be told from other bytes.
fn begins_chunk(bytes: &[u8]) -> bool {
    let is_graphic = bytes.first().is_some_and(u8::is_ascii_graphic);
    let header = is_graphic.then(|| ChunkHeader::read(bytes)).flatten();
    header.is_some_and(|header| is_named(&header) || is_chunk(&header, bytes, is_known))
}
