//! The files that belong to a file.

use std::fs;
use std::path::{Path, PathBuf};

use bindpose::FileKind;
use bindpose::depot::{ImageFinder, ImageSearch, MaterialText, sidecars};
use bindpose::scene::{Alpha, Lost, Material, Scene, TextureRole};

fn beside(root: &Path, file: &str) -> ImageFinder {
    ImageSearch::default().of([root.join(file)])
}

#[test]
fn textures_are_found_by_path_name_and_case() {
    let folder = tempfile::tempdir().expect("a folder");
    let root = fs::canonicalize(folder.path()).expect("a path");
    fs::create_dir_all(root.join("Skins/deep")).expect("folders");
    for name in ["Skins/Hero.PNG", "body.tga", "Skins/deep/far.bmp", "notes.txt"] {
        fs::write(root.join(name), b"").expect("a file");
    }
    let here = beside(&root, "hero.x");
    let found = |name: &str| here.find(name).map(|path| path.strip_prefix(&root).expect("inside").to_owned());
    assert_eq!(found(r".\skins\hero.png").as_deref(), Some(Path::new("Skins/Hero.PNG")));
    assert_eq!(found(r"C:\art\BODY.TGA").as_deref(), Some(Path::new("body.tga")));
    assert_eq!(found("body").as_deref(), Some(Path::new("body.tga")), "a name without an extension");
    assert_eq!(found("body.png").as_deref(), Some(Path::new("body.tga")), "another format");
    for refused in
        ["notes.txt", "far.bmp", "../body.tga/..", "/etc/passwd", "", "..", "body.tga\0", "C:", r"\\host\x\"]
    {
        assert_eq!(found(refused), None, "{refused:?}");
    }
    let file = root.join("Skins/deep/hero.x");
    let within = |roots: &[&Path], shared: &[&Path]| {
        ImageSearch::new(roots.iter().copied(), shared.iter().copied()).of([&file])
    };
    assert_eq!(within(&[], &[]).find("body.tga"), None, "only the directory of the file");
    assert!(within(&[&root], &[]).find("body.tga").is_some(), "up to the root");
    assert!(within(&[], &[&root]).find("body.tga").is_some(), "shared directories are searched recursively");
}

#[test]
fn a_directory_is_listed_once_for_all_files() {
    let folder = tempfile::tempdir().expect("a folder");
    let search = ImageSearch::default();
    let find = |file: &str| search.of([folder.path().join(file)]).find("body.png");
    fs::write(folder.path().join("BODY.png"), b"").expect("a file");
    assert!(find("a.x").is_some(), "in another case");
    fs::write(folder.path().join("body.png"), b"").expect("a file");
    assert!(find("b.x").is_some_and(|found| found.ends_with("BODY.png")), "the listing is kept");
}

#[cfg(unix)]
#[test]
fn links_out_of_the_directories_are_not_followed() {
    let folder = tempfile::tempdir().expect("a folder");
    let (inside, outside) = (folder.path().join("in"), folder.path().join("out"));
    for directory in [&inside, &outside] {
        fs::create_dir(directory).expect("a folder");
    }
    fs::write(outside.join("secret.png"), b"").expect("a file");
    std::os::unix::fs::symlink(outside.join("secret.png"), inside.join("a.png")).expect("a link");
    assert_eq!(beside(&inside, "hero.x").find("a.png"), None);
    assert_eq!(beside(&inside, "hero.x").find("../out/secret.png"), None);
}

/// The beginning of an image.
const IMAGE: &[u8] = b"\x89PNG\r\n\x1a\n";

#[test]
fn names_in_a_code_page_without_extension_and_of_sphere_maps_are_found() {
    let folder = tempfile::tempdir().expect("a folder");
    let root = fs::canonicalize(folder.path()).expect("a path");
    fs::create_dir_all(root.join("tex")).expect("a folder");
    for name in ["\u{5e8a}.png", "tex/\u{8868}.bmp", "\u{e9}t\u{e9}.tga", "shine.spa", "skin"] {
        fs::write(root.join(name), IMAGE).expect("a file");
    }
    fs::write(root.join("secret"), b"not an image").expect("a file");
    let here = beside(&root, "hero.x");
    let found = |name: &str| here.find(name).map(|path| path.strip_prefix(&root).expect("inside").to_owned());
    for (name, file) in [
        (r"\x8f\xb0.png", "\u{5e8a}.png"),
        (r"tex\\\x95\\.bmp", "tex/\u{8868}.bmp"),
        (r"\xe9t\xe9.tga", "\u{e9}t\u{e9}.tga"),
        // As it is shown if the code page is guessed wrongly.
        (r"tex\\•\.bmp", "tex/\u{8868}.bmp"),
        ("shine.spa", "shine.spa"),
        ("skin", "skin"),
    ] {
        assert_eq!(found(name).as_deref(), Some(Path::new(file)), "{name}");
    }
    assert_eq!(found("secret"), None);
}

/// Writes files, and creates their directories.
fn write(root: &Path, files: &[(&str, &str)]) {
    for (name, content) in files {
        fs::create_dir_all(root.join(name).parent().expect("a folder")).expect("folders");
        fs::write(root.join(name), content).expect("a file");
    }
}

/// What UE Viewer writes of a mesh in a package of Unreal Engine 4.
const DEPOT: &[(&str, &str)] = &[
    ("Game/Meshes/SK_Hero.psk", ""),
    ("Game/Materials/MI_Coat.mat", "Diffuse=T_Coat_BC\nNormal=T_Coat_N\nOther[0]=T_Coat_ARM\n"),
    ("Game/Materials/MI_Bare.mat", "Normal=T_Coat_N\n"),
    ("Game/Materials/MI_Hair.mat", ""),
    (
        "Game/Materials/MI_Hair.props.txt",
        "Parent = MaterialInstanceConstant'/Game/Materials/MI_Base.MI_Base'\nTextureParameterValues[1] =\n{\n    \
         TextureParameterValues[0] = { ParameterValue=None, ParameterName=ColorTexture }\n}\n",
    ),
    (
        "Game/Materials/MI_Base.props.txt",
        "Parent = Material3'/Game/Materials/MI_Hair.MI_Hair'\nTextureParameterValues[2] =\n{\n    TextureParameterValues[0] =\n    {\n        \
         ParameterValue = Texture2D'/Game/Textures/T_Coat_N.T_Coat_N'\n        ParameterName = NomalTexture\n    }\n    \
         TextureParameterValues[1] =\n    {\n        ParameterInfo = { Name=ColorTexture }\n        \
         ParameterValue = Texture2D'/Game/Textures/T_Hair.T_Hair'\n        ParameterName = None\n    }\n}\n",
    ),
    ("Game/Textures/T_Coat_BC.tga", ""),
    ("Game/Textures/T_Coat_N.tga", ""),
    ("Game/Textures/T_Hair.png", ""),
];

#[test]
fn the_textures_that_ue_viewer_lists_are_found_anywhere_in_the_depot() {
    let folder = tempfile::tempdir().expect("a folder");
    let root = fs::canonicalize(folder.path()).expect("a path");
    write(&root, DEPOT);
    let mesh = root.join("Game/Meshes/SK_Hero.psk");
    let given = ImageSearch::new([&*root], []).of([&mesh]);
    let alone = ImageSearch::default().of([&mesh]);
    for finder in [given, alone] {
        let named = |material: &str| {
            let textures = finder.of_material(material).textures.into_iter();
            textures.map(|own| (own.role.name(), own.name)).collect::<Vec<_>>()
        };
        let texture = |role, name: &str| (role, name.to_owned());
        assert_eq!(named("MI_Coat"), [texture("color", "T_Coat_BC"), texture("normal", "T_Coat_N")]);
        assert_eq!(named("MI_Bare"), [texture("normal", "T_Coat_N")]);
        assert_eq!(
            named("MI_Hair"),
            [texture("normal", "T_Coat_N"), texture("color", "T_Hair")],
            "of its parent"
        );
        assert_eq!(named("MI_Other"), []);
        assert_eq!(finder.find("T_Coat_BC"), Some(root.join("Game/Textures/T_Coat_BC.tga")));
    }
}

#[test]
fn a_single_file_is_in_a_depot_only_if_its_directories_are_named_so() {
    for (mesh, texture, is_found) in [
        ("Hero/SkeletalMesh3/Body.psk", "Hero/Texture2D/T_Coat.tga", true),
        ("Models/Body.psk", "Texture2D/T_Coat.tga", false),
        ("Content/Hero/Body.psk", "Content/T_Coat.tga", true),
        ("Content/Hero/Body.psk", "Secrets/T_Coat.tga", false),
    ] {
        let folder = tempfile::tempdir().expect("a folder");
        let material = Path::new(texture).with_file_name("MI_Coat.mat");
        write(
            folder.path(),
            &[(mesh, ""), (texture, ""), (material.to_str().expect("a path"), "Diffuse=T_Coat")],
        );
        let finder = ImageSearch::default().of([folder.path().join(mesh)]);
        assert_eq!(!finder.of_material("MI_Coat").textures.is_empty(), is_found, "{mesh} and {texture}");
    }
}

#[test]
fn properties_are_read_in_all_notations() {
    let textures = |text: &str| MaterialText::of_properties(text).textures;
    let color = [(TextureRole::Color, "T".to_owned())];
    for text in [
        "T[1] = { ParameterName=Diffuse, ParameterValue=Texture2D'/G/T.T' }",
        "V[1] =\n{\n    V[0] = { ParameterValue=Texture2D'P.Group.T', ParameterName=Base Color }\n}",
        "C[1] =\r\n{\r\n    C[0] =\r\n    {\r\n        Texture = Texture2D'/G/T.T'\r\n        Name = Albedo\r\n        Group = None\r\n    }\r\n}\r\n",
        "V[1] =\n{\n V[0] =\n{\nParameterInfo = { Name=Don't, Index=0 }\nParameterName = Color\nParameterValue = Texture2D'/G/T.T'\n}",
    ] {
        assert_eq!(textures(text), color, "{text}");
    }
    for text in
        ["", "}}}}", "{{{{", "a = b = {", "= = ,", "Parent = ''", "V = { ParameterValue = Texture2D'' }"]
    {
        assert_eq!(MaterialText::of_properties(text), MaterialText::default(), "{text}");
    }
    let roles = ["EmissiveColor", "Specular Color", "Roughness", "Metallic", "Mask", "MyTex"].map(|name| {
        textures(&format!("T = {{ ParameterName={name}, ParameterValue=Texture2D'/T' }}"))[0].0.name()
    });
    assert_eq!(roles, ["emission", "specular", "roughness", "metalness", "mask", "other"]);
}

#[test]
fn properties_state_how_materials_are_blended() {
    let stated = |text: &str| {
        let MaterialText { alpha, double_sided, .. } = MaterialText::of_properties(text);
        (alpha, double_sided)
    };
    let modes = ["Opaque (0)", "Masked (1)", "Translucent (2)", "Additive (3)", "Modulate (4)"];
    for (mode, alpha) in modes.into_iter().zip(Alpha::ALL) {
        assert_eq!(
            stated(&format!("BlendMode = BLEND_{mode}\nTwoSided = true\n")),
            (Some(alpha), Some(true))
        );
    }
    assert_eq!(stated("BlendMode = BLEND_Other (9)"), (None, None));
    let instance = |replaces: bool| {
        stated(&format!(
            "BasePropertyOverrides =\n{{\n    bOverride_BlendMode = {replaces}\n    BlendMode = BLEND_Additive (3)\n    \
             bOverride_TwoSided = {replaces}\n    TwoSided = false\n}}\n"
        ))
    };
    assert_eq!((instance(true), instance(false)), ((Some(Alpha::Additive), Some(false)), (None, None)));
}

#[test]
fn materials_take_what_texts_state_from_the_master_on() {
    let folder = tempfile::tempdir().expect("a folder");
    write(
        folder.path(),
        &[
            ("body.psk", ""),
            ("MI_Glow.mat", "Diffuse=T_Glow\nNormal=T_Glow_N\n"),
            ("MI_Glow.props.txt", "Parent = Material3'/M_Glow.M_Glow'\n"),
            ("M_Glow.props.txt", "BlendMode = BLEND_Additive (3)\nTwoSided = true\n"),
            ("MI_Leaf.mat", "Diffuse=T_Glow\nOpacity=T_Glow_N\n"),
            ("MI_Leaf.props.txt", "BlendMode = BLEND_Masked (1)\n"),
            ("T_Glow.png", ""),
            ("T_Glow_N.png", ""),
        ],
    );
    let materials = ["MI_Glow", "MI_Leaf"].map(Material::new).to_vec();
    let mut scene = Scene { materials, ..Scene::default() };
    ImageSearch::default().of([folder.path().join("body.psk")]).attach(&mut scene, |_| false);
    let [glow, leaf] = &scene.materials[..] else { panic!("two materials") };
    let paths: Vec<_> = glow.textures.iter().map(|own| (&*own.path, own.role)).collect();
    assert_eq!(paths, [("T_Glow", TextureRole::Color), ("T_Glow_N", TextureRole::Normal)]);
    assert_eq!((glow.alpha, glow.double_sided), (Alpha::Additive, true));
    let losses: Vec<_> = scene.losses.iter().map(|loss| (loss.lost, loss.subjects[0].name.clone())).collect();
    assert_eq!(losses, [(Lost::NormalMapGreen, "MI_Glow".to_owned())]);
    assert_eq!(
        (leaf.alpha, leaf.textures.len()),
        (Alpha::Opaque, 2),
        "the opacity is in a texture of its own"
    );
}

#[test]
fn a_set_takes_the_sidecars_of_its_files_and_no_second_one() {
    let folder = tempfile::tempdir().expect("a folder");
    let config = crate::folders::read("corpus/psk/tracks.config");
    fs::write(folder.path().join("walk.CONFIG"), config).expect("a file");
    fs::write(folder.path().join("run.config"), "alias ll='ls -l'").expect("a file");
    let [walk, run, own] = ["walk.psa", "run.psa", "own.config"].map(|name| folder.path().join(name));
    let found = |files: &[(&PathBuf, FileKind)]| {
        sidecars(files.iter().copied()).into_iter().map(|own| own.path).collect::<Vec<_>>()
    };
    assert_eq!(found(&[(&walk, FileKind::Psa)]), [folder.path().join("walk.CONFIG")]);
    assert_eq!(found(&[(&run, FileKind::Psa)]), Vec::<PathBuf>::new(), "of another program");
    assert_eq!(found(&[(&walk, FileKind::Psk)]), Vec::<PathBuf>::new(), "of another format");
    assert_eq!(found(&[(&walk, FileKind::Psa), (&own, FileKind::PsaConfig)]), Vec::<PathBuf>::new());
}
