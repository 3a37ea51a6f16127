//! Detects the format of a file by its content and its name.

use std::fmt;
use std::path::Path;
use std::str::FromStr;

use super::{FileKind, foreign};
use crate::{Error, ErrorKind, Limits, Options, Result};

/// A format and optionally one of its dialects: `max-skeleton:m48`.
///
/// ```
/// use bindpose::{FileKind, FormatSpec};
/// let spec: FormatSpec = "ms3d".parse()?;
/// assert_eq!(spec, FormatSpec { kind: FileKind::Ms3d, dialect: None });
/// # Ok::<(), bindpose::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct FormatSpec {
    /// The format.
    pub kind: FileKind,
    /// The dialect; none for the one that the format detects or uses by default.
    pub dialect: Option<&'static str>,
}

impl FileKind {
    /// Returns the format of a file that starts with these bytes; none if the content does not determine it.
    #[must_use]
    pub fn detect(head: &[u8]) -> Option<Self> {
        Self::ALL.iter().copied().find(|kind| kind.recognizes(head))
    }

    /// As [`detect`](Self::detect).
    ///
    /// # Errors
    /// [`ErrorKind::Foreign`] if the file is of another known format, [`ErrorKind::Empty`] if it is empty, otherwise
    /// [`ErrorKind::UnknownFormat`].
    pub fn require(head: &[u8]) -> Result<Self> {
        Self::detect(head).ok_or_else(|| foreign::unsupported(head))
    }

    /// Returns whether this format has this extension, and whether other programs use it for other formats.
    fn extension(self, extension: &str) -> Option<Ownership> {
        let info = self.info();
        let own = info.extensions.iter().find(|own| own.eq_ignore_ascii_case(extension))?;
        Some(if info.shared_extensions.contains(own) { Ownership::Shared } else { Ownership::Own })
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Ownership {
    Own,
    Shared,
}

impl FormatSpec {
    /// The number of bytes from the start of a file that determine its format.
    pub const HEAD: usize = 1 << 16;

    /// Returns the format of a file by its name and its first bytes; none if it is not supported.
    /// [`HEAD`](Self::HEAD) bytes suffice.
    ///
    /// A name that [states the format](Self::named) takes precedence over the content. The extension distinguishes
    /// formats with the same magic. If the content is not recognised, an extension that no other program uses
    /// determines the format; a shared one does if the file is empty, truncated inside the magic or a placeholder. A UTF-8 mark in
    /// front of the content is ignored, so that the error of decoding can name it.
    /// [`ErrorKind::Foreign`] describes placeholders: Git LFS pointers, zeros, and newer versions of the format.
    ///
    /// ```
    /// use bindpose::{FileKind, FormatSpec};
    /// let spec = FormatSpec::detect("hero.bak".as_ref(), b"MS3D000000\x04\0\0\0");
    /// assert_eq!(spec.map(|spec| spec.kind), Some(FileKind::Ms3d));
    /// assert_eq!(FormatSpec::detect("notes.txt".as_ref(), b"To do:"), None);
    /// ```
    #[must_use]
    pub fn detect(path: &Path, head: &[u8]) -> Option<Self> {
        Self::named(path).or_else(|| {
            let extension = path.extension().and_then(|extension| extension.to_str()).unwrap_or("");
            let marked = || by_content(extension, foreign::unmarked(head)?);
            by_content(extension, head)
                .or_else(marked)
                .or_else(|| by_extension(extension, head))
                .map(Self::from)
        })
    }

    /// As [`detect`](Self::detect).
    ///
    /// # Errors
    /// [`ErrorKind::Foreign`] if the file is of another known format, [`ErrorKind::Empty`] if it is empty, otherwise
    /// [`ErrorKind::UnknownFormat`].
    pub fn require(path: &Path, head: &[u8]) -> Result<Self> {
        Self::detect(path, head).ok_or_else(|| foreign::unsupported(head))
    }

    /// Returns the format stated in the name of a file: `hero.max-skeleton+m48.bin`.
    ///
    /// If the name of the format is one of its extensions, the file must have an extension of the format.
    ///
    /// ```
    /// use bindpose::{FileKind, FormatSpec};
    /// let spec = FormatSpec::named("hero.ms3d.ms3d".as_ref());
    /// assert_eq!(spec.map(|spec| spec.kind), Some(FileKind::Ms3d));
    /// assert_eq!(FormatSpec::named("hero.ms3d.meta".as_ref()), None, "a sidecar file of another program");
    /// ```
    #[must_use]
    pub fn named(path: &Path) -> Option<Self> {
        let (front, extension) = path.file_name()?.to_str()?.rsplit_once('.')?;
        let (_, spec) = front.rsplit_once('.')?;
        let spec = Self::parse(spec, '+').ok()?;
        let is_extension = spec.kind.extension(spec.kind.name()).is_some();
        (!is_extension || spec.kind.extension(extension).is_some()).then_some(spec)
    }

    /// Returns the name of a file without its folder, its extension, and the format that it may state before that: the name of a
    /// [part](crate::scene::Part) of a scene.
    ///
    /// ```
    /// use bindpose::FormatSpec;
    /// assert_eq!(FormatSpec::stem("hero/walk.max-animation.bin".as_ref()), "walk");
    /// assert_eq!(FormatSpec::stem("hero/walk.fast.psa".as_ref()), "walk.fast");
    /// ```
    #[must_use]
    pub fn stem(path: &Path) -> String {
        let stem = path.file_stem().unwrap_or_default().to_string_lossy();
        let is_format =
            |text: &str| FileKind::from_name(text.split('+').next().unwrap_or_default()).is_some();
        let stated = stem.rsplit_once('.').filter(|(_, format)| is_format(format));
        stated.map_or(&*stem, |(name, _)| name).to_owned()
    }

    /// Returns the options to decode a file of this format.
    #[must_use]
    pub fn options(self, limits: Limits) -> Options {
        let options = Options::default().with_limits(limits);
        match self.dialect {
            Some(dialect) => options.with_dialect(dialect),
            None => options,
        }
    }

    fn parse(text: &str, separator: char) -> Result<Self, String> {
        let (format, dialect) =
            text.split_once(separator).map_or((text, None), |(format, dialect)| (format, Some(dialect)));
        let kind = FileKind::from_name(format).ok_or_else(|| no_format(format))?;
        let dialects = kind.info().dialects;
        let dialect = dialect
            .map(|name| {
                let known = dialects.iter().copied().find(|own| *own == name);
                known.ok_or_else(|| kind.info().no_dialect(name))
            })
            .transpose()?;
        Ok(Self { kind, dialect })
    }
}

fn by_content(extension: &str, head: &[u8]) -> Option<FileKind> {
    let mut first = None;
    for &kind in FileKind::ALL.iter().filter(|kind| kind.recognizes(head)) {
        if kind.extension(extension).is_some() {
            return Some(kind);
        }
        first = first.or(Some(kind));
    }
    first
}

fn by_extension(extension: &str, bytes: &[u8]) -> Option<FileKind> {
    FileKind::ALL.iter().copied().find(|kind| match kind.extension(extension) {
        Some(Ownership::Own) => true,
        Some(Ownership::Shared) => {
            kind.is_truncated_magic(bytes) || kind.is_truncated_magic(b"") && foreign::is_placeholder(bytes)
        }
        None => false,
    })
}

fn no_format(name: &str) -> String {
    let names: Vec<_> = FileKind::ALL.iter().map(|kind| kind.name()).collect();
    format!("unknown format `{name}`; expected one of {}", names.join(", "))
}

impl From<FileKind> for FormatSpec {
    fn from(kind: FileKind) -> Self {
        Self { kind, dialect: None }
    }
}

impl FromStr for FormatSpec {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self, Error> {
        Self::parse(text, ':').map_err(|why| Error::new(0, ErrorKind::Value(why.into())))
    }
}

impl fmt::Display for FormatSpec {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(self.kind.name())?;
        self.dialect.map_or(Ok(()), |dialect| write!(out, ":{dialect}"))
    }
}
