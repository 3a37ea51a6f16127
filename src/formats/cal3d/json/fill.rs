//! Sets a value from JSON member by member, without its bytes.

use std::ops::ControlFlow::{Break, Continue};

use crate::formats::json_tree::Tree;
use crate::schema::{EditError, FieldPath, NodeMut, Record, Step, Value};
use crate::{Error, ErrorKind, Result};

/// Sets the parts of a value that a JSON text has; lists get its number of elements, and absent parts are made present.
/// Counts follow from their lists.
/// Everything else stays as it is. `offset` is the place of the text, for errors.
///
/// For values that cannot be read from bytes in the layout of their shape, because other data decides which parts they have.
///
/// # Errors
/// [`ErrorKind::Value`] at the offset with the path of a member that the value does not have, or that is not a value of its field.
pub(super) fn fill(value: &mut dyn Value, tree: &Tree, offset: u64) -> Result<()> {
    let mut path = Vec::new();
    part(value, tree, &mut path)
        .map_err(|why| Error::new(offset, ErrorKind::Value(why)).at(FieldPath::from(path)))
}

fn part(value: &mut dyn Value, tree: &Tree, path: &mut Vec<Step>) -> Result<(), EditError> {
    if *tree == Tree::Null {
        return Ok(());
    }
    if matches!(value.node_mut(), NodeMut::Absent) {
        value.create(None)?;
    }
    if let Some(name) = value.choice().map(|choice| choice.name) {
        return body(value, name, tree, path);
    }
    inside(value, tree, path)
}

/// Sets the body of a choice: `{"name": body}`, or `"name"` if it has no bytes.
fn body(value: &mut dyn Value, name: &str, tree: &Tree, path: &mut Vec<Step>) -> Result<(), EditError> {
    match tree {
        Tree::Object(members) if members.len() == 1 && *members[0].0 == *name => {
            inside(value, &members[0].1, path)
        }
        Tree::Text(own) if **own == *name => Ok(()),
        _ => Err(format!("expected the layout `{name}`").into()),
    }
}

fn inside(value: &mut dyn Value, tree: &Tree, path: &mut Vec<Step>) -> Result<(), EditError> {
    match (value.node_mut(), tree) {
        (NodeMut::Record(record), Tree::Object(members)) => members.iter().try_for_each(|(name, tree)| {
            path.push(Step::Field(name.to_string().into()));
            if record.field_mut(name).is_none() && is_computed(record, name) {
                path.pop();
                return Ok(());
            }
            part(record.field_mut(name).ok_or("unknown field")?, tree, path)?;
            path.pop();
            Ok(())
        }),
        (NodeMut::Items(_), tree) => {
            let rows = rows(tree)?;
            let items = rows.as_deref().or_else(|| tree.items()).ok_or("expected a list")?;
            list(value, items, path)
        }
        (NodeMut::Leaf(leaf), Tree::Number(text) | Tree::Text(text)) => leaf.assign(text),
        (NodeMut::Leaf(leaf), Tree::List(lines)) => {
            let lines: Option<String> = lines.iter().map(Tree::text).collect();
            leaf.assign(&lines.ok_or("expected a value")?)
        }
        (NodeMut::Record(_), _) => Err("expected an object".into()),
        _ => Err("expected a value".into()),
    }
}

/// Returns whether a field of a record follows from others.
fn is_computed(record: &dyn Record, name: &str) -> bool {
    record.all_fields(&mut |field, _| if field.name == name { Break(()) } else { Continue(()) }).is_break()
}

fn list(value: &mut dyn Value, items: &[Tree], path: &mut Vec<Step>) -> Result<(), EditError> {
    let NodeMut::Items(list) = value.node_mut() else { return Ok(()) };
    while list.len() < items.len() && list.push_blank() {}
    if list.len() > items.len() {
        list.keep(items.len());
    }
    if list.len() != items.len() {
        return Err(format!("expected {} elements, got {}", list.len(), items.len()).into());
    }
    let indices: Vec<_> = (0..items.len()).collect();
    let mut why = None;
    let result = list.change(&indices, &mut |index, item| {
        path.push(Step::Index(index));
        if let Err(error) = part(item, &items[index], path) {
            why = Some(error);
            return Err(Error::new(0, ErrorKind::Value("refused".into())));
        }
        path.pop();
        Ok(())
    });
    match (result, why) {
        (_, Some(why)) => Err(why),
        (Err(error), None) => Err(error.kind().to_string().into()),
        (Ok(()), None) => Ok(()),
    }
}

/// Returns the elements of a table, which names their fields once: `{"fields": [..], "rows": [..]}`.
fn rows(tree: &Tree) -> Result<Option<Vec<Tree>>, EditError> {
    let Tree::Object(_) = tree else { return Ok(None) };
    let table = || {
        let names: Vec<&str> =
            tree.member("fields")?.items()?.iter().map(Tree::text).collect::<Option<_>>()?;
        let element = |row: &Tree| {
            let cells = row.items().filter(|cells| cells.len() == names.len())?;
            let members = names.iter().zip(cells).map(|(name, cell)| ((*name).into(), cell.clone()));
            Some(Tree::Object(members.collect()))
        };
        tree.member("rows")?.items()?.iter().map(element).collect::<Option<Vec<_>>>()
    };
    table().map(Some).ok_or_else(|| "expected a list, or `fields` and `rows` of the same width".into())
}
