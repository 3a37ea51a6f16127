//! The result for people: what is wrong, then what was seen.

use std::collections::BTreeMap;
use std::io::{self, Write};
use std::path::Path;
use std::time::Instant;

use super::super::Common;
use super::super::output::{Output, bytes, counted};
use super::super::verdict::{Row, Verdict};
use super::Report;
use crate::Spec;

/// Prints what is wrong at once and a table at the end.
pub(super) struct Human {
    quiet: bool,
    verbose: bool,
    start: Instant,
    /// By format and dialect; files without either last.
    tallies: BTreeMap<(bool, String), Tally>,
    passed_over: usize,
}

#[derive(Clone, Default)]
struct Tally {
    files: usize,
    bytes: u64,
    verdicts: [usize; Verdict::ALL.len()],
}

impl Tally {
    fn add(&mut self, row: &Row) {
        self.files += 1;
        self.bytes += row.bytes;
        self.verdicts[row.verdict as usize] += 1;
    }

    fn join(&mut self, other: &Self) {
        self.files += other.files;
        self.bytes += other.bytes;
        for (own, other) in self.verdicts.iter_mut().zip(other.verdicts) {
            *own += other;
        }
    }

    fn count(&self, verdict: Verdict) -> usize {
        self.verdicts[verdict as usize]
    }
}

impl Human {
    pub fn new(common: &Common) -> Self {
        Self {
            quiet: common.quiet,
            verbose: common.verbose,
            start: Instant::now(),
            tallies: BTreeMap::new(),
            passed_over: 0,
        }
    }

    fn tally(&mut self, row: &Row) {
        let name = row.spec.as_ref().map_or_else(|| "unknown".into(), Spec::to_string);
        self.tallies.entry((row.spec.is_none(), name)).or_default().add(row);
    }
}

impl Report for Human {
    fn row(&mut self, path: &Path, row: Option<&Row>, output: &mut Output) -> io::Result<()> {
        let Some(row) = row else {
            self.passed_over += 1;
            return Ok(());
        };
        self.tally(row);
        let paint = output.paint;
        match &row.trouble {
            Some(trouble) => {
                let rest = if row.rest > 0 { format!(", {} unread", bytes(row.rest)) } else { String::new() };
                let verdict = paint.bad(&format!("({}{rest})", row.verdict.name()));
                writeln!(output, "{}: {} {verdict}", path.display(), trouble.line)
            }
            None if self.verbose => {
                let verdict = paint.good(&format!("({})", row.verdict.name()));
                writeln!(output, "{}: {} {verdict}", path.display(), bytes(row.bytes))
            }
            None => Ok(()),
        }
    }

    fn end(&mut self, output: &mut Output) -> io::Result<()> {
        if self.quiet {
            return Ok(());
        }
        let mut all = Tally::default();
        for tally in self.tallies.values() {
            all.join(tally);
        }
        if all.files > all.count(Verdict::Lossless) || self.verbose {
            writeln!(output)?;
        }
        for ((_, name), tally) in &self.tallies {
            table_row(output, name, tally)?;
        }
        if self.tallies.len() > 1 {
            table_row(output, "all", &all)?;
        }
        if self.passed_over > 0 {
            let files = counted(self.passed_over, "file");
            let line = format!("{files} of unknown format in directories passed over");
            writeln!(output, "{}", output.paint.faint(&line))?;
        }
        let line = conclusion(&all);
        let well = all.files > 0 && all.files == all.count(Verdict::Lossless);
        let line = if well { output.paint.good(&line) } else { output.paint.bad(&line) };
        writeln!(output, "{line} {}", output.paint.faint(&format!("({:.2?})", self.start.elapsed())))
    }
}

fn table_row(output: &mut Output, name: &str, tally: &Tally) -> io::Result<()> {
    let files = counted(tally.files, "file");
    write!(output, "{name:<16} {files:>12} {:>10}", bytes(tally.bytes))?;
    for verdict in Verdict::ALL {
        if tally.count(verdict) > 0 {
            let text = format!("   {} {}", tally.count(verdict), verdict.name());
            let paint = output.paint;
            write!(output, "{}", if verdict == Verdict::Lossless { text } else { paint.bad(&text) })?;
        }
    }
    writeln!(output)
}

/// What the table means.
fn conclusion(all: &Tally) -> String {
    let back = all.count(Verdict::Lossless) + all.count(Verdict::Damaged);
    if all.files == 0 {
        return "No file of a known format was found.".into();
    }
    if all.count(Verdict::NotLossless) > 0 {
        return "Some files did not come back: a bug of ours, please report them.".into();
    }
    let subject = if back == all.files {
        "Every file".into()
    } else {
        format!("{back} of {}", counted(all.files, "file"))
    };
    match all.count(Verdict::Damaged) {
        0 => format!("{subject} came back byte for byte."),
        1 => format!("{subject} came back byte for byte; 1 is damaged."),
        damaged => format!("{subject} came back byte for byte; {damaged} are damaged."),
    }
}
