//! The on-disk structs of binary Cal3D files, one module for each kind of file, each in the order of the file.
//!
//! Little-endian, packed, one forward stream without offsets. Texts end with a NUL that their length includes.
//! Quaternions are x, y, z, w and rotate in the opposite direction (left-handed); they are kept as stored.
//! Layout: the loaders and savers of three branches of the library, checked on 165 real files.

mod animation;
mod material;
mod mesh;
mod morph;
mod skeleton;
mod xml;

pub use animation::*;
pub use material::*;
pub use mesh::*;
pub use morph::*;
pub use skeleton::*;
pub use xml::*;

use crate::wire::LenStr;

/// The newest version whose layout all branches agree on.
pub(super) const NEWEST_UNDISPUTED: i32 = 910;

/// A length, followed by text that ends with a NUL.
pub type Text = LenStr<i32, true>;
