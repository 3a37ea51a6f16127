//! The human report of `roundtrip`: failures, then a table.

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use super::{Checked, Report, Run, Status, print_asides};
use crate::advice;
use crate::output::{Paint, bytes};
use crate::prelude::*;
use crate::verdict::{FormatName, Row, Verdict};

/// Prints failures as they occur and a table at the end.
pub(super) struct Human {
    paint: Paint,
    quiet: bool,
    verbose: bool,
    start: Instant,
    /// By format and dialect, files without either last; then by writer.
    tallies: BTreeMap<(bool, Option<FormatName>), Group>,
    known: usize,
    /// Those of the known that are damaged.
    known_damaged: usize,
    allowed: usize,
    /// Whether any line was printed before the table.
    printed: bool,
}

/// Files of one format and dialect.
#[derive(Default)]
struct Group {
    all: Tally,
    writers: BTreeMap<String, Tally>,
}

#[derive(Default)]
struct Tally {
    files: usize,
    bytes: u64,
    verdicts: [usize; Verdict::ALL.len()],
}

impl Tally {
    fn add(&mut self, row: &Row) {
        self.files += 1;
        self.bytes = self.bytes.saturating_add(row.bytes);
        self.verdicts[row.verdict as usize] += 1;
    }

    fn join(&mut self, other: &Self) {
        self.files += other.files;
        self.bytes = self.bytes.saturating_add(other.bytes);
        for (own, other) in self.verdicts.iter_mut().zip(other.verdicts) {
            *own += other;
        }
    }

    const fn count(&self, verdict: Verdict) -> usize {
        self.verdicts[verdict as usize]
    }
}

impl Human {
    pub fn new(common: Common, paint: Paint) -> Self {
        Self {
            paint,
            quiet: common.quiet,
            verbose: common.verbose,
            start: Instant::now(),
            tallies: BTreeMap::new(),
            known: 0,
            known_damaged: 0,
            allowed: 0,
            printed: false,
        }
    }

    fn tally(&mut self, row: &Row) {
        let group = self.tallies.entry((row.format.is_none(), row.format.clone())).or_default();
        group.all.add(row);
        if let Some(writer) = &row.writer {
            match group.writers.get_mut(writer.as_ref()) {
                Some(tally) => tally.add(row),
                None => group.writers.entry(writer.to_string()).or_default().add(row),
            }
        }
    }

    fn table(&self, output: &mut dyn Write) -> io::Result<Tally> {
        let mut all = Tally::default();
        let mut lines = Vec::new();
        for ((_, format), group) in &self.tallies {
            all.join(&group.all);
            lines.push((format.as_ref().map_or_else(|| "-".into(), FormatName::to_string), &group.all));
            lines.extend(group.writers.iter().map(|(writer, tally)| (format!("  by {writer}"), tally)));
        }
        if self.tallies.len() > 1 {
            lines.push(("all".into(), &all));
        }
        let width = lines.iter().map(|(name, _)| name.chars().count()).max().unwrap_or(0);
        for (name, tally) in lines {
            write!(output, "{name:<width$}")?;
            self.line(output, tally)?;
        }
        Ok(all)
    }

    fn line(&self, output: &mut dyn Write, tally: &Tally) -> io::Result<()> {
        write!(output, " {:>12} {:>10}", counted(tally.files, "file"), bytes(tally.bytes))?;
        for verdict in Verdict::ALL {
            if tally.count(verdict) > 0 {
                let text = format!("   {} {}", tally.count(verdict), verdict.name());
                let well = verdict == Verdict::Lossless;
                write!(output, "{}", if well { text } else { self.paint.bad(&text) })?;
            }
        }
        writeln!(output)
    }
}

impl Report for Human {
    fn file(&mut self, file: Checked<'_>, output: &mut dyn Write) -> io::Result<()> {
        let (row, status) = (file.row, file.status());
        let path = printable(&file.path.text);
        self.tally(row);
        self.known += usize::from(status == Status::Known);
        self.known_damaged += usize::from(status == Status::Known && row.verdict == Verdict::Damaged);
        self.allowed += usize::from(status == Status::Allowed);
        // Expected failures are printed only with --verbose.
        let silent = match status {
            Status::Failed => false,
            Status::Known => !self.verbose,
            Status::Allowed | Status::Passed => self.quiet,
        };
        let line = if let Some(trouble) = &row.trouble {
            let rest = if row.rest > 0 { format!(", {} unread", bytes(row.rest)) } else { String::new() };
            let known = if status == Status::Known { ", known" } else { "" };
            let verdict = format!("({}{rest}{known})", row.verdict.name());
            let verdict =
                if status == Status::Failed { self.paint.bad(&verdict) } else { self.paint.faint(&verdict) };
            let cause = row.cause.as_deref().map(|cause| format!("{cause}: ")).unwrap_or_default();
            let help = row.cause.as_ref().map(|_| format!("\nhelp: {}", advice::rescue(&file.path.text)));
            let help = help.unwrap_or_default();
            (!silent).then(|| format!("{path}: {cause}{trouble} {verdict}{help}"))
        } else {
            let verdict = || self.paint.good(&format!("({})", row.verdict.name()));
            self.verbose.then(|| format!("{path}: {} {}", bytes(row.bytes), verdict()))
        };
        self.printed |= line.is_some();
        line.map_or(Ok(()), |line| writeln!(output, "{line}"))
    }

    fn end(&mut self, run: &Run, output: &mut dyn Write) -> io::Result<()> {
        if self.quiet {
            return Ok(());
        }
        run.print_help(self.printed, output)?;
        let all = self.table(output)?;
        let asides = [
            (self.known, "file", "suppressed by the baseline"),
            (self.allowed, "file", "damaged, accepted"),
            (run.foreign, "file", "of unsupported format skipped"),
        ];
        print_asides(&asides, self.paint, output)?;
        if !run.print_note(self.paint, output)? {
            return Ok(());
        }
        let line = conclusion(&all, self.known_damaged, run.note.is_some());
        let well = all.files == all.count(Verdict::Lossless) + self.known + self.allowed;
        let line = if well { self.paint.good(&line) } else { self.paint.bad(&line) };
        writeln!(output, "{line}{}", self.paint.faint(&duration(self.start.elapsed())))
    }
}

/// The summary after the table, of what is not in the baseline.
fn conclusion(all: &Tally, known_damaged: usize, stopped: bool) -> String {
    let back = all.count(Verdict::Lossless) + all.count(Verdict::Damaged);
    if all.count(Verdict::NotLossless) > 0 {
        return "Some files did not re-encode identically. This is a bug in bindpose: please report them."
            .into();
    }
    let all_back = back == all.files && !stopped;
    let subject =
        if all_back { "Every file".into() } else { format!("{back} of {}", counted(all.files, "file")) };
    match all.count(Verdict::Damaged) - known_damaged {
        0 => format!("{subject} re-encoded identically."),
        1 => format!("{subject} re-encoded identically; 1 is damaged."),
        damaged => format!("{subject} re-encoded identically; {damaged} are damaged."),
    }
}

/// The duration, if it was a second or more.
fn duration(elapsed: Duration) -> String {
    if elapsed < Duration::from_secs(1) {
        String::new()
    } else {
        format!(" ({:.1} s)", elapsed.as_secs_f64())
    }
}
