//! Lists whose length another field determines for all records of a list.

use std::io::{Read, Seek, Write};
use std::ops::{Deref, DerefMut, Range};

use binrw::{BinRead, BinResult, BinWrite, Endian};

use super::list::bytes_of_all;
use super::macros::{bin_read, bin_write, deref, node, slice_items};
use super::{Announced, List};
use crate::schema::{BulkWith, Items, Node, NodeMut, Schema, Shape, Value};

/// A list that has the same length in all records around it: `#[br(args(num_frames))] weights: FixedLenList<f32>`.
///
/// Elements can be set, but not added or removed.
///
/// ```
/// use bindpose::schema::Schema;
/// use bindpose::wire::FixedLenList;
/// let row: FixedLenList<f32> = vec![0.5, 1.0].into();
/// assert_eq!(row[1], 1.0);
/// assert_eq!(FixedLenList::blank(Some(&row)).len(), 2);
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FixedLenList<T>(List<T>);

impl<T: Schema> FixedLenList<T> {
    /// Returns a list with this number of zero elements.
    #[must_use]
    pub fn zeros(len: usize) -> Self {
        std::iter::repeat_with(|| T::blank(None)).take(len).collect::<Vec<_>>().into()
    }
}

impl<T> Default for FixedLenList<T> {
    fn default() -> Self {
        Self(List::default())
    }
}

bin_read!(
    [T: Schema + for<'a> BinRead<Args<'a> = ()>] FixedLenList<T>, (i64,),
    |reader, endian, args| List::read_options(reader, endian, args).map(Self)
);

bin_write!(
    [T: Schema + for<'a> BinWrite<Args<'a> = ()>] FixedLenList<T>,
    |own, writer, endian| own.0.write_options(writer, endian, ())
);

impl<T: Schema> Value for FixedLenList<T> {
    node!(Items);

    fn size(&self) -> u64 {
        self.0.size()
    }
}

impl<T: Schema> Items for FixedLenList<T> {
    slice_items!(T);

    fn announced(&self) -> usize {
        Announced::announced(self)
    }
    fn blank_item(&self, show: &mut dyn FnMut(&dyn Value)) {
        self.0.blank_item(show);
    }
    fn push_blank(&mut self) -> bool {
        self.0.push_blank()
    }
}

impl<T: Schema> Schema for FixedLenList<T> {
    const IS_FINITE: bool = T::IS_FINITE;
    const PLAIN: bool = T::PLAIN;

    fn shape() -> Shape {
        List::<T>::shape()
    }
    fn blank(like: Option<&Self>) -> Self {
        Self::zeros(like.map_or(0, |like| like.0.len()))
    }

    const APPENDS: bool = T::APPENDS;

    #[inline]
    fn append_to(&self, bytes: &mut Vec<u8>) {
        self.iter().for_each(|item| item.append_to(bytes));
    }
}

impl<T: Schema> BulkWith<(i64,)> for FixedLenList<T> {
    const BULK: bool = <List<T> as BulkWith<(i64,)>>::BULK;

    #[inline]
    fn decode_prefix_with(bytes: &[u8], args: (i64,)) -> Option<(Self, usize)> {
        List::decode_prefix_with(bytes, args).map(|(list, size)| (Self(list), size))
    }
}

impl<T> Announced for FixedLenList<T> {
    fn announced(&self) -> usize {
        self.0.announced()
    }
}

impl<T> From<Vec<T>> for FixedLenList<T> {
    fn from(items: Vec<T>) -> Self {
        Self(items.into())
    }
}

deref!([T] FixedLenList<T> => [T], 0);
