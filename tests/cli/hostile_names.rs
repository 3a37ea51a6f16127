//! Names and files that attack the reader of the output.
#![cfg(unix)]

use std::process::{Command, Stdio};

use crate::sandbox::{Sandbox, damaged, valid};

const NAME: &str = "a\u{1b}[31m\n::error::b\u{202e}\u{ffff}.ms3d";

#[test]
fn a_file_name_does_not_reach_a_terminal_or_an_annotation_unescaped() {
    let sandbox = Sandbox::new();
    sandbox.write(NAME, damaged());
    sandbox.write("b.ms3d", valid());
    for args in [
        &["roundtrip", NAME][..],
        &["roundtrip", NAME, "--format", "github"],
        &["roundtrip", NAME, "--format", "junit"],
        &["check", NAME],
        &["check", NAME, "--format", "github"],
        &["check", NAME, "--format", "junit"],
        &["info", NAME],
        &["info", "missing\u{1b}[31m\n::error::"],
        &["set", NAME, "animation.fps=x", "--in-place"],
        &["get", NAME, "nothing"],
        &["diff", NAME, "b.ms3d"],
        &["rescue", NAME, "-o", "missing\u{1b}[31m\n::error::/out.ms3d"],
        &["export", NAME, "-o", "missing\u{1b}[31m\n::error::/out.glb"],
        &["rename", NAME, "--bone", "hip=pelvis", "--dry-run"],
        &["roundtrip", "@missing\u{1b}[31m\n::error::"],
    ] {
        let ran = sandbox.run(args);
        for text in [&ran.out, &ran.err] {
            let bad = text.chars().find(|c| "\u{1b}\u{202e}\u{ffff}".contains(*c));
            assert_eq!(bad, None, "{args:?}: {text}");
            assert!(!text.lines().any(|line| line.starts_with("::error::b")), "{args:?}: {text}");
        }
    }
    let ran = sandbox.run(&["roundtrip", NAME, "--format", "json"]);
    assert_eq!(ran.field("path"), [NAME], "JSON escapes by itself");
}

#[test]
fn characters_that_change_the_direction_of_text_are_escaped_in_values() {
    let sandbox = Sandbox::new();
    sandbox.write("a.ms3d", valid());
    let name = "evil\u{202e}\u{1b}";
    let ran = sandbox.run(&["set", "a.ms3d", &format!("materials[0].name={name}"), "--in-place"]);
    assert_eq!(ran.code, 0, "{}", ran.err);
    let ran = sandbox.run(&["get", "a.ms3d", "materials[0].name"]);
    assert_eq!(ran.out, "evil\\xe2\\x80\\xae\\x1b\n");
    let again = format!("materials[0].name={}", ran.out.trim());
    assert_eq!(sandbox.run(&["set", "a.ms3d", &again, "-o", "b.ms3d"]).code, 0);
    assert_eq!(sandbox.run(&["diff", "a.ms3d", "b.ms3d"]).code, 0);
}

#[test]
fn a_named_pipe_is_refused() {
    let sandbox = Sandbox::new();
    let pipe = sandbox.path("pipe.ms3d");
    assert!(Command::new("mkfifo").arg(&pipe).status().unwrap().success());
    for verb in ["info", "roundtrip", "map", "check"] {
        let ran = sandbox.run(&[verb, "pipe.ms3d"]);
        assert_eq!(ran.code, 3, "{verb}");
        assert!((ran.out + &ran.err).contains("is a named pipe"), "{verb}");
    }
}

#[test]
fn a_gitignore_of_a_megabyte_is_refused() {
    let sandbox = Sandbox::new();
    sandbox.write("all/hostile/.gitignore", "**/*a*b*c*d*e*\n".repeat(70_000));
    sandbox.write("all/hostile/a.ms3d", valid());
    sandbox.write("all/b.ms3d", valid());
    for directory in ["all", "all/hostile"] {
        let ran = sandbox.run(&["roundtrip", directory]);
        assert_eq!(ran.code, 3, "{}", ran.out);
        assert!(ran.out.contains(".gitignore: has 1.1 MB of patterns"), "{}", ran.out);
        assert_eq!(ran.out.contains("ms3d"), directory == "all", "{}", ran.out);
    }
}

#[cfg(target_os = "linux")]
#[test]
fn a_result_that_cannot_be_delivered_is_a_failure() {
    let sandbox = Sandbox::new();
    sandbox.write("a.ms3d", valid());
    for args in [
        &["map", "a.ms3d"][..],
        &["get", "a.ms3d", "animation.fps"],
        &["to-json", "a.ms3d"],
        &["info", "a.ms3d"],
        &["check", "a.ms3d"],
        &["schema"],
        &["--help"],
        &["--version"],
    ] {
        let full = std::fs::File::options().write(true).open("/dev/full").unwrap();
        let output = sandbox.command(args).stdin(Stdio::null()).stdout(full).output().unwrap();
        assert_eq!(output.status.code(), Some(3), "{args:?}");
        assert!(String::from_utf8_lossy(&output.stderr).contains("no space left"), "{args:?}");
    }
}
