//! Code Quality reports of GitLab.
//!
//! <https://docs.gitlab.com/ci/testing/code_quality/#code-quality-report-format>

use std::collections::HashMap;

use serde_json::json;
use twox_hash::XxHash3_128;

use super::{Checked, Issue, Report, Run};
use crate::prelude::*;
use bindpose::check::Severity;

/// Writes an array with an issue for each failure and finding that the baseline does not list.
#[derive(Default)]
pub(super) struct Gitlab {
    begun: bool,
    /// How many issues have the same rule and field of a file: they differ in their fingerprints.
    seen: HashMap<u128, u32>,
}

impl Gitlab {
    fn fingerprint(&mut self, path: &str, issue: &Issue<'_>) -> String {
        let field = issue.field.as_deref().unwrap_or_default();
        let place = XxHash3_128::oneshot([path, &issue.rule, field].join("\0").as_bytes());
        let nth = self.seen.entry(place).or_default();
        *nth += 1;
        format!("{:032x}", place.wrapping_add((*nth - 1).into()))
    }
}

impl Report for Gitlab {
    fn file(&mut self, file: Checked<'_>, output: &mut dyn Write) -> io::Result<()> {
        let path = printable(&file.path.text);
        let path = path.strip_prefix("./").unwrap_or(&path);
        for issue in file.issues() {
            let quality = json!({
                "description": printable(&issue.to_string()),
                "check_name": issue.rule,
                // Equal in reports of later versions of the file.
                "fingerprint": self.fingerprint(path, &issue),
                "severity": match issue.severity {
                    Severity::Error => "major",
                    Severity::Warning => "minor",
                    Severity::Info | Severity::Hint => "info",
                },
                // Required by the format; binary files have no lines.
                "location": { "path": path, "lines": { "begin": 1 } },
            });
            output.write_all(if self.begun { b",\n" } else { b"[\n" })?;
            self.begun = true;
            serde_json::to_writer(&mut *output, &quality)?;
        }
        Ok(())
    }

    fn end(&mut self, _: &Run, output: &mut dyn Write) -> io::Result<()> {
        output.write_all(if self.begun { b"\n]\n" } else { b"[]\n" })
    }
}
