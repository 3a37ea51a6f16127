//! Repairs of damaged files.

use std::ops::Range;

use super::Rule;

/// A repair: wrong or missing bytes, and their replacement.
///
/// ```
/// use bindpose::check::{Repair, Rule};
/// let rule = Rule::named("psk/wrong-record-size").unwrap();
/// let repair = Repair::new(rule, 1..2, vec![18], "size is 20, records have 18 bytes".into());
/// assert_eq!(repair.apply(&[32, 20, 0]), [32, 18, 0]);
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Repair {
    /// The violated rule.
    pub rule: &'static Rule,
    /// The bytes that are replaced; empty for an insertion.
    pub range: Range<u64>,
    /// The replacement.
    pub bytes: Vec<u8>,
    /// What is wrong.
    pub message: String,
}

impl Repair {
    /// Creates a repair that replaces a range of bytes.
    #[must_use]
    pub const fn new(rule: &'static Rule, range: Range<u64>, bytes: Vec<u8>, message: String) -> Self {
        Self { rule, range, bytes, message }
    }

    /// Returns the repaired file. A range beyond the end of the file is clamped.
    #[must_use]
    pub fn apply(&self, file: &[u8]) -> Vec<u8> {
        let place = |at: u64| usize::try_from(at).unwrap_or(usize::MAX).min(file.len());
        let (start, end) = (place(self.range.start), place(self.range.end.max(self.range.start)));
        [&file[..start], &self.bytes, &file[end..]].concat()
    }
}
