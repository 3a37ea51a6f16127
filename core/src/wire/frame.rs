//! From binrw's trail of a failure to the path of a field.

use std::fmt;

use binrw::error::{BacktraceFrame, ContextExt, CustomError};

use super::Refused;
use crate::schema::{FieldPath, Step};
use crate::{Error, ErrorKind};

/// The failure was in this element of a list.
#[derive(Debug)]
struct Element(usize);

/// The failure was in the count or length in front of a field; holds `num` or `len`.
#[derive(Debug)]
struct Prefix(&'static str);

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

/// Says of an error that it happened in an element of a list.
pub fn note_index(error: binrw::Error, index: usize) -> binrw::Error {
    error.with_context(BacktraceFrame::Custom(Box::new(Element(index)) as Box<dyn CustomError>))
}

/// Says of an error that it happened in the count or length in front of a field.
pub fn note_lead(error: binrw::Error, lead: &'static str) -> binrw::Error {
    error.with_context(BacktraceFrame::Custom(Box::new(Prefix(lead)) as Box<dyn CustomError>))
}

/// Our own error from binrw's: the place from inside, the path from its trail.
pub fn into_error(error: binrw::Error) -> Error {
    match error {
        binrw::Error::Backtrace(trail) => {
            let path = path_of(&trail.frames);
            into_error(*trail.error).at(path)
        }
        binrw::Error::Io(error) => match error.get_ref().and_then(|inner| inner.downcast_ref::<Refused>()) {
            Some(refused) => Error::new(refused.offset, refused.kind.clone()),
            None => Error::new(0, ErrorKind::Io(error.into())),
        },
        binrw::Error::AssertFail { pos, message } => Error::new(pos, ErrorKind::Encode(message)),
        binrw::Error::Custom { err, .. } => Error::new(0, ErrorKind::Encode(err.to_string())),
        other => Error::new(0, ErrorKind::Internal(other.to_string())),
    }
}

/// Frames stand innermost first, so a lead comes before the field it belongs to.
fn path_of(frames: &[BacktraceFrame]) -> FieldPath {
    let mut steps = Vec::new();
    let mut lead = None;
    for frame in frames {
        match frame {
            BacktraceFrame::Full { message, .. } => {
                let Some(field) = message.split('\'').nth(1) else { continue };
                let name = lead.take().map_or_else(|| field.to_owned(), |lead| format!("{lead}_{field}"));
                steps.push(Step::Field(name.into()));
            }
            BacktraceFrame::Custom(frame) => {
                if let Some(Element(index)) = frame.downcast_ref() {
                    steps.push(Step::Index(*index));
                } else if let Some(Prefix(name)) = frame.downcast_ref() {
                    lead = Some(*name);
                }
            }
            BacktraceFrame::Message(_) => {}
        }
    }
    steps.reverse();
    FieldPath::from(steps)
}
