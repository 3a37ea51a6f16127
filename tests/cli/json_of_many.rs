//! `to-json` and `from-json` of several files.

use std::fs;

use crate::sandbox::{Sandbox, damaged, sample, valid};

#[test]
fn the_json_of_a_directory_becomes_the_same_files() {
    let sandbox = Sandbox::new();
    sandbox.write("in/a.ms3d", valid());
    sandbox.write("in/sub/a.psk", sample("corpus/psk/set.psk"));
    sandbox.write("in/readme.txt", "text");
    let ran = sandbox.run(&["to-json", "in", "--out-dir", "json"]);
    assert_eq!(ran.code, 0, "{}", ran.err);
    assert!(sandbox.path("json/a.ms3d.json").exists() && sandbox.path("json/sub/a.psk.json").exists());
    sandbox.write("json/notes.txt", "text");
    let ran = sandbox.run(&["from-json", "json", "--out-dir", "out", "--format", "json"]);
    assert_eq!(
        (ran.code, ran.field("path")),
        (0, vec!["out/a.ms3d".into(), "out/sub/a.psk".into()]),
        "{}",
        ran.err
    );
    for name in ["a.ms3d", "sub/a.psk"] {
        let content = |folder: &str| fs::read(sandbox.path(&format!("{folder}/{name}"))).unwrap();
        assert!(content("in") == content("out"), "{name}");
    }
    // The name of the JSON alone states no extension.
    fs::rename(sandbox.path("json/a.ms3d.json"), sandbox.path("hero.json")).unwrap();
    assert_eq!(sandbox.run(&["from-json", "hero.json", "--out-dir", "out"]).code, 0);
    assert!(sandbox.path("out/hero.ms3d").exists());
}

#[test]
fn named_files_are_written_all_or_none() {
    let sandbox = Sandbox::new();
    sandbox.write("a.ms3d", valid());
    sandbox.write("b.ms3d", damaged());
    let ran = sandbox.run(&["to-json", "a.ms3d", "b.ms3d", "missing.ms3d", "--out-dir", "json"]);
    assert!(ran.code == 3 && ran.err.contains("no named file was written"), "{}", ran.err);
    assert!(!sandbox.path("json").exists());
    let ran = sandbox.run(&["to-json", "a.ms3d", "b.ms3d"]);
    assert!(ran.code == 2 && ran.err.contains("--out-dir DIR"), "{}", ran.err);
    let ran = sandbox.run(&["to-json", ".", "--out-dir", "json", "-g", "*.txt"]);
    assert!(ran.code == 6 && ran.err.contains("no file of a supported format"), "{}", ran.err);
}

/// Scripts take the lines as the list of the results.
#[test]
fn a_failed_run_lists_only_what_it_wrote() {
    for command in [
        "to-json --out-dir out good.ms3d bad.ms3d",
        "from-json --out-dir out good.json bad.json",
        "rename --bone root=hip --out-dir out good.ms3d bad.ms3d",
        "rename --bone root=hip -i good.ms3d bad.ms3d",
        "transform --scale 2 --out-dir out good.ms3d bad.ms3d",
        "transform --scale 2 -i good.ms3d bad.ms3d",
        "remove --bone top --out-dir out good.ms3d bad.ms3d",
        "convert --each --to x --out-dir out good.ms3d bad.ms3d",
        "transform --scale 2 --out-dir out good.ms3d taken.ms3d",
    ] {
        let sandbox = Sandbox::new();
        let good = sample("corpus/ms3d/full.ms3d");
        sandbox.write("good.ms3d", &good);
        sandbox.write("taken.ms3d", &good);
        sandbox.write("out/taken.ms3d", b"of another run");
        sandbox.write("bad.ms3d", b"MS3D");
        sandbox.write("bad.json", b"{");
        assert_eq!(sandbox.run(&["to-json", "good.ms3d", "-o", "good.json"]).code, 0);
        let args: Vec<_> = command.split(' ').collect();
        let ran = sandbox.run(&args);
        assert!(ran.code > 1, "{command}: {}", ran.err);
        for path in ran.err.lines().filter_map(|line| line.split("wrote ").nth(1)) {
            assert!(sandbox.path(path).exists(), "{command}: {}", ran.err);
        }
        let ran = sandbox.run(&[&args[..], &["--format", "json"]].concat());
        let is_same = fs::read(sandbox.path("good.ms3d")).unwrap() == good;
        assert!(is_same && !ran.err.contains("1 file changed"), "{command}: {}", ran.err);
        for line in ran.json() {
            let path = sandbox.path(line["path"].as_str().unwrap());
            let len = fs::metadata(&path).map(|data| data.len()).ok();
            assert!(len.is_some() && len == line["bytes"].as_u64(), "{command}: {line}");
        }
    }
}
