//! Lists with a count directly before them or in an earlier header.

use std::io::{Read, Seek, Write};
use std::ops::{ControlFlow, Deref, DerefMut};

use binrw::{BinRead, BinResult, BinWrite, Endian};

use crate::schema::{BulkWith, Choice, Count, Node, NodeMut, Prefix, Schema, Shape, Value};
use crate::wire::{Announced, Counted, Counter, List};

/// A list with an inline count, or with the count from an earlier header: `#[br(args(announced))]` with `announced:
/// Option<i64>`.
///
/// For records that occur both alone and, without their counts, after a header that contains all counts.
///
/// ```
/// use bindpose::formats::unigine::MaybeCounted;
/// let list: MaybeCounted<u8, u16> = vec![1, 2, 3].into();
/// assert_eq!(list.len(), 3);
/// ```
#[derive(Clone, Debug)]
pub enum MaybeCounted<C, T> {
    /// The count directly precedes the list.
    Inline(Counted<C, T>),
    /// The count is in a header.
    External(List<T>),
}

/// The same of either list.
macro_rules! either {
    ($own:expr, $list:ident => $of_list:expr) => {
        match $own {
            Self::Inline($list) => $of_list,
            Self::External($list) => $of_list,
        }
    };
}

impl<C: Counter, T> MaybeCounted<C, T> {
    /// Returns the same elements without an inline count.
    #[must_use]
    pub fn there(self) -> Self {
        match self {
            Self::Inline(mut list) => Self::External(std::mem::take(&mut *list).into()),
            Self::External(_) => self,
        }
    }

    /// Returns the same elements with an inline count.
    #[must_use]
    pub fn here(self) -> Self {
        match self {
            Self::Inline(_) => self,
            Self::External(mut list) => Self::Inline(std::mem::take(&mut *list).into()),
        }
    }
}

impl<C: Counter, T: PartialEq> PartialEq for MaybeCounted<C, T> {
    fn eq(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Inline(a), Self::Inline(b)) => a == b,
            (Self::External(a), Self::External(b)) => a == b,
            _ => false,
        }
    }
}

impl<C: Counter + Eq, T: Eq> Eq for MaybeCounted<C, T> {}

impl<C: Counter, T: Schema + for<'a> BinRead<Args<'a> = ()>> BinRead for MaybeCounted<C, T> {
    type Args<'a> = (Option<i64>,);

    fn read_options<R: Read + Seek>(
        reader: &mut R,
        endian: Endian,
        (count,): (Option<i64>,),
    ) -> BinResult<Self> {
        match count {
            None => Counted::read_options(reader, endian, ()).map(Self::Inline),
            Some(count) => List::read_options(reader, endian, (count,)).map(Self::External),
        }
    }
}

impl<C: Counter, T: Schema + for<'a> BinWrite<Args<'a> = ()>> BinWrite for MaybeCounted<C, T> {
    type Args<'a> = ();

    fn write_options<W: Write + Seek>(&self, writer: &mut W, endian: Endian, (): ()) -> BinResult<()> {
        either!(self, list => list.write_options(writer, endian, ()))
    }
}

impl<C: Counter, T: Schema> Value for MaybeCounted<C, T> {
    fn size(&self) -> u64 {
        either!(self, list => list.size())
    }
    fn node(&self) -> Node<'_> {
        either!(self, list => list.node())
    }
    fn node_mut(&mut self) -> NodeMut<'_> {
        either!(self, list => list.node_mut())
    }
    fn prefix(&self, show: &mut dyn FnMut(&dyn Value) -> ControlFlow<()>) -> ControlFlow<()> {
        either!(self, list => list.prefix(show))
    }
    /// The usual variant, the inline count, has no name in paths.
    fn choice(&self) -> Option<Choice<'_>> {
        match self {
            Self::Inline(_) => None,
            Self::External(list) => {
                Some(Choice { name: "there", tag: None, body: Some(list), axis: None, quantity: None })
            }
        }
    }
}

impl<C: Counter, T: Schema> BulkWith<(Option<i64>,)> for MaybeCounted<C, T> {}

impl<C: Counter, T: Schema> Schema for MaybeCounted<C, T> {
    const IS_FINITE: bool = T::IS_FINITE;
    const PLAIN: bool = T::PLAIN;
    const PREFIX: Prefix = Prefix::Num;

    fn shape() -> Shape {
        Shape::List(Box::new(T::shape()), Count::MaybeCounted(Box::new(C::shape())))
    }
    fn blank(like: Option<&Self>) -> Self {
        match like {
            Some(Self::External(_)) => Self::External(List::default()),
            _ => Self::Inline(Counted::default()),
        }
    }
}

impl<C: Default, T> Default for MaybeCounted<C, T> {
    fn default() -> Self {
        Self::Inline(Counted::default())
    }
}

impl<C: Default, T> From<Vec<T>> for MaybeCounted<C, T> {
    fn from(items: Vec<T>) -> Self {
        Self::Inline(items.into())
    }
}

impl<'a, C, T> IntoIterator for &'a MaybeCounted<C, T> {
    type Item = &'a T;
    type IntoIter = std::slice::Iter<'a, T>;

    fn into_iter(self) -> Self::IntoIter {
        self.iter()
    }
}

impl<C, T> Deref for MaybeCounted<C, T> {
    type Target = Vec<T>;

    fn deref(&self) -> &Vec<T> {
        either!(self, list => list)
    }
}

impl<C, T> DerefMut for MaybeCounted<C, T> {
    fn deref_mut(&mut self) -> &mut Vec<T> {
        either!(self, list => list)
    }
}

impl<C: Counter, T> Announced for MaybeCounted<C, T> {
    fn announced(&self) -> usize {
        either!(self, list => list.announced())
    }
}
