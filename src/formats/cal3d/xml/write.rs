//! The XML form written from the structs of the binary form.

use std::io::{self, Write};
use std::ops::ControlFlow::{self, Break, Continue};

use super::form::{Content, Field, Form};
use super::{Binary, Document, spelled};
use crate::schema::{Items, Node, Role, Step, Value, unescape};
use crate::text::{TokenText, plain_scalar};
use crate::wire::Rest;

/// The attributes of the header, which precedes the main element.
const HEADER: [&str; 2] = ["MAGIC", "VERSION"];

/// Returns the XML form of a file.
pub(in crate::formats::cal3d) fn write<B: Binary>(file: &B) -> Document {
    // Writing to memory does not fail.
    let text = write_to(file, Vec::new()).unwrap_or_default();
    Document { tokens: TokenText::new(text), rest: Rest::default() }
}

/// Writes the XML form of a file, without holding it in memory.
///
/// # Errors
/// When `out` fails.
pub(in crate::formats::cal3d) fn write_to<B: Binary, W: Write>(file: &B, out: W) -> io::Result<W> {
    let mut writer = Writer::new(out, 0);
    writer.raw(b"<HEADER");
    writer.attributes(B::form(), file, |name| HEADER.contains(&name));
    writer.raw(b" />\n");
    writer.element(B::XML_ROOT, B::form(), file, |name| !HEADER.contains(&name));
    writer.finish()
}

/// The number of blanks per level.
pub(super) const INDENT: usize = 4;

/// The size of the text that is written at once.
const BLOCK: usize = 1 << 16;

pub(super) struct Writer<W> {
    out: W,
    /// The text after that which is written.
    text: Vec<u8>,
    /// The length of the text that is written.
    written: usize,
    failure: Option<io::Error>,
    depth: usize,
    /// The bytes of numbers.
    numbers: Vec<u8>,
}

impl<W: Write> Writer<W> {
    pub(super) const fn new(out: W, depth: usize) -> Self {
        Self { out, text: Vec::new(), written: 0, failure: None, depth, numbers: Vec::new() }
    }

    /// Writes the rest of the text, and returns the output.
    pub(super) fn finish(mut self) -> io::Result<W> {
        self.flush();
        self.failure.map_or(Ok(self.out), Err)
    }

    fn flush(&mut self) {
        self.failure = self.failure.take().or_else(|| self.out.write_all(&self.text).err());
        self.written += self.text.len();
        self.text.clear();
    }

    /// Writes the text if it is long, and ends a list if that failed.
    fn flow(&mut self) -> ControlFlow<()> {
        if self.text.len() >= BLOCK {
            self.flush();
        }
        if self.failure.is_none() { Continue(()) } else { Break(()) }
    }

    const fn len(&self) -> usize {
        self.written + self.text.len()
    }

    pub(super) fn raw(&mut self, bytes: &[u8]) {
        self.text.extend_from_slice(bytes);
    }

    fn indent(&mut self) {
        self.text.resize(self.text.len() + INDENT * self.depth, b' ');
    }

    fn open(&mut self, name: &str) {
        self.indent();
        self.raw(b"<");
        self.raw(name.as_bytes());
    }

    fn close(&mut self, name: &str) {
        self.raw(b"</");
        self.raw(name.as_bytes());
        self.raw(b">\n");
    }

    /// Writes a record as an element, with the attributes of the chosen names.
    pub(super) fn element(
        &mut self,
        name: &str,
        form: &Form,
        record: &dyn Value,
        is_own: impl Fn(&str) -> bool,
    ) {
        self.open(name);
        self.attributes(form, record, is_own);
        self.raw(b">");
        if let Some(own) = form.own_words() {
            let field = &form.fields[own];
            at(record, &field.steps, &mut |value| self.words(field, value));
        } else {
            let start = self.len();
            self.raw(b"\n");
            self.depth += 1;
            self.children(form, record);
            self.depth -= 1;
            if self.len() == start + 1 {
                // Nothing inside.
                self.text.truncate(self.text.len() - 2);
                return self.raw(b" />\n");
            }
            self.indent();
        }
        self.close(name);
    }

    fn attributes(&mut self, form: &Form, record: &dyn Value, is_own: impl Fn(&str) -> bool) {
        form.visit_attributes(record, &mut |name, field, value| {
            if is_own(name) {
                self.raw(b" ");
                self.raw(name.as_bytes());
                self.raw(b"=\"");
                self.words(field, value);
                self.raw(b"\"");
            }
        });
    }

    fn children(&mut self, form: &Form, record: &dyn Value) {
        form.visit_children(record, &mut |name, field, value| match (&field.content, value.node()) {
            (Content::Records(form), Node::Items(items)) => {
                let _ = items.each(0, &mut |_, item| {
                    self.element(name, form, item, |_| true);
                    self.flow()
                });
            }
            (Content::Rows(_), Node::Items(items)) => {
                let _ = items.each(0, &mut |_, item| {
                    self.row(name, field, item);
                    self.flow()
                });
            }
            _ => self.row(name, field, value),
        });
    }

    /// Writes an element of words.
    pub(super) fn row(&mut self, name: &str, field: &Field, value: &dyn Value) {
        self.open(name);
        self.raw(b">");
        self.words(field, value);
        self.close(name);
    }

    /// Writes the words of a value, or the text of the magic.
    fn words(&mut self, field: &Field, value: &dyn Value) {
        match value.node() {
            Node::Items(items) => self.list(field, items),
            Node::Leaf(leaf) if field.role == Role::Magic => self.magic(&spelled(leaf)),
            Node::Leaf(leaf) if field.is_of_numbers() => {
                self.numbers.clear();
                leaf.bytes(&mut self.numbers);
                match leaf.scalar() {
                    Some(scalar) => plain_scalar(scalar, &self.numbers, &mut self.text),
                    None => self.raw(&spelled(leaf)),
                }
            }
            Node::Leaf(leaf) => {
                let shown = spelled(leaf);
                self.text(&unescape(&String::from_utf8_lossy(&shown)).unwrap_or_default());
            }
            _ => {}
        }
    }

    /// Writes the words of a list; all numbers of a type at once.
    fn list(&mut self, field: &Field, items: &dyn Items) {
        let scalar = items.item(0).and_then(|first| match first.node() {
            Node::Leaf(leaf) => leaf.scalar(),
            _ => None,
        });
        if let Some(scalar) = scalar {
            self.numbers.clear();
            items.bytes(0..items.len(), &mut self.numbers);
            for (index, number) in self.numbers.chunks_exact(scalar.size()).enumerate() {
                if index > 0 {
                    self.text.push(b' ');
                }
                plain_scalar(scalar, number, &mut self.text);
            }
            return;
        }
        let _ = items.each(0, &mut |index, item| {
            if index > 0 {
                self.raw(b" ");
            }
            self.words(field, item);
            Continue(())
        });
    }

    /// The magic of the XML form starts with an X.
    fn magic(&mut self, binary: &[u8]) {
        self.raw(b"X");
        self.raw(binary.get(1..3).unwrap_or_default());
    }

    /// Writes a text, with references for characters that have a meaning, and for blanks at its ends.
    fn text(&mut self, text: &[u8]) {
        let last = text.len().saturating_sub(1);
        for (index, byte) in text.iter().enumerate() {
            let is_end_blank = *byte == b' ' && (index == 0 || index == last);
            if byte.is_ascii_control() || is_end_blank || b"&<>\"'".contains(byte) {
                self.raw(format!("&#{byte};").as_bytes());
            } else {
                self.text.push(*byte);
            }
        }
    }
}

impl Form {
    /// Visits the fields that are written in attributes.
    fn visit_attributes(&self, record: &dyn Value, visit: &mut dyn FnMut(&str, &Field, &dyn Value)) {
        self.visit(&self.in_attributes, record, &mut |name, field, value| visit(&name[1..], field, value));
    }

    /// Visits the fields that are written in elements.
    fn visit_children(&self, record: &dyn Value, visit: &mut dyn FnMut(&str, &Field, &dyn Value)) {
        self.visit(&self.in_elements, record, visit);
    }

    /// Visits some fields, which are in the order of the record, with their preferred names.
    fn visit(
        &self,
        mut fields: &[usize],
        record: &dyn Value,
        visit: &mut dyn FnMut(&str, &Field, &dyn Value),
    ) {
        let Node::Record(record) = record.node() else { return };
        let _ = record.fields(&mut |info, value| {
            let is_there = |index: &usize| self.fields[*index].is_in(info.name);
            let Some(first) = fields.iter().position(is_there) else { return Continue(()) };
            fields = &fields[first..];
            while let Some((index, others)) = fields.split_first()
                && is_there(index)
            {
                let field = &self.fields[*index];
                at(value, &field.steps[1..], &mut |value| visit(field.names[0], field, value));
                fields = others;
            }
            if fields.is_empty() { Break(()) } else { Continue(()) }
        });
    }
}

impl Field {
    /// Whether it is a field of the struct, or is in that field.
    fn is_in(&self, name: &str) -> bool {
        matches!(self.steps.first(), Some(Step::Field(own)) if own == name)
    }

    /// The list that a count counts.
    pub(super) fn list(&self) -> Option<Vec<Step>> {
        let Role::Counts(list) = self.role else { return None };
        let above = &self.steps[..self.steps.len() - 1];
        Some(above.iter().cloned().chain([Step::from(list)]).collect())
    }
}

/// Visits the value at a path, unless it is absent.
pub(super) fn at(value: &dyn Value, steps: &[Step], visit: &mut dyn FnMut(&dyn Value)) {
    match (steps, value.node()) {
        (_, Node::Absent) => {}
        ([], _) => visit(value),
        ([Step::Field(name), steps @ ..], Node::Record(record)) => {
            let _ = record.fields(&mut |info, value| {
                if info.name != *name {
                    return Continue(());
                }
                at(value, steps, visit);
                Break(())
            });
        }
        _ => {}
    }
}
