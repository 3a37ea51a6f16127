//! Writes files: whole, or not at all.

use std::collections::HashSet;
use std::fs;
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};

use bindpose::files::{self, FileError, IfExists, Place, Transaction};
use bindpose::scene::SafeName;
use pyo3::exceptions::{PyOSError, PyValueError};
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types::PyBytes;

use crate::error::os_error;
use crate::file::PyFile;
use crate::input::{Entries, Name};

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
    save_all(py, encoded.iter().map(|(path, bytes)| (&**path, bytes.as_bytes(), true)))
}

/// Writes files, all or none. Each has whether the caller named it; otherwise its name comes from the input, and a link is not
/// followed.
pub fn save_all<'a>(
    py: Python<'_>,
    files: impl IntoIterator<Item = (&'a Path, &'a [u8], bool)>,
) -> PyResult<()> {
    let files: Vec<_> = files.into_iter().collect();
    let mut places = HashSet::new();
    if let Some((path, ..)) = files.iter().find(|(path, ..)| !places.insert(place_of(path))) {
        let why = format!("{}: several files would be written to this path", path.display());
        return Err(PyValueError::new_err(why));
    }
    py.detach(|| all(&files)).map_err(|FileError { path, cause }| os_error(py, &cause, &path))
}

/// Writes files below a directory, all or none. Links below it are not followed: the names come from the input.
#[pyfunction]
#[pyo3(name = "_save_below")]
pub fn save_below(
    py: Python<'_>,
    directory: PathBuf,
    files: Entries<PathBuf, Bound<'_, PyBytes>>,
) -> PyResult<()> {
    let files: Vec<_> = files.0.iter().map(|(name, bytes)| (name, bytes.as_bytes())).collect();
    let written = py.detach(|| {
        let mut set = Transaction::new();
        for (name, bytes) in files {
            let mut add = || {
                let place = Place::below(&directory, name)?;
                set.create_directories(&place)?;
                fill(&mut set, &place, bytes)
            };
            add().map_err(|cause| FileError { path: directory.join(name), cause })?;
        }
        set.commit().map(drop)
    });
    written.map_err(|FileError { path, cause }| os_error(py, &cause, &path))
}

/// Returns the name of a file: the last part of a name, without what file systems do not permit, with an extension.
#[pyfunction]
#[pyo3(name = "_safe_name")]
pub fn safe_name(name: Name, extension: &str) -> String {
    SafeName::new(&name.0, extension).to_string()
}

/// Writes all bytes to a file object, which can take them in several parts.
pub fn write_to(file: &Bound<'_, PyAny>, bytes: &Bound<'_, PyBytes>) -> PyResult<()> {
    let (py, all) = (file.py(), bytes.as_bytes());
    let mut start = 0;
    loop {
        let rest = if start == 0 { bytes.clone() } else { PyBytes::new(py, &all[start..]) };
        let left = all.len() - start;
        let written = file.call_method1(intern!(py, "write"), (rest,))?;
        // Raw streams return nothing if they would have to wait, others if they took everything.
        let is_raw = || file.is_instance(&py.import("io")?.getattr("RawIOBase")?);
        if left == 0 || written.is_none() && !is_raw()? {
            return Ok(());
        }
        let count = written.extract().ok().filter(|count| (1..=left).contains(count));
        start += count.ok_or_else(|| {
            PyOSError::new_err(format!(
                "write() returned {written}, expected the number of the bytes that it took: 1 to {left}"
            ))
        })?;
    }
}

/// Returns where a path leads to, however it is spelled.
fn place_of(path: &Path) -> PathBuf {
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let named = |folder: PathBuf| folder.join(path.file_name().unwrap_or_default());
    fs::canonicalize(path)
        .or_else(|_| fs::canonicalize(folder).map(named))
        .unwrap_or_else(|_| path.to_owned())
}

fn all(files: &[(&Path, &[u8], bool)]) -> Result<(), FileError> {
    let mut set = Transaction::new();
    for (path, bytes, is_named) in files {
        let name = path.file_name().filter(|_| !is_named);
        let place = name.map_or_else(
            || Ok(Place::named(*path)),
            |name| Place::below(path.parent().unwrap_or(Path::new("")), name),
        );
        let added = place.and_then(|place| fill(&mut set, &place, bytes));
        added.map_err(|cause| FileError { path: PathBuf::from(path), cause })?;
    }
    set.commit().map(drop)
}

/// Adds a file to a set.
fn fill(set: &mut Transaction, place: &Place, bytes: &[u8]) -> io::Result<()> {
    let mut draft = set.draft(place, IfExists::Replace)?;
    draft.write_all(bytes)?;
    draft.read_back()?;
    set.add(draft)
}
