//! `bindpose diff`: the fields that differ between two files.

use std::collections::HashMap;
use std::io::{self, Write};
use std::ops::ControlFlow::{self, Break, Continue};
use std::path::{Path as FilePath, PathBuf};

use clap::Args;
use serde::Serialize;

use super::exit::{Exit, Failure};
use super::json::Lines;
use super::limits::LimitArgs;
use super::load::{Loaded, load};
use super::output::Output;
use super::{Common, Format};
use bindpose::diff::{Change, Difference, diff};
use bindpose::schema::Step;
use bindpose::{FieldPath, FormatSpec};

/// Print the fields that differ between two files
///
/// Bones, materials and other named elements are matched by name, so that an added, removed or renamed one is one difference.
/// Equal fields are not printed, and many changed numbers in a list are summarised. Exits with 1 if the files differ.
#[derive(Args)]
#[command(after_long_help = EXAMPLES)]
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
    /// Print every changed number instead of a summary
    #[arg(long, help_heading = "Output options")]
    full: bool,
    /// Print the differences as FORMAT; json always prints every one
    #[arg(long, value_name = "FORMAT", value_enum, default_value_t = Format::Human, help_heading = "Output options")]
    format: Format,
}

const EXAMPLES: &str = "\
Examples:
  bindpose diff old.ms3d new.ms3d
  bindpose diff old.psk new.psk --full
  bindpose diff old.x new.x --format json | jq .path";

/// A difference in the machine output.
#[derive(Serialize)]
struct Line<'a> {
    path: String,
    /// None if the first file does not have it.
    a: Option<&'a str>,
    /// None if the second file does not have it.
    b: Option<&'a str>,
    a_start: u64,
    a_end: u64,
    b_start: u64,
    b_end: u64,
}

impl Diff {
    pub fn run(&self, common: &Common, output: &mut Output) -> Result<Exit, Failure> {
        let (first, second) = match self.specs[..] {
            [] => (None, None),
            [both] => (Some(both), Some(both)),
            [first, second] => (Some(first), Some(second)),
            _ => return Err(Failure::new(Exit::Usage, "expected --as once, or once for each file")),
        };
        let (a, b) = (self.load(&self.a, first)?, self.load(&self.b, second)?);
        let (kind, other) = (a.spec.kind.name(), b.spec.kind.name());
        if kind != other {
            let why = format!(
                "is {other}, but {} is {kind}: files of different formats cannot be compared",
                self.a.display()
            );
            return Err(Failure::new(Exit::Usage, why).of(self.b.display()));
        }
        if a.bytes == b.bytes {
            return Ok(Exit::Well);
        }
        if !common.quiet {
            self.print(&a, &b, output)?;
        }
        Ok(Exit::Findings)
    }

    fn load(&self, path: &FilePath, spec: Option<FormatSpec>) -> Result<Loaded, Failure> {
        let loaded = load(path, spec, self.limits)?;
        loaded.warn_of_damage(path);
        Ok(loaded)
    }

    fn print(&self, a: &Loaded, b: &Loaded, output: &mut Output) -> io::Result<()> {
        let (a, b) = ((a.file.value(), &a.bytes[..]), (b.file.value(), &b.bytes[..]));
        let mut lines = Lines::default();
        let mut sums = Sums { most: if self.full { usize::MAX } else { FEW }, ..Sums::default() };
        let mut result = Ok(());
        let _ = diff(a, b, &mut |difference| {
            result = match self.format {
                Format::Json => json(difference, &mut lines, output),
                Format::Human => sums.add(difference, output),
            };
            if result.is_ok() { Continue(()) } else { Break(()) }
        }) as ControlFlow<()>;
        result.and_then(|()| sums.flush(output))
    }
}

fn json(difference: &Difference, lines: &mut Lines, output: &mut Output) -> io::Result<()> {
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
    let (path, a_start, a_end) = (path.to_string(), in_a.start, in_a.end);
    lines.write(output, &Line { path, a, b, a_start, a_end, b_start: in_b.start, b_end: in_b.end })
}

/// The maximum number of changed numbers in a list that are printed one by one.
const FEW: usize = 4;

/// Changed numbers of one field in the elements of a list.
struct Sum {
    /// The path, with `[*]` for indices that vary.
    path: FieldPath,
    first: Vec<Difference>,
    count: usize,
    largest: f64,
}

/// The differences of a list, which are collected until it ends.
#[derive(Default)]
struct Sums {
    most: usize,
    list: Option<FieldPath>,
    held: Vec<Sum>,
    /// The index of the sum for paths of this kind.
    alike: HashMap<FieldPath, usize>,
}

impl Sums {
    fn add(&mut self, difference: &Difference, output: &mut Output) -> io::Result<()> {
        let list = list_of(&difference.path);
        if list != self.list || list.is_none() {
            self.flush(output)?;
            self.list = list;
        }
        let Some(distance) =
            difference.change.distance().filter(|_| self.list.is_some() && self.most < usize::MAX)
        else {
            self.flush(output)?;
            return human(difference, output);
        };
        let index = *self.alike.entry(kind_of(&difference.path)).or_insert(self.held.len());
        if index == self.held.len() {
            let path = difference.path.clone();
            self.held.push(Sum { path, first: Vec::new(), count: 0, largest: 0.0 });
        }
        let sum = &mut self.held[index];
        sum.path = starred(&sum.path, &difference.path);
        sum.count += 1;
        sum.largest = sum.largest.max(distance);
        if sum.first.len() < self.most {
            sum.first.push(difference.clone());
        }
        Ok(())
    }

    fn flush(&mut self, output: &mut Output) -> io::Result<()> {
        self.alike.clear();
        for Sum { path, first, count, largest } in self.held.drain(..) {
            if count <= self.most {
                first.iter().try_for_each(|difference| human(difference, output))?;
            } else if let Some(Difference { a, path: begin, .. }) = first.first() {
                range(a, output)?;
                let from = begin.to_string();
                writeln!(
                    output,
                    "{path}: {count} numbers differ, by at most {}; the first is {from}",
                    rounded(largest)
                )?;
            }
        }
        Ok(())
    }
}

/// The outermost list that a path leads through.
fn list_of(path: &FieldPath) -> Option<FieldPath> {
    let at = path.steps().iter().position(|step| matches!(step, Step::Index(_)))?;
    Some(path.steps()[..at].to_vec().into())
}

/// The part of a path that is the same in all elements of a list; elements may be lists themselves.
fn kind_of(path: &FieldPath) -> FieldPath {
    const INNERMOST: usize = 2;
    let mut steps = path.steps().to_vec();
    for step in steps.iter_mut().rev().filter(|step| matches!(step, Step::Index(_))).take(INNERMOST) {
        *step = Step::Every;
    }
    steps.into()
}

/// A path with `[*]` where another has a different index.
fn starred(path: &FieldPath, other: &FieldPath) -> FieldPath {
    let star = |(a, b): (&Step, &Step)| if a == b { a.clone() } else { Step::Every };
    path.steps().iter().zip(other.steps()).map(star).collect::<Vec<_>>().into()
}

/// A difference with its significant digits.
fn rounded(distance: f64) -> String {
    if distance.fract() == 0.0 || distance >= 1e6 {
        format!("{distance:.0}")
    } else if distance < 1e-3 {
        format!("{distance:.1e}")
    } else {
        format!("{distance:.3}").trim_end_matches('0').trim_end_matches('.').to_owned()
    }
}

fn range(range: &std::ops::Range<u64>, output: &mut Output) -> io::Result<()> {
    write!(output, "{:08x}..{:08x}  ", range.start, range.end)
}

fn human(difference: &Difference, output: &mut Output) -> io::Result<()> {
    let Difference { path, change, a, b, .. } = difference;
    range(if *change == Change::Added { b } else { a }, output)?;
    match change {
        Change::Value { a, b } => writeln!(output, "{path}: {} -> {}", short(a), short(b)),
        Change::Removed => writeln!(output, "{path}: only in the first"),
        Change::Added => writeln!(output, "{path}: only in the second"),
        Change::Moved(_, to) => writeln!(output, "{path}: moved to [{to}]"),
    }
}

/// The maximum length of a printed value.
const CHARS: usize = 72;

fn short(text: &str) -> String {
    match text.char_indices().nth(CHARS) {
        Some((end, _)) => format!("{}..", &text[..end]),
        None => text.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::rounded;

    #[test]
    fn a_distance_has_as_many_digits_as_say_something() {
        let distances = [2.0, 0.5, 0.9996, 10.0004, 1.2345, 0.001, 0.000_25, 0.000_999_9, 1_234_567.8];
        let texts = distances.map(rounded);
        assert_eq!(texts, ["2", "0.5", "1", "10", "1.234", "0.001", "2.5e-4", "1.0e-3", "1234568"]);
    }
}
