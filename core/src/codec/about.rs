//! What a file holds, at a glance.

/// What a person wants to know of a file before looking into it, beside the lengths of its lists.
///
/// ```
/// let file = bindpose::FileKind::Ms3d.blank();
/// assert_eq!(file.about().version.as_deref(), Some("4"));
/// ```
#[derive(Clone, Debug, Default, PartialEq)]
pub struct About {
    /// The version, as the format counts.
    pub version: Option<String>,
    /// Lengths of lists that stand inside others, where they say much, by a name of the format's own.
    pub counts: Vec<(String, usize)>,
    /// The skeleton, where there is one.
    pub skeleton: Option<SkeletonInfo>,
    /// The animations.
    pub clips: Vec<ClipInfo>,
    /// The box around all positions, where there are any.
    pub bounds: Option<Bounds>,
}

/// A skeleton at a glance.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SkeletonInfo {
    /// How many bones there are.
    pub bones: usize,
    /// The names of the bones without a parent.
    pub roots: Vec<String>,
}

/// An animation at a glance.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ClipInfo {
    /// The name; empty where the file holds one animation without a name.
    pub name: String,
    /// Length in frames, where the format counts frames.
    pub frames: Option<i64>,
    /// Frames per second.
    pub rate: Option<f32>,
    /// Length in seconds.
    pub seconds: Option<f32>,
}

/// An axis-aligned box in the file's own units and axes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Bounds {
    /// The least x, y, z.
    pub min: [f32; 3],
    /// The greatest x, y, z.
    pub max: [f32; 3],
}

impl Bounds {
    /// The box around points; none where no coordinate of any axis is finite.
    #[must_use]
    pub fn around(points: impl IntoIterator<Item = [f32; 3]>) -> Option<Self> {
        let mut bounds = Self { min: [f32::INFINITY; 3], max: [f32::NEG_INFINITY; 3] };
        for point in points {
            for (axis, value) in point.into_iter().enumerate().filter(|(_, value)| value.is_finite()) {
                bounds.min[axis] = bounds.min[axis].min(value);
                bounds.max[axis] = bounds.max[axis].max(value);
            }
        }
        bounds.min.iter().all(|value| value.is_finite()).then_some(bounds)
    }
}
