//! What was found, and where.

use std::fmt;
use std::ops::Range;

use super::Rule;
use crate::FieldPath;
use crate::schema::{Edit, Value, locate};

/// A place in a file where a rule is broken.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Finding {
    /// The rule.
    pub rule: &'static Rule,
    /// The leaf, record or list; the root where the file as a whole is meant.
    pub path: FieldPath,
    /// Its bytes in the file.
    pub range: Range<u64>,
    /// What is wrong with it.
    pub message: String,
}

/// The field and the message: `joints[3].parent_name: no joint is called "hip"`.
impl fmt::Display for Finding {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let gap = if self.path.steps().is_empty() { "" } else { ": " };
        write!(out, "{}{gap}{}", self.path, self.message)
    }
}

/// What was found in a file.
///
/// ```
/// use bindpose::codec::Format;
/// use bindpose::formats::ms3d::{Ms3d, Vertex};
/// let mut file = Ms3d::blank_file();
/// file.vertices.push(Vertex { bone_id: 7, ..Vertex::default() });
/// let bytes = file.encode()?;
/// let report = bindpose::decode(&bytes)?.check(&bytes, 10);
/// assert_eq!(report.findings[0].to_string(), "vertices[0].bone_id: names joint 7 of 0");
/// assert_eq!(report.findings[0].range, 29..30);
/// # Ok::<(), bindpose::Error>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct Report {
    /// The findings in the order of the file, of each rule as many as were asked for.
    pub findings: Vec<Finding>,
    /// How many more there are of rules that are broken more often.
    pub more: Vec<(&'static Rule, usize)>,
}

/// Takes findings, and counts those that are too many to tell.
#[derive(Clone, Debug)]
pub struct Findings {
    most: usize,
    told: Vec<Told>,
    counts: Vec<(&'static Rule, usize)>,
}

#[derive(Clone, Debug)]
struct Told {
    rule: &'static Rule,
    path: FieldPath,
    /// Where it is already known.
    range: Option<Range<u64>>,
    message: String,
}

impl Findings {
    /// Of each rule, so many findings are told.
    #[must_use]
    pub const fn new(most: usize) -> Self {
        Self { most, told: Vec::new(), counts: Vec::new() }
    }

    /// Takes a finding; path and message are asked for only where it is told.
    pub fn add(
        &mut self,
        rule: &'static Rule,
        path: impl FnOnce() -> FieldPath,
        message: impl FnOnce() -> String,
    ) {
        if self.counts_in(rule) {
            self.told.push(Told { rule, path: path(), range: None, message: message() });
        }
    }

    /// Takes a finding whose bytes are known.
    pub fn add_at(
        &mut self,
        rule: &'static Rule,
        range: Range<u64>,
        path: impl FnOnce() -> FieldPath,
        message: impl FnOnce() -> String,
    ) {
        if self.counts_in(rule) {
            self.told.push(Told { rule, path: path(), range: Some(range), message: message() });
        }
    }

    fn counts_in(&mut self, rule: &'static Rule) -> bool {
        let at = match self.counts.iter().position(|(known, _)| std::ptr::eq(*known, rule)) {
            Some(at) => at,
            None => {
                self.counts.push((rule, 0));
                self.counts.len() - 1
            }
        };
        let count = &mut self.counts[at].1;
        *count += 1;
        *count <= self.most
    }

    /// Finds the bytes of what is told.
    #[must_use]
    pub fn report(self, root: &dyn Value) -> Report {
        self.placed(root.size(), |path| range_of(root, path))
    }

    /// As [`report`](Self::report), of a file of so many bytes that could not be decoded.
    #[must_use]
    pub fn report_undecoded(self, len: u64) -> Report {
        self.placed(len, |_| 0..len)
    }

    fn placed(self, len: u64, range_of: impl Fn(&FieldPath) -> Range<u64>) -> Report {
        let most = self.most;
        let placed = self.told.into_iter().map(|Told { rule, path, range, message }| {
            let range = range.unwrap_or_else(|| range_of(&path));
            // What is said to be missing may have its place at the very end.
            let range = range.start.min(len)..range.end.clamp(range.start.min(len), len);
            Finding { rule, path, range, message }
        });
        let mut findings: Vec<_> = placed.collect();
        findings.sort_by_key(|finding| finding.range.start);
        let more = self.counts.into_iter().filter(|(_, count)| *count > most);
        Report { findings, more: more.map(|(rule, count)| (rule, count - most)).collect() }
    }
}

/// The bytes at a path; for what has none of its own, those of what holds it.
fn range_of(root: &dyn Value, path: &FieldPath) -> Range<u64> {
    let mut path = path.clone();
    loop {
        if let Some(range) = locate(root, &path).ok().and_then(|found| around(&found)) {
            return range;
        }
        if path.pop().is_none() {
            return 0..root.size();
        }
    }
}

/// The bytes from the first of some places to the last: a name may stand for several words of a text.
fn around(places: &[Edit]) -> Option<Range<u64>> {
    let start = places.iter().map(|place| place.range.start).min()?;
    let end = places.iter().map(|place| place.range.end).max()?;
    Some(start..end)
}
