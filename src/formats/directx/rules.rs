//! The rules of DirectX `.x` files; `check` implements them.

use crate::check::names::{NEAR_SOURCE, NEAR_WHY};
use crate::check::rules;

rules! {
    VERSION = Warning "x/unknown-version" "The version is neither 0302 nor 0303." {
        why: "Wine's and Microsoft's readers reject other versions. Both versions have the same layout.",
        source: "Wine's tests, which record the behaviour of Microsoft's reader.",
        example: "version: is \"0102\", expected \"0302\" or \"0303\"",
    }
    HEADER_LINE = Info "x/header-line" "Content follows the header on the same line." {
        why: "Microsoft's reader starts at byte 16. assimp and other readers skip the rest of the line and lose the content.",
        source: "Wine's tests; assimp.",
        example: "tokens[1]: \"Frame\" is on the same line as the header",
    }
    WIDE_FLOATS = Warning "x/wide-floats" "Floats in tokens have 64 bits." {
        why: "The header specifies the size, and assimp respects it. Wine always reads 32 bits and misreads everything after the first \
              list of floats.",
        source: "Wine's reader; no known real file uses 64 bits.",
        example: "float_size: is \"0064\", and lists of floats follow",
    }
    HEADER_FLAGS = Hint "x/header-flags" "The flags of the Header object do not match the encoding." {
        why: "Bit 0 is set in text files and clear in token files. Readers ignore it; a program that converted the file did not update it.",
        source: "Set in 163 real text files, clear in 10 real token files.",
        example: "Header[0].flags: are 0 in a text file",
    }
    RIGHT_HANDED = Info "x/right-handed" "The file declares right-handed coordinates." {
        why: "No known reader supports the declaration: the model is mirrored.",
        source: "Templates of Retained Mode; assimp, Wine, Irrlicht.",
        example: "RightHanded[0]: is ignored by all known readers",
    }
    FORWARD = Info "x/forward-reference" "A reference precedes the object it refers to." {
        why: "Wine's reader fails to resolve it; assimp and others resolve it.",
        source: "Wine's reader.",
        example: "AnimationSet[0].Animation[0]: refers to \"late\", which is defined later",
    }
    DECL = Warning "x/decl-data" "The size of additional vertex data does not match the number of vertices." {
        why: "The vertex elements determine the size of each vertex. D3DX rejects the mesh, and other readers read past the end of the data.",
        source: "D3DX; the types of vertex elements of Direct3D 9.",
        example: "Frame[\"late\"].Mesh[0].DeclData[0].data: has 5 words, expected 6: 3 vertices of 2 words each",
    }
    COMPRESSED = Warning "x/compressed-length" "The length of a compressed animation does not match its data." {
        why: "The data is stored in 32-bit words and must have exactly the number of words that the length in bytes requires. D3DX \
              decompresses the specified length.",
        source: "Microsoft's reference of CompressedAnimationSet.",
        example: "CompressedAnimationSet[0].CompressedData: has 2 words, expected 3 for 12 bytes",
    }
    NO_TICKS = Hint "x/no-ticks" "The file does not specify the length of a tick." {
        why: "Readers assume 4800 ticks per second, the undocumented default of Direct3D. assimp reports 0, by which callers then divide.",
        source: "ScummVM, MeshViewer; issue 6377 of assimp.",
        example: "AnimationSet[\"AnimationSet0\"]: has keys, but the file has no AnimTicksPerSecond",
    }
    OPTIONS = Info "x/animation-options" "An animation option is neither 0 nor 1." {
        why: "openclosed is 0 (closed) or 1 (open), positionquality is 0 (spline) or 1 (linear). Other values are undefined.",
        source: "Microsoft's reference of AnimationOptions.",
        example: "AnimationSet[0].Animation[0].AnimationOptions[0]: has openclosed 2 and positionquality 1, expected 0 or 1",
    }
    HALF_TURN = Hint "x/half-turns" "All rotation tracks start at nearly 180°." {
        why: "Rotations are stored as w, x, y, z. Here they would be small rotations if read as x, y, z, w, which indicates that the \
              exporter used the wrong order: the bones flip over.",
        source: "A tutorial of 2008 has ten such keys; none of the bones in 10 real files that could be verified does.",
        example: "AnimationSet[\"AnimationSet0\"]: starts 1 track with |w| below 0.35 and |z| above 0.9",
    }
    STRUCTURE = Warning "x/structure" "The nesting of objects is invalid." {
        why: "Strict readers stop at unbalanced braces and unexpected names or values; lenient readers misread what follows.",
        source: "The grammar; two real files end with a surplus brace.",
        example: "tokens[53]: unexpected value outside of an object",
    }
    VALUES = Warning "x/values" "The values of an object do not match its template." {
        why: "Values are missing, surplus, of another type, or separated in a way that strict readers reject. Readers stop, or read the \
              next object from the wrong position.",
        source: "The file's own template, or the standard one.",
        example: "AnimTicksPerSecond[0]: unexpected value after the last member of the template",
    }
    UNKNOWN_TEMPLATE = Info "x/unknown-template" "The template of an object is unknown." {
        why: "Neither the file nor the standard defines it. Readers skip the object or reject the file.",
        source: "The standard templates of Retained Mode and D3DX.",
        example: "Sparkle[0]: unknown template Sparkle",
    }
    TEMPLATE_DIFFERS = Info "x/template-differs" "The file defines a standard template with a different layout, and uses it." {
        why: "The file's own template applies. Readers with hard-coded standard layouts misread its objects.",
        source: "dwarf.x uses such a template. 607 other real files define some, most of them without using them.",
        example: "the layout of SkinWeights differs from the standard",
    }
    REFERENCE = Warning "x/unresolved-reference" "A reference cannot be resolved within the file." {
        why: "The object may be in another file: animations are often stored separately from their mesh. On its own the file shows \
              nothing, and assimp rejects it.",
        source: "Microsoft's description of references. Files that contain only animations are reported by x/frames-elsewhere.",
        example: "AnimationSet[0].Animation[0]: no object is named \"hip\"",
        alone: true,
    }
    ELSEWHERE = Info "x/frames-elsewhere" "The file contains only animations, of frames in another file." {
        why: "Animations are often stored separately from their mesh. On its own the file shows nothing, and assimp rejects it.",
        source: "53 references in each of 5 real files that contain only animations.",
        example: "AnimationSet[0]: has 3 references to frames of another file",
        alone: true,
    }
    FRAME_NAME = Warning "x/duplicate-frame-name" "Two frames have the same name." {
        why: "Skins and animations refer to frames by name: some readers use the first, others the last.",
        source: "SkinWeights and Animation refer to frames by name.",
        example: "Frame[\"root\"#2]: an earlier frame has the same name",
    }
    FACE_VERTEX = Error "x/face-vertex-out-of-range" "A face refers to a vertex that does not exist." {
        why: "D3DX rejects the mesh; other readers crash or draw a spike.",
        source: "No such index in 220 real files.",
        example: "Frame[\"root\"].Mesh[0].faces[0]: refers to vertex 9, but the mesh has 4 vertices",
    }
    FACE_SIZE = Warning "x/face-corners" "A face has fewer than three corners." {
        why: "It is not a polygon. Readers that triangulate polygons lose synchronisation.",
        source: "Faces of real files have 3 to 20 corners.",
        example: "Frame[\"root\"].Mesh[0].faces[1]: has 2 corners, expected 3 or more",
    }
    DEGENERATE = Hint "x/degenerate-face" "A face uses a vertex twice." {
        why: "It has no area and no normal, or an edge that is traversed in both directions.",
        source: "Geometry.",
        example: "Mesh[0].faces[0]: has vertex 0 twice",
    }
    NORMAL_INDEX = Error "x/normal-out-of-range" "A corner refers to a normal that does not exist." {
        why: "D3DX rejects the mesh; other readers crash.",
        source: "No such index in 220 real files.",
        example: "Frame[\"root\"].Mesh[0].MeshNormals[0].faceNormals[0]: refers to normal 9, but the list has 1 normal",
    }
    NORMAL_COUNT = Warning "x/normal-faces" "The number of normal faces differs from the number of faces." {
        why: "Each corner of each face has a normal. Readers iterate over both lists in parallel.",
        source: "The counts match in real files.",
        example: "Frame[\"root\"].Mesh[0].MeshNormals[0].faceNormals: has 1 element, expected 3: one per face",
    }
    COORD_COUNT = Warning "x/texture-coordinate-count" "The number of texture coordinates differs from the number of vertices." {
        why: "Each vertex has one. Readers drop all coordinates, or read past the end of the list.",
        source: "The counts match in real files.",
        example: "Frame[\"root\"].Mesh[0].MeshTextureCoords[0].textureCoords: has 2 elements, expected 4: one per vertex",
    }
    MATERIAL_INDEX = Error "x/material-out-of-range" "A face refers to a material that does not exist." {
        why: "Readers crash or use another material.",
        source: "No such index in 220 real files.",
        example: "Frame[\"root\"].Mesh[0].MeshMaterialList[0].faceIndexes[1]: refers to material 5, but the list has 2 materials",
    }
    MATERIAL_COUNT = Warning "x/material-count" "The material count of a list does not match its contents." {
        why: "Readers wait for the missing materials, or number them incorrectly.",
        source: "The counts match in real files.",
        example: "Frame[\"root\"].Mesh[0].MeshMaterialList[0].nMaterials: is 2, expected 1: the number of materials in the list",
    }
    FACE_INDEXES = Info "x/face-indexes" "A material list has more indices than faces, or none." {
        why: "Each index applies to one face, and the last one to all following faces. Surplus indices have no effect; without any index \
              faces get no material, or readers reject the mesh.",
        source: "109 real files have fewer indices than faces; none has more.",
        example: "Frame[\"root\"].Mesh[0].MeshMaterialList[0].faceIndexes: has 4 elements, expected 1 to 3: at most one per face",
    }
    SKIN_COUNT = Warning "x/skin-bone-count" "The bone count of a skin does not match its SkinWeights objects." {
        why: "nBones of XSkinMeshHeader is the number of SkinWeights objects. D3DX allocates memory for it.",
        source: "The counts match in real files.",
        example: "Frame[\"root\"].Mesh[0].XSkinMeshHeader[0].nBones: is 3, expected 2: the number of SkinWeights objects",
    }
    SKIN_VERTEX = Error "x/skin-vertex-out-of-range" "A weight refers to a vertex that does not exist." {
        why: "D3DX rejects the mesh; other readers crash.",
        source: "No such index in 220 real files.",
        example: "Frame[\"root\"].Mesh[0].SkinWeights[0].vertexIndices[1]: refers to vertex 9, but the mesh has 4 vertices",
    }
    SKIN_BONE = Warning "x/unknown-skin-bone" "A skin refers to a bone that is not a frame of the file." {
        why: "The vertices do not move, or the reader rejects the file.",
        source: "Bones are frames, found by name.",
        example: "Frame[\"root\"].Mesh[0].SkinWeights[1].transformNodeName: no frame is named \"hand\"",
    }
    WEIGHT_SUM = Warning "x/weight-sum" "The weights of a vertex do not sum to 1." {
        why: "A smaller sum pulls the vertex towards the origin, a greater one pushes it away. D3DX computes the last weight from the others.",
        source: "D3DX.",
        example: "Frame[\"root\"].Mesh[0]: the weights of vertex 0 sum to 1.5, expected 1",
    }
    MAX_WEIGHTS = Info "x/skin-max-weights" "A vertex has more weights than the skin header specifies." {
        why: "Readers that allocate nMaxSkinWeightsPerVertex weights drop the smallest ones.",
        source: "D3DX.",
        example: "Frame[\"root\"].Mesh[0].XSkinMeshHeader[0].nMaxSkinWeightsPerVertex: is 1, but a vertex has 2 weights",
    }
    MAX_FACE_WEIGHTS = Info "x/skin-max-face-weights" "More bones move a face than the skin header specifies." {
        why: "Direct3D allocates nMaxSkinWeightsPerFace matrices for a face where the hardware blends indexed matrices; further bones do \
              not move it.",
        source: "Microsoft's reference of XSkinMeshHeader.",
        example: "Frame[\"root\"].Mesh[0].XSkinMeshHeader[0].nMaxSkinWeightsPerFace: is 1, but 2 bones move a face",
    }
    DUPLICATION = Error "x/vertex-duplication" "The list of duplicated vertices does not match the mesh." {
        why: "It maps each vertex to its original vertex. Exporters disagree on whether nOriginalVertices limits these indices, so that is \
              not checked.",
        source: "D3DX.",
        example: "Frame[\"root\"].Mesh[0].VertexDuplicationIndices[0].indices: has 1 element, expected 4: one per vertex",
    }
    ADJACENCY = Warning "x/face-adjacency" "A list of adjacent faces refers to a face that does not exist." {
        why: "It has a face for each edge of each face, or 4294967295 where there is none.",
        source: "D3DX. No real file had such a list.",
        example: "Frame[\"root\"].Mesh[0].FaceAdjacency[0].indices[0]: refers to face 9, but the mesh has 3 faces",
    }
    TARGETLESS = Warning "x/animation-without-frame" "An animation does not refer to a frame." {
        why: "It has no effect.",
        source: "Retained Mode: an animation refers to its frame.",
        example: "AnimationSet[0].Animation[1]: has no reference to a frame",
    }
    KEY_TYPE = Warning "x/key-type" "The type of animation keys is unknown." {
        why: "0 is rotation, 1 scale, 2 position, 3 and 4 matrix. Readers reject other types or skip them.",
        source: "0, 1, 2 and 4 in real files; assimp and Irrlicht read 3 as matrix.",
        example: "AnimationSet[0].Animation[1].AnimationKey[0].keyType: is 9, expected 0 to 4",
    }
    KEY_VALUES = Error "x/key-values" "The number of values of a key does not match its type." {
        why: "Rotations have 4 values, scales and positions 3, matrices 16. Readers lose synchronisation.",
        source: "The counts match in real files.",
        example: "AnimationSet[0].Animation[0].AnimationKey[0].keys[2]: has 3 values, expected 4 for a rotation",
    }
    KEY_ORDER = Warning "x/key-order" "The times of keys do not increase." {
        why: "Readers search for the keys around a time and divide by the interval between them.",
        source: "The times of two tracks in real files decrease.",
        example: "AnimationSet[0].Animation[0].AnimationKey[0].keys[1].time: is 0, expected more than 0, the time of the previous key",
    }
    NEGATIVE_TIME = Warning "x/negative-key-time" "The time of a key is negative." {
        why: "Times are unsigned in the template. Conforming readers place the key 4,294,967,295 ticks after the start; others reject the \
              text.",
        source: "13 real files have a second key at time -1.",
        example: "AnimationSet[0].Animation[0].AnimationKey[0].keys[3].time: is -1, expected 0 or greater",
    }
    BINARY_LOCATION = Error "x/binary-location" "The location of binary data is wrong." {
        why: "The data of a progressive mesh follows the objects, one of which specifies its offset and size in the file. Edits that move \
              the data do not update the offset: set it afterwards.",
        source: "22 real files of the DirectX 7 SDK, in all of which the data ends with the file.",
        example: "tokens[8].body.offset: is 999, expected 124",
    }
    ZERO = Warning "x/zero-quaternion" "All components of a rotation are zero." {
        why: "It is not a rotation: the bone collapses, or its matrix becomes NaN.",
        source: "Rotations are unit quaternions w, x, y, z.",
        example: "AnimationSet[0].Animation[0].AnimationKey[0].keys[1]: is all zero",
    }
    UNIT = Info "x/quaternion-not-unit" "A rotation is not of unit length." {
        why: "Most readers normalise it.",
        source: "3,124 keys of one real file deviate by more than 1 %.",
        example: "AnimationSet[0].Animation[0].AnimationKey[0].keys[0]: has length 2, expected 1",
    }
    TICKS = Info "x/ticks-twice" "The length of a tick is specified twice." {
        why: "assimp uses the last value, other readers the first.",
        source: "One real file repeats it.",
        example: "AnimTicksPerSecond[1]: is not the first AnimTicksPerSecond of the file",
    }
    EXPONENT = Hint "x/exponent" "Numbers have exponents." {
        why: "Wine's reader and old readers of Microsoft do not support exponents.",
        source: "84,138 numbers in samples of Blitz3D.",
        example: "tokens: has 1 number with an exponent; the first is 1.5e+00",
    }
    SET_NEAR = Warning "x/set-near-name" "A name differs slightly from the one that is probably meant." {
        why: NEAR_WHY,
        source: NEAR_SOURCE,
        example: "AnimationSet[0].Animation[0]: no object is named \"arm\"; similar: \"Arm\"",
    }
    SET_REFERENCE = Warning "x/set-unresolved-reference" "A reference cannot be resolved in any of the files." {
        why: "The animation moves a frame that the mesh does not have.",
        source: "Animations that are stored separately from their mesh refer to frames by name.",
        example: "AnimationSet[0].Animation[1]: no object of any file is named \"tail\"",
    }
}
