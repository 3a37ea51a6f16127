//! Lossless reading, checking and editing of skeletal mesh and animation files.
//!
//! A file is decoded into values that know their own bytes, names and places; encoding gives the same bytes back,
//! whatever was in them. One value can be changed and nothing else moves.
//!
//! ```
//! use bindpose::codec::Format;
//! # let bytes = bindpose::formats::ms3d::Ms3d::blank_file().encode()?;
//! let mut file = bindpose::decode(&bytes)?;
//! file.set("animation.fps", "30")?;
//! let changed = file.encode()?;
//! assert_eq!(changed.len(), bytes.len());
//! # Ok::<(), bindpose::Error>(())
//! ```
//!
//! The house, each floor built on those before it:
//!
//! * [`schema`]: what a value consists of, where it stands, how it is described;
//! * [`wire`]: what on-disk structs are made of;
//! * [`codec`]: formats, limits, and the proof that nothing is lost;
//! * [`diff`], [`json`], [`ksy`]: what differs between two values, a value as text, a schema for other tools;
//! * [`check`]: what a valid file obeys beyond its layout;
//! * [`scene`]: what files mean, the same for every format;
//! * [`formats`]: one room per family, with the on-disk structs in `types.rs`;
//! * `harness` (feature `harness`): files made from a seed, changed a little, made smaller.

extern crate self as bindpose;

pub mod check;
mod document;
pub mod formats;
#[cfg(feature = "harness")]
pub mod harness;
pub mod scene;

#[cfg(doctest)]
mod manual;

/// Internals that the test suite checks directly; not part of the interface.
#[cfg(feature = "strategies")]
#[doc(hidden)]
pub mod internals {
    pub use crate::check::{common::cycles, names::Names};
    pub mod decl_type {
        pub use crate::formats::directx::decl_type::*;
    }
    pub use crate::formats::directx::scene::vertex::{of_format, value};
    pub use crate::formats::directx::work::directx_work;
    pub use crate::formats::psk::strategy::{known, unknown};
}

#[doc(hidden)]
pub use bindpose_core::counted;
pub use bindpose_core::{
    Error, ErrorKind, FieldPath, IoError, Limits, Options, Result, codec, diff, json, ksy, schema, wire,
};
pub use document::{Document, Examination, examine, open};
pub use formats::{File, FileKind, FormatSpec, decode, decode_with};
/// The vectors, quaternions and matrices of [`scene`].
pub use glam;
