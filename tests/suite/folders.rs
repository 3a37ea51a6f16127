//! Where the files to be tested lie.

use std::path::{Path, PathBuf};

use bindpose::{FileKind, Limits, Options, Spec};
use walkdir::WalkDir;

/// A folder of the repository.
pub fn own(folder: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests").join(folder)
}

/// A folder named by the environment, from the root of the repository.
pub fn named(variable: &str) -> Option<PathBuf> {
    let folder = std::env::var_os(variable)?;
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join(folder);
    assert!(folder.is_dir(), "{variable} names no folder: {}", folder.display());
    Some(folder)
}

/// Every file below a folder, in a stable order, with its content.
pub fn files(folder: &Path) -> impl Iterator<Item = (PathBuf, Vec<u8>)> + use<> {
    let entries = WalkDir::new(folder).sort_by_file_name().into_iter().filter_map(Result::ok);
    entries.filter(|entry| entry.file_type().is_file()).map(|entry| {
        let bytes =
            std::fs::read(entry.path()).unwrap_or_else(|error| panic!("{}: {error}", entry.path().display()));
        (entry.into_path(), bytes)
    })
}

/// The format of a file, and how to decode it: by its name, or by its content.
pub fn kind(path: &Path, bytes: &[u8]) -> Option<(FileKind, Options)> {
    let spec = Spec::detect(path, bytes)?;
    Some((spec.kind, spec.options(Limits::default())))
}
