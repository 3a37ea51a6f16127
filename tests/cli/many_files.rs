//! `roundtrip` over directories, lists, parts, baselines and caches.

use std::collections::BTreeSet;
use std::fs::{self, File};
use std::time::{Duration, SystemTime};

use crate::sandbox::{Ran, Sandbox, damaged, sample, valid};

#[test]
fn a_pattern_without_matches_fails() {
    let sandbox = Sandbox::new();
    fs::create_dir(sandbox.path("empty")).unwrap();
    sandbox.write("foreign/notes.txt", "an unsupported format");
    assert_eq!(sandbox.run(&["roundtrip", "empty"]).code, 6);
    assert_eq!(sandbox.run(&["roundtrip", "foreign"]).code, 6);
    let empty = sandbox.run(&["roundtrip", "foreign", "--format", "json"]).out;
    assert_eq!(empty, "{\"schema\":\"bindpose/1\",\"files\":0}\n");
    sandbox.write("part.jsonl", empty);
    let merged = sandbox.run(&["report", "merge", "part.jsonl", "--format", "json"]);
    assert_eq!((merged.code, merged.out), (6, "{\"schema\":\"bindpose/1\",\"files\":0}\n".into()));
}

#[test]
fn an_empty_or_truncated_file_is_never_lossless() {
    let sandbox = Sandbox::new();
    for (name, bytes) in [("empty.ms3d", &b""[..]), ("cut.ms3d", b"MS3"), ("other.MS3D", b"not at all")] {
        sandbox.write("valid.ms3d", valid());
        let path = sandbox.write(name, bytes);
        let ran = sandbox.run(&["roundtrip", "."]);
        assert_eq!(ran.code, 4, "{name}: {}", ran.out);
        fs::remove_file(path).unwrap();
    }
}

#[test]
fn a_broken_file_does_not_end_the_run() {
    let sandbox = Sandbox::new();
    sandbox.write("a.ms3d", b"MS3D");
    sandbox.write("b.ms3d", damaged());
    sandbox.write("c.ms3d", valid());
    let ran = sandbox.run(&["roundtrip", "--format", "json", "missing.ms3d", "."]);
    assert_eq!(ran.field("verdict"), ["io-error", "undecodable", "damaged", "lossless"]);
    assert_eq!(ran.code, 4);
    assert_eq!(sandbox.run(&["roundtrip", "missing.ms3d", "c.ms3d"]).code, 3);
    assert_eq!(sandbox.run(&["roundtrip", "b.ms3d"]).code, 1);
    assert_eq!(sandbox.run(&["roundtrip", "b.ms3d", "--allow-damaged"]).code, 0);
}

#[test]
fn gitignore_applies_to_directories_and_not_to_named_files() {
    let sandbox = Sandbox::new();
    sandbox.write(".gitignore", "build/\n*.bak\n");
    sandbox.write("build/a.ms3d", valid());
    sandbox.write("hero.bak", valid());
    sandbox.write(".hidden/b.ms3d", valid());
    sandbox.write(".git/c.ms3d", valid());
    assert_eq!(sandbox.run(&["roundtrip", "--format", "json", "."]).field("path"), ["./.hidden/b.ms3d"]);
    assert_eq!(sandbox.run(&["roundtrip", "--format", "json", "hero.bak"]).field("path"), ["hero.bak"]);
}

#[test]
fn a_list_names_files_and_directories() {
    let sandbox = Sandbox::new();
    sandbox.write("one.ms3d", valid());
    sandbox.write("dir/two.ms3d", valid());
    sandbox.write("list.txt", "one.ms3d\n\ndir\n");
    let ran = sandbox.run(&["roundtrip", "--format", "json", "@list.txt"]);
    assert_eq!(ran.field("path"), ["one.ms3d", "dir/two.ms3d"]);
    assert_eq!(sandbox.run(&["roundtrip", "@missing.txt"]).code, 3);
}

#[test]
fn a_format_is_specified_once_or_once_per_file() {
    let sandbox = Sandbox::new();
    sandbox.write("a.bin", valid());
    sandbox.write("b.bin", b"no format");
    let once = sandbox.run(&["roundtrip", "--format", "json", "--as", "ms3d", "a.bin", "b.bin"]);
    assert_eq!(once.field("verdict"), ["lossless", "undecodable"]);
    assert_eq!(sandbox.run(&["roundtrip", "--as", "ms3d", "--as", "ms3d", "a.bin"]).code, 2);
}

#[test]
fn the_number_of_workers_does_not_change_the_output() {
    let sandbox = Sandbox::new();
    for index in 0..100 {
        sandbox.write(
            &format!("in/{}/{index}.ms3d", index % 7),
            if index % 9 == 0 { damaged() } else { valid() },
        );
    }
    for args in [
        "roundtrip --format json",
        "check",
        "info",
        "find --bone *",
        "rename --bone root=b -n",
        "to-json --out-dir out",
        "export --out-dir out",
        "convert --to x --each --out-dir out",
    ] {
        let [alone, together] = ["1", "5"].map(|jobs| {
            let _ = fs::remove_dir_all(sandbox.path("out"));
            let args: Vec<_> = args.split(' ').chain(["in", "--jobs", jobs]).collect();
            let Ran { out, err, code } = sandbox.run(&args);
            (out, err, code)
        });
        assert!(alone.0.len() + alone.1.len() > 100, "{args}: {alone:?}");
        assert_eq!(alone, together, "{args}");
    }
}

#[test]
fn the_first_failure_ends_a_run_with_fail_fast() {
    let sandbox = Sandbox::new();
    for name in ["a", "b", "c", "d"] {
        sandbox.write(&format!("{name}.ms3d"), if name == "b" { damaged() } else { valid() });
    }
    let ran = sandbox.run(&["roundtrip", "--fail-fast", "--format", "json", "."]);
    assert_eq!(ran.field("path"), ["./a.ms3d", "./b.ms3d"]);
    assert_eq!(ran.code, 1);
}

#[test]
fn four_parts_report_every_file_once() {
    let sandbox = Sandbox::new();
    for index in 0..50 {
        sandbox
            .write(&format!("d{}/{index}.ms3d", index % 3), if index % 5 == 0 { damaged() } else { valid() });
        sandbox.write(&format!("d{}/{index}.txt", index % 3), "foreign");
    }
    let whole = sandbox.run(&["roundtrip", "--format", "json", "."]);
    for by in ["slice", "hash"] {
        let mut parts = Vec::new();
        for part in 1..=4 {
            let name = format!("{by}{part}.jsonl");
            let report = format!("json={name}");
            sandbox.run(&["roundtrip", ".", "--partition", &format!("{by}:{part}/4"), "--report", &report]);
            parts.push(name);
        }
        let mut args = vec!["report", "merge", "--format", "json"];
        args.extend(parts.iter().map(String::as_str));
        let merged = sandbox.run(&args);
        assert_eq!(merged.out, whole.out, "{by}");
        assert_eq!(merged.code, whole.code, "{by}");
    }
}

#[test]
fn the_merged_reports_of_check_are_those_of_the_whole_run() {
    let sandbox = Sandbox::new();
    for (name, content) in
        [("a.ms3d", valid()), ("b.ms3d", damaged()), ("c.psk", sample("corpus/psk/rules.psk"))]
    {
        sandbox.write(&format!("in/{name}"), content);
    }
    let parts = ["1", "2"].map(|part| {
        let (partition, report) = (format!("slice:{part}/2"), format!("json={part}.jsonl"));
        sandbox.run(&["check", "in", "--partition", &partition, "--report", &report]);
        format!("{part}.jsonl")
    });
    let merge = ["report", "merge", &parts[0], &parts[1]];
    for format in ["human", "junit", "sarif", "gitlab", "json"] {
        let [whole, merged] =
            [&["check", "in"][..], &merge].map(|args| sandbox.run(&[args, &["--format", format]].concat()));
        assert_eq!((merged.code, merged.out), (whole.code, whole.out), "{format}");
    }
}

#[test]
fn a_part_without_files_succeeds_only_if_other_parts_have_files() {
    let sandbox = Sandbox::new();
    sandbox.write("dir/a.ms3d", valid());
    sandbox.write("dir/b.txt", "foreign");
    for part in ["slice:1/3", "slice:2/3", "slice:3/3"] {
        assert_eq!(sandbox.run(&["roundtrip", "dir", "--partition", part]).code, 0, "{part}");
    }
    fs::remove_file(sandbox.path("dir/a.ms3d")).unwrap();
    assert_eq!(sandbox.run(&["roundtrip", "dir", "--partition", "slice:2/3"]).code, 6);
}

#[test]
fn a_baseline_suppresses_known_failures_only() {
    let sandbox = Sandbox::new();
    sandbox.write("dir/known.ms3d", damaged());
    sandbox.write("dir/valid.ms3d", valid());
    assert_eq!(sandbox.run(&["roundtrip", "dir", "--baseline", "base.jsonl"]).code, 3, "a missing baseline");
    let args = ["roundtrip", "dir", "--baseline", "base.jsonl", "--update-baseline"];
    assert_eq!(sandbox.run(&args).code, 0);
    let with = ["roundtrip", "dir", "--baseline", "base.jsonl"];
    assert_eq!(sandbox.run(&with).code, 0);
    sandbox.write("dir/new.ms3d", damaged());
    assert_eq!(sandbox.run(&with).code, 1, "a new damaged file");
    fs::remove_file(sandbox.path("dir/new.ms3d")).unwrap();
    sandbox.write("dir/known.ms3d", &damaged()[..1240]);
    assert_eq!(sandbox.run(&with).code, 0, "the same damage at the same place");
    sandbox.write("dir/known.ms3d", &damaged()[..1100]);
    assert_eq!(sandbox.run(&with).code, 1, "other damage of the same file");
}

/// As two bytes a character, each character would be a name, and a full stop that of the working directory.
#[test]
fn a_list_can_be_utf_16_if_it_says_so() {
    let sandbox = Sandbox::new();
    sandbox.write("listed.ms3d", valid());
    sandbox.write("other.ms3d", valid());
    let wide = |text: &str| text.encode_utf16().flat_map(u16::to_le_bytes).collect::<Vec<_>>();
    sandbox.write("list.txt", wide("\u{feff}listed.ms3d\r\n"));
    let ran = sandbox.run(&["roundtrip", "@list.txt", "--format", "json"]);
    assert_eq!((ran.code, ran.field("path")), (0, vec!["listed.ms3d".to_owned()]), "{}", ran.err);
    sandbox.write("list.txt", wide("listed.ms3d\n"));
    let ran = sandbox.run(&["transform", "@list.txt", "--scale", "2", "-i"]);
    assert!(ran.code == 2 && ran.err.contains("is UTF-16 without a mark"), "{}", ran.err);
    assert_eq!(fs::read(sandbox.path("other.ms3d")).unwrap(), valid());
    sandbox.write("table.csv", wide("\u{feff}bone,root,hip\r\n"));
    let ran = sandbox.run(&["rename", "--map", "table.csv", "listed.ms3d", "-n", "-q"]);
    assert!(!ran.err.contains("UTF-8"), "{}", ran.err);
}

/// Of each verdict that a file can have without another run being needed.
#[test]
fn a_run_accepts_the_baseline_that_it_wrote() {
    let sandbox = Sandbox::new();
    sandbox.write("damaged.ms3d", damaged());
    sandbox.write("undecodable.psk", b"x");
    sandbox.write("empty.psk", b"");
    sandbox.write("unknown.txt", b"To do:");
    sandbox.write("large.ms3d", valid());
    let files = ["damaged.ms3d", "undecodable.psk", "empty.psk", "unknown.txt", "large.ms3d"];
    for verb in ["roundtrip", "check"] {
        let with = [verb, "--max-memory", "100", "--baseline", "base.jsonl"];
        let with = [&with[..], &files].concat();
        assert_ne!(sandbox.run(&[&[verb, "--max-memory", "100"], &files[..]].concat()).code, 0);
        assert_eq!(sandbox.run(&[&with[..], &["--update-baseline"]].concat()).code, 0);
        let again = sandbox.run(&with);
        assert_eq!((again.code, again.err.as_str()), (0, ""), "{verb}: {}", again.out);
    }
}

#[test]
fn a_json_report_serves_as_baseline() {
    let sandbox = Sandbox::new();
    sandbox.write("known.ms3d", damaged());
    assert_eq!(sandbox.run(&["roundtrip", "known.ms3d", "--report", "json=old.jsonl"]).code, 1);
    assert_eq!(sandbox.run(&["roundtrip", "known.ms3d", "--baseline", "old.jsonl"]).code, 0);
}

#[test]
fn a_report_serves_as_baseline_however_its_paths_are_written() {
    let sandbox = Sandbox::new();
    let file = sandbox.write("dir/known.ms3d", damaged());
    for path in [".", "./dir/known.ms3d", "dir/../dir", file.to_str().unwrap()] {
        for verb in ["roundtrip", "check"] {
            assert_eq!(sandbox.run(&[verb, path, "--report", "json=old.jsonl", "--force"]).code, 1, "{path}");
            let ran = sandbox.run(&[verb, path, "--baseline", "old.jsonl"]);
            assert!(ran.code == 0 && !ran.err.contains("no longer applies"), "{verb} {path}: {}", ran.err);
        }
    }
}

/// Sets when a file was changed, long ago so that the cache trusts it.
fn set_time(sandbox: &Sandbox, name: &str, seconds: u64) {
    let file = File::options().write(true).open(sandbox.path(name)).unwrap();
    file.set_modified(SystemTime::UNIX_EPOCH + Duration::from_secs(seconds)).unwrap();
}

#[test]
fn unchanged_files_are_not_checked_again() {
    let sandbox = Sandbox::new();
    let args = ["roundtrip", "a.ms3d", "--cache", "cache", "--format", "json"];
    let spoilt = || [&b"broken"[..], &valid()[6..]].concat();
    sandbox.write("a.ms3d", valid());
    set_time(&sandbox, "a.ms3d", 1_000_000);
    assert_eq!(sandbox.run(&args).field("verdict"), ["lossless"]);
    sandbox.write("a.ms3d", spoilt());
    set_time(&sandbox, "a.ms3d", 1_000_000);
    assert_eq!(sandbox.run(&args).field("verdict"), ["lossless"], "same length, same time: believed");
    set_time(&sandbox, "a.ms3d", 2_000_000);
    assert_eq!(sandbox.run(&args).field("verdict"), ["undecodable"], "another time: checked");
    sandbox.write("a.ms3d", &spoilt()[..500]);
    set_time(&sandbox, "a.ms3d", 2_000_000);
    assert_eq!(sandbox.run(&args).json()[0]["bytes"], 500, "another length: checked");
}

#[test]
fn a_file_changed_a_moment_ago_is_checked_again() {
    let sandbox = Sandbox::new();
    let args = ["roundtrip", "a.ms3d", "--cache", "cache", "--format", "json"];
    let path = sandbox.write("a.ms3d", valid());
    let changed = fs::metadata(&path).unwrap().modified().unwrap();
    assert_eq!(sandbox.run(&args).code, 0);
    sandbox.write("a.ms3d", [&b"broken"[..], &valid()[6..]].concat());
    File::options().write(true).open(&path).unwrap().set_modified(changed).unwrap();
    assert_eq!(sandbox.run(&args).field("verdict"), ["undecodable"]);
}

#[test]
fn a_cache_is_valid_only_for_its_limits() {
    let sandbox = Sandbox::new();
    sandbox.write("a.ms3d", valid());
    set_time(&sandbox, "a.ms3d", 1_000_000);
    assert_eq!(sandbox.run(&["roundtrip", "a.ms3d", "--cache", "cache"]).code, 0);
    assert_eq!(sandbox.run(&["roundtrip", "a.ms3d", "--cache", "cache", "--max-memory", "1k"]).code, 5);
}

#[test]
fn a_broken_cache_is_replaced() {
    let sandbox = Sandbox::new();
    sandbox.write("a.ms3d", valid());
    let run = || sandbox.run(&["roundtrip", "a.ms3d", "--cache", "cache"]);
    assert_eq!(run().code, 0);
    let whole = sandbox.read("cache");
    sandbox.write("cache", &whole[..whole.len() - 10]);
    let ran = run();
    assert_eq!(ran.code, 0);
    assert!(ran.err.contains("starting a new one"), "{}", ran.err);
    assert!(sandbox.read("cache").contains("a.ms3d"));
}

#[test]
fn a_file_that_is_not_a_cache_or_baseline_is_not_overwritten() {
    let sandbox = Sandbox::new();
    sandbox.write("a.ms3d", valid());
    for (named, others) in [
        (&["--cache", "precious"][..], "cache"),
        (&["--baseline", "precious", "--update-baseline"], "baseline"),
    ] {
        for content in [valid(), b"a letter\n".to_vec(), b"{\"schema\":\"another/1\"}\n".to_vec()] {
            sandbox.write("precious", &content);
            let ran = sandbox.run(&[&["roundtrip", "a.ms3d"], named].concat());
            assert_eq!(ran.code, 2);
            assert!(ran.err.contains(&format!("is not a {others}")), "{}", ran.err);
            assert!(fs::read(sandbox.path("precious")).unwrap() == content, "it is gone");
        }
        sandbox.write("precious", "");
        assert_eq!(sandbox.run(&[&["roundtrip", "a.ms3d"], named].concat()).code, 0);
    }
}

#[test]
fn separate_runs_share_a_cache() {
    let sandbox = Sandbox::new();
    for name in ["a.ms3d", "b.ms3d"] {
        sandbox.write(name, valid());
        assert_eq!(sandbox.run(&["roundtrip", name, "--cache", "cache"]).code, 0);
    }
    let paths: BTreeSet<_> =
        ["a.ms3d", "b.ms3d"].into_iter().filter(|name| sandbox.read("cache").contains(name)).collect();
    assert_eq!(paths.len(), 2);
    fs::remove_file(sandbox.path("a.ms3d")).unwrap();
    sandbox.run(&["roundtrip", "b.ms3d", "--cache", "cache"]);
    assert!(!sandbox.read("cache").contains("a.ms3d"), "files that are gone are forgotten");
}

#[cfg(unix)]
#[test]
fn an_unreadable_directory_is_reported_and_the_run_continues() {
    use std::os::unix::fs::PermissionsExt;
    let sandbox = Sandbox::new();
    sandbox.write("closed/a.ms3d", valid());
    sandbox.write("open/b.ms3d", valid());
    let closed = sandbox.path("closed");
    fs::set_permissions(&closed, fs::Permissions::from_mode(0o000)).unwrap();
    // Nothing is closed to root.
    let is_closed = fs::read_dir(&closed).is_err();
    let ran = sandbox.run(&["roundtrip", "--format", "json", "."]);
    fs::set_permissions(&closed, fs::Permissions::from_mode(0o755)).unwrap();
    if is_closed {
        assert_eq!(ran.field("verdict"), ["io-error", "lossless"]);
        assert_eq!(ran.code, 3);
    }
}

#[cfg(unix)]
#[test]
fn links_to_files_are_followed_and_broken_links_reported() {
    use std::os::unix::fs::symlink;
    let sandbox = Sandbox::new();
    sandbox.write("store/a", valid());
    fs::create_dir(sandbox.path("dir")).unwrap();
    symlink("../store/a", sandbox.path("dir/a.ms3d")).unwrap();
    symlink("nowhere", sandbox.path("dir/b.ms3d")).unwrap();
    symlink(".", sandbox.path("dir/circle")).unwrap();
    let ran = sandbox.run(&["roundtrip", "--format", "json", "dir"]);
    assert_eq!(ran.field("path"), ["dir/a.ms3d", "dir/b.ms3d"]);
    assert_eq!(ran.field("verdict"), ["lossless", "io-error"]);
}

#[test]
fn an_empty_report_is_not_that_of_a_run_without_findings() {
    let sandbox = Sandbox::new();
    sandbox.write("a.ms3d", sample("corpus/ms3d/full.ms3d"));
    let check = ["check", "a.ms3d", "--only", "psk"];
    assert_eq!(sandbox.run(&[&check[..], &["--report", "json=clean.jsonl"]].concat()).code, 0);
    let clean = sandbox.read("clean.jsonl");
    let line = "{\"schema\":\"bindpose/1\",\"path\":\"a.ms3d\",\"format\":\"ms3d\",\"dialect\":null,\"findings\":0}\n";
    assert_eq!(clean, line);
    let merged = sandbox.run(&["report", "merge", "clean.jsonl", "clean.jsonl", "--format", "json"]);
    assert_eq!((merged.code, &*merged.out), (0, ""));
    let merge = ["report", "merge", "clean.jsonl", "--report", "json=merged.jsonl"];
    assert_eq!((sandbox.run(&merge).code, sandbox.read("merged.jsonl")), (0, clean));
    assert_eq!(sandbox.run(&[&check[..], &["--baseline", "clean.jsonl"]].concat()).code, 0);
    for (name, content) in [("empty", ""), ("blank", "\n\n"), ("object", "{}\n"), ("list", "[]\n")] {
        sandbox.write(name, content);
        for parts in [&[name][..], &["clean.jsonl", name]] {
            let ran = sandbox.run(&[&["report", "merge"], parts].concat());
            assert!(
                ran.code == 2 && ran.err.contains(&format!("bindpose: {name}: ")),
                "{parts:?}: {}",
                ran.err
            );
        }
    }
}

/// The results of a run are not the input of the next.
#[test]
fn the_output_directory_is_not_searched() {
    let sandbox = Sandbox::new();
    sandbox.write("valid.ms3d", valid());
    let json = sandbox.run(&["to-json", "valid.ms3d"]).out.into_bytes();
    let verbs: [(&[&str], &str, Vec<u8>); 7] = [
        (&["transform", "--scale", "2"], "ms3d", valid()),
        (&["extract", "--mesh", "upper"], "ms3d", valid()),
        (&["convert", "--to", "psk"], "ms3d", valid()),
        (&["export"], "ms3d", valid()),
        (&["to-json"], "ms3d", valid()),
        (&["from-json"], "json", json),
        (&["check", "--fix", "all"], "mesh", sample("corpus/unigine/rules.mesh")),
    ];
    for (verb, extension, bytes) in verbs {
        let sandbox = Sandbox::new();
        sandbox.write(&format!("in/a.{extension}"), &bytes);
        sandbox.write(&format!("in/out/old.{extension}"), &bytes);
        let ran = sandbox.run(&[verb, &["in", "--out-dir", "in/../in/out", "-q"]].concat());
        assert_eq!(ran.code, 0, "{verb:?}: {}", ran.err);
        assert_eq!(fs::read_dir(sandbox.path("in/out")).unwrap().count(), 2, "{verb:?}");
    }
}

#[test]
fn an_output_directory_that_is_named_is_read() {
    let sandbox = Sandbox::new();
    sandbox.write("in/a.ms3d", valid());
    let args = ["transform", "in", "--scale", "2", "--out-dir", "in", "--force"];
    let ran = sandbox.run(&args);
    assert_eq!(ran.code, 0, "{}", ran.err);
    assert_ne!(fs::read(sandbox.path("in/a.ms3d")).unwrap(), valid());
}
