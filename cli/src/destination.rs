//! Where results go.

use clap::ArgGroup;

use super::load::verify;
use super::write::{Results, Written, below, filled, report_written, start, unwritten};
use crate::prelude::*;

/// Where the results of an edit go.
#[derive(Args)]
#[group(skip)]
#[command(group(ArgGroup::new("to").required(true).args(["output", "out_dir", "in_place", "dry_run"])))]
pub(super) struct EditTo {
    /// Write the result of a single file to OUT; `-` for standard output
    #[arg(short, long, value_name = "OUT")]
    pub output: Option<PathBuf>,
    /// Write each result to DIR under the name of its file; files from directories keep their folders
    #[arg(long, value_name = "DIR")]
    pub out_dir: Option<PathBuf>,
    /// Change the files themselves and keep the originals as FILE.orig
    ///
    /// Further edits keep that original. A file that was replaced since is kept as FILE.orig.1.
    #[arg(short, long)]
    pub in_place: bool,
    /// Print what would change, and write nothing
    #[arg(short = 'n', long)]
    pub dry_run: bool,
    /// Do not keep the originals as FILE.orig
    #[arg(long, requires = "in_place")]
    no_backup: bool,
}

impl EditTo {
    pub fn destination(&self, force: bool) -> Destination<'_> {
        match (&self.output, &self.out_dir) {
            (Some(path), _) => Destination::named(path, force),
            (_, Some(path)) => Destination::Directory { path, force },
            _ if self.in_place => Destination::InPlace { backup: !self.no_backup },
            _ => Destination::Nowhere,
        }
    }
}

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

/// The failure of `-o OUT` for several results.
pub(super) fn one_output(results: usize) -> Failure {
    Failure::usage(format!("-o expects one file, got {results}")).with_help("use --out-dir DIR")
}

/// What an edit wrote.
#[derive(Default)]
pub(super) struct Stored {
    file: Option<(PathBuf, u64)>,
    /// What goes to standard output.
    bytes: Vec<u8>,
}

impl<'a> Destination<'a> {
    /// That of `-o OUT`, or standard output.
    pub fn of_output(path: Option<&'a Path>, force: bool) -> Self {
        path.map_or(Self::Stdout, |path| Self::named(path, force))
    }

    /// That of `-o OUT`.
    pub fn named(path: &'a Path, force: bool) -> Self {
        if is_stdout(path) { Self::Stdout } else { Self::File { path, force } }
    }

    /// Checks that the result and its description do not go to the same stream.
    pub fn free_for(self, format: Format) -> Result<Self> {
        if format == Format::Json && matches!(self, Self::Stdout) {
            let why = "the result and its description cannot both go to standard output; use -o FILE";
            return Err(Failure::usage(why));
        }
        Ok(self)
    }

    /// Writes all bytes to a file or to standard output, or nothing: beside the file, synced, verified, renamed.
    pub fn write(self, bytes: &[u8], output: &mut Output, spec: Option<FormatSpec>) -> Result<()> {
        if let Self::File { path, force } = self {
            let draft = filled(start(path, force)?, path, bytes, spec)?;
            return draft.publish().map_err(|error| unwritten(path, error));
        }
        if output.terminal {
            return Err(Failure::usage("refusing to write binary data to a terminal; use -o FILE"));
        }
        verify(bytes, spec)?;
        Ok(output.write_all(bytes)?)
    }

    /// As [`write`](Self::write), and prints the file that was written in the machine output.
    pub fn write_and_report(
        self,
        bytes: &[u8],
        spec: Option<FormatSpec>,
        format: Format,
        output: &mut Output,
    ) -> Result<()> {
        self.free_for(format)?.write(bytes, output, spec)?;
        let Self::File { path, .. } = self else { return Ok(()) };
        report_written(path, bytes.len() as u64, format, output)
    }

    /// Writes a text incrementally to a file or to standard output, and renames the file when it is complete.
    pub fn stream(
        self,
        output: &mut Output,
        write: impl FnOnce(&mut dyn Write) -> io::Result<()>,
    ) -> Result<()> {
        let Self::File { path, force } = self else { return Ok(write(output)?) };
        let mut draft = start(path, force)?;
        write(&mut draft).and_then(|()| draft.publish()).map_err(|error| unwritten(path, error))
    }

    /// Verifies the result of an edit, the bytes of the file before and after it, and adds it to those of the run; `relative` is
    /// its path below a directory of results.
    pub fn store(
        self,
        path: &Path,
        (old, new): (&[u8], &[u8]),
        relative: &Path,
        spec: Option<FormatSpec>,
        results: &mut Results,
    ) -> Result<Stored> {
        let file = match self {
            Self::Nowhere | Self::Stdout => {
                verify(new, spec).in_file(path)?;
                let bytes = if matches!(self, Self::Stdout) { new.to_vec() } else { Vec::new() };
                return Ok(Stored { file: None, bytes });
            }
            Self::File { path, force } => {
                results.write_named(path, new, spec, force)?;
                Some(path.to_owned())
            }
            Self::Directory { path, force } => {
                let place = below(path, relative)?;
                results.write_below(&place, new, spec, force)?;
                Some(place.path().to_owned())
            }
            Self::InPlace { backup } => {
                results.change(path, (old, new), backup, spec)?;
                (old != new).then(|| path.to_owned())
            }
        };
        Ok(Stored { file: file.map(|path| (path, new.len() as u64)), bytes: Vec::new() })
    }
}

impl Stored {
    /// Prints what goes to standard output, or in the machine output the file that was written.
    pub fn print(&self, format: Format, output: &mut Output) -> Result<()> {
        if !self.bytes.is_empty() {
            Destination::Stdout.write(&self.bytes, output, None)?;
        }
        if let (Format::Json, Some((path, bytes))) = (format, &self.file) {
            output.json_line(&Written { path: PathName::of(path), bytes: *bytes })?;
        }
        Ok(())
    }
}
