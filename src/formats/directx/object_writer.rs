//! Writes objects: the fields of a view in the order and the layout of the standard template.

use super::field_types::{FieldType, Item, Items};
use super::fields::{Counts, View};
use super::template::{Member, MemberKind, Size, Template};
use super::writer::{Number, SymbolWriter};
use crate::wire::escape;

/// The fields of a view by the names of their members.
#[derive(Debug)]
pub struct FieldValues<'v>(Vec<(&'static [u8], &'v dyn FieldType)>);

impl<'v> FieldValues<'v> {
    pub(super) const fn new(fields: Vec<(&'static [u8], &'v dyn FieldType)>) -> Self {
        Self(fields)
    }

    /// Returns the field of a member.
    fn of(&self, member: &Member) -> Result<&'v dyn FieldType, String> {
        let found = self.0.iter().find(|(name, _)| member.is_called(name));
        let (_, field) = found.ok_or_else(|| format!("no value for `{}`", escape(&member.name)))?;
        Ok(*field)
    }

    /// Returns the number of elements of the arrays whose size is the member at an index.
    fn counted_by(&self, template: &Template, index: usize) -> Result<usize, String> {
        let arrays = template.members.iter().filter(|member| member.sizes.contains(&Size::Member(index)));
        let lens = arrays.map(|member| Ok(self.of(member)?.len())).collect::<Result<Vec<_>, String>>()?;
        match lens[..] {
            [len, ref others @ ..] if others.iter().all(|own| *own == len) => Ok(len),
            _ => {
                Err(format!("`{}` counts lists of different lengths", escape(&template.members[index].name)))
            }
        }
    }
}

/// Writes objects.
pub(super) trait ObjectWriter: SymbolWriter + Sized {
    /// Writes an object without children.
    fn object<V: View>(&mut self, view: &V) -> Result<(), String> {
        self.open(b"", view)?;
        self.close();
        Ok(())
    }

    /// Opens an object, whose name may be empty, and writes its values. Children may follow.
    fn open<V: View>(&mut self, name: &[u8], view: &V) -> Result<(), String> {
        let template = standard(V::TEMPLATE.as_bytes())?;
        self.template(V::TEMPLATE.as_bytes())?;
        if !name.is_empty() {
            self.name(name)?;
        }
        self.mark(b'{', false);
        let fields = view.values();
        for (index, member) in template.members.iter().enumerate() {
            if member.counts {
                Item::count(fields.counted_by(template, index)?).write(self)?;
                self.end(0);
            } else {
                let field = fields.of(member)?;
                let mut values = Values { out: self, items: field.items() };
                values.elements(member, field.len() as u64, 0)?;
            }
        }
        self.end_values();
        Ok(())
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

fn standard(name: &[u8]) -> Result<&'static Template, String> {
    Template::standard(name).ok_or_else(|| format!("unknown template `{}`", escape(name)))
}

/// Writes the values of a field.
struct Values<'s, 'v, S> {
    out: &'s mut S,
    items: Items<'v>,
}

impl<'v, S: SymbolWriter> Values<'_, 'v, S> {
    fn elements(&mut self, member: &Member, count: u64, depth: usize) -> Result<(), String> {
        let inner = match &member.kind {
            MemberKind::Struct(name) => Some(standard(name)?),
            _ => None,
        };
        let mut counts = Counts::default();
        for index in 0..count {
            if index > 0 {
                self.out.between();
            }
            match inner {
                Some(template) => {
                    counts.clear();
                    self.members(template, depth + 1, &mut counts)?;
                }
                None => _ = self.value()?,
            }
        }
        if count > 0 {
            self.out.end(depth);
        }
        Ok(())
    }

    /// Writes the members of a struct. `counts` is empty.
    fn members(&mut self, template: &Template, depth: usize, counts: &mut Counts) -> Result<(), String> {
        for (index, member) in template.members.iter().enumerate() {
            if member.counts {
                counts.note(index, member, self.value()?.as_count());
                self.out.end(depth);
            } else {
                self.elements(member, counts.of(member), depth)?;
            }
        }
        Ok(())
    }

    /// Writes the next value and returns it.
    fn value(&mut self) -> Result<Item<'v>, String> {
        let item = self.items.next().ok_or("a value is missing")?;
        item.write(self.out)?;
        Ok(item)
    }
}

impl Item<'_> {
    fn write(self, out: &mut impl SymbolWriter) -> Result<(), String> {
        match self {
            Self::Text(text) => out.text(text),
            Self::Float(number) => out.number(Number::Single(number)),
            Self::Integer(number) => out.number(Number::Integer(number)),
        }
    }
}
