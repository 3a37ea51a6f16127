//! `derive(Schema)`: everything `bindpose` knows of an on-disk struct beside its bytes, from its one definition.
//!
//! The derive stands **above** `#[binrw]` or `#[bitfield]`, so that it sees the fields those attributes remove:
//!
//! * on a `#[binrw]` struct it derives walking, editing, the fast path and the published shape;
//! * on a `#[bitfield]` struct it derives the same and the reading and writing, with every bit kept;
//! * on an enum, a *choice*, it derives reading by tag too: `#[schema(tag(kind: u16))]` above the enum names the tag,
//!   `#[schema(tag = 1)]` above a variant its value, or `#[schema(when = tag == "x" && len == 4)]` a condition over the
//!   tag and the imports where a value is not enough, `#[schema(raw)]` the variant for all others.
//!
//! Hints on fields: `#[schema(magic = b"..")]` bytes that identify the format; `#[schema(default = expression)]` the value of
//! the field in a blank value; `#[schema(same_length_as("a.b"))]` lists that must
//! keep the length of this one; `#[schema(decides = "x")]` a value that decides how `x` is read where the derive cannot
//! see it; `#[schema(counts = "x")]` a count of `x` where the derive would see a value that decides;
//! `#[schema(places = "x")]` where in the file each element of `x` stands;
//! `#[schema(free)]` a value that decides nothing although it looks so; `#[schema(condition = expression)]` and
//! `#[schema(args(expression))]` the published condition or arguments, where those of the reader cannot be published;
//! `#[schema(shape = expression)]` a published shape other than the type's; `#[schema(xml = "NAME")]` how an XML form of the
//! format spells the field, see `bindpose::schema::XmlHint`.
//!
//! Hints on a struct: `#[schema(aliases = function)]` resolves paths by names of the format's own; see
//! `bindpose::schema::Value::alias`. `#[schema(default)]` also derives `Default`, as a blank value. On structs and choices, `#[schema(params(name: Type))]` names the parameters of the
//! published schema where the reader's own, such as limits, mean nothing there.
//!
//! Directives of binrw that could lose bytes, or that bytes could not be derived from, are refused.

mod bits;
mod choice;
mod expr;
mod input;
mod record;
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

fn derived(input: &DeriveInput) -> syn::Result<proc_macro2::TokenStream> {
    match &input.data {
        Data::Struct(_) if input::has_attribute(&input.attrs, "bitfield") => bits::derive(input),
        Data::Struct(_) => record::derive(input),
        Data::Enum(data) => choice::derive(input, data),
        Data::Union(_) => Err(syn::Error::new_spanned(&input.ident, "a union has no order of fields")),
    }
}
