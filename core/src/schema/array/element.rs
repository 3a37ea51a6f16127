//! The layout of an element of an array.

use super::{ArrayField, ArrayType};
use crate::schema::{
    Class, FieldPath, FieldValue, Items, Leaf, Node, PathError, Role, Value, find_field, find_item,
};

/// The layout of the values that a path selects.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Element {
    /// The lengths of fixed arrays that the path ends at.
    pub shape: Vec<usize>,
    pub fields: Vec<ArrayField>,
    /// The size of one element of these arrays.
    pub item_size: usize,
}

impl Element {
    /// Describes a value. `role` is that of the field it is part of.
    pub fn of(value: &dyn Value, path: &FieldPath, role: Role) -> Result<Self, PathError> {
        let mut layout = Layout { path, fields: Vec::new(), end: 0 };
        layout.add(value, String::new(), role)?;
        let mut element = Self { shape: Vec::new(), item_size: layout.end, fields: layout.fields };
        // An array of numbers is several elements.
        if let [field] = &mut element.fields[..]
            && field.name.is_empty()
        {
            element.shape = std::mem::take(&mut field.shape);
            element.item_size = field.kind.size();
        }
        Ok(element)
    }

    /// Returns the size of the whole value in the array.
    pub fn size(&self) -> usize {
        self.shape.iter().product::<usize>() * self.item_size
    }

    /// Returns whether the file has the same bytes.
    pub fn is_stored(&self) -> bool {
        self.fields.iter().all(|field| field.kind.is_stored())
    }

    /// Returns whether any of the values can be set.
    pub fn is_free(&self) -> bool {
        self.fields.iter().all(|field| field.role == Role::Free)
    }

    /// Returns the type at an offset in the value.
    pub fn kind_at(&self, offset: usize) -> Option<ArrayType> {
        let within = offset.checked_rem(self.item_size)?;
        self.fields.iter().rfind(|field| field.offset <= within).map(|field| field.kind)
    }

    /// Compares the layouts. Integers and floats in text are of one layout, which has floats.
    pub fn join(&mut self, other: &mut Self) -> bool {
        for (own, other) in self.fields.iter_mut().zip(&mut other.fields) {
            join(&mut own.kind, &mut other.kind);
            if own.role == Role::Free {
                own.role = other.role;
            }
            other.role = own.role;
        }
        self == other
    }
}

fn join(a: &mut ArrayType, b: &mut ArrayType) {
    if let (ArrayType::Integer, ArrayType::Float) | (ArrayType::Float, ArrayType::Integer) = (*a, *b) {
        (*a, *b) = (ArrayType::Float, ArrayType::Float);
    }
}

struct Layout<'p> {
    path: &'p FieldPath,
    fields: Vec<ArrayField>,
    end: usize,
}

impl Layout<'_> {
    fn add(&mut self, value: &dyn Value, name: String, role: Role) -> Result<(), PathError> {
        match value.node() {
            Node::Leaf(leaf) => {
                let kind = kind(leaf).ok_or_else(|| PathError::NotNumeric(self.at(&name)))?;
                self.fields.push(ArrayField { name, kind, shape: Vec::new(), offset: self.end, role });
                self.end += kind.size();
                Ok(())
            }
            Node::Record(record) => {
                let failed = find_field(record, |field, value| {
                    let dot = if name.is_empty() { "" } else { "." };
                    let role = if field.role == Role::Free { role } else { field.role };
                    self.add(value, format!("{name}{dot}{}", field.name), role).err()
                });
                failed.map_or(Ok(()), Err)
            }
            Node::Items(items) => self.items(items, &name, role),
            Node::Absent => Ok(()),
            Node::Broken(_) => Err(PathError::Damaged(self.path.clone())),
        }
    }

    /// Elements of one layout become a dimension of its fields; an array of records has fields for each of them.
    fn items(&mut self, items: &dyn Items, name: &str, role: Role) -> Result<(), PathError> {
        let (start, first) = (self.end, self.fields.len());
        let mut is_record = false;
        let failed = find_item(items, 0, |index, item| {
            is_record |= matches!(item.node(), Node::Record(_));
            let name = if is_record { format!("{name}[{index}]") } else { name.to_owned() };
            self.add(item, name, role).err()
        });
        failed.map_or(Ok(()), Err)?;
        if is_record {
            return Ok(());
        }
        let size = (self.end - start) / items.len().max(1);
        let Some((field, others)) = self.fields[first..].split_first_mut() else { return Ok(()) };
        let is_uniform = (1..).zip(others).all(|(index, other)| {
            join(&mut field.kind, &mut other.kind);
            *other == ArrayField { offset: field.offset + index * size, ..field.clone() }
        });
        if !is_uniform {
            return Err(PathError::Layouts(self.path.clone()));
        }
        field.shape.insert(0, items.len());
        self.fields.truncate(first + 1);
        Ok(())
    }

    fn at(&self, name: &str) -> FieldPath {
        self.path.join(&name.parse().unwrap_or_default())
    }
}

/// Returns the type of a leaf in an array; `None` for text of variable length that is not a number.
fn kind(leaf: &dyn Leaf) -> Option<ArrayType> {
    if let Some(scalar) = leaf.scalar() {
        return Some(ArrayType::Number(scalar));
    }
    match leaf.class() {
        Class::Integer | Class::Float | Class::Spelling => Some(match spelled_number(leaf)? {
            FieldValue::Int(_) => ArrayType::Integer,
            _ => ArrayType::Float,
        }),
        Class::Text if !leaf.is_field() => None,
        Class::Text | Class::Bytes | Class::Opaque => usize::try_from(leaf.size()).ok().map(ArrayType::Bytes),
        Class::Rest => None,
    }
}

/// Returns the number of a leaf that does not store it in a fixed size.
pub(super) fn spelled_number(leaf: &dyn Leaf) -> Option<FieldValue> {
    if leaf.scalar().is_some() || !matches!(leaf.class(), Class::Integer | Class::Float | Class::Spelling) {
        return None;
    }
    match leaf.field_value() {
        FieldValue::Int(number) => i64::try_from(number).ok().map(FieldValue::from),
        value @ (FieldValue::F32(_) | FieldValue::F64(_)) => Some(value),
        FieldValue::Text(text) => {
            let text = std::str::from_utf8(&text).ok()?;
            let integer = text.parse::<i64>().ok().map(FieldValue::from);
            integer.or_else(|| text.parse::<f64>().ok().map(FieldValue::from))
        }
        FieldValue::Bytes(_) => None,
    }
}
