//! Where a truncated file ends.

use std::ops::ControlFlow::{Break, Continue};

use super::edit::{assign_places, value_mut};
use super::{FieldPath, Items, Location, Node, NodeMut, Record, Role, Step, Value, bytes_of};
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
    let mut present = None;
    let _ = record.all_fields(&mut |field, value| {
        let size = value.size();
        if size <= left {
            left -= size;
            return Continue(());
        }
        steps.push(Step::Field(field.name.into()));
        present = Some(end_in(value, left, steps));
        Break(())
    });
    present
}

/// As [`end_in_record`], of a value that is not complete.
fn end_in(value: &dyn Value, mut left: u64, steps: &mut Vec<Step>) -> u64 {
    match value.node() {
        Node::Record(record) => end_in_record(record, left, steps).unwrap_or(left),
        Node::Items(items) => {
            let mut present = left;
            let _ = items.each(0, &mut |index, item| {
                let size = item.size();
                if size <= left {
                    left -= size;
                    return Continue(());
                }
                steps.push(Step::Index(index));
                present = end_in(item, left, steps);
                Break(())
            });
            present
        }
        Node::Leaf(_) | Node::Absent | Node::Broken(_) => left,
    }
}

/// Returns the offset of a byte of the value at these steps.
fn offset_in_record(record: &dyn Record, steps: &[Step], present: u64) -> u64 {
    let mut offset = 0;
    let _ = record.all_fields(&mut |field, value| match steps {
        [Step::Field(name), further @ ..] if *name == field.name => {
            offset += offset_in(value, further, present);
            Break(())
        }
        _ => {
            offset += value.size();
            Continue(())
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
            let _ = items.each(first, &mut |own, item| {
                if own == *index {
                    offset += offset_in(item, further, present);
                    return Break(());
                }
                offset += item.size();
                Continue(())
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
    let mut found = None;
    if let Node::Record(record) = root.node() {
        let _ = record.all_fields(&mut |_, value| {
            if let Node::Leaf(leaf) = value.node() {
                found = leaf.truncation().cloned();
            }
            Continue(())
        });
    }
    found
}

/// Returns the role of the leaf that a truncated file ends in; [`Role::Free`] for a file that does not end in a leaf.
#[must_use]
pub fn truncated_role(root: &dyn Value) -> Role {
    let mut role = Role::Free;
    if let Some(truncation) = truncation(root) {
        find_role(root, truncation.end.steps(), &mut role);
    }
    role
}

fn find_role(value: &dyn Value, steps: &[Step], role: &mut Role) {
    match (value.node(), steps) {
        (Node::Record(record), [Step::Field(name), further @ ..]) => {
            let _ = record.all_fields(&mut |field, value| {
                if *name != field.name {
                    return Continue(());
                }
                if field.role != Role::Free {
                    *role = field.role;
                }
                find_role(value, further, role);
                Break(())
            });
        }
        (Node::Items(items), [Step::Index(index), further @ ..]) => {
            let _ = items.each(*index, &mut |_, item| {
                find_role(item, further, role);
                Break(())
            });
        }
        _ => {}
    }
}

/// Returns the value that a truncated file ends in, if only a part of it is present: with `is_whole`, the vector or matrix, and
/// otherwise the number.
#[must_use]
pub fn partial(root: &dyn Value, is_whole: bool) -> Option<FieldPath> {
    let Truncation { end, present, .. } = truncation(root)?;
    let steps = end.steps();
    let is_in_array = |len: &usize| {
        let mut is_array = false;
        visit_at(root, &steps[..*len], &mut |value| {
            is_array = matches!(value.node(), Node::Items(items) if items.is_array());
        });
        is_array
    };
    let len = if is_whole { (0..steps.len()).rev().take_while(is_in_array).last() } else { None };
    let (path, own) = steps.split_at(len.unwrap_or(steps.len()));
    let (mut before, mut size) = (0, 0);
    visit_at(root, path, &mut |value| (before, size) = (offset_in(value, own, present), value.size()));
    (before > 0 && before < size).then(|| path.to_vec().into())
}

/// Gives a value and its parts the bytes that they have in another file. Numbers that follow from others stay.
///
/// # Errors
/// [`ErrorKind::Path`](crate::ErrorKind::Path) if the value is not in both.
#[doc(hidden)]
pub fn restore(root: &mut dyn Value, original: &dyn Value, path: &FieldPath) -> Result<()> {
    let mut parts = Vec::new();
    visit_at(original, path.steps(), &mut |value| {
        let _ = super::leaves(value, &mut |place, _| {
            parts.push(path.join(&place.path));
            Continue(())
        });
    });
    parts.retain(|part| !follows(root, part));
    let mut edits = Vec::with_capacity(parts.len());
    for part in parts {
        visit_at(original, part.steps(), &mut |leaf| edits.push((part.clone(), bytes_of(leaf))));
    }
    let places: Vec<_> = edits
        .iter()
        .map(|(path, _)| Location { path: path.clone(), range: 0..0, role: Role::Free })
        .collect();
    assign_places(root, &places, &|nth, leaf, _| leaf.assign_bytes(&edits[nth].1))
}

/// Visits the stored value at these steps.
fn visit_at(value: &dyn Value, steps: &[Step], visit: &mut dyn FnMut(&dyn Value)) {
    match (value.node(), steps) {
        (_, []) => visit(value),
        (Node::Record(record), [Step::Field(name), further @ ..]) => {
            let _ = record.all_fields(&mut |field, value| {
                if *name != field.name {
                    return Continue(());
                }
                visit_at(value, further, visit);
                Break(())
            });
        }
        (Node::Items(items), [Step::Index(index), further @ ..]) => {
            let _ = items.each(*index, &mut |_, item| {
                visit_at(item, further, visit);
                Break(())
            });
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
