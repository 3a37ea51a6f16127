//! Sets of files: all are written or none.

use std::fs;
use std::process::Stdio;
use std::time::{Duration, Instant};

use crate::sandbox::{Sandbox, sample, valid};

/// A folder with models, their names, and the arguments that rename a material in all of them.
fn models(count: usize) -> (Sandbox, Vec<String>) {
    let sandbox = Sandbox::new();
    let names: Vec<_> = (0..count).map(|number| format!("{}/{number}.ms3d", number % 3)).collect();
    for name in &names {
        sandbox.write(name, valid());
    }
    (sandbox, names)
}

fn rename<'a>(names: &'a [String], pair: &'a str, to: &[&'a str]) -> Vec<&'a str> {
    let names = names.iter().map(String::as_str);
    ["rename", "--material", pair].into_iter().chain(names).chain(to.iter().copied()).collect()
}

/// The name of the first material of each model, without repetitions.
fn materials(sandbox: &Sandbox, names: &[String]) -> Vec<String> {
    let name = |file: &String| sandbox.run(&["get", file, "materials[0].name"]).out.trim().to_owned();
    let mut all: Vec<_> = names.iter().map(name).collect();
    all.sort();
    all.dedup();
    all
}

fn leftovers(sandbox: &Sandbox) -> Vec<String> {
    let entries =
        ["", "0", "1", "2", "out"].map(|name| fs::read_dir(sandbox.path(name)).into_iter().flatten());
    let names = entries.into_iter().flatten().map(|entry| entry.unwrap().file_name().into_string().unwrap());
    names.filter(|name| name.contains("bindpose")).collect()
}

#[test]
fn a_file_that_is_locked_leaves_the_whole_set_as_it_was() {
    let (sandbox, names) = models(3);
    let old = &materials(&sandbox, &names)[0];
    let file = fs::File::open(sandbox.path(&names[1])).unwrap();
    file.lock().unwrap();
    let ran = sandbox.run(&rename(&names, &format!("{old}=new"), &["-i"]));
    assert_eq!(ran.code, 3, "{}", ran.err);
    assert!(ran.err.contains("1.ms3d: file is locked by another program"), "{}", ran.err);
    drop(file);
    assert_eq!(materials(&sandbox, &names), [old.as_str()]);
    assert_eq!(fs::read_dir(sandbox.path("0")).unwrap().count(), 1, "no originals and nothing else is left");
}

#[test]
fn a_run_that_is_killed_leaves_all_files_old_or_new() {
    let (sandbox, names) = models(24);
    let old = materials(&sandbox, &names)[0].clone();
    let before = Instant::now();
    assert_eq!(sandbox.run(&rename(&names, &format!("{old}=first"), &["-i", "--no-backup"])).code, 0);
    let whole = before.elapsed();
    let (mut now, mut killed) = ("first".to_owned(), 0);
    for part in 0..24_u32 {
        let new = format!("name{part}");
        let pair = format!("{now}={new}");
        let args = rename(&names, &pair, &["-i", "--no-backup"]);
        let mut child = sandbox.command(&args).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
        // Most of the time is before the files are written.
        std::thread::sleep(whole * (8 + part) / 24);
        child.kill().unwrap();
        killed += u32::from(!child.wait().unwrap().success());
        // Another edit ends what was left.
        let ran = sandbox.run(&rename(&names, "absent=x", &["-i"]));
        assert_ne!(ran.code, 3, "{}", ran.err);
        let found = materials(&sandbox, &names);
        assert!(found == [now.as_str()] || found == [new.as_str()], "{part}: {found:?}");
        assert_eq!(leftovers(&sandbox), [""; 0], "{part}");
        now.clone_from(&found[0]);
    }
    assert!(killed > 0, "all runs were faster than {whole:?}");
}

#[test]
fn two_runs_at_the_same_time_agree_about_all_files() {
    let (sandbox, names) = models(12);
    let mut now = materials(&sandbox, &names)[0].clone();
    for round in 0..6 {
        let pairs = ["a", "b"].map(|new| format!("{now}={new}{round}"));
        let spawn = |pair: &String| {
            let args = rename(&names, pair, &["-i", "--no-backup"]);
            sandbox.command(&args).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap()
        };
        let codes = pairs.each_ref().map(spawn).map(|mut child| child.wait().unwrap().code().unwrap());
        let found = materials(&sandbox, &names);
        assert!(codes.contains(&0), "one is first: {codes:?}");
        assert_eq!(found.len(), 1, "{round}: {codes:?}");
        now.clone_from(&found[0]);
    }
    assert_eq!(leftovers(&sandbox), [""; 0]);
}

#[test]
fn an_interrupted_directory_of_results_is_continued() {
    let (sandbox, names) = models(3);
    let old = &materials(&sandbox, &names)[0];
    let pair = format!("{old}=new");
    let renamed = rename(&names[..1], &pair, &["--out-dir", "out"]);
    assert_eq!(sandbox.run(&renamed).code, 0);
    let time = |name: &str| fs::metadata(sandbox.path(name)).unwrap().modified().unwrap();
    let first = time("out/0.ms3d");
    std::thread::sleep(Duration::from_millis(20));
    let ran = sandbox.run(&rename(&names, &pair, &["--out-dir", "out"]));
    assert_eq!(ran.code, 0, "{}", ran.err);
    assert_eq!(time("out/0.ms3d"), first, "it stays");
    for args in [&["export", "0", "1", "2"][..], &["convert", "0", "1", "2", "--to", "psk"]] {
        let args = [args, &["--out-dir", "others"]].concat();
        assert_eq!(sandbox.run(&args).code, 0);
        assert_eq!(sandbox.run(&args).code, 0, "{args:?}");
    }
    sandbox.write("out/1.ms3d", b"of the user");
    let ran = sandbox.run(&rename(&names, &pair, &["--out-dir", "out"]));
    assert!(ran.code == 3 && ran.err.contains("file exists; overwrite it with --force"), "{}", ran.err);
}

#[test]
fn files_that_are_named_together_are_exported_as_convert_converts_them() {
    let sandbox = Sandbox::new();
    for name in ["set.psk", "set.psa"] {
        sandbox.write(name, sample(&format!("corpus/psk/{name}")));
    }
    let files = |verb: &[&str], out: &str| {
        let ran = sandbox.run(&[verb, &["set.psk", "set.psa", "--no-colors", "--out-dir", out]].concat());
        assert_eq!(ran.code, 0, "{}", ran.err);
        let entries = fs::read_dir(sandbox.path(out)).unwrap().map(|entry| entry.unwrap());
        entries.map(|own| (own.file_name(), fs::read(own.path()).unwrap())).collect::<Vec<_>>()
    };
    let exported = files(&["export"], "exported");
    assert_eq!(exported.len(), 1, "one model");
    assert_eq!(exported, files(&["convert", "--to", "glb"], "converted"));
    assert_eq!(files(&["export", "--each"], "each").len(), 2);
    let ran = sandbox.run(&["export", "set.psk", "set.psa", "-o", "strict.glb", "--strict"]);
    assert!(ran.code == 0 || ran.code == 1 && !sandbox.path("strict.glb").exists(), "{}", ran.err);
    let ran = sandbox.run(&["convert", "set.psk", "-o", "set.ms3d", "--no-embed"]);
    assert!(ran.code == 2 && ran.err.contains("are about glTF"), "{}", ran.err);
}

#[test]
fn several_results_are_written_all_or_none() {
    let (sandbox, names) = models(1);
    sandbox.write("out/b.psa", b"of the user");
    let ran = sandbox.run(&["convert", &names[0], "-o", "out/a.psk", "-o", "out/b.psa"]);
    assert_eq!(ran.code, 3, "{}", ran.err);
    assert!(!sandbox.path("out/a.psk").exists());
    let long = format!("out/{}.psa", "x".repeat(300));
    let ran = sandbox.run(&["convert", &names[0], "-o", "out/a.psk", "-o", &long]);
    assert_eq!(ran.code, 3, "{}", ran.err);
    assert_eq!(fs::read_dir(sandbox.path("out")).unwrap().count(), 1);
}

#[cfg(unix)]
#[test]
fn links_below_the_directory_of_results_are_not_followed() {
    let (sandbox, names) = models(3);
    let old = &materials(&sandbox, &names)[0];
    fs::create_dir_all(sandbox.path("out")).unwrap();
    fs::create_dir_all(sandbox.path("victim")).unwrap();
    std::os::unix::fs::symlink("../victim", sandbox.path("out/0")).unwrap();
    std::os::unix::fs::symlink("../victim/new", sandbox.path("out/1.ms3d")).unwrap();
    let pair = format!("{old}=new");
    for force in [&["--force"][..], &[]] {
        let to = [&["--out-dir", "out"], force].concat();
        let tree =
            sandbox.run(&[&["rename", ".", "--exclude", "out", "--material", &pair][..], &to].concat());
        assert_eq!(tree.code, 3, "{}", tree.err);
        assert_eq!(sandbox.run(&rename(&names, &pair, &to)).code, 3);
        for verb in [&["export", "."][..], &["convert", ".", "--to", "psk"]] {
            let ran = sandbox.run(&[verb, &["--exclude", "out"], &*to].concat());
            assert!(ran.code == 3 && ran.err.contains("is a link"), "{verb:?}: {}", ran.err);
        }
    }
    assert_eq!(fs::read_dir(sandbox.path("victim")).unwrap().count(), 0);
}

/// The sample character of Cal3D.
const CHARACTER: [&str; 5] =
    ["dragon.csf", "dragon.cmf", "dragon_idle.caf", "dragon_walk.caf", "dragon_wave.caf"];

#[test]
fn the_files_of_a_set_in_a_folder_follow_each_other() {
    let max = [
        "max/dragon.max-skeleton.skel",
        "max/dragon.max-mesh.mesh",
        "max/dragon_idle.max-animation.anim",
        "max/dragon_walk.max-animation.anim",
    ];
    let unigine = ["unigine/dragon.mesh", "unigine/idle.anim", "unigine/walk.anim"];
    let cal3d = CHARACTER.map(|name| format!("cal3d/{name}"));
    let cal3d: Vec<_> = cal3d.iter().map(String::as_str).collect();
    for set in [&cal3d[..], &max, &unigine, &["dragon.psk", "dragon.psa"]] {
        a_folder_is_edited_as_its_files(set);
    }
}

fn a_folder_is_edited_as_its_files(set: &[&str]) {
    let sandbox = Sandbox::new();
    let place = |folder: &str, name: &str| format!("{folder}/{name}");
    let paths = |folder: &str| set.iter().map(|name| place(folder, name)).collect::<Vec<_>>();
    for edit in [["remove", "--bone", "head"], ["transform", "--rotate", "x=90"]] {
        for (folder, name) in
            ["found", "named"].iter().flat_map(|own| set.iter().map(move |name| (own, name)))
        {
            sandbox.write(&place(folder, name), sample(&format!("character/{name}")));
        }
        let run = |files: &[String]| {
            let files = files.iter().map(String::as_str);
            let args: Vec<_> = edit.into_iter().chain(files).chain(["-i", "--no-backup"]).collect();
            let ran = sandbox.run(&args);
            assert_eq!(ran.code, 0, "{args:?}: {}", ran.err);
        };
        run(&["found".to_owned()]);
        run(&paths("named"));
        let mut edited = 0;
        for name in set {
            let [found, named] =
                ["found", "named"].map(|own| fs::read(sandbox.path(&place(own, name))).unwrap());
            assert!(found == named, "{edit:?} {name}");
            edited += usize::from(found != sample(&format!("character/{name}")));
        }
        assert!(edited > 0, "{edit:?} {set:?}");
        let check = [&["check".to_owned()], &paths("found")[..]].concat();
        let ran = sandbox.run(&check.iter().map(String::as_str).collect::<Vec<_>>());
        assert_eq!(ran.code, 0, "{}", ran.out);
    }
}

/// Which of two characters in a folder has a material is in the lists beside them; the names of the files do not say it.
#[test]
fn lists_say_which_files_belong_to_a_character() {
    let sandbox = Sandbox::new();
    for (character, material) in [("hero", "cloth"), ("orc", "leather")] {
        for name in CHARACTER {
            let own = name.replace("dragon", character);
            sandbox.write(&format!("all/{own}"), sample(&format!("character/cal3d/{name}")));
        }
        sandbox.write(&format!("all/{material}.crf"), sample("character/cal3d/dragon.crf"));
        let list = format!("skeleton={character}.csf\nmesh={character}.cmf\nmaterial={material}.crf\n");
        sandbox.write(&format!("all/{character}.cfg"), list);
    }
    let ran = sandbox.run(&["convert", "all", "--to", "glb", "--out-dir", "out"]);
    assert_eq!(ran.code, 0, "{}", ran.err);
    for (character, material) in [("hero", "cloth"), ("orc", "leather")] {
        let info = sandbox.run(&["info", "--scene", &format!("out/{character}.glb")]).out;
        assert!(info.contains(&format!("material    {material}")), "{info}");
    }
}

/// A part of a mesh is written from a scene, which does not have the bones of another file.
#[test]
fn a_part_of_a_mesh_keeps_its_bones() {
    let sandbox = Sandbox::new();
    sandbox.write("dragon.cmf", sample("character/cal3d/dragon.cmf"));
    let ran = sandbox.run(&["extract", "dragon.cmf", "--mesh", "*", "-o", "part.cmf"]);
    assert!(ran.code == 2 && ran.err.contains("convert SKELETON MESH MATERIAL"), "{}", ran.err);
    assert!(!sandbox.path("part.cmf").exists());
}

/// A mesh without a skeleton is the file that its materials belong to, with a list of their order or without one.
#[test]
fn a_static_mesh_of_cal3d_has_the_materials_beside_it() {
    let sandbox = Sandbox::new();
    let one = crate::images::model("cloth");
    let two = one
        .replace("\"materials\":[", "\"materials\":[{\"name\":\"boots\"},")
        .replace("\"material\":0}]", "\"material\":0},{\"attributes\":{\"POSITION\":0},\"material\":1}]");
    for (name, text, materials) in [("one", one, &["coat"][..]), ("two", two, &["boots", "coat"])] {
        sandbox.write(&format!("{name}.gltf"), text);
        let [set, out] = ["set", "out"].map(|of| format!("{of}_{name}"));
        let input = format!("{name}.gltf");
        let to_cal3d = ["convert", &input, "--to", "cal3d", "--out-dir", &set, "--no-images"];
        assert_eq!(sandbox.run(&to_cal3d).code, 0);
        assert_eq!(sandbox.path(&format!("{set}/{name}.cfg")).exists(), materials.len() > 1);
        let ran = sandbox.run(&["export", &set, "--out-dir", &out]);
        assert_eq!(ran.code, 0, "{}", ran.err);
        let info = sandbox.run(&["info", "--scene", &format!("{out}/{name}.glb")]).out;
        assert!(materials.iter().all(|own| info.contains(own)), "{info}");
        let ran = sandbox.run(&["check", &set]);
        assert!(ran.code == 0 && !ran.out.contains("unsupported"), "{}", ran.out);
    }
    let ran = sandbox.run(&["info", "set_two/two.cfg"]);
    assert!(ran.code == 4 && ran.err.contains("is the list of files of a Cal3D character"), "{}", ran.err);
}
