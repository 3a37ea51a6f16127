//! Typed views of the objects of meshes, skeletons and animations.
//!
//! A view reads its members by name, in the layout of the file's own template. If that template has the GUID and layout
//! of the standard one, members are identified by position instead. Values without a member are not part of the view.

use super::fields::{Fields, Ragged, View};
use super::values::ValueError;

/// Defines views: their members, and the name and reading function of each.
macro_rules! views {
    ($($(#[$doc:meta])* $view:ident { $($(#[$field_doc:meta])* $field:ident: $type:ty = $read:ident($name:literal),)* })+) => {$(
        $(#[$doc])*
        #[derive(Clone, Debug, Default, PartialEq)]
        pub struct $view {
            $($(#[$field_doc])* pub $field: $type,)*
        }

        impl crate::sealed::Sealed for $view {}

        impl View for $view {
            const TEMPLATE: &'static str = stringify!($view);

            #[allow(unused_mut, clippy::never_loop)]
            fn read(fields: &mut Fields<'_>) -> Result<Self, ValueError> {
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
    /// A bone or group; its contents are child objects.
    Frame {}

    /// The transform of a frame relative to its parent.
    FrameTransformMatrix {
        /// Sixteen values in row-major order, for row vectors: the translation is in the last row.
        matrix: [f32; 16] = block(b"frameMatrix"),
    }

    /// A polygon mesh.
    Mesh {
        /// The positions x, y, z; by convention left-handed with Y up.
        vertices: Vec<[f32; 3]> = rows(b"vertices"),
        /// The vertex indices of each face, clockwise as seen from the front.
        faces: Ragged<u32> = faces(b"faces"),
    }

    /// The normals of a mesh.
    MeshNormals {
        /// The normals x, y, z.
        normals: Vec<[f32; 3]> = rows(b"normals"),
        /// The normal indices of each face, one per corner.
        faces: Ragged<u32> = faces(b"faceNormals"),
    }

    /// The texture coordinates of a mesh, one for each vertex.
    MeshTextureCoords {
        /// The coordinates u, v; v points down.
        coords: Vec<[f32; 2]> = rows(b"textureCoords"),
    }

    /// The vertex colours of a mesh.
    MeshVertexColors {
        /// The index of each vertex, and its red, green, blue and alpha.
        colors: Vec<(u32, [f32; 4])> = indexed(b"vertexColors"),
    }

    /// The materials of the faces. The materials are child objects or references.
    MeshMaterialList {
        /// The number of materials.
        num_materials: u32 = integer(b"nMaterials"),
        /// The material index of each face. The last one applies to all following faces.
        face_indexes: Vec<u32> = integers(b"faceIndexes"),
    }

    /// A material.
    Material {
        /// The diffuse colour: red, green, blue, alpha.
        face_color: [f32; 4] = block(b"faceColor"),
        /// The specular exponent.
        power: f32 = float(b"power"),
        /// The specular colour: red, green, blue.
        specular_color: [f32; 3] = block(b"specularColor"),
        /// The emissive colour: red, green, blue.
        emissive_color: [f32; 3] = block(b"emissiveColor"),
    }

    /// The texture of a material.
    TextureFilename {
        /// The file name; backslashes may be doubled.
        filename: Vec<u8> = text(b"filename"),
    }

    /// The sizes of the skin of a mesh.
    XSkinMeshHeader {
        /// The maximum number of weights per vertex.
        max_weights_per_vertex: u32 = integer(b"nMaxSkinWeightsPerVertex"),
        /// The maximum number of bones per face.
        max_weights_per_face: u32 = integer(b"nMaxSkinWeightsPerFace"),
        /// The number of bones.
        num_bones: u32 = integer(b"nBones"),
    }

    /// The influence of one bone on a mesh.
    SkinWeights {
        /// The name of the frame that is the bone.
        transform_node_name: Vec<u8> = text(b"transformNodeName"),
        /// The indices of the influenced vertices.
        vertex_indices: Vec<u32> = integers(b"vertexIndices"),
        /// The weight of each of these vertices.
        weights: Vec<f32> = floats(b"weights"),
        /// The transform from mesh space to bone space.
        matrix_offset: [f32; 16] = block(b"matrixOffset"),
    }

    /// A clip; its animations are child objects.
    AnimationSet {}

    /// The animation of the frame that it refers to.
    Animation {}

    /// A channel of an animation.
    AnimationKey {
        /// The type: 0 rotation (w, x, y, z), 1 scale, 2 position, 3 or 4 matrix.
        key_type: u32 = integer(b"keyType"),
        /// The keys.
        keys: Keys = timed(b"keys"),
    }

    /// Playback options of an animation.
    AnimationOptions {
        /// 0 closed, 1 open.
        open_closed: u32 = integer(b"openclosed"),
        /// 0 spline, 1 linear.
        position_quality: u32 = integer(b"positionquality"),
    }

    /// The unit of key times. Readers default to 4800, although exporters that omit it often use frame numbers.
    AnimTicksPerSecond {
        /// Ticks per second.
        ticks: u32 = integer(b"AnimTicksPerSecond"),
    }

    /// Additional data of each vertex, described by vertex elements.
    DeclData {
        /// The type, method, usage and usage index of each element.
        elements: Vec<[u32; 4]> = integer_rows(b"Elements"),
        /// The data in 32-bit words; floats as bit patterns.
        data: Vec<u32> = integers(b"data"),
    }

    /// Additional data of each vertex, described by a flexible vertex format.
    FVFData {
        /// The flexible vertex format (FVF) code.
        fvf: u32 = integer(b"dwFVF"),
        /// The data in 32-bit words; floats as bit patterns.
        data: Vec<u32> = integers(b"data"),
    }

    /// The file header of Retained Mode.
    Header {
        /// Bit 0 is set in text files.
        flags: u32 = integer(b"flags"),
    }

    /// Whether coordinates are right-handed.
    RightHanded {
        /// 0 if left-handed.
        is_right_handed: u32 = integer(b"bRightHanded"),
    }

    /// A compressed animation set.
    CompressedAnimationSet {
        /// The size of the data in bytes.
        block_size: u32 = integer(b"CompressedBlockSize"),
        /// The data in 32-bit words.
        data: Vec<u32> = integers(b"CompressedData"),
    }

    /// Maps the vertices of a mesh to those before vertices were duplicated.
    VertexDuplicationIndices {
        /// The number of vertices before duplication.
        num_original_vertices: u32 = integer(b"nOriginalVertices"),
        /// The original index of each vertex.
        indices: Vec<u32> = integers(b"indices"),
    }

    /// The adjacent faces of the faces of a mesh.
    FaceAdjacency {
        /// The three adjacent faces of each triangle.
        indices: Vec<u32> = integers(b"indices"),
    }

    /// The effect of a material; its parameters are child objects.
    EffectInstance {
        /// The file name of the effect.
        effect_filename: Vec<u8> = text(b"EffectFilename"),
    }
}

/// The keys of an animation, each with a time and values.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Keys {
    /// The times in ticks. The template has no sign, but some exporters write −1.
    pub times: Vec<i32>,
    /// The values of each key.
    pub values: Ragged<f32>,
}

impl Keys {
    /// Iterates over the keys.
    pub fn iter(&self) -> impl Iterator<Item = TimedFloatKeys<'_>> {
        self.times.iter().zip(self.values.iter()).map(|(time, values)| TimedFloatKeys { time: *time, values })
    }
}

/// A key of an animation.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TimedFloatKeys<'a> {
    /// The time in ticks.
    pub time: i32,
    /// The values: 4 for a rotation, 3 for a scale or position, 16 for a matrix.
    pub values: &'a [f32],
}

impl Fields<'_> {
    fn timed(&mut self, member: &super::template::Member) -> Result<Keys, ValueError> {
        self.keys(member).map(|(times, values)| Keys { times, values })
    }
}
