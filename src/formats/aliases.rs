//! Paths that begin with names of a format, by those that they stand for.

use crate::Result;
use crate::schema::{Alias, FieldPath, Value, locate_many};

/// Locates what paths stand for, all in one pass; nothing for a path that stands for no others.
pub(super) fn resolve_all(
    root: &dyn Value,
    paths: &[FieldPath],
    mut others: impl FnMut(&FieldPath) -> Option<Result<Vec<FieldPath>>>,
) -> Vec<Alias> {
    let all: Vec<_> = paths.iter().map(&mut others).collect();
    let selected: Vec<_> = all.iter().flatten().flatten().flatten().cloned().collect();
    // These have no aliases, so that this ends.
    let found = if selected.is_empty() { Vec::new() } else { locate_many(root, &selected) };
    let mut found = found.into_iter();
    let mut places = |own: Vec<FieldPath>| {
        let places: Result<Vec<_>> = found.by_ref().take(own.len()).collect();
        places.map(|places| places.concat())
    };
    all.into_iter().map(|own| own.map(|own| own.and_then(&mut places))).collect()
}
