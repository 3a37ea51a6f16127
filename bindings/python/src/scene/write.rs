//! Scenes as the bytes of files.

use std::collections::HashSet;
use std::path::{Path, PathBuf};

use bindpose::depot;
use bindpose::formats::lost_without;
use bindpose::scene::author::{AuthorError, Authoring};
use bindpose::scene::{Avoid, Loss, SafeName, SafeNames, Scene};
use bindpose::{FileKind, FormatSpec, Limits};
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList, PyTuple};

use super::axis;
use super::images::{SceneImages, embedded, image_exception};

use crate::arrays::list;
use crate::error::{author_exception, exception, value_exception};
use crate::input::spec_of;
use crate::records;

/// Returns a list of `Loss`.
pub fn losses<'py>(py: Python<'py>, losses: &[Loss]) -> PyResult<Bound<'py, PyList>> {
    list(py, losses, |loss| {
        let subjects = PyTuple::new(py, loss.subjects.iter().map(|own| (own.kind, &own.name)))?;
        let measure = loss
            .measure
            .map(|own| records::make(py, "Measure", (own.metres, own.degrees, own.scale, own.seconds)));
        let avoid = match loss.avoid {
            Some(Avoid::ReadRate) => Some(("rate", None)),
            Some(Avoid::ReadUp) => Some(("up", None)),
            Some(Avoid::FullWeight) => Some(("full_weight", None)),
            Some(Avoid::Rate(rate)) => Some(("rate", Some(rate))),
            _ => None,
        };
        let kind = loss.kind().name();
        let count = (loss.count > 0).then_some(loss.count);
        let (what, why, name) = (loss.what(), loss.why(), loss.lost.name());
        let fields = (&loss.file, what, why, kind, name, subjects, count, measure.transpose()?, avoid);
        records::make(py, "Loss", fields)
    })
}

/// The bytes of the files of each draft, and what they do not represent.
type Files = (Vec<Vec<(PathBuf, Vec<u8>)>>, Vec<Loss>);

/// The format of a written file.
enum Target {
    Glb,
    Gltf,
    /// A format, and its version.
    Format(FormatSpec, Option<String>),
}

/// A file to be written.
pub struct Draft {
    path: PathBuf,
    target: Target,
    /// Whether the path is that of the file; otherwise the file has its usual extension.
    is_named: bool,
    /// Whether files of other formats are written with it, so that it may be empty.
    is_family: bool,
}

impl Draft {
    /// Files at paths. Their extensions determine the formats if none is given; one of several formats, such as `.mesh`, is that
    /// of the family of the others.
    pub fn all(py: Python<'_>, paths: Vec<PathBuf>, format: Option<&str>) -> PyResult<Vec<Self>> {
        let known: Vec<_> = paths.iter().map(|path| authored_with(extension(path))).collect();
        let families: Vec<_> = known
            .iter()
            .filter_map(|own| if let [own] = &own[..] { Some(own.family()) } else { None })
            .collect();
        let drafts = paths.into_iter().zip(&known).map(|(path, known)| {
            let target = target(py, &path, format, known, &families)?;
            Ok(Self { path, target, is_named: true, is_family: false })
        });
        drafts.collect()
    }

    /// A file of a format, with the name of the scene. It may be empty if it is one of a family.
    pub fn of(py: Python<'_>, name: &str, format: &str, is_family: bool) -> PyResult<Self> {
        let target = target(py, Path::new(""), Some(format), &[], &[])?;
        let extension = match target {
            Target::Glb => "glb",
            Target::Gltf => "gltf",
            // It is added to the name of each file.
            Target::Format(..) => "",
        };
        Ok(Self { path: SafeName::new(name, extension).as_str().into(), target, is_named: false, is_family })
    }

    /// Returns what determines the settings of the files of a set: format, name and extension.
    fn plan(&self) -> Option<(FileKind, String, &str)> {
        let Target::Format(spec, _) = self.target else { return None };
        let extension = if self.is_named { extension(&self.path) } else { "" };
        Some((spec.kind, self.name(), extension))
    }

    /// Returns whether the path of a file is the one that the caller gave.
    pub fn is_at(&self, path: &Path) -> bool {
        self.is_named && self.path == path
    }

    fn name(&self) -> String {
        if self.is_named { FormatSpec::stem(&self.path) } else { self.path.to_string_lossy().into_owned() }
    }
}

/// Returns the settings that keyword arguments specify.
pub fn settings(options: Option<&Bound<'_, PyDict>>) -> PyResult<Authoring> {
    let mut settings = Authoring::default();
    for (name, value) in options.into_iter().flatten() {
        match &*name.extract::<String>()? {
            "up" => settings.up = axis(value.extract::<Option<String>>()?.as_deref())?,
            "unit" => settings.unit = value.extract()?,
            "rate" => settings.rate = value.extract()?,
            "max_influences" => settings.max_influences = influences(&value)?,
            "tangents" => settings.tangents = value.extract()?,
            "clip" => settings.clip = value.extract()?,
            "program" => settings.program = value.extract()?,
            other => return Err(PyTypeError::new_err(format!("unexpected keyword argument '{other}'"))),
        }
    }
    settings.validate().map_err(|error| PyValueError::new_err(error.to_string()))?;
    Ok(settings)
}

/// Returns the most influences of a vertex.
fn influences(value: &Bound<'_, PyAny>) -> PyResult<Option<usize>> {
    let Some(given) = value.extract::<Option<i64>>()? else { return Ok(None) };
    let most = usize::try_from(given).ok().filter(|most| *most > 0);
    most.map(Some)
        .ok_or_else(|| PyValueError::new_err(format!("expected max_influences of 1 or more, got {given}")))
}

/// Returns the files that represent a scene.
pub fn files(
    py: Python<'_>,
    scene: &Scene,
    images: (&SceneImages, Limits),
    drafts: &[Draft],
    settings: &Authoring,
) -> PyResult<Files> {
    let Some(first) = drafts.first() else {
        return Err(PyTypeError::new_err("expected at least one path or format"));
    };
    has_clip(scene, settings)?;
    let (mut files, mut losses, mut kinds, mut written) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
    let plans: Vec<_> = drafts.iter().filter_map(Draft::plan).collect();
    let plans: Vec<_> = plans.iter().map(|(kind, name, extension)| (*kind, &**name, *extension)).collect();
    for draft in drafts {
        let (own, lost) = match &draft.target {
            Target::Format(spec, version) => {
                let mut settings = settings.clone();
                settings.version.clone_from(version);
                let settings = settings.for_file_of(&plans, kinds.len());
                kinds.push(spec.kind);
                let (own, lost) = authored(py, scene, draft, *spec, &settings)?;
                if !own.is_empty() {
                    written.push(spec.kind);
                }
                (own, lost)
            }
            _ if settings.program.is_some() => {
                return Err(value_exception(py, "", "glTF files are the same for all programs".into()));
            }
            target => gltf(py, scene, images, &draft.path, (target, settings))?,
        };
        files.push(own);
        losses.extend(lost);
    }
    if files.iter().all(Vec::is_empty) {
        return Err(value_exception(py, "", "the scene has nothing that these formats can have".into()));
    }
    if kinds.len() == drafts.len() {
        losses.extend(lost_without(scene, &first.name(), &written));
    }
    if drafts.iter().any(|draft| draft.is_family) {
        // Several files lose the same.
        let mut known = HashSet::new();
        losses.retain(|loss| known.insert(loss.to_string()));
        if let (Some(list), Some(last)) = (list_file(first, drafts, &files), files.last_mut()) {
            last.push(list);
        }
    }
    Ok((files, losses))
}

/// The text that lists the files of a family, where programs need one.
fn list_file(
    first: &Draft,
    drafts: &[Draft],
    files: &[Vec<(PathBuf, Vec<u8>)>],
) -> Option<(PathBuf, Vec<u8>)> {
    let listed = drafts.iter().zip(files).flat_map(|(draft, files)| {
        let kind = if let Target::Format(spec, _) = &draft.target { Some(spec.kind) } else { None };
        files.iter().filter_map(move |(path, _)| Some((kind?, path.file_name()?.to_str()?)))
    });
    let text = depot::list_of(listed)?;
    Some((SafeName::new(&first.name(), depot::LIST).as_str().into(), text.into_bytes()))
}

/// Fails if the settings name a clip that the scene does not have.
fn has_clip(scene: &Scene, settings: &Authoring) -> PyResult<()> {
    let Some(name) = settings.clip.as_deref().filter(|name| scene.find_clip(name).is_err()) else {
        return Ok(());
    };
    Err(no_clip(scene, name))
}

/// The error for a name that no clip has.
pub fn no_clip(scene: &Scene, name: &str) -> PyErr {
    let names: Vec<_> = scene.clips.iter().map(|own| own.name.as_str()).collect();
    PyValueError::new_err(format!("no clip is named {name:?}; the names are {names:?}"))
}

/// Returns the only file that represents a scene in a format.
pub fn file(
    py: Python<'_>,
    scene: &Scene,
    name: &str,
    format: &str,
    settings: &Authoring,
) -> PyResult<bindpose::File> {
    let Target::Format(spec, version) = target(py, Path::new(""), Some(format), &[], &[])? else {
        return Err(value_exception(
            py,
            "",
            "a File cannot be glTF; use Scene.to_glb() or Scene.encode()".into(),
        ));
    };
    has_clip(scene, settings)?;
    let mut settings = settings.clone();
    settings.version = version;
    let written = py.detach(|| spec.author(scene, name, &settings));
    let files = written.map_err(|error| author_exception(py, &error))?.files;
    let count = files.len();
    match <[_; 1]>::try_from(files) {
        Ok([own]) => Ok(own.file),
        Err(_) => Err(value_exception(
            py,
            "",
            format!("the scene has {count} files of this format; encode() returns all"),
        )),
    }
}

/// Returns the extension of a path; empty if it has none.
fn extension(path: &Path) -> &str {
    path.extension().and_then(|extension| extension.to_str()).unwrap_or_default()
}

/// Returns the formats with an extension that scenes can be written in.
fn authored_with(extension: &str) -> Vec<FileKind> {
    let has = |kind: &FileKind| {
        kind.is_authored() && kind.info().extensions.iter().any(|own| own.eq_ignore_ascii_case(extension))
    };
    FileKind::ALL.iter().copied().filter(has).collect()
}

/// Returns the format of a path: the given one, or the one that the path determines, given the formats with its extension and the
/// families of the files beside it.
fn target(
    py: Python<'_>,
    path: &Path,
    format: Option<&str>,
    known: &[FileKind],
    families: &[&str],
) -> PyResult<Target> {
    match format.map_or_else(|| extension(path).to_ascii_lowercase(), str::to_owned).as_str() {
        "glb" => return Ok(Target::Glb),
        "gltf" => return Ok(Target::Gltf),
        _ => {}
    }
    if let Some((kind, version)) = format.and_then(versioned) {
        return Ok(Target::Format(kind.into(), Some(version.to_owned())));
    }
    let of_family = || {
        let all: Vec<_> = known.iter().filter(|own| families.contains(&own.family())).collect();
        if let [own] = all[..] { Some((*own).into()) } else { None }
    };
    let spec = spec_of(py, format)?.or_else(|| FormatSpec::named(path)).or_else(of_family);
    let unknown =
        || value_exception(py, "", format!("{}: the extension determines no format", path.display()));
    let mut spec = spec.or_else(|| FormatSpec::detect(path, &[])).ok_or_else(unknown)?;
    // The extensions of Cal3D state whether a file is XML.
    if spec.kind.family() == "cal3d" && spec.dialect.is_none() && extension(path).starts_with(['x', 'X']) {
        spec.dialect = Some("xml");
    }
    Ok(Target::Format(spec, None))
}

/// Returns the format and the version of a name such as `x:bin`; none for a name without a version.
fn versioned(format: &str) -> Option<(FileKind, &str)> {
    let (name, version) = format.split_once(':')?;
    let kind = FileKind::from_name(name)?;
    (!kind.encodings().is_empty()).then_some((kind, version))
}

type Written = (Vec<(PathBuf, Vec<u8>)>, Vec<Loss>);

fn gltf(
    py: Python<'_>,
    scene: &Scene,
    images: (&SceneImages, Limits),
    path: &Path,
    (target, settings): (&Target, &Authoring),
) -> PyResult<Written> {
    let converted = py.detach(|| {
        let adjusted = (settings.max_influences.is_some() || settings.tangents).then(|| {
            let mut scene = Scene { losses: Vec::new(), ..scene.clone() };
            settings.apply(&mut scene);
            scene
        });
        let gltf = embedded(adjusted.as_ref().unwrap_or(scene), images)?;
        let lost = adjusted.map_or_else(Vec::new, |own| own.losses);
        Ok((gltf, lost))
    });
    let (gltf, lost) = converted.map_err(|(name, error)| image_exception(py, &name, error))?;
    let bytes = py.detach(|| if matches!(target, Target::Glb) { gltf.to_glb() } else { gltf.to_gltf() });
    let bytes = bytes.map_err(|error| exception(py, &error, Some(path)))?;
    Ok((vec![(path.to_owned(), bytes)], [&*lost, gltf.losses()].concat()))
}

fn authored(
    py: Python<'_>,
    scene: &Scene,
    draft: &Draft,
    spec: FormatSpec,
    settings: &Authoring,
) -> PyResult<Written> {
    let path = &draft.path;
    let written = match py.detach(|| spec.author(scene, &draft.name(), settings)) {
        Ok(written) => written,
        Err(AuthorError::Empty { losses, .. }) if draft.is_family => return Ok((Vec::new(), losses)),
        Err(error) => return Err(author_exception(py, &error)),
    };
    let is_one = written.files.len() == 1;
    let mut names = SafeNames::default();
    let files = written.files.into_iter().map(|own| {
        let directory = path.parent().unwrap_or(Path::new(""));
        let encoded = py.detach(|| own.file.encode());
        let bytes = encoded.map_err(|error| exception(py, &error, Some(path)))?;
        let usual = usual_extension(spec, &own.file, &bytes);
        let extension = if draft.is_named { extension(path) } else { &usual };
        let mut beside = || names.add(&own.name, extension).inside(directory);
        let path = if is_one && draft.is_named { path.to_owned() } else { beside() };
        Ok((path, bytes))
    });
    Ok((files.collect::<PyResult<_>>()?, written.losses))
}

/// The extension of a file, which also states the format if the content does not determine it.
fn usual_extension(spec: FormatSpec, file: &bindpose::File, bytes: &[u8]) -> String {
    let extension = file.extension();
    if file.kind().recognizes(&bytes[..bytes.len().min(FormatSpec::HEAD)]) {
        return extension.to_owned();
    }
    format!("{}.{extension}", spec.to_string().replace(':', "+"))
}
