//! The memory and the time that a task may take.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use super::Limits;
use crate::LimitError;
use crate::wire::allocated;

/// The memory and the time that a task may take, from decoding its files to writing the results.
///
/// Memory is charged before it is allocated. Clones share one account, from any number of threads. A [scope](Self::scope)
/// draws from the same account, and returns what it has charged when it is dropped.
///
/// ```
/// use bindpose::{Budget, Limits};
/// let budget = Budget::of(&Limits::default().with_max_memory(1000), 0);
/// let mut list: Vec<u64> = Vec::new();
/// budget.reserve(&mut list, 100)?;
/// assert!(budget.charge(200).is_err());
///
/// let temporary = budget.grant(100)?;
/// let used = budget.used();
/// drop(temporary);
/// assert_eq!(budget.used(), used - 100);
/// # Ok::<(), bindpose::LimitError>(())
/// ```
#[derive(Clone, Debug)]
pub struct Budget(Arc<Account>);

/// Counters need no order: no other memory depends on them.
const RELAXED: Ordering = Ordering::Relaxed;

#[derive(Debug)]
struct Account {
    /// The account that a scope draws from.
    parent: Option<Budget>,
    used: AtomicU64,
    permitted: AtomicU64,
    per_byte: u64,
    /// When the time is over, and its length.
    deadline: Option<(Instant, Duration)>,
}

impl Default for Budget {
    /// The memory of the default [`Limits`] for inputs of no length: 256 MiB.
    fn default() -> Self {
        Self::of(&Limits::default(), 0)
    }
}

impl PartialEq for Budget {
    /// Returns whether both are one account.
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }
}

impl Eq for Budget {}

impl Budget {
    /// Returns the memory that [`Limits`] permit for inputs of a total length.
    #[must_use]
    pub fn of(limits: &Limits, len: u64) -> Self {
        Self(Arc::new(Account {
            parent: None,
            used: AtomicU64::new(0),
            permitted: AtomicU64::new(limits.memory_for(len)),
            per_byte: limits.max_memory_per_byte,
            deadline: limits.max_time.and_then(|time| Some((Instant::now().checked_add(time)?, time))),
        }))
    }

    /// Returns a part of the same account. What it has charged is released when its last clone is dropped, unless it is
    /// [kept](Self::keep).
    #[must_use]
    pub fn scope(&self) -> Self {
        Self(Arc::new(Account {
            parent: Some(self.clone()),
            used: AtomicU64::new(0),
            permitted: AtomicU64::new(0),
            per_byte: 0,
            deadline: None,
        }))
    }

    /// Charges temporary memory, which is released when the returned scope is dropped.
    ///
    /// # Errors
    /// As [`charge`](Self::charge).
    pub fn grant(&self, bytes: u64) -> Result<Self, LimitError> {
        let scope = self.scope();
        scope.charge(bytes)?;
        Ok(scope)
    }

    /// Leaves what a scope has charged to the account that it draws from.
    pub fn keep(self) {
        self.0.used.store(0, RELAXED);
    }

    /// Permits the memory for another input of a length.
    pub fn admit(&self, len: u64) {
        let account = self.accounts().last().unwrap_or(&self.0);
        let more = account.per_byte.saturating_mul(len);
        add(&account.permitted, more);
    }

    /// Charges memory that is about to be allocated.
    ///
    /// # Errors
    /// If more is in use then than is permitted, or the time is over. Nothing is charged.
    pub fn charge(&self, bytes: u64) -> Result<(), LimitError> {
        let account = self.accounts().last().unwrap_or(&self.0);
        if let Some((end, permitted)) = account.deadline
            && Instant::now() >= end
        {
            return Err(LimitError::Time { permitted });
        }
        let permitted = account.permitted.load(RELAXED);
        let within =
            |used: u64| Some(used.saturating_add(bytes)).filter(|needed| *needed <= permitted || bytes == 0);
        if let Err(used) = account.used.fetch_update(RELAXED, RELAXED, within) {
            return Err(LimitError::Memory { needed: used.saturating_add(bytes), permitted });
        }
        for scope in self.accounts().filter(|own| own.parent.is_some()) {
            add(&scope.used, bytes);
        }
        Ok(())
    }

    /// Returns charged memory that is no longer used.
    pub fn release(&self, bytes: u64) {
        for account in self.accounts() {
            account.used.fetch_update(RELAXED, RELAXED, |used| Some(used.saturating_sub(bytes))).ok();
        }
    }

    /// Makes room for more elements in a list, and charges it. A list that is not empty at least doubles.
    ///
    /// # Errors
    /// As [`charge`](Self::charge). The list is unchanged.
    pub fn reserve<T>(&self, list: &mut Vec<T>, more: usize) -> Result<(), LimitError> {
        let (capacity, needed) = (list.capacity(), list.len().saturating_add(more));
        if needed <= capacity {
            return Ok(());
        }
        let needed = needed.max(capacity.saturating_mul(2));
        // The elements are moved, so both are in memory for a moment.
        self.charge(size_of_list::<T>(needed))?;
        list.reserve_exact(needed - list.len());
        self.release(size_of_list::<T>(capacity));
        Ok(())
    }

    /// Returns the charged memory in bytes: of the account, or of a scope alone.
    #[must_use]
    pub fn used(&self) -> u64 {
        self.0.used.load(RELAXED)
    }

    /// Returns the permitted memory in bytes.
    #[must_use]
    pub fn permitted(&self) -> u64 {
        self.accounts().last().map_or(0, |account| account.permitted.load(RELAXED))
    }

    /// Returns the memory in bytes that is permitted and not in use.
    #[must_use]
    pub fn left(&self) -> u64 {
        self.accounts()
            .last()
            .map_or(0, |account| account.permitted.load(RELAXED).saturating_sub(account.used.load(RELAXED)))
    }

    /// Returns the account, and those that it draws from.
    fn accounts(&self) -> impl Iterator<Item = &Account> {
        std::iter::successors(Some(&*self.0), |account| account.parent.as_ref().map(|parent| &*parent.0))
    }
}

impl Drop for Account {
    fn drop(&mut self) {
        if let Some(parent) = &self.parent {
            parent.release(*self.used.get_mut());
        }
    }
}

fn add(counter: &AtomicU64, bytes: u64) {
    counter.fetch_update(RELAXED, RELAXED, |sum| Some(sum.saturating_add(bytes))).ok();
}

fn size_of_list<T>(count: usize) -> u64 {
    allocated(count.saturating_mul(size_of::<T>())) as u64
}

#[cfg(test)]
mod tests {
    use super::Budget;
    use crate::{LimitError, Limits};

    fn budget(bytes: u64) -> Budget {
        Budget::of(&Limits::default().with_max_memory(bytes), 0)
    }

    #[test]
    fn clones_share_one_account() {
        let budget = budget(100);
        std::thread::scope(|threads| {
            for _ in 0..4 {
                let own = budget.clone();
                threads.spawn(move || (0..25).for_each(|_| own.charge(1).expect("a hundred bytes")));
            }
        });
        assert_eq!(budget.charge(1), Err(LimitError::Memory { needed: 101, permitted: 100 }));
        budget.release(1);
        assert_eq!((budget.charge(1), budget.used()), (Ok(()), 100));
    }

    #[test]
    fn a_scope_returns_what_it_charged() {
        let budget = budget(100);
        let outer = budget.scope();
        outer.charge(10).expect("few bytes");
        let inner = outer.grant(60).expect("few bytes");
        assert_eq!((budget.used(), outer.used(), inner.used()), (70, 70, 60));
        assert!(inner.charge(31).is_err());
        drop(inner);
        assert_eq!((budget.used(), outer.used()), (10, 10));
        outer.grant(5).expect("few bytes").keep();
        assert_eq!((budget.used(), outer.used()), (15, 15));
        outer.keep();
        assert_eq!(budget.used(), 15);
    }

    #[test]
    fn another_input_permits_more() {
        let budget = budget(100);
        budget.scope().admit(10);
        assert_eq!(budget.permitted(), 180);
    }

    #[test]
    fn a_growing_list_is_charged_once() {
        let budget = budget(10_000);
        let mut list = Vec::new();
        for number in 0..400_u64 {
            budget.reserve(&mut list, 1).expect("room");
            list.push(number);
        }
        assert!((3200..=5000).contains(&budget.used()), "{}", budget.used());
        let before = budget.used();
        assert!(budget.reserve(&mut list, 1000).is_err());
        assert_eq!((budget.used(), list.len()), (before, 400));
    }
}
