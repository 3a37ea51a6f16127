//! The input of the derive: fields with their binrw directives and schema hints.

use proc_macro2::{Span, TokenStream, TokenTree};
use quote::{ToTokens, quote};
use syn::ext::IdentExt;
use syn::parse::{Parse, ParseStream};
use syn::punctuated::Punctuated;
use syn::spanned::Spanned;
use syn::{
    Attribute, Data, DataStruct, DeriveInput, Error, Expr, ExprAssign, ExprLit, Field, Fields, FnArg,
    GenericArgument, Ident, Lit, LitByteStr, LitStr, Meta, Pat, PathArguments, Result, Token, Type,
    parenthesized,
};

/// A field of a `#[binrw]` struct, in the order of the file.
pub struct FieldInput {
    pub ident: Ident,
    pub ty: Type,
    pub doc: String,
    /// The expression of a field that is computed from others.
    pub calc: Option<Calc>,
    pub condition: Option<Expr>,
    pub args: Vec<Expr>,
    pub hints: Hints,
    /// Whether a custom function reads it.
    pub parse_with: bool,
}

/// The expression a count or tag is computed from on writing.
pub struct Calc {
    pub expr: Expr,
    pub fallible: bool,
}

/// Hints: `#[schema(..)]`.
#[derive(Default)]
pub struct Hints {
    pub magic: Option<LitByteStr>,
    pub same_length_as: Vec<LitStr>,
    /// The variant of `Identity`, with the kind of object or the named values.
    pub identity: Option<TokenStream>,
    /// The kind of objects that the elements of the list are.
    pub axis: Option<LitStr>,
    pub quantity: Option<Quantity>,
    /// The variant of `Role`, with what the field decides.
    pub role: Option<TokenStream>,
    /// The size of the fields before a layout, from whose start the offsets of other parts in a part of it count.
    pub offsets: Option<Expr>,
    pub free: bool,
    /// Whether the field can contain records of the same type.
    pub recursive: bool,
    /// The number of bytes that it fills the record up to a multiple of.
    pub pad_to: Option<Expr>,
    /// The parts whose presence the bits of the same names state.
    pub flag_of: Vec<Ident>,
    pub condition: Option<Expr>,
    pub args: Option<Vec<Expr>>,
    pub shape: Option<Expr>,
    pub xml: Option<XmlHint>,
    pub default: Option<Expr>,
}

impl Hints {
    /// Returns whether a hint states what the field decides.
    pub fn has_role(&self) -> bool {
        self.magic.is_some() || self.role.is_some() || !self.flag_of.is_empty()
    }
}

/// What numbers measure: `length`, `point`, `matrix` or `quantity`, with the value that measures nothing: `length(none = 1e9)`.
pub struct Quantity {
    pub kind: Ident,
    pub none: Option<Expr>,
}

impl Quantity {
    /// Returns the quantity that a directive states.
    pub fn of(directive: &Directive) -> Result<Self> {
        let name = &directive.name;
        let kind = if name == "quantity" { Ident::new("OfList", name.span()) } else { variant(name) };
        let exprs = if directive.list.is_some() { directive.exprs()? } else { Vec::new() };
        match (exprs.as_slice(), exprs.first().and_then(assigned)) {
            ([], _) => Ok(Self { kind, none: None }),
            ([_], Some((key, none))) if key == "none" => Ok(Self { kind, none: Some(none.clone()) }),
            _ => Err(Error::new(name.span(), format!("expected {name} or {name}(none = 1e9)"))),
        }
    }
}

/// The XML form of a field: `xml = "NAME"`, or `xml("NAME", "OTHER", count = "@NUM", default = "0", repeats)`.
#[derive(Default)]
pub struct XmlHint {
    pub names: Vec<LitStr>,
    pub counts: Vec<LitStr>,
    pub default: Option<LitStr>,
    pub repeats: bool,
}

/// A binrw directive or a schema hint: `name`, `name = expr` or `name(tokens)`.
pub struct Directive {
    pub name: Ident,
    pub value: Option<Expr>,
    pub list: Option<TokenStream>,
}

impl Parse for Directive {
    fn parse(input: ParseStream<'_>) -> Result<Self> {
        // `if` and `try` are also keywords of Rust.
        let name = input.call(Ident::parse_any)?;
        let mut directive = Self { name, value: None, list: None };
        if input.peek(Token![=]) {
            input.parse::<Token![=]>()?;
            directive.value = Some(input.parse()?);
        } else if input.peek(syn::token::Paren) {
            let content;
            parenthesized!(content in input);
            directive.list = Some(content.parse()?);
        }
        Ok(directive)
    }
}

impl Directive {
    pub fn exprs(&self) -> Result<Vec<Expr>> {
        self.parse_list::<Expr>()
    }

    pub fn parse_list<T: Parse>(&self) -> Result<Vec<T>> {
        let Some(list) = &self.list else {
            return Err(Error::new(self.name.span(), format!("`{}` takes a list: {0}(..)", self.name)));
        };
        let parser = Punctuated::<T, Token![,]>::parse_terminated;
        Ok(syn::parse::Parser::parse2(parser, list.clone())?.into_iter().collect())
    }

    pub fn expr(&self) -> Result<Expr> {
        self.value
            .clone()
            .ok_or_else(|| Error::new(self.name.span(), format!("`{}` takes a value", self.name)))
    }

    pub fn text(&self) -> Result<LitStr> {
        text(&self.expr()?)
    }

    /// Returns the error for a name that none of the known hints has; `place` states where the hint is.
    pub fn unknown(&self, place: &str, known: &str) -> Error {
        Error::new(self.name.span(), format!("`{}` is not a hint{place}; use {known}", self.name))
    }
}

pub fn has_attribute(attrs: &[Attribute], name: &str) -> bool {
    attrs.iter().any(|attr| attr.path().segments.last().is_some_and(|last| last.ident == name))
}

/// Returns the directives of all attributes with this name.
pub fn directives(attrs: &[Attribute], name: &str) -> Result<Vec<Directive>> {
    let mut found = Vec::new();
    for attr in attrs.iter().filter(|attr| attr.path().is_ident(name)) {
        found.extend(attr.parse_args_with(Punctuated::<Directive, Token![,]>::parse_terminated)?);
    }
    Ok(found)
}

/// Returns the lines of the documentation.
pub fn doc(attrs: &[Attribute]) -> String {
    let lines = attrs.iter().filter_map(|attr| {
        let Meta::NameValue(pair) = &attr.meta else { return None };
        let Expr::Lit(ExprLit { lit: Lit::Str(line), .. }) = &pair.value else { return None };
        pair.path.is_ident("doc").then(|| line.value().trim().to_owned())
    });
    lines.collect::<Vec<_>>().join("\n").trim().to_owned()
}

/// Returns the first paragraph on one line.
pub fn summary(doc: &str) -> String {
    doc.split("\n\n").next().unwrap_or_default().replace('\n', " ")
}

/// Returns the fields of a struct with their directives.
pub fn fields(input: &DeriveInput) -> Result<Vec<FieldInput>> {
    let Data::Struct(DataStruct { fields: Fields::Named(fields), .. }) = &input.data else {
        return Err(Error::new_spanned(&input.ident, "an on-disk struct has named fields"));
    };
    fields.named.iter().map(field).collect()
}

fn field(field: &Field) -> Result<FieldInput> {
    let ident = field.ident.clone().ok_or_else(|| Error::new(field.span(), "a field has a name"))?;
    let mut parsed = FieldInput {
        ident,
        ty: field.ty.clone(),
        doc: doc(&field.attrs),
        calc: None,
        condition: None,
        args: Vec::new(),
        hints: hints(&field.attrs)?,
        parse_with: false,
    };
    let mut temp = None;
    for directive in directives(&field.attrs, "br")? {
        match directive.name.to_string().as_str() {
            "temp" => temp = Some(directive.name.span()),
            "if" => parsed.condition = Some(condition(&directive)?),
            // Sizes and what follows decide nothing.
            "args" if parsed.hints.pad_to.is_some() || is_claim(&parsed.ty) => {}
            "args" => parsed.args = directive.exprs()?,
            "parse_with" => parsed.parse_with = true,
            name => return Err(refused(&directive, name)),
        }
    }
    for directive in directives(&field.attrs, "bw")? {
        match directive.name.to_string().as_str() {
            "calc" => parsed.calc = Some(Calc { expr: directive.expr()?, fallible: false }),
            // Written by `#[on_disk]`.
            "map" if !parsed.hints.flag_of.is_empty() || parsed.hints.pad_to.is_some() => {}
            "try_calc" => parsed.calc = Some(Calc { expr: directive.expr()?, fallible: true }),
            name => return Err(refused(&directive, name)),
        }
    }
    if let Some(directive) = directives(&field.attrs, "brw")?.first() {
        return Err(refused(directive, &directive.name.to_string()));
    }
    match (temp, &parsed.calc) {
        (Some(span), None) => Err(Error::new(
            span,
            "a field that is not stored must be computed from others: add #[bw(try_calc = count(list))]",
        )),
        (None, Some(calc)) => {
            Err(Error::new(calc.expr.span(), "a computed field must not be stored as well: add #[br(temp)]"))
        }
        _ => Ok(parsed),
    }
}

/// Returns whether a type is `Claim`.
pub fn is_claim(ty: &Type) -> bool {
    last_name(ty).is_some_and(|name| name == "Claim")
}

fn condition(directive: &Directive) -> Result<Expr> {
    match directive.exprs()?.as_slice() {
        [condition] => Ok(condition.clone()),
        _ => Err(Error::new(
            directive.name.span(),
            "an absent field is an `Option` that is `None`; `if` takes one condition and no other value",
        )),
    }
}

/// Returns why a directive is not supported, and what to write instead.
fn refused(directive: &Directive, name: &str) -> Error {
    let advice = match name {
        "count" => {
            "use `List<T>` with `args(num.into())`, or `Counted<C, T>` where the count directly precedes the list"
        }
        "map" | "try_map" => "keep the stored type and offer the other view as a method",
        "magic" => "make it a field with `#[schema(magic = b\"..\")]`: its bytes need a name too",
        "calc" => "a value without bytes is a method; a count is `#[br(temp)] #[bw(try_calc = count(list))]`",
        "ignore" | "default" => "a field without bytes is not part of an on-disk struct: make it a method",
        "try" => "use `Part<T>`: it keeps the place and the cause of the damage",
        "pad_before" | "pad_after" | "pad_size_to" | "align_before" | "align_after" => {
            "padding has bytes: give it a field, `FixedStr<N>` or `[u8; N]`"
        }
        "seek_before" | "restore_position" | "offset" => "fields must be in the order of the file",
        "assert" => {
            "decoding preserves invalid values and `check` reports them; on writing, assert on the whole struct"
        }
        "write_with" => "write a type of its own that implements BinWrite, Value and Schema in `wire`",
        "little" => "specify it once, above the root struct",
        "big" | "is_big" | "is_little" => {
            "numbers whose most significant byte is first are `Be<u32>` and its like"
        }
        _ => "only `temp`, `if`, `args`, `parse_with`, `calc` and `try_calc` can be derived from",
    };
    Error::new(directive.name.span(), format!("`{name}` is not allowed here: {advice}"))
}

fn hints(attrs: &[Attribute]) -> Result<Hints> {
    let mut hints = Hints::default();
    for directive in directives(attrs, "schema")? {
        let variant = || variant(&directive.name);
        match directive.name.to_string().as_str() {
            "magic" => hints.magic = Some(byte_string(&directive)?),
            "same_length_as" => hints.same_length_as = directive.parse_list()?,
            "name" | "name_of" | "one_of" => {
                let (variant, what) = (variant(), directive.expr()?);
                hints.identity = Some(quote!(#variant(#what)));
            }
            "index_of" => hints.identity = Some(index_of(&directive)?),
            "index" => hints.identity = Some(quote!(Index)),
            "axis" => hints.axis = Some(directive.text()?),
            "length" | "point" | "matrix" | "quantity" => hints.quantity = Some(Quantity::of(&directive)?),
            "decides" | "encodes" | "counts" | "places" | "follows" => {
                let (variant, what) = (variant(), directive.text()?);
                hints.role.get_or_insert(quote!(#variant(#what)));
            }
            "sizes" => _ = hints.role.get_or_insert(sizes(&directive)?),
            "offsets" => hints.offsets = Some(directive.expr()?),
            "free" => hints.free = true,
            "recursive" => hints.recursive = true,
            "pad_to" => hints.pad_to = Some(directive.expr()?),
            "flag_of" => hints.flag_of = directive.parse_list()?,
            "condition" => hints.condition = Some(directive.expr()?),
            "args" => hints.args = Some(directive.exprs()?),
            "shape" => hints.shape = Some(directive.expr()?),
            "xml" => hints.xml = Some(xml(&directive)?),
            "default" => hints.default = Some(directive.expr()?),
            _ => {
                let known = "one of magic, default, same_length_as, name, name_of, index_of, index, axis, length, point, matrix, quantity, one_of, decides, encodes, counts, places, offsets, follows, sizes, free, recursive, pad_to, condition, args, shape, xml";
                return Err(directive.unknown("", known));
            }
        }
    }
    Ok(hints)
}

/// Returns the variant that is named as a directive: `NameOf` for `name_of`.
fn variant(name: &Ident) -> Ident {
    let words = name.to_string();
    let words = words.split('_').map(|word| word[..1].to_uppercase() + &word[1..]);
    Ident::new(&words.collect::<String>(), name.span())
}

/// Returns the field that a value is the size of, and the number of bytes in addition to it.
fn sizes(directive: &Directive) -> Result<TokenStream> {
    match directive.exprs()?.as_slice() {
        [part, plus] => Ok(quote!(Sizes(#part, #plus))),
        _ => Err(Error::new(directive.name.span(), "expected a field in quotes and a number of bytes")),
    }
}

/// Returns the reference that `index_of("bone", none = -1, upper = "high")` states.
fn index_of(directive: &Directive) -> Result<TokenStream> {
    let mut exprs = directive.exprs()?.into_iter();
    let Some(entity) = exprs.next() else {
        let why = "specify the kind of objects in plain words: index_of(\"bone\")";
        return Err(Error::new(directive.name.span(), why));
    };
    let (entity, mut none, mut upper) = (text(&entity)?, None, None);
    for expr in exprs {
        match assigned(&expr) {
            Some((key, value)) if key == "none" => none = Some(value.clone()),
            Some((key, value)) if key == "upper" => upper = Some(text(value)?),
            _ => {
                let why = "an index has a kind of objects in quotes, none = -1 and upper = \"FIELD\"";
                return Err(Error::new(expr.span(), why));
            }
        }
    }
    let (none, upper) = (optional(none.as_ref()), optional(upper.as_ref()));
    Ok(quote!(IndexOf(::bindpose::schema::IndexOf { entity: #entity, none: #none, upper: #upper })))
}

fn text(expr: &Expr) -> Result<LitStr> {
    match expr {
        Expr::Lit(ExprLit { lit: Lit::Str(text), .. }) => Ok(text.clone()),
        other => Err(Error::new(other.span(), "expected text in quotes")),
    }
}

/// Returns the key and the value of `key = value`.
fn assigned(expr: &Expr) -> Option<(&Ident, &Expr)> {
    let Expr::Assign(ExprAssign { left, right, .. }) = expr else { return None };
    let Expr::Path(key) = &**left else { return None };
    Some((key.path.get_ident()?, right))
}

pub fn optional(value: Option<&impl ToTokens>) -> TokenStream {
    match value {
        Some(value) => quote!(::core::option::Option::Some(#value)),
        None => quote!(::core::option::Option::None),
    }
}

fn xml(directive: &Directive) -> Result<XmlHint> {
    if directive.value.is_some() {
        return Ok(XmlHint { names: vec![directive.text()?], ..XmlHint::default() });
    }
    let mut hint = XmlHint::default();
    for expr in directive.exprs()? {
        let assigned = assigned(&expr).and_then(|(key, value)| Some((key, text(value).ok()?)));
        match (assigned, &expr) {
            (Some((key, counter)), _) if key == "count" => hint.counts.push(counter),
            (Some((key, words)), _) if key == "default" => hint.default = Some(words),
            (None, Expr::Lit(ExprLit { lit: Lit::Str(name), .. })) => hint.names.push(name.clone()),
            (None, Expr::Path(path)) if path.path.is_ident("repeats") => hint.repeats = true,
            _ => {
                let why =
                    "an XML hint has names in quotes, count = \"@NAME\", default = \"words\" and repeats";
                return Err(Error::new(expr.span(), why));
            }
        }
    }
    Ok(hint)
}

fn byte_string(directive: &Directive) -> Result<LitByteStr> {
    match directive.expr()? {
        Expr::Lit(ExprLit { lit: Lit::ByteStr(bytes), .. }) => Ok(bytes),
        other => Err(Error::new(other.span(), "expected a byte string: b\"..\"")),
    }
}

/// Returns the parameters of a struct: `#[br(import(name: Type))]`.
pub fn imports(attrs: &[Attribute]) -> Result<Vec<(Ident, Type)>> {
    let mut imports = Vec::new();
    for name in ["br", "brw", "bw"] {
        for directive in directives(attrs, name)? {
            match directive.name.to_string().as_str() {
                "import" => imports = params(&directive)?,
                "little" | "assert" | "stream" => {}
                name => return Err(refused(&directive, name)),
            }
        }
    }
    Ok(imports)
}

/// Hints on a struct: `#[schema(..)]`.
#[derive(Default)]
pub struct StructHints {
    /// The function that resolves aliases.
    pub aliases: Option<Expr>,
    /// The function that visits what aliases select, within a budget.
    pub each_alias: Option<Expr>,
    /// The function that returns the aliases of lists.
    pub shorts: Option<Expr>,
    /// The function that returns the names of the elements of a list.
    pub names: Option<Expr>,
    /// The parameters of the published schema, if they differ from those of the reader.
    pub params: Option<Vec<(Ident, Type)>>,
    /// Whether `Default` is derived too, as a blank value.
    pub default: bool,
    /// Whether indices in the record select from its own lists.
    pub scope: bool,
}

pub fn struct_hints(attrs: &[Attribute]) -> Result<StructHints> {
    let mut hints = StructHints::default();
    for directive in directives(attrs, "schema")? {
        match directive.name.to_string().as_str() {
            "aliases" => hints.aliases = Some(directive.expr()?),
            "each_alias" => hints.each_alias = Some(directive.expr()?),
            "shorts" => hints.shorts = Some(directive.expr()?),
            "names" => hints.names = Some(directive.expr()?),
            "params" => hints.params = Some(params(&directive)?),
            "default" => hints.default = true,
            "scope" => hints.scope = true,
            _ => {
                let known = "aliases, each_alias, shorts, names, params, default or scope";
                return Err(directive.unknown(" for a struct", known));
            }
        }
    }
    Ok(hints)
}

/// Returns a list of names with types.
pub fn params(directive: &Directive) -> Result<Vec<(Ident, Type)>> {
    let typed = directive.parse_list::<FnArg>()?.into_iter().map(|arg| match arg {
        FnArg::Typed(typed) => match *typed.pat {
            Pat::Ident(name) => Ok((name.ident, *typed.ty)),
            other => Err(Error::new(other.span(), "expected a name")),
        },
        FnArg::Receiver(own) => Err(Error::new(own.span(), "expected a name with a type")),
    });
    typed.collect()
}

/// Returns whether all fields are always present, as a record of fixed size requires.
pub fn is_plain(fields: &[FieldInput]) -> bool {
    let is_plain = |field: &FieldInput| {
        field.calc.is_none() && field.condition.is_none() && field.hints.pad_to.is_none()
    };
    fields.iter().all(is_plain)
}

/// Returns whether an expression depends on the value of a field, and not only on its length or presence.
pub fn depends_on(tokens: TokenStream, field: &Ident) -> bool {
    let tokens: Vec<TokenTree> = tokens.into_iter().collect();
    tokens.iter().enumerate().any(|(at, token)| match token {
        TokenTree::Ident(ident) if ident == field => !only_presence(&tokens[at + 1..]),
        TokenTree::Group(group) => !is_len(&tokens[..at]) && depends_on(group.stream(), field),
        _ => false,
    })
}

fn is_len(before: &[TokenTree]) -> bool {
    matches!(before.last(), Some(TokenTree::Ident(ident)) if ident == "len" || ident == "count")
}

fn only_presence(after: &[TokenTree]) -> bool {
    matches!(after, [TokenTree::Punct(dot), TokenTree::Ident(method), ..]
        if dot.as_char() == '.' && ["is_present", "is_some", "len", "end"].iter().any(|name| method == name))
}

/// Returns the last name of a type: `List` of `wire::List<T>`.
pub fn last_name(ty: &Type) -> Option<&Ident> {
    if let Type::Path(path) = ty { path.path.segments.last().map(|last| &last.ident) } else { None }
}

/// Returns the first argument of a type: `T` of `Region<T>`.
pub fn content_of(ty: &Type) -> Option<&Type> {
    let Type::Path(path) = ty else { return None };
    let PathArguments::AngleBracketed(arguments) = &path.path.segments.last()?.arguments else { return None };
    let mut arguments = arguments.args.iter();
    arguments.find_map(|own| if let GenericArgument::Type(ty) = own { Some(ty) } else { None })
}

/// Returns whether a type is a layout, or a region that is one.
pub fn is_layout(ty: &Type) -> bool {
    let is = |ty: &Type, expected: &str| last_name(ty).is_some_and(|name| name == expected);
    is(ty, "Layout") || is(ty, "Region") && content_of(ty).is_some_and(|content| is(content, "Layout"))
}

/// Returns `VertexExtra` as `vertex_extra`.
pub fn snake(name: &str) -> String {
    let mut snake = String::new();
    for (at, c) in name.char_indices() {
        if c.is_uppercase() && at > 0 {
            snake.push('_');
        }
        snake.extend(c.to_lowercase());
    }
    snake
}

/// Returns an error for the whole definition.
pub fn whole(input: &DeriveInput, why: &str) -> Error {
    Error::new(input.ident.span().join(Span::call_site()).unwrap_or(input.ident.span()), why)
}
