//! What `.x` files mean.

use bindpose::codec::Format;
use bindpose::formats::directx::X;
use bindpose::scene::{Part, Scene, Settings};
use glam::Vec3;

/// Twice the same quarter turn about y: as a matrix for row vectors, and as a key.
const TURNED: &str = "xof 0302txt 0032
Frame Turned {
  FrameTransformMatrix { 0.0,0.0,-1.0,0.0, 0.0,1.0,0.0,0.0, 1.0,0.0,0.0,0.0, 1.0,2.0,3.0,1.0;; }
  Mesh { 4; 0.0;0.0;0.0;, 0.0;1.0;0.0;, 1.0;1.0;0.0;, 1.0;0.0;0.0;; 1; 4;0,1,2,3;; }
}
AnimationSet {
  Animation {
    {Turned}
    AnimationKey { 0; 1; 4800;4;0.7071068,0.0,-0.7071068,0.0;;; }
    AnimationKey { 2; 2; 0;3;1.0,2.0,3.0;;, 9600;3;1.0,2.0,5.0;;; }
  }
}
";

fn scene(text: &str) -> Scene {
    let file = X::decode(text.as_bytes()).expect("a sound file");
    Scene::of(&[Part { name: "file", file: &file }], &Settings::default())
}

#[test]
fn a_key_means_the_inverse_of_what_direct3d_makes_of_its_quaternion() {
    let scene = scene(TURNED);
    let bind = scene.skeleton.bind_pose()[0];
    let pose = scene.clips[0].sample(&scene.skeleton, 0.0)[0];
    assert!(pose.matrix().abs_diff_eq(bind.matrix(), 1e-6), "{pose:?} is not {bind:?}");
}

#[test]
fn z_is_mirrored_and_faces_keep_looking_at_whom_they_looked_at() {
    let scene = scene(TURNED);
    let mesh = &scene.meshes[0];
    assert_eq!(scene.skeleton.bind_pose()[0].translation, Vec3::new(1.0, 2.0, -3.0));
    // Clockwise, seen along the file's z; so seen from the front, which is the scene's.
    assert_eq!(mesh.primitives[0].triangles, [[0, 2, 1], [0, 3, 2]]);
    assert_eq!((mesh.bone, mesh.normals[0]), (Some(0), Vec3::Z));
}

#[test]
fn a_second_has_4800_ticks_unless_the_file_says_otherwise() {
    let half = scene(TURNED).clips[0].tracks[0].translation.as_ref().expect("keys").sample(1.0);
    assert_eq!(half, Some(Vec3::new(1.0, 2.0, -4.0)));
    let slow = format!("{TURNED}AnimTicksPerSecond {{ 9600; }}\n");
    assert_eq!(scene(&slow).clips[0].span(), Some((0.0, 1.0)));
}

#[test]
fn animations_without_frames_move_those_of_another_file() {
    let (frames, animations) = TURNED.split_once("AnimationSet").expect("both");
    let frames = X::decode(frames.as_bytes()).expect("a sound file");
    let animations =
        X::decode(format!("xof 0302txt 0032\nAnimationSet{animations}").as_bytes()).expect("another");
    let parts = [Part { name: "animations", file: &animations }, Part { name: "frames", file: &frames }];
    let scene = Scene::of(&parts, &Settings::default());
    assert_eq!((scene.skeleton.bones().len(), scene.clips[0].tracks[0].bone), (1, 0));
}
