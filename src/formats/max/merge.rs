//! Merges meshes of one skeleton.

use super::Faces;
use crate::edit::unsupported;
use crate::{File, Result};

/// Appends the faces of a mesh; bones are referred to by index.
pub(in crate::formats) fn merge(file: &mut File, other: &File) -> Result<bool> {
    match (file, other) {
        (File::MaxMesh(file), File::MaxMesh(other)) => match (&mut file.faces, &other.faces) {
            (Faces::P12(own), Faces::P12(added)) => own.extend(added.iter().cloned()),
            (Faces::P16(own), Faces::P16(added)) => own.extend(added.iter().cloned()),
            _ => return Err(unsupported("the meshes have different dialects")),
        },
        (File::MaxAnimation(_), File::MaxAnimation(_)) => {
            return Err(unsupported("an animation stream has one clip; keep the files separate"));
        }
        (File::MaxSkeleton(_), File::MaxSkeleton(_)) => {
            return Err(unsupported(
                "a skeleton stream has one skeleton, and other streams refer to its bones by index",
            ));
        }
        _ => return Ok(false),
    }
    Ok(true)
}
