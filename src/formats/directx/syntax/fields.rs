//! Reads the values of an object in the layout of its template.

use super::field_types::FieldNumber;
use super::object_writer::Members;
use super::template::{DEEPEST, Member, MemberKind, Size, Template, Templates};
use super::values::{ValueError, Values};
use super::writer::SymbolWriter;
use crate::ErrorKind;
use crate::wire::escape;
use crate::work;

/// A typed view of the objects of one template. Only this crate implements it.
pub trait View: crate::sealed::Sealed + Sized {
    /// The name of the template.
    const TEMPLATE: &'static str;

    /// Reads the members by name, in the order of the template, which may be the file's own.
    ///
    /// # Errors
    /// If values are missing or of another type than the member.
    #[doc(hidden)]
    fn read(fields: &mut Fields<'_>) -> Result<Self, ValueError>;

    /// Returns the numbers of elements of the fields, by the names of their members.
    #[doc(hidden)]
    fn lens(&self) -> Vec<(&'static [u8], usize)>;

    /// Writes the fields, in the order of the standard template.
    ///
    /// # Errors
    /// If lists with the same count differ in length, and for strings that the output cannot store.
    #[doc(hidden)]
    fn write<S: SymbolWriter>(&self, members: &mut Members<'_, S>) -> Result<(), String>;
}

/// Lists of varying length, stored contiguously.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Ragged<T> {
    items: Vec<T>,
    ends: Vec<usize>,
}

impl<T> Ragged<T> {
    /// Returns the number of lists.
    #[must_use]
    pub const fn len(&self) -> usize {
        self.ends.len()
    }

    /// Returns whether there are no lists.
    #[must_use]
    pub const fn is_empty(&self) -> bool {
        self.ends.is_empty()
    }

    /// Returns the list at an index.
    #[must_use]
    pub fn get(&self, index: usize) -> Option<&[T]> {
        let end = *self.ends.get(index)?;
        let start = index.checked_sub(1).map_or(0, |previous| self.ends[previous]);
        Some(&self.items[start..end])
    }

    /// Iterates over the lists.
    pub fn iter(&self) -> impl Iterator<Item = &[T]> {
        (0..self.len()).filter_map(|index| self.get(index))
    }

    /// Returns the elements of all lists.
    #[must_use]
    pub fn items(&self) -> &[T] {
        &self.items
    }

    pub(in crate::formats::directx) fn with_capacity(lists: usize) -> Self {
        Self { items: Vec::new(), ends: Vec::with_capacity(lists) }
    }

    /// Adds an element to the list that is not yet complete.
    pub(in crate::formats::directx) fn push(&mut self, item: T) {
        self.items.push(item);
    }

    /// Adds elements to the list that is not yet complete.
    pub(in crate::formats::directx) fn extend(&mut self, items: &[T])
    where
        T: Copy,
    {
        self.items.extend_from_slice(items);
    }

    /// Completes a list.
    pub(in crate::formats::directx) fn end(&mut self) {
        self.ends.push(self.items.len());
    }
}

impl<T, L: IntoIterator<Item = T>> FromIterator<L> for Ragged<T> {
    fn from_iter<I: IntoIterator<Item = L>>(lists: I) -> Self {
        let mut ragged = Self { items: Vec::new(), ends: Vec::new() };
        for list in lists {
            ragged.items.extend(list);
            ragged.end();
        }
        ragged
    }
}

/// Reads the values of an object member by member.
#[derive(Debug)]
pub struct Fields<'a> {
    layout: Layout<'a>,
    template: &'a Template,
    /// The index of the next member.
    index: usize,
    counts: Counts,
}

type Result<T, E = ValueError> = std::result::Result<T, E>;

impl<'a> Fields<'a> {
    pub(in crate::formats::directx) fn new(
        templates: &'a Templates,
        template: &'a Template,
        values: Values<'a>,
    ) -> Self {
        Self { layout: Layout::new(templates, values), template, index: 0, counts: Counts::default() }
    }

    /// Returns the next member. Its values must be read or [skipped](Self::skip) before the next call.
    pub(in crate::formats::directx) fn next(&mut self) -> Result<Option<&'a Member>> {
        self.layout.step()?;
        let member = self.template.members.get(self.index);
        self.index += 1;
        Ok(member)
    }

    pub(in crate::formats::directx) fn skip(&mut self, member: &Member) -> Result<()> {
        self.layout.skip_member(self.index - 1, member, &mut self.counts, 0)
    }

    /// Skips the values of all members.
    pub(in crate::formats::directx) fn skip_all(&mut self) -> Result<()> {
        while let Some(member) = self.next()? {
            self.skip(member)?;
        }
        Ok(())
    }

    /// Returns an error if a value follows the last member.
    pub(in crate::formats::directx) fn surplus(&mut self) -> Option<ValueError> {
        let why = || ErrorKind::Syntax("unexpected value after the last member of the template".into());
        (!self.layout.values.is_at_end()).then(|| self.layout.values.fault(why()))
    }

    /// Checks the separators while values are read.
    pub(in crate::formats::directx) fn check_separators(&mut self) {
        self.layout.values.check_separators();
    }

    /// Returns whether all values were read and all separators are known to be valid.
    pub(in crate::formats::directx) fn has_valid_separators(&mut self) -> bool {
        self.layout.values.has_valid_separators()
    }

    /// Returns the values at a member that is not an array.
    pub(in crate::formats::directx) fn single(&mut self, member: &Member) -> Result<&mut Values<'a>> {
        if member.sizes.is_empty() {
            Ok(&mut self.layout.values)
        } else {
            Err(self.layout.layout_error(member))
        }
    }

    /// Records the value of a member, which may be the size of another one.
    pub(in crate::formats::directx) fn note(&mut self, member: &Member, value: u32) {
        self.counts.note(self.index - 1, member, value);
    }

    /// Returns an error if the elements of a member have another layout.
    pub(in crate::formats::directx) fn require(
        &mut self,
        member: &Member,
        has_layout: impl FnOnce(&Layout<'a>, &MemberKind) -> bool,
    ) -> Result<()> {
        if has_layout(&self.layout, &member.kind) { Ok(()) } else { Err(self.layout.layout_error(member)) }
    }

    /// Reads each element of a member.
    pub(in crate::formats::directx) fn each(
        &mut self,
        member: &Member,
        mut read: impl FnMut(&mut Values<'a>) -> Result<()>,
    ) -> Result<()> {
        (0..self.counts.of(member)).try_for_each(|_| read(&mut self.layout.values))
    }

    /// Reads the elements of a member, each of `size` numbers, if they are next in one list of tokens.
    pub(in crate::formats::directx) fn next_in_list<T: FieldNumber>(
        &mut self,
        member: &Member,
        size: usize,
    ) -> Option<&'a [T]> {
        let len = usize::try_from(self.counts.of(member)).ok()?.checked_mul(size)?;
        T::next_in_list(&mut self.layout.values, len)
    }

    /// Reads the elements of a member, each of at least `least` values.
    pub(in crate::formats::directx) fn elements<T>(
        &mut self,
        member: &Member,
        least: usize,
        read: impl Fn(&mut Values<'a>) -> Result<T>,
    ) -> Result<Vec<T>> {
        let mut elements = Vec::with_capacity(self.bounded(member, least));
        self.each(member, |values| {
            elements.push(read(values)?);
            Ok(())
        })?;
        Ok(elements)
    }

    /// Returns the number of elements of a member, limited to what the remaining values allow.
    pub(in crate::formats::directx) fn bounded(&self, member: &Member, least: usize) -> usize {
        let count = usize::try_from(self.counts.of(member)).unwrap_or(usize::MAX);
        count.min(self.layout.max_values / least)
    }
}

/// The counts read so far, by index of their member.
#[derive(Clone, Debug, Default)]
pub(in crate::formats::directx) struct Counts(Vec<(usize, u32)>);

impl Counts {
    pub fn note(&mut self, index: usize, member: &Member, number: u32) {
        if member.counts {
            self.0.push((index, number));
        }
    }

    /// Forgets all counts but keeps their memory.
    pub fn clear(&mut self) {
        self.0.clear();
    }

    /// Returns the number of elements of a member; 1 unless it is an array.
    pub fn of(&self, member: &Member) -> u64 {
        self.product(&member.sizes)
    }

    /// Returns the product of dimensions.
    pub fn product(&self, sizes: &[Size]) -> u64 {
        sizes.iter().map(|size| self.size(*size)).fold(1, u64::saturating_mul)
    }

    /// Returns the size of a dimension.
    pub fn size(&self, size: Size) -> u64 {
        match size {
            Size::Fixed(count) => count.into(),
            Size::Member(index) => {
                let found = self.0.binary_search_by_key(&index, |(own, _)| *own);
                found.map_or(0, |at| self.0[at].1.into())
            }
        }
    }
}

/// Skips values in the layout of templates.
#[derive(Clone, Debug)]
pub(in crate::formats::directx) struct Layout<'a> {
    pub templates: &'a Templates,
    pub values: Values<'a>,
    /// An upper bound of the number of values.
    max_values: usize,
    /// The remaining number of members to visit. Bounds the work on members without values, of which a template can have
    /// any number.
    steps: usize,
}

impl<'a> Layout<'a> {
    pub fn new(templates: &'a Templates, values: Values<'a>) -> Self {
        let max_values = values.max_left();
        // Each value is a member of at most `DEEPEST` nested structs.
        let steps = (max_values + 1).saturating_mul(2 * DEEPEST);
        Self { templates, values, max_values, steps }
    }

    /// Counts the visit of a member.
    pub fn step(&mut self) -> Result<()> {
        work::done(1);
        let why = || ErrorKind::Unknown("the template has too many members without values".into());
        self.steps = self.steps.checked_sub(1).ok_or_else(|| self.values.fault(why()))?;
        Ok(())
    }

    /// Returns the template of a nested struct.
    pub fn enter(&mut self, name: &[u8], depth: usize) -> Result<&'a Template> {
        let why = || format!("unknown template `{}`", escape(name));
        let template =
            self.templates.get(name).ok_or_else(|| self.values.fault(ErrorKind::Unknown(why())))?;
        if depth >= DEEPEST {
            let why = format!("template `{}` is nested more than {DEEPEST} levels deep", escape(name));
            return Err(self.values.fault(ErrorKind::Unknown(why)));
        }
        self.step()?;
        Ok(template)
    }

    /// As [`enter`](Self::enter), for the next element of a list: its template is looked up once.
    pub fn enter_again(
        &mut self,
        known: &mut Option<&'a Template>,
        name: &[u8],
        depth: usize,
    ) -> Result<&'a Template> {
        if let Some(template) = *known {
            self.step()?;
            return Ok(template);
        }
        Ok(known.insert(self.enter(name, depth)?))
    }

    /// Returns the error for a member whose layout differs from the standard.
    pub fn layout_error(&mut self, member: &Member) -> ValueError {
        let name = escape(&member.name);
        self.values
            .fault(ErrorKind::Unknown(format!("the file's template defines `{name}` with another layout")))
    }

    pub fn skip_member(
        &mut self,
        index: usize,
        member: &Member,
        counts: &mut Counts,
        depth: usize,
    ) -> Result<()> {
        if member.counts {
            let number = self.values.unsigned()?;
            counts.note(index, member, number);
            return Ok(());
        }
        self.skip(&member.kind, counts.of(member), depth)
    }

    /// Skips `count` values of a kind.
    pub fn skip(&mut self, kind: &MemberKind, count: u64, depth: usize) -> Result<()> {
        if let Some(numbers) = self.flat(kind) {
            return self.values.skip_numbers(numbers.saturating_mul(count));
        }
        // Both are made once for all elements: a mesh has many faces.
        let (mut inner, mut counts) = (None, Counts::default());
        let mut start = self.values.place();
        for _ in 0..count {
            match kind {
                MemberKind::Text => drop(self.values.text()?),
                MemberKind::Struct(name) => {
                    let template = self.enter_again(&mut inner, name, depth)?;
                    counts.clear();
                    for (index, member) in template.members.iter().enumerate() {
                        self.step()?;
                        self.skip_member(index, member, &mut counts, depth + 1)?;
                    }
                }
                MemberKind::Integer { .. } | MemberKind::Float { .. } => {}
            }
            let end = self.values.place();
            if end == start {
                break;
            }
            start = end;
        }
        Ok(())
    }

    /// Returns whether a member has no values.
    pub fn has_no_values(&self, member: &Member, counts: &Counts) -> bool {
        counts.of(member) == 0 || self.flat(&member.kind) == Some(0)
    }

    /// Returns the number of values of a kind if it consists of a constant number of numbers.
    pub fn flat(&self, kind: &MemberKind) -> Option<u64> {
        self.templates.flat_kind(kind)
    }

    /// Returns whether a kind is a struct of a count and that many integers.
    pub fn is_counted(&self, kind: &MemberKind) -> bool {
        matches!(self.members(kind), Some([count, items]) if is_counted(count, items)
            && matches!(items.kind, MemberKind::Integer { .. }))
    }

    /// Returns whether a kind is a struct of a time, a count and that many floats.
    pub fn is_timed(&self, kind: &MemberKind) -> bool {
        let Some([time, keys]) = self.members(kind) else { return false };
        let floats = matches!(self.members(&keys.kind), Some([count, items]) if is_counted(count, items)
            && matches!(items.kind, MemberKind::Float { .. }));
        floats
            && keys.sizes.is_empty()
            && time.sizes.is_empty()
            && matches!(time.kind, MemberKind::Integer { .. })
    }

    fn members(&self, kind: &MemberKind) -> Option<&'a [Member]> {
        match kind {
            MemberKind::Struct(name) => self.templates.get(name).map(|template| template.members.as_slice()),
            _ => None,
        }
    }
}

fn is_counted(count: &Member, items: &Member) -> bool {
    count.sizes.is_empty()
        && matches!(count.kind, MemberKind::Integer { .. })
        && items.sizes == [Size::Member(0)]
}
