//! Removes objects and what refers to them.

use std::collections::{BTreeSet, HashMap, HashSet};

use super::names::{ByName, entries};
use super::{Entity, Name, names};
use crate::schema::{EditError, Names, escape};
use crate::wire::FixedStr;
use crate::{Error, ErrorKind, File, Result};

/// Removes all objects of a kind that have a name, and returns their number. In a file without exactly this name, it is that of the
/// objects whose names differ only in the blanks at their end. Indices and counts follow, also in the other
/// files of the set: a mesh and its animations, a Cal3D skeleton and what refers to its bones.
///
/// * The children and the weights of a bone go to its parent, those of a root to its first child. The children keep their
///   place in the bind pose and in clips, where they inherit its keys. Frames in a root frame of an `.x` file become roots.
/// * The keys of a clip go with it.
/// * A material goes only where no triangle needs it, except in MilkShape 3D, whose groups can be without.
/// * A texture is an image path that a material no longer has.
///
/// After an error the files are unchanged.
///
/// # Errors
/// [`EditError::NoObject`] if no file has such an object; [`EditError::Ambiguous`] if the name can be that of several; [`EditError::InUse`] if something needs it that cannot be without;
/// [`EditError::Unsupported`] if the format or this file does not allow it, or the files have too many such objects;
/// [`EditError::Damaged`] for a damaged file; errors of [`names`].
pub fn remove(files: &mut [File], entity: Entity, name: &[u8]) -> Result<usize> {
    remove_all(files, entity, &[name])
}

/// As [`remove`], for objects with several names, in this order. All clips go in one pass.
///
/// # Errors
/// As [`remove`].
pub fn remove_all(files: &mut [File], entity: Entity, names: &[&[u8]]) -> Result<usize> {
    undamaged(&*files)?;
    let known = Known::of(files, entity);
    let own_names = names.iter().map(|name| known.own_names(name)).collect::<Result<Vec<_>>>()?;
    let mut removed_names = RemovedNames::default();
    for own in own_names.iter().flatten() {
        known.is_feasible(own)?;
        removed_names.add(own);
    }
    let mut edited = files.to_vec();
    for family in crate::formats::FAMILIES {
        (family.remove_many)(&mut edited, entity, &mut removed_names)?;
        for (name, removed) in &mut removed_names.names {
            *removed += (family.remove)(&mut edited, entity, name)?;
        }
    }
    let removed = |own: &BTreeSet<Vec<u8>>| own.iter().map(|own| removed_names.removed(own)).sum::<usize>();
    if let Some((name, _)) = names.iter().zip(&own_names).find(|(_, own)| removed(own) == 0) {
        return Err(missing(files, entity, name));
    }
    if entity == Entity::Clip {
        let names = names.iter().map(|name| escape(name)).collect();
        edited.iter().try_for_each(|file| inseparable(file, &names).map_or(Ok(()), Err))?;
    }
    files.clone_from_slice(&edited);
    Ok(removed_names.names.iter().map(|(_, removed)| removed).sum())
}

/// Names of objects that go, and how many of each went.
#[derive(Default)]
pub(crate) struct RemovedNames {
    names: Vec<(Vec<u8>, usize)>,
    positions: HashMap<Vec<u8>, usize>,
}

impl RemovedNames {
    fn add(&mut self, name: &[u8]) {
        self.positions.entry(name.to_vec()).or_insert_with(|| {
            self.names.push((name.to_vec(), 0));
            self.names.len() - 1
        });
    }

    /// Returns the names.
    pub fn names(&self) -> impl Iterator<Item = &[u8]> {
        self.names.iter().map(|(name, _)| &**name)
    }

    /// Returns whether objects of a name go.
    pub fn contains(&self, name: &[u8]) -> bool {
        self.positions.contains_key(name)
    }

    /// Counts a removed object.
    pub fn count(&mut self, name: &[u8]) {
        if let Some(at) = self.positions.get(name) {
            self.names[*at].1 += 1;
        }
    }

    fn removed(&self, name: &[u8]) -> usize {
        self.positions.get(name).map_or(0, |at| self.names[*at].1)
    }
}

/// The names of objects of a kind in files.
struct Known {
    entity: Entity,
    files: Vec<(Vec<Name>, ByName)>,
    /// The number of objects with each name, in the file that has most of them.
    counts: HashMap<Vec<u8>, usize>,
    size: u64,
}

impl Known {
    fn of(files: &[File], entity: Entity) -> Self {
        let size = files.iter().map(|file| file.value().size()).sum();
        let mut known = Self { entity, files: Vec::new(), counts: HashMap::new(), size };
        for names in files.iter().filter_map(|file| names(file).ok()) {
            // Paths of images are not definitions.
            let is_object = |(index, ..): &(usize, Entity, &[u8])| {
                names[*index].is_definition || names[*index].entity == Entity::Texture
            };
            let table = ByName::new(entries(&names).filter(is_object));
            let mut counts: HashMap<&[u8], usize> = HashMap::new();
            for own in names.iter().filter(|own| own.is_definition && own.entity == entity) {
                *counts.entry(&own.text).or_default() += 1;
            }
            for (name, count) in counts {
                let most = known.counts.entry(name.to_vec()).or_default();
                *most = count.max(*most);
            }
            known.files.push((names, table));
        }
        known
    }

    /// Returns the names that the objects with a name have in the files: they can differ in the blanks at their end.
    fn own_names(&self, name: &[u8]) -> Result<BTreeSet<Vec<u8>>> {
        let mut own_names = BTreeSet::new();
        for (names, table) in &self.files {
            let ambiguous = |why| EditError::ambiguous(self.entity.name(), name, &why);
            let refused = |why| Error::new(0, ErrorKind::Value(ambiguous(why)));
            let found = table.find(self.entity, name).map_err(refused)?;
            own_names.extend(found.first().map(|index| names[*index].text.clone()));
        }
        // Animations without a name are left out of the names of a file.
        own_names.extend((self.entity == Entity::Clip && name.is_empty()).then(Vec::new));
        Ok(own_names)
    }

    /// Refuses so many objects of one name in a file that removing them would take a time that grows with the square of the size: they
    /// are removed one by one, because each takes the place of the one before. Textures are removed all at once.
    fn is_feasible(&self, name: &[u8]) -> Result<()> {
        let (count, size) = (self.counts.get(name).copied().unwrap_or(0), self.size);
        if count < 2 || size.saturating_mul(count as u64) <= MOST_WORK {
            return Ok(());
        }
        let objects = crate::counted(count as u64, self.entity.name());
        let most = MOST_WORK / size.max(1);
        let why = format!(
            "{objects} have the name `{}`, and {most} can be removed at a time from files of {size} bytes; rename some of them",
            escape(name)
        );
        Err(unsupported(&why))
    }
}

/// The maximum number of bytes that are visited to remove objects one by one.
const MOST_WORK: u64 = 1 << 28;

/// Refuses damaged files: what they lack, or what is not decoded, belongs to what an edit of objects changes.
pub(crate) fn undamaged<'a>(files: impl IntoIterator<Item = &'a File>) -> Result<()> {
    match files.into_iter().find_map(File::damage) {
        Some(damage) => Err(damaged(&damage)),
        None => Ok(()),
    }
}

pub(crate) fn damaged(damage: &Error) -> Error {
    Error::new(0, ErrorKind::Value(EditError::Damaged)).at(damage.path().clone())
}

fn missing(files: &[File], entity: Entity, name: &[u8]) -> Error {
    if let Some(error) = files
        .iter()
        .filter(|_| entity == Entity::Clip)
        .find_map(|file| inseparable(file, &HashSet::from([escape(name)])))
    {
        return error;
    }
    let all = files.iter().filter_map(|file| names(file).ok()).flatten();
    let own = all.filter(|own| own.entity == entity && !own.text.is_empty());
    let mut own: Vec<_> = own.map(|own| escape(&own.text)).collect();
    own.sort();
    own.dedup();
    let name = escape(name);
    let names = Names::near(&name, own.iter().map(String::as_str));
    Error::new(0, ErrorKind::Value(EditError::NoObject { kind: entity.name(), name, names }))
}

/// Returns why a clip of a file with one of these names cannot be removed; none if the file has no such clip.
fn inseparable(file: &File, names: &HashSet<String>) -> Option<Error> {
    let name = file.summary().clips.into_iter().find(|clip| names.contains(&clip.name))?.name;
    if name.is_empty() {
        return Some(unsupported(
            "the file is one animation, which has no name and cannot be removed from it",
        ));
    }
    let what = file.why_kept();
    Some(unsupported(&format!("the clip `{name}` cannot be removed: it {what}")))
}

/// Sets the text of a field.
pub(crate) fn set_text<const N: usize>(field: &mut FixedStr<N>, text: &[u8]) -> Result<()> {
    field.set(text).map_err(|why| Error::new(0, ErrorKind::Value(why)))
}

/// Removes one of `count` records of each frame.
pub(crate) fn drop_column<T>(records: &mut Vec<T>, column: usize, count: usize) {
    let mut index = 0;
    records.retain(|_| {
        index += 1;
        (index - 1) % count != column
    });
}

/// The error for an object that something needs.
pub(crate) fn in_use(entity: Entity, name: &[u8], count: usize, user: &str) -> Error {
    let users = crate::counted(count as u64, user);
    Error::new(0, ErrorKind::Value(EditError::InUse { kind: entity.name(), name: escape(name), users }))
}

/// The error for a file that does not allow an edit.
pub(crate) fn unsupported(why: &str) -> Error {
    Error::new(0, ErrorKind::Value(EditError::Unsupported(why.into())))
}

/// Refuses files that refer to the bones of one skeleton by index, if there are several and one has the bone.
pub(crate) fn one_skeleton(
    files: &[File],
    name: &[u8],
    is_skeleton: impl Fn(&File) -> bool,
    follows: impl Fn(&File) -> bool,
) -> Result<()> {
    let skeletons: Vec<_> = files.iter().filter(|own| is_skeleton(own)).collect();
    if skeletons.len() < 2 || !files.iter().any(follows) {
        return Ok(());
    }
    for own in &skeletons {
        if names(own)?.iter().any(|own| own.entity == Entity::Bone && own.text == name) {
            return Err(needs_bones(skeletons.len()));
        }
    }
    Ok(())
}

/// The error for files that change with bones of which there are none, or several.
pub(crate) fn needs_bones(found: usize) -> Error {
    Error::new(0, ErrorKind::Value(EditError::NeedsBones { found }))
}
