//! Lists whose elements take arguments.

use std::io::{Read, Seek, SeekFrom};

use binrw::{BinRead, BinResult, Endian};

use super::blocks::{bytes_left, checked, one_by_one, push, quickly};
use super::{Extra, List};
use crate::ErrorKind;
use crate::schema::BulkWith;
use crate::wire::scope::Nested;
use crate::wire::source::{is_truncated, past_end};
use crate::wire::{note_index, refuse};

/// Reads a list whose elements take arguments, the same for each: `parse_with = list_with, args(num, (dialect,))`.
///
/// # Errors
/// As the elements; [`ErrorKind::Count`] for an invalid count.
pub fn list_with<T, A, R>(reader: &mut R, endian: Endian, (count, args): (i64, A)) -> BinResult<List<T>>
where
    T: BulkWith<A> + for<'a> BinRead<Args<'a> = A>,
    A: Clone,
    R: Read + Seek,
{
    let count = checked(reader, count)?;
    let read = |reader: &mut R| T::read_options(reader, endian, args.clone());
    let mut list = if <T as BulkWith<A>>::BULK {
        quickly(reader, count, |bytes| T::decode_prefix_with(bytes, args.clone()), read)?
    } else {
        one_by_one(reader, count, |reader, _| read(reader))?
    };
    if list.is_empty() {
        list.1 = Extra::cast(reader, list.1.missing(), |zeros| T::read_options(zeros, endian, args))?;
    }
    Ok(list)
}

/// Reads one element for each set of arguments, such as from an earlier list: `parse_with = list_each,
/// args(headers.iter().map(|header| (header.num_x,)))`.
///
/// # Errors
/// As the elements.
pub fn list_each<T, A, I, R>(reader: &mut R, endian: Endian, (args,): (I,)) -> BinResult<List<T>>
where
    T: for<'a> BinRead<Args<'a> = A>,
    I: IntoIterator<Item = A>,
    R: Read + Seek,
{
    let _nested = Nested::begin(reader)?;
    let truncated = is_truncated(reader);
    let mut args = args.into_iter();
    let mut items = Vec::new();
    while !(truncated && bytes_left(reader)? == 0)
        && let Some(args) = args.next()
    {
        let item = T::read_options(reader, endian, args).map_err(|error| note_index(error, items.len()))?;
        push(reader, &mut items, item, usize::MAX)?;
    }
    let count = items.len() + args.count();
    Ok(List::from(items).announcing(count))
}

/// Reads elements while a condition holds for the value that the next element starts with. The value that ends the list
/// is left for the next field: `parse_with = list_while, args(|id: i32| id < num, (args,))`.
///
/// # Errors
/// As the elements; [`ErrorKind::Count`] for elements without bytes, which would make the list infinite.
pub fn list_while<P, T, A, F, R>(
    reader: &mut R,
    endian: Endian,
    (goes_on, args): (F, A),
) -> BinResult<List<T>>
where
    P: for<'a> BinRead<Args<'a> = ()>,
    T: for<'a> BinRead<Args<'a> = A>,
    A: Clone,
    F: Fn(P) -> bool,
    R: Read + Seek,
{
    let _nested = Nested::begin(reader)?;
    let mut items = Vec::new();
    loop {
        let start = reader.stream_position()?;
        if past_end(reader)? {
            let count = items.len() + 1;
            return Ok(List::from(items).announcing(count));
        }
        if bytes_left(reader)? == 0 {
            let why = ErrorKind::Truncated { needed: size_of::<P>() as u64, left: 0 };
            return Err(note_index(refuse(start, why), items.len()));
        }
        let next = P::read_options(reader, endian, ()).map_err(|error| note_index(error, items.len()))?;
        reader.seek(SeekFrom::Start(start))?;
        if !goes_on(next) {
            let extra = if items.is_empty() {
                Extra::cast(reader, 0, |zeros| T::read_options(zeros, endian, args))?
            } else {
                Extra::default()
            };
            return Ok(List(items, extra));
        }
        let item =
            T::read_options(reader, endian, args.clone()).map_err(|error| note_index(error, items.len()))?;
        if reader.stream_position()? == start {
            return Err(refuse(
                start,
                ErrorKind::Count("elements without bytes would make the list infinite".into()),
            ));
        }
        push(reader, &mut items, item, usize::MAX)?;
    }
}
