//! One value changed and nothing else: get and set by path.

use std::fmt;
use std::ops::ControlFlow::{Break, Continue};
use std::ops::Range;

use super::leaf::spelled;
use super::{Bit, FieldPath, Items, Leaf, Node, NodeMut, Plain, Record, Role, Step, Value, parse_hex};
use crate::{Error, ErrorKind, Result};

/// Why a leaf does not take a value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EditError(pub String);

impl From<String> for EditError {
    fn from(why: String) -> Self {
        Self(why)
    }
}

impl From<&str> for EditError {
    fn from(why: &str) -> Self {
        Self(why.into())
    }
}

impl fmt::Display for EditError {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(&self.0)
    }
}

impl std::error::Error for EditError {}

/// A leaf, or a list, found by a path.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Edit {
    /// The path without aliases; bits inside a flag word keep their name as last step.
    pub path: FieldPath,
    /// Its bytes in the file.
    pub range: Range<u64>,
    /// What changing it would mean.
    pub role: Role,
}

impl Edit {
    fn root(root: &dyn Value) -> Self {
        Self { path: FieldPath::root(), range: 0..root.size(), role: Role::Free }
    }
}

/// A place, and the steps that still lead to it.
#[derive(Clone, Copy)]
struct Route<'a> {
    edit: &'a Edit,
    steps: &'a [Step],
}

impl Route<'_> {
    fn further(&self) -> Self {
        Self { edit: self.edit, steps: self.steps.get(1..).unwrap_or_default() }
    }
}

/// The ways from the root, in the order of the file.
fn ways_to(places: &[Edit]) -> Vec<Route<'_>> {
    let mut ways: Vec<_> = places.iter().map(|edit| Route { edit, steps: edit.path.steps() }).collect();
    ways.sort_by_key(|way| way.edit.range.start);
    ways
}

/// Ways that begin with the same step, one step further.
fn forks<'a>(ways: &'a [Route<'a>]) -> impl Iterator<Item = (&'a Step, Vec<Route<'a>>)> {
    ways.chunk_by(|a, b| a.steps.first() == b.steps.first())
        .filter_map(|same| Some((same.first()?.steps.first()?, same.iter().map(Route::further).collect())))
}

/// What a step reaches; the last two hold what lies beyond the value itself.
enum Reached<'a> {
    Value(&'a dyn Value),
    Bit(&'a dyn Leaf, &'static Bit),
}

/// The places a path leads to: one, or several where it holds `[*]`. Aliases are resolved.
///
/// # Errors
/// [`ErrorKind::Path`] when it leads nowhere.
pub fn locate(root: &dyn Value, path: &FieldPath) -> Result<Vec<Edit>> {
    if let Some(found) = root.alias(path) {
        return found;
    }
    let mut found = Vec::new();
    follow(root, path.steps(), &Edit::root(root), &mut |edit, _| found.push(edit.clone()))
        .map_err(|why| nowhere(path, &why))?;
    Ok(found)
}

/// The values at a path, in the spelling that [`set`] takes back. A record or a list gives all its leaves.
///
/// # Errors
/// [`ErrorKind::Path`] when it leads nowhere.
pub fn get(root: &dyn Value, path: &FieldPath) -> Result<Vec<(FieldPath, String)>> {
    let mut values = Vec::new();
    let mut read = |edit: &Edit, reached: &Reached<'_>| match reached {
        Reached::Value(value) => {
            let _ = super::leaves(*value, &mut |place, leaf| {
                values.push((edit.path.join(&place.path), spelled(leaf)));
                Continue(())
            });
        }
        Reached::Bit(leaf, bit) => values.push((edit.path.clone(), bit.of(word(*leaf)).to_string())),
    };
    match root.alias(path) {
        Some(found) => {
            let found = found?;
            show_all(root, &ways_to(&found), &mut read);
        }
        None => {
            follow(root, path.steps(), &Edit::root(root), &mut read).map_err(|why| nowhere(path, &why))?;
        }
    }
    Ok(values)
}

/// Shows what is unpacked from the values a path leads to, each with its path.
///
/// # Errors
/// [`ErrorKind::Path`] when the path leads nowhere, or to nothing that is packed.
pub fn unpacked(
    root: &dyn Value,
    path: &FieldPath,
    show: &mut dyn FnMut(&FieldPath, &dyn Value),
) -> Result<()> {
    let mut path = path.clone();
    if path.steps().last() != Some(&Step::Inside) {
        path.push(Step::Inside);
    }
    follow(root, path.steps(), &Edit::root(root), &mut |edit, reached| {
        if let Reached::Value(content) = reached {
            show(&edit.path, *content);
        }
    })
    .map_err(|why| nowhere(&path, &why))
}

/// Sets every leaf a path leads to, and says which bytes those are.
///
/// # Errors
/// [`ErrorKind::Path`] when it leads nowhere or not to a leaf; [`ErrorKind::Value`] when the text does not fit, or when the
/// leaf decides what follows. Some leaves may have been set by then: work on a copy where that matters.
pub fn set(root: &mut dyn Value, path: &FieldPath, text: &str) -> Result<Vec<Edit>> {
    let edits = locate(root, path)?;
    edits.iter().try_for_each(|edit| allow(root, edit).map_err(|why| refused(edit, why)))?;
    assign_all(root, &ways_to(&edits), text)?;
    Ok(edits)
}

fn follow(
    value: &dyn Value,
    steps: &[Step],
    at: &Edit,
    found: &mut dyn FnMut(&Edit, &Reached<'_>),
) -> Result<(), String> {
    let Some((step, further)) = steps.split_first() else {
        found(at, &Reached::Value(value));
        return Ok(());
    };
    match (value.node(), step) {
        (Node::Record(record), Step::Field(name)) => follow_record(record, name, further, at, found),
        (Node::Items(items), step) => {
            let wanted = (*step != Step::Every).then(|| index_of(items, step)).transpose()?;
            follow_items(items, wanted, further, at, found)
        }
        (Node::Leaf(leaf), Step::Field(name)) => {
            let bit = leaf.bits().iter().find(|bit| bit.name == name);
            let bit = bit.filter(|_| further.is_empty()).ok_or_else(|| no_part(leaf, &at.path, name))?;
            let inner = below(at, Step::Field(bit.name.into()), at.range.clone(), at.role);
            found(&inner, &Reached::Bit(leaf, bit));
            Ok(())
        }
        (node, Step::Inside) => match (value.inside(), node) {
            (Some(content), _) => follow_inside(content, further, at, found),
            (None, Node::Record(record)) => follow_packed(record, steps, at, found),
            (None, _) => Err(format!("`{}` is not unpacked", at.path)),
        },
        (Node::Absent, _) => Err(format!("`{}` is not in this file", at.path)),
        (Node::Broken(_), _) => {
            Err(format!("`{}` is damaged in this file; its bytes are in `rest`", at.path))
        }
        (Node::Record(record), _) => Err(format!("{} is no list", record.type_name())),
        (Node::Leaf(_), _) => Err(format!("`{}` has no parts", at.path)),
    }
}

/// Follows the steps into a field.
fn follow_record(
    record: &dyn Record,
    name: &str,
    steps: &[Step],
    at: &Edit,
    found: &mut dyn FnMut(&Edit, &Reached<'_>),
) -> Result<(), String> {
    let mut offset = at.range.start;
    let mut result = None;
    let _ = record.fields(&mut |field, value| {
        let size = value.size();
        if field.name == name {
            let role = if field.role == Role::Free { at.role } else { field.role };
            let inner = below(at, Step::Field(field.name.into()), offset..offset + size, role);
            result = Some(follow(value, steps, &inner, found));
            return Break(());
        }
        offset += size;
        Continue(())
    });
    if let Some(result) = result {
        return result;
    }
    let through = choice_with(record, name).ok_or_else(|| no_field(record, name))?;
    let steps = [&[Step::Field(name.to_owned().into())], steps].concat();
    follow_record(record, through, &steps, at, found)
}

fn no_field(record: &dyn Record, name: &str) -> String {
    let mut names = Vec::new();
    let _ = record.fields(&mut |field, _| {
        names.push(field.name);
        Continue(())
    });
    format!("{} has no field `{name}`, but {}", record.type_name(), names.join(", "))
}

fn no_part(leaf: &dyn Leaf, path: &FieldPath, name: &str) -> String {
    let names: Vec<_> = leaf.bits().iter().map(|bit| bit.name).collect();
    match &names[..] {
        [] => format!("`{path}` has no parts"),
        names => format!("`{path}` has no part `{name}`, but {}", names.join(", ")),
    }
}

/// The field whose choice holds a record with a field of this name: a path may leave it out.
fn choice_with(record: &dyn Record, name: &str) -> Option<&'static str> {
    let mut through = None;
    let _ = record.fields(&mut |field, value| {
        if let (Some(_), Node::Record(body)) = (value.choice(), value.node())
            && has_field(body, name)
        {
            through = Some(field.name);
            return Break(());
        }
        Continue(())
    });
    through
}

fn has_field(record: &dyn Record, name: &str) -> bool {
    record.fields(&mut |field, _| if field.name == name { Break(()) } else { Continue(()) }).is_break()
}

/// Follows the steps into one element, or into all of them.
fn follow_items(
    items: &dyn Items,
    wanted: Option<usize>,
    steps: &[Step],
    at: &Edit,
    found: &mut dyn FnMut(&Edit, &Reached<'_>),
) -> Result<(), String> {
    let first = wanted.filter(|_| items.item_size().is_some()).unwrap_or(0);
    let mut start = at.range.start + (first * items.item_size().unwrap_or(0)) as u64;
    let missing = |_| match items.len() {
        0 => Err(format!("`{}` has no elements", at.path)),
        len => Err(format!("`{}` has {len} elements, counted from 0", at.path)),
    };
    let mut result = wanted.map_or(Ok(()), missing);
    let _ = items.each(first, &mut |index, item| {
        let end = start + item.size();
        if wanted.is_none_or(|wanted| wanted == index) {
            result = follow(item, steps, &below(at, Step::Index(index), start..end, at.role), found);
            if wanted.is_some() || result.is_err() {
                return Break(());
            }
        }
        start = end;
        Continue(())
    });
    result
}

/// Follows the steps into the content of a packed value; in the file, what changes is that value.
fn follow_inside(
    content: &dyn Value,
    steps: &[Step],
    at: &Edit,
    found: &mut dyn FnMut(&Edit, &Reached<'_>),
) -> Result<(), String> {
    follow(content, steps, &below(at, Step::Inside, 0..content.size(), at.role), &mut |edit, reached| {
        found(&Edit { range: at.range.clone(), ..edit.clone() }, reached);
    })
}

/// The content of a record is that of its packed field.
fn follow_packed(
    record: &dyn Record,
    steps: &[Step],
    at: &Edit,
    found: &mut dyn FnMut(&Edit, &Reached<'_>),
) -> Result<(), String> {
    let mut packed = None;
    let _ = record.fields(&mut |field, value| {
        if value.inside().is_some() {
            packed = Some(field.name);
            return Break(());
        }
        Continue(())
    });
    let name = packed.ok_or_else(|| format!("nothing is unpacked in {}", record.type_name()))?;
    follow_record(record, name, steps, at, found)
}

/// The component names of short arrays: points, colours, texture coordinates.
const COMPONENTS: [&str; 3] = ["xyzw", "rgba", "uvw"];

/// The index that the name of a component means.
pub fn component(name: &str) -> Option<usize> {
    COMPONENTS.iter().find_map(|set| set.find(name))
}

fn index_of(items: &dyn Items, step: &Step) -> Result<usize, String> {
    match step {
        Step::Index(index) => Ok(*index),
        Step::Field(name) if name.len() == 1 && items.len() <= 4 => {
            component(name).ok_or_else(|| format!("it has no component `{name}`"))
        }
        Step::Field(name) => Err(format!("a list has no field `{name}`; name an element: [0]")),
        Step::Named(name, nth) => nth_named(items, name, *nth).ok_or_else(|| match nth {
            1 => format!("no element has the name `{name}`"),
            nth => format!("fewer than {nth} elements have the name `{name}`"),
        }),
        Step::Every => Err("`[*]` cannot stand here".into()),
        Step::Inside => Err("a list is not packed; name one of its elements: [0]".into()),
    }
}

/// The index of the `nth` element of this name, counted from 1.
fn nth_named(items: &dyn Items, name: &str, nth: usize) -> Option<usize> {
    let (mut seen, mut found) = (0, None);
    let _ = items.each(0, &mut |index, item| {
        seen += usize::from(name_of(item).is_some_and(|own| own == name));
        if seen == nth {
            found = Some(index);
            return Break(());
        }
        Continue(())
    });
    found
}

/// What a person knows a record by: its `name`, or the text that is its `id`.
pub(crate) fn name_of(value: &dyn Value) -> Option<String> {
    let Node::Record(record) = value.node() else { return None };
    let mut name = None;
    let _ = record.fields(&mut |field, value| match (field.name, value.node()) {
        ("name" | "id", Node::Leaf(leaf)) if matches!(leaf.plain(), Plain::Text(_)) => {
            name = Some(spelled(leaf));
            Break(())
        }
        _ => Continue(()),
    });
    name
}

fn below(at: &Edit, step: Step, range: Range<u64>, role: Role) -> Edit {
    let mut path = at.path.clone();
    path.push(step);
    Edit { path, range, role }
}

fn allow(root: &dyn Value, edit: &Edit) -> Result<(), EditError> {
    match edit.role {
        Role::Free => Ok(()),
        Role::Counts(what) => Err(match sibling_of(root, edit, what) {
            Some((Sibling::Leaf, path)) => {
                format!("follows from `{what}`; set {path} and the length follows")
            }
            Some((Sibling::Packed, path)) => {
                format!("follows from `{what}`; set what is packed in it, {path}!.., and the length follows")
            }
            _ => format!("follows from `{what}`; append to it or delete from it and the count follows"),
        }
        .into()),
        Role::Places(what) => {
            Err(format!("follows from where `{what}` stands; what was wrong stays as wrong as it was").into())
        }
        Role::Decides(what) => {
            let advice = match sibling_of(root, edit, what) {
                Some((Sibling::Packed, path)) => {
                    format!("set what is packed in it, {path}!.., and it follows")
                }
                Some((Sibling::Choice, path)) => format!("--create {path}=FORM changes both"),
                _ => "print the file with to-json, change both, and read it with from-json".into(),
            };
            Err(format!("decides how `{what}` is read; setting it alone would break the file; {advice}")
                .into())
        }
        Role::Magic => Err("tells the format; another value would make it another file".into()),
    }
}

/// What a field is whose bytes follow from another.
enum Sibling {
    Leaf,
    Packed,
    /// Told by one number, so that another form can be named.
    Choice,
    List,
}

/// The field beside a leaf that its role names, and the path to it.
fn sibling_of(root: &dyn Value, edit: &Edit, name: &'static str) -> Option<(Sibling, FieldPath)> {
    let (mut path, _) = edit.path.split_last()?;
    path.push(Step::Field(name.into()));
    let mut kin = None;
    follow(root, path.steps(), &Edit::root(root), &mut |_, reached| {
        let Reached::Value(value) = reached else { return };
        kin = match (value.inside(), value.choice(), value.node()) {
            (Some(_), ..) => Some(Sibling::Packed),
            (_, Some(choice), _) => choice.tag.map(|_| Sibling::Choice),
            (.., Node::Leaf(_)) => Some(Sibling::Leaf),
            (.., Node::Items(_)) => Some(Sibling::List),
            _ => None,
        };
    })
    .ok()?;
    Some((kin?, path))
}

/// Shows the values at places that are known to exist, each list in one pass.
fn show_all(value: &dyn Value, ways: &[Route<'_>], found: &mut dyn FnMut(&Edit, &Reached<'_>)) {
    for way in ways.iter().filter(|way| way.steps.is_empty()) {
        found(way.edit, &Reached::Value(value));
    }
    match value.node() {
        Node::Record(record) => {
            for (step, further) in forks(ways) {
                let _ = record.fields(&mut |field, value| match step {
                    Step::Field(name) if field.name == name => {
                        show_all(value, &further, found);
                        Break(())
                    }
                    _ => Continue(()),
                });
            }
        }
        Node::Items(items) => {
            let mut forks = forks(ways).peekable();
            let first =
                forks.peek().map_or(0, |(step, _)| if let Step::Index(index) = step { *index } else { 0 });
            let _ = items.each(first, &mut |index, item| {
                while let Some((_, further)) = forks.next_if(|(step, _)| **step == Step::Index(index)) {
                    show_all(item, &further, found);
                }
                if forks.peek().is_some() { Continue(()) } else { Break(()) }
            });
        }
        Node::Leaf(_) | Node::Absent | Node::Broken(_) => {}
    }
    if let (Some(content), ways @ [_, ..]) = (value.inside(), &inside(ways)[..]) {
        show_all(content, ways, found);
    }
}

/// The ways that lead into the content of a packed value, from there on.
fn inside<'a>(ways: &[Route<'a>]) -> Vec<Route<'a>> {
    ways.iter().filter(|way| way.steps.first() == Some(&Step::Inside)).map(Route::further).collect()
}

/// Sets leaves in the content of a packed value, which is packed anew once.
fn assign_inside(value: &mut dyn Value, ways: &[Route<'_>], text: &str) -> Result<()> {
    let Some(first) = ways.first() else { return Ok(()) };
    let mut own = None;
    let changed = value.change_inside(&mut |content| {
        assign_all(content, ways, text).map_err(|error| {
            let why = error.message();
            own = Some(error);
            why.into()
        })
    });
    changed.map_err(|why| own.unwrap_or_else(|| refused(first.edit, why)))
}

/// Sets the leaves at places, each list in one pass.
fn assign_all(value: &mut dyn Value, ways: &[Route<'_>], text: &str) -> Result<()> {
    let why = match value.node() {
        Node::Absent => "is not in this file",
        _ => "is no single value; name one of its leaves",
    };
    let no_leaf = |way: &Route<'_>| Err(refused(way.edit, why.into()));
    if let Some(way) = ways.iter().find(|way| way.steps.is_empty() && !is_leaf(value)) {
        return no_leaf(way);
    }
    let (inner, own): (Vec<_>, Vec<_>) =
        ways.iter().copied().partition(|way| way.steps.first() == Some(&Step::Inside));
    assign_inside(value, &inside(&inner), text)?;
    let ways = own.as_slice();
    match value.node_mut() {
        NodeMut::Leaf(leaf) => ways
            .iter()
            .try_for_each(|way| assign(leaf, way.steps, text).map_err(|why| refused(way.edit, why))),
        NodeMut::Record(record) => forks(ways).try_for_each(|(step, further)| {
            let Step::Field(name) = step else { return further.first().map_or(Ok(()), no_leaf) };
            match record.field_mut(name) {
                Some(field) => assign_all(field, &further, text),
                None => further.first().map_or(Ok(()), no_leaf),
            }
        }),
        NodeMut::Items(items) => {
            let mut further = forks(ways);
            let indices: Vec<usize> = forks(ways)
                .filter_map(|(step, _)| if let Step::Index(index) = step { Some(*index) } else { None })
                .collect();
            let changed = items.change(&indices, &mut |_, item| {
                further.next().map_or(Ok(()), |(_, further)| assign_all(item, &further, text))
            });
            changed.map_err(|error| match (error.kind(), ways) {
                // The list itself refuses what is no longer what it was.
                (ErrorKind::Value(why), [way, ..]) if error.path().steps().is_empty() => {
                    refused(way.edit, why.clone().into())
                }
                _ => error,
            })
        }
        NodeMut::Absent => Ok(()),
    }
}

fn is_leaf(value: &dyn Value) -> bool {
    matches!(value.node(), Node::Leaf(_))
}

/// Sets a leaf, or the bits of it that the last step names.
fn assign(leaf: &mut dyn Leaf, steps: &[Step], text: &str) -> Result<(), EditError> {
    let name = match steps {
        [] => return assign_leaf(leaf, text),
        [Step::Field(name)] => name,
        _ => return Err("is no single value".into()),
    };
    let bit = leaf.bits().iter().find(|bit| bit.name == name).ok_or("is no single value")?;
    let value: Option<u64> = text.parse().ok();
    let value = value.filter(|value| *value <= bit.mask());
    let value = value.ok_or_else(|| format!("`{text}` does not fit: 0 to {}", bit.mask()))?;
    let word = bit.with(word(leaf), value).to_le_bytes();
    let size = usize::try_from(leaf.size()).unwrap_or(word.len());
    leaf.assign_bytes(&word[..size])
}

fn assign_leaf(leaf: &mut dyn Leaf, text: &str) -> Result<(), EditError> {
    match text.strip_prefix("hex:") {
        Some(hex) => leaf.assign_bytes(&parse_hex(hex).ok_or("`hex:` takes pairs of hexadecimal digits")?),
        None => leaf.assign(text),
    }
}

/// The value at a path, for changing it.
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
    match value_mut(root, steps)?.node_mut() {
        NodeMut::Items(items) => Some(items),
        _ => None,
    }
}

/// The bytes of a flag word as a number.
pub(super) fn word(leaf: &dyn Leaf) -> u64 {
    let mut bytes = Vec::with_capacity(8);
    leaf.bytes(&mut bytes);
    bytes.resize(8, 0);
    u64::from_le_bytes(bytes.try_into().unwrap_or_default())
}

pub(super) fn nowhere(path: &FieldPath, why: &str) -> Error {
    Error::new(0, ErrorKind::Path(format!("{path}: {why}")))
}

pub(super) fn refused(edit: &Edit, why: EditError) -> Error {
    Error::new(edit.range.start, ErrorKind::Value(why.0)).at(edit.path.clone())
}

/// An error about a value that has no place in the file yet.
pub(super) fn refused_at(path: &FieldPath, why: EditError) -> Error {
    Error::new(0, ErrorKind::Value(why.0)).at(path.clone())
}
