//! Limits and options of decoding.

use std::time::Duration;

use super::Budget;

/// Limits on the resources that a task takes: decoding a file, and what follows.
///
/// Memory is charged to a [`Budget`] before it is allocated: the bytes of the file, and everything that they unpack and
/// decode to. A file that exceeds a limit is an error of kind [`Limit`](crate::ErrorKind::Limit).
///
/// ```
/// use bindpose::Limits;
/// let tight = Limits::default().with_max_memory(1 << 20).with_max_memory_per_byte(2);
/// assert_eq!(tight.memory_for(1000), (1 << 20) + 2000);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Limits {
    /// The memory in bytes for a file of any size.
    pub max_memory: u64,
    /// Additional memory in bytes for each byte of the file.
    pub max_memory_per_byte: u64,
    /// The deepest nesting of objects.
    pub max_depth: usize,
    /// The time from the creation of a [`Budget`] on. It is compared when memory is charged. Browsers have no clock for it.
    pub max_time: Option<Duration>,
}

impl Default for Limits {
    /// Limits for files from unknown sources: 256 MiB, and 8 bytes for each byte of the file.
    fn default() -> Self {
        Self { max_memory: 256 << 20, max_memory_per_byte: 8, max_depth: 1 << 20, max_time: None }
    }
}

impl Limits {
    /// Returns limits that allow everything, for trusted files.
    #[must_use]
    pub const fn none() -> Self {
        Self { max_memory: u64::MAX, max_memory_per_byte: 0, max_depth: usize::MAX, max_time: None }
    }

    /// Returns the limits with this memory in bytes for a file of any size.
    #[must_use]
    pub const fn with_max_memory(mut self, bytes: u64) -> Self {
        self.max_memory = bytes;
        self
    }

    /// Returns the limits with this additional memory in bytes for each byte of the file.
    #[must_use]
    pub const fn with_max_memory_per_byte(mut self, bytes: u64) -> Self {
        self.max_memory_per_byte = bytes;
        self
    }

    /// Returns the limits with this deepest nesting of objects.
    #[must_use]
    pub const fn with_max_depth(mut self, levels: usize) -> Self {
        self.max_depth = levels;
        self
    }

    /// Returns the limits with this time for decoding a file and what follows with the same [`Budget`].
    #[must_use]
    pub const fn with_max_time(mut self, time: Duration) -> Self {
        self.max_time = Some(time);
        self
    }

    /// Returns the memory in bytes that a file of this length may take.
    #[must_use]
    pub const fn memory_for(&self, len: u64) -> u64 {
        self.max_memory.saturating_add(self.max_memory_per_byte.saturating_mul(len))
    }
}

/// Options of decoding.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Options {
    /// The limits.
    pub limits: Limits,
    /// The dialect, if the format has several; `None` to let the format choose.
    pub dialect: Option<String>,
    /// The account that decoding charges; `None` for one of its own, which the limits determine.
    pub budget: Option<Budget>,
}

impl Options {
    /// Returns the options with a dialect.
    #[must_use]
    pub fn with_dialect(mut self, dialect: impl Into<String>) -> Self {
        self.dialect = Some(dialect.into());
        self
    }

    /// Returns the options with other limits.
    #[must_use]
    pub const fn with_limits(mut self, limits: Limits) -> Self {
        self.limits = limits;
        self
    }

    /// Returns the options with an account that decoding charges. The bytes of the file and its values remain charged
    /// when decoding succeeds; a [scope](Budget::scope) releases them when it is dropped.
    #[must_use]
    pub fn with_budget(mut self, budget: Budget) -> Self {
        self.budget = Some(budget);
        self
    }

    /// Returns the account for decoding a file of this length.
    #[must_use]
    pub fn budget_for(&self, len: u64) -> Budget {
        self.budget.clone().unwrap_or_else(|| Budget::of(&self.limits, len))
    }
}
