//! What is asked of a file, and how much it matters.

use std::fmt::{self, Write as _};
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
}

impl Rule {
    /// Every rule there is, family by family.
    pub fn all() -> impl Iterator<Item = &'static Self> {
        super::any::RULES.iter().chain(super::filter::RULES).chain(crate::formats::rules()).copied()
    }

    /// What is said of a file that could not be checked. It is told in the form of a rule, but is none: it cannot be left
    /// out, and has no other severity.
    pub fn of_files() -> impl Iterator<Item = &'static Self> {
        super::verdict::RULES.iter().copied()
    }

    /// The rules that may be broken in a way that is certain to be mended: see [`Repair`](super::Repair).
    pub fn mended() -> impl Iterator<Item = &'static Self> {
        Self::all().filter(|rule| rule.mended)
    }

    /// The rule of this code.
    #[must_use]
    pub fn named(code: &str) -> Option<&'static Self> {
        Self::all().chain(Self::of_files()).find(|rule| rule.code == code)
    }

    /// A page of all rules, in Markdown.
    #[must_use]
    pub fn page() -> String {
        let mut page = String::from(PREFACE);
        let mut family = "";
        for rule in Self::all().chain(Self::of_files()) {
            if rule.family() != family {
                family = rule.family();
                let _ = write!(page, "\n## {family}\n");
            }
            let Self { code, severity, says, why, source, example, mended: _ } = rule;
            let _ = write!(
                page,
                "\n### `{code}`\n\n*{severity}.* {says}\n\n{why}\n\nSource: {source}\n\n```text\n{example}\n```\n"
            );
        }
        page
    }

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

const PREFACE: &str = "\
# Rules

What `bindpose check` asks of files: a code, how much it matters, what is wrong, why that matters and what tools make of it,
where the rule is from, and a finding. The family `any` is for files of every format; rules called `set-` are for files that
are named together. The family `check` tells of files that could not be checked; it cannot be left out.

This page is written by `BLESS=1 cargo test rules`.
";

/// Defines rules: each once, under a name for the code that finds it, and all of them as `RULES`.
macro_rules! rules {
    ($($name:ident = $severity:ident $code:literal $says:literal {
        why: $why:expr, source: $source:expr, example: $example:literal $(, mended: $mended:literal)? $(,)?
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
            };
        )+
        /// All of them.
        pub(crate) static RULES: &[&$crate::check::Rule] = &[$(&$name),+];
    };
}
pub(crate) use rules;
