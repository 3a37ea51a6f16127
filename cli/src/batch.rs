//! Runs one task on many items with several workers, and returns the results in order.

use std::collections::BTreeMap;
use std::ops::ControlFlow;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError, mpsc};
use std::thread;

use indicatif::ProgressBar;

use super::exit::guarded;
use super::output::{Messages, with_held_messages};
use super::progress;
use super::write::Results;
use crate::prelude::*;

/// The files of a run, or sets of files, each of which is processed alone.
pub(super) struct Batch<'a, T = Item> {
    pub items: &'a [T],
    pub jobs: usize,
    pub quiet: bool,
}

/// The number of files of a run by their results.
#[derive(Default)]
pub(super) struct Tally {
    pub done: usize,
    /// Files of other formats in directories.
    pub foreign: usize,
    pub failed: usize,
    pub exit: Exit,
}

impl<'a, T: Sync> Batch<'a, T> {
    /// Processes each item, and passes the results on in order until that fails.
    pub fn each<R: Send>(
        &self,
        work: impl Fn(&'a T) -> Result<R> + Sync,
        mut take: impl FnMut(&'a T, Result<R>) -> Result<()>,
    ) -> Result<()> {
        let bar = progress::bar(self.items.len(), self.quiet);
        let mut taken = Ok(());
        run(
            (self.items.len(), &bar),
            self.jobs,
            || (),
            |(), index| guarded(|| work(&self.items[index])),
            |index, done| {
                taken = bar.suspend(|| take(&self.items[index], done));
                if taken.is_ok() { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
            },
        );
        bar.finish_and_clear();
        taken
    }
}

impl<'a> Batch<'a> {
    /// As [`each`](Self::each). A file that fails is reported, and does not stop the others.
    pub fn run<T: Send>(
        &self,
        work: impl Fn(&Item) -> Result<T> + Sync,
        mut print: impl FnMut(&'a Item, T) -> Result<()>,
    ) -> Result<Tally> {
        let mut tally = Tally::default();
        let work = |item: &'a Item| item.is_listed().and_then(|()| work(item));
        self.each(work, |item, done| match done {
            Ok(done) => {
                tally.done += 1;
                print(item, done)
            }
            Err(failure) if failure.is_foreign(item) => {
                tally.foreign += 1;
                Ok(())
            }
            Err(failure) => {
                tally.failed += 1;
                tally.exit = tally.exit.max(failure.report());
                Ok(())
            }
        })?;
        Ok(tally)
    }
}

/// The results of a run. Named files are a set, of which nothing is written if one fails; each file in a directory is written alone.
#[derive(Default)]
pub(super) struct Written(Mutex<Results>);

impl Written {
    pub fn add<T>(&self, item: &Item, store: impl FnOnce(&mut Results) -> Result<T>) -> Result<T> {
        if item.named {
            return store(&mut locked(&self.0));
        }
        let mut results = Results::default();
        let done = store(&mut results)?;
        results.publish()?;
        Ok(done)
    }

    /// Writes the results of named files, unless one failed; returns whether it did.
    pub fn publish<'a>(self, items: impl IntoIterator<Item = &'a Item>, failed: usize) -> Result<bool> {
        if failed == 0 {
            self.0.into_inner().unwrap_or_else(PoisonError::into_inner).publish()?;
            return Ok(true);
        }
        if items.into_iter().filter(|item| item.named).nth(1).is_some() {
            note!("bindpose: no named file was written, because one failed");
        }
        Ok(false)
    }
}

/// Locks what workers share; one that panicked left it complete.
pub(super) fn locked<T>(shared: &Mutex<T>) -> MutexGuard<'_, T> {
    shared.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The maximum number of items that a worker takes at a time.
const CHUNK: usize = 64;

/// Runs the task for `0..count`, as the bar shows, and passes the results on in that order, until `take` breaks. The messages of a task
/// appear before its result is taken.
///
/// Each worker has its own state. A single worker runs on the calling thread.
pub(super) fn run<Tool, T: Send>(
    (count, bar): (usize, &ProgressBar),
    jobs: usize,
    tool: impl Fn() -> Tool + Sync,
    work: impl Fn(&mut Tool, usize) -> T + Sync,
    mut take: impl FnMut(usize, T) -> ControlFlow<()>,
) {
    let work = |tool: &mut Tool, index| {
        let done = with_held_messages(|| work(tool, index));
        bar.inc(1);
        done
    };
    let mut take = |index, (done, messages): (T, Vec<u8>)| {
        if !messages.is_empty() {
            bar.suspend(|| _ = Messages.write_all(&messages));
        }
        take(index, done)
    };
    if jobs.min(count) <= 1 {
        let mut tool = tool();
        let _ = (0..count).try_for_each(|index| take(index, work(&mut tool, index)));
        return;
    }
    // Large at first to avoid contention, small towards the end to distribute large files.
    let chunk = |start: usize| start..start + ((count - start) / jobs / 8).clamp(1, CHUNK);
    let next = AtomicUsize::new(0);
    let (sender, results) = mpsc::channel();
    thread::scope(|scope| {
        for _ in 0..jobs.min(count) {
            let (sender, next, tool, work) = (sender.clone(), &next, &tool, &work);
            scope.spawn(move || {
                let mut tool = tool();
                let end_of_chunk = |start| (start < count).then(|| chunk(start).end);
                while let Ok(start) = next.fetch_update(Ordering::Relaxed, Ordering::Relaxed, end_of_chunk) {
                    let done: Vec<_> = chunk(start).map(|index| work(&mut tool, index)).collect();
                    if sender.send((start, done)).is_err() {
                        break;
                    }
                }
            });
        }
        drop(sender);
        let _ = in_order(&results, &mut take);
        // Workers finish their current chunk and then find no further items.
        next.store(count, Ordering::Relaxed);
        drop(results);
    });
}

fn in_order<T>(
    results: &mpsc::Receiver<(usize, Vec<T>)>,
    take: &mut impl FnMut(usize, T) -> ControlFlow<()>,
) -> ControlFlow<()> {
    let mut early = BTreeMap::new();
    let mut expected = 0;
    for (start, chunk) in results {
        early.insert(start, chunk);
        while let Some(chunk) = early.remove(&expected) {
            for result in chunk {
                take(expected, result)?;
                expected += 1;
            }
        }
    }
    ControlFlow::Continue(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn squares(count: usize, jobs: usize, until: usize) -> Vec<usize> {
        let mut taken = Vec::new();
        run(
            (count, &ProgressBar::hidden()),
            jobs,
            || (),
            |(), i| i * i,
            |i, square| {
                assert_eq!(square, i * i);
                taken.push(square);
                if taken.len() == until { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
            },
        );
        taken
    }

    #[test]
    fn results_come_in_order_whoever_works() {
        let expected: Vec<_> = (0..1000).map(|i| i * i).collect();
        for jobs in [1, 2, 7, 2000] {
            assert_eq!(squares(1000, jobs, usize::MAX), expected, "with {jobs} jobs");
        }
        assert!(squares(0, 4, usize::MAX).is_empty());
    }

    #[test]
    fn nothing_is_taken_after_the_stop() {
        assert_eq!(squares(1000, 3, 40).len(), 40);
    }
}
