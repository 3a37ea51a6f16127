//! How far numbers may be off before a rule reports them.

/// The square of the length of a rotation: the error of single precision and of text with six digits.
pub const UNIT: f32 = 1e-2;

/// The square of the length of a direction.
pub const DIRECTION: f32 = 2.0 * UNIT;

/// The square of the length of a tangent of 16 bits for each component.
pub const TANGENT: f32 = 0.05;

/// A number at the end of its range.
pub const RANGE: f32 = 1e-3;

/// The sum of the weights of a vertex, which is 1.
pub const WEIGHTS: f32 = 0.01;

/// The sum of weights that can have 8 bits, which is less than their step: the error of floats of 16 bits.
pub const BYTE_WEIGHTS: f32 = 2e-3;

/// The sum of weights of 16 bits, in steps.
pub const SHORT_WEIGHTS: u32 = 5;

/// The number of bones of a vertex that all readers support.
pub const INFLUENCES: usize = 4;

/// The greatest number of a smoothing group.
pub const SMOOTHING_GROUP: u8 = 32;

/// Opacities that are stored twice.
pub const OPACITY: f32 = 1e-3;

/// A time in frames, beside the precision of the time in seconds.
pub const FRAME: f32 = 0.01;

/// The length of a clip in frames.
pub const LENGTH: f32 = 0.5;

/// The product of a bind pose and its inverse, as a share of the size of the skeleton.
pub const INVERSE_BIND: f32 = 1e-3;

/// A vertex outside of the bounds, as a share of their size.
pub const BOUNDS: f32 = 1e-3;

/// Numbers of matrices that programs may compute differently, for each unit of the number.
pub const MATRIX: f32 = 1e-3;
