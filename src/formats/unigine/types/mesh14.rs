//! Meshes ms14: headers, followed by packed geometry and trees.

use std::io::{Read, Seek};

use binrw::{BinRead, BinResult, BinWrite, Endian, binrw};
use modular_bitfield::prelude::*;

use super::{Bone, Bounds, CInt, Geometry, GeometryCounts, Lightmap, Name, Transform, marker};
use crate::schema::{Node, NodeMut, Schema, Shape, Value, offset_of, on_disk};
use crate::wire::{Announced, Content, Counted, FixedStr, List, Packed, Rest, len, list_each};
use crate::{Error, ErrorKind, Result};

/// A mesh of version ms14. The geometry and the tree of each surface are packed on their own.
#[derive(Schema)]
#[schema(params())]
#[binrw]
#[bw(assert(
    agrees(self),
    "the lists of bones and transforms, and of surfaces, geometry and trees, are of equal length"
))]
#[derive(Clone, Debug, PartialEq)]
pub struct Mesh14 {
    /// `ms14`.
    #[schema(magic = b"ms14")]
    pub id: FixedStr<4>,
    /// Maximum number of triangles in a leaf of a tree; 4 in all known files.
    pub leaf_triangles: CInt,
    /// Bounds of all surfaces.
    pub bounds: Bounds,
    /// The skeleton, parents by index; nearly always empty.
    #[schema(same_length_as("transforms"))]
    #[schema(axis = "bone")]
    pub bones: Counted<CInt, Bone>,
    /// The header of each surface.
    #[schema(same_length_as("geometry", "trees"), free)]
    pub surfaces: Counted<CInt, Surface14>,
    /// Estimated memory usage of the mesh, in bytes.
    pub memory: i64,
    /// The magic again, between headers and data.
    #[br(parse_with = marker)]
    #[schema(decides = "transforms")]
    pub middle_id: FixedStr<4>,
    /// Bind pose of each bone.
    #[br(args(len(&bones)))]
    pub transforms: List<Transform>,
    /// Vertices, attributes and indices of each surface: `geometry[0]!targets[0].vertices[3].x`.
    #[br(parse_with = list_each, args(surfaces.iter().map(|surface| (surface.counts(),))))]
    #[schema(args(num_surfaces.value), free)]
    pub geometry: List<PackedGeometry>,
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

fn agrees(mesh: &Mesh14) -> bool {
    mesh.rest.truncation().is_some()
        || mesh.bones.len() == mesh.transforms.len()
            && mesh.surfaces.len() == mesh.geometry.len()
            && mesh.surfaces.len() == mesh.trees.len()
            && mesh.surfaces.iter().zip(&mesh.geometry).all(|(surface, geometry)| surface.matches(geometry))
}

/// The offset of each part of a list that starts at `start`.
pub(super) fn offsets_from<T: Value>(start: u64, parts: &[T]) -> Vec<i64> {
    let mut offset = start;
    let each = parts.iter().map(|part| {
        let start = i64::try_from(offset).unwrap_or(i64::MAX);
        offset += part.size();
        start
    });
    each.collect()
}

impl Mesh14 {
    /// Returns the offset of each packed geometry in the file, which the offset table of a valid file contains.
    #[must_use]
    pub fn geometry_offsets(&self) -> Vec<i64> {
        offsets_from(offset_of(self, "geometry"), &self.geometry)
    }

    /// Replaces the geometry of a surface, and updates the counts in its header.
    ///
    /// # Errors
    /// [`ErrorKind::Value`] when there is no such surface or the number of morph targets differs;
    /// [`ErrorKind::Encode`] when the geometry cannot be written.
    pub fn set_geometry(&mut self, surface: usize, geometry: Geometry) -> Result<()> {
        set_geometry(&mut self.surfaces, &mut self.geometry, surface, geometry)
    }
}

/// The header of a surface.
#[derive(Schema)]
#[binrw]
#[derive(Clone, Debug, PartialEq)]
pub struct Surface14 {
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
    /// The morph targets; the first is the base shape.
    pub targets: Counted<CInt, Target14>,
}

impl Header for Surface14 {
    fn parts(&self) -> (&[Target14], CInt, CInt) {
        (&self.targets, self.num_coordinate_indices, self.num_triangle_indices)
    }

    fn parts_mut(&mut self) -> (&mut [Target14], &mut CInt, &mut CInt) {
        (&mut self.targets, &mut self.num_coordinate_indices, &mut self.num_triangle_indices)
    }
}

/// The header of a surface with the counts of its packed geometry.
pub(super) trait Header: Clone {
    /// The morph targets, and the numbers of coordinate and triangle indices.
    fn parts(&self) -> (&[Target14], CInt, CInt);
    fn parts_mut(&mut self) -> (&mut [Target14], &mut CInt, &mut CInt);

    fn counts(&self) -> GeometryCounts {
        let (targets, coordinate_indices, triangle_indices) = self.parts();
        GeometryCounts {
            targets: targets.iter().map(|target| Some(target.num_vertices.value())).collect(),
            coordinate_indices: Some(coordinate_indices.value()),
            triangle_indices: Some(triangle_indices.value()),
        }
    }

    /// Returns whether the geometry was decoded with the counts of this header.
    fn matches(&self, geometry: &PackedGeometry) -> bool {
        *geometry.data.content_args() == self.counts()
    }

    fn set_counts(&mut self, geometry: &Geometry) -> Result<()> {
        let wrong = |why: &str| Error::new(0, ErrorKind::Value(why.into()));
        let (targets, coordinate_indices, triangle_indices) = self.parts_mut();
        if geometry.targets.len() != targets.len() {
            return Err(wrong("the surface has a different number of morph targets"));
        }
        let count = |len: usize| CInt::try_from(len).map_err(|error| wrong(&error.to_string()));
        for (header, target) in targets.iter_mut().zip(&geometry.targets) {
            header.num_vertices = count(target.vertices.len())?;
        }
        *coordinate_indices = count(geometry.coordinate_indices.len())?;
        *triangle_indices = count(geometry.triangle_indices.len())?;
        Ok(())
    }
}

/// Replaces the geometry of a surface, and updates the counts in its header.
pub(super) fn set_geometry(
    headers: &mut [impl Header],
    parts: &mut [PackedGeometry],
    surface: usize,
    geometry: Geometry,
) -> Result<()> {
    let (Some(header), Some(part)) = (headers.get_mut(surface), parts.get_mut(surface)) else {
        return Err(Error::new(0, ErrorKind::Value(format!("there is no surface {surface}").into())));
    };
    let mut new_header = header.clone();
    new_header.set_counts(&geometry)?;
    part.data = Packed::new(&geometry.external(), new_header.counts())?;
    *header = new_header;
    Ok(())
}

/// The header of a morph target.
#[derive(Schema)]
#[binrw]
#[derive(Clone, Debug, PartialEq)]
pub struct Target14 {
    /// The name; empty for the base shape.
    pub name: Name,
    /// Number of its vertices.
    #[schema(decides = "geometry")]
    pub num_vertices: CInt,
}

/// A packed geometry.
#[on_disk]
#[schema(params())]
#[br(import(counts: GeometryCounts))]
#[derive(Clone, Debug, PartialEq)]
pub struct PackedGeometry {
    #[size_of(data = data.len_unpacked())]
    len_unpacked: i64,
    #[size_of(data = data.len_packed())]
    len_packed: i64,
    /// An LZ4 block; uncompressed if the two lengths are equal.
    #[br(args(len_unpacked, len_packed, counts))]
    #[schema(args(len_packed))]
    pub data: Packed<Geometry>,
}

/// A packed tree.
#[on_disk]
#[schema(params())]
#[derive(Clone, Debug, PartialEq)]
pub struct PackedTree {
    #[size_of(data = data.len_unpacked())]
    len_unpacked: i64,
    #[size_of(data = data.len_packed())]
    len_packed: i64,
    /// An LZ4 block; uncompressed if the two lengths are equal.
    #[br(args(len_unpacked, len_packed, ()))]
    #[schema(args(len_packed))]
    pub data: Packed<Tree>,
}

impl Content for Geometry {
    type ContentArgs = GeometryCounts;

    fn nothing() -> Self {
        Self::default().external()
    }

    fn unpacked<R: Read + Seek>(reader: &mut R, counts: &GeometryCounts) -> BinResult<Self> {
        Self::read_options(reader, Endian::Little, (14, counts.clone()))
    }
}

impl Content for Tree {
    type ContentArgs = ();

    fn nothing() -> Self {
        Self::default()
    }

    fn unpacked<R: Read + Seek>(reader: &mut R, (): &()) -> BinResult<Self> {
        Self::read_options(reader, Endian::Little, ())
    }
}

/// Which edges of a triangle have no neighbour, or one whose plane is below.
#[derive(Schema)]
#[bitfield(bits = 8)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct EdgeFlags {
    /// The edge opposite the first corner.
    pub opposite_0: bool,
    /// The edge opposite the second corner.
    pub opposite_1: bool,
    /// The edge opposite the third corner.
    pub opposite_2: bool,
    #[skip]
    __: B5,
}

/// A bounding-volume tree of the triangles of a surface, for intersection tests.
#[derive(Schema)]
#[binrw]
#[bw(assert(boxes.announced() == nodes.announced() && splits.announced() == nodes.announced(), "each node has a box and a split"))]
#[schema(scope)]
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Tree {
    /// Flags of the edges of each triangle.
    pub edge_flags: Counted<CInt, EdgeFlags>,
    /// Triangles in the order of the leaves, each as its index times three.
    pub indices: Counted<CInt, CInt>,
    /// The nodes; the first is the root.
    #[schema(same_length_as("boxes", "splits"))]
    #[schema(axis = "node")]
    pub nodes: Counted<CInt, TreeNode>,
    /// Minimum x, y, z and maximum x, y, z of each node.
    #[br(args(len(&nodes)))]
    #[schema(length)]
    pub boxes: List<[f32; 6]>,
    /// Position of the split plane of each node along its axis.
    #[br(args(len(&nodes)))]
    #[schema(length)]
    pub splits: List<f32>,
}

/// A node of a tree.
#[derive(Schema)]
#[binrw]
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct TreeNode {
    /// Split axis: 0, 1, 2 for x, y, z.
    pub axis: i8,
    /// Node below the split; -1 in a leaf.
    #[schema(index_of("node", none = -1))]
    pub left: CInt,
    /// Node above the split; -1 in a leaf.
    #[schema(index_of("node", none = -1))]
    pub right: CInt,
    /// Start of its range of indices; -1 if it has none.
    pub begin: CInt,
    /// End of its range of indices, exclusive; -1 if it has none.
    pub end: CInt,
}

/// Difference between each offset in a file and the true one: 0 in valid files.
///
/// It has no bytes of its own. Offsets are derived when a file is encoded; an existing error is preserved.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct OffsetErrors(Vec<i64>);

impl OffsetErrors {
    /// The offsets in the file.
    pub(super) fn applied(&self, offsets: Vec<i64>) -> List<i64> {
        let errors = self.0.iter().copied().chain(std::iter::repeat(0));
        offsets.into_iter().zip(errors).map(|(offset, error)| offset.wrapping_add(error)).collect()
    }

    /// Returns the error of each offset, in bytes; empty if all are correct.
    #[must_use]
    pub fn as_slice(&self) -> &[i64] {
        &self.0
    }

    /// Corrects all offsets.
    pub fn clear(&mut self) {
        self.0.clear();
    }
}

impl BinRead for OffsetErrors {
    /// The offsets in the file, the true ones by where the geometry starts, and the number of bytes from there to here.
    type Args<'a> = (&'a List<i64>, &'a dyn Fn(u64) -> Vec<i64>, u64);

    fn read_options<R: Read + Seek>(
        reader: &mut R,
        _: Endian,
        (offsets, offsets_from, distance): Self::Args<'_>,
    ) -> BinResult<Self> {
        let start = reader.stream_position()?.saturating_sub(distance);
        let mut offset_errors: Vec<i64> = { offsets.iter().zip(offsets_from(start)) }
            .map(|(offset, place)| offset.wrapping_sub(place))
            .collect();
        if offset_errors.iter().all(|error| *error == 0) {
            offset_errors.clear();
        }
        Ok(Self(offset_errors))
    }
}

impl BinWrite for OffsetErrors {
    type Args<'a> = ();

    fn write_options<W: std::io::Write + Seek>(&self, _: &mut W, _: Endian, (): ()) -> BinResult<()> {
        Ok(())
    }
}

impl Value for OffsetErrors {
    fn size(&self) -> u64 {
        0
    }
    fn node(&self) -> Node<'_> {
        Node::Absent
    }
    fn node_mut(&mut self) -> NodeMut<'_> {
        NodeMut::Absent
    }
}

impl Schema for OffsetErrors {
    fn shape() -> Shape {
        Shape::Nothing
    }
    fn blank(_like: Option<&Self>) -> Self {
        Self::default()
    }
}
