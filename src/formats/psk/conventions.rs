//! The conventions of PSK and PSA: axes, unit, quaternions and the order of corners.
//!
//! Right-handed, Z up, in centimetres: exporters from Unreal mirror the engine's left-handed data. The format declares
//! neither axes nor unit; this is the convention of files made from Unreal data.

use glam::Quat;

use crate::scene::{self, Space};

/// Unreal's unit is about a centimetre.
pub(super) const SPACE: Space = Space::RIGHT_Z_UP.with_unit(0.01);

/// Converts between a stored quaternion and a rotation. That of a root is stored as is, every other one conjugated: the only
/// one of the four combinations that places the bones of real meshes among their points.
pub(super) fn turned([x, y, z, w]: [f32; 4], is_root: bool) -> [f32; 4] {
    let sign = if is_root { 1.0 } else { -1.0 };
    [x * sign, y * sign, z * sign, w]
}

/// Returns the rotation of a stored quaternion. One of length zero is the identity, as in scenes.
pub(super) fn rotation(stored: [f32; 4], is_root: bool) -> Quat {
    let rotation = Quat::from_array(turned(stored, is_root));
    if rotation.length_squared() == 0.0 { Quat::IDENTITY } else { rotation }
}

/// Returns the stored quaternion of a rotation: the inverse of [`rotation`].
pub(super) fn orientation(rotation: Quat, is_root: bool) -> [f32; 4] {
    turned(rotation.to_array(), is_root)
}

/// A corner order of the format from one that is counterclockwise, and back: the stored order faces inwards.
pub(super) const fn turned_over([a, b, c]: [u32; 3]) -> [u32; 3] {
    [a, c, b]
}

/// `CUE4Parse`, the only known writer of morph targets and sockets, mirrors the points in y but neither the deltas nor the places of
/// sockets.
pub(super) const fn mirrored([x, y, z]: [f32; 3]) -> [f32; 3] {
    [x, -y, z]
}

/// Returns the rotation of pitch, yaw and roll in degrees, as Unreal defines them, mirrored in y.
pub(super) fn rotation_of_socket([pitch, yaw, roll]: [f32; 3]) -> Quat {
    scene::rotation([roll, -pitch, -yaw].map(f32::to_radians))
}

/// Returns pitch, yaw and roll: the inverse of [`rotation_of_socket`].
pub(super) fn angles_of_socket(rotation: Quat) -> [f32; 3] {
    let [roll, pitch, yaw] = scene::angles(rotation).map(f32::to_degrees);
    // Without negative zeros.
    [-pitch + 0.0, -yaw + 0.0, roll]
}
