//! Makes the remaining content of a truncated file consistent.

use super::check::{Content, unlisted};
use super::xml::write;
use super::{
    Animation, Binary, BlendVertex, Cal3d, Dialect, Document, Material, Mesh, Morph, Morphs, Skeleton,
    Submesh,
};
use crate::check::common::field_path;
use crate::codec::{Format, damage};
use crate::rescue::{Losses, Rescue};
use crate::text::TokenText;
use crate::{Error, ErrorKind, FieldPath, Limits, Options, Result};

impl<B: Binary + Content + Reconcile> Rescue for Cal3d<B> {
    fn reconcile(&mut self, losses: &mut Losses) -> Result<()> {
        match self {
            Self::Binary { file, .. } => file.reconcile(losses),
            Self::Xml(document) => xml::<B>(document, losses)?,
        }
        Ok(())
    }
}

/// A content of which the remains can be made consistent.
pub trait Reconcile {
    /// As [`Rescue::reconcile`].
    fn reconcile(&mut self, _losses: &mut Losses) {}
}

impl Reconcile for Skeleton {
    fn reconcile(&mut self, losses: &mut Losses) {
        skeleton(self, losses);
    }
}

impl Reconcile for Mesh {
    fn reconcile(&mut self, losses: &mut Losses) {
        mesh(self, losses);
    }
}

impl Reconcile for Animation {}

impl Reconcile for Material {}

impl Reconcile for Morph {}

/// Whether an index refers to one of `len` elements.
fn is_within(index: i32, len: usize) -> bool {
    usize::try_from(index).is_ok_and(|index| index < len)
}

/// Removes references to lost bones.
fn skeleton(file: &mut Skeleton, losses: &mut Losses) {
    let len = file.bones.len();
    for (at, bone) in file.bones.iter_mut().enumerate() {
        if bone.parent_id != -1 && !is_within(bone.parent_id, len) {
            let message = format!("is {}, which is lost; now -1", bone.parent_id);
            losses.add(field_path!["bones", at, "parent_id"], message);
            bone.parent_id = -1;
        }
        let before = bone.child_ids.len();
        bone.child_ids.retain(|child| is_within(*child, len));
        let path = field_path!["bones", at, "child_ids"];
        losses.add_count(path, before - bone.child_ids.len(), "removed: the bone is lost");
    }
    for (at, parent) in unlisted(&file.bones) {
        let path = field_path!["bones", parent, "child_ids"];
        losses.add(path, format!("is lost for bone {at}; restored from its parent"));
        file.bones[parent].child_ids.push(i32::try_from(at).unwrap_or(i32::MAX));
    }
}

fn mesh(file: &mut Mesh, losses: &mut Losses) {
    for (at, own) in file.submeshes.iter_mut().enumerate() {
        submesh(own, &field_path!["submeshes", at], losses);
    }
}

/// Removes references to lost vertices, and the weights of vertices without springs.
fn submesh(submesh: &mut Submesh, base: &FieldPath, losses: &mut Losses) {
    let len = submesh.vertices.len();
    let mut removed = |name: &'static str, before: usize, after: usize| {
        losses.add_count(base.join(&field_path![name]), before - after, "removed: a vertex is lost");
    };
    let before = submesh.faces.len();
    submesh.faces.retain(|face| face.vertex_ids.iter().all(|vertex| is_within(*vertex, len)));
    removed("faces", before, submesh.faces.len());
    let before = submesh.springs.len();
    submesh.springs.retain(|spring| spring.vertex_ids.iter().all(|vertex| is_within(*vertex, len)));
    removed("springs", before, submesh.springs.len());
    if submesh.springs.is_empty() {
        let weights = submesh.vertices.iter_mut().filter_map(|vertex| vertex.physical_weight.take()).count();
        losses.add_count(
            base.join(&field_path!["vertices"]),
            weights,
            "left without a weight: the springs are lost",
        );
    }
    let most = i32::try_from(len).unwrap_or(i32::MAX);
    let is_there = |vertex: &BlendVertex| is_within(vertex.vertex_id, len);
    let mut removed = 0;
    match &mut submesh.morphs {
        None => {}
        Some(Morphs::Counted(morphs)) => {
            for morph in morphs.iter_mut() {
                let before = morph.vertices.len();
                morph.vertices.retain(is_there);
                removed += before - morph.vertices.len();
            }
        }
        Some(Morphs::Ended(morphs)) => {
            for morph in morphs.iter_mut() {
                let before = morph.vertices.len();
                morph.vertices.retain(is_there);
                removed += before - morph.vertices.len();
                morph.end = morph.end.max(most);
            }
        }
    }
    losses.add_count(base.join(&field_path!["morphs"]), removed, "removed: the vertex is lost");
    let steps = submesh.num_lod_steps.clamp(0, most);
    if steps != submesh.num_lod_steps {
        let message = format!("is {}; now {steps}", submesh.num_lod_steps);
        losses.add(base.join(&field_path!["num_lod_steps"]), message);
        submesh.num_lod_steps = steps;
    }
}

/// The number of elements that are removed at most until the last one is complete.
const TRIES: usize = 64;

/// Cuts a document after the last element with which it can be read, and closes those that are open there. If others refer to
/// lost elements, the text is written anew without them.
///
/// # Errors
/// [`ErrorKind::Encode`] when no such document is valid.
fn xml<B: Binary + Content + Reconcile>(document: &mut Document, losses: &mut Losses) -> Result<()> {
    let text = document.tokens.text();
    let ends = ends(text);
    let first = ends.first().copied();
    let read = ends.into_iter().rev().take(TRIES).chain(first).find_map(|end| {
        let closed = closed(&text[..end]);
        let file = content::<B>(&closed)?;
        Some((text.len() - end, closed, file))
    });
    let (lost, mut valid, mut file) = read.unwrap_or_else(|| (text.len(), Vec::new(), B::default()));
    let lost = crate::counted(lost, "byte");
    losses.add(FieldPath::root(), format!("{lost} after the last complete element removed"));
    let mut further = Losses::default();
    file.reconcile(&mut further);
    if valid.is_empty() || !further.is_empty() {
        losses.append(further);
        losses.add(FieldPath::root(), "the text is written anew");
        valid = write(&file).tokens.text().to_vec();
    }
    if decoded::<B>(&valid).is_none() {
        return Err(Error::new(0, ErrorKind::Encode("the elements that are left are invalid".into())));
    }
    document.tokens = TokenText::new(valid);
    Ok(())
}

/// Closes the elements that are open at the end of a text.
fn closed(text: &[u8]) -> Vec<u8> {
    let mut closed = text.to_vec();
    for name in open(text).iter().rev() {
        closed.extend([b"</", *name, b">"].concat());
    }
    closed.push(b'\n');
    closed
}

fn decoded<B: Binary>(text: &[u8]) -> Option<Cal3d<B>> {
    let file =
        Cal3d::<B>::decode_as(text, (Dialect::Xml,), &Options::default().with_limits(Limits::none())).ok()?;
    damage(&file).is_none().then_some(file)
}

/// The content of a document, if all of it can be read.
fn content<B: Binary>(text: &[u8]) -> Option<B> {
    Some(decoded::<B>(text)?.view().ok()?.into_owned())
}

/// A tag of a text.
enum Tag<'a> {
    Open(&'a [u8]),
    Empty,
    Close,
}

/// The tags of a text, and where they end.
fn tags(text: &[u8]) -> impl Iterator<Item = (usize, Tag<'_>)> {
    let mut at = 0;
    std::iter::from_fn(move || {
        loop {
            let start = at + memchr::memchr(b'<', &text[at..])?;
            at = start + memchr::memchr(b'>', &text[start..])? + 1;
            return Some(match &text[start + 1..at - 1] {
                [b'!' | b'?', ..] => continue,
                [b'/', ..] => (at, Tag::Close),
                [.., b'/'] => (at, Tag::Empty),
                tag => {
                    let len = tag.iter().position(u8::is_ascii_whitespace).unwrap_or(tag.len());
                    (at, Tag::Open(&tag[..len]))
                }
            });
        }
    })
}

/// Where the main element is opened, and where elements in it end.
fn ends(text: &[u8]) -> Vec<usize> {
    let mut depth = 0_usize;
    let ends = tags(text).filter_map(|(end, tag)| {
        let is_first = matches!(tag, Tag::Open(_)) && depth == 0;
        match tag {
            Tag::Open(_) => depth += 1,
            Tag::Close => depth = depth.saturating_sub(1),
            Tag::Empty => {}
        }
        (is_first || depth > 0 && !matches!(tag, Tag::Open(_))).then_some(end)
    });
    ends.collect()
}

/// The names of the elements that are open at the end of a text.
fn open(text: &[u8]) -> Vec<&[u8]> {
    let mut open = Vec::new();
    for (_, tag) in tags(text) {
        match tag {
            Tag::Open(name) => open.push(name),
            Tag::Close => _ = open.pop(),
            Tag::Empty => {}
        }
    }
    open
}
