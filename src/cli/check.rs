//! `bindpose check`: what a valid file of its format obeys.

use std::io::Write;
use std::path::Path;
use std::str::FromStr;

use clap::Args;

use super::Common;
use super::exit::{Exit, Failure};
use super::load;
use super::many::{Many, Task};
use super::output::Output;
use super::report::Subject;
use super::verdict::{Row, Verdict};
use crate::check::{Rule, Severity};
use crate::{Error, Kind, Limits, Spec};

/// Say what breaks the rules of a format, with a code, a severity and a place
///
/// Exits with 1 where a rule of severity error is broken. Directories are searched as git would.
#[derive(Args)]
#[command(after_long_help = EXAMPLES)]
pub(super) struct Check {
    #[command(flatten)]
    many: Many,
    #[command(flatten)]
    rules: RuleArgs,
}

#[derive(Args)]
#[command(next_help_heading = "Rules")]
struct RuleArgs {
    /// Say what is behind rules and exit; without RULE list them all
    #[arg(long, value_name = "RULE", num_args = 0.., exclusive = true)]
    explain: Option<Vec<Named>>,
    /// Check these rules only: psk/weight-bone-out-of-range, or psk for all of a family; repeatable
    #[arg(long, value_name = "RULE", value_delimiter = ',')]
    only: Vec<Pattern>,
    /// Leave out these rules; repeatable
    #[arg(long, value_name = "RULE", value_delimiter = ',')]
    ignore: Vec<Pattern>,
    /// Give a rule another severity: error, warning, info or hint; repeatable
    #[arg(long, value_name = "RULE=LEVEL", value_delimiter = ',')]
    severity: Vec<Override>,
    /// Tell so many places of each rule in a file, and count the others
    #[arg(long, value_name = "N", default_value_t = 10)]
    max_findings: usize,
}

const EXAMPLES: &str = "\
Examples:
  bindpose check hero.ms3d
  bindpose check assets --ignore any/junk-behind-nul --severity ms3d/unknown-parent=error
  bindpose check assets --only psk --format sarif > findings.sarif
  bindpose check --explain ms3d/weight-sum";

/// A rule that there is.
#[derive(Clone, Copy)]
struct Named(&'static Rule);

impl FromStr for Named {
    type Err = String;

    fn from_str(code: &str) -> Result<Self, String> {
        Rule::named(code).map(Self).ok_or_else(|| unknown(code))
    }
}

fn unknown(code: &str) -> String {
    let name = code.rsplit('/').next().unwrap_or(code);
    let near = Rule::all().find(|rule| rule.code.ends_with(&format!("/{name}")));
    let hint = near.map_or_else(|| "--explain lists them".into(), |rule| format!("there is {}", rule.code));
    format!("no rule is called `{code}`; {hint}")
}

/// A rule, or all of a family.
#[derive(Clone)]
struct Pattern(String);

impl FromStr for Pattern {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let pattern = Self(text.into());
        if Rule::all().any(|rule| pattern.holds(rule)) { Ok(pattern) } else { Err(unknown(text)) }
    }
}

impl Pattern {
    fn holds(&self, rule: &Rule) -> bool {
        rule.code == self.0 || rule.family() == self.0.trim_end_matches("/*")
    }
}

/// Another severity for a rule.
#[derive(Clone)]
struct Override {
    rules: Pattern,
    severity: Severity,
}

impl FromStr for Override {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let (rules, severity) = text.split_once('=').ok_or("it is RULE=LEVEL")?;
        Ok(Self { rules: rules.parse()?, severity: severity.parse()? })
    }
}

impl RuleArgs {
    /// The severity of a rule; none where the user does not want to hear of it.
    fn severity(&self, rule: &Rule) -> Option<Severity> {
        let wanted = self.only.is_empty() || self.only.iter().any(|only| only.holds(rule));
        let wanted = wanted && !self.ignore.iter().any(|ignore| ignore.holds(rule));
        let own = self.severity.iter().rev().find(|own| own.rules.holds(rule));
        wanted.then(|| own.map_or(rule.severity, |own| own.severity))
    }
}

impl Check {
    pub fn run(&self, common: &Common, output: &mut Output) -> Result<Exit, Failure> {
        let Some(rules) = &self.rules.explain else {
            return self.many.run(self, self.many.list()?, common, output);
        };
        if rules.is_empty() {
            list(output)?;
        }
        for (at, Named(rule)) in rules.iter().enumerate() {
            write!(output, "{}", if at == 0 { "" } else { "\n" })?;
            explain(rule, output)?;
        }
        Ok(Exit::Well)
    }
}

fn list(output: &mut Output) -> std::io::Result<()> {
    let width = Rule::all().map(|rule| rule.code.len()).max().unwrap_or(0);
    Rule::all().try_for_each(|rule| {
        writeln!(output, "{:<width$}  {:<7}  {}", rule.code, rule.severity.name(), rule.says)
    })
}

fn explain(rule: &Rule, output: &mut Output) -> std::io::Result<()> {
    let title = output.paint.strong(&format!("{} ({})", rule.code, rule.severity));
    writeln!(output, "{title}\n{}\n\n{}\n", rule.says, rule.why)?;
    writeln!(output, "Source: {}\nExample: {}", rule.source, rule.example)
}

impl Task for Check {
    const SUBJECT: Subject = Subject::Check;

    fn conditions(&self) -> String {
        self.rules.max_findings.to_string()
    }

    fn judge(&self, bytes: &[u8], spec: Spec, limits: Limits) -> Row {
        let len = bytes.len() as u64;
        match load::decode(bytes, spec, limits) {
            Ok(file) => Row::checked(spec, len, &file, file.check(bytes, self.rules.max_findings)),
            Err(error) => Row { spec: Some(spec), ..undecodable(len, &error) },
        }
    }

    fn complete(&self, _path: &Path, row: &mut Row) {
        row.findings.retain_mut(|found| {
            let severity = self.rules.severity(found.rule);
            found.severity = severity.unwrap_or(found.severity);
            severity.is_some()
        });
        if self.many.allows_damage() {
            let damage = row.findings.iter_mut().filter(|found| found.rule.code == DAMAGED);
            damage.for_each(|found| found.severity = found.severity.min(Severity::Warning));
        }
    }
}

/// What `--allow-damaged` lets pass.
const DAMAGED: &str = "any/damaged";

fn undecodable(len: u64, error: &Error) -> Row {
    let verdict = match error.kind() {
        Kind::Limit(_) => Verdict::Limit,
        _ => Verdict::Undecodable,
    };
    Row { trouble: Some(Box::new(error.into())), ..Row::failed(verdict, len, String::new()) }
}
