//! What PSK and PSA files mean.

use bindpose::codec::Format;
use bindpose::edit::{merge, transform};
use bindpose::formats::psk::{
    Bone, Chunk, Face, Key, Material, MorphDelta, MorphInfo, PhysicsBody, PolyFlags, Psa, PsaConfig, Psk,
    Records, Sequence, SmoothingGroups, Socket, VertexColor, Wedge, Weight,
};
use bindpose::formats::{FormatSpec, lost_without};
use bindpose::scene::author::Authoring;
use bindpose::scene::{Lost, Part, Scene, Settings, Transform, Up, color8};
use bindpose::wire::FixedStr;
use bindpose::{Budget, File, FileKind};
use glam::{Quat, Vec3};

/// A quarter turn about the file's z, up.
const QUARTER: [f32; 4] = [0.0, 0.0, std::f32::consts::FRAC_1_SQRT_2, std::f32::consts::FRAC_1_SQRT_2];

fn bone(name: &str, parent_index: i32, position: [f32; 3]) -> Bone {
    let name = FixedStr::new(name.as_bytes()).expect("a short name");
    Bone { name, parent_index, orientation: QUARTER, position, ..Bone::default() }
}

fn mesh() -> Psk {
    let mut file = Psk::blank_file();
    let bones = vec![bone("Root", 0, [0.0; 3]), bone("Hand", 0, [100.0, 0.0, 0.0])];
    let points = vec![[0.0; 3], [100.0, 0.0, 0.0], [0.0, 100.0, 0.0]];
    let wedges = [0, 1, 2].map(|point_index_low| Wedge { point_index_low, ..Wedge::default() });
    let face = Face { wedge_indices: [0, 1, 2], ..Face::default() };
    file.chunks.push(Chunk::new("PNTS0000", Records::Points(points.into())));
    file.chunks.push(Chunk::new("VTXW0000", Records::Wedges(wedges.to_vec().into())));
    file.chunks.push(Chunk::new("FACE0000", Records::Faces(vec![face].into())));
    file.chunks.push(Chunk::new("REFSKELT", Records::Bones(bones.into())));
    file
}

/// One frame in which the hand is at 50 and nothing is turned; the names are spelled as 3ds Max does.
fn animation() -> Psa {
    let mut file = Psa::blank_file();
    let bones = vec![bone("ROOT   ", 0, [0.0; 3]), bone("hand", 0, [0.0; 3])];
    let still = [0.0, 0.0, 0.0, 1.0];
    let key = |position| Key { position, orientation: still, ..Key::default() };
    let keys = vec![key([10.0, 0.0, 0.0]), key([50.0, 0.0, 0.0])];
    let name = FixedStr::new(b"walk").expect("a short name");
    let sequence = Sequence { name, total_bones: 2, rate: 30.0, num_raw_frames: 1, ..Sequence::default() };
    file.chunks.push(Chunk::new("BONENAMES", Records::Bones(bones.into())));
    file.chunks.push(Chunk::new("ANIMINFO", Records::Sequences(vec![sequence].into())));
    file.chunks.push(Chunk::new("ANIMKEYS", Records::Keys(keys.into())));
    file
}

#[test]
fn a_root_has_the_stored_rotation_and_a_child_the_conjugate() {
    let mesh = mesh();
    let scene = Scene::of(&[Part { name: "mesh", file: &mesh }], &Settings::default());
    let bind = scene.skeleton.bind_pose();
    let quarter = Quat::from_rotation_y(std::f32::consts::FRAC_PI_2);
    assert!(bind[0].rotation.abs_diff_eq(quarter, 1e-6), "{}", bind[0].rotation);
    assert!(bind[1].rotation.abs_diff_eq(quarter.inverse(), 1e-6));
    // A metre along the root's x, which points away from the viewer.
    let placed = scene.skeleton.model_space(&bind);
    assert!(Vec3::from(placed[1].translation).abs_diff_eq(Vec3::NEG_Z, 1e-6));
}

#[test]
fn faces_point_outwards_after_two_corners_are_swapped() {
    let mesh = mesh();
    let scene = Scene::of(&[Part { name: "mesh", file: &mesh }], &Settings::default());
    assert_eq!(scene.meshes[0].primitives[0].triangles, [[0, 2, 1]]);
    // Upwards in the file is inwards.
    assert_eq!(scene.meshes[0].normals[0], Vec3::NEG_Y);
}

fn hand(config: Option<&[u8]>) -> Transform {
    let (mesh, animation) = (mesh(), animation());
    let config = config.map(|text| PsaConfig::decode(text).expect("a config"));
    let mut parts = vec![Part { name: "walk", file: &animation }, Part { name: "mesh", file: &mesh }];
    if let Some(config) = &config {
        parts.push(Part { name: "walk", file: config });
    }
    let scene = Scene::of(&parts, &Settings::default());
    let pose = scene.clips[0].sample(&scene.skeleton, 0.0);
    assert!(pose[0].translation.abs_diff_eq(Vec3::new(0.1, 0.0, 0.0), 1e-6), "the root always moves");
    pose[1]
}

#[test]
fn animations_match_bones_by_name_and_the_config_removes_tracks() {
    assert!(hand(None).translation.abs_diff_eq(Vec3::X * 0.5, 1e-6));
    assert!(hand(Some(b"[AnimSet]\nbAnimRotationOnly=1\n")).translation.abs_diff_eq(Vec3::X, 1e-6));
    let named = b"[AnimSet]\nbAnimRotationOnly=1\n[UseTranslationBoneNames]\nHand\n";
    assert!(hand(Some(named)).translation.abs_diff_eq(Vec3::X * 0.5, 1e-6));
    let removed = hand(Some(b"[RemoveTracks]\nwalk.1=all\n"));
    assert!(removed.translation.abs_diff_eq(Vec3::X, 1e-6));
    assert!(removed.rotation.abs_diff_eq(Quat::from_rotation_y(-std::f32::consts::FRAC_PI_2), 1e-6));
}

#[test]
fn a_configuration_is_that_of_the_animation_of_its_name() {
    let (mesh, animation) = (mesh(), animation());
    let config = PsaConfig::decode(b"[RemoveTracks]\nwalk.1=all\n").expect("a config");
    let moves = |config_name: &str, meshes: &[Part<'_>]| {
        let mut parts = vec![Part { name: config_name, file: &config }];
        parts.extend(["walk", "run"].map(|name| Part { name, file: &animation }));
        parts.extend_from_slice(meshes);
        let scene = Scene::of(&parts, &Settings::default());
        let moves: Vec<_> = scene.clips.iter().map(|own| own.tracks[1].translation.is_some()).collect();
        (
            moves,
            scene.losses.into_iter().filter(|own| own.lost == Lost::TracksOfMesh).map(|own| own.count).sum(),
        )
    };
    let mesh = [Part { name: "mesh", file: &mesh }];
    assert_eq!(moves("RUN", &mesh), (vec![true, false], 0));
    assert_eq!(moves("other", &mesh), (vec![false, false], 0));
    assert_eq!(moves("run", &[]), (vec![true, false], 1));
}

#[test]
fn keys_are_ordered_by_frame_then_by_bone() {
    let mesh = mesh();
    let mut file = animation();
    let key = |x: f32, orientation| Key { position: [x, 0.0, 0.0], orientation, ..Key::default() };
    let still = [0.0, 0.0, 0.0, 1.0];
    // Root and hand of the first frame, root and hand of the second.
    let keys = vec![key(0.0, still), key(100.0, still), key(0.0, still), key(300.0, QUARTER)];
    for chunk in &mut *file.chunks {
        match &mut chunk.records {
            Records::Keys(own) => *own = keys.clone().into(),
            Records::Sequences(own) => own[0].num_raw_frames = 2,
            _ => {}
        }
    }
    let parts = [Part { name: "walk", file: &file }, Part { name: "mesh", file: &mesh }];
    let scene = Scene::of(&parts, &Settings::default());
    let clip = &scene.clips[0];
    // At 30 frames a second.
    assert_eq!(clip.span(), Some((0.0, 1.0 / 30.0)));
    let pose = clip.sample(&scene.skeleton, 0.5 / 30.0);
    assert!(pose[1].translation.abs_diff_eq(Vec3::X * 2.0, 1e-5), "{}", pose[1].translation);
    // Half of a quarter turn the other way than stored.
    assert!(pose[1].rotation.abs_diff_eq(Quat::from_rotation_y(-std::f32::consts::FRAC_PI_4), 1e-5));
}

#[test]
fn unmatched_lines_of_a_config_are_reported() {
    let removed = hand(Some(b"[RemoveTracks]\nWALK.1=trans\n"));
    assert!(removed.translation.abs_diff_eq(Vec3::X, 1e-6), "the case of a name does not count");
    let text =
        b"[UseTranslationBoneNames]\nHand\nTail\n[RemoveTracks]\nrun.1=all\nwalk.2=rot\nwalk.0=rot\nwalk\n";
    let (mesh, animation) = (mesh(), animation());
    let config = PsaConfig::decode(text).expect("a config");
    let parts = [
        Part { name: "config", file: &config },
        Part { name: "walk", file: &animation },
        Part { name: "mesh", file: &mesh },
    ];
    let scene = Scene::of(&parts, &Settings::default());
    let lost: Vec<_> = scene.losses.iter().map(bindpose::scene::Loss::what).collect();
    let expected = ["lines about removed tracks (3)", "lines about bones (1)"];
    assert_eq!(lost, expected);
}

#[test]
fn drawing_flags_become_material_properties_or_losses() {
    let mut file = mesh();
    let flags = [PolyFlags::new().with_unlit(true), PolyFlags::new().with_environment(true)];
    let materials = flags.map(|poly_flags| Material { poly_flags, ..Material::default() });
    file.chunks.push(Chunk::new("MATT0000", Records::Materials(materials.to_vec().into())));
    let scene = Scene::of(&[Part { name: "mesh", file: &file }], &Settings::default());
    assert_eq!([0, 1].map(|index| scene.materials[index].unlit), [true, false]);
    let lost: Vec<_> = scene.losses.iter().map(bindpose::scene::Loss::what).collect();
    assert_eq!(lost, ["drawing flags of materials (1)"]);
}

#[test]
fn the_keys_of_a_clip_without_a_first_frame_follow_the_previous_clip() {
    let mesh = mesh();
    let mut file = animation();
    let key = |x: f32| Key { position: [x, 0.0, 0.0], orientation: [0.0, 0.0, 0.0, 1.0], ..Key::default() };
    for chunk in &mut *file.chunks {
        match &mut chunk.records {
            Records::Keys(own) => *own = [0.0, 100.0, 0.0, 300.0].map(key).to_vec().into(),
            // As CUE4Parse wrote them: the number of frames in the place of the first.
            Records::Sequences(own) => {
                let second = Sequence { first_raw_frame: 2, ..own[0].clone() };
                own.push(second);
            }
            _ => {}
        }
    }
    let parts = [Part { name: "walk", file: &file }, Part { name: "mesh", file: &mesh }];
    let scene = Scene::of(&parts, &Settings::default());
    let hand = |clip: usize| scene.clips[clip].sample(&scene.skeleton, 0.0)[1].translation;
    assert!(hand(0).abs_diff_eq(Vec3::X, 1e-6) && hand(1).abs_diff_eq(Vec3::X * 3.0, 1e-6));
    let lost: Vec<_> = scene.losses.iter().map(bindpose::scene::Loss::what).collect();
    assert_eq!(lost, ["first frames of clips (1)"]);
}

#[test]
fn bones_with_equal_names_are_matched_to_tracks_in_order() {
    let (mut mesh, mut file) = (mesh(), animation());
    for chunk in mesh.chunks.iter_mut().chain(&mut *file.chunks) {
        if let Records::Bones(bones) = &mut chunk.records {
            bones[1].name = bones[0].name;
        }
    }
    let parts = [Part { name: "walk", file: &file }, Part { name: "mesh", file: &mesh }];
    let scene = Scene::of(&parts, &Settings::default());
    let pose = scene.clips[0].sample(&scene.skeleton, 0.0);
    assert!(pose[0].translation.abs_diff_eq(Vec3::X * 0.1, 1e-6), "{}", pose[0].translation);
    assert!(pose[1].translation.abs_diff_eq(Vec3::X * 0.5, 1e-6), "{}", pose[1].translation);
    assert_eq!(scene.losses, []);
}

#[test]
fn points_have_weights_normals_and_morphs_and_wedges_colours_and_coordinates() {
    let mut file = mesh();
    let weight = |bone_index, weight| Weight { weight, point_index: 1, bone_index };
    let info = MorphInfo { name: FixedStr::new(b"smile").expect("a short name"), num_vertices: 1 };
    let delta = MorphDelta { position_delta: [0.0, 100.0, 200.0], normal_delta: [0.0; 3], point_index: 1 };
    for (id, records) in [
        ("RAWWEIGHTS", Records::Weights(vec![weight(0, 1.0), weight(1, 3.0)].into())),
        ("VERTEXCOLOR", Records::VertexColors(vec![VertexColor { bytes: [1, 2, 3, 4] }; 3].into())),
        ("VTXNORMS", Records::Normals(vec![[0.0, -1.0, 0.0]; 2].into())),
        ("MRPHINFO", Records::MorphInfos(vec![info].into())),
        ("MRPHDATA", Records::MorphDeltas(vec![delta].into())),
        ("PHYSICS0", Records::PhysicsBodies(vec![PhysicsBody::default()].into())),
    ] {
        file.chunks.push(Chunk::new(id, records));
    }
    let scene = Scene::of(&[Part { name: "mesh", file: &file }], &Settings::default());
    let mesh = &scene.meshes[0];
    let weights = &mesh.skin.as_ref().expect("a skin").weights;
    let weights: Vec<_> = weights.of(1).iter().map(|own| (own.joint, own.weight)).collect();
    assert_eq!(weights, [(1, 0.75), (0, 0.25)]);
    assert_eq!(mesh.colors, [color8([1, 2, 3, 4]); 3]);
    let moved = mesh.morphs[0].deltas[0];
    // The only writer does not mirror them along y as it does the points: the file's y is the viewer's side.
    assert_eq!((moved.vertex, moved.position), (1, Vec3::new(0.0, 2.0, 1.0)));
    let lost: Vec<_> = scene.losses.iter().map(bindpose::scene::Loss::what).collect();
    assert_eq!(lost, ["normals (2)", "sums of weights (1)", "chunks PHYSICS0 (1)"]);
}

/// A mesh with a colour at each wedge, whose first chunk and the others have these stamps.
fn colored(head: i32, others: i32, bytes: [u8; 4]) -> Psk {
    let mut file = mesh();
    let num = file.wedges().len();
    file.chunks
        .push(Chunk::new("VERTEXCOLOR", Records::VertexColors(vec![VertexColor { bytes }; num].into())));
    for (at, chunk) in file.chunks.iter_mut().enumerate() {
        chunk.type_flag = if at == 0 { head } else { others };
    }
    file
}

#[test]
fn the_writer_determines_the_order_of_the_channels_of_colours() {
    let red = color8([255, 0, 0, 255]);
    for (head, others, bytes, hints) in [
        // ActorX for 3ds Max.
        (2_003_321, 0, [0, 0, 255, 255], 0),
        // UE Viewer, or ActorX for Maya.
        (20_100_422, 0, [255, 0, 0, 255], 1),
        // UE Viewer, whose order changed on 1 February 2020.
        (20_100_422, 20_100_422, [255, 0, 0, 255], 1),
        // CUE4Parse, and a fork of UE Viewer.
        (20_220_723, 0, [255, 0, 0, 255], 0),
        (20_210_917, 0, [255, 0, 0, 255], 0),
        // io_scene_psk_psa.
        (1_999_801, 1_999_801, [255, 0, 0, 255], 0),
        // Unknown.
        (5, 0, [255, 0, 0, 255], 1),
    ] {
        let file = colored(head, others, bytes);
        let scene = Scene::of(&[Part { name: "mesh", file: &file }], &Settings::default());
        assert!(
            scene.meshes[0].colors.iter().all(|own| own.map(f32::to_bits) == red.map(f32::to_bits)),
            "{head} {others}"
        );
        let bytes = file.encode().expect("encoded");
        let report = File::Psk(Box::new(file)).check(&bytes, usize::MAX);
        let found = report.findings.iter().filter(|own| own.rule.code == "psk/color-order").count();
        assert_eq!(found, hints, "{head} {others}");
    }
}

#[test]
fn colours_of_a_merged_mesh_get_the_order_of_the_other() {
    let [mut file, other] = [(20_220_723, [1, 2, 3, 4]), (2_003_321, [7, 6, 5, 8])]
        .map(|(stamp, bytes)| File::Psk(Box::new(colored(stamp, 0, bytes))));
    merge(&mut file, &other).expect("merged");
    let File::Psk(file) = file else { panic!("a mesh") };
    let num = file.wedges().len() / 2;
    let bytes: Vec<_> = file.vertex_colors().iter().map(|own| own.bytes).collect();
    assert_eq!(bytes, [vec![[1, 2, 3, 4]; num], vec![[5, 6, 7, 8]; num]].concat());
}

#[test]
fn blanks_at_the_end_of_names_do_not_reach_the_scene() {
    let mut file = mesh();
    for chunk in file.chunks.iter_mut() {
        if let Records::Bones(bones) = &mut chunk.records {
            bones[1].name = FixedStr::new(format!("{:31}", "Bone01").as_bytes()).expect("a short name");
        }
    }
    let scene = Scene::of(&[Part { name: "mesh", file: &file }], &Settings::default());
    assert_eq!(scene.skeleton.bones()[1].name, "Bone01");
}

#[test]
fn normals_that_are_no_directions_are_those_of_the_faces_around() {
    let mut file = mesh();
    let normals = vec![[0.0, 0.0, 1.0], [0.0; 3], [f32::NAN, 0.0, 0.0]];
    file.chunks.push(Chunk::new("VTXNORMS", Records::Normals(normals.into())));
    let scene = Scene::of(&[Part { name: "mesh", file: &file }], &Settings::default());
    let normals = &scene.meshes[0].normals;
    let around = normals[1];
    // The triangle is horizontal.
    assert!(around.abs().abs_diff_eq(Vec3::Y, 1e-6) && normals[2] == around, "{normals:?}");
    assert_eq!(normals[0], Vec3::Y);
    assert!(scene.losses.iter().any(|loss| loss.what() == "normals (2)"), "{:?}", scene.losses);
}

/// A mesh with the bones of a character, all relative to the root, which is not turned.
fn character(pelvis: [f32; 3], foot: [f32; 3], head: [f32; 3]) -> Psk {
    let mut file = Psk::blank_file();
    let still = |name, position| Bone { orientation: [0.0, 0.0, 0.0, 1.0], ..bone(name, 0, position) };
    let [x, y, z] = foot;
    let bones = vec![
        still("Root", [0.0; 3]),
        still("Bip01 Pelvis", pelvis),
        still("Bip01 L Foot", foot),
        still("Bip01 R Foot", [-x, y, z]),
        still("Bip01 Head", head),
    ];
    file.chunks.push(Chunk::new("REFSKELT", Records::Bones(bones.into())));
    file
}

#[test]
fn the_bones_of_a_character_determine_the_up_axis() {
    let upright = character([0.0, 0.0, 95.0], [10.0, 0.0, 8.0], [0.0, -2.0, 165.0]);
    let on_y = character([0.0, 95.0, 0.0], [10.0, 8.0, 0.0], [0.0, 165.0, 2.0]);
    let crocodile = character([0.0, 0.0, 30.0], [25.0, 5.0, 3.0], [0.0, 150.0, 35.0]);
    for (file, head, is_assumed) in [
        (&upright, Vec3::new(0.0, 1.65, 0.02), false),
        (&on_y, Vec3::new(0.0, 1.65, 0.02), true),
        (&crocodile, Vec3::new(0.0, 0.35, -1.5), false),
    ] {
        let parts = [Part { name: "hero", file }];
        let placed = |settings: &Settings| {
            let scene = Scene::of(&parts, settings);
            let losses: Vec<_> =
                scene.losses.iter().filter(|loss| loss.lost == Lost::UpAxis).cloned().collect();
            (scene.skeleton.bones()[4].bind.translation, losses.len())
        };
        let (found, num_losses) = placed(&Settings::default());
        assert!(found.abs_diff_eq(head, 1e-5), "{found}");
        assert_eq!(num_losses, usize::from(is_assumed));
        assert_eq!(placed(&Settings::default().with_up(Some(Up::Z))).1, 0, "given");
    }
    let mut clip = animation();
    let Records::Bones(bones) = &mut clip.chunks[1].records else { panic!("bones") };
    bones[0].name = FixedStr::new(b"Bip01 Head").expect("a short name");
    let parts = [Part { name: "run", file: &clip }, Part { name: "hero", file: &on_y }];
    let scene = Scene::of(&parts, &Settings::default());
    assert_eq!(scene.losses.iter().filter(|loss| loss.lost == Lost::UpAxis).count(), 1, "once for a set");
}

/// The place of each corner stays, whatever the axis along which a character lies.
#[test]
fn a_lying_character_that_this_library_wrote_is_read_as_it_was() {
    let lying = character([0.0, 95.0, 0.0], [10.0, 8.0, 0.0], [0.0, 165.0, 2.0]);
    let given = Settings::default().with_up(Some(Up::Z));
    let scene = Scene::of(&[Part { name: "hero", file: &lying }], &given);
    let authored = FormatSpec::from(FileKind::Psk).author(&scene, "hero", &Authoring::default());
    let written = authored.expect("a skeleton").files.remove(0).file;
    let again = Scene::of(&[Part { name: "hero", file: written.as_scene_source() }], &Settings::default());
    for (own, bone) in again.skeleton.bones().iter().zip(scene.skeleton.bones()) {
        let [own, before] = [own, bone].map(|bone| bone.bind.translation);
        assert!(own.abs_diff_eq(before, 1e-5), "{}: {own} {before}", bone.name);
    }
}

#[test]
fn the_bone_of_a_socket_is_found_alike_by_scenes_checks_and_edits() {
    let text = |text: &str| FixedStr::new(text.as_bytes()).expect("a short name");
    for (name, is_there) in
        [("Hand", true), ("hand", true), ("HAND   ", true), ("root", true), ("han", false)]
    {
        let mut mesh = mesh();
        let socket = Socket { name: text("grip"), bone_name: text(name), ..Socket::default() };
        mesh.chunks.push(Chunk::new("SKELSOCK", Records::Sockets(vec![socket].into())));
        let scene = Scene::of(&[Part { name: "mesh", file: &mesh }], &Settings::default());
        assert_eq!(scene.losses.iter().all(|loss| loss.lost != Lost::SocketBone), is_there, "{name}");
        let mut files = [File::Psk(Box::new(mesh))];
        let report = files[0].check_valid(9);
        let is_found = report.findings.iter().all(|own| own.rule.code != "psk/unknown-socket-bone");
        assert_eq!(is_found, is_there, "{name}");
        let moved = transform(&mut files, Quat::IDENTITY, Vec3::X, &Budget::default());
        assert_eq!(moved.is_ok(), is_there, "{name}");
    }
}

#[test]
fn sockets_are_attachments_with_the_angles_of_unreal() {
    let text = |text: &str| FixedStr::new(text.as_bytes()).expect("a short name");
    let socket = |name: &str, bone: &str, rotation| Socket {
        name: text(name),
        bone_name: text(bone),
        location: [5.0, 3.0, 0.0],
        rotation,
        scale: [1.0, 2.0, 1.0],
    };
    let mut file = mesh();
    let sockets = vec![
        socket("nose up", "hand", [90.0, 0.0, 0.0]),
        socket("to the right", "Hand", [0.0, 90.0, 0.0]),
        socket("tilted right", "", [0.0, 0.0, 90.0]),
        socket("lost", "nobone", [0.0; 3]),
    ];
    file.chunks.push(Chunk::new("SKELSOCK", Records::Sockets(sockets.clone().into())));
    let scene = Scene::of(&[Part { name: "mesh", file: &file }], &Settings::default());
    let bones: Vec<_> = scene.attachments.iter().map(|own| own.bone).collect();
    assert_eq!(bones, [Some(1), Some(1), None]);
    // Right is -y in the file, as its points are mirrored, and z in the scene.
    for (own, (from, to)) in
        scene.attachments.iter().zip([(Vec3::X, Vec3::Y), (Vec3::X, Vec3::Z), (Vec3::Y, Vec3::Z)])
    {
        assert!((own.place.rotation * from).abs_diff_eq(to, 1e-6), "{own:?}");
        assert!(own.place.translation.abs_diff_eq(Vec3::new(0.05, 0.0, 0.03), 1e-6), "{own:?}");
        assert_eq!(own.place.scale, Vec3::new(1.0, 1.0, 2.0));
    }
    let lost: Vec<_> = scene.losses.iter().map(|loss| (loss.what(), loss.why())).collect();
    assert!(
        lost.contains(&("socket \"lost\"".to_owned(), "no bone is called \"nobone\"".to_owned())),
        "{lost:?}"
    );

    let written =
        FormatSpec::from(FileKind::Psk).author(&scene, "mesh", &Authoring::default()).expect("a mesh");
    let File::Psk(again) = &written.files[0].file else { unreachable!() };
    assert_eq!(again.sockets().len(), 3);
    for (own, socket) in again.sockets().iter().zip(&sockets) {
        let near = |a: [f32; 3], b: [f32; 3]| Vec3::from(a).abs_diff_eq(b.into(), 1e-4);
        assert!(near(own.location, socket.location) && near(own.rotation, socket.rotation), "{own:?}");
        assert!(near(own.scale, socket.scale) && own.name == socket.name);
    }
    let lost = lost_without(&scene, "mesh", &[FileKind::Ms3d]);
    assert_eq!(lost.iter().filter(|own| own.what().starts_with("attachment")).count(), 3);
}

#[test]
fn smoothing_groups_are_stated() {
    let lost = |groups: &[u32]| {
        let mut file = mesh();
        let faces = groups.iter().map(|group| Face {
            wedge_indices: [0, 1, 2],
            smoothing_groups: SmoothingGroups::from_raw(*group),
            ..Face::default()
        });
        file.chunks[3] = Chunk::new("FACE0000", Records::Faces(faces.collect::<Vec<_>>().into()));
        let scene = Scene::of(&[Part { name: "file", file: &file }], &Settings::default());
        scene
            .losses
            .iter()
            .filter(|own| own.lost == Lost::SmoothingGroups)
            .map(|own| own.count)
            .sum::<usize>()
    };
    assert_eq!([lost(&[1, 1]), lost(&[1, 2]), lost(&[1, 2, 4])], [0, 1, 2]);
}
