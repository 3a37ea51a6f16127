//! Summaries of files.

/// A summary of a file, in addition to the lengths of its lists.
///
/// ```
/// let file = bindpose::FileKind::Ms3d.blank();
/// assert_eq!(file.summary().version.as_deref(), Some("4"));
/// ```
#[derive(Clone, Debug, Default, PartialEq)]
pub struct FileSummary {
    /// The version number of the format.
    pub version: Option<String>,
    /// Lengths of important nested lists, with the format's own names.
    pub counts: Vec<(String, usize)>,
    /// The skeleton, if there is one.
    pub skeleton: Option<SkeletonInfo>,
    /// The animations.
    pub clips: Vec<ClipInfo>,
    /// The box around all positions, if there are any.
    pub bounds: Option<Bounds>,
    /// The texts for people, in the order of the file.
    pub comments: Vec<CommentInfo>,
}

/// A text for people.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
pub struct CommentInfo {
    /// The object that it is about, such as `joint "hip"`; empty for the whole file.
    pub about: String,
    /// The text.
    pub text: String,
}

/// A summary of a skeleton.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SkeletonInfo {
    /// The number of bones.
    pub bones: usize,
    /// The names of the bones without a parent.
    pub roots: Vec<String>,
}

/// A summary of an animation.
#[derive(Clone, Debug, Default, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
pub struct ClipInfo {
    /// The name; empty if the file contains one unnamed animation.
    pub name: String,
    /// Length in frames, if the format counts frames.
    pub frames: Option<i64>,
    /// Frames per second.
    pub rate: Option<f32>,
    /// Length in seconds.
    pub seconds: Option<f32>,
}

/// An axis-aligned box in the units and axes of the file.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
pub struct Bounds {
    /// The least x, y, z.
    pub min: [f32; 3],
    /// The greatest x, y, z.
    pub max: [f32; 3],
}

impl Bounds {
    /// A box around no points.
    pub const EMPTY: Self = Self { min: [f32::INFINITY; 3], max: [f32::NEG_INFINITY; 3] };

    /// Returns the box around points; `None` unless every axis has a finite coordinate.
    #[must_use]
    pub fn around(points: impl IntoIterator<Item = [f32; 3]>) -> Option<Self> {
        let mut bounds = Self::EMPTY;
        bounds.include(points);
        bounds.if_finite()
    }

    /// Extends the box to the finite coordinates of points.
    pub fn include(&mut self, points: impl IntoIterator<Item = [f32; 3]>) {
        for point in points {
            for (axis, value) in point.into_iter().enumerate().filter(|(_, value)| value.is_finite()) {
                self.min[axis] = self.min[axis].min(value);
                self.max[axis] = self.max[axis].max(value);
            }
        }
    }

    /// Returns the box; `None` unless every axis has a finite coordinate.
    #[must_use]
    pub fn if_finite(self) -> Option<Self> {
        self.min.iter().all(|value| value.is_finite()).then_some(self)
    }
}

/// A summary of a file that is made piece by piece: see [`Format::summarize_stream`](super::Format::summarize_stream).
#[derive(Clone, Debug, PartialEq)]
pub struct Outline<F> {
    /// The file with lists of named records, such as bones and materials. Other lists can be shorter than in the file.
    pub file: F,
    /// The summary of the whole file.
    pub summary: FileSummary,
    /// Well-delimited bytes without known meaning in the whole file.
    pub opaque: u64,
}

impl<F> Outline<F> {
    /// Returns the outline with another type of the file.
    pub fn map<T>(self, file: impl FnOnce(F) -> T) -> Outline<T> {
        Outline { file: file(self.file), summary: self.summary, opaque: self.opaque }
    }
}
