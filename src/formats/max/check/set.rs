//! Checks animations and meshes against their skeleton.

use super::super::rules::{SET_FIRST_FRAME, SET_FRAMES, SET_INFLUENCE};
use super::super::{Animation, BoneRef, Faces, Skeleton};
use crate::File;
use crate::check::Findings;
use crate::check::common::{counted, field_path};
use crate::check::tolerance::MATRIX as NEAR;

/// Checks files against each other; each finding is added to the file it concerns.
pub(in crate::formats) fn check_set(files: &[&File], findings: &mut [Findings]) {
    let skeletons = files.iter().filter_map(|file| match file {
        File::MaxSkeleton(skeleton) => Some(&**skeleton),
        _ => None,
    });
    // With several skeletons it is unknown which one applies; the largest gives the fewest false findings.
    let Some(skeleton) = skeletons.max_by_key(|own| own.num_bones()) else { return };
    let bones = skeleton.num_bones();
    for (at, file) in files.iter().enumerate() {
        match file {
            File::MaxAnimation(animation) => {
                frames(animation, bones, &mut findings[at]);
                first_frame(animation, skeleton, &mut findings[at]);
            }
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

fn first_frame(animation: &Animation, skeleton: &Skeleton, findings: &mut Findings) {
    let bones = skeleton.num_bones();
    if animation.num_bones() != Some(bones) {
        return;
    }
    let is_near = |(own, other): (&f32, &f32)| (own - other).abs() <= NEAR * (1.0 + other.abs());
    let is_same = |(bone, own): (BoneRef<'_>, [[f32; 3]; 4])| {
        own.as_flattened().iter().zip(bone.rows.as_flattened()).all(is_near)
    };
    let first = (0..bones).filter_map(|bone| animation.matrix(0, bone));
    if bones > 0 && !skeleton.bones.iter().zip(first).any(is_same) {
        let message = || "differs from the skeleton, as those of all bones in the first frame".to_owned();
        findings.add(&SET_FIRST_FRAME, || field_path!["matrices", 0], message);
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
