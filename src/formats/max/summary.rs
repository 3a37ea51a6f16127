//! Summaries of 3ds Max streams.

use super::{Animation, BoneRef, Faces, Mesh, Skeleton};
use crate::codec::{Bounds, ClipInfo, FileSummary, SkeletonInfo};
use crate::formats::Writer;
use crate::wire::escape;

/// The writers that leave a mark.
pub(super) const WRITERS: &[&Writer] = &[COPY];

const COPY: &Writer = &Writer {
    name: "a copy of the tutorial's exporter from 2013",
    recognised_by: "every bone has its own name as the name of its parent",
    differs: "the bones have no hierarchy, and their matrices are zero",
    source: "its source (skinmesh.cpp); no real file is known",
};

pub(super) fn skeleton_writer(file: &Skeleton) -> Option<&'static str> {
    let is_own = |bone: BoneRef<'_>| bone.name.text() == bone.parent_name.text();
    (file.bones.len() > 1 && file.bones.iter().all(is_own)).then_some(COPY.name)
}

pub(super) fn skeleton(file: &Skeleton) -> FileSummary {
    let roots = file.bones.iter().filter(|bone| bone.parent_name.is_empty());
    let roots = roots.map(|bone| escape(bone.name.text())).collect();
    FileSummary { skeleton: Some(SkeletonInfo { bones: file.bones.len(), roots }), ..FileSummary::default() }
}

/// The file does not store the frame rate.
pub(super) fn animation(file: &Animation) -> FileSummary {
    let clip = ClipInfo { frames: Some(file.num_frames.into()), ..ClipInfo::default() };
    FileSummary { clips: vec![clip], ..FileSummary::default() }
}

pub(super) fn mesh(file: &Mesh) -> FileSummary {
    let bounds = match &file.faces {
        Faces::P12(faces) => {
            Bounds::around(faces.iter().flat_map(|face| &face.corners).map(|corner| corner.position))
        }
        Faces::P16(faces) => {
            let corners = faces.iter().flat_map(|face| &face.corners);
            Bounds::around(corners.map(|corner| [corner.position[0], corner.position[1], corner.position[2]]))
        }
    };
    FileSummary { bounds, ..FileSummary::default() }
}
