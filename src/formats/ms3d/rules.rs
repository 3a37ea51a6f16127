//! The rules of MilkShape 3D files, in words; `check` applies them.

use crate::check::rules;

rules! {
    VERSION = Warning "ms3d/unknown-version" "The version is neither 3 nor 4." {
        why: "Both versions have one layout, and readers that know them refuse any other. Several refuse 3 as well.",
        source: "Specification texts 1.4.0 and 1.8.5; 71 of 71 real files have 4.",
        example: "version: is 5",
    }
    UNKNOWN_FLAGS = Hint "ms3d/unknown-flags" "An unknown flag is set." {
        why: "It is preserved. Strict readers reject the file; one rejects 20 of 71 real files because of known flags. Others \
              misinterpret the bits of a mode.",
        source: "Specification text 1.8.5, the author's viewer, Blender's importer; no real file has such a flag.",
        example: "vertices[0].flags: is 0xff, and 5 more",
    }
    LIMIT = Warning "ms3d/too-many" "A list is longer than the format's own program allows." {
        why: "MilkShape 3D accepts 65,534 vertices and triangles, 255 groups, 128 materials and 128 joints. Readers with signed indices \
              fail earlier. Split the model.",
        source: "Specification text 1.8.5.",
        example: "joints: has 129, at most 128 are allowed",
    }
    VERTEX_JOINT = Error "ms3d/vertex-joint-out-of-range" "A vertex refers to a joint that does not exist." {
        why: "255 means none. Readers that trust any other number read past the end of their skeleton. Deleting joints without renumbering the \
              vertices leaves such numbers.",
        source: "Specification text 1.8.5: boneId is an index, -1 none.",
        example: "vertices[0].bone_id: refers to joint 7, but 5 exist",
    }
    EXTRA_JOINT = Error "ms3d/influence-joint-out-of-range" "An additional influence refers to a joint that does not exist." {
        why: "255 means none. The author's viewer stops at the first such influence; others read past the end of their skeleton.",
        source: "Specification text 1.8.5; the author's viewer.",
        example: "vertex_extra.records[3].bone_ids[0]: refers to joint 9, but 5 exist",
    }
    REFERENCES = Hint "ms3d/wrong-reference-count" "The reference count of a vertex is wrong." {
        why: "The number of corners that use the vertex, modulo 256. Nothing depends on it, and some writers leave all of them zero, \
              which is not reported. A few wrong ones indicate an editor that changed triangles without updating the counts.",
        source: "Exact in 63 of 70 real files, zero in 6, partly wrong in 1.",
        example: "vertices[1].reference_count: is 3, but 2 corners use the vertex",
    }
    TRIANGLE_VERTEX = Error "ms3d/triangle-vertex-out-of-range" "A triangle refers to a vertex that does not exist." {
        why: "Readers crash or draw a spike.",
        source: "Specification text 1.8.5.",
        example: "triangles[0].vertex_indices[1]: refers to vertex 60, but 6 exist",
    }
    DEGENERATE = Hint "ms3d/degenerate-triangle" "A triangle uses a vertex twice." {
        why: "It has no area and no normal. It is not drawn, and tangents computed from it become NaN.",
        source: "Geometry.",
        example: "triangles[1].vertex_indices: 2, 2, 3 is not a triangle",
    }
    NORMAL = Info "ms3d/normal-not-unit" "A normal is not of unit length." {
        why: "Lighting is too bright or too dark where readers do not normalise. A corner with a zero normal is not lit.",
        source: "5 of 70 real files have such normals.",
        example: "triangles[0].vertex_normals[0]: has length 2",
    }
    SMOOTHING = Info "ms3d/smoothing-group-out-of-range" "A smoothing group is greater than 32." {
        why: "MilkShape 3D has 32 groups and 0 for none; readers that shift a bit by the number get another group.",
        source: "Specification text 1.8.5; 255 was seen.",
        example: "triangles[2].smoothing_group: is 255",
    }
    GROUP_TRIANGLE = Error "ms3d/group-triangle-out-of-range" "A group lists a triangle that does not exist." {
        why: "Readers crash, or draw from memory after the triangles.",
        source: "Specification text 1.8.5.",
        example: "groups[0].triangle_indices[2]: refers to triangle 40, but 4 exist",
    }
    GROUP_MATERIAL = Error "ms3d/group-material-out-of-range" "A group refers to a material that does not exist." {
        why: "255 means none. Readers crash, or the group gets another group's texture.",
        source: "Specification text 1.8.5.",
        example: "groups[0].material_index: refers to material 3, but 1 exist",
    }
    UNGROUPED = Warning "ms3d/triangle-in-no-group" "No group lists a triangle." {
        why: "Most readers draw by groups: the triangle is not drawn. MilkShape 3D itself shows it.",
        source: "In all 70 valid real files each triangle is in one group.",
        example: "triangles[3]: is in no group",
    }
    GROUPED_TWICE = Warning "ms3d/triangle-in-two-groups" "A triangle is listed twice." {
        why: "Readers draw it twice, with the materials of both groups where they differ.",
        source: "In all 70 valid real files each triangle is in one group.",
        example: "groups[1].triangle_indices[0]: triangle 1 is already in group 0",
    }
    GROUP_DISAGREES = Warning "ms3d/triangle-group-disagrees" "A triangle refers to a different group than the one that lists it." {
        why: "Some readers use the lists of the groups, others this field; they show different materials.",
        source: "The two agree in all 70 valid real files.",
        example: "triangles[0].group_index: is 7, but group 0 lists it",
    }
    OPACITY = Warning "ms3d/transparency-out-of-range" "A transparency is not between 0 and 1." {
        why: "Despite its name it is opacity: 1 is opaque. Importers that read it inverted make such models invisible.",
        source: "The author's viewer; 0 to 1 in all 89 materials of 71 real files.",
        example: "materials[0].transparency: 100 is not in 0 to 1",
    }
    ALPHA = Hint "ms3d/alpha-differs" "The alpha of a colour differs from the transparency of the material." {
        why: "The author's viewer puts the transparency into all four colours; readers that use the colour's own alpha show another opacity.",
        source: "The author's viewer; all 89 materials of 71 real files agree.",
        example: "materials[0].ambient[3]: is 1, the transparency is 100",
    }
    SHININESS = Info "ms3d/shininess-out-of-range" "A shininess is not between 0 and 128." {
        why: "Fixed-function OpenGL rejects values above 128 and keeps the previous one.",
        source: "Specification text 1.8.5.",
        example: "materials[0].shininess: 1000 is not in 0 to 128",
    }
    ABSOLUTE = Info "ms3d/absolute-path" "A texture path is absolute." {
        why: "It does not exist on other computers, and it reveals the author's directories. Readers drop the directory or show no texture.",
        source: "6 of 89 materials in real files.",
        example: "materials[0].texture: \"C:\\\\models\\\\canvas.png\"",
    }
    FPS = Info "ms3d/frame-rate" "The frame rate is below 1." {
        why: "The author's viewer treats such a rate as 1; programs that divide by it get infinity.",
        source: "The author's viewer; Irrlicht does the same.",
        example: "animation.fps: is 0",
    }
    FRAMES = Warning "ms3d/negative-length" "The number of frames is negative." {
        why: "Readers that allocate memory for each frame fail.",
        source: "Specification text 1.8.5.",
        example: "animation.total_frames: is -1",
    }
    JOINT_NAME = Warning "ms3d/duplicate-joint-name" "Two joints have the same name." {
        why: "Readers look up parents by name and use the first match: children of the second joint are attached to the first.",
        source: "Specification text 1.8.5: names are unique.",
        example: "joints[2].name: \"root\" is already the name of element 0",
    }
    NAMELESS = Warning "ms3d/nameless-joint" "A joint has no name." {
        why: "It cannot have children, because an empty parent name means none.",
        source: "The parent is found by name.",
        example: "joints[3].name: is empty",
    }
    PARENT = Warning "ms3d/unknown-parent" "The parent of a joint does not exist." {
        why: "The author's viewer makes it a root, MM3D rejects the file. The joint and its descendants no longer follow the skeleton. A difference in \
              case is enough for some readers.",
        source: "The author's viewer, MM3D; a parent `none` was seen.",
        example: "joints[2].parent_name: no joint is called \"hip\"",
    }
    PARENT_ORDER = Warning "ms3d/parent-after-child" "A joint precedes its parent." {
        why: "The author's viewer and many engines compute the pose in one pass and use the parent's matrix before it is computed.",
        source: "The author's viewer; parents come first in all 71 real files.",
        example: "joints[0].parent_name: the parent 1 follows its child 0",
    }
    PARENT_CYCLE = Error "ms3d/parent-cycle" "The parents of a joint form a cycle." {
        why: "There is no root to start from; readers hang or overflow their stack.",
        source: "A skeleton is a tree.",
        example: "joints[0].parent_name: is its own ancestor",
    }
    KEY_ORDER = Warning "ms3d/key-order" "A key is not later than the one before it." {
        why: "Readers look up the two keys around a time and divide by their distance: they find the wrong keys, or get infinity.",
        source: "Keys ascend in all real files.",
        example: "joints[1].rotation_keys[2].time: 0.5 follows 1.0416666",
    }
    OFF_FRAME = Hint "ms3d/key-between-frames" "A key is between two frames." {
        why: "MilkShape 3D sets keys on whole frames and cannot show others. Either another program wrote it, or the frame rate was \
              changed and the times were not.",
        source: "Keys of all real files are on whole frames, within a ten-thousandth.",
        example: "joints[1].rotation_keys[1].time: is frame 2.5",
    }
    KEY_END = Info "ms3d/key-after-end" "A key is after the last frame." {
        why: "Players that stop at the number of frames never reach it; others play it.",
        source: "A real file of 300 frames has keys up to 362.",
        example: "joints[1].rotation_keys[2].time: is frame 49 of 48, and 1 more",
    }
    WEIGHT_SCALE = Warning "ms3d/weight-over-100" "A weight is greater than 100." {
        why: "Weights are percentages. Older texts and several writers use 0 to 255 in sub-version 1, which is assumed of such a file. The author's viewer \
              and MilkShape 3D use 0 to 100, and show it wrongly.",
        source: "The author's viewer; specification text 1.8.5; issue 34 of MM3D.",
        example: "vertex_extra.records[2].weights[0]: is 255",
    }
    WEIGHT_SUM = Warning "ms3d/weight-sum" "The weights of a vertex do not sum to 100." {
        why: "The remainder to 100 is the weight of the fourth joint. Without a fourth joint the vertex moves towards the origin; with \
              more than 100 it moves away.",
        source: "2,772 of 2,775 weighted vertices in real files add up; three have 99 without a fourth joint.",
        example: "vertex_extra.records[2].weights: add up to 255, more than 100",
    }
    WEIGHT_JOINTLESS = Info "ms3d/weight-without-joint" "A weight has no joint." {
        why: "That part of the vertex does not move. Occurs in models that are rigged only in part.",
        source: "153 vertices in real files.",
        example: "vertex_extra.records[3].weights[2]: is 30 without a joint",
    }
    WEIGHT_GAP = Warning "ms3d/weight-gap" "A weight follows one that ends the list." {
        why: "The author's viewer stops at the first influence that has no weight or no joint: later influences have no effect.",
        source: "The author's viewer; no such gap in 2,775 weighted vertices of real files.",
        example: "vertex_extra.records[0].weights[2]: is 50 after an influence without weight or joint",
    }
    EXTRA_WORDS = Hint "ms3d/extra-words" "The extra words of a vertex are not zero." {
        why: "They are for custom data, such as colours or engine settings. In most files they are uninitialised memory, which may \
              reveal private data.",
        source: "Specification text 1.8.5; seven real files, in two of them remains of paths.",
        example: "vertex_extra.records[0].extra: is not zero, and 5 more",
    }
    MODEL_COMMENTS = Warning "ms3d/model-comments" "A model has several comments." {
        why: "The count is 0 or 1. Readers that treat it as a flag continue in the middle of the second comment.",
        source: "Specification text 1.8.5.",
        example: "comments.lists.model: has 2, at most 1 is allowed",
    }
    ALPHA_REF = Info "ms3d/alpha-reference" "The alpha reference is not between 0 and 1." {
        why: "Textured pixels are all drawn, or none is.",
        source: "Specification text 1.8.5; 0 and 0.5 in real files.",
        example: "model_extra.settings.alpha_ref: 128 is not in 0 to 1",
    }
    COMMENT_INDEX = Warning "ms3d/comment-out-of-range" "A comment refers to an object that does not exist." {
        why: "Its index is that of a group, material or joint that does not exist. Engines that read their settings from comments lose them.",
        source: "Specification text 1.8.5.",
        example: "comments.lists.groups[1].index: refers to group 9, but 2 exist",
    }
    LOST = Error "ms3d/lost-bytes" "Bytes are missing inside a list." {
        why: "A program that treated the file as text dropped them. Everything after the gap is read from the wrong offsets: importers \
              show a broken model or nothing, some without a message. The gap is located by the records around it: keys lie on whole \
              frames and ascend, indices are in range. Get the file again, in binary mode.",
        source: "A real file of 1.4 MB that lacks the three bytes `<P>`, compared with its intact copy.",
        example: "joints[1].rotation_keys: lacks 3 bytes",
    }
    NO_ANIMATION = Warning "ms3d/no-animation-settings" "The settings of the animation are missing." {
        why: "The rate, the current time and the number of frames, 12 bytes, are between materials and joints, even in a model without \
              joints. The editor reads the joints from wrong offsets. The repair inserts 24 frames per second and the number of frames \
              of the keys.",
        source: "A description of the format has the joints directly after the materials; every real file has the settings.",
        example: "has the joints directly after the materials",
        fixable: true,
    }
    TRANSPARENCY_MODE = Hint "ms3d/transparency-mode" "The transparency mode is ambiguous." {
        why: "In the specification 1 is depth buffer with alpha reference and 2 is sorted triangles; the author's viewer swaps the two. \
              Only 0, simple, is unambiguous.",
        source: "Specification text 1.8.5 against the author's viewer.",
        example: "model_extra.settings.transparency_mode: is 2",
    }
}
