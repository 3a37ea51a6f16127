//! The field types of on-disk structs.
//!
//! Each type implements [`BinRead`] and [`BinWrite`], and describes its parts ([`Value`](crate::schema::Value)) and its
//! layout ([`Schema`](crate::schema::Schema)), so that an on-disk struct is a list of fields.
//!
//! | data | types |
//! | --- | --- |
//! | lists | [`List`], [`Counted`], [`FixedLenList`], [`SmallList`], [`Stream`] |
//! | text | [`FixedStr`], [`LenStr`], [`ZStr`] |
//! | numbers | [`Be`], and the integers and floats of Rust; [`Claim`] for those that follow |
//! | bytes | [`Blob`], [`Bytes`], [`Packed`], [`Padding`], [`Gap`], [`Rest`] |
//! | optional, placed and bounded parts | [`Part`], [`Placed`], [`Layout`], [`Region`], [`Tail`] |
//!
//! ```
//! use binrw::binrw;
//! use bindpose::schema::Schema;
//! use bindpose::wire::{Counted, FixedStr};
//!
//! /// A bone of a small format.
//! #[derive(Schema)]
//! #[binrw]
//! #[brw(little)]
//! pub struct Bone {
//!     /// The name.
//!     pub name: FixedStr<8>,
//!     /// Indices of the children.
//!     pub children: Counted<u16, u16>,
//! }
//! let bone = Bone { name: FixedStr(*b"hip\0\0\0\0\0"), children: vec![1, 2].into() };
//! assert_eq!(bindpose::schema::Value::size(&bone), 8 + 2 + 2 * 2);
//! ```

mod big;
mod blob;
mod claim;
mod clip;
mod compare_writer;
mod file_source;
mod fixed_len_list;
mod frame;
mod gap;
mod layout;
mod list;
mod macros;
mod memory;
mod packed;
mod part;
mod region;
mod scalar;
mod scope;
mod small_list;
mod source;
mod stream;
mod text;
mod zstr;

use binrw::{BinRead, BinWrite};

pub use crate::schema::{escape, unescape};
pub use big::{Be, Number};
pub use blob::{Blob, Bytes, Padding, Rest};
pub use claim::Claim;
pub use fixed_len_list::FixedLenList;
pub use gap::Gap;
#[doc(hidden)]
pub use layout::with_offsets;
pub use layout::{Layout, Placed};
pub(crate) use layout::{number_in, part_named};
pub use list::{
    Announced, Counted, Counter, List, TooMany, byte_size, count, count_of, counted_with, counter, len,
    list_each, list_while, list_with, stored_size,
};
#[doc(hidden)]
pub use list::{checked, fitting, push};
pub use memory::charge;
#[doc(hidden)]
pub use memory::{release, room};
pub use packed::{Content, Packed};
pub use part::{Part, expected};
pub use region::{Region, Tail};
pub use scalar::scalar_bytes;
pub(crate) use scalar::{FromBits, parse_integer};
pub use small_list::SmallList;
#[cfg(feature = "harness")]
pub(crate) use source::{IS_CONSTRUCTED, IS_IN_ORDER};
pub use source::{LocatedError, Source, past_end, refuse};
pub use stream::Stream;
pub use text::{FixedStr, LenStr};
pub use zstr::ZStr;

pub(crate) use compare_writer::CompareWriter;
pub(crate) use file_source::FileSource;
#[doc(hidden)]
pub use frame::{into_error, note_field, note_index, note_inside, note_prefix};
pub(crate) use memory::allocated;

/// A type of list elements, which are read and written without arguments.
pub trait Wire: for<'a> BinRead<Args<'a> = ()> + for<'a> BinWrite<Args<'a> = ()> {}

impl<T: for<'a> BinRead<Args<'a> = ()> + for<'a> BinWrite<Args<'a> = ()>> Wire for T {}
