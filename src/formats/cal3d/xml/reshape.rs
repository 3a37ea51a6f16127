//! Elements of an XML form added and removed, where lists of the binary form's structs have another length.

use std::ops::{ControlFlow, Range};

use super::form::{Content, Field, Form, is_same};
use super::write::{INDENT, Writer, at};
use super::{Document, Element, Piece, integer};
use crate::Result;
use crate::edit::unsupported;
use crate::schema::{Class, Items, Node, Value, bytes_of};
use crate::text::TokenText;

/// Gives each list of a document the number of elements that it has in a new root struct, given the old one. Elements that
/// remain keep their spelling.
pub(in crate::formats::cal3d) fn reshape(
    document: &mut Document,
    form: &'static Form,
    old: &dyn Value,
    new: &dyn Value,
) -> Result<()> {
    let Some(root) = document.root() else { return Ok(()) };
    let mut shaper = Shaper { text: document.tokens.text(), changes: Vec::new() };
    shaper.record(root, form, old, new)?;
    document.tokens = TokenText::new(shaper.changed());
    Ok(())
}

const NOT_CLOSED: &str = "an element of the file is not closed";

struct Shaper<'a> {
    text: &'a [u8],
    /// Ranges of the text, and what replaces them.
    changes: Vec<(Range<usize>, Vec<u8>)>,
}

/// A list of the struct before and after the change.
struct Lists<'a> {
    form: &'static Form,
    field: &'static Field,
    old: &'a dyn Value,
    new: &'a dyn Value,
}

impl Shaper<'_> {
    fn changed(mut self) -> Vec<u8> {
        self.changes.sort_by_key(|(range, _)| range.start);
        let mut text = Vec::with_capacity(self.text.len());
        let mut at = 0;
        for (range, new) in self.changes {
            text.extend_from_slice(&self.text[at..range.start]);
            text.extend_from_slice(&new);
            at = range.end;
        }
        text.extend_from_slice(&self.text[at..]);
        text
    }

    fn record(
        &mut self,
        element: Element<'_>,
        form: &'static Form,
        old: &dyn Value,
        new: &dyn Value,
    ) -> Result<()> {
        let is_list = |field: &&Field| matches!(field.content, Content::Records(_) | Content::Rows(_));
        for field in form.fields.iter().filter(is_list) {
            let mut shaped = Ok(());
            at(old, &field.steps, &mut |old| {
                at(new, &field.steps, &mut |new| {
                    shaped = self.list(element, &Lists { form, field, old, new });
                });
            });
            shaped?;
        }
        Ok(())
    }

    fn list(&mut self, element: Element<'_>, lists: &Lists<'_>) -> Result<()> {
        let (Node::Items(old), Node::Items(new)) = (lists.old.node(), lists.new.node()) else {
            return Ok(());
        };
        let elements: Vec<_> = element
            .children()
            .filter(|own| {
                lists
                    .form
                    .element(own.name())
                    .is_some_and(|at| std::ptr::eq(&raw const lists.form.fields[at], lists.field))
            })
            .collect();
        if elements.len() != old.len() {
            let is_same = old.len() == new.len();
            return if is_same { Ok(()) } else { Err(unsupported("an element of the file is not complete")) };
        }
        let same = (old.len(), 0);
        let (first, count) = if old.len() == new.len() { same } else { differing(lists.old, lists.new) };
        let removed = if new.len() < old.len() { first..first + count } else { first..first };
        let added = if new.len() > old.len() { first..first + count } else { first..first };
        if old.len() != new.len() {
            self.count(element, lists, new.len());
            for own in &elements[removed.clone()] {
                self.remove(*own)?;
            }
            self.insert(element, elements.get(first).copied(), lists, added.clone())?;
            for (index, own) in elements.iter().enumerate().skip(removed.end) {
                self.renumber(*own, lists, index, index + added.len() - removed.len());
            }
        }
        let Content::Records(form) = &lists.field.content else { return Ok(()) };
        let mut shaped = Ok(());
        let _ = old.each(0, &mut |index, item| {
            if removed.contains(&index) {
                return ControlFlow::Continue(());
            }
            let place = if index < first { index } else { index + added.len() - removed.len() };
            // What a missing value is read as.
            let implied = |field: &Field| match (field.repeats, place.checked_sub(1)) {
                (true, Some(before)) => bytes_in(new, before, field),
                (true, None) if index > 0 => Vec::new(),
                _ => bytes_at(item, field),
            };
            let _ = new.each(place, &mut |_, new| {
                shaped = if leaves_out(elements[index], form, &implied, new) {
                    self.replace(elements[index], form, new)
                } else {
                    self.record(elements[index], form, item, new)
                };
                ControlFlow::Break(())
            });
            if shaped.is_ok() { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
        });
        shaped
    }

    /// Changes the attributes that count the elements of a list.
    fn count(&mut self, element: Element<'_>, lists: &Lists<'_>, len: usize) {
        let counts = lists.form.fields.iter().filter(|own| own.list().as_ref() == Some(&lists.field.steps));
        let counts: Vec<_> = counts.collect();
        for (name, words) in element.attributes() {
            if counts.iter().any(|own| own.is_attribute(name)) {
                self.changes
                    .extend(words.first().map(|word| (word.token.range(), len.to_string().into_bytes())));
            }
        }
    }

    fn remove(&mut self, element: Element<'_>) -> Result<()> {
        let close = element.close().ok_or_else(|| unsupported(NOT_CLOSED))?;
        self.changes.push((with_blank_before(self.text, element.offset()..close.end), Vec::new()));
        Ok(())
    }

    /// Inserts new elements before one of a list, or at the end of the element around them.
    fn insert(
        &mut self,
        parent: Element<'_>,
        next: Option<Element<'_>>,
        lists: &Lists<'_>,
        added: Range<usize>,
    ) -> Result<()> {
        if added.is_empty() {
            return Ok(());
        }
        let Node::Items(items) = lists.new.node() else { return Ok(()) };
        let close = parent.close().ok_or_else(|| unsupported(NOT_CLOSED))?;
        if !self.text[close.clone()].starts_with(b"</") {
            return Err(unsupported("an element of the file cannot contain further elements"));
        }
        let start = line_start(self.text, next.map_or(close.start, Element::offset));
        let unit = usize::from(next.is_none());
        let blanks = self.text[start..].iter().take_while(|byte| matches!(byte, b' ' | b'\t')).count();
        let mut writer = Writer::new(Vec::new(), blanks / INDENT + unit);
        if start == next.map_or(close.start, Element::offset)
            && blanks == 0
            && start > 0
            && self.text[start - 1] != b'\n'
        {
            writer.raw(b"\n");
        }
        let name = lists.field.elements().next().unwrap_or_default();
        let _ = items.each(added.start, &mut |index, item| {
            if index == added.end {
                return ControlFlow::Break(());
            }
            match &lists.field.content {
                Content::Records(form) => writer.element(name, form, item, |_| true),
                _ => writer.row(name, lists.field, item),
            }
            ControlFlow::Continue(())
        });
        self.changes.push((start..start, writer.finish().unwrap_or_default()));
        Ok(())
    }

    /// Writes an element again, with all that it leaves out.
    fn replace(&mut self, element: Element<'_>, form: &Form, new: &dyn Value) -> Result<()> {
        let close = element.close().ok_or_else(|| unsupported(NOT_CLOSED))?;
        let start = element.offset();
        let blanks = start - line_start(self.text, start);
        let mut writer = Writer::new(Vec::new(), blanks / INDENT);
        writer.element(&String::from_utf8_lossy(element.name()), form, new, |_| true);
        let text = writer.finish().unwrap_or_default();
        self.changes.push((start..close.end, text.trim_ascii().to_vec()));
        Ok(())
    }

    /// Lets an attribute follow that repeats the index of the element.
    fn renumber(&mut self, element: Element<'_>, lists: &Lists<'_>, old: usize, new: usize) {
        let is_known = |name: &[u8]| match &lists.field.content {
            Content::Records(form) => form.attribute(name).is_some(),
            _ => false,
        };
        let index = |words: &[Piece<'_>]| {
            Some((words.first()?.token.range(), integer(words.first()?.token.bytes)?.parse().ok()?))
        };
        let ids =
            element.attributes().filter(|(name, _)| name.eq_ignore_ascii_case(b"ID") && !is_known(name));
        let ids = ids.filter_map(|(_, words)| index(&words)).filter(|(_, own): &(_, usize)| *own == old);
        self.changes.extend(ids.map(|(range, _)| (range, new.to_string().into_bytes())));
    }
}

/// Returns the bytes of a field.
fn bytes_at(value: &dyn Value, field: &Field) -> Vec<u8> {
    let mut bytes = Vec::new();
    at(value, &field.steps, &mut |own| bytes = bytes_of(own));
    bytes
}

/// Returns the bytes of a field of an element.
fn bytes_in(items: &dyn Items, index: usize, field: &Field) -> Vec<u8> {
    let mut bytes = Vec::new();
    let _ = items.each(index, &mut |_, item| {
        bytes = bytes_at(item, field);
        ControlFlow::Break(())
    });
    bytes
}

/// Returns whether an element leaves out a value that is not the implied one.
fn leaves_out(
    element: Element<'_>,
    form: &Form,
    implied: &dyn Fn(&Field) -> Vec<u8>,
    new: &dyn Value,
) -> bool {
    let is_there = |field: &Field| {
        let mut attributes = element.attributes();
        attributes.any(|(name, _)| field.is_attribute(name))
            || element.children().any(|own| field.elements().any(|name| is_same(name, own.name())))
            || field.names.contains(&".")
    };
    let is_single =
        |field: &&Field| field.is_stored() && matches!(field.content, Content::Text | Content::Numbers(_));
    form.fields
        .iter()
        .filter(is_single)
        .any(|field| implied(field) != bytes_at(new, field) && !is_there(field))
}

/// Returns the start of the blanks before a position in its line, or the position if something else precedes it.
fn line_start(text: &[u8], at: usize) -> usize {
    let blanks = text[..at].iter().rev().take_while(|byte| matches!(byte, b' ' | b'\t')).count();
    let start = at - blanks;
    if start == 0 || text[start - 1] == b'\n' { start } else { at }
}

/// Extends a range to the white space before it.
fn with_blank_before(text: &[u8], range: Range<usize>) -> Range<usize> {
    let blanks = text[..range.start].iter().rev().take_while(|byte| byte.is_ascii_whitespace()).count();
    range.start - blanks..range.end
}

/// Returns where the longer of two lists has additional elements, and how many: the place at which most of the other elements
/// are the same. Texts are not written back, so an element with another one is another element.
fn differing(old: &dyn Value, new: &dyn Value) -> (usize, usize) {
    let (old, new) = (items(old), items(new));
    let (longer, shorter) = if old.len() < new.len() { (&new, &old) } else { (&old, &new) };
    let count = longer.len() - shorter.len();
    let cost = |a: &Item, b: &Item| {
        let same = a.bytes.iter().zip(&b.bytes).filter(|(a, b)| a == b).count();
        let bytes = a.bytes.len().max(b.bytes.len()) - same;
        if a.texts == b.texts { bytes } else { bytes + OTHER_TEXT }
    };
    let mut after: usize = longer[count..].iter().zip(shorter).map(|(a, b)| cost(a, b)).sum();
    let (mut before, mut least, mut best) = (0, after, 0);
    for (index, own) in shorter.iter().enumerate() {
        before += cost(&longer[index], own);
        after -= cost(&longer[index + count], own);
        if before + after < least {
            (least, best) = (before + after, index + 1);
        }
    }
    (best, count)
}

/// More than all bytes of an element.
const OTHER_TEXT: usize = 1 << 24;

/// An element of a list.
struct Item {
    bytes: Vec<u8>,
    texts: Vec<u8>,
}

fn items(list: &dyn Value) -> Vec<Item> {
    let mut all = Vec::new();
    if let Node::Items(items) = list.node() {
        let _ = items.each(0, &mut |_, item| {
            all.push(Item { bytes: bytes_of(item), texts: texts(item) });
            ControlFlow::Continue(())
        });
    }
    all
}

/// Returns the texts in the fields of an element, such as its name.
fn texts(element: &dyn Value) -> Vec<u8> {
    let mut all = Vec::new();
    if let Node::Record(record) = element.node() {
        let _ = record.fields(&mut |_, value| {
            if let Node::Leaf(leaf) = value.node()
                && leaf.class() == Class::Text
            {
                leaf.bytes(&mut all);
            }
            ControlFlow::Continue(())
        });
    }
    all
}
