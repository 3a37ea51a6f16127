//! How long the unit of key times is.

use super::{AnimTicksPerSecond, AnimationKey, Objects};
use crate::scene::FRAME_RATE;

/// Ticks in a second where a file does not say: what Microsoft's own viewer and other readers take.
const USUAL: f32 = 4800.0;

/// Keys closer than this are none of those ticks: nobody makes 240 keys a second.
const CLOSE: i32 = 20;

/// What key times count.
#[derive(Clone, Copy, Debug)]
pub(super) enum Ticks {
    /// So many in a second, says the file.
    Said(f32),
    /// The file does not say what, and they may be the usual ones.
    Unsaid,
    /// The file does not say what, and they stand as close as frames do.
    Frames,
}

impl Ticks {
    #[expect(clippy::cast_precision_loss, reason = "files say 24, 30 or 4800")]
    pub fn of(objects: &Objects<'_>) -> Self {
        // Some files say it several times; the last one holds.
        let last = objects.views::<AnimTicksPerSecond>().filter_map(Result::ok).last();
        match last.map(|view| view.ticks).filter(|ticks| *ticks > 0) {
            Some(ticks) => Self::Said(ticks as f32),
            None if counts_frames(objects) => Self::Frames,
            None => Self::Unsaid,
        }
    }

    /// How many a second has, as far as that is known.
    pub const fn per_second(self) -> f32 {
        match self {
            Self::Said(ticks) => ticks,
            Self::Unsaid => USUAL,
            Self::Frames => FRAME_RATE,
        }
    }
}

/// Exporters that count frames leave a few ticks between most keys.
fn counts_frames(objects: &Objects<'_>) -> bool {
    let mut gaps = Vec::new();
    for keys in objects.views::<AnimationKey>().filter_map(Result::ok) {
        let pairs = keys.keys.times.windows(2);
        gaps.extend(pairs.map(|pair| pair[1].saturating_sub(pair[0])).filter(|gap| *gap > 0));
    }
    let middle = gaps.len() / 2;
    !gaps.is_empty() && *gaps.select_nth_unstable(middle).1 < CLOSE
}
