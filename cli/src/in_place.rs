//! Changes files in place, and keeps the originals.

use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::thread::sleep;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use tempfile::TempPath;
use twox_hash::XxHash3_128;

use super::draft::{Draft, named};
use super::exit::{Exit, Failure};
use super::files::shown;
use super::output::counted;

/// Changes a file itself: all bytes or nothing, as [`Target::write`](super::write::Target::write) does.
///
/// Of two edits at the same time, the second fails.
pub(super) fn change(
    path: &Path,
    (before, after): (&[u8], &[u8]),
    keeps_original: bool,
    verify: impl FnOnce(&[u8]) -> Result<(), Failure>,
) -> Result<(), Failure> {
    if path.as_os_str() == "-" {
        return Err(Failure::new(Exit::Usage, "standard input cannot be changed in place; use -o FILE"));
    }
    if before == after {
        return Ok(());
    }
    let draft = named(path, Draft::verified(path, after, verify, true))?;
    let lock = named(path, locked(path, before))?;
    let original = Original::of(path, (before, after), keeps_original)?;
    let links = hard_links(&lock);
    // Windows does not replace open files.
    let lock = (!cfg!(windows)).then_some(lock);
    named(path, draft.publish())?;
    drop(lock);
    if let Some(original) = original {
        original.settle(after);
    }
    if links > 1 {
        let others = counted(links - 1, "other name");
        eprintln!("bindpose: {}: {others} of the file (hard links) keep the old content", shown(path));
    }
    Ok(())
}

/// How long another edit may take to publish its result.
const PATIENCE: Duration = Duration::from_secs(5);

/// Locks a file against other edits, and checks that it still has the content that was edited.
fn locked(path: &Path, content: &[u8]) -> Result<File, Failure> {
    let file = File::open(path)?;
    let pause = Duration::from_millis(20);
    let mut waited = Duration::ZERO;
    while let Err(TryLockError::WouldBlock) = file.try_lock() {
        if waited >= PATIENCE {
            return Err(Failure::new(Exit::Io, "file is locked by another program; nothing was written"));
        }
        sleep(pause);
        waited += pause;
    }
    // The name may refer to another file by now.
    if fs::read(path)? != content {
        let why = "file was changed by another program during the edit; nothing was written";
        return Err(Failure { help: Some("repeat the edit".into()), ..Failure::new(Exit::Io, why) });
    }
    Ok(file)
}

/// The number of names of a file.
#[cfg(unix)]
fn hard_links(file: &File) -> u64 {
    file.metadata().map_or(1, |data| std::os::unix::fs::MetadataExt::nlink(&data))
}

#[cfg(not(unix))]
fn hard_links(_file: &File) -> u64 {
    1
}

/// The original of an edited file: `FILE.orig`.
///
/// The fraction of a second of its modification time is a [hash](fraction) of the content that the last edit gave the file. A
/// file with other content was replaced since: it is a new original, kept as `FILE.orig.1`.
struct Original {
    path: PathBuf,
    /// Deleted unless the edit succeeds.
    new: Option<TempPath>,
}

impl Original {
    /// Finds the original of a file with the content before an edit, or creates one if requested.
    fn of(path: &Path, (before, after): (&[u8], &[u8]), is_wanted: bool) -> Result<Option<Self>, Failure> {
        let is_free = |generation: &usize| backup(path, *generation).symlink_metadata().is_err();
        let next = (0..usize::MAX).find(is_free).unwrap_or(usize::MAX);
        let last = next.checked_sub(1).map(|generation| backup(path, generation));
        if let Some(last) = last.filter(|last| is_original(last, before)) {
            return Ok(Some(Self { path: last, new: None }));
        }
        if !is_wanted {
            return Ok(None);
        }
        let backup = backup(path, next);
        let new = named(&backup, keep(path, (before, after), &backup))?;
        Ok(Some(Self { new: Some(new), path: backup }))
    }

    /// Keeps the original, with a mark of the content of the edited file.
    fn settle(self, after: &[u8]) {
        match self.new {
            Some(mut new) => new.disable_cleanup(true),
            // If the time cannot be set, the next edit creates another copy.
            None => _ = mark(&self.path, after),
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

/// Whether a file with this content came from this original by edits, or is the same.
fn is_original(backup: &Path, content: &[u8]) -> bool {
    let Ok(data) = fs::metadata(backup) else { return false };
    let is_marked = data.modified().is_ok_and(|time| nanoseconds(time) == fraction(content));
    is_marked || data.len() == content.len() as u64 && fs::read(backup).is_ok_and(|bytes| bytes == content)
}

/// Writes the content of a file before an edit to a new name, with the owner and permissions of the file.
fn keep(path: &Path, (before, after): (&[u8], &[u8]), backup: &Path) -> Result<TempPath, Failure> {
    let data = fs::metadata(path)?;
    let modified = data.modified();
    let mut draft = Draft::like(backup.to_owned(), false, Some(data))?;
    draft.write_all(before)?;
    draft.flush()?;
    if let Ok(time) = modified {
        let _ = draft.file().set_modified(marked(time, after));
    }
    draft.publish()?;
    Ok(TempPath::try_from_path(backup)?)
}

fn mark(backup: &Path, content: &[u8]) -> std::io::Result<()> {
    let time = fs::metadata(backup)?.modified()?;
    let file = OpenOptions::new().write(true).open(backup).or_else(|_| File::open(backup))?;
    file.set_modified(marked(time, content))
}

/// A time with the same second.
fn marked(time: SystemTime, content: &[u8]) -> SystemTime {
    let seconds = time.duration_since(UNIX_EPOCH).unwrap_or_default().as_secs();
    UNIX_EPOCH + Duration::new(seconds, fraction(content))
}

fn nanoseconds(time: SystemTime) -> u32 {
    time.duration_since(UNIX_EPOCH).unwrap_or_default().subsec_nanos()
}

/// A hash of a content, in nanoseconds: never 0, and a multiple of 100, which is the resolution of NTFS.
#[allow(clippy::cast_possible_truncation, reason = "less than 10,000,000")]
fn fraction(content: &[u8]) -> u32 {
    (XxHash3_128::oneshot(content) % 9_999_999 + 1) as u32 * 100
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_edit_that_does_not_read_back_leaves_everything_as_it_was() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("a.psk");
        fs::write(&path, "before").unwrap();
        let refused = |_: &[u8]| Err(Failure::new(Exit::Bug, "does not read back"));
        let failure = change(&path, (b"before", b"after"), true, refused).unwrap_err();
        assert_eq!(failure.message, format!("{}: does not read back", shown(&path)));
        assert_eq!(fs::read(&path).unwrap(), b"before");
        assert_eq!(fs::read_dir(directory.path()).unwrap().count(), 1);
    }

    #[test]
    fn an_edit_of_a_file_that_was_changed_meanwhile_fails() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("a.psk");
        fs::write(&path, "before").unwrap();
        change(&path, (b"before", b"first"), true, |_| Ok(())).unwrap();
        let failure = change(&path, (b"before", b"second"), true, |_| Ok(())).unwrap_err();
        assert_eq!(failure.exit, Exit::Io);
        assert!(failure.message.contains("changed by another program"), "{}", failure.message);
        assert_eq!(fs::read(&path).unwrap(), b"first");
        assert_eq!(fs::read_dir(directory.path()).unwrap().count(), 2, "the file and its original");
    }
}
