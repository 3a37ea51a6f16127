//! Places of bones; the children of a removed bone keep theirs in model space.

use glam::{Quat, Vec3};

use super::unsupported;
use crate::Result;
use crate::hierarchy::{Hierarchy, Removal, cycles};
use crate::scene::{Curve, Track};

/// A translation and a rotation.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Rigid {
    pub translation: Vec3,
    pub rotation: Quat,
}

impl Rigid {
    pub fn new(translation: [f32; 3], rotation: Quat) -> Self {
        Self { translation: translation.into(), rotation }
    }

    /// Returns `inner` relative to what this is relative to.
    pub fn then(self, inner: Self) -> Self {
        Self {
            translation: self.point(inner.translation.into()).into(),
            rotation: self.rotation * inner.rotation,
        }
    }

    pub fn inverse(self) -> Self {
        let rotation = self.rotation.inverse();
        Self { translation: -(rotation * self.translation), rotation }
    }
}

/// The distance of two bones in the same place, as a part of the size of the skeleton.
pub const TOLERANCE: f32 = 1e-3;

/// The places of all bones of a skeleton.
#[derive(Clone, Debug)]
pub(crate) struct Places {
    places: Vec<Rigid>,
    /// The distance of two bones in the same place.
    tolerance: f32,
}

impl Places {
    /// Creates them from places in one space.
    pub fn new(places: Vec<Rigid>) -> Self {
        let size = places.iter().map(|place| place.translation.abs().max_element()).fold(1.0, f32::max);
        Self { places, tolerance: TOLERANCE * size }
    }

    /// Returns the places in model space of bones whose places are relative to their parents.
    pub fn in_model_space(parents: Vec<Option<usize>>, locals: &[Rigid]) -> Result<Self> {
        if !cycles(&parents).is_empty() {
            return Err(unsupported("the parents of a bone form a cycle"));
        }
        let place =
            |bone: usize, above: Option<Rigid>| above.map_or(locals[bone], |above| above.then(locals[bone]));
        Ok(Self::new(Hierarchy::new(parents).inherit(Rigid::new([0.0; 3], Quat::IDENTITY), place)))
    }

    /// Returns whether a bone is where a bone of another skeleton is, up to a part of the size of this skeleton.
    pub fn has_same(&self, bone: usize, other: &Self, others: usize) -> bool {
        let (a, b) = (self.places[bone], other.places[others]);
        a.translation.abs_diff_eq(b.translation, self.tolerance)
            && a.rotation.dot(b.rotation).abs() > 1.0 - TOLERANCE
    }
}

impl Removal {
    /// Returns the places of a child in a clip, at the times of its keys and of those that it inherits.
    pub fn places(&self, child: usize, motion: impl Fn(usize) -> Motion) -> Vec<(f32, Rigid)> {
        let source = self.source(child);
        motion(source).places(&motion(child), |place, own| self.below(source, place, own))
    }

    /// Returns the new transform of a child relative to its parent.
    pub fn local(&self, child: usize, local: impl Fn(usize) -> Rigid) -> Rigid {
        let source = self.source(child);
        self.below(source, local(source), local(child))
    }

    fn below(&self, source: usize, place: Rigid, own: Rigid) -> Rigid {
        if source == self.bone { place.then(own) } else { place.inverse().then(own) }
    }
}

/// The motion of a bone relative to its parent.
#[derive(Clone, Debug)]
pub(crate) struct Motion {
    /// The place of the bone where it has no keys.
    pub bind: Rigid,
    pub track: Track,
}

impl Motion {
    /// Combines the places of this bone and another one at the times of all keys.
    pub fn places(&self, other: &Self, combined: impl Fn(Rigid, Rigid) -> Rigid) -> Vec<(f32, Rigid)> {
        let mut times: Vec<_> = self.times().chain(other.times()).collect();
        times.sort_by(f32::total_cmp);
        times.dedup();
        times.into_iter().map(|time| (time, combined(self.at(time), other.at(time)))).collect()
    }

    fn at(&self, seconds: f32) -> Rigid {
        let translation = self.track.translation.as_ref().and_then(|own| own.sample(seconds));
        let rotation = self.track.rotation.as_ref().and_then(|own| own.sample(seconds));
        Rigid {
            translation: translation.unwrap_or(self.bind.translation),
            rotation: rotation.unwrap_or(self.bind.rotation),
        }
    }

    fn times(&self) -> impl Iterator<Item = f32> {
        let translations = self.track.translation.iter().flat_map(Curve::times);
        translations.chain(self.track.rotation.iter().flat_map(Curve::times)).copied()
    }
}
