//! `check`: what the transcript does not show.

use std::collections::BTreeSet;
use std::fs;

use bindpose::codec::Format;
use bindpose::formats::ms3d;

use crate::sandbox::{Sandbox, damaged, sample, valid, workspace};

#[test]
fn a_run_without_rules_is_refused() {
    let sandbox = Sandbox::new();
    sandbox.write("a.ms3d", valid());
    let ran = sandbox.run(&["check", "a.ms3d", "--only", "psk/rate", "--ignore", "psk"]);
    assert!(ran.code == 2 && ran.err.contains("no rule is left"), "{}", ran.err);
    assert_eq!(sandbox.run(&["check", "a.ms3d", "--only", "psk", "--ignore", "psk/rate"]).code, 0);
}

#[test]
fn options_that_an_explanation_or_a_comparison_ignores_are_refused() {
    let sandbox = Sandbox::new();
    for (args, option) in [
        (&["check", "--match", ".", "--allow-damaged"][..], "--allow-damaged"),
        (&["check", "--match", ".", "--force"], "--force"),
        (&["check", "--explain", "psk", "--baseline", "known"], "--baseline"),
        (&["check", "--explain", "psk", "--fail-fast"], "--fail-fast"),
        (&["check", "--explain", "psk", "--allow-damaged"], "--allow-damaged"),
        (&["check", "--explain", "psk", "--cache", "seen"], "--cache"),
    ] {
        let ran = sandbox.run(args);
        let is_refused = ran.err.contains("cannot be used with") && ran.err.contains(option);
        assert!(ran.code == 2 && is_refused, "{args:?}: {}", ran.err);
    }
}

#[test]
fn a_baseline_suppresses_known_findings_only() {
    let sandbox = Sandbox::new();
    sandbox.write("a.ms3d", sample("corpus/ms3d/rules.ms3d"));
    let with = ["check", ".", "--baseline", "base.jsonl"];
    assert_eq!(sandbox.run(&["check", "."]).code, 1);
    assert_eq!(sandbox.run(&[&with[..], &["--update-baseline"]].concat()).code, 0);
    let again = sandbox.run(&with);
    assert_eq!((again.code, again.out.contains("(error")), (0, false), "{}", again.out);
    sandbox.write("b.ms3d", damaged());
    let new = sandbox.run(&with);
    assert_eq!(new.code, 1);
    assert!(new.out.contains("b.ms3d: ") && !new.out.contains("a.ms3d: "), "{}", new.out);
    assert_eq!(sandbox.run(&[&with[..], &["--allow-damaged"]].concat()).code, 0);
}

/// A file with this number of vertices; those from an index on refer to a joint that does not exist.
fn strangers(vertices: usize, from: usize) -> Vec<u8> {
    let vertex =
        |at: usize| ms3d::Vertex { bone_id: if at < from { u8::MAX } else { 7 }, ..Default::default() };
    ms3d::Ms3d { vertices: (0..vertices).map(vertex).collect::<Vec<_>>().into(), ..ms3d::Ms3d::blank_file() }
        .encode()
        .unwrap()
}

#[test]
fn a_baseline_counts_findings_beyond_the_limit() {
    let sandbox = Sandbox::new();
    let with = ["check", "a.ms3d", "--only", "ms3d", "--baseline", "base.jsonl"];
    sandbox.write("a.ms3d", strangers(12, 0));
    assert_eq!(sandbox.run(&[&with[..], &["--update-baseline"]].concat()).code, 0);
    let same = sandbox.run(&with);
    assert!(same.code == 0 && same.out.contains("12 findings suppressed by the baseline"), "{}", same.out);
    sandbox.write("a.ms3d", strangers(212, 0));
    let more = sandbox.run(&with);
    assert_eq!(more.code, 1, "{}", more.out);
    assert!(!more.out.contains("vertices[11]") && more.out.contains("vertices[12].bone_id"), "{}", more.out);
    assert!(more.out.contains("and 190 more") && more.out.contains("12 findings suppressed"), "{}", more.out);
    // Inserted elements shift the known ones.
    sandbox.write("a.ms3d", strangers(50, 38));
    assert_eq!(sandbox.run(&with).code, 0);
    sandbox.write("a.ms3d", strangers(50, 37));
    assert_eq!(sandbox.run(&with).code, 1);
}

#[test]
fn a_baseline_distinguishes_fields() {
    let sandbox = Sandbox::new();
    let with = ["check", "a.ms3d", "--only", "any", "--baseline", "base.jsonl"];
    let mut file = ms3d::Ms3d::blank_file();
    file.vertices = vec![ms3d::Vertex { position: [f32::NAN; 3], ..Default::default() }].into();
    sandbox.write("a.ms3d", file.encode().unwrap());
    assert_eq!(sandbox.run(&[&with[..], &["--update-baseline"]].concat()).code, 0);
    assert_eq!(sandbox.run(&with).code, 0);
    file.vertices[0].position[0] = 0.0;
    sandbox.write("a.ms3d", file.encode().unwrap());
    assert_eq!(sandbox.run(&with).code, 0);
    file.animation.fps = f32::NAN;
    sandbox.write("a.ms3d", file.encode().unwrap());
    let ran = sandbox.run(&with);
    assert!(ran.code == 1 && ran.out.contains("animation.fps"), "{}", ran.out);
    assert!(!ran.out.contains("vertices"), "{}", ran.out);
}

#[test]
fn a_minimal_report_serves_as_baseline() {
    let sandbox = Sandbox::new();
    sandbox.write("a.ms3d", strangers(12, 0));
    let report = ["check", "a.ms3d", "--max-findings", "3", "--report", "json=old.jsonl"];
    assert_eq!(sandbox.run(&report).code, 1);
    let with = ["check", "a.ms3d", "--baseline", "old.jsonl"];
    assert_eq!(sandbox.run(&with).code, 0);
    sandbox.write("a.ms3d", strangers(13, 0));
    assert_eq!(sandbox.run(&with).code, 1);
}

#[test]
fn a_report_does_not_overwrite_a_file_that_is_read() {
    let sandbox = Sandbox::new();
    let model = sample("corpus/ms3d/tent.ms3d");
    sandbox.write("a.ms3d", &model);
    for verb in ["check", "roundtrip"] {
        for file in ["a.ms3d", "./a.ms3d", "."] {
            let ran = sandbox.run(&[verb, file, "--report", "json=a.ms3d", "--force"]);
            assert_eq!(ran.code, 2, "{}", ran.err);
            assert!(
                ran.err.contains("a.ms3d: the report would overwrite a file that is read"),
                "{}",
                ran.err
            );
            assert_eq!(fs::read(sandbox.path("a.ms3d")).unwrap(), model);
        }
    }
}

#[test]
fn a_cache_reports_the_same_findings() {
    let sandbox = Sandbox::new();
    sandbox.write("a.ms3d", sample("corpus/ms3d/rules.ms3d"));
    let args = ["check", "--format", "json", "a.ms3d", "--cache", "cache"];
    let first = sandbox.run(&args);
    let second = sandbox.run(&args);
    assert_eq!((first.code, &first.out), (1, &second.out));
    let fewer = sandbox.run(&[&args[..], &["--ignore", "ms3d"]].concat());
    assert_eq!((fewer.code, fewer.out.as_str()), (0, ""), "what is ignored is ignored in the cache too");
    let roundtrip = sandbox.run(&["roundtrip", "--format", "json", "a.ms3d", "--cache", "cache"]);
    assert_eq!(roundtrip.field("verdict"), ["lossless"], "the cache of another verb is none");
}

#[test]
fn the_configuration_of_a_project_applies_to_its_subdirectories() {
    let sandbox = Sandbox::new();
    sandbox.write("dir/a.ms3d", sample("corpus/ms3d/rules.ms3d"));
    let text =
        "[check]\nonly = [\"ms3d/unknown-parent\"]\n[check.severity]\n\"ms3d/unknown-parent\" = \"error\"\n";
    sandbox.write("bindpose.toml", text);
    let mut below = sandbox.command(&["check", "--format", "json", "a.ms3d"]);
    let below = below.current_dir(sandbox.path("dir")).output().unwrap();
    let line: serde_json::Value = serde_json::from_slice(&below.stdout).unwrap();
    assert_eq!((line["severity"].as_str(), below.status.code()), (Some("error"), Some(1)));
    let milder = ["check", "dir", "--severity", "ms3d/unknown-parent=hint"];
    assert_eq!(sandbox.run(&milder).code, 0, "the command line wins");
    sandbox.write("bindpose.toml", "[check]\nignore = [\"ms3d/nonsense\"]\n");
    let wrong = sandbox.run(&["check", "dir"]);
    assert!(wrong.code == 2 && wrong.err.contains("unknown rule"), "{}", wrong.err);
    sandbox.write("bindpose.toml", "[check]\nignored = []\n");
    let wrong = sandbox.run(&["check", "dir"]);
    assert!(wrong.code == 2 && wrong.err.contains("line 2"), "{}", wrong.err);
}

#[test]
fn findings_are_in_every_report() {
    let sandbox = Sandbox::new();
    sandbox.write("a.ms3d", sample("corpus/ms3d/rules.ms3d"));
    sandbox.write("b.ms3d", valid());
    let reports = ["--report", "junit=j.xml", "--report", "sarif=s.json"];
    assert_eq!(sandbox.run(&[&["check", "a.ms3d", "b.ms3d"][..], &reports].concat()).code, 1);
    let junit = quick_junit::Report::deserialize_from_str(&sandbox.read("j.xml")).unwrap();
    assert_eq!((junit.tests, junit.failures), (2, 1));
    let sarif: serde_json::Value = serde_json::from_str(&sandbox.read("s.json")).unwrap();
    let run = &sarif["runs"][0];
    for result in run["results"].as_array().unwrap() {
        let index = usize::try_from(result["ruleIndex"].as_u64().unwrap()).unwrap();
        let rule = &run["tool"]["driver"]["rules"][index];
        assert_eq!(rule["id"], result["ruleId"]);
    }
}

#[test]
fn any_number_of_files_is_checked_as_a_set() {
    let sandbox = Sandbox::new();
    let names: Vec<_> = (0..100).map(|at| format!("m{at}.psk")).collect();
    for name in &names {
        sandbox.write(name, sample("corpus/psk/plane.psk"));
    }
    sandbox.write("run.psa", sample("corpus/psk/set_strangers.psa"));
    let args = ["check", "--only", "psk/set-strangers", "run.psa"];
    let args: Vec<_> = args.into_iter().chain(names.iter().map(String::as_str)).collect();
    let ran = sandbox.run(&args);
    assert!(ran.code == 1 && ran.out.contains("run.psa: "), "{}", ran.out);
    // A sparse file needs no space on the disk; a file too large for memory is reported.
    let large = sandbox.write("large.psk", sample("corpus/psk/plane.psk"));
    fs::File::options().write(true).open(large).unwrap().set_len(1 << 30).unwrap();
    let args =
        ["check", "--only", "psk/set-strangers", "--max-memory", "1M", "run.psa", "m0.psk", "large.psk"];
    let ran = sandbox.run(&args);
    assert!(ran.err.contains("checked alone") && !ran.out.contains("run.psa: "), "{}{}", ran.out, ran.err);
}

#[test]
fn a_repaired_file_is_written_next_to_the_original() {
    let sandbox = Sandbox::new();
    let broken = sample("damaged/psk/face_20_for_18.pskx");
    sandbox.write("a.pskx", &broken);
    let fix = ["check", "--fix", "psk/wrong-record-size", "a.pskx"];
    assert_eq!(sandbox.run(&fix).code, 2, "nobody said where to");
    assert_eq!(sandbox.run(&[&fix[..], &["-o", "b.pskx"]].concat()).code, 0);
    assert_eq!(sandbox.run(&["roundtrip", "b.pskx"]).code, 0);
    assert_eq!(fs::read(sandbox.path("a.pskx")).unwrap(), broken);
    assert_eq!(sandbox.run(&[&fix[..], &["--in-place"]].concat()).code, 0);
    assert_eq!(fs::read(sandbox.path("a.pskx.orig")).unwrap(), broken);
    let again = sandbox.run(&[&fix[..], &["--in-place"]].concat());
    assert_eq!(again.code, 1, "{}", again.err);
    fs::create_dir(sandbox.path("dir")).unwrap();
    sandbox.write("dir/b.pskx", &broken);
    for inputs in [&["dir/b.pskx"][..], &["dir"]] {
        let ran = sandbox.run(&[&fix[..3], inputs, &["-n", "-q"]].concat());
        assert_eq!((ran.code, &*ran.err), (0, ""), "{inputs:?}");
    }
}

#[test]
fn a_file_of_an_unsupported_format_does_not_end_the_run() {
    let sandbox = Sandbox::new();
    sandbox.write("empty.ms3d", b"");
    sandbox.write("text.txt", b"hello");
    sandbox.write("good.ms3d", valid());
    let ran = sandbox.run(&["check", "empty.ms3d", "text.txt", "missing.ms3d", "good.ms3d"]);
    assert_eq!(ran.code, 4);
    assert!(ran.out.contains("check/undecodable") && ran.out.contains("check/unknown-format"), "{}", ran.out);
    assert!(ran.out.contains("check/io-error") && ran.out.contains("4 files"), "{}", ran.out);
    fs::remove_file(sandbox.path("good.ms3d")).unwrap();
    fs::remove_file(sandbox.path("empty.ms3d")).unwrap();
    assert_eq!(sandbox.run(&["check", "."]).code, 6);
}

#[test]
fn a_file_without_its_last_byte_is_damaged_for_every_verb() {
    let sandbox = Sandbox::new();
    sandbox.copy("tests/corpus");
    let mut names = Vec::new();
    for folder in fs::read_dir(sandbox.path("tests/corpus")).unwrap().map(|entry| entry.unwrap().path()) {
        for path in fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()) {
            let mut bytes = fs::read(&path).unwrap();
            bytes.pop();
            fs::write(&path, bytes).unwrap();
            names.push(path);
        }
    }
    let paths = |args: &[&str], is_damaged: &dyn Fn(&serde_json::Value) -> bool| {
        let lines = sandbox.run(args).json();
        let found = lines.iter().filter(|line| is_damaged(line)).map(|line| line["path"].to_string());
        found.collect::<std::collections::BTreeSet<_>>()
    };
    let checked = paths(&["check", ".", "--only", "any/damaged", "--format", "json"], &|line| {
        line["rule"] == "any/damaged" || line["rule"] == "check/undecodable"
    });
    let proven = paths(&["roundtrip", ".", "--format", "json"], &|line| {
        line["verdict"] == "damaged" || line["verdict"] == "undecodable"
    });
    assert_eq!(checked, proven);
    assert!(checked.len() > names.len() / 2);
}

#[test]
fn a_utf_8_mark_is_named_and_removed_by_rescue() {
    let sandbox = Sandbox::new();
    let text = b"xof 0302txt 0032\r\nMesh m { 0; 0; }\r\n";
    sandbox.write("a.x", [b"\xef\xbb\xbf", &text[..]].concat());
    for verb in ["check", "info", "roundtrip", "to-json", "map"] {
        let ran = sandbox.run(&[verb, "a.x"]);
        let all = format!("{}{}", ran.out, ran.err);
        assert_eq!(ran.code, 4, "{verb}: {all}");
        assert!(
            all.contains("UTF-8 mark (EF BB BF)") && all.contains("bindpose rescue FILE -o OUT"),
            "{verb}: {all}"
        );
    }
    let ran = sandbox.run(&["rescue", "a.x", "-o", "b.x"]);
    assert_eq!(ran.code, 0, "{}", ran.err);
    assert!(ran.err.contains("the UTF-8 mark before the content is removed"), "{}", ran.err);
    assert_eq!(fs::read(sandbox.path("b.x")).unwrap(), text);
}

#[test]
fn rules_are_found_by_a_word_and_misspelt_ones_are_suggested() {
    let sandbox = Sandbox::new();
    for (wrong, near) in
        [("ms3", "ms3d"), ("psk/wieght-sum", "psk/weight-sum"), ("wieght-sum", "x/weight-sum")]
    {
        let ran = sandbox.run(&["check", "--only", wrong, "."]);
        assert!(ran.code == 2 && ran.err.contains(&format!("did you mean `{near}`?")), "{}", ran.err);
    }
    let found = sandbox.run(&["check", "--explain", "Weight sum"]).out;
    assert!(found.lines().count() > 1 && found.lines().all(|line| line.contains("/weight-sum")), "{found}");
    let only = sandbox.run(&["check", "--explain", "weight sum ms3d"]).out;
    assert!(only.starts_with("ms3d/weight-sum (") && only.contains("Source: "), "{only}");
}

/// The rules of errors in a file that was checked.
fn errors_of(sandbox: &Sandbox, file: &str) -> BTreeSet<String> {
    let ran = sandbox.run(&["check", file, "--format", "json", "--max-findings", "1"]);
    let is_error = |line: &&serde_json::Value| line["severity"] == "error";
    ran.json().iter().filter(is_error).map(|line| line["rule"].as_str().unwrap().to_owned()).collect()
}

#[test]
fn rescue_lists_the_errors_that_remain() {
    let sandbox = Sandbox::new();
    let folders =
        ["corpus/ms3d", "corpus/psk", "corpus/cal3d", "corpus/unigine", "corpus/max", "damaged/psk"];
    let mut listed = 0;
    for folder in folders {
        for entry in std::fs::read_dir(workspace().join("tests").join(folder)).unwrap() {
            let name = entry.unwrap().file_name().into_string().unwrap();
            sandbox.copy_as(&workspace().join("tests").join(folder).join(&name), &name);
            let ran = sandbox.run(&["rescue", &name, "-o", &name, "--force"]);
            if ran.code != 0 {
                continue;
            }
            let errors = errors_of(&sandbox, &name);
            for rule in &errors {
                let is_listed = [")", ", and "].iter().any(|end| ran.err.contains(&format!("({rule}{end}")));
                assert!(is_listed, "{folder}/{name}: {rule}: {}", ran.err);
            }
            assert_eq!(ran.err.matches("error kept").count(), errors.len(), "{folder}/{name}: {}", ran.err);
            listed += errors.len();
        }
    }
    assert!(listed > 30, "{listed}");
}

#[test]
fn a_file_that_cannot_be_decoded_is_not_valid() {
    let sandbox = Sandbox::new();
    sandbox.write("d/empty.ms3d", b"");
    assert_eq!(sandbox.run(&["check", "d"]).code, 4);
    let ran = sandbox.run(&["check", "--fix", "all", "d", "--out-dir", "out"]);
    assert!(ran.code == 4 && ran.err.contains("the file is empty"), "{}: {}", ran.code, ran.err);
}
