//! `bindpose roundtrip`: decode, encode, compare.

mod human;
mod json;

use std::io;
use std::ops::ControlFlow::{Break, Continue};
use std::path::Path;
use std::thread;

use clap::Args;
use indicatif::{ProgressBar, ProgressStyle};

use super::exit::{Exit, Failure, guarded};
use super::files::{Inputs, Item};
use super::load::UNKNOWN_FORMAT;
use super::output::Output;
use super::read::Buffer;
use super::verdict::{Row, Verdict};
use super::{Common, Format, batch};
use crate::{Limits, Spec};

/// Decode files, encode them again, and see that every byte came back
///
/// Directories are searched as git would, files of unknown format in them are passed over and counted. A file that
/// comes back exactly but stops making sense somewhere is damaged: it is named with the place, and the exit code is 1.
#[derive(Args)]
#[command(after_long_help = EXAMPLES)]
pub(super) struct Roundtrip {
    #[command(flatten)]
    inputs: Inputs,
    /// How to print the result
    #[arg(long, value_name = "FORMAT", value_enum, default_value_t = Format::Human)]
    format: Format,
    /// Files worked on at a time [default: one for each processor]
    #[arg(short, long, value_name = "N")]
    jobs: Option<std::num::NonZero<usize>>,
    /// Stop at the first file that fails
    #[arg(long)]
    fail_fast: bool,
    /// Let damaged files pass that come back exactly
    #[arg(long)]
    allow_damaged: bool,
}

const EXAMPLES: &str = "\
Examples:
  bindpose roundtrip assets
  bindpose roundtrip --format json assets | jq -r 'select(.verdict != \"lossless\") | .path'
  bindpose roundtrip --as max-mesh head.mesh";

impl Roundtrip {
    pub fn run(&self, common: &Common, output: &mut Output) -> Result<Exit, Failure> {
        let items = self.inputs.list()?;
        let jobs = self.jobs.or_else(|| thread::available_parallelism().ok()).map_or(1, usize::from);
        let bar = progress(items.len(), common.quiet);
        let mut report: Box<dyn Report> = match self.format {
            Format::Human => Box::new(human::Human::new(common)),
            Format::Json => Box::new(json::Json::default()),
        };
        let mut exit = Exit::Well;
        let mut matched = false;
        let mut trouble = None;
        let work = |buffer: &mut Buffer, index: usize| {
            let row = judge(buffer, &items[index]);
            bar.inc(1);
            row
        };
        batch::run(items.len(), jobs, Buffer::default, work, |index, row| {
            matched |= row.is_some();
            let worse = row.as_ref().map_or(Exit::Well, |row| self.exit(row.verdict));
            exit = exit.max(worse);
            if let Err(error) = bar.suspend(|| report.row(&items[index].path, row.as_ref(), output)) {
                trouble = Some(error);
                return Break(());
            }
            if self.fail_fast && worse > Exit::Well { Break(()) } else { Continue(()) }
        });
        bar.finish_and_clear();
        trouble.map_or(Ok(()), Err)?;
        report.end(output)?;
        Ok(if matched { exit } else { Exit::Nothing })
    }

    const fn exit(&self, verdict: Verdict) -> Exit {
        match verdict {
            Verdict::Damaged if self.allow_damaged => Exit::Well,
            verdict => verdict.exit(),
        }
    }
}

/// A way to tell what became of the files.
trait Report {
    /// A file, in the order of the list; no row for a file of unknown format that nobody named.
    fn row(&mut self, path: &Path, row: Option<&Row>, output: &mut Output) -> io::Result<()>;

    /// All files are through.
    fn end(&mut self, output: &mut Output) -> io::Result<()>;
}

/// Reads and judges a file; nothing where it is of unknown format and nobody named it.
fn judge(buffer: &mut Buffer, item: &Item) -> Option<Row> {
    let row = attempt(buffer, item).unwrap_or_else(|why| Some(Row::failed(Verdict::IoError, 0, &why)));
    buffer.relax();
    row
}

fn attempt(buffer: &mut Buffer, item: &Item) -> Result<Option<Row>, String> {
    if let Some(trouble) = &item.trouble {
        return Err(trouble.to_string());
    }
    let opened = buffer.open(&item.path)?;
    let spec = item.spec.or_else(|| Spec::detect(&item.path, buffer.head(&opened)));
    let Some(spec) = spec else {
        let len = opened.len().unwrap_or(0);
        return Ok(item.named.then(|| Row::failed(Verdict::UnknownFormat, len, UNKNOWN_FORMAT)));
    };
    let bytes = buffer.whole(opened)?;
    let len = bytes.len() as u64;
    let outcome = guarded(|| Ok(spec.kind.roundtrip(bytes, &spec.options(Limits::default()))));
    Ok(Some(match outcome {
        Ok(outcome) => Row::judged(spec, len, outcome),
        Err(failure) => Row::bug(spec, len, &failure),
    }))
}

/// A bar on a terminal that waits for more than a moment's work, otherwise nothing.
fn progress(files: usize, quiet: bool) -> ProgressBar {
    if quiet || files < 2 {
        return ProgressBar::hidden();
    }
    let style = ProgressStyle::with_template("{bar:32} {pos}/{len} files, {per_sec}, {eta} left");
    let bar = ProgressBar::new(files as u64);
    style.map_or(ProgressBar::hidden(), |style| bar.with_style(style))
}
