//! Images in glTF files that `convert` extracts.

use std::fs;
use std::path::{Path, PathBuf};

use crate::sandbox::Sandbox;

/// The beginning of an image.
const IMAGE: &[u8] = b"\x89PNG\r\n\x1a\n";

/// A triangle with the material `coat`, whose texture is an embedded image of this name.
pub fn model(image: &str) -> String {
    model_with(image, "iVBORw0KGgo=")
}

/// As [`model`], with this content of the image in base 64.
fn model_with(image: &str, content: &str) -> String {
    let image = serde_json::to_string(image).expect("a text");
    format!(
        r#"{{"asset":{{"version":"2.0"}},
        "buffers":[{{"byteLength":36,"uri":"data:application/octet-stream;base64,AAAAAAAAAAAAAAAAAACAPwAAAAAAAAAAAAAAAAAAgD8AAAAA"}}],
        "bufferViews":[{{"buffer":0,"byteLength":36}}],
        "accessors":[{{"bufferView":0,"componentType":5126,"count":3,"type":"VEC3","min":[0,0,0],"max":[1,1,0]}}],
        "images":[{{"name":{image},"uri":"data:image/png;base64,{content}"}}],"textures":[{{"source":0}}],
        "materials":[{{"name":"coat","pbrMetallicRoughness":{{"baseColorTexture":{{"index":0}}}}}}],
        "meshes":[{{"primitives":[{{"attributes":{{"POSITION":0}},"material":0}}]}}],"nodes":[{{"mesh":0}}],
        "scenes":[{{"nodes":[0]}}],"scene":0}}"#
    )
}

/// The paths of all files below a directory of the sandbox.
fn files(sandbox: &Sandbox, directory: &str) -> Vec<String> {
    let root = sandbox.path(directory);
    let all = walk(&root);
    let mut names: Vec<_> =
        all.iter().map(|path| path.strip_prefix(&root).unwrap().to_string_lossy().into_owned()).collect();
    names.sort();
    names
}

fn walk(directory: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(directory).unwrap().map(|entry| entry.unwrap());
    let found = entries.flat_map(|entry| {
        if entry.file_type().unwrap().is_dir() { walk(&entry.path()) } else { vec![entry.path()] }
    });
    found.collect()
}

#[test]
fn images_have_the_path_in_the_written_file() {
    let sandbox = Sandbox::new();
    fs::create_dir(sandbox.path("out")).unwrap();
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
    fs::create_dir(sandbox.path("out")).unwrap();
    sandbox.write("model.gltf", model("cloth"));
    assert_eq!(sandbox.run(&["convert", "model.gltf", "-o", "out/model.psk"]).code, 0);
    assert_eq!(fs::read(sandbox.path("out/coat.png")).unwrap(), IMAGE);
}

/// Names that lead out of the directory, or that are those of hidden files, programs, devices and the like.
const HOSTILE: [&str; 12] = [
    "../cloth",
    "/nowhere/cloth",
    "..\\..\\cloth",
    ".cargo/config.toml",
    "conftest.py",
    ".envrc",
    "CON",
    "a\nb\u{1b}[31m",
    "hero.x:cloth",
    "\u{202e}gnp",
    "-rf",
    "",
];

#[test]
fn an_image_is_a_file_beside_the_result_whatever_its_name_is() {
    for (name, to) in HOSTILE.into_iter().flat_map(|name| [(name, "x"), (name, "ms3d"), (name, "psk")]) {
        let sandbox = Sandbox::new();
        fs::create_dir(sandbox.path("out")).unwrap();
        sandbox.write("in/model.gltf", model(name));
        let out = format!("out/hero.{to}");
        let run = sandbox.run(&["convert", "in/model.gltf", "-o", &out, "--format", "json"]);
        assert_eq!(run.code, 0, "{name:?}: {}", run.err);
        let all = files(&sandbox, ".");
        let written: Vec<_> = all.iter().filter(|path| !path.starts_with("in/")).collect();
        assert!(written.len() == 2 && written.contains(&&out), "{name:?}: {all:?}");
        let image = written.into_iter().find(|path| **path != out).and_then(|path| path.strip_prefix("out/"));
        let image = image.unwrap_or_else(|| panic!("{name:?}: {all:?}"));
        assert!(
            image.rsplit_once('.').is_some_and(|(_, own)| own == "png")
                && !image.starts_with(['.', '-'])
                && !image.contains('/'),
            "{image:?}"
        );
        let listed = |path: &str| run.out.contains(&serde_json::to_string(path).unwrap());
        assert!(listed(&format!("out/{image}")) && listed(&out), "{}", run.out);
        assert!(run.err.contains(&format!("wrote out/{image}")), "{}", run.err);
        if to == "x" {
            assert!(sandbox.read(&out).contains(&format!("\"{image}\"")), "the result refers to the image");
        }
    }
}

#[test]
fn what_is_not_an_image_is_not_written() {
    for name in HOSTILE {
        let sandbox = Sandbox::new();
        fs::create_dir(sandbox.path("out")).unwrap();
        // A text that starts like a bitmap.
        sandbox.write("in/model.gltf", model_with(name, "Qk0gPSAxOyBlY2hv"));
        let run = sandbox.run(&["convert", "in/model.gltf", "-o", "out/hero.x", "--loss-report"]);
        assert_eq!(run.code, 0, "{}", run.err);
        assert_eq!(files(&sandbox, "."), ["in/model.gltf", "out/hero.x"], "{name:?}");
        assert!(run.out.contains("textures (1)"), "{}", run.out);
    }
}

#[test]
fn only_images_are_overwritten_by_images() {
    let sandbox = Sandbox::new();
    sandbox.write("model.gltf", model("cloth"));
    let convert = || sandbox.run(&["convert", "model.gltf", "-o", "out/model.x", "--force"]);
    sandbox.write("out/cloth.png", "a text");
    let run = convert();
    assert_eq!((run.code, sandbox.read("out/cloth.png").as_str()), (3, "a text"), "{}", run.err);
    assert!(!sandbox.path("out/model.x").exists());
    fs::write(sandbox.path("out/cloth.png"), b"\x89PNG\r\n\x1a\nanother").unwrap();
    assert_eq!(convert().code, 0);
    assert_eq!(fs::read(sandbox.path("out/cloth.png")).unwrap(), IMAGE);
}

#[test]
fn different_images_of_a_run_do_not_share_a_name() {
    let sandbox = Sandbox::new();
    sandbox.write("in/a.gltf", model("cloth"));
    sandbox.write("in/b.gltf", model_with("cloth", "/9j/4A=="));
    sandbox.write("in/c.gltf", model_with("cloth", "iVBORw0KGgoA"));
    let run = sandbox.run(&["convert", "in", "--to", "x", "--out-dir", "out", "--force", "--jobs", "1"]);
    assert_eq!(run.code, 2, "{}", run.err);
    assert!(run.err.contains("out/cloth.png: is the name of different images"), "{}", run.err);
    assert_eq!(files(&sandbox, "out"), ["a.x", "b.x", "cloth.jpg", "cloth.png"]);
    assert_eq!(fs::read(sandbox.path("out/cloth.png")).unwrap(), IMAGE);
}

#[cfg(unix)]
#[test]
fn links_in_the_directory_are_not_followed() {
    let sandbox = Sandbox::new();
    sandbox.write("in/a/model.gltf", model("cloth"));
    sandbox.write("victim/kept.txt", "kept");
    let link = |to: &str, name: &str| {
        fs::create_dir_all(sandbox.path("out")).unwrap();
        std::os::unix::fs::symlink(sandbox.path(to), sandbox.path(name)).unwrap();
    };
    link("victim/cloth.png", "out/cloth.png");
    link("victim", "out/a");
    let run = sandbox.run(&["convert", "in/a/model.gltf", "-o", "out/hero.x", "--force"]);
    assert_eq!(run.code, 3, "{}", run.err);
    for arguments in [&["convert", "--to", "x"][..], &["export"]] {
        let run = sandbox.run(&[arguments, &["in", "--out-dir", "out", "--force"]].concat());
        assert_eq!(run.code, 3, "{}", run.err);
    }
    assert_eq!(files(&sandbox, "victim"), ["kept.txt"]);
}

#[test]
fn no_image_is_written_beside_a_stream() {
    let sandbox = Sandbox::new();
    fs::create_dir(sandbox.path("out")).unwrap();
    sandbox.write("model.gltf", model("cloth"));
    for out in [
        "-",
        #[cfg(unix)]
        "/dev/null",
    ] {
        let ran =
            sandbox.command(&["convert", "model.gltf", "--to", "x", "-o", out, "--force"]).output().unwrap();
        let err = String::from_utf8(ran.stderr).unwrap();
        assert!(ran.status.success() && ran.stdout.is_empty() == (out != "-"), "{out}: {err}");
        assert!(
            err.contains("model.gltf: 1 image not written, as the result is not a file: cloth.png"),
            "{err}"
        );
        assert_eq!(files(&sandbox, ""), ["model.gltf"], "{out}");
    }
    #[cfg(target_os = "linux")]
    {
        let redirected = fs::File::create(sandbox.path("redirected")).unwrap();
        let args = ["convert", "model.gltf", "--to", "x", "-o", "/dev/stdout", "--force"];
        let ran = sandbox.command(&args).stdout(redirected).output().unwrap();
        let err = String::from_utf8(ran.stderr).unwrap();
        assert!(ran.status.success() && err.contains("1 image not written"), "{err}");
        assert!(!std::path::Path::new("/dev/cloth.png").exists());
    }
    let args = ["convert", "model.gltf", "--to", "x", "-o", "-", "-o", "out/model.x", "-q"];
    let ran = sandbox.command(&args).output().unwrap();
    assert!(ran.status.success(), "{}", String::from_utf8_lossy(&ran.stderr));
    assert_eq!(files(&sandbox, "out"), ["cloth.png", "model.x"]);
}

/// A shell names all files of a directory for `out/*`.
#[test]
fn images_and_lists_among_the_files_are_read_with_the_model() {
    let sandbox = Sandbox::new();
    twins(&sandbox, "/");
    for family in ["cal3d", "unreal", "ms3d"] {
        assert_eq!(sandbox.run(&["convert", "twins.x", "--to", family, "--out-dir", family]).code, 0);
        let mut args: Vec<_> =
            files(&sandbox, family).iter().map(|name| format!("{family}/{name}")).collect();
        assert!(args.iter().any(|name| name.contains(".png")), "{args:?}");
        sandbox.write("elsewhere.tga", b"");
        args.push("elsewhere.tga".into());
        let args: Vec<_> = args.iter().map(String::as_str).collect();
        for verb in [
            &["convert", "-o", "named.glb"][..],
            &["export", "-o", "exported.glb"],
            &["convert", "--to", "max", "--out-dir", "max"],
            &["preview", "-o", "page.html"],
        ] {
            let ran = sandbox.run(&[&verb[..1], &args, &verb[1..], &["--force"]].concat());
            assert!(ran.code == 0 || ran.err.contains("viewer"), "{family} {verb:?}: {}", ran.err);
        }
        let named = fs::read(sandbox.path("named.glb")).unwrap();
        assert!(named.windows(IMAGE.len()).any(|own| own == IMAGE), "{family}: the image is embedded");
    }
    let alone = sandbox.run(&["convert", "unreal/a.png", "-o", "none.glb"]);
    assert!(alone.code != 0 && alone.err.contains("is a PNG image"), "{}", alone.err);
}

#[test]
fn a_directory_of_a_named_image_is_searched() {
    let sandbox = Sandbox::new();
    fs::create_dir(sandbox.path("out")).unwrap();
    sandbox.write("model.gltf", model("cloth"));
    assert_eq!(sandbox.run(&["convert", "model.gltf", "-o", "out/model.x"]).code, 0);
    fs::create_dir(sandbox.path("images")).unwrap();
    fs::rename(sandbox.path("out/cloth.png"), sandbox.path("images/cloth.png")).unwrap();
    let ran = sandbox.run(&["convert", "out/model.x", "images/cloth.png", "-o", "model.glb"]);
    assert!(ran.code == 0 && !ran.err.contains("no image"), "{}", ran.err);
}

/// Two materials whose textures have one name in different directories; `separator` is that of the paths.
fn twins(sandbox: &Sandbox, separator: &str) {
    for (name, content) in [("a", "1"), ("b", "2")] {
        sandbox.write(&format!("tex/{name}/skin.png"), [IMAGE, content.as_bytes()].concat());
    }
    let material = |name: &str| {
        let path = ["tex", name, "skin.png"].join(separator);
        format!("Material {name} {{ 1;1;1;1;; 0; 0;0;0;; 0;0;0;; TextureFilename {{ \"{path}\"; }} }}\n")
    };
    let mesh = "Mesh { 4; 0;0;0;, 1;0;0;, 0;1;0;, 0;0;1;; 2; 3;0,1,2;, 3;0,2,3;;\n\
                MeshTextureCoords { 4; 0;0;, 1;0;, 0;1;, 1;1;; }\n\
                MeshMaterialList { 2; 2; 0, 1; { a } { b } } }\n";
    sandbox.write("twins.x", format!("xof 0303txt 0032\n{}{}{mesh}", material("a"), material("b")));
}

#[test]
fn materials_keep_their_images_if_these_have_one_name() {
    for separator in ["/", "\\", "\\\\", "//"] {
        let sandbox = Sandbox::new();
        twins(&sandbox, separator);
        for to in ["ms3d", "cal3d"] {
            let out = format!("out-{to}");
            let ran = sandbox.run(&["convert", "twins.x", "--to", to, "--out-dir", &out]);
            assert_eq!(ran.code, 0, "{separator}: {}", ran.err);
            let ran = sandbox.run(&["export", &out, "-o", "back.glb", "--force"]);
            assert_eq!(ran.code, 0, "{separator}: {}", ran.err);
            let back = fs::read(sandbox.path("back.glb")).unwrap();
            for own in [b'1', b'2'] {
                let image = [IMAGE, &[own]].concat();
                assert!(
                    back.windows(image.len()).any(|at| at == image),
                    "{separator}: {to} lacks image {own}"
                );
            }
        }
    }
}

#[test]
fn images_are_beside_results_that_a_template_names() {
    let sandbox = Sandbox::new();
    for name in ["one", "two"] {
        sandbox.write(
            &format!("in/{name}.gltf"),
            model_with("cloth", if name == "one" { "iVBORw0KGgo=" } else { "iVBORw0KGgoB" }),
        );
    }
    for to in ["ms3d", "unreal"] {
        let out = format!("out-{to}");
        let ran = sandbox.run(&["convert", "in", "--to", to, "--out-dir", &out, "--name", "{input}_new"]);
        assert_eq!(ran.code, 0, "{}", ran.err);
        let images: Vec<_> = files(&sandbox, &out).into_iter().filter(|name| name.contains(".png")).collect();
        let name = if to == "ms3d" { "cloth" } else { "coat" };
        assert_eq!(images, [format!("one/{name}.png"), format!("two/{name}.png")]);
    }
}

/// A scene has one image for each path.
#[test]
fn files_of_a_scene_with_different_images_of_one_path_are_refused() {
    let sandbox = Sandbox::new();
    sandbox.write("one/a.gltf", model("skin"));
    sandbox.write("two/b.gltf", model_with("skin", "iVBORw0KGgoA"));
    sandbox.write("two/c.gltf", model("skin"));
    for result in ["both.x", "both.glb", "both.ms3d"] {
        let ran = sandbox.run(&["convert", "one/a.gltf", "two/b.gltf", "-o", result]);
        assert!(
            ran.code == 2 && ran.err.contains("is the name of another image than in one/a.gltf"),
            "{}",
            ran.err
        );
        assert!(!sandbox.path(result).exists());
    }
    let ran = sandbox.run(&["convert", "one/a.gltf", "two/c.gltf", "-o", "same.x"]);
    assert_eq!(ran.code, 0, "{}", ran.err);
    // Files that refer to images in their own directories.
    for (folder, image) in [("one", IMAGE.to_vec()), ("two", [IMAGE, b"\0"].concat())] {
        sandbox.write(&format!("{folder}/skin.png"), &image);
        let args = ["convert", "two/c.gltf", "-o", &format!("{folder}/m.x"), "--images", "keep", "--force"];
        assert_eq!(sandbox.run(&args).code, 0);
    }
    let ran = sandbox.run(&["convert", "one/m.x", "two/m.x", "-o", "both.glb"]);
    assert!(ran.code == 2 && ran.err.contains("another image than in one/m.x"), "{}", ran.err);
}

#[test]
fn an_image_that_has_another_extension_than_its_texture_keeps_it() {
    let sandbox = Sandbox::new();
    sandbox.write("in/a.ms3d", crate::sandbox::sample("corpus/ms3d/full.ms3d"));
    let set = ["set", "in/a.ms3d", "materials[0].texture=s.dds", "-i", "--no-backup"];
    assert_eq!(sandbox.run(&set).code, 0);
    sandbox.write("in/s.png", IMAGE);
    for mode in ["copy", "convert"] {
        let out = format!("out-{mode}");
        let ran = sandbox.run(&["convert", "in/a.ms3d", "--to", "x", "--out-dir", &out, "--images", mode]);
        assert_eq!(ran.code, 0, "{}", ran.err);
        assert_eq!(fs::read(sandbox.path(&format!("{out}/s.png"))).unwrap(), IMAGE);
        assert!(sandbox.read(&format!("{out}/a.x")).contains("\"s.png\""));
    }
}

/// A triangle with the material `coat`, whose texture has this path.
fn textured(path: &str) -> String {
    format!(
        "xof 0303txt 0032\nMesh {{ 3; 0;0;0;, 1;0;0;, 0;1;0;; 1; 3;0,1,2;;\nMeshTextureCoords {{ 3; 0;0;, 1;0;, 0;1;; }}\n\
         MeshMaterialList {{ 1; 1; 0; Material coat {{ 1;1;1;1;; 0; 0;0;0;; 0;0;0;; TextureFilename {{ \"{path}\"; }} }} }} }}\n"
    )
}

/// Wherever the image, the model and the result are, and whatever their names are: who reads the result finds the image.
#[test]
fn the_image_of_a_model_is_that_of_its_result() {
    let image = [IMAGE, b"of the model"].concat();
    // The model, its texture, the image.
    let models = [
        ("m.x", "skin.png", "skin.png"),
        ("m.x", "SKIN.PNG", "skin.png"),
        ("in/m.x", "skin.png", "in/skin.png"),
        ("in/m.x", "tex/skin.png", "in/tex/skin.png"),
        ("in/m.x", "tex\\\\skin.png", "in/tex/skin.png"),
        ("in/m.x", "../tex/skin.png", "in/skin.png"),
        ("in/m.x", "coat.png", "in/coat.png"),
        ("in/m.x", "bare", "in/bare"),
    ];
    for (model, texture, file) in models {
        for to in ["ms3d", "iqm", "psk"] {
            for result in [format!("n.{to}"), format!("in/n.{to}"), format!("out/n.{to}")] {
                let sandbox = Sandbox::new();
                sandbox.write("in/other", "");
                sandbox.write("out/other", "");
                sandbox.write(model, textured(texture));
                sandbox.write(file, &image);
                let case = format!("{model}, {texture}, {file}, {result}");
                let ran = sandbox.run(&["convert", model, "-o", &result]);
                assert_eq!(ran.code, 0, "{case}: {}", ran.err);
                let ran = sandbox.run(&["export", &result, "-o", "back.glb"]);
                assert_eq!(ran.code, 0, "{case}: {}", ran.err);
                let back = fs::read(sandbox.path("back.glb")).unwrap();
                assert!(back.windows(image.len()).any(|at| at == image), "{case}: {}", ran.err);
                // Once more: the copies are there, and of the result no copy is made beside it.
                let before = files(&sandbox, ".").len();
                let again = format!("{}.x", result.rsplit_once('.').unwrap().0);
                let ran = sandbox.run(&["convert", &result, "-o", &again, "--force"]);
                assert_eq!(ran.code, 0, "{case}: {}", ran.err);
                let is_new = usize::from(again != model);
                assert_eq!(files(&sandbox, ".").len(), before + is_new, "{case}: {}", ran.err);
            }
        }
    }
}

/// A format that does not store paths can change the names of materials, which are those of the images then.
#[test]
fn images_have_the_names_of_materials_as_they_are_written() {
    for names in [["Skin", "skin"], ["skin.png", "coat.tga"], ["", "coat"], [&"long".repeat(20), "coat"]] {
        let sandbox = Sandbox::new();
        sandbox.write("one.png", [IMAGE, b"of the first"].concat());
        sandbox.write("two.png", [IMAGE, b"of the second"].concat());
        let materials = names.map(|name| {
            format!(r#"{{"name":"{name}","pbrMetallicRoughness":{{"baseColorTexture":{{"index":0}}}}}}"#)
        });
        let second = materials[1].replace(r#""index":0"#, r#""index":1"#);
        let text = model("one")
            .replace(
                r#"{"name":"coat","pbrMetallicRoughness":{"baseColorTexture":{"index":0}}}"#,
                &format!("{},{second}", materials[0]),
            )
            .replace(r#""textures":[{"source":0}]"#, r#""textures":[{"source":0},{"source":1}]"#)
            .replace(r#""material":0}]"#, r#""material":0},{"attributes":{"POSITION":0},"material":1}]"#);
        let start = text.find(r#""images":["#).unwrap();
        let end = text[start..].find(']').unwrap() + start;
        let text =
            format!(r#"{}"images":[{{"uri":"one.png"}},{{"uri":"two.png"}}{}"#, &text[..start], &text[end..]);
        sandbox.write("model.gltf", text);
        fs::create_dir(sandbox.path("out")).unwrap();
        assert_eq!(sandbox.run(&["convert", "model.gltf", "-o", "out/model.psk"]).code, 0);
        let ran = sandbox.run(&["export", "out/model.psk", "-o", "back.glb"]);
        assert_eq!(ran.code, 0, "{}", ran.err);
        let back = fs::read(sandbox.path("back.glb")).unwrap();
        for own in [&b"of the first"[..], b"of the second"] {
            let found = back.windows(own.len()).any(|at| at == own);
            assert!(found, "{names:?}: {:?}: {}", files(&sandbox, "out"), ran.err);
        }
    }
}

/// An image of one pixel.
fn bitmap(color: [u8; 3]) -> Vec<u8> {
    let mut bytes = b"BM".to_vec();
    let header = [58, 0, 54, 40, 1, 1, 1 | 24 << 16, 0, 4, 0, 0, 0, 0_u32];
    bytes.extend(header.into_iter().flat_map(u32::to_le_bytes));
    bytes.extend(color);
    bytes.push(0);
    bytes
}

#[test]
fn each_picture_of_a_contact_sheet_has_its_own_images() {
    let sandbox = Sandbox::new();
    let mut sheets = Vec::new();
    for (folder, second) in [("different", [0, 0, 255]), ("equal", [255, 0, 0])] {
        for (name, color) in [("one", [255, 0, 0]), ("two", second)] {
            sandbox.write(&format!("{folder}/{name}/m.x"), textured("skin.bmp"));
            sandbox.write(&format!("{folder}/{name}/skin.bmp"), bitmap(color));
        }
        let out = format!("{folder}.png");
        let ran = sandbox.run(&["preview", folder, "-o", &out, "--contact-sheet", "--size", "32"]);
        assert_eq!(ran.code, 0, "{}", ran.err);
        sheets.push(fs::read(sandbox.path(&out)).unwrap());
    }
    assert_ne!(sheets[0], sheets[1]);
    // One picture has one image for each path.
    let ran = sandbox.run(&["preview", "different/one/m.x", "different/two/m.x", "-o", "both.png"]);
    assert!(ran.code == 2 && ran.err.contains("another image than in different/one/m.x"), "{}", ran.err);
}

/// The images of several models in one directory have different names, as their materials or files have.
#[test]
fn images_without_a_name_are_named_after_their_material_or_the_file() {
    let sandbox = Sandbox::new();
    let unnamed = |name: &str| model_with("", "iVBORw0KGgoA").replace("\"name\":\"coat\",", name);
    sandbox.write("in/a.gltf", model(""));
    sandbox.write("in/b.gltf", unnamed("\"name\":\"boots\","));
    sandbox.write("in/c.gltf", unnamed(""));
    let ran = sandbox.run(&["convert", "in", "--to", "x", "--out-dir", "out"]);
    assert_eq!(ran.code, 0, "{}", ran.err);
    assert_eq!(files(&sandbox, "out"), ["a.x", "b.x", "boots.png", "c.png", "c.x", "coat.png"]);
    let normal = model("").replace(
        "\"baseColorTexture\":{\"index\":0}}",
        "\"metallicFactor\":0},\"normalTexture\":{\"index\":0}",
    );
    sandbox.write("normal.gltf", normal);
    let textures = sandbox.run(&["info", "normal.gltf"]).out;
    assert!(textures.contains("coat_normal.png"), "{textures}");
}
