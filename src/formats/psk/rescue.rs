//! Makes the remaining content of a truncated file consistent.

use super::{Chunk, Psa, Psk, Records, ScaleKeys, Sequence};
use crate::check::common::field_path;
use crate::rescue::Losses;

/// Removes or clamps references to lost points, wedges, materials and bones.
pub(super) fn mesh(file: &mut Psk, losses: &mut Losses) {
    raw(&mut file.chunks, losses);
    let places = wedges(file, losses);
    let materials = file.materials().len();
    let (points, bones) = (file.points().len(), file.bones().len());
    for (at, chunk) in file.chunks.iter_mut().enumerate() {
        let path = || field_path!["chunks", at, "records"];
        let before = chunk.records.len();
        let reason = match &mut chunk.records {
            Records::Faces(faces) => {
                faces.retain_mut(|face| remap(&mut face.wedge_indices, &places));
                faces.iter_mut().for_each(|face| clamp(&mut face.material_index, materials));
                "removed: their wedges are lost"
            }
            Records::Faces32(faces) => {
                faces.retain_mut(|face| remap(&mut face.wedge_indices, &places));
                faces.iter_mut().for_each(|face| clamp(&mut face.material_index, materials));
                "removed: their wedges are lost"
            }
            Records::Wedges(wedges) => {
                wedges.iter_mut().for_each(|wedge| clamp(&mut wedge.material_index, materials));
                continue;
            }
            Records::PackedWedges(wedges) => {
                wedges.iter_mut().for_each(|wedge| clamp(&mut wedge.material_index, materials));
                continue;
            }
            Records::Weights(weights) => {
                weights.retain(|weight| {
                    is_within(weight.point_index, points) && is_within(weight.bone_index, bones)
                });
                "removed: their points or bones are lost"
            }
            Records::Bones(records) => {
                let lost = records.iter_mut().filter(|bone| !is_within(bone.parent_index, bones));
                let count = lost.map(|bone| bone.parent_index = 0).count();
                losses.add_count(path(), count, "now have the parent 0: their own is lost");
                continue;
            }
            _ => continue,
        };
        losses.add_count(path(), before - chunk.records.len(), reason);
    }
    attributes(file, losses);
    morphs(file);
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

/// Replaces a lost material with the first.
fn clamp(material: &mut u8, materials: usize) {
    if usize::from(*material) >= materials {
        *material = 0;
    }
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
        losses.add_count(field_path!["chunks", at, "records"], removed, "removed: their points are lost");
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

/// Lets the morph targets announce the points that are left.
fn morphs(file: &mut Psk) {
    let lists = |chunk: &Chunk| match &chunk.records {
        Records::MorphDeltas(deltas) => Some(deltas.len()),
        _ => None,
    };
    let mut left = file.chunks.iter().find_map(lists).unwrap_or(0);
    for chunk in file.chunks.iter_mut() {
        let Records::MorphInfos(infos) = &mut chunk.records else { continue };
        for info in infos.iter_mut() {
            let own = usize::try_from(info.num_vertices).unwrap_or(0).min(left);
            info.num_vertices = i32::try_from(own).unwrap_or(i32::MAX);
            left -= own;
        }
    }
}

/// Cuts the sequences to the frames whose keys are left.
pub(super) fn animation(file: &mut Psa, losses: &mut Losses) {
    raw(&mut file.chunks, losses);
    let (bones, keys) = (file.bones().len(), file.keys().len());
    let mut left = keys;
    for (at, chunk) in file.chunks.iter_mut().enumerate() {
        let Records::Sequences(sequences) = &mut chunk.records else { continue };
        for (place, sequence) in sequences.iter_mut().enumerate() {
            let frames = usize::try_from(sequence.num_raw_frames).unwrap_or(0);
            let there = left.checked_div(bones).unwrap_or(0).min(frames);
            left -= there * bones;
            if there < frames || !is_of(sequence, bones) {
                let path = field_path!["chunks", at, "records", place];
                losses.add(path, format!("{there} of {frames} frames kept"));
                shorten(sequence, bones, there);
            }
        }
    }
    for chunk in file.chunks.iter_mut() {
        if let Records::Keys(list) = &mut chunk.records {
            list.truncate(keys - left);
        }
    }
    if matches!(file.scale_keys(), ScaleKeys::Unclear(_)) {
        retain(&mut file.chunks, losses, |records| !matches!(records, Records::ScaleKeys(_)));
    }
}

fn is_of(sequence: &Sequence, bones: usize) -> bool {
    usize::try_from(sequence.total_bones) == Ok(bones)
}

fn shorten(sequence: &mut Sequence, bones: usize, frames: usize) {
    let number = |count: usize| i32::try_from(count).unwrap_or(i32::MAX);
    sequence.total_bones = number(bones);
    sequence.num_raw_frames = number(frames);
    sequence.key_quotum = number(bones * frames);
    #[allow(clippy::cast_precision_loss, reason = "a time in frames")]
    let time = frames as f32;
    sequence.track_time = time;
}
