//! Files made from a seed.

use proptest::prelude::Rng;

use super::random::random;
use crate::{File, Spec};

/// So many seeds in a row make no file only if none does.
const PATIENCE: u64 = 1 << 12;

/// The file of a format that follows from a seed, and its bytes; none where the dialect never comes up.
///
/// `size` is how much entropy it is made from: files of twice the size are about twice as long.
///
/// ```
/// use bindpose::harness::generate;
/// use bindpose::{FileKind, Spec};
/// let (file, bytes) = generate(Spec::from(FileKind::Ms3d), 7, 1000).unwrap();
/// assert_eq!(file.encode()?, bytes);
/// # Ok::<(), bindpose::Error>(())
/// ```
#[must_use]
pub fn generate(spec: Spec, seed: u64, size: usize) -> Option<(File, Vec<u8>)> {
    let mut entropy = vec![0; size];
    (0..PATIENCE).find_map(|stream| {
        random(seed, stream).fill_bytes(&mut entropy);
        let file = spec.kind.generate(&entropy);
        if spec.dialect.is_some() && file.dialect() != spec.dialect {
            return None;
        }
        if file == spec.kind.blank() {
            return None;
        }
        // Lists that must be of the same length need not be, made from entropy; such a file cannot be written.
        let bytes = file.encode().ok()?;
        Some((file, bytes))
    })
}
