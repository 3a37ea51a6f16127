//! Writes results to files or to standard output.

use std::fs;
use std::io::ErrorKind;

use super::batch;
use super::destination::Destination;
use super::exit::program;
use super::files::nothing;
use super::json::Lines;
use super::load::verify;
use super::progress::Jobs;
use super::undo;
use crate::prelude::*;
use bindpose::files::{Draft, FileError, IfExists, Place, Transaction};

/// The failure of a file that may not be overwritten.
pub(super) fn exists() -> Failure {
    Failure::new(Exit::Io, "file exists; overwrite it with --force")
}

/// The failure of a file that was not written.
pub(super) fn unwritten(path: &Path, error: io::Error) -> Failure {
    let above = || path.ancestors().skip(1).take_while(|above| !above.as_os_str().is_empty());
    let missing = above().filter(|above| !above.exists()).last();
    match (error.kind(), missing, above().find(|above| above.is_file())) {
        (ErrorKind::AlreadyExists, ..) => exists().in_file(path),
        (ErrorKind::NotFound, Some(missing), _) => {
            let why = format!("the directory {} does not exist", shown(missing));
            Failure::new(Exit::Io, why).in_file(path)
        }
        (ErrorKind::NotADirectory, _, Some(file)) => {
            Failure::new(Exit::Io, "is a file, expected a directory").in_file(file)
        }
        _ => Failure::from(error).in_file(path),
    }
}

/// Fails if the directory of a file that the user named does not exist.
pub(super) fn has_directory(path: &Path) -> Result<()> {
    let parent = path.parent().filter(|parent| !parent.as_os_str().is_empty());
    parent.map_or(Ok(()), |parent| fs::metadata(parent).map(drop)).map_err(|error| unwritten(path, error))
}

impl From<FileError> for Failure {
    fn from(FileError { path, cause }: FileError) -> Self {
        unwritten(&path, cause)
    }
}

/// How a file that exists is treated, unless the user named it as the result.
pub(super) const fn if_exists(force: bool) -> IfExists {
    if force { IfExists::Replace } else { IfExists::Fail }
}

/// How a file that exists is treated below a directory of results: one that an interrupted run wrote stays.
pub(super) const fn if_exists_below(force: bool) -> IfExists {
    if force { IfExists::Replace } else { IfExists::Same }
}

/// Starts a file that the user named.
pub(super) fn start(path: &Path, force: bool) -> Result<Draft> {
    Draft::new(&Place::named(path), if_exists(force)).map_err(|error| unwritten(path, error))
}

/// Writes a draft and reads it back; the bytes of a format are verified.
pub(super) fn filled(mut draft: Draft, path: &Path, bytes: &[u8], spec: Option<FormatSpec>) -> Result<Draft> {
    let written = draft.write_all(bytes).and_then(|()| draft.read_back());
    written.map_err(|error| unwritten(path, error))?;
    verify(bytes, spec).in_file(path)?;
    Ok(draft)
}

/// The path of a result below a directory, by that of its input below another one.
pub(super) fn below(directory: &Path, relative: &Path) -> Result<Place> {
    let shown = if directory.as_os_str().is_empty() { Path::new(".") } else { directory };
    Place::below(directory, relative).in_file(shown)
}

/// Results of which all are written or none.
#[derive(Default)]
pub(super) struct Results(Transaction);

impl Results {
    pub fn start(&mut self, place: &Place, if_exists: IfExists) -> Result<Draft> {
        let draft = self.0.create_directories(place).and_then(|()| self.0.draft(place, if_exists));
        draft.map_err(|error| unwritten(place.path(), error))
    }

    pub fn add(&mut self, draft: Draft, place: &Place) -> Result<()> {
        self.0.add(draft).map_err(|error| unwritten(place.path(), error))
    }

    /// Adds a file below a directory of results.
    pub fn write_below(
        &mut self,
        place: &Place,
        bytes: &[u8],
        spec: Option<FormatSpec>,
        force: bool,
    ) -> Result<()> {
        let draft = self.start(place, if_exists_below(force))?;
        let draft = filled(draft, place.path(), bytes, spec)?;
        self.add(draft, place)
    }

    /// Adds a file that the user named.
    pub fn write_named(
        &mut self,
        path: &Path,
        bytes: &[u8],
        spec: Option<FormatSpec>,
        force: bool,
    ) -> Result<()> {
        let place = Place::named(path);
        let draft = self.0.draft(&place, if_exists(force)).map_err(|error| unwritten(path, error))?;
        self.add(filled(draft, path, bytes, spec)?, &place)
    }

    /// Adds a text below a directory of results, which is written incrementally. Returns its path and size.
    pub fn stream_below(
        &mut self,
        place: &Place,
        force: bool,
        write: impl FnOnce(&mut dyn Write) -> io::Result<()>,
    ) -> Result<(PathBuf, u64)> {
        let mut draft = self.start(place, if_exists_below(force))?;
        let written = write(&mut draft).and_then(|()| draft.read_back());
        written.map_err(|error| unwritten(place.path(), error))?;
        let bytes = draft.file().metadata()?.len();
        self.add(draft, place)?;
        Ok((place.path().to_owned(), bytes))
    }

    pub fn change(
        &mut self,
        path: &Path,
        (before, after): (&[u8], &[u8]),
        keeps_original: bool,
        spec: Option<FormatSpec>,
    ) -> Result<()> {
        if is_stdio(path) {
            return Err(Failure::usage("standard input cannot be changed in place; use -o FILE"));
        }
        if before == after {
            return Ok(());
        }
        verify(after, spec).in_file(path)?;
        self.0.edit(path, [before, after], keeps_original).map_err(|error| unwritten(path, error))
    }

    /// Gives all files their names, or none.
    pub fn publish(self) -> Result<()> {
        let published = self.0.commit()?;
        if let Err(why) = undo::record(&published) {
            note!(
                "{}: `undo` does not know of this run: {why}; the originals are kept as FILE.orig",
                program()
            );
        }
        for published in published.iter().filter(|own| own.other_names > 0) {
            let others = counted(published.other_names, "other name");
            let path = shown(&published.path);
            note!("{}: {path}: {others} of the file (hard links) keep the old content", program());
        }
        Ok(())
    }
}

#[derive(Args)]
pub(super) struct OutEach {
    #[command(flatten)]
    pub one: Out,
    /// Write each result to DIR; files from directories keep their folders
    #[arg(long, value_name = "DIR", conflicts_with = "output", help_heading = "Output options")]
    pub out_dir: Option<PathBuf>,
    #[command(flatten)]
    jobs: Jobs,
}

impl OutEach {
    pub fn each(
        &self,
        (items, paths): (&[Item], &[PathBuf]),
        output: &mut Output,
        write: impl Fn(&Item, &mut Results) -> Result<(PathBuf, u64)> + Sync,
    ) -> Result<Exit> {
        output.outlives_reader = true;
        let (all, mut written) = (batch::Written::default(), Vec::new());
        let tally = self.jobs.batch(items, output.common.quiet).run(
            |item| all.add(item, |results| write(item, results)),
            |item, result| {
                written.push((item.named, result));
                Ok(())
            },
        )?;
        let is_published = all.publish(items, tally.failed)?;
        for (_, (path, bytes)) in written.into_iter().filter(|(named, _)| is_published || !named) {
            if self.one.format == Format::Json {
                output.json_line(&Written { path: PathName::of(&path), bytes })?;
            } else if !output.common.quiet {
                note!("bindpose: wrote {}", shown(&path));
            }
        }
        match tally.done + tally.failed {
            0 => Err(nothing(paths)),
            _ => Ok(tally.exit),
        }
    }
}

/// The only file of a verb that prints one result.
pub(super) fn only<'a>(items: &'a [Item], paths: &[PathBuf], verb: &str) -> Result<&'a Item> {
    match items {
        [] => Err(nothing(paths)),
        [item] => item.is_listed().map(|()| item),
        _ => {
            let why = format!("expected one file, got {}", items.len());
            let help = format!("write the results of several files with `{verb} --out-dir DIR`");
            Err(Failure::usage(why).with_help(help))
        }
    }
}

#[derive(Args)]
pub(super) struct Out {
    /// Write the result to OUT [default: standard output]
    #[arg(short, long, value_name = "OUT", help_heading = "Output options")]
    output: Option<PathBuf>,
    /// Overwrite OUT if it exists
    #[arg(long, help_heading = "Output options")]
    pub force: bool,
    /// Print what was written as FORMAT
    #[arg(long, value_name = "FORMAT", value_enum, default_value_t = Format::Human, help_heading = "Output options")]
    format: Format,
}

#[derive(Serialize)]
pub(super) struct Written {
    #[serde(flatten)]
    pub path: PathName,
    pub bytes: u64,
}

/// Prints a file that was written in the machine output.
pub(super) fn report_written(path: &Path, bytes: u64, format: Format, output: &mut Output) -> Result<()> {
    if format == Format::Json && !is_stdout(path) {
        Lines::default().write(output, &Written { path: PathName::of(path), bytes })?;
    }
    Ok(())
}

impl Out {
    fn destination(&self) -> Destination<'_> {
        Destination::of_output(self.output.as_deref(), self.force)
    }

    pub fn write(&self, bytes: &[u8], output: &mut Output, spec: Option<FormatSpec>) -> Result<()> {
        self.destination().write_and_report(bytes, spec, self.format, output)
    }

    /// [`Destination::stream`], and prints what was written.
    pub fn stream(
        &self,
        output: &mut Output,
        write: impl FnOnce(&mut dyn Write) -> io::Result<()>,
    ) -> Result<()> {
        self.destination().stream(output, write)?;
        let Destination::File { path, .. } = self.destination() else { return Ok(()) };
        report_written(path, fs::metadata(path)?.len(), self.format, output)
    }
}
