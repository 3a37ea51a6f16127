//! Keys in the order of a wrong description: those of one bone after those of another.

use glam::{Quat, Vec3};

use super::super::rules::KEY_ORDER;
use super::super::{Key, Psa, Records, ScaleKeys, Sequence};
use super::found;
use crate::check::common::field_path;
use crate::check::{Findings, Repair};
use crate::codec::Format;

/// How much the keys of bones change from frame to frame.
#[derive(Clone, Copy, Default)]
struct Change {
    rotation: f64,
    translation: f64,
}

impl Change {
    fn add(&mut self, from: &Key, to: &Key) {
        let [from_turn, to_turn] = [from, to].map(|key| Quat::from_array(key.orientation));
        let dot = from_turn.dot(to_turn) / (from_turn.length() * to_turn.length());
        let dot = if dot.is_finite() { dot } else { 1.0 };
        let moved = Vec3::from(from.position).distance(to.position.into());
        self.rotation += f64::from((1.0 - dot.abs()).max(0.0));
        self.translation += f64::from(moved);
    }
}

/// A change that rounding explains, for each key.
const NOISE: f64 = 1e-5;

/// Bones turn and move little between two frames, but differ much from each other: in 12 real files, the changes in the stored order
/// were at most 0.07 of those in the other one.
const FACTOR: f64 = 8.0;

/// The fewest keys that show an order.
const FEWEST: usize = 6;

/// Returns the number of bones and of frames of the keys of a sequence, if another order is possible.
fn size(sequence: &Sequence, keys: &[Key]) -> Option<(usize, usize)> {
    let bones = usize::try_from(sequence.total_bones).ok()?;
    let frames = usize::try_from(sequence.num_raw_frames).ok()?;
    (bones > 1 && frames > 1 && bones.checked_mul(frames) == Some(keys.len())).then_some((bones, frames))
}

/// Whether the keys of a sequence show that they are in the order of the bones, or in that of the frames; none if in neither.
fn is_by_bone(keys: &[Key], (bones, frames): (usize, usize)) -> Option<bool> {
    let (mut by_frame, mut by_bone) = (Change::default(), Change::default());
    keys.iter().zip(&keys[bones..]).for_each(|(from, to)| by_frame.add(from, to));
    for track in keys.chunks_exact(frames) {
        track.windows(2).for_each(|pair| by_bone.add(&pair[0], &pair[1]));
    }
    #[expect(clippy::cast_precision_loss, reason = "a tolerance")]
    let noise = NOISE * keys.len() as f64;
    let is_less = |one: f64, other: f64| one * FACTOR + noise < other;
    let show = |one: Change, other: Change| {
        [is_less(one.rotation, other.rotation), is_less(one.translation, other.translation)]
    };
    match (show(by_bone, by_frame), show(by_frame, by_bone)) {
        // Parts that move alike change less from one to the next, in one of the two.
        ([true, true], [false, false]) if keys.len() >= FEWEST => Some(true),
        (_, [false, false]) => None,
        _ => Some(false),
    }
}

/// Returns whether some sequences are in the order of the bones, and none in that of the frames. Sequences with the same keys, which
/// no writer has, show nothing.
fn is_in_order_of_bones(file: &Psa) -> bool {
    let mut places: Vec<_> =
        file.clips().map(|clip| (clip.first_key, clip.keys.map_or(0, <[Key]>::len))).collect();
    places.sort_unstable();
    if places.windows(2).any(|pair| pair[0].0 + pair[0].1 > pair[1].0) {
        return false;
    }
    let orders = file.clips().filter_map(|clip| {
        let keys = clip.keys.unwrap_or_default();
        is_by_bone(keys, size(clip.sequence, keys)?)
    });
    let mut is_found = false;
    for is_by_bone in orders {
        if !is_by_bone {
            return false;
        }
        is_found = true;
    }
    is_found
}

const WHAT: &str = "the keys are bone by bone, not frame by frame";

pub(super) fn check(file: &Psa, findings: &mut Findings) {
    let Some((chunk, _)) = found!(file.chunks, Keys) else { return };
    if is_in_order_of_bones(file) {
        findings.add(&KEY_ORDER, || field_path!["chunks", chunk, "records"], || WHAT.into());
    }
}

/// Returns keys that are bone by bone frame by frame.
fn by_frame<T: Clone>(keys: &[T], frames: usize) -> Vec<T> {
    (0..frames).flat_map(|frame| keys.iter().skip(frame).step_by(frames).cloned()).collect()
}

/// Returns the repair of a file whose keys are in the order of the bones.
pub(super) fn correction(file: &Psa, original: &[u8]) -> Option<Repair> {
    is_in_order_of_bones(file).then_some(())?;
    let mut corrected = file.clone();
    let (at, keys) = found!(file.chunks, Keys)?;
    let mut keys = keys.to_vec();
    let scales = found!(file.chunks, ScaleKeys);
    let (scales_at, mut scales) = scales.map_or((0, Vec::new()), |(at, scales)| (at, scales.to_vec()));
    let is_flagged = matches!(file.scale_keys(), ScaleKeys::Flagged(_));
    let mut first_flagged = 0;
    for clip in file.clips() {
        let (own, own_scales) = (clip.keys.unwrap_or_default(), clip.scale_keys.unwrap_or_default());
        let first_scale = if is_flagged { first_flagged } else { clip.first_key };
        first_flagged += own_scales.len();
        let Some((_, frames)) = size(clip.sequence, own) else { continue };
        keys[clip.first_key..][..own.len()].clone_from_slice(&by_frame(own, frames));
        if !own_scales.is_empty() {
            scales[first_scale..][..own_scales.len()].clone_from_slice(&by_frame(own_scales, frames));
        }
    }
    corrected.chunks[at].records = Records::Keys(keys.into());
    if !scales.is_empty() {
        corrected.chunks[scales_at].records = Records::ScaleKeys(scales.into());
    }
    let bytes = corrected.encode().ok()?;
    Some(Repair::new(&KEY_ORDER, 0..original.len() as u64, bytes, WHAT.into()))
}
