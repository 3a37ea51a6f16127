//! The XML form written from the structs of the binary form.

use std::ops::ControlFlow;

use super::form::{Content, Field, Form};
use super::{Binary, Document, spelled};
use crate::schema::{Node, Role, Step, Value, unescape};
use crate::wire::{Rest, TokenText};

/// The attributes of the header, which precedes the main element.
const HEADER: [&str; 2] = ["MAGIC", "VERSION"];

/// Returns the XML form of a file.
pub(in crate::formats::cal3d) fn write<B: Binary>(file: &B) -> Document {
    let mut writer = Writer { text: Vec::new(), depth: 0 };
    writer.raw(b"<HEADER");
    writer.attributes(B::form(), file, |name| HEADER.contains(&name));
    writer.raw(b" />\n");
    writer.element(B::XML_ROOT, B::form(), file, |name| !HEADER.contains(&name));
    Document { tokens: TokenText::new(writer.text), rest: Rest::default() }
}

/// The number of blanks per level.
pub(super) const INDENT: usize = 4;

pub(super) struct Writer {
    pub(super) text: Vec<u8>,
    pub(super) depth: usize,
}

impl Writer {
    pub(super) fn raw(&mut self, bytes: &[u8]) {
        self.text.extend_from_slice(bytes);
    }

    fn open(&mut self, name: &str) {
        self.text.resize(self.text.len() + INDENT * self.depth, b' ');
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
        let start = self.text.len();
        if let Some(own) = form.own_words() {
            let field = &form.fields[own];
            at(record, &field.steps, &mut |value| self.words(field, value));
        } else {
            self.raw(b"\n");
            self.depth += 1;
            self.children(form, record);
            self.depth -= 1;
            if self.text.len() == start + 1 {
                // Nothing inside.
                self.text.truncate(start - 1);
                return self.raw(b" />\n");
            }
            self.text.resize(self.text.len() + INDENT * self.depth, b' ');
        }
        self.close(name);
    }

    fn attributes(&mut self, form: &Form, record: &dyn Value, is_own: impl Fn(&str) -> bool) {
        for field in &form.fields {
            let Some(name) = field.names.first().and_then(|name| name.strip_prefix('@')) else { continue };
            if !is_own(name) {
                continue;
            }
            let steps = field.list().unwrap_or_else(|| field.steps.clone());
            at(record, &steps, &mut |value| {
                self.raw(b" ");
                self.raw(name.as_bytes());
                self.raw(b"=\"");
                self.words(field, value);
                self.raw(b"\"");
            });
        }
    }

    fn children(&mut self, form: &Form, record: &dyn Value) {
        for field in &form.fields {
            let Some(name) = field.names.first().filter(|name| !name.starts_with('@')) else { continue };
            at(record, &field.steps, &mut |value| match (&field.content, value.node()) {
                (Content::Records(form), Node::Items(items)) => {
                    let _ = items.each(0, &mut |_, item| {
                        self.element(name, form, item, |_| true);
                        ControlFlow::Continue(())
                    });
                }
                (Content::Rows(_), Node::Items(items)) => {
                    let _ = items.each(0, &mut |_, item| {
                        self.row(name, field, item);
                        ControlFlow::Continue(())
                    });
                }
                _ => self.row(name, field, value),
            });
        }
    }

    /// Writes an element of words.
    pub(super) fn row(&mut self, name: &str, field: &Field, value: &dyn Value) {
        self.open(name);
        self.raw(b">");
        self.words(field, value);
        self.close(name);
    }

    /// Writes the words of a value, the number of elements of a counted list, or the text of the magic.
    fn words(&mut self, field: &Field, value: &dyn Value) {
        match (field.role, value.node()) {
            (Role::Counts(_), Node::Items(items)) => self.raw(items.len().to_string().as_bytes()),
            (_, Node::Items(items)) => {
                let _ = items.each(0, &mut |index, item| {
                    if index > 0 {
                        self.raw(b" ");
                    }
                    self.words(field, item);
                    ControlFlow::Continue(())
                });
            }
            (role, Node::Leaf(leaf)) => {
                let shown = spelled(leaf);
                match role {
                    Role::Magic => self.magic(shown.as_bytes()),
                    _ if field.is_of_numbers() => self.raw(shown.as_bytes()),
                    _ => self.text(&unescape(&shown).unwrap_or_default()),
                }
            }
            _ => {}
        }
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

impl Field {
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
                    return ControlFlow::Continue(());
                }
                at(value, steps, visit);
                ControlFlow::Break(())
            });
        }
        _ => {}
    }
}
