//! SARIF 2.1.0 for code scanning services.
//!
//! <https://docs.oasis-open.org/sarif/sarif/v2.1.0/sarif-v2.1.0.html>

use std::fmt::Write as _;
use std::io::{self, Write};

use serde::Serialize;

use super::{Checked, Issue, Report, Subject};
use crate::verdict::Verdict;
use bindpose::check::{self, Severity};

/// The maximum number of results: services reject or truncate longer runs.
const MOST: usize = 5_000;

/// Collects a result for each failure and finding, up to a maximum.
pub(super) struct Sarif {
    rules: Vec<Rule>,
    results: Vec<SarifResult>,
    left_out: usize,
}

#[derive(Serialize)]
struct Log<'a> {
    #[serde(rename = "$schema")]
    schema: &'static str,
    version: &'static str,
    runs: [Run<'a>; 1],
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Run<'a> {
    tool: Tool<'a>,
    invocations: [Invocation; 1],
    results: &'a [SarifResult],
}

#[derive(Serialize)]
struct Tool<'a> {
    driver: Driver<'a>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Driver<'a> {
    name: &'static str,
    semantic_version: &'static str,
    information_uri: &'static str,
    rules: &'a [Rule],
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Rule {
    id: String,
    short_description: Text,
    #[serde(skip_serializing_if = "Option::is_none")]
    full_description: Option<Text>,
    #[serde(skip_serializing_if = "Option::is_none")]
    help: Option<Text>,
    #[serde(skip_serializing_if = "Option::is_none")]
    help_uri: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    default_configuration: Option<Configuration>,
}

#[derive(Serialize)]
struct Configuration {
    level: &'static str,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Invocation {
    execution_successful: bool,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    tool_execution_notifications: Vec<Notification>,
}

#[derive(Serialize)]
struct Notification {
    level: &'static str,
    message: Text,
}

#[derive(Serialize)]
struct Text {
    text: String,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct SarifResult {
    rule_id: String,
    rule_index: usize,
    level: &'static str,
    message: Text,
    locations: [Location; 1],
    #[serde(skip_serializing_if = "Vec::is_empty")]
    suppressions: Vec<Suppression>,
}

#[derive(Serialize)]
struct Suppression {
    kind: &'static str,
    justification: &'static str,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Location {
    physical_location: PhysicalLocation,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    logical_locations: Vec<LogicalLocation>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct PhysicalLocation {
    artifact_location: ArtifactLocation,
    #[serde(skip_serializing_if = "Option::is_none")]
    region: Option<Region>,
}

#[derive(Serialize)]
struct ArtifactLocation {
    uri: String,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Region {
    byte_offset: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    byte_length: Option<u64>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct LogicalLocation {
    fully_qualified_name: String,
}

/// The rules of a subject.
fn rules(subject: Subject) -> Vec<Rule> {
    let verdicts = Verdict::ALL[1..].iter().map(|verdict| Rule {
        id: format!("{}/{}", subject.name(), verdict.name()),
        short_description: Text { text: verdict.meaning().into() },
        full_description: None,
        help: None,
        help_uri: None,
        default_configuration: None,
    });
    let own = check::Rule::all().filter(|_| subject == Subject::Check).map(|rule| Rule {
        id: rule.code.into(),
        short_description: Text { text: rule.summary.into() },
        full_description: Some(Text { text: rule.why.into() }),
        help: Some(Text { text: help(rule) }),
        help_uri: Some(format!("{MANUAL}#{}", rule.code.replace('/', ""))),
        default_configuration: Some(Configuration { level: level(rule.severity) }),
    });
    verdicts.chain(own).collect()
}

/// The page with all rules. Its anchors are their codes without the slash.
const MANUAL: &str = concat!(env!("CARGO_PKG_REPOSITORY"), "/blob/main/docs/rules.md");

/// Why the rule exists, where it comes from, and what a finding looks like.
fn help(rule: &check::Rule) -> String {
    let check::Rule { why, source, example, .. } = rule;
    format!("{why}\n\nSource: {source}\n\nExample: {example}")
}

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

    fn result(&self, path: &str, issue: &Issue<'_>) -> SarifResult {
        let region = |byte_offset| Region {
            byte_offset,
            byte_length: issue.end.map(|end| end.saturating_sub(byte_offset)),
        };
        let field = Some(issue.field).filter(|field| !field.is_empty());
        let known = Suppression { kind: "external", justification: "in the baseline" };
        SarifResult {
            rule_index: self.rules.iter().position(|rule| rule.id == issue.rule).unwrap_or_default(),
            rule_id: issue.rule.clone().into_owned(),
            level: level(issue.severity),
            message: Text { text: issue.to_string() },
            locations: [Location {
                physical_location: PhysicalLocation {
                    artifact_location: ArtifactLocation { uri: uri(path) },
                    region: issue.start.map(region),
                },
                logical_locations: field
                    .into_iter()
                    .map(|name| LogicalLocation { fully_qualified_name: name.into() })
                    .collect(),
            }],
            suppressions: issue.known.then_some(known).into_iter().collect(),
        }
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

    fn end(&mut self, output: &mut dyn Write) -> io::Result<()> {
        let notice = (self.left_out > 0).then(|| {
            let text = format!("{} further results are omitted; a report has at most {MOST}", self.left_out);
            Notification { level: "warning", message: Text { text } }
        });
        let log = Log {
            schema: "https://json.schemastore.org/sarif-2.1.0.json",
            version: "2.1.0",
            runs: [Run {
                tool: Tool {
                    driver: Driver {
                        name: "bindpose",
                        semantic_version: env!("CARGO_PKG_VERSION"),
                        information_uri: env!("CARGO_PKG_REPOSITORY"),
                        rules: &self.rules,
                    },
                },
                invocations: [Invocation {
                    execution_successful: true,
                    tool_execution_notifications: notice.into_iter().collect(),
                }],
                results: &self.results,
            }],
        };
        serde_json::to_writer(&mut *output, &log)?;
        writeln!(output)
    }
}

/// A path as a relative reference, or as a `file:` URI if it is absolute.
fn uri(path: &str) -> String {
    let path = path.strip_prefix("./").unwrap_or(path);
    let mut uri = String::from(if path.starts_with('/') { "file://" } else { "" });
    for byte in path.bytes() {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'/' | b'.' | b'-' | b'_' | b'~' => {
                uri.push(byte.into());
            }
            byte => _ = write!(uri, "%{byte:02X}"),
        }
    }
    uri
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
