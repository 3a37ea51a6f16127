//! Summary of a MilkShape 3D file.

use super::Ms3d;
use crate::codec::{About, Bounds, ClipInfo, SkeletonInfo};
use crate::wire::escape;

pub(super) fn about(file: &Ms3d) -> About {
    About {
        version: Some(file.version.to_string()),
        skeleton: skeleton(file),
        clips: clip(file).into_iter().collect(),
        bounds: Bounds::around(file.vertices.iter().map(|vertex| vertex.position)),
        ..About::default()
    }
}

fn skeleton(file: &Ms3d) -> Option<SkeletonInfo> {
    let roots = file.joints.iter().filter(|joint| joint.parent_name.is_empty());
    let roots = roots.map(|joint| escape(joint.name.text())).collect();
    (!file.joints.is_empty()).then(|| SkeletonInfo { bones: file.joints.len(), roots })
}

/// The animation, if any joint has keys.
fn clip(file: &Ms3d) -> Option<ClipInfo> {
    let moves = |joint: &super::Joint| !joint.rotation_keys.is_empty() || !joint.position_keys.is_empty();
    file.joints.iter().any(moves).then(|| ClipInfo {
        name: String::new(),
        frames: Some(file.animation.total_frames.into()),
        rate: Some(file.animation.fps),
        seconds: None,
    })
}
