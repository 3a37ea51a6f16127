//! Removes objects, and lets what refers to them by index follow.

use std::collections::{BTreeSet, HashMap};
use std::ops::ControlFlow::{Break, Continue};

use super::edit::refused;
use super::{EditError, FieldPath, IndexOf, Location, Objects, Role, Step, Value, delete_all, set_each};
use crate::Result;

/// Elements by their lists.
type Elements = HashMap<Vec<Step>, BTreeSet<usize>>;

/// Removes elements of lists, and returns the number of elements that went. The indices of the objects after them follow. Of what refers
/// to a removed object, a value that can refer to none does so; an element of a list that cannot goes, too.
///
/// ```
/// use bindpose::codec::Format;
/// use bindpose::formats::ms3d::{Material, Ms3d, Group};
/// use bindpose::schema;
/// let mut file = Ms3d::blank_file();
/// file.materials.extend([Material::default(), Material::default()]);
/// file.groups.push(Group { material_index: 1, ..Group::default() });
/// schema::remove(&mut file, &["materials[0]".parse()?])?;
/// assert_eq!(file.groups[0].material_index, 0);
/// # Ok::<(), bindpose::Error>(())
/// ```
///
/// # Errors
/// [`ErrorKind::Value`](crate::ErrorKind::Value) for a path without an element, one in a list of fixed length, and for a value outside of
/// lists that refers to a removed object and cannot refer to none. Some values may have changed by then: work on a copy where that
/// matters.
pub fn remove(root: &mut dyn Value, objects: &[FieldPath]) -> Result<usize> {
    let lists = Objects::of(root);
    let mut gone = Elements::new();
    for path in objects {
        let (list, index) = element(path).ok_or_else(|| refused(&at(path), EditError::NotAnElement))?;
        gone.entry(list.to_vec()).or_default().insert(index);
    }
    while add_users(root, &lists, &mut gone)? {}
    let edits = edits(root, &lists, &gone);
    set_each(root, &edits, false)?;
    let paths = gone.iter().flat_map(|(list, indices)| {
        indices.iter().map(|index| FieldPath::from([&list[..], &[Step::Index(*index)]].concat()))
    });
    let places: Vec<_> = paths.map(|path| at(&path)).collect();
    delete_all(root, &places)?;
    Ok(places.len())
}

/// Adds the elements that cannot be without one that goes. Returns whether there are any.
fn add_users(root: &dyn Value, lists: &Objects, gone: &mut Elements) -> Result<bool> {
    let (mut found, mut needed) = (Vec::new(), None);
    let _ = lists.indices(root, &mut |path, own, target| {
        let Some((list, index)) = target.object().and_then(element) else { return Continue(()) };
        let is_lost = gone.get(list).is_some_and(|indices| indices.contains(&index));
        if own.none.is_some() || !is_lost || is_within(path.steps(), gone) {
            return Continue(());
        }
        match innermost(path.steps()) {
            Some((list, index)) => {
                found.push((list.to_vec(), index));
                Continue(())
            }
            None => {
                let users = path.to_string();
                needed = Some((path, EditError::InUse { kind: own.entity, name: index.to_string(), users }));
                Break(())
            }
        }
    });
    if let Some((path, why)) = needed {
        return Err(refused(&at(&path), why));
    }
    let has_found = !found.is_empty();
    for (list, index) in found {
        gone.entry(list).or_default().insert(index);
    }
    Ok(has_found)
}

/// Returns the edits that let the indices of values that stay follow.
fn edits(root: &dyn Value, lists: &Objects, gone: &Elements) -> Vec<(FieldPath, String)> {
    let removed: HashMap<_, Vec<_>> =
        gone.iter().map(|(list, own)| (&list[..], own.iter().copied().collect())).collect();
    let mut edits = Vec::new();
    let _ = lists.indices(root, &mut |path, own, target| {
        if let Some((list, index)) = target.object().and_then(element)
            && let Some(removed) = removed.get(list)
            && !is_within(path.steps(), gone)
        {
            follow(path, own, index, removed, &mut edits);
        }
        Continue(())
    });
    edits
}

/// Adds the edits that let an index follow when objects of its list are removed.
fn follow(
    path: FieldPath,
    own: IndexOf,
    index: usize,
    removed: &[usize],
    edits: &mut Vec<(FieldPath, String)>,
) {
    let before = removed.partition_point(|removed| *removed < index);
    let after = index - before;
    match (own.none, own.upper) {
        (Some(none), _) if removed.get(before) == Some(&index) => edits.push((path, none.to_string())),
        _ if before == 0 => {}
        // A list of few objects has no upper halves.
        (_, Some(upper)) if index >> 16 > 0 => {
            let mut high = path.split_last().map_or_else(FieldPath::root, |(record, _)| record);
            high.push(upper.into());
            edits.extend([(path, (after & 0xffff).to_string()), (high, (after >> 16).to_string())]);
        }
        _ => edits.push((path, after.to_string())),
    }
}

fn element(path: &FieldPath) -> Option<(&[Step], usize)> {
    match path.steps() {
        [list @ .., Step::Index(index)] => Some((list, *index)),
        _ => None,
    }
}

/// Returns the innermost element that a value is, or is in.
fn innermost(steps: &[Step]) -> Option<(&[Step], usize)> {
    let at = steps.iter().rposition(|step| matches!(step, Step::Index(_)))?;
    match &steps[at] {
        Step::Index(index) => Some((&steps[..at], *index)),
        _ => None,
    }
}

/// Returns whether a value is in an element.
fn is_within(steps: &[Step], elements: &Elements) -> bool {
    (0..steps.len()).any(|at| {
        let Step::Index(index) = &steps[at] else { return false };
        elements.get(&steps[..at]).is_some_and(|own| own.contains(index))
    })
}

/// Returns the place of a value in a file that is about to change.
fn at(path: &FieldPath) -> Location {
    Location { path: path.clone(), range: 0..0, role: Role::Free }
}
