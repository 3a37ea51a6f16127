//! Meshes ms14: headers in front, geometry and trees packed.

use std::io::{Read, Seek};

use binrw::{BinRead, BinResult, BinWrite, Endian, binrw};

use super::{Bone, Bounds, Geometry, GeometryCounts, Lightmap, Name, Transform, marker};
use crate::schema::{Node, NodeMut, Schema, Shape, Value, offset_of};
use crate::wire::{
    Announced, Budget, CInt, Content, Counted, FixedStr, List, Packed, Rest, Source, len, list_each,
    list_with,
};
use crate::{Error, ErrorKind, Result};

/// A mesh of version ms14. Geometry and trees are packed one by one.
#[derive(Schema)]
#[schema(params())]
#[binrw]
#[br(import(budget: Budget))]
#[bw(assert(
    agrees(self),
    "the lists of bones and transforms, and of surfaces, geometry and trees, are of equal length"
))]
#[derive(Clone, Debug, PartialEq)]
pub struct Mesh14 {
    /// `ms14`.
    #[schema(magic = b"ms14")]
    pub id: FixedStr<4>,
    /// Triangles in a leaf of a tree; 4 in all files known.
    pub leaf_triangles: CInt,
    /// Bounds of all surfaces.
    pub bounds: Bounds,
    /// The skeleton, parents by index; nearly always empty.
    #[schema(same_length_as("transforms"))]
    pub bones: Counted<CInt, Bone>,
    /// What is known of each surface before its geometry.
    #[schema(same_length_as("geometry", "trees"), free)]
    pub surfaces: Counted<CInt, Surface14>,
    /// Memory the mesh is estimated to take, in bytes.
    pub memory: i64,
    /// The magic again, between the headers and the data.
    #[br(parse_with = marker)]
    #[schema(decides = "transforms")]
    pub middle_id: FixedStr<4>,
    /// Bind pose of each bone.
    #[br(args(len(&bones)))]
    pub transforms: List<Transform>,
    /// Shapes and attributes of each surface: `geometry[0]!targets[0].vertices[3].x`.
    #[br(parse_with = list_each, args(surfaces.iter().map(|surface| (budget.clone(), surface.counts()))))]
    #[schema(args(num_surfaces.value), free)]
    pub geometry: List<PackedGeometry>,
    /// The magic, between geometry and trees.
    #[br(parse_with = marker)]
    #[schema(decides = "trees")]
    pub trees_id: FixedStr<4>,
    /// A tree of the triangles of each surface.
    #[br(parse_with = list_with, args(len(&surfaces), (budget,)))]
    #[schema(args(num_surfaces.value), free)]
    pub trees: List<PackedTree>,
    /// The magic, between trees and offsets.
    #[br(parse_with = marker)]
    #[schema(decides = "offsets")]
    pub offsets_id: FixedStr<4>,
    #[br(temp, args(len(&surfaces)))]
    #[bw(calc = offset_errors.applied(offsets_of(self)))]
    #[schema(places = "geometry")]
    offsets: List<i64>,
    #[br(args(&offsets, &geometry, trees_id.size() + trees.size() + offsets_id.size() + offsets.size()))]
    #[schema(args())]
    /// How far the offsets of the file are from the places they should name.
    pub offset_errors: OffsetSlips,
    /// The magic once more, at the end of the file.
    pub tail_id: FixedStr<4>,
    /// Bytes behind the end.
    pub rest: Rest,
}

fn agrees(mesh: &Mesh14) -> bool {
    mesh.rest.truncation().is_some()
        || mesh.bones.len() == mesh.transforms.len()
            && mesh.surfaces.len() == mesh.geometry.len()
            && mesh.surfaces.len() == mesh.trees.len()
            && mesh.surfaces.iter().zip(&mesh.geometry).all(|(surface, geometry)| surface.announces(geometry))
}

/// Where each geometry stands in the file: what the offsets of a sound file say.
#[must_use]
pub fn offsets_of(mesh: &Mesh14) -> Vec<i64> {
    places(offset_of(mesh, "geometry"), &mesh.geometry)
}

fn places(start: u64, geometry: &[PackedGeometry]) -> Vec<i64> {
    let mut at = start;
    let each = geometry.iter().map(|geometry| {
        let place = i64::try_from(at).unwrap_or(i64::MAX);
        at += geometry.size();
        place
    });
    each.collect()
}

impl Mesh14 {
    /// Gives a surface another geometry, and its header what it must say of it.
    ///
    /// # Errors
    /// [`ErrorKind::Value`] when there is no such surface or it has another number of morph targets; [`ErrorKind::Encode`] when
    /// the geometry cannot be written.
    pub fn set_geometry(&mut self, surface: usize, geometry: Geometry) -> Result<()> {
        let (Some(header), Some(part)) = (self.surfaces.get_mut(surface), self.geometry.get_mut(surface))
        else {
            return Err(Error::new(0, ErrorKind::Value(format!("there is no surface {surface}").into())));
        };
        let mut header_then = header.clone();
        header_then.announce(&geometry)?;
        part.data = Packed::new(&geometry.there(), header_then.counts())?;
        *header = header_then;
        Ok(())
    }
}

/// What is known of a surface before its geometry.
#[derive(Schema)]
#[binrw]
#[derive(Clone, Debug, PartialEq)]
pub struct Surface14 {
    /// The name; may be empty.
    pub name: Name,
    /// How the surface is lit by lightmaps.
    pub lightmap: Lightmap,
    /// How many coordinate indices its geometry has.
    #[schema(decides = "geometry")]
    pub num_coordinate_indices: CInt,
    /// How many triangle indices its geometry has.
    #[schema(decides = "geometry")]
    pub num_triangle_indices: CInt,
    /// Bounds of the surface.
    pub bounds: Bounds,
    /// The morph targets; the first is the shape itself.
    pub targets: Counted<CInt, Target14>,
}

impl Surface14 {
    fn counts(&self) -> GeometryCounts {
        GeometryCounts {
            targets: self.targets.iter().map(|target| Some(target.num_vertices.value())).collect(),
            coordinate_indices: Some(self.num_coordinate_indices.value()),
            triangle_indices: Some(self.num_triangle_indices.value()),
        }
    }

    /// Whether the geometry was read by what this header says.
    fn announces(&self, geometry: &PackedGeometry) -> bool {
        *geometry.data.told() == self.counts()
    }

    fn announce(&mut self, geometry: &Geometry) -> Result<()> {
        let wrong = |why: &str| Error::new(0, ErrorKind::Value(why.into()));
        if geometry.targets.len() != self.targets.len() {
            return Err(wrong("the surface has another number of morph targets"));
        }
        let count = |len: usize| CInt::try_from(len).map_err(|error| wrong(&error.to_string()));
        for (header, target) in self.targets.iter_mut().zip(&geometry.targets) {
            header.num_vertices = count(target.vertices.len())?;
        }
        self.num_coordinate_indices = count(geometry.coordinate_indices.len())?;
        self.num_triangle_indices = count(geometry.triangle_indices.len())?;
        Ok(())
    }
}

/// What is known of a morph target before its shape.
#[derive(Schema)]
#[binrw]
#[derive(Clone, Debug, PartialEq)]
pub struct Target14 {
    /// The name; empty for the shape itself.
    pub name: Name,
    /// How many vertices it has.
    #[schema(decides = "geometry")]
    pub num_vertices: CInt,
}

/// A packed geometry.
#[derive(Schema)]
#[schema(params())]
#[binrw]
#[br(import(budget: Budget, counts: GeometryCounts))]
#[derive(Clone, Debug, PartialEq)]
pub struct PackedGeometry {
    #[br(temp)]
    #[bw(calc = data.len_unpacked())]
    len_unpacked: i64,
    #[br(temp)]
    #[bw(calc = data.len_packed())]
    len_packed: i64,
    /// A block of LZ4; the bytes themselves where the two lengths are equal.
    #[br(args(len_unpacked, len_packed, budget, counts))]
    #[schema(args(len_packed))]
    pub data: Packed<Geometry>,
}

/// A packed tree.
#[derive(Schema)]
#[schema(params())]
#[binrw]
#[br(import(budget: Budget))]
#[derive(Clone, Debug, PartialEq)]
pub struct PackedTree {
    #[br(temp)]
    #[bw(calc = data.len_unpacked())]
    len_unpacked: i64,
    #[br(temp)]
    #[bw(calc = data.len_packed())]
    len_packed: i64,
    /// A block of LZ4; the bytes themselves where the two lengths are equal.
    #[br(args(len_unpacked, len_packed, budget, ()))]
    #[schema(args(len_packed))]
    pub data: Packed<Tree>,
}

impl Content for Geometry {
    type ContentArgs = GeometryCounts;

    fn nothing() -> Self {
        Self::default().there()
    }

    fn unpacked(source: &mut Source<'_>, told: &GeometryCounts) -> BinResult<Self> {
        Self::read_options(source, Endian::Little, (14, told.clone()))
    }
}

impl Content for Tree {
    type ContentArgs = ();

    fn nothing() -> Self {
        Self::default()
    }

    fn unpacked(source: &mut Source<'_>, (): &()) -> BinResult<Self> {
        Self::read_options(source, Endian::Little, ())
    }
}

/// A tree of the triangles of a surface, for finding those that a ray or a box meets.
#[derive(Schema)]
#[binrw]
#[bw(assert(boxes.announced() == nodes.announced() && splits.announced() == nodes.announced(), "there is a box and a split for each node"))]
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Tree {
    /// Flags of the edges of each triangle.
    pub edge_flags: Counted<CInt, u8>,
    /// Triangles in the order of the leaves, as three times their number.
    pub indices: Counted<CInt, CInt>,
    /// The nodes; the first is the root.
    #[schema(same_length_as("boxes", "splits"))]
    pub nodes: Counted<CInt, TreeNode>,
    /// Least x, y, z and greatest x, y, z of each node.
    #[br(args(len(&nodes)))]
    pub boxes: List<[f32; 6]>,
    /// Where each node is split along its axis.
    #[br(args(len(&nodes)))]
    pub splits: List<f32>,
}

/// A node of a tree.
#[derive(Schema)]
#[binrw]
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct TreeNode {
    /// The axis it is split along: 0, 1, 2 for x, y, z.
    pub axis: i8,
    /// Node below the split; -1 at a leaf.
    pub left: CInt,
    /// Node above the split; -1 at a leaf.
    pub right: CInt,
    /// First of its indices; -1 where it has none.
    pub begin: CInt,
    /// End of its indices; -1 where it has none.
    pub end: CInt,
}

/// How far the offsets of a file are from the places they should name: 0 in sound files.
///
/// It has no bytes of its own. Offsets follow when something in front of them changes its length, and one that was wrong
/// stays as wrong as it was.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct OffsetSlips(Vec<i64>);

impl OffsetSlips {
    /// The offsets that a file says.
    fn applied(&self, places: Vec<i64>) -> List<i64> {
        let offset_errors = self.0.iter().copied().chain(std::iter::repeat(0));
        places.into_iter().zip(offset_errors).map(|(place, slip)| place.wrapping_add(slip)).collect()
    }

    /// By how many bytes each offset is wrong.
    #[must_use]
    pub fn offset_errors(&self) -> &[i64] {
        &self.0
    }

    /// Makes all offsets right.
    pub fn mend(&mut self) {
        self.0.clear();
    }
}

impl BinRead for OffsetSlips {
    /// The offsets, the geometry they name, and the bytes between its end and here.
    type Args<'a> = (&'a List<i64>, &'a List<PackedGeometry>, u64);

    fn read_options<R: Read + Seek>(
        reader: &mut R,
        _: Endian,
        (offsets, geometry, distance): Self::Args<'_>,
    ) -> BinResult<Self> {
        let start = reader.stream_position()?.saturating_sub(distance + geometry.size());
        let mut offset_errors: Vec<i64> = { offsets.iter().zip(places(start, geometry)) }
            .map(|(offset, place)| offset.wrapping_sub(place))
            .collect();
        if offset_errors.iter().all(|slip| *slip == 0) {
            offset_errors.clear();
        }
        Ok(Self(offset_errors))
    }
}

impl BinWrite for OffsetSlips {
    type Args<'a> = ();

    fn write_options<W: std::io::Write + Seek>(&self, _: &mut W, _: Endian, (): ()) -> BinResult<()> {
        Ok(())
    }
}

impl Value for OffsetSlips {
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

impl Schema for OffsetSlips {
    fn shape() -> Shape {
        Shape::Nothing
    }
    fn blank(_like: Option<&Self>) -> Self {
        Self::default()
    }
}
