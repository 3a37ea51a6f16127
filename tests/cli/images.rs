//! Images in glTF files that `convert` extracts.

use std::fs;

use crate::sandbox::Sandbox;

/// The bytes that the image of [`model`] has.
const IMAGE: &[u8] = b"\x89PNG\r\n\x1a\n";

/// A triangle with the material `coat`, whose texture is an embedded image of this name.
fn model(image: &str) -> String {
    format!(
        r#"{{"asset":{{"version":"2.0"}},
        "buffers":[{{"byteLength":36,"uri":"data:application/octet-stream;base64,AAAAAAAAAAAAAAAAAACAPwAAAAAAAAAAAAAAAAAAgD8AAAAA"}}],
        "bufferViews":[{{"buffer":0,"byteLength":36}}],
        "accessors":[{{"bufferView":0,"componentType":5126,"count":3,"type":"VEC3","min":[0,0,0],"max":[1,1,0]}}],
        "images":[{{"name":"{image}","uri":"data:image/png;base64,iVBORw0KGgo="}}],"textures":[{{"source":0}}],
        "materials":[{{"name":"coat","pbrMetallicRoughness":{{"baseColorTexture":{{"index":0}}}}}}],
        "meshes":[{{"primitives":[{{"attributes":{{"POSITION":0}},"material":0}}]}}],"nodes":[{{"mesh":0}}],
        "scenes":[{{"nodes":[0]}}],"scene":0}}"#
    )
}

#[test]
fn images_have_the_path_in_the_written_file() {
    let sandbox = Sandbox::new();
    sandbox.write("model.gltf", model("cloth"));
    for _again in 0..2 {
        assert_eq!(sandbox.run(&["convert", "model.gltf", "-o", "out/model.x", "--force"]).code, 0);
        assert_eq!(fs::read(sandbox.path("out/cloth.png")).unwrap(), IMAGE);
    }
    let text = fs::read_to_string(sandbox.path("out/model.x")).unwrap();
    assert!(text.contains("\"cloth.png\""), "{text}");
    fs::write(sandbox.path("out/cloth.png"), "another image").unwrap();
    fs::remove_file(sandbox.path("out/model.x")).unwrap();
    assert_ne!(sandbox.run(&["convert", "model.gltf", "-o", "out/model.x"]).code, 0);
    assert!(!sandbox.path("out/model.x").exists());
}

#[test]
fn images_have_the_name_of_the_material_if_the_format_has_no_paths() {
    let sandbox = Sandbox::new();
    sandbox.write("model.gltf", model("cloth"));
    assert_eq!(sandbox.run(&["convert", "model.gltf", "-o", "out/model.psk"]).code, 0);
    assert_eq!(fs::read(sandbox.path("out/coat.png")).unwrap(), IMAGE);
}

#[test]
fn images_are_not_written_outside_of_the_directory() {
    let sandbox = Sandbox::new();
    sandbox.write("model.gltf", model("../cloth"));
    assert_eq!(sandbox.run(&["convert", "model.gltf", "-o", "out/model.x"]).code, 0);
    assert!(!sandbox.path("cloth.png").exists());
}
