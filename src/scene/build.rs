//! Putting the meanings of several files together.

use std::any::Any;
use std::collections::{BTreeSet, HashMap};
use std::fmt;
use std::sync::Arc;

use glam::Affine3A;

use super::{Alpha, Bone, Clip, Joint, Loss, Material, Mesh, Scene, Skeleton, Space, Up, Weights};
use crate::wire::escape;

/// Frames in a second where nobody says.
pub const FRAME_RATE: f32 = 30.0;

/// What cannot be learned from the files.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Settings {
    /// Metres in a unit of the files; none for what the format says, or a metre where it says nothing.
    pub unit: Option<f32>,
    /// Which axis points up in the files; none for what the format says, or is usual in it.
    pub up: Option<Up>,
    /// Frames, or ticks, in a second of clips whose file does not say; none for what is usual.
    pub rate: Option<f32>,
    /// The integer weight that means 1, where versions of a format disagree: 100 or 255 in MS3D. None for the usual one.
    pub full_weight: Option<u8>,
}

/// When a file is added, of those given together: after what it refers to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum LoadPhase {
    /// Bones alone.
    Skeleton,
    /// Materials alone.
    Material,
    /// Meshes, with or without a skeleton of their own.
    Mesh,
    /// Animations.
    Clip,
}

/// A format whose files mean something: every convention of the format is applied here and nowhere else.
pub trait ToScene: Any {
    /// When the file is added.
    fn phase(&self) -> LoadPhase;

    /// Adds what the file means. Whatever the bytes were, this neither fails nor panics: what makes no sense is a loss.
    fn add_to(&self, scene: &mut Builder<'_>);
}

/// A file and what it is called: clips, meshes and skeletons without a name of their own are called so too.
#[derive(Clone, Copy)]
pub struct Part<'a> {
    /// The file's name without folder and extension.
    pub name: &'a str,
    /// The file.
    pub file: &'a dyn ToScene,
}

impl fmt::Debug for Part<'_> {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.debug_struct("Part").field("name", &self.name).finish_non_exhaustive()
    }
}

/// A scene on its way.
#[derive(Debug)]
pub struct Builder<'a> {
    parts: &'a [Part<'a>],
    settings: &'a Settings,
    current: &'a str,
    /// Of each kind of thing that the current file lost, where it stands among the losses and how many there are.
    counted: HashMap<[String; 2], (usize, usize)>,
    scene: Scene,
}

impl<'a> Builder<'a> {
    pub(super) fn new(parts: &'a [Part<'a>], settings: &'a Settings) -> Self {
        Self { parts, settings, current: "", counted: HashMap::new(), scene: Scene::default() }
    }

    pub(super) fn build(mut self) -> Scene {
        let mut parts: Vec<_> = self.parts.iter().collect();
        parts.sort_by_cached_key(|part| part.file.phase());
        for part in parts {
            self.current = part.name;
            self.counted.clear();
            let first = self.scene.materials.len();
            part.file.add_to(&mut self);
            self.settle_opacity(first);
        }
        self.scene
    }

    /// What is not opaque is mixed with what is behind. Files in which nothing is to be seen at all were written by those
    /// who do not set opacity.
    fn settle_opacity(&mut self, first: usize) {
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
        self.lose_some(count, "opacities of materials", "all of the file are 0, which is taken for 1");
    }

    /// The scene so far.
    #[must_use]
    pub const fn scene(&self) -> &Scene {
        &self.scene
    }

    /// The name of the file that is being added.
    #[must_use]
    pub const fn file(&self) -> &'a str {
        self.current
    }

    /// The name of a thing in the file; that of the file where it has none.
    #[must_use]
    pub fn called(&self, own: &[u8]) -> String {
        if own.is_empty() { self.current.to_owned() } else { name(own) }
    }

    /// What the caller knows.
    #[must_use]
    pub const fn settings(&self) -> &'a Settings {
        self.settings
    }

    /// The format's space with the axes and the unit the caller asks for.
    #[must_use]
    pub fn space(&self, own: Space) -> Space {
        let turned = self.settings.up.map_or(own, |up| own.with_up(up));
        self.settings.unit.map_or(turned, |metres| turned.with_unit(metres))
    }

    /// Frames, or ticks, in a second of a clip whose file does not say: what the caller knows, or what is usual.
    pub fn rate(&mut self, usual: f32) -> f32 {
        self.settings.rate.unwrap_or_else(|| {
            let why = format!("the file does not say; {usual} in a second are taken, --rate says otherwise");
            self.lose_some(1, "rates of clips", &why);
            usual
        })
    }

    /// All files of a type among those given together, with their names.
    pub fn beside<T: 'static>(&self) -> impl Iterator<Item = (&'a str, &'a T)> + use<'a, T> {
        let parts = self.parts;
        parts.iter().filter_map(|part| {
            let file: &dyn Any = part.file;
            Some((part.name, file.downcast_ref()?))
        })
    }

    /// Notes something that has no place in the scene.
    pub fn lose(&mut self, what: impl Into<String>, why: impl Into<String>) {
        let loss = Loss { file: self.current.to_owned(), what: what.into(), why: why.into() };
        self.scene.losses.push(loss);
    }

    /// Notes so many things of one kind, unless there are none; they are counted together for the whole file.
    pub fn lose_some(&mut self, count: usize, what: &str, why: &str) {
        if count == 0 {
            return;
        }
        let next = self.scene.losses.len();
        let known = self.counted.entry([what.to_owned(), why.to_owned()]).or_insert((next, 0));
        known.1 += count;
        let (index, count) = *known;
        let text = format!("{what} ({count})");
        match self.scene.losses.get_mut(index) {
            Some(loss) => loss.what = text,
            None => self.lose(text, why),
        }
    }

    /// Notes things that are not read, each by the name of its kind, of which the first few are told.
    pub fn lose_kinds(&mut self, things: &str, names: impl IntoIterator<Item = String>) {
        const TOLD: usize = 8;
        let names: Vec<String> = names.into_iter().collect();
        let kinds: BTreeSet<&str> = names.iter().map(String::as_str).collect();
        let told: Vec<_> = kinds.iter().take(TOLD).copied().collect();
        let others = if kinds.len() > TOLD { " and others" } else { "" };
        let what = format!("{things} {}{others}", told.join(", "));
        self.lose_some(names.len(), &what, "a scene has no place for them, or their layout is not known");
    }

    /// Notes that bones are not as in the skeleton, which stands in another file.
    pub fn lose_skeleton(&mut self) {
        self.lose(
            "the skeleton",
            "the file does not say which bone hangs on which; name the mesh or skeleton, too",
        );
    }

    /// Notes so many matrices of which the scene has the nearest transform.
    pub fn lose_shear(&mut self, count: usize, what: &str) {
        self.lose_some(
            count,
            what,
            "a bone moves, turns and scales, and has no shear; what comes nearest is taken",
        );
    }

    /// Notes so many colours that are not as they were.
    pub fn lose_colors(&mut self, count: usize, what: &str) {
        self.lose_some(count, what, "they are not from 0 to 1; they are clamped");
    }

    /// Notes so many materials that reflect light in a way of their own.
    pub fn lose_shine(&mut self, count: usize) {
        self.lose_some(count, "ambient and specular colours and shininess", "glTF's materials have none");
    }

    /// Notes the keys among those at these times that curves have elsewhere, or not at all.
    pub fn lose_order(&mut self, times: impl IntoIterator<Item = f32>) {
        let mut last = f32::NEG_INFINITY;
        let falls = |time: &f32| {
            let rises = *time > last && time.is_finite();
            last = if rises { *time } else { last };
            !rises
        };
        let count = times.into_iter().filter(falls).count();
        self.lose_some(
            count,
            "times of keys",
            "they do not rise; the keys are put in order, and of those at one time the last counts",
        );
    }

    /// The influences on vertices, as [`Weights::gather`] has them; those that are not as they were are noted.
    pub fn weigh(
        &mut self,
        num_vertices: usize,
        num_joints: usize,
        rows: impl IntoIterator<Item = (usize, usize, f32)>,
        why_refused: &str,
    ) -> Weights {
        let (weights, off) = Weights::gather(num_vertices, num_joints, rows);
        self.lose_some(off.refused, "influences", why_refused);
        self.lose_some(off.scaled, "sums of weights", "they are not 1; the weights are scaled");
        weights
    }

    /// Notes those of so many points that no triangle uses.
    pub fn lose_unused(&mut self, num_points: usize, used: impl IntoIterator<Item = u32>) {
        let mut unused = vec![true; num_points];
        for point in used {
            if let Some(unused) = unused.get_mut(point as usize) {
                *unused = false;
            }
        }
        let count = unused.into_iter().filter(|unused| *unused).count();
        self.lose_some(count, "vertices", "no triangle uses them");
    }

    /// Adds bones. Those of a skeleton that is there already are the same where they have the same names.
    pub fn add_bones(&mut self, bones: Vec<Bone>) -> ImportedBones {
        let (added, cut) = Skeleton::new(bones);
        self.lose_some(
            cut.len(),
            "links to parents",
            "they lead in a circle or nowhere; these bones are roots",
        );
        let placed = added.model_space(&added.bind_pose());
        let names = self.bone_names();
        if names.is_empty() {
            self.scene.skeleton = added;
            return ImportedBones::new((0..placed.len()).collect(), &placed);
        }
        let mut all = self.scene.skeleton.bones().to_vec();
        let mut indices = vec![0; placed.len()];
        let known = names.pair(added.bones().iter().map(|bone| &*bone.name));
        for &index in added.order() {
            let (bone, known) = (&added.bones()[index], known[index]);
            indices[index] = known.unwrap_or(all.len());
            if known.is_none() {
                all.push(Bone { parent: bone.parent.map(|parent| indices[parent]), ..bone.clone() });
            }
        }
        self.scene.skeleton = Skeleton::new(all).0;
        ImportedBones::new(indices, &placed)
    }

    /// The bones there are, by name.
    #[must_use]
    pub fn bone_names(&self) -> Names {
        Names::new(self.scene.skeleton.bones().iter().map(|bone| bone.name.as_str()))
    }

    /// Adds a material; returns its index.
    pub fn add_material(&mut self, material: Material) -> usize {
        self.scene.materials.push(material);
        self.scene.materials.len() - 1
    }

    /// Adds a mesh that has triangles; one without is a loss.
    pub fn add_mesh(&mut self, mesh: Mesh) {
        if mesh.num_triangles() > 0 {
            self.scene.meshes.push(mesh);
        } else {
            self.lose(format!("mesh {:?}", mesh.name), "it has no triangles");
        }
    }

    /// Adds an animation.
    pub fn add_clip(&mut self, clip: Clip) {
        self.scene.clips.push(clip);
    }

    /// Adds an animation whose file says how many seconds it lasts: what has its last key before is held until then.
    pub fn add_clip_lasting(&mut self, clip: Clip, seconds: f32) {
        self.add_clip(clip.held_until(seconds));
    }
}

/// Bones of a file in a scene.
#[derive(Clone, Debug, Default)]
pub struct ImportedBones {
    /// The index in the scene of each of the file's bones.
    pub bones: Vec<usize>,
    /// A joint for each bone, for meshes that were bound in the file's own bind pose.
    pub joints: Arc<[Joint]>,
}

impl ImportedBones {
    fn new(bones: Vec<usize>, placed: &[Affine3A]) -> Self {
        let pairs = bones.iter().zip(placed);
        let joints = pairs.map(|(bone, placed)| Joint { bone: *bone, inverse_bind: placed.inverse() });
        Self { joints: joints.collect(), bones }
    }
}

/// Indices by name: exactly, or else whatever the case of its letters and the blanks at its end.
///
/// ```
/// use bindpose::scene::Names;
/// let names = Names::new(["hip", "Hand", "Hand"]);
/// assert_eq!(names.find("hand "), Some(1));
/// // Names need not be unique: the second of equals goes with the second.
/// assert_eq!(names.pair(["Hand", "hip", "Hand", "Hand"]), [Some(1), Some(0), Some(2), None]);
/// ```
#[derive(Clone, Debug, Default)]
pub struct Names {
    exact: HashMap<String, Vec<usize>>,
    loose: HashMap<String, Vec<usize>>,
}

impl Names {
    /// Names in the order of their indices.
    #[must_use]
    pub fn new<'n>(names: impl IntoIterator<Item = &'n str>) -> Self {
        let mut all = Self::default();
        for (index, name) in names.into_iter().enumerate() {
            all.exact.entry(name.to_owned()).or_default().push(index);
            all.loose.entry(loose(name)).or_default().push(index);
        }
        all
    }

    /// The index of a name; of equals the first.
    #[must_use]
    pub fn find(&self, name: &str) -> Option<usize> {
        self.all(name).first().copied()
    }

    /// The index of each of these names; of equals each has its own, in the same order.
    #[must_use]
    pub fn pair<'n>(&self, names: impl IntoIterator<Item = &'n str>) -> Vec<Option<usize>> {
        let mut met = HashMap::new();
        let index = |name| {
            let nth = met.entry(name).or_insert(0);
            *nth += 1;
            self.all(name).get(*nth - 1).copied()
        };
        names.into_iter().map(index).collect()
    }

    fn all(&self, name: &str) -> &[usize] {
        self.exact.get(name).or_else(|| self.loose.get(&loose(name))).map_or(&[], Vec::as_slice)
    }

    /// Whether there are no names.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.exact.is_empty()
    }
}

fn loose(name: &str) -> String {
    name.trim_end().to_lowercase()
}

/// A name of a file as text: as it is where it is UTF-8, with `\xNN` for bytes where it is not.
#[must_use]
pub fn name(bytes: &[u8]) -> String {
    str::from_utf8(bytes).map_or_else(|_| escape(bytes), str::to_owned)
}
