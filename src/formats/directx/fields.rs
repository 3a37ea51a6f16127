//! Reads the values of an object in the order that its template gives them.

use super::template::{DEEPEST, Member, MemberKind, Size, Template, Templates};
use super::values::{Fault, Values};
use super::work;
use crate::ErrorKind;
use crate::wire::escape;

/// A typed view of the objects of one template.
pub trait View: Sized {
    /// The template's name.
    const TEMPLATE: &'static str;

    /// Reads it. Members are asked for by name in the order of the template, which may be the file's own.
    ///
    /// # Errors
    /// When values are missing or are none of the kind that the member takes.
    #[doc(hidden)]
    fn read(fields: &mut Fields<'_>) -> Result<Self, Fault>;
}

/// Lists of varying length in one list.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Ragged<T> {
    items: Vec<T>,
    ends: Vec<usize>,
}

impl<T> Ragged<T> {
    /// How many lists there are.
    #[must_use]
    pub const fn len(&self) -> usize {
        self.ends.len()
    }

    /// Whether there is none.
    #[must_use]
    pub const fn is_empty(&self) -> bool {
        self.ends.is_empty()
    }

    /// A list, counted from 0.
    #[must_use]
    pub fn get(&self, index: usize) -> Option<&[T]> {
        let end = *self.ends.get(index)?;
        let start = index.checked_sub(1).map_or(0, |before| self.ends[before]);
        Some(&self.items[start..end])
    }

    /// The lists in their order.
    pub fn iter(&self) -> impl Iterator<Item = &[T]> {
        (0..self.len()).filter_map(|index| self.get(index))
    }

    /// The elements of all lists.
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

/// The values of an object, member by member.
#[derive(Debug)]
pub struct Fields<'a> {
    layout: Layout<'a>,
    template: &'a Template,
    /// The member that comes next.
    index: usize,
    counts: Counts,
}

type Result<T, E = Fault> = std::result::Result<T, E>;

impl<'a> Fields<'a> {
    pub(super) fn new(templates: &'a Templates, template: &'a Template, values: Values<'a>) -> Self {
        Self { layout: Layout::new(templates, values), template, index: 0, counts: Counts::default() }
    }

    /// The next member, whose values must be read or [skipped](Self::skip) before the one after it.
    pub(super) fn next(&mut self) -> Result<Option<&'a Member>> {
        self.layout.step()?;
        let member = self.template.members.get(self.index);
        self.index += 1;
        Ok(member)
    }

    pub(super) fn skip(&mut self, member: &Member) -> Result<()> {
        self.layout.skip_member(self.index - 1, member, &mut self.counts, 0)
    }

    /// Passes over the values of all members.
    pub(super) fn pass(&mut self) -> Result<()> {
        while let Some(member) = self.next()? {
            self.skip(member)?;
        }
        Ok(())
    }

    /// The first value that no member takes.
    pub(super) fn excess(&mut self) -> Option<Fault> {
        let why = || ErrorKind::Syntax("values follow that the template does not have".into());
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
        if member.sizes.is_empty() { Ok(()) } else { Err(self.layout.other(member)) }
    }

    pub(super) fn integers(&mut self, member: &Member) -> Result<Vec<u32>> {
        let rows = self.integer_rows::<1>(member)?;
        Ok(rows.into_iter().map(|[number]| number).collect())
    }

    pub(super) fn floats(&mut self, member: &Member) -> Result<Vec<f32>> {
        let rows = self.rows::<1>(member)?;
        Ok(rows.into_iter().map(|[number]| number).collect())
    }

    /// Elements of `N` integers each.
    pub(super) fn integer_rows<const N: usize>(&mut self, member: &Member) -> Result<Vec<[u32; N]>> {
        self.each_row::<N, _>(member, Values::unsigned)
    }

    /// Elements of `N` floats each: points, colours.
    pub(super) fn rows<const N: usize>(&mut self, member: &Member) -> Result<Vec<[f32; N]>> {
        self.each_row::<N, _>(member, Values::float)
    }

    fn each_row<const N: usize, T: Copy + Default>(
        &mut self,
        member: &Member,
        read: impl Fn(&mut Values<'a>) -> Result<T>,
    ) -> Result<Vec<[T; N]>> {
        if self.layout.flat(&member.kind) != Some(N as u64) {
            return Err(self.layout.other(member));
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

    /// `N` floats: a matrix, a colour.
    pub(super) fn block<const N: usize>(&mut self, member: &Member) -> Result<[f32; N]> {
        if !member.sizes.is_empty() || self.layout.flat(&member.kind) != Some(N as u64) {
            return Err(self.layout.other(member));
        }
        let mut block = [0.0; N];
        for item in &mut block {
            *item = self.layout.values.float()?;
        }
        Ok(block)
    }

    /// Rows that begin with their index: vertex colours.
    pub(super) fn indexed<const N: usize>(&mut self, member: &Member) -> Result<Vec<(u32, [f32; N])>> {
        if self.layout.flat(&member.kind) != Some(N as u64 + 1) {
            return Err(self.layout.other(member));
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

    /// Elements that are a count and so many integers: faces.
    pub(super) fn faces(&mut self, member: &Member) -> Result<Ragged<u32>> {
        if !self.layout.is_counted(&member.kind) {
            return Err(self.layout.other(member));
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

    /// Elements that are a time, a count and that many floats: keys.
    pub(super) fn keys(&mut self, member: &Member) -> Result<(Vec<i32>, Ragged<f32>)> {
        if !self.layout.is_timed(&member.kind) {
            return Err(self.layout.other(member));
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

    /// How many of so many elements there can be, if each has so many values.
    fn bounded(&self, count: u64, values: usize) -> usize {
        usize::try_from(count).unwrap_or(usize::MAX).min(self.layout.most / values)
    }
}

/// What the members read so far say of those to come, by their places in the template.
#[derive(Clone, Debug, Default)]
pub(super) struct Counts(Vec<(usize, u32)>);

impl Counts {
    pub fn note(&mut self, index: usize, member: &Member, number: u32) {
        if member.counts {
            self.0.push((index, number));
        }
    }

    /// How many elements a member has; 1 where it is no array.
    pub fn of(&self, member: &Member) -> u64 {
        self.product(&member.sizes)
    }

    /// How many elements some dimensions have together.
    pub fn product(&self, sizes: &[Size]) -> u64 {
        sizes.iter().map(|size| self.size(*size)).fold(1, u64::saturating_mul)
    }

    /// How many elements a dimension has.
    pub fn size(&self, size: Size) -> u64 {
        match size {
            Size::Fixed(count) => count.into(),
            Size::Member(index) => {
                let place = self.0.binary_search_by_key(&index, |(own, _)| *own);
                place.map_or(0, |at| self.0[at].1.into())
            }
        }
    }
}

/// Passes over values as templates lay them out.
#[derive(Clone, Debug)]
pub(super) struct Layout<'a> {
    pub templates: &'a Templates,
    pub values: Values<'a>,
    /// The most values there can be.
    most: usize,
    /// Members that may still be looked at: where each takes a value, there are no more. Of those that take none a
    /// template may have any number, and a file any number of objects.
    steps: usize,
}

impl<'a> Layout<'a> {
    pub fn new(templates: &'a Templates, values: Values<'a>) -> Self {
        let most = values.left();
        // A value stands in no more structs than that, and is a member of each.
        let steps = (most + 1).saturating_mul(2 * DEEPEST);
        Self { templates, values, most, steps }
    }

    /// Takes note that a member is looked at.
    pub fn step(&mut self) -> Result<()> {
        work::done(1);
        let why = || ErrorKind::Unknown("the template has far more members than there are values".into());
        self.steps = self.steps.checked_sub(1).ok_or_else(|| self.values.fault(why()))?;
        Ok(())
    }

    /// The template of a struct, where it can be entered.
    pub fn enter(&mut self, name: &[u8], depth: usize) -> Result<&'a Template> {
        let why = || format!("no template `{}` is known", escape(name));
        let template =
            self.templates.get(name).ok_or_else(|| self.values.fault(ErrorKind::Unknown(why())))?;
        if depth >= DEEPEST {
            let why = format!("template `{}` does not end", escape(name));
            return Err(self.values.fault(ErrorKind::Unknown(why)));
        }
        self.step()?;
        Ok(template)
    }

    /// The member's values are laid out differently than its name promises.
    pub fn other(&mut self, member: &Member) -> Fault {
        let name = escape(&member.name);
        self.values.fault(ErrorKind::Unknown(format!("`{name}` has another layout in this file's template")))
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

    /// Passes over so many values of a kind.
    pub fn skip(&mut self, kind: &MemberKind, count: u64, depth: usize) -> Result<()> {
        if let Some(numbers) = self.flat(kind) {
            return self.values.skip_numbers(numbers.saturating_mul(count));
        }
        for _ in 0..count {
            let before = self.values.place();
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
            if self.values.place() == before {
                break;
            }
        }
        Ok(())
    }

    /// Whether a member has no values, whatever follows.
    pub fn takes_nothing(&self, member: &Member, counts: &Counts) -> bool {
        counts.of(member) == 0 || self.flat(&member.kind) == Some(0)
    }

    /// How many numbers a kind takes, where it is always as many and nothing else.
    pub fn flat(&self, kind: &MemberKind) -> Option<u64> {
        match kind {
            MemberKind::Integer { .. } | MemberKind::Float => Some(1),
            MemberKind::Text => None,
            MemberKind::Struct(name) => self.templates.flat(name),
        }
    }

    /// A struct of a count and so many integers.
    fn is_counted(&self, kind: &MemberKind) -> bool {
        matches!(self.members(kind), Some([count, items]) if is_counted(count, items)
            && matches!(items.kind, MemberKind::Integer { .. }))
    }

    /// A struct of a time, and of a count and so many floats.
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
