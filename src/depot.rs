//! The files that belong to a file, by their names.
//!
//! ```
//! use std::path::Path;
//! use bindpose::FileKind;
//! use bindpose::depot::sidecars;
//! assert_eq!(sidecars(Path::new("nowhere/walk.psa"), FileKind::Psa), []);
//! ```

use std::path::{Path, PathBuf};

use crate::FileKind;

/// A file that its writer puts beside another, and that changes the meaning of that.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Sidecar {
    /// The path.
    pub path: PathBuf,
    /// The format.
    pub kind: FileKind,
    /// What it adds.
    pub why: &'static str,
}

/// The kinds of sidecars: the format of the file, that of the sidecar, and what it adds.
const KINDS: &[(FileKind, FileKind, &str)] =
    &[(FileKind::Psa, FileKind::PsaConfig, "it names the tracks that the game does not have")];

/// Returns the files beside a file that have its name, another extension, and belong to it. Only their names are compared.
#[must_use]
pub fn sidecars(path: &Path, kind: FileKind) -> Vec<Sidecar> {
    let own = KINDS.iter().filter(|(of, ..)| *of == kind);
    let found = own.filter_map(|(_, kind, why)| {
        let spelled =
            kind.info().plain_extensions().flat_map(|own| [own.to_owned(), own.to_ascii_uppercase()]);
        let mut paths = spelled.map(|extension| path.with_extension(extension));
        Some(Sidecar { path: paths.find(|path| path.is_file())?, kind: *kind, why })
    });
    found.collect()
}
