//! Determines the unit of key times.

use super::{AnimTicksPerSecond, AnimationKey, Objects};
use crate::scene::FRAME_RATE;

/// Ticks per second of files that do not specify it, as assumed by Microsoft's viewer and other readers.
const DEFAULT: f32 = 4800.0;

/// Smallest plausible interval between keys in default ticks, 1/240 second. Shorter intervals are frames.
const MIN_INTERVAL: i32 = 20;

/// Smallest plausible end of the animations of a file in default ticks, 1/4 second. Earlier ends are frames: keys can be sparse.
const MIN_END: i32 = 1200;

/// The unit of key times.
#[derive(Clone, Copy, Debug)]
pub(super) enum Ticks {
    /// Ticks per second, as specified by the file.
    Stored(f32),
    /// Not specified; the intervals are plausible for the default ticks.
    Default,
    /// Not specified; the intervals or the animations are so short that times must be frame numbers.
    Frames,
    /// Not specified, and no key has a time after 0.
    Irrelevant,
}

impl Ticks {
    /// Determines the unit of a file.
    #[expect(clippy::cast_precision_loss, reason = "typical values are 24, 30 and 4800")]
    pub fn of(objects: &Objects<'_>) -> Self {
        // The last specification applies if there are several.
        let last = objects.views::<AnimTicksPerSecond>().filter_map(Result::ok).last();
        match last.map(|view| view.ticks).filter(|ticks| *ticks > 0) {
            Some(ticks) => Self::Stored(ticks as f32),
            None => Self::guess(objects),
        }
    }

    /// Returns whether a key has a time after 0, so that the unit matters. Reads no further than that key.
    pub fn matter(objects: &Objects<'_>) -> bool {
        let mut keys = objects.views::<AnimationKey>().filter_map(Result::ok);
        keys.any(|keys| keys.keys.times.iter().any(|time| *time > 0))
    }

    fn guess(objects: &Objects<'_>) -> Self {
        if !Self::matter(objects) {
            return Self::Irrelevant;
        }
        let (mut gaps, mut end) = (Vec::new(), 0);
        for keys in objects.views::<AnimationKey>().filter_map(Result::ok) {
            let pairs = keys.keys.times.windows(2);
            gaps.extend(pairs.map(|pair| pair[1].saturating_sub(pair[0])).filter(|gap| *gap > 0));
            end = keys.keys.times.iter().copied().fold(end, i32::max);
        }
        let middle = gaps.len() / 2;
        match end {
            ..MIN_END => Self::Frames,
            _ if gaps.is_empty() || *gaps.select_nth_unstable(middle).1 >= MIN_INTERVAL => Self::Default,
            _ => Self::Frames,
        }
    }

    /// Returns the ticks per second, or the assumed value if the file does not specify it.
    pub const fn per_second(self) -> f32 {
        match self {
            Self::Stored(ticks) => ticks,
            Self::Default | Self::Irrelevant => DEFAULT,
            Self::Frames => FRAME_RATE,
        }
    }
}
