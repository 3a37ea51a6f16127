//! Lists that are usually very short.

use std::fmt;
use std::io::{Read, Seek, Write};
use std::ops::{ControlFlow, Deref, DerefMut, Range};

use binrw::{BinRead, BinResult, BinWrite, Endian};

use super::list::bytes_of_all;
use super::{Announced, Counted, Wire};
use crate::schema::{Count, Items, Node, NodeMut, Prefix, Schema, Shape, Value};

/// At most 255 elements of fixed size after a count of one byte. Up to `N` elements are stored inline, without an
/// allocation: `influences: SmallList<Influence, 4>`, with the count as leaf `num_influences`.
///
/// ```
/// use bindpose::wire::SmallList;
/// let list: SmallList<u16, 4> = SmallList::new(&[1, 2, 3]).unwrap();
/// assert_eq!(list[2], 3);
/// ```
#[derive(Clone)]
pub struct SmallList<T, const N: usize>(Storage<T, N>);

#[derive(Clone)]
enum Storage<T, const N: usize> {
    /// Up to `N` elements, stored inline: their number and the array.
    Inline(u8, [T; N]),
    /// More than `N` elements, on the heap.
    Many(Vec<T>),
}

impl<T: Copy + Default, const N: usize> SmallList<T, N> {
    /// Returns a list of these elements; `None` if there are more than 255.
    #[must_use]
    pub fn new(items: &[T]) -> Option<Self> {
        let len = u8::try_from(items.len()).ok()?;
        let mut own = [T::default(); N];
        Some(Self(match own.get_mut(..items.len()) {
            Some(inline) => {
                inline.copy_from_slice(items);
                Storage::Inline(len, own)
            }
            None => Storage::Many(items.to_vec()),
        }))
    }

    /// Changes the elements. Returns `false` and changes nothing if there would be more than 255.
    fn edit(&mut self, change: impl FnOnce(&mut Vec<T>)) -> bool {
        let mut items = self.to_vec();
        change(&mut items);
        let new = Self::new(&items);
        new.map(|new| *self = new).is_some()
    }
}

impl<T, const N: usize> Deref for SmallList<T, N> {
    type Target = [T];

    #[inline]
    fn deref(&self) -> &[T] {
        match &self.0 {
            Storage::Inline(len, items) => items.get(..usize::from(*len)).unwrap_or_default(),
            Storage::Many(items) => items,
        }
    }
}

impl<T, const N: usize> DerefMut for SmallList<T, N> {
    fn deref_mut(&mut self) -> &mut [T] {
        match &mut self.0 {
            Storage::Inline(len, items) => items.get_mut(..usize::from(*len)).unwrap_or_default(),
            Storage::Many(items) => items,
        }
    }
}

impl<T: Copy + Default, const N: usize> Default for SmallList<T, N> {
    fn default() -> Self {
        Self(Storage::Inline(0, [T::default(); N]))
    }
}

impl<T: PartialEq, const N: usize> PartialEq for SmallList<T, N> {
    fn eq(&self, other: &Self) -> bool {
        **self == **other
    }
}

impl<T: fmt::Debug, const N: usize> fmt::Debug for SmallList<T, N> {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.debug_list().entries(self.iter()).finish()
    }
}

impl<T: Schema + Wire + Copy + Default, const N: usize> BinRead for SmallList<T, N> {
    type Args<'a> = ();

    fn read_options<R: Read + Seek>(reader: &mut R, endian: Endian, (): ()) -> BinResult<Self> {
        let mut items = Counted::<u8, T>::read_options(reader, endian, ())?;
        let announced = items.announced();
        items.resize(announced, T::default());
        Ok(Self::new(&items).unwrap_or_default())
    }
}

impl<T: Schema + Wire + Copy + Default, const N: usize> BinWrite for SmallList<T, N> {
    type Args<'a> = ();

    fn write_options<W: Write + Seek>(&self, writer: &mut W, endian: Endian, (): ()) -> BinResult<()> {
        Counted::<u8, T>::from(self.to_vec()).write_options(writer, endian, ())
    }
}

impl<T: Schema + Copy + Default, const N: usize> Value for SmallList<T, N> {
    fn size(&self) -> u64 {
        (self.len() * T::FIXED.unwrap_or(0)) as u64
    }
    fn node(&self) -> Node<'_> {
        Node::Items(self)
    }
    fn node_mut(&mut self) -> NodeMut<'_> {
        NodeMut::Items(self)
    }
    fn prefix(&self, show: &mut dyn FnMut(&dyn Value) -> ControlFlow<()>) -> ControlFlow<()> {
        show(&u8::try_from(self.len()).unwrap_or_default())
    }
}

impl<T: Schema + Copy + Default, const N: usize> Items for SmallList<T, N> {
    fn len(&self) -> usize {
        self.deref().len()
    }
    fn item(&self, index: usize) -> Option<&dyn Value> {
        self.get(index).map(|item| item as &dyn Value)
    }
    fn item_mut(&mut self, index: usize) -> Option<&mut dyn Value> {
        self.get_mut(index).map(|item| item as &mut dyn Value)
    }
    fn bytes(&self, range: Range<usize>, out: &mut Vec<u8>) {
        bytes_of_all(self.get(range).unwrap_or_default(), out);
    }
    fn item_size(&self) -> Option<usize> {
        T::FIXED
    }
    fn blank_item(&self, show: &mut dyn FnMut(&dyn Value)) {
        show(&T::blank(None));
    }
    fn insert(&mut self, index: usize) -> bool {
        index <= self.deref().len() && self.edit(|items| items.insert(index, T::blank(None)))
    }
    fn keep(&mut self, len: usize) -> bool {
        self.edit(|items| items.truncate(len))
    }
    fn remove(&mut self, index: usize) -> bool {
        index < self.deref().len()
            && self.edit(|items| {
                items.remove(index);
            })
    }
}

impl<T: Schema + Copy + Default, const N: usize> Schema for SmallList<T, N> {
    const PLAIN: bool = T::PLAIN;
    const PREFIX: Prefix = Prefix::Num;
    const BULK: bool = T::FIXED.is_some();

    fn shape() -> Shape {
        Shape::List(Box::new(T::shape()), Count::Prefix(Box::new(u8::shape())))
    }
    fn blank(_like: Option<&Self>) -> Self {
        Self::default()
    }
    #[inline]
    fn decode_prefix(bytes: &[u8]) -> Option<(Self, usize)> {
        let size = T::FIXED.filter(|size| *size > 0)?;
        let (&len, items) = bytes.split_first()?;
        let items = items.get(..usize::from(len) * size)?;
        let taken = 1 + items.len();
        if usize::from(len) > N {
            return Some((Self(Storage::Many(items.chunks_exact(size).map(T::get).collect())), taken));
        }
        let mut own = [T::default(); N];
        for (item, bytes) in own.iter_mut().zip(items.chunks_exact(size)) {
            *item = T::get(bytes);
        }
        Some((Self(Storage::Inline(len, own)), taken))
    }
    #[inline]
    fn append_to(&self, bytes: &mut Vec<u8>) {
        bytes.push(u8::try_from(self.len()).unwrap_or_default());
        self.iter().for_each(|item| item.append_to(bytes));
    }
}
