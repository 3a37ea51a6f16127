//! The declaration of a choice: its tag, its arguments and its bodies.

use proc_macro2::TokenStream;
use quote::quote;
use syn::parse::{ParseStream, Parser};
use syn::{Attribute, DeriveInput, Error, Expr, Fields, Ident, Lit, LitStr, Pat, Result, Type, Variant};

use crate::expr;
use crate::input::{self, Directive, Quantity, directives};

/// A body, with the tag that selects it.
pub(super) struct Body {
    pub(super) ident: Ident,
    pub(super) doc: String,
    /// The type of the content; `None` for a body without bytes.
    pub(super) ty: Option<Type>,
    pub(super) tag: Tag,
    pub(super) args: Vec<Expr>,
    pub(super) parse_with: Option<Expr>,
    /// The published arguments, if they differ from those of the reader.
    pub(super) published: Option<Vec<Expr>>,
    pub(super) axis: Option<LitStr>,
    pub(super) quantity: Option<Quantity>,
}

/// The condition that selects a body, with its published form.
pub(super) enum Tag {
    Is(Box<Pat>, TokenStream),
    /// The magic of the body as a number.
    Magic(TokenStream, TokenStream),
    When(Box<Expr>, TokenStream),
    Other,
}

impl Tag {
    /// The tag, if it is a single number.
    pub(super) fn number(&self) -> TokenStream {
        match self {
            Self::Is(pattern, _) => input::optional(number(pattern).as_ref()),
            Self::Magic(number, _) => input::optional(Some(number)),
            Self::When(..) | Self::Other => input::optional(None::<&TokenStream>),
        }
    }

    /// The condition in the published schema; none for the form for all other tags.
    pub(super) fn condition(&self) -> Option<&TokenStream> {
        match self {
            Self::Is(_, condition) | Self::Magic(_, condition) | Self::When(_, condition) => Some(condition),
            Self::Other => None,
        }
    }
}

impl Body {
    /// The name in the spelling of fields.
    pub(super) fn name(&self) -> String {
        input::snake(&self.ident.to_string())
    }

    /// The pattern of the variant, whatever its content is.
    pub(super) fn form(&self) -> TokenStream {
        let ident = &self.ident;
        if self.ty.is_some() { quote!(Self::#ident(_)) } else { quote!(Self::#ident) }
    }
}

pub(super) type Param = (Ident, Type);

/// The tag, and the other arguments.
pub(super) struct Head {
    pub(super) tag: Param,
    pub(super) imports: Vec<Param>,
    /// The parameters of the published schema.
    pub(super) params: Vec<Param>,
    /// Whether a file with another tag cannot be decoded.
    pub(super) is_closed: bool,
}

/// Returns whether files can have tags of this type that have no meaning.
pub(super) fn is_open(tag: &Type) -> bool {
    let names = ["u8", "u16", "u32", "u64", "i8", "i16", "i32", "i64", "FixedStr"];
    input::last_name(tag).is_some_and(|own| names.iter().any(|name| own == name))
}

pub(super) fn head(input: &DeriveInput) -> Result<Head> {
    let (mut tag, mut imports, mut params, mut is_closed) = (None, Vec::new(), None, false);
    for directive in directives(&input.attrs, "schema")? {
        match directive.name.to_string().as_str() {
            "tag" => tag = input::params(&directive)?.into_iter().next(),
            "import" => imports = input::params(&directive)?,
            "params" => params = Some(input::params(&directive)?),
            "closed" => is_closed = true,
            _ => return Err(directive.unknown(" for a choice", "tag, import, params or closed")),
        }
    }
    let tag = tag.ok_or_else(|| {
        input::whole(input, "specify the tag that selects a body: #[schema(tag(name: Type))]")
    })?;
    let params = params.unwrap_or_else(|| std::iter::once(&tag).chain(&imports).cloned().collect());
    Ok(Head { tag, imports, params, is_closed })
}

pub(super) fn body(variant: &Variant, tag: &Ident) -> Result<Body> {
    let ty = match &variant.fields {
        Fields::Unit => None,
        Fields::Unnamed(fields) if fields.unnamed.len() == 1 => {
            fields.unnamed.first().map(|field| field.ty.clone())
        }
        _ => return Err(Error::new_spanned(variant, "a body has one type or none: `Name(Type)`")),
    };
    let (args, parse_with) = reading(&variant.attrs)?;
    let mut hints = Hints::of(&variant.attrs)?;
    Ok(Body {
        ident: variant.ident.clone(),
        doc: input::doc(&variant.attrs),
        ty,
        published: hints.args.take(),
        axis: hints.axis.take(),
        quantity: hints.quantity.take(),
        tag: tag_value(variant, hints, tag)?,
        args,
        parse_with,
    })
}

fn reading(attrs: &[Attribute]) -> Result<(Vec<Expr>, Option<Expr>)> {
    let (mut args, mut parse_with) = (Vec::new(), None);
    for directive in directives(attrs, "br")? {
        match directive.name.to_string().as_str() {
            "args" => args = directive.exprs()?,
            "parse_with" => parse_with = Some(directive.expr()?),
            name => {
                let why = format!("`{name}` is not allowed on a body; only `args` and `parse_with` are");
                return Err(Error::new(directive.name.span(), why));
            }
        }
    }
    Ok((args, parse_with))
}

fn tag_value(variant: &Variant, hints: Hints, name: &Ident) -> Result<Tag> {
    if let Some(condition) = hints.when {
        let published = expr::published(&condition)?;
        return Ok(Tag::When(Box::new(condition), published));
    }
    if hints.magic {
        let Fields::Unnamed(fields) = &variant.fields else {
            return Err(Error::new_spanned(variant, "a body without bytes has no magic"));
        };
        let ty = fields.unnamed.first().map(|field| &field.ty);
        let number = quote!(::bindpose::schema::tag_of(<#ty as ::bindpose::schema::Schema>::MAGIC));
        let published = expr::equals(name, &quote!(Hex(#number)));
        return Ok(Tag::Magic(number, published));
    }
    match hints.tag {
        _ if hints.raw => Ok(Tag::Other),
        Some(tag) => {
            let published = match &hints.ksy {
                Some(condition) => expr::published(condition)?,
                None => expr::matches(&tag, name)?,
            };
            Ok(Tag::Is(Box::new(tag), published))
        }
        None => Err(Error::new_spanned(
            variant,
            "specify the tag of this body with #[schema(tag = ..)], #[schema(magic)] or #[schema(when = ..)], or use #[schema(raw)] for all others",
        )),
    }
}

/// Hints on a variant: `#[schema(..)]`.
#[derive(Default)]
struct Hints {
    tag: Option<Pat>,
    when: Option<Expr>,
    raw: bool,
    magic: bool,
    ksy: Option<Expr>,
    args: Option<Vec<Expr>>,
    axis: Option<LitStr>,
    quantity: Option<Quantity>,
}

impl Hints {
    fn of(attrs: &[Attribute]) -> Result<Self> {
        let mut hints = Self::default();
        for attr in attrs.iter().filter(|attr| attr.path().is_ident("schema")) {
            let parser = |input: ParseStream<'_>| {
                while !input.is_empty() {
                    hints.take(input)?;
                    if !input.is_empty() {
                        input.parse::<syn::Token![,]>()?;
                    }
                }
                Ok(())
            };
            let syn::Meta::List(list) = &attr.meta else {
                return Err(Error::new_spanned(attr, "expected a list: #[schema(..)]"));
            };
            parser.parse2(list.tokens.clone())?;
        }
        Ok(hints)
    }

    /// `tag = PATTERN` is not an expression, so it is parsed separately.
    fn take(&mut self, input: ParseStream<'_>) -> Result<()> {
        if input.fork().parse::<Ident>()? == "tag" {
            input.parse::<Ident>()?;
            input.parse::<syn::Token![=]>()?;
            self.tag = Some(Pat::parse_multi_with_leading_vert(input)?);
            return Ok(());
        }
        let directive: Directive = input.parse()?;
        match directive.name.to_string().as_str() {
            "raw" => self.raw = true,
            "magic" => self.magic = true,
            "when" => self.when = Some(directive.expr()?),
            "ksy" => self.ksy = Some(directive.expr()?),
            "args" => self.args = Some(directive.exprs()?),
            "axis" => self.axis = Some(directive.text()?),
            "length" | "point" | "matrix" => self.quantity = Some(Quantity::of(&directive)?),
            _ => {
                let known = "tag, magic, when, raw, ksy, args, axis, length, point or matrix";
                return Err(directive.unknown(" for a variant", known));
            }
        }
        Ok(())
    }
}

/// Returns the single number of a pattern.
fn number(pattern: &Pat) -> Option<i64> {
    match pattern {
        Pat::Lit(literal) => match &literal.lit {
            Lit::Int(number) => number.base10_parse().ok(),
            _ => None,
        },
        _ => None,
    }
}
