//! What programs expect of the files that are written for them.

use super::super::{ChunkKind, ScaleKey, stamp};
use crate::scene::author::{Attributes, Author, Program, ROOT};
use crate::scene::{Bone, Lost, MAX_INFLUENCES, Skeleton};

/// A program with its conventions.
type Row = (Program, Conventions);

/// The conventions of files for a program.
#[expect(clippy::struct_excessive_bools, reason = "each is a chunk or a rule that a program knows or lacks")]
pub(super) struct Conventions {
    /// The stamp of all chunks; none for that of the newest chunk, on the first only.
    pub stamp: Option<i32>,
    /// What follows [`ChunkKind::EXTRA_UVS`] and precedes the number in ids of further UV sets.
    pub uv_suffix: &'static str,
    pub attributes: Attributes,
    pub normals: bool,
    pub sockets: bool,
    /// Whether animations have scale keys and curves of morph targets.
    pub scale_keys: bool,
    pub curves: bool,
    /// The maximum number of points, and of wedges.
    pub max_points: usize,
    pub max_wedges: usize,
    pub max_influences: usize,
    /// Whether there must be bones.
    pub needs_bones: bool,
}

/// What an index of 16 bits refers to.
const NARROW: usize = 1 << 16;
const UNLIMITED: usize = i32::MAX as usize;

/// Files for no program in particular.
pub(super) const ANY: Conventions = Conventions {
    stamp: None,
    uv_suffix: "S",
    attributes: Attributes { uv_sets: 8, colors: true, tangents: false, morphs: true },
    normals: true,
    sockets: true,
    scale_keys: true,
    curves: true,
    max_points: UNLIMITED,
    max_wedges: UNLIMITED,
    max_influences: MAX_INFLUENCES,
    needs_bones: false,
};

const UE2: Row = (
    Program {
        name: "ue2",
        title: "Unreal Engine 1 and 2",
        expects: "the seven chunks of ActorX in its order, the stamp 1999801 on each, at most 65,536 points and wedges, a bone; \
                  animations without scale keys and curves",
        source: "ActorX 96587f4f (Vertebrate.h): chunks are read by position, further ones from later stamps on",
    },
    Conventions {
        stamp: Some(stamp::FIRST),
        attributes: Attributes { uv_sets: 1, colors: false, tangents: false, morphs: false },
        normals: false,
        sockets: false,
        scale_keys: false,
        curves: false,
        max_points: NARROW,
        max_wedges: NARROW,
        needs_bones: true,
        ..ANY
    },
);

const UE4: Row = (
    Program {
        name: "ue4",
        title: "Unreal Engine 4",
        expects: "at most 8 influences per vertex, a bone",
        source: "Unreal Engine 4 of 2017 (GPUSkinPublicDefs.h); extensions of the engine read the files, and none was tried",
    },
    Conventions { max_influences: 8, needs_bones: true, ..ANY },
);

const BLENDER: Row = (
    Program {
        name: "blender",
        title: "io_scene_psk_psa and psk_psa_py",
        expects: "the stamp 1999801 on each chunk, ids `EXTRAUV0` for further UV sets, a bone; no sockets, no curves",
        source: "psk_psa_py 4b6738a1",
    },
    Conventions {
        stamp: Some(stamp::FIRST),
        uv_suffix: "",
        sockets: false,
        curves: false,
        needs_bones: true,
        ..ANY
    },
);

const UMODEL: Row = (
    Program {
        name: "umodel",
        title: "UE Viewer",
        expects: "chunks up to vertex colours and further UV sets, at most 65,536 points; no normals, morph targets, sockets and curves",
        source: "UE Viewer a0bfb468 (Exporters/Psk.h, ExportPsk.cpp)",
    },
    Conventions {
        attributes: Attributes { uv_sets: 8, colors: true, tangents: false, morphs: false },
        normals: false,
        sockets: false,
        scale_keys: false,
        curves: false,
        max_points: NARROW,
        ..ANY
    },
);

const ALL: [&Row; 4] = [&UE2, &UE4, &BLENDER, &UMODEL];

/// The programs that files can be written for.
pub(super) const PROGRAMS: &[Program] = &[UE2.0, UE4.0, BLENDER.0, UMODEL.0];

impl Conventions {
    /// Returns those of the program in the settings.
    pub fn of(author: &Author<'_>) -> &'static Self {
        let name = author.settings().program.as_deref();
        ALL.into_iter().find(|(own, _)| Some(own.name) == name).map_or(&ANY, |(_, own)| own)
    }

    /// Returns the skeleton, with a root if it has no bones and the program requires one.
    pub fn with_bones(&self, skeleton: Skeleton, author: &mut Author<'_>) -> Skeleton {
        if !self.needs_bones || !skeleton.bones().is_empty() {
            return skeleton;
        }
        author.report_loss(Lost::AddedBone.with(format_args!("{ROOT:?}")));
        Skeleton::new(vec![Bone { name: ROOT.into(), ..Bone::default() }]).0
    }

    /// Whether an animation has a chunk of scale keys. An empty one is usual, but not under the oldest stamp.
    pub fn has_scale_chunk(&self, keys: &[ScaleKey]) -> bool {
        self.stamp.is_none() || !keys.is_empty()
    }

    /// Returns the id of a further UV set.
    pub fn uv_id(&self, set: usize) -> String {
        format!("{}{}{set}", ChunkKind::EXTRA_UVS.id_text(), self.uv_suffix)
    }
}
