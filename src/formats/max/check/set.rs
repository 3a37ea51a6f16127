//! Checks animations and meshes against their skeleton.

use super::super::rules::{SET_FRAMES, SET_INFLUENCE};
use super::super::{Animation, Faces};
use crate::File;
use crate::check::Findings;
use crate::check::common::{counted, field_path};

/// Checks files against each other; each finding is added to the file it concerns.
pub(in crate::formats) fn check_set(files: &[&File], findings: &mut [Findings]) {
    let bones = files.iter().filter_map(|file| match file {
        File::MaxSkeleton(skeleton) => Some(skeleton.bones.len() - usize::from(skeleton.repeats_last_bone())),
        _ => None,
    });
    // With several skeletons it is unknown which one applies; the largest gives the fewest false findings.
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
        let message =
            || format!("have {} per frame, expected {bones} as in the skeleton", counted(own, "bone"));
        findings.add(&SET_FRAMES, || field_path!["matrices"], message);
    }
}

/// Returns the bone indices of the influences in use.
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
                    findings.add(&SET_INFLUENCE, path, || {
                        format!("is {bone}, but the skeleton has {}", counted(bones, "bone"))
                    });
                }
            }
        }
    }
}
