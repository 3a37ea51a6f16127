//! Accessors of 3ds Max tutorial streams, and the detection of their dialects.

use bindpose::codec::Format;
use bindpose::formats::max::{
    Animation, Corner, Face, Faces, Influence, Mesh, Skeleton, propose_animation, propose_mesh,
    propose_skeleton,
};
use bindpose::{FileKind, FormatSpec, Limits};

use crate::folders::read;

#[test]
fn file_names_specify_format_and_dialect() {
    for name in ["two.max-skeleton+m48.bin", "two.max-skeleton+m48.meta"] {
        let spec = FormatSpec::detect(name.as_ref(), b"").map(|spec| spec.to_string());
        assert_eq!(spec.as_deref(), Some("max-skeleton:m48"));
    }
    assert_eq!(FormatSpec::detect("two.ms3d.meta".as_ref(), b""), None, "metadata of two.ms3d");
    let spec = FormatSpec::detect("two.max-skeleton+m48.skel".as_ref(), b"").expect("named");
    assert_eq!(spec, "max-skeleton:m48".parse().unwrap());
    let file = spec
        .kind
        .decode(&read("corpus/max/two.max-skeleton+m48.skel"), &spec.options(Limits::default()))
        .unwrap();
    assert_eq!((file.kind(), file.dialect()), (FileKind::MaxSkeleton, Some("m48")));
    assert_eq!(FileKind::detect(&read("corpus/max/two.max-skeleton.skel")), None, "not detected by content");
}

#[test]
fn the_default_dialects_are_m52_and_p12() {
    assert_eq!(Skeleton::decode(&read("corpus/max/two.max-skeleton.skel")).unwrap().dialect(), Some("m52"));
    assert_eq!(Mesh::decode(&read("corpus/max/quad.max-mesh.mesh")).unwrap().dialect(), Some("p12"));
}

#[test]
fn the_file_size_determines_the_matrix_size_of_a_skeleton() {
    for (name, dialect) in [
        ("two.max-skeleton.skel", "m52"),
        ("two.max-skeleton+m48.skel", "m48"),
        ("two.max-skeleton+m64.skel", "m64"),
    ] {
        let proposal = propose_skeleton(&read(&format!("corpus/max/{name}")));
        assert_eq!(proposal.dialect, dialect, "{name}: {}", proposal.why);
    }
    assert_eq!(propose_skeleton(b"").why, "the file is empty");
    assert_eq!(propose_skeleton(&[0; 100]).why, "the file size is not a multiple of any record size");
}

/// 28 records of 116 bytes have the same size as 29 of 112.
#[test]
fn names_decide_between_matrix_sizes_that_fit() {
    let record = |matrix: usize, index: usize| {
        let mut record = vec![0x3f; matrix];
        let mut name = format!("bone {index}").into_bytes();
        name.resize(32, 0);
        record.extend(name);
        record.extend([0; 32]);
        record
    };
    let m52: Vec<u8> = (0..28).flat_map(|index| record(52, index)).collect();
    let m48: Vec<u8> = (0..29).flat_map(|index| record(48, index)).collect();
    assert_eq!(m52.len(), m48.len());
    for (bytes, dialect) in [(m52, "m52"), (m48, "m48")] {
        let proposal = propose_skeleton(&bytes);
        assert_eq!(proposal.dialect, dialect);
        assert!(proposal.why.contains("most names are valid"), "{}", proposal.why);
    }
}

#[test]
fn the_bone_count_determines_the_matrix_size_of_an_animation() {
    assert_eq!(propose_animation(&read("corpus/max/walk.max-animation+m48.anim"), None).dialect, "m48");
    let bytes = [&1_i32.to_le_bytes()[..], &[0; 2496]].concat();
    assert!(propose_animation(&bytes, None).why.ends_with("other sizes fit too"));
    for (bones, dialect) in [(48, "m52"), (52, "m48"), (39, "m64")] {
        assert_eq!(propose_animation(&bytes, Some(bones)).dialect, dialect);
    }
    for frames in [-1, i32::MIN, i32::MAX, 0x4000_0000, 0] {
        let bytes = [&frames.to_le_bytes()[..], &[0; 2496]].concat();
        assert_eq!(propose_animation(&bytes, Some(usize::MAX)).dialect, "m52");
    }
}

#[test]
fn the_file_size_determines_the_point_size_of_a_mesh() {
    assert_eq!(propose_mesh(&read("corpus/max/quad.max-mesh+p16.mesh")).dialect, "p16");
    assert_eq!(propose_mesh(&read("corpus/max/quad.max-mesh.mesh")).dialect, "p12");
    assert_eq!(propose_mesh(&read("corpus/max/empty.max-mesh.mesh")).why, "there are no faces");
}

#[test]
fn a_repeated_last_bone_is_detected() {
    assert!(Skeleton::decode(&read("corpus/max/twice.max-skeleton.skel")).unwrap().repeats_last_bone());
    assert!(!Skeleton::decode(&read("corpus/max/two.max-skeleton.skel")).unwrap().repeats_last_bone());
}

#[test]
fn the_bone_count_of_an_animation_is_computed_from_its_size() {
    let animation = Animation::decode(&read("corpus/max/walk.max-animation.anim")).unwrap();
    assert_eq!(animation.num_bones(), Some(2));
    assert_eq!(animation.matrix(2, 1).map(|rows| rows[3]), Some([0.0, 2.0, 0.0]));
    assert_eq!((animation.matrix(3, 0), animation.matrix(0, 2)), (None, None));
    assert_eq!(Animation { num_frames: 4, ..animation }.num_bones(), None);
}

#[test]
fn identical_corners_are_merged_and_faces_are_grouped_by_material() {
    for name in ["quad.max-mesh.mesh", "quad.max-mesh+p16.mesh"] {
        let spec = FormatSpec::detect(name.as_ref(), b"").expect("named");
        let mesh = Mesh::decode_with(&read(&format!("corpus/max/{name}")), &spec.options(Limits::default()))
            .unwrap();
        let indexed = mesh.indexed();
        assert_eq!(indexed.vertices.len(), 4, "{name}");
        let materials: Vec<i32> = indexed.groups.iter().map(|group| group.material_id).collect();
        assert_eq!(materials, [0, 1]);
        assert_eq!(indexed.groups[1].faces, [[0, 1, 2]]);
        assert_eq!(indexed.groups[0].faces, [[2, 3, 0]]);
        assert_eq!(indexed.vertices[0].influences[0], Influence { bone_index: 1, weight: 0.75 });
    }
}

#[test]
fn influence_counts_are_clamped_to_the_stored_influences() {
    let mut corner = Corner::<[f32; 3]> { num_effective: i32::MAX, ..Corner::default() };
    corner.influences = [0.1, 0.4, f32::NAN, 0.2].map(|weight| Influence { bone_index: 1, weight });
    assert_eq!(corner.strongest().len(), 4);
    corner.num_effective = -1;
    assert!(corner.strongest().is_empty());
    let face = Face { corners: [corner.clone(), corner.clone(), corner] };
    let mesh = Mesh { faces: Faces::P12(vec![face].into()), ..Mesh::blank_file() };
    assert_eq!(mesh.indexed().vertices.len(), 1);
}

#[test]
fn an_empty_file_is_rejected() {
    for kind in [FileKind::MaxAnimation, FileKind::MaxMesh] {
        let error = kind.decode(b"", &bindpose::Options::default()).expect_err("the file is empty");
        assert_eq!(error.kind(), &bindpose::ErrorKind::Empty);
    }
}
