//! Tokens and numbers as values, which are created for a visit.

use std::borrow::Cow;
use std::fmt;
use std::ops::ControlFlow::{self, Continue};
use std::ops::Range;

use super::long::NumberIndex;
use super::{Grammar, TokenClass, entries};
use crate::Result;
use crate::schema::show_text;
use crate::schema::{
    Class, EditError, ElementAt, FieldInfo, FieldValue, Items, Leaf, Node, NodeMut, Record, Value, Visit,
};
use crate::wire::{escape, unescape};

/// A token or a number, created for a visit. An edit is stored here until the list applies it.
pub(super) struct Spelling<'a, G: Grammar> {
    kind: G::Kind,
    bytes: Cow<'a, [u8]>,
}

impl<'a, G: Grammar> Spelling<'a, G> {
    pub(super) const fn new(kind: G::Kind, bytes: &'a [u8]) -> Self {
        Self { kind, bytes: Cow::Borrowed(bytes) }
    }

    pub(super) fn changed(self) -> Option<Vec<u8>> {
        match self.bytes {
            Cow::Owned(new) => Some(new),
            Cow::Borrowed(_) => None,
        }
    }

    /// Returns the text of the token without quotes.
    fn meant(&self) -> &[u8] {
        match &*self.bytes {
            [_, inner @ .., _] if self.kind.is_quoted() => inner,
            bytes => bytes,
        }
    }
}

impl<G: Grammar> Value for Spelling<'_, G> {
    fn size(&self) -> u64 {
        self.bytes.len() as u64
    }
    fn node(&self) -> Node<'_> {
        Node::Leaf(self)
    }
    fn node_mut(&mut self) -> NodeMut<'_> {
        NodeMut::Leaf(self)
    }
}

impl<G: Grammar> Leaf for Spelling<'_, G> {
    fn type_name(&self) -> &'static str {
        self.kind.name()
    }
    fn class(&self) -> Class {
        Class::Spelling
    }
    fn bytes(&self, out: &mut Vec<u8>) {
        out.extend_from_slice(&self.bytes);
    }
    fn show(&self, out: &mut dyn fmt::Write) -> fmt::Result {
        show_text(self.meant(), out)
    }
    /// A number of a run is an integer or a float, depending on its notation.
    fn field_value(&self) -> FieldValue {
        let text = std::str::from_utf8(self.meant()).ok().filter(|_| self.kind.run().is_some());
        let integer = text.and_then(|text| text.parse().ok()).map(FieldValue::Int);
        let number = integer.or_else(|| text?.parse().ok().map(FieldValue::F64));
        number.unwrap_or_else(|| FieldValue::Text(self.meant().to_vec()))
    }
    fn assign(&mut self, text: &str) -> Result<(), EditError> {
        let mut new = unescape(text)?;
        if let (true, [open, .., close]) = (self.kind.is_quoted(), &*self.bytes) {
            new.insert(0, *open);
            new.push(*close);
        }
        self.assign_bytes(&new)
    }
    fn assign_bytes(&mut self, bytes: &[u8]) -> Result<(), EditError> {
        if *bytes == *self.bytes {
            return Ok(());
        }
        if self.kind.run().is_some() && !G::is_number(bytes) {
            return Err(format!("`{}` is not a number", escape(bytes)).into());
        }
        self.kind.accepts(&self.bytes, bytes)?;
        self.bytes = Cow::Owned(bytes.to_vec());
        Ok(())
    }
}

/// A run of numbers, created for a visit.
pub(super) struct Run<'a, G: Grammar> {
    /// The definitions of the number and of the gap.
    parts: [G::Kind; 2],
    bytes: &'a [u8],
    numbers: Option<&'a NumberIndex>,
    pub(super) edits: Vec<(Range<usize>, Vec<u8>)>,
}

impl<'a, G: Grammar> Run<'a, G> {
    pub(super) const fn new(parts: [G::Kind; 2], bytes: &'a [u8], numbers: Option<&'a NumberIndex>) -> Self {
        Self { parts, bytes, numbers, edits: Vec::new() }
    }

    fn entry(&self, (value, gap): (Range<usize>, Range<usize>)) -> Entry<'a, G> {
        Entry {
            value: Spelling::new(self.parts[0], &self.bytes[value]),
            gap: Spelling::new(self.parts[1], &self.bytes[gap]),
        }
    }
}

impl<G: Grammar> Value for Run<'_, G> {
    fn size(&self) -> u64 {
        self.bytes.len() as u64
    }
    fn node(&self) -> Node<'_> {
        Node::Items(self)
    }
    fn node_mut(&mut self) -> NodeMut<'_> {
        NodeMut::Items(self)
    }
}

impl<G: Grammar> Items for Run<'_, G> {
    fn len(&self) -> usize {
        let (index, start) = self.seek(ElementAt::Index(usize::MAX));
        index + entries::<G>(self.bytes, start).count()
    }
    fn seek(&self, to: ElementAt) -> (usize, usize) {
        self.numbers.map_or((0, 0), |numbers| numbers.seek::<G>(self.bytes, to))
    }

    fn each(
        &self,
        first: usize,
        visit: &mut dyn FnMut(usize, &dyn Value) -> ControlFlow<()>,
    ) -> ControlFlow<()> {
        let (near, start) = self.seek(ElementAt::Index(first));
        { (near..).zip(entries::<G>(self.bytes, start)).skip(first - near) }
            .try_for_each(|(index, entry)| visit(index, &self.entry(entry)))
    }

    fn each_at(
        &self,
        first: usize,
        start: usize,
        visit: &mut dyn FnMut(usize, &dyn Value) -> ControlFlow<()>,
    ) -> ControlFlow<()> {
        { (first..).zip(entries::<G>(self.bytes, start)) }
            .try_for_each(|(index, entry)| visit(index, &self.entry(entry)))
    }

    fn change(
        &mut self,
        indices: &[usize],
        change: &mut dyn FnMut(usize, &mut dyn Value) -> Result<()>,
    ) -> Result<()> {
        let mut indices = indices.iter().copied().peekable();
        let (first, start) = self.seek(ElementAt::Index(indices.peek().copied().unwrap_or(0)));
        for (index, (value, gap)) in (first..).zip(entries::<G>(self.bytes, start)) {
            while indices.next_if_eq(&index).is_some() {
                let mut entry = self.entry((value.clone(), gap.clone()));
                change(index, &mut entry)?;
                self.edits.extend(entry.value.changed().map(|new| (value.clone(), new)));
                self.edits.extend(entry.gap.changed().map(|new| (gap.clone(), new)));
            }
            if indices.peek().is_none() {
                break;
            }
        }
        Ok(())
    }
}

/// A number and the separators after it.
struct Entry<'a, G: Grammar> {
    value: Spelling<'a, G>,
    gap: Spelling<'a, G>,
}

pub(super) static VALUE: FieldInfo = FieldInfo::new("value", "The digits of the number.");
static GAP: FieldInfo = FieldInfo::new("gap", "Separators and white space after it.");

impl<G: Grammar> Value for Entry<'_, G> {
    fn size(&self) -> u64 {
        self.value.size() + self.gap.size()
    }
    fn node(&self) -> Node<'_> {
        Node::Record(self)
    }
    fn node_mut(&mut self) -> NodeMut<'_> {
        NodeMut::Record(self)
    }
}

impl<G: Grammar> Record for Entry<'_, G> {
    fn type_name(&self) -> &'static str {
        "Number"
    }
    fn fields(&self, visit: &mut Visit<'_>) -> ControlFlow<()> {
        visit(&VALUE, &self.value)?;
        if self.gap.bytes.is_empty() { Continue(()) } else { visit(&GAP, &self.gap) }
    }
    fn field_mut(&mut self, name: &str) -> Option<&mut dyn Value> {
        match name {
            "value" => Some(&mut self.value),
            "gap" => Some(&mut self.gap),
            _ => None,
        }
    }
}
