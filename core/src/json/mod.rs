//! Converts files to readable, editable JSON, and back without loss.
//!
//! A record is an object and a list is an array. A choice is an object with one member, named after the body, or only
//! the name if the body has no bytes. Finite numbers are numbers; other bit patterns are strings: `"0x7f800001"`.
//! Strings have `\xNN` for bytes that are not text and `\\` for a backslash; `"hex:00ff"` contains bytes. Long strings
//! are arrays of rows. A list of records that consist of numbers names their fields once: `{"fields": ["time",
//! "value"], "rows": [[0.5, 1.0], ..]}`.
//!
//! Derived values are omitted: counts, lengths, offsets, tags and absent parts. A count with an unusual encoding is
//! written with its list: `{"num": "hex:8200", "items": [..]}`. A packed value is `{"stored": .., "content": ..}`; the
//! stored bytes are used while they unpack to the content.
//!
//! Files with objects of their own, such as `.x`, have a second form, in the member `objects` in place of `file`. It has no
//! place for white space, comments and the notation of numbers.
//!
//! ```
//! use bindpose::codec::Format;
//! use bindpose::formats::ms3d::Ms3d;
//! let mut json = Vec::new();
//! Ms3d::blank_file().write_json(&mut json)?;
//! assert!(json.starts_with(b"{"));
//! assert_eq!(Ms3d::read_json(&mut &json[..])?, Ms3d::blank_file());
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod cells;
mod cursor;
mod describe;
mod document;
mod implied;
mod number;
mod print;
mod read;

pub use cursor::Cursor;
pub use describe::{Objects, describe};
pub use document::{Document, Formats, read_document, write_document, write_objects};
pub use print::{print, quoted};
pub use read::{Encoded, Inside, read};

/// The maximum length of the text between brackets on one line.
const WIDTH: usize = 110;

/// The number of bytes in a row of hexadecimal digits.
const ROW: usize = 32;
