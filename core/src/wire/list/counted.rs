//! Counts of lists, directly before the list or in another field.

use std::io::{Read, Seek, Write};
use std::ops::{ControlFlow, Deref, DerefMut};

use binrw::{BinRead, BinResult, BinWrite, Endian};

use super::{List, blocks, list_with};
use crate::ErrorKind;
use crate::schema::{BulkWith, Count, Leaf, Node, NodeMut, Prefix, Schema, Shape, Value};
use crate::wire::macros::{bin_read, bin_write, deref, deref_list};
use crate::wire::source::is_constructed;
use crate::wire::{Wire, note_prefix, refuse};

/// A count and its elements: `x: Counted<u16, T>`, with the count as leaf `num_x`.
///
/// The count keeps its original encoding while it equals the length, and is encoded again when it differs.
///
/// ```
/// use bindpose::wire::Counted;
/// let list: Counted<u16, f32> = vec![0.5, 1.0].into();
/// assert_eq!(list[1], 1.0);
/// ```
///
/// Two are equal if they encode to the same bytes.
#[derive(Clone, Debug)]
pub struct Counted<C, T> {
    stored: C,
    items: List<T>,
}

/// A type of counts: unsigned or signed, of fixed or variable width.
pub trait Counter: Schema + Leaf + Wire + Copy + Into<i64> + TryFrom<usize> + Default + PartialEq {}

impl<C: Schema + Leaf + Wire + Copy + Into<i64> + TryFrom<usize> + Default + PartialEq> Counter for C {}

/// Returns the stored count if it equals this length, otherwise a new one.
pub(in crate::wire) fn stored_or_new<C: Counter>(stored: C, len: usize) -> Result<C, TooMany> {
    if i64::try_from(len) == Ok(stored.into()) { Ok(stored) } else { count_of(len) }
}

/// Returns the length of a list as a count of type `C`: `#[bw(try_calc = count(x))]`.
///
/// # Errors
/// When the length does not fit into `C`.
pub fn count<C: TryFrom<usize>>(list: &(impl Announced + ?Sized)) -> Result<C, TooMany> {
    count_of(list.announced())
}

/// Returns the size of a part and a number of bytes as a number of type `C`: see [`on_disk`](macro@crate::schema::on_disk).
///
/// # Errors
/// When the size does not fit into `C`.
pub fn byte_size<C: TryFrom<usize>>(part: &impl Value, plus: usize) -> Result<C, TooMany> {
    count_of(usize::try_from(stored_size(part)).unwrap_or(usize::MAX).saturating_add(plus))
}

/// Returns the size of a value with the count or length directly before it.
#[doc(hidden)]
#[inline]
pub fn stored_size(value: &(impl Value + ?Sized)) -> u64 {
    let mut size = value.size();
    let _ = value.prefix(&mut |prefix| {
        size += prefix.size();
        ControlFlow::Continue(())
    });
    size
}

/// A list that knows the value of its count: the number of its elements, including those that are missing in a
/// truncated file.
///
/// ```
/// use bindpose::wire::{Announced, List};
/// assert_eq!(List::from(vec![1_u8, 2]).announced(), 2);
/// ```
pub trait Announced {
    /// Returns the value of the count.
    fn announced(&self) -> usize;
}

impl<T> Announced for [T] {
    fn announced(&self) -> usize {
        self.len()
    }
}

impl<T> Announced for Vec<T> {
    fn announced(&self) -> usize {
        self.len()
    }
}

impl<T> Announced for List<T> {
    fn announced(&self) -> usize {
        self.0.len() + self.1.missing()
    }
}

impl<C, T> Announced for Counted<C, T> {
    fn announced(&self) -> usize {
        self.items.announced()
    }
}

/// Returns a number of elements as a count of type `C`.
///
/// # Errors
/// When the number does not fit into `C`.
pub fn count_of<C: TryFrom<usize>>(len: usize) -> Result<C, TooMany> {
    C::try_from(len).map_err(|_| TooMany::of::<C>(len))
}

/// Returns the length of a list as an argument for another list: `#[br(args(len(vertices)))]`.
#[must_use]
pub fn len(list: &(impl Announced + ?Sized)) -> i64 {
    i64::try_from(list.announced()).unwrap_or(i64::MAX)
}

/// The length of a list exceeds the range of its count.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TooMany {
    len: usize,
    counter: &'static str,
}

impl TooMany {
    /// Creates the error for `len` elements and a count of type `C`.
    pub fn of<C>(len: usize) -> Self {
        Self { len, counter: std::any::type_name::<C>() }
    }
}

impl std::fmt::Display for TooMany {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(out, "{} elements exceed the range of their count, a {}", self.len, self.counter)
    }
}

impl std::error::Error for TooMany {}

bin_read!(
    [C: Counter, T: Schema + for<'a> BinRead<Args<'a> = ()>] Counted<C, T>, (),
    |reader, endian, ()| Self::read_with(reader, endian, |reader, count| blocks::read(reader, endian, count))
);

/// Reads a counted list whose elements take arguments: `parse_with = counted_with, args((dialect,))`.
///
/// # Errors
/// As the elements; [`ErrorKind::Count`] for an invalid count.
pub fn counted_with<C, T, A, R>(reader: &mut R, endian: Endian, (args,): (A,)) -> BinResult<Counted<C, T>>
where
    C: Counter,
    T: BulkWith<A> + for<'a> BinRead<Args<'a> = A>,
    A: Clone,
    R: Read + Seek,
{
    Counted::read_with(reader, endian, |reader, count| list_with(reader, endian, (count, args)))
}

pub(in crate::wire) fn read_count<C: Counter, R: Read + Seek>(
    reader: &mut R,
    endian: Endian,
) -> BinResult<C> {
    counter(reader, endian, ()).map_err(|error| note_prefix(error, "num"))
}

/// Reads a count or length that is not directly before its list, and rejects a negative one at its own offset:
/// `parse_with = counter`.
///
/// # Errors
/// [`ErrorKind::Count`] for a negative one.
pub fn counter<C: Counter, R: Read + Seek>(reader: &mut R, endian: Endian, (): ()) -> BinResult<C> {
    let at = reader.stream_position()?;
    let count = C::read_options(reader, endian, ())?;
    if count.into() < 0 {
        return Err(refuse(at, ErrorKind::Count(format!("invalid count {}", count.into()))));
    }
    Ok(count)
}

bin_write!(
    [C: Counter, T: Schema + for<'a> BinWrite<Args<'a> = ()>] Counted<C, T>,
    |own, writer, endian| {
        write_counter(own.counter(), writer, endian)?;
        own.items.write_options(writer, endian, ())
    }
);

/// Writes the count or length before a value.
pub(in crate::wire) fn write_counter<C: Counter, W: Write + Seek>(
    counter: Result<C, TooMany>,
    writer: &mut W,
    endian: Endian,
) -> BinResult<()> {
    match counter {
        Ok(counter) => counter.write_options(writer, endian, ()),
        Err(error) => Err(binrw::Error::Custom { pos: writer.stream_position()?, err: Box::new(error) }),
    }
}

impl<C: Counter, T> Counted<C, T> {
    fn read_with<R: Read + Seek>(
        reader: &mut R,
        endian: Endian,
        read: impl FnOnce(&mut R, i64) -> BinResult<List<T>>,
    ) -> BinResult<Self> {
        let stored: C = read_count(reader, endian)?;
        let items = read(reader, stored.into())?;
        Ok(Self { stored: if is_constructed(reader) { C::default() } else { stored }, items })
    }

    /// Returns the count as it is encoded.
    fn counter(&self) -> Result<C, TooMany> {
        stored_or_new(self.stored, self.items.announced())
    }

    /// Returns the count as it is encoded. A list that is too long for its count cannot be encoded; it has its previous
    /// count.
    pub(in crate::wire) fn counter_or_stored(&self) -> C {
        self.counter().unwrap_or(self.stored)
    }

    pub(in crate::wire) fn items_mut(&mut self) -> &mut List<T> {
        &mut self.items
    }
}

impl<C: Counter, T: PartialEq> PartialEq for Counted<C, T> {
    fn eq(&self, other: &Self) -> bool {
        self.items == other.items && self.counter() == other.counter()
    }
}

impl<C: Counter + Eq, T: Eq> Eq for Counted<C, T> {}

impl<C: Counter, T: Schema> Value for Counted<C, T> {
    fn size(&self) -> u64 {
        self.items.size()
    }
    fn node(&self) -> Node<'_> {
        self.items.node()
    }
    fn node_mut(&mut self) -> NodeMut<'_> {
        self.items.node_mut()
    }
    fn prefix(&self, show: &mut dyn FnMut(&dyn Value) -> ControlFlow<()>) -> ControlFlow<()> {
        show(&self.counter_or_stored())
    }
}

impl<C: Counter, T: Schema> Schema for Counted<C, T> {
    const IS_FINITE: bool = T::IS_FINITE;
    const PLAIN: bool = T::PLAIN;
    const PREFIX: Prefix = Prefix::Num;

    fn shape() -> Shape {
        Shape::List(Box::new(T::shape()), Count::Prefix(Box::new(C::shape())))
    }
    fn blank(_like: Option<&Self>) -> Self {
        Self { stored: C::default(), items: List::default() }
    }
}

impl<C: Default, T> Default for Counted<C, T> {
    fn default() -> Self {
        Self { stored: C::default(), items: List::default() }
    }
}

impl<C: Default, T> From<Vec<T>> for Counted<C, T> {
    fn from(items: Vec<T>) -> Self {
        Self { stored: C::default(), items: items.into() }
    }
}

deref_list!([C, T] Counted<C, T>, items);
