//! The conventions of IQM: axes and the order of corners.

use crate::scene::Space;

/// Z is up, as in the engines that read it, in the author's unit.
pub(super) const SPACE: Space = Space::RIGHT_Z_UP;

/// The corners of a triangle in the order of the scene, and of the file.
pub(super) const fn turned([a, b, c]: [u32; 3]) -> [u32; 3] {
    [a, c, b]
}
