//! Materials: `.crf`.

use binrw::binrw;

use super::{NEWEST_UNDISPUTED, Text};
use crate::formats::cal3d::{Dialect, Version};
use crate::schema::Schema;
use crate::wire::{Counted, FixedStr, Rest, counted_with};

/// A `.crf` file: a material.
///
/// ```
/// use bindpose::codec::Format;
/// use bindpose::formats::cal3d::{CalMaterial, Map, Material, Text};
/// let mut material = Material::default();
/// material.maps.push(Map { file: Text::new(b"skin.tga"), kind: None });
/// let bytes = CalMaterial::from(material).encode()?;
/// assert_eq!(CalMaterial::decode(&bytes)?.view()?.maps[0].file.text(), b"skin.tga");
/// # Ok::<(), bindpose::Error>(())
/// ```
#[derive(Schema)]
#[schema(default)]
#[binrw]
#[brw(little)]
#[br(import(dialect: Dialect))]
#[derive(Clone, Debug, PartialEq)]
pub struct Material {
    /// `CRF` and a NUL.
    #[schema(magic = b"CRF\0", xml = "@MAGIC")]
    pub magic: FixedStr<4>,
    /// The number of the library that wrote it.
    #[schema(xml("@VERSION", default = "0"), default = NEWEST_UNDISPUTED, decides = "maps")]
    pub version: i32,
    /// Red, green, blue, alpha; 0 to 255.
    #[schema(xml = "AMBIENT")]
    pub ambient: [u8; 4],
    /// Red, green, blue, alpha; 0 to 255.
    #[schema(xml = "DIFFUSE")]
    pub diffuse: [u8; 4],
    /// Red, green, blue, alpha; 0 to 255.
    #[schema(xml = "SPECULAR")]
    pub specular: [u8; 4],
    /// Sharpness of the highlight.
    #[schema(xml = "SHININESS")]
    pub shininess: f32,
    /// The textures.
    #[br(parse_with = counted_with, args((dialect.version(version),)))]
    #[schema(args(version))]
    #[schema(xml("MAP", count = "@NUMMAPS"))]
    pub maps: Counted<i32, Map>,
    /// Bytes after the last texture.
    pub rest: Rest,
}

/// A texture.
#[derive(Schema)]
#[binrw]
#[br(import(version: Version))]
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Map {
    /// Name of the image file.
    #[schema(xml(".", default = ""))]
    #[schema(name_of = "texture")]
    pub file: Text,
    /// What it is for.
    #[br(if(version.has_map_types()))]
    #[schema(condition = Version::HAS_MAP_TYPES)]
    #[schema(xml = "@TYPE")]
    pub kind: Option<Text>,
}
