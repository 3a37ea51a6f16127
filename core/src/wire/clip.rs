//! Visits the parts of a value that are present in a truncated file.

use std::ops::ControlFlow::{self, Continue};

use super::Rest;
use crate::schema::{Choice, Class, FieldInfo, Items, Node, NodeMut, Record, Value, Visit, bytes_of};

impl Rest {
    /// Visits the fields of the record that ends with this rest. In a truncated file, it visits only the fields before
    /// the end; the available bytes of the leaf that the file ends in are visited as the rest.
    ///
    /// # Errors
    /// Breaks as soon as `visit` does.
    #[doc(hidden)]
    pub fn clip(&self, record: &dyn Record, visit: &mut Visit<'_>) -> ControlFlow<()> {
        if self.truncation().is_none() {
            return record.all_fields(visit);
        }
        let mut size = 0;
        let _ = record.all_fields(&mut |_, value| {
            size += value.size();
            Continue(())
        });
        let present = self.present_of(record, size);
        if present == size {
            return record.all_fields(visit);
        }
        let mut clip = Clip::new(present);
        record.all_fields(&mut |info, value| match value.node() {
            Node::Leaf(leaf) if leaf.class() == Class::Rest => {
                visit(info, &self.of_truncated(std::mem::take(&mut clip.partial)))
            }
            _ => clip.show(value, |value| visit(info, value)),
        })
    }
}

/// Visits consecutive values up to the end of a truncated file.
struct Clip {
    /// The number of bytes left in the file.
    left: u64,
    /// Whether a visited value ends after the end of the file.
    ended: bool,
    /// The number of available bytes of the leaf that the file ends in.
    partial: Vec<u8>,
}

impl Clip {
    const fn new(left: u64) -> Self {
        Self { left, ended: false, partial: Vec::new() }
    }

    /// Visits the available part of the next value, if there is one.
    fn show(
        &mut self,
        value: &dyn Value,
        visit: impl FnOnce(&dyn Value) -> ControlFlow<()>,
    ) -> ControlFlow<()> {
        let size = value.size();
        if self.ended {
            return Continue(());
        }
        if size <= self.left {
            self.left -= size;
            return visit(value);
        }
        self.ended = true;
        let (whole, partial) = split(value, self.left);
        self.partial = partial;
        // A list keeps its count even if the file ends in its first element.
        let is_there = whole > 0 || matches!(value.node(), Node::Items(_));
        if is_there { visit(&Clipped::new(value, self.left, whole)) } else { Continue(()) }
    }
}

/// Returns the size of the complete leaves in the first `left` bytes of a value, and the remaining bytes.
fn split(value: &dyn Value, left: u64) -> (u64, Vec<u8>) {
    if let Node::Leaf(_) = value.node() {
        let mut bytes = bytes_of(value);
        bytes.truncate(usize::try_from(left).unwrap_or(usize::MAX));
        return (0, bytes);
    }
    let mut clip = Clip::new(left);
    let mut whole = 0;
    let _ = parts(value, &mut |part| {
        clip.show(part, |part| {
            whole += part.size();
            Continue(())
        })
    });
    (whole, clip.partial)
}

/// Visits the parts of a value.
fn parts(value: &dyn Value, visit: &mut dyn FnMut(&dyn Value) -> ControlFlow<()>) -> ControlFlow<()> {
    match value.node() {
        Node::Record(record) => record.fields(&mut |_, part| visit(part)),
        Node::Items(items) => items.each(0, &mut |_, part| visit(part)),
        Node::Leaf(_) | Node::Absent | Node::Broken(_) => Continue(()),
    }
}

/// A value that ends after the end of a truncated file.
struct Clipped<'a> {
    value: &'a dyn Value,
    left: u64,
    whole: u64,
    /// The body of a choice.
    body: Option<Box<Self>>,
}

impl<'a> Clipped<'a> {
    fn new(value: &'a dyn Value, left: u64, whole: u64) -> Self {
        let body = value.choice().and_then(|choice| choice.body);
        Self { value, left, whole, body: body.map(|body| Box::new(Self::new(body, left, whole))) }
    }
}

impl Value for Clipped<'_> {
    fn size(&self) -> u64 {
        self.whole
    }
    fn node(&self) -> Node<'_> {
        match self.value.node() {
            Node::Record(_) => Node::Record(self),
            Node::Items(_) => Node::Items(self),
            other => other,
        }
    }
    fn node_mut(&mut self) -> NodeMut<'_> {
        NodeMut::Absent
    }
    fn prefix(&self, show: &mut dyn FnMut(&dyn Value) -> ControlFlow<()>) -> ControlFlow<()> {
        self.value.prefix(show)
    }
    fn choice(&self) -> Option<Choice<'_>> {
        let choice = self.value.choice()?;
        Some(Choice { body: self.body.as_deref().map(|body| body as &dyn Value), ..choice })
    }
}

impl Record for Clipped<'_> {
    fn type_name(&self) -> &'static str {
        match self.value.node() {
            Node::Record(record) => record.type_name(),
            _ => "",
        }
    }
    fn fields(&self, visit: &mut Visit<'_>) -> ControlFlow<()> {
        let Node::Record(record) = self.value.node() else { return Continue(()) };
        let mut clip = Clip::new(self.left);
        record.fields(&mut |info: &'static FieldInfo, part| clip.show(part, |part| visit(info, part)))
    }
    fn field_mut(&mut self, _name: &str) -> Option<&mut dyn Value> {
        None
    }
}

impl Items for Clipped<'_> {
    fn len(&self) -> usize {
        let mut len = 0;
        let _ = self.each(0, &mut |index, _| {
            len = index + 1;
            Continue(())
        });
        len
    }
    fn item(&self, index: usize) -> Option<&dyn Value> {
        let Node::Items(items) = self.value.node() else { return None };
        let size = items.item_size()? as u64;
        ((index as u64 + 1) * size <= self.left).then(|| items.item(index)).flatten()
    }
    fn each(
        &self,
        first: usize,
        visit: &mut dyn FnMut(usize, &dyn Value) -> ControlFlow<()>,
    ) -> ControlFlow<()> {
        let Node::Items(items) = self.value.node() else { return Continue(()) };
        let mut clip = Clip::new(self.left);
        items.each(0, &mut |index, item| {
            clip.show(item, |item| if index < first { Continue(()) } else { visit(index, item) })
        })
    }
}
