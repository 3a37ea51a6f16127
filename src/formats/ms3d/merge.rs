//! Merges models of one skeleton.

use std::collections::HashSet;

use super::edit::local;
use super::{
    CommentLists, Comments, Comments1, MAX_GROUPS, MAX_JOINTS, MAX_MATERIALS, MAX_TRIANGLES, MAX_VERTICES,
    Material, Ms3d, NONE, VertexExtra, VertexExtra1, VertexExtra2, VertexExtra3, VertexExtraRecords,
};
use crate::edit::{Entity, Places, Rigid, duplicate, unmatched, unsupported};
use crate::hierarchy::by_name;
use crate::schema::{Leaf, Moves, bytes_of};
use crate::wire::{Part, escape};
use crate::{File, Result};

/// Appends the groups of a model with their materials; the skeleton and the animation stay those of the first.
pub(in crate::formats) fn merge(file: &mut File, other: &File) -> Result<bool> {
    let (File::Ms3d(file), File::Ms3d(other)) = (file, other) else { return Ok(false) };
    let (materials, mut new) = file.new_materials(other)?;
    let num_materials = file.materials.len() + new.len();
    file.fits(other, num_materials)?;
    let joints = file.same_joints(other)?;
    Moves::new()
        .followed("material", new.len())
        .followed("vertex", other.vertices.len())
        .followed("triangle", other.triangles.len())
        .followed("group", other.groups.len())
        .apply(&mut **file)?;
    let mut other = other.clone();
    Moves::new()
        .placed("bone", joints, file.joints.len())
        .placed("material", materials, num_materials)
        .appended("vertex", file.vertices.len())
        .appended("triangle", file.triangles.len())
        .appended("group", file.groups.len())
        .apply(&mut *other)?;
    file.add_comments(&other);
    file.add_influences(&other);
    file.materials.append(&mut new);
    file.groups.append(&mut other.groups);
    file.triangles.append(&mut other.triangles);
    file.vertices.append(&mut other.vertices);
    Ok(true)
}

impl Ms3d {
    /// Checks that the result is within the limits of the format.
    fn fits(&self, other: &Self, num_materials: usize) -> Result<()> {
        for (what, len, most) in [
            ("vertices", self.vertices.len() + other.vertices.len(), MAX_VERTICES),
            ("triangles", self.triangles.len() + other.triangles.len(), MAX_TRIANGLES),
            ("groups", self.groups.len() + other.groups.len(), MAX_GROUPS),
            ("materials", num_materials, MAX_MATERIALS),
            ("joints", self.joints.len(), MAX_JOINTS),
        ] {
            if len > most {
                return Err(unsupported(&format!(
                    "the result has {len} {what}, and the format permits {most}"
                )));
            }
        }
        Ok(())
    }

    /// Returns the index of each joint of the other model.
    fn same_joints(&self, other: &Self) -> Result<Vec<usize>> {
        let named = by_name(self.joints.iter().map(|own| own.name.text()));
        let lone = || other.joints.iter().filter(|own| !named.contains_key(own.name.text()));
        if lone().next().is_some() {
            return Err(unmatched(Entity::Bone, lone().map(|own| own.name.text())));
        }
        let pairs: Vec<_> = other.joints.iter().map(|own| named[own.name.text()]).collect();
        let [own, new] = [self, other].map(|model| {
            let locals: Vec<Rigid> = model.joints.iter().map(local).collect();
            Places::in_model_space(model.parents(), &locals)
        });
        let (own, new) = (own?, new?);
        for (index, pair) in pairs.iter().enumerate() {
            let (a, b) = (&self.joints[*pair], &other.joints[index]);
            let has_keys = !(b.rotation_keys.is_empty() && b.position_keys.is_empty());
            let are_same = a.rotation_keys == b.rotation_keys && a.position_keys == b.position_keys;
            let why = if has_keys && !are_same {
                "other keys in each file, and a model has one animation"
            } else if own.has_same(*pair, &new, index) {
                continue;
            } else {
                "another bind pose in each file"
            };
            return Err(unsupported(&format!("the joint `{}` has {why}", escape(a.name.text()))));
        }
        Ok(pairs)
    }

    /// Returns the index of each material of the other model, and those that the first lacks.
    fn new_materials(&self, other: &Self) -> Result<(Vec<usize>, Vec<Material>)> {
        let mut all: Vec<&Material> = self.materials.iter().collect();
        let mut named = by_name(all.iter().map(|own| own.name.text()));
        let mut places = Vec::new();
        for own in &other.materials {
            let at = *named.entry(own.name.text()).or_insert(all.len());
            if at == all.len() {
                all.push(own);
            }
            if content(all[at]) != content(own) {
                return Err(duplicate(Entity::Material.name(), own.name.text()));
            }
            places.push(at);
        }
        Ok((places, all.split_off(self.materials.len()).into_iter().cloned().collect()))
    }

    /// Adds the comments of groups and of new materials, and that of the model if the first has none.
    fn add_comments(&mut self, other: &Self) {
        let Some(CommentLists::Sub1(added)) = other.comments.present().map(|own| &own.lists) else { return };
        let own = self.comment_lists();
        own.groups.extend(added.groups.iter().cloned());
        let mut known: HashSet<i32> = own.materials.iter().map(|own| own.index).collect();
        own.materials.extend(added.materials.iter().filter(|own| known.insert(own.index)).cloned());
        if own.model.is_empty() {
            own.model.extend(added.model.iter().cloned());
        }
    }

    /// Returns the lists of comments, which are added where the file has none.
    fn comment_lists(&mut self) -> &mut Comments1 {
        let is_there = self.comments.present().is_some_and(|own| matches!(own.lists, CommentLists::Sub1(_)));
        if !is_there {
            let blank = Comments1 {
                groups: Vec::new().into(),
                materials: Vec::new().into(),
                joints: Vec::new().into(),
                model: Vec::new().into(),
            };
            self.comments = Part::Present(Comments { lists: CommentLists::Sub1(blank) });
        }
        match self.comments.present_mut().map(|own| &mut own.lists) {
            Some(CommentLists::Sub1(own)) => own,
            _ => unreachable!("the lists are present"),
        }
    }

    /// Adds the influences on the vertices, if one of the models has any; those of the other are empty.
    fn add_influences(&mut self, other: &Self) {
        let records = [&*self, other].map(|model| model.vertex_extra.present().map(|own| &own.records));
        let version = records.into_iter().flatten().map(VertexExtraRecords::tag).max().unwrap_or(0);
        if version == 0 {
            return;
        }
        let mut all = influences(records[0], self.vertices.len());
        let mut added = influences(records[1], other.vertices.len());
        let scales = records.map(|own| own.map_or(100, VertexExtraRecords::full_weight));
        if scales[0] != scales[1] {
            [(scales[0], &mut all), (scales[1], &mut added)].into_iter().for_each(to_hundredths);
        }
        all.append(&mut added);
        let records = match version {
            1 => VertexExtraRecords::Sub1(
                all.into_iter()
                    .map(|VertexExtra3 { bone_ids, weights, .. }| VertexExtra1 { bone_ids, weights })
                    .collect(),
            ),
            2 => VertexExtraRecords::Sub2(
                all.into_iter()
                    .map(|VertexExtra3 { bone_ids, weights, extra: [extra, _] }| VertexExtra2 {
                        bone_ids,
                        weights,
                        extra,
                    })
                    .collect(),
            ),
            _ => VertexExtraRecords::Sub3(all.into_iter().collect()),
        };
        if !self.comments.is_present() {
            self.comment_lists();
        }
        self.vertex_extra = Part::Present(VertexExtra { records });
    }
}

/// Scales weights that sum to another number than 100.
fn to_hundredths((full, records): (u8, &mut Vec<VertexExtra3>)) {
    let half = u16::from(full) / 2;
    let share = |weight: u8| (u16::from(weight) * 100 + half) / u16::from(full);
    for own in records {
        own.weights = own.weights.map(|weight| u8::try_from(share(weight)).unwrap_or(100));
    }
}

/// Returns the bytes of a material without those after the NUL of its texts, which differ from file to file.
fn content(material: &Material) -> Vec<u8> {
    let mut own = material.clone();
    let texts: [&mut dyn Leaf; 3] = [&mut own.name, &mut own.texture, &mut own.alphamap];
    for text in texts {
        _ = text.scrub();
    }
    bytes_of(&own)
}

/// Returns the influences on vertices in the widest form.
fn influences(records: Option<&VertexExtraRecords>, vertices: usize) -> Vec<VertexExtra3> {
    let wide =
        |bone_ids: [u8; 3], weights: [u8; 3], extra: [u32; 2]| VertexExtra3 { bone_ids, weights, extra };
    match records {
        None | Some(VertexExtraRecords::Empty) => vec![wide([NONE; 3], [0; 3], [0; 2]); vertices],
        Some(VertexExtraRecords::Sub1(own)) => {
            own.iter().map(|own| wide(own.bone_ids, own.weights, [0; 2])).collect()
        }
        Some(VertexExtraRecords::Sub2(own)) => {
            own.iter().map(|own| wide(own.bone_ids, own.weights, [own.extra, 0])).collect()
        }
        Some(VertexExtraRecords::Sub3(own)) => own.to_vec(),
    }
}
