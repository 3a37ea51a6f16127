//! The originals of changed files.

use std::fs::{self, File, OpenOptions};
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use twox_hash::XxHash3_128;

use super::draft::Model;
use super::place::Place;
use super::read_regular;

/// The original of an edited file: `FILE.orig`.
///
/// The fraction of a second of its modification time is a [hash](fraction) of the content that the last edit gave the file. A
/// file with other content was replaced since: it is a new original, kept as `FILE.orig.1`.
#[derive(Debug)]
pub(super) enum Original {
    /// It exists.
    Kept(PathBuf),
    /// The content before the edit is to be written there, with the owner and permissions of the file.
    New { place: Place, model: Box<Model>, modified: Option<SystemTime> },
}

impl Original {
    /// Finds the original of a file with the content before an edit, or where it is kept if that is requested.
    pub fn of(path: &Path, [before, after]: [&[u8]; 2], is_wanted: bool) -> io::Result<Option<Self>> {
        // A file has one original, whatever link leads to it.
        let target = if path.is_symlink() { Some(fs::canonicalize(path)?) } else { None };
        let path = target.as_deref().unwrap_or(path);
        let is_free = |generation: &usize| backup(path, *generation).symlink_metadata().is_err();
        let next = (0..usize::MAX).find(is_free).unwrap_or(usize::MAX);
        let last = next.checked_sub(1).map(|generation| backup(path, generation));
        if let Some(last) = last.filter(|last| is_original(last, before)) {
            return Ok(Some(Self::Kept(last)));
        }
        if !is_wanted {
            return Ok(None);
        }
        let Some(model) = Model::of(path) else { return Err(ErrorKind::NotFound.into()) };
        let modified = model.data.modified().ok().map(|time| marked(time, XxHash3_128::oneshot(after)));
        Ok(Some(Self::New { place: Place::named(backup(path, next)), model: Box::new(model), modified }))
    }

    /// Where it is kept.
    pub fn path(&self) -> &Path {
        match self {
            Self::Kept(path) => path,
            Self::New { place, .. } => place.path(),
        }
    }

    /// Marks an original that exists with the content of the edited file.
    pub fn mark(&self, content: u128) {
        if let Self::Kept(path) = self {
            // If the time cannot be set, the next edit creates another copy.
            let _ = mark(path, content);
        }
    }
}

/// `FILE.orig`, `FILE.orig.1`, `FILE.orig.2`.
fn backup(path: &Path, generation: usize) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(".orig");
    if generation > 0 {
        name.push(format!(".{generation}"));
    }
    name.into()
}

/// Whether a file with this content came from this original by edits, or is the same. A link can lead to the file itself.
fn is_original(backup: &Path, content: &[u8]) -> bool {
    let Some(data) = fs::symlink_metadata(backup).ok().filter(fs::Metadata::is_file) else { return false };
    let is_marked =
        data.modified().is_ok_and(|time| nanoseconds(time) == fraction(XxHash3_128::oneshot(content)));
    is_marked || read_regular(backup, content.len() as u64).is_ok_and(|bytes| bytes == content)
}

fn mark(backup: &Path, content: u128) -> io::Result<()> {
    let time = fs::metadata(backup)?.modified()?;
    let file = OpenOptions::new().write(true).open(backup).or_else(|_| File::open(backup))?;
    file.set_modified(marked(time, content))
}

/// A time with the same second.
fn marked(time: SystemTime, content: u128) -> SystemTime {
    let seconds = time.duration_since(UNIX_EPOCH).unwrap_or_default().as_secs();
    UNIX_EPOCH + Duration::new(seconds, fraction(content))
}

fn nanoseconds(time: SystemTime) -> u32 {
    time.duration_since(UNIX_EPOCH).unwrap_or_default().subsec_nanos()
}

/// A fraction of a second for the hash of a content, in nanoseconds: never 0, and a multiple of 100, which is the resolution of NTFS.
#[allow(clippy::cast_possible_truncation, reason = "less than 10,000,000")]
fn fraction(hash: u128) -> u32 {
    (hash % 9_999_999 + 1) as u32 * 100
}
