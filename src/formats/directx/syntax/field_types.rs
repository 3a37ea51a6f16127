//! The types of the fields of views: how each is read from the values of a member, and written.

use std::fmt::Debug;

use super::fields::{Fields, Layout, Ragged};
use super::object_writer::Members;
use super::rows::{Listed, Numeric, Timed};
use super::template::Member;
use super::values::{ValueError, Values};
use super::writer::SymbolWriter;
use crate::formats::directx::keys::Keys;

type Result<T, E = ValueError> = std::result::Result<T, E>;

/// A type of fields.
pub(in crate::formats::directx) trait FieldType: Debug {
    /// Reads the values of a member.
    fn read(fields: &mut Fields<'_>, member: &Member) -> Result<Self>
    where
        Self: Sized;

    /// Returns the number of elements of an array.
    fn len(&self) -> usize {
        1
    }

    /// Writes the values of the member of this name.
    fn write<S: SymbolWriter>(&self, name: &[u8], members: &mut Members<'_, S>) -> Result<(), String>;
}

/// A type of numbers.
pub(in crate::formats::directx) trait FieldNumber:
    Numeric + Debug + Default
{
    fn read(values: &mut Values<'_>) -> Result<Self>;

    /// Reads numbers that are next in one list of tokens.
    fn next_in_list<'a>(values: &mut Values<'a>, len: usize) -> Option<&'a [Self]>;

    /// Returns the count that the number is.
    fn as_count(self) -> u32 {
        0
    }
}

impl FieldNumber for u32 {
    #[inline]
    fn read(values: &mut Values<'_>) -> Result<Self> {
        values.unsigned()
    }

    fn next_in_list<'a>(values: &mut Values<'a>, len: usize) -> Option<&'a [Self]> {
        values.next_integers(len)
    }

    fn as_count(self) -> u32 {
        self
    }
}

impl FieldNumber for f32 {
    #[inline]
    fn read(values: &mut Values<'_>) -> Result<Self> {
        values.float()
    }

    fn next_in_list<'a>(values: &mut Values<'a>, len: usize) -> Option<&'a [Self]> {
        values.next_singles(len)
    }
}

fn array<T: FieldNumber, const N: usize>(values: &mut Values<'_>) -> Result<[T; N]> {
    let mut array = [T::default(); N];
    for item in &mut array {
        *item = T::read(values)?;
    }
    Ok(array)
}

impl<T: FieldNumber> FieldType for T {
    fn read(fields: &mut Fields<'_>, member: &Member) -> Result<Self> {
        let number = T::read(fields.single(member)?)?;
        fields.note(member, number.as_count());
        Ok(number)
    }

    fn write<S: SymbolWriter>(&self, name: &[u8], members: &mut Members<'_, S>) -> Result<(), String> {
        members.rows(name, 1, [*self])
    }
}

/// A string.
impl FieldType for Vec<u8> {
    fn read(fields: &mut Fields<'_>, member: &Member) -> Result<Self> {
        fields.single(member)?.text().map(<[u8]>::to_vec)
    }

    fn write<S: SymbolWriter>(&self, name: &[u8], members: &mut Members<'_, S>) -> Result<(), String> {
        members.text(name, self)
    }
}

/// A struct of `N` numbers, such as a matrix or a colour.
impl<T: FieldNumber, const N: usize> FieldType for [T; N] {
    fn read(fields: &mut Fields<'_>, member: &Member) -> Result<Self> {
        fields.require(member, |layout, kind| layout.flat(kind) == Some(N as u64))?;
        array(fields.single(member)?)
    }

    fn write<S: SymbolWriter>(&self, name: &[u8], members: &mut Members<'_, S>) -> Result<(), String> {
        members.rows(name, 1, [*self])
    }
}

/// Numbers.
impl<T: FieldNumber> FieldType for Vec<T> {
    fn read(fields: &mut Fields<'_>, member: &Member) -> Result<Self> {
        fields.require(member, |layout, kind| layout.flat(kind) == Some(1))?;
        match fields.next_in_list(member, 1) {
            Some(numbers) => Ok(numbers.to_vec()),
            None => fields.elements(member, 1, T::read),
        }
    }

    fn len(&self) -> usize {
        self.len()
    }

    fn write<S: SymbolWriter>(&self, name: &[u8], members: &mut Members<'_, S>) -> Result<(), String> {
        members.rows(name, self.len(), self.iter().copied())
    }
}

/// Structs of `N` numbers each, such as points and colours.
impl<T: FieldNumber, const N: usize> FieldType for Vec<[T; N]> {
    fn read(fields: &mut Fields<'_>, member: &Member) -> Result<Self> {
        fields.require(member, |layout, kind| layout.flat(kind) == Some(N as u64))?;
        match fields.next_in_list(member, N) {
            Some(numbers) => Ok(numbers.as_chunks().0.to_vec()),
            None => fields.elements(member, N, array),
        }
    }

    fn len(&self) -> usize {
        self.len()
    }

    fn write<S: SymbolWriter>(&self, name: &[u8], members: &mut Members<'_, S>) -> Result<(), String> {
        members.rows(name, self.len(), self.iter().copied())
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

    fn write<S: SymbolWriter>(&self, name: &[u8], members: &mut Members<'_, S>) -> Result<(), String> {
        members.rows(name, self.len(), self.iter().copied())
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

    fn write<S: SymbolWriter>(&self, name: &[u8], members: &mut Members<'_, S>) -> Result<(), String> {
        members.rows(name, self.len(), self.iter().map(Listed))
    }
}

/// Structs of a time, a count and a list.
impl FieldType for Keys {
    fn read(fields: &mut Fields<'_>, member: &Member) -> Result<Self> {
        fields.require(member, Layout::is_timed)?;
        let most = fields.bounded(member, 2);
        let mut keys = Self { times: Vec::with_capacity(most), values: Ragged::with_capacity(most) };
        fields.each(member, |values| {
            keys.times.push(values.signed()?);
            list(&mut keys.values, values)
        })?;
        Ok(keys)
    }

    fn len(&self) -> usize {
        self.times.len()
    }

    fn write<S: SymbolWriter>(&self, name: &[u8], members: &mut Members<'_, S>) -> Result<(), String> {
        members.rows(name, self.times.len(), self.iter().map(|key| Timed(key.time, key.values)))
    }
}

/// Reads a list with its count.
fn list<T: FieldNumber>(lists: &mut Ragged<T>, values: &mut Values<'_>) -> Result<()> {
    let len = values.unsigned()?;
    match T::next_in_list(values, len as usize) {
        Some(numbers) => lists.extend(numbers),
        None => {
            for _ in 0..len {
                lists.push(T::read(values)?);
            }
        }
    }
    lists.end();
    Ok(())
}
