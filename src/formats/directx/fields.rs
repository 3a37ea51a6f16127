//! Reads the values of an object in the layout of its template.

use super::template::{DEEPEST, Member, MemberKind, Size, Template, Templates};
use super::values::{ValueError, Values};
use super::work;
use crate::ErrorKind;
use crate::wire::escape;

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

    fn with_capacity(lists: usize) -> Self {
        Self { items: Vec::new(), ends: Vec::with_capacity(lists) }
    }

    fn end(&mut self) {
        self.ends.push(self.items.len());
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
    pub(super) fn new(templates: &'a Templates, template: &'a Template, values: Values<'a>) -> Self {
        Self { layout: Layout::new(templates, values), template, index: 0, counts: Counts::default() }
    }

    /// Returns the next member. Its values must be read or [skipped](Self::skip) before the next call.
    pub(super) fn next(&mut self) -> Result<Option<&'a Member>> {
        self.layout.step()?;
        let member = self.template.members.get(self.index);
        self.index += 1;
        Ok(member)
    }

    pub(super) fn skip(&mut self, member: &Member) -> Result<()> {
        self.layout.skip_member(self.index - 1, member, &mut self.counts, 0)
    }

    /// Skips the values of all members.
    pub(super) fn skip_all(&mut self) -> Result<()> {
        while let Some(member) = self.next()? {
            self.skip(member)?;
        }
        Ok(())
    }

    /// Returns an error if a value follows the last member.
    pub(super) fn surplus(&mut self) -> Option<ValueError> {
        let why = || ErrorKind::Syntax("unexpected value after the last member of the template".into());
        (!self.layout.values.is_at_end()).then(|| self.layout.values.fault(why()))
    }

    pub(super) fn integer(&mut self, member: &Member) -> Result<u32> {
        self.single(member)?;
        let number = self.layout.values.unsigned()?;
        self.counts.note(self.index - 1, member, number);
        Ok(number)
    }

    pub(super) fn float(&mut self, member: &Member) -> Result<f32> {
        self.single(member)?;
        self.layout.values.float()
    }

    pub(super) fn text(&mut self, member: &Member) -> Result<Vec<u8>> {
        self.single(member)?;
        self.layout.values.text().map(<[u8]>::to_vec)
    }

    fn single(&mut self, member: &Member) -> Result<()> {
        if member.sizes.is_empty() { Ok(()) } else { Err(self.layout.layout_error(member)) }
    }

    pub(super) fn integers(&mut self, member: &Member) -> Result<Vec<u32>> {
        let rows = self.integer_rows::<1>(member)?;
        Ok(rows.into_iter().map(|[number]| number).collect())
    }

    pub(super) fn floats(&mut self, member: &Member) -> Result<Vec<f32>> {
        let rows = self.rows::<1>(member)?;
        Ok(rows.into_iter().map(|[number]| number).collect())
    }

    /// Reads elements of `N` integers each.
    pub(super) fn integer_rows<const N: usize>(&mut self, member: &Member) -> Result<Vec<[u32; N]>> {
        self.each_row::<N, _>(member, Values::unsigned)
    }

    /// Reads elements of `N` floats each, such as points and colours.
    pub(super) fn rows<const N: usize>(&mut self, member: &Member) -> Result<Vec<[f32; N]>> {
        self.each_row::<N, _>(member, Values::float)
    }

    fn each_row<const N: usize, T: Copy + Default>(
        &mut self,
        member: &Member,
        read: impl Fn(&mut Values<'a>) -> Result<T>,
    ) -> Result<Vec<[T; N]>> {
        if self.layout.flat(&member.kind) != Some(N as u64) {
            return Err(self.layout.layout_error(member));
        }
        let count = self.counts.of(member);
        let mut rows = Vec::with_capacity(self.bounded(count, N));
        let values = &mut self.layout.values;
        for _ in 0..count {
            let mut row = [T::default(); N];
            for item in &mut row {
                *item = read(values)?;
            }
            rows.push(row);
        }
        Ok(rows)
    }

    /// Reads `N` floats, such as a matrix or a colour.
    pub(super) fn block<const N: usize>(&mut self, member: &Member) -> Result<[f32; N]> {
        if !member.sizes.is_empty() || self.layout.flat(&member.kind) != Some(N as u64) {
            return Err(self.layout.layout_error(member));
        }
        let mut block = [0.0; N];
        for item in &mut block {
            *item = self.layout.values.float()?;
        }
        Ok(block)
    }

    /// Reads elements of an index and `N` floats, such as vertex colours.
    pub(super) fn indexed<const N: usize>(&mut self, member: &Member) -> Result<Vec<(u32, [f32; N])>> {
        if self.layout.flat(&member.kind) != Some(N as u64 + 1) {
            return Err(self.layout.layout_error(member));
        }
        let count = self.counts.of(member);
        let mut rows = Vec::with_capacity(self.bounded(count, N + 1));
        let values = &mut self.layout.values;
        for _ in 0..count {
            let index = values.unsigned()?;
            let mut row = [0.0; N];
            for item in &mut row {
                *item = values.float()?;
            }
            rows.push((index, row));
        }
        Ok(rows)
    }

    /// Reads elements of a count and that many integers, such as faces.
    pub(super) fn faces(&mut self, member: &Member) -> Result<Ragged<u32>> {
        if !self.layout.is_counted(&member.kind) {
            return Err(self.layout.layout_error(member));
        }
        let count = self.counts.of(member);
        let mut faces = Ragged::with_capacity(self.bounded(count, 1));
        let values = &mut self.layout.values;
        for _ in 0..count {
            for _ in 0..values.unsigned()? {
                faces.items.push(values.unsigned()?);
            }
            faces.end();
        }
        Ok(faces)
    }

    /// Reads elements of a time, a count and that many floats: animation keys.
    pub(super) fn keys(&mut self, member: &Member) -> Result<(Vec<i32>, Ragged<f32>)> {
        if !self.layout.is_timed(&member.kind) {
            return Err(self.layout.layout_error(member));
        }
        let count = self.counts.of(member);
        let mut times = Vec::with_capacity(self.bounded(count, 2));
        let mut keys = Ragged::default();
        let values = &mut self.layout.values;
        for _ in 0..count {
            times.push(values.signed()?);
            for _ in 0..values.unsigned()? {
                keys.items.push(values.float()?);
            }
            keys.end();
        }
        Ok((times, keys))
    }

    /// Limits a stored count to the number of elements that the remaining values allow.
    fn bounded(&self, count: u64, values: usize) -> usize {
        usize::try_from(count).unwrap_or(usize::MAX).min(self.layout.max_values / values)
    }
}

/// The counts read so far, by index of their member.
#[derive(Clone, Debug, Default)]
pub(super) struct Counts(Vec<(usize, u32)>);

impl Counts {
    pub fn note(&mut self, index: usize, member: &Member, number: u32) {
        if member.counts {
            self.0.push((index, number));
        }
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
pub(super) struct Layout<'a> {
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
        for _ in 0..count {
            let start = self.values.place();
            match kind {
                MemberKind::Text => drop(self.values.text()?),
                MemberKind::Struct(name) => {
                    let template = self.enter(name, depth)?;
                    let mut counts = Counts::default();
                    for (index, member) in template.members.iter().enumerate() {
                        self.step()?;
                        self.skip_member(index, member, &mut counts, depth + 1)?;
                    }
                }
                MemberKind::Integer { .. } | MemberKind::Float => {}
            }
            if self.values.place() == start {
                break;
            }
        }
        Ok(())
    }

    /// Returns whether a member has no values.
    pub fn has_no_values(&self, member: &Member, counts: &Counts) -> bool {
        counts.of(member) == 0 || self.flat(&member.kind) == Some(0)
    }

    /// Returns the number of values of a kind if it consists of a constant number of numbers.
    pub fn flat(&self, kind: &MemberKind) -> Option<u64> {
        match kind {
            MemberKind::Integer { .. } | MemberKind::Float => Some(1),
            MemberKind::Text => None,
            MemberKind::Struct(name) => self.templates.flat(name),
        }
    }

    /// Returns whether a kind is a struct of a count and that many integers.
    fn is_counted(&self, kind: &MemberKind) -> bool {
        matches!(self.members(kind), Some([count, items]) if is_counted(count, items)
            && matches!(items.kind, MemberKind::Integer { .. }))
    }

    /// Returns whether a kind is a struct of a time, a count and that many floats.
    fn is_timed(&self, kind: &MemberKind) -> bool {
        let Some([time, keys]) = self.members(kind) else { return false };
        let floats = matches!(self.members(&keys.kind), Some([count, items]) if is_counted(count, items)
            && items.kind == MemberKind::Float);
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
