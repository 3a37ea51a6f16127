//! The on-disk structs of the Inter-Quake Model, version 2, in the order in which its own tool writes them.
//!
//! Little-endian. A header places all parts by offsets that count from its start. Names are offsets in the text. Coordinates
//! are right-handed with Z up. Layout: the format's description (`iqm.txt`), and the loaders that [`super`] lists.

use std::io::{Read, Seek};
use std::path::Path;

use binrw::{BinRead, BinResult, Endian, binrw};
use modular_bitfield::prelude::*;

use crate::scene::{float_16, texture};
use crate::schema::{Schema, Value, on_disk};
use crate::wire::{Blob, Bytes, FixedLenList, FixedStr, Layout, List, Placed, Rest};

/// The first custom type of vertex data: the type minus this is the offset of its name in the text.
pub const CUSTOM: u32 = 0x10;

/// The number of vertex arrays whose data is decoded.
pub const MAX_ARRAYS: usize = 12;

/// The number of extensions that are decoded.
pub const MAX_EXTENSIONS: usize = 3;

/// The number of bytes of a name that are read.
pub const MAX_NAME: usize = 255;

/// An Inter-Quake Model: meshes over shared vertices, a skeleton, and animations of it.
///
/// ```
/// use bindpose::codec::Format;
/// use bindpose::formats::iqm::{Iqm, Joint};
/// let mut file = Iqm::blank_file();
/// file.sections.joints = vec![Joint { translate: [0.0, 0.0, 1.0], ..Joint::default() }].into();
/// let bytes = file.encode()?;
/// assert_eq!(Iqm::decode(&bytes)?.sections.joints[0].translate[2], 1.0);
/// # Ok::<(), bindpose::Error>(())
/// ```
#[on_disk]
#[schema(each_alias = super::edit::aliases, shorts = super::edit::short, names = super::edit::names)]
#[br(little)]
#[bw(little, assert(self.follows(), "more vertex arrays or extensions than are decoded do not move"))]
pub struct Iqm {
    /// The text `INTERQUAKEMODEL` with a NUL.
    #[schema(magic = b"INTERQUAKEMODEL\0")]
    pub id: FixedStr<16>,
    /// 2. Files of version 1 have joints and poses of other sizes.
    #[schema(magic = b"\x02\0\0\0")]
    pub version: u32,
    #[offset_of(sections.end)]
    filesize: u32,
    /// Unused; 0.
    pub flags: u32,
    #[count_of(sections.text)]
    num_text: u32,
    #[offset_of(sections.text)]
    ofs_text: u32,
    #[count_of(sections.meshes)]
    num_meshes: u32,
    #[offset_of(sections.meshes)]
    ofs_meshes: u32,
    #[count_of(sections.vertex_arrays)]
    num_vertexarrays: u32,
    /// The number of vertices of all meshes.
    #[schema(decides = "sections")]
    pub num_vertexes: u32,
    #[offset_of(sections.vertex_arrays)]
    ofs_vertexarrays: u32,
    #[count_of(sections.triangles)]
    num_triangles: u32,
    #[offset_of(sections.triangles)]
    ofs_triangles: u32,
    #[offset_of(sections.adjacency)]
    ofs_adjacency: u32,
    #[count_of(sections.joints)]
    num_joints: u32,
    #[offset_of(sections.joints)]
    ofs_joints: u32,
    #[count_of(sections.poses)]
    num_poses: u32,
    #[offset_of(sections.poses)]
    ofs_poses: u32,
    #[count_of(sections.anims)]
    num_anims: u32,
    #[offset_of(sections.anims)]
    ofs_anims: u32,
    /// The number of frames of all animations.
    #[schema(decides = "sections")]
    pub num_frames: u32,
    /// The number of values of a frame: the channels of all poses that change.
    #[schema(decides = "sections")]
    pub num_framechannels: u32,
    #[offset_of(sections.frames)]
    ofs_frames: u32,
    #[offset_of(sections.bounds)]
    ofs_bounds: u32,
    #[count_of(sections.comment)]
    num_comment: u32,
    #[offset_of(sections.comment)]
    ofs_comment: u32,
    /// The number of extensions.
    pub num_extensions: u32,
    #[offset_of(sections.extension_0)]
    ofs_extensions: u32,
    /// The parts that the header places.
    #[br(args(num_vertexes.into(), num_frames.into(), num_framechannels.into()))]
    pub sections: Layout<Sections>,
    /// Bytes after the end that the header states.
    pub rest: Rest,
}

/// Defines the parts of a file, with a part for the data of each vertex array, and two for each extension, given where its offset is.
macro_rules! sections {
    (
        arrays { $($data:ident $index:tt)* }
        extensions from $first:ident { $($extension:ident $extension_data:ident at $($offset:ident).+;)* }
    ) => {
        /// The parts of a file. One that a file does not have is absent: its offset is 0.
        #[on_disk]
        #[br(import(
            ofs_end: i64, num_text: i64, ofs_text: i64, num_meshes: i64, ofs_meshes: i64, num_vertexarrays: i64,
            ofs_vertexarrays: i64, num_triangles: i64, ofs_triangles: i64, ofs_adjacency: i64, num_joints: i64,
            ofs_joints: i64, num_poses: i64, ofs_poses: i64, num_anims: i64, ofs_anims: i64, ofs_frames: i64,
            ofs_bounds: i64, num_comment: i64, ofs_comment: i64, $first: i64, num_vertexes: i64,
            num_frames: i64, num_framechannels: i64
        ))]
        pub struct Sections {
            /// Names, each up to a NUL. The first is empty.
            #[br(args(ofs_text, num_text, (num_text,)))]
            pub text: Placed<Bytes>,
            /// Ranges of triangles with a material.
            #[schema(axis = "mesh")]
            pub meshes: Placed<List<Mesh>>,
            /// What the vertices have: each array has a value for each vertex.
            #[br(args(ofs_vertexarrays, num_vertexarrays, (num_vertexarrays,)))]
            #[schema(offsets = Iqm::HEAD, free)]
            pub vertex_arrays: Placed<List<VertexArray>>,
            $(
                /// The data of the vertex array with this index.
                #[br(parse_with = part, args(data_of(&vertex_arrays, $index, num_vertexes)))]
                #[schema(args(
                    vertex_arrays[$index].offset, 1, vertex_arrays[$index].kind, vertex_arrays[$index].format,
                    vertex_arrays[$index].size, num_vertexes
                ))]
                #[schema(default = Placed::absent())]
                pub $data: Placed<VertexData>,
            )*
            /// The vertices of each triangle, clockwise seen from the front.
            #[schema(index_of("vertex"), axis = "triangle")]
            pub triangles: Placed<List<[u32; 3]>>,
            /// The triangles at the edges of each triangle.
            #[br(args(ofs_adjacency, if ofs_adjacency == 0 { 0 } else { num_triangles }, (num_triangles,)))]
            #[schema(index_of("triangle", none = 0xffff_ffff))]
            #[schema(default = Placed::absent())]
            pub adjacency: Placed<FixedLenList<[u32; 3]>>,
            /// The bones in the bind pose.
            #[schema(axis = "bone")]
            pub joints: Placed<List<Joint>>,
            /// How the values of frames are read, for each bone.
            #[schema(axis = "pose")]
            pub poses: Placed<List<Pose>>,
            /// The animations.
            #[schema(axis = "animation")]
            pub anims: Placed<List<Anim>>,
            /// The changing channels of all poses, frame by frame.
            #[br(args(ofs_frames, if num_framechannels == 0 { 0 } else { num_frames }, (num_frames.saturating_mul(num_framechannels),)))]
            #[schema(args(ofs_frames, num_frames, num_frames * num_framechannels))]
            pub frames: Placed<FixedLenList<u16>>,
            /// The bounds of each frame.
            #[br(args(ofs_bounds, if ofs_bounds == 0 { 0 } else { num_frames }, (num_frames,)))]
            #[schema(default = Placed::absent())]
            pub bounds: Placed<FixedLenList<Bounds>>,
            /// Texts without a meaning for games, each up to a NUL.
            #[br(args(ofs_comment, num_comment, (num_comment,)))]
            #[schema(default = Placed::absent())]
            pub comment: Placed<Bytes>,
            $(
                /// The extension with this index.
                #[br(parse_with = part, args(($($offset).+ != 0, $($offset).+, ())))]
                #[schema(offsets = Iqm::HEAD, args($($offset).+), free)]
                #[schema(default = Placed::absent())]
                pub $extension: Placed<Extension>,
                /// The data of this extension.
                #[br(parse_with = part, args(data_of_extension(&$extension)))]
                #[schema(args($extension.ofs_data, 1, $extension.num_data))]
                #[schema(default = Placed::absent())]
                pub $extension_data: Placed<Blob>,
            )*
            /// Where the file ends.
            pub end: Placed<Blob>,
        }

        impl Sections {
            /// Returns the vertex arrays with their data.
            pub fn arrays(&self) -> impl Iterator<Item = (&VertexArray, &VertexData)> {
                self.vertex_arrays.iter().zip([$(&*self.$data),*])
            }

            /// As [`arrays`](Self::arrays), for changing the data.
            pub fn arrays_mut(&mut self) -> impl Iterator<Item = (&VertexArray, &mut VertexData)> {
                self.vertex_arrays.iter().zip([$(&mut *self.$data),*])
            }

            /// Sets the vertex arrays. Those after the [most](MAX_ARRAYS) that files have are ignored.
            pub fn set_arrays(&mut self, arrays: impl IntoIterator<Item = (VertexArray, VertexData)>) {
                let (list, data): (Vec<_>, Vec<_>) = arrays.into_iter().take(MAX_ARRAYS).unzip();
                self.vertex_arrays = List::from(list).into();
                let mut data = data.into_iter();
                $(self.$data = data.next().map_or_else(Placed::absent, Into::into);)*
            }
        }

        /// The parts with the data of the vertex arrays.
        pub(super) const DATA: [&str; MAX_ARRAYS] = [$(stringify!($data)),*];

        /// The parts of extensions, each of which leads to the next one.
        pub(super) const EXTENSIONS: [&str; 2 * MAX_EXTENSIONS] =
            [$(stringify!($extension), stringify!($extension_data)),*];

        impl Iqm {
            /// Returns the extensions.
            pub fn extensions(&self) -> impl Iterator<Item = &Extension> {
                let all = [$(&self.sections.$extension),*];
                all.into_iter().filter(|own| own.is_laid_out()).map(|own| &**own)
            }
        }
    };
}

sections! {
    arrays {
        vertex_data_0 0 vertex_data_1 1 vertex_data_2 2 vertex_data_3 3 vertex_data_4 4 vertex_data_5 5
        vertex_data_6 6 vertex_data_7 7 vertex_data_8 8 vertex_data_9 9 vertex_data_10 10 vertex_data_11 11
    }
    extensions from ofs_extension_0 {
        extension_0 extension_data_0 at ofs_extension_0;
        extension_1 extension_data_1 at extension_0.ofs_extensions;
        extension_2 extension_data_2 at extension_1.ofs_extensions;
    }
}

/// Reads a part that the file can lack.
fn part<R: Read + Seek, T: BinRead + Default + Value>(
    reader: &mut R,
    endian: Endian,
    ((is_present, offset, args),): ((bool, impl Into<i64>, T::Args<'_>),),
) -> BinResult<Placed<T>> {
    if is_present {
        Placed::read_options(reader, endian, (offset.into(), 1, args))
    } else {
        Ok(Placed::absent())
    }
}

/// Returns whether a vertex array has data, its offset, and what decides how it is read.
fn data_of(arrays: &[VertexArray], index: usize, num_vertexes: i64) -> (bool, u32, (u32, u32, u32, i64)) {
    let own = arrays.get(index).cloned().unwrap_or_default();
    (own.offset != 0, own.offset, (own.kind, own.format, own.size, num_vertexes))
}

/// Returns whether an extension has data, its offset and its size.
fn data_of_extension(own: &Extension) -> (bool, u32, (i64,)) {
    (own.num_data > 0, own.ofs_data, (own.num_data.into(),))
}

impl Iqm {
    /// Whether the places of all data follow from the parts, or no part has moved.
    pub(super) fn follows(&self) -> bool {
        let arrays = self.sections.vertex_arrays.len() <= MAX_ARRAYS;
        let extensions = self.sections.extension_2.ofs_extensions == 0;
        arrays && extensions || !self.sections.has_moved(Self::HEAD)
    }
}

/// A range of triangles with a material.
#[derive(Schema)]
#[binrw]
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Mesh {
    /// The name, as an offset in the text.
    pub name: u32,
    /// The name of the material or image, as an offset in the text.
    pub material: u32,
    /// The first of its vertices.
    #[schema(index_of("vertex"))]
    pub first_vertex: u32,
    /// The number of its vertices.
    pub num_vertexes: u32,
    /// The first of its triangles.
    #[schema(index_of("triangle"))]
    pub first_triangle: u32,
    /// The number of its triangles.
    pub num_triangles: u32,
}

/// Returns whether a material is an image: it has the extension of one.
pub(super) fn is_image(material: &[u8]) -> bool {
    texture::is_image(Path::new(&*String::from_utf8_lossy(material)))
}

/// What the vertices have, and where its data is.
#[derive(Schema)]
#[binrw]
#[derive(Clone, Debug, Default)]
pub struct VertexArray {
    /// The type; one of 16 or more is an offset in the text, of the name of a custom type, plus 16.
    #[schema(decides = "vertex_data_#", one_of = TYPES)]
    pub kind: u32,
    /// Unused; 0.
    pub flags: u32,
    /// The type of a component.
    #[schema(decides = "vertex_data_#", one_of = FORMATS)]
    pub format: u32,
    /// The number of components of a vertex.
    #[schema(decides = "vertex_data_#")]
    pub size: u32,
    /// The offset of the data.
    #[schema(places = "vertex_data_#")]
    pub offset: u32,
}

/// Offsets follow from the data.
impl PartialEq for VertexArray {
    fn eq(&self, other: &Self) -> bool {
        let own = |array: &Self| [array.kind, array.flags, array.format, array.size];
        own(self) == own(other)
    }
}

/// Defines vertex data: the types with their recommended number of components of a format, and the formats with the conversion to
/// floats of 32 bits.
macro_rules! vertex_data {
    (
        types { $($(#[$($hint:tt)*])* $name:ident($item:ty) = $kind:tt, $kind_name:literal, $size:tt of $of:tt;)* }
        formats { $($(#[$($doc:tt)*])* $form:ident($component:ty) = $format:tt, $format_name:literal, $value:expr;)* }
    ) => {
        /// The types of vertex data.
        const TYPES: &[(&str, i64)] = &[$(($kind_name, $kind)),*];

        /// The types of components.
        const FORMATS: &[(&str, i64)] = &[$(($format_name, $format)),*];

        /// The recommended format and number of components of each type.
        pub(super) const RECOMMENDED: &[(u32, u32)] = &[$(($of, $size)),*];

        /// The values of the vertices: in the formats that all readers know by vertex, and otherwise by component.
        #[derive(Schema)]
        #[schema(tag(kind: u32), import(format: u32, size: u32, num_vertexes: i64))]
        #[derive(Clone, Debug, Default, PartialEq)]
        pub enum VertexData {
            /// An unknown format.
            #[default]
            #[schema(raw)]
            Other,
            $(
                $(#[$($hint)*])*
                #[schema(when = kind == $kind && format == $of && size == $size)]
                #[br(args(num_vertexes))]
                $name(FixedLenList<$item>),
            )*
            $(
                $(#[$($doc)*])*
                #[schema(when = format == $format, args(num_vertexes * size))]
                #[br(args(num_vertexes.saturating_mul(size.into())))]
                $form(FixedLenList<$component>),
            )*
        }

        impl VertexData {
            /// Returns a vertex array for data in the recommended format of its type.
            pub(super) fn array(&self) -> Option<VertexArray> {
                let (kind, format, size) = match self {
                    $(Self::$name(_) => ($kind, $of, $size),)*
                    _ => return None,
                };
                Some(VertexArray { kind, format, size, ..VertexArray::default() })
            }

            /// Returns a component, counted through all vertices.
            #[must_use]
            #[expect(
                clippy::cast_precision_loss,
                clippy::cast_possible_truncation,
                reason = "scenes have floats of 32 bits"
            )]
            pub fn component(&self, index: usize) -> Option<f32> {
                match self {
                    Self::Other => None,
                    Self::Positions(own) | Self::Normals(own) => own.as_flattened().get(index).copied(),
                    Self::Texcoords(own) => own.as_flattened().get(index).copied(),
                    Self::Tangents(own) => own.as_flattened().get(index).copied(),
                    Self::BlendIndexes(own) => own.get(index / 4).map(|own| own.joints[index % 4].into()),
                    Self::BlendWeights(own) | Self::Colors(own) => {
                        own.as_flattened().get(index).copied().map(f32::from)
                    }
                    $(Self::$form(own) => own.get(index).copied().map($value),)*
                }
            }
        }
    };
}

/// Returns the name of a type of vertex data.
pub(super) fn type_name(kind: u32) -> String {
    name_in(TYPES, kind)
}

/// Returns the name of a type of components.
pub(super) fn format_name(format: u32) -> String {
    name_in(FORMATS, format)
}

fn name_in(names: &[(&str, i64)], number: u32) -> String {
    let own = names.iter().find(|(_, own)| *own == i64::from(number));
    own.map_or_else(|| number.to_string(), |(name, _)| (*name).to_owned())
}

vertex_data! {
    types {
        /// Positions in model space.
        #[schema(point, axis = "vertex")]
        Positions([f32; 3]) = 0, "position", 3 of 7;
        /// Texture coordinates from the upper left corner of the image.
        Texcoords([f32; 2]) = 1, "texcoord", 2 of 7;
        /// Normals of unit length.
        Normals([f32; 3]) = 2, "normal", 3 of 7;
        /// Tangents of unit length, and the sign of the bitangent.
        Tangents([f32; 4]) = 3, "tangent", 4 of 7;
        /// The bones of each vertex.
        BlendIndexes(BlendIndexes) = 4, "blend_indexes", 4 of 1;
        /// The weights of the bones; 255 means 1.
        BlendWeights([u8; 4]) = 5, "blend_weights", 4 of 1;
        /// Red, green, blue and alpha.
        Colors([u8; 4]) = 6, "color", 4 of 1;
    }
    formats {
        /// Components of 8 bits with a sign.
        Byte(i8) = 0, "byte", f32::from;
        /// Components of 8 bits.
        Ubyte(u8) = 1, "ubyte", f32::from;
        /// Components of 16 bits with a sign.
        Short(i16) = 2, "short", f32::from;
        /// Components of 16 bits.
        Ushort(u16) = 3, "ushort", f32::from;
        /// Components of 32 bits with a sign.
        Int(i32) = 4, "int", |own| own as f32;
        /// Components of 32 bits.
        Uint(u32) = 5, "uint", |own| own as f32;
        /// Floats of 16 bits.
        Half(u16) = 6, "half", float_16;
        /// Floats of 32 bits.
        Float(f32) = 7, "float", f32::from;
        /// Floats of 64 bits.
        Double(f64) = 8, "double", |own| own as f32;
    }
}

/// The bones of a vertex.
#[derive(Schema)]
#[binrw]
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct BlendIndexes {
    /// Indices of joints. Those with a weight of 0 have no effect.
    #[schema(index_of("bone"))]
    pub joints: [u8; 4],
}

/// A bone in the bind pose. A point is first scaled, then rotated, then translated.
#[derive(Schema)]
#[binrw]
#[derive(Clone, Debug, PartialEq)]
pub struct Joint {
    /// The name, as an offset in the text.
    pub name: u32,
    /// The index of the parent; negative for a root.
    #[schema(index_of("bone", none = -1), default = -1)]
    pub parent: i32,
    /// The translation relative to the parent.
    #[schema(point)]
    pub translate: [f32; 3],
    /// The rotation relative to the parent: a unit quaternion x, y, z, w.
    #[schema(default = [0.0, 0.0, 0.0, 1.0])]
    pub rotate: [f32; 4],
    /// The scale along the axes of the bone.
    #[schema(default = [1.0; 3])]
    pub scale: [f32; 3],
}

/// How the values of frames become the pose of a bone. The channels are translation x, y, z, rotation x, y, z, w and scale x, y, z.
#[derive(Schema)]
#[binrw]
#[derive(Clone, Debug, PartialEq)]
pub struct Pose {
    /// The index of the parent; negative for a root.
    #[schema(index_of("pose", none = -1), default = -1)]
    pub parent: i32,
    /// The channels that frames have values of, the first in the lowest bit.
    pub mask: u32,
    /// The value of each channel where it does not change, and its least otherwise.
    #[schema(point, default = IDENTITY)]
    pub channel_offset: [f32; 10],
    /// What a value in a frame is multiplied by.
    #[schema(point)]
    pub channel_scale: [f32; 10],
}

/// The channels of a pose at the parent.
const IDENTITY: [f32; 10] = [0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0, 1.0, 1.0, 1.0];

impl Default for Joint {
    fn default() -> Self {
        Self::blank(None)
    }
}

impl Default for Pose {
    fn default() -> Self {
        Self::blank(None)
    }
}

/// How an animation is played.
#[derive(Schema)]
#[bitfield(bits = 32)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AnimFlags {
    /// It is repeated.
    pub is_loop: bool,
    #[skip]
    __: B31,
}

/// A range of frames.
#[derive(Schema)]
#[binrw]
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Anim {
    /// The name, as an offset in the text.
    pub name: u32,
    /// The first of its frames.
    pub first_frame: u32,
    /// The number of its frames.
    pub num_frames: u32,
    /// Frames per second.
    pub framerate: f32,
    /// How it is played.
    pub flags: AnimFlags,
}

/// The bounds of the deformed vertices in a frame.
#[derive(Schema)]
#[binrw]
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Bounds {
    /// The least corner of the box.
    #[schema(point)]
    pub min: [f32; 3],
    /// The greatest corner of the box.
    #[schema(point)]
    pub max: [f32; 3],
    /// The greatest distance from the Z axis.
    #[schema(length)]
    pub xy_radius: f32,
    /// The greatest distance from the origin.
    #[schema(length)]
    pub radius: f32,
}

/// Data of an engine.
#[derive(Schema)]
#[binrw]
#[derive(Clone, Debug, Default)]
pub struct Extension {
    /// The name, as an offset in the text.
    pub name: u32,
    /// The size of the data in bytes.
    #[schema(decides = "extension_data_#")]
    pub num_data: u32,
    /// The offset of the data.
    #[schema(places = "extension_data_#")]
    pub ofs_data: u32,
    /// The offset of the next extension; 0 in the last.
    #[schema(places = "extension_#+1")]
    pub ofs_extensions: u32,
}

/// Offsets follow from the data and the next extension.
impl PartialEq for Extension {
    fn eq(&self, other: &Self) -> bool {
        (self.name, self.num_data) == (other.name, other.num_data)
    }
}
