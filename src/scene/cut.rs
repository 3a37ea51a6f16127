//! Parts of clips.

use std::ops::Range;

use super::{Blend, Clip, Curve, Interpolation, MorphTrack, Track};

/// A range of a clip in seconds.
#[derive(Clone, Copy)]
pub(crate) struct Span {
    pub start: f32,
    pub end: f32,
    /// How far a key can be from the time that is meant.
    pub near: f32,
}

impl Span {
    /// The keys of a curve within the range.
    pub fn keys(self, times: &[f32]) -> Range<usize> {
        let first = times.partition_point(|time| *time < self.start - self.near);
        first..times.partition_point(|time| *time <= self.end + self.near).max(first)
    }

    /// Whether a curve has no key where the range starts, and none where it ends.
    pub fn lacks(self, times: &[f32]) -> [bool; 2] {
        let (first, last) = (times.first(), times.last());
        [
            first.is_none_or(|own| *own > self.start + self.near),
            last.is_none_or(|own| *own < self.end - self.near),
        ]
    }

    /// The number of keys of a curve that is cut; those of times that become the same count each.
    pub fn num_keys(self, times: &[f32]) -> usize {
        let own = &times[self.keys(times)];
        let num_added = self.lacks(own).into_iter().filter(|lacks| *lacks && !times.is_empty()).count();
        own.len() + num_added
    }

    /// The keys of a curve within the range, from 0 on, each with its tangents. There are keys where the range starts and ends; what they
    /// cut off a segment has this number of parts.
    fn cut<T: Blend, K>(
        self,
        curve: &Curve<T>,
        parts: u16,
        own: impl Fn(usize) -> K,
        added: impl Fn(f32) -> K,
    ) -> Vec<(f32, T, K)> {
        let keys = self.keys(curve.times());
        let inside = &curve.times()[keys.clone()];
        let [lacks_start, lacks_end] = self.lacks(inside);
        let between = |start: f32, end: f32| {
            let share = move |part: u16| f32::from(part) / f32::from(parts);
            (0..parts).map(move |part| start + (end - start) * share(part))
        };
        let before = lacks_start.then(|| between(self.start, inside.first().copied().unwrap_or(self.end)));
        let after = lacks_end.then(|| inside.last().map(|last| between(*last, self.end).skip(1)));
        let after = after.flatten().into_iter().flatten().chain(lacks_end.then_some(self.end));
        let sampled = |time: f32| Some((time - self.start, curve.sample(time)?, added(time)));
        let at = |index: usize| {
            let time = (curve.times()[index] - self.start).max(0.0);
            (time, curve.values()[index], own(index))
        };
        let before = before.into_iter().flatten().filter_map(&sampled);
        before.chain(keys.map(at)).chain(after.filter_map(&sampled)).collect()
    }

    fn of<T: Blend>(self, curve: &Curve<T>) -> Curve<T> {
        let Interpolation::CubicSpline(tangents) = curve.between() else {
            let keys = self.cut(curve, 1, |_| (), |_| ());
            return Curve::new(
                keys.into_iter().map(|(time, value, ())| (time, value)),
                curve.between().clone(),
            );
        };
        let slope = |time: f32| curve.slope(time).map_or(tangents[0], |slope| [slope; 2]);
        let inside = self.keys(curve.times());
        let [lacks_start, lacks_end] = self.lacks(&curve.times()[inside.clone()]);
        // Added keys have the slope of unit rotations, and so has the other end of what is cut off.
        let of_unit = |index: usize, tangent: T| {
            let value = curve.values()[index];
            T::slope([(value, 1.0), (tangent, 0.0), (value, 0.0), (value, 0.0)], [0.0, 1.0, 0.0, 0.0])
        };
        let own = |index: usize| {
            let [arriving, leaving] = tangents[index];
            let is_cut = [lacks_start && index == inside.start, lacks_end && index + 1 == inside.end];
            [
                if is_cut[0] { of_unit(index, arriving) } else { arriving },
                if is_cut[1] { of_unit(index, leaving) } else { leaving },
            ]
        };
        let keys = self.cut(curve, T::PARTS, own, slope);
        let tangents = keys.iter().map(|(.., tangents)| *tangents).collect();
        let keys = keys.into_iter().map(|(time, value, _)| (time, value));
        Curve::new(keys, Interpolation::CubicSpline(tangents))
    }

    pub fn of_track(self, track: &Track) -> Track {
        Track {
            bone: track.bone,
            translation: track.translation.as_ref().map(|own| self.of(own)),
            rotation: track.rotation.as_ref().map(|own| self.of(own)),
            scale: track.scale.as_ref().map(|own| self.of(own)),
        }
    }
}

impl Clip {
    /// Returns the part of a clip between two times in seconds, as a clip of its own that starts at 0.
    ///
    /// ```
    /// use bindpose::scene::{Clip, Curve, Interpolation, Track};
    /// use glam::Vec3;
    /// let keys = [(0.0, Vec3::ZERO), (4.0, Vec3::X * 4.0)];
    /// let translation = Some(Curve::new(keys, Interpolation::Linear));
    /// let all = Clip { tracks: vec![Track { translation, ..Track::default() }], ..Clip::default() };
    /// let part = all.part("walk", 1.0, 3.0);
    /// assert_eq!(part.span(), Some((0.0, 2.0)));
    /// let moved = part.tracks[0].translation.as_ref().and_then(|own| own.sample(0.5));
    /// assert_eq!(moved, Some(Vec3::X * 1.5));
    /// ```
    #[must_use]
    pub fn part(&self, name: &str, start: f32, end: f32) -> Self {
        let span = Span { start, end, near: 1e-4 };
        let morph = |own: &MorphTrack| MorphTrack { weight: span.of(&own.weight), ..own.clone() };
        let part = Self {
            name: name.to_owned(),
            tracks: self.tracks.iter().map(|own| span.of_track(own)).collect(),
            morphs: self.morphs.iter().map(morph).collect(),
            has_root_motion: self.has_root_motion,
        };
        part.held_until(end - start)
    }
}
