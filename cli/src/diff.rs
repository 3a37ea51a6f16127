//! `bindpose diff`: the fields that differ between two files.

use std::ops::ControlFlow::{self, Break, Continue};

pub(super) mod summary;

use super::load::{self, document, named, spec_of, warn_of_damage};
use super::paths::NamedPath;
use super::scene::finite;
use crate::prelude::*;
use bindpose::diff::{Change, Difference, diff};
use bindpose::schema::{Step, unpadded};
use summary::{Human, Totals};

/// Print the fields that differ between two files
///
/// Bones, materials and other named elements are matched by name, so that an added, removed or renamed one is one difference.
/// Equal fields are not printed, and many changes in a list are summarised. Exits with 1 if the files differ.
#[derive(Args)]
#[command(after_long_help = "\
Examples:
  bindpose diff old.ms3d new.ms3d
  bindpose diff old.psk new.psk --full
  bindpose diff old.psa new.psa --tolerance 1e-4 --ignore 'sequences[*].group' --summary
  bindpose diff old.x new.x --format json | jq .path")]
pub(super) struct Diff {
    /// The first file
    #[arg(value_name = "A")]
    a: PathBuf,
    /// The second file
    #[arg(value_name = "B")]
    b: PathBuf,
    /// Read the files as FORMAT instead of detecting it; give it once for both, or once for each
    #[arg(long = "as", value_name = "FORMAT[:DIALECT]", help_heading = "Input options")]
    specs: Vec<FormatSpec>,
    #[command(flatten)]
    limits: LimitArgs,
    /// Print every changed number and element instead of summaries
    #[arg(long, help_heading = "Output options")]
    full: bool,
    /// Print only the number of differences in each list and field
    #[arg(long, conflicts_with = "full", help_heading = "Output options")]
    summary: bool,
    /// Ignore floating point numbers that differ by at most DISTANCE
    #[arg(long, value_name = "DISTANCE", value_parser = distance, help_heading = "Comparison options")]
    tolerance: Option<f64>,
    /// Ignore differences at PATH and below it, such as `comments` or `vertices[*].flags`; may be repeated
    #[arg(long, value_name = "PATH", help_heading = "Comparison options")]
    ignore: Vec<FieldPath>,
    /// Print the differences as FORMAT; without --summary, json prints every one
    #[arg(long, value_name = "FORMAT", value_enum, default_value_t = Format::Human, help_heading = "Output options")]
    format: Format,
}

#[derive(Serialize)]
struct Line<'a> {
    #[serde(flatten)]
    path: NamedPath,
    /// None if the first file does not have it.
    a: Option<&'a str>,
    /// None if the second file does not have it.
    b: Option<&'a str>,
    a_start: u64,
    a_end: u64,
    b_start: u64,
    b_end: u64,
}

impl Verb for Diff {
    fn run(&self, output: &mut Output) -> Result<Exit> {
        let (first, second) = match self.specs[..] {
            [] => (None, None),
            [both] => (Some(both), Some(both)),
            [first, second] => (Some(first), Some(second)),
            _ => return Err(Failure::usage("expected --as once, or once for each file")),
        };
        let memory = self.limits.memory();
        let (bytes, first) = named(&self.a, first, &memory)?;
        let a = decode(bytes, first, &memory, &self.a)?;
        let (bytes, second) = named(&self.b, second, &memory)?;
        if first == second && a.bytes() == bytes {
            warn_of_damage(a.file(), &self.b);
            return Ok(Exit::Success);
        }
        let b = decode(bytes, second, &memory, &self.b)?;
        let (kind, other) = (a.file().kind().name(), b.file().kind().name());
        if kind != other {
            let why = format!(
                "is {other}, but {} is {kind}: files of different formats cannot be compared",
                shown(&self.a)
            );
            return Err(Failure::usage(why).in_file(&self.b));
        }
        if a.bytes() == b.bytes() {
            return Ok(Exit::Success);
        }
        let form = a.file().kind().compared_form().filter(|_| a.file().form() != b.file().form());
        let a = in_form(a, form, &memory, &self.a)?;
        let b = in_form(b, form, &memory, &self.b)?;
        let found = self.print(&a, &b, output.common.quiet, output)?;
        Ok(if found { Exit::Findings } else { Exit::Success })
    }
}

fn decode(bytes: Vec<u8>, spec: FormatSpec, memory: &Memory, path: &Path) -> Result<Document> {
    let document = document(bytes, spec, memory, path)?;
    warn_of_damage(document.file(), path);
    Ok(document)
}

/// Returns a file in the form in which it is compared with one of another form.
fn in_form(document: Document, form: Option<&str>, memory: &Memory, path: &Path) -> Result<Document> {
    let Some(form) = form.filter(|form| document.file().form() != Some(form)) else { return Ok(document) };
    let (file, _) = document.file().in_form(form).in_file(path)?;
    let bytes = file.encode().in_file(path)?;
    note!("bindpose: {}: compared by its content; its offsets are those of the {form} form", shown(path));
    load::document(bytes, spec_of(&file), memory, path)
}

impl Diff {
    /// Prints the differences; returns whether there are any that are not ignored.
    fn print(&self, a: &Document, b: &Document, quiet: bool, output: &mut Output) -> io::Result<bool> {
        a.file().with_object_paths(|in_a| {
            b.file().with_object_paths(|in_b| {
                let mut name = |difference: &Difference| match difference.change {
                    Change::Added => in_b.path(&difference.path),
                    _ => in_a.path(&difference.path),
                };
                self.print_named(a, b, &mut name, quiet, output)
            })
        })
    }

    fn print_named(
        &self,
        a: &Document,
        b: &Document,
        object_path: &mut dyn FnMut(&Difference) -> Option<FieldPath>,
        quiet: bool,
        output: &mut Output,
    ) -> io::Result<bool> {
        let (a, b) = ((a.file().value(), a.bytes()), (b.file().value(), b.bytes()));
        let mut human = Human::new(self.full);
        let mut totals = Totals::default();
        let (mut result, mut found) = (Ok(()), false);
        let _ = diff(a, b, &mut |difference| {
            let object = object_path(difference);
            let mut named = difference.clone();
            named.place = object.clone().unwrap_or_else(|| named.path.clone());
            let difference = &named;
            if self.ignores(difference) {
                return Continue(());
            }
            found = true;
            if quiet {
                return Break(());
            }
            result = match self.format {
                _ if self.summary => {
                    totals.add(difference);
                    Ok(())
                }
                Format::Json => json(difference, object.as_ref(), output),
                Format::Human => human.add(difference, output),
            };
            if result.is_ok() { Continue(()) } else { Break(()) }
        }) as ControlFlow<()>;
        result.and_then(|()| human.finish(output)).and_then(|()| totals.print(self.format, output))?;
        Ok(found)
    }

    fn ignores(&self, difference: &Difference) -> bool {
        let near = || Some(difference.change.distance()? <= self.tolerance?);
        let Difference { path, place, .. } = difference;
        let hidden = |pattern: &FieldPath| contains(pattern, path) || contains(pattern, place);
        self.ignore.iter().any(hidden) || near().unwrap_or(false)
    }
}

fn distance(text: &str) -> Result<f64, String> {
    let distance: f64 = finite(text)?;
    if distance >= 0.0 { Ok(distance) } else { Err("expected a number that is not negative".into()) }
}

/// Whether a path is what a pattern selects, or a part of it.
fn contains(pattern: &FieldPath, path: &FieldPath) -> bool {
    let (pattern, path) = (pattern.steps(), path.steps());
    let selects = |(pattern, step): (&Step, &Step)| match (pattern, step) {
        (Step::Every, Step::Index(_) | Step::Named(..)) => true,
        (Step::Range(start, end), Step::Index(index)) => index >= start && end.is_none_or(|end| *index < end),
        (Step::Matching(pattern), Step::Named(name, _)) => pattern.matches(name),
        (Step::Named(pattern, nth), Step::Named(name, own)) => {
            nth == own && unpadded(pattern.as_bytes()) == unpadded(name.as_bytes())
        }
        (pattern, step) => pattern == step,
    };
    pattern.len() <= path.len() && pattern.iter().zip(path).all(selects)
}

fn json(difference: &Difference, object: Option<&FieldPath>, output: &mut Output) -> io::Result<()> {
    let Difference { path, change, a: in_a, b: in_b, .. } = difference;
    let moved;
    let (a, b) = match change {
        Change::Value { a, b } => (Some(&a[..]), Some(&b[..])),
        Change::Removed => (Some(""), None),
        Change::Added => (None, Some("")),
        Change::Moved(from, to) => {
            moved = (format!("[{from}]"), format!("[{to}]"));
            (Some(&moved.0[..]), Some(&moved.1[..]))
        }
    };
    let (path, a_start, a_end) = (NamedPath::new(path, object), in_a.start, in_a.end);
    output.json_line(&Line { path, a, b, a_start, a_end, b_start: in_b.start, b_end: in_b.end })
}
