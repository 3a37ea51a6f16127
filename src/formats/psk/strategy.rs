//! Generates PSK and PSA files.
//!
//! Matching ids and record sizes are unlikely to occur by chance, so they are generated as pairs.

use binrw::{BinRead, Endian};

use super::{CHUNKS, Chunk, ChunkHeader, ChunkKind, Content, IdPattern, Psa, PsaConfig, Psk, first_ids};
use crate::codec::Generate;
use crate::schema::bytes_of;
use crate::text::TokenText;
use crate::wire::{FixedStr, Rest, Source};

/// An id and the size of its records.
pub type Layout = (String, i32);

/// Returns the layouts of a kind of chunk.
fn layouts(kind: &ChunkKind) -> impl Iterator<Item = Layout> {
    let id = match kind.id {
        IdPattern::Exact(id) => id.to_owned(),
        IdPattern::Prefix(id) => format!("{id}0"),
        IdPattern::Suffix(id) => format!("walk{id}"),
    };
    kind.record_sizes.iter().map(move |size| (id.clone(), *size))
}

/// Returns the layouts with a meaning, with curves of two lengths.
pub fn known() -> impl Iterator<Item = Layout> {
    let curves = layouts(&ChunkKind::CURVES).map(|(id, size)| (id, size + 12));
    CHUNKS.iter().flat_map(layouts).chain(curves)
}

/// Returns layouts without a meaning.
pub fn unknown() -> impl Iterator<Item = Layout> {
    let points = layouts(&ChunkKind::POINTS).flat_map(|(id, size)| [(id.clone(), 0), (id, size + 1)]);
    let curves = layouts(&ChunkKind::CURVES).map(|(id, size)| (id, size + 2));
    let heads = CHUNKS.iter().filter(|kind| kind.is_head()).map(|kind| (kind.id_text().to_owned(), 0));
    points.chain(curves).chain(heads).chain([(String::new(), 0), ("X".into(), 9)])
}

impl Generate for Psk {
    fn generate(entropy: &[u8]) -> Self {
        let (chunks, rest) = generate(entropy, Content::Mesh);
        Self { chunks: chunks.into(), rest }
    }
}

impl Generate for Psa {
    fn generate(entropy: &[u8]) -> Self {
        let (chunks, rest) = generate(entropy, Content::Animations);
        Self { chunks: chunks.into(), rest }
    }
}

impl Generate for PsaConfig {
    /// Lines consist of known words and arbitrary bytes.
    fn generate(entropy: &[u8]) -> Self {
        let mut text = b"\n[RemoveTracks]\r\n".to_vec();
        for byte in entropy.iter().take(200) {
            match WORDS.get(usize::from(*byte)) {
                Some(word) => text.extend_from_slice(word),
                None => text.push(byte | 1),
            }
        }
        Self { tokens: TokenText::new(text), rest: Rest::default() }
    }
}

const WORDS: &[&[u8]] = &[
    b"\n",
    b"\r\n",
    b"=",
    b"=all\n",
    b".63=rot\r\n",
    b"[AnimSet]\n",
    b"bAnimRotationOnly=1\n",
    b"Run Fast.",
];

fn generate(entropy: &[u8], content: Content) -> (Vec<Chunk>, Rest) {
    let mut draw = entropy.iter().copied();
    let mut next = move || draw.next();
    let heads: Vec<_> = first_ids(content).collect();
    let head = heads[usize::from(next().unwrap_or(0)) % heads.len()];
    let mut chunks: Vec<Chunk> = chunk(head, 0, &mut next).into_iter().collect();
    let junk = usize::from(next().unwrap_or(0)).saturating_sub(0xf0);
    let layouts: Vec<_> = known().chain(unknown()).collect();
    while let Some(pick) = next() {
        let (id, size) = &layouts[usize::from(pick) % layouts.len()];
        chunks.extend(chunk(id.as_bytes(), *size, &mut next));
    }
    (chunks, Rest::from(vec![0xff; junk]))
}

/// Reads a chunk from a header and bytes that are drawn; zeros follow when none are left.
fn chunk(id: &[u8], data_size: i32, next: &mut dyn FnMut() -> Option<u8>) -> Option<Chunk> {
    let mut draw = || next().unwrap_or(0);
    let mut own = FixedStr::new(id)?;
    if draw() > 0xe0 {
        own.0[id.len() + 1..].fill_with(&mut draw);
    }
    let data_count = i32::from(draw() % 4);
    let type_flag = i32::from_le_bytes([(); 4].map(|()| draw()));
    let mut bytes = bytes_of(&ChunkHeader { id: own, type_flag, data_size, data_count });
    bytes.extend((0..data_size * data_count).map(|_| draw()));
    Chunk::read_options(&mut Source::new(&bytes), Endian::Little, ()).ok()
}
