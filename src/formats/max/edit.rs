//! Removes bones from a skeleton and the streams that refer to it by index.

use super::{Animation, Bone, Bones, Faces, Frames, Influence, Mesh, Skeleton};
use crate::edit::{Entity, drop_column, in_use, one_skeleton, set_text, unsupported};
use crate::hierarchy::{Removal, parents_by_name};
use crate::wire::Wire;
use crate::{File, Result};

/// Removes bones from the streams of a set. Matrices are relative to the world, so the children keep theirs.
pub(in crate::formats) fn remove(files: &mut [File], entity: Entity, name: &[u8]) -> Result<usize> {
    if entity != Entity::Bone {
        return Ok(0);
    }
    let follows = |own: &File| matches!(own, File::MaxAnimation(_) | File::MaxMesh(_));
    one_skeleton(files, name, |own| matches!(own, File::MaxSkeleton(_)), follows)?;
    let mut removed = 0;
    while let Some((removal, count)) = remove_bone(files, name)? {
        removed += 1;
        for file in files.iter_mut() {
            match file {
                File::MaxAnimation(animation) => animation.remove_bone(&removal, count)?,
                File::MaxMesh(mesh) => remove_influences(mesh, &removal, name)?,
                _ => {}
            }
        }
    }
    Ok(removed)
}

/// Removes the bone from the first skeleton that has it; returns the removal and the number of bones before.
fn remove_bone(files: &mut [File], name: &[u8]) -> Result<Option<(Removal, usize)>> {
    for file in files {
        let File::MaxSkeleton(skeleton) = file else { continue };
        let count = skeleton.num_bones();
        let Some(bone) = skeleton.bones.iter().take(count).position(|own| own.name.text() == name) else {
            continue;
        };
        if count == 1 {
            return Err(unsupported("the skeleton has no other bone, and a stream is never empty"));
        }
        let removal = Removal::of(&skeleton.parents(count), bone);
        match &mut skeleton.bones {
            Bones::M52(own) => detach(own, &removal, count)?,
            Bones::M48(own) => detach(own, &removal, count)?,
            Bones::M64(own) => detach(own, &removal, count)?,
        }
        return Ok(Some((removal, count)));
    }
    Ok(None)
}

/// Removes a bone, and the copy of the last one, and gives its children their new parent.
fn detach<M: Wire>(bones: &mut Vec<Bone<M>>, removal: &Removal, count: usize) -> Result<()> {
    bones.truncate(count);
    let heir_name = removal.heir.map(|heir| bones[heir].name);
    for child in &removal.children {
        let parent = removal.parent(*child).and(heir_name).unwrap_or_default();
        set_text(&mut bones[*child].parent_name, parent.text())?;
    }
    bones.remove(removal.bone);
    Ok(())
}

/// Gives the influences of the bone on all corners to its heir.
fn remove_influences(mesh: &mut Mesh, removal: &Removal, name: &[u8]) -> Result<()> {
    let influences: Vec<_> = match &mut mesh.faces {
        Faces::P12(faces) => {
            let corners = faces.iter_mut().flat_map(|face| &mut face.corners);
            corners.map(|own| (&mut own.num_effective, &mut own.influences)).collect()
        }
        Faces::P16(faces) => {
            let corners = faces.iter_mut().flat_map(|face| &mut face.corners);
            corners.map(|own| (&mut own.num_effective, &mut own.influences)).collect()
        }
    };
    influences.into_iter().try_for_each(|(num, influences)| follow(num, influences, removal, name))
}

impl Skeleton {
    /// Returns the parents of the first bones.
    pub(super) fn parents(&self, len: usize) -> Vec<Option<usize>> {
        let bones = || self.bones.iter().take(len);
        parents_by_name(bones().map(|bone| bone.name.text()), bones().map(|bone| bone.parent_name.text()))
    }
}

impl Animation {
    /// Removes the matrices of a bone of a skeleton that had `count` bones.
    fn remove_bone(&mut self, removal: &Removal, count: usize) -> Result<()> {
        if self.num_bones() != Some(count) && !self.matrices.is_empty() {
            return Err(unsupported("the animation has another number of bones than the skeleton"));
        }
        match &mut self.matrices {
            Frames::M52(own) => drop_column(own, removal.bone, count),
            Frames::M48(own) => drop_column(own, removal.bone, count),
            Frames::M64(own) => drop_column(own, removal.bone, count),
        }
        Ok(())
    }
}

/// Gives the influence of the bone to its heir.
fn follow(num: &mut i32, influences: &mut [Influence; 4], removal: &Removal, name: &[u8]) -> Result<()> {
    let len = usize::try_from(*num).unwrap_or(0).min(influences.len());
    let mut kept: Vec<Influence> = Vec::with_capacity(len);
    let mut merged = 0;
    for own in &influences[..len] {
        let Ok(bone) = usize::try_from(own.bone_index) else {
            kept.push(*own);
            continue;
        };
        let Some(index) = removal.index(bone) else { return Err(in_use(Entity::Bone, name, 1, "corner")) };
        let bone_index = i32::try_from(index).unwrap_or(own.bone_index);
        let is_affected = bone == removal.bone || Some(bone) == removal.heir;
        match kept.iter_mut().find(|other| is_affected && other.bone_index == bone_index) {
            Some(other) => {
                other.weight += own.weight;
                merged += 1;
            }
            None => kept.push(Influence { bone_index, ..*own }),
        }
    }
    influences[..kept.len()].copy_from_slice(&kept);
    *num -= merged;
    Ok(())
}
