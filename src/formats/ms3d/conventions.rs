//! The conventions of MilkShape 3D: axes, and the order of rotations.

use crate::scene::Space;
/// Angles are about fixed axes, x first (specification 1.8.5).
pub(super) use crate::scene::{angles, rotation};

/// Right-handed, Y up (readers for left-handed engines negate Z); the unit is the author's.
pub(super) const SPACE: Space = Space::RIGHT_Y_UP;

/// Returns the rate at which readers play a file: the author's viewer treats values below 1 as 1.
pub(super) const fn rate(fps: f32) -> f32 {
    fps.max(1.0)
}

/// The sum of a vertex's weights: percent (specification 1.8.5).
pub(super) const FULL_WEIGHT: u8 = 100;
