//! Paths of the binary form in the XML form: `bones[0].translation.x` leads to its word.

use std::collections::HashMap;
use std::ops::ControlFlow::{Break, Continue};

use super::form::{Content, Field, Form};
use super::walk::{Place, Visitor, walk};
use super::{Document, Piece, plain};
use crate::schema::{
    FieldPath, Items, Location, NameTable, PathError, Record, Role, Step, Value, component, escape,
};
use crate::{Error, ErrorKind, Result};

/// Finds the tokens that spell a field of the binary form; `None` where the path begins with no field of it.
pub(in crate::formats::cal3d) fn resolve(
    document: &Document,
    form: &'static Form,
    path: &FieldPath,
) -> Option<Result<Vec<Location>>> {
    let Some(Step::Field(first)) = path.steps().first() else { return None };
    let is_own =
        document.all_fields(&mut |field, _| if field.name == first { Break(()) } else { Continue(()) });
    if is_own.is_break() {
        return None;
    }
    let nowhere = |why: PathError| Error::new(0, ErrorKind::Path(why)).at(path.clone());
    if let Err(why) = exists(form, path.steps()) {
        return Some(Err(nowhere(why)));
    }
    let search = || {
        let lists = names(document, form, path.steps())?;
        let mut search =
            Search { steps: path.steps(), lists, open: Vec::new(), deepest: 0, found: Vec::new() };
        if let Some(why) = search.ambiguous() {
            return Err(nowhere(why));
        }
        walk(document, form, None, &mut search)?;
        if search.found.is_empty() {
            return Err(nowhere(search.absent()));
        }
        Ok(search.found.into_iter().map(edit).collect())
    };
    Some(search())
}

/// The names in lists, by the paths of those.
type Lists = HashMap<Vec<Step>, NameTable>;

/// Returns the names in the lists from which a path selects by name.
fn names(document: &Document, form: &'static Form, steps: &[Step]) -> Result<Lists> {
    let mut names = Names { steps, lists: HashMap::new() };
    if steps.iter().any(|step| matches!(step, Step::Named(..))) {
        walk(document, form, None, &mut names)?;
    }
    Ok(names.lists)
}

struct Names<'s> {
    steps: &'s [Step],
    lists: Lists,
}

impl<'a> Visitor<'a> for Names<'_> {
    fn enter(&mut self, place: &Place<'_, 'a>, _: Option<&mut dyn Items>) -> Result<()> {
        if let Some((Step::Index(index), list)) = place.path.split_last()
            && matches!(self.steps.get(list.len()), Some(Step::Named(..)))
            && let Some(name) = name_of(place)
        {
            if !self.lists.contains_key(list) {
                self.lists.insert(list.to_vec(), NameTable::default());
            }
            self.lists.get_mut(list).expect("inserted").push(*index, name.as_bytes());
        }
        Ok(())
    }

    fn field(
        &mut self,
        _: &Place<'_, 'a>,
        _: Option<&mut dyn Value>,
        _: usize,
        _: &[Piece<'a>],
    ) -> Result<()> {
        Ok(())
    }
}

fn edit(piece: Piece<'_>) -> Location {
    let range = piece.token.range();
    Location { path: piece.path(), range: range.start as u64..range.end as u64, role: Role::Free }
}

/// Whether a path can lead somewhere in any file of the form.
pub(super) fn exists(form: &Form, steps: &[Step]) -> Result<(), PathError> {
    let Some((first, _)) = steps.split_first() else { return Ok(()) };
    let Step::Field(name) = first else { return Err(PathError::NotAList(form.name.to_string())) };
    let same = |field: &&Field| field.steps.iter().zip(steps).all(|(own, step)| own == step);
    let Some(field) = form.fields.iter().find(same) else {
        let names: Vec<_> =
            form.fields.iter().map(|field| FieldPath::from(field.steps.clone()).to_string()).collect();
        return Err(PathError::no_field(form.name, name, names.iter().map(String::as_str)));
    };
    let further = steps.get(field.steps.len()..).unwrap_or_default();
    match (&field.content, further) {
        (_, []) => Ok(()),
        (Content::Records(_) | Content::Rows(_), [Step::Field(name), ..]) => {
            Err(PathError::FieldOfList(name.to_string()))
        }
        (Content::Records(_) | Content::Rows(_), [Step::Inside, ..]) => Err(PathError::NotPacked),
        (Content::Records(_) | Content::Rows(_), [Step::FromEnd(_), ..]) => {
            Err("negative indices are not supported in XML files".into())
        }
        (Content::Records(inner), [_, further @ ..]) => exists(inner, further),
        (Content::Numbers(1), _) | (Content::Rows(1), [_, _, ..]) => {
            Err(format!("`{name}` has no parts").into())
        }
        (Content::Numbers(len), [step]) | (Content::Rows(len), [_, step]) => match word(step) {
            Some(nth) if nth < *len => Ok(()),
            None if *step == Step::Every => Ok(()),
            _ => Err(PathError::OutOfRange { step: Box::new(further[further.len() - 1].clone()), len: *len }),
        },
        (Content::Rows(_), [_]) => Ok(()),
        _ => Err(format!("`{name}` has no parts").into()),
    }
}

/// The word that a step selects, by index or component.
fn word(step: &Step) -> Option<usize> {
    match step {
        Step::Index(index) => Some(*index),
        Step::Field(name) if name.len() == 1 => component(name),
        _ => None,
    }
}

/// Collects the words that a path leads to.
struct Search<'s, 'a> {
    steps: &'s [Step],
    /// The names in the lists from which the path selects by name.
    lists: Lists,
    /// Whether the path leads into, or through, each of the open elements.
    open: Vec<bool>,
    /// The number of steps to the innermost element that the path leads into or through.
    deepest: usize,
    found: Vec<Piece<'a>>,
}

impl<'a> Visitor<'a> for Search<'_, 'a> {
    fn enter(&mut self, place: &Place<'_, 'a>, _: Option<&mut dyn Items>) -> Result<()> {
        let is_within = self.open.last() != Some(&false) && self.leads_to(place);
        self.open.push(is_within);
        if is_within {
            self.deepest = self.deepest.max(place.path.len());
        }
        Ok(())
    }

    fn field(
        &mut self,
        place: &Place<'_, 'a>,
        _: Option<&mut dyn Value>,
        index: usize,
        words: &[Piece<'a>],
    ) -> Result<()> {
        if self.open.last() != Some(&true) {
            return Ok(());
        }
        let row = place.row.map(Step::Index);
        let own = place.form.fields[index].steps.iter().chain(&row);
        let mut steps = self.steps.get(place.path.len()..).unwrap_or_default().iter();
        // A path to the record, or to all rows, ends early.
        if !own.zip(steps.by_ref()).all(|(own, step)| fits(step, own)) {
            return Ok(());
        }
        match steps.as_slice() {
            [step] if *step != Step::Every => self.found.extend(word(step).and_then(|nth| words.get(nth))),
            _ => self.found.extend(words),
        }
        Ok(())
    }

    fn leave(&mut self, _: &Place<'_, 'a>, _: Option<&mut dyn Value>, _: &[usize]) -> Result<()> {
        self.open.pop();
        Ok(())
    }
}

impl<'a> Search<'_, 'a> {
    /// The error for a path that leads to no word: a field of an element that has no value, or an element that does not exist.
    fn absent(&self) -> PathError {
        let why = "is not present in this file".to_owned();
        let further = self.steps.get(self.deepest..).unwrap_or_default();
        if further.iter().any(Step::is_selector) { why.into() } else { PathError::NoValues(why) }
    }

    /// The error for a name in the path that could be that of several elements.
    fn ambiguous(&self) -> Option<PathError> {
        self.lists.iter().find_map(|(list, names)| match self.steps.get(list.len()) {
            Some(Step::Named(name, _)) => {
                Some(PathError::ambiguous(name, &names.find(name.as_bytes()).err()?))
            }
            _ => None,
        })
    }

    /// Whether the path leads into or through an element, given that it does so for those around it.
    fn leads_to(&self, place: &Place<'_, 'a>) -> bool {
        let Some(last) = place.path.len().checked_sub(1) else { return true };
        let mut pairs = self.steps.iter().zip(place.path).take(last);
        if !pairs.all(|(step, own)| fits(step, own)) {
            return false;
        }
        match self.steps.get(last) {
            Some(Step::Named(name, nth)) => {
                let found =
                    self.lists.get(&place.path[..last]).and_then(|list| list.find(name.as_bytes()).ok());
                let chosen = found.and_then(|all| all.get(nth.saturating_sub(1)));
                chosen.is_some_and(|index| place.path[last] == Step::Index(*index))
            }
            Some(Step::Matching(pattern)) => name_of(place).is_some_and(|own| pattern.matches(&own)),
            Some(step) => fits(step, &place.path[last]),
            None => true,
        }
    }
}

/// Whether a step of a path is this one; names have been decided by the element itself.
fn fits(step: &Step, own: &Step) -> bool {
    match (step, own) {
        (Step::Every | Step::Named(..) | Step::Matching(_), _) => true,
        (Step::Range(start, end), Step::Index(index)) => index >= start && end.is_none_or(|end| *index < end),
        _ => step == own,
    }
}

/// What a person knows a record by: the attribute of its field `name`.
pub(super) fn name_of(place: &Place<'_, '_>) -> Option<String> {
    let own = place.form.fields.iter().find(|field| field.steps == [Step::from("name")])?;
    let words = place.element.attributes().find(|(name, _)| own.is_attribute(name))?.1;
    Some(escape(&plain(words.first()?.token.bytes)))
}
