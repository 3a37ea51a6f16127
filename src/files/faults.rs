//! Failures of the disk, for tests.

use std::cell::Cell;
use std::io;

/// What fails of the operations that change a disk.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fault {
    /// Nothing.
    None,
    /// The operation of this number, counted from 0.
    Single(u64),
    /// All operations from this number on, as if the program were killed before it.
    From(u64),
}

thread_local! {
    static FAULT: Cell<Fault> = const { Cell::new(Fault::None) };
    static DONE: Cell<u64> = const { Cell::new(0) };
}

/// Runs a function with a fault in what this thread writes, and returns its result and the number of operations.
pub fn with<T>(fault: Fault, work: impl FnOnce() -> T) -> (T, u64) {
    FAULT.set(fault);
    DONE.set(0);
    let result = work();
    FAULT.set(Fault::None);
    (result, DONE.get())
}

/// Counts an operation; returns the failure that the test has set.
pub(super) fn attempt() -> io::Result<()> {
    if !cfg!(feature = "strategies") {
        return Ok(());
    }
    let number = DONE.replace(DONE.get() + 1);
    let fails = match FAULT.get() {
        Fault::None => false,
        Fault::Single(at) => number == at,
        Fault::From(at) => number >= at,
    };
    if fails { Err(io::Error::other("injected failure")) } else { Ok(()) }
}
