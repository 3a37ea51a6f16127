//! What the values of a file refer to.

use std::collections::{HashMap, HashSet};
use std::fmt;
use std::ops::ControlFlow::{self, Continue};

use super::names::{ByName, Name, defined_names, entries, names};
use crate::schema::{
    FieldValue, Objects, PathError, Reference, Step, Target, Value, VisitReference, locate_many_within,
};
use crate::{Budget, Error, ErrorKind, FieldPath, File, Limits, Result};

/// The references in a file: by index as the definition of the format states them, and by name.
///
/// ```
/// use bindpose::FileKind;
/// use bindpose::edit::References;
/// use bindpose::schema::Target;
/// use std::ops::ControlFlow::Continue;
/// let mut file = FileKind::Ms3d.blank();
/// for (index, (name, parent)) in [("root", ""), ("spine", "root")].into_iter().enumerate() {
///     file.append("joints")?;
///     file.set(&format!("joints[{index}].name"), name)?;
///     file.set(&format!("joints[{index}].parent_name"), parent)?;
/// }
/// let references = References::of(&file)?;
/// let mut found = Vec::new();
/// let _ = references.each(&mut |reference| {
///     found.push((reference.path.to_string(), reference.target));
///     Continue(())
/// });
/// assert_eq!(found, [("joints[1].parent_name".to_owned(), Target::Object("joints[0]".parse()?))]);
/// assert_eq!(references.follow("joints[1].parent_name->name")?, ["joints[0].name".parse()?]);
/// assert_eq!(references.name(&"joints[0]".parse()?), Some(&b"root"[..]));
/// # Ok::<(), bindpose::Error>(())
/// ```
pub struct References<'a> {
    value: &'a dyn Value,
    file: Option<&'a File>,
    /// The account that what paths select is charged to.
    budget: Budget,
    objects: Objects,
    names: Vec<Name>,
    /// Positions of names by their objects.
    by_object: HashMap<FieldPath, usize>,
}

/// Prints the names.
impl fmt::Debug for References<'_> {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.debug_struct("References").field("names", &self.names).finish_non_exhaustive()
    }
}

impl<'a> References<'a> {
    /// Finds the objects of a file.
    ///
    /// # Errors
    /// As [`names`](super::names).
    pub fn of(file: &'a File) -> Result<Self> {
        Self::within(file, &Budget::of(&Limits::none(), 0))
    }

    /// As [`of`](Self::of), within a budget, to which the names of the objects, and what paths select, remain charged.
    ///
    /// # Errors
    /// As there; [`ErrorKind::Limit`](crate::ErrorKind::Limit) when the budget does not suffice.
    pub fn within(file: &'a File, budget: &Budget) -> Result<Self> {
        let names = names(file)?;
        // Each definition is found by its path, too.
        let memory = |name: &Name| size_of::<Name>() as u64 + 2 * name.path.memory() + name.text.len() as u64;
        budget.charge(names.iter().map(memory).sum())?;
        Ok(Self { budget: budget.clone(), file: Some(file), ..Self::new(file.value(), names) })
    }

    /// Finds the objects of a file whose format is defined elsewhere.
    #[must_use]
    pub fn of_value(value: &'a dyn Value) -> Self {
        Self::new(value, defined_names(value))
    }

    fn new(value: &'a dyn Value, names: Vec<Name>) -> Self {
        let definitions = names.iter().enumerate().filter(|(_, name)| name.is_definition);
        let by_object = definitions.map(|(at, name)| (object_of(&name.path), at)).collect();
        let budget = Budget::of(&Limits::none(), 0);
        Self { value, file: None, budget, objects: Objects::of(value), by_object, names }
    }

    /// Visits all references: first those by index, then those by name, each in the order of the file. The object of a name
    /// is the element of a list that has it; in text, the name itself.
    ///
    /// # Errors
    /// Breaks when `visit` does.
    pub fn each(&self, visit: &mut VisitReference<'_>) -> ControlFlow<()> {
        self.objects.references(self.value, visit)?;
        for (file, family) in
            self.file.iter().flat_map(|file| crate::formats::FAMILIES.iter().map(move |own| (file, own)))
        {
            (family.references)(file, visit)?;
        }
        let definitions = ByName::new(entries(&self.names).filter(|(at, ..)| self.names[*at].is_definition));
        let kinds: HashSet<_> =
            self.names.iter().filter(|name| name.is_definition).map(|name| name.entity).collect();
        for name in self.names.iter().filter(|name| !name.is_definition) {
            let target = match definitions.find(name.entity, &name.text) {
                Ok(&[first, ..]) => Target::Object(object_of(&self.names[first].path)),
                _ if kinds.contains(&name.entity) => Target::Missing(FieldValue::Text(name.text.clone())),
                _ => Target::Elsewhere,
            };
            visit(Reference { path: name.path.clone(), entity: name.entity.name(), target })?;
        }
        Continue(())
    }

    /// Returns the name of an object in the encoding of the file.
    #[must_use]
    pub fn name(&self, object: &FieldPath) -> Option<&[u8]> {
        self.by_object.get(object).map(|at| &*self.names[*at].text)
    }

    /// Returns what a path selects that can follow references: `vertices[3].bone_id->name` is the name of a bone.
    ///
    /// # Errors
    /// [`ErrorKind::Path`](crate::ErrorKind::Path) if a part of the path selects nothing, or a value that refers to no object
    /// of the file.
    pub fn follow(&self, path: &str) -> Result<Vec<FieldPath>> {
        let mut parts = arrows(path).into_iter();
        let mut found = self.located(&parts.next().unwrap_or_default().parse()?)?;
        for part in parts {
            let inner: FieldPath = part.parse()?;
            let mut next = Vec::new();
            for target in self.targets(&found)? {
                next.extend(self.located(&target.join(&inner))?);
            }
            found = next;
        }
        Ok(found)
    }

    fn located(&self, path: &FieldPath) -> Result<Vec<FieldPath>> {
        let found = locate_many_within(self.value, std::slice::from_ref(path), &self.budget);
        let places = found.into_iter().collect::<Result<Vec<_>>>()?;
        Ok(places.into_iter().flatten().map(|place| place.path).collect())
    }

    /// Returns the objects that values refer to, in the order of the values.
    fn targets(&self, values: &[FieldPath]) -> Result<Vec<FieldPath>> {
        let mut targets = HashMap::new();
        let memory = values.iter().map(|path| 4 * (64 + path.memory()));
        self.budget.charge(memory.sum())?;
        let wanted: HashSet<_> = values.iter().collect();
        let _ = self.each(&mut |reference| {
            if wanted.contains(&reference.path) {
                targets.insert(reference.path, reference.target);
            }
            Continue(())
        });
        let each = values.iter().map(|path| match targets.get(path) {
            Some(Target::Object(object)) => Ok(object.clone()),
            other => {
                let why = PathError::Other(format!(
                    "{path} {}",
                    other.map_or("does not refer to an object", no_object)
                ));
                Err(Error::new(0, ErrorKind::Path(why)))
            }
        });
        each.collect()
    }
}

/// Returns what a value without an object in the file refers to.
const fn no_object(target: &Target) -> &'static str {
    match target {
        Target::Object(_) => "refers to an object",
        Target::Nothing => "refers to no object",
        Target::Missing(_) => "refers to an object that is not there",
        Target::Elsewhere => "refers to an object of another file",
    }
}

/// Returns the object of a name: the element of a list that has it.
fn object_of(name: &FieldPath) -> FieldPath {
    let record = name.split_last().map(|(record, _)| record);
    record.filter(|own| matches!(own.steps().last(), Some(Step::Index(_)))).unwrap_or_else(|| name.clone())
}

/// Returns the parts of a path between its arrows. Names in quotes can contain arrows.
fn arrows(path: &str) -> Vec<&str> {
    let (mut parts, mut start, mut is_quoted) = (Vec::new(), 0, false);
    let mut chars = path.char_indices();
    while let Some((at, c)) = chars.next() {
        match c {
            '\\' if is_quoted => _ = chars.next(),
            '"' => is_quoted = !is_quoted,
            '-' if !is_quoted && path[at..].starts_with("->") => {
                parts.push(&path[start..at]);
                start = at + 2;
            }
            _ => {}
        }
    }
    parts.push(&path[start..]);
    parts
}

/// Gives a file that is written from a part of another one the references to other files that a scene does not have: the skeleton
/// of a skinned UNIGINE mesh.
pub fn keep_references(file: &mut File, original: &File) {
    for family in crate::formats::FAMILIES {
        (family.keep_references)(file, original);
    }
}
