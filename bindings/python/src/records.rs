//! The named tuples of `bindpose/_records.py`, which carry results.

use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::{PyModule, PyTuple};

static RECORDS: PyOnceLock<Py<PyModule>> = PyOnceLock::new();

/// Creates a named tuple from its fields, in their order.
pub fn make<'py, F>(py: Python<'py>, name: &str, fields: F) -> PyResult<Bound<'py, PyAny>>
where
    F: IntoPyObject<'py, Target = PyTuple, Output = Bound<'py, PyTuple>>,
{
    let module = RECORDS.get_or_try_init(py, || py.import("bindpose._records").map(Bound::unbind))?;
    module.bind(py).getattr(name)?.call1(fields.into_pyobject(py).map_err(Into::into)?)
}
