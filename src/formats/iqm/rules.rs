//! The rules of Inter-Quake Models; `check` applies them.

use crate::check::rules;

rules! {
    NAME = Error "iqm/name-out-of-range" "A name is not in the text." {
        why: "Names are offsets in the text, which ends with a NUL. Readers copy from memory after it.",
        source: "The format's description: each string ends with a 0.",
        example: "sections.meshes[0].material: is 90, but the text has 56 bytes",
    }
    VERTEX = Error "iqm/vertex-out-of-range" "A triangle or a mesh refers to a vertex that does not exist." {
        why: "Readers crash or draw a spike.",
        source: "The format's description; its own tool.",
        example: "sections.triangles[0][1]: refers to vertex 60, but 4 exist",
    }
    TRIANGLE = Error "iqm/triangle-out-of-range" "A mesh or an edge refers to a triangle that does not exist." {
        why: "Readers crash, or draw from memory after the triangles.",
        source: "The format's description.",
        example: "sections.meshes[0]: refers to triangle 8, but 2 exist",
    }
    JOINT = Error "iqm/joint-out-of-range" "A vertex with a weight, a joint or a pose refers to a joint that does not exist." {
        why: "Readers access memory after the joints.",
        source: "The format's description. A negative parent is none.",
        example: "sections.vertex_data_4[1].joints[0]: refers to joint 9, but 3 exist",
    }
    PARENT_ORDER = Error "iqm/parent-after-child" "A joint or a pose precedes its parent." {
        why: "Readers multiply the matrices of parents in the order of the file, and use one that is not computed yet.",
        source: "The demo of the format's own tool; raylib.",
        example: "sections.joints[0].parent: the parent 1 follows its child 0",
    }
    PARENT_CYCLE = Error "iqm/parent-cycle" "A joint or a pose is its own ancestor." {
        why: "The bones of the cycle are not connected to a root.",
        source: "A skeleton is a tree.",
        example: "sections.joints[0].parent: is its own ancestor",
    }
    WEIGHT = Warning "iqm/weight-sum" "The weights of a vertex do not add up to 255." {
        why: "Readers divide them by 255 and do not normalise, so that the vertex moves towards the origin or away from it.",
        source: "The format's own tool; raylib.",
        example: "sections.vertex_data_5[0]: sum to 155, expected 255",
    }
    FORMAT = Warning "iqm/vertex-format" "Vertex data is in another format than the recommended one." {
        why: "Readers need not support others: raylib reads all of them as the recommended ones.",
        source: "The format's description names a format and a number of components for each type.",
        example: "sections.vertex_arrays[6]: has 3 components of format 1, expected 4 of format 1",
    }
    SURPLUS = Warning "iqm/too-many-parts" "There are more vertex arrays or extensions than are decoded." {
        why: "Their data is preserved where it is. An edit that moves it is refused.",
        source: "At most 12 vertex arrays and 3 extensions are decoded; real files have up to 7 and none.",
        example: "sections.vertex_arrays: has 13, and 12 are decoded",
    }
    POSES = Error "iqm/pose-count" "The number of poses is not that of the joints." {
        why: "A pose moves the joint with its index.",
        source: "The format's own tool; ioquake3 rejects such files.",
        example: "sections.poses: has 2, but 3 joints exist",
    }
    CHANNELS = Error "iqm/frame-channels" "The number of values of a frame is not that of the channels of all poses." {
        why: "From the first difference on, readers take the values of one channel for those of another.",
        source: "The format's description: the mask of a pose has a bit for each channel.",
        example: "num_framechannels: has 2, but the poses have 3 channels",
    }
    FRAMES = Error "iqm/frame-out-of-range" "An animation has frames that do not exist." {
        why: "Readers access memory after the frames.",
        source: "The format's description.",
        example: "sections.anims[1]: has frames 2..32, but 3 exist",
    }
    ALIGNMENT = Warning "iqm/alignment" "A part does not begin at a multiple of 4 bytes." {
        why: "Readers access the data as numbers where it is, which is slow or impossible on some processors.",
        source: "The format's description.",
        example: "sections.vertex_arrays: begins at 0x000000cf",
    }
}
