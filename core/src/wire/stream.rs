//! Consecutive records up to the end of the file.

use std::io::{Read, Seek, SeekFrom, Write};
use std::ops::{Deref, DerefMut, Range};

use binrw::{BinRead, BinResult, BinWrite, Endian};

use super::list::{bytes_left, bytes_of_all};
use super::macros::{bin_write, deref, deref_list, node, slice_items};
use super::memory::reserve;
use super::part::tolerated;
use super::scope::Nested;
use super::{List, note_index};
use crate::Error;
use crate::schema::{Count, Items, Node, NodeMut, Schema, Shape, Value};

/// The maximum size of records that are read at once; longer ones are read field by field.
const BLOCK: usize = 256;

/// The number of records that a stream has room for at first.
const FIRST: usize = 4;

/// Records without a count, up to the end of the file: `chunks: Stream<Chunk>`.
///
/// A record that cannot be decoded ends the stream: its bytes and all bytes after it are in the file's
/// [`Rest`](super::Rest), and the stream keeps the error.
///
/// ```
/// use bindpose::wire::Stream;
/// let words: Stream<u32> = vec![1, 2].into();
/// assert!(words.stopped().is_none());
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Stream<T> {
    records: List<T>,
    stopped: Option<Error>,
}

impl<T> Stream<T> {
    /// Returns a stream without records.
    #[must_use]
    pub const fn new() -> Self {
        Self { records: List::new(), stopped: None }
    }

    /// Returns why the stream ended before the end of the file.
    #[must_use]
    pub const fn stopped(&self) -> Option<&Error> {
        self.stopped.as_ref()
    }

    /// Ends the stream at a record that proved invalid; the bytes from there on belong to the rest.
    pub fn stop_at(&mut self, index: usize, error: Error) {
        self.records.truncate(index);
        self.stopped = Some(error);
    }
}

impl<T: Schema + BinRead> BinRead for Stream<T>
where
    for<'a> T::Args<'a>: Clone,
{
    type Args<'a> = T::Args<'a>;

    fn read_options<R: Read + Seek>(reader: &mut R, endian: Endian, args: Self::Args<'_>) -> BinResult<Self> {
        Self::resume(reader, endian, &args, Vec::new())
    }
}

impl<T: Schema + BinRead> Stream<T>
where
    for<'a> T::Args<'a>: Clone,
{
    /// Reads the records after some that have been read.
    ///
    /// # Errors
    /// When a limit is exceeded.
    #[doc(hidden)]
    pub fn resume<R: Read + Seek>(
        reader: &mut R,
        endian: Endian,
        args: &T::Args<'_>,
        mut records: Vec<T>,
    ) -> BinResult<Self> {
        let _nested = Nested::begin(reader)?;
        let mut stopped = None;
        let (first, num_before) = (reader.stream_position()?, records.len());
        loop {
            let left = bytes_left(reader)?;
            if left == 0 {
                break;
            }
            let start = reader.stream_position()?;
            if records.len() == records.capacity() {
                let more = likely(records.len() - num_before, start - first, left);
                let half = records.len() / 2;
                reserve(reader, &mut records, more.clamp(half, 2 * half).max(FIRST))?;
            }
            match read_record(reader, endian, args.clone(), left) {
                Ok(record) => records.push(record),
                Err(error) => {
                    reader.seek(SeekFrom::Start(start))?;
                    stopped = Some(tolerated(reader, note_index(error, records.len()))?);
                    break;
                }
            }
            if reader.stream_position()? == start {
                break;
            }
        }
        Ok(Self { records: records.into(), stopped })
    }
}

/// Returns the number of records in the bytes left, if they have the average size of those that were read.
fn likely(len: usize, size: u64, left: u64) -> usize {
    let more = u128::from(left) * len as u128 / u128::from(size.max(1));
    usize::try_from(more).map_or(usize::MAX, |more| more + 1)
}

/// Reads a record of fixed size at once, and a truncated one field by field, so that the error names the field.
fn read_record<T, R>(reader: &mut R, endian: Endian, args: T::Args<'_>, left: u64) -> BinResult<T>
where
    T: Schema + BinRead,
    R: Read + Seek,
{
    match T::FIXED {
        Some(size @ 1..=BLOCK) if size as u64 <= left => {
            let mut block = [0; BLOCK];
            reader.read_exact(&mut block[..size])?;
            Ok(T::get(&block[..size]))
        }
        _ => T::read_options(reader, endian, args),
    }
}

bin_write!(
    [T: Schema + for<'a> BinWrite<Args<'a> = ()>] Stream<T>,
    |own, writer, endian| own.records.write_options(writer, endian, ())
);

impl<T: Schema> Value for Stream<T> {
    node!(Items);

    fn size(&self) -> u64 {
        self.records.size()
    }
}

impl<T: Schema> Items for Stream<T> {
    slice_items!(T);

    fn blank_item(&self, show: &mut dyn FnMut(&dyn Value)) {
        self.records.blank_item(show);
    }
    fn insert(&mut self, index: usize) -> bool {
        Items::insert(&mut self.records, index)
    }
    fn remove(&mut self, index: usize) -> bool {
        Items::remove(&mut self.records, index)
    }
    fn remove_all(&mut self, indices: &[usize]) -> bool {
        self.records.remove_all(indices)
    }
    fn keep(&mut self, len: usize) -> bool {
        self.stopped = None;
        self.records.keep(len)
    }
    fn stopped(&self) -> Option<&Error> {
        self.stopped.as_ref()
    }
}

impl<T: Schema> Schema for Stream<T> {
    const IS_FINITE: bool = T::IS_FINITE;

    fn shape() -> Shape {
        Shape::List(Box::new(T::shape()), Count::ToEnd)
    }
    fn blank(_like: Option<&Self>) -> Self {
        Self::from(Vec::new())
    }
}

impl<T> From<Vec<T>> for Stream<T> {
    fn from(records: Vec<T>) -> Self {
        Self { records: records.into(), stopped: None }
    }
}

impl<T> Default for Stream<T> {
    fn default() -> Self {
        Self::from(Vec::new())
    }
}

deref_list!([T] Stream<T>, records);
