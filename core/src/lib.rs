//! Describes binary formats by one definition per on-disk struct.
//!
//! A struct under [`derive(Schema)`](schema::Schema) and `#[binrw]` is read, written, walked, edited, compared and
//! published from that one definition. This crate contains no format; `bindpose` has them.
//!
//! * [`schema`]: the parts of a value, their paths, offsets and descriptions;
//! * [`wire`]: the field types of on-disk structs;
//! * [`codec`]: formats, limits and round trips;
//! * [`diff`], [`json`], [`ksy`], [`imhex`]: the differences between two values, a value as text, schemas for other tools.
//!
//! ```
//! use binrw::binrw;
//! use bindpose::schema::{self, Schema};
//! use bindpose::wire::Counted;
//!
//! /// A track of a small format.
//! #[derive(Schema)]
//! #[binrw]
//! #[brw(little)]
//! pub struct Track {
//!     /// The index of the bone.
//!     pub bone: u16,
//!     /// Times in seconds.
//!     pub times: Counted<u16, f32>,
//! }
//! let mut track = Track { bone: 7, times: vec![0.0, 0.5].into() };
//! schema::set_text(&mut track, &"times[1]".parse()?, "0.25")?;
//! assert_eq!(track.times[1], 0.25);
//! # Ok::<(), bindpose::Error>(())
//! ```

extern crate self as bindpose;

pub mod codec;
pub mod diff;
mod error;
mod foreign;
pub mod json;
mod notation;
pub mod schema;
pub mod wire;
#[doc(hidden)]
pub mod work;

/// The crate that reads and writes on-disk structs.
#[doc(no_inline)]
pub use binrw;
pub use codec::{Budget, Limits, Options};
#[doc(hidden)]
pub use error::counted;
pub use error::{Error, ErrorKind, IoError, LimitError, Result};
pub use foreign::{Foreign, MARK};
pub use notation::{imhex, ksy};
pub use schema::FieldPath;
