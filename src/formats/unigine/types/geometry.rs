//! Vertices, attributes and indices of a surface, as in every mesh from ms10 to ms15.

use binrw::binrw;

use super::{CInt, MaybeCounted};
use crate::schema::Schema;
use crate::wire::{Counted, List, SmallList, len, list_each};

/// Vertices, attributes and indices of a surface.
///
/// A triangle corner has a coordinate index, which selects a vertex, and a triangle index, which selects a tangent, its
/// texture coordinates and its colour.
#[derive(Schema)]
#[binrw]
#[br(import(version: u8, counts: GeometryCounts))]
#[schema(params(version: u8, num_targets: i64))]
#[schema(scope)]
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Geometry {
    /// The morph targets; the first is the base shape.
    #[br(parse_with = list_each, args(counts.targets.iter().map(|count| (version, *count))))]
    #[schema(args(num_targets, version), free)]
    pub targets: List<Target>,
    /// Influences of each vertex; none if the surface is rigid.
    pub weights: Counted<CInt, VertexWeights>,
    /// Texture coordinates u, v of each tangent, or none.
    pub uv0: Counted<CInt, [f32; 2]>,
    /// A second set of texture coordinates, or none.
    pub uv1: Counted<CInt, [f32; 2]>,
    /// A colour for each tangent, or none. The channel order is not documented and is assumed to be red, green, blue,
    /// alpha.
    pub colors: Counted<CInt, [u8; 4]>,
    /// Indices into the vertices; their number determines the width. Without morph targets the width is assumed to be
    /// 8 bits: no such file is known.
    #[br(args(targets.first().map_or(0, |target| len(&target.vertices)), counts.coordinate_indices))]
    #[schema(args(if num_targets > 0 { targets[0].num_vertices.value } else { 0 }))]
    #[schema(index_of("vertex"))]
    pub coordinate_indices: Corners,
    /// Indices into the tangents; their number determines the width.
    #[br(args(targets.first().map_or(0, |target| target.tangents.count()), counts.triangle_indices))]
    #[schema(args(
        if num_targets > 0 {
            (if version == 10 { targets[0].tangents.num_short.value } else { targets[0].tangents.num_long.value })
        } else { 0 }
    ))]
    #[schema(index_of("tangent"))]
    pub triangle_indices: Corners,
}

/// The counts that a header contains; `None` if each list starts with its own count.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GeometryCounts {
    /// Number of vertices of each morph target.
    pub targets: Vec<Option<i64>>,
    /// Number of coordinate indices.
    pub coordinate_indices: Option<i64>,
    /// Number of triangle indices.
    pub triangle_indices: Option<i64>,
}

impl GeometryCounts {
    /// Each list starts with its own count.
    pub(super) fn inline(targets: usize) -> Self {
        Self { targets: vec![None; targets], coordinate_indices: None, triangle_indices: None }
    }
}

impl Default for GeometryCounts {
    /// Returns an empty geometry.
    fn default() -> Self {
        Self { targets: Vec::new(), coordinate_indices: Some(0), triangle_indices: Some(0) }
    }
}

impl Geometry {
    /// Moves the counts that a header contains out of the lists.
    pub(super) fn external(mut self) -> Self {
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
            weights: &self.weights,
            uv0: &self.uv0,
            uv1: &self.uv1,
            colors: &self.colors,
            coordinate_indices: &self.coordinate_indices,
            triangle_indices: &self.triangle_indices,
        }
    }

    /// Whether it decodes identically after encoding: tangents have the width of the version, indices that of their range.
    pub(super) fn fits(&self, version: u8) -> bool {
        let base = self.targets.first();
        let (vertices, tangents) =
            base.map_or((0, 0), |target| (len(&target.vertices), target.tangents.count()));
        let tangents_fit = |target: &Target| matches!(target.tangents, Tangents::Short(_)) == (version == 10);
        self.targets.iter().all(tangents_fit)
            && self.coordinate_indices.fits(vertices)
            && self.triangle_indices.fits(tangents)
    }
}

/// The lists of a geometry, whatever its version.
pub(in crate::formats::unigine) struct GeometryView<'a> {
    pub targets: &'a [Target],
    pub weights: &'a [VertexWeights],
    pub uv0: &'a [[f32; 2]],
    pub uv1: &'a [[f32; 2]],
    pub colors: &'a [[u8; 4]],
    pub coordinate_indices: &'a Corners,
    pub triangle_indices: &'a Corners,
}

/// Vertices and tangents of a morph target.
#[derive(Schema)]
#[binrw]
#[br(import(version: u8, num_vertices: Option<i64>))]
#[schema(params(version: u8))]
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Target {
    /// x, y, z in model units.
    #[br(args(num_vertices))]
    #[schema(args())]
    #[schema(axis = "vertex", point)]
    pub vertices: MaybeCounted<CInt, [f32; 3]>,
    /// Tangent bases.
    #[br(args(version))]
    #[schema(axis = "tangent")]
    pub tangents: Tangents,
}

/// Tangent bases, in the layout of the version.
#[derive(Schema)]
#[schema(tag(version: u8))]
#[derive(Clone, Debug, PartialEq)]
pub enum Tangents {
    /// 7 bytes each: ms10.
    #[schema(tag = 10)]
    Short(Counted<CInt, Tangent10>),
    /// 8 bytes each: ms11 and later.
    #[schema(raw)]
    Long(Counted<CInt, Tangent>),
}

impl Default for Tangents {
    fn default() -> Self {
        Self::Long(Counted::default())
    }
}

impl Tangents {
    /// Returns the number of tangent bases.
    #[must_use]
    pub fn len(&self) -> usize {
        match self {
            Self::Short(tangents) => tangents.len(),
            Self::Long(tangents) => tangents.len(),
        }
    }

    /// Returns whether the list is empty.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    pub(super) fn count(&self) -> i64 {
        i64::try_from(self.len()).unwrap_or(i64::MAX)
    }
}

/// A tangent basis as a quaternion in 7 bytes. See [`quaternion`](Self::quaternion) for its meaning.
#[derive(Schema)]
#[binrw]
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Tangent10 {
    /// x, y, z times 32767.
    pub xyz: [i16; 3],
    /// The handedness of the basis, 127 or -127, not the sign of w; inferred from the only known file.
    pub w: i8,
}

/// A tangent basis as a unit quaternion.
#[derive(Schema)]
#[binrw]
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Tangent {
    /// x, y, z, w times 32767. The sign of w is the handedness of the basis; the engine never lets w become 0.
    pub xyzw: [i16; 4],
}

/// The influences of a vertex.
#[derive(Schema)]
#[binrw]
#[derive(Clone, Debug, Default, PartialEq)]
pub struct VertexWeights {
    /// At most four in valid files; the weights add up to about 65535.
    pub influences: SmallList<u8, Influence, 4>,
}

/// The influence of a bone on a vertex.
#[derive(Schema)]
#[binrw]
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Influence {
    /// Index of the bone.
    #[schema(index_of("bone"))]
    pub bone: i16,
    /// The weight times 65535.
    pub weight: u16,
}

/// Indices of 8, 16 or 32 bits; the length of the list that they select from determines the width.
#[derive(Schema)]
#[schema(tag(num_targets: i64), import(count: Option<i64>), params(num_targets: i64))]
#[derive(Clone, Debug, PartialEq)]
pub enum Corners {
    /// Fewer than 256 elements.
    #[schema(tag = ..=0xff, ksy = num_targets < 256, args())]
    #[br(args(count))]
    U8(MaybeCounted<CInt, u8>),
    /// Fewer than 65,536 elements.
    #[schema(tag = 0x100..=0xffff, ksy = num_targets >= 256 && num_targets < 65536, args())]
    #[br(args(count))]
    U16(MaybeCounted<CInt, u16>),
    /// More elements. These are plain integers, not compact ones.
    #[schema(raw, args())]
    #[br(args(count))]
    U32(MaybeCounted<CInt, u32>),
}

impl Corners {
    /// Returns indices of the width that `num_targets` elements need, or `None` if an index is too large for it.
    #[must_use]
    pub fn new(indices: &[u32], num_targets: usize) -> Option<Self> {
        Self::collect(indices.iter().copied(), num_targets)
    }

    /// As [`new`](Self::new); a list of indices is moved if its width fits.
    pub(in crate::formats::unigine) fn collect(
        indices: impl IntoIterator<Item = u32>,
        num_targets: usize,
    ) -> Option<Self> {
        let indices = indices.into_iter();
        Some(match num_targets {
            ..0x100 => Self::U8(narrowed(indices)?),
            0x100..0x1_0000 => Self::U16(narrowed(indices)?),
            _ => Self::U32(narrowed(indices)?),
        })
    }

    /// Returns the number of tangent bases.
    #[must_use]
    pub fn len(&self) -> usize {
        match self {
            Self::U8(indices) => indices.len(),
            Self::U16(indices) => indices.len(),
            Self::U32(indices) => indices.len(),
        }
    }

    /// Returns whether the list is empty.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Returns the index at a position.
    #[must_use]
    pub fn get(&self, at: usize) -> Option<u32> {
        match self {
            Self::U8(indices) => indices.get(at).copied().map(u32::from),
            Self::U16(indices) => indices.get(at).copied().map(u32::from),
            Self::U32(indices) => indices.get(at).copied(),
        }
    }

    /// Iterates over the indices.
    pub fn iter(&self) -> impl Iterator<Item = u32> {
        (0..self.len()).filter_map(|at| self.get(at))
    }

    pub(in crate::formats::unigine) fn truncate(&mut self, len: usize) {
        match self {
            Self::U8(indices) => indices.truncate(len),
            Self::U16(indices) => indices.truncate(len),
            Self::U32(indices) => indices.truncate(len),
        }
    }

    pub(super) fn external(self) -> Self {
        match self {
            Self::U8(indices) => Self::U8(indices.there()),
            Self::U16(indices) => Self::U16(indices.there()),
            Self::U32(indices) => Self::U32(indices.there()),
        }
    }

    /// Whether the width fits; an empty list has no width.
    fn fits(&self, num_targets: i64) -> bool {
        let wide_enough = match self {
            Self::U8(_) => num_targets <= 0xff,
            Self::U16(_) => (0x100..=0xffff).contains(&num_targets),
            Self::U32(_) => num_targets > 0xffff,
        };
        wide_enough || self.is_empty()
    }
}

fn narrowed<T: TryFrom<u32>>(indices: impl Iterator<Item = u32>) -> Option<MaybeCounted<CInt, T>> {
    let narrowed: Option<Vec<T>> = indices.map(|index| T::try_from(index).ok()).collect();
    narrowed.map(MaybeCounted::from)
}

impl Default for Corners {
    fn default() -> Self {
        Self::U8(MaybeCounted::default())
    }
}
