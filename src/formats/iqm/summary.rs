//! Summaries of Inter-Quake Models.

use super::{Iqm, VertexData};
use crate::codec::{Bounds, ClipInfo, CommentInfo, FileSummary, SkeletonInfo};
use crate::wire::escape;

pub(super) fn summary(file: &Iqm) -> FileSummary {
    let parts = &file.sections;
    let clip = |own: &super::Anim| ClipInfo {
        name: escape(file.text(own.name)),
        frames: Some(own.num_frames.into()),
        rate: Some(own.framerate),
        seconds: None,
    };
    let roots = parts.joints.iter().filter(|own| own.parent < 0);
    let roots = roots.map(|own| escape(file.text(own.name))).collect();
    let skeleton = SkeletonInfo { bones: parts.joints.len(), roots };
    let bounds = match file.array(0) {
        Some((.., VertexData::Positions(own))) => Bounds::around(own.iter().copied()),
        _ => None,
    };
    let comment = parts.comment.0.split(|byte| *byte == 0).filter(|text| !text.is_empty());
    let comment = comment.map(|text| CommentInfo { about: String::new(), text: escape(text) });
    FileSummary {
        version: Some(file.version.to_string()),
        skeleton: (!parts.joints.is_empty()).then_some(skeleton),
        clips: parts.anims.iter().map(clip).collect(),
        bounds,
        comments: comment.collect(),
        ..FileSummary::default()
    }
}
