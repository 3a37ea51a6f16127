//! Who wrote a file, as far as stamps, order and habits tell.
//!
//! No field names the writer. The stamps are dates of the format's revisions; whether they stand on the first chunk or
//! on all, which chunks there are, and what fills unused fields tells most writers apart.

use super::mesh::first;
use super::{Chunk, Records};

/// Revisions of the format, as the day of each.
mod stamp {
    /// The first.
    pub const UNREAL: i32 = 1_999_801;
    /// Scale keys.
    pub const SCALE: i32 = 2_003_321;
    /// Vertex colours.
    pub const COLORS: i32 = 20_100_422;
    /// Normals.
    pub const NORMALS: i32 = 20_210_917;
    /// Morph targets.
    pub const MORPHS: i32 = 20_220_723;
}

/// Ids that one extractor and its importer alone know.
const SNUGGLE: &[&str] = &["WRLDHEAD", "ANIXHEAD", "REFSKEL0", "RAWW0000", "VTXW3200", "VTXTANGS"];

/// Habits show in the first records; the question is asked of every file.
const LOOKED_AT: usize = 1000;

/// The probable writer of these chunks; several where they write alike, none where nothing tells.
pub(super) fn writer(chunks: &[Chunk]) -> Option<&'static str> {
    let (head, others) = chunks.split_first()?;
    if SNUGGLE.iter().any(|id| has(chunks, id)) {
        return Some("Snuggle");
    }
    let everywhere = !others.is_empty() && others.iter().all(|chunk| chunk.type_flag == head.type_flag);
    match head.type_flag {
        stamp::MORPHS => Some(cue4parse(chunks)),
        stamp::NORMALS => Some("UE Viewer (floxay's fork)"),
        stamp::SCALE => Some("ActorX for 3ds Max"),
        stamp::COLORS if everywhere => Some("UE Viewer (2019 to September 2020)"),
        stamp::COLORS => Some(since_colors(chunks)),
        stamp::UNREAL if everywhere => Some(stamped_everywhere(chunks)),
        _ => None,
    }
}

fn cue4parse(chunks: &[Chunk]) -> &'static str {
    let twice = chunks.iter().filter(|chunk| chunk.id == "ACTRHEAD").count() > 1;
    let skeleton_last = chunks.last().is_some_and(|chunk| chunk.id == "REFSKELT");
    if twice || skeleton_last { "CUE4Parse (after 2023)" } else { "CUE4Parse (2022 to 2023)" }
}

/// Writers that stamp the first chunk with the revision of vertex colours.
fn since_colors(chunks: &[Chunk]) -> &'static str {
    let curves = chunks.iter().any(|chunk| matches!(chunk.records, Records::Curves(_)));
    let reduced = first!(chunks, Sequences).iter().take(LOOKED_AT).any(|one| one.key_reduction != 0.0);
    // A modeller exports skins; static meshes come from games alone.
    let boneless =
        chunks.iter().any(|chunk| matches!(&chunk.records, Records::Bones(bones) if bones.is_empty()));
    match () {
        () if curves || reduced || smooths(chunks) || has_residue(chunks) => "ActorX for Maya",
        () if !first!(chunks, ScaleKeys).is_empty() => "CUE4Parse",
        () if boneless || has(chunks, "ANIMHEAD") => "UE Viewer (from September 2020)",
        () => "UE Viewer (from September 2020) or ActorX for Maya",
    }
}

/// Writers that stamp every chunk with the first revision.
fn stamped_everywhere(chunks: &[Chunk]) -> &'static str {
    let hollow_scales = chunks.iter().any(|chunk| chunk.id == "SCALEKEYS" && chunk.records.data_size() == 0);
    let filled = first!(chunks, Wedges).first().is_some_and(|wedge| wedge.unknown_0e == 0xffff);
    let first_extra = chunks.iter().filter(|chunk| chunk.id == "EXTRAUV0").count();
    let extended = first_extra == 1 || has(chunks, "VTXNORMS") || has(chunks, "MRPHINFO");
    match () {
        () if hollow_scales || filled => "unidentified tool (Harry Potter 2)",
        () if first_extra > 1 => "UE Viewer (November 2011 to February 2012)",
        () if extended || smooths(chunks) => "io_scene_psk_psa or psk_psa_py",
        () => "UE Viewer (2010 to 2012), io_scene_psk_psa, psk_psa_py or Legendary Explorer",
    }
}

/// Whether there are smoothing groups beside the first; the engine does not keep them.
fn smooths(chunks: &[Chunk]) -> bool {
    first!(chunks, Faces).iter().take(LOOKED_AT).any(|face| face.smoothing_groups > 1)
}

/// Whether padding holds memory of the writer; extractors clear it.
fn has_residue(chunks: &[Chunk]) -> bool {
    first!(chunks, Wedges).iter().take(LOOKED_AT).any(|wedge| wedge.unknown_0e != 0)
}

fn has(chunks: &[Chunk], id: &str) -> bool {
    chunks.iter().any(|chunk| chunk.id == id)
}
