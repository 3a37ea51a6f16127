//! Renames objects and follows every reference.

use std::collections::{BTreeMap, HashMap, HashSet};

use super::names::{ByName, NameKey, entries};
use super::{Entity, Name, names};
use crate::schema::{EditError, FieldPath, Names, escape, padded_like, unpadded};
use crate::{Error, ErrorKind, File, Result};

/// New names for objects, applied at the same time: two objects can exchange their names.
///
/// A former name is that of the objects with exactly this name, or else of those whose names differ only in the blanks at their
/// end, as ActorX writes them. Such a name keeps its length: the new one has blanks at its end too, if it is shorter. In Unreal
/// files without such a bone, the first one that readers treat as the same is meant: they ignore case.
#[derive(Clone, Debug, Default)]
pub struct Renames {
    new_names: BTreeMap<(Entity, Vec<u8>), Vec<u8>>,
}

impl Renames {
    /// Creates an empty table.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds the new name of all objects of a kind with the name `old`. Both names are in the encoding of the file.
    ///
    /// # Errors
    /// [`EditError::TwoNames`] if the table has another new name for `old`.
    pub fn add(&mut self, entity: Entity, old: impl Into<Vec<u8>>, new: impl Into<Vec<u8>>) -> Result<()> {
        let (old, new) = (old.into(), new.into());
        match self.new_names.get(&(entity, old.clone())) {
            Some(other) if *other != new => Err(two_names(entity, &old, other, &new)),
            _ => {
                self.new_names.insert((entity, old), new);
                Ok(())
            }
        }
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

    /// Returns the table without names that are not among `names`.
    #[must_use]
    pub fn among(mut self, names: &[Name]) -> Self {
        let known = known(names);
        self.new_names.retain(|(entity, old), _| known.contains(&(*entity, unpadded(old))));
        self
    }

    /// Returns whether the table is empty.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.new_names.is_empty()
    }

    /// Returns the new text of each name in a file; none for those that stay.
    ///
    /// # Errors
    /// [`EditError::Ambiguous`] if a former name can be that of several objects, [`EditError::TwoNames`] if two of them are
    /// that of one object.
    pub fn new_names(&self, names: &[Name]) -> Result<Vec<Option<Vec<u8>>>> {
        self.new_names_as_read(names, None)
    }

    fn new_names_as_read(&self, names: &[Name], key: Option<NameKey>) -> Result<Vec<Option<Vec<u8>>>> {
        let as_read = AsRead::new(names, key);
        let objects: Vec<_> = objects(names, &as_read).collect();
        let mut new_names: Vec<_> =
            names.iter().zip(&objects).map(|(name, object)| self.exactly(name, object)).collect();
        let exact: HashSet<_> = names.iter().map(|name| name.entity).zip(objects.iter().copied()).collect();
        let others = objects.iter().enumerate().filter(|(index, _)| new_names[*index].is_none());
        let others = ByName::new(others.map(|(index, object)| (index, names[index].entity, *object)));
        for ((entity, old), new) in &self.new_names {
            if exact.contains(&(*entity, &**old)) {
                continue;
            }
            let ambiguous = |why| refused(EditError::ambiguous(entity.name(), old, &why));
            let mut found = others.find(*entity, old).map_err(ambiguous)?;
            if let (true, Some(own)) = (found.is_empty(), as_read.find(*entity, old)) {
                found = others.find(*entity, own).map_err(ambiguous)?;
            }
            for &index in found {
                let name = &names[index].text;
                let new = padded_like(new, name);
                if let Some(other) = new_names[index].replace(new.clone()).filter(|other| *other != new) {
                    return Err(two_names(*entity, name, &other, &new));
                }
            }
        }
        share_fields(names, &mut new_names)?;
        Ok(new_names)
    }

    /// Returns the new text of a name if the table has exactly that of its object.
    fn exactly(&self, name: &Name, object: &[u8]) -> Option<Vec<u8>> {
        let new = self.new_names.get(&(name.entity, object.to_vec()))?;
        Some(if object == name.text { new.clone() } else { padded_like(new, &name.text) })
    }

    /// Returns whether the table has a new name for one of these names.
    #[must_use]
    pub fn any_among(&self, names: &[Name]) -> bool {
        let known = known(names);
        self.new_names.keys().any(|(entity, old)| known.contains(&(*entity, unpadded(old))))
    }

    /// Returns an error with similar names for the first name in the table that is not among `names`.
    ///
    /// # Errors
    /// [`EditError::NoObject`].
    pub fn all_among(&self, names: &[Name]) -> Result<()> {
        let known = known(names);
        let is_known = |(entity, old): &(Entity, Vec<u8>)| known.contains(&(*entity, unpadded(old)));
        let Some((entity, old)) = self.new_names.keys().find(|key| !is_known(key)) else {
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
    let new_names = renames.new_names_as_read(&old, file.name_key())?;
    let pairs = || old.iter().zip(new_names.iter().map(Option::as_deref));
    unique(&pairs())?;
    let changes: Vec<_> = pairs()
        .filter_map(|(name, new)| Some(Renamed { new: new?.to_vec(), name: name.clone() }))
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
    let mut edits: Vec<(FieldPath, String)> = changes
        .iter()
        .map(|Renamed { name, new }| (name.path.clone(), escape(&name.field_text(new))))
        .collect();
    edits.dedup();
    let mut edited = file.clone();
    edited.set_names(&edits)?;
    // A name of another shape may be read as something else, such as a keyword of a text.
    let again = file.kind().decode(&edited.encode()?, &file.options())?;
    let read = names(&again)?;
    let is_kept = |((name, new), read): &((&Name, Option<&[u8]>), Option<&Name>)| {
        read.is_some_and(|read| read.entity == name.entity && read.text == new.unwrap_or(&name.text))
    };
    let read = read.iter().map(Some).chain(std::iter::repeat(None));
    if let Some(((name, new), _)) = pairs().zip(read).find(|pair| !is_kept(pair)) {
        let new = new.unwrap_or(&name.text);
        let why = match new {
            [] => "the field cannot be empty in this file".to_owned(),
            new => format!("`{}` would be read differently in this file", escape(new)),
        };
        return Err(refused(why.into()).at(name.path.clone()));
    }
    *file = edited;
    Ok(changes)
}

/// Returns the name of the object that each name is of: of a reference, the definition that it refers to, whose name may
/// differ in the blanks at its end, or be one that readers treat as the same.
fn objects<'n>(names: &'n [Name], as_read: &AsRead<'n>) -> impl Iterator<Item = &'n [u8]> {
    let defined = ByName::new(entries(names).filter(|(index, ..)| names[*index].is_definition));
    names.iter().map(move |name| match defined.find(name.entity, &name.text) {
        Ok([first, ..]) => &*names[*first].text,
        Ok([]) => as_read.find(name.entity, &name.text).unwrap_or(&name.text),
        Err(_) => &*name.text,
    })
}

/// The first name of each bone and clip by what readers compare of it: a definition, if there is one.
struct AsRead<'n> {
    key: Option<NameKey>,
    names: HashMap<(Entity, Vec<u8>), &'n [u8]>,
}

impl<'n> AsRead<'n> {
    fn new(names: &'n [Name], key: Option<NameKey>) -> Self {
        let mut first = HashMap::new();
        if let Some(key) = key {
            let keyed = names.iter().filter(|name| has_key(name.entity));
            let (definitions, references): (Vec<_>, Vec<_>) = keyed.partition(|name| name.is_definition);
            for name in definitions.into_iter().chain(references) {
                first.entry((name.entity, key(&name.text))).or_insert(&*name.text);
            }
        }
        Self { key, names: first }
    }

    fn find(&self, entity: Entity, name: &[u8]) -> Option<&'n [u8]> {
        let key = self.key.filter(|_| has_key(entity))?;
        self.names.get(&(entity, key(name))).copied()
    }
}

/// Returns whether readers that have a key for names compare that of objects of a kind.
const fn has_key(entity: Entity) -> bool {
    matches!(entity, Entity::Bone | Entity::Clip)
}

/// Gives both names of a field the same new text: a material can be its image.
fn share_fields(names: &[Name], new_names: &mut [Option<Vec<u8>>]) -> Result<()> {
    for (at, pair) in names.windows(2).enumerate().filter(|(_, pair)| pair[0].path == pair[1].path) {
        let [one, two] = [at, at + 1].map(|at| new_names[at].take());
        if let (Some(one), Some(two)) = (&one, &two)
            && one != two
        {
            return Err(two_names(pair[1].entity, &pair[1].text, one, two));
        }
        let new = one.or(two);
        new_names[at].clone_from(&new);
        new_names[at + 1] = new;
    }
    Ok(())
}

/// Returns names without the blanks at their end.
fn known(names: &[Name]) -> HashSet<(Entity, &[u8])> {
    names.iter().map(|name| (name.entity, unpadded(&name.text))).collect()
}

/// Checks that objects with different names keep different names, and those whose names differ in more than blanks at their end
/// names that do.
fn unique<'a>(names: &(impl Iterator<Item = (&'a Name, Option<&'a [u8]>)> + Clone)) -> Result<()> {
    type Form = fn(&[u8]) -> &[u8];
    let forms: [Form; 2] = [|name| name, unpadded];
    for form in forms {
        let mut owners: HashMap<(Entity, &[u8]), &[u8]> = HashMap::new();
        for (name, new) in names.clone().filter(|(name, _)| name.is_definition && !name.text.is_empty()) {
            let new = new.unwrap_or(&name.text);
            let owner = *owners.entry((name.entity, form(new))).or_insert(&name.text);
            if form(owner) != form(&name.text) {
                let objects = [escape(owner), escape(&name.text)];
                let why = EditError::NameTaken { kind: name.entity.name(), name: escape(new), objects };
                return Err(refused(why).at(name.path.clone()));
            }
        }
    }
    Ok(())
}

fn two_names(entity: Entity, old: &[u8], first: &[u8], second: &[u8]) -> Error {
    let names = [escape(first), escape(second)];
    refused(EditError::TwoNames { kind: entity.name(), name: escape(old), names })
}

fn refused(why: EditError) -> Error {
    Error::new(0, ErrorKind::Value(why))
}
