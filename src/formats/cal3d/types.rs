//! The on-disk structs of binary Cal3D files, in the order of the file.
//!
//! Little-endian, packed, one forward stream without offsets. Texts end with a NUL that their length includes.
//! Quaternions are x, y, z, w and rotate the other way round than is usual (left-handed); they are kept as stored.
//! Layout: the loaders and savers of three branches of the library, checked on 165 real files.

use binrw::binrw;
use modular_bitfield::prelude::*;

use super::{Dialect, Version};
use crate::schema::{Schema, Shape};
use crate::wire::{
    Counted, FixedStr, LenStr, List, Rest, Row, count, counted_with, list_each, list_while, list_with,
};

/// Text that ends with a NUL, behind its length.
pub type Text = LenStr<i32, true>;

/// A `.csf` file: bones with their bind pose.
///
/// ```
/// use bindpose::codec::Format;
/// use bindpose::formats::cal3d::{Bone, CalSkeleton, Skeleton, Text};
/// let mut skeleton = Skeleton::default();
/// skeleton.bones.push(Bone { name: Text::new(b"hip"), parent_id: -1, ..Bone::default() });
/// let bytes = CalSkeleton::from(skeleton).encode()?;
/// assert_eq!(CalSkeleton::decode(&bytes)?.view()?.bones[0].name.text(), b"hip");
/// # Ok::<(), bindpose::Error>(())
/// ```
#[derive(Schema)]
#[binrw]
#[brw(little)]
#[br(import(dialect: Dialect))]
#[derive(Clone, Debug, PartialEq)]
pub struct Skeleton {
    /// `CSF` and a NUL.
    #[schema(magic = b"CSF\0")]
    pub magic: FixedStr<4>,
    /// The number of the library that wrote it.
    pub version: i32,
    #[br(temp)]
    #[bw(try_calc = count(bones))]
    num_bones: i32,
    /// Red, green, blue of the light that comes from everywhere; 0 to 1.
    #[br(if(dialect.version(version).has_lights()))]
    #[schema(condition = "version >= 911 and version < 1000")]
    pub scene_ambient: Option<[f32; 3]>,
    /// The bones; others name them by their index here.
    #[br(parse_with = list_with, args(num_bones.into(), (dialect.version(version),)))]
    #[schema(args("num_bones", "version"))]
    pub bones: List<Bone>,
    /// Bytes behind the last bone.
    pub rest: Rest,
}

/// A bone and its bind pose.
#[derive(Schema)]
#[binrw]
#[br(import(version: Version))]
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Bone {
    /// The name.
    pub name: Text,
    /// Bind translation relative to the parent, in model units.
    pub translation: [f32; 3],
    /// Bind rotation relative to the parent: x, y, z, w.
    pub rotation: [f32; 4],
    /// Translation from model space into the bone's own.
    pub local_translation: [f32; 3],
    /// Rotation from model space into the bone's own: x, y, z, w.
    pub local_rotation: [f32; 4],
    /// Index of the parent; -1 at a root.
    pub parent_id: i32,
    /// What the bone shines with.
    #[br(if(version.has_lights()))]
    #[schema(condition = "version >= 911 and version < 1000")]
    pub light: Option<Light>,
    /// Indices of the children.
    pub child_ids: Counted<i32, i32>,
}

/// A light that a bone carries.
#[derive(Schema)]
#[binrw]
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Light {
    /// 0 none, 1 everywhere, 2 far away, 3 a point, 4 a spot.
    pub kind: i32,
    /// Red, green, blue; 0 to 1.
    pub color: [f32; 3],
}

/// A `.caf` file: tracks of keys, each for a bone.
///
/// ```
/// use bindpose::codec::Format;
/// use bindpose::formats::cal3d::{Animation, CalAnimation, PlainKey, PlainTrack, Track};
/// let mut animation = Animation { duration: 1.0, ..Animation::default() };
/// let keys = vec![PlainKey::default()].into();
/// animation.tracks.push(Track::Plain(PlainTrack { bone_id: 0, keys }));
/// let bytes = CalAnimation::from(animation).encode()?;
/// assert_eq!(CalAnimation::decode(&bytes)?.view()?.tracks[0].bone_id(), 0);
/// # Ok::<(), bindpose::Error>(())
/// ```
#[derive(Schema)]
#[binrw]
#[brw(little)]
#[br(import(dialect: Dialect))]
#[derive(Clone, Debug, PartialEq)]
pub struct Animation {
    /// `CAF` and a NUL.
    #[schema(magic = b"CAF\0")]
    pub magic: FixedStr<4>,
    /// The number of the library that wrote it.
    pub version: i32,
    /// Whether the tracks are packed: 0 or 1.
    #[br(if(dialect.version(version).has_compression()))]
    #[schema(condition = "(version >= 919 and version < 1000) or version >= 1300", decides = "tracks")]
    pub compression: Option<i32>,
    /// Length in seconds.
    pub duration: f32,
    #[br(temp)]
    #[bw(try_calc = count(tracks))]
    num_tracks: i32,
    /// Bit 0: the keys are quantized.
    #[br(if(dialect.version(version).has_track_flags()))]
    #[schema(condition = "(version >= 1200 and version < 1300) or version >= 1301", decides = "tracks")]
    pub track_flags: Option<i32>,
    /// The tracks, as version, compression and flags lay them out.
    #[br(parse_with = list_with, args(
        num_tracks.into(),
        (dialect.version(version).encoding(compression, track_flags), dialect.version(version)),
    ))]
    #[schema(args(
        "num_tracks",
        "((version >= 913 and version < 919) or (((version >= 919 and version < 1000) or version >= 1300) and compression != 0)) ? 2 : ((((version >= 1200 and version < 1300) or version >= 1301) and (track_flags & 1) != 0) ? 1 : 0)",
        "version"
    ))]
    pub tracks: List<Track>,
    /// Bytes behind the last track.
    pub rest: Rest,
}

/// How the tracks of an animation are stored.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Encoding {
    /// As plain numbers.
    Plain,
    /// Each key in 12 bytes, relative to the track's box and the animation's length.
    Quantized,
    /// Each key in 6 to 16 bytes, relative to fixed ranges.
    Packed,
}

/// The keys of a bone.
#[derive(Schema)]
#[schema(tag(encoding: Encoding), import(version: Version))]
#[derive(Clone, Debug, PartialEq)]
pub enum Track {
    /// As plain numbers.
    #[schema(tag = Encoding::Plain, ksy = "encoding == 0")]
    Plain(PlainTrack),
    /// Relative to a box and the animation's length.
    #[schema(tag = Encoding::Quantized, ksy = "encoding == 1")]
    Quantized(QuantizedTrack),
    /// Relative to fixed ranges.
    #[schema(tag = Encoding::Packed, ksy = "encoding == 2")]
    #[br(args(version))]
    Packed(PackedTrack),
}

/// Keys as plain numbers.
#[derive(Schema)]
#[binrw]
#[derive(Clone, Debug, Default, PartialEq)]
pub struct PlainTrack {
    /// Index of the bone.
    pub bone_id: i32,
    /// The keys in the order of time.
    pub keys: Counted<i32, PlainKey>,
}

/// Where a bone is at a time.
#[derive(Schema)]
#[binrw]
#[derive(Clone, Debug, Default, PartialEq)]
pub struct PlainKey {
    /// Seconds.
    pub time: f32,
    /// Translation relative to the parent, in model units.
    pub translation: [f32; 3],
    /// Rotation relative to the parent: x, y, z, w.
    pub rotation: [f32; 4],
}

/// Keys of 12 bytes, relative to a box and the animation's length.
#[derive(Schema)]
#[binrw]
#[derive(Clone, Debug, Default, PartialEq)]
pub struct QuantizedTrack {
    /// Index of the bone.
    pub bone_id: i32,
    #[br(temp)]
    #[bw(try_calc = count(keys))]
    num_keys: i32,
    /// The least corner of the box that holds all translations.
    pub translation_min: [f32; 3],
    /// What a step of each component of a translation is worth.
    pub translation_scale: [f32; 3],
    /// The keys in the order of time.
    #[br(args(num_keys.into()))]
    pub keys: List<QuantizedKey>,
}

/// Where a bone is at a time, in 12 bytes.
#[derive(Schema)]
#[binrw]
#[derive(Clone, Debug, Default, PartialEq)]
pub struct QuantizedKey {
    /// 0 at the start to 65535 at the end of the animation.
    pub time: u16,
    /// Steps from the least corner of the track's box.
    pub translation: QuantizedTranslation,
    /// Three components of the quaternion; the lowest bits of the second and third word name the fourth.
    pub rotation: [i16; 3],
}

/// Steps from the least corner of a box.
#[derive(Schema)]
#[bitfield(bits = 32)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct QuantizedTranslation {
    /// Steps along x.
    pub x: B11,
    /// Steps along y.
    pub y: B11,
    /// Steps along z.
    pub z: B10,
}

/// Keys of 6 to 16 bytes, relative to fixed ranges.
#[derive(Schema)]
#[binrw]
#[br(import(version: Version))]
#[bw(assert(self.agrees(), "every key has a position, or the first alone, or none, as the track's header says"))]
#[derive(Clone, Debug, Default, PartialEq)]
pub struct PackedTrack {
    /// The bone, and what its keys hold.
    #[schema(decides = "keys")]
    pub header: PackedHeader,
    #[br(temp)]
    #[bw(try_calc = count(keys))]
    num_keys: u16,
    /// The keys in the order of time.
    #[br(parse_with = list_each, args((0..num_keys).map(|index| (header, index == 0, version))))]
    #[schema(args("num_keys", "header.raw", "_index == 0", "version"))]
    pub keys: List<PackedKey>,
}

/// The bone of a track, and what its keys hold.
#[derive(Schema)]
#[bitfield(bits = 16)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PackedHeader {
    /// Index of the bone.
    pub bone_id: B13,
    /// Every key has a position, or else the first alone.
    pub position_varies: bool,
    /// Positions are far ones, or else near ones.
    pub far: bool,
    /// Keys have positions, or else the bone keeps that of its bind pose.
    pub has_position: bool,
}

/// Where a bone is at a time, in 6 to 16 bytes.
#[derive(Schema)]
#[binrw]
#[br(import(header: PackedHeader, first: bool, version: Version))]
#[derive(Clone, Debug, Default, PartialEq)]
pub struct PackedKey {
    /// Translation relative to the parent; absent where the track says so.
    #[br(if(header.stores_position(first)), args(header.far()))]
    #[schema(
        condition = "(header & 0x8000) != 0 and (first or (header & 0x2000) != 0)",
        args("(header & 0x4000) != 0")
    )]
    pub position: Option<PackedPosition>,
    /// Rotation relative to the parent, and the time.
    pub rotation: PackedRotation,
    /// The translation again, as plain numbers.
    #[br(if(header.stores_position(first) && version.has_exact_translations()))]
    #[schema(condition = "version == 917 and (header & 0x8000) != 0 and (first or (header & 0x2000) != 0)")]
    pub exact_translation: Option<[f32; 3]>,
    /// The rotation again, as plain numbers: x, y, z, w.
    #[br(if(version.has_exact_rotations()))]
    #[schema(condition = "version == 916 or version == 917")]
    pub exact_rotation: Option<[f32; 4]>,
}

/// A packed translation.
#[derive(Schema)]
#[schema(tag(is_far: bool))]
#[derive(Clone, Debug, PartialEq)]
pub enum PackedPosition {
    /// Within 128 units.
    #[schema(tag = false)]
    Near(NearPosition),
    /// Within 2^23 units.
    #[schema(tag = true)]
    Far(FarPosition),
}

/// A translation within 128 units: for each axis 9 bits of magnitude and a sign.
#[derive(Schema)]
#[bitfield(bits = 32)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NearPosition {
    /// Distance along x, in 511ths of 128 units.
    pub x: B9,
    /// x is negative.
    pub x_negative: bool,
    /// Distance along y, in 511ths of 128 units.
    pub y: B9,
    /// y is negative.
    pub y_negative: bool,
    /// Distance along z, in 511ths of 128 units.
    pub z: B9,
    /// z is negative.
    pub z_negative: bool,
    #[skip]
    __: B2,
}

/// A translation within 2^23 units: 80 bits, of which each axis takes 25 of magnitude and a sign, from the lowest on.
#[derive(Schema)]
#[binrw]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct FarPosition {
    /// The lowest 64 bits.
    pub low: u64,
    /// The highest 16 bits; the last two mean nothing.
    pub high: u16,
}

/// A rotation and a time in 48 bits, lowest word first: 2 that name the component left out, 1 of sign and 11 of
/// magnitude for each of the others, 10 of time in thirtieths of a second.
#[derive(Schema)]
#[binrw]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct PackedRotation {
    /// The bits, lowest word first.
    pub words: [u16; 3],
}

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
#[derive(Schema)]
#[binrw]
#[brw(little)]
#[br(import(dialect: Dialect))]
#[derive(Clone, Debug, PartialEq)]
pub struct Mesh {
    /// `CMF` and a NUL.
    #[schema(magic = b"CMF\0")]
    pub magic: FixedStr<4>,
    /// The number of the library that wrote it.
    pub version: i32,
    #[br(temp)]
    #[bw(try_calc = count(submeshes))]
    num_submeshes: i32,
    /// The submeshes.
    #[br(parse_with = list_with, args(num_submeshes.into(), (dialect.version(version),)))]
    #[schema(args("num_submeshes", "version"))]
    pub submeshes: List<Submesh>,
    /// Bytes behind the last submesh.
    pub rest: Rest,
}

/// Triangles that share a material.
#[derive(Schema)]
#[binrw]
#[br(import(version: Version))]
#[bw(assert(
    self.agrees(),
    "each vertex has num_maps texture coordinates, a weight if there are springs, and morphs stay below num_vertices"
))]
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Submesh {
    /// Which of the model's materials it wears: the index of a material thread.
    pub material_id: i32,
    #[br(temp)]
    #[bw(try_calc = count(vertices))]
    num_vertices: i32,
    #[br(temp)]
    #[bw(try_calc = count(faces))]
    num_faces: i32,
    /// Vertices that can be taken away one after another, the last first.
    pub num_lod_steps: i32,
    #[br(temp)]
    #[bw(try_calc = count(springs))]
    num_springs: i32,
    /// How many texture coordinates each vertex has.
    pub num_maps: i32,
    #[br(temp, if(version.has_morphs()))]
    #[bw(try_calc = Morphs::count(morphs.as_ref()))]
    #[schema(condition = "(version >= 911 and version < 1000) or version >= 1300")]
    num_morphs: Option<i32>,
    /// Positions with all that belongs to them.
    #[br(parse_with = list_with, args(num_vertices.into(), (version, num_maps, num_springs > 0)))]
    pub vertices: List<Vertex>,
    /// Springs between vertices, for cloth and hair.
    #[br(args(num_springs.into()))]
    pub springs: List<Spring>,
    /// What the submesh can turn into.
    #[br(if(version.has_morphs()), args(version.counts_morphs(), num_morphs, num_maps, num_vertices))]
    #[schema(
        condition = "(version >= 911 and version < 1000) or version >= 1300",
        args("version >= 1300", "num_morphs", "num_maps", "num_vertices")
    )]
    pub morphs: Option<Morphs>,
    /// The triangles.
    #[br(args(num_faces.into()))]
    pub faces: List<Face>,
}

/// A position with all that belongs to it.
#[derive(Schema)]
#[binrw]
#[br(import(version: Version, num_maps: i32, has_weight: bool))]
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Vertex {
    /// x, y, z in model units.
    pub position: [f32; 3],
    /// x, y, z; usually of unit length.
    pub normal: [f32; 3],
    /// Red, green, blue; 0 to 1.
    #[br(if(version.has_colors()))]
    #[schema(condition = "version >= 911 and version < 1000")]
    pub color: Option<[f32; 3]>,
    /// Index of the vertex it falls onto when detail is taken away; -1 means none.
    pub collapse_id: i32,
    /// How many faces disappear with it.
    pub face_collapse_count: i32,
    /// Texture coordinates u, v, for each map.
    #[br(args(num_maps.into()))]
    pub uvs: Row<[f32; 2]>,
    /// The bones that move it.
    pub influences: Counted<i32, Influence>,
    /// How freely springs move it; 0 is fast to its bones.
    #[br(if(has_weight))]
    pub physical_weight: Option<f32>,
}

/// How much a bone moves a vertex.
#[derive(Schema)]
#[binrw]
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Influence {
    /// Index of the bone.
    pub bone_id: i32,
    /// 0 to 1; those of a vertex sum up to 1.
    pub weight: f32,
}

/// A spring between two vertices.
#[derive(Schema)]
#[binrw]
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Spring {
    /// Indices of the vertices.
    pub vertex_ids: [i32; 2],
    /// How hard it is.
    pub coefficient: f32,
    /// Its length at rest, in model units.
    pub rest_length: f32,
}

/// What a submesh can turn into.
#[derive(Schema)]
#[schema(tag(counts: bool), import(num_morphs: Option<i32>, num_maps: i32, num_vertices: i32))]
#[derive(Clone, Debug, PartialEq)]
pub enum Morphs {
    /// Each counts its vertices.
    #[schema(tag = true, args("num_morphs", "num_maps"))]
    #[br(parse_with = list_with, args(num_morphs.unwrap_or(0).into(), (num_maps,)))]
    Counted(List<CountedMorph>),
    /// Each ends with a stop value.
    #[schema(tag = false, args("num_morphs", "num_maps", "num_vertices"))]
    #[br(parse_with = list_with, args(num_morphs.unwrap_or(0).into(), (num_maps, num_vertices)))]
    Ended(List<EndedMorph>),
}

/// A morph target that counts its vertices.
#[derive(Schema)]
#[binrw]
#[br(import(num_maps: i32))]
#[derive(Clone, Debug, Default, PartialEq)]
pub struct CountedMorph {
    /// The name.
    pub name: Text,
    /// The vertices that move.
    #[br(parse_with = counted_with, args((num_maps,)))]
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
    #[schema(args("num_vertices", "num_maps"), shape = ended_vertices())]
    pub vertices: List<BlendVertex>,
    /// Ends the list by being no vertex: at least their number.
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
    Shape::Written { name: "ended_vertices", body: BODY, of: Box::new(List::<BlendVertex>::shape()) }
}

/// Where a vertex is when a morph target is fully taken.
#[derive(Schema)]
#[binrw]
#[br(import(num_maps: i32))]
#[derive(Clone, Debug, Default, PartialEq)]
pub struct BlendVertex {
    /// Index of the vertex.
    pub vertex_id: i32,
    /// x, y, z in model units.
    pub position: [f32; 3],
    /// x, y, z; usually of unit length.
    pub normal: [f32; 3],
    /// Texture coordinates u, v, for each map.
    #[br(args(num_maps.into()))]
    pub uvs: Row<[f32; 2]>,
}

/// A triangle.
#[derive(Schema)]
#[binrw]
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Face {
    /// Indices of the vertices.
    pub vertex_ids: [i32; 3],
}

/// A `.crf` file: a material.
///
/// ```
/// use bindpose::codec::Format;
/// use bindpose::formats::cal3d::{CalMaterial, Map, Material, Text};
/// let mut material = Material::default();
/// material.maps.push(Map { file: Text::new(b"skin.tga"), kind: None });
/// let bytes = CalMaterial::from(material).encode()?;
/// assert_eq!(CalMaterial::decode(&bytes)?.view()?.maps[0].file.text(), b"skin.tga");
/// # Ok::<(), bindpose::Error>(())
/// ```
#[derive(Schema)]
#[binrw]
#[brw(little)]
#[br(import(dialect: Dialect))]
#[derive(Clone, Debug, PartialEq)]
pub struct Material {
    /// `CRF` and a NUL.
    #[schema(magic = b"CRF\0")]
    pub magic: FixedStr<4>,
    /// The number of the library that wrote it.
    pub version: i32,
    /// Red, green, blue, alpha; 0 to 255.
    pub ambient: [u8; 4],
    /// Red, green, blue, alpha; 0 to 255.
    pub diffuse: [u8; 4],
    /// Red, green, blue, alpha; 0 to 255.
    pub specular: [u8; 4],
    /// Sharpness of the highlight.
    pub shininess: f32,
    /// The textures.
    #[br(parse_with = counted_with, args((dialect.version(version),)))]
    #[schema(args("version"))]
    pub maps: Counted<i32, Map>,
    /// Bytes behind the last texture.
    pub rest: Rest,
}

/// A texture.
#[derive(Schema)]
#[binrw]
#[br(import(version: Version))]
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Map {
    /// Name of the image file.
    pub file: Text,
    /// What it is for.
    #[br(if(version.has_map_types()))]
    #[schema(condition = "(version >= 911 and version < 1000) or version >= 1300")]
    pub kind: Option<Text>,
}

/// A `.cpf` file: tracks of morph weights. One layout, that of IMVU and the main line; the branch of 1301 has another,
/// of which its own reader and writer disagree.
///
/// ```
/// use bindpose::codec::Format;
/// use bindpose::formats::cal3d::{CalMorph, Morph, MorphTrack, Text};
/// let mut morph = Morph { duration: 1.0, ..Morph::default() };
/// morph.tracks.push(MorphTrack { morph_name: Text::new(b"smile"), ..MorphTrack::default() });
/// let bytes = CalMorph::from(morph).encode()?;
/// assert_eq!(CalMorph::decode(&bytes)?.view()?.tracks[0].morph_name.text(), b"smile");
/// # Ok::<(), bindpose::Error>(())
/// ```
#[derive(Schema)]
#[binrw]
#[brw(little)]
#[br(import(dialect: Dialect))]
#[derive(Clone, Debug, PartialEq)]
pub struct Morph {
    /// `CPF` and a NUL.
    #[schema(magic = b"CPF\0")]
    pub magic: FixedStr<4>,
    /// The number of the library that wrote it.
    pub version: i32,
    /// Length in seconds.
    pub duration: f32,
    /// The tracks.
    pub tracks: Counted<i32, MorphTrack>,
    /// Bytes behind the last track.
    pub rest: Rest,
}

/// The keys of a morph target.
#[derive(Schema)]
#[binrw]
#[derive(Clone, Debug, Default, PartialEq)]
pub struct MorphTrack {
    /// The name of the morph target.
    pub morph_name: Text,
    /// The keys in the order of time.
    pub keys: Counted<i32, MorphKey>,
}

/// How far a morph target is taken at a time.
#[derive(Schema)]
#[binrw]
#[derive(Clone, Debug, Default, PartialEq)]
pub struct MorphKey {
    /// Seconds.
    pub time: f32,
    /// 0 not at all to 1 fully.
    pub weight: f32,
}
