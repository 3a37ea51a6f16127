//! The memory that decoding takes, charged to an account of the thread.
//!
//! binrw passes readers as generic types without methods for this, and readers of one's own would have to pass it on.

use std::cell::RefCell;
use std::io::Seek;
use std::marker::PhantomData;

use binrw::BinResult;

use super::{LocatedError, refuse};
use crate::{Budget, ErrorKind};

thread_local! {
    static ACCOUNT: RefCell<Option<Budget>> = const { RefCell::new(None) };
}

/// The account to which this thread charges what it reads, until the value is dropped.
pub(super) struct Account {
    outer: Option<Budget>,
    on_this_thread: PhantomData<*const ()>,
}

impl Account {
    pub fn open(budget: &Budget) -> Self {
        Self { outer: ACCOUNT.replace(Some(budget.clone())), on_this_thread: PhantomData }
    }
}

impl Drop for Account {
    fn drop(&mut self) {
        ACCOUNT.set(self.outer.take());
    }
}

/// The memory of a kept error, with its message and path.
pub(crate) const ERROR: usize = 256;

/// The number of elements that a growing list has room for at first.
const FIRST: usize = 4;

/// Charges memory for a part of a decoded value, before it is allocated. Lists, texts and blobs do this themselves.
///
/// # Errors
/// [`ErrorKind::Limit`] while a [`Source`](super::Source) [with a budget](super::Source::within) is read, and the budget permits
/// less.
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
    let charged =
        ACCOUNT.with_borrow(|own| own.as_ref().map_or(Ok(()), |budget| budget.charge(bytes as u64)));
    match charged {
        Ok(()) => Ok(()),
        Err(why) => Err(refuse(reader.stream_position()?, ErrorKind::Limit(why))),
    }
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
pub fn release(bytes: usize) {
    ACCOUNT.with_borrow(|own| own.as_ref().map(|budget| budget.release(bytes as u64)));
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
            release(size(before));
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
