//! Checks the rules of `rules.rs`.

use super::rules::{
    ALIGNMENT, ARRAYS, CHANNELS, DUPLICATE, EXTENSIONS, FORMAT, FRAMES, JOINT, MISSING, NAME, NO_MESH,
    OUTSIDE, PARENT_CYCLE, PARENT_ORDER, POSES, RATE, ROTATION, SURPLUS, TRIANGLE, VERTEX, WEIGHT,
    ZERO_ROTATION,
};
use super::types::{DATA, RECOMMENDED, format_name, type_name};
use super::values::Influences;
use super::{CUSTOM, Iqm, MAX_ARRAYS, Pose};
use crate::Result;
use crate::check::common::{
    ParentRules, QuaternionRules, count, field_path, index, parents, quaternion, sum_up, unique,
};
use crate::check::{Check, Findings, ListedBones, tolerance};
use crate::schema::Schema;

impl crate::sealed::Sealed for Iqm {}

/// The types that every model has, and those of one with joints.
const REQUIRED: [u32; 3] = [0, 1, 2];
const OF_JOINTS: [u32; 2] = [4, 5];

/// The format of components of 8 bytes.
const DOUBLE: u32 = 8;

const ROTATIONS: QuaternionRules = QuaternionRules { zero: &ZERO_ROTATION, unit: &ROTATION };
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
        self.check_presence(findings);
        self.check_frames(findings);
        self.check_extensions(findings);
        self.check_alignment(findings);
    }
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
        let joints = self.sections.joints.iter().map(|own| self.text(own.name));
        unique(findings, &DUPLICATE, joints, |at| field_path!["sections", "joints", at, "name"]);
        let anims = self.sections.anims.iter().map(|own| self.text(own.name));
        unique(findings, &DUPLICATE, anims, |at| field_path!["sections", "anims", at, "name"]);
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
            for (first, len, rule, all) in [
                (own.first_vertex, own.num_vertexes, &VERTEX, ("vertex", vertices)),
                (own.first_triangle, own.num_triangles, &TRIANGLE, ("triangle", triangles)),
            ] {
                if len > 0 {
                    let last = i64::from(first) + i64::from(len) - 1;
                    index(findings, rule, last, all, || field_path!["sections", "meshes", at]);
                }
            }
        }
        self.check_ranges(findings);
    }

    /// Checks each triangle with the first mesh that has it: meshes can share triangles.
    fn check_ranges(&self, findings: &mut Findings) {
        let triangles = &self.sections.triangles;
        let path = |at: usize| field_path!["sections", "triangles", at];
        let ranges = self.sections.meshes.iter().map(|own| own.triangles(triangles.len()));
        let mut ranges: Vec<_> = ranges.enumerate().filter(|(_, range)| !range.is_empty()).collect();
        ranges.sort_by_key(|(_, range)| range.start);
        let (mut in_no_mesh, mut end) = (Vec::new(), 0);
        for (mesh, range) in ranges {
            in_no_mesh.push(end..range.start);
            let own = &self.sections.meshes[mesh];
            let vertices = own.first_vertex..own.first_vertex.saturating_add(own.num_vertexes);
            let is_outside = |vertex: &u32| *vertex < self.num_vertexes && !vertices.contains(vertex);
            let outside =
                (range.start.max(end)..range.end).filter(|at| triangles[*at].iter().any(is_outside));
            sum_up(findings, &OUTSIDE, outside, |at, more| {
                (path(at), format!("has vertices that mesh {mesh} does not have{more}"))
            });
            end = end.max(range.end);
        }
        in_no_mesh.push(end..triangles.len());
        sum_up(findings, &NO_MESH, in_no_mesh.into_iter().flatten(), |at, more| {
            (path(at), format!("is in no mesh{more}"))
        });
    }

    fn check_bones(&self, findings: &mut Findings) {
        let (joints, poses) = (&self.sections.joints, &self.sections.poses);
        let parent = |own: i32| (own >= 0).then(|| i64::from(own));
        let own: Vec<_> = joints.iter().map(|own| parent(own.parent)).collect();
        parents(findings, &PARENTS, &own, |at| field_path!["sections", "joints", at, "parent"]);
        let own: Vec<_> = poses.iter().map(|own| parent(own.parent)).collect();
        parents(findings, &PARENTS, &own, |at| field_path!["sections", "poses", at, "parent"]);
        for (at, own) in joints.iter().enumerate() {
            let path = || field_path!["sections", "joints", at, "rotate"];
            quaternion(findings, &ROTATIONS, own.rotate, path);
        }
        if !joints.is_empty() && !poses.is_empty() {
            let numbers = (poses.len(), joints.len());
            let others = || format!("{} joints exist", joints.len());
            count(findings, &POSES, numbers, || field_path!["sections", "poses"], others);
        }
    }

    fn check_influences(&self, findings: &mut Findings) {
        let Some(own) = Influences::of(self) else { return };
        let (num_joints, full) = (self.sections.joints.len(), own.weights.full);
        for vertex in 0..self.num_vertexes as usize {
            let weights = (0..own.slots).map(|slot| own.weights.get(vertex, slot)).enumerate();
            let sum: f32 = weights.clone().map(|(_, weight)| weight).sum();
            if (sum / full - 1.0).abs() > tolerance::BYTE_WEIGHTS {
                let message = || format!("sum to {sum}, expected {full}");
                findings.add(&WEIGHT, || own.weights.path_of(vertex), message);
            }
            for (slot, _) in weights.filter(|(_, weight)| *weight > 0.0) {
                let path = || own.path_of_joint(vertex, slot);
                index(findings, &JOINT, own.joint(vertex, slot), ("joint", num_joints), path);
            }
        }
    }

    fn check_arrays(&self, findings: &mut Findings) {
        let arrays = &self.sections.vertex_arrays;
        for (at, own) in arrays.iter().enumerate() {
            let Some((format, size)) = RECOMMENDED.get(own.kind as usize) else { continue };
            if (own.format, own.size) != (*format, *size) {
                let path = || field_path!["sections", "vertex_arrays", at];
                let [is, expected] = [own.format, *format].map(format_name);
                let has = format!("has {} components of format {is}", own.size);
                findings.add(&FORMAT, path, || format!("{has}, expected {size} of format {expected}"));
            }
        }
        let kinds = arrays.iter().map(|own| own.kind).enumerate();
        for ((_, before), (at, own)) in kinds.clone().zip(kinds.skip(1)) {
            // Custom types have no order among each other.
            if own < CUSTOM && before >= own {
                let path = || field_path!["sections", "vertex_arrays", at, "kind"];
                let message = || format!("{} follows {}", type_name(own), type_name(before));
                findings.add(&ARRAYS, path, message);
            }
        }
        if arrays.len() > MAX_ARRAYS {
            let message = || format!("has {}, and {MAX_ARRAYS} are decoded", arrays.len());
            findings.add(&SURPLUS, || field_path!["sections", "vertex_arrays"], message);
        }
    }

    fn check_presence(&self, findings: &mut Findings) {
        let (has_meshes, has_joints) = (!self.sections.meshes.is_empty(), !self.sections.joints.is_empty());
        let of_joints = OF_JOINTS.iter().filter(|_| has_joints);
        for kind in REQUIRED.iter().chain(of_joints).filter(|_| has_meshes) {
            if !self.sections.vertex_arrays.iter().any(|own| own.kind == *kind) {
                let path = || field_path!["sections", "vertex_arrays"];
                findings.add(&MISSING, path, || format!("the type {} is missing", type_name(*kind)));
            }
        }
    }

    fn check_extensions(&self, findings: &mut Findings) {
        if self.sections.extension_2.ofs_extensions != 0 {
            let path = || field_path!["sections", "extension_2"];
            findings.add(&SURPLUS, path, || "extensions after it are not decoded".into());
            return;
        }
        let len = self.extensions().count();
        let numbers = (self.num_extensions as usize, len);
        let path = || field_path!["num_extensions"];
        count(findings, &EXTENSIONS, numbers, path, || format!("{len} follow each other"));
    }

    fn check_alignment(&self, findings: &mut Findings) {
        let arrays = self.sections.vertex_arrays.iter().zip(DATA);
        let doubles: Vec<_> = arrays.filter(|(own, _)| own.format == DOUBLE).map(|(_, part)| part).collect();
        let place = |part: &'static str| {
            let offset: u32 = self.sections.offset_of(Self::HEAD, part).unwrap_or(0);
            let alignment = if doubles.contains(&part) { 8 } else { 4 };
            (!offset.is_multiple_of(alignment)).then_some((part, offset))
        };
        let parts = self.sections.order().into_iter().filter(|part| *part != "end");
        sum_up(findings, &ALIGNMENT, parts.filter_map(place), |(part, offset), more| {
            (field_path!["sections", part], format!("begins at {offset:#010x}{more}"))
        });
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
            // Another rule reports rates that are not finite.
            if own.framerate <= 0.0 {
                let path = || field_path!["sections", "anims", at, "framerate"];
                findings.add(&RATE, path, || format!("is {}", own.framerate));
            }
        }
    }
}
