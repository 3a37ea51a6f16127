//! `MSZip`: DEFLATE in chunks of 32 KiB, each of which may repeat what the one before it said.

use std::io::{Read, Seek, SeekFrom, Write};

use binrw::{BinRead, BinResult, BinWrite, Endian};
use miniz_oxide::deflate::core::{CompressorOxide, TDEFLFlush, compress, create_comp_flags_from_zip_params};
use miniz_oxide::inflate::TINFLStatus;
use miniz_oxide::inflate::core::{DecompressorOxide, decompress, inflate_flags};

use super::types::{Chunk, Chunks, Content, HEADER, SIGNATURE, Tokens};
use super::work;
use crate::schema::{EditError, FieldPath, Node, NodeMut, Schema, Shape, Step, Value};
use crate::wire::{Bytes, FixedStr, Part, Rest, Source, Stream, into_error, refuse};
use crate::{Error, ErrorKind, Limits, Result};

/// Content in `MSZip` chunks, beside what they unpack to.
///
/// The chunks are written as they were read. When the content is [edited](Self::edit), those that no longer unpack to it
/// are packed anew and all others stay.
#[derive(Clone, Debug, PartialEq)]
pub struct Packed {
    stored: Chunks,
    content: Content,
    /// How the header says that the content is written.
    told: (FixedStr<4>, FixedStr<4>),
}

impl Content {
    /// Content without damage.
    #[must_use]
    pub const fn new(tokens: Tokens) -> Self {
        Self { tokens: Part::Present(tokens), rest: Rest::new() }
    }
}

/// The most a chunk may hold, and as far as it can refer back.
const WINDOW: usize = 32 * 1024;

impl Packed {
    /// Packs content.
    ///
    /// # Errors
    /// [`ErrorKind::Encode`] when it is longer than its size can say.
    pub fn new(content: Content, told: (FixedStr<4>, FixedStr<4>)) -> Result<Self> {
        let stored = Chunks::none();
        let mut packed = Self { stored, content, told };
        packed.repack(0)?;
        Ok(packed)
    }

    /// The packed form.
    #[must_use]
    pub const fn stored(&self) -> &Chunks {
        &self.stored
    }

    /// What it unpacks to.
    #[must_use]
    pub const fn content(&self) -> &Content {
        &self.content
    }

    /// Where each chunk ends in the content, and where it begins in the packed form; what stands behind the last one
    /// begins behind it.
    pub(super) fn places(&self) -> Vec<(u64, u64)> {
        work::done(self.stored.chunks.len());
        let (mut plain, mut packed) = (0, self.stored.size.size());
        let mut places = Vec::new();
        for chunk in &self.stored.chunks {
            plain += u64::from(chunk.plain_size);
            places.push((plain, packed));
            packed += chunk.size();
        }
        places.push((u64::MAX, packed));
        places
    }

    /// Changes the content and packs anew what that concerns.
    ///
    /// # Errors
    /// Those of `change`; [`ErrorKind::Encode`] when the content became longer than its size can say. The content is then as
    /// it was.
    pub fn edit<R>(&mut self, change: impl FnOnce(&mut Content) -> Result<R>) -> Result<R> {
        let before = self.content.clone();
        let result = change(&mut self.content).and_then(|result| self.repack(before.size()).map(|()| result));
        if result.is_err() {
            self.content = before;
        }
        result
    }

    /// Makes the chunks unpack to the content, which was so long before.
    fn repack(&mut self, before: u64) -> Result<()> {
        let mut plain = Vec::new();
        self.content
            .write_options(&mut std::io::Cursor::new(&mut plain), Endian::Little, ())
            .map_err(into_error)?;
        let len = plain.len() as u64;
        if u64::from(self.stored.size) == before + HEADER {
            let why =
                || Error::new(0, ErrorKind::Encode(format!("{len} bytes are more than the size can say")));
            self.stored.size = u32::try_from(len + HEADER).map_err(|_| why())?;
        }
        let mut chunks = Vec::new();
        let mut at = 0;
        while at < plain.len() {
            let full = WINDOW.min(plain.len() - at);
            let old = self.stored.chunks.get(chunks.len());
            let there = old.map_or(full, |chunk| usize::from(chunk.plain_size));
            // Other boundaries than full chunks are kept only while the length is.
            let end = at + if len == before { there.clamp(1, full) } else { full };
            let kept = old.filter(|chunk| chunk.unpacks_to(&plain[..end], at));
            chunks.push(kept.cloned().unwrap_or_else(|| Chunk::pack(&plain[..end], at)));
            at = end;
        }
        let unread = self.stored.chunks.stopped().cloned();
        self.stored.chunks = chunks.into();
        if let Some(error) = unread {
            self.stored.chunks.stop_at(self.stored.chunks.len(), error);
        }
        Ok(())
    }
}

impl Chunks {
    /// The packed form of nothing.
    fn none() -> Self {
        Self { size: u32::try_from(HEADER).unwrap_or_default(), chunks: Stream::default() }
    }
}

impl Chunk {
    /// Packs what begins at a byte of the content.
    fn pack(content: &[u8], at: usize) -> Self {
        let flags = create_comp_flags_from_zip_params(9, -15, 0);
        let mut packer = CompressorOxide::new(flags);
        // What lies before is packed too and thrown away: so the packer knows what it may refer to.
        feed(&mut packer, &content[at.saturating_sub(WINDOW)..at], TDEFLFlush::Sync);
        let data = feed(&mut packer, &content[at..], TDEFLFlush::Finish);
        let plain_size = u16::try_from(content.len() - at).unwrap_or(0);
        Self { plain_size, signature: SIGNATURE, data: Bytes(data) }
    }

    /// Whether it unpacks to what begins at a byte of the content.
    fn unpacks_to(&self, content: &[u8], at: usize) -> bool {
        let window = &content[at.saturating_sub(WINDOW)..at];
        let mut out = window.to_vec();
        self.unpack(&mut out).is_ok() && out[window.len()..] == content[at..]
    }

    /// Unpacks behind what was unpacked before.
    fn unpack(&self, out: &mut Vec<u8>) -> Result<(), ErrorKind> {
        let start = out.len();
        let size = usize::from(self.plain_size);
        if self.signature != SIGNATURE {
            return Err(ErrorKind::Unknown("a chunk begins with `CK`".into()));
        }
        if size > WINDOW {
            return Err(ErrorKind::Count(format!("a chunk of {size} bytes; {WINDOW} are the most")));
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

    /// The data with the complement of the length that one writer left out of a last stored block, where the block has
    /// exactly the missing bytes.
    fn with_complement(&self, missing: usize) -> Option<Vec<u8>> {
        let (front, block) = self.data.0.split_at_checked(self.data.0.len().checked_sub(missing)?)?;
        let len = u16::from_le_bytes(*front.last_chunk()?);
        (usize::from(len) == missing).then(|| [front, &(!len).to_le_bytes(), block].concat())
    }
}

/// Fills the rest of a buffer from DEFLATE data, or says how many bytes there were and what is wrong.
fn inflate(data: &[u8], out: &mut [u8], start: usize) -> Result<(), (usize, String)> {
    let size = out.len() - start;
    let flags = inflate_flags::TINFL_FLAG_USING_NON_WRAPPING_OUTPUT_BUF;
    let mut unpacker = Box::<DecompressorOxide>::default();
    let (status, taken, given) = decompress(&mut unpacker, data, out, start, flags);
    let left = data.len() - taken;
    let why = match status {
        TINFLStatus::Done if given == size && left == 0 => return Ok(()),
        TINFLStatus::Done if given == size => format!("{left} bytes follow the end of the data"),
        TINFLStatus::Done => format!("unpacks to {given} bytes, not {size}"),
        TINFLStatus::HasMoreOutput => format!("unpacks to more than {size} bytes"),
        TINFLStatus::NeedsMoreInput | TINFLStatus::FailedCannotMakeProgress => {
            format!("ends after {given} bytes of {size}")
        }
        _ => format!("invalid DEFLATE data after {given} bytes of {size}"),
    };
    Err((given, why))
}

fn feed(packer: &mut CompressorOxide, plain: &[u8], flush: TDEFLFlush) -> Vec<u8> {
    // A stored block takes five bytes more than it holds.
    let mut out = vec![0; plain.len() + plain.len() / 8 + 64];
    let (_, taken, given) = compress(packer, plain, &mut out, flush);
    debug_assert_eq!(taken, plain.len());
    out.truncate(given);
    out
}

impl BinRead for Packed {
    type Args<'a> = (FixedStr<4>, FixedStr<4>, Limits);

    fn read_options<R: Read + Seek>(
        reader: &mut R,
        endian: Endian,
        (encoding, float_size, limits): Self::Args<'_>,
    ) -> BinResult<Self> {
        let start = reader.stream_position()?;
        let mut stored = Chunks::read_options(reader, endian, ())?;
        let mut plain = Vec::new();
        let mut at = start + stored.size.size();
        for index in 0..stored.chunks.len() {
            let chunk = &stored.chunks[index];
            spend(&limits, at, plain.len() as u64 + u64::from(chunk.plain_size), at + chunk.size() - start)?;
            if let Err(kind) = chunk.unpack(&mut plain) {
                let place = FieldPath::from(vec![Step::Index(index)]);
                stored.chunks.stop_at(index, Error::new(at, kind).at(place));
                reader.seek(SeekFrom::Start(at))?;
                break;
            }
            at += chunk.size();
        }
        let mut source = Source::new(&plain);
        let content = Content::read_options(&mut source, endian, (encoding, float_size))?;
        Ok(Self { stored, content, told: (encoding, float_size) })
    }
}

/// Whether so much may be unpacked from so much.
fn spend(limits: &Limits, at: u64, plain: u64, packed: u64) -> BinResult<()> {
    if plain > limits.max_unpacked {
        let why = format!("unpacks to more than {} bytes", limits.max_unpacked);
        return Err(refuse(at, ErrorKind::Limit(why)));
    }
    if plain > packed.saturating_mul(limits.max_ratio) {
        let why = format!("unpacks to more than {} times its length", limits.max_ratio);
        return Err(refuse(at, ErrorKind::Limit(why)));
    }
    Ok(())
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
        let told = self.told;
        let replaced = self.edit(|content| {
            let mut source = Source::new(plain);
            *content = Content::read_options(&mut source, Endian::Little, told).map_err(into_error)?;
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
        let told = (FixedStr::default(), FixedStr::default());
        Self { stored: Chunks::none(), content, told }
    }
}
