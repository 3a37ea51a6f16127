//! Skeletons, meshes, skins, materials and clips, in the same conventions for every format.
//!
//! A [`Scene`] has the conventions of glTF. It is right-handed with Y up and Z towards the viewer. Lengths are in
//! metres and times in seconds. Matrices multiply column vectors. Quaternions rotate counterclockwise, seen against
//! their axis. Triangles are counterclockwise, seen from outside. Texture coordinates start at the top left. Each
//! format converts its own conventions to these in its module `scene`. UNIGINE's unit is a metre, and Unreal's by
//! convention a centimetre. An unknown unit is treated as a metre; [`Settings::unit`] specifies another one.
//!
//! A scene does not represent everything in a file. It [reports](Scene::losses) visible and semantic contents that are
//! lost, but not the state of editors, nor bounds and trees that can be computed. An equivalent representation is not a
//! loss: a quaternion of another length is the same rotation, and one of length zero is the identity.
//!
//! ```
//! use bindpose::codec::Format;
//! use bindpose::formats::ms3d::{Joint, Ms3d};
//! use bindpose::scene::{Part, Scene, Settings};
//! let mut file = Ms3d::blank_file();
//! file.joints.push(Joint { position: [0.0, 1.5, 0.0], ..Joint::default() });
//! let scene = Scene::of(&[Part { name: "hero", file: &file }], &Settings::default());
//! assert_eq!(scene.skeleton.bind_pose()[0].translation.y, 1.5);
//! ```

mod add;
mod angles;
pub mod author;
pub(crate) mod build;
mod clip;
mod consistent;
mod cut;
#[cfg(feature = "files")]
mod encoding;
mod file_name;
#[cfg(feature = "gltf")]
pub mod gltf;
mod keep;
mod layer;
#[cfg(feature = "files")]
mod load;
mod looks;
mod loss;
mod memory;
mod mesh;
mod names;
mod palette;
mod playback;
mod polygon;
mod posed;
mod ranges;
mod reduce;
#[cfg(feature = "render")]
pub mod render;
mod retarget;
mod rigid;
mod settings;
mod skeleton;
mod skin;
mod source;
mod space;
mod template;
pub(crate) mod texture;
mod unused;
mod upright;

pub use build::{Builder, FRAME_RATE, ImportedBones, LoadPhase, Part, ToScene};
pub use clip::{Blend, Clip, Curve, Interpolation, MorphTrack, Targets, Track};
#[cfg(feature = "files")]
pub use encoding::NameEncoding;
pub use file_name::{SafeName, SafeNames};
pub use layer::Layer;
pub use looks::{Look, PLAIN};
pub use loss::{Avoid, Loss, LossKind, Lost, Measure, Subject};
pub use mesh::{Alpha, Delta, Material, Mesh, Morph, Primitive, Weld, color, color8};
pub(crate) use mesh::{color_bytes, float_16};
pub use names::{Names, name};
pub use palette::{Palette, SplitError};
pub use playback::{BoneValues, Playback, RetargetMode, Retargeting};
pub use polygon::triangles;
pub use posed::PosedMesh;
pub use ranges::{ClipRange, CutError};
pub use retarget::Retarget;
pub use settings::{SettingError, Settings};
pub use skeleton::{Attachment, Bone, Pose, Skeleton, Transform};
pub(crate) use skeleton::{Inexact, unit_or_nan};
pub use skin::{Influence, Joint, MAX_INFLUENCES, Skin, WeightDefects, Weights};
pub(crate) use source::existing;
pub use source::{Attribute, Channel, NO_RECORD, Property, Source, Target};
pub use space::{Space, Up};
pub use template::{NameTemplate, Placeholder};
pub use texture::{Texture, TextureRole};

pub(crate) use angles::{angles, rotation};
pub(crate) use clip::in_order;
pub(crate) use cut::Span;
pub(crate) use skeleton::unit;
pub(crate) use upright::upright;

use std::borrow::Cow;

use memchr::memmem;

use crate::codec::Bounds;
use crate::schema::{self, EditError, NameTable};
use crate::{Budget, Error, ErrorKind, Limits, MARK, Result};

/// A skeleton, its meshes, materials and clips.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Scene {
    /// The bones, which include the frames of `.x` files.
    pub skeleton: Skeleton,
    /// The named places on bones, which PSK calls sockets.
    pub attachments: Vec<Attachment>,
    /// The meshes.
    pub meshes: Vec<Mesh>,
    /// The materials. If all materials of a file have an opacity of 0, it is treated as 1.
    pub materials: Vec<Material>,
    /// The animations.
    pub clips: Vec<Clip>,
    /// The contents of the files that are not in the scene.
    pub losses: Vec<Loss>,
    /// The records of the files that vertices and keys come from, where each value comes from one field.
    pub sources: Vec<Source>,
}

impl<'a> From<&'a Scene> for Cow<'a, Scene> {
    fn from(scene: &'a Scene) -> Self {
        Self::Borrowed(scene)
    }
}

impl From<Scene> for Cow<'_, Scene> {
    fn from(scene: Scene) -> Self {
        Self::Owned(scene)
    }
}

/// What messages call a clip and a bone.
const CLIP: &str = "clip";
const BONE: &str = "bone";

/// Returns the index of the first object of a name, or else of the one whose name differs only in the blanks at its end.
fn find<'a, I: Iterator<Item = &'a str>>(
    kind: &'static str,
    name: &str,
    names: impl Fn() -> I,
) -> Result<usize, EditError> {
    let table = NameTable::new(names());
    let found = table.find(name.as_bytes());
    let found = found.map_err(|why| EditError::ambiguous(kind, name.as_bytes(), &why))?;
    found.first().copied().ok_or_else(|| {
        let names = schema::Names::near(name, names());
        EditError::NoObject { kind, name: name.into(), names }
    })
}

impl Scene {
    /// Builds a scene from a set of files: a mesh, its skeleton, clips and materials, in any order.
    ///
    /// Its memory is not limited: a small file can have clips that share keys. See [`within`](Self::within).
    /// A unit or rate that is not a positive number counts as none. A part that is a scene which [contradicts
    /// itself](Self::validate) is a loss, and so is what follows it.
    #[must_use]
    pub fn of(parts: &[Part<'_>], settings: &Settings) -> Self {
        let unlimited = Budget::of(&Limits::none(), 0);
        let [unit, rate] =
            [settings.unit, settings.rate].map(|own| own.filter(|own| settings::is_positive(*own)));
        let settings = &settings.with_unit(unit).with_rate(rate);
        Builder::new(parts, settings, &unlimited).build().into_scene()
    }

    /// As [`of`](Self::of), and charges the memory of the scene to a budget.
    ///
    /// ```
    /// use bindpose::codec::Format;
    /// use bindpose::formats::ms3d::{Joint, Ms3d};
    /// use bindpose::scene::{Part, Scene, Settings};
    /// use bindpose::{Budget, Limits};
    /// let mut file = Ms3d::blank_file();
    /// file.joints.push(Joint::default());
    /// let parts = [Part { name: "hero", file: &file }];
    /// let small = Budget::of(&Limits::default().with_max_memory(10), 0);
    /// assert!(Scene::within(&parts, &Settings::default(), &small).is_err());
    /// assert!(Scene::within(&parts, &Settings::default(), &Budget::default()).is_ok());
    /// ```
    ///
    /// # Errors
    /// [`ErrorKind::Limit`] with the part of the scene, such as `clips["walk"]`, that exceeds the
    /// budget. Nothing remains charged then. [`ErrorKind::Value`] for invalid settings, and
    /// [`ErrorKind::Encode`] for a part that is a scene which [contradicts itself](Self::validate).
    pub fn within(parts: &[Part<'_>], settings: &Settings, budget: &Budget) -> Result<Self> {
        settings.validate().map_err(|error| Error::new(0, ErrorKind::Value(error.to_string().into())))?;
        Builder::new(parts, settings, budget).build().finish()
    }

    /// Returns the index of the first clip of a name, or else of the clip whose name differs only in the blanks at its end.
    ///
    /// # Errors
    /// [`EditError::NoObject`] if there is none, [`EditError::Ambiguous`] if there are several.
    pub fn find_clip(&self, name: &str) -> Result<usize, EditError> {
        find(CLIP, name, || self.clips.iter().map(|clip| &*clip.name))
    }

    /// As [`find_clip`](Self::find_clip), for a bone.
    ///
    /// # Errors
    /// As there.
    pub fn find_bone(&self, name: &str) -> Result<usize, EditError> {
        find(BONE, name, || self.skeleton.bones().iter().map(|bone| &*bone.name))
    }

    /// As [`find_clip`](Self::find_clip), for a blend mask of the skeleton.
    ///
    /// # Errors
    /// As there.
    pub fn find_mask(&self, name: &str) -> Result<usize, EditError> {
        find("blend mask", name, || self.skeleton.playback().masks.iter().map(|mask| &*mask.name))
    }

    /// Returns the bounding box of all vertices in the bind pose, where the skin or the bone of their mesh places them; none if
    /// no coordinate is finite. As in written files, 0 replaces numbers of bones that are not finite.
    #[must_use]
    pub fn bounds(&self) -> Option<Bounds> {
        bounds(&self.skeleton, &self.meshes)
    }
}

/// As [`Scene::bounds`].
fn bounds(skeleton: &Skeleton, meshes: &[Mesh]) -> Option<Bounds> {
    // As in written files.
    let finite = skeleton.finite();
    let skeleton = finite.as_ref().map_or(skeleton, |(finite, _)| finite);
    let placed = skeleton.model_space(&skeleton.bind_pose());
    let points = meshes.iter().flat_map(|mesh| posed::positions(mesh, &mesh.positions, &placed));
    Bounds::around(points.map(|position| position.to_array()))
}

/// Returns whether a file starts like glTF: the header of `.glb`, or JSON with the key `asset`.
pub(crate) fn is_gltf(head: &[u8]) -> bool {
    let text = head.strip_prefix(MARK).unwrap_or(head).trim_ascii_start();
    head.starts_with(b"glTF") || text.starts_with(b"{") && memmem::find(text, b"\"asset\"").is_some()
}
