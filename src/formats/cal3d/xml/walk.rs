//! One pass over an XML form that visits the fields of the binary form and their words.

use std::iter::Peekable;

use super::form::{Content, Field, Form};
use super::{Document, Element, Markup, Piece};
use crate::Result;
use crate::schema::{FieldPath, Step};

/// Where a walk is.
pub(in crate::formats::cal3d) struct Place<'w, 'a> {
    /// The path to the record, or to the field.
    pub(in crate::formats::cal3d) path: &'w [Step],
    /// The element of the record.
    pub(in crate::formats::cal3d) element: Element<'a>,
    /// The form of the record.
    pub(in crate::formats::cal3d) form: &'static Form,
}

impl Place<'_, '_> {
    /// The path of a word of a field.
    pub(in crate::formats::cal3d) fn word(&self, field: &Field, nth: usize) -> FieldPath {
        let mut path = FieldPath::from(self.path.to_vec());
        if matches!(field.content, Content::Numbers(2..) | Content::Rows(2..)) {
            path.push(Step::Index(nth));
        }
        path
    }
}

/// Sees the fields in the order of the text.
pub(in crate::formats::cal3d) trait Visitor<'a> {
    /// Visits an element that spells a record, before its fields.
    fn enter(&mut self, _place: &Place<'_, 'a>) -> Result<()> {
        Ok(())
    }

    /// Visits a field: its index in the form, and its words.
    fn field(&mut self, place: &Place<'_, 'a>, index: usize, words: &[Piece<'a>]) -> Result<()>;

    /// Visits an element again, after its fields; of each it knows how often it was there.
    fn leave(&mut self, _place: &Place<'_, 'a>, _seen: &[usize]) -> Result<()> {
        Ok(())
    }
}

/// Walks through the main element and the header before it.
///
/// The depth follows from the form and never from the text.
///
/// # Errors
/// Those of the visitor.
pub(in crate::formats::cal3d) fn walk<'a>(
    document: &'a Document,
    form: &'static Form,
    visitor: &mut dyn Visitor<'a>,
) -> Result<()> {
    let Some(root) = document.root() else { return Ok(()) };
    let mut walk = Walk {
        pieces: root.inside().peekable(),
        path: Vec::new(),
        seen: Vec::new(),
        words: Vec::new(),
        visitor,
    };
    walk.record(root, form, document.header())
}

struct Walk<'a, 'v, P: Iterator<Item = Piece<'a>>> {
    pieces: Peekable<P>,
    path: Vec<Step>,
    /// How often each field of the open records has been met.
    seen: Vec<usize>,
    /// An empty list for words, which keeps its memory.
    words: Vec<Piece<'a>>,
    visitor: &'v mut dyn Visitor<'a>,
}

impl<'a, P: Iterator<Item = Piece<'a>>> Walk<'a, '_, P> {
    /// A record, whose opening token has been read. Attributes of a header count as its own.
    fn record(
        &mut self,
        element: Element<'a>,
        form: &'static Form,
        header: Option<Element<'a>>,
    ) -> Result<()> {
        self.visitor.enter(&Place { path: &self.path, element, form })?;
        let record = Record { element, form, first: self.seen.len() };
        self.seen.resize(record.first + form.fields.len(), 0);
        for (name, words) in header.into_iter().flat_map(Element::attributes) {
            self.attribute(record, name, &words)?;
        }
        let (mut own, mut is_in_front) = (std::mem::take(&mut self.words), true);
        while let Some(piece) = self.pieces.next() {
            match piece.token.kind {
                Markup::Attribute => {
                    let mut words = std::mem::take(&mut self.words);
                    words.extend(values(&mut self.pieces));
                    self.attribute(record, piece.attribute_name(), &words)?;
                    self.keep(words);
                }
                Markup::Text if is_in_front => own.push(piece),
                Markup::Open => {
                    is_in_front = false;
                    self.child(record, element.opened_by(piece))?;
                }
                Markup::Close => break,
                _ => {}
            }
        }
        if let Some(index) = form.own_words().filter(|_| !own.is_empty()) {
            self.field(record, index, &own)?;
        }
        self.keep(own);
        self.visitor.leave(&Place { path: &self.path, element, form }, &self.seen[record.first..])?;
        self.seen.truncate(record.first);
        Ok(())
    }

    fn attribute(&mut self, record: Record<'a>, name: &[u8], words: &[Piece<'a>]) -> Result<()> {
        match record.form.attribute(name) {
            Some(index) => self.field(record, index, words),
            None => Ok(()),
        }
    }

    fn child(&mut self, record: Record<'a>, child: Element<'a>) -> Result<()> {
        let field = record.form.element(child.name()).map(|index| (index, &record.form.fields[index]));
        let Some((index, Field { steps, content: Content::Records(form), .. })) = field else {
            let words = self.words();
            if let Some((index, _)) = field {
                self.field(record, index, &words)?;
            }
            self.keep(words);
            return Ok(());
        };
        let depth = self.path.len();
        let seen = &mut self.seen[record.first + index];
        for step in steps {
            self.path.push(step.clone());
        }
        self.path.push(Step::Index(*seen));
        *seen += 1;
        self.record(child, form, None)?;
        self.path.truncate(depth);
        Ok(())
    }

    /// Empties a list of words for the next field.
    fn keep(&mut self, mut words: Vec<Piece<'a>>) {
        words.clear();
        self.words = words;
    }

    /// A field; of one that is there twice, the first.
    fn field(&mut self, record: Record<'a>, index: usize, words: &[Piece<'a>]) -> Result<()> {
        let Field { steps, content, .. } = &record.form.fields[index];
        if words.is_empty() && matches!(content, Content::Numbers(_)) {
            return Ok(());
        }
        let seen = &mut self.seen[record.first + index];
        let nth = *seen;
        *seen += 1;
        let is_row = matches!(content, Content::Rows(_));
        if nth > 0 && !is_row {
            return Ok(());
        }
        let depth = self.path.len();
        for step in steps {
            self.path.push(step.clone());
        }
        if is_row {
            self.path.push(Step::Index(nth));
        }
        let place = Place { path: &self.path, element: record.element, form: record.form };
        self.visitor.field(&place, index, words)?;
        self.path.truncate(depth);
        Ok(())
    }

    /// The words up to the next tag of the element whose opening token has been read; passes its end.
    fn words(&mut self) -> Vec<Piece<'a>> {
        let (mut words, mut depth, mut is_in_front) = (std::mem::take(&mut self.words), 1_usize, true);
        for piece in self.pieces.by_ref() {
            match piece.token.kind {
                Markup::Open => (depth, is_in_front) = (depth + 1, false),
                Markup::Close if depth == 1 => break,
                Markup::Close => depth -= 1,
                Markup::Text if is_in_front => words.push(piece),
                _ => {}
            }
        }
        words
    }
}

/// A record that a walk is in.
#[derive(Clone, Copy)]
struct Record<'a> {
    element: Element<'a>,
    form: &'static Form,
    /// Where the numbers of its fields begin among those of the open records.
    first: usize,
}

/// The words of the attribute whose name was the last token.
pub(in crate::formats::cal3d) fn values<'a>(
    pieces: &mut Peekable<impl Iterator<Item = Piece<'a>>>,
) -> impl Iterator<Item = Piece<'a>> {
    let is_within = |piece: &Piece<'_>| {
        matches!(piece.token.kind, Markup::Value { .. } | Markup::Governing | Markup::Trivia)
    };
    std::iter::from_fn(move || pieces.next_if(is_within)).filter(Piece::is_value)
}
