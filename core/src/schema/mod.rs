//! The parts of on-disk structs, their names and their places in a file.
//!
//! Two views of one definition, both made by [`derive(Schema)`](bindpose_derive::Schema):
//! [`Value`] is dynamic (the third joint of this file has that name) and serves walking, editing and comparing;
//! [`Schema`] is static (a joint has a name of 32 bytes) and serves the fast path and the published `.ksy`.

mod create;
mod edit;
mod edit_error;
mod expr;
mod leaf;
mod lookup;
mod path;
mod path_error;
mod resize;
mod resolve;
mod scrub;
mod shape;
mod value;
mod walk;

pub use bindpose_derive::Schema;

pub use create::{create, not_alone};
#[doc(hidden)]
pub use edit::value_mut;
pub use edit::{Location, get, locate, set, unpacked};
pub use edit_error::EditError;
pub use expr::{Expr, Op};
pub(crate) use leaf::spelled;
pub use leaf::{Bit, Class, Leaf, Plain, Truncation, escape, parse_hex, show_hex, unescape};
pub use lookup::{Lookup, lookups};
pub use path::{FieldPath, Pattern, Selection, Step};
pub use path_error::{Names, PathError};
pub use resize::{append, delete, delete_all};
#[doc(hidden)]
pub use resolve::component;
pub(crate) use resolve::name_of;
pub use scrub::{junk, scrub};
pub use shape::{
    Count, FieldShape, FlagsShape, Length, ParamType, RecordShape, SamePath, Scalar, Shape, Spell, XmlHint,
    head_size, join_fixed,
};
pub use value::{
    Choice, FieldInfo, Items, Node, NodeMut, Origin, PlacedPart, Prefix, Record, Role, Schema, Value, Visit,
};
pub use walk::{
    Place, Visitor, bytes_of, leaf_at, leaves, leaves_from, offset_of, sections, walk, walk_from,
};
