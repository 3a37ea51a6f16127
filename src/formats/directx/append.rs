//! Appends objects.

use super::alias::objects_at;
use super::convert::Encoding;
use super::syntax::objects::{Object, Objects};
use super::{Tokens, X};
use crate::codec::Format;
use crate::schema::{FieldPath, Location, Role};
use crate::text::TokenText;
use crate::{Error, ErrorKind, Limits, Result};

impl X {
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
        let target = target(&objects, path)?;
        let content = objects.tokens().ok_or_else(|| refused("the file has no content".into()))?;
        let at = match target {
            None => Some(content.len()),
            Some(target) => target.closing_brace(),
        };
        let at = at.ok_or_else(|| refused("the closing brace of the object is missing".into()))?;
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
        let mut file = self.clone();
        file.replace_content(&edited)?;
        let options = self.options().with_limits(Limits::none());
        let again = Self::decode_with(&file.encode()?, &options)?;
        let after = again.objects()?;
        let is_extended = after.all().count() == objects.all().count() + count;
        if !is_extended || after.problems().len() > objects.problems().len() {
            return Err(refused("the objects would be read as a part of the content around them".into()));
        }
        let parent = target.map(|target| target.index());
        let is_sibling = |object: &Object<'_>| object.parent().map(|own| own.index()) == parent;
        let siblings: Vec<_> = after.all().filter(is_sibling).collect();
        let offset = objects.offset_of(at);
        let location =
            |object: &Object<'_>| Location { path: object.path(), range: offset..offset, role: Role::Free };
        let locations = siblings[siblings.len() - roots..].iter().map(location).collect();
        *self = file;
        Ok(locations)
    }
}

/// Returns the object at a path; `None` for the file.
fn target<'a>(objects: &'a Objects<'a>, path: &FieldPath) -> Result<Option<Object<'a>>> {
    if path.steps().is_empty() {
        return Ok(None);
    }
    let found = objects_at(objects, path.steps());
    let found = found.map_err(|why| Error::new(0, ErrorKind::Path(why)).at(path.clone()))?;
    let why = || ErrorKind::Value(format!("selects {} objects", found.len()).into());
    let [one] = found[..] else { return Err(Error::new(0, why()).at(path.clone())) };
    Ok(Some(one))
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
