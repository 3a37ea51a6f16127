//! The parts of a file as a tree: its objects by their names, or its records and lists.

use std::ops::ControlFlow::{Break, Continue};
use std::ops::Range;

use bindpose::formats::ObjectPaths;
use bindpose::scene::name;
use bindpose::schema::{Class, Items, Node, Plain, Step, Value};
use bindpose::{Document, FieldPath, File};
use serde::Serialize;

use crate::report::Limited;

/// A part of a file.
#[derive(Serialize)]
pub(crate) struct Part {
    path: String,
    /// The path by the names of objects, where it differs.
    name: Option<String>,
    label: String,
    /// The name of the part, or its value.
    text: String,
    /// The number of parts that it can be opened to.
    parts: usize,
    /// The path of the list that the part consists of: the records of a chunk, which have a name of their own.
    list: Option<String>,
}

/// Returns the parts of the value at a path, from the index `first` on, at most `most`.
pub(crate) fn parts(document: &Document, path: &FieldPath, first: usize, most: usize) -> Vec<Part> {
    let mut parts = Vec::new();
    document.file().with_object_paths(|objects| {
        below(document.file().value(), path.steps(), &mut |value| {
            each_part(value, path, first..first.saturating_add(most), objects, &mut parts);
        });
    });
    parts
}

/// Calls `visit` with the value that the steps lead to.
fn below(value: &dyn Value, steps: &[Step], visit: &mut dyn FnMut(&dyn Value)) {
    let Some((step, further)) = steps.split_first() else { return visit(value) };
    let _ = match (value.node(), step) {
        (Node::Record(record), Step::Field(name)) => record.fields(&mut |field, value| {
            if field.name != name {
                return Continue(());
            }
            below(value, further, visit);
            Break(())
        }),
        (Node::Items(items), Step::Index(index)) => items.each(*index, &mut |_, item| {
            below(item, further, visit);
            Break(())
        }),
        _ => Continue(()),
    };
}

fn each_part(
    value: &dyn Value,
    path: &FieldPath,
    indices: Range<usize>,
    objects: &mut ObjectPaths<'_>,
    parts: &mut Vec<Part>,
) {
    let mut path = path.clone();
    let _ = match value.node() {
        Node::Record(record) => record.fields(&mut |field, value| {
            path.push(Step::from(field.name));
            if !is_empty(value) {
                parts.push(Part::new(value, &path, field.name.into(), objects));
            }
            path.pop();
            Continue(())
        }),
        Node::Items(items) => items.each(indices.start, &mut |index, item| {
            if index >= indices.end {
                return Break(());
            }
            path.push(Step::Index(index));
            parts.push(Part::new(item, &path, format!("[{index}]"), objects));
            path.pop();
            Continue(())
        }),
        _ => Continue(()),
    };
}

impl Part {
    fn new(value: &dyn Value, path: &FieldPath, label: String, objects: &mut ObjectPaths<'_>) -> Self {
        if let Some(list) = records(value, path, objects) {
            let id = Self::alone(value, path, label, objects).text;
            return Self { path: path.to_string(), list: Some(list.path), text: id, ..list };
        }
        Self::alone(value, path, label, objects)
    }

    fn alone(value: &dyn Value, path: &FieldPath, label: String, objects: &mut ObjectPaths<'_>) -> Self {
        let (text, parts) = match value.node() {
            Node::Leaf(_) => (leaf_text(value), 0),
            Node::Items(items) if is_small(items) => (joined(items), 0),
            Node::Items(items) => (String::new(), items.len()),
            Node::Record(record) => {
                let mut name = String::new();
                let mut fields = 0;
                let _ = record.fields(&mut |field, value| {
                    let is_text = |value: &dyn Value| matches!(value.node(), Node::Leaf(leaf) if matches!(leaf.plain(), Plain::Text(_)));
                    if name.is_empty() && ["name", "id"].contains(&field.name) && is_text(value) {
                        name = leaf_text(value);
                    }
                    fields += 1;
                    Continue(())
                });
                (name, fields)
            }
            Node::Absent | Node::Broken(_) => (String::new(), 0),
        };
        let own = objects.path(path);
        // The records of a chunk are the bones of the file.
        let label = match own.as_ref().map(FieldPath::steps) {
            Some([Step::Field(short)]) => short.to_string(),
            _ => label,
        };
        Self { path: path.to_string(), name: own.map(|own| own.to_string()), label, text, parts, list: None }
    }
}

/// Returns the list with a name of its own in a record.
fn records(value: &dyn Value, path: &FieldPath, objects: &mut ObjectPaths<'_>) -> Option<Part> {
    let Node::Record(record) = value.node() else { return None };
    let mut found = None;
    let _ = record.fields(&mut |field, value| {
        let mut path = path.clone();
        path.push(Step::from(field.name));
        let is_named = |own: FieldPath| matches!(own.steps(), [Step::Field(_)]);
        if matches!(value.node(), Node::Items(_)) && objects.path(&path).is_some_and(is_named) {
            found = Some(Part::alone(value, &path, field.name.into(), objects));
            return Break(());
        }
        Continue(())
    });
    found
}

/// Returns whether a value has no place in the file: it is absent, or there are no unread bytes.
fn is_empty(value: &dyn Value) -> bool {
    match value.node() {
        Node::Leaf(leaf) => leaf.class() == Class::Rest && leaf.size() == 0,
        node => matches!(node, Node::Absent),
    }
}

/// Returns whether a list is an array of few numbers: a point, a rotation, a colour.
fn is_small(items: &dyn Items) -> bool {
    let mut leaves = items.is_array() && items.len() <= 4;
    let _ = items.each(0, &mut |_, item| {
        leaves &= matches!(item.node(), Node::Leaf(_));
        Break(())
    });
    leaves
}

fn joined(items: &dyn Items) -> String {
    let mut texts = Vec::new();
    let _ = items.each(0, &mut |_, item| {
        texts.push(leaf_text(item));
        Continue(())
    });
    texts.join(", ")
}

fn leaf_text(value: &dyn Value) -> String {
    let Node::Leaf(leaf) = value.node() else { return String::new() };
    let mut text = Limited::new(64);
    if leaf.show(&mut text).is_err() {
        text.text.push('…');
    }
    text.text
}

/// An object of a `.x` file, after its parent.
#[derive(Serialize)]
pub(crate) struct Object {
    depth: usize,
    kind: String,
    name: String,
    path: String,
}

/// Returns the objects of a `.x` file in its order, at most `most`; none of other files.
pub(crate) fn objects(document: &Document, most: usize) -> bindpose::Result<Vec<Object>> {
    let File::X(file) = document.file() else { return Ok(Vec::new()) };
    let objects = file.objects()?;
    let mut parents = Vec::new();
    let each = objects.all().take(most).map(|object| {
        let parent = object.parent().map(|parent| parent.offset());
        while parents.last().is_some_and(|last| Some(*last) != parent) {
            parents.pop();
        }
        let depth = parents.len();
        parents.push(object.offset());
        let path = object.short_path().unwrap_or_else(|| object.path()).to_string();
        Object { depth, kind: name(object.template_name()), name: name(object.name()), path }
    });
    Ok(each.collect())
}
