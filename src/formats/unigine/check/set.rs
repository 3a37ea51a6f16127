//! Rules of a mesh and its animations.

use super::super::rules::{SET_NEAR, SET_STILL, SET_STRANGERS, SET_TRACK};
use super::super::{Bone, UnigineAnim, UnigineMesh};
use crate::File;
use crate::check::Findings;
use crate::check::common::{at, quoted};
use crate::check::names::{MeetingRules, Names, meet};

const TRACKS: MeetingRules = MeetingRules { near: &SET_NEAR, missing: &SET_TRACK };

/// Checks what files say of each other; each finding goes to the file that it is in.
pub(in crate::formats) fn check_set(files: &[&File], findings: &mut [Findings]) {
    for (at, file) in files.iter().enumerate() {
        let File::UnigineAnim(animation) = file else { continue };
        let bones: &[Bone] = match &**animation {
            UnigineAnim::Anim10(anim) => &anim.bones,
            UnigineAnim::Anim11(anim) => &anim.bones,
        };
        for mesh in files.iter().filter_map(|file| mesh_bones(file)).filter(|bones| !bones.is_empty()) {
            animate(mesh, bones, &mut findings[at]);
        }
    }
}

fn mesh_bones(file: &File) -> Option<&[Bone]> {
    let File::UnigineMesh(mesh) = file else { return None };
    match &**mesh {
        UnigineMesh::Mesh(mesh) => Some(&mesh.bones),
        UnigineMesh::Mesh14(mesh) => Some(&mesh.bones),
        UnigineMesh::RawMesh(_) => None,
    }
}

fn animate(mesh: &[Bone], bones: &[Bone], findings: &mut Findings) {
    let own = Names::new(bones.iter().map(|bone| bone.name.text()));
    let names = || mesh.iter().map(|bone| bone.name.text());
    if !names().any(|name| own.has(name) || own.near(name).is_some()) {
        findings.add(&SET_STRANGERS, || at!["bones"], || "have no name in common with the mesh".into());
        return;
    }
    let place = |bone: usize| at!["bones", bone, "name"];
    let others = Names::new(names());
    meet(findings, &TRACKS, bones.iter().map(|bone| bone.name.text()), &others, (place, "the mesh"));
    for name in names().filter(|name| !own.has(name) && own.near(name).is_none()) {
        findings.add(
            &SET_STILL,
            || at!["bones"],
            || format!("have no track for the mesh's {}", quoted(name)),
        );
    }
}
