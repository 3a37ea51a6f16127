//! The clips of the named ranges of an animation.

use std::ops::Range;

use glam::Vec3;

use super::super::{Joint, Keyframe, Ms3d};
use super::{clip, is_finite};
use crate::check::common::field_path;
use crate::scene::{self, Blend, Builder, Channel, Clip, Curve, Interpolation, Space, Track, in_order};

/// The number of ranges that each key may be in on average; in real files it is one.
const SHARED: usize = 8;

/// The number of additional keys that the ranges of any file may share.
const SPARE: usize = 1 << 14;

/// A range of an animation in seconds.
#[derive(Clone, Copy)]
struct Span {
    start: f32,
    end: f32,
    /// How far a key can be from a frame.
    near: f32,
}

impl Span {
    /// The keys of a curve within the range.
    fn keys(self, times: &[f32]) -> Range<usize> {
        let first = times.partition_point(|time| *time < self.start - self.near);
        first..times.partition_point(|time| *time <= self.end + self.near).max(first)
    }

    /// Whether a curve has no key where the range starts, and none where it ends.
    fn lacks(self, times: &[f32]) -> [bool; 2] {
        let (first, last) = (times.first(), times.last());
        [
            first.is_none_or(|own| *own > self.start + self.near),
            last.is_none_or(|own| *own < self.end - self.near),
        ]
    }

    /// The part of a curve within the range, from 0 on. It has keys where the range starts and ends; `key` is their tangents.
    fn cut<T: Blend, K>(
        self,
        curve: &Curve<T>,
        own: impl Fn(usize) -> K,
        added: impl Fn(f32) -> K,
    ) -> Vec<(f32, T, K)> {
        let keys = self.keys(curve.times());
        let [start, end] = self.lacks(&curve.times()[keys.clone()]);
        let sampled = |time: f32| Some((time - self.start, curve.sample(time)?, added(time)));
        let before = start.then(|| sampled(self.start)).flatten();
        let after = end.then(|| sampled(self.end)).flatten();
        let at = |index: usize| {
            let time = (curve.times()[index] - self.start).max(0.0);
            (time, curve.values()[index], own(index))
        };
        before.into_iter().chain(keys.map(at)).chain(after).collect()
    }

    fn straight<T: Blend>(self, curve: &Curve<T>) -> Curve<T> {
        let keys = self.cut(curve, |_| (), |_| ());
        Curve::new(keys.into_iter().map(|(time, value, ())| (time, value)), Interpolation::Linear)
    }

    fn spline(self, curve: &Curve<Vec3>) -> Curve<Vec3> {
        let Interpolation::CubicSpline(tangents) = curve.between() else { return self.straight(curve) };
        let slope = |time: f32| {
            let [before, after] = [time - self.near, time + self.near].map(|time| curve.sample(time));
            let along = (after.unwrap_or_default() - before.unwrap_or_default()) / (2.0 * self.near);
            [along; 2]
        };
        let keys = self.cut(curve, |index| tangents[index], slope);
        let tangents = keys.iter().map(|(.., tangents)| *tangents).collect();
        let keys = keys.into_iter().map(|(time, value, _)| (time, value));
        Curve::new(keys, Interpolation::CubicSpline(tangents))
    }
}

/// Adds the clips of the named ranges; returns whether there are any.
pub(super) fn add(file: &Ms3d, space: Space, bones: &[usize], scene: &mut Builder<'_>) -> bool {
    let whole = clip(file, space, bones, "");
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
        let tracks: Vec<Track> = whole.tracks.iter().map(|own| cut(own, span)).collect();
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

fn cut(track: &Track, span: Span) -> Track {
    Track {
        bone: track.bone,
        translation: track.translation.as_ref().map(|own| span.spline(own)),
        rotation: track.rotation.as_ref().map(|own| span.straight(own)),
        scale: None,
    }
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
