//! The rules of UNIGINE files, in words; `check` applies them.

use crate::check::names::{NEAR_SOURCE, NEAR_WHY};
use crate::check::rules;

rules! {
    NAME_END = Warning "unigine/name-without-nul" "A name does not end with a NUL." {
        why: "The length of a name includes the NUL. The engine drops the last byte, whatever it is, so the name loses a character.",
        source: "The vendor's documentation; every name in 1,415 real files ends with a NUL.",
        example: "bones[2].name: \"hand\" has no NUL",
    }
    UNUSED = Hint "unigine/unused-vertex" "No triangle uses the last vertices." {
        why: "They use memory and are never drawn. A program that derives the number of vertices from the highest index gets a smaller one.",
        source: "In every real file the highest index is the last vertex.",
        example: "geometry[0]!targets[0].vertices: has 100, but triangles use only the first 3",
    }
    UNKNOWN_FLAGS = Hint "unigine/unknown-flags" "An unknown flag is set." {
        why: "It is preserved. If it indicated a further component, the components after it would be read from the wrong offset.",
        source: "Meshes and an10 use seven flags, an11 uses three; 57 real files have no other.",
        example: "frames[0][2].flags: is 0x0a",
    }
    TREE = Warning "unigine/tree" "A triangle tree refers to a node or triangle that does not exist." {
        why: "The engine uses the tree for intersection tests: it misses triangles or reads out of bounds.",
        source: "Trees of real ms14 files: a node has two children after it, or none, and a range of indices; an index is three times a \
                 triangle number.",
        example: "trees[0].data!nodes[0].left: refers to node 9, but 1 exist",
    }
    MAGIC = Error "unigine/marker" "A repeated magic differs from the one at the start of the file." {
        why: "The magic is repeated between the sections and at the end of the file. The engine rejects a file without it.",
        source: "1,415 real files; the vendor's documentation of ms10.",
        example: "tail_id: is ms11, but the file starts with ms13",
        fixable: true,
    }
    PARENT = Error "unigine/parent-out-of-range" "A bone's parent does not exist." {
        why: "-1 is a root. The engine crashes, or attaches the bone to arbitrary memory.",
        source: "No such index in 1,415 real files.",
        example: "bones[2].parent: refers to bone 9, but 3 exist",
    }
    PARENT_ORDER = Hint "unigine/parent-after-child" "A bone precedes its parent." {
        why: "The engine handles it. Programs that compute the pose in one pass use the parent's transform before it is computed.",
        source: "3 real animations.",
        example: "bones[0].parent: the parent 1 follows its child 0",
    }
    PARENT_CYCLE = Error "unigine/parent-cycle" "A bone is its own ancestor." {
        why: "There is no root to start from; readers loop forever.",
        source: "A skeleton is a tree.",
        example: "bones[0].parent: is its own ancestor",
    }
    BONE_NAME = Warning "unigine/duplicate-bone-name" "Two bones have the same name." {
        why: "Animations find bones by name: one of the two never moves.",
        source: "Names are unique in real files.",
        example: "bones[1].name: \"root\" is already the name of element 0",
    }
    SURFACE_NAME = Info "unigine/duplicate-surface-name" "Two surfaces have the same name." {
        why: "Materials are assigned by the surface's name.",
        source: "The vendor's editor.",
        example: "surfaces[1].name: \"skin\" is already the name of element 0",
    }
    ZERO = Warning "unigine/zero-quaternion" "A rotation is the zero quaternion." {
        why: "It is not a rotation: the bone collapses, or its matrix becomes NaN.",
        source: "Rotations are unit quaternions in real files.",
        example: "transforms[0].rotation: is all zero",
    }
    UNIT = Warning "unigine/quaternion-not-unit" "A rotation is not a unit quaternion." {
        why: "The bone is scaled and sheared.",
        source: "Rotations are unit quaternions in real files.",
        example: "transforms[1].rotation: has length 2",
    }
    BOUNDS = Warning "unigine/bounds" "Bounds are inverted, or do not contain the vertices." {
        why: "Vertices outside the bounds disappear when the bounds leave the view, and intersection tests miss them.",
        source: "The engine culls by bounds. Every an10 file has empty bounds, from 1e9 to -1e9, which are not reported.",
        example: "surfaces[0].bounds: do not contain vertex 1",
    }
    TANGENTS = Hint "unigine/tangent-count" "A morph target and the base shape differ in the number of tangents." {
        why: "Texture coordinates and colours belong to the tangents of the base shape; every target needs the same number.",
        source: "The vendor's documentation.",
        example: "geometry[0].targets[1].tangents: has 2, but the first target has 3",
    }
    TARGET_COUNT = Error "unigine/target-count" "A morph target and the base shape differ in the number of vertices." {
        why: "A target moves the vertices of the base shape; the engine reads past the end of the shorter list.",
        source: "The vendor's documentation.",
        example: "geometry[0].targets[1].vertices: has 2, but the first target has 3",
    }
    COUNT = Error "unigine/count-disagrees" "A list differs in length from the list that it belongs to." {
        why: "Weights belong to vertices, texture coordinates and colours to tangents: one for each, or none. Each joint of sk10 has a \
              bind pose and a rest pose.",
        source: "The lengths agree in 1,415 real files.",
        example: "geometry[0].uv0: has 2, but there are 3 tangents",
    }
    COORDINATE = Error "unigine/vertex-out-of-range" "A triangle's vertex does not exist." {
        why: "The engine crashes or draws a spike.",
        source: "The highest index is the last vertex in every real file.",
        example: "geometry[0].coordinate_indices[2]: refers to vertex 40, but 3 exist",
    }
    TRIANGLE = Error "unigine/tangent-out-of-range" "A triangle's tangent does not exist." {
        why: "The same index selects texture coordinates and colours.",
        source: "The highest index is the last tangent in every real file.",
        example: "geometry[0].triangle_indices[0]: refers to tangent 9, but 3 exist",
    }
    CORNERS = Error "unigine/corner-count" "The indices do not form whole triangles." {
        why: "Each triangle has three coordinate indices and three triangle indices.",
        source: "Holds in 1,415 real files.",
        example: "geometry[0].coordinate_indices: has 7, not a multiple of 3",
    }
    DEGENERATE = Hint "unigine/degenerate-triangle" "A triangle uses a vertex twice." {
        why: "It has no area and no normal.",
        source: "Geometry.",
        example: "geometry[0].coordinate_indices[3]: 1, 1, 2 is not a triangle",
    }
    INFLUENCES = Error "unigine/many-influences" "More than four bones influence a vertex." {
        why: "The engine stores four influences for each vertex.",
        source: "The vendor's documentation; at most four in real files.",
        example: "geometry[0].weights[2]: has 5 influences",
    }
    WEIGHT_BONE = Error "unigine/weight-bone-out-of-range" "An influence's bone does not exist." {
        why: "The engine crashes, or the vertex collapses to the origin.",
        source: "No such index in real files.",
        example: "geometry[0].weights[0].influences[0].bone: refers to bone 9, but 3 exist",
    }
    WEIGHT_SUM = Warning "unigine/weight-sum" "The weights of a vertex do not add up to 65535." {
        why: "The vertex moves towards the origin or away from it. Truncation may leave the sum up to 3 short.",
        source: "65,532 to 65,535 in real files.",
        example: "geometry[0].weights[1]: has weights that add up to 30000",
    }
    TANGENT_UNIT = Info "unigine/tangent-not-unit" "A tangent basis is not a unit quaternion." {
        why: "Lighting is too bright or too dark.",
        source: "All 960,000 tangents in real files of ms11 and later are within 1 % of unit length.",
        example: "geometry[0].targets[1].tangents[0]: has length 0",
    }
    KEY_BONE = Error "unigine/key-bone-out-of-range" "An animation refers to a bone that does not exist." {
        why: "The engine crashes or moves another bone.",
        source: "No such index in real files.",
        example: "bone_indices[2]: refers to bone 9, but 1 exist",
    }
    KEY_TWICE = Warning "unigine/duplicate-key-bone" "An animation lists a bone twice." {
        why: "The second one applies.",
        source: "Each bone occurs once in real files.",
        example: "bone_indices[1]: bone 0 is already listed",
    }
    MASK = Warning "unigine/mask" "A key's flags contradict the mask of its animation." {
        why: "In the first frame every key has exactly the components of the mask. Later keys have a subset, because an omitted component \
              keeps its value. The engine may read a component that is missing.",
        source: "Holds in all real an10 files.",
        example: "animations[0].frames[0][0].flags: is 0x0f, but the mask is 0x4f",
    }
    KEY_UNIT = Warning "unigine/key-not-unit" "The rotation of a key is not a unit quaternion." {
        why: "The bone is scaled and sheared.",
        source: "Rotations are unit quaternions in real files.",
        example: "frames[0][0].rotation: has length 0.5",
    }
    RATE = Warning "unigine/frame-rate" "The frame rate of an animation is not positive." {
        why: "Its length is unknown; bindpose assumes 30 frames per second.",
        source: "Arithmetic. The vendor's description of an12.",
        example: "frame_rate: is 0",
    }
    JOINT_VALUES = Error "unigine/joint-values" "A mask, a profile or the settings of retargeting do not have a value for each joint." {
        why: "The engine uses the values of other joints, or none.",
        source: "The vendor's description of sn10.",
        example: "masks[0].values: has 1 values for 2 joints",
    }
    RETARGET = Warning "unigine/retarget-mode" "A joint has an unknown mode of retargeting." {
        why: "The engine knows 0 (the animated translation), 1 (that of the bind pose) and 2 (in proportion).",
        source: "The vendor's description of sn10.",
        example: "retarget[0].mode: is 3",
    }
    FRAMELESS = Info "unigine/no-frames" "An animation has no frames." {
        why: "No bone moves. Players that divide by the number of frames get infinity.",
        source: "Some real an11 files.",
        example: "frames: is empty",
    }
    OFFSETS = Error "unigine/offset" "An offset does not lead to its geometry." {
        why: "The engine uses the offset to load a surface on demand, and reads other data.",
        source: "Offsets are correct in 45 real ms14 files and one ms15 file.",
        example: "offsets[0]: is 4 bytes too high",
    }
    PACKED = Error "unigine/packed" "A packed section cannot be unpacked, or contradicts its header." {
        why: "The engine cannot show the surface.",
        source: "All 150 packed sections of real files unpack.",
        example: "geometry[0].data: unpacks to 1330 bytes, expected 1331",
    }
    SET_NEAR = Warning "unigine/set-near-name" "A bone name differs slightly from one in the mesh or skeleton." {
        why: NEAR_WHY,
        source: NEAR_SOURCE,
        example: "bones[0].name: \"Root\" is called \"root\" in the mesh",
    }
    SET_JOINT = Warning "unigine/set-joint" "A skinned mesh has a joint that the skeleton does not have." {
        why: "Animations move the joints of the skeleton: this one keeps its rest pose.",
        source: "The vendor's description of sk10: meshes share the skeleton that they name.",
        example: "bones[1].name: \"tail\" is not in the skeleton",
    }
    SET_PARENT = Warning "unigine/set-parent" "A joint has another parent than in the skeleton." {
        why: "Transforms are relative to the parent: the joint is placed relative to another one.",
        source: "The vendor's description of sk10 and an12: each has the names and parents of the joints again.",
        example: "bones[2].parent: is \"tail\", but \"root\" in the skeleton",
    }
    SET_SKELETON = Warning "unigine/set-skeleton" "A file names another skeleton than that of the set." {
        why: "The engine loads the skeleton by GUID and path: it finds none, or another one.",
        source: "The vendor's description of sk10 and an12.",
        example: "skeleton.path: is hero/hero.skeleton, but the skeleton is called sn10.skeleton",
    }
    SET_GUID = Warning "unigine/set-guid" "Files of a set name one skeleton by two GUIDs, or two by the same." {
        why: "The engine loads the skeleton by GUID and path: one of the files gets none, or another one.",
        source: "The vendor's description of sk10 and an12.",
        example: "skeleton.guid: is 2, but 1b2c3d4e5f60718293a4b5c6d7e8f90a1b2c3d4e in hero.anim",
    }
    SET_STRANGERS = Error "unigine/set-strangers" "Mesh and animation have no bone name in common." {
        why: "The animation is for another skeleton: no bone moves.",
        source: "The engine finds bones by name.",
        example: "bones: no name occurs in the mesh",
    }
    SET_TRACK = Info "unigine/set-track-without-bone" "An animation has a bone that the mesh does not have." {
        why: "It has no effect. Animations are often made for the most detailed of several skeletons.",
        source: "The engine finds bones by name.",
        example: "bones[1].name: \"tail\" is not in the mesh",
    }
    SET_STILL = Info "unigine/set-bone-without-track" "An animation lacks a bone of the mesh." {
        why: "The bone keeps the pose of the mesh.",
        source: "The engine finds bones by name.",
        example: "bones: no track for the mesh's \"hand\"",
    }
    INT_COUNTS = Warning "unigine/int-counts" "Counts and lengths have 32 bits." {
        why: "They are compact integers of one to five bytes. The engine reads the second byte of each as a part of what follows.",
        source: "A translation of the vendor's page on file formats calls them `int`, which takes 32 bits there; the page itself and every \
                 real file have compact integers.",
        example: "its counts and lengths are integers of 32 bits",
        fixable: true,
    }
    TAIL_EACH = Warning "unigine/tail-each-surface" "The magic that ends a file follows each surface." {
        why: "It is there once, after the last surface. The engine reads the others as the start of the next surface.",
        source: "A translation of the vendor's page on file formats lists it inside the description of a surface; real files with up to 26 \
                 surfaces have it once.",
        example: "the magic follows each surface",
        fixable: true,
    }
    NO_ANIMATIONS = Warning "unigine/no-animation-count" "The number of animations is missing." {
        why: "Meshes of versions ms10 to ms12 have it after the bones, even if it is 0. The engine reads the number of surfaces in its place.",
        source: "Descriptions of meshes without animations omit it; every real file has it.",
        example: "it has no number of animations",
        fixable: true,
    }
}
