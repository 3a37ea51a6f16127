//! `bindpose roundtrip`: decode, encode, compare.

use std::fs::File;
use std::num::NonZero;
use std::ops::ControlFlow::{self, Break, Continue};
use std::path::PathBuf;
use std::thread;

use clap::Args;
use indicatif::{ProgressBar, ProgressStyle};

use super::baseline::{Baseline, NewBaseline};
use super::cache::{self, Cache, Fate, Seen};
use super::exit::{Exit, Failure, guarded};
use super::files::{Inputs, Item, shown};
use super::limits::LimitArgs;
use super::load::UNKNOWN_FORMAT;
use super::output::Output;
use super::partition::Partition;
use super::read::Buffer;
use super::report::{ReportArgs, Reports, Status};
use super::verdict::{Row, Verdict};
use super::{Common, batch};
use crate::codec::{Outcome, Pieces};
use crate::{Limits, Spec};

/// Decode files, encode them again, and see that every byte came back
///
/// Directories are searched as git would; files of unknown format in them are passed over and counted. A file that
/// comes back exactly but stops making sense somewhere is damaged: it is named with the place, and the exit code is 1.
#[derive(Args)]
#[command(after_long_help = EXAMPLES)]
pub(super) struct Roundtrip {
    #[command(flatten)]
    inputs: Inputs,
    /// Files worked on at a time [default: one for each processor]
    #[arg(short, long, value_name = "N")]
    jobs: Option<NonZero<usize>>,
    /// Stop at the first file that fails
    #[arg(long)]
    fail_fast: bool,
    /// Let the failures pass that this JSON report names
    #[arg(long, value_name = "FILE")]
    baseline: Option<PathBuf>,
    /// Let all failures pass, and write them into the baseline
    #[arg(long, requires = "baseline")]
    update_baseline: bool,
    /// Keep the verdicts in this file, and check only what changed since
    #[arg(long, value_name = "FILE")]
    cache: Option<PathBuf>,
    /// Check the M-th of N parts: slice:M/N for even parts, hash:M/N for parts that stay when files come and go
    #[arg(long, value_name = "PART")]
    partition: Option<Partition>,
    #[command(flatten)]
    report: ReportArgs,
    #[command(flatten)]
    limits: LimitArgs,
}

const EXAMPLES: &str = "\
Examples:
  bindpose roundtrip assets
  bindpose roundtrip --format json assets | jq -r 'select(.verdict != \"lossless\") | .path'
  bindpose roundtrip --as max-mesh head.mesh
  bindpose roundtrip assets --baseline known.jsonl --update-baseline
  bindpose roundtrip assets --baseline known.jsonl --report junit=report.xml
  bindpose roundtrip assets --partition hash:1/4 --report json=part1.jsonl";

impl Roundtrip {
    pub fn run(&self, common: &Common, output: &mut Output) -> Result<Exit, Failure> {
        let (items, others) = self.share(self.inputs.list()?);
        let bar = progress(items.len(), common.quiet);
        let mut ledger = self.ledger()?;
        let cache = self.cache.as_ref().map(|path| Cache::read(path, self.limits));
        let mut reports = self.report.open(common, output, bar.clone())?;
        let judge = Judge { limits: self.limits, cache: cache.as_ref() };
        let work = |buffer: &mut Buffer, index: usize| {
            let judged = judge.judge(buffer, &items[index]);
            bar.inc(1);
            judged
        };
        let mut learned = Vec::new();
        batch::run(items.len(), self.jobs(), Buffer::default, work, |index, (row, seen)| {
            let flow = self.tell(&items[index], row.as_ref(), &mut ledger, &mut reports);
            if judge.cache.is_some() {
                learned.push((index, row, seen));
            }
            flow
        });
        let matched = reports.matched() || others.iter().any(|item| is_ours(&mut Buffer::default(), item));
        let mut exit = reports.end();
        if let Some(mut cache) = cache {
            for (index, row, seen) in learned {
                let Item { path, spec, .. } = &items[index];
                cache.learn(&shown(path), *spec, seen, row.as_ref());
            }
            exit = exit.max(complain(cache.write()));
        }
        exit = exit.max(complain(ledger.publish()));
        Ok(if matched { exit } else { exit.max(Exit::Nothing) })
    }

    /// Parts the files that this run is to check from the others.
    fn share(&self, items: Vec<Item>) -> (Vec<Item>, Vec<Item>) {
        let Some(partition) = self.partition else { return (items, Vec::new()) };
        let mut index = 0..;
        items.into_iter().partition(|item| partition.holds(index.next().unwrap_or(0), &item.path))
    }

    fn jobs(&self) -> usize {
        self.jobs.or_else(|| thread::available_parallelism().ok()).map_or(1, usize::from)
    }

    fn ledger(&self) -> Result<Ledger, Failure> {
        match &self.baseline {
            None => Ok(Ledger::None),
            Some(path) if self.update_baseline => NewBaseline::new(path).map(Ledger::New),
            Some(path) => Baseline::read(path).map(Ledger::Known),
        }
    }

    fn tell(
        &self,
        item: &Item,
        row: Option<&Row>,
        ledger: &mut Ledger,
        reports: &mut Reports<'_>,
    ) -> ControlFlow<()> {
        let Some(row) = row else {
            reports.foreign();
            return Continue(());
        };
        let path = shown(&item.path);
        let status = reports.file(&path, row, ledger.holds(&path, row))?;
        if self.fail_fast && status == Status::Failed { Break(()) } else { Continue(()) }
    }
}

/// Says on standard error what could not be written; the run itself is not in vain.
fn complain(done: Result<(), Failure>) -> Exit {
    let Err(failure) = done else { return Exit::Well };
    eprintln!("bindpose: {failure}");
    failure.exit
}

/// The failures that are let pass.
enum Ledger {
    None,
    Known(Baseline),
    New(NewBaseline),
}

impl Ledger {
    fn holds(&mut self, path: &str, row: &Row) -> bool {
        match self {
            Self::None => false,
            Self::Known(baseline) => baseline.holds(path, row),
            Self::New(baseline) => baseline.note(path, row),
        }
    }

    fn publish(self) -> Result<(), Failure> {
        match self {
            Self::None | Self::Known(_) => Ok(()),
            Self::New(baseline) => baseline.publish(),
        }
    }
}

/// Reads and judges files.
struct Judge<'a> {
    limits: LimitArgs,
    cache: Option<&'a Cache>,
}

impl Judge<'_> {
    /// What became of a file; no row where it is of unknown format and nobody named it.
    fn judge(&self, buffer: &mut Buffer, item: &Item) -> (Option<Row>, Seen) {
        let mut seen = Seen::default();
        let row = self.attempt(buffer, item, &mut seen);
        buffer.relax();
        (row.unwrap_or_else(|why| Some(Row::failed(Verdict::IoError, 0, why))), seen)
    }

    fn attempt(&self, buffer: &mut Buffer, item: &Item, seen: &mut Seen) -> Result<Option<Row>, String> {
        if let Some(trouble) = &item.trouble {
            return Err(trouble.to_string());
        }
        match self.unchanged(item, seen) {
            Some(Fate::Known(row)) => return Ok(Some(row)),
            Some(Fate::Foreign) if !item.named => return Ok(None),
            _ => {}
        }
        let mut opened = buffer.open(&item.path)?;
        seen.stamp = opened.stamp();
        let len = opened.len().unwrap_or(0);
        let spec = item.spec.or_else(|| Spec::detect(&item.path, buffer.head(&opened)));
        let Some(spec) = spec else {
            return Ok(item.named.then(|| Row::failed(Verdict::UnknownFormat, len, UNKNOWN_FORMAT)));
        };
        if let Err(why) = self.limits.admit(len) {
            return Ok(Some(Row { spec: Some(spec), ..Row::failed(Verdict::Limit, len, why) }));
        }
        if len > LARGE
            && let Some(outcome) = opened.aside(|file| prove(file, spec, self.limits.limits()))
        {
            return Ok(Some(Row::judged(spec, len, outcome)));
        }
        let bytes = buffer.whole(opened)?;
        if let Some(cache) = self.cache {
            let hash = cache::hash(bytes);
            seen.hash = Some(hash);
            if let Some(row) = cache.by_content(&shown(&item.path), item.spec, hash) {
                return Ok(Some(row));
            }
        }
        Ok(Some(roundtrip(bytes, spec, self.limits.limits())))
    }

    /// What became of a file that is what it was, by its length and time.
    fn unchanged(&self, item: &Item, seen: &mut Seen) -> Option<Fate> {
        let cache = self.cache?;
        let stamp = cache::stamp(&item.path)?;
        seen.stamp = Some(stamp);
        cache.by_stamp(&shown(&item.path), item.spec, stamp)
    }
}

/// Files longer than this are read in pieces where their format lets them.
const LARGE: u64 = 1 << 22;

/// The main job in little memory; nothing where it cannot be done so, or came to no good.
fn prove(file: &mut File, spec: Spec, limits: Limits) -> Option<Outcome> {
    let mut pieces = Pieces::new(file, Pieces::SIZE).ok()?;
    guarded(|| Ok(spec.kind.prove(&mut pieces, &spec.options(limits)))).ok().flatten()
}

/// The main job. Whatever it does to us, it is one line of the report.
fn roundtrip(bytes: &[u8], spec: Spec, limits: Limits) -> Row {
    let len = bytes.len() as u64;
    match guarded(|| Ok(spec.kind.roundtrip(bytes, &spec.options(limits)))) {
        Ok(outcome) => Row::judged(spec, len, outcome),
        Err(failure) => Row::bug(spec, len, &failure),
    }
}

/// Whether a file would be told of at all: named, or of a known format.
fn is_ours(buffer: &mut Buffer, item: &Item) -> bool {
    let detected = |buffer: &mut Buffer| {
        let opened = buffer.open(&item.path).ok()?;
        Spec::detect(&item.path, buffer.head(&opened))
    };
    item.named || item.spec.is_some() || detected(buffer).is_some()
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
