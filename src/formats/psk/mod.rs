//! Unreal PSK, PSKX and PSA: meshes and animations for the Unreal Engine.
//!
//! Epic's exporter `ActorX` introduced the format; extractors of game data write it today, each with chunks of its own.
//!
//! Sources: Epic's exporter and its description of the binary format, UE Viewer and its forks, `CUE4Parse`,
//! `psk_psa_py`, Legendary Explorer, and 1648 real files, two of them by the original exporter. Where the description and the files disagree (the order of
//! keys), this module follows the files.
//!
//! ```
//! use bindpose::codec::Format;
//! use bindpose::formats::psk::{Bone, Chunk, Psk, Records};
//! let mut mesh = Psk::blank_file();
//! let bones = vec![Bone { position: [0.0, 0.0, 90.0], ..Bone::default() }];
//! mesh.chunks.push(Chunk::new("REFSKELT", Records::Bones(bones.into())));
//! let bytes = mesh.encode()?;
//! assert_eq!(Psk::decode(&bytes)?.bones()[0].position[2], 90.0);
//! # Ok::<(), bindpose::Error>(())
//! ```

mod alias;
mod animation;
mod check;
mod config;
mod conventions;
mod edit;
mod edit_config;
mod merge;
mod mesh;
mod names;
mod repair;
mod resample;
mod rescue;
mod rules;
mod scene;
#[cfg(feature = "harness")]
pub(crate) mod strategy;
mod stream_verifier;
mod summary;
mod times;
mod transform;
mod types;
mod writer;

pub use animation::*;
use config::removed;
pub use config::*;
pub use mesh::*;
pub use types::*;

use std::io::{Read, Seek};

use stream_verifier::Outlined;
use summary::Totals;

use crate::codec::{FileSummary, Format, Info, Outcome, Outline, StreamVerifier};
use crate::wire::Rest;
use crate::{FileKind, Options, Result};

/// What the formats of this module share.
pub(super) const FAMILY: super::Family = super::Family {
    space: conventions::SPACE,
    rules: rules::RULES,
    writers: writer::WRITERS,
    check_set: Some(check::check_set),
    remove: edit::remove,
    remove_many: edit::remove_many,
    transform: transform::transform,
    retime: transform::retime,
    resample: resample::resample,
    merge: merge::merge,
    sidecars: &[(FileKind::Psa, FileKind::PsaConfig, "it names the tracks that the game does not have")],
    ..super::Family::DEFAULT
};

/// The ids that a file may begin with: those of heads and, where chunks were reordered, those that Epic's readers expect.
fn first_ids(content: Content) -> impl Iterator<Item = &'static [u8]> {
    let begins = |kind: &&ChunkKind| {
        kind.is_head() || matches!((kind.id, kind.presence), (IdPattern::Exact(_), Presence::Since(_)))
    };
    let own = CHUNKS.iter().filter(move |kind| kind.content == content);
    own.filter(begins).map(|kind| kind.id_text().as_bytes())
}

/// Returns whether a file begins with the complete id of such a chunk.
fn detect(content: Content, head: &[u8]) -> bool {
    first_ids(content).any(|id| head.strip_prefix(id).is_some_and(|rest| rest.first() == Some(&0)))
}

/// Returns whether a file ends within the first id.
fn is_truncated_magic(content: Content, bytes: &[u8]) -> bool {
    first_ids(content).any(|id| id.starts_with(bytes))
}

/// Returns an id with the NUL that ends it.
const fn ended<const N: usize>(id: &str) -> [u8; N] {
    let mut own = [0; N];
    own.split_at_mut(id.len()).0.copy_from_slice(id.as_bytes());
    own
}

impl Format for Psk {
    const INFO: Info = Info::new("psk", "Unreal mesh (PSK, PSKX)")
        .with_extensions(&["psk", "pskx"])
        .with_magic(&ended::<{ ChunkKind::MESH_HEAD.id_text().len() + 1 }>(ChunkKind::MESH_HEAD.id_text()));

    fn has_lost_its_end(bytes: &[u8]) -> bool {
        repair::repairs(bytes).is_empty()
    }

    fn args(_bytes: &[u8], _options: &Options) -> Result<()> {
        Ok(())
    }

    fn detect(head: &[u8]) -> bool {
        detect(Content::Mesh, head)
    }

    fn summary(&self) -> FileSummary {
        summary::mesh(self, &Totals::of(&self.chunks))
    }

    fn writer(&self) -> Option<&'static str> {
        writer::writer(&self.chunks).map(|own| own.writer.name)
    }

    fn verify_stream<R: Read + Seek>(pieces: &mut StreamVerifier<R>, _options: &Options) -> Option<Outcome> {
        stream_verifier::verify(pieces, Self::detect)
    }

    fn summarize_stream<R: Read + Seek>(
        pieces: &mut StreamVerifier<R>,
        _options: &Options,
    ) -> Option<Outline<Self>> {
        let Outlined { chunks, totals, opaque } = stream_verifier::summarize(pieces, Self::detect)?;
        let file = Self { chunks: chunks.into(), rest: Rest::default() };
        // Whether the mesh has a triangle is certain only if one is among its first records.
        (file.faces().is_empty() || scene::has_triangle(&file)).then_some(())?;
        Some(Outline { summary: summary::mesh(&file, &totals), file, opaque })
    }

    fn is_truncated_magic(bytes: &[u8]) -> bool {
        is_truncated_magic(Content::Mesh, bytes)
    }
}

impl Format for Psa {
    const INFO: Info = Info::new("psa", "Unreal animations (PSA)")
        .with_extensions(&["psa"])
        .with_shared_extensions(&["psa"])
        .with_magic(&ended::<{ ChunkKind::ANIMATION_HEAD.id_text().len() + 1 }>(
            ChunkKind::ANIMATION_HEAD.id_text(),
        ));

    fn has_lost_its_end(bytes: &[u8]) -> bool {
        repair::repairs(bytes).is_empty()
    }

    fn args(_bytes: &[u8], _options: &Options) -> Result<()> {
        Ok(())
    }

    fn detect(head: &[u8]) -> bool {
        detect(Content::Animations, head)
    }

    fn is_truncated_magic(bytes: &[u8]) -> bool {
        is_truncated_magic(Content::Animations, bytes)
    }

    fn summary(&self) -> FileSummary {
        summary::animations(self, &Totals::of(&self.chunks))
    }

    fn writer(&self) -> Option<&'static str> {
        writer::writer(&self.chunks).map(|own| own.writer.name)
    }

    fn verify_stream<R: Read + Seek>(pieces: &mut StreamVerifier<R>, _options: &Options) -> Option<Outcome> {
        stream_verifier::verify(pieces, Self::detect)
    }

    fn summarize_stream<R: Read + Seek>(
        pieces: &mut StreamVerifier<R>,
        _options: &Options,
    ) -> Option<Outline<Self>> {
        let Outlined { chunks, totals, opaque } = stream_verifier::summarize(pieces, Self::detect)?;
        let file = Self { chunks: chunks.into(), rest: Rest::default() };
        Some(Outline { summary: summary::animations(&file, &totals), file, opaque })
    }
}

impl Format for PsaConfig {
    const INFO: Info = Info::new("psa-config", "UE Viewer's text beside Unreal animations")
        .with_extensions(&["config"])
        .with_shared_extensions(&["config"])
        .with_schema_note("Text has no fields in a schema; its grammar is given in words.");

    fn args(_bytes: &[u8], _options: &Options) -> Result<()> {
        Ok(())
    }

    fn detect(head: &[u8]) -> bool {
        config::detect(head)
    }

    fn writer(&self) -> Option<&'static str> {
        self.sections().any(|section| config::is_known(section.name)).then_some(writer::UE_VIEWER.writer.name)
    }
}
