//! Influences that fit a format.

use std::collections::BTreeMap;

use super::super::{Influence, Loss, Lost, Mesh, Skeleton, Weights};
use super::Author;

impl Author<'_> {
    /// Removes the weakest influences of vertices with more than `most`, or than the settings allow, and normalises the
    /// others. Reports the affected bones.
    pub fn limit_influences(&mut self, mesh: &mut Mesh, skeleton: &Skeleton, most: usize) {
        let most = self.settings().max_influences.map_or(most, |own| own.clamp(1, most));
        for loss in limit_influences(mesh, skeleton, most) {
            self.report_losses(loss.count, loss);
        }
    }

    /// Attaches vertices without influence to the root: readers move them to the origin.
    pub(crate) fn attach_loose(&mut self, mesh: &mut Mesh, skeleton: &Skeleton) {
        let (Some(skin), Some(&root)) = (&mut mesh.skin, skeleton.order().first()) else { return };
        let loss = Lost::LooseVertices.of("mesh", &mesh.name);
        let count = skin.attach_loose(root);
        self.report_losses(count, loss.with(format_args!("{:?}", skeleton.bones()[root].name)));
    }
}

/// Removes the weakest influences of vertices with more than `most`, and normalises the others. Returns the affected bones.
pub(super) fn limit_influences(mesh: &mut Mesh, skeleton: &Skeleton, most: usize) -> Vec<Loss> {
    let Some(skin) = mesh.skin.as_mut().filter(|skin| skin.weights.most() > most) else { return Vec::new() };
    let mut dropped: BTreeMap<usize, usize> = BTreeMap::new();
    let own = &skin.weights;
    let rows = (0..own.len()).map(|vertex| {
        let (kept, lost) = own.of(vertex).split_at(most.min(own.of(vertex).len()));
        for own in lost {
            let bone = skin.joints.get(own.joint as usize).map_or(usize::MAX, |joint| joint.bone);
            *dropped.entry(bone).or_default() += 1;
        }
        let sum = if lost.is_empty() { 1.0 } else { kept.iter().map(|own| own.weight).sum() };
        kept.iter().map(move |own| Influence { weight: own.weight / sum, ..*own })
    });
    skin.weights = Weights::from_influences(rows);
    let name = |bone: usize| skeleton.bones().get(bone).map_or("", |bone| &bone.name);
    let loss = |(bone, count)| Loss { count, ..Lost::DroppedInfluences.of("bone", name(bone)).with(most) };
    dropped.into_iter().map(loss).collect()
}

/// A part of a weight by which no vertex moves visibly: less than this part of the distance of its joints.
const INVISIBLE: f32 = 1e-4;

impl Author<'_> {
    /// Reports vertices that move differently because their weights are stored as [`shares`] of `full`.
    #[expect(clippy::cast_precision_loss, reason = "shares are small")]
    pub(crate) fn report_shares(&mut self, mesh: &Mesh, full: u32) {
        let Some(skin) = &mesh.skin else { return };
        let mut stored = Vec::new();
        let mut off = |vertex| {
            let own = skin.weights.of(vertex);
            write_shares(own, full, &mut stored);
            let differences = own.iter().zip(&stored);
            differences
                .map(|(own, share)| (own.weight - *share as f32 / full as f32).abs())
                .fold(0.0, f32::max)
        };
        let off: Vec<f32> = (0..skin.weights.len()).map(&mut off).filter(|own| *own > INVISIBLE).collect();
        let most = off.iter().copied().fold(0.0, f32::max);
        let loss = Lost::RoundedWeights.of("mesh", &mesh.name);
        self.report_losses(off.len(), loss.with(format_args!("{full}; up to {most:.4} off")));
    }
}

/// Returns weights as integers that add up to `full`, each less than 1 from its exact value; the strongest first.
///
/// ```
/// use bindpose::scene::{Influence, author::shares};
/// let thirds = [0, 1, 2].map(|joint| Influence { joint, weight: 1.0 / 3.0 });
/// assert_eq!(shares(&thirds, 100), [34, 33, 33]);
/// ```
#[must_use]
pub fn shares(influences: &[Influence], full: u32) -> Vec<u32> {
    let mut shares = Vec::with_capacity(influences.len());
    write_shares(influences, full, &mut shares);
    shares
}

/// As [`shares`], without an allocation for each vertex.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    clippy::cast_precision_loss,
    reason = "weights are from 0 to 1"
)]
pub(crate) fn write_shares(influences: &[Influence], full: u32, shares: &mut Vec<u32>) {
    shares.clear();
    let exact = |own: &Influence| own.weight * full as f32;
    shares.extend(influences.iter().map(|own| exact(own).floor() as u32));
    let missing = full.saturating_sub(shares.iter().sum()) as usize;
    if missing == 0 {
        return;
    }
    // They are added to the largest fractions first, one to each.
    let precedes = |(a, own): (usize, &Influence), b: usize| {
        exact(own).fract().total_cmp(&exact(&influences[b]).fract()).then(b.cmp(&a)).is_gt()
    };
    for (at, share) in shares.iter_mut().enumerate() {
        let rank = influences.iter().enumerate().filter(|own| precedes(*own, at)).count();
        *share += ((missing + influences.len() - 1 - rank) / influences.len()) as u32;
    }
}
