//! Removes bones from a skeleton and the files that refer to it by index, and textures from materials.

use std::collections::{BTreeMap, HashMap};

use super::conventions::{rotation, stored};
use super::{Animation, Binary, Cal3d, Dialect, Mesh, Skeleton, Track};
use crate::check::common::field_path;
use crate::edit::{Entity, Motion, Named, Rigid, in_use, one_skeleton};
use crate::hierarchy::Removal;
use crate::schema;
use crate::wire::SmallList;
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
                removed += material.change(|material, _| {
                    let before = material.maps.len();
                    material.maps.retain(|map| map.file.text() != name);
                    Ok(before - material.maps.len())
                })?;
            }
            Ok(removed)
        }
        _ => Ok(0),
    }
}

/// Returns the index of the first object with a name.
fn position<B: Binary>(file: &Cal3d<B>, entity: Entity, name: &[u8]) -> Result<Option<usize>> {
    let names = file.names()?;
    Ok(names.iter().filter(|own| own.entity == entity).position(|own| own.text == name))
}

fn remove_bones(files: &mut [File], name: &[u8]) -> Result<usize> {
    let follows = |own: &File| matches!(own, File::Cal3dAnimation(_) | File::Cal3dMesh(_));
    one_skeleton(files, name, |own| matches!(own, File::Cal3dSkeleton(_)), follows)?;
    let mut removed = 0;
    while let Some((removal, binds)) = remove_bone(files, name)? {
        removed += 1;
        for file in files.iter_mut() {
            match file {
                File::Cal3dAnimation(own) => {
                    own.change(|own, dialect| own.follow(&removal, &binds, dialect))?;
                }
                File::Cal3dMesh(own) => own.change(|own, _| own.follow(&removal, name))?,
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
        return skeleton.change(|skeleton, _| skeleton.remove_bone(bone).map(Some));
    }
    Ok(None)
}

impl Skeleton {
    fn remove_bone(&mut self, bone: usize) -> Result<(Removal, Vec<Rigid>)> {
        let parents: Vec<_> = self.bones.iter().map(|own| usize::try_from(own.parent_id).ok()).collect();
        let removal = Removal::of(&parents, bone);
        let binds: Vec<_> =
            self.bones.iter().map(|own| Rigid::new(own.translation, rotation(own.rotation))).collect();
        for child in &removal.children {
            let own = removal.local(*child, |index| binds[index]);
            self.bones[*child].translation = own.translation.into();
            self.bones[*child].rotation = stored(own.rotation);
        }
        for child in &removal.children {
            self.bones[*child].parent_id = removal.parent(*child).map_or(-1, id);
        }
        if let Some(heir) = removal.heir {
            let adopted = removal.children.iter().filter(|child| **child != heir).map(|child| id(*child));
            // The parent of a bone can be missing.
            if let Some(heir) = self.bones.get_mut(heir) {
                heir.child_ids.extend(adopted);
            }
        }
        schema::remove(self, &[field_path!["bones", bone]])?;
        Ok((removal, binds))
    }
}

fn id(bone: usize) -> i32 {
    i32::try_from(bone).unwrap_or(-1)
}

impl Animation {
    fn follow(&mut self, removal: &Removal, binds: &[Rigid], dialect: Dialect) -> Result<()> {
        let is_of = |own: &Track, bone: usize| usize::try_from(own.bone_id()) == Ok(bone);
        let mut places = HashMap::new();
        for (at, own) in self.tracks.iter().enumerate() {
            if let Ok(bone) = usize::try_from(own.bone_id()) {
                places.entry(bone).or_insert(at);
            }
        }
        let has_track = |bone: usize| places.contains_key(&bone);
        let motion = |bone: usize| Motion {
            bind: binds[bone],
            track: places.get(&bone).map(|at| self.tracks[*at].curves(self.duration)).unwrap_or_default(),
        };
        let mut inherited = BTreeMap::new();
        for &child in
            removal.children.iter().filter(|child| has_track(removal.source(**child)) || has_track(**child))
        {
            // The place in the bind pose follows from that of the bone.
            let keeps_place = !has_track(removal.source(child)) && motion(child).track.translation.is_none();
            let key = |(time, own): (f32, Rigid)| {
                (time, (!keeps_place).then_some(own.translation.into()), stored(own.rotation))
            };
            inherited.insert(child, removal.places(child, motion).into_iter().map(key).collect::<Vec<_>>());
        }
        self.unpack(dialect, &|track| {
            let bone = usize::try_from(track.bone_id());
            bone.is_ok_and(|bone| bone == removal.bone || inherited.contains_key(&bone))
        });
        let version = dialect.version(self.version);
        let encoding = version.encoding(self.compression, self.track_flags);
        for (child, keys) in inherited {
            let bone_id = i32::try_from(child).unwrap_or(-1);
            let track = Track::of(bone_id, &keys, encoding, version)?;
            match places.get(&child) {
                Some(at) => self.tracks[*at] = track,
                None => self.tracks.push(track),
            }
        }
        self.tracks.retain(|own| !is_of(own, removal.bone));
        // The index of a packed track is in the bits of a word.
        for track in self.tracks.iter_mut() {
            let index = usize::try_from(track.bone_id()).ok().and_then(|bone| removal.index(bone));
            if let Some(index) = index.and_then(|index| i32::try_from(index).ok()) {
                track.set_bone_id(index);
            }
        }
        Ok(())
    }
}

impl Mesh {
    fn follow(&mut self, removal: &Removal, name: &[u8]) -> Result<()> {
        for vertex in self.submeshes.iter_mut().flat_map(|own| own.vertices.iter_mut()) {
            let mut kept: Vec<super::Influence> = Vec::with_capacity(vertex.influences.len());
            for own in vertex.influences.iter().copied() {
                let Ok(bone) = usize::try_from(own.bone_id) else {
                    kept.push(own);
                    continue;
                };
                let Some(index) = removal.index(bone) else {
                    return Err(in_use(Entity::Bone, name, 1, "vertex"));
                };
                let is_affected = bone == removal.bone || Some(bone) == removal.heir;
                let bone_id = i32::try_from(index).unwrap_or(own.bone_id);
                match kept.iter_mut().find(|other| is_affected && other.bone_id == bone_id) {
                    Some(other) => other.weight += own.weight,
                    None => kept.push(super::Influence { bone_id, ..own }),
                }
            }
            // The list of a truncated file keeps its count if no influence goes.
            if kept.len() == vertex.influences.len() {
                vertex.influences.copy_from_slice(&kept);
            } else if let Some(kept) = SmallList::new(kept) {
                vertex.influences = kept;
            }
        }
        Ok(())
    }
}
