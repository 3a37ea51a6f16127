//! SARIF 2.1.0 for code scanning services.
//!
//! <https://docs.oasis-open.org/sarif/sarif/v2.1.0/sarif-v2.1.0.html>

use std::io::{self, Write};

use serde_json::{Value, json};

use super::{Checked, Issue, Report, Run, Subject};
use crate::output::percent_encoded;
use crate::verdict::Verdict;
use bindpose::check::{self, Severity};

/// The maximum number of results: services reject or truncate longer runs.
const MOST: usize = 5_000;

/// Collects a result for each failure and finding, up to a maximum.
pub(super) struct Sarif {
    rules: Vec<Value>,
    results: Vec<Value>,
    left_out: usize,
}

fn rules(subject: Subject) -> Vec<Value> {
    let verdicts = Verdict::ALL[1..].iter().map(|verdict| {
        json!({
            "id": format!("{}/{}", subject.name(), verdict.name()),
            "shortDescription": { "text": verdict.meaning() },
        })
    });
    let own = check::Rule::all().filter(|_| subject == Subject::Check).map(|rule| {
        let check::Rule { code, summary, why, source, example, .. } = rule;
        json!({
            "id": code,
            "shortDescription": { "text": summary },
            "fullDescription": { "text": why },
            "help": { "text": format!("{why}\n\nSource: {source}\n\nExample: {example}") },
            "helpUri": format!("{MANUAL}#{}", code.replace('/', "")),
            "defaultConfiguration": { "level": level(rule.severity) },
        })
    });
    verdicts.chain(own).collect()
}

/// The page with all rules. Its anchors are their codes without the slash.
const MANUAL: &str = concat!(env!("CARGO_PKG_REPOSITORY"), "/blob/main/docs/rules.md");

const fn level(severity: Severity) -> &'static str {
    match severity {
        Severity::Error => "error",
        Severity::Warning => "warning",
        Severity::Info | Severity::Hint => "note",
    }
}

impl Sarif {
    pub fn new(subject: Subject) -> Self {
        Self { rules: rules(subject), results: Vec::new(), left_out: 0 }
    }

    fn result(&self, path: &str, issue: &Issue<'_>) -> Value {
        let mut location = json!({ "physicalLocation": { "artifactLocation": { "uri": uri(path) } } });
        if let Some(start) = issue.start {
            let region = &mut location["physicalLocation"]["region"];
            *region = json!({ "byteOffset": start });
            if let Some(end) = issue.end {
                region["byteLength"] = end.saturating_sub(start).into();
            }
        }
        if let Some(field) = &issue.field {
            location["logicalLocations"] = json!([{ "fullyQualifiedName": field }]);
        }
        let mut result = json!({
            "ruleId": issue.rule,
            "ruleIndex": self.rules.iter().position(|rule| rule["id"] == *issue.rule).unwrap_or_default(),
            "level": level(issue.severity),
            "message": { "text": issue.to_string() },
            "locations": [location],
        });
        if issue.known {
            result["suppressions"] = json!([{ "kind": "external", "justification": "in the baseline" }]);
        }
        result
    }
}

impl Report for Sarif {
    fn file(&mut self, file: Checked<'_>, _output: &mut dyn Write) -> io::Result<()> {
        for issue in file.all_issues() {
            if self.results.len() < MOST {
                self.results.push(self.result(&file.path.text, &issue));
            } else {
                self.left_out += 1;
            }
        }
        Ok(())
    }

    fn end(&mut self, _: &Run, output: &mut dyn Write) -> io::Result<()> {
        let mut invocation = json!({ "executionSuccessful": true });
        if self.left_out > 0 {
            let text = format!("{} further results are omitted; a report has at most {MOST}", self.left_out);
            invocation["toolExecutionNotifications"] =
                json!([{ "level": "warning", "message": { "text": text } }]);
        }
        let driver = json!({
            "name": "bindpose",
            "semanticVersion": env!("CARGO_PKG_VERSION"),
            "informationUri": env!("CARGO_PKG_REPOSITORY"),
            "rules": std::mem::take(&mut self.rules),
        });
        let log = json!({
            "$schema": "https://json.schemastore.org/sarif-2.1.0.json",
            "version": "2.1.0",
            "runs": [{
                "tool": { "driver": driver },
                "invocations": [invocation],
                "results": std::mem::take(&mut self.results),
            }],
        });
        serde_json::to_writer(&mut *output, &log)?;
        writeln!(output)
    }
}

/// A path as a relative reference, or as a `file:` URI if it is absolute.
fn uri(path: &str) -> String {
    let path = path.strip_prefix("./").unwrap_or(path);
    let scheme = if path.starts_with('/') { "file://" } else { "" };
    scheme.to_owned() + &percent_encoded(path, b"/.-_~")
}

#[cfg(test)]
mod tests {
    use super::uri;

    #[test]
    fn paths_become_uris_whatever_is_in_them() {
        assert_eq!(uri("./a b/#1.x"), "a%20b/%231.x");
        assert_eq!(uri("/srv/ü.psk"), "file:///srv/%C3%BC.psk");
        assert_eq!(uri("C:\\a.x"), "C%3A%5Ca.x");
    }
}
