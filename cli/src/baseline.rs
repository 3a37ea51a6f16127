//! Known failures, which are suppressed.

use std::collections::{HashMap, HashSet};
use std::fs::File;
use std::io::{self, BufRead, BufReader};
use std::path::{Path, PathBuf};

use serde::Deserialize;

use super::draft::Draft;
use super::exit::{Exit, Failure};
use super::files::shown;
use super::json::{Lines, keep_others};
use super::report::{Checked, Status, Subject, json};
use super::verdict::{Found, Row, Verdict};
use bindpose::check::Rule;
use bindpose::schema::Step;

/// The known failures by file, from a JSON report.
#[derive(Default)]
pub(super) struct Baseline {
    files: HashMap<String, Known>,
}

/// The known failures of a file.
#[derive(Default)]
struct Known {
    /// Verdicts with their offsets: damage elsewhere in the same file is new.
    failures: HashSet<(String, Option<u64>)>,
    /// Known findings by rule code.
    broken: HashMap<&'static str, Broken>,
}

/// The findings of a rule in a file.
#[derive(Default)]
struct Broken {
    count: usize,
    fields: HashSet<String>,
    /// The fields, without indices.
    kinds: HashSet<String>,
    /// Whether some findings were only counted.
    untold: bool,
}

impl Broken {
    /// Whether a finding is known, in a file that now has `now` findings of its rule.
    ///
    /// Indices shift as elements are inserted. While a rule has no more findings than before, fields are compared without
    /// indices; otherwise with them.
    fn knows(&self, found: &Found, now: usize) -> bool {
        let is_listed = found.range.is_some();
        if now <= self.count {
            return self.untold || !is_listed || self.kinds.contains(&kind_of(&found.field));
        }
        is_listed && self.fields.contains(&found.field)
    }
}

/// A field without the indices of its elements.
fn kind_of(field: &str) -> String {
    let Ok(path) = field.parse::<bindpose::FieldPath>() else { return field.to_owned() };
    let kind = |step: &Step| if matches!(step, Step::Index(_)) { Step::Every } else { step.clone() };
    bindpose::FieldPath::from(path.steps().iter().map(kind).collect::<Vec<_>>()).to_string()
}

/// A line of a report of either verb.
#[derive(Deserialize)]
struct Line {
    path: String,
    #[serde(alias = "rule")]
    verdict: String,
    #[serde(alias = "start")]
    offset: Option<u64>,
    field: Option<String>,
    /// The number of findings that are only counted.
    count: Option<usize>,
}

impl Baseline {
    /// Reads a baseline.
    pub fn read(path: &Path) -> Result<Self, Failure> {
        let file = File::open(path).map_err(|error| {
            let hint = "create one with --update-baseline";
            let Failure { message, .. } = Failure::from(error);
            Failure::new(Exit::Io, format!("{}: {message}; {hint}", shown(path)))
        })?;
        let lines = BufReader::new(file).lines().enumerate();
        let mut known = Self::default();
        for (at, line) in lines {
            let line = line.map_err(|error| error.to_string());
            let line = line.and_then(|line| serde_json::from_str(&line).map_err(|error| error.to_string()));
            known.learn(line.map_err(|why| {
                let why = format!("line {}: not a report of roundtrip or check: {why}", at + 1);
                Failure::new(Exit::Usage, why).of(shown(path))
            })?);
        }
        Ok(known)
    }

    fn learn(&mut self, line: Line) {
        let Line { path, verdict, offset, field, count } = line;
        let file = self.files.entry(path).or_default();
        if let Some(rule) = Rule::named(&verdict) {
            let broken = file.broken.entry(rule.code).or_default();
            broken.count += count.unwrap_or(1);
            broken.untold |= count.is_some();
            let field = field.unwrap_or_default();
            broken.kinds.insert(kind_of(&field));
            broken.fields.insert(field);
        } else {
            file.failures.insert((verdict.trim_start_matches("check/").into(), offset));
        }
    }

    /// Whether this failure is known; findings are marked one by one.
    pub fn holds(&self, path: &str, row: &mut Row) -> bool {
        let Some(file) = self.files.get(path) else { return false };
        let mut now: HashMap<_, usize> = HashMap::new();
        for found in &row.findings {
            *now.entry(found.rule.code).or_default() += found.count;
        }
        for found in &mut row.findings {
            let code = found.rule.code;
            found.known = file.broken.get(code).is_some_and(|broken| broken.knows(found, now[code]));
        }
        let offset = row.trouble.as_ref().and_then(|trouble| trouble.offset);
        lasts(row) && file.failures.contains(&(row.verdict.name().into(), offset))
    }
}

/// A baseline that is being written from the failures of a run.
pub(super) struct NewBaseline {
    subject: Subject,
    path: PathBuf,
    draft: Draft,
    lines: Lines,
    trouble: Option<io::Error>,
}

impl NewBaseline {
    /// Starts the file that will replace the one at the path.
    ///
    /// # Errors
    /// If the existing file is not a report, or the new one cannot be created.
    pub fn new(path: &Path, subject: Subject) -> Result<Self, Failure> {
        keep_others(path, "baseline")?;
        let draft = Draft::new(path, true).map_err(|failure| failure.of(shown(path)))?;
        Ok(Self { subject, path: path.to_owned(), draft, lines: Lines::default(), trouble: None })
    }

    /// Adds failures to the baseline.
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
        done.and_then(|()| self.draft.publish()).map_err(|failure| failure.of(shown(&self.path)))
    }
}

/// Whether a failure is a property of the file; an I/O error is not.
const fn lasts(row: &Row) -> bool {
    !matches!(row.verdict, Verdict::Lossless | Verdict::IoError)
}
