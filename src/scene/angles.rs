//! Rotations as angles about three axes.

use glam::Quat;

/// Returns the rotation of angles: about x first, then y, then z, about fixed axes.
pub(crate) fn rotation([x, y, z]: [f32; 3]) -> Quat {
    Quat::from_rotation_z(z) * Quat::from_rotation_y(y) * Quat::from_rotation_x(x)
}

/// Returns the angles about x, y, z of a rotation: the inverse of [`rotation`].
#[expect(clippy::cast_possible_truncation, reason = "angles in files are floats of 32 bits")]
pub(crate) fn angles(rotation: Quat) -> [f32; 3] {
    // In 64 bits: where the second turn is close to a right angle, the others are quotients of small differences.
    let [x, y, z, w] = rotation.to_array().map(f64::from);
    let double = 2.0 / (x * x + y * y + z * z + w * w);
    // The parts of the matrix, by row and column.
    let (r00, r10, r20) =
        (1.0 - double * (y * y + z * z), double * (x * y + z * w), double * (x * z - y * w));
    let (r11, r21) = (1.0 - double * (x * x + z * z), double * (y * z + x * w));
    let (r12, r22) = (double * (y * z - x * w), 1.0 - double * (x * x + y * y));
    let across = r00.hypot(r10);
    let about_y = (-r20).atan2(across);
    // If the second turn is a right angle, the first and the third have the same axis.
    let (about_x, about_z) =
        if across > 1e-7 { (r21.atan2(r22), r10.atan2(r00)) } else { ((-r12).atan2(r11), 0.0) };
    // Without negative zeros.
    [about_x, about_y, about_z].map(|angle| angle as f32 + 0.0)
}
