//! Converts binrw's error frames to the path of a field.

use std::fmt;

use binrw::error::{BacktraceFrame, ContextExt, CustomError};

use super::LocatedError;
use crate::schema::{FieldPath, Step};
use crate::{Error, ErrorKind};

/// An error frame: the index of the list element that failed.
#[derive(Debug)]
struct Element(usize);

/// An error frame: the count (`num`) or length (`len`) before a field failed.
#[derive(Debug)]
struct Prefix(&'static str);

/// An error frame: the field that failed.
#[derive(Debug)]
struct Field(&'static str);

/// An error frame: packed content failed.
#[derive(Debug)]
struct Inside;

impl fmt::Display for Inside {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str("!")
    }
}

impl fmt::Display for Field {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(self.0)
    }
}

impl fmt::Display for Element {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "[{}]", self.0)
    }
}

impl fmt::Display for Prefix {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "{}_", self.0)
    }
}

/// Adds the index of a list element to an error.
pub fn note_index(error: binrw::Error, index: usize) -> binrw::Error {
    error.with_context(BacktraceFrame::Custom(Box::new(Element(index)) as Box<dyn CustomError>))
}

/// Adds to an error that it occurred in the count or length before a field.
pub fn note_prefix(error: binrw::Error, prefix: &'static str) -> binrw::Error {
    error.with_context(BacktraceFrame::Custom(Box::new(Prefix(prefix)) as Box<dyn CustomError>))
}

/// Adds the name of a field to an error, for fields that binrw does not read.
pub fn note_field(error: binrw::Error, name: &'static str) -> binrw::Error {
    error.with_context(BacktraceFrame::Custom(Box::new(Field(name)) as Box<dyn CustomError>))
}

/// Adds to an error that it occurred in packed content.
pub fn note_inside(error: binrw::Error) -> binrw::Error {
    error.with_context(BacktraceFrame::Custom(Box::new(Inside) as Box<dyn CustomError>))
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
            BacktraceFrame::Custom(frame) => {
                if let Some(Element(index)) = frame.downcast_ref() {
                    steps.push(Step::Index(*index));
                } else if let Some(Prefix(name)) = frame.downcast_ref() {
                    prefix = Some(*name);
                } else if let Some(Field(name)) = frame.downcast_ref() {
                    steps.push(Step::Field((*name).into()));
                } else if frame.is::<Inside>() {
                    steps.push(Step::Inside);
                }
            }
            BacktraceFrame::Message(_) => {}
        }
    }
    steps.reverse();
    FieldPath::from(steps)
}
