//! Compares two values of a format.
//!
//! Values with equal bytes are skipped, so two large files with a few differences are compared nearly as fast as their
//! bytes. Lists of named records are aligned by name, and the remaining records by position, so that a rename is one
//! difference. Other lists are aligned from both ends.
//!
//! ```
//! use bindpose::FileKind;
//! use bindpose::diff::{Change, diff};
//! use std::ops::ControlFlow::Continue;
//! let (a, mut b) = (FileKind::Ms3d.blank(), FileKind::Ms3d.blank());
//! b.append("joints")?;
//! let mut changes = Vec::new();
//! let _ = diff((a.value(), &a.encode()?), (b.value(), &b.encode()?), &mut |difference| {
//!     changes.push((difference.path.to_string(), difference.change.clone()));
//!     Continue(())
//! });
//! assert_eq!(changes, [("joints[0]".to_owned(), Change::Added)]);
//! # Ok::<(), bindpose::Error>(())
//! ```

mod align;

use std::cell::Cell;
use std::collections::HashMap;
use std::ops::ControlFlow::{self, Break, Continue};
use std::ops::Range;

use crate::schema::{
    FieldPath, Items, Leaf, Node, Record, Role, Step, Value, bytes_of, each_field, each_item, hex, name_of,
    text_of, truncated_role,
};
use align::{Key, Pairing, align};

/// A difference between two files.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Difference {
    /// The path in the first file, or in the second if the first does not have it.
    pub path: FieldPath,
    /// The same path with the names of elements instead of their indices, where they have one: `joints["hip"].flags`.
    pub place: FieldPath,
    /// The kind of difference.
    pub change: Change,
    /// The byte range in the first file; empty, at the place of insertion, if the value is not in it.
    pub a: Range<u64>,
    /// The byte range in the second file; empty, at the place of insertion, if the value is not in it.
    pub b: Range<u64>,
}

/// The kind of a difference.
#[derive(Clone, Debug, PartialEq)]
pub enum Change {
    /// The values differ.
    Value {
        /// The value in the first file.
        a: String,
        /// The value in the second file.
        b: String,
    },
    /// The value is in the first file only.
    Removed,
    /// The value is in the second file only.
    Added,
    /// The element has moved in its list, from one index to another.
    Moved(usize, usize),
}

impl Change {
    /// Returns the absolute difference of two floating point numbers; `None` for integers, which may be flags or indices.
    #[must_use]
    pub fn distance(&self) -> Option<f64> {
        let Self::Value { a, b } = self else { return None };
        let is_float = |text: &String| text.contains(['.', 'e', 'E', 'n']);
        if !is_float(a) && !is_float(b) {
            return None;
        }
        Some((a.parse::<f64>().ok()? - b.parse::<f64>().ok()?).abs())
    }

    /// Returns the difference of packed bytes with the same content.
    #[must_use]
    pub fn repacked() -> Self {
        Self::value("packed", "packed differently")
    }

    fn value(a: &str, b: &str) -> Self {
        Self::Value { a: a.into(), b: b.into() }
    }
}

/// Visits the differences between two values, given with their bytes, in the order of the first.
///
/// Counts and lengths that differ as a consequence are skipped.
///
/// # Errors
/// Breaks when `visit` does.
pub fn diff(
    a: (&dyn Value, &[u8]),
    b: (&dyn Value, &[u8]),
    visit: &mut dyn FnMut(&Difference) -> ControlFlow<()>,
) -> ControlFlow<()> {
    let seen = Cell::new(a.1 == b.1);
    let mut visit = |difference: &Difference| {
        seen.set(true);
        visit(difference)
    };
    Differ::new(Align::Content, false, &mut visit).run(a, b)?;
    if seen.get() {
        return Continue(());
    }
    // Only counts differ.
    Differ::new(Align::Content, true, &mut visit).run(a, b)
}

/// As [`diff`], including all counts and lengths that differ.
///
/// # Errors
/// Breaks when `visit` does.
pub fn diff_all(
    a: (&dyn Value, &[u8]),
    b: (&dyn Value, &[u8]),
    align: Align,
    visit: &mut dyn FnMut(&Difference) -> ControlFlow<()>,
) -> ControlFlow<()> {
    Differ::new(align, true, visit).run(a, b)
}

/// The most elements of lists that are matched, because each takes some 200 bytes. Those of longer lists are compared by index.
const LONGEST: usize = 1 << 20;

/// How the elements of two lists are matched.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Align {
    /// By name and content.
    Content,
    /// By index.
    Indices,
}

/// A value, its bytes, and their offset in the file.
#[derive(Clone, Copy)]
struct Side<'a> {
    value: &'a dyn Value,
    bytes: &'a [u8],
    start: u64,
}

impl<'a> Side<'a> {
    fn range(&self) -> Range<u64> {
        self.start..self.start + self.bytes.len() as u64
    }

    /// Returns a part with its bytes.
    fn part(&self, value: &'a dyn Value, range: &Range<usize>) -> Self {
        Self { value, bytes: self.slice(range), start: self.start + range.start as u64 }
    }

    /// Returns the empty range before a byte.
    const fn at(&self, offset: usize) -> Range<u64> {
        let place = self.start + offset as u64;
        place..place
    }

    fn slice(&self, range: &Range<usize>) -> &'a [u8] {
        self.bytes.get(range.clone()).unwrap_or_default()
    }
}

struct Differ<'a> {
    path: FieldPath,
    /// The path with the names of elements.
    place: FieldPath,
    /// The byte ranges of the enclosing packed values, where the files differ.
    outer: Option<(Range<u64>, Range<u64>)>,
    /// Whether counts are compared.
    counts: bool,
    align: Align,
    visit: &'a mut dyn FnMut(&Difference) -> ControlFlow<()>,
}

impl<'a> Differ<'a> {
    fn new(align: Align, counts: bool, visit: &'a mut dyn FnMut(&Difference) -> ControlFlow<()>) -> Self {
        Self { path: FieldPath::root(), place: FieldPath::root(), outer: None, counts, align, visit }
    }

    fn run(&mut self, a: (&dyn Value, &[u8]), b: (&dyn Value, &[u8])) -> ControlFlow<()> {
        let side = |(value, bytes)| Side { value, bytes, start: 0 };
        self.compare(side(a), side(b))
    }

    fn compare(&mut self, a: Side<'_>, b: Side<'_>) -> ControlFlow<()> {
        if a.bytes == b.bytes {
            return Continue(());
        }
        match (a.value.choice(), b.value.choice()) {
            (Some(first), Some(second)) => {
                return match (first.body, second.body) {
                    (Some(own), Some(other)) if first.name == second.name => {
                        self.compare(Side { value: own, ..a }, Side { value: other, ..b })
                    }
                    _ => self.differ(Change::value(first.name, second.name), a.range(), b.range()),
                };
            }
            (None, None) => {}
            _ => return self.differ(Change::value("one form", "another"), a.range(), b.range()),
        }
        if let (Some(own), Some(other)) = (a.value.inside(), b.value.inside()) {
            return self.contents(a, own, b, other);
        }
        match (a.value.node(), b.value.node()) {
            (Node::Leaf(own), Node::Leaf(other)) => {
                let (own, other) = texts_apart(own, other);
                self.differ(Change::Value { a: own, b: other }, a.range(), b.range())
            }
            (Node::Record(own), Node::Record(other)) if own.type_name() == other.type_name() => {
                self.records((own, a), (other, b))
            }
            (Node::Items(own), Node::Items(other)) => self.lists((own, a), (other, b)),
            (Node::Absent | Node::Broken(_), _) => self.differ(Change::Added, a.range(), b.range()),
            (_, Node::Absent | Node::Broken(_)) => self.differ(Change::Removed, a.range(), b.range()),
            _ => self.differ(Change::value("one form", "another"), a.range(), b.range()),
        }
    }

    fn differ(&mut self, change: Change, a: Range<u64>, b: Range<u64>) -> ControlFlow<()> {
        let (a, b) = self.outer.clone().unwrap_or((a, b));
        (self.visit)(&Difference { path: self.path.clone(), place: self.place.clone(), change, a, b })
    }

    /// Calls a function one step further down, to an element that can have a name.
    fn below(
        &mut self,
        step: Step,
        name: Option<&Step>,
        go: impl FnOnce(&mut Self) -> ControlFlow<()>,
    ) -> ControlFlow<()> {
        self.place.push(name.unwrap_or(&step).clone());
        self.path.push(step);
        go(self)?;
        self.path.pop();
        self.place.pop();
        Continue(())
    }

    fn contents(&mut self, a: Side<'_>, own: &dyn Value, b: Side<'_>, other: &dyn Value) -> ControlFlow<()> {
        let (plain_a, plain_b) = (bytes_of(own), bytes_of(other));
        if plain_a == plain_b {
            return self.differ(Change::repacked(), a.range(), b.range());
        }
        let inside = self.outer.is_some();
        self.outer.get_or_insert((a.range(), b.range()));
        self.below(Step::Inside, None, |differ| {
            let a = Side { value: own, bytes: &plain_a, start: 0 };
            differ.compare(a, Side { value: other, bytes: &plain_b, start: 0 })
        })?;
        if !inside {
            self.outer = None;
        }
        Continue(())
    }

    fn records(
        &mut self,
        (own, a): (&dyn Record, Side<'_>),
        (other, b): (&dyn Record, Side<'_>),
    ) -> ControlFlow<()> {
        let places = (layout(own), layout(other));
        let mut places_a = places.0.iter();
        own.fields(&mut |field, value| {
            let Some((_, in_a)) = places_a.next() else { return Continue(()) };
            let role = if is_of_truncated(value) { truncated_role(a.value) } else { field.role };
            let is_count = matches!(role, Role::Counts(_) | Role::Sizes(..) | Role::Places(_));
            if is_count && !self.counts {
                return Continue(());
            }
            let mut places_b = places.1.iter();
            other.fields(&mut |twin, twins| {
                let Some((name, in_b)) = places_b.next() else { return Continue(()) };
                if *name != field.name || twin.name != field.name {
                    return Continue(());
                }
                let (a, b) = (a.part(value, in_a), b.part(twins, in_b));
                self.below(Step::Field(field.name.into()), None, |differ| differ.compare(a, b))
            })
        })
    }

    fn lists(
        &mut self,
        (own, a): (&dyn Items, Side<'_>),
        (other, b): (&dyn Items, Side<'_>),
    ) -> ControlFlow<()> {
        let is_long = own.len().max(other.len()) > LONGEST;
        if self.align == Align::Content
            && !is_long
            && let (Some(names_a), Some(names_b)) = (names(own), names(other))
        {
            return self.align((own, a, &as_texts(&names_a)), (other, b, &as_texts(&names_b)), true);
        }
        match (own.item_size(), other.item_size()) {
            (Some(size @ 1..), Some(same)) if size == same && a.bytes.len() == b.bytes.len() => {
                let mut at = 0;
                while let Some(differs) =
                    first_difference(a.slice(&(at..a.bytes.len())), b.slice(&(at..b.bytes.len())))
                {
                    let index = (at + differs) / size;
                    let range = index * size..(index + 1) * size;
                    self.pair((own, a, index, &range), (other, b, index, &range), None)?;
                    at = range.end;
                }
                Continue(())
            }
            // By index, the elements of lists of the same length are those with the same one.
            _ if is_long || self.align == Align::Indices && own.len() == other.len() => {
                self.one_by_one((own, a), (other, b))
            }
            _ => self.align((own, a, &vec![""; own.len()]), (other, b, &vec![""; other.len()]), false),
        }
    }

    /// Compares the elements of lists that have the same index.
    fn one_by_one(
        &mut self,
        (own, a): (&dyn Items, Side<'_>),
        (other, b): (&dyn Items, Side<'_>),
    ) -> ControlFlow<()> {
        let (mut in_a, mut in_b) = (0..0, 0..0);
        own.each(0, &mut |index, value| {
            in_a = following(&in_a, value);
            let mut flow = Continue(());
            let mut is_met = false;
            let _ = other.each_at(index, in_b.end, &mut |_, twin| {
                in_b = following(&in_b, twin);
                is_met = true;
                if a.slice(&in_a) != b.slice(&in_b) {
                    let (a, b) = (a.part(value, &in_a), b.part(twin, &in_b));
                    flow = self.below(Step::Index(index), None, |differ| differ.compare(a, b));
                }
                Break(())
            });
            flow?;
            if is_met {
                return Continue(());
            }
            self.alone(index, None, Change::Removed, file_range(a, &in_a), b.at(b.bytes.len()))
        })?;
        other.each_at(own.len(), in_b.end, &mut |index, value| {
            in_b = following(&in_b, value);
            self.alone(index, None, Change::Added, a.at(a.bytes.len()), file_range(b, &in_b))
        })
    }

    /// Compares an element with its match.
    fn pair(
        &mut self,
        (own, a, index, range): (&dyn Items, Side<'_>, usize, &Range<usize>),
        (other, b, twin, twins): (&dyn Items, Side<'_>, usize, &Range<usize>),
        name: Option<&Step>,
    ) -> ControlFlow<()> {
        let mut flow = Continue(());
        let _ = own.each_at(index, range.start, &mut |_, value| {
            let _ = other.each_at(twin, twins.start, &mut |_, other| {
                flow = self.below(Step::Index(index), name, |differ| {
                    differ.compare(a.part(value, range), b.part(other, twins))
                });
                Break(())
            });
            Break(())
        });
        flow
    }

    fn align(
        &mut self,
        (own, a, names_a): (&dyn Items, Side<'_>, &[&str]),
        (other, b, names_b): (&dyn Items, Side<'_>, &[&str]),
        can_move: bool,
    ) -> ControlFlow<()> {
        let (places_a, places_b) = (places(own), places(other));
        let keys = |side, names, places| keys(self.align, side, names, places);
        let twins = align(&keys(a, names_a, &places_a), &keys(b, names_b, &places_b), can_move);
        let mut alone = vec![true; places_b.len()];
        twins.iter().flatten().for_each(|(Pairing::Stays(to) | Pairing::Moved(to))| alone[*to] = false);
        let (steps_a, steps_b) = (name_steps(names_a), name_steps(names_b));
        let mut next = 0;
        for (index, (twin, in_a)) in twins.iter().zip(&places_a).enumerate() {
            match *twin {
                Some(Pairing::Stays(to)) => {
                    self.added(&alone, next..to, a.at(in_a.start), (b, &places_b, &steps_b))?;
                    self.pair((own, a, index, in_a), (other, b, to, &places_b[to]), steps_a.get(index))?;
                    next = to + 1;
                }
                Some(Pairing::Moved(to)) => {
                    let (in_a, in_b) = (file_range(a, in_a), file_range(b, &places_b[to]));
                    let name = steps_a.get(index);
                    self.alone(index, name, Change::Moved(index, to), in_a, in_b)?;
                    self.pair((own, a, index, &places_a[index]), (other, b, to, &places_b[to]), name)?;
                }
                None => {
                    let place = b.at(places_b.get(next).map_or(b.bytes.len(), |place| place.start));
                    self.alone(index, steps_a.get(index), Change::Removed, file_range(a, in_a), place)?;
                }
            }
        }
        self.added(&alone, next..places_b.len(), a.at(a.bytes.len()), (b, &places_b, &steps_b))
    }

    /// Visits the elements of a run that only the second list has, with their place of insertion in the first.
    fn added(
        &mut self,
        alone: &[bool],
        run: Range<usize>,
        place: Range<u64>,
        (b, places, names): (Side<'_>, &[Range<usize>], &[Step]),
    ) -> ControlFlow<()> {
        run.filter(|index| alone[*index]).try_for_each(|index| {
            self.alone(index, names.get(index), Change::Added, place.clone(), file_range(b, &places[index]))
        })
    }

    fn alone(
        &mut self,
        index: usize,
        name: Option<&Step>,
        change: Change,
        a: Range<u64>,
        b: Range<u64>,
    ) -> ControlFlow<()> {
        self.below(Step::Index(index), name, |differ| differ.differ(change, a, b))
    }
}

fn file_range(side: Side<'_>, range: &Range<usize>) -> Range<u64> {
    side.start + range.start as u64..side.start + range.end as u64
}

/// Returns the first byte at which two slices of equal length differ.
fn first_difference(a: &[u8], b: &[u8]) -> Option<usize> {
    const BLOCK: usize = 4096;
    let block = a.chunks(BLOCK).zip(b.chunks(BLOCK)).position(|(a, b)| a != b)? * BLOCK;
    let within = a[block..].iter().zip(&b[block..]).position(|(a, b)| a != b)?;
    Some(block + within)
}

/// Returns the names and hashes of the elements of a list.
fn keys<'a>(align: Align, side: Side<'a>, names: &[&'a str], places: &[Range<usize>]) -> Vec<Key<'a>> {
    let bytes = places.iter().map(|place| match align {
        Align::Content => side.slice(place),
        Align::Indices => &[],
    });
    names.iter().zip(bytes).map(|(name, bytes)| Key { name, bytes }).collect()
}

/// Returns the fields of a record and their byte ranges.
fn layout(record: &dyn Record) -> Vec<(&'static str, Range<usize>)> {
    let (mut places, mut last) = (Vec::new(), 0..0);
    each_field(record, |field, value| {
        last = following(&last, value);
        places.push((field.name, last.clone()));
    });
    places
}

/// Returns the range of the element after another one.
fn following(before: &Range<usize>, value: &dyn Value) -> Range<usize> {
    before.end..before.end + usize::try_from(value.size()).unwrap_or(0)
}

/// Returns the offsets of the elements of a list.
fn places(items: &dyn Items) -> Vec<Range<usize>> {
    if let Some(size) = items.item_size() {
        return (0..items.len()).map(|index| index * size..(index + 1) * size).collect();
    }
    let (mut places, mut last) = (Vec::with_capacity(items.len()), 0..0);
    each_item(items, |_, item| {
        last = following(&last, item);
        places.push(last.clone());
    });
    places
}

/// Returns whether a value has the available bytes of the leaf that a truncated file ends in.
fn is_of_truncated(value: &dyn Value) -> bool {
    matches!(value.node(), Node::Leaf(leaf) if leaf.truncation().is_some())
}

fn as_texts(names: &[String]) -> Vec<&str> {
    names.iter().map(String::as_str).collect()
}

/// Returns the steps to elements by their names; empty if they have none.
fn name_steps(names: &[&str]) -> Vec<Step> {
    if names.iter().all(|name| name.is_empty()) {
        return Vec::new();
    }
    let mut met: HashMap<&str, usize> = HashMap::new();
    let mut steps = Vec::with_capacity(names.len());
    for (index, name) in names.iter().enumerate() {
        let nth = met.entry(name).or_default();
        *nth += 1;
        let unnamed = name.is_empty();
        steps.push(if unnamed { Step::Index(index) } else { Step::Named((*name).to_owned(), *nth) });
    }
    steps
}

/// Returns the names of all elements; `None` if they have none.
fn names(items: &dyn Items) -> Option<Vec<String>> {
    let mut names = Vec::new();
    let all = items.each(0, &mut |_, item| {
        let Some(name) = name_of(item) else { return Break(()) };
        names.push(name);
        Continue(())
    });
    (all.is_continue() && !names.is_empty()).then_some(names)
}

/// Returns two leaves as different texts.
fn texts_apart(a: &dyn Leaf, b: &dyn Leaf) -> (String, String) {
    let (own, other) = (text_of(a), text_of(b));
    if own == other { (hex(&bytes_of(a)), hex(&bytes_of(b))) } else { (own, other) }
}
