//! Rows of records of variable size, stored as in the file.

use std::fmt;
use std::io::{Read, Seek, SeekFrom, Write};
use std::marker::PhantomData;
use std::ops::{ControlFlow, Range};

use binrw::{BinRead, BinResult, BinWrite, Endian};

use crate::schema::{BulkWith, Count, ElementAt, Items, Node, NodeMut, Prefix, Schema, Shape, Value};
use crate::wire::{
    Counter, List, TooMany, Wire, checked, count_of, counter, fitting, note_index, note_prefix, past_end,
    push, room,
};
use crate::{Error, ErrorKind, Result};

/// The size of a block, which fits into the first-level cache.
const BLOCK: usize = 16 * 1024;

/// The number of cells below which reading by blocks does not pay off.
const FEW: usize = 16;

/// A count and rows, each with the same number of cells: `#[br(args(num_columns))] frames: Table<CInt, Key>`, with the
/// count as leaf `num_frames`.
///
/// Most cells are empty, and an empty cell takes one byte in the file. So the table stores the bytes and the start of
/// each row, and decodes cells on demand. The type of cells is [`BULK`](Schema::BULK), and each cell has at least one
/// byte. Rows without cells have no bytes: the table keeps their count only, and has no rows.
///
/// ```
/// use bindpose::formats::unigine::Table;
/// let mut table: Table<u16, u8> = Table::new(2);
/// table.push([1, 2])?;
/// table.push([3, 4])?;
/// assert_eq!(table.row(1).collect::<Vec<_>>(), [3, 4]);
/// # Ok::<(), bindpose::Error>(())
/// ```
pub struct Table<C, T> {
    stored: C,
    columns: usize,
    /// The offset of each row in `bytes`.
    starts: Vec<usize>,
    bytes: Vec<u8>,
    /// The number of rows that are missing in a truncated file.
    missing: usize,
    cells: PhantomData<fn() -> T>,
}

impl<C: Counter, T: Schema + Wire> Table<C, T> {
    /// Returns an empty table with this number of columns.
    #[must_use]
    pub fn new(columns: usize) -> Self {
        const { assert!(T::BULK, "the cells of a table are decoded without arguments") };
        Self {
            stored: C::default(),
            columns,
            starts: Vec::new(),
            bytes: Vec::new(),
            missing: 0,
            cells: PhantomData,
        }
    }

    /// Returns the number of cells in each row.
    #[must_use]
    pub const fn columns(&self) -> usize {
        self.columns
    }

    /// Returns the number of rows.
    #[must_use]
    pub const fn len(&self) -> usize {
        self.starts.len()
    }

    /// Returns whether there are no rows.
    #[must_use]
    pub const fn is_empty(&self) -> bool {
        self.starts.is_empty()
    }

    /// Returns the cells of a row; none if the row does not exist.
    pub fn row(&self, row: usize) -> impl Iterator<Item = T> {
        cells(self.row_bytes(row).unwrap_or_default(), self.columns)
    }

    /// Returns a cell. The time depends on the column, because the cells before it are decoded.
    #[must_use]
    pub fn get(&self, row: usize, column: usize) -> Option<T> {
        self.row(row).nth(column)
    }

    /// Appends a row.
    ///
    /// # Errors
    /// [`ErrorKind::Value`] when the number of cells differs from the number of columns or is 0, or a cell does not
    /// re-encode identically.
    pub fn push(&mut self, cells: impl IntoIterator<Item = T>) -> Result<()> {
        let cells: Vec<T> = cells.into_iter().collect();
        let bytes = self.laid(&cells)?;
        self.starts.push(self.bytes.len());
        self.bytes.extend_from_slice(&bytes);
        Ok(())
    }

    fn range(&self, row: usize) -> Option<Range<usize>> {
        let start = *self.starts.get(row)?;
        Some(start..self.starts.get(row + 1).copied().unwrap_or(self.bytes.len()))
    }

    fn row_bytes(&self, row: usize) -> Option<&[u8]> {
        self.bytes.get(self.range(row)?)
    }

    /// Returns the bytes of a row, and verifies that they decode to the same cells.
    fn laid(&self, row: &[T]) -> Result<Vec<u8>> {
        if row.len() != self.columns || row.is_empty() {
            return Err(wrong(format!("expected {} cells in a row, got {}", self.columns, row.len())));
        }
        let mut bytes = Vec::new();
        for (column, cell) in row.iter().enumerate() {
            let start = bytes.len();
            cell.append_to(&mut bytes);
            if T::span(&bytes[start..]).is_none_or(|size| start + size != bytes.len()) {
                return Err(wrong(format!("the parts of cell {column} do not match its flags")));
            }
        }
        Ok(bytes)
    }

    /// Rebuilds the bytes with changes to some rows, in ascending order. If a change fails, no row changes.
    fn relay(
        &mut self,
        rows: &[usize],
        change: &mut dyn FnMut(usize, &mut List<T>) -> Result<()>,
    ) -> Result<()> {
        let (mut starts, mut bytes) = (self.starts.clone(), Vec::with_capacity(self.bytes.len()));
        let mut rows = rows.iter().peekable();
        for (row, start) in starts.iter_mut().enumerate() {
            *start = bytes.len();
            if rows.next_if_eq(&&row).is_some() {
                let mut cells: List<T> = self.row(row).collect();
                change(row, &mut cells)?;
                bytes.extend(self.laid(&cells)?);
            } else {
                bytes.extend_from_slice(self.row_bytes(row).unwrap_or_default());
            }
        }
        (self.starts, self.bytes) = (starts, bytes);
        Ok(())
    }

    fn counter(&self) -> Result<C, TooMany> {
        let rows = self.len() + self.missing;
        let is_kept = self.columns == 0 || i64::try_from(rows) == Ok(self.stored.into());
        if is_kept { Ok(self.stored) } else { count_of(rows) }
    }
}

/// Returns the cells in some bytes.
fn cells<T: Schema>(bytes: &[u8], columns: usize) -> impl Iterator<Item = T> {
    let mut at = 0;
    (0..columns).map_while(move |_| {
        let (cell, size) = T::decode_prefix(bytes.get(at..)?)?;
        at += size;
        Some(cell)
    })
}

fn wrong(why: String) -> Error {
    Error::new(0, ErrorKind::Value(why.into()))
}

impl<C: Counter, T: Schema + Wire> BinRead for Table<C, T> {
    type Args<'a> = (i64,);

    fn read_options<R: Read + Seek>(reader: &mut R, endian: Endian, (columns,): (i64,)) -> BinResult<Self> {
        let stored: C = counter(reader, endian, ()).map_err(|error| note_prefix(error, "num"))?;
        let rows = checked(reader, stored.into())?;
        let columns = checked(reader, columns)?;
        let mut table = Self { stored, ..Self::new(columns) };
        // The number of rows without bytes has no bound.
        if columns == 0 {
            return Ok(table);
        }
        // A cell has at least one byte.
        let left = fitting(reader, rows.saturating_mul(columns))?;
        if rows.saturating_mul(columns) > FEW {
            table.read_quickly(reader, rows, left)?;
        }
        table.read_slowly(reader, endian, rows)?;
        table.missing = rows - table.len();
        Ok(table)
    }
}

impl<C: Counter, T: Schema + Wire> Table<C, T> {
    /// Reads block by block, up to a row that is invalid or incomplete; the definition then determines the error.
    fn read_quickly<R: Read + Seek>(
        &mut self,
        reader: &mut R,
        rows: usize,
        mut left: usize,
    ) -> BinResult<()> {
        let mut at = 0;
        let mut column = 0;
        let mut fetch = BLOCK;
        self.starts.push(0);
        while self.starts.len() <= rows {
            let fetched = self.bytes.len();
            room(reader, &mut self.bytes, fetch.min(left))?;
            self.bytes.resize(fetched + fetch.min(left), 0);
            reader.read_exact(&mut self.bytes[fetched..])?;
            left -= self.bytes.len() - fetched;
            let before = at;
            while let Some(size @ 1..) = T::span(&self.bytes[at..]) {
                at += size;
                column += 1;
                if column == self.columns {
                    column = 0;
                    push(reader, &mut self.starts, at, rows + 1)?;
                    if self.starts.len() > rows {
                        break;
                    }
                }
            }
            if before == 0 && at > 0 {
                // At most the remaining bytes, at the average size so far.
                let done = ((self.starts.len() - 1) * self.columns + column).max(1);
                let likely = (rows.saturating_mul(self.columns) / done).saturating_mul(at + at / 16);
                room(reader, &mut self.bytes, likely.min(left))?;
            }
            // A cell longer than a block is read completely before it is rejected.
            fetch = if at == before { self.bytes.len() - at } else { BLOCK };
            if left == 0 || fetch == 0 {
                break;
            }
        }
        // The end of the last complete row, or the offset of the error in the next one.
        let end = self.starts.pop().unwrap_or(0);
        let surplus = i64::try_from(self.bytes.len() - end).unwrap_or(i64::MAX);
        reader.seek(SeekFrom::Current(-surplus))?;
        self.bytes.truncate(end);
        self.bytes.shrink_to_fit();
        Ok(())
    }

    fn read_slowly<R: Read + Seek>(&mut self, reader: &mut R, endian: Endian, rows: usize) -> BinResult<()> {
        while self.starts.len() < rows && !past_end(reader)? {
            let row = self.starts.len();
            push(reader, &mut self.starts, self.bytes.len(), rows)?;
            for column in 0..self.columns {
                let cell = T::read_options(reader, endian, ())
                    .map_err(|error| note_index(note_index(error, column), row))?;
                room(reader, &mut self.bytes, usize::try_from(cell.size()).unwrap_or(usize::MAX))?;
                cell.append_to(&mut self.bytes);
            }
        }
        Ok(())
    }
}

impl<C: Counter, T: Schema + Wire> BinWrite for Table<C, T> {
    type Args<'a> = ();

    fn write_options<W: Write + Seek>(&self, writer: &mut W, endian: Endian, (): ()) -> BinResult<()> {
        match self.counter() {
            Ok(counter) => counter.write_options(writer, endian, ())?,
            Err(error) => {
                let pos = writer.stream_position()?;
                return Err(binrw::Error::Custom { pos, err: Box::new(error) });
            }
        }
        Ok(writer.write_all(&self.bytes)?)
    }
}

impl<C: Counter, T: Schema + Wire> Value for Table<C, T> {
    fn size(&self) -> u64 {
        self.bytes.len() as u64
    }
    fn node(&self) -> Node<'_> {
        Node::Items(self)
    }
    fn node_mut(&mut self) -> NodeMut<'_> {
        NodeMut::Items(self)
    }
    fn prefix(&self, show: &mut dyn FnMut(&dyn Value) -> ControlFlow<()>) -> ControlFlow<()> {
        show(&self.counter().unwrap_or(self.stored))
    }
}

impl<C: Counter, T: Schema + Wire> Items for Table<C, T> {
    fn len(&self) -> usize {
        self.len()
    }
    fn each(
        &self,
        first: usize,
        visit: &mut dyn FnMut(usize, &dyn Value) -> ControlFlow<()>,
    ) -> ControlFlow<()> {
        (first..self.len()).try_for_each(|row| {
            let bytes = self.row_bytes(row).unwrap_or_default();
            visit(row, &RowBytes::<T> { bytes, columns: self.columns, cells: PhantomData })
        })
    }
    fn seek(&self, to: ElementAt) -> (usize, usize) {
        let row = match to {
            ElementAt::Index(row) => row,
            ElementAt::Byte(byte) => self.starts.partition_point(|start| *start < byte).saturating_sub(1),
        };
        (row, self.starts.get(row).copied().unwrap_or(self.bytes.len()))
    }
    fn announced(&self) -> usize {
        self.len() + self.missing
    }
    fn keep(&mut self, len: usize) -> bool {
        if let Some(end) = self.starts.get(len) {
            self.bytes.truncate(*end);
            self.starts.truncate(len);
        }
        self.missing = 0;
        true
    }
    fn change(
        &mut self,
        rows: &[usize],
        change: &mut dyn FnMut(usize, &mut dyn Value) -> Result<()>,
    ) -> Result<()> {
        self.relay(rows, &mut |row, cells| change(row, cells))
    }
    fn item_size(&self) -> Option<usize> {
        T::FIXED.map(|size| size * self.columns)
    }
    fn is_section(&self) -> bool {
        true
    }
    fn insert(&mut self, row: usize) -> bool {
        if self.columns == 0 {
            return false;
        }
        let Some(start) = self.starts.get(row).copied().or((row == self.len()).then_some(self.bytes.len()))
        else {
            return false;
        };
        let mut bytes = Vec::new();
        (0..self.columns).for_each(|_| T::blank(None).append_to(&mut bytes));
        self.starts.iter_mut().skip(row).for_each(|later| *later += bytes.len());
        self.starts.insert(row, start);
        self.bytes.splice(start..start, bytes);
        true
    }
    fn remove(&mut self, row: usize) -> bool {
        let Some(range) = self.range(row) else { return false };
        self.starts.remove(row);
        self.starts.iter_mut().skip(row).for_each(|later| *later -= range.len());
        self.bytes.drain(range);
        true
    }
}

impl<C: Counter, T: Schema + Wire> BulkWith<(i64,)> for Table<C, T> {}

impl<C: Counter, T: Schema + Wire> Schema for Table<C, T> {
    const PREFIX: Prefix = Prefix::Num;

    fn shape() -> Shape {
        let row = Shape::List(Box::new(T::shape()), Count::Argument);
        Shape::List(Box::new(row), Count::Prefix(Box::new(C::shape())))
    }
    /// Has no columns, because the list that determines their number is empty as well.
    fn blank(_like: Option<&Self>) -> Self {
        Self::new(0)
    }
}

/// A row that is being visited.
struct RowBytes<'a, T> {
    bytes: &'a [u8],
    columns: usize,
    cells: PhantomData<fn() -> T>,
}

impl<T: Schema> Value for RowBytes<'_, T> {
    fn size(&self) -> u64 {
        self.bytes.len() as u64
    }
    fn node(&self) -> Node<'_> {
        Node::Items(self)
    }
    fn node_mut(&mut self) -> NodeMut<'_> {
        NodeMut::Absent
    }
}

impl<T: Schema> Items for RowBytes<'_, T> {
    fn len(&self) -> usize {
        self.columns
    }
    fn each(
        &self,
        first: usize,
        visit: &mut dyn FnMut(usize, &dyn Value) -> ControlFlow<()>,
    ) -> ControlFlow<()> {
        { cells::<T>(self.bytes, self.columns).enumerate().skip(first) }
            .try_for_each(|(column, cell)| visit(column, &cell))
    }
    fn each_at(
        &self,
        first: usize,
        start: usize,
        visit: &mut dyn FnMut(usize, &dyn Value) -> ControlFlow<()>,
    ) -> ControlFlow<()> {
        { (first..).zip(cells::<T>(self.bytes.get(start..).unwrap_or_default(), self.columns - first)) }
            .try_for_each(|(column, cell)| visit(column, &cell))
    }
    fn item_size(&self) -> Option<usize> {
        T::FIXED
    }
}

impl<C: Clone, T> Clone for Table<C, T> {
    fn clone(&self) -> Self {
        Self {
            stored: self.stored.clone(),
            columns: self.columns,
            starts: self.starts.clone(),
            bytes: self.bytes.clone(),
            missing: self.missing,
            cells: PhantomData,
        }
    }
}

impl<C: Counter, T: Schema + Wire> PartialEq for Table<C, T> {
    fn eq(&self, other: &Self) -> bool {
        (self.columns, &self.starts, &self.bytes) == (other.columns, &other.starts, &other.bytes)
            && self.counter() == other.counter()
    }
}

impl<C, T> fmt::Debug for Table<C, T> {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "{} rows of {} cells in {} bytes", self.starts.len(), self.columns, self.bytes.len())
    }
}
