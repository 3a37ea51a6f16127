//! The trait of all formats.

use std::io::BufWriter;
use std::marker::PhantomData;

use binrw::io::{Read, Seek, Write};
use binrw::{BinRead, BinWrite, Endian};

use super::forward_writer::ForwardWriter;
use super::memory_writer::MemoryWriter;
use super::roundtrip::{beyond, damage, has_broken_parts, is_damaged, overrun};
use super::stream_verifier::prove_values;
use super::{FileSummary, Options, Outcome, Outline, StreamVerifier};
use crate::json::{Formats, read_document, write_document};
use crate::schema::{Node, Schema, Shape, Truncation, set_truncation};
use crate::wire::{FileSource, Source, into_error};
use crate::{Error, ErrorKind, LimitError, Result};

/// A description of a format: names, extensions, magic, dialects.
///
/// ```
/// use bindpose::codec::Info;
/// const INFO: Info = Info::new("md3", "Quake III model").with_extensions(&["md3"]).with_magic(b"IDP3");
/// assert_eq!(INFO.extensions, ["md3"]);
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Info {
    /// The short name: `ms3d`.
    pub name: &'static str,
    /// The full name.
    pub title: &'static str,
    /// File extensions without the dot, the usual one first.
    pub extensions: &'static [&'static str],
    /// Those of the extensions that other programs use for other formats.
    pub shared_extensions: &'static [&'static str],
    /// The bytes at the start of every file; empty if there are none.
    pub magic: &'static [u8],
    /// The dialects, the default first; empty if there is only one layout.
    pub dialects: &'static [&'static str],
    /// What the published schema omits; empty if it is complete.
    pub schema_note: &'static str,
}

impl Info {
    /// Describes a format by its short and its full name.
    #[must_use]
    pub const fn new(name: &'static str, title: &'static str) -> Self {
        let (extensions, shared_extensions, magic) = (&[] as &[_], &[] as &[_], b"" as &[_]);
        Self { name, title, extensions, shared_extensions, magic, dialects: &[], schema_note: "" }
    }

    /// Returns the description with file extensions, the usual one first.
    #[must_use]
    pub const fn with_extensions(self, extensions: &'static [&'static str]) -> Self {
        Self { extensions, ..self }
    }

    /// Returns the description with those of the extensions that other programs use for other formats.
    #[must_use]
    pub const fn with_shared_extensions(self, shared_extensions: &'static [&'static str]) -> Self {
        Self { shared_extensions, ..self }
    }

    /// Returns the description with the bytes at the start of every file.
    #[must_use]
    pub const fn with_magic(self, magic: &'static [u8]) -> Self {
        Self { magic, ..self }
    }

    /// Returns the description with dialects, the default first.
    #[must_use]
    pub const fn with_dialects(self, dialects: &'static [&'static str]) -> Self {
        Self { dialects, ..self }
    }

    /// Returns the description with what the published schema omits.
    #[must_use]
    pub const fn with_schema_note(self, schema_note: &'static str) -> Self {
        Self { schema_note, ..self }
    }

    /// Returns why a dialect is refused that the format does not have.
    #[must_use]
    pub fn no_dialect(&self, dialect: &str) -> String {
        match self.dialects {
            [] => format!("{} has no dialects", self.name),
            known => {
                format!("{} has no dialect `{dialect}`; expected one of {}", self.name, known.join(", "))
            }
        }
    }
}

/// A proposed dialect for a file.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
pub struct Proposal {
    /// The dialect.
    pub dialect: &'static str,
    /// The reason.
    pub why: String,
}

/// A file format: the root of its on-disk structs.
///
/// ```
/// use bindpose::codec::Format;
/// use bindpose::formats::ms3d::Ms3d;
/// let file = Ms3d::blank_file();
/// let bytes = file.encode()?;
/// assert_eq!(Ms3d::decode(&bytes)?, file);
/// # Ok::<(), bindpose::Error>(())
/// ```
pub trait Format: Schema + for<'b> BinRead<Args<'b>: Clone> + for<'a> BinWrite<Args<'a> = ()> {
    /// The names, extensions, magic and dialects of the format.
    const INFO: Info;

    /// Returns the arguments that binrw needs to read the root.
    ///
    /// # Errors
    /// [`ErrorKind::Value`] for a dialect the format does not have.
    fn args(bytes: &[u8], options: &Options) -> Result<<Self as BinRead>::Args<'static>>;

    /// Returns the smallest valid file of this format.
    #[must_use]
    fn blank_file() -> Self {
        Self::blank(None)
    }

    /// Returns whether a file that starts with these bytes has this format.
    #[must_use]
    fn detect(head: &[u8]) -> bool {
        !Self::INFO.magic.is_empty() && head.starts_with(Self::INFO.magic)
    }

    /// Returns whether these bytes are a prefix of the magic. An empty file is, if there is a magic.
    #[must_use]
    fn is_truncated_magic(bytes: &[u8]) -> bool {
        !Self::INFO.magic.is_empty() && Self::INFO.magic.starts_with(bytes)
    }

    /// Returns the dialect of this file, if the format has several.
    fn dialect(&self) -> Option<&'static str> {
        None
    }

    /// Returns the shape of a dialect, where it differs from the published schema.
    #[must_use]
    fn shape_in(_dialect: Option<&str>) -> Shape {
        Self::shape()
    }

    /// Proposes the dialect that fits a file best; `None` if the format has one layout.
    #[must_use]
    fn propose(_bytes: &[u8]) -> Option<Proposal> {
        None
    }

    /// As [`propose`](Self::propose), for the bytes that this file was decoded from, which may make it cheaper.
    #[must_use]
    fn proposal(&self, bytes: &[u8]) -> Option<Proposal> {
        Self::propose(bytes)
    }

    /// Returns the options that decode this file again: its own dialect and the default limits.
    fn options(&self) -> Options {
        self.dialect().map_or_else(Options::default, |dialect| Options::default().with_dialect(dialect))
    }

    /// Returns the program that wrote the file, if it left marks. Called for every file, so it must be cheap.
    fn writer(&self) -> Option<&'static str> {
        None
    }

    /// Summarises the contents of the file.
    fn summary(&self) -> FileSummary {
        FileSummary::default()
    }

    /// Verifies a round trip without the bytes of the file in memory; `None` if that needs the whole file, or the file is
    /// damaged. By default, its values are in memory.
    fn verify_stream<R: Read + Seek>(pieces: &mut StreamVerifier<R>, options: &Options) -> Option<Outcome> {
        prove_values::<Self, R>(pieces, options)
    }

    /// Summarises a valid file piece by piece, or while it is decoded; `None` if decoding it first is as fast, or the file
    /// is damaged.
    fn summarize_stream<R: Read + Seek>(
        _pieces: &mut StreamVerifier<R>,
        _options: &Options,
    ) -> Option<Outline<Self>> {
        None
    }

    /// Decodes a valid file of which only the values are in memory, not the bytes; `None` if decoding needs all bytes at
    /// once, or fails, or the file is damaged.
    fn decode_valid<R: Read + Seek>(reader: R, options: &Options) -> Option<Self> {
        decode_valid(reader, options)
    }

    /// Decodes a file under the default [`Limits`](super::Limits).
    ///
    /// # Errors
    /// When the bytes are not of this format, or end before its optional parts.
    fn decode(bytes: &[u8]) -> Result<Self> {
        Self::decode_with(bytes, &Options::default())
    }

    /// Decodes a file.
    ///
    /// # Errors
    /// When the bytes are not of this format, end before its optional parts, or exceed a limit.
    fn decode_with(bytes: &[u8], options: &Options) -> Result<Self> {
        Self::check_magic(bytes, options)?;
        let file = Self::decode_in(bytes, options)?;
        let permitted = options.limits.max_depth;
        match file.first_too_deep(permitted) {
            Some(at) => Err(Error::new(at, ErrorKind::Limit(LimitError::Depth { permitted }))),
            None => Ok(file),
        }
    }

    /// Rejects bytes that no file of this format starts with. The first 64 KiB of a file suffice.
    ///
    /// # Errors
    /// [`ErrorKind::Magic`], or when the bytes end within the magic.
    fn check_magic(bytes: &[u8], _options: &Options) -> Result<()> {
        if Self::INFO.magic.is_empty() || Self::detect(bytes) { Ok(()) } else { Err(no_magic::<Self>(bytes)) }
    }

    /// Decodes a file with a known start, in the requested dialect or the one that fits best.
    ///
    /// # Errors
    /// As [`decode_with`](Self::decode_with).
    fn decode_in(bytes: &[u8], options: &Options) -> Result<Self> {
        Self::decode_as(bytes, Self::args(bytes, options)?, options)
    }

    /// Returns the offset of the first object nested in more than `most` others, if there is one.
    fn first_too_deep(&self, _most: usize) -> Option<u64> {
        None
    }

    /// Decodes a file without checking its start.
    ///
    /// # Errors
    /// When the bytes end before the optional parts of the format, or exceed a limit.
    fn decode_as(bytes: &[u8], args: <Self as BinRead>::Args<'static>, options: &Options) -> Result<Self> {
        if bytes.is_empty() {
            return Err(Error::new(0, ErrorKind::Empty));
        }
        let len = bytes.len() as u64;
        let budget = options.budget_for(len).scope();
        budget.charge(len)?;
        let read = Self::read_options(&mut Source::new(bytes).within(&budget), Endian::Little, args.clone());
        let read = read.map_err(into_error);
        let damage = match &read {
            Ok(file) => is_damaged(file).then(|| damage(file)).flatten(),
            Err(error) => Some(error.clone()),
        };
        let cause = damage.filter(|error| matches!(error.kind(), ErrorKind::Truncated { .. }));
        if let Some(cause) = cause.filter(|_| Self::has_lost_its_end(bytes)) {
            // Both are in memory until one is chosen.
            let more = budget.scope();
            let mut source = Source::truncated(bytes).within(&more);
            if let Some(file) = Self::read_truncated(&mut source, bytes, args, cause) {
                budget.release(budget.used() - more.used() - len);
                more.keep();
                budget.keep();
                return Ok(file);
            }
        }
        if read.is_ok() {
            budget.keep();
        }
        read
    }

    /// Returns whether a file that lacks bytes is truncated; otherwise a count or length in it is wrong.
    #[must_use]
    fn has_lost_its_end(_bytes: &[u8]) -> bool {
        true
    }

    /// Decodes a file that ends before its last field; `None` if it does not re-encode identically.
    #[doc(hidden)]
    fn read_truncated(
        source: &mut Source<'_>,
        bytes: &[u8],
        args: <Self as BinRead>::Args<'static>,
        cause: Error,
    ) -> Option<Self> {
        let mut file = Self::read_options(source, Endian::Little, args).ok()?;
        set_truncation(&mut file, Truncation::after_all(cause.clone()))?;
        beyond(&file, bytes)?;
        let Node::Record(record) = file.node() else { return None };
        let truncation = Truncation::at(record, bytes.len() as u64, cause);
        set_truncation(&mut file, truncation)?;
        Some(file)
    }

    /// Encodes the file.
    ///
    /// # Errors
    /// When a list is too long for its count, or lists that share a count have unequal lengths.
    fn encode(&self) -> Result<Vec<u8>> {
        let mut bytes = Vec::new();
        self.encode_into(&mut bytes)?;
        Ok(bytes)
    }

    /// Appends the bytes of the file to a buffer.
    ///
    /// # Errors
    /// As [`encode`](Self::encode); the buffer is then as long as before.
    fn encode_into(&self, buffer: &mut Vec<u8>) -> Result<()> {
        buffer.reserve_exact(usize::try_from(self.size()).unwrap_or(0));
        let mut target = MemoryWriter::after(std::mem::take(buffer));
        let written = self.write_options(&mut target, Endian::Little, ()).map_err(into_error);
        *buffer = target.into_bytes(written.is_ok());
        if written.is_ok() {
            let overrun = usize::try_from(overrun(self)).unwrap_or(usize::MAX);
            buffer.truncate(buffer.len().saturating_sub(overrun));
        }
        written
    }

    /// Writes the bytes of the file, front to back and in small pieces, without holding them in memory.
    ///
    /// # Errors
    /// As [`encode`](Self::encode), and when `out` fails.
    fn encode_to<W: Write>(&self, out: W) -> Result<()> {
        encode_forward(self, out)
    }

    /// Writes the file as JSON; [`read_json`](Self::read_json) rebuilds the same bytes.
    ///
    /// # Errors
    /// When `out` fails.
    fn write_json(&self, out: &mut dyn Write) -> std::io::Result<()> {
        write_document(self, Self::INFO.name, self.dialect(), out)
    }

    /// Reads a file from JSON. Omitted counts, offsets and tags are derived.
    ///
    /// # Errors
    /// [`ErrorKind::Syntax`] when the text is not JSON or does not have the structure of this format; errors of
    /// decoding when the resulting bytes are not a valid file.
    fn read_json(source: &mut dyn Read) -> Result<Self> {
        let document = read_document(source, &Only::<Self>(PhantomData))?;
        let mut options = Options::default();
        if let Some(dialect) = &document.dialect {
            options = options.with_dialect(dialect);
        }
        let mut file = Self::decode_with(&document.content.bytes, &options)?;
        document.complete(&mut file)?;
        Ok(file)
    }
}

/// The only format that a JSON document can have.
struct Only<F>(PhantomData<F>);

impl<F: Format> Formats for Only<F> {
    type Kind = ();

    fn names(&self) -> Vec<&'static str> {
        vec![F::INFO.name]
    }
    fn named(&self, name: &str) -> Option<()> {
        (name == F::INFO.name).then_some(())
    }
    fn info(&self, (): ()) -> &'static Info {
        &F::INFO
    }
    fn shape(&self, (): (), dialect: Option<&str>) -> Shape {
        F::shape_in(dialect)
    }
}

/// Writes a file that is defined by its fields alone: see [`Format::encode_to`].
///
/// # Errors
/// As [`Format::encode_to`].
pub fn encode_forward<F: Format>(file: &F, out: impl Write) -> Result<()> {
    let is_complete = overrun(file) == 0;
    let end = if is_complete { u64::MAX } else { file.size() };
    // Many records consist of a few bytes.
    let mut out = BufWriter::with_capacity(BUFFER, out);
    let mut target = ForwardWriter::new(&mut out, end);
    file.write_options(&mut target, Endian::Little, ()).map_err(into_error)?;
    out.into_inner().map_err(|error| into_error(error.into_error().into()))?;
    Ok(())
}

/// Decodes a valid file of a format that is defined by its fields alone: see [`Format::decode_valid`].
pub fn decode_valid<F: Format, R: Read + Seek>(reader: R, options: &Options) -> Option<F> {
    let source = FileSource::new(reader).ok().filter(|source| source.size() > 0)?;
    let budget = options.budget_for(source.size()).scope();
    let mut source = Source::from(source).within(&budget);
    let mut start = Vec::new();
    source.by_ref().take(START).read_to_end(&mut start).ok()?;
    F::check_magic(&start, options).ok()?;
    source.rewind().ok()?;
    let file = F::read_options(&mut source, Endian::Little, F::args(&start, options).ok()?).ok()?;
    let is_valid = !is_damaged(&file)
        && !has_broken_parts(&file)
        && file.first_too_deep(options.limits.max_depth).is_none();
    let file = is_valid.then_some(file)?;
    budget.keep();
    Some(file)
}

/// The size of the buffer for written bytes, which fits into the first-level cache.
const BUFFER: usize = 1 << 14;

/// The number of bytes that suffices to recognise the start of a file.
const START: u64 = 1 << 16;

/// Returns the error for a file without the magic of a format.
pub fn no_magic<F: Format>(bytes: &[u8]) -> Error {
    let magic = F::INFO.magic;
    let same = bytes.iter().zip(magic).take_while(|(a, b)| a == b).count();
    if same == bytes.len() {
        return no_room(bytes, magic.len());
    }
    let own = bytes[..bytes.len().min(magic.len())].escape_ascii();
    let why = format!("{} starts with \"{}\", this file with \"{own}\"", F::INFO.name, magic.escape_ascii());
    let kind = ErrorKind::Magic(why);
    Error::new(same as u64, kind)
}

/// Returns the error for a file that is shorter than its fixed start.
pub fn no_room(bytes: &[u8], needed: usize) -> Error {
    let truncated = ErrorKind::Truncated { needed: needed as u64, left: bytes.len() as u64 };
    Error::new(0, if bytes.is_empty() { ErrorKind::Empty } else { truncated })
}
