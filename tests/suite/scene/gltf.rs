//! Conversion of scenes to glTF: replaced values are reported, once for each kind.

use bindpose::Limits;
use bindpose::scene::gltf::{self, Gltf, Image, ImageSource, read, refuse};
use bindpose::scene::{
    Bone, Clip, Curve, Delta, Interpolation, Joint, Material, Mesh, Morph, MorphTrack, Primitive, Scene,
    Skeleton, Skin, Targets, Texture, TextureRole, Transform, Weights,
};
use glam::{Affine3A, Vec2, Vec3, Vec4};
use serde_json::{Value, json};

fn json(gltf: &Gltf) -> Value {
    serde_json::from_slice(&gltf.to_gltf().expect("a small file")).expect("JSON")
}

fn losses(gltf: &Gltf) -> Vec<String> {
    gltf.losses().iter().map(bindpose::scene::Loss::what).collect()
}

/// A triangle with a material.
fn triangle() -> Scene {
    let mesh = Mesh {
        positions: vec![Vec3::ZERO, Vec3::X, Vec3::Y],
        normals: vec![Vec3::Z; 3],
        uvs: vec![vec![Vec2::ZERO; 3]],
        primitives: vec![Primitive { material: Some(0), triangles: vec![[0, 1, 2]], ..Primitive::default() }],
        ..Mesh::default()
    };
    let mut material = Material::default();
    material.textures.extend([r"skins\hero.png".into(), "hero_alpha.png".into()]);
    Scene { meshes: vec![mesh], materials: vec![material], ..Scene::default() }
}

#[test]
fn a_chain_of_bones_is_split_at_the_maximum_depth() {
    let up = Transform { translation: Vec3::Y, ..Transform::IDENTITY };
    let bone = |index: usize| Bone { name: index.to_string(), parent: index.checked_sub(1), bind: up };
    let skeleton = Skeleton::new((0..600).map(bone).collect()).0;
    let gltf = Gltf::new(&Scene { skeleton, ..Scene::default() });
    assert_eq!(losses(&gltf), ["links to parents (1)"]);
    let json = json(&gltf);
    // Its position does not change.
    assert_eq!(json["nodes"][512]["translation"], json!([0.0, 513.0, 0.0]));
    assert_eq!(json["nodes"][511]["children"], Value::Null);
}

#[test]
fn a_colour_comes_from_the_first_texture_with_an_image() {
    let mut scene = triangle();
    let image = |path: &str| (path == r"skins\hero.png").then(|| ImageSource::Uri("skins/hero.png".into()));
    let gltf = Gltf::with_images(&scene, image);
    let written = json(&gltf);
    assert_eq!(written["images"], json!([{ "uri": "skins/hero.png" }]));
    assert_eq!(
        written["materials"][0]["pbrMetallicRoughness"]["baseColorTexture"],
        json!({ "index": 0, "texCoord": 0 })
    );
    assert_eq!(losses(&gltf), ["textures (1)"]);
    let embedded = |_: &str| {
        Some(ImageSource::Embedded(Image {
            bytes: b"PNG!!".into(),
            mime: "image/png".into(),
            ..Image::default()
        }))
    };
    let first = json(&Gltf::with_images(&scene, embedded))["images"][0].clone();
    assert_eq!((&first["mimeType"], &first["uri"]), (&json!("image/png"), &Value::Null));
    let bytes = Gltf::with_images(&scene, embedded).to_glb().unwrap();
    assert!(bytes.windows(5).any(|part| part == b"PNG!!"));
    // A texture requires texture coordinates.
    scene.meshes[0].uvs.clear();
    let gltf = Gltf::with_images(&scene, image);
    assert_eq!((&json(&gltf)["images"], losses(&gltf)), (&Value::Null, vec!["textures (2)".to_owned()]));
}

#[test]
fn textures_have_the_places_of_their_roles() {
    let mut scene = triangle();
    let roles = [
        TextureRole::Color,
        TextureRole::Normal,
        TextureRole::Emission,
        TextureRole::Occlusion,
        TextureRole::MetallicRoughness,
        TextureRole::Specular,
    ];
    scene.materials[0].textures = roles.map(|role| Texture::new(format!("{role}.png"), role)).to_vec();
    let image = |path: &str| Some(ImageSource::Uri(path.to_owned()));
    let gltf = Gltf::with_images(&scene, image);
    let written = json(&gltf);
    let material = &written["materials"][0];
    let surface = &material["pbrMetallicRoughness"];
    let places = [
        &surface["baseColorTexture"],
        &material["normalTexture"],
        &material["emissiveTexture"],
        &material["occlusionTexture"],
        &surface["metallicRoughnessTexture"],
    ];
    assert_eq!(places.map(|own| own["index"].as_u64()), [0, 1, 2, 3, 4].map(Some));
    assert_eq!(material["emissiveFactor"], json!([1.0, 1.0, 1.0]));
    assert_eq!(losses(&gltf), ["textures (1)"]);
    let bytes = gltf.to_glb().expect("a file");
    let again = read(&bytes, &mut refuse, &Limits::default()).expect("a valid file").scene;
    assert_eq!(again.materials, scene.materials);
    // Another program keeps the places and drops the extras.
    let mut other = written;
    other["materials"][0].as_object_mut().expect("a material").remove("extras");
    let again =
        read(other.to_string().as_bytes(), &mut refuse, &Limits::default()).expect("a valid file").scene;
    assert_eq!(again.materials[0].textures, scene.materials[0].textures[..5]);
}

#[test]
fn an_emissive_colour_has_the_texture_of_the_base_colour() {
    let mut scene = triangle();
    let image = |_: &str| Some(ImageSource::Uri("skins/hero.png".into()));
    let emissive =
        |scene: &Scene| json(&Gltf::with_images(scene, image))["materials"][0]["emissiveTexture"].clone();
    assert_eq!(emissive(&scene), Value::Null);
    scene.materials[0].emissive = [1.0, 0.5, 0.0];
    assert_eq!(emissive(&scene), json!({ "index": 0, "texCoord": 0 }));
    let bytes = Gltf::with_images(&scene, image).to_glb().expect("a file");
    let read = super::gltf_read::import(&bytes).expect("the same file").scene;
    assert_eq!(Vec3::from(read.materials[0].emissive), Vec3::new(1.0, 0.5, 0.0));
    assert!(read.losses.is_empty(), "{:?}", read.losses);
}

#[test]
fn values_that_gltf_does_not_allow_are_replaced_and_reported() {
    let mut scene = triangle();
    scene.materials[0] = Material::default();
    scene.materials[0].color = [2.0, 1.0, 1.0, 1.0];
    let mesh = &mut scene.meshes[0];
    mesh.positions[1].x = f32::NAN;
    mesh.normals = vec![Vec3::Z, Vec3::Z * 3.0, Vec3::ZERO];
    let joint = Joint { bone: 0, inverse_bind: Affine3A::from_translation(Vec3::NAN) };
    let weights = Weights::gather(3, 1, (0..3).map(|vertex| (vertex, 0, 1.0))).0;
    mesh.skin = Some(Skin { joints: [joint].into(), weights });
    scene.skeleton = Skeleton::new(vec![Bone { name: "root".into(), ..Bone::default() }]).0;
    let gltf = Gltf::new(&scene);
    let mut found = losses(&gltf);
    found.sort_unstable();
    let expected = [
        "colours of materials (1)",
        "directions (1)",
        "inverse bind matrices (1)",
        "lengths of directions (1)",
        "numbers (1)",
    ];
    assert_eq!(found, expected);
}

/// v increases downwards in the image; the bitangents of glTF point to its top.
#[test]
fn the_sign_of_a_tangent_is_opposite_to_the_direction_of_v() {
    let mut scene = triangle();
    scene.meshes[0].tangents = vec![Vec4::new(1.0, 0.0, 0.0, -1.0); 3];
    let gltf = Gltf::new(&scene);
    let written = json(&gltf);
    let tangents = &written["meshes"][0]["primitives"][0]["attributes"]["TANGENT"];
    let view = &written["accessors"][usize::try_from(tangents.as_u64().expect("an index")).expect("small")];
    let view = &written["bufferViews"]
        [usize::try_from(view["bufferView"].as_u64().expect("an index")).expect("small")];
    let start = usize::try_from(view["byteOffset"].as_u64().unwrap_or(0)).expect("small");
    let glb = gltf.to_glb().expect("a small file");
    let text = u32::from_le_bytes(*glb[12..].first_chunk().expect("a length")) as usize;
    let first = &glb[12 + 8 + text + 8 + start..];
    assert_eq!(first[..16], [1.0_f32, 0.0, 0.0, 1.0].map(f32::to_le_bytes).concat());
}

#[test]
fn colours_are_exported_with_8_bits_if_that_is_exact() {
    let mut scene = triangle();
    for (share, kind) in [(51.0 / 255.0, 5121), (0.5, 5126)] {
        scene.meshes[0].colors = vec![[1.0, share, 0.0, 1.0]; 3];
        let json = json(&Gltf::new(&scene));
        let colors = &json["meshes"][0]["primitives"][0]["attributes"]["COLOR_0"];
        let accessor =
            &json["accessors"][usize::try_from(colors.as_u64().expect("an index")).expect("small")];
        assert_eq!(accessor["componentType"], kind, "{share}");
    }
}

#[test]
fn colours_that_are_masks_have_a_name_that_viewers_ignore_and_are_read_back() {
    for (color, masks, has_image, is_shown) in [
        (1.0, true, true, false),
        (1.0, true, false, true),
        (1.0, false, true, true),
        (0.0, false, false, false),
    ] {
        let mut scene = triangle();
        scene.meshes[0].uvs = vec![vec![Vec2::ZERO; 3]];
        (scene.meshes[0].colors, scene.meshes[0].mask_colors) = (vec![[color, 0.0, 0.0, 1.0]; 3], masks);
        scene.materials[0].textures = vec!["skin.png".into()];
        let uri = || ImageSource::Uri("skin.png".into());
        let written = Gltf::with_images(&scene, |_| has_image.then(uri));
        let attributes = &json(&written)["meshes"][0]["primitives"][0]["attributes"];
        let name = if is_shown { "COLOR_0" } else { "_COLOR_0" };
        assert!(attributes[name].is_number(), "{color} {masks} {has_image}: {attributes}");
        let bytes = written.to_glb().expect("a small file");
        let read = gltf::read(&bytes, &mut gltf::refuse, &Limits::default()).expect("a valid file").scene;
        assert_eq!(read.meshes[0].colors, scene.meshes[0].colors);
        assert_eq!(read.meshes[0].mask_colors, !is_shown);
    }
}

#[test]
fn an_unlit_material_has_the_unlit_extension() {
    let mut scene = triangle();
    assert_eq!(json(&Gltf::new(&scene))["extensionsUsed"], Value::Null);
    scene.materials[0].unlit = true;
    let json = json(&Gltf::new(&scene));
    assert_eq!(json["extensionsUsed"], json!(["KHR_materials_unlit"]));
    assert_eq!(json["materials"][0]["extensions"], json!({ "KHR_materials_unlit": {} }));
}

#[test]
fn a_track_can_animate_one_of_two_targets_of_the_same_name() {
    let mut scene = triangle();
    let delta = Delta { vertex: 0, position: Vec3::Y, normal: Vec3::ZERO };
    scene.meshes[0].morphs = vec![Morph::new("smile".into(), vec![delta]); 2];
    let weight = Curve::new([(0.0, 0.25), (1.0, 0.5)], Interpolation::Linear);
    let track = |targets| MorphTrack { targets, weight: weight.clone() };
    let these = |target| track(Targets::These(vec![(0, target)]));
    scene.clips = vec![Clip { morphs: vec![these(1), these(1)], ..Clip::default() }];
    let gltf = Gltf::new(&scene);
    assert!(losses(&gltf).contains(&"morph tracks (1) of clip \"\"".to_owned()), "{:?}", losses(&gltf));
    let glb = gltf.to_glb().expect("a small file");
    let weights = [0.0_f32, 0.25, 0.0, 0.5].map(f32::to_le_bytes).concat();
    assert!(glb.windows(16).any(|bytes| bytes == weights), "the first target stays");
}

#[test]
fn tracks_without_effect_are_reported() {
    let mut scene = triangle();
    scene.materials[0].textures.clear();
    let delta = Delta { vertex: 0, position: Vec3::Y, normal: Vec3::ZERO };
    scene.meshes[0].morphs = vec![Morph::new("smile".into(), vec![delta])];
    let weight = Curve::new([(0.0, 0.0), (1.0, 1.0)], Interpolation::Linear);
    let morph = |target: &str| MorphTrack { targets: Targets::Named(target.into()), weight: weight.clone() };
    scene.clips = vec![
        Clip { name: "talk".into(), morphs: vec![morph("smile"), morph("frown")], ..Clip::default() },
        Clip { name: "idle".into(), ..Clip::default() },
    ];
    let gltf = Gltf::new(&scene);
    assert_eq!(gltf.num_animations(), 1);
    let expected = ["morph tracks (1) of clip \"talk\"", "clips (1)"];
    assert_eq!(losses(&gltf), expected);
}

#[test]
fn an_image_of_many_textures_is_loaded_and_written_once() {
    let mut scene = triangle();
    let material = |index: usize| {
        let mut own = Material::default();
        own.textures.push(format!("{index}/skin.png").into());
        own
    };
    scene.materials = (0..9).map(material).collect();
    let loaded = std::cell::Cell::new(0);
    let load = |key: &char| {
        loaded.set(loaded.get() + 1);
        Some(ImageSource::Uri(format!("{key}.png")))
    };
    let gltf = Gltf::with_shared_images(
        &scene,
        |path| path.chars().next().map(|own| if own < '5' { 'a' } else { 'b' }),
        load,
    );
    let written = json(&gltf);
    assert_eq!((loaded.get(), &written["images"]), (2, &json!([{ "uri": "a.png" }, { "uri": "b.png" }])));
    assert_eq!(written["materials"][8]["pbrMetallicRoughness"]["baseColorTexture"]["index"], 1);
}
