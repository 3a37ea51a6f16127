//! The rules of Inter-Quake Models; `check` applies them.

use crate::check::rules;

rules! {
    NAME = Error "iqm/name-out-of-range" "A name is not in the text." {
        why: "Names are offsets in the text, which ends with a NUL. Readers copy from memory after it.",
        source: "The format's description: each string ends with a 0.",
        example: "sections.meshes[0].material: is 90, but the text has 56 bytes",
    }
    DUPLICATE = Warning "iqm/duplicate-name" "Two joints or two animations have one name." {
        why: "Games look them up by name, and find one of them.",
        source: "Names of bones and of animations are what other files refer to.",
        example: "sections.anims[1].name: \"wave\" is already the name of element 0",
    }
    VERTEX = Error "iqm/vertex-out-of-range" "A triangle or a mesh refers to a vertex that does not exist." {
        why: "Readers crash or draw a spike.",
        source: "The format's description; its own tool.",
        example: "sections.triangles[0][1]: refers to vertex 60, but 4 exist",
    }
    TRIANGLE = Error "iqm/triangle-out-of-range" "A mesh or an edge refers to a triangle that does not exist." {
        why: "Readers crash, or draw from memory after the triangles.",
        source: "The format's description.",
        example: "sections.meshes[0]: refers to triangle 9, but 2 exist",
    }
    OUTSIDE = Warning "iqm/triangle-outside-mesh" "A triangle of a mesh has a vertex of another mesh." {
        why: "Readers that divide the vertices by mesh access memory before or after those of the mesh.",
        source: "The format's description: a mesh has ranges of vertices and of triangles. ioquake3 subtracts the first vertex.",
        example: "sections.triangles[1]: has vertices that mesh 0 does not have",
    }
    NO_MESH = Warning "iqm/triangle-in-no-mesh" "No mesh has a triangle." {
        why: "Readers draw by meshes: the triangle is not drawn.",
        source: "The demo of the format's own tool; raylib.",
        example: "sections.triangles[0]: is in no mesh",
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
    ZERO_ROTATION = Warning "iqm/zero-rotation" "The rotation of a joint is all zero." {
        why: "It is not a rotation: everything that follows the joint collapses or disappears.",
        source: "A rotation is a quaternion of unit length.",
        example: "sections.joints[1].rotate: is all zero",
    }
    ROTATION = Info "iqm/rotation-not-unit" "The rotation of a joint is not of unit length." {
        why: "Readers that do not normalise it scale the bone as well.",
        source: "The format's own tool normalises rotations; other readers differ.",
        example: "sections.joints[0].rotate: has length 2",
    }
    WEIGHT = Warning "iqm/weight-sum" "The weights of a vertex do not add up to 1, which is 255 in bytes." {
        why: "Readers divide bytes by 255 and do not normalise, so that the vertex moves towards the origin or away from it.",
        source: "The format's own tool; raylib.",
        example: "sections.vertex_data_5[0]: sum to 155, expected 255",
    }
    FORMAT = Warning "iqm/vertex-format" "Vertex data is in another format than the recommended one." {
        why: "Readers need not support others: raylib reads all of them as the recommended ones.",
        source: "The format's description names a format and a number of components for each type.",
        example: "sections.vertex_arrays[6]: has 3 components of format ubyte, expected 4 of format ubyte",
    }
    ARRAYS = Warning "iqm/array-order" "Vertex arrays are not in the order of their types, or two have one type." {
        why: "Readers that find an array by its type take one of the two, and the description permits readers that depend on the order.",
        source: "The format's description: arrays are in the order of their types, custom ones last.",
        example: "sections.vertex_arrays[2].kind: texcoord follows texcoord",
    }
    MISSING = Warning "iqm/missing-array" "A model has no positions, texture coordinates or normals, or has joints and no influences." {
        why: "ioquake3 rejects the file. Other readers show nothing, no texture or no light, or do not move the vertices.",
        source: "ioquake3; real models have these arrays.",
        example: "sections.vertex_arrays: the type normal is missing",
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
    RATE = Warning "iqm/frame-rate" "The frame rate of an animation is not positive." {
        why: "Readers that divide by it do not play the animation; others choose a rate.",
        source: "The format's description: frames per second.",
        example: "sections.anims[0].framerate: is 0",
    }
    EXTENSIONS = Warning "iqm/extension-count" "The number of extensions is not that of the extensions that follow each other." {
        why: "Readers that count extensions miss some, or read memory outside the extensions.",
        source: "The format's description: each extension leads to the next one.",
        example: "num_extensions: has 3, but 2 follow each other",
    }
    ALIGNMENT = Warning "iqm/alignment" "A part does not begin at a multiple of 4 bytes, or doubles not at one of 8." {
        why: "Readers access the data as numbers where it is, which is slow or impossible on some processors.",
        source: "The format's description.",
        example: "sections.vertex_arrays: begins at 0x000000cf, and 20 more",
    }
}
