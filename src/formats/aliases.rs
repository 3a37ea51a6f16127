//! Paths that begin with names of a format, by those that they stand for.

use crate::schema::{FieldPath, IsAlias, Value, VisitLocation, each_location, locate_many_within};
use crate::{Budget, Result};

/// Visits what paths stand for, all in one pass; nothing for a path that stands for no others.
pub(super) fn resolve_all(
    root: &dyn Value,
    paths: &[FieldPath],
    budget: &Budget,
    mut others: impl FnMut(&FieldPath) -> Option<Result<Vec<FieldPath>>>,
    visit: &mut VisitLocation<'_>,
) -> Vec<IsAlias> {
    let all: Vec<_> = paths.iter().map(&mut others).collect();
    // These have no aliases, so that this ends.
    if let [Some(Ok(others))] = &all[..]
        && let [other] = &others[..]
    {
        return vec![Some(each_location(root, other, budget, &mut |place| visit(0, place)))];
    }
    let selected: Vec<_> = all.iter().flatten().flatten().flatten().cloned().collect();
    let temporary = budget.scope();
    let found =
        if selected.is_empty() { Vec::new() } else { locate_many_within(root, &selected, &temporary) };
    let mut found = found.into_iter();
    let mut places = |nth: usize, own: Vec<FieldPath>| -> Result<()> {
        let places: Result<Vec<_>> = found.by_ref().take(own.len()).collect();
        places?.into_iter().flatten().for_each(|place| visit(nth, place));
        Ok(())
    };
    let each = all.into_iter().enumerate();
    each.map(|(nth, own)| own.map(|own| own.and_then(|own| places(nth, own)))).collect()
}
