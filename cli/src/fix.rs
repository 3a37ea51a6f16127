//! `bindpose check --fix`: repairs that cannot go wrong.

use std::borrow::Cow;
use std::io::{self, Write};
use std::ops::Range;
use std::path::PathBuf;
use std::str::FromStr;

use clap::Args;

use super::Format;
use super::check::unknown;
use super::exit::{Exit, Failure};
use super::files::{Item, PathName, shown};
use super::in_place;
use super::json::Lines;
use super::limits::LimitArgs;
use super::load;
use super::output::Output;
use super::report::Style;
use super::report::json::FindingLine;
use super::write::Target;
use bindpose::check::{Finding, Repair, Rule};
use bindpose::{FormatSpec, Limits};

/// The arguments that specify repairs.
#[derive(Args)]
pub(super) struct FixArgs {
    #[arg(
        long,
        help = help(),
        help_heading = "Repairs",
        value_name = "RULE",
        value_delimiter = ',',
        requires = "to",
        conflicts_with_all = ["report", "allow_damaged", "baseline", "update_baseline", "cache", "partition",
            "fail_fast", "jobs", "only", "ignore", "severity", "max_findings", "config"],
    )]
    fix: Vec<Mended>,
    /// Write the repaired file to OUT; `-` for standard output
    #[arg(short, long, value_name = "OUT", group = "to", requires = "fix", help_heading = "Repairs")]
    output: Option<PathBuf>,
    /// Change the file itself and keep the original as FILE.orig
    ///
    /// Further edits keep that original. A file that was replaced since is kept as FILE.orig.1.
    #[arg(short, long, group = "to", requires = "fix", help_heading = "Repairs")]
    in_place: bool,
    /// Print what would change, and write nothing
    #[arg(short = 'n', long, group = "to", requires = "fix", help_heading = "Repairs")]
    dry_run: bool,
    /// Do not keep the original as FILE.orig
    #[arg(long, requires = "in_place", help_heading = "Repairs")]
    no_backup: bool,
}

/// A rule with a repair.
#[derive(Clone, Copy)]
struct Mended(&'static Rule);

impl FromStr for Mended {
    type Err = String;

    fn from_str(code: &str) -> Result<Self, String> {
        let rule = Rule::named(code).ok_or_else(|| unknown(code))?;
        if Rule::fixable().any(|fixable| fixable == rule) {
            return Ok(Self(rule));
        }
        Err(format!("has no repair; rules with a repair: {}", codes()))
    }
}

/// The rules with a repair.
fn codes() -> String {
    Rule::fixable().map(|rule| rule.code).collect::<Vec<_>>().join(", ")
}

fn help() -> String {
    format!("Repair violations of RULE: {}; repeatable", codes())
}

impl FixArgs {
    /// Whether a repair is requested.
    pub const fn is_wanted(&self) -> bool {
        !self.fix.is_empty()
    }

    /// Repairs one file.
    pub fn run(
        &self,
        items: &[Item],
        limits: LimitArgs,
        (force, style): (bool, Style),
        output: &mut Output,
    ) -> Result<Exit, Failure> {
        let format = match style {
            Style::Human => Format::Human,
            Style::Json => Format::Json,
            _ => return Err(Failure::new(Exit::Usage, "--fix supports the formats human and json only")),
        };
        let [Item { path, spec, named: true, .. }] = items else {
            return Err(Failure::new(Exit::Usage, "--fix expects one file"));
        };
        let (bytes, spec) = load::named(path, *spec, limits)?;
        let repairs = spec.kind.repairs(&bytes, &spec.options(limits.limits()));
        // One repair may change offsets that another one refers to.
        let wanted = |repair: &Repair| self.fix.iter().any(|Mended(rule)| *rule == repair.rule);
        let Some(repair) = repairs.into_iter().find(wanted) else {
            return Err(self.refusal(&bytes, spec, limits).of(shown(path)));
        };
        let repaired = repair.apply(&bytes);
        let verify = |written: &[u8]| verify(written, spec, &repaired);
        verify(&repaired).map_err(|failure| failure.of(shown(path)))?;
        if format == Format::Human {
            print(&repair, &mut io::stderr())?;
        }
        if let Some(out) = &self.output {
            let target = Target::named(out, force);
            target.free_for(format)?;
            target.write(&repaired, output, verify)?;
        } else if self.in_place {
            in_place::change(path, (&bytes, &repaired), !self.no_backup, verify)?;
        }
        if format == Format::Json {
            Lines::default().write(output, &line(&repair, PathName::of(path)))?;
        }
        Ok(Exit::Well)
    }

    /// Why nothing is repaired, with the finding if there is one.
    fn refusal(&self, bytes: &[u8], spec: FormatSpec, limits: LimitArgs) -> Failure {
        let codes: Vec<_> = self.fix.iter().map(|Mended(rule)| rule.code).collect();
        let why = format!("no violation of {} that can be repaired", codes.join(" or "));
        let report = match load::decode(bytes, spec, limits.limits()) {
            Ok(file) => file.check(bytes, 1),
            Err(_) => spec.kind.diagnose(bytes, 1),
        };
        let wanted = |finding: &&Finding| self.fix.iter().any(|Mended(rule)| *rule == finding.rule);
        let known = report.findings.iter().find(wanted).map_or_else(String::new, |finding| {
            let Range { start, end } = finding.range;
            format!("; {start:#x}..{end:#x} {finding}")
        });
        Failure::new(Exit::Findings, why + &known)
    }
}

/// Checks that the repaired file is no longer damaged.
fn verify(written: &[u8], spec: FormatSpec, meant: &[u8]) -> Result<(), Failure> {
    let file = load::decode(written, spec, Limits::none())?;
    match file.damage() {
        None if written == meant && file.encode()? == meant => Ok(()),
        damage => {
            let why = damage.map_or_else(String::new, |damage| format!(": {damage}"));
            Err(Failure::new(Exit::Findings, format!("would still be damaged; nothing was written{why}")))
        }
    }
}

/// A repair in the form of a finding of `check`.
fn line(repair: &Repair, path: PathName) -> FindingLine<'_> {
    let Repair { rule, range, message, .. } = repair;
    FindingLine {
        rule: rule.code.into(),
        severity: rule.severity.name().into(),
        path: Cow::Owned(path),
        field: None,
        start: Some(range.start),
        end: Some(range.end),
        message: message.as_str().into(),
        known: false,
        count: None,
    }
}

fn print(repair: &Repair, output: &mut impl Write) -> io::Result<()> {
    let Repair { rule, range: Range { start, end }, message, .. } = repair;
    writeln!(output, "{start:08x}..{end:08x}  {message} ({})", rule.code)
}
