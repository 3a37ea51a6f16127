//! Removes objects, and lets what refers to them by index follow.

use std::collections::{BTreeSet, HashMap};
use std::ops::ControlFlow::Continue;

use super::edit::refused;
use super::{
    EditError, FieldPath, IndexOf, Location, Objects, Role, Step, Target, Value, delete_all, set_each,
};
use crate::Result;

/// An index that refers to an element of a list.
struct User {
    path: FieldPath,
    own: IndexOf,
    list: FieldPath,
    index: usize,
}

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
    let users = users(root);
    let mut gone = Elements::new();
    for path in objects {
        let (list, index) = element(path).ok_or_else(|| refused(&at(path), EditError::NotAnElement))?;
        gone.entry(list.to_vec()).or_default().insert(index);
    }
    drop_users(&users, &mut gone)?;
    let removed: HashMap<_, Vec<_>> =
        gone.iter().map(|(list, own)| (&list[..], own.iter().copied().collect())).collect();
    let mut edits = Vec::new();
    for own in users.iter().filter(|own| !is_within(own.path.steps(), &gone)) {
        let Some(removed) = removed.get(own.list.steps()) else { continue };
        edits.extend(own.after(removed));
    }
    set_each(root, &edits, false)?;
    let paths = gone.iter().flat_map(|(list, indices)| {
        indices.iter().map(|index| FieldPath::from([&list[..], &[Step::Index(*index)]].concat()))
    });
    let places: Vec<_> = paths.map(|path| at(&path)).collect();
    delete_all(root, &places)?;
    Ok(places.len())
}

/// Adds the elements that cannot be without one that is gone.
fn drop_users(users: &[User], gone: &mut Elements) -> Result<()> {
    let needs = |own: &&User| own.own.none.is_none();
    let mut left: Vec<_> = users.iter().filter(needs).collect();
    loop {
        let before = left.len();
        let mut dropped = Vec::new();
        left.retain(|own| {
            let is_lost = gone.get(own.list.steps()).is_some_and(|removed| removed.contains(&own.index));
            if is_lost {
                dropped.push(*own);
            }
            !is_lost
        });
        for own in dropped.into_iter().filter(|own| !is_within(own.path.steps(), gone)).collect::<Vec<_>>() {
            let (list, index) = innermost(own.path.steps()).ok_or_else(|| {
                let kind = own.own.entity;
                let users = own.path.to_string();
                refused(&at(&own.path), EditError::InUse { kind, name: own.index.to_string(), users })
            })?;
            gone.entry(list.to_vec()).or_default().insert(index);
        }
        if left.len() == before {
            return Ok(());
        }
    }
}

impl User {
    /// Returns the edits that let it follow when objects of its list are removed.
    fn after(&self, removed: &[usize]) -> Vec<(FieldPath, String)> {
        let before = removed.partition_point(|index| *index < self.index);
        match (self.own.none, self.own.upper) {
            (Some(none), _) if removed.get(before) == Some(&self.index) => {
                vec![(self.path.clone(), none.to_string())]
            }
            _ if before == 0 => Vec::new(),
            (_, None) => vec![(self.path.clone(), (self.index - before).to_string())],
            (_, Some(upper)) => {
                let index = self.index - before;
                let mut high = self.path.split_last().map_or_else(FieldPath::root, |(record, _)| record);
                high.push(upper.into());
                let halves = [(self.path.clone(), index & 0xffff), (high, index >> 16)];
                // A list of few objects has no upper halves.
                let len = if self.index >> 16 == 0 { 1 } else { 2 };
                halves.into_iter().take(len).map(|(path, half)| (path, half.to_string())).collect()
            }
        }
    }
}

/// Returns the indices of a file that refer to an element.
fn users(root: &dyn Value) -> Vec<User> {
    let mut found = Vec::new();
    let _ = Objects::of(root).indices(root, &mut |path, own, target| {
        if let Target::Object(object) = target
            && let Some((list, index)) = element(&object)
        {
            found.push(User { path, own, list: FieldPath::from(list.to_vec()), index });
        }
        Continue(())
    });
    found
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
    let is_gone = |(at, step): (usize, &Step)| matches!(step, Step::Index(index) if elements.get(&steps[..at]).is_some_and(|own| own.contains(index)));
    steps.iter().enumerate().any(is_gone)
}

/// Returns the place of a value in a file that is about to change.
fn at(path: &FieldPath) -> Location {
    Location { path: path.clone(), range: 0..0, role: Role::Free }
}
