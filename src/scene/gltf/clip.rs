//! Converts clips to animations.

use std::collections::HashSet;
use std::collections::hash_map::{Entry, HashMap};

use glam::{Quat, Vec3};
use gltf_json::animation::{self, Animation, Channel, Property, Sampler, Target};
use gltf_json::validation::Checked::Valid;
use gltf_json::{Index, Node};

use super::node::node_index;
use super::{CHANNEL_BYTES, Draft, MAX_CHANNELS, MAX_WEIGHTS, ROOT_MOTION, extra, named};
use crate::scene::{self, Blend, Clip, Curve, Interpolation, Lost, Mesh, MorphTrack, Scene, Targets, Track};

impl Draft {
    pub fn clip(&mut self, clip: &Clip, scene: &Scene) {
        let most = MAX_CHANNELS.saturating_add(self.buffer.bytes.len() / CHANNEL_BYTES);
        let more = clip.tracks.len().saturating_add(clip.morphs.len());
        if self.num_channels.saturating_add(more) > most {
            self.report_loss(Lost::ManyCurves.of("clip", &clip.name));
            return;
        }
        let keys: usize = clip.tracks.iter().map(num_numbers).sum();
        let weights: usize = clip.morphs.iter().map(|own| own.weight.times().len()).sum();
        // Times are copied to find those that curves share.
        if !self.admit(3 * more, (keys + 2 * weights).saturating_mul(8), "clips", &clip.name) {
            return;
        }
        let mut draft =
            Moving { start: clip.span().map_or(0.0, |(start, _)| start.min(0.0)), ..Moving::default() };
        if draft.start < 0.0 {
            self.report_loss(Lost::NegativeTimes.of("clip", &clip.name));
        }
        let mut taken = HashSet::new();
        let mut refused = 0;
        for track in &clip.tracks {
            if track.bone >= self.num_bones || !taken.insert(track.bone) {
                refused += 1;
                continue;
            }
            let node = node_index(track.bone);
            let same = |value: Vec3| value;
            self.curve(&mut draft, node, Property::Translation, track.translation.as_ref(), same);
            let mut before = Quat::IDENTITY;
            let nearer = |value: Quat| {
                // Of the two quaternions of a rotation, the nearer one to the previous key: some readers interpolate
                // without this check.
                let unit = scene::unit(value);
                before = if unit.dot(before) < 0.0 { -unit } else { unit };
                before
            };
            self.curve(&mut draft, node, Property::Rotation, track.rotation.as_ref(), nearer);
            self.curve(&mut draft, node, Property::Scale, track.scale.as_ref(), same);
        }
        self.report_losses(refused, Lost::Tracks.of("clip", &clip.name));
        if !clip.morphs.is_empty() {
            self.morphs(&mut draft, clip, &scene.meshes);
        }
        self.num_channels += draft.channels.len();
        if draft.channels.is_empty() {
            self.replaced.clips += 1;
            return;
        }
        self.root.animations.push(Animation {
            extensions: None,
            extras: if clip.has_root_motion { extra(ROOT_MOTION, true) } else { None },
            channels: draft.channels,
            name: named(&clip.name),
            samplers: draft.samplers,
        });
    }

    /// Adds a curve. `choose` returns an equivalent value of a key between which readers interpolate best; the keys of
    /// splines have only one.
    fn curve<T: Blend + Into<[f32; N]>, const N: usize>(
        &mut self,
        draft: &mut Moving,
        node: Index<Node>,
        path: Property,
        curve: Option<&Curve<T>>,
        mut choose: impl FnMut(T) -> T,
    ) {
        let Some(curve) = curve else { return };
        let (kept, times) = rising(curve.times(), draft.start);
        self.replaced.keys += curve.times().len() - kept.len();
        if kept.is_empty() {
            return;
        }
        // glTF requires two keys for a cubic spline.
        let tangents = match curve.between() {
            Interpolation::CubicSpline(tangents) if kept.len() > 1 => Some(tangents),
            _ => None,
        };
        let interpolation = match curve.between() {
            Interpolation::Step => animation::Interpolation::Step,
            _ if tangents.is_some() => animation::Interpolation::CubicSpline,
            _ => animation::Interpolation::Linear,
        };
        let mut values: Vec<[f32; N]> = Vec::with_capacity(kept.len());
        for key in kept {
            let value = curve.values()[key];
            match tangents.map(|own| own[key]) {
                Some([into, out]) => values.extend([into, value, out].map(Into::into)),
                None => values.push(choose(value).into()),
            }
        }
        let output = self.buffer.floats(values, None, false);
        let input = self.buffer.times(&times);
        draft.push(
            node,
            path,
            Sampler { extensions: None, extras: None, input, interpolation: Valid(interpolation), output },
        );
    }

    /// Adds the tracks of the morph targets of all meshes; the first track for each target is used.
    fn morphs(&mut self, draft: &mut Moving, clip: &Clip, meshes: &[Mesh]) {
        let mut by_target = ByTarget::default();
        let mut refused = 0;
        for track in &clip.morphs {
            let taken = match &track.targets {
                Targets::Named(name) => {
                    self.targets.contains(name) && is_new(by_target.named.entry(name), track)
                }
                Targets::These(targets) => {
                    let there = |(mesh, target): &&(usize, usize)| {
                        self.morphed.get(*mesh).is_some_and(Option::is_some)
                            && meshes.get(*mesh).is_some_and(|mesh| *target < mesh.morphs.len())
                    };
                    let there = targets.iter().filter(there);
                    there.filter(|own| is_new(by_target.placed.entry(**own), track)).count() > 0
                }
            };
            refused += usize::from(!taken);
        }
        self.report_losses(refused, Lost::MorphTracks.of("clip", &clip.name));
        let mut bent = 0;
        for (index, (mesh, node)) in meshes.iter().zip(self.morphed.clone()).enumerate() {
            if let Some(node) = node {
                let targets = mesh.morphs.iter().enumerate();
                let tracks = targets.map(|(target, own)| by_target.find(index, target, &own.name));
                bent += self.weights(draft, node, &tracks.collect::<Vec<_>>(), clip);
            }
        }
        self.report_losses(bent, Lost::LinearMorphs.of("clip", &clip.name));
    }

    /// Adds the weights of all targets of a mesh, at the times of all keys. Returns the number of those that become linear.
    fn weights(
        &mut self,
        draft: &mut Moving,
        node: Index<Node>,
        tracks: &[Option<&MorphTrack>],
        clip: &Clip,
    ) -> usize {
        let mut times: Vec<f32> =
            tracks.iter().flatten().flat_map(|track| track.weight.times()).copied().collect();
        times.sort_by(f32::total_cmp);
        times.dedup();
        if times.is_empty() {
            return 0;
        }
        let (kept, shifted) = rising(&times, draft.start);
        let curves = || tracks.iter().flatten().map(|track| &track.weight);
        let is_step = curves().all(|own| *own.between() == Interpolation::Step);
        let is_spline = kept.len() > 1 && curves().all(|own| own.is_cubic() && own.times() == times);
        let (interpolation, parts) = match (is_step, is_spline) {
            (true, _) => (animation::Interpolation::Step, 1..2),
            (_, true) => (animation::Interpolation::CubicSpline, 0..3),
            _ => (animation::Interpolation::Linear, 1..2),
        };
        let num_values = times.len().saturating_mul(tracks.len()).saturating_mul(parts.len());
        let all = self.num_weights.saturating_add(num_values);
        if all > MAX_WEIGHTS {
            self.report_loss(Lost::ManyWeights.of("clip", &clip.name));
            return 0;
        }
        if !self.admit(1, num_values.saturating_mul(8), "clips", &clip.name) {
            return 0;
        }
        self.num_weights = all;
        let is_bent = |own: &&Curve<f32>| own.times().len() > 1 && *own.between() != Interpolation::Linear;
        let bent = if is_step || is_spline { 0 } else { curves().filter(is_bent).count() };
        // Of a spline, the tangents before all weights, the weights, and the tangents after them.
        let value = |curve: &Curve<f32>, key: usize, part: usize| match curve.between() {
            Interpolation::CubicSpline(tangents) if part != 1 => Some(tangents[key][part / 2]),
            _ => curve.sample(times[key]),
        };
        let value = |track: Option<&MorphTrack>, key: usize, part: usize| {
            [track.and_then(|track| value(&track.weight, key, part)).unwrap_or(0.0)]
        };
        let mut weights = Vec::with_capacity(kept.len() * parts.len() * tracks.len());
        for key in kept {
            for part in parts.clone() {
                weights.extend(tracks.iter().map(|track| value(*track, key, part)));
            }
        }
        let output = self.buffer.floats(weights, None, false);
        let input = self.buffer.times(&shifted);
        let interpolation = Valid(interpolation);
        let sampler = Sampler { extensions: None, extras: None, input, interpolation, output };
        draft.push(node, Property::MorphTargetWeights, sampler);
        bent
    }
}

/// Returns the number of numbers in the keys of a track, with those of tangents.
fn num_numbers(track: &Track) -> usize {
    fn of<T: Blend>(curve: Option<&Curve<T>>, width: usize) -> usize {
        curve.map_or(0, |curve| {
            let is_spline = matches!(curve.between(), Interpolation::CubicSpline(_));
            curve.times().len() * (1 + width * if is_spline { 3 } else { 1 })
        })
    }
    of(track.translation.as_ref(), 3) + of(track.rotation.as_ref(), 4) + of(track.scale.as_ref(), 3)
}

/// The tracks of morph targets.
#[derive(Default)]
struct ByTarget<'a> {
    named: HashMap<&'a str, &'a MorphTrack>,
    /// By mesh and target.
    placed: HashMap<(usize, usize), &'a MorphTrack>,
}

impl<'a> ByTarget<'a> {
    fn find(&self, mesh: usize, target: usize, name: &str) -> Option<&'a MorphTrack> {
        self.placed.get(&(mesh, target)).or_else(|| self.named.get(name)).copied()
    }
}

/// Sets a value that is not set yet.
fn is_new<K, V>(place: Entry<'_, K, V>, value: V) -> bool {
    let is_new = matches!(place, Entry::Vacant(_));
    place.or_insert(value);
    is_new
}

/// An animation that is being built.
#[derive(Default)]
struct Moving {
    /// The earliest time in seconds, if it is negative.
    start: f32,
    channels: Vec<Channel>,
    samplers: Vec<Sampler>,
}

impl Moving {
    fn push(&mut self, node: Index<Node>, path: Property, sampler: Sampler) {
        let target = Target { extensions: None, extras: None, node, path: Valid(path) };
        let sampler = Index::push(&mut self.samplers, sampler);
        self.channels.push(Channel { sampler, target, extensions: None, extras: None });
    }
}

/// Returns the keys whose times still increase after subtracting `start`, with those times.
fn rising(times: &[f32], start: f32) -> (Vec<usize>, Vec<f32>) {
    let mut last = f32::NEG_INFINITY;
    let shifted = times.iter().map(|time| (time - start).max(0.0)).enumerate();
    let kept = shifted.filter(|(_, time)| {
        let rises = *time > last && time.is_finite();
        last = if rises { *time } else { last };
        rises
    });
    kept.unzip()
}
