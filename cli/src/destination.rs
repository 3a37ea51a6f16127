//! Where the results of edits go.

use std::path::{Path, PathBuf};

use super::Format;
use super::exit::{Blame, Failure};
use super::files::PathName;
use super::json::Lines;
use super::output::Output;
use super::write::{Results, Target, Written, below};

/// Where the results of edits go.
#[derive(Clone, Copy)]
pub(super) enum Destination<'a> {
    /// Nowhere: what would change is printed.
    Nowhere,
    Stdout,
    File {
        path: &'a Path,
        force: bool,
    },
    Directory {
        path: &'a Path,
        force: bool,
    },
    /// The files themselves.
    InPlace {
        backup: bool,
    },
}

/// The bytes of a file before and after an edit.
#[derive(Clone, Copy)]
pub(super) struct Edit<'a> {
    pub path: &'a Path,
    pub old: &'a [u8],
    pub new: &'a [u8],
}

/// What an edit wrote.
#[derive(Default)]
pub(super) struct Stored {
    file: Option<(PathBuf, u64)>,
    /// What goes to standard output.
    bytes: Vec<u8>,
}

impl<'a> Destination<'a> {
    /// That of `-o OUT`.
    pub fn named(path: &'a Path, force: bool) -> Self {
        if path.as_os_str() == "-" { Self::Stdout } else { Self::File { path, force } }
    }

    /// Checks that the result and its description do not go to the same stream.
    pub fn free_for(self, format: Format) -> Result<Self, Failure> {
        if matches!(self, Self::Stdout) {
            Target::Stdout.free_for(format)?;
        }
        Ok(self)
    }

    /// Verifies the result of an edit and adds it to those of the run; `relative` is its path below a directory of results.
    pub fn store(
        self,
        edit: Edit<'_>,
        relative: &Path,
        verify: impl FnOnce(&[u8]) -> Result<(), Failure>,
        results: &mut Results,
    ) -> Result<Stored, Failure> {
        let Edit { path, old, new } = edit;
        let file = match self {
            Self::Nowhere | Self::Stdout => {
                verify(new).blame(path)?;
                let bytes = if matches!(self, Self::Stdout) { new.to_vec() } else { Vec::new() };
                return Ok(Stored { file: None, bytes });
            }
            Self::File { path, force } => {
                results.write_named(path, new, verify, force)?;
                Some(path.to_owned())
            }
            Self::Directory { path, force } => {
                let place = below(path, relative)?;
                results.write_below(&place, new, verify, force)?;
                Some(place.path().to_owned())
            }
            Self::InPlace { backup } => {
                results.change(path, (old, new), backup, verify)?;
                (old != new).then(|| path.to_owned())
            }
        };
        Ok(Stored { file: file.map(|path| (path, new.len() as u64)), bytes: Vec::new() })
    }
}

impl Stored {
    /// Prints what goes to standard output, or in the machine output the file that was written.
    pub fn print(&self, format: Format, lines: &mut Lines, output: &mut Output) -> Result<(), Failure> {
        if !self.bytes.is_empty() {
            Target::Stdout.write(&self.bytes, output, |_| Ok(()))?;
        }
        if let (Format::Json, Some((path, bytes))) = (format, &self.file) {
            lines.write(output, &Written { path: PathName::of(path), bytes: *bytes })?;
        }
        Ok(())
    }
}
