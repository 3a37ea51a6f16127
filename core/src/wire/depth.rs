//! How deeply lists are nested, which the file decides where a type contains itself.

use std::cell::Cell;
use std::io::Seek;

use binrw::BinResult;

use super::refuse;
use crate::ErrorKind;

/// The most lists of records of variable size that are inside each other: each level takes stack.
const MOST: usize = 128;

thread_local! {
    static DEPTH: Cell<usize> = const { Cell::new(0) };
}

/// A list that is being read.
pub(super) struct Nested;

impl Nested {
    /// Begins a list; refuses it if too many others contain it.
    pub fn begin(reader: &mut impl Seek) -> BinResult<Self> {
        let depth = DEPTH.get();
        if depth >= MOST {
            let why = format!("records are nested more than {MOST} levels deep");
            return Err(refuse(reader.stream_position()?, ErrorKind::Unknown(why)));
        }
        DEPTH.set(depth + 1);
        Ok(Self)
    }
}

impl Drop for Nested {
    fn drop(&mut self) {
        DEPTH.set(DEPTH.get() - 1);
    }
}
