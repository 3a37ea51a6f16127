//! Conversions between stored and decoded values.
//!
//! Compression truncates, as in the engine. A decoded value compresses to the number that it came from.

use super::{Influence, QuantizedBox, Tangent, Tangent10};

/// The stored value of 1 in a compressed quaternion.
const UNIT: f32 = 32767.0;

/// The minimum magnitude of the w of a tangent: the engine keeps it away from 0 to preserve its sign.
const MIN_W: i16 = 31;

/// Truncates and clamps.
#[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "casts of floats clamp")]
fn truncate(value: f32) -> u16 {
    value as u16
}

/// Truncates, and clamps to -32767 to 32767.
#[allow(clippy::cast_possible_truncation, reason = "casts of floats clamp")]
fn truncate_signed(value: f32) -> i16 {
    (value as i16).max(-i16::MAX)
}

/// Decodes a quaternion component. The vendor's documentation divides by 65535, which would halve it.
fn part(compressed: i16) -> f32 {
    (f32::from(compressed) / UNIT).clamp(-1.0, 1.0)
}

/// Compresses a unit quaternion x, y, z, w for a key or tangent.
///
/// ```
/// use bindpose::formats::unigine::{compress_rotation, rotation};
/// assert_eq!(compress_rotation([0.0, 0.0, 0.0, 1.0]), [0, 0, 0, 32767]);
/// assert_eq!(rotation([0, 0, 0, -32767]), [0.0, 0.0, 0.0, -1.0]);
/// ```
#[must_use]
pub fn compress_rotation(rotation: [f32; 4]) -> [i16; 4] {
    // A decoded component may be rounded to slightly below the number that it came from.
    rotation.map(|part| truncate_signed((part * UNIT) * (1.0 + f32::EPSILON)))
}

/// Decodes the quaternion x, y, z, w of a key.
#[must_use]
pub fn rotation(compressed: [i16; 4]) -> [f32; 4] {
    compressed.map(part)
}

impl Tangent {
    /// Returns the unit quaternion x, y, z, w that rotates the axes to tangent, binormal and normal.
    #[must_use]
    pub fn quaternion(&self) -> [f32; 4] {
        rotation(self.xyzw)
    }

    /// Compresses a unit quaternion; w is kept away from 0, as in files that the engine writes.
    #[must_use]
    pub fn from_quaternion(quaternion: [f32; 4]) -> Self {
        let mut xyzw = compress_rotation(quaternion);
        if xyzw[3].abs() < MIN_W {
            xyzw[3] = if quaternion[3].is_sign_negative() { -MIN_W } else { MIN_W };
        }
        Self { xyzw }
    }

    /// Returns 1 if the binormal is the cross product of normal and tangent, -1 if it is the opposite.
    #[must_use]
    pub const fn handedness(&self) -> f32 {
        if self.xyzw[3] < 0 { -1.0 } else { 1.0 }
    }
}

impl Tangent10 {
    /// Returns the unit quaternion x, y, z, w. Its w completes the unit length and is never negative: with that, all twelve
    /// faces of the only known file have outward normals; with the sign of the byte, only six do.
    #[must_use]
    pub fn quaternion(&self) -> [f32; 4] {
        let [x, y, z] = self.xyz.map(part);
        let w = (1.0 - x * x - y * y - z * z).max(0.0).sqrt();
        [x, y, z, w]
    }

    /// Compresses a unit quaternion; the sign of its w is the handedness.
    #[must_use]
    pub fn from_quaternion(quaternion: [f32; 4]) -> Self {
        let side = if quaternion[3].is_sign_negative() { -1 } else { 1 };
        // The opposite quaternion is the same rotation.
        let [x, y, z, _] = compress_rotation(quaternion);
        Self { xyz: [x, y, z].map(|part| part * i16::from(side)), w: side * i8::MAX }
    }

    /// Returns 1 if the binormal is the cross product of normal and tangent, -1 if it is the opposite.
    #[must_use]
    pub const fn handedness(&self) -> f32 {
        if self.w < 0 { -1.0 } else { 1.0 }
    }
}

impl Influence {
    /// Returns the weight of the bone, 0 to 1.
    ///
    /// ```
    /// use bindpose::formats::unigine::Influence;
    /// let influence = Influence::new(3, 0.25);
    /// assert_eq!((influence.bone, influence.weight), (3, 16383));
    /// assert_eq!(Influence { bone: 3, weight: 65535 }.share(), 1.0);
    /// ```
    #[must_use]
    pub fn share(&self) -> f32 {
        f32::from(self.weight) / 65535.0
    }

    /// Creates an influence from a weight of 0 to 1.
    #[must_use]
    pub fn new(bone: i16, share: f32) -> Self {
        Self { bone, weight: truncate(share * 65535.0 * (1.0 + f32::EPSILON)) }
    }
}

impl QuantizedBox {
    /// Returns the bounding box of points, or the engine's empty box if there are none.
    #[must_use]
    pub fn around(points: impl IntoIterator<Item = [f32; 3]>) -> Self {
        let mut points = points.into_iter().peekable();
        if points.peek().is_none() {
            return Self { min: [1e9; 3], size: [-2e9; 3] };
        }
        let (min, max) = points.fold(([f32::INFINITY; 3], [f32::NEG_INFINITY; 3]), |(min, max), point| {
            let axes = |own: [f32; 3], pick: fn(f32, f32) -> f32| {
                std::array::from_fn(|axis| pick(own[axis], point[axis]))
            };
            (axes(min, f32::min), axes(max, f32::max))
        });
        Self { min, size: std::array::from_fn(|axis| max[axis] - min[axis]) }
    }

    /// Decodes a quantised value along axis 0, 1 or 2.
    ///
    /// ```
    /// use bindpose::formats::unigine::QuantizedBox;
    /// let box_ = QuantizedBox { min: [-1.0; 3], size: [2.0; 3] };
    /// assert_eq!(box_.value(0, 65535), 1.0);
    /// assert_eq!(box_.quantize(0, 1.0), Some(65535));
    /// assert_eq!(box_.quantize(0, 1.5), None);
    /// ```
    ///
    /// # Panics
    /// If there is no such axis.
    #[must_use]
    #[allow(clippy::cast_possible_truncation, reason = "the nearest float is meant")]
    pub fn value(&self, axis: usize, fraction: u16) -> f32 {
        let (min, size) = (f64::from(self.min[axis]), f64::from(self.size[axis]));
        (min + size * f64::from(fraction) / 65535.0) as f32
    }

    /// Returns the quantised value nearest to `value` along axis 0, 1 or 2, or `None` if it is outside the box.
    ///
    /// # Panics
    /// If there is no such axis.
    #[must_use]
    #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "the value is in 0 to 65535")]
    pub fn quantize(&self, axis: usize, value: f32) -> Option<u16> {
        let (min, size) = (f64::from(self.min[axis]), f64::from(self.size[axis]));
        let above = f64::from(value) - min;
        // In a box without extent every quantised value decodes to the minimum.
        let fraction = if above == 0.0 { 0.0 } else { (above / size * 65535.0).round() };
        (size >= 0.0 && (0.0..=65535.0).contains(&fraction)).then_some(fraction as u16)
    }
}
