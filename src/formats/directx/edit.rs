//! Removes frames, animation sets, materials that no mesh uses, and textures.

use std::collections::HashSet;
use std::ops::Range;

use super::frames::Edits;
use super::syntax::objects::{Object, Objects};
use super::syntax::writer::{SymbolWriter, TextWriter, TokenWriter};
use super::{AnimationSet, Frame, Material, MeshMaterialList, TextureFilename, Token, Tokens, View as _, X};
use crate::edit::{Entity, RemovedNames, in_use, unsupported};
use crate::schema::{Value, bytes_of};
use crate::text::TokenText;
use crate::{Error, ErrorKind, File, Result, work};

/// Removes objects other than frames from files.
pub(in crate::formats) fn remove(
    files: &mut [File],
    entity: Entity,
    removed_names: &mut RemovedNames,
) -> Result<()> {
    for file in files.iter_mut().filter(|_| entity != Entity::Bone) {
        let File::X(file) = file else { continue };
        let ranges = file.ranges(entity, removed_names)?;
        if !ranges.is_empty() {
            file.cut(&ranges)?;
        }
    }
    Ok(())
}

impl X {
    /// Returns the positions of the objects that go.
    fn ranges(&self, entity: Entity, removed_names: &mut RemovedNames) -> Result<Vec<Range<usize>>> {
        let objects = self.objects()?;
        let template = match entity {
            Entity::Bone => Frame::TEMPLATE,
            Entity::Material => Material::TEMPLATE,
            Entity::Clip => AnimationSet::TEMPLATE,
            Entity::Texture => TextureFilename::TEMPLATE,
        };
        let (mut ranges, mut names) = (Vec::new(), HashSet::new());
        for object in objects.all().filter(|object| object.is(template)) {
            let Some(name) = name(object, entity).filter(|name| removed_names.contains(name)) else {
                continue;
            };
            if entity == Entity::Material
                && object.parent().is_some_and(|parent| parent.is(MeshMaterialList::TEMPLATE))
            {
                return Err(in_use(entity, name, 1, "mesh"));
            }
            removed_names.count(name);
            names.insert(name);
            ranges.push(object.range());
        }
        if entity == Entity::Texture {
            return Ok(ranges);
        }
        let mut users: Vec<_> = objects.all_references().map(|(_, reference, _)| reference.name).collect();
        users.retain(|name| names.contains(name));
        match users.first() {
            Some(name) => {
                Err(in_use(entity, name, users.iter().filter(|own| *own == name).count(), "reference"))
            }
            None => Ok(ranges),
        }
    }

    /// Removes ranges of the content, with the lines that are blank then.
    fn cut(&mut self, ranges: &[Range<usize>]) -> Result<()> {
        let content =
            spliced(&self.objects()?, ranges.iter().map(|range| (range.clone(), Vec::new())).collect())?;
        self.replace_content(&content)
    }

    pub(super) fn replace_content(&mut self, content: &Tokens) -> Result<()> {
        match self.packed.present_mut() {
            Some(packed) => {
                let refused = |why| Error::new(0, ErrorKind::Value(why));
                packed.replace_inside(&bytes_of(content)).map_err(refused)
            }
            None => {
                self.tokens = content.clone().into_part();
                Ok(())
            }
        }
    }
}

/// Returns the content with other objects in place of ranges in ascending order. Lines that are blank then are removed.
pub(super) fn spliced(objects: &Objects<'_>, edits: Edits) -> Result<Tokens> {
    let refused = |why: String| unsupported(&why);
    Ok(match objects.tokens() {
        None => Tokens::Binary(Vec::new().into()),
        Some(Tokens::Text(text)) => {
            let text = text.text();
            work::done(text.len());
            let line_end: &[u8] = if memchr::memmem::find(text, b"\r\n").is_some() { b"\r\n" } else { b"\n" };
            let mut new = Vec::with_capacity(text.len());
            let mut at = 0;
            for (range, objects) in edits {
                let mut out = TextWriter::new();
                objects.iter().try_for_each(|own| own.write(&mut out)).map_err(refused)?;
                let Range { start, end } = if objects.is_empty() { with_line(text, range) } else { range };
                new.extend_from_slice(&text[at..start.max(at)]);
                if !objects.is_empty() {
                    new.extend_from_slice(&indented(text, start, line_end, &out.finish()));
                }
                at = end;
            }
            new.extend_from_slice(&text[at..]);
            Tokens::Text(TokenText::new(new))
        }
        Some(Tokens::Binary(tokens)) => {
            let double = tokens.iter().any(Token::has_doubles);
            let mut new = Vec::with_capacity(tokens.len());
            let mut at = 0;
            for (range, objects) in edits {
                let mut out = TokenWriter::new(double);
                objects.iter().try_for_each(|own| own.write(&mut out)).map_err(refused)?;
                new.extend_from_slice(&tokens[at..range.start]);
                new.extend(out.finish());
                at = range.end;
            }
            new.extend_from_slice(&tokens[at..]);
            Tokens::Binary(new.into())
        }
    })
}

/// Returns the name of an object, or the path of an image that it is.
fn name(object: Object<'_>, entity: Entity) -> Option<&[u8]> {
    match entity {
        Entity::Texture => object.values().text().ok(),
        _ => Some(object.name()),
    }
}

/// Returns the lines of objects with the indentation at a position of a text, and its line ends.
fn indented(text: &[u8], at: usize, end: &[u8], objects: &[u8]) -> Vec<u8> {
    let line = text[..at].iter().rposition(|byte| *byte == b'\n').map_or(0, |end| end + 1);
    let blanks = text[line..].iter().take_while(|byte| matches!(byte, b' ' | b'\t')).count();
    let lines: Vec<_> = objects.trim_ascii().split(|byte| *byte == b'\n').collect();
    lines.join(&[end, &text[line..line + blanks]].concat()[..])
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
