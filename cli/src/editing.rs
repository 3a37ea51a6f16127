//! One edit of many files: the common part of `rename`, `remove` and `transform`.

use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use clap::Args;
use serde::Serialize;

use super::exit::{Exit, Failure};
use super::files::{Inputs, Item, PathName, shown};
use super::in_place;
use super::json::Lines;
use super::limits::LimitArgs;
use super::load::{self, Loaded};
use super::output::{Output, counted};
use super::set::{Change, changes};
use super::write::Target;
use super::{Common, Format};
use bindpose::check::Finding;
use bindpose::edit::caused;
use bindpose::{File, FormatSpec};

/// The arguments of an edit of many files.
#[derive(Args)]
pub(super) struct Editing {
    #[command(flatten)]
    inputs: Inputs,
    #[command(flatten)]
    to: To,
    /// Overwrite existing files
    #[arg(long, help_heading = "Output options")]
    force: bool,
    /// Do not keep the originals as FILE.orig
    #[arg(long, requires = "in_place", help_heading = "Output options")]
    no_backup: bool,
    /// Print the changes as FORMAT; human prints them with --dry-run or -v only
    #[arg(long, value_name = "FORMAT", value_enum, default_value_t = Format::Human, help_heading = "Output options")]
    format: Format,
    #[command(flatten)]
    limits: LimitArgs,
}

#[derive(Args)]
#[group(required = true, multiple = false)]
struct To {
    /// Write the result of a single file to OUT; `-` for standard output
    #[arg(short, long, value_name = "OUT", help_heading = "Output options")]
    output: Option<PathBuf>,
    /// Write each result to DIR under the name of its file; files from directories keep their folders
    #[arg(long, value_name = "DIR", help_heading = "Output options")]
    out_dir: Option<PathBuf>,
    /// Change the files themselves and keep the originals as FILE.orig
    ///
    /// Further edits keep that original. A file that was replaced since is kept as FILE.orig.1.
    #[arg(short, long, help_heading = "Output options")]
    in_place: bool,
    /// Print what would change, and write nothing
    #[arg(short = 'n', long, help_heading = "Output options")]
    dry_run: bool,
}

/// A file before and after an edit.
pub(super) struct Edited {
    path: Box<Path>,
    loaded: Loaded,
    file: File,
}

/// A change, and the file that it is in.
#[derive(Serialize)]
struct FileChange<'a> {
    file: &'a str,
    /// The exact name in hexadecimal, if it is not UTF-8.
    #[serde(skip_serializing_if = "Option::is_none")]
    file_bytes: Option<&'a str>,
    #[serde(flatten)]
    change: &'a Change,
}

impl Editing {
    /// Lists the files.
    pub fn list(&self) -> Result<Vec<Item>, Failure> {
        let items = self.inputs.list()?;
        if self.to.output.is_some() && items.len() != 1 {
            let why = format!("-o expects one file, got {}", items.len());
            let help = Some("use --out-dir DIR".to_owned());
            return Err(Failure { help, ..Failure::new(Exit::Usage, why) });
        }
        if items.is_empty() {
            return Err(Failure::new(Exit::Nothing, "no files found"));
        }
        Ok(items)
    }

    /// Decodes a file; none if it is of unknown format and nobody named it.
    pub fn load(&self, item: &Item) -> Result<Option<Loaded>, Failure> {
        if let Some(trouble) = &item.trouble {
            return Err(Failure::new(Exit::Io, trouble.to_string()).of(shown(&item.path)));
        }
        let is_ours = item.named || item.spec.or_else(|| load::detect(&item.path)).is_some();
        is_ours.then(|| load::load(&item.path, item.spec, self.limits)).transpose()
    }

    /// Edits each file on its own; a file that fails is reported and the others are edited.
    pub fn each(
        &self,
        items: &[Item],
        common: &Common,
        output: &mut Output,
        mut change: impl FnMut(&mut File) -> Result<(), Failure>,
    ) -> Result<Exit, Failure> {
        let mut lines = Lines::default();
        let mut exit = Exit::Well;
        for item in items {
            let edited = self.load(item).and_then(|loaded| {
                let Some(loaded) = loaded else { return Ok(None) };
                let mut file = loaded.file.clone();
                change(&mut file).map_err(|failure| failure.of(shown(&item.path)))?;
                Ok(Some(Edited { path: item.path.clone(), loaded, file }))
            });
            let done = edited.and_then(|edited| match edited {
                Some(edited) => self.write(&edited, common, output, &mut lines),
                None => Ok(()),
            });
            if let Err(failure) = done {
                if items.len() == 1 {
                    return Err(failure);
                }
                exit = exit.max(failure.report());
            }
        }
        Ok(exit)
    }

    /// Edits all files as a set; nothing is written if one of them fails.
    pub fn set(
        &self,
        common: &Common,
        output: &mut Output,
        edit: impl FnOnce(&mut [File]) -> Result<(), Failure>,
    ) -> Result<Exit, Failure> {
        let mut loaded = Vec::new();
        for item in self.list()? {
            loaded.extend(self.load(&item)?.map(|loaded| (item.path, loaded)));
        }
        if loaded.is_empty() {
            return Err(Failure::new(Exit::Nothing, "no files found"));
        }
        let mut files: Vec<_> = loaded.iter().map(|(_, loaded)| loaded.file.clone()).collect();
        edit(&mut files)?;
        let edited: Vec<_> = loaded
            .into_iter()
            .zip(files)
            .map(|((path, loaded), file)| Edited { path, loaded, file })
            .collect();
        for Edited { path, loaded, file } in &edited {
            refuse_findings(&loaded.file, file).map_err(|failure| failure.of(shown(path)))?;
        }
        let mut lines = Lines::default();
        edited.iter().try_for_each(|edited| self.write(edited, common, output, &mut lines))?;
        Ok(Exit::Well)
    }

    /// Writes the result of an edit, and prints the changes.
    fn write(
        &self,
        edited: &Edited,
        common: &Common,
        output: &mut Output,
        lines: &mut Lines,
    ) -> Result<(), Failure> {
        let Edited { path, loaded, file } = edited;
        let Loaded { bytes, spec, file: original } = loaded;
        let blame = |failure: Failure| failure.of(shown(path));
        let after = file.encode().map_err(|error| blame(error.into()))?;
        refuse_findings(original, file).map_err(blame)?;
        let spec = FormatSpec { dialect: original.dialect().or(spec.dialect), ..*spec };
        let verify = |written: &[u8]| load::verify(written, spec, &after);
        if self.to.dry_run {
            verify(&after).map_err(blame)?;
        } else if let Some(out) = &self.to.output {
            let target = Target::named(out, self.force);
            target.free_for(self.format)?;
            target.write(&after, output, verify)?;
        } else if let Some(directory) = &self.to.out_dir {
            let out = directory.join(self.inputs.relative(path));
            if let Some(parent) = out.parent() {
                fs::create_dir_all(parent).map_err(|error| Failure::from(error).of(shown(parent)))?;
            }
            Target::named(&out, self.force).write(&after, output, verify)?;
        } else {
            in_place::change(path, (bytes, &after), !self.no_backup, verify)?;
        }
        let shows_all = self.to.dry_run || self.format == Format::Json || common.verbose;
        let changes = if shows_all || !common.quiet {
            changes(original, file).map_err(|error| blame(error.into()))?
        } else {
            Vec::new()
        };
        let name = PathName::of(path);
        let (file, file_bytes) = (&*name.text, name.bytes.as_deref());
        match self.format {
            Format::Json => changes
                .iter()
                .try_for_each(|change| lines.write(output, &FileChange { file, file_bytes, change }))?,
            Format::Human if self.to.dry_run => print(path, &changes, output)?,
            Format::Human if common.verbose => print(path, &changes, &mut io::stderr())?,
            Format::Human if common.quiet => {}
            Format::Human => eprintln!("{}: {}", shown(path), counted(changes.len(), "change")),
        }
        Ok(())
    }
}

fn print(path: &Path, changes: &[Change], output: &mut impl Write) -> io::Result<()> {
    writeln!(output, "{}: {}", shown(path), counted(changes.len(), "change"))?;
    super::set::print_human(changes, output)
}

/// Refuses an edit that breaks a rule.
fn refuse_findings(before: &File, after: &File) -> Result<(), Failure> {
    refuse(&caused(before, after, true)?)
}

/// Refuses a result with these new findings.
pub(super) fn refuse(findings: &[Finding]) -> Result<(), Failure> {
    let Some(first) = findings.first() else { return Ok(()) };
    let more = match findings.len() - 1 {
        0 => String::new(),
        more => format!(", and {}", counted(more, "more finding")),
    };
    let why = format!("the result would violate {}: {first}{more}; nothing was written", first.rule.code);
    let help = Some(format!("`bindpose check --explain {}` explains the rule", first.rule.code));
    Err(Failure { help, ..Failure::new(Exit::Findings, why) })
}
