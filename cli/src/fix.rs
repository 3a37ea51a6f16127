//! `bindpose check --fix`: the few repairs that are certain.

use std::io::{self, Write};
use std::ops::Range;
use std::path::PathBuf;
use std::str::FromStr;

use clap::Args;

use super::Format;
use super::check::unknown;
use super::exit::{Exit, Failure};
use super::files::{Item, shown};
use super::json::Lines;
use super::limits::LimitArgs;
use super::load;
use super::output::Output;
use super::report::Style;
use super::report::json::FindingLine;
use super::write::{self, Target};
use bindpose::check::{Finding, Repair, Rule};
use bindpose::{FormatSpec, Limits};

/// The arguments that say where a mended file goes.
#[derive(Args)]
#[command(next_help_heading = "Repairs")]
pub(super) struct FixArgs {
    #[arg(
        long,
        help = help(),
        value_name = "RULE",
        value_delimiter = ',',
        requires = "to",
        conflicts_with_all = ["report", "allow_damaged", "baseline", "update_baseline", "cache", "partition",
            "fail_fast", "jobs", "only", "ignore", "severity", "max_findings", "config"],
    )]
    fix: Vec<Mended>,
    /// Write the mended file to this one; `-` for standard output
    #[arg(short, long, value_name = "OUT", group = "to", requires = "fix")]
    output: Option<PathBuf>,
    /// Change the file itself; the original stays as FILE.orig
    ///
    /// Further edits leave it alone. A file that was replaced since is an original again, and stays as FILE.orig.1.
    #[arg(short, long, group = "to", requires = "fix")]
    in_place: bool,
    /// Write nothing, print what would change
    #[arg(short = 'n', long, group = "to", requires = "fix")]
    dry_run: bool,
    /// Keep no original
    #[arg(long, requires = "in_place")]
    no_backup: bool,
}

/// A rule that may be broken in a way that is certain to be mended.
#[derive(Clone, Copy)]
struct Mended(&'static Rule);

impl FromStr for Mended {
    type Err = String;

    fn from_str(code: &str) -> Result<Self, String> {
        let rule = Rule::named(code).ok_or_else(|| unknown(code))?;
        if Rule::mended().any(|mended| mended == rule) {
            return Ok(Self(rule));
        }
        Err(format!("nothing that breaks it is certain to be mended, as it is with {}", codes()))
    }
}

/// The rules that may be broken in a way that is certain to be mended.
fn codes() -> String {
    Rule::mended().map(|rule| rule.code).collect::<Vec<_>>().join(", ")
}

fn help() -> String {
    format!("Mend what breaks this rule, where the repair is certain: {}; repeatable", codes())
}

impl FixArgs {
    /// Whether anything is to be mended.
    pub const fn is_wanted(&self) -> bool {
        !self.fix.is_empty()
    }

    /// Mends the one file that is named.
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
            _ => return Err(Failure::new(Exit::Usage, "a repair is told for people or as json")),
        };
        let [Item { path, spec, named: true, .. }] = items else {
            return Err(Failure::new(Exit::Usage, "--fix takes one file at a time"));
        };
        let (bytes, spec) = load::named(path, *spec, limits)?;
        let repairs = spec.kind.repairs(&bytes, &spec.options(limits.limits()));
        // One mends the whole; another would count in bytes that are no longer there.
        let wanted = |repair: &Repair| self.fix.iter().any(|Mended(rule)| *rule == repair.rule);
        let Some(repair) = repairs.into_iter().find(wanted) else {
            return Err(self.refusal(&bytes, spec, limits).of(path.display()));
        };
        let mended = repair.apply(&bytes);
        let verify = |written: &[u8]| verify(written, spec, &mended);
        verify(&mended).map_err(|failure| failure.of(path.display()))?;
        if format == Format::Human {
            tell(&repair, &mut io::stderr())?;
        }
        if let Some(out) = &self.output {
            let target = Target::named(out, force);
            target.free_for(format)?;
            target.write(&mended, output, verify)?;
        } else if self.in_place {
            write::change(path, (&bytes, &mended), !self.no_backup, verify)?;
        }
        if format == Format::Json {
            Lines::default().write(output, &line(&repair, &shown(path)))?;
        }
        Ok(Exit::Well)
    }

    /// Why nothing is mended, and what is known all the same.
    fn refusal(&self, bytes: &[u8], spec: FormatSpec, limits: LimitArgs) -> Failure {
        let codes: Vec<_> = self.fix.iter().map(|Mended(rule)| rule.code).collect();
        let why =
            format!("nothing in it breaks {} in a way that is certain to be mended", codes.join(" or "));
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

/// A file that is still damaged was not mended.
fn verify(written: &[u8], spec: FormatSpec, meant: &[u8]) -> Result<(), Failure> {
    let file = load::decode(written, spec, Limits::none())?;
    match file.damage() {
        None if written == meant && file.encode()? == meant => Ok(()),
        damage => {
            let why = damage.map_or_else(String::new, |damage| format!(": {damage}"));
            Err(Failure::new(Exit::Findings, format!("would still be damaged; nothing was changed{why}")))
        }
    }
}

/// What is mended, as `check` tells what is wrong.
fn line<'a>(repair: &'a Repair, path: &'a str) -> FindingLine<'a> {
    let Repair { rule, range, message, .. } = repair;
    FindingLine {
        rule: rule.code.into(),
        severity: rule.severity.name().into(),
        path: path.into(),
        field: None,
        start: Some(range.start),
        end: Some(range.end),
        message: message.as_str().into(),
        known: false,
        count: None,
    }
}

fn tell(repair: &Repair, output: &mut impl Write) -> io::Result<()> {
    let Repair { rule, range: Range { start, end }, message, .. } = repair;
    writeln!(output, "{start:08x}..{end:08x}  {message} ({})", rule.code)
}
