//! Converts PSK and PSA files to scenes, like UE Viewer and the importers.
//!
//! Right-handed, Z up, in centimetres: exporters from Unreal mirror the engine's left-handed data. The format declares
//! neither axes nor unit; this is the convention of files made from Unreal data.

mod animation;
mod config;
mod mesh;
mod write;

use glam::Vec3;

pub(super) use mesh::has_triangle;

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

/// The quaternion of a root is stored as is, every other one conjugated: the only one of the four combinations that places
/// the bones of real meshes among their points.
fn place(position: [f32; 3], orientation: [f32; 4], is_root: bool, space: Space) -> Transform {
    space.transform(position, turned(orientation, is_root), Vec3::ONE.to_array())
}

/// Converts between a stored quaternion and a rotation.
fn turned([x, y, z, w]: [f32; 4], is_root: bool) -> [f32; 4] {
    let sign = if is_root { 1.0 } else { -1.0 };
    [x * sign, y * sign, z * sign, w]
}

/// A corner order of the format from one that is counterclockwise, and back: the stored order faces inwards.
const fn turned_over([a, b, c]: [u32; 3]) -> [u32; 3] {
    [a, c, b]
}

/// `CUE4Parse`, the only known writer of morph targets, mirrors the points in y but not the deltas.
const fn mirrored([x, y, z]: [f32; 3]) -> [f32; 3] {
    [x, -y, z]
}

/// Reports chunks whose records have no equivalent in a scene.
fn lose_others(chunks: &[Chunk], is_read: impl Fn(&Records) -> bool, scene: &mut Builder<'_>) {
    let others = chunks.iter().filter(|chunk| !chunk.records.is_empty() && !is_read(&chunk.records));
    scene.lose_kinds("chunks", others.map(|chunk| escape(chunk.id.text())));
}
