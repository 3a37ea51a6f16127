//! Any PSK or PSA file.
//!
//! Ids and record lengths that belong together would hardly ever meet by chance, so they are drawn together.

use binrw::{BinRead, Endian};

use super::{ANIMATION, Chunk, MESH, Psa, PsaConfig, Psk};
use crate::codec::Generate;
use crate::wire::{Rest, Source, TokenText};

/// Ids with a record length that has a meaning.
const TYPED: &[(&str, i32)] = &[
    ("PNTS0000", 12),
    ("VTXW0000", 16),
    ("VTXW3200", 16),
    ("VTXW3200", 13),
    ("FACE0000", 12),
    ("FACE3200", 18),
    ("MATT0000", 88),
    ("MATT0000", 84),
    ("REFSKELT", 120),
    ("REFSKEL0", 120),
    ("RAWWEIGHTS", 12),
    ("RAWW0000", 12),
    ("VERTEXCOLOR", 4),
    ("EXTRAUVS0", 8),
    ("EXTRAUVS11", 8),
    ("EXTRAUV0", 8),
    ("VTXNORMS", 12),
    ("VTXTANGS", 16),
    ("MRPHINFO", 68),
    ("MRPHDATA", 28),
    ("SKELSOCK", 164),
    ("BONENAMES", 120),
    ("ANIMINFO", 168),
    ("ANIMKEYS", 32),
    ("SCALEKEYS", 16),
    ("walk:CUR", 128),
    ("a_long_sequenc:CUR", 140),
    ("ANIMFLAGS", 1),
    ("MORPHTARGET12", 16),
    ("MORPHNAMES", 64),
    ("PHYSICS0", 101),
    ("SHAPEELEMS", 108),
    ("SEQUENCES", 72),
    ("SEQUENCES", 68),
    ("POSTRACK0:1", 16),
    ("ROTTRACK0:1", 20),
    ("WORLDACTORS", 368),
    ("INSTMATERIAL", 72),
    ("LANDSCAPE", 296),
];

/// Ids with a record length that has none.
const UNTYPED: &[(&str, i32)] = &[
    ("ACTRHEAD", 0),
    ("SCALEKEYS", 0),
    ("PNTS0000", 0),
    ("PNTS0000", 13),
    ("walk:CUR", 130),
    ("", 0),
    ("X", 9),
];

impl Generate for Psk {
    fn generate(entropy: &[u8]) -> Self {
        let (chunks, rest) = generate(entropy, MESH);
        Self { chunks: chunks.into(), rest }
    }
}

impl Generate for Psa {
    fn generate(entropy: &[u8]) -> Self {
        let (chunks, rest) = generate(entropy, ANIMATION);
        Self { chunks: chunks.into(), rest }
    }
}

impl Generate for PsaConfig {
    /// Lines are made of words that mean something and of any bytes.
    fn generate(entropy: &[u8]) -> Self {
        let mut text = b"\n[RemoveTracks]\r\n".to_vec();
        for byte in entropy.iter().take(200) {
            match WORDS.get(usize::from(*byte)) {
                Some(word) => text.extend_from_slice(word),
                None => text.push(byte | 1),
            }
        }
        Self { lexemes: TokenText::new(text), rest: Rest::default() }
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

fn generate(entropy: &[u8], heads: &[&str]) -> (Vec<Chunk>, Rest) {
    let mut draw = entropy.iter().copied();
    let mut next = move || draw.next();
    let head = heads[usize::from(next().unwrap_or(0)) % heads.len()];
    let mut chunks: Vec<Chunk> = chunk(head, 0, &mut next).into_iter().collect();
    let junk = usize::from(next().unwrap_or(0)).saturating_sub(0xf0);
    while let Some(pick) = next() {
        let known = TYPED.iter().chain(UNTYPED);
        let (id, size) = known.clone().nth(usize::from(pick) % known.count()).copied().unwrap_or(("", 0));
        chunks.extend(chunk(id, size, &mut next));
    }
    (chunks, Rest(vec![0xff; junk]))
}

/// A chunk read from a header and bytes that are drawn; zeros follow when none are left.
fn chunk(id: &str, data_size: i32, next: &mut dyn FnMut() -> Option<u8>) -> Option<Chunk> {
    let mut draw = || next().unwrap_or(0);
    let mut bytes = id.bytes().collect::<Vec<_>>();
    bytes.resize(20, 0);
    if draw() > 0xe0 {
        bytes[(id.len() + 1).min(20)..].fill_with(&mut draw);
    }
    let data_count = u32::from(draw() % 4);
    bytes.extend((0..4).map(|_| draw()));
    bytes.extend(data_size.to_le_bytes());
    bytes.extend(data_count.to_le_bytes());
    bytes.extend((0..data_size.unsigned_abs() * data_count).map(|_| draw()));
    Chunk::read_options(&mut Source::new(&bytes), Endian::Little, ()).ok()
}

#[cfg(test)]
mod tests {
    use super::super::Records;
    use super::{Psk, TYPED};
    use crate::codec::Format;

    #[test]
    fn every_known_record_is_read_as_what_it_is() {
        for &(id, size) in TYPED {
            let mut bytes = Psk::blank_file().encode().expect(id);
            let start = bytes.len();
            bytes.extend(id.as_bytes());
            bytes.resize(start + 24, 0);
            bytes.extend(size.to_le_bytes());
            bytes.extend(2_i32.to_le_bytes());
            bytes.resize(bytes.len() + 2 * size.unsigned_abs() as usize, 0x3c);
            let file = Psk::decode(&bytes).expect(id);
            let records = &file.chunks[1].records;
            assert!(!matches!(records, Records::Raw(_)), "{id} of {size} bytes");
            assert_eq!((records.data_size(), records.len()), (size, 2), "{id}");
            assert_eq!(file.encode().expect(id), bytes, "{id}");
        }
    }
}
