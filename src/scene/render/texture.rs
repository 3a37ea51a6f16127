//! Images that are sampled with filtering.

use glam::{Vec2, Vec4};

use super::Picture;
use super::light::{from_srgb, to_srgb};

/// An image with smaller copies of itself, each half the size of the previous one.
pub(super) struct Texture {
    levels: Vec<Picture>,
}

impl Texture {
    /// Creates the smaller copies; `None` if the image is empty or has too few pixels for its size.
    pub fn new(image: Picture) -> Option<Self> {
        let num = usize::try_from(u64::from(image.width) * u64::from(image.height)).ok()?;
        if num == 0 || image.pixels.len() != num {
            return None;
        }
        let mut levels = vec![image];
        while let Some(last) = levels.last().filter(|last| last.width > 1 || last.height > 1) {
            levels.push(halved(last));
        }
        Some(Self { levels })
    }

    /// Returns the number of pixels.
    #[expect(clippy::cast_precision_loss, reason = "only the magnitude is used")]
    pub fn area(&self) -> f32 {
        self.levels[0].pixels.len() as f32
    }

    /// Returns the linear colour and opacity at texture coordinates. Each level halves the detail.
    pub fn sample(&self, uv: Vec2, level: f32) -> Vec4 {
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "clamped to the levels")]
        let level = level.round().clamp(0.0, 31.0) as usize;
        bilinear(&self.levels[level.min(self.levels.len() - 1)], uv)
    }
}

/// Returns the pixel in linear light.
fn texel(image: &Picture, x: i64, y: i64) -> Vec4 {
    let (x, y) = (x.rem_euclid(i64::from(image.width)), y.rem_euclid(i64::from(image.height)));
    let index = usize::try_from(y * i64::from(image.width) + x).unwrap_or_default();
    from_srgb(image.pixels[index])
}

/// Interpolates between four pixels; the image repeats.
fn bilinear(image: &Picture, uv: Vec2) -> Vec4 {
    if !uv.is_finite() {
        return Vec4::ONE;
    }
    #[expect(clippy::cast_precision_loss, reason = "images are smaller than 2^24 pixels wide")]
    let size = Vec2::new(image.width as f32, image.height as f32);
    let at = (uv - uv.floor()) * size - Vec2::splat(0.5);
    let corner = at.floor();
    let share = at - corner;
    #[expect(clippy::cast_possible_truncation, reason = "within the image")]
    let (x, y) = (corner.x as i64, corner.y as i64);
    let row = |y| texel(image, x, y).lerp(texel(image, x + 1, y), share.x);
    row(y).lerp(row(y + 1), share.y)
}

/// Returns the image with half the width and height.
fn halved(image: &Picture) -> Picture {
    let (width, height) = (image.width.div_ceil(2), image.height.div_ceil(2));
    let last = |side: u32| i64::from(side) - 1;
    let mut pixels = Vec::new();
    for y in 0..i64::from(height) {
        for x in 0..i64::from(width) {
            let mut sum = Vec4::ZERO;
            for (dx, dy) in [(0, 0), (1, 0), (0, 1), (1, 1)] {
                let (x, y) = ((2 * x + dx).min(last(image.width)), (2 * y + dy).min(last(image.height)));
                sum += texel(image, x, y);
            }
            pixels.push(to_srgb(sum / 4.0));
        }
    }
    Picture { width, height, pixels }
}
