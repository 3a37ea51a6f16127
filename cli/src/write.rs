//! Writes results to files or to standard output.

use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use super::Format;
use super::draft::{self, Draft, named};
use super::exit::{Exit, Failure};
use super::files::PathName;
use super::json::Lines;
use super::output::Output;
use clap::Args;
use serde::Serialize;

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
pub(super) struct Written {
    #[serde(flatten)]
    pub path: PathName,
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
        let written = Written { path: PathName::of(path), bytes: fs::metadata(path)?.len() };
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

    /// Checks that a new file does not exist yet.
    pub fn is_free(&self) -> Result<(), Failure> {
        match self {
            Self::New(path) if path.symlink_metadata().is_ok() => named(path, Err(draft::exists())),
            _ => Ok(()),
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
