//! Guesses the program that wrote a file from stamps, order and habits.
//!
//! No field names the writer. The stamps are dates of the format's revisions. Most writers differ in whether the first chunk
//! or all have the stamp, in the chunks, and in the values of unused fields.

use super::mesh::first;
use super::{Bone, Chunk, ChunkKind, ColorOrder, Presence, Records, stamp};
use crate::formats::Writer;

/// A writer, and what it determines.
pub(super) struct Origin {
    pub writer: Writer,
    /// The order in which it writes the channels of vertex colours, if that is known.
    pub colors: Option<ColorOrder>,
}

const RGBA: Option<ColorOrder> = Some(ColorOrder::Rgba);
const BGRA: Option<ColorOrder> = Some(ColorOrder::Bgra);
const UNKNOWN: Option<ColorOrder> = None;

macro_rules! writers {
    ($($id:ident $colors:ident $name:literal { by: $by:literal, differs: $differs:literal, source: $source:literal })+) => {
        $(pub(super) const $id: &Origin = &Origin {
            writer: Writer { name: $name, recognised_by: $by, differs: $differs, source: $source },
            colors: $colors,
        };)+

        /// The programs whose files can be told apart.
        pub(super) const WRITERS: &[&Writer] = &[$(&$id.writer),+];
    };
}

writers! {
    ACTORX_MAX BGRA "ActorX for 3ds Max" {
        by: "stamp 2003321 on the first chunk; or names of bones with blanks up to 31 characters under the stamps 1999801 and 0",
        differs: "vertex colours are blue, green, red, alpha; names of bones are padded with blanks; residue after names and ids; \
                  the default LOD bias of materials is 5",
        source: "ActorX 96587f4f (Vertebrate.h, MaxInterface.cpp); two real files"
    }
    ACTORX_MAYA BGRA "ActorX for Maya" {
        by: "stamp 20100422 on the first chunk, and blend curves, smoothing groups, residue in wedges or a key reduction",
        differs: "vertex colours are blue, green, red, alpha; a chunk of blend curves for each sequence",
        source: "ActorX 96587f4f (ActorX_MAYA/Vertebrate.h); no real file is known"
    }
    BINDPOSE RGBA "bindpose" {
        by: "length 1 and size 1 of the bones; in animations a key reduction of 1, too",
        differs: "vertex colours are red, green, blue, alpha; the root is its own parent",
        source: "its source"
    }
    UE_VIEWER_2011 UNKNOWN "UE Viewer (November 2011 to February 2012)" {
        by: "stamp 1999801 on every chunk, and two channels `EXTRAUV0`",
        differs: "all additional channels of texture coordinates have the id `EXTRAUV0`; `FACE3200` states 20 bytes per record up to \
                  January 2012",
        source: "UE Viewer 468d6be2, 6142bd8f, 47a7fc32, edb4d2cf"
    }
    UE_VIEWER_2019 UNKNOWN "UE Viewer (2019 to September 2020)" {
        by: "stamp 20100422 on every chunk",
        differs: "vertex colours are blue, green, red, alpha up to 31 January 2020, later red, green, blue, alpha, which is assumed; \
                  no `SCALEKEYS`",
        source: "UE Viewer 2a2ca5cb, dea7bbab"
    }
    UE_VIEWER_2020 RGBA "UE Viewer (from September 2020)" {
        by: "stamp 20100422 on the first chunk, in animations without curves and scale keys, and in meshes without bones",
        differs: "vertex colours are red, green, blue, alpha; an empty `SCALEKEYS`; bones of animations have no hierarchy; a \
                  `.config` beside animations names the tracks that the game does not have",
        source: "UE Viewer a0bfb468; real files"
    }
    UE_VIEWER_OR_MAYA UNKNOWN "UE Viewer (from September 2020) or ActorX for Maya" {
        by: "stamp 20100422 on the first chunk of a mesh with bones, without a mark of either",
        differs: "vertex colours are red, green, blue, alpha in the one, blue, green, red, alpha in the other; the former is assumed",
        source: "UE Viewer a0bfb468; ActorX 96587f4f"
    }
    UE_VIEWER UNKNOWN "UE Viewer" {
        by: "a `.config`",
        differs: "names tracks that sequences have in their file but not in the game",
        source: "UE Viewer a0bfb468; 426 real files"
    }
    FORK RGBA "UE Viewer (floxay's fork)" {
        by: "stamp 20210917 on the first chunk",
        differs: "normals after all other chunks; a scale key for each key",
        source: "floxay/UEViewer 604c387c"
    }
    CUE4PARSE RGBA "CUE4Parse" {
        by: "stamp 20100422 on the first chunk of animations with scale keys",
        differs: "a scale key for each key while the scale flag is 0; the size of bones is their scale; `FirstRawFrame` was the number \
                  of frames before September 2023",
        source: "CUE4Parse c6e72470, issue 103; one real file"
    }
    CUE4PARSE_2022 RGBA "CUE4Parse (2022 to 2023)" {
        by: "stamp 20220723 on the first chunk",
        differs: "normals before the bones; morph deltas are not mirrored along y as points are; `MRPHINFO` counts empty targets that \
                  are not written",
        source: "CUE4Parse c6e72470; real files"
    }
    CUE4PARSE_2023 RGBA "CUE4Parse (after 2023)" {
        by: "stamp 20220723 on the first chunk, and ACTRHEAD twice or the bones last",
        differs: "as before; the bones follow all other chunks; sockets",
        source: "CUE4Parse c6e72470 (ActorXMesh.cs)"
    }
    PYTHON RGBA "io_scene_psk_psa or psk_psa_py" {
        by: "stamp 1999801 on every chunk, and `EXTRAUV0` and following, normals, morph targets or smoothing groups",
        differs: "the ids of additional texture coordinates are `EXTRAUV0` instead of `EXTRAUVS0`; no `SCALEKEYS` unless asked for",
        source: "psk_psa_py 4b6738a1; real files of its repository"
    }
    OLD_OR_PYTHON RGBA "UE Viewer (2010 to 2012), io_scene_psk_psa, psk_psa_py or Legendary Explorer" {
        by: "stamp 1999801 on every chunk, without a mark of the others",
        differs: "no `SCALEKEYS`; of these, only psk_psa_py and io_scene_psk_psa write vertex colours",
        source: "UE Viewer dea7bbab; psk_psa_py 4b6738a1; Legendary Explorer d2747099"
    }
    HARRY_POTTER UNKNOWN "unidentified tool (Harry Potter 2)" {
        by: "stamp 1999801 on every chunk, and `SCALEKEYS` with a record size of 0 or 0xffff at the end of wedges",
        differs: "uninitialised memory in wedges; the number of children counts all descendants; `TrackTime` is in seconds; the scale flag \
                  is set without scale keys",
        source: "749 real files"
    }
    SNUGGLE UNKNOWN "Snuggle" {
        by: "chunks that only it writes",
        differs: "materials of 84 bytes, wedges of 13 bytes, and chunks for physics, worlds and sparse animations",
        source: "yretenai/io_import_pskx ffb3512d; no real file is known"
    }
}

/// The number of records that are examined; the guess is made for every file.
const MAX_EXAMINED: usize = 1000;

/// Returns the probable writer of these chunks, `None` if it is unknown.
pub(super) fn writer(chunks: &[Chunk]) -> Option<&'static Origin> {
    let (head, others) = chunks.split_first()?;
    if chunks.iter().filter_map(Chunk::kind).any(|kind| matches!(kind.presence, Presence::Only(_))) {
        return Some(SNUGGLE);
    }
    let everywhere = !others.is_empty() && others.iter().all(|chunk| chunk.type_flag == head.type_flag);
    let bones = first!(chunks, Bones);
    match head.type_flag {
        stamp::NONE | stamp::FIRST | stamp::SCALE_KEYS if is_padded(bones) => Some(ACTORX_MAX),
        stamp::SCALE_KEYS.. if !everywhere && is_own(chunks) => Some(BINDPOSE),
        stamp::MORPHS => Some(cue4parse(chunks)),
        stamp::NORMALS => Some(FORK),
        stamp::SCALE_KEYS => Some(ACTORX_MAX),
        stamp::COLORS if everywhere => Some(UE_VIEWER_2019),
        stamp::COLORS => Some(since_colors(chunks)),
        stamp::FIRST if everywhere => Some(stamped_everywhere(chunks)),
        _ => None,
    }
}

/// Whether names of bones have blanks up to the length of 31.
fn is_padded(bones: &[Bone]) -> bool {
    bones.first().is_some_and(|bone| bone.name.text().len() == 31 && bone.name.text().ends_with(b" "))
}

/// Whether the unused sizes of bones are those that bindpose writes, in a mesh or with sequences of ActorX's reduction.
fn is_own(chunks: &[Chunk]) -> bool {
    let is_one = |value: f32| value.to_bits() == 1.0_f32.to_bits();
    let has_size = |bone: &Bone| is_one(bone.length) && bone.size.into_iter().all(is_one);
    first!(chunks, Bones).first().is_some_and(has_size)
        && first!(chunks, Sequences).first().is_none_or(|own| is_one(own.key_reduction))
}

fn cue4parse(chunks: &[Chunk]) -> &'static Origin {
    let twice = chunks.iter().filter(|chunk| ChunkKind::MESH_HEAD.matches(&chunk.id)).count() > 1;
    let skeleton_last = chunks.last().is_some_and(|chunk| ChunkKind::BONES.matches(&chunk.id));
    if twice || skeleton_last { CUE4PARSE_2023 } else { CUE4PARSE_2022 }
}

/// Writers that stamp the first chunk with the revision of vertex colours.
fn since_colors(chunks: &[Chunk]) -> &'static Origin {
    let curves = chunks.iter().any(|chunk| matches!(chunk.records, Records::Curves(_)));
    let reduced = first!(chunks, Sequences).iter().take(MAX_EXAMINED).any(|one| one.key_reduction != 0.0);
    // Modelling programs export skins; static meshes come from games only.
    let boneless =
        chunks.iter().any(|chunk| matches!(&chunk.records, Records::Bones(bones) if bones.is_empty()));
    match () {
        () if curves || reduced || smooths(chunks) || has_residue(chunks) => ACTORX_MAYA,
        () if !first!(chunks, ScaleKeys).is_empty() => CUE4PARSE,
        () if boneless || has(chunks, &ChunkKind::ANIMATION_HEAD) => UE_VIEWER_2020,
        () => UE_VIEWER_OR_MAYA,
    }
}

/// Writers that stamp every chunk with the first revision.
fn stamped_everywhere(chunks: &[Chunk]) -> &'static Origin {
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
        () if hollow_scales || filled => HARRY_POTTER,
        () if numbers.len() < num_channels => UE_VIEWER_2011,
        () if extended || smooths(chunks) => PYTHON,
        () => OLD_OR_PYTHON,
    }
}

/// Whether there are smoothing groups other than the first; the engine does not keep them.
fn smooths(chunks: &[Chunk]) -> bool {
    first!(chunks, Faces).iter().take(MAX_EXAMINED).any(|face| face.smoothing_groups.raw() > 1)
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
