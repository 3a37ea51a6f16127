//! Where a truncated file ends.

use std::ops::ControlFlow::Continue;

use super::edit::{assign_places, value_mut};
use super::{
    FieldPath, Items, Location, Node, NodeMut, Record, Role, Step, Value, at_index, bytes_of, find_item,
    find_of_all,
};
use crate::{Error, Result};

/// Where and why a truncated file ends. The place is a value of the file, so that it follows edits of what precedes it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Truncation {
    /// The first leaf that is not complete; the root if every stored value is.
    end: FieldPath,
    /// The number of its bytes that are present.
    present: u64,
    /// The field that the file ends in, and its expected size.
    cause: Error,
}

impl Truncation {
    /// Creates the truncation of a value of which every stored part is present, such as a list with fewer elements than its
    /// count announces.
    pub(crate) const fn after_all(cause: Error) -> Self {
        Self { end: FieldPath::root(), present: u64::MAX, cause }
    }

    /// Creates the truncation of a record of which `left` bytes are present.
    pub(crate) fn at(record: &dyn Record, left: u64, cause: Error) -> Self {
        let mut steps = Vec::new();
        let present = end_in_record(record, left, &mut steps).unwrap_or(u64::MAX);
        Self { end: steps.into(), present, cause }
    }

    /// Returns the path of the first leaf that is not complete: the root if every stored value is.
    #[must_use]
    pub const fn end(&self) -> &FieldPath {
        &self.end
    }

    /// Returns the field that the file ends in, and its expected size.
    #[must_use]
    pub const fn cause(&self) -> &Error {
        &self.cause
    }

    /// Returns the number of bytes of a record that are present, of `size` bytes that it would have.
    pub(crate) fn present_of(&self, record: &dyn Record, size: u64) -> u64 {
        match self.end.steps() {
            [] => size.min(self.present),
            steps => offset_in_record(record, steps, self.present).min(size),
        }
    }

    /// Returns whether the file ends in a value.
    pub(super) fn is_within(&self, steps: &[Step]) -> bool {
        self.end.steps().starts_with(steps)
    }

    /// Follows the removal of an element of a list.
    pub(super) fn removed(&mut self, list: &[Step], index: usize) {
        if !self.is_within(list) {
            return;
        }
        match self.end.steps().get(list.len()) {
            Some(Step::Index(own)) if *own > index => {
                let mut steps = self.end.steps().to_vec();
                steps[list.len()] = Step::Index(own - 1);
                self.end = steps.into();
            }
            Some(Step::Index(own)) if *own == index => {
                self.end = [list, &[Step::Index(index)]].concat().into();
                self.present = 0;
            }
            _ => {}
        }
    }
}

/// Finds the first leaf of a record that is not complete in its first `left` bytes; returns the number of its bytes that are.
fn end_in_record(record: &dyn Record, mut left: u64, steps: &mut Vec<Step>) -> Option<u64> {
    find_of_all(record, |field, value| end_in_part(value, &mut left, field.name.into(), steps))
}

/// As [`end_in_record`], of a value that is not complete.
fn end_in(value: &dyn Value, left: u64, steps: &mut Vec<Step>) -> u64 {
    let present = match value.node() {
        Node::Record(record) => end_in_record(record, left, steps),
        Node::Items(items) => {
            let mut left = left;
            find_item(items, 0, |index, item| end_in_part(item, &mut left, index.into(), steps))
        }
        Node::Leaf(_) | Node::Absent | Node::Broken(_) => None,
    };
    present.unwrap_or(left)
}

/// As [`end_in`], of the part at a step; nothing if the part is complete.
fn end_in_part(part: &dyn Value, left: &mut u64, step: Step, steps: &mut Vec<Step>) -> Option<u64> {
    let size = part.size();
    if size <= *left {
        *left -= size;
        return None;
    }
    steps.push(step);
    Some(end_in(part, *left, steps))
}

/// Returns the offset of a byte of the value at these steps.
fn offset_in_record(record: &dyn Record, steps: &[Step], present: u64) -> u64 {
    let mut offset = 0;
    find_of_all(record, |field, value| match steps {
        [Step::Field(name), further @ ..] if *name == field.name => {
            offset += offset_in(value, further, present);
            Some(())
        }
        _ => {
            offset += value.size();
            None
        }
    });
    offset
}

/// As [`offset_in_record`]. An element that does not exist is at the end of its list.
fn offset_in(value: &dyn Value, steps: &[Step], present: u64) -> u64 {
    match (value.node(), steps) {
        (Node::Record(record), [_, ..]) => offset_in_record(record, steps, present),
        (Node::Items(items), [Step::Index(index), further @ ..]) => {
            let (first, mut offset) = before(items, *index);
            find_item(items, first, |own, item| {
                let is_it = own == *index;
                offset += if is_it { offset_in(item, further, present) } else { item.size() };
                is_it.then_some(())
            });
            offset
        }
        _ => present.min(value.size()),
    }
}

/// Returns the index and the offset of an element at or before another, as near as is known without visiting elements.
fn before(items: &dyn Items, index: usize) -> (usize, u64) {
    items.item_size().map_or((0, 0), |size| {
        let index = index.min(items.len());
        (index, (index * size) as u64)
    })
}

/// Returns where and why a truncated file ends; `None` for a complete one.
#[must_use]
pub fn truncation(root: &dyn Value) -> Option<Truncation> {
    let Node::Record(record) = root.node() else { return None };
    find_of_all(record, |_, value| match value.node() {
        Node::Leaf(leaf) => leaf.truncation().cloned(),
        _ => None,
    })
}

/// Returns the role of the leaf that a truncated file ends in; [`Role::Free`] for a file that does not end in a leaf.
#[must_use]
pub fn truncated_role(root: &dyn Value) -> Role {
    let mut role = Role::Free;
    if let Some(truncation) = truncation(root) {
        visit_at(root, truncation.end.steps(), &mut role, &mut |_| ());
    }
    role
}

/// Returns the value that a truncated file ends in, if only a part of it is present: with `is_whole`, the vector or matrix, and
/// otherwise the number.
#[must_use]
pub fn partial(root: &dyn Value, is_whole: bool) -> Option<FieldPath> {
    let Truncation { end, present, .. } = truncation(root)?;
    let steps = end.steps();
    let is_in_array = |len: &usize| {
        let mut is_array = false;
        visit_at(root, &steps[..*len], &mut Role::Free, &mut |value| {
            is_array = matches!(value.node(), Node::Items(items) if items.is_array());
        });
        is_array
    };
    let len = if is_whole { (0..steps.len()).rev().take_while(is_in_array).last() } else { None };
    let (path, own) = steps.split_at(len.unwrap_or(steps.len()));
    let (mut before, mut size) = (0, 0);
    visit_at(root, path, &mut Role::Free, &mut |value| {
        (before, size) = (offset_in(value, own, present), value.size());
    });
    (before > 0 && before < size).then(|| path.to_vec().into())
}

/// Gives a value and its parts the bytes that they have in another file. Numbers that follow from others stay.
///
/// # Errors
/// [`ErrorKind::Path`](crate::ErrorKind::Path) if the value is not in both.
#[doc(hidden)]
pub fn restore(root: &mut dyn Value, original: &dyn Value, path: &FieldPath) -> Result<()> {
    let mut parts = Vec::new();
    visit_at(original, path.steps(), &mut Role::Free, &mut |value| {
        let _ = super::leaves(value, &mut |place, _| {
            parts.push(path.join(&place.path));
            Continue(())
        });
    });
    parts.retain(|part| !follows(root, part));
    let mut edits = Vec::with_capacity(parts.len());
    for part in parts {
        let mut see = |leaf: &dyn Value| edits.push((part.clone(), bytes_of(leaf)));
        visit_at(original, part.steps(), &mut Role::Free, &mut see);
    }
    let places: Vec<_> = edits
        .iter()
        .map(|(path, _)| Location { path: path.clone(), range: 0..0, role: Role::Free })
        .collect();
    assign_places(root, &places, &|nth, leaf, _| leaf.assign_bytes(&edits[nth].1))
}

/// Visits the stored value at these steps; `role` becomes that of the nearest field on the way that is not free.
fn visit_at(value: &dyn Value, steps: &[Step], role: &mut Role, visit: &mut dyn FnMut(&dyn Value)) {
    match (value.node(), steps) {
        (_, []) => visit(value),
        (Node::Record(record), [Step::Field(name), further @ ..]) => {
            find_of_all(record, |field, value| {
                if *name != field.name {
                    return None;
                }
                if field.role != Role::Free {
                    *role = field.role;
                }
                visit_at(value, further, role, visit);
                Some(())
            });
        }
        (Node::Items(items), [Step::Index(index), further @ ..]) => {
            at_index(items, *index, |item| visit_at(item, further, role, visit));
        }
        _ => {}
    }
}

/// Whether a value has no place of its own, because it follows from others.
fn follows(root: &mut dyn Value, path: &FieldPath) -> bool {
    let Some((Step::Field(name), record)) = path.steps().split_last() else { return false };
    let Some(NodeMut::Record(record)) = value_mut(root, record).map(Value::node_mut) else { return false };
    record.field_mut(name).is_none()
}

/// Marks a file as truncated.
pub(crate) fn set_truncation(root: &mut dyn Value, truncation: Truncation) -> Option<()> {
    let NodeMut::Record(record) = root.node_mut() else { return None };
    let NodeMut::Leaf(rest) = record.field_mut("rest")?.node_mut() else { return None };
    rest.set_truncation(truncation);
    Some(())
}
