//! Implements the rules of a mesh, its animations and their configuration as a set.

use std::collections::{HashMap, HashSet};

use super::super::edit::as_read;
use super::super::rules::{SET_ADDITIVE, SET_CONFIG, SET_NEAR, SET_STILL, SET_STRANGERS, SET_TRACK};
use super::super::{Bone, Psa, PsaConfig};
use super::found;
use crate::File;
use crate::check::Findings;
use crate::check::common::{field_path, quoted};
use crate::check::names::{MeetingRules, Names, meet};

const TRACKS: MeetingRules = MeetingRules { near: &SET_NEAR, missing: &SET_TRACK };

/// Checks the references between files; each finding is reported for the file that contains it.
pub(in crate::formats) fn check_set(files: &[&File], findings: &mut [Findings]) {
    // The parts of a body share a skeleton.
    let meshes =
        || files.iter().filter_map(|file| if let File::Psk(mesh) = file { Some(mesh) } else { None });
    let body = Body::new(meshes().flat_map(|mesh| mesh.bones()));
    let animations: Vec<_> = files
        .iter()
        .filter_map(|file| if let File::Psa(animation) = file { Some(&**animation) } else { None })
        .collect();
    let animated = Animated::new(&animations);
    for (file, findings) in files.iter().zip(findings) {
        match file {
            File::Psa(animation) if !body.bones.is_empty() => animate(&body, animation, findings),
            File::PsaConfig(config) if !animations.is_empty() => configure(config, &animated, findings),
            _ => {}
        }
    }
}

/// The bones of all meshes, each name once.
struct Body<'a> {
    bones: Vec<&'a Bone>,
    names: Names<'a>,
    /// The distance of each bone but the first from its parent.
    lengths: HashMap<&'a [u8], f32>,
}

impl<'a> Body<'a> {
    fn new(bones: impl Iterator<Item = &'a Bone>) -> Self {
        let mut seen = HashSet::new();
        let bones: Vec<_> = bones.filter(|bone| seen.insert(bone.name.text())).collect();
        let names = Names::new(bones.iter().map(|bone| bone.name.text()));
        let lengths = bones.iter().skip(1).map(|bone| (bone.name.text(), length(bone.position))).collect();
        Self { bones, names, lengths }
    }
}

fn animate(body: &Body<'_>, animation: &Psa, findings: &mut Findings) {
    let Some((chunk, bones)) = found!(animation.chunks, Bones) else { return };
    let own = Names::new(bones.iter().map(|bone| bone.name.text()));
    let names = || body.bones.iter().map(|bone| bone.name.text());
    let records = || field_path!["chunks", chunk, "records"];
    if !names().any(|name| own.has(name) || own.near(name).is_some()) {
        findings.add(&SET_STRANGERS, records, || "have no name in common with the mesh".into());
        return;
    }
    let place = |bone: usize| field_path!["chunks", chunk, "records", bone, "name"];
    meet(findings, &TRACKS, bones.iter().map(|bone| bone.name.text()), &body.names, (place, "the mesh"));
    for name in names().filter(|name| !own.has(name) && own.near(name).is_none()) {
        findings.add(&SET_STILL, records, || format!("have no track for the mesh's {}", quoted(name)));
    }
    additive(body, animation, findings);
}

/// Reports sequences whose first frame is a difference from a pose instead of a pose.
fn additive(body: &Body<'_>, animation: &Psa, findings: &mut Findings) {
    let Some((chunk, sequences)) = found!(animation.chunks, Sequences) else { return };
    let (keys, bones) = (animation.keys(), animation.bones());
    // Valid sequences do not share keys, which limits their number.
    let most = keys.len() / bones.len().max(1);
    for (at, sequence) in sequences.iter().enumerate().take(most) {
        let Some(own) = sequence.key_range().and_then(|range| keys.get(range)) else { continue };
        let pairs = bones.iter().zip(own).filter_map(|(bone, key)| {
            let bind = *body.lengths.get(bone.name.text())?;
            (bind > 0.0).then(|| length(key.position) / bind)
        });
        let shares: Vec<f32> = pairs.collect();
        if shares.len() > 1 && shares.iter().all(|share| *share < 0.05) {
            let message = || "all bones are at one point, like differences from a pose".into();
            findings.add(&SET_ADDITIVE, || field_path!["chunks", chunk, "records", at], message);
        }
    }
}

fn length(position: [f32; 3]) -> f32 {
    position.iter().map(|part| part * part).sum::<f32>().sqrt()
}

/// The names that a configuration may use, as readers compare them.
struct Animated {
    sequences: HashSet<Vec<u8>>,
    bones: HashSet<Vec<u8>>,
    most_bones: usize,
}

impl Animated {
    fn new(animations: &[&Psa]) -> Self {
        let sequences = animations.iter().flat_map(|animation| animation.sequences());
        let bones = animations.iter().flat_map(|animation| animation.bones());
        Self {
            sequences: sequences.map(|sequence| as_read(sequence.name.text())).collect(),
            bones: bones.map(|bone| as_read(bone.name.text())).collect(),
            most_bones: animations.iter().map(|animation| animation.bones().len()).max().unwrap_or(0),
        }
    }
}

fn configure(config: &PsaConfig, animated: &Animated, findings: &mut Findings) {
    let bones = animated.most_bones;
    for track in config.removed_tracks() {
        if !animated.sequences.contains(&as_read(track.sequence)) {
            let message = || format!("no sequence is called {}", quoted(track.sequence));
            findings.add(&SET_CONFIG, || field_path!["tokens"], message);
        }
        if track.bone_index >= bones {
            let message = || format!("{} names bone {} of {bones}", quoted(track.sequence), track.bone_index);
            findings.add(&SET_CONFIG, || field_path!["tokens"], message);
        }
    }
    let listed = config.translated_bones().chain(config.mesh_translated_bones());
    for name in listed.filter(|name| !animated.bones.contains(&as_read(name))) {
        findings.add(&SET_CONFIG, || field_path!["tokens"], || format!("no bone is called {}", quoted(name)));
    }
}
