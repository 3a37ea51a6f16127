//! The on-disk structs of Quake II's MD2, in the order in which its tools write them.
//!
//! Little-endian. A header of 17 numbers places five lists by offset; their order in the file is free. Coordinates are
//! right-handed with Z up, in map units.

use bindpose::schema::on_disk;
use bindpose::wire::{Blob, FixedLenList, FixedStr, Layout, List, Placed, Rest, placed_with};

/// A Quake II model: one mesh with a list of poses.
#[on_disk]
#[brw(little)]
#[derive(Clone, Debug, PartialEq)]
pub struct Md2 {
    /// Four bytes, `IDP2`.
    #[schema(magic = b"IDP2")]
    pub ident: FixedStr<4>,
    /// 8 in every known file.
    #[schema(default = 8)]
    pub version: i32,
    /// Width of the skin in pixels; texture coordinates refer to it.
    pub skin_width: i32,
    /// Height of the skin in pixels.
    pub skin_height: i32,
    /// Bytes of a frame.
    #[schema(default = Frame::HEAD as i32)]
    pub frame_size: i32,
    #[count_of(sections.skins)]
    num_skins: i32,
    /// Vertices of each frame.
    pub num_vertices: i32,
    #[count_of(sections.tex_coords)]
    num_tex_coords: i32,
    #[count_of(sections.triangles)]
    num_triangles: i32,
    #[count_of(sections.gl_commands)]
    num_gl_commands: i32,
    #[count_of(sections.frames)]
    num_frames: i32,
    #[offset_of(sections.skins)]
    ofs_skins: i32,
    #[offset_of(sections.tex_coords)]
    ofs_tex_coords: i32,
    #[offset_of(sections.triangles)]
    ofs_triangles: i32,
    #[offset_of(sections.frames)]
    ofs_frames: i32,
    #[offset_of(sections.gl_commands)]
    ofs_gl_commands: i32,
    #[offset_of(sections.end)]
    ofs_end: i32,
    /// What the header places.
    #[br(args(
        num_skins,
        num_vertices,
        num_tex_coords,
        num_triangles,
        num_gl_commands,
        num_frames,
        frame_size,
        ofs_skins,
        ofs_tex_coords,
        ofs_triangles,
        ofs_frames,
        ofs_gl_commands,
        ofs_end
    ))]
    #[schema(default = Layout::new(Md2::HEAD as u64, Sections::default()))]
    pub sections: Layout<Sections>,
    /// Bytes after the last section.
    pub rest: Rest,
}

/// The lists of a model.
#[on_disk]
#[br(import(
    num_skins: i32, num_vertices: i32, num_tex_coords: i32, num_triangles: i32, num_gl_commands: i32,
    num_frames: i32, frame_size: i32,
    ofs_skins: i32, ofs_tex_coords: i32, ofs_triangles: i32, ofs_frames: i32, ofs_gl_commands: i32, ofs_end: i32
))]
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Sections {
    /// Paths of the skins' images, relative to the game's folder.
    #[br(args(ofs_skins.into(), num_skins.into(), (num_skins.into(),)))]
    pub skins: Placed<List<Skin>>,
    /// Texture coordinates of the triangles' corners.
    #[br(args(ofs_tex_coords.into(), num_tex_coords.into(), (num_tex_coords.into(),)))]
    pub tex_coords: Placed<List<TexCoord>>,
    /// The surface.
    #[br(args(ofs_triangles.into(), num_triangles.into(), (num_triangles.into(),)))]
    pub triangles: Placed<List<Triangle>>,
    /// The poses, in the order of the animation.
    #[br(parse_with = placed_with)]
    #[br(args(ofs_frames.into(), num_frames.into(), (num_vertices, frame_size)))]
    #[schema(args(ofs_frames, num_frames, num_frames, num_vertices, frame_size))]
    pub frames: Placed<List<Frame>>,
    /// The surface once more, as triangle strips and fans. Each begins with its number of corners, negative for a fan; each
    /// corner has s and t as floats in image space and the index of a vertex; 0 ends the list.
    #[br(args(ofs_gl_commands.into(), num_gl_commands.into(), (num_gl_commands.into(),)))]
    pub gl_commands: Placed<List<i32>>,
    /// Where the file ends.
    #[br(args(ofs_end.into(), 0, (0,)))]
    pub end: Placed<Blob>,
}

/// The image of a skin.
#[on_disk]
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Skin {
    /// Path of a PCX image.
    pub path: FixedStr<64>,
}

/// A place on the skin.
#[on_disk]
#[derive(Clone, Debug, Default, PartialEq)]
pub struct TexCoord {
    /// Pixels from the left.
    pub s: i16,
    /// Pixels from the top.
    pub t: i16,
}

/// Three corners.
#[on_disk]
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Triangle {
    /// Indices into the vertices of a frame, clockwise seen from the front.
    pub vertices: [u16; 3],
    /// Indices into the texture coordinates.
    pub tex_coords: [u16; 3],
}

/// A pose: the position of every vertex.
#[on_disk]
#[br(import(num_vertices: i32, frame_size: i32))]
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Frame {
    /// Map units of one step of a vertex along x, y, z.
    pub scale: [f32; 3],
    /// Position of a vertex of zeros, in map units.
    pub translation: [f32; 3],
    /// The name: that of the sequence and a number, as in `run3`.
    pub name: FixedStr<16>,
    /// One for each vertex of the model.
    #[br(args(num_vertices.into()))]
    pub vertices: FixedLenList<Vertex>,
    /// What the header's size of a frame has beyond its vertices.
    #[br(args(i64::from(frame_size) - 40 - 4 * i64::from(num_vertices)))]
    pub padding: Blob,
}

/// A position packed into bytes.
#[on_disk]
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Vertex {
    /// Steps along x, y, z; multiplied by the frame's scale and added to its translation.
    pub position: [u8; 3],
    /// Index into Quake's table of 162 normals.
    pub normal: u8,
}
