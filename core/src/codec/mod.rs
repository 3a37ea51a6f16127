//! Formats: decoding, encoding, limits, and round trips.

mod about;
mod compare_writer;
#[cfg(feature = "harness")]
mod entropy;
mod format;
#[cfg(feature = "harness")]
mod generate;
mod limits;
mod memory_writer;
mod roundtrip;
mod same_path;
#[cfg(feature = "strategies")]
mod strategy;
mod stream_verifier;

pub use about::{About, Bounds, ClipInfo, SkeletonInfo};
pub use format::{Format, Info, Proposal};
#[doc(hidden)]
pub use format::{no_magic, no_room};
#[cfg(feature = "harness")]
pub use generate::{Generate, generate_as, generate_by_reading, generate_part};
pub use limits::{Limits, Options};
pub use roundtrip::{
    Outcome, Verdict, damage, edit_law, law, law_with, roundtrip, strayed, truncation, verify,
};
pub use same_path::same_path;
#[cfg(feature = "strategies")]
pub use strategy::{any_file, any_fixed};
pub use stream_verifier::StreamVerifier;
