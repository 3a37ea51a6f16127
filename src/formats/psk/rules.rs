//! The rules for valid PSK and PSA files. The module `check` implements them.

use crate::check::names::{NEAR_SOURCE, NEAR_WHY};
use crate::check::rules;

rules! {
    STAMP = Hint "psk/unknown-stamp" "The version stamp of the first chunk is unknown." {
        why: "The stamps are dates. Epic's readers use the stamp to decide which chunks follow; an unknown later stamp makes them \
              expect chunks that are missing.",
        source: "Epic's exporters, UE Viewer, CUE4Parse; 1,646 real files have 1999801, 2003321, 20100422, 20210917 or 20220723, and animations \
              of ActorX 0, which is the first revision to its readers (Vertebrate.h).",
        example: "chunks[0].type_flag: is 5",
    }
    RESERVED = Hint "psk/reserved" "A reserved field is not zero." {
        why: "Nothing depends on it. It is preserved; it holds uncleared memory or identifies the writer.",
        source: "Epic's exporters; zero in 1,646 real files, except for the padding of wedges in 390 files by one tool, which this rule \
              does not cover.",
        example: "chunks[5].records[1].flags: is 7",
    }
    POLY_FLAGS = Hint "psk/triangle-type" "A material has an unknown triangle type or unknown flags." {
        why: "Known are the types normal, two-sided, translucent, masked, modulated and placeholder, and four flags. Importers ignore \
              everything else.",
        source: "Epic's exporter.",
        example: "chunks[4].records[0].poly_flags: is 0xffffffff",
    }
    MATERIALS = Warning "psk/too-many-materials" "There are more materials than a face can reference." {
        why: "The index in a face has 8 bits, so a face can refer to 256 materials. Some writers let larger indices wrap around: faces get \
              another material.",
        source: "The field has 8 bits; UE Viewer and CUE4Parse truncate larger indices silently.",
        example: "chunks[4]: contains 257 materials, but faces can refer to 256",
    }
    POINTS = Info "psk/many-points" "There are more points than 16-bit indices can reference." {
        why: "The point index of a wedge has 16 bits in Epic's layout, and 32 in that of UE Viewer and later programs. With more than \
              65,536 points old readers use the low half and draw wrong triangles.",
        source: "Epic's exporter; UE Viewer's own loader masks the index.",
        example: "chunks[1]: contains 65537 points",
    }
    UV_NAME = Info "psk/extra-uv-twice" "Two channels of texture coordinates have the same id." {
        why: "Importers that look channels up by id use the first for all. UE Viewer gave every channel the id EXTRAUV0 for some months.",
        source: "UE Viewer, 6 November 2011 to 19 February 2012.",
        example: "chunks[8]: EXTRAUV0 is also the id of chunk 7",
    }
    NORMAL = Info "psk/normal-not-unit" "The length of a normal is not 1." {
        why: "Lighting is too bright or too dark in readers that do not normalise.",
        source: "CUE4Parse writes unit normals.",
        example: "chunks[7].records[0]: has length 0, and 1 more",
    }
    CURVE_NAME = Hint "psk/curve-name" "The id of a chunk of curves does not match its sequence." {
        why: "The id is the name of the sequence, truncated to 14 characters, and :CUR. Readers that match by id instead of order \
              assign the curves to another sequence.",
        source: "Epic's exporter for Maya.",
        example: "chunks[5]: \"Jump:CUR\" belongs to the sequence \"Wave\"",
    }
    NO_POSE = Hint "psk/animation-without-pose" "The bones of an animation file have no reference pose." {
        why: "All their rotations are zero. The mesh has the pose, and some writers omit it here. Programs that show animations without \
              a mesh have no rest pose to fall back on.",
        source: "80 of 794 real files, all by UE Viewer.",
        example: "chunks[1].records[0].orientation: is all zero, and 1 more",
    }
    HIERARCHY = Warning "psk/animation-hierarchy" "The bones of an animation file have a missing parent or form a cycle." {
        why: "The skeleton of the mesh decides, and many writers omit the parents here. Programs that show animations without a mesh \
              hang or crash.",
        source: "UE Viewer writes 0 for all parents; one real file has a cycle.",
        example: "chunks[1].records[1].parent_index: refers to bone 9, but 2 exist",
    }
    RECORD_SIZE = Warning "psk/unknown-record-size" "The record size of a known chunk is unknown." {
        why: "The records are kept as bytes. Readers that assume the usual size read garbage from here on; those that use the size in \
              the header skip the chunk.",
        source: "Several ids exist with more than one size; 1,646 real files have known sizes only.",
        example: "chunks[7]: unknown record size of PNTS0000: 13 bytes",
    }
    ORDER = Info "psk/chunk-order" "The chunks are not in Epic's order." {
        why: "Old readers, the engine's own and Legendary Explorer read chunks by position and misinterpret them.",
        source: "Epic's exporter; Legendary Explorer; CUE4Parse writes the skeleton last since 2023.",
        example: "chunks[11]: REFSKELT follows RAWWEIGHTS",
    }
    TWICE = Info "psk/chunk-twice" "Two chunks have the same id." {
        why: "Some readers use the first, some the last, some both.",
        source: "CUE4Parse writes the head twice since 2023.",
        example: "chunks[8]: PNTS0000 is also the id of chunk 1",
    }
    COUNT = Error "psk/count-disagrees" "The length of a list does not match the points or wedges it belongs to." {
        why: "There is a normal for each point, and a colour or additional texture coordinate for each wedge. Readers that rely on this \
              read beyond the end, or drop the list.",
        source: "Epic's exporter; UE Viewer; CUE4Parse.",
        example: "chunks[7].records: has 2, but there are 4 points",
    }
    COLOR_ORDER = Hint "psk/color-order" "The order of the channels of vertex colours is not certain." {
        why: "ActorX and UE Viewer from October 2019 to January 2020 write blue, green, red, alpha; all other programs write red, green, \
              blue, alpha, which is assumed here. The file does not determine its writer; if the assumption is wrong, red and blue are \
              exchanged.",
        source: "ActorX (Vertebrate.h, VColor); UE Viewer 2a2ca5cb; CUE4Parse e4791960; psk_psa_py.",
        example: "chunks[7]: red, green, blue, alpha are assumed; the writer may be UE Viewer (from September 2020) or ActorX for Maya",
    }
    WEDGE_POINT = Error "psk/wedge-point-out-of-range" "A wedge references a missing point." {
        why: "Readers crash or draw a spike. With up to 65,536 points only the low half of the index is used.",
        source: "No such index in 1,646 real files.",
        example: "chunks[2].records[0].point_index_low: refers to point 9, but 4 exist",
    }
    WEDGE_MATERIAL = Warning "psk/wedge-material-out-of-range" "A wedge references a missing material." {
        why: "The material index of the faces decides, but some importers use that of the wedges.",
        source: "No such index in 1,646 real files.",
        example: "chunks[2].records[1].material_index: refers to material 5, but 2 exist",
    }
    WEDGE_RESIDUE = Info "psk/wedge-residue" "The high half of a wedge's point index is unused and not zero." {
        why: "The original struct has a 16-bit index and two bytes of padding, which hold memory of the writer. Importers that read 32 \
              bits get indices of missing points.",
        source: "390 of 390 meshes by one writer; psk_psa_py decides by the number of points, UE Viewer always masks.",
        example: "chunks[2].records[0].point_index_high: is 0x1ace with 4 points",
    }
    FACE_WEDGE = Error "psk/face-wedge-out-of-range" "A face references a missing wedge." {
        why: "Readers crash or draw a spike.",
        source: "No such index in 1,646 real files.",
        example: "chunks[3].records[0].wedge_indices[2]: refers to wedge 40, but 4 exist",
    }
    OTHER_INDEX = Warning "psk/other-index-out-of-range" "A record of another extractor references a missing wedge or actor." {
        why: "The morph target moves nothing, or the object belongs to no actor.",
        source: "The names and comments of the fields in the other extractor; no real file is known.",
        example: "chunks[1].records[0].parent_index: refers to actor 9, which does not exist",
    }
    FACE_MATERIAL = Error "psk/face-material-out-of-range" "A face references a missing material." {
        why: "Importers fail or give the face another material. Indices above 255 wrap around silently in the extractors.",
        source: "No such index in 1,646 real files.",
        example: "chunks[3].records[1].material_index: refers to material 7, but 2 exist",
    }
    FACE_DIFFERS = Info "psk/face-material-differs" "The material of a face differs from that of its wedges." {
        why: "Extractors share wedges between sections and write the material of the last section. Faces decide; importers that use the \
              wedges show the wrong texture.",
        source: "499 faces in 9 real files.",
        example: "chunks[3].records[1].material_index: is 7, its wedges have 5",
    }
    DEGENERATE = Hint "psk/degenerate-face" "A face uses a wedge twice." {
        why: "It has no area and no normal. Computed tangents become NaN.",
        source: "Geometry.",
        example: "chunks[3].records[1].wedge_indices: 1, 1, 3 are not a triangle",
    }
    WEDGES = Warning "psk/too-many-wedges" "There are more wedges than 16-bit faces can reference." {
        why: "With more than 65,536 wedges, faces need the 32-bit indices of the chunk FACE3200.",
        source: "UE Viewer; Epic's documentation states 65,535.",
        example: "chunks[3]: reaches 65536 of 65537 wedges",
    }
    TEXTURE_INDEX = Hint "psk/texture-index" "The skin slot of a material is not its index." {
        why: "The slot comes from a tag in the name of the material. Importers that sort by slot show materials in another order.",
        source: "2 real files.",
        example: "chunks[4].records[0].texture_index: is 3",
    }
    MATERIAL_NAME = Info "psk/duplicate-material-name" "Two materials have the same name." {
        why: "Importers that look materials up by name merge them.",
        source: "6 real files.",
        example: "chunks[4].records[1].name: \"cloth\" is already the name of element 0",
    }
    BONE_NAME = Warning "psk/duplicate-bone-name" "Two bones have the same name." {
        why: "Mesh and animation are matched by bone name, ignoring case: the second bone never moves, or both use one track.",
        source: "46 real files, 45 of them by one writer.",
        example: "chunks[5].records[2].name: \"root\" is already the name of element 0",
    }
    BONE_BLANKS = Info "psk/bone-name-blanks" "The name of a bone ends with blanks." {
        why: "ActorX for 3ds Max pads names to 31 characters. Importers that compare exactly find no track for the bone.",
        source: "ActorX; UE Viewer's importer and io_scene_psk_psa trim the blanks.",
        example: "chunks[5].records[4].name: \"hand  \"",
    }
    PARENT = Error "psk/parent-out-of-range" "The parent of a bone is missing." {
        why: "A root has its own index, 0 or -1. Readers crash or attach the bone to garbage.",
        source: "No such index in 1,646 real files.",
        example: "chunks[5].records[3].parent_index: refers to bone 9, but 4 exist",
    }
    PARENT_ORDER = Warning "psk/parent-after-child" "A bone precedes its parent." {
        why: "Engines that compute the pose in one pass use the matrix of the parent before it is computed.",
        source: "5 bones in one of 1,646 real files.",
        example: "chunks[5].records[1].parent_index: the parent 2 follows its child 1",
    }
    PARENT_CYCLE = Error "psk/parent-cycle" "A bone is its own ancestor." {
        why: "There is no root to start from; readers hang or overflow their stack.",
        source: "A skeleton is a tree.",
        example: "chunks[5].records[1].parent_index: is its own ancestor",
    }
    CHILDREN = Hint "psk/child-count" "The child count of a bone is wrong." {
        why: "Nothing depends on it. One writer counts all descendants; UE Viewer writes 0 in animations.",
        source: "546 real files.",
        example: "chunks[5].records[0].num_children: is 9, but it has 4",
    }
    ZERO = Warning "psk/zero-quaternion" "A rotation is all zero." {
        why: "This is not a rotation: the bone collapses, or its matrix becomes NaN. UE Viewer writes it for bones without a track in \
              the game.",
        source: "80 real PSA files.",
        example: "chunks[5].records[2].orientation: is all zero",
    }
    UNIT = Warning "psk/quaternion-not-unit" "The length of a rotation quaternion is not 1." {
        why: "Readers that do not normalise scale and shear the bone.",
        source: "581 keys in one real file.",
        example: "chunks[5].records[0].orientation: has length 2",
    }
    WEIGHT_POINT = Error "psk/weight-point-out-of-range" "A weight references a missing point." {
        why: "Weights belong to points, not to wedges; writers that confuse the two produce such indices.",
        source: "No such index in 1,646 real files.",
        example: "chunks[6].records[0].point_index: refers to point 9, but 4 exist",
    }
    WEIGHT_BONE = Error "psk/weight-bone-out-of-range" "A weight references a missing bone." {
        why: "Readers crash, or the point remains at the origin.",
        source: "No such index in 1,646 real files.",
        example: "chunks[6].records[1].bone_index: refers to bone 9, but 5 exist",
    }
    WEIGHT_RANGE = Warning "psk/weight-out-of-range" "A weight is not between 0 and 1." {
        why: "The point is displaced too far; engines that store weights in a byte clamp it.",
        source: "Epic's exporter.",
        example: "chunks[6].records[2].weight: 1.5 is not in 0 to 1",
    }
    WEIGHT_SUM = Warning "psk/weight-sum" "The weights of a point do not sum to 1." {
        why: "The point moves towards the origin or away from it in readers that do not normalise.",
        source: "67 points in one real file.",
        example: "chunks[1].records[0]: has weights that sum to 2.0000002",
    }
    WEIGHT_TWICE = Info "psk/duplicate-weight" "A bone has two weights on the same point." {
        why: "Some importers add them, some use the last.",
        source: "52 real files.",
        example: "chunks[6].records[3]: point 1 and bone 0 already have a weight",
    }
    WEIGHT_ORDER = Hint "psk/weight-order" "The weights are not sorted by point." {
        why: "Readers that expect the weights of a point in sequence lose some.",
        source: "117 real files.",
        example: "chunks[6].records[1].point_index: is 0 after 9, and 1 more",
    }
    INFLUENCES = Info "psk/many-influences" "More than four bones influence a point." {
        why: "Most engines keep the four largest weights.",
        source: "5 real files, 5 to 7 bones.",
        example: "chunks[1].records[0]: is influenced by 6 bones",
    }
    UNWEIGHTED = Warning "psk/point-without-weight" "No bone influences a point of a skinned mesh." {
        why: "The point does not move with the others: the mesh is torn.",
        source: "All skinned real files weight every point in use.",
        example: "chunks[1].records[3]: has no weight",
    }
    UNUSED = Hint "psk/unused-point" "No wedge uses a point." {
        why: "It takes space and is not visible.",
        source: "5 real files.",
        example: "chunks[1].records[2]: is used by no wedge",
    }
    MORPH_COUNT = Error "psk/morph-count" "The morph targets state a different number of points than exist." {
        why: "The points of all targets are stored in sequence: a wrong number shifts the points of all targets after it.",
        source: "CUE4Parse counts empty targets and omits them.",
        example: "chunks[9].records: state 3 points, but 2 exist",
    }
    MORPH_POINT = Error "psk/morph-point-out-of-range" "A morph target references a missing point." {
        why: "Readers crash or move another point.",
        source: "No such index in real files.",
        example: "chunks[10].records[0].point_index: refers to point 9, but 4 exist",
    }
    MORPH_NAME = Warning "psk/duplicate-morph-name" "Two morph targets have the same name." {
        why: "Programs that look morph targets up by name find one of them, or number the second.",
        source: "CUE4Parse; animations refer to morph targets by name.",
        example: "chunks[7].records[1].name: \"smile\" is already the name of element 0",
    }
    MORPH_TWICE = Warning "psk/duplicate-morph-point" "A morph target moves a point twice." {
        why: "Some importers add the two offsets, some use the last.",
        source: "A morph target has one offset for each point.",
        example: "chunks[8].records[1].point_index: is 0 again in the morph target \"smile\"",
    }
    MORPH_CRACK = Warning "psk/morph-crack" "A morph target moves some of the points at one place." {
        why: "The surface is torn open at this place: the points are the two sides of a seam.",
        source: "Issue 106 of CUE4Parse.",
        example: "chunks[7].records[0]: moves 1 of 2 points at one place",
    }
    SOCKET = Warning "psk/unknown-socket-bone" "A socket references a missing bone." {
        why: "What is attached to it remains at the origin. Static meshes have an empty name here.",
        source: "CUE4Parse.",
        example: "chunks[11].records[0].bone_name: no bone is called \"wrist\"",
    }
    SCALE_GATE = Info "psk/scale-chunk" "The version requires a chunk of scale keys, but there is none." {
        why: "Epic's reader expects SCALEKEYS in every file with the stamp 2003321 or later.",
        source: "ActorX; UE Viewer writes an empty one since 2020.",
        example: "chunks[0].type_flag: is 20100422, but no chunk contains scale keys",
    }
    CURVE_GATE = Hint "psk/curve-chunks" "ActorX's version requires blend curves, but there are none." {
        why: "Epic's reader of 2009 expects a chunk for each sequence in files with the stamp 20090127 or later. UE Viewer and CUE4Parse \
              omit them, and no reader of their files misses them.",
        source: "ActorX for Maya; none of 794 real files has such chunks.",
        example: "chunks[0].type_flag: is 20100422, but no chunk contains curves",
    }
    SWITCHED_OFF = Warning "psk/chunk-before-revision" "The version switches off a chunk that the file has." {
        why: "Epic's readers decide by the stamp which chunks follow: they ignore scale keys before the stamp 2003321, and blend curves \
              before 20090127.",
        source: "ActorX (LoadAnimation).",
        example: "chunks[4]: SCALEKEYS needs the stamp 2003321 or later, the file has 1999801",
    }
    SEQUENCE_NAME = Warning "psk/duplicate-sequence-name" "Two sequences have the same name." {
        why: "Importers merge them into one animation, or number the second.",
        source: "Sequences are looked up by name.",
        example: "chunks[2].records[1].name: \"Wave\" is already the name of element 0",
    }
    TOTAL_BONES = Error "psk/bone-count" "The bone count of a sequence differs from that of the file." {
        why: "Keys are stored by frame, then by bone: with another number of bones every key belongs to another bone.",
        source: "The two agree in 794 real files.",
        example: "chunks[2].records[1].total_bones: is 7, but there are 2 bones",
    }
    NEGATIVE = Error "psk/negative-count" "The frame count of a sequence is negative." {
        why: "Readers that allocate memory for each frame fail.",
        source: "Epic's exporter.",
        example: "chunks[2].records[2].num_raw_frames: is -1",
    }
    KEYS = Error "psk/key-count" "The number of keys does not match the sequences." {
        why: "It is the sum of frames times bones. The last sequences lack keys, or keys belong to no sequence. Extractors that run out \
              of memory or of source data stop early.",
        source: "The numbers agree in 794 real files.",
        example: "chunks[3].records: has 10, but the sequences need 27",
    }
    KEY_ORDER = Warning "psk/key-order" "The keys seem to be in the order of the bones." {
        why: "They are in the order of the frames, and in each frame in that of the bones. Readers move each bone by keys of other bones.",
        source: "A translation of the page of the Unreal Developer Network states the order of the bones; all of 385 real files that show \
                 their order have that of the frames.",
        example: "chunks[3].records: the keys are bone by bone, not frame by frame",
        fixable: true,
    }
    SCALE_KEYS = Error "psk/scale-key-count" "The number of scale keys does not match the sequences." {
        why: "There are none, one for each key, or one for each key of the sequences whose scale flag is set. With any other number \
              readers cannot assign them.",
        source: "ActorX; CUE4Parse; the number is reliable, the flags are not.",
        example: "chunks[4].records: has 3, which matches neither all keys nor the flagged sequences",
    }
    KEY_QUOTUM = Warning "psk/key-quotum" "The key count of a sequence is wrong." {
        why: "It is bones times frames. Readers that advance by it read the keys of the next sequences from the wrong place.",
        source: "The numbers agree in 794 real files.",
        example: "chunks[2].records[0].key_quotum: is 5, but 2 bones times 3 frames are 6",
    }
    FIRST_FRAME = Warning "psk/first-frame" "The first frame of a sequence does not follow the previous sequence." {
        why: "Readers that use it read the keys of another sequence; others count for themselves.",
        source: "CUE4Parse before September 2023 wrote the number of frames here (its issue 103).",
        example: "chunks[2].records[1].first_raw_frame: is 2, but 3 frames come before",
    }
    TRACK_TIME = Hint "psk/track-time" "The duration of a sequence is not its number of frames." {
        why: "One writer states seconds. Readers that compute a rate from it play too fast or too slow.",
        source: "359 real files.",
        example: "chunks[2].records[0].track_time: is 0.1 for 3 frames",
    }
    RATE = Warning "psk/rate" "The frame rate of a sequence is not positive." {
        why: "Programs that divide by it get infinity.",
        source: "Rates are positive in 1,368 real sequences.",
        example: "chunks[2].records[0].rate: is 0",
    }
    SCALE_FLAG = Hint "psk/scale-flag" "The scale flag of a sequence contradicts its data." {
        why: "Readers that rely on the flag expect missing keys, or ignore existing ones.",
        source: "359 real files by one writer have the flag without scale keys; one by CUE4Parse has scale keys without the flag.",
        example: "chunks[2].records[0].scale_include: is 1, but there are no scale keys",
    }
    CURVES = Warning "psk/curve-count" "The chunks of curves do not match the sequences." {
        why: "There is a chunk for each sequence, in the same order, with a weight for each frame.",
        source: "ActorX for Maya.",
        example: "chunks[5].records: has weights for 9 frames, the sequence has 3",
    }
    CONFIG_SECTION = Warning "psk/config-section" "The text has no section that readers know." {
        why: "It is probably not a configuration file. Readers ignore everything in it.",
        source: "UE Viewer.",
        example: "tokens: have no section called AnimSet, UseTranslationBoneNames, ForceMeshTranslationBoneNames, RemoveTracks",
    }
    CONFIG_LINE = Warning "psk/config-line" "A line is invalid." {
        why: "Readers ignore it: the track that it should remove remains. The syntax is SEQUENCE.BONE=trans, rot or all.",
        source: "UE Viewer.",
        example: "tokens[2]: \"Wave.x=all\" is not SEQUENCE.BONE=trans, rot or all",
    }
    SET_NEAR = Warning "psk/set-near-name" "A name differs slightly from the one that is probably meant." {
        why: NEAR_WHY,
        source: NEAR_SOURCE,
        example: "chunks[1].records[0].name: \"Top\" is called \"top\" in the mesh",
    }
    SET_STRANGERS = Error "psk/set-strangers" "Mesh and animations have no bone name in common." {
        why: "The animations are for another skeleton: nothing moves.",
        source: "PSK and PSA are matched by bone name.",
        example: "chunks[1].records: have no name in common with the mesh",
    }
    SET_TRACK = Info "psk/set-track-without-bone" "The mesh lacks a bone that has a track." {
        why: "The track has no effect. Animations are often made for the most complete of several skeletons.",
        source: "PSK and PSA are matched by bone name.",
        example: "chunks[1].records[3].name: \"tail\" is not in the mesh",
    }
    SET_STILL = Info "psk/set-bone-without-track" "A bone of the mesh has no track." {
        why: "The bone keeps the pose of the mesh.",
        source: "Epic's description of the format.",
        example: "chunks[1].records: have no track for the mesh's \"root\"",
    }
    SET_ADDITIVE = Info "psk/set-additive" "A sequence seems to be additive." {
        why: "Its keys are differences from another pose. Played alone, all bones collapse into one point.",
        source: "UE Viewer exports additive animations as they are.",
        example: "chunks[2].records[0]: all bones are at one point, like differences from a pose",
    }
    SET_CONFIG = Warning "psk/set-config" "The configuration references a missing sequence or bone." {
        why: "The line has no effect: it belongs to other animations, or a sequence was renamed.",
        source: "UE Viewer.",
        example: "tokens: no sequence is called \"Jump\"",
    }
    WRONG_SIZE = Error "psk/wrong-record-size" "The header of a chunk states a wrong record size." {
        why: "The chunk includes the header of the next one, and nothing after it can be read. The repair writes the correct size if \
              the file is valid with it.",
        source: "UE Viewer from 26 November 2011 to 22 January 2012 wrote 20 for the 18 bytes of FACE3200.",
        example: "chunks[3].data_size: FACE3200 states 20 bytes per record, but its records have 18",
        fixable: true,
    }
    WRONG_COUNT = Error "psk/wrong-record-count" "The header of a chunk states a wrong number of records." {
        why: "The chunk includes the header of the next one, and nothing after it can be read. The repair writes the correct number if \
              the file is valid with it.",
        source: "CUE4Parse counts morph targets and sockets before it omits some.",
        example: "chunks[8].data_count: MRPHINFO states 3 records, but has 2",
        fixable: true,
    }
}
