//! Summary of a MilkShape 3D file.

use super::conventions::FULL_WEIGHT;
use super::{Comment, CommentLists, Ms3d};
use crate::codec::{Bounds, ClipInfo, CommentInfo, FileSummary, SkeletonInfo};
use crate::formats::Writer;
use crate::wire::escape;

/// The writers that leave a mark.
pub(super) const WRITERS: &[&Writer] = &[OLDER_WEIGHTS];

const OLDER_WEIGHTS: &Writer = &Writer {
    name: "a program with weights from 0 to 255",
    recognised_by: "a weight above 100 in the additional data of vertices of sub-version 1",
    differs: "weights of sub-version 1 are on a scale of 255 instead of 100",
    source: "texts of sub-version 1 (MilkShape 1.7); issue 34 of MM3D",
};

pub(super) fn writer(file: &Ms3d) -> Option<&'static str> {
    let weight = file.vertex_extra.present()?.records.full_weight();
    (weight != FULL_WEIGHT).then_some(OLDER_WEIGHTS.name)
}

pub(super) fn summary(file: &Ms3d) -> FileSummary {
    FileSummary {
        version: Some(file.version.to_string()),
        skeleton: skeleton(file),
        clips: clips(file),
        bounds: Bounds::around(file.vertices.iter().map(|vertex| vertex.position)),
        comments: comments(file),
        ..FileSummary::default()
    }
}

fn comments(file: &Ms3d) -> Vec<CommentInfo> {
    let Some(CommentLists::Sub1(lists)) = file.comments.present().map(|comments| &comments.lists) else {
        return Vec::new();
    };
    let of = |kind: &str, comment: &Comment, name: &dyn Fn(usize) -> Option<String>| {
        let index = comment.index;
        let name = usize::try_from(index).ok().and_then(name).filter(|name| !name.is_empty());
        let about = name.map_or_else(|| format!("{kind} {index}"), |name| format!("{kind} \"{name}\""));
        CommentInfo { about, text: lines(comment.text.stored()) }
    };
    let group = |index: usize| Some(escape(file.groups.get(index)?.name.text()));
    let material = |index: usize| Some(escape(file.materials.get(index)?.name.text()));
    let joint = |index: usize| Some(escape(file.joints.get(index)?.name.text()));
    let groups = lists.groups.iter().map(|comment| of("group", comment, &group));
    let materials = lists.materials.iter().map(|comment| of("material", comment, &material));
    let joints = lists.joints.iter().map(|comment| of("joint", comment, &joint));
    let model = lists.model.iter();
    let model = model.map(|comment| CommentInfo { about: String::new(), text: lines(comment.text.stored()) });
    groups.chain(materials).chain(joints).chain(model).collect()
}

fn skeleton(file: &Ms3d) -> Option<SkeletonInfo> {
    let roots = file.joints.iter().filter(|joint| joint.parent_name.is_empty());
    let roots = roots.map(|joint| escape(joint.name.text())).collect();
    (!file.joints.is_empty()).then(|| SkeletonInfo { bones: file.joints.len(), roots })
}

/// The lines of a comment, without the carriage returns.
fn lines(text: &[u8]) -> String {
    let lines =
        text.split(|byte| *byte == b'\n').map(|line| escape(line.strip_suffix(b"\r").unwrap_or(line)));
    lines.collect::<Vec<_>>().join("\n")
}

/// The animation, if any joint has keys: as its named ranges, if it has any.
fn clips(file: &Ms3d) -> Vec<ClipInfo> {
    let moves = |joint: &super::Joint| !joint.rotation_keys.is_empty() || !joint.position_keys.is_empty();
    if !file.joints.iter().any(moves) {
        return Vec::new();
    }
    let clip = |name, frames: i64| ClipInfo {
        name,
        frames: Some(frames),
        rate: Some(file.animation.fps),
        seconds: None,
    };
    let ranges = file.ranges();
    let ranges: Vec<_> =
        ranges.map(|own| clip(escape(own.name), i64::from(own.last) - i64::from(own.first) + 1)).collect();
    let whole = || vec![clip(String::new(), file.animation.total_frames.into())];
    if ranges.is_empty() { whole() } else { ranges }
}
