//! What valid UNIGINE files obey, in words; `check` finds what does not.

use crate::check::names::{NEAR_SOURCE, NEAR_WHY};
use crate::check::rules;

rules! {
    NAME_END = Warning "unigine/name-without-nul" "A name has no NUL at its end." {
        why: "The length of a name counts the NUL. The engine takes the last byte for it, whatever it is, and the name loses a letter.",
        source: "The vendor's page; all names of 1,415 real files end with it.",
        example: "bones[2].name: \"hand\" has no NUL",
    }
    UNUSED = Hint "unigine/unused-vertex" "The last vertices are in no triangle." {
        why: "They cost a little and show nothing. Going by the greatest index, a program may think there are fewer.",
        source: "In every real file the greatest index is the last vertex.",
        example: "geometry[0]!targets[0].vertices: are 100, the triangles use 3",
    }
    UNKNOWN_FLAGS = Hint "unigine/unknown-flags" "A flag is set that nobody knows." {
        why: "It is kept. If it stood for a component, the components behind it would be read from the wrong place.",
        source: "Seven flags in meshes and an10, three in an11; no other in 57 real files.",
        example: "frames[0][2].flags: is 0x0a",
    }
    TREE = Warning "unigine/tree" "A tree of triangles leads to something that is not there." {
        why: "The engine looks for intersections with it: it misses some, or reads behind its lists.",
        source: "Trees of real ms14 files: a node has two children behind it or none, and a stretch of the indices; an index is three times \
                 the number of a triangle.",
        example: "trees[0].data!nodes[0].left: names node 9 of 1",
    }
    MAGIC = Error "unigine/marker" "A mark inside the file is not the file's own." {
        why: "The four letters of the beginning stand again between the parts and at the end; the engine refuses a file without them.",
        source: "1,415 real files; the vendor's description of ms10.",
        example: "tail_id: is ms11, the file begins with ms13",
    }
    PARENT = Error "unigine/parent-out-of-range" "A bone names a parent that is not there." {
        why: "-1 is a root. The engine crashes, or the bone hangs on whatever is there.",
        source: "No such index in 1,415 real files.",
        example: "bones[2].parent: names bone 9 of 3",
    }
    PARENT_ORDER = Hint "unigine/parent-behind-child" "A bone stands in front of its parent." {
        why: "The engine copes; programs that compute the pose in one pass take the parent's transform before it is there.",
        source: "3 real animations.",
        example: "bones[0].parent: the parent 1 follows its child 0",
    }
    PARENT_CYCLE = Error "unigine/parent-cycle" "A bone is above itself." {
        why: "There is no root to start from; readers hang.",
        source: "A skeleton is a tree.",
        example: "bones[0].parent: is above itself",
    }
    BONE_NAME = Warning "unigine/duplicate-bone-name" "Two bones have one name." {
        why: "Mesh and animation meet by name: one of the two never moves.",
        source: "Names are unique in real files.",
        example: "bones[1].name: \"root\" is also the name of 0",
    }
    SURFACE_NAME = Info "unigine/duplicate-surface-name" "Two surfaces have one name." {
        why: "Materials are assigned by the surface's name.",
        source: "The vendor's editor.",
        example: "surfaces[1].name: \"skin\" is also the name of 0",
    }
    ZERO = Warning "unigine/zero-quaternion" "A rotation is all zero." {
        why: "It is no rotation: the bone collapses, or its matrix becomes NaN.",
        source: "Rotations are unit quaternions in real files.",
        example: "transforms[0].rotation: is all zero",
    }
    UNIT = Warning "unigine/quaternion-not-unit" "A rotation has not length 1." {
        why: "The bone is scaled and sheared.",
        source: "Rotations are unit quaternions in real files.",
        example: "transforms[1].rotation: has length 2",
    }
    BOUNDS = Warning "unigine/bounds" "Bounds are turned inside out, or do not hold the vertices." {
        why: "What is outside of its bounds disappears when they leave the screen, and cannot be hit.",
        source: "The engine culls by them. The bounds of nothing, from 1e9 to -1e9, are written into every an10 file.",
        example: "surfaces[0].bounds: do not hold vertex 1",
    }
    TANGENTS = Hint "unigine/tangent-count" "A morph target has another number of tangents than the first." {
        why: "Texture coordinates and colours belong to the tangents of the first; the others must be as many.",
        source: "The vendor's description.",
        example: "geometry[0].targets[1].tangents: has 2, but the first target has 3",
    }
    TARGET_COUNT = Error "unigine/target-count" "A morph target has another number of vertices than the first." {
        why: "Targets are the same vertices in other places; the engine reads behind the shorter list.",
        source: "The vendor's description.",
        example: "geometry[0].targets[1].vertices: has 2, but the first target has 3",
    }
    COUNT = Error "unigine/count-disagrees" "A list has not as many elements as what it belongs to." {
        why: "Weights belong to vertices, texture coordinates and colours to tangents: one for each, or none at all.",
        source: "The numbers agree in 1,415 real files.",
        example: "geometry[0].uv0: has 2, but there are 3 tangents",
    }
    COORDINATE = Error "unigine/vertex-out-of-range" "A corner names a vertex that is not there." {
        why: "The engine crashes or draws a spike to nowhere.",
        source: "The greatest index is the last vertex in every real file.",
        example: "geometry[0].coordinate_indices[2]: names vertex 40 of 3",
    }
    TRIANGLE = Error "unigine/tangent-out-of-range" "A corner names a tangent that is not there." {
        why: "Texture coordinates and colours are found by the same number.",
        source: "The greatest index is the last tangent in every real file.",
        example: "geometry[0].triangle_indices[0]: names tangent 9 of 3",
    }
    CORNERS = Error "unigine/corner-count" "The corners do not make whole triangles." {
        why: "There are as many coordinate indices as triangle indices, three for each triangle.",
        source: "So in 1,415 real files.",
        example: "geometry[0].coordinate_indices: has 7, which make no whole triangles",
    }
    DEGENERATE = Hint "unigine/degenerate-triangle" "A triangle has a vertex twice." {
        why: "It has no area and no normal.",
        source: "Geometry.",
        example: "geometry[0].coordinate_indices[3]: 1, 1, 2 make no triangle",
    }
    INFLUENCES = Error "unigine/many-influences" "More than four bones move a vertex." {
        why: "The engine has room for four.",
        source: "The vendor's description; no more in real files.",
        example: "geometry[0].weights[2]: is moved by 5 bones",
    }
    WEIGHT_BONE = Error "unigine/weight-bone-out-of-range" "A weight names a bone that is not there." {
        why: "The engine crashes, or the vertex stays in the origin.",
        source: "No such index in real files.",
        example: "geometry[0].weights[0].influences[0].bone: names bone 9 of 3",
    }
    WEIGHT_SUM = Warning "unigine/weight-sum" "The weights of a vertex are not 65535 together." {
        why: "The vertex shrinks towards the origin or flies off. Cutting what is behind the point leaves up to 3 less.",
        source: "65,532 to 65,535 in real files.",
        example: "geometry[0].weights[1]: has weights of 30000 together",
    }
    TANGENT_UNIT = Info "unigine/tangent-not-unit" "A tangent basis has not length 1." {
        why: "Lighting is too bright or too dark.",
        source: "Within 1 % in all 960,000 tangents of real files of ms11 and later.",
        example: "geometry[0].targets[1].tangents[0]: has length 0",
    }
    KEY_BONE = Error "unigine/key-bone-out-of-range" "An animation moves a bone that is not there." {
        why: "The engine crashes or moves another bone.",
        source: "No such index in real files.",
        example: "bone_indices[2]: names bone 9 of 1",
    }
    KEY_TWICE = Warning "unigine/duplicate-key-bone" "An animation moves a bone twice." {
        why: "The last of the two wins.",
        source: "Each bone stands once in real files.",
        example: "bone_indices[1]: bone 0 is moved before",
    }
    MASK = Warning "unigine/mask" "A key has not what the mask of its animation says." {
        why: "In the first frame every bone has what the mask has; later ones have less, for what is left out stays as it was. The engine \
              may read a component that is not there.",
        source: "So in all real an10 files.",
        example: "animations[0].frames[0][0].flags: is 0x0f, the mask is 0x4f",
    }
    KEY_UNIT = Warning "unigine/key-not-unit" "The rotation of a key has not length 1." {
        why: "The bone is scaled and sheared.",
        source: "Rotations are unit quaternions in real files.",
        example: "frames[0][0].rotation: has length 0.5",
    }
    FRAMELESS = Info "unigine/no-frames" "An animation has no frames." {
        why: "Nothing moves. Players that divide by the number of frames get infinity.",
        source: "Some real an11 files.",
        example: "frames: is empty",
    }
    OFFSETS = Error "unigine/offset" "An offset does not name the place of its geometry." {
        why: "The engine loads surfaces by it when they are needed, and reads something else.",
        source: "Offsets are right in 45 real ms14 files.",
        example: "offsets[0]: is 4 bytes off",
    }
    PACKED = Error "unigine/packed" "A packed part does not unpack to what its header says." {
        why: "The engine cannot show the surface.",
        source: "All 150 packed parts of real files unpack.",
        example: "geometry[0].data: unpacks to 1330 bytes, not 1331",
    }
    SET_NEAR = Warning "unigine/set-near-name" "A name differs a little from the one that is probably meant." {
        why: NEAR_WHY,
        source: NEAR_SOURCE,
        example: "bones[0].name: \"Root\" is called \"root\" in the mesh",
    }
    SET_STRANGERS = Error "unigine/set-strangers" "Mesh and animation have no bone's name in common." {
        why: "The animation is for another skeleton: nothing moves.",
        source: "The engine finds bones by name.",
        example: "bones: have no name in common with the mesh",
    }
    SET_TRACK = Info "unigine/set-track-without-bone" "An animation has a bone that the mesh has not." {
        why: "It moves nothing. Animations are often made for the fullest skeleton of several.",
        source: "The engine finds bones by name.",
        example: "bones[1].name: \"tail\" is not in the mesh",
    }
    SET_STILL = Info "unigine/set-bone-without-track" "An animation lacks a bone of the mesh." {
        why: "The bone keeps the pose of the mesh.",
        source: "The engine finds bones by name.",
        example: "bones: have no track for the mesh's \"hand\"",
    }
}
