//! Removes animation sets, materials that no mesh uses, and textures. Appends objects.

use std::ops::Range;

use super::alias::objects_at;
use super::convert::Encoding;
use super::objects::{Object, Objects};
use super::{Tokens, X};
use crate::edit::{Entity, in_use, unsupported};
use crate::schema::{FieldPath, Location, Role, Value, bytes_of};
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

    fn replace_content(&mut self, content: &Tokens) -> Result<()> {
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

    /// Appends objects, given as text, to the object at a path, or to the file. Returns their paths.
    pub(crate) fn append_objects(&mut self, path: &FieldPath, text: &[u8]) -> Result<Vec<Location>> {
        let refused = |why: String| Error::new(0, ErrorKind::Value(why.into())).at(path.clone());
        let snippet = Tokens::Text(TokenText::new(text.to_vec()));
        let new = Objects::of_content(&snippet)?;
        let is_complete = snippet.len() == text.len() && new.problems().is_empty() && new.roots().count() > 0;
        if !is_complete || new.templates().own().next().is_some() {
            let why =
                format!("expected objects such as `Material m {{ ... }}`, got `{}`", text.escape_ascii());
            return Err(refused(why));
        }
        let (count, roots) = (new.all().count(), new.roots().count());
        let objects = self.objects()?;
        let target = match path.steps() {
            [] => None,
            steps => {
                let found = objects_at(&objects, steps);
                let found = found.map_err(|why| Error::new(0, ErrorKind::Path(why)).at(path.clone()))?;
                let [one] = found[..] else {
                    return Err(refused(format!("selects {} objects", found.len())));
                };
                Some(one)
            }
        };
        let content = objects.tokens().ok_or_else(|| refused("the file has no content".into()))?;
        let at = match target {
            None => content.len(),
            Some(target) => target
                .closing_brace()
                .ok_or_else(|| refused("the closing brace of the object is missing".into()))?,
        };
        let offset = objects.offset_of(at);
        let edited = match content {
            Tokens::Text(own) => {
                Tokens::Text(TokenText::new(inserted(own.text(), at, text, target.is_some())))
            }
            Tokens::Binary(own) => {
                let double = Encoding::of(self).is_some_and(|encoding| encoding.double);
                let added = new.with_templates(&objects).as_tokens(double)?;
                Tokens::Binary([&own[..at], &added, &own[at..]].concat().into())
            }
        };
        let after = Objects::of_content(&edited)?;
        let is_extended = after.all().count() == objects.all().count() + count;
        if !is_extended || after.problems().len() > objects.problems().len() {
            return Err(refused("the objects would be read as a part of the text around them".into()));
        }
        let parent = target.map(|target| target.index());
        let siblings: Vec<_> = match parent {
            None => after.roots().collect(),
            Some(parent) => {
                after.all().filter(|object| object.parent().map(|own| own.index()) == Some(parent)).collect()
            }
        };
        let added = siblings[siblings.len() - roots..].iter();
        let locations = added
            .map(|object| Location { path: object.path(), range: offset..offset, role: Role::Free })
            .collect();
        self.replace_content(&edited)?;
        Ok(locations)
    }
}

/// The text with objects at a place: on lines of their own if a line starts there, indented if they have a parent.
fn inserted(text: &[u8], at: usize, objects: &[u8], is_child: bool) -> Vec<u8> {
    let line = text[..at].iter().rposition(|byte| *byte == b'\n').map_or(0, |end| end + 1);
    let indent = &text[line..at];
    let newline: &[u8] = if memchr::memmem::find(text, b"\r\n").is_some() { b"\r\n" } else { b"\n" };
    if is_child && (line == 0 || !indent.iter().all(u8::is_ascii_whitespace)) {
        return [&text[..at], b" ", objects, b" ", &text[at..]].concat();
    }
    let unit: &[u8] = match (is_child, memchr::memmem::find(text, b"\n\t")) {
        (false, _) => b"",
        (true, Some(_)) => b"\t",
        (true, None) => b"  ",
    };
    let start = if is_child { line } else { at };
    let mut edited = text[..start].to_vec();
    if !is_child && !text.is_empty() && !text.ends_with(b"\n") {
        edited.extend_from_slice(newline);
    }
    for own in objects.trim_ascii_end().split(|byte| *byte == b'\n') {
        let own = own.strip_suffix(b"\r").unwrap_or(own);
        let indent = if is_child { indent } else { b"" };
        edited.extend([indent, unit, own, newline].concat());
    }
    edited.extend_from_slice(&text[start..]);
    edited
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
