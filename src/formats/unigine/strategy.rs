//! Generates UNIGINE files.

use super::{Geometry, Geometry15, PackedTree, Tree, UnigineAnim, UnigineMesh};
use crate::codec::{Generate, generate_as, generate_part};
use crate::wire::{Content, Packed};

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
        let (mut mesh, entropy) = generate_any(entropy, MESHES);
        match &mut mesh {
            Self::Mesh14(mesh) => {
                mesh.geometry.iter_mut().for_each(|part| {
                    pack(&mut part.data, |counts| generate_part::<Geometry>(entropy, (14, counts)));
                });
                mesh.trees.iter_mut().for_each(|part| pack_tree(part, entropy));
            }
            Self::Mesh15(mesh) => {
                mesh.geometry.iter_mut().for_each(|part| {
                    pack(&mut part.data, |counts| generate_part::<Geometry15>(entropy, (counts,)));
                });
                mesh.trees.iter_mut().for_each(|part| pack_tree(part, entropy));
            }
            _ => {}
        }
        mesh
    }
}

impl Generate for UnigineAnim {
    const WORDS: &'static [&'static [u8]] = &words::<{ ANIMATIONS.len() }>(ANIMATIONS);

    fn generate(entropy: &[u8]) -> Self {
        generate_any(entropy, ANIMATIONS).0
    }
}

/// Generates a file of the version that the first byte selects; also returns the remaining entropy.
fn generate_any<'a, F: Generate>(entropy: &'a [u8], magics: &'static [[u8; 4]]) -> (F, &'a [u8]) {
    let (version, entropy) = entropy.split_first().unwrap_or((&0, &[]));
    (generate_as(&magics[usize::from(*version) % magics.len()], entropy), entropy)
}

/// Replaces a packed part by a generated one, as random bytes rarely unpack.
fn pack<T: Content>(part: &mut Packed<T>, generate: impl FnOnce(T::ContentArgs) -> Option<T>) {
    let args = part.content_args().clone();
    if let Some(Ok(data)) = generate(args.clone()).map(|content| Packed::new(&content, args)) {
        *part = data;
    }
}

fn pack_tree(part: &mut PackedTree, entropy: &[u8]) {
    pack(&mut part.data, |()| generate_part::<Tree>(entropy, ()));
}
