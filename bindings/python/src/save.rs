//! Writes files: whole, or not at all.

use std::collections::HashSet;
use std::fs;
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};

use bindpose::files::{self, FileError, IfExists, Place, Transaction};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

use crate::error::os_error;
use crate::file::PyFile;
use crate::input::Entries;

/// Writes a file. A link is followed. An existing file keeps its owner and permissions. Devices and pipes are written directly.
pub fn save(path: &Path, bytes: &[u8]) -> io::Result<()> {
    files::write(path, bytes, IfExists::Replace)
}

/// Writes files to paths, all or none.
///
/// If one cannot be written, the others keep their old contents; so they do if the program is killed, after the next run that
/// writes in one of their folders.
///
/// >>> body, run = bindpose.open("body.psk"), bindpose.open("run.psa")
/// >>> bindpose.save_set({"body.psk": body, "run.psa": run})
///
/// Args:
///     files: the files, or their bytes, by their paths.
///
/// Raises:
///     OSError: if a file cannot be written.
///     ValueError: if two paths are those of the same file.
///     BindposeError: as `File.encode`.
#[pyfunction]
pub fn save_set(py: Python<'_>, files: Entries<PathBuf, Bound<'_, PyAny>>) -> PyResult<()> {
    let mut encoded = Vec::new();
    for (path, file) in files.0 {
        let bytes = match file.cast::<PyFile>() {
            Ok(own) => own.get().encode(py)?,
            Err(_) => file.extract()?,
        };
        encoded.push((path, bytes));
    }
    save_all(py, encoded.iter().map(|(path, bytes)| (&**path, bytes.as_bytes())))
}

/// Writes files, all or none.
pub fn save_all<'a>(py: Python<'_>, files: impl IntoIterator<Item = (&'a Path, &'a [u8])>) -> PyResult<()> {
    let files: Vec<_> = files.into_iter().collect();
    let mut places = HashSet::new();
    if let Some((path, _)) = files.iter().find(|(path, _)| !places.insert(place_of(path))) {
        let why = format!("{}: several files would be written to this path", path.display());
        return Err(PyValueError::new_err(why));
    }
    py.detach(|| all(&files)).map_err(|FileError { path, cause }| os_error(py, &cause, &path))
}

/// Returns where a path leads to, however it is spelled.
fn place_of(path: &Path) -> PathBuf {
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let named = |folder: PathBuf| folder.join(path.file_name().unwrap_or_default());
    fs::canonicalize(path)
        .or_else(|_| fs::canonicalize(folder).map(named))
        .unwrap_or_else(|_| path.to_owned())
}

fn all(files: &[(&Path, &[u8])]) -> Result<(), FileError> {
    let mut set = Transaction::new();
    for (path, bytes) in files {
        let mut add = || {
            let mut draft = set.draft(&Place::named(*path), IfExists::Replace)?;
            draft.write_all(bytes)?;
            draft.read_back()?;
            set.add(draft)
        };
        add().map_err(|cause| FileError { path: PathBuf::from(path), cause })?;
    }
    set.commit().map(drop)
}
