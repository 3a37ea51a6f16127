//! Files of formats that are known, but not supported.

use std::borrow::Cow;
use std::fmt;

/// The UTF-8 mark that some editors put in front of a text.
pub const MARK: &[u8] = b"\xef\xbb\xbf";

/// What a file is, where it is not of a supported format.
///
/// ```
/// use bindpose::ErrorKind;
/// let error = bindpose::decode(b"version https://git-lfs.github.com/spec/v1\noid sha256:00\n").unwrap_err();
/// assert_eq!(error.to_string(), "the file is a Git LFS pointer");
/// let ErrorKind::Foreign(foreign) = error.kind() else { unreachable!() };
/// assert_eq!(foreign.advice(), "download the file itself with `git lfs pull`");
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Foreign {
    /// A glTF file, which is read as a scene.
    Gltf,
    /// A file of a supported format, in a version that is not known yet.
    Newer {
        /// The version.
        found: String,
        /// The newest supported version.
        newest: String,
    },
    /// A file of a supported format after a UTF-8 mark, which is not a part of it.
    Marked,
    /// A file of another format.
    Other {
        /// The format, with its article.
        name: &'static str,
        /// What to do with such a file.
        advice: &'static str,
    },
}

impl Foreign {
    /// Returns what to do with such a file.
    #[must_use]
    pub const fn advice(&self) -> &'static str {
        match self {
            Self::Gltf => "read it as a scene, or convert it to a supported format",
            Self::Newer { .. } => "report the file and the program that wrote it",
            Self::Marked => "rescue it, which removes the mark",
            Self::Other { advice, .. } => advice,
        }
    }

    /// Returns the format, with its article.
    #[must_use]
    pub fn name(&self) -> Cow<'static, str> {
        match self {
            Self::Gltf => "a glTF scene".into(),
            Self::Newer { found, newest } => {
                format!("{found}, which is newer than {newest}, the newest supported version").into()
            }
            Self::Marked => {
                "of a supported format after a UTF-8 mark (EF BB BF), which an editor added".into()
            }
            Self::Other { name, .. } => Cow::Borrowed(name),
        }
    }
}

impl fmt::Display for Foreign {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "the file is {}", self.name())
    }
}
