//! Merges meshes.

use super::Cal3d;
use super::edit::binary;
use crate::edit::unsupported;
use crate::{File, Result};

/// Appends the submeshes of a mesh; bones are referred to by index.
pub(in crate::formats) fn merge(file: &mut File, other: &File) -> Result<bool> {
    let (File::Cal3dMesh(file), File::Cal3dMesh(other)) = (file, other) else { return Ok(false) };
    let dialects = [crate::codec::Format::dialect(&**file), crate::codec::Format::dialect(&**other)];
    let Cal3d::Binary { file: other, .. } = &**other else {
        return Err(unsupported("the XML form of Cal3D meshes cannot be merged"));
    };
    let own = binary(file)?;
    if dialects[0] != dialects[1] || own.version != other.version {
        return Err(unsupported("the meshes have different dialects or versions"));
    }
    if !other.rest.0.is_empty() {
        return Err(unsupported("the mesh has bytes after its last submesh"));
    }
    own.submeshes.extend(other.submeshes.iter().cloned());
    Ok(true)
}
