//! What UNIGINE files mean, and what real animations have in common.

use bindpose::File;
use bindpose::codec::Format;
use bindpose::formats::unigine::{
    Anim10, AnimationName, Bone, Bounds, Corners, Geometry, Influence, Key, Key11, KeyFlags, KeyFlags11,
    Lightmap, Mesh, QuantizedAnimation, QuantizedBox, Surface, Table, Tangent, Tangent10, Tangents, Target,
    TargetName, Transform, UnigineAnim, UnigineMesh, VertexWeights,
};
use bindpose::scene::{Lost, Part, RetargetMode, Retargeting, Scene, Settings, ToScene, color8};
use bindpose::wire::{FixedStr, LenStr, SmallList};
use glam::{Affine3A, Quat, Vec2, Vec3};

use crate::{folders, samples};

/// Real an10 files that have animations.
fn real_animations() -> Vec<(String, Anim10)> {
    folders::files(&folders::corpus())
        .filter_map(|(path, bytes)| {
            let name = path.file_name()?.to_str()?.to_owned();
            let (kind, options) = folders::kind(&path, &bytes).filter(|_| !name.starts_with("syn"))?;
            let File::UnigineAnim(file) = kind.decode(&bytes, &options).ok()? else { return None };
            let UnigineAnim::Anim10(anim) = *file else { return None };
            (!anim.animations.is_empty()).then_some((name, anim))
        })
        .collect()
}

/// The first frame of a clip equals the bind pose within the precision of 16 bits. One exporter wrote bind transforms in
/// centimetres and keys in metres; in its files no bone agrees.
#[test]
#[ignore = "needs BINDPOSE_CORPUS, a folder of real files"]
fn first_frames_of_corpus_animations_match_the_bind_pose_of_most_bones_or_of_none() {
    let animations = real_animations();
    let mut agreeing = 0;
    for (name, anim) in &animations {
        let step = Vec3::from(anim.animations[0].positions.size).max_element() / 65535.0;
        let stands = |(bone, bind): (usize, &Transform)| {
            let first = anim.animations[0].pose(0, bone)?.over(bind).position;
            Some(Vec3::from(first).abs_diff_eq(Vec3::from(bind.position), 2.0 * step))
        };
        let bones: Vec<bool> = anim.transforms.iter().enumerate().filter_map(stands).collect();
        let agree = bones.iter().filter(|agrees| **agrees).count();
        assert!(agree == 0 || agree * 4 >= bones.len() * 3, "{name}: {agree} of {}", bones.len());
        agreeing += usize::from(agree > 0);
    }
    assert!(agreeing > 0 || animations.is_empty());
}

/// Half of the square root of 2, as a part of a compressed rotation.
const HALF_TURN: i16 = 23169;

fn bones() -> Vec<Bone> {
    let bone = |name: &[u8], parent| Bone { name: LenStr::new(name), parent };
    // The parent follows its child.
    vec![bone(b"hand", 1), bone(b"arm", -1)]
}

/// The hand two units along the arm's x; the arm one unit up, a quarter turn about z.
fn transforms() -> Vec<Transform> {
    let half = std::f32::consts::FRAC_1_SQRT_2;
    vec![
        Transform { position: [2.0, 0.0, 0.0], ..Transform::default() },
        Transform { position: [0.0, 0.0, 1.0], rotation: [0.0, 0.0, half, half], ..Transform::default() },
    ]
}

fn geometry(tangents: &Tangents) -> Geometry {
    let weights = |influences: &[(i16, f32)]| VertexWeights {
        influences: SmallList::new(influences.iter().map(|(bone, share)| Influence::new(*bone, *share)))
            .expect("few influences"),
    };
    let base = vec![[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]];
    let mut smile = base.clone();
    smile[2] = [0.0, 1.0, 3.0];
    let target = |vertices: Vec<[f32; 3]>| Target { vertices: vertices.into(), tangents: tangents.clone() };
    Geometry {
        targets: vec![target(base), target(smile)].into(),
        weights: vec![weights(&[(0, 0.25), (1, 0.75)]), weights(&[(1, 1.0)]), weights(&[(0, 1.0)])].into(),
        uv0: vec![[0.0, 0.25], [1.0, 0.25], [0.0, 1.0]].into(),
        uv1: vec![[0.5, 0.5]; 2].into(),
        colors: vec![[255, 128, 0, 64]; 3].into(),
        coordinate_indices: Corners::new(&[0, 1, 2], 3).expect("small indices"),
        triangle_indices: Corners::new(&[0, 1, 2], 3).expect("small indices"),
    }
}

fn mesh(id: [u8; 4], geometry: Geometry) -> UnigineMesh {
    let names = [&b""[..], b"smile"].map(|name| TargetName { name: LenStr::new(name) });
    let surface = Surface {
        name: LenStr::new(b"skin"),
        lightmap: Some(Lightmap { uv_channel: 1, resolution: 0 }),
        bounds: Bounds { min: [0.0; 3], max: [1.0; 3], center: [0.5; 3], radius: 1.0 },
        targets: names.to_vec().into(),
    };
    let UnigineMesh::Mesh(blank) = samples::unigine::plain(13) else { unreachable!("an ms13") };
    UnigineMesh::Mesh(Mesh {
        id: FixedStr(id),
        bones: bones().into(),
        transforms: transforms().into(),
        surfaces: vec![surface].into(),
        geometry: vec![geometry].into(),
        ..blank
    })
}

fn scene(files: &[&dyn ToScene]) -> Scene {
    let parts: Vec<_> = files.iter().map(|file| Part { name: "file", file: *file }).collect();
    Scene::of(&parts, &Settings::default().with_rate(10.0))
}

#[test]
fn unigine_is_right_handed_with_z_up_and_transforms_are_relative_to_parents() {
    let tangents = Tangents::Long(vec![Tangent { xyzw: [0, 0, 0, 32767] }; 3].into());
    let scene = scene(&[&mesh(*b"ms13", geometry(&tangents))]);
    let placed = scene.skeleton.model_space(&scene.skeleton.bind_pose());
    // The arm's x points along the file's y, away from the viewer.
    assert!(Vec3::from(placed[0].translation).abs_diff_eq(Vec3::new(0.0, 1.0, -2.0), 1e-6));
    let mesh = &scene.meshes[0];
    assert_eq!(mesh.positions, [Vec3::ZERO, Vec3::X, Vec3::NEG_Z]);
    assert_eq!((mesh.primitives[0].triangles[0], mesh.normals[0]), ([0, 1, 2], Vec3::Y));
    assert_eq!((mesh.uvs[0][0], mesh.colors[0]), (Vec2::new(0.0, 0.25), color8([255, 128, 0, 64])));
    let deltas = &mesh.morphs[0].deltas;
    assert_eq!((deltas[0].vertex, deltas[0].position, deltas.len()), (2, Vec3::Y * 3.0, 1));
    let weights = &mesh.skin.as_ref().expect("a skin").weights;
    let weights: Vec<_> = weights.of(0).iter().map(|own| (own.joint, (own.weight * 100.0).round())).collect();
    assert_eq!(weights, [(1, 75.0), (0, 25.0)]);
    let lost: Vec<_> = scene.losses.iter().map(bindpose::scene::Loss::what).collect();
    assert_eq!(lost, ["lightmaps of surfaces (1)", "texture coordinates (1) of surface \"skin\""]);
}

#[test]
fn unigine_ms15_surfaces_become_meshes_without_skins() {
    let scene = scene(&[&samples::unigine::packed_static()]);
    let mesh = scene.meshes.iter().find(|mesh| &*mesh.name == "triangle").expect("a mesh");
    assert_eq!(mesh.positions, [Vec3::ZERO, Vec3::X, Vec3::NEG_Z]);
    assert!(mesh.skin.is_none() && mesh.morphs.is_empty());
    assert_eq!(mesh.uvs.len(), 2);
}

/// A turn about the file's x by a quarter: z points along -y, towards the viewer.
#[test]
fn unigine_tangents_rotate_x_to_the_tangent_and_z_to_the_normal() {
    let long = Tangents::Long(vec![Tangent { xyzw: [HALF_TURN, 0, 0, HALF_TURN] }; 3].into());
    // The sign of the byte is the side of the binormal alone.
    let short = Tangents::Short(vec![Tangent10 { xyz: [HALF_TURN, 0, 0], w: -127 }; 3].into());
    for (id, tangents, side) in [(*b"ms13", long, 1.0), (*b"ms10", short, -1.0)] {
        let scene = scene(&[&mesh(id, geometry(&tangents))]);
        let mesh = &scene.meshes[0];
        assert!(mesh.normals[0].abs_diff_eq(Vec3::Z, 1e-4), "{}", mesh.normals[0]);
        assert!(mesh.tangents[0].abs_diff_eq(Vec3::X.extend(side), 1e-4), "{}", mesh.tangents[0]);
    }
}

/// The bind pose is in the skeleton, keys and rate in the animation; a missing component is the identity.
#[test]
fn unigine_animations_of_2_21_are_played_on_their_skeleton() {
    let anim = UnigineAnim::Anim12(samples::unigine::rated());
    let skeleton = samples::unigine::skeleton();
    let of = |files: &[&dyn ToScene]| {
        let parts: Vec<_> = files.iter().map(|file| Part { name: "file", file: *file }).collect();
        Scene::of(&parts, &Settings::default())
    };
    let scene = of(&[&anim, &skeleton]);
    let bones = scene.skeleton.bones();
    assert_eq!(bones.iter().map(|bone| &*bone.name).collect::<Vec<_>>(), ["root", "hand"]);
    assert_eq!(bones[1].bind.translation, Vec3::X * 0.5);
    let clip = &scene.clips[0];
    assert_eq!(clip.span(), Some((0.0, 7.0 / 60.0)));
    let root = |frame: f32| clip.sample(&scene.skeleton, frame / 60.0)[0].translation;
    assert_eq!((root(0.0), root(1.0)), (Vec3::ZERO, Vec3::new(1.0, 3.0, -2.0)));
    let is_without_bind_pose = |scene: &Scene| scene.losses.iter().any(|loss| loss.lost == Lost::BindPose);
    assert!(!is_without_bind_pose(&scene), "{:?}", scene.losses);
    assert!(scene.losses.iter().all(|loss| loss.lost != Lost::AssumedRate), "{:?}", scene.losses);
    let alone = of(&[&anim]);
    assert!(is_without_bind_pose(&alone), "{:?}", alone.losses);
}

/// The skin is bound in the bind pose; without a clip, joints are in the rest pose, in which the hand is turned by a quarter.
#[test]
fn unigine_skinned_meshes_have_a_bind_pose_and_a_rest_pose() {
    let scene = scene(&[&UnigineMesh::SkinnedMesh(samples::unigine::hero())]);
    let bones = scene.skeleton.bones();
    assert_eq!(
        (&*bones[1].name, bones[1].parent, bones[1].bind.translation),
        ("hand", Some(0), Vec3::X * 0.5)
    );
    let turn = Quat::from_rotation_y(std::f32::consts::FRAC_PI_2);
    assert!(bones[1].bind.rotation.abs_diff_eq(turn, 1e-6), "{}", bones[1].bind.rotation);
    let mesh = &scene.meshes[0];
    let skin = mesh.skin.as_ref().expect("a skin");
    assert_eq!(skin.joints[1].inverse_bind, Affine3A::from_translation(Vec3::X * -0.5));
    let placed = scene.skeleton.model_space(&scene.skeleton.bind_pose());
    let moved = (placed[1] * skin.joints[1].inverse_bind).transform_point3(mesh.positions[2]);
    assert!(moved.abs_diff_eq(Vec3::new(-0.5, 0.0, 0.5), 1e-6), "{moved}");
    let weights: Vec<_> = skin.weights.of(1).iter().map(|own| (own.joint, own.weight)).collect();
    assert_eq!(weights, [(1, 32768.0 / 65535.0), (0, 32767.0 / 65535.0)]);
    assert_eq!((&*mesh.name, &*mesh.morphs[0].name), ("skin", "smile"));
    let deltas = &mesh.morphs[0].deltas;
    assert_eq!((deltas.len(), deltas[0].vertex, deltas[0].position), (1, 2, Vec3::Y));
    assert_eq!((mesh.uvs[0][1], mesh.colors[1]), (Vec2::X, color8([255, 128, 0, 255])));
    // A turn about the file's z, so that the binormal is the cross product with the other sign.
    assert!(mesh.normals[0].abs_diff_eq(Vec3::Y, 1e-4), "{}", mesh.normals[0]);
    assert!(mesh.tangents[0].abs_diff_eq(Vec3::Z.extend(-1.0), 1e-4), "{}", mesh.tangents[0]);
    assert_eq!(scene.losses, []);
}

/// The pose without a clip is that of the mesh, in which the hand is turned by a quarter; keys are as in the animation.
#[test]
fn unigine_files_of_2_21_are_one_character() {
    let mesh = UnigineMesh::SkinnedMesh(samples::unigine::hero());
    let (skeleton, walk) = (samples::unigine::skeleton(), UnigineAnim::Anim12(samples::unigine::walk()));
    let of = |files: &[&dyn ToScene]| {
        let parts: Vec<_> = files.iter().map(|file| Part { name: "hero", file: *file }).collect();
        Scene::of(&parts, &Settings::default())
    };
    let scene = of(&[&walk, &mesh, &skeleton]);
    assert_eq!(scene.skeleton.bones().len(), 2);
    let turn = Quat::from_rotation_y(std::f32::consts::FRAC_PI_2);
    assert!(scene.skeleton.bones()[1].bind.rotation.abs_diff_eq(turn, 1e-6));
    assert_eq!(scene.meshes[0].skin.as_ref().expect("a skin").joints[1].bone, 1);
    let clip = &scene.clips[0];
    assert_eq!((&*clip.name, clip.span()), ("hero", Some((0.0, 1.0 / 25.0))));
    let pose = clip.sample(&scene.skeleton, 1.0 / 25.0);
    assert_eq!((pose[0].translation, pose[1].translation), (Vec3::X, Vec3::X * 0.5));
    assert!(pose[1].rotation.abs_diff_eq(turn, 1e-6));
    assert_eq!(scene.losses, []);
    assert!(clip.has_root_motion);
    // A second mesh rests in another pose, and the skeleton is in one that no mesh states.
    let UnigineMesh::SkinnedMesh(mut second) = mesh.clone() else { unreachable!("an sk10") };
    second.rests[1].position = [9.0; 3];
    let second = UnigineMesh::SkinnedMesh(second);
    let mut moved = skeleton.clone();
    moved.transforms[1].position = [7.0; 3];
    let lost: Vec<_> =
        of(&[&moved, &mesh, &second]).losses.iter().map(|loss| (loss.lost, loss.count)).collect();
    assert_eq!(lost, [(Lost::SkeletonPoses, 1); 2]);
    let playback = scene.skeleton.playback();
    assert_eq!((&*playback.masks[0].name, playback.masks[0].of(0)), ("upper body", 0.0));
    let [_, hand] = playback.retargeting[..] else { panic!("two joints") };
    assert_eq!(hand, Retargeting { mode: RetargetMode::Proportion, length: Some(0.25) });
    // The hand of another character is the third bone of both.
    let mut other = samples::unigine::skeleton();
    other.bones[0].name = LenStr::new(b"tail");
    let scene = of(&[&skeleton, &other]);
    let masks = &scene.skeleton.playback().masks;
    let values = |mask: usize| [0, 1, 2].map(|bone| masks[mask].of(bone));
    assert_eq!((values(0), values(1)), ([0.0, 1.0, 1.0], [1.0, 1.0, 0.0]));
    // Its file has a value too many for each joint, and an unknown mode.
    other.masks[0].values.push(0.5);
    other.retarget[0].mode = 7;
    let lost: Vec<_> = of(&[&other]).losses.iter().map(|loss| (loss.lost, loss.count)).collect();
    assert_eq!(lost, [(Lost::JointValues, 1), (Lost::RetargetModes, 1)]);
}

#[test]
fn unigine_an10_frames_are_incremental_and_an11_frames_are_complete() {
    let [mut first, mut second] = [Key::default(), Key::default()];
    first.position_z = Some(65535);
    first.rotation = Some([0, 0, HALF_TURN, HALF_TURN]);
    second.position_x = Some(32768);
    let mut frames = Table::new(1);
    for key in [&mut first, &mut second] {
        key.flag();
        frames.push([key.clone()]).expect("a row of one key");
    }
    let body = QuantizedAnimation {
        bone_indices: vec![1].into(),
        positions: QuantizedBox { min: [0.0; 3], size: [65535.0, 1.0, 4.0] },
        scales: QuantizedBox::around([]),
        mask: KeyFlags::from_raw(0x0f),
        frames,
    };
    let UnigineAnim::Anim10(blank) = UnigineAnim::blank_file() else { unreachable!("an an10") };
    let an10 = UnigineAnim::Anim10(Anim10 {
        bones: bones().into(),
        transforms: transforms().into(),
        names: vec![AnimationName { name: LenStr::new(b"run") }].into(),
        animations: vec![body].into(),
        ..blank
    });
    let scene = scene(&[&an10]);
    let clip = &scene.clips[0];
    assert_eq!((&*clip.name, clip.span(), clip.tracks[0].bone), ("run", Some((0.0, 0.1)), 1));
    let pose = clip.sample(&scene.skeleton, 0.1);
    // x from the second frame, z from the first, y from the bone's own transform.
    assert!(pose[1].translation.abs_diff_eq(Vec3::new(32768.0, 4.0, 0.0), 1e-6), "{}", pose[1].translation);
    assert!(pose[1].rotation.abs_diff_eq(Quat::from_rotation_y(std::f32::consts::FRAC_PI_2), 1e-4));

    let UnigineAnim::Anim11(mut anim) = samples::unigine::still() else { unreachable!("an an11") };
    let says = Key11 { flags: KeyFlags11::from_raw(1), position: Some([0.0, 0.0, 5.0]), ..Key11::default() };
    for key in [says, Key11::default()] {
        anim.frames.push([key]).expect("a row of one key");
    }
    let scene = self::scene(&[&UnigineAnim::Anim11(anim)]);
    let sample = |seconds| scene.clips[0].sample(&scene.skeleton, seconds)[0].translation;
    assert_eq!((sample(0.0), sample(0.1)), (Vec3::Y * 5.0, Vec3::ZERO));
}
