//! Meshes ms15: ms14 without skeletons, morph targets and weights.

use std::io::{Read, Seek};

use binrw::{BinRead, BinResult, Endian, binrw};

use super::geometry::GeometryView;
use super::mesh14::offsets_from;
use super::{Bounds, CInt, Corners, Lightmap, Name, OffsetErrors, PackedTree, Target, marker};
use crate::schema::{Schema, Value, offset_of, on_disk};
use crate::wire::{Content, Counted, FixedStr, List, Packed, Rest, len, list_each};
use crate::{Error, ErrorKind, Result};

/// A static mesh of version ms15. The geometry and the tree of each surface are packed on their own.
#[derive(Schema)]
#[schema(params())]
#[binrw]
#[bw(assert(agrees(self), "the lists of surfaces, geometry and trees are of equal length"))]
#[derive(Clone, Debug, PartialEq)]
pub struct Mesh15 {
    /// `ms15`.
    #[schema(magic = b"ms15")]
    pub id: FixedStr<4>,
    /// Maximum number of triangles in a leaf of a tree; 4 in the only known file.
    pub leaf_triangles: CInt,
    /// Bounds of all surfaces.
    pub bounds: Bounds,
    /// The header of each surface.
    #[schema(same_length_as("geometry", "trees"), free)]
    pub surfaces: Counted<CInt, Surface15>,
    /// Estimated memory usage of the mesh, in bytes.
    pub memory: i64,
    /// The magic again, between the headers and the geometry.
    #[br(parse_with = marker)]
    #[schema(decides = "geometry")]
    pub middle_id: FixedStr<4>,
    /// Vertices and indices of each surface: `geometry[0]!targets[0].vertices[3].x`.
    #[br(parse_with = list_each, args(surfaces.iter().map(|surface| (surface.counts(),))))]
    #[schema(args(num_surfaces.value), free)]
    pub geometry: List<PackedGeometry15>,
    /// The magic again, between geometry and trees.
    #[br(parse_with = marker)]
    #[schema(decides = "trees")]
    pub trees_id: FixedStr<4>,
    /// A tree of the triangles of each surface.
    #[br(args(len(&surfaces)))]
    #[schema(args(num_surfaces.value), free)]
    pub trees: List<PackedTree>,
    /// The magic again, between trees and offsets.
    #[br(parse_with = marker)]
    #[schema(decides = "offsets")]
    pub offsets_id: FixedStr<4>,
    #[br(temp, args(len(&surfaces)))]
    #[bw(calc = offset_errors.applied(self.geometry_offsets()))]
    #[schema(places = "geometry")]
    offsets: List<i64>,
    #[br(args(&offsets, &|start| offsets_from(start, &geometry), geometry.size() + trees_id.size() + trees.size() + offsets_id.size() + offsets.size()))]
    #[schema(args())]
    /// Difference between each offset in the file and the true one.
    pub offset_errors: OffsetErrors,
    /// The magic again, at the end of the file.
    pub tail_id: FixedStr<4>,
    /// Bytes after the end.
    pub rest: Rest,
}

fn agrees(mesh: &Mesh15) -> bool {
    mesh.rest.truncation().is_some()
        || mesh.surfaces.len() == mesh.geometry.len() && mesh.surfaces.len() == mesh.trees.len() && {
            mesh.surfaces.iter().zip(&mesh.geometry)
        }
        .all(|(surface, geometry)| *geometry.data.content_args() == surface.counts())
}

impl Mesh15 {
    /// Returns the offset of each packed geometry in the file, which the offset table of a valid file contains.
    #[must_use]
    pub fn geometry_offsets(&self) -> Vec<i64> {
        offsets_from(offset_of(self, "geometry"), &self.geometry)
    }

    /// Replaces the geometry of a surface, and updates the counts in its header.
    ///
    /// # Errors
    /// [`ErrorKind::Value`] when there is no such surface or the geometry does not have exactly one target;
    /// [`ErrorKind::Encode`] when the geometry cannot be written.
    pub fn set_geometry(&mut self, surface: usize, geometry: Geometry15) -> Result<()> {
        let wrong = |why: String| Error::new(0, ErrorKind::Value(why.into()));
        let (Some(header), Some(part)) = (self.surfaces.get_mut(surface), self.geometry.get_mut(surface))
        else {
            return Err(wrong(format!("there is no surface {surface}")));
        };
        let [target] = &geometry.targets[..] else {
            return Err(wrong(format!("expected 1 target, got {}", geometry.targets.len())));
        };
        let count = |len: usize| CInt::try_from(len).map_err(|error| wrong(error.to_string()));
        let new = Surface15 {
            num_coordinate_indices: count(geometry.coordinate_indices.len())?,
            num_triangle_indices: count(geometry.triangle_indices.len())?,
            num_vertices: count(target.vertices.len())?,
            ..header.clone()
        };
        part.data = Packed::new(&geometry.external(), new.counts())?;
        *header = new;
        Ok(())
    }
}

/// The header of a surface.
#[derive(Schema)]
#[binrw]
#[derive(Clone, Debug, PartialEq)]
pub struct Surface15 {
    /// The name; may be empty.
    pub name: Name,
    /// Lightmap settings of the surface.
    pub lightmap: Lightmap,
    /// Number of coordinate indices in its geometry.
    #[schema(decides = "geometry")]
    pub num_coordinate_indices: CInt,
    /// Number of triangle indices in its geometry.
    #[schema(decides = "geometry")]
    pub num_triangle_indices: CInt,
    /// Bounds of the surface.
    pub bounds: Bounds,
    /// Number of vertices in its geometry.
    #[schema(decides = "geometry")]
    pub num_vertices: CInt,
}

impl Surface15 {
    fn counts(&self) -> GeometryCounts15 {
        GeometryCounts15 {
            vertices: self.num_vertices.value(),
            coordinate_indices: self.num_coordinate_indices.value(),
            triangle_indices: self.num_triangle_indices.value(),
        }
    }
}

/// The counts that the header of a surface contains.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct GeometryCounts15 {
    /// Number of vertices.
    pub vertices: i64,
    /// Number of coordinate indices.
    pub coordinate_indices: i64,
    /// Number of triangle indices.
    pub triangle_indices: i64,
}

/// A packed geometry.
#[on_disk]
#[schema(params())]
#[br(import(counts: GeometryCounts15))]
#[derive(Clone, Debug, PartialEq)]
pub struct PackedGeometry15 {
    #[size_of(data = data.len_unpacked())]
    len_unpacked: i64,
    #[size_of(data = data.len_packed())]
    len_packed: i64,
    /// An LZ4 block; uncompressed if the two lengths are equal.
    #[br(args(len_unpacked, len_packed, counts))]
    #[schema(args(len_packed))]
    pub data: Packed<Geometry15>,
}

/// Vertices, tangents and attributes of a surface: [`Geometry`](super::Geometry) without weights.
#[derive(Schema)]
#[binrw]
#[br(import(counts: GeometryCounts15))]
#[schema(params())]
#[schema(scope)]
#[derive(Clone, Debug, PartialEq)]
pub struct Geometry15 {
    /// Vertices and tangents; always one element.
    #[br(parse_with = list_each, args(std::iter::once((15, Some(counts.vertices)))))]
    #[schema(args(1, 15), free)]
    pub targets: List<Target>,
    /// Texture coordinates u, v of each tangent, or none.
    pub uv0: Counted<CInt, [f32; 2]>,
    /// A second set of texture coordinates, or none.
    pub uv1: Counted<CInt, [f32; 2]>,
    /// A colour for each tangent, or none; the channel order is assumed to be red, green, blue, alpha.
    pub colors: Counted<CInt, [u8; 4]>,
    /// Indices into the vertices.
    #[br(args(targets.first().map_or(0, |target| len(&target.vertices)), Some(counts.coordinate_indices)))]
    #[schema(args(targets[0].num_vertices.value))]
    #[schema(index_of("vertex"))]
    pub coordinate_indices: Corners,
    /// Indices into the tangents.
    #[br(args(targets.first().map_or(0, |target| target.tangents.count()), Some(counts.triangle_indices)))]
    #[schema(args(targets[0].tangents.num_long.value))]
    #[schema(index_of("tangent"))]
    pub triangle_indices: Corners,
}

impl Geometry15 {
    /// Moves the counts that the header contains out of the lists.
    fn external(mut self) -> Self {
        for target in self.targets.iter_mut() {
            target.vertices = std::mem::take(&mut target.vertices).there();
        }
        self.coordinate_indices = self.coordinate_indices.external();
        self.triangle_indices = self.triangle_indices.external();
        self
    }

    pub(in crate::formats::unigine) fn view(&self) -> GeometryView<'_> {
        GeometryView {
            targets: &self.targets,
            weights: &[],
            uv0: &self.uv0,
            uv1: &self.uv1,
            colors: &self.colors,
            coordinate_indices: &self.coordinate_indices,
            triangle_indices: &self.triangle_indices,
        }
    }
}

impl Content for Geometry15 {
    type ContentArgs = GeometryCounts15;

    fn nothing() -> Self {
        Self {
            targets: vec![Target::default()].into(),
            uv0: Counted::default(),
            uv1: Counted::default(),
            colors: Counted::default(),
            coordinate_indices: Corners::default(),
            triangle_indices: Corners::default(),
        }
        .external()
    }

    fn unpacked<R: Read + Seek>(reader: &mut R, counts: &GeometryCounts15) -> BinResult<Self> {
        Self::read_options(reader, Endian::Little, (*counts,))
    }
}
