//! Skeletons: `.csf`.

use binrw::binrw;

use super::{NEWEST_UNDISPUTED, Text};
use crate::formats::cal3d::{Dialect, Version};
use crate::schema::{Schema, on_disk};
use crate::wire::{Counted, FixedStr, List, Rest, list_with};

/// A `.csf` file: bones with their bind pose.
///
/// ```
/// use bindpose::codec::Format;
/// use bindpose::formats::cal3d::{Bone, CalSkeleton, Skeleton, Text};
/// let mut skeleton = Skeleton::default();
/// skeleton.bones.push(Bone { name: Text::new(b"hip"), parent_id: -1, ..Bone::default() });
/// let bytes = CalSkeleton::from(skeleton).encode()?;
/// assert_eq!(CalSkeleton::decode(&bytes)?.view()?.bones[0].name.text(), b"hip");
/// # Ok::<(), bindpose::Error>(())
/// ```
#[on_disk]
#[schema(default)]
#[brw(little)]
#[br(import(dialect: Dialect))]
#[derive(Clone, Debug, PartialEq)]
pub struct Skeleton {
    /// `CSF` and a NUL.
    #[schema(magic = b"CSF\0", xml = "@MAGIC")]
    pub magic: FixedStr<4>,
    /// The number of the library that wrote it.
    #[schema(xml("@VERSION", default = "0"), default = NEWEST_UNDISPUTED, decides = "scene_ambient")]
    pub version: i32,
    #[count_of(bones)]
    #[schema(xml = "@NUMBONES")]
    num_bones: i32,
    /// Red, green, blue of the light that comes from everywhere; 0 to 1.
    #[br(if(dialect.version(version).has_lights()))]
    #[schema(condition = Version::HAS_LIGHTS)]
    #[schema(xml = "@SCENEAMBIENTCOLOR")]
    pub scene_ambient: Option<[f32; 3]>,
    /// The bones; others name them by their index here.
    #[br(parse_with = list_with, args(num_bones.into(), (dialect.version(version),)))]
    #[schema(args(num_bones, version))]
    #[schema(xml = "BONE")]
    #[schema(axis = "bone")]
    pub bones: List<Bone>,
    /// Bytes after the last bone.
    pub rest: Rest,
}

/// A bone and its bind pose.
#[derive(Schema)]
#[binrw]
#[br(import(version: Version))]
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Bone {
    /// The name.
    #[schema(xml("@NAME", default = ""))]
    #[schema(name = "bone")]
    pub name: Text,
    /// Bind translation relative to the parent, in model units.
    #[schema(xml = "TRANSLATION")]
    #[schema(point)]
    pub translation: [f32; 3],
    /// Bind rotation relative to the parent: x, y, z, w.
    #[schema(xml = "ROTATION")]
    pub rotation: [f32; 4],
    /// Translation from model space into the bone's own.
    #[schema(xml = "LOCALTRANSLATION")]
    #[schema(point)]
    pub local_translation: [f32; 3],
    /// Rotation from model space into the bone's own: x, y, z, w.
    #[schema(xml = "LOCALROTATION")]
    pub local_rotation: [f32; 4],
    /// Index of the parent; -1 at a root.
    #[schema(xml = "PARENTID")]
    #[schema(index_of("bone", none = -1))]
    pub parent_id: i32,
    /// What the bone shines with.
    #[br(if(version.has_lights()))]
    #[schema(condition = Version::HAS_LIGHTS)]
    #[schema(xml = ".")]
    pub light: Option<Light>,
    /// Indices of the children.
    #[schema(xml("CHILDID", count = "@NUMCHILDS", count = "@NUMCHILD"))]
    #[schema(index_of("bone"))]
    pub child_ids: Counted<i32, i32>,
}

/// A light that a bone carries.
#[derive(Schema)]
#[binrw]
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Light {
    /// 0 none, 1 everywhere, 2 far away, 3 a point, 4 a spot.
    #[schema(xml = "@LIGHTTYPE")]
    pub kind: i32,
    /// Red, green, blue; 0 to 1.
    #[schema(xml = "@LIGHTCOLOR")]
    pub color: [f32; 3],
}
