//! Assignments: `PATH=VALUE`, calculations, vectors, and files of them.

use std::collections::HashSet;
use std::ops::ControlFlow::{Break, Continue};
use std::str::FromStr;

use super::load;
use super::read::{MAX_TEXT, side_text};
use super::set::Change;
use crate::prelude::*;
use bindpose::schema::{
    self, Class, EditError, FieldValue, Leaf, NameIndex, Node, NodeMut, Role, Step, Value,
};
use bindpose::{Error, ErrorKind, File};

/// An assignment, a file of assignments, or an object for `--append`.
#[derive(Clone)]
pub(super) enum Source {
    One(Assignment),
    File(PathBuf),
    Object(String),
}

#[derive(Clone)]
pub(super) struct Assignment {
    path: FieldPath,
    operator: Operator,
    value: String,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Operator {
    Set,
    Add,
    Subtract,
    Multiply,
    Divide,
}

impl FromStr for Source {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self, Error> {
        match text.strip_prefix('@') {
            Some(path) => Ok(Self::File(path.into())),
            None if split(text).is_none() && text.contains('{') => Ok(Self::Object(text.to_owned())),
            None => text.parse().map(Self::One),
        }
    }
}

impl FromStr for Assignment {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self, Error> {
        let split = split(text).ok_or_else(|| refused(format!("`{text}`: expected PATH=VALUE")))?;
        let (path, value) = (split.0, split.1.to_owned());
        let operators = [
            ('+', Operator::Add),
            ('-', Operator::Subtract),
            ('*', Operator::Multiply),
            ('/', Operator::Divide),
        ];
        let found =
            operators.iter().find_map(|(sign, operator)| Some((path.strip_suffix(*sign)?, *operator)));
        let (path, operator) = found.unwrap_or((path, Operator::Set));
        Ok(Self { path: path.trim_end().parse()?, operator, value })
    }
}

/// Returns the objects for `--append`.
pub(super) fn objects(sources: &[Source]) -> impl Iterator<Item = &str> {
    sources.iter().filter_map(|source| match source {
        Source::Object(text) => Some(text.as_str()),
        _ => None,
    })
}

/// Returns the assignments, those of files included.
pub(super) fn all(sources: &[Source]) -> Result<Vec<Assignment>> {
    let mut all = Vec::new();
    for source in sources {
        let path = match source {
            Source::One(assignment) => {
                all.push(assignment.clone());
                continue;
            }
            Source::File(path) => path,
            Source::Object(_) => continue,
        };
        let own = of_lines(&side_text(path, MAX_TEXT)?);
        all.extend(own.map_err(|why| Failure::usage(format!("{}: {why}", shown(path))))?);
    }
    Ok(all)
}

/// Reads assignments, one on each line.
pub(super) fn of_lines(text: &str) -> Result<Vec<Assignment>, String> {
    let lines = text.lines().map(str::trim_start).enumerate();
    let lines = lines.filter(|(_, line)| !line.is_empty() && !line.starts_with('#'));
    lines.map(|(at, line)| line.parse().map_err(|error| format!("line {}: {error}", at + 1))).collect()
}

/// The memory of a value that is set: its places, its texts before and after, and its change.
pub(super) const EDIT: u64 = 1536;

/// Applies assignments one after the other. Names in their paths are those before the first of them; others are names that one of them
/// gives.
pub(super) fn apply_all(
    assignments: &[Assignment],
    file: &mut File,
    changes: &mut Vec<Change>,
    budget: &Budget,
) -> Result<(), Error> {
    let mut index = NameIndex::default();
    let paths: Vec<_> = assignments.iter().map(|own| index.indexed(file.value(), &own.path)).collect();
    if let Some((edited, own)) = set_together(assignments, &paths, file) {
        *file = edited;
        changes.extend(own);
        return Ok(());
    }
    for (assignment, path) in assignments.iter().zip(&paths) {
        let path = index.indexed(file.value(), path);
        let known = changes.len();
        let applied = Assignment { path, ..assignment.clone() }.apply(file, changes, budget);
        // An error names the path as it was written.
        applied.map_err(|error| assignment.apply(file, changes, budget).err().unwrap_or(error))?;
        if changes[known..].iter().any(Change::is_of_name) {
            index.clear();
        }
    }
    Ok(())
}

/// Sets fields all in one walk through the file; none if an assignment is not of one field by itself, or is refused.
fn set_together(assignments: &[Assignment], paths: &[FieldPath], file: &File) -> Option<(File, Vec<Change>)> {
    if assignments.len() < 2 || !assignments.iter().all(Assignment::is_literal) {
        return None;
    }
    let places = schema::locate_each(file.value(), paths).ok()?;
    let paths: Vec<_> = places.into_iter().map(|place| place.path).collect();
    let mut seen = HashSet::new();
    // The rest of a file has one step.
    if !paths.iter().all(|path| path.steps().len() > 1 && seen.insert(path)) {
        return None;
    }
    let values = |file: &File| {
        schema::lookups(file.value(), &paths).into_iter().map(|own| own.value).collect::<Option<Vec<_>>>()
    };
    let before = values(file)?;
    // A number can be set by the name of its case.
    let is_number = |text: &String| text.parse::<i128>().is_ok();
    if assignments.iter().zip(&before).any(|(own, before)| is_number(before) && !is_number(&own.value)) {
        return None;
    }
    let edits = paths.iter().zip(assignments).map(|(path, own)| (path.clone(), own.value.clone()));
    let mut edited = file.clone();
    schema::set_each(edited.value_mut(), &edits.collect::<Vec<_>>(), false).ok()?;
    let after = values(&edited)?;
    let all = paths.into_iter().zip(before.into_iter().zip(after));
    let changes = all.filter(|(_, (before, after))| before != after);
    let changes = changes.map(|(path, (before, after))| Change::set(path, before, after)).collect();
    Some((edited, changes))
}

/// Returns the path and the value of an assignment, without the blanks around the sign between them.
pub(super) fn split(text: &str) -> Option<(&str, &str)> {
    equals_sign(text).map(|at| (text[..at].trim_end(), text[at + 1..].trim_start_matches([' ', '\t'])))
}

/// Returns a value so that [`split`] keeps its first blanks.
pub(super) fn settable(value: &str) -> String {
    let rest = value.trim_start_matches(' ');
    "\\x20".repeat(value.len() - rest.len()) + rest
}

/// The sign that ends the path; quoted names may contain others.
fn equals_sign(text: &str) -> Option<usize> {
    let mut quoted = false;
    let mut escaped = false;
    text.char_indices().find_map(|(at, c)| {
        match c {
            _ if std::mem::take(&mut escaped) => {}
            '\\' => escaped = quoted,
            '"' => quoted = !quoted,
            '=' if !quoted => return Some(at),
            _ => {}
        }
        None
    })
}

fn refused(why: impl Into<EditError>) -> Error {
    Error::new(0, ErrorKind::Value(why.into()))
}

impl Assignment {
    /// Whether the value is set as it is written.
    fn is_literal(&self) -> bool {
        let is_plain = self.operator == Operator::Set && self.vector().is_none();
        is_plain && !self.value.is_empty() && !self.value.starts_with("hex:")
    }

    /// Sets the values, and adds those that changed.
    ///
    /// A path to a part with a single value, such as a list with one text, leads to that.
    pub fn apply(&self, file: &mut File, changes: &mut Vec<Change>, budget: &Budget) -> Result<(), Error> {
        let count = match schema::num_values(file.value(), &self.path, budget) {
            Err(error) if matches!(error.kind(), ErrorKind::Limit(_)) => return Err(error),
            count => count.unwrap_or_default(),
        };
        budget.charge(count.saturating_mul(EDIT))?;
        let is_plain = self.operator == Operator::Set && self.vector().is_none();
        match lone_value(file.value_mut(), &self.path, budget).filter(|_| is_plain) {
            Some(path) => Self { path, value: self.value.clone(), ..*self }.apply_to_values(file, changes),
            None => self.apply_to_values(file, changes),
        }
    }

    fn apply_to_values(&self, file: &mut File, changes: &mut Vec<Change>) -> Result<(), Error> {
        let before = schema::get_text(file.value(), &self.path)?;
        let paths: Vec<_> = match (self.operator, self.vector()) {
            (Operator::Set, None) if self.value.is_empty() && is_rest(file.value(), &self.path) => {
                discard(file, &self.path)?;
                vec![self.path.clone()]
            }
            (Operator::Set, Some(parts)) if !self.is_text(file)? => self.set_parts(file, &parts)?,
            (Operator::Set, _) => {
                let edits = schema::set_text(file.value_mut(), &self.path, &self.value)
                    .map_err(|error| as_written(error, &self.path))?;
                // The elements may no longer have the names they were selected by.
                edits.into_iter().map(|edit| edit.path).collect()
            }
            (operator, _) => self.calculate(file.value_mut(), operator)?,
        };
        let after = schema::lookups(file.value(), &paths);
        for ((path, (_, before)), after) in paths.into_iter().zip(before).zip(after) {
            let after = after.value.unwrap_or_default();
            if before != after {
                changes.push(Change::set(path, before, after));
            }
        }
        Ok(())
    }

    /// Returns the parts of `[0,0,0,1]`.
    fn vector(&self) -> Option<Vec<&str>> {
        let inner = self.value.trim().strip_prefix('[')?.strip_suffix(']')?;
        Some(inner.split(',').map(str::trim).collect())
    }

    /// Whether the path selects text, in which brackets have no meaning. Numbers of XML files are text that refuses them.
    fn is_text(&self, file: &File) -> Result<bool, Error> {
        let values = schema::get_all(file.value(), &self.path)?;
        let has_only = |is_it: fn(&[u8]) -> bool| {
            values.iter().all(|(_, value)| matches!(value, FieldValue::Text(text) if is_it(text)))
        };
        let accepts = || schema::set_text(file.clone().value_mut(), &self.path, &self.value).is_ok();
        Ok(has_only(|_| true) && (!has_only(|text| number(text).is_some()) || accepts()))
    }

    /// Sets the parts of each vector that the path selects.
    fn set_parts(&self, file: &mut File, parts: &[&str]) -> Result<Vec<FieldPath>, Error> {
        let places = schema::locate(file.value(), &self.path)?;
        let mut edits = Vec::new();
        for place in &places {
            let leaves = schema::get_text(file.value(), &place.path)?;
            edits.extend(leaves.into_iter().map(|(path, _)| path));
        }
        // In a text, the numbers of a vector are places of their own.
        let is_split = places.len() == edits.len();
        let count = if is_split { edits.len() } else { edits.len() / places.len().max(1) };
        if count != parts.len() && !(is_split && self.selects_vectors(file, &edits, parts.len())) {
            let why = format!("has {count} values, got {}", parts.len());
            return Err(refused(why).at(self.path.clone()));
        }
        let texts = parts.iter().map(|part| (*part).to_owned()).cycle();
        let values: Vec<_> = edits.iter().cloned().zip(texts).collect();
        schema::set_each(file.value_mut(), &values, false).map_err(|error| as_written(error, &self.path))?;
        Ok(edits)
    }

    /// Whether values of a text are those of vectors of a length, each of which the last step of the path selects.
    fn selects_vectors(&self, file: &File, values: &[FieldPath], len: usize) -> bool {
        let paths = file.with_object_paths(|names| {
            values.iter().map(|path| names.path(path)).collect::<Option<Vec<_>>>()
        });
        let (Some(paths), Some(last)) = (paths, self.path.steps().last()) else { return false };
        let depth = paths.iter().map(|path| path.steps().len()).max().unwrap_or(0);
        (0..depth).any(|at| {
            let is_selected = |path: &FieldPath| path.steps().get(at).is_some_and(|own| is_like(last, own));
            let mut vectors = paths.chunk_by(|one, two| one.steps()[..=at] == two.steps()[..=at]);
            paths.iter().all(is_selected) && vectors.all(|vector| vector.len() == len)
        })
    }

    /// Calculates with each number that the path selects.
    fn calculate(&self, root: &mut dyn Value, operator: Operator) -> Result<Vec<FieldPath>, Error> {
        let blame = |why: String| refused(why).at(self.path.clone());
        let operand: f64 =
            self.value.trim().parse().map_err(|_| blame(format!("`{}` is not a number", self.value)))?;
        if operator == Operator::Divide && operand == 0.0 {
            return Err(blame("cannot be divided by zero".into()));
        }
        let mut edits = Vec::new();
        for (path, value) in schema::get_all(root, &self.path)? {
            let new = calculated(&value, operator, operand).map_err(|why| refused(why).at(path.clone()))?;
            edits.push((path, new.to_string()));
        }
        schema::set_each(root, &edits, false)?;
        let paths = edits.into_iter().map(|(path, _)| path).collect();
        Ok(paths)
    }
}

/// Returns the result in the type of the present value; an integer is rounded.
#[expect(clippy::cast_possible_truncation, reason = "the result is rounded and in range")]
fn calculated(value: &FieldValue, operator: Operator, operand: f64) -> Result<FieldValue, String> {
    // Numbers of XML files are text.
    let old = match value {
        FieldValue::Text(text) => number(text),
        _ => value.as_f64(),
    };
    let old = old.ok_or_else(|| format!("expected a number to calculate with, found `{value}`"))?;
    let new = match operator {
        Operator::Set => operand,
        Operator::Add => old + operand,
        Operator::Subtract => old - operand,
        Operator::Multiply => old * operand,
        Operator::Divide => old / operand,
    };
    let is_exact = new.abs() < 2.0_f64.powi(53);
    match value {
        FieldValue::Int(_) if is_exact => Ok(FieldValue::Int(new.round() as i128)),
        FieldValue::Text(_) if is_exact && new.fract() == 0.0 => Ok(FieldValue::Int(new as i128)),
        FieldValue::Int(_) => Err(format!("the result {new:e} is out of range")),
        FieldValue::Text(_) if !new.is_finite() => Err(format!("the result {new} is not a finite number")),
        // Exporters write numbers of XML with the digits of 32 bits.
        FieldValue::F32(_) | FieldValue::Text(_) => Ok(FieldValue::F32(new as f32)),
        _ => Ok(FieldValue::F64(new)),
    }
}

/// Returns the path of the only value of a part that does not follow from others; nothing if the path leads to a value.
fn lone_value(root: &mut dyn Value, path: &FieldPath, budget: &Budget) -> Option<FieldPath> {
    let (mut first, mut count) = (None, 0);
    let located = schema::each_location(root, path, budget, &mut |place| {
        first.get_or_insert(place);
        count += 1;
    });
    located.ok()?;
    let place = first.filter(|_| count == 1)?;
    if matches!(schema::value_mut(root, place.path.steps())?.node(), Node::Leaf(_)) {
        return None;
    }
    let mut found = Vec::new();
    let _ = schema::leaves_from(root, place.range.start, &mut |leaf, _| {
        if leaf.role == Role::Free && leaf.path.steps().starts_with(place.path.steps()) {
            found.push(leaf.path.clone());
        }
        if found.len() > 1 || leaf.offset >= place.range.end { Break(()) } else { Continue(()) }
    });
    let [lone] = &found[..] else { return None };
    Some(lone.clone())
}

fn number(text: &[u8]) -> Option<f64> {
    str::from_utf8(text).ok()?.parse().ok().filter(|own: &f64| own.is_finite())
}

/// Whether a step of a path can select the step of an object.
fn is_like(step: &Step, own: &Step) -> bool {
    match own {
        Step::Index(_) | Step::Named(..) => step.is_selector(),
        own => step == own,
    }
}

/// An error at the path that the user wrote, if that is by objects and the error has the place in the text.
pub(super) fn as_written(error: Error, path: &FieldPath) -> Error {
    if error.path().steps().first() == path.steps().first() { error } else { error.at(path.clone()) }
}

/// Whether a path selects the bytes after the last part.
fn is_rest(root: &dyn Value, path: &FieldPath) -> bool {
    let mut found = false;
    let _ = schema::leaves(root, &mut |place, leaf| {
        found |= leaf.class() == Class::Rest && place.path == *path;
        std::ops::ControlFlow::Continue(())
    });
    found
}

/// Removes the bytes after the last part.
fn discard(file: &mut File, path: &FieldPath) -> Result<(), Error> {
    let is_truncated = rest(file, path)?.truncation().is_some();
    if is_truncated {
        *file = without_start_of_part(file, path)?;
    } else {
        rest(file, path)?.discard();
    }
    Ok(())
}

/// Returns a file without its last bytes, which are the start of a part that no count announces.
fn without_start_of_part(file: &File, path: &FieldPath) -> Result<File, Error> {
    let before = file.encode()?;
    let mut shorter = file.clone();
    schema::trim(shorter.value_mut(), before.len() as u64);
    rest(&mut shorter, path)?.discard();
    let after = shorter.encode()?;
    let spec = load::spec_of(file);
    match spec.kind.decode(&after, &spec.options(Limits::none())) {
        Ok(decoded) if before.starts_with(&after) && decoded.damage().is_none() => Ok(decoded),
        _ => {
            let why = "the bytes are the start of a part without which the file is damaged";
            Err(refused(why).at(path.clone()))
        }
    }
}

/// Returns the bytes after the last part.
fn rest<'a>(file: &'a mut File, path: &FieldPath) -> Result<&'a mut dyn Leaf, Error> {
    match schema::value_mut(file.value_mut(), path.steps()).map(Value::node_mut) {
        Some(NodeMut::Leaf(rest)) => Ok(rest),
        _ => Err(refused(EditError::NotALeaf).at(path.clone())),
    }
}
