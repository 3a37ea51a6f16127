//! Finds the elements of an array: by their distance where lists have elements of fixed size, otherwise one by one.

use std::ops::ControlFlow::{Break, Continue};

use super::Dim;
use super::element::Element;
use crate::schema::edit::{All, nowhere};
use crate::schema::resolve::{Route, Selected, component_of, lead, resolve, resolve_one, select, value_at};
use crate::schema::{
    ElementAt, FieldPath, Items, Location, Node, PathError, Record, Role, Selection, Step, Value, at_index,
    find_field,
};
use crate::{ErrorKind, Result};

/// The elements of an array in a file.
pub(super) enum Found {
    /// The elements of lists.
    Lists(Lists),
    /// Leaves that an alias leads to.
    Leaves(Vec<Location>),
}

/// The elements that a path selects, one dimension for each list.
pub(super) struct Lists {
    /// The path without aliases, with a selector for each list.
    pub path: FieldPath,
    /// Where the path selects several elements.
    pub selectors: Vec<usize>,
    /// The dimensions; only those of the first elements unless all have a fixed size.
    pub dims: Vec<Dim>,
    /// The offset of the first element in the file; `None` if it is packed, or the distances between elements vary.
    pub start: Option<u64>,
    /// The layout of the first element, or of a blank one if there is none.
    pub element: Element,
}

/// Finds the elements of an array.
pub(super) fn find(root: &dyn Value, path: &FieldPath) -> Result<Found> {
    let path = match canonical(root, path)? {
        Ok(path) => path,
        Err(leaves) => return Ok(Found::Leaves(leaves)),
    };
    let lists = Lists {
        path: FieldPath::root(),
        selectors: Vec::new(),
        dims: Vec::new(),
        start: Some(0),
        element: Element::default(),
    };
    let mut probe = Probe { lists, role: Role::Free };
    probe.value(root, path.steps()).map_err(|why| nowhere(&path, why))?;
    Ok(Found::Lists(probe.lists))
}

/// Returns the path without an alias, or the leaves that an alias leads to.
fn canonical(root: &dyn Value, path: &FieldPath) -> Result<Result<FieldPath, Vec<Location>>> {
    let Some((first, further)) = path.steps().split_first() else { return Ok(Ok(path.clone())) };
    match root.alias(&vec![first.clone()].into()) {
        None => return Ok(Ok(path.clone())),
        Some(Ok(places)) => {
            if let [place] = &places[..]
                && has_parts(root, &place.path)
            {
                return Ok(Ok(place.path.join(&further.to_vec().into())));
            }
        }
        Some(Err(_)) => {}
    }
    let mut path = path.clone();
    loop {
        match root.alias(&path) {
            None => return Ok(Ok(path)),
            Some(Ok(places)) => return Ok(Err(places)),
            Some(Err(error)) => path = all_elements(&path, error.kind()).ok_or(error)?,
        }
    }
}

fn has_parts(root: &dyn Value, path: &FieldPath) -> bool {
    value_at(root, path, |value| !matches!(value.node(), Node::Leaf(_))) == Some(true)
}

/// Returns the path with `[*]` after the list that it names without a selector.
fn all_elements(path: &FieldPath, why: &ErrorKind) -> Option<FieldPath> {
    let ErrorKind::Path(PathError::FieldOfList(name)) = why else { return None };
    let mut steps = path.steps().to_vec();
    let is_bare = |pair: &[Step]| matches!(pair, [Step::Field(_), Step::Field(next)] if next == name);
    let at = steps.windows(2).position(is_bare)?;
    steps.insert(at + 1, Step::Every);
    Some(steps.into())
}

/// Follows a path through the first selected element of each list.
struct Probe {
    lists: Lists,
    role: Role,
}

impl Probe {
    fn value(&mut self, value: &dyn Value, steps: &[Step]) -> Result<(), PathError> {
        if let (Some((Step::Inside, further)), Some(content)) = (steps.split_first(), value.inside()) {
            self.lists.path.push(Step::Inside);
            self.lists.start = None;
            return self.value(content, further);
        }
        let path = &self.lists.path;
        match value.node() {
            Node::Items(items) if !steps.is_empty() || !items.is_array() => self.items(items, steps),
            Node::Absent => Err(PathError::Absent(path.clone())),
            Node::Broken(_) => Err(PathError::Damaged(path.clone())),
            _ if steps.is_empty() => {
                self.lists.element = Element::of(value, path, self.role)?;
                Ok(())
            }
            Node::Record(record) => self.record(record, steps),
            Node::Leaf(_) | Node::Items(_) => Err(PathError::NoParts(path.clone())),
        }
    }

    fn record(&mut self, record: &dyn Record, steps: &[Step]) -> Result<(), PathError> {
        let lead = lead(record, steps.first()).map_err(|why| why())?;
        let (name, route) = (lead.field, lead.follow(Route { nth: 0, steps }));
        let result = find_field(record, |field, value| {
            if field.name != name {
                self.skip(value.size());
                return None;
            }
            self.lists.path.push(name.into());
            if field.role != Role::Free {
                self.role = field.role;
            }
            Some(self.value(value, route.steps))
        });
        result.unwrap_or(Ok(()))
    }

    fn items(&mut self, items: &dyn Items, steps: &[Step]) -> Result<(), PathError> {
        let is_bare = match steps.first() {
            None => true,
            Some(Step::Field(name)) => component_of(items, name).is_none(),
            Some(_) => false,
        };
        let (selection, further) = if is_bare {
            (Selection::Run(0..items.len()), steps)
        } else {
            (select(items, steps)?, &steps[1..])
        };
        let is_one = !is_bare && !steps[0].is_pattern();
        let (first, len) = match &selection {
            Selection::Run(run) => (run.start, run.len()),
            Selection::Set(set) => (set.first().copied().unwrap_or(0), set.len()),
        };
        let position = self.lists.path.steps().len();
        self.lists.path.push(if is_bare { Step::Every } else { steps[0].clone() });
        self.skip_items(items, first);
        if !is_one {
            let stride = items.item_size().filter(|_| matches!(selection, Selection::Run(_)));
            if stride.is_none() {
                self.lists.start = None;
            }
            self.lists.dims.push(Dim { len, stride: stride.unwrap_or(0) });
            self.lists.selectors.push(position);
        }
        let mut result = Ok(());
        let mut follow = |item: &dyn Value| result = self.value(item, further);
        if items.is_empty() {
            items.blank_item(&mut follow);
        } else {
            at_index(items, first, follow);
        }
        result
    }

    /// Skips the elements before one.
    fn skip_items(&mut self, items: &dyn Items, first: usize) {
        let (near, start) = items.seek(ElementAt::Index(first));
        self.skip(start as u64);
        let _ = items.each_at(near, start, &mut |index, item| {
            if index >= first {
                return Break(());
            }
            self.skip(item.size());
            Continue(())
        });
    }

    const fn skip(&mut self, bytes: u64) {
        if let Some(start) = &mut self.lists.start {
            *start += bytes;
        }
    }
}

/// Visits the elements in the order of the array.
pub(super) fn each(
    root: &dyn Value,
    found: &Found,
    visit: &mut dyn FnMut(&Location, &dyn Value),
) -> Result<()> {
    let mut visit = |at: &Location, selected: Selected<'_>| {
        if let Selected::Value(value) = selected {
            visit(at, value);
        }
    };
    match found {
        Found::Lists(Lists { dims, .. }) if dims.first().is_some_and(|dim| dim.len == 0) => Ok(()),
        Found::Lists(Lists { path, .. }) => {
            resolve_one(root, path, &mut visit).map_err(|why| nowhere(path, why))
        }
        Found::Leaves(places) => {
            let paths: Vec<_> = places.iter().map(|place| place.path.clone()).collect();
            resolve(root, &paths, &mut All(|_, at: &Location, selected: Selected<'_>| visit(at, selected)));
            Ok(())
        }
    }
}
