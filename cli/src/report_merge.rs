//! `bindpose report merge`: merge the reports of a partitioned run.

use std::fs::File;
use std::io::{BufReader, Read};
use std::path::{Path, PathBuf};

use clap::Args;
use indicatif::ProgressBar;

use super::Common;
use super::exit::{Exit, Failure};
use super::output::Output;
use super::report::json::{self, Recorded};
use super::report::{Note, ReportArgs, Subject};
use crate::files::shown;

/// Merge the JSON reports of a partitioned run
///
/// The parts are JSON reports of `roundtrip` or of `check`. The exit code is that of the whole run. A report of `check` lists only
/// files with findings: an empty one means that there are none. A run without files reports that.
#[derive(Args)]
#[command(after_long_help = EXAMPLES)]
pub(super) struct Merge {
    /// JSON reports; `-` for standard input
    #[arg(required = true, value_name = "PART")]
    parts: Vec<PathBuf>,
    #[command(flatten)]
    report: ReportArgs,
}

const EXAMPLES: &str = "\
Examples:
  bindpose roundtrip assets --partition hash:1/2 --report json=1.jsonl
  bindpose roundtrip assets --partition hash:2/2 --report json=2.jsonl
  bindpose report merge 1.jsonl 2.jsonl --report junit=all.xml";

impl Merge {
    pub fn run(&self, common: &Common, output: &mut Output) -> Result<Exit, Failure> {
        let (mut merged, mut matched) = (Vec::new(), false);
        for part in &self.parts {
            let files = read(part).map_err(|failure| failure.of(shown(part)))?;
            matched |= files.is_some();
            merged.extend(files.into_iter().flatten());
        }
        let subject = merged.first().map_or(Subject::Check, |first| first.subject);
        if merged.iter().any(|file| file.subject != subject) {
            return Err(Failure::new(
                Exit::Usage,
                "expected reports of one verb; some are of roundtrip, others of check",
            ));
        }
        // Each file once, with its worst verdict.
        merged.sort_by(|a, b| by_path(a, b).then_with(|| b.row.verdict.cmp(&a.row.verdict)));
        merged.dedup_by(|a, b| a.path == b.path);
        // Reports of check do not list files without findings.
        let common = Common { quiet: common.quiet || (matched && merged.is_empty()), ..*common };
        let mut reports = self.report.open(subject, &common, output, ProgressBar::hidden())?;
        let _ = merged
            .iter()
            .try_for_each(|file| reports.file(&file.path, &file.row, file.known).map_continue(drop));
        if !matched {
            reports.note(Note::Nothing);
        }
        let exit = reports.end();
        Ok(if matched { exit } else { exit.max(Exit::Nothing) })
    }
}

/// The order of a single run.
fn by_path(a: &Recorded, b: &Recorded) -> std::cmp::Ordering {
    Path::new(&a.path).cmp(Path::new(&b.path)).then_with(|| a.path.cmp(&b.path))
}

fn read(part: &Path) -> Result<Option<Vec<Recorded>>, Failure> {
    let input: Box<dyn Read> = match part.as_os_str().to_str() {
        Some("-") => Box::new(std::io::stdin().lock()),
        _ => Box::new(File::open(part)?),
    };
    json::read(BufReader::new(input)).map_err(|why| Failure::new(Exit::Usage, why))
}
