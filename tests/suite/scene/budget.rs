//! Memory that a count or a duration multiplies is limited.

use bindpose::codec::Format;
use bindpose::formats::iqm::{self, Iqm, VertexArray, VertexData};
use bindpose::scene::author::{AuthorError, Authoring};
use bindpose::scene::gltf::{Gltf, read, read_within, refuse};
use bindpose::scene::{
    Bone, Clip, Curve, Interpolation, Lost, Mesh, Part, Primitive, Scene, Settings, Skeleton, Track,
};
use bindpose::wire::List;
use bindpose::{Budget, ErrorKind, File, FileKind, FormatSpec, Limits};
use glam::Vec3;

fn bytes(permitted: u64) -> Budget {
    Budget::of(&Limits::default().with_max_memory(permitted), 0)
}

fn is_refused(text: &str) -> bool {
    let result = read(text.as_bytes(), &mut refuse, &Limits::default());
    matches!(result, Err(error) if matches!(error.kind(), ErrorKind::Limit(_)))
}

#[test]
fn corners_without_bytes_are_charged() {
    let file = |count: u32, mode: u8| {
        format!(
            r#"{{"asset":{{"version":"2.0"}},"accessors":[
                {{"componentType":5126,"count":3,"type":"VEC3","min":[0,0,0],"max":[0,0,0]}},
                {{"componentType":5125,"count":{count},"type":"SCALAR"}}],
            "meshes":[{{"primitives":[{{"attributes":{{"POSITION":0}},"indices":1,"mode":{mode}}}]}}],
            "nodes":[{{"mesh":0}}],"scenes":[{{"nodes":[0]}}]}}"#
        )
    };
    for mode in [4, 5, 6] {
        assert!(is_refused(&file(20_000_000, mode)), "{mode}");
        assert!(!is_refused(&file(3000, mode)), "{mode}");
    }
}

#[test]
fn objects_of_json_are_charged() {
    let file = |count: usize| {
        let objects = vec!["{}"; count].join(",");
        format!(r#"{{"asset":{{"version":"2.0"}},"materials":[{objects}]}}"#)
    };
    assert!(is_refused(&file(1_000_000)));
    assert!(!is_refused(&file(1000)));
}

/// A scene with clips of two keys, with this many seconds between them.
fn long_clips(num_clips: usize, seconds: f32) -> Scene {
    let clip = |index: usize| {
        let curve = Curve::new([(0.0, Vec3::ZERO), (seconds, Vec3::ONE)], Interpolation::Linear);
        let track = Track { bone: 0, translation: Some(curve), ..Track::default() };
        Clip { name: format!("long{index}"), tracks: vec![track], ..Clip::default() }
    };
    let skeleton = Skeleton::new(vec![Bone::default(); 16]).0;
    Scene { skeleton, clips: (0..num_clips).map(clip).collect(), ..Scene::default() }
}

#[test]
fn frames_of_all_clips_are_charged() {
    for kind in [FileKind::Psa, FileKind::UnigineAnim, FileKind::MaxAnimation] {
        let written = FormatSpec::from(kind).author(long_clips(20, 30_000.0), "long", &Authoring::default());
        let error = written.expect_err("gigabytes of frames");
        assert!(matches!(error, AuthorError::Memory { .. }), "{}: {error}", kind.name());
        assert!(error.to_string().starts_with("clip \"long"), "{}: {error}", kind.name());
        let written = FormatSpec::from(kind).author(long_clips(3, 10.0), "short", &Authoring::default());
        assert!(written.is_ok(), "{}", kind.name());
    }
}

#[test]
fn files_that_are_written_share_a_budget() {
    let budget = bytes(6 << 20);
    let mut settings = Authoring::default();
    settings.budget = Some(budget);
    let scene = long_clips(1, 100.0);
    let write = || FormatSpec::from(FileKind::Psa).author(&scene, "clip", &settings).is_ok();
    assert_eq!([write(), write()], [true, false]);
}

/// Three vertices, and triangles that share them.
fn many_triangles(count: usize) -> Scene {
    let primitive = Primitive { triangles: vec![[0, 1, 2]; count], ..Primitive::default() };
    let mesh = Mesh {
        positions: vec![Vec3::ZERO, Vec3::X, Vec3::Y],
        normals: vec![Vec3::Z; 3],
        primitives: vec![primitive],
        ..Mesh::default()
    };
    Scene { skeleton: Skeleton::new(vec![Bone::default()]).0, meshes: vec![mesh], ..Scene::default() }
}

/// Bones with long names.
fn many_bones(count: usize) -> Scene {
    let bone = |index: usize| Bone { name: format!("bone {index:020}"), ..Bone::default() };
    Scene { skeleton: Skeleton::new((0..count).map(bone).collect()).0, ..Scene::default() }
}

#[test]
fn files_take_no_more_than_the_budget() {
    let scenes = [
        ("triangles", many_triangles(2000)),
        ("bones", many_bones(200)),
        ("one clip", long_clips(1, 100.0)),
        ("clips", long_clips(50, 0.1)),
    ];
    let kinds = || FileKind::ALL.iter().filter(|kind| kind.is_authored());
    let mut found = Vec::new();
    for ((what, scene), kind) in scenes.iter().flat_map(|own| kinds().map(move |kind| (own, kind))) {
        let write = |budget| {
            let mut settings = Authoring::default();
            settings.budget = budget;
            FormatSpec::from(*kind).author(scene, "file", &settings)
        };
        let Ok(written) = write(None) else { continue };
        let size: usize = written.files.iter().map(|own| own.file.encode().expect("a file").len()).sum();
        let refused = write(Some(bytes(size as u64 - 1)));
        if !matches!(refused, Err(AuthorError::Memory { .. })) {
            found.push(format!("{}: {what} of {size} bytes", kind.name()));
        }
    }
    assert!(found.is_empty(), "{found:#?}");
}

#[test]
fn a_scene_is_charged() {
    let scene = long_clips(2, 1.0);
    let part = [Part { name: "part", file: &scene }];
    let all = |bytes: u64| Scene::within(&part, &Settings::default(), &self::bytes(bytes));
    assert_eq!(all(1 << 20).as_ref(), Ok(&scene));
    let refused: Vec<String> = (0..20_000)
        .step_by(64)
        .filter_map(|bytes| all(bytes).err())
        .map(|error| error.path().to_string())
        .collect();
    assert!(refused.iter().any(|path| path == "clips[\"long1\"]"), "{refused:?}");
}

#[test]
fn written_gltf_is_charged() {
    let scene = long_clips(2, 1.0);
    let written = |bytes: u64| {
        let gltf = Gltf::within(&scene, |_| None::<()>, |()| None, &self::bytes(bytes));
        [gltf.to_glb(), gltf.to_gltf()]
    };
    assert!(written(1 << 20).iter().all(Result::is_ok));
    for error in written(1 << 10) {
        assert!(matches!(error.expect_err("a small budget").kind(), ErrorKind::Limit(_)));
    }
}

#[test]
fn files_that_are_read_share_a_budget() {
    let glb = Gltf::new(&long_clips(2, 1.0)).to_glb().expect("a small file");
    let budget = bytes(1 << 16);
    let read = || read_within(&glb, &mut refuse, &budget).is_ok();
    let count = (0..100).take_while(|_| read()).count();
    assert!((1..20).contains(&count), "{count}");
}

/// Meshes of a file can have the same triangles: a scene of a small file with many such meshes would be a thousand times as large.
#[test]
fn triangles_that_many_meshes_share_are_bounded() {
    let mut file = Iqm { num_vertexes: 3, ..Iqm::blank_file() };
    let positions = VertexData::Positions(vec![[0.0; 3], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]].into());
    let array = VertexArray { format: 7, size: 3, ..VertexArray::default() };
    file.sections.set_arrays([(array, positions)]);
    file.sections.triangles = List::from(vec![[0, 1, 2]; 2000]).into();
    let mesh = iqm::Mesh { num_vertexes: 3, num_triangles: 2000, ..iqm::Mesh::default() };
    file.sections.meshes = List::from(vec![mesh; 3000]).into();
    let scene = Scene::of(
        &[Part { name: "file", file: File::Iqm(Box::new(file)).as_scene_source() }],
        &Settings::default(),
    );
    let triangles: usize = scene.meshes.iter().map(Mesh::num_triangles).sum();
    assert!((2000..200_000).contains(&triangles), "{triangles}");
    assert!(scene.losses.iter().any(|loss| loss.lost == Lost::Faces), "{:?}", scene.losses);
}
