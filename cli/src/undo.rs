//! `bindpose undo`: the originals of the files that the last run changed.
//!
//! Each run that keeps originals leaves a record: the files that it changed, with the hashes of their new contents and of their originals.
//! There is one record for each working directory, in the user's directory for states of programs.

use std::env;
use std::fs::{self, OpenOptions};
use std::sync::Mutex;

use twox_hash::XxHash3_128;

use super::batch::locked;
use super::files::os_path;
use super::read::MAX_TEXT;
use super::write::unwritten;
use crate::prelude::*;
use bindpose::files::{Published, Transaction, read_regular, write_all};

/// Restore the originals of the files that the last run changed in place
///
/// The last run is that of `set`, `rename` and the other editing verbs with `--in-place` in this working directory, unless it kept no
/// originals. A file gets the content before its first edit, and FILE.orig is removed. If one of the files or originals was changed
/// since, none is restored.
#[derive(Args)]
#[command(after_long_help = "\
Examples:
  bindpose undo --list
  bindpose undo")]
pub(super) struct Undo {
    /// List the files, and restore none
    #[arg(long)]
    list: bool,
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
}

impl Verb for Undo {
    fn run(&self, output: &mut Output) -> Result<Exit> {
        let record = record_path().ok_or_else(nothing)?;
        let edits = read(&record)?;
        let found: Vec<_> = edits.iter().map(Edit::change).collect();
        if !self.list {
            if let Some((edit, change)) =
                edits.iter().zip(&found).find_map(|(edit, own)| Some((edit, (*own)?)))
            {
                return Err(edit.refused(change));
            }
            restore(&edits)?;
            _ = fs::remove_file(&record);
        }
        for (edit, change) in edits.iter().zip(found) {
            let changed = change.is_some();
            let [path, original] = [here(&edit.path), here(&edit.original)];
            let (path, original) = (PathName::of(&path), PathName::of(&original));
            if self.format == Format::Json {
                output.json_line(&Line { path, original, changed })?;
            } else if self.list || !output.common.quiet {
                let verb = if self.list { "from" } else { "restored from" };
                let changed = if changed { " (changed since)" } else { "" };
                let [path, original] = [path, original].map(|own| printable(&own.text).into_owned());
                writeln!(output, "{path}: {verb} {original}{changed}")?;
            }
        }
        Ok(Exit::Well)
    }
}

/// A file that a run changed.
struct Edit {
    path: PathBuf,
    original: PathBuf,
    /// The hash of the content that the run gave the file.
    hash: u128,
    /// The hash of the original after the run. Records of earlier versions have none.
    original_hash: Option<u128>,
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

    /// The failure for a file that differs.
    fn refused(&self, change: &str) -> Failure {
        let failure = Failure::new(Exit::Io, format!("{change}; nothing was restored"));
        let original = shown(&here(&self.original));
        let help = if self.original.is_file() { "its original is" } else { "the original was" };
        failure.in_file(&here(&self.path)).with_help(format!("{help} {original}"))
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
fn record_path() -> Option<PathBuf> {
    let set = |name: &str| env::var_os(name).filter(|own| !own.is_empty()).map(PathBuf::from);
    let user = || set(if cfg!(windows) { "LOCALAPPDATA" } else { "HOME" });
    let below = |user: PathBuf| if cfg!(windows) { user } else { user.join(".local/state") };
    let states = set("XDG_STATE_HOME").or_else(|| user().map(below))?;
    let directory = env::current_dir().and_then(fs::canonicalize).ok()?;
    let hash = XxHash3_128::oneshot(directory.as_os_str().as_encoded_bytes());
    Some(states.join("bindpose").join(format!("{hash:032x}.undo")))
}

/// Reads a record: for each file the hashes, separated by a hyphen, the path and the original, each ended by a NUL character.
fn read(record: &Path) -> Result<Vec<Edit>> {
    let bytes = read_regular(record, MAX_TEXT).map_err(|_| nothing())?;
    let fields: Vec<_> = bytes.split(|byte| *byte == 0).collect();
    let edit = |fields: &[&[u8]]| {
        let mut hashes = fields[0].split(|byte| *byte == b'-').map(|hash| {
            str::from_utf8(hash).ok().and_then(|hash| u128::from_str_radix(hash, 16).ok()).unwrap_or(0)
        });
        Ok(Edit {
            hash: hashes.next().unwrap_or(0),
            original_hash: hashes.next(),
            path: os_path(fields[1])?,
            original: os_path(fields[2])?,
        })
    };
    let mut edits: Vec<_> = fields.chunks_exact(3).map(edit).collect::<Result<_>>()?;
    // Files in directories are edited in any order.
    edits.sort_by(|one, two| one.path.cmp(&two.path));
    if edits.is_empty() { Err(nothing()) } else { Ok(edits) }
}

static IS_RECORDED: Mutex<Option<bool>> = Mutex::new(None);

/// Starts a run. Before the first one, nothing is recorded.
pub(super) fn begin() {
    *locked(&IS_RECORDED) = Some(false);
}

/// Records the files that were changed. Where that fails, they have their originals nevertheless, and none is recorded.
pub(super) fn record(published: &[Published]) -> io::Result<()> {
    let mut is_recorded = locked(&IS_RECORDED);
    let mut text = Vec::new();
    for Published { path, hash, original, .. } in published {
        let Some(original) = original else { continue };
        text.extend(format!("{hash:032x}-{:032x}", hash_of(original)?).into_bytes());
        for path in [path, original] {
            text.push(0);
            text.extend(path.as_os_str().as_encoded_bytes());
        }
        text.push(0);
    }
    if let (false, Some(is_recorded), Some(path)) = (text.is_empty(), &mut *is_recorded, record_path()) {
        let directory = path.parent().map_or(Ok(()), fs::create_dir_all);
        let mut options = OpenOptions::new();
        let options = options.create(true).write(true).append(*is_recorded).truncate(!*is_recorded);
        let written = directory.and_then(|()| write_all(&mut options.open(&path)?, &text));
        // That of an earlier run would restore other files than those of the last one.
        written.inspect_err(|_| _ = fs::remove_file(&path))?;
        *is_recorded = true;
    }
    Ok(())
}
