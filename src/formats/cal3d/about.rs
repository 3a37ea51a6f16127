//! A summary of a Cal3D file.

use super::{Animation, Material, Mesh, Morph, Skeleton};
use crate::codec::{About, Bounds, ClipInfo, SkeletonInfo};
use crate::wire::escape;

pub(super) fn skeleton(file: &Skeleton) -> About {
    let roots = file.bones.iter().filter(|bone| bone.parent_id < 0);
    let roots = roots.map(|bone| escape(bone.name.text())).collect();
    About { skeleton: Some(SkeletonInfo { bones: file.bones.len(), roots }), ..of_version(file.version) }
}

pub(super) fn animation(file: &Animation) -> About {
    About { clips: vec![lasting(file.duration)], ..of_version(file.version) }
}

pub(super) fn mesh(file: &Mesh) -> About {
    let vertices = file.submeshes.iter().flat_map(|submesh| &submesh.vertices);
    let counts = [
        ("vertices", file.submeshes.iter().map(|submesh| submesh.vertices.len()).sum()),
        ("triangles", file.submeshes.iter().map(|submesh| submesh.faces.len()).sum()),
    ];
    About {
        counts: counts.map(|(name, count)| (name.to_owned(), count)).into(),
        bounds: Bounds::around(vertices.map(|vertex| vertex.position)),
        ..of_version(file.version)
    }
}

pub(super) fn material(file: &Material) -> About {
    of_version(file.version)
}

pub(super) fn morph(file: &Morph) -> About {
    About { clips: vec![lasting(file.duration)], ..of_version(file.version) }
}

fn of_version(version: i32) -> About {
    About { version: Some(version.to_string()), ..About::default() }
}

fn lasting(seconds: f32) -> ClipInfo {
    ClipInfo { seconds: Some(seconds), ..ClipInfo::default() }
}
