//! Bones without scale.

use glam::{Affine3A, DAffine3, DVec3, Quat, Vec3};

use super::super::{
    Attachment, Blend, Bone, Clip, Curve, FRAME_RATE, Inexact, Loss, Lost, Measure, Scene, Skeleton, Track,
    Transform, unit,
};
use super::frames::{POSE, key_times};
use super::numbers::Numbers as _;
use super::{Author, AuthorError, Frames};

/// The tolerance for scale factors.
const WHOLE: f32 = 1e-5;

fn is_one(scale: Vec3) -> bool {
    scale.abs_diff_eq(Vec3::ONE, WHOLE)
}

impl Author<'_> {
    /// Returns the scene with bones that have no scale in the bind pose, and with its meshes [bound](Self::bound) to it.
    ///
    /// The scale moves into the inverse bind matrices, the children and the clips, so that meshes do not change. If
    /// `scaled` is false, clips have no scale either; animated scale is reported.
    ///
    /// # Errors
    /// If a clip has to be resampled and has too many frames.
    pub fn rigid(&mut self, scaled: bool) -> Result<Scene, AuthorError> {
        let skeleton = self.rigid_skeleton();
        let clips = self.scene().clips.iter().collect::<Vec<_>>();
        let clips = self.rigid_clips(&clips, scaled)?;
        let meshes = self.bound(&skeleton);
        let attachments = self.attachments(&skeleton);
        let materials = self.scene().materials.clone();
        Ok(Scene { skeleton, attachments, meshes, materials, clips, ..Scene::default() })
    }

    /// Returns the skeleton of [`rigid`](Self::rigid).
    #[must_use]
    pub fn rigid_skeleton(&self) -> Skeleton {
        self.without_scale(&[]).0
    }

    /// Returns the attachments for the skeleton of [`rigid`](Self::rigid).
    #[must_use]
    pub fn attachments(&mut self, skeleton: &Skeleton) -> Vec<Attachment> {
        let own = &self.scene().skeleton;
        let placed = placed(own, &own.bind_pose());
        let frames = self::placed(skeleton, &skeleton.bind_pose());
        let moved = |own: &Attachment| {
            let bone = own.bone.filter(|bone| *bone < placed.len());
            let above = bone.map_or(DAffine3::IDENTITY, |bone| inverse(&frames[bone]) * placed[bone]);
            let place = single(&above) * own.place.matrix();
            let place = if above == DAffine3::IDENTITY { own.place } else { Transform::nearest(&place).0 };
            let (place, replaced) = place.finite();
            (Attachment { name: own.name.clone(), bone, place }, replaced)
        };
        let (attachments, replaced): (Vec<_>, Vec<_>) = self.scene().attachments.iter().map(moved).unzip();
        self.report_losses(replaced.iter().sum(), Lost::NonFinite);
        attachments
    }

    /// Returns clips for the skeleton of [`rigid`](Self::rigid).
    ///
    /// # Errors
    /// As [`rigid`](Self::rigid).
    pub fn rigid_clips(&mut self, sources: &[&Clip], scaled: bool) -> Result<Vec<Clip>, AuthorError> {
        let (skeleton, moved) = self.without_scale(sources);
        let placed = placed(&self.scene().skeleton, &self.scene().skeleton.bind_pose());
        let frames = self::placed(&skeleton, &skeleton.bind_pose());
        let mut clips = Vec::with_capacity(sources.len());
        for (at, source) in sources.iter().enumerate() {
            let exact =
                moved.as_ref().and_then(|moved| moved.get(at)).filter(|clip| scaled || !has_scale(clip));
            clips.push(match exact {
                Some(clip) => clip.clone(),
                None => self.rebased(source, &skeleton, &placed, &frames, scaled)?,
            });
        }
        Ok(clips)
    }

    /// Returns a skeleton without scale, and clips for it if they are exact.
    fn without_scale(&self, clips: &[&Clip]) -> (Skeleton, Option<Vec<Clip>>) {
        let own = &self.scene().skeleton;
        let all = self.scene().clips.iter();
        // The clips of the scene decide what can move, so that the skeleton is the same for all files.
        let clips = all.chain(clips.iter().copied()).cloned().collect();
        let mut moved = Scene { skeleton: own.clone(), clips, ..Scene::default() };
        if moved.move_bind_scale().is_empty()
            && moved.skeleton.bones().iter().all(|bone| is_one(bone.bind.scale))
        {
            let clips = moved.clips.split_off(self.scene().clips.len());
            return (moved.skeleton, Some(clips));
        }
        let frames: Vec<DAffine3> = placed(own, &own.bind_pose()).iter().map(rigid).collect();
        (skeleton(own, &frames), None)
    }

    /// Returns a clip for a rigid skeleton, resampled.
    fn rebased(
        &mut self,
        clip: &Clip,
        skeleton: &Skeleton,
        placed: &[DAffine3],
        frames: &[DAffine3],
        scaled: bool,
    ) -> Result<Clip, AuthorError> {
        let times = self.dense_times(clip)?;
        let own = &self.scene().skeleton;
        // Both frames of a bone have the same origin; a large scale would amplify the rounding of their difference.
        let into = |(placed, frame): (&DAffine3, &DAffine3)| DAffine3 {
            translation: DVec3::ZERO,
            ..inverse(placed) * *frame
        };
        let into: Vec<DAffine3> = placed.iter().zip(frames).map(into).collect();
        let mut keys = vec![Vec::with_capacity(times.len()); placed.len()];
        let (mut inexact, mut squashed) = (Inexact::default(), vec![0.0_f32; placed.len()]);
        let mut written = vec![DAffine3::IDENTITY; placed.len()];
        for &time in &times {
            let posed = self::placed(own, &clip.sample(own, time));
            let whole: Vec<DAffine3> = posed.iter().zip(&into).map(|(posed, into)| *posed * *into).collect();
            let moved: Vec<DAffine3> =
                whole.iter().map(|own| if scaled { *own } else { rigid(own) }).collect();
            for &bone in skeleton.order() {
                let parent =
                    skeleton.bones()[bone].parent.map_or(DAffine3::IDENTITY, |parent| written[parent]);
                written[bone] = moved[bone];
                let sheared = inexact.sheared;
                let Some(local) = inexact.nearest(&single(&(inverse(&parent) * moved[bone]))) else {
                    keys[bone].push(skeleton.bones()[bone].bind);
                    continue;
                };
                // A bone in one that is off is not, where its own transform is exact.
                if inexact.sheared > sheared {
                    written[bone] = parent * double(&local);
                    inexact.compare(&written[bone], &moved[bone]);
                }
                if !scaled && !is_rigid(&whole[bone]) {
                    let scale = Transform::nearest(&single(&whole[bone])).0.scale;
                    squashed[bone] = squashed[bone].max((scale - Vec3::ONE).abs().max_element());
                }
                keys[bone].push(local);
            }
        }
        self.report_losses(inexact.sheared, inexact.shear(Lost::ShearedKeys).of("clip", &clip.name));
        self.report_losses(inexact.not_finite, Lost::TooLargePoses.of("clip", &clip.name));
        let count = squashed.iter().filter(|own| **own > 0.0).count();
        let scale = squashed.into_iter().fold(0.0, f32::max);
        let measure = Some(Measure { scale, ..Measure::default() });
        self.report_losses(count, Loss { measure, ..Lost::ScaleAnimated.of("clip", &clip.name) });
        let tracks = keys
            .into_iter()
            .enumerate()
            .filter_map(|(bone, keys)| track(bone, &times, &keys, &skeleton.bones()[bone].bind));
        Ok(Clip { tracks: tracks.collect(), ..clip.clone() })
    }

    /// Returns the times of all keys, and those of all frames between them.
    fn dense_times(&mut self, clip: &Clip) -> Result<Vec<f32>, AuthorError> {
        let mut times = key_times(clip);
        let (Some(&first), Some(&last)) = (times.first(), times.last()) else { return Ok(vec![0.0]) };
        let memory = self.scene().skeleton.bones().len() * 2 * POSE;
        let mut frames = self.frames(clip, memory)?;
        if self.settings().rate.is_none() && frames.rate < FRAME_RATE {
            frames = Frames::until(last, FRAME_RATE);
            self.charge_frames(clip, frames, memory)?;
        }
        let near = |time: f32, rate: f32| move |key: &f32| (key - time).abs() < 0.25 / rate;
        let between: Vec<f32> = frames
            .times()
            .filter(|time| *time > first && *time < last)
            .filter(|time| {
                let next = times.partition_point(|key| key < time);
                !times[next.saturating_sub(1)..(next + 1).min(times.len())]
                    .iter()
                    .any(near(*time, frames.rate))
            })
            .collect();
        times.extend(between);
        times.sort_by(f32::total_cmp);
        Ok(times)
    }
}

/// Returns the transforms of bones to model space. Parents with a very small scale amplify the rounding of single
/// precision.
fn placed(skeleton: &Skeleton, pose: &[Transform]) -> Vec<DAffine3> {
    let mut placed = vec![DAffine3::IDENTITY; pose.len()];
    for &index in skeleton.order() {
        let local = double(&pose[index]);
        placed[index] = skeleton.bones()[index].parent.map_or(local, |parent| placed[parent] * local);
    }
    placed
}

fn double(own: &Transform) -> DAffine3 {
    let rotation = unit(own.rotation).as_dquat().normalize();
    DAffine3::from_scale_rotation_translation(own.scale.as_dvec3(), rotation, own.translation.as_dvec3())
}

fn single(matrix: &DAffine3) -> Affine3A {
    Affine3A::from_mat3_translation(matrix.matrix3.as_mat3(), matrix.translation.as_vec3())
}

/// The rotation and translation of a matrix.
fn rigid(matrix: &DAffine3) -> DAffine3 {
    let near = Transform::nearest(&single(matrix)).0;
    DAffine3::from_rotation_translation(near.rotation.as_dquat().normalize(), matrix.translation)
}

/// Returns the inverse of a matrix; of one that has none because a scale is 0, the inverse of its rotation and translation.
fn inverse(matrix: &DAffine3) -> DAffine3 {
    let inverse = matrix.inverse();
    if inverse.is_finite() { inverse } else { rigid(matrix).inverse() }
}

fn is_rigid(matrix: &DAffine3) -> bool {
    matrix.matrix3.abs_diff_eq(rigid(matrix).matrix3, 1e-3)
}

fn skeleton(own: &Skeleton, frames: &[DAffine3]) -> Skeleton {
    let bone = |(bone, frame): (&Bone, &DAffine3)| {
        let local = bone.parent.map_or(*frame, |parent| inverse(&frames[parent]) * *frame);
        Transform { scale: Vec3::ONE, ..Transform::nearest(&single(&local)).0 }
    };
    own.with_bind_pose(own.bones().iter().zip(frames).map(bone))
}

fn has_scale(clip: &Clip) -> bool {
    let curves = clip.tracks.iter().filter_map(|track| track.scale.as_ref());
    curves.flat_map(Curve::values).any(|scale| !is_one(*scale))
}

/// A track with the channels that differ from the bind pose.
fn track(bone: usize, times: &[f32], keys: &[Transform], bind: &Transform) -> Option<Track> {
    // Relative to the length: a parent can have a large scale.
    let near = 1e-6 * bind.translation.abs().max_element();
    let moves = keys.iter().any(|own| !own.translation.abs_diff_eq(bind.translation, near));
    let turns = keys.iter().any(|own| {
        let differs = |a: Quat| !a.abs_diff_eq(bind.rotation, 1e-6);
        differs(own.rotation) && differs(-own.rotation)
    });
    let scales = keys.iter().any(|own| !own.scale.abs_diff_eq(Vec3::ONE, WHOLE));
    let track = Track {
        bone,
        translation: curve(moves, times, keys, |own| own.translation),
        rotation: curve(turns, times, keys, |own| own.rotation),
        scale: curve(scales, times, keys, |own| own.scale),
    };
    (moves || turns || scales).then_some(track)
}

fn curve<T: Blend>(
    is_needed: bool,
    times: &[f32],
    keys: &[Transform],
    value: impl Fn(&Transform) -> T,
) -> Option<Curve<T>> {
    let keys = times.iter().zip(keys).map(|(time, key)| (*time, value(key)));
    is_needed.then(|| Curve::straight(keys)).flatten()
}
