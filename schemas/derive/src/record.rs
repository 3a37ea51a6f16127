//! An on-disk struct: fields in the order of the file.

use proc_macro2::{Span, TokenStream};
use quote::{ToTokens, quote};
use syn::spanned::Spanned;
use syn::{DeriveInput, Expr, Generics, Ident, Result, parse_quote};

use crate::input::{self, Calc, FieldInput, Quantity, StructHints, XmlHint, depends_on, optional, summary};
use crate::sizes::{computed, fitted, size, size_before, sizes_before};
use crate::{bulk, expr};

pub fn derive(input: &DeriveInput) -> Result<TokenStream> {
    if !input::has_attribute(&input.attrs, "binrw") {
        return Err(input::whole(
            input,
            "derive(Schema) must be above #[binrw], which reads and writes the struct",
        ));
    }
    let definition = Definition {
        name: &input.ident,
        doc: input::doc(&input.attrs),
        generics: bounded(&input.generics),
        fields: input::fields(input)?,
        imports: input::imports(&input.attrs)?,
        hints: input::struct_hints(&input.attrs)?,
    };
    (0..definition.fields.len()).try_for_each(|at| bounded_by(&definition.fields, at))?;
    (0..definition.fields.len()).try_for_each(|at| owned(&definition.fields, at))?;
    let (value, record, schema) = (definition.value(), definition.record(), definition.schema()?);
    let default = definition.hints.default.then(|| definition.default());
    Ok(quote!(#value #record #schema #default))
}

/// The definition of a struct.
struct Definition<'a> {
    name: &'a Ident,
    doc: String,
    generics: Generics,
    fields: Vec<FieldInput>,
    imports: Vec<(Ident, syn::Type)>,
    hints: StructHints,
}

impl Definition<'_> {
    fn value(&self) -> TokenStream {
        let Self { name, fields, .. } = self;
        let (generics, arguments, wheres) = self.generics.split_for_impl();
        let (sizes, sizes_before) = (size(fields), sizes_before(fields));
        let sizes_before = (!sizes_before.is_empty())
            .then(|| quote!(impl #generics #name #arguments #wheres { #sizes_before }));
        let method = |function: &Option<Expr>, names: [&str; 3], result: TokenStream| {
            let [method, list, of] = names.map(|name| Ident::new(name, Span::call_site()));
            function.as_ref().map(|function| {
                quote! {
                    fn #method(&self, #list: &[::bindpose::schema::#of]) -> #result {
                        (#function)(self, #list)
                    }
                }
            })
        };
        let StructHints { aliases, each_alias, shorts, names, .. } = &self.hints;
        let all = quote!(::std::vec::Vec<::bindpose::schema::Alias>);
        let aliases = method(aliases, ["aliases", "paths", "FieldPath"], all.clone());
        let each_alias = each_alias.as_ref().map(|function| {
            quote! {
                fn aliases(&self, paths: &[::bindpose::schema::FieldPath]) -> #all {
                    ::bindpose::schema::collected(self, paths)
                }
                fn each_alias(
                    &self,
                    paths: &[::bindpose::schema::FieldPath],
                    budget: &::bindpose::Budget,
                    visit: &mut ::bindpose::schema::VisitLocation<'_>,
                ) -> ::std::vec::Vec<::bindpose::schema::IsAlias> {
                    (#function)(self, paths, budget, visit)
                }
            }
        });
        let short = quote!(::core::option::Option<::bindpose::schema::FieldPath>);
        let shorts = method(shorts, ["short", "list", "Step"], short);
        let all =
            quote!(::core::option::Option<::std::vec::Vec<::core::option::Option<::std::string::String>>>);
        let names = method(names, ["names_in", "list", "Step"], all);
        quote! {
            #[automatically_derived]
            impl #generics ::bindpose::schema::Value for #name #arguments #wheres {
                fn size(&self) -> u64 {
                    if let ::core::option::Option::Some(size) = <Self as ::bindpose::schema::Schema>::FIXED {
                        return size as u64;
                    }
                    let mut size = 0;
                    #sizes
                    size
                }
                fn node(&self) -> ::bindpose::schema::Node<'_> {
                    ::bindpose::schema::Node::Record(self)
                }
                fn node_mut(&mut self) -> ::bindpose::schema::NodeMut<'_> {
                    ::bindpose::schema::NodeMut::Record(self)
                }
                #aliases
                #each_alias
                #shorts
                #names
            }
            #sizes_before
        }
    }

    fn record(&self) -> TokenStream {
        let Self { name, fields, .. } = self;
        let (generics, arguments, wheres) = self.generics.split_for_impl();
        let (type_name, pattern, visits) = (name.to_string(), pattern(fields), visits(fields));
        let visits = quote! {
            (&self, visit: &mut ::bindpose::schema::Visit<'_>) -> ::core::ops::ControlFlow<()> {
                #pattern
                #(#visits)*
                ::core::ops::ControlFlow::Continue(())
            }
        };
        let visits = match rest(fields) {
            Some(rest) => quote! {
                fn fields(&self, visit: &mut ::bindpose::schema::Visit<'_>) -> ::core::ops::ControlFlow<()> {
                    ::bindpose::wire::Rest::clip(&self.#rest, self, visit)
                }
                fn all_fields #visits
            },
            None => quote!(fn fields #visits),
        };
        let scope = self.hints.scope.then(|| {
            quote! {
                fn is_scope(&self) -> bool {
                    true
                }
            }
        });
        let followed: Vec<_> = stored(fields)
            .filter_map(|field| {
                let (ident, text) = (&field.ident, field.ident.to_string());
                let offsets = field.hints.offsets.as_ref()?;
                Some(quote! {
                    #text => ::core::option::Option::Some(::std::boxed::Box::new(
                        ::bindpose::wire::with_offsets(&self.#ident, part, #offsets, place),
                    )),
                })
            })
            .collect();
        let followed = (!followed.is_empty()).then(|| {
            quote! {
                fn followed(
                    &self,
                    part: &str,
                    place: &dyn ::core::ops::Fn(&str) -> ::core::option::Option<i64>,
                ) -> ::core::option::Option<::std::boxed::Box<dyn ::bindpose::schema::Value>> {
                    match part {
                        #(#followed)*
                        _ => ::core::option::Option::None,
                    }
                }
            }
        });
        let muts = stored(fields).map(|field| {
            let (ident, text) = (&field.ident, field.ident.to_string());
            quote!(#text => ::core::option::Option::Some(&mut self.#ident),)
        });
        quote! {
            #[automatically_derived]
            impl #generics ::bindpose::schema::Record for #name #arguments #wheres {
                fn type_name(&self) -> &'static str {
                    #type_name
                }
                #scope
                #visits
                #followed
                fn field_mut(&mut self, name: &str) -> ::core::option::Option<&mut dyn ::bindpose::schema::Value> {
                    match name {
                        #(#muts)*
                        _ => ::core::option::Option::None,
                    }
                }
            }
        }
    }

    fn default(&self) -> TokenStream {
        let name = self.name;
        let (generics, arguments, wheres) = self.generics.split_for_impl();
        quote! {
            #[automatically_derived]
            impl #generics ::core::default::Default for #name #arguments #wheres {
                fn default() -> Self {
                    ::bindpose::schema::Schema::blank(::core::option::Option::None)
                }
            }
        }
    }

    fn schema(&self) -> Result<TokenStream> {
        let Self { name, doc, fields, imports, .. } = self;
        let (generics, arguments, wheres) = self.generics.split_for_impl();
        let (fixed, fast_path, append) = (fixed(fields), bulk::fixed(fields), bulk::append(fields));
        let bulk = bulk::without_arguments(fields, imports);
        let bulk_with = bulk::with_arguments(name, &self.generics, fields, imports);
        let params = self.hints.params.as_ref().unwrap_or(imports);
        let shape = shape(&name.to_string(), doc, params, fields, &same_path(imports))?;
        let head = head(fields);
        // Constants of a type cannot depend on themselves.
        let types: Vec<_> =
            fields.iter().filter(|field| !field.hints.recursive).map(|field| &field.ty).collect();
        let is_finite = fields.iter().all(|field| !field.hints.recursive);
        let magic = fields.iter().find_map(|field| field.hints.magic.as_ref());
        let magic = magic.map(|magic| quote!(const MAGIC: &'static [u8] = #magic;));
        let number = fields.len();
        let before_layout = before_layout(fields);
        let blanks = (0..fields.len()).filter(|at| fields[*at].calc.is_none()).map(|at| blank(fields, at));
        Ok(quote! {
            #[automatically_derived]
            impl #generics ::bindpose::schema::Schema for #name #arguments #wheres {
                const FIXED: ::core::option::Option<usize> = #fixed;
                const HEAD: usize = #head;
                const FIELDS: usize = #number;
                const PLAIN: bool = #is_finite #(&& <#types as ::bindpose::schema::Schema>::PLAIN)*;
                const IS_FINITE: bool = true #(&& <#types as ::bindpose::schema::Schema>::IS_FINITE)*;
                #magic

                fn shape() -> ::bindpose::schema::Shape {
                    const { ::core::assert!(<Self as ::bindpose::schema::Schema>::IS_FINITE) }
                    #before_layout
                    #shape
                }
                #[allow(unused_variables)]
                fn blank(like: ::core::option::Option<&Self>) -> Self {
                    Self { #(#blanks)* }
                }
                #fast_path
                #bulk
                #append
            }
            #bulk_with
        })
    }
}

/// Adds the schema bound to every type parameter.
pub fn bounded(generics: &Generics) -> Generics {
    let mut generics = generics.clone();
    for param in generics.type_params_mut() {
        param.bounds.push(parse_quote!(::bindpose::schema::Schema));
    }
    generics
}

fn stored(fields: &[FieldInput]) -> impl Iterator<Item = &FieldInput> {
    fields.iter().filter(|field| field.calc.is_none())
}

pub fn pattern(fields: &[FieldInput]) -> TokenStream {
    let idents = stored(fields).map(|field| &field.ident);
    quote!(let Self { #(#idents),* } = self;)
}

fn visits(fields: &[FieldInput]) -> Vec<TokenStream> {
    let visits = fields.iter().enumerate().map(|(at, field)| {
        let (ident, ty) = (&field.ident, &field.ty);
        let info = info(field, &role(fields, at));
        match &field.calc {
            Some(calc) => {
                let value = computed(calc, ty);
                quote! {
                    let #ident: #ty = #value;
                    visit(#info, &#ident)?;
                }
            }
            None if field.hints.pad_to.is_some() => {
                let before = size_before(&field.ident);
                let fitted = fitted(field, &quote!(self.#before()));
                quote!(visit(#info, &#fitted)?;)
            }
            None => {
                let prefix = prefix_info(field);
                quote! {
                    ::bindpose::schema::Value::prefix(#ident, &mut |prefix| visit(#prefix, prefix))?;
                    visit(#info, #ident)?;
                }
            }
        }
    });
    visits.collect()
}

/// Returns the field for the bytes after the place where decoding stopped.
pub fn rest(fields: &[FieldInput]) -> Option<&Ident> {
    let is_rest = |field: &&FieldInput| input::last_name(&field.ty).is_some_and(|name| name == "Rest");
    fields.last().filter(is_rest).map(|last| &last.ident)
}

fn info(field: &FieldInput, role: &TokenStream) -> TokenStream {
    let (name, doc, same_length_as) =
        (field.ident.to_string(), summary(&field.doc), &field.hints.same_length_as);
    let origin = if field.calc.is_some() { quote!(Computed) } else { quote!(Stored) };
    let (identity, axis) = (identity(field), optional(field.hints.axis.as_ref()));
    let quantity = quantity(field.hints.quantity.as_ref());
    quote! {
        const {
            &::bindpose::schema::FieldInfo {
                name: #name,
                doc: #doc,
                role: #role,
                origin: ::bindpose::schema::Origin::#origin,
                same_length_as: &[#(#same_length_as),*],
                identity: #identity,
                axis: #axis,
                quantity: #quantity,
            }
        }
    }
}

pub fn quantity(hint: Option<&Quantity>) -> TokenStream {
    let quantity = hint.map(|Quantity { kind, none }| {
        let none = optional(none.as_ref().map(|none| quote!(f32::to_bits(#none))).as_ref());
        let kind = quote!(::bindpose::schema::QuantityKind::#kind);
        quote!(::bindpose::schema::Quantity { kind: #kind, none: #none })
    });
    optional(quantity.as_ref())
}

fn identity(field: &FieldInput) -> TokenStream {
    let identity = field.hints.identity.as_ref();
    optional(identity.map(|identity| quote!(::bindpose::schema::Identity::#identity)).as_ref())
}

/// Returns the definition of the count or length before a field, which is named after the field.
fn prefix_info(field: &FieldInput) -> TokenStream {
    let (ty, name) = (&field.ty, field.ident.to_string());
    let (num, len) = (format!("num_{name}"), format!("len_{name}"));
    let (num_doc, len_doc) = (format!("The number of {name}."), format!("The length of {name} in bytes."));
    quote! {
        const {
            &<#ty as ::bindpose::schema::Schema>::PREFIX.field(#name, [(#num, #num_doc), (#len, #len_doc)])
        }
    }
}

/// Returns what a field decides about the fields after it.
fn role(fields: &[FieldInput], at: usize) -> TokenStream {
    let FieldInput { hints, calc, .. } = &fields[at];
    let role = if hints.magic.is_some() {
        quote!(Magic)
    } else if let Some(role) = &hints.role {
        role.clone()
    } else if let Some(list) = calc.as_ref().and_then(counted) {
        quote!(Counts(#list))
    } else if let Some(what) = dependent(fields, at).map(ToString::to_string) {
        quote!(Decides(#what))
    } else {
        quote!(Free)
    };
    quote!(::bindpose::schema::Role::#role)
}

/// Rejects a value that can contradict what it decides after an edit, and one that a file can contradict.
fn owned(fields: &[FieldInput], at: usize) -> Result<()> {
    let FieldInput { ident, hints, calc, .. } = &fields[at];
    let (span, why) = match (calc, decided(fields, at)) {
        _ if hints.has_role() || hints.free => return Ok(()),
        (Some(calc), None) if counted(calc).is_none() && dependent(fields, at).is_none() => {
            let why = "a computed value that decides nothing replaces the one in the file: let it follow from the content with #[follows(claim = ..)]";
            (calc.expr.span(), why.into())
        }
        (None, Some(decided)) => {
            let why = format!(
                "`{decided}` is read by this value and can contradict it after an edit: let it follow by #[count_of({decided})], \
                 #[size_of({decided})], #[tag_of({decided})] or another key of #[on_disk], or, if no key can state how, add \
                 #[schema(decides = \"{decided}\")]"
            );
            (ident.span(), why)
        }
        _ => return Ok(()),
    };
    Err(syn::Error::new(span, why))
}

/// Rejects a region whose last bytes no field keeps, and a layout whose end nothing states.
fn bounded_by(fields: &[FieldInput], at: usize) -> Result<()> {
    let is = |at: usize, expected: &str| {
        let name = fields.get(at).and_then(|field| input::last_name(&field.ty));
        name.is_some_and(|name| name == expected)
    };
    let FieldInput { ident, .. } = &fields[at];
    let why = if is(at, "Region") && !is(at + 1, "Tail") {
        format!("bytes after the content of `{ident}` need a field: add `pub tail: Tail` after it")
    } else if is(at, "Tail") && !(at > 0 && is(at - 1, "Region")) {
        "a `Tail` follows a `Region`, whose last bytes it keeps".into()
    } else if is(at, "Layout") && rest(fields).is_none() {
        "the size of a layout that is not the whole file must be stored: use `Region<Layout<..>>` with #[size_of(..)]".into()
    } else {
        return Ok(());
    };
    Err(syn::Error::new(ident.span(), why))
}

/// Returns the first later field whose reading depends on the value of a field.
fn dependent(fields: &[FieldInput], at: usize) -> Option<&Ident> {
    let FieldInput { ident, hints, .. } = &fields[at];
    let dependent = fields[at + 1..].iter().find(|later| {
        let exprs = later.args.iter().chain(&later.condition);
        exprs.map(ToTokens::to_token_stream).any(|expr| depends_on(expr, ident))
    });
    dependent.filter(|_| !hints.free).map(|later| &later.ident)
}

/// Returns the first later field whose count, size or tag is this one, or whose presence depends on it.
fn decided(fields: &[FieldInput], at: usize) -> Option<&Ident> {
    let ident = &fields[at].ident;
    let depends = |expr: &Expr| depends_on(expr.to_token_stream(), ident);
    let decided = fields[at + 1..].iter().find(|later| {
        later.args.iter().any(|arg| depends(arg) && expr::is_value_of(arg, ident))
            || later.condition.as_ref().is_some_and(depends)
    });
    decided.map(|later| &later.ident)
}

/// Returns the list in `count(list)`.
fn counted(calc: &Calc) -> Option<String> {
    let Expr::Call(counting) = &calc.expr else { return None };
    let Expr::Path(function) = &*counting.func else { return None };
    let is_count = function.path.segments.last().is_some_and(|last| last.ident == "count");
    is_count.then(|| counting.args.to_token_stream().to_string().replace(['&', ' '], ""))
}

fn fixed(fields: &[FieldInput]) -> TokenStream {
    if !input::is_plain(fields) {
        return quote!(::core::option::Option::None);
    }
    let types = fields.iter().map(|field| &field.ty);
    quote!(::bindpose::schema::join_fixed(&[#(<#types as ::bindpose::schema::Schema>::FIXED),*]))
}

/// Returns the size of the fields of fixed size at the start of a record.
fn head(fields: &[FieldInput]) -> TokenStream {
    let types = fields.iter().take_while(|field| field.condition.is_none()).map(|field| &field.ty);
    quote!(::bindpose::schema::head_size(&[#(<#types as ::bindpose::schema::Schema>::FIXED),*]))
}

/// Asserts that a layout has a fixed offset, from which the offsets of its parts count.
fn before_layout(fields: &[FieldInput]) -> Option<TokenStream> {
    let before = &fields[..fields.iter().position(|field| input::is_layout(&field.ty))?];
    let types = before.iter().map(|field| &field.ty);
    let is_always = before.iter().all(|field| field.condition.is_none());
    Some(quote! {
        const {
            ::core::assert!(
                #is_always #(&& <#types as ::bindpose::schema::Schema>::FIXED.is_some())*,
                "the fields before a `Layout` need a fixed size, because its offsets count from them"
            );
        }
    })
}

/// Returns a field of a new record: its magic, its default, or zeros. A field that decides how another one is read has
/// the value of the record that the new one is like.
fn blank(fields: &[FieldInput], at: usize) -> TokenStream {
    let FieldInput { ident, ty, hints, .. } = &fields[at];
    match (&hints.magic, &hints.default) {
        (Some(magic), _) => quote!(#ident: <#ty as ::bindpose::schema::Schema>::get(#magic),),
        (None, Some(default)) => quote!(#ident: #default,),
        (None, None) if dependent(fields, at).is_some() => quote! {
            #ident: match like {
                ::core::option::Option::Some(like) => ::core::clone::Clone::clone(&like.#ident),
                ::core::option::Option::None => {
                    <#ty as ::bindpose::schema::Schema>::blank(::core::option::Option::None)
                }
            },
        },
        (None, None) => {
            quote!(#ident: <#ty as ::bindpose::schema::Schema>::blank(like.map(|like| &like.#ident)),)
        }
    }
}

fn shape(
    name: &str,
    doc: &str,
    imports: &[(Ident, syn::Type)],
    fields: &[FieldInput],
    same_path: &TokenStream,
) -> Result<TokenStream> {
    let params = params(imports);
    let fields = (0..fields.len()).map(|at| field_shape(fields, at)).collect::<Result<Vec<_>>>()?;
    Ok(quote! {
        ::bindpose::schema::Shape::Record(::bindpose::schema::RecordShape {
            name: #name,
            doc: #doc,
            params: &[#(#params),*],
            fields: ::std::vec![#(#fields),*],
            same_path: #same_path,
        })
    })
}

/// Returns whether a record can be read without arguments.
fn same_path(imports: &[(Ident, syn::Type)]) -> TokenStream {
    if !imports.is_empty() {
        return quote!(::core::option::Option::None);
    }
    quote!(::bindpose::schema::SamePath::of::<Self>())
}

pub fn params(imports: &[(Ident, syn::Type)]) -> Vec<TokenStream> {
    let params = imports.iter().map(|(name, ty)| {
        let (name, ty) = (name.to_string(), expr::param_type(ty));
        quote!((#name, #ty))
    });
    params.collect()
}

fn field_shape(fields: &[FieldInput], at: usize) -> Result<TokenStream> {
    let (field, role) = (&fields[at], role(fields, at));
    let (name, doc, ty) = (field.ident.to_string(), &field.doc, &field.ty);
    let condition = field.hints.condition.as_ref().or(field.condition.as_ref());
    let condition =
        condition.map(expr::published).transpose()?.map(|condition| quote!(const { &#condition }));
    let condition = optional(condition.as_ref());
    let args = expr::args(field.hints.args.as_ref().unwrap_or(&field.args))?;
    let shape = match &field.hints.shape {
        Some(shape) => shape.to_token_stream(),
        None if field.hints.recursive => quote! {
            ::bindpose::schema::Shape::Recursive(::bindpose::schema::ByName::of::<#ty>())
        },
        None => match &field.hints.pad_to {
            Some(to) => quote!(::bindpose::schema::Shape::Bytes(::bindpose::schema::Length::Padding(#to))),
            None => quote!(<#ty as ::bindpose::schema::Schema>::shape()),
        },
    };
    let magic = optional(field.hints.magic.as_ref());
    let (identity, xml) = (identity(field), xml(field.hints.xml.as_ref()));
    let (axis, quantity) = (optional(field.hints.axis.as_ref()), quantity(field.hints.quantity.as_ref()));
    Ok(quote! {
        ::bindpose::schema::FieldShape {
            condition: #condition,
            args: const { &[#(#args),*] },
            role: #role,
            magic: #magic,
            identity: #identity,
            axis: #axis,
            quantity: #quantity,
            xml: #xml,
            ..::bindpose::schema::FieldShape::new(#name, #doc, #shape)
        }
    })
}

fn xml(hint: Option<&XmlHint>) -> TokenStream {
    let hint = hint.map(|XmlHint { names, counts, default, repeats }| {
        let default = optional(default.as_ref());
        quote! {
            ::bindpose::schema::XmlHint {
                names: &[#(#names),*],
                counts: &[#(#counts),*],
                default: #default,
                repeats: #repeats,
            }
        }
    });
    optional(hint.as_ref())
}
