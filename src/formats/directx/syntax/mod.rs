//! The language of `.x` files in both encodings: lexers, templates, objects and their values.

pub(super) mod braces;
pub(super) mod field_types;
pub(super) mod fields;
pub(crate) mod object_writer;
pub(super) mod objects;
pub(super) mod resume;
pub(super) mod rows;
pub(super) mod symbols;
pub(super) mod template;
pub(super) mod text;
pub(super) mod values;
pub(super) mod walk;
pub(super) mod writer;
