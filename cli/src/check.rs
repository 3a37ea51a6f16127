//! `bindpose check`: the rules of the formats.

use std::collections::HashMap;
use std::fs;
use std::num::NonZero;
use std::str::FromStr;

use super::config::{CheckConfig, Scope, Section};
use super::exit::guarded;
use super::files::file_name;
use super::fix::FixArgs;
use super::load;
use super::many::{Many, Task, some};
use super::matching;
use super::output;
use super::report::Subject;
use super::verdict::{DAMAGED, Found, Row};
use crate::prelude::*;
use bindpose::check::{Rule, Severity, UnknownSeverity};
use bindpose::formats::check_named_set;
use bindpose::schema::Names;

/// Report violations of format rules
///
/// Each finding has a rule code, a severity, an offset and a path. Files named on the command line are checked as a set: a mesh, its
/// skeleton and its animations must match. Exits with 1 if a rule of severity error is violated.
#[derive(Args)]
#[command(after_long_help = "\
Examples:
  bindpose check hero.ms3d
  bindpose check assets --ignore any/junk-after-nul --severity ms3d/unknown-parent=error
  bindpose check assets --only psk --format sarif > findings.sarif
  bindpose check assets --statistics
  bindpose check body.psk run.psa run.config
  bindpose check --match characters
  bindpose check --fix psk/wrong-record-size old.pskx -o fixed.pskx
  bindpose check --explain ms3d/weight-sum")]
#[command(mut_arg("paths", |paths| paths.required(false).required_unless_present("explain")))]
pub(super) struct Check {
    #[command(flatten)]
    many: Many,
    #[command(flatten)]
    rules: RuleArgs,
    #[command(flatten)]
    fix: FixArgs,
    /// Print which animation fits which mesh or skeleton, and the bones that differ, instead of applying rules
    ///
    /// PSA and UNIGINE animations are compared by the names of bones, Cal3D and 3ds Max animations by their indices. Exits with 1 if
    /// an animation has no mesh or skeleton with all its bones.
    #[arg(
        long = "match",
        help_heading = "Comparison",
        conflicts_with_all = [
            "explain", "only", "ignore", "severity", "max_findings", "config", "report", "fix", "baseline", "cache", "partition",
            "fail_fast", "statistics", "allow_damaged", "force",
        ],
    )]
    matching: bool,
}

#[derive(Args)]
struct RuleArgs {
    /// Explain rules and exit: psk/weight-bone-out-of-range, or psk for a whole family; without RULE, list all rules
    ///
    /// Other words are searched in the codes and summaries of the rules: `--explain weight`, `--explain 'weight sum'`.
    #[arg(
        long,
        help_heading = "Rules",
        value_name = "RULE",
        num_args = 0..,
        value_parser = Explain::parse,
        conflicts_with_all = [
            "paths", "only", "ignore", "severity", "max_findings", "config", "report", "fix", "baseline", "cache", "partition",
            "fail_fast", "statistics", "allow_damaged", "force",
        ],
    )]
    explain: Option<Vec<Explain>>,
    #[command(flatten)]
    wanted: Wanted,
    /// Print the number of findings of each rule instead of the findings
    #[arg(long, help_heading = "Rules")]
    statistics: bool,
}

/// Which findings are reported.
#[derive(Args, Clone)]
struct Wanted {
    /// Apply only these rules: psk/weight-bone-out-of-range, or psk for a whole family; repeatable
    #[arg(long, value_name = "RULE", value_delimiter = ',', value_parser = RuleNames::pattern, help_heading = "Rules")]
    only: Vec<RuleNames>,
    /// Ignore these rules; repeatable
    #[arg(long, value_name = "RULE", value_delimiter = ',', value_parser = RuleNames::pattern, help_heading = "Rules")]
    ignore: Vec<RuleNames>,
    /// Change the severity of a rule: error, warning, info or hint; repeatable
    #[arg(long, value_name = "RULE=LEVEL", value_delimiter = ',', value_parser = Override::parse, help_heading = "Rules")]
    severity: Vec<Override>,
    /// Report at most N findings per rule and file [default: 10]
    #[arg(long, value_name = "N", value_parser = some::<NonZero<usize>>, help_heading = "Rules")]
    max_findings: Option<NonZero<usize>>,
}

/// An existing rule, or those of a family.
#[derive(Clone)]
pub(super) struct RuleNames(Vec<&'static Rule>);

impl RuleNames {
    /// Parses a rule that can be ignored, or a family of them.
    fn pattern(text: &str) -> Result<Self, String> {
        let is_meant = |rule: &&Rule| rule.code == text || rule.family() == text.trim_end_matches("/*");
        let rules: Vec<_> = Rule::all().filter(is_meant).collect();
        if rules.is_empty() { Err(unknown(text)) } else { Ok(Self(rules)) }
    }

    pub fn has(&self, rule: &Rule) -> bool {
        self.0.iter().any(|own| own.code == rule.code)
    }
}

impl FromStr for RuleNames {
    type Err = String;

    fn from_str(code: &str) -> Result<Self, String> {
        if let Some(rule) = Rule::named(code) {
            return Ok(Self(vec![rule]));
        }
        let family: Vec<_> = Rule::all().filter(|rule| rule.code.split('/').next() == Some(code)).collect();
        if family.is_empty() { Err(unknown(code)) } else { Ok(Self(family)) }
    }
}

/// Rules to explain: those that a code or a family names, or those whose code or summary has some words.
#[derive(Clone)]
struct Explain {
    rules: Vec<&'static Rule>,
    is_search: bool,
}

impl Explain {
    fn parse(text: &str) -> Result<Self, String> {
        let named = text.parse().map(|RuleNames(rules)| Self { rules, is_search: false });
        named.or_else(|why| {
            let words = text.to_lowercase();
            let has_words = |rule: &&Rule| {
                let about = format!("{} {}", rule.code, rule.summary).to_lowercase();
                words.split_whitespace().all(|word| about.contains(word))
            };
            let rules: Vec<_> = all().filter(has_words).collect();
            if rules.is_empty() { Err(why) } else { Ok(Self { rules, is_search: true }) }
        })
    }
}

/// The rules of formats, and those about files that cannot be checked.
fn all() -> impl Iterator<Item = &'static Rule> {
    Rule::all().chain(Rule::of_files())
}

/// The message for an unknown rule code, with the most similar rule.
pub(super) fn unknown(code: &str) -> String {
    if Rule::of_files().any(|rule| rule.code == code) {
        return format!("`{code}` reports that a file could not be checked, and cannot be ignored");
    }
    let name = code.rsplit('/').next().unwrap_or(code);
    let of_name = |name: &str| Rule::all().find(|rule| rule.name() == name).map(|rule| rule.code.to_owned());
    let similar = |wanted, names: &mut dyn Iterator<Item = &'static str>| match Names::near(wanted, names) {
        Names::Similar(names) => names.into_iter().next(),
        Names::All { .. } => None,
    };
    let near = of_name(name)
        .or_else(|| similar(code, &mut Rule::all().flat_map(|rule| [rule.family(), rule.code])))
        .or_else(|| of_name(&similar(name, &mut Rule::all().map(Rule::name))?));
    let hint = near.map_or_else(
        || "search by a word with --explain WORD".into(),
        |near| format!("did you mean `{near}`?"),
    );
    format!("unknown rule `{code}`; {hint}")
}

#[derive(Clone)]
struct Override {
    rules: RuleNames,
    severity: Severity,
}

impl Override {
    fn parse(text: &str) -> Result<Self, String> {
        let (rules, severity) = text.split_once('=').ok_or("expected RULE=LEVEL")?;
        let severity = severity.parse().map_err(|unknown: UnknownSeverity| unknown.to_string())?;
        Ok(Self { rules: RuleNames::pattern(rules)?, severity })
    }
}

/// Which findings the user wants of some files.
#[derive(Clone)]
pub(super) struct Settings {
    scope: Scope,
    wanted: Wanted,
    allows_damage: Option<bool>,
}

impl RuleArgs {
    /// The settings of the project, then those of the command line.
    fn settings(&self, project: &[Section], allows_damage: bool) -> Result<Vec<Settings>> {
        let of_project = project
            .iter()
            .map(|section| Settings::new(section).map_err(|why| Failure::usage(why).of(&section.origin)));
        let own = Settings {
            scope: Scope::All,
            wanted: self.wanted.clone(),
            allows_damage: allows_damage.then_some(true),
        };
        let settings = of_project.chain([Ok(own)]).collect::<Result<Vec<_>>>()?;
        let general: Vec<_> = settings.iter().filter(|own| matches!(own.scope, Scope::All)).collect();
        if Rule::all().all(|rule| severity(&general, rule).is_none()) {
            return Err(Failure::usage("no rule is left: those to apply are ignored, too"));
        }
        Ok(settings)
    }
}

impl Settings {
    pub fn new(section: &Section) -> Result<Self, String> {
        let CheckConfig { only, ignore, severity, max_findings, allow_damaged } = &section.check;
        let patterns =
            |texts: &[String]| texts.iter().map(|text| RuleNames::pattern(text)).collect::<Result<_, _>>();
        let severity = severity.iter().map(|(rule, level)| Override::parse(&format!("{rule}={level}")));
        let wanted = Wanted {
            only: patterns(only)?,
            ignore: patterns(ignore)?,
            severity: severity.collect::<Result<_, _>>()?,
            max_findings: *max_findings,
        };
        Ok(Self { scope: section.scope.clone(), wanted, allows_damage: *allow_damaged })
    }
}

/// The severity of a rule; none if the rule is ignored.
fn severity(settings: &[&Settings], rule: &Rule) -> Option<Severity> {
    let mut only = settings.iter().flat_map(|own| &own.wanted.only).peekable();
    let wanted = only.peek().is_none() || only.any(|only| only.has(rule));
    let mut ignore = settings.iter().flat_map(|own| &own.wanted.ignore);
    let mut own = settings.iter().rev().flat_map(|own| own.wanted.severity.iter().rev());
    let own = own.find(|own| own.rules.has(rule));
    (wanted && !ignore.any(|ignore| ignore.has(rule))).then(|| own.map_or(rule.severity, |own| own.severity))
}

/// How many findings of a rule are reported in a file unless the user wants more or fewer.
pub(super) const MOST: usize = 10;

impl Verb for Check {
    fn run(&self, output: &mut Output) -> Result<Exit> {
        let Some(rules) = &self.rules.explain else {
            if self.fix.is_wanted() {
                return self.fix.run(&self.many, output);
            }
            let items = self.many.inputs.list()?;
            if self.matching {
                let format = self.many.report.format.for_option("--match")?;
                let settings = (self.many.limits, self.many.jobs.count(items.len()), format);
                return matching::run(&items, settings, output);
            }
            let settings = self.rules.settings(&self.many.project()?, self.many.report.allow_damaged)?;
            let least = if self.many.baseline.is_some() { MANY } else { MOST };
            let wanted = settings.iter().filter_map(|own| own.wanted.max_findings).map(usize::from);
            let most = wanted.max().unwrap_or(0).max(least);
            let together = self.together(&items, most)?;
            let run = Run { settings, most, together, statistics: self.rules.statistics };
            return self.many.run(&run, items, output);
        };
        let named: Vec<_> = rules.iter().flat_map(|own| own.rules.iter().copied()).collect();
        let named = if rules.is_empty() { all().collect() } else { named };
        let is_list = rules.iter().all(|own| own.is_search) && named.len() > 1;
        match self.many.report.format.for_option("--explain")? {
            Format::Human if is_list => list(&named, output)?,
            Format::Human => {
                for (at, rule) in named.iter().enumerate() {
                    write!(output, "{}", if at == 0 { "" } else { "\n" })?;
                    explain(rule, output)?;
                }
            }
            Format::Json => named.into_iter().try_for_each(|rule| output.json_line(rule))?,
        }
        Ok(Exit::Success)
    }
}

/// The findings of a set of files, by file.
type Together = HashMap<Box<Path>, Vec<Found>>;

impl Check {
    /// Checks the named files as a set; those that cannot be decoded are reported elsewhere.
    fn together(&self, items: &[Item], most: usize) -> Result<Together> {
        let member = |item: &Item| {
            let (spec, len) = load::peek(&item.path, item.spec)?;
            let memory = len.saturating_mul(Limits::default().max_memory_per_byte);
            spec.kind.has_set_rules().then(|| (item.path.clone(), spec, memory))
        };
        let named = items.iter().filter(|item| item.named);
        let set: Vec<_> = named.clone().filter_map(member).collect();
        if let Some(stream) = named.filter(|item| load::is_stream(&item.path)).find(|_| !set.is_empty()) {
            note!(
                "bindpose: {}: can be read once, and is not checked as a part of the set",
                shown(&stream.path)
            );
        }
        let memory = set.iter().fold(0_u64, |sum, (.., memory)| sum.saturating_add(*memory));
        if set.len() < 2 || memory > MEMORY {
            if set.len() > 1 {
                let (memory, most) = (output::bytes(memory), output::bytes(MEMORY));
                note!(
                    "bindpose: checking these files as a set may take {memory} of memory (limit {most}); each is checked alone"
                );
            }
            return Ok(Together::new());
        }
        let limits = self.many.limits;
        let load = |(path, spec, _): (Box<Path>, _, _)| {
            let file = load::load(&path, Some(spec), &limits.memory()).ok()?.into_file();
            Some((path, file))
        };
        let (paths, files): (Vec<_>, Vec<_>) = set.into_iter().filter_map(load).unzip();
        let own: Vec<_> = paths.iter().map(|path| file_name(path)).collect();
        let set: Vec<_> = own.iter().map(|name| &**name).zip(&files).collect();
        let reports = guarded(|| Ok(check_named_set(&set, most)))?;
        let found = reports.into_iter().zip(&files).map(|(report, file)| Found::of_file(report, file));
        Ok(paths.into_iter().zip(found).collect())
    }
}

/// The maximum memory for checking files as a set.
const MEMORY: u64 = 1 << 32;

/// The maximum number of findings per rule that are looked up in a baseline one by one; others are counted.
const MANY: usize = 10_000;

struct Run {
    settings: Vec<Settings>,
    /// The maximum number of findings per rule and file that are collected, which may exceed the number reported.
    most: usize,
    together: Together,
    statistics: bool,
}

fn list(rules: &[&Rule], output: &mut Output) -> std::io::Result<()> {
    let width = rules.iter().map(|rule| rule.code.len()).max().unwrap_or(0);
    rules.iter().try_for_each(|rule| {
        writeln!(output, "{:<width$}  {:<7}  {}", rule.code, rule.severity.name(), rule.summary)
    })
}

fn explain(rule: &Rule, output: &mut Output) -> std::io::Result<()> {
    let title = output.paint.strong(&format!("{} ({})", rule.code, rule.severity));
    writeln!(output, "{title}\n{}\n\n{}\n", rule.summary, rule.why)?;
    writeln!(output, "Source: {}\nExample: {}", rule.source, rule.example)
}

impl Run {
    /// The settings for a file. Later ones take precedence.
    fn settings(&self, path: &Path) -> Vec<&Settings> {
        self.settings.iter().filter(|own| own.scope.contains(path)).collect()
    }
}

impl Task for Run {
    const SUBJECT: Subject = Subject::Check;

    fn conditions(&self) -> String {
        self.most.to_string()
    }

    fn judge(&self, bytes: &[u8], spec: FormatSpec, limits: Limits) -> Row {
        let len = bytes.len() as u64;
        match load::decode(bytes, spec, limits) {
            Ok(file) => {
                let row = Row::checked(spec, len, &file, file.check(bytes, self.most));
                let is_damaged = row.findings.iter().any(|found| found.rule.code == DAMAGED);
                if is_damaged { row.with_cause(file.repairs(bytes)) } else { row }
            }
            Err(error) => {
                let findings = Found::all(spec.kind.diagnose(bytes, self.most));
                let row = Row { findings, ..Row::judged(spec, len, error.into()) };
                row.with_cause(spec.kind.repairs(bytes, &spec.options(limits)))
            }
        }
    }

    fn process_streaming(&self, file: &mut fs::File, spec: FormatSpec, limits: Limits) -> Option<Row> {
        let len = file.metadata().ok()?.len();
        let judge = || {
            let file = spec.kind.decode_valid(file, &spec.options(limits));
            Ok(file.map(|file| Row::checked(spec, len, &file, file.check_valid(self.most))))
        };
        guarded(judge).ok().flatten()
    }

    fn complete(&self, path: &Path, row: &mut Row) {
        if let Some(together) = self.together.get(path) {
            // A reference may be resolved by another file of the set.
            row.findings.retain(|found| !found.rule.alone);
            row.findings.extend(together.iter().cloned());
        }
        let settings = self.settings(path);
        row.findings.retain_mut(|found| {
            let severity = severity(&settings, found.rule);
            found.severity = severity.unwrap_or(found.severity);
            severity.is_some()
        });
        if self.allows_damage(path) {
            row.accept_damage();
        }
    }

    fn abridge(&self, path: &Path, row: &mut Row) {
        let most = self.settings(path).into_iter().rev().find_map(|own| own.wanted.max_findings);
        Found::abridge(&mut row.findings, most.map_or(MOST, usize::from));
    }

    fn allows_damage(&self, path: &Path) -> bool {
        self.settings(path).into_iter().rev().find_map(|own| own.allows_damage).unwrap_or(false)
    }

    fn reports(&self, path: &Path, rule: &Rule) -> bool {
        severity(&self.settings(path), rule).is_some()
    }

    fn statistics(&self) -> bool {
        self.statistics
    }
}
