//! Records of meshes.

use binrw::binrw;
use modular_bitfield::prelude::*;

use crate::schema::Schema;
use crate::wire::FixedStr;

/// A point with a texture coordinate: a corner that triangles share.
///
/// ```
/// use bindpose::formats::psk::Wedge;
/// let wedge = Wedge { point_index_low: 7, point_index_high: 0x1ace, ..Wedge::default() };
/// assert_eq!(wedge.point_index(500), 7);
/// assert_eq!(wedge.point_index(500_000_000), 0x1ace_0007);
/// ```
#[derive(Schema)]
#[binrw]
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Wedge {
    /// The low half of the index into the points; all of it in the original struct.
    #[schema(index_of("point", upper = "point_index_high"))]
    pub point_index_low: u16,
    /// The high half of the index, or padding with memory of the program that wrote the file: see [`point_index`](Self::point_index).
    pub point_index_high: u16,
    /// Horizontal texture coordinate.
    pub u: f32,
    /// Vertical texture coordinate; grows downwards from the top of the image.
    pub v: f32,
    /// Index of the material; the faces' own index decides.
    pub material_index: u8,
    /// Reserved; 0 in real files.
    pub reserved: u8,
    /// Padding; often memory of the program that wrote the file.
    pub unknown_0e: u16,
}

impl Wedge {
    /// The number of points that an index of 16 bits reaches.
    pub(in crate::formats::psk) const REACH: usize = 1 << 16;

    /// Returns the index of the point in a file of `num_points` points.
    ///
    /// The original struct has 16 bits and two bytes of padding, later writers use 32 bits. The high half is used only
    /// if the file has more than 65,536 points: 390 real files have residue in it.
    #[must_use]
    pub fn point_index(&self, num_points: usize) -> u32 {
        let high = if num_points <= Self::REACH { 0 } else { self.point_index_high };
        u32::from(high) << 16 | u32::from(self.point_index_low)
    }
}

/// A point with a texture coordinate, without padding.
#[derive(Schema)]
#[binrw]
#[derive(Clone, Debug, Default, PartialEq)]
pub struct PackedWedge {
    /// Index into the points.
    #[schema(index_of("point"))]
    pub point_index: u32,
    /// Horizontal texture coordinate.
    pub u: f32,
    /// Vertical texture coordinate; grows downwards from the top of the image.
    pub v: f32,
    /// Index of the material.
    pub material_index: u8,
}

/// A triangle. The order of the corners gives inward normals if the points are read as right-handed.
#[derive(Schema)]
#[binrw]
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Face {
    /// Indices into the wedges.
    #[schema(index_of("wedge"))]
    pub wedge_indices: [u16; 3],
    /// Index of the material.
    #[schema(index_of("material"))]
    pub material_index: u8,
    /// A second material; unused.
    pub aux_material_index: u8,
    /// The smoothing groups. Files made from games have 1 everywhere.
    pub smoothing_groups: SmoothingGroups,
}

/// A triangle with wide indices, without padding. The corners are ordered as in [`Face`].
///
/// Builds of UE Viewer from November 2011 to January 2012 stated 20 bytes for these 18; such a file is damaged from
/// the next chunk on.
#[derive(Schema)]
#[binrw]
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Face32 {
    /// Indices into the wedges.
    #[schema(index_of("wedge"))]
    pub wedge_indices: [u32; 3],
    /// Index of the material.
    #[schema(index_of("material"))]
    pub material_index: u8,
    /// A second material; unused.
    pub aux_material_index: u8,
    /// The smoothing groups. Files made from games have 1 everywhere.
    pub smoothing_groups: SmoothingGroups,
}

macro_rules! smoothing_groups {
    ($($group:ident)*) => {
        /// The smoothing groups of a triangle: edges between triangles of a common group are smooth.
        #[derive(Schema)]
        #[bitfield(bits = 32)]
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub struct SmoothingGroups {
            $(
                /// The triangle is in this group.
                pub $group: bool,
            )*
        }
    };
}

smoothing_groups! {
    group_1 group_2 group_3 group_4 group_5 group_6 group_7 group_8 group_9 group_10 group_11 group_12 group_13 group_14 group_15 group_16
    group_17 group_18 group_19 group_20 group_21 group_22 group_23 group_24 group_25 group_26 group_27 group_28 group_29 group_30 group_31
    group_32
}

/// How the triangles of a material are drawn.
#[derive(Schema)]
#[bitfield(bits = 32)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PolyFlags {
    /// 0 normal, 1 two-sided, 2 translucent, 3 masked, 4 modulated, 8 placeholder.
    pub triangle_type: B4,
    /// Not lit.
    pub unlit: bool,
    /// Flat; in later engines alpha for each pixel.
    pub flat: bool,
    /// Environment mapped.
    pub environment: bool,
    /// Not smoothed.
    pub no_smoothing: bool,
    #[skip]
    __: B24,
}

/// Tags that the 3ds Max exporter found in the name of a material.
#[derive(Schema)]
#[bitfield(bits = 32)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AuxFlags {
    /// The name had a tag `skinNN`.
    pub explicit_skin: bool,
    #[skip]
    __: B31,
}

/// A material.
#[derive(Schema)]
#[binrw]
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Material {
    /// The name.
    #[schema(name = "material")]
    pub name: FixedStr<64>,
    /// Skin slot; usually the material's own index.
    pub texture_index: i32,
    /// How its triangles are drawn.
    pub poly_flags: PolyFlags,
    /// Reserved.
    pub aux_material: i32,
    /// The origin of the skin slot.
    pub aux_flags: AuxFlags,
    /// Bias for levels of detail, from a tag `lodbiasNN` in the name; 3ds Max writes 5 by default.
    pub lod_bias: i32,
    /// Style for levels of detail, from a tag `lodstyleNN` in the name.
    pub lod_style: i32,
}

/// A material without auxiliary flags.
#[derive(Schema)]
#[binrw]
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ShortMaterial {
    /// The name.
    #[schema(name = "material")]
    pub name: FixedStr<64>,
    /// Skin slot; usually the material's own index.
    pub texture_index: i32,
    /// How its triangles are drawn.
    pub poly_flags: PolyFlags,
    /// Reserved.
    pub aux_material: i32,
    /// Bias for levels of detail.
    pub lod_bias: i32,
    /// Style for levels of detail.
    pub lod_style: i32,
}

/// A bone, in the skeleton of a mesh or of a set of animations.
#[derive(Schema)]
#[binrw]
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Bone {
    /// The name, by which meshes and animations are matched, ignoring case. Not always unique.
    #[schema(name = "bone")]
    pub name: FixedStr<64>,
    /// Reserved.
    pub flags: u32,
    /// The number of direct children; some writers count all descendants, some write 0.
    pub num_children: i32,
    /// Index of the parent. A root has its own, 0, or -1; UE Viewer's animations have 0 for every bone.
    #[schema(index_of("bone", none = -1))]
    pub parent_index: i32,
    /// Rotation relative to the parent: a quaternion x, y, z, w; conjugated except at a root.
    pub orientation: [f32; 4],
    /// Translation relative to the parent, in model units.
    #[schema(point)]
    pub position: [f32; 3],
    /// Unused; 0 or 1.
    pub length: f32,
    /// Unused, except by writers that store the bone's scale here.
    pub size: [f32; 3],
}

/// The influence of a bone on a point. Weights are not always sorted, and those of a point need not sum to 1.
#[derive(Schema)]
#[binrw]
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Weight {
    /// 0 to 1.
    pub weight: f32,
    /// Index into the points, not the wedges.
    #[schema(index_of("point"))]
    pub point_index: i32,
    /// Index into the bones.
    #[schema(index_of("bone"))]
    pub bone_index: i32,
}

/// The colour of a wedge.
///
/// ```
/// use bindpose::formats::psk::{ColorOrder, VertexColor};
/// let color = VertexColor { bytes: [1, 2, 3, 255] };
/// assert_eq!(color.rgba(ColorOrder::Rgba), [1, 2, 3, 255]);
/// assert_eq!(color.rgba(ColorOrder::Bgra), [3, 2, 1, 255]);
/// ```
#[derive(Schema)]
#[binrw]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct VertexColor {
    /// Four channels in the order of the file.
    pub bytes: [u8; 4],
}

impl VertexColor {
    /// Returns red, green, blue and alpha. [`Psk::color_order`](super::Psk::color_order) returns the order of a file.
    #[must_use]
    pub const fn rgba(self, order: ColorOrder) -> [u8; 4] {
        let [first, green, third, alpha] = self.bytes;
        match order {
            ColorOrder::Rgba => self.bytes,
            ColorOrder::Bgra => [third, green, first, alpha],
        }
    }
}

/// The order of the channels of vertex colours in a file, which depends on its writer.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ColorOrder {
    /// Red, green, blue, alpha: all current writers.
    #[default]
    Rgba,
    /// Blue, green, red, alpha: `ActorX`, and UE Viewer from 13 October 2019 to 31 January 2020.
    Bgra,
}

/// The name of a morph target and the number of points it moves.
#[derive(Schema)]
#[binrw]
#[derive(Clone, Debug, Default, PartialEq)]
pub struct MorphInfo {
    /// The name.
    pub name: FixedStr<64>,
    /// The number of its [deltas](MorphDelta).
    pub num_vertices: i32,
}

/// A point that a morph target moves.
#[derive(Schema)]
#[binrw]
#[derive(Clone, Debug, Default, PartialEq)]
pub struct MorphDelta {
    /// Offset of the position x, y, z; not mirrored in y as the points are.
    #[schema(length)]
    pub position_delta: [f32; 3],
    /// Offset of the normal.
    pub normal_delta: [f32; 3],
    /// Index into the points.
    #[schema(index_of("point"))]
    pub point_index: i32,
}

/// An attachment point on a bone.
#[derive(Schema)]
#[binrw]
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Socket {
    /// The name.
    pub name: FixedStr<64>,
    /// Name of the bone; empty in static meshes.
    #[schema(name_of = "bone")]
    pub bone_name: FixedStr<64>,
    /// Translation relative to the bone, in model units.
    #[schema(point)]
    pub location: [f32; 3],
    /// Pitch, yaw, roll in degrees.
    pub rotation: [f32; 3],
    /// Factors along x, y, z.
    pub scale: [f32; 3],
}
