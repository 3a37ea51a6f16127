//! What on-disk structs are made of, in every format.
//!
//! Each of these reads and writes itself ([`BinRead`], [`BinWrite`]), knows its parts ([`Value`](crate::schema::Value))
//! and its published form ([`Schema`](crate::schema::Schema)), so a struct only names them.

mod announced;
mod blob;
mod cint;
mod few;
mod frame;
mod list;
mod packed;
mod part;
mod row;
mod scalar;
mod scanned;
mod source;
mod special;
mod stream;
mod table;
mod text;

use binrw::{BinRead, BinWrite};

pub use crate::schema::{escape, unescape};
pub use announced::Announced;
pub use blob::{Blob, Bytes, Rest};
pub use cint::CInt;
pub use few::Few;
pub use list::{
    Counted, Counter, List, TooMany, count, count_of, counted_with, counter, len, list_each, list_while,
    list_with,
};
pub use packed::{Budget, Content, Packed};
pub use part::{Part, expected};
pub use row::Row;
pub use scalar::scalar_bytes;
pub use scanned::{Grammar, Lexeme, Lexicon, Lexis, Scanned, Syntax, scanned_with};
pub use source::{Refused, Source, refuse};
pub use stream::Stream;
pub use table::Table;
pub use text::{FixedStr, LenStr};

pub(crate) use frame::{into_error, note_index, note_lead};
pub(crate) use special::special_float;

/// A value that can be an element of a list: read and written without arguments from outside.
pub trait Wire: for<'a> BinRead<Args<'a> = ()> + for<'a> BinWrite<Args<'a> = ()> {}

impl<T: for<'a> BinRead<Args<'a> = ()> + for<'a> BinWrite<Args<'a> = ()>> Wire for T {}
