//! Prints the objects of a file.

use std::fmt::Write as _;

use super::lines::{WIDTH, broken, line};
use super::{counted, member_name};
use crate::formats::directx::convert::template_text;
use crate::formats::directx::syntax::fields::{Counts, Layout};
use crate::formats::directx::syntax::objects::{Child, Object, Objects};
use crate::formats::directx::syntax::template::{Member, MemberKind, Size, Template, definitions};
use crate::formats::directx::syntax::text::value;
use crate::formats::directx::syntax::values::ValueError;
use crate::formats::directx::syntax::writer::Number;
use crate::formats::directx::{Encoding, Guid, X};
use crate::json::quoted;
use crate::{Budget, Error, ErrorKind, LimitError, Result};

/// The indentation of the members of the content.
const INDENT: usize = 2;

/// Makes room for more text, and charges it. A text that is not empty at least doubles.
fn reserve(budget: &Budget, text: &mut String, more: usize) -> std::result::Result<(), LimitError> {
    let (capacity, needed) = (text.capacity(), text.len().saturating_add(more));
    if needed > capacity {
        let needed = needed.max(capacity.saturating_mul(2));
        budget.charge(needed as u64)?;
        text.reserve_exact(needed - text.len());
        budget.release(capacity as u64);
    }
    Ok(())
}

/// Returns the content of a file as JSON.
///
/// # Errors
/// Those of damage and of nesting; [`ErrorKind::Limit`] for more text than permitted; [`ErrorKind::Value`] for binary data, and for an encoding that is not known.
pub(in crate::formats) fn print(file: &X, budget: &Budget) -> Result<String> {
    if let Some(error) = crate::codec::damage(file) {
        return Err(error);
    }
    let objects = file.objects()?;
    if let Some(problem) = objects.problems().first() {
        return Err(problem.clone());
    }
    let Some(encoding) = Encoding::of(file).map(Encoding::name) else {
        return Err(Error::new(0, ErrorKind::Value("the encoding is unknown".into())));
    };
    let mut out = String::from("{");
    for (name, text) in [
        ("version", &file.version.0[..]),
        ("encoding", encoding.as_bytes()),
        ("float_size", &file.float_size.0[..]),
    ] {
        line(&mut out, INDENT);
        _ = write!(out, "\"{name}\": {},", quoted(text));
    }
    templates(&objects, &mut out)?;
    line(&mut out, INDENT);
    out.push_str("\"roots\": [");
    nodes(&objects, budget, &mut out)?;
    line(&mut out, INDENT - 1);
    out.push('}');
    Ok(out)
}

/// Prints the templates of the file as text.
fn templates(objects: &Objects<'_>, out: &mut String) -> Result<()> {
    let Some(tokens) = objects.tokens() else { return Ok(()) };
    let all = definitions(tokens);
    if all.is_empty() {
        return Ok(());
    }
    line(out, INDENT);
    out.push_str("\"templates\": [");
    for (index, (_, range)) in all.into_iter().enumerate() {
        if index > 0 {
            out.push(',');
        }
        line(out, INDENT + 1);
        let text = template_text(objects, range)?;
        let words: Vec<_> = text.split(u8::is_ascii_whitespace).filter(|word| !word.is_empty()).collect();
        out.push_str(&quoted(&words.join(&b' ')));
    }
    line(out, INDENT);
    out.push_str("],");
    Ok(())
}

/// Prints all objects and references, without recursion.
fn nodes(objects: &Objects<'_>, budget: &Budget, out: &mut String) -> Result<()> {
    // The indices after the last descendants of the open objects.
    let mut open: Vec<usize> = Vec::new();
    let mut is_first = true;
    let mut index = 0;
    loop {
        let depth = INDENT + 1 + 2 * open.len();
        reserve(budget, out, LINES)?;
        let Some((child, next)) = objects.child_at(index).filter(|_| open.last() != Some(&index)) else {
            if !is_first {
                line(out, depth - 1);
            }
            out.push(']');
            if open.pop().is_none() {
                return Ok(());
            }
            line(out, depth - 2);
            out.push('}');
            is_first = false;
            continue;
        };
        if !is_first {
            out.push(',');
        }
        line(out, depth);
        is_first = false;
        index += 1;
        match child {
            Child::Reference(own) => {
                let text = reference(own.name, own.guid);
                reserve(budget, out, text.len())?;
                out.push_str(&text);
            }
            Child::Object(object) => {
                let has_children = next > index;
                head(object, has_children, depth, (budget, out))?;
                if has_children {
                    open.push(next);
                    is_first = true;
                }
            }
        }
    }
}

fn reference(name: &[u8], guid: Option<Guid>) -> String {
    let guid = guid.map(|guid| format!(", \"guid\": \"{guid}\"")).unwrap_or_default();
    format!("{{\"reference\": {}{guid}}}", quoted(name))
}

/// The text of an object besides its names and values.
const LINES: usize = 256;

/// The memory of a list or an object in the values of one.
const GROUP: usize = 64;

/// Prints an object up to its children.
fn head(
    object: Object<'_>,
    has_children: bool,
    depth: usize,
    (budget, out): (&Budget, &mut String),
) -> Result<()> {
    let mut names = format!("\"template\": {}", quoted(object.template_name()));
    if !object.name().is_empty() {
        _ = write!(names, ", \"name\": {}", quoted(object.name()));
    }
    if let Some(guid) = object.guid() {
        _ = write!(names, ", \"guid\": \"{guid}\"");
    }
    let scope = budget.scope();
    let values = values(object, &scope)?;
    // Groups of values, and the lines that they are broken into.
    let groups = values.bytes().filter(|byte| matches!(byte, b'{' | b'[')).count();
    scope.charge((groups * GROUP) as u64)?;
    reserve(budget, out, LINES + names.len() + 2 * values.len())?;
    let is_short = !has_children && depth + names.len() + values.len() + 16 <= WIDTH;
    out.push('{');
    if !is_short {
        line(out, depth + 1);
    }
    out.push_str(&names);
    if values != "{}" && values != "[]" {
        out.push(',');
        if is_short {
            out.push(' ');
        } else {
            line(out, depth + 1);
        }
        out.push_str("\"values\": ");
        broken(&values, depth + 1, out);
    }
    if has_children {
        out.push(',');
        line(out, depth + 1);
        out.push_str("\"children\": [");
        return Ok(());
    }
    if !is_short {
        line(out, depth);
    }
    out.push('}');
    Ok(())
}

/// Returns the values of an object on one line: by the names of members, or as a list if they do not fit its template.
fn values(object: Object<'_>, budget: &Budget) -> Result<String> {
    if let Some(template) = object.template() {
        let layout = Layout::new(object.objects().templates(), object.values());
        let mut typed = Typed { layout, text: String::new(), budget, room: Ok(()) };
        let is_complete = typed.members(template, 0).is_ok() && typed.layout.values.is_at_end();
        typed.room?;
        if is_complete {
            return Ok(typed.text);
        }
    }
    untyped(object, budget)
}

/// The length of a number and what is beside it.
const NUMBER: usize = 64;

/// Prints values in the layout of their template.
struct Typed<'a> {
    layout: Layout<'a>,
    text: String,
    budget: &'a Budget,
    /// Whether the text is permitted.
    room: std::result::Result<(), LimitError>,
}

impl Typed<'_> {
    fn reserve(&mut self, more: usize) -> Result<(), ValueError> {
        self.room = reserve(self.budget, &mut self.text, more);
        if self.room.is_ok() { Ok(()) } else { Err(self.layout.values.expected("less text")) }
    }

    fn members(&mut self, template: &Template, depth: usize) -> Result<(), ValueError> {
        let mut counts = Counts::default();
        self.text.push('{');
        let start = self.text.len();
        for (index, member) in template.members.iter().enumerate() {
            self.layout.step()?;
            if member.counts {
                let number = self.layout.values.unsigned()?;
                counts.note(index, member, number);
                if counted(self.layout.templates, template, index).next().is_none() {
                    self.key(start, index, member)?;
                    self.text.push_str(&number.to_string());
                }
            } else if !self.layout.has_no_values(member, &counts) {
                self.key(start, index, member)?;
                self.array(member, &counts, &member.sizes, depth)?;
            } else if matches!(member.sizes[..], [Size::Member(_)]) && counts.of(member) == 0 {
                self.key(start, index, member)?;
                self.text.push_str("[]");
            }
        }
        self.text.push('}');
        Ok(())
    }

    fn key(&mut self, start: usize, index: usize, member: &Member) -> Result<(), ValueError> {
        if self.text.len() > start {
            self.text.push_str(", ");
        }
        let name = quoted(member_name(index, member).as_bytes());
        self.reserve(name.len() + NUMBER)?;
        self.text.push_str(&name);
        self.text.push_str(": ");
        Ok(())
    }

    fn array(
        &mut self,
        member: &Member,
        counts: &Counts,
        sizes: &[Size],
        depth: usize,
    ) -> Result<(), ValueError> {
        let Some((size, inner)) = sizes.split_first() else { return self.single(&member.kind, depth) };
        self.text.push('[');
        for index in 0..counts.size(*size) {
            if index > 0 {
                self.text.push_str(", ");
            }
            self.array(member, counts, inner, depth)?;
        }
        self.text.push(']');
        Ok(())
    }

    fn single(&mut self, kind: &MemberKind, depth: usize) -> Result<(), ValueError> {
        self.reserve(NUMBER)?;
        let values = &mut self.layout.values;
        match kind {
            MemberKind::Struct(name) => {
                let template = self.layout.enter(name, depth)?;
                return self.members(template, depth + 1);
            }
            MemberKind::Text => {
                let text = quoted(values.text()?);
                self.reserve(text.len())?;
                self.text.push_str(&text);
            }
            MemberKind::Float { .. } => match values.number()? {
                Number::Integer(number) => _ = write!(self.text, "{number}.0"),
                number => self.text.push_str(&float(&number)),
            },
            MemberKind::Integer { .. } => {
                self.text.push_str(&kind.with_sign(values.integer()?).to_string());
            }
        }
        Ok(())
    }
}

/// Returns values without a template as a list.
fn untyped(object: Object<'_>, budget: &Budget) -> Result<String> {
    let (mut values, mut all) = (object.values(), String::from("["));
    while !values.is_at_end() {
        let text = match values.next_text() {
            Some(text) => quoted(text),
            None => match values.number() {
                Ok(Number::Integer(number)) => number.to_string(),
                Ok(number) => float(&number),
                Err(_) => return Err(object.error(values.expected("a number or a string"))),
            },
        };
        reserve(budget, &mut all, text.len() + NUMBER)?;
        all.push_str(if all.len() > 1 { ", " } else { "" });
        all.push_str(&text);
    }
    all.push(']');
    Ok(all)
}

/// Returns a float with the digits that read back to the same number; the bits of one that is not finite.
fn float(number: &Number<'_>) -> String {
    match number {
        Number::Single(float) if float.is_finite() => format!("{float:?}"),
        Number::Single(float) => format!("\"{:#010x}\"", float.to_bits()),
        Number::Double(float) => double(*float),
        Number::Word(word) => double(value(word).unwrap_or_default()),
        Number::Integer(number) => number.to_string(),
    }
}

fn double(float: f64) -> String {
    if float.is_finite() { format!("{float:?}") } else { format!("\"{:#018x}\"", float.to_bits()) }
}
