//! Measures what each verb of the command takes for a file of each format and for one of twice the size.
//!
//! `cargo bench -p bindpose-cli --bench costs > docs/costs.md` writes the page of the manual. With `-- --search`, files of every
//! shape are measured, and only costs that grow faster than the files are printed. Each run is a process of its own; another one
//! between it and the benchmark reads what it took, since the system counts the most memory of all children.

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::{env, fs};

use bindpose::edit::{self, Entity};
use bindpose::schema::{self, Step};
use bindpose::{Budget, FieldPath, File, FileKind};
use nix::sys::resource::{UsageWho, getrusage};

use crate::large::Many;

#[path = "../../tests/large.rs"]
mod large;

/// The size that the smaller file of a pair should have, in bytes.
const SIZE: usize = 4_000_000;

/// The number of objects from which the number for [`SIZE`] is computed.
const FEW: usize = 1000;

/// That of the smaller files of a search.
const SIZE_OF_SEARCH: usize = 1_000_000;

/// The argument by which the benchmark asks itself to measure a command.
const MEASURE: &str = "--measure";

/// A verb and its arguments: `FILE` stands for the file, `OTHER` for one with other values, `JSON` for the file as JSON,
/// `NAMES` for new names of all bones, `VALUES` for the path of many values, `OUT` for a result of the same format.
const VERBS: [&str; 27] = [
    "roundtrip FILE",
    "info FILE",
    "check FILE",
    "map FILE",
    "tree FILE",
    "get FILE VALUES",
    "refs FILE",
    "find FILE --value VALUES=*",
    "diff FILE OTHER",
    "to-json FILE",
    "from-json JSON -o OUT",
    "set FILE VALUES=1 -o OUT",
    "rename FILE --bone bone1=hip -o OUT",
    "rename FILE --map NAMES -o OUT",
    "remove FILE --bone bone2 -o OUT",
    "extract FILE --clip * -o OUT",
    "merge FILE OTHER -o OUT",
    "transform FILE --scale 2 -o OUT",
    "transform FILE --rotate x=90 -o OUT",
    "rescue FILE -o OUT",
    "export FILE -o out.glb",
    "convert FILE -o out.x",
    "convert FILE --to unigine --out-dir out",
    "convert FILE --to cal3d --out-dir out",
    "preview FILE -o out.png",
    "mutate FILE --seed 1 -o OUT",
    "shrink FILE --predicate true -o OUT",
];

/// What a command took.
#[derive(Clone, Copy)]
struct Cost {
    seconds: f64,
    /// The most memory at a time, in bytes.
    memory: f64,
}

fn main() {
    let arguments: Vec<String> = env::args().skip(1).collect();
    if arguments.first().is_some_and(|first| first == MEASURE) {
        return measured(&arguments[1..]);
    }
    let folder = env::temp_dir().join(format!("bindpose-costs-{}", std::process::id()));
    fs::create_dir_all(&folder).expect("a temporary folder");
    if arguments.iter().any(|own| own == "--search") {
        search(&folder);
    } else {
        print!("{}", page(&folder));
    }
    let _ = fs::remove_dir_all(&folder);
}

/// Runs a command, and prints its exit code, the seconds of the processor and the most kilobytes of memory.
fn measured(command: &[String]) {
    let mut run = Command::new(env!("CARGO_BIN_EXE_bindpose"));
    run.args(command).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    let code = run.status().expect("the command").code().unwrap_or(-1);
    let usage = getrusage(UsageWho::RUSAGE_CHILDREN).expect("the usage of children");
    let times = [usage.user_time(), usage.system_time()];
    let micros: i64 = times.iter().map(|own| own.tv_sec() * 1_000_000 + own.tv_usec()).sum();
    println!("{code} {micros} {}", usage.max_rss());
}

/// Measures a command in a folder; none if it refuses the file.
fn cost(folder: &Path, command: &str) -> Option<Cost> {
    let mut run = Command::new(env::current_exe().expect("a program"));
    run.current_dir(folder).arg(MEASURE).args(command.split(' '));
    if command.contains(" -o ") || command.contains(" --out-dir ") {
        run.arg("--force");
    }
    let out = run.output().expect("the program itself").stdout;
    let line = String::from_utf8(out).expect("a line of numbers");
    let numbers: Vec<f64> = line.split_whitespace().map(|own| own.parse().expect("a number")).collect();
    let &[code, micros, kilobytes] = &numbers[..] else { panic!("{command}: {line}") };
    // 1 means that there are differences or findings.
    (code <= 1.0).then_some(Cost { seconds: micros / 1e6, memory: kilobytes * 1024.0 })
}

/// A file of a format and one of twice its size.
struct Pair {
    kind: FileKind,
    /// The folder of each and its size.
    files: [(PathBuf, f64); 2],
    /// The path of many values of each.
    values: [String; 2],
}

impl Pair {
    /// Writes files with many triangles, keys or bones; none for a format without any of them.
    fn write(kind: FileKind, folder: &Path) -> Option<Self> {
        let many = [Many::Triangles, Many::Keys, Many::Bones, Many::Morphs];
        many.into_iter().find_map(|many| Self::of(many, kind, SIZE, folder))
    }

    /// Writes files with many of something; none if those of the format do not grow with it.
    fn of(many: Many, kind: FileKind, size: usize, folder: &Path) -> Option<Self> {
        let few = many.pair(kind, FEW)?;
        let size_of_few = encoded(&few.0[0]).len();
        let (files, _) = many.pair(kind, (few.1 * size).div_ceil(size_of_few))?;
        let values = files.each_ref().map(values_of);
        let mut index = 0;
        let files = files.map(|file| {
            let folder = folder.join(format!("{}-{many:?}-{index}", kind.name()));
            index += 1;
            let size = write(&file, &folder);
            (folder, size)
        });
        Some(Self { kind, files, values })
    }
}

/// Returns the path of the value in the middle of a file, and of those of its neighbours in the innermost list.
fn values_of(file: &File) -> String {
    let value = file.value();
    let mut steps = Vec::new();
    schema::leaf_at(value, value.size() / 2, &mut |place, _| steps = place.path.steps().to_vec());
    if let Some(index) = steps.iter().rposition(|step| matches!(step, Step::Index(_))) {
        steps[index] = Step::Every;
    }
    FieldPath::from(steps).to_string()
}

/// Writes a file, one with other values, its JSON and new names for its bones; returns the size.
fn write(file: &File, folder: &Path) -> f64 {
    fs::create_dir_all(folder).expect("a temporary folder");
    let bytes = encoded(file);
    let mut other = file.clone();
    // What no verb can scale is compared with itself.
    let _ = edit::scale(&mut other, 2.0, &Budget::default());
    let extension = extension(file.kind());
    fs::write(folder.join(format!("file.{extension}")), &bytes).expect("a temporary file");
    fs::write(folder.join(format!("other.{extension}")), encoded(&other)).expect("a temporary file");
    let mut json = Vec::new();
    file.to_json(&mut json).expect("a vector");
    fs::write(folder.join("file.json"), json).expect("a temporary file");
    let bones = edit::names(file).expect("a valid file").into_iter().filter(|own| own.entity == Entity::Bone);
    let names: BTreeSet<_> = bones.map(|own| own.text.escape_ascii().to_string()).collect();
    let mut table = "kind,old,new\n".to_owned();
    for name in names {
        _ = writeln!(table, "bone,{name},{}", name.replacen("bone", "limb", 1));
    }
    fs::write(folder.join("names.csv"), table).expect("a temporary file");
    real(bytes.len())
}

fn encoded(file: &File) -> Vec<u8> {
    file.encode().expect("a file within the limits of its format")
}

/// The extension that names the format too, for those without a magic: `psk.psk`.
fn extension(kind: FileKind) -> String {
    format!("{}.{}", kind.name(), kind.info().extensions[0])
}

#[expect(clippy::cast_precision_loss, reason = "sizes below 2^53")]
const fn real(size: usize) -> f64 {
    size as f64
}

/// Prints what takes more than in proportion to the file.
fn search(folder: &Path) {
    for many in Many::ALL {
        for pair in FileKind::ALL.iter().filter_map(|kind| Pair::of(many, *kind, SIZE_OF_SEARCH, folder)) {
            for verb in VERBS {
                let Some([once, twice]) = costs(&pair, verb).filter(is_steep) else { continue };
                let name = pair.kind.name();
                println!("{many:?} of {name}: {verb}: {:.2} s → {:.2} s", once.seconds, twice.seconds);
            }
        }
    }
}

/// Whether a file of twice the size takes more than two and a half times as much.
fn is_steep([once, twice]: &[Cost; 2]) -> bool {
    twice.seconds > once.seconds * 2.5 + 0.05 || twice.memory > once.memory * 2.5
}

/// Returns the page of the manual.
fn page(folder: &Path) -> String {
    let pairs: Vec<Pair> = FileKind::ALL.iter().filter_map(|kind| Pair::write(*kind, folder)).collect();
    let rows: Vec<(&str, Vec<Option<[Cost; 2]>>)> =
        VERBS.iter().map(|verb| (*verb, pairs.iter().map(|pair| costs(pair, verb)).collect())).collect();
    let mut page = String::from(INTRODUCTION);
    table(&mut page, "Seconds of the processor", &pairs, &rows, |cost| format!("{:.2}", cost.seconds));
    table(&mut page, "Most memory at a time, in MiB", &pairs, &rows, |cost| {
        format!("{:.0}", cost.memory / f64::from(1 << 20))
    });
    page
}

const INTRODUCTION: &str = "\
# What verbs cost

Each cell is for a file of the size in the head of its column, and for one of twice the size. What takes more than two and a \
half times as much for the second is bold. `–`: the format does not have what the verb needs, or the result would exceed a \
limit of its format.

The benchmark `costs` writes this page: `cargo bench -p bindpose-cli --bench costs > docs/costs.md`. The machine decides the \
seconds, so compare them with each other only. The files contain one mesh with a skeleton, or one clip with many keys; limits \
of a format make some of them small.
";

fn costs(pair: &Pair, verb: &str) -> Option<[Cost; 2]> {
    let extension = extension(pair.kind);
    let command = verb
        .replace("FILE", &format!("file.{extension}"))
        .replace("OTHER", &format!("other.{extension}"))
        .replace("JSON", "file.json")
        .replace("NAMES", "names.csv")
        .replace("OUT", &format!("out.{extension}"));
    let [once, twice] =
        [0, 1].map(|own: usize| cost(&pair.files[own].0, &command.replace("VALUES", &pair.values[own])));
    Some([once?, twice?])
}

/// Appends a table with a row for each verb and a column for each format.
fn table(
    page: &mut String,
    title: &str,
    pairs: &[Pair],
    rows: &[(&str, Vec<Option<[Cost; 2]>>)],
    cell: impl Fn(&Cost) -> String,
) {
    let _ = write!(page, "\n## {title}\n\n| |");
    for pair in pairs {
        let _ = write!(page, " {} {:.1} MB |", pair.kind.name(), pair.files[0].1 / 1e6);
    }
    let _ = write!(page, "\n| --- |{}", " --- |".repeat(pairs.len()));
    for (verb, costs) in rows {
        let _ = write!(page, "\n| `{verb}` |");
        for own in costs {
            let text = own.as_ref().map_or("–".to_owned(), |pair| {
                let [first, second] = pair.each_ref().map(&cell);
                if is_steep(pair) {
                    format!("{first} → **{second}**")
                } else {
                    format!("{first} → {second}")
                }
            });
            let _ = write!(page, " {text} |");
        }
    }
    page.push('\n');
}
