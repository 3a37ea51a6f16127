//! What commands allocate for a file with many objects and for one with twice as many, and for many files and twice as many: it
//! grows with what they read.
//!
//! The commands run in this program, so that their allocations are counted. What they print goes to a child of it.

use std::collections::HashSet;
use std::ffi::OsString;
use std::fmt::Write as _;
use std::ops::ControlFlow::Continue;
use std::process::{Command, Stdio};
use std::{env, fs, panic};

use allocation_counter::measure;
#[cfg(unix)]
use bindpose::check::Rule;
use bindpose::edit::{self, Entity, References};
use bindpose::scene::Mesh;
use bindpose::scene::author::Authoring;
use bindpose::schema::set_each;
use bindpose::{Budget, Document, File, FileKind, FormatSpec};
#[cfg(unix)]
use nix::sys::resource::{UsageWho, getrusage};

use crate::large::Many;
use crate::sandbox::Sandbox;

/// The number of objects in the smaller file.
const NUMBER: usize = 60;

/// Bytes that may be allocated beside what grows.
const FIXED: u64 = 1 << 18;

/// Commands. `FILE` stands for a file, `OTHER` for one with other values, `BAD` for one with broken references, `JSON` for the file
/// as JSON, `EDITS` for an assignment of each name, `TABLE` for a table of new names, `PATHS` for the paths of the names, `DELETIONS` for options
/// that delete their objects, `CLIPS` for half of the clips, and `OUT` for a result.
const COMMANDS: [&str; 47] = [
    "roundtrip FILE",
    "info FILE",
    "check FILE",
    "check BAD --format json",
    "check BAD --format sarif",
    "check --fix all --dry-run BAD",
    "map FILE",
    "map FILE --format json",
    "tree FILE",
    "tree FILE --format json",
    "get FILE PATHS",
    "get FILE PATHS --raw",
    "get --files FILE -- PATHS",
    "refs FILE",
    "refs FILE PATHS",
    "refs BAD --format json",
    "find FILE --bone bone1*",
    "set FILE @EDITS -o OUT --force",
    "set FILE @EDITS -n --format json",
    "set FILE -n DELETIONS",
    "rename FILE --map TABLE -o OUT --force",
    "rename FILE --map TABLE -n --format json",
    "remove FILE --bone bone2 -o OUT --force",
    "remove FILE CLIPS -o OUT --force",
    "extract FILE --clip aclip1* -o OUT --force",
    "extract FILE --material amaterial1* -o OUT --force",
    "merge FILE OTHER -o OUT --force",
    "transform FILE --scale 2 -o OUT --force",
    "transform FILE --rotate x=90 -n --format json",
    "diff FILE OTHER",
    "diff FILE BAD --format json",
    "to-json FILE -o OUT --force",
    "to-json --objects FILE -o OUT --force",
    "from-json JSON -o OUT --force",
    "rescue FILE -o OUT --force",
    "rescue BAD -o OUT --force",
    "convert FILE --to x -o OUT --force",
    "convert FILE --to psk -o OUT --force --loss-report json",
    "convert FILE --to iqm -o OUT --force",
    "convert FILE --to unigine --out-dir OUT.d --force",
    "convert FILE --to cal3d --out-dir OUT.d --force",
    "convert FILE --to max --out-dir OUT.d --force",
    "convert FILE --to unreal --out-dir OUT.d --force",
    "export FILE -o OUT.glb --force",
    "preview FILE -o OUT.png --force --size 16x16",
    "mutate FILE --seed 1 -o OUT --force",
    "set FILE @EDITS --in-place",
];

/// A file, and what is beside it.
struct Input {
    sandbox: Sandbox,
    name: String,
    paths: Vec<String>,
    /// Half of the clips.
    clips: Vec<String>,
}

impl Input {
    fn new(file: &File) -> Self {
        let sandbox = Sandbox::new();
        let kind = file.kind();
        let name = |stem: &str| format!("{stem}.{}.{}", kind.name(), kind.info().extensions[0]);
        let encoded = |file: &File| file.encode().expect("a file within the limits of its format");
        let mut other = file.clone();
        _ = edit::scale(&mut other, 2.0, &Budget::default());
        sandbox.write(&name("file"), encoded(file));
        sandbox.write(&name("other"), encoded(&other));
        sandbox.write(&name("bad"), encoded(&broken(file)));
        let mut json = Vec::new();
        file.to_json(&mut json).expect("a vector");
        sandbox.write("file.json", json);
        let names = edit::names(file).expect("a valid file");
        let paths: Vec<_> = file.with_object_paths(|paths| {
            let path =
                |own: &edit::Name| paths.path(&own.path).unwrap_or_else(|| own.path.clone()).to_string();
            names.iter().map(path).collect()
        });
        let (mut edits, mut table) = (String::new(), "kind,old,new\n".to_owned());
        for (nth, (path, own)) in paths.iter().zip(&names).enumerate() {
            _ = writeln!(edits, "{path}=new{nth}");
            if own.is_definition && own.entity == Entity::Bone {
                _ = writeln!(table, "bone,{0},new{0}", own.text.escape_ascii());
            }
        }
        sandbox.write("edits.txt", edits);
        sandbox.write("table.csv", table);
        let clips = names.iter().filter(|own| own.is_definition && own.entity == Entity::Clip);
        let clips = clips.step_by(2).map(|own| own.text.escape_ascii().to_string()).collect();
        Self { sandbox, name: name(""), paths, clips }
    }

    /// Returns the arguments of a command.
    fn arguments(&self, command: &str) -> Vec<OsString> {
        let at = |name: &str| vec![self.sandbox.path(name).into_os_string()];
        let texts = |texts: &mut dyn Iterator<Item = String>| texts.map(OsString::from).collect();
        let argument = |word: &str| match word {
            "FILE" => at(&format!("file{}", self.name)),
            "OTHER" => at(&format!("other{}", self.name)),
            "BAD" => at(&format!("bad{}", self.name)),
            "JSON" => at("file.json"),
            "TABLE" => at("table.csv"),
            "OUT" => at(&format!("out{}", self.name)),
            "OUT.d" | "OUT.glb" | "OUT.png" => at(word),
            "@EDITS" => {
                texts(&mut [format!("@{}", self.sandbox.path("edits.txt").to_str().unwrap())].into_iter())
            }
            "CLIPS" => texts(&mut self.clips.iter().flat_map(|clip| ["--clip".to_owned(), clip.clone()])),
            "PATHS" => texts(&mut self.paths.iter().cloned()),
            "DELETIONS" => texts(&mut self.paths.iter().flat_map(|path| {
                let element = path.rsplit_once('.').map_or(&**path, |(element, _)| element);
                ["--delete".to_owned(), element.to_owned()]
            })),
            word => vec![word.into()],
        };
        std::iter::once("bindpose").chain(command.split(' ')).flat_map(argument).collect()
    }

    fn cost(&self, command: &str) -> Option<[u64; 2]> {
        cost(self.arguments(command))
    }
}

/// Returns the number of allocations and of allocated bytes; none if the command fails.
fn cost(arguments: Vec<OsString>) -> Option<[u64; 2]> {
    let mut code = 0;
    let cost = measure(|| code = bindpose_cli::status(arguments));
    // That of the command is silent.
    _ = panic::take_hook();
    // 1 means that there are differences or findings.
    (code <= 1).then_some([cost.count_total, cost.bytes_total])
}

/// The number of models in the smaller folder.
const MODELS: usize = 24;

/// Commands. `DIR` stands for a folder of models in one format, `FILES` for its files, `JSON` for the folder as JSON, `NAMES` for a
/// table of new names, and `OUT` for a result. `merge`, and `remove` of a bone from many skeletons, are left out: their
/// cost grows with the square of the number of files.
const OF_FILES: [&str; 28] = [
    "roundtrip DIR --jobs 1",
    "roundtrip FILES --jobs 1 --report junit=OUT.xml --force",
    "check DIR --jobs 1",
    "check FILES --jobs 1",
    "check DIR --jobs 1 --format json",
    "check DIR --jobs 1 --report sarif=OUT.sarif --force",
    "check DIR --jobs 1 --baseline OUT.baseline --update-baseline",
    "check DIR --fix all --dry-run --jobs 1",
    "info DIR --jobs 1",
    "info FILES --jobs 1",
    "info DIR --jobs 1 --format json",
    "find DIR --bone bone1 --jobs 1",
    "find DIR --clip a* --jobs 1 --format json",
    "rename DIR --bone bone1=other --out-dir OUT --force --jobs 1",
    "rename FILES --bone bone1=other --out-dir OUT --force --jobs 1",
    "rename FILES --map NAMES --out-dir OUT --force --jobs 1",
    "remove DIR --bone bone2 --out-dir OUT --force --jobs 1",
    "extract DIR --clip a* --out-dir OUT --force --jobs 1",
    "extract FILES --material a*material0 --out-dir OUT --force --jobs 1",
    "transform DIR --scale 2 --out-dir OUT --force --jobs 1",
    "transform FILES --scale 2 --out-dir OUT --force --jobs 1",
    "to-json DIR --out-dir OUT --force --jobs 1",
    "from-json JSON --out-dir OUT --force --jobs 1",
    "convert DIR --to x --out-dir OUT --force --jobs 1",
    "convert DIR --to psk --out-dir OUT --force --jobs 1",
    "convert FILES --to unigine --out-dir OUT --force --jobs 1",
    "export DIR --out-dir OUT --force --jobs 1",
    "preview FILES -o OUT.png --force --size 16x16",
];

/// A folder of models in one format.
struct Folder {
    sandbox: Sandbox,
    files: Vec<OsString>,
}

impl Folder {
    /// Writes models with this number; none if the format cannot represent them.
    fn new(kind: FileKind, number: usize) -> Option<Self> {
        let sandbox = Sandbox::new();
        let mut files = Vec::new();
        let mut names = "kind,old,new\n".to_owned();
        for nth in 0..number {
            let stem = format!("a{nth}");
            let scene = Many::Bones.scene(4, &stem);
            let written = FormatSpec::from(kind).author(&scene, &stem, &Authoring::default()).ok()?;
            for own in written.files {
                let path =
                    sandbox.write(&format!("models/{}", own.name), own.file.encode().expect("a new file"));
                files.push(path.into_os_string());
                let mut json = Vec::new();
                own.file.to_json(&mut json).expect("a vector");
                sandbox.write(&format!("json/{}.json", own.name), json);
            }
            _ = writeln!(names, "material,{stem}material0,other{nth}");
        }
        sandbox.write("names.csv", names);
        Some(Self { sandbox, files })
    }

    fn cost(&self, command: &str) -> Option<[u64; 2]> {
        let at = |name: &str| vec![self.sandbox.path(name).into_os_string()];
        let argument = |word: &str| match word {
            "FILES" => self.files.clone(),
            "DIR" => at("models"),
            "JSON" => at("json"),
            "NAMES" => at("names.csv"),
            word => match word.split_once("OUT") {
                Some((before, after)) => {
                    let mut argument = OsString::from(before);
                    argument.push(self.sandbox.path(&format!("out{after}")));
                    vec![argument]
                }
                None => vec![word.into()],
            },
        };
        cost(std::iter::once("bindpose").chain(command.split(' ')).flat_map(argument).collect())
    }
}

/// Commands whose cost depends on the number of meshes. `FILE` stands for a file.
const OF_MESHES: [&str; 2] = ["tree FILE", "tree FILE --format json"];

/// Returns files with this many meshes, in each form of a format; none if it cannot represent them.
fn of_meshes(kind: FileKind, number: usize) -> Vec<File> {
    let mut scene = Many::Bones.scene(4, "a");
    let mesh = scene.meshes.remove(0);
    scene.meshes = (0..number).map(|nth| Mesh { name: format!("mesh{nth}"), ..mesh.clone() }).collect();
    let written = FormatSpec::from(kind).author(&scene, "a", &Authoring::default());
    let files = written.map_or_else(|_| Vec::new(), |written| written.files).into_iter();
    let Some(file) = files.map(|own| own.file).max_by_key(|file| file.value().size()) else {
        return Vec::new();
    };
    let forms = kind.forms().iter().filter(|form| Some(**form) != file.form());
    let others = forms.filter_map(|form| file.in_form(form).ok()?.0.reread().ok().map(Document::into_file));
    others.collect::<Vec<_>>().into_iter().chain([file]).collect()
}

/// Returns a file with indices that lead to no object, as far as it can have them.
fn broken(file: &File) -> File {
    let mut paths = Vec::new();
    let _ = References::of(file).expect("names").each(&mut |reference| {
        paths.push(reference.path);
        Continue(())
    });
    let broken = |number: &str| {
        let mut file = file.clone();
        let edits: Vec<_> = paths.iter().map(|path| (path.clone(), number.to_owned())).collect();
        set_each(file.value_mut(), &edits, true).is_ok().then_some(file)
    };
    broken("30000").or_else(|| broken("254")).unwrap_or_else(|| file.clone())
}

/// The file to which the child writes what it finds.
const RESULT: &str = "BINDPOSE_TEST_RESULT";

/// Compares what commands cost for pairs of which the second one is twice as large. Returns what grows faster, and the commands that
/// fail for all pairs.
fn compare<T>(
    commands: &[&str],
    pairs: impl Iterator<Item = (String, [T; 2])>,
    cost: impl Fn(&T, &str) -> Option<[u64; 2]>,
) -> String {
    let mut found = String::new();
    let mut failed = HashSet::<_>::from_iter(commands);
    for (name, [once, twice]) in pairs {
        for command in commands {
            let (Some(once), Some(twice)) = (cost(&once, command), cost(&twice, command)) else { continue };
            failed.remove(command);
            let is_steep = |own: usize| twice[own] > once[own] / 2 * 5 + [FIXED / 64, FIXED][own];
            if is_steep(0) || is_steep(1) {
                _ = writeln!(found, "{name}: {command}: {once:?}, then {twice:?}");
            }
        }
    }
    for command in failed {
        _ = writeln!(found, "{command}: fails for all files");
    }
    found
}

/// Runs a test below in a child, because commands print.
fn finds_nothing(test: &str) {
    let sandbox = Sandbox::new();
    let result = sandbox.path("result");
    let mut child = Command::new(env::current_exe().unwrap());
    child.args(["--exact", test, "--ignored", "--nocapture"]);
    child.env(RESULT, &result).env("XDG_STATE_HOME", sandbox.path("state"));
    let ran = child.stdin(Stdio::null()).stdout(Stdio::null()).output().unwrap();
    let found =
        fs::read_to_string(&result).unwrap_or_else(|_| panic!("{}", String::from_utf8_lossy(&ran.stderr)));
    assert!(found.is_empty(), "{found}");
}

#[cfg(unix)]
#[test]
fn the_time_of_a_merge_grows_with_the_number_of_findings() {
    finds_nothing("costs::of_many_findings");
}

#[test]
fn the_cost_of_a_command_grows_with_the_file() {
    finds_nothing("costs::of_every_command");
}

#[test]
fn the_cost_of_a_tree_grows_with_the_number_of_meshes() {
    finds_nothing("costs::of_many_meshes");
}

#[test]
fn the_cost_of_a_command_grows_with_the_number_of_files() {
    finds_nothing("costs::of_many_files");
}

#[test]
#[ignore = "prints what all commands print: a test above runs it"]
fn of_every_command() {
    let Some(result) = env::var_os(RESULT) else { return };
    let of = |kind: FileKind| {
        let are_objects = |many: &Many| !matches!(many, Many::Chain | Many::Triangles | Many::Keys);
        Many::ALL.into_iter().filter(are_objects).filter_map(move |many| {
            let (pair, _) = many.pair(kind, NUMBER)?;
            Some((format!("{} with many {many:?}", kind.name()), pair.each_ref().map(Input::new)))
        })
    };
    let found = compare(&COMMANDS, FileKind::ALL.iter().copied().flat_map(of), Input::cost);
    fs::write(result, found).unwrap();
}

#[test]
#[ignore = "prints what all commands print: a test above runs it"]
fn of_many_meshes() {
    let Some(result) = env::var_os(RESULT) else { return };
    let pairs = |kind: &FileKind| {
        let [once, twice] = [NUMBER, 2 * NUMBER].map(|number| of_meshes(*kind, number));
        let name = kind.name();
        let pair = move |files: (File, File)| (name.to_owned(), [&files.0, &files.1].map(Input::new));
        once.into_iter().zip(twice).map(pair)
    };
    let found = compare(&OF_MESHES, FileKind::ALL.iter().flat_map(pairs), Input::cost);
    fs::write(result, found).unwrap();
}

#[test]
#[ignore = "prints what all commands print: a test above runs it"]
fn of_many_files() {
    let Some(result) = env::var_os(RESULT) else { return };
    let pair = |kind: &FileKind| {
        let folders = [Folder::new(*kind, MODELS)?, Folder::new(*kind, 2 * MODELS)?];
        Some((kind.name().to_owned(), folders))
    };
    let found = compare(&OF_FILES, FileKind::ALL.iter().filter_map(pair), Folder::cost);
    fs::write(result, found).unwrap();
}

/// Writes a report with findings in one file, and returns the microseconds of the processor that merging it takes.
#[cfg(unix)]
fn time_of_merge(number: usize, sandbox: &Sandbox) -> i64 {
    let rule = Rule::all().next().expect("a rule").code;
    let line = |nth: usize| {
        format!(
            r#"{{"rule":"{rule}","severity":"info","path":"a","field":"list[{nth}]","start":{nth},"end":{nth},"message":"value {nth}"}}"#
        )
    };
    let report = sandbox.write("report.jsonl", (0..number).map(line).collect::<Vec<_>>().join("\n"));
    let time = || {
        let usage = getrusage(UsageWho::RUSAGE_SELF).expect("the usage of the process");
        let times = [usage.user_time(), usage.system_time()];
        times.iter().map(|own| own.tv_sec() * 1_000_000 + own.tv_usec()).sum::<i64>()
    };
    let before = time();
    let args = ["bindpose".into(), "report".into(), "merge".into(), report.into_os_string()];
    assert_eq!(bindpose_cli::status(args), 0);
    time() - before
}

/// Comparisons allocate nothing, so that their time is compared: for eight times as many, a square would be 64.
#[cfg(unix)]
#[test]
#[ignore = "prints what the command prints: a test above runs it"]
fn of_many_findings() {
    let Some(result) = env::var_os(RESULT) else { return };
    let sandbox = Sandbox::new();
    let [once, eight] = [1000, 8000].map(|number| time_of_merge(number, &sandbox));
    let is_steep = eight > 20 * once + 100_000;
    let found = if is_steep { format!("report merge: {once} µs, then {eight} µs") } else { String::new() };
    fs::write(result, found).unwrap();
}
