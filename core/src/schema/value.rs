//! A decoded value as seen from outside: what it consists of, and how long it is on disk.

use std::fmt;
use std::ops::{ControlFlow, Range};

use super::{EditError, FieldInfo, FieldPath, Leaf, Location, Origin, Quantity, Role, Shape, Step, bytes_of};
use crate::error::counted;
use crate::{Budget, Error, Limits, Result};

/// The places that a path with a name of the format selects, or why it selects none; nothing for other paths.
pub type Alias = Option<Result<Vec<Location>>>;

/// Whether a path with a name of the format selects places, or why it selects none; nothing for other paths.
pub type IsAlias = Option<Result<()>>;

/// Visits a place that the path of a number selects.
pub type VisitLocation<'a> = dyn FnMut(usize, Location) + 'a;

/// Returns what [`Value::each_alias`] visits. The memory is not limited.
#[doc(hidden)]
pub fn collected(root: &dyn Value, paths: &[FieldPath]) -> Vec<Alias> {
    let mut found = vec![Vec::new(); paths.len()];
    let unlimited = Budget::of(&Limits::none(), 0);
    let are = root.each_alias(paths, &unlimited, &mut |nth, place| found[nth].push(place));
    are.into_iter().zip(found).map(|(is, places)| is.map(|is| is.map(|()| places))).collect()
}

/// A decoded value, which knows its parts and its length on disk without any argument.
///
/// Implemented by [`derive(Schema)`](bindpose_derive::Schema) for on-disk structs and choices, and in
/// [`wire`](crate::wire) for their parts.
pub trait Value: Send + Sync {
    /// Returns the size in the file in bytes, without the [`prefix`](Self::prefix).
    fn size(&self) -> u64;

    /// Returns the parts.
    fn node(&self) -> Node<'_>;

    /// Returns the parts for changing them.
    fn node_mut(&mut self) -> NodeMut<'_>;

    /// Resolves paths that begin with a name of the format; nothing for each that does not. The file is searched once, however many
    /// paths there are.
    ///
    /// Roots implement it: `Frame[Root].Mesh.vertices[12].x` selects a token by its meaning.
    fn aliases(&self, paths: &[FieldPath]) -> Vec<Alias> {
        paths.iter().map(|_| None).collect()
    }

    /// As [`aliases`](Self::aliases), but visits the places that each path selects, in the order of the file, instead of collecting
    /// them. Nothing is visited for a path that selects none. What it needs in the meantime is charged to the budget, and an
    /// [error](crate::ErrorKind::Limit) of the path if there is not enough.
    ///
    /// Roots that can select more values than fit into memory implement it.
    fn each_alias(
        &self,
        paths: &[FieldPath],
        _budget: &Budget,
        visit: &mut VisitLocation<'_>,
    ) -> Vec<IsAlias> {
        let visited = |(nth, own): (usize, Alias)| {
            own.map(|found| found.map(|places| places.into_iter().for_each(|place| visit(nth, place))))
        };
        self.aliases(paths).into_iter().enumerate().map(visited).collect()
    }

    /// As [`aliases`](Self::aliases), for one path.
    fn alias(&self, path: &FieldPath) -> Alias {
        self.aliases(std::slice::from_ref(path)).pop().flatten()
    }

    /// Returns the short name that [`aliases`](Self::aliases) resolves to a list, given the steps to the list.
    ///
    /// Roots implement it: `bones` for `chunks[5].records`.
    fn short(&self, _list: &[Step]) -> Option<FieldPath> {
        None
    }

    /// Returns the names of the elements of a list, given the steps to it, if they are not texts in the elements.
    ///
    /// Roots whose [`aliases`](Self::aliases) resolve such names implement it: names can be offsets in another part of the file.
    fn names_in(&self, _list: &[Step]) -> Option<Vec<Option<String>>> {
        None
    }

    /// Returns the content of a packed value. Its offsets count from its own first byte; in paths it follows a `!`.
    fn inside(&self) -> Option<&dyn Value> {
        None
    }

    /// Changes the content of a packed value, and packs it again if it differs.
    ///
    /// # Errors
    /// When there is none, the change is refused, or the new content contradicts the fields around it. The content is
    /// then unchanged.
    fn change_inside(
        &mut self,
        _change: &mut dyn FnMut(&mut dyn Value) -> Result<(), EditError>,
    ) -> Result<(), EditError> {
        Err(EditError::NotPacked)
    }

    /// Replaces the content of a packed value by unpacked bytes, which are packed if they differ.
    ///
    /// # Errors
    /// When the value is not packed, or the bytes are invalid there. The content is then unchanged.
    fn replace_inside(&mut self, _plain: &[u8]) -> Result<(), EditError> {
        Err(EditError::NotPacked)
    }

    /// Creates an absent value of zeros, or gives a choice another body of zeros.
    ///
    /// # Errors
    /// When the value is present, is never absent, or has no such body.
    fn create(&mut self, _body: Option<&str>) -> Result<(), EditError> {
        Err(EditError::Present)
    }

    /// Returns the body of a choice; nothing for other values.
    fn choice(&self) -> Option<Choice<'_>> {
        None
    }

    /// Returns the value as a part at an offset from a header; none for other values.
    fn placed(&self) -> Option<&dyn PlacedPart> {
        None
    }

    /// As [`placed`](Self::placed), for changing it.
    fn placed_mut(&mut self) -> Option<&mut dyn PlacedPart> {
        None
    }

    /// Returns whether the file states another number than follows from its content: see [`Claim`](crate::wire::Claim).
    fn contradicts(&self) -> bool {
        false
    }

    /// Lets the number follow from the content again.
    fn settle(&mut self) {}

    /// Shows the count or length directly before this value, if it stores one.
    ///
    /// Its name is that of the field: `num_<field>` or `len_<field>`.
    fn prefix(&self, _show: &mut dyn FnMut(&dyn Value) -> ControlFlow<()>) -> ControlFlow<()> {
        ControlFlow::Continue(())
    }
}

/// A part of a file at an offset from a header: see [`Layout`](crate::wire::Layout). Only
/// [`Placed`](crate::wire::Placed) implements it.
pub trait PlacedPart: sealed::Sealed {
    /// Returns the offset and the count from the header.
    fn announced(&self) -> (i64, i64);

    /// Returns whether the part has its own bytes.
    fn is_laid_out(&self) -> bool;

    /// Returns how many bytes a truncated file announces beyond those of content without elements.
    fn missing(&self) -> i64;

    /// Removes the content and its bytes.
    fn remove(&mut self);

    /// Removes the content, so that the layout keeps the bytes. `why` is stored unless the part is empty.
    fn detach(&mut self, why: Error);
}

pub mod sealed {
    //! Traits that only this crate implements.

    /// The supertrait of sealed traits.
    pub trait Sealed {}
    impl<T> Sealed for crate::wire::Placed<T> {}
}

/// The body of a choice.
#[derive(Clone, Copy)]
pub struct Choice<'a> {
    /// The name of the variant, in the spelling of fields.
    pub name: &'static str,
    /// The tag, where a single number determines the variant.
    pub tag: Option<i64>,
    /// The body; nothing for a variant without bytes.
    pub body: Option<&'a dyn Value>,
    /// The kind of objects that the elements of the body are: see [`FieldInfo::axis`].
    pub axis: Option<&'static str>,
    /// What the numbers of the body measure: see [`FieldInfo::quantity`].
    pub quantity: Option<Quantity>,
}

/// The parts of a [`Value`].
#[derive(Clone, Copy)]
pub enum Node<'a> {
    /// A value with bytes and without parts.
    Leaf(&'a dyn Leaf),
    /// Named fields in the order of the file.
    Record(&'a dyn Record),
    /// Elements in the order of the file.
    Items(&'a dyn Items),
    /// An optional value that is not present; it has no bytes.
    Absent,
    /// An optional part that could not be decoded; its bytes are in the rest of the file.
    Broken(&'a Error),
}

/// The parts of a [`Value`], for changing it.
pub enum NodeMut<'a> {
    /// A value with bytes and without parts.
    Leaf(&'a mut dyn Leaf),
    /// Named fields in the order of the file.
    Record(&'a mut dyn Record),
    /// Elements in the order of the file.
    Items(&'a mut dyn Items),
    /// The value is not present, so it cannot be changed.
    Absent,
}

impl fmt::Debug for Choice<'_> {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { name, tag, body, axis: _, quantity: _ } = self;
        let node = body.map(|body| body.node());
        out.debug_struct("Choice").field("name", name).field("tag", tag).field("body", &node).finish()
    }
}

/// Prints the kind and the size, without the contents.
impl fmt::Debug for Node<'_> {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Leaf(leaf) => write!(out, "Leaf({})", counted(leaf.size(), "byte")),
            Self::Record(record) => write!(out, "Record({})", record.type_name()),
            Self::Items(items) => write!(out, "Items({})", items.len()),
            Self::Absent => out.write_str("Absent"),
            Self::Broken(error) => write!(out, "Broken({error})"),
        }
    }
}

/// As for [`Node`].
impl fmt::Debug for NodeMut<'_> {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Leaf(leaf) => Node::Leaf(&**leaf).fmt(out),
            Self::Record(record) => Node::Record(&**record).fmt(out),
            Self::Items(items) => Node::Items(&**items).fmt(out),
            Self::Absent => Node::Absent.fmt(out),
        }
    }
}

/// Called once for each field of a record, in the order of the file.
pub type Visit<'a> = dyn FnMut(&'static FieldInfo, &dyn Value) -> ControlFlow<()> + 'a;

/// A value with named fields: an on-disk struct.
pub trait Record: Send + Sync {
    /// Returns the name of the struct.
    fn type_name(&self) -> &'static str;

    /// Returns whether indices in it select from its own lists: `#[schema(scope)]` on the struct. Those of other records
    /// select from the lists of the file.
    fn is_scope(&self) -> bool {
        false
    }

    /// Visits the fields in the order of the file, counts and lengths included.
    ///
    /// # Errors
    /// Breaks as soon as `visit` does.
    fn fields(&self, visit: &mut Visit<'_>) -> ControlFlow<()>;

    /// As [`fields`](Self::fields), including those after the end of a truncated file.
    ///
    /// # Errors
    /// Breaks as soon as `visit` does.
    fn all_fields(&self, visit: &mut Visit<'_>) -> ControlFlow<()> {
        self.fields(visit)
    }

    /// Returns a stored field; counts that are computed from a list are not stored.
    fn field_mut(&mut self, name: &str) -> Option<&mut dyn Value>;

    /// Returns a part of a layout with the offsets of other parts in it, where `place` returns that of a part in the layout:
    /// `#[schema(offsets = HEAD)]`. None if a part contains no offsets.
    fn followed(&self, _part: &str, _place: &dyn Fn(&str) -> Option<i64>) -> Option<Box<dyn Value>> {
        None
    }
}

/// An element of a list: see [`Items::seek`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ElementAt {
    /// The element with this index.
    Index(usize),
    /// The element that contains this byte of the list.
    Byte(usize),
}

/// A value with elements: a list or an array.
pub trait Items: Send + Sync {
    /// Returns the number of elements.
    fn len(&self) -> usize;

    /// Returns whether there are no elements.
    fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Returns the value of the count, which exceeds the number of elements in a truncated file.
    fn announced(&self) -> usize {
        self.len()
    }

    /// Returns a stored element. Lists that make their elements on demand have none; use [`each`](Self::each) and
    /// [`change`](Self::change) there.
    fn item(&self, _index: usize) -> Option<&dyn Value> {
        None
    }

    /// Returns a stored element for changing it; see [`item`](Self::item).
    fn item_mut(&mut self, _index: usize) -> Option<&mut dyn Value> {
        None
    }

    /// Visits the elements from `first` on, in the order of the file.
    ///
    /// # Errors
    /// Breaks as soon as `visit` does.
    fn each(
        &self,
        first: usize,
        visit: &mut dyn FnMut(usize, &dyn Value) -> ControlFlow<()>,
    ) -> ControlFlow<()> {
        (first..)
            .map_while(|index| Some((index, self.item(index)?)))
            .try_for_each(|(index, item)| visit(index, item))
    }

    /// Returns the index and the offset in the list of an element at or before another: the nearest one that is found
    /// without visiting elements.
    fn seek(&self, to: ElementAt) -> (usize, usize) {
        match (self.item_size(), to) {
            (Some(size), ElementAt::Index(index)) => (index, index * size),
            (Some(size @ 1..), ElementAt::Byte(byte)) => (byte / size, byte / size * size),
            _ => (0, 0),
        }
    }

    /// As [`each`](Self::each), where the offset of the first one in the list is known.
    ///
    /// # Errors
    /// Breaks as soon as `visit` does.
    fn each_at(
        &self,
        first: usize,
        _start: usize,
        visit: &mut dyn FnMut(usize, &dyn Value) -> ControlFlow<()>,
    ) -> ControlFlow<()> {
        self.each(first, visit)
    }

    /// Visits the elements at ascending indices for changing them.
    ///
    /// # Errors
    /// The first error of `change`, and those of the list itself when a changed element does not fit.
    fn change(
        &mut self,
        indices: &[usize],
        change: &mut dyn FnMut(usize, &mut dyn Value) -> Result<()>,
    ) -> Result<()> {
        indices.iter().try_for_each(|&index| self.item_mut(index).map_or(Ok(()), |item| change(index, item)))
    }

    /// Appends the bytes of these elements.
    fn bytes(&self, range: Range<usize>, out: &mut Vec<u8>) {
        let _ = self.each(range.start, &mut |index, item| {
            if index >= range.end {
                return ControlFlow::Break(());
            }
            out.extend(bytes_of(item));
            ControlFlow::Continue(())
        });
    }

    /// Returns the bytes of all elements where they are a text, which is easier to read in lines than by element.
    fn text(&self) -> Option<&[u8]> {
        None
    }

    /// Returns the size of every element on disk, where all have the same.
    fn item_size(&self) -> Option<usize> {
        None
    }

    /// Shows an element of zeros, where the type of elements has a default form.
    fn blank_item(&self, _show: &mut dyn FnMut(&dyn Value)) {}

    /// Returns whether the type fixes the number of elements.
    fn is_array(&self) -> bool {
        false
    }

    /// Returns whether the elements tile the list by its type, so that [`sections`](super::sections) skips them.
    fn is_section(&self) -> bool {
        self.item_size().is_some()
    }

    /// Returns whether the elements are [plain](Schema::PLAIN), so that [`sections`](super::sections) skips them.
    fn is_plain(&self) -> bool {
        self.is_section()
    }

    /// Inserts an element of zeros in the form of its neighbour; returns `false` where the length is fixed.
    fn insert(&mut self, _index: usize) -> bool {
        false
    }

    /// Appends an element of zeros in its default form; returns `false` where the type fixes the length.
    fn push_blank(&mut self) -> bool {
        false
    }

    /// Removes an element; returns `false` where the length is fixed or the element does not exist.
    fn remove(&mut self, _index: usize) -> bool {
        false
    }

    /// Removes the elements at ascending indices; as [`remove`](Self::remove).
    fn remove_all(&mut self, indices: &[usize]) -> bool {
        indices.iter().rev().all(|index| self.remove(*index))
    }

    /// Keeps the first `len` elements, which the count then announces; `false` where the length is fixed.
    fn keep(&mut self, _len: usize) -> bool {
        false
    }

    /// Returns why a list without a count ended before the end of the file.
    fn stopped(&self) -> Option<&Error> {
        None
    }
}

/// What a type writes before itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Prefix {
    /// Nothing.
    None,
    /// The number of elements.
    Num,
    /// The number of bytes.
    Len,
}

impl Prefix {
    /// Returns the prefix of the bodies of a choice.
    #[must_use]
    pub const fn of_bodies(leads: &[Self]) -> Self {
        match leads {
            [] => Self::None,
            [Self::None, others @ ..] => Self::of_bodies(others),
            [lead, ..] => *lead,
        }
    }

    /// Returns the definition of the prefix field of another field.
    #[must_use]
    pub const fn field(self, of: &'static str, [num, len]: [(&'static str, &'static str); 2]) -> FieldInfo {
        let (name, doc) = if matches!(self, Self::Num) { num } else { len };
        FieldInfo { role: Role::Counts(of), origin: Origin::Prefix, ..FieldInfo::new(name, doc) }
    }
}

/// The properties that all values of a type share.
pub trait Schema: Value + Sized {
    /// Size on disk, where every value has the same; the [fast path](crate::wire::List) needs it.
    const FIXED: Option<usize> = None;

    /// Bytes of the fixed-size fields that a struct begins with: the offset of its first field of variable size.
    const HEAD: usize = 0;

    /// The number of fields of a struct.
    const FIELDS: usize = 0;

    /// Whether every value consists of bytes with a meaning: none is damaged, opaque or packed.
    const PLAIN: bool = Self::FIXED.is_some();

    /// Always true. A compiler error about a cycle here means that a type contains itself: mark the field by
    /// `#[schema(recursive)]`.
    const IS_FINITE: bool = true;

    /// The bytes that identify the format, as a field of the struct states them; empty if none does.
    const MAGIC: &'static [u8] = &[];

    /// What the type writes [before itself](Value::prefix).
    const PREFIX: Prefix = Prefix::None;

    /// Returns the static description of the type.
    fn shape() -> Shape;

    /// Returns a new value: the magic and the defaults of the definition, otherwise zeros and empty lists. Choices and
    /// options are present as in `like`.
    fn blank(like: Option<&Self>) -> Self;

    /// Reads a value of a [`FIXED`](Self::FIXED) type from exactly its bytes.
    ///
    /// # Panics
    /// When the type has no fixed size.
    #[must_use]
    fn get(_bytes: &[u8]) -> Self {
        unreachable!("only types of fixed length are read in blocks")
    }

    /// Writes a value of a [`FIXED`](Self::FIXED) type into exactly its bytes.
    ///
    /// # Panics
    /// When the type has no fixed size.
    fn put(&self, _bytes: &mut [u8]) {
        unreachable!("only types of fixed length are written in blocks")
    }

    /// Whether [`decode_prefix`](Self::decode_prefix) reads the same as the definition, only faster; lists of such records
    /// are read in blocks although their sizes vary.
    const BULK: bool = Self::FIXED.is_some();

    /// Reads a value of a [`BULK`](Self::BULK) type from the start of some bytes, and returns its size; nothing where
    /// it does not end within them.
    #[must_use]
    #[inline]
    fn decode_prefix(bytes: &[u8]) -> Option<(Self, usize)> {
        let size = Self::FIXED?;
        Some((Self::get(bytes.get(..size)?), size))
    }

    /// As [`decode_prefix`](Self::decode_prefix), for a field with a condition: an absent `Option` takes no bytes.
    #[must_use]
    #[inline]
    fn decode_prefix_if(_present: bool, bytes: &[u8]) -> Option<(Self, usize)> {
        Self::decode_prefix(bytes)
    }

    /// The number of bytes that [`decode_prefix`](Self::decode_prefix) takes, where it is always the same; for an
    /// optional value, where it is present.
    const SPAN: Option<usize> = Self::FIXED;

    /// Returns the number of bytes that [`decode_prefix`](Self::decode_prefix) takes.
    #[must_use]
    #[inline]
    fn span(bytes: &[u8]) -> Option<usize> {
        match Self::FIXED {
            Some(size) => (size <= bytes.len()).then_some(size),
            None => Self::decode_prefix(bytes).map(|(_, size)| size),
        }
    }

    /// Returns the number of bytes that [`decode_prefix_if`](Self::decode_prefix_if) takes.
    #[must_use]
    #[inline]
    fn span_if(_present: bool, bytes: &[u8]) -> Option<usize> {
        Self::span(bytes)
    }

    /// Whether [`append_to`](Self::append_to) writes the same as the definition, only faster; lists of such records are
    /// written in blocks.
    const APPENDS: bool = Self::BULK;

    /// Appends the bytes of a value of a type that [`APPENDS`](Self::APPENDS).
    #[inline]
    fn append_to(&self, bytes: &mut Vec<u8>) {
        let start = bytes.len();
        bytes.resize(start + Self::FIXED.unwrap_or(0), 0);
        self.put(&mut bytes[start..]);
    }
}
