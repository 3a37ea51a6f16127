//! Changes that are certain to mend a file.

use std::ops::Range;

use super::Rule;

/// Bytes that are wrong or missing, and what they should be.
///
/// ```
/// use bindpose::check::{Repair, Rule};
/// let rule = Rule::named("psk/wrong-record-size").unwrap();
/// let repair = Repair { rule, range: 1..2, bytes: vec![18], message: "says 20 bytes for records of 18".into() };
/// assert_eq!(repair.apply(&[32, 20, 0]), [32, 18, 0]);
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Repair {
    /// The rule that is broken.
    pub rule: &'static Rule,
    /// The bytes that are replaced; none where some were lost.
    pub range: Range<u64>,
    /// What stands there afterwards.
    pub bytes: Vec<u8>,
    /// What is wrong.
    pub message: String,
}

impl Repair {
    /// The file with the change made. A range beyond its end is cut off there.
    #[must_use]
    pub fn apply(&self, file: &[u8]) -> Vec<u8> {
        let place = |at: u64| usize::try_from(at).unwrap_or(usize::MAX).min(file.len());
        let (start, end) = (place(self.range.start), place(self.range.end.max(self.range.start)));
        [&file[..start], &self.bytes, &file[end..]].concat()
    }
}
