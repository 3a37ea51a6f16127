//! Removes bones from a skeleton and the streams that refer to it by index.

use super::{Bones, Faces, Frames, Influence, Skeleton};
use crate::edit::{Entity, drop_column, in_use, one_skeleton, set_text, unsupported};
use crate::hierarchy::{Removal, parents_by_name};
use crate::wire::FixedStr;
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
                File::MaxAnimation(animation) if animation.num_bones_of(count) => {
                    match &mut animation.matrices {
                        Frames::M52(own) => drop_column(own, removal.bone, count),
                        Frames::M48(own) => drop_column(own, removal.bone, count),
                        Frames::M64(own) => drop_column(own, removal.bone, count),
                    }
                }
                File::MaxMesh(mesh) => {
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
                    for (num, influences) in influences {
                        follow(num, influences, &removal, name)?;
                    }
                }
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
        let Some(bone) = skeleton.bones.iter().position(|own| own.name.text() == name) else { continue };
        if skeleton.bones.len() == 1 {
            return Err(unsupported("the skeleton has no other bone, and a stream is never empty"));
        }
        let parents = skeleton.parents(skeleton.bones.len());
        let removal = Removal::of(&parents, bone);
        let heir_name = removal.heir.and_then(|heir| skeleton.bones.get(heir)).map(|heir| *heir.name);
        for child in &removal.children {
            let parent = removal.parent(*child).and(heir_name);
            let text = parent.as_ref().map_or(&b""[..], FixedStr::text).to_vec();
            match &mut skeleton.bones {
                Bones::M52(own) => set_text(&mut own[*child].parent_name, &text)?,
                Bones::M48(own) => set_text(&mut own[*child].parent_name, &text)?,
                Bones::M64(own) => set_text(&mut own[*child].parent_name, &text)?,
            }
        }
        match &mut skeleton.bones {
            Bones::M52(own) => _ = own.remove(bone),
            Bones::M48(own) => _ = own.remove(bone),
            Bones::M64(own) => _ = own.remove(bone),
        }
        return Ok(Some((removal, parents.len())));
    }
    Ok(None)
}

impl Skeleton {
    /// Returns the parents of the first bones.
    pub(super) fn parents(&self, len: usize) -> Vec<Option<usize>> {
        let bones = || self.bones.iter().take(len);
        parents_by_name(bones().map(|bone| bone.name.text()), bones().map(|bone| bone.parent_name.text()))
    }
}

impl super::Animation {
    /// Whether each frame has a matrix for this number of bones.
    fn num_bones_of(&self, count: usize) -> bool {
        self.num_bones() == Some(count)
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
