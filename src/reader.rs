//! Reads files, from a disk or from memory.

use std::io::Read as _;
use std::path::{Path, PathBuf};

use crate::files::open_regular;
use crate::{Budget, Document, Error, FormatSpec, LimitError, Limits, Result};

/// Reads and decodes a file with the default [`Limits`]. Its content and its name determine the format.
///
/// # Errors
/// As [`Reader::read`].
pub fn open(path: impl AsRef<Path>) -> Result<Document> {
    Reader::open(path).read()
}

/// How a file is read: from a disk or from memory, with a name, limits and a format.
///
/// ```
/// use bindpose::{Limits, Reader};
/// use std::time::Duration;
/// # let bytes = bindpose::FileKind::Ms3d.blank().encode()?;
/// let limits = Limits::default().with_max_memory(64 << 20).with_max_time(Duration::from_secs(10));
/// let document = Reader::new(bytes).named("hero.ms3d").limits(limits).read()?;
/// assert_eq!(document.file().kind().name(), "ms3d");
/// # Ok::<(), bindpose::Error>(())
/// ```
#[derive(Clone, Debug)]
#[must_use]
pub struct Reader {
    /// The content; none for that of the file of this name.
    bytes: Option<Vec<u8>>,
    name: PathBuf,
    format: Option<FormatSpec>,
    limits: Limits,
    budget: Option<Budget>,
}

impl Reader {
    /// Reads a regular file.
    pub fn open(path: impl AsRef<Path>) -> Self {
        let name = path.as_ref().to_owned();
        Self { bytes: None, name, format: None, limits: Limits::default(), budget: None }
    }

    /// Reads bytes in memory.
    pub fn new(bytes: impl Into<Vec<u8>>) -> Self {
        Self { bytes: Some(bytes.into()), ..Self::open("") }
    }

    /// Sets the name of bytes in memory. As that of a file, it helps to determine the format.
    pub fn named(self, name: impl AsRef<Path>) -> Self {
        Self { name: name.as_ref().to_owned(), ..self }
    }

    /// Sets the format, and its dialect if it has several. Otherwise the content and the name determine it.
    pub fn format(self, format: impl Into<FormatSpec>) -> Self {
        Self { format: Some(format.into()), ..self }
    }

    /// Sets the limits.
    pub fn limits(self, limits: Limits) -> Self {
        Self { limits, ..self }
    }

    /// Charges the memory to an account that the file shares with others, instead of one of its own. It permits more for
    /// each byte of the file, as its limits state.
    pub fn budget(self, budget: Budget) -> Self {
        Self { budget: Some(budget), ..self }
    }

    /// Reads and decodes the file.
    ///
    /// # Errors
    /// [`ErrorKind::Io`](crate::ErrorKind::Io) with the path when the file cannot be read,
    /// [`Foreign`](crate::ErrorKind::Foreign) or [`UnknownFormat`](crate::ErrorKind::UnknownFormat) when no format matches,
    /// [`Limit`](crate::ErrorKind::Limit), and errors of decoding.
    pub fn read(self) -> Result<Document> {
        let (bytes, format) = match self.bytes {
            Some(bytes) => {
                let format = self.format.map_or_else(|| FormatSpec::require(&self.name, &bytes), Ok)?;
                (bytes, format)
            }
            None => self.read_file()?,
        };
        let mut options = format.options(self.limits);
        if let Some(budget) = self.budget {
            budget.admit(bytes.len() as u64);
            options = options.with_budget(budget);
        }
        Document::decode(bytes, format.kind, &options)
    }

    /// Reads the content of a file whose format is known.
    fn read_file(&self) -> Result<(Vec<u8>, FormatSpec)> {
        let failed = |cause| Error::io(&self.name, cause);
        let mut file = open_regular(&self.name).map_err(failed)?;
        let len = file.metadata().map_err(failed)?.len();
        let permitted = self.limits.memory_for(len);
        if len > permitted {
            return Err(LimitError::Memory { needed: len, permitted }.into());
        }
        let mut bytes = Vec::new();
        file.by_ref().take(FormatSpec::HEAD as u64).read_to_end(&mut bytes).map_err(failed)?;
        let format = self.format.map_or_else(|| FormatSpec::require(&self.name, &bytes), Ok)?;
        format.kind.known_start(&bytes, &format.options(self.limits))?;
        // The length of some files of the system is 0 whatever they contain.
        file.take(permitted).read_to_end(&mut bytes).map_err(failed)?;
        Ok((bytes, format))
    }
}
