//! The content of a mesh, whatever records it is written in.

use super::{
    AuxFlags, Bone, Chunk, Face, Face32, Material, MorphDelta, MorphInfo, PackedWedge, PolyFlags, Psk,
    Records, ShortMaterial, Socket, VertexColor, Wedge, Weight,
};
use crate::wire::FixedStr;

/// The records of the first chunk that holds such records; none where there is no such chunk.
macro_rules! first {
    ($chunks:expr, $variant:ident) => {
        $chunks
            .iter()
            .find_map(|chunk| match &chunk.records {
                $crate::formats::psk::Records::$variant(records) => Some(&***records),
                _ => None,
            })
            .unwrap_or(&[])
    };
}
pub(super) use first;

/// The wedges of a mesh, in either layout.
#[derive(Clone, Copy, Debug)]
pub enum Wedges<'a> {
    /// With padding.
    Padded {
        /// The records.
        records: &'a [Wedge],
        /// Points in the file, which decide how wide an index is.
        num_points: usize,
    },
    /// Without padding.
    Packed(&'a [PackedWedge]),
}

/// A point with a texture coordinate, as every layout has it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Corner {
    /// Index into the points.
    pub point_index: u32,
    /// u, v; v grows downwards from the top of the image.
    pub uv: [f32; 2],
    /// Index of the material.
    pub material_index: u8,
}

impl Wedges<'_> {
    /// How many there are.
    #[must_use]
    pub const fn len(&self) -> usize {
        match self {
            Self::Padded { records, .. } => records.len(),
            Self::Packed(records) => records.len(),
        }
    }

    /// Whether there are none.
    #[must_use]
    pub const fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// A wedge, counted from 0.
    #[must_use]
    pub fn get(&self, index: usize) -> Option<Corner> {
        match self {
            Self::Padded { records, num_points } => records.get(index).map(|wedge| Corner {
                point_index: wedge.point_index(*num_points),
                uv: [wedge.u, wedge.v],
                material_index: wedge.material_index,
            }),
            Self::Packed(records) => records.get(index).map(|wedge| Corner {
                point_index: wedge.point_index,
                uv: [wedge.u, wedge.v],
                material_index: wedge.material_index,
            }),
        }
    }

    /// All wedges in turn.
    pub fn iter(&self) -> impl Iterator<Item = Corner> {
        (0..self.len()).filter_map(|index| self.get(index))
    }
}

/// The triangles of a mesh, in either layout.
#[derive(Clone, Copy, Debug)]
pub enum Faces<'a> {
    /// With indices of 16 bits.
    Narrow(&'a [Face]),
    /// With indices of 32 bits.
    Wide(&'a [Face32]),
}

impl Faces<'_> {
    /// How many there are.
    #[must_use]
    pub const fn len(&self) -> usize {
        match self {
            Self::Narrow(records) => records.len(),
            Self::Wide(records) => records.len(),
        }
    }

    /// Whether there are none.
    #[must_use]
    pub const fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// A triangle, counted from 0, as a wide record.
    #[must_use]
    pub fn get(&self, index: usize) -> Option<Face32> {
        match self {
            Self::Narrow(records) => records.get(index).map(|face| Face32 {
                wedge_indices: face.wedge_indices.map(u32::from),
                material_index: face.material_index,
                aux_material_index: face.aux_material_index,
                smoothing_groups: face.smoothing_groups,
            }),
            Self::Wide(records) => records.get(index).cloned(),
        }
    }

    /// All triangles in turn.
    pub fn iter(&self) -> impl Iterator<Item = Face32> {
        (0..self.len()).filter_map(|index| self.get(index))
    }
}

/// The materials of a mesh, in either layout.
#[derive(Clone, Copy, Debug)]
pub enum Materials<'a> {
    /// As Epic defines them.
    Full(&'a [Material]),
    /// Without auxiliary flags.
    Short(&'a [ShortMaterial]),
}

impl<'a> Materials<'a> {
    /// How many there are.
    #[must_use]
    pub const fn len(&self) -> usize {
        match self {
            Self::Full(records) => records.len(),
            Self::Short(records) => records.len(),
        }
    }

    /// Whether there are none.
    #[must_use]
    pub const fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// A material, counted from 0, as a full record.
    #[must_use]
    pub fn get(&self, index: usize) -> Option<Material> {
        match self {
            Self::Full(records) => records.get(index).cloned(),
            Self::Short(records) => records.get(index).map(|short| Material {
                name: short.name,
                texture_index: short.texture_index,
                poly_flags: short.poly_flags,
                aux_material: short.aux_material,
                aux_flags: AuxFlags::default(),
                lod_bias: short.lod_bias,
                lod_style: short.lod_style,
            }),
        }
    }

    /// Name and flags of a material, counted from 0.
    #[must_use]
    pub fn named(&self, index: usize) -> Option<(&'a FixedStr<64>, PolyFlags)> {
        match self {
            Self::Full(records) => records.get(index).map(|full| (&full.name, full.poly_flags)),
            Self::Short(records) => records.get(index).map(|short| (&short.name, short.poly_flags)),
        }
    }
}

/// Views over the chunks; of several of one kind the first, as readers have it.
impl Psk {
    /// Positions.
    #[must_use]
    pub fn points(&self) -> &[[f32; 3]] {
        first!(self.chunks, Points)
    }

    /// Points with texture coordinates.
    #[must_use]
    pub fn wedges(&self) -> Wedges<'_> {
        let packed = first!(self.chunks, PackedWedges);
        if packed.is_empty() {
            Wedges::Padded { records: first!(self.chunks, Wedges), num_points: self.points().len() }
        } else {
            Wedges::Packed(packed)
        }
    }

    /// Triangles.
    #[must_use]
    pub fn faces(&self) -> Faces<'_> {
        let wide = first!(self.chunks, Faces32);
        if wide.is_empty() { Faces::Narrow(first!(self.chunks, Faces)) } else { Faces::Wide(wide) }
    }

    /// Materials.
    #[must_use]
    pub fn materials(&self) -> Materials<'_> {
        let short = first!(self.chunks, ShortMaterials);
        if short.is_empty() {
            Materials::Full(first!(self.chunks, Materials))
        } else {
            Materials::Short(short)
        }
    }

    /// The skeleton.
    #[must_use]
    pub fn bones(&self) -> &[Bone] {
        first!(self.chunks, Bones)
    }

    /// Influences of bones on points.
    #[must_use]
    pub fn weights(&self) -> &[Weight] {
        first!(self.chunks, Weights)
    }

    /// A colour for each wedge, or none.
    #[must_use]
    pub fn vertex_colors(&self) -> &[VertexColor] {
        first!(self.chunks, VertexColors)
    }

    /// A normal for each point, or none.
    #[must_use]
    pub fn normals(&self) -> &[[f32; 3]] {
        first!(self.chunks, Normals)
    }

    /// Further channels of texture coordinates, each with a u, v for each wedge, in the order of the file.
    pub fn extra_uvs(&self) -> impl Iterator<Item = &[[f32; 2]]> {
        self.chunks.iter().filter_map(|chunk| match &chunk.records {
            Records::ExtraUvs(uvs) => Some(&***uvs),
            _ => None,
        })
    }

    /// Places where things are attached.
    #[must_use]
    pub fn sockets(&self) -> &[Socket] {
        first!(self.chunks, Sockets)
    }

    /// Morph targets with the points each moves. A target whose deltas are missing has fewer or none.
    pub fn morphs(&self) -> impl Iterator<Item = (&MorphInfo, &[MorphDelta])> {
        let mut left: &[MorphDelta] = first!(self.chunks, MorphDeltas);
        let infos: &[MorphInfo] = first!(self.chunks, MorphInfos);
        infos.iter().map(move |info| {
            let num = usize::try_from(info.num_vertices).unwrap_or(0).min(left.len());
            let (own, others) = left.split_at(num);
            left = others;
            (info, own)
        })
    }

    /// The first chunk with this id.
    #[must_use]
    pub fn chunk(&self, id: &str) -> Option<&Chunk> {
        self.chunks.iter().find(|chunk| chunk.id == id)
    }
}
