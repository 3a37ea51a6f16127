//! Influences that fit a format.

use std::collections::BTreeMap;

use super::super::{Influence, Mesh, Skeleton, Weights};
use super::Author;

impl Author<'_> {
    /// Removes the weakest influences of vertices with more than `most`, or than the settings allow, and normalises the
    /// others. Reports the affected bones.
    pub fn limit_influences(&mut self, mesh: &mut Mesh, skeleton: &Skeleton, most: usize) {
        let most = self.settings().max_influences.map_or(most, |own| own.clamp(1, most));
        let Some(skin) = mesh.skin.as_mut().filter(|skin| skin.weights.most() > most) else { return };
        let mut dropped: BTreeMap<usize, usize> = BTreeMap::new();
        let rows: Vec<Vec<Influence>> = (0..skin.weights.len())
            .map(|vertex| {
                let (kept, lost) = skin.weights.of(vertex).split_at(most.min(skin.weights.of(vertex).len()));
                for own in lost {
                    let bone = skin.joints.get(own.joint as usize).map_or(usize::MAX, |joint| joint.bone);
                    *dropped.entry(bone).or_default() += 1;
                }
                if lost.is_empty() { kept.to_vec() } else { normalised(kept) }
            })
            .collect();
        skin.weights = Weights::from_influences(rows);
        for (bone, vertices) in dropped {
            let name = skeleton.bones().get(bone).map_or("", |bone| &bone.name);
            let vertices = if vertices == 1 { "1 vertex".to_owned() } else { format!("{vertices} vertices") };
            self.lose(
                format!("bone {name:?}"),
                format!("its influence on {vertices} dropped, {most} others are stronger"),
            );
        }
    }
}

fn normalised(influences: &[Influence]) -> Vec<Influence> {
    let sum: f32 = influences.iter().map(|own| own.weight).sum();
    influences.iter().map(|own| Influence { weight: own.weight / sum, ..*own }).collect()
}

/// Returns weights as integers that add up to `full`, each less than 1 from its exact value; the strongest first.
///
/// ```
/// use bindpose::scene::{Influence, author::shares};
/// let thirds = [0, 1, 2].map(|joint| Influence { joint, weight: 1.0 / 3.0 });
/// assert_eq!(shares(&thirds, 100), [34, 33, 33]);
/// ```
#[must_use]
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    clippy::cast_precision_loss,
    reason = "weights are from 0 to 1"
)]
pub fn shares(influences: &[Influence], full: u32) -> Vec<u32> {
    // Most vertices of many models.
    if let [Influence { weight: 1.0, .. }] = influences {
        return vec![full];
    }
    let exact: Vec<f32> = influences.iter().map(|own| own.weight * full as f32).collect();
    let mut whole: Vec<u32> = exact.iter().map(|share| share.floor() as u32).collect();
    let mut order: Vec<usize> = (0..exact.len()).collect();
    order.sort_by(|a, b| exact[*b].fract().total_cmp(&exact[*a].fract()));
    let missing = full.saturating_sub(whole.iter().sum());
    for index in order.into_iter().cycle().take(if exact.is_empty() { 0 } else { missing as usize }) {
        whole[index] += 1;
    }
    whole
}
