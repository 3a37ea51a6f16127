//! Formats: decoding, encoding, limits and round trips.
//!
//! A [`Format`] is the root struct of a file. It decodes bytes under [`Options`], which contain the dialect and the
//! [`Limits`], and encodes itself to the same bytes. Decoding is tolerant: a damaged file keeps its undecodable bytes in
//! its [`Rest`](crate::wire::Rest).
//!
//! [`roundtrip`] decodes a file, encodes it and compares the bytes. Its [`Verdict`] is lossless, damaged, undecodable,
//! over a limit, or lossy, which is a bug. [`law`] asserts the laws of a format for any bytes; tests and fuzz targets
//! call it.
//!
//! ```
//! use bindpose::codec::{Format, Options, Verdict, roundtrip};
//! use bindpose::formats::ms3d::Ms3d;
//! let mut bytes = Ms3d::blank_file().encode()?;
//! assert_eq!(roundtrip::<Ms3d>(&bytes, &Options::default()).verdict, Verdict::Lossless);
//! bytes.extend(b"junk");
//! assert!(matches!(roundtrip::<Ms3d>(&bytes, &Options::default()).verdict, Verdict::Damaged(_)));
//! # Ok::<(), bindpose::Error>(())
//! ```

mod budget;
#[cfg(feature = "harness")]
mod coverage;
#[cfg(feature = "harness")]
mod entropy;
mod format;
mod forward_writer;
#[cfg(feature = "harness")]
mod generate;
#[cfg(feature = "strategies")]
#[doc(hidden)]
pub mod laws;
mod limits;
mod memory_writer;
mod roundtrip;
mod same_path;
#[cfg(feature = "strategies")]
mod strategy;
mod stream_verifier;
mod summary;

pub use budget::Budget;
#[cfg(feature = "harness")]
pub use coverage::Coverage;
pub use format::{Format, Info, Proposal};
#[doc(hidden)]
pub use format::{decode_valid, encode_forward, no_magic, no_room};
#[cfg(feature = "harness")]
pub use generate::{Generate, generate_as, generate_by_reading, generate_part};
pub use limits::{Limits, Options};
pub use roundtrip::{
    Outcome, Verdict, damage, first_change_outside, in_place, law, law_with, reread, roundtrip, verify,
};
pub use same_path::{same_path, same_path_with};
#[cfg(feature = "strategies")]
pub use strategy::any_file;
pub use stream_verifier::StreamVerifier;
#[doc(hidden)]
pub use stream_verifier::prove_values;
pub use summary::{Bounds, ClipInfo, CommentInfo, FileSummary, Outline, SkeletonInfo};
