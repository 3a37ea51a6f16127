//! Animation clips, their tracks and curves.

use glam::{Quat, Vec3};

use super::{Pose, Skeleton};

/// Keys and their interpolation. The value is constant before the first key and after the last one.
///
/// ```
/// use bindpose::scene::{Interpolation, Curve};
/// let curve = Curve::new([(0.0, 1.0), (2.0, 3.0)], Interpolation::Linear);
/// assert_eq!(curve.sample(0.5), Some(1.5));
/// assert_eq!(curve.sample(9.0), Some(3.0));
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Curve<T> {
    times: Vec<f32>,
    values: Vec<T>,
    between: Interpolation<T>,
}

/// The interpolation between keys, as in glTF.
#[derive(Clone, Debug, Default, PartialEq)]
pub enum Interpolation<T> {
    /// The value of the previous key.
    Step,
    /// Linear interpolation; for rotations, spherical along the shortest arc.
    #[default]
    Linear,
    /// A cubic Hermite spline with the in and out tangents of each key, per second.
    CubicSpline(Vec<[T; 2]>),
}

/// A type of values that can be interpolated. Only this crate implements it.
pub trait Blend: Copy + PartialEq + crate::sealed::Sealed {
    /// Interpolates linearly to another value.
    #[must_use]
    fn blend(self, other: Self, share: f32) -> Self;
    /// Returns the sum of four values, each with a factor.
    #[must_use]
    fn sum(parts: [(Self, f32); 4]) -> Self;
    /// Returns the change of a [`sum`](Self::sum) per second, from that of its factors; of rotations that of the components.
    #[must_use]
    fn slope(parts: [(Self, f32); 4], changes: [f32; 4]) -> Self;
    /// The parts into which a piece of a cubic segment is divided, because sums of rotations are not of unit length.
    const PARTS: u16 = 1;
    /// Returns the distance to another value; of rotations the angle in radians.
    #[must_use]
    fn distance(self, other: Self) -> f32;
}

impl Blend for Vec3 {
    fn blend(self, other: Self, share: f32) -> Self {
        self.lerp(other, share)
    }
    fn sum(parts: [(Self, f32); 4]) -> Self {
        parts.into_iter().map(|(value, factor)| value * factor).sum()
    }
    fn slope(parts: [(Self, f32); 4], changes: [f32; 4]) -> Self {
        parts.into_iter().zip(changes).map(|((value, _), change)| value * change).sum()
    }
    fn distance(self, other: Self) -> f32 {
        Self::distance(self, other)
    }
}

impl Blend for f32 {
    fn blend(self, other: Self, share: f32) -> Self {
        self + (other - self) * share
    }
    fn sum(parts: [(Self, f32); 4]) -> Self {
        parts.into_iter().map(|(value, factor)| value * factor).sum()
    }
    fn slope(parts: [(Self, f32); 4], changes: [f32; 4]) -> Self {
        parts.into_iter().zip(changes).map(|((value, _), change)| value * change).sum()
    }
    fn distance(self, other: Self) -> f32 {
        (self - other).abs()
    }
}

impl Blend for Quat {
    fn blend(self, other: Self, share: f32) -> Self {
        self.slerp(other, share)
    }
    fn sum(parts: [(Self, f32); 4]) -> Self {
        super::unit(total(parts))
    }
    fn slope(parts: [(Self, f32); 4], changes: [f32; 4]) -> Self {
        let (sum, unit) = (total(parts), Self::sum(parts));
        let mut change = total(std::array::from_fn(|own| (parts[own].0, changes[own])));
        change = change + unit * -unit.dot(change);
        if sum.length() > 0.0 { change / sum.length() } else { change * 0.0 }
    }
    const PARTS: u16 = 8;
    fn distance(self, other: Self) -> f32 {
        // More precise than the arc cosine for small angles.
        let near = if self.dot(other) < 0.0 { -other } else { other };
        4.0 * ((self - near).length() / 2.0).clamp(0.0, 1.0).asin()
    }
}

/// The sum of rotations, which is not of unit length.
fn total(parts: [(Quat, f32); 4]) -> Quat {
    let [first, others @ ..] = parts.map(|(value, factor)| value * factor);
    others.into_iter().fold(first, |sum, own| sum + own)
}

impl<T: Blend> Curve<T> {
    /// Creates a curve from keys in any order, with tangents for cubic splines. Of several keys at one time the last is
    /// used; keys at infinite or NaN times are ignored.
    #[must_use]
    pub fn new(keys: impl IntoIterator<Item = (f32, T)>, between: Interpolation<T>) -> Self {
        Self::of_all(keys.into_iter().collect(), between)
    }

    fn of_all(keys: Vec<(f32, T)>, between: Interpolation<T>) -> Self {
        let (keys, between) = match between {
            Interpolation::CubicSpline(tangents) if tangents.len() == keys.len() => {
                let keys = keys.into_iter().zip(tangents).map(|((time, value), own)| (time, (value, own)));
                let (keys, tangents) = in_order(keys)
                    .into_iter()
                    .map(|(time, (value, tangents))| ((time, value), tangents))
                    .unzip();
                (keys, Interpolation::CubicSpline(tangents))
            }
            Interpolation::CubicSpline(_) => (in_order(keys), Interpolation::Linear),
            between => (in_order(keys), between),
        };
        let (times, values) = keys.into_iter().unzip();
        Self { times, values, between }
    }

    /// Creates a curve from keys in any order; none if no key has a finite time.
    #[must_use]
    pub fn straight(keys: impl IntoIterator<Item = (f32, T)>) -> Option<Self> {
        let curve = Self::new(keys, Interpolation::Linear);
        (!curve.times.is_empty()).then_some(curve)
    }

    /// Creates a linear curve from values at a frame rate; none if there are no values. A constant curve has one key at
    /// the start and one at the end.
    #[must_use]
    pub fn at_rate(mut values: Vec<T>, rate: f32) -> Option<Self> {
        let last = values.len().checked_sub(1)?;
        #[expect(clippy::cast_precision_loss, reason = "frames of a file are far fewer than 2^24")]
        let time = |frame: usize| frame as f32 / rate;
        let times = if last > 1 && values.iter().all(|value| *value == values[0]) {
            values = vec![values[0], values[last]];
            vec![time(0), time(last)]
        } else {
            (0..=last).map(time).collect()
        };
        let between = Interpolation::Linear;
        if is_ascending(&times) {
            return Some(Self { times, values, between });
        }
        Some(Self::new(times.into_iter().zip(values), between))
    }

    /// Returns the curve with other values; tangents are the same.
    pub(crate) fn map(mut self, value: impl Fn(T) -> T) -> Self {
        self.values.iter_mut().for_each(|own| *own = value(*own));
        self
    }

    /// Returns the curve with its last value held until a time by another key, unless it already has a key there or
    /// later.
    #[must_use]
    pub fn held_until(mut self, seconds: f32) -> Self {
        let (Some(&last), Some(&value)) = (self.times.last(), self.values.last()) else { return self };
        if seconds > last && seconds.is_finite() {
            self.times.push(seconds);
            self.values.push(value);
            if let Interpolation::CubicSpline(tangents) = &mut self.between {
                let still = T::sum([(value, 0.0); 4]);
                if let Some([_, leaving]) = tangents.last_mut() {
                    *leaving = still;
                }
                tangents.push([still; 2]);
            }
        }
        self
    }

    /// Returns the times of the keys in seconds, in ascending order.
    #[must_use]
    pub fn times(&self) -> &[f32] {
        &self.times
    }

    /// Returns the values of the keys.
    #[must_use]
    pub fn values(&self) -> &[T] {
        &self.values
    }

    /// Returns the interpolation.
    #[must_use]
    pub const fn between(&self) -> &Interpolation<T> {
        &self.between
    }

    pub(crate) const fn is_cubic(&self) -> bool {
        matches!(self.between, Interpolation::CubicSpline(_))
    }

    /// Returns the value at a time; `None` if there are no keys.
    #[must_use]
    pub fn sample(&self, seconds: f32) -> Option<T> {
        self.after(self.times.partition_point(|time| *time <= seconds), seconds)
    }

    /// Returns the values at ascending times: faster than [`sample`](Self::sample) for each. `None` if there are no keys.
    #[must_use]
    pub fn sample_all(&self, ascending: impl IntoIterator<Item = f32>) -> Option<Vec<T>> {
        let mut next = 0;
        ascending.into_iter().map(|seconds| self.sample_after(&mut next, seconds)).collect()
    }

    /// Returns the value at a time. `next` is that of an earlier time, or 0; it becomes the index of the key after this time.
    pub(crate) fn sample_after(&self, next: &mut usize, seconds: f32) -> Option<T> {
        *next += self.times[*next..].iter().take_while(|time| **time <= seconds).count();
        self.after(*next, seconds)
    }

    /// Returns the value at a time that is before the key `next`, and not before the one ahead of it.
    fn after(&self, next: usize, seconds: f32) -> Option<T> {
        let (Some(&after), Some(before)) = (self.times.get(next), next.checked_sub(1)) else {
            return self.values.get(next.min(self.values.len().checked_sub(1)?)).copied();
        };
        let start = self.times[before];
        let (from, to) = (self.values[before], self.values[next]);
        #[expect(clippy::float_cmp, reason = "at the time of a key, the value is that of the key")]
        let is_exact = start == seconds;
        if is_exact {
            return Some(from);
        }
        let length = after - start;
        let share = (seconds - start) / length;
        Some(match &self.between {
            Interpolation::Step => from,
            // A value that is held stays exact.
            Interpolation::Linear if from == to => from,
            Interpolation::Linear => from.blend(to, share),
            Interpolation::CubicSpline(tangents) => {
                T::sum(hermite(share, length, [from, tangents[before][1], to, tangents[next][0]]))
            }
        })
    }

    /// Returns the change of a cubic spline per second at a time; that of a curve without tangents is zero.
    pub(super) fn slope(&self, seconds: f32) -> Option<T> {
        let next = self.times.partition_point(|time| *time <= seconds);
        let first = *self.values.first()?;
        let (Interpolation::CubicSpline(tangents), Some(end), Some(before)) =
            (&self.between, self.times.get(next), next.checked_sub(1))
        else {
            return Some(T::slope([(first, 1.0); 4], [0.0; 4]));
        };
        let length = end - self.times[before];
        let share = (seconds - self.times[before]) / length;
        let values = [self.values[before], tangents[before][1], self.values[next], tangents[next][0]];
        Some(T::slope(hermite(share, length, values), hermite_changes(share, length)))
    }
}

/// Whether times are finite, in order and without duplicates.
fn is_ascending(times: &[f32]) -> bool {
    times.is_sorted_by(|a, b| a < b)
        && times.first().zip(times.last()).is_none_or(|(a, b)| a.is_finite() && b.is_finite())
}

/// Returns the valid keys, sorted by time. Of several keys at one time the last is used.
pub(crate) fn in_order<T: Copy>(keys: impl IntoIterator<Item = (f32, T)>) -> Vec<(f32, T)> {
    let keys: Vec<(f32, T)> = keys.into_iter().collect();
    let times: Vec<f32> = keys.iter().map(|(time, _)| *time).collect();
    if is_ascending(&times) { keys } else { order(&times).into_iter().map(|key| keys[key]).collect() }
}

/// Returns the indices of the finite times in their order, of equal ones the last; the two zeros are equal.
fn order(times: &[f32]) -> Vec<usize> {
    let mut order: Vec<usize> = (0..times.len()).filter(|&key| times[key].is_finite()).collect();
    order.sort_by(|&a, &b| times[a].total_cmp(&times[b]));
    // Only the first of equal ones is kept.
    order.reverse();
    order.dedup_by_key(|key| times[*key] + 0.0);
    order.reverse();
    order
}

/// Evaluates the spline: value, out tangent, next value and in tangent, each with its factor.
fn hermite<T>(share: f32, length: f32, [from, leaving, to, arriving]: [T; 4]) -> [(T, f32); 4] {
    let (two, three) = (share * share, share * share * share);
    [
        (from, 2.0 * three - 3.0 * two + 1.0),
        (leaving, (three - 2.0 * two + share) * length),
        (to, 3.0 * two - 2.0 * three),
        (arriving, (three - two) * length),
    ]
}

/// The changes of the factors of [`hermite`] per second.
fn hermite_changes(share: f32, length: f32) -> [f32; 4] {
    let two = share * share;
    let rise = 6.0 * (share - two) / length;
    [-rise, 3.0 * two - 4.0 * share + 1.0, rise, 3.0 * two - 2.0 * share]
}

/// The animation of one bone. A channel without a curve keeps the value of the bind pose.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Track {
    /// The index of the bone.
    pub bone: usize,
    /// The translation relative to the parent, in metres.
    pub translation: Option<Curve<Vec3>>,
    /// The rotation relative to the parent.
    pub rotation: Option<Curve<Quat>>,
    /// The scale.
    pub scale: Option<Curve<Vec3>>,
}

/// The weight of morph targets over time.
#[derive(Clone, Debug, PartialEq)]
pub struct MorphTrack {
    /// The targets.
    pub targets: Targets,
    /// The weight.
    pub weight: Curve<f32>,
}

/// Morph targets with the same weight.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Targets {
    /// All targets of this name, in any mesh.
    Named(String),
    /// Single targets, each by the index of its mesh and its index there.
    These(Vec<(usize, usize)>),
}

/// An animation.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Clip {
    /// The name.
    pub name: String,
    /// The tracks of bones.
    pub tracks: Vec<Track>,
    /// The tracks of morph targets.
    pub morphs: Vec<MorphTrack>,
    /// Whether the movement of the root is that of the character through the world, so that engines move the character instead.
    pub has_root_motion: bool,
}

impl Clip {
    /// Returns the pose at a time in seconds; bones without a track are in the bind pose.
    #[must_use]
    pub fn sample(&self, skeleton: &Skeleton, seconds: f32) -> Pose {
        let mut pose = skeleton.bind_pose();
        self.sample_onto(&mut pose, seconds);
        pose
    }

    /// Replaces what has a curve in a pose.
    pub(super) fn sample_onto(&self, pose: &mut Pose, seconds: f32) {
        for track in &self.tracks {
            let Some(bone) = pose.get_mut(track.bone) else { continue };
            let at = |curve: &Option<Curve<Vec3>>| curve.as_ref().and_then(|curve| curve.sample(seconds));
            bone.translation = at(&track.translation).unwrap_or(bone.translation);
            bone.scale = at(&track.scale).unwrap_or(bone.scale);
            let rotation = track.rotation.as_ref().and_then(|curve| curve.sample(seconds));
            bone.rotation = rotation.unwrap_or(bone.rotation);
        }
    }

    /// Returns the clip with all curves held until a time.
    #[must_use]
    pub fn held_until(mut self, seconds: f32) -> Self {
        let hold = |curve: &mut Option<Curve<Vec3>>| {
            *curve = curve.take().map(|curve| curve.held_until(seconds));
        };
        for track in &mut self.tracks {
            hold(&mut track.translation);
            hold(&mut track.scale);
            track.rotation = track.rotation.take().map(|curve| curve.held_until(seconds));
        }
        let morphs = self.morphs.into_iter();
        self.morphs =
            morphs.map(|own| MorphTrack { weight: own.weight.held_until(seconds), ..own }).collect();
        self
    }

    /// Returns the times of the first and the last key in seconds; `None` if there are no keys.
    #[must_use]
    pub fn span(&self) -> Option<(f32, f32)> {
        let spans = self.tracks.iter().flat_map(|track| {
            [span(track.translation.as_ref()), span(track.rotation.as_ref()), span(track.scale.as_ref())]
        });
        let spans = spans.chain(self.morphs.iter().map(|morph| span(Some(&morph.weight))));
        spans.flatten().reduce(|(start, end), (first, last)| (start.min(first), end.max(last)))
    }
}

fn span<T>(curve: Option<&Curve<T>>) -> Option<(f32, f32)> {
    let times = &curve?.times;
    Some((*times.first()?, *times.last()?))
}
