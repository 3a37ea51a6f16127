//! Values as their users think of them, beside the raw ones, with the way back.
//!
//! The engine cuts where it compresses and does not round, and so do the ways back; each of them undoes the way there:
//! what was decoded is compressed to the same number again.

use super::{Influence, QuantizedBox, Tangent, Tangent10};

/// The greatest part of a compressed quaternion.
const UNIT: f32 = 32767.0;

/// Below this, the engine does not let the w of a tangent come to 0, for its sign must survive.
const LEAST_W: i16 = 31;

/// The vendor's compression of normals to 16 bits an axis: `(n / 2 + 1 / 2) * 65535`, cut and clamped.
///
/// Documented with the file formats, although no mesh of a known version stores normals this way.
///
/// ```
/// use bindpose::formats::unigine::{compress_normal, uncompress_normal};
/// assert_eq!(compress_normal([0.0, 1.0, -1.0]), [32767, 65535, 0]);
/// assert_eq!(uncompress_normal([32767, 65535, 0])[0], 0.0);
/// ```
#[must_use]
pub fn compress_normal(normal: [f32; 3]) -> [u16; 3] {
    normal.map(|n| cut((n * 0.5 + 0.5) * 65535.0))
}

/// Undoes [`compress_normal`]: the middle of all the components that are compressed to the same number.
#[must_use]
pub fn uncompress_normal(compressed: [u16; 3]) -> [f32; 3] {
    compressed.map(|c| match c {
        u16::MAX => 1.0,
        c => ((f32::from(c) + 0.5) / 65535.0).mul_add(2.0, -1.0),
    })
}

/// Cuts off what is behind the point, and clamps.
#[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "casts of floats clamp")]
fn cut(value: f32) -> u16 {
    value as u16
}

/// Cuts off what is behind the point, and clamps to -32767 to 32767.
#[allow(clippy::cast_possible_truncation, reason = "casts of floats clamp")]
fn cut_signed(value: f32) -> i16 {
    (value as i16).max(-i16::MAX)
}

/// A part of a unit quaternion from its compressed form. The vendor's page divides by 65535 here, which would halve it.
fn part(compressed: i16) -> f32 {
    (f32::from(compressed) / UNIT).clamp(-1.0, 1.0)
}

/// A unit quaternion x, y, z, w as keys and tangents store it.
///
/// ```
/// use bindpose::formats::unigine::{compress_rotation, rotation};
/// assert_eq!(compress_rotation([0.0, 0.0, 0.0, 1.0]), [0, 0, 0, 32767]);
/// assert_eq!(rotation([0, 0, 0, -32767]), [0.0, 0.0, 0.0, -1.0]);
/// ```
#[must_use]
pub fn compress_rotation(rotation: [f32; 4]) -> [i16; 4] {
    // The nearest float to a decoded part may lie a hair below the number it came from.
    rotation.map(|part| cut_signed((part * UNIT) * (1.0 + f32::EPSILON)))
}

/// The quaternion x, y, z, w of a key.
#[must_use]
pub fn rotation(compressed: [i16; 4]) -> [f32; 4] {
    compressed.map(part)
}

impl Tangent {
    /// The unit quaternion x, y, z, w that turns the axes into tangent, binormal and normal.
    #[must_use]
    pub fn quaternion(&self) -> [f32; 4] {
        rotation(self.xyzw)
    }

    /// A tangent from a unit quaternion; w keeps away from 0 as in the engine's own files.
    #[must_use]
    pub fn from_quaternion(quaternion: [f32; 4]) -> Self {
        let mut xyzw = compress_rotation(quaternion);
        if xyzw[3].abs() < LEAST_W {
            xyzw[3] = if quaternion[3].is_sign_negative() { -LEAST_W } else { LEAST_W };
        }
        Self { xyzw }
    }

    /// 1 or -1: whether the binormal is on the right or the left hand of normal and tangent.
    #[must_use]
    pub const fn handedness(&self) -> f32 {
        if self.xyzw[3] < 0 { -1.0 } else { 1.0 }
    }
}

impl Tangent10 {
    /// The unit quaternion x, y, z, w. Its w is what is missing to unit length, never less than 0: so the normals of all
    /// twelve faces of the only file known look away from it, and with the sign of the byte only of six.
    #[must_use]
    pub fn quaternion(&self) -> [f32; 4] {
        let [x, y, z] = self.xyz.map(part);
        let w = (1.0 - x * x - y * y - z * z).max(0.0).sqrt();
        [x, y, z, w]
    }

    /// A tangent from a unit quaternion, the sign of whose w says on which side the binormal is.
    #[must_use]
    pub fn from_quaternion(quaternion: [f32; 4]) -> Self {
        let side = if quaternion[3].is_sign_negative() { -1 } else { 1 };
        // The opposite quaternion is the same rotation.
        let [x, y, z, _] = compress_rotation(quaternion);
        Self { xyz: [x, y, z].map(|part| part * i16::from(side)), w: side * i8::MAX }
    }

    /// 1 or -1: whether the binormal is on the right or the left hand of normal and tangent.
    #[must_use]
    pub const fn handedness(&self) -> f32 {
        if self.w < 0 { -1.0 } else { 1.0 }
    }
}

impl Influence {
    /// The share of the bone in the vertex, 0 to 1.
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

    /// A bone with its share, 0 to 1.
    #[must_use]
    pub fn new(bone: i16, share: f32) -> Self {
        Self { bone, weight: cut(share * 65535.0 * (1.0 + f32::EPSILON)) }
    }
}

impl QuantizedBox {
    /// The box around some points; the empty box of the engine where there are none.
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

    /// What a fraction means along an axis, 0, 1 or 2.
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
    /// When there is no such axis.
    #[must_use]
    #[allow(clippy::cast_possible_truncation, reason = "the nearest float is meant")]
    pub fn value(&self, axis: usize, fraction: u16) -> f32 {
        let (min, size) = (f64::from(self.min[axis]), f64::from(self.size[axis]));
        (min + size * f64::from(fraction) / 65535.0) as f32
    }

    /// The fraction nearest to a value along an axis, 0, 1 or 2; none where the box does not hold it.
    ///
    /// # Panics
    /// When there is no such axis.
    #[must_use]
    #[allow(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "what is cast lies in 0 to 65535"
    )]
    pub fn quantize(&self, axis: usize, value: f32) -> Option<u16> {
        let (min, size) = (f64::from(self.min[axis]), f64::from(self.size[axis]));
        let above = f64::from(value) - min;
        // A box without extent holds one value, which any fraction means.
        let fraction = if above == 0.0 { 0.0 } else { (above / size * 65535.0).round() };
        (size >= 0.0 && (0.0..=65535.0).contains(&fraction)).then_some(fraction as u16)
    }
}
