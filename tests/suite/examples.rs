//! The examples, run.

#[path = "../../examples/md3/src/lib.rs"]
mod md3;

macro_rules! programs {
    ($($name:ident = $path:literal)+) => {
        $(
            #[path = $path]
            #[expect(dead_code, reason = "the tests call what `main` calls")]
            mod $name;
        )+
    };
}

programs! {
    check_uploads = "../../examples/check_uploads.rs"
    load_asset = "../../examples/load_asset.rs"
    make_scene = "../../examples/make_scene.rs"
    rename_bones = "../../examples/rename_bones.rs"
    skin_on_cpu = "../../examples/skin_on_cpu.rs"
}

use std::fs;
use std::path::Path;

use bindpose::check::Rule;
use bindpose::codec::Format as _;
use bindpose::scene::{Scene, Settings};
use bindpose::{Options, examine_format};
use glam::Vec3;

#[test]
fn models_are_loaded_from_memory() {
    let read = |name: &str| {
        (name.to_owned(), fs::read(Path::new("tests/character").join(name)).expect("the sample character"))
    };
    let scene = load_asset::load(vec![read("dragon.psk"), read("dragon.psa")]).expect("a model");
    assert!(!scene.meshes.is_empty() && !scene.clips.is_empty());
    assert!(load_asset::load(vec![("broken.psk".into(), b"ACTRHEAD".to_vec())]).is_err());
}

#[test]
fn a_scene_is_written_in_every_format_and_read_back() {
    let folder = tempfile::tempdir().expect("a folder");
    let flag = make_scene::flag();
    assert_eq!(flag.validate(), Ok(()));
    let paths = make_scene::write_all(&flag, folder.path()).expect("files");
    for kind in ["ms3d", "psk", "psa", "x", "cal3d-mesh", "unigine-mesh", "max-mesh"] {
        let is_of = |path: &&std::path::PathBuf| path.to_string_lossy().contains(&format!("{kind}-"));
        assert!(paths.iter().any(|path| is_of(&path)), "{kind}: {paths:?}");
    }
    let whole = paths.iter().find(|path| path.ends_with("ms3d-flag.ms3d")).expect("a model");
    let scene = Scene::load([whole], &Settings::default()).expect("a scene");
    let corner = |scene: &Scene| {
        let posed = &scene.posed(scene.clips.first(), 1.0)[0].positions;
        posed
            .iter()
            .copied()
            .fold(Vec3::ZERO, |most, own| if own.z.abs() > most.z.abs() { own } else { most })
    };
    assert!((corner(&scene).z - corner(&flag).z).abs() < 1e-3, "{} {}", corner(&scene), corner(&flag));
    assert!((corner(&flag).z + 2.0).abs() < 1e-5);
}

#[test]
fn the_buffers_of_a_renderer_are_those_of_the_pose() {
    let flag = make_scene::flag();
    let [own] = &skin_on_cpu::buffers(&flag, 1.0)[..] else { panic!("one mesh") };
    let posed = &flag.posed(flag.clips.first(), 1.0)[0];
    assert_eq!(own.positions.chunks(3).map(Vec3::from_slice).collect::<Vec<_>>(), posed.positions);
    assert_eq!((own.normals.len(), &own.indices[..]), (12, &[0, 2, 1, 0, 3, 2][..]));
    assert_eq!((own.joints[0], own.weights[0]), ([0; 4], [1.0, 0.0, 0.0, 0.0]));
}

#[test]
fn bones_of_a_set_are_renamed_in_all_files_or_none() {
    let folder = tempfile::tempdir().expect("a folder");
    let paths = ["dragon.psk", "dragon.psa"].map(|name| {
        let path = folder.path().join(name);
        fs::copy(Path::new("tests/character").join(name), &path).expect("the sample character");
        path
    });
    let bone = Scene::load(&paths, &Settings::default()).expect("a scene").skeleton.bones()[0].name.clone();
    let changed = rename_bones::rename_all(&[(&bone, "First")], &paths).expect("a bone");
    assert_eq!(changed.len(), 2);
    let scene = Scene::load(&paths, &Settings::default()).expect("a scene");
    assert_eq!(scene.skeleton.bones()[0].name, "First");
    let missing = [folder.path().join("dragon.psk"), folder.path().join("none.psa")];
    assert!(rename_bones::rename_all(&[("First", "Second")], &missing).is_err());
    assert_eq!(Scene::load(&paths, &Settings::default()).expect("a scene").skeleton.bones()[0].name, "First");
}

#[test]
fn uploads_have_a_verdict_whatever_they_contain() {
    let mut verdicts = std::collections::BTreeSet::new();
    for folder in ["tests/damaged/ms3d", "tests/corpus/ms3d", "tests/character"] {
        for entry in fs::read_dir(folder).expect("a folder") {
            let path = entry.expect("an entry").path();
            if path.is_file() {
                let report = check_uploads::report(&path);
                verdicts.insert(report["verdict"].as_str().expect("a verdict").to_owned());
                assert!(report["findings"].is_array() || report["message"].is_string(), "{report}");
            }
        }
    }
    assert!(
        ["lossless", "damaged", "unknown-format"].iter().all(|own| verdicts.contains(*own)),
        "{verdicts:?}"
    );
}

#[test]
fn the_check_of_a_format_of_another_crate_finds_references_to_nothing() {
    let mut surface = md3::Surface::default();
    surface.parts.tex_coords.extend([[0.0; 2]; 3]);
    surface.parts.triangles.extend([[0, 1, 2], [0, 1, 17]]);
    let mut file = md3::Md3::blank_file();
    file.sections.surfaces.push(surface);
    let found = examine_format::<md3::Md3>(&file.encode().expect("a file"), &Options::default(), 10);
    let findings: Vec<_> = found.report.findings.iter().map(|own| (own.rule, own.to_string())).collect();
    let rule = Rule::of_own_formats().next().expect("a rule");
    assert_eq!(findings, [(rule, rule.example.to_owned())]);
}
