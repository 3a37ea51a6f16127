//! Laws between the verbs: what they say about one file agrees, and edits of damaged files lose nothing.

use std::ops::{ControlFlow, Range};

use super::{edit_is_local, fuzz_file};
use crate::check::Report;
use crate::codec::{Options, Verdict};
use crate::schema::{
    Class, FieldPath, Leaf, Node, Place, Role, Step, Value, Visitor, bytes_of, leaves, locate, truncation,
    walk,
};
use crate::{File, FileKind};

/// The rule for damage.
const DAMAGED: &str = "any/damaged";

/// The number of lists, and of values, that are edited in a file.
const MOST: usize = 12;

/// The body of the fuzz target for the laws between verbs. The input is the number of bytes that are cut off the end, and a
/// [file](fuzz_file).
///
/// # Panics
/// As [`verbs_agree`].
pub fn fuzz_verbs(bytes: &[u8]) {
    let Some((cut, bytes)) = bytes.split_first_chunk::<2>() else { return };
    let Some(file) = fuzz_file(bytes) else { return };
    let bytes = file.encode().expect("a decoded file can be encoded");
    let lost = usize::from(u16::from_le_bytes(*cut)) % (bytes.len() + 1);
    verbs_agree(file.kind(), &bytes[..bytes.len() - lost], &file.options());
}

/// Asserts the laws between the verbs for the bytes of a file, which can be damaged. Returns whether it decodes.
///
/// * A file is damaged for the round trip if and only if it is for `check`, at the same place.
/// * The bytes of a finding are those at its path, or some of them.
/// * Deleting an element removes its bytes, and no others.
/// * Setting a value changes its bytes, and no others; setting it back restores the file.
///
/// # Panics
/// If a law is violated.
pub fn verbs_agree(kind: FileKind, bytes: &[u8], options: &Options) -> bool {
    let Ok(file) = kind.decode(bytes, options) else { return false };
    let report = file.check(bytes, 4);
    damage_is_reported(&file, bytes, &report);
    findings_are_located(&file, &report);
    let mut places = Places::default();
    let _ = walk(file.value(), &mut places);
    first_and_last(&places.lists).for_each(|list| list.loses_only_its_own_bytes(&file));
    first_and_last(&places.values).for_each(|(path, new)| is_restored(&file, bytes, path, new));
    true
}

fn first_and_last<T>(all: &[T]) -> impl Iterator<Item = &T> {
    all.iter().take(MOST).chain(all.iter().skip(MOST).rev().take(MOST))
}

fn damage_is_reported(file: &File, bytes: &[u8], report: &Report) {
    let damage = file.damage();
    let verdict = file.verify(bytes).verdict;
    assert_eq!(matches!(verdict, Verdict::Damaged(_)), damage.is_some(), "{verdict:?}, but {damage:?}");
    let found = report.findings.iter().find(|finding| finding.rule.code == DAMAGED);
    let found = found.map(|finding| (finding.range.start, &finding.path));
    assert_eq!(
        found,
        damage.as_ref().map(|damage| (damage.offset(), damage.path())),
        "check and roundtrip disagree"
    );
}

fn findings_are_located(file: &File, report: &Report) {
    for finding in report.findings.iter().filter(|finding| finding.rule.code != DAMAGED) {
        let Ok(places) = locate(file.value(), &finding.path) else { continue };
        let start = places.iter().map(|place| place.range.start).min().unwrap_or_default();
        let end = places.iter().map(|place| place.range.end).max().unwrap_or_default();
        let range = &finding.range;
        let is_within = start <= range.start && range.end <= end;
        assert!(
            is_within || is_object(file, &finding.path),
            "{} {}: {range:?}, expected {:?}",
            finding.rule.code,
            finding.path,
            start..end
        );
    }
}

/// Whether a path selects an object of a `.x` file: its findings are at its name, or where a value is missing.
fn is_object(file: &File, path: &FieldPath) -> bool {
    let File::X(file) = file else { return false };
    file.objects().is_ok_and(|objects| objects.all().any(|object| object.path() == *path))
}

/// A list whose elements can be deleted alone.
struct List {
    path: FieldPath,
    /// The bytes of its first and its last element.
    elements: Vec<(usize, Range<u64>)>,
}

impl List {
    fn loses_only_its_own_bytes(&self, file: &File) {
        for (index, range) in &self.elements {
            let mut path = self.path.clone();
            path.push(Step::Index(*index));
            let mut edited = file.clone();
            if edited.delete(&path.to_string()).is_err() {
                continue;
            }
            let Ok(again) = edited.reread() else { continue };
            // The rest of an element that a truncated file ends in goes with it.
            let ends =
                truncation(file.value()).is_some_and(|own| own.end().steps().starts_with(path.steps()));
            let lost = if ends { range.start..u64::MAX } else { range.clone() };
            let (before, after) = (contents(file, &lost), contents(again.file(), &(0..0)));
            assert!(before == after, "deleting {path} changes other bytes\n{before:x?}\n{after:x?}");
        }
    }
}

/// Returns the bytes of all leaves outside a range, except counts of elements and offsets to them.
fn contents(file: &File, except: &Range<u64>) -> Vec<u8> {
    let mut bytes = Vec::new();
    let _ = leaves(file.value(), &mut |place, leaf| {
        let is_derived = matches!(place.role, Role::Counts(_) | Role::Places(_));
        if !is_derived && !(leaf.size() > 0 && except.contains(&place.offset)) {
            bytes.extend(bytes_of(leaf));
        }
        ControlFlow::Continue(())
    });
    bytes
}

/// Sets a value and sets it back.
fn is_restored(file: &File, bytes: &[u8], path: &FieldPath, new: &str) {
    let path = path.to_string();
    let Ok(values) = file.get_text(&path) else { return };
    let [(_, old)] = &values[..] else { return };
    // A longer text replaces bytes after an empty one.
    if !edit_is_local(file, &path, new) || old.is_empty() {
        return;
    }
    let mut edited = file.clone();
    edited.set_text(&path, new).expect("an accepted value");
    edited.set_text(&path, old).unwrap_or_else(|error| panic!("{path}={old}: {error}"));
    assert!(edited.encode().as_deref() == Ok(bytes), "{path}={new}, then {path}={old} changes the file");
}

/// Collects lists, and values with another value.
#[derive(Default)]
struct Places {
    lists: Vec<List>,
    values: Vec<(FieldPath, &'static str)>,
}

/// The types of numbers that have one encoding.
const FIXED: [&str; 9] = ["u8", "i8", "u16", "i16", "u32", "i32", "u64", "i64", "f32"];

impl Visitor for Places {
    fn leaf(&mut self, place: &Place, leaf: &dyn Leaf) -> ControlFlow<()> {
        let new = match leaf.class() {
            Class::Integer | Class::Float if FIXED.contains(&leaf.type_name()) => Some("1"),
            Class::Text => Some("a"),
            _ => None,
        };
        if let Some(new) = new.filter(|_| place.role == Role::Free) {
            self.values.push((place.path.clone(), new));
        }
        ControlFlow::Continue(())
    }

    fn enter(&mut self, place: &Place, _: &dyn Value, node: &Node<'_>) -> ControlFlow<(), bool> {
        let is_alone = place.field.is_none_or(|field| field.same_length_as.is_empty());
        if let Node::Items(items) = node
            && !items.is_array()
            && items.text().is_none()
            && is_alone
        {
            let mut elements = Vec::new();
            let mut start = place.offset;
            let last = items.len().saturating_sub(1);
            let _ = items.each(0, &mut |index, item| {
                let end = start + item.size();
                if index == 0 || index == last {
                    elements.push((index, start..end));
                }
                start = end;
                ControlFlow::Continue(())
            });
            self.lists.push(List { path: place.path.clone(), elements });
        }
        ControlFlow::Continue(true)
    }
}
