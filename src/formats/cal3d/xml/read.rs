//! The XML form read into the structs of the binary form.

use binrw::io::{self, Seek};
use binrw::{BinRead, BinResult, Endian};

use super::form::{Content, Field, Form};
use super::walk::{Place, Visitor, reach, walk, walk_while};
use super::{Document, Element, Nesting, Piece, XmlText, integer, number, plain};
use crate::formats::cal3d::Binary;
use crate::schema::{Class, Items, Leaf, NodeMut, Step, Value, escape};
use crate::text::{Splitter, TokenText, scanned_while};
use crate::wire::Rest;
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
    walk(document, form, Some(root), &mut Reader::default())
}

/// Reads a document, and fills a new root struct with what it has as far as it can be read.
///
/// # Errors
/// Those of the reader.
pub(in crate::formats::cal3d) fn read_while<B: Binary>(
    reader: &mut (impl io::Read + Seek),
) -> BinResult<(Document, Result<B>)> {
    let (tokens, content) = scanned_while(reader, Nesting::new(B::XML_ROOT), read_tokens)?;
    let rest = Rest::read_options(reader, Endian::Little, ())?;
    Ok((Document { tokens, rest }, content))
}

/// As [`read_while`], for a text in memory that is not damaged.
pub(in crate::formats::cal3d) fn read_text<B: Binary>(text: Vec<u8>) -> (Document, Result<B>) {
    let (tokens, content) = TokenText::parse_with(text, 0, Nesting::new(B::XML_ROOT), read_tokens);
    (Document { tokens, rest: Rest::default() }, content)
}

fn read_tokens<B: Binary>(tokens: &mut Splitter<'_, XmlText, Nesting>) -> Result<B> {
    let mut content = B::default();
    walk_while(tokens, B::form(), Some(&mut content), &mut Reader::default()).map(|()| content)
}

/// Fills a root struct during a walk.
#[derive(Default)]
pub(in crate::formats::cal3d) struct Reader<'a> {
    /// The last words of fields that later elements may leave out.
    repeated: Vec<(&'static Field, Vec<Piece<'a>>)>,
}

impl<'a> Visitor<'a> for Reader<'a> {
    fn enter(&mut self, place: &Place<'_, 'a>, list: Option<&mut dyn Items>) -> Result<()> {
        if place.path.last() == Some(&Step::Index(0)) {
            let is_own =
                |field: &Field| place.form.fields.iter().any(|candidate| std::ptr::eq(candidate, field));
            self.repeated.retain(|(field, _)| !is_own(field));
        }
        list.map(Items::push_blank);
        Ok(())
    }

    fn field(
        &mut self,
        place: &Place<'_, 'a>,
        record: Option<&mut dyn Value>,
        index: usize,
        words: &[Piece<'a>],
    ) -> Result<()> {
        let field = &place.form.fields[index];
        if !field.is_stored() {
            return Ok(());
        }
        if field.repeats {
            self.repeat(field, words);
        }
        let value = record.and_then(|record| reach(record, &field.steps));
        let value = match place.row {
            Some(row) => value.and_then(|rows| new_row(rows, row)),
            None => value,
        };
        assign(value, field, words).map_err(|wrong| wrong.error(place, field, words))
    }

    fn leave(
        &mut self,
        place: &Place<'_, 'a>,
        mut record: Option<&mut dyn Value>,
        seen: &[usize],
    ) -> Result<()> {
        for (field, _) in place.form.fields.iter().zip(seen).filter(|(_, seen)| **seen == 0) {
            let repeated = self.repeated.iter().find(|(own, _)| std::ptr::eq(*own, field));
            if repeated.is_none() && field.default.is_none() {
                if field.is_required() || is_half(place.form, field, seen) {
                    return Err(missing(place.element, field));
                }
                continue;
            }
            let value = record.as_mut().and_then(|record| reach(&mut **record, &field.steps));
            let assigned = match (repeated, &field.default) {
                (Some((_, words)), _) => assign(value, field, words),
                (None, default) => assign(value, field, default.as_deref().unwrap_or_default()),
            };
            assigned.map_err(|wrong| wrong.error(place, field, &[]))?;
        }
        Ok(())
    }
}

impl<'a> Reader<'a> {
    fn repeat(&mut self, field: &'static Field, words: &[Piece<'a>]) {
        match self.repeated.iter_mut().find(|(own, _)| std::ptr::eq(*own, field)) {
            Some((_, last)) => {
                last.clear();
                last.extend_from_slice(words);
            }
            None => self.repeated.push((field, words.to_vec())),
        }
    }
}

/// The row that is appended to a list.
fn new_row(rows: &mut dyn Value, row: usize) -> Option<&mut dyn Value> {
    let NodeMut::Items(rows) = rows.node_mut() else { return None };
    rows.push_blank();
    rows.item_mut(row)
}

/// Whether another field is present of the struct without an element that this field belongs to.
fn is_half(form: &Form, field: &Field, seen: &[usize]) -> bool {
    let mut others = form.fields.iter().zip(seen);
    field.steps.len() > 1 && others.any(|(own, seen)| *seen > 0 && own.steps[0] == field.steps[0])
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
fn assign(value: Option<&mut dyn Value>, field: &Field, words: &[impl AsRef<[u8]>]) -> Result<(), Wrong> {
    let Some(value) = value else { return Ok(()) };
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
        Class::Integer => match short(word) {
            Some(number) if leaf.assign_bytes(&number.to_le_bytes()).is_ok() => Ok(()),
            _ => {
                let digits = integer(word)
                    .ok_or_else(|| Wrong::Word(nth, format!("`{}` is not a whole number", shown())))?;
                leaf.assign(digits)
            }
        },
        _ => leaf.assign(&escape(&plain(word))),
    };
    set.map_err(|why| Wrong::Word(nth, why.to_string()))
}

/// The number of a word of few digits, as most are.
fn short(word: &[u8]) -> Option<i32> {
    const MOST: usize = 9;
    let digit = |byte: &u8| byte.is_ascii_digit().then(|| i32::from(byte - b'0'));
    let number = || word.iter().try_fold(0, |number, byte| Some(10 * number + digit(byte)?));
    (1..=MOST).contains(&word.len()).then(number)?
}
