//! Files for one program have what it reads, and nothing else.

use std::collections::BTreeMap;

use bindpose::formats::psk::{Bone, Chunk, Records};
use bindpose::scene::author::{AuthorError, Authoring};
use bindpose::scene::{
    self, Delta, Joint, Mesh, Morph, Part, Primitive, Scene, Settings, Skeleton, Skin, Up, Weights,
};
use bindpose::{File, FileKind, FormatSpec};
use glam::Vec3;
use proptest::prelude::*;
use proptest::sample::select;

use super::strategy;
use crate::folders;

const STANDARD: [&str; 11] = [
    "ACTRHEAD",
    "PNTS0000",
    "VTXW0000",
    "FACE0000",
    "MATT0000",
    "REFSKELT",
    "RAWWEIGHTS",
    "ANIMHEAD",
    "BONENAMES",
    "ANIMINFO",
    "ANIMKEYS",
];

/// What a program reads beside [`STANDARD`], up to numbers.
fn further(program: &str) -> &'static [&'static str] {
    match program {
        "ue2" => &[],
        "umodel" => &["VERTEXCOLOR", "EXTRAUVS", "SCALEKEYS"],
        "blender" => &["VERTEXCOLOR", "EXTRAUV", "VTXNORMS", "MRPHINFO", "MRPHDATA", "SCALEKEYS"],
        _ => &["VERTEXCOLOR", "EXTRAUVS", "VTXNORMS", "MRPHINFO", "MRPHDATA", "SCALEKEYS", "SKELSOCK"],
    }
}

fn settings(program: Option<&str>) -> Authoring {
    let mut settings = Authoring::default();
    settings.program = program.map(str::to_owned);
    settings
}

/// Writes the mesh and the clips; returns them with the kinds of what is lost.
fn written(scene: &Scene, program: Option<&str>) -> Option<(Vec<File>, Vec<String>)> {
    let mut files = Vec::new();
    let mut losses = Vec::new();
    for kind in [FileKind::Psk, FileKind::Psa] {
        match FormatSpec::from(kind).author(scene, "file", &settings(program)) {
            Ok(own) => {
                losses.extend(own.losses.iter().map(ToString::to_string));
                files.extend(own.files.into_iter().map(|own| own.file));
            }
            Err(AuthorError::Empty { .. }) => {}
            Err(error) => panic!("{program:?}: {error}"),
        }
    }
    (!files.is_empty()).then_some((files, losses))
}

fn read(files: &[File]) -> Scene {
    let parts: Vec<_> =
        files.iter().map(|file| Part { name: "file", file: file.as_scene_source() }).collect();
    Scene::of(&parts, &Settings::default().with_up(Some(Up::Z)))
}

fn chunks(file: &File) -> &[Chunk] {
    match file {
        File::Psk(own) => &own.chunks,
        File::Psa(own) => &own.chunks,
        other => panic!("a file of {}", other.kind().name()),
    }
}

fn bones(file: &File) -> &[Bone] {
    let bones = |chunk: &Chunk| matches!(chunk.records, Records::Bones(_));
    match chunks(file).iter().find(|chunk| bones(chunk)).map(|chunk| &chunk.records) {
        Some(Records::Bones(bones)) => bones,
        _ => &[],
    }
}

/// Asserts that a file has what the program reads, and breaks no rule that a file for no program in particular keeps.
fn assert_fits(program: &str, file: &File) {
    let all = chunks(file);
    for chunk in all {
        let id = String::from_utf8_lossy(chunk.id.text()).into_owned();
        let kind = id.trim_end_matches(|own: char| own.is_ascii_digit() && !id.ends_with("0000"));
        let is_read = STANDARD.contains(&kind)
            || further(program).contains(&kind)
            || program == "ue4" && id.ends_with(":CUR");
        assert!(is_read, "{program}: {id}");
    }
    let stamps: Vec<_> = all.iter().map(|chunk| chunk.type_flag).collect();
    let is_stamped = match program {
        "ue2" | "blender" => stamps.iter().all(|own| *own == 1_999_801),
        _ => stamps[0] > 1_999_801 && stamps[1..].iter().all(|own| *own == 0),
    };
    assert!(is_stamped, "{program}: {stamps:?}");
    if program != "umodel" {
        let own = bones(file);
        let roots =
            own.iter().enumerate().filter(|(index, bone)| usize::try_from(bone.parent_index) == Ok(*index));
        assert_eq!(roots.count(), 1, "{program}: {own:?}");
        assert_eq!(own[0].parent_index, 0, "{program}");
    }
    let bytes = file.encode().expect("bytes");
    let again = file.kind().decode(&bytes, &file.options()).expect("a file");
    assert!(again.damage().is_none() && again.encode().as_ref() == Ok(&bytes), "{program}");
}

/// The places of all corners of triangles with an area, and of all bones by name.
fn places(scene: &Scene) -> (Vec<Vec3>, BTreeMap<String, Vec3>) {
    let mut corners = Vec::new();
    for mesh in &scene.meshes {
        let triangles = mesh.primitives.iter().flat_map(|own| &own.triangles);
        let places = triangles.map(|own| own.map(|vertex| mesh.positions[vertex as usize]));
        corners.extend(places.filter(|[a, b, c]| a != b && b != c && a != c).flatten());
    }
    let bones = scene.skeleton.bones().iter().map(|bone| bone.name.clone());
    let placed = scene.skeleton.model_space(&scene.skeleton.bind_pose());
    (corners, bones.zip(placed.iter().map(|own| own.translation.into())).collect())
}

proptest! {
    #![proptest_config(folders::config(96))]
    #[test]
    fn files_for_a_program_have_what_it_reads(scene in strategy::scene(), program in select(FileKind::Psk.programs())) {
        let Some((files, losses)) = written(&scene, Some(program.name)) else { return Ok(()) };
        for file in &files {
            assert_fits(program.name, file);
        }
        let (usual, _) = written(&scene, None).expect("files");
        let [(corners, bones), (usual_corners, usual_bones)] = [read(&files), read(&usual)].map(|scene| places(&scene));
        prop_assert_eq!(corners.len(), usual_corners.len());
        prop_assert!(corners.iter().zip(&usual_corners).all(|(a, b)| a.abs_diff_eq(*b, 1e-3)), "{:?}", losses);
        for (name, place) in &usual_bones {
            let own = bones.get(name).copied().unwrap_or(Vec3::NAN);
            prop_assert!(own.abs_diff_eq(*place, 1e-3), "{}: {} is at {}, not {}", program.name, name, own, place);
        }
        prop_assert!(bones.len() == usual_bones.len() || losses.iter().any(|own| own.contains("needs a bone")), "{:?}", losses);
    }
}

/// A sample with everything that programs read or do not.
fn rich() -> Scene {
    let file = folders::sample("corpus/psk/colored.psk").file;
    let mut scene = read(&[file]);
    let delta = Delta { vertex: 0, position: Vec3::X, normal: Vec3::ZERO };
    scene.meshes[0].morphs.push(Morph { name: "smile".into(), deltas: vec![delta] });
    scene
}

#[test]
fn what_a_program_does_not_read_is_a_loss() {
    let scene = rich();
    let losses = |program| written(&scene, Some(program)).expect("files").1.join("\n");
    for (program, lost, kept) in [
        ("ue2", &["normals", "vertex colours", "morph targets"][..], &[][..]),
        ("umodel", &["normals", "morph targets"], &["vertex colours"]),
        ("blender", &[], &["normals", "vertex colours", "morph targets"]),
        ("ue4", &[], &["normals", "vertex colours", "morph targets"]),
    ] {
        let said = losses(program);
        for what in lost {
            assert!(said.contains(what), "{program}: {what}: {said}");
        }
        for what in kept {
            assert!(!said.contains(what), "{program}: {what}: {said}");
        }
    }
}

#[test]
fn a_mesh_without_bones_gets_a_root_that_moves_every_point() {
    let mut scene = rich();
    scene.skeleton = Skeleton::default();
    scene.meshes.iter_mut().for_each(|mesh| mesh.skin = None);
    for program in ["ue2", "ue4", "blender"] {
        let (files, losses) = written(&scene, Some(program)).expect("files");
        let File::Psk(mesh) = &files[0] else { panic!("a mesh") };
        assert_eq!(mesh.bones().len(), 1, "{program}");
        assert_eq!(mesh.weights().len(), mesh.points().len(), "{program}");
        assert!(mesh.weights().iter().all(|own| own.bone_index == 0 && own.weight > 0.999), "{program}");
        assert!(losses.iter().any(|own| own.contains("needs a bone: \"root\" is added")), "{losses:?}");
    }
    let (files, _) = written(&scene, Some("umodel")).expect("files");
    assert!(bones(&files[0]).is_empty());
}

#[test]
fn more_influences_than_the_engine_blends_are_lost() {
    let most = |program| {
        let (files, _) = written(&crowded(), program).expect("files");
        let File::Psk(mesh) = &files[0] else { panic!("a mesh") };
        let of_point = |point| mesh.weights().iter().filter(|own| own.point_index == point).count();
        (0..3).map(of_point).max()
    };
    assert_eq!(most(None), Some(12));
    assert_eq!(most(Some("ue4")), Some(8));
}

/// A triangle with 12 influences for each corner.
fn crowded() -> Scene {
    let bone = |index: usize| scene::Bone {
        name: format!("bone{index}"),
        parent: index.checked_sub(1),
        ..scene::Bone::default()
    };
    let rows = (0..3).flat_map(|vertex| (0..12).map(move |joint| (vertex, joint, 1.0 / 12.0)));
    let joints =
        (0..12).map(|bone| Joint { bone, inverse_bind: glam::Affine3A::IDENTITY }).collect::<Vec<_>>().into();
    let mesh = Mesh {
        positions: vec![Vec3::ZERO, Vec3::X, Vec3::Y],
        normals: vec![Vec3::Z; 3],
        primitives: vec![Primitive { triangles: vec![[0, 1, 2]], ..Primitive::default() }],
        skin: Some(Skin { joints, weights: Weights::gather(3, 12, rows).0 }),
        ..Mesh::default()
    };
    Scene { skeleton: Skeleton::new((0..12).map(bone).collect()).0, meshes: vec![mesh], ..Scene::default() }
}

#[test]
fn an_unknown_program_is_an_error() {
    let refused = |kind: FileKind| {
        FormatSpec::from(kind).author(rich(), "file", &settings(Some("ue9"))).unwrap_err().to_string()
    };
    assert_eq!(refused(FileKind::Psk), "unknown program; expected one of ue2, ue4, blender, umodel");
    assert_eq!(refused(FileKind::Ms3d), "files of this format are the same for all programs");
}
