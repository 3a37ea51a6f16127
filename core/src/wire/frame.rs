//! Converts binrw's error frames to the path of a field.

use std::fmt;

use binrw::error::{BacktraceFrame, ContextExt, CustomError};

use super::LocatedError;
use crate::schema::{FieldPath, Step};
use crate::{Error, ErrorKind};

/// An error frame: what was read where the error occurred.
#[derive(Debug)]
enum Frame {
    /// The list element with this index.
    Element(usize),
    /// The count (`num`) or length (`len`) before a field.
    Prefix(&'static str),
    /// A field.
    Field(&'static str),
    /// Packed content.
    Inside,
}

impl fmt::Display for Frame {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Element(index) => write!(out, "[{index}]"),
            Self::Prefix(name) => write!(out, "{name}_"),
            Self::Field(name) => out.write_str(name),
            Self::Inside => out.write_str("!"),
        }
    }
}

fn note(error: binrw::Error, frame: Frame) -> binrw::Error {
    error.with_context(BacktraceFrame::Custom(Box::new(frame) as Box<dyn CustomError>))
}

/// Adds the index of a list element to an error.
pub fn note_index(error: binrw::Error, index: usize) -> binrw::Error {
    note(error, Frame::Element(index))
}

/// Adds to an error that it occurred in the count or length before a field.
pub fn note_prefix(error: binrw::Error, prefix: &'static str) -> binrw::Error {
    note(error, Frame::Prefix(prefix))
}

/// Adds the name of a field to an error, for fields that binrw does not read.
pub fn note_field(error: binrw::Error, name: &'static str) -> binrw::Error {
    note(error, Frame::Field(name))
}

/// Adds to an error that it occurred in packed content.
pub fn note_inside(error: binrw::Error) -> binrw::Error {
    note(error, Frame::Inside)
}

/// Converts binrw's error: the offset comes from its source, the path from its frames.
pub fn into_error(error: binrw::Error) -> Error {
    match error {
        binrw::Error::Backtrace(trail) => {
            let path = path_of(&trail.frames);
            into_error(*trail.error).at(path)
        }
        binrw::Error::Io(error) => match LocatedError::of(&error) {
            Some(located) => Error::new(located.offset, located.kind.clone()),
            None => Error::new(0, ErrorKind::Io(error.into())),
        },
        binrw::Error::AssertFail { pos, message } => Error::new(pos, ErrorKind::Encode(message)),
        binrw::Error::Custom { err, .. } => Error::new(0, ErrorKind::Encode(err.to_string())),
        other => Error::new(0, ErrorKind::Internal(other.to_string())),
    }
}

/// The innermost frame comes first, so the frame of a prefix precedes that of its field.
fn path_of(frames: &[BacktraceFrame]) -> FieldPath {
    let mut steps = Vec::new();
    let mut prefix = None;
    for frame in frames {
        match frame {
            BacktraceFrame::Full { message, .. } => {
                let Some(field) = message.split('\'').nth(1) else { continue };
                let name =
                    prefix.take().map_or_else(|| field.to_owned(), |prefix| format!("{prefix}_{field}"));
                steps.push(Step::Field(name.into()));
            }
            BacktraceFrame::Custom(frame) => match frame.downcast_ref() {
                Some(Frame::Element(index)) => steps.push(Step::Index(*index)),
                Some(Frame::Prefix(name)) => prefix = Some(*name),
                Some(Frame::Field(name)) => steps.push(Step::Field((*name).into())),
                Some(Frame::Inside) => steps.push(Step::Inside),
                None => {}
            },
            BacktraceFrame::Message(_) => {}
        }
    }
    steps.reverse();
    FieldPath::from(steps)
}
