//! Meshes ms10 to ms13, the raw meshes before them, and what all of them are made of.

use binrw::binrw;

use super::{Geometry, GeometryCounts, Mesh14, MeshAnimation, Name, marker};
use crate::schema::Schema;
use crate::wire::{Budget, CInt, Counted, FixedStr, List, Rest, counted_with, len, list_each};

/// A UNIGINE mesh. Its first four bytes tell the layout.
///
/// ```
/// use bindpose::codec::Format;
/// use bindpose::formats::unigine::UnigineMesh;
/// let bytes = UnigineMesh::blank_file().encode()?;
/// let UnigineMesh::Mesh(mesh) = UnigineMesh::decode(&bytes)? else { unreachable!() };
/// assert!(mesh.surfaces.is_empty());
/// # Ok::<(), bindpose::Error>(())
/// ```
#[derive(Schema)]
#[schema(tag(magic: u32), import(budget: Budget), params(magic: u32))]
#[derive(Clone, Debug, PartialEq)]
pub enum UnigineMesh {
    /// ms10 to ms13.
    #[schema(
        tag = 0x3031_736d | 0x3131_736d | 0x3231_736d | 0x3331_736d,
        args((magic >> 24) - 0x30 + 10)
    )]
    #[br(args(version(magic)))]
    Mesh(Mesh),
    /// ms14.
    #[schema(tag = 0x3431_736d, args())]
    #[br(args(budget))]
    Mesh14(Mesh14),
    /// mr02.
    #[schema(tag = 0x3230_726d)]
    RawMesh(RawMesh),
}

/// The number in a magic: 11 of `ms11`.
fn version(magic: u32) -> u8 {
    let [_, _, tens, ones] = magic.to_le_bytes();
    tens.wrapping_sub(b'0').wrapping_mul(10).wrapping_add(ones.wrapping_sub(b'0'))
}

/// A mesh of version ms10, ms11, ms12 or ms13.
///
/// ms12 adds the lightmap of a surface, ms13 drops the animations, and ms10 has tangents of 7 bytes; otherwise the
/// layouts are one. No ms12 file with animations is known: that they look as in ms11 is a guess.
#[derive(Schema)]
#[binrw]
#[br(import(version: u8))]
#[bw(assert(
    agrees(self),
    "the lists of bones and transforms, of animation names and animations, of surfaces and geometry are of equal length, and only what the version has is there"
))]
#[derive(Clone, Debug, PartialEq)]
pub struct Mesh {
    /// `ms10` to `ms13`.
    #[schema(decides = "surfaces", default = FixedStr(*b"ms13"))]
    pub id: FixedStr<4>,
    /// Bounds of all surfaces.
    #[schema(default = Bounds::NOTHING)]
    pub bounds: Bounds,
    /// The skeleton, parents by index.
    #[schema(same_length_as("transforms"))]
    pub bones: Counted<CInt, Bone>,
    /// Names of the animations; absent in ms13.
    #[schema(same_length_as("animations"), free)]
    #[br(if(version < 13))]
    pub animation_names: Option<Counted<CInt, AnimationName>>,
    /// What is known of each surface before its geometry.
    #[schema(same_length_as("geometry"), free)]
    #[br(parse_with = counted_with, args((version,)))]
    pub surfaces: Counted<CInt, Surface>,
    /// The magic again, between the headers and the data.
    #[br(parse_with = marker)]
    #[schema(decides = "transforms", default = FixedStr(*b"ms13"))]
    pub middle_id: FixedStr<4>,
    /// Bind pose of each bone.
    #[br(args(len(&bones)))]
    pub transforms: List<Transform>,
    /// Bodies of the animations.
    #[br(args(animation_names.as_ref().map_or(0, len)))]
    #[schema(args(if version < 13 { num_animation_names.value } else { 0 }))]
    pub animations: List<MeshAnimation>,
    /// Shapes and attributes of each surface.
    #[br(parse_with = list_each, args(surfaces.iter().map(|surface| (version, GeometryCounts::here(surface.targets.len())))))]
    #[schema(args(num_surfaces.value, version, surfaces[_index].num_targets.value))]
    pub geometry: List<Geometry>,
    /// The magic once more, at the end of the file.
    #[schema(default = FixedStr(*b"ms13"))]
    pub tail_id: FixedStr<4>,
    /// Bytes behind the end.
    pub rest: Rest,
}

fn agrees(mesh: &Mesh) -> bool {
    let version = version(u32::from_le_bytes(mesh.id.0));
    let names = mesh.animation_names.as_ref();
    let lightmap = |surface: &Surface| surface.lightmap.is_some() == (version >= 12);
    mesh.rest.truncation().is_some()
        || mesh.bones.len() == mesh.transforms.len()
            && names.is_some() == (version < 13)
            && names.map_or(0, |names| names.len()) == mesh.animations.len()
            && mesh.surfaces.len() == mesh.geometry.len()
            && mesh.surfaces.iter().all(lightmap)
            && mesh.surfaces.iter().zip(&mesh.geometry).all(|(surface, geometry)| {
                surface.targets.len() == geometry.targets.len() && geometry.fits(version)
            })
}

/// The smallest box and sphere around some vertices.
///
/// A box of nothing has its minimum at 1e9 and its maximum at -1e9, and its sphere a radius of -1.
#[derive(Schema)]
#[binrw]
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Bounds {
    /// Least x, y, z.
    pub min: [f32; 3],
    /// Greatest x, y, z.
    pub max: [f32; 3],
    /// Centre of the sphere.
    pub center: [f32; 3],
    /// Radius of the sphere.
    pub radius: f32,
}

impl Bounds {
    /// The bounds of nothing, as the engine writes them.
    pub const NOTHING: Self = Self { min: [1e9; 3], max: [-1e9; 3], center: [0.0; 3], radius: -1.0 };
}

/// A bone of the skeleton.
#[derive(Schema)]
#[binrw]
#[derive(Clone, Debug, PartialEq)]
pub struct Bone {
    /// The name.
    pub name: Name,
    /// Index of the parent; -1 at a root. A parent may stand behind its child.
    pub parent: i16,
}

/// The name of an animation.
#[derive(Schema)]
#[binrw]
#[derive(Clone, Debug, PartialEq)]
pub struct AnimationName {
    /// The name.
    pub name: Name,
}

/// What is known of a surface before its geometry.
#[derive(Schema)]
#[binrw]
#[br(import(version: u8))]
#[derive(Clone, Debug, PartialEq)]
pub struct Surface {
    /// The name; may be empty.
    pub name: Name,
    /// How the surface is lit by lightmaps; ms12 and later.
    #[br(if(version >= 12))]
    pub lightmap: Option<Lightmap>,
    /// Bounds of the surface.
    pub bounds: Bounds,
    /// The morph targets. The first is the shape itself, in all files known the only one and without a name.
    pub targets: Counted<CInt, TargetName>,
}

/// How a surface is lit by lightmaps. That the two bytes mean this is known from ms15 only.
#[derive(Schema)]
#[binrw]
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Lightmap {
    /// The UV set to use.
    pub uv_channel: u8,
    /// A code for the resolution.
    pub resolution: u8,
}

/// The name of a morph target.
#[derive(Schema)]
#[binrw]
#[derive(Clone, Debug, PartialEq)]
pub struct TargetName {
    /// The name; empty for the shape itself.
    pub name: Name,
}

/// Place, turn and size.
#[derive(Schema)]
#[binrw]
#[derive(Clone, Debug, PartialEq)]
pub struct Transform {
    /// x, y, z in model units.
    pub position: [f32; 3],
    /// Quaternion x, y, z, w.
    pub rotation: [f32; 4],
    /// Factors along x, y, z.
    pub scale: [f32; 3],
}

impl Default for Transform {
    /// Moves nothing.
    fn default() -> Self {
        Self { position: [0.0; 3], rotation: [0.0, 0.0, 0.0, 1.0], scale: [1.0; 3] }
    }
}

/// A legacy mesh of version mr02: triangles without indices, three vertices each.
#[derive(Schema)]
#[binrw]
#[derive(Clone, Debug, PartialEq)]
pub struct RawMesh {
    /// `mr02`.
    #[schema(magic = b"mr02")]
    pub id: FixedStr<4>,
    /// The surfaces.
    pub surfaces: Counted<i32, RawSurface>,
    /// Bytes behind the end.
    pub rest: Rest,
}

/// A surface of a legacy mesh.
#[derive(Schema)]
#[binrw]
#[derive(Clone, Debug, PartialEq)]
pub struct RawSurface {
    /// The name.
    pub name: FixedStr<128>,
    /// The corners of the triangles, three by three.
    pub vertices: Counted<i32, RawVertex>,
}

/// A corner of a triangle of a legacy mesh.
#[derive(Schema)]
#[binrw]
#[derive(Clone, Debug, Default, PartialEq)]
pub struct RawVertex {
    /// x, y, z in model units.
    pub position: [f32; 3],
    /// The normal, usually of unit length.
    pub normal: [f32; 3],
    /// Texture coordinates u, v.
    pub uv: [f32; 2],
}
