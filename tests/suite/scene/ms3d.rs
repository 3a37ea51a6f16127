//! What MilkShape 3D files mean.

use bindpose::codec::Format;
use bindpose::formats::FormatSpec;
use bindpose::formats::ms3d::{
    Animation, CommentLists, Comments, Comments1, Joint, Keyframe, Material, MaterialMode, ModelComment,
    Ms3d, Triangle, Vertex, VertexExtra, VertexExtra1, VertexExtraRecords,
};
use bindpose::scene::author::Authoring;
use bindpose::scene::{
    Alpha, Bone, Clip, Curve, Interpolation, Lost, Part, Scene, Settings, Skeleton, TextureRole, Track,
};
use bindpose::wire::{Counted, FixedStr, LenStr, Part as Tail};
use bindpose::{File, FileKind};
use glam::{Quat, Vec2, Vec3};

fn scene(file: &Ms3d, settings: &Settings) -> Scene {
    Scene::of(&[Part { name: "file", file }], settings)
}

fn name<const N: usize>(text: &str) -> FixedStr<N> {
    FixedStr::new(text.as_bytes()).expect("a short name")
}

fn arm() -> Ms3d {
    let mut file = Ms3d::blank_file();
    let quarter = std::f32::consts::FRAC_PI_2;
    let keys = [(0.5, [1.0, 0.0, 0.0]), (1.0, [2.0, 0.0, 0.0])];
    let keys = keys.map(|(time, value)| Keyframe { time, value });
    file.joints.push(Joint {
        name: name("hand"),
        parent_name: name("arm"),
        position: [1.0, 0.0, 0.0],
        ..Joint::default()
    });
    file.joints.push(Joint {
        name: name("arm"),
        rotation: [0.0, 0.0, quarter],
        position_keys: keys.to_vec().into(),
        rotation_keys: vec![
            Keyframe { time: 0.5, value: [0.0; 3] },
            Keyframe { time: 1.5, value: [quarter, 0.0, 0.0] },
        ]
        .into(),
        ..Joint::default()
    });
    file.vertices = vec![Vertex { bone_id: 0, ..Vertex::default() }; 3].into();
    let vertex_normals = [[0.0, 0.0, 1.0]; 3];
    file.triangles.push(Triangle { vertex_indices: [0, 1, 2], vertex_normals, ..Triangle::default() });
    file
}

#[test]
fn ms3d_rotates_translation_keys_by_the_bind_rotation() {
    let scene = scene(&arm(), &Settings::default());
    let clip = &scene.clips[0];
    let pose = clip.sample(&scene.skeleton, 0.75);
    // Two keys have no tangents: the curve eases from one to the other, half way at half time.
    assert!(pose[1].translation.abs_diff_eq(Vec3::new(0.0, 1.5, 0.0), 1e-6), "{}", pose[1].translation);
    let placed = scene.skeleton.model_space(&clip.sample(&scene.skeleton, 9.0));
    assert!(placed[0].transform_point3(Vec3::ZERO).abs_diff_eq(Vec3::new(0.0, 3.0, 0.0), 1e-6));
}

#[test]
fn ms3d_translations_are_linear_on_request() {
    let quarter = |settings: &Settings| {
        let scene = scene(&arm(), settings);
        scene.clips[0].sample(&scene.skeleton, 0.625)[1].translation.y
    };
    assert!((quarter(&Settings::default().with_linear_translations(true)) - 1.25).abs() < 1e-6);
    // The curve of the viewer eases in.
    assert!((quarter(&Settings::default()) - 1.15625).abs() < 1e-6);
}

#[test]
fn ms3d_states_the_number_of_frames_of_a_clip() {
    let mut file = arm();
    file.animation = Animation { fps: 24.0, total_frames: 60, ..Animation::default() };
    let end = |file: &Ms3d| scene(file, &Settings::default()).clips[0].span().map(|(_, end)| end);
    assert_eq!(end(&file), Some(2.5));
    // Keys after the end are kept.
    file.animation.total_frames = -60;
    assert_eq!(end(&file), Some(1.5));
}

#[test]
fn ms3d_rotates_about_x_then_y_then_z() {
    let mut file = arm();
    file.joints[1].rotation = [0.1, 0.2, 0.3];
    let bind = scene(&file, &Settings::default()).skeleton.bind_pose();
    let turned =
        Quat::from_rotation_z(0.3) * (Quat::from_rotation_y(0.2) * (Quat::from_rotation_x(0.1) * Vec3::ONE));
    assert!((bind[1].rotation * Vec3::ONE).abs_diff_eq(turned, 1e-6));
}

#[test]
fn ms3d_gives_the_fourth_influence_the_remaining_weight() {
    let mut file = arm();
    for bone in ["leg", "foot"] {
        file.joints.push(Joint { name: name(bone), ..Joint::default() });
    }
    let own = VertexExtra1 { bone_ids: [1, 2, 3], weights: [40, 30, 20] };
    let records = VertexExtraRecords::Sub1(vec![own; 3].into());
    file.vertex_extra = Tail::Present(VertexExtra { records });
    let weights = |settings| {
        let scene = scene(&file, &settings);
        let skin = scene.meshes[0].skin.clone().expect("a skin");
        skin.weights.of(0).iter().map(|own| (own.joint, (own.weight * 255.0).round())).collect::<Vec<_>>()
    };
    assert_eq!(weights(Settings::default()), [(0, 102.0), (1, 77.0), (2, 51.0), (3, 26.0)]);
    let older = Settings::default().with_full_weight(255);
    assert_eq!(weights(older), [(3, 165.0), (0, 40.0), (1, 30.0), (2, 20.0)]);
}

#[test]
fn a_weight_over_100_of_sub_version_1_shows_the_scale() {
    let mut file = arm();
    for bone in ["leg", "foot"] {
        file.joints.push(Joint { name: name(bone), ..Joint::default() });
    }
    let own = |weights| VertexExtra1 { bone_ids: [1, 2, 3], weights };
    let records = VertexExtraRecords::Sub1(vec![own([102, 76, 51]), own([51, 51, 51]), own([0; 3])].into());
    file.vertex_extra = Tail::Present(VertexExtra { records });
    let scene = scene(&file, &Settings::default());
    let weights = &scene.meshes[0].skin.as_ref().expect("a skin").weights;
    let whole = |vertex: usize| {
        let own = weights.of(vertex).iter();
        own.map(|own| (own.joint, (own.weight * 255.0).round())).collect::<Vec<_>>()
    };
    assert_eq!(whole(0), [(0, 102.0), (1, 76.0), (2, 51.0), (3, 26.0)]);
    assert_eq!(whole(1)[0], (3, 102.0));
    assert_eq!(scene.losses.iter().filter(|loss| loss.what() == "scale of weights").count(), 1);
    let file = File::Ms3d(Box::new(file));
    let report = file.check(&file.encode().expect("encoded"), usize::MAX);
    let count = |code: &str| report.findings.iter().filter(|own| own.rule.code == code).count();
    assert_eq!((count("ms3d/weight-over-100"), count("ms3d/weight-sum")), (1, 0));
}

#[test]
fn ms3d_reports_influences_of_missing_joints() {
    let mut file = arm();
    file.vertices = vec![Vertex { bone_id: 9, ..Vertex::default() }; 3].into();
    let scene = scene(&file, &Settings::default());
    let lost: Vec<_> = scene.losses.iter().map(bindpose::scene::Loss::what).collect();
    assert_eq!(lost, ["influences (3)"]);
}

#[test]
fn ms3d_is_right_handed_with_y_up_and_v_counts_from_the_top() {
    let mut file = arm();
    let corners = [[0.0, 0.0, 2.0], [1.0, 0.0, 2.0], [0.0, 1.0, 2.0]];
    for (vertex, position) in file.vertices.iter_mut().zip(corners) {
        vertex.position = position;
    }
    let triangle = &mut file.triangles[0];
    (triangle.vertex_normals, triangle.s, triangle.t) = ([[0.0, 0.0, 1.0]; 3], [0.0, 1.0, 0.0], [0.25; 3]);
    let scene = scene(&file, &Settings::default().with_unit(0.5));
    let mesh = &scene.meshes[0];
    assert_eq!(mesh.positions[1], Vec3::new(0.5, 0.0, 1.0));
    assert_eq!((mesh.primitives[0].triangles[0], mesh.normals[0]), ([0, 1, 2], Vec3::Z));
    assert_eq!(mesh.uvs[0][1], Vec2::new(1.0, 0.25));
}

#[test]
fn ms3d_keys_of_rotation_are_relative_to_the_bind_pose_and_in_seconds() {
    let scene = scene(&arm(), &Settings::default());
    // A quarter turn about z at rest; at the last key a quarter turn about x before it.
    let pose = scene.clips[0].sample(&scene.skeleton, 1.5);
    let turned = Vec3::new(0.0, 1.0, 0.0);
    // FileSummary x, y becomes z; about z, z stays.
    assert!((pose[1].rotation * turned).abs_diff_eq(Vec3::Z, 1e-6));
    assert_eq!(scene.clips[0].span(), Some((0.5, 1.5)));
}

#[test]
fn ms3d_unsorted_keys_are_reported() {
    let mut file = arm();
    file.joints[1].rotation_keys.reverse();
    let losses = scene(&file, &Settings::default()).losses;
    let lost: Vec<_> = losses.iter().map(bindpose::scene::Loss::what).collect();
    assert_eq!(lost, ["times of keys (1)"]);
}

#[test]
fn ms3d_textures_have_roles() {
    let text = |text: &str| FixedStr::new(text.as_bytes()).expect("short");
    let mut file = arm();
    for (texture, is_sphere) in [("skin.png", false), ("shine.png", true)] {
        file.materials.push(Material {
            texture: text(texture),
            alphamap: text("holes.png"),
            mode: MaterialMode::new().with_sphere_map(is_sphere),
            transparency: 1.0,
            ..Material::default()
        });
    }
    let scene = scene(&file, &Settings::default());
    let roles = [TextureRole::Color, TextureRole::Sphere];
    for (material, role) in scene.materials.iter().zip(roles) {
        assert_eq!(
            material.textures.iter().map(|own| own.role).collect::<Vec<_>>(),
            [role, TextureRole::Opacity]
        );
    }
    let spec = FormatSpec::from(FileKind::Ms3d);
    let written = spec.author(&scene, "arm", &Authoring::default()).expect("a file");
    let File::Ms3d(written) = &written.files[0].file else { panic!("another format") };
    for (own, before) in written.materials.iter().zip(&*file.materials) {
        assert_eq!((&own.texture, &own.alphamap, own.mode), (&before.texture, &before.alphamap, before.mode));
    }
}

#[test]
fn ms3d_transparency_is_opacity() {
    let mut file = arm();
    file.materials.push(Material {
        diffuse: [0.5, 0.25, 1.0, 1.0],
        transparency: 0.75,
        ..Material::default()
    });
    let material = &scene(&file, &Settings::default()).materials[0];
    assert_eq!((material.color, material.alpha), ([0.5, 0.25, 1.0, 0.75], Alpha::Blend));
}

#[test]
fn several_clips_follow_each_other_and_are_read_by_their_ranges() {
    let line = |values: &[f32]| {
        let keys = (0_u8..).zip(values).map(|(frame, x)| (f32::from(frame) / 10.0, Vec3::X * *x));
        Some(Curve::new(keys, Interpolation::Linear))
    };
    let turn = Curve::new([(0.0, Quat::IDENTITY), (0.2, Quat::from_rotation_z(1.0))], Interpolation::Linear);
    let clip = |name: &str, translation, rotation| Clip {
        name: name.into(),
        tracks: vec![Track { bone: 0, translation, rotation, scale: None }],
        ..Clip::default()
    };
    let clips = vec![
        clip("Walk", line(&[0.0, 1.0, 2.0, 3.0]), None),
        clip("a, b=c ", line(&[5.0, 5.0]), Some(turn)),
        clip("pose", line(&[7.0]), None),
    ];
    let bone = Bone { name: "hip".into(), ..Bone::default() };
    let source = Scene { skeleton: Skeleton::new(vec![bone]).0, clips, ..Scene::default() };
    let written =
        FormatSpec::from(FileKind::Ms3d).author(&source, "hero", &Authoring::default()).expect("a file");
    let File::Ms3d(file) = &written.files[0].file else { unreachable!() };
    let read = scene(file, &Settings::default());
    let names: Vec<_> = read.clips.iter().map(|clip| &*clip.name).collect();
    assert_eq!(names, ["Walk", "a bc", "pose"]);
    for (own, read) in source.clips.iter().zip(&read.clips) {
        let (_, end) = own.span().expect("keys");
        assert!((read.span().expect("keys").1 - end).abs() < 1e-5);
        for time in [0.0, 0.05, 0.1, 0.17, 0.2, 0.3].map(|time: f32| time.min(end)) {
            let [own, read] = [own, read].map(|clip| clip.sample(&source.skeleton, time)[0]);
            assert!(
                own.translation.abs_diff_eq(read.translation, 1e-4),
                "{time}: {read:?} instead of {own:?}"
            );
            assert!(own.rotation.abs_diff_eq(read.rotation, 1e-4), "{time}: {read:?} instead of {own:?}");
        }
    }
    let mut one = Authoring::default();
    one.clip = Some("Walk".into());
    let written = FormatSpec::from(FileKind::Ms3d).author(&source, "hero", &one).expect("a file");
    let File::Ms3d(file) = &written.files[0].file else { unreachable!() };
    assert_eq!(file.ranges().count(), 0);
}

#[test]
fn normals_without_a_direction_are_those_of_the_faces_around() {
    let mut file = Ms3d::blank_file();
    let corners = [[0.0; 3], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]];
    file.vertices = corners.map(|position| Vertex { position, ..Vertex::default() }).to_vec().into();
    let vertex_normals = [[0.0; 3], [f32::NAN; 3], [0.0, 1.0, 0.0]];
    file.triangles.push(Triangle { vertex_indices: [0, 1, 2], vertex_normals, ..Triangle::default() });
    let scene = scene(&file, &Settings::default());
    assert_eq!(scene.meshes[0].normals, [Vec3::Z, Vec3::Z, Vec3::Y]);
    assert!(scene.losses.iter().any(|loss| loss.what() == "normals (2)"), "{:?}", scene.losses);
}

#[test]
fn named_ranges_in_the_comment_of_the_model_are_clips() {
    let mut file = arm();
    file.animation = Animation { fps: 10.0, total_frames: 10, current_time: 1.0 };
    let key = |frame: u8| Keyframe { time: f32::from(frame) / 10.0, value: [f32::from(frame), 0.0, 0.0] };
    file.joints[0].position_keys = (1..=10).map(key).collect::<Vec<_>>().into();
    file.joints[0].rotation_keys = [1, 9]
        .map(|frame| Keyframe { value: [f32::from(frame) / 100.0, 0.0, 0.0], ..key(frame) })
        .to_vec()
        .into();
    let text = b"Name=Walk, Start=1, End=4, Loop=True\r\nName=Jump, \rStart=\n6,End=9\tName=No, Start=3\nname=Back, Start=9, End=2";
    let model = vec![ModelComment { text: LenStr::new(text) }].into();
    let lists = Comments1 {
        groups: Counted::default(),
        materials: Counted::default(),
        joints: Counted::default(),
        model,
    };
    file.comments = Tail::Present(Comments { lists: CommentLists::Sub1(lists) });
    let scene = scene(&file, &Settings::default());
    let names: Vec<_> = scene.clips.iter().map(|clip| (&*clip.name, clip.span())).collect();
    let near =
        |span: Option<(f32, f32)>| span.is_some_and(|(start, end)| start == 0.0 && (end - 0.3).abs() < 1e-5);
    assert!(names.iter().map(|(name, _)| *name).eq(["Walk", "Jump"]), "{names:?}");
    assert!(names.iter().all(|(_, span)| near(*span)), "{names:?}");
    // The pose is that of the whole animation at the frame.
    file.comments = Tail::Absent;
    let whole = self::scene(&file, &Settings::default());
    for (clip, start) in scene.clips.iter().zip([0.1, 0.6]) {
        for seconds in [0.0, 0.05, 0.1, 0.25, 0.3] {
            let own = clip.sample(&scene.skeleton, seconds)[0];
            let expected = whole.clips[0].sample(&whole.skeleton, start + seconds)[0];
            assert!(own.translation.abs_diff_eq(expected.translation, 1e-2), "{own:?} {expected:?}");
            assert!(own.rotation.abs_diff_eq(expected.rotation, 1e-4), "{own:?} {expected:?}");
        }
    }
}

/// Keys at times of their own: a spline rests before its first key and after its last one, and steps are steps at any time.
#[test]
fn clips_between_frames_rest_and_step_as_they_should() {
    let slope = [Vec3::X; 2];
    let spline = Curve::new([(1.0, Vec3::ZERO), (2.0, Vec3::X)], Interpolation::CubicSpline(vec![slope; 2]));
    let steps = Curve::new([(0.0, Vec3::X), (400.0, Vec3::ZERO), (900.0, Vec3::Y)], Interpolation::Step);
    let turn = Curve::straight([(0.0, Quat::IDENTITY), (3.0, Quat::from_rotation_z(1.0))]);
    let clip = |name: &str, translation, rotation| Clip {
        name: name.into(),
        tracks: vec![Track { bone: 0, translation: Some(translation), rotation, scale: None }],
        ..Clip::default()
    };
    let clips =
        vec![clip("late", spline, turn), clip("steps", steps.clone(), None), clip("more steps", steps, None)];
    let bone = Bone { name: "hip".into(), ..Bone::default() };
    let source = Scene { skeleton: Skeleton::new(vec![bone]).0, clips, ..Scene::default() };
    let written =
        FormatSpec::from(FileKind::Ms3d).author(&source, "hero", &Authoring::default()).expect("a file");
    assert_eq!(written.losses, []);
    let File::Ms3d(file) = &written.files[0].file else { unreachable!() };
    let read = scene(file, &Settings::default());
    for (own, read) in source.clips.iter().zip(&read.clips) {
        let (_, end) = own.span().expect("keys");
        for part in 0..200_u8 {
            let time = end * f32::from(part) / 200.0 + 0.01;
            let [own, read] = [own, read].map(|clip| clip.sample(&source.skeleton, time)[0].translation);
            assert!(own.abs_diff_eq(read, 2e-4), "{time}: {read} instead of {own}");
        }
    }
}

/// Ranges of several clips are whole frames.
#[test]
fn a_clip_that_ends_between_frames_is_longer_in_a_range() {
    let line = |end: f32| Curve::straight([(0.0, Vec3::ZERO), (end, Vec3::X)]);
    let clip = |name: &str, end: f32| Clip {
        name: name.into(),
        tracks: vec![Track { bone: 0, translation: line(end), ..Track::default() }],
        ..Clip::default()
    };
    let bone = Bone { name: "hip".into(), ..Bone::default() };
    let skeleton = Skeleton::new(vec![bone]).0;
    let lost = |clips: Vec<Clip>| {
        let scene = Scene { skeleton: skeleton.clone(), clips, ..Scene::default() };
        let written = FormatSpec::from(FileKind::Ms3d).author(&scene, "hero", &Authoring::default());
        let losses = written.expect("a file").losses;
        losses
            .into_iter()
            .filter(|own| own.lost == Lost::RoundedEnd)
            .map(|own| own.subjects[0].name.clone())
            .collect::<Vec<_>>()
    };
    assert_eq!(lost(vec![clip("odd", 0.2669), clip("even", 0.5)]), ["odd"]);
    assert_eq!(lost(vec![clip("even", 0.3), clip("too", 0.5)]), [""; 0]);
}
