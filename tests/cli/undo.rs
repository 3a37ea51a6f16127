//! The originals of the last run.

use std::fs;

use crate::sandbox::{Sandbox, damaged, sample, valid};

/// Two files that one run has changed.
fn edited() -> Sandbox {
    let sandbox = Sandbox::new();
    sandbox.write("a.ms3d", valid());
    sandbox.write("sub/b.ms3d", valid());
    edit(&sandbox, &["transform", "a.ms3d", "sub/b.ms3d", "--scale", "2", "-i"]);
    sandbox
}

fn edit(sandbox: &Sandbox, args: &[&str]) {
    let ran = sandbox.run(args);
    assert_eq!(ran.code, 0, "{args:?}: {}", ran.err);
}

fn content(sandbox: &Sandbox, name: &str) -> Vec<u8> {
    fs::read(sandbox.path(name)).unwrap()
}

#[test]
fn the_files_of_the_last_run_get_their_originals() {
    let sandbox = edited();
    assert_ne!(content(&sandbox, "a.ms3d"), valid());
    let listed = sandbox.run(&["undo", "--list"]).out;
    assert_eq!(listed, "a.ms3d: from a.ms3d.orig\nsub/b.ms3d: from sub/b.ms3d.orig\n");
    assert_ne!(content(&sandbox, "a.ms3d"), valid(), "a list changes nothing");
    let ran = sandbox.run(&["undo", "--format", "json"]);
    assert_eq!((ran.code, ran.field("path")), (0, vec!["a.ms3d".to_owned(), "sub/b.ms3d".to_owned()]));
    for name in ["a.ms3d", "sub/b.ms3d"] {
        assert_eq!(content(&sandbox, name), valid());
        assert!(!sandbox.path(&format!("{name}.orig")).exists());
    }
    let again = sandbox.run(&["undo"]);
    assert!(again.code == 6 && again.err.contains("no run in this directory is recorded"), "{}", again.err);
}

#[test]
fn files_in_a_directory_are_restored_too_and_only_those_of_the_last_run() {
    let sandbox = edited();
    sandbox.write("many/c.ms3d", valid());
    sandbox.write("many/d.ms3d", valid());
    edit(&sandbox, &["transform", "many", "--scale", "2", "-i"]);
    edit(&sandbox, &["transform", "many/c.ms3d", "--scale", "3", "-i", "--no-backup"]);
    edit(&sandbox, &["transform", "many", "--scale", "2", "-n"]);
    // The edit without backups kept the original of the first.
    assert_eq!(sandbox.run(&["undo"]).out, "many/c.ms3d: restored from many/c.ms3d.orig\n");
    assert_eq!(content(&sandbox, "many/c.ms3d"), valid());
    assert_ne!(content(&sandbox, "a.ms3d"), valid());
}

#[test]
fn nothing_is_restored_if_one_file_was_changed_since() {
    let sandbox = edited();
    let after = content(&sandbox, "a.ms3d");
    sandbox.write("sub/b.ms3d", damaged());
    assert!(sandbox.run(&["undo", "--list"]).out.contains("b.ms3d.orig (changed since)"));
    let ran = sandbox.run(&["undo"]);
    assert!(ran.code == 3 && ran.err.contains("b.ms3d: was changed since the last run"), "{}", ran.err);
    assert_eq!(content(&sandbox, "a.ms3d"), after);
    assert_eq!(content(&sandbox, "sub/b.ms3d"), damaged());
}

#[test]
fn nothing_is_restored_from_an_original_that_was_replaced() {
    let sandbox = edited();
    let after = content(&sandbox, "a.ms3d");
    sandbox.write("sub/b.ms3d.orig", sample("corpus/ms3d/tent.ms3d"));
    let ran = sandbox.run(&["undo"]);
    let why = "sub/b.ms3d: its original was changed since the last run; nothing was restored";
    assert!(ran.code == 3 && ran.err.contains(why), "{}", ran.err);
    assert_eq!(content(&sandbox, "a.ms3d"), after);
}

/// Earlier versions did not record the hashes of originals.
#[test]
fn a_record_without_hashes_of_originals_is_read() {
    let sandbox = edited();
    let record = fs::read_dir(sandbox.state().join("bindpose")).unwrap().next().unwrap().unwrap().path();
    let text = fs::read_to_string(&record).unwrap();
    let fields = text.split('\0').map(|own| match own.split_once('-') {
        Some((hash, original)) if hash.len() == 32 && original.len() == 32 => hash,
        _ => own,
    });
    fs::write(&record, fields.collect::<Vec<_>>().join("\0")).unwrap();
    assert_eq!(sandbox.run(&["undo"]).code, 0);
    assert_eq!(content(&sandbox, "sub/b.ms3d"), valid());
}

#[test]
fn a_missing_file_or_original_is_named_as_the_reason() {
    let sandbox = edited();
    fs::remove_file(sandbox.path("sub/b.ms3d.orig")).unwrap();
    let ran = sandbox.run(&["undo"]);
    assert!(ran.err.contains("sub/b.ms3d: its original does not exist any more"), "{}", ran.err);
    let sandbox = edited();
    fs::remove_file(sandbox.path("sub/b.ms3d")).unwrap();
    let ran = sandbox.run(&["undo"]);
    assert!(ran.err.contains("sub/b.ms3d: cannot be read any more; nothing was restored"), "{}", ran.err);
    assert!(ran.err.contains("help: its original is sub/b.ms3d.orig"), "{}", ran.err);
}

#[cfg(unix)]
#[test]
fn a_file_has_one_original_whatever_link_leads_to_it() {
    let sandbox = Sandbox::new();
    let bytes = sample("corpus/ms3d/full.ms3d");
    sandbox.write("in/a.ms3d", &bytes);
    std::os::unix::fs::symlink("in/a.ms3d", sandbox.path("link.ms3d")).unwrap();
    for (path, rate) in [("link.ms3d", "30"), ("in/a.ms3d", "31")] {
        assert_eq!(sandbox.run(&["set", path, &format!("animation.fps={rate}"), "-i"]).code, 0);
    }
    assert_eq!(sandbox.run(&["undo"]).code, 0);
    assert_eq!(std::fs::read(sandbox.path("in/a.ms3d")).unwrap(), bytes);
    assert!(sandbox.path("link.ms3d").is_symlink() && !sandbox.path("link.ms3d.orig").exists());
}

#[test]
fn a_run_that_cannot_be_recorded_says_so() {
    let sandbox = edited();
    let state = sandbox.write("state", b"a file in place of a directory");
    let mut command = sandbox.command(&["transform", "a.ms3d", "--scale", "3", "-i"]);
    let done = command.env("XDG_STATE_HOME", state).output().unwrap();
    let said = String::from_utf8(done.stderr).unwrap();
    assert!(done.status.success() && said.contains("`undo` does not know of this run"), "{said}");
}
