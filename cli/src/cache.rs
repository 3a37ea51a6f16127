//! Skips files that have not changed since a former run.

use std::collections::HashMap;
use std::io::{BufReader, ErrorKind};
use std::time::SystemTime;

use serde::Deserialize;
use twox_hash::XxHash3_128;

use super::json::{SCHEMA, keep_others};
use super::read::{MAX_TEXT, Stamp, nanoseconds};
use super::report::json::{Line, Recorded};
use super::report::{Accepted, Checked, Issue, Subject};
use super::verdict::{Row, Verdict};
use super::write::{start, unwritten};
use crate::prelude::*;
use bindpose::files::{Draft, LineReader, open_regular};

/// A file changed so recently could change again within the same tick of its clock, in nanoseconds.
const RACY: i64 = 2_000_000_000;

/// Results of former runs and of this one.
pub(super) struct Cache {
    path: PathBuf,
    head: Head,
    known: HashMap<String, Entry>,
    learned: HashMap<String, Entry>,
}

/// The conditions under which the verdicts hold.
#[derive(Serialize, Deserialize, PartialEq)]
struct Head {
    schema: String,
    version: String,
    limits: String,
}

/// A file in a former run.
pub(super) struct Entry {
    spec: Option<FormatSpec>,
    stamp: Stamp,
    hash: Option<u128>,
    /// The result; none if its format is not supported.
    pub row: Option<Row>,
}

/// A file in the cache.
#[derive(Serialize, Deserialize)]
struct Stored<'a> {
    path: String,
    len: u64,
    modified: Option<i64>,
    hash: Option<String>,
    #[serde(rename = "as")]
    spec: Option<String>,
    #[serde(borrow)]
    row: Option<Line<'a>>,
    #[serde(default, skip_serializing_if = "Vec::is_empty", borrow)]
    findings: Vec<Issue<'a>>,
}

impl Cache {
    /// Reads a cache. A cache that is missing, broken or of another version is treated as empty; a file that is not a cache is refused.
    pub fn read(path: &Path, limits: LimitArgs, conditions: &str) -> Result<Self> {
        keep_others(path, "cache")?;
        let head = Head {
            schema: SCHEMA.into(),
            version: env!("CARGO_PKG_VERSION").into(),
            limits: format!("{:?} {conditions}", (limits, limits.limits())),
        };
        let known = read(path, &head).unwrap_or_else(|error| {
            if error.kind() != ErrorKind::NotFound {
                note!("bindpose: {}: unreadable cache, starting a new one: {error}", shown(path));
            }
            HashMap::new()
        });
        Ok(Self { path: path.to_owned(), head, known, learned: HashMap::new() })
    }

    /// What is known of the file, if its length and time are unchanged.
    pub fn by_stamp(&self, path: &str, spec: Option<FormatSpec>, stamp: Stamp) -> Option<&Entry> {
        let entry = self.known.get(path).filter(|entry| entry.spec == spec)?;
        (entry.stamp == stamp && stamp.modified.is_some()).then_some(entry)
    }

    /// The result for the file, if its content is unchanged.
    pub fn by_content(&self, path: &str, spec: Option<FormatSpec>, hash: u128) -> Option<&Row> {
        let entry = self.known.get(path).filter(|entry| entry.spec == spec)?;
        entry.row.as_ref().filter(|_| entry.hash == Some(hash))
    }

    pub fn learn(&mut self, path: &str, spec: Option<FormatSpec>, seen: Seen, row: Option<Row>) {
        // Internal and I/O errors may not occur again.
        let lasting = |row: &Row| !matches!(row.verdict, Verdict::IoError | Verdict::NotLossless);
        let Some(mut stamp) = seen.stamp.filter(|_| row.as_ref().is_none_or(lasting)) else { return };
        let hash = seen.hash.or_else(|| self.known.get(path).filter(|old| old.stamp == stamp)?.hash);
        let now = nanoseconds(SystemTime::now()).unwrap_or(i64::MAX);
        stamp.modified = stamp.modified.filter(|modified| modified.saturating_add(RACY) < now);
        self.learned.insert(path.to_owned(), Entry { spec, stamp, hash, row });
    }

    /// Writes the cache. Files that this run did not process are kept while they exist.
    pub fn write(self) -> Result<()> {
        let mut draft = start(&self.path, true)?;
        let others = self.known.iter().filter(|(path, _)| !self.learned.contains_key(*path));
        let others = others.filter(|(path, _)| Path::new(path).exists());
        let written = write_line(&mut draft, &self.head).and_then(|()| {
            self.learned.iter().chain(others).try_for_each(|(path, entry)| entry.write(path, &mut draft))
        });
        written.and_then(|()| draft.publish()).map_err(|error| unwritten(&self.path, error))
    }
}

/// Properties of a file while it was processed.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Seen {
    pub stamp: Option<Stamp>,
    pub hash: Option<u128>,
}

pub(super) fn hash(bytes: &[u8]) -> u128 {
    XxHash3_128::oneshot(bytes)
}

fn write_line(draft: &mut Draft, line: &impl Serialize) -> io::Result<()> {
    serde_json::to_writer(&mut *draft, line)?;
    writeln!(draft)
}

impl Entry {
    fn write(&self, path: &str, draft: &mut Draft) -> io::Result<()> {
        let subject = Subject::Roundtrip;
        let (name, none) = (PathName::from(path.to_owned()), PathName::default());
        let accepted = Accepted::default();
        let line = |row| Line::new(Checked { subject, path: &name, row, accepted });
        let findings = self.row.iter().flat_map(|row| &row.findings);
        write_line(
            draft,
            &Stored {
                path: path.to_owned(),
                len: self.stamp.len,
                modified: self.stamp.modified,
                hash: self.hash.map(|hash| format!("{hash:032x}")),
                spec: self.spec.map(|spec| spec.to_string()),
                row: self.row.as_ref().map(line),
                findings: findings.map(|found| Issue::of(&none, found)).collect(),
            },
        )
    }
}

fn read(path: &Path, head: &Head) -> io::Result<HashMap<String, Entry>> {
    let mut lines = LineReader::new(BufReader::new(open_regular(path)?)).with_max_len(MAX_TEXT);
    let first: Head = serde_json::from_str(&lines.next().transpose()?.unwrap_or_default())?;
    if first != *head {
        return Ok(HashMap::new());
    }
    lines.map(|line| entry(&line?)).collect()
}

fn entry(line: &str) -> io::Result<(String, Entry)> {
    let stored: Stored<'_> = serde_json::from_str(line)?;
    let mut recorded = stored.row.map(Recorded::from);
    if let Some(recorded) = &mut recorded {
        recorded.row.findings = stored.findings.into_iter().filter_map(Issue::found).collect();
    }
    let entry = Entry {
        spec: stored.spec.map(|spec| spec.parse()).transpose().map_err(io::Error::other)?,
        stamp: Stamp { len: stored.len, modified: stored.modified },
        hash: stored.hash.and_then(|hash| u128::from_str_radix(&hash, 16).ok()),
        row: recorded.map(|recorded| recorded.row),
    };
    Ok((stored.path, entry))
}
