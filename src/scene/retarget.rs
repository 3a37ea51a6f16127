//! Clips of one skeleton on another one.

use glam::{Affine3A, Quat, Vec3};

use super::author::{Frames, before, key_times};
use super::{Blend, Clip, Curve, Interpolation, Pose, Skeleton, Targets, Track, Transform, unit};

/// The pairs of bones by which clips of one skeleton move another one.
///
/// A bone turns in model space as far from its bind pose as the bone that it is paired with, so the axes of bones, their names and
/// the number of bones between two can differ; both skeletons must stand and face alike in their bind poses. Bones without a pair
/// keep their bind pose. The highest paired bones are displaced in model space, others relative to their parents, in the proportion
/// of the lengths between paired bones; the lengths of the own skeleton stay. The factors of scales are applied to those of the bind
/// pose.
///
/// ```
/// use bindpose::scene::{Bone, Clip, Curve, Retarget, Skeleton, Track, Transform};
/// use glam::{Quat, Vec3};
/// let arm = |name: &str, length: f32| {
///     let hand = Transform { translation: Vec3::X * length, ..Transform::IDENTITY };
///     let bones = vec![
///         Bone { name: name.into(), ..Bone::default() },
///         Bone { name: "hand".into(), parent: Some(0), bind: hand },
///     ];
///     Skeleton::new(bones).0
/// };
/// let (from, to) = (arm("arm", 1.0), arm("upper arm", 3.0));
/// let rotation = Curve::straight([(0.0, Quat::from_rotation_z(std::f32::consts::FRAC_PI_2))]);
/// let raise = Clip { tracks: vec![Track { rotation, ..Track::default() }], ..Clip::default() };
/// let raised = Retarget::new(&from, &to, &[(0, 0), (1, 1)]).clip(&raise);
/// let hand = to.model_space(&raised.sample(&to, 0.0))[1];
/// assert!(Vec3::from(hand.translation).abs_diff_eq(Vec3::Y * 3.0, 1e-5));
/// ```
#[derive(Clone, Debug)]
pub struct Retarget<'a> {
    from: &'a Skeleton,
    to: &'a Skeleton,
    /// The bone of the other skeleton for each own bone.
    paired: Vec<Option<usize>>,
    /// The rotations of bind poses in model space.
    bind_from: Vec<Quat>,
    bind_to: Vec<Quat>,
    /// The places of bind poses in model space.
    placed_from: Vec<Affine3A>,
    placed_to: Vec<Affine3A>,
    /// Whether a bone is below one that has a pair.
    is_below: Vec<bool>,
    proportion: f32,
}

/// The largest change of a translation that is none, in metres.
const STILL: f32 = 1e-6;

/// Frames per second between the keys of splines.
const DENSE: f32 = 60.0;

impl<'a> Retarget<'a> {
    /// Pairs bones: each a bone of the first skeleton and one of the second, by their indices. Of several pairs of a bone of the
    /// second skeleton the first is used; indices without a bone are ignored.
    #[must_use]
    pub fn new(from: &'a Skeleton, to: &'a Skeleton, pairs: &[(usize, usize)]) -> Self {
        let mut paired = vec![None; to.bones().len()];
        for (other, own) in pairs.iter().filter(|(other, _)| *other < from.bones().len()) {
            if let Some(place) = paired.get_mut(*own) {
                place.get_or_insert(*other);
            }
        }
        let above = to.inherit(None, |bone, above: Option<Option<usize>>| {
            let parent = to.bones()[bone].parent.filter(|parent| paired[*parent].is_some());
            parent.or(above.flatten())
        });
        let (bind_from, bind_to) = (from.bind_pose(), to.bind_pose());
        let (placed_from, placed_to) = (from.model_space(&bind_from), to.model_space(&bind_to));
        let mut lengths = [0.0_f32; 2];
        for (own, above) in above.iter().enumerate() {
            let Some((own_pair, above)) = paired[own].zip(*above) else { continue };
            let Some(above_pair) = paired[above] else { continue };
            let length = |placed: &[Affine3A], a: usize, b: usize| {
                placed[a].translation.distance(placed[b].translation)
            };
            lengths[0] += length(&placed_from, own_pair, above_pair);
            lengths[1] += length(&placed_to, own, above);
        }
        let proportion = lengths[1] / lengths[0];
        Self {
            bind_from: turned(from, &bind_from),
            bind_to: turned(to, &bind_to),
            placed_from,
            placed_to,
            is_below: above.iter().map(Option::is_some).collect(),
            proportion: if proportion.is_finite() && proportion > 0.0 { proportion } else { 1.0 },
            paired,
            from,
            to,
        }
    }

    /// Returns how much longer the bones of the second skeleton are.
    #[must_use]
    pub const fn proportion(&self) -> f32 {
        self.proportion
    }

    /// Returns the bones of the first skeleton that a clip moves and that have no pair.
    #[must_use]
    pub fn unpaired(&self, clip: &Clip) -> Vec<usize> {
        let has_pair = |bone: usize| self.paired.contains(&Some(bone));
        let mut bones: Vec<usize> = clip.tracks.iter().map(|track| track.bone).collect();
        bones.sort_unstable();
        bones.dedup();
        bones.retain(|bone| *bone < self.from.bones().len() && !has_pair(*bone));
        bones
    }

    /// Returns the number of keys of each bone in [`clip`](Self::clip).
    #[must_use]
    pub fn num_keys(&self, clip: &Clip) -> usize {
        times(clip).len()
    }

    /// Returns a clip that moves the second skeleton. Each bone with a pair has a key at the time of each key of the clip and just
    /// before each step, and 60 keys per second if a curve is a spline. Tracks of morph targets are kept if they name them.
    #[must_use]
    pub fn clip(&self, clip: &Clip) -> Clip {
        let times = times(clip);
        let bones: Vec<usize> = (0..self.paired.len()).filter(|bone| self.paired[*bone].is_some()).collect();
        let mut keys = vec![Vec::with_capacity(times.len()); bones.len()];
        for time in &times {
            let pose = self.pose(&clip.sample(self.from, *time));
            for (keys, bone) in keys.iter_mut().zip(&bones) {
                keys.push((*time, pose[*bone]));
            }
        }
        let track = |(keys, bone): (Vec<(f32, Transform)>, &usize)| {
            let bind = self.to.bones()[*bone].bind;
            let of_vectors = |get: fn(&Transform) -> Vec3| {
                let moves = keys.iter().any(|(_, own)| !get(own).abs_diff_eq(get(&bind), STILL));
                let curve = || Curve::straight(keys.iter().map(|(time, own)| (*time, get(own))));
                moves.then(curve).flatten()
            };
            Track {
                bone: *bone,
                translation: of_vectors(|own| own.translation),
                rotation: Curve::straight(keys.iter().map(|(time, own)| (*time, own.rotation))),
                scale: of_vectors(|own| own.scale),
            }
        };
        let tracks = keys.into_iter().zip(&bones).map(track).collect();
        let named = clip.morphs.iter().filter(|own| matches!(own.targets, Targets::Named(_)));
        Clip {
            name: clip.name.clone(),
            tracks,
            morphs: named.cloned().collect(),
            has_root_motion: clip.has_root_motion,
        }
    }

    /// Returns the pose of the second skeleton for one of the first.
    #[must_use]
    pub fn pose(&self, pose: &[Transform]) -> Pose {
        let turned_from = turned(self.from, pose);
        let placed_from = self.from.model_space(pose);
        let mut own = self.to.bind_pose();
        // Parents before their children.
        let mut turned_to = self.bind_to.clone();
        for bone in self.to.order().iter().copied() {
            let parent = self.to.bones()[bone].parent;
            let above = parent.map_or(Quat::IDENTITY, |parent| turned_to[parent]);
            let Some(other) = self.paired[bone] else {
                turned_to[bone] = above * own[bone].rotation;
                continue;
            };
            let turn = turned_from[other] * self.bind_from[other].conjugate();
            turned_to[bone] = unit(turn * self.bind_to[bone]);
            own[bone].rotation = unit(above.conjugate() * turned_to[bone]);
            own[bone].translation += if self.is_below[bone] {
                self.displaced_below(bone, other, pose)
            } else {
                let moved = placed_from[other].translation - self.placed_from[other].translation;
                let moved = self.proportion * Vec3::from(moved);
                let above = parent.map_or(Affine3A::IDENTITY, |parent| self.placed_to[parent]);
                above.inverse().transform_vector3(moved)
            };
            let (bind, moving) = (self.from.bones()[other].bind.scale, pose.get(other).map(|own| own.scale));
            let factor = moving.unwrap_or(bind) / bind;
            own[bone].scale *= if factor.is_finite() { factor } else { Vec3::ONE };
        }
        own
    }

    /// Returns how far a bone is from its bind pose, relative to its parent.
    fn displaced_below(&self, bone: usize, other: usize, pose: &[Transform]) -> Vec3 {
        let bind = &self.from.bones()[other];
        let moved = pose.get(other).map_or(Vec3::ZERO, |own| own.translation - bind.bind.translation);
        let turned = |bone: Option<usize>, all: &[Quat]| bone.map_or(Quat::IDENTITY, |bone| all[bone]);
        let from = turned(bind.parent, &self.bind_from);
        let to = turned(self.to.bones()[bone].parent, &self.bind_to);
        self.proportion * (to.conjugate() * (from * moved))
    }
}

/// The rotations of bones in model space, without the scales of those above.
fn turned(skeleton: &Skeleton, pose: &[Transform]) -> Vec<Quat> {
    skeleton.inherit(Quat::IDENTITY, |bone, above: Option<Quat>| {
        let own = pose.get(bone).unwrap_or(&skeleton.bones()[bone].bind).rotation;
        unit(above.unwrap_or(Quat::IDENTITY) * own)
    })
}

/// The times of all keys, those just before steps, and frames if a curve is a spline.
fn times(clip: &Clip) -> Vec<f32> {
    fn between<T: Blend>(curve: Option<&Curve<T>>, times: &mut Vec<f32>) -> bool {
        let Some(curve) = curve else { return false };
        if *curve.between() == Interpolation::Step {
            times.extend(curve.times().windows(2).map(|pair| before(pair[0], pair[1])));
        }
        curve.is_cubic()
    }
    let mut times = key_times(clip);
    let mut has_splines = false;
    for track in &clip.tracks {
        has_splines |= between(track.translation.as_ref(), &mut times);
        has_splines |= between(track.rotation.as_ref(), &mut times);
        has_splines |= between(track.scale.as_ref(), &mut times);
    }
    if let (Some((first, last)), true) = (clip.span(), has_splines) {
        let frames = Frames::until(last - first, DENSE);
        times.extend(frames.times().map(|time| first + time).filter(|time| *time < last));
    }
    times.sort_unstable_by(f32::total_cmp);
    times.dedup();
    times
}
