//! Decoded files.

mod functions;
mod methods;
mod update;

use std::path::Path;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use bindpose::schema::{self, FieldValue, Location, Node, Selected, Step};
use bindpose::{Error, FieldPath, FormatSpec, Result};
use pyo3::prelude::*;
use pyo3::sync::MutexExt;
use pyo3::types::{PyBytes, PyList};

pub use functions::{blank, decode, from_json, open, restore};

use crate::error::{exception, value_exception};
use crate::input::{Input, PyLimits, options};
use crate::value::{NewValue, selected};

/// A decoded file.
///
/// `file[path]` is the value at a path such as `joints[3].name`: a number, a text, bytes, a tuple for an array of fixed length,
/// a `Record`, a `List`, or `None` for a part that is not present. A path that selects several values, such as
/// `joints[*].name`, gives a list. Assigning changes these values and no other byte.
///
/// >>> hero = bindpose.open("hero.ms3d")
/// >>> hero["joints[0].name"]
/// 'root'
/// >>> hero["joints[0].name"] = "hips"
/// >>> hero["joints[*].name"]
/// ['hips', 'top']
#[pyclass(name = "File", module = "bindpose", frozen, mapping, weakref)]
#[derive(Debug)]
pub struct PyFile {
    state: Mutex<Arc<State>>,
    name: String,
    /// The name with the extension; none if only the name is known.
    file_name: Option<String>,
}

/// A file and its bytes; shared with whoever reads it, and copied when it is changed meanwhile.
#[derive(Debug)]
pub struct State {
    pub file: bindpose::File,
    /// The bytes that the file was decoded from, or encodes to.
    source: OnceLock<Py<PyBytes>>,
}

impl State {
    fn new(file: bindpose::File) -> Arc<Self> {
        Arc::new(Self { file, source: OnceLock::new() })
    }

    /// Returns the bytes of the file.
    pub fn source<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyBytes>> {
        if let Some(source) = self.source.get() {
            return Ok(source.bind(py).clone());
        }
        let bytes = py.detach(|| self.file.encode()).map_err(|error| exception(py, &error, None))?;
        let bytes = PyBytes::new(py, &bytes);
        Ok(self.source.get_or_init(|| bytes.unbind()).bind(py).clone())
    }
}

/// Parses a path.
pub fn parse(py: Python<'_>, path: &str) -> PyResult<FieldPath> {
    path.parse().map_err(|error| exception(py, &error, None))
}

impl PyFile {
    /// Decodes bytes of a known format.
    pub fn decode(input: &Input<'_>, spec: FormatSpec, limits: Option<&PyLimits>) -> PyResult<Self> {
        let py = input.bytes.py();
        let (bytes, options) = (input.bytes.as_bytes(), options(spec, limits));
        let file =
            py.detach(|| spec.kind.decode(bytes, &options)).map_err(|error| input.exception(&error))?;
        let state = State { file, source: OnceLock::from(input.bytes.clone().unbind()) };
        let file_name = input.named().and_then(Path::file_name);
        let file_name = file_name.map(|own| own.to_string_lossy().into_owned());
        Ok(Self { state: Mutex::new(Arc::new(state)), name: input.name(), file_name })
    }

    pub fn of(file: bindpose::File, name: String) -> Self {
        Self { state: Mutex::new(State::new(file)), name, file_name: None }
    }

    pub fn name(&self) -> &str {
        &self.name
    }

    /// Returns the name with an extension; empty if the file has no name.
    pub fn file_name(&self, file: &bindpose::File) -> String {
        match &self.file_name {
            Some(own) => own.clone(),
            None if self.name.is_empty() => String::new(),
            None => format!("{}.{}", self.name, file.extension()),
        }
    }

    /// Returns the file as it is now; later changes do not affect it.
    pub fn snapshot(&self, py: Python<'_>) -> Arc<State> {
        Arc::clone(&self.state.lock_py_attached(py).unwrap_or_else(PoisonError::into_inner))
    }

    /// Visits what a path selects.
    pub fn select(
        &self,
        py: Python<'_>,
        path: &FieldPath,
        visit: &mut dyn FnMut(&Location, Selected<'_>) -> PyResult<()>,
    ) -> PyResult<()> {
        let state = self.snapshot(py);
        let mut result = Ok(());
        let mut found = |at: &Location, selected: Selected<'_>| {
            if result.is_ok() {
                result = visit(at, selected);
            }
        };
        schema::select(state.file.value(), path, &mut found).map_err(|error| exception(py, &error, None))?;
        result
    }

    /// Changes the file. `is_whole` is whether the change has no effect if it fails; otherwise a copy is changed.
    fn edit<T: Send>(
        &self,
        py: Python<'_>,
        is_whole: bool,
        change: impl FnOnce(&mut bindpose::File) -> Result<T> + Send,
    ) -> PyResult<T> {
        let result = py.detach(|| {
            let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
            if is_whole && let Some(own) = Arc::get_mut(&mut state) {
                let result = change(&mut own.file)?;
                own.source = OnceLock::new();
                return Ok(result);
            }
            let mut file = state.file.clone();
            let result = change(&mut file)?;
            *state = State::new(file);
            Ok(result)
        });
        result.map_err(|error: Error| exception(py, &error, None))
    }

    /// Replaces different files, unless one of them was changed since its snapshot. Returns whether they are replaced.
    pub fn replace_all(py: Python<'_>, mut changes: Vec<(&Self, &Arc<State>, bindpose::File)>) -> bool {
        // All threads lock files in the same order.
        changes.sort_by_key(|(file, ..)| std::ptr::from_ref(*file));
        py.detach(|| {
            let mut states: Vec<_> = changes
                .iter()
                .map(|&(file, ..)| file.state.lock().unwrap_or_else(PoisonError::into_inner))
                .collect();
            let is_same = states.iter().zip(&changes).all(|(own, (_, before, _))| Arc::ptr_eq(own, before));
            if is_same {
                for (state, (.., after)) in states.iter_mut().zip(changes) {
                    **state = State::new(after);
                }
            }
            is_same
        })
    }

    pub fn set_at(&self, py: Python<'_>, path: &FieldPath, value: &NewValue) -> PyResult<()> {
        let mut values = Vec::new();
        leaves_at(py, &self.snapshot(py), path, value, &mut values)?;
        self.edit(py, values.len() == 1, |file| {
            values.iter().try_for_each(|(path, value)| schema::set(file.value_mut(), path, value).map(drop))
        })
    }

    /// Sets values at paths as [`set_at`](Self::set_at), all of them or none.
    pub fn set_all(&self, py: Python<'_>, values: Vec<(FieldPath, NewValue)>) -> PyResult<()> {
        let (mut leaves, state) = (Vec::new(), self.snapshot(py));
        for (path, value) in values {
            match value {
                NewValue::One(value) if !path.is_pattern() => leaves.push((path, value)),
                value => leaves_at(py, &state, &path, &value, &mut leaves)?,
            }
        }
        drop(state);
        self.edit(py, false, |file| update::set_leaves(file, &leaves))
    }

    pub fn append_at(&self, py: Python<'_>, path: &FieldPath) -> PyResult<Vec<FieldPath>> {
        self.edit(py, false, |file| schema::append(file.value_mut(), path))
    }

    pub fn delete_at(&self, py: Python<'_>, path: &FieldPath) -> PyResult<()> {
        self.edit(py, false, |file| schema::delete(file.value_mut(), path).map(drop))
    }

    pub fn len_at(&self, py: Python<'_>, path: &FieldPath) -> PyResult<usize> {
        let mut len = 0;
        self.select(py, path, &mut |_, selected| {
            len = len_of(selected).unwrap_or(0);
            Ok(())
        })?;
        Ok(len)
    }

    pub fn contains(&self, py: Python<'_>, path: &FieldPath) -> bool {
        let mut is_present = false;
        let state = self.snapshot(py);
        let _ = schema::select(state.file.value(), path, &mut |_, selected| {
            let is_absent =
                matches!(selected, Selected::Value(value) if matches!(value.node(), Node::Absent));
            is_present |= !is_absent;
        });
        is_present
    }
}

/// Reads of a file, which return views that refer to it.
pub trait Reads<'py> {
    /// Returns the value at a path.
    fn get_at(&self, path: &FieldPath) -> PyResult<Bound<'py, PyAny>>;

    /// Returns the value at a path, or the default if the path selects nothing.
    fn get_or(
        &self,
        path: &FieldPath,
        default: Option<Bound<'py, PyAny>>,
    ) -> PyResult<Option<Bound<'py, PyAny>>>;
}

impl<'py> Reads<'py> for Bound<'py, PyFile> {
    fn get_at(&self, path: &FieldPath) -> PyResult<Bound<'py, PyAny>> {
        let py = self.py();
        let mut values = Vec::new();
        self.get().select(py, path, &mut |at, found| {
            values.push(selected(self, &at.path, found)?);
            Ok(())
        })?;
        match <[_; 1]>::try_from(values) {
            Ok([value]) if !path.is_pattern() => Ok(value),
            Ok(values) => Ok(PyList::new(py, values)?.into_any()),
            Err(values) => Ok(PyList::new(py, values)?.into_any()),
        }
    }

    fn get_or(
        &self,
        path: &FieldPath,
        default: Option<Bound<'py, PyAny>>,
    ) -> PyResult<Option<Bound<'py, PyAny>>> {
        if self.get().contains(self.py(), path) { self.get_at(path).map(Some) } else { Ok(default) }
    }
}

fn len_of(selected: Selected<'_>) -> Option<usize> {
    match selected {
        Selected::Value(value) => match value.node() {
            Node::Items(items) => Some(items.len()),
            _ => None,
        },
        Selected::Bits(..) => None,
    }
}

/// Adds the leaves that a value sets at a path.
fn leaves_at(
    py: Python<'_>,
    state: &State,
    path: &FieldPath,
    value: &NewValue,
    leaves: &mut Vec<(FieldPath, FieldValue)>,
) -> PyResult<()> {
    let places = schema::locate(state.file.value(), path).map_err(|error| exception(py, &error, None))?;
    match value {
        NewValue::Many(own) if path.is_pattern() => {
            check_len(py, path, places.len(), own.len())?;
            let mut pairs = places.iter().zip(own);
            pairs.try_for_each(|(place, value)| flatten(py, state, &place.path, value, leaves))
        }
        value => places.iter().try_for_each(|place| flatten(py, state, &place.path, value, leaves)),
    }
}

fn check_len(py: Python<'_>, path: &FieldPath, expected: usize, actual: usize) -> PyResult<()> {
    if expected == actual {
        return Ok(());
    }
    Err(value_exception(py, &path.to_string(), format!("expected {expected} values, got {actual}")))
}

/// Adds the leaves of a new value with their paths.
fn flatten(
    py: Python<'_>,
    state: &State,
    path: &FieldPath,
    value: &NewValue,
    leaves: &mut Vec<(FieldPath, FieldValue)>,
) -> PyResult<()> {
    let own = match value {
        NewValue::One(value) => {
            leaves.push((path.clone(), value.clone()));
            return Ok(());
        }
        NewValue::Many(own) => own,
    };
    let mut len = None;
    schema::select(state.file.value(), path, &mut |_, selected| len = len_of(selected))
        .map_err(|error| exception(py, &error, None))?;
    let Some(len) = len else {
        return Err(value_exception(py, &path.to_string(), "expected one value, got a sequence".into()));
    };
    check_len(py, path, len, own.len())?;
    own.iter().enumerate().try_for_each(|(index, value)| {
        let mut path = path.clone();
        path.push(Step::Index(index));
        flatten(py, state, &path, value, leaves)
    })
}
