//! Files, written so that nothing half done is ever seen.

use std::fs::{self, File, OpenOptions};
use std::io::{self, BufWriter, ErrorKind, Write};
use std::path::{Path, PathBuf};

use clap::Args;
use serde::Serialize;

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
            Self::New(path) => replace(path, bytes, verify, false),
            Self::Over(path) => replace(path, bytes, verify, true),
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
        let failed = |failure: Failure| failure.of(path.display());
        let mut draft = Draft::new(path, over).map_err(failed)?;
        write(&mut draft).map_err(|error| failed(error.into()))?;
        draft.publish().map_err(failed)
    }
}

fn replace(
    path: &Path,
    bytes: &[u8],
    verify: impl FnOnce(&[u8]) -> Result<(), Failure>,
    over: bool,
) -> Result<(), Failure> {
    let failed = |failure: Failure| failure.of(path.display());
    let mut draft = Draft::new(path, over).map_err(failed)?;
    draft.write_all(bytes).and_then(|()| draft.flush()).map_err(|error| failed(error.into()))?;
    match &draft.temporary {
        Some(temporary) => verify(&fs::read(&temporary.0).map_err(|error| failed(error.into()))?)?,
        None => verify(bytes)?,
    }
    draft.publish().map_err(failed)
}

/// A file on its way: written under another name beside the target, and gone again unless published.
pub(super) struct Draft {
    target: PathBuf,
    over: bool,
    file: BufWriter<File>,
    /// None for a device or a pipe, which is written as it is.
    temporary: Option<Temporary>,
}

/// A file that is removed when nobody wants it.
struct Temporary(PathBuf);

impl Drop for Temporary {
    fn drop(&mut self) {
        // Once published there is nothing left to remove; and a leftover is not worth a second message.
        let _ = fs::remove_file(&self.0);
    }
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
        let (temporary, file) = beside(&target)?;
        if let Ok(data) = fs::metadata(&target) {
            file.set_permissions(data.permissions())?;
        }
        Ok(Self { target, over, file: BufWriter::new(file), temporary: Some(temporary) })
    }

    /// Gives the file its name, whole and on disk.
    pub fn publish(mut self) -> Result<(), Failure> {
        self.file.flush()?;
        let Self { target, over, temporary: Some(temporary), file } = &self else { return Ok(()) };
        file.get_ref().sync_all()?;
        if *over {
            fs::rename(&temporary.0, target)?;
        } else {
            // A link fails where someone else was faster; renaming would overwrite their file.
            match fs::hard_link(&temporary.0, target) {
                Err(error) if error.kind() == ErrorKind::AlreadyExists => return Err(exists()),
                Err(_) => fs::rename(&temporary.0, target)?,
                Ok(()) => {}
            }
        }
        sync_directory(target);
        Ok(())
    }
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
fn beside(path: &Path) -> io::Result<(Temporary, File)> {
    let name = path.file_name().ok_or(ErrorKind::InvalidInput)?;
    for attempt in 0_u32.. {
        let mut hidden = std::ffi::OsString::from(".");
        hidden.push(name);
        hidden.push(format!(".{}-{attempt}.tmp", std::process::id()));
        let temporary = path.with_file_name(hidden);
        match OpenOptions::new().write(true).create_new(true).open(&temporary) {
            Err(error) if error.kind() == ErrorKind::AlreadyExists => {}
            result => return result.map(|file| (Temporary(temporary), file)),
        }
    }
    Err(ErrorKind::AlreadyExists.into())
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
