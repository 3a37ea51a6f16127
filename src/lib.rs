//! Lossless reading, checking and editing of skeletal mesh and animation files.
//!
//! [`open`] decodes a file into a [`Document`]. Every byte has a path, every value can be read and changed by its path, and
//! encoding an unchanged file gives the same bytes.
//!
//! ```
//! use bindpose::codec::Format;
//! # let bytes = bindpose::formats::ms3d::Ms3d::blank_file().encode()?;
//! let mut file = bindpose::decode(&bytes)?;
//! file.set("animation.fps", 30)?;
//! let changed = file.encode()?;
//! assert_eq!(changed.len(), bytes.len());
//! # Ok::<(), bindpose::Error>(())
//! ```
//!
//! The modules, each built on those before it:
//!
//! * [`schema`]: the parts of a value, their paths, offsets and descriptions;
//! * [`wire`]: the field types of on-disk structs;
//! * [`codec`]: formats, limits and round trips;
//! * [`diff`], [`json`], [`ksy`]: the differences between two values, a value as text, a schema for other tools;
//! * [`check`]: the rules of valid files, and repairs;
//! * [`scene`]: skeletons, meshes, materials and clips, the same for every format;
//! * [`edit`]: bones, materials, clips and textures, edited with everything that refers to them;
//! * [`formats`]: one module per family, with its on-disk structs;
//! * [`files`]: files on disk, read within limits and written as sets;
//! * `harness` (feature `harness`): files generated from a seed, mutated, and shrunk.
//!
//! The types of [`scene`] are those of [`glam`] 0.34. On-disk structs are read and written by binrw 0.15, which is part of
//! the interface for formats of your own.

#![cfg_attr(docsrs, feature(doc_cfg))]

extern crate self as bindpose;

pub mod check;
pub mod depot;
mod document;
pub mod edit;
pub mod files;
pub mod formats;
#[cfg(feature = "harness")]
pub mod harness;
mod hierarchy;
mod reader;
mod rescue;
pub mod scene;
mod sealed;
#[cfg(feature = "serde")]
mod serialize;
#[cfg(feature = "files")]
mod set;

#[cfg(doctest)]
mod manual;

/// Internals that the test suite checks directly; not part of the interface.
#[cfg(feature = "strategies")]
#[doc(hidden)]
pub mod internals {
    pub use crate::check::names::Names;
    pub use crate::hierarchy::cycles;
    pub mod decl_type {
        pub use crate::formats::directx::decl_type::*;
    }
    pub use crate::formats::directx::object_writer::object_text;
    pub use crate::formats::directx::scene::vertex::{fvf_elements, value};
    pub use crate::formats::psk::strategy::{known, unknown};
    pub use crate::work::of as work;
}

/// The crate that reads and writes on-disk structs.
#[doc(no_inline)]
pub use bindpose_core::binrw;
#[doc(hidden)]
pub use bindpose_core::counted;
#[cfg(feature = "strategies")]
pub use bindpose_core::laws;
#[doc(hidden)]
pub(crate) use bindpose_core::work;
pub use bindpose_core::{
    Budget, Error, ErrorKind, FieldPath, Foreign, IoError, LimitError, Limits, Options, Result, codec, diff,
    json, ksy, schema, wire,
};
pub use document::{Document, Examination, examine};
pub use formats::{File, FileKind, FormatSpec, decode, decode_with};
/// The vectors, quaternions and matrices of [`scene`].
#[doc(no_inline)]
pub use glam;
/// The crate of bit fields in on-disk structs.
#[doc(no_inline)]
pub use modular_bitfield;
pub use reader::{Reader, open};
pub use rescue::{Loss, Losses, Rescued, rescue, rescue_format};
#[cfg(feature = "files")]
pub use set::Set;
