//! What a run over many files shows: a bar while it works, and a sentence at the end.

use std::fmt::Write as _;
use std::num::NonZero;
use std::thread;

use clap::Args;
use indicatif::{ProgressBar, ProgressState, ProgressStyle};

use super::batch::Batch;
use super::many::some;
use super::output::counted;

#[derive(Args)]
pub(super) struct Jobs {
    /// Process N files at a time [default: the number of processors]
    #[arg(short, long, value_name = "N", value_parser = some::<NonZero<usize>>, help_heading = "Run")]
    jobs: Option<NonZero<usize>>,
}

impl Jobs {
    /// Some items, of which several are processed at a time.
    pub fn batch<'a, T>(&self, items: &'a [T], quiet: bool) -> Batch<'a, T> {
        Batch { items, jobs: self.count(items.len()), quiet }
    }

    /// The number of so many files to process at a time.
    pub fn count(&self, files: usize) -> usize {
        // The system reads several files to count its processors.
        let processors = || if files > 1 { thread::available_parallelism().ok() } else { None };
        self.jobs.or_else(processors).map_or(1, usize::from)
    }
}

/// A bar on a terminal that waits for more than a moment's work, otherwise nothing.
pub(super) fn bar(files: usize, quiet: bool) -> ProgressBar {
    if quiet || files < 2 {
        return ProgressBar::hidden();
    }
    let rate =
        |state: &ProgressState, out: &mut dyn std::fmt::Write| _ = out.write_str(&rate(state.per_sec()));
    let style = ProgressStyle::with_template("{bar:32} {pos}/{len} files, {rate}, {eta} left");
    let bar = ProgressBar::new(files as u64);
    style.map_or(ProgressBar::hidden(), |style| bar.with_style(style.with_key("rate", rate)))
}

fn rate(files: f64) -> String {
    format!("{files:.0}/s")
}

/// A sentence about the files of a run: those of the main outcome, and the others there are.
pub(super) fn sentence(files: usize, outcome: &str, others: &[(usize, &str)]) -> String {
    let mut sentence = format!("{} {outcome}", counted(files, "file"));
    for (count, outcome) in others.iter().filter(|(count, _)| *count > 0) {
        _ = write!(sentence, ", {count} {outcome}");
    }
    sentence + "."
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_rate_has_no_fraction() {
        assert_eq!(rate(442.2761), "442/s");
    }

    #[test]
    fn a_sentence_has_only_the_outcomes_there_are() {
        let others = [(0, "unchanged"), (2, "failed")];
        assert_eq!(sentence(1, "written", &others), "1 file written, 2 failed.");
        assert_eq!(sentence(1000, "written", &[]), "1000 files written.");
    }
}
