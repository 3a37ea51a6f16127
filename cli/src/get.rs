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
use bindpose::schema::{self, FieldValue, NameIndex, PathError};
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
    fn run(&self, output: &mut Output) -> Result<Exit> {
        if self.files.is_empty() && !self.is_many() {
            return self.get_one(output);
        }
        let mut paths = self.paths.clone();
        if !self.files.is_empty() {
            let first = self.file.to_str().unwrap_or_default().parse::<Wanted>()?;
            paths.insert(0, first);
        }
        let items = files::list(self.inputs(), self.spec.as_slice(), &self.filter)?;
        self.get_many(&items, &paths, output)
    }
}

impl Get {
    fn inputs(&self) -> &[PathBuf] {
        if self.files.is_empty() { std::slice::from_ref(&self.file) } else { &self.files }
    }

    /// Whether FILE is a directory or a list of files.
    fn is_many(&self) -> bool {
        self.file.is_dir() || self.file.as_os_str().as_encoded_bytes().starts_with(b"@")
    }

    fn get_one(&self, output: &mut Output) -> Result<Exit> {
        let loaded = load(&self.file, self.spec, &self.limits.memory())?;
        warn_of_damage(loaded.file(), &self.file);
        if self.raw {
            print_raw(&loaded, &self.paths, output, &self.file)?;
            return Ok(Exit::Well);
        }
        let values = self.values(loaded.file())?;
        let alone = self.names_one(&loaded, &values).blame(&self.file)?;
        for value in &by_objects(&loaded, values) {
            match self.format {
                Format::Json => output.json_line(value)?,
                Format::Human if alone => writeln!(output, "{}", settable(&value.value))?,
                Format::Human => {
                    let path = value.path.shown(output.common);
                    writeln!(output, "{path}={}", settable(&value.value))?;
                }
            }
        }
        Ok(Exit::Well)
    }

    fn values(&self, file: &File) -> Result<Vec<(FieldPath, String)>> {
        let paths = Wanted::all_paths(&self.paths, file).blame(&self.file)?;
        let root = file.value();
        let all = schema::get_text_each(root, &paths);
        each(&paths, all, |path| schema::get_text(root, path), &self.file)
    }

    /// Whether the path selects a single leaf, so that its value is printed alone.
    fn names_one(&self, loaded: &Document, values: &[(FieldPath, String)]) -> Result<bool, Error> {
        let ([asked], [(found, _)]) = (&self.paths[..], values) else { return Ok(false) };
        let Wanted::Path(asked) = asked else { return Ok(true) };
        let places = schema::locate(loaded.file().value(), asked)?;
        Ok(!asked.is_pattern() && places.iter().all(|place| place.path == *found))
    }

    /// Prints the values of all files. Files that lack some of them are not an error, unless all do.
    fn get_many(&self, items: &[Item], paths: &[Wanted], output: &mut Output) -> Result<Exit> {
        let mut rows = Vec::new();
        let (mut is_found, mut missing) = (false, None);
        let batch = Batch { items, jobs: 1, quiet: true };
        let load = |item: &Item| load(&item.path, item.spec, &self.limits.memory());
        let Tally { mut exit, done, .. } = batch.run(load, |item, loaded| {
            if !output.common.quiet {
                warn_of_damage(loaded.file(), &item.path);
            }
            let (mut cells, mut index) = (Vec::new(), NameIndex::default());
            for path in paths {
                let values = match found(path.values(loaded.file(), &mut index), &item.path) {
                    Ok(values) => values,
                    Err(failure) => {
                        missing.get_or_insert(failure);
                        cells.push(Vec::new());
                        continue;
                    }
                };
                is_found = true;
                if self.raw {
                    print_raw(&loaded, std::slice::from_ref(path), output, &item.path)?;
                }
                cells.push(by_objects(&loaded, values));
            }
            if self.format == Format::Json {
                let name = PathName::of(&item.path);
                for line in cells.iter().flatten() {
                    output.json_line(&OfFile { file: FileName::from(&name), line })?;
                }
            } else if !self.raw {
                rows.push((shown(&item.path), cells));
            }
            Ok(())
        })?;
        match missing {
            Some(failure) if !is_found => exit = exit.max(failure.report()),
            _ if done == 0 && exit == Exit::Well => {
                return Err(files::nothing(self.inputs()));
            }
            _ => {}
        }
        if !rows.is_empty() {
            table(rows, paths, output).print(output.paint, output)?;
        }
        Ok(exit)
    }
}

/// Adds the paths by the names of objects.
fn by_objects(loaded: &Document, values: Vec<(FieldPath, String)>) -> Values {
    loaded.file().with_object_paths(|paths| {
        let named = |(path, value): (FieldPath, String)| Named {
            path: NamedPath::new(&path, paths.path(&path).as_ref()),
            value,
        };
        values.into_iter().map(named).collect()
    })
}

/// Returns the values at paths: those `all` that one pass has found, or else, path by path, those that there are.
fn each<T: Clone>(
    paths: &[FieldPath],
    all: Result<Vec<Vec<T>>, Error>,
    one: impl Fn(&FieldPath) -> Result<Vec<T>, Error>,
    file: &Path,
) -> Result<Vec<T>> {
    if let Ok(values) = all {
        return Ok(values.concat());
    }
    let values: Result<Vec<_>> = paths.iter().map(|path| found(one(path), file)).collect();
    Ok(values?.concat())
}

/// Returns the values at a path; none, with a note, where it selects an object without values.
fn found<T>(values: Result<Vec<T>, Error>, file: &Path) -> Result<Vec<T>> {
    values.or_else(|error| match error.kind() {
        ErrorKind::Path(PathError::NoValues(_)) => {
            note!("bindpose: {}: {error}", shown(file));
            Ok(Vec::new())
        }
        _ => Err(error).blame(file),
    })
}

fn print_raw(loaded: &Document, paths: &[Wanted], output: &mut Output, file: &Path) -> Result<()> {
    let paths = Wanted::all_paths(paths, loaded.file()).blame(file)?;
    let root = loaded.file().value();
    let all = schema::get_each(root, &paths);
    for (_, value) in each(&paths, all, |path| schema::get_all(root, path), file)? {
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
