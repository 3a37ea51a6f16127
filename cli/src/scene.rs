//! The scene of several input files, for the verbs that work on meaning.

use std::str::FromStr;

use clap::builder::{PossibleValuesParser, TypedValueParser};

use super::files::settle;
use super::load::{Content, Loaded, Nodes, detect};
use crate::prelude::*;
use bindpose::depot::is_part_of_model;
use bindpose::edit::Entity;
use bindpose::scene::{NameEncoding, Part, Scene, Settings, ToScene, Up};
use bindpose::schema::unescape;
use bindpose::{Error, File, scene};

/// How a scene is read.
#[derive(Args)]
pub(super) struct SceneArgs {
    #[command(flatten)]
    pub conventions: Conventions,
    #[command(flatten)]
    pub input: InputArgs,
}

/// The conventions that input files do not state.
#[derive(Args, Clone, Copy, Default)]
pub(super) struct Conventions {
    /// Metres per unit of the input [default: the format's convention]
    #[arg(long, value_name = "METRES", value_parser = positive, help_heading = "Conventions of the input")]
    pub unit: Option<f32>,
    /// Up axis of the input [default: the format's convention]
    #[arg(long, value_name = "AXIS", value_parser = axis(), help_heading = "Conventions of the input")]
    pub up: Option<Up>,
    /// Frames or ticks per second of clips whose file has no rate [default: the format's convention]
    #[arg(long, value_name = "RATE", value_parser = positive, help_heading = "Conventions of the input")]
    pub rate: Option<f32>,
}

/// How the contents of input files are read.
#[derive(Args, Default, PartialEq)]
pub(super) struct InputArgs {
    /// Interpolate translation keys of MilkShape 3D files linearly instead of with the curve of its author's viewer
    #[arg(long, help_heading = "Conventions of the input")]
    pub linear_translations: bool,
    /// Keep nodes of glTF that hold no mesh, joint or moving node as bones
    ///
    /// Without this, the nodes for lights, targets and empty groups are left out of files with meshes. Files that bindpose wrote keep all.
    #[arg(long, help_heading = "Conventions of the input")]
    pub keep_nodes: bool,
    #[command(flatten)]
    pub encoding: EncodingArgs,
    /// Ignore the colours of vertices
    ///
    /// Without this, they are ignored in meshes whose colours are all black, and in Unreal's files where an image is found: these have
    /// masks for shaders in them. glTF has such colours as `_COLOR_0`, which viewers ignore.
    #[arg(long, help_heading = "Conventions of the input")]
    pub no_colors: bool,
}

/// The encoding of names.
#[derive(Args, Default, PartialEq)]
pub(super) struct EncodingArgs {
    /// Encoding of names that are not UTF-8 [default: guessed from all names]
    ///
    /// With `utf-8`, the bytes of such names are shown as `\xNN`.
    #[arg(long, value_name = "NAME", value_parser = encoding(), help_heading = "Input options")]
    pub encoding: Option<NameEncoding>,
}

fn encoding() -> impl TypedValueParser<Value = NameEncoding> {
    PossibleValuesParser::new(NameEncoding::ALL.map(NameEncoding::name))
        .try_map(|name| name.parse::<NameEncoding>())
}

impl SceneArgs {
    pub fn settings(&self) -> Settings {
        self.input.settings(self.conventions)
    }

    /// Builds the scene of files, with names as text.
    pub fn scene(&self, files: &[Loaded], memory: &Memory) -> Result<Scene> {
        let mut scene = self.input.scene(files, &self.settings(), memory)?;
        scene.decode_names(self.input.encoding.encoding);
        Ok(scene)
    }
}

impl InputArgs {
    pub fn settings(&self, Conventions { unit, up, rate }: Conventions) -> Settings {
        let settings = Settings::default().with_unit(unit).with_up(up).with_rate(rate);
        settings.with_linear_translations(self.linear_translations)
    }

    pub const fn nodes(&self) -> Nodes {
        if self.keep_nodes { Nodes::All } else { Nodes::Used }
    }

    /// Builds the scene of files, whose names keep their bytes.
    pub fn scene(&self, files: &[Loaded], settings: &Settings, memory: &Memory) -> Result<Scene> {
        let mut scene = scene_of(files, settings, memory)?;
        if self.no_colors {
            scene.meshes.iter_mut().for_each(|mesh| mesh.colors = Vec::new());
        }
        Ok(scene)
    }
}

pub(super) fn scene_of(files: &[Loaded], settings: &Settings, memory: &Memory) -> Result<Scene> {
    let parts = files.iter().map(|(path, content)| (&**path, content.as_scene_source()));
    let scene = scene_of_parts(parts, &settings.without_sources(), memory.budget());
    scene.map_err(|error| match files {
        [(path, _)] => Failure::from(error).in_file(path),
        files => Failure::from(error).of_limit(counted(files.len() as u64, "file")),
    })
}

/// Builds the scene of files with these paths, which name the parts.
pub(super) fn scene_of_parts<'a>(
    files: impl IntoIterator<Item = (&'a Path, &'a dyn ToScene)>,
    settings: &Settings,
    budget: &Budget,
) -> Result<Scene, Error> {
    let (names, files): (Vec<_>, Vec<_>) =
        files.into_iter().map(|(path, own)| (FormatSpec::stem(path), own)).unzip();
    let parts = names.iter().zip(files).map(|(name, file)| Part { name, file });
    Scene::within(&parts.collect::<Vec<_>>(), settings, budget)
}

/// Returns the failure for an object that no field of the files names, if `info` names it nevertheless.
pub(super) fn unnamed(
    files: &[File],
    paths: &[&Path],
    (entity, name): (Entity, &str),
    budget: &Budget,
) -> Option<Failure> {
    let parts = paths.iter().copied().zip(files.iter().map(File::as_scene_source));
    let scene = scene_of_parts(parts, &Settings::default().without_sources(), budget).ok()?;
    let is_known = entity != Entity::Texture && names_of(&scene, entity).contains(&name);
    let why = "has no name in the file: `info` names it after the file, its index or a comment";
    is_known.then(|| Failure::usage(format!("the {entity} `{name}` {why}")))
}

/// The names of the objects of a kind in a scene; of textures, the paths.
pub(super) fn names_of(scene: &Scene, entity: Entity) -> Vec<&str> {
    match entity {
        Entity::Bone => scene.skeleton.bones().iter().map(|own| &*own.name).collect(),
        Entity::Material => scene.materials.iter().map(|own| &*own.name).collect(),
        Entity::Clip => scene.clips.iter().map(|own| &*own.name).collect(),
        _ => scene.materials.iter().flat_map(|own| &own.textures).map(|own| &*own.path).collect(),
    }
}

/// The names of clips in a file: as text, and as the bytes of its fields, which can be empty.
pub(super) fn clips_of(file: &File) -> impl Iterator<Item = (String, Vec<u8>)> {
    let clips = file.summary().clips.into_iter();
    clips.map(|clip| unescape(&clip.name).unwrap_or_default()).map(|bytes| (scene::name(&bytes), bytes))
}

/// Leaves out the files that are read with the models beside them, which a pattern of the shell names as well.
pub(super) fn models(mut items: Vec<Item>) -> Vec<Item> {
    let is_part = |item: &Item| {
        is_part_of_model(&item.path) && item.spec.is_none() && matches!(detect(&item.path), Ok(None))
    };
    if !items.iter().all(is_part) {
        items.retain(|item| !is_part(item));
    }
    items
}

/// Loads all files of a scene, with their paths.
pub(super) fn load_all(
    inputs: &Inputs,
    memory: &Memory,
    nodes: Nodes,
    common: Common,
) -> Result<Vec<Loaded>> {
    let mut files = Vec::new();
    let items = models(inputs.list()?);
    settle(items.iter().map(|item| &*item.path));
    for item in items {
        match Content::of(&item, memory, nodes, common) {
            Err(failure) if failure.is_foreign(&item) => {}
            content => files.push((item.path, content?)),
        }
    }
    if files.is_empty() {
        return Err(inputs.nothing());
    }
    Ok(files)
}

/// The axes by their names.
pub(super) fn axis() -> impl TypedValueParser<Value = Up> {
    PossibleValuesParser::new(["y", "z"]).map(|name| if name == "y" { Up::Y } else { Up::Z })
}

pub(super) fn finite<T: FromStr + Copy + Into<f64>>(text: &str) -> Result<T, String> {
    let number = text.trim().parse().ok().filter(|number: &T| (*number).into().is_finite());
    number.ok_or_else(|| format!("`{text}` is not a finite number"))
}

pub(super) fn positive(text: &str) -> Result<f32, String> {
    let value = text.parse().ok().filter(|value| Settings::default().with_unit(*value).validate().is_ok());
    value.ok_or_else(|| {
        format!("expected a number greater than 0, from {:e} to {:e}", f32::MIN_POSITIVE, f32::MAX)
    })
}
