//! Typed views of the objects of meshes, skeletons and animations.
//!
//! A view reads its members by name, in the layout of the file's own template. If that template has the GUID and layout
//! of the standard one, members are identified by position instead. Values without a member are not part of the view.

use super::keys::Keys;
use super::syntax::field_types::FieldType;
use super::syntax::fields::{Fields, Ragged, View};
use super::syntax::object_writer::Members;
use super::syntax::values::ValueError;
use super::syntax::writer::SymbolWriter;

/// Defines views: their fields, and the member of each.
macro_rules! views {
    ($($(#[$doc:meta])* $view:ident { $($(#[$field_doc:meta])* $field:ident: $type:ty = $name:literal,)* })+) => {
        $(
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
                        view.$field = <$type>::read(fields, member)?;
                        continue;
                    })*
                    fields.skip(member)?;
                }
                Ok(view)
            }

            fn lens(&self) -> Vec<(&'static [u8], usize)> {
                vec![$(($name, FieldType::len(&self.$field))),*]
            }

            #[allow(unused_variables)]
            fn write<S: SymbolWriter>(&self, members: &mut Members<'_, S>) -> Result<(), String> {
                $(self.$field.write($name, members)?;)*
                Ok(())
            }
        })+
    };
}

views! {
    /// A bone or group; its contents are child objects.
    Frame {}

    /// The transform of a frame relative to its parent.
    FrameTransformMatrix {
        /// Sixteen values in row-major order, for row vectors: the translation is in the last row.
        matrix: [f32; 16] = b"frameMatrix",
    }

    /// A polygon mesh.
    Mesh {
        /// The positions x, y, z; by convention left-handed with Y up.
        vertices: Vec<[f32; 3]> = b"vertices",
        /// The vertex indices of each face, clockwise as seen from the front.
        faces: Ragged<u32> = b"faces",
    }

    /// The normals of a mesh.
    MeshNormals {
        /// The normals x, y, z.
        normals: Vec<[f32; 3]> = b"normals",
        /// The normal indices of each face, one per corner.
        faces: Ragged<u32> = b"faceNormals",
    }

    /// The texture coordinates of a mesh, one for each vertex.
    MeshTextureCoords {
        /// The coordinates u, v; v points down.
        coords: Vec<[f32; 2]> = b"textureCoords",
    }

    /// The vertex colours of a mesh.
    MeshVertexColors {
        /// The index of each vertex, and its red, green, blue and alpha.
        colors: Vec<(u32, [f32; 4])> = b"vertexColors",
    }

    /// The materials of the faces. The materials are child objects or references.
    MeshMaterialList {
        /// The number of materials.
        num_materials: u32 = b"nMaterials",
        /// The material index of each face. The last one applies to all following faces.
        face_indexes: Vec<u32> = b"faceIndexes",
    }

    /// A material.
    Material {
        /// The diffuse colour: red, green, blue, alpha.
        face_color: [f32; 4] = b"faceColor",
        /// The specular exponent.
        power: f32 = b"power",
        /// The specular colour: red, green, blue.
        specular_color: [f32; 3] = b"specularColor",
        /// The emissive colour: red, green, blue.
        emissive_color: [f32; 3] = b"emissiveColor",
    }

    /// The texture of a material.
    TextureFilename {
        /// The file name; backslashes may be doubled.
        filename: Vec<u8> = b"filename",
    }

    /// The sizes of the skin of a mesh.
    XSkinMeshHeader {
        /// The maximum number of weights per vertex.
        max_weights_per_vertex: u32 = b"nMaxSkinWeightsPerVertex",
        /// The maximum number of bones per face.
        max_weights_per_face: u32 = b"nMaxSkinWeightsPerFace",
        /// The number of bones.
        num_bones: u32 = b"nBones",
    }

    /// The influence of one bone on a mesh.
    SkinWeights {
        /// The name of the frame that is the bone.
        transform_node_name: Vec<u8> = b"transformNodeName",
        /// The indices of the influenced vertices.
        vertex_indices: Vec<u32> = b"vertexIndices",
        /// The weight of each of these vertices.
        weights: Vec<f32> = b"weights",
        /// The transform from mesh space to bone space.
        matrix_offset: [f32; 16] = b"matrixOffset",
    }

    /// A clip; its animations are child objects.
    AnimationSet {}

    /// The animation of the frame that it refers to.
    Animation {}

    /// A channel of an animation.
    AnimationKey {
        /// The type: 0 rotation (w, x, y, z), 1 scale, 2 position, 3 or 4 matrix.
        key_type: u32 = b"keyType",
        /// The keys.
        keys: Keys = b"keys",
    }

    /// Playback options of an animation.
    AnimationOptions {
        /// 0 closed, 1 open.
        open_closed: u32 = b"openclosed",
        /// 0 spline, 1 linear.
        position_quality: u32 = b"positionquality",
    }

    /// The unit of key times. Readers default to 4800, although exporters that omit it often use frame numbers.
    AnimTicksPerSecond {
        /// Ticks per second.
        ticks: u32 = b"AnimTicksPerSecond",
    }

    /// Additional data of each vertex, described by vertex elements.
    DeclData {
        /// The type, method, usage and usage index of each element.
        elements: Vec<[u32; 4]> = b"Elements",
        /// The data in 32-bit words; floats as bit patterns.
        data: Vec<u32> = b"data",
    }

    /// Additional data of each vertex, described by a flexible vertex format.
    FVFData {
        /// The flexible vertex format (FVF) code.
        fvf: u32 = b"dwFVF",
        /// The data in 32-bit words; floats as bit patterns.
        data: Vec<u32> = b"data",
    }

    /// The file header of Retained Mode.
    Header {
        /// The major version.
        major: u32 = b"major",
        /// The minor version.
        minor: u32 = b"minor",
        /// Bit 0 is set in text files.
        flags: u32 = b"flags",
    }

    /// Whether coordinates are right-handed.
    RightHanded {
        /// 0 if left-handed.
        is_right_handed: u32 = b"bRightHanded",
    }

    /// A compressed animation set.
    CompressedAnimationSet {
        /// The size of the data in bytes.
        block_size: u32 = b"CompressedBlockSize",
        /// Ticks per second.
        ticks_per_sec: f32 = b"TicksPerSec",
        /// 0 loop, 1 once, 2 ping-pong.
        playback_type: u32 = b"PlaybackType",
        /// The data in 32-bit words.
        data: Vec<u32> = b"CompressedData",
    }

    /// Maps the vertices of a mesh to those before vertices were duplicated.
    VertexDuplicationIndices {
        /// The number of vertices before duplication.
        num_original_vertices: u32 = b"nOriginalVertices",
        /// The original index of each vertex.
        indices: Vec<u32> = b"indices",
    }

    /// The adjacent faces of the faces of a mesh.
    FaceAdjacency {
        /// The three adjacent faces of each triangle.
        indices: Vec<u32> = b"indices",
    }

    /// The effect of a material; its parameters are child objects.
    EffectInstance {
        /// The file name of the effect.
        effect_filename: Vec<u8> = b"EffectFilename",
    }
}

impl FaceAdjacency {
    /// The index that stands for no face.
    pub const NONE: u32 = u32::MAX;
}
