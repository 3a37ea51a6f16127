//! Parts that a file does not have, made present.

use std::ops::ControlFlow::Continue;

use super::append;
use super::edit::{items_mut, locate, nowhere, refused_at, set, value_mut};
use super::{EditError, Expr, FieldPath, FieldShape, Node, RecordShape, Role, Shape, Step, Value, leaves};
use crate::Result;

/// Makes what a path leads to present, with all that it stands in, and says what was made.
///
/// A choice takes the form that is named; it may be left out of the path where its form follows from the next step. A list
/// gets another element. What holds one value takes the one that is given, otherwise zeros. Lists in it that must be as
/// long as others grow to their length. With `before`, the parts of the file that stand before it are made present too.
///
/// What stands elsewhere and says that the value is there is not touched: see whether the file still reads back.
///
/// # Errors
/// [`ErrorKind::Path`](crate::ErrorKind::Path) when the path leads nowhere; [`ErrorKind::Value`](crate::ErrorKind::Value) when the value is
/// there already, or is none that can stand there.
pub fn create(
    root: &mut dyn Value,
    shape: &Shape,
    path: &FieldPath,
    value: Option<&str>,
    before: bool,
) -> Result<Vec<FieldPath>> {
    let mut creator = Creator { root, shape, path, at: Vec::new(), made: Vec::new(), before };
    let mut shape = shape;
    for step in path.steps() {
        shape = creator.enter(shape, step)?;
    }
    creator.finish(shape, value)?;
    fill_sisters(creator.root);
    Ok(creator.made)
}

/// Why what a path leads to cannot be made by itself, and what to do.
#[must_use]
pub fn not_alone(shape: &Shape, path: &FieldPath) -> String {
    let why = match condition_of(shape, path) {
        Some(condition) => format!("is there only where `{condition}`"),
        None => "cannot be there alone: what stands elsewhere says what the file holds".into(),
    };
    format!("{why}; print the file with to-json, change both, and read it with from-json")
}

/// When the field that a path leads to is there: the published condition, where there is one.
fn condition_of(shape: &Shape, path: &FieldPath) -> Option<&'static Expr> {
    let mut condition = None;
    let mut shape = bare(shape);
    for step in path.steps() {
        let found = match (shape, step) {
            (Shape::Record(record), Step::Field(name)) => Some(field(record, name)?),
            (Shape::Choice(choice), Step::Field(name)) => {
                Some(choice.fields.iter().find_map(|body| field_of(body, name))?)
            }
            _ => None,
        };
        condition = found.and_then(|field| field.condition);
        shape = match (shape, found) {
            (_, Some(field)) => bare(&field.shape),
            (Shape::List(item, _), None) => bare(item),
            _ => return None,
        };
    }
    condition
}

struct Creator<'a> {
    root: &'a mut dyn Value,
    shape: &'a Shape,
    path: &'a FieldPath,
    /// The way so far, without what the path leaves out.
    at: Vec<Step>,
    made: Vec<FieldPath>,
    /// Whether parts that stand before others are made as well.
    before: bool,
}

impl Creator<'_> {
    fn value(&mut self) -> Result<&mut dyn Value> {
        let at = FieldPath::from(self.at.clone());
        if value_mut(self.root, at.steps()).is_none() {
            locate(self.root, &at)?;
            return Err(self.refuse(not_alone(self.shape, self.path)));
        }
        value_mut(self.root, &self.at).ok_or_else(|| nowhere(&at, "leads nowhere"))
    }

    fn refuse(&self, why: impl Into<EditError>) -> crate::Error {
        refused_at(&self.at.clone().into(), why.into())
    }

    /// Makes what stands here, where it is not there.
    fn make(&mut self, form: Option<&str>) -> Result<()> {
        let made = self.value()?.create(form);
        made.map_err(|why| self.refuse(why))?;
        self.made.push(self.at.clone().into());
        Ok(())
    }

    fn is_absent(&mut self) -> Result<bool> {
        let value = self.value()?;
        Ok(value.choice().is_none()
            && !matches!(value.node(), Node::Record(_) | Node::Items(_) | Node::Leaf(_)))
    }

    /// Goes a step down, through all that the path leaves out.
    fn enter<'s>(&mut self, shape: &'s Shape, step: &Step) -> Result<&'s Shape> {
        match (shape, step) {
            (Shape::Written { of, .. }, _) => self.enter(of, step),
            (Shape::Optional(inner) | Shape::Part(inner), _) => {
                if self.is_absent()? {
                    self.make(None)?;
                }
                self.enter(inner, step)
            }
            (Shape::Record(record), Step::Field(name)) => self.enter_record(record, name),
            (Shape::Choice(choice), Step::Field(name)) => self.enter_choice(choice, name),
            (Shape::List(item, _), Step::Index(_)) => {
                self.at.push(step.clone());
                Ok(item)
            }
            (Shape::List(..), _) => Err(nowhere(self.path, "name one element by its index: [0]")),
            (_, Step::Index(_)) => {
                Err(nowhere(self.path, &format!("`{}` is no list", FieldPath::from(self.at.clone()))))
            }
            _ => Err(nowhere(self.path, "no such place can be created")),
        }
    }

    fn enter_record<'s>(&mut self, record: &'s RecordShape, name: &str) -> Result<&'s Shape> {
        let own = record.fields.iter().position(|field| field.name == name);
        let through = || record.fields.iter().position(|field| leads_to(&field.shape, name));
        let Some(index) = own.or_else(through) else {
            let names: Vec<_> = record.fields.iter().map(|field| field.name).collect();
            let why = format!("{} has no field `{name}`, but {}", record.name, names.join(", "));
            return Err(nowhere(self.path, &why));
        };
        if self.before && matches!(record.fields[index].shape, Shape::Part(_)) {
            self.make_before(&record.fields[..index])?;
        }
        let field = &record.fields[index];
        self.at.push(Step::Field(field.name.into()));
        if own.is_some() {
            Ok(&field.shape)
        } else {
            self.enter(&field.shape, &Step::Field(name.to_owned().into()))
        }
    }

    /// Parts follow each other: none is there without the one before.
    fn make_before(&mut self, fields: &[FieldShape]) -> Result<()> {
        for field in fields.iter().filter(|field| matches!(field.shape, Shape::Part(_))) {
            self.at.push(Step::Field(field.name.into()));
            if self.is_absent()? {
                self.make(None)?;
            }
            self.at.pop();
        }
        Ok(())
    }

    /// Stays where it is, in the form that has the field.
    fn enter_choice<'s>(&mut self, choice: &'s RecordShape, name: &str) -> Result<&'s Shape> {
        let value = self.value()?;
        let held = value.choice().map_or("", |held| held.name);
        let is_empty = value.size() == 0;
        let mut able = choice.fields.iter().filter(|body| field_of(body, name).is_some());
        let body = able.clone().find(|body| body.name == held).or_else(|| able.next());
        let Some(body) = body else {
            return Err(nowhere(self.path, &format!("no form of {} has a field `{name}`", choice.name)));
        };
        if body.name != held {
            if !is_empty {
                return Err(self.refuse(format!("is `{held}`; only `{}` has a field `{name}`", body.name)));
            }
            self.make(Some(body.name))?;
        }
        self.enter(&body.shape, &Step::Field(name.to_owned().into()))
    }

    /// Makes what the path leads to, and gives it its value.
    fn finish(&mut self, shape: &Shape, value: Option<&str>) -> Result<()> {
        if matches!(bare(shape), Shape::Choice(_)) {
            return self.make(value);
        }
        if self.is_absent()? {
            self.make(None)?;
        } else if matches!(self.value()?.node(), Node::Items(items) if !items.is_array()) {
            let list = self.at.clone().into();
            self.made.extend(append(self.root, &list)?);
            self.at = self.made.last().unwrap_or(&list).steps().to_vec();
        } else if self.made.is_empty() {
            return Err(self.refuse("is already there; without --create, PATH=VALUE sets it"));
        }
        value.map_or(Ok(()), |value| self.assign(value))
    }

    /// Sets the one value that stands here.
    fn assign(&mut self, text: &str) -> Result<()> {
        let mut free = Vec::new();
        let here = FieldPath::from(self.at.clone());
        let _ = leaves(self.value()?, &mut |place, _| {
            if place.role == Role::Free {
                free.push(here.join(&place.path));
            }
            Continue(())
        });
        match &free[..] {
            [path] => set(self.root, path, text).map(drop),
            [] => Err(self.refuse("has no value that could be given")),
            several => {
                let named: Vec<_> = several.iter().take(FEW).map(|path| format!("'{path}=..'")).collect();
                let named = named.join(" ");
                Err(self.refuse(format!("holds several values; type --create {} {named}", self.path)))
            }
        }
    }
}

/// So many values are told by their names.
const FEW: usize = 4;

/// The shape of what is there, if anything is.
fn bare(shape: &Shape) -> &Shape {
    match shape {
        Shape::Optional(inner) | Shape::Part(inner) | Shape::Written { of: inner, .. } => bare(inner),
        shape => shape,
    }
}

fn field<'a>(record: &'a RecordShape, name: &str) -> Option<&'a FieldShape> {
    record.fields.iter().find(|field| field.name == name)
}

/// The field of a body that is a record.
fn field_of<'a>(body: &'a FieldShape, name: &str) -> Option<&'a FieldShape> {
    match bare(&body.shape) {
        Shape::Record(record) => field(record, name),
        _ => None,
    }
}

/// Whether a path may leave out that this choice stands before the name.
fn leads_to(shape: &Shape, name: &str) -> bool {
    matches!(bare(shape), Shape::Choice(choice) if choice.fields.iter().any(|body| field_of(body, name).is_some()))
}

/// Lets the lists of the root's parts that are shorter than their same_length_as grow.
fn fill_sisters(root: &mut dyn Value) {
    let mut pairs = Vec::new();
    if let Node::Record(record) = root.node() {
        let _ = record.fields(&mut |field, value| {
            if let Node::Items(items) = value.node() {
                pairs.extend(field.same_length_as.iter().map(|peer| (*peer, items.len())));
            }
            Continue(())
        });
    }
    for (peer, len) in pairs {
        let Ok(path) = peer.parse() else { continue };
        let Some(items) = items_mut(root, FieldPath::steps(&path)) else { continue };
        while items.len() < len && items.insert(items.len()) {}
    }
}
