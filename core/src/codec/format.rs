//! What every format can do.

use std::marker::PhantomData;

use binrw::io::{Read, Seek, Write};
use binrw::{BinRead, BinWrite, Endian};

use super::memory_writer::MemoryWriter;
use super::{About, Options, Outcome, StreamVerifier};
use crate::json::{Formats, read_document, write_document};
use crate::schema::{Schema, Shape};
use crate::wire::{Source, into_error};
use crate::{Error, ErrorKind, Result};

/// What is known of a format beside its layout.
#[derive(Debug, PartialEq, Eq)]
pub struct Info {
    /// The name, as on the command line: `ms3d`.
    pub name: &'static str,
    /// The name in full.
    pub title: &'static str,
    /// File extensions without the dot. An asterisk in front of one says that other formats use it too.
    pub extensions: &'static [&'static str],
    /// The bytes a file starts with; empty where it has none.
    pub magic: &'static [u8],
    /// The dialects, the default first; empty where there is one layout.
    pub dialects: &'static [&'static str],
    /// What the published schema leaves out; empty where it says everything.
    pub schema_note: &'static str,
    /// How many bytes of memory decoding takes at most for each byte of the file, beside [`Limits::BASE`](super::Limits::BASE);
    /// what is unpacked counts as if it stood in the file.
    pub memory: usize,
}

/// A dialect for a file, and why.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Proposal {
    /// The dialect.
    pub dialect: &'static str,
    /// What speaks for it.
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
pub trait Format: Schema + BinRead + for<'a> BinWrite<Args<'a> = ()> {
    /// What is known of the format beside its layout.
    const INFO: Info;

    /// What the root must be told to be read.
    ///
    /// # Errors
    /// [`ErrorKind::Value`] for a dialect the format does not have.
    fn args(bytes: &[u8], options: &Options) -> Result<<Self as BinRead>::Args<'static>>;

    /// Returns the smallest valid file of this format.
    #[must_use]
    fn blank_file() -> Self {
        Self::blank(None)
    }

    /// Whether a file that starts with these bytes is of this format.
    #[must_use]
    fn detect(head: &[u8]) -> bool {
        !Self::INFO.magic.is_empty() && head.starts_with(Self::INFO.magic)
    }

    /// Whether a file of these bytes could be one of this format, cut inside the magic; an empty one could where there is
    /// a magic.
    #[must_use]
    fn is_cut(bytes: &[u8]) -> bool {
        !Self::INFO.magic.is_empty() && Self::INFO.magic.starts_with(bytes)
    }

    /// The dialect this file is in, where the format has several.
    fn dialect(&self) -> Option<&'static str> {
        None
    }

    /// What a file of a dialect consists of, where that is more than the published schema says.
    #[must_use]
    fn shape_in(_dialect: Option<&str>) -> Shape {
        Self::shape()
    }

    /// The dialect that a file is best read in, and why; none where the format has one layout.
    #[must_use]
    fn propose(_bytes: &[u8]) -> Option<Proposal> {
        None
    }

    /// How to decode this file again: in its own dialect, under the default limits.
    fn options(&self) -> Options {
        self.dialect().map_or_else(Options::default, |dialect| Options::default().with_dialect(dialect))
    }

    /// The program that wrote the file, where its marks can be told; cheap, for it is asked of every file.
    fn writer(&self) -> Option<&'static str> {
        None
    }

    /// What the file holds, at a glance.
    fn about(&self) -> About {
        About::default()
    }

    /// Proves in little memory that a file is sound and comes back; none where only the whole file can tell.
    fn prove<R: Read + Seek>(_pieces: &mut StreamVerifier<R>, _options: &Options) -> Option<Outcome> {
        None
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
        Self::known_start(bytes, options)?;
        let file = Self::decode_in(bytes, options)?;
        let most = options.limits.max_depth;
        match file.deeper_than(most) {
            Some(at) => Err(Error::new(
                at,
                ErrorKind::Limit(format!("objects stand more than {most} deep in one another")),
            )),
            None => Ok(file),
        }
    }

    /// Refuses what no file of this format starts with.
    ///
    /// # Errors
    /// [`ErrorKind::Magic`], or when the bytes end within the magic.
    fn known_start(bytes: &[u8], _options: &Options) -> Result<()> {
        if Self::INFO.magic.is_empty() || Self::detect(bytes) { Ok(()) } else { Err(no_magic::<Self>(bytes)) }
    }

    /// Decodes a file that starts as one of this format, in the dialect that is asked for or that fits best.
    ///
    /// # Errors
    /// As [`decode_with`](Self::decode_with).
    fn decode_in(bytes: &[u8], options: &Options) -> Result<Self> {
        Self::decode_as(bytes, Self::args(bytes, options)?)
    }

    /// Where the first object begins that has so many others or more around it; none where there is none, or where
    /// objects of the format do not stand inside one another.
    fn deeper_than(&self, _most: usize) -> Option<u64> {
        None
    }

    /// Decodes a file whatever it starts with.
    ///
    /// # Errors
    /// When the bytes end before the optional parts of the format, or exceed a limit.
    fn decode_as(bytes: &[u8], args: <Self as BinRead>::Args<'static>) -> Result<Self> {
        Self::read_options(&mut Source::new(bytes), Endian::Little, args).map_err(|error| match bytes {
            [] => Error::new(0, ErrorKind::Empty),
            _ => into_error(error),
        })
    }

    /// The bytes of the file.
    ///
    /// # Errors
    /// When a list is longer than its count can say, or lists that share a count are of unequal length.
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
        let written = self.write_to(&mut target);
        *buffer = target.into_bytes(written.is_ok());
        written
    }

    /// Writes the file as JSON that [`read_json`](Self::read_json) makes the same bytes of.
    ///
    /// # Errors
    /// When `out` fails.
    fn write_json(&self, out: &mut dyn Write) -> std::io::Result<()> {
        write_document(self, Self::INFO.name, self.dialect(), out)
    }

    /// Reads a file from JSON. Counts, offsets and tags that the text leaves out follow from the rest.
    ///
    /// # Errors
    /// [`ErrorKind::Syntax`] where the text is not JSON or not of this format; errors of decoding when the bytes it stands
    /// for are no such file.
    fn read_json(source: &mut dyn Read) -> Result<Self> {
        let document = read_document(source, &Only::<Self>(PhantomData))?;
        let mut options = Options::default();
        if let Some(dialect) = &document.dialect {
            options = options.with_dialect(dialect);
        }
        let mut file = Self::decode_with(&document.bytes, &options)?;
        document.fill(&mut file)?;
        Ok(file)
    }

    /// Writes the bytes of the file, front to back.
    ///
    /// # Errors
    /// As [`encode`](Self::encode), and when the writer fails.
    fn write_to<W: Write + Seek>(&self, writer: &mut W) -> Result<()> {
        self.write_options(writer, Endian::Little, ()).map_err(into_error)
    }
}

/// The one format that a document can be of.
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

/// What is wrong with a file that does not start like one of a format.
pub fn no_magic<F: Format>(bytes: &[u8]) -> Error {
    let magic = F::INFO.magic;
    let same = bytes.iter().zip(magic).take_while(|(a, b)| a == b).count();
    if same == bytes.len() {
        return no_room(bytes, magic.len());
    }
    let kind = ErrorKind::Magic(format!("{} starts with \"{}\"", F::INFO.name, magic.escape_ascii()));
    Error::new(same as u64, kind)
}

/// What is wrong with a file that is shorter than what it must start with.
pub fn no_room(bytes: &[u8], needed: usize) -> Error {
    let truncated = ErrorKind::Truncated { needed: needed as u64, left: bytes.len() as u64 };
    Error::new(0, if bytes.is_empty() { ErrorKind::Empty } else { truncated })
}
