//! The skeleton, animation and mesh streams of a 3ds Max exporter.
//!
//! Source: Pan Liliang, *Skeletal plug-ins in game programs* (2009, in Chinese), a tutorial with incomplete code; the
//! sizes of SDK types are from the SDK's headers. No real file is known. The streams have no magic, so the format must be
//! specified by the caller or the file name. The sizes of `Matrix` and `Point` are guesses: see [`Matrices`], [`Points`]
//! and [`propose_skeleton`].
//!
//! ```
//! use bindpose::codec::Format;
//! use bindpose::formats::max::{Animation, Frames, Matrix52};
//! let matrices = Frames::M52(vec![Matrix52::default(); 2].into());
//! let bytes = Animation { num_frames: 1, matrices, ..Animation::blank_file() }.encode()?;
//! assert_eq!(bytes.len(), 4 + 2 * 52);
//! assert_eq!(Animation::decode(&bytes)?.num_frames, 1);
//! # Ok::<(), bindpose::Error>(())
//! ```

mod check;
mod conventions;
mod dialect;
mod edit;
mod merge;
mod rescue;
mod rules;
mod scene;
#[cfg(feature = "harness")]
mod strategy;
mod summary;
mod transform;
mod types;
mod values;

pub use dialect::{Matrices, Points, propose_animation, propose_mesh, propose_skeleton};
pub use types::*;
pub use values::{BoneRef, Group, Indexed, Rows, Vertex};

use crate::codec::{FileSummary, Format, Info, Proposal};
use crate::edit::Named;
use crate::{Options, Result};

/// The rules and set checks that these formats share.
pub(super) const FAMILY: super::Family = super::Family {
    space: conventions::SPACE,
    rules: rules::RULES,
    writers: summary::WRITERS,
    check_set: Some(check::check_set),
    remove: edit::remove,
    transform: transform::transform,
    merge: merge::merge,
    ..super::Family::DEFAULT
};

const NOTE: &str = "The size of a matrix (52, 48 or 64 bytes) or point (12 or 16 bytes) is a parameter.";

impl Named for Skeleton {}

impl Format for Skeleton {
    const INFO: Info = Info::new("max-skeleton", "3ds Max skeleton stream")
        .with_extensions(&["skel"])
        .with_shared_extensions(&["skel"])
        .with_dialects(Matrices::NAMES)
        .with_schema_note(NOTE);

    fn args(_bytes: &[u8], options: &Options) -> Result<(Matrices,)> {
        Ok((Matrices::chosen(options)?,))
    }

    fn dialect(&self) -> Option<&'static str> {
        Some(self.bones.tag().name())
    }

    fn writer(&self) -> Option<&'static str> {
        summary::skeleton_writer(self)
    }

    fn summary(&self) -> FileSummary {
        summary::skeleton(self)
    }

    fn propose(bytes: &[u8]) -> Option<Proposal> {
        Some(propose_skeleton(bytes))
    }
}

impl Named for Animation {}

impl Format for Animation {
    const INFO: Info = Info::new("max-animation", "3ds Max animation stream")
        .with_extensions(&["anim"])
        .with_shared_extensions(&["anim"])
        .with_dialects(Matrices::NAMES)
        .with_schema_note(NOTE);

    fn args(_bytes: &[u8], options: &Options) -> Result<(Matrices,)> {
        Ok((Matrices::chosen(options)?,))
    }

    fn dialect(&self) -> Option<&'static str> {
        Some(self.matrices.tag().name())
    }

    fn summary(&self) -> FileSummary {
        summary::animation(self)
    }

    fn propose(bytes: &[u8]) -> Option<Proposal> {
        Some(propose_animation(bytes, None))
    }
}

impl Named for Mesh {}

impl Format for Mesh {
    const INFO: Info = Info::new("max-mesh", "3ds Max mesh stream")
        .with_extensions(&["mesh"])
        .with_shared_extensions(&["mesh"])
        .with_dialects(Points::NAMES)
        .with_schema_note(NOTE);

    fn args(_bytes: &[u8], options: &Options) -> Result<(Points,)> {
        Ok((Points::chosen(options)?,))
    }

    fn dialect(&self) -> Option<&'static str> {
        Some(self.faces.tag().name())
    }

    fn summary(&self) -> FileSummary {
        summary::mesh(self)
    }

    fn propose(bytes: &[u8]) -> Option<Proposal> {
        Some(propose_mesh(bytes))
    }
}
