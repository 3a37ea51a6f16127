//! Round trips of large files, piece by piece.

use std::io::{self, BufRead, BufReader, Read, Seek, SeekFrom, Write};

use binrw::{BinRead, BinWrite, Endian};

use super::roundtrip::{Survey, difference};
use super::{Format, Options, Outcome, Verdict};
use crate::schema::{Value, sections};
use crate::wire::{FileSource, Source};

/// Decodes, encodes and compares a file piece by piece, in the memory of one piece.
///
/// A piece that fails proves nothing about the file: decode the whole file to find out what is wrong.
///
/// ```
/// use bindpose::codec::{Options, StreamVerifier, Verdict};
/// let kind = bindpose::FileKind::Psk;
/// let bytes = kind.blank().encode()?;
/// let mut pieces = StreamVerifier::new(std::io::Cursor::new(bytes), StreamVerifier::SIZE)?;
/// assert_eq!(kind.verify_stream(&mut pieces, &Options::default()).unwrap().verdict, Verdict::Lossless);
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
    /// Bytes of a piece: fits into the second-level cache.
    pub const SIZE: usize = 1 << 18;
}

impl<R: Read + Seek> StreamVerifier<R> {
    /// Starts at the beginning of a file, with pieces of about `size` bytes.
    ///
    /// # Errors
    /// When the reader fails.
    pub fn new(mut reader: R, size: usize) -> io::Result<Self> {
        let left = reader.seek(SeekFrom::End(0))?;
        reader.rewind()?;
        Ok(Self { reader, left, size, piece: Vec::new(), opaque: 0 })
    }

    /// Returns the number of bytes after the piece.
    pub const fn left(&self) -> u64 {
        self.left
    }

    /// Returns how many records of a length fit into a piece; at least one.
    pub fn fit(&self, len: usize) -> usize {
        self.size.checked_div(len).unwrap_or(usize::MAX).max(1)
    }

    /// Returns the number of opaque bytes in verified pieces.
    pub const fn opaque(&self) -> u64 {
        self.opaque
    }

    /// Returns a reader of the whole file, which charges the memory of the values that are read; `None` if the reader
    /// fails.
    #[doc(hidden)]
    pub fn whole<'s>(&'s mut self, options: &Options) -> Option<Source<'s>> {
        let source = FileSource::new(&mut self.reader).ok()?;
        let budget = options.budget_for(source.size()).scope();
        Some(Source::from(source).within(&budget))
    }

    /// Starts a piece with bytes from elsewhere in the file, such as the header of a list.
    pub fn start(&mut self, header: &[u8]) {
        self.piece.clear();
        self.piece.extend_from_slice(header);
    }

    /// Reads the next bytes of the file into the piece; `None` if fewer are left.
    pub fn take(&mut self, len: usize) -> Option<&[u8]> {
        self.left = self.left.checked_sub(len as u64)?;
        let start = self.piece.len();
        self.piece.resize(start + len, 0);
        self.reader.read_exact(&mut self.piece[start..]).ok()?;
        Some(&self.piece[start..])
    }

    /// Returns whether the file, of which no piece is taken yet, is what a decoded one encodes to.
    fn holds<F: Format>(&mut self, file: &F) -> bool {
        let (len, capacity) = (self.left, self.fit(1));
        let expected = BufReader::with_capacity(capacity, &mut self.reader);
        let mut writer = FileCompareWriter { expected, at: 0 };
        let is_same = writer.expected.rewind().is_ok() && file.encode_to(&mut writer).is_ok();
        is_same && writer.at == len
    }

    /// Verifies that the piece is exactly one valid `T`; `None` if it is not.
    pub fn verify_piece<T>(&mut self) -> Option<T>
    where
        T: Value + for<'a> BinRead<Args<'a> = ()> + for<'a> BinWrite<Args<'a> = ()>,
    {
        let value = T::read_options(&mut Source::new(&self.piece), Endian::Little, ()).ok()?;
        let mut survey = Survey::default();
        let end = sections(&value, &mut survey).continue_value()?;
        let valid = survey.damage.is_none() && difference(&value, &self.piece, end).is_none();
        self.opaque += survey.opaque;
        valid.then_some(value)
    }
}

/// Verifies a round trip with the values of the file in memory, but not its bytes: see [`Format::verify_stream`].
pub fn prove_values<F, R>(pieces: &mut StreamVerifier<R>, options: &Options) -> Option<Outcome>
where
    F: Format,
    R: Read + Seek,
{
    let file = F::decode_valid(&mut pieces.reader, options)?;
    let mut survey = Survey::default();
    let end = sections(&file, &mut survey).continue_value()?;
    let is_same = end == pieces.left && pieces.holds(&file);
    let (dialect, program, opaque) = (file.dialect(), file.writer(), survey.opaque);
    let is_lossless = is_same && survey.damage().is_none();
    is_lossless.then_some(Outcome { verdict: Verdict::Lossless, dialect, writer: program, opaque, rest: 0 })
}

/// Compares written bytes with those of a file, and fails where they differ.
struct FileCompareWriter<R> {
    expected: BufReader<R>,
    at: u64,
}

impl<R: Read> Write for FileCompareWriter<R> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let expected = self.expected.fill_buf()?;
        let len = expected.len().min(bytes.len());
        if expected[..len] != bytes[..len] {
            return Err(io::ErrorKind::InvalidData.into());
        }
        self.expected.consume(len);
        self.at += len as u64;
        Ok(len)
    }

    /// Compares small fields with the buffer without the loop of the default.
    #[inline]
    fn write_all(&mut self, mut bytes: &[u8]) -> io::Result<()> {
        if self.expected.buffer().starts_with(bytes) {
            self.expected.consume(bytes.len());
            self.at += bytes.len() as u64;
            return Ok(());
        }
        while !bytes.is_empty() {
            match self.write(bytes)? {
                0 => return Err(io::ErrorKind::WriteZero.into()),
                len => bytes = &bytes[len..],
            }
        }
        Ok(())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
