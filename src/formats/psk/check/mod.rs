//! Implements the rules of `rules.rs`.

use std::collections::{HashMap, HashSet};

use super::repair::repairs;
use super::rules::{
    BONE_BLANKS, BONE_NAME, CHILDREN, HIERARCHY, ORDER, PARENT, PARENT_CYCLE, PARENT_ORDER, RECORD_SIZE,
    RESERVED, STAMP, TWICE, UNIT, UV_NAME, WRONG_SIZE, ZERO,
};
use super::{Bone, CHUNKS, Chunk, ChunkKind, Content, IdPattern, Presence, Records, stamp};
use crate::check::Findings;
use crate::check::common::{
    ParentRules, QuaternionRules, counted, field_path, is_zero, parents, quaternion, quoted, sum_up, unique,
};
use crate::codec::Format;
use crate::schema::Value;
use crate::wire::escape;

mod animation;
mod config;
mod mesh;
mod order;
mod set;

pub(in crate::formats) use set::check_set;

const PARENTS: ParentRules = ParentRules { range: &PARENT, cycle: &PARENT_CYCLE, order: &PARENT_ORDER };
/// The hierarchy of an animation file has no effect.
const ANIMATED: ParentRules = ParentRules { range: &HIERARCHY, cycle: &HIERARCHY, order: &PARENT_ORDER };
const ROTATIONS: QuaternionRules = QuaternionRules { zero: &ZERO, unit: &UNIT };

/// Returns the first chunk with such records, like other readers: its index and the records. Of two record layouts the
/// second is used only if there are no records of the first.
macro_rules! found {
    ($chunks:expr, $variant:ident or $other:ident) => {{
        let first = found!($chunks, $variant).filter(|(_, records)| !records.is_empty()).map(|(at, _)| at);
        first.or(found!($chunks, $other).map(|(at, _)| at)).unwrap_or(0)
    }};
    ($chunks:expr, $variant:ident) => {
        $chunks.iter().enumerate().find_map(|(at, chunk)| match &chunk.records {
            $crate::formats::psk::Records::$variant(records) => Some((at, &***records)),
            _ => None,
        })
    };
}
use found;

/// Checks what holds for the chunks of any file: stamp, record sizes, order, repetition.
fn chunks(chunks: &[Chunk], content: Content, findings: &mut Findings) {
    if let Some(head) = chunks.first().filter(|head| !stamp::ALL.contains(&head.type_flag)) {
        findings.add(&STAMP, || field_path!["chunks", 0, "type_flag"], || format!("is {}", head.type_flag));
    }
    record_sizes(chunks, findings);
    repetitions(chunks, findings);
    order(chunks, content, findings);
}

fn record_sizes(chunks: &[Chunk], findings: &mut Findings) {
    for (at, chunk) in chunks.iter().enumerate() {
        if let Records::Raw(raw) = &chunk.records
            && !raw.bytes().is_empty()
            && chunk.kind().is_some()
        {
            let size = counted(chunk.records.data_size(), "byte");
            let message = || format!("unknown record size of {}: {size}", escape(chunk.id.text()));
            findings.add(&RECORD_SIZE, || field_path!["chunks", at], message);
        }
    }
}

/// A chunk with a fixed id occurs once, and each channel of additional texture coordinates has an id of its own.
fn repetitions(chunks: &[Chunk], findings: &mut Findings) {
    let mut seen = HashMap::new();
    for (at, chunk) in chunks.iter().enumerate() {
        let Some(kind) = chunk.kind() else { continue };
        let rule = match kind.id {
            IdPattern::Exact(_) => &TWICE,
            _ if *kind == ChunkKind::EXTRA_UVS => &UV_NAME,
            _ => continue,
        };
        let id = chunk.id.text();
        if let Some(first) = seen.insert(id, at) {
            let message = || format!("{} is also the id of chunk {first}", escape(id));
            findings.add(rule, || field_path!["chunks", at], message);
        }
    }
}

/// Compares the order of the chunks that Epic's readers expect with that of [`CHUNKS`].
fn order(chunks: &[Chunk], content: Content, findings: &mut Findings) {
    let mut last = None;
    let mut seen = HashSet::new();
    for (at, chunk) in chunks.iter().enumerate() {
        let expected = |kind: &ChunkKind| {
            kind.content == content && matches!(kind.presence, Presence::Since(_)) && kind.matches(&chunk.id)
        };
        let Some(place) = CHUNKS.iter().position(expected) else { continue };
        if !seen.insert(chunk.id.text()) {
            continue;
        }
        if let Some(last) = last.filter(|last| place < *last) {
            let message = || format!("{} follows {}", escape(chunk.id.text()), CHUNKS[last].id_text());
            findings.add(&ORDER, || field_path!["chunks", at], message);
        }
        last = last.max(Some(place));
    }
}

/// Reports headers that can be repaired; only a damaged file has such.
fn wrong_headers(file: &impl Format, chunks: &[Chunk], findings: &mut Findings) {
    let Ok(bytes) = file.encode() else { return };
    for repair in repairs(&bytes) {
        let mut start = 0;
        let place = chunks.iter().position(|chunk| {
            let found = start + chunk.size() > repair.range.start;
            start += chunk.size();
            found
        });
        let field = if repair.rule == &WRONG_SIZE { "data_size" } else { "data_count" };
        let path = || field_path!["chunks", place.unwrap_or(chunks.len()), field];
        findings.add_at(repair.rule, repair.range.clone(), path, || repair.message.clone());
    }
}

fn bones(chunk: usize, bones: &[Bone], rules: &ParentRules, findings: &mut Findings) {
    let path = |bone: usize, field: &'static str| field_path!["chunks", chunk, "records", bone, field];
    let names = || bones.iter().map(|bone| bone.name.text());
    unique(findings, &BONE_NAME, names(), |bone| path(bone, "name"));
    for (at, name) in names().enumerate().filter(|(_, name)| name.ends_with(b" ")) {
        findings.add(&BONE_BLANKS, || path(at, "name"), || quoted(name));
    }
    let above: Vec<_> = bones.iter().enumerate().map(|(at, bone)| parent(at, bone)).collect();
    parents(findings, rules, &above, |bone| path(bone, "parent_index"));
    let used = bones.iter().enumerate().filter(|(_, bone)| bone.flags != 0);
    sum_up(findings, &RESERVED, used, |(at, bone), more| {
        (path(at, "flags"), format!("is {}{more}", bone.flags))
    });
    for (at, bone) in bones.iter().enumerate() {
        // Animation files may omit the pose.
        if rules.range != &HIERARCHY || !is_zero(bone.orientation) {
            quaternion(findings, &ROTATIONS, bone.orientation, || path(at, "orientation"));
        }
    }
}

/// Returns the parent of a bone. A root has its own index or -1.
pub(super) fn parent(at: usize, bone: &Bone) -> Option<i64> {
    let own = usize::try_from(bone.parent_index) == Ok(at);
    (!own && bone.parent_index != -1).then_some(bone.parent_index.into())
}

/// Compares the number of children with the number that each bone states.
fn children(chunk: usize, bones: &[Bone], findings: &mut Findings) {
    let mut counts = vec![0; bones.len()];
    for (at, bone) in bones.iter().enumerate() {
        let above = parent(at, bone).and_then(|parent| usize::try_from(parent).ok());
        if let Some(count) = above.and_then(|parent| counts.get_mut(parent)) {
            *count += 1;
        }
    }
    let wrong = bones.iter().zip(counts).enumerate().filter(|(_, (bone, count))| bone.num_children != *count);
    sum_up(findings, &CHILDREN, wrong, |(at, (bone, count)), more| {
        let path = field_path!["chunks", chunk, "records", at, "num_children"];
        (path, format!("is {}, but it has {count}{more}", bone.num_children))
    });
}
