//! Edits of files: which files are written, and what the answers say.

use std::collections::BTreeSet;
use std::fs;
use std::time::Instant;

use crate::sandbox::{Sandbox, sample, valid, workspace};

const EDITS: [&[&str]; 3] =
    [&["rename", "--bone", "root=hips"], &["remove", "--bone", "top"], &["transform", "--scale", "2"]];

/// Asserts that a command fails with a message, and writes nothing.
fn assert_refused(sandbox: &Sandbox, args: &[&str], code: i32, why: &str) {
    let files = || fs::read_dir(sandbox.path("")).unwrap().count();
    let before = files();
    let ran = sandbox.run(args);
    assert!(ran.code == code && ran.err.contains(why), "{args:?}: {}: {}", ran.code, ran.err);
    assert_eq!(files(), before, "{args:?}");
}

#[test]
fn a_file_that_is_named_twice_is_edited_once() {
    for edit in EDITS {
        let sandbox = Sandbox::new();
        sandbox.write("a.ms3d", valid());
        let ran = sandbox.run(&[edit, &["a.ms3d", "./a.ms3d", "--out-dir", "out"]].concat());
        assert!(ran.code == 0 && ran.err.lines().count() == 1, "{edit:?}: {}", ran.err);
        #[cfg(unix)]
        std::os::unix::fs::symlink("a.ms3d", sandbox.path("link.ms3d")).unwrap();
        #[cfg(not(unix))]
        sandbox.write("link.ms3d", valid());
        let ran = sandbox.run(&[edit, &["a.ms3d", "link.ms3d", "--in-place"]].concat());
        assert_eq!(ran.code, 0, "{edit:?}: {}", ran.err);
        assert!(fs::read(sandbox.path("a.ms3d")).unwrap() == fs::read(sandbox.path("out/a.ms3d")).unwrap());
    }
}

#[test]
fn two_files_are_not_written_to_one() {
    let sandbox = Sandbox::new();
    for name in ["a/hero.ms3d", "b/hero.ms3d", "a/notes.txt", "b/notes.txt"] {
        sandbox.write(name, if name.ends_with("txt") { b"notes".to_vec() } else { valid() });
    }
    let why = "a/hero.ms3d and b/hero.ms3d would have the same name in out";
    let others: [&[&str]; 3] = [&["export"], &["convert", "--to", "psk"], &["check", "--fix", "all"]];
    for edit in EDITS.into_iter().chain(others) {
        let to = ["--out-dir", "out", "--force"];
        assert_refused(&sandbox, &[edit, &["a/hero.ms3d", "b/hero.ms3d"], &to].concat(), 2, why);
        assert_refused(&sandbox, &[edit, &["a", "b"], &to].concat(), 2, why);
    }
    fs::remove_file(sandbox.path("b/hero.ms3d")).unwrap();
    let ran = sandbox.run(&["transform", "--scale", "2", "a", "b", "--out-dir", "out"]);
    assert!(ran.code == 0 && ran.err.contains("1 file changed, 2 of other formats skipped"), "{}", ran.err);
}

#[test]
fn files_without_a_frame_rate_stay_as_they_are_in_a_set() {
    let sandbox = Sandbox::new();
    for name in ["set.psk", "set.psa"] {
        sandbox.write(&format!("in/{name}"), sample(&format!("corpus/psk/{name}")));
    }
    let files = ["in/set.psk", "in/set.psa"];
    for args in [&[][..], &["--keep-duration"], &["--scale", "1", "--translate", "0,0,0"]] {
        for inputs in [&files[..], &["in"]] {
            let ran = sandbox
                .run(&[&["transform", "--fps", "60", "--out-dir", "out", "--force"], args, inputs].concat());
            assert_eq!(ran.code, 0, "{args:?} {inputs:?}: {}", ran.err);
            let read = |name: &str| fs::read(sandbox.path(name)).unwrap();
            assert!(read("out/set.psk") == read("in/set.psk"), "{args:?} {inputs:?}");
            let rates = sandbox.run(&["get", "out/set.psa", "sequences[*].rate", "--raw"]).out;
            assert_eq!(rates, "60.0\n60.0\n", "{args:?} {inputs:?}");
            fs::remove_dir_all(sandbox.path("out")).unwrap();
        }
    }
    fs::remove_file(sandbox.path("in/set.psa")).unwrap();
    sandbox.write("in/other.psk", sample("corpus/psk/set.psk"));
    let why = "in/set.psk: psk files have no frame rate";
    assert_refused(&sandbox, &["transform", "--fps", "60", "in/set.psk", "-o", "out.psk"], 2, why);
    assert_refused(
        &sandbox,
        &["transform", "--fps", "60", "in", "--out-dir", "out"],
        2,
        "no file has a frame rate",
    );
}

#[test]
fn clips_that_cannot_be_sampled_name_the_command_that_does() {
    let sandbox = Sandbox::new();
    for name in ["dragon.iqm", "dragon.ms3d"] {
        sandbox.copy_as(&workspace().join(format!("tests/character/{name}")), name);
        let help = "help: `bindpose convert FILE --rate RATE -o OUT` samples the clips at another rate";
        let args = ["transform", name, "--fps", "25", "--keep-duration", "-o", "out"];
        assert_refused(&sandbox, &args, if name.ends_with("iqm") { 2 } else { 1 }, help);
        let out = format!("out-{name}");
        assert_eq!(sandbox.run(&["convert", name, "--rate", "25", "-o", &out, "-q"]).code, 0);
        assert!(sandbox.run(&["info", &out]).out.contains("25 frames per second"));
    }
}

/// Models that hold clips cannot be merged with those of other motions.
#[test]
fn models_whose_clips_cannot_be_merged_name_the_command_that_adds_them() {
    let sandbox = Sandbox::new();
    sandbox.copy_as(&workspace().join("tests/character/dragon.iqm"), "dragon.iqm");
    for extension in ["iqm", "ms3d"] {
        let [one, two] = ["walk", "wave"].map(|clip| {
            let name = format!("{clip}.{extension}");
            assert_eq!(sandbox.run(&["convert", "dragon.iqm", "--clip", clip, "-o", &name, "-q"]).code, 0);
            name
        });
        let help =
            format!("`bindpose convert {one} --retarget {two} -o OUT` adds the clips of the second file");
        let out = format!("both.{extension}");
        assert_refused(&sandbox, &["merge", &one, &two, "-o", &out], 2, &help);
        assert_eq!(sandbox.run(&["convert", &one, "--retarget", &two, "-o", &out, "-q"]).code, 0);
        let info = sandbox.run(&["info", "--scene", "--format", "json", &out]);
        let clips: Vec<_> = info.json()[0]["scene"]["clips"]
            .as_array()
            .unwrap()
            .iter()
            .map(|clip| clip["name"].clone())
            .collect();
        assert_eq!(clips, ["walk", "wave"], "{extension}");
    }
}

#[test]
fn of_a_set_all_files_are_written_or_none() {
    let sandbox = Sandbox::new();
    for name in ["set.psk", "set.psa"] {
        sandbox.write(name, sample(&format!("corpus/psk/{name}")));
    }
    sandbox.write("out/set.psa", "precious");
    let args = ["transform", "--translate", "1,0,0", "set.psk", "set.psa", "--out-dir", "out"];
    assert_refused(&sandbox, &args, 3, "set.psa: file exists");
    assert!(!sandbox.path("out/set.psk").exists());
    assert_eq!(sandbox.run(&[&args[..], &["--force"]].concat()).code, 0);
    assert!(sandbox.path("out/set.psk").exists());
}

#[test]
fn a_result_that_cannot_be_written_is_explained() {
    let sandbox = Sandbox::new();
    sandbox.write("a.ms3d", valid());
    sandbox.write("folder/b.ms3d", valid());
    for (to, why) in [
        (["-o", "folder", "--force"], "folder: is a directory, expected the name of a file"),
        (["-o", "missing/b.ms3d", "--force"], "missing/b.ms3d: the directory missing does not exist"),
        (["--out-dir", "a.ms3d", "--force"], "a.ms3d: is a file, expected a directory"),
        (["--out-dir", "a.ms3d/b", "--force"], "a.ms3d: is a file, expected a directory"),
    ] {
        for edit in EDITS {
            assert_refused(&sandbox, &[edit, &["a.ms3d"], &to].concat(), 3, why);
        }
    }
}

#[test]
fn files_without_anything_to_edit_are_an_error() {
    let sandbox = Sandbox::new();
    sandbox.write("notes/a.txt", "notes");
    sandbox.write("empty.ms3d", "");
    sandbox.write("empty.csv", "# no names\n");
    for edit in EDITS {
        let why = "no file of a supported format was found";
        assert_refused(&sandbox, &[edit, &["notes", "--out-dir", "out"]].concat(), 6, why);
        let why = "empty.ms3d: the file is empty";
        assert_refused(&sandbox, &[edit, &["empty.ms3d", "-o", "out"]].concat(), 4, why);
    }
    sandbox.write("a.ms3d", valid());
    let args = ["rename", "a.ms3d", "--map", "empty.csv", "-o", "out"];
    assert_refused(&sandbox, &args, 2, "empty.csv: the table has no names");
    for (fix, rules) in [("all", "a rule that has a repair"), ("any/text-filter", "any/text-filter")] {
        let why =
            format!("a.ms3d: nothing to repair: no violation of {rules}\nhelp: `bindpose check a.ms3d`");
        assert_refused(&sandbox, &["check", "--fix", fix, "a.ms3d", "-o", "out"], 1, &why);
    }
    for (json, why) in [("", "the text is empty"), ("[1]", "the text does not begin with `{`")] {
        sandbox.write("a.json", json);
        let why = format!("{why}; expected the JSON form of a file");
        assert_refused(&sandbox, &["from-json", "a.json", "-o", "out"], 4, &why);
    }
}

#[test]
fn a_wrong_number_is_refused_with_the_expected_one() {
    let sandbox = Sandbox::new();
    sandbox.write("a.ms3d", valid());
    let positive = "expected a number greater than 0";
    for (option, value, why) in [
        ("--scale", "abc", positive),
        ("--scale", "-1", positive),
        ("--scale", "0", positive),
        ("--scale", "inf", positive),
        ("--fps", "-1", positive),
        ("--fps", "NaN", positive),
        ("--rotate", "z=abc", "`abc` is not a finite number"),
        ("--rotate", "90", "expected AXIS=DEGREES, such as z=90"),
        ("--translate", "1,2", "expected X,Y,Z, such as 0,0,-4.5"),
    ] {
        assert_refused(&sandbox, &["transform", "a.ms3d", option, value, "-o", "out"], 2, why);
    }
    for option in ["--yaw", "--pitch", "--time"] {
        for value in ["nan", "inf", "1e39"] {
            let args = ["preview", "a.ms3d", "-o", "out.png", "--clip", "0", option, value];
            assert_refused(&sandbox, &args, 2, &format!("`{value}` is not a finite number"));
        }
    }
    assert_refused(&sandbox, &["diff", "a.ms3d", "a.ms3d", "--tolerance", "inf"], 2, "not a finite number");
    for (edit, why) in [
        ("joints[0].name*=2", "joints[0].name: expected a number to calculate with, found `root`"),
        ("materials[0].mode+=1e300", "materials[0].mode: the result 1e300 is out of range"),
    ] {
        assert_refused(&sandbox, &["set", "a.ms3d", edit, "-o", "out"], 2, why);
    }
}

#[test]
fn an_animation_is_moved_with_its_skeleton() {
    let sandbox = Sandbox::new();
    for name in ["walk.caf", "two.csf"] {
        sandbox.write(name, sample(&format!("corpus/cal3d/{name}")));
    }
    sandbox.write("other.csf", sample("corpus/cal3d/two.csf"));
    let turn = ["transform", "--rotate", "x=90", "--out-dir", "out"];
    let why = "expected 1 file with bones beside them, got 0 files\nhelp: give the file with the bones, too";
    assert_refused(&sandbox, &[&turn[..], &["walk.caf"]].concat(), 2, why);
    let why = "expected 1 file with bones beside them, got 2 files\nhelp: give each skeleton with its own";
    assert_refused(&sandbox, &[&turn[..], &["walk.caf", "two.csf", "other.csf"]].concat(), 2, why);
    assert_eq!(sandbox.run(&[&turn[..], &["walk.caf", "two.csf"]].concat()).code, 0);
}

#[test]
fn numbers_of_xml_files_can_be_calculated_with() {
    let sandbox = Sandbox::new();
    sandbox.write("two.xsf", sample("corpus/cal3d/two.xsf"));
    let ran = sandbox.run(&["set", "two.xsf", "bones[0].translation*=2", "-o", "large.xsf"]);
    assert_eq!(ran.code, 0, "{}", ran.err);
    let expected = sandbox.read("two.xsf").replacen("0 0.97902 -0.02091", "0 1.95804 -0.04182", 1);
    assert_eq!(sandbox.read("large.xsf"), expected);
    let why = "expected a number to calculate with, found `Bip01`";
    assert_refused(&sandbox, &["set", "two.xsf", "bones[0].name*=2", "-o", "out"], 2, why);
    let why = "`Bone` has no field `nmae`; similar: `name`";
    assert_refused(&sandbox, &["get", "two.xsf", "bones[0].nmae"], 2, why);
}

#[test]
fn the_first_finding_of_a_rule_is_printed() {
    let sandbox = Sandbox::new();
    sandbox.write("a.ms3d", valid());
    let ran = sandbox.run(&["set", "a.ms3d", "vertices[*].bone_id=9", "-n"]);
    let rule = "ms3d/vertex-joint-out-of-range";
    let lines: Vec<_> = ran.err.lines().filter(|line| line.contains(rule)).collect();
    assert!(
        lines.len() == 1 && lines[0].ends_with("refers to joint 9, but 2 exist, and 5 more"),
        "{}",
        ran.err
    );
    let ran = sandbox.run(&["set", "a.ms3d", "vertices[*].bone_id=9", "-n", "-v"]);
    assert_eq!(ran.err.matches(rule).count(), 6, "{}", ran.err);
}

#[test]
fn a_name_that_breaks_references_names_the_command_that_changes_them() {
    let sandbox = Sandbox::new();
    sandbox.copy_as(&workspace().join("tests/character/dragon.ms3d"), "dragon.ms3d");
    let ran = sandbox.run(&["set", "dragon.ms3d", "joints[0].name=new root", "-o", "out.ms3d"]);
    let old = sandbox.run(&["get", "dragon.ms3d", "joints[0].name", "--raw"]).out;
    let option = format!("--bone '{}=new root'", old.trim());
    let help = format!("help: `bindpose rename dragon.ms3d {option}` changes the references, too\n");
    assert!(ran.code == 0 && ran.err.ends_with(&help), "{}", ran.err);
    assert_eq!(ran.err.matches("ms3d/unknown-parent").count(), 1, "{}", ran.err);
    let ran = sandbox.run(&["set", "dragon.ms3d", "joints[0].parent_name=nobody", "-n"]);
    assert!(ran.err.contains("ms3d/unknown-parent") && !ran.err.contains("bindpose rename"), "{}", ran.err);
}

#[test]
fn the_start_of_a_part_that_nothing_announces_can_be_removed() {
    let sandbox = Sandbox::new();
    let mesh = sample("corpus/psk/plane.psk");
    sandbox.write("tail.psk", [&mesh[..], b"twelve bytes"].concat());
    let ran = sandbox.run(&["set", "tail.psk", "rest=", "-o", "plane.psk"]);
    assert_eq!(ran.code, 0, "{}", ran.err);
    assert!(fs::read(sandbox.path("plane.psk")).unwrap() == mesh);
    let why = "rest: the bytes are the start of a part without which the file is damaged";
    for (name, bytes) in [
        ("cut.psk", mesh[..mesh.len() - 1].to_vec()),
        ("head.psk", mesh[..10].to_vec()),
        ("cut.ms3d", sample("damaged/ms3d/cut_in_keys.ms3d")),
    ] {
        sandbox.write(name, bytes);
        assert_refused(&sandbox, &["set", name, "rest=", "-o", "out"], 2, why);
    }
}

#[test]
fn a_set_value_can_follow_its_creation() {
    let sandbox = Sandbox::new();
    sandbox.write("a.ms3d", sample("corpus/ms3d/comments_empty.ms3d"));
    let edit = ["set", "a.ms3d", "--create", "comments.model", "comments.model=y", "-o", "b.ms3d"];
    let ran = sandbox.run(&edit);
    assert_eq!(ran.code, 0, "{}", ran.err);
    assert_eq!(sandbox.run(&["get", "b.ms3d", "comments.model[0].text"]).out, "y\n");
}

#[test]
fn textures_are_searched_in_directories_that_exist() {
    let sandbox = Sandbox::new();
    sandbox.write("a.ms3d", valid());
    for directory in ["missing", "a.ms3d"] {
        let args = ["export", "a.ms3d", "--textures", directory, "-o", "out.glb"];
        assert_refused(&sandbox, &args, 2, "'--textures <DIR>': is not a directory");
    }
}

#[test]
fn what_is_not_written_loses_nothing() {
    let sandbox = Sandbox::new();
    sandbox.write("skin.crf", sample("corpus/cal3d/skin.crf"));
    let ran = sandbox.run(&["export", "skin.crf", "-o", "out.glb"]);
    assert_eq!(ran.err, "bindpose: skin.crf: no bones and no triangles; nothing was written\n");
    assert_eq!(ran.code, 6);
}

#[test]
fn generated_files_are_named_once_and_mutants_differ() {
    let sandbox = Sandbox::new();
    sandbox.write("a.psk", sample("corpus/psk/plane.psk"));
    assert_eq!(sandbox.run(&["gen", "psk", "--seed", "1", "--count", "2", "-o", "made"]).code, 0);
    let names = |folder: &str| {
        let entries = fs::read_dir(sandbox.path(folder)).unwrap();
        entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect::<BTreeSet<_>>()
    };
    assert_eq!(names("made"), ["1.psk", "2.psk"].map(String::from).into());
    assert_eq!(sandbox.run(&["mutate", "a.psk", "--seed", "1", "--count", "100", "-o", "mutants"]).code, 0);
    assert!(names("mutants").contains("001.a.psk") && names("mutants").contains("100.a.psk"));
    assert_eq!(sandbox.run(&["gen", "psk", "--seed", "1", "--count", "11", "-o", "more"]).code, 0);
    assert!(names("more").first().is_some_and(|first| first == "01.psk"));
    let mutants: BTreeSet<_> = names("mutants")
        .iter()
        .map(|name| fs::read(sandbox.path(&format!("mutants/{name}"))).unwrap())
        .collect();
    assert_eq!(mutants.len(), 100);
}

#[test]
fn a_family_of_rules_is_explained_as_it_is_selected() {
    let sandbox = Sandbox::new();
    for family in ["psk", "ms3d", "any"] {
        let ran = sandbox.run(&["check", "--explain", family]);
        assert!(ran.code == 0 && ran.out.contains(&format!("\n{family}/")), "{family}: {}", ran.err);
        let filtered = ["check", "--only", family, "--ignore", family, "."];
        assert_refused(&sandbox, &filtered, 2, "no rule is left");
    }
}

#[test]
fn the_roots_of_a_summary_are_those_of_its_scene() {
    let sandbox = Sandbox::new();
    sandbox.write("a.x", "xof 0303txt 0032\nFrame Body { Frame Head {} }\nFrame Bones { Frame Hip {} }\n");
    let ran = sandbox.run(&["info", "--scene", "a.x"]);
    assert!(ran.out.contains("  skeleton    4 bones, 2 roots: Body, Bones\n"), "{}", ran.out);
    let scene = "  bones       Body\n                Head\n              Bones\n                Hip\n";
    assert!(ran.out.contains(scene), "{}", ran.out);
}

#[test]
fn objects_without_a_name_leave_no_gap() {
    let sandbox = Sandbox::new();
    sandbox.write("a.x", "xof 0303txt 0032\nFrame { Frame Hip {} }\nFrame Tail {}\n");
    let ran = sandbox.run(&["info", "--scene", "a.x"]);
    assert!(ran.out.contains("  skeleton    3 bones, 2 roots: without a name, Tail\n"), "{}", ran.out);
    assert!(ran.out.contains("  bones       without a name\n"), "{}", ran.out);
    let why = "a.x: no clip is named `walk`; there are no clips with a name";
    assert_refused(&sandbox, &["remove", "--clip", "walk", "a.x", "-o", "out"], 2, why);
}

#[test]
fn a_wrong_setting_is_reported_with_its_file() {
    let sandbox = Sandbox::new();
    sandbox.write("own.toml", "[check]\nignore = [\"psk/nothing\"]\n");
    let args = ["check", ".", "--config", "own.toml"];
    assert_refused(&sandbox, &args, 2, "own.toml: unknown rule `psk/nothing`");
}

#[test]
fn files_with_nothing_to_convert_are_skipped_in_folders_and_refused_by_name() {
    let sandbox = Sandbox::new();
    sandbox.write("in/hero.ms3d", valid());
    sandbox.write("in/set.psk", sample("corpus/psk/set.psk"));
    sandbox.write("in/skin.crf", sample("corpus/cal3d/skin.crf"));
    let ran = sandbox.run(&["convert", "in", "--to", "ms3d", "--out-dir", "out"]);
    let summary = "1 file converted to out, 2 with nothing to convert skipped.";
    assert!(ran.code == 0 && ran.err.contains(summary), "{}: {}", ran.code, ran.err);
    assert!(sandbox.path("out/set.ms3d").exists());
    for (name, why) in
        [("hero.ms3d", "is of the format ms3d already"), ("skin.crf", "has no meshes or bones")]
    {
        assert_refused(
            &sandbox,
            &["convert", &format!("in/{name}"), "--to", "ms3d", "--out-dir", "out"],
            if name == "skin.crf" { 6 } else { 2 },
            why,
        );
    }
}

#[test]
fn results_with_the_names_of_clips_are_kept_apart_by_the_files_they_are_from() {
    let sandbox = Sandbox::new();
    for name in ["a.psa", "W.psa"] {
        sandbox.write(&format!("in/{name}"), sample("corpus/psk/set.psa"));
    }
    let convert = |input: &str, out: &str| {
        let ran = sandbox.run(&["convert", input, "--to", "unigine-anim", "--out-dir", out]);
        assert_eq!(ran.code, 0, "{}", ran.err);
    };
    convert("in", "all");
    convert("in/a.psa", "one");
    for result in
        ["all/a/Wave.anim", "all/a/Grow.anim", "all/W/Wave.anim", "all/W/Grow.anim", "one/Wave.anim"]
    {
        assert!(sandbox.path(result).exists(), "{result}");
    }
}

#[test]
fn blanks_around_the_sign_of_an_assignment_are_not_written() {
    let sandbox = Sandbox::new();
    sandbox.write("a.ms3d", valid());
    sandbox.write("edits.txt", b"  joints[1].name =\tknee\n");
    let edit = ["set", "a.ms3d", "joints[0].name = hip", "@edits.txt", "-o", "b.ms3d"];
    let ran = sandbox.run(&edit);
    assert_eq!(ran.code, 0, "{}", ran.err);
    assert_eq!(
        sandbox.run(&["get", "b.ms3d", "joints[0..2].name"]).out,
        "joints[\"hip\"].name=hip\njoints[\"knee\"].name=knee\n"
    );
    let ran = sandbox.run(&["set", "a.ms3d", "joints[0].name = \\x20hip", "-o", "c.ms3d"]);
    assert_eq!(ran.code, 0, "{}", ran.err);
    assert_eq!(sandbox.run(&["get", "c.ms3d", "joints[0].name", "--raw"]).out, " hip\n");
}

#[test]
fn a_bone_of_a_set_is_renamed_where_its_name_differs_in_case() {
    let sandbox = Sandbox::new();
    for name in ["set.psk", "set.psa"] {
        sandbox.write(name, sample(&format!("corpus/psk/{name}")));
    }
    let edit = ["--bone", "top=head", "--out-dir", "out"];
    let ran = sandbox.run(&[&["rename", "set.psk", "set.psa"], &edit[..]].concat());
    assert!(ran.code == 0 && ran.err.contains("2 files changed"), "{}", ran.err);
    let ran = sandbox.run(&["get", "out/set.psa", "bones[*].name"]);
    assert!(ran.out.contains("=head\n") && !ran.out.contains("Top"), "{}", ran.out);
    assert_refused(&sandbox, &[&["rename", "set.psa"], &edit[..]].concat(), 2, "top");
}

#[test]
fn files_without_changes_have_no_line_beside_others() {
    let sandbox = Sandbox::new();
    sandbox.write("set.psk", sample("corpus/psk/set.psk"));
    sandbox.write("set.config", sample("corpus/psk/set.config"));
    let edit = ["rename", "set.psk", "set.config", "--bone", "root=hips"];
    let ran = sandbox.run(&[&edit[..], &["-n"]].concat());
    assert!(!ran.out.contains("0 changes") && ran.out.contains("set.psk: 1 change"), "{}", ran.out);
    let ran = sandbox.run(&[&edit[..], &["--out-dir", "out"]].concat());
    assert!(!ran.err.contains("0 changes") && ran.err.contains("1 file changed, 1 unchanged"), "{}", ran.err);
}

#[test]
fn two_results_with_one_path_are_refused_before_one_is_written() {
    let sandbox = Sandbox::new();
    sandbox.write("a.ms3d", valid());
    for second in ["out.psk", "./out.psk"] {
        let args = ["convert", "a.ms3d", "-o", "out.psk", "-o", second];
        assert_refused(&sandbox, &args, 2, "out.psk: two results would have this path");
        assert_refused(&sandbox, &[&args[..], &["--force"]].concat(), 2, "two results would have this path");
    }
}

/// What else changes to store a longer name says nothing to people.
#[test]
fn the_changes_of_a_rename_are_names() {
    let sandbox = Sandbox::new();
    for (sample_of, old, raw) in [
        ("directx/skinned_bin.x", "Arm", "len_text: 3 -> 12"),
        ("directx/skinned_bzip.x", "Arm", "len_text: 3 -> 12"),
        ("cal3d/two.csf", "Bip01", "len_name: 6 -> 13"),
        ("iqm/bar.iqm", "low", "filesize: "),
    ] {
        let file = sample_of.rsplit('/').next().unwrap();
        sandbox.write(file, sample(&format!("corpus/{sample_of}")));
        let args = ["rename", file, "--bone", &format!("{old}=another_name"), "--dry-run"];
        let ran = sandbox.run(&args);
        assert_eq!(ran.code, 0, "{file}: {}", ran.err);
        let mut lines: Vec<_> = ran.out.lines().skip(1).collect();
        let further = lines.pop().unwrap();
        assert!(further.ends_with("(counts, sizes, offsets); --raw-paths lists all"), "{file}: {further}");
        let is_name = |line: &&str| line.ends_with(&format!(": {old} -> another_name"));
        let others: Vec<_> = lines.iter().filter(|line| !is_name(line)).collect();
        // IQM stores all names in one text.
        let is_pool = |line: &&str| line.contains("sections.text: ");
        assert!(others.iter().all(|line| is_pool(line)) && others.len() < lines.len(), "{file}: {others:?}");
        let all = sandbox.run(&[&args[..], &["--raw-paths"]].concat()).out;
        assert!(all.contains(raw) && all.lines().count() > lines.len() + 1, "{file}: {all}");
    }
}

#[test]
fn swapped_names_are_listed_where_they_are() {
    let sandbox = Sandbox::new();
    for (file, own, is_fixed, swapped) in [
        ("a.ms3d", "corpus/ms3d/full.ms3d", true, ["root=top", "top=root"]),
        ("a.psk", "corpus/psk/set.psk", true, ["root=top", "top=root"]),
        ("a.psa", "corpus/psk/set.psa", true, ["Top=tail", "tail=Top"]),
        ("a.csf", "corpus/cal3d/two.csf", false, ["Bip01=Bip01 Spine", "Bip01 Spine=Bip01"]),
        ("a.x", "corpus/directx/skinned.x", false, ["Root=Arm", "Arm=Root"]),
    ] {
        sandbox.write(file, sample(own));
        let args = ["rename", file, "--bone", swapped[0], "--bone", swapped[1], "--format", "json"];
        let ran = sandbox.run(&[&args[..], &["--dry-run"]].concat());
        assert_eq!(ran.code, 0, "{file}: {}", ran.err);
        let (changes, before) = (ran.json(), fs::read(sandbox.path(file)).unwrap());
        assert_eq!(sandbox.run(&[&args[..], &["-o", "b", "--force"]].concat()).code, 0);
        let after = fs::read(sandbox.path("b")).unwrap();
        assert!(before != after, "{file}");
        let within = |at: usize| {
            changes.iter().any(|own| (own["start"].as_u64()..own["end"].as_u64()).contains(&Some(at as u64)))
        };
        // Names of other lengths move what follows in texts and lists.
        let differing = (0..before.len()).filter(|at| is_fixed && before[*at] != after[*at]);
        let unlisted: Vec<_> = differing.filter(|at| !within(*at)).collect();
        assert!(unlisted.is_empty(), "{file}: {unlisted:?}: {}", ran.out);
        let is_swap = |own: &&serde_json::Value| {
            let [old, new] = ["before", "after"].map(|side| own[side].as_str().unwrap_or_default());
            swapped.contains(&&*format!("{old}={new}"))
        };
        assert!(changes.iter().filter(is_swap).count() > 1, "{file}: {}", ran.out);
        assert!(
            changes.iter().all(|own| own["action"] == "set" && own["before"] != own["after"]),
            "{}",
            ran.out
        );
    }
}

#[test]
fn a_value_that_is_partly_present_is_not_transformed() {
    let sandbox = Sandbox::new();
    let model = valid();
    // In the y of the third vertex.
    let whole = 14 + 2 + 2 * 15 + 1;
    sandbox.write("cut.ms3d", &model[..whole + 4 + 2]);
    for (args, end, field) in [
        (&["--scale", "2"][..], whole + 4, "vertices[2].position[1]"),
        (&["--rotate", "z=30"], whole, "vertices[2].position"),
        (&["--translate", "1,2,3", "--scale", "3"], whole, "vertices[2].position"),
    ] {
        let ran = sandbox.run(&[&["transform", "cut.ms3d", "-o", "b.ms3d", "--force"], args].concat());
        let why = format!("cut.ms3d: {field}: only partly present; left unchanged");
        assert!(ran.code == 0 && ran.err.contains(&why), "{args:?}: {}", ran.err);
        let [before, after] = ["cut.ms3d", "b.ms3d"].map(|name| fs::read(sandbox.path(name)).unwrap());
        assert!(before != after && before[end..] == after[end..], "{args:?}");
    }
}

#[test]
fn standard_input_is_edited_as_a_file_is() {
    let sandbox = Sandbox::new();
    let bytes = sample("corpus/psk/set.psa");
    sandbox.write("a.psa", &bytes);
    for verb in [
        &["rename", "--bone", "Top=Upper"][..],
        &["remove", "--clip", "Grow"],
        &["extract", "--clip", "Wave"],
        &["transform", "--scale", "2"],
    ] {
        assert_eq!(sandbox.run(&[verb, &["a.psa", "-o", "b.psa", "--force"]].concat()).code, 0, "{verb:?}");
        let ran = sandbox.run_with_input(&[verb, &["-", "-o", "c.psa", "--force"]].concat(), &bytes);
        assert_eq!(ran.code, 0, "{verb:?}: {}", ran.err);
        let [file, input] = ["b.psa", "c.psa"].map(|name| fs::read(sandbox.path(name)).unwrap());
        assert_eq!(file, input, "{verb:?}");
    }
}

#[test]
fn names_and_indices_refer_to_the_original_file() {
    let sandbox = Sandbox::new();
    sandbox.write("a.ms3d", sample("corpus/ms3d/full.ms3d"));
    let swap = ["set", "a.ms3d", "joints[root].name=top", "joints[top].name=root", "-o", "b.ms3d"];
    assert_eq!(sandbox.run(&swap).code, 0);
    assert_eq!(sandbox.run(&["get", "b.ms3d", "joints[*].name", "--raw"]).out, "top\nroot\n");
    let appended = ["set", "a.ms3d", "--append", "vertices", "--delete", "vertices[6]", "-n"];
    assert_eq!(sandbox.run(&appended).code, 2);
    let last = ["set", "a.ms3d", "--append", "materials", "--delete", "materials[-1]", "-o", "c.ms3d"];
    assert_eq!(sandbox.run(&last).code, 0);
    assert_eq!(sandbox.run(&["get", "c.ms3d", "materials[0].name", "--raw"]).out, "\n");
}

#[test]
fn the_highest_code_is_returned_for_values_of_many_files() {
    let sandbox = Sandbox::new();
    sandbox.write("in/a.ms3d", valid());
    sandbox.write("in/b.ms3d", "no model");
    assert_eq!(sandbox.run(&["get", "in", "nothing"]).code, 4);
    assert_eq!(sandbox.run(&["get", "nothing", "--files", "in/a.ms3d", "missing"]).code, 3);
    assert_eq!(sandbox.run(&["find", "in", "--value", "version=4.0", "-l"]).out, "in/a.ms3d\n");
}

#[cfg(unix)]
#[test]
fn a_file_that_cannot_be_read_is_not_of_another_format() {
    let sandbox = Sandbox::new();
    sandbox.write("d/a.ms3d", valid());
    sandbox.write("d/b.ms3d", valid());
    std::os::unix::fs::symlink("nowhere", sandbox.path("d/c.ms3d")).unwrap();
    for edit in EDITS {
        let ran = sandbox.run(&[edit, &["d", "--out-dir", "out"]].concat());
        assert!(ran.code == 3 && ran.err.contains("c.ms3d"), "{edit:?}: {}: {}", ran.code, ran.err);
    }
    assert_eq!(sandbox.run(&["merge", "d", "-o", "m.ms3d"]).code, 3);
    assert!(!sandbox.path("m.ms3d").exists());
}

/// Every verb with a result, its arguments and inputs.
const RESULTS: [&[&str]; 17] = [
    &["set", "a.ms3d", "animation.fps=30"],
    &["rename", "a.ms3d", "--bone", "root=hips"],
    &["remove", "a.ms3d", "--bone", "top"],
    &["extract", "set.psa", "--clip", "Wave"],
    &["transform", "a.ms3d", "--scale", "2"],
    &["merge", "set.psk", "set.psk"],
    &["to-json", "a.ms3d"],
    &["from-json", "a.json"],
    &["rescue", "a.ms3d"],
    &["convert", "a.ms3d", "--to", "psk"],
    &["convert", "a.x", "--to", "bin"],
    &["export", "a.ms3d"],
    &["preview", "a.ms3d"],
    &["gen", "ms3d", "--seed", "1"],
    &["mutate", "a.ms3d", "--seed", "1"],
    &["shrink", "a.ms3d", "--predicate", "true"],
    &["check", "filtered.ms3d", "--fix", "all"],
];

/// A directory with the inputs of [`RESULTS`].
fn with_inputs() -> Sandbox {
    let sandbox = Sandbox::new();
    for (name, copied) in [
        ("a.ms3d", "corpus/ms3d/full.ms3d"),
        ("filtered.ms3d", "damaged/ms3d/line_ends.ms3d"),
        ("set.psk", "corpus/psk/set.psk"),
        ("set.psa", "corpus/psk/set.psa"),
        ("a.x", "corpus/directx/skinned.x"),
    ] {
        sandbox.write(name, sample(copied));
    }
    sandbox.write("a.json", sandbox.run(&["to-json", "a.ms3d"]).out);
    sandbox
}

#[test]
fn no_verb_creates_the_directory_of_a_result_that_is_named() {
    let sandbox = with_inputs();
    for args in RESULTS {
        let name = match args[0] {
            "preview" => "missing/a.png",
            "export" => "missing/a.glb",
            _ => "missing/a.ms3d",
        };
        let why = format!("{name}: the directory missing does not exist");
        assert_refused(&sandbox, &[args, &["-o", name]].concat(), 3, &why);
    }
}

#[test]
fn standard_input_has_no_name_in_a_directory() {
    let sandbox = with_inputs();
    for args in RESULTS {
        let input = args[1];
        if !sandbox.run(&["help", args[0]]).out.contains("--out-dir") {
            continue;
        }
        let args: Vec<_> = args.iter().map(|arg| if *arg == input { "-" } else { arg }).collect();
        let ran = sandbox.run_with_input(&[&args[..], &["--out-dir", "out"]].concat(), &[]);
        assert!(ran.code == 2 && ran.err.contains("standard input (-) has no name"), "{args:?}: {}", ran.err);
        assert!(!sandbox.path("out").exists(), "{args:?}");
    }
}

#[test]
fn standard_input_is_read_by_one_argument() {
    let sandbox = with_inputs();
    for args in [
        &["diff", "-", "-"][..],
        &["merge", "-", "-", "-o", "b.ms3d"],
        &["merge", "--base", "-", "-", "a.ms3d", "-o", "b.ms3d"],
        &["roundtrip", "-", "@-"],
        &["check", "-", "-"],
        &["info", "-", "-"],
        &["get", "version", "--files", "-", "-"],
        &["rename", "-", "-", "--bone", "root=hips", "-o", "b.ms3d"],
        &["convert", "-", "--retarget", "-", "-o", "b.psk"],
        &["report", "merge", "-", "-"],
    ] {
        let ran = sandbox.run_with_input(args, &valid());
        let why = "standard input (-) can be read only once";
        assert!(ran.code == 2 && ran.err.contains(why) && ran.out.is_empty(), "{args:?}: {}", ran.err);
    }
    sandbox.write("-", valid());
    sandbox.write("list", "-\n");
    assert_eq!(sandbox.run(&["roundtrip", "@list"]).code, 0, "a list names files");
}

#[test]
fn edits_together_are_those_one_after_the_other() {
    let sandbox = Sandbox::new();
    for name in ["a.ms3d", "b.ms3d"] {
        sandbox.write(name, valid());
    }
    let edits = [
        "joints[\"root\"].name=hip",
        "joints[1].position.y=2.5",
        "vertices[2].flags.hidden=1",
        "animation.fps=30",
        "materials[0].name=skin",
    ];
    let listed = sandbox.run(&[&["set", "a.ms3d", "-n"], &edits[..]].concat()).out;
    assert_eq!(listed.lines().count(), edits.len(), "{listed}");
    assert_eq!(sandbox.run(&[&["set", "a.ms3d", "--in-place"], &edits[..]].concat()).code, 0);
    for edit in edits {
        assert_eq!(sandbox.run(&["set", "b.ms3d", "--in-place", edit]).code, 0, "{edit}");
    }
    assert!(fs::read(sandbox.path("a.ms3d")).unwrap() == fs::read(sandbox.path("b.ms3d")).unwrap());
}

/// A MilkShape 3D file with joints of these names.
fn with_joints(names: &[String]) -> Vec<u8> {
    let mut bytes = b"MS3D000000\x04\0\0\0".to_vec();
    bytes.resize(bytes.len() + 4 * 2 + 3 * 4, 0);
    bytes.extend(u16::try_from(names.len()).unwrap().to_le_bytes());
    for name in names {
        let start = bytes.len() + 1;
        bytes.resize(bytes.len() + 93, 0);
        bytes[start..start + name.len()].copy_from_slice(name.as_bytes());
    }
    bytes
}

#[test]
fn values_by_name_take_as_long_as_values_by_index() {
    let names: Vec<_> = (0..1500).map(|index| format!("b{index}")).collect();
    let sandbox = Sandbox::new();
    sandbox.write("a.ms3d", with_joints(&names));
    let time = |paths: Vec<String>| {
        let paths: Vec<_> = paths.iter().map(String::as_str).collect();
        let start = Instant::now();
        let ran = sandbox.run(&[&["get", "a.ms3d"], &paths[..]].concat());
        assert!(ran.code == 0 && ran.out.lines().count() == names.len(), "{}", ran.err);
        start.elapsed()
    };
    let by_index = || time((0..names.len()).map(|index| format!("joints[{index}].position.x")).collect());
    let by_name = || time(names.iter().map(|name| format!("joints[\"{name}\"].position.x")).collect());
    // Other programs can delay some of the runs; a search of all names for each value delays all.
    assert!((0..5).any(|_| by_name() < 4 * by_index()));
}

/// In a text, the numbers of a vector are values of their own.
#[test]
fn each_selected_vector_of_a_text_gets_the_parts() {
    let sandbox = Sandbox::new();
    for name in ["directx/skinned.x", "directx/skinned_bin.x", "cal3d/two.xsf"] {
        sandbox.write(name, sample(&format!("corpus/{name}")));
    }
    for (file, path, count) in [
        ("directx/skinned.x", "Mesh.vertices[0..2]", 2),
        ("directx/skinned_bin.x", "Mesh.vertices[*]", 3),
        ("cal3d/two.xsf", "bones[0].translation", 1),
        ("cal3d/two.xsf", "bones[*].translation", 2),
    ] {
        let ran = sandbox.run(&["set", file, &format!("{path}=[4,5,6]"), "-o", "out", "--force", "-q"]);
        assert_eq!(ran.code, 0, "{file} {path}: {}", ran.err);
        let values = sandbox.run(&["get", "out", path]).out;
        let numbers = values.lines().map(|line| line.rsplit('=').next().unwrap().parse::<f32>().unwrap());
        assert!(numbers.eq([4.0, 5.0, 6.0].repeat(count)), "{file} {path}: {values}");
    }
    for (file, edit, why) in [
        ("directx/skinned.x", "Mesh.vertices=[1,2,3]", "Mesh.vertices: has 9 values, got 3"),
        ("directx/skinned.x", "Mesh.vertices[0..2]=[1,2]", "Mesh.vertices[0..2]: has 6 values, got 2"),
        ("cal3d/two.xsf", "bones[0].translation=[1,2,b]", "bones[0].translation: `b` is not a number"),
        ("cal3d/two.xsf", "bones[0].translation=b", "bones[0].translation: `b` is not a number"),
    ] {
        assert_refused(&sandbox, &["set", file, edit, "-n"], 2, why);
    }
    let ran = sandbox.run(&["set", "cal3d/two.xsf", "bones[0].name=[1,2,3]", "-n"]);
    assert!(ran.out.contains("-> [1,2,3]"), "{}", ran.out);
}

#[test]
fn an_element_is_suggested_if_it_can_be_deleted() {
    let sandbox = Sandbox::new();
    for name in ["directx/skinned.x", "ms3d/full.ms3d"] {
        sandbox.write(name, sample(&format!("corpus/{name}")));
    }
    for (file, path, first) in [
        ("directx/skinned.x", "Mesh.vertices[0]", None),
        ("ms3d/full.ms3d", "animation.fps", None),
        ("ms3d/full.ms3d", "vertices[0].position", None),
        ("ms3d/full.ms3d", "materials", Some("materials[0]")),
    ] {
        let ran = sandbox.run(&["set", file, "--delete", path, "-n"]);
        let why = format!("{file}: {path}: is not an element of a list\n");
        assert!(ran.code == 2 && ran.err.contains(&why), "{}", ran.err);
        let help = first.map(|first| format!("help: select an element by its index, such as '{first}'"));
        assert_eq!(ran.err.lines().nth(1), help.as_deref(), "{}", ran.err);
        if let Some(first) = first {
            let ran = sandbox.run(&["set", file, "--delete", first, "-n"]);
            assert_eq!(ran.code, 0, "{}", ran.err);
        }
    }
}

#[test]
fn errors_in_a_file_rebuilt_from_json_are_counted() {
    let sandbox = Sandbox::new();
    sandbox.write("a.ms3d", valid());
    assert_eq!(sandbox.run(&["to-json", "a.ms3d", "-o", "a.json"]).code, 0);
    let ran = sandbox.run(&["from-json", "a.json", "-o", "same.ms3d"]);
    assert!(ran.code == 0 && !ran.err.contains("error"), "{}", ran.err);
    let mut json: serde_json::Value = serde_json::from_str(&sandbox.read("a.json")).unwrap();
    assert_eq!(json["file"]["vertices"]["fields"][2], "bone_id");
    for vertex in 0..2 {
        json["file"]["vertices"]["rows"][vertex][2] = 9.into();
    }
    sandbox.write("b.json", json.to_string());
    let ran = sandbox.run(&["from-json", "b.json", "-o", "b.ms3d"]);
    let expected = "bindpose: b.json: the result has 2 errors; `bindpose check` lists them\n";
    assert!(ran.code == 0 && ran.err.contains(expected), "{}", ran.err);
}

#[test]
fn a_merge_with_a_file_of_more_bones_names_the_order() {
    let sandbox = Sandbox::new();
    sandbox.copy_as(&workspace().join("tests/character/dragon.psk"), "all.psk");
    assert_eq!(sandbox.run(&["remove", "all.psk", "--bone", "head", "-o", "few.psk"]).code, 0);
    let help = "help: name all.psk first: it has all bones\n";
    assert_refused(&sandbox, &["merge", "few.psk", "all.psk", "-o", "out.psk"], 2, help);
    assert_eq!(sandbox.run(&["merge", "all.psk", "few.psk", "-o", "out.psk"]).code, 0);
}
