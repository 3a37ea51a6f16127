//! Files beside the input that belong to it.

use std::fs;

use crate::sandbox::{Sandbox, sample};

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

/// A model with two bones whose names have these bytes.
fn named(sandbox: &Sandbox, names: [&str; 2]) {
    sandbox.copy("tests/corpus/ms3d/full.ms3d");
    let set = names.map(str::to_owned);
    let [first, second] = [0, 1].map(|index| format!("joints[{index}].name={}", set[index]));
    let parent = format!("joints[1].parent_name={}", set[0]);
    let ran = sandbox.run(&[
        "set",
        "tests/corpus/ms3d/full.ms3d",
        &first,
        &second,
        &parent,
        "-o",
        "named.ms3d",
        "--force",
    ]);
    assert_eq!(ran.code, 0, "{}", ran.err);
}

/// The names of the nodes in a `.gltf` file.
fn nodes(sandbox: &Sandbox, name: &str) -> String {
    let gltf: serde_json::Value = serde_json::from_str(&sandbox.read(name)).unwrap();
    gltf["nodes"].to_string()
}

#[test]
fn names_in_a_code_page_are_shown_as_text_and_keep_their_bytes_in_edits() {
    let sandbox = Sandbox::new();
    for (names, encoding, texts) in [
        ([r"\x83\x7b\x81\x5b\x83\x93", r"\x93\xaa"], "cp932", ["ボーン", "頭"]),
        ([r"\xca\xee\xf0\xe5\xed\xfc", r"\xc3\xee\xeb\xee\xe2\xe0"], "cp1251", ["Корень", "Голова"]),
        ([r"H\xfcfte", r"Sch\xe4del"], "cp1252", ["Hüfte", "Schädel"]),
    ] {
        named(&sandbox, names);
        let info = sandbox.run(&["info", "named.ms3d", "--format", "json"]);
        assert_eq!(info.json()[0]["encoding"], encoding, "{}", info.out);
        assert!(info.out.contains(texts[0]), "{}", info.out);
        let tree = sandbox.run(&["tree", "named.ms3d"]).out;
        assert!(texts.iter().all(|text| tree.contains(text)) && tree.contains(r"\\x"), "{tree}");
        let given = sandbox.run(&["tree", "named.ms3d", "--encoding", "utf-8"]).out;
        assert!(given.contains(names[1]) && !given.contains(texts[1]), "{given}");
        assert_eq!(sandbox.run(&["export", "named.ms3d", "-o", "out.gltf", "--force"]).code, 0);
        assert!(texts.iter().all(|text| nodes(&sandbox, "out.gltf").contains(text)));
        let raw = ["export", "named.ms3d", "-o", "raw.gltf", "--force", "--encoding", "utf-8"];
        assert_eq!(sandbox.run(&raw).code, 0);
        assert!(
            nodes(&sandbox, "raw.gltf").contains(&names[1].replace('\\', "\\\\")),
            "{}",
            nodes(&sandbox, "raw.gltf")
        );
        // Another format of the kind has the same bytes, unless their encoding is given.
        let has_text = |args: &[&str]| {
            let convert = ["convert", "named.ms3d", "-o", "out.psk", "--force"];
            assert_eq!(sandbox.run(&[&convert[..], args].concat()).code, 0);
            let bytes = fs::read(sandbox.path("out.psk")).unwrap();
            bytes.windows(texts[1].len()).any(|own| own == texts[1].as_bytes())
        };
        assert!(!has_text(&[]) && has_text(&["--encoding", encoding]), "{encoding}");
    }
    let wrong = sandbox.run(&["info", "named.ms3d", "--encoding", "cp1"]);
    assert!(wrong.code == 2 && wrong.err.contains("cp932"), "{}", wrong.err);
}

/// A red pixel as TGA, in which UE Viewer writes textures.
const RED: &[u8] = b"\x00\x00\x02\x00\x00\x00\x00\x00\x00\x00\x00\x00\x01\x00\x01\x00\x18\x00\x00\x00\xff";

/// A folder as UE Viewer writes it: a mesh with colours that are masks, its animations, and materials with their textures.
fn output_of_ue_viewer() -> Sandbox {
    let sandbox = Sandbox::new();
    let mesh = sample("corpus/psk/plane.psk");
    sandbox.write("out/Game/Hero/Meshes/SK_Hero.psk", &mesh);
    sandbox.write("out/Game/Hero/Anims/AS_Hero.psa", sample("corpus/psk/wave.psa"));
    sandbox.write("out/Game/Hero/Anims/AS_Hero.config", sample("corpus/psk/tracks.config"));
    sandbox.write("out/Game/Hero/Materials/cloth.mat", "Normal=T_Cloth_N\n");
    let properties = "Parent = Material3'/Game/Base/M_Master.M_Master'\nTextureParameterValues[1] =\n{\n    \
        TextureParameterValues[0] =\n    {\n        ParameterInfo = { Name=Base }\n        \
        ParameterValue = Texture2D'/Game/Hero/Textures/T_Cloth_D.T_Cloth_D'\n    }\n}\n";
    sandbox.write("out/Game/Hero/Materials/cloth.props.txt", properties);
    sandbox.write("out/Game/Hero/Textures/T_Cloth_D.tga", RED);
    sandbox.write("out/Game/Hero/Textures/T_Cloth_N.tga", RED);
    sandbox
}

#[test]
fn the_output_of_ue_viewer_shows_its_textures_and_clips_without_options() {
    let sandbox = output_of_ue_viewer();
    let (mesh, clips) = ("out/Game/Hero/Meshes/SK_Hero.psk", "out/Game/Hero/Anims/AS_Hero.psa");
    for input in [mesh, "out"] {
        let info = sandbox.run(&["info", input]);
        let line = "cloth, texture normal T_Cloth_N (found as T_Cloth_N.tga, named by cloth.mat), color T_Cloth_D (found as \
            T_Cloth_D.tga, named by cloth.props.txt)";
        assert!(info.out.contains(line), "{}", info.out);
    }
    let ran = sandbox.run(&["export", mesh, clips, "-o", "hero.gltf"]);
    assert_eq!(ran.code, 0, "{}", ran.err);
    assert!(ran.err.contains("read out/Game/Hero/Anims/AS_Hero.config too"), "{}", ran.err);
    let gltf: serde_json::Value = serde_json::from_str(&sandbox.read("hero.gltf")).unwrap();
    assert_eq!(gltf["images"][0]["mimeType"], "image/png", "{gltf}");
    assert!(gltf["animations"].as_array().is_some_and(|clips| !clips.is_empty()));
    assert_eq!(sandbox.run(&["export", "out", "--out-dir", "each"]).code, 0);
    let glb = fs::read(sandbox.path("each/Game/Hero/Meshes/SK_Hero.glb")).unwrap();
    assert!(glb.windows(9).any(|own| own == b"image/png"));
    let picture = |name: &str, mesh: &str| {
        let ran = sandbox.run(&["preview", mesh, "-o", name, "--size", "32x32"]);
        assert_eq!(ran.code, 0, "{}", ran.err);
        fs::read(sandbox.path(name)).unwrap()
    };
    let found = picture("found.png", mesh);
    sandbox.write("alone/SK_Hero.psk", sample("corpus/psk/plane.psk"));
    assert_ne!(found, picture("alone.png", "alone/SK_Hero.psk"));
    sandbox.write("viewer.html", "<body><!-- files --></body>");
    let page = ["preview", mesh, clips, "-o", "page.html", "--viewer", "viewer.html"];
    assert_eq!(sandbox.run(&page).code, 0);
    // The viewer looks for the name of the material.
    let page = sandbox.read("page.html");
    let image = "data-file=\"T_Cloth_D.tga\" data-textures=\"[[&quot;cloth&quot;]]\"";
    assert!(page.contains(image) && page.contains("data-file=\"AS_Hero.config\""));
}
