//! The conventions of the 3ds Max exporter: axes.

use crate::scene::Space;

/// Z is up, as in 3ds Max, in the author's unit.
pub(super) const SPACE: Space = Space::RIGHT_Z_UP;
