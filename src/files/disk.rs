//! The operations that change a disk. Tests make each of them fail.

use std::fs::{self, File, OpenOptions};
use std::io::{self, ErrorKind, Write as _};
use std::path::Path;

use tempfile::TempPath;

use super::faults::attempt;

/// Creates a file that does not exist; private if another file's permissions replace its own.
pub(super) fn create(path: &Path, is_private: bool) -> io::Result<File> {
    attempt()?;
    let mut options = OpenOptions::new();
    options.read(true).write(true).create_new(true);
    #[cfg(unix)]
    if is_private {
        std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    }
    #[cfg(not(unix))]
    let _ = is_private;
    options.open(path)
}

/// As [`create`], with a lock that other runs see until the process ends.
pub(super) fn create_locked(path: &Path, is_private: bool) -> io::Result<File> {
    let file = create(path, is_private)?;
    // Some file systems have no locks. Another run may have removed the file before it was locked.
    let _ = file.lock();
    if path.exists() { Ok(file) } else { Err(ErrorKind::AlreadyExists.into()) }
}

/// Writes bytes up to the size that the process may give a file. Beyond it, the system would end the process, and temporary files
/// would be left.
pub(super) fn write(file: &mut File, bytes: &[u8]) -> io::Result<usize> {
    attempt()?;
    let len = permitted(file, bytes.len())?;
    file.write(&bytes[..len])
}

/// Returns how many bytes may be written.
#[cfg(unix)]
fn permitted(file: &File, len: usize) -> io::Result<usize> {
    use rustix::process::{Resource, getrlimit};
    let Some(most) = getrlimit(Resource::Fsize).current else { return Ok(len) };
    let there = file.metadata()?;
    if !there.is_file() {
        return Ok(len);
    }
    // Files are written from their beginning to their end, or appended to.
    match most.saturating_sub(there.len()) {
        0 if len > 0 => Err(rustix::io::Errno::FBIG.into()),
        left => Ok(len.min(usize::try_from(left).unwrap_or(len))),
    }
}

#[cfg(not(unix))]
fn permitted(_: &File, len: usize) -> io::Result<usize> {
    Ok(len)
}

pub(super) fn sync(file: &File) -> io::Result<()> {
    attempt()?;
    file.sync_all()
}

/// Syncs the names in a directory, where the system supports that.
pub(super) fn sync_names(directory: &Path) -> io::Result<()> {
    attempt()?;
    let Ok(file) = File::open(directory) else { return Ok(()) };
    match file.sync_all() {
        Err(error) if cfg!(unix) && error.kind() != ErrorKind::InvalidInput => Err(error),
        _ => Ok(()),
    }
}

pub(super) fn rename(from: &Path, to: &Path) -> io::Result<()> {
    attempt()?;
    fs::rename(from, to)
}

/// Renames a file unless there is one of the new name.
pub(super) fn rename_new(from: &Path, to: &Path) -> io::Result<()> {
    attempt()?;
    match TempPath::try_from_path(from)?.persist_noclobber(to) {
        Ok(()) => Ok(()),
        Err(mut failed) => {
            // Its owner removes it.
            failed.path.disable_cleanup(true);
            if failed.error.kind() == ErrorKind::AlreadyExists {
                return Err(failed.error);
            }
            reserve(from, to)
        }
    }
}

/// As [`rename_new`], for file systems that support neither conditional renames nor links: an empty file reserves the name.
pub(super) fn reserve(from: &Path, to: &Path) -> io::Result<()> {
    drop(OpenOptions::new().write(true).create_new(true).open(to)?);
    fs::rename(from, to).inspect_err(|_| {
        // At worst an empty file is left, and the failure is reported.
        let _ = fs::remove_file(to);
    })
}

/// Gives a file a second name; where the file system does not support that, copies it.
pub(super) fn link(from: &Path, to: &Path) -> io::Result<()> {
    attempt()?;
    fs::hard_link(from, to).or_else(|_| {
        fs::copy(from, to)?;
        File::open(to)?.sync_all()
    })
}

/// Removes a file, if it exists.
pub(super) fn remove(path: &Path) -> io::Result<()> {
    attempt()?;
    match fs::remove_file(path) {
        Err(error) if error.kind() != ErrorKind::NotFound => Err(error),
        _ => Ok(()),
    }
}

/// Removes a directory, if it is empty.
pub(super) fn remove_directory(path: &Path) -> io::Result<()> {
    attempt()?;
    fs::remove_dir(path)
}

pub(super) fn create_directory(path: &Path) -> io::Result<()> {
    attempt()?;
    fs::create_dir(path)
}
