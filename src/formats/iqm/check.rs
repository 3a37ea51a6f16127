//! Checks the rules of `rules.rs`.

use super::rules::{
    ALIGNMENT, CHANNELS, FORMAT, FRAMES, JOINT, NAME, PARENT_CYCLE, PARENT_ORDER, POSES, SURPLUS, TRIANGLE,
    VERTEX, WEIGHT,
};
use super::{Iqm, MAX_ARRAYS, Pose, VertexData};
use crate::check::common::{ParentRules, count, field_path, index, parents};
use crate::check::{Check, Findings, ListedBones};
use crate::rescue::Losses;
use crate::schema::Schema;
use crate::{FieldPath, Result};

impl crate::sealed::Sealed for Iqm {}

/// The recommended format and number of components of each type.
const RECOMMENDED: [(u32, u32); 7] = [(7, 3), (7, 2), (7, 3), (7, 4), (1, 4), (1, 4), (1, 4)];

const PARENTS: ParentRules = ParentRules { range: &JOINT, cycle: &PARENT_CYCLE, order: &PARENT_ORDER };

impl Check for Iqm {
    /// A file without joints moves those of another one.
    fn bone_list(&self) -> Result<Option<ListedBones>> {
        let (joints, poses) = (&self.sections.joints, &self.sections.poses);
        Ok(Some(if joints.is_empty() && !poses.is_empty() {
            ListedBones::Indices((0..).take(poses.len()).collect())
        } else {
            ListedBones::defined(joints.iter().map(|own| self.text(own.name)))
        }))
    }

    fn check(&self, findings: &mut Findings) {
        self.check_names(findings);
        self.check_triangles(findings);
        self.check_bones(findings);
        self.check_influences(findings);
        self.check_arrays(findings);
        self.check_frames(findings);
        for part in self.sections.order() {
            let offset = self.sections.offset_of::<u32>(Self::HEAD, part).unwrap_or(0);
            if !offset.is_multiple_of(4) && part != "end" {
                findings.add(
                    &ALIGNMENT,
                    || field_path!["sections", part],
                    || format!("begins at {offset:#010x}"),
                );
            }
        }
    }

    fn reconcile(&mut self, losses: &mut Losses) -> Result<()> {
        super::rescue::reconcile(self, losses);
        Ok(())
    }
}

/// Returns the path of the data of a vertex array.
pub(super) fn data_path(array: usize) -> FieldPath {
    let part = format!("sections.vertex_data_{array}");
    part.parse().unwrap_or_default()
}

impl Iqm {
    /// Returns where no further name begins: after the last NUL of the text.
    pub(super) fn end_of_names(&self) -> usize {
        self.sections.text.0.iter().rposition(|byte| *byte == 0).map_or(0, |last| last + 1)
    }

    fn check_names(&self, findings: &mut Findings) {
        let text = &self.sections.text.0;
        let end = self.end_of_names();
        for (path, name) in self.name_fields() {
            // A file without names has no text.
            if name as usize >= end && (name, text.len()) != (0, 0) {
                findings.add(&NAME, || path, || format!("is {name}, but the text has {} bytes", text.len()));
            }
        }
    }

    fn check_triangles(&self, findings: &mut Findings) {
        let (vertices, triangles) = (self.num_vertexes as usize, self.sections.triangles.len());
        for (at, own) in self.sections.triangles.iter().enumerate() {
            for (corner, vertex) in own.iter().enumerate() {
                let path = || field_path!["sections", "triangles", at, corner];
                index(findings, &VERTEX, *vertex, ("vertex", vertices), path);
            }
        }
        for (at, own) in self.sections.adjacency.iter().enumerate() {
            for (edge, triangle) in own.iter().enumerate().filter(|(_, triangle)| **triangle != u32::MAX) {
                let path = || field_path!["sections", "adjacency", at, edge];
                index(findings, &TRIANGLE, *triangle, ("triangle", triangles), path);
            }
        }
        for (at, own) in self.sections.meshes.iter().enumerate() {
            let last = |first: u32, len: u32| i64::from(first) + i64::from(len) - 1;
            let path = || field_path!["sections", "meshes", at];
            if own.num_vertexes > 0 {
                let last = last(own.first_vertex, own.num_vertexes);
                index(findings, &VERTEX, last, ("vertex", vertices), path);
            }
            if own.num_triangles > 0 {
                let last = last(own.first_triangle, own.num_triangles);
                index(findings, &TRIANGLE, last, ("triangle", triangles), path);
            }
        }
    }

    fn check_bones(&self, findings: &mut Findings) {
        let (joints, poses) = (&self.sections.joints, &self.sections.poses);
        let parent = |own: i32| (own >= 0).then(|| i64::from(own));
        let own: Vec<_> = joints.iter().map(|own| parent(own.parent)).collect();
        parents(findings, &PARENTS, &own, |at| field_path!["sections", "joints", at, "parent"]);
        let own: Vec<_> = poses.iter().map(|own| parent(own.parent)).collect();
        parents(findings, &PARENTS, &own, |at| field_path!["sections", "poses", at, "parent"]);
        if !joints.is_empty() && !poses.is_empty() {
            let numbers = (poses.len(), joints.len());
            count(
                findings,
                &POSES,
                numbers,
                || field_path!["sections", "poses"],
                || format!("{} joints exist", joints.len()),
            );
        }
    }

    fn check_influences(&self, findings: &mut Findings) {
        let (Some((joints_at, _, joints)), Some((weights_at, _, weights))) = (self.array(4), self.array(5))
        else {
            return;
        };
        let VertexData::BlendWeights(weights) = weights else { return };
        let num_joints = self.sections.joints.len();
        for (vertex, own) in weights.iter().enumerate() {
            let sum: u32 = own.iter().map(|own| u32::from(*own)).sum();
            if sum != 255 {
                let path = || data_path(weights_at).join(&field_path![vertex]);
                findings.add(&WEIGHT, path, || format!("sum to {sum}, expected 255"));
            }
            let VertexData::BlendIndexes(joints) = joints else { continue };
            let used = joints.get(vertex).into_iter().flat_map(|own| own.joints).zip(own).enumerate();
            for (slot, (joint, _)) in used.filter(|(_, (_, weight))| **weight > 0) {
                let path = || data_path(joints_at).join(&field_path![vertex, "joints", slot]);
                index(findings, &JOINT, joint, ("joint", num_joints), path);
            }
        }
    }

    fn check_arrays(&self, findings: &mut Findings) {
        let arrays = &self.sections.vertex_arrays;
        for (at, own) in arrays.iter().enumerate() {
            let Some((format, size)) = RECOMMENDED.get(own.kind as usize) else { continue };
            if (own.format, own.size) != (*format, *size) {
                let path = || field_path!["sections", "vertex_arrays", at];
                let has = format!("has {} components of format {}", own.size, own.format);
                findings.add(&FORMAT, path, || format!("{has}, expected {size} of format {format}"));
            }
        }
        let last = &self.sections.extension_2;
        if arrays.len() > MAX_ARRAYS {
            let message = || format!("has {}, and {MAX_ARRAYS} are decoded", arrays.len());
            findings.add(&SURPLUS, || field_path!["sections", "vertex_arrays"], message);
        }
        if last.ofs_extensions != 0 {
            let path = || field_path!["sections", "extension_2"];
            findings.add(&SURPLUS, path, || "extensions after it are not decoded".into());
        }
    }

    fn check_frames(&self, findings: &mut Findings) {
        let channels: usize = self.sections.poses.iter().map(Pose::width).sum();
        let numbers = (self.num_framechannels as usize, channels);
        let path = || field_path!["num_framechannels"];
        count(findings, &CHANNELS, numbers, path, || format!("the poses have {channels} channels"));
        for (at, own) in self.sections.anims.iter().enumerate() {
            let end = u64::from(own.first_frame) + u64::from(own.num_frames);
            if end > self.num_frames.into() {
                let message =
                    || format!("has frames {}..{end}, but {} exist", own.first_frame, self.num_frames);
                findings.add(&FRAMES, || field_path!["sections", "anims", at], message);
            }
        }
    }
}
