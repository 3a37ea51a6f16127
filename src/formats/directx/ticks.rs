//! Determines the unit of key times.

use super::{AnimTicksPerSecond, AnimationKey, Objects};
use crate::scene::FRAME_RATE;

/// Ticks per second of files that do not specify it, as assumed by Microsoft's viewer and other readers.
const DEFAULT: f32 = 4800.0;

/// Smallest plausible interval between keys in default ticks, 1/240 second. Shorter intervals are frames.
const MIN_INTERVAL: i32 = 20;

/// The unit of key times.
#[derive(Clone, Copy, Debug)]
pub(super) enum Ticks {
    /// Ticks per second, as specified by the file.
    Stored(f32),
    /// Not specified; the intervals are plausible for the default ticks.
    Default,
    /// Not specified; the intervals are so short that times must be frame numbers.
    Frames,
}

impl Ticks {
    /// Determines the unit of a file.
    #[expect(clippy::cast_precision_loss, reason = "typical values are 24, 30 and 4800")]
    pub fn of(objects: &Objects<'_>) -> Self {
        // The last specification applies if there are several.
        let last = objects.views::<AnimTicksPerSecond>().filter_map(Result::ok).last();
        match last.map(|view| view.ticks).filter(|ticks| *ticks > 0) {
            Some(ticks) => Self::Stored(ticks as f32),
            None if counts_frames(objects) => Self::Frames,
            None => Self::Default,
        }
    }

    /// Returns the ticks per second, or the assumed value if the file does not specify it.
    pub const fn per_second(self) -> f32 {
        match self {
            Self::Stored(ticks) => ticks,
            Self::Default => DEFAULT,
            Self::Frames => FRAME_RATE,
        }
    }
}

/// Returns whether the median interval between keys is too short for ticks.
fn counts_frames(objects: &Objects<'_>) -> bool {
    let mut gaps = Vec::new();
    for keys in objects.views::<AnimationKey>().filter_map(Result::ok) {
        let pairs = keys.keys.times.windows(2);
        gaps.extend(pairs.map(|pair| pair[1].saturating_sub(pair[0])).filter(|gap| *gap > 0));
    }
    let middle = gaps.len() / 2;
    !gaps.is_empty() && *gaps.select_nth_unstable(middle).1 < MIN_INTERVAL
}
