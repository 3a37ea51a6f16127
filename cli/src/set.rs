//! `bindpose set`: change values without touching other bytes.

use std::collections::{HashMap, HashSet};
use std::ops::ControlFlow::{self, Break, Continue};

use super::advice::argument;
use super::assign::{self, Assignment, Source, split};
use super::destination::EditTo;
use super::files::{FileName, settle};
use super::json::OfFile;
use super::load::{self, Input};
use super::output::Messages;
use super::paths::last_index;
use super::write::Results;
use crate::prelude::*;
use bindpose::check::{Finding, Severity};
use bindpose::diff::{self, Align, Difference};
use bindpose::edit;
use bindpose::schema::{self, EditError, Location, Step, Value};
use bindpose::{Error, ErrorKind, File};

/// Change values in a file without touching any other byte
///
/// Order of edits: --create, --append, assignments, --delete. Indices refer to the original file, so that deleting an element does not
/// shift the others.
#[derive(Args)]
#[command(after_long_help = "\
Examples:
  bindpose set hero.ms3d 'joints[3].name=hip' -o hero2.ms3d
  bindpose set hero.ms3d 'vertices[*].flags.hidden=0' --in-place
  bindpose set hero.ms3d 'joints[*].position*=100' 'joints[0].rotation=[0,0,1.57]' @edits.txt -o hero2.ms3d
  bindpose set hero.ms3d --create 'comments.model=exported from hero.max' -o hero2.ms3d
  bindpose set hero.ms3d --append materials 'materials[2].name=skin' --dry-run
  bindpose set hero.x --append 'Frame[\"Root\"]=Frame Tail { }' -o hero2.x")]
pub(super) struct Set {
    #[command(flatten)]
    input: Input,
    /// Set the value at PATH: a number, the bits of a float (0x7f800001), text (\xNN for a byte, \\ for a backslash), or hex:00ff..
    ///
    /// `PATH+=N`, `-=`, `*=` and `/=` calculate with the present numbers, `PATH=[0,0,0,1]` sets the parts of a vector, `rest=`
    /// removes the bytes after the last part, and `@FILE` reads assignments from the lines of a file.
    #[arg(value_name = "PATH=VALUE", required_unless_present_any = ["create", "append", "delete"])]
    assignments: Vec<Source>,
    /// Create a missing part and its parents, filled with zeros or with VALUE
    #[arg(long, value_name = "PATH[=VALUE]", help_heading = "Edits")]
    create: Vec<String>,
    /// Append an element of zeros to the list at PATH; in a .x file, OBJECT to the object at PATH, or to the file without PATH
    #[arg(long, value_name = "PATH[=OBJECT]", value_parser = Appended::parse, help_heading = "Edits")]
    append: Vec<Appended>,
    /// Delete the list element at PATH
    #[arg(long, value_name = "PATH", help_heading = "Edits")]
    delete: Vec<FieldPath>,
    #[command(flatten, next_help_heading = "Output options")]
    to: EditTo,
    /// Overwrite the result if it exists
    #[arg(long, conflicts_with_all = ["in_place", "dry_run"], help_heading = "Output options")]
    force: bool,
    /// Refuse an edit that causes an error or warning of `check`; without this option they are reported only
    #[arg(long, help_heading = "Edits")]
    strict: bool,
    /// Print the changes as FORMAT; human prints them with --dry-run only
    #[arg(long, value_name = "FORMAT", value_enum, default_value_t = Format::Human, help_heading = "Output options")]
    format: Format,
}

/// What is appended to a list or an object.
#[derive(Clone)]
struct Appended {
    path: FieldPath,
    /// The text of an object.
    object: Option<String>,
}

impl Appended {
    fn parse(text: &str) -> Result<Self, Error> {
        let (path, object) =
            split(text).map_or((text, None), |(path, object)| (path, Some(object.to_owned())));
        Ok(Self { path: path.parse()?, object })
    }
}

impl Verb for Set {
    fn run(&self, output: &mut Output) -> Result<Exit> {
        let path = &self.input.file;
        let assignments = assign::all(&self.assignments)?;
        let appended = self.appended()?;
        if !self.to.dry_run {
            settle([&**path]);
        }
        let memory = self.input.limits.memory();
        let loaded = self.input.load_within(&memory)?;
        let file = loaded.file();
        let warn_of_damage = |file: &File| {
            if !output.common.quiet {
                load::warn_of_damage(file, path);
            }
        };
        let mut edited = file.clone();
        let reports = self.to.dry_run || self.format == Format::Json || output.common.verbose;
        let changes = self
            .edit((&appended, &assignments), file, &mut edited, reports, memory.budget())
            // A field can be missing because the file is damaged.
            .inspect_err(|_| warn_of_damage(file))
            .in_file(&self.input.file)?;
        let reread = edited.reread().in_file(&self.input.file)?;
        warn_of_damage(reread.file());
        let after = reread.bytes();
        if self.strict || !output.common.quiet {
            self.report_caused((file, &edited), &changes, output.common)?;
        }
        let spec = load::spec_of(file);
        let mut results = Results::default();
        let to = self.to.destination(self.force).free_for(self.format)?;
        let (bytes, name) = ((loaded.bytes(), after), path.file_name().unwrap_or_default());
        let stored = to.store(path, bytes, Path::new(name), Some(spec), &mut results)?;
        results.publish()?;
        let raw_paths = output.common.raw_paths;
        match self.format {
            Format::Json => {
                let name = PathName::of(path);
                let of_file = |line| OfFile { file: FileName::from(&name), line };
                changes.iter().try_for_each(|change| output.json_line(&of_file(change)))?;
            }
            Format::Human if self.to.dry_run => print_human(&changes, raw_paths, output)?,
            Format::Human if output.common.verbose => print_human(&changes, raw_paths, &mut Messages)?,
            Format::Human => {}
        }
        stored.print(self.format, output)?;
        Ok(Exit::Success)
    }
}

impl Set {
    /// What is appended. An object can follow as an argument of its own.
    fn appended(&self) -> Result<Vec<Appended>> {
        let mut all = self.append.clone();
        let mut without = all.iter_mut().filter(|appended| appended.object.is_none());
        for object in assign::objects(&self.assignments) {
            let refused =
                || Failure::usage(format!("`{object}`: expected PATH=VALUE, or --append PATH before it"));
            without.next().ok_or_else(refused)?.object = Some(object.to_owned());
        }
        Ok(all)
    }

    /// Reports the errors and warnings that the edit causes, the first of each rule, and with `-v` all findings; an error if it must
    /// not cause any.
    fn report_caused(
        &self,
        (before, after): (&File, &File),
        changes: &[Change],
        common: Common,
    ) -> Result<()> {
        let moves = !(self.create.is_empty() && self.append.is_empty() && self.delete.is_empty());
        let mut findings = edit::caused(before, after, moves).in_file(&self.input.file)?;
        let is_serious = |finding: &Finding| finding.rule.severity >= Severity::Warning;
        findings.retain(|finding| common.verbose || is_serious(finding));
        print_caused(&shown(&self.input.file), &findings, common.verbose);
        findings.retain(is_serious);
        if !findings.is_empty()
            && let Some(options) = renames(before, changes)
        {
            let file = argument(&self.input.file.to_string_lossy()).into_owned();
            note!("help: `bindpose rename {file} {options}` changes the references, too");
        }
        if !self.strict || findings.is_empty() {
            return Ok(());
        }
        let why = format!("the edit causes {}; nothing was written", counted(findings.len(), "finding"));
        Err(Failure::new(Exit::Findings, why).in_file(&self.input.file))
    }

    /// Creates, appends, sets, deletes; returns the changes in the order of the file.
    fn edit(
        &self,
        (appended, assignments): (&[Appended], &[Assignment]),
        original: &File,
        file: &mut File,
        reports: bool,
        budget: &Budget,
    ) -> Result<Vec<Change>> {
        let mut changes = Vec::new();
        for part in &self.create {
            let (path, form) = split(part).map_or((&part[..], None), |(path, form)| (path, Some(form)));
            let created = file.create(path, form)?;
            changes.extend(created.into_iter().map(|path| Change::new("create", path)));
            if let (Some(last), Some(form)) = (changes.last_mut(), form) {
                last.after = Some(form.to_owned());
            }
        }
        let (mut objects, mut with_objects) = (Vec::new(), None);
        for Appended { path, object } in appended {
            let Some(object) = object else { continue };
            for place in file.append_objects(&path.to_string(), object)? {
                objects.push(Change::appended(place, object));
            }
            with_objects = Some(file.clone());
        }
        // The tokens after the object have moved.
        let original = with_objects.as_ref().unwrap_or(original);
        for list in appended.iter().filter(|appended| appended.object.is_none()) {
            let appended = schema::append(file.value_mut(), &list.path)?;
            changes.extend(appended.into_iter().map(|path| Change::new("append", path)));
        }
        assign::apply_all(assignments, file, &mut changes, budget)?;
        let grown = (reports && !self.delete.is_empty()).then(|| file.clone());
        let deleted = self.delete_all(original, file, budget)?;
        changes.extend(deleted.into_iter().map(|path| Change::new("delete", path)));
        if reports {
            let mut others =
                implied(original, grown.as_ref().unwrap_or(file), Align::Indices, &changes, budget)?;
            if let Some(grown) = grown {
                others = in_turn(others, implied(&grown, file, Align::Content, &changes, budget)?);
            }
            changes.extend(others);
        }
        place_all(original.value(), &mut changes);
        changes.sort_by_key(|change| change.start);
        name_all(original, &mut changes);
        Ok([objects, changes].concat())
    }

    /// Deletes from the end, so that indices refer to the original file.
    fn delete_all(&self, original: &File, file: &mut File, budget: &Budget) -> Result<Vec<FieldPath>> {
        let (mut paths, mut written) = (Vec::new(), Vec::new());
        let located = schema::locate_many_within(original.value(), &self.delete, budget);
        for (places, path) in located.into_iter().zip(&self.delete) {
            // The element itself can have moved in the file, but has the same path.
            paths.extend(places?.into_iter().map(|place| place.path));
            written.resize(paths.len(), path);
        }
        budget.charge((paths.len() as u64).saturating_mul(assign::EDIT)).map_err(Error::from)?;
        let mut deleted = schema::locate_each(file.value(), &paths)?;
        // Elements without bytes have the same offset; their index orders them.
        deleted.sort_by_key(|edit| (edit.range.start, last_index(&edit.path)));
        deleted.dedup_by(|a, b| a.path == b.path);
        schema::delete_all(file.value_mut(), &deleted).map_err(|error| {
            let written = paths.iter().zip(written).find(|(path, _)| *path == error.path());
            refused_deletion(error, written.map(|(_, path)| path), original)
        })?;
        Ok(deleted.into_iter().map(|edit| edit.path).collect())
    }
}

/// Prints the findings that an edit causes: all, or the first of each rule with the number of the others.
fn print_caused(path: &str, findings: &[Finding], lists_all: bool) {
    let mut counts: HashMap<&str, usize> = HashMap::new();
    for finding in findings {
        *counts.entry(finding.rule.code).or_default() += 1;
    }
    for finding in findings {
        let rule = finding.rule;
        let count = if lists_all { Some(1) } else { counts.remove(rule.code) };
        let more = match count {
            None => continue,
            Some(1) => String::new(),
            Some(count) => format!(", and {} more", count - 1),
        };
        note!("bindpose: {path}: the edit causes {} {}: {finding}{more}", rule.severity, rule.code);
    }
}

/// The options of `rename` for the names of objects that were set; none if there are none.
fn renames(before: &File, changes: &[Change]) -> Option<String> {
    let names = edit::names(before).ok()?;
    let mut defined: HashMap<_, _> =
        names.iter().filter(|own| own.is_definition).map(|own| (&own.path, own)).collect();
    let option = |change: &Change| {
        let (name, new) = (defined.remove(&change.path)?, change.after.as_ref()?);
        let pair = format!("{}={new}", schema::escape(&name.text));
        Some(format!("--{} {}", name.entity, argument(&pair)))
    };
    let options: Vec<_> = changes.iter().filter_map(option).collect();
    (!options.is_empty()).then(|| options.join(" "))
}

/// The failure of a deletion at a path that was written. An element is suggested if it can be deleted.
fn refused_deletion(error: Error, written: Option<&FieldPath>, original: &File) -> Failure {
    let Some(path) = written else { return error.into() };
    let mut first = path.clone();
    first.push(Step::Index(0));
    let can_be_deleted = || {
        let mut file = original.clone();
        schema::delete(file.value_mut(), &first).is_ok() && file.reread().is_ok()
    };
    let has_element = matches!(error.kind(), ErrorKind::Value(EditError::NotAnElement)) && can_be_deleted();
    let failure = Failure::from(assign::as_written(error, path));
    if !has_element {
        return failure;
    }
    failure.with_help(format!("select an element by its index, such as '{first}'"))
}

/// Changes implied by the known ones: counts, lengths, lists that share a length.
fn implied(
    before: &File,
    after: &File,
    align: Align,
    known: &[Change],
    budget: &Budget,
) -> Result<Vec<Change>, Error> {
    let reported = Reported::of(known);
    let (mut implied, mut charged) = (Vec::new(), Ok(()));
    let (old, new) = (before.encode()?, after.encode()?);
    let _ = differences((before, &old), (after, &new), align, &mut |difference| {
        if let Some(change) = Change::of(difference).filter(|change| !reported.holds(change)) {
            charged = budget.charge(CHANGE);
            if charged.is_err() {
                return Break(());
            }
            implied.push(change);
        }
        Continue(())
    });
    charged?;
    Ok(implied)
}

/// Changes followed by later ones, each path once.
fn in_turn(first: Vec<Change>, second: Vec<Change>) -> Vec<Change> {
    let mut changes = first;
    let at: HashMap<_, _> =
        changes.iter().enumerate().map(|(index, change)| (change.path.clone(), index)).collect();
    for change in second {
        match at.get(&change.path) {
            Some(index) => changes[*index].after = change.after,
            None => changes.push(change),
        }
    }
    // A list that grew and shrank may have its original length.
    changes.retain(|change| change.before.is_none() || change.before != change.after);
    changes
}

/// The paths of known changes.
struct Reported<'a> {
    places: HashSet<&'a [Step]>,
    /// The parents of changes: flag words with changed bits, and shortened lists.
    holders: HashSet<&'a [Step]>,
}

impl<'a> Reported<'a> {
    fn of(changes: &'a [Change]) -> Self {
        let places: HashSet<_> = changes.iter().map(|change| change.path.steps()).collect();
        let outer = |change: &'a Change| change.path.steps().split_last().map(|(_, outer)| outer);
        let holders = changes.iter().filter(|change| change.action != "append").filter_map(outer).collect();
        Self { places, holders }
    }

    fn holds(&self, change: &Change) -> bool {
        let steps = change.path.steps();
        let list = steps.split_last().map_or(steps, |(_, list)| list);
        (0..=steps.len()).any(|len| self.places.contains(&steps[..len]))
            || self.holders.contains(steps)
            || (change.action == "delete" && self.holders.contains(list))
    }
}

/// Adds the byte range of each change, of a new field the end of its parent, and whether it follows from others.
fn place_all(original: &dyn Value, changes: &mut [Change]) {
    let paths: Vec<_> = changes.iter().map(|change| change.path.clone()).collect();
    for (change, lookup) in changes.iter_mut().zip(schema::lookups(original, &paths)) {
        (change.start, change.end) = (lookup.range.start, lookup.range.end);
        change.follows = lookup.follows;
    }
}

/// Adds the paths by objects, where the format has them.
fn name_all(original: &File, changes: &mut [Change]) {
    original.with_object_paths(|paths| {
        for change in changes {
            change.object = paths.path(&change.path);
        }
    });
}

/// Adds the names that fields refer to by their offset, which says nothing to people.
fn add_names(before: &File, after: &File, changes: &mut [Change], budget: &Budget) -> Result<(), Error> {
    if !changes.iter().any(Change::is_of_name) {
        return Ok(());
    }
    let scope = budget.scope();
    let names = |file: &File| {
        let names = edit::names(file)?;
        scope.charge(names.len() as u64 * CHANGE)?;
        let texts = names.into_iter().map(|own| (own.path, schema::escape(&own.text)));
        Ok::<_, Error>(texts.collect::<HashMap<_, _>>())
    };
    let (old, new) = (names(before)?, names(after)?);
    for change in changes.iter_mut().filter(|change| change.is_of_name()) {
        change.names = old.get(&change.path).cloned().zip(new.get(&change.path).cloned());
    }
    Ok(())
}

/// The memory of a change that is listed, with its paths.
const CHANGE: u64 = 1024;

type State<'a> = (&'a File, &'a [u8]);

/// All changes between two states of a file, in the order of the original.
pub(super) fn changes(
    before: State<'_>,
    after: State<'_>,
    align: Align,
    budget: &Budget,
) -> Result<Vec<Change>, Error> {
    let (mut changes, mut charged) = (Vec::new(), Ok(()));
    let _ = differences(before, after, align, &mut |difference| {
        charged = budget.charge(CHANGE);
        changes.extend(Change::of(difference).filter(|_| charged.is_ok()));
        if charged.is_ok() { Continue(()) } else { Break(()) }
    });
    charged?;
    place_all(before.0.value(), &mut changes);
    changes.sort_by_key(|change| change.start);
    name_all(before.0, &mut changes);
    if align == Align::Indices {
        add_names(before.0, after.0, &mut changes, budget)?;
    }
    Ok(changes)
}

/// The number of [changes] between two states of a file.
pub(super) fn num_changes(before: State<'_>, after: State<'_>, align: Align) -> usize {
    let mut count = 0;
    let _ = differences(before, after, align, &mut |difference| {
        count += usize::from(Change::of(difference).is_some());
        Continue(())
    });
    count
}

fn differences(
    before: State<'_>,
    after: State<'_>,
    align: Align,
    visit: &mut dyn FnMut(&diff::Difference) -> ControlFlow<()>,
) -> ControlFlow<()> {
    diff::diff_all((before.0.value(), before.1), (after.0.value(), after.1), align, visit)
}

/// A change to a file; ranges refer to the original file.
#[derive(Clone, Serialize)]
pub(super) struct Change {
    action: &'static str,
    start: u64,
    end: u64,
    #[serde(serialize_with = "as_text")]
    path: FieldPath,
    /// The path by the object, if the format has objects.
    #[serde(serialize_with = "as_text_if", skip_serializing_if = "Option::is_none")]
    object: Option<FieldPath>,
    before: Option<String>,
    after: Option<String>,
    /// The names before and after, if the field has the offset of its name.
    #[serde(skip)]
    names: Option<(String, String)>,
    /// Whether the value follows from others: a count, a size or an offset.
    #[serde(skip)]
    follows: bool,
}

fn as_text<S: serde::Serializer>(path: &FieldPath, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_str(path)
}

#[expect(clippy::ref_option, reason = "required by serde")]
fn as_text_if<S: serde::Serializer>(path: &Option<FieldPath>, serializer: S) -> Result<S::Ok, S::Error> {
    match path {
        Some(path) => as_text(path, serializer),
        None => serializer.serialize_none(),
    }
}

impl Change {
    const fn new(action: &'static str, path: FieldPath) -> Self {
        let (object, before, after, names) = (None, None, None, None);
        Self { action, start: 0, end: 0, path, object, before, after, names, follows: false }
    }

    fn appended(place: Location, object: &str) -> Self {
        let Location { path, range, .. } = place;
        Self {
            start: range.start,
            end: range.end,
            after: Some(object.to_owned()),
            ..Self::new("append", path)
        }
    }

    pub fn set(path: FieldPath, before: String, after: String) -> Self {
        Self { before: Some(before), after: Some(after), ..Self::new("set", path) }
    }

    /// Whether this may change the name of an element.
    pub fn is_of_name(&self) -> bool {
        matches!(self.path.steps().last(), Some(Step::Field(field)) if matches!(&**field, "name" | "id"))
    }

    fn of(difference: &Difference) -> Option<Self> {
        let path = difference.path.clone();
        let is_element = last_index(&path).is_some();
        Some(match &difference.change {
            diff::Change::Value { a, b } => Self::set(path, a.clone(), b.clone()),
            diff::Change::Added => Self::new(if is_element { "append" } else { "create" }, path),
            diff::Change::Removed => Self::new("delete", path),
            diff::Change::Moved(..) => return None,
        })
    }
}

/// Prints changes; those of values that follow from others only with raw paths.
pub(super) fn print_human(changes: &[Change], raw_paths: bool, output: &mut impl Write) -> io::Result<()> {
    let (following, own): (Vec<_>, Vec<_>) = changes.iter().partition(|own| own.follows && !raw_paths);
    for Change { action, start, end, path, object, before, after, names, .. } in own {
        let path = object.as_ref().filter(|_| !raw_paths).unwrap_or(path);
        write!(output, "{start:08x}..{end:08x}  {path}")?;
        match (names, before, after) {
            (Some((before, after)), ..) if !raw_paths => writeln!(output, ": {before} -> {after}")?,
            (_, Some(before), Some(after)) => writeln!(output, ": {before} -> {after}")?,
            (_, None, Some(after)) => writeln!(output, ": {action} {after}")?,
            _ => writeln!(output, ": {action}")?,
        }
    }
    if following.is_empty() {
        return Ok(());
    }
    let further = counted(following.len(), "further value");
    writeln!(output, "and {further} (counts, sizes, offsets); --raw-paths lists all")
}
