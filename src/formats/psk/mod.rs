//! Unreal PSK, PSKX and PSA: meshes and animations between modellers and the Unreal Engine since 1999.
//!
//! Epic's exporter `ActorX` made the format; extractors write it from games ever since, each with chunks of its own.
//!
//! Sources: Epic's exporter and its description of the binary format, UE Viewer and its forks, `CUE4Parse`,
//! `psk_psa_py`, Legendary Explorer, and 1646 real files. Where the description and the files disagree (the order of
//! keys), the files are followed. No real file of the original exporter is known.

mod about;
mod animation;
mod check;
mod config;
mod mesh;
mod repair;
mod rules;
mod scene;
#[cfg(feature = "strategies")]
mod strategy;
mod stream_verifier;
mod types;
mod writer;

pub use animation::*;
use config::removed;
pub use config::*;
pub use mesh::*;
pub use types::*;

use std::io::{Read, Seek};

use crate::codec::{About, Format, Info, Outcome, StreamVerifier};
use crate::{Options, Result};

/// What the formats of this room have in common.
pub(super) const FAMILY: super::Family =
    super::Family { rules: rules::RULES, check_set: Some(check::check_set) };

/// Whether the first chunk has one of these ids.
fn starts_with(head: &[u8], ids: &[&str]) -> bool {
    ids.iter().any(|id| {
        let (id, len) = (id.as_bytes(), id.len());
        head.starts_with(id) && head.get(len) == Some(&0)
    })
}

/// Whether these bytes are the beginning of one of these ids.
fn begins(bytes: &[u8], ids: &[&str]) -> bool {
    ids.iter().any(|id| id.as_bytes().starts_with(bytes))
}

/// The ids that begin a mesh: Epic's head and that of a world; where chunks were reordered, Epic's records.
const MESH: &[&str] =
    &["ACTRHEAD", "WRLDHEAD", "PNTS0000", "VTXW0000", "FACE0000", "MATT0000", "REFSKELT", "RAWWEIGHTS"];

/// The ids that begin a set of animations: Epic's head and that of sparse tracks; where chunks were reordered, Epic's
/// records.
const ANIMATION: &[&str] = &["ANIMHEAD", "ANIXHEAD", "BONENAMES", "ANIMINFO", "ANIMKEYS", "SCALEKEYS"];

impl Format for Psk {
    const INFO: Info = Info {
        name: "psk",
        title: "Unreal mesh (PSK, PSKX)",
        extensions: &["psk", "pskx"],
        magic: b"ACTRHEAD\0",
        dialects: &[],
        schema_note: "",
        memory: 8,
    };

    fn args(_bytes: &[u8], _options: &Options) -> Result<()> {
        Ok(())
    }

    fn detect(head: &[u8]) -> bool {
        starts_with(head, MESH)
    }

    fn about(&self) -> About {
        about::mesh(self)
    }

    fn writer(&self) -> Option<&'static str> {
        writer::writer(&self.chunks)
    }

    fn prove<R: Read + Seek>(pieces: &mut StreamVerifier<R>, _options: &Options) -> Option<Outcome> {
        stream_verifier::prove(pieces, Self::detect)
    }

    fn is_cut(bytes: &[u8]) -> bool {
        begins(bytes, MESH)
    }
}

impl Format for Psa {
    const INFO: Info = Info {
        name: "psa",
        title: "Unreal animations (PSA)",
        extensions: &["*psa"],
        magic: b"ANIMHEAD\0",
        dialects: &[],
        schema_note: "",
        memory: 8,
    };

    fn args(_bytes: &[u8], _options: &Options) -> Result<()> {
        Ok(())
    }

    fn detect(head: &[u8]) -> bool {
        starts_with(head, ANIMATION)
    }

    fn is_cut(bytes: &[u8]) -> bool {
        begins(bytes, ANIMATION)
    }

    fn about(&self) -> About {
        about::animations(self)
    }

    fn writer(&self) -> Option<&'static str> {
        writer::writer(&self.chunks)
    }

    fn prove<R: Read + Seek>(pieces: &mut StreamVerifier<R>, _options: &Options) -> Option<Outcome> {
        stream_verifier::prove(pieces, Self::detect)
    }
}

impl Format for PsaConfig {
    const INFO: Info = Info {
        name: "psa-config",
        title: "UE Viewer's text beside Unreal animations",
        extensions: &["*config"],
        magic: b"",
        dialects: &[],
        schema_note: "Text has no fields in a schema; its grammar is given in words.",
        memory: 4,
    };

    fn args(_bytes: &[u8], _options: &Options) -> Result<()> {
        Ok(())
    }

    fn detect(head: &[u8]) -> bool {
        config::detect(head)
    }

    fn writer(&self) -> Option<&'static str> {
        Some("UE Viewer")
    }
}
