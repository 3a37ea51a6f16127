//! Writes several clips one after the other on the timeline of a file, with their ranges in the comment of the model.

use glam::{Quat, Vec3};

use super::super::conventions::rate;
use super::super::{Animation, Joint, Keyframe, Ms3d};
use super::free;
use super::write::{
    CLOSE, FASTEST, FRAME, SHORTEN, comments, distance_to, names, offset, report_curve, report_end, turn,
    turning,
};
use crate::scene::author::{Author, AuthorError, Curves, Frames, NameRules, curves_of};
use crate::scene::{Blend, Clip, Curve, Lost, Scene, Space, Transform};

/// The maximum number of keys of a joint.
pub(super) const MOST: usize = u16::MAX as usize;

/// A clip on the timeline.
struct Placed<'a> {
    clip: &'a Clip,
    /// The curves of each bone.
    curves: Vec<Curves<'a>>,
    frames: Frames,
    /// The frame of the file that is the first of the clip.
    first: usize,
}

impl<'a> Placed<'a> {
    /// Places clips one after the other. A frame before each and one after it keep its curves from those of the others.
    fn all(clips: &[&'a Clip], num_bones: usize, rate: f32) -> Vec<Self> {
        let mut next = 2_usize;
        let place = |clip: &&'a Clip| {
            let end = clip.span().map_or(0.0, |(_, end)| end);
            let (first, frames) = (next, Frames::until(end, rate));
            next = next.saturating_add(frames.len).saturating_add(2);
            Self { clip, curves: curves_of(clip, num_bones), frames, first }
        };
        clips.iter().map(place).collect()
    }

    const fn last(&self) -> usize {
        self.first.saturating_add(self.frames.len - 1)
    }

    /// How far a translation is from the curve through its keys in the file, in metres.
    fn off(&self, bone: usize) -> f32 {
        let Some(curve) = self.curves[bone].translation else { return 0.0 };
        let values = guarded(Some(curve), Vec3::ZERO, self.frames);
        let keys = values.into_iter().enumerate();
        let keys = keys.map(|(at, value)| (self.frames.time(at) - 1.0 / self.frames.rate, value));
        distance_to(curve, keys.collect(), self.frames)
    }
}

/// The values at the frames of a clip, and those before and after them: the curve leaves and arrives as between its first
/// and its last frames.
fn guarded(curve: Option<&Curve<Vec3>>, bind: Vec3, frames: Frames) -> Vec<Vec3> {
    let mut values = sampled(curve, bind, frames);
    let end = values.len() - 1;
    let [second, before] = [1, end.saturating_sub(1)].map(|at| values[at.min(end)]);
    values.insert(0, values[0] * 2.0 - second);
    values.push(values[end + 1] * 2.0 - before);
    values
}

fn sampled<T: Blend>(curve: Option<&Curve<T>>, bind: T, frames: Frames) -> Vec<T> {
    curve.and_then(|own| frames.sample(own)).unwrap_or_else(|| vec![bind; frames.len])
}

/// Adds several clips.
pub(super) fn add(
    file: &mut Ms3d,
    clips: &[&Clip],
    scene: &Scene,
    places: &[usize],
    space: Space,
    author: &mut Author<'_>,
) -> Result<(), AuthorError> {
    let bones = scene.skeleton.bones();
    let (close, is_free) = (CLOSE * author.size(), author.settings().rate.is_none());
    let mut rate = rate(author.rate_of_all(clips));
    let runs = loop {
        for clip in clips {
            author.frames_at(clip, rate, 0)?;
        }
        let runs = Placed::all(clips, bones.len(), rate);
        let frames = runs.last().map_or(0, Placed::last).saturating_add(1);
        author.limit("frames", frames, MOST, SHORTEN)?;
        author.charge(frames.saturating_mul(FRAME * bones.len()), || "the timeline of all clips".into())?;
        let off =
            || runs.iter().flat_map(|own| (0..bones.len()).map(|bone| own.off(bone))).fold(0.0, f32::max);
        if !is_free || rate * 2.0 > FASTEST || frames > MOST / 2 || off() <= close {
            break runs;
        }
        rate *= 2.0;
    };
    let deviates = |own: &Placed<'_>| author.deviates(&turning(own.clip), &scene.skeleton, own.frames);
    let is_off = |own: &Placed<'_>| (0..bones.len()).any(|bone| own.off(bone) > close);
    let is_wrong = is_free && runs.iter().any(|own| is_off(own) || deviates(own));
    for own in &runs {
        report_end(own.clip, own.frames, author);
    }
    if !is_wrong || !set_keys_between(file, &runs, scene, places, space, author)? {
        for (index, bone) in bones.iter().enumerate() {
            set_keys(&mut file.joints[places[index]], &runs, index, bone.bind, space);
            for own in &runs {
                let off = own.off(index);
                if off > close {
                    report_curve(&bone.name, own.clip, off, rate, author);
                }
            }
        }
        for own in &runs {
            author.report_deviations(&turning(own.clip), &scene.skeleton, own.frames);
        }
    }
    let last = runs.last().map_or(0, Placed::last).saturating_add(1);
    let total_frames = i32::try_from(last).unwrap_or(i32::MAX);
    file.animation = Animation { fps: rate, total_frames, current_time: 1.0 };
    add_ranges(file, &runs, author);
    Ok(())
}

/// Sets the keys of a joint that a clip moves.
fn set_keys(joint: &mut Joint, runs: &[Placed<'_>], bone: usize, bind: Transform, space: Space) {
    #[expect(clippy::cast_precision_loss, reason = "frames are fewer than 2^16")]
    let time = |own: &Placed<'_>, frame: usize| frame as f32 / own.frames.rate;
    if runs.iter().any(|own| own.curves[bone].translation.is_some()) {
        let keys = runs.iter().flat_map(|own| {
            let values = guarded(own.curves[bone].translation, bind.translation, own.frames);
            let keys = (own.first - 1..).zip(values);
            keys.map(|(frame, value)| Keyframe { time: time(own, frame), value: offset(value, bind, space) })
        });
        joint.position_keys = keys.collect::<Vec<_>>().into();
    }
    if runs.iter().any(|own| own.curves[bone].rotation.is_some()) {
        let keys = runs.iter().flat_map(|own| {
            let values = kept(sampled(own.curves[bone].rotation, bind.rotation, own.frames));
            values.map(|(at, value)| Keyframe {
                time: time(own, own.first + at),
                value: turn(value, bind, space),
            })
        });
        joint.rotation_keys = keys.collect::<Vec<_>>().into();
    }
}

/// Sets keys at times of their own for every joint that a clip moves. Returns whether joints hold as many.
fn set_keys_between(
    file: &mut Ms3d,
    runs: &[Placed<'_>],
    scene: &Scene,
    places: &[usize],
    space: Space,
    author: &Author<'_>,
) -> Result<bool, AuthorError> {
    let linear: Vec<_> = runs.iter().map(|run| author.linear(run.clip, &scene.skeleton)).collect();
    let mut all = Vec::with_capacity(places.len());
    for (bone, own) in scene.skeleton.bones().iter().enumerate() {
        let mut joined = [Vec::new(), Vec::new()];
        for (run, linear) in runs.iter().zip(&linear) {
            let end = Some(run.frames.time(run.frames.len - 1));
            let place = free::Place { start: run.frames.time(run.first), end };
            let keys = free::keyframes(run.curves[bone], (linear, author), place, own.bind, space)?;
            let Some(keys) = keys else { return Ok(false) };
            joined.iter_mut().zip(keys).for_each(|(joined, keys)| joined.extend(keys));
        }
        if joined.iter().any(|keys| keys.len() > MOST) {
            return Ok(false);
        }
        all.push(joined);
    }
    for (bone, ([positions, rotations], place)) in all.into_iter().zip(places).enumerate() {
        let joint = &mut file.joints[*place];
        if runs.iter().any(|run| run.curves[bone].translation.is_some()) {
            joint.position_keys = positions.into();
        }
        if runs.iter().any(|run| run.curves[bone].rotation.is_some()) {
            joint.rotation_keys = rotations.into();
        }
    }
    Ok(true)
}

/// The values and their frames without those between two equal ones.
fn kept(values: Vec<Quat>) -> impl Iterator<Item = (usize, Quat)> {
    let is_needed: Vec<bool> = (0..values.len())
        .map(|at| {
            at == 0 || at + 1 == values.len() || values[at - 1] != values[at] || values[at] != values[at + 1]
        })
        .collect();
    values.into_iter().enumerate().filter(move |(at, _)| is_needed[*at])
}

/// Writes the ranges of frames, in the words that [`Ms3d::ranges`] reads.
fn add_ranges(file: &mut Ms3d, runs: &[Placed<'_>], author: &mut Author<'_>) {
    let rules = NameRules { most: 255, allows: |byte| !b",=\r\n\0".contains(&byte), ..names("clip", true) };
    let trimmed = runs.iter().filter(|own| own.clip.name.trim() != own.clip.name).count();
    author.report_losses(trimmed, Lost::TrimmedNames);
    let fitted = author.fit_names(rules, runs.iter().map(|own| own.clip.name.trim()));
    let mut text = Vec::new();
    for (own, name) in runs.iter().zip(fitted) {
        text.extend_from_slice(b"Name=");
        text.extend_from_slice(&name);
        text.extend_from_slice(format!(", Start={}, End={}\r\n", own.first, own.last()).as_bytes());
    }
    file.comments = comments(Some(&text));
}
