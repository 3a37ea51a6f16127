//! Keys between frames.

use glam::{Quat, Vec3};

use super::super::Keyframe;
use super::timeline::MOST;
use super::write::{SHORTEN, offset, turn};
use crate::scene::author::{Author, AuthorError, Curves, Linear};
use crate::scene::{Blend, Curve, Interpolation, Space, Transform};

/// The distance in seconds of keys on both sides of a corner, with which the viewer's curve is straight between corners.
const BESIDE: f32 = 1e-4;

/// The keys of a bone that moves straight from one to the next, with their times in seconds.
pub(super) struct Keys {
    translations: Vec<(f32, Vec3)>,
    rotations: Vec<(f32, Quat)>,
}

impl Keys {
    /// Returns the keys of curves; with a bind pose and an end in seconds from 0 to there, also without a curve.
    pub fn new(
        curves: Curves<'_>,
        linear: &Linear<'_>,
        whole: Option<(&Transform, f32)>,
    ) -> Result<Self, AuthorError> {
        let times = curves.translation.map(|own| linear.vector_times(own, linear.size())).transpose()?;
        let translations =
            keys(curves.translation.zip(times), whole.map(|(bind, end)| (bind.translation, end)));
        let times = curves.rotation.map(|own| linear.rotation_times(own)).transpose()?;
        let rotations = keys(curves.rotation.zip(times), whole.map(|(bind, end)| (bind.rotation, end)));
        Ok(Self {
            translations: cornered(&translations, |time| is_corner(curves.translation, time)),
            rotations,
        })
    }

    /// Returns the keys of positions and rotations in the file, from a time in seconds on.
    pub fn stored(
        self,
        start: f32,
        bind: Transform,
        space: Space,
        author: &Author<'_>,
    ) -> Result<[Vec<Keyframe>; 2], AuthorError> {
        for most in [self.translations.len(), self.rotations.len()] {
            author.limit("keys of a bone", most, MOST, SHORTEN)?;
            author.charge(most * size_of::<Keyframe>(), || "the keys of a bone".into())?;
        }
        let position = |(time, own)| Keyframe { time: start + time, value: offset(own, bind, space) };
        let rotation = |(time, own)| Keyframe { time: start + time, value: turn(own, bind, space) };
        let positions = self.translations.into_iter().map(position).collect();
        Ok([positions, self.rotations.into_iter().map(rotation).collect()].map(ascending))
    }
}

/// Returns keys without those whose times are the same after rounding.
fn ascending(mut keys: Vec<Keyframe>) -> Vec<Keyframe> {
    keys.dedup_by(|own, before| own.time <= before.time);
    keys
}

/// Returns the values of a curve at these times from 0 on.
fn keys<T: Blend>(curve: Option<(&Curve<T>, Vec<f32>)>, whole: Option<(T, f32)>) -> Vec<(f32, T)> {
    let (curve, mut times) = curve.map_or((None, Vec::new()), |(curve, times)| (Some(curve), times));
    if times.first().is_some_and(|time| *time < 0.0) {
        times.push(0.0);
    }
    times.extend(whole.map(|(_, end)| [0.0, end]).into_iter().flatten());
    times.retain(|time| *time >= 0.0);
    times.sort_by(f32::total_cmp);
    times.dedup();
    let rest = whole.map(|(rest, _)| rest);
    let value = |time: f32| Some((time, curve.and_then(|own| own.sample(time)).or(rest)?));
    times.into_iter().filter_map(value).collect()
}

/// Whether the direction of a curve changes at one of the times of its linear keys. Between the keys of a spline it does not.
fn is_corner(curve: Option<&Curve<Vec3>>, time: f32) -> bool {
    let Some(curve) = curve else { return false };
    let Interpolation::CubicSpline(tangents) = curve.between() else { return true };
    let key = curve.times().iter().position(|own| own.to_bits() == time.to_bits());
    key.and_then(|key| tangents.get(key)).is_some_and(|[into, out]| into != out)
}

/// Adds keys beside those at corners, and beside the first and the last one: the tangents of the viewer's curve at a key are those
/// between its neighbours, so they are straight beside a corner.
fn cornered(keys: &[(f32, Vec3)], is_corner: impl Fn(f32) -> bool) -> Vec<(f32, Vec3)> {
    let mut all = Vec::with_capacity(3 * keys.len());
    for (index, &(time, value)) in keys.iter().enumerate() {
        // A neighbour that is too near for keys between the two does not matter.
        let beside = BESIDE.max(time * 4.0 * f32::EPSILON);
        let toward = |other: &(f32, Vec3), at: f32| {
            let length = (other.0 - time).abs();
            (length > 3.0 * beside).then(|| (at, value.lerp(other.1, beside / length)))
        };
        let (before, after) = (index.checked_sub(1).map(|index| &keys[index]), keys.get(index + 1));
        let needs_both = before.is_none() || after.is_none() || is_corner(time);
        all.extend(before.filter(|_| needs_both).and_then(|own| toward(own, time - beside)));
        all.push((time, value));
        all.extend(after.filter(|_| needs_both).and_then(|own| toward(own, time + beside)));
    }
    all
}
