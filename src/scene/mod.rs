//! What files mean: skeleton, meshes, skin, clips, the same for every format.
//!
//! A [`Scene`] is right-handed with Y up and Z towards the viewer, in metres and seconds; matrices multiply column
//! vectors, quaternions turn counterclockwise seen against their axis, triangles are counterclockwise seen from
//! outside, texture coordinates count from the top left: all as in glTF. Each format's own conventions are turned into
//! these in its room `scene` and nowhere else. UNIGINE's unit is a metre, Unreal's by custom a centimetre; where nothing
//! is known of a unit, it is taken for a metre. [`Settings::unit`] says otherwise.
//!
//! Unlike everything else here this loses things, and [says](Scene::losses) which: whatever one would see or could ask
//! for in the file, not what editors remember of themselves, nor bounds and trees that follow from the rest. What means the
//! same is no loss: a quaternion of another length is the same rotation, and one of no length turns nothing.
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

mod build;
mod clip;
#[cfg(feature = "gltf")]
pub mod gltf;
mod mesh;
mod polygon;
mod skeleton;
mod skin;
mod space;

pub use build::{Builder, FRAME_RATE, ImportedBones, LoadPhase, Names, Part, Settings, ToScene, name};
pub use clip::{Blend, Clip, Curve, Interpolation, MorphTrack, Targets, Track};
pub use mesh::{Alpha, Delta, Material, Mesh, Morph, Primitive, Weld, color, color8};
pub use polygon::triangles;
pub use skeleton::{Bone, Pose, Skeleton, Transform};
pub use skin::{Influence, Joint, MAX_INFLUENCES, Skin, WeightDefects, Weights};
pub use space::{Space, Up};

pub(crate) use clip::in_order;
pub(crate) use skeleton::unit;

use crate::codec::Bounds;

/// Meshes on one skeleton, with what they are made of and how they move.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Scene {
    /// The bones; frames of `.x` are bones too.
    pub skeleton: Skeleton,
    /// The meshes.
    pub meshes: Vec<Mesh>,
    /// The materials. Where all of a file have an opacity of 0, it is taken for 1.
    pub materials: Vec<Material>,
    /// The animations.
    pub clips: Vec<Clip>,
    /// What of the files is not in the scene.
    pub losses: Vec<Loss>,
}

/// Something that has no place in the scene, or made no sense there.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Loss {
    /// The name of the file's part.
    pub file: String,
    /// What is not there.
    pub what: String,
    /// Why.
    pub why: String,
}

impl Scene {
    /// The scene that files make together: a mesh, its skeleton, clips and materials, in any order.
    #[must_use]
    pub fn of(parts: &[Part<'_>], settings: &Settings) -> Self {
        Builder::new(parts, settings).build()
    }

    /// The box around all vertices in the bind pose; none where no coordinate is finite.
    #[must_use]
    pub fn bounds(&self) -> Option<Bounds> {
        let placed = self.skeleton.model_space(&self.skeleton.bind_pose());
        let points = self.meshes.iter().flat_map(|mesh| {
            let place = mesh.bone.and_then(|bone| placed.get(bone)).copied().unwrap_or_default();
            mesh.positions.iter().map(move |position| place.transform_point3(*position).to_array())
        });
        Bounds::around(points)
    }
}
