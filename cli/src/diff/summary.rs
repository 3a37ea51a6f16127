//! Differences as people read them: named, summarised, in colours.

use std::collections::HashMap;
use std::ops::Range;

use crate::paths::last_index;
use crate::prelude::*;
use crate::table::Table;
use bindpose::diff::{Change, Difference};
use bindpose::schema::Step;

/// The maximum number of similar differences in a list that are printed one by one.
const FEW: usize = 4;

/// The kinds of differences that are summarised together.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Kind {
    Number,
    Value,
    Removed,
    Added,
}

impl Kind {
    fn of(change: &Change) -> Option<Self> {
        match change {
            Change::Value { .. } if change.distance().is_some_and(f64::is_finite) => Some(Self::Number),
            Change::Value { .. } => Some(Self::Value),
            Change::Removed => Some(Self::Removed),
            Change::Added => Some(Self::Added),
            Change::Moved(..) => None,
        }
    }
}

/// Similar differences in the elements of a list.
struct Group {
    kind: Kind,
    /// The path for people, with `[*]` for elements that vary.
    place: FieldPath,
    first: Vec<Difference>,
    count: usize,
    largest: f64,
    /// The last difference, if all elements so far follow each other.
    run: Option<usize>,
}

/// Prints differences, and summarises those of a list when it ends.
pub(crate) struct Human {
    most: usize,
    list: Option<FieldPath>,
    groups: Vec<Group>,
    /// The index of the group for paths of this kind.
    known: HashMap<(FieldPath, Kind), usize>,
}

impl Human {
    /// Prints every difference if `full`.
    pub fn new(full: bool) -> Self {
        let most = if full { usize::MAX } else { FEW };
        Self { most, list: None, groups: Vec::new(), known: HashMap::new() }
    }

    pub fn add(&mut self, difference: &Difference, output: &mut Output) -> io::Result<()> {
        let list = list_of(&difference.path);
        if list != self.list {
            self.finish(output)?;
            self.list = list;
        }
        let kind = Kind::of(&difference.change).filter(|_| self.list.is_some() && self.most < usize::MAX);
        let Some(kind) = kind else {
            self.finish(output)?;
            return line(difference, output);
        };
        let index = *self.known.entry((kind_of(&difference.path, kind), kind)).or_insert(self.groups.len());
        if index == self.groups.len() {
            let place = difference.place.clone();
            self.groups.push(Group {
                kind,
                place,
                first: Vec::new(),
                count: 0,
                largest: 0.0,
                run: last_index(&difference.path),
            });
        }
        self.groups[index].add(difference, self.most);
        Ok(())
    }

    pub fn finish(&mut self, output: &mut Output) -> io::Result<()> {
        self.known.clear();
        self.groups.drain(..).try_for_each(|group| group.print(self.most, output))
    }
}

impl Group {
    fn add(&mut self, difference: &Difference, most: usize) {
        self.place = starred(&self.place, &difference.place);
        self.largest = self.largest.max(difference.change.distance().unwrap_or_default());
        let follows = |last: usize| last_index(&difference.path) == Some(last + usize::from(self.count > 0));
        self.run = self.run.filter(|last| follows(*last)).and_then(|_| last_index(&difference.path));
        self.count += 1;
        if self.first.len() < most {
            self.first.push(difference.clone());
        }
    }

    fn print(&self, most: usize, output: &mut Output) -> io::Result<()> {
        if self.count <= most {
            return self.first.iter().try_for_each(|difference| line(difference, output));
        }
        let Some(begin) = self.first.first() else { return Ok(()) };
        let (path, count) = (self.range(begin), self.count);
        let path = if path.steps().is_empty() { "file".to_owned() } else { path.to_string() };
        let side = if self.kind == Kind::Added { &begin.b } else { &begin.a };
        range(side, output)?;
        let paint = output.paint;
        match (self.kind, &begin.change) {
            (Kind::Number, _) if self.largest == 0.0 => {
                writeln!(
                    output,
                    "{path}: {count} numbers are written differently, but have the same value; the first is {}",
                    begin.place
                )
            }
            (Kind::Number, _) => {
                let most = rounded(self.largest);
                writeln!(
                    output,
                    "{path}: {count} numbers differ, by at most {most}; the first is {}",
                    begin.place
                )
            }
            (Kind::Value, Change::Value { a, b }) => {
                let (a, b) = (paint.bad(&short(a)), paint.good(&short(b)));
                writeln!(output, "{path}: {count} values differ; the first is {}: {a} -> {b}", begin.place)
            }
            (Kind::Removed, _) => {
                writeln!(output, "{path}: {count} elements {}", paint.bad("only in the first"))
            }
            _ => writeln!(output, "{path}: {count} elements {}", paint.good("only in the second")),
        }
    }

    /// The path; a range of elements where they follow each other.
    fn range(&self, begin: &Difference) -> FieldPath {
        let mut steps = self.place.steps().to_vec();
        let is_whole = steps.len() == begin.place.steps().len();
        if let (true, Some(start), Some(last), Some(step @ Step::Every)) =
            (is_whole, last_index(&begin.path), self.run, steps.last_mut())
        {
            *step = Step::Range(start, Some(last + 1));
        }
        steps.into()
    }
}

/// The number of differences in a list or field, in the machine output.
#[derive(Serialize)]
struct Total {
    path: String,
    changed: usize,
    only_in_first: usize,
    only_in_second: usize,
    moved: usize,
}

/// The number of differences in each list and field.
#[derive(Default)]
pub(super) struct Totals {
    order: Vec<FieldPath>,
    counts: HashMap<FieldPath, [usize; 4]>,
}

impl Totals {
    pub fn add(&mut self, difference: &Difference) {
        let path = innermost_list(&difference.place);
        let counts = self.counts.entry(path.clone()).or_insert_with(|| {
            self.order.push(path);
            [0; 4]
        });
        let index = match difference.change {
            Change::Value { .. } => 0,
            Change::Removed => 1,
            Change::Added => 2,
            Change::Moved(..) => 3,
        };
        counts[index] += 1;
    }

    /// The totals of each list; of many lists of one kind together, with `[*]` for what differs in their paths.
    fn rows(&self) -> Vec<(FieldPath, [usize; 4])> {
        let mut lists: HashMap<FieldPath, (usize, FieldPath)> = HashMap::new();
        for path in &self.order {
            let (count, common) = lists.entry(unnamed(path)).or_insert_with(|| (0, path.clone()));
            *count += 1;
            *common = starred(common, path);
        }
        let mut rows: Vec<(FieldPath, [usize; 4])> = Vec::new();
        let mut places: HashMap<FieldPath, usize> = HashMap::new();
        for path in &self.order {
            let (count, common) = &lists[&unnamed(path)];
            let key = if *count > LISTED { common } else { path };
            let at = *places.entry(key.clone()).or_insert_with(|| {
                rows.push((key.clone(), [0; 4]));
                rows.len() - 1
            });
            rows[at].1.iter_mut().zip(self.counts[path]).for_each(|(sum, own)| *sum += own);
        }
        rows
    }

    pub fn print(&self, format: Format, output: &mut Output) -> io::Result<()> {
        let rows = self.rows();
        match format {
            Format::Human if rows.is_empty() => Ok(()),
            Format::Human => self.print_table(&rows, output),
            Format::Json => rows.into_iter().try_for_each(|(path, counts)| {
                let [changed, only_in_first, only_in_second, moved] = counts;
                let path = path.to_string();
                output.json_line(&Total { path, changed, only_in_first, only_in_second, moved })
            }),
        }
    }

    /// Prints a table, whose last column is the path: paths can be long.
    fn print_table(&self, rows: &[(FieldPath, [usize; 4])], output: &mut Output) -> io::Result<()> {
        const TITLES: [&str; 4] = [">CHANGED", ">ONLY IN FIRST", ">ONLY IN SECOND", ">MOVED"];
        let is_used = |kind: &usize| rows.iter().any(|(_, counts)| counts[*kind] > 0);
        let used: Vec<_> = (0..TITLES.len()).filter(is_used).collect();
        let mut table = Table::new(used.iter().map(|kind| TITLES[*kind]).chain(["PATH"]));
        for (path, counts) in rows {
            let cells = used.iter().map(|kind| match counts[*kind] {
                0 => "-".to_owned(),
                count => count.to_string(),
            });
            table.push(cells.chain([path.to_string()]).collect::<Vec<_>>(), false);
        }
        table.print(output.paint, output)?;
        let total: usize = self.counts.values().flatten().sum();
        writeln!(output, "{}", counted(total, "difference"))
    }
}

/// The number of lists of one kind that are summarised one by one.
const LISTED: usize = 8;

const fn is_element(step: &Step) -> bool {
    matches!(step, Step::Index(_) | Step::Named(..))
}

/// The innermost list that a path leads through; the path if there is none.
fn innermost_list(path: &FieldPath) -> FieldPath {
    let at = path.steps().iter().rposition(is_element);
    at.map_or_else(|| path.clone(), |at| path.steps()[..at].to_vec().into())
}

/// The path with `[*]` for all elements.
fn unnamed(path: &FieldPath) -> FieldPath {
    let star = |step: &Step| if is_element(step) { Step::Every } else { step.clone() };
    path.steps().iter().map(star).collect::<Vec<_>>().into()
}

/// The outermost list that a path leads through.
fn list_of(path: &FieldPath) -> Option<FieldPath> {
    let at = path.steps().iter().position(|step| matches!(step, Step::Index(_)))?;
    Some(path.steps()[..at].to_vec().into())
}

/// The part of a path that is the same in all elements of a list; elements may be lists themselves. Where lists are nested deeply, and for
/// elements that only one file has, those of one outermost element are together: the records of a chunk, the vertices of a submesh.
fn kind_of(path: &FieldPath, kind: Kind) -> FieldPath {
    let mut steps = path.steps().to_vec();
    let indices: Vec<_> = (0..steps.len()).filter(|at| matches!(steps[*at], Step::Index(_))).collect();
    let are_elements = matches!(kind, Kind::Removed | Kind::Added);
    let is_kept = indices.len() > if are_elements { 1 } else { 2 };
    for at in indices.into_iter().skip(usize::from(is_kept)) {
        steps[at] = Step::Every;
    }
    steps.into()
}

/// A path with `[*]` where another has a different element; up to the first field that differs.
fn starred(path: &FieldPath, other: &FieldPath) -> FieldPath {
    let star = |(a, b): (&Step, &Step)| match (a, b) {
        (a, b) if a == b => Some(a.clone()),
        (Step::Field(_), _) | (_, Step::Field(_)) => None,
        _ => Some(Step::Every),
    };
    path.steps().iter().zip(other.steps()).map_while(star).collect::<Vec<_>>().into()
}

/// A difference with its significant digits.
fn rounded(distance: f64) -> String {
    if distance.fract() == 0.0 || distance >= 1e6 {
        format!("{distance:.0}")
    } else if distance < 1e-3 {
        format!("{distance:.1e}")
    } else {
        format!("{distance:.3}").trim_end_matches('0').trim_end_matches('.').to_owned()
    }
}

fn range(range: &Range<u64>, output: &mut Output) -> io::Result<()> {
    write!(output, "{:08x}..{:08x}  ", range.start, range.end)
}

fn line(difference: &Difference, output: &mut Output) -> io::Result<()> {
    let Difference { place, change, a, b, .. } = difference;
    range(if *change == Change::Added { b } else { a }, output)?;
    let paint = output.paint;
    match change {
        Change::Value { a, b } => {
            writeln!(output, "{place}: {} -> {}", paint.bad(&short(a)), paint.good(&short(b)))
        }
        Change::Removed => writeln!(output, "{place}: {}", paint.bad("only in the first")),
        Change::Added => writeln!(output, "{place}: {}", paint.good("only in the second")),
        Change::Moved(_, to) => writeln!(output, "{place}: moved to [{to}]"),
    }
}

/// The maximum length of a printed value.
const CHARS: usize = 72;

fn short(text: &str) -> String {
    match text.char_indices().nth(CHARS) {
        Some((end, _)) => format!("{}..", &text[..end]),
        None => text.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::rounded;

    #[test]
    fn distances_are_rounded_to_significant_digits() {
        let distances = [2.0, 0.5, 0.9996, 10.0004, 1.2345, 0.001, 0.000_25, 0.000_999_9, 1_234_567.8];
        let texts = distances.map(rounded);
        assert_eq!(texts, ["2", "0.5", "1", "10", "1.234", "0.001", "2.5e-4", "1.0e-3", "1234568"]);
    }
}
