//! The rules of 3ds Max tutorial streams; `check` implements them.

use crate::check::rules;

rules! {
    BONE_NAME = Warning "max/duplicate-bone-name" "Two bones have the same name." {
        why: "Parents are referenced by name, so names must be unique: children of the second bone are attached to the first.",
        source: "The text of the tutorial.",
        example: "bones[1].name: \"hip\" is already the name of element 0",
    }
    LAST_TWICE = Warning "max/last-bone-twice" "The last bone is stored twice." {
        why: "The tutorial's reader detects the end of the file one record late and repeats the last bone. A program that saves the \
              result stores the duplicate, and animations no longer match the skeleton.",
        source: "The reading loop of the tutorial.",
        example: "bones[2]: repeats the previous bone",
    }
    NAMELESS = Warning "max/nameless-bone" "A bone has no name." {
        why: "No bone can have it as parent, because an empty parent name marks a root.",
        source: "Parents are referenced by name.",
        example: "bones[5].name: is empty",
    }
    PARENT = Error "max/unknown-parent" "The parent of a bone does not exist." {
        why: "The exporter writes the tree below one node, parents first. If a parent is missing, the file is damaged or was read with \
              the wrong matrix size.",
        source: "The tutorial's exporter walks the tree from its root.",
        example: "bones[5].parent_name: no bone is named \"pelvis\"",
    }
    OWN_PARENT = Error "max/own-parent" "A bone is its own parent." {
        why: "The bone is not connected to a root. A public copy of the exporter writes every bone this way.",
        source: "A copy of the tutorial's code from 2013.",
        example: "bones[4].parent_name: is the name of the bone itself",
    }
    PARENT_ORDER = Warning "max/parent-after-child" "A bone precedes its parent." {
        why: "The exporter writes parents first, and readers rely on this order.",
        source: "The tutorial's exporter.",
        example: "bones[2].parent_name: parent 3 follows its child 2",
    }
    PARENT_CYCLE = Error "max/parent-cycle" "A bone is its own ancestor." {
        why: "The bones of the cycle are not connected to a root.",
        source: "A skeleton is a tree.",
        example: "bones[2].parent_name: is its own ancestor",
    }
    ROOTS = Info "max/several-roots" "Several bones have no parent." {
        why: "The exporter starts at a single node. Several roots indicate that files were merged.",
        source: "The tutorial's exporter.",
        example: "bones[1].parent_name: is empty, but bone 0 is already a root",
    }
    MATRIX = Warning "max/singular-matrix" "A matrix is singular." {
        why: "Skinning needs the inverse, which does not exist. The copy of 2013 clears the matrix after setting it.",
        source: "A copy of the tutorial's code from 2013.",
        example: "bones[0].matrix: all axes are zero",
    }
    FLAGS = Hint "max/matrix-flags" "A matrix has unknown flags." {
        why: "3ds Max defines three flags. Other bits indicate that the file was read with the wrong matrix size.",
        source: "The header files of the 3ds Max SDK.",
        example: "bones[0].matrix.flags: are 0x00000010, but only bits 0 to 2 are known",
    }
    FRAMES = Error "max/frame-count" "The matrices do not form complete frames." {
        why: "Each frame has one matrix per bone; the number of bones is not stored. The file is truncated, or was read with the wrong \
              matrix size.",
        source: "The tutorial's exporter.",
        example: "matrices: 7 are not divisible into 3 frames",
    }
    NORMAL = Info "max/normal-not-unit" "A normal is not of unit length." {
        why: "The tutorial's exporter reserves space for normals and never sets them: they are uninitialised memory. Compute normals \
              from the positions.",
        source: "The tutorial's exporter.",
        example: "faces[0].corners[0].normal: has length 185977540, expected 1, and 5 more",
    }
    NEGATIVE = Error "max/negative-count" "The number of frames is negative." {
        why: "Readers that allocate memory for each frame fail.",
        source: "The tutorial's exporter.",
        example: "num_frames: is -1, expected 0 or greater",
    }
    EFFECTIVE = Warning "max/influence-count" "A corner has more influences than it can store." {
        why: "The exporter writes the count that the Skin modifier reports but stores at most four. Exporter and readers overrun the array.",
        source: "The tutorial's exporter does not clamp the count.",
        example: "faces[0].corners[0].num_effective: is 5, expected 0 to 4",
    }
    INFLUENCE_BONE = Info "max/unknown-bone" "An influence has no bone." {
        why: "The exporter writes -1 if it does not find the bone. Readers that use it as an index read before the start of the array.",
        source: "The tutorial's exporter.",
        example: "faces[0].corners[1].influences[0].bone_index: is -1, expected 0 or greater",
    }
    WEIGHT_RANGE = Warning "max/weight-out-of-range" "A weight is outside 0 to 1." {
        why: "The corner is moved away from the mesh.",
        source: "The Skin modifier of 3ds Max.",
        example: "faces[0].corners[2].influences[0].weight: 1.5 is not in 0 to 1",
    }
    WEIGHT_SUM = Info "max/weight-sum" "The weights of a corner do not sum to 1." {
        why: "A smaller sum pulls the corner towards the origin. The exporter does not normalise weights; the reader must.",
        source: "The text of the tutorial.",
        example: "faces[0].corners[2].influences: sum to 2.25, expected 1",
    }
    SET_FRAMES = Error "max/set-bone-count" "An animation has a different number of bones than the skeleton." {
        why: "Matrices are stored in the order of the skeleton's bones, so a different number assigns them to the wrong bones. The \
              animation belongs to another skeleton, or was read with the wrong matrix size.",
        source: "The tutorial's exporter.",
        example: "matrices: have 3 bones per frame, expected 2 as in the skeleton",
    }
    SET_FIRST_FRAME = Info "max/set-first-frame" "No bone is where the skeleton has it in the first frame of an animation." {
        why: "Animations of one character begin with the pose of its skeleton, which is that of the start time. Otherwise the \
              animation belongs to another character with as many bones, begins later, or has other matrices.",
        source: "The text of the tutorial: animations of one character share the skeleton and its first frame.",
        example: "matrices[0]: differs from the skeleton, as those of all bones in the first frame",
    }
    SET_INFLUENCE = Error "max/set-influence-bone-out-of-range" "An influence refers to a bone that the skeleton does not have." {
        why: "The mesh belongs to another skeleton. Readers access memory after the bones.",
        source: "Influences refer to bones by index.",
        example: "faces[0].corners[0].influences[0].bone_index: is 9, but the skeleton has 2 bones",
    }
}
