//! Features of glTF that scenes represent in another way.

use std::collections::BTreeSet;

use bindpose::FileKind;
use bindpose::formats::FormatSpec;
use bindpose::scene::author::{Authoring, Points};
use bindpose::scene::{
    Bone, Clip, Curve, Delta, Interpolation, LossKind, Lost, Mesh, Morph, MorphTrack, Part, Primitive, Scene,
    Settings, Skeleton, Targets, TextureRole, gltf,
};
use glam::{Affine3A, Mat4, Quat, Vec2, Vec3};
use serde_json::{Value, json};

use super::hand::Hand;

/// A square with texture coordinates, and more in its primitive.
fn square(hand: &mut Hand, more: &Value) -> Value {
    let positions = hand.floats("VEC3", &[0., 0., 0., 1., 0., 0., 0., 1., 0., 1., 1., 0.]);
    let uvs = hand.floats("VEC2", &[0., 0., 1., 0., 0., 1., 1., 1.]);
    let indices = hand.accessor(&[0, 1, 2, 2, 1, 3], 5121, "SCALAR", 6);
    let mut primitive =
        json!({ "attributes": { "POSITION": positions, "TEXCOORD_0": uvs }, "indices": indices });
    for (key, value) in more.as_object().expect("an object") {
        primitive[key] = value.clone();
    }
    primitive
}

/// A square with a material whose base colour has a texture.
fn textured(texture: &Value) -> Hand {
    let mut hand = Hand::new(json!({
        "nodes": [{ "mesh": 0 }],
        "images": [{ "uri": "skin.png" }],
        "textures": [{ "source": 0 }],
        "materials": [{ "pbrMetallicRoughness": { "metallicFactor": 0.0, "baseColorTexture": texture } }],
    }));
    let primitive = square(&mut hand, &json!({ "material": 0 }));
    hand.json["meshes"] = json!([{ "primitives": [primitive] }]);
    hand
}

#[test]
fn transforms_of_textures_are_applied_to_their_coordinates() {
    let transform =
        json!({ "offset": [0.5, 0.25], "rotation": std::f32::consts::FRAC_PI_2, "scale": [15.0, 2.0] });
    let mut hand = textured(&json!({ "index": 0, "extensions": { "KHR_texture_transform": transform } }));
    for list in ["extensionsUsed", "extensionsRequired"] {
        hand.json[list] = json!(["KHR_texture_transform"]);
    }
    let scene = hand.scene();
    assert_eq!(scene.losses, []);
    // Counterclockwise in the image: u points up, against v.
    let expected = [[0.5, 0.25], [0.5, 0.25 - 15.0], [2.5, 0.25], [2.5, 0.25 - 15.0]];
    for (uv, expected) in scene.meshes[0].uvs[0].iter().zip(expected) {
        assert!(uv.abs_diff_eq(Vec2::from(expected), 1e-5), "{uv} instead of {expected:?}");
    }
}

#[test]
fn the_texture_coordinates_of_the_base_colour_come_first() {
    let mut hand = textured(&json!({ "index": 0, "texCoord": 1 }));
    let second = hand.floats("VEC2", &[0.5; 8]);
    hand.json["meshes"][0]["primitives"][0]["attributes"]["TEXCOORD_1"] = second.into();
    let mesh = &hand.scene().meshes[0];
    assert_eq!(mesh.uvs[0], [Vec2::splat(0.5); 4]);
    assert_eq!(mesh.uvs[1][1], Vec2::X);
}

/// Two primitives with the same vertices and transforms of their own.
#[test]
fn vertices_of_two_transforms_are_not_shared() {
    let scaled = |scale: f32| json!({ "index": 0, "extensions": { "KHR_texture_transform": { "scale": [scale, scale] } } });
    let mut hand = textured(&scaled(2.0));
    let second = json!({ "pbrMetallicRoughness": { "baseColorTexture": scaled(3.0) } });
    hand.push("materials", second);
    let mut primitive = hand.json["meshes"][0]["primitives"][0].clone();
    primitive["material"] = 1.into();
    hand.json["meshes"][0]["primitives"].as_array_mut().expect("a list").push(primitive);
    let mesh = &hand.scene().meshes[0];
    let corner = |primitive: usize| mesh.uvs[0][mesh.primitives[primitive].triangles[1][2] as usize];
    assert_eq!([corner(0), corner(1)], [Vec2::splat(2.0), Vec2::splat(3.0)]);
}

#[test]
fn required_extensions_that_are_not_read_are_errors_that_name_them() {
    for name in ["EXT_texture_astc", "EXT_meshopt_compression", "ACME_mesh"] {
        let mut hand = textured(&json!({ "index": 0 }));
        hand.json["extensionsRequired"] = json!([name]);
        // Its buffer has no content; the extension is reported before that.
        hand.json["bufferViews"][0]["buffer"] = 7.into();
        let error = hand.error();
        assert!(error.contains(&format!("the required extension {name} is not supported")), "{error}");
    }
}

#[test]
fn compressed_content_is_an_error_even_if_the_extension_is_not_required() {
    let mut hand = Hand::new(json!({
        "nodes": [{ "mesh": 0 }],
        "extensionsUsed": ["KHR_draco_mesh_compression"],
        "accessors": [{ "componentType": 5126, "type": "VEC3", "count": 24 }],
    }));
    hand.json["meshes"] = json!([{ "primitives": [{ "attributes": { "POSITION": 0 } }] }]);
    let error = hand.error();
    assert!(
        error.contains("meshes[0].primitives") && error.contains("KHR_draco_mesh_compression"),
        "{error}"
    );
    let text = json!({
        "asset": { "version": "2.0" },
        "extensionsUsed": ["EXT_meshopt_compression"],
        "buffers": [{ "byteLength": 100 }],
    });
    let error = super::gltf_read::import(text.to_string().as_bytes()).expect_err("no content").to_string();
    assert!(error.contains("buffers[0]") && error.contains("EXT_meshopt_compression"), "{error}");
}

#[test]
fn textures_in_other_formats_are_losses_that_name_the_extension() {
    let mut hand = textured(&json!({ "index": 0 }));
    for list in ["extensionsUsed", "extensionsRequired"] {
        hand.json[list] = json!(["KHR_texture_basisu"]);
    }
    hand.json["textures"] = json!([{ "extensions": { "KHR_texture_basisu": { "source": 0 } } }]);
    let losses = hand.scene().losses;
    assert!(
        losses
            .iter()
            .any(|loss| loss.what().starts_with("textures") && loss.why().contains("KHR_texture_basisu")),
        "{losses:?}"
    );
}

#[test]
fn images_of_extensions_are_read_where_there_are_no_others() {
    for name in ["EXT_texture_webp", "MSFT_texture_dds"] {
        let path = |texture: Value| {
            let mut hand = textured(&json!({ "index": 0 }));
            hand.json["extensionsRequired"] = json!([name]);
            hand.json["extensionsUsed"] = json!([name]);
            hand.push("images", json!({ "uri": "skin.other" }));
            hand.json["textures"] = json!([texture]);
            let scene = hand.scene();
            assert_eq!(scene.losses, []);
            scene.materials[0].textures[0].path.clone()
        };
        let other = json!({ name: { "source": 1 } });
        assert_eq!(path(json!({ "extensions": other })), "skin.other");
        assert_eq!(path(json!({ "source": 0, "extensions": other })), "skin.png");
    }
}

/// A square with two morph targets without names, the first of which is shown, and a clip of their weights.
fn morphed() -> Hand {
    let mut hand = Hand::new(json!({ "nodes": [{ "mesh": 0 }] }));
    let forward = hand.floats("VEC3", &[0., 0., 1.].repeat(4));
    let right = hand.floats("VEC3", &[1., 0., 0.].repeat(4));
    let targets = json!({ "targets": [{ "POSITION": forward }, { "POSITION": right }] });
    let primitive = square(&mut hand, &targets);
    hand.json["meshes"] = json!([{ "primitives": [primitive], "weights": [0.5, 0.0] }]);
    let times = hand.floats("SCALAR", &[0., 1.]);
    let weights = hand.floats("SCALAR", &[0.5, 0., 1., 1.]);
    hand.json["animations"] = json!([{
        "samplers": [{ "input": times, "output": weights }],
        "channels": [{ "sampler": 0, "target": { "node": 0, "path": "weights" } }],
    }]);
    hand
}

#[test]
fn default_weights_of_morph_targets_are_applied() {
    let scene = morphed().scene();
    let mesh = &scene.meshes[0];
    assert_eq!(mesh.positions[1], Vec3::new(1.0, 0.0, 0.5));
    // At the end both targets are shown.
    let weight = |target: usize| scene.clips[0].morphs[target].weight.sample(1.0).expect("keys");
    let shown = (0..2).map(|target| mesh.morphs[target].deltas[0].position * weight(target)).sum::<Vec3>();
    assert_eq!(mesh.positions[0] + shown, Vec3::new(1.0, 0.0, 1.0));
    assert_eq!(scene.losses.len(), 1, "{:?}", scene.losses);
}

#[test]
fn weights_keep_their_steps_and_splines_when_exported() {
    let mut hand = morphed();
    hand.json["animations"][0]["samplers"][0]["interpolation"] = "STEP".into();
    let step = hand.scene();
    let mut hand = morphed();
    let keys = [0., 0., 0.5, 0., 2., 1., 0., -1., 1., 1., 0., 0.];
    let keys = hand.floats("SCALAR", &keys);
    let sampler = &mut hand.json["animations"][0]["samplers"][0];
    (sampler["output"], sampler["interpolation"]) = (keys.into(), "CUBICSPLINE".into());
    for scene in [step, hand.scene()] {
        let exported = super::gltf_read::again(&scene).expect("a scene");
        assert_eq!(exported.clips[0].morphs.len(), scene.clips[0].morphs.len());
        assert_ne!(exported.clips[0].morphs, []);
        for (own, again) in scene.clips[0].morphs.iter().zip(&exported.clips[0].morphs) {
            for time in [0.0, 0.3, 0.7, 1.0] {
                assert_eq!(own.weight.sample(time), again.weight.sample(time), "at {time} s");
            }
        }
    }
}

#[test]
fn morph_targets_without_names_stay_apart() {
    let scene = morphed().scene();
    let names: Vec<_> = scene.meshes[0].morphs.iter().map(|own| &*own.name).collect();
    assert_eq!(names, ["target_0", "target_1"]);
    let written = FormatSpec::from(FileKind::Psk).author(&scene, "face", &Authoring::default());
    let files = written.expect("a mesh").files;
    let again =
        Scene::of(&[Part { name: "face", file: files[0].file.as_scene_source() }], &Settings::default());
    assert_eq!(again.meshes[0].morphs.len(), 2);
    // Nor do targets of one name merge.
    let mut scene = scene;
    scene.meshes[0].morphs.iter_mut().for_each(|own| own.name.clear());
    let (merged, places) = bindpose::scene::author::merge(scene.meshes);
    assert_eq!((merged.morphs.len(), &*places[0]), (2, &[0, 1][..]));
}

/// Tracks in files name their targets: the weights of each mesh need names of their own.
#[test]
fn targets_of_one_name_and_other_weights_stay_apart() {
    let mesh = |name: &str, x: f32| {
        let delta = |vertex| Delta { vertex, position: Vec3::Z, normal: Vec3::ZERO };
        Mesh {
            name: name.into(),
            positions: [Vec3::ZERO, Vec3::X, Vec3::Y].map(|own| own + Vec3::X * x).to_vec(),
            primitives: vec![Primitive { triangles: vec![[0, 1, 2]], ..Primitive::default() }],
            morphs: vec![Morph::new("smile".into(), (0..3).map(delta).collect())],
            ..Mesh::default()
        }
    };
    let track = |mesh, end| {
        let weight = Curve::new([(0.0, 0.0), (1.0, end)], Interpolation::Linear);
        MorphTrack { targets: Targets::These(vec![(mesh, 0)]), weight }
    };
    let clip = Clip { name: "talk".into(), morphs: vec![track(0, 1.0), track(1, 0.25)], ..Clip::default() };
    let bone = Bone { name: "head".into(), ..Bone::default() };
    let scene = Scene {
        skeleton: Skeleton::new(vec![bone]).0,
        meshes: vec![mesh("face", 0.0), mesh("teeth", 5.0)],
        clips: vec![clip],
        ..Scene::default()
    };
    let written = [FileKind::Psk, FileKind::Psa].map(|kind| {
        FormatSpec::from(kind).author(&scene, "head", &Authoring::default()).expect("a mesh and a clip")
    });
    assert!(written.iter().all(|own| own.losses.iter().any(|loss| loss.lost == Lost::Renamed)));
    let files = written.iter().flat_map(|own| &own.files);
    let parts: Vec<_> = files.map(|own| Part { name: &own.name, file: own.file.as_scene_source() }).collect();
    let again = Scene::of(&parts, &Settings::default());
    let posed = again.posed(Some(&again.clips[0]), 1.0);
    let positions: Vec<_> = posed.iter().flat_map(|own| &own.positions).collect();
    assert_eq!(positions.len(), 6);
    for position in positions {
        let expected = if position.x < 3.0 { 1.0 } else { 0.25 };
        assert!((position.z - expected).abs() < 1e-5, "{position}");
    }
}

#[test]
fn channels_without_a_node_are_ignored() {
    let mut hand = morphed();
    let pointer = json!({ "pointer": "/nodes/0/translation" });
    let target = json!({ "path": "pointer", "extensions": { "KHR_animation_pointer": pointer } });
    let channels = hand.json["animations"][0]["channels"].as_array_mut().expect("a list");
    channels.push(json!({ "sampler": 0, "target": target }));
    let scene = hand.scene();
    assert_eq!(scene.clips[0].morphs.len(), 2);
    assert!(
        scene.losses.iter().any(|loss| loss.what() == "channels of animations (1)"),
        "{:?}",
        scene.losses
    );
}

/// Files of glTF 1.0 and converters of them state 0.
#[test]
fn a_stride_of_0_is_the_size_of_an_element() {
    let mut hand = Hand::new(json!({ "nodes": [{ "mesh": 0 }] }));
    let positions = hand.floats("VEC3", &[0., 0., 0., 1., 0., 0., 0., 1., 0.]);
    hand.json["bufferViews"][0]["byteStride"] = 0.into();
    hand.json["meshes"] = json!([{ "primitives": [{ "attributes": { "POSITION": positions } }] }]);
    assert_eq!(hand.scene().meshes[0].positions, [Vec3::ZERO, Vec3::X, Vec3::Y]);
}

/// The square is bent along its diagonal.
#[test]
fn triangles_without_normals_are_flat() {
    let mut hand = Hand::new(json!({ "nodes": [{ "mesh": 0 }] }));
    let positions = hand.floats("VEC3", &[0., 0., 0., 1., 0., 0., 0., 1., 0., 1., 1., 1.]);
    let indices = hand.accessor(&[0, 1, 2, 2, 1, 3], 5121, "SCALAR", 6);
    hand.json["meshes"] =
        json!([{ "primitives": [{ "attributes": { "POSITION": positions }, "indices": indices }] }]);
    let mesh = &hand.scene().meshes[0];
    let [first, second] = [0, 1].map(|triangle| mesh.primitives[0].triangles[triangle]);
    assert_eq!(mesh.positions.len(), 6);
    assert_eq!(first.map(|corner| mesh.normals[corner as usize]), [Vec3::Z; 3]);
    let normal = Vec3::new(-1.0, -1.0, 1.0).normalize();
    assert!(second.iter().all(|corner| mesh.normals[*corner as usize].abs_diff_eq(normal, 1e-6)));
    assert_eq!(Points::of_positions(mesh).of_vertices().iter().max(), Some(&3));
}

/// Two bones of a straight rig, whose second node is turned in the file; a clip moves only the first. Points and joints
/// are in units that the node above the joints converts.
fn posed(unit: f32) -> Scene {
    let turned = Quat::from_rotation_z(1.0);
    let mut hand = Hand::new(json!({
        "nodes": [
            { "mesh": 0, "skin": 0, "name": "arm" },
            { "name": "upper", "children": [2] },
            { "name": "lower", "translation": [unit.recip(), 0.0, 0.0], "rotation": turned.to_array() },
            { "name": "armature", "scale": [unit, unit, unit], "children": [1] },
        ],
        "scenes": [{ "nodes": [0, 3] }],
    }));
    let positions = [0., 0., 0., 1., 0., 0., 2., 0., 0., 2., 1., 0.].map(|own: f32| own / unit);
    let positions = hand.floats("VEC3", &positions);
    let normals = hand.floats("VEC3", &[0., 0., 1.].repeat(4));
    let joints = hand.accessor(&[0, 1, 0, 0].repeat(4), 5121, "VEC4", 4);
    let weights = hand.floats("VEC4", &[1., 0., 0., 0., 0.5, 0.5, 0., 0., 0., 1., 0., 0., 0., 1., 0., 0.]);
    let indices = hand.accessor(&[0, 1, 3, 1, 2, 3], 5121, "SCALAR", 6);
    let binds = [Mat4::IDENTITY, Mat4::from_translation(-Vec3::X / unit)].map(|own| own.to_cols_array());
    let binds = hand.floats("MAT4", binds.as_flattened());
    hand.json["skins"] = json!([{ "joints": [1, 2], "inverseBindMatrices": binds }]);
    hand.json["meshes"] = json!([{ "primitives": [{ "attributes": {
        "POSITION": positions, "NORMAL": normals, "JOINTS_0": joints, "WEIGHTS_0": weights,
    }, "indices": indices }] }]);
    let times = hand.floats("SCALAR", &[0., 1.]);
    let keys = [Quat::IDENTITY, Quat::from_rotation_y(0.5)].map(|own| own.to_array());
    let keys = hand.floats("VEC4", keys.as_flattened());
    hand.json["animations"] = json!([{
        "name": "wave",
        "samplers": [{ "input": times, "output": keys }],
        "channels": [{ "sampler": 0, "target": { "node": 1, "path": "rotation" } }],
    }]);
    hand.scene()
}

/// The corners of all triangles at a time of a clip.
fn corners(scene: &Scene, clip: &Clip, seconds: f32) -> Vec<Vec3> {
    let bones: Vec<Affine3A> = scene.skeleton.model_space(&clip.sample(&scene.skeleton, seconds));
    let of = |mesh: &Mesh| {
        let places = mesh.skin.as_ref().expect("a skin").deform(&bones, &mesh.positions);
        let corners = mesh.primitives.iter().flat_map(|own| own.triangles.as_flattened().to_vec());
        corners.map(|corner| places[corner as usize]).collect::<Vec<_>>()
    };
    scene.meshes.iter().flat_map(of).collect()
}

/// Every family gets the bind pose of the skin, in which half weights bend the mesh as in the file.
#[test]
fn the_bind_pose_is_that_of_the_skins() {
    in_every_family(1.0);
}

#[test]
fn the_bind_pose_has_the_unit_of_the_nodes() {
    in_every_family(0.01);
}

fn in_every_family(unit: f32) {
    let scene = posed(unit);
    let names: BTreeSet<_> = FileKind::ALL.iter().map(|kind| kind.family()).collect();
    for name in names {
        let mut files = Vec::new();
        for kind in FileKind::ALL.iter().filter(|kind| kind.family() == name && kind.is_authored()) {
            let written = FormatSpec::from(*kind).author(&scene, "arm", &Authoring::default());
            files.extend(written.into_iter().flat_map(|own| own.files));
        }
        let parts: Vec<_> =
            files.iter().map(|own| Part { name: &own.name, file: own.file.as_scene_source() }).collect();
        let again = Scene::of(&parts, &Settings::default());
        let size = again.posed(None, 0.0)[0].positions.iter().map(|own| own.length()).fold(0.0, f32::max);
        assert!((1.0..3.0).contains(&size), "{name}: {size} m");
        for seconds in [0.0, 1.0] {
            let (from, to) =
                (corners(&scene, &scene.clips[0], seconds), corners(&again, &again.clips[0], seconds));
            assert_eq!(from.len(), to.len(), "{name}");
            for (from, to) in from.iter().zip(&to) {
                assert!(from.abs_diff_eq(*to, 1e-3), "{name} at {seconds} s: {to} instead of {from}");
            }
        }
    }
}

/// A skinned column of two bones, whose nodes are in another pose than the bind pose, and a clip that moves one.
fn posed_otherwise() -> Hand {
    let turn = Quat::from_rotation_z(std::f32::consts::FRAC_PI_4).to_array();
    let mut hand = Hand::new(json!({
        "nodes": [
            { "mesh": 0, "skin": 0 },
            { "children": [2] },
            { "translation": [0.0, 1.0, 0.0], "rotation": turn },
        ],
    }));
    let positions = hand.floats("VEC3", &[0., 0., 0., 1., 0., 0., 0., 2., 0.]);
    let joints = hand.accessor(&[0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0], 5121, "VEC4", 3);
    let weights = hand.floats("VEC4", &[1., 0., 0., 0., 1., 0., 0., 0., 1., 0., 0., 0.]);
    let attributes = json!({ "POSITION": positions, "JOINTS_0": joints, "WEIGHTS_0": weights });
    hand.json["meshes"] = json!([{ "primitives": [{ "attributes": attributes }] }]);
    let lower = Mat4::from_translation(Vec3::NEG_Y);
    let binds: Vec<f32> = [Mat4::IDENTITY, lower].into_iter().flat_map(|own| own.to_cols_array()).collect();
    let binds = hand.floats("MAT4", &binds);
    hand.json["skins"] = json!([{ "joints": [1, 2], "inverseBindMatrices": binds }]);
    let times = hand.floats("SCALAR", &[0.0, 1.0]);
    let places = hand.floats("VEC3", &[0., 1., 0., 0., 2., 0.]);
    hand.json["animations"] = json!([{
        "channels": [{ "sampler": 0, "target": { "node": 2, "path": "translation" } }],
        "samplers": [{ "input": times, "output": places }],
    }]);
    hand
}

#[test]
fn the_loss_of_the_pose_of_the_nodes_states_how_far_vertices_are_from_it() {
    let scene = posed_otherwise().scene();
    let written =
        FormatSpec::from(FileKind::Ms3d).author(&scene, "hero", &Authoring::default()).expect("a model");
    let loss = written.losses.iter().find(|own| own.lost == Lost::RestPoses).expect("another pose");
    assert_eq!(loss.kind(), LossKind::Geometry);
    // The top of the column turns by 45 degrees around the upper bone.
    let expected = Vec3::Y.distance(Quat::from_rotation_z(std::f32::consts::FRAC_PI_4) * Vec3::Y);
    let metres = loss.measure.expect("a measure").metres;
    assert!((metres - expected).abs() < 1e-4, "{metres} instead of {expected}");
}

#[test]
fn weights_of_nodes_that_are_not_read_do_not_refuse_the_file() {
    let mut hand = Hand::new(
        json!({ "scene": 0, "scenes": [{ "nodes": [0] }], "nodes": [{ "mesh": 0 }, { "mesh": 1 }] }),
    );
    let primitive = square(&mut hand, &json!({}));
    let moved = hand.floats("VEC3", &[0., 0., 1., 0., 0., 1., 0., 0., 1., 0., 0., 1.]);
    let mut lines = square(&mut hand, &json!({ "targets": [{ "POSITION": moved }, { "POSITION": moved }] }));
    lines["mode"] = 1.into();
    hand.json["meshes"] = json!([{ "primitives": [primitive] }, { "primitives": [lines] }]);
    let times = hand.floats("SCALAR", &[0.0, 1.0]);
    let weights = hand.floats("SCALAR", &[0.0, 0.0, 1.0, 0.5]);
    hand.json["animations"] = json!([{
        "channels": [{ "sampler": 0, "target": { "node": 1, "path": "weights" } }],
        "samplers": [{ "input": times, "output": weights }],
    }]);
    // Outside of the scene, and in it as lines.
    let outside = hand.scene();
    assert_eq!(outside.meshes.len(), 1);
    assert!(outside.losses.iter().any(|own| own.lost == Lost::Channels), "{:?}", outside.losses);
}

#[test]
fn a_scene_without_nodes_is_empty() {
    let mut hand = textured(&json!({ "index": 0 }));
    hand.json["scenes"] = json!([{ "name": "empty" }, { "nodes": [0] }]);
    hand.json["scene"] = 1.into();
    assert_eq!(hand.scene().meshes.len(), 1);
    let empty = Hand::new(json!({ "scenes": [{}] })).scene();
    assert_eq!((empty.meshes.len(), empty.skeleton.bones().len()), (0, 0));
}

#[test]
fn what_gltf_draws_otherwise_is_a_loss_of_its_kind() {
    let mut hand = textured(&json!({ "index": 0 }));
    hand.json["extensionsUsed"] = json!(["EXT_mesh_gpu_instancing", "KHR_materials_clearcoat", "ACME_note"]);
    hand.json["materials"][0]["alphaMode"] = "MASK".into();
    hand.json["materials"][0]["alphaCutoff"] = 0.1.into();
    hand.json["samplers"] = json!([{ "wrapS": 33071, "wrapT": 10497 }]);
    hand.json["textures"][0]["sampler"] = 0.into();
    let mut found: Vec<_> = hand.scene().losses.iter().map(|own| (own.lost.name(), own.kind())).collect();
    found.sort_by(|a, b| a.0.cmp(&b.0));
    let expected = [
        ("extension", LossKind::Metadata),
        ("material-extension", LossKind::Material),
        ("shape-extension", LossKind::Geometry),
        ("texture-cutoffs", LossKind::Material),
        ("texture-sampling", LossKind::Material),
    ];
    assert_eq!(found, expected.map(|(name, kind)| (name.to_owned(), kind)));
}

#[test]
fn a_normal_map_with_the_transform_of_the_colour_is_kept() {
    let transform = json!({ "KHR_texture_transform": { "scale": [2.0, 3.0] } });
    let mut hand = textured(&json!({ "index": 0, "extensions": transform }));
    hand.json["extensionsUsed"] = json!(["KHR_texture_transform"]);
    hand.push("images", json!({ "uri": "bumps.png" }));
    hand.push("textures", json!({ "source": 1 }));
    hand.json["materials"][0]["normalTexture"] = json!({ "index": 1, "extensions": transform });
    let scene = hand.scene();
    let roles: Vec<_> = scene.materials[0].textures.iter().map(|own| (&*own.path, own.role)).collect();
    assert_eq!(roles, [("skin.png", TextureRole::Color), ("bumps.png", TextureRole::Normal)]);
    assert_eq!(scene.losses, []);
}

#[test]
fn a_texture_that_emits_nothing_is_none() {
    let mut hand = textured(&json!({ "index": 0 }));
    hand.push("images", json!({ "uri": "glow.png" }));
    hand.push("textures", json!({ "source": 1 }));
    hand.json["materials"][0]["emissiveTexture"] = json!({ "index": 1 });
    let scene = hand.scene();
    let material = &scene.materials[0];
    assert_eq!((material.texture(TextureRole::Emission), material.emissive), (None, [0.0; 3]));
    assert_eq!(scene.losses.iter().map(|own| own.lost).collect::<Vec<_>>(), [Lost::UnlitTextures]);
}

#[test]
fn metal_and_polish_are_lost() {
    let lost = |surface: Value| {
        let mut hand = textured(&json!({ "index": 0 }));
        hand.json["materials"][0]["pbrMetallicRoughness"] = surface;
        hand.scene().losses.iter().map(|own| own.lost).collect::<Vec<_>>()
    };
    assert_eq!(lost(json!({ "metallicFactor": 0.0, "roughnessFactor": 1.0 })), []);
    // The default of glTF is metal.
    for surface in [json!({}), json!({ "metallicFactor": 0.0, "roughnessFactor": 0.5 })] {
        assert_eq!(lost(surface), [Lost::SurfaceFactors]);
    }
    let texture = json!({ "metallicRoughnessTexture": { "index": 0 } });
    assert_eq!(lost(texture), []);
}

#[test]
fn errors_of_gltf_name_the_file_and_the_version() {
    let missing = Hand::new(json!({ "buffers": [{ "byteLength": 4, "uri": "nowhere.bin" }] }));
    let text = missing.json.to_string();
    let folder = std::env::temp_dir();
    let error = gltf::read(
        text.as_bytes(),
        &mut |name, len| gltf::folder(&folder, name, len),
        &bindpose::Limits::default(),
    );
    let error = error.expect_err("no buffer").to_string();
    assert!(error.starts_with("buffers[0].uri: nowhere.bin: "), "{error}");
    let first = br#"{ "asset": { "version": "1.0" }, "meshes": { "cube": {} }, "nodes": {} }"#;
    let error =
        gltf::read(first, &mut gltf::refuse, &bindpose::Limits::default()).expect_err("an old version");
    assert!(error.to_string().contains("version \"1.0\" of glTF"), "{error}");
    let later = br#"{ "asset": { "version": "2.0", "minVersion": "2.1" } }"#;
    let error =
        gltf::read(later, &mut gltf::refuse, &bindpose::Limits::default()).expect_err("a later version");
    assert!(error.to_string().contains("version \"2.1\" of glTF"), "{error}");
}

/// A document that is mended is parsed to values first, which take more memory than its text.
#[test]
fn the_memory_of_a_document_that_is_mended_is_charged() {
    let lists = "[],".repeat(100_000);
    let scenes = r#""scenes": [{ "extras": { "lists": ["#;
    let text = |nodes: &str| {
        format!(r#"{{ "asset": {{ "version": "2.0" }}, {scenes}{lists}[]] }}{nodes} }}], "scene": 0 }}"#)
    };
    let limits = bindpose::Limits::none().with_max_memory(1 << 20);
    let read = |text: String| gltf::read(text.as_bytes(), &mut gltf::refuse, &limits);
    assert!(read(text(r#", "nodes": []"#)).is_ok());
    let error = read(text("")).expect_err("too large");
    assert!(matches!(error.kind(), bindpose::ErrorKind::Limit(_)), "{error}");
}

/// Inverse bind matrices that count from the place of a node of the mesh, as some exporters write them.
#[test]
fn a_skin_that_is_displaced_as_a_whole_is_bound_in_the_pose_of_the_nodes() {
    let mut hand = posed_otherwise();
    let turn = Mat4::from_rotation_z(std::f32::consts::FRAC_PI_4);
    let away = Mat4::from_translation(Vec3::new(3.0, -2.0, 1.0));
    let upper = Mat4::from_translation(Vec3::Y) * turn;
    let binds = [Mat4::IDENTITY, upper].map(|place| place.inverse() * away);
    let binds: Vec<f32> = binds.iter().flat_map(Mat4::to_cols_array).collect();
    let binds = hand.floats("MAT4", &binds);
    hand.json["skins"][0]["inverseBindMatrices"] = binds.into();
    let scene = hand.scene();
    for kind in [FileKind::Ms3d, FileKind::Psk, FileKind::Cal3dMesh, FileKind::MaxMesh] {
        let written = FormatSpec::from(kind).author(&scene, "hero", &Authoring::default()).expect("a model");
        let lost: Vec<_> = written.losses.iter().map(|own| own.lost).collect();
        assert!(!lost.contains(&Lost::RestPoses), "{}: {lost:?}", kind.name());
        let again = Scene::of(
            &[Part { name: "hero", file: written.files[0].file.as_scene_source() }],
            &Settings::default(),
        );
        let far = |scene: &Scene| {
            let posed = scene.posed(None, 0.0);
            posed[0].positions.iter().map(|own| own.length()).fold(0.0, f32::max)
        };
        assert!((far(&again) - far(&scene)).abs() < 1e-3, "{}: {} {}", kind.name(), far(&again), far(&scene));
    }
}
