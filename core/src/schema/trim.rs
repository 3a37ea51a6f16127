//! Cuts a truncated value to the elements that its file holds.

use super::{FieldPath, Items, Node, NodeMut, Value, each_of_all, find_item};

/// A loss of [`trim`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Trimmed {
    /// A list keeps the elements that are complete.
    List {
        /// The list.
        path: FieldPath,
        /// The number of elements that are kept.
        kept: usize,
        /// The number of elements that the file announced.
        announced: usize,
    },
    /// A text keeps the bytes before the end of the file.
    Text {
        /// The text.
        path: FieldPath,
        /// The number of bytes that are kept.
        kept: usize,
        /// The number of bytes that the length announced.
        announced: usize,
    },
    /// A field is after the end of the file, or the end lies in it. Its missing bytes are zeros.
    Field {
        /// The field.
        path: FieldPath,
    },
}

impl Trimmed {
    /// The list, the text or the field.
    #[must_use]
    pub const fn path(&self) -> &FieldPath {
        match self {
            Self::List { path, .. } | Self::Text { path, .. } | Self::Field { path } => path,
        }
    }
}

/// Cuts the lists of a decoded file to the elements that are complete within its first `len` bytes, and a text to the bytes that
/// are there. Returns what is lost. Counts and lengths then follow from the lists and the text.
///
/// An element that is cut after the first elements of a list of its own keeps those.
pub fn trim(root: &mut dyn Value, len: u64) -> Vec<Trimmed> {
    let mut lost = Vec::new();
    trim_value(root, len, &FieldPath::root(), &mut lost);
    lost
}

/// Trims a value of which `left` bytes are there. Returns whether enough is there to keep it.
fn trim_value(value: &mut dyn Value, left: u64, path: &FieldPath, lost: &mut Vec<Trimmed>) -> bool {
    let is_whole = value.size() <= left;
    let fields = fields(value);
    match value.node_mut() {
        NodeMut::Items(items) => trim_list(items, left, path, lost),
        NodeMut::Record(record) => {
            let mut keeps = true;
            let mut has_elements = false;
            let mut start = 0;
            for (name, size, is_stored_list) in fields {
                let end = start + size;
                let path = path.with(name);
                let is_kept = match record.field_mut(name) {
                    Some(field) if end >= left => trim_value(field, left.saturating_sub(start), &path, lost),
                    _ => end <= left,
                };
                if !is_kept {
                    keeps &= has_elements;
                    lost.push(Trimmed::Field { path });
                }
                has_elements |= is_stored_list && start < left;
                start = end;
            }
            keeps
        }
        NodeMut::Leaf(leaf) => {
            if let Some((kept, announced)) = leaf.shorten() {
                lost.push(Trimmed::Text { path: path.clone(), kept, announced });
            }
            is_whole
        }
        NodeMut::Absent => true,
    }
}

/// Returns the name and the size of each field of a record, and whether it is a list with elements, the number of which a count
/// determines.
fn fields(value: &dyn Value) -> Vec<(&'static str, u64, bool)> {
    let mut fields = Vec::new();
    if let Node::Record(record) = value.node() {
        each_of_all(record, |info, value| {
            let is_stored_list =
                matches!(value.node(), Node::Items(items) if !items.is_array() && !items.is_empty());
            fields.push((info.name, value.size(), is_stored_list));
        });
    }
    fields
}

/// Trims a list. Returns whether it can be kept: not if an element of a list of fixed length is lost.
fn trim_list(items: &mut dyn Items, left: u64, path: &FieldPath, lost: &mut Vec<Trimmed>) -> bool {
    let (announced, len) = (items.announced(), items.len());
    let mut start = 0;
    let at_end = find_item(items, 0, |index, item| {
        let own = start;
        start += item.size();
        (start >= left).then_some((index, own, start))
    });
    let mut kept = len;
    let mut inside = Vec::new();
    if let Some((index, start, end)) = at_end {
        kept = index + usize::from(end <= left);
        if start < left
            && let Some(item) = items.item_mut(index)
        {
            let path = path.with(index);
            kept = index + usize::from(trim_value(item, left - start, &path, &mut inside));
        }
        if kept > index {
            lost.append(&mut inside);
        }
    }
    if kept == announced {
        return true;
    }
    let is_cut = items.keep(kept);
    if is_cut {
        lost.push(Trimmed::List { path: path.clone(), kept, announced });
    }
    is_cut
}
