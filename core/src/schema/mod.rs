//! Descriptions of on-disk structs, and paths to their values.
//!
//! [`derive(Schema)`](bindpose_derive::Schema) implements two traits for each on-disk struct:
//!
//! * [`Value`] describes a decoded value: its parts, their names and their sizes. It is the basis of walks, edits and
//!   comparisons. A value is a [`Node`]: a leaf, a record or a list.
//! * [`Schema`] describes the type: its [`Shape`], its size if it is fixed, and its blank value. It is the basis of the
//!   fast path of lists, of JSON and of the published Kaitai schema.
//!
//! A [`FieldPath`] such as `joints[3].name` selects values. [`get_all`] and [`set`] read and change them; [`walk`] visits all
//! values in the order of the file, each with its offset.
//!
//! ```
//! use bindpose::formats::ms3d::{Joint, Ms3d};
//! use bindpose::codec::Format;
//! use bindpose::schema;
//! let mut file = Ms3d::blank_file();
//! file.joints.push(Joint::default());
//! schema::set_text(&mut file, &"joints[0].name".parse()?, "hip")?;
//! assert_eq!(file.joints[0].name.text(), b"hip");
//! let places = schema::locate(&file, &"joints[0].name".parse()?)?;
//! assert_eq!(places[0].range.end - places[0].range.start, 32);
//! # Ok::<(), bindpose::Error>(())
//! ```

mod array;
mod bulk;
mod claims;
mod create;
mod edit;
mod edit_error;
mod expr;
mod field;
mod field_value;
mod leaf;
mod lookup;
mod name_index;
mod name_table;
mod named_paths;
mod pass;
mod path;
mod path_error;
mod reference;
mod remove;
mod renumber;
mod resize;
mod resolve;
mod scale;
mod scrub;
mod shape;
mod structure;
mod trim;
mod truncation;
mod value;
mod visit;
mod walk;

pub use bindpose_derive::{Schema, on_disk};

pub use array::{Array, ArrayField, ArrayType, array, set_array};
pub use bulk::BulkWith;
pub(crate) use claims::settle_at;
pub use claims::{Contradiction, contradictions, settle};
pub use create::{create, not_alone};
pub use edit::{
    Location, each_location, each_text, each_value, get_all, get_each, get_each_within, get_text,
    get_text_each, get_text_each_within, locate, locate_each, locate_many, locate_many_within, num_values,
    select, set, set_text, unpacked,
};
#[doc(hidden)]
pub use edit::{set_each, value_mut};
pub use edit_error::EditError;
pub use expr::{Expr, Op};
pub use field::{FieldInfo, Identity, IndexOf, Origin, Quantity, QuantityKind, Role};
pub use field_value::FieldValue;
#[doc(hidden)]
pub use leaf::show_text;
pub use leaf::{Bit, Class, Leaf, Plain, escape, is_printable, parse_hex, show_hex, unescape};
pub(crate) use leaf::{hex, text_of};
pub use lookup::{Lookup, lookups, ranges};
pub use name_index::NameIndex;
pub use name_table::{Ambiguous, NameTable, padded_like, unpadded};
pub use named_paths::NamedPaths;
#[doc(hidden)]
pub use named_paths::by_name;
#[doc(hidden)]
pub use path::ElementNames;
pub use path::{FieldPath, Pattern, Selection, Step};
pub use path_error::{Names, PathError};
pub use reference::{Objects, Reference, Target, Targets, VisitReference};
pub use remove::remove;
pub use renumber::Moves;
pub use resize::{append, delete, delete_all};
pub use resolve::Selected;
#[doc(hidden)]
pub use resolve::component;
pub(crate) use resolve::name_of;
pub use scale::scale;
pub use scrub::{junk, scrub};
pub use shape::{
    ByName, Count, FieldShape, FlagsShape, Length, ParamType, RecordShape, SamePath, Scalar, Shape, Spell,
    XmlHint, head_size, join_fixed, tag_of,
};
pub use structure::Structure;
pub(crate) use structure::{is_derived, is_layout};
pub use trim::{Trimmed, trim};
pub(crate) use truncation::set_truncation;
pub use truncation::{Truncation, partial, restore, truncated_role, truncation};
#[doc(hidden)]
pub use value::collected;
pub use value::{
    Alias, Choice, ElementAt, IsAlias, Items, Node, NodeMut, PlacedPart, Prefix, Record, Schema, Value,
    Visit, VisitLocation,
};
pub(crate) use visit::{at_index, each_field, each_item, each_of_all, find_field, find_item, find_of_all};
pub use walk::{
    Place, Visitor, bytes_of, leaf_at, leaves, leaves_from, offset_of, sections, walk, walk_from,
};
