//! Writes clips as animation sets.

use glam::{Quat, Vec3};

use super::super::super::keys::KeyKind;
use super::super::super::syntax::object_writer::ObjectWriter as _;
use super::super::super::syntax::rows::Timed;
use super::super::super::syntax::writer::SymbolWriter;
use super::super::super::{AnimTicksPerSecond, Animation, AnimationKey, AnimationSet};
use super::{File, failed};
use crate::scene::author::{Author, AuthorError, Curves, Linear, curves_of};
use crate::scene::{Blend, Curve, Interpolation, Lost, Transform};

/// Ticks per second, the usual ones first. All have a tick for every frame of some rates.
const TICKS: [u32; 5] = [4800, 30_000, 44_100, 48_000, 60_000];

/// Ticks per second for times that are not frames of a usual rate.
const FINE: u32 = 1_000_000;

/// The memory of a key and of its tokens.
const KEY: usize = 128;

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
        author.report_losses(rounded, Lost::RoundedTimes.with(ticks));
        self.out.object(&AnimTicksPerSecond { ticks })?;
        Ok(f64::from(ticks))
    }

    pub fn clips(&mut self, ticks: f64, author: &mut Author<'_>) -> Result<(), AuthorError> {
        for (index, clip) in self.scene.clips.iter().enumerate() {
            let bones = self.scene.skeleton.bones();
            let mut curves: Vec<_> = curves_of(clip, bones.len()).into_iter().enumerate().collect();
            curves.retain(|(_, own)| own.are_any());
            if curves.is_empty() {
                author.report_loss(Lost::StillClip.of("clip", &clip.name));
                continue;
            }
            let early: usize = curves.iter().map(|(_, own)| num_early(own)).sum();
            author.report_losses(early, Lost::EarlyKeys.of("clip", &clip.name));
            self.out.open(&self.names.clips[index], &AnimationSet {}).map_err(failed)?;
            let linear = author.linear(clip, &self.scene.skeleton);
            for (bone, own) in curves {
                let keys = Keys::new(own, &bones[bone].bind, ticks, &linear)?;
                author.charge(keys.memory(), || format!("clip {:?}", clip.name))?;
                self.animation(&self.names.bones[bone], keys).map_err(failed)?;
            }
            self.out.close();
        }
        Ok(())
    }

    /// Writes a track.
    fn animation(&mut self, bone: &[u8], keys: Keys) -> Result<(), String> {
        let space = self.space;
        self.out.open(b"", &Animation {})?;
        self.out.reference(bone, None)?;
        self.keys(KeyKind::Rotation, keys.rotations, |own: Quat| {
            let [x, y, z, w] = space.rotation(own.to_array()).to_array();
            // The inverse of the rotation of a frame.
            [w, -x, -y, -z]
        })?;
        if !keys.scales.is_empty() {
            self.keys(KeyKind::Scale, keys.scales, |own: Vec3| space.scale(own.into()).into())?;
        }
        self.keys(KeyKind::Position, keys.translations, |own: Vec3| space.point(own.into()).into())?;
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

/// Returns the number of keys before the start.
fn num_early(curves: &Curves<'_>) -> usize {
    fn of<T: Blend>(curve: Option<&Curve<T>>) -> usize {
        curve.map_or(0, |own| own.times().iter().filter(|time| **time < 0.0).count())
    }
    of(curves.translation) + of(curves.rotation) + of(curves.scale)
}

/// The keys of a bone by increasing ticks. Some programs use the identity for channels without keys, so each channel has at least
/// one key; without scales there are none.
struct Keys {
    translations: Vec<(i32, Vec3)>,
    rotations: Vec<(i32, Quat)>,
    scales: Vec<(i32, Vec3)>,
}

impl Keys {
    fn new(
        curves: Curves<'_>,
        bind: &Transform,
        ticks: f64,
        linear: &Linear<'_>,
    ) -> Result<Self, AuthorError> {
        let vectors = |curve: Option<&Curve<Vec3>>, rest, size| {
            let times = curve.map(|own| linear.vector_times(own, size)).transpose()?;
            Ok(keys(curve.zip(times), rest, ticks))
        };
        let times = curves.rotation.map(|own| linear.rotation_times(own)).transpose()?;
        let is_scaled = curves.scale.is_some() || bind.scale != Vec3::ONE;
        Ok(Self {
            translations: vectors(curves.translation, bind.translation, linear.size())?,
            rotations: keys(curves.rotation.zip(times), bind.rotation, ticks),
            scales: if is_scaled { vectors(curves.scale, bind.scale, 1.0)? } else { Vec::new() },
        })
    }

    fn memory(&self) -> usize {
        (self.translations.len() + self.rotations.len() + self.scales.len()) * KEY
    }
}

/// Returns the linear keys of a curve at these times; without a curve the value at rest.
fn keys<T: Blend>(curve: Option<(&Curve<T>, Vec<f32>)>, rest: T, ticks: f64) -> Vec<(i32, T)> {
    let Some((curve, times)) = curve.filter(|(_, times)| !times.is_empty()) else { return vec![(0, rest)] };
    let mut keys: Vec<(i32, T)> = Vec::with_capacity(times.len());
    let mut add = |tick: i32, value: T| match keys.last_mut() {
        Some(last) if last.0 >= tick => last.1 = value,
        _ => keys.push((tick, value)),
    };
    let value = |time: f32| curve.sample(time).unwrap_or(rest);
    let is_step = *curve.between() == Interpolation::Step;
    let times = if is_step { curve.times() } else { &times };
    let mut held = (times[0] < 0.0).then(|| value(0.0));
    if let Some(value) = held {
        add(0, value);
    }
    for time in times.iter().copied().filter(|time| *time >= 0.0) {
        let at = tick(time, ticks);
        // The key before a step is at the tick before it.
        if let Some(held) = held.filter(|_| is_step) {
            add(at.saturating_sub(1), held);
        }
        #[expect(clippy::cast_possible_truncation, reason = "times are floats")]
        let own = if curve.is_cubic() { value((f64::from(at) / ticks) as f32) } else { value(time) };
        add(at, own);
        held = Some(own);
    }
    keys
}

#[expect(clippy::cast_possible_truncation, reason = "casts of floats clamp")]
fn tick(time: f32, ticks: f64) -> i32 {
    (f64::from(time) * ticks).round() as i32
}
