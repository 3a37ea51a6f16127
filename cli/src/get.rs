//! `bindpose get`: the values at paths.

use std::ops::ControlFlow::{Break, Continue};

use super::assign::settable;
use super::batch::{Batch, Tally};
use super::files::{self, FileName, Filter};
use super::json::OfFile;
use super::load::{load, warn_of_damage};
use super::paths::NamedPath;
use super::refs::Wanted;
use super::table::Table;
use crate::prelude::*;
use bindpose::schema::{self, FieldValue, NameIndex, PathError, Value};
use bindpose::{Error, ErrorKind, File};

/// Print the values at paths, in the notation that `set` accepts
///
/// The value of a path to a single field is printed alone, all others as PATH=VALUE. The values of several files, of a directory or of a
/// list are printed as a table.
#[derive(Args)]
#[command(override_usage = USAGE, after_long_help = "\
Examples:
  bindpose get hero.ms3d animation.fps
  bindpose get hero.ms3d 'joints[*].name' --raw
  bindpose get hero.ms3d 'joints[\"hip\"]' --format json
  bindpose get hero.ms3d 'vertices[12].bone_id->name'
  bindpose get animation.fps --files assets/*.ms3d
  bindpose get assets -g '*.psa' 'sequences[*].name' 'sequences[*].rate'")]
pub(super) struct Get {
    /// A file, a directory, or `@list.txt`; `-` for standard input. Omitted with --files
    #[arg(required = true, value_name = "FILE")]
    file: PathBuf,
    /// Paths: `joints[3].name`, `vertices[*].flags`, `joints["hip"].position.x`; `->` goes on at the object that a value refers to
    #[arg(required_unless_present = "files", value_name = "PATH")]
    paths: Vec<Wanted>,
    /// Read the values from these files, directories and `@list.txt`
    #[arg(long, value_name = "FILE", num_args = 1.., help_heading = "Input options")]
    files: Vec<PathBuf>,
    #[command(flatten)]
    filter: Filter,
    /// Read the files as FORMAT instead of detecting it
    #[arg(long = "as", value_name = "FORMAT[:DIALECT]", help_heading = "Input options")]
    spec: Option<FormatSpec>,
    #[command(flatten)]
    limits: LimitArgs,
    /// Print values alone, one per line, and text as its bytes, without escapes
    #[arg(long, conflicts_with = "format", help_heading = "Output options")]
    raw: bool,
    /// Print the values as FORMAT
    #[arg(long, value_name = "FORMAT", value_enum, default_value_t = Format::Human, help_heading = "Output options")]
    format: Format,
}

/// With --files, the first argument is a path.
const USAGE: &str = "\
bindpose get [OPTIONS] <FILE> <PATH>...
       bindpose get [OPTIONS] <PATH>... --files <FILE>...";

/// A value with its path.
#[derive(Serialize)]
struct Named {
    #[serde(flatten)]
    path: NamedPath,
    value: String,
}

type Values = Vec<Named>;

impl Verb for Get {
    /// Prints the values of all files. Of several files, those that lack some values are not an error, unless all do.
    fn run(&self, output: &mut Output) -> Result<Exit> {
        let paths = self.paths()?;
        let items = files::list(self.inputs(), self.spec.as_slice(), &self.filter)?;
        let batch = Batch { items: &items, jobs: 1, quiet: true };
        let load = |item: &Item| {
            let memory = self.limits.memory();
            load(&item.path, item.spec, &memory).map(|loaded| (loaded, memory))
        };
        let (mut rows, mut missing) = (Vec::new(), Missing::default());
        let Tally { exit, done, .. } = batch.run(load, |item, (loaded, memory)| {
            if self.is_one() || !output.common.quiet {
                warn_of_damage(loaded.file(), &item.path);
            }
            let budget = memory.budget();
            if let ([Wanted::Path(path)], true) = (&paths[..], self.is_one()) {
                let printed = self.print_each(loaded.file(), path, budget, output);
                return unless_empty(printed, Ok(()), &item.path)?;
            }
            if self.raw {
                let get =
                    |root: &dyn Value, paths: &[FieldPath]| schema::get_each_within(root, paths, budget);
                let values =
                    self.present(values(loaded.file(), &paths, get, (&item.path, budget)), &mut missing)?;
                return values.iter().flatten().try_for_each(|(_, value)| print_raw(value, output));
            }
            let get =
                |root: &dyn Value, paths: &[FieldPath]| schema::get_text_each_within(root, paths, budget);
            let values =
                self.present(values(loaded.file(), &paths, get, (&item.path, budget)), &mut missing)?;
            let count: usize = values.iter().map(Vec::len).sum();
            budget.charge((count * NAMED) as u64).map_err(Error::from).in_file(&item.path)?;
            let cells = by_objects(&loaded, values);
            if self.is_one() {
                return self.print_one(&cells.into_iter().flatten().collect::<Vec<_>>(), output);
            }
            if self.format == Format::Json {
                let name = PathName::of(&item.path);
                for line in cells.iter().flatten() {
                    output.json_line(&OfFile { file: FileName::from(&name), line })?;
                }
            } else {
                rows.push((shown(&item.path), cells));
            }
            Ok(())
        })?;
        if !rows.is_empty() {
            table(rows, &paths, output).print(output.paint, output)?;
        }
        match missing.first.filter(|_| !missing.is_any_present) {
            Some(failure) => Ok(exit.max(failure.report())),
            None if done == 0 && exit == Exit::Success => Err(files::nothing(self.inputs())),
            None => Ok(exit),
        }
    }
}

/// Whether any file has a value at some path, and the first failure of those that lack one.
#[derive(Default)]
struct Missing {
    is_any_present: bool,
    first: Option<Failure>,
}

impl Get {
    fn paths(&self) -> Result<Vec<Wanted>> {
        let mut paths = self.paths.clone();
        if !self.files.is_empty() {
            paths.insert(0, self.file.to_str().unwrap_or_default().parse()?);
        }
        Ok(paths)
    }

    fn inputs(&self) -> &[PathBuf] {
        if self.files.is_empty() { std::slice::from_ref(&self.file) } else { &self.files }
    }

    /// Whether FILE is a single file, not a directory or a list of files.
    fn is_one(&self) -> bool {
        let is_list = self.file.as_os_str().as_encoded_bytes().starts_with(b"@");
        self.files.is_empty() && !is_list && !self.file.is_dir()
    }

    /// Returns the values at each path: none where a file among several lacks them.
    fn present<T>(&self, values: Vec<Result<Vec<T>>>, missing: &mut Missing) -> Result<Vec<Vec<T>>> {
        let or_none = |values: Result<Vec<T>>| match values {
            Ok(values) => {
                missing.is_any_present = true;
                Ok(values)
            }
            Err(failure) if self.is_one() => Err(failure),
            Err(failure) => {
                missing.first.get_or_insert(failure);
                Ok(Vec::new())
            }
        };
        values.into_iter().map(or_none).collect()
    }

    fn print_one(&self, values: &[Named], output: &mut Output) -> Result<()> {
        // A path that follows references leads to a single leaf.
        let is_alone = self.paths.len() == 1 && values.len() == 1;
        values.iter().try_for_each(|value| self.print_value(value, is_alone, output))
    }

    fn print_value(&self, value: &Named, is_alone: bool, output: &mut Output) -> Result<()> {
        match self.format {
            Format::Json => output.json_line(value)?,
            Format::Human if is_alone => writeln!(output, "{}", settable(&value.value))?,
            Format::Human => {
                let path = value.path.shown(output.common);
                writeln!(output, "{path}={}", settable(&value.value))?;
            }
        }
        Ok(())
    }

    /// Prints the values at a path one after the other; returns the failure to print one.
    fn print_each(
        &self,
        file: &File,
        path: &FieldPath,
        budget: &Budget,
        output: &mut Output,
    ) -> Result<Result<()>, Error> {
        let root = file.value();
        let mut printed = Ok(());
        if self.raw {
            schema::each_value(root, path, budget, &mut |_, value| {
                printed = print_raw(&value, output);
                if printed.is_ok() { Continue(()) } else { Break(()) }
            })?;
            return Ok(printed);
        }
        // The last value waits: it is printed alone if it is the only one.
        let (mut last, mut are_several) = (None, false);
        file.with_object_paths(|names| {
            schema::each_text(root, path, budget, &mut |own, value| {
                let value = Named { path: NamedPath::new(own, names.path(own).as_ref()), value };
                if let Some(before) = last.replace(value) {
                    are_several = true;
                    printed = self.print_value(&before, false, output);
                }
                if printed.is_ok() { Continue(()) } else { Break(()) }
            })
        })?;
        if let (Some(last), true) = (last, printed.is_ok()) {
            let is_alone = !are_several && selects_one(root, path, &last)?;
            printed = self.print_value(&last, is_alone, output);
        }
        Ok(printed)
    }
}

/// Whether a path selects a single leaf, so that its value is printed alone.
fn selects_one(root: &dyn Value, path: &FieldPath, found: &Named) -> Result<bool, Error> {
    let places = schema::locate(root, path)?;
    Ok(!path.is_pattern() && places.iter().all(|place| found.path.is(&place.path)))
}

/// The memory of a value that is listed, beside its path and its text.
const NAMED: usize = 256;

/// Adds the paths by the names of objects.
fn by_objects(loaded: &Document, cells: Vec<Vec<(FieldPath, String)>>) -> Vec<Values> {
    loaded.file().with_object_paths(|paths| {
        let mut named = |(path, value): (FieldPath, String)| Named {
            path: NamedPath::new(&path, paths.path(&path).as_ref()),
            value,
        };
        cells.into_iter().map(|values| values.into_iter().map(&mut named).collect()).collect()
    })
}

/// Returns the values at each path, found in one pass unless a path selects nothing.
fn values<T: Clone>(
    file: &File,
    wanted: &[Wanted],
    get: impl Fn(&dyn Value, &[FieldPath]) -> Result<Vec<Vec<T>>, Error>,
    (name, budget): (&Path, &Budget),
) -> Vec<Result<Vec<T>>> {
    let (root, mut index) = (file.value(), NameIndex::default());
    let paths = Wanted::all_paths(wanted, file, budget);
    let all: Vec<_> = paths.iter().flatten().flatten().cloned().collect();
    let mut found = get(root, &all).unwrap_or_default().into_iter();
    let mut one = |path: &FieldPath| {
        if let Some(values) = found.next() {
            return Ok(values);
        }
        let get = |path| get(root, &[path]).map(|values| values.concat());
        // An error names the path as it was written.
        get(index.indexed(root, path)).or_else(|_| get(path.clone()))
    };
    let mut of_wanted = |paths: Result<Vec<FieldPath>, Error>| {
        let values: Result<Vec<_>, Error> = paths?.iter().map(&mut one).collect();
        Ok(values?.concat())
    };
    paths.into_iter().map(|paths| unless_empty(of_wanted(paths), Vec::new(), name)).collect()
}

/// Returns the values at a path; none, with a note, where it selects an object without values.
fn unless_empty<T>(values: Result<T, Error>, nothing: T, file: &Path) -> Result<T> {
    values.or_else(|error| match error.kind() {
        ErrorKind::Path(PathError::NoValues(_)) => {
            note!("bindpose: {}: {error}", shown(file));
            Ok(nothing)
        }
        _ => Err(error).in_file(file),
    })
}

fn print_raw(value: &FieldValue, output: &mut Output) -> Result<()> {
    match value {
        FieldValue::Text(text) => output.write_all(text)?,
        value => write!(output, "{value}")?,
    }
    Ok(writeln!(output)?)
}

/// A column for each path, or a row for each value if some file has several at a path.
fn table(rows: Vec<(String, Vec<Values>)>, paths: &[Wanted], output: &Output) -> Table {
    let is_single = |(_, cells): &(String, Vec<Values>)| cells.iter().all(|values| values.len() <= 1);
    if rows.iter().all(is_single) {
        let titles: Vec<_> = paths.iter().map(ToString::to_string).collect();
        let mut table = Table::new(std::iter::once("FILE").chain(titles.iter().map(String::as_str)));
        for (file, cells) in rows {
            let value =
                |values: Values| values.into_iter().next().map_or_else(|| "-".into(), |own| own.value);
            table.push(std::iter::once(file).chain(cells.into_iter().map(value)).collect::<Vec<_>>(), false);
        }
        return table;
    }
    let mut table = Table::new(["FILE", "PATH", "VALUE"]);
    for (file, cells) in rows {
        for own in cells.into_iter().flatten() {
            table.push([file.clone(), own.path.shown(output.common).to_owned(), own.value], false);
        }
    }
    table
}
