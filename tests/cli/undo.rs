//! The originals of the last runs.

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
    let expected = "undo 1: 1 run, 2 files\n  a.ms3d: from a.ms3d.orig\n  sub/b.ms3d: from sub/b.ms3d.orig\n";
    assert_eq!(listed, expected);
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
fn runs_are_taken_back_one_after_the_other() {
    let sandbox = edited();
    sandbox.write("many/c.ms3d", valid());
    sandbox.write("many/d.ms3d", valid());
    edit(&sandbox, &["transform", "many", "--scale", "2", "-i"]);
    edit(&sandbox, &["transform", "many", "--scale", "2", "-n"]);
    let listed = sandbox.run(&["undo", "--list", "--format", "json"]);
    let steps: Vec<_> = listed.json().iter().map(|line| line["undo"].as_u64().unwrap()).collect();
    assert_eq!(steps, [1, 1, 2, 2]);
    let restored = |names: [&str; 2]| names.map(|own| format!("{own}: restored from {own}.orig\n")).concat();
    assert_eq!(sandbox.run(&["undo"]).out, restored(["many/c.ms3d", "many/d.ms3d"]));
    assert_ne!(content(&sandbox, "a.ms3d"), valid());
    assert_eq!(sandbox.run(&["undo"]).out, restored(["a.ms3d", "sub/b.ms3d"]));
    assert_eq!(sandbox.run(&["undo"]).code, 6);
}

/// A file has one original, so the first run is not kept without the second.
#[test]
fn runs_that_changed_the_same_file_are_taken_back_with_all_their_files() {
    let sandbox = edited();
    // An edit without backups keeps the original of the first.
    edit(&sandbox, &["transform", "a.ms3d", "--scale", "3", "-i", "--no-backup"]);
    assert!(sandbox.run(&["undo", "--list"]).out.starts_with("undo 1: 2 runs, 2 files\n"));
    let ran = sandbox.run(&["undo"]);
    assert!(ran.code == 0 && ran.err.contains("2 runs that changed the same files"), "{}", ran.err);
    assert_eq!(ran.out.lines().count(), 2);
    assert_eq!([content(&sandbox, "a.ms3d"), content(&sandbox, "sub/b.ms3d")], [valid(), valid()]);
    // Where the original of the first is gone, the second has its own.
    let sandbox = edited();
    for name in ["a.ms3d", "sub/b.ms3d"] {
        fs::remove_file(sandbox.path(&format!("{name}.orig"))).unwrap();
    }
    let before = content(&sandbox, "a.ms3d");
    edit(&sandbox, &["transform", "a.ms3d", "--scale", "3", "-i"]);
    assert_eq!(sandbox.run(&["undo"]).out, "a.ms3d: restored from a.ms3d.orig\n");
    assert_eq!(content(&sandbox, "a.ms3d"), before);
}

#[test]
fn files_that_were_restored_by_hand_are_not_in_the_way() {
    let sandbox = edited();
    for name in ["a.ms3d", "sub/b.ms3d"] {
        fs::rename(sandbox.path(&format!("{name}.orig")), sandbox.path(name)).unwrap();
    }
    assert_eq!(sandbox.run(&["undo"]).code, 6);
    edit(&sandbox, &["transform", "a.ms3d", "--scale", "3", "-i"]);
    assert_eq!(sandbox.run(&["undo"]).out, "a.ms3d: restored from a.ms3d.orig\n");
    assert_eq!([content(&sandbox, "a.ms3d"), content(&sandbox, "sub/b.ms3d")], [valid(), valid()]);
}

/// Whatever sets of files were changed, in whatever order.
#[test]
fn no_set_is_restored_in_part_and_all_are_in_the_end() {
    const FILES: [&str; 4] = ["a.ms3d", "b.ms3d", "c.ms3d", "d.ms3d"];
    // Each run changes the files of the set bits.
    for runs in [[3, 1, 12, 0], [1, 2, 4, 8], [3, 6, 12, 1], [5, 10, 5, 2], [15, 1, 2, 4], [1, 6, 8, 3]] {
        let sandbox = Sandbox::new();
        for name in FILES {
            sandbox.write(name, valid());
        }
        let set = |run: usize| (0..FILES.len()).filter(move |at| run >> at & 1 == 1).map(|at| FILES[at]);
        for run in runs.into_iter().filter(|run| *run > 0) {
            let files: Vec<_> = set(run).collect();
            edit(&sandbox, &[&["transform", "--scale", "2", "-i"], &files[..]].concat());
        }
        let mut undone = 0;
        while sandbox.run(&["undo"]).code == 0 {
            undone += 1;
            for run in runs {
                let restored = set(run).filter(|name| content(&sandbox, name) == valid()).count();
                assert!([0, set(run).count()].contains(&restored), "{runs:?}: {run} after {undone}");
            }
        }
        for name in FILES {
            assert_eq!(content(&sandbox, name), valid(), "{runs:?}: {name}");
            assert!(!sandbox.path(&format!("{name}.orig")).exists());
        }
    }
}

#[test]
fn the_oldest_of_many_runs_are_forgotten() {
    let sandbox = Sandbox::new();
    for index in 0..102 {
        let name = format!("{index}.ms3d");
        sandbox.write(&name, valid());
        edit(&sandbox, &["set", &name, "animation.fps=3", "-i"]);
    }
    let listed = sandbox.run(&["undo", "--list", "--format", "json"]).field("path");
    assert_eq!((listed.len(), &*listed[0], &*listed[99]), (100, "101.ms3d", "2.ms3d"));
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
        Some((hash, others)) if hash.len() == 32 && others.len() > 32 => hash,
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
    let mut command = sandbox.command(&["transform", "a.ms3d", "--scale", "3", "-i"]);
    let done =
        command.env_remove("XDG_STATE_HOME").env_remove("HOME").env_remove("LOCALAPPDATA").output().unwrap();
    let said = String::from_utf8(done.stderr).unwrap();
    assert!(done.status.success() && said.contains("neither XDG_STATE_HOME nor"), "{said}");
}

/// What a person did with the files of one run does not keep earlier runs.
#[test]
fn a_run_that_cannot_be_taken_back_is_skipped() {
    let changed = || {
        let sandbox = edited();
        sandbox.write("c.ms3d", valid());
        sandbox.write("d.ms3d", valid());
        edit(&sandbox, &["transform", "c.ms3d", "d.ms3d", "--scale", "2", "-i"]);
        sandbox
    };
    // One original is gone: none is restored until that is asked for.
    let sandbox = changed();
    fs::remove_file(sandbox.path("c.ms3d.orig")).unwrap();
    let before = content(&sandbox, "d.ms3d");
    let refused = sandbox.run(&["undo"]);
    assert!(refused.code == 3 && refused.err.contains("`bindpose undo --skip`"), "{}", refused.err);
    assert_eq!((sandbox.run(&["undo", "--skip"]).code, content(&sandbox, "d.ms3d")), (0, before));
    assert!(sandbox.path("d.ms3d.orig").exists());
    assert_eq!(sandbox.run(&["undo"]).code, 0);
    assert_eq!(content(&sandbox, "a.ms3d"), valid());
    // All are gone.
    let sandbox = changed();
    for name in ["c.ms3d.orig", "d.ms3d.orig"] {
        fs::remove_file(sandbox.path(name)).unwrap();
    }
    assert_eq!(sandbox.run(&["undo"]).code, 0);
    assert_eq!(content(&sandbox, "a.ms3d"), valid());
}

/// As after an `undo` that was killed before it removed the originals.
#[test]
fn files_with_their_first_content_are_not_in_the_way() {
    let sandbox = edited();
    sandbox.write("c.ms3d", valid());
    edit(&sandbox, &["transform", "c.ms3d", "--scale", "2", "-i"]);
    fs::copy(sandbox.path("c.ms3d.orig"), sandbox.path("c.ms3d")).unwrap();
    assert_eq!(sandbox.run(&["undo"]).code, 0);
    assert_eq!(content(&sandbox, "a.ms3d"), valid());
}

#[test]
fn a_file_is_not_edited_with_its_original() {
    let sandbox = edited();
    let before = [content(&sandbox, "a.ms3d"), content(&sandbox, "a.ms3d.orig")];
    let ran = sandbox.run(&["transform", "a.ms3d", "a.ms3d.orig", "--scale", "3", "-i"]);
    assert!(ran.code == 3 && ran.err.contains("a.ms3d.orig: is the original of \"a.ms3d\""), "{}", ran.err);
    assert_eq!([content(&sandbox, "a.ms3d"), content(&sandbox, "a.ms3d.orig")], before);
}

/// A record that cannot be continued, or read, is not taken for none.
#[cfg(unix)]
#[test]
fn what_was_recorded_stays_if_the_next_run_cannot_be() {
    let sandbox = edited();
    sandbox.write("c.ms3d", valid());
    let record = fs::read_dir(sandbox.state().join("bindpose")).unwrap().next().unwrap().unwrap().path();
    let recorded = fs::read(&record).unwrap();
    // The shell limits the size of files to blocks: the record is above that, the model is not.
    fs::write(&record, [&recorded[..], &recorded.repeat(600)].concat()).unwrap();
    let long = fs::read(&record).unwrap();
    let ran = sandbox.shell("ulimit -f 100; exec bindpose transform c.ms3d --scale 2 -i");
    assert!(ran.err.contains("`undo` does not know of this run"), "{}", ran.err);
    assert_eq!(fs::read(&record).unwrap(), long);
    fs::remove_file(&record).unwrap();
    fs::create_dir(&record).unwrap();
    let ran = sandbox.run(&["undo"]);
    assert!(ran.code == 3 && ran.err.contains("is a directory"), "{}", ran.err);
}
