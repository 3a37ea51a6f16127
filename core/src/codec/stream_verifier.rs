//! Files proven sound piece by piece, in the memory that one piece takes.

use std::io::{self, Read, Seek, SeekFrom};

use binrw::{BinRead, BinWrite, Endian};

use super::roundtrip::{Survey, difference};
use crate::schema::{Value, sections};
use crate::wire::Source;

/// A file, cut into pieces that are decoded, encoded and compared one after the other in the same memory.
///
/// What cannot be proven so is not thereby unsound: then the whole file is decoded at once, to say what is wrong with it.
///
/// ```
/// use bindpose::codec::{Options, StreamVerifier, Verdict};
/// let kind = bindpose::FileKind::Psk;
/// let bytes = kind.blank().encode()?;
/// let mut pieces = StreamVerifier::new(std::io::Cursor::new(bytes), StreamVerifier::SIZE)?;
/// assert_eq!(kind.prove(&mut pieces, &Options::default()).unwrap().verdict, Verdict::Lossless);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct StreamVerifier<R> {
    reader: R,
    left: u64,
    size: usize,
    piece: Vec<u8>,
    opaque: u64,
}

impl StreamVerifier<()> {
    /// Bytes of a piece: few enough to stay in the second cache, enough to be worth a call.
    pub const SIZE: usize = 1 << 18;
}

impl<R: Read + Seek> StreamVerifier<R> {
    /// Starts at the beginning of a file, to be read in pieces of about this many bytes.
    ///
    /// # Errors
    /// As the reader.
    pub fn new(mut reader: R, size: usize) -> io::Result<Self> {
        let left = reader.seek(SeekFrom::End(0))?;
        reader.rewind()?;
        Ok(Self { reader, left, size, piece: Vec::new(), opaque: 0 })
    }

    /// Bytes of the file behind the piece.
    pub const fn left(&self) -> u64 {
        self.left
    }

    /// How many records of a length fit into a piece; at least one.
    pub fn fit(&self, len: usize) -> usize {
        self.size.checked_div(len).unwrap_or(usize::MAX).max(1)
    }

    /// Opaque bytes in what was proven.
    pub const fn opaque(&self) -> u64 {
        self.opaque
    }

    /// Starts a piece with bytes that stand elsewhere in the file, such as the header that all records of a list share.
    pub fn start(&mut self, header: &[u8]) {
        self.piece.clear();
        self.piece.extend_from_slice(header);
    }

    /// Reads further bytes of the file into the piece; none where it has not as many.
    pub fn take(&mut self, len: usize) -> Option<&[u8]> {
        self.left = self.left.checked_sub(len as u64)?;
        let start = self.piece.len();
        self.piece.resize(start + len, 0);
        self.reader.read_exact(&mut self.piece[start..]).ok()?;
        Some(&self.piece[start..])
    }

    /// The piece, proven to be exactly one sound `T`; none where it is not.
    pub fn prove<T>(&mut self) -> Option<T>
    where
        T: Value + for<'a> BinRead<Args<'a> = ()> + for<'a> BinWrite<Args<'a> = ()>,
    {
        let value = T::read_options(&mut Source::new(&self.piece), Endian::Little, ()).ok()?;
        let mut survey = Survey::default();
        let end = sections(&value, &mut survey).continue_value()?;
        let sound = survey.damage.is_none() && difference(&value, &self.piece, end).is_none();
        self.opaque += survey.opaque;
        sound.then_some(value)
    }
}
