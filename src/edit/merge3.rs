//! Merges two edits of one file.

use std::collections::{HashMap, HashSet};
use std::ops::ControlFlow::Continue;

use super::caused::{added, counts, raise};
use super::{damaged, unsupported};
use crate::check::{Finding, Report};
use crate::codec::{self, Format};
use crate::diff::{Change, Difference, diff};
use crate::formats::any_file::AnyFile;
use crate::schema::{FieldPath, Objects, Step, Target, set_each, set_text};
use crate::{Error, File, Result, check_format};

/// The result of [`merge3`].
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Merge3<F = File> {
    /// The file with both edits; where they conflict, with the first one.
    pub file: F,
    /// The differences that contradict each other.
    pub conflicts: Vec<Conflict>,
    /// The findings of the result that follow from neither edit alone, such as a reference of one to what the other removed.
    pub caused: Vec<Finding>,
}

/// A place that both edits have changed.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Conflict {
    /// The place in the original, with the names of elements.
    pub place: FieldPath,
    /// What the first edit did there.
    pub ours: String,
    /// What the second edit did there.
    pub theirs: String,
}

/// Merges two edits of a file. Only one of them can add, remove and move elements; the values of the other are set in the elements
/// that it kept, and indices refer to the same objects.
///
/// ```
/// use bindpose::FileKind;
/// use bindpose::edit::merge3;
/// let base = FileKind::Ms3d.blank();
/// let (mut ours, mut theirs) = (base.clone(), base.clone());
/// ours.append("joints")?;
/// theirs.set("animation.fps", 30)?;
/// let merged = merge3(&base, &ours, &theirs)?;
/// assert_eq!(merged.file.get("animation.fps")?.as_f64(), Some(30.0));
/// assert!(merged.conflicts.is_empty() && merged.file.get("joints[0].flags").is_ok());
/// # Ok::<(), bindpose::Error>(())
/// ```
///
/// # Errors
/// [`EditError::Unsupported`](crate::schema::EditError::Unsupported) for files of different formats or dialects;
/// [`EditError::Damaged`](crate::schema::EditError::Damaged) for damaged files; errors of
/// [`File::set_text`], with the path, for a value that cannot be set by itself.
pub fn merge3(base: &File, ours: &File, theirs: &File) -> Result<Merge3> {
    if [ours, theirs].iter().any(|file| file.kind() != base.kind()) {
        return Err(different_formats());
    }
    let merged = merge_edits(base, ours, theirs)?;
    merged.with_findings([base, ours, theirs], |file| Ok(file.check(&file.encode()?, usize::MAX)))
}

/// As [`merge3`], for files of a format that is described in another crate.
///
/// # Errors
/// As [`merge3`].
pub fn merge3_format<F: Format + Clone>(base: &F, ours: &F, theirs: &F) -> Result<Merge3<F>> {
    let merged = merge_edits(base, ours, theirs)?;
    merged.with_findings([base, ours, theirs], |file| {
        Ok(check_format(file, &Format::encode(file)?, usize::MAX))
    })
}

impl<F> Merge3<F> {
    /// Adds what follows from neither edit alone.
    fn with_findings(
        mut self,
        [base, ours, theirs]: [&F; 3],
        check: impl Fn(&F) -> Result<Report>,
    ) -> Result<Self> {
        if !self.conflicts.is_empty() {
            return Ok(self);
        }
        let found = |file: &F| check(file).map(|own| own.findings);
        let [base, ours, theirs] = [found(base)?, found(ours)?, found(theirs)?];
        let of = |findings: &[Finding]| counts(findings.iter().map(|own| own.rule.code));
        // Of a rule the result has as many as one of the files, or as both edits add.
        let mut known = of(&ours);
        for (code, count) in of(&theirs) {
            *known.entry(code).or_default() += count;
        }
        for (code, count) in of(&base) {
            *known.entry(code).or_default() -= count;
        }
        let versions = [&*base, &*ours, &*theirs];
        for version in versions {
            raise(&mut known, of(version));
        }
        self.caused = added(found(&self.file)?, &versions, Some(known));
        Ok(self)
    }
}

fn different_formats() -> Error {
    unsupported("only files of one format and dialect can be merged")
}

fn merge_edits<F: AnyFile>(base: &F, ours: &F, theirs: &F) -> Result<Merge3<F>> {
    if let Some(damage) = [base, ours, theirs].iter().find_map(|file| codec::damage(file.value())) {
        return Err(damaged(&damage));
    }
    if [ours, theirs].iter().any(|file| file.dialect() != base.dialect()) {
        return Err(different_formats());
    }
    let [bytes, own, other] = [base.encode()?, ours.encode()?, theirs.encode()?];
    if own == other {
        return Ok(Merge3 { file: ours.clone(), conflicts: Vec::new(), caused: Vec::new() });
    }
    let own = Side { file: ours, bytes: &own, edits: edits((base, &bytes), (ours, &own)) };
    let other = Side { file: theirs, bytes: &other, edits: edits((base, &bytes), (theirs, &other)) };
    // Values are set in the file that adds or removes elements.
    let is_swapped = other.is_reshaped() && !own.is_reshaped();
    let (target, applied) = if is_swapped { (&other, &own) } else { (&own, &other) };
    let known = Edits::of(&target.edits);
    let objects = if target.is_reshaped() { applied.objects() } else { HashMap::new() };
    let (mut values, mut lost) = (Vec::new(), Vec::new());
    let mut reshaped = HashSet::new();
    for edit in &applied.edits {
        let value = || Ok((known.follow(edit)?, known.value_of(edit, objects.get(&edit.path))?));
        match (known.values.get(&edit.path), value()) {
            (Some(same), _) if target.has(same) == applied.has(edit) => {}
            (Some(same), _) => lost.push((edit, *same)),
            (None, Ok(value)) => values.push(value),
            // All elements of a list are one conflict.
            (None, Err(_)) if !is_value(edit) && !reshaped.insert(without_indices(&edit.path)) => {}
            (None, Err(other)) => lost.push((edit, other)),
        }
    }
    let file = if is_swapped && !lost.is_empty() { ours.clone() } else { with_values(target.file, values)? };
    let conflicts = lost.into_iter().map(|(edit, other)| conflict(edit, other, is_swapped)).collect();
    Ok(Merge3 { file, conflicts, caused: Vec::new() })
}

fn without_indices(path: &FieldPath) -> FieldPath {
    let fields = path.steps().iter().filter(|step| !matches!(step, Step::Index(_)));
    fields.cloned().collect::<Vec<_>>().into()
}

/// An edited file with its bytes, and what differs in it.
struct Side<'a, F> {
    file: &'a F,
    bytes: &'a [u8],
    edits: Vec<Difference>,
}

impl<F: AnyFile> Side<'_, F> {
    /// Returns the objects that the edited indices refer to, by the paths of the indices.
    fn objects(&self) -> HashMap<FieldPath, FieldPath> {
        let edited: HashSet<_> = self.edits.iter().map(|edit| &edit.path).collect();
        let (value, mut found) = (self.file.value(), HashMap::new());
        let _ = Objects::of(value).references(value, &mut |reference| {
            if let (Target::Object(object), true) = (reference.target, edited.contains(&reference.path)) {
                found.insert(reference.path, object);
            }
            Continue(())
        });
        found
    }
}

impl<F> Side<'_, F> {
    /// Whether it has other elements or parts.
    fn is_reshaped(&self) -> bool {
        self.edits.iter().any(|edit| !is_value(edit))
    }

    /// Returns the new value of an edit, with its bytes where they are in the file: texts can be equal where bytes are not.
    fn has<'e>(&'e self, edit: &'e Difference) -> (&'e Change, Option<&'e [u8]>) {
        let [start, end] = [edit.b.start, edit.b.end].map(|at| usize::try_from(at).unwrap_or(usize::MAX));
        let is_packed = edit.path.steps().contains(&Step::Inside);
        (&edit.change, self.bytes.get(start..end).filter(|_| !is_packed))
    }
}

/// Returns a file with new values, which are set in one pass.
fn with_values<F: AnyFile>(file: &F, values: Vec<(FieldPath, String)>) -> Result<F> {
    let mut file = file.clone();
    let (raw, texts): (Vec<_>, Vec<_>) = values.into_iter().partition(|(_, text)| text.starts_with("hex:"));
    set_each(file.value_mut(), &texts, false)?;
    for (path, text) in raw {
        set_text(file.value_mut(), &path, &text)?;
    }
    Ok(file)
}

/// Returns the differences of a file from the original, each with its bytes.
fn edits<F: AnyFile>(base: (&F, &[u8]), edited: (&F, &[u8])) -> Vec<Difference> {
    let mut edits = Vec::new();
    let _ = diff((base.0.value(), base.1), (edited.0.value(), edited.1), &mut |own| {
        if own.change != Change::repacked() {
            edits.push(own.clone());
        }
        Continue(())
    });
    edits
}

fn is_value(edit: &Difference) -> bool {
    matches!(edit.change, Change::Value { .. })
}

fn conflict(edit: &Difference, other: &Difference, is_swapped: bool) -> Conflict {
    let (ours, theirs) = if is_swapped { (edit, other) } else { (other, edit) };
    Conflict { place: edit.place.clone(), ours: describe(ours), theirs: describe(theirs) }
}

fn describe(edit: &Difference) -> String {
    match &edit.change {
        Change::Value { b, .. } => b.clone(),
        Change::Removed => format!("{} removed", edit.place),
        Change::Added => format!("{} added", edit.place),
        Change::Moved(from, to) => format!("{} moved from {from} to {to}", edit.place),
    }
}

/// The differences of one side, by their places.
#[derive(Default)]
struct Edits<'a> {
    values: HashMap<&'a FieldPath, &'a Difference>,
    /// The elements that lists lost, by the paths of the lists in the original, in ascending order.
    removed: HashMap<FieldPath, Vec<(usize, &'a Difference)>>,
    /// The elements that lists got, by the paths of the lists in the edited file, in ascending order.
    added: HashMap<FieldPath, Vec<usize>>,
    /// Lists whose elements moved, and parts that are there in one file only.
    others: HashMap<FieldPath, &'a Difference>,
    /// The first edit that is not of a value.
    reshape: Option<&'a Difference>,
}

impl<'a> Edits<'a> {
    fn of(edits: &'a [Difference]) -> Self {
        let mut own = Self { reshape: edits.iter().find(|edit| !is_value(edit)), ..Self::default() };
        for edit in edits {
            match (&edit.change, edit.path.split_last()) {
                (Change::Value { .. }, _) => _ = own.values.insert(&edit.path, edit),
                (Change::Removed, Some((list, Step::Index(index)))) => {
                    own.removed.entry(list).or_default().push((*index, edit));
                }
                (Change::Added, Some((list, Step::Index(index)))) => {
                    own.added.entry(list).or_default().push(*index);
                }
                (Change::Moved(..), Some((list, _))) => _ = own.others.insert(list, edit),
                _ => _ = own.others.insert(edit.path.clone(), edit),
            }
        }
        own.removed.values_mut().for_each(|list| list.sort_by_key(|(index, _)| *index));
        own.added.values_mut().for_each(|list| list.sort_unstable());
        own
    }

    /// Returns the path of a value after these edits; the edit that contradicts that of the value if there is one.
    fn follow(&self, edit: &'a Difference) -> Result<FieldPath, &'a Difference> {
        if !is_value(edit) {
            return Err(self.reshape.unwrap_or(edit));
        }
        self.follow_path(&edit.path)
    }

    /// Returns the text of the value of an edit; of an index, that of the place where the object is after these edits.
    fn value_of(&self, edit: &Difference, object: Option<&FieldPath>) -> Result<String, &'a Difference> {
        let Change::Value { b, .. } = &edit.change else { return Ok(String::new()) };
        let Some(object) = object else { return Ok(b.clone()) };
        Ok(match (object.split_last(), self.follow_path(object)?.split_last()) {
            (Some((_, Step::Index(old))), Some((_, Step::Index(new)))) if old != new => new.to_string(),
            _ => b.clone(),
        })
    }

    /// Returns a path of the original after these edits; the edit that removed what it leads to if there is one.
    fn follow_path(&self, to: &FieldPath) -> Result<FieldPath, &'a Difference> {
        let (mut original, mut path) = (FieldPath::root(), FieldPath::root());
        for step in to.steps() {
            // Of a choice, another form has other fields.
            if let Some(other) = self.others.get(&original).or_else(|| self.values.get(&original)) {
                return Err(other);
            }
            let moved = match step {
                Step::Index(index) => Step::Index(self.place_of(*index, &original, &path)?),
                step => step.clone(),
            };
            original.push(step.clone());
            path.push(moved);
        }
        self.others.get(&original).map_or(Ok(path), |other| Err(other))
    }

    /// Returns the new index of an element of a list, given by its paths before and after.
    fn place_of(
        &self,
        index: usize,
        original: &FieldPath,
        path: &FieldPath,
    ) -> Result<usize, &'a Difference> {
        let removed = self.removed.get(original).map_or(&[][..], Vec::as_slice);
        let before = removed.partition_point(|(removed, _)| *removed < index);
        if let Some((_, edit)) = removed.get(before).filter(|(removed, _)| *removed == index) {
            return Err(edit);
        }
        let added = self.added.get(path).into_iter().flatten();
        // Each added element up to the place moves it by one.
        Ok(added.fold(index - before, |place, added| place + usize::from(*added <= place)))
    }
}
