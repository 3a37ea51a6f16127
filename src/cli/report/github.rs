//! Annotations of a GitHub workflow: lines that the service shows beside the files.

use std::io::{self, Write};

use super::{Checked, Report, Status};

/// Writes a workflow command for each file that is not sound.
pub(super) struct Github;

impl Report for Github {
    fn file(&mut self, Checked { path, row, status }: Checked<'_>, output: &mut dyn Write) -> io::Result<()> {
        let level = match status {
            Status::Failed => "error",
            Status::Allowed | Status::Known => "warning",
            Status::Passed => return Ok(()),
        };
        let message = row.trouble.as_ref().map(ToString::to_string).unwrap_or_default();
        let (file, title) = (property(path), row.verdict.name());
        writeln!(
            output,
            "::{level} file={file},title=bindpose {title}::{}",
            data(&format!("{path}: {message}"))
        )
    }

    fn end(&mut self, _output: &mut dyn Write) -> io::Result<()> {
        Ok(())
    }
}

/// What follows the second pair of colons.
fn data(text: &str) -> String {
    text.replace('%', "%25").replace('\r', "%0D").replace('\n', "%0A")
}

/// What stands between commas.
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
