//! Converts animations.

use std::collections::HashSet;

use super::super::{Clip as Source, Psa, Psk, Records, ScaleKeys, TrackPart};
use super::config::Rules;
use super::{bones, place, report_others, space_of};
use crate::check::common::field_path;
use crate::scene::{
    self, Builder, Channel, Clip, Curve, FRAME_RATE, LoadPhase, Lost, MorphTrack, Space, Targets, ToScene,
    Track,
};

/// The number of clips that each key may belong to on average; in real files they share few keys or none.
const SHARED: usize = 8;

/// The number of additional keys that clips of any file may share.
const SPARE: usize = 1 << 14;

impl ToScene for Psa {
    fn phase(&self) -> LoadPhase {
        LoadPhase::Clip
    }

    fn add_to(&self, scene: &mut Builder<'_>) {
        let space = space_of(&self.chunks, self.bones(), scene);
        if scene.scene().skeleton.bones().is_empty() {
            scene.add_bones(bones(self.bones(), space));
            // If UE Viewer does not know the hierarchy, the first bone is the parent of all.
            if self.bones().len() > 2 && self.bones().iter().skip(1).all(|bone| bone.parent_index == 0) {
                scene.report_loss(Lost::MissingSkeleton);
            }
        }
        let rules = Rules::beside(scene);
        let targets = targets(self, scene);
        // Sequences may share keys, within limits.
        let mut left = self.keys().len().saturating_mul(SHARED).saturating_add(SPARE);
        for source in self.clips() {
            let Some(rest) = left.checked_sub(source.keys.map_or(0, <[_]>::len)) else {
                scene.report_losses(1, Lost::SharedKeys);
                continue;
            };
            left = rest;
            if scene.is_full() {
                break;
            }
            add_clip(&source, &rules, &targets, space, scene);
        }
        scene.within("", "");
        if let ScaleKeys::Unclear(keys) = self.scale_keys() {
            scene.report_losses(keys.len(), Lost::ScaleKeys);
        }
        report_others(&self.chunks, Records::is_of_animation, scene);
    }
}

/// Returns the bone of the scene that each bone of the file animates, matched by name, ignoring case and the blanks with
/// which 3ds Max pads names. Bones of the same name are matched in order; of several for one bone the first is used.
fn targets(file: &Psa, scene: &mut Builder<'_>) -> Vec<Option<usize>> {
    let own: Vec<_> = file.bones().iter().map(|bone| scene::name(bone.name.text())).collect();
    let targets = scene.bone_names().pair(own.iter().map(String::as_str)).into_iter();
    let mut taken = HashSet::new();
    let targets: Vec<_> = targets.map(|target| target.filter(|target| taken.insert(*target))).collect();
    let missing = targets.iter().filter(|target| target.is_none()).count();
    scene.report_losses(missing, Lost::Tracks);
    targets
}

fn add_clip(
    source: &Source<'_>,
    rules: &Rules,
    targets: &[Option<usize>],
    space: Space,
    scene: &mut Builder<'_>,
) {
    let sequence = source.sequence;
    let name = scene::name(sequence.name.text());
    scene.within("clip", &name);
    let rate = sequence.rate;
    let valid = rate > 0.0 && rate.is_finite();
    let rate = if valid { rate } else { scene.settings().rate.unwrap_or(FRAME_RATE) };
    if !valid {
        scene.report_losses(1, Lost::InvalidRates);
    }
    let bones = usize::try_from(sequence.total_bones).unwrap_or(0);
    let Some(keys) = source.keys.filter(|keys| bones > 0 && !keys.is_empty()) else {
        return scene.report_losses(1, Lost::MissingKeys);
    };
    scene.report_losses(source.is_moved.into(), Lost::FirstFrames);
    let removed = |bone, part| rules.removes(sequence.name.text(), bone, part);
    let skeleton = &scene.scene().skeleton;
    let mut from_mesh = 0;
    let tracks = targets.iter().enumerate().take(bones).filter_map(|(own, target)| {
        let bone = &skeleton.bones()[(*target)?];
        let is_root = bone.parent.is_none();
        let frames = keys.iter().skip(own).step_by(bones);
        let places: Vec<_> = frames.map(|key| place(key.position, key.orientation, is_root, space)).collect();
        let moves = rules.moves(&bone.name, is_root) && !removed(own, TrackPart::Translation);
        let turns = !removed(own, TrackPart::Rotation);
        from_mesh += usize::from(!(moves && turns));
        let scales = source.scale_keys.map(|keys| keys.iter().skip(own).step_by(bones));
        Some(Track {
            bone: (*target)?,
            translation: at(rate, moves.then(|| places.iter().map(|own| own.translation))),
            rotation: at(rate, turns.then(|| places.iter().map(|own| own.rotation))),
            scale: at(rate, scales.map(|keys| keys.map(|key| space.scale(key.scale)))),
        })
    });
    let tracks = tracks.collect();
    if scene.beside::<Psk>().next().is_none() {
        scene.report_losses(from_mesh, Lost::TracksOfMesh);
    }
    let curves = source.curves.iter().flat_map(|curves| curves.iter());
    let morphs = curves.filter_map(|curve| {
        let weight = Curve::at_rate(curve.weights.to_vec(), rate)?;
        Some(MorphTrack { targets: Targets::Named(scene::name(curve.name.text())), weight })
    });
    let morphs = morphs.collect();
    scene.add_clip(Clip { name, tracks, morphs, ..Clip::default() });
    for (own, target) in targets.iter().enumerate().take(bones) {
        let Some(bone) = *target else { continue };
        let channels =
            [(Channel::Translation, "keys", "position"), (Channel::Rotation, "keys", "orientation")];
        for (channel, list, field) in channels {
            let records = (source.first_key..).skip(own).step_by(bones).take(keys.len() / bones);
            scene.trace_keys(bone, channel, field_path![list], field_path![field], records);
        }
    }
}

fn at<T: scene::Blend>(rate: f32, values: Option<impl Iterator<Item = T>>) -> Option<Curve<T>> {
    Curve::at_rate(values?.collect(), rate)
}
