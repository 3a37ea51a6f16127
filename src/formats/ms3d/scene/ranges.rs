//! The clips of the named ranges of an animation.

use super::super::{Joint, Keyframe, Ms3d};
use super::{clip, is_finite};
use crate::check::common::field_path;
use crate::scene::{self, Builder, Channel, Clip, Space, Span, Track, in_order};

/// The number of ranges that each key may be in on average; in real files it is one.
const SHARED: usize = 8;

/// The number of additional keys that the ranges of any file may share.
const SPARE: usize = 1 << 14;

/// Adds the clips of the named ranges; returns whether there are any.
pub(super) fn add(file: &Ms3d, space: Space, bones: &[usize], scene: &mut Builder<'_>) -> bool {
    let whole = clip(file, space, bones, scene);
    let rate = file.animation.fps.max(1.0);
    let num_keys: usize =
        file.joints.iter().map(|own| own.rotation_keys.len() + own.position_keys.len()).sum();
    let mut left = num_keys.saturating_mul(SHARED).saturating_add(SPARE);
    let (mut found, mut repeated) = (false, 0);
    #[expect(clippy::cast_precision_loss, reason = "frames are far fewer than 2^24")]
    for range in file.ranges() {
        found = true;
        if repeated > 0 {
            repeated += 1;
            continue;
        }
        let (start, end) = (range.first as f32 / rate, range.last as f32 / rate);
        let span = Span { start, end, near: 0.01 / rate };
        let tracks: Vec<Track> = whole.tracks.iter().map(|own| span.of_track(own)).collect();
        let size = |own: &Track| {
            let keys = own.rotation.as_ref().map_or(0, |own| own.times().len());
            keys + own.translation.as_ref().map_or(0, |own| own.times().len())
        };
        let Some(rest) = left.checked_sub(tracks.iter().map(size).sum()) else {
            repeated += 1;
            continue;
        };
        left = rest;
        if scene.is_full() {
            break;
        }
        let name = scene::name(range.name);
        scene.add_clip_lasting(Clip { name, tracks, ..Clip::default() }, end - start);
        trace(file, bones, span, scene);
    }
    scene.lose_some(repeated, "ranges of frames", "their keys are shared too often");
    found
}

/// Records the keys that those of the last clip come from, where it has no key before them.
fn trace(file: &Ms3d, bones: &[usize], span: Span, scene: &mut Builder<'_>) {
    for (index, (joint, &bone)) in file.joints.iter().zip(bones).enumerate() {
        for (channel, name, keys) in lists(joint) {
            let finite = keys.iter().enumerate().filter(|(_, key)| is_finite(key));
            let keys = in_order(finite.map(|(record, key)| (key.time, record)));
            let times: Vec<_> = keys.iter().map(|(time, _)| *time).collect();
            let own = span.keys(&times);
            if !span.lacks(&times[own.clone()])[0] {
                let list = field_path!["joints", index, name];
                let records = keys[own].iter().map(|(_, record)| *record);
                scene.trace_keys(bone, channel, list, field_path!["value"], records);
            }
        }
    }
}

/// The lists of keys of a joint.
pub(super) fn lists(joint: &Joint) -> [(Channel, &'static str, &[Keyframe]); 2] {
    [
        (Channel::Translation, "position_keys", &joint.position_keys),
        (Channel::Rotation, "rotation_keys", &joint.rotation_keys),
    ]
}
