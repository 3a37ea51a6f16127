//! The types of the fields of views: how each is read from the values of a member, and the values that it has.

use std::fmt::Debug;

use super::fields::{Fields, Layout, Ragged};
use super::keys::Keys;
use super::template::Member;
use super::values::{ValueError, Values};

type Result<T> = std::result::Result<T, ValueError>;

/// A type of fields.
pub(super) trait FieldType: Debug {
    /// Reads the values of a member.
    fn read(fields: &mut Fields<'_>, member: &Member) -> Result<Self>
    where
        Self: Sized;

    /// Returns the number of elements of an array.
    fn len(&self) -> usize {
        1
    }

    /// Returns the values of all elements. In elements of varying length a count precedes the values that it counts.
    fn items(&self) -> Items<'_>;
}

/// A value.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Item<'a> {
    Integer(i64),
    Float(f32),
    Text(&'a [u8]),
}

pub(super) type Items<'a> = Box<dyn Iterator<Item = Item<'a>> + 'a>;

impl Item<'_> {
    /// Returns the value of a count.
    pub fn count(len: usize) -> Self {
        Self::Integer(i64::try_from(len).unwrap_or(i64::MAX))
    }

    /// Returns the count that the value is.
    pub fn as_count(self) -> u32 {
        match self {
            Self::Integer(number) => u32::try_from(number).unwrap_or(0),
            _ => 0,
        }
    }
}

impl From<u32> for Item<'_> {
    fn from(number: u32) -> Self {
        Self::Integer(number.into())
    }
}

impl From<f32> for Item<'_> {
    fn from(number: f32) -> Self {
        Self::Float(number)
    }
}

/// A type of numbers.
trait Number: Copy + Debug + Default + Into<Item<'static>> {
    fn read(values: &mut Values<'_>) -> Result<Self>;
}

impl Number for u32 {
    #[inline]
    fn read(values: &mut Values<'_>) -> Result<Self> {
        values.unsigned()
    }
}

impl Number for f32 {
    #[inline]
    fn read(values: &mut Values<'_>) -> Result<Self> {
        values.float()
    }
}

fn array<T: Number, const N: usize>(values: &mut Values<'_>) -> Result<[T; N]> {
    let mut array = [T::default(); N];
    for item in &mut array {
        *item = T::read(values)?;
    }
    Ok(array)
}

fn items<T: Number>(numbers: &[T]) -> Items<'_> {
    Box::new(numbers.iter().map(|number| (*number).into()))
}

impl<T: Number> FieldType for T {
    fn read(fields: &mut Fields<'_>, member: &Member) -> Result<Self> {
        let number = T::read(fields.single(member)?)?;
        fields.note(member, number.into());
        Ok(number)
    }

    fn items(&self) -> Items<'_> {
        items(std::slice::from_ref(self))
    }
}

/// A string.
impl FieldType for Vec<u8> {
    fn read(fields: &mut Fields<'_>, member: &Member) -> Result<Self> {
        fields.single(member)?.text().map(<[u8]>::to_vec)
    }

    fn items(&self) -> Items<'_> {
        Box::new(std::iter::once(Item::Text(self)))
    }
}

/// A struct of `N` numbers, such as a matrix or a colour.
impl<T: Number, const N: usize> FieldType for [T; N] {
    fn read(fields: &mut Fields<'_>, member: &Member) -> Result<Self> {
        fields.require(member, |layout, kind| layout.flat(kind) == Some(N as u64))?;
        array(fields.single(member)?)
    }

    fn items(&self) -> Items<'_> {
        items(self)
    }
}

/// Numbers.
impl<T: Number> FieldType for Vec<T> {
    fn read(fields: &mut Fields<'_>, member: &Member) -> Result<Self> {
        fields.require(member, |layout, kind| layout.flat(kind) == Some(1))?;
        fields.elements(member, 1, T::read)
    }

    fn len(&self) -> usize {
        self.len()
    }

    fn items(&self) -> Items<'_> {
        items(self)
    }
}

/// Structs of `N` numbers each, such as points and colours.
impl<T: Number, const N: usize> FieldType for Vec<[T; N]> {
    fn read(fields: &mut Fields<'_>, member: &Member) -> Result<Self> {
        fields.require(member, |layout, kind| layout.flat(kind) == Some(N as u64))?;
        fields.elements(member, N, array)
    }

    fn len(&self) -> usize {
        self.len()
    }

    fn items(&self) -> Items<'_> {
        items(self.as_flattened())
    }
}

/// Structs of an index and `N` floats each, such as vertex colours.
impl<const N: usize> FieldType for Vec<(u32, [f32; N])> {
    fn read(fields: &mut Fields<'_>, member: &Member) -> Result<Self> {
        fields.require(member, |layout, kind| layout.flat(kind) == Some(N as u64 + 1))?;
        fields.elements(member, N + 1, |values| Ok((values.unsigned()?, array(values)?)))
    }

    fn len(&self) -> usize {
        self.len()
    }

    fn items(&self) -> Items<'_> {
        Box::new(self.iter().flat_map(|(index, floats)| index.items().chain(items(floats))))
    }
}

/// Structs of a count and a list, such as faces.
impl FieldType for Ragged<u32> {
    fn read(fields: &mut Fields<'_>, member: &Member) -> Result<Self> {
        fields.require(member, Layout::is_counted)?;
        let mut lists = Self::with_capacity(fields.bounded(member, 1));
        fields.each(member, |values| list(&mut lists, values))?;
        Ok(lists)
    }

    fn len(&self) -> usize {
        self.len()
    }

    fn items(&self) -> Items<'_> {
        Box::new(self.iter().flat_map(counted))
    }
}

/// Structs of a time, a count and a list.
impl FieldType for Keys {
    fn read(fields: &mut Fields<'_>, member: &Member) -> Result<Self> {
        fields.require(member, Layout::is_timed)?;
        let mut keys =
            Self { times: Vec::with_capacity(fields.bounded(member, 2)), values: Ragged::default() };
        fields.each(member, |values| {
            keys.times.push(values.signed()?);
            list(&mut keys.values, values)
        })?;
        Ok(keys)
    }

    fn len(&self) -> usize {
        self.times.len()
    }

    fn items(&self) -> Items<'_> {
        let time = |time: i32| std::iter::once(Item::Integer(time.into()));
        Box::new(self.iter().flat_map(move |key| time(key.time).chain(counted(key.values))))
    }
}

/// Reads a list with its count.
fn list<T: Number>(lists: &mut Ragged<T>, values: &mut Values<'_>) -> Result<()> {
    for _ in 0..values.unsigned()? {
        lists.push(T::read(values)?);
    }
    lists.end();
    Ok(())
}

/// Returns a list with its count.
fn counted<T: Number>(list: &[T]) -> impl Iterator<Item = Item<'_>> {
    std::iter::once(Item::count(list.len())).chain(items(list))
}
