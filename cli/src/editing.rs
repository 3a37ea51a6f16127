//! One edit of many files: the common part of `rename`, `remove` and `transform`.

use std::sync::OnceLock;

use super::batch::Written;
use super::convert::groups;
use super::destination::{EditTo, Stored, one_output};
use super::files::{FileName, absolute, settle, without_repetitions};
use super::json::OfFile;
use super::load;
use super::output::Messages;
use super::progress::{self, Jobs};
use super::set::{Change, changes, num_changes};
use super::write::Results;
use crate::prelude::*;
use bindpose::check::Finding;
use bindpose::depot::{Sidecar, sidecars};
use bindpose::diff::Align;
use bindpose::edit::caused;
use bindpose::{Error, File};

#[derive(Args)]
pub(super) struct Editing {
    #[command(flatten)]
    inputs: Inputs,
    #[command(flatten, next_help_heading = "Output options")]
    to: EditTo,
    /// Overwrite existing files
    #[arg(long, help_heading = "Output options")]
    force: bool,
    /// Print the changes as FORMAT; human prints them with --dry-run or -v only
    #[arg(long, value_name = "FORMAT", value_enum, default_value_t = Format::Human, help_heading = "Output options")]
    format: Format,
    #[command(flatten)]
    jobs: Jobs,
    #[command(flatten)]
    limits: LimitArgs,
    /// Standard input, which can be read only once.
    #[arg(skip)]
    input: OnceLock<Document>,
}

impl Editing {
    /// Lists the files, which have one result each.
    pub fn list(&self) -> Result<Vec<Item>> {
        let items = self.list_with_repetitions()?;
        self.have_one_output(items.len())?;
        Ok(items)
    }

    fn have_one_output(&self, results: usize) -> Result<()> {
        if self.to.output.is_none() || results < 2 {
            return Ok(());
        }
        Err(one_output(results))
    }

    /// Lists the files, of which several can have one result.
    pub fn list_with_repetitions(&self) -> Result<Vec<Item>> {
        let items = without_repetitions(self.inputs.list()?, |path| self.identity(path));
        if !self.to.dry_run {
            settle(items.iter().map(|item| &*item.path));
        }
        if items.is_empty() {
            return Err(self.inputs.nothing());
        }
        if let Some(directory) = &self.to.out_dir {
            self.inputs.have_own_names(&items, directory)?;
        }
        Ok(items)
    }

    /// The path that tells a file from others: that of its content if it is changed in place.
    fn identity(&self, path: &Path) -> PathBuf {
        let target = self.to.in_place.then(|| std::fs::canonicalize(path).ok()).flatten();
        target.unwrap_or_else(|| absolute(path))
    }

    /// Decodes a file; none if its format is unknown and it was found in a directory.
    pub fn load(&self, item: &Item) -> Result<Option<Document>> {
        self.load_within(item, &self.limits.memory())
    }

    fn load_within(&self, item: &Item, memory: &Memory) -> Result<Option<Document>> {
        item.is_listed()?;
        if is_stdio(&item.path) {
            let read = match self.input.get() {
                Some(read) => read.clone(),
                None => load::load(&item.path, item.spec, memory)?,
            };
            return Ok(Some(self.input.get_or_init(|| read).clone()));
        }
        load::is_ours(item)?.then(|| load::load(&item.path, item.spec, memory)).transpose()
    }

    /// Edits each file on its own; a file that fails is reported and the others are edited.
    pub fn each(
        &self,
        scope: &Scope,
        items: Vec<Item>,
        output: &mut Output,
        edit: impl Edit,
    ) -> Result<Exit> {
        scope.name_sidecars(&items, output.common);
        let sets: Vec<_> = items.into_iter().map(|item| vec![item]).collect();
        self.each_set(scope, &sets, output, edit)
    }

    /// Edits each set on its own; one that fails is reported and the others are edited.
    fn each_set<'i>(
        &self,
        scope: &Scope,
        sets: &'i [Vec<Item>],
        output: &mut Output,
        edit: impl Edit,
    ) -> Result<Exit> {
        output.outlives_reader = !self.to.dry_run;
        let (written, common) = (Written::default(), output.common);
        let work = |set: &'i Vec<Item>| {
            let memory = self.limits.memory();
            let (edited, _copies) = self.edited(set, scope, &memory, &edit)?;
            written.add(&set[0], |results| {
                let view = (common, scope);
                let store =
                    |own: &Edited<'i>| Ok((own.item, self.store(own, view, memory.budget(), results)?));
                edited.iter().map(store).collect::<Result<Vec<_>>>()
            })
        };
        let mut tally = Tally::default();
        let len = sets.iter().map(Vec::len).sum::<usize>();
        // They are written last, and only together.
        let mut of_named = Vec::new();
        let take = |set: &'i Vec<Item>, done: Result<Vec<(&'i Item, Done)>>| {
            match done {
                Ok(done) if done.is_empty() => tally.foreign += set.len(),
                Ok(done) if set[0].named => of_named.extend(done),
                Ok(done) => {
                    tally.unchanged += set.len() - done.len();
                    for (item, done) in done {
                        tally.add(&done);
                        self.print(item, &done, len == 1, output)?;
                    }
                }
                Err(failure) if len == 1 => return Err(failure),
                Err(failure) if failure.cause == Cause::NoObject && !set[0].named => {
                    tally.lacks(set.len(), failure);
                }
                Err(failure) => tally.fail(set.len(), failure),
            }
            Ok(())
        };
        self.jobs.batch(sets, common.quiet).each(work, take)?;
        if written.publish(sets.iter().flatten(), tally.failed)? {
            for (item, done) in &of_named {
                tally.add(done);
                self.print(item, done, len == 1, output)?;
            }
        } else {
            tally.unchanged += of_named.len();
        }
        if let Some(failure) = tally.lacking.take().filter(|_| tally.edited + tally.failed == 0) {
            return Err(failure);
        }
        if tally.foreign == len {
            return Err(self.inputs.nothing());
        }
        if len > 1 && !common.quiet {
            note!("{}", tally.sentence(self.to.dry_run));
        }
        Ok(tally.exit.unwrap_or(Exit::Success))
    }

    /// Edits the named files as a set, of which nothing is written if one fails, and each set or each file found in directories.
    pub fn set(&self, scope: &Scope, items: Vec<Item>, output: &mut Output, edit: impl Edit) -> Result<Exit> {
        let (named, found): (Vec<_>, Vec<_>) = items.into_iter().partition(|item| item.named);
        if !found.is_empty() {
            self.have_one_output(named.len() + found.len())?;
        }
        output.outlives_reader = !self.to.dry_run;
        scope.name_sidecars(&named, output.common);
        if !named.is_empty() {
            let (memory, mut results) = (self.limits.memory(), Results::default());
            let view = (output.common, scope);
            let (edited, _copies) = self.edited(&named, scope, &memory, &edit)?;
            let store = |own| self.store(own, view, memory.budget(), &mut results);
            let stored = edited.iter().map(store).collect::<Result<Vec<_>, _>>()?;
            results.publish()?;
            for (own, done) in edited.iter().zip(&stored) {
                self.print(own.item, done, named.len() == 1, output)?;
            }
        }
        if found.is_empty() {
            return Ok(Exit::Success);
        }
        if !scope.follows {
            return self.each(scope, found, output, edit);
        }
        let groups = groups(&found, &self.jobs, self.limits)?;
        let mut found: Vec<_> = found.into_iter().map(Some).collect();
        let sets = groups.iter().map(|group| group.iter().filter_map(|at| found[*at].take()).collect());
        self.each_set(scope, &sets.collect::<Vec<_>>(), output, edit)
    }

    /// Edits files as a set in memory, and charges that.
    fn edited<'i>(
        &self,
        items: &'i [Item],
        scope: &Scope,
        memory: &Memory,
        edit: &impl Edit,
    ) -> Result<(Vec<Edited<'i>>, Budget)> {
        let in_only = |failure: Failure| match items {
            [] => failure,
            [item] => failure.in_file(&item.path),
            // What failed in a file begins with its name.
            [..] if items.iter().any(|item| failure.is_in(&item.path)) => failure,
            [item, others @ ..] => {
                failure.of(format!("{} and {}", shown(&item.path), counted(others.len(), "other file")))
            }
        };
        let mut loaded = Vec::new();
        for item in items {
            loaded.extend(self.load_within(item, memory)?.map(|loaded| (item, loaded)));
        }
        if loaded.iter().any(|(_, own)| (scope.includes)(own.file())) {
            loaded.retain(|(_, own)| (scope.includes)(own.file()));
        }
        self.have_one_output(loaded.len())?;
        let copies = memory.copies(loaded.iter().map(|(_, loaded)| loaded));
        let copies = copies.map_err(|error| in_only(error.into()))?;
        let mut files: Vec<_> = loaded.iter().map(|(_, loaded)| loaded.file().clone()).collect();
        let paths: Vec<&Path> = loaded.iter().map(|(item, _)| &*item.path).collect();
        if !files.is_empty() {
            edit(&mut files, &paths, memory.budget()).map_err(in_only)?;
        }
        let edited = loaded.into_iter().zip(files).map(|((item, before), after)| {
            let refused = refuse(&caused(before.file(), &after, true).in_file(&item.path)?);
            refused.map_err(|failure| scope.advise(failure)).in_file(&item.path)?;
            Ok(Edited { item, before, after })
        });
        Ok((edited.collect::<Result<_>>()?, copies))
    }

    fn store(
        &self,
        Edited { item, before: loaded, after: file }: &Edited<'_>,
        (common, scope): (Common, &Scope),
        budget: &Budget,
        results: &mut Results,
    ) -> Result<Done> {
        let path = &item.path;
        let original = loaded.file();
        // What was written is read again.
        let written = budget.grant(file.value().size().saturating_mul(2));
        let _written = written.map_err(Error::from).in_file(path)?;
        let after = file.encode().in_file(path)?;
        let (old, new) = ((original, loaded.bytes()), (file, &*after));
        let is_listed = self.to.dry_run || self.format == Format::Json || common.verbose;
        let changes =
            if is_listed { changes(old, new, scope.align, budget).in_file(path)? } else { Vec::new() };
        let summary = match scope.summary {
            _ if is_listed || !item.named || common.quiet => String::new(),
            Some(summary) => summary(original, file),
            None => counted(num_changes(old, new, scope.align), "change"),
        };
        let is_changed = loaded.bytes() != after;
        let stored = self.to.destination(self.force).free_for(self.format)?.store(
            path,
            (loaded.bytes(), &after),
            self.inputs.relative(path),
            Some(load::spec_of(original)),
            results,
        )?;
        Ok(Done { is_changed, summary, changes, stored, damage: file.damage() })
    }

    /// Prints a result or what changed in it. An unchanged file has a line only if it is alone.
    fn print(&self, item: &Item, done: &Done, is_alone: bool, output: &mut Output) -> Result<()> {
        let (path, name) = (&item.path, PathName::of(&item.path));
        let Common { quiet, verbose, raw_paths, .. } = output.common;
        if let Some(damage) = done.damage.as_ref().filter(|_| !quiet) {
            load::print_damage(damage, path);
        }
        match self.format {
            _ if !done.is_changed && !is_alone => {}
            Format::Json => done
                .changes
                .iter()
                .try_for_each(|line| output.json_line(&OfFile { file: FileName::from(&name), line }))?,
            Format::Human if self.to.dry_run => print(path, &done.changes, raw_paths, output)?,
            Format::Human if verbose => print(path, &done.changes, raw_paths, &mut Messages)?,
            Format::Human if quiet || !item.named => {}
            Format::Human => note!("{}: {}", shown(path), done.summary),
        }
        done.stored.print(self.format, output)
    }
}

/// Changes files of a set with these paths, and charges the memory for that.
pub(super) trait Edit: Fn(&mut [File], &[&Path], &Budget) -> Result<()> + Sync {}

impl<E: Fn(&mut [File], &[&Path], &Budget) -> Result<()> + Sync> Edit for E {}

struct Edited<'i> {
    item: &'i Item,
    before: Document,
    after: File,
}

/// Which files an edit of a set includes, and what it prints.
pub(super) struct Scope {
    /// Whether a file is edited. Others are skipped, unless there are only others.
    pub includes: fn(&File) -> bool,
    /// Whether files that are found in a directory are edited with those of their set.
    pub follows: bool,
    /// Whether the edit changes files that belong to others.
    pub changes_sidecars: bool,
    /// What is printed of a file before and after the edit instead of the number of changes.
    pub summary: Option<fn(&File, &File) -> String>,
    /// How the elements before and after the edit are matched to print the changes.
    pub align: Align,
    /// What to do if the result would not be valid.
    pub help: Option<&'static str>,
}

impl Scope {
    pub const ALL: Self = Self {
        includes: |_| true,
        follows: false,
        changes_sidecars: false,
        summary: None,
        align: Align::Content,
        help: None,
    };
    /// Of an edit whose effect on a file depends on others.
    pub const SETS: Self = Self { follows: true, ..Self::ALL };
    /// Of an edit that gives names to other elements, but moves none.
    pub const RENAMED: Self = Self { align: Align::Indices, changes_sidecars: true, ..Self::ALL };

    fn advise(&self, failure: Failure) -> Failure {
        match self.help {
            Some(help) => failure.with_help(help),
            None => failure,
        }
    }

    /// Prints which files beside those that were named would change with them.
    fn name_sidecars(&self, items: &[Item], common: Common) {
        let kind =
            |item: &Item| item.spec.or_else(|| FormatSpec::detect(&item.path, &[])).map(|own| own.kind);
        let named = items.iter().filter(|item| self.changes_sidecars && item.named && !common.quiet);
        let beside = sidecars(named.filter_map(|item| Some((&*item.path, kind(item)?))));
        for Sidecar { path, why, .. } in
            beside.iter().filter(|own| items.iter().all(|item| *item.path != *own.path))
        {
            note!("bindpose: {} is not changed: {why}; name it, too", shown(path));
        }
    }
}

struct Done {
    is_changed: bool,
    /// What has changed, in words.
    summary: String,
    /// The changes, if they are listed.
    changes: Vec<Change>,
    stored: Stored,
    damage: Option<Error>,
}

#[derive(Default)]
struct Tally {
    /// Files that have what is edited.
    edited: usize,
    changed: usize,
    unchanged: usize,
    foreign: usize,
    failed: usize,
    exit: Option<Exit>,
    /// The last advice.
    help: Option<String>,
    /// Why one of the unchanged files lacks what is edited.
    lacking: Option<Failure>,
}

impl Tally {
    fn add(&mut self, done: &Done) {
        self.edited += 1;
        *(if done.is_changed { &mut self.changed } else { &mut self.unchanged }) += 1;
    }

    fn lacks(&mut self, files: usize, failure: Failure) {
        self.unchanged += files;
        self.lacking = Some(failure);
    }

    /// Reports a failure; advice that was just given is not repeated.
    fn fail(&mut self, files: usize, mut failure: Failure) {
        self.failed += files;
        if failure.help == self.help {
            failure.help = None;
        } else {
            self.help.clone_from(&failure.help);
        }
        self.exit = self.exit.max(Some(failure.report()));
    }

    fn sentence(&self, is_dry: bool) -> String {
        let outcome = if is_dry { "would change" } else { "changed" };
        let others = [
            (self.unchanged, "unchanged"),
            (self.foreign, "of other formats skipped"),
            (self.failed, "failed"),
        ];
        progress::sentence(self.changed, outcome, &others)
    }
}

fn print(path: &Path, changes: &[Change], raw_paths: bool, output: &mut impl Write) -> io::Result<()> {
    writeln!(output, "{}: {}", shown(path), counted(changes.len(), "change"))?;
    super::set::print_human(changes, raw_paths, output)
}

/// Refuses a result with these new findings.
pub(super) fn refuse(findings: &[Finding]) -> Result<()> {
    let Some(first) = findings.first() else { return Ok(()) };
    let more = match findings.len() - 1 {
        0 => String::new(),
        more => format!(", and {}", counted(more, "more finding")),
    };
    let why = format!("the result would violate {}: {first}{more}; nothing was written", first.rule.code);
    let help = format!("`bindpose check --explain {}` explains the rule", first.rule.code);
    Err(Failure::new(Exit::Findings, why).with_help(help))
}
