//! `find` lists files by what they contain, and `extract` writes clips alone.

use std::collections::BTreeSet;

use crate::sandbox::{Sandbox, sample, workspace};

fn folder() -> Sandbox {
    let sandbox = Sandbox::new();
    for name in ["psk/set.psk", "psk/set.psa", "psk/wave.psa", "ms3d/full.ms3d", "ms3d/empty.ms3d"] {
        sandbox.write(name, sample(&format!("corpus/{name}")));
    }
    sandbox.write("readme.txt", "no model");
    sandbox
}

fn found(sandbox: &Sandbox, args: &[&str]) -> (i32, Vec<String>) {
    let ran = sandbox.run(&[&["find", ".", "-l", "-q"], args].concat());
    (ran.code, ran.out.lines().map(str::to_owned).collect())
}

#[test]
fn a_file_has_a_match_for_each_option() {
    let sandbox = folder();
    let paths = |names: &[&str]| (0, names.iter().map(|name| format!("./{name}")).collect());
    assert_eq!(
        found(&sandbox, &["--clip", "grow"]),
        paths(&["psk/set.psa", "psk/wave.psa"]),
        "without regard to case"
    );
    let help = sandbox.run(&["find", "--help"]).out;
    assert!(help.contains("are compared without regard to case"), "{help}");
    assert_eq!(found(&sandbox, &["--clip", "grow", "--bone", "tail"]), paths(&["psk/set.psa"]));
    let either = ["--material", "cloth", "--material", "canvas"];
    assert_eq!(found(&sandbox, &either), paths(&["ms3d/full.ms3d", "psk/set.psk"]));
    assert_eq!(found(&sandbox, &["--value", "animation.fps=24*"]).1.len(), 2);
    assert_eq!(found(&sandbox, &["--bone", "nobody"]), (6, Vec::new()));
}

#[test]
fn matches_have_their_fields() {
    let sandbox = folder();
    let ran = sandbox.run(&["find", "ms3d", "psk", "--bone", "top", "--format", "json"]);
    assert!(ran.code == 0 && ran.field("kind").iter().all(|kind| kind == "bone"), "{}", ran.out);
    assert!(ran.field("field").contains(&"joints[1].name".to_owned()), "{}", ran.out);
    let ran = sandbox.run(&["find", ".", "--rule", "psk/no-such-rule"]);
    assert!(ran.code == 2 && ran.err.contains("unknown rule"), "{}", ran.err);
    let ran = sandbox.run(&["find", "psk/missing.psk", "--bone", "top"]);
    assert_eq!(ran.code, 6, "{}", ran.err);
}

#[test]
fn violations_of_rules_are_found() {
    let sandbox = folder();
    sandbox.write("rules.psk", sample("corpus/psk/rules.psk"));
    let rule = "psk/face-wedge-out-of-range";
    assert_eq!(found(&sandbox, &["--rule", rule]), (0, vec!["./rules.psk".to_owned()]));
    let ran = sandbox.run(&["find", "rules.psk", "--rule", rule, "--format", "json"]);
    assert_eq!(ran.field("rule"), [rule]);
}

/// The first of many are printed; JSON has all.
#[test]
fn all_violations_of_a_rule_are_found() {
    let sandbox = Sandbox::new();
    sandbox.write("a.x", format!("xof 0303txt 0032\n{}", "Frame A { }\n".repeat(30)));
    let find =
        |args: &[&str]| sandbox.run(&[&["find", "a.x", "--rule", "x/duplicate-frame-name"], args].concat());
    assert_eq!(find(&["--format", "json"]).field("rule").len(), 29);
    let printed = find(&[]).out;
    assert!(printed.ends_with("  and 9 more matches\n"), "{printed}");
}

#[test]
fn extracted_clips_are_those_of_the_file_without_the_others() {
    let sandbox = folder();
    let names = |file: &str| sandbox.run(&["get", file, "sequences[*].name", "--raw"]).out;
    assert_eq!(sandbox.run(&["extract", "psk/set.psa", "--clip", "Gr*", "-o", "one.psa"]).code, 0);
    assert_eq!(names("one.psa"), "Grow\n");
    sandbox.run(&["remove", "psk/set.psa", "--clip", "Wave", "-o", "removed.psa"]);
    assert_eq!(
        std::fs::read(sandbox.path("one.psa")).unwrap(),
        std::fs::read(sandbox.path("removed.psa")).unwrap()
    );
    let ran = sandbox.run(&["extract", "psk/set.psa", "--regex", "--clip", "^(Wave|Grow)$", "-o", "all.psa"]);
    assert_eq!((ran.code, names("all.psa")), (0, "Wave\nGrow\n".to_owned()));
    let ran = sandbox.run(&["extract", "psk/set.psk", "psk/set.psa", "--clip", "Grow", "-o", "set.psa"]);
    assert_eq!((ran.code, &*ran.err), (0, "psk/set.psa: 1 of 2 clips kept\n"));
    assert_eq!(names("set.psa"), "Grow\n");
    let ran = sandbox.run(&["extract", "psk/set.psa", "all.psa", "--clip", "Grow", "-o", "two.psa"]);
    assert!(ran.code == 2 && ran.err.contains("-o expects one file, got 2"), "{}", ran.err);
    let ran = sandbox.run(&["extract", "psk/set.psa", "--clip", "Jump", "-o", "none.psa"]);
    assert!(
        ran.code == 2 && ran.err.contains("Wave, Grow") && !sandbox.path("none.psa").exists(),
        "{}",
        ran.err
    );
}

#[test]
fn extracted_meshes_and_materials_are_those_that_convert_writes() {
    let sandbox = Sandbox::new();
    for (name, own) in [("hero.ms3d", "corpus/ms3d/full.ms3d"), ("hero.x", "corpus/directx/skinned_bin.x")] {
        sandbox.write(name, sample(own));
    }
    let extract = |file: &str, args: &[&str]| {
        let ran = sandbox.run(&[&["extract", file, "-o", "part", "--force"], args].concat());
        (ran.code, ran.err)
    };
    let (code, err) = extract("hero.ms3d", &["--mesh", "upp*"]);
    assert!(code == 0 && err.contains("`convert --loss-report` lists them"), "{err}");
    sandbox.run(&["convert", "hero.ms3d", "--mesh", "upper", "-o", "converted.ms3d", "-q"]);
    let read = |name: &str| std::fs::read(sandbox.path(name)).unwrap();
    assert_eq!(read("part"), read("converted.ms3d"));
    let (code, err) = extract("hero.x", &["--material", "Red", "-q"]);
    assert_eq!((code, &*err), (0, ""));
    let (code, err) = extract("hero.ms3d", &["--mesh", "none"]);
    assert!(code == 2 && err.contains("no mesh is named `none`; meshes: "), "{err}");
}

/// The clips of a file as `info` prints them, with those of its scene.
fn clips(of: &serde_json::Value) -> BTreeSet<String> {
    let lists = [&of["clips"], &of["scene"]["clips"]].into_iter().filter_map(|list| list.as_array());
    let names = lists.flatten().filter_map(|clip| clip["name"].as_str());
    names.filter(|name| !name.is_empty()).map(str::to_owned).collect()
}

/// Of several files, each has its own meshes.
#[test]
fn meshes_are_extracted_from_the_file_that_has_them() {
    let sandbox = Sandbox::new();
    for (name, own) in [("a.ms3d", "full"), ("b.ms3d", "full"), ("other.ms3d", "tent")] {
        sandbox.write(name, sample(&format!("corpus/ms3d/{own}.ms3d")));
    }
    let extract = |files: &[&str], to: &[&str]| {
        sandbox.run(&[&["extract", "--mesh", "upper", "-q"], files, to].concat())
    };
    assert_eq!(extract(&["a.ms3d"], &["-o", "alone.ms3d"]).code, 0);
    assert_eq!(extract(&["a.ms3d", "b.ms3d"], &["--out-dir", "out"]).code, 0);
    let read = |name: &str| std::fs::read(sandbox.path(name)).unwrap();
    assert_eq!(read("out/a.ms3d"), read("alone.ms3d"));
    assert_eq!(read("out/b.ms3d"), read("alone.ms3d"));
    sandbox.run(&["set", "other.ms3d", "groups[1].name=other", "-i", "-q"]);
    // One that has none of them is named, and nothing is written.
    let ran = extract(&["a.ms3d", "other.ms3d"], &["--out-dir", "none"]);
    assert!(ran.code == 2 && ran.err.contains("other.ms3d: no mesh is named `upper`"), "{}", ran.err);
    assert!(!sandbox.path("none").exists());
}

#[test]
fn nothing_is_extracted_by_a_name_that_the_file_does_not_have() {
    let sandbox = Sandbox::new();
    let corpus = workspace().join("tests/corpus");
    let infos = sandbox.run(&["info", "--format", "json", corpus.to_str().unwrap()]).json();
    assert!(infos.len() > 50);
    for info in infos {
        let path = info["path"].as_str().unwrap();
        for entity in ["--clip", "--mesh", "--material"] {
            let ran = sandbox.run(&["extract", path, entity, "no such name", "--dry-run"]);
            assert!(ran.code != 0 && !ran.err.is_empty(), "{path} {entity}: {}", ran.err);
        }
    }
}

#[test]
fn clips_that_info_names_are_found_extracted_and_removed_or_refused_with_the_reason() {
    let sandbox = Sandbox::new();
    let corpus = workspace().join("tests/corpus");
    let infos = sandbox.run(&["info", "--scene", "--format", "json", corpus.to_str().unwrap()]).json();
    let (mut extracted, mut refused) = (0, 0);
    for info in infos {
        let path = info["path"].as_str().unwrap();
        for clip in clips(&info) {
            let ran = sandbox.run(&["find", path, "--clip", &clip]);
            assert!(ran.code == 0 && ran.out.contains("\n  clip"), "{path} `{clip}`: {}{}", ran.out, ran.err);
            for verb in ["extract", "remove"] {
                let ran = sandbox.run(&[verb, path, "--clip", &clip, "--dry-run"]);
                assert!(!ran.err.contains("no clip is named"), "{verb} {path} `{clip}`: {}", ran.err);
                match (verb, ran.code) {
                    ("extract", 0) => extracted += 1,
                    (_, code) => refused += i32::from(code != 0),
                }
            }
        }
    }
    assert!(extracted > 50 && refused > 0, "{extracted} {refused}");
}

#[test]
fn a_clip_that_cannot_be_removed_is_explained() {
    let sandbox = folder();
    sandbox.write("sparse.psa", sample("corpus/psk/sparse.psa"));
    sandbox.write("set.psa", sample("corpus/psk/set.psa"));
    sandbox.write("walk.caf", sample("corpus/cal3d/walk.caf"));
    for (file, clip, why) in [
        (
            "ms3d/full.ms3d",
            "Wave",
            "ms3d/full.ms3d: the clip `Wave` cannot be removed: it is a range of frames",
        ),
        ("sparse.psa", "Wave", "sparse.psa: the clip `Wave` cannot be removed: it is sparse"),
        ("walk.caf", "walk", "walk.caf: the clip `walk` has no name in the file"),
        ("walk.caf", "", "walk.caf: the file is one animation, which has no name"),
        ("walk.caf", "run", "walk.caf: no clip is named `run`"),
        // Another file of the set has a clip of the name that can be removed.
        ("set.psa sparse.psa", "Wave", "the clip `Wave` cannot be removed: it is sparse"),
    ] {
        let files: Vec<_> = file.split(' ').collect();
        let ran = sandbox.run(&[&["remove"], &files[..], &["--clip", clip, "-n"]].concat());
        assert!(ran.code == 2 && ran.err.contains(why), "{}", ran.err);
    }
    let ran = sandbox.run(&["extract", "set.psa", "sparse.psa", "--clip", "Grow", "-n"]);
    assert!(ran.code == 2 && ran.err.contains("sparse.psa: the clip"), "{}", ran.err);
    let ran = sandbox.run(&["extract", "ms3d/full.ms3d", "--clip", "Wave", "-o", "same.ms3d"]);
    assert_eq!((ran.code, &*ran.err), (0, "ms3d/full.ms3d: 1 of 1 clip kept\n"));
    assert!(std::fs::read(sandbox.path("same.ms3d")).unwrap() == sample("corpus/ms3d/full.ms3d"));
}

#[test]
fn names_are_found_in_gltf() {
    let sandbox = Sandbox::new();
    sandbox.copy_as(&crate::sandbox::workspace().join("tests/character/dragon.glb"), "dragon.glb");
    sandbox.write("other.txt", "no model");
    for args in [["--clip", "wal*"], ["--bone", "tail_3"], ["--material", "*"]] {
        assert_eq!(found(&sandbox, &args), (0, vec!["./dragon.glb".to_owned()]), "{args:?}");
    }
    for args in [["--clip", "run", "--bone", "tail_3"], ["--clip", "walk", "--value", "x=1"]] {
        assert_eq!(found(&sandbox, &args), (6, Vec::new()), "{args:?}");
    }
    let ran = sandbox.run(&["find", "dragon.glb", "--clip", "walk", "--format", "json"]);
    assert_eq!((ran.field("text"), ran.field("field")), (vec!["walk".to_owned()], vec![String::new()]));
}

/// What `info` shows cannot always be edited.
#[test]
fn a_clip_that_no_field_names_is_explained_with_the_command_that_writes_it() {
    let sandbox = Sandbox::new();
    sandbox.copy_as(&crate::sandbox::workspace().join("tests/character/dragon.ms3d"), "dragon.ms3d");
    sandbox.write("walk.caf", sample("corpus/cal3d/walk.caf"));
    for file in ["dragon.ms3d", "walk.caf"] {
        let ran = sandbox.run(&["rename", file, "--clip", "walk=run", "-n"]);
        let why = format!("{file}: the clip `walk` has no name in the file: `info` names it after");
        let help = "help: `bindpose convert FILE --clip walk -o OUT` writes it alone, and names it after OUT";
        assert!(ran.code == 2 && ran.err.contains(&why) && ran.err.contains(help), "{}", ran.err);
        let ran = sandbox.run(&["rename", file, "--clip", "none=run", "-n"]);
        assert!(ran.code == 2 && !ran.err.contains("`info` names it"), "{}", ran.err);
    }
    let ran = sandbox.run(&["extract", "dragon.ms3d", "--clip", "walk", "-o", "walk.ms3d"]);
    let help = "help: `bindpose convert dragon.ms3d --clip walk -o OUT` writes the file anew";
    assert!(ran.code == 2 && ran.err.contains(help), "{}", ran.err);
    assert_eq!(sandbox.run(&["convert", "dragon.ms3d", "--clip", "walk", "-o", "run.ms3d", "-q"]).code, 0);
    assert_eq!(found(&sandbox, &["--clip", "run"]).1, ["./run.ms3d"]);
}

/// Whatever characters they have.
#[cfg(unix)]
#[test]
fn found_files_are_the_input_of_other_verbs() {
    use std::ffi::OsStr;
    use std::os::unix::ffi::OsStrExt;
    let sandbox = Sandbox::new();
    let names: [&[u8]; 5] = [b"a b.ms3d", b"line\nend.ms3d", b"\xff.ms3d", b"#c.ms3d", b"'q'.ms3d"];
    for name in names {
        std::fs::write(sandbox.path("").join(OsStr::from_bytes(name)), sample("corpus/ms3d/full.ms3d"))
            .unwrap();
    }
    let list = sandbox.command(&["find", ".", "--bone", "root", "-0", "-q"]).output().unwrap().stdout;
    assert_eq!(list.split(|byte| *byte == 0).filter(|name| !name.is_empty()).count(), names.len());
    assert!(names.iter().all(|name| list.windows(name.len()).any(|own| own == *name)));
    let ran = sandbox.run_with_input(&["rename", "@-", "--bone", "root=hips", "-i"], &list);
    assert!(ran.code == 0 && ran.err.contains("5 files changed"), "{}", ran.err);
    assert_eq!(found(&sandbox, &["--bone", "hips"]).1.len(), names.len());
}

/// As the verbs that edit take it.
#[test]
fn a_name_is_found_whatever_characters_it_has() {
    let sandbox = Sandbox::new();
    for name in ["Walk [fast]", "Walk [fast", "a{b", "q?", r"\x83{\x81[\x83\x93", r"back\\slash"] {
        sandbox.write("a.psa", sample("corpus/psk/set.psa"));
        let set = format!("sequences[0].name={name}");
        assert_eq!(sandbox.run(&["set", "a.psa", &set, "-i", "--no-backup"]).code, 0, "{name}");
        let ran = sandbox.run(&["find", "a.psa", "--clip", name]);
        assert_eq!(ran.code, 0, "{name}: {}{}", ran.out, ran.err);
    }
    let ran = sandbox.run(&["find", "a.psa", "--clip", "[*"]);
    assert_eq!(ran.code, 2, "{}", ran.err);
}
