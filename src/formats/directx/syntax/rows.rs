//! The elements of lists as rows of numbers, and the separators between these numbers.

use super::fields::Counts;
use super::object_writer::standard;
use super::template::{Member, MemberKind, Template};
use crate::wire::escape;

/// Takes the numbers of a row.
pub trait Numbers {
    /// Takes integers of 32 bits.
    fn integers(&mut self, numbers: impl Iterator<Item = i64>);
    fn floats(&mut self, floats: &[f32]);
}

/// The numbers of an element. In elements of varying length a count precedes the numbers that it counts.
pub trait Row {
    /// Returns the number of numbers.
    fn len(&self) -> usize;
    fn write(&self, out: &mut impl Numbers);
}

/// A type of numbers.
pub trait Numeric: Copy + 'static {
    fn write_all(numbers: &[Self], out: &mut impl Numbers);
}

impl Numeric for u32 {
    #[inline]
    fn write_all(numbers: &[Self], out: &mut impl Numbers) {
        out.integers(numbers.iter().map(|number| (*number).into()));
    }
}

impl Numeric for f32 {
    #[inline]
    fn write_all(numbers: &[Self], out: &mut impl Numbers) {
        out.floats(numbers);
    }
}

/// A number.
impl<T: Numeric> Row for T {
    #[inline]
    fn len(&self) -> usize {
        1
    }

    #[inline]
    fn write(&self, out: &mut impl Numbers) {
        T::write_all(std::slice::from_ref(self), out);
    }
}

/// A struct of `N` numbers, such as a point.
impl<T: Numeric, const N: usize> Row for [T; N] {
    #[inline]
    fn len(&self) -> usize {
        N
    }

    #[inline]
    fn write(&self, out: &mut impl Numbers) {
        T::write_all(self, out);
    }
}

/// A struct of an index and `N` floats, such as a vertex colour.
impl<const N: usize> Row for (u32, [f32; N]) {
    #[inline]
    fn len(&self) -> usize {
        1 + N
    }

    #[inline]
    fn write(&self, out: &mut impl Numbers) {
        self.0.write(out);
        self.1.write(out);
    }
}

/// A struct of a count and a list of integers, such as a face.
#[derive(Clone, Copy)]
pub struct Listed<L>(pub L);

impl<L: AsRef<[u32]>> Row for Listed<L> {
    #[inline]
    fn len(&self) -> usize {
        1 + self.0.as_ref().len()
    }

    #[inline]
    fn write(&self, out: &mut impl Numbers) {
        let list = self.0.as_ref();
        out.integers([count(list.len())].into_iter());
        u32::write_all(list, out);
    }
}

fn count(len: usize) -> i64 {
    u32::try_from(len).unwrap_or(u32::MAX).into()
}

/// A struct of a time, a count and a list of floats: a key.
#[derive(Clone, Copy)]
pub struct Timed<L>(pub i32, pub L);

impl<L: AsRef<[f32]>> Row for Timed<L> {
    #[inline]
    fn len(&self) -> usize {
        2 + self.1.as_ref().len()
    }

    #[inline]
    fn write(&self, out: &mut impl Numbers) {
        let list = self.1.as_ref();
        out.integers([self.0.into(), count(list.len())].into_iter());
        out.floats(list);
    }
}

/// A separator between numbers.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(in crate::formats::directx) enum Separator {
    /// Between two elements of an array.
    Between,
    /// After a member of a struct in this number of structs.
    End(usize),
}

/// The text between the numbers of rows of the same length.
#[derive(Debug, Default)]
pub(in crate::formats::directx) struct RowLayout {
    /// The text after each number; after the last one, that before the next row.
    pub gaps: Vec<Vec<u8>>,
    /// The text after the last number of the last row, before the separator after the list.
    pub end: Vec<u8>,
}

impl RowLayout {
    /// Returns the layout of a row in the list of a member.
    pub fn of(
        member: &Member,
        row: &impl Row,
        text_of: impl Fn(&[Separator]) -> Vec<u8>,
    ) -> Result<Self, String> {
        let mut numbers = Counted::default();
        row.write(&mut numbers);
        let mut walk = Walk { numbers: numbers.0.iter(), separators: Vec::new() };
        walk.element(&member.kind, 0)?;
        if walk.numbers.len() > 0 {
            return Err(format!("the elements of `{}` have fewer numbers", escape(&member.name)));
        }
        let mut separators = walk.separators;
        let mut end = Vec::new();
        if let Some(last) = separators.last_mut() {
            end = text_of(last);
            last.push(Separator::Between);
        }
        Ok(Self { gaps: separators.iter().map(|own| text_of(own)).collect(), end })
    }

    /// Returns the number of numbers of a row.
    pub const fn len(&self) -> usize {
        self.gaps.len()
    }
}

/// The numbers of a row as counts; 0 for those that are none.
#[derive(Default)]
struct Counted(Vec<u32>);

impl Numbers for Counted {
    fn integers(&mut self, numbers: impl Iterator<Item = i64>) {
        self.0.extend(numbers.map(|number| u32::try_from(number).unwrap_or(0)));
    }

    fn floats(&mut self, floats: &[f32]) {
        self.0.extend(floats.iter().map(|_| 0));
    }
}

/// Walks over the numbers of an element.
struct Walk<'r> {
    numbers: std::slice::Iter<'r, u32>,
    /// The separators after each number.
    separators: Vec<Vec<Separator>>,
}

impl Walk<'_> {
    fn element(&mut self, kind: &MemberKind, depth: usize) -> Result<(), String> {
        match kind {
            MemberKind::Struct(name) => self.members(standard(name)?, depth + 1),
            _ => self.number().map(drop),
        }
    }

    fn members(&mut self, template: &Template, depth: usize) -> Result<(), String> {
        let mut counts = Counts::default();
        for (index, member) in template.members.iter().enumerate() {
            if member.counts {
                counts.note(index, member, self.number()?);
                self.then(Separator::End(depth));
                continue;
            }
            let len = counts.of(member);
            for index in 0..len {
                if index > 0 {
                    self.then(Separator::Between);
                }
                self.element(&member.kind, depth)?;
            }
            if len > 0 {
                self.then(Separator::End(depth));
            }
        }
        Ok(())
    }

    fn number(&mut self) -> Result<u32, String> {
        self.separators.push(Vec::new());
        self.numbers.next().copied().ok_or_else(|| "an element has too few numbers".to_owned())
    }

    fn then(&mut self, separator: Separator) {
        if let Some(own) = self.separators.last_mut() {
            own.push(separator);
        }
    }
}
