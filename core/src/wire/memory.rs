//! The memory that decoding takes, charged through the reader.
//!
//! binrw passes readers as generic types without methods for this, so a request is a seek to a place that no file has.
//! Readers other than [`Source`](super::Source) reject such seeks, and are not limited.

use std::io::{self, Seek, SeekFrom};

use binrw::BinResult;

use super::LocatedError;
use crate::{Budget, ErrorKind};

/// The memory of a kept error, with its message and path.
pub(crate) const ERROR: usize = 256;

/// The number of elements that a growing list has room for at first.
const FIRST: usize = 4;

/// Seek distances from the end of the file that are requests.
const CHARGE: i64 = i64::MIN + 1;
const RELEASE: i64 = i64::MIN / 2;
const NO_REQUEST: i64 = i64::MIN / 4;

/// A request to a [`Source`](super::Source).
pub(super) enum Request {
    Charge(u64),
    Release(u64),
}

impl Request {
    /// Returns the request that a distance from the end of the stream encodes.
    pub(super) const fn of(distance: i64) -> Option<Self> {
        match distance {
            CHARGE..RELEASE => Some(Self::Charge(distance.abs_diff(CHARGE))),
            RELEASE..NO_REQUEST => Some(Self::Release(distance.abs_diff(RELEASE))),
            _ => None,
        }
    }

    /// Sends the request to a reader.
    pub(super) fn send(self, reader: &mut (impl Seek + ?Sized)) -> io::Result<()> {
        let (base, bytes) = match self {
            Self::Charge(bytes) => (CHARGE, bytes),
            Self::Release(bytes) => (RELEASE, bytes),
        };
        let most = NO_REQUEST.abs_diff(RELEASE) - 1;
        let bytes = i64::try_from(bytes.min(most)).unwrap_or(i64::MAX);
        match reader.seek(SeekFrom::End(base + bytes)) {
            Err(error) if LocatedError::of(&error).is_some() => Err(error),
            _ => Ok(()),
        }
    }
}

/// Charges memory for a part of a decoded value, before it is allocated. Lists, texts and blobs do this themselves.
///
/// # Errors
/// [`ErrorKind::Limit`] when the reader is a [`Source`](super::Source) [with a budget](super::Source::within), and the
/// budget permits less.
///
/// ```
/// use bindpose::wire::{Source, charge};
/// use bindpose::{Budget, Limits};
/// let budget = Budget::of(&Limits::default().with_max_memory(100), 0);
/// let mut source = Source::new(b"four").within(&budget);
/// assert!(charge(&mut source, 100).is_ok());
/// assert!(charge(&mut source, 1).is_err());
/// ```
pub fn charge(reader: &mut (impl Seek + ?Sized), bytes: usize) -> BinResult<()> {
    Ok(Request::Charge(bytes as u64).send(reader)?)
}

/// Returns the memory of an allocation of a number of bytes: allocators round small ones up, and precede each with its size.
pub(crate) const fn allocated(bytes: usize) -> usize {
    match bytes {
        0 => 0,
        1..=24 => 32,
        _ => bytes.saturating_add(8).saturating_add(15) & !15,
    }
}

/// Returns charged memory that is no longer used.
///
/// # Errors
/// None; readers may fail.
pub fn release(reader: &mut (impl Seek + ?Sized), bytes: usize) -> BinResult<()> {
    Ok(Request::Release(bytes as u64).send(reader)?)
}

/// Makes room for another element of a list of at most `count`, and charges the memory.
#[inline]
pub(crate) fn make_room<T>(
    reader: &mut (impl Seek + ?Sized),
    items: &mut Vec<T>,
    count: usize,
) -> BinResult<()> {
    if items.len() < items.capacity() { Ok(()) } else { grow(reader, items, count) }
}

#[cold]
fn grow<T>(reader: &mut (impl Seek + ?Sized), items: &mut Vec<T>, count: usize) -> BinResult<()> {
    let len = items.len();
    let capacity = len.saturating_mul(2).max(FIRST).min(count).max(len + 1);
    reserve(reader, items, capacity - len)
}

/// Reserves room for more elements, and charges the memory.
pub(crate) fn reserve<T>(
    reader: &mut (impl Seek + ?Sized),
    items: &mut Vec<T>,
    more: usize,
) -> BinResult<()> {
    let size = |count: usize| allocated(count.saturating_mul(size_of::<T>()));
    let (before, after) = (items.capacity(), items.len().saturating_add(more));
    if after > before {
        // The elements are moved, so both are in memory for a moment.
        charge(reader, size(after))?;
        items.reserve_exact(more);
        if before > 0 {
            release(reader, size(before))?;
        }
    }
    Ok(())
}

/// Makes room for more bytes in a growing buffer, and charges the memory.
///
/// # Errors
/// As [`charge`].
pub fn room(reader: &mut (impl Seek + ?Sized), bytes: &mut Vec<u8>, more: usize) -> BinResult<()> {
    if bytes.capacity() - bytes.len() >= more {
        return Ok(());
    }
    let double = bytes.capacity().max(more);
    reserve(reader, bytes, double)
}

/// Returns whether decoding failed because a limit is exceeded.
pub(crate) fn is_limit(error: &binrw::Error) -> bool {
    match error {
        binrw::Error::Backtrace(trail) => is_limit(&trail.error),
        binrw::Error::Io(error) => {
            LocatedError::of(error).is_some_and(|refused| matches!(refused.kind, ErrorKind::Limit(_)))
        }
        _ => false,
    }
}

impl Request {
    /// Passes the request of a source at an offset to its account.
    pub(super) fn grant(&self, budget: &Budget, offset: u64) -> io::Result<()> {
        match self {
            Self::Charge(bytes) => budget.charge(*bytes).map_err(|why| {
                let kind = ErrorKind::Limit(why);
                io::Error::new(io::ErrorKind::OutOfMemory, LocatedError { offset, kind })
            }),
            Self::Release(bytes) => {
                budget.release(*bytes);
                Ok(())
            }
        }
    }
}
