//! Makes the remaining content of a truncated file consistent.

use std::collections::HashSet;

use super::{JointColors, Ms3d, NONE, VertexExtra1, VertexExtra2, VertexExtra3, VertexExtraRecords};
use crate::check::common::field_path;
use crate::rescue::{Losses, Rescue};
use crate::wire::FixedStr;
use crate::{FieldPath, Result};

impl Rescue for Ms3d {
    /// The fields of [`Animation`](super::Animation) of a blank file replace lost ones.
    fn reconcile(&mut self, losses: &mut Losses) -> Result<()> {
        if losses.has_within(&field_path!["animation"]) {
            self.animation = super::Animation { fps: 24.0, current_time: 1.0, total_frames: 1 };
        }
        triangles(self, losses);
        groups(self, losses);
        joints(self, losses);
        extra_records(self, losses);
        Ok(())
    }
}

/// Removes triangles whose vertices are lost, and renumbers those that groups list.
fn triangles(file: &mut Ms3d, losses: &mut Losses) {
    let (vertices, before) = (file.vertices.len(), file.triangles.len());
    let mut places = Vec::with_capacity(before);
    let mut next = 0_u16;
    file.triangles.retain(|triangle| {
        let is_kept = triangle.vertex_indices.iter().all(|vertex| usize::from(*vertex) < vertices);
        places.push(is_kept.then_some(next));
        next += u16::from(is_kept);
        is_kept
    });
    losses.add_count(field_path!["triangles"], before - file.triangles.len(), "removed: a vertex is lost");
    for (at, group) in file.groups.iter_mut().enumerate() {
        let before = group.triangle_indices.len();
        let place = |triangle: &u16| places.get(usize::from(*triangle)).copied().flatten();
        *group.triangle_indices = group.triangle_indices.iter().filter_map(place).collect();
        let path = field_path!["groups", at, "triangle_indices"];
        losses.add_count(path, before - group.triangle_indices.len(), "removed: the triangle is lost");
    }
}

fn groups(file: &mut Ms3d, losses: &mut Losses) {
    let materials = file.materials.len();
    for (at, group) in file.groups.iter_mut().enumerate() {
        if group.material_index != NONE && usize::from(group.material_index) >= materials {
            let message = format!("is {}, which is lost; now {NONE}", group.material_index);
            losses.add(field_path!["groups", at, "material_index"], message);
            group.material_index = NONE;
        }
    }
}

/// Removes references to lost joints.
fn joints(file: &mut Ms3d, losses: &mut Losses) {
    let joints = file.joints.len();
    let mut count = 0;
    let mut clear = |joint: &mut u8| {
        if *joint != NONE && usize::from(*joint) >= joints {
            *joint = NONE;
            count += 1;
        }
    };
    file.vertices.iter_mut().for_each(|vertex| clear(&mut vertex.bone_id));
    if let Some(extra) = file.vertex_extra.present_mut() {
        match &mut extra.records {
            VertexExtraRecords::Empty => {}
            VertexExtraRecords::Sub1(list) => {
                list.iter_mut().flat_map(|own| &mut own.bone_ids).for_each(clear);
            }
            VertexExtraRecords::Sub2(list) => {
                list.iter_mut().flat_map(|own| &mut own.bone_ids).for_each(clear);
            }
            VertexExtraRecords::Sub3(list) => {
                list.iter_mut().flat_map(|own| &mut own.bone_ids).for_each(clear);
            }
        }
    }
    losses.add_count(field_path!["vertices"], count, "detached: the joint is lost");
    let names: HashSet<_> = file.joints.iter().map(|joint| joint.name.text().to_vec()).collect();
    for (at, joint) in file.joints.iter_mut().enumerate() {
        let parent = joint.parent_name.text();
        if !parent.is_empty() && !names.contains(parent) {
            losses.add(field_path!["joints", at, "parent_name"], "is removed: the parent is lost");
            joint.parent_name = FixedStr::default();
        }
    }
}

/// Adds records without influences, and white, for the vertices and joints whose records are lost.
fn extra_records(file: &mut Ms3d, losses: &mut Losses) {
    let (vertices, joints) = (file.vertices.len(), file.joints.len());
    let bone_ids = [NONE; 3];
    if let Some(extra) = file.vertex_extra.present_mut() {
        let path = field_path!["vertex_extra", "records"];
        match &mut extra.records {
            VertexExtraRecords::Empty => {}
            VertexExtraRecords::Sub1(list) => {
                fill(path, list, vertices, VertexExtra1 { bone_ids, ..VertexExtra1::default() }, losses);
            }
            VertexExtraRecords::Sub2(list) => {
                fill(path, list, vertices, VertexExtra2 { bone_ids, ..VertexExtra2::default() }, losses);
            }
            VertexExtraRecords::Sub3(list) => {
                fill(path, list, vertices, VertexExtra3 { bone_ids, ..VertexExtra3::default() }, losses);
            }
        }
    }
    if let Some(JointColors::Sub1(colors)) = file.joint_extra.present_mut().map(|extra| &mut extra.colors) {
        fill(field_path!["joint_extra", "colors"], colors, joints, [1.0; 3], losses);
    }
}

/// Extends a list by default elements, or shortens it.
fn fill<T: Clone>(path: FieldPath, list: &mut Vec<T>, len: usize, default: T, losses: &mut Losses) {
    losses.add_count(path.clone(), len.saturating_sub(list.len()), "replaced with the default");
    losses.add_count(path, list.len().saturating_sub(len), "removed: the counterpart is lost");
    list.resize(len, default);
}
