//! Generated files: a format reads a file out of entropy.
//!
//! The definition needs no second list of fields: the reader requests a number, a name or a run of records, and entropy
//! supplies one.

use binrw::{BinRead, Endian};

use super::entropy::Entropy;
use super::{Format, Options};
use crate::wire::Source;

/// A format whose files can be generated from entropy.
pub trait Generate: Format {
    /// Byte strings with a meaning in this format: tags, names of chunks. A read of such a length often returns one.
    const WORDS: &'static [&'static [u8]] = &[];

    /// Generates a file. The same entropy gives the same file; no entropy gives a very small one.
    #[must_use]
    fn generate(entropy: &[u8]) -> Self {
        generate_by_reading(entropy)
    }
}

/// Generates a file by letting the format read entropy.
#[must_use]
pub fn generate_by_reading<F: Generate>(entropy: &[u8]) -> F {
    generate_as(F::INFO.magic, entropy)
}

/// Generates a file that starts with the given magic.
#[must_use]
pub fn generate_as<F: Generate>(magic: &[u8], entropy: &[u8]) -> F {
    let mut source = Entropy::new(entropy, magic, F::WORDS);
    let dialect = source.draw();
    let mut source = Source::from(source);
    let mut options = Options::default();
    if let Some(index) = usize::from(dialect).checked_rem(F::INFO.dialects.len()) {
        options = options.with_dialect(F::INFO.dialects[index]);
    }
    let args = F::args(magic, &options);
    let file = args.ok().and_then(|args| F::read_options(&mut source, Endian::Little, args).ok());
    file.unwrap_or_else(F::blank_file)
}

/// Generates an on-disk struct from entropy and its binrw arguments.
#[must_use]
pub fn generate_part<T: BinRead>(entropy: &[u8], args: T::Args<'_>) -> Option<T> {
    T::read_options(&mut Source::from(Entropy::new(entropy, &[], &[])), Endian::Little, args).ok()
}
