//! Scenes of UNIGINE files.
//!
//! Right-handed, Z up, in metres, by the engine's own documentation. Quaternions and transforms are relative to the
//! parent and rotate column vectors: the bones of the real skinned capsule then lie along the capsule.

mod anim;
mod mesh;
mod write;

use super::{Bone, Transform};
use crate::scene::{self, Space};

fn place(own: &Transform, space: Space) -> scene::Transform {
    space.transform(own.position, own.rotation, own.scale)
}

/// Bones with their transforms relative to the parent, which may follow its child; -1 means none.
fn bones(
    bones: &[Bone],
    transforms: &[Transform],
    space: Space,
) -> impl ExactSizeIterator<Item = scene::Bone> {
    let still = Transform::default();
    let bone = move |(index, bone): (usize, &Bone)| scene::Bone {
        name: scene::name(bone.name.text()),
        parent: usize::try_from(bone.parent).ok(),
        bind: place(transforms.get(index).unwrap_or(&still), space),
    };
    bones.iter().enumerate().map(bone)
}
