//! Summarises files.

use super::{Bone, Chunk, Psa, Psk, Records, Sequence, SparseSequence};
use crate::codec::{About, Bounds, ClipInfo, SkeletonInfo};
use crate::wire::{FixedStr, escape};

pub(super) fn mesh(file: &Psk) -> About {
    About {
        skeleton: skeleton(file.bones()),
        bounds: Bounds::around(file.points().iter().copied()),
        ..common(&file.chunks)
    }
}

pub(super) fn animations(file: &Psa) -> About {
    About { skeleton: skeleton(file.bones()), clips: clips(file), ..common(&file.chunks) }
}

/// The stamp of the first chunk, and the number of records in each chunk.
fn common(chunks: &[Chunk]) -> About {
    let counts = chunks.iter().filter(|chunk| !chunk.records.is_empty());
    About {
        version: chunks.first().map(|head| head.type_flag.to_string()),
        counts: counts.map(|chunk| (escape(chunk.id.text()), chunk.records.len())).collect(),
        ..About::default()
    }
}

fn skeleton(bones: &[Bone]) -> Option<SkeletonInfo> {
    let is_root =
        |index: usize, bone: &Bone| usize::try_from(bone.parent_index).map_or(true, |parent| parent == index);
    let roots = bones.iter().enumerate().filter(|(index, bone)| is_root(*index, bone));
    let roots = roots.map(|(_, bone)| escape(bone.name.text())).collect();
    (!bones.is_empty()).then_some(SkeletonInfo { bones: bones.len(), roots })
}

fn clips(file: &Psa) -> Vec<ClipInfo> {
    let dense = file.sequences().iter().map(|Sequence { name, num_raw_frames, rate, .. }| ClipInfo {
        frames: Some((*num_raw_frames).into()),
        ..clip(name, *rate)
    });
    let sparse = file.chunks.iter().flat_map(|chunk| match &chunk.records {
        Records::SparseSequences(list) => list.as_slice(),
        _ => &[],
    });
    dense.chain(sparse.map(|SparseSequence { name, rate, .. }| clip(name, *rate))).collect()
}

fn clip(name: &FixedStr<64>, rate: f32) -> ClipInfo {
    ClipInfo { name: escape(name.text()), frames: None, rate: Some(rate), seconds: None }
}
