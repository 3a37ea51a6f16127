//! Behaviour specific to PSK, PSA and their configuration files.

use bindpose::codec::Format;
use bindpose::formats::psk::*;
use bindpose::schema::{Location, Schema, locate};
use bindpose::wire::{FixedLenList, FixedStr, Rest, Source, Wire};
use bindpose::{ErrorKind, File, FileKind, Options};
use binrw::Endian;

use proptest::prelude::*;

use crate::folders;
use crate::samples::rules::psk::{by_bone, swinging};

fn chunk(id: &str, type_flag: i32, records: Records) -> Chunk {
    Chunk { type_flag, ..Chunk::new(id, records) }
}

fn empty() -> Records {
    Records::Raw(Raw::default())
}

#[test]
fn appending_to_a_chunk_changes_only_its_own_count() {
    let mut file = File::Psk(Box::new(Psk {
        chunks: vec![
            chunk("ACTRHEAD", 20_100_422, Records::Raw(Raw::new(0, 5, Vec::new()).unwrap())),
            chunk("PNTS0000", 7, Records::Points(vec![[1.0; 3]; 2].into())),
        ]
        .into(),
        rest: Rest::default(),
    }));
    let before = file.encode().unwrap();
    file.append("chunks[1].records").unwrap();
    let mut expected = before.clone();
    expected[32 + 28] = 3;
    expected.extend([0; 12]);
    assert_eq!(file.encode().unwrap(), expected);
    file.delete("chunks[1].records[2]").unwrap();
    assert_eq!(file.encode().unwrap(), before);
}

#[test]
fn an_appended_curve_is_as_long_as_the_others() {
    let mut file = Psa::blank_file();
    file.chunks.push(Chunk::new("Walk:CUR", Records::Curves(Curves::new(3))));
    let mut file = File::Psa(Box::new(file));
    let before = file.encode().unwrap();
    file.append("chunks[1].records").unwrap();
    assert_eq!(file.encode().unwrap().len(), before.len() + 128 + 12);
    file.delete("chunks[1].records[0]").unwrap();
    assert_eq!(file.encode().unwrap(), before);
    assert!(file.append("chunks[1].records[0].weights").is_err());
}

fn find(file: &File, path: &str) -> bindpose::Result<Vec<Location>> {
    locate(file.value(), &path.parse()?)
}

#[test]
fn records_are_reached_by_their_kind() {
    let bone = |name: &[u8]| Bone { name: FixedStr::new(name).unwrap(), ..Bone::default() };
    let mut file = Psk::blank_file();
    file.chunks.push(Chunk::new("FACE0000", Records::Faces(Vec::new().into())));
    file.chunks.push(Chunk::new("FACE3200", Records::Faces32(vec![Face32::default()].into())));
    file.chunks.push(Chunk::new("REFSKELT", Records::Bones(vec![bone(b"root"), bone(b"hand")].into())));
    let mut file = File::Psk(Box::new(file));
    for (path, canonical) in [
        ("bones[1].flags", "chunks[3].records[1].flags"),
        ("bones[\"hand\"].flags", "chunks[3].records[1].flags"),
        ("faces[0].material_index", "chunks[2].records[0].material_index"),
    ] {
        let found = find(&file, path).unwrap();
        assert_eq!(found.iter().map(|edit| edit.path.to_string()).collect::<Vec<_>>(), [canonical]);
    }
    assert_eq!(find(&file, "bones[*].flags").unwrap().len(), 2);
    file.set_text("bones[1].flags", "7").unwrap();
    let File::Psk(mesh) = &file else { unreachable!() };
    assert_eq!(mesh.bones()[1].flags, 7);
    assert!(find(&file, "bones[2].flags").is_err(), "the chunk has two bones");
    assert!(find(&file, "materials").is_err(), "no chunk contains materials");
}

#[test]
fn sequences_and_keys_are_reached_by_their_kind() {
    let mut file = Psa::blank_file();
    file.chunks.push(Chunk::new("ANIMINFO", Records::Sequences(vec![Sequence::default()].into())));
    file.chunks.push(Chunk::new("ANIMKEYS", Records::Keys(vec![Key::default()].into())));
    let file = File::Psa(Box::new(file));
    for (path, canonical) in
        [("sequences[0].rate", "chunks[1].records[0].rate"), ("keys[0].time", "chunks[2].records[0].time")]
    {
        assert_eq!(find(&file, path).unwrap()[0].path.to_string(), canonical);
    }
}

#[test]
fn an_id_and_a_record_size_cannot_be_set() {
    let mut file = Psk::blank_file();
    file.chunks.push(Chunk::new("PNTS0000", Records::Points(vec![[0.0; 3]].into())));
    let mut file = File::Psk(Box::new(file));
    for (path, why) in [
        ("chunks[1].id", "decides how `records` is read"),
        ("chunks[1].data_size", "decides how `records` is read"),
        ("chunks[1].data_count", "is the number of elements of `chunks[1].records`"),
    ] {
        let error = file.set_text(path, "1").unwrap_err().to_string();
        assert!(error.contains(why), "{error}");
    }
    file.set_text("chunks[1].records[0].y", "2.5").unwrap();
    file.set_text("chunks[0].type_flag", "0").unwrap();
}

#[test]
fn curves_of_different_lengths_cannot_be_encoded() {
    let mut curves = Curves::new(3);
    let name = FixedStr::default();
    curves.push(Curve { name, weights: FixedLenList::zeros(2) });
    let mut file = Psa::blank_file();
    file.chunks.push(Chunk::new("Walk:CUR", Records::Curves(curves)));
    assert!(file.encode().unwrap_err().to_string().contains("the same length"));
}

#[test]
fn a_mesh_reads_the_same_from_every_record_layout() {
    let packed = PackedWedge { point_index: 70_000, u: 0.25, v: 0.5, material_index: 3 };
    let narrow = Face { wedge_indices: [2, 1, 0], material_index: 4, ..Face::default() };
    let short = ShortMaterial { texture_index: 9, ..ShortMaterial::default() };
    let file = Psk {
        chunks: vec![
            chunk("VTXW3200", 0, Records::PackedWedges(vec![packed].into())),
            chunk("FACE0000", 0, Records::Faces(vec![narrow].into())),
            chunk("MATT0000", 0, Records::ShortMaterials(vec![short].into())),
            chunk("EXTRAUV0", 0, Records::ExtraUvs(vec![[0.0, 1.0]].into())),
            chunk("EXTRAUV0", 0, Records::ExtraUvs(vec![[1.0, 0.0]].into())),
        ]
        .into(),
        rest: Rest::default(),
    };
    let corner = Corner { point_index: 70_000, uv: [0.25, 0.5], material_index: 3 };
    assert_eq!(file.wedges().get(0), Some(corner));
    assert_eq!(file.faces().get(0).map(|face| face.wedge_indices), Some([2, 1, 0]));
    assert_eq!(file.materials().get(0).map(|material| material.texture_index), Some(9));
    assert_eq!(file.extra_uvs().count(), 2);
    assert!(file.wedges().get(1).is_none() && file.points().is_empty());
}

#[test]
fn deltas_are_assigned_to_morph_targets_in_order() {
    let info = |num_vertices| MorphInfo { num_vertices, ..MorphInfo::default() };
    let delta = |point_index| MorphDelta { point_index, ..MorphDelta::default() };
    let file = Psk {
        chunks: vec![
            chunk("MRPHINFO", 0, Records::MorphInfos(vec![info(2), info(-1), info(9)].into())),
            chunk("MRPHDATA", 0, Records::MorphDeltas((0..3).map(delta).collect::<Vec<_>>().into())),
        ]
        .into(),
        rest: Rest::default(),
    };
    let shared: Vec<Vec<i32>> =
        file.morphs().map(|(_, deltas)| deltas.iter().map(|delta| delta.point_index).collect()).collect();
    assert_eq!(shared, [vec![0, 1], vec![], vec![2]]);
}

/// Two sequences of two bones; only the second has the scale flag.
fn walk_and_grow(num_scale_keys: usize) -> Psa {
    let sequence = |first_raw_frame, num_raw_frames, scale_include| Sequence {
        total_bones: 2,
        scale_include,
        first_raw_frame,
        num_raw_frames,
        ..Sequence::default()
    };
    Psa {
        chunks: vec![
            chunk("ANIMHEAD", 2_003_321, empty()),
            chunk("ANIMINFO", 0, Records::Sequences(vec![sequence(0, 3, 0), sequence(3, 1, 1)].into())),
            chunk("ANIMKEYS", 0, Records::Keys(vec![Key::default(); 8].into())),
            chunk("SCALEKEYS", 0, Records::ScaleKeys(vec![ScaleKey::default(); num_scale_keys].into())),
        ]
        .into(),
        rest: Rest::default(),
    }
}

#[test]
fn the_number_of_scale_keys_assigns_them_to_sequences() {
    let shares = |file: &Psa| file.clips().map(|clip| clip.scale_keys.map(<[_]>::len)).collect::<Vec<_>>();
    for (number, expected) in [(0, [None; 2]), (2, [None, Some(2)]), (8, [Some(6), Some(2)]), (5, [None; 2])]
    {
        assert_eq!(shares(&walk_and_grow(number)), expected, "{number} scale keys");
    }
    assert!(matches!(walk_and_grow(5).scale_keys(), ScaleKeys::Unclear(keys) if keys.len() == 5));
}

#[test]
fn keys_are_stored_by_frame_then_by_bone() {
    let file = walk_and_grow(0);
    let ranges: Vec<_> = file.sequences().iter().map(Sequence::key_range).collect();
    assert_eq!(ranges, [Some(0..6), Some(6..8)]);
    let beyond = Sequence { first_raw_frame: 4, ..file.sequences()[1].clone() };
    assert_eq!(file.keys_of(&beyond), None);
    let negative = Sequence { num_raw_frames: -1, ..file.sequences()[1].clone() };
    assert_eq!(negative.key_range(), None);
}

#[test]
fn the_sidecar_lists_removed_tracks() {
    let text =
        b"stray\n\n[AnimSet]\r\nbAnimRotationOnly=1\r\n[UseTranslationBoneNames]\nb_root\nBip01 Head\n\
        [removetracks]\nRun.v1 Fast.7=rot\nRun.8=nothing\nRun=all\n[Other]\nx=y";
    let file = PsaConfig::decode(text).unwrap();
    assert_eq!(file.rotation_only(), Some(true));
    assert_eq!(file.translated_bones().collect::<Vec<_>>(), [&b"b_root"[..], b"Bip01 Head"]);
    assert_eq!(file.mesh_translated_bones().count(), 0);
    let removed = RemovedTrack { sequence: b"Run.v1 Fast", bone_index: 7, part: TrackPart::Rotation };
    assert_eq!(file.removed_tracks().collect::<Vec<_>>(), [removed]);
    assert_eq!(file.sections().count(), 4);
    assert_eq!(file.encode().unwrap(), text);
}

#[test]
fn writers_are_recognised_by_stamps_and_chunks() {
    let stamped = |stamp, everywhere: bool, ids: &[&str]| -> Vec<Chunk> {
        ids.iter()
            .enumerate()
            .map(|(index, id)| chunk(id, if everywhere || index == 0 { stamp } else { 0 }, empty()))
            .collect()
    };
    let guess = |chunks: Vec<Chunk>| {
        let file = Psk { chunks: chunks.into(), rest: Rest::default() };
        file.writer().unwrap_or("nobody")
    };
    let plain = ["ACTRHEAD", "PNTS0000", "REFSKELT", "RAWWEIGHTS"];
    for (stamp, everywhere, ids, expected) in [
        (2_003_321, false, &plain[..], "ActorX for 3ds Max"),
        (20_100_422, false, &plain[..], "UE Viewer (from September 2020) or ActorX for Maya"),
        (20_100_422, false, &["ANIMHEAD", "SCALEKEYS"][..], "UE Viewer (from September 2020)"),
        (20_100_422, true, &plain[..], "UE Viewer (2019 to September 2020)"),
        (20_220_723, false, &plain[..], "CUE4Parse (2022 to 2023)"),
        (20_220_723, false, &["ACTRHEAD", "ACTRHEAD"][..], "CUE4Parse (after 2023)"),
        (20_220_723, false, &["ACTRHEAD", "REFSKELT"][..], "CUE4Parse (after 2023)"),
        (20_210_917, false, &plain[..], "UE Viewer (floxay's fork)"),
        (20_210_917, false, &["ACTRHEAD", "REFSKEL0"][..], "Snuggle"),
        (1_999_801, true, &["ANIMHEAD", "SCALEKEYS"][..], "unidentified tool (Harry Potter 2)"),
        (
            1_999_801,
            true,
            &["ACTRHEAD", "EXTRAUV0", "EXTRAUV0"][..],
            "UE Viewer (November 2011 to February 2012)",
        ),
        (1_999_801, true, &["ACTRHEAD", "EXTRAUV0", "EXTRAUV1"][..], "io_scene_psk_psa or psk_psa_py"),
        (5, false, &plain[..], "nobody"),
        (0, false, &plain[..], "nobody"),
    ] {
        assert_eq!(guess(stamped(stamp, everywhere, ids)), expected, "{stamp} {ids:?}");
    }
    let bone = |stamp, everywhere, bone: Bone| {
        let mut chunks = stamped(stamp, everywhere, &plain[..2]);
        chunks.push(Chunk {
            type_flag: chunks[1].type_flag,
            ..chunk("REFSKELT", 0, Records::Bones(vec![bone].into()))
        });
        guess(chunks)
    };
    let name = FixedStr::new(format!("{:31}", "Bone01").as_bytes()).expect("a short name");
    for (stamp, everywhere) in [(0, true), (1_999_801, true), (2_003_321, false)] {
        let padded = Bone { name, ..Bone::default() };
        assert_eq!(bone(stamp, everywhere, padded), "ActorX for 3ds Max", "{stamp}");
    }
    let sized = Bone { length: 1.0, size: [1.0; 3], ..Bone::default() };
    assert_eq!(bone(20_210_917, false, sized), "bindpose");
}

/// Asserts that a record reads and writes the same bytes in a block and field by field.
fn assert_block_equals_fields<T>()
where
    T: Schema + Wire,
{
    let size = T::FIXED.unwrap();
    let bytes: Vec<u8> = (0..=u8::MAX).cycle().skip(0x7f).step_by(37).take(size).collect();
    let by_fields = T::read_options(&mut Source::new(&bytes), Endian::Little, ()).unwrap();
    let (mut from_block, mut from_fields) = (vec![0; size], vec![0; size]);
    T::get(&bytes).put(&mut from_block);
    by_fields.put(&mut from_fields);
    let mut written = std::io::Cursor::new(Vec::new());
    T::get(&bytes).write_options(&mut written, Endian::Little, ()).unwrap();
    assert!(from_block == bytes && from_fields == bytes && written.into_inner() == bytes);
}

#[test]
fn every_record_reads_the_same_in_a_block_and_alone() {
    assert_block_equals_fields::<Wedge>();
    assert_block_equals_fields::<PackedWedge>();
    assert_block_equals_fields::<Face>();
    assert_block_equals_fields::<Face32>();
    assert_block_equals_fields::<Material>();
    assert_block_equals_fields::<ShortMaterial>();
    assert_block_equals_fields::<Bone>();
    assert_block_equals_fields::<Weight>();
    assert_block_equals_fields::<VertexColor>();
    assert_block_equals_fields::<MorphInfo>();
    assert_block_equals_fields::<MorphDelta>();
    assert_block_equals_fields::<Socket>();
    assert_block_equals_fields::<Sequence>();
    assert_block_equals_fields::<Key>();
    assert_block_equals_fields::<ScaleKey>();
    assert_block_equals_fields::<TrackFlags>();
    assert_block_equals_fields::<MorphTarget>();
    assert_block_equals_fields::<PhysicsBody>();
    assert_block_equals_fields::<ShapeElement>();
    assert_block_equals_fields::<SparseSequence>();
    assert_block_equals_fields::<SparseSequence68>();
    assert_block_equals_fields::<PositionKey>();
    assert_block_equals_fields::<RotationKey>();
    assert_block_equals_fields::<WorldActor>();
    assert_block_equals_fields::<InstanceMaterial>();
    assert_block_equals_fields::<Landscape>();
}

/// A file that ends after the header of a chunk can be truncated: its count is not certainly wrong.
#[test]
fn the_count_of_a_truncated_chunk_is_not_repaired() {
    let bytes = folders::read("corpus/psk/morphs.pskx");
    let at = memchr::memmem::find(&bytes, b"MRPHDATA").expect("a chunk");
    let truncated = &bytes[..at + 32];
    assert!(FileKind::Psk.repairs(truncated, &Options::default()).is_empty());
    let file = FileKind::Psk.decode(truncated, &Options::default()).expect("a file");
    assert!(file.damage().is_some_and(|error| matches!(error.kind(), ErrorKind::Truncated { .. })));
}

proptest! {
    /// Files with keys in the order of the bones are reported and repaired, and no others.
    #[test]
    fn keys_in_the_order_of_the_bones_are_found(
        bones in 2_u8..5,
        sequences in prop::collection::vec((3_u8..9, 0_i32..2), 1..4),
    ) {
        let right = swinging(bones, &sequences);
        let wrong = File::Psa(Box::new(by_bone(&right)));
        let right = File::Psa(Box::new(right));
        let found = |file: &File| {
            let report = file.check_valid(9);
            report.findings.iter().filter(|own| own.rule.code == "psk/key-order").count()
        };
        prop_assert_eq!((found(&right), found(&wrong)), (0, 1));
        let (right, wrong) = (right.encode().expect("a file"), wrong.encode().expect("a file"));
        let repairs = |bytes: &[u8]| FileKind::Psa.repairs(bytes, &Options::default());
        prop_assert_eq!(repairs(&right), []);
        let [repair] = &repairs(&wrong)[..] else { panic!("a repair") };
        prop_assert!(repair.apply(&wrong) == right);
    }

    /// Parts that move alike, or turn alike, differ less from each other than from frame to frame.
    #[test]
    fn parts_that_move_alike_are_in_the_order_of_the_frames(
        frames in 3_u8..9,
        [near, far, turn] in [0.0_f32..5.0, 50.0_f32..200.0, 0.0_f32..1.0],
        does_turn in any::<bool>(),
    ) {
        let mut file = swinging(16, &[(frames, 0)]);
        let Records::Keys(keys) = &mut file.chunks[3].records else { panic!("keys") };
        for (index, key) in keys.iter_mut().enumerate() {
            let [bone, frame] = [index % 16, index / 16].map(|own| f32::from(u8::try_from(own).expect("few")));
            let half = frame * turn;
            key.position = if does_turn { [0.0; 3] } else { [frame * far, bone * near, 0.0] };
            key.orientation = if does_turn { [half.sin(), 0.0, 0.0, half.cos()] } else { [0.0, 0.0, 0.0, 1.0] };
        }
        let report = File::Psa(Box::new(file)).check_valid(9);
        prop_assert!(report.findings.iter().all(|own| own.rule.code != "psk/key-order"));
    }
}

/// A clip in the order of the frames decides for all; clips that share keys show nothing.
#[test]
fn clips_that_contradict_each_other_are_not_reordered() {
    let wrong = by_bone(&swinging(2, &[(4, 0), (4, 0)]));
    let is_found = |file: &Psa| {
        let report = File::Psa(Box::new(file.clone())).check_valid(9);
        report.findings.iter().any(|own| own.rule.code == "psk/key-order")
    };
    assert!(is_found(&wrong));
    let mut mixed = wrong.clone();
    let Records::Keys(keys) = &mut mixed.chunks[3].records else { panic!("keys") };
    keys[8..].clone_from_slice(&swinging(2, &[(4, 0), (4, 0)]).keys()[8..]);
    assert!(!is_found(&mixed));
    let mut shared = wrong;
    let Records::Sequences(sequences) = &mut shared.chunks[2].records else { panic!("sequences") };
    sequences[1].first_raw_frame = 2;
    assert!(!is_found(&shared));
}

#[test]
fn a_configuration_without_a_known_section_has_no_writer() {
    let writer = |text: &[u8]| PsaConfig::decode(text).expect("a text").writer();
    assert_eq!(writer(b"alias ll='ls -l'\n[general]\n"), None);
    assert!(writer(b"[RemoveTracks]\r\nRun.63=all\r\n").is_some());
}
