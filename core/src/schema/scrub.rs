//! Bytes that are in a file but in no value: those after the end of texts.

use std::ops::ControlFlow::Continue;

use super::edit::{nowhere, value_mut};
use super::{FieldPath, NodeMut, Plain, Value};
use crate::Result;

/// Returns the texts of fixed length that end before their field, and the bytes after their end.
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

/// Zeroes the bytes after the end of the text at a path. The text does not change, so every text allows it.
///
/// # Errors
/// [`ErrorKind::Path`](crate::ErrorKind::Path) when no value is stored at the path.
pub fn scrub(root: &mut dyn Value, path: &FieldPath) -> Result<()> {
    let value = value_mut(root, path.steps()).ok_or_else(|| nowhere(path, "no value is stored here"))?;
    if let NodeMut::Leaf(leaf) = value.node_mut() {
        leaf.scrub();
    }
    Ok(())
}
