//! Paths of the binary form in the XML form: `bones[0].translation.x` leads to its word.

use std::collections::{HashMap, HashSet};
use std::ops::ControlFlow::{Break, Continue};

use super::form::{Content, Field, Form};
use super::walk::{Place, Visitor, walk};
use super::{Document, Piece, plain};
use crate::schema::{
    Alias, FieldPath, Items, Location, NameTable, PathError, Record, Role, Step, Value, component, escape,
};
use crate::{Error, ErrorKind, Result};

/// Finds the tokens that spell fields of the binary form; `None` for each path that begins with no field of it.
pub(in crate::formats::cal3d) fn resolve(
    document: &Document,
    form: &'static Form,
    paths: &[FieldPath],
) -> Vec<Alias> {
    let mut all: Vec<Alias> = paths.iter().map(|path| refused(document, form, path)).collect();
    let sought: Vec<usize> = (0..paths.len()).filter(|nth| matches!(all[*nth], Some(Ok(_)))).collect();
    if sought.is_empty() {
        return all;
    }
    let selected: Vec<_> = sought.iter().map(|nth| &paths[*nth]).collect();
    let found = search(document, form, &selected);
    for (at, nth) in sought.into_iter().enumerate() {
        all[nth] = Some(match &found {
            Ok(found) => found[at].clone().map_err(|why| nowhere(&paths[nth], why)),
            Err(error) => Err(error.clone()),
        });
    }
    all
}

/// Returns why a path leads nowhere in any file of the form; `None` if it begins with no field of it.
fn refused(document: &Document, form: &Form, path: &FieldPath) -> Alias {
    let Some(Step::Field(first)) = path.steps().first() else { return None };
    let is_own =
        document.all_fields(&mut |field, _| if field.name == first { Break(()) } else { Continue(()) });
    let exists = || exists(form, path.steps()).map_err(|why| nowhere(path, why));
    is_own.is_continue().then(|| exists().map(|()| Vec::new()))
}

fn nowhere(path: &FieldPath, why: PathError) -> Error {
    Error::new(0, ErrorKind::Path(why)).at(path.clone())
}

/// Steps that lead to nothing.
const NOWHERE: &[Step] = &[Step::Inside];

/// The places that a path leads to.
type Found = std::result::Result<Vec<Location>, PathError>;

/// Finds what all paths lead to in one walk.
fn search(document: &Document, form: &'static Form, paths: &[&FieldPath]) -> Result<Vec<Found>> {
    let lists = names(document, form, paths)?;
    let by_index = paths.iter().map(|path| by_index(path.steps(), &lists));
    let by_index: Vec<std::result::Result<Vec<Step>, PathError>> = by_index.collect();
    let routes: Vec<_> = by_index.iter().map(|own| own.as_deref().unwrap_or(NOWHERE)).collect();
    let (found, deepest) = (vec![Vec::new(); routes.len()], vec![0; routes.len()]);
    let mut search = Search { routes, lists: &lists, open: Vec::new(), deepest, found };
    walk(document, form, None, &mut search)?;
    let found = search.found.into_iter().zip(search.deepest).zip(&by_index);
    let found = found.map(|((found, deepest), own)| match own {
        Err(why) => Err(why.clone()),
        Ok(steps) if found.is_empty() => Err(absent(&steps[deepest..])),
        Ok(_) => Ok(found.into_iter().map(edit).collect()),
    });
    Ok(found.collect())
}

/// The error for steps that lead to no word: a field of an element that has no value, or an element that does not exist.
fn absent(further: &[Step]) -> PathError {
    let why = "is not present in this file".to_owned();
    if further.iter().any(Step::is_selector) { why.into() } else { PathError::NoValues(why) }
}

/// The names in lists, by the paths of those.
type Lists = HashMap<Vec<Step>, NameTable>;

/// Returns the names in the lists from which paths select by name.
fn names(document: &Document, form: &'static Form, paths: &[&FieldPath]) -> Result<Lists> {
    let named = paths.iter().flat_map(|path| path.steps().iter().enumerate());
    let depths = named.filter(|(_, step)| matches!(step, Step::Named(..))).map(|(depth, _)| depth);
    let mut visitor = Names { depths: depths.collect(), lists: HashMap::new() };
    if !visitor.depths.is_empty() {
        walk(document, form, None, &mut visitor)?;
    }
    Ok(visitor.lists)
}

/// Returns the steps with indices in place of names in lists with one path.
fn by_index(steps: &[Step], lists: &Lists) -> std::result::Result<Vec<Step>, PathError> {
    let mut steps = steps.to_vec();
    for at in 0..steps.len() {
        let Step::Named(name, nth) = &steps[at] else { continue };
        let Some(names) = lists.get(&steps[..at]) else { continue };
        let found = names.find(name.as_bytes()).map_err(|why| PathError::ambiguous(name, &why))?;
        if let Some(index) = found.get(nth.saturating_sub(1)) {
            steps[at] = Step::Index(*index);
        }
    }
    Ok(steps)
}

struct Names {
    /// Where paths have names.
    depths: HashSet<usize>,
    lists: Lists,
}

impl<'a> Visitor<'a> for Names {
    fn enter(&mut self, place: &Place<'_, 'a>, _: Option<&mut dyn Items>) -> Result<()> {
        if let Some((Step::Index(index), list)) = place.path.split_last()
            && self.depths.contains(&list.len())
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

/// Collects the words that routes lead to.
struct Search<'s, 'a> {
    routes: Vec<&'s [Step]>,
    /// The names in the lists from which routes select by name.
    lists: &'s Lists,
    open: Vec<Open>,
    /// The number of steps of each route to the innermost element that it leads into or through.
    deepest: Vec<usize>,
    found: Vec<Vec<Piece<'a>>>,
}

/// An element whose fields are visited.
#[derive(Default)]
struct Open {
    /// The routes that lead into, or through, it.
    routes: Vec<usize>,
    /// Those routes by their step at a depth.
    by_depth: HashMap<usize, ByIndex>,
}

/// Routes by the element that they select.
#[derive(Default)]
struct ByIndex {
    indices: HashMap<usize, Vec<usize>>,
    /// Those that can select any.
    others: Vec<usize>,
}

impl Open {
    /// Returns the routes that can lead to an element of a list.
    fn into(&mut self, all: &[&[Step]], depth: usize, index: usize) -> Vec<usize> {
        let own = self.by_depth.entry(depth).or_insert_with(|| {
            let mut own = ByIndex::default();
            for route in &self.routes {
                match all[*route].get(depth) {
                    Some(Step::Index(index)) => own.indices.entry(*index).or_default().push(*route),
                    _ => own.others.push(*route),
                }
            }
            own
        });
        own.indices.get(&index).into_iter().chain([&own.others]).flatten().copied().collect()
    }
}

impl<'a> Visitor<'a> for Search<'_, 'a> {
    fn enter(&mut self, place: &Place<'_, 'a>, _: Option<&mut dyn Items>) -> Result<()> {
        let mut routes = match (self.open.last_mut(), place.path) {
            (Some(open), [.., Step::Index(index)]) => open.into(&self.routes, place.path.len() - 1, *index),
            (Some(open), _) => open.routes.clone(),
            (None, _) => (0..self.routes.len()).collect(),
        };
        routes.retain(|route| leads_to(self.routes[*route], self.lists, place));
        for route in &routes {
            let depth = place.path.len().min(self.routes[*route].len());
            self.deepest[*route] = self.deepest[*route].max(depth);
        }
        self.open.push(Open { routes, ..Open::default() });
        Ok(())
    }

    fn field(
        &mut self,
        place: &Place<'_, 'a>,
        _: Option<&mut dyn Value>,
        index: usize,
        words: &[Piece<'a>],
    ) -> Result<()> {
        let Some(open) = self.open.last_mut() else { return Ok(()) };
        let own = &place.form.fields[index].steps;
        let routes = match place.row {
            Some(row) => open.into(&self.routes, place.path.len() + own.len(), row),
            None => open.routes.clone(),
        };
        let row = place.row.map(Step::Index);
        for route in routes {
            let mut steps = self.routes[route].get(place.path.len()..).unwrap_or_default().iter();
            // A path to the record, or to all rows, ends early.
            if !own.iter().chain(&row).zip(steps.by_ref()).all(|(own, step)| fits(step, own)) {
                continue;
            }
            match steps.as_slice() {
                [step] if *step != Step::Every => {
                    self.found[route].extend(word(step).and_then(|nth| words.get(nth)));
                }
                _ => self.found[route].extend(words),
            }
        }
        Ok(())
    }

    fn leave(&mut self, _: &Place<'_, 'a>, _: Option<&mut dyn Value>, _: &[usize]) -> Result<()> {
        self.open.pop();
        Ok(())
    }
}

/// Whether a route leads into or through an element, given that it does so for those around it.
fn leads_to(route: &[Step], lists: &Lists, place: &Place<'_, '_>) -> bool {
    let Some(last) = place.path.len().checked_sub(1) else { return true };
    let mut pairs = route.iter().zip(place.path).take(last);
    if !pairs.all(|(step, own)| fits(step, own)) {
        return false;
    }
    match route.get(last) {
        Some(Step::Named(name, nth)) => {
            let found = lists.get(&place.path[..last]).and_then(|list| list.find(name.as_bytes()).ok());
            let chosen = found.and_then(|all| all.get(nth.saturating_sub(1)));
            chosen.is_some_and(|index| place.path[last] == Step::Index(*index))
        }
        Some(Step::Matching(pattern)) => name_of(place).is_some_and(|own| pattern.matches(&own)),
        Some(step) => fits(step, &place.path[last]),
        None => true,
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

/// The name that identifies a record: the attribute of its field `name`.
pub(super) fn name_of(place: &Place<'_, '_>) -> Option<String> {
    let own = place.form.fields.iter().find(|field| field.steps == [Step::from("name")])?;
    let words = place.element.attributes().find(|(name, _)| own.is_attribute(name))?.1;
    Some(escape(&plain(words.first()?.token.bytes)))
}
