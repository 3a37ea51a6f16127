//! A decoded value as seen from outside: what it consists of, and how long it is on disk.

use std::fmt;
use std::ops::{ControlFlow, Range};

use super::{EditError, FieldPath, Leaf, Location, Shape, bytes_of};
use crate::error::counted;
use crate::{Error, Result};

/// A decoded value that knows its own parts and its own length on disk, without any argument.
///
/// Implemented by [`derive(Schema)`](bindpose_derive::Schema) for on-disk structs and choices, and in
/// [`wire`](crate::wire) for what they are made of.
pub trait Value {
    /// Bytes this value takes in the file, without its [`prefix`](Self::prefix).
    fn size(&self) -> u64;

    /// The parts, for reading.
    fn node(&self) -> Node<'_>;

    /// The parts, for changing.
    fn node_mut(&mut self) -> NodeMut<'_>;

    /// The places that a path leads to by names of the format's own; none where it begins with no such name.
    ///
    /// Roots answer it: `Frame[Root].Mesh.vertices[12].x` names a token by what it means.
    fn alias(&self, _path: &FieldPath) -> Option<Result<Vec<Location>>> {
        None
    }

    /// The content of a packed value. Its offsets count from its own first byte; in paths it stands behind a `!`.
    fn inside(&self) -> Option<&dyn Value> {
        None
    }

    /// Changes the content of a packed value, and packs it anew where it is no longer the same.
    ///
    /// # Errors
    /// When there is none, the change is refused, or the new content does not agree with what stands outside of it. The
    /// content is then as it was.
    fn change_inside(
        &mut self,
        _change: &mut dyn FnMut(&mut dyn Value) -> Result<(), EditError>,
    ) -> Result<(), EditError> {
        Err(EditError::NotPacked)
    }

    /// Gives a packed value another content, as its unpacked bytes; packed anew where it is no longer the same.
    ///
    /// # Errors
    /// When nothing can be packed in it, or the bytes make no sense there. The content is then as it was.
    fn replace_inside(&mut self, _plain: &[u8]) -> Result<(), EditError> {
        Err(EditError::NotPacked)
    }

    /// Makes an absent value present, of zeros, or a choice hold another body, of zeros.
    ///
    /// # Errors
    /// When the value is always there, or already there, or has no such body.
    fn create(&mut self, _body: Option<&str>) -> Result<(), EditError> {
        Err(EditError::Present)
    }

    /// Which body a choice holds; nothing for other values.
    fn choice(&self) -> Option<Choice<'_>> {
        None
    }

    /// The value as a part that a header places; none for other values.
    fn placed(&self) -> Option<&dyn PlacedPart> {
        None
    }

    /// As [`placed`](Self::placed), for changing it.
    fn placed_mut(&mut self) -> Option<&mut dyn PlacedPart> {
        None
    }

    /// Shows the count or length that stands directly before this value, where it keeps one.
    ///
    /// The record that holds the value names it: `num_<field>` or `len_<field>`.
    fn prefix(&self, _show: &mut dyn FnMut(&dyn Value) -> ControlFlow<()>) -> ControlFlow<()> {
        ControlFlow::Continue(())
    }
}

/// A part of a file that a header places by an offset: see [`Layout`](crate::wire::Layout).
pub trait PlacedPart {
    /// The offset and the count that the header had for it.
    fn announced(&self) -> (i64, i64);

    /// Whether the part has bytes of its own.
    fn is_laid_out(&self) -> bool;

    /// Leaves the bytes of the part to the layout; `why` is kept unless the part is empty.
    fn detach(&mut self, why: Error);
}

/// The body that a choice holds.
#[derive(Clone, Copy)]
pub struct Choice<'a> {
    /// The name of the variant, as fields are spelled.
    pub name: &'static str,
    /// The number that tells it, where it is told by one number alone.
    pub tag: Option<i64>,
    /// The body; nothing where it has no bytes.
    pub body: Option<&'a dyn Value>,
}

/// What a [`Value`] consists of.
#[derive(Clone, Copy)]
pub enum Node<'a> {
    /// A value with bytes and without parts.
    Leaf(&'a dyn Leaf),
    /// Named fields in the order of the file.
    Record(&'a dyn Record),
    /// Elements in the order of the file.
    Items(&'a dyn Items),
    /// An optional value that is not there; it has no bytes.
    Absent,
    /// An optional part whose bytes made no sense; they are in the file's rest.
    Broken(&'a Error),
}

/// What a [`Value`] consists of, for changing it.
pub enum NodeMut<'a> {
    /// A value with bytes and without parts.
    Leaf(&'a mut dyn Leaf),
    /// Named fields in the order of the file.
    Record(&'a mut dyn Record),
    /// Elements in the order of the file.
    Items(&'a mut dyn Items),
    /// Nothing is there to be changed.
    Absent,
}

impl fmt::Debug for Choice<'_> {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { name, tag, body } = self;
        let node = body.map(|body| body.node());
        out.debug_struct("Choice").field("name", name).field("tag", tag).field("body", &node).finish()
    }
}

/// What it is and how much of it, without what it holds.
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

/// As a [`Node`] says it.
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
pub trait Record {
    /// The name of the struct.
    fn type_name(&self) -> &'static str;

    /// Visits the fields in the order of the file, counts and lengths included.
    ///
    /// # Errors
    /// Breaks as soon as `visit` does.
    fn fields(&self, visit: &mut Visit<'_>) -> ControlFlow<()>;

    /// As [`fields`](Self::fields), those behind the end of a truncated file included.
    ///
    /// # Errors
    /// Breaks as soon as `visit` does.
    fn all_fields(&self, visit: &mut Visit<'_>) -> ControlFlow<()> {
        self.fields(visit)
    }

    /// A field that is stored; counts that follow from a list are not.
    fn field_mut(&mut self, name: &str) -> Option<&mut dyn Value>;
}

/// What is known of a field beside its value.
#[derive(Debug, PartialEq, Eq)]
pub struct FieldInfo {
    /// The name, as in the path.
    pub name: &'static str,
    /// The first paragraph of its documentation.
    pub doc: &'static str,
    /// Whether it decides what follows.
    pub role: Role,
    /// Who keeps it.
    pub origin: Origin,
    /// Lists of the same record that must keep the length of this one, as paths from the record.
    pub same_length_as: &'static [&'static str],
}

/// Who keeps the value of a field.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Origin {
    /// The record.
    Stored,
    /// Nobody: it follows from other fields.
    Computed,
    /// The value behind it: see [`Value::prefix`].
    Prefix,
}

/// What changing a field would mean for the bytes behind it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    /// Nothing: it can be set.
    Free,
    /// It counts the elements or bytes of the named field and follows from them.
    Counts(&'static str),
    /// It says where in the file each element of the named field, which stands before it, begins, and follows from them.
    Places(&'static str),
    /// It decides how the named field is read.
    Decides(&'static str),
    /// The format is known by it.
    Magic,
}

/// A value with elements: a list or an array.
pub trait Items {
    /// How many elements there are.
    fn len(&self) -> usize;

    /// Whether there are none.
    fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// How many the count of the list announces: more than there are in a truncated file.
    fn announced(&self) -> usize {
        self.len()
    }

    /// An element that is stored, counted from 0. Lists may make theirs on the way; then only [`each`](Self::each) and
    /// [`change`](Self::change) reach them.
    fn item(&self, _index: usize) -> Option<&dyn Value> {
        None
    }

    /// An element that is stored, counted from 0; see [`item`](Self::item).
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

    /// As [`each`](Self::each), by one who knows at which byte of the list the first of them begins.
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

    /// Shows the elements of these ascending indices for changing them.
    ///
    /// # Errors
    /// The first error of `change`, and those of the list itself when what was changed does not fit it.
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

    /// The bytes of all elements where they are a text, which is easier read in lines than element by element.
    fn text(&self) -> Option<&[u8]> {
        None
    }

    /// The length of every element on disk, where they are all equal.
    fn item_size(&self) -> Option<usize> {
        None
    }

    /// Whether the type itself fixes how many elements there are.
    fn is_array(&self) -> bool {
        false
    }

    /// Whether the elements tile the list by its type, so that a survey need not visit them.
    fn is_section(&self) -> bool {
        self.item_size().is_some()
    }

    /// Inserts an element of zeros in the shape of its neighbour; `false` where the length is fixed.
    fn insert(&mut self, _index: usize) -> bool {
        false
    }

    /// Appends an element of zeros that has no neighbour's shape, for readers that build a value from another spelling;
    /// `false` where the type itself fixes the length.
    fn push_blank(&mut self) -> bool {
        false
    }

    /// Removes an element; `false` where the length is fixed or the element does not exist.
    fn remove(&mut self, _index: usize) -> bool {
        false
    }

    /// Why a list without a count ended before the end of the file.
    fn stopped(&self) -> Option<&Error> {
        None
    }
}

/// What a type writes in front of itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Prefix {
    /// Nothing.
    None,
    /// How many elements there are.
    Num,
    /// How many bytes there are.
    Len,
}

impl Prefix {
    /// What the bodies of a choice have in front of them; nothing where none has anything.
    #[must_use]
    pub const fn of_bodies(leads: &[Self]) -> Self {
        match leads {
            [] => Self::None,
            [Self::None, others @ ..] => Self::of_bodies(others),
            [lead, ..] => *lead,
        }
    }

    /// The field that it is, in front of another: how it is called and what it says.
    #[must_use]
    pub const fn field(self, of: &'static str, [num, len]: [(&'static str, &'static str); 2]) -> FieldInfo {
        let (name, doc) = if matches!(self, Self::Num) { num } else { len };
        FieldInfo { name, doc, role: Role::Counts(of), origin: Origin::Prefix, same_length_as: &[] }
    }
}

/// What every value of a type has in common.
pub trait Schema: Value + Sized {
    /// Length on disk, where every value has the same; the [fast path](crate::wire::List) needs it.
    const FIXED: Option<usize> = None;

    /// Bytes of the fixed-size fields that a struct begins with: the offset of its first field of variable size.
    const HEAD: usize = 0;

    /// What the type writes [in front of itself](Value::prefix).
    const PREFIX: Prefix = Prefix::None;

    /// The published description.
    fn shape() -> Shape;

    /// Returns a new value: the magic and the defaults of the definition, otherwise zeros and empty lists. Choices and
    /// options are present as in `like`.
    fn blank(like: Option<&Self>) -> Self;

    /// Reads a value of a [`FIXED`](Self::FIXED) type from exactly its bytes.
    ///
    /// # Panics
    /// When the type has no fixed length.
    #[must_use]
    fn get(_bytes: &[u8]) -> Self {
        unreachable!("only types of fixed length are read in blocks")
    }

    /// Writes a value of a [`FIXED`](Self::FIXED) type into exactly its bytes.
    ///
    /// # Panics
    /// When the type has no fixed length.
    fn put(&self, _bytes: &mut [u8]) {
        unreachable!("only types of fixed length are written in blocks")
    }

    /// Whether [`decode_prefix`](Self::decode_prefix) and [`append_to`](Self::append_to) read and write what the definition does, only faster; lists
    /// of such records go in blocks although their lengths vary.
    const BULK: bool = Self::FIXED.is_some();

    /// Reads a value of a [`BULK`](Self::BULK) type from the front of some bytes and says how many it took; nothing
    /// where it does not end within them.
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

    /// How many bytes [`decode_prefix`](Self::decode_prefix) takes, where that is always as many; of an optional value, where it is there.
    const SPAN: Option<usize> = Self::FIXED;

    /// How many bytes [`decode_prefix`](Self::decode_prefix) would take.
    #[must_use]
    #[inline]
    fn span(bytes: &[u8]) -> Option<usize> {
        match Self::FIXED {
            Some(size) => (size <= bytes.len()).then_some(size),
            None => Self::decode_prefix(bytes).map(|(_, size)| size),
        }
    }

    /// How many bytes [`decode_prefix_if`](Self::decode_prefix_if) would take.
    #[must_use]
    #[inline]
    fn span_if(_present: bool, bytes: &[u8]) -> Option<usize> {
        Self::span(bytes)
    }

    /// Appends the bytes of a value of a [`BULK`](Self::BULK) type.
    #[inline]
    fn append_to(&self, bytes: &mut Vec<u8>) {
        let start = bytes.len();
        bytes.resize(start + Self::FIXED.unwrap_or(0), 0);
        self.put(&mut bytes[start..]);
    }
}
