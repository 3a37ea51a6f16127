//! Clips of one skeleton on another one.

use std::collections::HashSet;

use glam::{Affine3A, Mat3A, Quat, Vec3, Vec3A};

use super::author::{before, key_times};
use super::{Blend, Clip, Curve, Interpolation, Names, Pose, Skeleton, Targets, Track, Transform, unit};

/// The pairs of bones by which clips of one skeleton move another one.
///
/// A bone turns in model space as far from its bind pose as the bone that it is paired with, so the axes of bones, their names and
/// the number of bones between two can differ; both skeletons must have the same pose and orientation in their bind poses. Bones without a pair
/// keep their bind pose. The highest paired bones are displaced as in model space; others by the translations of the bones from the
/// paired one up to the next paired one. Displacements are in the proportion of the lengths between paired bones; the lengths of the
/// own skeleton stay. The factors of scales are applied to those of the bind pose.
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
    /// The bone of the other skeleton for each own bone, and whether bones of the other one have a pair.
    paired: Vec<Option<usize>>,
    has_pair: Vec<bool>,
    /// The places of bind poses in model space.
    bind_from: Vec<Affine3A>,
    bind_to: Vec<Affine3A>,
    /// Whether a bone is below one that has a pair.
    is_below: Vec<bool>,
    /// The lengths between paired bones.
    lengths: [f32; 2],
}

/// The largest change of a translation that is none, in metres.
const STILL: f32 = 1e-6;

/// Keys per second between those of splines and of chains of bones of which some have no pair, but at most [`MOST`] between two.
const DENSE: f32 = 60.0;
const MOST: f32 = 60.0;

impl<'a> Retarget<'a> {
    /// Returns these pairs of bones, by their indices, and those of other bones that have the same name; none if one bone is in two of
    /// these pairs.
    #[must_use]
    pub fn pairs(from: &Skeleton, to: &Skeleton, stated: Vec<(usize, usize)>) -> Option<Vec<(usize, usize)>> {
        let (olds, news): (HashSet<_>, HashSet<_>) = stated.iter().copied().unzip();
        if olds.len() < stated.len() || news.len() < stated.len() {
            return None;
        }
        let same = Names::new(names(to)).pair(names(from)).into_iter().enumerate();
        let same = same.filter_map(|(old, new)| Some((old, new?)));
        let is_free = |(old, new): &(usize, usize)| !olds.contains(old) && !news.contains(new);
        let same: Vec<_> = same.filter(is_free).collect();
        Some([stated, same].concat())
    }

    /// Pairs bones: each a bone of the first skeleton and one of the second, by their indices. Of several pairs of a bone of the
    /// second skeleton the first is used; indices without a bone are ignored.
    #[must_use]
    pub fn new(from: &'a Skeleton, to: &'a Skeleton, pairs: &[(usize, usize)]) -> Self {
        let mut paired = vec![None; to.bones().len()];
        let mut has_pair = vec![false; from.bones().len()];
        for (other, own) in pairs.iter().filter(|(other, _)| *other < from.bones().len()) {
            if let Some(place @ None) = paired.get_mut(*own) {
                *place = Some(*other);
                has_pair[*other] = true;
            }
        }
        let above = to.inherit(None, |bone, above: Option<Option<usize>>| {
            let parent = to.bones()[bone].parent.filter(|parent| paired[*parent].is_some());
            parent.or(above.flatten())
        });
        let bind_from = from.model_space(&from.bind_pose());
        let bind_to = to.model_space(&to.bind_pose());
        let mut lengths = [0.0_f32; 2];
        for (own, above) in above.iter().enumerate() {
            let Some((other, above)) = paired[own].zip(*above) else { continue };
            let Some(other_above) = paired[above] else { continue };
            let length = |placed: &[Affine3A], a: usize, b: usize| {
                placed[a].translation.distance(placed[b].translation)
            };
            lengths[0] += length(&bind_from, other, other_above);
            lengths[1] += length(&bind_to, own, above);
        }
        let is_below = above.iter().map(Option::is_some).collect();
        Self { from, to, paired, has_pair, bind_from, bind_to, is_below, lengths }
    }

    /// Returns how much longer the bones of the second skeleton are; 1 if one of the two has no lengths.
    #[must_use]
    pub fn proportion(&self) -> f32 {
        let proportion = self.lengths[1] / self.lengths[0];
        if proportion.is_finite() && proportion > 0.0 { proportion } else { 1.0 }
    }

    /// Returns whether the first skeleton has a bind pose: in files of animations alone, all bones can be at one point.
    #[must_use]
    pub fn has_bind_pose(&self) -> bool {
        self.lengths[0] > 0.0 || self.lengths[1] <= 0.0
    }

    /// Returns the bones of the first skeleton that a clip moves and that have no pair.
    #[must_use]
    pub fn unpaired(&self, clip: &Clip) -> Vec<usize> {
        let mut bones: Vec<usize> = clip.tracks.iter().map(|track| track.bone).collect();
        bones.sort_unstable();
        bones.dedup();
        bones.retain(|bone| self.has_pair.get(*bone) == Some(&false));
        bones
    }

    /// Returns the largest number of keys of a bone in [`clip`](Self::clip).
    #[must_use]
    pub fn most_keys(&self, clip: &Clip) -> usize {
        let mut most = 0;
        self.each_time(clip, &mut |_| most += 1);
        most
    }

    /// Returns a clip that moves the second skeleton. Each bone with a pair has a key at the time of each key of the clip and just
    /// before each step; between the keys of splines, and if the clip moves bones without a pair above others, 60 per second, but at
    /// most 60. Tracks of morph targets are kept if they name them.
    #[must_use]
    pub fn clip(&self, clip: &Clip) -> Clip {
        let mut times = Vec::new();
        self.each_time(clip, &mut |time| times.push(time));
        times.sort_unstable_by(f32::total_cmp);
        times.dedup();
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

    /// Passes on the times of keys, some of them several times.
    fn each_time(&self, clip: &Clip, add: &mut impl FnMut(f32)) {
        fn between<T: Blend>(curve: Option<&Curve<T>>, add: &mut impl FnMut(f32)) {
            let Some(curve) = curve else { return };
            for pair in curve.times().windows(2) {
                match curve.between() {
                    Interpolation::Linear => {}
                    Interpolation::Step => add(before(pair[0], pair[1])),
                    Interpolation::CubicSpline(_) => dense(pair[0], pair[1], add),
                }
            }
        }
        let times = key_times(clip);
        if self.mixes(clip) {
            times.windows(2).for_each(|pair| dense(pair[0], pair[1], add));
        }
        times.into_iter().for_each(&mut *add);
        for track in &clip.tracks {
            between(track.translation.as_ref(), add);
            between(track.rotation.as_ref(), add);
            between(track.scale.as_ref(), add);
        }
    }

    /// Whether a clip moves a bone without a pair above one with a pair, which does not turn at a constant speed then.
    fn mixes(&self, clip: &Clip) -> bool {
        let mut is_moved = vec![false; self.has_pair.len()];
        for track in &clip.tracks {
            if self.has_pair.get(track.bone) == Some(&false) {
                is_moved[track.bone] = true;
            }
        }
        // Whether a bone without a pair is moved, or one above it, up to the next with a pair.
        let above = self.from.inherit(false, |bone, above: Option<bool>| {
            !self.has_pair[bone] && (is_moved[bone] || above.unwrap_or(false))
        });
        let bones = self.from.bones().iter().zip(&self.has_pair);
        bones
            .filter(|(_, has_pair)| **has_pair)
            .filter_map(|(bone, _)| bone.parent)
            .any(|parent| above[parent])
    }

    /// Returns the pose of the second skeleton for one of the first.
    #[must_use]
    pub fn pose(&self, pose: &[Transform]) -> Pose {
        let (placed_from, displaced) = (self.from.model_space(pose), self.displaced(pose));
        // Both with the scales of the bind pose, because what a clip scales is not turned.
        let turned_from = self.from.inherit(Mat3A::IDENTITY, |bone, above: Option<Mat3A>| {
            let bind = self.from.bones()[bone].bind;
            let rotation = pose.get(bone).map_or(bind.rotation, |own| own.rotation);
            let turned = Mat3A::from_quat(unit(rotation)) * Mat3A::from_diagonal(bind.scale);
            above.unwrap_or(Mat3A::IDENTITY) * turned
        });
        let mut own = self.to.bind_pose();
        // Parents before their children.
        let mut placed_to = vec![Mat3A::IDENTITY; own.len()];
        for bone in self.to.order().iter().copied() {
            let parent = self.to.bones()[bone].parent;
            let above = parent.map_or(Mat3A::IDENTITY, |parent| placed_to[parent]);
            let scale = own[bone].scale;
            if let Some(other) = self.paired[bone] {
                let turn = rotation(turned_from[other] * self.bind_from[other].matrix3.inverse());
                let wanted = Mat3A::from_quat(turn) * self.bind_to[bone].matrix3;
                let local = above.inverse() * wanted * Mat3A::from_diagonal(scale.recip());
                if local.is_finite() {
                    own[bone].rotation = rotation(local);
                }
                let moved = if self.is_below[bone] {
                    displaced[other]
                } else {
                    placed_from[other].translation - self.bind_from[other].translation
                };
                let above = parent.map_or(Mat3A::IDENTITY, |parent| self.bind_to[parent].matrix3);
                let moved = Vec3::from(above.inverse() * (moved * self.proportion()));
                own[bone].translation += if moved.is_finite() { moved } else { Vec3::ZERO };
            }
            let turned = Mat3A::from_quat(unit(own[bone].rotation));
            placed_to[bone] = above * turned * Mat3A::from_diagonal(scale);
            if let Some(other) = self.paired[bone] {
                let bind = self.from.bones()[other].bind.scale;
                let factor = pose.get(other).map_or(bind, |own| own.scale) / bind;
                own[bone].scale *= if factor.is_finite() { factor } else { Vec3::ONE };
            }
        }
        own
    }

    /// Returns how far the bones from each one up to the next with a pair are from their bind pose, in model space.
    fn displaced(&self, pose: &[Transform]) -> Vec<Vec3A> {
        self.from.inherit(Vec3A::ZERO, |bone, above: Option<Vec3A>| {
            let own = &self.from.bones()[bone];
            let translation = pose.get(bone).map_or(own.bind.translation, |own| own.translation);
            let turned = own.parent.map_or(Mat3A::IDENTITY, |parent| self.bind_from[parent].matrix3);
            let above = above.filter(|_| own.parent.is_some_and(|parent| !self.has_pair[parent]));
            above.unwrap_or(Vec3A::ZERO) + turned * Vec3A::from(translation - own.bind.translation)
        })
    }
}

/// Passes on times between two keys.
#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "from 1 to 60")]
fn dense(from: f32, to: f32, add: &mut impl FnMut(f32)) {
    let parts = ((to - from) * DENSE).ceil().clamp(1.0, MOST) as u8;
    (1..parts).for_each(|part| add(from + (to - from) * f32::from(part) / f32::from(parts)));
}

/// Returns the rotation of a matrix without its scales.
fn rotation(matrix: Mat3A) -> Quat {
    let x = matrix.x_axis.normalize_or_zero();
    let y = (matrix.y_axis - x * x.dot(matrix.y_axis)).normalize_or_zero();
    unit(Quat::from_mat3a(&Mat3A::from_cols(x, y, x.cross(y))))
}

fn names(skeleton: &Skeleton) -> impl Iterator<Item = &str> {
    skeleton.bones().iter().map(|own| &*own.name)
}
