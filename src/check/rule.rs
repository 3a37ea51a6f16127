//! What is asked of a file, and how much it matters.

use std::fmt;
use std::str::FromStr;

/// How much it matters that a rule is broken.
///
/// ```
/// use bindpose::check::Severity;
/// assert!(Severity::Error > Severity::Hint);
/// assert_eq!("warning".parse(), Ok(Severity::Warning));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Severity {
    /// Worth knowing for who looks closely: a habit of a writer.
    Hint,
    /// Sound, and still something that tools trip over or people want to know.
    Info,
    /// Most readers get along, some show something else than was meant.
    Warning,
    /// No valid file: readers refuse it, crash, or guess.
    Error,
}

impl Severity {
    /// From the least to the most.
    pub const ALL: [Self; 4] = [Self::Hint, Self::Info, Self::Warning, Self::Error];

    /// The word for it.
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

/// A word that names no [`Severity`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnknownSeverity(String);

impl fmt::Display for UnknownSeverity {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "`{}` is no severity; there are error, warning, info, hint", self.0)
    }
}

impl std::error::Error for UnknownSeverity {}

/// Something that a valid file obeys.
///
/// ```
/// use bindpose::check::Rule;
/// let rule = Rule::named("ms3d/vertex-joint-out-of-range").unwrap();
/// assert_eq!(rule.says, "A vertex names a joint that is not there.");
/// ```
#[derive(Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Rule {
    /// The family of formats and the name: `psk/weight-bone-out-of-range`. The family `any` is for all.
    pub code: &'static str,
    /// How much it matters, unless the user says otherwise.
    pub severity: Severity,
    /// What is wrong where it is broken, in a sentence.
    pub says: &'static str,
    /// Why it matters, what tools make of it, what to do.
    pub why: &'static str,
    /// Where the rule is from.
    pub source: &'static str,
    /// A finding, as it is told: the field and the message.
    pub example: &'static str,
    /// Whether there are ways to break it that are certain to be mended: see [`Repair`](super::Repair).
    pub mended: bool,
    /// Whether the rule applies only to a file that is checked alone: in a set, another file may resolve the finding.
    pub alone: bool,
}

impl Rule {
    /// The part of the code behind the slash.
    #[must_use]
    pub fn name(&self) -> &'static str {
        self.code.split('/').nth(1).unwrap_or_default()
    }

    /// The part of the code before the slash.
    #[must_use]
    pub fn family(&self) -> &'static str {
        self.code.split('/').next().unwrap_or_default()
    }
}

/// Defines rules: each once, under a name for the code that finds it, and all of them as `RULES`.
macro_rules! rules {
    ($($name:ident = $severity:ident $code:literal $says:literal {
        why: $why:expr, source: $source:expr, example: $example:literal $(, mended: $mended:literal)? $(, alone: $alone:literal)? $(,)?
    })+) => {
        $(
            pub(crate) static $name: $crate::check::Rule = $crate::check::Rule {
                code: $code,
                severity: $crate::check::Severity::$severity,
                says: $says,
                why: $why,
                source: $source,
                example: $example,
                mended: false $(|| $mended)?,
                alone: false $(|| $alone)?,
            };
        )+
        /// All of them.
        pub(crate) static RULES: &[&$crate::check::Rule] = &[$(&$name),+];
    };
}
pub(crate) use rules;
