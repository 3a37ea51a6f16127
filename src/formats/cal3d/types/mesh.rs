//! Meshes: `.cmf`.

use binrw::binrw;

use super::{NEWEST_UNDISPUTED, Text};
use crate::formats::cal3d::{Dialect, Version};
use crate::schema::{Schema, Shape, on_disk};
use crate::wire::{
    Counted, FixedLenList, FixedStr, List, Rest, SmallList, counted_with, list_while, list_with,
};

/// A `.cmf` file: submeshes, one for each material.
///
/// ```
/// use bindpose::codec::Format;
/// use bindpose::formats::cal3d::{CalMesh, Mesh, Submesh, Vertex};
/// let mut submesh = Submesh::default();
/// submesh.vertices.push(Vertex { position: [0.0, 1.0, 0.0], ..Vertex::default() });
/// let mut mesh = Mesh::default();
/// mesh.submeshes.push(submesh);
/// let bytes = CalMesh::from(mesh).encode()?;
/// assert_eq!(CalMesh::decode(&bytes)?.view()?.submeshes[0].vertices[0].position[1], 1.0);
/// # Ok::<(), bindpose::Error>(())
/// ```
#[on_disk]
#[schema(default)]
#[brw(little)]
#[br(import(dialect: Dialect))]
#[derive(Clone, Debug, PartialEq)]
pub struct Mesh {
    /// `CMF` and a NUL.
    #[schema(magic = b"CMF\0", xml = "@MAGIC")]
    pub magic: FixedStr<4>,
    /// Version of the library that wrote it.
    #[schema(xml("@VERSION", default = "0"), default = NEWEST_UNDISPUTED, decides = "submeshes")]
    pub version: i32,
    #[count_of(submeshes)]
    #[schema(xml = "@NUMSUBMESH")]
    num_submeshes: i32,
    /// The submeshes.
    #[br(parse_with = list_with, args(num_submeshes.into(), (dialect.version(version),)))]
    #[schema(args(num_submeshes, version))]
    #[schema(xml = "SUBMESH")]
    pub submeshes: List<Submesh>,
    /// Bytes after the last submesh.
    pub rest: Rest,
}

/// Triangles that share a material.
#[on_disk]
#[br(import(version: Version))]
#[bw(assert(
    self.agrees(),
    "each vertex has num_maps texture coordinates, a weight if there are springs, and morphs stay below num_vertices"
))]
#[schema(scope)]
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Submesh {
    /// Index of the material thread, which selects one of the model's materials.
    #[schema(xml = "@MATERIAL")]
    #[schema(index_of("material"))]
    pub material_id: i32,
    #[count_of(vertices)]
    #[schema(xml = "@NUMVERTICES")]
    num_vertices: i32,
    #[count_of(faces)]
    #[schema(xml = "@NUMFACES")]
    num_faces: i32,
    /// Number of vertices that the level of detail can remove, starting with the last.
    #[schema(xml("@NUMLODSTEPS", default = "0"))]
    pub num_lod_steps: i32,
    #[count_of(springs)]
    #[schema(xml = "@NUMSPRINGS")]
    num_springs: i32,
    /// Number of texture coordinates of each vertex.
    #[schema(xml("@NUMTEXCOORDS", default = "0"), decides = "vertices")]
    pub num_maps: i32,
    #[br(temp, if(version.has_morphs()))]
    #[bw(try_calc = Morphs::count(morphs.as_ref()))]
    #[schema(condition = Version::HAS_MORPHS, xml = "@NUMMORPHS")]
    num_morphs: Option<i32>,
    /// The vertices.
    #[br(parse_with = list_with, args(num_vertices.into(), (version, num_maps, num_springs > 0)))]
    #[schema(xml = "VERTEX")]
    #[schema(axis = "vertex")]
    pub vertices: List<Vertex>,
    /// Springs between vertices, for cloth and hair.
    #[br(args(num_springs.into()))]
    #[schema(xml = "SPRING")]
    pub springs: List<Spring>,
    /// Morph targets of the submesh.
    #[br(if(version.has_morphs()), args(version.counts_morphs(), num_morphs, num_maps, num_vertices))]
    #[schema(
        condition = Version::HAS_MORPHS,
        args(Version::COUNTS_MORPHS, num_morphs, num_maps, num_vertices)
    )]
    #[schema(xml = "MORPH")]
    pub morphs: Option<Morphs>,
    /// The triangles.
    #[br(args(num_faces.into()))]
    #[schema(xml = "FACE")]
    pub faces: List<Face>,
}

/// A vertex.
#[derive(Schema)]
#[binrw]
#[br(import(version: Version, num_maps: i32, has_weight: bool))]
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Vertex {
    /// x, y, z in model units.
    #[schema(xml = "POS")]
    #[schema(point)]
    pub position: [f32; 3],
    /// x, y, z; usually of unit length.
    #[schema(xml = "NORM")]
    pub normal: [f32; 3],
    /// Red, green, blue; 0 to 1.
    #[br(if(version.has_colors()))]
    #[schema(condition = Version::HAS_COLORS)]
    #[schema(xml = "COLOR")]
    pub color: Option<[f32; 3]>,
    /// Index of the vertex it collapses onto when detail is reduced; -1 means none.
    #[schema(xml("COLLAPSEID", default = "-1"))]
    #[schema(index_of("vertex", none = -1))]
    pub collapse_id: i32,
    /// Number of faces that the collapse removes.
    #[schema(xml("COLLAPSECOUNT", default = "0"))]
    pub face_collapse_count: i32,
    /// Texture coordinates u, v, for each map.
    #[br(args(num_maps.into()))]
    #[schema(xml = "TEXCOORD")]
    pub uvs: FixedLenList<[f32; 2]>,
    /// The influences of bones.
    #[schema(xml("INFLUENCE", count = "@NUMINFLUENCES"))]
    pub influences: SmallList<i32, Influence, 2>,
    /// How freely springs move it; 0 means that only bones do.
    #[br(if(has_weight))]
    #[schema(xml = "PHYSIQUE")]
    pub physical_weight: Option<f32>,
}

/// The influence of a bone on a vertex.
#[derive(Schema)]
#[binrw]
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Influence {
    /// Index of the bone.
    #[schema(xml = "@ID")]
    #[schema(index_of("bone"))]
    pub bone_id: i32,
    /// 0 to 1; the weights of a vertex add up to 1.
    #[schema(xml = ".")]
    pub weight: f32,
}

/// A spring between two vertices.
#[derive(Schema)]
#[binrw]
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Spring {
    /// Indices of the vertices.
    #[schema(xml = "@VERTEXID")]
    #[schema(index_of("vertex"))]
    pub vertex_ids: [i32; 2],
    /// Spring stiffness.
    #[schema(xml = "@COEF")]
    pub coefficient: f32,
    /// Rest length, in model units.
    #[schema(xml = "@LENGTH")]
    #[schema(length)]
    pub rest_length: f32,
}

/// The layouts of morph targets.
#[derive(Schema)]
#[schema(tag(counts: bool), import(num_morphs: Option<i32>, num_maps: i32, num_vertices: i32))]
#[derive(Clone, Debug, PartialEq)]
pub enum Morphs {
    /// Each starts with the number of its vertices.
    #[schema(tag = true, args(num_morphs, num_maps))]
    #[br(parse_with = list_with, args(num_morphs.unwrap_or(0).into(), (num_maps,)))]
    Counted(List<CountedMorph>),
    /// Each ends with a stop value.
    #[schema(tag = false, args(num_morphs, num_maps, num_vertices))]
    #[br(parse_with = list_with, args(num_morphs.unwrap_or(0).into(), (num_maps, num_vertices)))]
    Ended(List<EndedMorph>),
}

/// A morph target that starts with the number of its vertices.
#[derive(Schema)]
#[binrw]
#[br(import(num_maps: i32))]
#[derive(Clone, Debug, Default, PartialEq)]
pub struct CountedMorph {
    /// The name.
    #[schema(xml("@NAME", default = ""))]
    pub name: Text,
    /// The vertices that move.
    #[br(parse_with = counted_with, args((num_maps,)))]
    #[schema(xml("BLENDVERTEX", count = "@NUMBLENDVERTS"))]
    pub vertices: Counted<i32, BlendVertex>,
}

/// A morph target that ends with a stop value.
#[derive(Schema)]
#[binrw]
#[br(import(num_maps: i32, num_vertices: i32))]
#[derive(Clone, Debug, Default, PartialEq)]
pub struct EndedMorph {
    /// The name.
    pub name: Text,
    /// The vertices that move.
    #[br(parse_with = list_while, args(|id: i32| id < num_vertices, (num_maps,)))]
    #[schema(args(num_vertices, num_maps), shape = ended_vertices())]
    pub vertices: List<BlendVertex>,
    /// Ends the list: a value that is not a vertex index.
    pub end: i32,
}

/// Kaitai looks ahead for the stop value.
fn ended_vertices() -> Shape {
    const BODY: &str = "\
    params:
      - id: num_vertices
        type: s4
      - id: num_maps
        type: s4
    seq:
      - id: items
        type: ended_vertex(num_maps)
        repeat: until
        repeat-until: _.next_id >= num_vertices
        if: first_id < num_vertices
    instances:
      first_id:
        pos: _io.pos
        type: s4
    types:
      ended_vertex:
        params:
          - id: num_maps
            type: s4
        seq:
          - id: vertex
            type: blend_vertex(num_maps)
        instances:
          next_id:
            pos: _io.pos
            type: s4
";
    // The loop of ImHex looks ahead, too.
    const IMHEX: &str = "\
struct ended_vertices<auto arg_num_vertices, auto arg_num_maps> {
    BlendVertex<arg_num_maps> items[while(builtin::std::mem::read_signed($, 4, 2) < arg_num_vertices)] [[inline]];
};
";
    Shape::Written {
        name: "ended_vertices",
        body: BODY,
        imhex: IMHEX,
        of: Box::new(List::<BlendVertex>::shape()),
    }
}

/// Position of a vertex at full weight of a morph target; in the dialects mp1301 and mp1300 an offset.
#[derive(Schema)]
#[binrw]
#[br(import(num_maps: i32))]
#[derive(Clone, Debug, Default, PartialEq)]
pub struct BlendVertex {
    /// Index of the vertex.
    #[schema(xml = "@VERTEXID")]
    #[schema(index_of("vertex"))]
    pub vertex_id: i32,
    /// x, y, z in model units.
    #[schema(xml = "POSITION")]
    #[schema(point)]
    pub position: [f32; 3],
    /// x, y, z; usually of unit length, in mp1301 and mp1300 after adding the vertex normal.
    #[schema(xml = "NORMAL")]
    pub normal: [f32; 3],
    /// Texture coordinates u, v, for each map.
    #[br(args(num_maps.into()))]
    #[schema(xml = "TEXCOORD")]
    pub uvs: FixedLenList<[f32; 2]>,
}

/// A triangle.
#[derive(Schema)]
#[binrw]
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Face {
    /// Indices of the vertices.
    #[schema(xml = "@VERTEXID")]
    #[schema(index_of("vertex"))]
    pub vertex_ids: [i32; 3],
}
