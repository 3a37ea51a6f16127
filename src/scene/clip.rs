//! Animation: what moves, and how between the keys.

use glam::{Quat, Vec3};

use super::{Pose, Skeleton};

/// Values at times, and what is between them. Before the first key and behind the last the value is held.
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

/// What is between two keys.
#[derive(Clone, Debug, Default, PartialEq)]
pub enum Interpolation<T> {
    /// The value of the key before.
    Step,
    /// A straight line; between rotations the shortest arc at even speed.
    #[default]
    Linear,
    /// A cubic Hermite curve with these tangents, into and out of each key, per second.
    CubicSpline(Vec<[T; 2]>),
}

/// What a curve can be of.
pub trait Blend: Copy + PartialEq {
    /// The value a share of the way to another.
    #[must_use]
    fn blend(self, other: Self, share: f32) -> Self;
    /// The sum of four values, each with a factor.
    #[must_use]
    fn sum(parts: [(Self, f32); 4]) -> Self;
}

impl Blend for Vec3 {
    fn blend(self, other: Self, share: f32) -> Self {
        self.lerp(other, share)
    }
    fn sum(parts: [(Self, f32); 4]) -> Self {
        parts.into_iter().map(|(value, factor)| value * factor).sum()
    }
}

impl Blend for f32 {
    fn blend(self, other: Self, share: f32) -> Self {
        self + (other - self) * share
    }
    fn sum(parts: [(Self, f32); 4]) -> Self {
        parts.into_iter().map(|(value, factor)| value * factor).sum()
    }
}

impl Blend for Quat {
    fn blend(self, other: Self, share: f32) -> Self {
        self.slerp(other, share)
    }
    fn sum(parts: [(Self, f32); 4]) -> Self {
        let sum = parts.into_iter().map(|(value, factor)| value * factor).reduce(|a, b| a + b);
        super::unit(sum.unwrap_or_default())
    }
}

impl<T: Blend> Curve<T> {
    /// A curve through keys in any order, each with its tangents where it has some; of keys at one time the last counts,
    /// those at no finite time do not.
    #[must_use]
    pub fn new(keys: impl IntoIterator<Item = (f32, T)>, between: Interpolation<T>) -> Self {
        let keys: Vec<(f32, T)> = keys.into_iter().collect();
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

    /// A curve with straight lines between keys in any order; none where no key counts.
    #[must_use]
    pub fn straight(keys: impl IntoIterator<Item = (f32, T)>) -> Option<Self> {
        let curve = Self::new(keys, Interpolation::Linear);
        (!curve.times.is_empty()).then_some(curve)
    }

    /// A curve with straight lines through values at so many frames per second; none where there are no values. What
    /// never changes has a key at the start and one at the end.
    #[must_use]
    pub fn at_rate(values: Vec<T>, rate: f32) -> Option<Self> {
        let last = values.len().checked_sub(1)?;
        #[expect(clippy::cast_precision_loss, reason = "frames of a file are far fewer than 2^24")]
        let time = |frame: usize| frame as f32 / rate;
        let still = last > 1 && values.iter().all(|value| *value == values[0]);
        let keys = values.into_iter().enumerate().filter(|(frame, _)| !still || [0, last].contains(frame));
        Some(Self::new(keys.map(|(frame, value)| (time(frame), value)), Interpolation::Linear))
    }

    /// The same with its last value held until a time, by one more key; as it is where it has a key as late.
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

    /// Seconds at which the keys are, rising.
    #[must_use]
    pub fn times(&self) -> &[f32] {
        &self.times
    }

    /// The value of each key.
    #[must_use]
    pub fn values(&self) -> &[T] {
        &self.values
    }

    /// What is between the keys.
    #[must_use]
    pub const fn between(&self) -> &Interpolation<T> {
        &self.between
    }

    /// The value at a time; `None` where there are no keys.
    #[must_use]
    pub fn sample(&self, seconds: f32) -> Option<T> {
        let next = self.times.partition_point(|time| *time <= seconds);
        let (Some(&after), Some(before)) = (self.times.get(next), next.checked_sub(1)) else {
            return self.values.get(next.min(self.values.len().checked_sub(1)?)).copied();
        };
        let length = after - self.times[before];
        let share = (seconds - self.times[before]) / length;
        let (from, to) = (self.values[before], self.values[next]);
        Some(match &self.between {
            Interpolation::Step => from,
            Interpolation::Linear => from.blend(to, share),
            Interpolation::CubicSpline(tangents) => {
                T::sum(hermite(share, length, [from, tangents[before][1], to, tangents[next][0]]))
            }
        })
    }
}

/// The keys that count, by time.
pub(crate) fn in_order<T: Copy>(keys: impl IntoIterator<Item = (f32, T)>) -> Vec<(f32, T)> {
    let mut keys: Vec<(f32, T)> = keys.into_iter().filter(|(time, _)| time.is_finite()).collect();
    keys.sort_by(|(a, _), (b, _)| a.total_cmp(b));
    // The last of equals is wanted, dedup keeps the first; the two zeros are equal.
    keys.reverse();
    keys.dedup_by_key(|(time, _)| *time + 0.0);
    keys.reverse();
    keys
}

/// Value, leaving tangent, next value and arriving tangent, each with its factor.
fn hermite<T>(share: f32, length: f32, [from, leaving, to, arriving]: [T; 4]) -> [(T, f32); 4] {
    let (two, three) = (share * share, share * share * share);
    [
        (from, 2.0 * three - 3.0 * two + 1.0),
        (leaving, (three - 2.0 * two + share) * length),
        (to, 3.0 * two - 2.0 * three),
        (arriving, (three - two) * length),
    ]
}

/// How one bone moves; what has no curve stays as in the bind pose.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Track {
    /// Index of the bone.
    pub bone: usize,
    /// Its translation relative to the parent.
    pub translation: Option<Curve<Vec3>>,
    /// Its rotation relative to the parent.
    pub rotation: Option<Curve<Quat>>,
    /// Its scale.
    pub scale: Option<Curve<Vec3>>,
}

/// How much of morph targets is mixed in over time.
#[derive(Clone, Debug, PartialEq)]
pub struct MorphTrack {
    /// The targets.
    pub targets: Targets,
    /// Their weight.
    pub weight: Curve<f32>,
}

/// Morph targets that have the same weight.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Targets {
    /// Those of this name, in whatever meshes have one.
    Named(String),
    /// These: of each the index of the mesh, and its own there.
    These(Vec<(usize, usize)>),
}

/// An animation.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Clip {
    /// The name.
    pub name: String,
    /// What the bones do.
    pub tracks: Vec<Track>,
    /// What the morph targets do.
    pub morphs: Vec<MorphTrack>,
}

impl Clip {
    /// The pose at a time in seconds; bones without a track are in the bind pose.
    #[must_use]
    pub fn sample(&self, skeleton: &Skeleton, seconds: f32) -> Pose {
        let mut pose = skeleton.bind_pose();
        for track in &self.tracks {
            let Some(bone) = pose.get_mut(track.bone) else { continue };
            let at = |curve: &Option<Curve<Vec3>>| curve.as_ref().and_then(|curve| curve.sample(seconds));
            bone.translation = at(&track.translation).unwrap_or(bone.translation);
            bone.scale = at(&track.scale).unwrap_or(bone.scale);
            let rotation = track.rotation.as_ref().and_then(|curve| curve.sample(seconds));
            bone.rotation = rotation.unwrap_or(bone.rotation);
        }
        pose
    }

    /// The same with all that it moves held until a time.
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

    /// The first and the last second at which there is a key; `None` where nothing has one.
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
