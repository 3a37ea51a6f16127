//! Renames objects and follows every reference.

use std::collections::{HashMap, HashSet};

use super::{Entity, Name, names};
use crate::schema::{EditError, FieldPath, Names, escape, set_each};
use crate::{Error, ErrorKind, File, Result};

/// New names for objects, applied at the same time: two objects can exchange their names.
#[derive(Clone, Debug, Default)]
pub struct Renames {
    new_names: HashMap<(Entity, Vec<u8>), Vec<u8>>,
}

impl Renames {
    /// Creates an empty table.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds the new name of all objects of a kind that have the name `old`. Both names are in the encoding of the file.
    ///
    /// # Errors
    /// [`EditError::TwoNames`] if the table has another new name for `old`.
    pub fn add(&mut self, entity: Entity, old: impl Into<Vec<u8>>, new: impl Into<Vec<u8>>) -> Result<()> {
        let (old, new) = (old.into(), new.into());
        let names = [escape(self.new_names.get(&(entity, old.clone())).unwrap_or(&new)), escape(&new)];
        if names[0] != names[1] {
            let why = EditError::TwoNames { kind: entity.name(), name: escape(&old), names };
            return Err(refused(why));
        }
        self.new_names.insert((entity, old), new);
        Ok(())
    }

    /// As [`add`](Self::add), for a table in one expression.
    ///
    /// # Errors
    /// As [`add`](Self::add).
    pub fn with(mut self, entity: Entity, old: impl Into<Vec<u8>>, new: impl Into<Vec<u8>>) -> Result<Self> {
        self.add(entity, old, new)?;
        Ok(self)
    }

    /// Returns the table without the names of another table.
    #[must_use]
    pub fn without(mut self, other: &Self) -> Self {
        self.new_names.retain(|name, _| !other.new_names.contains_key(name));
        self
    }

    /// Returns whether the table is empty.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.new_names.is_empty()
    }

    /// Returns the new name of an object, if it has one.
    #[must_use]
    pub fn get(&self, name: &Name) -> Option<&[u8]> {
        self.new_names.get(&(name.entity, name.text.clone())).map(Vec::as_slice)
    }

    /// Returns an error with similar names for the first name in the table that is not among `names`.
    ///
    /// # Errors
    /// [`EditError::NoObject`].
    pub fn all_among(&self, names: &[Name]) -> Result<()> {
        let known: HashSet<_> = names.iter().map(|name| (name.entity, &*name.text)).collect();
        let is_known = |(entity, old): &(Entity, Vec<u8>)| known.contains(&(*entity, &**old));
        let Some((entity, old)) = self.new_names.keys().filter(|key| !is_known(key)).min() else {
            return Ok(());
        };
        let own = names.iter().filter(|name| name.entity == *entity && !name.text.is_empty());
        let mut own: Vec<_> = own.map(|name| escape(&name.text)).collect();
        own.sort();
        own.dedup();
        let old = escape(old);
        let names = Names::near(&old, own.iter().map(String::as_str));
        Err(refused(EditError::NoObject { kind: entity.name(), name: old, names }))
    }
}

/// A name that was replaced.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Renamed {
    /// The former name, and the field that contains it.
    pub name: Name,
    /// The new name.
    pub new: Vec<u8>,
}

/// Renames objects of a file and every reference to them, and returns the names that were replaced, in the order of the
/// file. Names of the table that the file does not have are ignored: see [`Renames::all_among`].
///
/// After an error the file is unchanged.
///
/// # Errors
/// [`ErrorKind::Value`] if a name does not fit in a field or would be read differently there, or if two objects of a kind
/// other than textures would have the same name; errors of [`names`].
pub fn rename(file: &mut File, renames: &Renames) -> Result<Vec<Renamed>> {
    let old = names(file)?;
    unique(&old, renames)?;
    let changes: Vec<_> = old
        .iter()
        .filter_map(|name| Some(Renamed { new: renames.get(name)?.to_vec(), name: name.clone() }))
        .filter(|change| change.new != change.name.text)
        .collect();
    if changes.is_empty() {
        return Ok(changes);
    }
    if let Some(Renamed { name, .. }) =
        changes.iter().find(|change| change.new.is_empty() && change.name.entity != Entity::Texture)
    {
        return Err(refused("the new name is empty".into()).at(name.path.clone()));
    }
    let edits: Vec<(FieldPath, String)> = changes
        .iter()
        .map(|Renamed { name, new }| (name.path.clone(), escape(&name.field_text(new))))
        .collect();
    let mut edited = file.clone();
    set_each(edited.value_mut(), &edits, true)?;
    // A name of another shape may be read as something else, such as a keyword of a text.
    let again = file.kind().decode(&edited.encode()?, &file.options())?;
    let read = names(&again)?;
    let is_kept = |(name, read): &(&Name, Option<&Name>)| {
        let new = renames.get(name).unwrap_or(&name.text);
        read.is_some_and(|read| read.entity == name.entity && read.text == *new)
    };
    let read = read.iter().map(Some).chain(std::iter::repeat(None));
    if let Some((name, _)) = old.iter().zip(read).find(|pair| !is_kept(pair)) {
        let new = renames.get(name).unwrap_or(&name.text);
        let why = match new {
            [] => "the field cannot be empty in this file".to_owned(),
            new => format!("`{}` would be read differently in this file", escape(new)),
        };
        return Err(refused(why.into()).at(name.path.clone()));
    }
    *file = edited;
    Ok(changes)
}

/// Checks that objects with different names keep different names.
fn unique(names: &[Name], renames: &Renames) -> Result<()> {
    let mut owners: HashMap<(Entity, &[u8]), &[u8]> = HashMap::new();
    for name in names.iter().filter(|name| name.is_definition && !name.text.is_empty()) {
        let new = renames.get(name).unwrap_or(&name.text);
        let owner = *owners.entry((name.entity, new)).or_insert(&name.text);
        if owner != name.text {
            let objects = [escape(owner), escape(&name.text)];
            let why = EditError::NameTaken { kind: name.entity.name(), name: escape(new), objects };
            return Err(refused(why).at(name.path.clone()));
        }
    }
    Ok(())
}

fn refused(why: EditError) -> Error {
    Error::new(0, ErrorKind::Value(why))
}
