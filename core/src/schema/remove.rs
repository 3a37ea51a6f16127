//! Removes objects, and lets what refers to them by index follow.

use std::collections::{BTreeSet, HashMap, HashSet};
use std::ops::ControlFlow::{Break, Continue};

use super::edit::refused;
use super::reference::List;
use super::renumber::{Renumber, renumber};
use super::{EditError, FieldPath, IndexOf, Location, Objects, Role, Step, Value, delete_all};
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
        let (list, index) =
            element(path.steps()).ok_or_else(|| refused(&at(path), EditError::NotAnElement))?;
        gone.entry(list.to_vec()).or_default().insert(index);
    }
    while add_users(root, &lists, &mut gone)? {}
    let follow = Follow::new(&lists, &gone);
    if !follow.kinds.is_empty() {
        renumber(root, &lists, &follow)?;
    }
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
        let Some((list, index)) = target.object().map(FieldPath::steps).and_then(element) else {
            return Continue(());
        };
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

/// Lets the indices of objects that stay follow.
struct Follow<'a> {
    by_list: HashMap<&'a [Step], Vec<usize>>,
    kinds: HashSet<&'static str>,
}

impl<'a> Follow<'a> {
    fn new(lists: &Objects, gone: &'a Elements) -> Self {
        let by_list = gone.iter().map(|(list, own)| (&list[..], own.iter().copied().collect())).collect();
        let is_less = |list: &List| gone.contains_key(list.path.steps());
        Self { by_list, kinds: lists.kinds(is_less).collect() }
    }

    /// Returns the removed elements of a list, in ascending order.
    fn removed(&self, list: &List) -> &[usize] {
        self.by_list.get(list.path.steps()).map_or(&[], Vec::as_slice)
    }
}

impl Renumber for Follow<'_> {
    fn wants(&self, kind: &'static str) -> bool {
        self.kinds.contains(kind)
    }

    fn index(&self, own: IndexOf, list: Option<&List>, index: usize) -> Result<Option<i128>, EditError> {
        let Some(list) = list.filter(|list| index < list.len) else { return Ok(None) };
        let removed = self.removed(list);
        let before = removed.partition_point(|removed| *removed < index);
        // What refers to a removed object, and cannot refer to none, goes with it.
        let is_removed = removed.get(before) == Some(&index);
        Ok(if is_removed { own.none.map(i128::from) } else { Some((index - before) as i128) })
    }

    fn len(&self, _: IndexOf, list: &List) -> usize {
        list.len - self.removed(list).len()
    }
}

fn element(steps: &[Step]) -> Option<(&[Step], usize)> {
    if let [list @ .., Step::Index(index)] = steps { Some((list, *index)) } else { None }
}

/// Returns the innermost element that a value is, or is in.
fn innermost(steps: &[Step]) -> Option<(&[Step], usize)> {
    (1..=steps.len()).rev().find_map(|len| element(&steps[..len]))
}

/// Returns whether a value is in an element.
fn is_within(steps: &[Step], elements: &Elements) -> bool {
    let mut own = (1..=steps.len()).filter_map(|len| element(&steps[..len]));
    own.any(|(list, index)| elements.get(list).is_some_and(|own| own.contains(&index)))
}

/// Returns the place of a value in a file that is about to change.
fn at(path: &FieldPath) -> Location {
    Location { path: path.clone(), range: 0..0, role: Role::Free }
}
