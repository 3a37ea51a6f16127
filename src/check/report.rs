//! Findings and reports.

use std::fmt;
use std::ops::Range;

use super::{Rule, Severity};
use crate::FieldPath;
use crate::schema::{Location, Value, ranges};

/// A violation of a rule at a place in a file.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Finding {
    /// The rule.
    pub rule: &'static Rule,
    /// The field, record or list; the root if the file as a whole is meant.
    pub path: FieldPath,
    /// Its bytes in the file.
    pub range: Range<u64>,
    /// What is wrong, with the actual and the expected value.
    pub message: String,
}

/// Formats the path and the message: `joints[3].parent_name: no joint is called "hip"`.
impl fmt::Display for Finding {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let gap = if self.path.steps().is_empty() { "" } else { ": " };
        write!(out, "{}{gap}{}", self.path, self.message)
    }
}

/// The findings in a file.
///
/// ```
/// use bindpose::codec::Format;
/// use bindpose::formats::ms3d::{Ms3d, Vertex};
/// let mut file = Ms3d::blank_file();
/// file.vertices.push(Vertex { bone_id: 7, ..Vertex::default() });
/// let bytes = file.encode()?;
/// let report = bindpose::decode(&bytes)?.check(&bytes, 10);
/// assert_eq!(report.findings[0].to_string(), "vertices[0].bone_id: refers to joint 7, but 0 exist");
/// assert_eq!(report.findings[0].range, 29..30);
/// # Ok::<(), bindpose::Error>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct Report {
    /// The findings in the order of the file, up to the maximum per rule.
    pub findings: Vec<Finding>,
    /// The number of further findings of each rule that exceeds the maximum.
    pub more: Vec<(&'static Rule, usize)>,
}

/// Collects findings up to a maximum per rule and a maximum of memory, and counts the others.
#[derive(Clone, Debug)]
pub struct Findings {
    most: usize,
    kept: Vec<Kept>,
    counts: Vec<Count>,
    /// The number of steps in the paths of the kept findings.
    steps: usize,
}

/// The maximum number of steps in the paths of all kept findings: each object of a deep hierarchy has a longer path.
const MAX_STEPS: usize = 1 << 19;

/// The number of findings of a rule.
#[derive(Clone, Debug)]
struct Count {
    rule: &'static Rule,
    all: usize,
    kept: usize,
}

#[derive(Clone, Debug)]
struct Kept {
    rule: &'static Rule,
    path: FieldPath,
    /// The bytes, if they are already known.
    range: Option<Range<u64>>,
    message: String,
}

impl Findings {
    /// Creates an empty collection that keeps at most `most` findings per rule.
    #[must_use]
    pub const fn new(most: usize) -> Self {
        Self { most, kept: Vec::new(), counts: Vec::new(), steps: 0 }
    }

    /// Adds a finding; path and message are evaluated only if it is kept.
    pub fn add(
        &mut self,
        rule: &'static Rule,
        path: impl FnOnce() -> FieldPath,
        message: impl FnOnce() -> String,
    ) {
        if self.counts_in(rule) {
            self.keep(Kept { rule, path: path(), range: None, message: message() });
        }
    }

    /// Adds a finding whose bytes are known.
    pub fn add_at(
        &mut self,
        rule: &'static Rule,
        range: Range<u64>,
        path: impl FnOnce() -> FieldPath,
        message: impl FnOnce() -> String,
    ) {
        self.add_placeable(rule, range, path, message);
    }

    /// As [`add_at`](Self::add_at); [`place`](Self::place) can change the bytes. Returns the index of the finding, unless it is
    /// only counted.
    pub(crate) fn add_placeable(
        &mut self,
        rule: &'static Rule,
        range: Range<u64>,
        path: impl FnOnce() -> FieldPath,
        message: impl FnOnce() -> String,
    ) -> Option<usize> {
        self.counts_in(rule).then(|| {
            self.keep(Kept { rule, path: path(), range: Some(range), message: message() });
            self.kept.len() - 1
        })
    }

    /// Sets the bytes of a finding.
    pub(crate) fn place(&mut self, finding: usize, range: Range<u64>) {
        self.kept[finding].range = Some(range);
    }

    /// Returns the number of findings of rules for errors.
    pub(crate) fn num_errors(&self) -> usize {
        let errors = self.counts.iter().filter(|own| own.rule.severity == Severity::Error);
        errors.map(|own| own.all).sum()
    }

    /// Returns the paths of the kept findings of rules for errors.
    pub(crate) fn errors(&self) -> impl Iterator<Item = &FieldPath> {
        self.kept.iter().filter(|own| own.rule.severity == Severity::Error).map(|own| &own.path)
    }

    fn counts_in(&mut self, rule: &'static Rule) -> bool {
        let at = match self.counts.iter().position(|known| std::ptr::eq(known.rule, rule)) {
            Some(at) => at,
            None => {
                self.counts.push(Count { rule, all: 0, kept: 0 });
                self.counts.len() - 1
            }
        };
        let count = &mut self.counts[at];
        count.all += 1;
        let is_kept = count.kept < self.most && self.steps < MAX_STEPS;
        count.kept += usize::from(is_kept);
        is_kept
    }

    fn keep(&mut self, finding: Kept) {
        self.steps += finding.path.steps().len();
        self.kept.push(finding);
    }

    /// Adds the findings of another collection about fields that exist, up to the maximum per rule.
    ///
    /// The rules of a format also check fields after the end of a truncated file, which are zeros: such findings are
    /// consequences of the damage.
    pub(crate) fn append_existing(&mut self, others: Self, root: &dyn Value) {
        let unplaced = others.kept.iter().filter(|finding| finding.range.is_none());
        let paths: Vec<_> = unplaced.map(|finding| finding.path.clone()).collect();
        let (mut places, size) = (places(root, &paths).into_iter(), root.size());
        for finding in others.kept {
            let exists = match &finding.range {
                Some(range) => range.start < size,
                None => places.next().flatten().is_some() || finding.path.steps().is_empty(),
            };
            if exists && self.counts_in(finding.rule) {
                self.keep(finding);
            }
        }
    }

    /// Returns the report, with the byte range of each finding.
    #[must_use]
    pub fn report(self, root: &dyn Value) -> Report {
        self.placed(root.size(), |paths| ranges_of(root, paths))
    }

    /// As [`report`](Self::report), for a file of `len` bytes that could not be decoded.
    #[must_use]
    pub fn report_undecoded(self, len: u64) -> Report {
        self.placed(len, |paths| vec![0..len; paths.len()])
    }

    fn placed(self, len: u64, ranges_of: impl FnOnce(Vec<FieldPath>) -> Vec<Range<u64>>) -> Report {
        let unplaced = self.kept.iter().filter(|finding| finding.range.is_none());
        let mut ranges = ranges_of(unplaced.map(|finding| finding.path.clone()).collect()).into_iter();
        let placed = self.kept.into_iter().map(|Kept { rule, path, range, message }| {
            let range = range.or_else(|| ranges.next()).unwrap_or_default();
            // A missing part may be located at the end of the file.
            let range = range.start.min(len)..range.end.clamp(range.start.min(len), len);
            Finding { rule, path, range, message }
        });
        let mut findings: Vec<_> = placed.collect();
        findings.sort_by_key(|finding| finding.range.start);
        let more = self.counts.into_iter().filter(|count| count.all > count.kept);
        Report { findings, more: more.map(|count| (count.rule, count.all - count.kept)).collect() }
    }
}

/// The bytes at paths; of a path without bytes, those of its parent.
fn ranges_of(root: &dyn Value, mut paths: Vec<FieldPath>) -> Vec<Range<u64>> {
    let mut found = vec![None; paths.len()];
    let mut left: Vec<usize> = (0..paths.len()).collect();
    while !left.is_empty() {
        let selected: Vec<_> = left.iter().map(|nth| paths[*nth].clone()).collect();
        left.iter().zip(places(root, &selected)).for_each(|(nth, range)| found[*nth] = range);
        left.retain(|nth| found[*nth].is_none() && paths[*nth].pop().is_some());
    }
    let whole = 0..root.size();
    found.into_iter().map(|range| range.unwrap_or_else(|| whole.clone())).collect()
}

/// The bytes at paths; none at a path that selects nothing.
fn places(root: &dyn Value, paths: &[FieldPath]) -> Vec<Option<Range<u64>>> {
    let mut found = vec![None; paths.len()];
    let mut canonical = Vec::new();
    for (nth, alias) in root.aliases(paths).into_iter().enumerate() {
        match alias {
            Some(places) => found[nth] = places.ok().and_then(|places| around(&places)),
            None => canonical.push(nth),
        }
    }
    let selected: Vec<_> = canonical.iter().map(|nth| paths[*nth].clone()).collect();
    canonical.into_iter().zip(ranges(root, &selected)).for_each(|(nth, range)| found[nth] = range);
    found
}

/// The bytes from the first place to the last: an alias may refer to several tokens.
fn around(places: &[Location]) -> Option<Range<u64>> {
    let start = places.iter().map(|place| place.range.start).min()?;
    let end = places.iter().map(|place| place.range.end).max()?;
    Some(start..end)
}
