//! Guesses the program that wrote a file from stamps, order and habits.
//!
//! No field names the writer. The stamps are dates of the format's revisions. Most writers differ in whether the first chunk
//! or all have the stamp, in the chunks, and in the values of unused fields.

use super::mesh::first;
use super::{Chunk, ChunkKind, Presence, Records, stamp};

/// The number of records that are examined; the guess is made for every file.
const MAX_EXAMINED: usize = 1000;

/// Returns the probable writer of these chunks: several programs if they write alike, `None` if it is unknown.
pub(super) fn writer(chunks: &[Chunk]) -> Option<&'static str> {
    let (head, others) = chunks.split_first()?;
    let only = chunks.iter().filter_map(Chunk::kind).find_map(|kind| match kind.presence {
        Presence::Only(writer) => Some(writer),
        _ => None,
    });
    if only.is_some() {
        return only;
    }
    let everywhere = !others.is_empty() && others.iter().all(|chunk| chunk.type_flag == head.type_flag);
    match head.type_flag {
        stamp::MORPHS => Some(cue4parse(chunks)),
        stamp::NORMALS => Some("UE Viewer (floxay's fork)"),
        stamp::SCALE_KEYS => Some("ActorX for 3ds Max"),
        stamp::COLORS if everywhere => Some("UE Viewer (2019 to September 2020)"),
        stamp::COLORS => Some(since_colors(chunks)),
        stamp::FIRST if everywhere => Some(stamped_everywhere(chunks)),
        _ => None,
    }
}

fn cue4parse(chunks: &[Chunk]) -> &'static str {
    let twice = chunks.iter().filter(|chunk| ChunkKind::MESH_HEAD.matches(&chunk.id)).count() > 1;
    let skeleton_last = chunks.last().is_some_and(|chunk| ChunkKind::BONES.matches(&chunk.id));
    if twice || skeleton_last { "CUE4Parse (after 2023)" } else { "CUE4Parse (2022 to 2023)" }
}

/// Writers that stamp the first chunk with the revision of vertex colours.
fn since_colors(chunks: &[Chunk]) -> &'static str {
    let curves = chunks.iter().any(|chunk| matches!(chunk.records, Records::Curves(_)));
    let reduced = first!(chunks, Sequences).iter().take(MAX_EXAMINED).any(|one| one.key_reduction != 0.0);
    // Modelling programs export skins; static meshes come from games only.
    let boneless =
        chunks.iter().any(|chunk| matches!(&chunk.records, Records::Bones(bones) if bones.is_empty()));
    match () {
        () if curves || reduced || smooths(chunks) || has_residue(chunks) => "ActorX for Maya",
        () if !first!(chunks, ScaleKeys).is_empty() => "CUE4Parse",
        () if boneless || has(chunks, &ChunkKind::ANIMATION_HEAD) => "UE Viewer (from September 2020)",
        () => "UE Viewer (from September 2020) or ActorX for Maya",
    }
}

/// Writers that stamp every chunk with the first revision.
fn stamped_everywhere(chunks: &[Chunk]) -> &'static str {
    let is_hollow =
        |chunk: &Chunk| ChunkKind::SCALE_KEYS.matches(&chunk.id) && chunk.records.data_size() == 0;
    let hollow_scales = chunks.iter().any(is_hollow);
    let filled = first!(chunks, Wedges).first().is_some_and(|wedge| wedge.unknown_0e == 0xffff);
    let mut numbers: Vec<_> = chunks.iter().filter_map(extra_uv_number).collect();
    let num_channels = numbers.len();
    numbers.dedup();
    let extended =
        num_channels > 0 || has(chunks, &ChunkKind::NORMALS) || has(chunks, &ChunkKind::MORPH_INFOS);
    match () {
        () if hollow_scales || filled => "unidentified tool (Harry Potter 2)",
        () if numbers.len() < num_channels => "UE Viewer (November 2011 to February 2012)",
        () if extended || smooths(chunks) => "io_scene_psk_psa or psk_psa_py",
        () => "UE Viewer (2010 to 2012), io_scene_psk_psa, psk_psa_py or Legendary Explorer",
    }
}

/// Whether there are smoothing groups other than the first; the engine does not keep them.
fn smooths(chunks: &[Chunk]) -> bool {
    first!(chunks, Faces).iter().take(MAX_EXAMINED).any(|face| face.smoothing_groups > 1)
}

/// Whether padding contains memory of the writer; extractors clear it.
fn has_residue(chunks: &[Chunk]) -> bool {
    first!(chunks, Wedges).iter().take(MAX_EXAMINED).any(|wedge| wedge.unknown_0e != 0)
}

/// The number of a channel of additional texture coordinates in an id without the usual `S` before it.
fn extra_uv_number(chunk: &Chunk) -> Option<&[u8]> {
    let number = chunk.id.text().strip_prefix(ChunkKind::EXTRA_UVS.id_text().as_bytes())?;
    (!number.starts_with(b"S")).then_some(number)
}

fn has(chunks: &[Chunk], kind: &ChunkKind) -> bool {
    chunks.iter().any(|chunk| kind.matches(&chunk.id))
}
