//! Known failures, which are suppressed.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::io::{BufRead, BufReader, ErrorKind};
use std::path::Component;

use serde::Deserialize;

use super::files::absolute;
use super::json::{Lines, keep_others};
use super::paths::without_indices;
use super::report::{Accepted, Checked, Subject, json};
use super::verdict::{Found, Row, Verdict};
use super::write::{start, unwritten};
use crate::prelude::*;
use bindpose::check::Rule;
use bindpose::files::{Draft, LineReader, open_regular};

/// The known failures by file, from a JSON report.
pub(super) struct Baseline {
    path: PathBuf,
    /// The directory that the paths of the files refer to.
    directory: PathBuf,
    files: HashMap<PathName, Known>,
    /// What the run did not find, in the files that it processed.
    stale: Vec<String>,
}

#[derive(Default)]
struct Known {
    /// Verdicts with their offsets: damage elsewhere in the same file is new.
    failures: HashSet<(String, Option<u64>)>,
    broken: BTreeMap<&'static str, Broken>,
    seen: bool,
}

/// The findings of a rule in a file.
#[derive(Default)]
struct Broken {
    count: usize,
    fields: HashSet<String>,
    /// The fields, without indices.
    kinds: HashSet<String>,
    /// Whether some findings were only counted.
    has_counted: bool,
}

impl Broken {
    /// Whether a finding is known, in a file that now has `now` findings of its rule.
    ///
    /// Indices shift as elements are inserted. While a rule has no more findings than before, fields are compared without
    /// indices; otherwise with them.
    fn knows(&self, found: &Found, now: usize) -> bool {
        let is_listed = found.range.is_some();
        if now <= self.count {
            return self.has_counted || !is_listed || self.kinds.contains(&kind_of(&found.field));
        }
        is_listed && self.fields.contains(&found.field)
    }
}

/// A field without the indices of its elements.
fn kind_of(field: &str) -> String {
    field.parse().map_or_else(|_| field.to_owned(), |path| without_indices(&path).to_string())
}

/// A line of a report of either verb.
#[derive(Deserialize)]
struct Line {
    #[serde(flatten)]
    path: PathName,
    verdict: Option<String>,
    rule: Option<String>,
    #[serde(alias = "start")]
    offset: Option<u64>,
    field: Option<String>,
    /// The number of findings that are only counted.
    count: Option<usize>,
}

impl Baseline {
    pub fn read(path: &Path, subject: Subject) -> Result<Self> {
        let file = open_regular(path).map_err(|error| {
            let help =
                (error.kind() == ErrorKind::NotFound).then(|| "create one with --update-baseline".into());
            Failure { help, ..Failure::from(error).in_file(path) }
        })?;
        Self::of_lines(BufReader::new(file), path, subject)
    }

    /// Reads the text of the file at this path.
    pub fn of_lines(text: impl BufRead, path: &Path, subject: Subject) -> Result<Self> {
        let lines = LineReader::new(text).enumerate();
        let mut known = Self {
            path: path.to_owned(),
            directory: directory(path),
            files: HashMap::new(),
            stale: Vec::new(),
        };
        for (at, line) in lines {
            let line = line.map_err(|error| error.to_string());
            let learned = line.and_then(|line| known.learn(&line, subject));
            learned.map_err(|why| {
                let why = format!("line {}: not a report of roundtrip or check: {why}", at + 1);
                Failure::usage(why).in_file(path)
            })?;
        }
        Ok(known)
    }

    fn learn(&mut self, line: &str, subject: Subject) -> Result<(), String> {
        if json::has_no_failure(line) {
            return Ok(());
        }
        let line: Line = serde_json::from_str(line).map_err(|error| error.to_string())?;
        let Line { path, verdict, rule, offset, field, count } = line;
        let (verb, verdict) = match (verdict, rule) {
            (Some(verdict), None) => (Subject::Roundtrip, verdict),
            (None, Some(rule)) => (Subject::Check, rule),
            _ => return Err("expected `verdict` or `rule`".into()),
        };
        if verb != subject {
            return Ok(());
        }
        let file = self.files.entry(self.name_of(path)).or_default();
        let failure = Verdict::of_check(&verdict).map_or(&*verdict, |own| own.name());
        if let Some(rule) = Rule::named(failure) {
            let broken = file.broken.entry(rule.code).or_default();
            broken.count = broken.count.saturating_add(count.unwrap_or(1));
            broken.has_counted |= count.is_some();
            let field = field.unwrap_or_default();
            broken.kinds.insert(kind_of(&field));
            broken.fields.insert(field);
        } else {
            file.failures.insert((failure.into(), offset));
        }
        Ok(())
    }

    /// The name of a file that the baseline lists. Reports have paths as they were given, such as `./a.psk`.
    fn name_of(&self, listed: PathName) -> PathName {
        if listed.bytes.is_some() || is_stdio(Path::new(&listed.text)) {
            return listed;
        }
        relative(&self.directory.join(&listed.text), &self.directory)
    }

    /// Whether this failure is known; findings are marked one by one. `reports` determines whether the run reports
    /// violations of a rule.
    pub fn holds(&mut self, path: &Path, row: &mut Row, reports: &dyn Fn(&Rule) -> bool) -> bool {
        let name = relative(path, &self.directory);
        let Some(file) = self.files.get_mut(&name) else { return false };
        file.seen = true;
        let mut now: HashMap<_, usize> = HashMap::new();
        for found in &row.findings {
            let count = now.entry(found.rule.code).or_default();
            *count = count.saturating_add(found.count);
        }
        for found in &mut row.findings {
            let code = found.rule.code;
            found.known = file.broken.get(code).is_some_and(|broken| broken.knows(found, now[code]));
        }
        let offset = row.trouble.as_ref().and_then(|trouble| trouble.offset);
        let failure = (row.verdict.name().to_owned(), offset);
        let gone = file.failures.iter().filter(|known| **known != failure);
        let mut stale: Vec<_> = gone.map(|(verdict, _)| verdict.clone()).collect();
        for (code, Broken { count, .. }) in &file.broken {
            let found = now.get(code).copied().unwrap_or(0);
            if found < *count && Rule::named(code).is_some_and(reports) {
                stale.push(format!("{code}: {} listed, {found} found", counted(*count, "finding")));
            }
        }
        self.stale.extend(stale.into_iter().map(|what| format!("{}: {what}", name.text)));
        lasts(row) && file.failures.contains(&failure)
    }

    /// Reports the entries that no longer apply: files without these failures, and files that do not exist.
    pub fn warn_of_stale_entries(&mut self, verbose: bool) {
        let is_gone = |name: &PathName| name.bytes.is_none() && !self.directory.join(&name.text).exists();
        let unseen = self.files.iter().filter(|(name, known)| !known.seen && is_gone(name));
        let mut unseen: Vec<_> =
            unseen.map(|(name, _)| format!("{}: the file does not exist", name.text)).collect();
        unseen.sort();
        self.stale.append(&mut unseen);
        if self.stale.is_empty() {
            return;
        }
        let path = shown(&self.path);
        let most = if verbose { usize::MAX } else { MOST_STALE };
        for entry in self.stale.iter().take(most) {
            note!("bindpose: {path}: no longer applies: {}", printable(entry));
        }
        if let more @ 1.. = self.stale.len().saturating_sub(most) {
            let entries = if more == 1 { "entry" } else { "entries" };
            note!("bindpose: {path}: {more} more {entries} no longer apply; -v lists all");
        }
        note!("help: rewrite the baseline with --update-baseline");
    }
}

const MOST_STALE: usize = 5;

/// The directory of a baseline, which its paths refer to.
fn directory(path: &Path) -> PathBuf {
    absolute(path).parent().map(Path::to_owned).unwrap_or_default()
}

/// The name of a file in a baseline: relative to its directory, so that it holds for runs from other directories.
fn relative(path: &Path, directory: &Path) -> PathName {
    if is_stdio(path) {
        return PathName::of(path);
    }
    let path = absolute(path);
    let common =
        path.components().zip(directory.components()).take_while(|(own, other)| own == other).count();
    if common == 0 {
        // Another drive.
        return PathName::of(&path);
    }
    let up = directory.components().skip(common).map(|_| Component::ParentDir);
    PathName::of(&up.chain(path.components().skip(common)).collect::<PathBuf>())
}

/// A baseline that is being written from the failures of a run.
pub(super) struct NewBaseline {
    subject: Subject,
    path: PathBuf,
    directory: PathBuf,
    draft: Draft,
    lines: Lines,
    trouble: Option<io::Error>,
}

impl NewBaseline {
    /// Starts the file that will replace the one at the path, which must be a report.
    pub fn new(path: &Path, subject: Subject) -> Result<Self> {
        keep_others(path, "baseline")?;
        let draft = start(path, true)?;
        let (lines, directory) = (Lines::default(), directory(path));
        Ok(Self { subject, path: path.to_owned(), directory, draft, lines, trouble: None })
    }

    pub fn note(&mut self, path: &Path, row: &mut Row) -> bool {
        row.findings.iter_mut().for_each(|found| found.known = true);
        let noted = lasts(row);
        if (noted || !row.findings.is_empty()) && self.trouble.is_none() {
            let path = &relative(path, &self.directory);
            let accepted = Accepted { known: true, ..Accepted::default() };
            let file = Checked { subject: self.subject, path, row, accepted };
            self.trouble = json::write(file, &mut self.lines, &mut self.draft).err();
        }
        noted
    }

    pub fn publish(self) -> Result<()> {
        let done = self.trouble.map_or(Ok(()), Err);
        done.and_then(|()| self.draft.publish()).map_err(|error| unwritten(&self.path, error))
    }
}

/// Whether a failure is a property of the file; an I/O error is not.
const fn lasts(row: &Row) -> bool {
    !matches!(row.verdict, Verdict::Lossless | Verdict::IoError)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_in_a_baseline_do_not_depend_on_the_working_directory() {
        let name =
            |path: &str, baseline: &str| relative(Path::new(path), &directory(Path::new(baseline))).text;
        assert_eq!(name("assets/a.psk", "known.jsonl"), "assets/a.psk");
        assert_eq!(name("./assets/../a.psk", "ci/known.jsonl"), "../a.psk");
        assert_eq!(name("a.psk", "../known.jsonl"), {
            let here = absolute(Path::new("."));
            format!("{}/a.psk", here.file_name().unwrap().to_str().unwrap())
        });
        assert_eq!(name("-", "known.jsonl"), "-");
    }
}
