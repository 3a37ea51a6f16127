//! Clips of morph targets.

use std::collections::HashMap;

use super::super::{Clip, Curve, Mesh, Targets};

/// Returns the morph targets that a clip animates by name, each with its weight. Of several tracks of a target, the last
/// one with keys is used.
#[must_use]
pub fn morph_curves<'c>(clip: &'c Clip, meshes: &[Mesh]) -> Vec<(String, &'c Curve<f32>)> {
    let name = |(mesh, morph): &(usize, usize)| Some(meshes.get(*mesh)?.morphs.get(*morph)?.name.clone());
    let mut curves: Vec<(String, &Curve<f32>)> = Vec::new();
    let mut places = HashMap::new();
    for track in clip.morphs.iter().filter(|track| !track.weight.times().is_empty()) {
        let names: Vec<String> = match &track.targets {
            Targets::Named(name) => vec![name.clone()],
            Targets::These(targets) => targets.iter().filter_map(name).collect(),
        };
        for name in names {
            let place = *places.entry(name.clone()).or_insert(curves.len());
            match curves.get_mut(place) {
                Some((_, curve)) => *curve = &track.weight,
                None => curves.push((name, &track.weight)),
            }
        }
    }
    curves
}
