//! Removes bones from a skeleton and the files that refer to it by index, and textures from materials.

use glam::Quat;

use super::{Animation, Binary, Cal3d, Mesh, Skeleton, Track};
use crate::edit::{Entity, Named, Removal, Rigid, in_use, unsupported};
use crate::{File, Result};

/// Removes objects from the files of a set.
pub(in crate::formats) fn remove(files: &mut [File], entity: Entity, name: &[u8]) -> Result<usize> {
    match entity {
        Entity::Bone => remove_bones(files, name),
        Entity::Texture => {
            let mut removed = 0;
            for file in files {
                let File::Cal3dMaterial(material) = file else { continue };
                if position(material, entity, name)?.is_none() {
                    continue;
                }
                let maps = &mut binary(material)?.maps;
                let before = maps.len();
                maps.retain(|map| map.file.text() != name);
                removed += before - maps.len();
            }
            Ok(removed)
        }
        _ => Ok(0),
    }
}

pub(super) fn binary<B: Binary>(file: &mut Cal3d<B>) -> Result<&mut B> {
    match file {
        Cal3d::Binary { file, .. } => Ok(file),
        Cal3d::Xml(_) => Err(unsupported("the XML form of Cal3D files does not allow this edit")),
    }
}

/// Returns the index of the first object with a name.
fn position<B: Binary>(file: &Cal3d<B>, entity: Entity, name: &[u8]) -> Result<Option<usize>> {
    let names = file.names()?;
    Ok(names.iter().filter(|own| own.entity == entity).position(|own| own.text == name))
}

fn remove_bones(files: &mut [File], name: &[u8]) -> Result<usize> {
    let mut removed = 0;
    while let Some((removal, binds)) = remove_bone(files, name)? {
        removed += 1;
        for file in files.iter_mut() {
            match file {
                File::Cal3dAnimation(animation) => binary(animation)?.follow(&removal, &binds)?,
                File::Cal3dMesh(mesh) => binary(mesh)?.follow(&removal, name)?,
                _ => {}
            }
        }
    }
    Ok(removed)
}

/// Removes the bone from the first skeleton that has it; returns the removal and the bind poses before.
fn remove_bone(files: &mut [File], name: &[u8]) -> Result<Option<(Removal, Vec<Rigid>)>> {
    for file in files {
        let File::Cal3dSkeleton(skeleton) = file else { continue };
        let Some(bone) = position(skeleton, Entity::Bone, name)? else { continue };
        return Ok(Some(binary(skeleton)?.remove_bone(bone)));
    }
    Ok(None)
}

/// The library's quaternions are conjugates of the usual ones.
pub(super) fn rotation([x, y, z, w]: [f32; 4]) -> Quat {
    Quat::from_xyzw(-x, -y, -z, w)
}

pub(super) fn stored(rotation: Quat) -> [f32; 4] {
    rotation.conjugate().to_array()
}

impl Skeleton {
    fn remove_bone(&mut self, bone: usize) -> (Removal, Vec<Rigid>) {
        let parents: Vec<_> = self.bones.iter().map(|own| usize::try_from(own.parent_id).ok()).collect();
        let removal = Removal::of(&parents, bone);
        let binds: Vec<_> =
            self.bones.iter().map(|own| Rigid::new(own.translation, rotation(own.rotation))).collect();
        for child in &removal.children {
            let own = removal.local(*child, |index| binds[index]);
            self.bones[*child].translation = own.translation.into();
            self.bones[*child].rotation = stored(own.rotation);
        }
        let index = |old: usize| removal.index(old).and_then(|new| i32::try_from(new).ok()).unwrap_or(-1);
        let adopted: Vec<_> =
            removal.children.iter().filter(|child| Some(**child) != removal.heir).copied().collect();
        let is_it = |child: &i32| usize::try_from(*child) == Ok(bone);
        for (at, own) in self.bones.iter_mut().enumerate() {
            let parent = if removal.children.contains(&at) { removal.parent(at) } else { parents[at] };
            own.parent_id = parent.map_or(own.parent_id.min(-1), index);
            own.child_ids.retain(|child| !is_it(child));
            for child in own.child_ids.iter_mut() {
                *child = usize::try_from(*child).map_or(*child, index);
            }
            if Some(at) == removal.heir {
                own.child_ids.extend(adopted.iter().map(|child| index(*child)));
            }
        }
        self.bones.remove(bone);
        (removal, binds)
    }
}

impl Animation {
    fn follow(&mut self, removal: &Removal, binds: &[Rigid]) -> Result<()> {
        let has_track =
            |bone: usize| self.tracks.iter().any(|own| usize::try_from(own.bone_id()) == Ok(bone));
        let others = removal.children.iter().filter(|child| Some(**child) != removal.heir).count();
        let is_beside = removal.heir.is_some_and(|heir| removal.children.contains(&heir));
        if !removal.children.is_empty() && has_track(removal.bone)
            || is_beside && others > 0 && removal.heir.is_some_and(has_track)
        {
            return Err(unsupported(
                "an animation has a track of the bone, which its children cannot inherit",
            ));
        }
        self.tracks.retain(|own| usize::try_from(own.bone_id()) != Ok(removal.bone));
        for track in self.tracks.iter_mut() {
            let Ok(bone) = usize::try_from(track.bone_id()) else { continue };
            if removal.children.contains(&bone) {
                let Track::Plain(own) = track else {
                    return Err(unsupported("packed tracks of children of the bone cannot be changed"));
                };
                for key in own.keys.iter_mut() {
                    let placed = Rigid::new(key.translation, rotation(key.rotation));
                    let new = removal.local(bone, |index| if index == bone { placed } else { binds[index] });
                    key.translation = new.translation.into();
                    key.rotation = stored(new.rotation);
                }
            }
            let index = removal.index(bone).and_then(|new| i32::try_from(new).ok());
            match (track, index) {
                (Track::Plain(own), Some(index)) => own.bone_id = index,
                (Track::Quantized(own), Some(index)) => own.bone_id = index,
                (Track::Packed(own), Some(index)) => {
                    own.header.set_bone_id(u16::try_from(index).unwrap_or(0));
                }
                _ => {}
            }
        }
        Ok(())
    }
}

impl Mesh {
    fn follow(&mut self, removal: &Removal, name: &[u8]) -> Result<()> {
        for vertex in self.submeshes.iter_mut().flat_map(|own| own.vertices.iter_mut()) {
            let mut kept: Vec<super::Influence> = Vec::with_capacity(vertex.influences.len());
            for own in &vertex.influences {
                let Ok(bone) = usize::try_from(own.bone_id) else {
                    kept.push(own.clone());
                    continue;
                };
                let Some(index) = removal.index(bone) else {
                    return Err(in_use(Entity::Bone, name, 1, "vertex"));
                };
                let is_affected = bone == removal.bone || Some(bone) == removal.heir;
                let bone_id = i32::try_from(index).unwrap_or(own.bone_id);
                match kept.iter_mut().find(|other| is_affected && other.bone_id == bone_id) {
                    Some(other) => other.weight += own.weight,
                    None => kept.push(super::Influence { bone_id, ..own.clone() }),
                }
            }
            vertex.influences.truncate(kept.len());
            vertex.influences.iter_mut().zip(kept).for_each(|(own, kept)| *own = kept);
        }
        Ok(())
    }
}
