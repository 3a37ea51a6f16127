//! Rules of a skeleton with its animations and meshes.

use super::super::rules::{SET_FRAMES, SET_INFLUENCE};
use super::super::{Animation, Faces};
use crate::File;
use crate::check::Findings;
use crate::check::common::field_path;

/// Checks what files say of each other; each finding goes to the file that it is in.
pub(in crate::formats) fn check_set(files: &[&File], findings: &mut [Findings]) {
    let bones = files.iter().filter_map(|file| match file {
        File::MaxSkeleton(skeleton) => Some(skeleton.bones.len() - usize::from(skeleton.repeats_last_bone())),
        _ => None,
    });
    // With several skeletons nobody knows which is meant; the largest is asked least of.
    let Some(bones) = bones.max() else { return };
    for (at, file) in files.iter().enumerate() {
        match file {
            File::MaxAnimation(animation) => frames(animation, bones, &mut findings[at]),
            File::MaxMesh(mesh) => match &mesh.faces {
                Faces::P12(faces) => {
                    let corners = faces.iter().map(|face| face.corners.each_ref().map(effective));
                    influences(corners, bones, &mut findings[at]);
                }
                Faces::P16(faces) => {
                    let corners = faces.iter().map(|face| face.corners.each_ref().map(effective));
                    influences(corners, bones, &mut findings[at]);
                }
            },
            _ => {}
        }
    }
}

fn frames(animation: &Animation, bones: usize, findings: &mut Findings) {
    if let Some(own) = animation.num_bones().filter(|own| *own != bones) {
        let message = || format!("have {own} bones in a frame, the skeleton has {bones}");
        findings.add(&SET_FRAMES, || field_path!["matrices"], message);
    }
}

/// The bones that move a corner.
fn effective<P: crate::wire::Wire>(corner: &super::super::Corner<P>) -> Vec<i32> {
    let count = usize::try_from(corner.num_effective).unwrap_or(0);
    corner.influences.iter().take(count).map(|influence| influence.bone_index).collect()
}

fn influences(faces: impl Iterator<Item = [Vec<i32>; 3]>, bones: usize, findings: &mut Findings) {
    for (face, corners) in faces.enumerate() {
        for (corner, influences) in corners.iter().enumerate() {
            for (at, bone) in influences.iter().enumerate() {
                if usize::try_from(*bone).is_ok_and(|bone| bone >= bones) {
                    let path =
                        || field_path!["faces", face, "corners", corner, "influences", at, "bone_index"];
                    findings.add(&SET_INFLUENCE, path, || format!("names bone {bone} of {bones}"));
                }
            }
        }
    }
}
