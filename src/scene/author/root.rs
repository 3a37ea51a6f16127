//! A single root, for formats that have no more.

use std::collections::HashSet;

use super::super::{Bone, Mesh, Scene, Skeleton};

/// The name of an added root, unless another bone has it.
pub(crate) const ROOT: &str = "root";

/// Returns a skeleton for a scene with a bone that does not move above all others, and the number of its roots; none if it has one
/// root, which does not carry vertices without a bone away.
pub(crate) fn with_one_root(skeleton: &Skeleton, scene: &Scene) -> Option<(Skeleton, usize)> {
    let bones = skeleton.bones();
    let roots: Vec<usize> = (0..bones.len()).filter(|bone| bones[*bone].parent.is_none()).collect();
    let is_animated =
        |bone: usize| scene.clips.iter().flat_map(|clip| &clip.tracks).any(|track| track.bone == bone);
    match &*roots {
        [] => return None,
        [root] if !is_animated(*root) || !scene.meshes.iter().any(has_loose_vertices) => return None,
        _ => {}
    }
    let taken: HashSet<String> = bones.iter().map(|bone| bone.name.trim_end().to_ascii_lowercase()).collect();
    let mut names =
        std::iter::once(ROOT.to_owned()).chain((1_u32..).map(|number| format!("{ROOT}_{number}")));
    let name = names.find(|name| !taken.contains(name)).unwrap_or_default();
    let above = bones.len();
    let below = |bone: &Bone| Bone { parent: bone.parent.or(Some(above)), ..bone.clone() };
    let root = Bone { name, ..Bone::default() };
    Some((Skeleton::new(bones.iter().map(below).chain([root]).collect()).0, roots.len()))
}

/// Whether no bone moves some of the vertices.
fn has_loose_vertices(mesh: &Mesh) -> bool {
    match &mesh.skin {
        Some(skin) => (0..mesh.positions.len()).any(|vertex| skin.weights.of(vertex).is_empty()),
        None => mesh.bone.is_none() && !mesh.positions.is_empty(),
    }
}
