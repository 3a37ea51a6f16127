//! Edits of what files mean: bones, materials, clips and textures, with everything that refers to them.

use std::f32::consts::FRAC_PI_2;
use std::ops::ControlFlow::Continue;

use bindpose::edit::{self, Entity, Name, References, Renamed, Renames};
use bindpose::scene::Up;
use bindpose::schema::Reference;
use bindpose::{Budget, File, Limits, Result};
use glam::Quat;
use pyo3::exceptions::{PyRuntimeError, PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyList, PyString, PyTuple};

use crate::arrays::list;
use crate::error::exception;
use crate::examine::finding;
use crate::file::PyFile;
use crate::input::Entries;
use crate::records;
use crate::scene::axis;
use crate::value::{bytes_of, text};

/// A text in the encoding of a file.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Text(Vec<u8>);

impl<'py> FromPyObject<'_, 'py> for Text {
    type Error = PyErr;

    fn extract(object: Borrowed<'_, 'py, PyAny>) -> PyResult<Self> {
        bytes_of(&*object.cast::<PyString>()?).map(Self)
    }
}

/// New names by their former ones.
type Table = Option<Entries<Text, Text>>;

/// Returns the names of bones, materials, clips and textures in a file, with every reference to them: a list of `Name`.
///
/// >>> [name.path for name in bindpose.names(bindpose.open("hero.ms3d")) if name.text == "root"]
/// ['joints[0].name', 'joints[1].parent_name']
///
/// Raises:
///     BindposeError: if the text of the file cannot be interpreted.
#[pyfunction]
pub fn names<'py>(py: Python<'py>, file: &Bound<'py, PyFile>) -> PyResult<Bound<'py, PyList>> {
    let state = file.get().snapshot(py);
    let names = py.detach(|| edit::names(&state.file)).map_err(|error| exception(py, &error, None))?;
    list(py, &names, |name| {
        let Name { entity, is_definition, path, text: own, .. } = name;
        records::make(py, "Name", (entity.name(), text(py, own)?, path.to_string(), *is_definition))
    })
}

/// Returns the references in a file: a list of `Reference`. Those by index come first, then those by name.
///
/// >>> hero = bindpose.open("hero.ms3d")
/// >>> [own.path for own in bindpose.references(hero) if own.target == "joints[0]"]
/// ['vertices[0].bone_id', 'vertices[1].bone_id', 'vertices[2].bone_id', 'vertices[3].bone_id', 'joints[1].parent_name']
///
/// Raises:
///     BindposeError: if the text of the file cannot be interpreted.
#[pyfunction]
pub fn references<'py>(py: Python<'py>, file: &Bound<'py, PyFile>) -> PyResult<Bound<'py, PyList>> {
    let state = file.get().snapshot(py);
    let found = py.detach(|| {
        let mut found = Vec::new();
        let _ = References::of(&state.file)?.each(&mut |reference| {
            found.push(reference);
            Continue(())
        });
        Ok(found)
    });
    let found = found.map_err(|error: bindpose::Error| exception(py, &error, None))?;
    list(py, found, |Reference { path, entity, target }| {
        let object = target.object().map(ToString::to_string);
        records::make(py, "Reference", (path.to_string(), entity, target.status(), object))
    })
}

/// Returns the paths of what a path selects that goes on at the objects that values refer to, after `->`.
///
/// >>> hero = bindpose.open("hero.ms3d")
/// >>> bindpose.follow(hero, "joints[1].parent_name->name")
/// ['joints[0].name']
/// >>> [hero[path] for path in bindpose.follow(hero, "vertices[*].bone_id->name")]
/// ['root', 'root', 'root', 'root', 'top', 'top']
///
/// A path that ends with `->` selects the objects themselves.
///
/// >>> bindpose.follow(hero, "vertices[5].bone_id->")
/// ['joints[1]']
///
/// Raises:
///     BindposeError: if a part of the path selects nothing, or a value that refers to no object of the file.
#[pyfunction]
pub fn follow(py: Python<'_>, file: &Bound<'_, PyFile>, path: &str) -> PyResult<Vec<String>> {
    let state = file.get().snapshot(py);
    let found = py.detach(|| References::of(&state.file)?.follow(path));
    let found = found.map_err(|error: bindpose::Error| exception(py, &error, None))?;
    Ok(found.iter().map(ToString::to_string).collect())
}

/// Renames objects of files and every reference to them. Returns a list of `Renamed`.
///
/// All files are changed, or none. Two objects can exchange their names.
///
/// >>> hero = bindpose.open("hero.ms3d")
/// >>> [(renamed.path, renamed.new) for renamed in bindpose.rename(hero, bones={"root": "hips"})]
/// [('joints[0].name', 'hips'), ('joints[1].parent_name', 'hips')]
///
/// Args:
///     files: the files, such as a mesh and its animations.
///     bones: the new names of bones by their former ones.
///     materials: as `bones`, for materials.
///     clips: as `bones`, for animations.
///     textures: as `bones`, for the paths of images.
///
/// Raises:
///     BindposeError: if no file has a name, a new name does not fit, or two objects would have the same name.
#[pyfunction]
#[pyo3(signature = (*files, bones=None, materials=None, clips=None, textures=None))]
pub fn rename<'py>(
    py: Python<'py>,
    files: &Bound<'py, PyTuple>,
    bones: Table,
    materials: Table,
    clips: Table,
    textures: Table,
) -> PyResult<Bound<'py, PyList>> {
    let tables = [
        (Entity::Bone, bones),
        (Entity::Material, materials),
        (Entity::Clip, clips),
        (Entity::Texture, textures),
    ];
    let (own, indices) = distinct(files)?;
    let renamed = change(py, &own, |files| {
        let mut renames = Renames::new();
        for (entity, table) in tables {
            for (old, new) in table.map(|own| own.0).unwrap_or_default() {
                renames.add(entity, old.0, new.0)?;
            }
        }
        let mut names = Vec::new();
        for file in &mut *files {
            names.extend(edit::names(file)?);
        }
        renames.all_among(&names)?;
        let mut replaced = Vec::new();
        for (file, index) in files.iter_mut().zip(indices) {
            replaced.extend(edit::rename(file, &renames)?.into_iter().map(|own| (index, own)));
        }
        Ok(replaced)
    })?;
    list(py, &renamed, |(index, own)| {
        let Renamed { name: Name { entity, path, text: old, .. }, new, .. } = own;
        let fields = (*index, entity.name(), path.to_string(), text(py, old)?, text(py, new)?);
        records::make(py, "Renamed", fields)
    })
}

/// Merges two edits of a file, and returns a `Merged`: the file with both, the conflicts, and the findings that neither has.
///
/// Only one of the edits can add, remove and move elements; indices refer to the same objects.
///
/// >>> base = bindpose.open("hero.ms3d")
/// >>> ours, theirs = base.copy(), base.copy()
/// >>> ours["joints[0].name"] = "hips"
/// >>> theirs["vertices[0].flags"] = 1
/// >>> merged = bindpose.merge3(base, ours, theirs)
/// >>> merged.file["joints[0].name"], merged.file["vertices[0].flags"], merged.conflicts
/// ('hips', 1, [])
///
/// Raises:
///     BindposeError: if the files have different formats or dialects or are damaged, or a value cannot be set by itself.
#[pyfunction]
pub fn merge3<'py>(
    py: Python<'py>,
    base: &Bound<'py, PyFile>,
    ours: &Bound<'py, PyFile>,
    theirs: &Bound<'py, PyFile>,
) -> PyResult<Bound<'py, PyAny>> {
    let [base, own, theirs] = [base, ours, theirs].map(|file| file.get().snapshot(py));
    let merged = py.detach(|| edit::merge3(&base.file, &own.file, &theirs.file));
    let merged = merged.map_err(|error| exception(py, &error, None))?;
    let conflicts = list(py, &merged.conflicts, |own| {
        records::make(py, "Conflict", (own.place.to_string(), &own.ours, &own.theirs))
    })?;
    let caused = list(py, &merged.caused, |own| finding(py, own))?;
    let file = PyFile::of(merged.file, ours.get().name().to_owned());
    records::make(py, "Merged", (Bound::new(py, file)?, conflicts, caused))
}

/// Removes objects of files and what refers to them. Returns the number of removed objects.
///
/// All files are changed, or none. The children and the weights of a bone go to its parent, and the children keep their place in
/// the bind pose and in clips. The keys of a clip go with it. A material goes only where no triangle needs it.
///
/// >>> bindpose.remove(bindpose.open("body.psk"), bones=["a"])
/// 1
///
/// Args:
///     files: the files, such as a mesh and its animations.
///     bones: the names of bones.
///     materials: the names of materials.
///     clips: the names of animations.
///     textures: the paths of images.
///
/// Raises:
///     BindposeError: if no file has a name, something needs the object, or the format does not allow it.
#[pyfunction]
#[pyo3(signature = (*files, bones=None, materials=None, clips=None, textures=None))]
pub fn remove(
    py: Python<'_>,
    files: &Bound<'_, PyTuple>,
    bones: Option<Vec<Text>>,
    materials: Option<Vec<Text>>,
    clips: Option<Vec<Text>>,
    textures: Option<Vec<Text>>,
) -> PyResult<usize> {
    let lists = [
        (Entity::Bone, bones),
        (Entity::Material, materials),
        (Entity::Clip, clips),
        (Entity::Texture, textures),
    ];
    change(py, &distinct(files)?.0, |files| {
        let mut removed = 0;
        for (entity, names) in lists {
            for name in names.unwrap_or_default() {
                removed += edit::remove(files, entity, &name.0)?;
            }
        }
        Ok(removed)
    })
}

/// A rotation about an axis of files.
#[derive(Debug)]
pub struct Turn(Quat);

impl<'py> FromPyObject<'_, 'py> for Turn {
    type Error = PyErr;

    fn extract(object: Borrowed<'_, 'py, PyAny>) -> PyResult<Self> {
        let (axis, degrees): (String, f32) = object.extract()?;
        let angle = degrees.to_radians();
        Ok(Self(match axis.as_str() {
            "x" => Quat::from_rotation_x(angle),
            "y" => Quat::from_rotation_y(angle),
            "z" => Quat::from_rotation_z(angle),
            _ => {
                return Err(PyValueError::new_err(format!("{axis:?} is not an axis: \"x\", \"y\" or \"z\"")));
            }
        }))
    }
}

/// Scales, rotates, moves and re-times files with everything that follows: bind poses, clips, normals, morph targets, bounds.
///
/// The operations are applied in this order: scale, up, rotate, translate. All files are changed, or none. Animations of Cal3D and
/// DirectX can only be rotated and moved together with the file that has their bones.
///
/// >>> hero = bindpose.open("hero.ms3d")
/// >>> bindpose.transform(hero, scale=100, translate=(0, 0, -4.5))
/// >>> hero["vertices[1].position"]
/// (100.0, 0.0, -4.5)
/// >>> bindpose.transform(hero, fps=48)
/// >>> hero["animation.fps"]
/// 48.0
///
/// Args:
///     files: the files, such as a mesh and its animations.
///     scale: the factor of all lengths, greater than 0.
///     up: the axis that points up afterwards where the other one did: `"y"` for files with Z up, `"z"` for files with Y up.
///     rotate: axes of the files with angles in degrees, such as `[("z", 180)]`; counterclockwise about the origin, in this order.
///     translate: the distances along x, y and z, in the unit of the files after scaling.
///     fps: the frame rate of all clips, of MilkShape 3D and PSA files. Frames are kept, so clips become shorter or longer.
///     keep_duration: whether clips keep their length instead, and their keys are sampled at the new rate.
///
/// Raises:
///     TypeError: if there is no file or no operation.
///     BindposeError: if a number is invalid, or contents cannot follow, such as compressed animation sets of `.x` files.
#[pyfunction]
#[pyo3(signature = (*files, scale=None, up=None, rotate=None, translate=None, fps=None, keep_duration=false))]
#[expect(clippy::too_many_arguments, reason = "keywords of a Python function")]
pub fn transform(
    py: Python<'_>,
    files: &Bound<'_, PyTuple>,
    scale: Option<f32>,
    up: Option<&str>,
    rotate: Option<Vec<Turn>>,
    translate: Option<[f32; 3]>,
    fps: Option<f32>,
    keep_duration: bool,
) -> PyResult<()> {
    let upright =
        axis(up)?.map(|up| if up == Up::Y { -FRAC_PI_2 } else { FRAC_PI_2 }).map(Quat::from_rotation_x);
    let is_given = upright.is_some() || rotate.is_some() || translate.is_some();
    if !is_given && scale.is_none() && fps.is_none() {
        return Err(PyTypeError::new_err("expected scale, up, rotate, translate or fps"));
    }
    if keep_duration && fps.is_none() {
        return Err(PyTypeError::new_err("keep_duration requires fps"));
    }
    let turns = rotate.unwrap_or_default();
    let rotation = turns.iter().fold(upright.unwrap_or(Quat::IDENTITY), |all, turn| turn.0 * all);
    // Nothing is added to numbers, which would change the sign of zeros.
    let moves =
        rotation != Quat::IDENTITY || translate.is_some_and(|own| own.iter().any(|part| *part != 0.0));
    change(py, &distinct(files)?.0, |files| {
        let size = files.iter().map(|file| file.value().size()).sum();
        let budget = Budget::of(&Limits::default(), size);
        for file in &mut *files {
            if let Some(factor) = scale {
                edit::scale(file, factor, &budget)?;
            }
            if let Some(rate) = fps {
                if keep_duration {
                    edit::resample(file, rate, &budget)?;
                } else {
                    edit::retime(file, rate)?;
                }
            }
        }
        if moves {
            edit::transform(files, rotation, translate.unwrap_or_default().into(), &budget)
        } else {
            Ok(())
        }
    })
}

/// Adds the clips or the meshes of other files of the same format to a file, after its own. Bones are matched by name.
///
/// PSA files have the same bones, in any order. The first PSK file has all bones, in the same bind pose. Binary meshes of Cal3D
/// belong to one skeleton.
///
/// >>> run, jump = bindpose.open("run.psa"), bindpose.open("run.psa")
/// >>> jumps = {name.text: "jump " + name.text for name in bindpose.names(jump) if name.kind == "clip"}
/// >>> _ = bindpose.rename(jump, clips=jumps)
/// >>> bindpose.merge(run, jump)
/// >>> len(bindpose.scene("body.psk", run).clips)
/// 4
///
/// Args:
///     file: the file that is changed.
///     others: the files that are added, in this order.
///
/// Raises:
///     BindposeError: if the formats differ, only one file has a bone, two clips have the same name, or the format cannot contain
///         the result. The file is unchanged then.
#[pyfunction]
#[pyo3(signature = (file, *others))]
pub fn merge(py: Python<'_>, file: &Bound<'_, PyFile>, others: &Bound<'_, PyTuple>) -> PyResult<()> {
    let before = file.get().snapshot(py);
    let others = others.iter().map(|other| Ok(other.cast::<PyFile>()?.get().snapshot(py)));
    let others = others.collect::<PyResult<Vec<_>>>()?;
    let merged = py.detach(|| {
        let mut merged = before.file.clone();
        others.iter().try_for_each(|other| edit::merge(&mut merged, &other.file))?;
        Ok(merged)
    });
    let merged = merged.map_err(|error| exception(py, &error, None))?;
    let is_replaced = PyFile::replace_all(py, vec![(file.get(), &before, merged)]);
    if is_replaced { Ok(()) } else { Err(changed_meanwhile()) }
}

fn changed_meanwhile() -> PyErr {
    PyRuntimeError::new_err("a file was changed by another thread")
}

/// Returns the files among arguments, each with the index of its first argument.
fn distinct<'py>(files: &Bound<'py, PyTuple>) -> PyResult<(Vec<Bound<'py, PyFile>>, Vec<usize>)> {
    if files.is_empty() {
        return Err(PyTypeError::new_err("expected at least one file"));
    }
    let (mut own, mut indices) = (Vec::<Bound<'py, PyFile>>::new(), Vec::new());
    for (index, file) in files.iter().enumerate() {
        let file = file.cast::<PyFile>()?;
        if !own.iter().any(|known| known.is(file)) {
            own.push(file.clone());
            indices.push(index);
        }
    }
    Ok((own, indices))
}

/// Changes copies of files and replaces all of them, or none after an error. A file that is given twice is changed once.
fn change<T: Send>(
    py: Python<'_>,
    own: &[Bound<'_, PyFile>],
    change: impl FnOnce(&mut [File]) -> Result<T> + Send,
) -> PyResult<T> {
    let before: Vec<_> = own.iter().map(|file| file.get().snapshot(py)).collect();
    let (result, after) = py.detach(|| {
        let mut files: Vec<_> = before.iter().map(|state| state.file.clone()).collect();
        (change(&mut files), files)
    });
    let result = result.map_err(|error| exception(py, &error, None))?;
    let changes = own.iter().map(Bound::get).zip(&before).zip(after);
    let changes = changes.map(|((file, before), after)| (file, before, after)).collect();
    if PyFile::replace_all(py, changes) { Ok(result) } else { Err(changed_meanwhile()) }
}
