//! Parts that a file does not have, made present.

use std::ops::ControlFlow::Continue;

use super::edit::{items_mut, nowhere, value_mut};
use super::{Node, Path, Refusal, Value};
use crate::{Error, Kind, Result};

/// Makes the absent values on the way to a path present, of zeros; a choice at its end takes the body of this name.
/// Says which it made. Lists in it that must be as long as others grow to their length.
///
/// What stands elsewhere and says that the value is there is not touched: see whether the file still reads back.
///
/// # Errors
/// [`Kind::Path`] when the path leads nowhere; [`Kind::Value`] when the value is there already.
pub fn create(root: &mut dyn Value, path: &Path, body: Option<&str>) -> Result<Vec<Path>> {
    let mut created = Vec::new();
    for len in 1..=path.steps().len() {
        let steps = &path.steps()[..len];
        let is_last = len == path.steps().len();
        let value = value_mut(root, steps).ok_or_else(|| nowhere(path, "no such place can be created"))?;
        let is_absent = value.choice().is_none()
            && !matches!(value.node(), Node::Record(_) | Node::Items(_) | Node::Leaf(_));
        if is_last || is_absent {
            let at = Path::from(steps.to_vec());
            let refuse = |why: Refusal| Error::new(0, Kind::Value(why.0)).at(at.clone());
            value.create(body.filter(|_| is_last)).map_err(refuse)?;
            created.push(at);
        }
    }
    fill_sisters(root);
    Ok(created)
}

/// Lets the lists of the root's parts that are shorter than their sisters grow.
fn fill_sisters(root: &mut dyn Value) {
    let mut pairs = Vec::new();
    if let Node::Record(record) = root.node() {
        let _ = record.fields(&mut |field, value| {
            if let Node::Items(items) = value.node() {
                pairs.extend(field.sisters.iter().map(|sister| (*sister, items.len())));
            }
            Continue(())
        });
    }
    for (sister, len) in pairs {
        let Ok(path) = sister.parse() else { continue };
        let Some(items) = items_mut(root, &path) else { continue };
        while items.len() < len && items.insert(items.len()) {}
    }
}
