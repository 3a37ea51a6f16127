//! Merges files: clips into one file, and models with different frames.

use std::collections::HashSet;
use std::ops::Range;

use super::template::definitions;
use super::ticks::Ticks;
use super::{
    AnimTicksPerSecond, AnimationSet, Encoding, Frame, FrameTransformMatrix, Header, Material, Mesh, Object,
    Objects, Tokens, View as _,
};
use crate::edit::{Entity, duplicate, unsupported};
use crate::wire::TokenText;
use crate::{File, Result};

/// Templates of objects whose names must be different in the files, and the words for them.
const NAMED: [(&str, &str); 4] = [
    (Frame::TEMPLATE, "frame"),
    (Mesh::TEMPLATE, "mesh"),
    (Material::TEMPLATE, "material"),
    (AnimationSet::TEMPLATE, Entity::Clip.name()),
];

/// Appends the objects of a file, without those that the first one has too. Objects refer to each other by name.
pub(in crate::formats) fn merge(file: &mut File, other: &File) -> Result<bool> {
    let (File::X(file), File::X(other)) = (file, other) else { return Ok(false) };
    let Some(own) = Encoding::of(file) else { return Err(unsupported("the encoding is unknown")) };
    let other = if Encoding::of(other) == Some(own) { (**other).clone() } else { other.convert(own)? };
    let merged = merged(&file.objects()?, &other.objects()?)?;
    file.replace_content(&merged)?;
    Ok(true)
}

fn merged(own: &Objects<'_>, other: &Objects<'_>) -> Result<Tokens> {
    let sets = |objects: &Objects<'_>| objects.all().any(|object| object.is(AnimationSet::TEMPLATE));
    let rate = |objects: &Objects<'_>| Ticks::of(objects).per_second().to_bits();
    if sets(own) && sets(other) && rate(own) != rate(other) {
        return Err(unsupported("the files have different ticks per second"));
    }
    let mut ranges = templates(own, other)?;
    for object in other.roots() {
        let is_unit = object.is(AnimTicksPerSecond::TEMPLATE)
            && own.all().any(|own| own.is(AnimTicksPerSecond::TEMPLATE));
        if !(is_unit || object.is(Header::TEMPLATE) || is_repeated(object, own)?) {
            ranges.push(object.range());
        }
    }
    ranges.sort_by_key(|range| range.start);
    Ok(match (own.tokens(), other.tokens()) {
        (Some(Tokens::Text(own)), Some(Tokens::Text(other))) => {
            let mut text = own.text().to_vec();
            for range in ranges {
                if !text.ends_with(b"\n") {
                    text.push(b'\n');
                }
                text.extend_from_slice(&other.text()[range]);
            }
            text.push(b'\n');
            Tokens::Text(TokenText::new(text))
        }
        (Some(Tokens::Binary(own)), Some(Tokens::Binary(other))) => {
            let added = ranges.into_iter().flat_map(|range| &other[range]);
            Tokens::Binary(own.iter().chain(added).cloned().collect::<Vec<_>>().into())
        }
        _ => return Err(unsupported("a file has no content")),
    })
}

/// Returns whether the first file has the same object, or only the bones of a skeleton that it has too.
fn is_repeated(object: Object<'_>, own: &Objects<'_>) -> Result<bool> {
    if own.roots().any(|own| own.has_content_of(object)) {
        return Ok(true);
    }
    let inside = || object.objects().all().filter(|inner| is_within(*inner, object));
    let known: HashSet<(&str, &[u8])> = own.all().filter_map(named).collect();
    let Some((_, name)) = inside().filter_map(named).find(|own| known.contains(own)) else {
        return Ok(false);
    };
    let is_bones = inside().all(|inner| {
        let is_bone = inner.is(Frame::TEMPLATE) && named(inner).is_some_and(|own| known.contains(&own));
        is_bone || inner.is(FrameTransformMatrix::TEMPLATE)
    });
    if is_bones {
        return Ok(true);
    }
    let template = named(object).map_or("object", |(template, _)| template);
    let word = NAMED.iter().find(|(own, _)| *own == template).map_or("object", |(_, word)| word);
    Err(duplicate(word, name))
}

fn is_within(inner: Object<'_>, outer: Object<'_>) -> bool {
    outer.range().start <= inner.range().start && inner.range().end <= outer.range().end
}

fn named(object: Object<'_>) -> Option<(&'static str, &[u8])> {
    let (template, _) = NAMED.iter().find(|(template, _)| object.is(template))?;
    (!object.name().is_empty()).then(|| (*template, object.name()))
}

impl Object<'_> {
    /// Returns whether another object has the same symbols.
    fn has_content_of(&self, other: Object<'_>) -> bool {
        let (a, b) = (self.range(), other.range());
        match (self.objects().tokens(), other.objects().tokens()) {
            (Some(Tokens::Text(own)), Some(Tokens::Text(other))) => own.text()[a] == other.text()[b],
            (Some(Tokens::Binary(own)), Some(Tokens::Binary(other))) => own[a] == other[b],
            _ => false,
        }
    }
}

/// Returns the positions of the templates that the first file lacks.
fn templates(own: &Objects<'_>, other: &Objects<'_>) -> Result<Vec<Range<usize>>> {
    let mut ranges = Vec::new();
    for (name, range) in other.tokens().map(definitions).unwrap_or_default() {
        let find = |objects: &Objects<'_>| {
            objects.templates().own().find(|own| own.name.eq_ignore_ascii_case(name)).cloned()
        };
        match (find(own), find(other)) {
            (None, _) => ranges.push(range),
            (Some(a), Some(b)) if a.lowercased() != b.lowercased() => {
                return Err(duplicate("template", name));
            }
            _ => {}
        }
    }
    Ok(ranges)
}
