//! Shapes and attributes of a surface, as in every mesh from ms10 to ms14.

use binrw::binrw;

use crate::schema::Schema;
use crate::wire::{CInt, Counted, List, MaybeCounted, SmallList, len, list_each};

/// Shapes and attributes of a surface.
///
/// A corner of a triangle is one coordinate index, which points at a vertex, and one triangle index, which points at a
/// tangent, its texture coordinates and its colour.
#[derive(Schema)]
#[binrw]
#[br(import(version: u8, counts: GeometryCounts))]
#[schema(params(version: u8, num_targets: i64))]
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Geometry {
    /// The morph targets; the first is the shape itself.
    #[br(parse_with = list_each, args(counts.targets.iter().map(|count| (version, *count))))]
    #[schema(args(num_targets, version), free)]
    pub targets: List<Target>,
    /// The bones that move each vertex; none where the surface is rigid.
    pub weights: Counted<CInt, VertexWeights>,
    /// Texture coordinates u, v of each tangent, or none.
    pub uv0: Counted<CInt, [f32; 2]>,
    /// A second set of texture coordinates, or none.
    pub uv1: Counted<CInt, [f32; 2]>,
    /// A colour for each tangent, or none. The order of the channels is documented nowhere; red, green, blue, alpha is
    /// a guess.
    pub colors: Counted<CInt, [u8; 4]>,
    /// Indices into the vertices, as wide as their number needs. Without morph targets they have 8 bits, which is a guess:
    /// no such file is known.
    #[br(args(targets.first().map_or(0, |target| len(&target.vertices)), counts.coordinate_indices))]
    #[schema(args(if num_targets > 0 { targets[0].num_vertices.value } else { 0 }))]
    pub coordinate_indices: Corners,
    /// Indices into the tangents, as wide as their number needs.
    #[br(args(targets.first().map_or(0, |target| target.tangents.count()), counts.triangle_indices))]
    #[schema(args(
        if num_targets > 0 {
            (if version == 10 { targets[0].tangents.num_short.value } else { targets[0].tangents.num_long.value })
        } else { 0 }
    ))]
    pub triangle_indices: Corners,
}

/// What a header says of a geometry; nothing where each list says it of itself.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GeometryCounts {
    /// Vertices of each morph target.
    pub targets: Vec<Option<i64>>,
    /// Coordinate indices.
    pub coordinate_indices: Option<i64>,
    /// Triangle indices.
    pub triangle_indices: Option<i64>,
}

impl GeometryCounts {
    /// Every list has its count in front.
    pub(super) fn here(targets: usize) -> Self {
        Self { targets: vec![None; targets], coordinate_indices: None, triangle_indices: None }
    }
}

impl Default for GeometryCounts {
    /// Nothing at all.
    fn default() -> Self {
        Self { targets: Vec::new(), coordinate_indices: Some(0), triangle_indices: Some(0) }
    }
}

impl Geometry {
    /// The same without the counts that a header has.
    pub(super) fn there(mut self) -> Self {
        for target in self.targets.iter_mut() {
            target.vertices = std::mem::take(&mut target.vertices).there();
        }
        self.coordinate_indices = self.coordinate_indices.there();
        self.triangle_indices = self.triangle_indices.there();
        self
    }

    /// Whether it can be read again as it is written: tangents as wide as the version's, indices as their number needs.
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

/// The shape of a morph target.
#[derive(Schema)]
#[binrw]
#[br(import(version: u8, num_vertices: Option<i64>))]
#[schema(params(version: u8))]
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Target {
    /// x, y, z in model units.
    #[br(args(num_vertices))]
    #[schema(args())]
    pub vertices: MaybeCounted<CInt, [f32; 3]>,
    /// Tangent bases.
    #[br(args(version))]
    pub tangents: Tangents,
}

/// Tangent bases, as the version lays them out.
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
    /// How many there are.
    #[must_use]
    pub fn len(&self) -> usize {
        match self {
            Self::Short(tangents) => tangents.len(),
            Self::Long(tangents) => tangents.len(),
        }
    }

    /// Whether there are none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    fn count(&self) -> i64 {
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
    /// The side of the binormal, 127 or -127, and not the sign of w: inferred from the only file known.
    pub w: i8,
}

/// A tangent basis as a unit quaternion.
#[derive(Schema)]
#[binrw]
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Tangent {
    /// x, y, z, w times 32767. The sign of w tells the handedness of the basis; the engine keeps it away from 0.
    pub xyzw: [i16; 4],
}

/// The bones that move a vertex.
#[derive(Schema)]
#[binrw]
#[derive(Clone, Debug, Default, PartialEq)]
pub struct VertexWeights {
    /// At most four in sound files; the weights add up to about 65535.
    pub influences: SmallList<Influence, 4>,
}

/// A bone that moves a vertex.
#[derive(Schema)]
#[binrw]
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Influence {
    /// Index of the bone.
    pub bone: i16,
    /// 65535 times the share.
    pub weight: u16,
}

/// Indices of 8, 16 or 32 bits: as wide as the number of things they point at needs.
#[derive(Schema)]
#[schema(tag(num_targets: i64), import(count: Option<i64>), params(num_targets: i64))]
#[derive(Clone, Debug, PartialEq)]
pub enum Corners {
    /// Into less than 256.
    #[schema(tag = ..=0xff, ksy = num_targets < 256, args())]
    #[br(args(count))]
    U8(MaybeCounted<CInt, u8>),
    /// Into less than 65536.
    #[schema(tag = 0x100..=0xffff, ksy = num_targets >= 256 && num_targets < 65536, args())]
    #[br(args(count))]
    U16(MaybeCounted<CInt, u16>),
    /// Into more. These are plain numbers, not compact ones.
    #[schema(raw, args())]
    #[br(args(count))]
    U32(MaybeCounted<CInt, u32>),
}

impl Corners {
    /// Indices as wide as so many things to point at need; `None` where one is wider.
    #[must_use]
    pub fn new(indices: &[u32], num_targets: usize) -> Option<Self> {
        Some(match num_targets {
            ..0x100 => Self::U8(narrowed(indices)?),
            0x100..0x1_0000 => Self::U16(narrowed(indices)?),
            _ => Self::U32(narrowed(indices)?),
        })
    }

    /// How many there are.
    #[must_use]
    pub fn len(&self) -> usize {
        match self {
            Self::U8(indices) => indices.len(),
            Self::U16(indices) => indices.len(),
            Self::U32(indices) => indices.len(),
        }
    }

    /// Whether there are none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// An index, by its place counted from 0.
    #[must_use]
    pub fn get(&self, at: usize) -> Option<u32> {
        match self {
            Self::U8(indices) => indices.get(at).copied().map(u32::from),
            Self::U16(indices) => indices.get(at).copied().map(u32::from),
            Self::U32(indices) => indices.get(at).copied(),
        }
    }

    /// All indices in order.
    pub fn iter(&self) -> impl Iterator<Item = u32> {
        (0..self.len()).filter_map(|at| self.get(at))
    }

    fn there(self) -> Self {
        match self {
            Self::U8(indices) => Self::U8(indices.there()),
            Self::U16(indices) => Self::U16(indices.there()),
            Self::U32(indices) => Self::U32(indices.there()),
        }
    }

    /// Without indices all widths look alike.
    fn fits(&self, num_targets: i64) -> bool {
        let wide_enough = match self {
            Self::U8(_) => num_targets <= 0xff,
            Self::U16(_) => (0x100..=0xffff).contains(&num_targets),
            Self::U32(_) => num_targets > 0xffff,
        };
        wide_enough || self.is_empty()
    }
}

fn narrowed<T: TryFrom<u32>>(indices: &[u32]) -> Option<MaybeCounted<CInt, T>> {
    let narrowed: Option<Vec<T>> = indices.iter().map(|index| T::try_from(*index).ok()).collect();
    narrowed.map(MaybeCounted::from)
}

impl Default for Corners {
    fn default() -> Self {
        Self::U8(MaybeCounted::default())
    }
}
