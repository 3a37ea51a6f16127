//! DirectX `.x`: mesh and animation files of Direct3D Retained Mode and D3DX, 1996 to 2010, encoded as text or tokens,
//! optionally in `MSZip` chunks.
//!
//! Sources: Microsoft's published reference, the behaviour of the native parser as recorded by Wine's tests, the D3DX
//! templates in Wine's headers, and 289 real files, which take precedence where these disagree.
//!
//! A file is kept as tokens. Its [`Objects`] are an index of them, and [`View`]s have their values:
//!
//! ```
//! use bindpose::codec::Format;
//! use bindpose::formats::directx::{Frame, Mesh, X};
//! let text = b"xof 0303txt 0032\nMesh { 1; 0.5; 1.0; 0.0;; 0; }\n";
//! let file = X::decode(text)?;
//! let objects = file.objects()?;
//! let mesh = objects.views::<Mesh>().next().expect("a mesh")?;
//! assert_eq!(mesh.vertices, [[0.5, 1.0, 0.0]]);
//! assert_eq!(objects.views::<Frame>().count(), 0);
//! # Ok::<(), bindpose::Error>(())
//! ```

mod alias;
mod append;
mod check;
mod conventions;
mod convert;
pub(crate) mod decl_type;
mod edit;
mod frames;
pub(super) mod json;
mod keys;
mod members;
mod merge;
mod names;
mod numbers;
mod object_paths;
mod packed;
mod references;
mod rescue;
mod rules;
pub(crate) mod scene;
#[cfg(feature = "harness")]
mod strategy;
mod summary;
pub(crate) mod syntax;
mod ticks;
mod transform;
#[cfg(feature = "files")]
mod tree;
mod types;
mod views;

pub use convert::Encoding;
pub use keys::{Keys, TimedFloatKeys};
pub use packed::Packed;
pub use syntax::fields::{Ragged, View};
pub use syntax::objects::{Child, Object, Objects, Reference};
pub use syntax::template::{Children, Member, MemberKind, Size, Template, Templates};
pub use syntax::text::XText;
pub use types::*;
pub use views::*;

use std::io::{Read, Seek};

use crate::codec::{FileSummary, Format, Info, damage, decode_valid};
use crate::schema::Schema;
use crate::{Options, Result};

/// The rules and set checks of the format.
pub(super) const FAMILY: super::Family = super::Family {
    space: conventions::SPACE,
    rules: rules::RULES,
    writers: summary::WRITERS,
    check_set: Some(check::check_set),
    remove: frames::remove_bones,
    remove_many: edit::remove,
    scale: transform::scale,
    transform: transform::transform,
    merge: merge::merge,
    references: references::references,
    #[cfg(feature = "files")]
    objects: tree::objects,
    ..super::Family::DEFAULT
};

impl Format for X {
    const INFO: Info = Info::new("x", "DirectX .x")
        .with_extensions(&["x"])
        .with_shared_extensions(&["x"])
        .with_magic(X::MAGIC);

    fn args(_bytes: &[u8], _options: &Options) -> Result<()> {
        Ok(())
    }

    fn summary(&self) -> FileSummary {
        summary::summary(self)
    }

    fn writer(&self) -> Option<&'static str> {
        summary::writer(self)
    }

    fn decode_valid<R: Read + Seek>(reader: R, options: &Options) -> Option<Self> {
        decode_valid(reader, options).filter(Self::is_intact)
    }

    fn first_too_deep(&self, most: usize) -> Option<u64> {
        let deepest = self.content().map_or(0, Tokens::deepest);
        if deepest <= most { None } else { self.objects_within(most).err().map(|error| error.offset()) }
    }
}

impl X {
    /// Returns whether the content of a file without a damaged field has no damage. This is faster than a walk through all
    /// tokens.
    fn is_intact(&self) -> bool {
        match self.tokens.present() {
            Some(Tokens::Text(_)) => true,
            Some(Tokens::Binary(tokens)) => tokens.iter().all(|token| token.gap.is_empty()),
            None => damage(self).is_none(),
        }
    }
}
