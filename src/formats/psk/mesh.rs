//! Views of the contents of a mesh, independent of the record layout.

use super::{
    AuxFlags, Bone, Chunk, ColorOrder, Face, Face32, Material, MorphDelta, MorphInfo, PackedWedge, PolyFlags,
    Psk, Records, ShortMaterial, Socket, VertexColor, Wedge, Weight,
};
use crate::wire::FixedStr;

/// Returns the records of the first chunk with such records, or an empty slice.
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
        /// The number of points in the file, which decides the width of an index.
        num_points: usize,
    },
    /// Without padding.
    Packed(&'a [PackedWedge]),
}

/// A wedge of any layout.
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
    /// Returns the number of elements.
    #[must_use]
    pub const fn len(&self) -> usize {
        match self {
            Self::Padded { records, .. } => records.len(),
            Self::Packed(records) => records.len(),
        }
    }

    /// Returns whether there are no elements.
    #[must_use]
    pub const fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Returns a wedge by index.
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

    /// Returns all wedges in order.
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
    /// Returns the number of elements.
    #[must_use]
    pub const fn len(&self) -> usize {
        match self {
            Self::Narrow(records) => records.len(),
            Self::Wide(records) => records.len(),
        }
    }

    /// Returns whether there are no elements.
    #[must_use]
    pub const fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Returns a triangle by index, as a wide record.
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

    /// Returns all triangles in order.
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
    /// Returns the number of elements.
    #[must_use]
    pub const fn len(&self) -> usize {
        match self {
            Self::Full(records) => records.len(),
            Self::Short(records) => records.len(),
        }
    }

    /// Returns whether there are no elements.
    #[must_use]
    pub const fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Returns a material by index, as a full record.
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

    /// Returns name and flags of a material by index.
    #[must_use]
    pub fn named(&self, index: usize) -> Option<(&'a FixedStr<64>, PolyFlags)> {
        match self {
            Self::Full(records) => records.get(index).map(|full| (&full.name, full.poly_flags)),
            Self::Short(records) => records.get(index).map(|short| (&short.name, short.poly_flags)),
        }
    }
}

/// Views of the chunks; of several with the same records the first, like other readers.
impl Psk {
    /// Returns the positions.
    #[must_use]
    pub fn points(&self) -> &[[f32; 3]] {
        first!(self.chunks, Points)
    }

    /// Returns the points with texture coordinates.
    #[must_use]
    pub fn wedges(&self) -> Wedges<'_> {
        let packed = first!(self.chunks, PackedWedges);
        if packed.is_empty() {
            Wedges::Padded { records: first!(self.chunks, Wedges), num_points: self.points().len() }
        } else {
            Wedges::Packed(packed)
        }
    }

    /// Returns the triangles.
    #[must_use]
    pub fn faces(&self) -> Faces<'_> {
        let wide = first!(self.chunks, Faces32);
        if wide.is_empty() { Faces::Narrow(first!(self.chunks, Faces)) } else { Faces::Wide(wide) }
    }

    /// Returns the materials.
    #[must_use]
    pub fn materials(&self) -> Materials<'_> {
        let short = first!(self.chunks, ShortMaterials);
        if short.is_empty() {
            Materials::Full(first!(self.chunks, Materials))
        } else {
            Materials::Short(short)
        }
    }

    /// Returns the skeleton.
    #[must_use]
    pub fn bones(&self) -> &[Bone] {
        first!(self.chunks, Bones)
    }

    /// Returns the influences of bones on points.
    #[must_use]
    pub fn weights(&self) -> &[Weight] {
        first!(self.chunks, Weights)
    }

    /// Returns a colour for each wedge, or an empty slice.
    #[must_use]
    pub fn vertex_colors(&self) -> &[VertexColor] {
        first!(self.chunks, VertexColors)
    }

    /// Returns the order of the channels of vertex colours, as the writer of the file determines it; `None` if the writer is
    /// not certain.
    #[must_use]
    pub fn color_order(&self) -> Option<ColorOrder> {
        super::writer::writer(&self.chunks)?.colors
    }

    /// Returns a normal for each point, or an empty slice.
    #[must_use]
    pub fn normals(&self) -> &[[f32; 3]] {
        first!(self.chunks, Normals)
    }

    /// Returns the additional channels of texture coordinates, each with a u, v for each wedge, in the order of the file.
    pub fn extra_uvs(&self) -> impl Iterator<Item = &[[f32; 2]]> {
        self.chunks.iter().filter_map(|chunk| match &chunk.records {
            Records::ExtraUvs(uvs) => Some(&***uvs),
            _ => None,
        })
    }

    /// Returns the attachment points.
    #[must_use]
    pub fn sockets(&self) -> &[Socket] {
        first!(self.chunks, Sockets)
    }

    /// Returns the morph targets with the points each moves. A target whose deltas are missing has fewer or none.
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

    /// Returns the first chunk with this id.
    #[must_use]
    pub fn chunk(&self, id: &str) -> Option<&Chunk> {
        self.chunks.iter().find(|chunk| chunk.id == id)
    }
}
