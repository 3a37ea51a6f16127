//! What differs between two values of a format.
//!
//! Where the bytes are equal nothing is looked at: a large file that differs in a few records is compared as fast as its
//! bytes are. Lists whose records have names are aligned by name, what is left over by index, so that a rename is one
//! difference; all others are aligned from both ends.

use std::collections::HashMap;
use std::ops::ControlFlow::{self, Break, Continue};
use std::ops::Range;

use super::edit::name_of;
use super::{Items, Leaf, Node, Path, Record, Role, Step, Value, bytes_of, show_hex};

/// A place at which two files differ.
#[derive(Clone, Debug, PartialEq)]
pub struct Difference {
    /// The path in the first file; in the second where the first does not have it.
    pub path: Path,
    /// How they differ.
    pub change: Change,
    /// The bytes in the first file; where it has none, the place where they would be.
    pub a: Range<u64>,
    /// The bytes in the second file; where it has none, the place where they would be.
    pub b: Range<u64>,
}

/// How two files differ at a place.
#[derive(Clone, Debug, PartialEq)]
pub enum Change {
    /// In its value.
    Value {
        /// That in the first file.
        a: String,
        /// That in the second file.
        b: String,
    },
    /// It is in the first file only.
    Removed,
    /// It is in the second file only.
    Added,
    /// It is another element of the list: from this index to that.
    Moved(usize, usize),
}

impl Change {
    /// By how much two numbers differ.
    #[must_use]
    pub fn distance(&self) -> Option<f64> {
        let Self::Value { a, b } = self else { return None };
        Some((a.parse::<f64>().ok()? - b.parse::<f64>().ok()?).abs())
    }
}

/// Shows where two values differ, in the order of the first. Their bytes are given beside them.
///
/// Counts and lengths that differ because what they count does are passed over.
///
/// ```
/// use bindpose::FileKind;
/// use bindpose::schema::diff;
/// use std::ops::ControlFlow::Continue;
/// let (a, mut b) = (FileKind::Ms3d.blank(), FileKind::Ms3d.blank());
/// b.set("animation.fps", "30")?;
/// let mut paths = Vec::new();
/// let _ = diff((a.value(), &a.encode()?), (b.value(), &b.encode()?), &mut |difference| {
///     paths.push(difference.path.to_string());
///     Continue(())
/// });
/// assert_eq!(paths, ["animation.fps"]);
/// # Ok::<(), bindpose::Error>(())
/// ```
///
/// # Errors
/// Breaks when `visit` does.
pub fn diff(
    a: (&dyn Value, &[u8]),
    b: (&dyn Value, &[u8]),
    visit: &mut dyn FnMut(&Difference) -> ControlFlow<()>,
) -> ControlFlow<()> {
    let side = |(value, bytes)| Side { value, bytes, start: 0 };
    let mut differ =
        Differ { path: Path::root(), outer: None, counts: false, seen: a.1 == b.1, visit: &mut *visit };
    differ.compare(side(a), side(b))?;
    if differ.seen {
        return Continue(());
    }
    // The counts differ and nothing else does.
    Differ { counts: true, ..differ }.compare(side(a), side(b))
}

/// A value, its bytes, and where they stand in the file.
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

    /// A part of these bytes.
    fn part(&self, value: &'a dyn Value, range: &Range<usize>) -> Self {
        let bytes = self.bytes.get(range.clone()).unwrap_or_default();
        Self { value, bytes, start: self.start + range.start as u64 }
    }

    fn slice(&self, range: &Range<usize>) -> &'a [u8] {
        self.bytes.get(range.clone()).unwrap_or_default()
    }
}

struct Differ<'a> {
    path: Path,
    /// The packed values that this content stands in; in the file, they are what differs.
    outer: Option<(Range<u64>, Range<u64>)>,
    /// Whether counts are looked at.
    counts: bool,
    seen: bool,
    visit: &'a mut dyn FnMut(&Difference) -> ControlFlow<()>,
}

impl Differ<'_> {
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
                let (own, other) = spelled(own, other);
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
        self.seen = true;
        let (a, b) = self.outer.clone().unwrap_or((a, b));
        (self.visit)(&Difference { path: self.path.clone(), change, a, b })
    }

    /// Does something one step further down.
    fn below(&mut self, step: Step, go: impl FnOnce(&mut Self) -> ControlFlow<()>) -> ControlFlow<()> {
        self.path.push(step);
        go(self)?;
        self.path.pop();
        Continue(())
    }

    fn contents(&mut self, a: Side<'_>, own: &dyn Value, b: Side<'_>, other: &dyn Value) -> ControlFlow<()> {
        let (plain_a, plain_b) = (bytes_of(own), bytes_of(other));
        if plain_a == plain_b {
            return self.differ(Change::value("packed", "packed differently"), a.range(), b.range());
        }
        let inside = self.outer.is_some();
        self.outer.get_or_insert((a.range(), b.range()));
        self.below(Step::Inside, |differ| {
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
            let is_count = matches!(field.role, Role::Counts(_) | Role::Places(_));
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
                self.below(Step::Field(field.name.into()), |differ| differ.compare(a, b))
            })
        })
    }

    fn lists(
        &mut self,
        (own, a): (&dyn Items, Side<'_>),
        (other, b): (&dyn Items, Side<'_>),
    ) -> ControlFlow<()> {
        if let (Some(names_a), Some(names_b)) = (names(own), names(other)) {
            return self.by_name((own, a, &names_a), (other, b, &names_b));
        }
        match (own.item_size(), other.item_size()) {
            (Some(size @ 1..), Some(same)) if size == same && a.bytes.len() == b.bytes.len() => {
                let mut at = 0;
                while let Some(differs) =
                    first_difference(a.slice(&(at..a.bytes.len())), b.slice(&(at..b.bytes.len())))
                {
                    let index = (at + differs) / size;
                    let range = index * size..(index + 1) * size;
                    self.pair((own, a, index, &range), (other, b, index, &range))?;
                    at = range.end;
                }
                Continue(())
            }
            _ => self.align((own, a), (other, b)),
        }
    }

    /// Compares an element with one of the other list.
    fn pair(
        &mut self,
        (own, a, index, range): (&dyn Items, Side<'_>, usize, &Range<usize>),
        (other, b, twin, twins): (&dyn Items, Side<'_>, usize, &Range<usize>),
    ) -> ControlFlow<()> {
        let mut flow = Continue(());
        let _ = own.each_at(index, range.start, &mut |_, value| {
            let _ = other.each_at(twin, twins.start, &mut |_, other| {
                flow = self.below(Step::Index(index), |differ| {
                    differ.compare(a.part(value, range), b.part(other, twins))
                });
                Break(())
            });
            Break(())
        });
        flow
    }

    /// What is equal at the beginning and the end stays aside; the rest is aligned by index.
    fn align(
        &mut self,
        (own, a): (&dyn Items, Side<'_>),
        (other, b): (&dyn Items, Side<'_>),
    ) -> ControlFlow<()> {
        let (places_a, places_b) = (places(own), places(other));
        let same = |(in_a, in_b): &(&Range<usize>, &Range<usize>)| a.slice(in_a) == b.slice(in_b);
        let front = places_a.iter().zip(&places_b).take_while(same).count();
        let (rest_a, rest_b) = (&places_a[front..], &places_b[front..]);
        let back = rest_a.iter().rev().zip(rest_b.iter().rev()).take_while(same).count();
        let (rest_a, rest_b) = (&rest_a[..rest_a.len() - back], &rest_b[..rest_b.len() - back]);
        for (index, (in_a, in_b)) in rest_a.iter().zip(rest_b).enumerate() {
            let index = front + index;
            self.pair((own, a, index, in_a), (other, b, index, in_b))?;
        }
        let both = rest_a.len().min(rest_b.len());
        let end = |places: &[Range<usize>], side: Side<'_>| {
            let end = places.get(front + both).map_or(side.bytes.len(), |place| place.start);
            side.start + end as u64
        };
        let (end_a, end_b) = (end(&places_a, a), end(&places_b, b));
        for (index, in_a) in rest_a.iter().enumerate().skip(both) {
            self.alone(front + index, Change::Removed, file_range(a, in_a), end_b..end_b)?;
        }
        for (index, in_b) in rest_b.iter().enumerate().skip(both) {
            self.alone(front + index, Change::Added, end_a..end_a, file_range(b, in_b))?;
        }
        Continue(())
    }

    fn alone(&mut self, index: usize, change: Change, a: Range<u64>, b: Range<u64>) -> ControlFlow<()> {
        self.below(Step::Index(index), |differ| differ.differ(change, a, b))
    }

    fn by_name(
        &mut self,
        (own, a, names_a): (&dyn Items, Side<'_>, &[String]),
        (other, b, names_b): (&dyn Items, Side<'_>, &[String]),
    ) -> ControlFlow<()> {
        let (places_a, places_b) = (places(own), places(other));
        let twins = aligned(names_a, names_b);
        let mut has_twin = vec![false; names_b.len()];
        twins.iter().flatten().for_each(|twin| has_twin[*twin] = true);
        let mut last = 0;
        for (index, (twin, in_a)) in twins.iter().zip(&places_a).enumerate() {
            let Some(twin) = *twin else {
                let end = b.range().end;
                self.alone(index, Change::Removed, file_range(a, in_a), end..end)?;
                continue;
            };
            let in_b = &places_b[twin];
            if twin < last {
                self.alone(index, Change::Moved(index, twin), file_range(a, in_a), file_range(b, in_b))?;
            }
            last = last.max(twin);
            self.pair((own, a, index, in_a), (other, b, twin, in_b))?;
        }
        let end = a.range().end;
        for (index, (in_b, _)) in places_b.iter().zip(has_twin).enumerate().filter(|(_, (_, has))| !has) {
            self.alone(index, Change::Added, end..end, file_range(b, in_b))?;
        }
        Continue(())
    }
}

impl Change {
    fn value(a: &str, b: &str) -> Self {
        Self::Value { a: a.into(), b: b.into() }
    }
}

fn file_range(side: Side<'_>, range: &Range<usize>) -> Range<u64> {
    side.start + range.start as u64..side.start + range.end as u64
}

/// The first byte at which two runs of equal length differ.
fn first_difference(a: &[u8], b: &[u8]) -> Option<usize> {
    const BLOCK: usize = 4096;
    let block = a.chunks(BLOCK).zip(b.chunks(BLOCK)).position(|(a, b)| a != b)? * BLOCK;
    let within = a[block..].iter().zip(&b[block..]).position(|(a, b)| a != b)?;
    Some(block + within)
}

/// The fields of a record and where they stand in it.
fn layout(record: &dyn Record) -> Vec<(&'static str, Range<usize>)> {
    let (mut places, mut end) = (Vec::new(), 0);
    let _ = record.fields(&mut |field, value| {
        let start = end;
        end += usize::try_from(value.size()).unwrap_or(0);
        places.push((field.name, start..end));
        Continue(())
    });
    places
}

/// Where the elements of a list stand in it.
fn places(items: &dyn Items) -> Vec<Range<usize>> {
    if let Some(size) = items.item_size() {
        return (0..items.len()).map(|index| index * size..(index + 1) * size).collect();
    }
    let (mut places, mut end) = (Vec::with_capacity(items.len()), 0);
    let _ = items.each(0, &mut |_, item| {
        let start = end;
        end += usize::try_from(item.size()).unwrap_or(0);
        places.push(start..end);
        Continue(())
    });
    places
}

/// The names of all elements; nothing where they have none.
fn names(items: &dyn Items) -> Option<Vec<String>> {
    let mut names = Vec::new();
    let all = items.each(0, &mut |_, item| {
        let Some(name) = name_of(item) else { return Break(()) };
        names.push(name);
        Continue(())
    });
    (all.is_continue() && !names.is_empty()).then_some(names)
}

/// For each name the index of its twin: the same name as often before, else the same index where both are left over.
fn aligned(a: &[String], b: &[String]) -> Vec<Option<usize>> {
    let mut by_name: HashMap<&str, Vec<usize>> = HashMap::new();
    for (index, name) in b.iter().enumerate().rev() {
        by_name.entry(name).or_default().push(index);
    }
    let mut twins: Vec<_> = a.iter().map(|name| by_name.get_mut(&**name).and_then(Vec::pop)).collect();
    let mut taken = vec![false; b.len()];
    twins.iter().flatten().for_each(|twin: &usize| taken[*twin] = true);
    for (index, twin) in twins.iter_mut().enumerate() {
        if twin.is_none() && taken.get(index) == Some(&false) {
            *twin = Some(index);
        }
    }
    twins
}

/// Two leaves as texts that differ.
fn spelled(a: &dyn Leaf, b: &dyn Leaf) -> (String, String) {
    let (own, other) = (super::leaf::spelled(a), super::leaf::spelled(b));
    if own == other { (hex(a), hex(b)) } else { (own, other) }
}

fn hex(leaf: &dyn Leaf) -> String {
    let (mut bytes, mut text) = (Vec::new(), String::new());
    leaf.bytes(&mut bytes);
    let _ = show_hex(&bytes, &mut text);
    text
}
