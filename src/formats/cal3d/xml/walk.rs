//! One pass over an XML form that visits the fields of the binary form and their words.

use super::form::{Content, Field, Form};
use super::{Document, Element, Markup, Nesting, Piece, XmlText};
use crate::Result;
use crate::schema::{FieldPath, Items, Node, NodeMut, Step, Value};
use crate::text::Splitter;

/// Where a walk is.
pub(in crate::formats::cal3d) struct Place<'w, 'a> {
    /// The path to the record.
    pub(in crate::formats::cal3d) path: &'w [Step],
    /// The element of the record.
    pub(in crate::formats::cal3d) element: Element<'a>,
    /// The form of the record.
    pub(in crate::formats::cal3d) form: &'static Form,
    /// The index of the row, in a field of rows.
    pub(in crate::formats::cal3d) row: Option<usize>,
}

impl Place<'_, '_> {
    /// The path of a word of a field.
    pub(in crate::formats::cal3d) fn word(&self, field: &Field, nth: usize) -> FieldPath {
        let is_one_of_many = field.is_of_many();
        let mut path = FieldPath::from([self.path, &field.steps].concat());
        for index in self.row.into_iter().chain(is_one_of_many.then_some(nth)) {
            path.push(Step::Index(index));
        }
        path
    }
}

/// Sees the fields in the order of the text.
///
/// The records of the binary form that the elements spell are passed on as far as the walk has them.
pub(in crate::formats::cal3d) trait Visitor<'a> {
    /// Visits an element that spells a record, before its fields; the record becomes part of a list.
    fn enter(&mut self, _place: &Place<'_, 'a>, _list: Option<&mut dyn Items>) -> Result<()> {
        Ok(())
    }

    /// Visits a field: its index in the form, and its words.
    fn field(
        &mut self,
        place: &Place<'_, 'a>,
        record: Option<&mut dyn Value>,
        index: usize,
        words: &[Piece<'a>],
    ) -> Result<()>;

    /// Visits an element again, after its fields; of each it knows how often it was there.
    fn leave(
        &mut self,
        _place: &Place<'_, 'a>,
        _record: Option<&mut dyn Value>,
        _seen: &[usize],
    ) -> Result<()> {
        Ok(())
    }
}

/// Walks through the main element and the header before it, and through a struct of the binary form at the same time.
///
/// The depth follows from the form and never from the text.
///
/// # Errors
/// Those of the visitor.
pub(in crate::formats::cal3d) fn walk<'a>(
    document: &'a Document,
    form: &'static Form,
    value: Option<&mut dyn Value>,
    visitor: &mut impl Visitor<'a>,
) -> Result<()> {
    match document.root() {
        Some(root) => walk_inside(root, document.header(), root.inside(), form, value, visitor),
        None => Ok(()),
    }
}

/// As [`walk`] for a text that is split at the same time; takes no token after the main element.
pub(super) fn walk_while<'a>(
    tokens: &mut Splitter<'a, XmlText, Nesting>,
    form: &'static Form,
    value: Option<&mut dyn Value>,
    visitor: &mut impl Visitor<'a>,
) -> Result<()> {
    let text = tokens.text();
    let Some(root) = Element::main(text) else { return Ok(()) };
    let mut pieces = tokens.map(Piece::from);
    match pieces.find(|piece| root.is_opened_by(piece)) {
        Some(_) => walk_inside(root, Element::header(text), pieces, form, value, visitor),
        None => Ok(()),
    }
}

fn walk_inside<'a>(
    root: Element<'a>,
    header: Option<Element<'a>>,
    pieces: impl Iterator<Item = Piece<'a>>,
    form: &'static Form,
    value: Option<&mut dyn Value>,
    visitor: &mut impl Visitor<'a>,
) -> Result<()> {
    let record = Record { element: root, form, first: 0, value };
    visitor.enter(&record.place(&[], None), None)?;
    let mut walk = Walk { pieces, path: Vec::new(), seen: Vec::new(), words: Vec::new(), visitor };
    walk.record(record, header)
}

/// The value that steps lead to; what is absent on the way is made present.
pub(super) fn reach<'v>(root: &'v mut dyn Value, steps: &[Step]) -> Option<&'v mut dyn Value> {
    let mut value = root;
    for step in steps {
        value = match (value.node_mut(), step) {
            (NodeMut::Record(record), Step::Field(name)) => record.field_mut(name)?,
            _ => return None,
        };
        if matches!(value.node(), Node::Absent) {
            value.create(None).ok()?;
        }
    }
    Some(value)
}

/// The list that steps lead to.
fn list_at<'v>(record: &'v mut dyn Value, steps: &[Step]) -> Option<&'v mut dyn Items> {
    match reach(record, steps)?.node_mut() {
        NodeMut::Items(items) => Some(items),
        _ => None,
    }
}

struct Walk<'a, 'v, P, V> {
    pieces: P,
    path: Vec<Step>,
    /// How often each field of the open records has been met.
    seen: Vec<usize>,
    /// The words of the open records, and those of a field after them.
    words: Vec<Piece<'a>>,
    visitor: &'v mut V,
}

/// A record that a walk is in.
struct Record<'r, 'a> {
    element: Element<'a>,
    form: &'static Form,
    /// Where the numbers of its fields begin among those of the open records.
    first: usize,
    value: Option<&'r mut dyn Value>,
}
impl<'a> Record<'_, 'a> {
    fn place<'w>(&self, path: &'w [Step], row: Option<usize>) -> Place<'w, 'a> {
        Place { path, element: self.element, form: self.form, row }
    }

    fn value(&mut self) -> Option<&mut dyn Value> {
        self.value.as_mut().map(|value| &mut **value as _)
    }
}

impl<'a, P: Iterator<Item = Piece<'a>>, V: Visitor<'a>> Walk<'a, '_, P, V> {
    /// A record, whose opening token has been read. Attributes of a header count as its own.
    fn record(&mut self, mut record: Record<'_, 'a>, header: Option<Element<'a>>) -> Result<()> {
        self.seen.resize(record.first + record.form.fields.len(), 0);
        let start = self.words.len();
        for (name, words) in header.into_iter().flat_map(Element::attributes) {
            self.words.extend(words);
            self.attribute(&mut record, name, start)?;
        }
        let (mut attribute, mut is_in_front) = (None, true);
        while let Some(piece) = self.pieces.next() {
            match piece.token.kind {
                Markup::Trivia => continue,
                Markup::Value { .. } | Markup::Governing => {
                    self.words.push(piece);
                    continue;
                }
                _ => {}
            }
            if let Some(name) = attribute.take() {
                self.attribute(&mut record, name, start)?;
            }
            match piece.token.kind {
                Markup::Attribute => attribute = Some(piece.attribute_name()),
                Markup::Text { .. } if is_in_front => self.words.push(piece),
                Markup::Open => {
                    is_in_front = false;
                    self.child(&mut record, piece)?;
                }
                Markup::Close => break,
                _ => {}
            }
        }
        // The text can end within a tag.
        if let Some(name) = attribute {
            self.attribute(&mut record, name, start)?;
        }
        if self.words.len() > start
            && let Some(index) = record.form.own_words()
        {
            self.field(&mut record, index, start)?;
        }
        self.words.truncate(start);
        let (place, seen) = (record.place(&self.path, None), &self.seen[record.first..]);
        self.visitor.leave(&place, record.value(), seen)?;
        self.seen.truncate(record.first);
        Ok(())
    }

    /// An attribute, whose words begin at an index.
    fn attribute(&mut self, record: &mut Record<'_, 'a>, name: &[u8], start: usize) -> Result<()> {
        if let Some(index) = record.form.attribute(name) {
            self.field(record, index, start)?;
        }
        self.words.truncate(start);
        Ok(())
    }

    /// An element in a record, whose opening token has been read; passes its end.
    fn child(&mut self, record: &mut Record<'_, 'a>, open: Piece<'a>) -> Result<()> {
        let element = record.element.opened_by(open);
        let field = record.form.element(element.name()).map(|index| (index, &record.form.fields[index]));
        let Some((index, Field { steps, content: Content::Records(form), .. })) = field else {
            let start = self.words.len();
            self.content();
            if let Some((index, _)) = field {
                self.field(record, index, start)?;
            }
            self.words.truncate(start);
            return Ok(());
        };
        let seen = &mut self.seen[record.first + index];
        let nth = *seen;
        *seen += 1;
        let depth = self.path.len();
        self.path.extend_from_slice(steps);
        self.path.push(Step::Index(nth));
        let mut list = record.value().and_then(|record| list_at(record, steps));
        let place = Place { path: &self.path, element, form, row: None };
        self.visitor.enter(&place, list.as_mut().map(|list| &mut **list as _))?;
        let value = list.and_then(|list| list.item_mut(nth));
        self.record(Record { element, form, first: self.seen.len(), value }, None)?;
        self.path.truncate(depth);
        Ok(())
    }

    /// A field, whose words begin at an index; of one that is there twice, the first.
    fn field(&mut self, record: &mut Record<'_, 'a>, index: usize, start: usize) -> Result<()> {
        let (content, words) = (&record.form.fields[index].content, &self.words[start..]);
        if words.is_empty() && matches!(content, Content::Numbers(_)) {
            return Ok(());
        }
        let seen = &mut self.seen[record.first + index];
        let nth = *seen;
        *seen += 1;
        let row = matches!(content, Content::Rows(_)).then_some(nth);
        if nth > 0 && row.is_none() {
            return Ok(());
        }
        let place = record.place(&self.path, row);
        self.visitor.field(&place, record.value(), index, words)
    }

    /// Adds the words up to the next tag of the element whose opening token has been read; passes its end.
    fn content(&mut self) {
        let (mut depth, mut is_in_front) = (1_usize, true);
        for piece in self.pieces.by_ref() {
            match piece.token.kind {
                Markup::Open => (depth, is_in_front) = (depth + 1, false),
                Markup::Close if depth == 1 => break,
                Markup::Close => depth -= 1,
                Markup::Text { .. } if is_in_front => self.words.push(piece),
                _ => {}
            }
        }
    }
}

/// Adds the words of the attribute whose name was the last token. Returns the token after them and their trivia.
pub(super) fn values<'a>(
    pieces: &mut impl Iterator<Item = Piece<'a>>,
    words: &mut Vec<Piece<'a>>,
) -> Option<Piece<'a>> {
    pieces.find(|piece| match piece.token.kind {
        Markup::Value { .. } | Markup::Governing => {
            words.push(*piece);
            false
        }
        Markup::Trivia => false,
        _ => true,
    })
}
