//! Lists whose count stands in front, or was told by a header.

use std::io::{Read, Seek, Write};
use std::ops::{ControlFlow, Deref, DerefMut};

use binrw::{BinRead, BinResult, BinWrite, Endian};

use super::{Counted, Counter, List};
use crate::schema::{Choice, Count, Lead, Node, NodeMut, Schema, Shape, Value};

/// Elements directly behind their count, or as many as an earlier header announced: `#[br(args(announced))]` with
/// `announced: Option<i64>`.
///
/// For records that stand both alone and, without their counts, behind a header that has them all.
///
/// ```
/// use bindpose::wire::{Announced, CInt};
/// let list: Announced<CInt, u16> = vec![1, 2, 3].into();
/// assert_eq!(list.len(), 3);
/// ```
#[derive(Clone, Debug)]
pub enum Announced<C, T> {
    /// The count stands in front.
    Here(Counted<C, T>),
    /// The count stands in a header.
    There(List<T>),
}

impl<C: Counter, T> Announced<C, T> {
    /// The same elements without a count in front.
    #[must_use]
    pub fn there(self) -> Self {
        match self {
            Self::Here(mut list) => Self::There(std::mem::take(&mut *list).into()),
            Self::There(_) => self,
        }
    }

    /// The same elements with their count in front.
    #[must_use]
    pub fn here(self) -> Self {
        match self {
            Self::Here(_) => self,
            Self::There(mut list) => Self::Here(std::mem::take(&mut *list).into()),
        }
    }
}

impl<C: Counter, T: PartialEq> PartialEq for Announced<C, T> {
    fn eq(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Here(a), Self::Here(b)) => a == b,
            (Self::There(a), Self::There(b)) => a == b,
            _ => false,
        }
    }
}

impl<C: Counter + Eq, T: Eq> Eq for Announced<C, T> {}

impl<C: Counter, T: Schema + for<'a> BinRead<Args<'a> = ()>> BinRead for Announced<C, T> {
    type Args<'a> = (Option<i64>,);

    fn read_options<R: Read + Seek>(
        reader: &mut R,
        endian: Endian,
        (count,): (Option<i64>,),
    ) -> BinResult<Self> {
        match count {
            None => Counted::read_options(reader, endian, ()).map(Self::Here),
            Some(count) => List::read_options(reader, endian, (count,)).map(Self::There),
        }
    }
}

impl<C: Counter, T: Schema + for<'a> BinWrite<Args<'a> = ()>> BinWrite for Announced<C, T> {
    type Args<'a> = ();

    fn write_options<W: Write + Seek>(&self, writer: &mut W, endian: Endian, (): ()) -> BinResult<()> {
        match self {
            Self::Here(list) => list.write_options(writer, endian, ()),
            Self::There(list) => list.write_options(writer, endian, ()),
        }
    }
}

impl<C: Counter, T: Schema> Value for Announced<C, T> {
    fn size(&self) -> u64 {
        match self {
            Self::Here(list) => list.size(),
            Self::There(list) => list.size(),
        }
    }
    fn node(&self) -> Node<'_> {
        match self {
            Self::Here(list) => list.node(),
            Self::There(list) => list.node(),
        }
    }
    fn node_mut(&mut self) -> NodeMut<'_> {
        match self {
            Self::Here(list) => list.node_mut(),
            Self::There(list) => list.node_mut(),
        }
    }
    fn lead(&self, show: &mut dyn FnMut(&dyn Value) -> ControlFlow<()>) -> ControlFlow<()> {
        match self {
            Self::Here(list) => list.lead(show),
            Self::There(_) => ControlFlow::Continue(()),
        }
    }
    /// The usual case, the count in front, is none worth naming.
    fn choice(&self) -> Option<Choice<'_>> {
        match self {
            Self::Here(_) => None,
            Self::There(list) => Some(Choice { name: "there", tag: None, body: Some(list) }),
        }
    }
}

impl<C: Counter, T: Schema> Schema for Announced<C, T> {
    const LEAD: Lead = Lead::Num;

    fn shape() -> Shape {
        Shape::List(Box::new(T::shape()), Count::Announced(Box::new(C::shape())))
    }
    fn blank(like: Option<&Self>) -> Self {
        match like {
            Some(Self::There(_)) => Self::There(List::default()),
            _ => Self::Here(Counted::default()),
        }
    }
}

impl<C: Default, T> Default for Announced<C, T> {
    fn default() -> Self {
        Self::Here(Counted::default())
    }
}

impl<C: Default, T> From<Vec<T>> for Announced<C, T> {
    fn from(items: Vec<T>) -> Self {
        Self::Here(items.into())
    }
}

impl<'a, C, T> IntoIterator for &'a Announced<C, T> {
    type Item = &'a T;
    type IntoIter = std::slice::Iter<'a, T>;

    fn into_iter(self) -> Self::IntoIter {
        self.iter()
    }
}

impl<C, T> Deref for Announced<C, T> {
    type Target = Vec<T>;

    fn deref(&self) -> &Vec<T> {
        match self {
            Self::Here(list) => list,
            Self::There(list) => list,
        }
    }
}

impl<C, T> DerefMut for Announced<C, T> {
    fn deref_mut(&mut self) -> &mut Vec<T> {
        match self {
            Self::Here(list) => list,
            Self::There(list) => list,
        }
    }
}
