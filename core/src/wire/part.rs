//! Optional parts at the end of a file.

use std::io::{Read, Seek, SeekFrom, Write};
use std::ops::ControlFlow;

use binrw::{BinRead, BinResult, BinWrite, Endian};

use super::into_error;
use super::list::bytes_left;
use super::macros::{bin_read, bin_write, forward_value};
use super::memory::{ERROR, charge, is_limit};
use super::scope;
use crate::schema::{BulkWith, Choice, EditError, Node, NodeMut, Prefix, Schema, Shape, Value};
use crate::{Error, ErrorKind};

/// A part that is present if bytes remain: `#[br(args(previous.is_present(), ()))] comments: Part<Comments>`.
///
/// The first argument specifies whether the previous part was present and valid; otherwise this one is absent. A broken
/// part has no bytes: they are in the file's [`Rest`](super::Rest), and the part keeps the error.
///
/// ```
/// use bindpose::wire::Part;
/// let part: Part<u32> = Part::Absent;
/// assert!(!part.is_present());
/// ```
#[derive(Clone, Debug, PartialEq)]
pub enum Part<T> {
    /// The file ends before the part.
    Absent,
    /// The part is present and valid.
    Present(T),
    /// The bytes there are not a valid part.
    Broken(Error),
}

impl<T> Part<T> {
    /// Returns whether the part is present and valid.
    pub const fn is_present(&self) -> bool {
        matches!(self, Self::Present(_))
    }

    /// Returns the part if it is present and valid.
    pub const fn present(&self) -> Option<&T> {
        if let Self::Present(part) = self { Some(part) } else { None }
    }

    /// Returns the part for changing it, if it is present and valid.
    pub const fn present_mut(&mut self) -> Option<&mut T> {
        if let Self::Present(part) = self { Some(part) } else { None }
    }
}

bin_read!([T: BinRead] Part<T>, (bool, T::Args<'a>), |reader, endian, (follows, args)| {
    let there = follows && bytes_left(reader)? > 0;
    if there { expected(reader, endian, (true, args)) } else { Ok(Self::Absent) }
});

/// Reads a part that is required, so that a file without it is damaged: `parse_with = expected, args(follows, ())`.
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
            tolerated(reader, error).map(Part::Broken)
        }
    }
}

/// Converts damage into a broken part; an exceeded limit remains an error.
pub(super) fn tolerated(reader: &mut impl Seek, error: binrw::Error) -> BinResult<Error> {
    if is_limit(&error) {
        return Err(error);
    }
    charge(reader, ERROR)?;
    let error = into_error(error);
    // The file goes on after the part that ends here.
    Ok(match error.kind() {
        ErrorKind::Truncated { needed, left } if scope::end().is_some() => {
            let why = format!("the part ends here ({needed} bytes needed, {left} left)");
            Error::new(error.offset(), ErrorKind::Unknown(why)).at(error.path().clone())
        }
        _ => error,
    })
}

bin_write!(
    [T: for<'a> BinWrite<Args<'a> = ()>] Part<T>,
    |own, writer, endian| {
        own.present().map_or(Ok(()), |part| part.write_options(writer, endian, ()))
    }
);

impl<T: Schema> Value for Part<T> {
    forward_value!(present, present_mut);

    fn node(&self) -> Node<'_> {
        match self {
            Self::Absent => Node::Absent,
            Self::Present(part) => part.node(),
            Self::Broken(error) => Node::Broken(error),
        }
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
}

impl<T: Schema + BinRead> BulkWith<(bool, T::Args<'static>)> for Part<T> {}

impl<T: Schema> Schema for Part<T> {
    const IS_FINITE: bool = T::IS_FINITE;
    const PREFIX: Prefix = T::PREFIX;

    fn shape() -> Shape {
        Shape::Part(Box::new(T::shape()))
    }
    fn blank(like: Option<&Self>) -> Self {
        like.and_then(Self::present).map_or(Self::Absent, |like| Self::Present(T::blank(Some(like))))
    }
}
