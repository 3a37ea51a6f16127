//! Rules of the text of an XML form, which the structs of the binary form do not show.

use super::super::rules::{XML_CASE, XML_COUNT, XML_HEADER, XML_WRAPPER};
use super::super::xml::{Piece, Place, Reader, Visitor, walk};
use super::super::{Binary, Document, Material};
use crate::Result;
use crate::check::{Findings, NOT_FINITE};
use crate::schema::{Items, Role, Step, Value};
use crate::text::special_float;

/// Checks what the library expects around the content, announced counts, and numbers that are not finite. Returns the
/// content, which is read at the same time.
///
/// # Errors
/// As [`Cal3d::view`](super::Cal3d::view).
pub(super) fn check<B: Binary>(document: &Document, findings: &mut Findings) -> Result<B> {
    if let Some(wrapper) = document.wrapper() {
        findings.add(&XML_WRAPPER, || wrapper.path(), || "encloses the main element".into());
    } else if let Some(header) = document.header() {
        findings.add(&XML_HEADER, || header.path(), || "precedes the main element".into());
    }
    if let Some(root) = document.root().filter(|root| root.name() != B::XML_ROOT.as_bytes()) {
        let message = || format!("is {}, expected {}", root.name().escape_ascii(), B::XML_ROOT);
        findings.add(&XML_CASE, || root.path(), message);
    }
    let mut content = B::default();
    let words = Words { findings, counts: Vec::new(), open: Vec::new() };
    let mut both = Both { words, reader: Reader::default(), read: Ok(()) };
    walk(document, B::form(), Some(&mut content), &mut both)?;
    both.read.map(|()| content)
}

/// Checks the words, and reads them until one is wrong.
struct Both<'f, 'a> {
    words: Words<'f, 'a>,
    reader: Reader<'a>,
    read: Result<()>,
}

impl<'a> Both<'_, 'a> {
    fn read(&mut self, read: impl FnOnce(&mut Reader<'a>) -> Result<()>) {
        if self.read.is_ok() {
            self.read = read(&mut self.reader);
        }
    }
}

impl<'a> Visitor<'a> for Both<'_, 'a> {
    fn enter(&mut self, place: &Place<'_, 'a>, list: Option<&mut dyn Items>) -> Result<()> {
        self.read(|reader| reader.enter(place, list));
        self.words.enter(place, None)
    }

    fn field(
        &mut self,
        place: &Place<'_, 'a>,
        record: Option<&mut dyn Value>,
        index: usize,
        words: &[Piece<'a>],
    ) -> Result<()> {
        self.read(|reader| reader.field(place, record, index, words));
        self.words.field(place, None, index, words)
    }

    fn leave(&mut self, place: &Place<'_, 'a>, record: Option<&mut dyn Value>, seen: &[usize]) -> Result<()> {
        self.read(|reader| reader.leave(place, record, seen));
        self.words.leave(place, None, seen)
    }
}

struct Words<'f, 'a> {
    findings: &'f mut Findings,
    /// The counts of the open elements: the index of the field, and the word.
    counts: Vec<(usize, Piece<'a>)>,
    /// Where those of each open element begin.
    open: Vec<usize>,
}

impl<'a> Visitor<'a> for Words<'_, 'a> {
    fn enter(&mut self, _: &Place<'_, 'a>, _: Option<&mut dyn Items>) -> Result<()> {
        self.open.push(self.counts.len());
        Ok(())
    }

    fn field(
        &mut self,
        place: &Place<'_, 'a>,
        _: Option<&mut dyn Value>,
        index: usize,
        words: &[Piece<'a>],
    ) -> Result<()> {
        let field = &place.form.fields[index];
        if matches!(field.role, Role::Counts(_)) {
            self.counts.extend(words.first().map(|word| (index, *word)));
            return Ok(());
        }
        for (nth, word) in words.iter().enumerate().filter(|_| field.is_of_numbers()) {
            let bytes = word.token.bytes;
            if special_float(bytes).is_some() {
                let range = word.token.range();
                let message = || format!("is {}", bytes.escape_ascii());
                let range = range.start as u64..range.end as u64;
                self.findings.add_at(&NOT_FINITE, range, || place.word(field, nth), message);
            }
        }
        Ok(())
    }

    fn leave(&mut self, place: &Place<'_, 'a>, _: Option<&mut dyn Value>, seen: &[usize]) -> Result<()> {
        let announced = self.counts.drain(self.open.pop().unwrap_or_default()..);
        // The library reads every texture of a material, whatever their count.
        if std::ptr::eq(place.form, Material::form()) {
            return Ok(());
        }
        for (index, word) in announced {
            let Role::Counts(list) = place.form.fields[index].role else { continue };
            let counted =
                place.form.fields.iter().zip(seen).find(|(field, _)| field.steps == [Step::from(list)]);
            let number =
                std::str::from_utf8(word.token.bytes).ok().and_then(|word| word.parse::<usize>().ok());
            let (Some((counted, has)), Some(number)) = (counted, number) else { continue };
            if number != *has {
                let (owner, count) = (place.element.name().escape_ascii(), place.form.fields[index].label());
                let message = || format!("{owner} has {has} {}, but {count} is {number}", counted.label());
                self.findings.add(&XML_COUNT, || word.path(), message);
            }
        }
        Ok(())
    }
}
