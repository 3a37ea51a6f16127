//! Scenes from glTF: those that were exported are the same again, and files of other programs are read as they mean it.

use std::path::Path;

use bindpose::scene::gltf::{Gltf, Imported, folder, read, refuse};
use bindpose::scene::{Alpha, Interpolation, Lost, Part, Scene, Settings, Targets, Texture, TextureRole};
use bindpose::{ErrorKind, Limits, Result};
use glam::{Quat, Vec2, Vec3};
use proptest::prelude::*;
use serde_json::{Value, json};

use super::generated;
use super::hand::Hand;
use super::same::assert_same;
use crate::folders;

pub(super) fn import(bytes: &[u8]) -> Result<Imported> {
    read(bytes, &mut refuse, &Limits::default())
}

/// Exports a scene and imports it again; none if the export changed values.
pub fn again(scene: &Scene) -> Option<Scene> {
    let gltf = Gltf::new(scene);
    let glb = gltf.to_glb().expect("a small file");
    let imported = import(&glb).unwrap_or_else(|error| panic!("{error}"));
    let text = import(&gltf.to_gltf().expect("a small file")).expect("the same as .gltf");
    assert_eq!(format!("{imported:?}"), format!("{text:?}"));
    let harmless = |what: &str| {
        ["textures", "clips", "lengths", "ambient", "additive"].iter().any(|start| what.starts_with(start))
    };
    gltf.losses().iter().all(|loss| harmless(&loss.what())).then_some(imported.scene)
}

fn scenes_return(folder: &Path) -> usize {
    let mut same = 0;
    for (path, bytes) in folders::files(folder) {
        let Some((kind, options)) = folders::kind(&path, &bytes) else { continue };
        let Ok(file) = kind.decode(&bytes, &options) else { continue };
        let scene = Scene::of(&[Part { name: "file", file: file.as_scene_source() }], &Settings::default());
        println!("{}", path.display());
        if let Some(after) = again(&scene) {
            assert_same(&scene, &after);
            same += 1;
        }
    }
    same
}

#[test]
fn scenes_of_samples_are_the_same_after_export_and_import() {
    assert!(scenes_return(&folders::own("corpus")) > 50);
    scenes_return(&folders::own("damaged"));
}

#[test]
#[ignore = "needs BINDPOSE_CORPUS, a folder of real files"]
fn scenes_of_corpus_files_are_the_same_after_export_and_import() {
    let same = scenes_return(&folders::corpus());
    println!("{same} scenes are the same");
    assert!(same > 100);
}

#[test]
fn errors_of_a_truncated_header_are_within_the_file() {
    let glb = Gltf::new(&Scene::default()).to_glb().expect("a small file");
    for end in 0..28 {
        let error = import(&glb[..end]).expect_err("a truncated header");
        assert!(error.offset() <= end as u64, "{end}: {error}");
    }
}

proptest! {
    #![proptest_config(folders::config(64))]
    #[test]
    fn any_scene_is_the_same_after_export_and_import(scene in generated::scene()) {
        assert_same(&scene, &again(&scene).expect("nothing is lost"));
    }

    #[test]
    fn damaged_files_are_errors_or_scenes(
        scene in generated::scene(),
        changes in proptest::collection::vec((any::<proptest::sample::Index>(), any::<u8>()), 1..8),
        end in any::<proptest::sample::Index>(),
    ) {
        let mut glb = Gltf::new(&scene).to_glb().expect("a small file");
        for (at, byte) in changes {
            let at = at.index(glb.len());
            glb[at] = byte;
        }
        if let Err(error) = import(&glb) {
            prop_assert!(error.offset() <= glb.len() as u64);
        }
        let end = end.index(glb.len());
        if let Err(error) = import(&glb[..end]) {
            prop_assert!(error.offset() <= end as u64);
        }
    }

    /// Replaces numbers in the JSON, which damages indices, counts, offsets and types.
    #[test]
    fn damaged_numbers_are_errors_or_scenes(
        scene in generated::scene(),
        changes in proptest::collection::vec((any::<proptest::sample::Index>(), number()), 1..6),
    ) {
        let text = Gltf::new(&scene).to_gltf().expect("a small file");
        let mut json: Value = serde_json::from_slice(&text).expect("JSON");
        for (at, number) in changes {
            let count = numbers(&mut json, &mut |_| {});
            let (mut next, at) = (0, at.index(count.max(1)));
            numbers(&mut json, &mut |value| {
                if next == at {
                    *value = number.clone();
                }
                next += 1;
            });
        }
        let _ = import(json.to_string().as_bytes());
    }
}

fn number() -> impl Strategy<Value = Value> {
    prop_oneof![
        (0_u64..8).prop_map(Value::from),
        (5120_u64..5127).prop_map(Value::from),
        prop_oneof![Just(u64::MAX), Just(u64::from(u32::MAX)), Just(1 << 40), any::<u64>()]
            .prop_map(Value::from),
        any::<f32>().prop_map(Value::from),
        Just(Value::Null),
    ]
}

/// Calls a function for each number; returns how many there are.
fn numbers(value: &mut Value, change: &mut dyn FnMut(&mut Value)) -> usize {
    match value {
        Value::Number(_) => {
            change(value);
            1
        }
        Value::Array(items) => items.iter_mut().map(|item| numbers(item, change)).sum(),
        Value::Object(fields) => fields.values_mut().map(|field| numbers(field, change)).sum(),
        _ => 0,
    }
}

/// The corners of a square, as two triangles in different modes.
#[test]
fn lists_strips_and_fans_are_triangles() {
    for (mode, indices, expected) in [
        (4, vec![0_u8, 1, 2, 2, 1, 3], vec![[0, 1, 2], [2, 1, 3]]),
        (5, vec![0, 1, 2, 3], vec![[0, 1, 2], [2, 1, 3]]),
        (6, vec![0, 1, 3, 2], vec![[0, 1, 3], [0, 3, 2]]),
    ] {
        let mut hand = Hand::new(
            json!({ "nodes": [{ "mesh": 0, "name": "square" }], "scenes": [{ "nodes": [0] }], "scene": 0 }),
        );
        let positions = hand.floats("VEC3", &[0., 0., 0., 1., 0., 0., 0., 1., 0., 1., 1., 0.]);
        let normals = hand.floats("VEC3", &[0., 0., 1.].repeat(4));
        let indices = hand.accessor(&indices, 5121, "SCALAR", indices.len());
        hand.json["meshes"] = json!([{ "primitives": [
            { "attributes": { "POSITION": positions, "NORMAL": normals }, "indices": indices, "mode": mode },
            { "attributes": { "POSITION": positions }, "mode": 1 },
        ] }]);
        let scene = hand.scene();
        assert_eq!(scene.meshes[0].name, "square");
        assert_eq!(scene.meshes[0].bone, None);
        assert_eq!(scene.meshes[0].primitives[0].triangles, expected);
        assert_eq!(scene.losses[0].what(), "primitives (1)");
    }
}

/// Without normals, each triangle gets vertices of its own.
#[test]
fn vertices_that_no_facet_uses_are_a_loss() {
    let mut hand = Hand::new(json!({ "nodes": [{ "mesh": 0 }], "scenes": [{ "nodes": [0] }], "scene": 0 }));
    let positions = hand.floats("VEC3", &[0., 0., 0., 1., 0., 0., 0., 1., 0., 5., 5., 5.]);
    let indices = hand.accessor(&[0_u8, 1, 2], 5121, "SCALAR", 3);
    hand.json["meshes"] =
        json!([{ "primitives": [{ "attributes": { "POSITION": positions }, "indices": indices }] }]);
    let scene = hand.scene();
    let lost = scene.losses.iter().filter(|own| own.lost == Lost::UnusedVertices).map(|own| own.count);
    assert_eq!((scene.meshes[0].positions.len(), lost.sum::<usize>()), (3, 1));
}

/// Interleaved vertices, normalised integers, three components of colours, and indices that are missing.
#[test]
fn attributes_are_converted_from_all_component_types() {
    let mut hand = Hand::new(json!({ "nodes": [{ "mesh": 0 }] }));
    let mut vertices = Vec::new();
    for (x, u) in [(-32767_i16, 0_u16), (0, 0x8000), (32767, 0xffff)] {
        vertices.extend([x, 0, 16384, 0].into_iter().flat_map(i16::to_le_bytes));
        vertices.extend([u, 0xffff].into_iter().flat_map(u16::to_le_bytes));
    }
    let view = hand.view(&vertices, Some(12));
    let position =
        json!({ "bufferView": view, "componentType": 5122, "type": "VEC3", "count": 3, "normalized": true });
    let position = hand.push("accessors", position);
    let uv = json!({ "bufferView": view, "byteOffset": 8, "componentType": 5123, "type": "VEC2", "count": 3, "normalized": true });
    let uv = hand.push("accessors", uv);
    let color = hand.view(&[255, 0, 51, 0, 0, 255, 51, 0, 0, 0, 0, 0], Some(4));
    let color =
        json!({ "bufferView": color, "componentType": 5121, "type": "VEC3", "count": 3, "normalized": true });
    let color = hand.push("accessors", color);
    hand.json["extensionsRequired"] = json!(["KHR_mesh_quantization"]);
    hand.json["meshes"] = json!([{ "primitives": [
        { "attributes": { "POSITION": position, "TEXCOORD_0": uv, "COLOR_0": color, "_TEMPERATURE": color } },
    ] }]);
    let scene = hand.scene();
    let mesh = &scene.meshes[0];
    assert_eq!(mesh.positions[0], Vec3::new(-1.0, 0.0, 16384.0 / 32767.0));
    assert_eq!(mesh.positions[2], Vec3::new(1.0, 0.0, 16384.0 / 32767.0));
    assert_eq!(mesh.uvs[0][1], Vec2::new(32768.0 / 65535.0, 1.0));
    assert_eq!(mesh.colors[0].map(f32::to_bits), [1.0, 0.0, 0.2, 1.0].map(f32::to_bits));
    assert_eq!(mesh.primitives[0].triangles, [[0, 1, 2]]);
    assert_eq!(scene.losses[0].what(), "attributes of vertices (1)");
}

/// A base with a few replaced elements, and elements of zero without a base.
#[test]
fn sparse_accessors_replace_elements() {
    let mut hand = Hand::new(json!({ "nodes": [{ "mesh": 0 }] }));
    let base = hand.view(&[0.0_f32, 0., 0., 1., 0., 0., 0., 1., 0.].map(f32::to_le_bytes).concat(), None);
    let indices = hand.view(&[1, 0, 2, 0], None);
    let values = hand.view(&[5.0_f32, 0., 0., 0., 7., 0.].map(f32::to_le_bytes).concat(), None);
    let sparse = json!({
        "count": 2,
        "indices": { "bufferView": indices, "componentType": 5123 },
        "values": { "bufferView": values },
    });
    let accessor =
        json!({ "bufferView": base, "componentType": 5126, "type": "VEC3", "count": 3, "sparse": sparse });
    let positions = hand.push("accessors", accessor);
    let deltas = json!({ "componentType": 5126, "type": "VEC3", "count": 3, "sparse": sparse });
    let deltas = hand.push("accessors", deltas);
    hand.json["meshes"] = json!([{
        "primitives": [{ "attributes": { "POSITION": positions }, "targets": [{ "POSITION": deltas }] }],
        "extras": { "targetNames": ["open"] },
    }]);
    let scene = hand.scene();
    let mesh = &scene.meshes[0];
    assert_eq!(mesh.positions, [Vec3::ZERO, Vec3::X * 5.0, Vec3::Y * 7.0]);
    assert_eq!(mesh.morphs[0].name, "open");
    let moved: Vec<_> = mesh.morphs[0].deltas.iter().map(|delta| (delta.vertex, delta.position)).collect();
    assert_eq!(moved, [(1, Vec3::X * 5.0), (2, Vec3::Y * 7.0)]);
}

/// Two sets of joints are up to eight influences; a missing list of matrices means identity.
#[test]
fn skins_have_any_number_of_influences() {
    let joints: Vec<usize> = (1..7).collect();
    let mut nodes = vec![json!({ "mesh": 0, "skin": 0, "translation": [9.0, 0.0, 0.0], "children": joints })];
    nodes.extend((1..7).map(|index| json!({ "name": format!("bone{index}") })));
    let mut hand = Hand::new(json!({ "nodes": nodes, "skins": [{ "joints": joints }] }));
    let positions = hand.floats("VEC3", &[0., 0., 0., 1., 0., 0., 0., 1., 0.]);
    let first = hand.accessor(&[0, 1, 2, 3].repeat(3), 5121, "VEC4", 3);
    let second = hand.accessor(
        &[4_u16, 5, 0, 0].repeat(3).iter().flat_map(|own| own.to_le_bytes()).collect::<Vec<_>>(),
        5123,
        "VEC4",
        3,
    );
    let weights = hand.view(&[64, 64, 32, 32].repeat(3), None);
    let weights = json!({ "bufferView": weights, "componentType": 5121, "type": "VEC4", "count": 3, "normalized": true });
    let first_weights = hand.push("accessors", weights);
    let second_weights = hand.floats("VEC4", &[0.125, 0.125, 0., 0.].repeat(3));
    hand.json["meshes"] = json!([{ "primitives": [{ "attributes": {
        "POSITION": positions, "JOINTS_0": first, "WEIGHTS_0": first_weights, "JOINTS_1": second, "WEIGHTS_1": second_weights,
    } }] }]);
    let scene = hand.scene();
    // A node with children is a bone, although it holds a mesh.
    assert_eq!(scene.skeleton.bones().len(), 7);
    let skin = scene.meshes[0].skin.as_ref().expect("a skin");
    assert_eq!(skin.joints[5].bone, 6);
    assert_eq!(skin.weights.of(0).len(), 6);
    assert!((skin.weights.of(0)[0].weight - 64.0 / 255.0).abs() < 0.01);
}

#[test]
fn meshes_without_a_skin_are_attached_to_their_nodes() {
    let mut hand = Hand::new(json!({ "nodes": [
        { "name": "arm", "children": [1, 2], "translation": [1.0, 0.0, 0.0] },
        { "name": "glove", "mesh": 0 },
        { "name": "sword", "mesh": 0, "rotation": [0.0, 0.0, 1.0, 0.0], "matrix": null },
        { "name": "camera", "camera": 0 },
    ], "cameras": [{ "type": "perspective", "perspective": { "yfov": 1.0, "znear": 0.1 } }] }));
    let positions = hand.floats("VEC3", &[0., 0., 0., 1., 0., 0., 0., 1., 0.]);
    hand.json["meshes"] = json!([{ "primitives": [{ "attributes": { "POSITION": positions } }] }]);
    let scene = hand.scene();
    let names: Vec<_> = scene.skeleton.bones().iter().map(|bone| &*bone.name).collect();
    assert_eq!(names, ["arm", "sword"]);
    let meshes: Vec<_> = scene.meshes.iter().map(|mesh| (&*mesh.name, mesh.bone)).collect();
    assert_eq!(meshes, [("glove", Some(0)), ("sword", Some(1))]);
    assert_eq!(scene.losses[0].what(), "cameras (1)");
}

#[test]
fn primitives_of_different_vertex_data_are_different_meshes() {
    let mut hand = Hand::new(json!({ "nodes": [{ "mesh": 0 }] }));
    let positions = hand.floats("VEC3", &[0., 0., 0., 1., 0., 0., 0., 1., 0.]);
    let others = hand.floats("VEC3", &[0., 0., 1., 1., 0., 1., 0., 1., 1.]);
    let uvs = hand.floats("VEC2", &[0.0; 6]);
    hand.json["meshes"] = json!([{ "primitives": [
        { "attributes": { "POSITION": positions } },
        { "attributes": { "POSITION": others } },
        { "attributes": { "POSITION": positions, "TEXCOORD_0": uvs } },
        { "attributes": { "POSITION": positions } },
    ] }]);
    let scene = hand.scene();
    let sizes: Vec<_> =
        scene.meshes.iter().map(|mesh| (mesh.positions.len(), mesh.primitives.len())).collect();
    assert_eq!(sizes, [(6, 3), (3, 1)]);
    assert_eq!(scene.meshes[0].primitives[1].triangles, [[3, 4, 5]]);
    assert_eq!(scene.meshes[0].primitives[2].triangles, [[0, 1, 2]]);
}

#[test]
fn animations_have_steps_lines_and_splines() {
    let mut hand = Hand::new(json!({ "nodes": [{ "mesh": 0 }, { "name": "wheel" }] }));
    let positions = hand.floats("VEC3", &[0., 0., 0., 1., 0., 0., 0., 1., 0.]);
    let deltas = hand.floats("VEC3", &[0., 0., 1., 0., 0., 0., 0., 0., 0.]);
    hand.json["meshes"] = json!([{ "primitives": [
        { "attributes": { "POSITION": positions }, "targets": [{ "POSITION": deltas }, { "POSITION": deltas }] },
    ] }]);
    let times = hand.floats("SCALAR", &[0.0, 1.0]);
    let turns = hand.view(&[0_i16, 0, 0, 32767, 0, 32767, 0, 0].map(i16::to_le_bytes).concat(), None);
    let turns =
        json!({ "bufferView": turns, "componentType": 5122, "type": "VEC4", "count": 2, "normalized": true });
    let turns = hand.push("accessors", turns);
    let places =
        hand.floats("VEC3", &[0., 0., 0., 0., 0., 0., 3., 0., 0., 3., 0., 0., 1., 0., 0., 0., 0., 0.]);
    let weights = hand.floats("SCALAR", &[0.0, 0.5, 1.0, 0.25]);
    hand.json["animations"] = json!([{
        "name": "roll",
        "samplers": [
            { "input": times, "output": turns, "interpolation": "STEP" },
            { "input": times, "output": places, "interpolation": "CUBICSPLINE" },
            { "input": times, "output": weights },
        ],
        "channels": [
            { "sampler": 0, "target": { "node": 1, "path": "rotation" } },
            { "sampler": 1, "target": { "node": 1, "path": "translation" } },
            { "sampler": 2, "target": { "node": 0, "path": "weights" } },
        ],
    }]);
    let scene = hand.scene();
    let clip = &scene.clips[0];
    let rotation = clip.tracks[0].rotation.as_ref().expect("a curve");
    assert_eq!((rotation.between(), rotation.sample(0.5)), (&Interpolation::Step, Some(Quat::IDENTITY)));
    let translation = clip.tracks[0].translation.as_ref().expect("a curve");
    assert_eq!(translation.sample(0.5), Some(Vec3::X * (3.0 * 0.125 + 0.5 - 3.0 * 0.125)));
    assert_eq!(clip.morphs[1].targets, Targets::These(vec![(0, 1)]));
    assert_eq!(clip.morphs[1].weight.sample(0.5), Some(0.375));
}

#[test]
fn materials_have_colours_textures_and_images() {
    let mut hand = Hand::new(json!({
        "extensionsUsed": ["KHR_materials_unlit", "KHR_materials_clearcoat"],
        "images": [{ "uri": "skins/hero%20a.png" }, { "name": "cloth", "mimeType": "image/jpeg" }],
        "textures": [{ "source": 0 }, { "source": 1 }, {}],
        "materials": [
            {
                "name": "skin", "alphaMode": "MASK", "doubleSided": true, "extensions": { "KHR_materials_unlit": {} },
                "pbrMetallicRoughness": { "baseColorFactor": [1.0, 0.5, 0.25, 0.5], "baseColorTexture": { "index": 0 } },
                "normalTexture": { "index": 1 },
            },
            {
                "pbrMetallicRoughness": { "baseColorFactor": [1.0, 1.0, 1.0, 0.5], "baseColorTexture": { "index": 1 } },
                "emissiveFactor": [1.0, 1.0, 1.0], "emissiveTexture": { "index": 0 },
            },
            { "extensions": { "KHR_materials_pbrSpecularGlossiness": { "diffuseFactor": [0.5, 0.5, 0.5, 1.0], "diffuseTexture": { "index": 2 } } } },
        ],
    }));
    hand.json["images"][1]["bufferView"] = hand.view(b"\xff\xd8\xff", None).into();
    let Imported { scene, images, .. } = import(&hand.text()).expect("a valid file");
    let [skin, cloth, old] = &scene.materials[..] else { panic!("three materials") };
    assert_eq!(
        (&skin.textures[..], skin.alpha, skin.color[3]),
        (&["skins/hero a.png".into(), Texture::new("cloth.jpg", TextureRole::Normal)][..], Alpha::Mask, 0.5)
    );
    assert!(skin.unlit && skin.double_sided);
    // An opaque material ignores opacity.
    let emission = Texture::new("skins/hero a.png", TextureRole::Emission);
    assert_eq!((&cloth.textures[..], cloth.color), (&["cloth.jpg".into(), emission][..], [1.0; 4]));
    // Where it emits light, its texture determines.
    assert_eq!(Vec3::from(cloth.emissive), Vec3::ZERO);
    assert_eq!((old.color[0], old.textures.len()), (0.5, 0));
    assert_eq!((&*images[0].path, &*images[0].bytes), ("cloth.jpg", &b"\xff\xd8\xff"[..]));
    let losses: Vec<_> = scene.losses.iter().map(bindpose::scene::Loss::what).collect();
    assert_eq!(
        losses,
        ["extension KHR_materials_clearcoat", "metalness and roughness of materials (1)", "textures (1)"]
    );
}

#[test]
fn invalid_files_are_errors_with_a_path() {
    let triangle = |change: &dyn Fn(&mut Hand)| {
        let mut hand = Hand::new(json!({ "nodes": [{ "mesh": 0 }] }));
        let positions = hand.floats("VEC3", &[0., 0., 0., 1., 0., 0., 0., 1., 0.]);
        hand.json["meshes"] = json!([{ "primitives": [{ "attributes": { "POSITION": positions } }] }]);
        change(&mut hand);
        hand.error()
    };
    for (change, expected) in [
        (
            json!({ "accessors": [{ "bufferView": 0, "componentType": 5126, "type": "VEC3", "count": 1_u64 << 31 }] }),
            "0x00000000 accessors[0].bufferView: file ends inside the value (25769803776 bytes needed, 36 left)",
        ),
        (
            json!({ "accessors": [{ "bufferView": 7, "componentType": 5126, "type": "VEC3", "count": 3 }] }),
            "0x00000000 bufferViews: view 7 does not exist",
        ),
        (
            json!({ "accessors": [{ "bufferView": 0, "componentType": 5126, "type": "VEC2", "count": 3 }] }),
            "0x00000000 accessors[0].type: expected elements with 3 components",
        ),
        (
            json!({ "accessors": [{ "componentType": 5126, "type": "VEC3", "count": 1_u64 << 31 }] }),
            "0x00000000 accessors[0].count: takes at least 25769809144 bytes of memory, more than the limit of 268438336",
        ),
        (json!({ "meshes": [] }), "0x00000000 nodes[0].mesh: mesh 0 does not exist"),
        (
            json!({ "extensionsRequired": ["KHR_draco_mesh_compression"] }),
            "0x00000000 extensionsRequired[0]: the required extension KHR_draco_mesh_compression is not supported",
        ),
        (
            json!({ "asset": { "version": "1.0" } }),
            "0x00000000 asset.version: version \"1.0\" of glTF; only 2.0 is supported",
        ),
        (json!({ "scene": 3 }), "0x00000000 scene: scene 3 does not exist"),
    ] {
        let changed = |hand: &mut Hand| {
            for (key, value) in change.as_object().expect("an object") {
                hand.json[key] = value.clone();
            }
        };
        assert_eq!(triangle(&changed), expected);
    }
    let error = import(b"glTF\x02\0\0\0\x14\0\0\0\xff\0\0\0JSON").expect_err("too short");
    assert_eq!(error.to_string(), "0x00000014: file ends inside the value (255 bytes needed, 0 left)");
    let error = import(b"{ \"asset\": { \"version\": \"2.0\" },\n  ?").expect_err("no JSON");
    assert_eq!(error.offset(), 35);
    assert!(matches!(error.kind(), ErrorKind::Syntax(_)));
}

#[test]
fn other_files_are_in_the_folder_of_the_file() {
    let temporary = std::env::temp_dir().join(format!("bindpose-gltf-{}", std::process::id()));
    let inner = temporary.join("inner");
    std::fs::create_dir_all(&inner).expect("a folder");
    std::fs::write(temporary.join("secret.bin"), [1; 4]).expect("a file");
    std::fs::write(inner.join("a b.bin"), [2; 9]).expect("a file");
    let load = |uri: &str| {
        let text = json!({ "asset": { "version": "2.0" }, "buffers": [{ "uri": uri, "byteLength": 4 }] })
            .to_string();
        let mut asked = Vec::new();
        let mut loader = |name: &str, len: u64| {
            asked.push((name.to_owned(), len));
            folder(&inner, name, len)
        };
        let result = read(text.as_bytes(), &mut loader, &Limits::default());
        (result.map(drop).map_err(|error| error.kind().clone()), asked)
    };
    assert_eq!(load("a%20b.bin"), (Ok(()), vec![("a b.bin".to_owned(), 4)]));
    for uri in [
        "../secret.bin",
        "a/../../secret.bin",
        "%2e%2e/secret.bin",
        "..%5csecret.bin",
        "/etc/passwd",
        "\\\\host\\share",
        "C:\\secret.bin",
        "c:secret.bin",
        "file:///etc/passwd",
        "http://host/secret.bin",
        "",
        "a/.. /b",
    ] {
        let (result, asked) = load(uri);
        assert!(matches!(result, Err(ErrorKind::Syntax(_))), "{uri}: {result:?}");
        assert!(asked.is_empty(), "{uri} reached the file system");
    }
    #[cfg(unix)]
    {
        std::os::unix::fs::symlink(temporary.join("secret.bin"), inner.join("link.bin")).expect("a link");
        assert!(matches!(load("link.bin").0, Err(ErrorKind::Io(_))), "a link leads out of the folder");
    }
    std::fs::remove_dir_all(temporary).expect("a folder");
}

/// Small files cannot ask for much memory: many meshes of the same vertices count each time.
#[test]
fn the_size_of_decoded_data_is_limited() {
    let nodes: Vec<_> = (0..100).map(|_| json!({ "mesh": 0 })).collect();
    let mut hand = Hand::new(json!({ "nodes": nodes }));
    let positions = hand.floats("VEC3", &vec![0.0; 3 * 9999]);
    hand.json["meshes"] = json!([{ "primitives": [{ "attributes": { "POSITION": positions } }] }]);
    let text = hand.text();
    let limits = Limits::none().with_max_memory(1 << 20);
    let error = read(&text, &mut refuse, &limits).expect_err("too large");
    assert!(matches!(error.kind(), ErrorKind::Limit(_)), "{error}");
    assert!(read(&text, &mut refuse, &Limits::default()).is_ok());
}

/// The bones of a scene from glTF are matched with those of other files.
#[test]
fn a_scene_can_be_a_part_of_another() {
    let scene = |name: &str| {
        let mut hand = Hand::new(
            json!({ "nodes": [{ "name": name, "children": [1] }, { "name": "hand", "children": [2] }, { "name": "glove", "mesh": 0 }] }),
        );
        let positions = hand.floats("VEC3", &[0., 0., 0., 1., 0., 0., 0., 1., 0.]);
        hand.json["meshes"] =
            json!([{ "primitives": [{ "attributes": { "POSITION": positions }, "material": 0 }] }]);
        hand.json["materials"] = json!([{ "name": name }]);
        hand.scene()
    };
    let (left, right) = (scene("left"), scene("right"));
    let parts = [Part { name: "a", file: &left }, Part { name: "b", file: &right }];
    let both = Scene::of(&parts, &Settings::default());
    let names: Vec<_> = both.skeleton.bones().iter().map(|bone| &*bone.name).collect();
    assert_eq!(names, ["left", "hand", "right"]);
    assert_eq!(both.meshes[1].bone, Some(1));
    assert_eq!(both.meshes[1].primitives[0].material, Some(1));
    let alone = Scene::of(&parts[..1], &Settings::default());
    assert_same(&left, &alone);
}

#[test]
fn a_long_chain_of_joints_is_read_in_one_pass() {
    let len = 60_000;
    let node = |index: usize| match index + 1 {
        next if next < len => json!({ "children": [next] }),
        _ => json!({}),
    };
    let text = json!({
        "asset": { "version": "2.0" },
        "scenes": [{ "nodes": [] }],
        "nodes": (0..len).map(node).collect::<Vec<_>>(),
        "skins": [{ "joints": (0..len).collect::<Vec<_>>() }],
    });
    let scene = import(text.to_string().as_bytes()).expect("joints").scene;
    assert_eq!(scene.skeleton.bones().len(), len);
    assert_eq!(scene.skeleton.bones()[len - 1].parent, Some(len - 2));
}

#[test]
fn images_have_names_of_files_that_their_content_determines() {
    let png: &[u8] = b"\x89PNG\r\n\x1a\n";
    let cases: [(&str, &str, &[u8], Option<&str>); 9] = [
        ("cloth", "image/png", png, Some("cloth.png")),
        ("Cloth.PNG", "image/toml", png, Some("Cloth_2.png")),
        ("skin.jpeg", "image/png", b"\xff\xd8\xff", Some("skin.jpg")),
        ("../../.cargo/config.toml", "image/toml", png, Some("config.toml.png")),
        ("CON", "image/png", png, Some("CON_.png")),
        ("a\nb\u{1b}[31m", "image/png", png, Some("a_b_[31m.png")),
        (".cargo/config.toml", "image/toml", b"[build]\nrustc-wrapper = \"evil.sh\"\n", None),
        ("conftest.py", "text/py", b"import os", None),
        ("art", "image/bmp", b"BM = 1; a program", None),
    ];
    let materials: Vec<_> = (0..cases.len())
        .map(|index| json!({ "pbrMetallicRoughness": { "baseColorTexture": { "index": index } } }))
        .collect();
    let textures: Vec<_> = (0..cases.len()).map(|index| json!({ "source": index })).collect();
    let images: Vec<_> =
        cases.iter().map(|(name, mime, ..)| json!({ "name": name, "mimeType": mime })).collect();
    let mut hand = Hand::new(json!({ "images": images, "textures": textures, "materials": materials }));
    for (index, (.., bytes, _)) in cases.iter().enumerate() {
        hand.json["images"][index]["bufferView"] = hand.view(bytes, None).into();
    }
    let Imported { scene, images, .. } = import(&hand.text()).expect("a valid file");
    let names: Vec<_> = scene.materials.iter().map(|own| own.color_texture()).collect();
    assert_eq!(names, cases.map(|(.., name)| name));
    let paths: Vec<_> = images.iter().map(|image| &*image.path).collect();
    assert_eq!(paths, names.into_iter().flatten().collect::<Vec<_>>());
    assert!(scene.losses.iter().any(|loss| loss.what() == "textures (3)"), "{:?}", scene.losses);
}
