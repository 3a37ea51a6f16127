//! Meshes ms10 to ms13, legacy raw meshes, and types shared by all meshes.

use binrw::binrw;

use super::{CInt, Geometry, GeometryCounts, Mesh14, Mesh15, MeshAnimation, Name, SkinnedMesh, marker};
use crate::schema::Schema;
use crate::wire::{Counted, FixedStr, List, Rest, counted_with, len, list_each};

/// A UNIGINE mesh. The first four bytes determine the layout.
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
#[schema(tag(magic: u32), params(magic: u32), closed)]
#[derive(Clone, Debug, PartialEq)]
pub enum UnigineMesh {
    /// ms10 to ms13.
    #[schema(
        tag = MS10 | MS11 | MS12 | MS13,
        args((magic >> 24) - 0x30 + 10)
    )]
    #[br(args(version(magic)))]
    Mesh(Mesh),
    /// ms14.
    #[schema(magic, args())]
    Mesh14(Mesh14),
    /// ms15.
    #[schema(magic, args())]
    Mesh15(Mesh15),
    /// sk10.
    #[schema(magic, args())]
    SkinnedMesh(SkinnedMesh),
    /// mr02.
    #[schema(magic)]
    RawMesh(RawMesh),
}

impl UnigineMesh {
    /// Returns the bones that weights can refer to.
    #[must_use]
    pub fn bones(&self) -> &[Bone] {
        match self {
            Self::Mesh(mesh) => &mesh.bones,
            Self::Mesh14(mesh) => &mesh.bones,
            Self::SkinnedMesh(mesh) => &mesh.bones,
            Self::Mesh15(_) | Self::RawMesh(_) => &[],
        }
    }
}

/// The magics of [`Mesh`], the newest first.
pub(in crate::formats::unigine) const MESH_VERSIONS: [[u8; 4]; 4] = [*b"ms13", *b"ms12", *b"ms11", *b"ms10"];

const MS13: u32 = u32::from_le_bytes(MESH_VERSIONS[0]);
const MS12: u32 = u32::from_le_bytes(MESH_VERSIONS[1]);
const MS11: u32 = u32::from_le_bytes(MESH_VERSIONS[2]);
pub(in crate::formats::unigine) const MS10: u32 = u32::from_le_bytes(MESH_VERSIONS[3]);

/// The number in a magic: 11 of `ms11`.
pub(in crate::formats::unigine) fn version(magic: u32) -> u8 {
    let [_, _, tens, ones] = magic.to_le_bytes();
    tens.wrapping_sub(b'0').wrapping_mul(10).wrapping_add(ones.wrapping_sub(b'0'))
}

/// A mesh of version ms10, ms11, ms12 or ms13.
///
/// ms12 adds the lightmap of a surface, ms13 drops the animations, and ms10 has tangents of 7 bytes; otherwise the
/// layouts are the same. No ms12 file with animations is known; they are assumed to be as in ms11.
#[derive(Schema)]
#[binrw]
#[br(import(version: u8))]
#[bw(assert(
    agrees(self),
    "the lists of bones and transforms, of animation names and animations, of surfaces and geometry are of equal length, and only fields of the version are present"
))]
#[derive(Clone, Debug, PartialEq)]
pub struct Mesh {
    /// `ms10` to `ms13`.
    #[schema(decides = "surfaces", default = FixedStr(MESH_VERSIONS[0]))]
    pub id: FixedStr<4>,
    /// Bounds of all surfaces.
    #[schema(default = Bounds::EMPTY)]
    pub bounds: Bounds,
    /// The skeleton, parents by index.
    #[schema(same_length_as("transforms"))]
    #[schema(axis = "bone")]
    pub bones: Counted<CInt, Bone>,
    /// Names of the animations; absent in ms13.
    #[schema(same_length_as("animations"), free)]
    #[br(if(version < 13))]
    pub animation_names: Option<Counted<CInt, AnimationName>>,
    /// The header of each surface.
    #[schema(same_length_as("geometry"), free)]
    #[br(parse_with = counted_with, args((version,)))]
    pub surfaces: Counted<CInt, Surface>,
    /// The magic again, between headers and data.
    #[br(parse_with = marker)]
    #[schema(decides = "transforms", default = FixedStr(MESH_VERSIONS[0]))]
    pub middle_id: FixedStr<4>,
    /// Bind pose of each bone.
    #[br(args(len(&bones)))]
    pub transforms: List<Transform>,
    /// Keys of the animations.
    #[br(args(animation_names.as_ref().map_or(0, len)))]
    #[schema(args(if version < 13 { num_animation_names.value } else { 0 }))]
    pub animations: List<MeshAnimation>,
    /// Vertices, attributes and indices of each surface.
    #[br(parse_with = list_each, args(surfaces.iter().map(|surface| (version, GeometryCounts::inline(surface.targets.len())))))]
    #[schema(args(num_surfaces.value, version, surfaces[_index].num_targets.value))]
    pub geometry: List<Geometry>,
    /// The magic again, at the end of the file.
    #[schema(default = FixedStr(MESH_VERSIONS[0]))]
    pub tail_id: FixedStr<4>,
    /// Bytes after the end.
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

/// A bounding box and a bounding sphere.
///
/// An empty box has its minimum at 1e9 and its maximum at -1e9; the radius of the empty sphere is -1.
#[derive(Schema)]
#[binrw]
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Bounds {
    /// Minimum x, y, z.
    #[schema(point(none = 1e9))]
    pub min: [f32; 3],
    /// Maximum x, y, z.
    #[schema(point(none = -1e9))]
    pub max: [f32; 3],
    /// Centre of the sphere.
    #[schema(point)]
    pub center: [f32; 3],
    /// Radius of the sphere.
    #[schema(length(none = -1.0))]
    pub radius: f32,
}

impl Bounds {
    /// Empty bounds, as the engine writes them.
    pub const EMPTY: Self = Self { min: [1e9; 3], max: [-1e9; 3], center: [0.0; 3], radius: -1.0 };
}

/// A bone of the skeleton.
#[derive(Schema)]
#[binrw]
#[derive(Clone, Debug, PartialEq)]
pub struct Bone {
    /// The name.
    #[schema(name = "bone")]
    pub name: Name,
    /// Index of the parent; -1 at a root. A parent may follow its child.
    #[schema(index_of("bone", none = -1))]
    pub parent: i16,
}

/// The name of an animation.
#[derive(Schema)]
#[binrw]
#[derive(Clone, Debug, PartialEq)]
pub struct AnimationName {
    /// The name.
    #[schema(name = "clip")]
    pub name: Name,
}

/// The header of a surface.
#[derive(Schema)]
#[binrw]
#[br(import(version: u8))]
#[derive(Clone, Debug, PartialEq)]
pub struct Surface {
    /// The name; may be empty.
    pub name: Name,
    /// Lightmap settings; ms12 and later.
    #[br(if(version >= 12))]
    pub lightmap: Option<Lightmap>,
    /// Bounds of the surface.
    pub bounds: Bounds,
    /// The morph targets. The first is the base shape; in all known files it is the only one and has no name.
    pub targets: Counted<CInt, TargetName>,
}

/// Lightmap settings of a surface. Only the documentation of ms15 describes the two bytes.
#[derive(Schema)]
#[binrw]
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Lightmap {
    /// Index of the UV set.
    pub uv_channel: u8,
    /// Code of the lightmap resolution.
    pub resolution: u8,
}

/// The name of a morph target.
#[derive(Schema)]
#[binrw]
#[derive(Clone, Debug, PartialEq)]
pub struct TargetName {
    /// The name; empty for the base shape.
    pub name: Name,
}

/// Translation, rotation and scale.
#[derive(Schema)]
#[binrw]
#[derive(Clone, Debug, PartialEq)]
pub struct Transform {
    /// x, y, z in model units.
    #[schema(point)]
    pub position: [f32; 3],
    /// Quaternion x, y, z, w.
    pub rotation: [f32; 4],
    /// Factors along x, y, z.
    pub scale: [f32; 3],
}

impl Default for Transform {
    /// Returns the identity.
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
    /// Bytes after the end.
    pub rest: Rest,
}

/// A surface of a legacy mesh.
#[derive(Schema)]
#[binrw]
#[derive(Clone, Debug, PartialEq)]
pub struct RawSurface {
    /// The name.
    pub name: FixedStr<128>,
    /// The corners of the triangles, three for each.
    pub vertices: Counted<i32, RawVertex>,
}

/// A corner of a triangle of a legacy mesh.
#[derive(Schema)]
#[binrw]
#[derive(Clone, Debug, Default, PartialEq)]
pub struct RawVertex {
    /// x, y, z in model units.
    #[schema(point)]
    pub position: [f32; 3],
    /// The normal, usually of unit length.
    pub normal: [f32; 3],
    /// Texture coordinates u, v.
    pub uv: [f32; 2],
}
