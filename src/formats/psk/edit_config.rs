//! Removes sequences and bones from configurations.

use std::collections::HashSet;

use super::config::{ends_line, removed, title};
use super::edit::as_read;
use super::{Psa, PsaConfig};
use crate::Result;
use crate::edit::{Doomed, unsupported};
use crate::hierarchy::Removal;
use crate::schema::unpadded;
use crate::text::TokenText;

/// A bone that has been removed from some sequences.
pub(super) struct RemovedBone {
    removal: Removal,
    sequences: HashSet<Vec<u8>>,
}

impl Removal {
    /// Returns the removal of a bone from an animation.
    pub(super) fn in_sequences(self, animations: &Psa) -> RemovedBone {
        let names = animations.sequences().iter().map(|own| own.name.text().to_vec());
        RemovedBone { removal: self, sequences: names.collect() }
    }
}

impl PsaConfig {
    /// Removes the lines of sequences.
    pub(super) fn remove_sequences(&mut self, doomed: &Doomed) {
        let names: HashSet<_> = doomed.names().map(unpadded).collect();
        self.edit_lines(|section, line| {
            let is_own = section.eq_ignore_ascii_case(REMOVED)
                && track(line).is_some_and(|(own, _)| names.contains(unpadded(own)));
            (!is_own).then(|| line.to_vec())
        });
    }

    /// Removes the lines of a bone, and lets the indices of the bones after it follow.
    pub(super) fn remove_bone(&mut self, name: &[u8], bone: &RemovedBone) -> Result<()> {
        let RemovedBone { removal, sequences } = bone;
        let is_own = |sequence: &[u8]| sequences.contains(sequence);
        let family = |index: usize| index == removal.bone || removal.is_child(index);
        let moves = !removal.children.is_empty();
        let takes_keys = self.removed_tracks().any(|own| is_own(own.sequence) && family(own.bone_index));
        if moves && (takes_keys || self.rotation_only() == Some(true)) {
            return Err(unsupported(
                "the configuration takes keys of the bone or its children from the mesh, so the children cannot inherit them",
            ));
        }
        self.edit_lines(|section, line| {
            if [&b"UseTranslationBoneNames"[..], b"ForceMeshTranslationBoneNames"]
                .iter()
                .any(|own| section.eq_ignore_ascii_case(own))
            {
                return (as_read(line) != as_read(name)).then(|| line.to_vec());
            }
            let Some((sequence, index)) = track(line).filter(|_| section.eq_ignore_ascii_case(REMOVED))
            else {
                return Some(line.to_vec());
            };
            if !is_own(sequence) {
                return Some(line.to_vec());
            }
            if index == removal.bone {
                return None;
            }
            let value = &line[line.iter().rposition(|byte| *byte == b'=').unwrap_or(line.len())..];
            let index = index - usize::from(index > removal.bone);
            Some([sequence, b".", index.to_string().as_bytes(), value].concat())
        });
        Ok(())
    }

    /// Replaces or removes lines, given the name of their section. Line ends stay as they are.
    fn edit_lines(&mut self, mut edit: impl FnMut(&[u8], &[u8]) -> Option<Vec<u8>>) {
        let text = self.tokens.text();
        let mut kept = Vec::with_capacity(text.len());
        let mut section: &[u8] = b"";
        for line in text.split_inclusive(|byte| *byte == b'\n') {
            let len = line.iter().rposition(|byte| !ends_line(*byte)).map_or(0, |last| last + 1);
            let (line, end) = line.split_at(len);
            section = title(line).unwrap_or(section);
            let new = if line.is_empty() { Some(Vec::new()) } else { edit(section, line) };
            if let Some(new) = new {
                kept.extend(new);
                kept.extend_from_slice(end);
            }
        }
        self.tokens = TokenText::new(kept);
    }
}

/// The section of removed tracks.
const REMOVED: &[u8] = b"RemoveTracks";

/// Returns the sequence and the index of the bone in a line of removed tracks.
fn track(line: &[u8]) -> Option<(&[u8], usize)> {
    let (name, value) = line.split_at(line.iter().rposition(|byte| *byte == b'=')?);
    removed((name, value.get(1..)?)).map(|own| (own.sequence, own.bone_index))
}
