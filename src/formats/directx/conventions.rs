//! The conventions of DirectX: axes.

use crate::scene::Space;

/// Y is up and Z points into the screen, in the author's unit.
pub(super) const SPACE: Space = Space::LEFT_Y_UP;
