//! `JUnit` XML: what nearly every CI server can show.

use std::io::{self, Write};

use quick_junit::{NonSuccessKind, Report as Xml, TestCase, TestCaseStatus, TestSuite};

use super::{Checked, Report, Status};
use crate::cli::verdict::Verdict;

/// Keeps a test case per file: the counts stand in front of them.
pub(super) struct Junit {
    suite: TestSuite,
}

impl Default for Junit {
    fn default() -> Self {
        Self { suite: TestSuite::new("bindpose roundtrip") }
    }
}

impl Report for Junit {
    fn file(
        &mut self,
        Checked { path, row, status }: Checked<'_>,
        _output: &mut dyn Write,
    ) -> io::Result<()> {
        let text = row.trouble.as_ref().map(ToString::to_string).unwrap_or_default();
        let mut outcome = match status {
            Status::Passed => TestCaseStatus::success(),
            Status::Allowed | Status::Known => TestCaseStatus::skipped(),
            Status::Failed if matches!(row.verdict, Verdict::IoError | Verdict::NotLossless) => {
                TestCaseStatus::non_success(NonSuccessKind::Error)
            }
            Status::Failed => TestCaseStatus::non_success(NonSuccessKind::Failure),
        };
        if status != Status::Passed {
            outcome.set_message(text).set_type(row.verdict.name());
        }
        let mut case = TestCase::new(path, outcome);
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
