//! Files made from a seed.

use super::random::Random;
use crate::{File, FormatSpec, Limits};

/// So many seeds in a row make no file only if none does.
const PATIENCE: u64 = 1 << 12;

/// The sound file of a format that follows from a seed, and its bytes; none where the dialect never comes up.
///
/// The dialect is the one that is asked for, otherwise the first. Whoever reads the bytes as the same `spec` gets the file.
///
/// `size` is how much entropy it is made from: files of twice the size are about twice as long.
///
/// ```
/// use bindpose::harness::generate;
/// use bindpose::{FileKind, FormatSpec};
/// let (file, bytes) = generate(FormatSpec::from(FileKind::Ms3d), 7, 1000).unwrap();
/// assert_eq!(file.encode()?, bytes);
/// # Ok::<(), bindpose::Error>(())
/// ```
#[must_use]
pub fn generate(spec: FormatSpec, seed: u64, size: usize) -> Option<(File, Vec<u8>)> {
    let dialect = spec.dialect.or(spec.kind.info().dialects.first().copied());
    let mut entropy = vec![0; size];
    (0..PATIENCE).find_map(|stream| {
        Random::new(seed, stream).fill(&mut entropy);
        let file = spec.kind.generate(&entropy);
        if file.dialect() != dialect || file == spec.kind.blank() {
            return None;
        }
        // Lists that must be of the same length need not be, made from entropy; such a file cannot be written.
        let bytes = file.encode().ok()?;
        let file = spec.kind.decode(&bytes, &spec.options(Limits::none())).ok()?;
        let is_known = spec.kind.info().magic.is_empty() || spec.kind.recognizes(&bytes);
        (is_known && file.dialect() == dialect && file.damage().is_none()).then_some((file, bytes))
    })
}
