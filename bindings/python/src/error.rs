//! Errors of the library as Python exceptions.

use std::error::Error as _;
use std::io;
use std::path::Path;

use bindpose::scene::author::AuthorError;
use bindpose::{Error, ErrorKind};
use pyo3::exceptions::{PyOSError, PyValueError};
use pyo3::prelude::*;

pyo3::create_exception!(
    bindpose,
    BindposeError,
    PyValueError,
    "A file that cannot be decoded or encoded, a path that selects nothing, or a value that does not fit.

Attributes:
    offset (int): the byte of the file; 0 if the error concerns no byte.
    path (str): the field, such as `joints[3].name`; empty if there is none.
    kind (str): `truncated`, `magic`, `unknown-format`, `foreign`, `empty`, `count`, `unknown`, `limit`, `syntax`,
        `encode`, `path`, `value`, `io` or `internal`.
    message (str): the reason without offset and path.
"
);

/// Returns the exception for an error, with the name of the file if it has one.
pub fn exception(py: Python<'_>, error: &Error, file: Option<&Path>) -> PyErr {
    if let ErrorKind::Io(_) = error.kind()
        && let Some(cause) = error.source().and_then(|source| source.downcast_ref::<io::Error>())
        && let Some(file) = file
    {
        return os_error(py, cause, file);
    }
    let text = match file {
        Some(file) => format!("{}: {error}", file.display()),
        None => error.to_string(),
    };
    let parts = Parts {
        offset: error.offset(),
        path: error.path().to_string(),
        kind: error.kind().name(),
        message: error.message(),
    };
    let help = match error.kind() {
        ErrorKind::UnknownFormat => Some("specify it with format=, one of the names in bindpose.formats()"),
        ErrorKind::Foreign(foreign) => Some(foreign.advice()),
        _ => None,
    };
    parts.exception(py, text, help.map(|help| format!("help: {help}")).as_deref())
}

/// Returns the exception for a scene that a format cannot represent.
pub fn author_exception(py: Python<'_>, error: &AuthorError) -> PyErr {
    let kind = if matches!(error, AuthorError::Memory { .. }) { "limit" } else { "encode" };
    let parts = Parts { offset: 0, path: String::new(), kind, message: error.to_string() };
    let help = error.help().map(|help| format!("help: {help}"));
    parts.exception(py, error.to_string(), help.as_deref())
}

/// Returns the exception for a value that the library does not see.
pub fn value_exception(py: Python<'_>, path: &str, message: String) -> PyErr {
    let text = if path.is_empty() { message.clone() } else { format!("{path}: {message}") };
    Parts { offset: 0, path: path.to_owned(), kind: "value", message }.exception(py, text, None)
}

struct Parts {
    offset: u64,
    path: String,
    kind: &'static str,
    message: String,
}

impl Parts {
    fn exception(self, py: Python<'_>, text: String, help: Option<&str>) -> PyErr {
        let exception = BindposeError::new_err(text);
        let value = exception.value(py);
        let set = || -> PyResult<()> {
            value.setattr("offset", self.offset)?;
            value.setattr("path", self.path)?;
            value.setattr("kind", self.kind)?;
            value.setattr("message", self.message)?;
            help.map_or(Ok(()), |help| value.call_method1("add_note", (help,)).map(drop))
        };
        match set() {
            Ok(()) => exception,
            Err(failed) => failed,
        }
    }
}

/// Returns the exception of a failed system call: `FileNotFoundError` and others, with the name of the file.
pub fn os_error(py: Python<'_>, error: &io::Error, file: &Path) -> PyErr {
    let Some(code) = error.raw_os_error() else {
        return PyOSError::new_err(format!("{}: {error}", file.display()));
    };
    let text = error.to_string();
    let text = text.split(" (os error").next().unwrap_or_default().to_owned();
    // The class follows from the number, on Windows from that of the system.
    #[cfg(windows)]
    let arguments = (py.None(), text, file.as_os_str(), code);
    #[cfg(not(windows))]
    let arguments = (code, text, file.as_os_str());
    match py.get_type::<PyOSError>().call1(arguments) {
        Ok(value) => PyErr::from_value(value),
        Err(failed) => failed,
    }
}
