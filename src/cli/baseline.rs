//! Failures that are known and let pass.

use std::collections::HashSet;
use std::fs::File;
use std::io::{self, BufRead, BufReader};
use std::path::{Path, PathBuf};

use serde::Deserialize;

use super::exit::{Exit, Failure};
use super::json::Lines;
use super::report::{Checked, Status, Subject, json};
use super::verdict::{Found, Row, Verdict};
use super::write::Draft;

/// The known failures: a JSON report, of which only the failures count.
#[derive(Default)]
pub(super) struct Baseline {
    known: HashSet<Key>,
}

/// What makes a failure the same one: another damage in the same file is new.
#[derive(PartialEq, Eq, Hash)]
struct Key {
    path: String,
    /// A verdict, or the code of a rule.
    what: String,
    offset: Option<u64>,
}

impl Key {
    fn new(path: &str, row: &Row) -> Self {
        let offset = row.trouble.as_ref().and_then(|trouble| trouble.offset);
        Self { path: path.to_owned(), what: row.verdict.name().into(), offset }
    }

    fn found(path: &str, found: &Found) -> Self {
        let offset = found.range.as_ref().map(|range| range.start);
        Self { path: path.to_owned(), what: found.rule.code.into(), offset }
    }
}

/// A line of a report of either verb.
#[derive(Deserialize)]
struct Known {
    path: String,
    #[serde(alias = "rule")]
    verdict: String,
    #[serde(alias = "start")]
    offset: Option<u64>,
}

impl From<Known> for Key {
    fn from(Known { path, verdict, offset }: Known) -> Self {
        let what = verdict.trim_start_matches("check/").into();
        Self { path, what, offset }
    }
}

impl Baseline {
    /// Reads a baseline.
    pub fn read(path: &Path) -> Result<Self, Failure> {
        let file = File::open(path).map_err(|error| {
            let hint = "--update-baseline makes one";
            let Failure { message, .. } = Failure::from(error);
            Failure::new(Exit::Io, format!("{}: {message}; {hint}", path.display()))
        })?;
        let lines = BufReader::new(file).lines().enumerate();
        let known = lines.map(|(at, line)| {
            let line = line.map_err(|error| error.to_string());
            let known: Result<Known, _> =
                line.and_then(|line| serde_json::from_str(&line).map_err(|error| error.to_string()));
            known.map(Key::from).map_err(|why| {
                let why = format!("line {}: no report of a round trip or a check: {why}", at + 1);
                Failure::new(Exit::Usage, why).of(path.display())
            })
        });
        Ok(Self { known: known.collect::<Result<_, _>>()? })
    }

    /// Whether this failure is a known one; findings are marked one by one.
    pub fn holds(&self, path: &str, row: &mut Row) -> bool {
        for found in &mut row.findings {
            found.known = self.known.contains(&Key::found(path, found));
        }
        lasts(row) && !self.known.is_empty() && self.known.contains(&Key::new(path, row))
    }
}

/// A baseline that is being made of the failures of a run.
pub(super) struct NewBaseline {
    subject: Subject,
    path: PathBuf,
    draft: Draft,
    lines: Lines,
    trouble: Option<io::Error>,
}

impl NewBaseline {
    /// Starts the file that is to replace the one at the path.
    pub fn new(path: &Path, subject: Subject) -> Result<Self, Failure> {
        let draft = Draft::new(path, true).map_err(|failure| failure.of(path.display()))?;
        Ok(Self { subject, path: path.to_owned(), draft, lines: Lines::default(), trouble: None })
    }

    /// Takes note of failures that may be let pass from now on.
    pub fn note(&mut self, path: &str, row: &mut Row) -> bool {
        row.findings.iter_mut().for_each(|found| found.known = true);
        let noted = lasts(row);
        if (noted || !row.findings.is_empty()) && self.trouble.is_none() {
            let file = Checked { subject: self.subject, path, row, status: Status::Known };
            self.trouble = json::write(file, &mut self.lines, &mut self.draft).err();
        }
        noted
    }

    /// Puts the file in place.
    pub fn publish(self) -> Result<(), Failure> {
        let done = self.trouble.map_or(Ok(()), |error| Err(Failure::from(error)));
        done.and_then(|()| self.draft.publish()).map_err(|failure| failure.of(self.path.display()))
    }
}

/// Whether a failure is a property of the file; that it cannot be read is none.
const fn lasts(row: &Row) -> bool {
    !matches!(row.verdict, Verdict::Lossless | Verdict::IoError)
}
