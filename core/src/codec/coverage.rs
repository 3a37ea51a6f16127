//! Which fields of a format occur in generated files.

use std::collections::BTreeSet;

#[cfg(feature = "strategies")]
use super::Generate;
use crate::schema::{Length, Node, RecordShape, Shape, Value, each_field, each_item};

/// The fields of a format that no file has had so far, each as `Struct.field`, and the forms that no choice has had, as
/// `Struct.field.form`. A law about some files says nothing about them.
///
/// Bytes between fields and after the last one are not expected: a valid file has none.
///
/// ```
/// use bindpose::codec::{Coverage, Format};
/// use bindpose::formats::ms3d::{Joint, Ms3d};
/// use bindpose::schema::Schema;
/// let mut coverage = Coverage::of(&Ms3d::shape());
/// assert!(coverage.missing().any(|field| field == "Joint.name"));
/// let mut file = Ms3d::blank_file();
/// file.joints.push(Joint::default());
/// coverage.record(&file);
/// assert!(coverage.missing().all(|field| field != "Joint.name"));
/// ```
#[derive(Clone, Debug)]
pub struct Coverage(BTreeSet<String>);

impl Coverage {
    /// Returns the coverage by no file of this shape.
    #[must_use]
    pub fn of(shape: &Shape) -> Self {
        let mut expected = BTreeSet::new();
        collect(shape, None, &mut expected);
        Self(expected)
    }

    /// Adds the fields of a file that have bytes.
    pub fn record(&mut self, file: &dyn Value) {
        remove(file, &mut self.0);
    }

    /// Returns the fields and forms that no file has had.
    pub fn missing(&self) -> impl Iterator<Item = &str> {
        self.0.iter().map(String::as_str)
    }
}

/// Returns the fields that none of 256 generated files has: the strategy needs sizes and offsets that fit, or words that select
/// the form.
#[cfg(feature = "strategies")]
pub(super) fn missing_fields<F: Generate>() -> Vec<String> {
    let mut coverage = Coverage::of(&F::shape());
    (0..256).for_each(|seed| coverage.record(&F::generate(&entropy(seed))));
    coverage.missing().map(str::to_owned).collect()
}

/// Returns as many bytes as [`any_file`](super::any_file) takes at most.
#[cfg(feature = "strategies")]
fn entropy(seed: u64) -> Vec<u8> {
    let mut state = seed;
    let word = || {
        state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (state ^ (state >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb).to_le_bytes()
    };
    std::iter::repeat_with(word).take(375).flatten().collect()
}

/// Collects the fields of the records in a shape; `of` is the field that has it.
fn collect(shape: &Shape, of: Option<&str>, expected: &mut BTreeSet<String>) {
    match shape {
        Shape::Record(record) => collect_fields(record, expected),
        Shape::Choice(choice) => {
            for form in &choice.fields {
                expected.extend(of.map(|of| format!("{of}.{}", form.name)));
                collect(&form.shape, None, expected);
            }
        }
        Shape::List(inner, _)
        | Shape::Optional(inner)
        | Shape::Part(inner)
        | Shape::Placed(inner)
        | Shape::Region(inner) => {
            collect(inner, of, expected);
        }
        Shape::Written { of: inner, .. } => collect(inner, of, expected),
        Shape::Recursive(own) => collect(own.shape(), of, expected),
        Shape::Packed { content, .. } => collect(content, of, expected),
        Shape::Scalar(_) | Shape::Flags(_) | Shape::Bytes(_) | Shape::Nothing | Shape::Spelled(_) => {}
    }
}

fn collect_fields(record: &RecordShape, expected: &mut BTreeSet<String>) {
    for field in &record.fields {
        let name = format!("{}.{}", record.name, field.name);
        let is_new = !is_extra(&field.shape) && expected.insert(name.clone());
        if is_new {
            collect(&field.shape, Some(&name), expected);
        }
    }
}

/// Returns whether a valid file can lack all values of a shape.
fn is_extra(shape: &Shape) -> bool {
    match shape {
        Shape::Optional(inner) => is_extra(inner),
        Shape::Nothing | Shape::Bytes(Length::Damage | Length::ToEnd) => true,
        _ => false,
    }
}

/// Removes the fields that a value has.
fn remove(value: &dyn Value, expected: &mut BTreeSet<String>) {
    if let Some(content) = value.inside() {
        remove(content, expected);
    }
    match value.node() {
        Node::Record(record) => {
            each_field(record, |field, value| {
                let name = format!("{}.{}", record.type_name(), field.name);
                if value.size() > 0 {
                    expected.remove(&name);
                }
                remove_forms(value, &name, expected);
                remove(value, expected);
            });
        }
        Node::Items(items) => each_item(items, |_, item| remove(item, expected)),
        Node::Leaf(_) | Node::Absent | Node::Broken(_) => {}
    }
}

/// Removes the form of a choice, or the forms of the choices in a list.
fn remove_forms(value: &dyn Value, field: &str, expected: &mut BTreeSet<String>) {
    if let Some(choice) = value.choice() {
        expected.remove(&format!("{field}.{}", choice.name));
    } else if let Node::Items(items) = value.node() {
        each_item(items, |_, item| remove_forms(item, field, expected));
    }
}
