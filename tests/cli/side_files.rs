//! Files that arguments and inputs name: regular ones, within limits.

use std::process::Command;

use crate::sandbox::{Sandbox, valid};

/// Arguments that name the file `side`.
const READERS: &[&[&str]] = &[
    &["roundtrip", "@side"],
    &["roundtrip", "a.ms3d", "--baseline", "side"],
    &["roundtrip", "a.ms3d", "--config", "side"],
    &["report", "merge", "side"],
    &["set", "a.ms3d", "@side", "-n"],
    &["rename", "a.ms3d", "--map", "side", "-n"],
    &["preview", "a.ms3d", "--viewer", "side", "-o", "a.html"],
];

#[cfg(unix)]
#[test]
fn pipes_devices_and_directories_are_not_read_as_side_files() {
    let sandbox = Sandbox::new();
    sandbox.write("a.ms3d", valid());
    let side = sandbox.path("side");
    let refuses = |why: &str| {
        for args in READERS {
            let ran = sandbox.run(args);
            assert_eq!(ran.code, 3, "{args:?}: {}{}", ran.out, ran.err);
            assert!(ran.err.contains(why), "{args:?}: {}", ran.err);
        }
    };
    assert!(Command::new("mkfifo").arg(&side).status().unwrap().success());
    refuses("is not a regular file");
    std::fs::remove_file(&side).unwrap();
    std::os::unix::fs::symlink("/dev/zero", &side).unwrap();
    refuses("is not a regular file");
    std::fs::remove_file(&side).unwrap();
    std::fs::create_dir(&side).unwrap();
    refuses("is a directory");
}

#[cfg(unix)]
#[test]
fn a_cache_or_a_new_baseline_is_not_read_from_a_pipe() {
    let sandbox = Sandbox::new();
    sandbox.write("a.ms3d", valid());
    for option in ["--cache", "--update-baseline"] {
        let pipe = sandbox.path("pipe");
        assert!(Command::new("mkfifo").arg(&pipe).status().unwrap().success());
        let args = ["roundtrip", "a.ms3d", "--update-baseline", "--baseline", "pipe"];
        let args = if option == "--cache" { &["roundtrip", "a.ms3d", "--cache", "pipe"] } else { &args[..] };
        let ran = sandbox.run(args);
        assert!(ran.code == 2 && ran.err.contains("pipe: is not a regular file"), "{option}: {}", ran.err);
        std::fs::remove_file(&pipe).unwrap();
    }
}

#[test]
fn side_files_have_a_limit() {
    let sandbox = Sandbox::new();
    sandbox.write("a.ms3d", valid());
    let large = std::fs::File::create(sandbox.path("side")).unwrap();
    large.set_len((1 << 26) + 1).unwrap();
    for args in READERS.iter().filter(|args| !args.contains(&"--baseline") && args[0] != "report") {
        let ran = sandbox.run(args);
        assert_eq!(ran.code, 5, "{args:?}: {}", ran.err);
        assert!(ran.err.contains("has 67108865 bytes"), "{args:?}: {}", ran.err);
    }
    sandbox.write("side", "[".repeat((1 << 20) + 1));
    for args in [READERS[1], READERS[3]] {
        let ran = sandbox.run(args);
        assert_eq!(ran.code, 2, "{args:?}: {}", ran.err);
        assert!(ran.err.contains("line has more than 1048576 bytes"), "{args:?}: {}", ran.err);
    }
}

#[cfg(unix)]
#[test]
fn a_buffer_or_a_texture_is_not_read_from_a_pipe() {
    let sandbox = Sandbox::new();
    for name in ["buffer.bin", "image.png"] {
        assert!(Command::new("mkfifo").arg(sandbox.path(name)).status().unwrap().success());
    }
    sandbox.write("a.gltf", r#"{"asset":{"version":"2.0"},"buffers":[{"byteLength":4,"uri":"buffer.bin"}]}"#);
    let ran = sandbox.run(&["info", "a.gltf"]);
    assert!(ran.code != 0 && ran.err.contains("is not a regular file"), "{}: {}", ran.code, ran.err);
    sandbox.write("b.ms3d", valid());
    let renamed = sandbox.run(&["set", "b.ms3d", "materials[0].texture=image.png", "-i"]);
    assert_eq!(renamed.code, 0, "{}", renamed.err);
    let ran = sandbox.run(&["export", "b.ms3d", "-o", "b.glb"]);
    assert!(ran.code == 0 && ran.err.contains("no image"), "{}: {}", ran.code, ran.err);
}

#[test]
fn the_ignore_files_of_a_run_have_a_limit() {
    let sandbox = Sandbox::new();
    for directory in 0..20 {
        sandbox.write(&format!("all/{directory:02}/.gitignore"), "*.bak\n".repeat(20_000));
        sandbox.write(&format!("all/{directory:02}/a.ms3d"), valid());
    }
    let ran = sandbox.run(&["roundtrip", "all"]);
    assert_eq!(ran.code, 3, "{}", ran.out);
    assert!(
        ran.out.contains("8.gitignore") || ran.out.contains("08/.gitignore: the ignore files of the run"),
        "{}",
        ran.out
    );
    assert!(ran.out.contains("8 lossless"), "{}", ran.out);
}

#[cfg(unix)]
#[test]
fn the_file_of_excluded_names_of_a_repository_is_guarded_too() {
    let sandbox = Sandbox::new();
    sandbox.write("a/a.ms3d", valid());
    sandbox.write("a/b.ms3d", valid());
    let exclude = sandbox.write("a/.git/info/exclude", "b.ms3d\n");
    let read = |directory: &str| sandbox.run(&["roundtrip", directory]);
    assert!(read("a").out.contains("1 lossless"), "{}", read("a").out);
    // Another working tree of the repository.
    let tree = sandbox.path("a/.git/worktrees/tree");
    sandbox.write("a/.git/worktrees/tree/commondir", "../..\n");
    sandbox.write("tree/.git", [b"gitdir: ", tree.as_os_str().as_encoded_bytes(), b"\n"].concat());
    sandbox.write("tree/a.ms3d", valid());
    sandbox.write("tree/b.ms3d", valid());
    assert!(read("tree").out.contains("1 lossless"), "{}", read("tree").out);
    for make in ["mkfifo", "zero", "long"] {
        std::fs::remove_file(&exclude).unwrap();
        match make {
            "mkfifo" => assert!(Command::new("mkfifo").arg(&exclude).status().unwrap().success()),
            "zero" => std::os::unix::fs::symlink("/dev/zero", &exclude).unwrap(),
            _ => _ = sandbox.write("a/.git/info/exclude", "*.bak\n".repeat(50_000)),
        }
        for directory in ["a", "tree"] {
            let ran = read(directory);
            assert!(ran.code == 3 && ran.out.contains("info/exclude: "), "{make}: {}", ran.out);
        }
    }
    std::fs::remove_file(sandbox.path("a/.git/worktrees/tree/commondir")).unwrap();
    let pipe = sandbox.path("a/.git/worktrees/tree/commondir");
    assert!(Command::new("mkfifo").arg(pipe).status().unwrap().success());
    assert_eq!(read("tree").code, 3, "{}", read("tree").out);
}
