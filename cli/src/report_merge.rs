//! `bindpose report merge`: merge the reports of a partitioned run.

use std::collections::{BTreeMap, HashMap};
use std::io::{BufReader, Read};

use clap::Subcommand;
use indicatif::ProgressBar;

use super::report::json::{self, ReadRun, Recorded};
use super::report::{Accepted, Note, ReportArgs, Subject};
use crate::prelude::*;
use bindpose::files::open_regular;

/// Process JSON reports of `roundtrip` and `check`
#[derive(Args)]
pub(super) struct Report {
    #[command(subcommand)]
    verb: ReportVerb,
}

#[derive(Subcommand)]
enum ReportVerb {
    Merge(Merge),
}

impl Verb for Report {
    fn run(&self, output: &mut Output) -> Result<Exit> {
        let ReportVerb::Merge(merge) = &self.verb;
        merge.run(output)
    }
}

/// Merge the JSON reports of a partitioned run
///
/// The parts are JSON reports of `roundtrip` or of `check`. The exit code is that of the whole run. Reports of runs with --partition end
/// with the number of their part: parts that are missing, given twice or of another run are errors.
#[derive(Args)]
#[command(after_long_help = "\
Examples:
  bindpose roundtrip assets --partition hash:1/2 --report json=1.jsonl
  bindpose roundtrip assets --partition hash:2/2 --report json=2.jsonl
  bindpose report merge 1.jsonl 2.jsonl --report junit=all.xml")]
struct Merge {
    /// JSON reports; `-` for standard input
    #[arg(required = true, value_name = "PART")]
    parts: Vec<PathBuf>,
    #[command(flatten)]
    report: ReportArgs,
}

impl Verb for Merge {
    fn run(&self, output: &mut Output) -> Result<Exit> {
        let runs = self.parts.iter().map(|part| Ok((part.as_path(), read(part).in_file(part)?)));
        let runs = runs.collect::<Result<Vec<_>>>()?;
        check_parts(&runs).map_err(|(path, why)| Failure::usage(why).in_file(path))?;
        let matched = runs.iter().any(|(_, run)| run.matched);
        let mut merged: Vec<_> = runs.into_iter().flat_map(|(_, run)| run.files).collect();
        let subject = merged.first().map_or(Subject::Check, |first| first.subject);
        if merged.iter().any(|file| file.subject != subject) {
            return Err(Failure::usage(
                "expected reports of one verb; some are of roundtrip, others of check",
            ));
        }
        // Each file once: with all its findings, or its worst verdict.
        merged.sort_by(|a, b| by_path(a, b).then_with(|| b.row.verdict.cmp(&a.row.verdict)));
        merged.dedup_by(|later, first| {
            let is_same = later.path == first.path;
            if is_same {
                first.absorb(later.row.clone());
            }
            is_same
        });
        merged.iter_mut().for_each(Recorded::remove_repetitions);
        // The standard output of check does not list files without findings.
        output.common.quiet |= matched && merged.is_empty();
        let mut reports = self.report.open((subject, false), output, ProgressBar::hidden())?;
        let _ = merged.iter().try_for_each(|file| {
            let accepted = Accepted { known: file.known, damage: self.report.allow_damaged };
            reports.file(&file.path, &file.row, accepted).map_continue(drop)
        });
        if !matched {
            reports.run.note = Some(Note::Nothing);
        }
        Ok(reports.end())
    }
}

/// Fails unless the reports are the parts of one run, each once, or none is a part of a run.
fn check_parts<'a>(runs: &[(&'a Path, ReadRun)]) -> Result<(), (&'a Path, String)> {
    let first = runs.iter().find_map(|(path, run)| Some((*path, run.part?.partition)));
    let Some((first, partition)) = first else { return Ok(()) };
    let mut present: BTreeMap<u64, &Path> = BTreeMap::new();
    let mut files: HashMap<&PathName, &Path> = HashMap::new();
    for (path, run) in runs {
        let own = run.part.map(|part| part.partition).ok_or_else(|| {
            let why = format!("is not a part of a run, or incomplete; {} is part {partition}", shown(first));
            (*path, why)
        })?;
        if !own.is_like(partition) {
            let why = format!("is part {own}, but {} is part {partition} of another run", shown(first));
            return Err((path, why));
        }
        let (number, _) = own.numbers();
        if let Some(other) = present.insert(number, path) {
            return Err((path, format!("is part {own}, and so is {}", shown(other))));
        }
        for file in &run.files {
            if let Some(other) = files.insert(&file.path, path) {
                let (file, other) = (printable(&file.path.text), shown(other));
                return Err((
                    path,
                    format!("reports {file}, and so does {other}: they are parts of different runs"),
                ));
            }
        }
    }
    let (_, all) = partition.numbers();
    match (1..=all).find(|number| !present.contains_key(number)) {
        Some(missing) => Err((first, format!("is one of {all} parts, but part {missing} is missing"))),
        None => Ok(()),
    }
}

/// The order of a single run.
fn by_path(a: &Recorded, b: &Recorded) -> std::cmp::Ordering {
    Path::new(&a.path.text).cmp(Path::new(&b.path.text)).then_with(|| a.path.cmp(&b.path))
}

fn read(part: &Path) -> Result<ReadRun> {
    let input: Box<dyn Read> =
        if is_stdio(part) { Box::new(std::io::stdin().lock()) } else { Box::new(open_regular(part)?) };
    json::read(BufReader::new(input)).map_err(Failure::usage)
}
