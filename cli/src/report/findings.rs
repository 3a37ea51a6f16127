//! The human report of `check`.

use super::statistics::Statistics;
use super::{Checked, Issue, Report, Run, print_asides};
use crate::advice;
use crate::output::Paint;
use crate::prelude::*;
use bindpose::check::Severity;

/// Prints one line per finding, and the counts at the end.
#[derive(Default)]
pub(super) struct Findings {
    common: Common,
    paint: Paint,
    files: usize,
    /// Files with new findings.
    found_in: usize,
    counts: [usize; Severity::ALL.len()],
    /// Files that could not be checked, unless the baseline lists them.
    undecoded: usize,
    /// Failures and findings that the baseline lists.
    known: usize,
    printed: bool,
    /// The counts that are printed instead of findings.
    statistics: Option<Statistics>,
}

impl Findings {
    pub fn new(common: Common, paint: Paint) -> Self {
        Self { common, paint, ..Self::default() }
    }

    /// The lowest severity that is printed.
    const fn least(&self) -> Severity {
        match self.common {
            Common { quiet: true, .. } => Severity::Error,
            Common { verbose: true, .. } => Severity::Hint,
            _ => Severity::Info,
        }
    }

    /// Prints the number of findings of each rule instead.
    pub fn counting(common: Common, paint: Paint) -> Self {
        Self { statistics: Some(Statistics::default()), ..Self::new(common, paint) }
    }

    fn line(&self, path: &str, issue: &Issue<'_>) -> String {
        let path = printable(path);
        let known = if issue.known { ", known" } else { "" };
        let kind = format!("({} {}{known})", issue.severity, issue.rule);
        let kind = match issue.severity {
            Severity::Error if !issue.known => self.paint.bad(&kind),
            Severity::Error | Severity::Warning => kind,
            Severity::Info | Severity::Hint => self.paint.faint(&kind),
        };
        format!("{path}: {issue} {kind}")
    }

    /// `2 errors, 1 warning`, the worst first; `2 new errors` if there are others.
    fn summary(&self) -> String {
        let new = self.adjective();
        let counts = Severity::ALL.iter().rev().zip(self.counts.iter().rev());
        let parts: Vec<_> = counts
            .filter(|(_, count)| **count > 0)
            .map(|(severity, count)| match severity {
                Severity::Info => format!("{count} {new}info"),
                severity => counted(*count, &format!("{new}{severity}")),
            })
            .collect();
        parts.join(", ")
    }

    /// The word for findings where the baseline lists others.
    const fn adjective(&self) -> &'static str {
        if self.known > 0 { "new " } else { "" }
    }

    fn conclusion(&self) -> String {
        let files = counted(self.files, "file");
        let undecoded = match self.undecoded {
            0 => String::new(),
            count => format!(" {} could not be checked.", counted(count, "file")),
        };
        let checked = self.files - self.undecoded;
        if self.undecoded == self.files {
            return format!("{files}: none could be checked.");
        }
        if self.found_in == 0 {
            return format!("{}: no {}findings.{undecoded}", counted(checked, "file"), self.adjective());
        }
        let within =
            if self.found_in == self.files { String::new() } else { format!(" in {}", self.found_in) };
        format!("{files}: {}{within}.{undecoded}", self.summary())
    }
}

impl Report for Findings {
    fn file(&mut self, file: Checked<'_>, output: &mut dyn Write) -> io::Result<()> {
        self.files += 1;
        for issue in file.all_issues().filter(|issue| issue.known) {
            self.known = self.known.saturating_add(issue.count.unwrap_or(1));
        }
        self.undecoded += usize::from(file.row.trouble.is_some() && !file.accepted.known);
        self.found_in += usize::from(file.findings().next().is_some());
        for issue in file.findings() {
            let count = &mut self.counts[issue.severity as usize];
            *count = count.saturating_add(issue.count.unwrap_or(1));
        }
        if let Some(statistics) = &mut self.statistics {
            statistics.add(file);
            self.printed |= file.issues().any(|issue| issue.severity >= self.least());
            return Ok(());
        }
        let least = self.least();
        // With --verbose, known ones are printed, too.
        let is_shown =
            |issue: &Issue<'_>| issue.severity >= least && (!issue.known || least == Severity::Hint);
        for mut issue in file.all_issues().filter(is_shown) {
            issue.object = issue.object.filter(|_| !self.common.raw_paths);
            self.printed = true;
            writeln!(output, "{}", self.line(&file.path.text, &issue))?;
        }
        if file.cause().is_some() && !self.common.quiet {
            writeln!(output, "help: {}", advice::rescue(&file.path.text))?;
        }
        Ok(())
    }

    fn end(&mut self, run: &Run, output: &mut dyn Write) -> io::Result<()> {
        if let (Some(statistics), true) = (&self.statistics, self.printed) {
            statistics.print(self.least(), self.paint, output)?;
        }
        if self.common.quiet {
            return Ok(());
        }
        run.print_help(self.printed, output)?;
        let asides = [
            (run.foreign, "file", "of unsupported format skipped"),
            (self.known, "finding", "suppressed by the baseline"),
        ];
        print_asides(&asides, self.paint, output)?;
        if !run.print_note(self.paint, output)? {
            return Ok(());
        }
        let line = self.conclusion();
        let well = self.counts[Severity::Error as usize] == 0 && self.undecoded == 0;
        writeln!(output, "{}", if well { self.paint.good(&line) } else { self.paint.bad(&line) })?;
        let hints = self.counts[Severity::Hint as usize];
        if hints > 0 && self.least() > Severity::Hint {
            writeln!(output, "{}", self.paint.faint("Use -v to print hints."))?;
        }
        if self.printed && self.found_in > 0 {
            let advice = "Use bindpose check --explain RULE for an explanation of a rule.";
            writeln!(output, "{}", self.paint.faint(advice))?;
        }
        Ok(())
    }
}
