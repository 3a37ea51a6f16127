//! What `convert` writes: sets, clips, losses and images.

use std::collections::BTreeSet;
use std::fs;

use bindpose::FileKind;
use serde_json::{Value, json};

use crate::sandbox::{Ran, Sandbox, sample, workspace};

/// The data of the models.
fn buffer() -> Vec<u8> {
    let floats: Vec<f32> = [
        // Positions.
        &[0., 0., 0., 1., 0., 0., 0., 1., 0.][..],
        // Weights.
        &[1., 0., 0., 0.].repeat(3),
        // Times, and rotations about z.
        &[0., 1.],
        &[0., 0., 0., 1., 0., 0., 0.5_f32.sin(), 0.5_f32.cos()],
    ]
    .concat();
    let mut bytes: Vec<u8> = floats.iter().flat_map(|own| own.to_le_bytes()).collect();
    bytes.extend([1, 0, 0, 0].repeat(3));
    bytes
}

/// A triangle on two bones, with the clips `walk`, `run` and `wave`, and a material with the texture `cloth.png`.
fn character() -> Value {
    let views = [(0, 36), (36, 48), (84, 8), (92, 32), (124, 12)];
    let views = views.map(|(start, len)| json!({ "buffer": 0, "byteOffset": start, "byteLength": len }));
    let accessors = [
        (0, 5126, "VEC3", 3),
        (1, 5126, "VEC4", 3),
        (2, 5126, "SCALAR", 2),
        (3, 5126, "VEC4", 2),
        (4, 5121, "VEC4", 3),
    ];
    let accessors = accessors.map(|(view, component, shape, count)| {
        json!({ "bufferView": view, "componentType": component, "type": shape, "count": count })
    });
    let clip = |name: &str| {
        json!({ "name": name, "samplers": [{ "input": 2, "output": 3 }],
            "channels": [{ "sampler": 0, "target": { "node": 1, "path": "rotation" } }] })
    };
    let clips = ["walk", "run", "wave"].map(clip);
    json!({
        "asset": { "version": "2.0" },
        "buffers": [{ "byteLength": 136, "uri": "hero.bin" }],
        "bufferViews": views,
        "accessors": accessors,
        "images": [{ "uri": "cloth.png" }],
        "textures": [{ "source": 0 }],
        "materials": [{ "name": "coat", "pbrMetallicRoughness": { "baseColorTexture": { "index": 0 } } }],
        "meshes": [{ "name": "body", "primitives": [{ "material": 0,
            "attributes": { "POSITION": 0, "WEIGHTS_0": 1, "JOINTS_0": 4 } }] }],
        "skins": [{ "joints": [0, 1] }],
        "nodes": [{ "name": "hip", "children": [1] }, { "name": "spine" }, { "name": "body", "mesh": 0, "skin": 0 }],
        "scenes": [{ "nodes": [0, 2] }],
        "animations": clips,
    })
}

/// Writes a model, and the data of its buffer beside it.
fn put(sandbox: &Sandbox, name: &str, model: &Value) {
    sandbox.write(name, model.to_string());
    let folder = name.rsplit_once('/').map_or("", |(folder, _)| folder);
    sandbox.write(format!("{folder}/hero.bin").trim_start_matches('/'), buffer());
}

/// A sandbox with the character as `hero.gltf`, and as `hero.psk` and `hero.psa`.
fn sandbox() -> Sandbox {
    let sandbox = Sandbox::new();
    put(&sandbox, "hero.gltf", &character());
    well(&sandbox, &["convert", "hero.gltf", "-o", "hero.psk", "-o", "hero.psa", "-q"]);
    sandbox
}

fn well(sandbox: &Sandbox, args: &[&str]) -> Ran {
    let ran = sandbox.run(args);
    assert_eq!(ran.code, 0, "{args:?}: {}", ran.err);
    ran
}

/// The names of the files in a directory.
fn names(sandbox: &Sandbox, directory: &str) -> Vec<String> {
    let entries = fs::read_dir(sandbox.path(directory)).unwrap();
    let mut names: Vec<_> = entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    names
}

#[test]
fn files_that_are_named_together_are_a_set_in_a_directory_too() {
    let sandbox = sandbox();
    well(&sandbox, &["convert", "hero.psa", "hero.psk", "--to", "cal3d", "--out-dir", "set", "-q"]);
    let expected = ["coat.crf", "hero.cmf", "hero.csf", "run.caf", "walk.caf", "wave.caf"];
    let names = names(&sandbox, "set");
    let mut plain: Vec<_> = names.iter().map(|name| name.trim_start_matches("hero_")).collect();
    plain.sort_unstable();
    fs::create_dir(sandbox.path("one")).unwrap();
    assert_eq!(plain, expected, "{names:?}");
    for (to, name) in [("cal3d-skeleton", "hero.csf"), ("cal3d-mesh", "hero.cmf")] {
        let one = format!("one/{name}");
        well(&sandbox, &["convert", "hero.psk", "hero.psa", "--to", to, "-o", &one, "-q"]);
        let read = |name: &str| fs::read(sandbox.path(name)).unwrap();
        assert_eq!(read(&one), read(&format!("set/{name}")), "{name}");
    }
}

#[test]
fn several_models_and_each_file_are_converted_alone() {
    let sandbox = sandbox();
    put(&sandbox, "other.gltf", &character());
    well(&sandbox, &["convert", "hero.gltf", "other.gltf", "--to", "ms3d", "--out-dir", "models", "-q"]);
    assert_eq!(names(&sandbox, "models"), ["hero.ms3d", "other.ms3d"]);
    well(
        &sandbox,
        &[
            "convert",
            "hero.psk",
            "hero.psa",
            "--to",
            "unreal",
            "--out-dir",
            "psk",
            "--each",
            "-q",
            "--clip",
            "w*",
        ],
    );
    let mixed = ["convert", "hero.gltf", "other.gltf", "hero.psa", "--to", "ms3d", "--out-dir", "mixed"];
    let ran = sandbox.run(&mixed);
    assert_eq!(ran.code, 2, "{}", ran.err);
    assert!(ran.err.contains("2 models") && ran.err.contains("--each"), "{}", ran.err);
    assert!(!sandbox.path("mixed").exists());
    well(&sandbox, &[&mixed[..], &["--each", "-q"]].concat());
}

#[test]
fn clips_are_selected_by_name_and_by_pattern_in_every_format() {
    let sandbox = sandbox();
    for (verb, out) in [("convert", "a.gltf"), ("export", "b.gltf"), ("convert", "c.x"), ("convert", "d.psa")]
    {
        well(&sandbox, &[verb, "hero.gltf", "-o", out, "--clip", "walk", "--clip", "wa?e", "-q"]);
        let info = well(&sandbox, &["info", out]).out;
        let has = |name: &str| info.contains(name);
        assert!(has("walk") && has("wave") && !has("run"), "{out}: {info}");
    }
    for verb in ["convert", "export"] {
        let ran = sandbox.run(&[verb, "hero.gltf", "-o", "none.glb", "--clip", "jump*"]);
        assert_eq!(ran.code, 2, "{}", ran.err);
        assert!(ran.err.contains("no clip is named `jump*`; clips: "), "{}", ran.err);
    }
}

/// The character as a static mesh with two morph targets and a clip of their weights.
fn face() -> Value {
    let mut face = character();
    face["skins"] = json!([]);
    face["nodes"] = json!([{ "name": "body", "mesh": 0 }]);
    face["scenes"] = json!([{ "nodes": [0] }]);
    face["materials"] = json!([{ "name": "coat", "pbrMetallicRoughness": { "metallicFactor": 0.0 } }]);
    face["meshes"] = json!([{ "name": "body", "primitives": [
        { "attributes": { "POSITION": 0 }, "material": 0, "targets": [{ "POSITION": 0 }] },
    ], "extras": { "targetNames": ["smile"] } }]);
    face["animations"] = json!([{ "name": "talk", "samplers": [{ "input": 2, "output": 2 }],
        "channels": [{ "sampler": 0, "target": { "node": 0, "path": "weights" } }] }]);
    face
}

#[test]
fn a_clip_that_no_file_of_the_family_holds_is_a_loss() {
    let sandbox = Sandbox::new();
    put(&sandbox, "face.gltf", &face());
    let convert = ["convert", "face.gltf", "--to", "unreal", "--out-dir", "out"];
    let ran = sandbox.run(&[&convert[..], &["--strict"]].concat());
    assert_eq!(ran.code, 1, "{}", ran.err);
    assert!(ran.err.contains("motion"), "{}", ran.err);
    let ran = well(
        &sandbox,
        &[&convert[..], &["--loss-report", "json", "--strict", "--accept", "motion", "--accept", "names"]]
            .concat(),
    );
    let lost: Vec<_> = ran.json().iter().map(|own| (own["kind"].clone(), own["what"].clone())).collect();
    assert!(lost.contains(&("motion".into(), "morph tracks of clip \"talk\"".into())), "{lost:?}");
    assert_eq!(names(&sandbox, "out"), ["face.psk"]);
}

#[test]
fn advice_names_no_option_that_was_given() {
    let sandbox = Sandbox::new();
    put(&sandbox, "face.gltf", &face());
    let args = ["convert", "face.gltf", "--to", "cal3d", "--out-dir", "out", "--loss-report", "json"];
    let report = well(&sandbox, &args);
    let lost = report.json().into_iter().find(|own| own["what"] == "morph tracks of clip \"talk\"");
    assert_eq!(lost.expect("a loss").get("avoid"), Some(&Value::Null), "{}", report.out);
}

#[test]
fn losses_of_gltf_are_its_own() {
    let sandbox = Sandbox::new();
    let model = workspace().join("tests/character/dragon.ms3d");
    let args = ["-o", "one.glb", "--max-influences", "1", "--loss-report", "json"];
    let report = well(&sandbox, &[&["convert", model.to_str().expect("a path")], &args[..]].concat());
    let lost = report.json().into_iter().find(|own| own["loss"] == "dropped-influences");
    assert_eq!(lost.expect("a loss")["file"], "glTF", "{}", report.out);
}

#[test]
fn a_size_of_floats_is_for_encodings_only() {
    let sandbox = sandbox();
    put(&sandbox, "model.gltf", &character());
    let of = ["convert", "model.gltf", "--float-size", "64"];
    for result in [["--to", "x:bin", "-o", "model.x"], ["--to", "psk", "-o", "model.psk"]] {
        let ran = sandbox.run(&[&of[..], &result].concat());
        assert!(ran.code == 2 && ran.err.contains("--float-size"), "{} {}", ran.code, ran.err);
        assert!(!sandbox.path(result[3]).exists());
    }
}

#[test]
fn losses_are_counted_once_for_a_family_and_by_kind() {
    let sandbox = sandbox();
    let mut model = character();
    model["nodes"][0]["name"] =
        "a name that is much too long for a bone of the files that are written here, by far".into();
    put(&sandbox, "long.gltf", &model);
    let convert = ["convert", "long.gltf", "--to", "unreal", "--force", "--out-dir", "out"];
    let report = well(&sandbox, &[&convert[..], &["--loss-report", "json"]].concat());
    let mut lost: Vec<_> =
        report.json().iter().map(|own| format!("{} {}", own["what"], own["why"])).collect();
    let (all, names) = (lost.len(), report.field("kind").iter().filter(|kind| *kind == "names").count());
    lost.sort();
    lost.dedup();
    // A bone is renamed, and the mesh has none.
    assert_eq!((lost.len(), names), (all, 2), "{}", report.out);
    let ran = well(&sandbox, &convert);
    assert!(
        ran.err.contains(&format!("long.gltf: {all} loss")) && ran.err.contains("  names: 2\n"),
        "{}",
        ran.err
    );
}

/// Returns the versions of files, as `info` prints them.
fn versions(sandbox: &Sandbox, files: &[&str]) -> Vec<String> {
    well(sandbox, &[&["info", "--format", "json"], files].concat()).field("version")
}

#[test]
fn an_extension_states_the_version_of_all_files_of_its_family() {
    let sandbox = sandbox();
    for (files, to, expected) in [
        (&["hero.mesh_skinned"][..], None, &["sk10"][..]),
        (&["hero.mesh_skinned", "hero.skeleton", "hero.anim"], None, &["sk10", "sn10", "an12"]),
        (&["hero.anim", "hero.mesh_skinned"], None, &["an12", "sk10"]),
        (&["hero.mesh", "hero.anim"], Some("unigine"), &["ms14", "an11"]),
        // The argument precedes.
        (&["hero.mesh", "hero.anim"], Some("unigine:2.19"), &["ms13", "an11"]),
    ] {
        let outputs = files.iter().flat_map(|file| ["-o", file]);
        let args: Vec<_> =
            ["convert", "hero.gltf", "--clip", "walk", "--force", "-q"].into_iter().chain(outputs).collect();
        well(&sandbox, &[&args[..], to.map(|to| ["--to", to]).as_ref().map_or(&[], |own| &own[..])].concat());
        assert_eq!(versions(&sandbox, files), expected, "{files:?}");
        well(&sandbox, &[&["check"], files].concat());
    }
}

/// The beginning of an image.
const IMAGE: &[u8] = b"\x89PNG\r\n\x1a\n";

#[test]
fn images_in_files_are_copied_to_other_directories() {
    let sandbox = Sandbox::new();
    for folder in ["out", "unreal", "none", "text"] {
        fs::create_dir(sandbox.path(folder)).unwrap();
    }
    put(&sandbox, "in/hero.gltf", &character());
    sandbox.write("in/cloth.png", IMAGE);
    well(&sandbox, &["convert", "in/hero.gltf", "-o", "in/hero.x", "-q"]);
    put(&sandbox, "hero.gltf", &character());
    sandbox.write("cloth.png", IMAGE);
    well(&sandbox, &["convert", "hero.gltf", "-o", "hero.psk", "-q"]);
    assert_eq!(
        fs::read(sandbox.path("coat.png")).unwrap(),
        IMAGE,
        "readers look for the name of the material"
    );
    assert_eq!(names(&sandbox, "in"), ["cloth.png", "hero.bin", "hero.gltf", "hero.x"]);
    let ran = well(&sandbox, &["convert", "in/hero.gltf", "-o", "out/hero.x"]);
    assert!(ran.err.contains("wrote out/cloth.png"), "{}", ran.err);
    assert_eq!(fs::read(sandbox.path("out/cloth.png")).unwrap(), IMAGE);
    well(&sandbox, &["convert", "in/hero.gltf", "-o", "unreal/hero.psk", "-q"]);
    assert_eq!(names(&sandbox, "unreal"), ["coat.png", "hero.psk"]);
    well(&sandbox, &["convert", "in/hero.gltf", "-o", "none/hero.x", "--no-images", "-q"]);
    assert_eq!(names(&sandbox, "none"), ["hero.x"]);
    // What has the name of an image is not always one.
    sandbox.write("in/cloth.png", "a text");
    well(&sandbox, &["convert", "in/hero.gltf", "-o", "text/hero.x", "-q"]);
    assert_eq!(names(&sandbox, "text"), ["hero.x"]);
}

#[test]
fn images_that_export_embedded_are_written() {
    let sandbox = Sandbox::new();
    for name in ["dragon.glb", "dragon.png"] {
        sandbox.write(&format!("in/{name}"), sample(&format!("character/{name}")));
    }
    for folder in ["glb", "out"] {
        fs::create_dir(sandbox.path(folder)).unwrap();
    }
    well(&sandbox, &["export", "in/dragon.glb", "-o", "glb/hero.glb", "-q"]);
    well(&sandbox, &["convert", "glb/hero.glb", "-o", "out/hero.x", "-q"]);
    assert_eq!(names(&sandbox, "out"), ["dragon.png", "hero.x"]);
    assert_eq!(fs::read(sandbox.path("out/dragon.png")).unwrap(), sample("character/dragon.png"));
    assert!(sandbox.read("out/hero.x").contains("\"dragon.png\""));
}

/// A triangle on a node, among nodes that hold nothing.
const STATIC_NODES: &str = r#"{
  "asset": { "version": "2.0", "generator": "another program" },
  "buffers": [{ "uri": "corners.bin", "byteLength": 36 }],
  "bufferViews": [{ "buffer": 0, "byteLength": 36 }],
  "accessors": [
    { "bufferView": 0, "componentType": 5126, "count": 3, "type": "VEC3", "min": [0, 0, 0], "max": [1, 1, 0] }
  ],
  "meshes": [{ "primitives": [{ "attributes": { "POSITION": 0 } }] }],
  "nodes": [
    { "name": "hip", "children": [1, 2] },
    { "name": "body", "mesh": 0, "translation": [0, 1, 0] },
    { "name": "target" },
    { "name": "lights", "children": [4] },
    { "name": "sun" }
  ],
  "scenes": [{ "nodes": [0, 3] }]
}"#;

#[test]
fn nodes_that_hold_nothing_are_no_bones() {
    let sandbox = Sandbox::new();
    let corners = [0.0_f32, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0, 0.0].map(f32::to_le_bytes);
    sandbox.write("corners.bin", corners.as_flattened());
    sandbox.write("model.gltf", STATIC_NODES);
    let bones = |file: &str| {
        let names = sandbox.run(&["get", file, "bones[*].name", "--raw"]).out;
        names.lines().map(str::to_owned).collect::<Vec<_>>()
    };
    let ran = sandbox.run(&["convert", "model.gltf", "-o", "model.psk"]);
    assert!(ran.code == 0 && ran.err.contains("--keep-nodes"), "{}", ran.err);
    assert_eq!(bones("model.psk"), ["hip", "body"]);
    let ran = sandbox.run(&["convert", "model.gltf", "-o", "all.psk", "--keep-nodes"]);
    assert!(ran.code == 0 && !ran.err.contains("--keep-nodes"), "{}", ran.err);
    let all = bones("all.psk");
    assert!(
        ["hip", "body", "target", "lights", "sun"].iter().all(|name| all.contains(&(*name).to_owned())),
        "{all:?}"
    );
    // What other verbs print of the file is what is written of it.
    let bones_of = |mode: &[&str]| {
        let ran = well(&sandbox, &[&["info", "model.gltf", "--format", "json"], mode].concat());
        serde_json::from_str::<serde_json::Value>(&ran.out).expect("JSON")
    };
    assert_eq!(bones_of(&[])["bones"], 2);
    assert_eq!(bones_of(&[])["model"]["bones"], 2);
    assert_eq!(bones_of(&["--scene"])["scene"]["bones"].as_array().map(Vec::len), Some(2));
    let row = well(&sandbox, &["info", "--oneline", "model.gltf"]).out;
    assert_eq!(row.lines().nth(1).and_then(|row| row.split_whitespace().nth(4)), Some("2"), "{row}");
    let found = |name: &str| !sandbox.run(&["find", "--bone", name, "model.gltf"]).out.is_empty();
    assert_eq!(["hip", "body", "target", "lights", "sun"].map(found), [true, true, false, false, false]);
    // The same holds beside other files.
    let ran = sandbox.run(&["convert", "model.gltf", "model.psk", "-o", "both.psk", "--loss-report"]);
    assert!((ran.out + &ran.err).contains("model: metadata: nodes (3)"));
    assert_eq!(bones("both.psk"), ["hip", "body"]);
    // What we wrote keeps all nodes.
    sandbox.run(&["export", "all.psk", "-o", "own.glb"]);
    sandbox.run(&["convert", "own.glb", "-o", "again.psk"]);
    assert_eq!(bones("again.psk"), all);
}

#[test]
fn clips_of_another_skeleton_move_the_same_bones() {
    let sandbox = Sandbox::new();
    for name in ["dragon.psk", "dragon.psa"] {
        sandbox.write(name, sample(&format!("character/{name}")));
    }
    well(&sandbox, &["rename", "dragon.psk", "--regex", "--bone", "^(.*)$=own $1", "-o", "own.psk"]);
    let names = well(&sandbox, &["get", "dragon.psk", "bones[*].name", "--raw"]).out;
    let pairs: Vec<_> = names.lines().map(|name| format!("{name},own {name}")).collect();
    sandbox.write("pairs.csv", pairs.join("\n"));
    let of = ["convert", "own.psk", "--retarget", "dragon.psk", "--retarget", "dragon.psa", "-o", "own.psa"];
    well(&sandbox, &[&of[..], &["--bones", "pairs.csv"]].concat());
    let drawn = |mesh: &str, clips: &str| {
        let at = ["--clip", "walk", "--time", "0.25", "--size", "64", "--force", "-o", "out.png"];
        well(&sandbox, &[&["preview", mesh, clips], &at[..]].concat());
        std::fs::read(sandbox.path("out.png")).expect("a picture")
    };
    assert!(drawn("dragon.psk", "dragon.psa") == drawn("own.psk", "own.psa"));
    // Without pairs there is nothing to do, and without a track of a bone something is lost.
    let ran = sandbox.run(&[&of[..], &["--force"]].concat());
    assert!(ran.code == 2 && ran.err.contains("--bones TABLE.csv"), "{}", ran.err);
    sandbox.write("few.csv", "root,own root\n");
    let ran = sandbox.run(&[&of[..], &["--bones", "few.csv", "--force", "--loss-report"]].concat());
    assert!(
        ran.code == 0 && ran.out.contains("no bone of the skeleton matches them (--bones)"),
        "{} {}",
        ran.out,
        ran.err
    );
    let ran = sandbox.run(&["convert", "own.psk", "--retarget", "dragon.psk", "-o", "none.psa"]);
    assert!(ran.code == 2 && ran.err.contains("no clips"), "{}", ran.err);
    sandbox.write("wrong.csv", "nosuch,own root\n");
    let ran = sandbox.run(&[&of[..], &["--bones", "wrong.csv", "--force"]].concat());
    assert!(ran.code == 2 && ran.err.contains("no bone `nosuch`"), "{}", ran.err);
    let ran = sandbox.run(&["convert", "own.psk", "--bones", "few.csv", "-o", "none.psa"]);
    assert_eq!(ran.code, 2, "{}", ran.err);
}

#[test]
fn files_in_directories_are_grouped_by_what_fits() {
    let sandbox = Sandbox::new();
    for (name, of) in [
        ("in/a/hero.psk", "character/dragon.psk"),
        ("in/a/clips/all.psa", "character/dragon.psa"),
        ("in/b/other.psk", "corpus/psk/plane.psk"),
        ("in/b/other.psa", "corpus/psk/wave.psa"),
        ("in/b/alone.psa", "corpus/psk/set_strangers.psa"),
    ] {
        sandbox.write(name, sample(of));
    }
    well(&sandbox, &["convert", "in", "--to", "cal3d", "--out-dir", "out", "--no-images"]);
    let found = names(&sandbox, "out/a");
    let wanted = ["hero.cmf", "hero.csf", "hero_idle.caf", "hero_walk.caf", "hero_wave.caf"];
    assert!(wanted.iter().all(|name| found.contains(&(*name).to_owned())), "{found:?}");
    assert_eq!(found.iter().filter(|name| name.contains(".csf")).count(), 1);
    let found = names(&sandbox, "out/b");
    assert!(
        found.contains(&"other.csf".to_owned()) && found.iter().any(|name| name.contains("Wave")),
        "{found:?}"
    );
    // The tracks are in the order of the bones of the mesh.
    let of_set = well(&sandbox, &["get", "out/a/hero_walk.caf", "tracks[*].bone_id", "--raw"]).out;
    well(
        &sandbox,
        &[
            "convert",
            "in/a/hero.psk",
            "in/a/clips/all.psa",
            "--to",
            "cal3d",
            "--out-dir",
            "set",
            "--no-images",
        ],
    );
    assert_eq!(well(&sandbox, &["get", "set/hero_walk.caf", "tracks[*].bone_id", "--raw"]).out, of_set);
    well(&sandbox, &["convert", "in", "--to", "cal3d", "--out-dir", "each", "--each", "--no-images"]);
    assert!(names(&sandbox, "each/a/clips").contains(&"all.csf".to_owned()));
    // A family with its own skeleton files.
    well(&sandbox, &["convert", "out", "--to", "ms3d", "--out-dir", "again", "--no-images"]);
    assert_eq!(names(&sandbox, "again/a"), ["hero.ms3d"]);
    let clips = well(&sandbox, &["info", "again/a/hero.ms3d"]).out;
    assert!(["idle", "walk", "wave"].iter().all(|clip| clips.contains(clip)), "{clips}");
}

/// The character with a second mesh of two materials, of which one is that of the first mesh.
fn dressed() -> Value {
    let mut model = character();
    let attributes = json!({ "POSITION": 0, "WEIGHTS_0": 1, "JOINTS_0": 4 });
    let primitive = |material| json!({ "attributes": attributes, "material": material });
    model["materials"] = json!([{ "name": "coat", "pbrMetallicRoughness": { "baseColorTexture": { "index": 0 } } },
        { "name": "leather" }]);
    model["meshes"] = json!([{ "name": "body", "primitives": [primitive(0)] },
        { "name": "belt", "primitives": [primitive(0), primitive(1)] }]);
    let node = |name: &str, mesh| json!({ "name": name, "mesh": mesh, "skin": 0 });
    model["nodes"] =
        json!([{ "name": "hip", "children": [1] }, { "name": "spine" }, node("body", 0), node("belt", 1)]);
    model["scenes"] = json!([{ "nodes": [0, 2, 3] }]);
    model
}

#[test]
fn meshes_and_materials_are_selected_in_every_family() {
    let sandbox = Sandbox::new();
    put(&sandbox, "hero.gltf", &dressed());
    for to in ["ms3d", "psk", "x", "unigine-mesh", "cal3d-mesh", "max-mesh"] {
        well(&sandbox, &["convert", "hero.gltf", "--to", to, "--out-dir", to, "--no-images", "-q"]);
    }
    let info = |file: &str| well(&sandbox, &["info", "--scene", file, "--format", "json"]).json().remove(0);
    // The number of triangles that are left, and names of meshes, materials or clips that are not.
    for (file, args, left, gone) in [
        ("hero.gltf", &["--mesh", "body"][..], 1, &["leather", "belt"][..]),
        ("hero.gltf", &["--mesh", "b*", "--material", "leather"], 1, &["coat", "body"]),
        ("hero.gltf", &["--regex", "--material", "^c"], 2, &["leather"]),
        ("hero.gltf", &["--regex", "--mesh", "o.y", "--clip", "^w"], 1, &["belt", "run"]),
        ("ms3d/hero.ms3d", &["--material", "leather"], 1, &["coat"]),
        ("psk/hero.psk", &["--material", "coat"], 2, &["leather"]),
        ("x/hero.x", &["--mesh", "belt"], 2, &["body"]),
        ("x/hero.x", &["--material", "leather"], 1, &["coat", "body"]),
        ("unigine-mesh/hero.mesh_skinned", &["--mesh", "body"], 1, &["belt", "leather"]),
        ("cal3d-mesh/hero.cmf", &["--mesh", "hero 1"], 1, &["hero 0"]),
        ("max-mesh/hero.max-mesh.mesh", &["--mesh", "material 1"], 1, &["material 0"]),
    ] {
        for verb in ["convert", "export"] {
            well(&sandbox, &[&[verb, file, "-o", "part.gltf", "--force", "-q"], args].concat());
            let part = info("part.gltf");
            assert_eq!(part["counts"]["triangles"], left, "{verb} {file} {args:?}");
            let names =
                [&part["materials"], &part["clips"], &part["scene"]["meshes"]].map(Value::to_string).concat();
            assert!(gone.iter().all(|name| !names.contains(name)), "{verb} {file} {args:?}: {names}");
            let bones = [&info(file), &part].map(|own| own["scene"]["bones"].as_array().unwrap().len());
            assert_eq!(bones[0], bones[1], "{verb} {file} {args:?}");
        }
    }
    // A part of a file in its own format.
    well(&sandbox, &["convert", "ms3d/hero.ms3d", "--material", "leather", "-o", "belt.ms3d", "-q"]);
    assert_eq!(info("belt.ms3d")["counts"]["triangles"], 1);
    for (args, why) in [
        (&["--mesh", "coat"][..], "no mesh is named `coat`; meshes: body, belt"),
        (&["--mesh", "body", "--material", "leather"], "no material is named `leather`; materials: coat"),
    ] {
        let ran = sandbox.run(&[&["convert", "hero.gltf", "-o", "none.x"], args].concat());
        assert!(ran.code == 2 && ran.err.contains(why), "{}", ran.err);
        assert!(!sandbox.path("none.x").exists());
    }
}

#[test]
fn images_of_meshes_that_are_not_selected_are_not_written() {
    let sandbox = Sandbox::new();
    put(&sandbox, "in/hero.gltf", &dressed());
    sandbox.write("in/cloth.png", IMAGE);
    well(
        &sandbox,
        &["convert", "in/hero.gltf", "--to", "x", "--out-dir", "coat", "--material", "coat", "-q"],
    );
    assert_eq!(names(&sandbox, "coat"), ["cloth.png", "hero.x"]);
    well(
        &sandbox,
        &["convert", "in/hero.gltf", "--to", "x", "--out-dir", "belt", "--material", "leather", "-q"],
    );
    assert_eq!(names(&sandbox, "belt"), ["hero.x"]);
}

#[test]
fn a_template_names_the_results() {
    let sandbox = Sandbox::new();
    put(&sandbox, "hero.gltf", &dressed());
    let convert = |to: &str, template: &str, more: &[&str]| {
        let args = ["convert", "hero.gltf", "--to", to, "--out-dir", "out", "-q", "--name", template];
        sandbox.run(&[&args[..], more].concat())
    };
    for (to, template, more, expected) in [
        (
            "cal3d",
            "{mesh}_{clip}{material}",
            &[][..],
            &[
                "body.cfg",
                "body.cmf",
                "body.csf",
                "body_coat.crf",
                "body_leather.crf",
                "body_run.caf",
                "body_walk.caf",
                "body_wave.caf",
            ][..],
        ),
        (
            "unigine",
            "{clip} of {input}",
            &[],
            &[
                "of hero.mesh_skinned",
                "of hero.skeleton",
                "run of hero.anim",
                "walk of hero.anim",
                "wave of hero.anim",
            ],
        ),
        ("ms3d", "{clip}", &["--clip", "walk"], &["walk.ms3d"]),
        ("ms3d", "{clip}", &[], &["hero.ms3d"]),
        ("glb", "{mesh}-{clip}", &["--clip", "run"], &["body-run.glb"]),
        ("psk", "@x{material}|", &[], &["_x_.psk"]),
    ] {
        let ran = convert(to, template, more);
        assert_eq!(ran.code, 0, "{to} {template}: {}", ran.err);
        assert_eq!(names(&sandbox, "out"), expected, "{to} {template}");
        fs::remove_dir_all(sandbox.path("out")).unwrap();
    }
    for (to, template, why) in [
        ("psk", "{bone}", "unknown placeholder {bone}; placeholders: {input}, {mesh}, {clip}, {material}"),
        ("psk", "{mesh", "expected `}`"),
        ("psk", "../{mesh}", "without a folder"),
        ("cal3d", "{mesh}", "--name gives two results the name body."),
        ("bin", "{mesh}", "keep names and contents"),
    ] {
        let ran = convert(to, template, &[]);
        assert!(ran.code == 2 && ran.err.contains(why), "{template}: {}", ran.err);
        assert!(!sandbox.path("out").exists(), "{template}");
    }
}

/// Meshes of Cal3D refer to materials by the order in which programs load them: that of the list beside them.
#[test]
fn materials_of_cal3d_keep_their_order() {
    let sandbox = Sandbox::new();
    let mut model = dressed();
    model["materials"][0]["name"] = "zinc".into();
    put(&sandbox, "hero.gltf", &model);
    well(&sandbox, &["convert", "hero.gltf", "--to", "cal3d", "--out-dir", "out", "--no-images", "-q"]);
    let list = fs::read_to_string(sandbox.path("out/hero.cfg")).unwrap();
    let materials: Vec<_> = list.lines().filter(|line| line.starts_with("material=")).collect();
    assert_eq!(materials, ["material=hero_zinc.crf", "material=hero_leather.crf"]);
    let materials_of = |args: &[&str]| {
        well(&sandbox, &[&["convert", "out", "-o", "back.gltf", "--force", "-q"], args].concat());
        let back: Value = serde_json::from_slice(&fs::read(sandbox.path("back.gltf")).unwrap()).unwrap();
        let names = back["materials"].as_array().unwrap().iter();
        names.map(|own| own["name"].as_str().unwrap().to_owned()).collect::<Vec<_>>()
    };
    assert_eq!(materials_of(&[]), ["zinc", "leather"]);
    assert_eq!(materials_of(&["--no-sidecars"]), ["leather", "zinc"]);
}

#[test]
fn images_that_belong_to_materials_by_name_are_converted_too() {
    let sandbox = Sandbox::new();
    put(&sandbox, "in/hero.gltf", &dressed());
    well(&sandbox, &["convert", "in/hero.gltf", "--to", "psk", "--out-dir", "psk", "--no-images", "-q"]);
    sandbox.write("psk/coat.png", IMAGE);
    well(&sandbox, &["convert", "psk/hero.psk", "--to", "ms3d", "--out-dir", "out", "-q"]);
    assert_eq!(names(&sandbox, "out"), ["coat.png", "hero.ms3d"]);
    let textures = well(&sandbox, &["get", "out/hero.ms3d", "materials[*].texture"]).out;
    assert!(textures.contains("coat.png"), "{textures}");
}

#[test]
fn options_without_effect_are_errors() {
    let sandbox = Sandbox::new();
    for name in ["a.gltf", "b.gltf"] {
        put(&sandbox, name, &dressed());
    }
    well(&sandbox, &["convert", "a.gltf", "-o", "a.x", "-o", "a.csf", "-q"]);
    for (args, why) in [
        (
            &["convert", "a.gltf", "b.gltf", "--each", "--to", "x", "--clip", "walk", "--clip", "idel"][..],
            "`idel`",
        ),
        (&["convert", "a.gltf", "b.gltf", "--each", "--to", "x", "--mesh", "nope"], "`nope`"),
        (&["export", "a.gltf", "b.gltf", "--material", "nope"], "`nope`"),
        (&["convert", "a.x", "--to", "bin", "--mesh", "body"], "keep names and contents"),
        (&["convert", "a.x", "--to", "bin", "--images", "keep"], "keep names and contents"),
        (&["convert", "a.x", "--to", "bin", "--no-embed"], "are about glTF files"),
        (&["convert", "a.csf", "--to", "cal3d:xml", "--keep-bind-scale"], "are about glTF files"),
        (
            &["convert", "a.gltf", "--to", "glb", "--images", "keep"],
            "--images is about files of other formats",
        ),
        (&["convert", "a.gltf", "--to", "x", "--regex"], "--regex is about"),
    ] {
        let ran = sandbox.run(&[args, &["--out-dir", "out", "--force"]].concat());
        assert!(ran.code == 2 && ran.err.contains(why), "{args:?}: {} {}", ran.code, ran.err);
    }
}

#[test]
fn the_spelling_of_a_text_is_a_loss() {
    let sandbox = Sandbox::new();
    put(&sandbox, "a.gltf", &character());
    well(&sandbox, &["convert", "a.gltf", "-o", "a.x", "-o", "a.xsf", "-q"]);
    for (args, result) in [
        (&["a.x", "--to", "bin", "-o", "b.x"][..], "b.x"),
        (&["a.x", "--to", "bin", "--out-dir", "out"], "out/a.x"),
        (&["a.xsf", "-o", "b.csf"], "b.csf"),
    ] {
        let convert = |more: &[&str]| sandbox.run(&[&["convert"][..], args, more].concat());
        let ran = convert(&["--strict"]);
        assert!(ran.code == 1 && ran.err.contains("1 loss (1 metadata)"), "{args:?}: {}", ran.err);
        assert!(!sandbox.path(result).exists(), "{args:?}");
        let ran = convert(&["--strict", "--accept", "metadata", "--loss-report", "json"]);
        assert_eq!((ran.code, ran.field("loss")), (0, vec!["spelling".to_owned()]), "{args:?}: {}", ran.err);
        assert!(sandbox.path(result).exists(), "{args:?}");
    }
    well(&sandbox, &["convert", "a.x", "--to", "tzip", "-o", "c.x", "--strict"]);
    let ran = sandbox.run(&["convert", "a.x", "--to", "bin", "-o", "-", "--loss-report"]);
    assert!(ran.code == 2 && ran.err.contains("cannot both go to standard output"), "{}", ran.err);
}

#[test]
fn the_skeleton_of_a_set_is_named_as_the_template_says() {
    let sandbox = Sandbox::new();
    put(&sandbox, "hero.gltf", &character());
    let args = ["--to", "unigine", "--out-dir", "out", "--name", "the {mesh} {clip}", "--no-images", "-q"];
    well(&sandbox, &[&["convert", "hero.gltf"][..], &args].concat());
    let files = ["out/the body.skeleton", "out/the body.mesh_skinned", "out/the body walk.anim"];
    well(&sandbox, &[&["check"][..], &files].concat());
    assert!(well(&sandbox, &["info", files[2]]).out.contains("the body"));
}

#[test]
fn results_of_several_inputs_are_kept_apart() {
    let sandbox = Sandbox::new();
    for name in ["a.gltf", "b.gltf"] {
        put(&sandbox, name, &character());
    }
    for (to, expected, images) in [
        ("glb", ["a/body.glb", "b/body.glb"], &[][..]),
        ("psk", ["a/body.psk", "b/body.psk"], &["--no-images"]),
    ] {
        let args =
            ["convert", "a.gltf", "b.gltf", "--each", "--to", to, "--out-dir", "out", "--name", "{mesh}"];
        well(&sandbox, &[&args[..], &["-q"], images].concat());
        assert!(expected.iter().all(|own| sandbox.path(&format!("out/{own}")).exists()), "{to}");
        put(&sandbox, "a_body.gltf", &character());
        well(&sandbox, &[&args[..2], &["a_body.gltf"], &args[3..], &["-q", "--force"], images].concat());
        let of_third = sandbox.path(&format!("out/a_{}", expected[0].replacen("a/", "body/", 1)));
        assert!(of_third.exists(), "{to}");
    }
}

/// An image of 4 by 4 red pixels that is compressed with DXT1.
fn dds() -> Vec<u8> {
    let mut bytes = vec![0; 128];
    bytes[..4].copy_from_slice(b"DDS ");
    let header = [(4, 124_u32), (8, 0x8_1007), (12, 4), (16, 4), (20, 8), (76, 32), (80, 4), (108, 0x1000)];
    for (at, value) in header {
        bytes[at..at + 4].copy_from_slice(&value.to_le_bytes());
    }
    bytes[84..88].copy_from_slice(b"DXT1");
    bytes.extend([0, 0xf8, 0x1f, 0, 0, 0, 0, 0]);
    bytes
}

#[test]
fn images_are_copied_converted_or_kept() {
    let sandbox = Sandbox::new();
    let mut model = character();
    model["images"] = json!([{ "uri": "cloth.dds" }]);
    put(&sandbox, "hero.gltf", &model);
    well(&sandbox, &["convert", "hero.gltf", "-o", "hero.x", "-q"]);
    fs::create_dir(sandbox.path("skins")).unwrap();
    sandbox.write("skins/cloth.dds", dds());
    let convert = |out: &str, to: &str, args: &[&str]| {
        let common = ["convert", "hero.x", "--textures", "skins", "--to", to, "--out-dir", out, "-q"];
        well(&sandbox, &[&common[..], args].concat());
        names(&sandbox, out)
    };
    assert_eq!(convert("a", "ms3d", &[]), ["cloth.dds", "hero.ms3d"]);
    assert_eq!(convert("b", "ms3d", &["--images", "copy"]), ["cloth.dds", "hero.ms3d"]);
    assert_eq!(fs::read(sandbox.path("b/cloth.dds")).unwrap(), dds());
    assert_eq!(convert("c", "ms3d", &["--images", "keep"]), ["hero.ms3d"]);
    assert_eq!(convert("d", "ms3d", &["--no-images"]), ["hero.ms3d"]);
    assert_eq!(convert("e", "ms3d", &["--images", "convert"]), ["cloth.png", "hero.ms3d"]);
    assert!(fs::read(sandbox.path("e/cloth.png")).unwrap().starts_with(IMAGE));
    let texture = |folder: &str| {
        well(&sandbox, &["get", &format!("{folder}/hero.ms3d"), "materials[0].texture", "--raw"]).out
    };
    assert_eq!(["a", "c", "e"].map(texture), ["cloth.dds\n", "cloth.dds\n", "cloth.png\n"]);
    assert_eq!(convert("f", "psk", &["--images", "convert"]), ["coat.png", "hero.psk"]);
    let ran = sandbox.run(&["convert", "hero.x", "-o", "no.psk", "--images", "keep", "--no-images"]);
    assert_eq!(ran.code, 2, "{}", ran.err);
}

#[test]
fn images_that_are_converted_take_no_names_of_others() {
    let sandbox = Sandbox::new();
    let mut model = dressed();
    model["images"] = json!([{ "uri": "cloth.dds" }, { "uri": "cloth.png" }]);
    model["textures"] = json!([{ "source": 0 }, { "source": 1 }]);
    model["materials"][1]["pbrMetallicRoughness"] = json!({ "baseColorTexture": { "index": 1 } });
    put(&sandbox, "in/hero.gltf", &model);
    sandbox.write("in/cloth.dds", dds());
    sandbox.write("in/cloth.png", IMAGE);
    let args = ["convert", "in/hero.gltf", "--to", "ms3d", "--out-dir", "out", "--images", "convert", "-q"];
    well(&sandbox, &args);
    assert_eq!(names(&sandbox, "out").len(), 3, "{:?}", names(&sandbox, "out"));
    let content = |material: usize| {
        let path = format!("materials[{material}].texture");
        let image = well(&sandbox, &["get", "out/hero.ms3d", &path, "--raw"]).out;
        fs::read(sandbox.path(&format!("out/{}", image.trim_end()))).unwrap()
    };
    assert!(content(0) != IMAGE && content(0).starts_with(&IMAGE[..4]));
    assert_eq!(content(1), IMAGE);
}

/// An image of one pixel.
const WEBP: &str = "UklGRhoAAABXRUJQVlA4TA0AAAAvAAAAEAcQERGIiP4HAA==";

#[test]
fn webp_images_in_gltf_files_are_copied_or_converted() {
    let sandbox = Sandbox::new();
    let mut model = character();
    model["images"] = json!([{ "uri": format!("data:image/webp;base64,{WEBP}"), "name": "skin" }]);
    model["textures"] = json!([{ "extensions": { "EXT_texture_webp": { "source": 0 } } }]);
    model["extensionsUsed"] = json!(["EXT_texture_webp"]);
    model["extensionsRequired"] = json!(["EXT_texture_webp"]);
    put(&sandbox, "hero.gltf", &model);
    for (mode, image) in [("copy", "skin.webp"), ("convert", "skin.png")] {
        let args = ["convert", "hero.gltf", "--to", "ms3d", "--out-dir", mode, "--images", mode, "-q"];
        well(&sandbox, &args);
        assert_eq!(names(&sandbox, mode), ["hero.ms3d", image]);
        let path = format!("{mode}/hero.ms3d");
        let texture = well(&sandbox, &["get", &path, "materials[0].texture", "--raw"]).out;
        assert_eq!(texture.trim_end(), image);
    }
    assert!(fs::read(sandbox.path("convert/skin.png")).unwrap().starts_with(IMAGE));
}

/// The dialects, versions and encodings that formats have are those that `--to` accepts, for formats and for families.
#[test]
fn formats_and_families_are_written_in_all_their_dialects() {
    let sandbox = Sandbox::new();
    sandbox.write("dragon.glb", fs::read(workspace().join("tests/character/dragon.glb")).unwrap());
    let mut all = BTreeSet::new();
    for kind in FileKind::ALL.iter().filter(|kind| kind.is_authored()) {
        let family = if kind.family() == "psk" { "unreal" } else { kind.family() };
        for own in [kind.info().dialects, kind.encodings()].concat() {
            let is_family = ["cal3d", "max", "unigine", "unreal"].contains(&family);
            all.extend([kind.name()].into_iter().chain(is_family.then_some(family)).map(|name| (name, own)));
        }
    }
    for (name, own) in &all {
        let to = format!("{name}:{own}");
        let ran = sandbox.run(&["convert", "dragon.glb", "--to", &to, "--out-dir", "out", "--force", "-q"]);
        let reason = match (&*to, *own) {
            ("cal3d-morph:classic", _) => "clips of morph targets that meshes of the version have",
            (_, "ms15") => "18 bones, the format holds 0",
            _ => "",
        };
        assert!(
            if reason.is_empty() { ran.code == 0 } else { ran.err.contains(reason) },
            "{to}: {}",
            ran.err
        );
        let unknown =
            sandbox.run(&["convert", "dragon.glb", "--to", &format!("{name}:none"), "--out-dir", "no"]);
        assert!(unknown.code == 2 && unknown.err.contains(own), "{to}: {}", unknown.err);
    }
    assert!(all.contains(&("max", "m48")) && all.contains(&("ms3d", "extra1")), "{all:?}");
}

#[cfg(unix)]
#[test]
fn a_result_with_a_name_that_every_system_has_is_still_named_after_its_file() {
    let sandbox = Sandbox::new();
    for name in ["-a.ms3d", ".b.ms3d", "c:d.ms3d", "con.ms3d", "e.ms3d"] {
        sandbox.write(&format!("in/{name}"), sample("corpus/ms3d/full.ms3d"));
    }
    let ran = sandbox.run(&["convert", "in", "--to", "x", "--out-dir", "out", "--images", "keep"]);
    assert_eq!(ran.code, 0, "{}", ran.err);
    let mut names: Vec<_> = fs::read_dir(sandbox.path("out"))
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    names.sort();
    assert_eq!(names, ["_a.x", "b.x", "c_d.x", "con_.x", "e.x"]);
}

/// Every file has a result, and no result is overwritten by another.
#[cfg(unix)]
#[test]
fn files_whose_names_become_the_same_have_results_of_their_own() {
    use std::ffi::OsStr;
    use std::os::unix::ffi::OsStrExt;
    let sandbox = Sandbox::new();
    let inputs: [&[u8]; 5] = [b"\x8c\xa2.ms3d", b"\x92\xb9.ms3d", b"*.ms3d", b"_.ms3d", b"__2.ms3d"];
    fs::create_dir(sandbox.path("in")).unwrap();
    for name in inputs {
        fs::write(sandbox.path("in").join(OsStr::from_bytes(name)), sample("corpus/ms3d/full.ms3d")).unwrap();
    }
    for (to, images) in [("x", "keep"), ("glb", "copy"), ("cal3d", "keep")] {
        let args = ["convert", "in", "--to", to, "--out-dir", to, "--images", images, "--force"];
        let ran = sandbox.run(&args);
        assert_eq!(ran.code, 0, "{}", ran.err);
        let written: Vec<_> = ran.err.lines().filter(|line| line.contains("wrote ")).collect();
        let mut paths = written.clone();
        paths.sort_unstable();
        paths.dedup();
        assert!(paths.len() == written.len() && paths.len() >= inputs.len(), "{to}: {}", ran.err);
    }
}

#[test]
fn a_file_that_is_named_twice_is_converted_once() {
    let sandbox = Sandbox::new();
    sandbox.write("a.ms3d", sample("corpus/ms3d/full.ms3d"));
    assert_eq!(sandbox.run(&["convert", "a.ms3d", "-o", "once.x"]).code, 0);
    assert_eq!(sandbox.run(&["convert", "a.ms3d", "./a.ms3d", "-o", "twice.x"]).code, 0);
    assert_eq!(sandbox.read("once.x").replace("once", "twice"), sandbox.read("twice.x"));
}

#[test]
fn a_file_without_anything_to_write_is_explained_by_its_losses() {
    let sandbox = Sandbox::new();
    sandbox.write("a.xsf", sample("damaged/cal3d/cut_in_tag.xsf"));
    let ran = sandbox.run(&["export", "a.xsf", "-o", "a.glb"]);
    let help = "\nhelp: losses while reading: what follows the damage: 0x00000059 tokens: `NUMCHILDS` has no value; the file: \
                0x00000041 tokens[13]: BONE has no TRANSLATION\n";
    assert!(ran.code == 6 && ran.err.ends_with(help), "{}: {}", ran.code, ran.err);
}

/// A triangle whose material has a texture.
fn textured(texture: &str) -> String {
    format!(
        "xof 0303txt 0032\nMesh m {{ 3; 0;0;0;, 1;0;0;, 0;1;0;; 1; 3;0,1,2;;\nMeshMaterialList {{ 1; 1; 0;; \
         Material M {{ 1;1;1;1;; 0; 0;0;0;; 0;0;0;; TextureFilename {{ \"{texture}\"; }} }} }} }}\n"
    )
}

#[test]
fn a_texture_has_the_name_of_the_copy_of_its_image() {
    for name in ["con.png", "skin?.png", "x|y.png", "sub/con/a.png"] {
        let sandbox = Sandbox::new();
        sandbox.write("in/m.x", textured(name));
        sandbox.write(&format!("in/{name}"), IMAGE);
        well(&sandbox, &["convert", "in/m.x", "--to", "ms3d", "--out-dir", "out", "-q"]);
        let path = well(&sandbox, &["get", "out/m.ms3d", "materials[0].texture", "--raw"]).out;
        let copy = sandbox.path("out").join(path.trim_end().replace('\\', "/"));
        assert_eq!(fs::read(copy).ok().as_deref(), Some(IMAGE), "{name}: {path}");
    }
}

#[test]
fn every_format_follows_the_settings_of_influences_and_tangents() {
    let sandbox = Sandbox::new();
    let hero = workspace().join("tests/character/dragon.glb");
    let hero = hero.to_str().unwrap();
    for (format, has_tangents) in [("x", true), ("glb", true), ("iqm", true), ("ms3d", false), ("psk", false)]
    {
        let out = format!("hero.{format}");
        well(&sandbox, &["convert", hero, "--max-influences", "1", "--tangents", "-o", &out, "-q"]);
        let info = well(&sandbox, &["info", &out, "--scene", "--format", "json"]);
        assert_eq!(info.json()[0]["model"]["influences"], 1, "{format}: {}", info.out);
        if has_tangents {
            well(&sandbox, &["export", &out, "-o", "again.glb", "--force", "-q"]);
            let glb = fs::read(sandbox.path("again.glb")).unwrap();
            assert!(String::from_utf8_lossy(&glb).contains("TANGENT"), "{format}");
        }
    }
}

#[test]
fn conventions_that_no_file_can_follow_are_refused() {
    let sandbox = sandbox();
    for args in [
        ["convert", "hero.psk", "-o", "new.glb", "--unit", "0.01"],
        ["convert", "hero.gltf", "-o", "new.x", "--from-up", "z"],
        ["export", "hero.gltf", "-o", "new.glb", "--rate", "5"],
    ] {
        let ran = sandbox.run(&args);
        assert!(ran.code == 2 && ran.err.contains("glTF files are in metres"), "{args:?}: {}", ran.err);
    }
}

#[test]
fn a_model_of_a_set_in_another_pose_is_a_loss() {
    let sandbox = sandbox();
    well(&sandbox, &["set", "hero.psk", "bones[1].position.x=50", "-o", "large.psk"]);
    let losses = |files: [&str; 2]| {
        let args = ["convert", files[0], files[1], "-o", "both.ms3d", "--force", "--loss-report"];
        well(&sandbox, &args).out
    };
    assert!(losses(["hero.psk", "large.psk"]).contains("those of another file of the set replace them"));
    assert!(!losses(["hero.psk", "hero.psa"]).contains("replace them"));
}

#[test]
fn a_form_can_be_named_alone_or_with_its_format() {
    let sandbox = Sandbox::new();
    for own in ["dragon.x", "cal3d/dragon.cmf"] {
        let name = own.rsplit('/').next().unwrap();
        sandbox.copy_as(&workspace().join("tests/character").join(own), &format!("in/{name}"));
    }
    for (file, format, form, made) in [
        ("dragon.x", "x", "txt", "dragon.x"),
        ("dragon.x", "x", "bin", "dragon.x"),
        ("dragon.x", "x", "tzip", "dragon.x"),
        ("dragon.x", "x", "bzip", "dragon.x"),
        ("dragon.cmf", "cal3d-mesh", "xml", "dragon.xmf"),
    ] {
        let file = format!("in/{file}");
        let [one, two] = [form.to_owned(), format!("{format}:{form}")].map(|to| {
            let out = format!("{}/{made}", to.replace(':', "_"));
            fs::create_dir(sandbox.path(&to.replace(':', "_"))).unwrap();
            well(&sandbox, &["convert", &file, "--to", &to, "-o", &out]);
            fs::read(sandbox.path(&out)).unwrap()
        });
        assert!(one == two, "{form}");
        let folder = format!("all_{form}");
        well(&sandbox, &["convert", "in", "--to", form, "--out-dir", &folder]);
        let names: Vec<_> =
            fs::read_dir(sandbox.path(&folder)).unwrap().map(|own| own.unwrap().file_name()).collect();
        assert_eq!(names, [made], "only files of formats with the form");
        assert!(fs::read(sandbox.path(&format!("{folder}/{made}"))).unwrap() == one, "{form}");
    }
    let ran = sandbox.run(&["convert", "in/dragon.x", "--to", "x", "-o", "same.x"]);
    assert!(ran.code == 2 && ran.err.contains("is of the format x already"), "{}", ran.err);
    let ran = sandbox.run(&["convert", "in/dragon.x", "--to", "xml", "-o", "other.x"]);
    assert!(
        ran.code == 2 && ran.err.contains("has no form `xml`: only files of cal3d-skeleton, "),
        "{}",
        ran.err
    );
}

#[test]
fn the_size_of_floats_is_kept_unless_it_is_stated() {
    let sandbox = Sandbox::new();
    sandbox.copy_as(&workspace().join("tests/character/dragon.x"), "dragon.x");
    let header = |args: &[&str]| {
        well(&sandbox, &[&["convert", "--force"], args, &["-o", "out.x"]].concat());
        let bytes = fs::read(sandbox.path("out.x")).unwrap();
        String::from_utf8_lossy(&bytes[8..16]).into_owned()
    };
    assert_eq!(header(&["dragon.x", "--to", "bin"]), "bin 0032");
    assert_eq!(header(&["dragon.x", "--to", "bin", "--float-size", "64"]), "bin 0064");
    fs::rename(sandbox.path("out.x"), sandbox.path("double.x")).unwrap();
    assert_eq!(header(&["double.x", "--to", "bzip"]), "bzip0064");
    assert_eq!(header(&["double.x", "--to", "bzip", "--float-size", "32"]), "bzip0032");
    let ran = sandbox.run(&["convert", "dragon.x", "--to", "txt", "--float-size", "64", "-o", "text.x"]);
    assert!(ran.code != 0 && !sandbox.path("text.x").exists(), "text has no size of floats");
}

#[test]
fn an_extension_of_several_formats_names_them() {
    let sandbox = sandbox();
    let ran = sandbox.run(&["convert", "hero.psk", "-o", "hero.mesh", "-o", "hero.anim"]);
    let help = "help: specify the format with --to FORMAT: unigine-mesh, max-mesh\n";
    assert!(ran.code == 2 && ran.err.ends_with(help), "{}", ran.err);
}
