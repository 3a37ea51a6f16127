//! Changes that are certain to mend a file.

use super::Rule;

/// Bytes that a writer got wrong, and what they should be.
///
/// ```
/// use bindpose::check::{Repair, Rule};
/// let rule = Rule::named("psk/lying-length").unwrap();
/// let repair = Repair { rule, offset: 1, bytes: vec![18], message: "says 20 bytes for records of 18".into() };
/// assert_eq!(repair.apply(&[32, 20, 0]), [32, 18, 0]);
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Repair {
    /// The rule that is broken.
    pub rule: &'static Rule,
    /// The first byte that changes.
    pub offset: u64,
    /// What stands there afterwards; nothing moves.
    pub bytes: Vec<u8>,
    /// What is wrong.
    pub message: String,
}

impl Repair {
    /// The file with the change made. What lies behind its end is left out.
    #[must_use]
    pub fn apply(&self, file: &[u8]) -> Vec<u8> {
        let mut mended = file.to_vec();
        let start = usize::try_from(self.offset).unwrap_or(usize::MAX);
        for (old, new) in mended.iter_mut().skip(start).zip(&self.bytes) {
            *old = *new;
        }
        mended
    }
}
