//! The laws of a format over generated files: see [`laws!`](crate::laws).

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};
use std::ops::{ControlFlow, Range};

use proptest::collection::vec;
use proptest::prelude::any;
use proptest::sample::Index;
use proptest::test_runner::{Config, RngSeed, TestRunner};

use super::{Generate, Verdict, damage, first_change_outside, law_with, reread, roundtrip};
use crate::Result;
use crate::schema::{
    Class, FieldPath, Items, Leaf, Node, Place, Role, Step, Value, Visitor, append, bytes_of, create, delete,
    get_text, leaves, set_text, walk,
};

/// Declares a module `laws` with a test of each law of a format.
///
/// The tests generate files, truncate and damage them, and edit them by path and as JSON. Each file re-encodes to the same
/// bytes, its leaves tile it, and each edit is read back as it was written. Every field of the format occurs in some file.
///
/// `refused` lists the edits that no file accepts, such as `append packed.chunks`, where that is intended. `absent` lists
/// the fields that no generated file has, as [`Coverage`](super::Coverage) names them.
///
/// `PROPTEST_CASES` sets the number of files.
///
/// ```
/// bindpose::laws!(bindpose::formats::max::Skeleton);
/// ```
#[macro_export]
macro_rules! laws {
    (@each $format:ty: $($law:ident)+) => {$(
        #[test]
        fn $law() {
            $crate::codec::laws::$law::<$format>(file!());
        }
    )+};
    (@edits $format:ty $(, $refused:expr)?) => {
        $crate::laws!(@each $format: lossless truncated damaged set governing created json);

        #[test]
        fn resized() {
            $crate::codec::laws::resized::<$format>(file!(), &[&[] as &[&str] $(, $refused)?].concat());
        }
    };
    ($format:ty $(, refused: $refused:expr)? $(, absent: $absent:expr)?) => {
        mod laws {
            #[allow(unused_imports)]
            use super::*;

            $crate::laws!(@edits $format $(, $refused)?);

            #[test]
            fn covers() {
                $crate::codec::laws::covers::<$format>(&[&[] as &[&str] $(, $absent)?].concat());
            }
        }
    };
}

/// The settings of a law that is tried with `cases` files of proptest's default number of 256.
fn config(source_file: &'static str, cases: u32) -> Config {
    let default = Config::default();
    let cases = (cases * default.cases).div_ceil(256);
    Config { cases, source_file: Some(source_file), ..default }
}

/// Runs a law for the bytes that files are generated of.
fn for_any(config: Config, law: &dyn Fn(&[u8], Index)) {
    let inputs = (vec(any::<u8>(), 0..3000), any::<Index>());
    let result = TestRunner::new(config).run(&inputs, |(entropy, index)| {
        law(&entropy, index);
        Ok(())
    });
    if let Err(error) = result {
        panic!("{error}");
    }
}

/// Runs a law for generated files with their bytes, which decode again. Lists of unequal lengths cannot be encoded.
fn for_any_file<F: Generate>(config: Config, law: impl Fn(F, Vec<u8>, Index)) {
    for_any(config, &|entropy, index| {
        let file = F::generate(entropy);
        if let Ok(bytes) = file.encode()
            && let Ok(file) = F::decode_with(&bytes, &file.options())
        {
            law(file, bytes, index);
        }
    });
}

/// Files re-encode to the same bytes, and are read back as they were generated.
pub fn lossless<F: Generate>(source_file: &'static str) {
    for_any(config(source_file, 256), &|entropy, _| {
        let file = F::generate(entropy);
        let Ok(bytes) = file.encode() else { return };
        law_with::<F>(&bytes, &file.options());
        // Streams without a header can be written empty, but no format reads an empty file.
        if bytes.is_empty() {
            return;
        }
        let again = F::decode_with(&bytes, &file.options());
        let again = again.unwrap_or_else(|error| panic!("a generated file cannot be decoded: {error}"));
        // The bytes after damage can be read in several ways.
        if damage(&file).is_none() && damage(&again).is_none() {
            assert_eq!(all_leaves(&again), all_leaves(&file));
        }
    });
}

/// Returns the paths and the bytes of all leaves, also of packed content.
pub fn all_leaves(value: &dyn Value) -> Vec<(String, Vec<u8>)> {
    let mut found = Vec::new();
    let _ = leaves(value, &mut |place, leaf| {
        let path = place.path.to_string();
        let inside = leaf.inside().map(all_leaves).unwrap_or_default();
        found.extend(inside.into_iter().map(|(own, bytes)| (format!("{path}!{own}"), bytes)));
        found.push((path, bytes_of(leaf)));
        ControlFlow::Continue(())
    });
    found
}

/// A truncated file is read, or is an error at or before its end.
pub fn truncated<F: Generate + Clone>(source_file: &'static str) {
    for_any_file::<F>(config(source_file, 128), |file, bytes, index| {
        let options = file.options();
        let cut = &bytes[..index.index(bytes.len().max(1))];
        law_with::<F>(cut, &options);
        let verdict = roundtrip::<F>(cut, &options).verdict;
        assert!(!matches!(verdict, Verdict::Limit(_)), "{verdict:?}");
        if let Ok(file) = F::decode_with(cut, &options) {
            same_json(&file, cut);
            change_structure(&file, index);
            change_leaf(file, cut, index);
        }
    });
}

/// A file with another byte is read, or is an error within it.
pub fn damaged<F: Generate + Clone>(source_file: &'static str) {
    for_any_file::<F>(config(source_file, 256), |file, mut bytes, index| {
        let options = file.options();
        let at = index.index(bytes.len().max(1)).max(F::INFO.magic.len());
        for change in [0x81, 0x01, 0xfe] {
            let Some(byte) = bytes.get_mut(at) else { return };
            *byte ^= change;
            law_with::<F>(&bytes, &options);
            if let Ok(file) = F::decode_with(&bytes, &options) {
                same_json(&file, &bytes);
                change_structure(&file, index);
                change_leaf(file, &bytes, index);
            }
        }
    });
}

/// A file is the same after it was JSON.
pub fn json<F: Generate>(source_file: &'static str) {
    for_any_file::<F>(config(source_file, 64), |file, bytes, _| same_json(&file, &bytes));
}

fn same_json<F: Generate>(file: &F, bytes: &[u8]) {
    let mut text = Vec::new();
    file.write_json(&mut text).expect("memory takes all");
    let again = F::read_json(&mut &text[..]);
    let again = again.unwrap_or_else(|error| panic!("{error}\n{}", String::from_utf8_lossy(&text)));
    assert_eq!(again.encode().as_deref(), Ok(bytes), "JSON makes another file");
}

/// A value that decides nothing can be set, which changes only its own bytes.
pub fn set<F: Generate>(source_file: &'static str) {
    for_any_file::<F>(config(source_file, 64), |file, before, index| {
        let Some((path, mut file)) = change_leaf(file, &before, index) else { return };
        // Other numbers, which may not fit.
        for text in ["0", "1", "255", "-1", "x"] {
            if set_text(&mut file, &path, text).is_ok() {
                read_back(&file).unwrap_or_else(|error| panic!("{path}={text}: {error}"));
            }
        }
    });
}

/// Sets a free leaf of a file to other bytes and back, and returns its path; nothing if there is none.
fn change_leaf<F: Generate>(mut file: F, before: &[u8], index: Index) -> Option<(FieldPath, F)> {
    let (path, range) = free_leaf(&file, index)?;
    let mut ranges = numbers_that_follow(&file);
    ranges.push(range.clone());
    let own = get_text(&file, &path).expect("a value");
    assert_eq!(own.len(), 1, "{path}");
    let mut set = |text: &str| {
        set_text(&mut file, &path, text).unwrap_or_else(|error| panic!("{path}={text}: {error}"));
        file.encode().expect("the size is the same")
    };
    assert_eq!(set(&own[0].1), before, "{path}={} changes the file", own[0].1);
    let place = usize::try_from(range.start).unwrap()..usize::try_from(range.end).unwrap();
    let other: Vec<u8> = before[place.clone()].iter().map(|byte| byte ^ 0x55).collect();
    let after = set(&hex(&other));
    assert_eq!(after[place.clone()], other, "{path}");
    assert_eq!(first_change_outside(before, &after, &ranges), None, "{path} changes another byte");
    assert_eq!(set(&hex(&before[place])), before, "{path} cannot be restored");
    Some((path, file))
}

/// Returns the places of the numbers that follow from the content: they change with it, unless they are stated.
fn numbers_that_follow(file: &dyn Value) -> Vec<Range<u64>> {
    let mut found = Vec::new();
    let _ = leaves(file, &mut |place, leaf| {
        if matches!(place.role, Role::Follows(_)) {
            found.push(place.offset..place.offset + leaf.size());
        }
        ControlFlow::Continue(())
    });
    found
}

/// Returns the spelling of bytes in hexadecimal: `hex:0aff`.
pub fn hex(bytes: &[u8]) -> String {
    bytes.iter().fold(String::from("hex:"), |text, byte| format!("{text}{byte:02x}"))
}

/// Returns the path and place of a free leaf.
fn free_leaf(file: &dyn Value, index: Index) -> Option<(FieldPath, Range<u64>)> {
    let mut free = Vec::new();
    let _ = leaves(file, &mut |place, leaf| {
        if place.role == Role::Free
            && leaf.size() > 0
            && !matches!(leaf.class(), Class::Rest | Class::Spelling)
            && !["cint", "zstr"].contains(&leaf.type_name())
        {
            free.push((place.path.clone(), place.offset..place.offset + leaf.size()));
        }
        ControlFlow::Continue(())
    });
    (!free.is_empty()).then(|| free.swap_remove(index.index(free.len())))
}

/// A value that others follow from, or that follows from others, cannot be set alone.
pub fn governing<F: Generate>(source_file: &'static str) {
    for_any_file::<F>(config(source_file, 16), |mut file, _, _| {
        let mut governing = Vec::new();
        let _ = leaves(&file, &mut |place, leaf| {
            if place.role != Role::Free && leaf.size() > 0 {
                governing.push(place.path.clone());
            }
            ControlFlow::Continue(())
        });
        for path in governing.iter().take(8) {
            let refused = set_text(&mut file, path, "1");
            assert!(
                refused.is_err_and(|error| matches!(error.kind(), crate::ErrorKind::Value(_))),
                "{path} was set"
            );
        }
    });
}

/// Returns whether a changed file can be written, and that it is read back as it is; or why not.
fn read_back<F: Generate>(file: &F) -> Result<bool> {
    if file.encode().is_err() {
        return Ok(false);
    }
    reread(file).map(|_| true)
}

/// Lists and absent values of a file: the first ones of each field.
#[derive(Default)]
struct Places {
    lists: BTreeMap<String, (FieldPath, usize)>,
    absent: BTreeMap<String, FieldPath>,
}

impl Visitor for Places {
    fn leaf(&mut self, place: &Place, leaf: &dyn Leaf) -> ControlFlow<()> {
        self.inside(place, leaf.inside());
        ControlFlow::Continue(())
    }

    fn enter(&mut self, place: &Place, value: &dyn Value, node: &Node<'_>) -> ControlFlow<(), bool> {
        let field = field_of(&place.path);
        match node {
            Node::Items(items) if !items.is_array() => {
                self.lists.entry(field).or_insert_with(|| (place.path.clone(), Items::len(*items)));
            }
            Node::Absent => _ = self.absent.entry(field).or_insert_with(|| place.path.clone()),
            _ => {}
        }
        self.inside(place, value.inside());
        ControlFlow::Continue(true)
    }
}

impl Places {
    fn of(file: &dyn Value) -> Self {
        let mut places = Self::default();
        let _ = walk(file, &mut places);
        places
    }

    fn inside(&mut self, place: &Place, content: Option<&dyn Value>) {
        let Some(content) = content else { return };
        let inner = Self::of(content);
        let whole = |path: &FieldPath| place.path.join(&FieldPath::from(vec![Step::Inside])).join(path);
        for (path, len) in inner.lists.into_values() {
            let path = whole(&path);
            self.lists.entry(field_of(&path)).or_insert((path, len));
        }
    }
}

/// Returns a path without its indices. A field that contains itself is one, however deep it is.
fn field_of(path: &FieldPath) -> String {
    let mut names: Vec<_> =
        path.steps().iter().filter(|step| !matches!(step, Step::Index(_))).cloned().collect();
    names.dedup();
    FieldPath::from(names).to_string()
}

/// An element or part that a damaged file accepts is read back with everything else that the file has.
fn change_structure<F: Generate + Clone>(file: &F, index: Index) {
    let Places { lists, absent } = Places::of(file);
    let lists: Vec<_> = lists.into_values().collect();
    if !lists.is_empty() {
        let (list, len) = &lists[index.index(lists.len())];
        change_so(file, list, |file| append(file, list).map(drop));
        if let Some(index) = len.checked_sub(1) {
            let element = list.join(&FieldPath::from(vec![Step::Index(index)]));
            change_so(file, &element, |file| delete(file, &element).map(drop));
        }
    }
    let absent: Vec<_> = absent.into_values().collect();
    if !absent.is_empty() {
        let part = &absent[index.index(absent.len())];
        let shape = F::shape_in(file.dialect());
        change_so(file, part, |file| create(file, &shape, part, None, true).map(drop));
    }
}

fn change_so<F: Generate + Clone>(file: &F, path: &FieldPath, change: impl Fn(&mut F) -> Result<()>) {
    let mut edited = file.clone();
    if change(&mut edited).is_ok()
        && let Ok(again) = reread(&edited)
    {
        assert_eq!(all_leaves(&again), all_leaves(&edited), "{path}");
    }
}

/// How often a law generates files until each edit has been accepted. One text file of 400 has a packed
/// part whose list can lose an element, and a round of a quick run has ten files.
const ROUNDS: u64 = 1024;

/// An element that is appended or deleted is read back so, in some file for each list.
pub fn resized<F: Generate + Clone>(source_file: &'static str, expected: &[&str]) {
    let seen = RefCell::new(Resized::default());
    for round in 0..ROUNDS {
        let mut config = config(source_file, 64);
        if let RngSeed::Fixed(seed) = &mut config.rng_seed {
            // A fixed seed gives the same files in every round.
            *seed = seed.wrapping_add(round);
        }
        for_any_file::<F>(config, |file, _, _| seen.borrow_mut().resize(&file));
        let Resized { accepted, misread, is_fixed } = &mut *seen.borrow_mut();
        misread.retain(|edit, _| !accepted.contains(edit) && !expected.contains(&edit.as_str()));
        if misread.is_empty() && (*is_fixed || !accepted.is_empty()) {
            return;
        }
    }
    panic!("no file accepts {:#?}", seen.into_inner().misread);
}

/// The edits of a law by their results.
#[derive(Default)]
struct Resized {
    accepted: BTreeSet<String>,
    /// Edits whose file reads back as something else, with the difference.
    misread: BTreeMap<String, String>,
    /// Whether an edit was refused, as for lists of a fixed length.
    is_fixed: bool,
}

impl Resized {
    /// Appends to each list, and deletes its first and its last element.
    fn resize<F: Generate + Clone>(&mut self, file: &F) {
        // A damaged file accepts what would damage another one.
        if damage(file).is_some() {
            return;
        }
        for (field, (list, len)) in Places::of(file).lists {
            self.note(file, format!("append {field}"), |file| append(file, &list).map(drop));
            for index in [0, len.wrapping_sub(1)].into_iter().filter(|index| *index < len) {
                let element = list.join(&FieldPath::from(vec![Step::Index(index)]));
                self.note(file, format!("delete {field}"), |file| delete(file, &element).map(drop));
            }
        }
    }

    fn note<F: Generate + Clone>(&mut self, file: &F, edit: String, change: impl Fn(&mut F) -> Result<()>) {
        let mut edited = file.clone();
        match change(&mut edited).map(|()| read_back(&edited)) {
            Ok(Ok(true)) => _ = self.accepted.insert(edit),
            Ok(Ok(false)) => {}
            Ok(Err(error)) => _ = self.misread.insert(edit, error.to_string()),
            Err(_) => self.is_fixed = true,
        }
    }
}

/// A part that is created is read back, where other fields permit it.
pub fn created<F: Generate + Clone>(source_file: &'static str) {
    for_any_file::<F>(config(source_file, 32), |file, before, _| {
        if damage(&file).is_some() {
            return;
        }
        for path in Places::of(&file).absent.into_values() {
            let mut with = file.clone();
            let created = create(&mut with, &F::shape_in(file.dialect()), &path, None, true);
            if created.is_ok() && read_back(&with).is_ok_and(|is_written| is_written) {
                assert_ne!(with.encode().as_ref(), Ok(&before), "{path} was created without bytes");
            }
        }
    });
}

/// Every field occurs in some of 256 generated files, apart from those that are known not to.
pub fn covers<F: Generate>(absent: &[&str]) {
    let missing = super::coverage::missing_fields::<F>();
    let missing: Vec<_> = missing.into_iter().filter(|field| !absent.contains(&field.as_str())).collect();
    assert!(missing.is_empty(), "no generated file has {}", missing.join(", "));
}
