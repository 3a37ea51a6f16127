//! Merges files.

use super::{Entity, undamaged, unsupported};
use crate::schema::{EditError, escape};
use crate::{Error, ErrorKind, File, Result};

/// Adds the clips or the meshes of another file of the same format, after those that the file has. Bones are matched by name.
///
/// * MilkShape 3D: the groups with the materials that the first file does not have, and comments. Models have one animation,
///   which is that of the first file; the other one has the same or none.
/// * PSA: the sequences with their keys, scale keys and curves. Both files have the same bones, in any order, because every
///   bone has a key in every frame. The bind pose of the first file is kept.
/// * PSK: points, wedges, faces and weights, with the materials that the first file does not have. The first file has all
///   bones of the other one, in the same bind pose. Vertex colours and texture coordinates that only one file has are white
///   and 0 for the other one.
/// * UNIGINE: surfaces and animations of files of the same version; bones as in PSK, but of animations only those have the same
///   bind pose that the other file does not move. An an11 file has one animation: it gets the keys of bones that it does not move.
/// * `.x`: the objects and templates that the first file does not have, in its encoding. Objects refer to each other by name.
/// * Cal3D and 3ds Max meshes: the submeshes or faces. They refer to bones by index, so both files belong to the same skeleton.
///   Cal3D animations of bones or morph targets: the tracks for what the first file does not move. Both have the same length.
/// * Cal3D and 3ds Max skeletons: the bones that the first one does not have, after its own. Files that belong to the first
///   skeleton fit the result.
///
/// After an error the file is unchanged.
///
/// # Errors
/// [`EditError::Unmatched`] with the names of bones that only one file has; [`EditError::Duplicate`] if both files have a clip
/// or another object of the same name that differs; [`EditError::Damaged`] for a damaged file; [`EditError::Unsupported`] if
/// the formats differ or cannot contain the result.
pub fn merge(file: &mut File, other: &File) -> Result<()> {
    if file.kind() != other.kind() {
        let names = [file.kind().name(), other.kind().name()];
        return Err(unsupported(&format!("the files have different formats, {} and {}", names[0], names[1])));
    }
    undamaged([&*file, other])?;
    let mut merged = file.clone();
    for family in crate::formats::FAMILIES {
        if (family.merge)(&mut merged, other)? {
            *file = merged;
            return Ok(());
        }
    }
    Err(unsupported(&format!("{} files cannot be merged", file.kind().name())))
}

/// The error for objects that only one of two files has.
pub(crate) fn unmatched<'a>(entity: Entity, names: impl IntoIterator<Item = &'a [u8]>) -> Error {
    let names = names.into_iter().map(escape).collect();
    Error::new(0, ErrorKind::Value(EditError::Unmatched { kind: entity.name(), names }))
}

/// The error for an object that both files have.
pub(crate) fn duplicate(kind: &'static str, name: &[u8]) -> Error {
    Error::new(0, ErrorKind::Value(EditError::Duplicate { kind, name: escape(name) }))
}
