//! `JUnit` XML, which most CI servers can show.

use std::io::{self, Write};

use quick_junit::{NonSuccessKind, Report as Xml, TestCase, TestCaseStatus, TestSuite};

use super::{Checked, Issue, Report, Status, Subject};
use crate::files::printable;
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

/// The failure of a test case.
fn is_reported(issue: &Issue<'_>, file: Checked<'_>) -> bool {
    file.status != Status::Failed || issue.severity == Severity::Error && !issue.known
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
        let Checked { row, status, .. } = file;
        let path = printable(&file.path.text);
        let mut outcome = match status {
            Status::Passed => TestCaseStatus::success(),
            Status::Allowed | Status::Known => TestCaseStatus::skipped(),
            Status::Failed if matches!(row.verdict, Verdict::IoError | Verdict::NotLossless) => {
                TestCaseStatus::non_success(NonSuccessKind::Error)
            }
            Status::Failed => TestCaseStatus::non_success(NonSuccessKind::Failure),
        };
        if status != Status::Passed {
            let issues: Vec<_> = file.issues().filter(|issue| is_reported(issue, file)).collect();
            let texts: Vec<_> =
                issues.iter().map(|issue| printable(&line(issue, file.subject)).into_owned()).collect();
            let kind = issues.first().map_or_else(|| row.verdict.name().into(), |first| kind(first));
            outcome.set_message(texts.join("\n")).set_type(kind);
        }
        let mut case = TestCase::new(&*path, outcome);
        case.set_classname(row.spec.map_or("unknown", |spec| spec.kind.name()));
        self.suite.add_test_case(case);
        Ok(())
    }

    fn end(&mut self, output: &mut dyn Write) -> io::Result<()> {
        let mut xml = Xml::new("bindpose");
        xml.add_test_suite(std::mem::replace(&mut self.suite, TestSuite::new("")));
        xml.serialize(output).map_err(io::Error::other)
    }
}
