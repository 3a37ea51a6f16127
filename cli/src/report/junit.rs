//! `JUnit` XML, which most CI servers can show.

use quick_junit::{NonSuccessKind, Report as Xml, TestCase, TestCaseStatus, TestSuite};

use super::{Checked, Issue, Report, Run, Status, Subject};
use crate::prelude::*;
use crate::verdict::Verdict;
use bindpose::check::Severity;

/// Collects a test case per file: the counts precede them.
pub(super) struct Junit {
    suite: TestSuite,
}

impl Junit {
    pub fn new(subject: Subject) -> Self {
        Self { suite: TestSuite::new(format!("bindpose {}", subject.name())) }
    }
}

fn line(issue: &Issue<'_>, subject: Subject) -> String {
    match subject {
        Subject::Roundtrip => issue.to_string(),
        Subject::Check => format!("{issue} ({})", issue.rule),
    }
}

fn kind(issue: &Issue<'_>) -> String {
    issue.rule.trim_start_matches("roundtrip/").into()
}

impl Report for Junit {
    fn file(&mut self, file: Checked<'_>, _output: &mut dyn Write) -> io::Result<()> {
        let (row, status) = (file.row, file.status());
        let path = printable(&file.path.text);
        let mut outcome = match status {
            Status::Passed => TestCaseStatus::success(),
            Status::Allowed | Status::Known => TestCaseStatus::skipped(),
            Status::Failed if matches!(row.verdict, Verdict::IoError | Verdict::NotLossless) => {
                TestCaseStatus::non_success(NonSuccessKind::Error)
            }
            Status::Failed => TestCaseStatus::non_success(NonSuccessKind::Failure),
        };
        let (first, others): (Vec<_>, Vec<_>) = match status {
            Status::Passed => (Vec::new(), file.issues().collect()),
            Status::Failed => file.issues().partition(|issue| issue.severity == Severity::Error),
            Status::Allowed | Status::Known => {
                (file.trouble().into_iter().collect(), file.findings().collect())
            }
        };
        let text = |issues: &[Issue<'_>]| {
            let lines = issues.iter().map(|issue| printable(&line(issue, file.subject)).into_owned());
            lines.collect::<Vec<_>>().join("\n")
        };
        if let Some(issue) = first.first() {
            outcome.set_message(text(&first)).set_type(kind(issue));
        }
        let mut case = TestCase::new(&*path, outcome);
        if !others.is_empty() {
            case.set_system_out(text(&others));
        }
        case.set_classname(row.format.as_ref().map_or("unknown", |format| &*format.name));
        self.suite.add_test_case(case);
        Ok(())
    }

    fn end(&mut self, _: &Run, output: &mut dyn Write) -> io::Result<()> {
        let mut xml = Xml::new("bindpose");
        xml.add_test_suite(std::mem::replace(&mut self.suite, TestSuite::new("")));
        xml.serialize(output).map_err(io::Error::other)
    }
}
