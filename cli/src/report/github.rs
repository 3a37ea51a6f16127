//! Annotations of a GitHub workflow, which are shown beside the files.

use super::{Checked, Report};
use crate::prelude::*;
use bindpose::check::Severity;

/// Writes a workflow command for each failure and finding that the baseline does not list.
pub(super) struct Github {
    /// The lowest severity that is shown.
    least: Severity,
}

impl Github {
    /// Shows errors and warnings, and with `-v` everything: a service shows only the first few annotations of a step.
    pub fn new(common: Common) -> Self {
        Self { least: if common.verbose { Severity::Hint } else { Severity::Warning } }
    }
}

impl Report for Github {
    fn file(&mut self, file: Checked<'_>, output: &mut dyn Write) -> io::Result<()> {
        let path = &file.path.text;
        for issue in file.issues().filter(|issue| issue.severity >= self.least) {
            let level = match issue.severity {
                Severity::Error => "error",
                Severity::Warning => "warning",
                Severity::Info | Severity::Hint => "notice",
            };
            let (name, title) = (property(&printable(path)), issue.rule.trim_start_matches("roundtrip/"));
            let text = data(&printable(&format!("{path}: {issue}")));
            writeln!(output, "::{level} file={name},title=bindpose {title}::{text}")?;
        }
        Ok(())
    }
}

/// Escapes the message after the second pair of colons.
fn data(text: &str) -> String {
    text.replace('%', "%25").replace('\r', "%0D").replace('\n', "%0A")
}

/// Escapes a property between commas.
fn property(text: &str) -> String {
    data(text).replace(':', "%3A").replace(',', "%2C")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_name_cannot_start_another_command() {
        assert_eq!(property("50%,a:b\n::error::"), "50%25%2Ca%3Ab%0A%3A%3Aerror%3A%3A");
    }
}
