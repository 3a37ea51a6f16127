//! The on-disk structs of MilkShape 3D, in the order of the file.
//!
//! Little-endian, packed, one forward stream without offsets. Coordinates are right-handed with Y up, in model units;
//! angles are radians. Layout: the 1.8.5 specification text, corrected where 71 real files disagree with it.

use binrw::binrw;
use modular_bitfield::prelude::*;

use super::conventions::FULL_WEIGHT;
use crate::schema::{Schema, on_disk};
use crate::wire::{Counted, FixedStr, LenStr, List, Part, Rest, len};

/// The index that means no joint or no material.
pub const NONE: u8 = 255;

/// Maximum number of vertices that MilkShape 3D accepts.
pub const MAX_VERTICES: usize = 65_534;
/// Maximum number of triangles that MilkShape 3D accepts.
pub const MAX_TRIANGLES: usize = 65_534;
/// Maximum number of groups that MilkShape 3D accepts.
pub const MAX_GROUPS: usize = 255;
/// Maximum number of materials that MilkShape 3D accepts.
pub const MAX_MATERIALS: usize = 128;
/// Maximum number of joints that MilkShape 3D accepts.
pub const MAX_JOINTS: usize = 128;

/// A MilkShape 3D file, version 3 or 4.
///
/// The parts after the joints are optional and present while bytes remain, whatever the version.
///
/// ```
/// use bindpose::codec::Format;
/// use bindpose::formats::ms3d::{Ms3d, Vertex};
/// let mut file = Ms3d::blank_file();
/// file.vertices.push(Vertex { position: [0.0, 1.0, 0.0], ..Vertex::default() });
/// let bytes = file.encode()?;
/// assert_eq!(Ms3d::decode(&bytes)?.vertices[0].position[1], 1.0);
/// # Ok::<(), bindpose::Error>(())
/// ```
#[derive(Schema)]
#[binrw]
#[brw(little)]
#[bw(assert(lengths_agree(self), "vertex_extra and joint_extra have a record for each vertex and joint"))]
#[derive(Clone, Debug, PartialEq)]
pub struct Ms3d {
    /// Ten bytes, `MS3D000000`.
    #[schema(magic = b"MS3D000000")]
    pub id: FixedStr<10>,
    /// 3 or 4; the layout is the same.
    #[schema(default = 4)]
    pub version: i32,
    /// Positions with their joint.
    #[schema(same_length_as("vertex_extra.records"))]
    #[schema(axis = "vertex")]
    pub vertices: Counted<u16, Vertex>,
    /// Corners with normals and texture coordinates.
    #[schema(axis = "triangle")]
    pub triangles: Counted<u16, Triangle>,
    /// Triangles that share a material.
    #[schema(axis = "group")]
    pub groups: Counted<u16, Group>,
    /// Colours and textures.
    #[schema(axis = "material")]
    pub materials: Counted<u16, Material>,
    /// Frame rate and length of the animation.
    pub animation: Animation,
    /// The skeleton, parents by name.
    #[schema(same_length_as("joint_extra.colors"))]
    #[schema(axis = "bone")]
    pub joints: Counted<u16, Joint>,
    /// Texts attached to groups, materials, joints and the model.
    #[br(args(true, ()))]
    pub comments: Part<Comments>,
    /// Additional influences of each vertex.
    #[br(args(comments.is_present(), (len(&vertices),)))]
    pub vertex_extra: Part<VertexExtra>,
    /// A colour for each joint.
    #[br(args(vertex_extra.is_present(), (len(&joints),)))]
    pub joint_extra: Part<JointExtra>,
    /// How the editor draws the model.
    #[br(args(joint_extra.is_present(), ()))]
    pub model_extra: Part<ModelExtra>,
    /// Bytes after the damage, or after the last part.
    pub rest: Rest,
}

/// Whether lists that share a count have the same length.
fn lengths_agree(file: &Ms3d) -> bool {
    let vertices = file.vertex_extra.present().and_then(|extra| extra.records.len());
    let joints = file.joint_extra.present().and_then(|extra| extra.colors.len());
    file.rest.truncation().is_some()
        || vertices.is_none_or(|len| len == file.vertices.len())
            && joints.is_none_or(|len| len == file.joints.len())
}

/// Editor state of a vertex or triangle corner.
#[derive(Schema)]
#[bitfield(bits = 8)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct VertexFlags {
    /// Selected in the editor.
    pub selected: bool,
    /// Hidden in the editor.
    pub hidden: bool,
    /// Selected as the second of two.
    pub selected2: bool,
    /// Changed since it was last drawn.
    pub dirty: bool,
    /// Part of a key frame.
    pub is_key: bool,
    /// Newly created.
    pub newly_created: bool,
    /// Marked for an operation of the editor.
    pub marked: bool,
    #[skip]
    __: B1,
}

/// A position with its joint.
#[derive(Schema)]
#[binrw]
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Vertex {
    /// Editor state.
    pub flags: VertexFlags,
    /// x, y, z in model units.
    #[schema(point)]
    pub position: [f32; 3],
    /// Index of the joint that moves it; 255 means none.
    #[schema(index_of("bone", none = 255))]
    pub bone_id: u8,
    /// Triangle corners that use it, modulo 256. Some writers leave it zero.
    pub reference_count: u8,
}

/// Editor state of a triangle.
#[derive(Schema)]
#[bitfield(bits = 16)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TriangleFlags {
    /// Selected in the editor.
    pub selected: bool,
    /// Hidden in the editor.
    pub hidden: bool,
    /// Selected as the second of two.
    pub selected2: bool,
    /// Changed since it was last drawn.
    pub dirty: bool,
    /// Part of a key frame.
    pub is_key: bool,
    /// Newly created.
    pub newly_created: bool,
    /// Marked for an operation of the editor.
    pub marked: bool,
    #[skip]
    __: B9,
}

/// Three corners with a normal and texture coordinates each.
#[derive(Schema)]
#[binrw]
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Triangle {
    /// Editor state.
    pub flags: TriangleFlags,
    /// Indices into the vertices.
    #[schema(index_of("vertex"))]
    pub vertex_indices: [u16; 3],
    /// A normal for each corner, usually of unit length.
    pub vertex_normals: [[f32; 3]; 3],
    /// Horizontal texture coordinate of each corner.
    pub s: [f32; 3],
    /// Vertical texture coordinate of each corner; grows downwards from the top of the image.
    pub t: [f32; 3],
    /// 1 to 32; 0 means none.
    pub smoothing_group: u8,
    /// Index of the group that lists it.
    #[schema(index_of("group"))]
    pub group_index: u8,
}

/// Editor state of a group.
#[derive(Schema)]
#[bitfield(bits = 8)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct GroupFlags {
    /// Selected in the editor.
    pub selected: bool,
    /// Hidden in the editor.
    pub hidden: bool,
    #[skip]
    __: B6,
}

/// Triangles that share a material.
#[derive(Schema)]
#[binrw]
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Group {
    /// Editor state.
    pub flags: GroupFlags,
    /// The name.
    pub name: FixedStr<32>,
    /// Indices into the triangles.
    #[schema(index_of("triangle"))]
    pub triangle_indices: Counted<u16, u16>,
    /// Index into the materials; 255 means none.
    #[schema(index_of("material", none = 255))]
    pub material_index: u8,
}

/// How a material's texture is used.
#[derive(Schema)]
#[bitfield(bits = 8)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MaterialMode {
    /// 0, 1 or 2; obsolete.
    pub legacy: B2,
    #[skip]
    __: B3,
    /// Combine the alpha map with the texture's own alpha.
    pub combine_alpha: bool,
    /// The texture has an alpha channel.
    pub has_alpha: bool,
    /// The texture is a sphere map.
    pub sphere_map: bool,
}

/// Colours and textures.
#[derive(Schema)]
#[binrw]
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Material {
    /// The name; may be empty.
    #[schema(name = "material")]
    pub name: FixedStr<32>,
    /// Red, green, blue, alpha; 0 to 1.
    pub ambient: [f32; 4],
    /// Red, green, blue, alpha; 0 to 1.
    pub diffuse: [f32; 4],
    /// Red, green, blue, alpha; 0 to 1.
    pub specular: [f32; 4],
    /// Red, green, blue, alpha; 0 to 1.
    pub emissive: [f32; 4],
    /// 0 to 128.
    pub shininess: f32,
    /// Opacity in spite of its name: 1 is opaque.
    pub transparency: f32,
    /// How the texture is used.
    pub mode: MaterialMode,
    /// Path of the texture, relative or absolute, in the author's code page. Bytes after the NUL are often the rest of
    /// an older path.
    #[schema(name_of = "texture")]
    pub texture: FixedStr<128>,
    /// Path of the alpha map.
    #[schema(name_of = "texture")]
    pub alphamap: FixedStr<128>,
}

/// Frame rate and length of the animation.
#[derive(Schema)]
#[binrw]
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Animation {
    /// Frames per second. The author's viewer treats values below 1 as 1.
    #[schema(default = 24.0)]
    pub fps: f32,
    /// The editor's current frame, counted from 1; may be fractional.
    #[schema(default = 1.0)]
    pub current_time: f32,
    /// Length in frames.
    #[schema(default = 1)]
    pub total_frames: i32,
}

/// Editor state of a joint.
#[derive(Schema)]
#[bitfield(bits = 8)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct JointFlags {
    /// Selected in the editor.
    pub selected: bool,
    /// Hidden in the editor.
    pub hidden: bool,
    /// Selected as the second of two.
    pub selected2: bool,
    /// Changed since it was last drawn.
    pub dirty: bool,
    /// Part of a key frame; the most common state.
    pub is_key: bool,
    /// Newly created.
    pub newly_created: bool,
    /// Marked for an operation of the editor.
    pub marked: bool,
    #[skip]
    __: B1,
}

/// A bone of the skeleton.
#[on_disk]
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Joint {
    /// Editor state.
    pub flags: JointFlags,
    /// The name; unique in valid files.
    #[schema(name = "bone")]
    pub name: FixedStr<32>,
    /// Name of the parent joint, empty at a root. If several joints have that name, the first is the parent.
    #[schema(name_of = "bone")]
    pub parent_name: FixedStr<32>,
    /// Bind rotation relative to the parent: Euler angles about x, y, z in radians, applied in that order about fixed
    /// axes.
    pub rotation: [f32; 3],
    /// Bind translation relative to the parent, in model units.
    #[schema(point)]
    pub position: [f32; 3],
    #[count_of(rotation_keys)]
    num_rotation_keys: u16,
    #[count_of(position_keys)]
    num_position_keys: u16,
    /// Rotations relative to the bind pose: Euler angles about x, y, z in radians.
    #[br(args(num_rotation_keys.into()))]
    pub rotation_keys: List<Keyframe>,
    /// Translations relative to the bind pose, in the joint's own frame.
    #[br(args(num_position_keys.into()))]
    #[schema(length)]
    pub position_keys: List<Keyframe>,
}

/// A value at a time.
#[derive(Schema)]
#[binrw]
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Keyframe {
    /// Seconds; the first frame is 1, so the first key is usually at 1/fps.
    pub time: f32,
    /// x, y, z.
    #[schema(quantity)]
    pub value: [f32; 3],
}

/// Texts attached to groups, materials, joints and the model.
#[on_disk]
#[derive(Clone, Debug, PartialEq)]
pub struct Comments {
    #[tag_of(lists)]
    sub_version: i32,
    /// The texts, in the layout of the sub-version.
    #[br(args(sub_version))]
    pub lists: CommentLists,
}

/// The layouts of comments.
#[derive(Schema)]
#[schema(tag(sub_version: i32), closed)]
#[derive(Clone, Debug, PartialEq)]
pub enum CommentLists {
    /// An empty part.
    #[schema(tag = 0)]
    Empty,
    /// The only known layout.
    #[schema(tag = 1)]
    Sub1(Comments1),
}

/// Comments of sub-version 1.
#[derive(Schema)]
#[binrw]
#[derive(Clone, Debug, PartialEq)]
pub struct Comments1 {
    /// Texts of groups.
    #[schema(index_of("group"))]
    pub groups: Counted<i32, Comment>,
    /// Texts of materials.
    #[schema(index_of("material"))]
    pub materials: Counted<i32, Comment>,
    /// Texts of joints.
    #[schema(index_of("bone"))]
    pub joints: Counted<i32, Comment>,
    /// The text of the model; none or one. Unlike the others it has no index, contrary to the specification.
    pub model: Counted<i32, ModelComment>,
}

/// A text of a group, material or joint.
#[derive(Schema)]
#[binrw]
#[derive(Clone, Debug, PartialEq)]
pub struct Comment {
    /// Index of the group, material or joint that it belongs to.
    #[schema(index)]
    pub index: i32,
    /// Lines ended by CR LF, in the author's code page, without a NUL.
    pub text: LenStr<i32>,
}

/// The text of the model.
#[derive(Schema)]
#[binrw]
#[derive(Clone, Debug, PartialEq)]
pub struct ModelComment {
    /// Lines ended by CR LF, in the author's code page, without a NUL.
    pub text: LenStr<i32>,
}

/// Additional influences of each vertex.
#[on_disk]
#[br(import(num_vertices: i64))]
#[derive(Clone, Debug, PartialEq)]
pub struct VertexExtra {
    #[tag_of(records)]
    sub_version: i32,
    /// One record for each vertex, in the layout of the sub-version.
    #[br(args(sub_version, num_vertices))]
    pub records: VertexExtraRecords,
}

/// The layouts of additional influences.
#[derive(Schema)]
#[schema(tag(sub_version: i32), import(num_vertices: i64), closed)]
#[derive(Clone, Debug, PartialEq)]
pub enum VertexExtraRecords {
    /// An empty part.
    #[schema(tag = 0)]
    Empty,
    /// Influences only.
    #[schema(tag = 1)]
    #[br(args(num_vertices))]
    Sub1(List<VertexExtra1>),
    /// Influences and one custom word.
    #[schema(tag = 2)]
    #[br(args(num_vertices))]
    Sub2(List<VertexExtra2>),
    /// Influences and two custom words.
    #[schema(tag = 3)]
    #[br(args(num_vertices))]
    Sub3(List<VertexExtra3>),
}

impl VertexExtraRecords {
    /// Returns the weight that means 1: 100, or 255 if a weight of sub-version 1 is greater than 100.
    ///
    /// Texts of sub-version 1 specify 0 to 255, and writers that follow them exist (issue 34 of MM3D); the author's viewer
    /// uses 100.
    #[must_use]
    pub fn full_weight(&self) -> u8 {
        let is_older = |records: &[VertexExtra1]| {
            records.iter().flat_map(|own| own.weights).any(|own| own > FULL_WEIGHT)
        };
        match self {
            Self::Sub1(records) if is_older(records) => 255,
            _ => FULL_WEIGHT,
        }
    }

    /// Returns the number of records, or `None` if the part is empty.
    fn len(&self) -> Option<usize> {
        match self {
            Self::Empty => None,
            Self::Sub1(records) => Some(records.len()),
            Self::Sub2(records) => Some(records.len()),
            Self::Sub3(records) => Some(records.len()),
        }
    }
}

/// Influences two to four of a vertex.
#[derive(Schema)]
#[binrw]
#[derive(Clone, Debug, Default, PartialEq)]
pub struct VertexExtra1 {
    /// Joints of the second to fourth influence; 255 means none.
    #[schema(index_of("bone", none = 255))]
    pub bone_ids: [u8; 3],
    /// Weights of the first to third influence, 0 to 100; the fourth is the remainder to 100. All zero means full
    /// weight on the vertex's own joint. Some writers of this sub-version use 0 to 255: see [`VertexExtraRecords::full_weight`].
    pub weights: [u8; 3],
}

/// Influences two to four of a vertex, and a custom word.
#[derive(Schema)]
#[binrw]
#[derive(Clone, Debug, Default, PartialEq)]
pub struct VertexExtra2 {
    /// Joints of the second to fourth influence; 255 means none.
    #[schema(index_of("bone", none = 255))]
    pub bone_ids: [u8; 3],
    /// Weights of the first to third influence, 0 to 100; see [`VertexExtra1::weights`].
    pub weights: [u8; 3],
    /// Custom data; often uninitialised memory.
    pub extra: u32,
}

/// Influences two to four of a vertex, and two custom words.
#[derive(Schema)]
#[binrw]
#[derive(Clone, Debug, Default, PartialEq)]
pub struct VertexExtra3 {
    /// Joints of the second to fourth influence; 255 means none.
    #[schema(index_of("bone", none = 255))]
    pub bone_ids: [u8; 3],
    /// Weights of the first to third influence, 0 to 100; see [`VertexExtra1::weights`].
    pub weights: [u8; 3],
    /// Custom data; often uninitialised memory.
    pub extra: [u32; 2],
}

/// A colour for each joint.
#[on_disk]
#[br(import(num_joints: i64))]
#[derive(Clone, Debug, PartialEq)]
pub struct JointExtra {
    #[tag_of(colors)]
    sub_version: i32,
    /// One colour for each joint.
    #[br(args(sub_version, num_joints))]
    pub colors: JointColors,
}

/// The layouts of joint colours.
#[derive(Schema)]
#[schema(tag(sub_version: i32), import(num_joints: i64), closed)]
#[derive(Clone, Debug, PartialEq)]
pub enum JointColors {
    /// An empty part.
    #[schema(tag = 0)]
    Empty,
    /// Red, green, blue; 0 to 1.
    #[schema(tag = 1)]
    #[br(args(num_joints))]
    Sub1(List<[f32; 3]>),
}

impl JointColors {
    /// Returns the number of colours, or `None` if the part is empty.
    fn len(&self) -> Option<usize> {
        match self {
            Self::Empty => None,
            Self::Sub1(colors) => Some(colors.len()),
        }
    }
}

/// How the editor draws the model.
#[on_disk]
#[derive(Clone, Debug, PartialEq)]
pub struct ModelExtra {
    #[tag_of(settings)]
    sub_version: i32,
    /// The settings, in the layout of the sub-version.
    #[br(args(sub_version))]
    pub settings: ModelSettings,
}

/// The layouts of drawing settings.
#[derive(Schema)]
#[schema(tag(sub_version: i32), closed)]
#[derive(Clone, Debug, PartialEq)]
pub enum ModelSettings {
    /// An empty part.
    #[schema(tag = 0)]
    Empty,
    /// The only known layout.
    #[schema(tag = 1)]
    Sub1(ModelSettings1),
}

/// Drawing settings of sub-version 1.
#[derive(Schema)]
#[binrw]
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ModelSettings1 {
    /// Size at which joints are drawn, in model units.
    #[schema(length)]
    pub joint_size: f32,
    /// 0 simple. In the specification 1 is depth-buffered with alpha reference and 2 depth-sorted; the author's viewer
    /// swaps the two.
    pub transparency_mode: i32,
    /// Pixels with a lower alpha are not drawn; 0 to 1.
    pub alpha_ref: f32,
}
