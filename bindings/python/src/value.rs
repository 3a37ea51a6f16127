//! Values of files as Python objects, and back.

use std::ops::ControlFlow::{Break, Continue};

use bindpose::FieldPath;
use bindpose::schema::{FieldValue, Node, Selected, Step, Value};
use pyo3::exceptions::{PyOverflowError, PyTypeError};
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types::{
    PyBool, PyByteArray, PyBytes, PyFloat, PyFrozenSet, PyInt, PyMapping, PyMemoryView, PySet, PyString,
    PyTuple,
};

use crate::error::{exception, value_exception};
use crate::file::PyFile;
use crate::view::{List, Record};

/// Returns a number as `int` or `float`, a text as `str`, and other bytes as `bytes`.
pub fn leaf<'py>(py: Python<'py>, value: &FieldValue) -> PyResult<Bound<'py, PyAny>> {
    Ok(match value {
        FieldValue::Int(number) => match i64::try_from(*number) {
            Ok(number) => number.into_pyobject(py)?.into_any(),
            Err(_) => number.into_pyobject(py)?.into_any(),
        },
        FieldValue::F32(number) => PyFloat::new(py, f64::from(*number)).into_any(),
        FieldValue::F64(number) => PyFloat::new(py, *number).into_any(),
        FieldValue::Text(own) => text(py, own)?,
        FieldValue::Bytes(bytes) => PyBytes::new(py, bytes).into_any(),
        other => PyString::new(py, &other.to_string()).into_any(),
    })
}

/// Returns bytes as a text.
///
/// Bytes that are not UTF-8 become surrogates, which `str.encode("utf-8", "surrogateescape")` turns back.
pub fn text<'py>(py: Python<'py>, bytes: &[u8]) -> PyResult<Bound<'py, PyAny>> {
    match std::str::from_utf8(bytes) {
        Ok(text) => Ok(PyString::new(py, text).into_any()),
        Err(_) => PyBytes::new(py, bytes)
            .call_method1(intern!(py, "decode"), (intern!(py, "utf-8"), intern!(py, "surrogateescape"))),
    }
}

/// Returns what a path selects: a leaf by its type, an array of fixed length as a tuple, a record or a list as a view.
pub fn selected<'py>(
    file: &Bound<'py, PyFile>,
    path: &FieldPath,
    selected: Selected<'_>,
) -> PyResult<Bound<'py, PyAny>> {
    let py = file.py();
    match (selected, selected.field_value()) {
        (_, Some(value)) => leaf(py, &value),
        (Selected::Value(value), None) => parts(file, path, value),
        (Selected::Bits(..), None) => Ok(py.None().into_bound(py)),
    }
}

fn parts<'py>(file: &Bound<'py, PyFile>, path: &FieldPath, value: &dyn Value) -> PyResult<Bound<'py, PyAny>> {
    let py = file.py();
    match value.node() {
        Node::Record(_) => Ok(Bound::new(py, Record::new(file, path.clone()))?.into_any()),
        Node::Items(items) if items.is_array() => {
            let mut elements = Vec::with_capacity(items.len());
            let mut failed = None;
            let _ = items.each(0, &mut |index, item| {
                let mut path = path.clone();
                path.push(Step::Index(index));
                match self::selected(file, &path, Selected::Value(item)) {
                    Ok(element) => elements.push(element),
                    Err(error) => failed = Some(error),
                }
                if failed.is_some() { Break(()) } else { Continue(()) }
            });
            match failed {
                None => Ok(PyTuple::new(py, elements)?.into_any()),
                Some(error) => Err(error),
            }
        }
        Node::Items(_) => Ok(Bound::new(py, List::new(file, path.clone()))?.into_any()),
        Node::Leaf(_) | Node::Absent => Ok(py.None().into_bound(py)),
        Node::Broken(error) => Err(exception(py, error, None)),
    }
}

/// A new value: of a leaf, or of each element of a list.
#[derive(Debug)]
pub enum NewValue {
    One(FieldValue),
    Many(Vec<Self>),
}

impl NewValue {
    /// Translates an object: a number, text, bytes, or a sequence of them.
    pub fn of(object: &Bound<'_, PyAny>) -> PyResult<Self> {
        let py = object.py();
        if let Ok(text) = object.cast::<PyString>() {
            return Ok(Self::One(FieldValue::Text(bytes_of(text)?)));
        }
        if object.is_instance_of::<PyBytes>()
            || object.is_instance_of::<PyByteArray>()
            || object.is_instance_of::<PyMemoryView>()
        {
            return Ok(Self::One(FieldValue::Bytes(crate::input::buffer(object)?.as_bytes().to_vec())));
        }
        if object.is_instance_of::<PyBool>() || object.is_instance_of::<PyInt>() {
            return integer(object);
        }
        if object.is_instance_of::<PyFloat>() {
            return Ok(Self::One(FieldValue::F64(object.extract()?)));
        }
        // Sets and mappings have no order.
        let is_ordered = !(object.is_instance_of::<PySet>()
            || object.is_instance_of::<PyFrozenSet>()
            || object.is_instance_of::<PyMapping>());
        if is_ordered && object.hasattr(intern!(py, "__len__"))? {
            let elements = object.try_iter()?.map(|element| Self::of(&element?));
            return elements.collect::<PyResult<_>>().map(Self::Many);
        }
        // The scalars of numerical libraries.
        if object.hasattr(intern!(py, "__index__"))? {
            return integer(object);
        }
        if object.hasattr(intern!(py, "__float__"))? {
            // Text shows the shortest number that is the same value.
            let is_single = object.get_type().name()?.to_cow()? == "float32";
            let value = if is_single {
                FieldValue::F32(object.extract()?)
            } else {
                FieldValue::F64(object.extract()?)
            };
            return Ok(Self::One(value));
        }
        let name = object.get_type().name()?;
        Err(PyTypeError::new_err(format!("expected a number, text, bytes or a sequence, got {name}")))
    }
}

fn integer(object: &Bound<'_, PyAny>) -> PyResult<NewValue> {
    let py = object.py();
    let number = object.extract().map_err(|error: PyErr| {
        let is_large = error.is_instance_of::<PyOverflowError>(py);
        let why = "an integer of more than 127 bits is out of range";
        if is_large { value_exception(py, "", why.into()) } else { error }
    });
    Ok(NewValue::One(FieldValue::Int(number?)))
}

/// Returns the bytes of a text. Bytes that are not UTF-8 are surrogates in the text, as PEP 383 defines.
pub fn bytes_of(text: &Bound<'_, PyString>) -> PyResult<Vec<u8>> {
    let py = text.py();
    if let Ok(text) = text.to_cow() {
        return Ok(text.as_bytes().to_vec());
    }
    let bytes =
        text.call_method1(intern!(py, "encode"), (intern!(py, "utf-8"), intern!(py, "surrogateescape")))?;
    Ok(bytes.cast::<PyBytes>()?.as_bytes().to_vec())
}
