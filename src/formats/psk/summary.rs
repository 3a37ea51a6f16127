//! Summarises files.

use super::{Bone, Chunk, Psa, Psk, Records, Sequence, SparseSequence};
use crate::codec::{Bounds, ClipInfo, FileSummary, SkeletonInfo};
use crate::schema::unpadded;
use crate::wire::{FixedStr, escape};

/// What is known of lists that are not in memory as a whole.
#[derive(Default)]
pub(super) struct Totals {
    /// The number of records of each chunk.
    counts: Vec<usize>,
    /// The box around the points, and the index of their chunk.
    points: Option<(usize, Bounds)>,
}

impl Totals {
    pub fn of(chunks: &[Chunk]) -> Self {
        let mut totals = Self::default();
        chunks.iter().enumerate().for_each(|(at, chunk)| totals.add(at, &chunk.records));
        totals
    }

    /// Adds records of a chunk: all, or the next ones.
    pub fn add(&mut self, chunk: usize, records: &Records) {
        self.counts.resize(chunk + 1, 0);
        self.counts[chunk] += records.len();
        if let Records::Points(points) = records {
            let (first, bounds) = self.points.get_or_insert((chunk, Bounds::EMPTY));
            if *first == chunk {
                bounds.include(points.iter().copied());
            }
        }
    }
}

pub(super) fn mesh(file: &Psk, totals: &Totals) -> FileSummary {
    FileSummary {
        skeleton: skeleton(file.bones()),
        bounds: totals.points.and_then(|(_, bounds)| bounds.if_finite()),
        ..common(&file.chunks, &totals.counts)
    }
}

pub(super) fn animations(file: &Psa, totals: &Totals) -> FileSummary {
    FileSummary {
        skeleton: skeleton(file.bones()),
        clips: clips(file),
        ..common(&file.chunks, &totals.counts)
    }
}

/// The stamp of the first chunk, and the number of records in each chunk.
fn common(chunks: &[Chunk], counts: &[usize]) -> FileSummary {
    let counts = chunks.iter().zip(counts).filter(|(_, count)| **count > 0);
    FileSummary {
        version: chunks.first().map(|head| head.type_flag.to_string()),
        counts: counts.map(|(chunk, count)| (escape(chunk.id.text()), *count)).collect(),
        ..FileSummary::default()
    }
}

fn skeleton(bones: &[Bone]) -> Option<SkeletonInfo> {
    let is_root =
        |index: usize, bone: &Bone| usize::try_from(bone.parent_index).map_or(true, |parent| parent == index);
    let roots = bones.iter().enumerate().filter(|(index, bone)| is_root(*index, bone));
    let roots = roots.map(|(_, bone)| escape(unpadded(bone.name.text()))).collect();
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
