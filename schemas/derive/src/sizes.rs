//! The size of an on-disk struct, and of the fields before its padding.

use proc_macro2::TokenStream;
use quote::{format_ident, quote};
use syn::Ident;

use crate::input::{Calc, FieldInput};
use crate::record::{pattern, rest};

/// Derives the size: that of the fields, as far as they are present.
pub fn size(fields: &[FieldInput]) -> TokenStream {
    let sizes = sizes(fields, fields.len());
    let present =
        rest(fields).map(|rest| quote!(size = ::bindpose::wire::Rest::present_of(&self.#rest, self, size);));
    quote!(#sizes #present)
}

/// Derives the sum of the sizes of the first fields. The value of a computed field is not needed if its size is fixed; it would
/// visit the parts that it follows from once more at each level.
fn sizes(fields: &[FieldInput], first: usize) -> TokenStream {
    let pattern = pattern(fields);
    let sizes = fields[..first].iter().map(|field| {
        let (ident, ty) = (&field.ident, &field.ty);
        match &field.calc {
            Some(calc) => {
                let value = computed(calc, ty);
                quote! {
                    size += match <#ty as ::bindpose::schema::Schema>::FIXED {
                        ::core::option::Option::Some(size) => size as u64,
                        ::core::option::Option::None => {
                            #[allow(unused_variables)]
                            #pattern
                            let value: #ty = #value;
                            ::bindpose::schema::Value::size(&value)
                        }
                    };
                }
            }
            None if field.hints.pad_to.is_some() => {
                let fitted = fitted(field, &quote!(size));
                quote!(size += ::bindpose::schema::Value::size(&#fitted);)
            }
            None => quote!(size += ::bindpose::wire::stored_size(&self.#ident);),
        }
    });
    quote!(#(#sizes)*)
}

/// Returns the padding of a field after fields of a size.
pub fn fitted(FieldInput { ident, hints, .. }: &FieldInput, size: &TokenStream) -> TokenStream {
    let to = &hints.pad_to;
    quote!(self.#ident.fit(#size, #to))
}

/// Returns the name of the function that returns the size of the fields before one.
pub fn size_before(field: &Ident) -> Ident {
    format_ident!("size_before_{field}")
}

/// Derives the sizes from which the number of bytes of padding follows.
pub fn sizes_before(fields: &[FieldInput]) -> TokenStream {
    let padded = fields.iter().enumerate().filter(|(_, field)| field.hints.pad_to.is_some());
    let functions = padded.map(|(at, field)| {
        let (name, sizes) = (size_before(&field.ident), sizes(fields, at));
        quote! {
            fn #name(&self) -> u64 {
                let mut size = 0;
                #sizes
                size
            }
        }
    });
    functions.collect()
}

/// A value that is too large for its count cannot be encoded; the count shows as zero.
pub fn computed(calc: &Calc, ty: &syn::Type) -> TokenStream {
    let expr = &calc.expr;
    if calc.fallible { quote!((#expr).unwrap_or_else(|_| <#ty>::default())) } else { quote!(#expr) }
}
