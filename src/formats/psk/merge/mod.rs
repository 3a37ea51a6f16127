//! Merges animations of the same bones, and meshes of one skeleton.

mod animation;
mod mesh;

use std::collections::{HashMap, VecDeque};

use super::edit::as_read;
use super::{Bone, CHUNKS, Chunk, Records};
use crate::edit::unsupported;
use crate::wire::escape;
use crate::{File, Result};

pub(in crate::formats) fn merge(file: &mut File, other: &File) -> Result<bool> {
    match (file, other) {
        (File::Psa(file), File::Psa(other)) => file.merge(other)?,
        (File::Psk(file), File::Psk(other)) => file.merge(other)?,
        _ => return Ok(false),
    }
    Ok(true)
}

/// Returns the index in `others` of each bone. Names are compared as readers do: ignoring case and the blanks with which
/// 3ds Max pads them; bones of the same name are matched in order.
fn pair(bones: &[Bone], others: &[Bone]) -> Vec<Option<usize>> {
    let key = |bone: &Bone| as_read(bone.name.text());
    let mut places: HashMap<Vec<u8>, VecDeque<usize>> = HashMap::new();
    for (index, bone) in others.iter().enumerate() {
        places.entry(key(bone)).or_default().push_back(index);
    }
    bones.iter().map(|bone| places.get_mut(&key(bone))?.pop_front()).collect()
}

/// Refuses a file with records that a merge would lose: of unknown kinds, or of a kind in a second chunk.
fn only_known(
    chunks: &[Chunk],
    is_known: impl Fn(&Records) -> bool,
    is_repeatable: fn(&Records) -> bool,
) -> Result<()> {
    let mut seen = Vec::new();
    for chunk in chunks.iter().filter(|chunk| !chunk.records.is_empty()) {
        let kind = std::mem::discriminant(&chunk.records);
        let is_first = is_repeatable(&chunk.records) || !seen.contains(&kind);
        seen.push(kind);
        if !is_known(&chunk.records) || !is_first {
            let id = escape(chunk.id.text());
            return Err(unsupported(&format!("the records of the chunk `{id}` cannot be merged")));
        }
    }
    Ok(())
}

/// Returns the index of the first chunk with such records. If there is none, inserts the blank `new` in the order of the writers, or
/// in place of an empty one with its id.
fn place(chunks: &mut Vec<Chunk>, is: fn(&Records) -> bool, new: Chunk) -> usize {
    if let Some(index) = chunks.iter().position(|chunk| is(&chunk.records)) {
        return index;
    }
    if let Some(index) = chunks.iter().position(|chunk| chunk.id == new.id && chunk.records.is_empty()) {
        chunks[index].records = new.records;
        return index;
    }
    let rank = |chunk: &Chunk| CHUNKS.iter().position(|kind| kind.matches(&chunk.id));
    let own = rank(&new);
    let before = chunks.iter().rposition(|chunk| rank(chunk).is_some_and(|rank| Some(rank) < own));
    let index = before.map_or(chunks.len(), |before| before + 1);
    chunks.insert(index, new);
    index
}
