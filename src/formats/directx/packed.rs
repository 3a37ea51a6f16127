//! `MSZip`: DEFLATE in chunks of 32 KiB, each with the previous one as dictionary.

use std::io::{Read, Seek, SeekFrom, Write};

use binrw::{BinRead, BinResult, BinWrite, Endian};
use miniz_oxide::deflate::core::{CompressorOxide, TDEFLFlush, compress, create_comp_flags_from_zip_params};
use miniz_oxide::inflate::TINFLStatus;
use miniz_oxide::inflate::core::{DecompressorOxide, decompress, inflate_flags};

use super::types::{Chunk, Chunks, Content, HEADER, PACKED_TEXT, Tokens, indexed_text};
use crate::check::common::counted;
use crate::schema::{EditError, FieldPath, Node, NodeMut, Schema, Shape, Step, Value};
use crate::wire::{
    Bytes, FixedStr, Part, Rest, Source, Stream, charge, into_error, note_field, note_inside, release, room,
};
use crate::{Error, ErrorKind, Result, work};

/// Content in `MSZip` chunks, both packed and unpacked.
///
/// Chunks are written as they were read. After an [edit](Self::edit), only the chunks that no longer unpack to the content
/// are packed again.
#[derive(Clone, Debug, PartialEq)]
pub struct Packed {
    stored: Chunks,
    content: Content,
    /// The encoding and float size of the content, as specified by the header.
    encoding: (FixedStr<4>, FixedStr<4>),
    /// The indices of damaged chunks before intact ones; the content has nothing of them.
    lost: Vec<usize>,
}

impl Content {
    /// Creates content without damage.
    #[must_use]
    pub fn new(tokens: Tokens) -> Self {
        Self { tokens: tokens.into_part(), rest: Rest::new() }
    }

    /// Reads unpacked bytes, which are charged to the reader of the file. Text keeps them.
    fn unpacked<R: Read + Seek>(
        reader: &mut R,
        endian: Endian,
        plain: Vec<u8>,
        (encoding, float_size): (FixedStr<4>, FixedStr<4>),
    ) -> BinResult<Self> {
        if encoding == PACKED_TEXT && !plain.is_empty() {
            let (tokens, after) = indexed_text(reader, plain).map_err(|error| note_field(error, "tokens"))?;
            let mut content = Self::new(tokens);
            content.rest.0 = after;
            return Ok(content);
        }
        let content = Self::read_options(&mut Source::new(&plain), endian, (encoding, float_size))?;
        release(plain.capacity());
        Ok(content)
    }
}

/// The maximum unpacked size of a chunk, and the size of the DEFLATE window.
const WINDOW: usize = 32 * 1024;

/// DEFLATE's best ratio is 258 bytes for two bits.
const BEST: usize = 1032;

impl Packed {
    /// Packs content.
    ///
    /// # Errors
    /// [`ErrorKind::Encode`] if the unpacked size exceeds 32 bits.
    pub fn new(content: Content, encoding: (FixedStr<4>, FixedStr<4>)) -> Result<Self> {
        let stored = Chunks::empty();
        let mut packed = Self { stored, content, encoding, lost: Vec::new() };
        packed.repack(0)?;
        Ok(packed)
    }

    /// Returns the packed form.
    #[must_use]
    pub const fn stored(&self) -> &Chunks {
        &self.stored
    }

    /// Returns the unpacked content.
    #[must_use]
    pub const fn content(&self) -> &Content {
        &self.content
    }

    /// Returns the end of each chunk in the content, and its start in the packed form. The last entry is the end of the
    /// packed form.
    pub(super) fn places(&self) -> Vec<(u64, u64)> {
        work::done(self.stored.chunks.len());
        let (mut plain, mut packed) = (0, self.stored.size.size());
        let mut places = Vec::new();
        for (index, chunk) in self.stored.chunks.iter().enumerate() {
            plain += if self.is_lost(index) { 0 } else { u64::from(chunk.plain_size) };
            places.push((plain, packed));
            packed += chunk.size();
        }
        places.push((u64::MAX, packed));
        places
    }

    fn is_lost(&self, index: usize) -> bool {
        self.lost.binary_search(&index).is_ok()
    }

    /// Returns the positions in the content at which damaged chunks are missing.
    pub(super) fn holes(&self) -> Vec<usize> {
        let places = self.places();
        let mut holes: Vec<_> =
            self.lost.iter().filter_map(|index| usize::try_from(places[*index].0).ok()).collect();
        holes.dedup();
        holes
    }

    /// Changes the content, and packs the affected chunks again.
    ///
    /// # Errors
    /// Those of `change`; [`ErrorKind::Encode`] if the unpacked size exceeds 32 bits. The content is then unchanged.
    pub fn edit<R>(&mut self, change: impl FnOnce(&mut Content) -> Result<R>) -> Result<R> {
        let before = self.content.clone();
        let result = change(&mut self.content).and_then(|result| self.repack(before.size()).map(|()| result));
        if result.is_err() {
            self.content = before;
        }
        result
    }

    /// Updates the chunks to the content, whose previous size is `before`.
    fn repack(&mut self, before: u64) -> Result<()> {
        let mut plain = Vec::new();
        self.content
            .write_options(&mut std::io::Cursor::new(&mut plain), Endian::Little, ())
            .map_err(into_error)?;
        let len = plain.len() as u64;
        if u64::from(self.stored.size) == before + HEADER {
            let why =
                || Error::new(0, ErrorKind::Encode(format!("{len} bytes exceed the 32-bit size field")));
            self.stored.size = u32::try_from(len + HEADER).map_err(|_| why())?;
        }
        let mut chunks = Vec::new();
        let mut at = 0;
        while at < plain.len() {
            let full = WINDOW.min(plain.len() - at);
            let old = self.stored.chunks.get(chunks.len());
            if self.is_lost(chunks.len()) {
                chunks.extend(old.cloned());
                continue;
            }
            let there = old.map_or(full, |chunk| usize::from(chunk.plain_size));
            // Unusual chunk sizes are preserved only if the size of the content is unchanged.
            let end = at + if len == before { there.clamp(1, full) } else { full };
            let kept = old.filter(|chunk| chunk.unpacks_to(&plain[..end], at));
            chunks.push(kept.cloned().unwrap_or_else(|| Chunk::pack(&plain[..end], at)));
            at = end;
        }
        self.lost.retain(|index| *index < chunks.len());
        let unread = self.stored.chunks.stopped().cloned();
        self.stored.chunks = chunks.into();
        if let Some(error) = unread {
            self.stored.chunks.stop_at(self.stored.chunks.len(), error);
        }
        Ok(())
    }
}

impl Chunks {
    /// Returns the packed form of empty content.
    fn empty() -> Self {
        Self { size: u32::try_from(HEADER).unwrap_or_default(), chunks: Stream::default() }
    }
}

impl Chunk {
    /// Packs the content from a position on.
    fn pack(content: &[u8], at: usize) -> Self {
        let flags = create_comp_flags_from_zip_params(9, -15, 0);
        let mut packer = CompressorOxide::new(flags);
        // Packs the dictionary too, and discards the output.
        feed(&mut packer, &content[at.saturating_sub(WINDOW)..at], TDEFLFlush::Sync);
        let data = feed(&mut packer, &content[at..], TDEFLFlush::Finish);
        let plain_size = u16::try_from(content.len() - at).unwrap_or(0);
        Self { plain_size, data: Bytes(data), ..Self::blank(None) }
    }

    /// Returns the number of bytes that it unpacks to at most.
    fn len_unpacked(&self) -> usize {
        usize::from(self.plain_size).min(WINDOW).min(self.data.0.len().saturating_mul(BEST))
    }

    /// Returns whether the chunk unpacks to the content from a position on.
    fn unpacks_to(&self, content: &[u8], at: usize) -> bool {
        let window = &content[at.saturating_sub(WINDOW)..at];
        let mut out = window.to_vec();
        self.unpack(&mut out).is_ok() && out[window.len()..] == content[at..]
    }

    /// Appends the unpacked data; the previous chunks are the dictionary.
    fn unpack(&self, out: &mut Vec<u8>) -> Result<(), ErrorKind> {
        let start = out.len();
        let size = usize::from(self.plain_size);
        let Self { signature, .. } = Self::blank(None);
        if self.signature != signature {
            return Err(ErrorKind::Unknown(format!(
                "the chunk signature is `{}`, expected `{signature}`",
                self.signature
            )));
        }
        if size > WINDOW {
            return Err(ErrorKind::Count(format!(
                "a chunk unpacks to {size} bytes, expected at most {WINDOW}"
            )));
        }
        out.resize(start + size, 0);
        let seen = start.saturating_sub(WINDOW);
        let mut unpacked = inflate(&self.data.0, &mut out[seen..], start - seen);
        if let Err((given, _)) = unpacked
            && let Some(data) = self.with_complement(size.saturating_sub(given))
        {
            unpacked = inflate(&data, &mut out[seen..], start - seen).or(unpacked);
        }
        unpacked.map_err(|(_, why)| {
            out.truncate(start);
            ErrorKind::Unknown(why)
        })
    }

    /// Inserts the complement of the length that one writer omits from the last stored block, if the length of the block
    /// equals the number of missing bytes.
    fn with_complement(&self, missing: usize) -> Option<Vec<u8>> {
        let (front, block) = self.data.0.split_at_checked(self.data.0.len().checked_sub(missing)?)?;
        let len = u16::from_le_bytes(*front.last_chunk()?);
        (usize::from(len) == missing).then(|| [front, &(!len).to_le_bytes(), block].concat())
    }
}

/// Inflates data into the rest of a buffer. An error has the number of bytes unpacked and the reason.
fn inflate(data: &[u8], out: &mut [u8], start: usize) -> Result<(), (usize, String)> {
    let size = out.len() - start;
    let flags = inflate_flags::TINFL_FLAG_USING_NON_WRAPPING_OUTPUT_BUF;
    let mut unpacker = Box::<DecompressorOxide>::default();
    let (status, taken, given) = decompress(&mut unpacker, data, out, start, flags);
    let left = data.len() - taken;
    let why = match status {
        TINFLStatus::Done if given == size && left == 0 => return Ok(()),
        TINFLStatus::Done if given == size => {
            format!("{} after the end of the DEFLATE data", counted(left, "byte"))
        }
        TINFLStatus::Done => format!("unpacks to {}, expected {size}", counted(given, "byte")),
        TINFLStatus::HasMoreOutput => format!("unpacks to more than the expected {}", counted(size, "byte")),
        TINFLStatus::NeedsMoreInput | TINFLStatus::FailedCannotMakeProgress => {
            format!("the DEFLATE data ends after {given} of {}", counted(size, "byte"))
        }
        _ => format!("invalid DEFLATE data after {given} of {}", counted(size, "byte")),
    };
    Err((given, why))
}

fn feed(packer: &mut CompressorOxide, plain: &[u8], flush: TDEFLFlush) -> Vec<u8> {
    // A stored block has an overhead of five bytes.
    let mut out = vec![0; plain.len() + plain.len() / 8 + 64];
    let (_, taken, given) = compress(packer, plain, &mut out, flush);
    debug_assert_eq!(taken, plain.len());
    out.truncate(given);
    out
}

/// Returns the number of chunks before the next one whose content does not depend on the first, which is damaged: it is the
/// same for any two contents of that.
fn before_independent(reader: &mut impl Seek, chunks: &[Chunk]) -> BinResult<Option<usize>> {
    const BUFFERS: usize = 2 * 2 * WINDOW;
    if chunks.len() < 2 {
        return Ok(None);
    }
    charge(reader, BUFFERS)?;
    let mut known = [0, 0xff].map(|filler| {
        let mut buffer = Vec::with_capacity(2 * WINDOW);
        buffer.resize(WINDOW, filler);
        (filler, buffer)
    });
    let found = chunks.iter().enumerate().skip(1).find(|(index, chunk)| {
        let mut is_unpacked = true;
        for (filler, buffer) in &mut known {
            let len = buffer.len();
            buffer.drain(..len - WINDOW);
            if chunk.unpack(buffer).is_err() {
                is_unpacked = false;
                buffer.fill(*filler);
            }
        }
        let [(_, one), (_, other)] = &known;
        // A chunk after a short one can depend on what is before that.
        let is_enough = one.len() == 2 * WINDOW || index + 1 == chunks.len();
        is_unpacked && is_enough && one[WINDOW..] == other[WINDOW..]
    });
    let found = found.map(|(index, _)| index);
    release(BUFFERS);
    Ok(found)
}

impl BinRead for Packed {
    type Args<'a> = (FixedStr<4>, FixedStr<4>);

    fn read_options<R: Read + Seek>(
        reader: &mut R,
        endian: Endian,
        (encoding, float_size): Self::Args<'_>,
    ) -> BinResult<Self> {
        let start = reader.stream_position()?;
        let mut stored = Chunks::read_options(reader, endian, ())?;
        let mut plain = Vec::new();
        // All at once: a buffer that grows takes half as much again.
        room(reader, &mut plain, stored.chunks.iter().map(Chunk::len_unpacked).sum())?;
        let mut lost = Vec::new();
        let mut damage = None;
        let mut at = start + stored.size.size();
        let mut index = 0;
        while let Some(chunk) = stored.chunks.get(index) {
            room(reader, &mut plain, chunk.plain_size.into())?;
            let mut end = index + 1;
            if let Err(kind) = chunk.unpack(&mut plain) {
                let place = FieldPath::from(vec![Step::Index(index)]);
                damage.get_or_insert(Error::new(at, kind).at(place));
                let Some(len) = before_independent(reader, &stored.chunks[index..])? else {
                    stored.chunks.truncate(index);
                    reader.seek(SeekFrom::Start(at))?;
                    break;
                };
                end = index + len;
                lost.extend(index..end);
            }
            at += stored.chunks[index..end].iter().map(Value::size).sum::<u64>();
            index = end;
        }
        if let Some(error) = damage {
            stored.chunks.stop_at(stored.chunks.len(), error);
        }
        let content =
            Content::unpacked(reader, endian, plain, (encoding, float_size)).map_err(note_inside)?;
        Ok(Self { stored, content, encoding: (encoding, float_size), lost })
    }
}

impl BinWrite for Packed {
    type Args<'a> = ();

    fn write_options<W: Write + Seek>(&self, writer: &mut W, endian: Endian, (): ()) -> BinResult<()> {
        self.stored.write_options(writer, endian, ())
    }
}

impl Value for Packed {
    fn size(&self) -> u64 {
        self.stored.size()
    }
    fn node(&self) -> Node<'_> {
        self.stored.node()
    }
    fn node_mut(&mut self) -> NodeMut<'_> {
        self.stored.node_mut()
    }
    fn inside(&self) -> Option<&dyn Value> {
        Some(&self.content)
    }
    fn change_inside(
        &mut self,
        change: &mut dyn FnMut(&mut dyn Value) -> Result<(), EditError>,
    ) -> Result<(), EditError> {
        let mut refused = None;
        let changed = self.edit(|content| {
            change(content).map_err(|why| {
                let error = Error::new(0, ErrorKind::Value(why.clone()));
                refused = Some(why);
                error
            })
        });
        changed.map_err(|error| refused.unwrap_or_else(|| error.message().into()))
    }
    fn replace_inside(&mut self, plain: &[u8]) -> Result<(), EditError> {
        let encoding = self.encoding;
        let replaced = self.edit(|content| {
            let mut source = Source::new(plain);
            *content = Content::read_options(&mut source, Endian::Little, encoding).map_err(into_error)?;
            Ok(())
        });
        replaced.map_err(|error| error.to_string().into())
    }
}

impl Schema for Packed {
    fn shape() -> Shape {
        Shape::Packed { stored: Box::new(Chunks::shape()), content: Box::new(Content::shape()) }
    }
    fn blank(_like: Option<&Self>) -> Self {
        let content = Content { tokens: Part::Absent, rest: Rest::default() };
        let encoding = (FixedStr::default(), FixedStr::default());
        Self { stored: Chunks::empty(), content, encoding, lost: Vec::new() }
    }
}
