//! The XML form read into the structs of the binary form.

use super::form::{Content, Field, Form};
use super::walk::{Place, Visitor, walk};
use super::{Document, Element, Piece, integer, number, plain};
use crate::schema::{Class, Leaf, Node, NodeMut, Step, Value, escape};
use crate::{Error, ErrorKind, Result};

/// Fills a new root struct with what a document has.
///
/// # Errors
/// [`ErrorKind::Syntax`] where a required value is missing, or a word is not a number.
pub(in crate::formats::cal3d) fn read(
    document: &Document,
    form: &'static Form,
    root: &mut dyn Value,
) -> Result<()> {
    walk(document, form, &mut Reader::new(root))
}

/// Fills a root struct during a walk.
pub(in crate::formats::cal3d) struct Reader<'v, 'a> {
    root: &'v mut dyn Value,
    /// The last words of fields that later elements may leave out.
    repeated: Vec<(&'static Field, Vec<&'a [u8]>)>,
}

impl<'a> Visitor<'a> for Reader<'_, 'a> {
    fn enter(&mut self, place: &Place<'_, 'a>) -> Result<()> {
        let Some((step, list)) = place.path.split_last() else { return Ok(()) };
        if *step == Step::Index(0) {
            let is_own =
                |field: &Field| place.form.fields.iter().any(|candidate| std::ptr::eq(candidate, field));
            self.repeated.retain(|(field, _)| !is_own(field));
        }
        grow(self.root, list);
        Ok(())
    }

    fn field(&mut self, place: &Place<'_, 'a>, index: usize, words: &[Piece<'a>]) -> Result<()> {
        let field = &place.form.fields[index];
        if !field.is_stored() {
            return Ok(());
        }
        if let (Content::Rows(_), Some((_, list))) = (&field.content, place.path.split_last()) {
            grow(self.root, list);
        }
        if field.repeats {
            self.repeat(field, words.iter().map(|word| word.token.bytes).collect());
        }
        let assigned = assign(self.root, place.path, field, words);
        assigned.map_err(|wrong| wrong.error(place, field, words))
    }

    fn leave(&mut self, place: &Place<'_, 'a>, seen: &[usize]) -> Result<()> {
        for (field, _) in place.form.fields.iter().zip(seen).filter(|(_, seen)| **seen == 0) {
            let path = place.path.iter().chain(&field.steps);
            let repeated = self.repeated.iter().find(|(own, _)| std::ptr::eq(*own, field));
            let assigned = match (repeated, field.default) {
                (Some((_, words)), _) => assign(self.root, path, field, words),
                (None, Some(default)) => {
                    assign(self.root, path, field, &default.split(' ').collect::<Vec<_>>())
                }
                (None, None) if field.is_required() || is_half(place.form, field, seen) => {
                    return Err(missing(place.element, field));
                }
                (None, None) => continue,
            };
            assigned.map_err(|wrong| wrong.error(place, field, &[]))?;
        }
        Ok(())
    }
}

impl<'v, 'a> Reader<'v, 'a> {
    pub(in crate::formats::cal3d) fn new(root: &'v mut dyn Value) -> Self {
        Self { root, repeated: Vec::new() }
    }

    fn repeat(&mut self, field: &'static Field, words: Vec<&'a [u8]>) {
        self.repeated.retain(|(own, _)| !std::ptr::eq(*own, field));
        self.repeated.push((field, words));
    }
}

/// Whether another field is present of the struct without an element that this field belongs to.
fn is_half(form: &Form, field: &Field, seen: &[usize]) -> bool {
    let mut others = form.fields.iter().zip(seen);
    field.steps.len() > 1 && others.any(|(own, seen)| *seen > 0 && own.steps[0] == field.steps[0])
}

/// Appends an element to a list.
fn grow(root: &mut dyn Value, path: &[Step]) {
    if let Some(NodeMut::Items(items)) = reach(root, path).map(Value::node_mut) {
        items.push_blank();
    }
}

/// The value at a path; what is absent on the way is made present.
pub(super) fn reach<'v, 's>(
    root: &'v mut dyn Value,
    path: impl IntoIterator<Item = &'s Step>,
) -> Option<&'v mut dyn Value> {
    let mut value = root;
    for step in path {
        value = match (value.node_mut(), step) {
            (NodeMut::Record(record), Step::Field(name)) => record.field_mut(name)?,
            (NodeMut::Items(items), Step::Index(index)) => items.item_mut(*index)?,
            _ => return None,
        };
        if matches!(value.node(), Node::Absent) {
            value.create(None).ok()?;
        }
    }
    Some(value)
}

/// Why words are not a value of a field.
enum Wrong {
    /// There are fewer of them than this.
    Few(usize),
    /// One of them is not a number, or does not fit.
    Word(usize, String),
}

impl Wrong {
    fn error(self, place: &Place<'_, '_>, field: &Field, words: &[Piece<'_>]) -> Error {
        match self {
            Self::Few(expected) => {
                let has = words.len();
                wrong(place.element, format!("{} has {has} of {expected} numbers", field.label()))
            }
            Self::Word(nth, why) => {
                let start = words.get(nth).map_or(place.element.offset(), |word| word.token.start);
                Error::new(start as u64, ErrorKind::Syntax(why)).at(place.word(field, nth))
            }
        }
    }
}

fn wrong(element: Element<'_>, why: String) -> Error {
    Error::new(element.offset() as u64, ErrorKind::Syntax(why)).at(element.path())
}

fn missing(element: Element<'_>, field: &Field) -> Error {
    wrong(element, format!("{} has no {}", element.name().escape_ascii(), field.label()))
}

/// Sets a field from words; surplus words are ignored, as in the library.
fn assign<'s>(
    root: &mut dyn Value,
    path: impl IntoIterator<Item = &'s Step>,
    field: &Field,
    words: &[impl AsRef<[u8]>],
) -> Result<(), Wrong> {
    let Some(value) = reach(root, path) else { return Ok(()) };
    let (Content::Numbers(len) | Content::Rows(len)) = field.content else {
        return match value.node_mut() {
            NodeMut::Leaf(leaf) => set(leaf, words.first().map(AsRef::as_ref).unwrap_or_default(), 0),
            _ => Ok(()),
        };
    };
    if words.len() < len {
        return Err(Wrong::Few(len));
    }
    match value.node_mut() {
        NodeMut::Leaf(leaf) => set(leaf, words[0].as_ref(), 0),
        NodeMut::Items(items) => words.iter().take(len).enumerate().try_for_each(|(nth, word)| {
            match items.item_mut(nth).map(Value::node_mut) {
                Some(NodeMut::Leaf(leaf)) => set(leaf, word.as_ref(), nth),
                _ => Ok(()),
            }
        }),
        _ => Ok(()),
    }
}

/// Sets a leaf from a word.
fn set(leaf: &mut dyn Leaf, word: &[u8], nth: usize) -> Result<(), Wrong> {
    let shown = || word.escape_ascii();
    let set = match leaf.class() {
        Class::Float => {
            let number =
                number(word).ok_or_else(|| Wrong::Word(nth, format!("`{}` is not a number", shown())))?;
            leaf.assign_bytes(&number.to_le_bytes())
        }
        Class::Integer => {
            let digits = integer(word)
                .ok_or_else(|| Wrong::Word(nth, format!("`{}` is not a whole number", shown())))?;
            leaf.assign(digits)
        }
        _ => leaf.assign(&escape(&plain(word))),
    };
    set.map_err(|why| Wrong::Word(nth, why.to_string()))
}
