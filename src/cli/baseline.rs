//! Failures that are known and let pass.

use std::collections::HashSet;
use std::fs::File;
use std::io::{self, BufReader};
use std::path::{Path, PathBuf};

use super::exit::{Exit, Failure};
use super::json::Lines;
use super::report::{Checked, Status, json};
use super::verdict::{Row, Verdict};
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
    verdict: Verdict,
    offset: Option<u64>,
}

impl Key {
    fn new(path: &str, row: &Row) -> Self {
        let offset = row.trouble.as_ref().and_then(|trouble| trouble.offset);
        Self { path: path.to_owned(), verdict: row.verdict, offset }
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
        let mut known = HashSet::new();
        for told in json::read(BufReader::new(file)) {
            let told = told.map_err(|why| Failure::new(Exit::Usage, why).of(path.display()))?;
            if told.row.verdict != Verdict::Lossless {
                known.insert(Key::new(&told.path, &told.row));
            }
        }
        Ok(Self { known })
    }

    /// Whether this failure is a known one.
    pub fn holds(&self, path: &str, row: &Row) -> bool {
        lasts(row) && !self.known.is_empty() && self.known.contains(&Key::new(path, row))
    }
}

/// A baseline that is being made of the failures of a run.
pub(super) struct NewBaseline {
    path: PathBuf,
    draft: Draft,
    lines: Lines,
    trouble: Option<io::Error>,
}

impl NewBaseline {
    /// Starts the file that is to replace the one at the path.
    pub fn new(path: &Path) -> Result<Self, Failure> {
        let draft = Draft::new(path, true).map_err(|failure| failure.of(path.display()))?;
        Ok(Self { path: path.to_owned(), draft, lines: Lines::default(), trouble: None })
    }

    /// Takes note of a failure that may be let pass from now on.
    pub fn note(&mut self, path: &str, row: &Row) -> bool {
        if !lasts(row) {
            return false;
        }
        if self.trouble.is_none() {
            let line = json::Line::new(Checked { path, row, status: Status::Known });
            self.trouble = self.lines.write(&mut self.draft, &line).err();
        }
        true
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
