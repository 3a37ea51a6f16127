//! How records are read from and written to slices, many at once: the fast path of lists.

use proc_macro2::TokenStream;
use quote::{ToTokens, format_ident, quote};
use syn::{Generics, Ident};

use crate::input::{self, FieldInput, depends_on};

/// Derives how a record of fixed size is read from and written to a slice.
pub fn fixed(fields: &[FieldInput]) -> TokenStream {
    if !input::is_plain(fields) {
        return TokenStream::new();
    }
    let idents: Vec<&Ident> = fields.iter().map(|field| &field.ident).collect();
    let types: Vec<_> = fields.iter().map(|field| &field.ty).collect();
    let own: Vec<Ident> = idents.iter().map(|ident| format_ident!("own_{ident}")).collect();
    quote! {
        #[inline]
        fn get(bytes: &[u8]) -> Self {
            #(
                let (#own, bytes) = bytes.split_at(<#types as ::bindpose::schema::Schema>::FIXED.unwrap_or(0));
                let #idents = <#types as ::bindpose::schema::Schema>::get(#own);
            )*
            let _ = bytes;
            Self { #(#idents),* }
        }
        #[inline]
        fn put(&self, bytes: &mut [u8]) {
            #(
                let (#own, bytes) = bytes.split_at_mut(<#types as ::bindpose::schema::Schema>::FIXED.unwrap_or(0));
                ::bindpose::schema::Schema::put(&self.#idents, #own);
            )*
            let _ = bytes;
        }
    }
}

/// Derives the bulk methods of a record without arguments.
pub fn without_arguments(fields: &[FieldInput], imports: &[(Ident, syn::Type)]) -> TokenStream {
    let takes_args = !imports.is_empty() || fields.iter().any(|field| !field.args.is_empty());
    let Some((bulk, decode)) = decode(fields).filter(|_| !takes_args) else { return TokenStream::new() };
    let spans = fields.iter().enumerate().map(|(at, field)| {
        let conditions = fields[at + 1..].iter().filter_map(|later| later.condition.as_ref());
        if { conditions }.any(|condition| depends_on(condition.to_token_stream(), &field.ident)) {
            return take(field);
        }
        let (ty, present) = (&field.ty, field.condition.as_ref());
        let present = present.map_or_else(|| quote!(true), ToTokens::to_token_stream);
        quote! {
            __taken += match <#ty as ::bindpose::schema::Schema>::SPAN {
                ::core::option::Option::Some(size) => if #present { size } else { 0 },
                ::core::option::Option::None => {
                    <#ty as ::bindpose::schema::Schema>::span_if(#present, __bytes.get(__taken..)?)?
                }
            };
        }
    });
    quote! {
        #bulk

        #[inline]
        fn decode_prefix(__bytes: &[u8]) -> ::core::option::Option<(Self, usize)> {
            #decode
        }
        #[inline]
        fn span(__bytes: &[u8]) -> ::core::option::Option<usize> {
            let mut __taken = 0;
            #(#spans)*
            (__taken <= __bytes.len()).then_some(__taken)
        }
    }
}

/// Derives whether a record is read in blocks, and how; `None` if a field is computed or read by a function.
fn decode(fields: &[FieldInput]) -> Option<(TokenStream, TokenStream)> {
    let is_in_bulk = |field: &FieldInput| {
        field.calc.is_none()
            && !field.hints.recursive
            && field.hints.pad_to.is_none()
            && !field.parse_with
            && (field.args.is_empty() || field.condition.is_none())
    };
    if !fields.iter().all(is_in_bulk) {
        return None;
    }
    let bulks = fields.iter().map(|FieldInput { ty, args, .. }| match args[..] {
        [] => quote!(<#ty as ::bindpose::schema::Schema>::BULK),
        _ => quote!(<#ty as ::bindpose::schema::BulkWith<_>>::BULK),
    });
    let (takes, idents) = (fields.iter().map(take), fields.iter().map(|field| &field.ident));
    let decode = quote! {
        let mut __taken = 0;
        #(#takes)*
        ::core::option::Option::Some((Self { #(#idents),* }, __taken))
    };
    Some((quote!(const BULK: bool = true #(&& #bulks)*;), decode))
}

/// Derives the decoding of a field from the start of a slice.
fn take(field: &FieldInput) -> TokenStream {
    let FieldInput { ident, ty, args, condition, .. } = field;
    let bytes = quote!(__bytes.get(__taken..)?);
    let taken = match (condition, &args[..]) {
        (Some(condition), _) => {
            quote!(<#ty as ::bindpose::schema::Schema>::decode_prefix_if(#condition, #bytes))
        }
        (None, []) => quote!(<#ty as ::bindpose::schema::Schema>::decode_prefix(#bytes)),
        (None, args) => quote!(::bindpose::schema::BulkWith::decode_prefix_with(#bytes, (#(#args,)*))),
    };
    quote! {
        let #ident: #ty = {
            let (value, size) = #taken?;
            __taken += size;
            value
        };
    }
}

/// Derives the encoding of a record whose fields are all stored.
pub fn append(fields: &[FieldInput]) -> TokenStream {
    let is_computed = |field: &FieldInput| field.calc.is_some() || field.hints.pad_to.is_some();
    if fields.iter().any(|field| is_computed(field) || field.hints.recursive) {
        return TokenStream::new();
    }
    let types = fields.iter().map(|field| &field.ty);
    let appends = fields.iter().map(|FieldInput { ident, ty, hints, .. }| {
        let value =
            if hints.flag_of.is_empty() { quote!(&self.#ident) } else { flags(ident, &hints.flag_of) };
        quote!(<#ty as ::bindpose::schema::Schema>::append_to(#value, bytes);)
    });
    quote! {
        const APPENDS: bool = true #(&& <#types as ::bindpose::schema::Schema>::APPENDS)*;

        #[inline]
        fn append_to(&self, bytes: &mut ::std::vec::Vec<u8>) {
            #(#appends)*
        }
    }
}

/// Returns the flags of a record with the bits of the parts that it has.
fn flags(word: &Ident, parts: &[Ident]) -> TokenStream {
    let setters = parts.iter().map(|part| format_ident!("set_{part}"));
    quote! {
        &{
            let mut flags = self.#word;
            #(flags.#setters(self.#parts.is_some());)*
            flags
        }
    }
}

/// Derives the bulk methods of a record that takes arguments.
pub fn with_arguments(
    name: &Ident,
    generics: &Generics,
    fields: &[FieldInput],
    imports: &[(Ident, syn::Type)],
) -> TokenStream {
    if imports.is_empty() {
        return TokenStream::new();
    }
    let (params, types): (Vec<_>, Vec<_>) = imports.iter().map(|(name, ty)| (name, ty)).unzip();
    let decode = decode(fields).map(|(bulk, decode)| {
        quote! {
            #bulk

            #[inline]
            #[allow(unused_variables)]
            fn decode_prefix_with(
                __bytes: &[u8],
                (#(#params,)*): (#(#types,)*),
            ) -> ::core::option::Option<(Self, usize)> {
                #decode
            }
        }
    });
    implementation(generics, name, &types, &decode.unwrap_or_default())
}

/// Returns the implementation of `BulkWith` with these methods. A record without a fast path has none of them.
pub fn implementation(
    generics: &Generics,
    name: &Ident,
    args: &[&syn::Type],
    methods: &TokenStream,
) -> TokenStream {
    let (generics, arguments, wheres) = generics.split_for_impl();
    quote! {
        #[automatically_derived]
        impl #generics ::bindpose::schema::BulkWith<(#(#args,)*)> for #name #arguments #wheres {
            #methods
        }
    }
}
