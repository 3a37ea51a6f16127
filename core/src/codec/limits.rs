//! What a reader may spend, and which dialect it should read.

/// How much a decoder may spend on one file.
///
/// Without packed parts memory follows the input, so a count that lies is never believed and needs no limit; what
/// unpacks to more than it is on disk does.
///
/// ```
/// use bindpose::Limits;
/// let tight = Limits { max_unpacked: 1 << 20, ..Limits::default() };
/// assert!(tight.max_unpacked < Limits::default().max_unpacked);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Bytes that all packed parts of a file together may unpack to.
    pub max_unpacked: u64,
    /// How many times its own size a packed part may unpack to.
    pub max_ratio: u64,
    /// How deep objects may stand inside one another.
    pub max_depth: usize,
}

impl Default for Limits {
    /// Safe for a server that reads strangers' files.
    fn default() -> Self {
        Self { max_unpacked: 1 << 30, max_ratio: 1 << 10, max_depth: 1 << 20 }
    }
}

impl Limits {
    /// Bytes of memory that decoding may take whatever the size of the file: blocks, tables, the text of an error.
    ///
    /// Beside them it takes at most [`Info::memory`](super::Info::memory) bytes for each byte of the file, and for each
    /// that is unpacked.
    pub const BASE: usize = 256 * 1024;

    /// No limits: for files one trusts.
    #[must_use]
    pub const fn none() -> Self {
        Self { max_unpacked: u64::MAX, max_ratio: u64::MAX, max_depth: usize::MAX }
    }
}

/// How to decode.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Options {
    /// What it may cost.
    pub limits: Limits,
    /// The dialect to read, where the format has several; otherwise the format chooses.
    pub dialect: Option<String>,
}

impl Options {
    /// The same options with a dialect.
    #[must_use]
    pub fn with_dialect(mut self, dialect: impl Into<String>) -> Self {
        self.dialect = Some(dialect.into());
        self
    }

    /// The same options with other limits.
    #[must_use]
    pub const fn with_limits(mut self, limits: Limits) -> Self {
        self.limits = limits;
        self
    }
}
