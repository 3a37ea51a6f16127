//! Scenes as the bytes of files.

use std::path::{Path, PathBuf};

use bindpose::FormatSpec;
use bindpose::formats::lost_without;
use bindpose::scene::author::Authoring;
use bindpose::scene::gltf::Gltf;
use bindpose::scene::{Loss, SafeNames, Scene};
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;

use crate::error::{author_exception, exception, value_exception};
use crate::input::{spec_of, stem};

/// The bytes of files, and what they do not represent.
type Files = (Vec<(PathBuf, Vec<u8>)>, Vec<Loss>);

/// The format of a written file.
enum Target {
    Glb,
    Gltf,
    Format(FormatSpec),
}

/// Returns the files that represent a scene at some paths.
pub fn files(
    py: Python<'_>,
    scene: &Scene,
    paths: &[PathBuf],
    format: Option<&str>,
    settings: &Authoring,
) -> PyResult<Files> {
    let Some(first) = paths.first() else {
        return Err(PyTypeError::new_err("write() needs at least one path"));
    };
    let targets = paths.iter().map(|path| target(py, path, format)).collect::<PyResult<Vec<_>>>()?;
    let (mut files, mut losses, mut kinds) = (Vec::new(), Vec::new(), Vec::new());
    let names: Vec<_> = paths.iter().map(|path| stem(path)).collect();
    let planned = paths.iter().zip(&names).zip(&targets).filter_map(|((path, name), target)| match target {
        Target::Format(spec) => Some((spec.kind, &**name, extension(path))),
        _ => None,
    });
    let planned: Vec<_> = planned.collect();
    for (path, target) in paths.iter().zip(&targets) {
        let (own, lost) = match target {
            Target::Format(spec) => {
                let settings = settings.for_file_of(&planned, kinds.len());
                kinds.push(spec.kind);
                authored(py, scene, path, *spec, &settings)?
            }
            _ if settings.program.is_some() => {
                return Err(value_exception(py, "", "glTF files are the same for all programs".into()));
            }
            target => gltf(py, scene, path, target)?,
        };
        files.extend(own);
        losses.extend(lost);
    }
    if kinds.len() == paths.len() {
        losses.extend(lost_without(scene, &stem(first), &kinds));
    }
    Ok((files, losses))
}

/// Returns the extension of a path; empty if it has none.
fn extension(path: &Path) -> &str {
    path.extension().and_then(|extension| extension.to_str()).unwrap_or_default()
}

fn target(py: Python<'_>, path: &Path, format: Option<&str>) -> PyResult<Target> {
    match format.map_or_else(|| extension(path).to_ascii_lowercase(), str::to_owned).as_str() {
        "glb" => return Ok(Target::Glb),
        "gltf" => return Ok(Target::Gltf),
        _ => {}
    }
    let spec = spec_of(py, format)?.or_else(|| FormatSpec::detect(path, &[]));
    let unknown =
        || value_exception(py, "", format!("{}: the extension determines no format", path.display()));
    spec.map(Target::Format).ok_or_else(unknown)
}

fn gltf(py: Python<'_>, scene: &Scene, path: &Path, target: &Target) -> PyResult<Files> {
    let written = py.detach(|| {
        let gltf = Gltf::new(scene);
        let bytes = if matches!(target, Target::Glb) { gltf.to_glb() } else { gltf.to_gltf() }?;
        Ok((vec![(path.to_owned(), bytes)], gltf.losses().to_vec()))
    });
    written.map_err(|error| exception(py, &error, Some(path)))
}

fn authored(
    py: Python<'_>,
    scene: &Scene,
    path: &Path,
    spec: FormatSpec,
    settings: &Authoring,
) -> PyResult<Files> {
    let written = py.detach(|| spec.author(scene, &stem(path), settings));
    let written = written.map_err(|error| author_exception(py, &error))?;
    let is_one = written.files.len() == 1;
    let mut names = SafeNames::default();
    let files = written.files.into_iter().map(|own| {
        let directory = path.parent().unwrap_or(Path::new(""));
        let mut beside = || names.add(&own.name, extension(path)).inside(directory);
        let path = if is_one { path.to_owned() } else { beside() };
        let bytes = py.detach(|| own.file.encode()).map_err(|error| exception(py, &error, Some(&path)))?;
        Ok((path, bytes))
    });
    Ok((files.collect::<PyResult<_>>()?, written.losses))
}
