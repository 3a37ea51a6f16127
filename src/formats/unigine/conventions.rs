//! The conventions of UNIGINE: axes.

use crate::scene::Space;

/// Z is up, in metres, as the vendor's manual states.
pub(super) const SPACE: Space = Space::RIGHT_Z_UP;
