//! Any UNIGINE file.

use super::{ANIMATIONS, Geometry, MESHES, Mesh14, Tree, UnigineAnim, UnigineMesh};
use crate::codec::{Generate, generate_as, generate_part};
use crate::wire::Packed;

impl Generate for UnigineMesh {
    const WORDS: &'static [&'static [u8]] = &[b"ms10", b"ms11", b"ms12", b"ms13", b"ms14"];

    fn generate(entropy: &[u8]) -> Self {
        let (mut mesh, entropy) = generate_any(entropy, &MESHES);
        if let Self::Mesh14(mesh) = &mut mesh {
            pack(mesh, entropy);
        }
        mesh
    }
}

impl Generate for UnigineAnim {
    const WORDS: &'static [&'static [u8]] = &[b"an10", b"an11"];

    fn generate(entropy: &[u8]) -> Self {
        generate_any(entropy, &ANIMATIONS).0
    }
}

/// A file of the version that the first byte chooses, and the entropy behind that.
fn generate_any<'a, F: Generate>(entropy: &'a [u8], magics: &[&'static [u8; 4]]) -> (F, &'a [u8]) {
    let (version, entropy) = entropy.split_first().unwrap_or((&0, &[]));
    (generate_as(magics[usize::from(*version) % magics.len()], entropy), entropy)
}

/// Random bytes hardly ever unpack; so what is packed is made from entropy too.
fn pack(mesh: &mut Mesh14, entropy: &[u8]) {
    for part in mesh.geometry.iter_mut() {
        let told = part.data.told().clone();
        let geometry = generate_part::<Geometry>(entropy, (14, told.clone()));
        if let Some(Ok(data)) = geometry.map(|geometry| Packed::new(&geometry, told)) {
            part.data = data;
        }
    }
    for part in mesh.trees.iter_mut() {
        if let Some(Ok(data)) = generate_part::<Tree>(entropy, ()).map(|tree| Packed::new(&tree, ())) {
            part.data = data;
        }
    }
}
