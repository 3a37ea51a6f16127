//! Converts PSK and PSA files to scenes, like UE Viewer and the importers.

mod animation;
mod config;
mod mesh;
mod programs;
mod write;

use glam::Vec3;

pub(super) use mesh::has_triangle;

use super::conventions::{SPACE, turned};
use super::writer::{BINDPOSE, writer};
use super::{Bone, Chunk, Records};
use crate::scene::{self, Builder, Lost, Skeleton, Space, Transform, Up, upright};
use crate::schema::unpadded;
use crate::wire::escape;

/// The skeleton of a mesh or of a set of animations.
fn bones(bones: &[Bone], space: Space) -> impl ExactSizeIterator<Item = scene::Bone> {
    let count = bones.len();
    let bone = move |(index, bone): (usize, &Bone)| {
        let parent = usize::try_from(bone.parent_index).ok().filter(|parent| *parent != index);
        // As its keys: a bone whose parent is missing becomes a root.
        let is_root = parent.is_none_or(|parent| parent >= count);
        scene::Bone {
            // ActorX pads names with blanks.
            name: scene::name(unpadded(bone.name.text())),
            parent,
            bind: place(bone.position, bone.orientation, is_root, space),
        }
    };
    bones.iter().enumerate().map(bone)
}

/// The most bones of a character.
const MAX_BONES: usize = 4096;

/// The space of the files of a set, which the first one determines.
#[derive(Clone, Copy)]
struct SetSpace(Space);

/// Returns the space of files with these bones: that of the convention, unless the bones show a character that stands along y in a
/// file of another program. The pose does not prove another up axis: some models are horizontal.
fn space_of(chunks: &[Chunk], own: &[Bone], scene: &mut Builder<'_>) -> Space {
    let SetSpace(space) = scene.share(|scene| {
        let space = scene.space(SPACE);
        let is_own = || writer(chunks).is_some_and(|own| own.writer == BINDPOSE.writer);
        if scene.settings().up.is_some() || own.len() > MAX_BONES || is_own() {
            return SetSpace(space);
        }
        let (skeleton, _) = Skeleton::new(bones(own, SPACE).collect());
        // The y axis of files, where z points up.
        if upright(&skeleton) != Some(SPACE.direction([0.0, 1.0, 0.0])) {
            return SetSpace(space);
        }
        scene.report_loss(Lost::UpAxis);
        SetSpace(space.with_up(Up::Y))
    });
    space
}

fn place(position: [f32; 3], orientation: [f32; 4], is_root: bool, space: Space) -> Transform {
    space.transform(position, turned(orientation, is_root), Vec3::ONE.to_array())
}

/// Reports chunks whose records have no equivalent in a scene.
fn report_others(chunks: &[Chunk], is_read: impl Fn(&Records) -> bool, scene: &mut Builder<'_>) {
    let others = chunks.iter().filter(|chunk| !chunk.records.is_empty() && !is_read(&chunk.records));
    scene.report_kinds(Lost::Chunks, others.map(|chunk| escape(chunk.id.text())));
}
