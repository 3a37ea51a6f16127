//! Removes animation sets, materials that no mesh uses, and textures.

use std::ops::Range;

use super::objects::Object;
use super::{Tokens, X};
use crate::edit::{Entity, in_use, unsupported};
use crate::schema::{Value, bytes_of};
use crate::wire::{Part, TokenText};
use crate::{Error, ErrorKind, File, Result};

/// Removes objects from files.
pub(in crate::formats) fn remove(files: &mut [File], entity: Entity, name: &[u8]) -> Result<usize> {
    let mut removed = 0;
    for file in files {
        let File::X(file) = file else { continue };
        let ranges = file.ranges(entity, name)?;
        removed += ranges.len();
        if !ranges.is_empty() {
            file.cut(&ranges)?;
        }
    }
    Ok(removed)
}

impl X {
    /// Returns the positions of the objects with a name.
    fn ranges(&self, entity: Entity, name: &[u8]) -> Result<Vec<Range<usize>>> {
        let objects = self.objects()?;
        let template = match entity {
            Entity::Bone => "Frame",
            Entity::Material => "Material",
            Entity::Clip => "AnimationSet",
            Entity::Texture => "TextureFilename",
        };
        let mut ranges = Vec::new();
        for object in objects.all().filter(|object| object.is(template) && is_named(*object, entity, name)) {
            if entity == Entity::Bone {
                return Err(unsupported("frames of .x files cannot be removed"));
            }
            if entity == Entity::Material
                && object.parent().is_some_and(|parent| parent.is("MeshMaterialList"))
            {
                return Err(in_use(entity, name, 1, "mesh"));
            }
            ranges.push(object.range());
        }
        let users = objects.all_references().filter(|(_, reference, _)| reference.name == name).count();
        if !ranges.is_empty() && entity != Entity::Texture && users > 0 {
            return Err(in_use(entity, name, users, "reference"));
        }
        Ok(ranges)
    }

    /// Removes ranges of the content, with the lines that are blank then.
    fn cut(&mut self, ranges: &[Range<usize>]) -> Result<()> {
        let Some(content) = self.content() else { return Ok(()) };
        let content = match content {
            Tokens::Text(text) => {
                let text = text.text();
                let mut kept = Vec::with_capacity(text.len());
                let mut at = 0;
                for range in ranges {
                    let Range { start, end } = with_line(text, range.clone());
                    kept.extend_from_slice(&text[at..start.max(at)]);
                    at = end;
                }
                kept.extend_from_slice(&text[at..]);
                Tokens::Text(TokenText::new(kept))
            }
            Tokens::Binary(tokens) => {
                let kept = tokens
                    .iter()
                    .enumerate()
                    .filter(|(index, _)| !ranges.iter().any(|range| range.contains(index)));
                Tokens::Binary(kept.map(|(_, token)| token.clone()).collect::<Vec<_>>().into())
            }
        };
        self.replace_content(&content)
    }

    pub(super) fn replace_content(&mut self, content: &Tokens) -> Result<()> {
        match self.packed.present_mut() {
            Some(packed) => {
                let refused = |why| Error::new(0, ErrorKind::Value(why));
                packed.replace_inside(&bytes_of(content)).map_err(refused)
            }
            None => {
                self.tokens = Part::Present(content.clone());
                Ok(())
            }
        }
    }
}

fn is_named(object: Object<'_>, entity: Entity, name: &[u8]) -> bool {
    match entity {
        Entity::Texture => object.values().text().is_ok_and(|own| own == name),
        _ => object.name() == name,
    }
}

/// Extends a range to its whole line, if there is nothing else on it.
fn with_line(text: &[u8], range: Range<usize>) -> Range<usize> {
    let is_blank = |byte: &u8| matches!(byte, b' ' | b'\t');
    let before = text[..range.start].iter().rev().take_while(|byte| is_blank(byte)).count();
    let after = text[range.end..].iter().take_while(|byte| is_blank(byte) || **byte == b'\r').count();
    let (start, end) = (range.start - before, range.end + after);
    let starts_line = start == 0 || text[start - 1] == b'\n';
    match text.get(end) {
        Some(b'\n') if starts_line => start..end + 1,
        None if starts_line => start..end,
        _ => range,
    }
}
