//! Makes the remaining content of a truncated file consistent.

use std::collections::BTreeMap;
use std::ops::Range;

use super::check::parent;
use super::{Bone, Chunk, MorphDelta, Psa, PsaConfig, Psk, Records, ScaleKeys};
use crate::check::common::field_path;
use crate::check::{Check, Findings, check_any};
use crate::codec::Format;
use crate::counted;
use crate::rescue::{Losses, Rescue};
use crate::schema::{Leaf, NodeMut, Step, Value};
use crate::{FieldPath, Result};

impl Rescue for Psk {
    /// A file that ends between two chunks can lack the bones that its weights refer to.
    fn is_incomplete(&self) -> bool {
        self.bones().is_empty() && !self.weights().is_empty()
    }

    fn reconcile(&mut self, losses: &mut Losses) -> Result<()> {
        mesh(self, losses);
        Ok(())
    }
}

impl Rescue for Psa {
    fn reconcile(&mut self, losses: &mut Losses) -> Result<()> {
        animation(self, losses);
        Ok(())
    }
}

impl Rescue for PsaConfig {}

/// Makes a mesh consistent.
fn mesh(file: &mut Psk, losses: &mut Losses) {
    let damaged = damaged(&mut file.chunks, losses);
    raw(&mut file.chunks, losses);
    references(file, losses);
    while cut(file, |file| &mut file.chunks, &damaged, losses) {
        references(file, losses);
    }
    // Until here, damaged chunks are known by their indices.
    attributes(file, losses);
}

/// Makes animations consistent.
fn animation(file: &mut Psa, losses: &mut Losses) {
    let damaged = damaged(&mut file.chunks, losses);
    raw(&mut file.chunks, losses);
    frames(file, losses);
    while cut(file, |file| &mut file.chunks, &damaged, losses) {
        frames(file, losses);
    }
    if matches!(file.scale_keys(), ScaleKeys::Unclear(_)) {
        retain(&mut file.chunks, losses, |records| !matches!(records, Records::ScaleKeys(_)));
    }
}

/// Removes the gaps, and returns the chunks that are damaged before them, in order: any of their records can be wrong.
fn damaged(chunks: &mut [Chunk], losses: &mut Losses) -> Vec<usize> {
    let mut damaged = Vec::new();
    for (at, chunk) in chunks.iter_mut().enumerate() {
        let gap = chunk.gap.len() as u64;
        let mut is_cut = false;
        if let NodeMut::Items(records) = chunk.records.node_mut()
            && records.len() < records.announced()
        {
            let message = format!("{} of {} elements kept", records.len(), records.announced());
            losses.add(field_path!["chunks", at, "records"], message);
            is_cut = records.keep(records.len());
        }
        if gap > 0 {
            let message = format!("is removed: {} cannot be decoded", counted(gap, "byte"));
            losses.add(field_path!["chunks", at, "gap"], message);
            chunk.gap.discard();
        }
        if gap > 0 || is_cut {
            damaged.push(at);
        }
    }
    // If the file has lost bytes in its last chunk, it seems truncated.
    if losses.has_within(&field_path!["chunks"]) {
        damaged.extend(chunks.len().checked_sub(1));
    }
    damaged
}

/// Cuts each damaged chunk before its first record that violates a rule. Returns whether there is one.
fn cut<F: Check + Format>(
    file: &mut F,
    chunks: impl Fn(&mut F) -> &mut Vec<Chunk>,
    damaged: &[usize],
    losses: &mut Losses,
) -> bool {
    if damaged.is_empty() {
        return false;
    }
    let mut findings = Findings::new(usize::MAX);
    check_any(file, None, &mut findings);
    file.check(&mut findings);
    let wrong = findings.errors().filter_map(|path| match path.steps() {
        [_, Step::Index(chunk), _, Step::Index(record), ..] => Some((*chunk, *record)),
        _ => None,
    });
    let mut first = BTreeMap::new();
    for (chunk, record) in wrong.filter(|(chunk, _)| damaged.binary_search(chunk).is_ok()) {
        first.entry(chunk).and_modify(|first: &mut usize| *first = record.min(*first)).or_insert(record);
    }
    let chunks = chunks(file);
    let mut is_cut = false;
    for (at, record) in first {
        let Some(NodeMut::Items(records)) = chunks.get_mut(at).map(|chunk| chunk.records.node_mut()) else {
            continue;
        };
        let removed = records.len().saturating_sub(record);
        records.keep(record);
        losses.add_count(field_path!["chunks", at, "records"], removed, "removed: damaged");
        is_cut |= removed > 0;
    }
    is_cut
}

/// Removes or clamps references to lost points, wedges, materials and bones.
fn references(file: &mut Psk, losses: &mut Losses) {
    let places = wedges(file, losses);
    let materials = file.materials().len();
    let (points, bones) = (file.points().len(), file.bones().len());
    for (at, chunk) in file.chunks.iter_mut().enumerate() {
        let path = || field_path!["chunks", at, "records"];
        let before = chunk.records.len();
        let reason = match &mut chunk.records {
            Records::Faces(faces) => {
                faces.retain_mut(|face| remap(&mut face.wedge_indices, &places));
                clamp(&path(), faces.iter_mut().map(|face| &mut face.material_index), materials, losses);
                "removed: a wedge is lost"
            }
            Records::Faces32(faces) => {
                faces.retain_mut(|face| remap(&mut face.wedge_indices, &places));
                clamp(&path(), faces.iter_mut().map(|face| &mut face.material_index), materials, losses);
                "removed: a wedge is lost"
            }
            Records::Wedges(wedges) => {
                clamp(&path(), wedges.iter_mut().map(|wedge| &mut wedge.material_index), materials, losses);
                continue;
            }
            Records::PackedWedges(wedges) => {
                clamp(&path(), wedges.iter_mut().map(|wedge| &mut wedge.material_index), materials, losses);
                continue;
            }
            Records::Weights(weights) => {
                weights.retain(|weight| {
                    is_within(weight.point_index, points) && is_within(weight.bone_index, bones)
                });
                "removed: the point or the bone is lost"
            }
            Records::Bones(records) => {
                let count = unlink(records, bones);
                losses.add_count(path(), count, "changed to the parent -1: the former parent is lost");
                continue;
            }
            _ => continue,
        };
        losses.add_count(path(), before - chunk.records.len(), reason);
    }
    morphs(file, losses);
}

/// Makes bones without their parents roots, as readers treat them; returns their number.
fn unlink(records: &mut [Bone], bones: usize) -> usize {
    let is_lost =
        |(at, bone): &(usize, &mut Bone)| parent(*at, bone).is_some_and(|parent| !is_within(parent, bones));
    let lost = records.iter_mut().enumerate().filter(is_lost);
    lost.map(|(_, bone)| bone.parent_index = -1).count()
}

/// Cuts records of unknown meaning to those that are complete.
fn raw(chunks: &mut [Chunk], losses: &mut Losses) {
    for (at, chunk) in chunks.iter_mut().enumerate() {
        let Records::Raw(records) = &mut chunk.records else { continue };
        if let Some((kept, announced)) = records.trim() {
            let path = field_path!["chunks", at, "records"];
            losses.add(path, format!("{kept} of {announced} elements kept"));
        }
    }
}

fn is_within(index: impl TryInto<usize>, len: usize) -> bool {
    index.try_into().is_ok_and(|index| index < len)
}

/// Replaces lost materials with the first.
fn clamp<'a>(
    path: &FieldPath,
    indices: impl Iterator<Item = &'a mut u8>,
    materials: usize,
    losses: &mut Losses,
) {
    let lost = indices.filter(|index| **index > 0 && usize::from(**index) >= materials);
    let count = lost.map(|index| *index = 0).count();
    losses.add_count(path.clone(), count, "changed to the material 0: the former material is lost");
}

/// Renumbers the wedges of a face; returns whether all of them are left.
fn remap<T: Copy + TryInto<usize> + TryFrom<usize>>(wedges: &mut [T; 3], places: &[Option<usize>]) -> bool {
    wedges.iter_mut().all(|wedge| {
        let place = (*wedge).try_into().ok().and_then(|wedge| places.get(wedge).copied().flatten());
        place.and_then(|place| T::try_from(place).ok()).is_some_and(|place| {
            *wedge = place;
            true
        })
    })
}

/// Removes wedges whose points are lost. Returns the new index of each wedge that is left.
fn wedges(file: &mut Psk, losses: &mut Losses) -> Vec<Option<usize>> {
    let points = file.points().len();
    let is_kept: Vec<_> = file.wedges().iter().map(|wedge| is_within(wedge.point_index, points)).collect();
    let mut next = 0..;
    let places: Vec<_> = is_kept.iter().map(|is_kept| is_kept.then(|| next.next()).flatten()).collect();
    for (at, chunk) in file.chunks.iter_mut().enumerate() {
        let mut is_kept = is_kept.iter().copied();
        let mut keep = || is_kept.next().unwrap_or(false);
        let before = chunk.records.len();
        match &mut chunk.records {
            Records::Wedges(wedges) => wedges.retain(|_| keep()),
            Records::PackedWedges(wedges) => wedges.retain(|_| keep()),
            _ => continue,
        }
        let removed = before - chunk.records.len();
        losses.add_count(field_path!["chunks", at, "records"], removed, "removed: the point is lost");
    }
    places
}

/// Removes colours, texture coordinates and normals that are not one for each wedge or point.
fn attributes(file: &mut Psk, losses: &mut Losses) {
    let (points, wedges) = (file.points().len(), file.wedges().len());
    retain(&mut file.chunks, losses, |records| match records {
        Records::VertexColors(list) => list.len() == wedges,
        Records::ExtraUvs(list) => list.len() == wedges,
        Records::Normals(list) => list.len() == points,
        Records::Tangents(list) => list.len() == points,
        _ => true,
    });
}

fn retain(chunks: &mut Vec<Chunk>, losses: &mut Losses, is_kept: impl Fn(&Records) -> bool) {
    let mut at = 0;
    chunks.retain(|chunk| {
        let is_kept = is_kept(&chunk.records);
        if !is_kept {
            losses.add(field_path!["chunks", at], "is removed: it is incomplete");
        }
        at += 1;
        is_kept
    });
}

/// Removes the offsets of lost points, and lets the morph targets announce those that are left.
fn morphs(file: &mut Psk, losses: &mut Losses) {
    let points = file.points().len();
    let is_kept = |delta: &MorphDelta| is_within(delta.point_index, points);
    let deltas = file.chunks.iter().find_map(|chunk| match &chunk.records {
        Records::MorphDeltas(deltas) => Some(deltas.iter().map(is_kept).collect::<Vec<_>>()),
        _ => None,
    });
    let mut left = deltas.as_deref().unwrap_or_default();
    for (at, chunk) in file.chunks.iter_mut().enumerate() {
        let path = field_path!["chunks", at, "records"];
        match &mut chunk.records {
            Records::MorphDeltas(deltas) => {
                let before = deltas.len();
                deltas.retain(is_kept);
                losses.add_count(path, before - deltas.len(), "removed: the point is lost");
            }
            Records::MorphInfos(infos) => {
                for (place, info) in infos.iter_mut().enumerate() {
                    let announced = usize::try_from(info.num_vertices).unwrap_or(0).min(left.len());
                    let (own, others) = left.split_at(announced);
                    left = others;
                    let own = own.iter().filter(|is_kept| **is_kept).count();
                    let own = i32::try_from(own).unwrap_or(i32::MAX);
                    if own != info.num_vertices {
                        let path = path.join(&field_path![place, "num_vertices"]);
                        losses.add(path, format!("is {}, of which {own} are left", info.num_vertices));
                        info.num_vertices = own;
                    }
                }
            }
            _ => {}
        }
    }
}

/// Cuts the sequences to the frames whose keys are left, and the keys to the last frame of a sequence.
fn frames(file: &mut Psa, losses: &mut Losses) {
    let (bones, keys) = (file.bones().len(), file.keys().len());
    total_bones(&mut file.chunks, bones, losses);
    let ranges: Vec<_> = file.key_ranges().map(|(range, _)| range.unwrap_or_default()).collect();
    let end = shorten(&mut file.chunks, ranges, [bones, keys], losses);
    let keys = file.chunks.iter_mut().enumerate().find_map(|(at, chunk)| match &mut chunk.records {
        Records::Keys(keys) => Some((at, keys)),
        _ => None,
    });
    if let Some((at, keys)) = keys {
        let removed = keys.len().saturating_sub(end);
        keys.truncate(end);
        let path = field_path!["chunks", at, "records"];
        losses.add_count(path, removed, "removed: not a part of a frame of a sequence");
    }
}

/// Gives sequences the number of bones of the file.
fn total_bones(chunks: &mut [Chunk], bones: usize, losses: &mut Losses) {
    for (at, chunk) in chunks.iter_mut().enumerate() {
        let Records::Sequences(sequences) = &mut chunk.records else { continue };
        for (place, own) in sequences.iter_mut().enumerate() {
            if usize::try_from(own.total_bones) != Ok(bones) {
                let path = field_path!["chunks", at, "records", place, "total_bones"];
                losses.add(path, format!("is {}; now {bones}", own.total_bones));
                own.total_bones = number(bones);
                own.key_quotum = own.total_bones.saturating_mul(own.num_raw_frames);
            }
        }
    }
}

/// Cuts the sequences with these keys to the frames that are left. Returns the number of keys up to the last of them.
fn shorten(
    chunks: &mut [Chunk],
    ranges: Vec<Range<usize>>,
    [bones, keys]: [usize; 2],
    losses: &mut Losses,
) -> usize {
    let all = keys.checked_div(bones).unwrap_or(0);
    let mut end = 0;
    let mut ranges = ranges.into_iter();
    for (at, chunk) in chunks.iter_mut().enumerate() {
        let Records::Sequences(sequences) = &mut chunk.records else { continue };
        for (place, (own, range)) in sequences.iter_mut().zip(ranges.by_ref()).enumerate() {
            let frames = usize::try_from(own.num_raw_frames).unwrap_or(0);
            let first = range.start.checked_div(bones).unwrap_or(0).min(all);
            let left = frames.min(all - first);
            end = end.max(first + left);
            if left < frames {
                let path = field_path!["chunks", at, "records", place];
                losses.add(path, format!("{left} of {frames} frames kept"));
                own.track_time = own.track_time_with(number(left), own.rate);
                own.first_raw_frame = number(first);
                own.num_raw_frames = number(left);
                own.key_quotum = number(bones * left);
            }
        }
    }
    end * bones
}

fn number(count: usize) -> i32 {
    i32::try_from(count).unwrap_or(i32::MAX)
}
