//! Generates files from a seed.

use super::random::Random;
use crate::{File, FormatSpec, Limits};

/// The number of attempts; if all fail, no seed gives a file.
const PATIENCE: u64 = 1 << 12;

/// Generates a valid file of a format from a seed, and returns it with its bytes; none if no seed gives the dialect.
///
/// The dialect is the one in `spec`, otherwise the first one. Decoding the bytes with the same `spec` gives the file.
///
/// `size` is the number of bytes of entropy. Twice the size gives a file about twice as long.
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
        // Generated lists that share a count can differ in length; such a file cannot be encoded.
        let bytes = file.encode().ok()?;
        let file = spec.kind.decode(&bytes, &spec.options(Limits::none())).ok()?;
        let is_known = spec.kind.info().magic.is_empty() || spec.kind.recognizes(&bytes);
        (is_known && file.dialect() == dialect && file.damage().is_none()).then_some((file, bytes))
    })
}
