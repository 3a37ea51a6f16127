//! Rules of a mesh, its animations, and the text beside them.

use std::collections::{HashMap, HashSet};

use super::super::rules::{SET_ADDITIVE, SET_CONFIG, SET_NEAR, SET_STILL, SET_STRANGERS, SET_TRACK};
use super::super::{Psa, PsaConfig, Psk, Sequence};
use super::found;
use crate::File;
use crate::check::Findings;
use crate::check::common::{at, quoted};
use crate::check::names::{MeetingRules, Names, meet};

const TRACKS: MeetingRules = MeetingRules { near: &SET_NEAR, missing: &SET_TRACK };

/// Checks what files say of each other; each finding goes to the file that it is in.
pub(in crate::formats) fn check_set(files: &[&File], findings: &mut [Findings]) {
    for (at, file) in files.iter().enumerate() {
        match file {
            File::Psa(animation) => {
                for mesh in files {
                    if let File::Psk(mesh) = mesh
                        && !mesh.bones().is_empty()
                    {
                        animate(mesh, animation, &mut findings[at]);
                    }
                }
            }
            File::PsaConfig(config) => {
                let animations = files.iter().filter_map(|file| match file {
                    File::Psa(animation) => Some(&**animation),
                    _ => None,
                });
                configure(config, &animations.collect::<Vec<_>>(), &mut findings[at]);
            }
            _ => {}
        }
    }
}

fn animate(mesh: &Psk, animation: &Psa, findings: &mut Findings) {
    let Some((chunk, bones)) = found!(animation.chunks, Bones) else { return };
    let own = Names::new(bones.iter().map(|bone| bone.name.text()));
    let names = || mesh.bones().iter().map(|bone| bone.name.text());
    let others = Names::new(names());
    let records = || at!["chunks", chunk, "records"];
    if !names().any(|name| own.has(name) || own.near(name).is_some()) {
        findings.add(&SET_STRANGERS, records, || "have no name in common with the mesh".into());
        return;
    }
    let place = |bone: usize| at!["chunks", chunk, "records", bone, "name"];
    meet(findings, &TRACKS, bones.iter().map(|bone| bone.name.text()), &others, (place, "the mesh"));
    for name in names().filter(|name| !own.has(name) && own.near(name).is_none()) {
        findings.add(&SET_STILL, records, || format!("have no track for the mesh's {}", quoted(name)));
    }
    additive(mesh, animation, findings);
}

/// Whether the first frame of a sequence is no pose of the mesh but a difference to one.
fn additive(mesh: &Psk, animation: &Psa, findings: &mut Findings) {
    let Some((chunk, sequences)) = found!(animation.chunks, Sequences) else { return };
    let lengths: HashMap<_, _> =
        mesh.bones().iter().skip(1).map(|bone| (bone.name.text(), length(bone.position))).collect();
    let (keys, bones) = (animation.keys(), animation.bones());
    // Sound sequences do not share keys, so that there are no more of them than this.
    let most = keys.len() / bones.len().max(1);
    for (at, sequence) in sequences.iter().enumerate().take(most) {
        let Some(own) = sequence.key_range().and_then(|range| keys.get(range)) else { continue };
        let pairs = bones.iter().zip(own).filter_map(|(bone, key)| {
            let bind = *lengths.get(bone.name.text())?;
            (bind > 0.0).then(|| length(key.position) / bind)
        });
        let shares: Vec<f32> = pairs.collect();
        if shares.len() > 1 && shares.iter().all(|share| *share < 0.05) {
            let message = || "all bones lie in one point, as differences to a pose do".into();
            findings.add(&SET_ADDITIVE, || at!["chunks", chunk, "records", at], message);
        }
    }
}

fn length(position: [f32; 3]) -> f32 {
    position.iter().map(|part| part * part).sum::<f32>().sqrt()
}

fn configure(config: &PsaConfig, animations: &[&Psa], findings: &mut Findings) {
    if animations.is_empty() {
        return;
    }
    let sequences: HashSet<_> = animations
        .iter()
        .flat_map(|animation| animation.sequences().iter().map(|sequence: &Sequence| sequence.name.text()))
        .collect();
    let bones = animations.iter().map(|animation| animation.bones().len()).max().unwrap_or(0);
    for track in config.removed_tracks() {
        if !sequences.contains(track.sequence) {
            let message = || format!("no sequence is called {}", quoted(track.sequence));
            findings.add(&SET_CONFIG, || at!["lexemes"], message);
        }
        if track.bone_index >= bones {
            let message = || format!("{} names bone {} of {bones}", quoted(track.sequence), track.bone_index);
            findings.add(&SET_CONFIG, || at!["lexemes"], message);
        }
    }
    let names: HashSet<_> = animations
        .iter()
        .flat_map(|animation| animation.bones().iter().map(|bone| bone.name.text()))
        .collect();
    let listed = config.translated_bones().chain(config.mesh_translated_bones());
    for name in listed.filter(|name| !names.contains(name)) {
        findings.add(&SET_CONFIG, || at!["lexemes"], || format!("no bone is called {}", quoted(name)));
    }
}
