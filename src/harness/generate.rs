//! Generates files from a seed.

use super::random::Random;
use crate::codec::{Generate, damage};
use crate::{File, FormatSpec, Limits, Options};

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
    attempts(seed, size, &mut |entropy| {
        let file = spec.kind.generate(entropy);
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

/// As [`generate`], for a format of another crate, in a dialect or in its first one.
#[must_use]
pub fn generate_format<F: Generate>(dialect: Option<&str>, seed: u64, size: usize) -> Option<Vec<u8>> {
    let dialect = dialect.or(F::INFO.dialects.first().copied());
    let options = Options::default().with_limits(Limits::none());
    let options = dialect.map_or(options.clone(), |dialect| options.with_dialect(dialect));
    let blank = F::blank_file().encode().ok()?;
    attempts(seed, size, &mut |entropy| {
        let bytes = F::generate(entropy).encode().ok().filter(|bytes| *bytes != blank)?;
        let file = F::decode_with(&bytes, &options).ok()?;
        (file.dialect() == dialect && damage(&file).is_none()).then_some(bytes)
    })
}

/// Calls `make` with random bytes from a seed until it returns a value.
fn attempts<T>(seed: u64, size: usize, make: &mut dyn FnMut(&[u8]) -> Option<T>) -> Option<T> {
    let mut entropy = vec![0; size];
    (0..PATIENCE).find_map(|stream| {
        Random::new(seed, stream).fill(&mut entropy);
        make(&entropy)
    })
}
