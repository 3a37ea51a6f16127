//! Memory that a count or a duration multiplies is limited.

use bindpose::scene::gltf::{read, refuse};
use bindpose::scene::{Bone, Clip, Curve, Interpolation, Scene, Skeleton, Track, author::Authoring};
use bindpose::{ErrorKind, FileKind, FormatSpec, Limits};
use glam::Vec3;

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

#[test]
fn poses_of_all_clips_are_limited() {
    let clip = || {
        let curve = Curve::new([(0.0, Vec3::ZERO), (30_000.0, Vec3::ONE)], Interpolation::Linear);
        let track = Track { bone: 0, translation: Some(curve), ..Track::default() };
        Clip { name: "long".into(), tracks: vec![track], ..Clip::default() }
    };
    let skeleton = Skeleton::new(vec![Bone::default(); 16]).0;
    let scene = Scene { skeleton, clips: vec![clip(), clip()], ..Scene::default() };
    let written = FormatSpec::from(FileKind::Psa).author(&scene, "long", &Authoring::default());
    let error = written.expect_err("28.8 million poses");
    assert!(error.to_string().contains("poses of bones"), "{error}");
}
