//! Lossless reading, checking and editing of skeletal mesh and animation files.
//!
//! Every byte of a file has a path, every value can be read and changed by its path, and an unchanged file is written with the
//! same bytes.
//!
//! ```
//! # #[cfg(feature = "files")] {
//! # let copy = std::env::temp_dir().join(format!("bindpose-front-{}.ms3d", std::process::id()));
//! let mut document = bindpose::open("tests/character/dragon.ms3d")?;
//! document.edit(|file| file.set("animation.fps", 30))?;
//! for finding in document.check(20).findings {
//!     println!("{}: {}", finding.path, finding.message);
//! }
//! document.save(&copy)?;
//! # std::fs::remove_file(copy)?;
//! # }
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # What to use
//!
//! | to | |
//! | --- | --- |
//! | read a file, from a disk or from memory, within limits of memory and time | [`open`], [`Reader`], [`Limits`] |
//! | read and change values by their paths | [`File::get`], [`Document::edit`], [`File::set`] |
//! | change files that belong together, all or none | `Set` |
//! | find what is wrong, and repair it | [`Document::check`], [`Document::repairs`], [`rescue`] |
//! | rename, remove, merge and scale what a file contains | [`edit`] |
//! | get bones, meshes and clips in the same conventions for every format | [`Document::scene`], `Scene::load`, [`scene`] |
//! | write a scene in any format | [`FormatSpec::author`], `scene::gltf` |
//! | verify that a file re-encodes identically | [`Document::verify`] |
//! | describe a format of your own | [`codec::Format`], [`schema`], [`wire`] |
//!
//! The examples of the repository are programs for these tasks: `load_asset`, `skin_on_cpu`, `rename_bones`, `make_scene` and
//! `check_uploads`.
//!
//! # Features
//!
//! | feature | contents | default |
//! | --- | --- | --- |
//! | `files` | writing files and sets: `Document::save`, `Set`, `Scene::load`, [`files`] | yes |
//! | `gltf` | scenes from and to glTF: `scene::gltf` | yes |
//! | `images` | images of textures, decoded and converted to PNG: `depot::ImageDecoder` | |
//! | `render` | pictures of scenes: `scene::render` | |
//! | `serde` | findings, losses, rules and summaries as JSON, in the schema of the command | |
//! | `harness` | files generated from a seed, mutated, and shrunk: `harness` | |
//! | `strategies` | strategies of proptest for files and structs | |
//! | `all-formats` | every format: the features below, each a module of [`formats`]; at least one is needed | yes |
//! | `cal3d`, `directx`, `iqm`, `max`, `ms3d`, `psk`, `unigine` | the formats of this module | |
//!
//! # Modules
//!
//! From the parts of a value to files on disk:
//!
//! * [`schema`]: the parts of a value, their paths, offsets and descriptions;
//! * [`wire`]: the field types of on-disk structs;
//! * [`codec`]: formats, limits and round trips;
//! * [`diff`], [`json`], [`ksy`], [`imhex`]: the differences between two values, a value as text, schemas for other tools;
//! * [`text`]: the tokens of text files;
//! * [`check`]: the rules of valid files, and repairs;
//! * [`scene`]: skeletons, meshes, materials and clips, the same for every format;
//! * [`edit`]: bones, materials, clips and textures, edited with everything that refers to them;
//! * [`formats`]: one module per family, with its on-disk structs;
//! * [`files`]: files on disk, read within limits and written as sets;
//! * [`tree`]: the objects of a file, with their sizes and paths;
//! * [`depot`]: the files that belong to a file: sidecars, and the images of textures.
//!
//! The types of [`scene`] are those of [`glam`]. On-disk structs are read and written by [`binrw`] and have the bit fields of
//! [`modular_bitfield`], which are part of the interface.

#![cfg_attr(docsrs, feature(doc_cfg))]
// Some formats alone do not use all that the formats share, and a format alone makes patterns irrefutable.
#![cfg_attr(
    not(feature = "all-formats"),
    allow(dead_code, unused_imports, unused_macros, irrefutable_let_patterns, unreachable_patterns)
)]

extern crate self as bindpose;

#[cfg(not(any(
    feature = "cal3d",
    feature = "directx",
    feature = "iqm",
    feature = "max",
    feature = "ms3d",
    feature = "psk",
    feature = "unigine"
)))]
compile_error!("bindpose needs a format: enable `all-formats`, or a feature such as `psk`");

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
pub mod text;
#[cfg(feature = "files")]
pub mod tree;

#[cfg(doctest)]
mod manual;

/// Internals that the test suite checks directly; not part of the interface.
#[cfg(feature = "strategies")]
#[doc(hidden)]
pub mod internals {
    pub use crate::check::names::Names;
    pub mod tolerance {
        pub use crate::check::tolerance::*;
        pub use crate::edit::skeleton::TOLERANCE as BONE_PLACE;
        pub use crate::scene::author::bind_pose::SAME as BIND_POSE;
        pub use crate::scene::build::SAME_POSE;
    }
    pub use crate::hierarchy::cycles;
    pub mod decl_type {
        pub use crate::formats::directx::decl_type::*;
    }
    pub use crate::formats::directx::scene::vertex::{fvf_elements, value};
    pub use crate::formats::directx::syntax::object_writer::object_text;
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
    Budget, Error, ErrorKind, FieldPath, Foreign, IoError, LimitError, Limits, MARK, Options, Result, codec,
    diff, imhex, json, ksy, schema, wire,
};
pub use document::{Document, Examination, check_format, examine, examine_format};
pub use formats::{File, FileKind, FormatSpec, decode, decode_with};
/// The vectors, quaternions and matrices of [`scene`].
#[doc(no_inline)]
pub use glam;
/// The crate of bit fields in on-disk structs.
#[doc(no_inline)]
pub use modular_bitfield;
pub use reader::{Reader, open};
pub use rescue::{Loss, Rescued, rescue, rescue_format};
#[cfg(feature = "files")]
pub use set::Set;
