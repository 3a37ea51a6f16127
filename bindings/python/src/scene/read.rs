//! Builds scenes from files.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use bindpose::depot;
use bindpose::scene::gltf::{self, Imported};
use bindpose::scene::{ClipRange, NameEncoding, Part, Scene, Settings, ToScene};
use bindpose::{Budget, FileKind, Limits};
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::PyTuple;

use super::images::SceneImages;
use super::{PyScene, axis};
use crate::file::{PyFile, State};
use crate::input::{Entries, Input, PyLimits, path_of};

/// The encoding of a name; `None` to guess it.
pub fn encoding_of(name: &str) -> PyResult<Option<NameEncoding>> {
    if name == "auto" {
        return Ok(None);
    }
    name.parse().map(Some).map_err(PyValueError::new_err)
}

/// The ranges of a clip by their names.
fn ranges_of(given: Entries<String, (f32, f32)>) -> PyResult<Vec<ClipRange>> {
    let range = |(name, (start, end)): (String, (f32, f32))| {
        if !(start <= end && start.is_finite() && end.is_finite()) {
            let why =
                format!("range {name:?}: expected a start that is not after the end, got {start} and {end}");
            return Err(PyValueError::new_err(why));
        }
        Ok(ClipRange { name, start, end })
    };
    given.0.into_iter().map(range).collect()
}

/// A file of a scene.
enum Source {
    File(Arc<State>),
    Scene(Arc<Scene>, SceneImages),
}

impl Source {
    /// Reads a file; glTF is recognised by its content.
    fn read(file: &Bound<'_, PyAny>, limits: Option<&Bound<'_, PyLimits>>) -> PyResult<(String, Self)> {
        let py = file.py();
        if let Ok(own) = file.cast::<PyFile>() {
            return Ok((own.get().name().to_owned(), Self::File(own.get().snapshot(py))));
        }
        if let Ok(own) = file.cast::<PyScene>() {
            return Ok((
                own.get().name.clone(),
                Self::Scene(Arc::clone(&own.get().scene), own.get().images.clone()),
            ));
        }
        let input = Input::read(file)?;
        let bytes = input.bytes.as_bytes();
        match input.spec(None)? {
            Ok(spec) => {
                let file = PyFile::decode(&input, spec, limits.map(Bound::get))?;
                Ok((input.name(), Self::File(file.snapshot(py))))
            }
            Err(_) if gltf::detect(bytes) => {
                let limits = limits.map_or_else(Limits::default, |limits| limits.get().0);
                let (name, path) = (input.name(), input.path.as_deref());
                let imported = py.detach(|| read_gltf(bytes, &name, path, &limits));
                let Imported { scene, images, .. } = imported.map_err(|error| input.exception(&error))?;
                let images = images.into_iter().map(|own| (own.path.clone(), own.into())).collect();
                Ok((name, Self::Scene(Arc::new(scene), images)))
            }
            Err(error) => Err(input.exception(&error)),
        }
    }

    fn kind(&self) -> Option<FileKind> {
        match self {
            Self::File(state) => Some(state.file.kind()),
            Self::Scene(..) => None,
        }
    }

    /// The images that are known before others are searched.
    const fn images(&self) -> Option<&SceneImages> {
        match self {
            Self::File(_) => None,
            Self::Scene(_, images) => Some(images),
        }
    }

    fn as_scene_source(&self) -> &dyn ToScene {
        match self {
            Self::File(state) => state.file.as_scene_source(),
            Self::Scene(scene, _) => &**scene,
        }
    }
}

/// Reads glTF; only a file with a path may refer to others.
fn read_gltf(bytes: &[u8], name: &str, path: Option<&Path>, limits: &Limits) -> bindpose::Result<Imported> {
    let folder = path.map(|path| path.parent().filter(|folder| !folder.as_os_str().is_empty()));
    let folder = folder.map(|folder| folder.unwrap_or(Path::new(".")));
    let mut load = |name: &str, len| {
        folder.map_or_else(|| gltf::refuse(name, len), |folder| gltf::folder(folder, name, len))
    };
    let budget = Budget::of(limits, bytes.len() as u64);
    let name = if name.is_empty() { "image" } else { name };
    let mut imported = gltf::read_named(bytes, name, &mut load, &budget)?;
    imported.remove_unused_bones();
    Ok(imported)
}

/// Returns the files beside files that belong to them, such as `run.config` beside `run.psa`: a list of paths.
///
/// A set that has a file of the format of a sidecar takes no other.
///
/// >>> bindpose.sidecars("body.psk", "run.psa")
/// []
///
/// Raises:
///     OSError: if a file cannot be read.
#[pyfunction]
#[pyo3(signature = (*files))]
pub fn sidecars(files: &Bound<'_, PyTuple>) -> PyResult<Vec<PathBuf>> {
    let mut known = Vec::new();
    for file in files {
        let input = Input::read(&file)?;
        if let (Ok(spec), Some(path)) = (input.spec(None)?, input.path) {
            known.push((path, spec.kind));
        }
    }
    Ok(depot::sidecars(known).into_iter().map(|own| own.path).collect())
}

/// Returns the paths among files.
fn paths_of(files: &Bound<'_, PyTuple>) -> PyResult<Vec<Option<PathBuf>>> {
    files.iter().map(|file| path_of(&file)).collect()
}

/// Adds the sidecars of the files that are given by path.
fn add_sidecars(
    py: Python<'_>,
    paths: &[Option<PathBuf>],
    sources: &mut Vec<(String, Source)>,
    limits: Option<&Bound<'_, PyLimits>>,
) -> PyResult<()> {
    let files = sources.iter().zip(paths).filter_map(|((_, source), path)| {
        // Files without a path count as given, too.
        Some((path.clone().unwrap_or_default(), source.kind()?))
    });
    for own in depot::sidecars(files) {
        let input = Input::read(own.path.as_os_str().into_pyobject(py)?.as_any())?;
        let file = PyFile::decode(&input, own.kind.into(), limits.map(Bound::get))?;
        sources.push((input.name(), Source::File(file.snapshot(py))));
    }
    Ok(())
}

/// Builds a scene from files: a mesh, its skeleton, clips and materials, in any order.
///
/// Bones of different files are matched by name. glTF files are read too, without the nodes of other programs that hold no mesh, joint or
/// moving node.
///
/// >>> run = bindpose.scene("body.psk", "run.psa", rate=30)
/// >>> len(run.meshes), len(run.clips)
/// (1, 2)
///
/// Args:
///     files: files, paths, binary files, buffers or scenes.
///     up: the up axis of the files, `"y"` or `"z"`; by default the convention of each format.
///     unit: the length of a unit of the files in metres; by default that of each format.
///     rate: frames or ticks per second of clips whose file does not specify them.
///     full_weight: the integer weight that means 1, in MilkShape 3D files 100 or 255.
///     limits: limits on the resources that decoding one file takes, and one image.
///     sidecars: whether to read files beside those paths that belong to them, such as `run.config` beside `run.psa`, unless files of
///         their format are given, and to find the images of textures: see `Scene.images`.
///     textures: directories that are searched for images with all below them.
///     encoding: the encoding of names that are not UTF-8, such as `"cp932"`, or `"auto"` to guess it from all names. By default, bytes
///         of such names are `\\xNN`, which is what `rename` takes.
///     ranges: the clips that the only clip is cut into, as `{"walk": (0, 1.2)}`: where they start and end in seconds.
///
/// Raises:
///     OSError: if a file cannot be read.
///     BindposeError: if a file cannot be decoded.
///     ValueError: if the files have no clip or several, or a range ends after the clip.
#[pyfunction]
#[pyo3(signature = (*files, up=None, unit=None, rate=None, full_weight=None, limits=None, sidecars=true, textures=Vec::new(), encoding=None, ranges=None))]
#[expect(clippy::too_many_arguments, reason = "arguments by name")]
pub fn scene(
    py: Python<'_>,
    files: &Bound<'_, PyTuple>,
    up: Option<&str>,
    unit: Option<f32>,
    rate: Option<f32>,
    full_weight: Option<u8>,
    limits: Option<&Bound<'_, PyLimits>>,
    sidecars: bool,
    textures: Vec<PathBuf>,
    encoding: Option<&str>,
    ranges: Option<Entries<String, (f32, f32)>>,
) -> PyResult<PyScene> {
    let mut settings = Settings::default();
    (settings.unit, settings.rate) = (unit, rate);
    (settings.up, settings.full_weight) = (axis(up)?, full_weight);
    settings.validate().map_err(|error| PyValueError::new_err(error.to_string()))?;
    if files.is_empty() {
        return Err(PyTypeError::new_err("scene() needs at least one file"));
    }
    let mut sources = files.iter().map(|file| Source::read(&file, limits)).collect::<PyResult<Vec<_>>>()?;
    let encoding = encoding.map(encoding_of).transpose()?;
    let ranges = ranges.map(ranges_of).transpose()?.unwrap_or_default();
    let paths = paths_of(files)?;
    if sidecars {
        add_sidecars(py, &paths, &mut sources, limits)?;
    }
    let name = sources.first().map(|(name, _)| name.clone()).unwrap_or_default();
    let images = sources.iter().rev().filter_map(|(_, source)| source.images());
    let images = images.flatten().map(|(path, own)| (path.clone(), own.clone())).collect();
    let scene = py.detach(|| {
        let parts = sources.iter().map(|(name, source)| Part { name, file: source.as_scene_source() });
        let mut scene = Scene::of(&parts.collect::<Vec<_>>(), &settings);
        if let Some(encoding) = encoding {
            scene.decode_names(encoding);
        }
        scene.cut_clip(&ranges).map(|()| scene)
    });
    let scene = scene.map_err(|error| PyValueError::new_err(error.to_string()))?;
    let files: Vec<_> = paths.into_iter().flatten().filter(|_| sidecars).collect();
    let known = (images, limits.map_or_else(Limits::default, |own| own.get().0));
    Ok(py.detach(|| PyScene::find_images(scene, name, known, &files, &textures)))
}
