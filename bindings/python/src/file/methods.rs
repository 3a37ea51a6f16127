//! The methods of files.

use std::ops::ControlFlow::Continue;
use std::sync::Mutex;

use bindpose::diff::{Change, Difference, diff};
use bindpose::edit::References;
use bindpose::scene::Loss;
use bindpose::{FieldPath, Limits, counted, schema};
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict, PyList, PyString};

use super::{PyFile, Reads, parse};
use crate::arrays;
use crate::error::{exception, os_error};
use crate::examine::{outcome, report};
use crate::html;
use crate::input::{Entries, integer, optional_integer, path_or_stream, within};
use crate::map::Map;
use crate::records;
use crate::save::{save, write_to};
use crate::scene::{PyScene, losses};
use crate::value::NewValue;

#[pymethods]
impl PyFile {
    /// The name without folder and extension; empty for a file from a buffer.
    #[getter(name)]
    fn py_name(&self) -> &str {
        &self.name
    }

    /// The name of the format, such as `ms3d`.
    #[getter]
    fn format(&self, py: Python<'_>) -> &'static str {
        self.snapshot(py).file.kind().name()
    }

    /// The dialect; `None` if the format has one layout.
    #[getter]
    fn dialect(&self, py: Python<'_>) -> Option<&'static str> {
        self.snapshot(py).file.dialect()
    }

    /// The form: one of `Format.forms`; `None` if the format has one.
    #[getter]
    fn form(&self, py: Python<'_>) -> Option<&'static str> {
        self.snapshot(py).file.form()
    }

    /// The usual extension of files of this format, dialect and version, without the dot.
    #[getter]
    fn extension(&self, py: Python<'_>) -> &'static str {
        self.snapshot(py).file.extension()
    }

    /// The program that wrote the file; `None` if it left no marks.
    #[getter]
    fn writer(&self, py: Python<'_>) -> Option<&'static str> {
        self.snapshot(py).file.writer()
    }

    /// Where and why decoding stopped, as a `BindposeError`; `None` if the file is not damaged.
    #[getter]
    fn damage<'py>(&self, py: Python<'py>) -> Option<Bound<'py, PyAny>> {
        let damage = self.snapshot(py).file.damage()?;
        Some(exception(py, &damage, None).value(py).clone().into_any())
    }

    /// Returns the value at a path, or `default` if the path selects nothing.
    ///
    /// >>> bindpose.open("hero.ms3d").get("joints[7].name", "none")
    /// 'none'
    #[pyo3(signature = (path, default=None))]
    fn get<'py>(
        slf: &Bound<'py, Self>,
        path: &str,
        default: Option<Bound<'py, PyAny>>,
    ) -> PyResult<Option<Bound<'py, PyAny>>> {
        slf.get_or(&parse(slf.py(), path)?, default)
    }

    /// Returns all single values at a path, each with its own path: those that a pattern selects, and all that a record or a
    /// list consists of.
    ///
    /// >>> bindpose.open("hero.ms3d").get_all("joints[*].name")
    /// [('joints[0].name', 'root'), ('joints[1].name', 'top')]
    ///
    /// Raises:
    ///     BindposeError: if the path is malformed or selects nothing.
    fn get_all<'py>(&self, py: Python<'py>, path: &str) -> PyResult<Vec<(String, Bound<'py, PyAny>)>> {
        let (state, path) = (self.snapshot(py), parse(py, path)?);
        let values = py.detach(|| schema::get_all(state.file.value(), &path));
        let values = values.map_err(|error| exception(py, &error, None))?;
        let pairs = values.iter().map(|(path, value)| Ok((path.to_string(), crate::value::leaf(py, value)?)));
        pairs.collect()
    }

    fn __getitem__<'py>(slf: &Bound<'py, Self>, path: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        match slf.get().followed(path)? {
            None => slf.get_at(&key(path)?),
            Some((found, false)) if found.len() == 1 => slf.get_at(&found[0]),
            Some((found, _)) => {
                let values = found.iter().map(|path| slf.get_at(path)).collect::<PyResult<Vec<_>>>()?;
                Ok(PyList::new(slf.py(), values)?.into_any())
            }
        }
    }

    fn __setitem__(&self, py: Python<'_>, path: &Bound<'_, PyAny>, value: &Bound<'_, PyAny>) -> PyResult<()> {
        let Some((found, _)) = self.followed(path)? else {
            return self.set_at(py, &key(path)?, &NewValue::of(value)?);
        };
        let edits = found.into_iter().map(|path| Ok((path, NewValue::of(value)?)));
        self.set_all(py, edits.collect::<PyResult<_>>()?)
    }

    /// Assigns values by their paths, such as those that `get_all` returns, in one pass. All of them change, or none.
    ///
    /// The result is that of assigning each of them.
    ///
    /// >>> hero = bindpose.open("hero.ms3d")
    /// >>> hero.update({path: 2 * value for path, value in hero.get_all("vertices[*].position")})
    /// >>> hero["vertices[1].position"]
    /// (2.0, 0.0, 0.0)
    ///
    /// Raises:
    ///     BindposeError: if a path selects nothing, or a value does not fit.
    fn update(&self, py: Python<'_>, values: Entries<String, Bound<'_, PyAny>>) -> PyResult<()> {
        let edits = values.0.iter().map(|(path, value)| Ok((parse(py, path)?, NewValue::of(value)?)));
        self.set_all(py, edits.collect::<PyResult<_>>()?)
    }

    fn __delitem__(&self, py: Python<'_>, path: &Bound<'_, PyAny>) -> PyResult<()> {
        self.delete_at(py, &key(path)?)
    }

    fn __contains__(&self, py: Python<'_>, path: &Bound<'_, PyAny>) -> PyResult<bool> {
        match self.followed(path) {
            Ok(None) => Ok(self.contains(py, &key(path)?)),
            Ok(Some((found, _))) => Ok(!found.is_empty()),
            Err(_) => Ok(false),
        }
    }

    /// Appends an element of zeros to the list at a path, also to lists that must have the same length. Returns its path.
    ///
    /// >>> hero = bindpose.open("hero.ms3d")
    /// >>> hero.append("joints")
    /// 'joints[2]'
    ///
    /// With `objects`, appends objects of an `.x` file, given as text, to the object at a path, or to the file if the path is empty.
    ///
    /// >>> model = bindpose.open("hero.x")
    /// >>> model.append("", "AnimTicksPerSecond {\n 30;\n}")
    /// 'AnimTicksPerSecond[1]'
    ///
    /// Raises:
    ///     BindposeError: if the path does not select a list, its length is fixed, or the text is not one of objects.
    #[pyo3(signature = (path, objects=None))]
    fn append(&self, py: Python<'_>, path: &str, objects: Option<&str>) -> PyResult<Option<String>> {
        if let Some(text) = objects {
            let added = self.edit(py, false, |file| file.append_objects(path, text))?;
            return Ok(added.first().map(|own| own.path.to_string()));
        }
        Ok(self.append_at(py, &parse(py, path)?)?.first().map(ToString::to_string))
    }

    /// Creates the missing part at a path and its missing parents, and returns their paths.
    ///
    /// A choice takes the form named by `value`, a list gets another element, and a part with a single field takes `value` or
    /// zero.
    ///
    /// Raises:
    ///     BindposeError: if the part already exists, or another field decides whether it exists.
    #[pyo3(signature = (path, value=None))]
    fn create(&self, py: Python<'_>, path: &str, value: Option<&str>) -> PyResult<Vec<String>> {
        let created = self.edit(py, true, |file| file.create(path, value))?;
        Ok(created.iter().map(ToString::to_string).collect())
    }

    /// Returns the file with the same content in a form of `Format.forms`. Text and binary lose white space, comments and the notation of
    /// numbers. Binary `.x` files keep the size of floats, unless the form ends with it: `bin64`.
    ///
    /// >>> bindpose.open("hero.x").in_form("bin").encode()[:16]
    /// b'xof 0303bin 0032'
    ///
    /// Raises:
    ///     BindposeError: if the file has no such form, is damaged, or has content that the other form does not represent.
    fn in_form(&self, py: Python<'_>, form: &str) -> PyResult<Self> {
        Ok(self.reformed(py, form)?.0)
    }

    #[pyo3(name = "_in_form")]
    fn reformed<'py>(&self, py: Python<'py>, form: &str) -> PyResult<(Self, Bound<'py, PyList>)> {
        let state = self.snapshot(py);
        let made = py.detach(|| state.file.in_form(form));
        let (file, lost) = made.map_err(|error| exception(py, &error, None))?;
        let lost = lost.map(Loss::from);
        let lost: Vec<_> = lost.into_iter().map(|own| own.in_file(self.name())).collect();
        Ok((Self::of(file, self.name().to_owned()), losses(py, &lost)?))
    }

    /// Returns the numbers at a path as a numpy array: `vertices.position` has the shape `(n, 3)`.
    ///
    /// A list that the path names without a selector contributes all its elements. Where elements have a fixed size, the array
    /// is a read-only view of the bytes of the file, and nothing is copied; after an edit, the file is encoded again first.
    /// Numbers in text, and elements between parts of variable size, are copied. A record gives a structured array. Without
    /// numpy, the result is a `memoryview`; that of a structured array has the bytes of each element in its last dimension.
    ///
    /// >>> bindpose.open("hero.ms3d").array("vertices.position").shape
    /// (6, 3)
    ///
    /// Raises:
    ///     BindposeError: if the path selects nothing, text that is not a number, or elements of different layouts.
    fn array<'py>(&self, py: Python<'py>, path: &str) -> PyResult<Bound<'py, PyAny>> {
        let (state, path) = (self.snapshot(py), parse(py, path)?);
        let source = state.source(py)?;
        let array = schema::array(state.file.value(), source.as_bytes(), &path);
        arrays::view(&source, &array.map_err(|error| exception(py, &error, None))?)
    }

    /// Sets the numbers at a path from an array or a sequence of the same shape. No other byte changes.
    ///
    /// >>> hero = bindpose.open("hero.ms3d")
    /// >>> hero.set_array("vertices.position", hero.array("vertices.position") * 2)
    ///
    /// Args:
    ///     path: as for `array`.
    ///     values: numbers that the type in the file can store, and only floats are rounded to it; text or bytes for texts of a fixed
    ///         size. For a record, a structured array with fields of the same names, in any order. Without numpy, a buffer of
    ///         exactly the bytes.
    ///
    /// Raises:
    ///     BindposeError: if the path selects nothing, or values that decide how others are read.
    ///     ValueError: if shape, fields, kind, length or range of the values do not fit.
    fn set_array(&self, py: Python<'_>, path: &str, values: &Bound<'_, PyAny>) -> PyResult<()> {
        let own = self.array(py, path)?;
        let bytes = arrays::bytes_for(&own, values)?;
        // The view must not keep the file shared while it is changed.
        drop(own);
        let path = parse(py, path)?;
        let bytes = bytes.as_bytes();
        self.edit(py, false, |file| schema::set_array(file.value_mut(), &path, bytes))
    }

    /// Returns the bytes of the file. Those of an unchanged file are the bytes that it was decoded from.
    ///
    /// Raises:
    ///     BindposeError: if a list is too long for its count, or lists that share a count have different lengths.
    pub fn encode<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyBytes>> {
        self.snapshot(py).source(py)
    }

    /// Writes the file to a path: all bytes or, after an error, none. A file object is written directly.
    ///
    /// Raises:
    ///     OSError: if the file cannot be written.
    ///     BindposeError: as `encode`.
    fn save(&self, py: Python<'_>, path: &Bound<'_, PyAny>) -> PyResult<()> {
        let source = self.encode(py)?;
        let Some(path) = path_or_stream(path)? else {
            return write_to(path, &source);
        };
        let bytes = source.as_bytes();
        py.detach(|| save(&path, bytes)).map_err(|error| os_error(py, &error, &path))
    }

    /// Returns the file as JSON, from which `from_json` rebuilds the same bytes.
    fn to_json(&self, py: Python<'_>) -> PyResult<String> {
        let state = self.snapshot(py);
        let text = py.detach(|| {
            let mut text = Vec::new();
            state.file.to_json(&mut text).map(|()| text)
        });
        Ok(String::from_utf8(text?)?)
    }

    /// Iterates over the fields of the file in their order: byte range, path, type and value.
    ///
    /// >>> next(bindpose.open("hero.ms3d").map("version")).value
    /// 4
    ///
    /// Args:
    ///     path: only fields within this path; the whole file by default.
    ///     start: only fields that end after this offset. Those before it are not visited.
    ///     stop: only fields that begin before this offset.
    ///
    /// Raises:
    ///     BindposeError: if the path selects nothing.
    #[pyo3(signature = (path=None, *, start=0, stop=None))]
    fn map(
        &self,
        py: Python<'_>,
        path: Option<&str>,
        #[pyo3(from_py_with = integer)] start: i128,
        #[pyo3(from_py_with = optional_integer)] stop: Option<i128>,
    ) -> PyResult<Map> {
        let stop = stop.map_or(Ok(u64::MAX), |stop| within("stop", stop))?;
        let start = within("start", start)?;
        let state = self.snapshot(py);
        let path = path.map_or_else(|| Ok(FieldPath::root()), |path| parse(py, path))?;
        let places = schema::locate(state.file.value(), &path);
        let places = places.map_err(|error| exception(py, &error, None))?;
        let ranges: Vec<_> = places.into_iter().map(|place| place.range).collect();
        Ok(Map::new(state, &ranges, start..stop))
    }

    /// Returns the differences between this file and another of the same format, in the order of this one.
    ///
    /// Elements are matched by name, so an added, removed or renamed one is one difference.
    ///
    /// >>> old, new = bindpose.open("hero.ms3d"), bindpose.open("hero.ms3d")
    /// >>> new["joints[0].name"] = "hips"
    /// >>> [(change.path, change.a, change.b) for change in old.diff(new)]
    /// [('joints[0].name', 'root', 'hips')]
    ///
    /// Raises:
    ///     ValueError: if the files have different formats.
    fn diff<'py>(&self, py: Python<'py>, other: &Self) -> PyResult<Vec<Bound<'py, PyAny>>> {
        let (own, other) = (self.snapshot(py), other.snapshot(py));
        let (kind, other_kind) = (own.file.kind(), other.file.kind());
        if kind != other_kind {
            let message = format!("cannot compare {} with {}", kind.name(), other_kind.name());
            return Err(PyValueError::new_err(message));
        }
        let (source, other_source) = (own.source(py)?, other.source(py)?);
        let (source, other_source) = (source.as_bytes(), other_source.as_bytes());
        let differences = py.detach(|| {
            let mut differences = Vec::new();
            let sides = ((own.file.value(), source), (other.file.value(), other_source));
            let _ = diff(sides.0, sides.1, &mut |difference| {
                differences.push(difference.clone());
                Continue(())
            });
            differences
        });
        differences.into_iter().map(|difference| of_difference(py, difference)).collect()
    }

    /// Checks the rules of the format. Returns a `Report` with at most `most` findings per rule.
    ///
    /// Raises:
    ///     BindposeError: as `encode`.
    #[pyo3(signature = (*, most=20))]
    fn check<'py>(
        &self,
        py: Python<'py>,
        #[pyo3(from_py_with = integer)] most: i128,
    ) -> PyResult<Bound<'py, PyAny>> {
        let most = within("most", most)?;
        let state = self.snapshot(py);
        let source = state.source(py)?;
        let bytes = source.as_bytes();
        let found = py.detach(|| state.file.check(bytes, most));
        report(py, &found)
    }

    /// Encodes the file, decodes it, and compares. Returns an `Outcome`.
    ///
    /// Raises:
    ///     BindposeError: as `encode`.
    fn roundtrip<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let state = self.snapshot(py);
        let source = state.source(py)?;
        let bytes = source.as_bytes();
        let kind = state.file.kind();
        let result = py.detach(|| kind.roundtrip(bytes, &state.file.options().with_limits(Limits::none())));
        outcome(py, Some(kind), &result)
    }

    /// Returns a copy, which changes independently.
    fn copy(&self, py: Python<'_>) -> Self {
        let (name, file_name) = (self.name.clone(), self.file_name.clone());
        Self { state: Mutex::new(self.snapshot(py)), name, file_name }
    }

    fn __copy__(&self, py: Python<'_>) -> Self {
        self.copy(py)
    }

    fn __deepcopy__(&self, py: Python<'_>, _memo: &Bound<'_, PyAny>) -> Self {
        self.copy(py)
    }

    /// Files are equal if their bytes are.
    fn __eq__(&self, py: Python<'_>, other: &Bound<'_, PyAny>) -> PyResult<bool> {
        let Ok(other) = other.cast::<Self>() else { return Ok(false) };
        let (own, other) = (self.snapshot(py), other.get().snapshot(py));
        Ok(own.file.kind() == other.file.kind() && own.source(py)?.as_bytes() == other.source(py)?.as_bytes())
    }

    fn __reduce__<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyAny>> {
        let py = slf.py();
        let state = slf.get().snapshot(py);
        let spec = match state.file.dialect() {
            Some(dialect) => format!("{}:{dialect}", state.file.kind().name()),
            None => state.file.kind().name().to_owned(),
        };
        let restore = py.import("bindpose._bindpose")?.getattr("_restore")?;
        let arguments = (state.source(py)?, spec, slf.get().name());
        Ok((restore, arguments).into_pyobject(py)?.into_any())
    }

    /// Returns the only file that represents a scene in a format. `options` are those of `Scene.write`.
    ///
    /// >>> bindpose.File.from_scene(bindpose.scene("hero.ms3d"), "psk").format
    /// 'psk'
    ///
    /// Raises:
    ///     BindposeError: as `Scene.write`, or if the scene has several files of the format.
    #[staticmethod]
    #[pyo3(signature = (scene, format, **options))]
    fn from_scene(
        py: Python<'_>,
        scene: &PyScene,
        format: &str,
        options: Option<&Bound<'_, PyDict>>,
    ) -> PyResult<Self> {
        scene.file(py, format, options)
    }

    fn _repr_html_(&self, py: Python<'_>) -> PyResult<String> {
        let state = self.snapshot(py);
        let file = &state.file;
        let size = counted(file.value().size(), "byte");
        let row = |name: &'static str, value: Option<&str>| (name, value.unwrap_or("").to_owned());
        let rows = [
            row("format", Some(file.kind().name())),
            row("dialect", file.dialect()),
            row("writer", file.writer()),
        ];
        html::table(py, &self.name, rows.into_iter().chain([("size", size)]))
    }

    fn __repr__(&self, py: Python<'_>) -> String {
        let state = self.snapshot(py);
        let name = if self.name.is_empty() { String::new() } else { format!(" {:?}", self.name) };
        let size = counted(state.file.value().size(), "byte");
        format!("<File{name} {}, {size}>", state.file.kind().name())
    }
}

fn of_difference(py: Python<'_>, difference: Difference) -> PyResult<Bound<'_, PyAny>> {
    let Difference { path, change, a, b, .. } = difference;
    let text = |text: String| PyString::new(py, &text).into_any();
    let index = |index: usize| index.into_pyobject(py).map(Bound::into_any).map_err(PyErr::from);
    let none = || py.None().into_bound(py);
    let (change, old, new) = match change {
        Change::Value { a, b } => ("changed", text(a), text(b)),
        Change::Removed => ("removed", none(), none()),
        Change::Added => ("added", none(), none()),
        Change::Moved(from, to) => ("moved", index(from)?, index(to)?),
    };
    let ranges = ((a.start, a.end), (b.start, b.end));
    records::make(py, "Difference", (path.to_string(), change, old, new, ranges.0, ranges.1))
}

impl PyFile {
    /// Returns what a path with arrows leads to, and whether it has a pattern; none if it has no arrow.
    fn followed(&self, path: &Bound<'_, PyAny>) -> PyResult<Option<(Vec<FieldPath>, bool)>> {
        let py = path.py();
        let Ok(text) = path.cast::<PyString>() else { return Ok(None) };
        let text = text.to_cow()?;
        // A name in quotes can contain an arrow.
        if !text.contains("->") || text.parse::<FieldPath>().is_ok() {
            return Ok(None);
        }
        let state = self.snapshot(py);
        let found = py.detach(|| References::of(&state.file)?.follow(&text));
        let found = found.map_err(|error: bindpose::Error| exception(py, &error, None))?;
        let is_pattern = |part: &str| part.parse::<FieldPath>().is_ok_and(|own| own.is_pattern());
        Ok(Some((found, text.split("->").any(is_pattern))))
    }
}

/// Returns a path that selects parts of a file.
fn key(path: &Bound<'_, PyAny>) -> PyResult<FieldPath> {
    let Ok(text) = path.cast::<PyString>() else {
        let name = path.get_type().name()?;
        return Err(PyTypeError::new_err(format!("expected a path such as \"joints[0].name\", got {name}")));
    };
    parse(path.py(), &text.to_cow()?)
}
