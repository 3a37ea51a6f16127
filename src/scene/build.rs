//! Builds a scene from several files.

use std::any::{Any, TypeId};
use std::collections::{BTreeSet, HashMap, HashSet};
use std::fmt;
use std::rc::Rc;
use std::sync::Arc;

use glam::{Affine3A, Quat};

use super::{
    Alpha, Attachment, Bone, Clip, Curve, Inexact, Joint, Loss, Lost, Material, Mesh, Morph, Names, Scene,
    Settings, Skeleton, Source, Space, Subject, Target, TextureRole, Track, Weights, name,
};
use crate::schema::Step;
use crate::{Budget, Error, FieldPath, File, Result};

/// The default number of frames per second.
pub const FRAME_RATE: f32 = 30.0;

/// The difference of two equal poses: of their rotations and scales, and of their places as a part of the size of the skeleton.
pub const SAME_POSE: f32 = 1e-3;

/// The phase in which a file of a set is added, after the files that it refers to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[non_exhaustive]
pub enum LoadPhase {
    /// Files with bones only.
    Skeleton,
    /// Files with materials only.
    Material,
    /// Files with meshes, with or without their own skeleton.
    Mesh,
    /// Animations.
    Clip,
    /// Animations of morph targets only, which can complete a clip.
    Morph,
}

/// A format that can be added to a scene. All conventions of the format are applied here and nowhere else.
pub trait ToScene: Any + Send + Sync {
    /// Returns the phase in which the file is added.
    fn phase(&self) -> LoadPhase;

    /// Adds the contents of the file. This never fails or panics: invalid contents are reported as losses.
    fn add_to(&self, scene: &mut Builder<'_>);
}

/// A file and its name, which is also used for clips, meshes and skeletons without their own name.
#[derive(Clone, Copy)]
pub struct Part<'a> {
    /// The name of the file without folder and extension.
    pub name: &'a str,
    /// The file.
    pub file: &'a dyn ToScene,
}

impl fmt::Debug for Part<'_> {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.debug_struct("Part").field("name", &self.name).finish_non_exhaustive()
    }
}

/// A scene that is being built.
#[derive(Debug)]
pub struct Builder<'a> {
    parts: &'a [Part<'a>],
    settings: &'a Settings,
    current: &'a str,
    /// Its index among the parts.
    part: usize,
    /// The mesh or clip of the current file that is being read.
    object: Option<Subject>,
    /// The counted losses of the current file, each with the kind of its objects, its detail, and its index in the list of losses.
    counted: HashMap<(Lost, &'static str, String), usize>,
    /// The bones of the scene by name.
    names: Rc<Names>,
    /// Values that files share, by their type.
    shared: HashMap<TypeId, Box<dyn Any>>,
    /// The memory of the scene.
    budget: Budget,
    /// What the budget refused first, or why a part cannot be added. Nothing more is added then.
    refusal: Option<Error>,
    /// The tracks of the last clip by their bones.
    tracks: HashMap<usize, usize>,
    scene: Scene,
}

impl<'a> Builder<'a> {
    pub(super) fn new(parts: &'a [Part<'a>], settings: &'a Settings, budget: &Budget) -> Self {
        Self {
            parts,
            settings,
            current: "",
            part: 0,
            object: None,
            counted: HashMap::new(),
            names: Rc::default(),
            shared: HashMap::new(),
            budget: budget.scope(),
            refusal: None,
            tracks: HashMap::new(),
            scene: Scene::default(),
        }
    }

    /// Creates a scene from data that is not a file of a set.
    #[cfg(feature = "gltf")]
    pub(super) fn detached(name: &'a str, settings: &'a Settings, budget: &Budget) -> Self {
        Self { current: name, ..Self::new(&[], settings, budget) }
    }

    /// Returns the scene as it is.
    pub(super) fn into_scene(self) -> Scene {
        self.scene
    }

    /// Returns the scene, unless it exceeds the budget. Its memory remains charged.
    pub(super) fn finish(self) -> Result<Scene> {
        match self.refusal {
            Some(error) => Err(error),
            None => {
                self.budget.keep();
                Ok(self.scene)
            }
        }
    }

    /// Returns whether the scene exceeds its budget. Nothing more is added then, so that files need not be read further.
    #[must_use]
    pub const fn is_full(&self) -> bool {
        self.refusal.is_some()
    }

    /// Charges the memory of a part of the scene before it is added, and returns whether it may be.
    pub(crate) fn admit(&mut self, memory: usize, list: &'static str, name: &str) -> bool {
        if self.refusal.is_none()
            && let Err(why) = self.budget.charge(memory as u64)
        {
            let path = vec![Step::Field(list.into()), Step::Named(name.to_owned(), 1)];
            self.refusal = Some(Error::from(why).at(path.into()));
        }
        self.refusal.is_none()
    }

    pub(super) fn refuse(&mut self, error: Error) {
        self.refusal.get_or_insert(error);
    }

    pub(super) fn build(mut self) -> Self {
        let mut parts: Vec<_> = self.parts.iter().enumerate().collect();
        parts.sort_by_cached_key(|(_, part)| part.file.phase());
        for (index, part) in parts {
            (self.part, self.current) = (index, part.name);
            self.object = None;
            self.counted.clear();
            let first = self.scene.materials.len();
            part.file.add_to(&mut self);
            if self.is_full() {
                break;
            }
            self.normalize_opacity(first);
        }
        self
    }

    /// Sets the alpha mode of transparent materials. If all materials of a file are invisible, its writer did not set
    /// opacity.
    fn normalize_opacity(&mut self, first: usize) {
        let own = &mut self.scene.materials[first..];
        let unset = own.iter().all(|material| material.color[3] == 0.0);
        let count = if unset { own.len() } else { 0 };
        for material in own {
            if unset {
                material.color[3] = 1.0;
            }
            if material.color[3] < 1.0 && material.alpha == Alpha::Opaque {
                material.alpha = Alpha::Blend;
            }
        }
        self.report_losses(count, Lost::UnsetOpacities);
    }

    /// Returns the scene so far.
    #[must_use]
    pub const fn scene(&self) -> &Scene {
        &self.scene
    }

    pub(super) const fn skeleton_mut(&mut self) -> &mut Skeleton {
        &mut self.scene.skeleton
    }

    /// Returns the name of the file that is being added.
    #[must_use]
    pub const fn file(&self) -> &'a str {
        self.current
    }

    /// Returns the name of the file that is being added without the name of the model, as families are written: `walk` for
    /// `hero_walk` beside `hero`. It is that of a clip or a material whose file has no name for it.
    #[must_use]
    pub fn own_name(&self) -> &'a str {
        let is_model = |part: &&Part<'_>| matches!(part.file.phase(), LoadPhase::Skeleton | LoadPhase::Mesh);
        let name = |model: &Part<'_>| self.current.strip_prefix(model.name)?.strip_prefix('_');
        let names = self.parts.iter().filter(is_model).filter_map(name);
        names.into_iter().find(|name| !name.is_empty()).unwrap_or(self.current)
    }

    /// Returns a name from the file, or the name of the file if it is empty.
    #[must_use]
    pub fn called(&self, own: &[u8]) -> String {
        if own.is_empty() { self.current.to_owned() } else { name(own) }
    }

    /// Returns the settings.
    #[must_use]
    pub const fn settings(&self) -> &'a Settings {
        self.settings
    }

    /// Returns the space of the format, with the axes and the unit from the settings.
    #[must_use]
    pub fn space(&self, own: Space) -> Space {
        let turned = self.settings.up.map_or(own, |up| own.with_up(up));
        self.settings.unit.map_or(turned, |metres| turned.with_unit(metres))
    }

    /// Returns the frames or ticks per second of a clip whose file does not specify them: the rate in the settings, or
    /// the usual one.
    pub fn rate(&mut self, usual: f32) -> f32 {
        self.settings.rate.unwrap_or_else(|| {
            self.report_losses(1, Lost::AssumedRate.with(usual));
            usual
        })
    }

    /// Returns all files of a type in the set, with their names.
    pub fn beside<T: 'static>(&self) -> impl Iterator<Item = (&'a str, &'a T)> + use<'a, T> {
        let parts = self.parts;
        parts.iter().filter_map(|part| {
            let file: &dyn Any = part.file;
            let file = file.downcast_ref::<File>().map_or(file, |own| own.root() as &dyn Any);
            Some((part.name, file.downcast_ref()?))
        })
    }

    /// Returns a value that several files need, such as the joints of a skeleton file. The first one makes it.
    pub fn share<T: Any + Clone>(&mut self, make: impl FnOnce(&mut Self) -> T) -> T {
        let known = self.shared.get(&TypeId::of::<T>()).and_then(|known| known.downcast_ref::<T>().cloned());
        known.unwrap_or_else(|| {
            let value = make(self);
            self.shared.insert(TypeId::of::<T>(), Box::new(value.clone()));
            value
        })
    }

    /// Reports something that the scene cannot represent.
    pub fn report_loss(&mut self, loss: impl Into<Loss>) {
        let loss = Loss { file: self.current.to_owned(), ..loss.into() };
        if self.admit(loss.memory(), "losses", "") {
            self.scene.losses.push(loss);
        }
    }

    /// Reports `count` losses of one kind, unless it is 0. Losses of the same kind are added up for the file.
    pub fn report_losses(&mut self, count: usize, loss: impl Into<Loss>) {
        if count == 0 {
            return;
        }
        let mut loss = Loss { count, ..loss.into() };
        if loss.subjects.is_empty() {
            loss.subjects.extend(self.object.clone());
        }
        let kind = loss.subjects.first().map_or("", |subject| subject.kind);
        let next = self.scene.losses.len();
        let index = *self.counted.entry((loss.lost, kind, loss.detail.clone())).or_insert(next);
        match self.scene.losses.get_mut(index) {
            Some(known) => known.merge(loss),
            None => self.report_loss(loss),
        }
    }

    /// Reports matrices that are not exact as transforms.
    pub(crate) fn report_inexact(&mut self, inexact: &Inexact, sheared: Lost, not_finite: Lost) {
        self.report_losses(inexact.sheared, inexact.shear(sheared));
        self.report_losses(inexact.not_finite, not_finite);
    }

    /// Names the object whose losses are reported next: the mesh or clip that is being read. The name of the file is none.
    pub fn within(&mut self, kind: &'static str, name: &str) {
        let has_name = !name.is_empty() && name != self.current;
        self.object = has_name.then(|| Subject { kind, name: name.to_owned() });
    }

    /// Reports contents that are not read, by the names of their kinds; the first few are listed.
    pub fn report_kinds(&mut self, lost: Lost, names: impl IntoIterator<Item = String>) {
        const LISTED: usize = 8;
        let names: Vec<String> = names.into_iter().collect();
        let kinds: BTreeSet<&str> = names.iter().map(String::as_str).collect();
        let listed: Vec<_> = kinds.iter().take(LISTED).copied().collect();
        let others = if kinds.len() > LISTED { " and others" } else { "" };
        self.report_losses(names.len(), lost.with(format_args!("{}{others}", listed.join(", "))));
    }

    /// Reports keys that are reordered or removed, because their times do not increase.
    pub fn report_order(&mut self, times: impl IntoIterator<Item = f32>) {
        let mut last = f32::NEG_INFINITY;
        let falls = |time: &f32| {
            let rises = *time > last && time.is_finite();
            last = if rises { *time } else { last };
            !rises
        };
        let count = times.into_iter().filter(falls).count();
        self.report_losses(count, Lost::KeyOrder);
    }

    /// Returns the influences on vertices, as [`Weights::gather`], and reports changed ones.
    pub fn weigh(
        &mut self,
        num_vertices: usize,
        num_joints: usize,
        rows: impl IntoIterator<Item = (usize, usize, f32)>,
    ) -> Weights {
        let (weights, off) = Weights::gather(num_vertices, num_joints, rows);
        self.report_losses(off.refused, Lost::Influences);
        self.report_losses(off.scaled, Lost::SumsOfWeights);
        weights
    }

    /// Reports the vertices that no triangle uses.
    pub fn report_unused(&mut self, num_points: usize, used: impl IntoIterator<Item = u32>) {
        let is_used = super::mesh::used(num_points, used);
        self.report_losses(is_used.into_iter().filter(|is_used| !is_used).count(), Lost::UnusedVertices);
    }

    /// Adds bones; none if they exceed the budget. Bones with the name of an existing bone are merged with it.
    pub fn add_bones(&mut self, bones: impl ExactSizeIterator<Item = Bone>) -> Option<ImportedBones> {
        if !self.admit(bones.len().saturating_mul(Bone::MEMORY), "bones", "") {
            return None;
        }
        let mut admitted = Vec::with_capacity(bones.len());
        let mut not_finite = 0;
        for mut bone in bones {
            if !bone.bind.rotation.is_finite() {
                not_finite += 1;
                bone.bind.rotation = Quat::IDENTITY;
            }
            if !self.admit(bone.memory_of_names(), "bones", &bone.name) {
                return None;
            }
            admitted.push(bone);
        }
        self.report_losses(not_finite, Lost::NonFiniteBones);
        let (added, cut) = Skeleton::new(admitted);
        self.report_losses(cut.len(), Lost::Parents);
        let placed = added.model_space(&added.bind_pose());
        if self.names.is_empty() {
            self.names = Rc::new(Names::new(added.bones().iter().map(|bone| bone.name.as_str())));
            let playback = std::mem::take(&mut self.scene.skeleton.playback);
            self.scene.skeleton = added.with_playback(playback);
            return Some(ImportedBones::new((0..placed.len()).collect(), &placed));
        }
        let mut indices = vec![0; placed.len()];
        let known = self.names.pair(added.bones().iter().map(|bone| &*bone.name));
        self.report_poses(&added, &placed, &known);
        let names = Rc::make_mut(&mut self.names);
        for &index in added.order() {
            let bone = &added.bones()[index];
            indices[index] = known[index].unwrap_or_else(|| {
                let parent = bone.parent.map(|parent| indices[parent]);
                names.push(&bone.name);
                self.scene.skeleton.push(Bone { parent, ..bone.clone() })
            });
        }
        Some(ImportedBones::new(indices, &placed))
    }

    /// Reports the bones of a model that the scene has already, in another pose or below another parent. Animations place bones by their
    /// keys.
    fn report_poses(&mut self, added: &Skeleton, placed: &[Affine3A], known: &[Option<usize>]) {
        let part = self.parts.get(self.part);
        if part.is_some_and(|part| part.file.phase() > LoadPhase::Mesh) {
            return;
        }
        let bones = self.scene.skeleton.bones();
        let size = placed.iter().map(|own| own.translation.abs().max_element()).fold(0.0, f32::max);
        let is_near = |a: Affine3A, b: Affine3A| {
            a.matrix3.abs_diff_eq(b.matrix3, SAME_POSE)
                && a.translation.abs_diff_eq(b.translation, SAME_POSE * size)
        };
        let here: HashSet<usize> = known.iter().copied().flatten().collect();
        let is_moved = |index: usize| {
            let Some(other) = known[index] else { return false };
            let own = &added.bones()[index];
            let parent = own.parent.and_then(|parent| known[parent]);
            match (parent, bones[other].parent.filter(|parent| here.contains(parent))) {
                (Some(parent), Some(others)) if parent == others => {
                    !is_near(own.bind.matrix(), bones[other].bind.matrix())
                }
                (None, None) => !is_near(placed[index], self.scene.skeleton.placed(other)),
                _ => true,
            }
        };
        let count = (0..known.len()).filter(|index| is_moved(*index)).count();
        self.report_losses(count, Lost::SkeletonPoses);
    }

    /// Returns the existing bones by name.
    #[must_use]
    pub fn bone_names(&self) -> Rc<Names> {
        Rc::clone(&self.names)
    }

    /// Adds a named place.
    pub fn add_attachment(&mut self, attachment: Attachment) {
        if self.admit(attachment.memory(), "attachments", &attachment.name) {
            self.scene.attachments.push(attachment);
        }
    }

    /// Adds a material, with its colour texture first; returns its index. Textures with an empty path are left out.
    pub fn add_material(&mut self, mut material: Material) -> usize {
        material.textures.retain(|own| !own.path.is_empty());
        material.textures.sort_by_key(|own| own.role != TextureRole::Color);
        let index = self.scene.materials.len();
        if self.admit(material.memory(), "materials", &material.name) {
            self.scene.materials.push(material);
        }
        index
    }

    /// Adds a mesh; returns its index. One without triangles is a loss. Normals without a direction are those of the faces around.
    pub fn add_mesh(&mut self, mut mesh: Mesh) -> Option<usize> {
        let mended = mesh.replace_invalid_normals();
        self.report_losses(mended, Lost::NormalsWithoutDirection);
        self.object = None;
        if mesh.num_triangles() == 0 {
            self.report_loss(Lost::MeshWithoutTriangles.of("mesh", &mesh.name));
            return None;
        }
        if !self.admit(mesh.memory(), "meshes", &mesh.name) {
            return None;
        }
        self.scene.meshes.push(mesh);
        Some(self.scene.meshes.len() - 1)
    }

    /// Adds a mesh without geometry: see [`Settings::names_only`].
    pub fn add_mesh_names(&mut self, name: String, morphs: impl IntoIterator<Item = String>) {
        self.object = None;
        let morphs = morphs.into_iter().map(|name| Morph { name, ..Morph::default() }).collect();
        let mesh = Mesh { name, morphs, ..Mesh::default() };
        if self.admit(mesh.memory(), "meshes", &mesh.name) {
            self.scene.meshes.push(mesh);
        }
    }

    /// Records where values of the scene come from in the current file.
    pub fn trace(
        &mut self,
        target: Target,
        list: FieldPath,
        field: FieldPath,
        records: impl Into<Arc<[u32]>>,
    ) {
        if self.settings.without_sources {
            return;
        }
        let records = records.into();
        // Several sources can share their records.
        let own = if Arc::strong_count(&records) == 1 { size_of_val(&*records) } else { 0 };
        let steps = size_of_val(list.steps()) + size_of_val(field.steps());
        if self.admit(size_of::<Source>() + steps + own, "sources", "") {
            self.scene.sources.push(Source { target, part: self.part, list, field, records });
        }
    }

    /// Adds an animation.
    pub fn add_clip(&mut self, mut clip: Clip) {
        let mut not_finite = 0;
        for rotation in clip.tracks.iter_mut().map(|own| &mut own.rotation) {
            let values = rotation.iter().flat_map(Curve::values);
            let count = values.filter(|own| !own.is_finite()).count();
            if count > 0 {
                not_finite += count;
                let finite = |own: Quat| if own.is_finite() { own } else { Quat::IDENTITY };
                *rotation = rotation.take().map(|own| own.map(finite));
            }
        }
        self.report_losses(not_finite, Lost::NonFiniteKeys);
        self.object = None;
        if self.admit(clip.memory(), "clips", &clip.name) {
            self.tracks.clear();
            self.tracks
                .extend(clip.tracks.iter().enumerate().rev().map(|(index, track)| (track.bone, index)));
            self.scene.clips.push(clip);
        }
    }

    /// Returns the index of the clip that was added last, and its track of a bone.
    pub(super) fn last_track(&self, bone: usize) -> Option<(usize, &Track)> {
        let (clip, own) = self.scene.clips.iter().enumerate().next_back()?;
        Some((clip, own.tracks.get(*self.tracks.get(&bone)?)?))
    }

    /// Adds an animation with a duration in seconds. Curves that end earlier hold their last value until then.
    pub fn add_clip_lasting(&mut self, clip: Clip, seconds: f32) {
        self.add_clip(clip.held_until(seconds));
    }

    /// As [`add_clip_lasting`](Self::add_clip_lasting), for an animation of morph targets. It completes the clip of this name that
    /// moves only bones, if there is one.
    pub fn add_morphs_lasting(&mut self, clip: Clip, seconds: f32) {
        let clip = clip.held_until(seconds);
        match self.scene.clips.iter_mut().find(|own| own.name == clip.name && own.morphs.is_empty()) {
            Some(own) => own.morphs = clip.morphs,
            None => self.add_clip(clip),
        }
    }
}

/// The bones of a file in a scene.
#[derive(Clone, Debug, Default)]
pub struct ImportedBones {
    /// The index in the scene of each bone of the file.
    pub bones: Vec<usize>,
    /// A joint for each bone, for meshes bound in the bind pose of the file.
    pub joints: Arc<[Joint]>,
}

impl ImportedBones {
    fn new(bones: Vec<usize>, placed: &[Affine3A]) -> Self {
        let pairs = bones.iter().zip(placed);
        let joints = pairs.map(|(bone, placed)| Joint { bone: *bone, inverse_bind: placed.inverse() });
        Self { joints: joints.collect(), bones }
    }
}
