//! Animations over each other: shares for each bone, and additive clips.

use std::collections::BTreeSet;

use glam::Quat;

use super::{Clip, Curve, Pose, Skeleton, Track, Transform};

/// A clip of several that move a skeleton together.
///
/// The first layer is over the bind pose, each other one over those before it. A share of 0 leaves a bone to them; a share of 1
/// replaces what they do. Between these, translations and scales are interpolated linearly, rotations along the shortest arc.
/// Translations, rotations and scales that a clip has no curve for are left to them, too.
///
/// ```
/// use bindpose::scene::{Bone, Clip, Curve, Layer, Skeleton, Track};
/// use glam::Vec3;
/// let skeleton = Skeleton::new(vec![Bone::default()]).0;
/// let clip = |x| Clip {
///     tracks: vec![Track { translation: Curve::straight([(0.0, Vec3::X * x)]), ..Track::default() }],
///     ..Clip::default()
/// };
/// let (walk, wave) = (clip(2.0), clip(4.0));
/// let half = Layer { shares: vec![0.5], ..Layer::of(&wave) };
/// assert_eq!(skeleton.layered(&[Layer::of(&walk), half], 0.0)[0].translation.x, 3.0);
/// // How far the wave is from its pose at 0 s is added to the walk.
/// let added = Layer { relative_to: Some(0.0), ..Layer::of(&wave) };
/// assert_eq!(skeleton.layered(&[Layer::of(&walk), added], 0.0)[0].translation.x, 2.0);
/// ```
#[derive(Clone, Debug)]
pub struct Layer<'a> {
    /// The clip.
    pub clip: &'a Clip,
    /// The share of each bone, from 0 to 1; 1 for bones without one. See [`Skeleton::shares`].
    pub shares: Vec<f32>,
    /// For an additive clip the time in seconds whose pose changes nothing; other poses add their difference from it.
    pub relative_to: Option<f32>,
}

impl<'a> Layer<'a> {
    /// Returns a layer that moves all bones.
    #[must_use]
    pub const fn of(clip: &'a Clip) -> Self {
        Self { clip, shares: Vec::new(), relative_to: None }
    }
}

impl Skeleton {
    /// Returns a share for each bone from those of some bones, each of which also applies to the bones below, down to the next
    /// one that has its own. All others have 0.
    ///
    /// ```
    /// use bindpose::scene::{Bone, Skeleton};
    /// let bone = |parent| Bone { parent, ..Bone::default() };
    /// // A hip with a leg, and a spine with an arm.
    /// let skeleton = Skeleton::new(vec![bone(None), bone(Some(0)), bone(Some(0)), bone(Some(2))]).0;
    /// assert_eq!(skeleton.shares([(2, 0.5)]), [0.0, 0.0, 0.5, 0.5]);
    /// ```
    #[must_use]
    pub fn shares(&self, given: impl IntoIterator<Item = (usize, f32)>) -> Vec<f32> {
        let mut own = vec![None; self.bones().len()];
        for (bone, share) in given {
            if let Some(own) = own.get_mut(bone) {
                *own = Some(share);
            }
        }
        self.inherit(0.0, |bone, above: Option<f32>| own[bone].or(above).unwrap_or(0.0))
    }

    /// Returns the pose of layers at a time in seconds.
    #[must_use]
    pub fn layered(&self, layers: &[Layer<'_>], seconds: f32) -> Pose {
        let mut pose = self.bind_pose();
        for layer in layers {
            let neutral = layer.relative_to.map(|at| layer.clip.sample(self, at));
            // What the clip has no curve for is that of the layers below.
            let mut sampled = if neutral.is_some() { self.bind_pose() } else { pose.clone() };
            layer.clip.sample_onto(&mut sampled, seconds);
            // Several tracks can move a bone.
            let bones: BTreeSet<usize> = layer.clip.tracks.iter().map(|track| track.bone).collect();
            for bone in bones {
                let (Some(own), Some(sampled)) = (pose.get_mut(bone), sampled.get(bone)) else { continue };
                let share = layer.shares.get(bone).copied().unwrap_or(1.0);
                *own = match neutral.as_ref().and_then(|pose| pose.get(bone)) {
                    Some(neutral) => own.add(&sampled.difference(neutral), share),
                    None => own.blend(sampled, share),
                };
            }
        }
        pose
    }
}

impl Clip {
    /// Returns a clip with the poses of layers at some times, and what else the first one has: morph targets and root motion.
    ///
    /// Between the times it is linear, which is not exactly how the layers move there.
    #[must_use]
    pub fn of_layers(name: String, skeleton: &Skeleton, layers: &[Layer<'_>], times: &[f32]) -> Self {
        let poses: Vec<Pose> = times.iter().map(|time| skeleton.layered(layers, *time)).collect();
        let track = |bone: usize| {
            let keys = || times.iter().zip(&poses).map(|(time, pose)| (*time, pose[bone]));
            Track {
                bone,
                translation: Curve::straight(keys().map(|(time, own)| (time, own.translation))),
                rotation: Curve::straight(keys().map(|(time, own)| (time, own.rotation))),
                scale: Curve::straight(keys().map(|(time, own)| (time, own.scale))),
            }
        };
        let tracks = (0..skeleton.bones().len()).map(track).collect();
        let morphs = layers.first().map_or_else(Vec::new, |layer| layer.clip.morphs.clone());
        let has_root_motion = layers.first().is_some_and(|layer| layer.clip.has_root_motion);
        Self { name, tracks, morphs, has_root_motion }
    }
}

impl Transform {
    /// Returns the transform between this one and another one.
    #[must_use]
    pub fn blend(&self, other: &Self, share: f32) -> Self {
        Self {
            translation: self.translation.lerp(other.translation, share),
            rotation: self.rotation.slerp(other.rotation, share),
            scale: self.scale.lerp(other.scale, share),
        }
    }

    /// Returns what [`add`](Self::add) adds to another transform to obtain this one.
    #[must_use]
    pub fn difference(&self, from: &Self) -> Self {
        // A scale of 0 has no ratio.
        let ratio = |own: f32, from: f32| if from == 0.0 { 1.0 } else { own / from };
        let [own, other] = [self.scale, from.scale];
        let scale = [ratio(own.x, other.x), ratio(own.y, other.y), ratio(own.z, other.z)];
        Self {
            translation: self.translation - from.translation,
            rotation: from.rotation.inverse() * self.rotation,
            scale: scale.into(),
        }
    }

    /// Returns the transform with a share of a difference: its translation is along the axes of the parent, its rotation about
    /// the own axes.
    #[must_use]
    pub fn add(&self, difference: &Self, share: f32) -> Self {
        Self {
            translation: self.translation + difference.translation * share,
            rotation: self.rotation * Quat::IDENTITY.slerp(difference.rotation, share),
            scale: self.scale * Self::IDENTITY.scale.lerp(difference.scale, share),
        }
    }
}
