//! `bindpose get`: the values at paths.

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
        let load = |item: &Item| load(&item.path, item.spec, &self.limits.memory());
        let (mut rows, mut missing) = (Vec::new(), Missing::default());
        let Tally { exit, done, .. } = batch.run(load, |item, loaded| {
            if self.is_one() || !output.common.quiet {
                warn_of_damage(loaded.file(), &item.path);
            }
            if self.raw {
                let values = values(loaded.file(), &paths, schema::get_each, &item.path);
                return print_raw(self.present(values, &mut missing)?, output);
            }
            let values = values(loaded.file(), &paths, schema::get_text_each, &item.path);
            let cells = by_objects(&loaded, self.present(values, &mut missing)?);
            if self.is_one() {
                return self.print_one(&loaded, &cells.into_iter().flatten().collect::<Vec<_>>(), output);
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
            None if done == 0 && exit == Exit::Well => Err(files::nothing(self.inputs())),
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

    fn print_one(&self, loaded: &Document, values: &[Named], output: &mut Output) -> Result<()> {
        let is_alone = self.selects_one(loaded, values).blame(&self.file)?;
        for value in values {
            match self.format {
                Format::Json => output.json_line(value)?,
                Format::Human if is_alone => writeln!(output, "{}", settable(&value.value))?,
                Format::Human => {
                    let path = value.path.shown(output.common);
                    writeln!(output, "{path}={}", settable(&value.value))?;
                }
            }
        }
        Ok(())
    }

    /// Whether the path selects a single leaf, so that its value is printed alone.
    fn selects_one(&self, loaded: &Document, values: &[Named]) -> Result<bool, Error> {
        let ([asked], [found]) = (&self.paths[..], values) else { return Ok(false) };
        let Wanted::Path(asked) = asked else { return Ok(true) };
        let places = schema::locate(loaded.file().value(), asked)?;
        Ok(!asked.is_pattern() && places.iter().all(|place| found.path.is(&place.path)))
    }
}

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
    name: &Path,
) -> Vec<Result<Vec<T>>> {
    let (root, mut index) = (file.value(), NameIndex::default());
    let paths = Wanted::all_paths(wanted, file);
    let all: Vec<_> = paths.iter().flatten().flatten().cloned().collect();
    let mut found = get(root, &all).map_or_else(|_| Vec::new(), |found| found).into_iter();
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
    paths.into_iter().map(|paths| unless_empty(of_wanted(paths), name)).collect()
}

/// Returns the values at a path; none, with a note, where it selects an object without values.
fn unless_empty<T>(values: Result<Vec<T>, Error>, file: &Path) -> Result<Vec<T>> {
    values.or_else(|error| match error.kind() {
        ErrorKind::Path(PathError::NoValues(_)) => {
            note!("bindpose: {}: {error}", shown(file));
            Ok(Vec::new())
        }
        _ => Err(error).blame(file),
    })
}

fn print_raw(values: Vec<Vec<(FieldPath, FieldValue)>>, output: &mut Output) -> Result<()> {
    for (_, value) in values.into_iter().flatten() {
        match value {
            FieldValue::Text(text) => output.write_all(&text)?,
            value => write!(output, "{value}")?,
        }
        writeln!(output)?;
    }
    Ok(())
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
