//! Writes scenes as files.
//!
//! Each format implements [`FromScene`] beside [`ToScene`](super::ToScene) and applies the same conventions. An
//! [`Author`] has the scene, the settings, and the steps that several formats need. What a format cannot represent is a
//! [`Loss`]; what exceeds its limits is an [`AuthorError`].

mod bind;
pub(crate) mod bind_pose;
pub(crate) mod edges;
mod error;
mod frames;
mod lanes;
mod linear;
mod mikktspace;
mod morphs;
mod names;
mod numbers;
mod points;
mod rigid;
mod root;
mod tangents;
mod weights;

pub(crate) use bind::spread;
pub use bind::{compact, merge, split};
pub(crate) use bind_pose::{Rebound, displacement, in_bind_pose};
pub use error::AuthorError;
pub(crate) use frames::{Curves, curves_of, is_whole, key_times};
pub use frames::{Frames, MAX_FRAMES, tracks_of};
pub(crate) use linear::{Linear, before};
pub use morphs::morph_curves;
pub(crate) use morphs::{NamedApart, named_apart};
pub(crate) use names::names_group;
pub use names::{NameRules, name_bytes};
pub use points::Points;
pub(crate) use root::{ROOT, with_one_root};
pub(crate) use tangents::complete_tangents;
pub use tangents::with_tangents;
pub use weights::shares;
pub(crate) use weights::write_shares;

use std::borrow::Cow;
use std::cell::OnceCell;
use std::collections::{HashMap, HashSet};

use glam::{Vec3, Vec4};

use super::loss::GLTF;
use super::settings::positive;
use super::{
    Alpha, CLIP, Clip, Loss, Lost, Material, Mesh, NameTemplate, Placeholder, SafeName, Scene, SettingError,
    Space, Texture, TextureRole, Up, bounds,
};
use crate::codec::Bounds;
use crate::{Budget, Limits};

/// Settings for written files.
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct Authoring {
    /// The length of a unit of the file in metres; none for the unit of the format, or a metre if the format has none.
    pub unit: Option<f32>,
    /// The up axis of the file; none for the convention of the format.
    pub up: Option<Up>,
    /// The version or encoding of the format for formats with several, such as `ms12` of UNIGINE or `bin` of `.x`; none
    /// for the usual one.
    pub version: Option<String>,
    /// The name of the file of the skeleton without its extension, for formats whose files name it; none for that of each file.
    pub skeleton: Option<String>,
    /// The names of files for clips and for materials; none for the name of the scene and that of the clip or material.
    pub names: Option<NameTemplate>,
    /// The name of the [`Program`] that the files are for; none for what most programs read.
    pub program: Option<String>,
    /// Frames per second of clips, for formats with a fixed rate; none for a rate that has a frame for every key.
    pub rate: Option<f32>,
    /// The maximum number of influences per vertex; none for the maximum of the format.
    pub max_influences: Option<usize>,
    /// Whether tangents are computed if the format stores them and the scene has none.
    pub tangents: bool,
    /// The name of the clip to write, for formats with one clip per file; none for the first one, or for a file for
    /// each clip.
    pub clip: Option<String>,
    /// The account for the memory of the files, where it remains charged; none for one with the default
    /// [`Limits`] for the size of the scene.
    pub budget: Option<Budget>,
}

impl Authoring {
    /// Checks that the unit and the rate are positive numbers.
    ///
    /// # Errors
    /// The first one that is not.
    pub fn validate(&self) -> Result<(), SettingError> {
        positive([("unit", self.unit), ("rate", self.rate)])
    }

    /// Limits the influences and computes the tangents of a scene that is written as glTF. Influences that are removed are losses of the
    /// scene. [`FormatSpec::author`](crate::FormatSpec::author) does this for its formats.
    ///
    /// ```
    /// use bindpose::scene::{Scene, author::Authoring};
    /// let mut settings = Authoring::default();
    /// settings.max_influences = Some(4);
    /// settings.apply(&mut Scene::default());
    /// ```
    pub fn apply(&self, scene: &mut Scene) {
        let Scene { meshes, skeleton, losses, .. } = scene;
        for mesh in meshes {
            if let Some(most) = self.max_influences {
                let removed = weights::limit_influences(mesh, skeleton, most.max(1)).into_iter();
                losses.extend(removed.map(|own| Loss { file: GLTF.to_owned(), ..own }));
            }
            if self.tangents && mesh.tangents.is_empty() {
                *mesh = with_tangents(mesh);
            }
        }
    }
}

/// The contents of scenes that files of a format hold.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum SceneContent {
    /// Bones.
    Skeleton,
    /// Settings of bones for playing clips.
    Playback,
    /// Named places on bones.
    Attachments,
    /// Meshes and skins.
    Meshes,
    /// Materials.
    Materials,
    /// Paths of textures.
    Textures,
    /// Clips of bones.
    Clips,
    /// Clips of morph targets.
    MorphClips,
    /// Whether a clip moves the character: [`Clip::has_root_motion`](super::Clip::has_root_motion).
    RootMotion,
}

/// A program that reads files of a format, for [`Authoring::program`].
///
/// ```
/// use bindpose::FileKind;
/// let names: Vec<_> = FileKind::Psk.programs().iter().map(|own| own.name).collect();
/// assert_eq!(names, ["ue2", "ue4", "blender", "umodel"]);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Program {
    /// The short name, for settings and arguments.
    pub name: &'static str,
    /// The program and its versions.
    pub title: &'static str,
    /// What it expects that others do not.
    pub expects: &'static str,
    /// The source of these statements.
    pub source: &'static str,
}

/// A format that scenes can be written in. All conventions of the format are applied here and nowhere else.
///
/// The defaults are those of a format that scenes cannot be written in.
pub trait FromScene: Sized {
    /// The contents of a scene that files of the format hold.
    const HOLDS: &'static [SceneContent] = &[];
    /// Whether readers support only one root, the first bone.
    const HAS_ONE_ROOT: bool = false;
    /// The programs that files can be written for, where these expect different conventions.
    const PROGRAMS: &'static [Program] = &[];
    /// The versions that can be written, the usual one first, if their names are those of no other format.
    const VERSIONS: &'static [&'static str] = &[];
    /// The versions and encodings that [`Authoring::version`] accepts, the usual one first, also those whose names others have.
    const ENCODINGS: &'static [&'static str] = Self::VERSIONS;
    /// Extensions that state a version, where files of several versions have another extension than the usual.
    const EXTENSIONS: &'static [(&'static str, &'static str)] = &[];

    /// Returns whether files with these settings store the bind pose of skins beside the pose of the skeleton.
    #[must_use]
    fn stores_bind_pose(_settings: &Authoring) -> bool {
        false
    }

    /// Returns whether a dialect, or the default one, stores morph targets.
    #[must_use]
    fn stores_morphs(_dialect: Option<&str>) -> bool {
        true
    }

    /// Returns the files that represent the scene: one, or one for each clip or material if a file has only one.
    ///
    /// # Errors
    /// If the scene exceeds a limit of the format, or has nothing that the format represents.
    fn from_scene(_author: &mut Author<'_>) -> Result<Vec<Authored<Self>>, AuthorError> {
        Err(AuthorError::Unsupported)
    }
}

/// A number of elements, which the limits of a format keep within its numbers.
pub(crate) fn number<N: TryFrom<i32> + Default>(len: usize) -> N {
    i32::try_from(len).ok().and_then(|len| N::try_from(len).ok()).unwrap_or_default()
}

/// A written file and its name without folder and extension.
#[derive(Clone, Debug, PartialEq)]
pub struct Authored<F> {
    /// The name.
    pub name: String,
    /// The file.
    pub file: F,
}

impl<F> Authored<F> {
    /// Returns the result with another file.
    pub fn map<G>(self, file: impl FnOnce(F) -> G) -> Authored<G> {
        Authored { name: self.name, file: file(self.file) }
    }
}

/// The vertex data that a format stores.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Attributes {
    /// The maximum number of UV sets.
    pub uv_sets: usize,
    /// Whether vertices have colours.
    pub colors: bool,
    /// Whether vertices have tangents.
    pub tangents: bool,
    /// Whether there are morph targets.
    pub morphs: bool,
}

impl Attributes {
    /// Returns whether the format stores all vertex data of a mesh.
    pub(crate) const fn include_all_of(self, mesh: &Mesh) -> bool {
        mesh.uvs.len() <= self.uv_sets
            && (self.colors || mesh.colors.is_empty())
            && (self.tangents || mesh.tangents.is_empty())
            && (self.morphs || mesh.morphs.is_empty())
    }
}

/// The textures of materials that a format stores.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TextureSlots {
    /// Any number of textures.
    Any,
    /// One of each of these roles.
    Each(&'static [TextureRole]),
}

impl TextureSlots {
    /// Returns whether a texture of a material is stored.
    fn include(self, material: &Material, texture: &Texture) -> bool {
        match self {
            Self::Any => true,
            Self::Each(roles) => {
                roles.contains(&texture.role) && material.texture(texture.role) == Some(texture)
            }
        }
    }
}

/// The properties of materials that a format stores.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(clippy::struct_excessive_bools, reason = "each is a property that a format has or lacks")]
pub struct MaterialFields {
    /// Whether materials have a base colour.
    pub color: bool,
    /// Whether materials have an emissive colour.
    pub emissive: bool,
    /// Whether materials have an ambient colour.
    pub ambient: bool,
    /// Whether materials have a specular colour and exponent.
    pub specular: bool,
    /// The textures.
    pub textures: TextureSlots,
    /// Whether there are materials with [`Alpha::Mask`].
    pub mask: bool,
    /// Whether opaque colours can have [`Alpha::Blend`].
    pub blend: bool,
    /// Whether there are materials with [`Alpha::Modulate`].
    pub modulate: bool,
    /// Whether materials can be double-sided.
    pub double_sided: bool,
    /// Whether materials can be unlit.
    pub unlit: bool,
}

impl MaterialFields {
    /// Materials with a name only.
    pub const NONE: Self = Self {
        color: false,
        emissive: false,
        ambient: false,
        specular: false,
        textures: TextureSlots::Each(&[]),
        mask: false,
        blend: false,
        modulate: false,
        double_sided: false,
        unlit: false,
    };
}

/// A scene that is being written.
#[derive(Debug)]
pub struct Author<'a> {
    scene: &'a Scene,
    meshes: Cow<'a, [Mesh]>,
    /// The size of the scene, which is measured before its meshes are taken.
    size: OnceCell<f32>,
    /// The longest displacement of each morph target, by name.
    longest_deltas: OnceCell<HashMap<String, f32>>,
    name: &'a str,
    dialect: Option<&'a str>,
    settings: &'a Authoring,
    /// Whether the format can store a rate of frames.
    stores_rate: fn(f32) -> bool,
    losses: Vec<Loss>,
    budget: Budget,
}

impl<'a> Author<'a> {
    /// Starts to write a scene in a dialect of a format, as files of this name.
    #[must_use]
    pub fn new(scene: &'a Scene, name: &'a str, dialect: Option<&'a str>, settings: &'a Authoring) -> Self {
        let meshes = Cow::Borrowed(&*scene.meshes);
        let budget = settings.budget.clone();
        let budget = budget.unwrap_or_else(|| Budget::of(&Limits::default(), scene.memory() as u64));
        let (size, longest_deltas) = (OnceCell::new(), OnceCell::new());
        let (stores_rate, losses) = ((|_| true) as fn(f32) -> bool, Vec::new());
        Self { scene, meshes, size, longest_deltas, name, dialect, settings, stores_rate, losses, budget }
    }

    /// Adds the meshes that were taken from the scene, so that they can be moved into the file.
    pub(crate) fn with_meshes(self, meshes: Cow<'a, [Mesh]>) -> Self {
        if self.settings.budget.is_none() {
            self.budget.admit(meshes.iter().map(Mesh::memory).sum::<usize>() as u64);
        }
        Self { meshes, ..self }
    }

    /// Returns the scene. Its meshes are [`meshes`](Self::meshes).
    #[must_use]
    pub const fn scene(&self) -> &'a Scene {
        self.scene
    }

    /// Returns the meshes, until they are [taken](Self::take_meshes).
    #[must_use]
    pub fn meshes(&self) -> &[Mesh] {
        &self.meshes
    }

    /// Takes the meshes to write them.
    #[must_use]
    pub fn take_meshes(&mut self) -> Cow<'a, [Mesh]> {
        let _ = self.size();
        std::mem::take(&mut self.meshes)
    }

    /// Returns the name of the file without folder and extension.
    #[must_use]
    pub const fn name(&self) -> &'a str {
        self.name
    }

    /// Returns the dialect; none for the default.
    #[must_use]
    pub const fn dialect(&self) -> Option<&'a str> {
        self.dialect
    }

    /// Returns the name of a file for a clip or a material, which begins with the name of the scene. Several can have the same name:
    /// [`SafeNames`](super::SafeNames) adds numbers.
    #[must_use]
    pub fn part_name(&self, kind: Placeholder, part: &str) -> String {
        if let Some(template) = &self.settings.names {
            return template.clone().with(kind, part).name();
        }
        let part = SafeName::whole(part);
        if part.as_str().starts_with(self.name) { part.to_string() } else { format!("{}_{part}", self.name) }
    }

    /// Returns the settings.
    #[must_use]
    pub const fn settings(&self) -> &'a Authoring {
        self.settings
    }

    /// Returns what the files do not represent.
    #[must_use]
    pub fn into_losses(self) -> Vec<Loss> {
        Loss::summed(self.losses)
    }

    /// Returns the conversion from scenes to the space of the format, with the axes and the unit from the settings.
    #[must_use]
    pub fn space(&self, own: Space) -> Space {
        let turned = self.settings.up.map_or(own, |up| own.with_up(up));
        self.settings.unit.map_or(turned, |metres| turned.with_unit(metres)).inverse()
    }

    /// Returns the largest extent of the meshes in the bind pose, or of the bones if there are no meshes, in metres; 1 if there
    /// are neither.
    #[must_use]
    pub fn size(&self) -> f32 {
        *self.size.get_or_init(|| self.measured_size())
    }

    /// Returns the longest displacement of the morph targets of a name, in metres.
    pub(crate) fn longest_delta(&self, name: &str) -> f32 {
        let longest = self.longest_deltas.get_or_init(|| {
            let mut longest = HashMap::new();
            for own in self.meshes.iter().flat_map(|mesh| &mesh.morphs) {
                let length = own.deltas.iter().map(|own| own.position.length()).fold(0.0, f32::max);
                let known: &mut f32 = longest.entry(own.name.clone()).or_default();
                *known = known.max(length);
            }
            longest
        });
        longest.get(name).copied().unwrap_or_default()
    }

    fn measured_size(&self) -> f32 {
        let skeleton = &self.scene.skeleton;
        let placed = skeleton.model_space(&skeleton.bind_pose());
        let bones = placed.iter().map(|placed| placed.translation.to_array());
        let bounds = bounds(skeleton, &self.meshes);
        let corners = bounds.iter().flat_map(|bounds| [bounds.min, bounds.max]);
        let size =
            |bounds: Bounds| (0..3).map(|axis| bounds.max[axis] - bounds.min[axis]).fold(0.0, f32::max);
        let around = Bounds::around(corners).or_else(|| Bounds::around(bones));
        around.map(size).filter(|size| *size > 0.0).unwrap_or(1.0)
    }

    /// Reports something that the format cannot represent.
    pub fn report_loss(&mut self, loss: impl Into<Loss>) {
        self.losses.push(Loss { file: self.name.to_owned(), ..loss.into() });
    }

    /// Reports `count` losses of one kind, unless it is 0.
    pub fn report_losses(&mut self, count: usize, loss: impl Into<Loss>) {
        if count > 0 {
            self.report_loss(Loss { count, ..loss.into() });
        }
    }

    /// Reports the vertices that no triangle uses, for formats that do not store them.
    pub(crate) fn report_unused_vertices(&mut self, meshes: &[Mesh]) {
        for mesh in meshes {
            let unused = mesh.used_vertices().into_iter().filter(|is_used| !is_used).count();
            self.report_losses(unused, Lost::UnusedVertices.of("mesh", &mesh.name));
        }
    }

    /// Checks that coordinates in the unit of the settings are numbers, and not all of them 0.
    ///
    /// # Errors
    /// The unit, and the coordinate that is farthest from 0.
    pub(crate) fn fits_unit(&self) -> Result<(), AuthorError> {
        let Some(unit) = self.settings.unit else { return Ok(()) };
        let bones = self.scene.skeleton.bones().iter().map(|own| own.bind.translation);
        let tracks = self.scene.clips.iter().flat_map(|own| &own.tracks);
        let moved =
            tracks.filter_map(|own| own.translation.as_ref()).flat_map(|own| own.values().iter().copied());
        let points =
            self.meshes.iter().flat_map(|own| own.positions.iter().copied()).chain(bones).chain(moved);
        let farthest = points.map(|own| own.abs().max_element()).fold(0.0, f32::max);
        if farthest == 0.0 || (farthest / unit).is_normal() {
            return Ok(());
        }
        Err(AuthorError::Unit { unit, farthest })
    }

    /// Checks that files can be written for the program in the settings.
    ///
    /// # Errors
    /// If it is none of these.
    pub(crate) fn is_for(&self, programs: &[Program]) -> Result<(), AuthorError> {
        let is_known = |name: &String| programs.iter().any(|own| own.name == name);
        if self.settings.program.as_ref().is_none_or(is_known) {
            return Ok(());
        }
        let known: Vec<_> = programs.iter().map(|own| own.name).collect();
        Err(AuthorError::Program { known: known.join(", ") })
    }

    /// Checks a limit of the format.
    ///
    /// # Errors
    /// If there are more than `limit`.
    pub fn limit(
        &self,
        what: &str,
        actual: usize,
        limit: usize,
        help: &'static str,
    ) -> Result<(), AuthorError> {
        if actual > limit {
            return Err(AuthorError::Limit { what: what.to_owned(), actual, limit, help });
        }
        Ok(())
    }

    /// Charges memory before it is allocated.
    ///
    /// # Errors
    /// If the budget permits less.
    pub fn charge(&self, memory: usize, what: impl FnOnce() -> String) -> Result<(), AuthorError> {
        self.budget.charge(memory as u64).map_err(|why| AuthorError::Memory { what: what(), why })
    }

    /// Removes vertex data that the format does not store.
    pub fn keep(&mut self, meshes: &mut [Mesh], kept: Attributes) {
        for mesh in meshes {
            let more = mesh.uvs.len().saturating_sub(kept.uv_sets);
            self.report_losses(more, Lost::TexCoordSets.of("mesh", &mesh.name).with(kept.uv_sets));
            mesh.uvs.truncate(kept.uv_sets);
            if !kept.colors && !mesh.colors.is_empty() {
                self.report_loss(Lost::VertexColors.of("mesh", &mesh.name));
                mesh.colors.clear();
            }
            if !kept.tangents && !mesh.tangents.is_empty() {
                self.report_loss(Lost::Tangents.of("mesh", &mesh.name));
                mesh.tangents.clear();
            }
            if !kept.morphs {
                self.report_losses(mesh.morphs.len(), Lost::Morphs.of("mesh", &mesh.name));
                mesh.morphs.clear();
            }
        }
    }

    /// Reports properties of materials that the format does not store.
    pub fn report_fields(&mut self, kept: MaterialFields) {
        for own in &self.scene.materials {
            let dropped = own.textures.iter().filter(|texture| !kept.textures.include(own, texture));
            let dropped: Vec<_> = dropped.map(ToString::to_string).collect();
            let dropped = dropped.join(", ");
            let transparent = own.alpha == Alpha::Blend && (own.color[3] >= 1.0 || !kept.color);
            let lost = [
                (!kept.color && Vec4::from(own.color) != Vec4::ONE, "colour".to_owned()),
                (!kept.emissive && Vec3::from(own.emissive) != Vec3::ZERO, "emissive colour".to_owned()),
                (!kept.ambient && Vec3::from(own.ambient) != Vec3::ZERO, "ambient colour".to_owned()),
                (!kept.specular && own.is_shiny(), "specular colour and shininess".to_owned()),
                (!dropped.is_empty(), format!("textures {dropped}")),
                (!kept.mask && own.alpha == Alpha::Mask, "alpha mask".to_owned()),
                (!kept.blend && transparent, "blending".to_owned()),
                (own.alpha == Alpha::Additive, "additive blending".to_owned()),
                (!kept.modulate && own.alpha == Alpha::Modulate, "modulated blending".to_owned()),
                (!kept.double_sided && own.double_sided, "visible back faces".to_owned()),
                (!kept.unlit && own.unlit, "unlit shading".to_owned()),
            ];
            let lost: Vec<_> =
                lost.into_iter().filter_map(|(is_lost, what)| is_lost.then_some(what)).collect();
            if !lost.is_empty() {
                self.report_loss(Lost::MaterialFields.of("material", &own.name).with(lost.join("; ")));
            }
        }
    }

    /// Returns the clip to write, for formats with one clip per file, and reports the others.
    pub fn only_clip(&mut self) -> Option<&'a Clip> {
        let clips = &self.scene.clips;
        let chosen = match &self.settings.clip {
            Some(name) => self.scene.find_clip(name).ok(),
            None => clips.iter().position(|clip| clip.span().is_some()).or(clips.first().map(|_| 0)),
        };
        for (index, clip) in clips.iter().enumerate() {
            if Some(index) != chosen {
                self.report_loss(Lost::OtherClips.of("clip", &clip.name));
            }
        }
        let clip = &clips[chosen?];
        if clip.name != self.name {
            self.report_loss(Lost::ClipName.of("clip", &clip.name));
        }
        Some(clip)
    }

    /// Reports the clips of a scene without bones, unless another loss is about them or they move morph targets.
    pub(crate) fn report_clips_without_bones(&mut self) {
        if !self.scene.skeleton.bones().is_empty() {
            return;
        }
        let subjects = self.losses.iter().flat_map(|own| &own.subjects).filter(|own| own.kind == CLIP);
        let known: HashSet<String> = subjects.map(|own| own.name.clone()).collect();
        for clip in self.clips().into_iter().filter(|own| own.morphs.is_empty() && !known.contains(&own.name))
        {
            self.report_loss(Lost::StillClip.of(CLIP, &clip.name));
        }
    }

    /// Returns the clips to write, for formats with a file for each clip: all, or the one that the settings name.
    #[must_use]
    pub fn clips(&self) -> Vec<&'a Clip> {
        let clips = &self.scene.clips;
        let Some(name) = &self.settings.clip else { return clips.iter().collect() };
        let Ok(chosen) = self.scene.find_clip(name) else { return Vec::new() };
        clips.iter().filter(|clip| clip.name == clips[chosen].name).collect()
    }
}
