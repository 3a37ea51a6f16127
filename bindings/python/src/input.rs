//! Files given by path, buffer or object, and how they are decoded.

use std::fs;
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use bindpose::{Error, FormatSpec, Limits, Options};
use pyo3::conversion::FromPyObjectOwned;
use pyo3::exceptions::{PyOverflowError, PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict, PyMapping, PyMemoryView, PyString};

use crate::error::{exception, os_error};

/// Returns an integer. One beyond 128 bits becomes the nearest one, which is out of every range, too.
pub fn integer(object: &Bound<'_, PyAny>) -> PyResult<i128> {
    object.extract().or_else(|error: PyErr| {
        if !error.is_instance_of::<PyOverflowError>(object.py()) {
            return Err(error);
        }
        Ok(if object.lt(0)? { i128::MIN } else { i128::MAX })
    })
}

/// As [`integer`]; nothing for `None`.
pub fn optional_integer(object: &Bound<'_, PyAny>) -> PyResult<Option<i128>> {
    if object.is_none() { Ok(None) } else { integer(object).map(Some) }
}

/// Returns an argument of a type of integers without a sign.
pub fn within<T: TryFrom<i128>>(name: &str, given: i128) -> PyResult<T> {
    T::try_from(given).map_err(|_| {
        let bits = 8 * size_of::<T>();
        let given = match given {
            i128::MIN => "an integer of more than 127 bits, below 0".to_owned(),
            i128::MAX => "an integer of more than 127 bits".to_owned(),
            given => given.to_string(),
        };
        PyValueError::new_err(format!("expected {name} of 0 or more, and less than 2**{bits}, got {given}"))
    })
}

/// A name that is given as text. Parts that are not Unicode are U+FFFD, as in the names of files.
#[derive(Debug)]
pub struct Name(pub String);

impl<'py> FromPyObject<'_, 'py> for Name {
    type Error = PyErr;

    fn extract(object: Borrowed<'_, 'py, PyAny>) -> PyResult<Self> {
        let text = object.cast::<PyString>()?;
        if let Ok(text) = text.to_cow() {
            return Ok(Self(text.into_owned()));
        }
        Ok(Self(match text.extract::<PathBuf>() {
            Ok(path) => path.to_string_lossy().into_owned(),
            Err(_) => text.to_string_lossy().into_owned(),
        }))
    }
}

/// Limits on the resources that decoding one file takes.
///
/// Args:
///     max_memory: the memory in bytes for a file of any size; by default 256 MiB.
///     max_memory_per_byte: additional memory in bytes for each byte of the file; by default 8.
///     max_depth: the deepest nesting of objects; by default 1048576.
///
/// >>> bindpose.Limits(max_memory=1 << 20)
/// Limits(max_memory=1048576, max_memory_per_byte=8, max_depth=1048576)
#[pyclass(name = "Limits", module = "bindpose", frozen, eq)]
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct PyLimits(pub Limits);

#[pymethods]
impl PyLimits {
    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<(Bound<'py, PyAny>, ())> {
        let arguments = PyDict::new(py);
        arguments.set_item("max_memory", self.0.max_memory)?;
        arguments.set_item("max_memory_per_byte", self.0.max_memory_per_byte)?;
        arguments.set_item("max_depth", self.0.max_depth)?;
        let partial = py.import("functools")?.getattr("partial")?;
        Ok((partial.call((py.get_type::<Self>(),), Some(&arguments))?, ()))
    }

    #[new]
    #[pyo3(signature = (*, max_memory=None, max_memory_per_byte=None, max_depth=None))]
    fn new(
        #[pyo3(from_py_with = optional_integer)] max_memory: Option<i128>,
        #[pyo3(from_py_with = optional_integer)] max_memory_per_byte: Option<i128>,
        #[pyo3(from_py_with = optional_integer)] max_depth: Option<i128>,
    ) -> PyResult<Self> {
        let mut limits = Limits::default();
        limits.max_memory = limit("max_memory", max_memory, limits.max_memory)?;
        limits.max_memory_per_byte =
            limit("max_memory_per_byte", max_memory_per_byte, limits.max_memory_per_byte)?;
        limits.max_depth = limit("max_depth", max_depth, limits.max_depth)?;
        Ok(Self(limits))
    }

    /// Limits that allow everything, for trusted files.
    #[staticmethod]
    fn none() -> Self {
        Self(Limits::none())
    }

    /// The memory in bytes for a file of any size.
    #[getter]
    const fn max_memory(&self) -> u64 {
        self.0.max_memory
    }

    /// Additional memory in bytes for each byte of the file.
    #[getter]
    const fn max_memory_per_byte(&self) -> u64 {
        self.0.max_memory_per_byte
    }

    /// The deepest nesting of objects.
    #[getter]
    const fn max_depth(&self) -> usize {
        self.0.max_depth
    }

    fn __repr__(&self) -> String {
        let Limits { max_memory: memory, max_memory_per_byte: per_byte, max_depth: depth, .. } = self.0;
        format!("Limits(max_memory={memory}, max_memory_per_byte={per_byte}, max_depth={depth})")
    }
}

/// Returns a limit, or its usual value.
fn limit<T: TryFrom<i128>>(name: &str, given: Option<i128>, usual: T) -> PyResult<T> {
    given.map_or(Ok(usual), |given| within(name, given))
}

/// The entries of a dictionary, or of another mapping.
#[derive(Debug)]
pub struct Entries<K, V>(pub Vec<(K, V)>);

impl<'py, K: FromPyObjectOwned<'py>, V: FromPyObjectOwned<'py>> FromPyObject<'_, 'py> for Entries<K, V> {
    type Error = PyErr;

    fn extract(object: Borrowed<'_, 'py, PyAny>) -> PyResult<Self> {
        let Ok(mapping) = object.cast::<PyMapping>() else {
            let name = object.get_type().name()?;
            return Err(PyTypeError::new_err(format!("expected a mapping such as a dict, got {name}")));
        };
        mapping.items()?.iter().map(|pair| pair.extract()).collect::<PyResult<_>>().map(Self)
    }
}

/// The bytes of a file, and what is known of it before decoding.
#[derive(Debug)]
pub struct Input<'py> {
    pub bytes: Bound<'py, PyBytes>,
    pub path: Option<PathBuf>,
    /// The name of a file object, which need not exist on a disk.
    label: Option<PathBuf>,
}

/// Returns the path that an object is, or has as `os.PathLike`.
pub fn path_of(data: &Bound<'_, PyAny>) -> PyResult<Option<PathBuf>> {
    if data.is_instance_of::<PyString>() || data.hasattr("__fspath__")? {
        // A path can be bytes.
        return data.py().import("os")?.call_method1("fsdecode", (data,))?.extract().map(Some);
    }
    Ok(None)
}

/// Returns the path that an object is; none for a file object to write to.
pub fn path_or_stream(data: &Bound<'_, PyAny>) -> PyResult<Option<PathBuf>> {
    let path = path_of(data)?;
    if path.is_none() && !data.hasattr("write")? {
        let name = data.get_type().name()?;
        return Err(PyTypeError::new_err(format!("expected a path or a binary file, got {name}")));
    }
    if path.is_none() {
        refuse_text(data)?;
    }
    Ok(path)
}

/// Refuses files in text mode, which have characters instead of bytes.
fn refuse_text(file: &Bound<'_, PyAny>) -> PyResult<()> {
    if file.is_instance(&file.py().import("io")?.getattr("TextIOBase")?)? {
        return Err(PyTypeError::new_err("expected a file that is opened in binary mode"));
    }
    Ok(())
}

/// Returns the name of a file object; none for one in memory.
pub fn name_of(file: &Bound<'_, PyAny>) -> Option<PathBuf> {
    file.getattr("name").ok()?.extract().ok()
}

/// Returns the bytes of a buffer: the object itself if it is `bytes`, otherwise a copy.
pub fn buffer<'py>(data: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyBytes>> {
    if let Ok(bytes) = data.cast_exact::<PyBytes>() {
        return Ok(bytes.clone());
    }
    let view = PyMemoryView::from(data).map_err(|_| {
        let name = data.get_type().name().map_or_else(|_| "object".to_owned(), |name| name.to_string());
        PyTypeError::new_err(format!("expected a path, a binary file or a buffer such as bytes, got {name}"))
    })?;
    Ok(view.call_method0("tobytes")?.cast_into()?)
}

impl<'py> Input<'py> {
    /// Returns the bytes of a buffer.
    pub fn of(data: &Bound<'py, PyAny>) -> PyResult<Self> {
        Ok(Self { bytes: buffer(data)?, path: None, label: None })
    }

    /// Reads a path or a file object, or returns the bytes of a buffer.
    pub fn read(data: &Bound<'py, PyAny>) -> PyResult<Self> {
        if let Some(path) = path_of(data)? {
            return Ok(Self { bytes: read(data.py(), &path)?, path: Some(path), label: None });
        }
        // Files, and paths within archives.
        for method in ["read", "read_bytes"] {
            if data.hasattr(method)? {
                refuse_text(data)?;
                let read = data.call_method0(method)?;
                let own = Self::of(&read).map_err(|_| {
                    let name =
                        read.get_type().name().map_or_else(|_| "object".to_owned(), |name| name.to_string());
                    PyTypeError::new_err(format!("expected bytes from {method}(), got {name}"))
                })?;
                return Ok(Self { label: name_of(data), ..own });
            }
        }
        Self::of(data)
    }

    /// Returns the path, or the name of a file object.
    pub fn named(&self) -> Option<&Path> {
        self.path.as_deref().or(self.label.as_deref())
    }

    /// Returns the format: the given one, or the one that name and content determine.
    pub fn spec(&self, format: Option<&str>) -> PyResult<Result<FormatSpec, Error>> {
        let path = self.named().unwrap_or(Path::new(""));
        let given = spec_of(self.bytes.py(), format)?;
        Ok(given.map_or_else(|| FormatSpec::require(path, self.bytes.as_bytes()), Ok))
    }

    /// As [`spec`](Self::spec), which must be known.
    pub fn known_spec(&self, format: Option<&str>) -> PyResult<FormatSpec> {
        self.spec(format)?.map_err(|error| self.exception(&error))
    }

    /// Returns the name without folder and extension; empty for a buffer.
    pub fn name(&self) -> String {
        self.named().map(FormatSpec::stem).unwrap_or_default()
    }

    /// Returns the exception for an error in this file.
    pub fn exception(&self, error: &Error) -> PyErr {
        exception(self.bytes.py(), error, self.named())
    }
}

/// Parses the name of a format: `max-mesh:p12`.
pub fn spec_of(py: Python<'_>, format: Option<&str>) -> PyResult<Option<FormatSpec>> {
    format.map(|name| name.parse::<FormatSpec>().map_err(|error| exception(py, &error, None))).transpose()
}

/// Returns the options to decode a file.
pub fn options(spec: FormatSpec, limits: Option<&PyLimits>) -> Options {
    spec.options(limits.map_or_else(Limits::default, |limits| limits.0))
}

/// Reads a file into a `bytes` object, without another copy.
fn read<'py>(py: Python<'py>, path: &Path) -> PyResult<Bound<'py, PyBytes>> {
    let failed = |error: io::Error| os_error(py, &error, path);
    let mut file = py.detach(|| fs::File::open(path)).map_err(failed)?;
    let data = file.metadata().map_err(failed)?;
    match usize::try_from(data.len()) {
        Ok(len) if data.is_file() => {
            PyBytes::new_with(py, len, |bytes| py.detach(|| file.read_exact(bytes)).map_err(failed))
        }
        _ => {
            let mut bytes = Vec::new();
            py.detach(|| file.read_to_end(&mut bytes)).map_err(failed)?;
            Ok(PyBytes::new(py, &bytes))
        }
    }
}
