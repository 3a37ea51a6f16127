//! Removes sequences and bones from configurations.

use std::collections::HashSet;

use super::config::{ends_line, removed, title};
use super::edit::as_read;
use super::{Psa, PsaConfig};
use crate::Result;
use crate::edit::{RemovedNames, unsupported};
use crate::hierarchy::Removal;
use crate::schema::{escape, unpadded};
use crate::text::TokenText;

const TAKES_KEYS: &str = "the configuration takes keys of the bone or its children from the mesh, so the children cannot inherit them";

/// Bones that have been removed from some sequences.
pub(super) struct RemovedBones {
    /// In the order of the removals, of which each changes the indices for the next.
    removals: Vec<Removal>,
    sequences: HashSet<Vec<u8>>,
}

impl RemovedBones {
    /// Creates it from the removals of bones from the sequences of a file.
    pub(super) fn new(removals: Vec<Removal>, animations: &Psa) -> Self {
        let names = animations.sequences().iter().map(|own| as_read(own.name.text()));
        Self { removals, sequences: names.collect() }
    }

    /// Returns the indices of a bone before each removal that it is in, and after the last; that is missing if it was removed.
    fn indices(&self, index: usize) -> impl Iterator<Item = usize> {
        let mut removals = self.removals.iter();
        let next = move |index: &usize| {
            removals.next().filter(|own| own.bone != *index).and_then(|own| own.index(*index))
        };
        std::iter::successors(Some(index), next)
    }

    /// Returns the index of a bone afterwards; none if it was removed.
    fn index(&self, index: usize) -> Option<usize> {
        self.indices(index).nth(self.removals.len())
    }

    /// Returns whether keys of a bone changed, because it was removed or inherited others.
    fn moves(&self, index: usize) -> bool {
        let is_moved = |(own, at): (&Removal, usize)| at == own.bone || own.is_child(at);
        self.removals
            .iter()
            .zip(self.indices(index))
            .filter(|(own, _)| !own.children.is_empty())
            .any(is_moved)
    }
}

impl PsaConfig {
    /// Removes the lines of sequences, but those of others that readers treat as the same.
    pub(super) fn remove_sequences(&mut self, removed_names: &RemovedNames, left: &HashSet<Vec<u8>>) {
        let exact: HashSet<_> = removed_names.names().map(unpadded).collect();
        let names: HashSet<_> =
            removed_names.names().map(as_read).filter(|own| !left.contains(own)).collect();
        self.edit_lines(|section, line| {
            let is_gone = |own| exact.contains(unpadded(own)) || names.contains(&as_read(own));
            let is_own =
                section.eq_ignore_ascii_case(REMOVED) && track(line).is_some_and(|(own, _)| is_gone(own));
            (!is_own).then(|| line.to_vec())
        });
    }

    /// Removes the lines of a bone, and lets the indices of the bones after it follow.
    pub(super) fn remove_bone(&mut self, name: &[u8], animations: &[RemovedBones]) -> Result<()> {
        let of = |sequence: &[u8]| {
            let sequence = as_read(sequence);
            let mut own = animations.iter().filter(move |own| own.sequences.contains(&sequence));
            own.next().map(|first| (first, own.next().is_none()))
        };
        for own in self.removed_tracks() {
            let Some((removed, is_one)) = of(own.sequence) else { continue };
            if !is_one {
                let name = escape(own.sequence);
                let why = format!(
                    "several animations have the sequence `{name}` of the configuration; give each with its own configuration only"
                );
                return Err(unsupported(&why));
            }
            if removed.moves(own.bone_index) {
                return Err(unsupported(TAKES_KEYS));
            }
        }
        let moves = animations.iter().flat_map(|own| &own.removals).any(|own| !own.children.is_empty());
        if moves && self.rotation_only() == Some(true) {
            return Err(unsupported(TAKES_KEYS));
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
            let Some((removed, _)) = of(sequence) else { return Some(line.to_vec()) };
            let value = &line[line.iter().rposition(|byte| *byte == b'=').unwrap_or(line.len())..];
            let index = removed.index(index)?;
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
