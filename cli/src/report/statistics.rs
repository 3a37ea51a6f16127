//! The number of findings of each rule.

use std::cmp::Reverse;
use std::collections::HashMap;

use super::{Checked, Note, Report, Run, json};
use crate::json::Lines;
use crate::output::Paint;
use crate::prelude::*;
use crate::table::Table;
use bindpose::check::{Rule, Severity};

/// Counts findings. Those that the baseline lists are left out.
#[derive(Default)]
pub(super) struct Statistics {
    rules: HashMap<String, Count>,
}

#[derive(Clone, Serialize)]
struct Count {
    rule: String,
    severity: Severity,
    findings: usize,
    /// The number of files with such findings.
    files: usize,
}

impl Statistics {
    pub fn add(&mut self, file: Checked<'_>) {
        let mut last = None;
        let mut issues: Vec<_> = file.issues().filter(|issue| !issue.known).collect();
        issues.sort_by(|a, b| a.rule.cmp(&b.rule));
        for issue in issues {
            let count = self.rules.entry(issue.rule.clone().into_owned()).or_insert_with(|| Count {
                rule: issue.rule.clone().into_owned(),
                severity: issue.severity,
                findings: 0,
                files: 0,
            });
            count.findings = count.findings.saturating_add(issue.count.unwrap_or(1));
            count.files += usize::from(last.as_ref() != Some(&issue.rule));
            last = Some(issue.rule);
        }
    }

    /// The counts, the largest first.
    fn sorted(&self) -> Vec<&Count> {
        let mut counts: Vec<_> = self.rules.values().collect();
        counts.sort_by_key(|count| (Reverse(count.findings), &count.rule));
        counts
    }

    /// Prints a table of the rules with at least this severity.
    pub fn print(&self, least: Severity, paint: Paint, output: &mut dyn Write) -> io::Result<()> {
        let counts = self.sorted().into_iter().filter(|count| count.severity >= least);
        let mut table = Table::new([">FINDINGS", ">FILES", "SEVERITY", "RULE", "SUMMARY"]);
        for Count { rule, severity, findings, files } in counts {
            let summary = Rule::named(rule).map_or("", |rule| rule.summary).to_owned();
            let row = [findings.to_string(), files.to_string(), severity.to_string(), rule.clone(), summary];
            table.push(row, *severity == Severity::Error);
        }
        table.print(paint, output)
    }
}

/// Writes one object per rule.
impl Report for Statistics {
    fn file(&mut self, file: Checked<'_>, _output: &mut dyn Write) -> io::Result<()> {
        self.add(file);
        Ok(())
    }

    fn end(&mut self, run: &Run, mut output: &mut dyn Write) -> io::Result<()> {
        let mut lines = Lines::default();
        if run.note == Some(Note::Nothing) {
            return lines.write(&mut output, &json::Nothing::NONE);
        }
        self.sorted().into_iter().try_for_each(|count| lines.write(&mut output, count))
    }
}
