//! What valid DirectX `.x` files obey, in words; `check` finds what does not.

use crate::check::names::{NEAR_SOURCE, NEAR_WHY};
use crate::check::rules;

rules! {
    VERSION = Warning "x/unknown-version" "The version is neither 0302 nor 0303." {
        why: "Wine's reader, and Microsoft's, refuse the file. The two have one layout.",
        source: "Wine's tests, which record what Microsoft's reader does.",
        example: "version: is \"0102\"",
    }
    HEADER_LINE = Info "x/header-line" "Something stands on the line of the header." {
        why: "Microsoft's reader takes what comes behind the sixteenth byte; assimp and others skip the rest of the line and lose it.",
        source: "Wine's tests; assimp.",
        example: "tokens[1]: \"Frame\" stands on the line of the header",
    }
    WIDE_FLOATS = Warning "x/wide-floats" "Numbers in tokens have eight bytes." {
        why: "The header says so, and assimp heeds it. Wine reads four bytes whatever the header says, and loses its place.",
        source: "Wine's reader; no real file is so.",
        example: "float_size: is 0064, and lists of numbers follow it",
    }
    HEADER_FLAGS = Hint "x/header-flags" "The flags of the Header object do not say how the file is written." {
        why: "Bit 0 is set in text and clear in tokens. Nobody heeds it; a program that converted the file left it as it was.",
        source: "163 real text files have it set, 10 of tokens clear.",
        example: "Header[0].flags: are 0 in text",
    }
    RIGHT_HANDED = Info "x/right-handed" "The file says that its coordinates are right-handed." {
        why: "No reader that is known heeds it: they show the model mirrored.",
        source: "Templates of Retained Mode; assimp, Wine, Irrlicht.",
        example: "RightHanded[0]: no reader heeds it",
    }
    FORWARD = Info "x/forward-reference" "A reference leads to something that comes later." {
        why: "Wine's reader fails there; assimp and others find it.",
        source: "Wine's reader.",
        example: "AnimationSet[0].Animation[0]: \"late\" comes later",
    }
    DECL = Warning "x/decl-data" "Further data of vertices do not fit the number of vertices." {
        why: "The elements say how many bytes a vertex has, and each vertex has as many. D3DX refuses the mesh, others read behind the end.",
        source: "D3DX; the types of vertex elements of Direct3D 9.",
        example: "Frame[\"late\"].Mesh[0].DeclData[0].data: has 5, but 3 vertices of 2 words take 6",
    }
    COMPRESSED = Warning "x/compressed-length" "A packed motion says another length than it has." {
        why: "The packed form is written in words of four bytes, as many as its length takes. D3DX unpacks what the length says.",
        source: "Microsoft's reference of CompressedAnimationSet.",
        example: "CompressedAnimationSet[0].CompressedData: has 2 words for 12 bytes",
    }
    NO_TICKS = Hint "x/no-ticks" "Nothing says how long a tick of the animation is." {
        why: "Readers take 4800 ticks for a second, as Direct3D does without documenting it; assimp says 0, and its users divide by it.",
        source: "ScummVM, MeshViewer; issue 6377 of assimp.",
        example: "AnimationSet[\"AnimationSet0\"]: there is no AnimTicksPerSecond",
    }
    OPTIONS = Info "x/animation-options" "An option of an animation is neither 0 nor 1." {
        why: "Open or closed, splines or straight lines: there is no third.",
        source: "Microsoft's reference of AnimationOptions.",
        example: "AnimationSet[0].Animation[0].AnimationOptions[0]: are 2 and 1",
    }
    HALF_TURN = Hint "x/half-turns" "The rotations of all tracks begin nearly half turned." {
        why: "They are w, x, y, z. Read as x, y, z, w these would be small turns, which is what a writer that took the wrong order makes \
              of them: the bone flips over.",
        source: "A tutorial of 2008 has ten such rows; no bone of 10 real files that could be told reads so.",
        example: "AnimationSet[\"AnimationSet0\"]: begins 1 track with w below 0.35 and z above 0.9",
    }
    STRUCTURE = Warning "x/structure" "Braces have no partner, or words no meaning." {
        why: "Strict readers stop there, lenient ones go on with something else.",
        source: "The grammar; two real files end with a brace too many.",
        example: "tokens[53]: a value stands outside of all objects",
    }
    VALUES = Warning "x/values" "The values of an object are not as its template says." {
        why: "Missing values, other kinds, more than the template takes, or separators that strict readers do not take: they stop, or read \
              the next object from the wrong place.",
        source: "The file's own template, or the standard one.",
        example: "AnimTicksPerSecond[0]: values follow that the template does not have",
    }
    UNKNOWN_TEMPLATE = Info "x/unknown-template" "An object is of a template that nobody defines." {
        why: "Neither the file nor the standard does. Readers skip the object, or refuse the file.",
        source: "The standard templates of Retained Mode and D3DX.",
        example: "Sparkle[0]: no template Sparkle is known",
    }
    TEMPLATE_DIFFERS = Info "x/template-differs" "An object uses a standard template that the file lays out differently." {
        why: "The file's own template applies. Readers with the standard layout built in misread such objects.",
        source: "dwarf.x has such objects. In most of 607 other real files no object uses the template.",
        example: "SkinWeights is not laid out as in the standard",
    }
    REFERENCE = Warning "x/unresolved-reference" "A reference leads to nothing in the file." {
        why: "The object may be in another file: animations are kept apart from their mesh so. Alone, the file shows nothing, and assimp \
              refuses it.",
        source: "53 references in 5 real files that hold animations only.",
        example: "AnimationSet[0].Animation[0]: nothing is called \"hip\"",
        alone: true,
    }
    FRAME_NAME = Warning "x/duplicate-frame-name" "Two frames have one name." {
        why: "Bones and animations are found by name: readers take the first, or the last.",
        source: "SkinWeights and Animation refer by name.",
        example: "Frame[\"root\"#2]: the name is there before",
    }
    FACE_VERTEX = Error "x/face-vertex-out-of-range" "A face names a vertex that is not there." {
        why: "D3DX refuses the mesh; others crash or draw a spike to nowhere.",
        source: "No such index in 220 real files.",
        example: "Frame[\"root\"].Mesh[0].faces[0]: names vertex 9 of 4",
    }
    FACE_SIZE = Warning "x/face-corners" "A face has less than three corners." {
        why: "It is no polygon. Readers that cut polygons into triangles lose step.",
        source: "3 to 20 corners in real files.",
        example: "Frame[\"root\"].Mesh[0].faces[1]: has 2 corners",
    }
    DEGENERATE = Hint "x/degenerate-face" "A face has a vertex twice." {
        why: "It has no area and no normal, or an edge that is walked both ways.",
        source: "Geometry.",
        example: "Mesh[0].faces[0]: has vertex 0 twice",
    }
    NORMAL_INDEX = Error "x/normal-out-of-range" "A corner names a normal that is not there." {
        why: "D3DX refuses the mesh; others crash.",
        source: "No such index in 220 real files.",
        example: "Frame[\"root\"].Mesh[0].MeshNormals[0].faceNormals[0]: names normal 9 of 1",
    }
    NORMAL_COUNT = Warning "x/normal-faces" "There are not as many faces of normals as faces." {
        why: "Each corner of each face has a normal. Readers go through both lists side by side.",
        source: "The numbers agree in real files.",
        example: "Frame[\"root\"].Mesh[0].MeshNormals[0].faceNormals: has 1, but there are 3 faces",
    }
    COORD_COUNT = Warning "x/texture-coordinate-count" "There are not as many texture coordinates as vertices." {
        why: "Each vertex has one. Readers drop all of them, or read behind the end.",
        source: "The numbers agree in real files.",
        example: "Frame[\"root\"].Mesh[0].MeshTextureCoords[0].textureCoords: has 2, but there are 4 vertices",
    }
    MATERIAL_INDEX = Error "x/material-out-of-range" "A face names a material that is not there." {
        why: "Readers crash or give the face another material.",
        source: "No such index in 220 real files.",
        example: "Frame[\"root\"].Mesh[0].MeshMaterialList[0].faceIndexes[1]: names material 5 of 2",
    }
    MATERIAL_COUNT = Warning "x/material-count" "A list of materials announces another number than it holds." {
        why: "Readers wait for materials that do not come, or number them wrongly.",
        source: "The numbers agree in real files.",
        example: "Frame[\"root\"].Mesh[0].MeshMaterialList[0].nMaterials: is 2, but it holds 1",
    }
    FACE_INDEXES = Info "x/face-indexes" "There are more material indices than faces, or none." {
        why: "One index applies to one face, the last one also to all faces after it. An index without a face has no meaning; faces \
              without any index get no material or make readers refuse the mesh.",
        source: "109 real files have fewer indices than faces; none seen has more.",
        example: "Frame[\"root\"].Mesh[0].MeshMaterialList[0].faceIndexes: has 4, but there are 3 faces",
    }
    SKIN_COUNT = Warning "x/skin-bone-count" "A skin announces another number of bones than it has." {
        why: "nBones of XSkinMeshHeader is the number of SkinWeights. D3DX takes it to make room.",
        source: "The numbers agree in real files.",
        example: "Frame[\"root\"].Mesh[0].XSkinMeshHeader[0].nBones: is 3, but there are 2 of SkinWeights",
    }
    SKIN_VERTEX = Error "x/skin-vertex-out-of-range" "A weight belongs to a vertex that is not there." {
        why: "D3DX refuses the mesh; others crash.",
        source: "No such index in 220 real files.",
        example: "Frame[\"root\"].Mesh[0].SkinWeights[0].vertexIndices[1]: names vertex 9 of 4",
    }
    SKIN_BONE = Warning "x/unknown-skin-bone" "A skin names a bone that no frame has." {
        why: "The vertices do not move, or the reader refuses the file.",
        source: "Bones are frames, found by name.",
        example: "Frame[\"root\"].Mesh[0].SkinWeights[1].transformNodeName: no frame is called \"hand\"",
    }
    WEIGHT_SUM = Warning "x/weight-sum" "The weights of a vertex are not 1 together." {
        why: "The vertex shrinks towards the origin or flies off. D3DX computes the last weight from the others.",
        source: "D3DX.",
        example: "Frame[\"root\"].Mesh[0]: vertex 0 has weights of 1.5 together",
    }
    MAX_WEIGHTS = Info "x/skin-max-weights" "A vertex has more weights than the skin announces." {
        why: "Readers that make room by nMaxSkinWeightsPerVertex drop the least.",
        source: "D3DX.",
        example: "Frame[\"root\"].Mesh[0].XSkinMeshHeader[0].nMaxSkinWeightsPerVertex: is 1, but a vertex has 2",
    }
    DUPLICATION = Error "x/vertex-duplication" "The list of split vertices does not fit the mesh." {
        why: "It names another vertex for each. Exporters disagree on whether nOriginalVertices bounds the names, so that is no rule.",
        source: "D3DX.",
        example: "Frame[\"root\"].Mesh[0].VertexDuplicationIndices[0].indices: has 1, but there are 4 vertices",
    }
    TARGETLESS = Warning "x/animation-without-frame" "An animation names no frame." {
        why: "Nothing is moved by it.",
        source: "Retained Mode: an animation refers to its frame.",
        example: "AnimationSet[0].Animation[1]: refers to nothing",
    }
    KEY_TYPE = Warning "x/key-type" "The type of keys is none that is known." {
        why: "0 rotation, 1 scale, 2 position, 3 or 4 matrix. Readers refuse others or pass over them.",
        source: "0, 1, 2 and 4 in real files; assimp and Irrlicht take 3 for a matrix.",
        example: "AnimationSet[0].Animation[1].AnimationKey[0].keyType: is 9",
    }
    KEY_VALUES = Error "x/key-values" "A key has another number of values than its type." {
        why: "Rotations have 4, scales and positions 3, matrices 16. Readers lose step.",
        source: "The numbers agree in real files.",
        example: "AnimationSet[0].Animation[0].AnimationKey[0].keys[2]: has 3 values, a rotation has 4",
    }
    KEY_ORDER = Warning "x/key-order" "A key is not later than the one before it." {
        why: "Readers search for the two keys around a time and divide by the time between them.",
        source: "Two tracks of real files go backwards.",
        example: "AnimationSet[0].Animation[0].AnimationKey[0].keys[1].time: 0 follows 0",
    }
    NEGATIVE_TIME = Warning "x/negative-key-time" "A key has a negative time." {
        why: "Times are unsigned in the template. Readers that follow it place the key 4,294,967,295 ticks after the start, and others \
              refuse the text.",
        source: "13 real files have a second key at time -1.",
        example: "AnimationSet[0].Animation[0].AnimationKey[0].keys[3].time: is -1",
    }
    BINARY_LOCATION = Error "x/binary-location" "The location of binary data is wrong." {
        why: "The data of a progressive mesh follow the objects, and an object gives their offset and size in the file. Edits that move the \
              data do not change the offset: set it afterwards.",
        source: "22 real files of the DirectX 7 SDK, in all of which the data end with the file.",
        example: "tokens[8].body.offset: is 999, but the data are at 124",
    }
    ZERO = Warning "x/zero-quaternion" "A rotation is all zero." {
        why: "It is no rotation: the bone collapses, or its matrix becomes NaN.",
        source: "Rotations are unit quaternions w, x, y, z.",
        example: "AnimationSet[0].Animation[0].AnimationKey[0].keys[1]: is all zero",
    }
    UNIT = Info "x/quaternion-not-unit" "A rotation has not length 1." {
        why: "Readers normalise it as a rule.",
        source: "3,124 keys of one real file are off by more than 1 %.",
        example: "AnimationSet[0].Animation[0].AnimationKey[0].keys[0]: has length 2",
    }
    TICKS = Info "x/ticks-twice" "The unit of time is said twice." {
        why: "assimp takes the last, others the first.",
        source: "One real file repeats it.",
        example: "AnimTicksPerSecond[1]: there is one before",
    }
    EXPONENT = Hint "x/exponent" "Numbers are written with exponents." {
        why: "Wine's reader, and old ones of Microsoft, do not take them.",
        source: "84,138 numbers in samples of Blitz3D.",
        example: "tokens: has 1 such number, the first is 1.5e+00",
    }
    SET_NEAR = Warning "x/set-near-name" "A name differs a little from the one that is probably meant." {
        why: NEAR_WHY,
        source: NEAR_SOURCE,
        example: "AnimationSet[0].Animation[0]: \"arm\" is called \"Arm\" in the files",
    }
    SET_REFERENCE = Warning "x/set-unresolved-reference" "A reference leads to nothing in any of the files." {
        why: "The animation moves a frame that the mesh has not.",
        source: "Animations that are kept apart from their mesh refer to frames by name.",
        example: "AnimationSet[0].Animation[1]: \"tail\" is in none of the files",
    }
}
