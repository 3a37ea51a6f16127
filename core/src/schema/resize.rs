//! Appends and deletes elements of lists by path.

use std::cmp::Reverse;
use std::collections::HashMap;

use super::edit::{change_inside, items_mut, locate, refused, value_mut};
use super::truncation::{set_truncation, truncation};
use super::{EditError, FieldPath, Items, Location, Node, Step, Value, find_field};
use crate::Result;

/// Appends an element of zeros to the lists that a path selects, and to the lists that must have the same length.
///
/// # Errors
/// [`ErrorKind::Path`](crate::ErrorKind::Path) when it selects nothing; [`ErrorKind::Value`](crate::ErrorKind::Value) when it
/// selects no list, one of fixed length, or one that a truncated file ends in. Some lists may have grown by then: work on a
/// copy where that matters.
pub fn append(root: &mut dyn Value, path: &FieldPath) -> Result<Vec<FieldPath>> {
    let edits = locate(root, path)?;
    let mut indices = vec![None; edits.len()];
    let lists: Vec<_> = edits.iter().map(|edit| (edit, edit.path.steps())).collect();
    if let Some(end) = truncation(root) {
        let ends_in =
            |list: &[Step], items: &dyn Items| end.is_within(list) || items.announced() != items.len();
        for (edit, list) in &lists {
            if items_mut(root, list).is_some_and(|items| ends_in(list, items)) {
                return Err(refused(edit, EditError::Damaged));
            }
        }
    }
    // The lists of the same length follow and grow at the same index.
    resize(root, &lists, &mut |nth, items| items.insert(*indices[nth].get_or_insert(items.len())))?;
    let appended = edits.iter().zip(indices).map(|(edit, index)| edit.path.with(index.unwrap_or_default()));
    Ok(appended.collect())
}

/// Deletes the elements that a path selects, and those at the same index of lists that must have the same length.
///
/// # Errors
/// As [`append`]; [`ErrorKind::Value`](crate::ErrorKind::Value) when the path selects no element.
pub fn delete(root: &mut dyn Value, path: &FieldPath) -> Result<Vec<FieldPath>> {
    let edits = locate(root, path)?;
    delete_all(root, &edits)?;
    Ok(edits.into_iter().map(|edit| edit.path).collect())
}

/// Deletes elements that have been located, those of a list at once.
///
/// # Errors
/// As [`delete`].
pub fn delete_all(root: &mut dyn Value, edits: &[Location]) -> Result<()> {
    let mut lists: Vec<(&Location, &[Step], Vec<usize>)> = Vec::new();
    let mut known: HashMap<&[Step], usize> = HashMap::new();
    for edit in edits {
        let [list @ .., Step::Index(index)] = edit.path.steps() else {
            return Err(refused(edit, EditError::NotAnElement));
        };
        let at = *known.entry(list).or_insert_with(|| {
            lists.push((edit, list, Vec::new()));
            lists.len() - 1
        });
        lists[at].2.push(*index);
    }
    for (_, _, indices) in &mut lists {
        indices.sort_unstable();
        indices.dedup();
    }
    in_order_of_removal(&mut lists);
    let mut end = truncation(root);
    if let Some(end) = &mut end {
        for (_, list, indices) in &lists {
            let peers = same_length_as(root, list);
            for index in indices.iter().rev() {
                peers.iter().map(FieldPath::steps).chain([*list]).for_each(|list| end.removed(list, *index));
            }
        }
    }
    let places: Vec<_> = lists.iter().map(|(edit, list, _)| (*edit, *list)).collect();
    resize(root, &places, &mut |nth, items| items.remove_all(&lists[nth].2))?;
    if let Some(end) = end {
        set_truncation(root, end);
    }
    Ok(())
}

/// Sorts lists so that those in an element of another one come before it, and those in one packed value stand together.
fn in_order_of_removal(lists: &mut [(&Location, &[Step], Vec<usize>)]) {
    let mut numbers = HashMap::new();
    for (_, list, _) in lists.iter() {
        let number = numbers.len();
        numbers.entry(packed(list)).or_insert(number);
    }
    lists.sort_by_key(|(_, list, _)| {
        let packed = packed(list);
        (packed.is_none(), numbers.get(&packed).copied(), Reverse(list.len()))
    });
}

/// Lists by the steps that lead to them, each with the location that the edit names.
type Lists<'a> = [(&'a Location, &'a [Step])];

/// Returns the steps to the outermost packed value around a list.
fn packed(list: &[Step]) -> Option<&[Step]> {
    list.iter().position(|step| *step == Step::Inside).map(|at| &list[..at])
}

/// Changes the length of each list and of the lists that have the same length. Packed content is packed again once.
fn resize(
    root: &mut dyn Value,
    lists: &Lists<'_>,
    change: &mut dyn FnMut(usize, &mut dyn Items) -> bool,
) -> Result<()> {
    let mut nth = 0;
    for same in lists.chunk_by(|a, b| packed(a.1).is_some() && packed(a.1) == packed(b.1)) {
        let first = nth;
        nth += same.len();
        let (edit, steps) = same[0];
        let changed = match packed(steps) {
            None => resize_one(root, steps, &mut |items| change(first, items)),
            Some(outer) => {
                let inner: Vec<_> =
                    same.iter().map(|(edit, steps)| (*edit, &steps[outer.len() + 1..])).collect();
                let packed = value_mut(root, outer).ok_or_else(|| refused(edit, EditError::NotPacked))?;
                change_inside(packed, &mut |content| {
                    resize(content, &inner, &mut |nth, items| change(first + nth, items))
                })?
            }
        };
        changed.map_err(|why| refused(edit, why))?;
    }
    Ok(())
}

fn resize_one(
    root: &mut dyn Value,
    steps: &[Step],
    change: &mut dyn FnMut(&mut dyn Items) -> bool,
) -> Result<(), EditError> {
    let same_length_as = same_length_as(root, steps);
    let items = items_mut(root, steps).ok_or(EditError::NotAList)?;
    if !change(items) {
        return Err(EditError::FixedLength);
    }
    for peer in same_length_as {
        if let Some(items) = items_mut(root, peer.steps()) {
            change(items);
        }
    }
    Ok(())
}

/// Returns the paths of the lists that must have the same length as the list at these steps.
fn same_length_as(root: &mut dyn Value, steps: &[Step]) -> Vec<FieldPath> {
    let [outer @ .., Step::Field(name)] = steps else { return Vec::new() };
    let Some(value) = value_mut(root, outer) else { return Vec::new() };
    let Node::Record(record) = value.node() else { return Vec::new() };
    let names = find_field(record, |field, _| (field.name == name).then_some(field.same_length_as));
    let outer = FieldPath::from(outer.to_vec());
    names.into_iter().flatten().filter_map(|name| Some(outer.join(&name.parse().ok()?))).collect()
}
