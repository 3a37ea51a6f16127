//! Objects that are written from their views.

use bindpose::formats::directx::*;
use bindpose::internals::object_text;

use super::{decoded, with_head};

/// Asserts that the objects of a text are written as they are there.
macro_rules! assert_rewritten {
    ($($view:ident)+: $text:expr) => {
        let objects = decoded(&with_head($text));
        let objects = objects.objects().expect("objects");
        let texts = [$(object_text(&objects.views::<$view>().next().expect("a view").expect("values"))),+];
        let all: Vec<u8> = texts.into_iter().flat_map(|text| text.expect("text")).collect();
        assert_eq!(String::from_utf8(all).expect("text"), $text);
    };
}

#[test]
fn members_are_written_in_the_order_of_the_template() {
    assert_rewritten! {
        Header RightHanded AnimTicksPerSecond TextureFilename EffectInstance AnimationOptions XSkinMeshHeader:
        "
Header {
 1;
 2;
 3;
}

RightHanded {
 1;
}

AnimTicksPerSecond {
 4800;
}

TextureFilename {
 \"a.png\";
}

EffectInstance {
 \"a.fx\";
}

AnimationOptions {
 1;
 0;
}

XSkinMeshHeader {
 1;
 2;
 3;
}
"
    }
}

#[test]
fn counts_are_the_lengths_of_lists() {
    assert_rewritten! {
        Frame Mesh MeshNormals MeshTextureCoords MeshVertexColors MeshMaterialList VertexDuplicationIndices
        FaceAdjacency DeclData FVFData CompressedAnimationSet:
        "
Frame {
}

Mesh {
 2;
 0.0;1.0;2.0;,
 3.0;4.0;5.5;;
 2;
 3;0,1,1;,
 4;1,0,1,0;;
}

MeshNormals {
 1;
 0.0;0.0;1.0;;
 1;
 3;0,0,0;;
}

MeshTextureCoords {
 2;
 0.0;1.0;,
 0.5;0.25;;
}

MeshVertexColors {
 2;
 0;1.0;0.0;0.0;1.0;;,
 7;0.0;1.0;0.0;0.5;;;
}

MeshMaterialList {
 2;
 3;
 0,1,1;
}

VertexDuplicationIndices {
 2;
 1;
 0,0;
}

FaceAdjacency {
 3;
 1,2,4294967295;
}

DeclData {
 2;
 2;0;3;0;,
 1;0;5;1;;
 3;
 1,2,3;
}

FVFData {
 256;
 0;
}

CompressedAnimationSet {
 8;
 4800.0;
 1;
 2;
 10,20;
}
"
    }
}

#[test]
fn structs_and_lists_are_nested_as_in_the_template() {
    assert_rewritten! {
        FrameTransformMatrix Material SkinWeights AnimationSet Animation AnimationKey:
        "
FrameTransformMatrix {
 1.0,0.0,0.0,0.0,0.0,1.0,0.0,0.0,0.0,0.0,1.0,0.0,4.0,5.0,6.0,1.0;;
}

Material {
 1.0;0.5;0.25;1.0;;
 8.0;
 0.1;0.2;0.3;;
 0.4;0.5;0.6;;
}

SkinWeights {
 \"Bone\";
 2;
 3,4;
 0.5,1.0;
 1.0,0.0,0.0,0.0,0.0,1.0,0.0,0.0,0.0,0.0,1.0,0.0,4.0,5.0,6.0,1.0;;
}

AnimationSet {
}

Animation {
}

AnimationKey {
 2;
 2;
 -1;3;0.0,1.0,2.0;;,
 10;3;3.0,4.0,5.0;;;
}
"
    }
}

#[test]
fn lists_with_one_count_must_have_the_same_length() {
    let weights = SkinWeights { vertex_indices: vec![0, 1], weights: vec![1.0], ..SkinWeights::default() };
    assert!(object_text(&weights).is_err_and(|why| why.contains("nWeights")));
}
