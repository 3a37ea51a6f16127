//! What valid Cal3D files obey, in words; `check` finds what does not.

use crate::check::rules;

rules! {
    INVERSE_BIND = Warning "cal3d/inverse-bind" "A bone's way into its own space does not undo its bind pose." {
        why: "Cal3D stores both, and skins with the two of them: in the bind pose the mesh should not move, and here it does. One of the \
              two was edited without the other.",
        source: "The two undo each other in all real skeletons, within a hundred-thousandth of the size.",
        example: "bones[1].local_translation: leads to (0, 1, 0) from the bind pose",
    }
    PACKED_KEYS = Info "cal3d/packed-keys" "Keys are packed as no present library reads them." {
        why: "A flag says so, and the library's own writer and text know the layout; its reader never takes that path and reads plain keys \
              from the packed bytes.",
        source: "The loader and saver of version 1301.",
        example: "track_flags: is 1",
    }
    UNKNOWN_FLAGS = Hint "cal3d/unknown-flags" "A flag is set that nobody knows." {
        why: "It is kept. One flag is known: that keys are packed.",
        source: "The loader and saver of version 1301.",
        example: "track_flags: is 0x80",
    }
    MANY_INFLUENCES = Info "cal3d/many-influences" "More than four bones move a vertex." {
        why: "The library's own software skinning takes any number. Programs that skin on the graphics card take four and drop the rest.",
        source: "One to four in real files.",
        example: "submeshes[0].vertices[0].influences: are 6",
    }
    XML_HEADER = Hint "cal3d/xml-two-roots" "The version stands in an element of its own, in front of the main one." {
        why: "Two elements at the top are no well-formed XML: strict parsers refuse the file. Cal3D's own takes them up to version 1000; \
              later versions are an attribute of the main element.",
        source: "Real files of versions 900 to 1000; XML 1.0.",
        example: "lexemes[0]: stands beside the main element",
    }
    VERSION = Warning "cal3d/version" "The version is older than any that the library reads." {
        why: "All branches refuse files below version 699.",
        source: "The library's loader.",
        example: "version: is 5",
    }
    DIALECT = Warning "cal3d/foreign-dialect" "The file has another layout than its version says." {
        why: "Branches of the library gave one number to different layouts. A reader that goes by the number misreads the file.",
        source: "IMVU's 911 to 919 lie below the main line's 1000 to 1200, and two branches have a 1300.",
        example: "version: is 1300, which is mp1301; the layout is svn1300",
    }
    XML_CONTENT = Error "cal3d/xml-content" "A value is missing or is not a number." {
        why: "The library stops there. Other rules are not checked in such a file.",
        source: "The library's loader.",
        example: "bones[0].rotation[2]: `none` is not a number",
    }
    XML_COUNT = Warning "cal3d/xml-count" "A count differs from the number of elements." {
        why: "The library reads as many elements as the count says: it fails where there are fewer and ignores the rest. Textures of \
              materials are the exception: it reads all of them.",
        source: "The library's loader; 51 real materials have another count.",
        example: "lexemes[6]: SKELETON says NUMBONES 3, but has 1 of BONE",
    }
    PARENT = Error "cal3d/parent-out-of-range" "A bone names a parent that is not there." {
        why: "-1 is a root. The library crashes.",
        source: "No such index in 165 real files.",
        example: "bones[3].parent_id: names bone 77 of 4",
    }
    PARENT_ORDER = Info "cal3d/parent-behind-child" "A bone stands in front of its parent." {
        why: "The library goes by the children and copes; programs that compute the pose in one pass do not.",
        source: "Parents come first in real files.",
        example: "bones[0].parent_id: the parent 1 stands behind its child 0",
    }
    PARENT_CYCLE = Error "cal3d/parent-cycle" "A bone is above itself." {
        why: "There is no root to start from; nothing is posed.",
        source: "A skeleton is a tree.",
        example: "bones[0].parent_id: is above itself",
    }
    CHILD = Error "cal3d/child-out-of-range" "A bone names a child that is not there." {
        why: "The library poses bones from the roots along the children: it crashes.",
        source: "No such index in 165 real files.",
        example: "bones[0].child_ids[0]: names bone 9 of 4",
    }
    CHILD_DISAGREES = Warning "cal3d/child-disagrees" "A bone's child has another parent." {
        why: "The library poses along the children, but takes the transform of the parent.",
        source: "The two agree in 165 real files.",
        example: "bones[1].child_ids[0]: bone 2 has the parent -1",
    }
    BONE_NAME = Warning "cal3d/duplicate-bone-name" "Two bones have one name." {
        why: "Programs that find bones by name find the first.",
        source: "Names are unique in real files.",
        example: "bones[1].name: \"root\" is also the name of 0",
    }
    ZERO = Warning "cal3d/zero-quaternion" "A rotation is all zero." {
        why: "It is no rotation: the bone collapses, or its matrix becomes NaN.",
        source: "Rotations are unit quaternions.",
        example: "tracks[0].keys[2].rotation: is all zero",
    }
    UNIT = Warning "cal3d/quaternion-not-unit" "A rotation has not length 1." {
        why: "The library does not normalise: the bone is scaled and sheared.",
        source: "Rotations are unit quaternions.",
        example: "tracks[0].keys[1].rotation: has length 2",
    }
    DURATION = Warning "cal3d/duration" "An animation has no length." {
        why: "The library divides by it where an animation is repeated.",
        source: "The library's mixer.",
        example: "duration: is 0",
    }
    TRACK_BONE = Error "cal3d/track-bone" "A track moves a bone of a negative number." {
        why: "The library crashes.",
        source: "Indices are never negative in 165 real files.",
        example: "tracks[2].bone_id: is -1",
    }
    TRACK_TWICE = Warning "cal3d/duplicate-track" "Two tracks move one bone." {
        why: "The library blends the two; others take one of them.",
        source: "Each bone has one track in real files.",
        example: "tracks[1].bone_id: bone 0 has a track before",
    }
    TRACK_EMPTY = Info "cal3d/empty-track" "A track has no keys." {
        why: "Some versions of the library crash on it.",
        source: "Every track has keys in real files.",
        example: "tracks[1].keys: is empty",
    }
    KEY_ORDER = Warning "cal3d/key-order" "A key is not later than the one before it." {
        why: "The library looks for the two keys around a moment and divides by the time between them.",
        source: "Keys ascend in real files.",
        example: "tracks[0].keys[1].time: 0.25 comes behind 0.5",
    }
    KEY_END = Info "cal3d/key-behind-end" "A key lies behind the end of the animation." {
        why: "It is never reached.",
        source: "The library's mixer.",
        example: "tracks[0].keys[2].time: 2 is behind the end at 1",
    }
    MATERIAL = Error "cal3d/material-thread" "A submesh names a material of a negative number." {
        why: "The library crashes when a material set is chosen.",
        source: "Indices are never negative in 165 real files.",
        example: "submeshes[0].material_id: is -3",
    }
    LOD = Warning "cal3d/lod-steps" "A submesh has more steps of detail than vertices to take away." {
        why: "The library takes the last vertices away one by one.",
        source: "The library's loader.",
        example: "submeshes[0].num_lod_steps: is 9 with 3 vertices",
    }
    COLLAPSE = Warning "cal3d/collapse-out-of-range" "A vertex falls onto one that is not there." {
        why: "-1 means none. The library reads another vertex's place in memory when detail is taken away.",
        source: "One real mesh of version 900 has such numbers, below -1.",
        example: "submeshes[0].vertices[1].collapse_id: names vertex -842150451 of 3",
    }
    INFLUENCE_BONE = Error "cal3d/influence-bone" "An influence names a bone of a negative number." {
        why: "The library crashes.",
        source: "Indices are never negative in 165 real files.",
        example: "submeshes[0].vertices[0].influences[0].bone_id: is -2",
    }
    UNWEIGHTED = Info "cal3d/vertex-without-influence" "No bone moves a vertex." {
        why: "The library leaves it where it is while the others move.",
        source: "Every vertex of a character has influences in real files.",
        example: "submeshes[0].vertices[2].influences: is empty",
    }
    WEIGHT_RANGE = Warning "cal3d/weight-out-of-range" "A weight is not between 0 and 1." {
        why: "The vertex flies off.",
        source: "The library does not normalise.",
        example: "submeshes[0].vertices[1].influences[0].weight: 1.5 is not in 0 to 1",
    }
    WEIGHT_SUM = Warning "cal3d/weight-sum" "The weights of a vertex are not 1 together." {
        why: "The vertex shrinks towards the origin or flies off: the library does not normalise.",
        source: "The library's physique.",
        example: "submeshes[0].vertices[1].influences: are 1.75 together",
    }
    NORMAL = Info "cal3d/normal-not-unit" "A normal has not length 1." {
        why: "Lighting is too bright or too dark.",
        source: "Normals are of unit length.",
        example: "submeshes[0].vertices[0].normal: has length 0",
    }
    SPRING = Error "cal3d/spring-out-of-range" "A spring holds a vertex that is not there." {
        why: "The library crashes.",
        source: "No such index in real files.",
        example: "submeshes[0].springs[0].vertex_ids[1]: names vertex 9 of 3",
    }
    MORPH = Error "cal3d/morph-vertex-out-of-range" "A morph target moves a vertex that is not there." {
        why: "The library crashes.",
        source: "No such index in real files.",
        example: "submeshes[0].morphs[0].vertices[0].vertex_id: names vertex 9 of 3",
    }
    FACE = Error "cal3d/face-vertex-out-of-range" "A face names a vertex that is not there." {
        why: "Drivers crash or draw a spike to nowhere.",
        source: "No such index in 165 real files.",
        example: "submeshes[0].faces[0].vertex_ids[1]: names vertex 60 of 3",
    }
    DEGENERATE = Hint "cal3d/degenerate-face" "A face has a vertex twice." {
        why: "It has no area and no normal.",
        source: "Geometry.",
        example: "submeshes[0].faces[1].vertex_ids: 1, 1, 2 make no triangle",
    }
    MAP = Info "cal3d/texture-path" "A texture has no name, or a path of its author's disk." {
        why: "It is found nowhere else, and tells something of the author.",
        source: "Exporters write file names alone.",
        example: "maps[0].file: \"C:\\\\models\\\\skin.tga\"",
    }
    MORPH_WEIGHT = Info "cal3d/morph-weight" "A morph target is taken by less than nothing or more than fully." {
        why: "Some players cut it, some show a grimace.",
        source: "0 to 1 in real files.",
        example: "tracks[0].keys[0].weight: 2 is not in 0 to 1",
    }
    SET_TRACK = Error "cal3d/set-track-bone-out-of-range" "A track moves a bone that the skeleton has not." {
        why: "The animation is for another skeleton. The library crashes.",
        source: "Tracks name bones by their index.",
        example: "tracks[0]: names bone 5 of 2",
    }
    SET_INFLUENCE = Error "cal3d/set-influence-bone-out-of-range" "A vertex is moved by a bone that the skeleton has not." {
        why: "The mesh is for another skeleton. The library crashes.",
        source: "Influences name bones by their index.",
        example: "submeshes[0].vertices[0].influences[0].bone_id: names bone 7 of 2",
    }
    SET_MORPH = Warning "cal3d/set-unknown-morph" "A track moves a morph target that no mesh has." {
        why: "It does nothing.",
        source: "IMVU's library finds morph targets by name.",
        example: "tracks[0].morph_name: no mesh has a morph target \"frown\"",
    }
}
