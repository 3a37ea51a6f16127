//! A file as JSON that a person can read and change, and back, byte for byte.
//!
//! A record is an object, a list an array, a choice an object of one member that is named after the body, or the name
//! alone where the body has no bytes. Finite numbers are numbers; other bit patterns are texts: `"0x7f800001"`. Texts have
//! `\xNN` for bytes that are no text and `\\` for a backslash, `"hex:00ff"` are bytes, and what is long stands in rows.
//! A list of records that hold numbers alone names their fields once: `{"fields": ["time", "value"], "rows": [[0.5, 1.0], ..]}`.
//!
//! What follows from the rest is left out: counts, lengths, places and tags, parts that are not there. A count in front of a list
//! that is spelled in an unusual way stands with it: `{"num": "hex:8200", "items": [..]}`. A packed value is
//! `{"stored": .., "content": ..}`; what is stored comes back for as long as it unpacks to the content.

mod cells;
mod cursor;
mod describe;
mod document;
mod number;
mod print;
mod read;

pub use cursor::Cursor;
pub use describe::describe;
pub use document::{Document, Formats, read_document, write_document};
pub use print::print;
pub use read::{Inside, read};

/// What stands between two brackets of a line, at the most.
const WIDTH: usize = 110;

/// Bytes in a row of hexadecimal digits.
const ROW: usize = 32;
