//! Clips that are cut from a longer one.

use std::fmt;
use std::str::FromStr;

use super::Scene;
use super::settings::is_positive;

/// A part of the only clip of a scene that becomes a clip of its own, in seconds.
///
/// As text, it is `NAME=FROM-TO` in seconds, or `NAME=FROM-TO@RATE` in frames at a rate.
///
/// ```
/// use bindpose::scene::ClipRange;
/// let walk: ClipRange = "walk=12-36@24".parse()?;
/// assert_eq!(walk, ClipRange { name: "walk".into(), start: 0.5, end: 1.5 });
/// assert_eq!(walk.to_string(), "walk=0.5-1.5");
/// # Ok::<(), String>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct ClipRange {
    /// The name of the new clip.
    pub name: String,
    /// Where it starts.
    pub start: f32,
    /// Where it ends.
    pub end: f32,
}

impl fmt::Display for ClipRange {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "{}={}-{}", self.name, self.start, self.end)
    }
}

impl FromStr for ClipRange {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let expected = "expected NAME=FROM-TO in seconds, or NAME=FROM-TO@RATE in frames";
        let (name, span) = text.rsplit_once('=').filter(|(name, _)| !name.is_empty()).ok_or(expected)?;
        let (span, rate) = span.split_once('@').unwrap_or((span, "1"));
        let rate = rate.parse().ok().filter(|rate| is_positive(*rate));
        let rate = rate.ok_or("expected a rate greater than 0")?;
        let (from, to) = span.split_once('-').ok_or(expected)?;
        let seconds = |text: &str| text.parse().ok().map(|own: f32| own / rate).filter(|own| own.is_finite());
        let (start, end) = seconds(from).zip(seconds(to)).ok_or(expected)?;
        if start > end {
            return Err(format!("expected a start that is not after the end, got {from} and {to}"));
        }
        Ok(Self { name: name.to_owned(), start, end })
    }
}

/// Why a clip cannot be cut.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum CutError {
    /// The scene has no clip, or several: their names.
    NotOneClip(Vec<String>),
    /// A range ends after the clip.
    Outside {
        /// The range.
        range: ClipRange,
        /// The name of the clip.
        clip: String,
        /// The end of the clip in seconds.
        end: f32,
    },
}

impl fmt::Display for CutError {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NotOneClip(names) if names.is_empty() => out.write_str("there is no clip to cut"),
            Self::NotOneClip(names) => {
                let count = names.len();
                write!(
                    out,
                    "there are {count} clips, of which only a single one can be cut: {}",
                    names.join(", ")
                )
            }
            Self::Outside { range, clip, end } => {
                write!(out, "{range}: the clip {clip:?} ends at {end} seconds")
            }
        }
    }
}

impl std::error::Error for CutError {}

/// How far after the last key a range can end, in seconds: half a frame.
const NEAR: f32 = 1.0 / 60.0;

impl Scene {
    /// Replaces the only clip by ranges of it, if there are any.
    ///
    /// ```
    /// use bindpose::scene::{CutError, Scene};
    /// let none = Scene::default().cut_clip(&["walk=0-1".parse()?]);
    /// assert_eq!(none, Err(CutError::NotOneClip(Vec::new())));
    /// # Ok::<(), String>(())
    /// ```
    ///
    /// # Errors
    /// [`CutError`] if there is not a single clip, or it ends before a range. The scene is unchanged then.
    pub fn cut_clip(&mut self, ranges: &[ClipRange]) -> Result<(), CutError> {
        if ranges.is_empty() {
            return Ok(());
        }
        let [clip] = &*self.clips else {
            return Err(CutError::NotOneClip(self.clips.iter().map(|clip| clip.name.clone()).collect()));
        };
        let end = clip.span().map_or(0.0, |(_, end)| end);
        if let Some(range) = ranges.iter().find(|own| own.end > end + NEAR) {
            return Err(CutError::Outside { range: range.clone(), clip: clip.name.clone(), end });
        }
        self.clips = ranges.iter().map(|own| clip.part(&own.name, own.start, own.end)).collect();
        Ok(())
    }
}
