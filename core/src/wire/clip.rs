//! Visits the parts of a value that are present in a truncated file.

use std::mem;
use std::ops::ControlFlow::{self, Break, Continue};

use super::Rest;
use crate::schema::{
    Choice, Class, ElementAt, FieldInfo, Items, Node, NodeMut, Record, Value, Visit, bytes_of,
};
use crate::work;

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
        let (mut cut, mut left, mut partial) = (Cut::default(), present, Vec::new());
        let _ = record.all_fields(&mut |_, value| {
            if is_rest(value) { Continue(()) } else { cut.add(value, &mut left, &mut partial) }
        });
        let mut nth = 0;
        record.all_fields(&mut |info, value| {
            if is_rest(value) {
                return visit(info, &self.of_truncated(mem::take(&mut partial)));
            }
            nth += 1;
            cut.show(nth - 1, value, |value| visit(info, value))
        })
    }
}

fn is_rest(value: &dyn Value) -> bool {
    matches!(value.node(), Node::Leaf(leaf) if leaf.class() == Class::Rest)
}

/// Where a truncated file ends in a value. It is computed once, and determines which parts are present.
#[derive(Default)]
struct Cut {
    /// The number of parts that begin before the end.
    parts: usize,
    /// The size of the complete leaves before the end.
    whole: u64,
    /// The end in the last of the parts; none if that is complete.
    last: Option<Box<Self>>,
}

impl Cut {
    /// Finds the end after `left` bytes of a value, and the bytes of the leaf that contains it.
    fn of(value: &dyn Value, mut left: u64, partial: &mut Vec<u8>) -> Self {
        let mut cut = Self::default();
        if let Node::Leaf(_) = value.node() {
            *partial = bytes_of(value);
            partial.truncate(usize::try_from(left).unwrap_or(usize::MAX));
        } else {
            let _ = parts(value, &mut |part| cut.add(part, &mut left, partial));
        }
        cut
    }

    /// Adds the next part; breaks at the one that contains the end.
    fn add(&mut self, part: &dyn Value, left: &mut u64, partial: &mut Vec<u8>) -> ControlFlow<()> {
        work::done(1);
        let size = part.size();
        if size <= *left {
            *left -= size;
            self.whole += size;
            self.parts += 1;
            return Continue(());
        }
        let last = Self::of(part, *left, partial);
        // A list keeps its count even if the file ends in its first element.
        if last.whole > 0 || matches!(part.node(), Node::Items(_)) {
            self.whole += last.whole;
            self.parts += 1;
            self.last = Some(Box::new(last));
        }
        Break(())
    }

    /// Whether the part at an index is complete.
    fn has_whole(&self, nth: usize) -> bool {
        nth + usize::from(self.last.is_some()) < self.parts
    }

    /// Visits what is available of the part at an index.
    fn show(
        &self,
        nth: usize,
        part: &dyn Value,
        visit: impl FnOnce(&dyn Value) -> ControlFlow<()>,
    ) -> ControlFlow<()> {
        work::done(1);
        match &self.last {
            _ if self.has_whole(nth) => visit(part),
            Some(last) if nth + 1 == self.parts => visit(&Clipped::new(part, last)),
            _ => Continue(()),
        }
    }
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
    cut: &'a Cut,
    /// The body of a choice.
    body: Option<Box<Self>>,
}

impl<'a> Clipped<'a> {
    fn new(value: &'a dyn Value, cut: &'a Cut) -> Self {
        let body = value.choice().and_then(|choice| choice.body);
        Self { value, cut, body: body.map(|body| Box::new(Self::new(body, cut))) }
    }
}

impl Value for Clipped<'_> {
    fn size(&self) -> u64 {
        self.cut.whole
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
        let mut nth = 0;
        record.fields(&mut |info: &'static FieldInfo, part| {
            nth += 1;
            self.cut.show(nth - 1, part, |part| visit(info, part))
        })
    }
    fn field_mut(&mut self, _name: &str) -> Option<&mut dyn Value> {
        None
    }
}

impl Items for Clipped<'_> {
    fn len(&self) -> usize {
        self.cut.parts
    }
    fn item(&self, index: usize) -> Option<&dyn Value> {
        let Node::Items(items) = self.value.node() else { return None };
        self.cut.has_whole(index).then(|| items.item(index)).flatten()
    }
    fn each(
        &self,
        first: usize,
        visit: &mut dyn FnMut(usize, &dyn Value) -> ControlFlow<()>,
    ) -> ControlFlow<()> {
        let Node::Items(items) = self.value.node() else { return Continue(()) };
        self.available(visit, |show| items.each(first, show))
    }
    fn seek(&self, to: ElementAt) -> (usize, usize) {
        let Node::Items(items) = self.value.node() else { return (0, 0) };
        let (index, offset) = items.seek(to);
        if index < self.cut.parts { (index, offset) } else { (0, 0) }
    }
    fn each_at(
        &self,
        first: usize,
        start: usize,
        visit: &mut dyn FnMut(usize, &dyn Value) -> ControlFlow<()>,
    ) -> ControlFlow<()> {
        let Node::Items(items) = self.value.node() else { return Continue(()) };
        self.available(visit, |show| items.each_at(first, start, show))
    }
}

/// Visits an element at an index.
type Show<'a> = dyn FnMut(usize, &dyn Value) -> ControlFlow<()> + 'a;

impl Clipped<'_> {
    /// Visits the available elements of those that a function shows.
    fn available(
        &self,
        visit: &mut Show<'_>,
        each: impl FnOnce(&mut Show<'_>) -> ControlFlow<()>,
    ) -> ControlFlow<()> {
        let mut flow = Continue(());
        let _ = each(&mut |index, item| {
            if index >= self.cut.parts {
                return Break(());
            }
            flow = self.cut.show(index, item, |item| visit(index, item));
            flow
        });
        flow
    }
}
