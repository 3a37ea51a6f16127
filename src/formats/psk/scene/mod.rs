//! What PSK and PSA files mean, as UE Viewer and the importers read them.
//!
//! Right-handed, Z up, in centimetres: exporters from Unreal mirror the engine's left-handed data. The format declares
//! neither axis nor unit; this is what files made from Unreal's data hold, and its unit is by custom a centimetre.

mod animation;
mod config;
mod mesh;

use glam::Vec3;

use super::{Bone, Chunk, Records};
use crate::scene::{self, Builder, Space, Transform};
use crate::wire::escape;

/// Unreal's unit is about a centimetre.
const SPACE: Space = Space::RIGHT_Z_UP.with_unit(0.01);

/// The skeleton of a mesh or of a set of animations.
fn bones(bones: &[Bone], space: Space) -> Vec<scene::Bone> {
    let bone = |(index, bone): (usize, &Bone)| {
        let parent = usize::try_from(bone.parent_index).ok().filter(|parent| *parent != index);
        scene::Bone {
            name: scene::name(bone.name.text()),
            parent,
            bind: place(bone.position, bone.orientation, parent.is_none(), space),
        }
    };
    bones.iter().enumerate().map(bone).collect()
}

/// A root's quaternion is stored as it is, every other one conjugated: of the four ways the only one that puts the bones
/// of real meshes among their points.
fn place(position: [f32; 3], [x, y, z, w]: [f32; 4], is_root: bool, space: Space) -> Transform {
    let sign = if is_root { 1.0 } else { -1.0 };
    space.transform(position, [x * sign, y * sign, z * sign, w], Vec3::ONE.to_array())
}

/// Chunks with records of which nothing is read.
fn lose_others(chunks: &[Chunk], is_read: impl Fn(&Records) -> bool, scene: &mut Builder<'_>) {
    let others = chunks.iter().filter(|chunk| !chunk.records.is_empty() && !is_read(&chunk.records));
    scene.lose_kinds("chunks", others.map(|chunk| escape(chunk.id.text())));
}
