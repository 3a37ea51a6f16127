//! Parts at the end of a file that may be missing, whole, or damaged.

use std::io::{Read, Seek, SeekFrom, Write};
use std::ops::ControlFlow;

use binrw::{BinRead, BinResult, BinWrite, Endian};

use super::into_error;
use super::list::bytes_left;
use crate::schema::{Choice, EditError, Node, NodeMut, Prefix, Schema, Shape, Value};
use crate::{Error, ErrorKind};

/// A part that is there while bytes remain: `#[br(args(previous.is_present(), ()))] comments: Part<Comments>`.
///
/// The first argument says whether the part before it was there and sound; otherwise nothing is tried.
/// A broken part has no bytes: they are left to the file's [`Rest`](super::Rest), and the place and cause are kept.
///
/// ```
/// use bindpose::wire::Part;
/// let part: Part<u32> = Part::Absent;
/// assert!(!part.is_present());
/// ```
#[derive(Clone, Debug, PartialEq)]
pub enum Part<T> {
    /// The file ends before it.
    Absent,
    /// It is there and makes sense.
    Present(T),
    /// Something is there that is no such part.
    Broken(Error),
}

impl<T> Part<T> {
    /// Whether the part is there and makes sense.
    pub const fn is_present(&self) -> bool {
        matches!(self, Self::Present(_))
    }

    /// The part, where it is there and makes sense.
    pub const fn present(&self) -> Option<&T> {
        match self {
            Self::Present(part) => Some(part),
            Self::Absent | Self::Broken(_) => None,
        }
    }

    /// The part for changing, where it is there and makes sense.
    pub const fn present_mut(&mut self) -> Option<&mut T> {
        match self {
            Self::Present(part) => Some(part),
            Self::Absent | Self::Broken(_) => None,
        }
    }
}

impl<T: BinRead> BinRead for Part<T> {
    type Args<'a> = (bool, T::Args<'a>);

    fn read_options<R: Read + Seek>(
        reader: &mut R,
        endian: Endian,
        (follows, args): Self::Args<'_>,
    ) -> BinResult<Self> {
        let there = follows && bytes_left(reader)? > 0;
        if there { expected(reader, endian, (true, args)) } else { Ok(Self::Absent) }
    }
}

/// Reads a part that is missed where the file ends before it: `parse_with = expected, args(follows, ())`.
///
/// # Errors
/// When a limit is exceeded.
pub fn expected<T: BinRead, R: Read + Seek>(
    reader: &mut R,
    endian: Endian,
    (follows, args): (bool, T::Args<'_>),
) -> BinResult<Part<T>> {
    if !follows {
        return Ok(Part::Absent);
    }
    let start = reader.stream_position()?;
    match T::read_options(reader, endian, args) {
        Ok(part) => Ok(Part::Present(part)),
        Err(error) => {
            reader.seek(SeekFrom::Start(start))?;
            tolerated(error).map(Part::Broken)
        }
    }
}

/// Damage can be lived with; an exceeded limit cannot.
pub(super) fn tolerated(error: binrw::Error) -> BinResult<Error> {
    let own = into_error(error);
    match own.kind() {
        ErrorKind::Limit(_) => Err(super::refuse(own.offset(), own.kind().clone())),
        _ => Ok(own),
    }
}

impl<T: for<'a> BinWrite<Args<'a> = ()>> BinWrite for Part<T> {
    type Args<'a> = ();

    fn write_options<W: Write + Seek>(&self, writer: &mut W, endian: Endian, (): ()) -> BinResult<()> {
        self.present().map_or(Ok(()), |part| part.write_options(writer, endian, ()))
    }
}

impl<T: Schema> Value for Part<T> {
    fn size(&self) -> u64 {
        self.present().map_or(0, Value::size)
    }
    fn node(&self) -> Node<'_> {
        match self {
            Self::Absent => Node::Absent,
            Self::Present(part) => part.node(),
            Self::Broken(error) => Node::Broken(error),
        }
    }
    fn node_mut(&mut self) -> NodeMut<'_> {
        self.present_mut().map_or(NodeMut::Absent, Value::node_mut)
    }
    fn prefix(&self, show: &mut dyn FnMut(&dyn Value) -> ControlFlow<()>) -> ControlFlow<()> {
        self.present().map_or(ControlFlow::Continue(()), |part| part.prefix(show))
    }
    fn choice(&self) -> Option<Choice<'_>> {
        self.present()?.choice()
    }
    fn create(&mut self, body: Option<&str>) -> Result<(), EditError> {
        match (&mut *self, body) {
            (Self::Broken(_), _) => Err("is damaged in this file; its bytes are in `rest`".into()),
            (Self::Present(part), body) => part.create(body),
            (Self::Absent, body) => {
                let mut part = T::blank(None);
                if body.is_some() {
                    part.create(body)?;
                }
                *self = Self::Present(part);
                Ok(())
            }
        }
    }
    fn inside(&self) -> Option<&dyn Value> {
        self.present()?.inside()
    }
    fn change_inside(
        &mut self,
        change: &mut dyn FnMut(&mut dyn Value) -> Result<(), EditError>,
    ) -> Result<(), EditError> {
        match self.present_mut() {
            Some(part) => part.change_inside(change),
            None => Err(EditError::Absent),
        }
    }
    fn replace_inside(&mut self, plain: &[u8]) -> Result<(), EditError> {
        match self.present_mut() {
            Some(part) => part.replace_inside(plain),
            None => Err(EditError::Absent),
        }
    }
}

impl<T: Schema> Schema for Part<T> {
    const PREFIX: Prefix = T::PREFIX;

    fn shape() -> Shape {
        Shape::Part(Box::new(T::shape()))
    }
    fn blank(like: Option<&Self>) -> Self {
        like.and_then(Self::present).map_or(Self::Absent, |like| Self::Present(T::blank(Some(like))))
    }
}
