//! Merges meshes of one skeleton, and skeletons.

use super::{Bone, Bones, Faces};
use crate::edit::unsupported;
use crate::hierarchy::by_name;
use crate::wire::{Wire, escape};
use crate::{File, Result};

/// Appends the faces of a mesh, or the bones that a skeleton lacks; bones are referred to by index.
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
        (File::MaxSkeleton(file), File::MaxSkeleton(other)) => {
            let counts = [file.num_bones(), other.num_bones()];
            match (&mut file.bones, &other.bones) {
                (Bones::M52(own), Bones::M52(added)) => bones(own, added, counts)?,
                (Bones::M48(own), Bones::M48(added)) => bones(own, added, counts)?,
                (Bones::M64(own), Bones::M64(added)) => bones(own, added, counts)?,
                _ => return Err(unsupported("the skeletons have different dialects")),
            }
        }
        _ => return Ok(false),
    }
    Ok(true)
}

/// Appends the bones that the first skeleton does not have, without copies of the last bone. Parents are known by name.
fn bones<M: Wire + Clone + PartialEq>(
    own: &mut Vec<Bone<M>>,
    added: &[Bone<M>],
    [num_own, num_added]: [usize; 2],
) -> Result<()> {
    let named = by_name(own.iter().map(|bone| bone.name.text()));
    let mut new = Vec::new();
    for bone in &added[..num_added] {
        match named.get(bone.name.text()).map(|known| &own[*known]) {
            Some(known) if known.matrix != bone.matrix => {
                let name = escape(bone.name.text());
                return Err(unsupported(&format!("the bone `{name}` has another bind pose in each file")));
            }
            Some(_) => {}
            None => new.push(bone.clone()),
        }
    }
    if !new.is_empty() {
        own.truncate(num_own);
        own.append(&mut new);
    }
    Ok(())
}
