//! What a shell offers to complete a command line with. The scripts of all shells ask the command; fish passes the words as they are.

use std::collections::BTreeSet;

use super::sandbox::{Sandbox, sample};

/// What can follow the last of these words.
fn offered(sandbox: &Sandbox, words: &[&str]) -> Vec<String> {
    let words = [&["--", "bindpose"], words].concat();
    let done = sandbox.command(&words).env("BINDPOSE_COMPLETE", "fish").output().unwrap();
    assert!(done.status.success() && done.stderr.is_empty(), "{words:?}");
    let text = String::from_utf8(done.stdout).unwrap();
    text.lines().map(|line| line.split('\t').next().unwrap().to_owned()).collect()
}

fn hero() -> Sandbox {
    let sandbox = Sandbox::new();
    sandbox.write("hero.ms3d", sample("corpus/ms3d/full.ms3d"));
    sandbox.write("run.psa", sample("corpus/psk/set.psa"));
    sandbox.write("hero.x", sample("corpus/directx/skinned.x"));
    sandbox
}

#[test]
fn verbs_rules_and_formats_are_offered() {
    let sandbox = hero();
    let offers = |words: &[&str], expected: &str| {
        let offered = offered(&sandbox, words);
        assert!(offered.iter().any(|own| own == expected), "{words:?}: {offered:?}");
    };
    offers(&["rou"], "roundtrip");
    offers(&["check", "--only", "ms3d/vertex-j"], "ms3d/vertex-joint-out-of-range");
    offers(
        &["check", "--severity", "ms3d/vertex-joint-out-of-range=w"],
        "ms3d/vertex-joint-out-of-range=warning",
    );
    offers(&["info", "--as", "cal3d-mesh:x"], "cal3d-mesh:xml");
    offers(&["convert", "--to", "un"], "unreal");
    offers(&["convert", "--to", "gl"], "glb");
    offers(&["info", "he"], "hero.ms3d");
}

#[test]
fn names_and_paths_of_the_files_on_the_line_are_offered() {
    let sandbox = hero();
    assert_eq!(offered(&sandbox, &["remove", "run.psa", "--clip", "W"]), ["Wave"]);
    assert_eq!(offered(&sandbox, &["rename", "hero.ms3d", "--bone", "ro"]), ["root"]);
    assert_eq!(offered(&sandbox, &["get", "hero.ms3d", "joints[r"]), ["joints[root]"]);
    assert_eq!(offered(&sandbox, &["get", "hero.ms3d", "joints[root].na"]), ["joints[root].name"]);
    assert_eq!(offered(&sandbox, &["set", "hero.ms3d", "animation.f"]), ["animation.fps"]);
    assert_eq!(offered(&sandbox, &["get", "run.psa", "bon"]), ["bones"]);
    assert_eq!(offered(&sandbox, &["get", "run.psa", "bones[T"]), ["bones[Top]"]);
    assert_eq!(offered(&sandbox, &["get", "hero.x", "Frame[R"]), ["Frame[Root]"]);
    assert!(offered(&sandbox, &["get", "missing.ms3d", "jo"]).is_empty());
}

#[test]
fn every_path_that_is_offered_leads_somewhere() {
    let sandbox = hero();
    for file in ["hero.ms3d", "run.psa", "hero.x"] {
        let mut offers = BTreeSet::from([String::new()]);
        for _ in 0..3 {
            let is_path = |own: &String| !own.starts_with('-');
            let next = |path: &String| {
                ["", ".", "["].map(|more| offered(&sandbox, &["get", file, &(path.clone() + more)]))
            };
            offers = offers.iter().take(6).flat_map(next).flatten().filter(is_path).collect();
            assert!(!offers.is_empty(), "{file}");
            let paths: Vec<_> = offers.iter().map(String::as_str).collect();
            for paths in paths.chunks(50) {
                let ran = sandbox.run(&[&["get", file], paths].concat());
                assert_eq!(ran.code, 0, "{paths:?}: {}", ran.err);
            }
        }
    }
}

#[test]
fn scripts_of_all_shells_ask_the_command() {
    let sandbox = Sandbox::new();
    for shell in ["bash", "zsh", "fish", "powershell", "elvish"] {
        assert!(sandbox.run(&["completions", shell]).out.contains("BINDPOSE_COMPLETE"), "{shell}");
    }
}
