//! `derive(Schema)` derives the description of an on-disk struct from its definition.
//!
//! The derive must be **above** `#[binrw]` or `#[bitfield]`, because those attributes remove fields:
//!
//! * on a `#[binrw]` struct it derives walking, editing, the fast path and the published shape;
//! * on a `#[bitfield]` struct it derives the same and the reading and writing, with every bit kept;
//! * on an enum, a *choice*, it derives reading by tag too: `#[schema(tag(kind: u16))]` above the enum names the tag,
//!   `#[schema(tag = 1)]` above a variant its value, or `#[schema(when = tag == "x" && len == 4)]` a condition over the
//!   tag and the imports where a value is not enough, `#[schema(raw)]` the variant for all others. A choice without such a
//!   variant is `#[schema(tag(kind: u16), closed)]`: the part of a file that has another tag cannot be decoded.
//!   `#[schema(import(count: i32))]` above the enum names further arguments, after the tag, which conditions and the bodies
//!   can use.
//!
//! Hints on fields: `#[schema(magic = b"..")]` bytes that identify the format; `#[schema(default = expression)]` the
//! value of the field in a blank value; `#[schema(same_length_as("a.b"))]` lists that must have the same length as this
//! one; `#[schema(name = "bone")]` and `#[schema(name_of = "bone")]` the name of the object that the record describes, and
//! of another one; `#[schema(axis = "bone")]` the kind of objects that the elements of a list are;
//! `#[schema(index_of("bone", none = -1))]` an index of such an object, with the value for none; `#[schema(index)]` an index
//! of the kind that `index_of` states on the list with the record; `#[schema(length)]`, `#[schema(point)]` and
//! `#[schema(matrix)]` what its numbers measure, `#[schema(quantity)]` what the list with the record states of them, each with
//! the value that measures nothing: `#[schema(length(none = -1.0))]`; `#[schema(one_of = &[("linear", 0)])]` the cases that an
//! integer stands for; `#[schema(decides = "x")]` a value that decides how `x` is read, which the derive cannot detect;
//! `#[schema(encodes = "x")]` the encoding of `x`, which a conversion changes;
//! `#[schema(counts = "x")]` a count of `x` that the derive would treat as a deciding value; `#[schema(places = "x")]`
//! the offsets of the elements of `x` in the file, and `#[schema(offsets = HEAD)]` a part of a layout whose records contain those
//! of other parts, with the size of the fields before the layout; `#[schema(sizes("x", 2))]` the size of `x` in bytes and 2 more;
//! `#[schema(recursive)]` a field that can contain records of the same type; `#[schema(free)]` a value that decides nothing, although the derive
//! assumes so; `#[schema(condition = expression)]` and `#[schema(args(expression))]` the published condition or
//! arguments, where those of the reader cannot be published, in which `X` in capitals is the constant expression
//! `X.expr()`; `#[schema(shape = expression)]` a published shape other
//! than the type's; `#[schema(xml = "NAME")]` the element or attribute in the XML form of the format, see
//! `bindpose::schema::XmlHint`.
//!
//! Hints on a variant of a choice: `#[schema(tag = PATTERN)]`, `#[schema(magic)]` for the magic of the body as a number,
//! `#[schema(when = condition)]`, `#[schema(raw)]` for everything else. `#[schema(ksy = condition)]` is the condition in the
//! published schema, where that of the pattern cannot be published, and `#[schema(args(expression))]` are the published
//! arguments of the body. `axis`, `length`, `point` and `matrix` are as on a field.
//!
//! Hints on a struct: `#[schema(aliases = function)]` resolves aliases in paths, `#[schema(each_alias = function)]` does so
//! without collecting them, `#[schema(shorts = function)]` returns the alias of a list, such as `bones`, and
//! `#[schema(names = function)]` the names of the elements of a list that are not texts in them; see `aliases`, `each_alias`,
//! `short` and `names_in` of `bindpose::schema::Value`. `#[schema(default)]` also derives `Default`, as a blank value;
//! `#[schema(scope)]` states that indices in the record select from its own lists. On structs and choices,
//! `#[schema(params(name: Type))]` names the parameters of the published schema, if those of the reader, such as limits, are
//! not part of it.
//!
//! [`macro@on_disk`] replaces both lines above a struct, and accepts keys that state what a field follows from.
//!
//! Directives of binrw that could lose bytes, or that the derive does not support, are rejected.

mod bits;
mod bulk;
mod choice;
mod codec;
mod expr;
mod input;
mod on_disk;
mod record;
mod sizes;
#[cfg(test)]
mod tests;

use proc_macro::TokenStream;
use syn::{Data, DeriveInput, parse_macro_input};

/// See the [crate's page](crate).
#[proc_macro_derive(Schema, attributes(schema, br, bw, brw))]
pub fn schema(input: TokenStream) -> TokenStream {
    let input = parse_macro_input!(input as DeriveInput);
    derived(&input).unwrap_or_else(syn::Error::into_compile_error).into()
}

/// Replaces `#[derive(Schema)] #[binrw]` above a struct, in which one key states what a field follows from:
///
/// * `#[count_of(list)]`, `#[count_of(layout.part)]`: the number of elements; `#[count_of(part = expression)]` a number that
///   only the type of the part knows, as a `Result`;
/// * `#[size_of(part)]`, `#[size_of(part, plus = 2)]`: the size in bytes, and that of the fields between;
///   `#[size_of(part = expression)]` a size that only the type of the part knows;
/// * `#[offset_of(layout.part)]`: the offset in the record, which is that in the file in the root;
/// * `#[tag_of(choice)]`: the tag of the form, from the method `tag`; above a public field, a tag that is stored because a raw
///   form has none of its own, and that is an error on writing if it selects another form;
/// * `#[flag_of(part, other)]`: a flag word with a bit for each of these `Option`s, of the same name. It is stored, because
///   its other bits are; the bits of the parts follow on writing;
/// * `#[follows(claim = expression)]`: a number that follows from the content, such as a checksum. The field `claim` is a
///   `Claim` after everything that the expression reads, and has the number of a file in which it is wrong.
///
/// Such a field is computed on writing, so it cannot contradict what follows it. It is also passed to what follows it: a `List`, `Blob`,
/// `Region` or `Layout` has no arguments for it. Without other derives, the struct is `Clone`, `Debug`, `PartialEq`, and `Default` as
/// a blank value.
#[proc_macro_attribute]
pub fn on_disk(_args: TokenStream, input: TokenStream) -> TokenStream {
    let input = parse_macro_input!(input as DeriveInput);
    on_disk::rewrite(input).unwrap_or_else(syn::Error::into_compile_error).into()
}

fn derived(input: &DeriveInput) -> syn::Result<proc_macro2::TokenStream> {
    match &input.data {
        Data::Struct(_) if input::has_attribute(&input.attrs, "bitfield") => bits::derive(input),
        Data::Struct(_) => record::derive(input),
        Data::Enum(data) => choice::derive(input, data),
        Data::Union(_) => Err(syn::Error::new_spanned(&input.ident, "a union has no order of fields")),
    }
}
