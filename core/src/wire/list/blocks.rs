//! Reads and writes lists block by block, and checks counts against the file size.

use std::io::{Read, Seek, SeekFrom, Write};

use binrw::{BinRead, BinResult, BinWrite, Endian};

use super::List;
use crate::ErrorKind;
use crate::schema::{Schema, bytes_of};
use crate::wire::memory::{charge, make_room, reserve};
use crate::wire::scope::{self, Nested};
use crate::wire::source::{is_truncated, past_end};
use crate::wire::{note_index, refuse};

/// The size of a block of records of variable size, which fits into the first-level cache.
const BLOCK: usize = 16 * 1024;

/// The size of a block of records of fixed size, which fits into the second-level cache.
const FIXED_BLOCK: usize = 4 * BLOCK;

/// The number of records of variable size below which reading by blocks does not pay off.
const FEW: usize = 16;

/// The size of the buffer on the stack for short lists.
const SHORT: usize = 256;

/// Returns the number of bytes left.
pub fn bytes_left(reader: &mut impl Seek) -> BinResult<u64> {
    let at = reader.stream_position()?;
    let end = reader.seek(SeekFrom::End(0))?;
    reader.seek(SeekFrom::Start(at))?;
    Ok(scope::end().map_or(end, |own| own.min(end)).saturating_sub(at))
}

/// Returns the bytes left, which elements need at least; a truncated file may have fewer.
///
/// # Errors
/// [`ErrorKind::Truncated`] when fewer bytes are left in another file.
pub fn fitting(reader: &mut impl Seek, needed: usize) -> BinResult<usize> {
    let left = usize::try_from(bytes_left(reader)?).unwrap_or(usize::MAX);
    if needed <= left || is_truncated(reader) {
        return Ok(left);
    }
    let kind = ErrorKind::Truncated { needed: needed as u64, left: left as u64 };
    Err(refuse(reader.stream_position()?, kind))
}

/// Returns a count as a length.
///
/// # Errors
/// [`ErrorKind::Count`] for a negative one.
pub fn checked(reader: &mut impl Seek, count: i64) -> BinResult<usize> {
    match usize::try_from(count) {
        Ok(count) => Ok(count),
        Err(_) => Err(refuse(reader.stream_position()?, ErrorKind::Count(format!("invalid count {count}")))),
    }
}

pub(super) fn read<T, R>(reader: &mut R, endian: Endian, count: i64) -> BinResult<List<T>>
where
    T: Schema + for<'a> BinRead<Args<'a> = ()>,
    R: Read + Seek,
{
    let count = checked(reader, count)?;
    // Constant conditions: only what the elements need is compiled for them.
    if const { has_blocks::<T>() } {
        in_blocks(reader, endian, count, T::FIXED.unwrap_or_default())
    } else if const { T::FIXED.is_none() && T::BULK } {
        quickly(reader, count, T::decode_prefix, |reader| T::read_options(reader, endian, ()))
    } else {
        one_by_one(reader, count, |reader, _| T::read_options(reader, endian, ()))
    }
}

/// Whether blocks contain whole elements.
const fn has_blocks<T: Schema>() -> bool {
    matches!(T::FIXED, Some(1..=FIXED_BLOCK))
}

fn in_blocks<T, R>(reader: &mut R, endian: Endian, count: usize, size: usize) -> BinResult<List<T>>
where
    T: Schema + for<'a> BinRead<Args<'a> = ()>,
    R: Read + Seek,
{
    let left = usize::try_from(bytes_left(reader)?).unwrap_or(usize::MAX);
    let there = left / size;
    if count > there {
        if is_truncated(reader) {
            let mut list = in_blocks::<T, R>(reader, endian, there, size)?;
            if left > there * size {
                list.0.push(T::read_options(reader, endian, ())?);
            }
            return Ok(list.announcing(count));
        }
        return Err(first_missing::<T, R>(reader, endian, there, size));
    }
    let mut items = Vec::new();
    reserve(reader, &mut items, count)?;
    if count * size <= SHORT {
        let mut block = [0; SHORT];
        let block = &mut block[..count * size];
        reader.read_exact(block)?;
        items.extend(block.chunks_exact(size).map(T::get));
        return Ok(List::from(items));
    }
    let mut block = vec![0; (FIXED_BLOCK / size).min(count) * size];
    while items.len() < count {
        let bytes = ((count - items.len()) * size).min(block.len());
        let block = &mut block[..bytes];
        reader.read_exact(block)?;
        items.extend(block.chunks_exact(size).map(T::get));
    }
    Ok(List::from(items))
}

/// Appends an element to a list of at most `most`, and charges the memory.
///
/// # Errors
/// As [`charge`].
#[inline]
pub fn push<T>(reader: &mut impl Seek, items: &mut Vec<T>, item: T, most: usize) -> BinResult<()> {
    make_room(reader, items, most)?;
    items.push(item);
    Ok(())
}

/// Reads records of variable size: those that `decode` finds complete in a block, then the next block. A record that
/// exceeds a block or is invalid is read by its definition.
pub(super) fn quickly<T, R: Read + Seek>(
    reader: &mut R,
    count: usize,
    decode: impl Fn(&[u8]) -> Option<(T, usize)>,
    mut read: impl FnMut(&mut R) -> BinResult<T>,
) -> BinResult<List<T>> {
    if count <= FEW {
        return one_by_one(reader, count, |reader, _| read(reader));
    }
    let all = bytes_left(reader)?;
    let mut items = Vec::new();
    let mut block = vec![0; BLOCK];
    let mut left = usize::try_from(all).unwrap_or(usize::MAX);
    while items.len() < count {
        if left == 0 && past_end(reader)? {
            break;
        }
        let block = &mut block[..left.min(BLOCK)];
        reader.read_exact(block)?;
        let (before, mut at) = (items.len(), 0);
        while items.len() < count
            && let Some((item, size @ 1..)) = decode(&block[at..])
        {
            push(reader, &mut items, item, count)?;
            at += size;
        }
        // Lists in the records have their own memory.
        charge(reader, at)?;
        let surplus = i64::try_from(block.len() - at).unwrap_or(i64::MAX);
        reader.seek(SeekFrom::Current(-surplus))?;
        left -= at;
        if at == 0 {
            can_have(reader, items.len(), count, all)?;
            make_room(reader, &mut items, count)?;
            items.push(read(reader).map_err(|error| note_index(error, items.len()))?);
            left = usize::try_from(bytes_left(reader)?).unwrap_or(usize::MAX);
        } else if before == 0 {
            // At most what the remaining bytes allow at this average size, whatever the count is.
            let likely = (left / at + 1).saturating_mul(items.len());
            let more = likely.min(count - items.len());
            reserve(reader, &mut items, more)?;
        }
    }
    Ok(List::from(items).announcing(count))
}

/// Returns the error of reading the records one by one, at the exact field.
fn first_missing<T, R>(reader: &mut R, endian: Endian, index: usize, size: usize) -> binrw::Error
where
    T: for<'a> BinRead<Args<'a> = ()>,
    R: Read + Seek,
{
    let distance = i64::try_from(index * size).unwrap_or(i64::MAX);
    match reader.seek(SeekFrom::Current(distance)).map_err(binrw::Error::from) {
        Ok(start) => match T::read_options(reader, endian, ()) {
            Err(error) => note_index(error, index),
            Ok(_) => refuse(start, ErrorKind::Internal("a record was read after the end of the file".into())),
        },
        Err(error) => error,
    }
}

pub(super) fn one_by_one<T, R: Read + Seek>(
    reader: &mut R,
    count: usize,
    mut read: impl FnMut(&mut R, usize) -> BinResult<T>,
) -> BinResult<List<T>> {
    let _nested = Nested::begin(reader)?;
    let left = bytes_left(reader)?;
    let truncated = is_truncated(reader);
    let mut items = Vec::new();
    for index in 0..count {
        if truncated && bytes_left(reader)? == 0 {
            break;
        }
        can_have(reader, index, count, left)?;
        make_room(reader, &mut items, count)?;
        items.push(read(reader, index).map_err(|error| note_index(error, index))?);
    }
    Ok(List::from(items).announcing(count))
}

/// Refuses an element after as many as there were bytes: if elements have no bytes, the file size does not limit their
/// count.
fn can_have(reader: &mut impl Seek, index: usize, count: usize, bytes: u64) -> BinResult<()> {
    if index as u64 <= bytes {
        return Ok(());
    }
    let why = ErrorKind::Count(format!("{count} elements do not fit into the {bytes} bytes left"));
    Err(refuse(reader.stream_position()?, why))
}

pub(in crate::wire) fn write<T, W>(items: &[T], writer: &mut W, endian: Endian) -> BinResult<()>
where
    T: Schema + for<'a> BinWrite<Args<'a> = ()>,
    W: Write + Seek,
{
    if const { has_blocks::<T>() } {
        write_blocks(items, writer)
    } else if const { T::FIXED.is_none() && T::APPENDS } && items.len() > FEW {
        write_quickly(items, writer)
    } else {
        items.iter().try_for_each(|item| item.write_options(writer, endian, ()))
    }
}

fn write_blocks<T: Schema>(items: &[T], writer: &mut dyn Write) -> BinResult<()> {
    let size = T::FIXED.unwrap_or_default();
    if items.len() * size <= SHORT {
        let mut block = [0; SHORT];
        let block = &mut block[..items.len() * size];
        fill(items, block, size);
        return Ok(writer.write_all(block)?);
    }
    let per_block = FIXED_BLOCK / size;
    let mut block = vec![0; per_block.min(items.len()) * size];
    for items in items.chunks(per_block) {
        let block = &mut block[..items.len() * size];
        fill(items, block, size);
        writer.write_all(block)?;
    }
    Ok(())
}

fn write_quickly<T: Schema>(items: &[T], writer: &mut dyn Write) -> BinResult<()> {
    let mut block = Vec::with_capacity(BLOCK + SHORT);
    for item in items {
        item.append_to(&mut block);
        if block.len() >= BLOCK {
            writer.write_all(&block)?;
            block.clear();
        }
    }
    Ok(writer.write_all(&block)?)
}

#[inline]
fn fill<T: Schema>(items: &[T], block: &mut [u8], size: usize) {
    for (item, bytes) in items.iter().zip(block.chunks_exact_mut(size)) {
        item.put(bytes);
    }
}

/// Appends the bytes of the elements.
pub(in crate::wire) fn bytes_of_all<T: Schema>(items: &[T], out: &mut Vec<u8>) {
    match T::FIXED {
        Some(0) => {}
        Some(size) => {
            let start = out.len();
            out.resize(start + items.len() * size, 0);
            fill(items, &mut out[start..], size);
        }
        None if T::APPENDS => items.iter().for_each(|item| item.append_to(out)),
        None => items.iter().for_each(|item| out.extend(bytes_of(item))),
    }
}
