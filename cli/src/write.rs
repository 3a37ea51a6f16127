//! Writes files atomically.

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

/// The arguments that specify where the result goes.
#[derive(Args)]
pub(super) struct Out {
    /// Write the result to OUT [default: standard output]
    #[arg(short, long, value_name = "OUT", help_heading = "Output options")]
    output: Option<PathBuf>,
    /// Overwrite OUT if it exists
    #[arg(long, requires = "output", help_heading = "Output options")]
    force: bool,
    /// Print what was written as FORMAT
    #[arg(long, value_name = "FORMAT", value_enum, default_value_t = Format::Human, help_heading = "Output options")]
    format: Format,
}

/// A file that was written.
#[derive(Serialize)]
pub(super) struct Written<'a> {
    pub path: std::fmt::Arguments<'a>,
    pub bytes: u64,
}

impl Out {
    fn target(&self) -> Target<'_> {
        self.output.as_deref().map_or(Target::Stdout, |path| Target::named(path, self.force))
    }

    /// [`Target::write`], and prints what was written.
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

    /// [`Target::stream`], and prints what was written.
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

/// The destination of a result.
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

    /// Checks that the result and its description do not go to the same stream.
    pub fn free_for(&self, format: Format) -> Result<(), Failure> {
        if format == Format::Json && matches!(self, Self::Stdout) {
            let why = "the result and its description cannot both go to standard output; use -o FILE";
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
                Err(Failure::new(Exit::Usage, "refusing to write binary data to a terminal; use -o FILE"))
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

    /// Writes a text incrementally, and renames the file when it is complete.
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
        return Err(Failure::new(Exit::Usage, "standard input cannot be changed in place; use -o FILE"));
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

/// Adds the name of a file to a failure.
fn named<T>(path: &Path, result: Result<T, Failure>) -> Result<T, Failure> {
    result.map_err(|failure| failure.of(path.display()))
}

/// A file in progress: written to a temporary file beside the target, which is deleted unless published.
pub(super) struct Draft {
    target: PathBuf,
    over: bool,
    file: BufWriter<File>,
    /// None for a device or a pipe, which is written directly.
    temporary: Option<TempPath>,
}

impl Draft {
    /// Starts a file; fails immediately if it may not be published.
    pub fn new(path: &Path, over: bool) -> Result<Self, Failure> {
        if fs::metadata(path).is_ok_and(|data| !data.is_file() && !data.is_dir()) {
            let file = BufWriter::new(OpenOptions::new().write(true).open(path)?);
            return Ok(Self { target: path.to_owned(), over, file, temporary: None });
        }
        if !over && path.symlink_metadata().is_ok() {
            return Err(exists());
        }
        // Write the target of a link, not the link.
        let target = fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
        let (file, temporary) = beside(&target)?;
        if let Ok(data) = fs::metadata(&target) {
            file.set_permissions(data.permissions())?;
        }
        Ok(Self { target, over, file: BufWriter::new(file), temporary: Some(temporary) })
    }

    /// A file that was written and read back.
    pub fn verified(
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

    /// Syncs the file and renames it to the target.
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

/// Renames a file without overwriting one that was created meanwhile.
fn take_name(temporary: TempPath, target: &Path) -> Result<(), Failure> {
    match temporary.persist_noclobber(target) {
        Err(failed) if failed.error.kind() == ErrorKind::AlreadyExists => Err(exists()),
        Err(failed) => reserve_name(failed.path, target),
        Ok(()) => Ok(()),
    }
}

/// As [`take_name`], for file systems that support neither conditional renames nor links: an empty file reserves the name.
fn reserve_name(temporary: TempPath, target: &Path) -> Result<(), Failure> {
    match OpenOptions::new().write(true).create_new(true).open(target) {
        Err(error) if error.kind() == ErrorKind::AlreadyExists => return Err(exists()),
        reserved => drop(reserved?),
    }
    temporary.persist(target).map_err(|failed| {
        // At worst an empty file is left, and the failure is reported.
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
    Failure::new(Exit::Io, "file exists; overwrite it with --force")
}

/// A new file in the same directory, so that the rename is atomic.
fn beside(path: &Path) -> io::Result<(File, TempPath)> {
    let mut prefix = OsString::from(".");
    prefix.push(path.file_name().ok_or(ErrorKind::InvalidInput)?);
    prefix.push(".");
    let directory = path.parent().unwrap_or(Path::new(""));
    // With the default permissions of new files.
    let create = |path: &Path| OpenOptions::new().write(true).create_new(true).open(path);
    let made = tempfile::Builder::new().prefix(&prefix).suffix(".tmp").make_in(directory, create)?;
    Ok(made.into_parts())
}

/// Syncs the directory, where the system supports that.
fn sync_directory(path: &Path) {
    if let Some(directory) = path.parent()
        && let Ok(directory) = File::open(directory)
    {
        let _ = directory.sync_all();
    }
}

/// The original of an edited file: `FILE.orig`.
///
/// It has the modification time of the last edit. A file with another time was replaced since: it is a new original, kept as
/// `FILE.orig.1`.
struct Original {
    path: PathBuf,
    /// Deleted unless the edit succeeds.
    new: Option<TempPath>,
}

impl Original {
    /// Finds the original of a file with this content, or creates one if requested.
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

    /// Keeps the original, with the modification time of the edited file.
    fn settle(self, path: &Path) {
        if let Some(mut new) = self.new {
            new.disable_cleanup(true);
        }
        // If the time cannot be set, the next edit creates another copy.
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

/// Copies a file to a new name.
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
