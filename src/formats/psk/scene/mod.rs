//! Converts PSK and PSA files to scenes, like UE Viewer and the importers.

mod animation;
mod config;
mod mesh;
mod write;

use glam::Vec3;

pub(super) use mesh::has_triangle;

use super::conventions::turned;
use super::{Bone, Chunk, Records};
use crate::scene::{self, Builder, Space, Transform};
use crate::schema::unpadded;
use crate::wire::escape;

/// The skeleton of a mesh or of a set of animations.
fn bones(bones: &[Bone], space: Space) -> impl ExactSizeIterator<Item = scene::Bone> {
    let bone = move |(index, bone): (usize, &Bone)| {
        let parent = usize::try_from(bone.parent_index).ok().filter(|parent| *parent != index);
        scene::Bone {
            // ActorX pads names with blanks.
            name: scene::name(unpadded(bone.name.text())),
            parent,
            bind: place(bone.position, bone.orientation, parent.is_none(), space),
        }
    };
    bones.iter().enumerate().map(bone)
}

fn place(position: [f32; 3], orientation: [f32; 4], is_root: bool, space: Space) -> Transform {
    space.transform(position, turned(orientation, is_root), Vec3::ONE.to_array())
}

/// Reports chunks whose records have no equivalent in a scene.
fn lose_others(chunks: &[Chunk], is_read: impl Fn(&Records) -> bool, scene: &mut Builder<'_>) {
    let others = chunks.iter().filter(|chunk| !chunk.records.is_empty() && !is_read(&chunk.records));
    scene.lose_kinds("chunks", others.map(|chunk| escape(chunk.id.text())));
}
