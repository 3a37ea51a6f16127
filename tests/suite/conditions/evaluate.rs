//! Evaluates published expressions over decoded values.

use std::borrow::Cow;
use std::ops::ControlFlow::Continue;

use bindpose::schema::{Bit, Class, Expr, Node, Op, Value};

/// A decoded value as an expression sees it.
#[derive(Clone, Debug, PartialEq)]
pub enum Operand {
    Int(i128),
    Bool(bool),
    Bytes(Vec<u8>),
    Flags(u64, &'static [Bit]),
    Record(Vec<(&'static str, Operand)>),
    Items(Vec<Operand>),
    /// A choice: the name of the body, and the body.
    Choice(&'static str, Box<Operand>),
    Absent,
    /// A number that is not an integer.
    Other,
}

impl Operand {
    pub fn of(value: &dyn Value) -> Self {
        match value.choice() {
            Some(choice) => {
                let body = choice.body.map_or(Self::Absent, Self::of);
                Self::Choice(choice.name, Box::new(body))
            }
            None => Self::of_node(value.node()),
        }
    }

    fn of_node(node: Node<'_>) -> Self {
        match node {
            Node::Absent | Node::Broken(_) => Self::Absent,
            Node::Leaf(leaf) => {
                let mut text = String::new();
                leaf.show(&mut text).expect("a text");
                let number = (leaf.class() == Class::Integer).then(|| text.parse().ok()).flatten();
                match (leaf.class(), number) {
                    (_, Some(number)) if leaf.bits().is_empty() => Self::Int(number),
                    (_, Some(number)) => Self::Flags(u64::try_from(number).expect("bits"), leaf.bits()),
                    (Class::Float | Class::Integer, None) => Self::Other,
                    _ => {
                        let mut bytes = Vec::new();
                        leaf.bytes(&mut bytes);
                        Self::Bytes(bytes)
                    }
                }
            }
            Node::Record(record) => {
                let mut fields = Vec::new();
                let _ = record.fields(&mut |field, value| {
                    fields.push((field.name, Self::of(value)));
                    Continue(())
                });
                Self::Record(fields)
            }
            Node::Items(items) => {
                let mut all = Vec::new();
                let _ = items.each(0, &mut |_, item| {
                    all.push(Self::of(item));
                    Continue(())
                });
                Self::Items(all)
            }
        }
    }

    pub fn int(&self) -> Result<i128, String> {
        match self {
            Self::Int(number) => Ok(*number),
            Self::Flags(word, _) => Ok((*word).into()),
            other => Err(format!("{other:?} is not a number")),
        }
    }

    pub fn truth(&self) -> Result<bool, String> {
        match self {
            Self::Bool(value) => Ok(*value),
            other => Err(format!("{other:?} is not a condition")),
        }
    }

    fn bytes(&self) -> Result<&[u8], String> {
        match self {
            Self::Bytes(bytes) => Ok(bytes),
            other => Err(format!("{other:?} is not a text")),
        }
    }

    fn member(&self, name: &str) -> Option<Self> {
        match self {
            Self::Record(fields) => field(fields, name).cloned(),
            Self::Choice(held, body) => match &**body {
                body if name == *held => Some(body.clone()),
                Self::Record(fields) => field(fields, name).cloned(),
                // The count before the body.
                Self::Items(items) if name.strip_prefix("num_") == Some(held) => {
                    Some(Self::Int(items.len() as i128))
                }
                _ => None,
            },
            Self::Flags(word, _) if name == "raw" => Some(Self::Int((*word).into())),
            Self::Flags(word, bits) => {
                let bit = bits.iter().find(|bit| bit.name == name)?;
                Some(if bit.width == 1 {
                    Self::Bool(bit.of(*word) != 0)
                } else {
                    Self::Int(bit.of(*word).into())
                })
            }
            // The number that a hand-written type has decoded.
            Self::Int(_) if name == "value" => Some(self.clone()),
            Self::Items(items) if name == "size" => Some(Self::Int(items.len() as i128)),
            _ => None,
        }
    }
}

fn field<'a>(fields: &'a [(&'static str, Operand)], name: &str) -> Option<&'a Operand> {
    fields.iter().find(|(own, _)| *own == name).map(|(_, value)| value)
}

/// Evaluates an expression where fields and parameters have these values.
pub fn evaluate<'a>(expr: &Expr, scope: &'a [(&'static str, Operand)]) -> Result<Cow<'a, Operand>, String> {
    let value = |expr: &Expr| evaluate(expr, scope);
    let owned = match expr {
        Expr::Name(name) => {
            return field(scope, name).map(Cow::Borrowed).ok_or_else(|| format!("`{name}` is not known"));
        }
        Expr::Group(inner) => return value(inner),
        Expr::If(condition, then, other) => {
            return if value(condition)?.truth()? { value(then) } else { value(other) };
        }
        Expr::Int(number) | Expr::Hex(number) => Operand::Int((*number).into()),
        Expr::Bool(value) => Operand::Bool(*value),
        Expr::Text(text) => Operand::Bytes(text.as_bytes().to_vec()),
        Expr::Member(record, name) => {
            let record = value(record)?;
            record.member(name).ok_or_else(|| format!("{record:?} has no `{name}`"))?
        }
        Expr::Index(list, index) => {
            let (list, index) = (value(list)?, value(index)?.int()?);
            let Operand::Items(items) = &*list else { return Err(format!("{list:?} is not a list")) };
            let item = usize::try_from(index).ok().and_then(|index| items.get(index));
            item.cloned().ok_or_else(|| format!("element {index} of {}", items.len()))?
        }
        Expr::Len(list) => match &*value(list)? {
            Operand::Items(items) => Operand::Int(items.len() as i128),
            Operand::Absent => Operand::Int(0),
            other => return Err(format!("{other:?} is not a list")),
        },
        Expr::Ascii(bytes) => Operand::Bytes(text(value(bytes)?.bytes()?).to_vec()),
        Expr::StartsWith(whole, part) => Operand::Bool(value(whole)?.bytes()?.starts_with(part.as_bytes())),
        Expr::EndsWith(whole, part) => Operand::Bool(value(whole)?.bytes()?.ends_with(part.as_bytes())),
        Expr::Not(inner) => Operand::Bool(!value(inner)?.truth()?),
        Expr::Neg(inner) => Operand::Int(-value(inner)?.int()?),
        Expr::Binary(Op::And, left, right) => Operand::Bool(value(left)?.truth()? && value(right)?.truth()?),
        Expr::Binary(Op::Or, left, right) => Operand::Bool(value(left)?.truth()? || value(right)?.truth()?),
        Expr::Binary(op @ (Op::Eq | Op::Ne), left, right) => {
            let (left, right) = (value(left)?, value(right)?);
            let equal = match (&*left, &*right) {
                (Operand::Bytes(left), Operand::Bytes(right)) => left == right,
                (left, right) => left.int()? == right.int()?,
            };
            Operand::Bool(equal == (*op == Op::Eq))
        }
        Expr::Binary(op, left, right) => calculate(*op, value(left)?.int()?, value(right)?.int()?),
    };
    Ok(Cow::Owned(owned))
}

/// The bytes before the first NUL.
fn text(bytes: &[u8]) -> &[u8] {
    bytes.split(|byte| *byte == 0).next().unwrap_or_default()
}

fn calculate(op: Op, left: i128, right: i128) -> Operand {
    Operand::Int(match op {
        Op::Add => left + right,
        Op::Sub => left - right,
        Op::Mul => left * right,
        Op::Div => left / right,
        Op::Rem => left % right,
        Op::BitXor => left ^ right,
        Op::BitAnd => left & right,
        Op::BitOr => left | right,
        Op::Shl => left << right,
        Op::Shr => left >> right,
        Op::Lt => return Operand::Bool(left < right),
        Op::Le => return Operand::Bool(left <= right),
        Op::Gt => return Operand::Bool(left > right),
        Op::Ge => return Operand::Bool(left >= right),
        Op::And | Op::Or | Op::Eq | Op::Ne => unreachable!("handled by the caller"),
    })
}
