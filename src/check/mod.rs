//! Rules of valid files, and findings where a file violates them.
//!
//! Decoding is tolerant and checking is strict: invalid values are decoded and preserved, and reported here. Each rule has a
//! [code](Rule::code) and a one-sentence description. A [finding](Finding) is a violation with its path and byte range.
//!
//! ```
//! use bindpose::check::{Rule, Severity};
//! # use bindpose::codec::Format;
//! # let bytes = bindpose::formats::ms3d::Ms3d::blank_file().encode()?;
//! let report = bindpose::decode(&bytes)?.check(&bytes, 10);
//! let errors = report.findings.iter().filter(|finding| finding.rule.severity == Severity::Error);
//! assert_eq!(errors.count(), 0);
//! assert!(Rule::all().count() > 20);
//! # Ok::<(), bindpose::Error>(())
//! ```

mod any;
pub(crate) mod common;
pub(crate) mod filter;
mod fit;
pub(crate) mod names;
mod own;
mod repair;
mod report;
mod rule;
pub(crate) mod tolerance;
mod verdict;

pub(crate) use any::{NOT_FINITE, check as check_any, finite};
pub use fit::{BoneList, Fit, ListedBones};
pub(crate) use own::check as check_own;
pub use repair::Repair;
pub use report::{Finding, Findings, Report};
pub(crate) use rule::rules;
pub use rule::{Rule, Severity, UnknownSeverity};

/// The rules for files of every format.
pub(crate) fn general_rules() -> impl Iterator<Item = &'static &'static Rule> {
    any::RULES.iter().chain(filter::RULES)
}

/// The rules that follow from the definitions of formats in other crates.
pub(crate) const fn own_rules() -> &'static [&'static Rule] {
    own::RULES
}

/// The reasons why a file cannot be checked, in the form of rules.
pub(crate) const fn file_rules() -> &'static [&'static Rule] {
    verdict::RULES
}

use crate::Result;

/// A format with rules. Only this crate implements it.
pub trait Check: crate::sealed::Sealed {
    /// Adds a finding for each violation.
    fn check(&self, findings: &mut Findings);

    /// Adds possible causes of damage that are specific to the format.
    fn suspect(_bytes: &[u8], _findings: &mut Findings) {}

    /// Returns the bones that the file defines, or moves; none if its format has no animations in separate files.
    ///
    /// # Errors
    /// If the text of the file cannot be interpreted.
    fn bone_list(&self) -> Result<Option<ListedBones>> {
        Ok(None)
    }

    /// Returns repairs of violations in a file without damage, of which `bytes` are the content.
    #[must_use]
    fn corrections(&self, _bytes: &[u8]) -> Vec<Repair> {
        Vec::new()
    }

    /// Returns repairs for a damaged file; their rules are [`fixable`](field@Rule::fixable).
    #[must_use]
    fn repairs(_bytes: &[u8]) -> Vec<Repair> {
        Vec::new()
    }
}
