//! The assertions of every target: the laws, and the memory that decoding takes.

mod mutator;
mod targets;
mod uses;

use allocation_counter::measure;
use bindpose::codec::{self, Format, Generate, Info};
use bindpose::{FileKind, Options, harness};

#[doc(hidden)]
pub use libfuzzer_sys;

pub use self::mutator::mutate;
pub use self::targets::{CHOSEN, run};

/// Makes a program of a target: the assertions, and a mutator that knows the formats.
#[macro_export]
macro_rules! program {
    ($name:expr) => {
        $crate::libfuzzer_sys::fuzz_target!(|bytes: &[u8]| $crate::run($name, bytes));

        $crate::libfuzzer_sys::fuzz_mutator!(|data: &mut [u8], size: usize, max_size: usize, seed: u32| {
            $crate::mutate(data, size, max_size, seed)
        });
    };
}

/// Asserts the laws for the bytes, or for a file generated from them.
pub fn fuzz<F: Generate>(bytes: &[u8]) {
    if let Some((bytes, options)) = harness::fuzz_input::<F>(bytes) {
        law_with::<F>(&bytes, &options);
    }
}

/// Asserts the laws for the bytes after a fixed head: one encoding of a format.
pub fn after<F: Format>(head: &[u8], bytes: &[u8]) {
    law_with::<F>(&[head, bytes].concat(), &Options::default());
}

/// Asserts the laws in a dialect.
pub fn within<F: Format>(bytes: &[u8], dialect: &str) {
    law_with::<F>(bytes, &Options::default().with_dialect(dialect));
}

/// Asserts the laws for the format that the content determines.
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

/// Memory in bytes that decoding may take beyond its limit: blocks, tables, error messages.
const SLACK: u64 = 1 << 18;

/// Asserts that decoding takes no more memory than is permitted, whatever its result.
fn bounded<T>(info: &Info, bytes: &[u8], options: &Options, decode: impl Fn(&Options) -> T) {
    for per_byte in [4, 64] {
        let limits = options.limits.with_max_memory(0).with_max_memory_per_byte(per_byte);
        let options = options.clone().with_limits(limits);
        let peak = measure(|| drop(decode(&options))).bytes_max;
        let most = limits.memory_for(bytes.len() as u64) + SLACK;
        assert!(
            peak <= most,
            "{}: {peak} bytes for a file of {}, at most {most} are permitted",
            info.name,
            bytes.len()
        );
    }
}
