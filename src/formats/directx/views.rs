//! Typed views of the objects that meshes, skeletons and animations are made of.
//!
//! A view reads its members by name in the order of the file's own template, so a file with another layout is read
//! correctly. Where that template has the standard's GUID and layout, position decides and names do not matter. Values
//! without a member stay in the file and out of the view.

use super::fields::{Fields, Ragged, View};
use super::values::Fault;

/// Defines views, their members by name, and how each is read.
macro_rules! views {
    ($($(#[$doc:meta])* $view:ident { $($(#[$field_doc:meta])* $field:ident: $type:ty = $read:ident($name:literal),)* })+) => {$(
        $(#[$doc])*
        #[derive(Clone, Debug, Default, PartialEq)]
        pub struct $view {
            $($(#[$field_doc])* pub $field: $type,)*
        }

        impl View for $view {
            const TEMPLATE: &'static str = stringify!($view);

            #[allow(unused_mut, clippy::never_loop)]
            fn read(fields: &mut Fields<'_>) -> Result<Self, Fault> {
                let mut view = Self::default();
                while let Some(member) = fields.next()? {
                    $(if member.view_name().eq_ignore_ascii_case($name) {
                        view.$field = fields.$read(member)?;
                        continue;
                    })*
                    fields.skip(member)?;
                }
                Ok(view)
            }
        }
    )+};
}

views! {
    /// A bone or group; all it holds stands inside it.
    Frame {}

    /// The transform of a frame relative to its parent.
    FrameTransformMatrix {
        /// Sixteen numbers row by row, for row vectors: the translation is in the last row.
        matrix: [f32; 16] = block(b"frameMatrix"),
    }

    /// Points and the polygons between them.
    Mesh {
        /// x, y, z; left-handed with Y up by custom.
        vertices: Vec<[f32; 3]> = rows(b"vertices"),
        /// Indices into the vertices, clockwise as seen from the front.
        faces: Ragged<u32> = faces(b"faces"),
    }

    /// The normals of a mesh.
    MeshNormals {
        /// x, y, z.
        normals: Vec<[f32; 3]> = rows(b"normals"),
        /// Indices into the normals, for each corner of each face.
        faces: Ragged<u32> = faces(b"faceNormals"),
    }

    /// The texture coordinates of a mesh, one for each vertex.
    MeshTextureCoords {
        /// u, v; v grows downwards.
        coords: Vec<[f32; 2]> = rows(b"textureCoords"),
    }

    /// The vertex colours of a mesh.
    MeshVertexColors {
        /// Index of a vertex, and its red, green, blue and alpha.
        colors: Vec<(u32, [f32; 4])> = indexed(b"vertexColors"),
    }

    /// Which face has which material; the materials stand inside it or are referred to.
    MeshMaterialList {
        /// How many materials there are.
        num_materials: u32 = integer(b"nMaterials"),
        /// Index of a material for each face; the last one holds for all faces that follow.
        face_indexes: Vec<u32> = integers(b"faceIndexes"),
    }

    /// How a surface looks.
    Material {
        /// Red, green, blue, alpha.
        face_color: [f32; 4] = block(b"faceColor"),
        /// Sharpness of highlights.
        power: f32 = float(b"power"),
        /// Red, green, blue.
        specular_color: [f32; 3] = block(b"specularColor"),
        /// Red, green, blue.
        emissive_color: [f32; 3] = block(b"emissiveColor"),
    }

    /// The texture of a material.
    TextureFilename {
        /// The file's name; backslashes may be doubled.
        filename: Vec<u8> = text(b"filename"),
    }

    /// What the skin of a mesh needs.
    XSkinMeshHeader {
        /// Most weights that any vertex has.
        max_weights_per_vertex: u32 = integer(b"nMaxSkinWeightsPerVertex"),
        /// Most bones that move any face.
        max_weights_per_face: u32 = integer(b"nMaxSkinWeightsPerFace"),
        /// How many bones move the mesh.
        num_bones: u32 = integer(b"nBones"),
    }

    /// The influence of one bone on a mesh.
    SkinWeights {
        /// The name of the bone's frame.
        transform_node_name: Vec<u8> = text(b"transformNodeName"),
        /// Indices into the vertices.
        vertex_indices: Vec<u32> = integers(b"vertexIndices"),
        /// A weight for each of them.
        weights: Vec<f32> = floats(b"weights"),
        /// Takes the mesh's vertices into the space of the bone.
        matrix_offset: [f32; 16] = block(b"matrixOffset"),
    }

    /// One motion; its animations stand inside it.
    AnimationSet {}

    /// The motion of one frame, which it refers to.
    Animation {}

    /// One channel of an animation.
    AnimationKey {
        /// 0 rotation (w, x, y, z), 1 scale, 2 position, 3 or 4 matrix.
        key_type: u32 = integer(b"keyType"),
        /// The keys in their order.
        keys: Keys = timed(b"keys"),
    }

    /// How an animation is played.
    AnimationOptions {
        /// 0 closed, 1 open.
        open_closed: u32 = integer(b"openclosed"),
        /// 0 spline, 1 linear.
        position_quality: u32 = integer(b"positionquality"),
    }

    /// The unit of key times. Readers take 4800 where a file has none, though exporters that leave it out often count frames.
    AnimTicksPerSecond {
        /// Ticks in a second.
        ticks: u32 = integer(b"AnimTicksPerSecond"),
    }

    /// Further data of each vertex, laid out by elements.
    DeclData {
        /// Type, method, usage and usage index of each element.
        elements: Vec<[u32; 4]> = integer_rows(b"Elements"),
        /// The data; floats by their bits.
        data: Vec<u32> = integers(b"data"),
    }

    /// Further data of each vertex, laid out by a flexible vertex format.
    FVFData {
        /// The format.
        fvf: u32 = integer(b"dwFVF"),
        /// The data; floats by their bits.
        data: Vec<u32> = integers(b"data"),
    }

    /// What the writer says of the file.
    Header {
        /// Bit 0 says that the file is text.
        flags: u32 = integer(b"flags"),
    }

    /// Whether coordinates are right-handed.
    RightHanded {
        /// 0 for no.
        is_right_handed: u32 = integer(b"bRightHanded"),
    }

    /// A motion in packed form.
    CompressedAnimationSet {
        /// Bytes of the packed form.
        block_size: u32 = integer(b"CompressedBlockSize"),
        /// The packed form, four bytes each.
        data: Vec<u32> = integers(b"CompressedData"),
    }

    /// Which vertices of a mesh were one before it was split.
    VertexDuplicationIndices {
        /// Vertices before the split.
        num_original_vertices: u32 = integer(b"nOriginalVertices"),
        /// The original of each vertex.
        indices: Vec<u32> = integers(b"indices"),
    }

    /// Which faces of a mesh share edges.
    FaceAdjacency {
        /// Three neighbours for each triangle.
        indices: Vec<u32> = integers(b"indices"),
    }

    /// The effect of a material; its parameters stand inside it.
    EffectInstance {
        /// The effect's file.
        effect_filename: Vec<u8> = text(b"EffectFilename"),
    }
}

/// Keys of an animation: a time and some numbers each.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Keys {
    /// The times in ticks. The template has no sign, but some exporters write −1.
    pub times: Vec<i32>,
    /// The numbers of each key.
    pub values: Ragged<f32>,
}

impl Keys {
    /// Each key with its time.
    pub fn iter(&self) -> impl Iterator<Item = TimedFloatKeys<'_>> {
        self.times.iter().zip(self.values.iter()).map(|(time, values)| TimedFloatKeys { time: *time, values })
    }
}

/// A key of an animation.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TimedFloatKeys<'a> {
    /// The time in ticks.
    pub time: i32,
    /// Its numbers: four, three or sixteen.
    pub values: &'a [f32],
}

impl Fields<'_> {
    fn timed(&mut self, member: &super::template::Member) -> Result<Keys, Fault> {
        self.keys(member).map(|(times, values)| Keys { times, values })
    }
}
