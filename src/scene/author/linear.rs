//! Clips as linear keys at any times.

use std::cell::OnceCell;

use glam::{Quat, Vec3};

use super::super::{Blend, Clip, Curve, Interpolation, Skeleton};
use super::{Author, AuthorError};

/// How far points may be from where the curves of a clip move them: metres for each metre of the size of the scene. Of weights of
/// morph targets, the deviation itself.
const NEAR: f32 = 1e-4;

/// The time in seconds in which linear keys change between the values of a step.
const STEP: f32 = 1e-4;

/// How often the time between two keys is halved at most.
const HALVINGS: u32 = 10;

/// The times of linear keys that follow the curves of a clip.
pub(crate) struct Linear<'a> {
    author: &'a Author<'a>,
    clip: &'a Clip,
    skeleton: &'a Skeleton,
    near: OnceCell<f32>,
}

impl<'a> Author<'a> {
    /// Returns the times of linear keys for the curves of a clip.
    pub(crate) fn linear(&'a self, clip: &'a Clip, skeleton: &'a Skeleton) -> Linear<'a> {
        Linear { author: self, clip, skeleton, near: OnceCell::new() }
    }
}

impl Linear<'_> {
    /// Returns the size of the scene, for [`vector_times`](Self::vector_times).
    pub fn size(&self) -> f32 {
        self.author.size()
    }

    fn near(&self) -> f32 {
        *self.near.get_or_init(|| NEAR / share(self.clip, self.skeleton))
    }

    /// Returns the times for translations, of which 1 is `size`, or for scales, with 1.
    ///
    /// # Errors
    /// If there are more than the budget permits.
    pub fn vector_times(&self, curve: &Curve<Vec3>, size: f32) -> Result<Vec<f32>, AuthorError> {
        self.times(curve, self.near() * size)
    }

    /// Returns the times for rotations, with some between keys with half a turn between them, which has two shortest arcs.
    ///
    /// # Errors
    /// As [`vector_times`](Self::vector_times).
    pub fn rotation_times(&self, curve: &Curve<Quat>) -> Result<Vec<f32>, AuthorError> {
        let mut times = self.times(curve, self.near())?;
        if *curve.between() != Interpolation::Step {
            times.extend(wide(curve));
            times.sort_by(f32::total_cmp);
            times.dedup();
        }
        Ok(times)
    }

    /// Returns the times for weights of morph targets.
    ///
    /// # Errors
    /// As [`vector_times`](Self::vector_times).
    pub fn weight_times(&self, curve: &Curve<f32>) -> Result<Vec<f32>, AuthorError> {
        self.times(curve, NEAR)
    }

    /// Returns the times of the keys of a curve, those just before steps, and between the keys of cubic splines as many as needed
    /// so that the values are within `near`, in ascending order.
    fn times<T: Blend>(&self, curve: &Curve<T>, near: f32) -> Result<Vec<f32>, AuthorError> {
        let mut times = curve.times().to_vec();
        let pairs = || curve.times().windows(2).map(|pair| (pair[0], pair[1]));
        match curve.between() {
            Interpolation::Linear => {}
            Interpolation::Step => {
                let changes = pairs().filter(|(from, to)| curve.sample(*from) != curve.sample(*to));
                times.extend(changes.map(|(from, to)| before(from, to)));
            }
            Interpolation::CubicSpline(_) => {
                for (from, to) in pairs() {
                    let start = times.len();
                    halve(curve, (from, to), near, HALVINGS, &mut times);
                    let memory = size_of_val(&times[start..]);
                    self.author.charge(memory, || format!("clip {:?}", self.clip.name))?;
                }
            }
        }
        times.sort_by(f32::total_cmp);
        times.dedup();
        Ok(times)
    }
}

/// Returns the time of the key just before another one that is a step.
pub(crate) fn before(from: f32, to: f32) -> f32 {
    (to - STEP).max(f32::midpoint(from, to)).min(to.next_down())
}

/// Adds times within a span until linear interpolation is near the curve.
fn halve<T: Blend>(curve: &Curve<T>, (from, to): (f32, f32), near: f32, left: u32, times: &mut Vec<f32>) {
    let Some((a, b)) = curve.sample(from).zip(curve.sample(to)) else { return };
    let off = |part: f32| {
        let exact = curve.sample(from + (to - from) * part);
        exact.map_or(0.0, |exact| a.blend(b, part).distance(exact))
    };
    let middle = f32::midpoint(from, to);
    // A curve can cross the line between its ends in the middle.
    if left == 0
        || middle <= from
        || middle >= to
        || [0.25, 0.5, 0.75].into_iter().all(|part| off(part) <= near)
    {
        return;
    }
    halve(curve, (from, middle), near, left - 1, times);
    times.push(middle);
    halve(curve, (middle, to), near, left - 1, times);
}

/// Returns the number of cubic splines in the chain of bones with most of them, as their deviations add up, times 2: a point can be
/// further from its bone than the size, which is that of one axis.
fn share(clip: &Clip, skeleton: &Skeleton) -> f32 {
    let mut curves = vec![0_u16; skeleton.bones().len()];
    for own in &clip.tracks {
        let translates = own.translation.as_ref().is_some_and(Curve::is_cubic);
        let rotates = own.rotation.as_ref().is_some_and(Curve::is_cubic);
        if let Some(num) = curves.get_mut(own.bone) {
            *num = u16::from(translates) + u16::from(rotates);
        }
    }
    let chains =
        skeleton.inherit(0, |bone, above: Option<u16>| above.unwrap_or(0).saturating_add(curves[bone]));
    2.0 * f32::from(chains.into_iter().max().unwrap_or(0).max(1))
}

fn wide(curve: &Curve<Quat>) -> impl Iterator<Item = f32> {
    let pairs = curve.values().windows(2).zip(curve.times().windows(2));
    let wide = pairs.filter(|(values, _)| values[0].dot(values[1]).abs() < 0.01);
    wide.flat_map(|(_, times)| [0.25, 0.5, 0.75].map(|part| times[0] + (times[1] - times[0]) * part))
}
