//! Makes the remaining content of a truncated file consistent.

use super::check::Content;
use super::{Binary, BlendVertex, Cal3d, Dialect, Document, Mesh, Morphs, Skeleton, Submesh};
use crate::check::common::field_path;
use crate::check::{Check, Findings, Severity};
use crate::codec::{Format, damage};
use crate::rescue::Losses;
use crate::wire::TokenText;
use crate::{Error, ErrorKind, FieldPath, Limits, Result};

/// Whether an index refers to one of `len` elements.
fn is_within(index: i32, len: usize) -> bool {
    usize::try_from(index).is_ok_and(|index| index < len)
}

/// Removes references to lost bones.
pub(super) fn skeleton(file: &mut Skeleton, losses: &mut Losses) {
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
        losses.add_count(path, before - bone.child_ids.len(), "removed: their bones are lost");
    }
}

pub(super) fn mesh(file: &mut Mesh, losses: &mut Losses) {
    for (at, own) in file.submeshes.iter_mut().enumerate() {
        submesh(own, &field_path!["submeshes", at], losses);
    }
}

/// Removes references to lost vertices, and the weights of vertices without springs.
fn submesh(submesh: &mut Submesh, base: &FieldPath, losses: &mut Losses) {
    let len = submesh.vertices.len();
    let mut removed = |name: &'static str, before: usize, after: usize| {
        losses.add_count(base.join(&field_path![name]), before - after, "removed: their vertices are lost");
    };
    let before = submesh.faces.len();
    submesh.faces.retain(|face| face.vertex_ids.iter().all(|vertex| is_within(*vertex, len)));
    removed("faces", before, submesh.faces.len());
    let before = submesh.springs.len();
    submesh.springs.retain(|spring| spring.vertex_ids.iter().all(|vertex| is_within(*vertex, len)));
    removed("springs", before, submesh.springs.len());
    if submesh.springs.is_empty() {
        submesh.vertices.iter_mut().for_each(|vertex| vertex.physical_weight = None);
    }
    let is_there = |vertex: &BlendVertex| is_within(vertex.vertex_id, len);
    match &mut submesh.morphs {
        None => {}
        Some(Morphs::Counted(morphs)) => morphs.iter_mut().for_each(|morph| morph.vertices.retain(is_there)),
        Some(Morphs::Ended(morphs)) => morphs.iter_mut().for_each(|morph| {
            morph.vertices.retain(is_there);
            morph.end = morph.end.max(i32::try_from(len).unwrap_or(i32::MAX));
        }),
    }
    let steps = i32::try_from(len).unwrap_or(i32::MAX);
    submesh.num_lod_steps = submesh.num_lod_steps.clamp(0, steps);
}

/// The number of elements that are removed at most until the last one is complete.
const TRIES: usize = 64;

/// Cuts a document after an element that is complete, and closes those that are open there.
///
/// # Errors
/// [`ErrorKind::Encode`] when no such document is valid.
pub(super) fn xml<B: Binary + Content>(document: &mut Document, losses: &mut Losses) -> Result<()> {
    let text = document.tokens.text();
    for (end, open) in ends(text).into_iter().rev().take(TRIES) {
        let mut closed = text[..end].to_vec();
        for name in open.iter().rev() {
            closed.extend([b"</", *name, b">"].concat());
        }
        closed.push(b'\n');
        if !is_valid::<B>(&closed) {
            continue;
        }
        let lost = crate::counted(text.len() - end, "byte");
        losses.add(FieldPath::root(), format!("{lost} after the last complete element removed"));
        document.tokens = TokenText::new(closed);
        return Ok(());
    }
    let why = "no complete element is left, or others refer to lost elements";
    Err(Error::new(0, ErrorKind::Encode(why.into())))
}

fn is_valid<B: Binary + Content>(text: &[u8]) -> bool {
    let Ok(file) = Cal3d::<B>::decode_as(text, (Dialect::Xml,), Limits::none()) else { return false };
    let mut findings = Findings::new(1);
    file.check(&mut findings);
    let report = findings.report(&file);
    damage(&file).is_none() && report.findings.iter().all(|finding| finding.rule.severity != Severity::Error)
}

/// Returns where elements end, with the names of the elements that are open there.
fn ends(text: &[u8]) -> Vec<(usize, Vec<&[u8]>)> {
    let mut ends = Vec::new();
    let mut open: Vec<&[u8]> = Vec::new();
    let mut at = 0;
    while let Some(start) = memchr::memchr(b'<', &text[at..]).map(|start| at + start) {
        let Some(end) = memchr::memchr(b'>', &text[start..]).map(|end| start + end + 1) else { break };
        let tag = &text[start + 1..end - 1];
        at = end;
        match tag {
            [b'!' | b'?', ..] => continue,
            [b'/', ..] => _ = open.pop(),
            [.., b'/'] => {}
            _ => {
                let len = tag.iter().position(u8::is_ascii_whitespace).unwrap_or(tag.len());
                open.push(&tag[..len]);
                continue;
            }
        }
        if !open.is_empty() {
            ends.push((end, open.clone()));
            let surplus = ends.len().saturating_sub(2 * TRIES);
            ends.drain(..if surplus > TRIES { surplus } else { 0 });
        }
    }
    ends
}
