//! The conventions of MilkShape 3D: axes, and the order of rotations.

use crate::scene::Space;
/// Angles are about fixed axes, x first (specification 1.8.5).
pub(super) use crate::scene::{angles, rotation};

/// Right-handed, Y up (readers for left-handed engines negate Z); the unit is the author's.
pub(super) const SPACE: Space = Space::RIGHT_Y_UP;

/// The sum of a vertex's weights: percent (specification 1.8.5).
pub(super) const FULL_WEIGHT: u8 = 100;
