//! The clips of the named ranges of an animation.

use super::super::conventions::rate;
use super::super::{Joint, Keyframe, Ms3d};
use super::is_finite;
use crate::FieldPath;
use crate::check::common::field_path;
use crate::scene::{self, Builder, Channel, Clip, Lost, Span, Track, in_order};

/// The number of ranges that each key may be in on average; in real files it is one.
const SHARED: usize = 8;

/// The number of additional keys that the ranges of any file may share.
const SPARE: usize = 1 << 14;

/// Adds the clips of the named ranges of the whole animation; returns whether there are any.
pub(super) fn add(file: &Ms3d, whole: &Clip, bones: &[usize], scene: &mut Builder<'_>) -> bool {
    let rate = rate(file.animation.fps);
    let num_keys: usize =
        file.joints.iter().map(|own| own.rotation_keys.len() + own.position_keys.len()).sum();
    let mut left = num_keys.saturating_mul(SHARED).saturating_add(SPARE);
    let (mut found, mut repeated) = (false, 0);
    let (mut times, mut keys) = (None, None);
    #[expect(clippy::cast_precision_loss, reason = "frames are far fewer than 2^24")]
    for range in file.ranges() {
        found = true;
        if repeated > 0 {
            repeated += 1;
            continue;
        }
        let (start, end) = (range.first as f32 / rate, range.last as f32 / rate);
        let span = Span { start, end, near: 0.01 / rate };
        // Clips without keys are those that have them otherwise.
        let times = times.get_or_insert_with(|| all_times(file));
        let Some(rest) = left.checked_sub(times.iter().map(|own| span.num_keys(own)).sum()) else {
            repeated += 1;
            continue;
        };
        left = rest;
        if scene.is_full() {
            break;
        }
        let tracks: Vec<Track> = whole.tracks.iter().map(|own| span.of_track(own)).collect();
        let name = scene::name(range.name);
        scene.add_clip_lasting(Clip { name, tracks, ..Clip::default() }, end - start);
        let keys = keys.get_or_insert_with(|| all_keys(file, bones, scene));
        trace(keys, span, scene);
    }
    scene.report_losses(repeated, Lost::SharedKeys);
    found
}

/// Returns the times of the keys of each list, in their order.
fn all_times(file: &Ms3d) -> Vec<Vec<f32>> {
    let times_of = |keys: &[Keyframe]| {
        let finite = keys.iter().filter(|key| is_finite(key));
        in_order(finite.map(|key| (key.time, ()))).into_iter().map(|(time, ())| time).collect()
    };
    file.joints.iter().flat_map(lists).map(|(.., keys)| times_of(keys)).collect()
}

/// The keys of a list in the order of their times.
struct Keys {
    bone: usize,
    channel: Channel,
    list: FieldPath,
    times: Vec<f32>,
    records: Vec<usize>,
}

/// Returns the lists of keys in a file; none if the scene does not record where its values come from.
fn all_keys(file: &Ms3d, bones: &[usize], scene: &Builder<'_>) -> Vec<Keys> {
    if scene.settings().without_sources {
        return Vec::new();
    }
    let keys_of = |(index, (joint, bone)): (usize, (&Joint, &usize))| {
        lists(joint).map(|(channel, name, keys)| {
            let finite = keys.iter().enumerate().filter(|(_, key)| is_finite(key));
            let (times, records) =
                in_order(finite.map(|(record, key)| (key.time, record))).into_iter().unzip();
            Keys { bone: *bone, channel, list: field_path!["joints", index, name], times, records }
        })
    };
    file.joints.iter().zip(bones).enumerate().flat_map(keys_of).collect()
}

/// Records the keys that those of the last clip come from, where it has no key before them.
fn trace(keys: &[Keys], span: Span, scene: &mut Builder<'_>) {
    for Keys { bone, channel, list, times, records } in keys {
        let own = span.keys(times);
        if !span.lacks(&times[own.clone()])[0] {
            let records = records[own].iter().copied();
            scene.trace_keys(*bone, *channel, list.clone(), field_path!["value"], records);
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
