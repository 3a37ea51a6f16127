//! What every target holds: the laws, and the memory that decoding may take.

use allocation_counter::measure;
use bindpose::codec::{self, Format, Generate, Info};
use bindpose::{FileKind, Limits, Options, harness};

/// The laws on the bytes as they are, or on the file that they are entropy for.
pub fn fuzz<F: Generate>(bytes: &[u8]) {
    if let Some((bytes, options)) = harness::fuzz_input::<F>(bytes) {
        law_with::<F>(&bytes, &options);
    }
}

/// The laws on the bytes behind a fixed head: one encoding of a format.
pub fn behind<F: Format>(head: &[u8], bytes: &[u8]) {
    law_with::<F>(&[head, bytes].concat(), &Options::default());
}

/// The laws in a dialect.
pub fn within<F: Format>(bytes: &[u8], dialect: &str) {
    law_with::<F>(bytes, &Options::default().with_dialect(dialect));
}

/// The laws on whatever the content is taken for.
pub fn detect(bytes: &[u8]) {
    if let Some(kind) = FileKind::detect(bytes) {
        bounded(kind.info(), bytes, &Options::default(), |options| kind.decode(bytes, options));
        kind.law(bytes, &Options::default());
    }
}

fn law_with<F: Format>(bytes: &[u8], options: &Options) {
    bounded(&F::INFO, bytes, options, |options| F::decode_with(bytes, options));
    codec::law_with::<F>(bytes, options);
}

/// Decoding takes no more memory than the format states. What is unpacked counts as if it stood in the file, so it is
/// limited: to nothing, and to as much again.
fn bounded<T>(info: &Info, bytes: &[u8], options: &Options, decode: impl Fn(&Options) -> T) {
    for unpacked in [0, bytes.len()] {
        let limits = Limits { max_unpacked: unpacked as u64, ..options.limits };
        let options = options.clone().with_limits(limits);
        let peak = measure(|| drop(decode(&options))).bytes_max;
        let most = (Limits::BASE + info.memory * (bytes.len() + unpacked)) as u64;
        assert!(peak <= most, "{}: {peak} bytes for {} where {most} are promised", info.name, bytes.len());
    }
}
