//! Functions that return files.

use bindpose::FileKind;
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::PyString;

use super::PyFile;
use crate::error::{exception, value_exception};
use crate::input::{Input, Name, PyLimits};

/// Opens a file by its path, reads a file object, or decodes a buffer.
///
/// Name and content determine the format. A damaged file is decoded up to the damage: see `File.damage`.
///
/// >>> bindpose.open("hero.ms3d").format
/// 'ms3d'
///
/// Args:
///     file: a path, a file that is opened in binary mode, such as the member of an archive, or a buffer such as `bytes`.
///     format: the name of the format, with a dialect if it has several: `max-mesh:p12`.
///     limits: limits on the resources that decoding takes.
///
/// Raises:
///     OSError: if the file cannot be read; `FileNotFoundError` if there is none.
///     BindposeError: if no format matches, or the file cannot be decoded.
#[pyfunction]
#[pyo3(signature = (file, *, format=None, limits=None))]
pub fn open(
    file: &Bound<'_, PyAny>,
    format: Option<&str>,
    limits: Option<&Bound<'_, PyLimits>>,
) -> PyResult<PyFile> {
    let input = Input::read(file)?;
    let spec = input.known_spec(format)?;
    PyFile::decode(&input, spec, limits.map(Bound::get))
}

/// Decodes a file from a buffer: `bytes`, `bytearray`, `memoryview`, `mmap` and others.
///
/// `bytes` are not copied, others are.
///
/// >>> with open("hero.ms3d", "rb") as file:
/// ...     bindpose.decode(file.read())["joints[0].name"]
/// 'root'
///
/// Args:
///     data: the bytes.
///     format: the name of the format, with a dialect if it has several; by default, the content determines it.
///     limits: limits on the resources that decoding takes.
///     name: the name of the file without folder and extension, for scenes.
///
/// Raises:
///     BindposeError: if no format matches, or the file cannot be decoded.
#[pyfunction]
#[pyo3(signature = (data, *, format=None, limits=None, name=Name(String::new())))]
pub fn decode(
    data: &Bound<'_, PyAny>,
    format: Option<&str>,
    limits: Option<&Bound<'_, PyLimits>>,
    name: Name,
) -> PyResult<PyFile> {
    if data.is_instance_of::<PyString>() {
        return Err(PyTypeError::new_err("expected a buffer such as bytes, got str; open() reads paths"));
    }
    let input = Input::of(data)?;
    let spec = input.known_spec(format)?;
    let file = PyFile::decode(&input, spec, limits.map(Bound::get))?;
    Ok(PyFile { name: name.0, ..file })
}

/// Rebuilds a pickled file.
#[pyfunction]
#[pyo3(name = "_restore")]
pub fn restore(data: &Bound<'_, PyAny>, format: &str, name: Name) -> PyResult<PyFile> {
    decode(data, Some(format), None, name)
}

/// Rebuilds a file from the output of `File.to_json`, edited or not.
///
/// Omitted counts, lengths and tags are derived.
///
/// >>> text = bindpose.open("hero.ms3d").to_json()
/// >>> bindpose.from_json(text.replace('"top"', '"spine"'))["joints[1].name"]
/// 'spine'
///
/// Raises:
///     BindposeError: if the text is not JSON, does not have the structure of its format, or gives no valid file. `offset` is
///         then that in the UTF-8 text.
#[pyfunction]
pub fn from_json(py: Python<'_>, text: &str) -> PyResult<PyFile> {
    let file = py.detach(|| bindpose::File::from_json(text)).map_err(|error| exception(py, &error, None))?;
    Ok(PyFile::of(file, String::new()))
}

/// Returns the smallest valid file of a format.
///
/// >>> bindpose.blank("ms3d")["joints"]
/// <List joints, 0 elements>
///
/// Raises:
///     BindposeError: if there is no such format.
#[pyfunction]
pub fn blank(py: Python<'_>, format: &str) -> PyResult<PyFile> {
    // Every format has one blank file, whatever its dialects.
    let kind = FileKind::from_name(format);
    let kind = kind.ok_or_else(|| value_exception(py, "", format!("unknown format `{format}`")))?;
    Ok(PyFile::of(kind.blank(), String::new()))
}
