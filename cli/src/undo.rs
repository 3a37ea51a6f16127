//! `bindpose undo`: the originals of the files that the last runs changed.
//!
//! Each run that keeps originals is recorded: the files that it changed, with the hashes of their new contents and of their originals.
//! There is one record for each working directory, in the user's directory for states of programs.

use std::collections::{BTreeMap, HashSet};
use std::fs::{self, File, OpenOptions};
use std::io::{Read, Seek};
use std::sync::Mutex;
use std::time::{SystemTime, UNIX_EPOCH};
use std::{env, iter, process};

use twox_hash::XxHash3_128;

use super::batch::locked;
use super::exit::plain;
use super::files::os_path;
use super::write::unwritten;
use crate::prelude::*;
use bindpose::files::{Published, Transaction, read_regular, write_all};

/// Restore the originals of the files that the last run changed in place
///
/// The last run is that of `set`, `rename` and the other editing verbs with `--in-place` in this working directory, unless it kept no
/// originals. The next `undo` takes back the run before, up to 100 of them. A file gets the content before its first edit, and FILE.orig
/// is removed: runs that changed the same file are taken back as one, with all of their files. If one of the files or originals was
/// changed since, none is restored; `--skip` leaves those files as they are, so that the run before can be taken back.
#[derive(Args)]
#[command(after_long_help = "\
Examples:
  bindpose undo --list
  bindpose undo")]
pub(super) struct Undo {
    /// List the files of each run, the last one first, and restore none
    #[arg(long)]
    list: bool,
    /// Leave the files of the next `undo` as they are, and forget their runs
    #[arg(long, conflicts_with = "list")]
    skip: bool,
    /// Print the files as FORMAT
    #[arg(long, value_name = "FORMAT", value_enum, default_value_t = Format::Human, help_heading = "Output options")]
    format: Format,
}

/// A file that was changed, as it is printed.
#[derive(Serialize)]
struct Line {
    #[serde(flatten)]
    path: PathName,
    original: PathName,
    /// Whether it was changed since.
    changed: bool,
    /// The `undo` that restores it: 1 is the next one.
    undo: usize,
}

impl Verb for Undo {
    fn run(&self, output: &mut Output) -> Result<Exit> {
        let path = record_path().map_err(|_| nothing())?;
        let record = OpenOptions::new().read(true).write(!self.list).open(&path);
        let record = record.map_err(|error| match error.kind() {
            io::ErrorKind::NotFound => nothing(),
            _ => Failure::from(error).in_file(&path),
        })?;
        _ = record.lock();
        let edits = read(&record)?;
        let mut steps = steps(&edits).into_iter();
        if self.list {
            let mut listed = 0;
            for step in steps.filter_map(Step::open) {
                listed += 1;
                if self.format == Format::Human {
                    let [runs, files] = [(step.runs.len(), "run"), (step.files.len(), "file")]
                        .map(|(len, what)| counted(len, what));
                    writeln!(output, "undo {listed}: {runs}, {files}")?;
                }
                self.print(listed, &step, output)?;
            }
            return if listed > 0 { Ok(Exit::Success) } else { Err(nothing()) };
        }
        let step = steps.find_map(Step::open).ok_or_else(nothing)?;
        if !self.skip {
            self.take_back(&step, output)?;
        }
        let earlier: Vec<_> = steps.collect();
        rewrite(&record, &edits, &earlier).in_file(&path)?;
        Ok(Exit::Success)
    }
}

impl Undo {
    fn take_back(&self, step: &Step, output: &mut Output) -> Result<()> {
        if let Some(failure) = step.files.iter().find_map(|edit| Some(edit.refused(edit.change()?))) {
            return Err(failure);
        }
        restore(&step.files)?;
        self.print(1, step, output)?;
        if step.runs.len() > 1 && !output.common.quiet {
            let runs = counted(step.runs.len(), "run");
            note!("bindpose: {runs} that changed the same files were taken back");
        }
        Ok(())
    }

    fn print(&self, undo: usize, step: &Step, output: &mut Output) -> Result<()> {
        for edit in &step.files {
            let changed = self.list && edit.change().is_some();
            let [path, original] = [&edit.path, &edit.original].map(|own| PathName::of(&here(own)));
            if self.format == Format::Json {
                output.json_line(&Line { path, original, changed, undo })?;
            } else if self.list || !output.common.quiet {
                let (indent, verb) = if self.list { ("  ", "from") } else { ("", "restored from") };
                let changed = if changed { " (changed since)" } else { "" };
                let [path, original] = [path, original].map(|own| printable(&own.text).into_owned());
                writeln!(output, "{indent}{path}: {verb} {original}{changed}")?;
            }
        }
        Ok(())
    }
}

/// The runs that one `undo` takes back.
struct Step {
    runs: HashSet<u128>,
    /// The last edit of each of their files.
    files: Vec<Edit>,
}

impl Step {
    /// The step without files that have their first content again; none if no other has an original.
    fn open(mut self) -> Option<Self> {
        self.files.retain(|edit| !edit.is_restored());
        self.files.iter().any(|edit| edit.original.is_file()).then_some(self)
    }
}

/// The most steps that are recorded.
const MOST: usize = 100;

/// Parts edits into steps, the last one first: runs that share an original belong to one.
fn steps(edits: &[Edit]) -> Vec<Step> {
    let mut earlier: Vec<_> = edits.iter().collect();
    iter::from_fn(|| {
        let mut runs = HashSet::from([earlier.last()?.run]);
        loop {
            let own = earlier.iter().filter(|edit| runs.contains(&edit.run));
            let originals: HashSet<_> = own.map(|edit| (&edit.original, edit.original_hash)).collect();
            let sharing =
                earlier.iter().filter(|edit| originals.contains(&(&edit.original, edit.original_hash)));
            let sharing: HashSet<_> = sharing.map(|edit| edit.run).collect();
            let is_complete = sharing.len() == runs.len();
            runs = sharing;
            if is_complete {
                break;
            }
        }
        let (own, others): (Vec<_>, _) =
            std::mem::take(&mut earlier).into_iter().partition(|edit| runs.contains(&edit.run));
        earlier = others;
        let files: BTreeMap<_, _> =
            own.into_iter().map(|edit| ((&edit.path, &edit.original), edit)).collect();
        Some(Step { runs, files: files.into_values().cloned().collect() })
    })
    .collect()
}

/// A file that a run changed.
#[derive(Clone)]
struct Edit {
    path: PathBuf,
    original: PathBuf,
    /// The hash of the content that the run gave the file.
    hash: u128,
    /// The hash of the original after the run. Records of earlier versions have none.
    original_hash: Option<u128>,
    /// The number of the run. Records of earlier versions have only one run.
    run: u128,
}

impl Edit {
    /// How the file or its original differs from that after the run.
    fn change(&self) -> Option<&'static str> {
        let is_original = |known| hash_of(&self.original).is_ok_and(|own| own == known);
        match hash_of(&self.path) {
            _ if !self.original.is_file() => Some("its original does not exist any more"),
            _ if !self.original_hash.is_none_or(is_original) => {
                Some("its original was changed since the last run")
            }
            Ok(hash) if hash == self.hash => None,
            Ok(_) => Some("was changed since the last run"),
            Err(_) => Some("cannot be read any more"),
        }
    }

    /// Whether the file has its first content again: by hand, or by an `undo` that was ended.
    fn is_restored(&self) -> bool {
        hash_of(&self.path).is_ok_and(|own| self.original_hash == Some(own))
    }

    /// The failure for a file that differs.
    fn refused(&self, change: &str) -> Failure {
        let failure = Failure::new(Exit::Io, format!("{change}; nothing was restored"));
        let original = shown(&here(&self.original));
        let is = if self.original.is_file() { "its original is" } else { "the original was" };
        let help =
            format!("{is} {original}; `bindpose undo --skip` leaves the files of this run as they are");
        failure.in_file(&here(&self.path)).with_help(help)
    }
}

fn hash_of(path: &Path) -> io::Result<u128> {
    read_regular(path, u64::MAX).map(|own| XxHash3_128::oneshot(&own))
}

/// Restores all files, or none.
fn restore(edits: &[Edit]) -> Result<()> {
    let mut files = Transaction::new();
    for Edit { path, original, .. } in edits {
        let contents =
            read_regular(path, u64::MAX).and_then(|own| Ok((own, read_regular(original, u64::MAX)?)));
        let edited = contents.and_then(|(after, before)| files.edit(path, [&after, &before], false));
        edited.map_err(|error| unwritten(path, error))?;
    }
    files.commit()?;
    // Those that stay are the same as the files.
    for edit in edits {
        _ = fs::remove_file(&edit.original);
    }
    Ok(())
}

/// A path relative to the working directory.
fn here(path: &Path) -> PathBuf {
    let directory = env::current_dir().and_then(fs::canonicalize).unwrap_or_default();
    path.strip_prefix(directory).unwrap_or(path).to_owned()
}

fn nothing() -> Failure {
    let help = "an edit with --in-place keeps each original as FILE.orig; rename it to FILE";
    let why = "no run in this directory is recorded that changed files and kept originals";
    Failure::new(Exit::Nothing, why).with_help(help)
}

/// The record of this working directory.
fn record_path() -> io::Result<PathBuf> {
    // Relative paths are to be ignored: <https://specifications.freedesktop.org/basedir-spec/latest/>.
    let set = |name: &str| env::var_os(name).map(PathBuf::from).filter(|own| own.is_absolute());
    let home = if cfg!(windows) { "LOCALAPPDATA" } else { "HOME" };
    let below = |user: PathBuf| if cfg!(windows) { user } else { user.join(".local/state") };
    let states = set("XDG_STATE_HOME").or_else(|| set(home).map(below));
    let states =
        states.ok_or_else(|| io::Error::other(format!("neither XDG_STATE_HOME nor {home} is set")))?;
    let directory = env::current_dir().and_then(fs::canonicalize)?;
    let hash = XxHash3_128::oneshot(directory.as_os_str().as_encoded_bytes());
    Ok(states.join("bindpose").join(format!("{hash:032x}.undo")))
}

/// Reads a record: for each edit the hashes and the number of the run, separated by hyphens, the path and the original, each ended by
/// a NUL character.
fn read(mut record: &File) -> Result<Vec<Edit>> {
    let mut bytes = Vec::new();
    record.read_to_end(&mut bytes)?;
    let fields: Vec<_> = bytes.split(|byte| *byte == 0).collect();
    let edit = |fields: &[&[u8]]| {
        let mut numbers = fields[0]
            .split(|byte| *byte == b'-')
            .map(|number| str::from_utf8(number).ok().and_then(|own| u128::from_str_radix(own, 16).ok()));
        Ok(Edit {
            hash: numbers.next().flatten().unwrap_or(0),
            original_hash: numbers.next().flatten(),
            run: numbers.next().flatten().unwrap_or(0),
            path: os_path(fields[1])?,
            original: os_path(fields[2])?,
        })
    };
    fields.chunks_exact(3).map(edit).collect()
}

/// The text of edits in a record.
fn text<'a>(edits: impl IntoIterator<Item = &'a Edit>) -> Vec<u8> {
    let mut text = Vec::new();
    for Edit { path, original, hash, original_hash, run } in edits {
        let original_hash = original_hash.map_or_else(String::new, |own| format!("{own:032x}"));
        text.extend(format!("{hash:032x}-{original_hash}-{run:x}").into_bytes());
        for path in [path, original] {
            text.push(0);
            text.extend(path.as_os_str().as_encoded_bytes());
        }
        text.push(0);
    }
    text
}

/// Keeps the edits of these steps in a record.
fn rewrite(mut record: &File, edits: &[Edit], steps: &[Step]) -> io::Result<()> {
    let runs: HashSet<_> = steps.iter().flat_map(|step| &step.runs).collect();
    record.set_len(0)?;
    record.rewind()?;
    write_all(&mut record.try_clone()?, &text(edits.iter().filter(|edit| runs.contains(&edit.run))))
}

/// The number of the run, and whether some of its edits are recorded.
static RUN: Mutex<Option<(u128, bool)>> = Mutex::new(None);

/// Starts a run. Before the first one, nothing is recorded.
pub(super) fn begin() {
    let time = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    *locked(&RUN) = Some((time.as_nanos() << 32 | u128::from(process::id()), false));
}

/// Records the files that were changed. Where that fails, they have their originals nevertheless, and no later part of the run is
/// recorded.
pub(super) fn record(published: &[Published]) -> io::Result<()> {
    let mut current = locked(&RUN);
    let Some((run, is_recorded)) = *current else { return Ok(()) };
    let edit = |Published { path, hash, original, .. }: &Published| {
        let (path, hash, original) = (path.clone(), *hash, original.clone()?);
        let original_hash = hash_of(&original).map(Some);
        Some(original_hash.map(|original_hash| Edit { path, original, hash, original_hash, run }))
    };
    let edits = published.iter().filter_map(edit).collect::<io::Result<Vec<_>>>();
    if edits.as_ref().is_ok_and(Vec::is_empty) {
        return Ok(());
    }
    let recorded = edits.and_then(|edits| {
        let path = record_path()?;
        append(&path, &edits, !is_recorded).map_err(|error| in_file(&path, &error))
    });
    // A part of a run is not recorded.
    *current = recorded.is_ok().then_some((run, true));
    recorded
}

/// Adds edits to a record, and removes the oldest steps before those of a new run.
fn append(path: &Path, edits: &[Edit], is_new: bool) -> io::Result<()> {
    path.parent().map_or(Ok(()), fs::create_dir_all)?;
    let mut record = OpenOptions::new().create(true).read(true).append(true).open(path)?;
    // Another run can end at the same time. Not every file system has locks.
    _ = record.lock();
    if is_new {
        let edits = read(&record).map_err(|failure| io::Error::other(failure.message))?;
        let mut steps = steps(&edits);
        if steps.len() >= MOST {
            steps.truncate(MOST - 1);
            rewrite(&record, &edits, &steps)?;
        }
    }
    let len = record.metadata()?.len();
    // A part of an edit would make what follows unreadable.
    write_all(&mut record, &text(edits)).inspect_err(|_| _ = record.set_len(len))
}

/// Adds the name of a file to an error.
fn in_file(path: &Path, error: &io::Error) -> io::Error {
    io::Error::new(error.kind(), format!("{}: {}", shown(path), plain(error)))
}
