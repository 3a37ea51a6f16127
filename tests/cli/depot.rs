//! Files beside the input that belong to it.

use std::fs;

use crate::sandbox::Sandbox;

/// A folder as UE Viewer writes it: animations with a configuration that removes a track of the first.
fn depot() -> Sandbox {
    let sandbox = Sandbox::new();
    for (from, to) in [("wave.psa", "wave.psa"), ("tracks.config", "wave.config"), ("plane.psk", "plane.psk")]
    {
        sandbox.copy(&format!("tests/corpus/psk/{from}"));
        fs::rename(sandbox.path(&format!("tests/corpus/psk/{from}")), sandbox.path(to)).unwrap();
    }
    sandbox
}

/// The number of channels in the first clip of an exported file.
fn channels(sandbox: &Sandbox, name: &str) -> usize {
    let gltf: serde_json::Value = serde_json::from_str(&sandbox.read(name)).unwrap();
    gltf["animations"][0]["channels"].as_array().unwrap().len()
}

#[test]
fn the_configuration_beside_animations_is_read() {
    let sandbox = depot();
    let with = sandbox.run(&["export", "wave.psa", "-o", "with.gltf"]);
    assert_eq!(with.code, 0, "{}", with.err);
    assert!(with.err.contains("read wave.config too"), "{}", with.err);
    let without = sandbox.run(&["export", "wave.psa", "-o", "without.gltf", "--no-sidecars"]);
    assert!(!without.err.contains("wave.config"), "{}", without.err);
    let named = sandbox.run(&["export", "wave.psa", "wave.config", "-o", "named.gltf"]);
    assert!(!named.err.contains("too"), "{}", named.err);
    let [with, without, named] =
        ["with", "without", "named"].map(|name| channels(&sandbox, &format!("{name}.gltf")));
    assert_eq!((with, named), (without - 2, with));
    assert_eq!(sandbox.run(&["export", "wave.psa", "--out-dir", "each"]).code, 0);
    let glb = fs::read(sandbox.path("each/wave.glb")).unwrap();
    assert_eq!(sandbox.run(&["export", "wave.psa", "-o", "wave.glb"]).code, 0);
    assert_eq!(glb, fs::read(sandbox.path("wave.glb")).unwrap());
}

#[test]
fn info_lists_the_files_that_belong_to_a_file() {
    let sandbox = depot();
    let info = sandbox.run(&["info", "wave.psa", "--format", "json"]);
    assert_eq!(info.json()[0]["sidecars"][0]["path"], "wave.config");
    let info = sandbox.run(&["info", "wave.psa", "--no-sidecars", "--format", "json"]);
    assert_eq!(info.json()[0]["sidecars"], serde_json::Value::Null);
}

#[test]
fn a_configuration_of_another_program_is_ignored() {
    let sandbox = depot();
    sandbox.write("wave.config", "alias ll='ls -l'\n");
    let ran = sandbox.run(&["export", "wave.psa", "-o", "wave.gltf"]);
    assert_eq!(ran.code, 0);
    assert!(!ran.err.contains("wave.config"), "{}", ran.err);
}

#[test]
fn a_file_is_converted_to_its_own_format_by_the_conventions() {
    let sandbox = depot();
    let same = sandbox.run(&["convert", "plane.psk", "-o", "same.psk"]);
    assert_ne!(same.code, 0);
    let fewer = sandbox.run(&["convert", "plane.psk", "-o", "fewer.psk", "--max-influences", "1"]);
    assert_eq!(fewer.code, 0, "{}", fewer.err);
    let info = sandbox.run(&["info", "fewer.psk", "--scene", "--format", "json"]);
    assert_eq!(info.json()[0]["scene"]["meshes"][0]["influences"], 1);
}
