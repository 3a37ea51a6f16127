//! Rules of meshes, their skeleton and their animations.

use std::collections::{HashMap, HashSet};

use super::super::rules::{
    SET_GUID, SET_JOINT, SET_NEAR, SET_PARENT, SET_SKELETON, SET_STILL, SET_STRANGERS, SET_TRACK,
};
use super::super::{Bone, Reference, UnigineAnim, UnigineMesh};
use crate::File;
use crate::check::Findings;
use crate::check::common::{field_path, quoted};
use crate::check::names::{MeetingRules, Names, meet};
use crate::hierarchy::by_name;
use crate::wire::escape;

const TRACKS: MeetingRules = MeetingRules { near: &SET_NEAR, missing: &SET_TRACK };
const JOINTS: MeetingRules = MeetingRules { near: &SET_NEAR, missing: &SET_JOINT };

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

/// Checks files against the skeletons that they name. A set without a skeleton obeys the rules.
pub(in crate::formats) fn check_references(files: &[(&str, &File)], findings: &mut [Findings]) {
    let skeletons = files.iter().filter_map(|(name, file)| Some((name.as_bytes(), skeleton_bones(file)?)));
    let skeletons: Vec<_> = skeletons.collect();
    for ((_, file), findings) in files.iter().zip(&mut *findings) {
        let Some(reference) = reference(file) else { continue };
        let path = reference.path.text();
        let own = path.rsplit(|byte| b"/\\".contains(byte)).next().unwrap_or(path);
        // An unknown name is that of any file, and a reference by GUID alone is to any.
        let is_named = |name: &[u8]| name.is_empty() || own.is_empty() || name.eq_ignore_ascii_case(own);
        let named = skeletons.iter().filter(|(name, _)| is_named(name));
        match *named.collect::<Vec<_>>() {
            [(_, skeleton)] => check_joints(file, skeleton, findings),
            [] if !skeletons.is_empty() => {
                let present: Vec<_> = skeletons.iter().map(|(name, _)| escape(name)).collect();
                let what = if present.len() == 1 { "the skeleton is" } else { "the skeletons are" };
                let message = || format!("is {}, but {what} called {}", escape(path), present.join(", "));
                findings.add(&SET_SKELETON, || field_path!["skeleton", "path"], message);
            }
            _ => {}
        }
    }
    check_guids(files, findings);
}

/// Checks that files name the same skeleton by the same GUID and path.
fn check_guids(files: &[(&str, &File)], findings: &mut [Findings]) {
    let (mut guids, mut paths) = (HashMap::new(), HashMap::new());
    for ((name, file), findings) in files.iter().zip(findings) {
        let Some(reference) = reference(file) else { continue };
        let (guid, path) = (reference.guid.text(), reference.path.text());
        // The engine assigns missing ones.
        if guid.is_empty() || path.is_empty() {
            continue;
        }
        let named = if name.is_empty() { "another file" } else { name };
        let (other, at) = *guids.entry(path.to_ascii_lowercase()).or_insert((guid, named));
        if !other.eq_ignore_ascii_case(guid) {
            let message = || format!("is {}, but {} in {at}", escape(guid), escape(other));
            findings.add(&SET_GUID, || field_path!["skeleton", "guid"], message);
            continue;
        }
        let (other, at) = *paths.entry(guid.to_ascii_lowercase()).or_insert((path, named));
        if !other.eq_ignore_ascii_case(path) {
            let message = || format!("is {}, but {} in {at} with the same GUID", escape(path), escape(other));
            findings.add(&SET_GUID, || field_path!["skeleton", "path"], message);
        }
    }
}

fn body_bones(file: &File) -> Option<&[Bone]> {
    if let File::UnigineMesh(mesh) = file { Some(mesh.bones()) } else { skeleton_bones(file) }
}

fn skeleton_bones(file: &File) -> Option<&[Bone]> {
    if let File::UnigineSkeleton(skeleton) = file { Some(&skeleton.bones) } else { None }
}

/// The skeleton that a file of SDK 2.21 names.
fn reference(file: &File) -> Option<&Reference> {
    match file {
        File::UnigineMesh(mesh) => match &**mesh {
            UnigineMesh::SkinnedMesh(mesh) => Some(&mesh.skeleton),
            _ => None,
        },
        File::UnigineAnim(anim) => match &**anim {
            UnigineAnim::Anim12(anim) => Some(&anim.skeleton),
            _ => None,
        },
        _ => None,
    }
}

/// Checks the joints of a file against the skeleton that it names. The names of an animation are checked with those of all meshes.
fn check_joints(file: &File, skeleton: &[Bone], findings: &mut Findings) {
    let bones = match file {
        File::UnigineMesh(mesh) => mesh.bones(),
        File::UnigineAnim(anim) => anim.bones(),
        _ => return,
    };
    if let File::UnigineMesh(_) = file {
        let names = Names::new(skeleton.iter().map(|bone| bone.name.text()));
        let place = |bone: usize| field_path!["bones", bone, "name"];
        meet(findings, &JOINTS, bones.iter().map(|bone| bone.name.text()), &names, (place, "the skeleton"));
    }
    let known = by_name(skeleton.iter().map(|bone| bone.name.text()));
    // Of joints with one name, any can be meant.
    let pairs: HashSet<_> = skeleton.iter().map(|bone| (bone.name.text(), parent(bone, skeleton))).collect();
    for (at, bone) in bones.iter().enumerate() {
        let Some(joint) = known.get(bone.name.text()).and_then(|joint| skeleton.get(*joint)) else {
            continue;
        };
        let (own, other) = (parent(bone, bones), parent(joint, skeleton));
        if !pairs.contains(&(bone.name.text(), own)) {
            let named = |parent: Option<&[u8]>| parent.map_or_else(|| "a root".into(), quoted);
            let message = || format!("is {}, but {} in the skeleton", named(own), named(other));
            findings.add(&SET_PARENT, || field_path!["bones", at, "parent"], message);
        }
    }
}

/// The name of the parent of a bone; none of a root.
fn parent<'a>(bone: &Bone, bones: &'a [Bone]) -> Option<&'a [u8]> {
    Some(bones.get(usize::try_from(bone.parent).ok()?)?.name.text())
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
