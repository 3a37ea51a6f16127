//! Reads files, from a disk or from memory.

use std::fs::File;
use std::io::{self, Read as _};
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
    source: Source,
    /// The name that helps to determine the format.
    name: PathBuf,
    format: Option<FormatSpec>,
    limits: Limits,
    budget: Option<Budget>,
}

#[derive(Clone, Debug)]
enum Source {
    File(PathBuf),
    Memory(Vec<u8>),
}

impl Reader {
    /// Reads a regular file.
    pub fn open(path: impl AsRef<Path>) -> Self {
        let path = path.as_ref();
        Self::of(Source::File(path.to_owned()), path.to_owned())
    }

    /// Reads bytes in memory.
    pub fn new(bytes: impl Into<Vec<u8>>) -> Self {
        Self::of(Source::Memory(bytes.into()), PathBuf::new())
    }

    fn of(source: Source, name: PathBuf) -> Self {
        Self { source, name, format: None, limits: Limits::default(), budget: None }
    }

    /// Sets the name that helps to determine the format: that of bytes in memory, or of a file that is stored under another one.
    pub fn named(self, name: impl AsRef<Path>) -> Self {
        Self { name: name.as_ref().to_owned(), ..self }
    }

    /// Sets the format, and its dialect if it has several. Otherwise the content and the name determine it.
    pub fn format(self, format: impl Into<FormatSpec>) -> Self {
        Self { format: Some(format.into()), ..self }
    }

    /// Sets the limits. With a [`budget`](Self::budget), its memory and time apply instead of theirs.
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
        let Self { source, name, format, limits, budget } = self;
        let (bytes, format) = match source {
            Source::Memory(bytes) => {
                let format = format.map_or_else(|| FormatSpec::require(&name, &bytes), Ok)?;
                (bytes, format)
            }
            Source::File(path) => read_file(&path, &name, format, limits)?,
        };
        let mut options = format.options(limits);
        if let Some(budget) = budget {
            budget.admit(bytes.len() as u64);
            options = options.with_budget(budget);
        }
        Document::decode(bytes, format.kind, &options)
    }
}

/// Reads the content of a file whose format is known.
fn read_file(
    path: &Path,
    name: &Path,
    format: Option<FormatSpec>,
    limits: Limits,
) -> Result<(Vec<u8>, FormatSpec)> {
    let failed = |cause| Error::io(path, cause);
    let Head { mut file, mut bytes } = Head::read(path)?;
    let permitted = limits.memory_for(file.metadata().map_err(failed)?.len());
    let format = format.map_or_else(|| FormatSpec::require(name, &bytes), Ok)?;
    format.kind.check_magic(&bytes, &format.options(limits))?;
    rest(&mut file, &mut bytes, permitted).map_err(failed)?;
    if bytes.len() as u64 > permitted {
        return Err(LimitError::Memory { needed: bytes.len() as u64, permitted }.into());
    }
    Ok((bytes, format))
}

/// A file and its first bytes.
pub(crate) struct Head {
    pub file: File,
    pub bytes: Vec<u8>,
}

impl Head {
    /// Opens a regular file, and reads the bytes that determine its format.
    pub fn read(path: &Path) -> Result<Self> {
        let failed = |cause| Error::io(path, cause);
        let mut file = open_regular(path).map_err(failed)?;
        let mut bytes = Vec::new();
        file.by_ref().take(FormatSpec::HEAD as u64).read_to_end(&mut bytes).map_err(failed)?;
        Ok(Self { file, bytes })
    }
}

/// Reads what follows, until there are more bytes than permitted. The length of some files of the system is 0 whatever they contain.
pub(crate) fn rest(file: &mut File, bytes: &mut Vec<u8>, permitted: u64) -> io::Result<()> {
    let more = permitted.saturating_add(1).saturating_sub(bytes.len() as u64);
    file.take(more).read_to_end(bytes).map(drop)
}
