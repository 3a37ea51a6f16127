//! Parts of a file that a header places by offset, in whatever order they are.

use std::io::{Read, Seek, SeekFrom, Write};
use std::ops::ControlFlow::{self, Continue};
use std::ops::{Deref, DerefMut};

use binrw::{BinRead, BinResult, BinWrite, Endian};

use super::blob::Spacing;
use super::list::{TooMany, bytes_left};
use super::macros::{bin_read, bin_write, deref, node};
use super::part::tolerated;
use super::scope;
use super::source::{is_in_order, is_truncated};
use super::text::read_bytes;
use super::{List, Region, refuse};
use crate::schema::{
    BulkWith, Choice, EditError, FieldInfo, FieldShape, FieldValue, Length, Node, NodeMut, PlacedPart,
    Prefix, Record, Role, Schema, Shape, Value, Visit, bytes_of, each_field, find_field,
};
use crate::{Error, ErrorKind};

/// A part of a [`Layout`] that starts at an offset given by a header:
/// `#[br(args(ofs_x.into(), num_x.into(), (num_x.into(),)))] x: Placed<List<T>>`.
///
/// The arguments are the offset in the file, the count (0 for an empty part), and the arguments of the content. A part
/// that cannot be read at its offset, or overlaps an earlier one, has no content. Its bytes are kept by the layout, and
/// the offset and the count in the header are preserved.
///
/// ```
/// use bindpose::wire::{List, Placed};
/// let part: Placed<List<u16>> = List::from(vec![1, 2]).into();
/// assert_eq!(part.len(), 2);
/// assert!(part.is_laid_out());
/// ```
#[derive(Clone, Debug)]
pub struct Placed<T> {
    offset: i64,
    count: i64,
    /// The number of bytes that a truncated file announces beyond those of content without elements.
    missing: i64,
    content: T,
    state: State,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum State {
    /// The part has its own bytes.
    LaidOut,
    /// The part has no bytes of its own. The error is `None` for an empty part.
    Elsewhere(Option<Error>),
}

impl<T> Placed<T> {
    /// Returns whether the part has its own bytes in the layout.
    #[must_use]
    pub const fn is_laid_out(&self) -> bool {
        matches!(self.state, State::LaidOut)
    }

    /// Returns a part that the file does not have: its offset is 0.
    #[must_use]
    pub fn absent() -> Self
    where
        T: Default,
    {
        Self { offset: 0, count: 0, missing: 0, content: T::default(), state: State::Elsewhere(None) }
    }

    /// Reads the content at an offset and restores the position of the reader.
    fn read_at<R: Read + Seek>(
        reader: &mut R,
        (offset, count): (i64, i64),
        read: impl FnOnce(&mut R) -> BinResult<T>,
    ) -> BinResult<Self>
    where
        T: Default + Value,
    {
        let is_in_order = is_in_order(reader);
        let start = reader.stream_position()?;
        let end = start + bytes_left(reader)?;
        let at = i128::from(scope::origin()) + i128::from(offset);
        let content = match u64::try_from(at).ok().filter(|at| (start..=end).contains(at)) {
            _ if is_in_order => read(reader),
            Some(at) => reader.seek(SeekFrom::Start(at)).map_err(Into::into).and_then(|_| read(reader)),
            None => {
                let why = format!("starts at offset {at}, outside of the expected range {start}..{end}");
                Err(refuse(end, ErrorKind::Unknown(why)))
            }
        };
        if !is_in_order {
            reader.seek(SeekFrom::Start(start))?;
        }
        let (content, state) = match content {
            Ok(content) => (content, State::LaidOut),
            Err(error) => {
                (T::default(), State::Elsewhere(Some(tolerated(reader, error)?).filter(|_| count != 0)))
            }
        };
        let missing = match content.node() {
            Node::Leaf(leaf) if is_truncated(reader) => count.saturating_sub_unsigned(leaf.size()).max(0),
            _ => 0,
        };
        Ok(Self { offset, count, missing, content, state })
    }
}

impl<T> From<T> for Placed<T> {
    fn from(content: T) -> Self {
        Self { offset: 0, count: 0, missing: 0, content, state: State::LaidOut }
    }
}

impl<T> From<Vec<T>> for Placed<List<T>> {
    fn from(elements: Vec<T>) -> Self {
        List::from(elements).into()
    }
}

impl<T: Default> Default for Placed<T> {
    fn default() -> Self {
        T::default().into()
    }
}

/// Compares the offset and count of the header only for parts without content: otherwise they are derived.
impl<T: PartialEq> PartialEq for Placed<T> {
    fn eq(&self, other: &Self) -> bool {
        let numbers = |part: &Self| (!part.is_laid_out()).then_some((part.offset, part.count));
        (&self.content, self.missing, numbers(self)) == (&other.content, other.missing, numbers(other))
    }
}

deref!([T] Placed<T> => T, content);

bin_read!(
    [T: BinRead + Default + Value] Placed<T>, (i64, i64, T::Args<'a>),
    |reader, endian, (offset, count, args)| {
        Self::read_at(reader, (offset, count), |reader| T::read_options(reader, endian, args))
    }
);

bin_write!(
    /// A layout writes its parts itself; a part by itself writes its content.
    [T: for<'a> BinWrite<Args<'a> = ()>] Placed<T>, |own, writer, endian| {
        if own.is_laid_out() { own.content.write_options(writer, endian, ()) } else { Ok(()) }
    }
);

impl<T: Schema + Default> Value for Placed<T> {
    fn size(&self) -> u64 {
        if self.is_laid_out() { self.content.size() } else { 0 }
    }
    fn node(&self) -> Node<'_> {
        match &self.state {
            State::LaidOut => self.content.node(),
            State::Elsewhere(Some(error)) => Node::Broken(error),
            State::Elsewhere(None) => Node::Absent,
        }
    }
    fn node_mut(&mut self) -> NodeMut<'_> {
        if self.is_laid_out() { self.content.node_mut() } else { NodeMut::Absent }
    }
    fn create(&mut self, form: Option<&str>) -> Result<(), EditError> {
        match self.state {
            State::LaidOut => self.content.create(form),
            State::Elsewhere(None) => {
                *self = T::blank(None).into();
                form.map_or(Ok(()), |_| self.content.create(form))
            }
            State::Elsewhere(Some(_)) => Err(EditError::Absent),
        }
    }
    fn choice(&self) -> Option<Choice<'_>> {
        self.is_laid_out().then(|| self.content.choice()).flatten()
    }
    fn placed(&self) -> Option<&dyn PlacedPart> {
        Some(self)
    }
    fn placed_mut(&mut self) -> Option<&mut dyn PlacedPart> {
        Some(self)
    }
}

impl<T: Schema + Default> PlacedPart for Placed<T> {
    fn announced(&self) -> (i64, i64) {
        (self.offset, self.count)
    }
    fn is_laid_out(&self) -> bool {
        self.is_laid_out()
    }
    fn missing(&self) -> i64 {
        self.missing
    }
    fn remove(&mut self) {
        *self = Self::absent();
    }
    fn detach(&mut self, why: Error) {
        self.content = T::default();
        self.state = State::Elsewhere(Some(why).filter(|_| self.count != 0));
    }
}

impl<T: Schema + Default + BinRead> BulkWith<(i64, i64, T::Args<'static>)> for Placed<T> {}

impl<T: Schema + Default> Schema for Placed<T> {
    const IS_FINITE: bool = T::IS_FINITE;

    fn shape() -> Shape {
        const {
            assert!(
                matches!(T::PREFIX, Prefix::None),
                "a part that begins with its own count needs a struct around it"
            );
        }
        Shape::Placed(Box::new(T::shape()))
    }
    fn blank(like: Option<&Self>) -> Self {
        T::blank(like.map(|like| &like.content)).into()
    }
}

/// The parts of a file that its header places: `#[br(args(ofs_x, ..))] parts: Layout<Parts>`.
///
/// `S` is an on-disk struct of [`Placed`] fields. The layout keeps the order of the parts in the file, and the
/// bytes between them as `gap_0`, `gap_1`, ..., each before the part with that place in the order. Counts and offsets
/// of the header follow from it: `#[count_of(parts.x)]` and `#[offset_of(parts.x)]`. Offsets count from the record that
/// the layout is in: from the start of the file in the root, and elsewhere in a [`Region`](super::Region).
///
/// A part that is created is placed before the one that follows it in the definition.
#[derive(Clone, Debug)]
pub struct Layout<S> {
    content: S,
    /// The names of the parts in the order of the file.
    order: Vec<&'static str>,
    /// The bytes before each of them.
    gaps: Vec<Option<Spacing>>,
}

/// The maximum number of parts.
const MOST: usize = 32;

macro_rules! gaps {
    ($($place:literal)*) => {
        [$(FieldInfo::new(concat!("gap_", $place), "Bytes that no part covers.")),*]
    };
}

/// The fields that keep the bytes between parts.
static GAPS: [FieldInfo; MOST] = gaps![
    0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23 24 25 26 27 28 29 30 31
];

impl<S: Record> Layout<S> {
    /// Places parts in the order of their definition.
    #[must_use]
    pub fn new(content: S) -> Self {
        let order = Self::new_order(&content);
        let gaps = vec![None; order.len()];
        Self { content, order, gaps }
    }

    /// Returns the names of the parts with their own bytes in the order of their definition.
    fn new_order(content: &S) -> Vec<&'static str> {
        let mut order = Vec::new();
        each_field(content, |field, value| {
            order.extend(value.placed().is_some_and(PlacedPart::is_laid_out).then_some(field.name));
        });
        order
    }

    /// Returns the names of the parts with their own bytes, in the order of the file.
    #[must_use]
    pub fn order(&self) -> Vec<&'static str> {
        self.parts().into_iter().map(|(name, _)| name).collect()
    }

    /// Returns the names of the parts that cannot be decoded where the header places them.
    #[must_use]
    pub fn broken(&self) -> Vec<&'static str> {
        let mut broken = Vec::new();
        each_field(&self.content, |field, value| {
            broken.extend(matches!(value.node(), Node::Broken(_)).then_some(field.name));
        });
        broken
    }

    /// Removes a part, so that its offset is 0; the bytes before it are those before the next one. Returns whether it had bytes or
    /// could not be decoded.
    pub fn remove(&mut self, name: &str) -> bool {
        let had = self.part(name, |value| value.size() > 0 || matches!(value.node(), Node::Broken(_)));
        let parts = self.arrange_created();
        if let Some(part) = self.content.field_mut(name).and_then(Value::placed_mut) {
            part.remove();
        }
        if let Some(at) = self.order.iter().position(|own| *own == name).filter(|at| at + 1 < parts) {
            self.order.remove(at);
            let gaps = [self.gaps.remove(at), self.gaps[at].take()];
            self.set_gap(at, gaps.into_iter().flatten().flat_map(|gap| gap.0).collect());
        }
        had.unwrap_or(false)
    }

    /// Returns the parts in the order of the file, with the bytes before each of them.
    fn parts(&self) -> Vec<(&'static str, &Option<Spacing>)> {
        let mut parts: Vec<_> = self.order.iter().copied().zip(&self.gaps).collect();
        let mut defined = Vec::new();
        each_field(&self.content, |field, value| {
            defined.push((field.name, value.placed().is_some_and(PlacedPart::is_laid_out)));
        });
        let is_laid_out = |name: &str| defined.iter().any(|(own, is_laid_out)| *own == name && *is_laid_out);
        // The bytes before a removed part stay.
        parts.retain(|(name, gap)| gap.is_some() || is_laid_out(name));
        for (at, (name, is_laid_out)) in defined.iter().enumerate().rev() {
            if *is_laid_out && parts.iter().all(|(own, _)| own != name) {
                let next = |(own, _): &(&str, _)| defined[at + 1..].iter().any(|(later, _)| later == own);
                let place = parts.iter().position(next).unwrap_or(parts.len());
                parts.insert(place, (name, &None));
            }
        }
        parts
    }

    /// Lets the fields agree with the parts, and returns the number of parts.
    fn arrange_created(&mut self) -> usize {
        let parts = self.parts().into_iter().map(|(name, gap)| (name, gap.clone()));
        (self.order, self.gaps) = parts.collect();
        self.order.len()
    }

    /// Adds bytes before parts, so that the offset of each is a multiple of a number in the record whose first `head` bytes
    /// precede the layout.
    pub fn align(&mut self, head: usize, to: usize) {
        let mut offset = head as u64;
        for at in 0..self.arrange_created() {
            let size = self.part(self.order[at], |value| value.size()).unwrap_or(0);
            // Zeros that aligned the part before are replaced.
            let gap = self.gaps[at].take().filter(|gap| !gap.aligns()).map_or_else(Vec::new, |gap| gap.0);
            offset += gap.len() as u64;
            let missing = usize::try_from(offset).unwrap_or(0).wrapping_neg() % to;
            self.set_gap(at, [gap, vec![0; missing]].concat());
            offset += missing as u64 + size;
        }
    }

    /// Returns whether a part is at another offset than it was read from.
    #[must_use]
    pub fn has_moved(&self, head: usize) -> bool {
        self.order().iter().any(|name| self.place_of(head, name) != Some(self.announced(name).0))
    }

    /// Swaps two parts.
    ///
    /// # Panics
    /// When an index is out of range.
    pub fn swap(&mut self, a: usize, b: usize) {
        self.order.swap(a, b);
    }

    /// Sets the bytes before a part.
    ///
    /// # Panics
    /// When an index is out of range.
    pub fn set_gap(&mut self, place: usize, bytes: Vec<u8>) {
        self.gaps[place] = Some(Spacing(bytes)).filter(|gap| !gap.0.is_empty());
    }

    /// Returns the offset of a part in the record whose first `head` bytes precede the layout, as a number of type `C`.
    ///
    /// # Errors
    /// When the offset does not fit into `C`.
    pub fn offset_of<C: TryFrom<i64>>(&self, head: usize, name: &str) -> Result<C, TooMany> {
        number(self.place_of(head, name).unwrap_or_else(|| self.announced(name).0))
    }

    /// Returns the offset of a part with its own bytes.
    fn place_of(&self, head: usize, name: &str) -> Option<i64> {
        let mut offset = head as u64;
        for (part, gap) in self.parts() {
            offset += gap.as_ref().map_or(0, Value::size);
            if part == name {
                let is_laid_out =
                    self.part(name, |value| value.placed().is_some_and(PlacedPart::is_laid_out));
                return i64::try_from(offset).ok().filter(|_| is_laid_out == Some(true));
            }
            offset += self.part(part, |value| value.size()).unwrap_or(0);
        }
        None
    }

    /// Returns a part whose numbers follow from the places of others, if it is one.
    fn followed(&self, name: &str) -> Option<Box<dyn Value>> {
        self.content.followed(name, &|other| self.place_of(0, other))
    }

    /// Returns the number of elements of a part, or of the bytes of one without elements, as a number of type `C`.
    ///
    /// # Errors
    /// When the number does not fit into `C`.
    pub fn count_of<C: TryFrom<i64>>(&self, name: &str) -> Result<C, TooMany> {
        let own = self.part(name, |value| match value.node() {
            Node::Items(items) => i64::try_from(items.announced()).ok(),
            Node::Leaf(leaf) => {
                let missing = value.placed().map_or(0, PlacedPart::missing);
                i64::try_from(leaf.size()).ok().map(|size| size.saturating_add(missing))
            }
            _ => None,
        });
        number(own.flatten().unwrap_or_else(|| self.announced(name).1))
    }

    /// Returns the offset and the count of a part from the header.
    fn announced(&self, name: &str) -> (i64, i64) {
        self.part(name, |value| value.placed().map(PlacedPart::announced)).flatten().unwrap_or_default()
    }

    fn part<T>(&self, name: &str, see: impl Fn(&dyn Value) -> T) -> Option<T> {
        find_field(&self.content, |field, value| (field.name == name).then(|| see(value)))
    }

    /// Puts generated parts in any order, with bytes between some of them.
    fn scatter<R: Read + Seek>(&mut self, reader: &mut R) -> BinResult<()> {
        for place in 0..self.order.len() {
            let mut draw = [0; 3];
            reader.read_exact(&mut draw)?;
            self.order.swap(place, usize::from(draw[0]) % self.gaps.len());
            self.set_gap(place, vec![draw[1]; usize::from(draw[2]) / 0x40]);
        }
        self.sort_empty();
        Ok(())
    }

    /// Sorts parts at one offset as they are read: those without bytes first, in the order of the definition.
    fn sort_empty(&mut self) {
        let defined = Self::new_order(&self.content);
        let mut offset = 0;
        let mut places = Vec::new();
        for (name, gap) in self.order.iter().zip(&self.gaps) {
            let size = self.part(name, |value| value.size()).unwrap_or(0);
            offset += gap.as_ref().map_or(0, Value::size);
            places.push((offset, size > 0, defined.iter().position(|own| own == name), *name));
            offset += size;
        }
        places.sort_unstable();
        self.order = places.into_iter().map(|(.., name)| name).collect();
    }

    /// Sorts the parts by offset and keeps the bytes between them. Of two overlapping parts, the first one keeps its
    /// content.
    fn arrange<R: Read + Seek>(&mut self, reader: &mut R, start: u64) -> BinResult<()> {
        let mut places: Vec<(u64, u64, &'static str)> = Vec::new();
        for name in std::mem::take(&mut self.order) {
            let offset = scope::origin().saturating_add_signed(self.announced(name).0);
            places.push((offset, self.part(name, |value| value.size()).unwrap_or(0), name));
        }
        places.sort_by_key(|(offset, size, _)| (*offset, *size > 0));
        self.gaps.clear();
        let mut end = start;
        for (offset, size, name) in places {
            if offset < end {
                let why = ErrorKind::Unknown("overlaps the previous part".into());
                if let Some(part) = self.content.field_mut(name).and_then(Value::placed_mut) {
                    part.detach(Error::new(offset, why));
                }
                continue;
            }
            reader.seek(SeekFrom::Start(end))?;
            let gap = read_bytes(reader, i64::try_from(offset - end).unwrap_or(i64::MAX))?;
            self.order.push(name);
            self.gaps.push(Some(Spacing(gap)).filter(|gap| !gap.0.is_empty()));
            end = offset + size;
        }
        reader.seek(SeekFrom::Start(end))?;
        Ok(())
    }
}

/// Returns a part with the offsets of others in it, which its fields with `#[schema(places = "data_#")]` contain. They count from
/// the start of the `head` bytes before the layout. Those of parts without bytes stay.
pub fn with_offsets<T: Clone + Value>(
    own: &T,
    name: &str,
    head: usize,
    place: &dyn Fn(&str) -> Option<i64>,
) -> T {
    let mut own = own.clone();
    let place = |other: &str| place(other)?.checked_add_unsigned(head as u64);
    match own.node_mut() {
        NodeMut::Record(record) => set_offsets(record, number_in(name), &place),
        NodeMut::Items(items) => {
            for index in 0..items.len().min(MOST) {
                if let Some(NodeMut::Record(record)) = items.item_mut(index).map(Value::node_mut) {
                    set_offsets(record, index, &place);
                }
            }
        }
        _ => {}
    }
    own
}

/// Sets the offsets in the element of a list with this index, or in the part with this number.
fn set_offsets(record: &mut dyn Record, index: usize, place: &dyn Fn(&str) -> Option<i64>) {
    let mut offsets = Vec::new();
    each_field(record, |field, _| {
        if let Role::Places(target) = field.role {
            offsets.extend(place(&part_named(target, index)).map(|offset| (field.name, offset)));
        }
    });
    for (field, offset) in offsets {
        if let Some(NodeMut::Leaf(leaf)) = record.field_mut(field).map(Value::node_mut) {
            let _ = leaf.assign_value(&FieldValue::Int(offset.into()));
        }
    }
}

/// Returns the number at the end of the name of a part: 2 for `data_2`.
pub(crate) fn number_in(name: &str) -> usize {
    name.rsplit('_').next().and_then(|number| number.parse().ok()).unwrap_or(0)
}

/// Returns the part that a record with an index refers to: `data_2` for `data_#`, and `data_3` for `data_#+1`.
pub(crate) fn part_named(target: &str, index: usize) -> String {
    match target.strip_suffix("#+1") {
        Some(name) => format!("{name}{}", index + 1),
        None => target.replace('#', &index.to_string()),
    }
}

fn number<C: TryFrom<i64>>(number: i64) -> Result<C, TooMany> {
    C::try_from(number).map_err(|_| TooMany::of::<C>(usize::try_from(number).unwrap_or(usize::MAX)))
}

/// Compares the parts and the bytes between them, whether they were read or created.
impl<S: Record + PartialEq> PartialEq for Layout<S> {
    fn eq(&self, other: &Self) -> bool {
        self.content == other.content && self.parts() == other.parts()
    }
}

impl<S: Record + BinRead> BinRead for Layout<S> {
    type Args<'a> = S::Args<'a>;

    fn read_options<R: Read + Seek>(reader: &mut R, endian: Endian, args: Self::Args<'_>) -> BinResult<Self> {
        let start = reader.stream_position()?;
        let mut layout = Self::new(S::read_options(reader, endian, args)?);
        if is_in_order(reader) {
            layout.scatter(reader)?;
        } else {
            layout.arrange(reader, start)?;
        }
        Ok(layout)
    }
}

bin_write!(
    [S: Record] Layout<S>,
    |own, writer, _| {
    for (name, gap) in own.parts() {
        writer.write_all(gap.as_ref().map_or(&[], |gap| &gap.0))?;
        let followed = own.followed(name).map(|part| bytes_of(&*part));
        let bytes = followed.or_else(|| own.part(name, bytes_of));
        writer.write_all(&bytes.unwrap_or_default())?;
    }
    Ok(())
}
);

impl<S: Record> Record for Layout<S> {
    fn type_name(&self) -> &'static str {
        self.content.type_name()
    }

    fn fields(&self, visit: &mut Visit<'_>) -> ControlFlow<()> {
        let parts = self.parts();
        for ((name, gap), info) in parts.iter().zip(&GAPS) {
            visit(info, *gap)?;
            let followed = self.followed(name);
            self.content.fields(&mut |field, value| match &followed {
                _ if field.name != *name => Continue(()),
                Some(own) => visit(field, &**own),
                None => visit(field, value),
            })?;
        }
        self.content.fields(&mut |field, value| {
            if parts.iter().any(|(name, _)| *name == field.name) { Continue(()) } else { visit(field, value) }
        })
    }

    fn field_mut(&mut self, name: &str) -> Option<&mut dyn Value> {
        let parts = if name.starts_with("gap_") { self.arrange_created() } else { 0 };
        match GAPS.iter().take(parts).position(|info| info.name == name) {
            Some(place) => Some(&mut self.gaps[place]),
            None => self.content.field_mut(name),
        }
    }
}

impl<S: Record> Value for Layout<S> {
    node!(Record);

    fn size(&self) -> u64 {
        let mut size = 0;
        each_field(self, |_, value| size += value.size());
        size
    }
}

impl<S: Schema + Record + BinRead> BulkWith<S::Args<'static>> for Layout<S> {}

impl<S: Schema + Record> Schema for Layout<S> {
    const IS_FINITE: bool = S::IS_FINITE;

    fn shape() -> Shape {
        const { assert!(S::FIELDS <= MOST, "a layout has at most 32 parts") }
        let mut shape = S::shape();
        if let Shape::Record(record) = &mut shape {
            let parts = record.fields.len().min(MOST);
            record.fields.extend(GAPS[..parts].iter().map(|gap| {
                let shape = Shape::Optional(Box::new(Shape::Bytes(Length::ToEnd)));
                FieldShape::new(gap.name, gap.doc, shape)
            }));
        }
        shape
    }
    fn blank(like: Option<&Self>) -> Self {
        Self::new(S::blank(like.map(|like| &like.content)))
    }
}

impl<S: Record> Region<Layout<S>> {
    /// As [`Layout::offset_of`]. The offsets that the layout was read with count from the region.
    ///
    /// # Errors
    /// When the offset does not fit into `C`.
    pub fn offset_of<C: TryFrom<i64>>(&self, head: usize, name: &str) -> Result<C, TooMany> {
        let announced = || self.announced(name).0.saturating_add_unsigned(head as u64);
        number(self.place_of(head, name).unwrap_or_else(announced))
    }
}

impl<S: Record + Default> Default for Layout<S> {
    fn default() -> Self {
        Self::new(S::default())
    }
}

deref!([S] Layout<S> => S, content);
