//! What a valid file of its format obeys, said with a code and a place.
//!
//! Decoding tolerates, checking is strict: nonsense is read, kept and written again, and here it is named. Each rule
//! has a [code](Rule::code) and says in a sentence what is wrong; a [finding](Finding) is a place that breaks it.
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
pub(crate) mod names;
mod repair;
mod report;
mod rule;
mod verdict;

pub(crate) use any::{NOT_FINITE, check as check_any, finite};
pub use repair::Repair;
pub use report::{Finding, Findings, Report};
pub(crate) use rule::rules;
pub use rule::{Rule, Severity, UnknownSeverity};

/// The rules for files of every format.
pub(crate) fn general_rules() -> impl Iterator<Item = &'static &'static Rule> {
    any::RULES.iter().chain(filter::RULES)
}

/// The reasons why a file cannot be checked, in the form of rules.
pub(crate) const fn file_rules() -> &'static [&'static Rule] {
    verdict::RULES
}

/// A format that has rules of its own.
pub trait Check {
    /// Says what breaks them.
    fn check(&self, findings: &mut Findings);

    /// Says what may be behind it that a file makes no sense, beside what befalls files of any format.
    fn suspect(_bytes: &[u8], _findings: &mut Findings) {}

    /// Changes that are certain to mend a file that makes no sense; their rules are [`mended`](field@Rule::mended).
    #[must_use]
    fn repairs(_bytes: &[u8]) -> Vec<Repair> {
        Vec::new()
    }
}
