//! Errors with an offset and a path.

use std::borrow::Cow;
use std::fmt::Write as _;
use std::panic::AssertUnwindSafe;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;
use std::{fmt, io};

use crate::Foreign;
use crate::schema::{EditError, FieldPath, PathError};

/// The result of every fallible function.
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// An error: its kind, the byte of the file and the field.
///
/// ```
/// let truncated = bindpose::decode(b"MS3D000000\x04\0\0\0\x02\0")?;
/// let error = truncated.damage().expect("the count is 2, but there are no vertices");
/// assert_eq!(error.path().to_string(), "vertices[0].flags");
/// assert_eq!(error.offset(), 16);
/// # Ok::<(), bindpose::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Error(Box<Inner>);

#[derive(Clone, Debug, PartialEq, Eq)]
struct Inner {
    offset: u64,
    path: FieldPath,
    kind: ErrorKind,
}

/// The kind of an [`Error`].
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ErrorKind {
    /// The file ends inside a value.
    Truncated {
        /// The size of the value in bytes.
        needed: u64,
        /// The number of bytes left in the file.
        left: u64,
    },
    /// The file does not start with the magic of the format.
    Magic(String),
    /// No supported format starts with these bytes.
    UnknownFormat,
    /// The file is of another format.
    Foreign(Foreign),
    /// The file is empty.
    Empty,
    /// A count or length is invalid: negative, or more than fits into the file.
    Count(String),
    /// A tag, version or other value that determines what follows is unknown.
    Unknown(String),
    /// A limit of [`Limits`](crate::Limits) is exceeded.
    Limit(LimitError),
    /// A text file breaks the rules of its grammar.
    Syntax(String),
    /// A value cannot be encoded: a list is too long for its count, or lists that share a count have unequal lengths.
    Encode(String),
    /// A path is malformed, or selects nothing in this file.
    Path(PathError),
    /// A value cannot be changed as asked.
    Value(EditError),
    /// Reading or writing failed outside the data; the cause is the [source](std::error::Error::source).
    Io(IoError),
    /// A bug in the library; please report the file.
    Internal(String),
}

impl ErrorKind {
    /// Returns the name of the kind, as the bindings for other languages report it.
    ///
    /// ```
    /// assert_eq!(bindpose_core::ErrorKind::UnknownFormat.name(), "unknown-format");
    /// ```
    #[must_use]
    pub const fn name(&self) -> &'static str {
        match self {
            Self::Truncated { .. } => "truncated",
            Self::Magic(_) => "magic",
            Self::UnknownFormat => "unknown-format",
            Self::Foreign(_) => "foreign",
            Self::Empty => "empty",
            Self::Count(_) => "count",
            Self::Unknown(_) => "unknown",
            Self::Limit(_) => "limit",
            Self::Syntax(_) => "syntax",
            Self::Encode(_) => "encode",
            Self::Path(_) => "path",
            Self::Value(_) => "value",
            Self::Io(_) => "io",
            Self::Internal(_) => "internal",
        }
    }

    /// Writes the message, however long it is.
    fn write(&self, out: &mut String) -> fmt::Result {
        match self {
            Self::Truncated { needed, left } => {
                write!(out, "file ends inside the value ({} needed, {left} left)", counted(*needed, "byte"))
            }
            Self::UnknownFormat => out.write_str("unrecognised format"),
            Self::Foreign(foreign) => write!(out, "{foreign}"),
            Self::Empty => out.write_str("the file is empty"),
            Self::Magic(why)
            | Self::Count(why)
            | Self::Unknown(why)
            | Self::Syntax(why)
            | Self::Encode(why) => out.write_str(why),
            Self::Limit(why) => write!(out, "{why}"),
            Self::Path(why) => write!(out, "{why}"),
            Self::Value(why) => write!(out, "{why}"),
            Self::Io(cause) => write!(out, "{cause}"),
            Self::Internal(why) => write!(out, "internal error, please report the file: {why}"),
        }
    }
}

/// A limit that a file exceeds, with the permitted and the required amount.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum LimitError {
    /// A [`Budget`](crate::Budget) permits less memory.
    Memory {
        /// The number of bytes that are needed at this place; the file may need more after it.
        needed: u64,
        /// The number of permitted bytes.
        permitted: u64,
    },
    /// Objects are nested more [deeply](crate::Limits::max_depth).
    Depth {
        /// The number of permitted levels.
        permitted: usize,
    },
    /// The time of [`Limits`](crate::Limits::max_time) is over.
    Time {
        /// The permitted time.
        permitted: Duration,
    },
    /// A text or a list of tokens is too long for its index.
    Length {
        /// The number of bytes or tokens.
        actual: u64,
        /// The largest number.
        permitted: u64,
    },
}

impl fmt::Display for LimitError {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Memory { needed, permitted } => write!(
                out,
                "takes at least {} of memory, more than the limit of {permitted}",
                counted(*needed, "byte")
            ),
            Self::Depth { permitted } => {
                write!(
                    out,
                    "objects are nested deeper than the limit of {}",
                    counted(*permitted as u64, "level")
                )
            }
            Self::Time { permitted } => write!(out, "takes longer than the limit of {permitted:?}"),
            Self::Length { actual, permitted } => {
                write!(out, "the content has a length of {actual}, more than the limit of {permitted}")
            }
        }
    }
}

impl std::error::Error for LimitError {}

/// Returns a text to quote in a message: of a longer one, the first 40 characters.
pub(crate) fn shortened(text: &str) -> Cow<'_, str> {
    match text.char_indices().nth(40) {
        Some((end, _)) => format!("{}…", &text[..end]).into(),
        None => text.into(),
    }
}

impl From<LimitError> for Error {
    /// Returns an error at the start of the file, without a field.
    fn from(why: LimitError) -> Self {
        Self::new(0, ErrorKind::Limit(why))
    }
}

impl Error {
    /// Creates an error at a byte of the file, without a field.
    #[must_use]
    pub fn new(offset: u64, kind: ErrorKind) -> Self {
        Self(Box::new(Inner { offset, path: FieldPath::root(), kind }))
    }

    /// Creates an error for a file that cannot be read or written.
    #[must_use]
    pub fn io(path: impl Into<PathBuf>, cause: io::Error) -> Self {
        Self::new(0, ErrorKind::Io(IoError::from(cause).of(path)))
    }

    /// Returns the error with a field.
    #[must_use]
    pub fn at(mut self, path: FieldPath) -> Self {
        self.0.path = path;
        self
    }

    /// Returns the error with its path prefixed by `outer`.
    #[must_use]
    pub fn inside(mut self, outer: &FieldPath) -> Self {
        self.0.path = outer.join(&self.0.path);
        self
    }

    /// Returns the offset in the file; never beyond its end.
    #[must_use]
    pub fn offset(&self) -> u64 {
        self.0.offset
    }

    /// Returns the field that was read or changed; the root if there was none.
    #[must_use]
    pub fn path(&self) -> &FieldPath {
        &self.0.path
    }

    /// Returns the kind of the error.
    #[must_use]
    pub fn kind(&self) -> &ErrorKind {
        &self.0.kind
    }

    /// Returns the message without offset and path.
    #[must_use]
    pub fn message(&self) -> String {
        self.0.kind.to_string()
    }
}

impl fmt::Display for Error {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Inner { offset, path, kind } = &*self.0;
        match kind {
            ErrorKind::UnknownFormat | ErrorKind::Foreign(_) | ErrorKind::Empty => return kind.fmt(out),
            // A limit of the whole file.
            ErrorKind::Limit(_) if *offset == 0 && path.steps().is_empty() => return kind.fmt(out),
            ErrorKind::Io(_) | ErrorKind::Path(_) | ErrorKind::Value(_) | ErrorKind::Encode(_)
                if path.steps().is_empty() =>
            {
                return kind.fmt(out);
            }
            ErrorKind::Io(_) | ErrorKind::Path(_) | ErrorKind::Value(_) | ErrorKind::Encode(_) => {}
            _ => write!(out, "0x{offset:08x}{}", if path.steps().is_empty() { "" } else { " " })?,
        }
        write!(out, "{path}: {kind}")
    }
}

/// The most bytes of a message. Texts of files are parts of messages, and of any length.
const MAX_MESSAGE: usize = 2000;

impl fmt::Display for ErrorKind {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut text = String::new();
        self.write(&mut text)?;
        if text.len() <= MAX_MESSAGE {
            return out.write_str(&text);
        }
        let boundary = |at: usize| (0..=at).rev().find(|at| text.is_char_boundary(*at)).unwrap_or(0);
        let (start, end) = (boundary(MAX_MESSAGE / 2), boundary(text.len() - MAX_MESSAGE / 4));
        write!(out, "{} [{} more] {}", &text[..start], counted((end - start) as u64, "byte"), &text[end..])
    }
}

impl std::error::Error for Error {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match &self.0.kind {
            ErrorKind::Io(IoError { cause, .. }) => Some(&***cause),
            ErrorKind::Limit(why) => Some(why),
            ErrorKind::Path(why) => Some(why),
            ErrorKind::Value(why) => Some(why),
            _ => None,
        }
    }
}

/// A failure of reading or writing that can be cloned and compared: by its kind and message.
///
/// ```
/// use std::error::Error;
/// let error = bindpose::open("missing.ms3d").unwrap_err();
/// assert!(error.to_string().starts_with("missing.ms3d: "));
/// let cause = error.source().and_then(|source| source.downcast_ref::<std::io::Error>());
/// assert_eq!(cause.unwrap().kind(), std::io::ErrorKind::NotFound);
/// ```
#[derive(Clone, Debug)]
pub struct IoError {
    /// It is never changed, so a panic leaves nothing half-done in it.
    cause: Arc<AssertUnwindSafe<io::Error>>,
    path: Option<PathBuf>,
}

impl IoError {
    /// Returns the failure with the file that it concerns.
    #[must_use]
    pub fn of(self, path: impl Into<PathBuf>) -> Self {
        Self { path: Some(path.into()), ..self }
    }
}

impl From<io::Error> for IoError {
    fn from(cause: io::Error) -> Self {
        Self { cause: Arc::new(AssertUnwindSafe(cause)), path: None }
    }
}

impl PartialEq for IoError {
    fn eq(&self, other: &Self) -> bool {
        self.cause.kind() == other.cause.kind() && self.to_string() == other.to_string()
    }
}

impl Eq for IoError {}

impl fmt::Display for IoError {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(path) = &self.path {
            write!(out, "{}: ", path.display())?;
        }
        self.cause.fmt(out)
    }
}

/// Returns a number with its noun: `1 byte`, `2 bytes`, `3 vertices`.
pub fn counted<N: Copy + fmt::Display + PartialEq + From<u8>>(count: N, what: &str) -> String {
    if count == N::from(1) { format!("1 {what}") } else { format!("{count} {}", plural(what)) }
}

/// Returns the plural of a word.
pub(crate) fn plural(what: &str) -> String {
    match what.strip_suffix("ex") {
        Some(stem) => format!("{stem}ices"),
        None if what.ends_with("sh") || what.ends_with("ch") => format!("{what}es"),
        None => format!("{what}s"),
    }
}
