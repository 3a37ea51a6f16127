//! Inter-Quake Models: the conventions that their own tests are about.

use std::f32::consts::PI;

use bindpose::check::Report;
use bindpose::codec::Format;
use bindpose::edit::{Entity, names, remove, transform};
use bindpose::formats::FormatSpec;
use bindpose::formats::iqm::{Anim, Iqm, Joint, Mesh, Pose, VertexArray, VertexData};
use bindpose::scene::author::Authoring;
use bindpose::scene::{self, Bone, Clip, Curve, Lost, Part, Primitive, Scene, Settings, Skeleton, Track};
use bindpose::wire::{Bytes, List};
use bindpose::{Budget, File, FileKind, Limits};
use glam::{Quat, Vec3};

/// The findings of a rule, as a path and a message.
fn found(report: &Report, code: &str) -> Vec<String> {
    let own = report.findings.iter().filter(|finding| finding.rule.code == code);
    own.map(ToString::to_string).collect()
}

fn checked(file: &File) -> Report {
    file.check(&file.encode().expect("bytes"), usize::MAX)
}

/// A file with joints, and poses of the same parents.
fn with_joints(joints: Vec<Joint>) -> Iqm {
    let mut file = Iqm::blank_file();
    let poses = joints.iter().map(|own| Pose { parent: own.parent, ..Pose::default() });
    file.sections.poses = List::from(poses.collect::<Vec<_>>()).into();
    file.sections.joints = List::from(joints).into();
    file
}

fn moved(file: Iqm, rotation: Quat, translation: Vec3) -> Iqm {
    let mut files = [File::Iqm(Box::new(file))];
    let budget = Budget::of(&Limits::none(), 0);
    transform(&mut files, rotation, translation, &budget).expect("a file that can be moved");
    let [File::Iqm(file)] = files else { unreachable!("an iqm file") };
    *file
}

#[test]
fn clips_of_one_name_are_written_with_names_of_their_own() {
    let skeleton = Skeleton::new(vec![Bone { name: "hip".into(), ..Bone::default() }]).0;
    let translation = Curve::straight([(0.0, Vec3::ZERO), (1.0, Vec3::X)]);
    let moving = vec![Track { translation, ..Track::default() }];
    let clips = [Vec::new(), moving].map(|tracks| Clip { name: "hip".into(), tracks, ..Clip::default() });
    let scene = Scene { skeleton, clips: clips.into(), ..Scene::default() };
    let authored = FormatSpec::from(FileKind::Iqm).author(scene, "hero", &Authoring::default());
    let authored = authored.expect("a scene with bones");
    assert_eq!(authored.losses.iter().filter(|loss| loss.lost == Lost::Renamed).count(), 1);
    let file = &authored.files[0].file;
    let File::Iqm(own) = file else { unreachable!("an iqm file") };
    let names: Vec<_> = own.sections.anims.iter().map(|anim| own.text(anim.name)).collect();
    assert_eq!(names.len(), 2);
    assert_ne!(names[0], names[1]);
    assert_eq!(found(&checked(file), "iqm/duplicate-name"), [""; 0]);
}

/// A triangle that one clip moves by a metre along x, and another one by three metres upwards, with two frames each.
fn moving_triangle() -> Iqm {
    let clip = |name: &str, ends: [Vec3; 2]| {
        let translation = Curve::straight([(0.0, ends[0]), (1.0, ends[1])]);
        let tracks = vec![Track { translation, ..Track::default() }];
        Clip { name: name.into(), tracks, ..Clip::default() }
    };
    let mesh = scene::Mesh {
        bone: Some(0),
        positions: vec![Vec3::ZERO, Vec3::X, Vec3::Y],
        primitives: vec![Primitive { triangles: vec![[0, 1, 2]], ..Primitive::default() }],
        ..scene::Mesh::default()
    };
    let scene = Scene {
        skeleton: Skeleton::new(vec![Bone { name: "hip".into(), ..Bone::default() }]).0,
        meshes: vec![mesh],
        clips: vec![clip("walk", [Vec3::ZERO, Vec3::X]), clip("hop", [2.0 * Vec3::Y, 3.0 * Vec3::Y])],
        ..Scene::default()
    };
    let mut settings = Authoring::default();
    settings.rate = Some(1.0);
    let authored = FormatSpec::from(FileKind::Iqm).author(scene, "hero", &settings);
    let [file] = authored.expect("a scene with bones").files.try_into().expect("a file");
    let File::Iqm(file) = file.file else { unreachable!("an iqm file") };
    *file
}

/// The corners and the radii of the bounds of each frame.
fn bounds(file: &Iqm) -> Vec<([f32; 3], [f32; 3], [f32; 2])> {
    file.sections.bounds.iter().map(|own| (own.min, own.max, [own.xy_radius, own.radius])).collect()
}

/// The bounds of the frames of a clip that moves upwards.
const HOP: [([f32; 3], [f32; 3], [f32; 2]); 2] =
    [([0.0, 0.0, 2.0], [1.0, 0.0, 3.0], [1.0, 3.0]), ([0.0, 0.0, 3.0], [1.0, 0.0, 4.0], [1.0, 4.0])];

#[test]
fn bounds_are_those_of_the_vertices_in_each_frame() {
    let walk = [([0.0; 3], [1.0, 0.0, 1.0], [1.0, 1.0]), ([1.0, 0.0, 0.0], [2.0, 0.0, 1.0], [2.0, 2.0])];
    assert_eq!(bounds(&moving_triangle()), [walk, HOP].concat());
}

#[test]
fn bounds_and_tracks_of_a_clip_remain_when_the_one_before_is_removed() {
    let mut files = [File::Iqm(Box::new(moving_triangle()))];
    remove(&mut files, Entity::Clip, b"walk").expect("a clip");
    let [File::Iqm(left)] = &files else { unreachable!("an iqm file") };
    assert_eq!(bounds(left), HOP);
    let scene = Scene::of(&[Part { name: "file", file: left.as_ref() }], &Settings::default());
    let [hop] = &*scene.clips else { panic!("{} clips", scene.clips.len()) };
    for (seconds, height) in [(0.0, 2.0), (1.0, 3.0)] {
        let place = hop.sample(&scene.skeleton, seconds)[0].translation;
        assert!(place.abs_diff_eq(height * Vec3::Y, 1e-4), "{seconds} s: {place}");
    }
}

#[test]
fn bounds_move_with_the_file() {
    let file = moved(moving_triangle(), Quat::IDENTITY, Vec3::X);
    let corners: Vec<_> = bounds(&file).into_iter().map(|(min, max, _)| (min, max)).collect();
    let expected = HOP.map(|([x, y, z], [right, back, top], _)| ([x + 1.0, y, z], [right + 1.0, back, top]));
    assert_eq!(corners[2..], expected);
}

/// The pose of the last of three joints has another parent than the joint.
#[test]
fn tracks_of_joints_with_other_parents_are_counted_in_each_clip() {
    let joints = [(1, -1), (3, 0), (5, 1)].map(|(name, parent)| Joint { name, parent, ..Joint::default() });
    let mut file = with_joints(joints.into());
    file.sections.text = Bytes(b"\0a\0b\0c\0walk\0hop\0".to_vec()).into();
    file.sections.poses[2].parent = 0;
    let anim = |name| Anim { name, num_frames: 1, framerate: 1.0, ..Anim::default() };
    file.sections.anims = List::from(vec![anim(7), anim(12)]).into();
    file.num_frames = 1;
    let scene = Scene::of(&[Part { name: "file", file: &file }], &Settings::default());
    let lost: Vec<_> = scene.losses.iter().filter(|own| own.lost == Lost::Tracks).collect();
    assert_eq!(lost.iter().map(|own| own.count).collect::<Vec<_>>(), [2], "{:?}", scene.losses);
}

/// A parent that does not exist makes a bone a root in scenes.
#[test]
fn joints_and_poses_without_their_parent_move() {
    let child = Joint { parent: 0, ..Joint::default() };
    let joints = vec![Joint { parent: 5, ..Joint::default() }, child];
    let file = moved(with_joints(joints), Quat::IDENTITY, Vec3::X);
    let places = file.sections.joints.iter().map(|own| own.translate[0]);
    assert_eq!(places.collect::<Vec<_>>(), [1.0, 0.0]);
    let places = file.sections.poses.iter().map(|own| own.channel_offset[0]);
    assert_eq!(places.collect::<Vec<_>>(), [1.0, 0.0]);
}

#[test]
fn a_rotation_of_length_zero_moves_as_the_identity() {
    let joint = Joint { rotate: [0.0; 4], ..Joint::default() };
    let mut file = with_joints(vec![joint]);
    file.sections.poses[0].channel_offset[6] = 0.0;
    let file = moved(file, Quat::from_rotation_z(PI), Vec3::ZERO);
    let pose: [f32; 4] = file.sections.poses[0].channel_offset[3..7].try_into().expect("a quaternion");
    for rotate in [file.sections.joints[0].rotate, pose] {
        let dot = Quat::from_array(rotate).dot(Quat::from_rotation_z(PI));
        assert!((dot.abs() - 1.0).abs() < 1e-6, "{rotate:?}");
    }
}

#[test]
fn poses_of_channels_without_frames_stay() {
    let mut file = with_joints(vec![Joint::default()]);
    let pose = &mut file.sections.poses[0];
    (pose.mask, pose.channel_offset[0], pose.channel_scale[0]) = (1, 5.0, 2.0);
    let pose = pose.clone();
    file.num_framechannels = 1;
    let file = moved(file, Quat::IDENTITY, Vec3::X);
    assert_eq!((file.num_framechannels, &file.sections.poses[0]), (1, &pose));
}

fn array(kind: u32, format: u32, size: u32) -> VertexArray {
    VertexArray { kind, format, size, ..VertexArray::default() }
}

/// The joints of two vertices have 32 bits, and their weights are floats.
#[test]
fn influences_in_any_format_are_checked() {
    let mut file = with_joints(vec![Joint::default(); 2]);
    file.num_vertexes = 2;
    file.sections.set_arrays([
        (array(4, 5, 2), VertexData::Uint(vec![1, 9, 0, 77].into())),
        (array(5, 7, 2), VertexData::Float(vec![0.5, 0.5, 0.75, 0.0].into())),
    ]);
    let report = checked(&File::Iqm(Box::new(file)));
    let joints = found(&report, "iqm/joint-out-of-range");
    assert_eq!(joints, ["sections.vertex_data_0[1]: refers to joint 9, but 2 exist"]);
    let weights = found(&report, "iqm/weight-sum");
    assert_eq!(weights, ["sections.vertex_data_1[2]: sum to 0.75, expected 1"]);
}

/// Blender numbers materials of one name.
#[test]
fn only_materials_with_the_extension_of_an_image_are_textures() {
    for (material, is_image) in [("Body.001", false), ("maps\\skin.TGA", true), ("body", false)] {
        let mut file = Iqm::blank_file();
        file.sections.text = Bytes(format!("\0{material}\0").into_bytes()).into();
        file.sections.meshes = List::from(vec![Mesh { material: 1, ..Mesh::default() }]).into();
        let file = File::Iqm(Box::new(file));
        let entities: Vec<_> = names(&file).expect("names").into_iter().map(|name| name.entity).collect();
        assert_eq!(entities.contains(&Entity::Texture), is_image, "{material}: {entities:?}");
        let part = Part { name: "file", file: file.as_scene_source() };
        let scene = Scene::of(&[part], &Settings::default());
        let has_texture = scene.materials.iter().any(|own| own.color_texture().is_some());
        assert_eq!(has_texture, is_image, "{material}");
    }
}
