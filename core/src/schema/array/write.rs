//! Writes the elements of an array.

use super::copy::{Copied, copy};
use super::element::{Element, spelled_number};
use super::find::{Found, Lists, find};
use super::{ArrayType, Dim};
use crate::schema::edit::{allow, assign_places, change_inside, refused, refused_at};
use crate::schema::resolve::{Route, lead, select};
use crate::schema::{
    EditError, FieldPath, FieldValue, Leaf, Location, Node, NodeMut, Role, Scalar, Step, Value, each_field,
};
use crate::{Error, Result};

/// Sets the values at a path from the bytes of an array: as those of [`Array::to_vec`](super::Array::to_vec). Only the
/// leaves at the path change. A number in text that has the value keeps its spelling.
///
/// # Errors
/// As [`array`](super::array()). [`ErrorKind::Value`](crate::ErrorKind::Value) if the number of bytes differs from that of the array, or a value
/// does not fit or decides how others are read. Some leaves may have been set by then: work on a copy where that matters.
pub fn set_array(root: &mut dyn Value, path: &FieldPath, bytes: &[u8]) -> Result<()> {
    let found = find(root, path)?;
    match &found {
        Found::Lists(Lists { path: elements, dims, start: Some(_), element, .. }) if element.is_free() => {
            let len = dims.iter().map(|dim: &Dim| dim.len).product::<usize>() * element.size();
            expect(path, len, bytes)?;
            Writer::new(element, bytes).write(root, elements)
        }
        found => {
            let copied = copy(root, found)?;
            expect(path, copied.bytes.len(), bytes)?;
            allow_changes(root, &copied, bytes)?;
            match found {
                Found::Lists(Lists { path, .. }) => Writer::new(&copied.element, bytes).write(root, path),
                Found::Leaves(places) => assign_places(root, places, &|nth, leaf, _| {
                    let size = copied.element.size();
                    let bytes = bytes.get(nth * size..).and_then(|bytes| bytes.get(..size));
                    assign(leaf, copied.element.kind_at(0), bytes.unwrap_or_default())
                }),
            }
        }
    }
}

fn expect(path: &FieldPath, expected: usize, bytes: &[u8]) -> Result<()> {
    if bytes.len() == expected {
        return Ok(());
    }
    Err(refused_at(path, EditError::WrongSize { expected, actual: bytes.len() }))
}

/// Refuses changes of values that decide how others are read.
fn allow_changes(root: &dyn Value, copied: &Copied, bytes: &[u8]) -> Result<()> {
    let Element { fields, .. } = &copied.element;
    let size = copied.element.size();
    for (at, place) in (0..).step_by(size.max(1)).zip(&copied.places) {
        for field in fields {
            let role = if field.name.is_empty() { place.role } else { field.role };
            let len = field.shape.iter().product::<usize>() * field.kind.size();
            let range = if field.name.is_empty() {
                at..at + size
            } else {
                at + field.offset..at + field.offset + len
            };
            if role == Role::Free || bytes[range.clone()] == copied.bytes[range] {
                continue;
            }
            let path = place.path.join(&field.name.parse()?);
            let own = Location { path, range: place.range.clone(), role };
            allow(root, &own).map_err(|why| refused(&own, why))?;
        }
    }
    Ok(())
}

/// Sets a leaf from its bytes in an array.
fn assign(leaf: &mut dyn Leaf, kind: Option<ArrayType>, bytes: &[u8]) -> Result<(), EditError> {
    let old = spelled_number(leaf);
    let new = match kind {
        Some(ArrayType::Integer) => FieldValue::decode(Scalar::I64, bytes),
        Some(ArrayType::Float) => FieldValue::decode(Scalar::F64, bytes).map(|new| like(old.as_ref(), new)),
        _ => return leaf.assign_bytes(bytes),
    };
    match new {
        Some(new) if Some(&new) != old.as_ref() => leaf.assign_value(&new),
        _ => Ok(()),
    }
}

/// Returns a float as an integer if the value that it replaces is one.
fn like(old: Option<&FieldValue>, new: FieldValue) -> FieldValue {
    #[expect(clippy::cast_possible_truncation, reason = "compared below")]
    let integer = new.as_f64().map(|float| FieldValue::from(float as i64));
    match integer {
        Some(integer) if matches!(old, Some(FieldValue::Int(_))) && integer.as_f64() == new.as_f64() => {
            integer
        }
        _ => new,
    }
}

/// Writes the elements of lists in the order of the file.
struct Writer<'b> {
    element: &'b Element,
    bytes: &'b [u8],
    /// The offset in `bytes`.
    at: usize,
    path: FieldPath,
}

impl<'b> Writer<'b> {
    const fn new(element: &'b Element, bytes: &'b [u8]) -> Self {
        Self { element, bytes, at: 0, path: FieldPath::root() }
    }

    fn write(mut self, root: &mut dyn Value, path: &FieldPath) -> Result<()> {
        if self.bytes.is_empty() { Ok(()) } else { self.value(root, path.steps()) }
    }

    fn value(&mut self, value: &mut dyn Value, steps: &[Step]) -> Result<()> {
        let Some((step, further)) = steps.split_first() else { return self.element(value) };
        if *step == Step::Inside {
            return self.below(Step::Inside, |own| own.content(value, further));
        }
        match value.node() {
            Node::Record(record) => {
                let route = Route { nth: 0, steps };
                let Ok(lead) = lead(record, route.steps.first()) else { return Ok(()) };
                let (name, route) = (lead.field, lead.follow(route));
                let NodeMut::Record(record) = value.node_mut() else { return Ok(()) };
                // A count before a list is not stored, and has not changed.
                let Some(field) = record.field_mut(name) else {
                    self.at += self.element.size();
                    return Ok(());
                };
                self.below(name.into(), |own| own.value(field, route.steps))
            }
            Node::Items(items) => {
                let Ok(selection) = select(items, steps) else { return Ok(()) };
                let indices: Vec<_> = selection.into_iter().flatten().collect();
                self.items(value, &indices, |own, item| own.value(item, further))
            }
            // What the path does not lead to is not in the array.
            Node::Leaf(_) | Node::Absent | Node::Broken(_) => Ok(()),
        }
    }

    fn content(&mut self, value: &mut dyn Value, steps: &[Step]) -> Result<()> {
        change_inside(value, &mut |content| self.value(content, steps))?.map_err(|why| self.refused(why))
    }

    /// Writes the leaves of an element.
    fn element(&mut self, value: &mut dyn Value) -> Result<()> {
        match value.node() {
            Node::Leaf(_) => self.leaf(value),
            Node::Items(items) => {
                let indices: Vec<_> = (0..items.len()).collect();
                self.items(value, &indices, Self::element)
            }
            Node::Record(record) => {
                let mut fields = Vec::new();
                each_field(record, |field, value| {
                    let size = Element::of(value, &self.path, Role::Free).map_or(0, |element| element.size());
                    fields.push((field.name, size));
                });
                let NodeMut::Record(record) = value.node_mut() else { return Ok(()) };
                fields.into_iter().try_for_each(|(name, size)| {
                    let end = self.at + size;
                    let Some(field) = record.field_mut(name) else {
                        self.at = end;
                        return Ok(());
                    };
                    self.below(name.into(), |own| own.element(field))
                })
            }
            Node::Absent | Node::Broken(_) => Ok(()),
        }
    }

    fn leaf(&mut self, value: &mut dyn Value) -> Result<()> {
        let NodeMut::Leaf(leaf) = value.node_mut() else { return Ok(()) };
        let kind = self.element.kind_at(self.at);
        let end = self.at + kind.map_or(0, ArrayType::size);
        let assigned = assign(leaf, kind, self.bytes.get(self.at..end).unwrap_or_default());
        self.at = end;
        assigned.map_err(|why| self.refused(why))
    }

    fn items(
        &mut self,
        value: &mut dyn Value,
        indices: &[usize],
        mut write: impl FnMut(&mut Self, &mut dyn Value) -> Result<()>,
    ) -> Result<()> {
        let NodeMut::Items(items) = value.node_mut() else { return Err(self.refused(EditError::Absent)) };
        self.path.push(Step::Index(0));
        items.change(indices, &mut |index, item| {
            self.path.renumber(index);
            write(self, item)
        })?;
        self.path.pop();
        Ok(())
    }

    fn below(&mut self, step: Step, go: impl FnOnce(&mut Self) -> Result<()>) -> Result<()> {
        self.path.push(step);
        go(self)?;
        self.path.pop();
        Ok(())
    }

    fn refused(&self, why: EditError) -> Error {
        refused_at(&self.path, why)
    }
}
