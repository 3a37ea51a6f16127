//! Rules of a skeleton with its animations and meshes, and of a mesh with its morph animations.

use std::borrow::Cow;
use std::collections::HashSet;

use super::super::rules::{SET_INFLUENCE, SET_MORPH, SET_TRACK};
use super::super::{Animation, Binary, Cal3d, CalMesh, Mesh, Morph, Morphs};
use crate::File;
use crate::check::Findings;
use crate::check::common::{field_path, index, quoted};

/// Checks references between files; each finding goes to the file that contains the reference.
pub(in crate::formats) fn check_set(files: &[&File], findings: &mut [Findings]) {
    let bones = files.iter().filter_map(|file| match file {
        File::Cal3dSkeleton(skeleton) => Some(skeleton.view().ok()?.bones.len()),
        _ => None,
    });
    // With several skeletons the right one is unknown; the largest gives no false findings.
    let bones = bones.max();
    let meshes: Vec<_> = files.iter().filter_map(|file| mesh(file)?.view().ok()).collect();
    let stems = stems(&meshes);
    for (file, findings) in files.iter().zip(findings) {
        match (file, bones) {
            (File::Cal3dAnimation(file), Some(bones)) => {
                viewed(file, |animation| tracks(animation, bones, findings));
            }
            (File::Cal3dMesh(file), Some(bones)) => viewed(file, |mesh| influences(mesh, bones, findings)),
            (File::Cal3dMorph(file), _) if !meshes.is_empty() => {
                viewed(file, |morph| targets(morph, &stems, findings));
            }
            _ => {}
        }
    }
}

/// A file that cannot be read breaks another rule.
fn viewed<B: Binary>(file: &Cal3d<B>, check: impl FnOnce(&B)) {
    if let Ok(view) = file.view() {
        check(&view);
    }
}

fn mesh(file: &File) -> Option<&CalMesh> {
    if let File::Cal3dMesh(mesh) = file { Some(mesh) } else { None }
}

fn targets(morph: &Morph, stems: &HashSet<&[u8]>, findings: &mut Findings) {
    for (at, track) in morph.tracks.iter().enumerate() {
        let name = track.morph_name.text();
        if !stems.contains(stem(name)) {
            let message = || format!("no mesh has a morph target {}", quoted(name));
            findings.add(&SET_MORPH, || field_path!["tracks", at, "morph_name"], message);
        }
    }
}

fn tracks(animation: &Animation, bones: usize, findings: &mut Findings) {
    for (at, track) in animation.tracks.iter().enumerate() {
        index(findings, &SET_TRACK, track.bone_id(), ("bone", bones), || field_path!["tracks", at]);
    }
}

fn influences(mesh: &Mesh, bones: usize, findings: &mut Findings) {
    for (submesh_at, submesh) in mesh.submeshes.iter().enumerate() {
        for (vertex_at, vertex) in submesh.vertices.iter().enumerate() {
            for (at, influence) in vertex.influences.iter().enumerate() {
                let path = || {
                    field_path!["submeshes", submesh_at, "vertices", vertex_at, "influences", at, "bone_id"]
                };
                index(findings, &SET_INFLUENCE, influence.bone_id, ("bone", bones), path);
            }
        }
    }
}

/// IMVU appends how a morph target mixes with others: `smile.Exclusive`.
fn stem(name: &[u8]) -> &[u8] {
    &name[..memchr::memrchr(b'.', name).unwrap_or(name.len())]
}

/// The stems of the names of all morph targets.
fn stems<'a>(meshes: &'a [Cow<'_, Mesh>]) -> HashSet<&'a [u8]> {
    let morphs =
        meshes.iter().flat_map(|mesh| mesh.submeshes.iter()).filter_map(|submesh| submesh.morphs.as_ref());
    morphs.flat_map(Morphs::names).map(stem).collect()
}
