//! Animations.

use std::collections::HashMap;

use glam::{Quat, Vec3};
use gltf_json::animation::{self, Property, Sampler};
use gltf_json::validation::Checked::Valid;

use super::mesh::Meshes;
use super::node::Nodes;
use super::{Reader, extra, field, missing};
use crate::scene::gltf::ROOT_MOTION;
use crate::scene::{Blend, Clip, Curve, Interpolation, Lost, MorphTrack, Targets, Track, unit_or_nan};
use crate::{Error, ErrorKind, Result};

impl Reader<'_, '_> {
    /// Adds an animation.
    pub fn clip(&mut self, index: usize, nodes: &Nodes, meshes: &Meshes) -> Result<()> {
        let own = &self.root.animations[index];
        let mut clip = Clip {
            name: own.name.clone().unwrap_or_default(),
            has_root_motion: extra(&own.extras, ROOT_MOTION) == Some(true.into()),
            ..Clip::default()
        };
        let mut tracks: HashMap<usize, usize> = HashMap::new();
        let mut refused = 0;
        for channel in &own.channels {
            let error =
                || missing(field("animations", Some(index), "channels"), "sampler", channel.sampler.value());
            let sampler = own.samplers.get(channel.sampler.value()).ok_or_else(error)?;
            let node = channel.target.node.value();
            if channel.target.path == Valid(Property::MorphTargetWeights) {
                self.weights(index, sampler, (meshes, node), &mut clip.morphs)?;
                continue;
            }
            let Some(bone) = nodes.own_bone(node) else {
                refused += 1;
                continue;
            };
            let place = *tracks.entry(bone).or_insert_with(|| {
                clip.tracks.push(Track { bone, ..Track::default() });
                clip.tracks.len() - 1
            });
            let track = &mut clip.tracks[place];
            let is_new = match channel.target.path {
                Valid(Property::Translation) => {
                    set(&mut track.translation, self.curve(index, sampler, vector)?)
                }
                Valid(Property::Rotation) => {
                    let curve = self.curve(index, sampler, Quat::from_array)?;
                    set(&mut track.rotation, curve.as_ref().map(rotations))
                }
                _ => set(&mut track.scale, self.curve(index, sampler, vector)?),
            };
            refused += usize::from(!is_new);
        }
        self.builder.report_losses(refused, Lost::Channels.of("clip", &clip.name));
        self.builder.add_clip(clip);
        Ok(())
    }

    /// Reads the keys of one property; none if there are none.
    fn curve<T: Blend, const N: usize>(
        &mut self,
        index: usize,
        sampler: &Sampler,
        value: impl Fn([f32; N]) -> T,
    ) -> Result<Option<Curve<T>>> {
        let times = self.times(sampler)?;
        let values: Vec<T> = self.data.floats::<N>(sampler.output)?.into_iter().map(value).collect();
        keyed(index, sampler, &times, &values, 1).map(|mut curves| curves.pop())
    }

    /// Reads the weights of all morph targets of a node, relative to the default weights that are applied to its mesh.
    fn weights(
        &mut self,
        index: usize,
        sampler: &Sampler,
        (meshes, node): (&Meshes, usize),
        tracks: &mut Vec<MorphTrack>,
    ) -> Result<()> {
        let (targets, applied) = (&meshes.targets[node], &meshes.applied[node]);
        // Those of nodes and primitives that are not read have no targets in the scene.
        let width = self.num_targets(node).max(targets.len());
        if targets.is_empty() {
            self.builder.report_losses(width.min(1), Lost::Channels);
        }
        let times = self.times(sampler)?;
        let values: Vec<f32> = self.data.floats::<1>(sampler.output)?.into_iter().flatten().collect();
        let curves = keyed(index, sampler, &times, &values, width)?;
        let applied = applied.iter().copied().chain(std::iter::repeat(0.0));
        for ((weight, own), applied) in curves.into_iter().zip(targets).zip(applied) {
            if !own.is_empty() {
                let weight = if applied == 0.0 { weight } else { weight.map(|weight| weight - applied) };
                tracks.push(MorphTrack { targets: Targets::These(own.clone()), weight });
            }
        }
        Ok(())
    }

    /// Returns the number of morph targets of the mesh of a node.
    fn num_targets(&self, node: usize) -> usize {
        let mesh = self.root.nodes.get(node).and_then(|own| self.root.meshes.get(own.mesh?.value()));
        let targets = mesh.and_then(|own| own.primitives.first()?.targets.as_ref());
        targets.map_or(0, Vec::len)
    }

    fn times(&mut self, sampler: &Sampler) -> Result<Vec<f32>> {
        let times: Vec<f32> = self.data.floats::<1>(sampler.input)?.into_iter().flatten().collect();
        self.builder.report_order(times.iter().copied());
        Ok(times)
    }
}

/// Returns curves from keys with `width` values each.
fn keyed<T: Blend>(
    index: usize,
    sampler: &Sampler,
    times: &[f32],
    values: &[T],
    width: usize,
) -> Result<Vec<Curve<T>>> {
    let at = |name| field("animations", Some(index), name);
    let Valid(interpolation) = sampler.interpolation else {
        return Err(Error::new(0, ErrorKind::Unknown("unknown interpolation".into())).at(at("samplers")));
    };
    let per_key = if interpolation == animation::Interpolation::CubicSpline { 3 } else { 1 };
    let expected = times.len().saturating_mul(per_key).saturating_mul(width);
    if values.len() != expected {
        let why = format!("{} values for {} keys; expected {expected}", values.len(), times.len());
        return Err(Error::new(0, ErrorKind::Count(why)).at(at("samplers")));
    }
    if times.is_empty() {
        return Ok(Vec::new());
    }
    // The in tangents of a key precede its values, the out tangents follow them.
    let value = |key: usize, part: usize, of: usize| values[(key * per_key + part) * width + of];
    let curve = |of: usize| {
        let middle = usize::from(per_key == 3);
        let keys = times.iter().enumerate().map(|(key, time)| (*time, value(key, middle, of)));
        let between = match interpolation {
            animation::Interpolation::Step => Interpolation::Step,
            animation::Interpolation::Linear => Interpolation::Linear,
            animation::Interpolation::CubicSpline => Interpolation::CubicSpline(
                (0..times.len()).map(|key| [value(key, 0, of), value(key, 2, of)]).collect(),
            ),
        };
        Curve::new(keys, between)
    };
    Ok((0..width).map(curve).collect())
}

fn vector(value: [f32; 3]) -> Vec3 {
    value.into()
}

/// Normalises the rotations of keys; tangents keep their length.
fn rotations(curve: &Curve<Quat>) -> Curve<Quat> {
    curve.clone().map(unit_or_nan)
}

/// Sets a curve unless there is one already.
fn set<T>(place: &mut Option<Curve<T>>, curve: Option<Curve<T>>) -> bool {
    let is_new = place.is_none();
    if is_new {
        *place = curve;
    }
    is_new
}
