//! `bindpose refs`: what values refer to, and what refers to them.

use std::cell::LazyCell;
use std::collections::{BTreeMap, HashMap, HashSet};
use std::fmt;
use std::ops::ControlFlow::{Break, Continue};
use std::str::FromStr;

use super::load::{Input, warn_of_damage};
use super::table::Table;
use crate::prelude::*;
use bindpose::edit::References;
use bindpose::schema::{self, Location, Reference, Step, Target, Value};
use bindpose::{Error, File};

/// Print what values refer to, and what refers to them
///
/// References are the indices and names of bones, materials, vertices and other objects, as the definitions of the formats state them.
/// Without a path, the references of the file are counted by field.
#[derive(Args)]
#[command(after_long_help = "\
Examples:
  bindpose refs hero.ms3d
  bindpose refs hero.ms3d 'joints[\"hip\"]'
  bindpose refs hero.psk 'weights[0]' --format json
  bindpose refs hero.psk 'weights[*].bone_index' --count
  bindpose get hero.ms3d 'vertices[12].bone_id->name'")]
pub(super) struct Refs {
    #[command(flatten)]
    input: Input,
    /// Values or objects: `vertices[3].bone_id`, `joints["hip"]`
    #[arg(value_name = "PATH")]
    paths: Vec<Wanted>,
    /// Print every reference instead of the first of each field
    #[arg(long, requires = "paths", help_heading = "Output options")]
    all: bool,
    /// Count the values at the paths by what they refer to
    #[arg(long, requires = "paths", conflicts_with = "all", help_heading = "Output options")]
    count: bool,
    /// Print the references as FORMAT
    #[arg(long, value_name = "FORMAT", value_enum, default_value_t = Format::Human, help_heading = "Output options")]
    format: Format,
}

/// A path that can follow references: `vertices[12].bone_id->name`.
#[derive(Clone)]
pub(super) enum Wanted {
    Path(FieldPath),
    Followed(String),
}

impl FromStr for Wanted {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self, Error> {
        // Names in quotes can contain an arrow.
        match text.parse() {
            Err(_) if text.contains("->") => Ok(Self::Followed(text.to_owned())),
            parsed => parsed.map(Self::Path),
        }
    }
}

impl fmt::Display for Wanted {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Path(path) => path.fmt(out),
            Self::Followed(text) => out.write_str(text),
        }
    }
}

impl Wanted {
    /// Returns the paths to look up for each.
    pub fn all_paths(all: &[Self], file: &File, budget: &Budget) -> Vec<Result<Vec<FieldPath>, Error>> {
        let references = LazyCell::new(|| References::within(file, budget));
        let paths = |wanted: &Self| match wanted {
            Self::Path(path) => Ok(vec![path.clone()]),
            Self::Followed(text) => references.as_ref().map_err(Error::clone)?.follow(text),
        };
        all.iter().map(paths).collect()
    }
}

#[derive(Serialize)]
struct Line {
    path: String,
    kind: &'static str,
    status: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    target: Option<String>,
    /// The paths by the names of objects, if they differ.
    #[serde(skip_serializing_if = "Option::is_none")]
    object: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    target_object: Option<String>,
}

impl Line {
    fn of(reference: &Reference, names: &mut Translate<'_>) -> Self {
        let Reference { path, entity, target } = reference;
        let mut object_of = |path: &FieldPath| names(path).map(|path| path.to_string());
        Self {
            object: object_of(path),
            target_object: target.object().and_then(&mut object_of),
            path: path.to_string(),
            kind: entity,
            status: target.status(),
            target: target.object().map(ToString::to_string),
        }
    }
}

/// Returns the path by the names of objects, if it differs.
type Translate<'a> = dyn FnMut(&FieldPath) -> Option<FieldPath> + 'a;

/// The references of a file, and the names of its objects.
pub(super) struct Names<'r, 'n> {
    pub references: &'r References<'r>,
    pub translate: &'r mut Translate<'n>,
    /// Whether paths without names are requested.
    pub raw: bool,
    /// What is listed draws from it.
    pub budget: &'r Budget,
}

impl Names<'_, '_> {
    fn path(&mut self, path: &FieldPath) -> String {
        let named = (self.translate)(path).filter(|_| !self.raw);
        printable(&named.as_ref().unwrap_or(path).to_string()).into_owned()
    }

    /// Returns the path of a field of all elements.
    fn field(&mut self, path: &FieldPath) -> String {
        let named = (self.translate)(path).filter(|_| !self.raw);
        let is_element = |step: &Step| matches!(step, Step::Index(_) | Step::Named(..));
        let steps = named.as_ref().unwrap_or(path).steps().iter();
        let steps = steps.map(|step| if is_element(step) { Step::Every } else { step.clone() });
        FieldPath::from(steps.collect::<Vec<_>>()).to_string()
    }

    /// Returns a path with the name of its object, unless the path has that.
    fn called(&mut self, path: &FieldPath) -> String {
        let text = self.path(path);
        match self.references.name(path).map(schema::escape) {
            Some(name) if !text.contains(&format!("[\"{name}\"")) => {
                format!("{text} \"{}\"", printable(&name))
            }
            _ => text,
        }
    }
}

impl Verb for Refs {
    fn run(&self, output: &mut Output) -> Result<Exit> {
        let memory = self.input.limits.memory();
        let loaded = self.input.load_within(&memory)?;
        let (file, budget) = (loaded.file(), memory.budget());
        warn_of_damage(file, &self.input.file);
        let references = References::within(file, budget).in_file(&self.input.file)?;
        let printed = file.with_object_paths(|names| {
            let translate: &mut Translate<'_> = &mut |path| names.path(path);
            let names = Names { references: &references, translate, raw: output.common.raw_paths, budget };
            print(names, file.value(), &self.paths, (self.all, self.count), self.format, output)
        });
        printed.in_file(&self.input.file)?;
        if !output.common.quiet && is_empty(&references) && has_references_in_other_form(file) {
            note!("bindpose: {}: references of this form are not known", shown(&self.input.file));
            note!("help: those of its other form are: convert it with `bindpose convert`");
        }
        Ok(Exit::Success)
    }
}

fn is_empty(references: &References<'_>) -> bool {
    references.each(&mut |_| Break(())).is_continue()
}

/// Whether the binary form of a file in XML has references.
fn has_references_in_other_form(file: &File) -> bool {
    let has = |other: &File| References::of(other).is_ok_and(|own| !is_empty(&own));
    let form = file.kind().compared_form().filter(|form| file.form() != Some(form));
    form.is_some_and(|form| file.in_form(form).is_ok_and(|(other, _)| has(&other)))
}

/// Prints the references in a file, or those around the paths.
pub(super) fn print(
    mut names: Names<'_, '_>,
    value: &dyn Value,
    paths: &[Wanted],
    (all, counts): (bool, bool),
    format: Format,
    output: &mut Output,
) -> Result<()> {
    let (references, budget) = (names.references, names.budget);
    let places = places(references, value, paths, budget)?;
    let wanted = Places::new(&places, names.translate);
    match format {
        _ if counts => count(names, &wanted, format, output)?,
        Format::Json => {
            each(references, &mut |reference| -> Result<()> {
                if paths.is_empty() || !wanted.of(reference).is_empty() {
                    output.json_line(&Line::of(reference, names.translate))?;
                }
                Ok(())
            })?;
        }
        Format::Human if paths.is_empty() => summary(&mut names).print(output.paint, output)?,
        Format::Human => {
            let mut around: Vec<_> = places.iter().map(|_| Around::default()).collect();
            each(references, &mut |reference| -> Result<(), Error> {
                for (at, direction) in wanted.of(reference) {
                    around[at].add(reference, direction, &mut names, all)?;
                }
                Ok(())
            })?;
            // Of the values of an object in text, those with references.
            let some = around.iter().any(|around| !around.is_empty()) && places.len() > paths.len();
            for (path, around) in places.iter().zip(&around).filter(|(_, own)| !some || !own.is_empty()) {
                writeln!(output, "{}", output.paint.strong(&names.called(path)))?;
                around.print(output)?;
            }
        }
    }
    Ok(())
}

/// The memory of a place that is looked for, and the number of copies of its path.
const PLACE: u64 = 512;
const COPIES: u64 = 5;

fn places(
    references: &References<'_>,
    value: &dyn Value,
    paths: &[Wanted],
    budget: &Budget,
) -> Result<Vec<FieldPath>, Error> {
    let own =
        paths.iter().filter_map(|wanted| if let Wanted::Path(path) = wanted { Some(path) } else { None });
    // What refers to an object in text refers to its name.
    let name: FieldPath = vec![Step::Field("name".into())].into();
    let own: Vec<_> = own.flat_map(|path| [path.clone(), path.join(&name)]).collect();
    let mut located = schema::locate_many_within(value, &own, budget).into_iter();
    let (mut places, mut known) = (Vec::new(), HashSet::new());
    for wanted in paths {
        let (found, named) = match wanted {
            Wanted::Followed(text) => (references.follow(text)?, Vec::new()),
            Wanted::Path(_) => {
                let [found, named] = [(); 2].map(|()| located.next().unwrap_or_else(|| Ok(Vec::new())));
                (paths_of(found?), paths_of(named.unwrap_or_default()))
            }
        };
        let memory = found.iter().chain(&named).map(|path| PLACE + COPIES * path.memory());
        budget.charge(memory.sum())?;
        known.extend(found.iter().cloned());
        places.extend(found);
        let is_beside =
            |own: &FieldPath| !(0..=own.steps().len()).any(|len| known.contains(&own.prefix(len)));
        let named: Vec<_> = named.into_iter().filter(is_beside).collect();
        known.extend(named.iter().cloned());
        places.extend(named);
    }
    Ok(places)
}

fn paths_of(places: Vec<Location>) -> Vec<FieldPath> {
    places.into_iter().map(|place| place.path).collect()
}

/// Visits the references of a file, until one cannot be printed.
fn each<E>(references: &References<'_>, visit: &mut dyn FnMut(&Reference) -> Result<(), E>) -> Result<(), E> {
    let mut printed = Ok(());
    let _ = references.each(&mut |reference| {
        printed = visit(&reference);
        if printed.is_ok() { Continue(()) } else { Break(()) }
    });
    printed
}

/// What values refer to, and how many do.
#[derive(Serialize)]
struct Counted {
    #[serde(skip_serializing_if = "Option::is_none")]
    target: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    target_object: Option<String>,
    name: String,
    status: &'static str,
    count: u64,
}

/// Counts the references at places by what they refer to, the most frequent first.
fn count(names: Names<'_, '_>, wanted: &Places, format: Format, output: &mut Output) -> Result<()> {
    let Names { references, translate, raw, budget } = names;
    let mut counts: HashMap<String, Counted> = HashMap::new();
    each(references, &mut |reference| -> Result<(), Error> {
        if wanted.of(reference).iter().any(|(_, direction)| matches!(direction, Direction::To)) {
            let Reference { entity, target, .. } = reference;
            let name = match target {
                Target::Object(object) => references.name(object).map(schema::escape).unwrap_or_default(),
                Target::Missing(value) => value.to_string(),
                Target::Nothing | Target::Elsewhere => (*entity).to_owned(),
            };
            let object = target.object().map(ToString::to_string);
            let key = object.clone().unwrap_or_else(|| format!("{} {name}", target.status()));
            if !counts.contains_key(&key) {
                budget.charge(PLACE + name.len() as u64)?;
            }
            let target_object = target.object().and_then(&mut *translate).map(|path| path.to_string());
            let new = Counted { target: object, target_object, name, status: target.status(), count: 0 };
            counts.entry(key).or_insert(new).count += 1;
        }
        Ok(())
    })?;
    let mut counts: Vec<_> = counts.into_values().collect();
    counts.sort_by(|one, two| two.count.cmp(&one.count).then_with(|| one.target.cmp(&two.target)));
    if format == Format::Json {
        return Ok(counts.iter().try_for_each(|own| output.json_line(own))?);
    }
    let mut table = Table::new([">COUNT", "OBJECT", "NAME"]);
    for Counted { target, target_object, name, status, count } in counts {
        let is_bad = status == "missing";
        let target = target_object.filter(|_| !raw).or(target);
        let target = target.unwrap_or_else(|| format!("({status})"));
        table.push(
            [count.to_string(), printable(&target).into_owned(), printable(&name).into_owned()],
            is_bad,
        );
    }
    Ok(table.print(output.paint, output)?)
}

/// Counts the references of each field.
fn summary(names: &mut Names<'_, '_>) -> Table {
    #[derive(Default)]
    struct Counts {
        kind: &'static str,
        all: u64,
        none: u64,
        missing: u64,
        elsewhere: u64,
    }
    let mut fields: BTreeMap<String, Counts> = BTreeMap::new();
    let references = names.references;
    let _ = references.each(&mut |reference| {
        let counts = fields.entry(names.field(&reference.path)).or_default();
        counts.kind = reference.entity;
        counts.all += 1;
        counts.none += u64::from(reference.target == Target::Nothing);
        counts.missing += u64::from(matches!(reference.target, Target::Missing(_)));
        counts.elsewhere += u64::from(reference.target == Target::Elsewhere);
        Continue(())
    });
    let mut table = Table::new(["FIELD", "KIND", ">REFERENCES", ">NONE", ">OTHER FILE", ">BROKEN"]);
    for (field, counts) in fields {
        let Counts { kind, all, none, missing, elsewhere } = counts;
        let numbers = [all, none, elsewhere, missing].map(|count| count.to_string());
        let row: Vec<_> = [field, kind.to_owned()].into_iter().chain(numbers).collect();
        table.push(row, missing > 0);
    }
    table
}

/// The places that were asked for.
struct Places {
    at: HashMap<FieldPath, usize>,
    /// The places inside each value.
    inside: HashMap<FieldPath, Vec<usize>>,
}

#[derive(Clone, Copy)]
enum Direction {
    To,
    From,
}

impl Places {
    fn new(places: &[FieldPath], translate: &mut Translate<'_>) -> Self {
        let (mut by_path, mut inside) = (HashMap::new(), HashMap::<FieldPath, Vec<usize>>::new());
        for (at, path) in places.iter().enumerate() {
            // An element of a list in text has a path by the names of objects alone.
            for path in [translate(path), Some(path.clone())].into_iter().flatten() {
                for len in 1..path.steps().len() {
                    inside.entry(path.prefix(len)).or_default().push(at);
                }
                by_path.insert(path, at);
            }
        }
        Self { at: by_path, inside }
    }

    /// Returns the places that a reference is at, and those that it refers to.
    fn of(&self, reference: &Reference) -> Vec<(usize, Direction)> {
        let around = |path: &FieldPath| {
            let path = path.clone();
            (0..=path.steps().len()).filter_map(move |len| self.at.get(&path.prefix(len)).copied())
        };
        let mut found: Vec<_> = around(&reference.path).map(|at| (at, Direction::To)).collect();
        if let Target::Object(object) = &reference.target {
            let inside = self.inside.get(object).into_iter().flatten().copied();
            found.extend(around(object).chain(inside).map(|at| (at, Direction::From)));
        }
        found
    }
}

#[derive(Default)]
struct Around {
    to: Groups,
    from: Groups,
}

/// References by field: how many, and the first ones.
#[derive(Default)]
struct Groups(BTreeMap<String, (u64, Vec<String>)>);

/// References of a field that are printed.
const FIRST: usize = 3;

impl Around {
    fn add(
        &mut self,
        reference: &Reference,
        direction: Direction,
        names: &mut Names<'_, '_>,
        all: bool,
    ) -> Result<(), Error> {
        let groups = match direction {
            Direction::To => &mut self.to,
            Direction::From => &mut self.from,
        };
        let (count, first) = groups.0.entry(names.field(&reference.path)).or_default();
        *count += 1;
        if all || first.len() < FIRST {
            let line = match direction {
                Direction::To => described(reference, names),
                Direction::From => names.path(&reference.path),
            };
            names.budget.charge((2 * size_of::<String>() + line.len()) as u64)?;
            first.push(line);
        }
        Ok(())
    }

    fn is_empty(&self) -> bool {
        self.to.0.is_empty() && self.from.0.is_empty()
    }

    fn print(&self, output: &mut Output) -> Result<()> {
        if self.is_empty() {
            writeln!(output, "  no references")?;
        }
        self.to.print("refers to", "object", output)?;
        self.from.print("is referred to by", "value", output)
    }
}

fn described(reference: &Reference, names: &mut Names<'_, '_>) -> String {
    let Reference { path, entity, target } = reference;
    let target = in_words(entity, target, |object| names.called(object));
    format!("{} -> {target}", names.path(path))
}

/// Describes what an index or a name refers to.
pub(super) fn in_words(entity: &str, target: &Target, object: impl FnOnce(&FieldPath) -> String) -> String {
    match target {
        Target::Object(path) => object(path),
        Target::Nothing => format!("no {entity}"),
        Target::Missing(value) => format!("{entity} {}, which does not exist", printable(&value.to_string())),
        Target::Elsewhere => format!("a {entity} of another file"),
    }
}

impl Groups {
    fn print(&self, title: &str, what: &str, output: &mut Output) -> Result<()> {
        if self.0.is_empty() {
            return Ok(());
        }
        let count: u64 = self.0.values().map(|(count, _)| count).sum();
        writeln!(output, "  {title} {}:", counted(count, what))?;
        for (field, (count, first)) in &self.0 {
            let rest = count - first.len() as u64;
            first.iter().try_for_each(|line| writeln!(output, "    {line}"))?;
            if rest > 0 {
                writeln!(output, "    and {} at {field}", counted(rest, "more value"))?;
            }
        }
        Ok(())
    }
}
