//! Removes joints, materials and textures.

use super::conventions::{angles, rotation};
use super::{Joint, Keyframe, Ms3d, NONE, VertexExtraRecords};
use crate::check::common::field_path;
use crate::edit::{Entity, Rigid, set_text, unsupported};
use crate::hierarchy::{Removal, parents_by_name};
use crate::schema;
use crate::{File, Result};

/// Removes objects from models.
pub(in crate::formats) fn remove(files: &mut [File], entity: Entity, name: &[u8]) -> Result<usize> {
    let mut removed = 0;
    for file in files {
        let File::Ms3d(model) = file else { continue };
        while match entity {
            Entity::Bone => model.remove_joint(name)?,
            Entity::Material => model.remove_material(name)?,
            _ => false,
        } {
            removed += 1;
        }
        if entity == Entity::Texture {
            removed += model.remove_textures(name)?;
        }
    }
    Ok(removed)
}

pub(super) fn local(joint: &Joint) -> Rigid {
    Rigid::new(joint.position, rotation(joint.rotation))
}

impl Ms3d {
    pub(super) fn parents(&self) -> Vec<Option<usize>> {
        let names = self.joints.iter().map(|joint| joint.name.text());
        parents_by_name(names, self.joints.iter().map(|joint| joint.parent_name.text()))
    }

    fn remove_joint(&mut self, name: &[u8]) -> Result<bool> {
        let Some(index) = self.joints.iter().position(|joint| joint.name.text() == name) else {
            return Ok(false);
        };
        let parents = self.parents();
        let removal = Removal::of(&parents, index);
        let before: Vec<_> = self.joints.iter().map(local).collect();
        let heir_name = removal.heir.map(|heir| self.joints[heir].name);
        let inherited =
            removal.children.iter().map(|child| self.places(&removal, *child)).collect::<Vec<_>>();
        for (child, places) in removal.children.iter().zip(inherited) {
            let joint = &mut self.joints[*child];
            let own = removal.local(*child, |joint| before[joint]);
            joint.position = own.translation.into();
            joint.rotation = angles(own.rotation);
            if !places.is_empty() {
                joint.set_keys(&places)?;
            }
            let parent_name = if removal.parent(*child).is_some() { heir_name.as_ref() } else { None };
            let text = parent_name.map_or(&b""[..], |name| name.text()).to_vec();
            set_text(&mut joint.parent_name, &text)?;
        }
        let heir = removal.heir.and_then(|heir| u8::try_from(heir).ok()).unwrap_or(NONE);
        let new = |old: u8| if usize::from(old) == index { heir } else { old };
        let old_ids: Vec<_> = self.vertices.iter().map(|vertex| vertex.bone_id).collect();
        for vertex in self.vertices.iter_mut() {
            vertex.bone_id = new(vertex.bone_id);
        }
        let mut first: Vec<_> = self.vertices.iter_mut().map(|vertex| &mut vertex.bone_id).collect();
        if let Some(extra) = self.vertex_extra.present_mut() {
            let full = extra.records.full_weight();
            let mut follow = |at: usize, ids: &mut [u8; 3], weights: &mut [u8; 3]| {
                if let Some(first) = first.get_mut(at) {
                    let touched =
                        usize::from(old_ids[at]) == index || ids.iter().any(|id| usize::from(*id) == index);
                    *ids = ids.map(new);
                    if touched {
                        merge(first, ids, weights, full);
                    }
                }
            };
            match &mut extra.records {
                VertexExtraRecords::Empty => {}
                VertexExtraRecords::Sub1(own) => {
                    own.iter_mut()
                        .enumerate()
                        .for_each(|(at, own)| follow(at, &mut own.bone_ids, &mut own.weights));
                }
                VertexExtraRecords::Sub2(own) => {
                    own.iter_mut()
                        .enumerate()
                        .for_each(|(at, own)| follow(at, &mut own.bone_ids, &mut own.weights));
                }
                VertexExtraRecords::Sub3(own) => {
                    own.iter_mut()
                        .enumerate()
                        .for_each(|(at, own)| follow(at, &mut own.bone_ids, &mut own.weights));
                }
            }
        }
        schema::remove(self, &[field_path!["joints", index]])?;
        Ok(true)
    }

    /// Returns the places of a child in the animation without a joint, if these do not follow from its keys and bind pose.
    fn places(&self, removal: &Removal, child: usize) -> Vec<(f32, Rigid)> {
        let source = &self.joints[removal.source(child)];
        if source.rotation_keys.is_empty() && source.position_keys.is_empty() {
            return Vec::new();
        }
        removal.places(child, |joint| self.joints[joint].motion())
    }

    fn remove_material(&mut self, name: &[u8]) -> Result<bool> {
        let Some(index) = self.materials.iter().position(|own| own.name.text() == name) else {
            return Ok(false);
        };
        schema::remove(self, &[field_path!["materials", index]])?;
        Ok(true)
    }

    fn remove_textures(&mut self, name: &[u8]) -> Result<usize> {
        let paths = self.materials.iter_mut().flat_map(|own| [&mut own.texture, &mut own.alphamap]);
        let mut removed = 0;
        for path in paths.filter(|path| path.text() == name && !path.is_empty()) {
            set_text(path, b"")?;
            removed += 1;
        }
        Ok(removed)
    }
}

impl Joint {
    /// Replaces the keys, which are relative to the bind pose.
    fn set_keys(&mut self, places: &[(f32, Rigid)]) -> Result<()> {
        if places.len() > usize::from(u16::MAX) {
            return Err(unsupported("a child of the joint would have more than 65,535 keys"));
        }
        let bind = local(self).inverse();
        let keys = |value: fn(Rigid) -> [f32; 3]| {
            let key =
                |(time, place): &(f32, Rigid)| Keyframe { time: *time, value: value(bind.then(*place)) };
            places.iter().map(key).collect::<Vec<_>>()
        };
        self.rotation_keys = keys(|own| angles(own.rotation)).into();
        self.position_keys = keys(|own| own.translation.into()).into();
        Ok(())
    }
}

/// Merges influences of one joint. The first joint has the first weight; the fourth weight is the remainder to `full`.
fn merge(first: &mut u8, ids: &mut [u8; 3], weights: &mut [u8; 3], full: u8) {
    if *weights == [0; 3] {
        return;
    }
    let rest = full.saturating_sub(weights.iter().fold(0, |sum, weight| sum.saturating_add(*weight)));
    let all = [(*first, weights[0]), (ids[0], weights[1]), (ids[1], weights[2]), (ids[2], rest)];
    let mut merged: Vec<(u8, u8)> = Vec::new();
    for (id, weight) in all.into_iter().filter(|(id, weight)| *id != NONE && *weight > 0) {
        match merged.iter_mut().find(|(own, _)| *own == id) {
            Some((_, sum)) => *sum = sum.saturating_add(weight),
            None => merged.push((id, weight)),
        }
    }
    // The share of a joint without heir goes to the others.
    let sum: u16 = merged.iter().map(|(_, weight)| u16::from(*weight)).sum();
    for (_, weight) in &mut merged {
        *weight = u8::try_from(u32::from(*weight) * u32::from(full) / u32::from(sum)).unwrap_or(full);
    }
    let rest = merged.iter().fold(full, |rest, (_, weight)| rest.saturating_sub(*weight));
    if let Some((_, weight)) = merged.first_mut() {
        *weight += rest;
    }
    let at = |place: usize| merged.get(place).copied().unwrap_or((NONE, 0));
    *first = at(0).0;
    *ids = [at(1).0, at(2).0, at(3).0];
    *weights = [at(0).1, at(1).1, at(2).1];
}
