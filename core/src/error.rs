//! What went wrong, and where.

use std::sync::Arc;
use std::{fmt, io};

use crate::schema::FieldPath;

/// The result of everything that can fail here.
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// What went wrong, at which byte of the file and in which of its fields.
///
/// ```
/// let error = bindpose::decode(b"MS3D000000\x04\0\0\0\x02\0").unwrap_err();
/// assert_eq!(error.to_string(), "0x00000010 vertices[0].flags: needs 1 byte, 0 left");
/// assert_eq!(error.offset(), 16);
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Error(Box<Inner>);

#[derive(Clone, Debug, PartialEq, Eq)]
struct Inner {
    offset: u64,
    path: FieldPath,
    kind: ErrorKind,
}

/// What went wrong.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ErrorKind {
    /// The file ends inside a value.
    Truncated {
        /// Bytes the value takes.
        needed: u64,
        /// Bytes the file still has.
        left: u64,
    },
    /// The bytes do not start as the format does.
    Magic(String),
    /// No known format starts like these bytes.
    UnknownFormat,
    /// There are no bytes at all.
    Empty,
    /// A count or length that cannot be: negative, or more than the file can hold.
    Count(String),
    /// A value that decides what follows is none that the format knows.
    Unknown(String),
    /// A limit of [`Limits`](crate::Limits) is exceeded.
    Limit(String),
    /// A text file breaks the rules of its grammar.
    Syntax(String),
    /// A decoded value cannot be written: a list too long for its count, sister lists of unequal length.
    Encode(String),
    /// A path that is misspelt, or leads nowhere in this file.
    Path(String),
    /// A value that does not fit the place it should go to.
    Value(String),
    /// Reading or writing failed outside the data; the cause is the [source](std::error::Error::source).
    Io(IoError),
    /// The reader broke its own promise; please report the file.
    Internal(String),
}

impl Error {
    /// An error at a byte of the file, in no particular field.
    #[must_use]
    pub fn new(offset: u64, kind: ErrorKind) -> Self {
        Self(Box::new(Inner { offset, path: FieldPath::root(), kind }))
    }

    /// The same error, said of a field.
    #[must_use]
    pub fn at(mut self, path: FieldPath) -> Self {
        self.0.path = path;
        self
    }

    /// The same error, seen from the record that holds `outer`.
    #[must_use]
    pub fn inside(mut self, outer: &FieldPath) -> Self {
        self.0.path = outer.join(&self.0.path);
        self
    }

    /// The byte of the file at which things stopped making sense; never beyond its end.
    #[must_use]
    pub fn offset(&self) -> u64 {
        self.0.offset
    }

    /// The field that was being read or changed; the root where none was.
    #[must_use]
    pub fn path(&self) -> &FieldPath {
        &self.0.path
    }

    /// What went wrong.
    #[must_use]
    pub fn kind(&self) -> &ErrorKind {
        &self.0.kind
    }

    /// What went wrong, without the place.
    #[must_use]
    pub fn message(&self) -> String {
        self.0.kind.to_string()
    }
}

impl fmt::Display for Error {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Inner { offset, path, kind } = &*self.0;
        match kind {
            ErrorKind::Path(_) | ErrorKind::Io(_) | ErrorKind::UnknownFormat | ErrorKind::Empty => {
                return kind.fmt(out);
            }
            ErrorKind::Value(_) | ErrorKind::Encode(_) => {}
            _ => write!(out, "0x{offset:08x}")?,
        }
        match (path.steps().is_empty(), kind) {
            (true, ErrorKind::Value(_) | ErrorKind::Encode(_)) => kind.fmt(out),
            (true, _) => write!(out, ": {kind}"),
            (false, ErrorKind::Value(_) | ErrorKind::Encode(_)) => write!(out, "{path}: {kind}"),
            (false, _) => write!(out, " {path}: {kind}"),
        }
    }
}

impl fmt::Display for ErrorKind {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Truncated { needed, left } => {
                write!(out, "needs {}, {left} left", counted(*needed, "byte"))
            }
            Self::UnknownFormat => out.write_str("starts like no known format"),
            Self::Empty => out.write_str("the file is empty"),
            Self::Magic(why)
            | Self::Count(why)
            | Self::Unknown(why)
            | Self::Limit(why)
            | Self::Syntax(why)
            | Self::Encode(why)
            | Self::Path(why)
            | Self::Value(why) => out.write_str(why),
            Self::Io(cause) => cause.fmt(out),
            Self::Internal(why) => write!(out, "internal error, please report the file: {why}"),
        }
    }
}

impl std::error::Error for Error {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match &self.0.kind {
            ErrorKind::Io(IoError(cause)) => Some(&**cause),
            _ => None,
        }
    }
}

/// A failure of reading or writing that can be cloned and compared: by its kind and message.
///
/// ```
/// use std::error::Error;
/// let error = bindpose::open("missing.ms3d").unwrap_err();
/// let cause = error.source().and_then(|source| source.downcast_ref::<std::io::Error>());
/// assert_eq!(cause.unwrap().kind(), std::io::ErrorKind::NotFound);
/// ```
#[derive(Clone, Debug)]
pub struct IoError(Arc<io::Error>);

impl From<io::Error> for IoError {
    fn from(cause: io::Error) -> Self {
        Self(Arc::new(cause))
    }
}

impl PartialEq for IoError {
    fn eq(&self, other: &Self) -> bool {
        self.0.kind() == other.0.kind() && self.0.to_string() == other.0.to_string()
    }
}

impl Eq for IoError {}

impl fmt::Display for IoError {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(out)
    }
}

/// `1 byte`, `2 bytes`, `3 vertices`.
pub fn counted<N: Copy + fmt::Display + PartialEq + From<u8>>(count: N, what: &str) -> String {
    match what.strip_suffix("ex") {
        _ if count == N::from(1) => format!("1 {what}"),
        Some(stem) => format!("{count} {stem}ices"),
        None => format!("{count} {what}s"),
    }
}
