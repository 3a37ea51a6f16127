//! Edits of files in place, under adverse conditions.

use std::fs::{self, File};
use std::process::Stdio;
use std::time::{Duration, SystemTime};

use crate::sandbox::{Sandbox, damaged, valid};

fn set_time(sandbox: &Sandbox, name: &str) {
    let time = SystemTime::UNIX_EPOCH + Duration::from_secs(1_000_000);
    File::options().write(true).open(sandbox.path(name)).unwrap().set_modified(time).unwrap();
}

#[test]
fn of_two_edits_at_the_same_time_none_is_lost() {
    for _ in 0..12 {
        let sandbox = Sandbox::new();
        sandbox.write("a.ms3d", valid());
        let edits = ["animation.fps=31.0", "animation.current_time=7.0"].map(|edit| {
            let mut command = sandbox.command(&["set", "a.ms3d", edit, "--in-place"]);
            (edit, command.stdin(Stdio::null()).stderr(Stdio::null()).spawn().unwrap())
        });
        for (edit, mut run) in edits {
            let code = run.wait().unwrap().code().unwrap();
            let (path, value) = edit.split_once('=').unwrap();
            let is_there = sandbox.run(&["get", "a.ms3d", path]).out.trim() == value;
            assert!(code == 0 && is_there || code == 3 && !is_there, "{edit}: code {code}, {is_there}");
        }
        assert_eq!(fs::read(sandbox.path("a.ms3d.orig")).unwrap(), valid());
    }
}

#[test]
fn the_content_determines_whether_a_file_was_replaced() {
    let sandbox = Sandbox::new();
    sandbox.write("a.ms3d", valid());
    assert_eq!(sandbox.run(&["set", "a.ms3d", "animation.fps=30", "--in-place"]).code, 0);
    sandbox.write("a.ms3d", damaged());
    // As after `tar --mtime`.
    set_time(&sandbox, "a.ms3d");
    set_time(&sandbox, "a.ms3d.orig");
    assert_eq!(sandbox.run(&["set", "a.ms3d", "animation.fps=30", "--in-place"]).code, 0);
    assert_eq!(fs::read(sandbox.path("a.ms3d.orig.1")).unwrap(), damaged());
    let count = || fs::read_dir(sandbox.path("")).unwrap().count();
    assert_eq!(count(), 3);
    let other = SystemTime::UNIX_EPOCH + Duration::from_secs(2_000_000);
    File::options().write(true).open(sandbox.path("a.ms3d")).unwrap().set_modified(other).unwrap();
    assert_eq!(sandbox.run(&["set", "a.ms3d", "animation.fps=25", "--in-place"]).code, 0);
    assert_eq!(count(), 3, "the time of the file does not matter");
}

#[test]
fn the_files_of_a_killed_run_are_removed() {
    let sandbox = Sandbox::new();
    sandbox.write("a.ms3d", valid());
    let stale = sandbox.write(".bindpose-unfinished-Zz09aQ.new", "incomplete");
    let foreign = sandbox.write(".b.ms3d.swp", "another program's");
    assert_eq!(sandbox.run(&["set", "a.ms3d", "animation.fps=30", "--in-place"]).code, 0);
    assert!(!stale.exists() && foreign.exists());
    // What only reads or prints writes nothing; `rescue` reads what the next run would.
    let stale = sandbox.write(".bindpose-unfinished-Zz09aQ.new", "incomplete");
    for args in
        ["set a.ms3d animation.fps=24 -n", "transform a.ms3d --scale 2 -n", "check a.ms3d --fix all -n"]
    {
        sandbox.run(&args.split(' ').collect::<Vec<_>>());
        assert!(stale.exists(), "{args}");
    }
    assert_eq!(sandbox.run(&["rescue", "a.ms3d", "-o", "b.ms3d"]).code, 0);
    assert!(!stale.exists());
}

#[test]
fn a_run_that_changes_files_goes_on_after_the_reader_of_its_output_has_ended() {
    let sandbox = Sandbox::new();
    for index in 0..400 {
        sandbox.write(&format!("many/{index:03}.ms3d"), valid());
    }
    let args = ["transform", "many", "--scale", "2", "-i", "--no-backup", "--format", "json", "-j", "1"];
    let mut child = sandbox.command(&args).stdout(Stdio::piped()).spawn().unwrap();
    drop(child.stdout.take());
    assert!(child.wait().unwrap().success());
    for index in 0..400 {
        assert_ne!(fs::read(sandbox.path(&format!("many/{index:03}.ms3d"))).unwrap(), valid(), "{index}");
    }
}

#[cfg(unix)]
#[test]
fn standard_output_by_its_path_is_not_replaced() {
    let sandbox = Sandbox::new();
    sandbox.write("a.ms3d", valid());
    for path in ["/dev/stdout", "/dev/fd/1", "-"] {
        sandbox.shell(&format!("{{ echo first; bindpose to-json a.ms3d -o {path}; echo last; }} > log"));
        let log = sandbox.read("log");
        assert!(log.starts_with("first\n{") && log.ends_with("}\nlast\n"), "{path}: {log}");
        for edit in [
            "export FILE",
            "convert FILE --to psk",
            "set FILE animation.fps=30",
            "rename FILE --bone root=hips",
        ] {
            let run = format!("bindpose {} -q --force -o {path}", edit.replace("FILE", "a.ms3d"));
            sandbox.shell(&format!("{{ echo first; {run}; echo last; }} > log"));
            let log = std::fs::read(sandbox.path("log")).unwrap();
            let is_whole = log.starts_with(b"first\n") && log.ends_with(b"last\n") && log.len() > 100;
            assert!(is_whole, "{run}: {} bytes", log.len());
        }
    }
}

#[cfg(unix)]
#[test]
fn permissions_are_kept_and_other_names_are_reported() {
    use std::os::unix::fs::PermissionsExt;
    let sandbox = Sandbox::new();
    let path = sandbox.write("a.ms3d", valid());
    fs::set_permissions(&path, PermissionsExt::from_mode(0o640)).unwrap();
    fs::hard_link(&path, sandbox.path("b.ms3d")).unwrap();
    let ran = sandbox.run(&["set", "a.ms3d", "animation.fps=30", "--in-place"]);
    assert_eq!(ran.code, 0);
    assert!(ran.err.contains("a.ms3d: 1 other name of the file (hard links) keep"), "{}", ran.err);
    for name in ["a.ms3d", "a.ms3d.orig"] {
        let mode = fs::metadata(sandbox.path(name)).unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o640, "{name}");
    }
    assert_eq!(fs::read(sandbox.path("b.ms3d")).unwrap(), valid());
}

/// The shell limits the size of files to blocks, which have 512 or 1024 bytes.
#[cfg(unix)]
#[test]
fn a_file_above_the_limit_of_the_system_is_an_error_that_leaves_nothing() {
    let sandbox = Sandbox::new();
    let model = crate::sandbox::valid();
    assert!(model.len() > 1024);
    sandbox.write("a.ms3d", &model);
    for args in [
        "set a.ms3d animation.fps=3 -o b.ms3d",
        "set a.ms3d animation.fps=3 --in-place",
        "rename a.ms3d --bone root=hips --in-place",
        "to-json a.ms3d -o a.json",
        "export a.ms3d -o a.glb -q",
    ] {
        let script = format!("ulimit -f 1; exec {} {args}", env!("CARGO_BIN_EXE_bindpose"));
        let ran = std::process::Command::new("sh")
            .args(["-c", &script])
            .current_dir(sandbox.path(""))
            .output()
            .unwrap();
        let err = String::from_utf8(ran.stderr).unwrap();
        let names: Vec<_> =
            fs::read_dir(sandbox.path("")).unwrap().map(|entry| entry.unwrap().file_name()).collect();
        assert!(
            ran.status.code() == Some(3) && err.contains("file too large"),
            "{args}: {:?}: {err}",
            ran.status
        );
        assert_eq!(names, ["a.ms3d"], "{args}");
    }
    assert!(fs::read(sandbox.path("a.ms3d")).unwrap() == model);
}
