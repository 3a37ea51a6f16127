//! Describes binary formats by one definition per on-disk struct.
//!
//! A struct under [`derive(Schema)`](schema::Schema) and `#[binrw]` is read, written, walked, edited, compared and
//! published from that one definition. This crate knows no format; `bindpose` has them.
//!
//! * [`schema`]: the parts of a value, their paths, offsets and descriptions;
//! * [`wire`]: the field types of on-disk structs;
//! * [`codec`]: formats, limits and round trips;
//! * [`diff`], [`json`], [`ksy`]: what differs between two values, a value as text, a schema for other tools.

extern crate self as bindpose;

pub mod codec;
pub mod diff;
mod error;
pub mod json;
pub mod ksy;
pub mod schema;
pub mod wire;

pub use codec::{Limits, Options};
#[doc(hidden)]
pub use error::counted;
pub use error::{Error, ErrorKind, IoError, Result};
pub use schema::FieldPath;
