//! One task over many files: the common part of `roundtrip` and `check`.

use std::fs::{self, File};
use std::ops::ControlFlow::{self, Break, Continue};
use std::str::FromStr;

use super::baseline::{Baseline, NewBaseline};
use super::batch;
use super::cache::{self, Cache, Entry, Seen};
use super::config::{self, Section};
use super::exit::guarded;
use super::files::slashed;
use super::limits::MORE_MEMORY;
use super::load::{self, LARGE};
use super::partition::Partition;
use super::progress::{self, Jobs};
use super::read::{Buffer, Stamp};
use super::report::{Accepted, Note, Part, ReportArgs, Reports, Status, Subject};
use super::verdict::{Problem, Row, Verdict};
use crate::prelude::*;
use bindpose::check::Rule;

#[derive(Args)]
pub(super) struct Many {
    #[command(flatten)]
    pub inputs: Inputs,
    #[command(flatten)]
    pub jobs: Jobs,
    /// Stop after the first failure
    #[arg(long, help_heading = "Run")]
    fail_fast: bool,
    /// Ignore failures listed in this JSON report
    #[arg(long, value_name = "FILE", help_heading = "Run")]
    pub baseline: Option<PathBuf>,
    /// Write all failures to the baseline, and ignore them
    #[arg(long, requires = "baseline", help_heading = "Run")]
    update_baseline: bool,
    /// Store results in FILE and skip files that have not changed since
    ///
    /// Files are recognised by length and time, so the cache and the files must not be writable for others: do not use it in shared
    /// folders.
    #[arg(long, value_name = "FILE", help_heading = "Run")]
    cache: Option<PathBuf>,
    /// Process part M of N: slice:M/N for parts of equal size, hash:M/N for parts that are stable as files are added or removed
    #[arg(long, value_name = "PART", help_heading = "Run")]
    partition: Option<Partition>,
    /// Read settings from FILE [default: bindpose.toml in this or the nearest parent directory]
    #[arg(long, value_name = "FILE", help_heading = "Run")]
    config: Option<PathBuf>,
    #[command(flatten)]
    pub report: ReportArgs,
    #[command(flatten)]
    pub limits: LimitArgs,
}

/// Parses a number greater than zero.
pub(super) fn some<N: FromStr>(text: &str) -> Result<N, String> {
    text.parse().map_err(|_| "expected a number greater than 0".into())
}

/// The work done for each file.
pub(super) trait Task: Sync {
    const SUBJECT: Subject;

    /// Settings that the result depends on, beside the file and the limits.
    fn conditions(&self) -> String {
        String::new()
    }

    fn judge(&self, bytes: &[u8], spec: FormatSpec, limits: Limits) -> Row;

    /// Processes a large file without its bytes in memory; none if the format does not support that, or the file fails.
    fn process_streaming(&self, _file: &mut File, _spec: FormatSpec, _limits: Limits) -> Option<Row> {
        None
    }

    /// Applies the user's settings to a row, and adds findings about the file from elsewhere.
    fn complete(&self, _path: &Path, _row: &mut Row) {}

    /// Shortens long lists, after the baseline is applied.
    fn abridge(&self, _path: &Path, _row: &mut Row) {}

    /// Whether damage of a file is accepted.
    fn allows_damage(&self, path: &Path) -> bool;

    /// Whether violations of a rule are reported for a file.
    fn reports(&self, _path: &Path, _rule: &Rule) -> bool {
        true
    }

    /// Whether findings are counted instead of printed.
    fn statistics(&self) -> bool {
        false
    }
}

impl Many {
    pub fn project(&self) -> Result<Vec<Section>> {
        config::read(self.config.as_deref())
    }

    pub fn run<T: Task>(&self, task: &T, items: Vec<Item>, output: &mut Output) -> Result<Exit> {
        let (items, others) = self.share(items);
        let common = output.common;
        let bar = progress::bar(items.len(), common.quiet);
        let baseline = |updated| self.baseline.as_deref().filter(|_| self.update_baseline == updated);
        let known = baseline(false).map(|path| Baseline::read(path, T::SUBJECT)).transpose()?;
        let new = baseline(true).map(|path| NewBaseline::new(path, T::SUBJECT)).transpose()?;
        let mut baselines = (known, new);
        let conditions = || format!("{:?} {}", T::SUBJECT, task.conditions());
        let cache = self.cache.as_ref().map(|path| Cache::read(path, self.limits, &conditions()));
        let cache = cache.transpose()?;
        let statistics = task.statistics();
        let mut reports = self.report.open((T::SUBJECT, statistics), output, bar.clone())?;
        let judge = Worker { task, limits: self.limits, cache: cache.as_ref() };
        let work = |buffer: &mut Buffer, index: usize| judge.judge(buffer, &items[index]);
        let (mut learned, mut seen_to) = (Vec::new(), 0);
        batch::run(
            (items.len(), &bar),
            self.jobs.count(items.len()),
            Buffer::default,
            work,
            |index, (row, seen)| {
                if judge.cache.is_some() {
                    learned.push((index, row.clone(), seen));
                }
                seen_to += 1;
                let status = report(task, &items[index].path, row, &mut baselines, &mut reports)?;
                if self.fail_fast && status == Status::Failed { Break(()) } else { Continue(()) }
            },
        );
        if seen_to < items.len() {
            reports.run.note = Some(Note::Stopped(items.len() - seen_to));
        }
        let matched = reports.matched() || others.iter().any(|item| load::is_ours(item).unwrap_or(true));
        if !reports.matched() {
            reports.run.note = Some(if matched { Note::NoShare } else { Note::Nothing });
        }
        reports.run.part = self.partition.map(|partition| Part { partition, files: seen_to });
        let mut exit = reports.end();
        if let Some(cache) = cache {
            exit = exit.max(print_failure(remember(cache, &items, learned)));
        }
        let (known, new) = baselines;
        if let Some(mut known) = known.filter(|_| !common.quiet) {
            known.warn_of_stale_entries(common.verbose);
        }
        exit = exit.max(print_failure(new.map_or(Ok(()), NewBaseline::publish)));
        Ok(exit)
    }

    /// Parts the files that this run is to check from the others.
    fn share(&self, items: Vec<Item>) -> (Vec<Item>, Vec<Item>) {
        let Some(partition) = self.partition else { return (items, Vec::new()) };
        let mut index = 0..;
        items.into_iter().partition(|item| partition.holds(index.next().unwrap_or(0), &item.path))
    }
}

/// Reports the result for a file, and marks the findings that are not in the baseline.
fn report<T: Task>(
    task: &T,
    path: &Path,
    row: Option<Row>,
    (known, new): &mut (Option<Baseline>, Option<NewBaseline>),
    reports: &mut Reports<'_>,
) -> ControlFlow<(), Status> {
    let Some(mut row) = row else {
        reports.run.foreign += 1;
        return Continue(Status::Passed);
    };
    task.complete(path, &mut row);
    let is_known = match (known, new) {
        (Some(known), _) => known.holds(path, &mut row, &|rule| task.reports(path, rule)),
        (_, Some(new)) => new.note(path, &mut row),
        _ => false,
    };
    task.abridge(path, &mut row);
    let accepted = Accepted { known: is_known, damage: task.allows_damage(path) };
    reports.file(&PathName::of(path), &row, accepted)
}

/// Writes what was learned of files into the cache.
fn remember(mut cache: Cache, items: &[Item], learned: Vec<(usize, Option<Row>, Seen)>) -> Result<()> {
    for (index, row, seen) in learned {
        let Item { path, spec, .. } = &items[index];
        cache.learn(&slashed(path), *spec, seen, row);
    }
    cache.write()
}

/// Prints a failure to write, which does not end the run; returns its exit code.
fn print_failure(done: Result<()>) -> Exit {
    let Err(failure) = done else { return Exit::Success };
    note!("bindpose: {failure}");
    failure.exit
}

struct Worker<'a, T> {
    task: &'a T,
    limits: LimitArgs,
    cache: Option<&'a Cache>,
}

impl<T: Task> Worker<'_, T> {
    /// The result for a file; none for one of unknown format that was found in a directory.
    fn judge(&self, buffer: &mut Buffer, item: &Item) -> (Option<Row>, Seen) {
        let mut seen = Seen::default();
        let row = self.attempt(buffer, item, &mut seen);
        buffer.relax();
        (row.unwrap_or_else(|failure| Some(Row::failed(Verdict::IoError, 0, failure.message))), seen)
    }

    fn attempt(&self, buffer: &mut Buffer, item: &Item, seen: &mut Seen) -> Result<Option<Row>> {
        if let Some(trouble) = &item.trouble {
            return Err(Failure::new(Exit::Io, &**trouble));
        }
        match self.unchanged(item, seen) {
            Some(Entry { row: None, .. }) if item.named => {}
            Some(entry) => return Ok(entry.row.clone()),
            None => {}
        }
        let mut opened =
            if item.named { buffer.open(&item.path)? } else { buffer.open_listed(&item.path)? };
        seen.stamp = opened.stamp;
        let len = opened.len().unwrap_or(0);
        let detect = || FormatSpec::require(&item.path, buffer.head(&opened));
        let spec = match item.spec.map_or_else(detect, Ok) {
            Ok(spec) => spec,
            Err(error) => return Ok(item.named.then(|| Row::failed(Verdict::UnknownFormat, len, &error))),
        };
        // The rest of a file that starts as none of its format does is not read.
        if load::check_magic(buffer.head(&opened), Some(&spec)).is_err() {
            let row = self.judge_whole(buffer.head(&opened), spec);
            return Ok(Some(Row { bytes: len.max(row.bytes), ..row }));
        }
        let longest = self.limits.longest(opened.len());
        if len > LARGE
            && len <= longest
            && let Some(row) =
                opened.aside(|file| self.task.process_streaming(file, spec, self.limits.limits()))
        {
            return Ok(Some(row));
        }
        let bytes = match buffer.whole(opened, longest) {
            Ok(bytes) => bytes,
            Err(failure) if failure.exit == Exit::Limit => {
                let trouble = Problem { help: Some(MORE_MEMORY), ..failure.message.into() };
                return Ok(Some(Row {
                    format: Some(spec.into()),
                    ..Row::failed(Verdict::Limit, len, trouble)
                }));
            }
            Err(failure) => return Err(failure),
        };
        if let Some(cache) = self.cache {
            let hash = cache::hash(bytes);
            seen.hash = Some(hash);
            if let Some(row) = cache.by_content(&slashed(&item.path), item.spec, hash) {
                return Ok(Some(row.clone()));
            }
        }
        Ok(Some(self.judge_whole(bytes, spec)))
    }

    /// Judges a file; a panic becomes a line of the report.
    fn judge_whole(&self, bytes: &[u8], spec: FormatSpec) -> Row {
        let judged = guarded(|| Ok(self.task.judge(bytes, spec, self.limits.limits())));
        judged.unwrap_or_else(|failure| Row {
            format: Some(spec.into()),
            ..Row::failed(Verdict::NotLossless, bytes.len() as u64, failure.message)
        })
    }

    /// Returns the stored result of a file whose length and time are unchanged.
    fn unchanged(&self, item: &Item, seen: &mut Seen) -> Option<&Entry> {
        let cache = self.cache?;
        let stamp = Stamp::of(&fs::metadata(&item.path).ok()?)?;
        seen.stamp = Some(stamp);
        cache.by_stamp(&slashed(&item.path), item.spec, stamp)
    }
}
