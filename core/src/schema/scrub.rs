//! What stands in a file and is no part of any value: bytes behind the end of texts.

use std::ops::ControlFlow::Continue;

use super::edit::{nowhere, value_mut};
use super::{FieldPath, NodeMut, Plain, Value};
use crate::Result;

/// The texts of fixed fields with something behind their end, and what that is.
#[must_use]
pub fn junk(root: &dyn Value) -> Vec<(FieldPath, Vec<u8>)> {
    let mut found = Vec::new();
    let _ = super::leaves(root, &mut |place, leaf| {
        if let Plain::Text(whole) = leaf.plain()
            && let Some(end) = whole.iter().position(|byte| *byte == 0)
            && leaf.is_field()
        {
            found.push((place.path.clone(), whole[end + 1..].to_vec()));
        }
        Continue(())
    });
    found
}

/// Zeroes what stands behind the end of the text at a path. The text stays what it is, so this is allowed everywhere.
///
/// # Errors
/// [`ErrorKind::Path`](crate::ErrorKind::Path) when the path leads nowhere.
pub fn scrub(root: &mut dyn Value, path: &FieldPath) -> Result<()> {
    let value = value_mut(root, path.steps()).ok_or_else(|| nowhere(path, "it is not stored by itself"))?;
    if let NodeMut::Leaf(leaf) = value.node_mut() {
        leaf.scrub();
    }
    Ok(())
}
