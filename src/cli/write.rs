//! Files, written so that nothing half done is ever seen.

use std::fs::{self, File, OpenOptions};
use std::io::{self, ErrorKind, Write};
use std::path::{Path, PathBuf};

use super::exit::{Exit, Failure};
use super::output::Output;

/// Where a result goes, and what may happen to what is there.
pub(super) enum Target<'a> {
    /// A file that must not exist yet.
    New(&'a Path),
    /// A file that may be overwritten.
    Over(&'a Path),
    /// Standard output.
    Stdout,
}

impl<'a> Target<'a> {
    /// The target of `-o OUT`.
    pub fn named(path: &'a Path, force: bool) -> Self {
        match path.as_os_str().to_str() {
            Some("-") => Self::Stdout,
            _ if force => Self::Over(path),
            _ => Self::New(path),
        }
    }

    /// Writes all bytes or nothing: beside the target, synced, `verify`ed, renamed.
    pub fn write(
        &self,
        bytes: &[u8],
        output: &mut Output,
        verify: impl FnOnce(&[u8]) -> Result<(), Failure>,
    ) -> Result<(), Failure> {
        match self {
            Self::Stdout if output.terminal => {
                Err(Failure::new(Exit::Usage, "binary data is not written to a terminal; use -o FILE"))
            }
            Self::Stdout => {
                verify(bytes)?;
                Ok(output.write_all(bytes)?)
            }
            Self::New(path) if path.symlink_metadata().is_ok() => Err(exists(path)),
            Self::New(path) => replace(path, bytes, verify, false),
            Self::Over(path) => replace(path, bytes, verify, true),
        }
    }
}

fn exists(path: &Path) -> Failure {
    Failure::new(Exit::Io, format!("{}: exists; --force overwrites it", path.display()))
}

fn replace(
    path: &Path,
    bytes: &[u8],
    verify: impl FnOnce(&[u8]) -> Result<(), Failure>,
    over: bool,
) -> Result<(), Failure> {
    // The file behind a link is meant, not the link.
    let path = fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
    let failed = |error: io::Error| Failure::from(error).of(path.display());
    let (temporary, file) = beside(&path).map_err(failed)?;
    let done = fill(file, &path, bytes)
        .and_then(|()| fs::read(&temporary))
        .map_err(failed)
        .and_then(|written| verify(&written))
        .and_then(|()| publish(&temporary, &path, over));
    if done.is_err() {
        // What led here is told; that a leftover stays is not worth a second message.
        let _ = fs::remove_file(&temporary);
    }
    done
}

/// A new file in the same directory, so that renaming it is one step of the file system.
fn beside(path: &Path) -> io::Result<(PathBuf, File)> {
    let name = path.file_name().ok_or(ErrorKind::InvalidInput)?;
    for attempt in 0_u32.. {
        let mut hidden = std::ffi::OsString::from(".");
        hidden.push(name);
        hidden.push(format!(".{}-{attempt}.tmp", std::process::id()));
        let temporary = path.with_file_name(hidden);
        match OpenOptions::new().write(true).create_new(true).open(&temporary) {
            Err(error) if error.kind() == ErrorKind::AlreadyExists => {}
            result => return result.map(|file| (temporary, file)),
        }
    }
    Err(ErrorKind::AlreadyExists.into())
}

fn fill(mut file: File, path: &Path, bytes: &[u8]) -> io::Result<()> {
    if let Ok(data) = fs::metadata(path) {
        file.set_permissions(data.permissions())?;
    }
    file.write_all(bytes)?;
    file.sync_all()
}

fn publish(temporary: &Path, path: &Path, over: bool) -> Result<(), Failure> {
    let failed = |error: io::Error| match error.kind() {
        ErrorKind::AlreadyExists => exists(path),
        _ => Failure::from(error).of(path.display()),
    };
    if over {
        fs::rename(temporary, path).map_err(failed)?;
    } else {
        // A link fails where someone else was faster; renaming would overwrite their file.
        match fs::hard_link(temporary, path) {
            Err(error) if error.kind() != ErrorKind::AlreadyExists => fs::rename(temporary, path),
            linked => linked.and_then(|()| fs::remove_file(temporary)),
        }
        .map_err(failed)?;
    }
    sync_directory(path);
    Ok(())
}

/// Makes the new name last; not every system can.
fn sync_directory(path: &Path) {
    if let Some(directory) = path.parent()
        && let Ok(directory) = File::open(directory)
    {
        let _ = directory.sync_all();
    }
}

/// Keeps a copy as `FILE.orig`; an older one stays, it is the original.
pub(super) fn back_up(path: &Path) -> Result<(), Failure> {
    let mut name = path.as_os_str().to_owned();
    name.push(".orig");
    let backup = PathBuf::from(name);
    if backup.symlink_metadata().is_ok() {
        return Ok(());
    }
    fs::copy(path, &backup).map(drop).map_err(|error| Failure::from(error).of(backup.display()))
}
