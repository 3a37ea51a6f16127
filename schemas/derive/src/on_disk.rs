//! `#[on_disk]`: fields that decide how others are read, each stated by one key.

use proc_macro2::{Span, TokenStream};
use quote::{ToTokens, format_ident, quote};
use syn::parse::{Parse, ParseStream, Parser};
use syn::punctuated::Punctuated;
use syn::{
    Attribute, Data, DataStruct, DeriveInput, Error, Expr, Field, Fields, Ident, LitInt, LitStr, Result,
    Token, Visibility, parse_quote,
};

use crate::input::{Directive, directives, has_attribute, imports, is_claim, is_layout, last_name};
use crate::sizes::size_before;

const KEYS: [&str; 6] = ["count_of", "size_of", "offset_of", "tag_of", "flag_of", "follows"];

/// Returns the struct with the directives of binrw and the hints that its keys stand for.
pub fn rewrite(mut input: DeriveInput) -> Result<TokenStream> {
    let name = input.ident.clone();
    let parameters = imports(&input.attrs)?;
    if !has_attribute(&input.attrs, "derive") {
        input.attrs.push(parse_quote!(#[derive(Clone, Debug, PartialEq)]));
        input.attrs.push(parse_quote!(#[schema(default)]));
    }
    let Data::Struct(DataStruct { fields: Fields::Named(fields), .. }) = &mut input.data else {
        return Err(Error::new(name.span(), "an on-disk struct has named fields"));
    };
    let mut flags: Vec<(Ident, Vec<Ident>)> = Vec::new();
    let mut keys: Vec<(Ident, Key)> = Vec::new();
    let types: Vec<_> = fields.named.iter().map(|field| (field.ident.clone(), field.ty.clone())).collect();
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
            let mut parsed: Key = key.parse_args()?;
            parsed.name = key.path().require_ident()?.to_string();
            let at = types.iter().position(|(name, _)| name.as_ref() == Some(&parsed.part));
            let is_region = at.is_some_and(|at| last_name(&types[at].1).is_some_and(|name| name == "Region"));
            if is_stored_tag(field, &parsed) {
                let target = parsed.part.to_string();
                field.attrs.push(parse_quote!(#[schema(decides = #target)]));
                input.attrs.push(selects(&ident, &parsed.part, is_region));
                continue;
            }
            let tail =
                at.filter(|_| is_region).and_then(|at| types.get(at + 1)).and_then(|(tail, _)| tail.as_ref());
            field.attrs.extend(key_attributes(&key, &parsed, tail)?);
            keys.push((ident, parsed));
        }
    }
    for at in 0..fields.named.len() {
        let field = &fields.named[at];
        if let Some(key) = field.attrs.iter().position(|attr| attr.path().is_ident("pad_to")) {
            let attributes = padding(field, &field.attrs[key], &types[..at])?;
            fields.named[at].attrs.splice(key..=key, attributes);
        }
    }
    for (at, field) in fields.named.iter_mut().enumerate() {
        let before = at.checked_sub(1).and_then(|at| types[at].0.as_ref());
        pass_arguments(field, before, &keys, &parameters)?;
        if is_claim(&field.ty) {
            field.attrs.extend(claim(field, &keys, &types[..at])?);
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

/// Returns the attributes of padding, whose number of bytes follows from the size of the fields before it.
fn padding(field: &Field, key: &Attribute, before: &[(Option<Ident>, syn::Type)]) -> Result<Vec<Attribute>> {
    let to: LitInt = key.parse_args()?;
    if to.base10_parse::<u64>()? == 0 {
        return Err(Error::new(to.span(), "expected a number of bytes"));
    }
    let ident = field.ident.as_ref().ok_or_else(|| Error::new_spanned(field, "a field has a name"))?;
    let (before, size) = (before.iter().map(|(name, _)| name), size_before(ident));
    Attribute::parse_outer.parse2(quote! {
        #[schema(pad_to = #to, args())]
        #[br(args(0 #(+ ::bindpose::wire::stored_size(&#before))*, #to))]
        #[bw(map = |padding: &::bindpose::wire::Padding| padding.fit(self.#size(), #to))]
    })
}

/// Returns the attributes of a claim, which is the difference between a number before it and what the number follows from.
fn claim(
    field: &Field,
    keys: &[(Ident, Key)],
    before: &[(Option<Ident>, syn::Type)],
) -> Result<Vec<Attribute>> {
    let of = keys.iter().find(|(_, key)| key.name == "follows" && field.ident.as_ref() == Some(&key.part));
    let Some((number, Key { value: Some(follows), .. })) = of else {
        let why = "a `Claim` belongs to a number before it with the key #[follows(..)] and this name";
        return Err(Error::new_spanned(field, why));
    };
    let before: Vec<_> = before.iter().map(|(name, _)| name).collect();
    Attribute::parse_outer.parse2(quote! {
        #[schema(args())]
        #[br(args(#number, {
            #(#[allow(unused_variables)] let #before = &#before;)*
            #follows
        }))]
    })
}

/// Whether a field is a tag that is stored, because a raw body does not state its own.
fn is_stored_tag(field: &Field, key: &Key) -> bool {
    key.name == "tag_of" && key.value.is_none() && !matches!(field.vis, Visibility::Inherited)
}

/// Returns the assertion that a stored tag selects the body that is written.
fn selects(tag: &Ident, body: &Ident, is_region: bool) -> Attribute {
    let why = format!("`{body}` has another form than `{tag}` selects");
    let is_damaged = is_region.then(|| quote!(self.#body.is_damaged() ||));
    parse_quote!(#[bw(assert(#is_damaged self.#body.is_form_of(self.#tag), #why))])
}

/// Adds the arguments that follow from the keys before a field, and from its name.
fn pass_arguments(
    field: &mut Field,
    before: Option<&Ident>,
    keys: &[(Ident, Key)],
    parameters: &[(Ident, syn::Type)],
) -> Result<()> {
    let (Some(ident), Some(kind)) = (&field.ident, last_name(&field.ty).map(ToString::to_string)) else {
        return Ok(());
    };
    let is_layout = is_layout(&field.ty);
    let read = directives(&field.attrs, "br")?;
    let own = read.iter().find(|directive| directive.name == "args").map(Directive::exprs).transpose()?;
    let others = own.clone().unwrap_or_default();
    let has = |name: &Ident| parameters.iter().any(|(parameter, _)| parameter == name);
    let (ofs, num) = (format_ident!("ofs_{ident}"), format_ident!("num_{ident}"));
    let of = keys.iter().filter(|(_, key)| key.part == *ident);
    let placed = of.clone().filter(|(_, key)| key.placed.is_some());
    let placed = placed.map(|(name, key)| match key.name.as_str() {
        "offset_of" if kind == "Region" => {
            quote!(i64::from(#name) - <Self as ::bindpose::schema::Schema>::HEAD as i64)
        }
        _ => quote!(i64::from(#name)),
    });
    let size = of.clone().find(|(_, key)| key.name == "size_of" && key.value.is_none()).map(|(name, key)| {
        key.plus.as_ref().map_or_else(|| quote!(i64::from(#name)), |plus| quote!(i64::from(#name) - #plus))
    });
    let args = match (kind.as_str(), before, size) {
        ("Region", _, Some(size)) if is_layout => quote!(#size, (#(#placed,)* #(#others,)*)),
        ("Region", _, Some(size)) if others.is_empty() => quote!(#size, ()),
        ("Region", _, Some(size)) => quote!(#size, (#(#others,)*)),
        ("Layout", ..) => quote!(#(#placed,)* #(#others),*),
        ("Tail", Some(region), _) => {
            field.attrs.push(parse_quote!(#[schema(args())]));
            quote!(#region.end())
        }
        _ if own.is_some() => return Ok(()),
        ("Placed", ..) if has(&ofs) && has(&num) => {
            quote!(i64::from(#ofs), i64::from(#num), (i64::from(#num),))
        }
        ("Placed", ..) if has(&ofs) => quote!(i64::from(#ofs), 0, (0,)),
        ("Blob", _, Some(size)) => size,
        ("List", ..) => match of.clone().find(|(_, key)| key.name == "count_of" && key.value.is_none()) {
            Some((num, _)) => quote!(i64::from(#num)),
            None => return Ok(()),
        },
        _ => return Ok(()),
    };
    field.attrs.retain(|attr| {
        let is_args = |directive: &crate::input::Directive| directive.name == "args";
        !(attr.path().is_ident("br")
            && directives(std::slice::from_ref(attr), "br").is_ok_and(|all| all.iter().any(is_args)))
    });
    field.attrs.push(parse_quote!(#[br(args(#args))]));
    Ok(())
}

/// What a key names: `x`, `layout.x`, `x = expression` or `x, plus = 2`.
struct Key {
    name: String,
    part: Ident,
    placed: Option<Ident>,
    value: Option<Expr>,
    plus: Option<LitInt>,
}

impl Parse for Key {
    fn parse(input: ParseStream<'_>) -> Result<Self> {
        let part = input.parse()?;
        let mut key = Self { name: String::new(), part, placed: None, value: None, plus: None };
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
fn key_attributes(attr: &Attribute, key: &Key, tail: Option<&Ident>) -> Result<Vec<Attribute>> {
    let Key { name, part, placed, value, plus } = key;
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
            let head = quote!(<Self as ::bindpose::schema::Schema>::HEAD);
            quote!(#[br(temp)] #[bw(try_calc = #part.offset_of(#head, #own))] #[schema(places = #target)])
        }
        ("size_of", None, None) => {
            let plus = plus.to_token_stream();
            let plus = if plus.is_empty() { quote!(0) } else { plus };
            let size = match tail {
                Some(tail) => quote!(#part.byte_size(#tail, #plus)),
                None => quote!(::bindpose::wire::byte_size(#part, #plus)),
            };
            quote!(#[br(temp)] #[bw(try_calc = #size)] #[schema(sizes(#target, #plus))])
        }
        ("follows", None, Some(value)) => {
            quote!(#[br(temp)] #[bw(calc = #part.or(#value))] #[schema(follows = #target)])
        }
        ("size_of" | "tag_of", None, Some(value)) => quote!(#[br(temp)] #[bw(calc = #value)]),
        ("tag_of", None, None) => quote!(#[br(temp)] #[bw(calc = #part.tag())]),
        _ => {
            let why = "expected `count_of(list)`, `count_of(layout.part)`, `offset_of(layout.part)`, `size_of(part, plus = 2)`, `tag_of(choice)`, `flag_of(part, part)` or `follows(claim = expression)`";
            return Err(Error::new_spanned(attr, why));
        }
    };
    Attribute::parse_outer.parse2(attributes)
}
