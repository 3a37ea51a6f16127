//! The rules of Cal3D files, in words; `check` applies them.

use crate::check::rules;

rules! {
    INVERSE_BIND = Warning "cal3d/inverse-bind" "A bone's inverse bind transform does not invert its bind pose." {
        why: "Cal3D stores both and skins with both: in the bind pose the mesh must not move, and here it does. One of the two was edited \
              without the other.",
        source: "In all real skeletons the product is the identity, within 0.001 % of the size.",
        example: "bones[1].local_translation: leads to (0, 1, 0) from the bind pose",
    }
    PACKED_KEYS = Info "cal3d/packed-keys" "Keys are packed in a way that no current library reads." {
        why: "The library's writer and its format text define this layout, but its reader ignores the flag and reads plain keys from the \
              packed bytes.",
        source: "The loader and saver of version 1301.",
        example: "track_flags: is 1",
    }
    UNKNOWN_FLAGS = Hint "cal3d/unknown-flags" "An unknown flag is set." {
        why: "It is preserved. The only known flag indicates packed keys.",
        source: "The loader and saver of version 1301.",
        example: "track_flags: is 0x80",
    }
    MANY_INFLUENCES = Info "cal3d/many-influences" "More than four bones influence a vertex." {
        why: "The library's software skinning accepts any number. Programs that skin on the GPU use four and drop the rest.",
        source: "One to four in real files.",
        example: "submeshes[0].vertices[0].influences: has 6",
    }
    XML_HEADER = Hint "cal3d/xml-two-roots" "The version is in an element of its own that precedes the main one." {
        why: "A document with two root elements is not well-formed XML: strict parsers reject the file. Cal3D writes them up to version \
              1000; later versions are an attribute of the main element.",
        source: "Real files of versions 900 to 1000; XML 1.0.",
        example: "tokens[0]: precedes the main element",
    }
    XML_WRAPPER = Warning "cal3d/xml-wrapper" "An element encloses the header and the main element." {
        why: "The library expects the main element at the top of the document and rejects the file.",
        source: "The library's loader; the source of one exporter writes `<ROOT>`.",
        example: "tokens[2]: encloses the main element",
    }
    XML_CASE = Warning "cal3d/xml-case" "The name of the main element is not in capital letters." {
        why: "The library compares names with regard to case. Version 0.11 crashes on such a file.",
        source: "Two exporters write small letters; libcal3d 0.11 was run on their form.",
        example: "tokens[13]: is skeleton, expected SKELETON",
    }
    VERSION = Warning "cal3d/version" "The version is older than any that the library supports." {
        why: "All branches reject versions below 699.",
        source: "The library's loader.",
        example: "version: is 5",
    }
    DIALECT = Warning "cal3d/foreign-dialect" "The layout is not the one that the version indicates." {
        why: "Branches of the library use one number for different layouts. A reader that relies on the number misreads the file.",
        source: "IMVU's 911 to 919 are lower than the main line's 1000 to 1200, and two branches have a 1300.",
        example: "version: is 1300, which is svn1300; the layout is mp1301",
    }
    XML_CONTENT = Error "cal3d/xml-content" "A value is missing or is not a number." {
        why: "The library stops there. Other rules are not checked in such a file.",
        source: "The library's loader.",
        example: "bones[0].rotation[2]: `none` is not a number",
    }
    XML_COUNT = Warning "cal3d/xml-count" "A count differs from the number of elements." {
        why: "The library reads the number of elements that the count states: it fails where there are fewer and ignores the rest. Textures of \
              materials are the exception: it reads all of them.",
        source: "The library's loader; 51 real materials have another count.",
        example: "tokens[6]: SKELETON has 1 BONE, but NUMBONES is 3",
    }
    PARENT = Error "cal3d/parent-out-of-range" "A bone's parent does not exist." {
        why: "-1 is a root. The library crashes.",
        source: "No such index in 165 real files.",
        example: "bones[3].parent_id: refers to bone 77, but 4 exist",
    }
    PARENT_ORDER = Info "cal3d/parent-after-child" "A bone precedes its parent." {
        why: "The library follows the children and handles it; programs that compute the pose in one pass do not.",
        source: "Parents come first in real files.",
        example: "bones[0].parent_id: the parent 1 follows its child 0",
    }
    PARENT_CYCLE = Error "cal3d/parent-cycle" "A bone is its own ancestor." {
        why: "There is no root to start from, so no bone is posed.",
        source: "A skeleton is a tree.",
        example: "bones[0].parent_id: is its own ancestor",
    }
    CHILD = Error "cal3d/child-out-of-range" "A bone's child does not exist." {
        why: "The library poses bones from the roots to the children and crashes.",
        source: "No such index in 165 real files.",
        example: "bones[0].child_ids[0]: refers to bone 9, but 4 exist",
    }
    CHILD_DISAGREES = Warning "cal3d/child-disagrees" "A bone's child has another parent." {
        why: "The library traverses the children, but uses the transform of the parent.",
        source: "The two agree in 165 real files.",
        example: "bones[1].child_ids[0]: bone 2 has the parent -1",
    }
    UNLISTED = Error "cal3d/unlisted-child" "A bone's parent does not list it as a child." {
        why: "The library poses the roots and what they list as their children: the bone and all bones below it stay in the bind pose.",
        source: "The library's core and skeleton classes; the two agree in 165 real files.",
        example: "bones[0].parent_id: bone 1 does not list it as a child",
    }
    BONE_NAME = Warning "cal3d/duplicate-bone-name" "Two bones have the same name." {
        why: "Programs that look up bones by name find only the first.",
        source: "Names are unique in real files.",
        example: "bones[1].name: \"root\" is already the name of element 0",
    }
    ZERO = Warning "cal3d/zero-quaternion" "A rotation is the zero quaternion." {
        why: "It is not a rotation: the bone collapses, or its matrix becomes NaN.",
        source: "Rotations are unit quaternions.",
        example: "tracks[0].keys[2].rotation: is all zero",
    }
    UNIT = Warning "cal3d/quaternion-not-unit" "A rotation is not a unit quaternion." {
        why: "The library does not normalise: the bone is scaled and sheared.",
        source: "Rotations are unit quaternions.",
        example: "tracks[0].keys[1].rotation: has length 2",
    }
    DURATION = Warning "cal3d/duration" "An animation's duration is not positive." {
        why: "The library divides by it when an animation loops.",
        source: "The library's mixer.",
        example: "duration: is 0",
    }
    TRACK_BONE = Error "cal3d/track-bone" "A track has a negative bone index." {
        why: "The library crashes.",
        source: "Indices are never negative in 165 real files.",
        example: "tracks[2].bone_id: is -1",
    }
    TRACK_TWICE = Warning "cal3d/duplicate-track" "Two tracks animate the same bone." {
        why: "The library blends the two; other programs use one of them.",
        source: "Each bone has one track in real files.",
        example: "tracks[1].bone_id: an earlier track animates bone 0",
    }
    TRACK_EMPTY = Info "cal3d/empty-track" "A track has no keys." {
        why: "Some versions of the library crash on it.",
        source: "Every track has keys in real files.",
        example: "tracks[1].keys: is empty",
    }
    KEY_ORDER = Warning "cal3d/key-order" "A key's time does not increase." {
        why: "The library interpolates between two keys and divides by the time between them.",
        source: "Times increase in real files.",
        example: "tracks[0].keys[1].time: 0.25 follows 0.5",
    }
    KEY_END = Info "cal3d/key-after-end" "A key is after the end of the animation." {
        why: "It is never played.",
        source: "The library's mixer.",
        example: "tracks[0].keys[2].time: 2 is after the end at 1",
    }
    MATERIAL = Warning "cal3d/material-thread" "A submesh has a negative material index." {
        why: "No material set can give it a material. Version 0.11 of the library draws it without one; other versions may crash.",
        source: "One real file has -1; all other indices in 525 real files are positive.",
        example: "submeshes[0].material_id: is -3",
    }
    LOD = Warning "cal3d/lod-steps" "A submesh has more levels of detail than vertices to remove." {
        why: "The library removes the last vertices one by one.",
        source: "The library's loader.",
        example: "submeshes[0].num_lod_steps: is 9 with 3 vertices",
    }
    COLLAPSE = Warning "cal3d/collapse-out-of-range" "A vertex collapses onto a vertex that does not exist." {
        why: "-1 means none. The library reads memory of another vertex when it reduces detail.",
        source: "One real mesh of version 900 has such values, below -1.",
        example: "submeshes[0].vertices[1].collapse_id: refers to vertex -842150451, but 3 exist",
    }
    INFLUENCE_BONE = Error "cal3d/influence-bone" "An influence has a negative bone index." {
        why: "The library crashes.",
        source: "Indices are never negative in 165 real files.",
        example: "submeshes[0].vertices[0].influences[0].bone_id: is -2",
    }
    UNWEIGHTED = Info "cal3d/vertex-without-influence" "A vertex has no influences." {
        why: "The library leaves it in place while the others move.",
        source: "Every vertex of a character has influences in real files.",
        example: "submeshes[0].vertices[2].influences: is empty",
    }
    WEIGHT_RANGE = Warning "cal3d/weight-out-of-range" "A weight is outside 0 to 1." {
        why: "The vertex is displaced.",
        source: "The library does not normalise.",
        example: "submeshes[0].vertices[1].influences[0].weight: 1.5 is not in 0 to 1",
    }
    WEIGHT_SUM = Warning "cal3d/weight-sum" "The weights of a vertex do not add up to 1." {
        why: "The vertex moves towards the origin or away from it: the library does not normalise.",
        source: "The library's physique.",
        example: "submeshes[0].vertices[1].influences: add up to 1.75",
    }
    NORMAL = Info "cal3d/normal-not-unit" "A normal is not of unit length." {
        why: "Lighting is too bright or too dark.",
        source: "Normals are of unit length.",
        example: "submeshes[0].vertices[0].normal: has length 0",
    }
    SPRING = Error "cal3d/spring-out-of-range" "A spring's vertex does not exist." {
        why: "The library crashes.",
        source: "No such index in real files.",
        example: "submeshes[0].springs[0].vertex_ids[1]: refers to vertex 9, but 3 exist",
    }
    MORPH = Error "cal3d/morph-vertex-out-of-range" "A morph target moves a vertex that does not exist." {
        why: "The library crashes.",
        source: "No such index in real files.",
        example: "submeshes[0].morphs[0].vertices[0].vertex_id: refers to vertex 9, but 3 exist",
    }
    FACE = Error "cal3d/face-vertex-out-of-range" "A face's vertex does not exist." {
        why: "Drivers crash or draw a spike.",
        source: "No such index in 165 real files.",
        example: "submeshes[0].faces[0].vertex_ids[1]: refers to vertex 60, but 3 exist",
    }
    DEGENERATE = Hint "cal3d/degenerate-face" "A face uses a vertex twice." {
        why: "It has no area and no normal.",
        source: "Geometry.",
        example: "submeshes[0].faces[1].vertex_ids: 1, 1, 2 is not a triangle",
    }
    MAP = Info "cal3d/texture-path" "A texture has no name, or an absolute path." {
        why: "It does not exist on other computers, and it reveals the author's directories.",
        source: "Exporters write file names without a directory.",
        example: "maps[0].file: \"C:\\\\models\\\\skin.tga\"",
    }
    MORPH_WEIGHT = Info "cal3d/morph-weight" "A morph weight is outside 0 to 1." {
        why: "Some players clamp it, others distort the mesh.",
        source: "0 to 1 in real files.",
        example: "tracks[0].keys[0].weight: 2 is not in 0 to 1",
    }
    SET_TRACK = Error "cal3d/set-track-bone-out-of-range" "A track animates a bone that the skeleton does not have." {
        why: "The animation is for another skeleton. The library crashes.",
        source: "Tracks name bones by their index.",
        example: "tracks[0]: refers to bone 5, but 2 exist",
    }
    SET_INFLUENCE = Error "cal3d/set-influence-bone-out-of-range" "A vertex is influenced by a bone that the skeleton does not have." {
        why: "The mesh is for another skeleton. The library crashes.",
        source: "Influences name bones by their index.",
        example: "submeshes[0].vertices[0].influences[0].bone_id: refers to bone 7, but 2 exist",
    }
    SET_MORPH = Warning "cal3d/set-unknown-morph" "A track animates a morph target that no mesh has." {
        why: "It has no effect.",
        source: "IMVU's library looks up morph targets by name.",
        example: "tracks[0].morph_name: no mesh has a morph target \"frown\"",
    }
}
