//! Creates parts that a file does not have.

use std::ops::ControlFlow::Continue;

use super::append;
use super::edit::{items_mut, locate, nowhere, refused_at, set_text, value_mut};
use super::{
    EditError, Expr, FieldPath, FieldShape, Node, PathError, RecordShape, Role, Shape, Step, Value,
    each_field, leaves,
};
use crate::Result;

/// Creates the value at a path, and the parts that contain it, and returns the paths of what was created.
///
/// A choice gets the form that `value` names; the path may leave the choice out where the next step determines its form. A list
/// gets another element. A part with a single leaf gets `value`, or zeros. Lists in it that must have the same length as
/// others grow to that length. With `before`, the optional parts of the file before it are created as well.
///
/// Other fields that decide whether the value exists do not change: decode the encoded file to see that it is still read the
/// same way.
///
/// # Errors
/// [`ErrorKind::Path`](crate::ErrorKind::Path) when no such value can exist; [`ErrorKind::Value`](crate::ErrorKind::Value) when
/// it is already present, or `value` does not fit.
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
    fill_lists(creator.root);
    Ok(creator.made)
}

/// Returns why the value at a path cannot be created alone.
#[must_use]
pub fn not_alone(shape: &Shape, path: &FieldPath) -> EditError {
    EditError::Conditional { condition: condition_of(shape, path).map(ToString::to_string) }
}

/// Returns the published condition of a field.
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
    /// The steps so far, with those that the path leaves out.
    at: Vec<Step>,
    made: Vec<FieldPath>,
    /// Whether optional parts before others are created as well.
    before: bool,
}

impl Creator<'_> {
    fn value(&mut self) -> Result<&mut dyn Value> {
        let at = FieldPath::from(self.at.clone());
        if value_mut(self.root, at.steps()).is_none() {
            locate(self.root, &at)?;
            return Err(self.refuse(not_alone(self.shape, self.path)));
        }
        value_mut(self.root, &self.at).ok_or_else(|| nowhere(&at, "no value is stored here"))
    }

    fn refuse(&self, why: impl Into<EditError>) -> crate::Error {
        refused_at(&self.at.clone().into(), why.into())
    }

    /// Creates the value here.
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

    /// Takes a step down, through the parts that the path leaves out.
    fn enter<'s>(&mut self, shape: &'s Shape, step: &Step) -> Result<&'s Shape> {
        match (shape, step) {
            (Shape::Written { of, .. } | Shape::Region(of), _) => self.enter(of, step),
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
            (Shape::List(..), _) => Err(nowhere(self.path, "select one element by its index, such as `[0]`")),
            (Shape::Choice(choice), selector) if selector.is_selector() => self.enter_list(choice, selector),
            (_, selector) if selector.is_selector() => Err(self.not_a_list()),
            _ => Err(nowhere(self.path, "is neither an optional part nor a list")),
        }
    }

    fn enter_record<'s>(&mut self, record: &'s RecordShape, name: &str) -> Result<&'s Shape> {
        let own = record.fields.iter().position(|field| field.name == name);
        let through = || record.fields.iter().position(|field| leads_to(&field.shape, name));
        let Some(index) = own.or_else(through) else {
            let names = record.fields.iter().map(|field| field.name);
            return Err(nowhere(self.path, PathError::no_field(record.name, name, names)));
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

    /// Parts follow each other: none exists without the one before it.
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

    /// Enters the form of a choice that has the field.
    fn enter_choice<'s>(&mut self, choice: &'s RecordShape, name: &str) -> Result<&'s Shape> {
        let value = self.value()?;
        let held = value.choice().map_or("", |held| held.name);
        let is_empty = value.size() == 0;
        let mut able = choice.fields.iter().filter(|body| field_of(body, name).is_some());
        let body = able.clone().find(|body| body.name == held).or_else(|| able.next());
        let Some(body) = body else {
            return Err(nowhere(self.path, format!("no form of `{}` has a field `{name}`", choice.name)));
        };
        if body.name != held {
            if !is_empty {
                return Err(
                    self.refuse(format!("has the form `{held}`; only `{}` has a field `{name}`", body.name))
                );
            }
            self.make(Some(body.name))?;
        }
        self.enter(&body.shape, &Step::Field(name.to_owned().into()))
    }

    /// Enters the form that a choice has, which must be a list.
    fn enter_list<'s>(&mut self, choice: &'s RecordShape, selector: &Step) -> Result<&'s Shape> {
        let held = self.value()?.choice().map_or("", |held| held.name);
        match choice.fields.iter().find(|body| body.name == held) {
            Some(body) => self.enter(&body.shape, selector),
            None => Err(self.not_a_list()),
        }
    }

    fn not_a_list(&self) -> crate::Error {
        nowhere(self.path, PathError::NotAList(FieldPath::from(self.at.clone()).to_string()))
    }

    /// Creates the value that the path selects, and sets it.
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
            return Err(self.refuse(EditError::Present));
        }
        value.map_or(Ok(()), |value| self.assign(value))
    }

    /// Sets the only leaf here.
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
            [path] => set_text(self.root, path, text).map(drop),
            _ => Err(self.refuse(EditError::Several { leaves: free })),
        }
    }
}

/// Returns the shape of a value that is present.
fn bare(shape: &Shape) -> &Shape {
    match shape {
        Shape::Optional(inner)
        | Shape::Part(inner)
        | Shape::Region(inner)
        | Shape::Written { of: inner, .. } => bare(inner),
        Shape::Recursive(own) => bare(own.shape()),
        shape => shape,
    }
}

fn field<'a>(record: &'a RecordShape, name: &str) -> Option<&'a FieldShape> {
    record.fields.iter().find(|field| field.name == name)
}

/// Returns the field of a body that is a record.
fn field_of<'a>(body: &'a FieldShape, name: &str) -> Option<&'a FieldShape> {
    if let Shape::Record(record) = bare(&body.shape) { field(record, name) } else { None }
}

/// Returns whether a path may leave out this choice before the name.
fn leads_to(shape: &Shape, name: &str) -> bool {
    matches!(bare(shape), Shape::Choice(choice) if choice.fields.iter().any(|body| field_of(body, name).is_some()))
}

/// Extends the lists in the parts of the root that are shorter than the lists whose length they must have.
fn fill_lists(root: &mut dyn Value) {
    let mut pairs = Vec::new();
    if let Node::Record(record) = root.node() {
        each_field(record, |field, value| {
            if let Node::Items(items) = value.node() {
                pairs.extend(field.same_length_as.iter().map(|peer| (*peer, items.len())));
            }
        });
    }
    for (peer, len) in pairs {
        let Ok(path) = peer.parse() else { continue };
        let Some(items) = items_mut(root, FieldPath::steps(&path)) else { continue };
        while items.len() < len && items.insert(items.len()) {}
    }
}
