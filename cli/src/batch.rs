//! Runs one task on many items with several workers, and returns the results in order.

use std::collections::BTreeMap;
use std::ops::ControlFlow;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc;
use std::thread;

/// The maximum number of items that a worker takes at a time.
const CHUNK: usize = 64;

/// Runs the task for `0..count` and passes the results on in that order, until `deliver` breaks.
///
/// Each worker has its own state. A single worker runs on the calling thread.
pub(super) fn run<Tool, T: Send>(
    count: usize,
    jobs: usize,
    tool: impl Fn() -> Tool + Sync,
    work: impl Fn(&mut Tool, usize) -> T + Sync,
    mut take: impl FnMut(usize, T) -> ControlFlow<()>,
) {
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
                    let done: Vec<T> = chunk(start).map(|index| work(&mut tool, index)).collect();
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
            count,
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
