//! Writes clips as animation sets.

use glam::{Quat, Vec3};

use super::super::super::keys::KeyKind;
use super::super::super::object_writer::ObjectWriter as _;
use super::super::super::rows::Timed;
use super::super::super::writer::SymbolWriter;
use super::super::super::{AnimTicksPerSecond, Animation, AnimationKey, AnimationSet};
use super::{File, failed};
use crate::scene::author::{Author, AuthorError, Curves, curves_of};
use crate::scene::{Blend, Clip, Curve, Interpolation, Lost, Transform};

/// Ticks per second, the usual ones first. All have a tick for every frame of some rates.
const TICKS: [u32; 5] = [4800, 30_000, 44_100, 48_000, 60_000];

/// Ticks per second for times that are not frames of a usual rate.
const FINE: u32 = 1_000_000;

/// Keys per second of curves that are resampled.
const DENSE: f32 = 60.0;

impl<S: SymbolWriter> File<'_, S> {
    /// Writes the length of a tick, such that each key is at a tick; returns the ticks per second.
    pub fn ticks(&mut self, author: &mut Author<'_>) -> Result<f64, String> {
        let tracks = self.scene.clips.iter().flat_map(|clip| &clip.tracks);
        let curves = tracks.flat_map(|track| {
            let vectors = [&track.translation, &track.scale].map(|own| own.as_ref().map(Curve::times));
            vectors.into_iter().chain([track.rotation.as_ref().map(Curve::times)]).flatten()
        });
        let curves: Vec<&[f32]> = curves.filter(|times| !times.is_empty()).collect();
        if curves.is_empty() {
            return Ok(f64::from(TICKS[0]));
        }
        // Most curves have keys at the same times as the one before.
        let mut distinct = curves.clone();
        distinct.dedup();
        // Within the rounding of a time.
        let is_tick = |time: f64, ticks: u32| {
            let exact = time * f64::from(ticks);
            (exact - exact.round()).abs() <= 2e-3 + exact.abs() * f64::from(f32::EPSILON)
        };
        let usual = TICKS.into_iter().find(|ticks| times(&distinct).all(|time| is_tick(time, *ticks)));
        let last = times(&distinct).fold(0.0, f64::max);
        let fits = last * f64::from(FINE) < f64::from(i32::MAX);
        let ticks = usual.unwrap_or(if fits { FINE } else { TICKS[0] });
        let rounded = times(&curves).filter(|time| usual.is_none() && !is_tick(*time, ticks)).count();
        author.lose_some(rounded, Lost::RoundedTimes.with(ticks));
        self.out.object(&AnimTicksPerSecond { ticks })?;
        Ok(f64::from(ticks))
    }

    pub fn clips(&mut self, ticks: f64, author: &mut Author<'_>) -> Result<(), AuthorError> {
        for (index, clip) in self.scene.clips.iter().enumerate() {
            let bones = self.scene.skeleton.bones();
            let mut curves: Vec<_> = curves_of(clip, bones.len()).into_iter().enumerate().collect();
            curves.retain(|(_, own)| own.are_any());
            if curves.is_empty() {
                author.lose(Lost::StillClip.of("clip", &clip.name));
                continue;
            }
            report(clip, &curves, author);
            let num_keys: usize = curves.iter().map(|(_, own)| num_dense_keys(own)).sum();
            author.charge(num_keys.saturating_mul(DENSE_KEY), || format!("clip {:?}", clip.name))?;
            self.out.open(&self.names.clips[index], &AnimationSet {}).map_err(failed)?;
            for (bone, own) in curves {
                self.animation(&self.names.bones[bone], own, &bones[bone].bind, ticks).map_err(failed)?;
            }
            self.out.close();
        }
        Ok(())
    }

    /// Writes a track. Some programs use the identity for channels without keys, so each channel has at least one key.
    fn animation(
        &mut self,
        bone: &[u8],
        curves: Curves<'_>,
        bind: &Transform,
        ticks: f64,
    ) -> Result<(), String> {
        let space = self.space;
        self.out.open(b"", &Animation {})?;
        self.out.reference(bone, None)?;
        let rotations = keys(curves.rotation, bind.rotation, ticks);
        self.keys(KeyKind::Rotation, rotations, |own: Quat| {
            let [x, y, z, w] = space.rotation(own.to_array()).to_array();
            // The inverse of the rotation of a frame.
            [w, -x, -y, -z]
        })?;
        if curves.scale.is_some() || bind.scale != Vec3::ONE {
            let scales = keys(curves.scale, bind.scale, ticks);
            self.keys(KeyKind::Scale, scales, |own: Vec3| space.scale(own.into()).into())?;
        }
        let translations = keys(curves.translation, bind.translation, ticks);
        self.keys(KeyKind::Position, translations, |own: Vec3| space.point(own.into()).into())?;
        self.out.close();
        Ok(())
    }

    fn keys<T, const N: usize>(
        &mut self,
        kind: KeyKind,
        keys: Vec<(i32, T)>,
        value: impl Fn(T) -> [f32; N],
    ) -> Result<(), String> {
        let mut members = self.out.members::<AnimationKey>(b"")?;
        members.rows(b"keyType", 1, [kind as u32])?;
        members.rows(b"keys", keys.len(), keys.into_iter().map(|(time, own)| Timed(time, value(own))))?;
        members.close()
    }
}

/// Returns the times of the keys of curves.
fn times(curves: &[&[f32]]) -> impl Iterator<Item = f64> {
    curves.iter().copied().flatten().map(|time| f64::from(*time))
}

/// Reports keys that linear interpolation changes, and keys before the start.
fn report(clip: &Clip, curves: &[(usize, Curves<'_>)], author: &mut Author<'_>) {
    fn count<T: Blend>(curve: Option<&Curve<T>>, counts: &mut [usize; 2]) {
        let Some(curve) = curve else { return };
        counts[0] += usize::from(curve.is_cubic());
        counts[1] += curve.times().iter().filter(|time| **time < 0.0).count();
    }
    let mut counts = [0; 2];
    for (_, own) in curves {
        count(own.translation, &mut counts);
        count(own.rotation, &mut counts);
        count(own.scale, &mut counts);
    }
    author.lose_some(counts[0], Lost::Splines.of("clip", &clip.name).with(DENSE));
    author.lose_some(counts[1], Lost::EarlyKeys.of("clip", &clip.name));
}

/// Returns the keys of a curve for linear interpolation, by increasing ticks; without a curve the value at rest.
fn keys<T: Blend>(curve: Option<&Curve<T>>, rest: T, ticks: f64) -> Vec<(i32, T)> {
    let Some(curve) = curve.filter(|curve| !curve.times().is_empty()) else { return vec![(0, rest)] };
    let mut keys: Vec<(i32, T)> = Vec::with_capacity(curve.times().len());
    let mut add = |tick: i32, value: T| match keys.last_mut() {
        Some(last) if last.0 >= tick => last.1 = value,
        _ => keys.push((tick, value)),
    };
    let times = curve.times();
    if times[0] < 0.0 {
        add(0, curve.sample(0.0).unwrap_or(rest));
    }
    let mut before: Option<(f32, T)> = None;
    for (&time, &value) in times.iter().zip(curve.values()).filter(|(time, _)| **time >= 0.0) {
        let tick = tick(time, ticks);
        if let Some((last, held)) = before {
            match curve.between() {
                Interpolation::Linear => {}
                Interpolation::Step => add(tick.saturating_sub(1), held),
                Interpolation::CubicSpline(_) => {
                    for time in between(last, time) {
                        add(self::tick(time, ticks), curve.sample(time).unwrap_or(held));
                    }
                }
            }
        }
        add(tick, value);
        before = Some((time, value));
    }
    keys
}

/// The memory of a key that is resampled, and of its tokens.
const DENSE_KEY: usize = 128;

/// Returns the number of keys between those of splines.
fn num_dense_keys(curves: &Curves<'_>) -> usize {
    fn of<T: Blend>(curve: Option<&Curve<T>>) -> usize {
        let spline = curve.filter(|curve| curve.is_cubic());
        spline.map_or(0, |curve| curve.times().windows(2).map(|pair| num_steps(pair[0], pair[1])).sum())
    }
    of(curves.translation) + of(curves.rotation) + of(curves.scale)
}

/// Returns the number of parts between two keys.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "few keys; a large float saturates"
)]
fn num_steps(from: f32, to: f32) -> usize {
    ((to - from) * DENSE).ceil().min(1e6) as usize
}

/// Returns the times of resampled keys between two keys.
#[expect(clippy::cast_precision_loss, reason = "few keys")]
fn between(from: f32, to: f32) -> impl Iterator<Item = f32> {
    let steps = num_steps(from, to);
    (1..steps).map(move |step| from + (to - from) * (step as f32 / steps as f32))
}

#[expect(clippy::cast_possible_truncation, reason = "casts of floats clamp")]
fn tick(time: f32, ticks: f64) -> i32 {
    (f64::from(time) * ticks).round() as i32
}
