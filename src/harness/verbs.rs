//! Laws between the verbs: what they say about one file agrees, and edits of damaged files lose nothing.

use std::ops::{ControlFlow, Range};

use super::fuzz_file;
use crate::codec::{Options, Verdict};
use crate::schema::{FieldPath, Leaf, Node, Place, Role, Step, Value, Visitor, truncation, walk};
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
/// * Deleting an element removes its bytes, and no others.
/// * Setting a number and setting it back restores the file.
///
/// # Panics
/// If a law is violated.
pub fn verbs_agree(kind: FileKind, bytes: &[u8], options: &Options) -> bool {
    let Ok(file) = kind.decode(bytes, options) else { return false };
    damage_is_reported(&file, bytes);
    let mut places = Places::default();
    let _ = walk(file.value(), &mut places);
    for list in places.lists.iter().take(MOST).chain(places.lists.iter().skip(MOST).rev().take(MOST)) {
        list.loses_only_its_own_bytes(&file, bytes);
    }
    for path in places.numbers.iter().take(MOST).chain(places.numbers.iter().skip(MOST).rev().take(MOST)) {
        is_restored(&file, bytes, path);
    }
    true
}

fn damage_is_reported(file: &File, bytes: &[u8]) {
    let damage = file.damage();
    let verdict = file.verify(bytes).verdict;
    assert_eq!(matches!(verdict, Verdict::Damaged(_)), damage.is_some(), "{verdict:?}, but {damage:?}");
    let report = file.check(bytes, 4);
    let found = report.findings.iter().find(|finding| finding.rule.code == DAMAGED);
    let found = found.map(|finding| (finding.range.start, &finding.path));
    assert_eq!(
        found,
        damage.as_ref().map(|damage| (damage.offset(), damage.path())),
        "check and roundtrip disagree"
    );
}

/// A list whose elements can be deleted alone.
struct List {
    path: FieldPath,
    /// The bytes of its first and its last element.
    elements: Vec<(usize, Range<u64>)>,
}

fn range_end(range: &Range<u64>) -> usize {
    usize::try_from(range.end).expect("within the file")
}

/// The largest change of the width of a count.
const COUNT: usize = 8;

impl List {
    fn loses_only_its_own_bytes(&self, file: &File, bytes: &[u8]) {
        for (index, range) in &self.elements {
            let mut path = self.path.clone();
            path.push(Step::Index(*index));
            let mut edited = file.clone();
            if edited.delete(&path.to_string()).is_err() {
                continue;
            }
            let Ok(again) = edited.reread() else { continue };
            let own = usize::try_from(range.end - range.start).expect("within the file");
            let lost = bytes.len().checked_sub(again.bytes().len()).expect("a shorter file");
            // The incomplete leaf that a truncated file ends in is its rest, whatever contains it.
            let rest = if truncation(file.value()).is_some() { bytes.len() - range_end(range) } else { 0 };
            assert!(
                (own..=own + COUNT).contains(&lost) || lost == own + rest,
                "deleting {path} of {own} bytes removes {lost}"
            );
        }
    }
}

fn is_restored(file: &File, bytes: &[u8], path: &FieldPath) {
    let path = path.to_string();
    let Ok(values) = file.get_text(&path) else { return };
    let [(_, old)] = &values[..] else { return };
    for new in ["0", "1"] {
        let mut edited = file.clone();
        if edited.set_text(&path, new).is_err() || edited.reread().is_err() {
            continue;
        }
        edited.set_text(&path, old).unwrap_or_else(|error| panic!("{path}={old}: {error}"));
        assert_eq!(edited.encode().as_deref(), Ok(bytes), "{path}={new}, then {path}={old}");
    }
}

/// Collects lists and numbers.
#[derive(Default)]
struct Places {
    lists: Vec<List>,
    numbers: Vec<FieldPath>,
}

/// The types of numbers that have one encoding.
const FIXED: [&str; 9] = ["u8", "i8", "u16", "i16", "u32", "i32", "u64", "i64", "f32"];

impl Visitor for Places {
    fn leaf(&mut self, place: &Place, leaf: &dyn Leaf) -> ControlFlow<()> {
        if place.role == Role::Free && FIXED.contains(&leaf.type_name()) {
            self.numbers.push(place.path.clone());
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
