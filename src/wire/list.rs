//! Lists: a count here or elsewhere, records of fixed length read and written block by block.

use std::io::{Read, Seek, SeekFrom, Write};
use std::ops::{ControlFlow, Deref, DerefMut};

use binrw::{BinRead, BinResult, BinWrite, Endian};

use super::{Source, note_index, note_lead, refuse};
use crate::Kind;
use crate::schema::{Count, Items, Leaf, Node, NodeMut, Schema, Shape, Value};

/// Bytes moved at a time; small enough to stay in the first cache.
pub(super) const BLOCK: usize = 16 * 1024;

/// Bytes of records of fixed length moved at a time; small enough to stay in the second cache.
const FIXED_BLOCK: usize = 4 * BLOCK;

/// Short lists go through the stack.
const SHORT: usize = 256;

/// So many records of varying length are not worth a block.
const FEW: usize = 16;

/// Elements whose count stands elsewhere: `#[br(args(num_x.into()))] x: List<T>`.
///
/// Records of [fixed length](Schema::FIXED) are read and written block by block, which is what makes large files
/// as fast as copying them; a count that the remaining bytes cannot hold is refused before anything is reserved.
///
/// ```
/// use bindpose::wire::List;
/// let list: List<u16> = vec![1, 2, 3].into();
/// assert_eq!(list.len(), 3);
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct List<T>(Vec<T>, Mould<T>);

/// What an element of an empty list looks like, where the arguments it was read with say so.
#[derive(Clone)]
struct Mould<T>(Option<Box<T>>);

impl<T> Mould<T> {
    /// Lets an element read itself out of zeros.
    fn cast(read: impl FnOnce(&mut Source<'_>) -> BinResult<T>) -> Self {
        Self(read(&mut Source::new(&[0; SHORT])).ok().map(Box::new))
    }
}

impl<T> Default for Mould<T> {
    fn default() -> Self {
        Self(None)
    }
}

/// It is no part of the content.
impl<T> PartialEq for Mould<T> {
    fn eq(&self, _: &Self) -> bool {
        true
    }
}

impl<T> Eq for Mould<T> {}

impl<T> std::fmt::Debug for Mould<T> {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        out.write_str(if self.0.is_some() { "moulded" } else { "plain" })
    }
}

/// Elements directly behind their count: `x: Counted<u16, T>`, with the count as leaf `num_x`.
///
/// The count is kept as spelled while it equals the length, and written afresh when it does not.
///
/// ```
/// use bindpose::wire::Counted;
/// let list: Counted<u16, f32> = vec![0.5, 1.0].into();
/// assert_eq!(list[1], 1.0);
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Counted<C, T> {
    spelled: C,
    items: List<T>,
}

/// A type that counts: unsigned or signed, of fixed or variable width.
pub trait Counter: Schema + Leaf + super::Wire + Copy + Into<i64> + TryFrom<usize> + Default {}

impl<C: Schema + Leaf + super::Wire + Copy + Into<i64> + TryFrom<usize> + Default> Counter for C {}

/// The length of a list as a count of type `C`: `#[bw(try_calc = count(x))]`.
///
/// # Errors
/// When the list is longer than `C` can say.
pub fn count<C: TryFrom<usize>, T>(list: &[T]) -> Result<C, TooMany> {
    count_of(list.len())
}

/// A number of elements as a count of type `C`.
///
/// # Errors
/// When it is more than `C` can say.
pub fn count_of<C: TryFrom<usize>>(len: usize) -> Result<C, TooMany> {
    C::try_from(len).map_err(|_| TooMany { len, counter: std::any::type_name::<C>() })
}

/// The length of a list as an argument for another: `#[br(args(len(vertices)))]`.
#[must_use]
pub fn len<T>(list: &[T]) -> i64 {
    i64::try_from(list.len()).unwrap_or(i64::MAX)
}

/// A list is longer than its count can say.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TooMany {
    len: usize,
    counter: &'static str,
}

impl std::fmt::Display for TooMany {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(out, "{} elements are more than their count, a {}, can say", self.len, self.counter)
    }
}

impl std::error::Error for TooMany {}

/// Reads a list whose elements take arguments, the same for each: `parse_with = list_with, args(num, (dialect,))`.
///
/// # Errors
/// As the elements; [`Kind::Count`] for a count that cannot be.
pub fn list_with<T, A, R>(reader: &mut R, endian: Endian, (count, args): (i64, A)) -> BinResult<List<T>>
where
    T: for<'a> BinRead<Args<'a> = A>,
    A: Clone,
    R: Read + Seek,
{
    let count = checked(reader, count)?;
    let mut list = one_by_one(reader, count, |reader, _| T::read_options(reader, endian, args.clone()))?;
    if list.is_empty() {
        list.1 = Mould::cast(|zeros| T::read_options(zeros, endian, args));
    }
    Ok(list)
}

/// Reads one element for each of the arguments, which come from an earlier list:
/// `parse_with = list_each, args(headers.iter().map(|header| (header.num_x,)))`.
///
/// # Errors
/// As the elements.
pub fn list_each<T, A, I, R>(reader: &mut R, endian: Endian, (args,): (I,)) -> BinResult<List<T>>
where
    T: for<'a> BinRead<Args<'a> = A>,
    I: IntoIterator<Item = A>,
    R: Read + Seek,
{
    let mut items = Vec::new();
    for (index, args) in args.into_iter().enumerate() {
        items.push(T::read_options(reader, endian, args).map_err(|error| note_index(error, index))?);
    }
    Ok(List::from(items))
}

/// Reads elements as long as the value that the next one would begin with says so; the value that ends the list is
/// left for the field behind it: `parse_with = list_while, args(|id: i32| id < num, (args,))`.
///
/// # Errors
/// As the elements; [`Kind::Count`] for elements without bytes, which would never end.
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
    let mut items = Vec::new();
    loop {
        let start = reader.stream_position()?;
        if bytes_left(reader)? == 0 {
            let why = Kind::Truncated { needed: size_of::<P>() as u64, left: 0 };
            return Err(note_index(refuse(start, why), items.len()));
        }
        let next = P::read_options(reader, endian, ()).map_err(|error| note_index(error, items.len()))?;
        reader.seek(SeekFrom::Start(start))?;
        if !goes_on(next) {
            let mould = items.is_empty().then(|| Mould::cast(|zeros| T::read_options(zeros, endian, args)));
            return Ok(List(items, mould.unwrap_or_default()));
        }
        let item =
            T::read_options(reader, endian, args.clone()).map_err(|error| note_index(error, items.len()))?;
        if reader.stream_position()? == start {
            return Err(refuse(start, Kind::Count("elements without bytes never end".into())));
        }
        items.push(item);
    }
}

/// Bytes from here to the end.
pub(crate) fn bytes_left(reader: &mut impl Seek) -> BinResult<u64> {
    let at = reader.stream_position()?;
    let end = reader.seek(SeekFrom::End(0))?;
    reader.seek(SeekFrom::Start(at))?;
    Ok(end - at)
}

pub(super) fn checked(reader: &mut impl Seek, count: i64) -> BinResult<usize> {
    match usize::try_from(count) {
        Ok(count) => Ok(count),
        Err(_) => {
            Err(refuse(reader.stream_position()?, Kind::Count(format!("a count of {count} cannot be"))))
        }
    }
}

fn read_list<T, R>(reader: &mut R, endian: Endian, count: i64) -> BinResult<List<T>>
where
    T: Schema + for<'a> BinRead<Args<'a> = ()>,
    R: Read + Seek,
{
    let count = checked(reader, count)?;
    match T::FIXED {
        Some(size @ 1..=FIXED_BLOCK) => in_blocks(reader, endian, count, size),
        None if T::QUICK && count > FEW => quickly(reader, endian, count),
        _ => one_by_one(reader, count, |reader, _| T::read_options(reader, endian, ())),
    }
}

fn in_blocks<T, R>(reader: &mut R, endian: Endian, count: usize, size: usize) -> BinResult<List<T>>
where
    T: Schema + for<'a> BinRead<Args<'a> = ()>,
    R: Read + Seek,
{
    let there = usize::try_from(bytes_left(reader)?).unwrap_or(usize::MAX) / size;
    if count > there {
        return Err(first_missing::<T, R>(reader, endian, there, size));
    }
    let mut items = Vec::with_capacity(count);
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

/// Records of varying length: as many as a block holds whole, then the next block. What does not fit a block, or makes
/// no sense, is left to the definition.
fn quickly<T, R>(reader: &mut R, endian: Endian, count: usize) -> BinResult<List<T>>
where
    T: Schema + for<'a> BinRead<Args<'a> = ()>,
    R: Read + Seek,
{
    let mut items = Vec::new();
    let mut block = vec![0; BLOCK];
    let mut left = usize::try_from(bytes_left(reader)?).unwrap_or(usize::MAX);
    while items.len() < count {
        let block = &mut block[..left.min(BLOCK)];
        reader.read_exact(block)?;
        let (before, mut at) = (items.len(), 0);
        while items.len() < count
            && let Some((item, size @ 1..)) = T::take(&block[at..])
        {
            items.push(item);
            at += size;
        }
        let surplus = i64::try_from(block.len() - at).unwrap_or(i64::MAX);
        reader.seek(SeekFrom::Current(-surplus))?;
        left -= at;
        if at == 0 {
            let item = T::read_options(reader, endian, ()).map_err(|error| note_index(error, items.len()))?;
            items.push(item);
            left = usize::try_from(bytes_left(reader)?).unwrap_or(usize::MAX);
        } else if before == 0 {
            // No more than the bytes that are left hold at this rate, whatever the count says.
            let likely = (left / at + 1).saturating_mul(items.len());
            items.reserve_exact(likely.min(count - items.len()));
        }
    }
    Ok(List::from(items))
}

/// The error that reading one by one would have ended with, at its very field.
fn first_missing<T, R>(reader: &mut R, endian: Endian, index: usize, size: usize) -> binrw::Error
where
    T: for<'a> BinRead<Args<'a> = ()>,
    R: Read + Seek,
{
    let distance = i64::try_from(index * size).unwrap_or(i64::MAX);
    match reader.seek(SeekFrom::Current(distance)).map_err(binrw::Error::from) {
        Ok(start) => match T::read_options(reader, endian, ()) {
            Err(error) => note_index(error, index),
            Ok(_) => refuse(start, Kind::Internal("a record read where no bytes are left".into())),
        },
        Err(error) => error,
    }
}

fn one_by_one<T, R: Read + Seek>(
    reader: &mut R,
    count: usize,
    mut read: impl FnMut(&mut R, usize) -> BinResult<T>,
) -> BinResult<List<T>> {
    let left = bytes_left(reader)?;
    let mut items = Vec::new();
    for index in 0..count {
        // Elements can be without bytes; then nothing else bounds a count that lies.
        if index as u64 > left {
            let at = reader.stream_position()?;
            return Err(refuse(at, Kind::Count(format!("{count} elements in {left} bytes"))));
        }
        items.push(read(reader, index).map_err(|error| note_index(error, index))?);
    }
    Ok(List::from(items))
}

impl<T: Schema + for<'a> BinRead<Args<'a> = ()>> BinRead for List<T> {
    type Args<'a> = (i64,);

    fn read_options<R: Read + Seek>(reader: &mut R, endian: Endian, (count,): (i64,)) -> BinResult<Self> {
        read_list(reader, endian, count)
    }
}

impl<T: Schema + for<'a> BinWrite<Args<'a> = ()>> BinWrite for List<T> {
    type Args<'a> = ();

    fn write_options<W: Write + Seek>(&self, writer: &mut W, endian: Endian, (): ()) -> BinResult<()> {
        match T::FIXED {
            Some(size @ 1..=FIXED_BLOCK) => write_blocks(&self.0, writer, size),
            None if T::QUICK && self.0.len() > FEW => write_quickly(&self.0, writer),
            _ => self.0.iter().try_for_each(|item| item.write_options(writer, endian, ())),
        }
    }
}

fn write_blocks<T: Schema, W: Write>(items: &[T], writer: &mut W, size: usize) -> BinResult<()> {
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

fn write_quickly<T: Schema, W: Write>(items: &[T], writer: &mut W) -> BinResult<()> {
    let mut block = Vec::with_capacity(BLOCK + SHORT);
    for item in items {
        item.lay(&mut block);
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

impl<C: Counter, T: Schema + for<'a> BinRead<Args<'a> = ()>> BinRead for Counted<C, T> {
    type Args<'a> = ();

    fn read_options<R: Read + Seek>(reader: &mut R, endian: Endian, (): ()) -> BinResult<Self> {
        let spelled = read_count::<C, R>(reader, endian)?;
        Ok(Self { spelled, items: read_list(reader, endian, spelled.into())? })
    }
}

/// Reads a counted list whose elements take arguments: `parse_with = counted_with, args((dialect,))`.
///
/// # Errors
/// As the elements; [`Kind::Count`] for a count that cannot be.
pub fn counted_with<C, T, A, R>(reader: &mut R, endian: Endian, (args,): (A,)) -> BinResult<Counted<C, T>>
where
    C: Counter,
    T: for<'a> BinRead<Args<'a> = A>,
    A: Clone,
    R: Read + Seek,
{
    let spelled = read_count::<C, R>(reader, endian)?;
    Ok(Counted { spelled, items: list_with(reader, endian, (spelled.into(), args))? })
}

pub(super) fn read_count<C: Counter, R: Read + Seek>(reader: &mut R, endian: Endian) -> BinResult<C> {
    counter(reader, endian, ()).map_err(|error| note_lead(error, "num"))
}

/// Reads a count or length that stands away from what it counts and refuses a negative one at its own place:
/// `parse_with = counter`.
///
/// # Errors
/// [`Kind::Count`] for a negative one.
pub fn counter<C: Counter, R: Read + Seek>(reader: &mut R, endian: Endian, (): ()) -> BinResult<C> {
    let at = reader.stream_position()?;
    let count = C::read_options(reader, endian, ())?;
    if count.into() < 0 {
        return Err(refuse(at, Kind::Count(format!("a count of {} cannot be", count.into()))));
    }
    Ok(count)
}

impl<C: Counter, T: Schema + for<'a> BinWrite<Args<'a> = ()>> BinWrite for Counted<C, T> {
    type Args<'a> = ();

    fn write_options<W: Write + Seek>(&self, writer: &mut W, endian: Endian, (): ()) -> BinResult<()> {
        let counter = self.counter().map_err(|error| custom(writer, error))?;
        counter.write_options(writer, endian, ())?;
        self.items.write_options(writer, endian, ())
    }
}

fn custom(writer: &mut impl Seek, error: TooMany) -> binrw::Error {
    binrw::Error::Custom { pos: writer.stream_position().unwrap_or(0), err: Box::new(error) }
}

impl<C: Counter, T> Counted<C, T> {
    /// The count as it will be written.
    fn counter(&self) -> Result<C, TooMany> {
        if self.spelled.into() == len(&self.items) { Ok(self.spelled) } else { count(&self.items) }
    }
}

impl<T: Schema> Value for List<T> {
    fn size(&self) -> u64 {
        const {
            assert!(
                T::LEAD.is_empty(),
                "an element that begins with its own count or length needs a struct around it"
            );
        }
        match T::FIXED {
            Some(size) => (self.0.len() * size) as u64,
            None => self.0.iter().map(Value::size).sum(),
        }
    }
    fn node(&self) -> Node<'_> {
        Node::Items(self)
    }
    fn node_mut(&mut self) -> NodeMut<'_> {
        NodeMut::Items(self)
    }
}

impl<T: Schema> Items for List<T> {
    fn len(&self) -> usize {
        self.0.len()
    }
    fn item(&self, index: usize) -> Option<&dyn Value> {
        self.0.get(index).map(|item| item as &dyn Value)
    }
    fn item_mut(&mut self, index: usize) -> Option<&mut dyn Value> {
        self.0.get_mut(index).map(|item| item as &mut dyn Value)
    }
    fn item_size(&self) -> Option<usize> {
        T::FIXED
    }
    fn is_section(&self) -> bool {
        T::QUICK
    }
    fn insert(&mut self, index: usize) -> bool {
        if index > self.0.len() {
            return false;
        }
        let blank = T::blank(self.0.get(index).or(self.0.last()).or(self.1.0.as_deref()));
        self.0.insert(index, blank);
        true
    }
    fn remove(&mut self, index: usize) -> bool {
        let there = index < self.0.len();
        if there {
            let removed = self.0.remove(index);
            if self.0.is_empty() {
                self.1 = Mould(Some(Box::new(removed)));
            }
        }
        there
    }
}

impl<T: Schema> Schema for List<T> {
    fn shape() -> Shape {
        Shape::List(Box::new(T::shape()), Count::Argument)
    }
    fn blank(_like: Option<&Self>) -> Self {
        Self::from(Vec::new())
    }
}

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
    fn lead(&self, show: &mut dyn FnMut(&dyn Value) -> ControlFlow<()>) -> ControlFlow<()> {
        // A list too long for its count cannot be written; until then it shows the count it had.
        show(&self.counter().unwrap_or(self.spelled))
    }
}

impl<C: Counter, T: Schema> Schema for Counted<C, T> {
    const LEAD: &'static str = "num";

    fn shape() -> Shape {
        Shape::List(Box::new(T::shape()), Count::Lead(Box::new(C::shape())))
    }
    fn blank(_like: Option<&Self>) -> Self {
        Self { spelled: C::default(), items: List::default() }
    }
}

impl<T> List<T> {
    pub(super) const fn new() -> Self {
        Self(Vec::new(), Mould(None))
    }
}

impl<T> Default for List<T> {
    fn default() -> Self {
        Self::from(Vec::new())
    }
}

impl<C: Default, T> Default for Counted<C, T> {
    fn default() -> Self {
        Self { spelled: C::default(), items: List::default() }
    }
}

impl<T> From<Vec<T>> for List<T> {
    fn from(items: Vec<T>) -> Self {
        Self(items, Mould::default())
    }
}

impl<C: Default, T> From<Vec<T>> for Counted<C, T> {
    fn from(items: Vec<T>) -> Self {
        Self { spelled: C::default(), items: items.into() }
    }
}

impl<T> FromIterator<T> for List<T> {
    fn from_iter<I: IntoIterator<Item = T>>(items: I) -> Self {
        Self::from(items.into_iter().collect::<Vec<_>>())
    }
}

impl<'a, T> IntoIterator for &'a List<T> {
    type Item = &'a T;
    type IntoIter = std::slice::Iter<'a, T>;

    fn into_iter(self) -> Self::IntoIter {
        self.0.iter()
    }
}

impl<'a, C, T> IntoIterator for &'a Counted<C, T> {
    type Item = &'a T;
    type IntoIter = std::slice::Iter<'a, T>;

    fn into_iter(self) -> Self::IntoIter {
        self.items.0.iter()
    }
}

impl<T> Deref for List<T> {
    type Target = Vec<T>;

    fn deref(&self) -> &Vec<T> {
        &self.0
    }
}

impl<T> DerefMut for List<T> {
    fn deref_mut(&mut self) -> &mut Vec<T> {
        &mut self.0
    }
}

impl<C, T> Deref for Counted<C, T> {
    type Target = Vec<T>;

    fn deref(&self) -> &Vec<T> {
        &self.items.0
    }
}

impl<C, T> DerefMut for Counted<C, T> {
    fn deref_mut(&mut self) -> &mut Vec<T> {
        &mut self.items.0
    }
}
