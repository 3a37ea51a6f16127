//! Records and lists of a file, by their path.

use bindpose::schema::{Node, Selected, Step, bytes_of};
use bindpose::{FieldPath, counted};
use pyo3::exceptions::{PyIndexError, PyOverflowError, PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyIterator, PyList, PySlice};

use crate::file::{PyFile, Reads};
use crate::value::NewValue;

/// A record of a file: fields by their names, in the order of the file.
///
/// It refers to a path: after elements before it were appended or deleted, it is another record.
///
/// >>> joint = bindpose.open("hero.ms3d")["joints[0]"]
/// >>> joint["name"]
/// 'root'
/// >>> joint.keys()[:2]
/// ['flags', 'name']
#[pyclass(module = "bindpose", frozen, mapping)]
#[derive(Debug)]
pub struct Record {
    file: Py<PyFile>,
    path: FieldPath,
}

/// A list of a file.
///
/// It has the methods of a sequence; elements are values, records or lists. It refers to a path: after elements before it
/// were appended or deleted, it is another list.
///
/// >>> joints = bindpose.open("hero.ms3d")["joints"]
/// >>> len(joints)
/// 2
/// >>> [joint["name"] for joint in joints]
/// ['root', 'top']
#[pyclass(module = "bindpose", frozen, sequence)]
#[derive(Debug)]
pub struct List {
    file: Py<PyFile>,
    path: FieldPath,
}

/// Returns a path below another one.
fn below(path: &FieldPath, step: Step) -> FieldPath {
    let mut path = path.clone();
    path.push(step);
    path
}

/// Returns whether two views show the same fields with the same bytes.
fn is_same(
    py: Python<'_>,
    own: (&Py<PyFile>, &FieldPath),
    other: (&Py<PyFile>, &FieldPath),
) -> PyResult<bool> {
    let contents = |(file, path): (&Py<PyFile>, &FieldPath)| {
        let mut contents = Vec::new();
        file.bind(py).get().select(py, path, &mut |_, selected| {
            if let Selected::Value(value) = selected {
                let kind = if let Node::Record(record) = value.node() { record.type_name() } else { "" };
                contents.push((kind, bytes_of(value)));
            }
            Ok(())
        })?;
        PyResult::Ok(contents)
    };
    Ok(contents(own)? == contents(other)?)
}

/// Returns how a view is pickled: as its file and the path.
fn reduce<'py>(py: Python<'py>, file: &Py<PyFile>, path: &FieldPath) -> PyResult<Bound<'py, PyAny>> {
    let getitem = py.import("operator")?.getattr("getitem")?;
    Ok((getitem, (file.bind(py), path.to_string())).into_pyobject(py)?.into_any())
}

impl Record {
    pub fn new(file: &Bound<'_, PyFile>, path: FieldPath) -> Self {
        Self { file: file.clone().unbind(), path }
    }

    fn below(&self, py: Python<'_>, path: &str) -> PyResult<FieldPath> {
        Ok(self.path.join(&crate::file::parse(py, path)?))
    }
}

#[pymethods]
impl Record {
    /// The path from the root of the file.
    #[getter]
    fn path(&self) -> String {
        self.path.to_string()
    }

    /// The names of the fields, in the order of the file.
    fn keys(&self, py: Python<'_>) -> PyResult<Vec<&'static str>> {
        let mut names = Vec::new();
        self.file.bind(py).get().select(py, &self.path, &mut |_, selected| {
            if let Selected::Value(value) = selected
                && let Node::Record(record) = value.node()
            {
                let _ = record.fields(&mut |field, _| {
                    names.push(field.name);
                    std::ops::ControlFlow::Continue(())
                });
            }
            Ok(())
        })?;
        Ok(names)
    }

    /// The values of the fields, in the order of the file.
    fn values<'py>(&self, py: Python<'py>) -> PyResult<Vec<Bound<'py, PyAny>>> {
        let names = self.keys(py)?.into_iter();
        names.map(|name| self.file.bind(py).get_at(&below(&self.path, name.into()))).collect()
    }

    /// The names of the fields with their values, in the order of the file.
    fn items<'py>(&self, py: Python<'py>) -> PyResult<Vec<(&'static str, Bound<'py, PyAny>)>> {
        Ok(self.keys(py)?.into_iter().zip(self.values(py)?).collect())
    }

    /// Returns the value at a path from this record, or `default` if the path selects nothing.
    #[pyo3(signature = (path, default=None))]
    fn get<'py>(
        &self,
        py: Python<'py>,
        path: &str,
        default: Option<Bound<'py, PyAny>>,
    ) -> PyResult<Option<Bound<'py, PyAny>>> {
        self.file.bind(py).get_or(&self.below(py, path)?, default)
    }

    fn __getitem__<'py>(&self, py: Python<'py>, path: &str) -> PyResult<Bound<'py, PyAny>> {
        self.file.bind(py).get_at(&self.below(py, path)?)
    }

    fn __setitem__(&self, py: Python<'_>, path: &str, value: &Bound<'_, PyAny>) -> PyResult<()> {
        self.file.get().set_at(py, &self.below(py, path)?, &NewValue::of(value)?)
    }

    fn __delitem__(&self, py: Python<'_>, path: &str) -> PyResult<()> {
        self.file.get().delete_at(py, &self.below(py, path)?)
    }

    fn __contains__(&self, py: Python<'_>, path: &str) -> PyResult<bool> {
        Ok(self.file.get().contains(py, &self.below(py, path)?))
    }

    fn __len__(&self, py: Python<'_>) -> PyResult<usize> {
        Ok(self.keys(py)?.len())
    }

    fn __iter__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyIterator>> {
        PyList::new(py, self.keys(py)?)?.try_iter()
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        reduce(py, &self.file, &self.path)
    }

    /// Records are equal if their fields are, in any file.
    fn __eq__(&self, py: Python<'_>, other: &Bound<'_, PyAny>) -> PyResult<bool> {
        let Ok(other) = other.cast::<Self>().map(Bound::get) else { return Ok(false) };
        is_same(py, (&self.file, &self.path), (&other.file, &other.path))
    }

    fn __repr__(&self) -> String {
        format!("<Record {}>", self.path)
    }
}

impl List {
    pub fn new(file: &Bound<'_, PyFile>, path: FieldPath) -> Self {
        Self { file: file.clone().unbind(), path }
    }

    fn len(&self, py: Python<'_>) -> PyResult<usize> {
        self.file.get().len_at(py, &self.path)
    }

    /// Returns the path of an element; negative indices count from the end.
    fn at(&self, py: Python<'_>, index: isize) -> PyResult<FieldPath> {
        let len = self.len(py)?;
        let index = if index < 0 { len.checked_add_signed(index) } else { usize::try_from(index).ok() };
        let index = index.filter(|index| *index < len).ok_or_else(|| {
            let elements = counted(len as u64, "element");
            PyIndexError::new_err(format!("{}: index out of range: the list has {elements}", self.path))
        })?;
        Ok(below(&self.path, Step::Index(index)))
    }

    /// Returns all elements, from one pass through the list.
    fn all<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyList>> {
        if self.len(py)? == 0 {
            return Ok(PyList::empty(py));
        }
        Ok(self.file.bind(py).get_at(&below(&self.path, Step::Every))?.cast_into()?)
    }

    fn find(&self, py: Python<'_>, value: &Bound<'_, PyAny>) -> PyResult<Option<usize>> {
        for (index, element) in self.all(py)?.iter().enumerate() {
            if element.eq(value)? {
                return Ok(Some(index));
            }
        }
        Ok(None)
    }
}

#[pymethods]
impl List {
    /// The path from the root of the file.
    #[getter]
    fn path(&self) -> String {
        self.path.to_string()
    }

    /// Appends an element of zeros, also to lists that must have the same length, and returns it.
    ///
    /// Raises:
    ///     BindposeError: if the list has a fixed length.
    fn append<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let appended = self.file.get().append_at(py, &self.path)?;
        let path = appended.into_iter().next().unwrap_or_else(|| self.path.clone());
        self.file.bind(py).get_at(&path)
    }

    /// Returns the index of the first element that is equal to a value.
    ///
    /// Raises:
    ///     ValueError: if there is none.
    fn index(&self, py: Python<'_>, value: &Bound<'_, PyAny>) -> PyResult<usize> {
        self.find(py, value)?.ok_or_else(|| PyValueError::new_err(format!("{value} is not in the list")))
    }

    /// Returns the number of elements that are equal to a value.
    fn count(&self, py: Python<'_>, value: &Bound<'_, PyAny>) -> PyResult<usize> {
        let mut count = 0;
        for element in self.all(py)?.iter() {
            count += usize::from(element.eq(value)?);
        }
        Ok(count)
    }

    fn __len__(&self, py: Python<'_>) -> PyResult<usize> {
        self.len(py)
    }

    fn __getitem__<'py>(&self, py: Python<'py>, index: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        let file = self.file.bind(py);
        if index.is_instance_of::<PySlice>() {
            return self.all(py)?.as_any().get_item(index);
        }
        if let Ok(name) = index.extract::<String>() {
            return file.get_at(&below(&self.path, Step::Named(name, 1)));
        }
        file.get_at(&self.at(py, number(index, "an index, a slice or a name")?)?)
    }

    fn __setitem__(
        &self,
        py: Python<'_>,
        index: &Bound<'_, PyAny>,
        value: &Bound<'_, PyAny>,
    ) -> PyResult<()> {
        self.file.get().set_at(py, &self.at(py, number(index, "an index")?)?, &NewValue::of(value)?)
    }

    fn __delitem__(&self, py: Python<'_>, index: &Bound<'_, PyAny>) -> PyResult<()> {
        self.file.get().delete_at(py, &self.at(py, number(index, "an index")?)?)
    }

    fn __contains__(&self, py: Python<'_>, value: &Bound<'_, PyAny>) -> PyResult<bool> {
        Ok(self.find(py, value)?.is_some())
    }

    fn __iter__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyIterator>> {
        self.all(py)?.try_iter()
    }

    fn __reversed__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyIterator>> {
        let all = self.all(py)?;
        all.reverse()?;
        all.try_iter()
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        reduce(py, &self.file, &self.path)
    }

    /// Lists are equal if their elements are, in any file.
    fn __eq__(&self, py: Python<'_>, other: &Bound<'_, PyAny>) -> PyResult<bool> {
        let Ok(other) = other.cast::<Self>().map(Bound::get) else { return Ok(false) };
        is_same(py, (&self.file, &self.path), (&other.file, &other.path))
    }

    fn __repr__(&self, py: Python<'_>) -> PyResult<String> {
        Ok(format!("<List {}, {}>", self.path, counted(self.len(py)? as u64, "element")))
    }
}

/// Returns an index of a list.
fn number(index: &Bound<'_, PyAny>, expected: &str) -> PyResult<isize> {
    index.extract().map_err(|error: PyErr| {
        if error.is_instance_of::<PyOverflowError>(index.py()) {
            return PyIndexError::new_err("index out of range");
        }
        let name = index.get_type().name().map_or_else(|_| "object".to_owned(), |name| name.to_string());
        PyTypeError::new_err(format!("expected {expected}, got {name}"))
    })
}
