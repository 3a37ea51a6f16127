//! What is being read, which binrw cannot pass down: how deeply lists are nested, where a file decides that, and the part
//! of the file that bounds the values in it.

use std::cell::Cell;
use std::io::Seek;

use binrw::BinResult;

use super::refuse;
use crate::ErrorKind;

/// The most lists of records of variable size that are inside each other: each level takes stack.
const MOST: usize = 128;

#[derive(Clone, Copy)]
struct Scope {
    depth: usize,
    start: u64,
    end: u64,
}

thread_local! {
    static SCOPE: Cell<Scope> = const { Cell::new(Scope { depth: 0, start: 0, end: u64::MAX }) };
}

/// A list or part that is being read; dropping it ends it.
pub(super) struct Nested {
    outer: Scope,
}

impl Nested {
    /// Begins a list; refuses it if too many others contain it.
    pub fn begin(reader: &mut impl Seek) -> BinResult<Self> {
        let outer = SCOPE.get();
        if outer.depth >= MOST {
            let why = format!("records are nested more than {MOST} levels deep");
            return Err(refuse(reader.stream_position()?, ErrorKind::Unknown(why)));
        }
        Ok(Self::enter(outer, Scope { depth: outer.depth + 1, ..outer }))
    }

    /// Begins a part, from whose start offsets count; with an end beyond which nothing is read, if it has one.
    pub fn part(start: u64, end: Option<u64>) -> Self {
        let outer = SCOPE.get();
        Self::enter(outer, Scope { start, end: end.unwrap_or(u64::MAX), ..outer })
    }

    fn enter(outer: Scope, inner: Scope) -> Self {
        SCOPE.set(inner);
        Self { outer }
    }
}

impl Drop for Nested {
    fn drop(&mut self) {
        SCOPE.set(self.outer);
    }
}

/// Returns the offset from which offsets in the current part count.
pub(super) fn origin() -> u64 {
    SCOPE.get().start
}

/// Returns where the current part ends; `None` for the end of the file.
pub(super) fn end() -> Option<u64> {
    Some(SCOPE.get().end).filter(|end| *end < u64::MAX)
}
