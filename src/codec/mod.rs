//! From bytes to a file and back, and the proof that nothing was lost.

mod about;
#[cfg(feature = "strategies")]
mod entropy;
mod format;
mod limits;
mod pieces;
mod roundtrip;
mod sink;
#[cfg(feature = "strategies")]
mod strategy;
mod target;

pub use about::{About, Bounds, ClipInfo, SkeletonInfo};
pub use format::{Format, Info, Proposal};
pub(crate) use format::{no_magic, no_room};
pub use limits::{Limits, Options};
pub use pieces::Pieces;
pub use roundtrip::{Outcome, Verdict, damage, law, law_with, roundtrip};
#[cfg(feature = "strategies")]
pub use strategy::{Generate, any_file, any_fixed, generate_as, generate_by_reading, generate_part};
