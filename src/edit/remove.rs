//! Removes objects and what refers to them.

use std::collections::BTreeSet;

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
    undamaged(&*files)?;
    let mut edited = files.to_vec();
    let mut removed = 0;
    let mut own_names = own_names(files, entity, name)?;
    // Animations without a name are left out of the names of a file.
    own_names.extend((entity == Entity::Clip && name.is_empty()).then(Vec::new));
    for own in own_names {
        is_feasible(files, entity, &own)?;
        for family in crate::formats::FAMILIES {
            removed += (family.remove)(&mut edited, entity, &own)?;
        }
    }
    if removed == 0 {
        return Err(missing(files, entity, name));
    }
    if entity == Entity::Clip
        && let Some(error) = edited.iter().find_map(|file| inseparable(file, name))
    {
        return Err(error);
    }
    files.clone_from_slice(&edited);
    Ok(removed)
}

/// Returns the names that the objects with a name have in the files: they can differ in the blanks at their end.
fn own_names(files: &[File], entity: Entity, name: &[u8]) -> Result<BTreeSet<Vec<u8>>> {
    let mut own_names = BTreeSet::new();
    for names in files.iter().filter_map(|file| names(file).ok()) {
        // Paths of images are not definitions.
        let is_object = |(index, ..): &(usize, Entity, &[u8])| {
            names[*index].is_definition || names[*index].entity == Entity::Texture
        };
        let table = ByName::new(entries(&names).filter(is_object));
        let refused = |why| Error::new(0, ErrorKind::Value(EditError::ambiguous(entity.name(), name, &why)));
        let found = table.find(entity, name).map_err(refused)?;
        own_names.extend(found.first().map(|index| names[*index].text.clone()));
    }
    Ok(own_names)
}

/// The maximum number of bytes that are visited to remove objects one by one.
const MOST_WORK: u64 = 1 << 28;

/// Objects of equal names are removed one by one, because each takes the place of the one before: refuses so many that the time
/// would grow with the square of the size. Textures are removed all at once.
fn is_feasible(files: &[File], entity: Entity, name: &[u8]) -> Result<()> {
    let is_it = |own: &Name| own.is_definition && own.entity == entity && own.text == name;
    let count: usize =
        files.iter().filter_map(|file| Some(names(file).ok()?.iter().filter(|own| is_it(own)).count())).sum();
    let size: u64 = files.iter().map(|file| file.value().size()).sum();
    if count < 2 || size.saturating_mul(count as u64) <= MOST_WORK {
        return Ok(());
    }
    let objects = crate::counted(count as u64, entity.name());
    let most = MOST_WORK / size.max(1);
    let why = format!(
        "{objects} have the name `{}`, and {most} can be removed at a time from files of {size} bytes; rename some of them",
        escape(name)
    );
    Err(unsupported(&why))
}

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
    if let Some(error) =
        files.iter().filter(|_| entity == Entity::Clip).find_map(|file| inseparable(file, name))
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

/// Returns why a clip of a file cannot be removed; none if the file has no such clip.
fn inseparable(file: &File, name: &[u8]) -> Option<Error> {
    let name = escape(name);
    file.about().clips.iter().find(|clip| clip.name == name)?;
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

/// The error for an object that something needs.
pub(crate) fn in_use(entity: Entity, name: &[u8], count: usize, user: &str) -> Error {
    let users = crate::counted(count as u64, user);
    Error::new(0, ErrorKind::Value(EditError::InUse { kind: entity.name(), name: escape(name), users }))
}

/// The error for a file that does not allow an edit.
pub(crate) fn unsupported(why: &str) -> Error {
    Error::new(0, ErrorKind::Value(EditError::Unsupported(why.into())))
}

/// The error for an animation that is moved without its bones.
pub(crate) fn needs_bones(found: usize) -> Error {
    Error::new(0, ErrorKind::Value(EditError::NeedsBones { found }))
}
