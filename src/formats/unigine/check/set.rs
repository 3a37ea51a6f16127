//! Rules of a mesh and its animations.

use std::collections::HashSet;

use super::super::Bone;
use super::super::rules::{SET_NEAR, SET_STILL, SET_STRANGERS, SET_TRACK};
use crate::File;
use crate::check::Findings;
use crate::check::common::{field_path, quoted};
use crate::check::names::{MeetingRules, Names, meet};

const TRACKS: MeetingRules = MeetingRules { near: &SET_NEAR, missing: &SET_TRACK };

/// Checks files against each other; each finding goes to the file that it is in.
pub(in crate::formats) fn check_set(files: &[&File], findings: &mut [Findings]) {
    // Meshes of one character share a skeleton, in a file or not, so their bones are merged.
    let mut seen = HashSet::new();
    let bones = files.iter().filter_map(|file| body_bones(file)).flatten().map(|bone| bone.name.text());
    let body: Vec<_> = bones.filter(|name| seen.insert(*name)).collect();
    if body.is_empty() {
        return;
    }
    let names = Names::new(body.iter().copied());
    for (file, findings) in files.iter().zip(findings) {
        if let File::UnigineAnim(animation) = file {
            check_animation((&body, &names), animation.bones(), findings);
        }
    }
}

fn body_bones(file: &File) -> Option<&[Bone]> {
    match file {
        File::UnigineMesh(mesh) => Some(mesh.bones()),
        File::UnigineSkeleton(skeleton) => Some(&skeleton.bones),
        _ => None,
    }
}

fn check_animation((body, names): (&[&[u8]], &Names<'_>), bones: &[Bone], findings: &mut Findings) {
    let own = Names::new(bones.iter().map(|bone| bone.name.text()));
    if !body.iter().any(|name| own.has(name) || own.near(name).is_some()) {
        findings.add(&SET_STRANGERS, || field_path!["bones"], || "no name occurs in the mesh".into());
        return;
    }
    let place = |bone: usize| field_path!["bones", bone, "name"];
    meet(findings, &TRACKS, bones.iter().map(|bone| bone.name.text()), names, (place, "the mesh"));
    for name in body.iter().filter(|name| !own.has(name) && own.near(name).is_none()) {
        let message = || format!("no track for the mesh's {}", quoted(name));
        findings.add(&SET_STILL, || field_path!["bones"], message);
    }
}
