//! Files that were written literally from a description in which the joints follow the materials.

use std::io::Cursor;

use binrw::BinWrite;

use super::rules::NO_ANIMATION;
use super::{Animation, Ms3d};
use crate::FieldPath;
use crate::check::{Findings, Repair};
use crate::codec::{Format, damage};
use crate::schema::{Schema, offset_of};

/// What such a file lacks.
const MESSAGE: &str = "has the joints directly after the materials";

/// Returns the repair of a damaged file that is valid with the settings of a new animation.
fn repair(bytes: &[u8]) -> Option<Repair> {
    // What precedes the animation is read as in a valid file.
    let at = offset_of(&Ms3d::decode(bytes).ok()?, "animation");
    let with = |animation: &Animation| {
        let mut settings = Cursor::new(Vec::new());
        animation.write_le(&mut settings).ok()?;
        Some(Repair::new(&NO_ANIMATION, at..at, settings.into_inner(), MESSAGE.into()))
    };
    let mut animation = Animation::blank(None);
    let file = Ms3d::decode(&with(&animation)?.apply(bytes)).ok().filter(|file| damage(file).is_none())?;
    let keys = file.joints.iter().flat_map(|joint| joint.rotation_keys.iter().chain(&*joint.position_keys));
    let last = keys.map(|key| key.time).filter(|time| time.is_finite()).fold(0.0, f32::max);
    #[expect(clippy::cast_possible_truncation, reason = "a number of frames")]
    let frames = (last * animation.fps).ceil() as i32;
    animation.total_frames = frames.max(animation.total_frames);
    with(&animation)
}

/// Reports that the settings of the animation are missing in a damaged file.
pub(super) fn suspect(bytes: &[u8], findings: &mut Findings) {
    if let Some(Repair { rule, range, message, .. }) = repair(bytes) {
        findings.add_at(rule, range, FieldPath::root, || message);
    }
}

/// Returns the repair of a damaged file that lacks the settings of the animation.
pub(super) fn repairs(bytes: &[u8]) -> Vec<Repair> {
    repair(bytes).into_iter().collect()
}
