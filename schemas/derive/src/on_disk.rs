//! `#[on_disk]`: fields that decide how others are read, each stated by one key.

use proc_macro2::{Span, TokenStream};
use quote::{ToTokens, format_ident, quote};
use syn::parse::{Parse, ParseStream, Parser};
use syn::punctuated::Punctuated;
use syn::{
    Attribute, Data, DataStruct, DeriveInput, Error, Expr, Fields, Ident, LitInt, LitStr, Result, Token,
    parse_quote,
};

const KEYS: [&str; 5] = ["count_of", "size_of", "offset_of", "tag_of", "flag_of"];

/// Returns the struct with the directives of binrw and the hints that its keys stand for.
pub fn rewrite(mut input: DeriveInput) -> Result<TokenStream> {
    let name = input.ident.clone();
    let Data::Struct(DataStruct { fields: Fields::Named(fields), .. }) = &mut input.data else {
        return Err(Error::new(name.span(), "an on-disk struct has named fields"));
    };
    let mut flags: Vec<(Ident, Vec<Ident>)> = Vec::new();
    for field in &mut fields.named {
        let Some(ident) = field.ident.clone() else { continue };
        if let Some((word, _)) = flags.iter().find(|(_, parts)| parts.contains(&ident)) {
            field.attrs.push(parse_quote!(#[br(if(#word.#ident()))]));
        }
        let is_key = |attr: &Attribute| KEYS.iter().any(|key| attr.path().is_ident(key));
        let Some(at) = field.attrs.iter().position(is_key) else { continue };
        let key = field.attrs.remove(at);
        if let Some(second) = field.attrs.iter().find(|attr| is_key(attr)) {
            return Err(Error::new_spanned(second, "a field has one key"));
        }
        let ty = field.ty.clone();
        if key.path().is_ident("flag_of") {
            let parts = key.parse_args_with(Punctuated::<Ident, Token![,]>::parse_terminated)?;
            let parts: Vec<_> = parts.into_iter().collect();
            let setters = parts.iter().map(|part| format_ident!("set_{part}"));
            field.attrs.push(parse_quote! {
                #[bw(map = |#ident: &#ty| {
                    let mut #ident = *#ident;
                    #(#ident.#setters(#parts.is_some());)*
                    #ident
                })]
            });
            field.attrs.push(parse_quote!(#[schema(flag_of(#(#parts),*))]));
            flags.push((ident, parts));
        } else {
            field.attrs.extend(key_attributes(&key)?);
        }
    }
    let place = |name: &Ident| fields.named.iter().position(|field| field.ident.as_ref() == Some(name));
    for (word, parts) in &flags {
        if let Some(part) = parts.iter().find(|part| place(part) < place(word)) {
            return Err(Error::new(part.span(), format!("there is no field `{part}` after `{word}`")));
        }
    }
    Ok(quote! {
        #[derive(::bindpose::schema::Schema)]
        #[::binrw::binrw]
        #input
    })
}

/// What a key names: `x`, `layout.x`, `x = expression` or `x, plus = 2`.
struct Key {
    part: Ident,
    placed: Option<Ident>,
    value: Option<Expr>,
    plus: Option<LitInt>,
}

impl Parse for Key {
    fn parse(input: ParseStream<'_>) -> Result<Self> {
        let part = input.parse()?;
        let mut key = Self { part, placed: None, value: None, plus: None };
        if input.peek(Token![.]) {
            input.parse::<Token![.]>()?;
            key.placed = Some(input.parse()?);
        }
        if input.peek(Token![=]) {
            input.parse::<Token![=]>()?;
            key.value = Some(input.parse()?);
        } else if input.peek(Token![,]) {
            input.parse::<Token![,]>()?;
            let name: Ident = input.parse()?;
            if name != "plus" {
                return Err(Error::new(name.span(), "expected `plus = NUMBER`"));
            }
            input.parse::<Token![=]>()?;
            key.plus = Some(input.parse()?);
        }
        Ok(key)
    }
}

/// Returns the attributes of a value that is computed from a part on writing.
fn key_attributes(attr: &Attribute) -> Result<Vec<Attribute>> {
    let name = attr.path().require_ident()?.to_string();
    let key: Key = attr.parse_args()?;
    let Key { part, placed, value, plus } = &key;
    if plus.is_some() && name != "size_of" {
        return Err(Error::new(attr.path().require_ident()?.span(), "only a size has `plus`"));
    }
    let target = match placed {
        Some(placed) => format!("{part}.{placed}"),
        None => part.to_string(),
    };
    let own = placed.as_ref().map(|placed| LitStr::new(&placed.to_string(), Span::call_site()));
    let target = LitStr::new(&target, part.span());
    let attributes = match (name.as_str(), own, value) {
        ("count_of", None, Some(value)) => {
            quote!(#[br(temp)] #[bw(try_calc = #value)] #[schema(counts = #target)])
        }
        ("count_of", None, None) => {
            quote!(#[br(temp)] #[bw(try_calc = ::bindpose::wire::count(#part))] #[schema(counts = #target)])
        }
        ("count_of", Some(own), None) => {
            quote!(#[br(temp)] #[bw(try_calc = #part.count_of(#own))] #[schema(counts = #target)])
        }
        ("offset_of", Some(own), None) => {
            quote!(#[br(temp)] #[bw(try_calc = #part.offset_of(#own))] #[schema(places = #target)])
        }
        ("size_of", None, None) => {
            let plus = plus.to_token_stream();
            let plus = if plus.is_empty() { quote!(0) } else { plus };
            quote!(#[br(temp)] #[bw(try_calc = ::bindpose::wire::byte_size(#part, #plus))] #[schema(sizes(#target, #plus))])
        }
        ("size_of" | "tag_of", None, Some(value)) => quote!(#[br(temp)] #[bw(calc = #value)]),
        ("tag_of", None, None) => quote!(#[br(temp)] #[bw(calc = #part.tag())]),
        _ => {
            let why = "expected `count_of(list)`, `count_of(layout.part)`, `offset_of(layout.part)`, `size_of(part, plus = 2)`, `tag_of(choice)` or `flag_of(part, part)`";
            return Err(Error::new_spanned(attr, why));
        }
    };
    Attribute::parse_outer.parse2(attributes)
}
