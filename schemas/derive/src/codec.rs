//! The traits of binrw, for types that its own derive does not read.

use proc_macro2::TokenStream;
use quote::quote;
use syn::{Generics, Ident, parse_quote};

/// Implements `BinRead`: `names` are those of the arguments in the body.
pub fn reads(
    generics: &Generics,
    name: &Ident,
    args: &TokenStream,
    names: &TokenStream,
    body: &TokenStream,
) -> TokenStream {
    let mut generics = generics.clone();
    for param in generics.type_params_mut() {
        param.bounds.push(parse_quote!(for<'__a> ::binrw::BinRead<Args<'__a> = ()>));
    }
    let (generics, arguments, wheres) = generics.split_for_impl();
    quote! {
        #[automatically_derived]
        impl #generics ::binrw::BinRead for #name #arguments #wheres {
            type Args<'__a> = #args;

            #[allow(unused_variables)]
            fn read_options<R: ::binrw::io::Read + ::binrw::io::Seek>(
                reader: &mut R,
                endian: ::binrw::Endian,
                #names: Self::Args<'_>,
            ) -> ::binrw::BinResult<Self> {
                #body
            }
        }
    }
}

/// Implements `BinWrite`, without arguments.
pub fn writes(generics: &Generics, name: &Ident, body: &TokenStream) -> TokenStream {
    let mut generics = generics.clone();
    for param in generics.type_params_mut() {
        param.bounds.push(parse_quote!(for<'__a> ::binrw::BinWrite<Args<'__a> = ()>));
    }
    let (generics, arguments, wheres) = generics.split_for_impl();
    quote! {
        #[automatically_derived]
        impl #generics ::binrw::BinWrite for #name #arguments #wheres {
            type Args<'__a> = ();

            fn write_options<W: ::binrw::io::Write + ::binrw::io::Seek>(
                &self,
                writer: &mut W,
                endian: ::binrw::Endian,
                (): (),
            ) -> ::binrw::BinResult<()> {
                #body
            }
        }
    }
}
