//! Clips of morph targets.

use std::collections::{BTreeMap, HashMap, HashSet};

use super::super::{Clip, Curve, Mesh, Scene, Targets};
use crate::{Budget, LimitError};

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

/// A morph target with a name of its own.
pub(crate) struct NamedApart {
    pub mesh: usize,
    pub morph: usize,
    pub name: String,
}

/// The memory of a morph target and its name while names are compared.
const TARGET: u64 = 256;

/// How often the names of a renamed target and of its mesh are copied.
const COPIES: u64 = 6;

/// What comparing the weights of a target in a clip costs.
const COMPARED: u64 = 16;

/// Returns names for the morph targets that share their name with one of another weight: tracks in files name their target.
/// Targets with equal weights in all clips keep their name, as do those that a track names.
///
/// # Errors
/// If the budget does not permit the lists of targets.
pub(crate) fn named_apart(scene: &Scene, budget: &Budget) -> Result<Vec<NamedApart>, LimitError> {
    let clips = || scene.clips.iter().filter(|clip| !clip.morphs.is_empty());
    let num_clips = clips().count() as u64;
    if num_clips == 0 {
        return Ok(Vec::new());
    }
    let num_targets = scene.meshes.iter().map(|mesh| mesh.morphs.len() as u64).sum::<u64>();
    budget.charge(num_targets.saturating_mul(TARGET.saturating_add(num_clips.saturating_mul(COMPARED))))?;
    let mut by_name: BTreeMap<&str, Vec<(usize, usize)>> = BTreeMap::new();
    for (mesh, own) in scene.meshes.iter().enumerate() {
        for (morph, own) in own.morphs.iter().enumerate() {
            by_name.entry(&own.name).or_default().push((mesh, morph));
        }
    }
    let mut taken: HashSet<String> = by_name.keys().map(|name| (*name).to_owned()).collect();
    by_name.retain(|_, targets| targets.len() > 1);
    for track in clips().flat_map(|clip| &clip.morphs) {
        if let Targets::Named(name) = &track.targets {
            by_name.remove(&**name);
        }
    }
    let mut apart: HashSet<(usize, usize)> = HashSet::new();
    for clip in clips() {
        let mut weights: HashMap<(usize, usize), &Curve<f32>> = HashMap::new();
        for track in &clip.morphs {
            if let Targets::These(targets) = &track.targets {
                weights.extend(targets.iter().map(|target| (*target, &track.weight)));
            }
        }
        for targets in by_name.values() {
            let first = weights.get(&targets[0]);
            apart.extend(targets.iter().filter(|own| !is_same(weights.get(*own), first)));
        }
    }
    let apart: Vec<_> = by_name
        .into_iter()
        .flat_map(|(name, targets)| targets.into_iter().map(move |target| (name, target)))
        .filter(|(_, target)| apart.contains(target))
        .collect();
    // Each name is in two lists and in a loss, with the name of its mesh.
    let lengths = apart.iter().map(|(name, (mesh, _))| (name.len() + scene.meshes[*mesh].name.len()) as u64);
    budget.charge(lengths.fold(0, |sum: u64, own| sum.saturating_add(own.saturating_mul(COPIES))))?;
    let mut renamed = Vec::with_capacity(apart.len());
    for (name, (mesh, morph)) in apart {
        let mut own = format!("{name}_{}", scene.meshes[mesh].name);
        if taken.contains(&own) {
            own = format!("{own}_{mesh}_{morph}");
        }
        while taken.contains(&own) {
            own.push('_');
        }
        taken.insert(own.clone());
        renamed.push(NamedApart { mesh, morph, name: own });
    }
    Ok(renamed)
}

/// Whether two targets have the same weights. Many can share a long curve, which is not compared with itself.
fn is_same(a: Option<&&Curve<f32>>, b: Option<&&Curve<f32>>) -> bool {
    match (a, b) {
        (Some(a), Some(b)) => std::ptr::eq(*a, *b) || a == b,
        (a, b) => a.is_none() && b.is_none(),
    }
}
