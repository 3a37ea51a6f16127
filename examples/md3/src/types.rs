//! The on-disk structs of Quake III Arena's MD3, in the order in which its tools write them.
//!
//! Little-endian. The header places three lists by offset; each surface places four more by offsets that count from its own
//! start. Coordinates are right-handed with Z up, in map units.

use bindpose::schema::on_disk;
use bindpose::wire::{Blob, FixedStr, Layout, List, Placed, Region, Rest, Tail};

/// A Quake III model: surfaces with one shape for each frame, and named places to attach other models to.
#[on_disk]
pub struct Md3 {
    /// Four bytes, `IDP3`.
    #[schema(magic = b"IDP3")]
    pub ident: FixedStr<4>,
    /// 15 in every known file.
    #[schema(default = 15)]
    pub version: i32,
    /// The path of the model in the game's folder.
    pub name: FixedStr<64>,
    /// Unused.
    pub flags: i32,
    #[count_of(sections.frames)]
    num_frames: i32,
    /// The number of tags of each frame.
    pub num_tags: i32,
    #[count_of(sections.surfaces)]
    num_surfaces: i32,
    /// Unused.
    pub num_skins: i32,
    #[offset_of(sections.frames)]
    ofs_frames: i32,
    #[offset_of(sections.tags)]
    ofs_tags: i32,
    #[offset_of(sections.surfaces)]
    ofs_surfaces: i32,
    #[offset_of(sections.end)]
    ofs_end: i32,
    /// What the header places.
    #[br(args(i64::from(num_frames) * i64::from(num_tags)))]
    pub sections: Layout<Sections>,
    /// Bytes after the last section.
    pub rest: Rest,
}

/// The lists of a model.
#[on_disk]
#[br(import(num_frames: i64, num_surfaces: i64, ofs_frames: i64, ofs_tags: i64, ofs_surfaces: i64, ofs_end: i64, num_tags: i64))]
pub struct Sections {
    /// The bounds of each frame.
    pub frames: Placed<List<Frame>>,
    /// The tags of the first frame, then those of the second.
    pub tags: Placed<List<Tag>>,
    /// The meshes.
    pub surfaces: Placed<List<Surface>>,
    /// Where the file ends.
    pub end: Placed<Blob>,
}

/// The bounds of the model in a frame.
#[on_disk]
pub struct Frame {
    /// The least corner of the box.
    pub min: [f32; 3],
    /// The greatest corner of the box.
    pub max: [f32; 3],
    /// The centre of the sphere.
    pub origin: [f32; 3],
    /// The radius of the sphere.
    pub radius: f32,
    /// The name, often that of the program that wrote the file.
    pub name: FixedStr<16>,
}

/// A place to attach another model to: `tag_weapon`.
#[on_disk]
pub struct Tag {
    /// The name, the same in all frames.
    pub name: FixedStr<64>,
    /// The position.
    pub origin: [f32; 3],
    /// The directions of the axes x, y and z.
    pub axes: [[f32; 3]; 3],
}

/// A mesh with one list of shaders, and a shape for each frame.
#[on_disk]
#[schema(scope)]
pub struct Surface {
    /// Four bytes, `IDP3`.
    #[schema(magic = b"IDP3")]
    pub ident: FixedStr<4>,
    /// The name, which files of skins refer to.
    pub name: FixedStr<64>,
    /// Unused.
    pub flags: i32,
    /// The number of frames, as in the header of the model.
    pub num_frames: i32,
    #[count_of(parts.shaders)]
    num_shaders: i32,
    #[count_of(parts.tex_coords)]
    num_vertices: i32,
    #[count_of(parts.triangles)]
    num_triangles: i32,
    #[offset_of(parts.triangles)]
    ofs_triangles: i32,
    #[offset_of(parts.shaders)]
    ofs_shaders: i32,
    #[offset_of(parts.tex_coords)]
    ofs_tex_coords: i32,
    #[offset_of(parts.vertices)]
    ofs_vertices: i32,
    #[size_of(parts, plus = 108)]
    size: i32,
    /// What the surface places.
    #[br(args(i64::from(num_frames) * i64::from(num_vertices)))]
    pub parts: Region<Layout<Parts>>,
    /// Bytes after the last part.
    pub tail: Tail,
}

/// The lists of a surface.
#[on_disk]
#[br(import(num_shaders: i64, num_tex_coords: i64, num_triangles: i64, ofs_triangles: i64, ofs_shaders: i64, ofs_tex_coords: i64, ofs_vertices: i64, num_vertices: i64))]
pub struct Parts {
    /// Indices of vertices, three for each triangle, clockwise seen from the front.
    #[schema(index_of("vertex"))]
    pub triangles: Placed<List<[i32; 3]>>,
    /// The images and their effects.
    pub shaders: Placed<List<Shader>>,
    /// The place of each vertex on the image, from its upper left corner.
    #[schema(axis = "vertex")]
    pub tex_coords: Placed<List<[f32; 2]>>,
    /// The vertices of the first frame, then those of the second.
    pub vertices: Placed<List<Vertex>>,
}

/// A shader by its name.
#[on_disk]
pub struct Shader {
    /// The path of the shader or image in the game's folder.
    pub name: FixedStr<64>,
    /// Used by the game.
    pub index: i32,
}

/// A vertex in one frame.
#[on_disk]
pub struct Vertex {
    /// The position in 1/64 of a map unit.
    pub position: [i16; 3],
    /// The angles of the normal from the Z axis and around it, in 1/256 of a full turn.
    pub normal: [u8; 2],
}
