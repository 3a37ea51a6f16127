//! Finds what breaks the rules of `rules.rs`.

use std::collections::{HashMap, HashSet};

use super::repair::repairs;
use super::rules::{
    BONE_BLANKS, BONE_NAME, CHILDREN, HIERARCHY, LYING_LENGTH, ORDER, PARENT, PARENT_CYCLE, PARENT_ORDER,
    RECORD_LENGTH, RESERVED, STAMP, TWICE, UNIT, UV_NAME, ZERO,
};
use super::{Bone, Chunk, Records};
use crate::check::Findings;
use crate::check::common::{
    ParentRules, QuaternionRules, field_path, is_zero, parents, quaternion, quoted, sum_up, unique,
};
use crate::codec::Format;
use crate::schema::Value;

mod animation;
mod config;
mod mesh;
mod set;

pub(in crate::formats) use set::check_set;

const PARENTS: ParentRules = ParentRules { range: &PARENT, cycle: &PARENT_CYCLE, order: &PARENT_ORDER };
/// What animations say of parents decides nothing.
const ANIMATED: ParentRules = ParentRules { range: &HIERARCHY, cycle: &HIERARCHY, order: &PARENT_ORDER };
const ROTATIONS: QuaternionRules = QuaternionRules { zero: &ZERO, unit: &UNIT };

/// The first chunk that holds such records, as readers have it: its place and them. Of two kinds of records the second
/// counts only where there is none of the first.
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

/// Ids of records that have one length or a few.
const LENGTHS: &[&str] = &[
    "PNTS0000",
    "VTXW0000",
    "VTXW3200",
    "FACE0000",
    "FACE3200",
    "MATT0000",
    "REFSKELT",
    "REFSKEL0",
    "BONENAMES",
    "RAWWEIGHTS",
    "RAWW0000",
    "VERTEXCOLOR",
    "VTXNORMS",
    "MRPHINFO",
    "MRPHDATA",
    "SKELSOCK",
    "ANIMINFO",
    "ANIMKEYS",
    "SCALEKEYS",
];

/// Ids of what has no records.
const HEADS: [&str; 2] = ["ACTRHEAD", "ANIMHEAD"];

/// Dates that known programs stamp their files with.
const STAMPS: [i32; 6] = [1_999_801, 2_003_321, 20_090_127, 20_100_422, 20_210_917, 20_220_723];

/// What holds for the chunks of any file: the stamp, lengths of records, order, once each.
fn chunks(chunks: &[Chunk], order: &[&str], findings: &mut Findings) {
    if let Some(head) = chunks.first().filter(|head| !STAMPS.contains(&head.type_flag)) {
        findings.add(&STAMP, || field_path!["chunks", 0, "type_flag"], || format!("is {}", head.type_flag));
    }
    let mut uvs = HashMap::new();
    for (at, chunk) in chunks.iter().enumerate() {
        if let Records::ExtraUvs(_) = &chunk.records
            && let Some(first) = uvs.insert(chunk.id.text(), at)
        {
            let message =
                || format!("{} is the name of chunk {first} as well", chunk.id.text().escape_ascii());
            findings.add(&UV_NAME, || field_path!["chunks", at], message);
        }
    }
    let mut seen = HashSet::new();
    let mut last = 0;
    for (at, chunk) in chunks.iter().enumerate() {
        let name = || String::from_utf8_lossy(chunk.id.text()).into_owned();
        if let Records::Raw(raw) = &chunk.records
            && !raw.bytes().is_empty()
            && LENGTHS.iter().any(|id| chunk.id == *id)
        {
            let size = chunk.records.data_size();
            let message = || format!("records of {} with {size} bytes are not known", name());
            findings.add(&RECORD_LENGTH, || field_path!["chunks", at], message);
        }
        if (LENGTHS.iter().chain(&HEADS).any(|id| chunk.id == *id)) && !seen.insert(chunk.id.text()) {
            findings.add(&TWICE, || field_path!["chunks", at], || format!("{} stood before", name()));
        } else if let Some(place) = order.iter().position(|id| chunk.id == *id) {
            if place < last {
                let message = || format!("{} stands behind {}", order[place], order[last]);
                findings.add(&ORDER, || field_path!["chunks", at], message);
            }
            last = last.max(place);
        }
    }
}

/// Headers that lie, where the truth can be told. Only a damaged file has such.
fn lies(file: &impl Format, chunks: &[Chunk], findings: &mut Findings) {
    let Ok(bytes) = file.encode() else { return };
    for repair in repairs(&bytes) {
        let mut start = 0;
        let place = chunks.iter().position(|chunk| {
            let found = start + chunk.size() > repair.range.start;
            start += chunk.size();
            found
        });
        let field = if repair.rule == &LYING_LENGTH { "data_size" } else { "data_count" };
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
        // Animations may leave the pose to the mesh.
        if rules.range != &HIERARCHY || !is_zero(bone.orientation) {
            quaternion(findings, &ROTATIONS, bone.orientation, || path(at, "orientation"));
        }
    }
}

/// A root has its own index, 0 at the first place, or -1.
fn parent(at: usize, bone: &Bone) -> Option<i64> {
    let own = usize::try_from(bone.parent_index) == Ok(at);
    (!own && bone.parent_index != -1).then_some(bone.parent_index.into())
}

/// Whether a writer counts the children of bones.
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
