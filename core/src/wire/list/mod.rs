//! Lists, with the count before them or in another field.

mod arguments;
mod blocks;
mod counted;

use std::io::{Read, Seek, Write};
use std::ops::{Deref, DerefMut, Range};

use binrw::{BinRead, BinResult, BinWrite, Endian};

use super::macros::{bin_read, bin_write, deref, deref_list, node, slice_items};
use super::{Source, allocated, charge};
use crate::schema::{BulkWith, Count, Items, Node, NodeMut, Prefix, Schema, Shape, Value};

pub use arguments::{list_each, list_while, list_with};
pub(super) use blocks::{bytes_left, bytes_of_all, write as write_all};
#[doc(hidden)]
pub use blocks::{checked, fitting, push};
pub use counted::{
    Announced, Counted, Counter, TooMany, byte_size, count, count_of, counted_with, counter, len, stored_size,
};
pub(super) use counted::{read_count, stored_or_new, write_counter};

/// The number of zeros that suffices for any element with arguments.
const ELEMENT: usize = 256;

/// A list whose count is in another field: `#[br(args(num_x.into()))] x: List<T>`.
///
/// Records of [fixed length](Schema::FIXED) are read and written block by block, so that large files are processed
/// nearly as fast as they are copied. A count that exceeds the remaining bytes is rejected before memory is reserved.
///
/// ```
/// use bindpose::wire::List;
/// let list: List<u16> = vec![1, 2, 3].into();
/// assert_eq!(list.len(), 3);
/// ```
#[derive(Clone, PartialEq, Eq)]
pub struct List<T>(Vec<T>, Extra<T>);

/// What the elements do not tell. Most lists have none of it, so it takes the place of one pointer.
#[derive(Clone)]
struct Extra<T>(Option<Box<Parts<T>>>);

#[derive(Clone)]
struct Parts<T> {
    /// The form of new elements, if it depends on the arguments that the list was read with.
    prototype: Option<T>,
    /// The number of elements that are missing in a truncated file.
    missing: usize,
}

impl<T> Extra<T> {
    fn new(prototype: Option<T>, missing: usize) -> Self {
        let has_parts = prototype.is_some() || missing > 0;
        Self(has_parts.then(|| Box::new(Parts { prototype, missing })))
    }

    /// Reads the prototype from zeros, and charges its memory: a file can have as many empty lists as records.
    fn cast(
        reader: &mut impl Seek,
        missing: usize,
        read: impl FnOnce(&mut Source<'_>) -> BinResult<T>,
    ) -> BinResult<Self> {
        charge(reader, allocated(size_of::<Parts<T>>()))?;
        Ok(Self::new(read(&mut Source::new(&[0; ELEMENT])).ok(), missing))
    }

    fn prototype(&self) -> Option<&T> {
        self.0.as_ref()?.prototype.as_ref()
    }

    fn missing(&self) -> usize {
        self.0.as_ref().map_or(0, |parts| parts.missing)
    }

    fn set_missing(&mut self, missing: usize) {
        let prototype = self.0.take().and_then(|parts| parts.prototype);
        *self = Self::new(prototype, missing);
    }
}

impl<T> Default for Extra<T> {
    fn default() -> Self {
        Self(None)
    }
}

/// The prototype is not part of the content.
impl<T> PartialEq for Extra<T> {
    fn eq(&self, other: &Self) -> bool {
        self.missing() == other.missing()
    }
}

impl<T> Eq for Extra<T> {}

/// The elements, and `..` for those that are missing.
impl<T: std::fmt::Debug> std::fmt::Debug for List<T> {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let mut list = out.debug_list();
        list.entries(&self.0);
        if self.1.missing() == 0 { list.finish() } else { list.finish_non_exhaustive() }
    }
}

bin_read!(
    [T: Schema + for<'a> BinRead<Args<'a> = ()>] List<T>, (i64,),
    |reader, endian, (count,)| blocks::read(reader, endian, count)
);

bin_write!(
    [T: Schema + for<'a> BinWrite<Args<'a> = ()>] List<T>,
    |own, writer, endian| blocks::write(own, writer, endian)
);
impl<T: Schema> Value for List<T> {
    node!(Items);

    fn size(&self) -> u64 {
        const {
            assert!(
                matches!(T::PREFIX, Prefix::None),
                "an element that begins with its own count or length needs a struct around it"
            );
        }
        match T::FIXED {
            Some(size) => (self.0.len() * size) as u64,
            None => self.0.iter().map(Value::size).sum(),
        }
    }
}

impl<T: Schema> Items for List<T> {
    slice_items!(T);

    fn announced(&self) -> usize {
        Announced::announced(self)
    }
    fn is_section(&self) -> bool {
        T::BULK
    }
    fn is_plain(&self) -> bool {
        T::BULK || T::PLAIN
    }
    fn insert(&mut self, index: usize) -> bool {
        if index > self.0.len() {
            return false;
        }
        let blank = T::blank(self.0.get(index).or(self.0.last()).or(self.1.prototype()));
        self.0.insert(index, blank);
        true
    }
    fn blank_item(&self, show: &mut dyn FnMut(&dyn Value)) {
        show(&T::blank(None));
    }
    fn push_blank(&mut self) -> bool {
        self.0.push(T::blank(None));
        true
    }
    fn keep(&mut self, len: usize) -> bool {
        self.0.truncate(len);
        self.1.set_missing(0);
        true
    }
    fn remove(&mut self, index: usize) -> bool {
        let there = index < self.0.len();
        if there {
            let removed = self.0.remove(index);
            if self.0.is_empty() {
                self.1 = Extra::new(Some(removed), self.1.missing());
            }
        }
        there
    }
    fn remove_all(&mut self, indices: &[usize]) -> bool {
        // The last element that is removed is the form of new ones.
        let (last, others) = match indices.split_first() {
            Some((first, others)) if indices.len() == self.0.len() => (Some(*first), others),
            _ => (None, indices),
        };
        let mut others = others.iter().peekable();
        let mut index = 0..;
        self.0.retain(|_| index.next().is_none_or(|own| others.next_if_eq(&&own).is_none()));
        others.peek().is_none() && last.is_none_or(|last| Items::remove(self, last))
    }
}

impl<T: Schema> Schema for List<T> {
    const IS_FINITE: bool = T::IS_FINITE;
    const PLAIN: bool = T::PLAIN;

    fn shape() -> Shape {
        Shape::List(Box::new(T::shape()), Count::Argument)
    }
    fn blank(_like: Option<&Self>) -> Self {
        Self::from(Vec::new())
    }
}

impl<T: Schema> BulkWith<(i64,)> for List<T> {
    const BULK: bool = matches!(T::FIXED, Some(1..));

    #[inline]
    fn decode_prefix_with(bytes: &[u8], (count,): (i64,)) -> Option<(Self, usize)> {
        let size = T::FIXED?;
        let end = usize::try_from(count).ok()?.checked_mul(size)?;
        let items = bytes.get(..end)?.chunks_exact(size).map(T::get);
        Some((items.collect(), end))
    }
}

impl<T> List<T> {
    pub(super) const fn new() -> Self {
        Self(Vec::new(), Extra(None))
    }

    /// Returns the same elements in a list with this count, which a truncated file contains only in part.
    fn announcing(mut self, count: usize) -> Self {
        self.1.set_missing(count.saturating_sub(self.0.len()));
        self
    }
}

impl<T> Default for List<T> {
    fn default() -> Self {
        Self::from(Vec::new())
    }
}

impl<T> From<Vec<T>> for List<T> {
    fn from(items: Vec<T>) -> Self {
        Self(items, Extra::default())
    }
}

impl<T> FromIterator<T> for List<T> {
    fn from_iter<I: IntoIterator<Item = T>>(items: I) -> Self {
        Self::from(items.into_iter().collect::<Vec<_>>())
    }
}

deref_list!([T] List<T>, 0);
