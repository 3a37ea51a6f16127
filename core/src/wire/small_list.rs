//! Lists that are usually very short.

use std::fmt;
use std::io::{Read, Seek, SeekFrom, Write};
use std::ops::{ControlFlow, Deref, DerefMut, Range};

use binrw::{BinRead, BinResult, BinWrite, Endian};

use super::list::{bytes_left, bytes_of_all, read_count, write_all};
use super::macros::{bin_write, node, slice_items};
use super::{Announced, Counted, Counter, List, Wire};
use crate::schema::{Count, Items, Node, NodeMut, Prefix, Schema, Shape, Value};

/// The size of the buffer on the stack for the elements that are stored inline.
const INLINE: usize = 256;

/// As [`Counted`], with a count and elements of fixed size. Up to `N` elements are stored inline, without an allocation:
/// `influences: SmallList<u8, Influence, 4>`, with the count as leaf `num_influences`.
///
/// ```
/// use bindpose::wire::SmallList;
/// let list: SmallList<u8, u16, 4> = SmallList::new([1, 2, 3]).unwrap();
/// assert_eq!(list[2], 3);
/// ```
#[derive(Clone)]
pub struct SmallList<C, T, const N: usize>(Storage<C, T, N>);

#[derive(Clone)]
enum Storage<C, T, const N: usize> {
    /// Up to `N` elements, stored inline: their number and the array.
    Inline(u8, [T; N]),
    /// More than `N` elements, or fewer than the count of a truncated file announces.
    Listed(Box<Counted<C, T>>),
}

impl<C: Counter, T: Copy + Default, const N: usize> SmallList<C, T, N> {
    /// Returns a list of these elements; `None` if there are more than the count can hold.
    #[must_use]
    pub fn new(items: impl IntoIterator<Item = T>) -> Option<Self> {
        const {
            assert!(C::FIXED.is_some(), "an inline list does not keep the encoding of its count");
            assert!(N < 256, "the number of elements inline is a byte");
        }
        let mut items = items.into_iter().fuse();
        let mut own = [T::default(); N];
        let mut len = 0;
        for (own, item) in own.iter_mut().zip(&mut items) {
            *own = item;
            len += 1;
        }
        let Some(next) = items.next() else { return Some(Self(Storage::Inline(len, own))) };
        let all: Vec<T> = own.into_iter().chain([next]).chain(items).collect();
        C::try_from(all.len()).ok()?;
        Some(Self(Storage::Listed(Box::new(all.into()))))
    }

    fn counter(&self) -> C {
        match &self.0 {
            Storage::Inline(len, _) => C::try_from(usize::from(*len)).unwrap_or_default(),
            Storage::Listed(list) => list.counter_or_stored(),
        }
    }

    /// Changes the elements. Returns `false` and changes nothing if there would be more than the count can hold.
    fn edit(&mut self, change: impl FnOnce(&mut List<T>) -> bool) -> bool {
        match &mut self.0 {
            Storage::Listed(list) => change(list.items_mut()),
            Storage::Inline(..) => {
                let mut items = List::from(self.to_vec());
                let is_changed = change(&mut items);
                is_changed && Self::new(items.iter().copied()).map(|new| *self = new).is_some()
            }
        }
    }
}

/// A long list is not copied. One that is too long for its count cannot be encoded.
impl<C: Counter, T: Copy + Default, const N: usize> From<Vec<T>> for SmallList<C, T, N> {
    fn from(items: Vec<T>) -> Self {
        if items.len() > N {
            return Self(Storage::Listed(Box::new(items.into())));
        }
        Self::new(items).unwrap_or_default()
    }
}

impl<C, T: Schema, const N: usize> SmallList<C, T, N> {
    /// The size of an element on disk.
    const SIZE: usize = match T::FIXED {
        Some(size @ 1..) if N * size <= INLINE => size,
        _ => panic!("the elements of a short list have a fixed size, and few fit inline"),
    };
}

impl<C, T, const N: usize> Deref for SmallList<C, T, N> {
    type Target = [T];

    #[inline]
    fn deref(&self) -> &[T] {
        match &self.0 {
            Storage::Inline(len, items) => items.get(..usize::from(*len)).unwrap_or_default(),
            Storage::Listed(list) => list,
        }
    }
}

impl<C, T, const N: usize> DerefMut for SmallList<C, T, N> {
    fn deref_mut(&mut self) -> &mut [T] {
        match &mut self.0 {
            Storage::Inline(len, items) => items.get_mut(..usize::from(*len)).unwrap_or_default(),
            Storage::Listed(list) => list,
        }
    }
}

impl<C, T, const N: usize> Announced for SmallList<C, T, N> {
    fn announced(&self) -> usize {
        match &self.0 {
            Storage::Inline(len, _) => usize::from(*len),
            Storage::Listed(list) => list.announced(),
        }
    }
}

impl<C, T: Copy + Default, const N: usize> Default for SmallList<C, T, N> {
    fn default() -> Self {
        Self(Storage::Inline(0, [T::default(); N]))
    }
}

impl<C, T: PartialEq, const N: usize> PartialEq for SmallList<C, T, N> {
    fn eq(&self, other: &Self) -> bool {
        **self == **other && self.announced() == other.announced()
    }
}

impl<C, T: fmt::Debug, const N: usize> fmt::Debug for SmallList<C, T, N> {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.debug_list().entries(self.iter()).finish()
    }
}

impl<C: Counter, T: Schema + Wire + Copy + Default, const N: usize> BinRead for SmallList<C, T, N> {
    type Args<'a> = ();

    fn read_options<R: Read + Seek>(reader: &mut R, endian: Endian, (): ()) -> BinResult<Self> {
        let start = reader.stream_position()?;
        let stored = read_count::<C, R>(reader, endian)?;
        if let Ok(len) = usize::try_from(stored.into())
            && len <= N
            && bytes_left(reader)? >= (len * Self::SIZE) as u64
        {
            let mut bytes = [0; INLINE];
            let bytes = &mut bytes[..len * Self::SIZE];
            reader.read_exact(bytes)?;
            let mut own = [T::default(); N];
            own.iter_mut().zip(bytes.chunks_exact(Self::SIZE)).for_each(|(own, bytes)| *own = T::get(bytes));
            return Ok(Self(Storage::Inline(u8::try_from(len).unwrap_or_default(), own)));
        }
        reader.seek(SeekFrom::Start(start))?;
        let list = Counted::<C, T>::read_options(reader, endian, ())?;
        Ok(Self(Storage::Listed(Box::new(list))))
    }
}

bin_write!(
    [C: Counter, T: Schema + Wire + Copy + Default, const N: usize] SmallList<C, T, N>,
    |own, writer, endian| {
        own.counter().write_options(writer, endian, ())?;
        write_all(own, writer, endian)
    }
);

impl<C: Counter, T: Schema + Copy + Default, const N: usize> Value for SmallList<C, T, N> {
    node!(Items);

    fn size(&self) -> u64 {
        (self.len() * Self::SIZE) as u64
    }
    fn prefix(&self, show: &mut dyn FnMut(&dyn Value) -> ControlFlow<()>) -> ControlFlow<()> {
        show(&self.counter())
    }
}

impl<C: Counter, T: Schema + Copy + Default, const N: usize> Items for SmallList<C, T, N> {
    slice_items!(T);

    fn announced(&self) -> usize {
        Announced::announced(self)
    }
    fn blank_item(&self, show: &mut dyn FnMut(&dyn Value)) {
        show(&T::blank(None));
    }
    fn insert(&mut self, index: usize) -> bool {
        C::try_from(Items::announced(self) + 1).is_ok() && self.edit(|items| items.insert(index))
    }
    fn push_blank(&mut self) -> bool {
        let len = self.deref().len();
        match &mut self.0 {
            Storage::Inline(used, own) if len < N && C::try_from(len + 1).is_ok() => {
                own[len] = T::blank(None);
                *used += 1;
                true
            }
            _ => self.insert(len),
        }
    }
    fn keep(&mut self, len: usize) -> bool {
        self.edit(|items| items.keep(len))
    }
    fn remove(&mut self, index: usize) -> bool {
        self.edit(|items| Items::remove(items, index))
    }
    fn remove_all(&mut self, indices: &[usize]) -> bool {
        self.edit(|items| items.remove_all(indices))
    }
}

impl<C: Counter, T: Schema + Copy + Default, const N: usize> Schema for SmallList<C, T, N> {
    const PLAIN: bool = T::PLAIN;
    const PREFIX: Prefix = Prefix::Num;
    const BULK: bool = T::FIXED.is_some();

    fn shape() -> Shape {
        Shape::List(Box::new(T::shape()), Count::Prefix(Box::new(C::shape())))
    }
    fn blank(_like: Option<&Self>) -> Self {
        Self::default()
    }
    #[inline]
    fn decode_prefix(bytes: &[u8]) -> Option<(Self, usize)> {
        let (stored, start) = C::decode_prefix(bytes)?;
        let len = usize::try_from(stored.into()).ok()?;
        let end = len.checked_mul(Self::SIZE)?.checked_add(start)?;
        let items = bytes.get(start..end)?.chunks_exact(Self::SIZE).map(T::get);
        if len > N {
            return Some((Self(Storage::Listed(Box::new(items.collect::<Vec<_>>().into()))), end));
        }
        let mut own = [T::default(); N];
        own.iter_mut().zip(items).for_each(|(own, item)| *own = item);
        Some((Self(Storage::Inline(u8::try_from(len).ok()?, own)), end))
    }
    #[inline]
    fn append_to(&self, bytes: &mut Vec<u8>) {
        self.counter().append_to(bytes);
        self.iter().for_each(|item| item.append_to(bytes));
    }
}
