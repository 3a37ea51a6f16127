//! Numbers as arrays of numpy, or as `memoryview` without it: see `bindpose/_arrays.py`.

use bindpose::schema::{Array, ArrayField, ArrayType, Scalar};
use bytemuck::{NoUninit, cast_slice};
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::{PyBytes, PyList, PyModule, PyTuple};

static ARRAYS: PyOnceLock<Py<PyModule>> = PyOnceLock::new();

fn module(py: Python<'_>) -> PyResult<&Bound<'_, PyModule>> {
    let module = ARRAYS.get_or_try_init(py, || py.import("bindpose._arrays").map(Bound::unbind))?;
    Ok(module.bind(py))
}

/// Returns an array over the bytes of a file, or over its own bytes if it is a copy.
pub fn view<'py>(source: &Bound<'py, PyBytes>, array: &Array<'_>) -> PyResult<Bound<'py, PyAny>> {
    let py = source.py();
    let (data, offset) = match array.source() {
        Some(range) => (source.clone(), range.start),
        None => (PyBytes::new(py, array.bytes()), 0),
    };
    let fields = array.fields().iter().map(|field| describe(py, field));
    let fields = PyTuple::new(py, fields.collect::<PyResult<Vec<_>>>()?)?;
    let shape = PyTuple::new(py, array.shape())?;
    let strides = PyTuple::new(py, array.strides())?;
    module(py)?.call_method1(intern!(py, "view"), (data, offset, shape, strides, fields, array.item_size()))
}

/// Returns name, type, shape and offset of a part of an element.
fn describe<'py>(py: Python<'py>, field: &ArrayField) -> PyResult<Bound<'py, PyTuple>> {
    let kind = match (field.kind, field.kind.scalar()) {
        (_, Some(scalar)) => code(scalar).into_pyobject(py)?.into_any(),
        (ArrayType::Bytes(len), None) => format!("S{len}").into_pyobject(py)?.into_any(),
        _ => "V".into_pyobject(py)?.into_any(),
    };
    (&field.name, kind, PyTuple::new(py, &field.shape)?, field.offset).into_pyobject(py)
}

/// Returns the type in the notation of numpy.
const fn code(scalar: Scalar) -> &'static str {
    match scalar {
        Scalar::U8 => "<u1",
        Scalar::U16 => "<u2",
        Scalar::U32 => "<u4",
        Scalar::U64 => "<u8",
        Scalar::I8 => "<i1",
        Scalar::I16 => "<i2",
        Scalar::I32 => "<i4",
        Scalar::I64 => "<i8",
        Scalar::F32 => "<f4",
        Scalar::F64 => "<f8",
    }
}

/// Returns the bytes of values in the type and shape of an array.
pub fn bytes_for<'py>(own: &Bound<'py, PyAny>, values: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyBytes>> {
    Ok(module(own.py())?.call_method1("bytes_for", (own, values))?.cast_into()?)
}

/// A type of numbers that arrays of scenes have.
pub trait Number: Copy {
    /// The code of the type in the module `struct`.
    const CODE: &'static str;
    /// Returns the number of four bytes.
    fn of(bytes: [u8; 4]) -> Self;
}

macro_rules! numbers {
    ($($type:ident = $code:literal)+) => {$(
        impl Number for $type {
            const CODE: &'static str = $code;
            fn of(bytes: [u8; 4]) -> Self {
                Self::from_ne_bytes(bytes)
            }
        }
    )+};
}

numbers! { f32 = "f" u32 = "I" i32 = "i" }

/// Returns the numbers of an array or of nested sequences, and their shape; `at` is their place for messages.
pub fn flat<N: Number>(values: &Bound<'_, PyAny>, at: &str) -> PyResult<(Vec<N>, Vec<usize>)> {
    let py = values.py();
    let flat = module(py)?.call_method1(intern!(py, "flat"), (values, N::CODE, at))?;
    let (data, shape): (Bound<'_, PyBytes>, Vec<usize>) = flat.extract()?;
    Ok((data.as_bytes().as_chunks().0.iter().copied().map(N::of).collect(), shape))
}

/// Returns an array of numbers with a copy of some values, such as vectors; `shape` counts numbers.
pub fn array<'py, N: Number>(
    py: Python<'py>,
    values: &[impl NoUninit],
    shape: &[usize],
) -> PyResult<Bound<'py, PyAny>> {
    let data = PyBytes::new(py, cast_slice(values));
    module(py)?.call_method1(intern!(py, "contiguous"), (data, N::CODE, PyTuple::new(py, shape)?))
}

/// As [`array`], or `None` if there are no values.
pub fn array_or_none<'py, N: Number>(
    py: Python<'py>,
    values: &[impl NoUninit],
    shape: &[usize],
) -> PyResult<Option<Bound<'py, PyAny>>> {
    if values.is_empty() { Ok(None) } else { array::<N>(py, values, shape).map(Some) }
}

/// Returns a tuple of Python objects.
pub fn tuple<'py, T>(
    py: Python<'py>,
    items: impl IntoIterator<Item = T>,
    translate: impl Fn(T) -> PyResult<Bound<'py, PyAny>>,
) -> PyResult<Bound<'py, PyTuple>> {
    PyTuple::new(py, items.into_iter().map(translate).collect::<PyResult<Vec<_>>>()?)
}

/// Returns a list of Python objects.
pub fn list<'py, T>(
    py: Python<'py>,
    items: impl IntoIterator<Item = T>,
    translate: impl Fn(T) -> PyResult<Bound<'py, PyAny>>,
) -> PyResult<Bound<'py, PyList>> {
    PyList::new(py, items.into_iter().map(translate).collect::<PyResult<Vec<_>>>()?)
}
