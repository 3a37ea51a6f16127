//! Files, written so that nothing half done is ever seen.

use std::ffi::OsString;
use std::fs::{self, File, OpenOptions};
use std::io::{self, BufWriter, ErrorKind, Write};
use std::path::{Path, PathBuf};

use clap::Args;
use serde::Serialize;
use tempfile::TempPath;

use super::Format;
use super::exit::{Exit, Failure};
use super::json::Lines;
use super::output::Output;

/// The arguments that say where the one result of a verb goes.
#[derive(Args)]
pub(super) struct Out {
    /// Write the result to this file; otherwise to standard output
    #[arg(short, long, value_name = "OUT")]
    output: Option<PathBuf>,
    /// Overwrite OUT
    #[arg(long, requires = "output")]
    force: bool,
    /// How to say what was written
    #[arg(long, value_name = "FORMAT", value_enum, default_value_t = Format::Human)]
    format: Format,
}

/// A file that was written.
#[derive(Serialize)]
struct Written<'a> {
    path: std::fmt::Arguments<'a>,
    bytes: u64,
}

impl Out {
    fn target(&self) -> Target<'_> {
        self.output.as_deref().map_or(Target::Stdout, |path| Target::named(path, self.force))
    }

    /// [`Target::write`], and says so.
    pub fn write(
        &self,
        bytes: &[u8],
        output: &mut Output,
        verify: impl FnOnce(&[u8]) -> Result<(), Failure>,
    ) -> Result<(), Failure> {
        let target = self.target();
        target.free_for(self.format)?;
        target.write(bytes, output, verify)?;
        self.say(output)
    }

    /// [`Target::stream`] of JSON, and says so where it is not printed.
    pub fn stream(
        &self,
        output: &mut Output,
        write: impl FnOnce(&mut dyn Write) -> io::Result<()>,
    ) -> Result<(), Failure> {
        self.target().stream(output, write)?;
        self.say(output)
    }

    fn say(&self, output: &mut Output) -> Result<(), Failure> {
        let (Format::Json, Target::New(path) | Target::Over(path)) = (self.format, self.target()) else {
            return Ok(());
        };
        let written = Written { path: format_args!("{}", path.display()), bytes: fs::metadata(path)?.len() };
        Ok(Lines::default().write(output, &written)?)
    }
}

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

    /// Sees that what is said of the result does not stand in it.
    pub fn free_for(&self, format: Format) -> Result<(), Failure> {
        if format == Format::Json && matches!(self, Self::Stdout) {
            let why = "the result and what is said of it cannot both go to standard output; use -o FILE";
            return Err(Failure::new(Exit::Usage, why));
        }
        Ok(())
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
            Self::New(path) => {
                named(path, Draft::verified(path, bytes, verify, false).and_then(Draft::publish))
            }
            Self::Over(path) => {
                named(path, Draft::verified(path, bytes, verify, true).and_then(Draft::publish))
            }
        }
    }

    /// Writes a text as it comes, under its name once it is whole.
    pub fn stream(
        &self,
        output: &mut Output,
        write: impl FnOnce(&mut dyn Write) -> io::Result<()>,
    ) -> Result<(), Failure> {
        let (path, over) = match self {
            Self::Stdout => return Ok(write(output)?),
            Self::New(path) => (path, false),
            Self::Over(path) => (path, true),
        };
        named(
            path,
            Draft::new(path, over).and_then(|mut draft| {
                write(&mut draft)?;
                draft.publish()
            }),
        )
    }
}

/// Changes a file itself: all bytes or nothing, as [`Target::write`] does.
pub(super) fn change(
    path: &Path,
    (before, after): (&[u8], &[u8]),
    keeps_original: bool,
    verify: impl FnOnce(&[u8]) -> Result<(), Failure>,
) -> Result<(), Failure> {
    if path.as_os_str() == "-" {
        return Err(Failure::new(Exit::Usage, "standard input cannot be changed in place; use -o"));
    }
    if before == after {
        return Ok(());
    }
    let draft = named(path, Draft::verified(path, after, verify, true))?;
    let original = Original::of(path, before, keeps_original)?;
    named(path, draft.publish())?;
    if let Some(original) = original {
        original.settle(path);
    }
    Ok(())
}

/// The failure, said of a file.
fn named<T>(path: &Path, result: Result<T, Failure>) -> Result<T, Failure> {
    result.map_err(|failure| failure.of(path.display()))
}

/// A file on its way: written under another name beside the target, and gone again unless published.
pub(super) struct Draft {
    target: PathBuf,
    over: bool,
    file: BufWriter<File>,
    /// None for a device or a pipe, which is written as it is.
    temporary: Option<TempPath>,
}

impl Draft {
    /// Starts a file; fails at once where it may not be published.
    pub fn new(path: &Path, over: bool) -> Result<Self, Failure> {
        if fs::metadata(path).is_ok_and(|data| !data.is_file() && !data.is_dir()) {
            let file = BufWriter::new(OpenOptions::new().write(true).open(path)?);
            return Ok(Self { target: path.to_owned(), over, file, temporary: None });
        }
        if !over && path.symlink_metadata().is_ok() {
            return Err(exists());
        }
        // The file behind a link is meant, not the link.
        let target = fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
        let (file, temporary) = beside(&target)?;
        if let Ok(data) = fs::metadata(&target) {
            file.set_permissions(data.permissions())?;
        }
        Ok(Self { target, over, file: BufWriter::new(file), temporary: Some(temporary) })
    }

    /// A file that was written and read back.
    fn verified(
        path: &Path,
        bytes: &[u8],
        verify: impl FnOnce(&[u8]) -> Result<(), Failure>,
        over: bool,
    ) -> Result<Self, Failure> {
        let mut draft = Self::new(path, over)?;
        draft.write_all(bytes)?;
        draft.flush()?;
        match &draft.temporary {
            Some(temporary) => verify(&fs::read(temporary)?)?,
            None => verify(bytes)?,
        }
        Ok(draft)
    }

    /// Gives the file its name, whole and on disk.
    pub fn publish(self) -> Result<(), Failure> {
        let Self { target, over, mut file, temporary } = self;
        file.flush()?;
        let Some(temporary) = temporary else { return Ok(()) };
        file.get_ref().sync_all()?;
        drop(file);
        if over {
            temporary.persist(&target).map_err(|failed| failed.error)?;
        } else {
            take_name(temporary, &target)?;
        }
        sync_directory(&target);
        Ok(())
    }
}

/// Gives a file a name that nothing has: what someone else put there meanwhile is not overwritten.
fn take_name(temporary: TempPath, target: &Path) -> Result<(), Failure> {
    match temporary.persist_noclobber(target) {
        Err(failed) if failed.error.kind() == ErrorKind::AlreadyExists => Err(exists()),
        Err(failed) => reserve_name(failed.path, target),
        Ok(()) => Ok(()),
    }
}

/// As [`take_name`], where files can be neither renamed with that condition nor linked: for a moment, an empty file of
/// ours has the name.
fn reserve_name(temporary: TempPath, target: &Path) -> Result<(), Failure> {
    match OpenOptions::new().write(true).create_new(true).open(target) {
        Err(error) if error.kind() == ErrorKind::AlreadyExists => return Err(exists()),
        reserved => drop(reserved?),
    }
    temporary.persist(target).map_err(|failed| {
        // It stays empty at worst, and the failure is told.
        let _ = fs::remove_file(target);
        failed.error.into()
    })
}

impl Write for Draft {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.file.write(bytes)
    }
    fn flush(&mut self) -> io::Result<()> {
        self.file.flush()
    }
}

fn exists() -> Failure {
    Failure::new(Exit::Io, "exists; --force overwrites it")
}

/// A new file in the same directory, so that renaming it is one step of the file system.
fn beside(path: &Path) -> io::Result<(File, TempPath)> {
    let mut prefix = OsString::from(".");
    prefix.push(path.file_name().ok_or(ErrorKind::InvalidInput)?);
    prefix.push(".");
    let directory = path.parent().unwrap_or(Path::new(""));
    // Opened as any file, with the rights that the user gives to new ones.
    let create = |path: &Path| OpenOptions::new().write(true).create_new(true).open(path);
    let made = tempfile::Builder::new().prefix(&prefix).suffix(".tmp").make_in(directory, create)?;
    Ok(made.into_parts())
}

/// Makes the new name last; not every system can.
fn sync_directory(path: &Path) {
    if let Some(directory) = path.parent()
        && let Ok(directory) = File::open(directory)
    {
        let _ = directory.sync_all();
    }
}

/// What a file was before it was first edited: `FILE.orig`.
///
/// It bears the time of the last edit. A file of another time was replaced by someone: it is an original again, and stays
/// as `FILE.orig.1`.
struct Original {
    path: PathBuf,
    /// Gone again unless the edit succeeds.
    new: Option<TempPath>,
}

impl Original {
    /// The original of a file with this content; where those that are there are of others, a new one if it is wanted.
    fn of(path: &Path, content: &[u8], is_wanted: bool) -> Result<Option<Self>, Failure> {
        let is_free = |generation: &usize| backup(path, *generation).symlink_metadata().is_err();
        let next = (0..usize::MAX).find(is_free).unwrap_or(usize::MAX);
        let last = next.checked_sub(1).map(|generation| backup(path, generation));
        if let Some(last) = last.filter(|last| is_original(last, path, content)) {
            return Ok(Some(Self { path: last, new: None }));
        }
        if !is_wanted {
            return Ok(None);
        }
        let backup = backup(path, next);
        let copied = copy(path, &backup).map_err(|error| Failure::from(error).of(backup.display()));
        Ok(Some(Self { new: Some(copied?), path: backup }))
    }

    /// Stays, and takes the time of the file that was edited.
    fn settle(self, path: &Path) {
        if let Some(mut new) = self.new {
            new.disable_cleanup(true);
        }
        // Where the time cannot be set, the next edit makes another copy.
        let _ = fs::metadata(path).and_then(|data| data.modified()).and_then(|modified| {
            let file = OpenOptions::new().write(true).open(&self.path);
            file.or_else(|_| File::open(&self.path))?.set_modified(modified)
        });
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

/// Whether a file came from this original by edits, or is the same.
fn is_original(backup: &Path, path: &Path, content: &[u8]) -> bool {
    let modified = |path| fs::metadata(path).and_then(|data| data.modified());
    let is_same_time = || Some(modified(backup).ok()? == modified(path).ok()?);
    is_same_time().unwrap_or(false)
        || fs::metadata(backup).is_ok_and(|data| data.len() == content.len() as u64)
            && fs::read(backup).is_ok_and(|bytes| bytes == content)
}

/// Copies a file to a name that nothing has.
fn copy(from: &Path, to: &Path) -> io::Result<TempPath> {
    let mut file = OpenOptions::new().write(true).create_new(true).open(to)?;
    let copy = TempPath::try_from_path(to)?;
    let mut source = File::open(from)?;
    io::copy(&mut source, &mut file)?;
    file.set_permissions(source.metadata()?.permissions())?;
    file.sync_all()?;
    Ok(copy)
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
        assert_eq!(failure.message, format!("{}: does not read back", path.display()));
        assert_eq!(fs::read(&path).unwrap(), b"before");
        assert_eq!(fs::read_dir(directory.path()).unwrap().count(), 1);
    }

    #[test]
    fn a_name_that_is_taken_is_not_overwritten_whatever_the_file_system_can_do() {
        let directory = tempfile::tempdir().unwrap();
        let target = directory.path().join("a.psk");
        for take in [take_name, reserve_name] {
            let draft = |text: &str| {
                let (mut file, temporary) = beside(&target).unwrap();
                file.write_all(text.as_bytes()).unwrap();
                temporary
            };
            take(draft("first"), &target).unwrap();
            assert_eq!(take(draft("second"), &target).unwrap_err().message, exists().message);
            assert_eq!(fs::read_to_string(&target).unwrap(), "first");
            assert_eq!(fs::read_dir(directory.path()).unwrap().count(), 1, "what is not published is gone");
            fs::remove_file(&target).unwrap();
        }
    }
}
