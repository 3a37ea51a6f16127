//! `bindpose check --fix`: repairs that cannot go wrong.

use std::borrow::Cow;
use std::ops::Range;

use super::advice::argument;
use super::check::unknown;
use super::destination::{EditTo, Stored, one_output};
use super::files::settle;
use super::load;
use super::many::Many;
use super::progress;
use super::report::Issue;
use super::write::Results;
use crate::prelude::*;
use bindpose::check::{Finding, Repair, Rule};

#[derive(Args)]
#[command(mut_group("to", |to| to.required(false).requires("fix")))]
pub(super) struct FixArgs {
    #[arg(
        long,
        help = help(),
        help_heading = "Repairs",
        value_name = "RULE",
        value_delimiter = ',',
        value_parser = Fixable::parse,
        requires = "to",
        conflicts_with_all = ["report", "allow_damaged", "baseline", "update_baseline", "cache", "partition",
            "fail_fast", "only", "ignore", "severity", "max_findings", "config", "statistics"],
    )]
    fix: Vec<Fixable>,
    #[command(flatten, next_help_heading = "Repairs")]
    to: EditTo,
}

/// A rule with a repair; none for all of them.
#[derive(Clone, Copy)]
struct Fixable(Option<&'static Rule>);

impl Fixable {
    fn parse(code: &str) -> Result<Self, String> {
        if code == "all" {
            return Ok(Self(None));
        }
        let rule = Rule::named(code).ok_or_else(|| unknown(code))?;
        if Rule::fixable().any(|fixable| fixable == rule) {
            return Ok(Self(Some(rule)));
        }
        Err(format!("has no repair; rules with a repair: {}", codes()))
    }
}

fn codes() -> String {
    Rule::fixable().map(|rule| rule.code).collect::<Vec<_>>().join(", ")
}

fn help() -> String {
    format!("Repair violations of RULE, or of `all`: {}; repeatable", codes())
}

impl FixArgs {
    pub const fn is_wanted(&self) -> bool {
        !self.fix.is_empty()
    }

    pub fn run(&self, many: &Many, output: &mut Output) -> Result<Exit> {
        let format = many.report.format.for_option("--fix")?;
        let quiet = output.common.quiet;
        let items = match &self.to.out_dir {
            Some(directory) => many.inputs.list_for(directory)?,
            None => many.inputs.list()?,
        };
        if items.is_empty() {
            return Err(many.inputs.nothing());
        }
        if !self.to.dry_run {
            settle(items.iter().map(|item| &*item.path));
            output.outlives_reader = true;
        }
        let destination = self.to.destination(many.report.force).free_for(format)?;
        let repair = |item: &Item| {
            let repaired = self.repair(item, many)?;
            let mut results = Results::default();
            let (path, bytes) = (&*item.path, (&*repaired.old, &*repaired.new));
            let stored = destination.store(path, bytes, many.inputs.relative(path), None, &mut results)?;
            results.publish()?;
            Ok((repaired.repairs, stored))
        };
        let mut shows = |(repairs, stored): &(Vec<Repair>, Stored), prefix: Option<&Path>, path: &Path| {
            print(repairs, prefix, path, format, output)?;
            stored.print(format, output)
        };
        if let [item @ Item { named: true, .. }] = &items[..] {
            return shows(&repair(item)?, None, &item.path).map(|()| Exit::Success);
        }
        if self.to.output.is_some() {
            return Err(one_output(items.len()));
        }
        let repair_any = |item: &Item| match repair(item) {
            Err(Failure { cause: Cause::NoViolation, .. }) => Ok(None),
            repaired => repaired.map(Some),
        };
        let mut repaired = 0;
        let tally = many.jobs.batch(&items, quiet).run(repair_any, |item, done| {
            let Some(done) = done else { return Ok(()) };
            repaired += 1;
            shows(&done, Some(&item.path), &item.path)
        })?;
        if tally.done + tally.failed == 0 {
            return Err(many.inputs.nothing());
        }
        let outcome = if self.to.dry_run { "can be repaired" } else { "repaired" };
        let others = [
            (tally.done - repaired, "without such violations"),
            (tally.foreign, "of other formats skipped"),
            (tally.failed, "that cannot be repaired"),
        ];
        if !quiet {
            note!("{}", progress::sentence(repaired, outcome, &others));
        }
        Ok(tally.exit)
    }

    /// Repairs a file in memory.
    fn repair(&self, item: &Item, many: &Many) -> Result<Repaired> {
        let Item { path, spec, .. } = item;
        item.is_listed()?;
        let (bytes, spec) = load::named(path, *spec, &many.limits.memory())?;
        let options = spec.options(many.limits.limits());
        let (repaired, repairs) = spec.kind.fix(&bytes, &options, |repair| self.wants(repair.rule));
        if repairs.is_empty() {
            let failure = self.refusal(&bytes, spec, many.limits).in_file(path);
            let path = argument(&shown(path)).into_owned();
            return Err(
                failure.with_help(format!("`bindpose check {path}` lists the violations of all rules"))
            );
        }
        let repaired = Repaired { old: bytes, spec, new: repaired, repairs };
        repaired.verify().in_file(path)?;
        Ok(repaired)
    }

    fn wants(&self, rule: &Rule) -> bool {
        self.fix.iter().any(|Fixable(own)| own.is_none_or(|own| own == rule))
    }

    /// Why nothing is repaired, with the finding if there is one.
    fn refusal(&self, bytes: &[u8], spec: FormatSpec, limits: LimitArgs) -> Failure {
        let (report, undecodable) = match load::decode(bytes, spec, limits.limits()) {
            Ok(file) => (file.check(bytes, 1), None),
            Err(error) => (spec.kind.diagnose(bytes, 1), Some(Failure::from(error))),
        };
        let wanted = |finding: &&Finding| finding.rule.fixable && self.wants(finding.rule);
        let Some(finding) = report.findings.iter().find(wanted) else {
            if let Some(undecodable) = undecodable {
                return undecodable;
            }
            let codes: Vec<_> = self
                .fix
                .iter()
                .map(|Fixable(rule)| rule.map_or("a rule that has a repair", |rule| rule.code))
                .collect();
            let why = format!("nothing to repair: no violation of {}", codes.join(" or "));
            return Failure { cause: Cause::NoViolation, ..Failure::new(Exit::Findings, why) };
        };
        let (code, start) = (finding.rule.code, finding.range.start);
        let why = format!("this violation of {code} cannot be repaired: {start:#010x} {finding}");
        Failure::new(Exit::Findings, why)
    }
}

struct Repaired {
    old: Vec<u8>,
    spec: FormatSpec,
    new: Vec<u8>,
    repairs: Vec<Repair>,
}

impl Repaired {
    /// Checks that the repaired file is no longer damaged.
    fn verify(&self) -> Result<()> {
        let file = load::decode(&self.new, self.spec, Limits::none())?;
        match file.damage() {
            None if file.encode()? == self.new => Ok(()),
            damage => {
                let why = damage.map_or_else(String::new, |damage| format!(": {damage}"));
                Err(Failure::new(Exit::Findings, format!("would still be damaged; nothing was written{why}")))
            }
        }
    }
}

/// A repair in the form of a finding of `check`.
fn line(repair: &Repair, path: PathName) -> Issue<'_> {
    let Repair { rule, range, message, .. } = repair;
    Issue {
        rule: rule.code.into(),
        severity: rule.severity,
        path: Cow::Owned(path),
        field: None,
        object: None,
        start: Some(range.start),
        end: Some(range.end),
        message: message.as_str().into(),
        known: false,
        count: None,
    }
}

/// Prints the repairs of a file; with its path where there are several files.
fn print(
    repairs: &[Repair],
    prefix: Option<&Path>,
    path: &Path,
    format: Format,
    output: &mut Output,
) -> io::Result<()> {
    for repair in repairs {
        if format == Format::Json {
            output.json_line(&line(repair, PathName::of(path)))?;
            continue;
        }
        if output.common.quiet {
            continue;
        }
        let Repair { rule, range: Range { start, end }, message, .. } = repair;
        let prefix = prefix.map_or_else(String::new, |path| format!("{}: ", shown(path)));
        note!("{prefix}{start:08x}..{end:08x}  {message} ({})", rule.code);
    }
    Ok(())
}
