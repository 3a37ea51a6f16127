//! UNIGINE meshes, skeletons and animations: an engine for simulators and games since the mid-2000s.
//!
//! The vendor documents ms10, an10 and the versions after ms14. The layouts here are verified on 2,474 public files. They
//! differ from the documentation in two points: an integer is [compact](CInt), and a key has seven flags,
//! one for each axis.
//!
//! ```
//! use bindpose::codec::Format;
//! use bindpose::formats::unigine::UnigineMesh;
//! let bytes = UnigineMesh::blank_file().encode()?;
//! assert!(bytes.starts_with(b"ms1"));
//! let UnigineMesh::Mesh(mesh) = UnigineMesh::decode(&bytes)? else { unreachable!("ms10 to ms13") };
//! assert!(mesh.surfaces.is_empty());
//! # Ok::<(), bindpose::Error>(())
//! ```

mod check;
mod conventions;
mod edit;
mod literal;
mod merge;
mod pose;
mod rescue;
mod rules;
mod scene;
#[cfg(feature = "harness")]
mod strategy;
mod summary;
mod transform;
mod types;
mod values;

pub use pose::Pose;
pub use types::*;
pub use values::{compress_rotation, rotation};

use crate::codec::{FileSummary, Format, Info, no_room};
use crate::edit::Named;
use crate::schema::Schema as _;
use crate::{Error, ErrorKind, Options, Result};

/// Properties shared by the formats of this module.
pub(super) const FAMILY: super::Family = super::Family {
    space: conventions::SPACE,
    rules: rules::RULES,
    writers: summary::WRITERS,
    check_set: Some(check::check_set),
    check_references: Some(check::check_references),
    remove: edit::remove,
    remove_many: edit::remove_many,
    transform: transform::transform,
    retime: transform::retime,
    keep_references: edit::keep_references,
    merge: merge::merge,
    newer,
    ..super::Family::DEFAULT
};

/// Returns the magic of a file as a number.
fn magic(bytes: &[u8], known: &[u32], format: &str) -> Result<u32> {
    match number(bytes) {
        Some(magic) if known.contains(&magic) => Ok(magic),
        Some(_) => {
            let names: Vec<_> =
                known.iter().map(|magic| magic.to_le_bytes().escape_ascii().to_string()).collect();
            let why = format!("expected one of {} at the start of a {format} file", names.join(", "));
            Err(Error::new(0, ErrorKind::Magic(why)))
        }
        None => Err(no_room(bytes, 4)),
    }
}

/// Returns the magic of a file and the newest one of its format, if the file is newer.
pub(super) fn newer(head: &[u8]) -> Option<(String, String)> {
    let own = number(head)?.to_le_bytes();
    let known = [UnigineMesh::TAGS, UnigineAnim::TAGS].concat().into_iter().map(u32::to_le_bytes);
    let known = known.chain(UnigineSkeleton::MAGIC.first_chunk().copied());
    let newest = known.filter(|known| known[..2] == own[..2]).max()?;
    let is_newer = own[2..].iter().all(u8::is_ascii_digit) && own > newest;
    is_newer.then(|| [own, newest].map(|magic| magic.escape_ascii().to_string()).into())
}

fn number(head: &[u8]) -> Option<u32> {
    head.first_chunk().map(|magic| u32::from_le_bytes(*magic))
}

/// Returns whether these bytes are the beginning of a magic.
fn begins(bytes: &[u8], known: &[u32]) -> bool {
    known.iter().any(|magic| magic.to_le_bytes().starts_with(bytes))
}

impl Named for UnigineMesh {}

impl Format for UnigineMesh {
    const INFO: Info = Info::new("unigine-mesh", "UNIGINE mesh")
        .with_extensions(&["mesh", "mesh_skinned"])
        .with_shared_extensions(&["mesh"])
        .with_schema_note(
            "Geometry and trees of ms14, ms15 and sk10 are LZ4 blocks, which Kaitai cannot express, or uncompressed if their two\n\
             lengths are equal. An unpacked geometry is as in the other versions, without the counts that\n\
             its surface contains.",
        );

    fn args(bytes: &[u8], _options: &Options) -> Result<(u32,)> {
        Ok((magic(bytes, Self::TAGS, Self::INFO.name)?,))
    }

    fn writer(&self) -> Option<&'static str> {
        summary::mesh_writer(self)
    }

    fn summary(&self) -> FileSummary {
        summary::mesh(self)
    }

    fn detect(head: &[u8]) -> bool {
        number(head).is_some_and(|magic| Self::TAGS.contains(&magic))
    }

    fn is_truncated_magic(bytes: &[u8]) -> bool {
        begins(bytes, Self::TAGS)
    }

    fn check_magic(bytes: &[u8], _options: &Options) -> Result<()> {
        magic(bytes, Self::TAGS, Self::INFO.name).map(|_| ())
    }
}

impl Named for UnigineAnim {}

impl Format for UnigineAnim {
    const INFO: Info = Info::new("unigine-anim", "UNIGINE animation")
        .with_extensions(&["anim"])
        .with_shared_extensions(&["anim"]);

    fn args(bytes: &[u8], _options: &Options) -> Result<(u32,)> {
        Ok((magic(bytes, Self::TAGS, Self::INFO.name)?,))
    }

    fn writer(&self) -> Option<&'static str> {
        Some(summary::anim_writer(self))
    }

    fn summary(&self) -> FileSummary {
        summary::anim(self)
    }

    fn detect(head: &[u8]) -> bool {
        number(head).is_some_and(|magic| Self::TAGS.contains(&magic))
    }

    fn is_truncated_magic(bytes: &[u8]) -> bool {
        begins(bytes, Self::TAGS)
    }

    fn check_magic(bytes: &[u8], _options: &Options) -> Result<()> {
        magic(bytes, Self::TAGS, Self::INFO.name).map(|_| ())
    }
}

impl Named for UnigineSkeleton {}

impl Format for UnigineSkeleton {
    const INFO: Info = Info::new("unigine-skeleton", "UNIGINE skeleton")
        .with_extensions(&["skeleton"])
        .with_shared_extensions(&["skeleton"])
        .with_magic(Self::MAGIC);

    fn args(_: &[u8], _: &Options) -> Result<()> {
        Ok(())
    }

    fn writer(&self) -> Option<&'static str> {
        Some(summary::SKELETON_WRITER)
    }

    fn summary(&self) -> FileSummary {
        summary::unigine_skeleton(self)
    }
}
