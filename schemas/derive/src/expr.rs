//! Converts Rust expressions to published ones: conditions, counts, arguments.

use crate::input::last_name;
use proc_macro2::TokenStream;
use quote::quote;
use syn::spanned::Spanned;
use syn::{
    BinOp, Block, Error, Expr, ExprCall, ExprField, ExprLit, ExprMethodCall, ExprPath, ExprUnary, Ident, Lit,
    LitInt, Member, Pat, Result, Stmt, Type, UnOp,
};

/// Returns the type of a parameter; dialects and other enumerations are passed as numbers.
pub fn param_type(ty: &Type) -> TokenStream {
    if let Type::Array(_) = ty {
        return quote!(::bindpose::schema::ParamType::Bytes);
    }
    let scalar = match last_name(ty).map(ToString::to_string).as_deref() {
        Some("bool") => return quote!(::bindpose::schema::ParamType::Bool),
        Some("FixedStr") => return quote!(::bindpose::schema::ParamType::Text),
        Some(number @ ("u8" | "u16" | "u32" | "u64" | "i8" | "i16" | "i32")) => number.to_uppercase(),
        _ => "I64".into(),
    };
    let scalar = Ident::new(&scalar, proc_macro2::Span::call_site());
    quote!(::bindpose::schema::ParamType::Scalar(::bindpose::schema::Scalar::#scalar))
}

/// Returns the arguments of a field. Tuples are flattened, because wrappers pass the inner arguments on.
pub fn args(exprs: &[Expr]) -> Result<Vec<TokenStream>> {
    let mut args = Vec::new();
    for expr in exprs {
        match expr {
            Expr::Tuple(tuple) => args.extend(self::args(&tuple.elems.iter().cloned().collect::<Vec<_>>())?),
            Expr::Lit(ExprLit { lit: Lit::Str(text), .. }) => {
                return Err(Error::new(text.span(), "an argument is an expression, without quotes"));
            }
            other => args.push(published(other)?),
        }
    }
    Ok(args)
}

/// Constructs the published form of an expression.
pub fn published(expr: &Expr) -> Result<TokenStream> {
    let node = match expr {
        // The display of such a method has parentheses of its own, or needs none.
        Expr::Paren(inner) if matches!(*inner.expr, Expr::MethodCall(_)) => return published(&inner.expr),
        Expr::Paren(inner) => node("Group", &[&inner.expr])?,
        Expr::Group(inner) => return published(&inner.expr),
        Expr::Reference(inner) => return published(&inner.expr),
        Expr::Cast(cast) => return published(&cast.expr),
        Expr::Unary(ExprUnary { op: UnOp::Deref(_), expr, .. }) => return published(expr),
        Expr::Unary(ExprUnary { op: UnOp::Not(_), expr, .. }) => node("Not", &[expr])?,
        Expr::Unary(ExprUnary { op: UnOp::Neg(_), expr, .. }) => node("Neg", &[expr])?,
        // The size of the fields before a layout.
        Expr::Path(path) if path.qself.is_some() => quote!(Int(#path as i64)),
        // A constant of the reader that has a published form.
        Expr::Path(path) if is_constant(path) => return Ok(quote!(#path.expr())),
        Expr::Path(path) => name(&path.path.segments.last().ok_or_else(|| unpublished(expr))?.ident),
        Expr::Lit(ExprLit { lit, .. }) => literal(lit).ok_or_else(|| unpublished(expr))?,
        Expr::Binary(binary) => {
            let op = operator(&binary.op).ok_or_else(|| unpublished(expr))?;
            let (left, right) = (published(&binary.left)?, published(&binary.right)?);
            quote!(Binary(::bindpose::schema::Op::#op, &#left, &#right))
        }
        Expr::Field(ExprField { base, member: Member::Named(name), .. }) => member(base, name)?,
        Expr::Index(index) => node("Index", &[&index.expr, &index.index])?,
        Expr::If(choice) => {
            let (Some(then), Some((_, other))) = (value(&choice.then_branch), &choice.else_branch) else {
                return Err(unpublished(expr));
            };
            node("If", &[&choice.cond, then, other])?
        }
        Expr::Block(block) => return published(value(&block.block).ok_or_else(|| unpublished(expr))?),
        Expr::MethodCall(call) => return method(call),
        // A constant.
        Expr::Call(call) if call.args.is_empty() => quote!(Int(#call as i64)),
        Expr::Call(call) => match (function(call), call.args.first()) {
            (Some(name), Some(arg)) if name == "len" => node("Len", &[arg])?,
            (Some(name), Some(arg)) if name == "ascii" => node("Ascii", &[arg])?,
            (Some(name), Some(arg)) if name == "from" => return published(arg),
            _ => return Err(unpublished(expr)),
        },
        _ => return Err(unpublished(expr)),
    };
    Ok(quote!(::bindpose::schema::Expr::#node))
}

/// A kind of expression with its operands.
fn node(kind: &str, operands: &[&Expr]) -> Result<TokenStream> {
    let kind = Ident::new(kind, proc_macro2::Span::call_site());
    let operands = operands.iter().map(|operand| published(operand)).collect::<Result<Vec<_>>>()?;
    Ok(quote!(#kind(#(&#operands),*)))
}

fn is_constant(path: &ExprPath) -> bool {
    path.path.segments.last().is_some_and(|last| !last.ident.to_string().contains(char::is_lowercase))
}

fn name(ident: &Ident) -> TokenStream {
    let name = ident.to_string();
    quote!(Name(#name))
}

fn member(base: &Expr, name: &Ident) -> Result<TokenStream> {
    let (base, name) = (published(base)?, name.to_string());
    Ok(quote!(Member(&#base, #name)))
}

fn literal(lit: &Lit) -> Option<TokenStream> {
    match lit {
        Lit::Int(number) => Some(integer(number)),
        Lit::Bool(value) => Some(quote!(Bool(#value))),
        Lit::Str(text) => Some(quote!(Text(#text))),
        _ => None,
    }
}

/// Returns a number in the radix of the definition.
fn integer(number: &LitInt) -> TokenStream {
    let digits: i64 = number.base10_parse().unwrap_or(i64::MAX);
    if number.to_string().starts_with("0x") { quote!(Hex(#digits)) } else { quote!(Int(#digits)) }
}

/// Returns the single expression of a block.
fn value(block: &Block) -> Option<&Expr> {
    if let [Stmt::Expr(expr, None)] = &block.stmts[..] { Some(expr) } else { None }
}

/// Returns the name of a function with one argument.
fn function(call: &ExprCall) -> Option<&Ident> {
    match &*call.func {
        Expr::Path(path) if call.args.len() == 1 => path.path.segments.last().map(|last| &last.ident),
        _ => None,
    }
}

fn method(call: &ExprMethodCall) -> Result<TokenStream> {
    let receiver = &call.receiver;
    let node = match (call.method.to_string().as_str(), call.args.first()) {
        ("into", None) => return published(receiver),
        ("len", None) => node("Len", &[receiver])?,
        // In a valid file, a part is present as soon as there are bytes.
        ("is_present", None) => quote!(Bool(true)),
        (_, None) => member(receiver, &call.method)?,
        (method, Some(part)) => {
            affix(method, receiver, part).ok_or_else(|| unpublished(&Expr::MethodCall(call.clone())))??
        }
    };
    Ok(quote!(::bindpose::schema::Expr::#node))
}

/// Converts comparisons of text: equality, prefix and suffix.
fn affix(method: &str, text: &Expr, mut part: &Expr) -> Option<Result<TokenStream>> {
    while let Expr::Reference(inner) = part {
        part = &inner.expr;
    }
    let Expr::Lit(ExprLit { lit: Lit::Str(literal), .. }) = part else { return None };
    Some(published(text).and_then(|text| match method {
        "eq" => {
            let part = published(part)?;
            Ok(quote!(Binary(::bindpose::schema::Op::Eq, &#text, &#part)))
        }
        "starts_with" => Ok(quote!(StartsWith(&#text, #literal))),
        "ends_with" => Ok(quote!(EndsWith(&#text, #literal))),
        _ => Err(unpublished(part)),
    }))
}

fn operator(op: &BinOp) -> Option<TokenStream> {
    macro_rules! same_name {
        ($($name:ident)*) => {
            match op {
                $(BinOp::$name(_) => Some(quote!($name)),)*
                _ => None,
            }
        };
    }
    same_name!(Add Sub Mul Div Rem And Or BitXor BitAnd BitOr Shl Shr Eq Lt Le Ne Ge Gt)
}

/// Returns the condition that a tag is a number.
pub fn equals(tag: &Ident, number: &TokenStream) -> TokenStream {
    let name = name(tag);
    quote! {
        ::bindpose::schema::Expr::Binary(
            ::bindpose::schema::Op::Eq,
            &::bindpose::schema::Expr::#name,
            &::bindpose::schema::Expr::#number,
        )
    }
}

/// Returns the condition that a tag matches a pattern.
pub fn matches(pattern: &Pat, tag: &Ident) -> Result<TokenStream> {
    let name = name(tag);
    let name = quote!(::bindpose::schema::Expr::#name);
    let node = match pattern {
        Pat::Lit(ExprLit { lit: Lit::Int(number), .. }) => return Ok(equals(tag, &integer(number))),
        // A constant, such as a magic.
        Pat::Ident(constant) => return Ok(equals(tag, &quote!(Hex(#constant as i64)))),
        Pat::Lit(ExprLit { lit: Lit::Bool(value), .. }) if value.value => return Ok(name),
        Pat::Lit(ExprLit { lit: Lit::Bool(_), .. }) => quote!(Not(&#name)),
        Pat::Or(or) => {
            let cases = or.cases.iter().map(|case| matches(case, tag)).collect::<Result<Vec<_>>>()?;
            return Ok(any(&cases));
        }
        _ => {
            let why = "the published schema cannot express this pattern: add the condition as #[schema(ksy = expression)]";
            return Err(Error::new_spanned(pattern, why));
        }
    };
    Ok(quote!(::bindpose::schema::Expr::#node))
}

/// Returns the condition that one of several holds.
fn any(conditions: &[TokenStream]) -> TokenStream {
    let any = conditions.iter().cloned().reduce(
        |left, right| quote!(::bindpose::schema::Expr::Binary(::bindpose::schema::Op::Or, &#left, &#right)),
    );
    any.unwrap_or_else(|| quote!(::bindpose::schema::Expr::Bool(false)))
}

/// Returns the condition that none of several holds.
pub fn none(conditions: &[TokenStream]) -> TokenStream {
    let any = any(conditions);
    quote!(::bindpose::schema::Expr::Not(&::bindpose::schema::Expr::Group(&#any)))
}

fn unpublished(expr: &Expr) -> Error {
    Error::new(
        expr.span(),
        "the published schema cannot express this: use names, numbers, operators, `if`, `len(x)`, `ascii(x)`, `x.into()` \
         and methods without arguments, or add another expression with #[schema(condition = ..)] or #[schema(args(..))]",
    )
}

/// Returns whether an expression is the value of a field, perhaps as a number of another type.
pub fn is_value_of(expr: &Expr, field: &Ident) -> bool {
    match expr {
        Expr::Path(own) => own.path.is_ident(field),
        Expr::Reference(own) => is_value_of(&own.expr, field),
        Expr::Paren(own) => is_value_of(&own.expr, field),
        Expr::Cast(own) => is_value_of(&own.expr, field),
        Expr::Unary(own) => matches!(own.op, UnOp::Deref(_)) && is_value_of(&own.expr, field),
        Expr::Tuple(own) => own.elems.iter().any(|own| is_value_of(own, field)),
        Expr::MethodCall(own) => own.method == "into" && is_value_of(&own.receiver, field),
        Expr::Call(own) => own.args.len() == 1 && is_value_of(&own.args[0], field),
        _ => false,
    }
}
