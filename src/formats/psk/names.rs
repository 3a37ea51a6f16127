//! The names in animations and their configuration that are not fields of their own.

use std::mem::discriminant;

use super::{Chunk, Content, Psa, PsaConfig, Psk, Records, Sequence};
use crate::Result;
use crate::check::common::field_path;
use crate::edit::{Entity, Name, Named, Stored, defined_names};
use crate::schema::{FieldPath, Step, Value};
use crate::wire::TokenKind;

/// What follows the name of a sequence in the id of the chunk with its curves.
const CURVES: &[u8] = b":CUR";
/// The number of bytes of the name in that id.
const MOST: usize = 14;

/// Returns the id of the chunk with the curves of a sequence.
pub(super) fn curves_id(sequence: &Sequence) -> Vec<u8> {
    let name = sequence.name.text();
    [&name[..name.len().min(MOST)], CURVES].concat()
}

/// Returns whether the object at a path exists for readers: they ignore chunks whose records are not of their format, and all
/// but the first chunk of a kind.
fn is_read(chunks: &[Chunk], path: &FieldPath, content: Content) -> bool {
    let [Step::Field(_), Step::Index(index), ..] = path.steps() else { return false };
    let own = |chunk: &Chunk| {
        matches!(
            (&chunk.records, content),
            (Records::Bones(_), _)
                | (Records::Materials(_), Content::Mesh)
                | (Records::Sequences(_), Content::Animations)
        )
    };
    let same = |chunk: &Chunk| discriminant(&chunk.records) == discriminant(&chunks[*index].records);
    own(&chunks[*index]) && !chunks[..*index].iter().any(same) && !is_replaced(chunks, &chunks[*index])
}

/// Whether readers use the short form of materials instead of the records of a chunk.
fn is_replaced(chunks: &[Chunk], chunk: &Chunk) -> bool {
    let short = chunks.iter().find_map(|own| match &own.records {
        Records::ShortMaterials(short) => Some(short),
        _ => None,
    });
    matches!(chunk.records, Records::Materials(_)) && short.is_some_and(|short| !short.is_empty())
}

/// Returns the names in chunks.
fn names_in(file: &dyn Value, chunks: &[Chunk], content: Content) -> Vec<Name> {
    let mut names = defined_names(file);
    for name in &mut names {
        name.is_definition &= is_read(chunks, &name.path, content);
    }
    names
}

impl Named for Psk {
    fn names(&self) -> Result<Vec<Name>> {
        Ok(names_in(self, &self.chunks, Content::Mesh))
    }
}

impl Named for Psa {
    fn names(&self) -> Result<Vec<Name>> {
        let mut names = names_in(self, &self.chunks, Content::Animations);
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
