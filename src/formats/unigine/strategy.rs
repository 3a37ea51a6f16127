//! Generates UNIGINE files.

use super::{UnigineAnim, UnigineMesh, UnigineSkeleton};
use crate::codec::{Generate, generate_as};

const MESHES: &[[u8; 4]] = &magics::<{ UnigineMesh::TAGS.len() }>(UnigineMesh::TAGS);
const ANIMATIONS: &[[u8; 4]] = &magics::<{ UnigineAnim::TAGS.len() }>(UnigineAnim::TAGS);

const fn magics<const N: usize>(tags: &[u32]) -> [[u8; 4]; N] {
    let mut magics = [[0; 4]; N];
    let mut at = 0;
    while at < N {
        magics[at] = tags[at].to_le_bytes();
        at += 1;
    }
    magics
}

const fn words<const N: usize>(magics: &'static [[u8; 4]]) -> [&'static [u8]; N] {
    let mut words: [&[u8]; N] = [&[]; N];
    let mut at = 0;
    while at < N {
        words[at] = &magics[at];
        at += 1;
    }
    words
}

impl Generate for UnigineMesh {
    const WORDS: &'static [&'static [u8]] = &words::<{ MESHES.len() }>(MESHES);

    fn generate(entropy: &[u8]) -> Self {
        generate_any(entropy, MESHES)
    }
}

impl Generate for UnigineAnim {
    const WORDS: &'static [&'static [u8]] = &words::<{ ANIMATIONS.len() }>(ANIMATIONS);

    fn generate(entropy: &[u8]) -> Self {
        generate_any(entropy, ANIMATIONS)
    }
}

impl Generate for UnigineSkeleton {}

/// Generates a file of the version that the first byte selects.
fn generate_any<F: Generate>(entropy: &[u8], magics: &[[u8; 4]]) -> F {
    let (version, entropy) = entropy.split_first().unwrap_or((&0, &[]));
    generate_as(&magics[usize::from(*version) % magics.len()], entropy)
}
