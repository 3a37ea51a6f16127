//! The names in animations and their configuration that are not fields of their own.

use super::edit::as_read;
use super::{Chunk, Materials, Psa, PsaConfig, Psk, Records, Sequence};
use crate::Result;
use crate::check::common::field_path;
use crate::edit::{Entity, Name, NameKey, Named, Stored, defined_names};
use crate::schema::{Step, Value};
use crate::text::TokenKind;

/// What follows the name of a sequence in the id of the chunk with its curves.
const CURVES: &[u8] = b":CUR";
/// The number of bytes of the name in that id.
const MOST: usize = 14;

/// Returns the id of the chunk with the curves of a sequence.
pub(super) fn curves_id(sequence: &Sequence) -> Vec<u8> {
    let name = sequence.name.text();
    [&name[..name.len().min(MOST)], CURVES].concat()
}

/// Returns the names in chunks; those of objects that readers do not find are not definitions.
fn names_in(file: &dyn Value, chunks: &[Chunk], is_read: impl Fn(&Records) -> bool) -> Vec<Name> {
    let mut names = defined_names(file);
    for name in &mut names {
        let [_, Step::Index(index), ..] = name.path.steps() else { continue };
        name.is_definition &= is_read(&chunks[*index].records);
    }
    names
}

impl Named for Psk {
    fn name_key(&self) -> Option<NameKey> {
        Some(as_read)
    }

    fn names(&self) -> Result<Vec<Name>> {
        let materials = self.materials();
        Ok(names_in(self, &self.chunks, |records| match records {
            Records::Bones(own) => own.as_ptr() == self.bones().as_ptr(),
            Records::Materials(own) => {
                matches!(materials, Materials::Full(read) if own.as_ptr() == read.as_ptr())
            }
            Records::ShortMaterials(own) => {
                matches!(materials, Materials::Short(read) if own.as_ptr() == read.as_ptr())
            }
            _ => false,
        }))
    }
}

impl Named for Psa {
    fn name_key(&self) -> Option<NameKey> {
        Some(as_read)
    }

    fn why_kept(&self) -> &'static str {
        "is sparse, and its tracks are not separate"
    }

    fn names(&self) -> Result<Vec<Name>> {
        let mut names = names_in(self, &self.chunks, |records| match records {
            Records::Bones(own) => own.as_ptr() == self.bones().as_ptr(),
            Records::Sequences(own) => own.as_ptr() == self.sequences().as_ptr(),
            _ => false,
        });
        let curves =
            self.chunks.iter().enumerate().filter(|(_, chunk)| matches!(chunk.records, Records::Curves(_)));
        for ((index, chunk), sequence) in curves.zip(self.sequences()) {
            if chunk.id.text() == curves_id(sequence) {
                let path = field_path!["chunks", index, "id"];
                let name = Name::new(Entity::Clip, false, path, sequence.name.text());
                names.push(Name {
                    stored: Stored { most: Some(MOST), suffix: CURVES.to_vec(), is_xml: false },
                    ..name
                });
            }
        }
        Ok(names)
    }
}

impl Named for PsaConfig {
    fn name_key(&self) -> Option<NameKey> {
        Some(as_read)
    }

    fn names(&self) -> Result<Vec<Name>> {
        let mut names = Vec::new();
        let mut section: &[u8] = b"";
        let mut is_value = false;
        for (index, token) in self.tokens.iter().enumerate() {
            let starts_line = !std::mem::replace(&mut is_value, token.kind == TokenKind::Mark);
            if token.kind != TokenKind::Word || !starts_line {
                continue;
            }
            if token.bytes.starts_with(b"[") {
                section = token.bytes;
                continue;
            }
            let path = || field_path!["tokens", index];
            let is = |title: &str| section.eq_ignore_ascii_case(title.as_bytes());
            if is("[UseTranslationBoneNames]") || is("[ForceMeshTranslationBoneNames]") {
                names.push(Name::new(Entity::Bone, false, path(), token.bytes));
            } else if is("[RemoveTracks]")
                && let Some(dot) = token.bytes.iter().rposition(|byte| *byte == b'.')
            {
                let (sequence, bone) = token.bytes.split_at(dot);
                let name = Name::new(Entity::Clip, false, path(), sequence);
                names.push(Name { stored: Stored { suffix: bone.to_vec(), ..Stored::default() }, ..name });
            }
        }
        Ok(names)
    }
}
