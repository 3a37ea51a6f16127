//! Times of sequences and keys. Most writers count frames; one states seconds.

use super::{Psa, Records, Sequence};
use crate::Result;
use crate::edit::unsupported;

/// The difference of two times that are the same up to rounding, as a part of the larger one.
const ROUNDING: f32 = 1e-3;

fn is_near(a: f32, b: f32) -> bool {
    b.is_finite() && (a - b).abs() <= ROUNDING * b.abs()
}

#[expect(clippy::cast_precision_loss, reason = "frames are few")]
const fn length(num_raw_frames: i32) -> f32 {
    num_raw_frames as f32
}

impl Sequence {
    /// Returns its duration with another number of frames and another rate, in the unit of its own. One that is neither its frames
    /// nor its seconds stays.
    pub(super) fn track_time_with(&self, num_raw_frames: i32, rate: f32) -> f32 {
        let (old, new) = (length(self.num_raw_frames), length(num_raw_frames));
        match self.track_time {
            time if is_near(time, old) => new,
            time if is_near(time, old / self.rate) => new / rate,
            time => time,
        }
    }

    /// Returns the time of one of its keys at another rate. Only one that is the duration of a frame in seconds changes.
    pub(super) fn key_time_with(&self, time: f32, rate: f32) -> f32 {
        if is_near(time, 1.0 / self.rate) { 1.0 / rate } else { time }
    }
}

impl Psa {
    /// Checks that the file has a rate for all keys.
    pub(super) fn has_rates(&self) -> Result<()> {
        let has_own_times =
            |own: &Records| matches!(own, Records::SparseSequences(_) | Records::SparseSequences68(_));
        if self.chunks.iter().any(|chunk| has_own_times(&chunk.records) && !chunk.records.is_empty()) {
            return Err(unsupported("the file has sequences whose keys have times of their own"));
        }
        Ok(())
    }
}
