//! How the command behaves among others.

use std::collections::{BTreeMap, BTreeSet};
use std::fs::{self, File};
use std::io::{BufRead, BufReader};
use std::process::Stdio;
use std::time::{Duration, SystemTime};

use crate::sandbox::{Sandbox, damaged, sample, valid};

#[test]
fn wrong_arguments_are_explained_with_code_2() {
    let sandbox = Sandbox::new();
    for args in [
        &["roundtrip"][..],
        &["frobnicate"],
        &["roundtrip", "--jobs", "0", "."],
        &["roundtrip", "--as", "nothing", "."],
        &["roundtrip", "--partition", "slice:5/4", "."],
        &["roundtrip", "--report", "pdf=out", "."],
        &["map", "a.ms3d", "--at", "0xzz"],
        &["get", "a.ms3d", "joints["],
        &["set", "a.ms3d", "version=3"],
    ] {
        let ran = sandbox.run(args);
        assert_eq!(ran.code, 2, "{args:?}: {}", ran.err);
        assert!(ran.out.is_empty() && !ran.err.is_empty(), "{args:?}");
    }
}

#[test]
fn equal_files_are_compared_by_their_bytes() {
    let sandbox = Sandbox::new();
    sandbox.write("a.ms3d", damaged());
    sandbox.write("b.ms3d", damaged());
    let ran = sandbox.run(&["diff", "a.ms3d", "b.ms3d"]);
    assert_eq!((ran.code, &ran.out[..]), (0, ""));
    let warned: Vec<_> = ran.err.lines().filter(|line| line.contains("damaged")).collect();
    assert!(matches!(warned[..], [a, b] if a.contains("a.ms3d") && b.contains("b.ms3d")), "{}", ran.err);
    let ran = sandbox.run(&["diff", "a.ms3d", "b.ms3d", "--as", "ms3d", "--as", "psk"]);
    assert!(ran.code > 1, "the same bytes are not of both formats: {}", ran.err);
}

#[test]
fn a_summary_counts_the_differences() {
    let sandbox = Sandbox::new();
    sandbox.write("a.psk", sample("corpus/psk/set.psk"));
    sandbox.write("b.psk", sample("corpus/psk/rules.psk"));
    let diff = |more: &[&str]| sandbox.run(&[&["diff", "a.psk", "b.psk", "--format", "json"], more].concat());
    let (all, summary) = (diff(&[]), diff(&["--summary"]));
    assert_eq!((all.code, summary.code), (1, 1));
    let counts = ["changed", "only_in_first", "only_in_second", "moved"];
    let of_row = |row: &serde_json::Value| counts.map(|name| row[name].as_u64().unwrap()).iter().sum::<u64>();
    let rows = summary.json();
    assert_eq!(rows.iter().map(of_row).sum::<u64>(), all.json().len() as u64);
    assert!(rows.len() < all.json().len(), "{}", summary.out);
}

#[test]
fn numbers_of_another_notation_have_the_same_value() {
    let sandbox = Sandbox::new();
    let text = String::from_utf8(sample("corpus/directx/skinned.x")).unwrap();
    sandbox.write("a.x", &text);
    sandbox.write("b.x", text.replace("0,", "00,"));
    sandbox.write("c.x", text.replace("0,", "00,").replace("2.5", "2.75"));
    sandbox.write("d.x", text.replace("0.0,0.0,1.0", "nan,nan,inf"));
    let diff = |file: &str| sandbox.run(&["diff", "a.x", file]).out;
    let same = "numbers are written differently, but have the same value; the first is";
    assert!(diff("b.x").contains(same) && !diff("b.x").contains("at most"), "{}", diff("b.x"));
    assert!(diff("c.x").contains("numbers differ, by at most 0.25; the first is"), "{}", diff("c.x"));
    assert!(!diff("d.x").contains("numbers"), "not a number has no distance: {}", diff("d.x"));
}

#[test]
fn a_field_without_a_value_is_a_note_and_an_element_that_does_not_exist_an_error() {
    let sandbox = Sandbox::new();
    for name in ["cal3d/skin.xrf", "directx/rules.x"] {
        sandbox.write(name, sample(&format!("corpus/{name}")));
    }
    for (file, path, code) in [
        ("cal3d/skin.xrf", "maps[1].file", 0),
        ("cal3d/skin.xrf", "maps[7].file", 2),
        ("directx/rules.x", "Sparkle[0]", 0),
        ("directx/rules.x", "Sparkle[7]", 2),
        ("directx/rules.x", "Sparkle[0].size", 2),
        ("directx/rules.x", "Frame[\"root\"#2]", 0),
        ("directx/rules.x", "Frame[\"root\"#9]", 2),
    ] {
        for more in [&[][..], &["--raw"]] {
            let ran = sandbox.run(&[&["get", file, path], more].concat());
            assert!(ran.code == code && ran.out.is_empty(), "{path}: {}: {}{}", ran.code, ran.out, ran.err);
            assert!(ran.err.contains(path), "{path}: {}", ran.err);
        }
        assert_eq!(sandbox.run(&["set", file, &format!("{path}=1"), "-n"]).code, 2, "{path}");
    }
}

#[test]
fn existing_pages_are_not_overwritten() {
    let sandbox = Sandbox::new();
    let write = |more: &[&str]| sandbox.run(&[&["man", "--all", "man1"][..], more].concat()).code;
    // Equal pages may be those of an interrupted run.
    assert_eq!((write(&[]), write(&[])), (0, 0));
    fs::write(sandbox.path("man1/bindpose-map.1"), "other").expect("a page");
    assert_eq!((write(&[]), write(&["--force"])), (3, 0));
}

#[test]
fn help_explains_every_verb_with_examples() {
    let sandbox = Sandbox::new();
    let help = sandbox.run(&["help"]).out;
    let verbs =
        help.split("Commands:\n").nth(1).and_then(|rest| rest.split("\n\n").next()).expect("the verbs");
    let verbs =
        verbs.lines().filter_map(|line| line.split_whitespace().next()).filter(|verb| *verb != "help");
    for verb in verbs.map(|verb| if verb == "report" { vec!["report", "merge"] } else { vec![verb] }) {
        let long = sandbox.run(&[&["help"], &verb[..]].concat());
        assert!(long.code == 0 && long.out.contains("\nExamples:\n  bindpose "), "{verb:?}: {}", long.out);
    }
}

#[test]
fn verbs_of_other_programs_get_a_suggestion() {
    let sandbox = Sandbox::new();
    for (typed, verb) in [
        ("validate", "check"),
        ("lint", "check"),
        ("verify", "roundtrip"),
        ("show", "info"),
        ("ls", "info"),
        ("dump", "map"),
        ("cat", "to-json"),
        ("grep", "find"),
        ("roundtripp", "roundtrip"),
    ] {
        let ran = sandbox.run(&[typed, "a.ms3d"]);
        assert!(ran.code == 2 && ran.err.contains(&format!("'{verb}'")), "{typed}: {}", ran.err);
    }
}

/// The files of a sandbox but the originals that edits keep.
fn files(sandbox: &Sandbox) -> BTreeMap<String, Vec<u8>> {
    let mut folders = vec![sandbox.path("")];
    let mut files = BTreeMap::new();
    while let Some(folder) = folders.pop() {
        for path in fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()) {
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_none_or(|own| own != "orig") {
                let name = path.strip_prefix(sandbox.path("")).unwrap().to_str().unwrap().to_owned();
                files.insert(name, fs::read(path).unwrap());
            }
        }
    }
    files
}

#[test]
fn every_file_that_is_written_is_listed_in_json() {
    let sandbox = Sandbox::new();
    sandbox.write("a.ms3d", sample("corpus/ms3d/full.ms3d"));
    sandbox.write("b.ms3d", damaged());
    sandbox.write("c.pskx", sample("damaged/psk/face_20_for_18.pskx"));
    sandbox.write("a.psk", sample("corpus/psk/set.psk"));
    sandbox.write("a.psa", sample("corpus/psk/set.psa"));
    for args in [
        "set a.ms3d animation.fps=3 -o set.ms3d",
        "set a.ms3d animation.fps=7 -i",
        "set a.ms3d animation.fps=8 -n",
        "rename a.ms3d a.psk --bone root=hip --out-dir renamed",
        "rename a.psk a.psa --bone top=upper -i",
        "transform a.psk --scale 2 -o big.psk",
        "transform a.psk a.psa --scale 2 --out-dir big",
        "remove a.psa --clip Grow -o short.psa",
        "check c.pskx --fix all -o fixed.pskx",
        "check c.pskx --fix all -i",
        "merge a.ms3d set.ms3d -o both.ms3d",
        "extract a.psa --clip Wave -o wave.psa",
        "convert a.psk --to cal3d --out-dir cal3d",
        "export a.psk a.psa -o a.glb",
        "rescue b.ms3d -o rescued.ms3d",
        "to-json a.psk a.psa --out-dir json",
        "from-json json --out-dir back",
        "gen ms3d --seed 1 --count 2 -o made",
        "mutate a.ms3d --seed 1 -o mutated",
        "preview a.psk -o a.png",
    ] {
        let before = files(&sandbox);
        let ran = sandbox.run(&args.split(' ').chain(["--format", "json"]).collect::<Vec<_>>());
        assert!(ran.code <= 1, "{args}: {}", ran.err);
        let lines = ran.json();
        // Changes and findings have a path, too.
        let written = lines.iter().filter(|line| line["bytes"].is_u64() || line["seed"].is_u64());
        let listed: BTreeSet<_> = written.map(|line| line["path"].as_str().unwrap().to_owned()).collect();
        let after = files(&sandbox);
        let changed: BTreeSet<_> =
            after.keys().filter(|name| before.get(*name) != after.get(*name)).cloned().collect();
        assert_eq!(listed, changed, "{args}");
    }
}

#[test]
fn every_verb_prints_json_that_begins_with_the_version() {
    let sandbox = Sandbox::new();
    sandbox.write("a.ms3d", valid());
    sandbox.write("b.ms3d", damaged());
    sandbox.write("a.x", sample("corpus/directx/skinned.x"));
    assert_eq!(sandbox.run(&["to-json", "a.ms3d", "-o", "a.json"]).code, 0);
    assert_eq!(sandbox.run(&["roundtrip", "a.ms3d", "--report", "json=part.json"]).code, 0);
    for args in [
        "roundtrip a.ms3d",
        "check a.ms3d",
        "info a.ms3d",
        "map a.ms3d",
        "get a.ms3d version",
        "set a.ms3d version=3 -o set.ms3d",
        "set a.ms3d version=3 --dry-run",
        "set a.ms3d version=3 --in-place",
        "diff a.ms3d b.ms3d",
        "to-json a.ms3d -o b.json",
        "from-json a.json -o c.ms3d",
        "convert a.x --to bin -o b.x",
        "export set.ms3d -o a.glb --loss-report",
        "schema",
        "schema ms3d",
        "schema ms3d --json",
        "schema ms3d --imhex",
        "gen ms3d --seed 1 -o g.ms3d",
        "gen ms3d --seed 1 --count 2 -o made",
        "mutate c.ms3d --seed 1 -o m.ms3d",
        "shrink c.ms3d --predicate true -o s.ms3d",
        "report merge part.json",
        "git-setup",
        "completions bash",
        "preview a.x -o a.png",
        "man check",
        "check --explain",
        "check --explain any/damaged check/limit",
    ] {
        let args: Vec<_> = args.split(' ').chain(["--format", "json"]).collect();
        let ran = sandbox.run(&args);
        assert!(ran.code <= 1, "{args:?}: {}", ran.err);
        assert_eq!(
            ran.json().first().map(|line| line["schema"].clone()),
            Some("bindpose/1".into()),
            "{args:?}"
        );
    }
    let whole: serde_json::Value =
        serde_json::from_str(&sandbox.run(&["to-json", "c.ms3d", "--format", "json"]).out).unwrap();
    assert_eq!(whole["schema"], "bindpose/1");
}

#[test]
fn results_and_messages_use_different_streams() {
    let sandbox = Sandbox::new();
    sandbox.write("a.ms3d", valid());
    for args in ["set a.ms3d version=4 -o -", "gen ms3d --seed 1 -o -", "mutate a.ms3d --seed 1 -o -"] {
        let args: Vec<_> = args.split(' ').chain(["--format", "json"]).collect();
        let ran = sandbox.run(&args);
        assert_eq!((ran.code, &ran.out[..]), (2, ""), "{args:?}");
        assert!(ran.err.contains("-o FILE"), "{}", ran.err);
    }
}

#[test]
fn standard_input_is_a_dash() {
    let sandbox = Sandbox::new();
    assert_eq!(sandbox.run_with_input(&["roundtrip", "-"], &valid()).code, 0);
    assert_eq!(sandbox.run_with_input(&["roundtrip", "-"], &damaged()).code, 1);
    assert_eq!(sandbox.run_with_input(&["get", "-", "version"], &valid()).out, "4\n");
    assert_eq!(sandbox.run_with_input(&["roundtrip", "-"], b"").code, 4);
    assert_eq!(sandbox.run_with_input(&["roundtrip", "-", "--as", "ms3d"], b"").code, 4);
}

#[test]
fn a_large_standard_input_is_read_completely() {
    let sandbox = Sandbox::new();
    let mut bytes = valid();
    bytes.resize(300_000, 7);
    let ran = sandbox.run_with_input(&["roundtrip", "-", "--format", "json"], &bytes);
    assert_eq!(ran.json()[0]["bytes"], 300_000);
    assert_eq!(ran.field("verdict"), ["damaged"]);
}

#[test]
fn a_closed_pipe_ends_quietly() {
    let sandbox = Sandbox::new();
    sandbox.write("a.ms3d", [valid(), vec![0; 100_000]].concat());
    let mut child = sandbox
        .command(&["map", "a.ms3d", "--format", "json"])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut first = String::new();
    BufReader::with_capacity(16, child.stdout.take().unwrap()).read_line(&mut first).unwrap();
    let output = child.wait_with_output().unwrap();
    assert!(first.starts_with("{\"schema\""), "{first}");
    assert_eq!(output.status.code(), Some(0));
    let complaints = String::from_utf8_lossy(&output.stderr);
    assert!(complaints.lines().all(|line| line.contains("damaged")), "{complaints}");
}

#[cfg(unix)]
#[test]
fn messages_that_cannot_be_printed_stop_nothing() {
    let full = || Stdio::from(File::options().write(true).open("/dev/full").unwrap());
    let closed = || Stdio::from(std::io::pipe().unwrap().1);
    for stderr in [&full as &dyn Fn() -> Stdio, &closed] {
        let sandbox = Sandbox::new();
        for name in ["many/a.psk", "many/b.psk", "many/c.psk"] {
            sandbox.write(name, sample("corpus/psk/all_flags.psk"));
        }
        let code = |args: &[&str]| {
            sandbox.command(args).stderr(stderr()).stdout(Stdio::null()).status().unwrap().code()
        };
        assert_eq!(code(&["convert", "many", "--to", "ms3d", "--out-dir", "new"]), Some(0));
        assert_eq!(fs::read_dir(sandbox.path("new")).unwrap().count(), 3);
        assert_eq!(code(&["transform", "many", "--scale", "2", "-n"]), Some(0));
        assert_eq!(code(&["transform", "many/a.psk", "--scale", "2", "-v", "--in-place"]), Some(0));
        assert_eq!(code(&["find", "many", "--bone", "none"]), Some(6));
        assert_eq!(code(&["mutate", "many/b.psk", "--seed", "1", "-o", "m.psk"]), Some(0));
        assert_eq!(code(&["info", "missing.psk"]), Some(3));
    }
}

#[test]
fn colours_are_printed_on_request_and_never_into_pipes() {
    let sandbox = Sandbox::new();
    sandbox.write("a.ms3d", damaged());
    assert!(!sandbox.run(&["roundtrip", "a.ms3d"]).out.contains('\x1b'));
    assert!(sandbox.run(&["roundtrip", "a.ms3d", "--color", "always"]).out.contains('\x1b'));
    assert!(!sandbox.run(&["roundtrip", "a.ms3d", "--color", "never"]).out.contains('\x1b'));
}

#[test]
fn an_edit_changes_its_own_bytes_and_keeps_a_backup() {
    let sandbox = Sandbox::new();
    let path = sandbox.write("a.ms3d", valid());
    assert_eq!(sandbox.run(&["set", "a.ms3d", "animation.fps=30", "--in-place"]).code, 0);
    let edited = fs::read(&path).unwrap();
    let differ = edited.iter().zip(valid()).filter(|(new, old)| **new != *old).count();
    assert_eq!((edited.len(), differ), (valid().len(), 1), "24.0 and 30.0 differ in one byte");
    assert_eq!(fs::read(sandbox.path("a.ms3d.orig")).unwrap(), valid());
    sandbox.run(&["set", "a.ms3d", "animation.fps=25", "--in-place"]);
    assert_eq!(fs::read(sandbox.path("a.ms3d.orig")).unwrap(), valid(), "the first original is kept");
    let args = ["set", "./a.ms3d.orig", "animation.fps=30", "--out-dir", "out"];
    assert_eq!(sandbox.run(&args).code, 0);
    assert_eq!(fs::read(sandbox.path("out/a.ms3d.orig")).unwrap(), edited);
}

#[test]
fn a_replaced_file_is_backed_up_again() {
    let sandbox = Sandbox::new();
    let edit = |fps: &str| {
        assert_eq!(sandbox.run(&["set", "a.ms3d", fps, "--in-place"]).code, 0);
        fs::read_dir(sandbox.path("")).unwrap().count()
    };
    sandbox.write("a.ms3d", valid());
    assert_eq!((edit("animation.fps=30"), edit("animation.fps=25")), (2, 2));
    let unkept = ["set", "a.ms3d", "animation.fps=20", "--in-place", "--no-backup"];
    assert_eq!((sandbox.run(&unkept).code, edit("animation.fps=25")), (0, 2));
    let replaced = sandbox.write("a.ms3d", damaged());
    let long_ago = SystemTime::UNIX_EPOCH + Duration::from_secs(1_000_000);
    File::options().write(true).open(&replaced).unwrap().set_modified(long_ago).unwrap();
    assert_eq!((edit("animation.fps=30"), edit("animation.fps=25")), (3, 3));
    assert_eq!(fs::read(sandbox.path("a.ms3d.orig")).unwrap(), valid());
    assert_eq!(fs::read(sandbox.path("a.ms3d.orig.1")).unwrap(), damaged());
    fs::copy(sandbox.path("a.ms3d.orig.1"), &replaced).unwrap();
    File::options().write(true).open(&replaced).unwrap().set_modified(long_ago).unwrap();
    assert_eq!(edit("animation.fps=30"), 3, "the original that was put back is kept already");
}

#[test]
fn a_rejected_edit_leaves_no_files() {
    let sandbox = Sandbox::new();
    let path = sandbox.write("a.ms3d", valid());
    for assignment in
        ["num_vertices=1", "version=x", "nowhere=1", "joints[0].name=a name that is longer than 32 bytes"]
    {
        assert_eq!(sandbox.run(&["set", "a.ms3d", assignment, "--in-place"]).code, 2, "{assignment}");
    }
    assert_eq!(fs::read(&path).unwrap(), valid());
    assert_eq!(fs::read_dir(path.parent().unwrap()).unwrap().count(), 1);
}

#[test]
fn a_damaged_file_can_be_edited_and_stays_as_damaged() {
    let sandbox = Sandbox::new();
    sandbox.write("a.ms3d", damaged());
    assert_eq!(sandbox.run(&["set", "a.ms3d", "animation.fps=30", "-o", "b.ms3d"]).code, 0);
    let before = sandbox.run(&["roundtrip", "--format", "json", "a.ms3d"]).json();
    let after = sandbox.run(&["roundtrip", "--format", "json", "b.ms3d"]).json();
    assert_eq!(before[0]["offset"], after[0]["offset"]);
    assert_eq!(before[0]["rest"], after[0]["rest"]);
}

#[cfg(unix)]
#[test]
fn an_edit_in_place_preserves_permissions_and_links() {
    use std::os::unix::fs::{PermissionsExt, symlink};
    let sandbox = Sandbox::new();
    let path = sandbox.write("store/a.ms3d", valid());
    fs::set_permissions(&path, fs::Permissions::from_mode(0o640)).unwrap();
    symlink("store/a.ms3d", sandbox.path("link.ms3d")).unwrap();
    assert_eq!(sandbox.run(&["set", "link.ms3d", "animation.fps=30", "--in-place", "--no-backup"]).code, 0);
    assert!(sandbox.path("link.ms3d").is_symlink());
    assert_eq!(fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o640);
    assert_ne!(fs::read(&path).unwrap(), valid());
}

#[test]
fn the_map_tiles_the_file_and_set_accepts_the_output_of_get() {
    let sandbox = Sandbox::new();
    sandbox.write("a.ms3d", valid());
    let mut at = 0;
    for line in sandbox.run(&["map", "a.ms3d", "--format", "json"]).json() {
        assert_eq!(line["start"], at);
        at = line["end"].as_u64().unwrap();
    }
    assert_eq!(at, valid().len() as u64);
    let joint = sandbox.run(&["get", "a.ms3d", "joints[1]"]).out;
    let free: Vec<_> = joint.lines().filter(|line| !line.contains("num_")).collect();
    let args = [&["set", "a.ms3d", "-o", "b.ms3d"][..], &free].concat();
    assert_eq!(sandbox.run(&args).code, 0);
    assert_eq!(fs::read(sandbox.path("b.ms3d")).unwrap(), valid());
}

#[test]
fn the_map_shows_what_indices_refer_to() {
    let sandbox = Sandbox::new();
    sandbox.write("a.ms3d", valid());
    assert_eq!(
        sandbox
            .run(&["set", "a.ms3d", "vertices[1].bone_id=255", "vertices[2].bone_id=9", "--in-place"])
            .code,
        0
    );
    let indices = |args: &[&str]| -> Vec<String> {
        let run = sandbox.run(&[&["map", "a.ms3d"], args].concat());
        let shown = run.out.lines().filter_map(|line| Some(line.split_once(" -> ")?.1.to_owned()));
        shown.collect()
    };
    let bones = ["--path", "vertices[0..3].bone_id"];
    assert_eq!(indices(&bones), ["joints[\"root\"]", "no bone", "bone 9, which does not exist"]);
    assert_eq!(indices(&[&bones[..], &["--raw-paths"]].concat())[0], "joints[0]");
    assert_eq!(indices(&["--at", "0x1d"]), ["joints[\"root\"]"]);
    assert!(indices(&[]).len() > 10);
    assert!(!sandbox.run(&["map", "a.ms3d", "--format", "json"]).out.contains("->"));
}

#[test]
fn a_folded_map_covers_the_file_on_a_page() {
    let sandbox = Sandbox::new();
    sandbox.write("a.psk", sample("corpus/psk/set.psk"));
    let map = |args: &[&str]| sandbox.run(&[&["map", "a.psk", "--format", "json"], args].concat()).json();
    let (all, folded) = (map(&[]), map(&["--depth", "3"]));
    assert!(folded.len() < all.len());
    let mut at = 0;
    for line in &folded {
        assert_eq!(line["start"], at, "{line}");
        at = line["end"].as_u64().unwrap();
    }
    assert_eq!(at, all.last().unwrap()["end"].as_u64().unwrap());
    assert!(folded.iter().any(|line| line["path"] == "chunks[1].records" && line["type"] == "list"));
    let size = |line: &serde_json::Value| line["end"].as_u64().unwrap() - line["start"].as_u64().unwrap();
    let sorted = map(&["--depth", "3", "--sort", "size"]);
    assert!(sorted.is_sorted_by_key(|line| std::cmp::Reverse(size(line))) && sorted.len() == folded.len());
    assert_eq!(sorted[0]["schema"], "bindpose/1");
    // Lines that wait to be sorted are in memory.
    let code = |args: &[&str], most: u32| {
        sandbox.run(&[&["map", "a.psk", "--max-memory", &most.to_string()], args].concat()).code
    };
    let limits = (10..24).map(|bits| 1 << bits);
    let codes: Vec<_> = limits.map(|most| (code(&[], most), code(&["--sort", "size"], most))).collect();
    assert!(codes.contains(&(0, 5)) && codes.contains(&(0, 0)), "{codes:?}");
    let page = sandbox.run(&["map", "a.psk", "--depth", "3"]).out;
    assert!(page.contains(" points ") && page.contains("list 4 elements"), "{page}");
}

#[test]
fn references_are_counted_by_what_they_refer_to() {
    let sandbox = Sandbox::new();
    sandbox.write("a.psk", sample("corpus/psk/set.psk"));
    let counts =
        sandbox.run(&["refs", "a.psk", "weights[*].bone_index", "--count", "--format", "json"]).json();
    let all = sandbox.run(&["get", "a.psk", "weights[*].bone_index", "--raw"]).out.lines().count() as u64;
    assert!(counts.len() > 1);
    assert_eq!(counts.iter().map(|line| line["count"].as_u64().unwrap()).sum::<u64>(), all);
    let table = sandbox.run(&["refs", "a.psk", "weights[*].bone_index", "--count"]).out;
    assert!(table.starts_with("COUNT  OBJECT") && table.contains("bones["), "{table}");
}

#[test]
fn manual_pages_are_printed() {
    let sandbox = Sandbox::new();
    assert!(sandbox.run(&["man"]).out.contains(".TH bindpose 1"));
    let page = sandbox.run(&["man", "convert"]).out;
    let has = |text: &str| page.contains(text);
    assert!(has(".SH EXAMPLES\n  bindpose convert") && !has("EXTRA") && !has("Examples:"), "{page}");
    assert!(has(".SH SYNOPSIS\nbindpose convert [OPTIONS] <PATH>...\n.SH DESCRIPTION"), "{page}");
    assert!(sandbox.run(&["man", "report", "merge"]).out.contains("bindpose\\-report\\-merge"));
    assert_eq!(sandbox.run(&["man", "--all", "pages"]).code, 0);
    assert!(sandbox.read("pages/bindpose-roundtrip.1").contains(".TH"));
}

#[test]
fn messages_name_the_file_or_the_argument() {
    let sandbox = Sandbox::new();
    fs::create_dir(sandbox.path("empty")).unwrap();
    sandbox.write("a.ms3d", valid());
    sandbox.write("one/a.ms3d", valid());
    sandbox.write("b.xrf", sample("corpus/cal3d/bom.xrf"));
    sandbox.write("b.mesh", sample("corpus/unigine/rules_packed.mesh"));
    let nothing = "empty: no file of a supported format was found";
    for (args, code, why) in [
        ("convert empty -o a.psk", 6, nothing),
        ("convert empty --to psk --out-dir out", 6, nothing),
        ("export empty -o a.glb", 6, nothing),
        ("rename empty --bone a=b --in-place", 6, nothing),
        ("remove empty --bone a -o b", 6, nothing),
        ("transform empty --scale 2 --in-place", 6, nothing),
        ("extract empty --clip a -o b", 6, nothing),
        ("merge empty -o b", 6, nothing),
        ("info empty", 6, nothing),
        ("info -q none", 3, "none: no such file or directory"),
        ("to-json empty", 6, nothing),
        ("to-json empty --out-dir out", 6, nothing),
        ("from-json empty", 6, nothing),
        ("get empty version", 6, nothing),
        ("check empty --fix all -n", 6, nothing),
        ("merge one -o b", 2, "one/a.ms3d: is the only file, expected two or more"),
        ("rename a.ms3d --bone nobody=b --dry-run", 2, "a.ms3d: no bone is named `nobody`"),
        ("convert a.ms3d --to psk -o empty", 3, "empty: is a directory, expected the name of a file"),
        ("transform b.mesh --rotate x=2 -n", 2, "b.mesh: geometry[0].data: cannot be unpacked: unpacks to"),
        ("transform b.mesh --scale 2 -n", 2, "b.mesh: geometry[0].data: cannot be unpacked: unpacks to"),
        ("preview b.xrf -o b.png", 6, "b.xrf: no bones and no triangles; nothing was written"),
        ("transform a.ms3d --scale 1e39 --dry-run", 2, "expected a number greater than 0, from 1.1"),
        ("transform a.ms3d --fps 1e39 --dry-run", 2, "to 3.4028235e38"),
        (
            "map a.ms3d --at zz",
            2,
            "`zz`: invalid digit found in string; expected an offset such as 1121 or 0x461",
        ),
        ("map a.ms3d --sort size --max-memory 8k", 5, "bindpose: a.ms3d: takes at least 8"),
        ("preview a.ms3d -o b.png --max-memory 8k", 5, "bindpose: a.ms3d: takes at least"),
        ("map a.ms3d --at 1..0xzz", 2, "`0xzz`: invalid digit found in string; expected an offset"),
    ] {
        let ran = sandbox.run(&args.split(' ').collect::<Vec<_>>());
        assert!(ran.code == code && ran.err.contains(why), "{args}: {}: {}", ran.code, ran.err);
    }
}

/// Each verb that fails on a file names it once, and gives advice that it can follow.
#[test]
fn messages_name_the_file_once() {
    let sandbox = Sandbox::new();
    sandbox.write("a.ms3d", valid());
    sandbox.write("b.ms3d", damaged());
    let long = "comments.lists.model[0].text=Name=W,Start=1,End=2000000000";
    assert_eq!(sandbox.run(&["set", "-q", "a.ms3d", long, "-o", "long.ms3d"]).code, 0);
    for args in [
        "extract long.ms3d --mesh upper -o out",
        "extract long.ms3d --mesh upper --out-dir out",
        "extract long.ms3d --clip none --mesh upper -n",
        "extract a.ms3d --clip none -n",
        "extract a.ms3d --material none -n",
        "convert long.ms3d -o out.psa",
        "convert a.ms3d --clip none -o out.psa",
        "export a.ms3d --clip none -o out.glb",
        "export a.ms3d --mesh none --out-dir out",
        "rename a.ms3d --bone none=b -n",
        "remove a.ms3d --bone none -n",
        "transform b.ms3d --scale 2 --max-memory 1 -n",
        "set a.ms3d none=1 -n",
        "get a.ms3d none",
        "map a.ms3d --path none",
        "check a.ms3d --fix all -n",
        "preview a.ms3d --clip none -o out.png",
        "merge a.ms3d b.ms3d -o out",
        "to-json a.ms3d --max-memory 1",
    ] {
        let args: Vec<_> = args.split(' ').collect();
        let ran = sandbox.run(&args);
        let name = args[1];
        assert!(ran.code != 0 && !ran.err.contains(&format!("{name}: {name}: ")), "{args:?}: {}", ran.err);
        let has_no_rate = args[0] != "extract" || !ran.err.contains("choose a lower rate");
        assert!(has_no_rate, "{args:?}: {}", ran.err);
    }
}

#[cfg(target_os = "linux")]
#[test]
fn a_full_standard_output_is_named() {
    let sandbox = Sandbox::new();
    sandbox.write("a.ms3d", valid());
    for args in [
        "info a.ms3d",
        "map a.ms3d",
        "to-json a.ms3d",
        "check a.ms3d",
        "roundtrip a.ms3d",
        "get a.ms3d version",
        "convert a.ms3d --to psk -o -",
        "set a.ms3d animation.fps=3 -o -",
        "--version",
        "map --help",
    ] {
        let full = File::options().write(true).open("/dev/full").unwrap();
        let ran = sandbox.command(&args.split(' ').collect::<Vec<_>>()).stdout(full).output().unwrap();
        let err = String::from_utf8(ran.stderr).unwrap();
        let is_named = err.contains("bindpose: standard output: no space left on device");
        assert!(ran.status.code() == Some(3) && is_named, "{args}: {err}");
        assert!(!err.contains("output: standard"), "{args}: {err}");
    }
}

/// Editors of Windows put it in front of texts.
#[test]
fn a_mark_in_front_of_a_text_is_ignored() {
    const MARK: &[u8] = b"\xef\xbb\xbf";
    let sandbox = Sandbox::new();
    sandbox.write("a.ms3d", valid());
    sandbox.write("list", [MARK, b"a.ms3d\n"].concat());
    sandbox.write("edits", [MARK, b"animation.fps=12\n"].concat());
    assert_eq!(sandbox.run(&["info", "@list"]).code, 0);
    let ran = sandbox.run(&["set", "a.ms3d", "@edits", "-o", "b.ms3d"]);
    assert_eq!(ran.code, 0, "{}", ran.err);
    let json = sandbox.run(&["to-json", "b.ms3d"]).out;
    sandbox.write("b.json", [MARK, json.as_bytes()].concat());
    assert_eq!(sandbox.run(&["from-json", "b.json", "-o", "c.ms3d"]).code, 0);
    assert_eq!(
        std::fs::read(sandbox.path("b.ms3d")).unwrap(),
        std::fs::read(sandbox.path("c.ms3d")).unwrap()
    );
}

#[test]
fn a_file_that_is_named_twice_counts_once() {
    let sandbox = Sandbox::new();
    sandbox.write("a.ms3d", valid());
    for verb in ["info", "check", "roundtrip"] {
        let ran = sandbox.run(&[verb, "a.ms3d", "./a.ms3d", ".", "--format", "json"]);
        assert_eq!(
            ran.out.matches("\"path\":\"").count(),
            sandbox.run(&[verb, "a.ms3d", "--format", "json"]).out.matches("\"path\":\"").count(),
            "{verb}: {}",
            ran.out
        );
    }
}

#[test]
fn an_option_that_does_not_exist_names_the_one_for_json() {
    let ran = Sandbox::new().run(&["info", "--json", "a.ms3d"]);
    assert!(ran.code == 2 && ran.err.contains("tip: use '--format json'"), "{}", ran.err);
    assert!(!ran.err.contains("as a value"), "{}", ran.err);
}

#[test]
fn numbers_have_no_sign_where_none_is_meant() {
    let sandbox = Sandbox::new();
    sandbox.write("a.ms3d", valid());
    for (option, value) in [("--background", "#+12345"), ("--size", "+5x5"), ("--size", "+5")] {
        let ran = sandbox.run(&["preview", "a.ms3d", "-o", "a.png", option, value]);
        assert!(ran.code == 2 && ran.err.contains("expected a"), "{option} {value}: {}", ran.err);
    }
}

#[test]
fn names_are_listed_once() {
    let sandbox = Sandbox::new();
    sandbox.copy_as(&crate::sandbox::workspace().join("tests/character/dragon.psa"), "dragon.psa");
    let ran = sandbox.run(&["get", "dragon.psa", "nothing"]);
    assert_eq!(ran.err.matches("curves").count(), 1, "{}", ran.err);
}

#[test]
fn files_of_any_size_are_not_generated() {
    let ran = Sandbox::new().run(&["gen", "psk", "--seed", "1", "--size", "999999999999", "-o", "z.psk"]);
    assert!(ran.code == 2 && ran.err.contains("999999999999"), "{}", ran.err);
}

#[test]
fn get_prints_blanks_as_set_accepts_them() {
    let sandbox = Sandbox::new();
    sandbox.write("a.ms3d", valid());
    let set = |value: &str, out: &str| {
        let edit = format!("comments.model= \\x20{value} ");
        sandbox.run(&["set", "a.ms3d", "--create", &edit, "-o", out])
    };
    assert_eq!(set("a hip", "b.ms3d").code, 0);
    let got = sandbox.run(&["get", "b.ms3d", "comments.lists.model[-1].text"]).out;
    assert_eq!(got, "\\x20a hip \n");
    let same = format!("comments.lists.model[-1].text={}", got.trim_end_matches('\n'));
    assert_eq!(sandbox.run(&["set", "b.ms3d", &same, "-o", "c.ms3d"]).code, 0);
    assert_eq!(
        std::fs::read(sandbox.path("b.ms3d")).unwrap(),
        std::fs::read(sandbox.path("c.ms3d")).unwrap()
    );
}

#[test]
fn an_object_of_text_has_the_references_to_its_name() {
    let sandbox = Sandbox::new();
    sandbox.write("a.x", "xof 0303txt 0032\nFrame Arm { FrameTransformMatrix { 1,0,0,0,0,1,0,0,0,0,1,0,0,0,0,1;; } }\nAnimationSet { Animation { { Arm } } }\n");
    let ran = sandbox.run(&["refs", "a.x", "Frame[\"Arm\"]"]);
    assert!(
        ran.out.contains("is referred to by 1 value") && !ran.out.contains("no references"),
        "{}",
        ran.out
    );
    let ran = sandbox.run(&["refs", "a.x", "Frame[\"Arm\"]", "--format", "json"]);
    assert_eq!(ran.json().len(), 1, "{}", ran.out);
}

#[test]
fn references_that_are_not_known_in_xml_are_not_denied() {
    let sandbox = Sandbox::new();
    sandbox.write("dragon.csf", sample("character/cal3d/dragon.csf"));
    assert_eq!(sandbox.run(&["convert", "dragon.csf", "-o", "dragon.xsf"]).code, 0);
    let ran = sandbox.run(&["refs", "dragon.xsf"]);
    assert!(ran.err.contains("references of this form are not known"), "{}", ran.err);
    assert_eq!(sandbox.run(&["refs", "dragon.csf"]).err, "");
}
