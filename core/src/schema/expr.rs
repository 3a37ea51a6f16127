//! Expressions over the fields of a record: when a field is present, how many elements a list has, what a shape depends on.

use std::fmt;

/// An expression over the fields and parameters of a record. It displays in Kaitai's language.
///
/// ```
/// use bindpose::schema::{Expr, Op};
/// let condition = Expr::Binary(Op::Ge, &Expr::Name("version"), &Expr::Int(12));
/// assert_eq!(condition.to_string(), "version >= 12");
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Expr {
    /// A field or a parameter of the record, or `_index`: the index of the element in its list.
    Name(&'static str),
    /// A number.
    Int(i64),
    /// A number that is displayed in hexadecimal: a mask or a magic.
    Hex(i64),
    /// `true` or `false`.
    Bool(bool),
    /// A text.
    Text(&'static str),
    /// A field of a record, or a named bit of a flag word.
    Member(&'static Self, &'static str),
    /// An element of a list.
    Index(&'static Self, &'static Self),
    /// The number of elements of a list.
    Len(&'static Self),
    /// The text of a byte string, up to its first NUL.
    Ascii(&'static Self),
    /// Whether a text starts with another.
    StartsWith(&'static Self, &'static str),
    /// Whether a text ends with another.
    EndsWith(&'static Self, &'static str),
    /// Logical negation.
    Not(&'static Self),
    /// The negative number.
    Neg(&'static Self),
    /// Two operands.
    Binary(Op, &'static Self, &'static Self),
    /// The second where the first holds, otherwise the third.
    If(&'static Self, &'static Self, &'static Self),
    /// Parentheses, kept as the definition has them.
    Group(&'static Self),
}

/// A binary operator.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(missing_docs, reason = "the operators of Rust, by the names of their traits")]
pub enum Op {
    Add,
    Sub,
    Mul,
    Div,
    Rem,
    And,
    Or,
    BitXor,
    BitAnd,
    BitOr,
    Shl,
    Shr,
    Eq,
    Ne,
    Lt,
    Le,
    Gt,
    Ge,
}

impl Op {
    /// Returns the operator in Kaitai's language.
    pub(crate) const fn symbol(self) -> &'static str {
        match self {
            Self::Add => "+",
            Self::Sub => "-",
            Self::Mul => "*",
            Self::Div => "/",
            Self::Rem => "%",
            Self::And => "and",
            Self::Or => "or",
            Self::BitXor => "^",
            Self::BitAnd => "&",
            Self::BitOr => "|",
            Self::Shl => "<<",
            Self::Shr => ">>",
            Self::Eq => "==",
            Self::Ne => "!=",
            Self::Lt => "<",
            Self::Le => "<=",
            Self::Gt => ">",
            Self::Ge => ">=",
        }
    }
}

impl fmt::Display for Expr {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(&self.display(&|_| false))
    }
}

impl Expr {
    /// Returns itself: `derive(Schema)` publishes a constant `X` in a condition or an argument as `X.expr()`.
    #[must_use]
    pub const fn expr(self) -> Self {
        self
    }

    /// Returns the expression in Kaitai's language. Where `is_type` indicates that the type of a field is written by hand, the
    /// field's number is the instance `value` of that type.
    pub(crate) fn display(&self, is_type: &dyn Fn(&str) -> bool) -> String {
        let text = |expr: &Self| expr.display(is_type);
        // A member of such a type is named in full.
        let owner = |expr: &Self| expr.display(&|_| false);
        match self {
            Self::Name(name) if is_type(name) => format!("{name}.value"),
            Self::Name(name) => (*name).into(),
            Self::Int(number) => number.to_string(),
            Self::Hex(number) => format!("{number:#x}"),
            Self::Bool(value) => value.to_string(),
            Self::Text(text) => format!("{text:?}"),
            Self::Member(record, name) => format!("{}.{name}", owner(record)),
            Self::Index(list, index) => format!("{}[{}]", owner(list), text(index)),
            Self::Len(list) => format!("{}.size", owner(list)),
            Self::Ascii(bytes) => format!("{}.to_s(\"ASCII\")", owner(bytes)),
            Self::StartsWith(whole, part) => {
                let (whole, len) = (owner(whole), part.len());
                format!("({whole}.length >= {len} and {whole}.substring(0, {len}) == {part:?})")
            }
            Self::EndsWith(whole, part) => {
                let (whole, len) = (owner(whole), part.len());
                let end = format!("{whole}.substring({whole}.length - {len}, {whole}.length)");
                format!("({whole}.length >= {len} and {end} == {part:?})")
            }
            Self::Not(inner) => format!("not {}", text(inner)),
            Self::Neg(inner) => format!("-{}", text(inner)),
            Self::Binary(op, left, right) => format!("{} {} {}", text(left), op.symbol(), text(right)),
            Self::If(condition, then, other) => {
                format!("{} ? {} : {}", text(condition), text(then), text(other))
            }
            Self::Group(inner) => format!("({})", text(inner)),
        }
    }
}
