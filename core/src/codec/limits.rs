//! Limits and options of decoding.

/// Limits on the resources that decoding one file takes.
///
/// Memory is proportional to the input, so a false count needs no limit. Packed parts unpack to more than their size on
/// disk and have limits.
///
/// ```
/// use bindpose::Limits;
/// let tight = Limits { max_unpacked: 1 << 20, ..Limits::default() };
/// assert!(tight.max_unpacked < Limits::default().max_unpacked);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// The most bytes that all packed parts of a file may unpack to in total.
    pub max_unpacked: u64,
    /// The largest ratio of unpacked to packed size of a part.
    pub max_ratio: u64,
    /// The deepest nesting of objects.
    pub max_depth: usize,
}

impl Default for Limits {
    /// Limits for trusted and large files: 1 GiB unpacked. What that decodes to can need a multiple of it, so set lower
    /// limits for untrusted files.
    fn default() -> Self {
        Self { max_unpacked: 1 << 30, max_ratio: 1 << 10, max_depth: 1 << 20 }
    }
}

impl Limits {
    /// Bytes of memory that decoding may take for a file of any size: blocks, tables, error messages.
    ///
    /// In addition it takes at most [`Info::memory`](super::Info::memory) bytes for each byte of the file and for each
    /// unpacked byte.
    pub const BASE: usize = 256 * 1024;

    /// Returns limits that allow everything, for trusted files.
    #[must_use]
    pub const fn none() -> Self {
        Self { max_unpacked: u64::MAX, max_ratio: u64::MAX, max_depth: usize::MAX }
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
}
