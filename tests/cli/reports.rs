//! Reports as other programs read them.

use crate::sandbox::{self, Sandbox, damaged, valid};

#[test]
fn every_report_describes_the_same_run() {
    let sandbox = Sandbox::new();
    sandbox.write("a & <b>.ms3d", damaged());
    sandbox.write("c.ms3d", valid());
    let ran = sandbox.run(&[
        "roundtrip",
        ".",
        "--report",
        "json=out.jsonl",
        "--report",
        "junit=out.xml",
        "--report",
        "sarif=out.sarif",
        "--report",
        "github=out.txt",
        "--report",
        "human=out.log",
    ]);
    assert_eq!(ran.code, 1);
    assert_eq!(sandbox.read("out.log"), ran.out);
    assert_eq!(sandbox.read("out.jsonl"), sandbox.run(&["roundtrip", "--format", "json", "."]).out);
    let xml = quick_junit::Report::deserialize_from_str(&sandbox.read("out.xml")).unwrap();
    assert_eq!((xml.tests, xml.failures, xml.errors), (2, 1, 0));
    assert_eq!(xml.test_suites[0].test_cases[0].name.as_str(), "./a & <b>.ms3d");
    let sarif: serde_json::Value = serde_json::from_str(&sandbox.read("out.sarif")).unwrap();
    let results = sarif["runs"][0]["results"].as_array().unwrap();
    assert_eq!(results.len(), 1);
    let place = &results[0]["locations"][0]["physicalLocation"];
    assert_eq!(place["artifactLocation"]["uri"], "a%20%26%20%3Cb%3E.ms3d");
    assert_eq!(place["region"]["byteOffset"], 0x4cd);
    assert!(sandbox.read("out.txt").starts_with("::error file="));
}

#[test]
fn a_result_names_a_rule_that_the_report_defines() {
    let sandbox = Sandbox::new();
    sandbox.write("a.ms3d", damaged());
    sandbox.write("b.ms3d", "MS3D");
    let ran =
        sandbox.run(&["roundtrip", "--format", "sarif", ".", "missing", "a.ms3d", "--max-memory", "1k"]);
    let run = &serde_json::from_str::<serde_json::Value>(&ran.out).unwrap()["runs"][0];
    let results = run["results"].as_array().unwrap();
    assert_eq!(results.len(), 3);
    for result in results {
        let index = usize::try_from(result["ruleIndex"].as_u64().unwrap()).unwrap();
        assert_eq!(run["tool"]["driver"]["rules"][index]["id"], result["ruleId"]);
    }
}

#[test]
fn a_long_sarif_report_states_what_it_omits() {
    let sandbox = Sandbox::new();
    let list: Vec<_> = (0..5_003).map(|index| format!("missing{index}.ms3d")).collect();
    sandbox.write("list", list.join("\n"));
    let ran = sandbox.run(&["roundtrip", "--format", "sarif", "@list"]);
    let run = &serde_json::from_str::<serde_json::Value>(&ran.out).unwrap()["runs"][0];
    assert_eq!(run["results"].as_array().unwrap().len(), 5_000);
    let note = &run["invocations"][0]["toolExecutionNotifications"][0]["message"]["text"];
    assert!(note.as_str().unwrap().starts_with("3 further results"), "{note}");
}

#[test]
fn a_report_is_overwritten_only_with_force() {
    let sandbox = Sandbox::new();
    sandbox.write("a.ms3d", valid());
    sandbox.write("out.xml", "precious");
    let args = ["roundtrip", "a.ms3d", "--report", "junit=out.xml"];
    assert_eq!(sandbox.run(&args).code, 3);
    assert_eq!(sandbox.read("out.xml"), "precious");
    assert_eq!(sandbox.run(&[&args[..], &["--force"]].concat()).code, 0);
    assert!(sandbox.read("out.xml").starts_with("<?xml"));
}

#[cfg(target_os = "linux")]
#[test]
fn a_full_disk_is_reported_and_the_run_continues() {
    let sandbox = Sandbox::new();
    sandbox.write("a.ms3d", valid());
    let mut command = sandbox.command(&["roundtrip", "a.ms3d", "--report", "json=out.jsonl"]);
    let full = std::fs::File::options().write(true).open("/dev/full").unwrap();
    let output = command.stdout(full).output().unwrap();
    assert_eq!(output.status.code(), Some(3));
    assert!(String::from_utf8_lossy(&output.stderr).contains("no space left"), "{output:?}");
    assert!(sandbox.read("out.jsonl").contains("lossless"));
}

#[cfg(target_os = "linux")]
#[test]
fn an_unwritable_report_does_not_end_the_run() {
    let sandbox = Sandbox::new();
    sandbox.write("a.ms3d", valid());
    let ran =
        sandbox.run(&["roundtrip", "a.ms3d", "--report", "junit=/dev/full", "--report", "json=out.jsonl"]);
    assert_eq!(ran.code, 3);
    assert!(ran.err.contains("/dev/full: no space left"), "{}", ran.err);
    assert!(ran.out.contains("re-encoded identically"));
    assert!(sandbox.read("out.jsonl").contains("lossless"));
    let ran = sandbox.run(&["roundtrip", "a.ms3d", "-q", "--report", "json=/dev/stdout"]);
    assert_eq!(ran.field("verdict"), ["lossless"]);
}

#[test]
fn parts_that_are_not_reports_are_rejected() {
    let sandbox = Sandbox::new();
    sandbox.write("part", "{\"path\": 1}\n");
    let ran = sandbox.run(&["report", "merge", "part"]);
    assert_eq!(ran.code, 2);
    assert!(ran.err.contains("part: line 1:"), "{}", ran.err);
    sandbox.write("roundtrip", sandbox.run(&["roundtrip", "--format", "json", "part"]).out);
    sandbox
        .write("rule", "{\"rule\":\"x/none\",\"severity\":\"info\",\"path\":\"a.x\",\"message\":\"no\"}\n");
    let ran = sandbox.run(&["report", "merge", "rule"]);
    assert!(ran.code == 2 && ran.err.contains("unknown rule `x/none`"), "{}", ran.err);
    sandbox.write("check", sandbox.run(&["check", "--format", "json", "missing.x"]).out);
    let ran = sandbox.run(&["report", "merge", "roundtrip", "check"]);
    assert!(ran.code == 2 && ran.err.contains("others of check"), "{}", ran.err);
}

#[test]
fn the_parts_of_a_check_report_the_findings_of_the_whole() {
    let sandbox = Sandbox::new();
    for name in ["a", "b", "c", "d"] {
        let damaged = [valid(), b"tail".to_vec()].concat();
        sandbox.write(&format!("dir/{name}.ms3d"), if name == "b" { damaged } else { valid() });
    }
    sandbox.write("dir/e.ms3d", "MS3D");
    let whole = sandbox.run(&["check", "dir", "--format", "json"]);
    assert_eq!(whole.code, 4);
    let parts = ["1.jsonl", "2.jsonl", "3.jsonl"];
    for (at, part) in parts.iter().enumerate() {
        let report = format!("json={part}");
        sandbox.run(&["check", "dir", "--partition", &format!("slice:{}/3", at + 1), "--report", &report]);
    }
    for style in ["json", "junit", "sarif", "github"] {
        let mut args = vec!["report", "merge", "--format", style];
        args.extend(parts);
        let merged = sandbox.run(&args);
        assert_eq!(merged.code, whole.code, "{style}");
        assert!(merged.out.contains("any/damaged"), "{style}: {}", merged.out);
        if style == "json" {
            assert_eq!(merged.out, whole.out);
        }
    }
}

#[test]
fn a_repair_rejects_options_without_effect() {
    let sandbox = Sandbox::new();
    sandbox.write("a.ms3d", valid());
    let fix = ["check", "--fix", "any/text-filter", "--dry-run", "a.ms3d"];
    for more in [
        &["--report", "json=out"][..],
        &["--cache", "seen"],
        &["--baseline", "known"],
        &["--only", "ms3d"],
        &["--allow-damaged"],
        &["--max-findings", "1"],
        &["--statistics"],
    ] {
        let ran = sandbox.run(&[&fix, more].concat());
        assert!(ran.code == 2 && ran.err.contains("cannot be used with"), "{more:?}: {}", ran.err);
    }
    let ran = sandbox.run(&fix);
    assert!(ran.code == 1 && ran.err.contains("no violation of any/text-filter"), "{}", ran.err);
}

#[test]
fn a_file_that_cannot_be_repaired_leaves_no_copy() {
    let sandbox = Sandbox::new();
    sandbox.write("a.ms3d", damaged());
    let ran = sandbox.run(&["check", "--fix", "any/text-filter", "--in-place", "a.ms3d"]);
    assert_eq!(ran.code, 1);
    assert!(!sandbox.path("a.ms3d.orig").exists());
}

#[test]
fn a_known_cause_of_damage_precedes_the_damage_and_names_the_cure() {
    let sandbox = Sandbox::new();
    sandbox.write("line ends.ms3d", sandbox::sample("damaged/ms3d/line_ends.ms3d"));
    let cause = "has a carriage return before each of its 14 line feeds";
    let help = "help: bindpose rescue 'line ends.ms3d' -o OUT";
    for verb in ["roundtrip", "check"] {
        let ran = sandbox.run(&[verb, "line ends.ms3d"]);
        let lines: Vec<_> = ran.out.lines().collect();
        assert!(lines[0].contains(cause), "{}", ran.out);
        assert!(lines.contains(&help), "{}", ran.out);
    }
    let ran = sandbox.run(&["roundtrip", "line ends.ms3d", "--format", "json"]);
    assert_eq!(ran.field("cause"), [cause]);
    let command = ["rescue", "line ends.ms3d", "-o", "out.ms3d"];
    assert_eq!(sandbox.run(&command).code, 0);
    assert_eq!(sandbox.run(&["check", "out.ms3d"]).code, 0);
    let ran = sandbox.run(&["roundtrip", "out.ms3d"]);
    assert!(!ran.out.contains("help:"), "{}", ran.out);
}

#[test]
fn missing_double_and_foreign_parts_of_a_run_are_errors() {
    let sandbox = Sandbox::new();
    for name in ["a", "b", "c", "d"] {
        sandbox.write(&format!("dir/{name}.ms3d"), valid());
    }
    let part = |name: &str, part: &str, path: &str| {
        let report = format!("json={name}");
        let ran =
            sandbox.run(&["roundtrip", path, "--partition", part, "--report", &report, "--force", "-q"]);
        assert_eq!(ran.code, 0, "{}", ran.err);
    };
    for number in 1..=3 {
        part(&format!("{number}"), &format!("slice:{number}/3"), "dir");
    }
    part("hash", "hash:3/3", "dir");
    part("half", "slice:2/2", "dir");
    sandbox.write("dir/0.ms3d", valid());
    part("later", "slice:3/3", "dir");
    sandbox.write("plain", sandbox.run(&["roundtrip", "dir", "--format", "json"]).out);
    let merge = |parts: &[&str]| sandbox.run(&[&["report", "merge", "--format", "json"], parts].concat());
    assert_eq!(merge(&["3", "1", "2"]).code, 0);
    assert_eq!(merge(&["plain"]).code, 0);
    for (parts, why) in [
        (&["1", "2"][..], "1: is one of 3 parts, but part 3 is missing"),
        (&["1", "2", "3", "2"], "2: is part slice:2/3, and so is 2"),
        (&["1", "2", "hash"], "hash: is part hash:3/3, but 1 is part slice:1/3 of another run"),
        (&["1", "half"], "of another run"),
        (&["1", "2", "later"], "later: reports dir/b.ms3d, and so does 2: they are parts of different runs"),
        (&["1", "2", "plain"], "plain: is not a part of a run, or incomplete"),
    ] {
        let ran = merge(parts);
        assert_eq!(ran.code, 2, "{parts:?}: {}", ran.out);
        assert!(ran.err.contains(why), "{parts:?}: {}", ran.err);
    }
    let lines = sandbox.read("2").lines().count();
    let cut: String = sandbox.read("2").lines().take(lines - 1).collect();
    sandbox.write("2", cut);
    assert_eq!(merge(&["1", "2", "3"]).code, 2, "a part that ends before its last line");
}

#[test]
fn a_part_is_a_baseline() {
    let sandbox = Sandbox::new();
    sandbox.write("a.ms3d", damaged());
    sandbox.run(&["roundtrip", "a.ms3d", "--partition", "slice:1/1", "--report", "json=known.jsonl"]);
    let ran = sandbox.run(&["roundtrip", "a.ms3d", "--baseline", "known.jsonl"]);
    assert_eq!((ran.code, ran.err.as_str()), (0, ""));
}

#[test]
fn gitlab_issues_have_stable_and_unique_fingerprints() {
    let sandbox = Sandbox::new();
    sandbox.write("rules.psk", sandbox::sample("corpus/psk/rules.psk"));
    sandbox.write("bad.ms3d", damaged());
    let issues = || -> Vec<serde_json::Value> {
        let ran = sandbox.run(&["check", ".", "--format", "gitlab"]);
        serde_json::from_str(&ran.out).expect("a JSON array")
    };
    let fingerprints = |issues: &[serde_json::Value]| -> std::collections::BTreeSet<String> {
        issues.iter().map(|issue| issue["fingerprint"].to_string()).collect()
    };
    let first = issues();
    assert_eq!(fingerprints(&first).len(), first.len());
    assert!(first.iter().any(|issue| issue["severity"] == "major"));
    assert!(first.iter().all(|issue| issue["location"]["lines"]["begin"] == 1));
    assert!(first.iter().any(|issue| issue["location"]["path"] == "bad.ms3d"));
    std::fs::remove_file(sandbox.path("bad.ms3d")).unwrap();
    assert!(fingerprints(&issues()).is_subset(&fingerprints(&first)));
    sandbox.write("rules.psk", sandbox::sample("corpus/psk/plane.psk"));
    assert_eq!(sandbox.run(&["roundtrip", ".", "--format", "gitlab"]).out, "[]\n");
}

#[test]
fn annotations_are_errors_and_warnings_unless_all_are_wanted() {
    let sandbox = Sandbox::new();
    sandbox.write("rules.psk", sandbox::sample("corpus/psk/rules.psk"));
    let kinds = |args: &[&str]| -> std::collections::BTreeSet<String> {
        let ran = sandbox.run(&[&["check", "rules.psk", "--format", "github"], args].concat());
        ran.out.lines().map(|line| line.split(' ').next().unwrap().to_owned()).collect()
    };
    assert!(kinds(&[]).into_iter().eq(["::error", "::warning"]));
    assert!(kinds(&["-v"]).into_iter().eq(["::error", "::notice", "::warning"]));
}

#[test]
fn sarif_explains_the_rules() {
    let sandbox = Sandbox::new();
    sandbox.write("rules.psk", sandbox::sample("corpus/psk/rules.psk"));
    let ran = sandbox.run(&["check", "rules.psk", "--format", "sarif"]);
    let run = &serde_json::from_str::<serde_json::Value>(&ran.out).unwrap()["runs"][0];
    let rules = run["tool"]["driver"]["rules"].as_array().unwrap();
    let rule = rules.iter().find(|rule| rule["id"] == "psk/rate").expect("the rule");
    assert!(rule["help"]["text"].as_str().unwrap().contains("\n\nSource: "), "{rule}");
    assert!(rule["helpUri"].as_str().unwrap().ends_with("docs/rules.md#pskrate"), "{rule}");
}

#[test]
fn statistics_count_the_findings_of_each_rule() {
    let sandbox = Sandbox::new();
    sandbox.write("a.psk", sandbox::sample("corpus/psk/rules.psk"));
    sandbox.write("b.ms3d", damaged());
    let all = sandbox.run(&["check", ".", "--format", "json", "--max-findings", "1000"]);
    let counted = sandbox.run(&["check", ".", "--statistics", "--format", "json"]);
    assert_eq!(all.code, counted.code);
    let total: u64 = counted.json().iter().map(|line| line["findings"].as_u64().unwrap()).sum();
    assert_eq!(total, all.json().len() as u64);
    let ran = sandbox.run(&["check", ".", "--statistics"]);
    assert!(ran.out.contains("any/damaged"), "{}", ran.out);
    assert!(!ran.out.contains("0x"), "no single findings: {}", ran.out);
    assert_eq!(sandbox.run(&["check", ".", "--statistics", "--format", "junit"]).code, 2);
}

#[test]
fn a_finding_of_two_reports_is_merged_into_one() {
    let sandbox = Sandbox::new();
    sandbox.write("a.psk", sandbox::sample("corpus/psk/rules.psk"));
    let whole = sandbox.run(&["check", "a.psk", "--report", "json=part", "--format", "json"]);
    let merged = sandbox.run(&["report", "merge", "part", "part", "--format", "json"]);
    assert_eq!((merged.code, merged.out), (whole.code, whole.out), "{}", merged.err);
}

/// The commands of such formats write the same reports.
#[test]
fn reports_about_formats_of_other_crates_are_merged() {
    let sandbox = Sandbox::new();
    sandbox.write("a.ms3d", [valid(), b"tail".to_vec()].concat());
    for (verb, code) in [("roundtrip", 1), ("check", 1)] {
        let report = sandbox.run(&[verb, "a.ms3d", "--format", "json"]).out;
        let report = report.replace(r#""format":"ms3d""#, r#""format":"md3""#);
        sandbox.write("part", report.replace("any/damaged", "own/reference"));
        let merged = sandbox.run(&["report", "merge", "part", "--format", "json"]);
        assert_eq!((merged.code, merged.out), (code, sandbox.read("part")), "{}", merged.err);
    }
}
