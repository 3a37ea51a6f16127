//! A choice: one of several bodies, selected by a tag in another field.

mod declaration;

use proc_macro2::TokenStream;
use quote::{ToTokens, quote};
use syn::{DataEnum, DeriveInput, Ident, Pat, Result, Type};

use self::declaration::{Body, Head, Param, Tag, body, head, is_open};
use crate::{bulk, codec, expr, input, record};

pub fn derive(input: &DeriveInput, data: &DataEnum) -> Result<TokenStream> {
    if input::has_attribute(&input.attrs, "binrw") {
        return Err(input::whole(
            input,
            "a choice is read by its tag: binrw's own enums try the variants in turn and swallow the real error. Remove \
             #[binrw] and add #[schema(tag(name: Type))]",
        ));
    }
    let head = head(input)?;
    let bodies =
        data.variants.iter().map(|variant| body(variant, &head.tag.0)).collect::<Result<Vec<_>>>()?;
    let Some(first) = bodies.first() else {
        return Err(input::whole(input, "a choice has at least one body"));
    };
    let name = &input.ident;
    let is_raw = bodies.iter().any(|body| matches!(body.tag, Tag::Other));
    if is_raw == head.is_closed && (is_raw || is_open(&head.tag.1)) {
        let why = if is_raw {
            "a closed choice has no form for other tags: remove #[schema(closed)] or #[schema(raw)]"
        } else {
            "add a form for other tags, such as `#[schema(raw)] Other(Blob)`, or #[schema(closed)] above the choice if the \
             part of a file that has another tag cannot be decoded"
        };
        return Err(input::whole(input, why));
    }
    let read = read(&input.generics, name, &head, &bodies);
    let write = write(&input.generics, name, &bodies);
    let tags = tags(&input.generics, name, &head, &bodies);
    let generics = record::bounded(&input.generics);
    let value = value(&generics, name, &bodies);
    let shape = shape(&name.to_string(), &input::doc(&input.attrs), &head.params, &bodies)?;
    let schema = schema(&generics, name, &bodies, &shape, &new_blank(first));
    let types: Vec<_> = std::iter::once(&head.tag).chain(&head.imports).map(|(_, ty)| ty).collect();
    let bulk_with = bulk::implementation(&generics, name, &types, &TokenStream::new());
    Ok(quote!(#read #write #tags #value #schema #bulk_with))
}

fn value(generics: &syn::Generics, name: &Ident, bodies: &[Body]) -> TokenStream {
    let (generics, arguments, wheres) = generics.split_for_impl();
    let (held_body, creation) = (held_body(bodies), creation(bodies));
    let arms = |method, nothing: TokenStream| {
        let method = Ident::new(method, proc_macro2::Span::call_site());
        let show = (method == "prefix").then(|| quote!(show));
        arms(bodies, |ty, body| quote!(<#ty as ::bindpose::schema::Value>::#method(#body, #show)), &nothing)
    };
    let sizes = arms("size", quote!(0));
    let nodes = arms("node", quote!(::bindpose::schema::Node::Absent));
    let node_muts = arms("node_mut", quote!(::bindpose::schema::NodeMut::Absent));
    let leads = arms("prefix", quote!(::core::ops::ControlFlow::Continue(())));
    quote! {
        #[automatically_derived]
        impl #generics ::bindpose::schema::Value for #name #arguments #wheres {
            fn size(&self) -> u64 {
                match self { #sizes }
            }
            fn node(&self) -> ::bindpose::schema::Node<'_> {
                match self { #nodes }
            }
            fn node_mut(&mut self) -> ::bindpose::schema::NodeMut<'_> {
                match self { #node_muts }
            }
            fn choice(&self) -> ::core::option::Option<::bindpose::schema::Choice<'_>> {
                ::core::option::Option::Some(#held_body)
            }
            fn create(
                &mut self,
                body: ::core::option::Option<&str>,
            ) -> ::core::result::Result<(), ::bindpose::schema::EditError> {
                #creation
            }
            fn prefix(
                &self,
                show: &mut dyn FnMut(&dyn ::bindpose::schema::Value) -> ::core::ops::ControlFlow<()>,
            ) -> ::core::ops::ControlFlow<()> {
                match self { #leads }
            }
        }
    }
}

fn schema(
    generics: &syn::Generics,
    name: &Ident,
    bodies: &[Body],
    shape: &TokenStream,
    first: &TokenStream,
) -> TokenStream {
    let (generics, arguments, wheres) = generics.split_for_impl();
    let held: Vec<_> = bodies.iter().filter_map(|body| body.ty.as_ref()).collect();
    let blanks = bodies.iter().map(blank);
    quote! {
        #[automatically_derived]
        impl #generics ::bindpose::schema::Schema for #name #arguments #wheres {
            const PREFIX: ::bindpose::schema::Prefix =
                ::bindpose::schema::Prefix::of_bodies(&[#(<#held as ::bindpose::schema::Schema>::PREFIX),*]);

            const IS_FINITE: bool = true #(&& <#held as ::bindpose::schema::Schema>::IS_FINITE)*;

            #[allow(clippy::cast_lossless)]
            fn shape() -> ::bindpose::schema::Shape {
                #shape
            }
            fn blank(like: ::core::option::Option<&Self>) -> Self {
                match like {
                    #(#blanks)*
                    ::core::option::Option::None => #first,
                }
            }
        }
    }
}

/// Returns the body, by name and number.
fn held_body(bodies: &[Body]) -> TokenStream {
    let variants = bodies.iter().map(|body| {
        let (ident, text) = (&body.ident, body.name());
        let (pattern, held) = match &body.ty {
            Some(_) => (quote!(Self::#ident(body)), quote!(::core::option::Option::Some(body))),
            None => (quote!(Self::#ident), quote!(::core::option::Option::None)),
        };
        let (tag, axis) = (body.tag.number(), input::optional(body.axis.as_ref()));
        let quantity = record::quantity(body.quantity.as_ref());
        quote! {
            #pattern => ::bindpose::schema::Choice {
                name: #text,
                tag: #tag,
                body: #held,
                axis: #axis,
                quantity: #quantity,
            },
        }
    });
    quote!(match self { #(#variants)* })
}

/// Switches to another body of zeros, by its name.
fn creation(bodies: &[Body]) -> TokenStream {
    let creates = bodies.iter().map(|body| {
        let (text, pattern, created) = (body.name(), body.form(), new_blank(body));
        quote! {
            ::core::option::Option::Some(#text) => {
                if ::core::matches!(self, #pattern) {
                    return ::core::result::Result::Err("is already present".into());
                }
                *self = #created;
                ::core::result::Result::Ok(())
            }
        }
    });
    let names: Vec<_> = bodies.iter().map(Body::name).collect();
    let names = format!("specify one of these forms: {}", names.join(", "));
    quote! {
        match body {
            #(#creates)*
            _ => ::core::result::Result::Err(#names.into()),
        }
    }
}

fn read(own: &syn::Generics, name: &Ident, head: &Head, bodies: &[Body]) -> TokenStream {
    let Head { tag, imports, .. } = head;
    let (names, types): (Vec<_>, Vec<_>) =
        std::iter::once(tag).chain(imports).map(|(name, ty)| (name, ty)).unzip();
    // The form for all other tags matches any.
    let (last, first): (Vec<_>, Vec<_>) = bodies.iter().partition(|body| matches!(body.tag, Tag::Other));
    let arms = first.into_iter().chain(last).map(|body| read_arm(body, &tag.0));
    let (tag_name, tag_text) = (&tag.0, tag.0.to_string());
    let raw = bodies.iter().any(|body| matches!(body.tag, Tag::Other));
    let unknown = (!raw).then(|| {
        quote! {
            #[allow(unreachable_patterns)]
            _ if ::bindpose::wire::past_end(reader)? => {
                ::core::result::Result::Ok(<Self as ::bindpose::schema::Schema>::blank(::core::option::Option::None))
            }
            #[allow(unreachable_patterns)]
            _ => ::core::result::Result::Err(::bindpose::wire::refuse(
                start,
                ::bindpose::ErrorKind::Unknown(::std::format!("unknown {} {:?}", #tag_text, #tag_name)),
            )),
        }
    });
    let read = quote! {
        let start = reader.stream_position()?;
        match #tag_name {
            #(#arms)*
            #unknown
        }
    };
    codec::reads(&record::bounded(own), name, &quote!((#(#types,)*)), &quote!((#(#names,)*)), &read)
}

fn read_arm(body: &Body, tag: &Ident) -> TokenStream {
    let pattern = pattern(body, tag);
    let (ident, args) = (&body.ident, &body.args);
    let args = if args.is_empty() { quote!(()) } else { quote!((#(#args,)*)) };
    match (&body.ty, &body.parse_with) {
        (None, _) => quote!(#pattern => ::core::result::Result::Ok(Self::#ident),),
        (Some(_), Some(function)) => {
            quote!(#pattern => (#function)(reader, endian, #args).map(Self::#ident),)
        }
        (Some(ty), None) => {
            quote!(#pattern => <#ty as ::binrw::BinRead>::read_options(reader, endian, #args).map(Self::#ident),)
        }
    }
}

fn write(own: &syn::Generics, name: &Ident, bodies: &[Body]) -> TokenStream {
    let arms = arms(
        bodies,
        |ty, body| quote!(<#ty as ::binrw::BinWrite>::write_options(#body, writer, endian, ())),
        &quote!(::core::result::Result::Ok(())),
    );
    codec::writes(&record::bounded(own), name, &quote!(match self { #arms }))
}

/// Derives what relates bodies to tags.
fn tags(generics: &syn::Generics, name: &Ident, head: &Head, bodies: &[Body]) -> TokenStream {
    let (generics, arguments, wheres) = generics.split_for_impl();
    let (tag, is_form_of, all) =
        (tag_of(&head.tag, bodies), is_form_of(&head.tag, bodies), all_tags(head, bodies));
    quote! {
        #[automatically_derived]
        impl #generics #name #arguments #wheres {
            #tag
            #is_form_of
            #all
        }
    }
}

/// Derives the method from body to tag, if each body has exactly one.
fn tag_of((name, ty): &Param, bodies: &[Body]) -> Option<TokenStream> {
    let arms = bodies.iter().map(|body| {
        let Tag::Is(value, _) = &body.tag else { return None };
        let is_one = matches!(**value, Pat::Lit(_) | Pat::Path(_) | Pat::Ident(_));
        let form = body.form();
        is_one.then(|| quote!(#form => #value,))
    });
    let arms = arms.collect::<Option<Vec<_>>>()?;
    let doc = format!("Returns the `{name}` that selects this body.");
    Some(quote! {
        #[doc = #doc]
        #[must_use]
        pub const fn tag(&self) -> #ty {
            match self { #(#arms)* }
        }
    })
}

/// Derives whether a body is the one that a tag selects, if the tag alone does.
fn is_form_of((name, ty): &Param, bodies: &[Body]) -> Option<TokenStream> {
    let (raw, tagged): (Vec<_>, Vec<_>) = bodies.iter().partition(|body| matches!(body.tag, Tag::Other));
    if tagged.iter().any(|body| matches!(body.tag, Tag::When(..))) {
        return None;
    }
    let unknown = raw.is_empty().then(|| quote!(#[allow(unreachable_patterns)] _ => false,));
    let arms = tagged.into_iter().chain(raw).map(|body| {
        let (pattern, form) = (pattern(body, name), body.form());
        quote!(#pattern => ::core::matches!(self, #form),)
    });
    let doc = format!("Returns whether this is the body that a `{name}` selects.");
    Some(quote! {
        #[doc = #doc]
        #[must_use]
        pub fn is_form_of(&self, #name: #ty) -> bool {
            match #name { #(#arms)* #unknown }
        }
    })
}

/// Returns the tags that select a body.
fn pattern(body: &Body, tag: &Ident) -> TokenStream {
    match &body.tag {
        Tag::Is(pattern, _) => pattern.to_token_stream(),
        Tag::Magic(number, _) => quote!(_ if ::core::primitive::i64::from(#tag) == #number),
        Tag::When(condition, _) => quote!(_ if #condition),
        Tag::Other => quote!(_),
    }
}

/// Lists the tags of a closed choice.
fn all_tags(head: &Head, bodies: &[Body]) -> Option<TokenStream> {
    let ty = &head.tag.1;
    let tags = bodies.iter().flat_map(|body| match &body.tag {
        Tag::Is(pattern, _) => match &**pattern {
            Pat::Or(or) => or.cases.iter().map(ToTokens::to_token_stream).collect(),
            pattern => vec![pattern.to_token_stream()],
        },
        Tag::Magic(number, _) => vec![quote!(#number as #ty)],
        Tag::When(..) | Tag::Other => Vec::new(),
    });
    head.is_closed.then(|| {
        quote! {
            /// The tags of all bodies, in their order.
            #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)]
            pub const TAGS: &'static [#ty] = &[#(#tags),*];
        }
    })
}

fn arms(bodies: &[Body], held: impl Fn(&Type, &Ident) -> TokenStream, nothing: &TokenStream) -> TokenStream {
    let held_name = Ident::new("body", proc_macro2::Span::call_site());
    let arms = bodies.iter().map(|body| {
        let ident = &body.ident;
        match &body.ty {
            Some(ty) => {
                let value = held(ty, &held_name);
                quote!(Self::#ident(#held_name) => #value,)
            }
            None => quote!(Self::#ident => #nothing,),
        }
    });
    quote!(#(#arms)*)
}

fn blank(body: &Body) -> TokenStream {
    let ident = &body.ident;
    match &body.ty {
        Some(ty) => quote! {
            ::core::option::Option::Some(Self::#ident(like)) => {
                Self::#ident(<#ty as ::bindpose::schema::Schema>::blank(::core::option::Option::Some(like)))
            }
        },
        None => quote!(::core::option::Option::Some(Self::#ident) => Self::#ident,),
    }
}

fn new_blank(body: &Body) -> TokenStream {
    let ident = &body.ident;
    match &body.ty {
        Some(ty) => {
            quote!(Self::#ident(<#ty as ::bindpose::schema::Schema>::blank(::core::option::Option::None)))
        }
        None => quote!(Self::#ident),
    }
}

fn shape(name: &str, doc: &str, params: &[Param], bodies: &[Body]) -> Result<TokenStream> {
    let params = record::params(params);
    let known: Vec<_> = bodies.iter().filter_map(|body| body.tag.condition().cloned()).collect();
    let other = expr::none(&known);
    let mut fields = Vec::new();
    for body in bodies {
        let shape = match &body.ty {
            Some(ty) => quote!(<#ty as ::bindpose::schema::Schema>::shape()),
            None => quote!(::bindpose::schema::Shape::Nothing),
        };
        let (name, doc, condition) = (body.name(), &body.doc, body.tag.condition().unwrap_or(&other));
        let args = expr::args(body.published.as_ref().unwrap_or(&body.args))?;
        let (tag, axis) = (body.tag.number(), input::optional(body.axis.as_ref()));
        let quantity = record::quantity(body.quantity.as_ref());
        fields.push(quote! {
            ::bindpose::schema::FieldShape {
                condition: ::core::option::Option::Some(const { &#condition }),
                tag: #tag,
                args: const { &[#(#args),*] },
                axis: #axis,
                quantity: #quantity,
                ..::bindpose::schema::FieldShape::new(#name, #doc, #shape)
            }
        });
    }
    Ok(quote! {
        ::bindpose::schema::Shape::Choice(::bindpose::schema::RecordShape {
            name: #name,
            doc: #doc,
            params: &[#(#params),*],
            fields: ::std::vec![#(#fields),*],
            same_path: ::core::option::Option::None,
        })
    })
}
