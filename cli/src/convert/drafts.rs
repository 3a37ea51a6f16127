//! The results that arguments specify: their formats and places.

use std::collections::HashSet;
use std::fs::{self, Metadata};
use std::str::FromStr;

use crate::prelude::*;
use bindpose::File;
use bindpose::scene::author::SceneContent;
use bindpose::scene::{NameTemplate, Placeholder, SafeName, Scene};

/// The families that `--to` accepts, and those of their formats.
const FAMILIES: [(&str, &str); 4] =
    [("cal3d", "cal3d"), ("max", "max"), ("unigine", "unigine"), ("unreal", "psk")];

const GLTF: [&str; 2] = ["glb", "gltf"];

/// The name of a family for `--to`.
pub(crate) fn name_of_family(family: &str) -> &str {
    FAMILIES.iter().find(|(_, own)| *own == family).map_or(family, |(name, _)| name)
}

/// What `--to` accepts beside the names of formats.
pub(crate) fn targets() -> impl Iterator<Item = &'static str> {
    GLTF.into_iter().chain(FAMILIES.map(|(name, _)| name))
}

/// The formats that `--to` specifies.
#[derive(Clone, Debug)]
pub(crate) enum To {
    /// The formats, and a version, where it is not a dialect: `ms12`.
    Formats(Vec<FormatSpec>, Option<String>),
    /// The extension: `glb` or `gltf`.
    Gltf(&'static str),
}

impl FromStr for To {
    type Err = Failure;

    fn from_str(text: &str) -> Result<Self> {
        if let Some(extension) = GLTF.into_iter().find(|own| *own == text) {
            return Ok(Self::Gltf(extension));
        }
        let failed = |why: String| Failure::usage(why);
        let (name, dialect) = text.split_once(':').map_or((text, None), |(name, own)| (name, Some(own)));
        // A version whose name is that of no other format: `ms14`.
        let of_version = FileKind::ALL.iter().find(|kind| kind.versions().contains(&text));
        let (name, dialect) = of_version.map_or((name, dialect), |kind| (kind.name(), Some(text)));
        let kinds: Vec<FileKind> = match FAMILIES.iter().find(|(own, _)| *own == name) {
            Some((_, family)) => {
                FileKind::ALL.iter().copied().filter(|kind| kind.family() == *family).collect()
            }
            None => vec![name.parse::<FormatSpec>().map_err(|error| failed(error.message()))?.kind],
        };
        let written: Vec<_> = kinds.into_iter().filter(|kind| kind.is_authored()).collect();
        if written.is_empty() {
            return Err(failed(format!("scenes cannot be written as {name}")));
        }
        let dialect_of = |kind: FileKind| {
            let own = kind.info().dialects.iter().copied().find(|own| Some(*own) == dialect);
            FormatSpec { kind, dialect: own }
        };
        // Of a family, the formats that have the dialect are written in it.
        let specs: Vec<_> = written.iter().copied().map(dialect_of).collect();
        let version = dialect.filter(|_| specs.iter().all(|spec| spec.dialect.is_none()));
        // Files of some formats state their version or encoding, so that it is not a dialect. Authors refuse unknown ones.
        if let Some(unknown) = version.filter(|_| written.iter().all(|kind| kind.encodings().is_empty())) {
            let mut known: Vec<_> = written.iter().flat_map(|kind| kind.info().dialects).copied().collect();
            let mut seen = HashSet::new();
            known.retain(|own| seen.insert(*own));
            return Err(failed(match &*known {
                [] => format!("{name} has no dialects"),
                known => {
                    format!("{name} has no dialect `{unknown}`; expected one of {}", known.join(", "))
                }
            }));
        }
        Ok(Self::Formats(specs, version.map(str::to_owned)))
    }
}

impl To {
    pub fn version(&self) -> Option<&str> {
        match self {
            Self::Formats(_, version) => version.as_deref(),
            Self::Gltf(_) => None,
        }
    }

    pub fn in_directory(&self, directory: &Path, name: &str) -> Vec<Draft> {
        let name = name.to_owned();
        match self {
            Self::Gltf(extension) => {
                let path = SafeName::new(&name, extension).inside(directory);
                vec![Draft { kind: None, place: DraftPlace::File(path), name, is_family: false }]
            }
            Self::Formats(specs, _) => specs
                .iter()
                .map(|spec| Draft {
                    kind: Some(*spec),
                    name: name.clone(),
                    place: DraftPlace::Directory(directory.to_owned()),
                    is_family: specs.len() > 1,
                })
                .collect(),
        }
    }
}

#[derive(Clone, Debug)]
pub(crate) enum DraftPlace {
    File(PathBuf),
    Directory(PathBuf),
}

impl DraftPlace {
    pub fn directory(&self) -> &Path {
        match self {
            Self::File(path) => path.parent().unwrap_or(Path::new("")),
            Self::Directory(directory) => directory,
        }
    }

    /// Whether it is standard output, or a device or pipe.
    pub fn is_stream(&self) -> bool {
        let Self::File(path) = self else { return false };
        let is_other = |data: Metadata| !data.is_file() && !data.is_dir();
        // What standard output is redirected into can be a file.
        let is_system =
            cfg!(unix) && ["/dev/stderr", "/dev/fd", "/proc"].iter().any(|own| path.starts_with(own));
        is_stdout(path) || is_system || fs::metadata(path).is_ok_and(is_other)
    }
}

/// A result to write.
#[derive(Clone, Debug)]
pub(crate) struct Draft {
    /// The format; none for glTF.
    pub kind: Option<FormatSpec>,
    /// The name of the input.
    pub name: String,
    pub place: DraftPlace,
    /// Whether files of other formats are written with it, so that it may be empty.
    pub is_family: bool,
}

impl Draft {
    pub const fn is_gltf(&self) -> bool {
        self.kind.is_none()
    }

    /// The results with these paths. The extension of one format states the family of those with an extension of several.
    pub fn all_named(paths: &[PathBuf], to: Option<&To>) -> Result<Vec<Self>> {
        let families = paths.iter().filter_map(|path| match *known(&extension_of(path)) {
            [only] => Some(only.kind.family()),
            _ => None,
        });
        let families: Vec<_> = families.collect();
        paths.iter().map(|path| Self::named(path, to, &families)).collect()
    }

    /// The result with this path; the extension determines the format if `--to` does not.
    fn named(path: &Path, to: Option<&To>, families: &[&str]) -> Result<Self> {
        let extension = extension_of(path);
        let is_gltf = matches!(&*extension, "glb" | "gltf");
        let kind = match to {
            Some(To::Gltf(_)) => None,
            None if is_gltf => None,
            Some(To::Formats(specs, _)) => {
                let meant = of_extension(path, &extension, specs)
                    .map_err(|failure| failure.with_help("write the files of a family with --out-dir DIR"));
                Some(with_dialect(meant?, &extension))
            }
            None => {
                let all = known(&extension);
                let in_families = |spec: &&FormatSpec| families.contains(&spec.kind.family());
                let meant: Vec<_> = all.iter().filter(in_families).copied().collect();
                Some(of_extension(path, &extension, if meant.is_empty() { &all } else { &meant })?)
            }
        };
        let place = DraftPlace::File(path.to_owned());
        Ok(Self { kind, name: FormatSpec::stem(path), place, is_family: false })
    }

    /// Returns the result with the name of a template. Without clip and material, the files of formats with one clip or material have
    /// those of the scene if there is only one.
    pub fn renamed(&self, template: &NameTemplate, scene: &Scene) -> Self {
        let only = |what: &[SceneContent], names: &mut dyn Iterator<Item = &String>| {
            let holds =
                self.kind.is_none_or(|own| own.kind.scene_contents().iter().any(|own| what.contains(own)));
            let name = names.next().filter(|_| holds).cloned();
            if names.next().is_none() { name.unwrap_or_default() } else { String::new() }
        };
        let clip = only(
            &[SceneContent::Clips, SceneContent::MorphClips],
            &mut scene.clips.iter().map(|own| &own.name),
        );
        let material = only(&[SceneContent::Materials], &mut scene.materials.iter().map(|own| &own.name));
        let filled = template.clone().with(Placeholder::Clip, &clip).with(Placeholder::Material, &material);
        let name = Some(filled.name()).filter(|name| !name.is_empty()).unwrap_or_else(|| self.name.clone());
        let place = match &self.place {
            DraftPlace::File(path) => {
                let name = SafeName::new(&name, self.extension());
                DraftPlace::File(name.inside(path.parent().unwrap_or(Path::new(""))))
            }
            directory @ DraftPlace::Directory(_) => directory.clone(),
        };
        Self { name, place, ..self.clone() }
    }

    /// Whether the result goes to standard output.
    pub fn is_printed(&self) -> bool {
        matches!(&self.place, DraftPlace::File(path) if is_stdout(path))
    }

    /// The extension of the path; empty if the content determines it.
    pub fn extension(&self) -> &str {
        let DraftPlace::File(path) = &self.place else { return "" };
        path.extension().and_then(|own| own.to_str()).unwrap_or_default()
    }

    /// The version that the extension states, if it is another one than that of a file.
    pub fn other_version(&self, file: &File) -> Option<&'static str> {
        let is_other = !self.extension().eq_ignore_ascii_case(file.extension());
        self.kind.filter(|_| is_other)?.kind.version_of(self.extension())
    }

    /// Whether the result has this format and dialect.
    pub fn is(&self, kind: FileKind, dialect: Option<&str>) -> bool {
        // A format without a dialect is that of an extension such as `.cmf`, whose files are not XML.
        let is_own = |own: Option<&str>| own.map_or(dialect != Some("xml"), |own| Some(own) == dialect);
        self.kind.is_some_and(|own| own.kind == kind && is_own(own.dialect))
    }
}

/// The extension of a path in lower case; empty if it has none.
fn extension_of(path: &Path) -> String {
    path.extension().and_then(|own| own.to_str()).unwrap_or_default().to_ascii_lowercase()
}

/// The formats with an extension that scenes can be written in, with the dialect that it states.
fn known(extension: &str) -> Vec<FormatSpec> {
    let has = |kind: &&FileKind| has_extension(**kind, extension) && !kind.scene_contents().is_empty();
    let spec = |kind: &FileKind| {
        let is_xml = kind.family() == "cal3d" && extension.starts_with('x');
        FormatSpec { kind: *kind, dialect: is_xml.then_some("xml") }
    };
    FileKind::ALL.iter().filter(has).map(spec).collect()
}

/// The format with the dialect that the extension states, unless it has one: a Cal3D mesh in a `.xmf` file is XML.
fn with_dialect(spec: FormatSpec, extension: &str) -> FormatSpec {
    let stated = known(extension).into_iter().find(|own| own.kind == spec.kind && spec.dialect.is_none());
    stated.unwrap_or(spec)
}

fn has_extension(kind: FileKind, extension: &str) -> bool {
    kind.info().extensions.contains(&extension)
}

/// The only one of these formats, or the one with the extension.
fn of_extension(path: &Path, extension: &str, specs: &[FormatSpec]) -> Result<FormatSpec> {
    let with: Vec<_> = specs.iter().filter(|spec| has_extension(spec.kind, extension)).collect();
    match (specs, &*with) {
        ([only], _) => Ok(*only),
        (_, [only]) => Ok(**only),
        _ => {
            let why = if with.is_empty() {
                "the extension is not that of a format that can be written"
            } else {
                "several formats have this extension"
            };
            let names: Vec<_> = with.iter().map(|spec| spec.kind.name()).collect();
            let known = if names.is_empty() { String::new() } else { format!(": {}", names.join(", ")) };
            let help = format!("specify the format with --to FORMAT{known}");
            Err(Failure::usage(why).in_file(path).with_help(help))
        }
    }
}
