//! What UE Viewer's sidecar means for the animations beside it.

use std::collections::{HashMap, HashSet};

use super::super::edit::as_read;
use super::super::{Psa, PsaConfig, TrackPart};
use crate::scene::author::FromScene;
use crate::scene::{self, Builder, LoadPhase, Lost, Names, ToScene};

/// Scenes cannot be written as configurations.
impl FromScene for PsaConfig {}

/// Adds nothing by itself; the animations next to it consult it.
impl ToScene for PsaConfig {
    fn phase(&self) -> LoadPhase {
        LoadPhase::Clip
    }

    fn add_to(&self, scene: &mut Builder<'_>) {
        let files: Vec<_> = scene.beside::<Psa>().map(|(_, file)| file).collect();
        if files.is_empty() {
            return;
        }
        let mut bones_of: HashMap<Vec<u8>, usize> = HashMap::new();
        for (file, sequence) in
            files.iter().flat_map(|file| file.sequences().iter().map(move |own| (file, own)))
        {
            let bones = bones_of.entry(as_read(sequence.name.text())).or_default();
            *bones = file.bones().len().max(*bones);
        }
        let nowhere = self.removed_tracks().filter(|track| {
            let bones = bones_of.get(&as_read(track.sequence));
            bones.is_none_or(|bones| track.bone_index >= *bones)
        });
        scene.report_losses(nowhere.count(), Lost::TrackLines);
        let unread = self.num_removed_lines().saturating_sub(self.removed_tracks().count());
        scene.report_losses(unread, Lost::TrackLines);
        let names: Vec<_> =
            files.iter().flat_map(|file| file.bones()).map(|own| scene::name(own.name.text())).collect();
        let (animated, placed) = (Names::new(names.iter().map(String::as_str)), scene.bone_names());
        let known = |bone: &String| animated.find(bone).or_else(|| placed.find(bone)).is_some();
        let listed = self.translated_bones().chain(self.mesh_translated_bones()).map(scene::name);
        let unknown = listed.filter(|bone| !known(bone)).count();
        scene.report_losses(unknown, Lost::BoneLines);
    }
}

/// The tracks of an animation file that the game uses.
#[derive(Default)]
pub(super) struct Rules {
    rotation_only: bool,
    translated: Names,
    mesh_translated: Names,
    removed: HashMap<Vec<u8>, HashSet<(usize, TrackPart)>>,
}

impl Rules {
    /// Returns the rules of the configuration with the same name, or of the only one, if it is not that of another animation file.
    pub fn beside(scene: &Builder<'_>) -> Self {
        let configs: Vec<_> = scene.beside::<PsaConfig>().collect();
        let same = configs.iter().find(|(name, _)| name.eq_ignore_ascii_case(scene.file()));
        let is_owned =
            |config: &str| scene.beside::<Psa>().any(|(name, _)| name.eq_ignore_ascii_case(config));
        let only = configs.first().filter(|(name, _)| configs.len() == 1 && !is_owned(name));
        same.or(only).map(|(_, config)| Self::of(config)).unwrap_or_default()
    }

    fn of(config: &PsaConfig) -> Self {
        let names = |lines: Vec<&[u8]>| {
            let names: Vec<_> = lines.into_iter().map(scene::name).collect();
            Names::new(names.iter().map(String::as_str))
        };
        let mut removed: HashMap<_, HashSet<_>> = HashMap::new();
        for track in config.removed_tracks() {
            let parts: &[TrackPart] = match track.part {
                TrackPart::All => &[TrackPart::Translation, TrackPart::Rotation],
                TrackPart::Translation => &[TrackPart::Translation],
                TrackPart::Rotation => &[TrackPart::Rotation],
            };
            let own = removed.entry(as_read(track.sequence)).or_default();
            own.extend(parts.iter().map(|part| (track.bone_index, *part)));
        }
        Self {
            rotation_only: config.rotation_only() == Some(true),
            translated: names(config.translated_bones().collect()),
            mesh_translated: names(config.mesh_translated_bones().collect()),
            removed,
        }
    }

    /// Returns whether the translation of a bone comes from the file instead of the mesh; that of a root always does.
    pub fn moves(&self, bone: &str, is_root: bool) -> bool {
        let own = !self.rotation_only || self.translated.find(bone).is_some();
        is_root || own && self.mesh_translated.find(bone).is_none()
    }

    /// Returns whether a sequence lacks this part of a track in the game. Names ignore case, as in Unreal.
    pub fn removes(&self, sequence: &[u8], bone: usize, part: TrackPart) -> bool {
        self.removed.get(&as_read(sequence)).is_some_and(|removed| removed.contains(&(bone, part)))
    }
}
