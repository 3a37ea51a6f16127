//! What other readers of the formats need.

use bindpose::formats::FormatSpec;
use bindpose::scene::author::Authoring;
use bindpose::scene::{
    Bone, Clip, Curve, Interpolation, Joint, Mesh, Part, Primitive, Scene, Settings, Skeleton, Skin, Track,
    Transform, Weights,
};
use bindpose::{File, FileKind};
use glam::{Affine3A, Quat, Vec3};

fn files(scene: &Scene, kind: FileKind) -> Vec<File> {
    let written = FormatSpec::from(kind).author(scene, "file", &Authoring::default());
    written.map_or_else(|_| Vec::new(), |own| own.files.into_iter().map(|own| own.file).collect())
}

/// Bones without parents, one clip with keys of the first, and a triangle that no bone moves.
fn scene(num_bones: usize, start: f32) -> Scene {
    let bind = Transform { translation: Vec3::X, ..Transform::IDENTITY };
    let bones = (0..num_bones).map(|bone| Bone { name: format!("bone{bone}"), parent: None, bind });
    let translation = Curve::straight([(start, Vec3::X), (start + 1.0, Vec3::Y)]);
    let mesh = Mesh {
        positions: vec![Vec3::ZERO, Vec3::X, Vec3::Y, Vec3::Z],
        normals: vec![Vec3::Z; 4],
        primitives: vec![Primitive {
            triangles: vec![[0, 2, 1], [0, 1, 2], [1, 2, 3]],
            ..Primitive::default()
        }],
        ..Mesh::default()
    };
    Scene {
        skeleton: Skeleton::new(bones.collect()).0,
        meshes: vec![mesh],
        clips: vec![
            Clip {
                name: "move".into(),
                tracks: vec![Track { translation, ..Track::default() }],
                ..Clip::default()
            },
            Clip { name: "still".into(), ..Clip::default() },
        ],
        ..Scene::default()
    }
}

fn value(file: &File, path: &str) -> String {
    file.get_text(path).unwrap_or_else(|error| panic!("{path}: {error}")).remove(0).1
}

/// libcal3d refuses animations without tracks, and extrapolates before the first key.
#[test]
fn animations_of_cal3d_have_tracks_that_start_at_0() {
    let files = files(&scene(1, 0.5), FileKind::Cal3dAnimation);
    assert_eq!(files.len(), 1, "the clip without tracks is left out");
    assert_eq!(value(&files[0], "tracks[0].keys[0].time"), "0.0");
    assert_eq!(
        value(&files[0], "tracks[0].keys[0].translation[0]"),
        value(&files[0], "tracks[0].keys[1].translation[0]")
    );
}

/// Steps and cubic splines become linear keys that are off by at most 1e-4.
#[test]
fn curves_of_cal3d_are_near_those_of_the_scene() {
    let keys = [(0.0, Vec3::X), (0.4, Vec3::ZERO), (1.0, Vec3::Y)];
    let tangents = vec![[Vec3::Y * 3.0; 2]; 3];
    for between in [Interpolation::Step, Interpolation::CubicSpline(tangents)] {
        let mut scene = scene(1, 0.0);
        let curve = Curve::new(keys, between.clone());
        scene.clips[0].tracks[0].translation = Some(curve.clone());
        let written =
            FormatSpec::from(FileKind::Cal3dAnimation).author(&scene, "file", &Authoring::default());
        let written = written.expect("an animation");
        assert!(written.losses.iter().all(|loss| !loss.why().contains("resampled")), "{:?}", written.losses);
        let mut all = files(&scene, FileKind::Cal3dSkeleton);
        all.push(written.files[0].file.clone());
        let parts: Vec<_> =
            all.iter().map(|file| Part { name: "file", file: file.as_scene_source() }).collect();
        let read = Scene::of(&parts, &Settings::default());
        for step in 0_u8..=100 {
            // Not within the time in which a step is taken.
            let seconds = f32::from(step) / 100.0 + 0.0005;
            let (from, to) =
                (curve.sample(seconds), read.clips[0].sample(&read.skeleton, seconds)[0].translation);
            let from = from.expect("keys");
            assert!(from.abs_diff_eq(to, 3e-4), "{between:?} at {seconds} s: {to} instead of {from}");
        }
    }
}

/// The deviations of a chain of bones add up, and are within 1e-4 of the size together.
#[test]
fn chains_of_curves_of_cal3d_are_near_those_of_the_scene() {
    let bind = Transform { translation: Vec3::Y, ..Transform::IDENTITY };
    let bones =
        (0..8_usize).map(|bone| Bone { name: format!("bone{bone}"), parent: bone.checked_sub(1), bind });
    let keys = [(0.0, Quat::IDENTITY), (0.1, Quat::from_rotation_x(1.5)), (0.2, Quat::from_rotation_z(1.5))];
    let flat = Quat::from_array([0.0; 4]);
    let rotation = Curve::new(keys, Interpolation::CubicSpline(vec![[flat; 2]; 3]));
    let track = |bone| Track { bone, rotation: Some(rotation.clone()), ..Track::default() };
    let mut scene = scene(0, 0.0);
    scene.skeleton = Skeleton::new(bones.collect()).0;
    scene.clips[0].tracks = (0..8).map(track).collect();
    let mut all = files(&scene, FileKind::Cal3dSkeleton);
    all.extend(files(&scene, FileKind::Cal3dAnimation));
    let parts: Vec<_> = all.iter().map(|file| Part { name: "file", file: file.as_scene_source() }).collect();
    let read = Scene::of(&parts, &Settings::default());
    let ends = |scene: &Scene, seconds: f32| {
        let pose = scene.clips[0].sample(&scene.skeleton, seconds);
        scene.skeleton.model_space(&pose).last().map(|end| end.transform_point3(Vec3::Y))
    };
    for step in 0_u8..=100 {
        let seconds = f32::from(step) * 0.002;
        let (from, to) = (ends(&scene, seconds).expect("bones"), ends(&read, seconds).expect("bones"));
        assert!(from.abs_diff_eq(to, 8e-4), "{seconds} s: {to} instead of {from}");
    }
}

/// libcal3d turns a submesh over if its first face opposes its normals.
#[test]
fn the_first_face_of_a_cal3d_mesh_agrees_with_its_normals() {
    let files = files(&scene(1, 0.0), FileKind::Cal3dMesh);
    let scene = Scene::of(&[Part { name: "file", file: files[0].as_scene_source() }], &Settings::default());
    let mesh = &scene.meshes[0];
    let corners = mesh.primitives[0].triangles[0].map(|vertex| mesh.positions[vertex as usize]);
    let [a, b, c] = corners;
    let normal = mesh.normals[mesh.primitives[0].triangles[0][0] as usize];
    assert!((b - a).cross(c - a).dot(normal) > 0.0, "{corners:?}");
}

/// The first bone is the only root that readers of PSK know; it also moves points without a bone.
#[test]
fn psk_and_psa_have_one_root_that_does_not_move() {
    for num_bones in [1, 2] {
        let mut scene = scene(num_bones, 0.0);
        let joint = Joint { bone: 0, inverse_bind: Affine3A::from_translation(-Vec3::X) };
        let weights = Weights::gather(4, 1, [(3, 0, 1.0)]).0;
        scene.meshes[0].skin = Some(Skin { joints: [joint].into(), weights });
        let all: Vec<_> =
            [FileKind::Psk, FileKind::Psa].into_iter().flat_map(|kind| files(&scene, kind)).collect();
        let parts: Vec<_> =
            all.iter().map(|file| Part { name: "file", file: file.as_scene_source() }).collect();
        let read = Scene::of(&parts, &Settings::default());
        let bones = read.skeleton.bones();
        let names: Vec<_> = bones.iter().map(|bone| (&*bone.name, bone.parent)).collect();
        assert_eq!(names[..2], [("root", None), ("bone0", Some(0))]);
        let places = |seconds: f32| {
            let placed = read.skeleton.model_space(&read.clips[0].sample(&read.skeleton, seconds));
            (
                placed[1].translation,
                read.meshes[0].skin.as_ref().expect("a skin").deform(&placed, &read.meshes[0].positions),
            )
        };
        let moved = places(0.0).1.iter().zip(&places(1.0).1).filter(|(from, to)| from != to).count();
        assert_eq!(moved, 1, "vertices without a bone stay");
        assert!(places(1.0).0.abs_diff_eq(Vec3::Y.into(), 1e-5), "{}", places(1.0).0);
    }
    assert!(
        files(&Scene { clips: Vec::new(), ..scene(1, 0.0) }, FileKind::Psk)[0]
            .get("chunks[5].records[1].name")
            .is_err()
    );
}

/// MilkShape 3D averages normals within a smoothing group when it computes them.
#[test]
fn hard_edges_of_ms3d_are_between_smoothing_groups() {
    let positions = [Vec3::ZERO, Vec3::X, Vec3::Y, Vec3::ONE];
    let corners = [0, 1, 2, 2, 1, 3];
    let mut mesh = Mesh {
        positions: corners.iter().map(|corner| positions[*corner]).collect(),
        normals: [Vec3::Z; 3].into_iter().chain([Vec3::Y; 3]).collect(),
        primitives: vec![Primitive { triangles: vec![[0, 1, 2], [3, 4, 5]], ..Primitive::default() }],
        ..Mesh::default()
    };
    let groups = |mesh: &Mesh| {
        let file = files(&Scene { meshes: vec![mesh.clone()], ..Scene::default() }, FileKind::Ms3d).remove(0);
        [0, 1].map(|triangle| value(&file, &format!("triangles[{triangle}].smoothing_group")))
    };
    assert_eq!(groups(&mesh), ["1", "2"]);
    mesh.normals = vec![Vec3::Z; 6];
    assert_eq!(groups(&mesh), ["1", "1"]);
}
