//! Parts of a file whose size in bytes is stored.

use std::io::{Read, Seek, SeekFrom, Write};
use std::ops::{ControlFlow, Deref, DerefMut};

use binrw::{BinRead, BinResult, BinWrite, Endian};

use super::list::{TooMany, bytes_left, count_of, stored_size};
use super::macros::{bin_read, bin_write, deref, forward_value};
use super::part::tolerated;
use super::scope::Nested;
use super::source::{is_in_order, is_truncated, past_end};
use super::text::read_bytes;
use super::{blob::Leftover, refuse};
use crate::schema::{
    BulkWith, Choice, EditError, Length, Node, NodeMut, PlacedPart, Prefix, Schema, Shape, Value,
};
use crate::{Error, ErrorKind};

/// A part with a size in bytes, which [`on_disk`](macro@crate::schema::on_disk) passes on: `#[size_of(body)] size: u32`,
/// `body: Region<Body>`, `tail: Tail`.
///
/// Nothing in it reads beyond its end, and the offsets of a [`Layout`](super::Layout) in it count from the record that it
/// is in. Content that cannot be decoded is damage within this part: its bytes are in the [`Tail`] after it.
///
/// ```
/// use bindpose::wire::{Region, Stream};
/// let mut region: Region<Stream<u16>> = Stream::from(vec![1, 2]).into();
/// region.push(3);
/// assert_eq!(bindpose::schema::Value::size(&region), 6);
/// ```
#[derive(Clone, Debug)]
pub struct Region<T> {
    content: T,
    /// The error that ended the content, if it could not be read.
    damage: Option<Error>,
    end: u64,
    /// The size that a truncated file announces, beyond that of the content.
    missing: i64,
}

impl<T> Region<T> {
    /// Returns the content, if it could be read.
    fn inner(&self) -> Option<&T> {
        self.damage.is_none().then_some(&self.content)
    }

    fn inner_mut(&mut self) -> Option<&mut T> {
        self.damage.is_none().then_some(&mut self.content)
    }

    /// Returns where it ended in the file that it was read from.
    #[doc(hidden)]
    #[must_use]
    pub const fn end(&self) -> u64 {
        self.end
    }

    /// Returns whether its bytes could not be decoded, so that its content is a blank one.
    #[must_use]
    pub const fn is_damaged(&self) -> bool {
        self.damage.is_some()
    }
}

impl<T: Schema> Region<T> {
    /// Returns its size with that of its tail and a number of bytes, as a number of type `C`.
    ///
    /// # Errors
    /// When the size does not fit into `C`.
    pub fn byte_size<C: TryFrom<usize>>(&self, tail: &Tail, plus: usize) -> Result<C, TooMany> {
        let size = (stored_size(self) + tail.size()).saturating_add_signed(self.missing);
        count_of(usize::try_from(size).unwrap_or(usize::MAX).saturating_add(plus))
    }
}

/// Where a region ends, and what bounds it.
struct Bounds {
    end: u64,
    /// Whether the file ends before it.
    is_cut: bool,
    is_generated: bool,
}

impl Bounds {
    fn of<R: Read + Seek>(reader: &mut R, size: i64) -> BinResult<Self> {
        let is_generated = is_in_order(reader);
        if is_generated {
            // An odd number of bytes is not taken for a count.
            let mut draw = [0; 3];
            reader.read_exact(&mut draw)?;
            let left = bytes_left(reader)?.min(u64::from(draw[0]) * u64::from(draw[1] % 16));
            return Ok(Self { end: reader.stream_position()? + left, is_cut: false, is_generated });
        }
        let (start, left) = (reader.stream_position()?, bytes_left(reader)?);
        match u64::try_from(size) {
            Ok(size) if size <= left => Ok(Self { end: start + size, is_cut: false, is_generated }),
            Ok(size) if is_truncated(reader) => {
                Ok(Self { end: start.saturating_add(size), is_cut: true, is_generated })
            }
            Ok(needed) => Err(refuse(start, ErrorKind::Truncated { needed, left })),
            Err(_) if past_end(reader)? => Ok(Self { end: start, is_cut: true, is_generated }),
            Err(_) => Err(refuse(start, ErrorKind::Count(format!("invalid size {size}")))),
        }
    }
}

impl<T: Schema + BinRead> BinRead for Region<T> {
    type Args<'a> = (i64, T::Args<'a>);

    fn read_options<R: Read + Seek>(
        reader: &mut R,
        endian: Endian,
        (size, args): Self::Args<'_>,
    ) -> BinResult<Self> {
        let Bounds { end, is_cut, is_generated } = Bounds::of(reader, size)?;
        let start = reader.stream_position()?;
        let scope = Nested::part(start, Some(end).filter(|_| !is_cut));
        let mut content = T::read_options(reader, endian, args);
        let at = reader.stream_position()?;
        if content.is_ok() && at > end && !is_cut && !is_generated {
            let why = format!("needs {} bytes, but its size is {}", at - start, end - start);
            content = Err(refuse(start, ErrorKind::Unknown(why)));
        }
        let (content, damage) = match content {
            Ok(content) => (content, None),
            Err(error) => {
                reader.seek(SeekFrom::Start(start))?;
                (T::blank(None), Some(tolerated(reader, error)?))
            }
        };
        drop(scope);
        let mut region = Self { content, damage, end, missing: 0 };
        if is_cut {
            let tail = end.saturating_sub(reader.stream_position()?).min(bytes_left(reader)?);
            let announced = i64::try_from(end - start).unwrap_or(i64::MAX);
            region.missing = announced.saturating_sub_unsigned(stored_size(&region) + tail);
        }
        Ok(region)
    }
}

bin_write!(
    [T: Schema + for<'a> BinWrite<Args<'a> = ()>] Region<T>,
    |own, writer, endian| {
        own.inner().map_or(Ok(()), |content| content.write_options(writer, endian, ()))
    }
);

impl<T> From<T> for Region<T> {
    fn from(content: T) -> Self {
        Self { content, damage: None, end: 0, missing: 0 }
    }
}

impl<T: Default> Default for Region<T> {
    fn default() -> Self {
        T::default().into()
    }
}

impl<T: PartialEq> PartialEq for Region<T> {
    fn eq(&self, other: &Self) -> bool {
        (&self.content, &self.damage, self.missing) == (&other.content, &other.damage, other.missing)
    }
}

deref!([T] Region<T> => T, content);

impl<T: Schema> Value for Region<T> {
    forward_value!(inner, inner_mut);

    fn node(&self) -> Node<'_> {
        self.damage.as_ref().map_or_else(|| self.content.node(), Node::Broken)
    }
    fn choice(&self) -> Option<Choice<'_>> {
        self.inner()?.choice()
    }
    fn create(&mut self, body: Option<&str>) -> Result<(), EditError> {
        match self.damage {
            Some(_) => Err("is damaged in this file; its bytes are in `tail`".into()),
            None => self.content.create(body),
        }
    }
    fn placed(&self) -> Option<&dyn PlacedPart> {
        self.content.placed()
    }
}

impl<T: Schema + BinRead> BulkWith<(i64, T::Args<'static>)> for Region<T> {}

impl<T: Schema> Schema for Region<T> {
    const IS_FINITE: bool = T::IS_FINITE;
    const PREFIX: Prefix = T::PREFIX;

    fn shape() -> Shape {
        Shape::Region(Box::new(T::shape()))
    }
    fn blank(like: Option<&Self>) -> Self {
        T::blank(like.map(|like| &like.content)).into()
    }
}

/// The bytes of a [`Region`] after its content. It is the field after the region; published schemas omit it.
///
/// ```
/// use bindpose::wire::Tail;
/// assert!(Tail::default().is_empty());
/// assert_eq!(*Tail::from(vec![1, 2]), [1, 2]);
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Tail(Option<Leftover>);

impl From<Vec<u8>> for Tail {
    fn from(bytes: Vec<u8>) -> Self {
        Self(Some(Leftover(bytes)).filter(|bytes| !bytes.0.is_empty()))
    }
}

impl Deref for Tail {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        self.0.as_ref().map_or(&[], |bytes| &bytes.0)
    }
}

bin_read!(
    /// Reads up to an offset, or to the end of a truncated file.
    [] Tail, (u64,), |reader, _, (end,)| {
        let len = end.saturating_sub(reader.stream_position()?).min(bytes_left(reader)?);
        read_bytes(reader, i64::try_from(len).unwrap_or(i64::MAX)).map(Self::from)
    }
);

bin_write!([] Tail, |own, writer, _| Ok(writer.write_all(own)?));

impl Value for Tail {
    fn size(&self) -> u64 {
        self.len() as u64
    }
    fn node(&self) -> Node<'_> {
        self.0.node()
    }
    fn node_mut(&mut self) -> NodeMut<'_> {
        self.0.node_mut()
    }
}

impl BulkWith<(u64,)> for Tail {}

impl Schema for Tail {
    fn shape() -> Shape {
        Shape::Optional(Box::new(Shape::Bytes(Length::Damage)))
    }
    fn blank(_like: Option<&Self>) -> Self {
        Self::default()
    }
}
