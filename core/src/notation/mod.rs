//! Shapes in the notations of other tools.

pub mod imhex;
pub mod ksy;

use crate::schema::{Count, Expr, FieldShape, Length, RecordShape, Shape, is_layout};

/// Returns the lines of a documentation without its examples, which are in Rust, and without links.
fn prose(text: &str) -> Vec<String> {
    let mut inside = false;
    let mut lines: Vec<String> = text
        .lines()
        .filter(|line| {
            let fence = line.starts_with("```");
            inside ^= fence;
            !inside && !fence
        })
        .map(without_links)
        .collect();
    while lines.last().is_some_and(String::is_empty) {
        lines.pop();
    }
    lines
}

/// Removes the links of the Rust documentation, which have no target here.
fn without_links(line: &str) -> String {
    let mut line = line.replace("[`", "`");
    while let Some((at, len)) = line.find("`](").and_then(|at| Some((at, line[at..].find(')')?))) {
        line.replace_range(at + 1..=at + len, "");
    }
    line.replace("`]", "`")
}

/// Returns the fields that follow each other, and the parts at offsets.
fn published(record: &RecordShape) -> (Vec<&FieldShape>, Vec<&FieldShape>) {
    let is_placed = |field: &&FieldShape| matches!(field.shape, Shape::Placed(_));
    let published = record.fields.iter().filter(|field| field.shape.is_published());
    let (placed, mut fields): (Vec<_>, Vec<_>) = published.partition(is_placed);
    // The bytes between parts at offsets, and those after a layout, are not in a sequence.
    let is_last = |field: &&FieldShape| matches!(&field.shape, Shape::Record(record) if is_layout(record));
    fields.truncate(fields.iter().position(is_last).map_or(fields.len(), |last| last + 1));
    if !placed.is_empty() {
        fields.clear();
    }
    (fields, placed)
}

/// Returns the shape inside options and parts, its remaining arguments, and whether it is present only if bytes remain.
fn unwrapped<'a, A>(shape: &'a Shape, args: &'a [A]) -> (&'a Shape, &'a [A], bool) {
    match shape {
        Shape::Optional(inner) | Shape::Packed { stored: inner, .. } => unwrapped(inner, args),
        Shape::Part(inner) => {
            let (shape, args, _) = unwrapped(inner, args.get(1..).unwrap_or(&[]));
            (shape, args, true)
        }
        Shape::Placed(inner) => unwrapped(inner, args.get(2..).unwrap_or(&[])),
        Shape::Recursive(own) => unwrapped(own.shape(), args),
        shape => (shape, args, false),
    }
}

/// Returns the number directly before a list or text: the beginning of its name, its description, and its shape.
fn prefix(shape: &Shape) -> Option<(&'static str, &'static str, &Shape)> {
    match shape {
        Shape::List(_, Count::Prefix(counter) | Count::MaybeCounted(counter)) => {
            Some(("num", "Number of elements of", counter))
        }
        Shape::Bytes(Length::Prefix(counter) | Length::Ended(counter)) => {
            Some(("len", "Length in bytes of", counter))
        }
        _ => None,
    }
}

fn first(args: &[String]) -> &str {
    args.first().map_or("0", String::as_str)
}

/// A condition for a part at an offset.
enum Presence<'a> {
    /// The list has the element with this index.
    Element(&'a Expr, &'a Expr),
    /// The offset is not 0, which means that the file does not have the part.
    Offset(&'a Expr),
}

/// Returns the conditions for a part at an offset.
fn presence<'a>(offset: &'a Expr, record: &'a RecordShape) -> Vec<Presence<'a>> {
    let mut conditions = Vec::new();
    require(offset, record, &mut conditions);
    conditions.push(Presence::Offset(offset));
    conditions
}

/// Adds the conditions under which an expression has a value: the parts and the elements that it names exist.
fn require<'a>(expr: &'a Expr, record: &'a RecordShape, conditions: &mut Vec<Presence<'a>>) {
    match expr {
        Expr::Member(own, _) | Expr::Group(own) => require(own, record, conditions),
        Expr::Index(list, index) => {
            require(list, record, conditions);
            conditions.push(Presence::Element(list, index));
        }
        Expr::Name(name) => {
            let is_part = |own: &&FieldShape| own.name == *name && matches!(own.shape, Shape::Placed(_));
            let part = record.fields.iter().find(is_part).and_then(|own| own.args.first());
            conditions.extend(part.map_or_else(Vec::new, |own| presence(own, record)));
        }
        _ => {}
    }
}
