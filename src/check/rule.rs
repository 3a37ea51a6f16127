//! Rules and severities.

use std::fmt;
use std::str::FromStr;

/// The severity of a violation.
///
/// ```
/// use bindpose::check::Severity;
/// assert!(Severity::Error > Severity::Hint);
/// assert_eq!("warning".parse(), Ok(Severity::Warning));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize), serde(rename_all = "lowercase"))]
pub enum Severity {
    /// A peculiarity of the writer, of interest in an analysis.
    Hint,
    /// Valid, but known to cause problems in tools, or worth knowing.
    Info,
    /// Most readers accept it, some show an unintended result.
    Warning,
    /// Invalid: readers reject the file, crash, or guess.
    Error,
}

impl Severity {
    /// All severities, the lowest first.
    pub const ALL: [Self; 4] = [Self::Hint, Self::Info, Self::Warning, Self::Error];

    /// Returns the name: `warning`.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Hint => "hint",
            Self::Info => "info",
            Self::Warning => "warning",
            Self::Error => "error",
        }
    }
}

impl fmt::Display for Severity {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(self.name())
    }
}

impl FromStr for Severity {
    type Err = UnknownSeverity;

    fn from_str(text: &str) -> Result<Self, UnknownSeverity> {
        let found = Self::ALL.into_iter().find(|severity| severity.name() == text);
        found.ok_or_else(|| UnknownSeverity(text.into()))
    }
}

/// The error for a text that is not a [`Severity`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnknownSeverity(String);

impl fmt::Display for UnknownSeverity {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "unknown severity `{}`; expected error, warning, info or hint", self.0)
    }
}

impl std::error::Error for UnknownSeverity {}

/// A rule that valid files obey.
///
/// ```
/// use bindpose::check::Rule;
/// let rule = Rule::named("ms3d/vertex-joint-out-of-range").unwrap();
/// assert_eq!(rule.summary, "A vertex refers to a joint that does not exist.");
/// ```
#[derive(Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[non_exhaustive]
pub struct Rule {
    /// Family and name: `psk/weight-bone-out-of-range`. Rules of the family `any` apply to all formats.
    #[cfg_attr(feature = "serde", serde(rename = "rule"))]
    pub code: &'static str,
    /// The default severity.
    pub severity: Severity,
    /// What a violation is, in one sentence.
    pub summary: &'static str,
    /// Why it matters, how tools react, and what to do.
    pub why: &'static str,
    /// The source of the rule.
    pub source: &'static str,
    /// An example of a finding: the path and the message.
    pub example: &'static str,
    /// Whether some violations have a [`Repair`](super::Repair).
    pub fixable: bool,
    /// Whether the rule applies only to a file that is checked alone: in a set, another file may resolve the finding.
    #[cfg_attr(feature = "serde", serde(skip))]
    pub alone: bool,
}

impl Rule {
    /// Returns the part of the code after the slash.
    #[must_use]
    pub fn name(&self) -> &'static str {
        self.code.split('/').nth(1).unwrap_or_default()
    }

    /// Returns the part of the code before the slash.
    #[must_use]
    pub fn family(&self) -> &'static str {
        self.code.split('/').next().unwrap_or_default()
    }
}

/// Defines each rule as a static, and all of them as `RULES`.
macro_rules! rules {
    ($($name:ident = $severity:ident $code:literal $summary:literal {
        why: $why:expr, source: $source:expr, example: $example:literal $(, fixable: $fixable:literal)? $(, alone: $alone:literal)? $(,)?
    })+) => {
        $(
            pub(crate) static $name: $crate::check::Rule = $crate::check::Rule {
                code: $code,
                severity: $crate::check::Severity::$severity,
                summary: $summary,
                why: $why,
                source: $source,
                example: $example,
                fixable: false $(|| $fixable)?,
                alone: false $(|| $alone)?,
            };
        )+
        /// All rules of this module.
        pub(crate) static RULES: &[&$crate::check::Rule] = &[$(&$name),+];
    };
}
pub(crate) use rules;
