//! Skinned meshes sk10, which SDK 2.21 stores in files of their own.

use binrw::binrw;

use super::mesh14::{Header, offsets_from, set_geometry};
use super::{
    Bone, Bounds, CInt, Geometry, Name, OffsetErrors, PackedGeometry, Reference, Target14, Transform, marker,
};
use crate::Result;
use crate::schema::{Schema, Value, offset_of};
use crate::wire::{Counted, FixedStr, List, Rest, len, list_each};

/// A skinned mesh of version sk10. The geometry of each surface is packed on its own, as in ms14.
///
/// The layout is that of the vendor's description; no file of this version is known.
#[derive(Schema)]
#[schema(params())]
#[binrw]
#[bw(assert(agrees(self), "the lists of surfaces and geometry are of equal length"))]
#[derive(Clone, Debug, PartialEq)]
pub struct SkinnedMesh {
    /// `sk10`.
    #[schema(magic = b"sk10")]
    pub id: FixedStr<4>,
    /// Maximum number of triangles in a leaf of a tree, which the engine builds.
    pub leaf_triangles: CInt,
    /// Bounds of all surfaces.
    #[schema(default = Bounds::EMPTY)]
    pub bounds: Bounds,
    /// The joints, parents by index.
    #[schema(same_length_as("binds", "rests"))]
    #[schema(axis = "bone")]
    pub bones: Counted<i32, Bone>,
    /// Bind pose of each joint.
    pub binds: Counted<i32, Transform>,
    /// Pose of each joint without an animation.
    pub rests: Counted<i32, Transform>,
    /// The file of the skeleton.
    pub skeleton: Reference,
    /// The header of each surface.
    #[schema(same_length_as("geometry"), free)]
    pub surfaces: Counted<CInt, SkinnedSurface>,
    /// Estimated memory usage of the mesh, in bytes.
    pub memory: i64,
    /// The magic again, between headers and data.
    #[br(parse_with = marker)]
    #[schema(decides = "geometry", default = FixedStr::get(Self::MAGIC))]
    pub middle_id: FixedStr<4>,
    /// Vertices, attributes and indices of each surface: `geometry[0]!targets[0].vertices[3].x`.
    #[br(parse_with = list_each, args(surfaces.iter().map(|surface| (surface.counts(),))))]
    #[schema(args(num_surfaces.value), free)]
    pub geometry: List<PackedGeometry>,
    /// The magic again, between geometry and offsets.
    #[br(parse_with = marker)]
    #[schema(decides = "offsets", default = FixedStr::get(Self::MAGIC))]
    pub offsets_id: FixedStr<4>,
    #[br(temp, args(len(&surfaces)))]
    #[bw(calc = offset_errors.applied(self.geometry_offsets()))]
    #[schema(places = "geometry")]
    offsets: List<i64>,
    #[br(args(&offsets, &|start| offsets_from(start, &geometry), geometry.size() + offsets_id.size() + offsets.size()))]
    #[schema(args())]
    /// Difference between each offset in the file and the true one.
    pub offset_errors: OffsetErrors,
    /// The magic again, at the end of the file.
    #[schema(default = FixedStr::get(Self::MAGIC))]
    pub tail_id: FixedStr<4>,
    /// Bytes after the end.
    pub rest: Rest,
}

fn agrees(mesh: &SkinnedMesh) -> bool {
    mesh.rest.truncation().is_some()
        || mesh.surfaces.len() == mesh.geometry.len()
            && mesh.surfaces.iter().zip(&mesh.geometry).all(|(surface, geometry)| surface.matches(geometry))
}

impl SkinnedMesh {
    /// Returns the offset of each packed geometry in the file, which the offset table of a valid file contains.
    #[must_use]
    pub fn geometry_offsets(&self) -> Vec<i64> {
        offsets_from(offset_of(self, "geometry"), &self.geometry)
    }

    /// Replaces the geometry of a surface, and updates the counts in its header.
    ///
    /// # Errors
    /// [`ErrorKind::Value`](crate::ErrorKind::Value) when there is no such surface or the number of morph targets
    /// differs; [`ErrorKind::Encode`](crate::ErrorKind::Encode) when the geometry cannot be written.
    pub fn set_geometry(&mut self, surface: usize, geometry: Geometry) -> Result<()> {
        set_geometry(&mut self.surfaces, &mut self.geometry, surface, geometry)
    }
}

/// The header of a surface. It has no lightmap settings.
#[derive(Schema)]
#[binrw]
#[derive(Clone, Debug, PartialEq)]
pub struct SkinnedSurface {
    /// The name; may be empty.
    pub name: Name,
    /// Number of coordinate indices in its geometry.
    #[schema(decides = "geometry")]
    pub num_coordinate_indices: CInt,
    /// Number of triangle indices in its geometry.
    #[schema(decides = "geometry")]
    pub num_triangle_indices: CInt,
    /// Bounds of the surface.
    pub bounds: Bounds,
    /// The morph targets; the first is the base shape.
    pub targets: Counted<CInt, Target14>,
}

impl Header for SkinnedSurface {
    fn parts(&self) -> (&[Target14], CInt, CInt) {
        (&self.targets, self.num_coordinate_indices, self.num_triangle_indices)
    }

    fn parts_mut(&mut self) -> (&mut [Target14], &mut CInt, &mut CInt) {
        (&mut self.targets, &mut self.num_coordinate_indices, &mut self.num_triangle_indices)
    }
}
