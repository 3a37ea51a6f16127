//! Values that JSON omits, because they follow from others.

use crate::schema::{
    Class, FieldInfo, Node, Origin, PlacedPart, Plain, Record, Role, Value, bytes_of, each_field, each_item,
    hex, text_of,
};
use crate::wire::stored_size;

/// Returns whether a value can be omitted: it has no bytes and is not an empty list.
pub(super) fn is_missing(value: &dyn Value) -> bool {
    if value.choice().is_some() {
        return false;
    }
    match value.node() {
        Node::Absent | Node::Broken(_) => true,
        Node::Leaf(leaf) => leaf.class() == Class::Rest && leaf.size() == 0,
        Node::Record(_) | Node::Items(_) => false,
    }
}

/// Returns whether a value is padding of zeros, whose number follows from the fields before it.
pub(super) fn is_blank_padding(value: &dyn Value) -> bool {
    let Node::Leaf(leaf) = value.node() else { return false };
    leaf.type_name() == "padding" && bytes_of(leaf).iter().all(|byte| *byte == 0)
}

/// Returns a prefix whose encoding differs from a new one.
pub(super) fn unusual(prefix: &dyn Value, value: &dyn Value) -> Option<String> {
    let Node::Leaf(prefix) = prefix.node() else { return None };
    if prefix.plain() == Plain::Bytes {
        return Some(hex(&bytes_of(prefix)));
    }
    let (count, own) = (text_of(prefix), measure(value)?);
    (count.parse() != Ok(own)).then_some(count)
}

/// Returns the value of a count or length.
fn measure(value: &dyn Value) -> Option<u64> {
    match value.node() {
        Node::Items(items) => u64::try_from(items.len()).ok(),
        Node::Leaf(leaf) => Some(leaf.size()),
        _ => None,
    }
}

/// Returns the counts, sizes and tags that can be derived from other fields, and in a complete file the offsets in the record.
pub(super) fn implied(record: &dyn Record, is_complete: bool) -> Vec<&'static str> {
    let mut asked: Vec<(&'static FieldInfo, &'static str, u64)> = Vec::new();
    let mut implied = Vec::new();
    // The size of the last field, if it is the target of one.
    let mut sized: Option<(&'static FieldInfo, u64, u64)> = None;
    each_field(record, |field, value| {
        if let Some((computed, size, number)) = sized.take() {
            let size = size + if is_tail(value) { value.size() } else { 0 };
            implied.extend((size == number).then_some(computed.name));
        }
        if field.origin == Origin::Computed
            && let Role::Counts(target)
            | Role::Sizes(target, _)
            | Role::Follows(target)
            | Role::Decides(target)
            | Role::Places(target) = field.role
        {
            asked.extend(number_of(value).map(|number| (field, target, number)));
        }
        for (computed, target, number) in &asked {
            let follows = *target == field.name
                && match computed.role {
                    Role::Counts(_) => measure(value) == Some(*number),
                    Role::Sizes(_, plus) => {
                        // In a truncated file, a number before nothing would be read as missing.
                        if is_complete || !is_missing(value) {
                            sized = Some((computed, stored_size(value) + plus, *number));
                        }
                        false
                    }
                    Role::Follows(_) => is_complete && !value.contradicts(),
                    Role::Places(_) => false,
                    _ => tag(value) == Some(*number),
                };
            if follows {
                implied.push(computed.name);
            }
        }
    });
    implied.extend(sized.and_then(|(computed, size, number)| (size == number).then_some(computed.name)));
    for (computed, target, number) in asked {
        let is_offset = matches!(computed.role, Role::Places(_));
        placed_part(record, target, &mut |at, part| {
            let own = if is_offset { is_complete.then_some(at) } else { measure(part) };
            implied.extend((own == Some(number)).then_some(computed.name));
        });
    }
    implied
}

fn is_tail(value: &dyn Value) -> bool {
    matches!(value.node(), Node::Leaf(leaf) if leaf.type_name() == "tail")
}

/// Returns the fields of the root with correct offsets of the elements of other fields.
pub(super) fn right_places(root: &dyn Value) -> Vec<&'static FieldInfo> {
    let mut right = Vec::new();
    let Node::Record(record) = root.node() else { return right };
    each_field(record, |field, value| {
        if let (Origin::Computed, Role::Places(target), Node::Items(said)) =
            (field.origin, field.role, value.node())
        {
            let mut bytes = Vec::new();
            said.bytes(0..said.len(), &mut bytes);
            let places = places_of(record, target);
            let is_right = said.item_size() == Some(size_of::<u64>())
                && bytes.chunks_exact(size_of::<u64>()).eq(places.iter().map(|place| place.to_le_bytes()));
            right.extend(is_right.then_some(field));
        }
    });
    right
}

/// Returns the part of a layout that has its own bytes, and its offset: `sections.skins`.
fn placed_part(record: &dyn Record, target: &str, see: &mut dyn FnMut(u64, &dyn Value)) {
    let Some((layout, name)) = target.split_once('.') else { return };
    let mut start = 0;
    each_field(record, |field, value| {
        let mut at = start;
        start += value.size();
        if let Node::Record(parts) = value.node()
            && field.name == layout
        {
            each_field(parts, |field, part| {
                if field.name == name && part.placed().is_some_and(PlacedPart::is_laid_out) {
                    see(at, part);
                }
                at += part.size();
            });
        }
    });
}

/// Returns the offsets of the elements of a field of the root.
fn places_of(root: &dyn Record, name: &str) -> Vec<u64> {
    let mut places = Vec::new();
    let mut at = 0;
    each_field(root, |field, value| match value.node() {
        Node::Items(items) if field.name == name => each_item(items, |_, item| {
            places.push(at);
            at += item.size();
        }),
        _ => at += value.size(),
    });
    places
}

fn number_of(value: &dyn Value) -> Option<u64> {
    let Node::Leaf(leaf) = value.node() else { return None };
    if leaf.class() != Class::Integer || leaf.plain() != Plain::Shown {
        return None;
    }
    text_of(leaf).parse().ok()
}

fn tag(value: &dyn Value) -> Option<u64> {
    value.choice()?.tag.and_then(|tag| u64::try_from(tag).ok())
}
