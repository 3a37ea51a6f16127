//! The objects of files as trees.

use std::ops::ControlFlow::Continue;

use bindpose::scene::NameEncoding;
use bindpose::tree::{Entry, Tree};
use bindpose::{Budget, FieldPath, Limits, schema};
use pyo3::prelude::*;
use pyo3::types::PyList;

use crate::error::exception;
use crate::file::PyFile;
use crate::input::{optional_integer, within};
use crate::records;
use crate::scene::encoding_of;

/// Returns the objects of a file as a tree, as the command `tree` prints it: a list of `Entry`.
///
/// Bones are below their parents, followed by meshes, materials with their textures, and clips; in `.x` files, objects are below the
/// objects that contain them.
///
/// >>> bones = bindpose.tree(bindpose.open("hero.ms3d"))[0]
/// >>> root = bones.children[0]
/// >>> root.kind, root.name, root.path, [child.name for child in root.children]
/// ('bone', 'root', 'joints[0]', ['top'])
///
/// Args:
///     file: the file.
///     depth: the number of levels; all by default.
///     encoding: as for `scene`.
///
/// Raises:
///     BindposeError: if the text of the file cannot be interpreted.
#[pyfunction]
#[pyo3(signature = (file, *, depth=None, encoding=None))]
pub fn tree<'py>(
    py: Python<'py>,
    file: &Bound<'py, PyFile>,
    #[pyo3(from_py_with = optional_integer)] depth: Option<i128>,
    encoding: Option<&str>,
) -> PyResult<Bound<'py, PyList>> {
    let depth = depth.map_or(Ok(usize::MAX), |depth| within("depth", depth))?;
    // Names keep their bytes unless an encoding is given, which can be a guessed one.
    let encoding = encoding_of(encoding.unwrap_or(NameEncoding::ALL[0].name()))?;
    let (state, name) = (file.get().snapshot(py), file.get().name());
    let entries = py.detach(|| {
        let tree = Tree::of(&state.file, name).with_depth(depth).with_encoding(encoding);
        let mut entries = Vec::new();
        tree.each(&Budget::of(&Limits::none(), 0), &mut |entry| {
            entries.push(entry);
            Continue(())
        })?;
        let paths: Vec<_> = entries.iter().filter_map(|own| own.path.clone()).collect();
        let mut places = schema::locate_many(state.file.value(), &paths).into_iter();
        let mut place = |_: &FieldPath| {
            // An object in text consists of values.
            let ranges = places.next()?.ok()?.into_iter().map(|place| place.range);
            ranges.reduce(|all, own| all.start.min(own.start)..all.end.max(own.end))
        };
        let ranges: Vec<_> = entries.iter().map(|own| own.path.as_ref().and_then(&mut place)).collect();
        Ok((entries, ranges))
    });
    let (entries, ranges) = entries.map_err(|error: bindpose::Error| exception(py, &error, None))?;
    let mut open = vec![PyList::empty(py)];
    for (Entry { depth, kind, name, contents, path, .. }, range) in entries.into_iter().zip(ranges) {
        open.truncate(depth + 1);
        let children = PyList::empty(py);
        let (offset, size) = range.map(|own| (own.start, own.end - own.start)).unzip();
        let path = path.map(|own| own.to_string());
        let entry = records::make(py, "Entry", (kind, name, contents, path, offset, size, children.clone()))?;
        open[depth].append(entry)?;
        open.push(children);
    }
    open.truncate(1);
    Ok(open.remove(0))
}
