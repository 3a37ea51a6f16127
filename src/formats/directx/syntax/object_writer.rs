//! Writes objects: their values in the order and the layout of the standard template.

use super::fields::{Counts, View};
use super::rows::Row;
use super::template::{Member, Size, Template};
use super::writer::{Number, SymbolWriter};
use crate::wire::escape;

/// Writes objects.
pub(in crate::formats::directx) trait ObjectWriter: SymbolWriter + Sized {
    /// Writes an object without children.
    fn object<V: View>(&mut self, view: &V) -> Result<(), String> {
        self.open(b"", view)?;
        self.close();
        Ok(())
    }

    /// Opens an object, whose name may be empty, and writes its values. Children may follow.
    fn open<V: View>(&mut self, name: &[u8], view: &V) -> Result<(), String> {
        let mut members = self.members::<V>(name)?;
        members.lens = view.lens();
        view.write(&mut members)?;
        members.end().map(|_| ())
    }

    /// Opens an object, whose name may be empty, to write its values member by member.
    fn members<V: View>(&mut self, name: &[u8]) -> Result<Members<'_, Self>, String> {
        let template = standard(V::TEMPLATE.as_bytes())?;
        self.template(V::TEMPLATE.as_bytes())?;
        if !name.is_empty() {
            self.name(name)?;
        }
        self.mark(b'{', false);
        Ok(Members { out: self, template, index: 0, counts: Counts::default(), lens: Vec::new() })
    }

    fn close(&mut self) {
        self.mark(b'}', false);
    }
}

impl<S: SymbolWriter> ObjectWriter for S {}

/// Returns an object as text.
///
/// # Errors
/// If lists with the same count differ in length, and for strings that text cannot store.
#[cfg(feature = "strategies")]
pub fn object_text<V: View>(view: &V) -> Result<Vec<u8>, String> {
    let mut out = super::writer::TextWriter::new();
    out.object(view)?;
    Ok(out.finish())
}

pub(in crate::formats::directx) fn standard(name: &[u8]) -> Result<&'static Template, String> {
    Template::standard(name).ok_or_else(|| format!("unknown template `{}`", escape(name)))
}

/// Writes the values of an object, member by member in the order of its template.
#[derive(Debug)]
pub struct Members<'w, S> {
    out: &'w mut S,
    template: &'static Template,
    /// The index of the next member.
    index: usize,
    counts: Counts,
    /// The lengths of lists by name, where others can be between a count and its list.
    lens: Vec<(&'static [u8], usize)>,
}

impl<'w, S: SymbolWriter> Members<'w, S> {
    /// Writes a string.
    pub(in crate::formats::directx) fn text(&mut self, name: &[u8], text: &[u8]) -> Result<(), String> {
        self.next(name, 1)?;
        self.out.text(text)?;
        self.out.end(0);
        Ok(())
    }

    /// Writes `len` elements.
    pub(in crate::formats::directx) fn rows<R: Row>(
        &mut self,
        name: &[u8],
        len: usize,
        rows: impl IntoIterator<Item = R>,
    ) -> Result<(), String> {
        let member = self.next(name, len)?;
        let num_rows = self.out.rows(member, rows.into_iter())?;
        if num_rows != len {
            return Err(format!("`{}` has {num_rows} elements, expected {len}", escape(name)));
        }
        if len > 0 {
            self.out.end(0);
        }
        Ok(())
    }

    /// Completes the values of an object without children.
    pub(in crate::formats::directx) fn close(self) -> Result<(), String> {
        self.end().map(ObjectWriter::close)
    }

    /// Completes the values. Children may follow.
    pub(in crate::formats::directx) fn end(self) -> Result<&'w mut S, String> {
        if let Some(member) = self.template.members.get(self.index) {
            return Err(format!("no value for `{}`", escape(&member.name)));
        }
        self.out.end_values();
        Ok(self.out)
    }

    /// Returns the next member, which has this name and `len` elements, once the counts before it are written.
    fn next(&mut self, name: &[u8], len: usize) -> Result<&'static Member, String> {
        while let Some(member) = self.template.members.get(self.index).filter(|member| member.counts) {
            let count = self.counted_by(self.index, name, len)?;
            self.counts.note(self.index, member, count);
            self.out.number(Number::Integer(count.into()))?;
            self.out.end(0);
            self.index += 1;
        }
        let member = self.template.members.get(self.index).filter(|member| member.is_called(name));
        let member = member.ok_or_else(|| format!("`{}` is not the next member", escape(name)))?;
        if self.counts.of(member) != len as u64 {
            return Err(self.different_lengths(member));
        }
        self.index += 1;
        Ok(member)
    }

    /// Returns the length of the first list that a member counts, given the name and the length of the next one.
    fn counted_by(&self, index: usize, next: &[u8], len: usize) -> Result<u32, String> {
        let list = self.template.members.iter().find(|own| own.sizes.contains(&Size::Member(index)));
        let known = self.lens.iter().copied().chain([(next, len)]);
        let mut lens = known.filter(|(name, _)| list.is_some_and(|list| list.is_called(name)));
        let count = lens.next().and_then(|(_, len)| u32::try_from(len).ok());
        count.ok_or_else(|| format!("no value for `{}`", escape(&self.template.members[index].name)))
    }

    fn different_lengths(&self, member: &Member) -> String {
        let count = member.sizes.iter().find_map(|size| match size {
            Size::Member(index) => self.template.members.get(*index),
            Size::Fixed(_) => None,
        });
        format!("`{}` counts lists of different lengths", escape(&count.unwrap_or(member).name))
    }
}
