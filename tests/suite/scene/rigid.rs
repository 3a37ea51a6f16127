//! Moving the scale of the bind pose moves no vertex.

use std::path::Path;

use bindpose::scene::{Bone, Clip, Curve, Interpolation, Part, Scene, Settings, Skeleton, Track, Transform};
use glam::{Quat, Vec3};
use proptest::prelude::*;

use super::generated;
use crate::folders;

/// Returns all vertices of a scene in a pose.
fn vertices(scene: &Scene, clip: Option<(&Clip, f32)>) -> Vec<Vec3> {
    let pose =
        clip.map_or_else(|| scene.skeleton.bind_pose(), |(clip, time)| clip.sample(&scene.skeleton, time));
    let placed = scene.skeleton.model_space(&pose);
    let points = scene.meshes.iter().flat_map(|mesh| match (&mesh.skin, mesh.bone) {
        (Some(skin), _) => skin.deform(&placed, &mesh.positions),
        (None, Some(bone)) => mesh.positions.iter().map(|own| placed[bone].transform_point3(*own)).collect(),
        (None, None) => mesh.positions.clone(),
    });
    points.collect()
}

/// Asserts that two scenes have the same vertices up to a share of their size.
fn assert_same_vertices(before: &[Vec3], after: &[Vec3], share: f32, of: &str) {
    let finite = before.iter().filter(|own| own.is_finite());
    let size = finite.fold(0.0_f32, |size, own| size.max(own.abs().max_element()));
    for (a, b) in before.iter().zip(after).filter(|(a, _)| a.is_finite()) {
        assert!(a.distance(*b) <= share * size, "{of}: {a} {b}, size {size}");
    }
}

/// Asserts that moving scale moves no vertex; returns the number of bones that had scale, and of those that keep it.
fn check(scene: &Scene, of: &str) -> (usize, usize) {
    let had = scene.skeleton.bones().iter().filter(|bone| bone.bind.scale != Vec3::ONE).count();
    let mut moved = scene.clone();
    let kept = moved.move_bind_scale();
    for (index, bone) in moved.skeleton.bones().iter().enumerate() {
        assert!(bone.bind.scale == Vec3::ONE || kept.contains(&index), "{of}: {:?}", bone.name);
    }
    assert_same_vertices(&vertices(scene, None), &vertices(&moved, None), 1e-5, of);
    assert_eq!(scene.clips.len(), moved.clips.len());
    for (before, after) in scene.clips.iter().zip(&moved.clips) {
        assert_eq!(before.span(), after.span(), "{of}: {:?}", before.name);
        let Some((start, end)) = before.span() else { continue };
        for share in [0.0, 0.21, 0.5, 0.77, 1.0] {
            let time = start + (end - start) * share;
            let (a, b) = (vertices(scene, Some((before, time))), vertices(&moved, Some((after, time))));
            assert_same_vertices(&a, &b, 1e-5, &format!("{of} at {time}"));
        }
    }
    (had, kept.len())
}

proptest! {
    #![proptest_config(folders::config(96))]
    #[test]
    fn no_vertex_of_any_scene_moves(scene in generated::scene()) {
        check(&scene, "a scene");
    }
}

fn folder(path: &Path) -> (usize, usize) {
    let mut sum = (0, 0);
    for (path, bytes) in folders::files(path) {
        let Some((kind, options)) = folders::kind(&path, &bytes) else { continue };
        let Ok(file) = kind.decode(&bytes, &options) else { continue };
        let scene = Scene::of(&[Part { name: "file", file: file.as_scene_source() }], &Settings::default());
        let (had, kept) = check(&scene, &path.display().to_string());
        if had > 0 {
            println!("{}: {had} bones with scale, {kept} keep it", path.display());
        }
        sum = (sum.0 + had, sum.1 + kept);
    }
    sum
}

#[test]
fn no_vertex_of_a_sample_moves() {
    let (had, _) = folder(&folders::own("corpus"));
    assert!(had > 0, "no sample has a bone with scale");
}

#[test]
#[ignore = "needs BINDPOSE_CORPUS, a folder of real files"]
fn no_vertex_of_a_corpus_file_moves() {
    let (had, kept) = folder(&folders::corpus());
    println!("{had} bones with scale, {kept} keep it");
}

/// A clip that repeats the scale of the bind pose has no scale afterwards; a clip that changes it has the remainder.
#[test]
fn the_remainder_of_animated_scale_stays() {
    let bind = Transform { scale: Vec3::splat(4.0), ..Transform::IDENTITY };
    let bone = |parent| Bone { name: String::new(), parent, bind };
    let scale =
        |to: f32| Some(Curve::new([(0.0, Vec3::splat(4.0)), (1.0, Vec3::splat(to))], Interpolation::Linear));
    let rotation =
        Some(Curve::new([(0.0, Quat::IDENTITY), (1.0, Quat::from_rotation_x(1.0))], Interpolation::Linear));
    let tracks = vec![
        Track { bone: 0, scale: scale(4.0), rotation: rotation.clone(), ..Track::default() },
        Track { bone: 1, scale: scale(8.0), ..Track::default() },
        Track { bone: 2, scale: scale(4.0), ..Track::default() },
    ];
    let clips = vec![Clip { tracks, ..Clip::default() }];
    let skeleton = Skeleton::new(vec![bone(None), bone(Some(0)), bone(Some(1))]).0;
    let mut scene = Scene { skeleton, clips, ..Scene::default() };
    assert!(scene.move_bind_scale().is_empty());
    let [first, second] = &scene.clips[0].tracks[..] else { panic!("two tracks") };
    assert_eq!((first.scale.is_none(), &first.rotation), (true, &rotation));
    assert_eq!(second.scale.as_ref().expect("a curve").values(), [Vec3::ONE, Vec3::splat(2.0)]);
}

/// A non-uniform scale above a bone that turns would become shear.
#[test]
fn a_non_uniform_scale_moves_only_if_no_bone_below_turns() {
    let bind = Transform { scale: Vec3::new(1.0, 2.0, 3.0), ..Transform::IDENTITY };
    let turned = Transform { rotation: Quat::from_rotation_z(0.5), ..Transform::IDENTITY };
    let hip = Bone { name: "hip".into(), parent: None, bind };
    let leg = Bone { name: "leg".into(), parent: Some(0), bind: turned };
    let skeleton = Skeleton::new(vec![hip, leg]).0;
    let mut still = Scene { skeleton, ..Scene::default() };
    let turn = Curve::new([(0.0, Quat::IDENTITY), (1.0, Quat::from_rotation_x(1.0))], Interpolation::Linear);
    let track = Track { bone: 1, rotation: Some(turn), ..Track::default() };
    let mut turning = Scene { clips: vec![Clip { tracks: vec![track], ..Clip::default() }], ..still.clone() };
    assert!(still.move_bind_scale().is_empty());
    assert_eq!(turning.move_bind_scale(), [0]);
}
