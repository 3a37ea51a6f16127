//! What different verbs and reports say about the same files.

use std::collections::{BTreeMap, BTreeSet};
use std::fs::File;

use serde_json::Value;

use crate::sandbox::{Sandbox, damaged, sample, valid};

/// The number of findings in a text: those that are only counted are `and N more`.
fn counted<'a>(messages: impl IntoIterator<Item = &'a str>) -> u64 {
    let count = |message: &str| {
        let text = message.rsplit(": and ").next().unwrap_or(message);
        let more = text.strip_prefix("and ").unwrap_or(text).split_once(" more");
        more.and_then(|(number, _)| number.parse().ok()).unwrap_or(1)
    };
    messages.into_iter().map(count).sum()
}

/// The new findings by report.
fn findings(sandbox: &Sandbox, args: &[&str]) -> [u64; 6] {
    let run = |style: &str| sandbox.run(&[&["check", ".", "-v", "--format", style], args].concat());
    let json = run("json");
    let is_new = |line: &Value| line["known"] != true && line["rule"].is_string();
    let of_json =
        json.json().iter().filter(|line| is_new(line)).map(|line| line["count"].as_u64().unwrap_or(1)).sum();
    let sarif: Value = serde_json::from_str(&run("sarif").out).unwrap();
    let results = sarif["runs"][0]["results"].as_array().unwrap();
    let is_new = |result: &&Value| result.get("suppressions").is_none();
    let of_sarif =
        counted(results.iter().filter(is_new).map(|result| result["message"]["text"].as_str().unwrap()));
    let gitlab: Value = serde_json::from_str(&run("gitlab").out).unwrap();
    let issues = gitlab.as_array().unwrap();
    let of_gitlab = counted(issues.iter().map(|issue| issue["description"].as_str().unwrap()));
    let junit = run("junit").out;
    let texts = junit.split(['\"', '>', '<']).filter(|text| text.contains("0x") || text.contains(" more"));
    let of_junit = counted(texts.flat_map(|text| text.split("&#10;").flat_map(str::lines)));
    let of_github = counted(run("github").out.lines());
    let human = run("human").out;
    let is_new = |line: &&str| line.starts_with("./") && line.ends_with(')') && !line.ends_with(", known)");
    let of_human = counted(human.lines().filter(is_new));
    [of_json, of_sarif, of_gitlab, of_github, of_junit, of_human]
}

#[test]
fn every_report_counts_the_same_findings() {
    let sandbox = Sandbox::new();
    sandbox.write("a.ms3d", sample("corpus/ms3d/rules.ms3d"));
    sandbox.write("b.ms3d", damaged());
    sandbox.write("c.ms3d", valid());
    assert_eq!(sandbox.run(&["check", "a.ms3d", "--baseline", "base.jsonl", "--update-baseline"]).code, 0);
    for args in [
        &[][..],
        &["--baseline", "base.jsonl"],
        &["--baseline", "base.jsonl", "--max-findings", "1"],
        &["--max-findings", "1"],
        &["--ignore", "any"],
        &["--only", "ms3d"],
        &["--severity", "any=hint"],
    ] {
        let counts = findings(&sandbox, args);
        assert!(counts.iter().all(|count| *count == counts[0]), "{args:?}: {counts:?}");
    }
    let known = sandbox.run(&["check", "a.ms3d", "--baseline", "base.jsonl"]);
    assert!(known.code == 0 && known.out.contains("no new findings"), "{}", known.out);
    assert_eq!(sandbox.run(&["check", "a.ms3d", "--baseline", "base.jsonl", "--format", "github"]).out, "");
}

/// What the verbs report about each sample.
#[derive(Debug, Default, PartialEq)]
struct Said {
    is_damaged: bool,
    is_undecodable: bool,
}

#[test]
fn every_verb_reports_the_same_damage() {
    let sandbox = Sandbox::new();
    sandbox.copy("tests/damaged");
    sandbox.copy("tests/corpus");
    let said = |verb: &str| {
        let mut said: BTreeMap<String, Said> = BTreeMap::new();
        for line in sandbox.run(&[verb, "tests", "--format", "json"]).json() {
            let Some(path) = line["path"].as_str() else { continue };
            let own = said.entry(path.to_owned()).or_default();
            let is = |key: &str, value: &str| line[key] == value;
            own.is_damaged |= is("verdict", "damaged") || is("rule", "any/damaged");
            // A summary has the place of the damage, and no verdict.
            own.is_damaged |= verb == "info" && line["offset"].is_u64() && line["verdict"].is_null();
            own.is_undecodable |= is("verdict", "undecodable") || is("rule", "check/undecodable");
        }
        said
    };
    let [roundtrip, check, info] = ["roundtrip", "check", "info"].map(said);
    assert!(roundtrip.values().filter(|said| said.is_damaged).count() > 60);
    for (path, own) in &roundtrip {
        // A file without findings has no line.
        assert_eq!(check.get(path).unwrap_or(&Said::default()), own, "check {path}");
        assert_eq!(info.get(path).unwrap_or(&Said::default()), own, "info {path}");
        if own.is_damaged || own.is_undecodable {
            let expected = if own.is_damaged { 1 } else { 4 };
            for verb in ["roundtrip", "check"] {
                assert_eq!(sandbox.run(&[verb, path]).code, expected, "{verb} {path}");
            }
        }
    }
}

#[test]
fn the_cure_of_a_known_or_ignored_failure_is_not_printed() {
    let sandbox = Sandbox::new();
    sandbox.write("a.x", "xof 0303txt 0032\r\r\nFrame Root {\r\r\n");
    for args in [&["--baseline", "base.jsonl"][..], &["--ignore", "any"]] {
        let with = [&["check", "a.x"][..], args].concat();
        if args[0] == "--baseline" {
            sandbox.run(&[&with[..], &["--update-baseline"]].concat());
        }
        assert!(!sandbox.run(&with).out.contains("help:"), "{args:?}");
    }
}

#[test]
fn originals_in_folders_are_not_edited() {
    let sandbox = Sandbox::new();
    sandbox.write("d/a.ms3d", valid());
    let names = sandbox.run(&["get", "d/a.ms3d", "joints[*].name", "--raw"]).out;
    let bone = names.lines().next().unwrap().to_owned();
    sandbox.run(&["rename", "d", "--bone", &format!("{bone}=one"), "-i"]);
    let ran = sandbox.run(&["rename", "d", "--bone", "one=two", "-i"]);
    assert_eq!(ran.code, 0, "{}", ran.err);
    assert_eq!(std::fs::read(sandbox.path("d/a.ms3d.orig")).unwrap(), valid());
    assert_eq!(std::fs::read_dir(sandbox.path("d")).unwrap().count(), 2);
    assert_eq!(sandbox.run(&["roundtrip", "d", "--format", "json"]).field("path"), ["d/a.ms3d"]);
    assert_eq!(sandbox.run(&["roundtrip", "d/a.ms3d.orig"]).code, 0, "it may be named");
}

/// A failed download often leaves a file of zeros. Its first bytes determine that it is not of its format, so the others are not
/// read: a file that exceeds the limit of memory is judged like a small one.
#[test]
fn bytes_that_no_file_of_a_format_starts_with_are_recognised_at_any_length() {
    let sandbox = Sandbox::new();
    let judged = |len, args: &[&str]| {
        let file = File::create(sandbox.path("a.psk")).and_then(|file| file.set_len(len));
        file.expect("a file of zeros");
        let ran = sandbox.run(args);
        // The summary of a round trip states the size.
        let lines: Vec<_> = ran.out.lines().filter(|line| !line.starts_with("psk ")).collect();
        (ran.code, lines.join("\n") + &ran.err)
    };
    for args in [
        &["info", "a.psk"][..],
        &["info", "a.psk", "--oneline"],
        &["check", "a.psk"],
        &["roundtrip", "a.psk"],
        &["get", "a.psk", "bones"],
        &["tree", "a.psk"],
        &["map", "a.psk"],
        &["diff", "a.psk", "a.psk"],
        &["to-json", "a.psk", "-o", "-"],
        &["set", "a.psk", "bones[0].name=a", "-n"],
        &["rename", "a.psk", "--bone", "a=b", "-n"],
        &["rescue", "a.psk", "-o", "rescued.psk"],
        &["export", "a.psk", "-o", "exported.glb"],
        &["check", "a.psk", "--fix", "-n"],
    ] {
        let small = judged(100, args);
        assert!(small.0 != 0, "{args:?}: {small:?}");
        for len in [1 << 17, 6 << 30] {
            assert_eq!(judged(len, args), small, "{args:?} of {len} bytes");
        }
    }
}

#[test]
fn a_packed_file_has_the_tree_of_its_text() {
    let sandbox = Sandbox::new();
    let outline = |own: &str| {
        let name = format!("corpus/directx/{own}.x");
        sandbox.write("a.x", sample(&name));
        let nodes = sandbox.run(&["tree", "a.x", "--format", "json"]).json();
        nodes
            .iter()
            .map(|node| [&node["depth"], &node["kind"], &node["name"]].map(ToString::to_string))
            .collect::<Vec<_>>()
    };
    let text = outline("skinned");
    assert!(text.len() > 20, "{text:?}");
    for packed in ["skinned_bin", "skinned_tzip", "skinned_bzip"] {
        assert_eq!(outline(packed), text, "{packed}");
    }
}

/// The paths in the lines of JSON that a verb prints, by file. A field that could not be read has a path, but no value.
fn printed_paths(
    lines: &[Value],
    file: &str,
    names: &[&str],
    paths: &mut BTreeMap<String, BTreeSet<String>>,
) {
    for line in lines.iter().filter(|line| line["rule"] != "any/damaged") {
        let file = line["path"].as_str().filter(|_| file.is_empty()).unwrap_or(file);
        let found = names.iter().filter_map(|name| line[name].as_str()).filter(|path| !path.is_empty());
        paths.entry(file.to_owned()).or_default().extend(found.map(str::to_owned));
    }
}

#[test]
fn get_accepts_every_path_that_a_verb_prints() {
    let sandbox = Sandbox::new();
    sandbox.copy("tests/damaged");
    sandbox.copy("tests/corpus");
    let json = |args: &[&str]| sandbox.run(&[args, &["--format", "json"]].concat()).json();
    let mut paths = BTreeMap::new();
    let checked = json(&["check", "tests", "--max-findings", "1000"]);
    printed_paths(&checked, "", &["field", "object"], &mut paths);
    for file in ["ms3d/full.ms3d", "psk/rules.psk", "directx/rules.x", "cal3d/cloth.xmf", "unigine/ms14.mesh"]
    {
        let file = &format!("tests/corpus/{file}");
        for (verb, names) in [
            ("map", &["path", "object"][..]),
            ("tree", &["path", "object"]),
            ("refs", &["path", "target", "object"]),
        ] {
            printed_paths(&json(&[verb, file]), file, names, &mut paths);
        }
    }
    for (a, b) in [("directx/skinned.x", "directx/rules.x"), ("psk/set.psk", "psk/rules.psk")] {
        let [a, b] = [a, b].map(|name| format!("tests/corpus/{name}"));
        // The path of an element that only the second file has is not one of the first.
        let in_a: Vec<_> = json(&["diff", &a, &b]).into_iter().filter(|line| !line["a"].is_null()).collect();
        printed_paths(&in_a, &a, &["path", "object"], &mut paths);
    }
    for (file, paths) in paths.iter().filter(|(_, paths)| !paths.is_empty()) {
        let paths: Vec<_> = paths.iter().map(String::as_str).collect();
        for some in paths.chunks(500) {
            let ran = sandbox.run(&[&["get", file, "--"], some].concat());
            // Of a file that cannot be decoded, some things are known nevertheless.
            assert!([0, 4].contains(&ran.code), "{file}: {}", ran.err);
        }
    }
    assert!(paths.values().map(BTreeSet::len).sum::<usize>() > 1000);
}

#[test]
fn rescue_is_suggested_where_it_can_help() {
    let sandbox = Sandbox::new();
    sandbox.copy("tests/damaged");
    let unknown = String::from_utf8(sample("corpus/directx/skinned.x")).unwrap().replacen("txt ", "zzzz", 1);
    sandbox.write("tests/damaged/encoding.x", unknown);
    let all = sandbox.run(&["roundtrip", "tests", "--format", "json"]).json();
    let is_damaged = |line: &&Value| line["verdict"] == "damaged";
    for file in all.iter().filter(is_damaged).map(|line| line["path"].as_str().unwrap()) {
        let help = sandbox.run(&["info", file]).out.contains("bindpose rescue");
        let rescued = sandbox.run(&["rescue", file, "-o", "out", "--force"]).code;
        assert_eq!(rescued, if help { 0 } else { 4 }, "{file}");
    }
}
