//! Which files are processed, and which settings apply to them.

use crate::sandbox::{Sandbox, damaged, sample, valid};

fn paths(sandbox: &Sandbox, args: &[&str]) -> Vec<String> {
    let ran = sandbox.run(&[&["roundtrip", "--format", "json"], args].concat());
    assert_eq!(ran.code, 0, "{args:?}: {}{}", ran.out, ran.err);
    ran.field("path")
}

#[test]
fn globs_select_files_in_directories() {
    let sandbox = Sandbox::new();
    for name in ["a/one.ms3d", "a/two.ms3d", "a/old/one.ms3d", "b/one.ms3d"] {
        sandbox.write(name, valid());
    }
    sandbox.write("a/.gitignore", "two.ms3d\n");
    assert_eq!(paths(&sandbox, &["a", "b"]), ["a/old/one.ms3d", "a/one.ms3d", "b/one.ms3d"]);
    assert_eq!(paths(&sandbox, &["a", "b", "-g", "b/*"]), ["b/one.ms3d"]);
    assert_eq!(paths(&sandbox, &["a", "-g", "one.*", "--exclude", "old"]), ["a/one.ms3d"]);
    assert_eq!(paths(&sandbox, &["a", "b", "--exclude", "a/old/", "-g", "!b/**"]), ["a/one.ms3d"]);
    assert_eq!(paths(&sandbox, &["a/two.ms3d", "-g", "*.psk"]), ["a/two.ms3d"], "a named file");
    assert_eq!(sandbox.run(&["roundtrip", "a", "-g", "two.ms3d"]).code, 6, "ignored files stay ignored");
    let ran = sandbox.run(&["roundtrip", "a", "-g", "[z"]);
    assert!(ran.code == 2 && ran.err.contains("[z"), "{}", ran.err);
}

#[test]
fn a_list_has_comments_or_nul_characters() {
    let sandbox = Sandbox::new();
    for name in ["one.ms3d", "#two.ms3d", "dir/three.ms3d"] {
        sandbox.write(name, valid());
    }
    sandbox.write("lines", "# models\none.ms3d\r\n\n  \n./#two.ms3d\ndir\n");
    assert_eq!(paths(&sandbox, &["@lines"]), ["one.ms3d", "./#two.ms3d", "dir/three.ms3d"]);
    sandbox.write("nul", "#two.ms3d\0one.ms3d\0");
    assert_eq!(paths(&sandbox, &["@nul"]), ["#two.ms3d", "one.ms3d"]);
    let ran = sandbox.run_with_input(&["roundtrip", "--format", "json", "@-"], b"#two.ms3d\0");
    assert_eq!(ran.field("path"), ["#two.ms3d"]);
}

#[cfg(unix)]
#[test]
fn a_name_that_is_not_utf8_is_exact_in_json() {
    use std::os::unix::ffi::OsStrExt;
    let sandbox = Sandbox::new();
    for name in [&b"a\xff.ms3d"[..], b"a\xfe.ms3d"] {
        std::fs::write(sandbox.path("").join(std::ffi::OsStr::from_bytes(name)), damaged()).unwrap();
    }
    for verb in ["roundtrip", "check", "info"] {
        let ran = sandbox.run(&[verb, ".", "--format", "json"]);
        let bytes = ran.field("path_bytes");
        assert!(bytes.contains(&"2e2f61ff2e6d733364".into()), "{verb}: {}", ran.out);
        assert!(bytes.contains(&"2e2f61fe2e6d733364".into()), "{verb}: {}", ran.out);
        assert_eq!(ran.field("path")[0], "./a\u{fffd}.ms3d");
        sandbox.write(verb, ran.out);
    }
    let merged = sandbox.run(&["report", "merge", "roundtrip", "--format", "json"]);
    assert_eq!(merged.json().len(), 2, "the files are not taken for one: {}", merged.out);
    sandbox.write("list", b"a\xff.ms3d\n");
    let ran = sandbox.run(&["roundtrip", "@list", "--format", "json"]);
    assert_eq!(ran.field("verdict"), ["damaged"]);
}

#[test]
fn a_baseline_holds_for_runs_from_other_directories() {
    let sandbox = Sandbox::new();
    sandbox.write("depot/art/bad.ms3d", damaged());
    let run = |directory: &str, args: &[&str]| {
        let mut command = sandbox.command(args);
        command.current_dir(sandbox.path(directory)).output().unwrap()
    };
    let made = run(".", &["roundtrip", "depot", "--baseline", "depot/ci/known.jsonl", "--update-baseline"]);
    assert_eq!(made.status.code(), Some(3), "the directory does not exist yet");
    std::fs::create_dir(sandbox.path("depot/ci")).unwrap();
    let made = run(".", &["roundtrip", "depot", "--baseline", "depot/ci/known.jsonl", "--update-baseline"]);
    assert_eq!(made.status.code(), Some(0));
    assert!(sandbox.read("depot/ci/known.jsonl").contains("\"../art/bad.ms3d\""));
    for (directory, args) in [
        ("depot", &["roundtrip", "art", "--baseline", "ci/known.jsonl"][..]),
        ("depot/art", &["roundtrip", "./bad.ms3d", "--baseline", "../ci/known.jsonl"]),
    ] {
        let output = run(directory, args);
        assert_eq!(output.status.code(), Some(0), "{directory}: {output:?}");
        assert!(output.stderr.is_empty(), "{output:?}");
    }
}

#[test]
fn entries_of_a_baseline_that_no_longer_apply_are_reported() {
    let sandbox = Sandbox::new();
    let (bad, gone) = ("bad.ms3d", "gone.ms3d");
    sandbox.write(bad, damaged());
    sandbox.write(gone, damaged());
    for verb in ["roundtrip", "check"] {
        let known = format!("{verb}.jsonl");
        let run = |args: &[&str]| sandbox.run(&[&[verb, "--baseline", &known], args].concat());
        assert_eq!(run(&[".", "--update-baseline"]).code, 0);
        assert_eq!(run(&["."]).err, "", "{verb}");
        assert_eq!(run(&[bad]).err, "", "{verb}: entries of files that are not processed");
    }
    sandbox.write(bad, valid());
    std::fs::remove_file(sandbox.path(gone)).unwrap();
    for (verb, what) in
        [("roundtrip", "bad.ms3d: damaged"), ("check", "bad.ms3d: any/damaged: 1 finding listed")]
    {
        let ran = sandbox.run(&[verb, ".", "--baseline", &format!("{verb}.jsonl")]);
        assert_eq!(ran.code, 0, "{}", ran.err);
        for part in [what, "gone.ms3d: the file does not exist", "--update-baseline"] {
            assert!(ran.err.contains(part), "{verb}: {}", ran.err);
        }
    }
    let ran = sandbox.run(&["check", ".", "--baseline", "check.jsonl", "--ignore", "any"]);
    assert!(!ran.err.contains("any/damaged"), "an ignored rule: {}", ran.err);
}

#[test]
fn settings_apply_to_the_files_that_match() {
    let sandbox = Sandbox::new();
    for name in ["own/a.ms3d", "bought/b.ms3d", "bought/new/c.ms3d"] {
        sandbox.write(name, damaged());
    }
    sandbox.write(
        "bindpose.toml",
        "[check]\nignore = ['ms3d']\n\
         [[files]]\npath = 'bought/**'\nroundtrip.allow-damaged = true\ncheck.ignore = ['any/damaged']\n\
         [[files]]\npath = ['bought/new']\nroundtrip.allow-damaged = false\ncheck.severity = { 'any' = 'info' }\n",
    );
    let failed = |args: &[&str]| sandbox.run(args).code;
    assert_eq!(failed(&["roundtrip", "own"]), 1);
    assert_eq!(failed(&["roundtrip", "bought/b.ms3d"]), 0);
    assert_eq!(failed(&["roundtrip", "bought/new"]), 1, "the last section that matches");
    assert_eq!(failed(&["roundtrip", "bought/new", "--allow-damaged"]), 0, "the command line");
    assert_eq!(failed(&["check", "own"]), 1);
    assert_eq!(failed(&["check", "bought"]), 0);
    let rules = |path: &str| sandbox.run(&["check", path, "--format", "json"]).field("rule");
    assert_eq!(rules("own"), ["any/damaged"]);
    assert_eq!(rules("bought/b.ms3d"), [""; 0]);
    sandbox.write("other/x.toml", "[[files]]\npath = 'own/*'\ncheck.ignore = ['any']\n");
    let ran = sandbox.run(&["check", "own", "--config", "other/x.toml", "--only", "any"]);
    assert_eq!(ran.code, 0, "globs refer to the working directory: {}", ran.out);
    for (text, why) in [
        ("[[files]]\ncheck.ignore = []\n", "missing field `path`"),
        ("[[files]]\npath = '{a'\n", "{a"),
        ("[roundtrip]\nonly = []\n", "unknown field `only`"),
        ("[[files]]\npath = 'a'\ncheck.only = ['ms3d/nope']\n", "unknown rule"),
    ] {
        sandbox.write("bindpose.toml", text);
        let ran = sandbox.run(&["check", "own"]);
        assert!(ran.code == 2 && ran.err.contains(why), "{text}: {}", ran.err);
    }
}

#[test]
fn files_in_a_directory_without_the_objects_are_skipped() {
    let sandbox = Sandbox::new();
    for name in ["dragon.psk", "cal3d/dragon.csf", "cal3d/dragon_walk.caf", "dragon.psa"] {
        sandbox.write(&format!("in/{name}"), sample(&format!("character/{name}")));
    }
    for objects in [["--mesh", "*"], ["--clip", "walk"]] {
        let out = format!("out{}", objects[0]);
        let ran = sandbox.run(&["extract", objects[0], objects[1], "in", "--out-dir", &out]);
        assert_eq!(ran.code, 0, "{objects:?}: {}", ran.err);
        assert!(sandbox.path(&out).is_dir(), "{objects:?}: {}", ran.err);
    }
    let none = sandbox.run(&["extract", "--mesh", "tail", "in", "--out-dir", "none"]);
    assert!(none.code == 2 && none.err.contains("no mesh is named `tail`"), "{}", none.err);
}
