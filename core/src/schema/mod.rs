//! What is known of an on-disk struct beside its bytes: its parts, their names, their places.
//!
//! Two views of one definition, both made by [`derive(Schema)`](bindpose_derive::Schema):
//! [`Value`] is dynamic (this file's third joint has that name) and serves walking, editing and comparing;
//! [`Schema`] is static (a joint has a name of 32 bytes) and serves the fast path and the published `.ksy`.

mod create;
mod edit;
mod expr;
mod leaf;
mod lookup;
mod path;
mod resize;
mod scrub;
mod shape;
mod value;
mod walk;

pub use bindpose_derive::Schema;

pub use create::{create, not_alone};
pub(crate) use edit::name_of;
pub use edit::{Edit, EditError, get, locate, set, unpacked};
#[doc(hidden)]
pub use edit::{component, value_mut};
pub use expr::{Expr, Op};
pub(crate) use leaf::spelled;
pub use leaf::{Bit, Class, Leaf, Plain, escape, parse_hex, show_hex, unescape};
pub use lookup::{Lookup, lookups};
pub use path::{FieldPath, Step};
pub use resize::{append, delete, delete_all};
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
