//! What valid streams of the 3ds Max tutorial obey, in words; `check` finds what does not.

use crate::check::rules;

rules! {
    BONE_NAME = Warning "max/duplicate-bone-name" "Two bones have one name." {
        why: "The hierarchy goes by names, which must be unique: children of the second hang on the first.",
        source: "The tutorial's text.",
        example: "bones[1].name: \"hip\" is also the name of 0",
    }
    LAST_TWICE = Warning "max/last-bone-twice" "The last bone is there twice." {
        why: "The text's own reader notices the end of the file too late and takes the last record again. A program that saves what it \
              has read makes that last, and animations no longer fit.",
        source: "The tutorial's reading loop.",
        example: "bones[2]: is the bone before once more",
    }
    NAMELESS = Warning "max/nameless-bone" "A bone has no name." {
        why: "Nothing can hang on it, for an empty parent means none.",
        source: "The hierarchy goes by names.",
        example: "bones[5].name: is empty",
    }
    PARENT = Error "max/unknown-parent" "No bone has the name that another one gives as its parent." {
        why: "The stream holds the tree below one node that was chosen, parents first: a parent that is not there is a broken file, or one \
              read with matrices of another size.",
        source: "The tutorial's exporter walks the tree from its root.",
        example: "bones[5].parent_name: no bone is called \"pelvis\"",
    }
    OWN_PARENT = Error "max/own-parent" "A bone gives its own name as its parent's." {
        why: "There is no root to start from. A public copy of the exporter makes this mistake in every bone.",
        source: "A copy of the tutorial's code of 2013.",
        example: "bones[4].parent_name: is the bone's own name",
    }
    PARENT_ORDER = Warning "max/parent-behind-child" "A bone stands in front of its parent." {
        why: "The exporter writes parents first, and readers rely on it.",
        source: "The tutorial's exporter.",
        example: "bones[2].parent_name: the parent 3 follows its child 2",
    }
    PARENT_CYCLE = Error "max/parent-cycle" "A bone is above itself." {
        why: "There is no root to start from.",
        source: "A skeleton is a tree.",
        example: "bones[2].parent_name: is above itself",
    }
    ROOTS = Info "max/several-roots" "Several bones have no parent." {
        why: "The exporter starts at one node. Files that were joined have several.",
        source: "The tutorial's exporter.",
        example: "bones[1].parent_name: is empty as that of bone 0",
    }
    MATRIX = Warning "max/flat-matrix" "A matrix takes space to a plane, a line or a point." {
        why: "It has no inverse, which skinning needs. The copy of 2013 clears the matrix after it was set.",
        source: "A copy of the tutorial's code of 2013.",
        example: "bones[0].matrix: takes everything to one point",
    }
    FLAGS = Hint "max/matrix-flags" "A matrix has flags beyond those that are known." {
        why: "3ds Max knows three. Others are a sign that matrices have another size.",
        source: "The header files of the 3ds Max SDK.",
        example: "bones[0].matrix.flags: is 0x00000010",
    }
    FRAMES = Error "max/frame-count" "The matrices do not make whole frames." {
        why: "Each frame has a matrix for each bone of a skeleton whose number of bones is not stored. The file is cut, or read with \
              matrices of another size.",
        source: "The tutorial's exporter.",
        example: "matrices: 7 make no 3 frames",
    }
    NORMAL = Info "max/normal-not-unit" "A normal has not length 1." {
        why: "The tutorial's exporter makes room for normals and never computes them: they are what was in memory. Compute them from the \
              corners.",
        source: "The tutorial's exporter.",
        example: "faces[0].corners[0].normal: has length 185977540, and 5 more",
    }
    NEGATIVE = Error "max/negative-count" "There are less than no frames." {
        why: "Readers that allocate a frame each fail.",
        source: "The tutorial's exporter.",
        example: "num_frames: is -1",
    }
    EFFECTIVE = Warning "max/influence-count" "A corner is moved by more bones than it has room for." {
        why: "The exporter writes what the modifier reports and has room for four: it overran its memory, and readers do the same.",
        source: "The tutorial's exporter does not clamp it.",
        example: "faces[0].corners[0].num_effective: is 5",
    }
    INFLUENCE_BONE = Info "max/unknown-bone" "A corner is moved by a bone that was not found." {
        why: "-1 stands for it. Readers that take it for an index read in front of their skeleton.",
        source: "The tutorial's exporter.",
        example: "faces[0].corners[1].influences[0].bone_index: is -1",
    }
    WEIGHT_RANGE = Warning "max/weight-out-of-range" "A weight is not between 0 and 1." {
        why: "The corner flies off.",
        source: "The Skin modifier of 3ds Max.",
        example: "faces[0].corners[2].influences[0].weight: 1.5 is not in 0 to 1",
    }
    WEIGHT_SUM = Info "max/weight-sum" "The weights of a corner are not 1 together." {
        why: "The corner shrinks towards the origin. The exporter does not normalise; the reader has to.",
        source: "The tutorial's text.",
        example: "faces[0].corners[2].influences: are 2.25 together",
    }
    SET_FRAMES = Error "max/set-bone-count" "A frame has not as many bones as the skeleton." {
        why: "Matrices stand in the order of the skeleton's bones: with another number every bone gets another's. The animation is for \
              another skeleton, or matrices have another size.",
        source: "The tutorial's exporter.",
        example: "matrices: have 3 bones in a frame, the skeleton has 2",
    }
    SET_INFLUENCE = Error "max/set-influence-bone-out-of-range" "A corner is moved by a bone that the skeleton has not." {
        why: "The mesh is for another skeleton. Readers read behind their bones.",
        source: "Influences name bones by their index.",
        example: "faces[0].corners[0].influences[0].bone_index: names bone 9 of 2",
    }
}
