//! The skeleton, animation and mesh streams of a 3ds Max exporter.
//!
//! Source: Pan Liliang, *Skeletal plug-ins in game programs* (2009, Chinese), a text whose code is a sketch; sizes of
//! the SDK's types from its headers. No real file is known. The streams have no magic, so a file is read as one of
//! them only when its owner or its name says so, and the size of `Matrix` and `Point` is a guess: see [`Matrices`],
//! [`Points`] and [`propose_skeleton`].

mod about;
mod check;
mod dialect;
mod rules;
mod scene;
#[cfg(feature = "harness")]
mod strategy;
mod types;
mod values;

pub use dialect::{Matrices, Points, propose_animation, propose_mesh, propose_skeleton};
pub use types::*;
pub use values::{BoneRef, Group, Indexed, Rows, Vertex};

use crate::codec::{About, Format, Info, Proposal};
use crate::{Options, Result};

/// What the formats of this room have in common.
pub(super) const FAMILY: super::Family =
    super::Family { rules: rules::RULES, check_set: Some(check::check_set) };

const NOTE: &str = "The size of a matrix or point in bytes is a parameter: 52, 48 or 64; 12 or 16.";

impl Format for Skeleton {
    const INFO: Info = Info {
        name: "max-skeleton",
        title: "3ds Max skeleton stream",
        extensions: &["*skel"],
        magic: b"",
        dialects: Matrices::NAMES,
        schema_note: NOTE,
        memory: 4,
    };

    fn args(_bytes: &[u8], options: &Options) -> Result<(Matrices,)> {
        Ok((Matrices::chosen(options)?,))
    }

    fn dialect(&self) -> Option<&'static str> {
        Some(self.bones.tag().name())
    }

    fn about(&self) -> About {
        about::skeleton(self)
    }

    fn propose(bytes: &[u8]) -> Option<Proposal> {
        Some(propose_skeleton(bytes))
    }
}

impl Format for Animation {
    const INFO: Info = Info {
        name: "max-animation",
        title: "3ds Max animation stream",
        extensions: &["*anim"],
        magic: b"",
        dialects: Matrices::NAMES,
        schema_note: NOTE,
        memory: 4,
    };

    fn args(_bytes: &[u8], options: &Options) -> Result<(Matrices,)> {
        Ok((Matrices::chosen(options)?,))
    }

    fn dialect(&self) -> Option<&'static str> {
        Some(self.matrices.tag().name())
    }

    fn about(&self) -> About {
        about::animation(self)
    }

    fn propose(bytes: &[u8]) -> Option<Proposal> {
        Some(propose_animation(bytes, None))
    }
}

impl Format for Mesh {
    const INFO: Info = Info {
        name: "max-mesh",
        title: "3ds Max mesh stream",
        extensions: &["*mesh"],
        magic: b"",
        dialects: Points::NAMES,
        schema_note: NOTE,
        memory: 4,
    };

    fn args(_bytes: &[u8], options: &Options) -> Result<(Points,)> {
        Ok((Points::chosen(options)?,))
    }

    fn dialect(&self) -> Option<&'static str> {
        Some(self.faces.tag().name())
    }

    fn about(&self) -> About {
        about::mesh(self)
    }

    fn propose(bytes: &[u8]) -> Option<Proposal> {
        Some(propose_mesh(bytes))
    }
}
