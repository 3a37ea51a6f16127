//! The machine output: one object per file or finding.

use std::borrow::Cow;
use std::collections::HashSet;
use std::io::BufRead;

use serde::Deserialize;
use serde::de::IgnoredAny;

use super::{Checked, Issue, Note, Part, Report, Run, Subject, unless_empty};
use crate::json::{Lines, is_head};
use crate::prelude::*;
use crate::verdict::{FormatName, Found, Problem, Row, Verdict};
use bindpose::check::Rule;
use bindpose::files::LineReader;

#[derive(Serialize, Deserialize)]
pub(crate) struct Line<'a> {
    #[serde(flatten)]
    path: Cow<'a, PathName>,
    format: Option<Cow<'a, str>>,
    dialect: Option<Cow<'a, str>>,
    writer: Option<Cow<'a, str>>,
    bytes: u64,
    verdict: Verdict,
    opaque: u64,
    rest: u64,
    offset: Option<u64>,
    field: Option<Cow<'a, str>>,
    message: Option<Cow<'a, str>>,
    /// Why the file is damaged, where `rescue` can reverse that.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    cause: Option<Cow<'a, str>>,
    /// Whether the baseline lists it.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    known: bool,
}

impl<'a> Line<'a> {
    pub fn new(Checked { path, row, accepted, .. }: Checked<'a>) -> Self {
        let trouble = row.trouble.as_deref();
        Self {
            path: Cow::Borrowed(path),
            format: row.format.as_ref().map(|format| (&*format.name).into()),
            dialect: row.format.as_ref().and_then(|format| format.dialect.as_deref()).map(Cow::from),
            writer: row.writer.as_deref().map(Cow::from),
            bytes: row.bytes,
            verdict: row.verdict,
            opaque: row.opaque,
            rest: row.rest,
            offset: trouble.and_then(|trouble| trouble.offset),
            field: trouble.and_then(|trouble| unless_empty(&trouble.field)),
            message: trouble.and_then(|trouble| unless_empty(&trouble.message)),
            cause: row.cause.as_deref().map(Cow::from),
            known: accepted.known,
        }
    }
}

/// A file in a report that was read.
pub(crate) struct Recorded {
    pub subject: Subject,
    pub path: PathName,
    pub row: Row,
    /// Whether the baseline listed the failure of the file as a whole.
    pub known: bool,
}

impl From<Line<'_>> for Recorded {
    fn from(line: Line<'_>) -> Self {
        let owned = |text: Option<Cow<'_, str>>| text.map(Cow::into_owned).unwrap_or_default();
        let trouble = Problem {
            offset: line.offset,
            field: owned(line.field),
            message: owned(line.message),
            help: None,
        };
        let row = Row {
            verdict: line.verdict,
            format: line.format.map(|format| format_name(format, line.dialect)),
            writer: line.writer.map(|writer| Cow::Owned(writer.into_owned())),
            bytes: line.bytes,
            opaque: line.opaque,
            rest: line.rest,
            trouble: (line.verdict != Verdict::Lossless).then(|| Box::new(trouble)),
            cause: line.cause.map(|cause| cause.into_owned().into()),
            ..Row::default()
        };
        Self { subject: Subject::Roundtrip, path: line.path.into_owned(), row, known: line.known }
    }
}

/// A file that `check` read, in a report: those without findings, too.
#[derive(Serialize, Deserialize)]
struct CheckedLine<'a> {
    #[serde(flatten)]
    path: Cow<'a, PathName>,
    format: Option<Cow<'a, str>>,
    dialect: Option<Cow<'a, str>>,
    /// The number of lines about it that follow.
    findings: usize,
}

impl<'a> CheckedLine<'a> {
    fn new(file: Checked<'a>) -> Self {
        let format = file.row.format.as_ref();
        Self {
            path: Cow::Borrowed(file.path),
            format: format.map(|format| (&*format.name).into()),
            dialect: format.and_then(|format| format.dialect.as_deref()).map(Cow::from),
            findings: file.all_issues().count(),
        }
    }
}

impl From<CheckedLine<'_>> for Recorded {
    fn from(line: CheckedLine<'_>) -> Self {
        let format = line.format.map(|format| format_name(format, line.dialect));
        let row = Row { format, ..Row::default() };
        Self { subject: Subject::Check, path: line.path.into_owned(), row, known: false }
    }
}

impl TryFrom<Issue<'_>> for Recorded {
    type Error = String;

    fn try_from(line: Issue<'_>) -> Result<Self, String> {
        let path = line.path.clone().into_owned();
        // Findings are marked one by one.
        let known = line.known && Verdict::of_check(&line.rule).is_some();
        let row = match Verdict::of_check(&line.rule) {
            Some(verdict) => {
                let owned = |text: Cow<'_, str>| text.into_owned();
                let field = line.field.map(owned).unwrap_or_default();
                let message = owned(line.message);
                let trouble = Problem { offset: line.start, field, message, help: None };
                Row { verdict, trouble: Some(Box::new(trouble)), ..Row::default() }
            }
            None => {
                let unknown = format!("unknown rule `{}`", line.rule);
                let found = line.found().ok_or(unknown)?;
                Row { findings: vec![found], ..Row::default() }
            }
        };
        Ok(Self { subject: Subject::Check, path, row, known })
    }
}

impl Recorded {
    /// Merges another line about the same file; returns that of another file.
    fn join(&mut self, other: Self) -> Option<Self> {
        if self.subject != Subject::Check || other.subject != Subject::Check || self.path != other.path {
            return Some(other);
        }
        self.absorb(other.row);
        self.known |= other.known;
        None
    }

    /// Adds what another report has about the same file.
    pub fn absorb(&mut self, other: Row) {
        self.row.verdict = self.row.verdict.max(other.verdict);
        self.row.format = self.row.format.take().or(other.format);
        self.row.trouble = self.row.trouble.take().or(other.trouble);
        self.row.findings.extend(other.findings);
    }

    /// Keeps a finding once that several reports have.
    pub fn remove_repetitions(&mut self) {
        let mut known = HashSet::new();
        self.row.findings.retain(|own| {
            let key =
                (own.rule.code, own.severity, own.field.clone(), own.range.clone(), own.message.clone());
            known.insert((key, own.count, own.known))
        });
    }
}

/// The format of a report, which can be that of a command with formats of its own.
fn format_name(name: Cow<'_, str>, dialect: Option<Cow<'_, str>>) -> FormatName {
    let kind = FileKind::from_name(&name);
    let is_known = |own: &Cow<'_, str>| kind.is_none_or(|kind| kind.info().dialects.contains(&&**own));
    let dialect = dialect.filter(is_known).map(|own| Cow::Owned(own.into_owned()));
    FormatName { name: Cow::Owned(name.into_owned()), dialect }
}

pub(crate) struct ReadRun {
    pub files: Vec<Recorded>,
    /// Whether the run found files.
    pub matched: bool,
    /// Which part of a run this is.
    pub part: Option<Part>,
}

/// Reads the output of [`Json`], and merges the lines about each file.
pub(crate) fn read(input: impl BufRead) -> Result<ReadRun, String> {
    let mut files: Vec<Recorded> = Vec::new();
    let (mut matched, mut part, mut is_empty) = (true, None, true);
    for (at, line) in LineReader::new(input).enumerate() {
        let line = line.map_err(|error| error.to_string())?;
        if line.is_empty() {
            continue;
        }
        is_empty = false;
        if is_head(&line) {
            continue;
        }
        if let Ok(own) = serde_json::from_str::<Part>(&line) {
            part = Some(own);
            continue;
        }
        if serde_json::from_str::<Nothing>(&line).is_ok() {
            matched = false;
            continue;
        }
        let recorded = read_line(&line)
            .map_err(|why| format!("line {}: not a report of roundtrip or check: {why}", at + 1))?;
        let new = match files.last_mut() {
            Some(last) => last.join(recorded),
            None => Some(recorded),
        };
        files.extend(new);
    }
    if is_empty {
        return Err(
            "is empty, expected a report that `--report json=FILE` of roundtrip or check wrote".into()
        );
    }
    Ok(ReadRun { files, matched, part })
}

/// Whether a line of a report is not about a failure or a finding.
pub(crate) fn has_no_failure(line: &str) -> bool {
    is_head(line)
        || serde_json::from_str::<Nothing>(line).is_ok()
        || serde_json::from_str::<CheckedLine<'_>>(line).is_ok()
}

fn read_line(line: &str) -> Result<Recorded, String> {
    /// Fields that only lines of `check` have.
    #[derive(Deserialize)]
    struct Kind {
        rule: Option<IgnoredAny>,
        findings: Option<IgnoredAny>,
    }
    let wrong = |error: serde_json::Error| error.to_string();
    match serde_json::from_str(line).map_err(wrong)? {
        Kind { rule: Some(_), .. } => {
            Recorded::try_from(serde_json::from_str::<Issue<'_>>(line).map_err(wrong)?)
        }
        Kind { findings: Some(_), .. } => {
            Ok(serde_json::from_str::<CheckedLine<'_>>(line).map_err(wrong)?.into())
        }
        Kind { .. } => Ok(serde_json::from_str::<Line<'_>>(line).map_err(wrong)?.into()),
    }
}

impl Issue<'_> {
    /// The finding, if this version knows the rule.
    pub fn found(self) -> Option<Found> {
        Some(Found {
            rule: Rule::named(&self.rule)?,
            severity: self.severity,
            field: self.field.unwrap_or_default().into_owned(),
            object: self.object.map(Cow::into_owned),
            range: self.start.zip(self.end).map(|(start, end)| start..end),
            message: self.message.into_owned(),
            count: self.count.unwrap_or(1),
            known: self.known,
        })
    }
}

pub(crate) fn write(file: Checked<'_>, lines: &mut Lines, mut output: &mut dyn Write) -> io::Result<()> {
    match file.subject {
        Subject::Roundtrip => lines.write(&mut output, &Line::new(file)),
        Subject::Check => file.all_issues().try_for_each(|issue| lines.write(&mut output, &issue)),
    }
}

/// Writes one object per file, or per finding.
#[derive(Default)]
pub(super) struct Json {
    lines: Lines,
    /// Whether it is a report, which `report merge` reads: it lists every file, and has the version of the format even if there are none.
    is_report: bool,
}

impl Json {
    /// For a file.
    pub fn report() -> Self {
        Self { is_report: true, ..Self::default() }
    }
}

/// The line for a run without files.
#[derive(Serialize, Deserialize)]
pub(super) struct Nothing {
    files: usize,
}

impl Nothing {
    pub const NONE: Self = Self { files: 0 };
}

impl Report for Json {
    fn file(&mut self, file: Checked<'_>, mut output: &mut dyn Write) -> io::Result<()> {
        if self.is_report && file.subject == Subject::Check {
            self.lines.write(&mut output, &CheckedLine::new(file))?;
        }
        write(file, &mut self.lines, output)
    }

    fn end(&mut self, run: &Run, mut output: &mut dyn Write) -> io::Result<()> {
        if run.note == Some(Note::Nothing) {
            self.lines.write(&mut output, &Nothing::NONE)?;
        }
        run.part.map_or(Ok(()), |part| self.lines.write(&mut output, &part))?;
        if self.is_report { self.lines.end(&mut output) } else { Ok(()) }
    }
}
