//! Loops over the parts of a value that need no control flow.

use std::ops::ControlFlow::{Break, Continue};

use super::{FieldInfo, Items, Record, Value};

/// Visits all fields of a record.
pub(crate) fn each_field(record: &dyn Record, mut visit: impl FnMut(&'static FieldInfo, &dyn Value)) {
    find_field(record, |field, value| {
        visit(field, value);
        None::<()>
    });
}

/// As [`each_field`], including those after the end of a truncated file.
pub(crate) fn each_of_all(record: &dyn Record, mut visit: impl FnMut(&'static FieldInfo, &dyn Value)) {
    find_of_all(record, |field, value| {
        visit(field, value);
        None::<()>
    });
}

/// Returns the first result for a field of a record.
pub(crate) fn find_field<T>(
    record: &dyn Record,
    mut find: impl FnMut(&'static FieldInfo, &dyn Value) -> Option<T>,
) -> Option<T> {
    let mut found = None;
    let _ = record.fields(&mut |field, value| {
        found = find(field, value);
        if found.is_some() { Break(()) } else { Continue(()) }
    });
    found
}

/// As [`find_field`], including the fields after the end of a truncated file.
pub(crate) fn find_of_all<T>(
    record: &dyn Record,
    mut find: impl FnMut(&'static FieldInfo, &dyn Value) -> Option<T>,
) -> Option<T> {
    let mut found = None;
    let _ = record.all_fields(&mut |field, value| {
        found = find(field, value);
        if found.is_some() { Break(()) } else { Continue(()) }
    });
    found
}

/// Visits all elements of a list.
pub(crate) fn each_item(items: &dyn Items, mut visit: impl FnMut(usize, &dyn Value)) {
    find_item(items, 0, |index, item| {
        visit(index, item);
        None::<()>
    });
}

/// Returns the first result for an element of a list, from one on.
pub(crate) fn find_item<T>(
    items: &dyn Items,
    first: usize,
    mut find: impl FnMut(usize, &dyn Value) -> Option<T>,
) -> Option<T> {
    let mut found = None;
    let _ = items.each(first, &mut |index, item| {
        found = find(index, item);
        if found.is_some() { Break(()) } else { Continue(()) }
    });
    found
}

/// Returns the result for the element at an index; nothing if there is none.
pub(crate) fn at_index<T>(
    items: &dyn Items,
    index: usize,
    mut see: impl FnMut(&dyn Value) -> T,
) -> Option<T> {
    find_item(items, index, |_, item| Some(see(item)))
}
