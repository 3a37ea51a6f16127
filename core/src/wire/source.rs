//! A reader for binrw whose errors have offsets.

use std::fmt;
use std::io::{self, Read, Seek, SeekFrom};

use super::memory::Account;
use super::scope;
use crate::{Budget, ErrorKind};

/// A cursor over the bytes of a file whose end-of-file error states the offset and the missing bytes.
///
/// All that is read comes from this type, so that a definition is compiled for one reader.
pub struct Source<'a> {
    bytes: &'a [u8],
    at: usize,
    /// Whether the file is known to be truncated; zeros follow its end then.
    is_truncated: bool,
    /// Gives the bytes of a file that is not in memory; there are no others then.
    input: Option<Box<dyn Input + 'a>>,
    account: Option<Account>,
}

/// A reader of bytes that are not in memory.
trait Input: Read + Seek {}

impl<T: Read + Seek> Input for T {}

impl<'a> Source<'a> {
    /// Starts at the first byte.
    #[must_use]
    pub const fn new(bytes: &'a [u8]) -> Self {
        Self { bytes, at: 0, is_truncated: false, input: None, account: None }
    }

    /// Returns a reader of a truncated file: zeros follow its end, and lists keep the elements that are present.
    #[must_use]
    pub const fn truncated(bytes: &'a [u8]) -> Self {
        Self { bytes, at: 0, is_truncated: true, input: None, account: None }
    }

    /// Reads what another reader gives.
    pub(crate) fn from(input: impl Read + Seek + 'a) -> Self {
        Self { input: Some(Box::new(input)), ..Self::new(&[]) }
    }

    /// Charges the memory of the values that this thread reads, from this reader and others, to a budget until the reader is dropped.
    #[must_use]
    pub fn within(mut self, budget: &Budget) -> Self {
        // The account before it ends first.
        drop(self.account.take());
        self.account = Some(Account::open(budget));
        self
    }

    fn left(&self) -> &'a [u8] {
        self.bytes.get(self.at..).unwrap_or_default()
    }

    /// Reads more than there is in memory.
    fn read_beyond(&mut self, buffer: &mut [u8]) -> io::Result<()> {
        if let Some(input) = &mut self.input {
            return input.read_exact(buffer);
        }
        let left = self.left();
        if !self.is_truncated {
            return Err(truncated(self.at as u64, buffer.len() as u64, left.len() as u64));
        }
        let (there, missing) = buffer.split_at_mut(left.len());
        there.copy_from_slice(left);
        missing.fill(0);
        self.at += buffer.len();
        Ok(())
    }
}

/// A seek distance that no file has. Seeking there tests whether a reader is a truncated [`Source`]: binrw passes
/// readers as generic types without methods for this.
const IS_TRUNCATED: SeekFrom = SeekFrom::End(i64::MIN);

/// Returns whether the reader is [truncated](Source::truncated), in a part that the file does not contain whole.
pub(super) fn is_truncated(reader: &mut impl Seek) -> bool {
    scope::end().is_none() && reader.seek(IS_TRUNCATED).is_ok()
}

/// A seek distance that no file has. Seeking there asks a reader that generates values from entropy whether a value
/// comes from its constructor; other readers reject it.
pub(crate) const IS_CONSTRUCTED: SeekFrom = SeekFrom::End(i64::MIN / 4);

/// A seek distance that no file has. Seeking there asks a reader that generates values from entropy whether a part follows the
/// one before it, wherever its header places it; other readers reject it.
pub(crate) const IS_IN_ORDER: SeekFrom = SeekFrom::End(i64::MIN / 4 + 1);

/// Returns whether a part of a layout is generated where the reader is.
pub(super) fn is_in_order(reader: &mut impl Seek) -> bool {
    reader.seek(IS_IN_ORDER).is_ok()
}

/// Returns whether to construct a value instead of reading one, as new values have no stored encoding.
pub(super) fn is_constructed(reader: &mut impl Seek) -> bool {
    reader.seek(IS_CONSTRUCTED).is_ok()
}

/// Returns whether the reader is [truncated](Source::truncated) and is at the end of the file.
///
/// Lists and choices call it to stop at the end of the file instead of reading zeros.
///
/// # Errors
/// When the reader cannot seek.
pub fn past_end(reader: &mut impl Seek) -> io::Result<bool> {
    if !is_truncated(reader) {
        return Ok(false);
    }
    let at = reader.stream_position()?;
    let end = reader.seek(SeekFrom::End(0))?;
    reader.seek(SeekFrom::Start(at))?;
    Ok(at >= end)
}

impl fmt::Debug for Source<'_> {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "Source at {} of {} bytes", self.at, self.bytes.len())
    }
}

impl Read for Source<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if let Some(input) = &mut self.input {
            return input.read(buffer);
        }
        let left = self.left();
        let n = left.len().min(buffer.len());
        buffer[..n].copy_from_slice(&left[..n]);
        self.at += n;
        Ok(n)
    }

    #[inline]
    fn read_exact(&mut self, buffer: &mut [u8]) -> io::Result<()> {
        let left = self.left();
        let Some(bytes) = left.get(..buffer.len()) else { return self.read_beyond(buffer) };
        buffer.copy_from_slice(bytes);
        self.at += buffer.len();
        Ok(())
    }

    fn read_to_end(&mut self, buffer: &mut Vec<u8>) -> io::Result<usize> {
        if let Some(input) = &mut self.input {
            return input.read_to_end(buffer);
        }
        let left = self.left();
        buffer.extend_from_slice(left);
        self.at = self.at.max(self.bytes.len());
        Ok(left.len())
    }
}

impl Seek for Source<'_> {
    #[inline]
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        if let Some(input) = &mut self.input {
            return input.seek(to);
        }
        let target = match to {
            IS_TRUNCATED if self.is_truncated => return Ok(self.at as u64),
            SeekFrom::Start(offset) => i64::try_from(offset).ok(),
            SeekFrom::Current(distance) => {
                i64::try_from(self.at).ok().and_then(|at| at.checked_add(distance))
            }
            SeekFrom::End(distance) => {
                i64::try_from(self.bytes.len()).ok().and_then(|end| end.checked_add(distance))
            }
        };
        // Positions beyond the end of a whole file are refused, so every offset is within the file.
        let is_inside = |at: &usize| *at <= self.bytes.len() || self.is_truncated;
        let target = target.and_then(|target| usize::try_from(target).ok()).filter(is_inside);
        self.at = target.ok_or(io::ErrorKind::InvalidInput)?;
        Ok(self.at as u64)
    }

    #[inline]
    fn stream_position(&mut self) -> io::Result<u64> {
        self.input.as_mut().map_or(Ok(self.at as u64), Seek::stream_position)
    }
}

/// The kind and the offset of an error, carried through binrw inside an [`io::Error`].
#[derive(Clone, Debug)]
pub struct LocatedError {
    /// Offset within the unpacked bytes.
    pub offset: u64,
    /// The kind of the error.
    pub kind: ErrorKind,
}

impl LocatedError {
    /// Returns the error inside an error of a reader.
    pub(super) fn of(error: &io::Error) -> Option<&Self> {
        error.get_ref()?.downcast_ref()
    }
}

impl fmt::Display for LocatedError {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "0x{:08x}: {}", self.offset, self.kind)
    }
}

impl std::error::Error for LocatedError {}

/// Creates an error at a byte of the file, for readers of single values.
///
/// ```
/// use bindpose::ErrorKind;
/// use bindpose::wire::refuse;
/// let error: binrw::Error = refuse(0x2a, ErrorKind::Unknown("sub-version 77".into()));
/// assert!(error.to_string().contains("sub-version 77"));
/// ```
#[must_use]
pub fn refuse(offset: u64, kind: ErrorKind) -> binrw::Error {
    binrw::Error::Io(io::Error::new(io::ErrorKind::InvalidData, LocatedError { offset, kind }))
}

fn truncated(offset: u64, needed: u64, left: u64) -> io::Error {
    let error = LocatedError { offset, kind: ErrorKind::Truncated { needed, left } };
    io::Error::new(io::ErrorKind::UnexpectedEof, error)
}
