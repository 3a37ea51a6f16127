//! Cal3D: files of a character animation library and its forks, such as IMVU's.
//!
//! Five kinds of file, each binary or XML: skeleton, animation, mesh, material, morph animation. The version number
//! alone does not determine the layout, see [`Dialect`].
//!
//! Sources: the loaders and savers of three branches of the library (0.11, IMVU's 919, 1301), its text on file
//! formats, and 165 real binary files. No public binary material, morph animation or IMVU file is known: those
//! layouts are taken from code only.
//!
//! ```
//! use bindpose::codec::Format;
//! use bindpose::formats::cal3d::CalMorph;
//! let text = br#"<ANIMATION MAGIC="XPF" VERSION="1100" DURATION="1" NUMTRACKS="1">
//!   <TRACK MORPHNAME="smile" NUMKEYFRAMES="1"><KEYFRAME TIME="0.5"><WEIGHT>1.0</WEIGHT></KEYFRAME></TRACK>
//! </ANIMATION>"#;
//! let file = CalMorph::decode(text)?;
//! assert_eq!(file.view()?.tracks[0].keys[0].time, 0.5);
//! assert_eq!(file.encode()?, text);
//! # Ok::<(), bindpose::Error>(())
//! ```

mod check;
mod conventions;
mod dialect;
mod edit;
mod file;
mod json;
mod merge;
mod names;
mod other_form;
mod rescue;
mod rules;
mod scale;
mod scene;
#[cfg(feature = "harness")]
mod strategy;
mod summary;
mod transform;
mod types;
mod unpack;
mod values;
mod xml;

pub use dialect::{Dialect, Version};
pub use file::{Binary, Cal3d, Xml};
pub use types::*;
pub use values::KEEPS_BIND_POSE;
pub use xml::{Element, Form, Markup, Within, XmlText};

use std::sync::LazyLock;

use crate::FileKind;
use crate::codec::{FileSummary, Info};
use crate::schema::Schema;

/// What the formats of this module have in common.
pub(super) const FAMILY: super::Family = super::Family {
    space: conventions::SPACE,
    rules: rules::RULES,
    writers: dialect::WRITERS,
    check_set: Some(check::check_set),
    remove: edit::remove,
    scale: scale::scale,
    transform: transform::transform,
    merge: merge::merge,
    listed: &[
        ("skeleton", FileKind::Cal3dSkeleton),
        ("mesh", FileKind::Cal3dMesh),
        ("animation", FileKind::Cal3dAnimation),
        ("material", FileKind::Cal3dMaterial),
    ],
    ..super::Family::DEFAULT
};

/// A skeleton in either form: `.csf`, `.xsf`.
pub type CalSkeleton = Cal3d<Skeleton>;
/// An animation in either form: `.caf`, `.xaf`.
pub type CalAnimation = Cal3d<Animation>;
/// A mesh in either form: `.cmf`, `.xmf`.
pub type CalMesh = Cal3d<Mesh>;
/// A material in either form: `.crf`, `.xrf`.
pub type CalMaterial = Cal3d<Material>;
/// A morph animation in either form: `.cpf`, `.xpf`.
pub type CalMorph = Cal3d<Morph>;

/// What the schemas omit.
const NOTE: &str = "The layout of the default dialect of each version, of five binary dialects. A mesh of version 1300 in the\n\
                    dialect mp1301 has the layout of version 1301. The XML form is text.";

macro_rules! binary {
    ($type:ident $summary:ident $name:literal $title:literal $extensions:tt shares $shared:tt $xml_root:literal) => {
        impl crate::sealed::Sealed for $type {}

        impl Binary for $type {
            const INFO: Info = Info::new($name, $title)
                .with_extensions(&$extensions)
                .with_shared_extensions(&$shared)
                .with_magic(Self::MAGIC)
                .with_dialects(Dialect::NAMES)
                .with_schema_note(NOTE);
            const XML_ROOT: &'static str = $xml_root;

            fn form() -> &'static Form {
                static FORM: LazyLock<Form> = LazyLock::new(|| Form::of(&$type::shape()));
                &FORM
            }
            fn version(&self) -> i32 {
                self.version
            }
            fn summary(&self) -> FileSummary {
                summary::$summary(self)
            }
        }
    };
}

binary!(Skeleton skeleton "cal3d-skeleton" "Cal3D skeleton" ["csf", "xsf"] shares [] "SKELETON");
binary!(Animation animation "cal3d-animation" "Cal3D animation" ["caf", "xaf"] shares [] "ANIMATION");
binary!(Mesh mesh "cal3d-mesh" "Cal3D mesh" ["cmf", "xmf"] shares [] "MESH");
binary!(Material material "cal3d-material" "Cal3D material" ["crf", "xrf"] shares ["crf"] "MATERIAL");
binary!(Morph morph "cal3d-morph" "Cal3D morph animation" ["cpf", "xpf"] shares ["cpf", "xpf"] "ANIMATION");
