//! Colour spaces and lighting.

use std::sync::LazyLock;

use glam::{Vec3, Vec4};

/// The direction of the main light along the axes of the camera: from the upper left, over the viewer's shoulder.
const KEY: Vec3 = Vec3::new(-0.45, 0.6, 0.66);
/// The light from above and from below.
const SKY: f32 = 0.34;
const GROUND: f32 = 0.12;
/// The strength of the main light.
const STRENGTH: f32 = 0.62;

/// The linear values of sRGB components.
static LINEAR: LazyLock<[f32; 256]> = LazyLock::new(|| {
    std::array::from_fn(|byte| {
        #[expect(clippy::cast_precision_loss, reason = "at most 255")]
        let value = byte as f64 / 255.0;
        let linear = if value <= 0.040_45 { value / 12.92 } else { ((value + 0.055) / 1.055).powf(2.4) };
        #[expect(clippy::cast_possible_truncation, reason = "a colour needs no more precision")]
        let linear = linear as f32;
        linear
    })
});

/// Returns the linear colour of an sRGB pixel; alpha is linear already.
pub(super) fn from_srgb([red, green, blue, alpha]: [u8; 4]) -> Vec4 {
    let [red, green, blue] = [red, green, blue].map(|byte| LINEAR[usize::from(byte)]);
    Vec4::new(red, green, blue, f32::from(alpha) / 255.0)
}

/// Returns the nearest sRGB pixel to a linear colour.
pub(super) fn to_srgb(color: Vec4) -> [u8; 4] {
    let byte = |value: f32| {
        let above = LINEAR.partition_point(|linear| *linear < value).min(255);
        let below = above.saturating_sub(1);
        let nearest = if value - LINEAR[below] < LINEAR[above] - value { below } else { above };
        u8::try_from(nearest).unwrap_or(u8::MAX)
    };
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "clamped to a byte")]
    let alpha = (color.w * 255.0).round().clamp(0.0, 255.0) as u8;
    [byte(color.x), byte(color.y), byte(color.z), alpha]
}

/// Returns the light that a surface reflects to the viewer, as a factor of its colour; the normal is along the axes of the
/// camera.
pub(super) fn lit(normal: Vec3) -> f32 {
    let sky = normal.y.mul_add(0.5, 0.5);
    GROUND + (SKY - GROUND) * sky + STRENGTH * normal.dot(KEY.normalize()).max(0.0)
}
