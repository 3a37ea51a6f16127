//! Samples animations at another frame rate.

use glam::{Quat, Vec3};

use super::edit::first_mut;
use super::{Clip, Curve, Curves, Key, Psa, Records, ScaleKey, ScaleKeys, Sequence};
use crate::edit::unsupported;
use crate::schema::Step;
use crate::{Budget, Error, FieldPath, File, Result};

pub(in crate::formats) fn resample(file: &mut File, rate: f32, budget: &Budget) -> Result<bool> {
    let File::Psa(file) = file else { return Ok(false) };
    file.resample(rate, budget)?;
    Ok(true)
}

/// The memory of a weight of a curve, which is moved when the list is complete.
const WEIGHT: u64 = 2 * size_of::<f32>() as u64;

/// Returns the path of a sequence.
fn path(index: usize) -> FieldPath {
    vec![Step::Field("sequences".into()), Step::Index(index)].into()
}

/// The frames of a sequence at another rate, as places among the old ones.
struct Frames {
    /// The number of old frames for each new one.
    step: f64,
    old: usize,
    new: usize,
}

impl Frames {
    fn of(sequence: &Sequence, rate: f32) -> Result<Self> {
        let (old, step) = (
            usize::try_from(sequence.num_raw_frames).unwrap_or(0),
            f64::from(sequence.rate) / f64::from(rate),
        );
        if !(sequence.rate > 0.0 && sequence.rate.is_finite()) {
            return Err(unsupported("the frame rate of a sequence is not a positive number"));
        }
        #[expect(
            clippy::cast_precision_loss,
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "casts of floats clamp"
        )]
        let new =
            old.checked_sub(1).map_or(0, |last| ((last as f64 / step).round() as usize).saturating_add(1));
        let has_room = i32::try_from(new).is_ok();
        has_room
            .then_some(Self { step, old, new })
            .ok_or_else(|| unsupported("a sequence has too many frames"))
    }

    /// Returns the old frames around each new one, and the share of the second.
    fn places(&self) -> impl Iterator<Item = (usize, usize, f32)> {
        #[expect(
            clippy::cast_precision_loss,
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "frames are few"
        )]
        (0..self.new).map(|frame| {
            let last = self.old - 1;
            let at = (frame as f64 * self.step).min(last as f64);
            (at as usize, (at as usize + 1).min(last), at.fract() as f32)
        })
    }

    /// Returns the number of records in all new frames, for those of all old ones.
    fn resized(&self, num_records: usize) -> usize {
        (num_records / self.old.max(1)).saturating_mul(self.new)
    }

    /// Returns records with a row for each new frame.
    fn rows<'a, T: Clone>(
        &'a self,
        records: &'a [T],
        blend: impl Fn(&T, &T, f32) -> T + 'a,
    ) -> impl Iterator<Item = T> + 'a {
        let width = records.len() / self.old.max(1);
        let places = self.places().take(if width == 0 { 0 } else { self.new });
        places.flat_map(move |(from, to, share)| {
            let row = |frame: usize| &records[frame * width..][..width];
            let pairs = row(from).iter().zip(row(to));
            pairs.map(|(a, b)| if share == 0.0 { a.clone() } else { blend(a, b, share) }).collect::<Vec<_>>()
        })
    }
}

impl Psa {
    fn resample(&mut self, rate: f32, budget: &Budget) -> Result<()> {
        self.has_rates()?;
        self.is_gapless()?;
        let (mut sequences, mut keys, mut scales, mut curves) =
            (Vec::new(), Vec::new(), Vec::new(), Vec::new());
        let mut first_raw_frame: i32 = 0;
        for (index, clip) in self.clips().enumerate() {
            let frames = Frames::of(clip.sequence, rate).map_err(|error| error.at(path(index)))?;
            let (num_keys, num_scales) =
                (clip.keys.map_or(0, <[_]>::len), clip.scale_keys.map_or(0, <[_]>::len));
            let num_weights = frames.new.saturating_mul(clip.curves.map_or(0, |own| own.iter().count()));
            let room = budget.reserve(&mut keys, frames.resized(num_keys));
            let room = room.and_then(|()| budget.reserve(&mut scales, frames.resized(num_scales)));
            let room = room.and_then(|()| budget.charge((num_weights as u64).saturating_mul(WEIGHT)));
            room.map_err(|why| Error::from(why).at(path(index)))?;
            let sequence = resampled(clip.sequence, &frames, rate, first_raw_frame);
            first_raw_frame = first_raw_frame.saturating_add(sequence.num_raw_frames);
            keys.extend(
                frames
                    .rows(clip.keys.unwrap_or_default(), blended)
                    .map(|key| Key { time: clip.sequence.key_time_with(key.time, rate), ..key }),
            );
            scales.extend(frames.rows(clip.scale_keys.unwrap_or_default(), |a, b, share| ScaleKey {
                scale: lerp(a.scale, b.scale, share),
                ..a.clone()
            }));
            curves.extend(resampled_curves(&clip, &frames));
            sequences.push(sequence);
        }
        if let Some(own) = first_mut!(self.chunks, Sequences) {
            **own = sequences;
        }
        if let Some(own) = first_mut!(self.chunks, Keys) {
            **own = keys;
        }
        if let Some(own) = first_mut!(self.chunks, ScaleKeys) {
            **own = scales;
        }
        let mut curves = curves.into_iter();
        for chunk in self.chunks.iter_mut() {
            if let Records::Curves(own) = &mut chunk.records
                && let Some(new) = curves.next()
            {
                *own = new;
            }
        }
        Ok(())
    }

    /// Checks that the sequences have all keys of the file, one after the other.
    fn is_gapless(&self) -> Result<()> {
        let mut end = 0;
        for clip in self.clips() {
            let range = clip.sequence.key_range();
            let is_next = clip.is_moved || range.is_some_and(|range| range.start == end);
            let Some(keys) = clip.keys.filter(|_| is_next) else {
                return Err(unsupported(
                    "the sequences do not have the keys of the file one after the other",
                ));
            };
            end += keys.len();
        }
        if matches!(self.scale_keys(), ScaleKeys::Unclear(_)) || end != self.keys().len() {
            return Err(unsupported("the sequences do not have all keys of the file"));
        }
        Ok(())
    }
}

fn resampled(own: &Sequence, frames: &Frames, rate: f32, first_raw_frame: i32) -> Sequence {
    let num_raw_frames = i32::try_from(frames.new).unwrap_or(i32::MAX);
    let is_counted = own.total_bones.checked_mul(own.num_raw_frames) == Some(own.key_quotum);
    let key_quotum = own.total_bones.checked_mul(num_raw_frames).filter(|_| is_counted);
    Sequence {
        rate,
        track_time: own.track_time_with(num_raw_frames, rate),
        first_raw_frame,
        num_raw_frames,
        key_quotum: key_quotum.unwrap_or(own.key_quotum),
        ..own.clone()
    }
}

fn resampled_curves(clip: &Clip<'_>, frames: &Frames) -> Option<Curves> {
    let own = clip.curves?;
    let mut new = Curves::new(frames.new);
    for curve in own.iter().filter(|_| own.num_frames() == frames.old) {
        let weights: Vec<f32> = frames.rows(&curve.weights, |a, b, share| a + (b - a) * share).collect();
        new.push(Curve { name: curve.name, weights: weights.into() });
    }
    Some(new)
}

fn lerp(a: [f32; 3], b: [f32; 3], share: f32) -> [f32; 3] {
    Vec3::from(a).lerp(b.into(), share).into()
}

fn blended(a: &Key, b: &Key, share: f32) -> Key {
    let [from, to] = [a, b].map(|key| Quat::from_array(key.orientation));
    let has_length = from.length_squared() > 0.0 && to.length_squared() > 0.0;
    let turned = if has_length { from.normalize().slerp(to.normalize(), share) } else { from };
    Key { position: lerp(a.position, b.position, share), orientation: turned.to_array(), time: a.time }
}
