//! A summary of a Cal3D file.

use super::{Animation, Material, Mesh, Morph, Skeleton};
use crate::codec::{Bounds, ClipInfo, FileSummary, SkeletonInfo};
use crate::wire::escape;

pub(super) fn skeleton(file: &Skeleton) -> FileSummary {
    let roots = file.bones.iter().filter(|bone| bone.parent_id < 0);
    let roots = roots.map(|bone| escape(bone.name.text())).collect();
    FileSummary {
        skeleton: Some(SkeletonInfo { bones: file.bones.len(), roots }),
        ..of_version(file.version)
    }
}

pub(super) fn animation(file: &Animation) -> FileSummary {
    FileSummary { clips: vec![lasting(file.duration)], ..of_version(file.version) }
}

pub(super) fn mesh(file: &Mesh) -> FileSummary {
    let vertices = file.submeshes.iter().flat_map(|submesh| &submesh.vertices);
    let counts = [
        ("vertices", file.submeshes.iter().map(|submesh| submesh.vertices.len()).sum()),
        ("triangles", file.submeshes.iter().map(|submesh| submesh.faces.len()).sum()),
    ];
    FileSummary {
        counts: counts.map(|(name, count)| (name.to_owned(), count)).into(),
        bounds: Bounds::around(vertices.map(|vertex| vertex.position)),
        ..of_version(file.version)
    }
}

pub(super) fn material(file: &Material) -> FileSummary {
    of_version(file.version)
}

pub(super) fn morph(file: &Morph) -> FileSummary {
    FileSummary { clips: vec![lasting(file.duration)], ..of_version(file.version) }
}

fn of_version(version: i32) -> FileSummary {
    FileSummary { version: Some(version.to_string()), ..FileSummary::default() }
}

fn lasting(seconds: f32) -> ClipInfo {
    ClipInfo { seconds: Some(seconds), ..ClipInfo::default() }
}
