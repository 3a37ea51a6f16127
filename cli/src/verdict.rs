//! The result for a file.

use std::borrow::Cow;
use std::collections::HashMap;
use std::fmt;
use std::ops::Range;

use serde::{Deserialize, Serialize};

use super::advice;
use super::exit::Exit;
use bindpose::check::{Finding, Repair, Report, Rule, Severity};
use bindpose::codec::Outcome;
use bindpose::schema::{NamedPaths, Value};
use bindpose::{Error, ErrorKind, FieldPath, File, FormatSpec};

/// The verdicts of the machine output.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(super) enum Verdict {
    #[default]
    Lossless,
    Damaged,
    Undecodable,
    UnknownFormat,
    Limit,
    IoError,
    NotLossless,
}

impl Verdict {
    /// In the order of a summary.
    pub const ALL: [Self; 7] = [
        Self::Lossless,
        Self::Damaged,
        Self::Undecodable,
        Self::UnknownFormat,
        Self::Limit,
        Self::IoError,
        Self::NotLossless,
    ];

    /// The name in the machine output, the meaning as a sentence, and the exit code if this is the worst verdict.
    const fn row(self) -> (&'static str, &'static str, Exit) {
        match self {
            Self::Lossless => ("lossless", "The file re-encodes identically.", Exit::Success),
            Self::Damaged => {
                let meaning =
                    "The file re-encodes identically, but cannot be decoded beyond the given offset.";
                ("damaged", meaning, Exit::Findings)
            }
            Self::Undecodable => ("undecodable", "The file cannot be decoded.", Exit::Undecodable),
            Self::UnknownFormat => {
                ("unknown-format", "The file has an unsupported format.", Exit::Undecodable)
            }
            Self::Limit => ("limit", "The file exceeds a limit.", Exit::Limit),
            Self::IoError => ("io-error", "The file could not be read.", Exit::Io),
            Self::NotLossless => {
                let meaning = "The file does not re-encode identically: a bug in bindpose.";
                ("not-lossless", meaning, Exit::Bug)
            }
        }
    }

    pub const fn name(self) -> &'static str {
        self.row().0
    }

    pub const fn meaning(self) -> &'static str {
        self.row().1
    }

    pub const fn exit(self) -> Exit {
        self.row().2
    }

    /// The verdict of a rule of the family `check`, such as `check/undecodable`.
    pub fn of_check(rule: &str) -> Option<Self> {
        Self::named(rule.strip_prefix("check/")?)
    }

    fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|verdict| verdict.name() == name)
    }
}

/// The format of a file in a report, and its dialect.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) struct FormatName {
    pub name: Cow<'static, str>,
    pub dialect: Option<Cow<'static, str>>,
}

/// As on the command line.
impl fmt::Display for FormatName {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.dialect {
            None => out.write_str(&self.name),
            Some(dialect) => write!(out, "{}:{dialect}", self.name),
        }
    }
}

impl From<FormatSpec> for FormatName {
    fn from(FormatSpec { kind, dialect }: FormatSpec) -> Self {
        Self { name: kind.name().into(), dialect: dialect.map(Cow::from) }
    }
}

/// The result for one file.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Row {
    pub verdict: Verdict,
    pub format: Option<FormatName>,
    pub writer: Option<Cow<'static, str>>,
    pub bytes: u64,
    pub opaque: u64,
    pub rest: u64,
    pub trouble: Option<Box<Problem>>,
    /// Why the file is damaged, where `rescue` can reverse that.
    pub cause: Option<Box<str>>,
    pub findings: Vec<Found>,
}

/// The rule that reports damage, which `--allow-damaged` turns into a warning.
pub(super) const DAMAGED: &str = "any/damaged";

#[derive(Clone, Debug, PartialEq)]
pub(super) struct Found {
    pub rule: &'static Rule,
    /// The severity of the rule, or the one that the user set.
    pub severity: Severity,
    /// The path of the field; empty if the file as a whole is meant.
    pub field: String,
    /// The path by the names of objects, if it differs.
    pub object: Option<String>,
    /// Its bytes; none for several findings.
    pub range: Option<Range<u64>>,
    pub message: String,
    /// The number of findings; 1 unless they are only counted.
    pub count: usize,
    /// Whether the baseline lists it.
    pub known: bool,
}

/// An error and its place in the file.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Problem {
    pub offset: Option<u64>,
    /// The path of the field; empty if the file as a whole is meant.
    pub field: String,
    pub message: String,
    /// How to avoid it.
    pub help: Option<&'static str>,
}

impl fmt::Display for Problem {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write_error(out, self.offset, &self.field, &self.message)
    }
}

/// Writes what is wrong at a place of a file, as the library prints errors.
pub(super) fn write_error(
    out: &mut fmt::Formatter<'_>,
    offset: Option<u64>,
    path: &str,
    message: &str,
) -> fmt::Result {
    if let Some(offset) = offset {
        let gap = if path.is_empty() { "" } else { " " };
        write!(out, "{offset:#010x}{gap}{path}: ")?;
    }
    out.write_str(message)
}

impl Row {
    /// A file that was decoded or failed to decode.
    pub fn judged(format: impl Into<FormatName>, bytes: u64, outcome: Outcome) -> Self {
        let Outcome { verdict, dialect, writer, opaque, rest, .. } = outcome;
        let trouble = verdict.error().map(|error| Box::new(Problem::from(error)));
        let verdict = Verdict::named(verdict.name()).unwrap_or(Verdict::NotLossless);
        let mut format = format.into();
        // That which the file turned out to have.
        format.dialect = dialect.map(Cow::from).or(format.dialect);
        Self {
            format: Some(format),
            writer: writer.map(Cow::Borrowed),
            opaque,
            rest,
            trouble,
            verdict,
            bytes,
            ..Self::default()
        }
    }

    pub fn checked(spec: FormatSpec, bytes: u64, file: &File, report: Report) -> Self {
        Self {
            format: Some(FormatSpec { dialect: file.dialect().or(spec.dialect), ..spec }.into()),
            writer: file.writer().map(Cow::Borrowed),
            findings: Found::of_file(report, file),
            bytes,
            ..Self::default()
        }
    }

    /// A file that was not decoded.
    pub fn failed(verdict: Verdict, bytes: u64, why: impl Into<Problem>) -> Self {
        Self { verdict, bytes, trouble: Some(Box::new(why.into())), ..Self::default() }
    }

    /// Makes damage a warning.
    pub fn accept_damage(&mut self) {
        let damage = self.findings.iter_mut().filter(|found| found.rule.code == DAMAGED);
        damage.for_each(|found| found.severity = found.severity.min(Severity::Warning));
    }

    /// Adds why the file is damaged, and lists the finding about that first.
    #[must_use]
    pub fn with_cause(mut self, repairs: Vec<Repair>) -> Self {
        if let Some(Repair { rule, message, .. }) = repairs.into_iter().next() {
            self.findings.sort_by_key(|found| found.rule.code != rule.code);
            self.cause = Some(message.into());
        }
        self
    }
}

impl Found {
    /// The findings in a file, with the names of objects.
    pub fn of_file(report: Report, file: &File) -> Vec<Self> {
        if report.findings.is_empty() {
            return Self::all(report);
        }
        file.with_object_paths(|names| Self::named(report, &mut |path| names.path(path)))
    }

    /// The findings in a file of a format of another crate, with the names of objects.
    pub fn of_value(report: Report, file: &dyn Value) -> Vec<Self> {
        let mut names = NamedPaths::new(file);
        Self::named(report, &mut |path| names.path(path))
    }

    fn named(report: Report, translate: &mut dyn FnMut(&FieldPath) -> Option<FieldPath>) -> Vec<Self> {
        let objects: Vec<_> = report.findings.iter().map(|finding| translate(&finding.path)).collect();
        let mut all = Self::all(report);
        for (found, object) in all.iter_mut().zip(objects) {
            found.object = object.map(|path| path.to_string());
        }
        all
    }

    /// The findings of a report, and the counts of the others.
    pub fn all(report: Report) -> Vec<Self> {
        let findings = report.findings.into_iter().map(Self::from);
        let more = |(rule, count): (&'static Rule, _)| Self::more(rule, rule.severity, count, false);
        findings.chain(report.more.into_iter().map(more)).collect()
    }

    /// Findings that are only counted.
    fn more(rule: &'static Rule, severity: Severity, count: usize, known: bool) -> Self {
        let message = format!("and {count} more");
        Self { rule, severity, field: String::new(), object: None, range: None, message, count, known }
    }

    /// Keeps at most `most` known and `most` new findings of each rule, and counts the others.
    pub fn abridge(findings: &mut Vec<Self>, most: usize) {
        let mut reported: HashMap<_, usize> = HashMap::new();
        let mut more: Vec<Self> = Vec::new();
        findings.retain(|&Self { rule, severity, ref range, count, known, .. }| {
            let listed = reported.entry((rule.code, known)).or_default();
            if range.is_some() && *listed < most {
                *listed += 1;
                return true;
            }
            match more.iter_mut().find(|more| std::ptr::eq(more.rule, rule) && more.known == known) {
                Some(more) => more.count += count,
                None => more.push(Self::more(rule, severity, count, known)),
            }
            false
        });
        let anew = |more: Self| Self::more(more.rule, more.severity, more.count, more.known);
        findings.extend(more.into_iter().map(anew));
    }
}

impl From<Finding> for Found {
    fn from(finding: Finding) -> Self {
        let Finding { rule, path, range, message, .. } = finding;
        let (field, range) = (path.to_string(), Some(range));
        Self { rule, severity: rule.severity, field, object: None, range, message, count: 1, known: false }
    }
}

/// Without a place.
impl From<String> for Problem {
    fn from(message: String) -> Self {
        Self { offset: None, field: String::new(), message, help: None }
    }
}

impl From<&Error> for Problem {
    fn from(error: &Error) -> Self {
        let is_of_format = !matches!(error.kind(), ErrorKind::UnknownFormat | ErrorKind::Foreign(_));
        let offset = is_of_format.then(|| error.offset());
        let help = advice::of_file(error.kind());
        Self { offset, field: error.path().to_string(), message: error.message(), help }
    }
}
