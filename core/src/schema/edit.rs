//! Edits by path: reads and sets values, and nothing else changes.

use std::ops::ControlFlow::{self, Break, Continue};
use std::ops::Range;

use super::leaf::text_of;
use super::resolve::{Route, Selected, Visitor, resolve, resolve_one, value_at, word};
use super::{
    EditError, FieldPath, FieldValue, Identity, Items, Leaf, Node, NodeMut, PathError, Place, Role, Step,
    Value, bytes_of, find_field, find_of_all, parse_hex,
};
use crate::error::shortened;
use crate::wire::allocated;
use crate::{Budget, Error, ErrorKind, Limits, Result};

/// A place in a file that a path selects: a leaf, a list, a record, or named bits.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Location {
    /// The path without aliases and patterns; bits of a flag word keep their name as the last step.
    pub path: FieldPath,
    /// The bytes in the file. For packed content, those of the packed value.
    pub range: Range<u64>,
    /// What the value decides.
    pub role: Role,
}

/// Returns the places that a path selects: one, or several where it [is a pattern](FieldPath::is_pattern).
///
/// # Errors
/// [`ErrorKind::Path`] when it selects nothing.
pub fn locate(root: &dyn Value, path: &FieldPath) -> Result<Vec<Location>> {
    locate_many(root, std::slice::from_ref(path)).pop().unwrap_or_else(|| Ok(Vec::new()))
}

/// Returns what [`locate`] returns for each path, all in one pass through each list. The memory is not limited: see
/// [`locate_many_within`].
#[must_use]
pub fn locate_many(root: &dyn Value, paths: &[FieldPath]) -> Vec<Result<Vec<Location>>> {
    locate_many_within(root, paths, &unlimited())
}

/// As [`locate_many`], within a budget, to which the places remain charged. For a path that selects more places than fit into it,
/// the error is of kind [`Limit`](ErrorKind::Limit).
#[must_use]
pub fn locate_many_within(
    root: &dyn Value,
    paths: &[FieldPath],
    budget: &Budget,
) -> Vec<Result<Vec<Location>>> {
    let mut places = Places { budget, numbers: Vec::new(), found: vec![Ok(Vec::new()); paths.len()] };
    let aliases = root.each_alias(paths, budget, &mut |nth, place| places.add(nth, &place));
    let own: Vec<usize> = (0..paths.len()).filter(|nth| aliases[*nth].is_none()).collect();
    if own.len() == paths.len() {
        resolve(root, paths, &mut places);
    } else if !own.is_empty() {
        let selected: Vec<_> = own.iter().map(|nth| paths[*nth].clone()).collect();
        places.numbers = own;
        resolve(root, &selected, &mut places);
    }
    let all = aliases.into_iter().zip(places.found).zip(paths);
    let located = all.map(|((alias, found), path)| match (alias, found) {
        (Some(Err(error)), _) => Err(error),
        (_, Err(ErrorKind::Path(why))) => Err(nowhere(path, why)),
        (_, Err(other)) => Err(Error::new(0, other)),
        (_, Ok(places)) => Ok(places),
    });
    located.collect()
}

/// Visits the places that a path selects, in the order of the file, without collecting them. What it needs in the meantime is
/// charged to the budget.
///
/// # Errors
/// [`ErrorKind::Path`] when it selects nothing; [`ErrorKind::Limit`] when the budget does not suffice.
pub fn each_location(
    root: &dyn Value,
    path: &FieldPath,
    budget: &Budget,
    visit: &mut dyn FnMut(Location),
) -> Result<()> {
    let temporary = budget.scope();
    let alias = root.each_alias(std::slice::from_ref(path), &temporary, &mut |_, place| visit(place)).pop();
    match alias.flatten() {
        Some(visited) => visited,
        None => resolve_one(root, path, &mut |at, _| visit(at.clone())).map_err(|why| nowhere(path, why)),
    }
}

fn unlimited() -> Budget {
    Budget::of(&Limits::none(), 0)
}

/// The places of each path, or the first reason why there are none.
struct Places<'b> {
    budget: &'b Budget,
    /// The numbers of the paths among all; empty if they are the same.
    numbers: Vec<usize>,
    found: Vec<std::result::Result<Vec<Location>, ErrorKind>>,
}

impl Places<'_> {
    fn add(&mut self, nth: usize, at: &Location) {
        let own = &mut self.found[nth];
        if matches!(own, Err(ErrorKind::Path(_))) {
            *own = Ok(Vec::new());
        }
        let Ok(places) = own else { return };
        let charged = self.budget.reserve(places, 1).and_then(|()| self.budget.charge(at.path.memory()));
        match charged {
            Ok(()) => places.push(at.clone()),
            Err(why) => *own = Err(ErrorKind::Limit(why)),
        }
    }

    fn number(&self, nth: usize) -> usize {
        self.numbers.get(nth).copied().unwrap_or(nth)
    }
}

impl Visitor for Places<'_> {
    fn found(&mut self, nth: usize, at: &Location, _: Selected<'_>) {
        self.add(self.number(nth), at);
    }
    fn missing(&mut self, nth: usize, _: &Location, why: &dyn Fn() -> PathError) {
        let nth = self.number(nth);
        if self.found[nth].as_ref().is_ok_and(Vec::is_empty) {
            self.found[nth] = Err(ErrorKind::Path(why()));
        }
    }
}

/// Returns the place that each path selects, all in one pass through each list.
///
/// # Errors
/// [`ErrorKind::Path`] when one of them leads to nothing, or to several places.
pub fn locate_each(root: &dyn Value, paths: &[FieldPath]) -> Result<Vec<Location>> {
    let all = locate_many(root, paths).into_iter().zip(paths);
    let one = |(found, path): (Result<Vec<Location>>, _)| {
        let mut found = found?;
        let count = found.len();
        found.pop().filter(|_| count == 1).ok_or_else(|| nowhere(path, PathError::NotOneValue(count)))
    };
    all.map(one).collect()
}

/// Returns the values at a path by their types. A record or a list gives all its leaves.
///
/// # Errors
/// [`ErrorKind::Path`] when it selects nothing.
pub fn get_all(root: &dyn Value, path: &FieldPath) -> Result<Vec<(FieldPath, FieldValue)>> {
    get_each(root, std::slice::from_ref(path)).map(|all| all.concat())
}

/// As [`get_all`], for each path, all in one pass through each list.
///
/// # Errors
/// As there, for the first path that selects nothing.
pub fn get_each(root: &dyn Value, paths: &[FieldPath]) -> Result<Vec<Values<FieldValue>>> {
    get_each_within(root, paths, &unlimited())
}

/// As [`get_each`], within a budget, to which the values remain charged.
///
/// # Errors
/// As there; [`ErrorKind::Limit`] when the budget does not suffice.
pub fn get_each_within(
    root: &dyn Value,
    paths: &[FieldPath],
    budget: &Budget,
) -> Result<Vec<Values<FieldValue>>> {
    let memory = |value: &FieldValue| match value {
        FieldValue::Text(bytes) | FieldValue::Bytes(bytes) => allocated(bytes.len()),
        _ => 0,
    };
    read(root, paths, budget, (&|leaf| leaf.field_value(), &FieldValue::from), &memory)
}

/// Visits the values at a path by their types, in the order of the file, without collecting them. What it needs in the meantime is
/// charged to the budget.
///
/// # Errors
/// [`ErrorKind::Path`] when it selects nothing; [`ErrorKind::Limit`] when the budget does not suffice.
pub fn each_value(
    root: &dyn Value,
    path: &FieldPath,
    budget: &Budget,
    visit: &mut dyn FnMut(&FieldPath, FieldValue) -> ControlFlow<()>,
) -> Result<()> {
    stream(root, path, budget, (&|leaf| leaf.field_value(), &FieldValue::from), visit)
}

/// Returns the number of values that a path selects. What is needed in the meantime is charged to the budget.
///
/// # Errors
/// As [`each_value`].
pub fn num_values(root: &dyn Value, path: &FieldPath, budget: &Budget) -> Result<u64> {
    let mut count = 0;
    stream(root, path, budget, (&|_| (), &|_| ()), &mut |_, ()| {
        count += 1;
        Continue(())
    })?;
    Ok(count)
}

/// Returns the values at a path, in the spelling that [`set_text`] accepts. A record or a list gives all its leaves.
///
/// # Errors
/// [`ErrorKind::Path`] when it selects nothing.
pub fn get_text(root: &dyn Value, path: &FieldPath) -> Result<Vec<(FieldPath, String)>> {
    get_text_each(root, std::slice::from_ref(path)).map(|all| all.concat())
}

/// As [`get_text`], for each path, all in one pass through each list.
///
/// # Errors
/// As there, for the first path that selects nothing.
pub fn get_text_each(root: &dyn Value, paths: &[FieldPath]) -> Result<Vec<Values<String>>> {
    get_text_each_within(root, paths, &unlimited())
}

/// As [`get_text_each`], within a budget, to which the values remain charged.
///
/// # Errors
/// As there; [`ErrorKind::Limit`] when the budget does not suffice.
pub fn get_text_each_within(
    root: &dyn Value,
    paths: &[FieldPath],
    budget: &Budget,
) -> Result<Vec<Values<String>>> {
    let memory = |text: &String| allocated(text.capacity());
    read(root, paths, budget, (&|leaf| text_of(leaf), &|bits| bits.to_string()), &memory)
}

/// As [`each_value`], in the spelling that [`set_text`] accepts.
///
/// # Errors
/// As there.
pub fn each_text(
    root: &dyn Value,
    path: &FieldPath,
    budget: &Budget,
    visit: &mut dyn FnMut(&FieldPath, String) -> ControlFlow<()>,
) -> Result<()> {
    stream(root, path, budget, (&|leaf| text_of(leaf), &|bits| bits.to_string()), visit)
}

/// The values at a path, each with its own path.
type Values<T> = Vec<(FieldPath, T)>;

/// Places whose values are looked up at a time.
const AT_ONCE: usize = 1 << 14;

/// How leaves and named bits are read.
type Readers<'r, T> = (&'r dyn Fn(&dyn Leaf) -> T, &'r dyn Fn(u64) -> T);

/// The number of bytes that a value has on the heap.
type MemoryOf<'r, T> = &'r dyn Fn(&T) -> usize;

fn read<T>(
    root: &dyn Value,
    paths: &[FieldPath],
    budget: &Budget,
    (of_leaf, of_bits): Readers<'_, T>,
    memory: MemoryOf<'_, T>,
) -> Result<Vec<Values<T>>> {
    let (temporary, kept) = (budget.scope(), budget.scope());
    let located = locate_many_within(root, paths, &temporary).into_iter().collect::<Result<Vec<_>>>()?;
    let counts: Vec<_> = located.iter().map(Vec::len).collect();
    let mut canonical = Vec::new();
    temporary.reserve(&mut canonical, counts.iter().sum())?;
    canonical.extend(located.into_iter().flatten().map(|place| place.path));
    let mut numbers = counts.into_iter().enumerate().flat_map(|(nth, count)| std::iter::repeat_n(nth, count));
    let mut all: Vec<Values<T>> = paths.iter().map(|_| Vec::new()).collect();
    for places in canonical.chunks(AT_ONCE) {
        let mut found: Vec<Values<T>> = places.iter().map(|_| Vec::new()).collect();
        let mut charged = Ok(());
        let charge = |own: &mut Values<T>, path: &FieldPath, value: &T| {
            kept.reserve(own, 1)?;
            kept.charge(path.memory() + memory(value) as u64)
        };
        let mut keep = |own: &mut Values<T>, path: FieldPath, value: T| {
            if charged.is_ok() {
                charged = charge(own, &path, &value);
            }
            if charged.is_err() {
                return Break(());
            }
            own.push((path, value));
            Continue(())
        };
        let visit = |at: usize, place: &Location, selected: Selected<'_>| {
            let own = &mut found[at];
            match selected {
                Selected::Value(value) => {
                    let _ = super::leaves(value, &mut |inner, leaf| {
                        keep(own, place.path.join(&inner.path), of_leaf(leaf))
                    });
                }
                Selected::Bits(leaf, bit) => {
                    let _ = keep(own, place.path.clone(), of_bits(bit.of(word(leaf))));
                }
            }
        };
        resolve(root, places, &mut All(visit));
        charged?;
        for (mut values, nth) in found.into_iter().zip(numbers.by_ref()) {
            let own = &mut all[nth];
            if own.is_empty() {
                *own = values;
                continue;
            }
            let capacity = values.capacity();
            kept.reserve(own, values.len())?;
            own.append(&mut values);
            drop(values);
            kept.release(list_memory::<(FieldPath, T)>(capacity));
        }
    }
    kept.keep();
    Ok(all)
}

fn list_memory<T>(capacity: usize) -> u64 {
    allocated(capacity * size_of::<T>()) as u64
}

fn stream<T>(
    root: &dyn Value,
    path: &FieldPath,
    budget: &Budget,
    (of_leaf, of_bits): Readers<'_, T>,
    visit: &mut dyn FnMut(&FieldPath, T) -> ControlFlow<()>,
) -> Result<()> {
    let mut going = Continue(());
    let mut show = |place: &Location, selected: Selected<'_>| {
        if going.is_break() {
            return;
        }
        going = match selected {
            Selected::Value(value) => {
                let mut show =
                    |inner: &Place, leaf: &dyn Leaf| visit(&place.path.join(&inner.path), of_leaf(leaf));
                super::leaves(value, &mut show).map_continue(|_| ())
            }
            Selected::Bits(leaf, bit) => visit(&place.path, of_bits(bit.of(word(leaf)))),
        };
    };
    let temporary = budget.scope();
    let mut places = Vec::new();
    let mut look_up = |places: &mut Vec<FieldPath>| {
        resolve(root, places, &mut All(|_, at: &Location, selected: Selected<'_>| show(at, selected)));
        places.clear();
    };
    let alias = root.each_alias(std::slice::from_ref(path), &temporary, &mut |_, place| {
        places.push(place.path);
        if places.len() == AT_ONCE {
            look_up(&mut places);
        }
    });
    match alias.into_iter().next().flatten() {
        Some(found) => {
            found?;
            look_up(&mut places);
            Ok(())
        }
        None => {
            resolve_one(root, path, &mut |at, selected| show(at, selected)).map_err(|why| nowhere(path, why))
        }
    }
}

/// Calls a function with what paths select, and the number of the path.
pub(super) struct All<F>(pub F);

impl<F: FnMut(usize, &Location, Selected<'_>)> Visitor for All<F> {
    fn found(&mut self, nth: usize, at: &Location, selected: Selected<'_>) {
        (self.0)(nth, at, selected);
    }
}

/// Visits what a path selects, with its parts, in the order of the file.
///
/// ```
/// use bindpose::FileKind;
/// use bindpose::schema::{Node, Selected, select};
/// let file = FileKind::Ms3d.blank();
/// let mut len = None;
/// select(file.value(), &"vertices".parse()?, &mut |_, selected| {
///     if let Selected::Value(value) = selected
///         && let Node::Items(items) = value.node()
///     {
///         len = Some(items.len());
///     }
/// })?;
/// assert_eq!(len, Some(0));
/// # Ok::<(), bindpose::Error>(())
/// ```
///
/// # Errors
/// [`ErrorKind::Path`] when it selects nothing.
pub fn select(
    root: &dyn Value,
    path: &FieldPath,
    found: &mut dyn FnMut(&Location, Selected<'_>),
) -> Result<()> {
    match root.alias(path) {
        Some(places) => {
            let paths: Vec<_> = places?.into_iter().map(|place| place.path).collect();
            resolve(root, &paths, &mut All(|_, at: &Location, selected: Selected<'_>| found(at, selected)));
            Ok(())
        }
        None => resolve_one(root, path, found).map_err(|why| nowhere(path, why)),
    }
}

/// Visits the unpacked content of the values that a path selects, each with its path.
///
/// # Errors
/// [`ErrorKind::Path`] when the path selects nothing, or nothing that is packed.
pub fn unpacked(
    root: &dyn Value,
    path: &FieldPath,
    show: &mut dyn FnMut(&FieldPath, &dyn Value),
) -> Result<()> {
    let mut path = path.clone();
    if path.steps().last() != Some(&Step::Inside) {
        path.push(Step::Inside);
    }
    select(root, &path, &mut |at, selected| {
        if let Selected::Value(content) = selected {
            show(&at.path, content);
        }
    })
}

/// Sets every leaf that a path selects, and returns where they are.
///
/// # Errors
/// [`ErrorKind::Path`] when the path selects nothing; [`ErrorKind::Value`] when it selects no leaf, the value does not fit,
/// or the leaf decides how others are read. Some leaves may have been set by then: work on a copy where that matters.
pub fn set(root: &mut dyn Value, path: &FieldPath, value: &FieldValue) -> Result<Vec<Location>> {
    let places = allowed(root, path)?;
    if let Some(bytes) = rest_of_truncated(root, &places) {
        return if FieldValue::Bytes(bytes) == *value {
            Ok(places)
        } else {
            Err(refused(&places[0], EditError::Damaged))
        };
    }
    assign_places(root, &places, &|_, leaf, steps| match steps {
        [] => leaf.assign_value(value),
        steps => assign_bits(leaf, steps, &value.to_string()),
    })?;
    Ok(places)
}

/// As [`set`], from a spelling: a number, the bits of a float (`0x7f800001`), a text with `\xNN` for a byte and `\\` for
/// a backslash, or raw bytes (`hex:00ff`).
///
/// # Errors
/// As [`set`].
pub fn set_text(root: &mut dyn Value, path: &FieldPath, text: &str) -> Result<Vec<Location>> {
    let places = allowed(root, path)?;
    if let Some(bytes) = rest_of_truncated(root, &places) {
        let is_same = text.strip_prefix("hex:").and_then(parse_hex) == Some(bytes);
        return if is_same { Ok(places) } else { Err(refused(&places[0], EditError::Damaged)) };
    }
    let is_name = text.starts_with(|first: char| first.is_ascii_alphabetic());
    let of_place = |place: &Location| if is_name { case(root, place.path.steps(), text) } else { None };
    let cases: Vec<_> = places.iter().map(of_place).collect();
    assign_places(root, &places, &|nth, leaf, steps| {
        let text = cases[nth].as_deref().unwrap_or(text);
        match (steps, text.strip_prefix("hex:")) {
            // A file can contain what is refused as a new value, such as markup.
            ([], _) if text_of(leaf) == text => Ok(()),
            ([], Some(hex)) => leaf.assign_bytes(
                &parse_hex(hex).ok_or("`hex:` must be followed by pairs of hexadecimal digits")?,
            ),
            ([], None) => leaf.assign(text),
            (steps, _) => assign_bits(leaf, steps, text),
        }
    })?;
    Ok(places)
}

/// Returns the bytes of the value that a truncated file ends in, if the place is that of the rest of the file, which shows them.
fn rest_of_truncated(root: &dyn Value, places: &[Location]) -> Option<Vec<u8>> {
    let [place] = places else { return None };
    let ([Step::Field(name)], Node::Record(record)) = (place.path.steps(), root.node()) else { return None };
    let shown = find_field(record, |field, value| {
        let is_it = matches!(value.node(), Node::Leaf(leaf) if leaf.truncation().is_some());
        (is_it && field.name == name).then(|| bytes_of(value))
    });
    let stored = find_of_all(record, |field, value| (field.name == name).then(|| value.size()));
    shown.filter(|bytes| Some(bytes.len() as u64) != stored)
}

/// Returns the number of a case by its name, if the field at these canonical steps has cases.
fn case(value: &dyn Value, steps: &[Step], text: &str) -> Option<String> {
    let (step, inner) = steps.split_first()?;
    match (value.node(), step) {
        (Node::Record(record), Step::Field(name)) => find_field(record, |field, value| {
            (field.name == name).then(|| match (inner, field.identity) {
                ([], Some(identity @ Identity::OneOf(_))) => {
                    identity.number(text).map(|number| number.to_string())
                }
                _ => case(value, inner, text),
            })
        })
        .flatten(),
        (Node::Items(items), Step::Index(index)) => case(items.item(*index)?, inner, text),
        _ => None,
    }
}

/// Sets the leaf at the place of this number, or the bits that the remaining steps name.
type Assign<'a> = dyn Fn(usize, &mut dyn Leaf, &[Step]) -> Result<(), EditError> + 'a;

/// Returns the places that a path selects, all of which can be set.
fn allowed(root: &dyn Value, path: &FieldPath) -> Result<Vec<Location>> {
    let places = locate(root, path)?;
    places.iter().try_for_each(|place| allow(root, place).map_err(|why| refused(place, why)))?;
    Ok(places)
}

/// Sets the leaves at these places.
pub(super) fn assign_places(root: &mut dyn Value, places: &[Location], assign: &Assign<'_>) -> Result<()> {
    let mut routes: Vec<_> =
        (0..).zip(places).map(|(nth, place)| Route { nth, steps: place.path.steps() }).collect();
    routes.sort_by_key(|route| places[route.nth].range.start);
    Edit { places, assign }.all(root, &routes)
}

/// Sets leaves at canonical paths, each to a spelling of its own, all in one pass. With `is_governing`, even those that decide
/// how others are read: the caller makes sure that the file still decodes to the same parts.
///
/// # Errors
/// As [`set_text`].
#[doc(hidden)]
pub fn set_each(root: &mut dyn Value, edits: &[(FieldPath, String)], is_governing: bool) -> Result<()> {
    let paths: Vec<_> = edits.iter().map(|(path, _)| path.clone()).collect();
    let places = locate_each(root, &paths)?;
    for place in places.iter().filter(|_| !is_governing) {
        allow(root, place).map_err(|why| refused(place, why))?;
    }
    assign_places(root, &places, &|nth, leaf, steps| match steps {
        [] => leaf.assign(&edits[nth].1),
        steps => assign_bits(leaf, steps, &edits[nth].1),
    })
}

/// Returns why a place must not be set by itself.
pub(super) fn allow(root: &dyn Value, place: &Location) -> Result<(), EditError> {
    match place.role {
        Role::Free => Ok(()),
        Role::Counts(what) => Err(match sibling_of(root, place, what) {
            (Some(Sibling::Leaf), value) => EditError::SetValue { value },
            (Some(Sibling::Packed), packed) => EditError::SetContent { packed },
            (_, list) => EditError::Resize { list },
        }),
        Role::Sizes(what, _) => Err(EditError::SetValue { value: sibling_of(root, place, what).1 }),
        Role::Follows(_) => Err(EditError::Follows),
        Role::Places(list) => Err(EditError::Offsets { list: list.into() }),
        Role::Decides(what) => Err(match sibling_of(root, place, what) {
            (Some(Sibling::Packed), packed) => EditError::SetContent { packed },
            (Some(Sibling::Choice), choice) => EditError::Create { choice },
            _ => EditError::EditAsJson { field: what.into() },
        }),
        Role::Encodes(what) => Err(EditError::Convert { field: what.into() }),
        Role::Magic => Err(EditError::Magic),
    }
}

/// The kind of a field that another one describes.
enum Sibling {
    Leaf,
    Packed,
    /// With one tag for each form, so that a form can be named.
    Choice,
}

/// Returns the path of a field of the same record, and its kind.
fn sibling_of(root: &dyn Value, place: &Location, name: &'static str) -> (Option<Sibling>, FieldPath) {
    let mut path = place.path.split_last().map_or_else(FieldPath::root, |(record, _)| record);
    // A part of a layout is named with the field that it is in: `sections.frames`.
    for name in name.split('.') {
        path.push(Step::Field(name.into()));
    }
    let kind = value_at(root, &path, |value| match (value.inside(), value.choice(), value.node()) {
        (Some(_), ..) => Some(Sibling::Packed),
        (_, Some(choice), _) => choice.tag.map(|_| Sibling::Choice),
        (.., Node::Leaf(_)) => Some(Sibling::Leaf),
        _ => None,
    });
    (kind.flatten(), path)
}

/// An edit of several leaves, each list in one pass.
struct Edit<'e> {
    places: &'e [Location],
    assign: &'e Assign<'e>,
}

impl Edit<'_> {
    fn refused(&self, route: Route<'_>, why: EditError) -> Error {
        refused(&self.places[route.nth], why)
    }

    /// Sets the leaves that routes in the order of the file lead to.
    fn all(&mut self, value: &mut dyn Value, routes: &[Route<'_>]) -> Result<()> {
        let (inside, own): (Vec<_>, Vec<_>) =
            routes.iter().copied().partition(|route| route.steps.first() == Some(&Step::Inside));
        self.inside(value, &inside.iter().map(|route| route.further()).collect::<Vec<_>>())?;
        let is_absent = matches!(value.node(), Node::Absent);
        let no_leaf = |own: &Self, route: Route<'_>| {
            own.refused(route, if is_absent { EditError::Absent } else { EditError::NotALeaf })
        };
        let ends = |route: &&Route<'_>| route.steps.is_empty();
        if let (Some(route), false) = (own.iter().find(ends), matches!(value.node(), Node::Leaf(_))) {
            return Err(no_leaf(self, *route));
        }
        match value.node_mut() {
            NodeMut::Leaf(leaf) => own.iter().try_for_each(|route| {
                (self.assign)(route.nth, leaf, route.steps).map_err(|why| self.refused(*route, why))
            }),
            NodeMut::Record(record) => forks(&own).try_for_each(|(step, further)| {
                let field = if let Step::Field(name) = step { record.field_mut(name) } else { None };
                match field {
                    Some(field) => self.all(field, &further),
                    None => Err(no_leaf(self, further[0])),
                }
            }),
            NodeMut::Items(items) => self.items(items, &own),
            NodeMut::Absent => Ok(()),
        }
    }

    fn items(&mut self, items: &mut dyn Items, routes: &[Route<'_>]) -> Result<()> {
        let (indices, further): (Vec<_>, Vec<_>) = forks(routes)
            .filter_map(
                |(step, further)| if let Step::Index(index) = step { Some((*index, further)) } else { None },
            )
            .unzip();
        let mut further = further.into_iter();
        let changed = items.change(&indices, &mut |_, item| {
            further.next().map_or(Ok(()), |further| self.all(item, &further))
        });
        changed.map_err(|error| match (error.kind(), routes) {
            // The list as a whole refuses the new element.
            (ErrorKind::Value(why), [route, ..]) if error.path().steps().is_empty() => {
                self.refused(*route, why.clone())
            }
            _ => error,
        })
    }

    /// Sets leaves in the content of a packed value, which is packed again once.
    fn inside(&mut self, value: &mut dyn Value, routes: &[Route<'_>]) -> Result<()> {
        let Some(first) = routes.first() else { return Ok(()) };
        change_inside(value, &mut |content| self.all(content, routes))?
            .map_err(|why| self.refused(*first, why))
    }
}

/// Changes the content of a packed value. Returns why the value refuses the change.
///
/// # Errors
/// Those of `change`.
pub(super) fn change_inside(
    value: &mut dyn Value,
    change: &mut dyn FnMut(&mut dyn Value) -> Result<()>,
) -> Result<Result<(), EditError>> {
    let mut own = None;
    let changed = value.change_inside(&mut |content| {
        change(content).map_err(|error| {
            let why = error.message();
            own = Some(error);
            why.into()
        })
    });
    own.map_or(Ok(changed), Err)
}

/// Returns the routes that begin with the same step, after that step.
fn forks<'r, 'p>(routes: &'r [Route<'p>]) -> impl Iterator<Item = (&'p Step, Vec<Route<'p>>)> + use<'r, 'p> {
    routes.chunk_by(|a, b| a.steps.first() == b.steps.first()).filter_map(|same| {
        let step = same.first()?.steps.first()?;
        Some((step, same.iter().map(|route| route.further()).collect()))
    })
}

/// Sets the bits of a leaf that the last step names.
fn assign_bits(leaf: &mut dyn Leaf, steps: &[Step], text: &str) -> Result<(), EditError> {
    let [Step::Field(name)] = steps else { return Err(EditError::NotALeaf) };
    let bit = leaf.bits().iter().find(|bit| bit.name == name).ok_or(EditError::NotALeaf)?;
    let value: i128 = text.parse().map_err(|_| format!("`{}` is not an integer", shortened(text)))?;
    let max = i128::from(bit.mask());
    let value = u64::try_from(value).ok().filter(|value| *value <= bit.mask());
    let value = value.ok_or_else(|| EditError::OutOfRange { value: shortened(text).into(), min: 0, max })?;
    let word = bit.with(word(leaf), value).to_le_bytes();
    let size = usize::try_from(leaf.size()).unwrap_or(word.len());
    leaf.assign_bytes(&word[..size])
}

/// Returns the stored value at canonical steps, for changing it.
pub fn value_mut<'a>(root: &'a mut dyn Value, steps: &[Step]) -> Option<&'a mut dyn Value> {
    let mut value = root;
    for step in steps {
        value = match (value.node_mut(), step) {
            (NodeMut::Record(record), Step::Field(name)) => record.field_mut(name)?,
            (NodeMut::Items(items), Step::Index(index)) => items.item_mut(*index)?,
            _ => return None,
        };
    }
    Some(value)
}

pub(super) fn items_mut<'a>(root: &'a mut dyn Value, steps: &[Step]) -> Option<&'a mut dyn Items> {
    if let NodeMut::Items(items) = value_mut(root, steps)?.node_mut() { Some(items) } else { None }
}

/// The error for a path that selects nothing.
pub(super) fn nowhere(path: &FieldPath, why: impl Into<PathError>) -> Error {
    Error::new(0, ErrorKind::Path(why.into())).at(path.clone())
}

pub(super) fn refused(place: &Location, why: EditError) -> Error {
    Error::new(place.range.start, ErrorKind::Value(why)).at(place.path.clone())
}

/// The error for a value that is not in the file yet.
pub(super) fn refused_at(path: &FieldPath, why: EditError) -> Error {
    Error::new(0, ErrorKind::Value(why)).at(path.clone())
}
