//! Checks the rules of `rules.rs`.

use std::collections::HashMap;

use super::rules::{
    BONE_NAME, EFFECTIVE, FLAGS, FRAMES, INFLUENCE_BONE, LAST_TWICE, MATRIX, NAMELESS, NEGATIVE, NORMAL,
    OWN_PARENT, PARENT, PARENT_CYCLE, PARENT_ORDER, ROOTS, WEIGHT_RANGE, WEIGHT_SUM,
};
use super::{Animation, Bones, Corner, Faces, Frames, Mesh, Skeleton};
use crate::check::common::{field_path, quoted, sum_up, unique, within};
use crate::check::{Check, Findings, ListedBones, tolerance};
use crate::hierarchy::{by_name, cycles};
use crate::wire::Wire;
use crate::{FieldPath, Result};

mod set;

pub(in crate::formats) use set::check_set;

impl crate::sealed::Sealed for Skeleton {}

impl Check for Skeleton {
    fn bone_list(&self) -> Result<Option<ListedBones>> {
        let count = self.num_bones();
        Ok(Some(ListedBones::defined(self.bones.iter().map(|bone| bone.name.text()).take(count))))
    }

    fn check(&self, findings: &mut Findings) {
        let bones: Vec<_> = self.bones.iter().collect();
        if self.repeats_last_bone() {
            let path = || field_path!["bones", bones.len() - 1];
            findings.add(&LAST_TWICE, path, || "repeats the previous bone".into());
        }
        let bones = &bones[..self.num_bones()];
        let path = |bone: usize, field: &'static str| field_path!["bones", bone, field];
        unique(findings, &BONE_NAME, bones.iter().map(|bone| bone.name.text()), |bone| path(bone, "name"));
        let places = by_name(bones.iter().map(|bone| bone.name.text()));
        let mut root = None;
        for (at, bone) in bones.iter().enumerate() {
            if bone.name.is_empty() {
                findings.add(&NAMELESS, || path(at, "name"), || "is empty".into());
            }
            if bone.parent_name.is_empty() {
                if let Some(root) = root {
                    let message = || format!("is empty, but bone {root} is already a root");
                    findings.add(&ROOTS, || path(at, "parent_name"), message);
                }
                root = root.or(Some(at));
            }
            singular(bone.rows, || path(at, "matrix"), findings);
        }
        let mut parents = Vec::new();
        for (at, bone) in bones.iter().enumerate() {
            parents.push(parent(at, bone.name.text(), bone.parent_name.text(), &places, findings));
        }
        for at in cycles(&parents) {
            findings.add(&PARENT_CYCLE, || path(at, "parent_name"), || "is its own ancestor".into());
        }
        if let Bones::M52(bones) = &self.bones {
            let flags = bones.iter().map(|bone| bone.matrix.flags.raw());
            unknown_flags(flags, &|at| field_path!["bones", at, "matrix", "flags"], findings);
        }
    }
}

/// Checks the parent of a bone, and returns its index unless the bone names itself.
fn parent(
    at: usize,
    name: &[u8],
    parent: &[u8],
    places: &HashMap<&[u8], usize>,
    findings: &mut Findings,
) -> Option<usize> {
    let path = || field_path!["bones", at, "parent_name"];
    if parent.is_empty() {
        return None;
    }
    if name == parent {
        findings.add(&OWN_PARENT, path, || "is the name of the bone itself".into());
        return None;
    }
    let place = places.get(parent).copied();
    match place {
        None => findings.add(&PARENT, path, || format!("no bone is named {}", quoted(parent))),
        Some(place) if place > at => {
            findings.add(&PARENT_ORDER, path, || format!("parent {place} follows its child {at}"));
        }
        Some(_) => {}
    }
    place
}

/// Checks that a matrix has an inverse.
fn singular(rows: [[f32; 3]; 4], path: impl FnOnce() -> FieldPath, findings: &mut Findings) {
    let [x, y, z, _] = rows;
    let minor = |a: usize, b: usize| y[a].mul_add(z[b], -(y[b] * z[a]));
    let determinant = x[0].mul_add(minor(1, 2), x[1].mul_add(minor(2, 0), x[2] * minor(0, 1)));
    if determinant == 0.0 {
        let point = [x, y, z].iter().flatten().all(|part| *part == 0.0);
        let what = if point { "all axes are zero" } else { "the axes are linearly dependent" };
        findings.add(&MATRIX, path, || what.into());
    }
}

fn unknown_flags(
    flags: impl Iterator<Item = u32>,
    path: &dyn Fn(usize) -> FieldPath,
    findings: &mut Findings,
) {
    for (at, flags) in flags.enumerate().filter(|(_, flags)| *flags > 7) {
        findings.add(&FLAGS, || path(at), || format!("are {flags:#010x}, but only bits 0 to 2 are known"));
    }
}

impl crate::sealed::Sealed for Animation {}

impl Check for Animation {
    fn bone_list(&self) -> Result<Option<ListedBones>> {
        Ok(Some(ListedBones::Indices((0..).take(self.num_bones().unwrap_or(0)).collect())))
    }

    fn check(&self, findings: &mut Findings) {
        if self.num_frames < 0 {
            findings.add(
                &NEGATIVE,
                || field_path!["num_frames"],
                || format!("is {}, expected 0 or greater", self.num_frames),
            );
        }
        let len = self.matrices.len();
        if usize::try_from(self.num_frames).is_ok_and(|frames| frames > 0 && !len.is_multiple_of(frames)) {
            let message = || format!("{len} are not divisible into {} frames", self.num_frames);
            findings.add(&FRAMES, || field_path!["matrices"], message);
        }
        if self.num_frames == 0 && len > 0 {
            findings.add(
                &FRAMES,
                || field_path!["matrices"],
                || format!("{len} exist, but the number of frames is 0"),
            );
        }
        for (at, rows) in (0..).map_while(|at| self.matrices.get(at)).enumerate() {
            singular(rows, || field_path!["matrices", at], findings);
        }
        if let Frames::M52(matrices) = &self.matrices {
            let flags = matrices.iter().map(|matrix| matrix.flags.raw());
            unknown_flags(flags, &|at| field_path!["matrices", at, "flags"], findings);
        }
    }
}

impl crate::sealed::Sealed for Mesh {}

impl Check for Mesh {
    fn check(&self, findings: &mut Findings) {
        match &self.faces {
            Faces::P12(faces) => {
                faces.iter().enumerate().for_each(|(at, face)| corners(at, &face.corners, findings));
                normals(
                    faces.iter().map(|face| face.corners.each_ref().map(|corner| corner.normal)),
                    findings,
                );
            }
            Faces::P16(faces) => {
                faces.iter().enumerate().for_each(|(at, face)| corners(at, &face.corners, findings));
                let narrow =
                    |corner: &Corner<[f32; 4]>| corner.normal.first_chunk().copied().unwrap_or_default();
                normals(faces.iter().map(|face| face.corners.each_ref().map(narrow)), findings);
            }
        }
    }
}

fn normals(faces: impl Iterator<Item = [[f32; 3]; 3]>, findings: &mut Findings) {
    let square = |normal: [f32; 3]| normal.iter().map(|part| part * part).sum::<f32>();
    let lengths = faces.enumerate().flat_map(|(at, face)| {
        face.into_iter().map(square).enumerate().map(move |(corner, square)| (at, corner, square))
    });
    let odd = lengths.filter(|(.., square)| (square - 1.0).abs() > tolerance::UNIT && square.is_finite());
    sum_up(findings, &NORMAL, odd, |(at, corner, square), more| {
        (
            field_path!["faces", at, "corners", corner, "normal"],
            format!("has length {}, expected 1{more}", square.sqrt()),
        )
    });
}

fn corners<P: Wire>(face: usize, corners: &[Corner<P>; 3], findings: &mut Findings) {
    for (place, corner) in corners.iter().enumerate() {
        let path = |field: &'static str| move || field_path!["faces", face, "corners", place, field];
        let effective = match usize::try_from(corner.num_effective) {
            Ok(count) if count <= corner.influences.len() => count,
            _ => {
                findings.add(&EFFECTIVE, path("num_effective"), || {
                    format!("is {}, expected 0 to {}", corner.num_effective, corner.influences.len())
                });
                corner.influences.len()
            }
        };
        // The other entries are uninitialised memory.
        let influences = &corner.influences[..effective];
        for (at, influence) in influences.iter().enumerate() {
            let path = |field: &'static str| {
                move || field_path!["faces", face, "corners", place, "influences", at, field]
            };
            if influence.bone_index < 0 {
                let message = || format!("is {}, expected 0 or greater", influence.bone_index);
                findings.add(&INFLUENCE_BONE, path("bone_index"), message);
            }
            within(findings, &WEIGHT_RANGE, influence.weight, 0.0..=1.0, path("weight"));
        }
        let sum: f32 = influences.iter().map(|influence| influence.weight).sum();
        if effective > 0 && (sum - 1.0).abs() > tolerance::WEIGHTS {
            findings.add(&WEIGHT_SUM, path("influences"), || format!("sum to {sum}, expected 1"));
        }
    }
}
