//! The conventions of Cal3D: axes and quaternions.

use glam::Quat;

use crate::scene::Space;

/// Z is up, as the 3ds Max exporters leave it, in the author's unit; the library defines neither.
pub(super) const SPACE: Space = Space::RIGHT_Z_UP;

/// Converts between a stored quaternion and a rotation: the library's quaternions are conjugates of the usual ones.
pub(super) const fn conjugated([x, y, z, w]: [f32; 4]) -> [f32; 4] {
    [-x, -y, -z, w]
}

/// Returns the rotation of a stored quaternion.
pub(super) const fn rotation(stored: [f32; 4]) -> Quat {
    Quat::from_array(conjugated(stored))
}

/// Returns the stored quaternion of a rotation: the inverse of [`rotation`].
pub(super) fn stored(rotation: Quat) -> [f32; 4] {
    conjugated(rotation.to_array())
}
