//! The formats: one module per family, and the closed enums [`File`] and [`FileKind`].
//!
//! Each module contains the on-disk structs of its formats in the order of the file. A [`File`] contains the decoded root
//! struct of any format; a [`FileKind`] names a format and [lists](FileKind::ALL) all of them. [`FormatSpec`] detects a
//! format by the content and the name of a file.
//!
//! ```
//! use bindpose::{File, FileKind};
//! use bindpose::formats::ms3d::Joint;
//! let mut file = bindpose::decode(&FileKind::Ms3d.blank().encode()?)?;
//! if let File::Ms3d(model) = &mut file {
//!     model.joints.push(Joint::default());
//! }
//! assert_eq!(file.get("joints[0].position.x")?.as_f64(), Some(0.0));
//! # Ok::<(), bindpose::Error>(())
//! ```

#[cfg(any(feature = "iqm", feature = "psk"))]
mod aliases;
pub(crate) mod any_file;
mod author;
#[cfg(feature = "cal3d")]
pub mod cal3d;
mod detect;
#[cfg(feature = "directx")]
pub mod directx;
mod family;
mod file;
pub(crate) mod foreign;
#[cfg(feature = "iqm")]
pub mod iqm;
mod json;
mod json_tree;
mod kind;
#[cfg(feature = "max")]
pub mod max;
#[cfg(feature = "ms3d")]
pub mod ms3d;
mod object_paths;
#[cfg(feature = "psk")]
pub mod psk;
#[cfg(feature = "unigine")]
pub mod unigine;
mod values;
mod writers;

pub use author::{Written, lost_without};
pub use detect::FormatSpec;
pub use family::{check_named_set, check_set};
pub use object_paths::ObjectPaths;
pub use writers::Writer;

use crate::{Options, Result};
pub(crate) use family::Family;
use kind::Definition;

/// Lists every family with its formats: module, feature, variant and type.
macro_rules! formats {
    ($d:tt $($family:ident $feature:literal { $($variant:ident($type:ident)),+ $(,)? })+) => {
        /// Every family, in the order of the documentation.
        pub(crate) const FAMILIES: &[&Family] = &[$(#[cfg(feature = $feature)] &$family::FAMILY),+];

        /// Returns the name of every family with the programs that write its formats.
        pub(crate) fn families() -> impl Iterator<Item = (&'static str, &'static [&'static Writer])> {
            [$(#[cfg(feature = $feature)] (stringify!($family), $family::FAMILY.writers)),+].into_iter()
        }

        /// A decoded file of any format.
        ///
        /// ```
        /// use bindpose::codec::Format;
        /// # let bytes = bindpose::formats::ms3d::Ms3d::blank_file().encode()?;
        /// let file = bindpose::decode(&bytes)?;
        /// assert_eq!(file.kind().name(), "ms3d");
        /// assert_eq!(file.encode()?, bytes);
        /// # Ok::<(), bindpose::Error>(())
        /// ```
        #[derive(Clone, Debug, PartialEq)]
        #[non_exhaustive]
        pub enum File {
            $($(
                #[cfg(feature = $feature)]
                #[doc = concat!("See [`", stringify!($family::$type), "`].")]
                $variant(Box<$family::$type>),
            )+)+
        }

        /// A supported format.
        ///
        /// ```
        /// use bindpose::FileKind;
        /// assert_eq!(FileKind::detect(b"MS3D000000\x04\0\0\0"), Some(FileKind::Ms3d));
        /// ```
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
        #[non_exhaustive]
        pub enum FileKind {
            $($(
                #[cfg(feature = $feature)]
                #[doc = concat!("See [`", stringify!($family::$type), "`].")]
                $variant,
            )+)+
        }

        $($(
            #[cfg(feature = $feature)]
            impl From<$family::$type> for File {
                fn from(file: $family::$type) -> Self {
                    Self::$variant(Box::new(file))
                }
            }
        )+)+

        impl FileKind {
            /// Every format, in the order of the documentation.
            pub const ALL: &'static [Self] = &[$($(#[cfg(feature = $feature)] Self::$variant),+),+];

            /// Returns where the format is defined.
            const fn definition(self) -> Definition {
                match self {
                    $($(#[cfg(feature = $feature)] Self::$variant => Definition {
                        family: stringify!($family),
                        type_name: stringify!($type),
                        shared: &$family::FAMILY,
                    },)+)+
                }
            }
        }

        impl File {
            /// Returns the format of the file.
            #[must_use]
            pub const fn kind(&self) -> FileKind {
                match self {
                    $($(#[cfg(feature = $feature)] Self::$variant(_) => FileKind::$variant,)+)+
                }
            }
        }

        /// Evaluates an expression with the root struct of a [`File`].
        macro_rules! with_file {
            ($d file:expr, $d root:ident => $d then:expr) => {
                match $d file {
                    $($(#[cfg(feature = $feature)] $crate::File::$variant($d root) => $d then,)+)+
                }
            };
        }

        /// Evaluates an expression with the type of the root struct of a [`FileKind`].
        macro_rules! with_type {
            ($d kind:expr, $d Root:ident => $d then:expr) => {
                match $d kind {
                    $($(#[cfg(feature = $feature)] $crate::FileKind::$variant => {
                        type $d Root = $crate::formats::$family::$type;
                        $d then
                    })+)+
                }
            };
        }

        pub(crate) use {with_file, with_type};
    };
}

formats! {
    $
    ms3d "ms3d" { Ms3d(Ms3d) }
    cal3d "cal3d" {
        Cal3dSkeleton(CalSkeleton),
        Cal3dAnimation(CalAnimation),
        Cal3dMesh(CalMesh),
        Cal3dMaterial(CalMaterial),
        Cal3dMorph(CalMorph),
    }
    psk "psk" { Psk(Psk), Psa(Psa), PsaConfig(PsaConfig) }
    directx "directx" { X(X) }
    unigine "unigine" { UnigineMesh(UnigineMesh), UnigineAnim(UnigineAnim), UnigineSkeleton(UnigineSkeleton) }
    iqm "iqm" { Iqm(Iqm) }
    max "max" { MaxSkeleton(Skeleton), MaxAnimation(Animation), MaxMesh(Mesh) }
}

/// Decodes a file, and detects its format by its content.
///
/// # Errors
/// If the format is not supported, or the bytes cannot be decoded.
pub fn decode(bytes: &[u8]) -> Result<File> {
    decode_with(bytes, &Options::default())
}

/// As [`decode`], with limits and a dialect.
///
/// # Errors
/// As [`decode`], and if a limit is exceeded.
pub fn decode_with(bytes: &[u8], options: &Options) -> Result<File> {
    let kind = FileKind::require(bytes)?;
    kind.decode(bytes, options)
}
