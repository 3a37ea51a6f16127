//! Keys between frames.

use glam::Vec3;

use super::super::Keyframe;
use super::timeline::MOST;
use super::write::{offset, turn};
use crate::scene::author::{Author, AuthorError, Curves, Linear};
use crate::scene::{Blend, Curve, Interpolation, Space, Transform};

/// The distance in seconds of keys on both sides of a corner, with which the viewer's curve is straight between corners.
const BESIDE: f32 = 1e-4;

/// Where the keys of a clip are in a file.
#[derive(Clone, Copy)]
pub(super) struct Place {
    /// The time in seconds at which it starts.
    pub start: f32,
    /// The time in seconds after that at which bones have their last key, also those that it does not move; none for a single clip.
    pub end: Option<f32>,
}

/// Returns the keys of positions and those of rotations of a bone; none if there are more than a joint holds.
///
/// # Errors
/// If there are more than the budget permits.
pub(super) fn keyframes(
    curves: Curves<'_>,
    (linear, author): (&Linear<'_>, &Author<'_>),
    place: Place,
    bind: Transform,
    space: Space,
) -> Result<Option<[Vec<Keyframe>; 2]>, AuthorError> {
    let times = curves.translation.map(|own| linear.vector_times(own, linear.size())).transpose()?;
    let positions = keys(curves.translation.zip(times), bind.translation, place);
    let times = curves.rotation.map(|own| linear.rotation_times(own)).transpose()?;
    let rotations = keys(curves.rotation.zip(times), bind.rotation, place);
    if positions.len().max(rotations.len()) > MOST {
        return Ok(None);
    }
    let positions = cornered(&positions, |time| is_corner(curves.translation, time), place.start);
    author.charge((positions.len() + rotations.len()) * size_of::<Keyframe>(), || "keys".into())?;
    let position = |(time, own)| Keyframe { time: place.start + time, value: offset(own, bind, space) };
    let rotation = |(time, own)| Keyframe { time: place.start + time, value: turn(own, bind, space) };
    let positions: Vec<_> = positions.into_iter().map(position).collect();
    let rotations = rotations.into_iter().map(rotation).collect();
    Ok((positions.len() <= MOST).then(|| [positions, rotations].map(ascending)))
}

/// Returns keys whose times are in ascending order also after rounding.
fn ascending(mut keys: Vec<Keyframe>) -> Vec<Keyframe> {
    for index in (1..keys.len()).rev() {
        let next = keys[index].time;
        if keys[index - 1].time >= next {
            keys[index - 1].time = next.next_down();
        }
    }
    keys
}

/// Returns the values of a curve at these times from 0 on, or those at rest.
fn keys<T: Blend>(curve: Option<(&Curve<T>, Vec<f32>)>, rest: T, place: Place) -> Vec<(f32, T)> {
    let (curve, mut times) = curve.map_or((None, Vec::new()), |(curve, times)| (Some(curve), times));
    if times.first().is_some_and(|time| *time < 0.0) {
        times.push(0.0);
    }
    times.extend(place.end.map(|end| [0.0, end]).into_iter().flatten());
    times.retain(|time| *time >= 0.0);
    times.sort_by(f32::total_cmp);
    times.dedup();
    let value = |time: f32| curve.and_then(|own| own.sample(time)).unwrap_or(rest);
    times.into_iter().map(|time| (time, value(time))).collect()
}

/// Whether the direction of a curve changes at one of the times of its linear keys. Between the keys of a spline it does not.
fn is_corner(curve: Option<&Curve<Vec3>>, time: f32) -> bool {
    let Some(curve) = curve else { return false };
    let Interpolation::CubicSpline(tangents) = curve.between() else { return true };
    let Ok(key) = curve.times().binary_search_by(|own| own.total_cmp(&time)) else { return false };
    // Before the first and after the last key it rests.
    key == 0 || key + 1 == tangents.len() || tangents.get(key).is_some_and(|[into, out]| into != out)
}

/// Adds keys beside those at corners, and beside the first and the last one: the tangents of the viewer's curve at a key are those
/// between its neighbours, so they are straight beside a corner. Times are from the start of the clip in the file.
fn cornered(keys: &[(f32, Vec3)], is_corner: impl Fn(f32) -> bool, start: f32) -> Vec<(f32, Vec3)> {
    let mut all = Vec::with_capacity(3 * keys.len());
    for (index, &(time, value)) in keys.iter().enumerate() {
        // A neighbour that is too near for keys between the two does not matter.
        let beside = BESIDE.max((start + time) * 4.0 * f32::EPSILON);
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
