//! Counts work, for tests which assert that it grows at most linearly with the size of files.

#[cfg(feature = "strategies")]
thread_local! {
    static DONE: std::cell::Cell<usize> = const { std::cell::Cell::new(0) };
}

/// Adds visited members, compared names or skipped bytes of text to the count.
#[cfg_attr(
    not(feature = "strategies"),
    expect(clippy::missing_const_for_fn, unused_variables, reason = "counts nothing")
)]
#[inline]
pub fn done(amount: usize) {
    #[cfg(feature = "strategies")]
    DONE.set(DONE.get() + amount);
}

/// Returns the amount of work of a task.
#[cfg(feature = "strategies")]
pub fn of(task: impl FnOnce()) -> usize {
    DONE.set(0);
    task();
    DONE.get()
}
