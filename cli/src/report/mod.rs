//! Reports on many files, in several formats.

mod findings;
mod github;
mod gitlab;
mod human;
pub(super) mod json;
mod junit;
mod sarif;
mod statistics;

use std::borrow::Cow;
use std::collections::BTreeSet;
use std::fmt;
use std::fs;
use std::io::ErrorKind;
use std::mem;
use std::ops::ControlFlow::{self, Break, Continue};

use clap::ValueEnum;
use indicatif::ProgressBar;
use serde::Deserialize;

use super::output::Paint;
use super::verdict::{DAMAGED, Found, Row, Verdict, write_error};
use super::write::start;
use crate::partition::Partition;
use crate::prelude::*;
use bindpose::check::Severity;
use bindpose::files::Draft;

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(super) enum Style {
    /// Text for people; may change between versions
    Human,
    /// JSON Lines, one object per file or finding; stable
    Json,
    /// `JUnit` XML, one test case per file
    Junit,
    /// SARIF 2.1.0, one result per failure or finding
    Sarif,
    /// Annotations of a GitHub workflow: errors and warnings; with -v, all findings
    Github,
    /// GitLab Code Quality, one issue per failure or finding
    Gitlab,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Subject {
    /// Whether files re-encode identically.
    Roundtrip,
    /// Whether files violate rules.
    Check,
}

impl Subject {
    pub const fn name(self) -> &'static str {
        match self {
            Self::Roundtrip => "roundtrip",
            Self::Check => "check",
        }
    }
}

/// What a file's verdict means for the run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Status {
    Passed,
    /// Damaged, which the user accepts.
    Allowed,
    /// Listed in the baseline.
    Known,
    Failed,
}

/// What of the failure of a file the user accepts.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Accepted {
    pub known: bool,
    pub damage: bool,
}

/// A part of a run, as its report states it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Part {
    pub partition: Partition,
    pub files: usize,
}

#[derive(Clone, Copy)]
pub(super) struct Checked<'a> {
    pub subject: Subject,
    pub path: &'a PathName,
    pub row: &'a Row,
    pub accepted: Accepted,
}

/// A failure or a finding, as it is in the machine output.
#[derive(Serialize, Deserialize)]
pub(super) struct Issue<'a> {
    /// The code of the rule, or the verb and its verdict.
    pub rule: Cow<'a, str>,
    pub severity: Severity,
    #[serde(flatten)]
    pub path: Cow<'a, PathName>,
    /// None if the file as a whole is meant.
    pub field: Option<Cow<'a, str>>,
    /// The path by the names of objects, if it differs.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub object: Option<Cow<'a, str>>,
    pub start: Option<u64>,
    pub end: Option<u64>,
    pub message: Cow<'a, str>,
    /// The number of findings that are only counted.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub count: Option<usize>,
    /// Listed in the baseline.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub known: bool,
}

impl<'a> Checked<'a> {
    /// The failures and findings that reports count: those that the baseline does not list.
    pub fn issues(&self) -> impl Iterator<Item = Issue<'a>> + use<'a> {
        self.all_issues().filter(|issue| !issue.known)
    }

    /// All failures and findings, for reports that mark those in the baseline.
    pub fn all_issues(&self) -> impl Iterator<Item = Issue<'a>> + use<'a> {
        self.trouble().into_iter().chain(self.all_findings())
    }

    /// The findings among the issues.
    fn findings(&self) -> impl Iterator<Item = Issue<'a>> + use<'a> {
        self.all_findings().filter(|issue| !issue.known)
    }

    fn all_findings(&self) -> impl Iterator<Item = Issue<'a>> + use<'a> {
        let path = self.path;
        self.row.findings.iter().map(move |found| Issue::of(path, found))
    }

    /// The failure of the file as a whole.
    fn trouble(&self) -> Option<Issue<'a>> {
        let trouble = self.row.trouble.as_deref()?;
        let is_allowed = self.accepted.damage && self.row.verdict == Verdict::Damaged;
        Some(Issue {
            rule: format!("{}/{}", self.subject.name(), self.row.verdict.name()).into(),
            severity: if is_allowed { Severity::Warning } else { Severity::Error },
            path: Cow::Borrowed(self.path),
            field: unless_empty(&trouble.field),
            object: None,
            start: trouble.offset,
            end: None,
            message: trouble.message.as_str().into(),
            count: None,
            known: self.accepted.known,
        })
    }

    /// How to avoid the failure of the file, unless the baseline lists it.
    pub fn help(&self) -> Option<&'static str> {
        self.row.trouble.as_ref().filter(|_| !self.accepted.known)?.help
    }

    /// Why the file is damaged, where `rescue` can reverse that and an issue reports the damage or its cause.
    pub fn cause(&self) -> Option<&'a str> {
        let is_reported = self.trouble().is_some_and(|issue| !issue.known)
            || self
                .row
                .findings
                .iter()
                .any(|found| !found.known && (found.rule.code == DAMAGED || found.rule.fixable));
        self.row.cause.as_deref().filter(|_| is_reported)
    }

    pub fn status(&self) -> Status {
        match self.row.verdict {
            _ if self.exit() > Exit::Success => Status::Failed,
            Verdict::Lossless => Status::Passed,
            Verdict::Damaged if self.accepted.damage => Status::Allowed,
            _ => Status::Known,
        }
    }

    /// The exit code if this is the worst file.
    pub fn exit(&self) -> Exit {
        let is_error = |issue: &Issue<'_>| issue.severity == Severity::Error;
        let is_accepted = self.trouble().is_some_and(|issue| issue.known || !is_error(&issue));
        let of_file = if is_accepted { Exit::Success } else { self.row.verdict.exit() };
        let of_findings =
            if self.findings().any(|issue| is_error(&issue)) { Exit::Findings } else { Exit::Success };
        of_file.max(of_findings)
    }
}

/// A text that is optional in the machine output.
fn unless_empty(text: &str) -> Option<Cow<'_, str>> {
    (!text.is_empty()).then(|| text.into())
}

impl<'a> Issue<'a> {
    pub fn of(path: &'a PathName, found: &'a Found) -> Self {
        Self {
            rule: found.rule.code.into(),
            severity: found.severity,
            path: Cow::Borrowed(path),
            field: unless_empty(&found.field),
            object: found.object.as_deref().map(Cow::from),
            start: found.range.as_ref().map(|range| range.start),
            end: found.range.as_ref().map(|range| range.end),
            message: found.message.as_str().into(),
            count: found.range.is_none().then_some(found.count),
            known: found.known,
        }
    }
}

impl fmt::Display for Issue<'_> {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let path = self.object.as_deref().or(self.field.as_deref()).unwrap_or_default();
        write_error(out, self.start, path, &self.message)
    }
}

/// Why some or all files are missing from a report.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Note {
    /// The run stopped before it reached this number of files.
    Stopped(usize),
    /// No file belongs to this part of a partition.
    NoShare,
    Nothing,
}

impl fmt::Display for Note {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Stopped(1) => out.write_str("Stopped at the first failure; 1 file was not processed."),
            Self::Stopped(unseen) => {
                write!(out, "Stopped at the first failure; {unseen} files were not processed.")
            }
            Self::NoShare => out.write_str("No file belongs to this part."),
            Self::Nothing => out.write_str("No file of a supported format was found."),
        }
    }
}

/// What is known of a run at its end.
#[derive(Default)]
pub(super) struct Run {
    /// The number of skipped files of unsupported formats.
    pub foreign: usize,
    /// Why not all files were processed.
    pub note: Option<Note>,
    /// Which part of another run it is.
    pub part: Option<Part>,
    /// How to avoid some failures.
    help: BTreeSet<&'static str>,
}

impl Run {
    /// Prints how to avoid failures, after the lines about files if there are any.
    fn print_help(&self, has_lines: bool, output: &mut dyn Write) -> io::Result<()> {
        self.help.iter().try_for_each(|help| writeln!(output, "help: {help}"))?;
        if has_lines { writeln!(output) } else { Ok(()) }
    }

    /// Prints why not all files were processed. Returns whether any was.
    fn print_note(&self, paint: Paint, output: &mut dyn Write) -> io::Result<bool> {
        if let Some(note) = self.note {
            let line = note.to_string();
            writeln!(output, "{}", if note == Note::NoShare { line } else { paint.bad(&line) })?;
        }
        Ok(!matches!(self.note, Some(Note::NoShare | Note::Nothing)))
    }
}

/// Prints the counts that are not in the summary, each with its noun and the result.
fn print_asides(asides: &[(usize, &str, &str)], paint: Paint, output: &mut dyn Write) -> io::Result<()> {
    asides.iter().filter(|(count, ..)| *count > 0).try_for_each(|(count, what, outcome)| {
        writeln!(output, "{}", paint.faint(&format!("{} {outcome}", counted(*count, what))))
    })
}

/// A report, which receives files in the order of the list.
pub(super) trait Report {
    fn file(&mut self, file: Checked<'_>, output: &mut dyn Write) -> io::Result<()>;

    /// All files have been processed.
    fn end(&mut self, _run: &Run, _output: &mut dyn Write) -> io::Result<()> {
        Ok(())
    }
}

impl Style {
    pub fn report(self, subject: Subject, common: Common, paint: Paint) -> Box<dyn Report> {
        match self {
            Self::Human if subject == Subject::Check => Box::new(findings::Findings::new(common, paint)),
            Self::Human => Box::new(human::Human::new(common, paint)),
            Self::Json => Box::<json::Json>::default(),
            Self::Junit => Box::new(junit::Junit::new(subject)),
            Self::Sarif => Box::new(sarif::Sarif::new(subject)),
            Self::Github => Box::new(github::Github::new(common)),
            Self::Gitlab => Box::<gitlab::Gitlab>::default(),
        }
    }

    /// The report with the number of findings of each rule.
    pub fn statistics(self, common: Common, paint: Paint) -> Result<Box<dyn Report>> {
        Ok(match self.for_option("--statistics")? {
            Format::Human => Box::new(findings::Findings::counting(common, paint)),
            Format::Json => Box::<statistics::Statistics>::default(),
        })
    }

    /// The format for an option with another output than a report.
    pub fn for_option(self, option: &str) -> Result<Format> {
        match self {
            Self::Human => Ok(Format::Human),
            Self::Json => Ok(Format::Json),
            _ => Err(Failure::usage(format!("{option} supports the formats human and json only"))),
        }
    }
}

#[derive(Args)]
pub(super) struct ReportArgs {
    /// Print results as FORMAT: human, json, junit, sarif, github or gitlab
    #[arg(
        long,
        value_name = "FORMAT",
        value_enum,
        default_value_t = Style::Human,
        hide_possible_values = true,
        help_heading = "Reports"
    )]
    pub format: Style,
    /// Also write a report in FORMAT to FILE; repeatable
    #[arg(long, value_name = "FORMAT=FILE", value_parser = ReportFile::parse, help_heading = "Reports")]
    report: Vec<ReportFile>,
    /// Overwrite existing files
    #[arg(long, help_heading = "Reports")]
    pub force: bool,
    /// Accept damaged files that re-encode identically
    #[arg(long, help_heading = "Reports")]
    pub allow_damaged: bool,
}

#[derive(Clone)]
struct ReportFile {
    style: Style,
    path: PathBuf,
}

impl ReportFile {
    fn parse(text: &str) -> Result<Self, String> {
        let (style, path) = text.split_once('=').ok_or("expected FORMAT=FILE")?;
        let style = Style::from_str(style, true).map_err(|_| {
            format!("unknown report format `{style}`; expected human, json, junit, sarif, github or gitlab")
        })?;
        if is_stdio(Path::new(path)) {
            return Err("expected a file; use --format to print a report".into());
        }
        Ok(Self { style, path: path.into() })
    }
}

pub(super) struct Reports<'a> {
    subject: Subject,
    report: Box<dyn Report>,
    output: &'a mut Output,
    /// The last output of the report.
    said: Vec<u8>,
    bar: ProgressBar,
    files: Vec<FileSink>,
    pub run: Run,
    exit: Exit,
    matched: bool,
    /// Why standard output cannot be written.
    silenced: Option<io::Error>,
}

/// A report that is written to a file. If that fails, the run continues without it.
struct FileSink {
    path: PathBuf,
    /// The file that the report replaces.
    former: Option<PathBuf>,
    report: Box<dyn Report>,
    draft: Result<Draft>,
}

impl FileSink {
    /// Gives the report up if it would overwrite this file, which the run reads.
    fn spare(&mut self, read: &PathName) {
        let read = Path::new(&read.text);
        if self.former.is_some()
            && self.path.file_name() == read.file_name()
            && self.former == canonical(read)
        {
            let why = "the report would overwrite a file that is read; choose another name";
            self.draft = Err(Failure::usage(why));
        }
    }

    fn write(&mut self, write: impl FnOnce(&mut dyn Report, &mut dyn Write) -> io::Result<()>) {
        let Ok(draft) = &mut self.draft else { return };
        if let Err(error) = write(&mut *self.report, draft) {
            self.draft = Err(Failure::from(error));
        }
    }
}

fn canonical(path: &Path) -> Option<PathBuf> {
    fs::canonicalize(path).ok()
}

impl ReportArgs {
    /// Opens all reports. The printed one has only the number of findings of each rule if `statistics`.
    pub fn open<'a>(
        &self,
        (subject, statistics): (Subject, bool),
        output: &'a mut Output,
        bar: ProgressBar,
    ) -> Result<Reports<'a>> {
        let mut files = Vec::new();
        for ReportFile { style, path } in &self.report {
            let draft = start(path, self.force)?;
            let report = match style {
                Style::Json => Box::new(json::Json::report()),
                style => style.report(subject, output.common, Paint::NONE),
            };
            files.push(FileSink { path: path.clone(), former: canonical(path), report, draft: Ok(draft) });
        }
        let report = if statistics {
            self.format.statistics(output.common, output.paint)?
        } else {
            self.format.report(subject, output.common, output.paint)
        };
        Ok(Reports {
            subject,
            report,
            output,
            said: Vec::new(),
            bar,
            files,
            run: Run::default(),
            exit: Exit::Success,
            matched: false,
            silenced: None,
        })
    }
}

impl Reports<'_> {
    /// Reports a file; breaks if the output is closed.
    pub fn file(&mut self, path: &PathName, row: &Row, accepted: Accepted) -> ControlFlow<(), Status> {
        self.matched = true;
        let file = Checked { subject: self.subject, path, row, accepted };
        self.exit = self.exit.max(file.exit());
        self.run.help.extend(file.help());
        for sink in &mut self.files {
            sink.spare(path);
            sink.write(|report, output| report.file(file, output));
        }
        if self.silenced.is_none() {
            self.silenced = self.report.file(file, &mut self.said).and_then(|()| self.say()).err();
        }
        if self.is_deserted() { Break(()) } else { Continue(file.status()) }
    }

    /// Prints the output of the report, above the progress bar if both are on a terminal.
    fn say(&mut self) -> io::Result<()> {
        let Self { said, output, bar, .. } = self;
        let said = mem::take(said);
        if output.terminal && !said.is_empty() {
            bar.suspend(|| output.write_all(&said).and_then(|()| output.flush()))?;
        } else {
            output.write_all(&said)?;
        }
        self.said = said;
        self.said.clear();
        Ok(())
    }

    /// Whether the output is closed and there is no other report.
    fn is_deserted(&self) -> bool {
        let closed = self.silenced.as_ref().is_some_and(|error| error.kind() == ErrorKind::BrokenPipe);
        closed && self.files.is_empty()
    }

    pub const fn matched(&self) -> bool {
        self.matched
    }

    /// Completes all reports and returns the exit code.
    pub fn end(mut self) -> Exit {
        self.bar.finish_and_clear();
        if self.run.note == Some(Note::Nothing) {
            self.exit = self.exit.max(Exit::Nothing);
        }
        if self.silenced.is_none() {
            let end = self.report.end(&self.run, self.output).and_then(|()| self.output.flush());
            self.silenced = end.err();
        }
        if let Some(error) = self.silenced.take().filter(|error| error.kind() != ErrorKind::BrokenPipe) {
            self.print_failure(&Failure::from(error));
        }
        for mut sink in mem::take(&mut self.files) {
            sink.write(|report, output| report.end(&self.run, output));
            let publish = |draft: Draft| draft.publish().map_err(Failure::from);
            let done = sink.draft.and_then(publish);
            if let Err(failure) = done {
                self.print_failure(&failure.in_file(&sink.path));
            }
        }
        self.exit
    }

    fn print_failure(&mut self, failure: &Failure) {
        note!("bindpose: {failure}");
        self.exit = self.exit.max(failure.exit);
    }
}
