//! The on-disk structs of 3D Studio's 3DS: chunks with an id and a size in bytes, many of which contain chunks.
//!
//! Little-endian. Coordinates are right-handed with Z up.

use bindpose::schema::{Schema, on_disk};
use bindpose::wire::{Counted, FixedStr, Region, Rest, Stream, Tail, ZStr};

/// A 3D Studio file: the main chunk.
#[on_disk]
pub struct Tds {
    /// The id of the main chunk, 0x4D4D.
    #[schema(magic = b"MM")]
    pub id: FixedStr<2>,
    #[size_of(chunks, plus = 6)]
    size: u32,
    /// The chunks of the file.
    pub chunks: Region<Stream<Chunk>>,
    /// Bytes of the main chunk after its last chunk.
    pub tail: Tail,
    /// Bytes after the main chunk.
    pub rest: Rest,
}

/// A chunk.
#[on_disk]
pub struct Chunk {
    /// What it contains.
    #[tag_of(body)]
    pub id: u16,
    #[size_of(body, plus = 6)]
    size: u32,
    /// The contents.
    #[br(args(id))]
    pub body: Region<Body>,
    /// Bytes after the known contents: all of those of an unknown chunk.
    pub tail: Tail,
}

/// The contents of a chunk.
#[derive(Schema)]
#[schema(tag(id: u16))]
#[derive(Clone, Debug, PartialEq)]
pub enum Body {
    /// An unknown chunk; and a new one, whose id is 0.
    #[schema(raw)]
    Other,
    /// A colour as floats from 0 to 1.
    #[schema(tag = 0x0010)]
    ColorFloats([f32; 3]),
    /// A colour as bytes.
    #[schema(tag = 0x0011)]
    ColorBytes([u8; 3]),
    /// The version of the file.
    #[schema(tag = 0x0002)]
    Version(u32),
    /// Objects and materials.
    #[schema(tag = 0x3d3d)]
    Editor(Chunks),
    /// A named object.
    #[schema(tag = 0x4000)]
    Object(Named),
    /// A mesh of triangles.
    #[schema(tag = 0x4100)]
    Mesh(Chunks),
    /// The positions of the vertices.
    #[schema(tag = 0x4110)]
    Vertices(Counted<u16, [f32; 3]>),
    /// The triangles.
    #[schema(tag = 0x4120)]
    Faces(Faces),
    /// The triangles of a material.
    #[schema(tag = 0x4130)]
    FaceMaterial(FaceMaterial),
    /// Texture coordinates, one for each vertex.
    #[schema(tag = 0x4140)]
    TexCoords(Counted<u16, [f32; 2]>),
    /// The axes of the mesh and its origin.
    #[schema(tag = 0x4160)]
    Axes([[f32; 3]; 4]),
    /// A material.
    #[schema(tag = 0xafff)]
    Material(Chunks),
    /// The name of a material.
    #[schema(tag = 0xa000)]
    MaterialName(ZStr),
    /// The ambient, diffuse or specular colour of a material.
    #[schema(tag = 0xa010 | 0xa020 | 0xa030)]
    Color(Chunks),
    /// An image of a material.
    #[schema(tag = 0xa200)]
    Map(Chunks),
    /// The name of an image.
    #[schema(tag = 0xa300)]
    MapName(ZStr),
}

/// Chunks up to the end of the one around them.
#[on_disk]
pub struct Chunks {
    /// The chunks.
    #[schema(recursive)]
    pub chunks: Stream<Chunk>,
}

/// Chunks of an object.
#[on_disk]
pub struct Named {
    /// The name of the object.
    #[schema(name = "object")]
    pub name: ZStr,
    /// The chunks.
    #[schema(recursive)]
    pub chunks: Stream<Chunk>,
}

/// Triangles, followed by what they have.
#[on_disk]
pub struct Faces {
    /// The triangles.
    pub faces: Counted<u16, Face>,
    /// Their materials and smoothing groups.
    #[schema(recursive)]
    pub chunks: Stream<Chunk>,
}

/// A triangle.
#[on_disk]
pub struct Face {
    /// Indices of vertices, anticlockwise seen from the front.
    pub vertices: [u16; 3],
    /// The visible edges and the wrapping of the texture.
    pub flags: u16,
}

/// The triangles of a material.
#[on_disk]
pub struct FaceMaterial {
    /// The name of the material.
    #[schema(name_of = "material")]
    pub name: ZStr,
    /// Indices of triangles.
    pub faces: Counted<u16, u16>,
}
