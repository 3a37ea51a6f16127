//! Counts work, for tests that assert that it grows no faster than files do.

#[cfg(feature = "strategies")]
thread_local! {
    static DONE: std::cell::Cell<usize> = const { std::cell::Cell::new(0) };
}

/// Counts members looked at, names looked up, and bytes of text skipped.
#[cfg_attr(
    not(feature = "strategies"),
    expect(clippy::missing_const_for_fn, unused_variables, reason = "counts nothing")
)]
pub(super) fn done(amount: usize) {
    #[cfg(feature = "strategies")]
    DONE.set(DONE.get() + amount);
}

/// The work that a task takes.
#[cfg(feature = "strategies")]
pub fn directx_work(task: impl FnOnce()) -> usize {
    DONE.set(0);
    task();
    DONE.get()
}
