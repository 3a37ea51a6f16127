//! What valid PSK and PSA files obey, in words; `check` finds what does not.

use crate::check::names::{NEAR_SOURCE, NEAR_WHY};
use crate::check::rules;

rules! {
    STAMP = Hint "psk/unknown-stamp" "The version of the first chunk is none that a known program writes." {
        why: "The stamps are dates. Epic's readers decide by it which chunks follow; a number beyond them makes them look for more.",
        source: "Epic's exporters, UE Viewer, CUE4Parse; 1,646 real files have 1999801, 2003321, 20100422, 20210917 or 20220723.",
        example: "chunks[0].type_flag: is 0",
    }
    RESERVED = Hint "psk/reserved" "A field that everyone leaves zero is not." {
        why: "Nothing depends on it. It is kept, and is memory that was not cleared, or the mark of a writer.",
        source: "Epic's exporters; zero in 1,646 real files, but for the padding of wedges in 390 files of one tool, which is no rule.",
        example: "chunks[5].records[1].flags: is 7",
    }
    POLY_FLAGS = Hint "psk/triangle-type" "A material is of a kind of triangle that nobody knows." {
        why: "Normal, two-sided, translucent, masked, modulated and placeholder are known, and four flags. Importers ignore the rest.",
        source: "Epic's exporter.",
        example: "chunks[4].records[0].poly_flags: is 0xffffffff",
    }
    MATERIALS = Warning "psk/too-many-materials" "There are more materials than a face can name." {
        why: "Faces name one of 256. Some writers count on and let the number wrap around: faces get another material.",
        source: "The field has 8 bits; UE Viewer and CUE4Parse cast without a word.",
        example: "chunks[4]: holds 257 materials, faces reach 256",
    }
    POINTS = Info "psk/many-points" "There are more points than old readers can name." {
        why: "The point of a wedge has 16 bits in Epic's layout, and 32 in that of UE Viewer and later programs. Beyond 65,536 points old \
              readers take the lower half and draw something else.",
        source: "Epic's exporter; UE Viewer's own loader masks the index.",
        example: "chunks[1]: holds 65537 points",
    }
    UV_NAME = Info "psk/extra-uv-twice" "Two channels of texture coordinates have one name." {
        why: "Importers that find channels by name take the first for all. UE Viewer wrote EXTRAUV0 in front of each for some months.",
        source: "UE Viewer, 6 November 2011 to 19 February 2012.",
        example: "chunks[8]: EXTRAUV0 is also the id of chunk 7",
    }
    NORMAL = Info "psk/normal-not-unit" "A normal has not length 1." {
        why: "Lighting is too bright or too dark where readers do not normalise.",
        source: "CUE4Parse writes unit normals.",
        example: "chunks[7].records[0]: has length 0, and 1 more",
    }
    CURVE_NAME = Hint "psk/curve-name" "A chunk of curves has another name than its sequence." {
        why: "The name is the sequence's, cut to 14 letters, and :CUR. Readers that go by the name and not by the order give the curves to \
              another sequence.",
        source: "Epic's exporter for Maya.",
        example: "chunks[5]: \"Jump:CUR\" belongs to the sequence \"Wave\"",
    }
    NO_POSE = Hint "psk/animation-without-pose" "The bones of animations have rotations that are all zero." {
        why: "The mesh has the pose; here writers leave it out. A program that shows animations alone has no rest to fall back on.",
        source: "80 of 794 real files, all by UE Viewer.",
        example: "chunks[1].records[0].orientation: is all zero, and 1 more",
    }
    HIERARCHY = Warning "psk/animation-hierarchy" "The bones of animations are above each other, or hang on one that is not there." {
        why: "The skeleton of the mesh decides, and many writers leave out the parents here. Programs that show animations alone hang or \
              crash.",
        source: "UE Viewer writes 0 for all parents; one real file has a circle.",
        example: "chunks[1].records[1].parent_index: names bone 9 of 2",
    }
    RECORD_LENGTH = Warning "psk/record-length" "A chunk of a known id has records of another length." {
        why: "The records are kept as bytes. Readers with the usual length built in lose step; those that go by the header skip the chunk.",
        source: "Several ids exist with more than one length; 1,646 real files have none but the known.",
        example: "chunks[7]: records of PNTS0000 with 13 bytes are not known",
    }
    ORDER = Info "psk/chunk-order" "The chunks stand in another order than Epic's." {
        why: "Old readers, the engine's own and Legendary Explorer go by position and read one chunk for another.",
        source: "Epic's exporter; Legendary Explorer; CUE4Parse writes the skeleton last since 2023.",
        example: "chunks[11]: REFSKELT follows RAWWEIGHTS",
    }
    TWICE = Info "psk/chunk-twice" "A chunk occurs twice." {
        why: "Some readers take the first, some the last, some both.",
        source: "CUE4Parse writes its head twice since 2023.",
        example: "chunks[8]: PNTS0000 is also the id of chunk 1",
    }
    COUNT = Error "psk/count-disagrees" "A list has not as many records as the one it belongs to." {
        why: "Normals belong to points, colours and further texture coordinates to wedges, one for each. Readers that trust this read \
              behind the end, or drop the list.",
        source: "Epic's exporter; UE Viewer; CUE4Parse.",
        example: "chunks[7].records: has 2, but there are 4 points",
    }
    WEDGE_POINT = Error "psk/wedge-point-out-of-range" "A wedge names a point that is not there." {
        why: "Readers crash or draw a spike to nowhere. With 65,536 points or less only the lower half of the number is taken.",
        source: "No such index in 1,646 real files.",
        example: "chunks[2].records[0].point_index_low: names point 9 of 4",
    }
    WEDGE_MATERIAL = Warning "psk/wedge-material-out-of-range" "A wedge names a material that is not there." {
        why: "The faces' own material decides, but some importers look at the wedges.",
        source: "No such index in 1,646 real files.",
        example: "chunks[2].records[1].material_index: names material 5 of 2",
    }
    WEDGE_RESIDUE = Info "psk/wedge-residue" "The upper half of a point's index holds something else." {
        why: "The original struct has 16 bits and two bytes of padding, which hold memory of the writer. Importers that take all 32 bits \
              get points that are not there.",
        source: "390 of 390 meshes of one writer; psk_psa_py decides by the number of points, UE Viewer always masks.",
        example: "chunks[2].records[0].point_index_high: is 0x1ace with 4 points",
    }
    FACE_WEDGE = Error "psk/face-wedge-out-of-range" "A face names a wedge that is not there." {
        why: "Readers crash or draw a spike to nowhere.",
        source: "No such index in 1,646 real files.",
        example: "chunks[3].records[0].wedge_indices[2]: names wedge 40 of 4",
    }
    FACE_MATERIAL = Error "psk/face-material-out-of-range" "A face names a material that is not there." {
        why: "Importers fail or give the face another material. Numbers above 255 wrap silently in the extractors.",
        source: "No such index in 1,646 real files.",
        example: "chunks[3].records[1].material_index: names material 7 of 2",
    }
    FACE_DIFFERS = Info "psk/face-material-differs" "A face has another material than its wedges." {
        why: "Extractors share wedges between sections and write the last section's material. Faces decide; importers that go by wedges \
              show the wrong texture.",
        source: "499 faces in 9 real files.",
        example: "chunks[3].records[1].material_index: is 7, its wedges have 5",
    }
    DEGENERATE = Hint "psk/degenerate-face" "A face has a wedge twice." {
        why: "It has no area and no normal. Computed tangents become NaN.",
        source: "Geometry.",
        example: "chunks[3].records[1].wedge_indices: 1, 1, 3 make no triangle",
    }
    WEDGES = Warning "psk/too-many-wedges" "Faces of 16 bits cannot reach all wedges." {
        why: "Beyond 65,536 wedges the faces must be wide, of the chunk FACE3200.",
        source: "UE Viewer; Epic's text says 65,535.",
        example: "chunks[3]: reaches 65536 of 65537 wedges",
    }
    TEXTURE_INDEX = Hint "psk/texture-index" "A material's skin slot is not its own place in the list." {
        why: "The slot comes from a tag in the material's name. Importers that sort by it show materials in another order.",
        source: "2 real files.",
        example: "chunks[4].records[0].texture_index: is 3",
    }
    MATERIAL_NAME = Info "psk/duplicate-material-name" "Two materials have one name." {
        why: "Importers that find materials by name make one of them.",
        source: "6 real files.",
        example: "chunks[4].records[1].name: \"cloth\" is also the name of 0",
    }
    BONE_NAME = Warning "psk/duplicate-bone-name" "Two bones have one name." {
        why: "Mesh and animation meet by name, whatever the case: the second never moves, or both take one track.",
        source: "46 real files, 45 of them by one writer.",
        example: "chunks[5].records[2].name: \"root\" is also the name of 0",
    }
    BONE_BLANKS = Info "psk/bone-name-blanks" "A bone's name ends with blanks." {
        why: "ActorX for 3ds Max fills names up to 31 characters. Importers that compare exactly find no track for the bone.",
        source: "ActorX; UE Viewer's importer and io_scene_psk_psa cut the blanks off.",
        example: "chunks[5].records[4].name: \"hand  \"",
    }
    PARENT = Error "psk/parent-out-of-range" "A bone names a parent that is not there." {
        why: "A root has its own index, 0 or -1. Readers crash or hang the bone on whatever is there.",
        source: "No such index in 1,646 real files.",
        example: "chunks[5].records[3].parent_index: names bone 9 of 4",
    }
    PARENT_ORDER = Warning "psk/parent-behind-child" "A bone stands in front of its parent." {
        why: "Engines that compute the pose in one pass take the parent's matrix before it is there.",
        source: "5 bones in one of 1,646 real files.",
        example: "chunks[5].records[1].parent_index: the parent 2 stands behind its child 1",
    }
    PARENT_CYCLE = Error "psk/parent-cycle" "A bone is above itself." {
        why: "There is no root to start from; readers hang or overflow their stack.",
        source: "A skeleton is a tree.",
        example: "chunks[5].records[1].parent_index: is above itself",
    }
    CHILDREN = Hint "psk/child-count" "A bone counts its children wrongly." {
        why: "Nothing depends on it. One writer counts all that is below the bone, UE Viewer's animations have 0.",
        source: "546 real files.",
        example: "chunks[5].records[0].num_children: is 9, but it has 4",
    }
    ZERO = Warning "psk/zero-quaternion" "A rotation is all zero." {
        why: "It is no rotation: the bone collapses, or its matrix becomes NaN. UE Viewer writes it where the game has no track.",
        source: "80 real PSA files.",
        example: "chunks[5].records[2].orientation: is all zero",
    }
    UNIT = Warning "psk/quaternion-not-unit" "A rotation has not length 1." {
        why: "Readers that do not normalise scale and shear the bone.",
        source: "581 keys in one real file.",
        example: "chunks[5].records[0].orientation: has length 2",
    }
    WEIGHT_POINT = Error "psk/weight-point-out-of-range" "A weight names a point that is not there." {
        why: "Weights belong to points, not to wedges; writers that mix them up give such numbers.",
        source: "No such index in 1,646 real files.",
        example: "chunks[6].records[0].point_index: names point 9 of 4",
    }
    WEIGHT_BONE = Error "psk/weight-bone-out-of-range" "A weight names a bone that is not there." {
        why: "Readers crash, or the point stays in the origin.",
        source: "No such index in 1,646 real files.",
        example: "chunks[6].records[1].bone_index: names bone 9 of 5",
    }
    WEIGHT_RANGE = Warning "psk/weight-out-of-range" "A weight is not between 0 and 1." {
        why: "The point flies off, or engines that store weights in a byte cut it.",
        source: "Epic's exporter.",
        example: "chunks[6].records[2].weight: 1.5 is not in 0 to 1",
    }
    WEIGHT_SUM = Warning "psk/weight-sum" "The weights of a point are not 1 together." {
        why: "The point shrinks towards the origin or flies off where readers do not normalise.",
        source: "67 points in one real file.",
        example: "chunks[1].records[0]: has weights of 2.0000002 together",
    }
    WEIGHT_TWICE = Info "psk/duplicate-weight" "A bone has two weights on one point." {
        why: "Some importers add them up, some keep the last.",
        source: "52 real files.",
        example: "chunks[6].records[3]: point 1 and bone 0 have a weight before",
    }
    WEIGHT_ORDER = Hint "psk/weight-order" "Weights are not sorted by point." {
        why: "Readers that expect all weights of a point in a row lose some.",
        source: "117 real files.",
        example: "chunks[6].records[1].point_index: is 0 behind 9, and 1 more",
    }
    INFLUENCES = Info "psk/many-influences" "More than four bones move a point." {
        why: "Most engines keep the four greatest.",
        source: "5 real files, 5 to 7 bones.",
        example: "chunks[1].records[0]: is moved by 6 bones",
    }
    UNWEIGHTED = Warning "psk/point-without-weight" "No bone moves a point of a skinned mesh." {
        why: "The point stays where it is while the others move: the mesh is torn.",
        source: "All skinned real files weight every point that is used.",
        example: "chunks[1].records[3]: has no weight",
    }
    UNUSED = Hint "psk/unused-point" "No wedge uses a point." {
        why: "It costs a little and shows nothing.",
        source: "5 real files.",
        example: "chunks[1].records[2]: is used by no wedge",
    }
    MORPH_COUNT = Error "psk/morph-count" "The morph targets announce other numbers of points than there are." {
        why: "All points of all targets stand in a row: a wrong number moves the points of all targets behind it.",
        source: "CUE4Parse leaves empty targets out and counts them.",
        example: "chunks[9].records: announce 3 points together, but there are 2",
    }
    MORPH_POINT = Error "psk/morph-point-out-of-range" "A morph target moves a point that is not there." {
        why: "Readers crash or move another point.",
        source: "No such index in real files.",
        example: "chunks[10].records[0].point_index: names point 9 of 4",
    }
    SOCKET = Warning "psk/unknown-socket-bone" "A socket is on a bone that is not there." {
        why: "What is attached there stays in the origin. An empty name is for static meshes.",
        source: "CUE4Parse.",
        example: "chunks[11].records[0].bone_name: no bone is called \"hand\"",
    }
    SCALE_GATE = Info "psk/scale-chunk" "The version asks for a chunk of scale keys, and there is none." {
        why: "Epic's reader expects SCALEKEYS in every file that is stamped 2003321 or later.",
        source: "ActorX; UE Viewer writes an empty one since 2020.",
        example: "chunks[0].type_flag: is 20100422, but no chunk holds scale keys",
    }
    CURVE_GATE = Hint "psk/curve-chunks" "The version asks for blend curves, and there are none." {
        why: "Epic's reader of 2009 expects a chunk for each sequence in files stamped 20090127 or later. Nobody honours it any more.",
        source: "ActorX for Maya; none of 794 real files has such chunks.",
        example: "chunks[0].type_flag: is 20100422, but no chunk holds curves",
    }
    SEQUENCE_NAME = Warning "psk/duplicate-sequence-name" "Two sequences have one name." {
        why: "Importers make one animation of them, or number the second.",
        source: "Sequences are found by name.",
        example: "chunks[2].records[1].name: \"Wave\" is also the name of 0",
    }
    TOTAL_BONES = Error "psk/bone-count" "A sequence has another number of bones than the file." {
        why: "Keys stand frame by frame and bone by bone: with another number of bones every key belongs to another bone.",
        source: "The two agree in 794 real files.",
        example: "chunks[2].records[1].total_bones: is 7, but there are 2 bones",
    }
    NEGATIVE = Error "psk/negative-count" "A sequence has less than no frames." {
        why: "Readers that allocate a frame each fail.",
        source: "Epic's exporter.",
        example: "chunks[2].records[2].num_raw_frames: is -1",
    }
    KEYS = Error "psk/key-count" "There are not as many keys as frames times bones." {
        why: "The last sequences lack keys, or keys belong to nothing. Extractors that run out of memory or of source data stop early.",
        source: "The numbers agree in 794 real files.",
        example: "chunks[3].records: has 10, but the sequences take 27",
    }
    SCALE_KEYS = Error "psk/scale-key-count" "The number of scale keys fits nothing." {
        why: "There are none, one for each key, or one for each key of the sequences that say so. Readers cannot tell which belongs where.",
        source: "ActorX; CUE4Parse; the number tells, the sequences' own word does not.",
        example: "chunks[4].records: has 3, which fits neither all keys nor the flagged sequences",
    }
    KEY_QUOTUM = Warning "psk/key-quotum" "A sequence counts its keys wrongly." {
        why: "It is bones times frames. Readers that step by it lose step.",
        source: "The numbers agree in 794 real files.",
        example: "chunks[2].records[0].key_quotum: is 5, but 2 bones times 3 frames are 6",
    }
    FIRST_FRAME = Warning "psk/first-frame" "A sequence does not begin where the one before it ends." {
        why: "Readers that go by it take the keys of another sequence; others count on their own.",
        source: "CUE4Parse before September 2023 wrote the number of frames here (its issue 103).",
        example: "chunks[2].records[1].first_raw_frame: is 2, but 3 frames come before",
    }
    TRACK_TIME = Hint "psk/track-time" "A sequence's length is not its number of frames." {
        why: "One writer gives seconds. Readers that compute a rate from it play too fast or too slow.",
        source: "359 real files.",
        example: "chunks[2].records[0].track_time: is 0.1 for 3 frames",
    }
    RATE = Warning "psk/rate" "A sequence has no frames in a second." {
        why: "Programs that divide by it get infinity.",
        source: "Rates are positive in 1,368 real sequences.",
        example: "chunks[2].records[0].rate: is 0",
    }
    SCALE_FLAG = Hint "psk/scale-flag" "A sequence says of its scale keys what is not so." {
        why: "Readers that believe it look for keys that are not there, or pass over keys that are.",
        source: "359 real files of one writer say 1 without any; one by CUE4Parse says 0 with all.",
        example: "chunks[2].records[0].scale_include: is 1, but there are no scale keys",
    }
    CURVES = Warning "psk/curve-count" "The chunks of curves do not fit the sequences." {
        why: "They belong together by their order, a chunk for each sequence, with a weight for each frame.",
        source: "ActorX for Maya.",
        example: "chunks[5].records: has weights for 9 frames, the sequence has 3",
    }
    CONFIG_LINE = Warning "psk/config-line" "A line says nothing that is known." {
        why: "Readers pass over it: the track that it was to remove stays. A line is SEQUENCE.BONE=trans, rot or all.",
        source: "UE Viewer.",
        example: "lexemes[2]: \"Wave.x=all\" is no SEQUENCE.BONE=trans, rot or all",
    }
    SET_NEAR = Warning "psk/set-near-name" "A name differs a little from the one that is probably meant." {
        why: NEAR_WHY,
        source: NEAR_SOURCE,
        example: "chunks[1].records[0].name: \"Top\" is called \"top\" in the mesh",
    }
    SET_STRANGERS = Error "psk/set-strangers" "Mesh and animations have no bone's name in common." {
        why: "The animations are for another skeleton: nothing moves.",
        source: "PSK and PSA meet by the names of bones.",
        example: "chunks[1].records: have no name in common with the mesh",
    }
    SET_TRACK = Info "psk/set-track-without-bone" "A track moves a bone that the mesh has not." {
        why: "It moves nothing. Animations are often made for the fullest skeleton of several.",
        source: "PSK and PSA meet by the names of bones.",
        example: "chunks[1].records[3].name: \"tail\" is not in the mesh",
    }
    SET_STILL = Info "psk/set-bone-without-track" "No track moves a bone of the mesh." {
        why: "The bone keeps the pose of the mesh.",
        source: "Epic's description of the format.",
        example: "chunks[1].records: have no track for the mesh's \"root\"",
    }
    SET_ADDITIVE = Info "psk/set-additive" "A sequence seems to be additive." {
        why: "Its keys are differences to another pose. Played alone, all bones fall into one point.",
        source: "UE Viewer exports additive animations as they are.",
        example: "chunks[2].records[0]: all bones lie in one point, as differences to a pose do",
    }
    SET_CONFIG = Warning "psk/set-config" "The text names something that the animations have not." {
        why: "The line does nothing: it belongs to other animations, or a sequence was renamed.",
        source: "UE Viewer.",
        example: "lexemes: no sequence is called \"Jump\"",
    }
    LYING_LENGTH = Error "psk/lying-length" "A chunk says another length of its records than they have." {
        why: "The chunk swallows the header of the next one, and nothing behind it can be read. `--fix` writes the true length, where the \
              file is sound with it.",
        source: "UE Viewer from 26 November 2011 to 22 January 2012 said 20 for the 18 bytes of FACE3200.",
        example: "chunks[3].data_size: FACE3200 states 20 bytes per record, but its records have 18",
        mended: true,
    }
    LYING_COUNT = Error "psk/lying-count" "A chunk says more records than it has." {
        why: "The chunk swallows the header of the next one, and nothing behind it can be read. `--fix` writes the true number, where the \
              file is sound with it.",
        source: "CUE4Parse counts morph targets and sockets before it leaves some out.",
        example: "chunks[8].data_count: MRPHINFO states 3 records, but has 2",
        mended: true,
    }
}
