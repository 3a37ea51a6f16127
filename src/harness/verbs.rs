//! Laws between the verbs: what they say about one file agrees, and edits of damaged files lose nothing.

use std::collections::{BTreeSet, HashMap};
use std::ops::{ControlFlow, Range};

use super::edit_is_local;
use super::fuzz::fuzz_prefix;
use crate::check::Report;
use crate::codec::{Options, Verdict};
use crate::diff::{Change, diff};
use crate::edit::{Entity, Name, Renames, names, remove, rename};
use crate::schema::{
    Class, EditError, FieldPath, Leaf, Location, Node, PathError, Place, Role, Step, Value, Visitor,
    bytes_of, escape, leaves, locate, truncated_role, truncation, unpadded, walk,
};
use crate::{ErrorKind, File, FileKind};

/// The rule for damage.
const DAMAGED: &str = "any/damaged";

/// The number of lists, and of values, that are edited in a file.
const MOST: usize = 6;

/// The body of the fuzz target for the laws between verbs. The input is the number of bytes that are cut off the end, and a
/// [file](super::fuzz_file).
///
/// # Panics
/// As [`verbs_agree`].
pub fn fuzz_verbs(bytes: &[u8]) {
    if let Some((kind, bytes, options)) = fuzz_prefix(bytes) {
        verbs_agree(kind, &bytes, &options);
    }
}

/// Asserts the laws between the verbs for the bytes of a file, which can be damaged. Returns whether it decodes.
///
/// * A file is damaged for the round trip if and only if it is for `check`, at the same place.
/// * The bytes of a finding are those at its path, or some of them.
/// * Deleting an element removes its bytes, and no others.
/// * Setting a value changes its bytes, and no others, and is its only difference; setting it back restores the file.
/// * Objects can be selected, renamed and removed by their names, and renaming them back restores the file.
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
    some(&places.lists, bytes.len()).for_each(|list| list.loses_only_its_own_bytes(&file));
    some(&places.values, bytes.len()).for_each(|(path, new)| is_restored(&file, bytes, path, new));
    names_are_known(&file);
    true
}

/// Returns a few elements, which depend on a seed, and the last one, which a truncated file ends in.
fn some<T>(all: &[T], seed: usize) -> impl Iterator<Item = &T> {
    let step = all.len().div_ceil(MOST).max(1);
    all.iter().skip(seed % step).step_by(step).chain(all.last())
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
        let text = finding.path.to_string();
        assert_eq!(text.parse().as_ref(), Ok(&finding.path), "{}", finding.rule.code);
        if is_object(file, &finding.path) {
            continue;
        }
        let places = locate_present(file, &finding.path);
        if places.is_empty() {
            continue;
        }
        let start = places.iter().map(|place| place.range.start).min().unwrap_or_default();
        let end = places.iter().map(|place| place.range.end).max().unwrap_or_default();
        let range = &finding.range;
        let is_within = start <= range.start && range.end <= end;
        assert!(is_within, "{} {}: {range:?}, expected {:?}", finding.rule.code, finding.path, start..end);
    }
}

/// Returns the places at a path; those of its parent if it is not present; none if what it is in is empty: such a finding is
/// at a name, or where a value is missing.
fn locate_present(file: &File, path: &FieldPath) -> Vec<Location> {
    let mut path = path.clone();
    loop {
        match locate(file.value(), &path) {
            Ok(places) => return places,
            Err(error) => match error.kind() {
                ErrorKind::Path(PathError::Absent(_)) => _ = path.pop(),
                ErrorKind::Path(
                    PathError::OutOfRange { .. } | PathError::NoValues(_) | PathError::Other(_),
                ) => return Vec::new(),
                _ => panic!("a finding is at {error}"),
            },
        }
    }
}

/// Returns whether a path selects an object of a `.x` file: its findings are at its name, or where a value is missing.
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
    let end = truncated_role(file.value());
    let _ = leaves(file.value(), &mut |place, leaf| {
        let role = if leaf.truncation().is_some() { end } else { place.role };
        let is_derived =
            matches!(role, Role::Counts(_) | Role::Sizes(..) | Role::Places(_) | Role::Follows(_));
        let is_excepted = leaf.size() > 0 && except.contains(&place.offset);
        if !is_derived && !is_excepted {
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
    differs_only_there(file, bytes, &edited, &path);
    edited.set_text(&path, old).unwrap_or_else(|error| panic!("{path}={old}: {error}"));
    assert!(edited.encode().as_deref() == Ok(bytes), "{path}={new}, then {path}={old} changes the file");
}

fn differs_only_there(file: &File, bytes: &[u8], edited: &File, path: &str) {
    let after = edited.encode().expect("an accepted value");
    let mut found = Vec::new();
    let _ = diff((file.value(), bytes), (edited.value(), &after), &mut |difference| {
        found.push(difference.path.to_string());
        ControlFlow::Continue(())
    });
    assert!(found == [path] || after == bytes, "{path} is set, but there are differences at {found:?}");
}

/// Asserts that elements are selected by their names. The objects of `.x` files have paths of their own.
fn are_selected_by_name(file: &File, names: &[Name]) {
    if matches!(file, File::X(_)) {
        return;
    }
    let mut seen: HashMap<_, usize> = HashMap::new();
    let mut elements = Vec::new();
    for name in names.iter().filter(|name| name.is_definition && !name.text.is_empty()) {
        if let [list @ .., Step::Index(index), Step::Field(field)] = name.path.steps()
            && matches!(&**field, "name" | "id")
        {
            let nth = seen.entry((list, &name.text)).or_default();
            *nth += 1;
            let [by_name, by_index] = [Step::Named(escape(&name.text), *nth), Step::Index(*index)]
                .map(|step| FieldPath::from([list, &[step]].concat()));
            elements.push((by_name, by_index));
        }
    }
    for (by_name, by_index) in some(&elements, elements.len()) {
        let [by_name, by_index] = [by_name, by_index].map(|path| locate(file.value(), path));
        assert_eq!(by_name, by_index);
    }
}

/// Selects, renames and removes some objects of each kind.
fn names_are_known(file: &File) {
    let Ok(names) = names(file) else { return };
    are_selected_by_name(file, &names);
    for entity in Entity::ALL {
        let own = names.iter().filter(|own| own.entity == entity && !own.text.is_empty());
        let own: BTreeSet<_> = own.map(|own| &*own.text).collect();
        for name in own.into_iter().take(2) {
            // The other name that is the same but for its blanks could no longer be distinguished.
            let is_distinct =
                names.iter().all(|own| own.text == name || unpadded(&own.text) != unpadded(name));
            if is_distinct {
                is_renamed_back(file, &names, entity, name);
            }
            let removed = remove(&mut [file.clone()], entity, name);
            let is_missing = matches!(
                removed.map_err(|error| error.kind().clone()),
                Err(ErrorKind::Value(EditError::NoObject { .. }))
            );
            let is_defined =
                || names.iter().any(|own| own.entity == entity && own.is_definition && own.text == name);
            assert!(
                !is_missing || !is_defined(),
                "{entity} `{}` cannot be removed: it is unknown",
                name.escape_ascii()
            );
        }
    }
}

fn is_renamed_back(file: &File, own: &[Name], entity: Entity, old: &[u8]) {
    // A name of the same length fits in every field.
    let new: Vec<u8> = vec![b'q'; old.len()];
    let one = |old: &[u8], new: &[u8]| Renames::new().with(entity, old, new).expect("one name");
    let mut edited = file.clone();
    match rename(&mut edited, &one(old, &new)) {
        Ok(renamed) => {
            assert!(!renamed.is_empty() || old == new, "{entity} `{}` is unknown", old.escape_ascii());
        }
        Err(_) => return,
    }
    let back = rename(&mut edited, &one(&new, old));
    let place = || format!("{entity} `{}`", old.escape_ascii());
    assert!(back.is_ok(), "{} cannot be renamed back: {back:?}", place());
    let texts = |own: &[Name]| own.iter().map(|own| own.text.clone()).collect::<Vec<_>>();
    let again = names(&edited).expect("as before");
    assert_eq!(texts(&again), texts(own), "{} is renamed and back, which changes names", place());
    // XML may have characters as `&` that should be references as `&amp;`, which is what is written.
    if own.iter().any(|own| own.text == old && own.stored.is_xml && has_markup(old)) {
        return;
    }
    let [before, after] = [file, &edited].map(|own| own.encode().expect("an accepted name"));
    // Packed content that was edited is packed anew.
    let mut is_restored = before == after;
    let _ = diff((file.value(), &before), (edited.value(), &after), &mut |difference| {
        let is_same = difference.change == Change::repacked();
        assert!(is_same, "{} is renamed and back, which changes {}", place(), difference.path);
        is_restored = true;
        ControlFlow::Continue(())
    });
    assert!(is_restored, "{} is renamed and back, which changes the file", place());
}

fn has_markup(name: &[u8]) -> bool {
    name.iter().any(|byte| b"&<>\"'".contains(byte))
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
