//! Merges files: clips into one file, and models with different frames.

use std::borrow::Cow;
use std::collections::{HashMap, HashSet};
use std::ops::Range;

use super::syntax::template::definitions;
use super::ticks::Ticks;
use super::{
    AnimTicksPerSecond, AnimationSet, Child, Encoding, Frame, FrameTransformMatrix, Header, Material, Mesh,
    Object, Objects, Tokens, View as _,
};
use crate::edit::{Entity, duplicate, unsupported};
use crate::schema::bytes_of;
use crate::text::TokenText;
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
    let differ = match (Ticks::of(own), Ticks::of(other)) {
        (Ticks::Irrelevant, _) | (_, Ticks::Irrelevant) => false,
        (own, other) => own.per_second().to_bits() != other.per_second().to_bits(),
    };
    if sets(own) && sets(other) && differ {
        return Err(unsupported("the files have different ticks per second"));
    }
    let mut ranges = templates(own, other)?;
    let known = Known::of(own);
    let has_unit = own.all().any(|own| own.is(AnimTicksPerSecond::TEMPLATE));
    for object in other.roots() {
        let is_unit = object.is(AnimTicksPerSecond::TEMPLATE) && has_unit;
        if !(is_unit || object.is(Header::TEMPLATE) || known.has(object)?) {
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

/// The objects of the first file.
struct Known<'a> {
    /// The symbols of its outermost objects.
    contents: HashSet<Cow<'a, [u8]>>,
    names: HashSet<(&'static str, &'a [u8])>,
}

impl<'a> Known<'a> {
    fn of(own: &'a Objects<'a>) -> Self {
        let contents = own.roots().filter_map(content).collect();
        Self { contents, names: own.all().filter_map(named).collect() }
    }

    /// Returns whether the first file has the same object, or only the bones of a skeleton that it has too.
    fn has(&self, object: Object<'_>) -> Result<bool> {
        if content(object).is_some_and(|content| self.contents.contains(&*content)) {
            return Ok(true);
        }
        let inside = with_descendants(object);
        let is_known = |own: &(&'static str, &[u8])| self.names.contains(own);
        let Some((_, name)) = inside.iter().copied().filter_map(named).find(is_known) else {
            return Ok(false);
        };
        let is_bones = inside.iter().all(|inner| {
            let is_bone = inner.is(Frame::TEMPLATE) && named(*inner).is_some_and(|own| is_known(&own));
            is_bone || inner.is(FrameTransformMatrix::TEMPLATE)
        });
        if is_bones {
            return Ok(true);
        }
        let template = named(object).map_or("object", |(template, _)| template);
        let word = NAMED.iter().find(|(own, _)| *own == template).map_or("object", |(_, word)| word);
        Err(duplicate(word, name))
    }
}

/// Returns an object and all objects in it, in the order of the file.
fn with_descendants(object: Object<'_>) -> Vec<Object<'_>> {
    let mut found = Vec::new();
    let mut stack = vec![object];
    while let Some(object) = stack.pop() {
        found.push(object);
        let first = stack.len();
        stack.extend(object.children().filter_map(Child::object));
        stack[first..].reverse();
    }
    found
}

fn named(object: Object<'_>) -> Option<(&'static str, &[u8])> {
    let (template, _) = NAMED.iter().find(|(template, _)| object.is(template))?;
    (!object.name().is_empty()).then(|| (*template, object.name()))
}

/// Returns the symbols of an object as they are in the file.
fn content(object: Object<'_>) -> Option<Cow<'_, [u8]>> {
    Some(match object.objects().tokens()? {
        Tokens::Text(own) => own.text()[object.range()].into(),
        Tokens::Binary(own) => own[object.range()].iter().flat_map(|token| bytes_of(token)).collect(),
    })
}

/// Returns the positions of the templates that the first file lacks.
fn templates(own: &Objects<'_>, other: &Objects<'_>) -> Result<Vec<Range<usize>>> {
    let mut ranges = Vec::new();
    let named = |objects: &Objects<'_>| {
        let mut named = HashMap::new();
        for own in objects.templates().own() {
            named.entry(own.name.to_ascii_lowercase()).or_insert_with(|| own.clone());
        }
        named
    };
    let (known, added) = (named(own), named(other));
    for (name, range) in other.tokens().map(definitions).unwrap_or_default() {
        let name_of = name.to_ascii_lowercase();
        match (known.get(&name_of), added.get(&name_of)) {
            (None, _) => ranges.push(range),
            (Some(a), Some(b)) if a.lowercased() != b.lowercased() => {
                return Err(duplicate("template", name));
            }
            _ => {}
        }
    }
    Ok(ranges)
}
