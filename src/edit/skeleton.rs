//! Removes a bone from a hierarchy: its children keep their place in model space.

use glam::{Quat, Vec3};

use super::unsupported;
use crate::Result;
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
const TOLERANCE: f32 = 1e-3;

/// Returns the places of bones in model space.
pub(crate) fn model_space(parents: &[Option<usize>], locals: &[Rigid]) -> Result<Vec<Rigid>> {
    let place = |at: usize| {
        let mut place = locals[at];
        let mut above = parents[at];
        for _ in 0..locals.len() {
            let Some(parent) = above else { return Ok(place) };
            place = locals[parent].then(place);
            above = parents[parent];
        }
        Err(unsupported("the parents of a bone form a cycle"))
    };
    (0..locals.len()).map(place).collect()
}

/// Returns whether two bones are in the same place, up to a part of the size of the skeleton.
pub(crate) fn is_same_place(a: Rigid, b: Rigid, all: &[Rigid]) -> bool {
    let size = all.iter().map(|place| place.translation.abs().max_element()).fold(1.0, f32::max);
    a.translation.abs_diff_eq(b.translation, TOLERANCE * size)
        && a.rotation.dot(b.rotation).abs() > 1.0 - TOLERANCE
}

/// A hierarchy without one of its bones. The bone's parent takes its place; for a root, its first child.
#[derive(Clone, Debug)]
pub(crate) struct Removal {
    /// The index of the bone.
    pub bone: usize,
    /// The bone that takes its weights, by its index before the removal.
    pub heir: Option<usize>,
    /// Its children.
    pub children: Vec<usize>,
    is_root: bool,
}

impl Removal {
    /// Plans the removal from bones with these parents.
    pub fn of(parents: &[Option<usize>], bone: usize) -> Self {
        let children: Vec<_> =
            (0..parents.len()).filter(|child| *child != bone && parents[*child] == Some(bone)).collect();
        let parent = parents[bone].filter(|parent| *parent != bone);
        let heir = parent.or_else(|| children.first().copied());
        Self { bone, heir, children, is_root: parent.is_none() }
    }

    /// Returns the child that takes the place of a root.
    pub fn successor(&self) -> Option<usize> {
        self.heir.filter(|heir| self.children.contains(heir))
    }

    /// Returns the index after the removal; that of the heir for the bone itself.
    pub fn index(&self, old: usize) -> Option<usize> {
        let old = if old == self.bone { self.heir? } else { old };
        Some(old - usize::from(old > self.bone))
    }

    /// Returns the new parent of a child by its index before the removal.
    pub fn parent(&self, child: usize) -> Option<usize> {
        self.heir.filter(|heir| *heir != child)
    }

    /// Returns the bone whose place and motion a child inherits.
    pub fn source(&self, child: usize) -> usize {
        self.heir.filter(|heir| self.is_root && *heir != child).unwrap_or(self.bone)
    }

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
