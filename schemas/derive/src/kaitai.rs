//! From the small common subset of expressions to Kaitai's language.

use proc_macro2::TokenStream;
use quote::{ToTokens, quote};
use syn::spanned::Spanned;
use syn::{
    BinOp, Error, Expr, ExprCall, ExprField, ExprLit, ExprMethodCall, ExprUnary, Ident, Lit, Member, Result,
    Type, UnOp,
};

/// The Kaitai type of a parameter; dialects and other enumerations are passed as numbers.
pub fn param_type(ty: &Type) -> &'static str {
    let name = match ty {
        Type::Path(path) => path.path.segments.last().map(|last| last.ident.to_string()),
        Type::Array(_) => return "bytes",
        _ => None,
    };
    match name.as_deref() {
        Some("u8") => "u1",
        Some("u16") => "u2",
        Some("u32") => "u4",
        Some("u64") => "u8",
        Some("i8") => "s1",
        Some("i16") => "s2",
        Some("i32") => "s4",
        Some("bool") => "bool",
        Some("FixedStr") => "str",
        _ => "s8",
    }
}

/// The arguments of a field; tuples are flattened, for wrappers hand the inner ones on.
pub fn args(exprs: &[Expr]) -> Result<Vec<String>> {
    let mut args = Vec::new();
    for expr in exprs {
        match expr {
            Expr::Tuple(tuple) => args.extend(self::args(&tuple.elems.iter().cloned().collect::<Vec<_>>())?),
            other => args.push(expression(other)?),
        }
    }
    Ok(args)
}

/// An expression in Kaitai's language.
pub fn expression(expr: &Expr) -> Result<String> {
    match expr {
        Expr::Path(path) => match path.path.segments.last() {
            Some(last) => Ok(last.ident.to_string()),
            None => Err(too_hard(expr)),
        },
        Expr::Lit(ExprLit { lit: Lit::Int(number), .. }) => Ok(number.base10_digits().to_owned()),
        Expr::Lit(ExprLit { lit: Lit::Bool(value), .. }) => Ok(value.value.to_string()),
        Expr::Lit(ExprLit { lit: Lit::Str(text), .. }) => Ok(format!("{:?}", text.value())),
        Expr::Paren(inner) if matches!(*inner.expr, Expr::MethodCall(_)) => expression(&inner.expr),
        Expr::Paren(inner) => Ok(format!("({})", expression(&inner.expr)?)),
        Expr::Group(inner) => expression(&inner.expr),
        Expr::Reference(inner) => expression(&inner.expr),
        Expr::Cast(cast) => expression(&cast.expr),
        Expr::Unary(ExprUnary { op: UnOp::Deref(_), expr, .. }) => expression(expr),
        Expr::Unary(ExprUnary { op: UnOp::Not(_), expr, .. }) => Ok(format!("not {}", expression(expr)?)),
        Expr::Unary(ExprUnary { op: UnOp::Neg(_), expr, .. }) => Ok(format!("-{}", expression(expr)?)),
        Expr::Binary(binary) => {
            let op = operator(&binary.op).ok_or_else(|| too_hard(expr))?;
            Ok(format!("{} {op} {}", expression(&binary.left)?, expression(&binary.right)?))
        }
        Expr::Field(ExprField { base, member: Member::Named(name), .. }) => {
            Ok(format!("{}.{name}", expression(base)?))
        }
        Expr::MethodCall(call) => method(call, &expression(&call.receiver)?).ok_or_else(|| too_hard(expr)),
        // A function without arguments is a constant.
        Expr::Call(call) if call.args.is_empty() => Ok(format!("{{{}}}", call.to_token_stream())),
        Expr::Call(call) => match (function(call), call.args.first()) {
            (Some(name), Some(arg)) if name == "len" => Ok(format!("{}.size", expression(arg)?)),
            (Some(name), Some(arg)) if name == "from" => expression(arg),
            _ => Err(too_hard(expr)),
        },
        _ => Err(too_hard(expr)),
    }
}

/// The text of a translated expression, with its constants evaluated when the schema is written.
pub fn text(words: &str) -> Result<TokenStream> {
    let mut pieces = words.split(['{', '}']);
    let mut format = pieces.next().unwrap_or_default().to_owned();
    let mut constants = Vec::new();
    while let (Some(constant), Some(piece)) = (pieces.next(), pieces.next()) {
        format = format + "{}" + piece;
        constants.push(syn::parse_str::<Expr>(constant)?);
    }
    if constants.is_empty() {
        return Ok(quote!(#words));
    }
    Ok(quote!({
        static TEXT: ::std::sync::LazyLock<::std::string::String> =
            ::std::sync::LazyLock::new(|| ::std::format!(#format, #(#constants),*));
        TEXT.as_str()
    }))
}

/// The name of a function of one argument.
fn function(call: &ExprCall) -> Option<&Ident> {
    match &*call.func {
        Expr::Path(path) if call.args.len() == 1 => path.path.segments.last().map(|last| &last.ident),
        _ => None,
    }
}

/// A method of something that has its words already.
fn method(call: &ExprMethodCall, receiver: &str) -> Option<String> {
    let name = call.method.to_string();
    match call.args.len() {
        0 => Some(match name.as_str() {
            "into" => receiver.to_owned(),
            "len" => format!("{receiver}.size"),
            // A schema is for sound files, in which a part is there as soon as bytes are.
            "is_present" => "true".into(),
            method => format!("{receiver}.{method}"),
        }),
        1 => affix(&name, receiver, &call.args[0]),
        _ => None,
    }
}

/// What a text is, or how it begins or ends; Kaitai knows only pieces by place.
fn affix(method: &str, text: &str, mut part: &Expr) -> Option<String> {
    while let Expr::Reference(inner) = part {
        part = &inner.expr;
    }
    let Expr::Lit(ExprLit { lit: Lit::Str(part), .. }) = part else { return None };
    let (part, len) = (part.value(), part.value().chars().count());
    let piece = match method {
        "eq" => return Some(format!("{text} == {part:?}")),
        "starts_with" => format!("{text}.substring(0, {len})"),
        "ends_with" => format!("{text}.substring({text}.length - {len}, {text}.length)"),
        _ => return None,
    };
    Some(format!("({text}.length >= {len} and {piece} == {part:?})"))
}

fn operator(op: &BinOp) -> Option<&'static str> {
    Some(match op {
        BinOp::Add(_) => "+",
        BinOp::Sub(_) => "-",
        BinOp::Mul(_) => "*",
        BinOp::Div(_) => "/",
        BinOp::Rem(_) => "%",
        BinOp::And(_) => "and",
        BinOp::Or(_) => "or",
        BinOp::BitXor(_) => "^",
        BinOp::BitAnd(_) => "&",
        BinOp::BitOr(_) => "|",
        BinOp::Shl(_) => "<<",
        BinOp::Shr(_) => ">>",
        BinOp::Eq(_) => "==",
        BinOp::Lt(_) => "<",
        BinOp::Le(_) => "<=",
        BinOp::Ne(_) => "!=",
        BinOp::Ge(_) => ">=",
        BinOp::Gt(_) => ">",
        _ => return None,
    })
}

fn too_hard(expr: &Expr) -> Error {
    Error::new(
        expr.span(),
        "the published schema has no words for this expression: keep to names, numbers, operators, `len(x)`, `x.into()` \
         and methods without arguments, or say it in Kaitai's words with #[schema(condition = \"..\")] or \
         #[schema(args(\"..\"))]",
    )
}
