//! Pages that `preview` writes.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use miniz_oxide::deflate::compress_to_vec;

use super::sandbox::{Sandbox, sample};

const VIEWER: &str = "<!doctype html>\n<body><!-- files --></body>\n";

#[test]
fn a_page_contains_the_files_and_their_images() {
    let sandbox = Sandbox::new();
    sandbox.write("viewer.html", VIEWER);
    sandbox.write("a&b.psk", sample("corpus/psk/set.psk"));
    sandbox.write("notes.txt", "To do:");
    let mut tent = bindpose::decode(&sample("corpus/ms3d/tent.ms3d")).unwrap();
    tent.set("materials[0].texture", "wall.PNG").unwrap();
    sandbox.write("tent.ms3d", tent.encode().unwrap());
    sandbox.write("wall.png", [1, 2, 3]);
    let ran = sandbox.run(&["preview", "tent.ms3d", "a&b.psk", "-o", "page.html", "--viewer", "viewer.html"]);
    assert_eq!((ran.code, &*ran.err), (0, ""));
    let page = std::fs::read_to_string(sandbox.path("page.html")).unwrap();
    let lines: Vec<_> = page.lines().collect();
    let of = |name: &str, bytes: &[u8]| {
        let content = STANDARD.encode(compress_to_vec(bytes, 6));
        let start = "<script type=\"application/octet-stream\" data-file=";
        format!("{start}{name} data-packed=\"deflate-raw\">{content}</script>")
    };
    assert_eq!(lines[1], format!("<body>{}", of("\"tent.ms3d\"", &tent.encode().unwrap())));
    assert_eq!(lines[2], of("\"a&amp;b.psk\"", &sample("corpus/psk/set.psk")));
    assert_eq!(lines[3], "<script type=\"application/octet-stream\" data-view=\"view=30,15\"></script>");
    assert_eq!(lines[4], of("\"wall.png\" data-textures=\"[[&quot;wall.PNG&quot;]]\"", &[1, 2, 3]));
    assert_eq!(lines[5], "</body>");
}

/// Returns the files and images of a page: the attributes of their elements, and their bytes.
fn embedded(page: &str) -> Vec<(String, Vec<u8>)> {
    let element = |line: &str| {
        let (_, rest) = line.split_once("octet-stream\" data-file=")?;
        let (attributes, rest) = rest.split_once(" data-packed=\"deflate-raw\">")?;
        let content = STANDARD.decode(rest.split_once('<')?.0).expect("base64");
        let bytes = miniz_oxide::inflate::decompress_to_vec(&content).expect("a packed file");
        Some((attributes.replace("&quot;", "'"), bytes))
    };
    page.lines().filter_map(element).collect()
}

#[test]
fn images_of_the_same_name_are_identified_by_their_textures() {
    let sandbox = Sandbox::new();
    sandbox.write("viewer.html", VIEWER);
    let textures = ["a/skin.png", "b/SKIN.png", "skin.tga", "bare", "shine.sph", "none.png"];
    let material = |texture: &&str| {
        format!("Material {{ 1;1;1;1;; 0; 0;0;0;; 0;0;0;; TextureFilename {{ \"{texture}\"; }} }}")
    };
    let (num, materials) = (textures.len(), textures.iter().map(material).collect::<String>());
    let faces = vec!["3;0,1,2;"; num].join(",");
    let indices: Vec<_> = (0..num).map(|index| index.to_string()).collect();
    let indices = indices.join(",");
    let list = format!("MeshMaterialList {{ {num}; {num}; {indices};; {materials} }}");
    sandbox.write(
        "hero.x",
        format!("xof 0303txt 0032\nMesh {{ 3; 0;0;0;, 1;0;0;, 0;1;0;; {num}; {faces}; {list} }}"),
    );
    let png = |number: u8| [b"\x89PNG\r\n\x1a\n", &[number][..]].concat();
    for (number, name) in
        (0..).zip(["a/skin.png", "b/skin.png", "skin.tga", "bare", "shine.sph", "skin.png", "b/other.png"])
    {
        sandbox.write(name, png(number));
    }
    let ran = sandbox.run(&["preview", "hero.x", "-o", "page.html", "--viewer", "viewer.html", "--quiet"]);
    assert_eq!((ran.code, &*ran.err), (0, ""));
    let mut found = embedded(&sandbox.read("page.html")).split_off(1);
    found.sort_by_key(|(_, bytes)| bytes.last().copied());
    let expected = [
        "'skin.png' data-textures='[['a/skin.png']]'",
        "'skin.png' data-textures='[['b/SKIN.png']]'",
        "'skin.tga' data-textures='[['skin.tga']]'",
        "'bare' data-textures='[['bare']]'",
        "'shine.sph' data-textures='[['shine.sph']]'",
    ];
    let expected: Vec<_> = (0..).zip(expected).map(|(number, own)| (own.to_owned(), png(number))).collect();
    let found: Vec<_> = found.into_iter().map(|(own, bytes)| (own.replace('"', "'"), bytes)).collect();
    assert_eq!(found, expected);
}

#[test]
fn files_in_several_folders_have_their_own_images() {
    let sandbox = Sandbox::new();
    sandbox.write("viewer.html", VIEWER);
    let mut tent = bindpose::decode(&sample("corpus/ms3d/tent.ms3d")).unwrap();
    tent.set("materials[0].texture", "wall.png").unwrap();
    for (number, folder) in (1..).zip(["a", "b", "c"]) {
        sandbox.write(&format!("models/{folder}/tent.ms3d"), tent.encode().unwrap());
        if folder != "c" {
            sandbox.write(&format!("models/{folder}/wall.png"), [number]);
        }
    }
    let ran = sandbox.run(&["preview", "models", "-o", "page.html", "--viewer", "viewer.html"]);
    assert_eq!((ran.code, &*ran.err), (0, ""));
    let found = embedded(&sandbox.read("page.html"));
    let names: Vec<_> = found.iter().map(|(own, _)| own.replace('"', "'")).collect();
    let expected = [
        "'tent.ms3d'",
        "'tent.ms3d' data-folder='1'",
        "'tent.ms3d' data-folder='2'",
        "'wall.png' data-textures='[['wall.png']]'",
        "'wall.png' data-textures='[['wall.png',1]]'",
    ];
    assert_eq!(names, expected);
    assert_eq!((&*found[3].1, &*found[4].1), (&[1][..], &[2][..]));
}

#[test]
fn a_page_contains_gltf_with_the_files_that_it_refers_to() {
    let sandbox = Sandbox::new();
    sandbox.write("viewer.html", VIEWER);
    for name in ["dragon.ms3d", "dragon.png"] {
        sandbox.write(name, sample(&format!("character/{name}")));
    }
    assert_eq!(sandbox.run(&["export", "dragon.ms3d", "-o", "dragon.glb"]).code, 0);
    let glb = std::fs::read(sandbox.path("dragon.glb")).unwrap();
    let moves = moving_gltf("data/move 1.bin");
    sandbox.write("moves.gltf", &moves);
    sandbox.write("data/move 1.bin", MOVE.concat());
    let inputs = ["preview", "dragon.glb", "moves.gltf", "--viewer", "viewer.html"];
    let ran = sandbox.run(&[&inputs[..], &["-o", "page.html", "--clip", "walk"]].concat());
    assert_eq!((ran.code, &*ran.err), (0, ""));
    let page = std::fs::read_to_string(sandbox.path("page.html")).unwrap();
    let elements: Vec<_> = page.lines().map(|line| line.trim_start_matches("<body>")).collect();
    let of = |attribute: &str, bytes: &[u8]| {
        let content = STANDARD.encode(compress_to_vec(bytes, 6));
        format!(
            "<script type=\"application/octet-stream\" {attribute} data-packed=\"deflate-raw\">{content}</script>"
        )
    };
    assert_eq!(elements[1], of("data-file=\"dragon.glb\"", &glb));
    assert_eq!(elements[2], of("data-file=\"moves.gltf\"", moves.as_bytes()));
    assert_eq!(elements[3], of("data-buffer=\"data/move 1.bin\"", &MOVE.concat()));
    assert!(elements[4].contains("data-view=\"view=30,15&amp;clip=walk\""), "{}", elements[4]);
    // The image of the texture is a part of the file.
    assert_eq!(elements[5..], ["</body>"]);
}

#[test]
fn gltf_without_its_files_gives_no_page() {
    let sandbox = Sandbox::new();
    sandbox.write("viewer.html", VIEWER);
    sandbox.write("moves.gltf", moving_gltf("move.bin"));
    let ran = sandbox.run(&["preview", "moves.gltf", "-o", "page.html", "--viewer", "viewer.html"]);
    assert!(ran.code == 3 && ran.err.contains("moves.gltf: ") && ran.err.contains("move.bin"), "{}", ran.err);
    assert!(!sandbox.path("page.html").exists());
}

/// The times and the places of a bone that moves.
const MOVE: [[u8; 4]; 8] = {
    let [zero, one] = [0f32.to_le_bytes(), 1f32.to_le_bytes()];
    [zero, one, zero, zero, zero, one, zero, zero]
};

fn moving_gltf(buffer: &str) -> String {
    let uri = buffer.replace(' ', "%20");
    format!(
        r#"{{ "asset": {{ "version": "2.0" }}, "scenes": [{{ "nodes": [0] }}], "nodes": [{{ "name": "hip" }}],
        "buffers": [{{ "byteLength": 32, "uri": "{uri}" }}],
        "bufferViews": [{{ "buffer": 0, "byteLength": 8 }}, {{ "buffer": 0, "byteOffset": 8, "byteLength": 24 }}],
        "accessors": [{{ "bufferView": 0, "componentType": 5126, "count": 2, "type": "SCALAR", "min": [0], "max": [1] }},
            {{ "bufferView": 1, "componentType": 5126, "count": 2, "type": "VEC3" }}],
        "animations": [{{ "name": "step", "samplers": [{{ "input": 0, "output": 1 }}],
            "channels": [{{ "sampler": 0, "target": {{ "node": 0, "path": "translation" }} }}] }}] }}"#
    )
}

#[test]
fn a_page_starts_in_the_wanted_view() {
    let sandbox = Sandbox::new();
    sandbox.write("viewer.html", VIEWER);
    sandbox.write("plane.psk", sample("corpus/psk/plane.psk"));
    sandbox.write("wave.psa", sample("corpus/psk/wave.psa"));
    let page = |arguments: &[&str]| {
        let common =
            ["preview", "plane.psk", "wave.psa", "-o", "page.html", "--viewer", "viewer.html", "--force"];
        let ran = sandbox.run(&[&common, arguments].concat());
        (ran.code, ran.err, std::fs::read_to_string(sandbox.path("page.html")).unwrap_or_default())
    };
    let options = [
        "--clip",
        "1",
        "--time",
        "0.05",
        "--bones",
        "--background",
        "#102030",
        "--yaw",
        "-90",
        "--pitch",
        "0",
    ];
    let (code, _, text) = page(&options);
    let view = "data-view=\"view=-90,0&amp;clip=Grow&amp;t=0.05&amp;bones=1&amp;background=%23102030\"";
    assert!(code == 0 && text.contains(view), "{text}");
    let (code, err, _) = page(&["--clip", "run"]);
    assert!(code != 0 && err.contains("no clip is named `run`"), "{err}");
}

#[test]
fn a_picture_and_a_page_show_ranges_of_a_clip() {
    let sandbox = Sandbox::new();
    sandbox.write("viewer.html", VIEWER);
    sandbox.write("tent.ms3d", sample("corpus/ms3d/tent.ms3d"));
    let preview = |out: &str, arguments: &[&str]| {
        let common = ["preview", "tent.ms3d", "-o", out, "--viewer", "viewer.html", "--force", "-q"];
        sandbox.run(&[&common[..], arguments].concat())
    };
    let ranges = ["--range", "Up=0-0.5", "--range", "Down=12-24@24", "--clip", "Down"];
    let page = preview("page.html", &ranges);
    let text = std::fs::read_to_string(sandbox.path("page.html")).unwrap_or_default();
    let view = "view=30,15&amp;clip=Down&amp;ranges=Up%3D0-0.5%0ADown%3D0.5-1\"";
    assert!(page.code == 0 && text.contains(view), "{}{text}", page.err);
    let drawn = |arguments: &[&str]| {
        let ran = preview("tent.png", arguments);
        assert_eq!((ran.code, &*ran.err), (0, ""));
        std::fs::read(sandbox.path("tent.png")).unwrap()
    };
    assert_eq!(drawn(&ranges), drawn(&["--clip", "0", "--time", "0.5"]));
    for (arguments, message) in [
        (&["--range", "Up=0-1"][..], "--range needs --clip NAME"),
        (&["--range", "Up=0-99", "--clip", "Up"], "--range: Up=0-99: the clip"),
        (&["--range", "Up=2-1", "--clip", "Up"], "expected a start that is not after the end"),
        (&["--range", "Up", "--clip", "Up"], "expected NAME=FROM-TO"),
    ] {
        let ran = preview("tent.png", arguments);
        assert!(ran.code == 2 && ran.err.contains(message), "{}", ran.err);
    }
}

#[test]
fn a_mask_decides_which_animation_moves_a_bone() {
    let sandbox = Sandbox::new();
    sandbox.write("dragon.x", sample("character/dragon.x"));
    let drawn = |arguments: &[&str]| {
        let common =
            ["preview", "dragon.x", "-o", "out.png", "--size", "64", "--force", "-q", "--time", "0.25"];
        let ran = sandbox.run(&[&common[..], arguments].concat());
        assert_eq!((ran.code, &*ran.err), (0, ""), "{arguments:?}");
        std::fs::read(sandbox.path("out.png")).unwrap()
    };
    let (walk, wave) = (drawn(&["--clip", "walk"]), drawn(&["--clip", "wave"]));
    let over = |masks: &[&str]| drawn(&[&["--clip", "walk", "--blend", "wave"], masks].concat());
    assert!(walk != wave);
    assert!(over(&["--mask", "chest=0"]) == walk);
    assert!(over(&["--mask", "root=0"]) == walk);
    // The walk moves all bones of the wave, and the legs.
    assert!(drawn(&["--clip", "wave", "--blend", "walk", "--mask", "root=1"]) == walk);
    let (half, above) = (over(&[]), over(&["--mask", "chest=1"]));
    assert!(half == over(&["--mask", "root=0.5"]));
    assert!(half != above && ![&walk, &wave].into_iter().any(|own| *own == half || *own == above));
    // The nearest mask above a bone counts, whatever their order.
    assert!(over(&["--mask", "chest=1", "--mask", "root=0"]) == above);
}

#[test]
fn a_blend_mask_of_the_skeleton_has_the_share_of_each_bone() {
    let sandbox = Sandbox::new();
    let names = ["hero.mesh_skinned", "hero.skeleton", "hero.anim"];
    for name in names {
        sandbox.write(name, sample(&format!("corpus/unigine/{name}")));
    }
    let drawn = |masks: &[&str]| {
        let common = ["-o", "out.png", "--size", "64", "--force", "-q", "--time", "0.03"];
        let blend = ["--clip", "hero", "--blend", "hero"];
        sandbox.run(&[&["preview"], &names[..], &common, &blend, masks].concat())
    };
    assert_eq!(drawn(&["--mask", "upper body"]).code, 0);
    for (masks, message) in [
        (&["--mask", "uper body"][..], "no blend mask is named `uper body`; similar: `upper body`"),
        (&["--mask", "upper body", "--mask", "hand=1"], "so there can be no other"),
    ] {
        let ran = drawn(masks);
        assert!(ran.code == 2 && ran.err.contains(message), "{}", ran.err);
    }
}

#[test]
fn a_contact_sheet_refuses_options_without_effect() {
    let sandbox = Sandbox::new();
    sandbox.write("tent.ms3d", sample("corpus/ms3d/tent.ms3d"));
    for arguments in [&["--frames", "2"][..], &["--clip", "0", "--time", "0.5"]] {
        let common = ["preview", "tent.ms3d", "-o", "sheet.png", "--contact-sheet", "--size", "16"];
        let ran = sandbox.run(&[&common[..], arguments].concat());
        assert_eq!(ran.code, 2, "{arguments:?}: {}", ran.err);
    }
}

#[test]
fn a_page_needs_a_viewer_and_files() {
    let sandbox = Sandbox::new();
    sandbox.write("viewer.html", VIEWER);
    sandbox.write("other.html", "<p>To do:");
    sandbox.write("empty/notes.txt", "To do:");
    sandbox.write("tent.ms3d", sample("corpus/ms3d/tent.ms3d"));
    for (arguments, code, message) in [
        (&["tent.ms3d", "--viewer", "other.html"][..], 2, "other.html: not a viewer of bindpose"),
        (&["empty", "--viewer", "viewer.html"], 6, "no file of a supported format was found"),
        (&["tent.ms3d", "--viewer", "viewer.html", "--contact-sheet"], 2, "applies to pictures only"),
        (&["tent.ms3d", "--viewer", "viewer.html", "--size", "64"], 2, "--size applies to pictures only"),
        (&["tent.ms3d", "--viewer", "viewer.html", "--rate", "30"], 2, "--rate applies to pictures only"),
        (&["tent.ms3d", "--viewer", "viewer.html", "--linear-translations"], 2, "applies to pictures only"),
        (&["tent.ms3d", "--viewer", "viewer.html", "--keep-nodes"], 2, "applies to pictures only"),
        (&["tent.ms3d", "--viewer", "viewer.html", "--encoding", "utf-8"], 2, "applies to pictures only"),
        (&["tent.ms3d", "--viewer", "none.html"], 3, "none.html: "),
    ] {
        let ran = sandbox.run(&[&["preview", "-o", "page.html"], arguments].concat());
        assert_eq!(ran.code, code, "{}", ran.err);
        assert!(ran.err.contains(message), "{}", ran.err);
        assert!(!sandbox.path("page.html").exists());
    }
}

#[test]
fn the_page_of_a_view_is_printed_and_complete() {
    let sandbox = Sandbox::new();
    sandbox.write("viewer.html", VIEWER);
    sandbox.write("-tent.ms3d", sample("corpus/ms3d/tent.ms3d"));
    let ran = sandbox.run(&["view", "--viewer", "viewer.html", "--no-open", "--", "-tent.ms3d"]);
    assert_eq!(ran.code, 0, "{}", ran.err);
    let page = std::path::PathBuf::from(ran.out.trim_end());
    assert!(std::fs::read_to_string(&page).expect("a page").contains("-tent.ms3d"));
    std::fs::remove_file(page).expect("a page");
    let args = ["view", "--viewer", "none.html", "--no-open", "--", "-tent.ms3d"];
    let temporary = sandbox.path("temporary");
    std::fs::create_dir(&temporary).unwrap();
    let failed = sandbox.command(&args).env("TMPDIR", &temporary).output().unwrap();
    assert_eq!(failed.status.code(), Some(3));
    assert!(String::from_utf8(failed.stderr).unwrap().contains("none.html"));
    assert_eq!(std::fs::read_dir(&temporary).unwrap().count(), 0, "a failure leaves no page");
}
