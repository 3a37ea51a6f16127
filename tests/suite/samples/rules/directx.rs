//! `.x` files that violate rules.

use crate::samples::Sample;
use crate::samples::directx::with_binary_data;

pub fn directx() -> Vec<Sample> {
    vec![
        Sample::new("set.x", "animations of the skinned mesh in a separate file", SET.as_bytes().to_vec()),
        Sample::new("rules.x", "violates the rules of meshes and animations", RULES.as_bytes().to_vec()),
        Sample::new(
            "rules_habits.x",
            "an old version, an object on the line of the header, and other issues that most readers ignore",
            HABITS.as_bytes().to_vec(),
        ),
        Sample::new(
            "rules_layout.x",
            "a surplus brace, a redefined template, surplus values",
            LAYOUT.as_bytes().to_vec(),
        ),
        Sample::new(
            "rules_binary.x",
            "a progressive mesh with a wrong location of its binary data",
            with_binary_data(999, 5),
        ),
    ]
}

const LAYOUT: &str = r#"xof 0303txt 0032
template SkinWeights {
 <6F0D123B-BAD2-4167-A0D0-80224F25FABB>
 STRING transformNodeName;
 DWORD nWeights;
 array DWORD vertexIndices[nWeights];
 array FLOAT weights[nWeights];
}
AnimTicksPerSecond {
 30; 31;
}
SkinWeights {
 "hip"; 1; 0; 1.0;
}
}
"#;

const HABITS: &str = r"xof 0102txt 0032 Frame early {
}
Header { 1; 0; 0; }
RightHanded { 1; }
AnimationSet {
 Animation {
  { late }
  AnimationOptions { 2; 1; }
 }
}
CompressedAnimationSet { 12; 30.0; 0; 2; 1,2; }
Frame late {
 Mesh {
  3;
  0.0;0.0;0.0;,
  1.0;0.0;0.0;,
  0.0;1.0;-1.#IND00;;
  1;
  3;0,1,2;;
  DeclData { 1; 1;0;5;0;; 5; 1,2,3,4,5; }
 }
}
";

const SET: &str = "xof 0303txt 0032
AnimationSet {
 Animation { { arm } }
 Animation { { tail } }
 Animation { { Root } }
}
";

const RULES: &str = r#"xof 0303txt 0032
Sparkle { 1; }
AnimTicksPerSecond { 30; }
AnimTicksPerSecond { 60; }
Frame root {
 Mesh {
  4;
  0.0;0.0;0.0;,
  1.5e+00;0.0;0.0;,
  0.0;1.0;0.0;,
  1.0;1.0;0.0;;
  3;
  3;0,1,9;,
  2;0,1;,
  3;1,1,2;;
  MeshNormals {
   1;
   0.0;0.0;1.0;;
   1;
   3;0,0,9;;
  }
  MeshTextureCoords {
   2;
   0.0;0.0;,
   1.0;0.0;;
  }
  MeshMaterialList {
   2;
   4;
   0,5,0,0;
   Material {
    1.0;0.0;0.0;1.0;;
    8.0;
    0.5;0.5;0.5;;
    0.0;0.0;0.0;;
   }
  }
  XSkinMeshHeader { 1; 1; 3; }
  SkinWeights {
   "root";
   2;
   0,9;
   1.0,1.0;
   1.0,0.0,0.0,0.0,0.0,1.0,0.0,0.0,0.0,0.0,1.0,0.0,0.0,0.0,0.0,1.0;;
  }
  SkinWeights {
   "hand";
   1;
   0;
   0.5;
   1.0,0.0,0.0,0.0,0.0,1.0,0.0,0.0,0.0,0.0,1.0,0.0,0.0,0.0,0.0,1.0;;
  }
  VertexDuplicationIndices { 1; 4; 0; }
  FaceAdjacency { 2; 9, 4294967295; }
 }
}
Frame root {
}
AnimationSet {
 Animation {
  { hip }
  AnimationKey {
   0;
   4;
   0;4;2.0,0.0,0.0,0.0;;,
   0;4;0.0,0.0,0.0,0.0;;,
   1;3;1.0,0.0,0.0;;,
   -1;4;1.0,0.0,0.0,0.0;;;
  }
 }
 Animation {
  AnimationKey {
   9;
   0;
   ;
  }
 }
}
"#;
