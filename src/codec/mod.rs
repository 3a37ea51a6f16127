//! From bytes to a file and back, and the proof that nothing was lost.

mod format;
mod limits;
mod roundtrip;
mod sink;

pub use format::{Format, Info};
pub use limits::{Limits, Options};
pub use roundtrip::{Outcome, Verdict, damage, law, law_with, roundtrip};
