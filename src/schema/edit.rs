//! One value changed and nothing else: get, set, append and delete by path.

use std::ops::ControlFlow::{Break, Continue};
use std::ops::Range;

use super::{Bit, FieldInfo, Items, Leaf, Node, NodeMut, Path, Role, Step, Value, parse_hex};
use crate::{Error, Kind, Result};

/// Why a leaf does not take a value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refusal(pub String);

impl<T: Into<String>> From<T> for Refusal {
    fn from(why: T) -> Self {
        Self(why.into())
    }
}

/// A leaf, or a list, found by a path.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Edit {
    /// The path without aliases; bits inside a flag word keep their name as last step.
    pub path: Path,
    /// Its bytes in the file.
    pub range: Range<u64>,
    /// What changing it would mean.
    pub role: Role,
}

/// What a step reaches; the last two hold what lies beyond the value itself.
enum Reached<'a> {
    Value(&'a dyn Value),
    Bit(&'a dyn Leaf, &'static Bit),
}

/// The places a path leads to: one, or several where it holds `[*]`. Aliases are resolved.
///
/// # Errors
/// [`Kind::Path`] when it leads nowhere.
pub fn locate(root: &dyn Value, path: &Path) -> Result<Vec<Edit>> {
    let mut found = Vec::new();
    let start = Edit { path: Path::root(), range: 0..root.size(), role: Role::Free };
    follow(root, path.steps(), &start, &mut |edit, _| found.push(edit.clone()))
        .map_err(|why| nowhere(path, &why))?;
    Ok(found)
}

/// The values at a path, in the spelling that [`set`] takes back. A record or a list gives all its leaves.
///
/// # Errors
/// [`Kind::Path`] when it leads nowhere.
pub fn get(root: &dyn Value, path: &Path) -> Result<Vec<(Path, String)>> {
    let mut values = Vec::new();
    let start = Edit { path: Path::root(), range: 0..root.size(), role: Role::Free };
    follow(root, path.steps(), &start, &mut |edit, reached| match reached {
        Reached::Value(value) => {
            let _ = super::leaves(*value, &mut |place, leaf| {
                values.push((edit.path.join(&place.path), spelled(leaf)));
                Continue(())
            });
        }
        Reached::Bit(leaf, bit) => values.push((edit.path.clone(), bit.of(word(*leaf)).to_string())),
    })
    .map_err(|why| nowhere(path, &why))?;
    Ok(values)
}

/// Sets every leaf a path leads to, and says which bytes those are.
///
/// # Errors
/// [`Kind::Path`] when it leads nowhere or not to a leaf; [`Kind::Value`] when the text does not fit, or when the
/// leaf decides what follows. Some leaves may have been set by then: work on a copy where that matters.
pub fn set(root: &mut dyn Value, path: &Path, text: &str) -> Result<Vec<Edit>> {
    let edits = locate(root, path)?;
    for edit in &edits {
        allow(edit).and_then(|()| assign(root, &edit.path, text)).map_err(|why| refused(edit, why))?;
    }
    Ok(edits)
}

/// Appends an element of zeros to the lists a path leads to, and to the lists that must keep their length.
///
/// # Errors
/// [`Kind::Path`] when it leads nowhere or not to a list; [`Kind::Value`] when the length is fixed.
pub fn append(root: &mut dyn Value, path: &Path) -> Result<Vec<Path>> {
    let mut appended = Vec::new();
    for edit in locate(root, path)? {
        let index = items_mut(root, &edit.path).map(|items| items.len());
        let index = index.ok_or_else(|| refused(&edit, "is no list".into()))?;
        resize(root, &edit.path, &mut |items| items.insert(index)).map_err(|why| refused(&edit, why))?;
        let mut path = edit.path;
        path.push(Step::Index(index));
        appended.push(path);
    }
    Ok(appended)
}

/// Deletes the elements a path leads to, and those of the lists that must keep the length.
///
/// # Errors
/// [`Kind::Path`] when it leads nowhere or not to an element; [`Kind::Value`] when the length is fixed.
pub fn delete(root: &mut dyn Value, path: &Path) -> Result<Vec<Path>> {
    let edits = locate(root, path)?;
    for edit in edits.iter().rev() {
        let Some((list, &Step::Index(index))) = edit.path.split_last() else {
            return Err(refused(edit, "is no element of a list".into()));
        };
        resize(root, &list, &mut |items| items.remove(index)).map_err(|why| refused(edit, why))?;
    }
    Ok(edits.into_iter().map(|edit| edit.path).collect())
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
        (Node::Record(record), Step::Field(name)) => {
            let mut offset = at.range.start;
            let mut result = Err(format!("{} has no field `{name}`", record.type_name()));
            let _ = record.fields(&mut |field, value| {
                let size = value.size();
                if field.name == name {
                    let role = if field.role == Role::Free { at.role } else { field.role };
                    let inner = below(at, Step::Field(field.name.into()), offset..offset + size, role);
                    result = follow(value, further, &inner, found);
                    return Break(());
                }
                offset += size;
                Continue(())
            });
            result
        }
        (Node::Items(items), Step::Every) => {
            let mut start = at.range.start;
            (0..items.len()).try_for_each(|index| {
                start = follow_item(items, index, start, further, at, found)?;
                Ok(())
            })
        }
        (Node::Items(items), step) => {
            let index = index_of(items, step)?;
            let before = match items.item_size() {
                Some(size) => (size * index) as u64,
                None => (0..index).filter_map(|i| items.item(i)).map(Value::size).sum(),
            };
            follow_item(items, index, at.range.start + before, further, at, found).map(drop)
        }
        (Node::Leaf(leaf), Step::Field(name)) => {
            let bit = leaf.bits().iter().find(|bit| bit.name == name);
            let bit = bit.filter(|_| further.is_empty()).ok_or_else(|| format!("it has no part `{name}`"))?;
            let inner = below(at, Step::Field(bit.name.into()), at.range.clone(), at.role);
            found(&inner, &Reached::Bit(leaf, bit));
            Ok(())
        }
        (Node::Absent, _) => Err(format!("`{}` is not in this file", at.path)),
        (Node::Broken(_), _) => {
            Err(format!("`{}` is damaged in this file; its bytes are in `rest`", at.path))
        }
        (Node::Record(record), _) => Err(format!("{} is no list", record.type_name())),
        (Node::Leaf(_), _) => Err(format!("`{}` has no parts", at.path)),
    }
}

/// Follows the steps into the element that starts at `start`; gives where the next one starts.
fn follow_item(
    items: &dyn Items,
    index: usize,
    start: u64,
    steps: &[Step],
    at: &Edit,
    found: &mut dyn FnMut(&Edit, &Reached<'_>),
) -> Result<u64, String> {
    let len = items.len();
    let item = items.item(index).ok_or_else(|| format!("it has {len} elements, counted from 0"))?;
    let end = start + item.size();
    follow(item, steps, &below(at, Step::Index(index), start..end, at.role), found)?;
    Ok(end)
}

/// The component names of short arrays: points, colours, texture coordinates.
const COMPONENTS: [&str; 3] = ["xyzw", "rgba", "uvw"];

fn index_of(items: &dyn Items, step: &Step) -> Result<usize, String> {
    match step {
        Step::Index(index) => Ok(*index),
        Step::Field(name) if name.len() == 1 && items.len() <= 4 => {
            { COMPONENTS.iter().find_map(|set| set.find(name.as_ref())) }
                .ok_or_else(|| format!("it has no component `{name}`"))
        }
        Step::Field(name) => Err(format!("a list has no field `{name}`; name an element: [0]")),
        Step::Named(name, nth) => (0..items.len())
            .filter(|&index| items.item(index).and_then(name_of).as_ref() == Some(name))
            .nth(nth - 1)
            .ok_or_else(|| format!("no element {nth} has the name `{name}`")),
        Step::Every => Err("`[*]` cannot stand here".into()),
    }
}

/// The text of a record's `name`.
fn name_of(value: &dyn Value) -> Option<String> {
    let Node::Record(record) = value.node() else { return None };
    let mut name = None;
    let _ = record.fields(&mut |field, value| match (field.name, value.node()) {
        ("name", Node::Leaf(leaf)) => {
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

fn allow(edit: &Edit) -> Result<(), Refusal> {
    match edit.role {
        Role::Free => Ok(()),
        Role::Counts(what) => {
            Err(format!("follows from `{what}`; append to it or delete from it and the count follows").into())
        }
        Role::Decides(what) => {
            Err(format!("decides how `{what}` is read; setting it alone would break the file").into())
        }
        Role::Magic => Err("tells the format; another value would make it another file".into()),
    }
}

fn assign(root: &mut dyn Value, path: &Path, text: &str) -> Result<(), Refusal> {
    if let Some(leaf) = leaf_mut(root, path.steps()) {
        return assign_leaf(leaf, text);
    }
    if let Some(NodeMut::Absent) = value_mut(root, path.steps()).map(Value::node_mut) {
        return Err("is not in this file".into());
    }
    let (outer, last) = path.split_last().ok_or("is no single value")?;
    let leaf = leaf_mut(root, outer.steps()).ok_or("is no single value; name one of its leaves")?;
    let Step::Field(name) = last else { return Err("is no single value".into()) };
    let bit = leaf.bits().iter().find(|bit| bit.name == name).ok_or("is no single value")?;
    let value: u64 = text.parse().map_err(|_| format!("`{text}` is no number of {} bits", bit.width))?;
    if value > bit.mask() {
        return Err(
            format!("{value} is more than {}, the largest value of {} bits", bit.mask(), bit.width).into()
        );
    }
    let word = bit.with(word(leaf), value).to_le_bytes();
    let size = usize::try_from(leaf.size()).unwrap_or(word.len());
    leaf.assign_bytes(&word[..size])
}

fn assign_leaf(leaf: &mut dyn Leaf, text: &str) -> Result<(), Refusal> {
    match text.strip_prefix("hex:") {
        Some(hex) => leaf.assign_bytes(&parse_hex(hex).ok_or("`hex:` takes pairs of hexadecimal digits")?),
        None => leaf.assign(text),
    }
}

fn resize(
    root: &mut dyn Value,
    path: &Path,
    change: &mut dyn FnMut(&mut dyn Items) -> bool,
) -> Result<(), Refusal> {
    let sisters = sisters(root, path);
    let items = items_mut(root, path).ok_or("is no list")?;
    if !change(items) {
        return Err("has a fixed length".into());
    }
    for sister in sisters {
        if let Some(items) = items_mut(root, &sister) {
            change(items);
        }
    }
    Ok(())
}

/// The lists that must keep the length of the list at `path`.
fn sisters(root: &dyn Value, path: &Path) -> Vec<Path> {
    let mut names: &[&str] = &[];
    let Some((outer, Step::Field(name))) = path.split_last() else { return Vec::new() };
    let start = Edit { path: Path::root(), range: 0..0, role: Role::Free };
    let _ = follow(root, outer.steps(), &start, &mut |_, reached| {
        if let Reached::Value(value) = reached
            && let Node::Record(record) = value.node()
        {
            let _ = record.fields(&mut |field: &'static FieldInfo, _| {
                if field.name == name {
                    names = field.sisters;
                    return Break(());
                }
                Continue(())
            });
        }
    });
    names.iter().filter_map(|name| Some(outer.join(&name.parse().ok()?))).collect()
}

fn value_mut<'a>(root: &'a mut dyn Value, steps: &[Step]) -> Option<&'a mut dyn Value> {
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

fn leaf_mut<'a>(root: &'a mut dyn Value, steps: &[Step]) -> Option<&'a mut dyn Leaf> {
    match value_mut(root, steps)?.node_mut() {
        NodeMut::Leaf(leaf) => Some(leaf),
        _ => None,
    }
}

fn items_mut<'a>(root: &'a mut dyn Value, path: &Path) -> Option<&'a mut dyn Items> {
    match value_mut(root, path.steps())?.node_mut() {
        NodeMut::Items(items) => Some(items),
        _ => None,
    }
}

fn spelled(leaf: &dyn Leaf) -> String {
    let mut text = String::new();
    let _ = leaf.show(&mut text);
    text
}

/// The bytes of a flag word as a number.
fn word(leaf: &dyn Leaf) -> u64 {
    let mut bytes = Vec::with_capacity(8);
    leaf.bytes(&mut bytes);
    bytes.resize(8, 0);
    u64::from_le_bytes(bytes.try_into().unwrap_or_default())
}

fn nowhere(path: &Path, why: &str) -> Error {
    Error::new(0, Kind::Path(format!("{path}: {why}")))
}

fn refused(edit: &Edit, why: Refusal) -> Error {
    Error::new(edit.range.start, Kind::Value(why.0)).at(edit.path.clone())
}
