//! A flag word: a leaf with named bits, which preserves unknown bits.

use proc_macro2::TokenStream;
use quote::{format_ident, quote};
use syn::spanned::Spanned;
use syn::{Data, DataStruct, DeriveInput, Error, Fields, Generics, Ident, Result, Type};

use crate::codec;
use crate::input::{self, summary};

struct Bit {
    name: String,
    doc: String,
    offset: u32,
    width: u32,
}

pub fn derive(input: &DeriveInput) -> Result<TokenStream> {
    let (bits, total) = bits(input)?;
    let bytes: usize = match total {
        8 => 1,
        16 => 2,
        32 => 4,
        64 => 8,
        _ => {
            let why = format!("a flag word has 8, 16, 32 or 64 bits, got {total}: add #[skip] bits");
            return Err(input::whole(input, &why));
        }
    };
    let word = Word { name: &input.ident, number: format_ident!("u{total}"), bytes };
    let (codec, raw, value) = (word.codec(), word.raw(), word.value());
    let (leaf, schema) = (word.leaf(&bits), word.schema(&bits, &input::doc(&input.attrs)));
    Ok(quote!(#codec #raw #value #leaf #schema))
}

/// A flag word and its number type.
struct Word<'a> {
    name: &'a Ident,
    number: Ident,
    bytes: usize,
}

impl Word<'_> {
    fn codec(&self) -> TokenStream {
        let Self { name, number: word, .. } = self;
        let read = quote! {
            <#word as ::binrw::BinRead>::read_options(reader, endian, ())
                .map(|word| Self::from_bytes(word.to_le_bytes()))
        };
        let write = quote!(::binrw::BinWrite::write_options(&self.raw(), writer, endian, ()));
        let generics = Generics::default();
        let (reads, writes) = (
            codec::reads(&generics, name, &quote!(()), &quote!(()), &read),
            codec::writes(&generics, name, &write),
        );
        quote!(#reads #writes)
    }

    fn raw(&self) -> TokenStream {
        let Self { name, number: word, .. } = self;
        quote! {
            #[automatically_derived]
            impl #name {
                /// Returns all bits as one number, including unknown ones.
                #[must_use]
                pub fn raw(self) -> #word {
                    #word::from_le_bytes(self.into_bytes())
                }

                /// Returns the flags of a number, including unknown bits.
                #[must_use]
                pub fn from_raw(raw: #word) -> Self {
                    Self::from_bytes(raw.to_le_bytes())
                }
            }

            #[automatically_derived]
            impl ::core::default::Default for #name {
                /// Returns a value without flags.
                fn default() -> Self {
                    Self::from_raw(0)
                }
            }
        }
    }

    fn value(&self) -> TokenStream {
        let Self { name, bytes, .. } = self;
        quote! {
            #[automatically_derived]
            impl ::bindpose::schema::Value for #name {
                fn size(&self) -> u64 {
                    #bytes as u64
                }
                fn node(&self) -> ::bindpose::schema::Node<'_> {
                    ::bindpose::schema::Node::Leaf(self)
                }
                fn node_mut(&mut self) -> ::bindpose::schema::NodeMut<'_> {
                    ::bindpose::schema::NodeMut::Leaf(self)
                }
            }
        }
    }

    fn leaf(&self, bits: &[Bit]) -> TokenStream {
        let Self { name, bytes, .. } = self;
        let type_text = format!("bits{}", bytes * 8);
        let (scalar, bits) = (self.scalar(), infos(bits));
        quote! {
            #[automatically_derived]
            impl ::bindpose::schema::Leaf for #name {
                fn type_name(&self) -> &'static str {
                    #type_text
                }
                fn class(&self) -> ::bindpose::schema::Class {
                    ::bindpose::schema::Class::Integer
                }
                fn scalar(&self) -> ::core::option::Option<::bindpose::schema::Scalar> {
                    ::core::option::Option::Some(::bindpose::schema::Scalar::#scalar)
                }
                fn bytes(&self, out: &mut ::std::vec::Vec<u8>) {
                    out.extend_from_slice(&(*self).into_bytes());
                }
                fn show(&self, out: &mut dyn ::core::fmt::Write) -> ::core::fmt::Result {
                    ::bindpose::schema::Leaf::show(&self.raw(), out)
                }
                fn assign(&mut self, text: &str) -> ::core::result::Result<(), ::bindpose::schema::EditError> {
                    let mut word = self.raw();
                    ::bindpose::schema::Leaf::assign(&mut word, text)?;
                    *self = Self::from_raw(word);
                    ::core::result::Result::Ok(())
                }
                fn assign_bytes(&mut self, bytes: &[u8]) -> ::core::result::Result<(), ::bindpose::schema::EditError> {
                    *self = Self::from_bytes(::bindpose::wire::scalar_bytes(bytes)?);
                    ::core::result::Result::Ok(())
                }
                fn bits(&self) -> &'static [::bindpose::schema::Bit] {
                    const { &[#(#bits),*] }
                }
            }
        }
    }

    fn scalar(&self) -> Ident {
        format_ident!("U{}", self.bytes * 8)
    }

    fn schema(&self, bits: &[Bit], doc: &str) -> TokenStream {
        let Self { name, number: word, bytes } = self;
        let (text, scalar, bits) = (name.to_string(), self.scalar(), infos(bits));
        quote! {
            #[automatically_derived]
            impl ::bindpose::schema::Schema for #name {
                const FIXED: ::core::option::Option<usize> = ::core::option::Option::Some(#bytes);

                fn shape() -> ::bindpose::schema::Shape {
                    ::bindpose::schema::Shape::Flags(::bindpose::schema::FlagsShape {
                        name: #text,
                        doc: #doc,
                        word: ::bindpose::schema::Scalar::#scalar,
                        bits: const { &[#(#bits),*] },
                    })
                }
                fn blank(_like: ::core::option::Option<&Self>) -> Self {
                    Self::from_raw(0)
                }
                #[inline]
                fn get(bytes: &[u8]) -> Self {
                    Self::from_raw(<#word as ::bindpose::schema::Schema>::get(bytes))
                }
                #[inline]
                fn put(&self, bytes: &mut [u8]) {
                    ::bindpose::schema::Schema::put(&self.raw(), bytes);
                }
            }
        }
    }
}

fn infos(bits: &[Bit]) -> Vec<TokenStream> {
    let infos = bits.iter().map(|Bit { name, doc, offset, width }| {
        let doc = summary(doc);
        quote!(::bindpose::schema::Bit { name: #name, doc: #doc, offset: #offset, width: #width })
    });
    infos.collect()
}

/// Returns the named bits, and the total number of bits.
fn bits(input: &DeriveInput) -> Result<(Vec<Bit>, u32)> {
    let Data::Struct(DataStruct { fields: Fields::Named(fields), .. }) = &input.data else {
        return Err(Error::new_spanned(&input.ident, "a flag word has named bits"));
    };
    let mut bits = Vec::new();
    let mut offset = 0;
    for field in &fields.named {
        let width = width(&field.ty)?;
        let name = field.ident.as_ref().map(ToString::to_string).unwrap_or_default();
        if !name.starts_with("__") {
            bits.push(Bit { name, doc: input::doc(&field.attrs), offset, width });
        }
        offset += width;
    }
    Ok((bits, offset))
}

fn width(ty: &Type) -> Result<u32> {
    let name = input::last_name(ty).map(ToString::to_string).unwrap_or_default();
    match name.strip_prefix('B').map(str::parse) {
        _ if name == "bool" => Ok(1),
        Some(Ok(width @ 1..=64)) => Ok(width),
        _ => Err(Error::new(
            ty.span(),
            "a bit is a `bool`, a run of bits `B2` to `B64`; enumerations would panic",
        )),
    }
}
