//! Clips as frames of a fixed rate.

use std::borrow::Cow;

use glam::Vec3;

use super::super::{Blend, Clip, Curve, FRAME_RATE, Interpolation, Pose, Skeleton, Track};
use super::{Author, AuthorError};

/// The maximum number of frames of a clip: ten hours at 29 frames per second.
pub const MAX_FRAMES: usize = 1 << 20;

/// The maximum number of poses of single bones of a clip.
pub const MAX_POSES: usize = 1 << 24;

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

/// Whether a time is a whole number of frames, except for rounding errors of the time.
fn is_frame(seconds: f32, rate: f32) -> bool {
    let frame = f64::from(seconds) * f64::from(rate);
    (frame - frame.round()).abs() <= 2e-3 + 2e-6 * frame.abs()
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

/// Returns one track for each bone. A curve without keys is none; of several tracks of a bone, the last one with a curve
/// is used.
#[must_use]
pub fn tracks_of(clip: &Clip, num_bones: usize) -> Vec<Track> {
    borrowed_tracks_of(clip, num_bones).into_iter().map(Cow::into_owned).collect()
}

/// As [`tracks_of`], without copies of the curves of bones that have one track.
pub(crate) fn borrowed_tracks_of(clip: &Clip, num_bones: usize) -> Vec<Cow<'_, Track>> {
    let none = |bone| Cow::Owned(Track { bone, ..Track::default() });
    let mut tracks: Vec<_> = (0..num_bones).map(none).collect();
    for own in &clip.tracks {
        let Some(track) = tracks.get_mut(own.bone) else { continue };
        if has_no_curve(track) && has_keys(own) {
            *track = Cow::Borrowed(own);
            continue;
        }
        let track = track.to_mut();
        replace(&mut track.translation, own.translation.as_ref());
        replace(&mut track.rotation, own.rotation.as_ref());
        replace(&mut track.scale, own.scale.as_ref());
    }
    tracks
}

fn has_no_curve(track: &Track) -> bool {
    track.translation.is_none() && track.rotation.is_none() && track.scale.is_none()
}

/// Whether each curve has keys.
fn has_keys(track: &Track) -> bool {
    let is_empty = |curve: &Option<Curve<Vec3>>| curve.as_ref().is_some_and(|own| own.times().is_empty());
    let is_still = track.rotation.as_ref().is_some_and(|own| own.times().is_empty());
    !(is_empty(&track.translation) || is_still || is_empty(&track.scale))
}

fn replace<T: Clone + Blend>(curve: &mut Option<Curve<T>>, own: Option<&Curve<T>>) {
    if let Some(own) = own.filter(|own| !own.times().is_empty()) {
        *curve = Some(own.clone());
    }
}

/// Returns the times of all keys of a clip, in ascending order and without duplicates.
pub(super) fn key_times(clip: &Clip) -> Vec<f32> {
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

/// How far a curve is from its frames, which are interpolated linearly.
fn deviation<T: Blend>(curve: &Curve<T>, frames: Frames) -> f32 {
    // Between two frames, a curve without a key there is farthest off near the middle.
    let middle = |frame: usize| f32::midpoint(frames.time(frame), frames.time(frame + 1));
    let middles: Vec<f32> = match curve.between() {
        Interpolation::Linear => Vec::new(),
        _ => (0..frames.len - 1).map(middle).collect(),
    };
    let keys = curve.times().iter().copied().filter(|time| !frames.has(*time));
    let at = |time: f32| {
        let position = (time * frames.rate).max(0.0);
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "not negative")]
        let frame = (position.floor() as usize).min(frames.len - 1);
        let next = (frame + 1).min(frames.len - 1);
        let values = (curve.sample(frames.time(frame)), curve.sample(frames.time(next)), curve.sample(time));
        let (Some(from), Some(to), Some(exact)) = values else { return 0.0 };
        from.blend(to, position.fract()).distance(exact)
    };
    middles.into_iter().chain(keys).map(at).fold(0.0, f32::max)
}

/// Deviations that are not reported: 0.1 mm, 0.02 degrees, and a scale of 0.0001.
const INVISIBLE: [f32; 3] = [1e-4, 0.02, 1e-4];

impl Author<'_> {
    /// Returns the frames of a clip: at the rate in the settings, or at one with a frame for every key, or at the usual
    /// rate.
    ///
    /// # Errors
    /// If there are more than [`MAX_FRAMES`].
    pub fn frames(&mut self, clip: &Clip) -> Result<Frames, AuthorError> {
        let times = key_times(clip);
        let rate = self.settings().rate.or_else(|| rate_of(&times)).unwrap_or(FRAME_RATE);
        self.frames_of(clip, &times, rate)
    }

    /// Returns the frames of a clip at a rate.
    ///
    /// # Errors
    /// As [`frames`](Self::frames).
    pub fn frames_at(&mut self, clip: &Clip, rate: f32) -> Result<Frames, AuthorError> {
        self.frames_of(clip, &key_times(clip), rate)
    }

    fn frames_of(&mut self, clip: &Clip, times: &[f32], rate: f32) -> Result<Frames, AuthorError> {
        let frames = Frames::until(times.last().copied().unwrap_or(0.0), rate);
        self.limit("frames", frames.len, MAX_FRAMES, "choose a lower rate, or shorten the clip")?;
        let poses = frames.len.saturating_mul(self.scene().skeleton.bones().len());
        self.limit("poses of bones", poses, MAX_POSES, "choose a lower rate, or shorten the clip")?;
        let early = times.iter().filter(|time| **time < 0.0).count();
        self.lose_some(
            early,
            &format!("times of keys of clip {:?}", clip.name),
            "before the start of the clip",
        );
        Ok(frames)
    }

    /// Returns the frames of a clip for a format that does not store the rate: readers assume [`FRAME_RATE`]. Reports another
    /// rate in the settings.
    ///
    /// # Errors
    /// As [`frames`](Self::frames).
    pub fn frames_without_rate(&mut self, clip: &Clip) -> Result<Frames, AuthorError> {
        let rate = self.settings().rate.unwrap_or(FRAME_RATE);
        if (rate - FRAME_RATE).abs() > f32::EPSILON {
            let why = format!(
                "the format does not store its rate of {rate} frames per second; readers assume {FRAME_RATE}"
            );
            self.lose(format!("clip {:?}", clip.name), why);
        }
        self.frames_at(clip, rate)
    }

    /// Returns the pose of the skeleton at each frame, and reports how far the clip is from them between frames, for each
    /// bone.
    pub fn sample(&mut self, clip: &Clip, skeleton: &Skeleton, frames: Frames) -> Vec<Pose> {
        self.poses(clip, skeleton, frames).collect()
    }

    /// As [`sample`](Self::sample), one after the other.
    pub(crate) fn poses<'c>(&mut self, clip: &'c Clip, skeleton: &Skeleton, frames: Frames) -> Poses<'c> {
        let tracks = borrowed_tracks_of(clip, skeleton.bones().len());
        for track in &tracks {
            let own = track_deviation(track, frames);
            if own.iter().zip(INVISIBLE).all(|(own, most)| *own <= most) {
                continue;
            }
            let [distance, angle, scale] = own;
            let name = &skeleton.bones()[track.bone].name;
            let scaled = if scale > INVISIBLE[2] { format!(", scale {scale}") } else { String::new() };
            let why = format!(
                "resampled to {} frames per second; up to {distance} m and {angle} degrees{scaled} off between frames",
                frames.rate
            );
            self.lose(format!("bone {name:?} in clip {:?}", clip.name), why);
        }
        let tracks = tracks.into_iter().filter(|own| !has_no_curve(own)).map(|own| (own, [0; 3])).collect();
        Poses { bind: skeleton.bind_pose(), tracks, frames, frame: 0 }
    }
}

/// The poses of a skeleton at frames.
pub(crate) struct Poses<'c> {
    bind: Pose,
    /// Tracks, and the next key of each of their curves.
    tracks: Vec<(Cow<'c, Track>, [usize; 3])>,
    frames: Frames,
    frame: usize,
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
        for (track, [translation, rotation, scale]) in &mut self.tracks {
            let bone = &mut pose[track.bone];
            let sample = |curve: &Option<Curve<Vec3>>, next| curve.as_ref()?.sample_after(next, time);
            bone.translation = sample(&track.translation, translation).unwrap_or(bone.translation);
            let turned = track.rotation.as_ref().and_then(|own| own.sample_after(rotation, time));
            bone.rotation = turned.unwrap_or(bone.rotation);
            bone.scale = sample(&track.scale, scale).unwrap_or(bone.scale);
        }
        Some(pose)
    }
}

/// How far a track is from its frames: metres, degrees, scale.
fn track_deviation(track: &Track, frames: Frames) -> [f32; 3] {
    let of = |curve: &Option<Curve<Vec3>>| curve.as_ref().map_or(0.0, |own| deviation(own, frames));
    let turned = track.rotation.as_ref().map_or(0.0, |own| deviation(own, frames).to_degrees());
    [of(&track.translation), turned, of(&track.scale)]
}
