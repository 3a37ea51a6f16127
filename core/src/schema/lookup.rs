//! Many canonical paths at once: where they are and what they contain.

use std::ops::Range;

use super::edit::All;
use super::resolve::{Selected, Visitor, resolve};
use super::{FieldPath, Location, PathError, Value};

/// What is at a path.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Lookup {
    /// The bytes in the file; for a value that is not present, the end of the nearest value that would contain it.
    pub range: Range<u64>,
    /// The text of a leaf, or of named bits.
    pub value: Option<String>,
    /// Whether the value follows from others: a count, a size or an offset.
    pub follows: bool,
}

/// Looks up canonical paths, all in one walk through the lists that they lead through.
#[must_use]
pub fn lookups(root: &dyn Value, paths: &[FieldPath]) -> Vec<Lookup> {
    let mut seen = vec![Lookup::default(); paths.len()];
    resolve(root, paths, &mut Lookups(&mut seen));
    seen
}

struct Lookups<'a>(&'a mut [Lookup]);

impl Visitor for Lookups<'_> {
    fn found(&mut self, nth: usize, at: &Location, selected: Selected<'_>) {
        let (range, value) = (at.range.clone(), selected.text());
        self.0[nth] = Lookup { range, value, follows: at.role.follows() };
    }

    fn missing(&mut self, nth: usize, at: &Location, _: &dyn Fn() -> PathError) {
        self.0[nth].range = at.range.end..at.range.end;
    }
}

/// Returns the bytes that canonical paths select, all in one walk through the lists that they lead through; nothing for a
/// value that is not present.
#[must_use]
pub fn ranges(root: &dyn Value, paths: &[FieldPath]) -> Vec<Option<Range<u64>>> {
    let mut seen = vec![None; paths.len()];
    let mut join = |nth: usize, at: &Location, _: Selected<'_>| {
        let known = seen[nth].take().unwrap_or_else(|| at.range.clone());
        seen[nth] = Some(known.start.min(at.range.start)..known.end.max(at.range.end));
    };
    resolve(root, paths, &mut All(&mut join));
    seen
}
