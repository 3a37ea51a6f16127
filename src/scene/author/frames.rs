//! Clips as frames of a fixed rate.

use glam::{Quat, Vec3};

use super::super::{
    Avoid, Blend, Clip, Curve, FRAME_RATE, Interpolation, Loss, Lost, Measure, Pose, Skeleton, Track,
    Transform,
};
use super::{Author, AuthorError, morph_curves};

/// The maximum number of frames of a clip: ten hours at 29 frames per second.
pub const MAX_FRAMES: usize = 1 << 20;

/// The memory of the pose of a bone in a frame, before it is written.
pub(super) const POSE: usize = size_of::<Transform>();

/// The usual rates, which are preferred to other rates with a frame for every key.
const USUAL: [f32; 8] = [30.0, 24.0, 25.0, 60.0, 15.0, 20.0, 50.0, 120.0];

/// The largest rate that is searched for.
const FASTEST: u16 = 240;

/// Frames at a fixed rate; the first is at 0 seconds.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Frames {
    /// Frames per second.
    pub rate: f32,
    /// The number of frames, at least 1.
    pub len: usize,
}

#[expect(
    clippy::cast_precision_loss,
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "frames are far fewer than 2^24, and a float that is too large saturates"
)]
impl Frames {
    /// Returns frames until a time in seconds.
    #[must_use]
    pub fn until(seconds: f32, rate: f32) -> Self {
        let last = (f64::from(seconds) * f64::from(rate) - 1e-3).ceil().max(0.0);
        Self { rate, len: (last as usize).saturating_add(1) }
    }

    /// Returns the time of a frame in seconds.
    #[must_use]
    pub fn time(&self, frame: usize) -> f32 {
        frame as f32 / self.rate
    }

    /// Returns the times of all frames in seconds.
    pub fn times(&self) -> impl Iterator<Item = f32> + use<> {
        let frames = *self;
        (0..frames.len).map(move |frame| frames.time(frame))
    }

    /// Returns the values of a curve at all frames; none if it has no keys.
    #[must_use]
    pub fn sample<T: Blend>(&self, curve: &Curve<T>) -> Option<Vec<T>> {
        curve.sample_all(self.times())
    }

    /// Returns whether there is a frame at a time.
    #[must_use]
    pub fn has(&self, seconds: f32) -> bool {
        seconds >= 0.0 && is_frame(seconds, self.rate)
    }
}

/// Whether a time is a whole number of frames, except for rounding errors of the time: at most 0.1 ms.
fn is_frame(seconds: f32, rate: f32) -> bool {
    let frame = f64::from(seconds) * f64::from(rate);
    (frame - frame.round()).abs() <= f64::min(2e-3, 1e-4 * f64::from(rate)) + 2e-6 * frame.abs()
}

/// Returns a rate with a frame at each of these times: a usual one, or the smallest; none if there is no such rate.
#[must_use]
#[expect(clippy::cast_possible_truncation, reason = "a rate is a float")]
fn rate_of(times: &[f32]) -> Option<f32> {
    let fits = |rate: &f32| times.iter().all(|time| is_frame(*time, *rate));
    let usual = USUAL.into_iter().find(fits);
    let whole = || (1..=FASTEST).map(f32::from).find(fits);
    // A rate that is no whole number, from the smallest distance.
    let odd = || {
        let steps = times.windows(2).map(|pair| pair[1] - pair[0]);
        let step = steps.chain(times.first().copied()).filter(|step| *step > 0.0).reduce(f32::min)?;
        let last = f64::from(*times.last()?);
        let rate = ((last / f64::from(step)).round() / last) as f32;
        (rate > 0.0 && rate <= FASTEST.into()).then_some(rate).filter(fits)
    };
    usual.or_else(odd).or_else(whole)
}

/// Whether a rate is a whole number, except for rounding errors.
pub(crate) fn is_whole(rate: f32) -> bool {
    (rate - rate.round()).abs() < 1e-3
}

/// The curves of a bone.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Curves<'a> {
    pub translation: Option<&'a Curve<Vec3>>,
    pub rotation: Option<&'a Curve<Quat>>,
    pub scale: Option<&'a Curve<Vec3>>,
}

impl Curves<'_> {
    pub const fn are_any(&self) -> bool {
        self.translation.is_some() || self.rotation.is_some() || self.scale.is_some()
    }

    /// How far they are from their frames: metres, degrees, scale, each with the time in seconds.
    fn deviation(&self, frames: Frames) -> [(f32, f32); 3] {
        let of = |curve: Option<&Curve<Vec3>>| curve.map_or((0.0, 0.0), |own| deviation(own, frames));
        let (turned, time) = self.rotation.map_or((0.0, 0.0), |own| deviation(own, frames));
        [of(self.translation), (turned.to_degrees(), time), of(self.scale)]
    }
}

/// Returns the curves of each bone. A curve without keys is none; of several tracks of a bone, the last one with a curve
/// is used.
pub(crate) fn curves_of(clip: &Clip, num_bones: usize) -> Vec<Curves<'_>> {
    let mut curves = vec![Curves::default(); num_bones];
    for own in &clip.tracks {
        let Some(curves) = curves.get_mut(own.bone) else { continue };
        replace(&mut curves.translation, own.translation.as_ref());
        replace(&mut curves.rotation, own.rotation.as_ref());
        replace(&mut curves.scale, own.scale.as_ref());
    }
    curves
}

fn replace<'a, T: Blend>(curve: &mut Option<&'a Curve<T>>, own: Option<&'a Curve<T>>) {
    *curve = own.filter(|own| !own.times().is_empty()).or(*curve);
}

/// Returns one track for each bone. A curve without keys is none; of several tracks of a bone, the last one with a curve
/// is used.
#[must_use]
pub fn tracks_of(clip: &Clip, num_bones: usize) -> Vec<Track> {
    let track = |(bone, own): (usize, Curves<'_>)| Track {
        bone,
        translation: own.translation.cloned(),
        rotation: own.rotation.cloned(),
        scale: own.scale.cloned(),
    };
    curves_of(clip, num_bones).into_iter().enumerate().map(track).collect()
}

/// Returns the times of all keys of a clip, in ascending order and without duplicates.
pub(crate) fn key_times(clip: &Clip) -> Vec<f32> {
    let curves = clip.tracks.iter().flat_map(|track| {
        let [moved, scaled] = [&track.translation, &track.scale].map(|own| own.as_ref().map(Curve::times));
        [moved, scaled, track.rotation.as_ref().map(Curve::times)]
    });
    let curves = curves.flatten().chain(clip.morphs.iter().map(|morph| morph.weight.times()));
    // Most curves have keys at the same times as the one before.
    let mut previous: &[f32] = &[];
    let mut times = Vec::new();
    for own in curves {
        if own != previous {
            times.extend(own);
            previous = own;
        }
    }
    times.sort_unstable_by(f32::total_cmp);
    times.dedup();
    times
}

/// The number of parts between two keys or frames of a spline, at whose ends it is compared. Its distance from a straight line is a
/// cubic polynomial there, so that by Markov's inequality the greatest one is underestimated by at most 5 %.
const PARTS: u8 = 16;

/// How far a curve is from its frames, which are interpolated linearly, and when.
fn deviation<T: Blend>(curve: &Curve<T>, frames: Frames) -> (f32, f32) {
    // Splines can be farthest off anywhere between two keys or frames.
    let mut ends: Vec<f32> = Vec::new();
    if matches!(curve.between(), Interpolation::CubicSpline(_)) {
        ends.extend(frames.times().chain(curve.times().iter().copied()));
        ends.sort_unstable_by(f32::total_cmp);
    }
    let between = |ends: &[f32]| {
        let (start, step) = (ends[0], (ends[1] - ends[0]) / f32::from(PARTS));
        (1..PARTS).map(move |part| start + step * f32::from(part))
    };
    let is_step = *curve.between() == Interpolation::Step;
    let times = curve.times();
    let nearest = |key: usize| (times[key] * frames.rate).round();
    #[expect(clippy::float_cmp, reason = "both are whole")]
    let shares_frame = |key: usize| key > 0 && nearest(key - 1) == nearest(key);
    // A frame just before a step has the value before it, and of two keys at a frame it has one.
    let is_seen = |key: &usize| is_step || !frames.has(times[*key]) || shares_frame(*key);
    let keys = (0..times.len()).filter(is_seen).map(|key| times[key]);
    let position = |time: f32| (time * frames.rate).max(0.0);
    let off = |frame: f32, part: f32, exact: Option<T>| {
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "not negative")]
        let frame = (frame as usize).min(frames.len.saturating_sub(1));
        let next = (frame + 1).min(frames.len.saturating_sub(1));
        let values = (curve.sample(frames.time(frame)), curve.sample(frames.time(next)), exact);
        let (Some(from), Some(to), Some(exact)) = values else { return 0.0 };
        from.blend(to, part).distance(exact)
    };
    let at = |time: f32| off(position(time).floor(), position(time).fract(), curve.sample(time));
    // Just before a key, a step still has the value of the key before it, while its frames approach the next one.
    let jumps = curve.times().iter().skip(1).zip(curve.values()).filter(|_| is_step);
    let jump = |(time, before): (&f32, &T)| {
        let frame = (position(*time).ceil() - 1.0).max(0.0);
        (off(frame, (position(*time) - frame).min(1.0), Some(*before)), *time)
    };
    let all =
        ends.windows(2).flat_map(between).chain(keys).map(|time| (at(time), time)).chain(jumps.map(jump));
    all.max_by(|one, other| one.0.total_cmp(&other.0)).unwrap_or_default()
}

/// Deviations that are not reported: 0.1 mm, in models of less than a metre 0.0001 of the size; 0.02 degrees, and a scale of
/// 0.0001.
const INVISIBLE: [f32; 3] = [1e-4, 0.02, 1e-4];

impl Author<'_> {
    /// Returns the frames of a clip: at the rate in the settings, or at one with a frame for every key, or at the usual
    /// rate. `memory` is that of a frame in bytes.
    ///
    /// # Errors
    /// If there are more than [`MAX_FRAMES`], or their memory exceeds the budget.
    pub fn frames(&mut self, clip: &Clip, memory: usize) -> Result<Frames, AuthorError> {
        let times = key_times(clip);
        let rate = self.settings().rate.or_else(|| rate_of(&times)).unwrap_or(FRAME_RATE);
        self.frames_of(clip, &times, rate, memory)
    }

    /// Returns the rate in the settings, or one with a frame for every key of these clips, or the usual one.
    #[must_use]
    pub fn rate_of_all(&self, clips: &[&Clip]) -> f32 {
        let mut times: Vec<f32> = clips.iter().flat_map(|clip| key_times(clip)).collect();
        times.sort_unstable_by(f32::total_cmp);
        times.dedup();
        self.settings().rate.or_else(|| rate_of(&times)).unwrap_or(FRAME_RATE)
    }

    /// Returns the frames of a clip at a rate.
    ///
    /// # Errors
    /// As [`frames`](Self::frames).
    pub fn frames_at(&mut self, clip: &Clip, rate: f32, memory: usize) -> Result<Frames, AuthorError> {
        self.frames_of(clip, &key_times(clip), rate, memory)
    }

    /// Charges the frames of a clip.
    pub(crate) fn charge_frames(
        &self,
        clip: &Clip,
        frames: Frames,
        memory: usize,
    ) -> Result<(), AuthorError> {
        self.charge(frames.len.saturating_mul(memory), || format!("clip {:?}", clip.name))
    }

    fn frames_of(
        &mut self,
        clip: &Clip,
        times: &[f32],
        rate: f32,
        memory: usize,
    ) -> Result<Frames, AuthorError> {
        let frames = Frames::until(times.last().copied().unwrap_or(0.0), rate);
        self.limit("frames", frames.len, MAX_FRAMES, "choose a lower rate, or shorten the clip")?;
        self.charge_frames(clip, frames, memory)?;
        let early = times.iter().filter(|time| **time < 0.0).count();
        self.report_losses(early, Lost::EarlyKeys.of("clip", &clip.name));
        Ok(frames)
    }

    /// Returns the frames of a clip for a format that does not store the rate: readers assume [`FRAME_RATE`]. Reports another
    /// rate in the settings.
    ///
    /// # Errors
    /// As [`frames`](Self::frames).
    pub fn frames_without_rate(&mut self, clip: &Clip, memory: usize) -> Result<Frames, AuthorError> {
        let rate = self.settings().rate.unwrap_or(FRAME_RATE);
        if (rate - FRAME_RATE).abs() > f32::EPSILON {
            let avoid = Some(Avoid::Rate(FRAME_RATE));
            self.report_loss(Loss { avoid, ..Lost::RateNotStored.of("clip", &clip.name).with(rate) });
        }
        self.stores_rate = |_| false;
        self.frames_at(clip, rate, memory)
    }

    /// As [`frames_at`](Self::frames_at), for a format whose rates are whole numbers.
    ///
    /// # Errors
    /// As there.
    pub fn frames_at_whole(&mut self, clip: &Clip, rate: f32, memory: usize) -> Result<Frames, AuthorError> {
        self.stores_rate = is_whole;
        self.frames_at(clip, rate, memory)
    }

    /// Returns the pose of the skeleton at each frame, and reports how far the clip is from them between frames, for each
    /// bone.
    pub fn sample<'c>(
        &mut self,
        clip: &'c Clip,
        skeleton: &Skeleton,
        frames: Frames,
    ) -> impl Iterator<Item = Pose> + use<'c> {
        self.report_deviations(clip, skeleton, frames);
        let curves = curves_of(clip, skeleton.bones().len()).into_iter().enumerate();
        let animated = curves.filter(|(_, own)| own.are_any());
        let animated = animated.map(|(bone, curves)| Animated { bone, curves, next: [0; 3] }).collect();
        Poses { bind: skeleton.bind_pose(), animated, frames, frame: 0 }
    }

    /// Whether a clip is visibly off its frames.
    pub(crate) fn deviates(&self, clip: &Clip, skeleton: &Skeleton, frames: Frames) -> bool {
        let invisible = self.invisible();
        let of_bones = curves_of(clip, skeleton.bones().len());
        let mut all = of_bones.into_iter().flat_map(|own| own.deviation(frames).into_iter().zip(invisible));
        all.any(|((own, _), invisible)| own > invisible)
    }

    /// Reports how far a clip is from its frames, and the rate with a frame for every key, if there is one.
    pub(crate) fn report_deviations(&mut self, clip: &Clip, skeleton: &Skeleton, frames: Frames) {
        let deviations = curves_of(clip, skeleton.bones().len()).into_iter().map(|own| own.deviation(frames));
        let invisible = self.invisible();
        let (mut measure, mut worst, mut count) = (Measure::default(), None::<(f32, f32, &str)>, 0);
        for (own, bone) in deviations.zip(skeleton.bones()) {
            // In relation to what cannot be seen.
            let shares = own.iter().zip(invisible).map(|((own, time), invisible)| (own / invisible, *time));
            let (share, time) = shares.fold((0.0, 0.0), |most, own| if own.0 > most.0 { own } else { most });
            if share <= 1.0 {
                continue;
            }
            let [(metres, _), (degrees, _), (scale, _)] = own;
            measure.metres = measure.metres.max(metres);
            measure.degrees = measure.degrees.max(degrees);
            measure.scale = measure.scale.max(scale);
            worst = worst.filter(|(known, ..)| *known >= share).or(Some((share, time, &bone.name)));
            count += 1;
        }
        let Some((_, time, name)) = worst else { return };
        let detail = format!("{} frames per second; bone {name:?}{}", frames.rate, others(count, "bone"));
        self.report_frames(clip, frames, detail, measure.at(time));
    }

    /// Reports how far the vertices of morph targets are from where a clip moves them, because weights are those of frames.
    pub(crate) fn report_morph_deviations(&mut self, clip: &Clip, frames: Frames) {
        let invisible = self.invisible_distance();
        let (mut worst, mut count) = (None::<(f32, f32, String)>, 0);
        for (name, weight) in morph_curves(clip, self.meshes()) {
            let (off, time) = deviation(weight, frames);
            let metres = off * self.longest_delta(&name);
            if metres > invisible {
                worst = worst.filter(|(known, ..)| *known >= metres).or(Some((metres, time, name)));
                count += 1;
            }
        }
        let Some((metres, time, name)) = worst else { return };
        let detail =
            format!("{} frames per second; morph target {name:?}{}", frames.rate, others(count, "target"));
        self.report_frames(clip, frames, detail, Measure { metres, ..Measure::default() }.at(time));
    }

    /// Reports that a clip has frames, and the rate that avoids it, if there is one. At any rate, frames blend steps.
    fn report_frames(&mut self, clip: &Clip, frames: Frames, detail: String, measure: Measure) {
        let rate = if has_steps(clip) { None } else { rate_of(&key_times(clip)) };
        let is_other = |rate: &f32| (rate - frames.rate).abs() > f32::EPSILON && (self.stores_rate)(*rate);
        let exact = rate.filter(is_other);
        let loss = Lost::Resampled.of("clip", &clip.name).with(detail);
        self.report_loss(Loss { measure: Some(measure), avoid: exact.map(Avoid::Rate), ..loss });
    }

    fn invisible(&self) -> [f32; 3] {
        let [_, degrees, scale] = INVISIBLE;
        [self.invisible_distance(), degrees, scale]
    }

    fn invisible_distance(&self) -> f32 {
        INVISIBLE[0] * self.size().min(1.0)
    }
}

fn others(count: usize, what: &str) -> String {
    match count {
        1 => String::new(),
        2 => format!(", and another {what}"),
        count => format!(", and {} other {what}s", count - 1),
    }
}

fn has_steps(clip: &Clip) -> bool {
    fn is_step<T: Blend>(curve: Option<&Curve<T>>) -> bool {
        curve.is_some_and(|own| own.times().len() > 1 && *own.between() == Interpolation::Step)
    }
    let track = |own: &Track| {
        is_step(own.translation.as_ref()) || is_step(own.rotation.as_ref()) || is_step(own.scale.as_ref())
    };
    clip.tracks.iter().any(track) || clip.morphs.iter().any(|own| is_step(Some(&own.weight)))
}

fn sample<T: Blend>(curve: Option<&Curve<T>>, next: &mut usize, time: f32) -> Option<T> {
    curve?.sample_after(next, time)
}

/// The poses of a skeleton at frames.
struct Poses<'c> {
    bind: Pose,
    animated: Vec<Animated<'c>>,
    frames: Frames,
    frame: usize,
}

/// A bone with curves, and the index of the next key of each of them.
struct Animated<'c> {
    bone: usize,
    curves: Curves<'c>,
    next: [usize; 3],
}

impl Iterator for Poses<'_> {
    type Item = Pose;

    fn next(&mut self) -> Option<Pose> {
        if self.frame == self.frames.len {
            return None;
        }
        let time = self.frames.time(self.frame);
        self.frame += 1;
        let mut pose = self.bind.clone();
        for Animated { bone, curves, next: [translation, rotation, scale] } in &mut self.animated {
            let bone = &mut pose[*bone];
            bone.translation = sample(curves.translation, translation, time).unwrap_or(bone.translation);
            bone.rotation = sample(curves.rotation, rotation, time).unwrap_or(bone.rotation);
            bone.scale = sample(curves.scale, scale, time).unwrap_or(bone.scale);
        }
        Some(pose)
    }
}
