//! Triangles and lines on a canvas with a depth buffer.

use glam::{Vec2, Vec3, Vec4, Vec4Swizzles};

use super::Picture;
use super::camera::Projected;
use super::light::to_srgb;

/// Samples with colour and depth.
pub(super) struct Canvas {
    width: u32,
    height: u32,
    /// Linear colours, multiplied by their opacity.
    colors: Vec<Vec4>,
    /// Reciprocal distances; 0 for the background.
    depths: Vec<f32>,
}

/// Returns the opacity of a sample that something with an opacity is drawn over.
fn covered(below: f32, above: f32) -> f32 {
    (below + (1.0 - below) * above).clamp(0.0, 1.0)
}

/// How a triangle changes the canvas.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Paint {
    /// Replaces the colour; samples with an opacity below the threshold in percent are skipped.
    Solid {
        /// In percent.
        threshold: u8,
    },
    /// Blends with the colour and leaves the depth.
    Blended,
    /// Adds to the colour and leaves the depth.
    Added,
    /// Multiplies the colour and leaves the depth.
    Multiplied,
}

impl Canvas {
    /// The memory of a sample in bytes.
    pub const SAMPLE: u64 = (size_of::<Vec4>() + size_of::<f32>()) as u64;

    pub fn new(width: u32, height: u32) -> Self {
        let num = width as usize * height as usize;
        Self { width, height, colors: vec![Vec4::ZERO; num], depths: vec![0.0; num] }
    }

    /// Returns the number of samples.
    pub fn num_samples(&self) -> u64 {
        self.depths.len() as u64
    }

    /// Returns the number of samples that are visited to draw a triangle.
    pub fn triangle_cost(&self, corners: &[Projected; 3]) -> u64 {
        let [a, b, c] = corners.each_ref().map(|corner| Vec2::new(corner.x, corner.y));
        self.box_cost(a.min(b).min(c), a.max(b).max(c))
    }

    /// Returns the number of samples that are visited to draw a line.
    pub fn line_cost(&self, [from, to]: [Vec2; 2], widths: [f32; 2]) -> u64 {
        let wide = widths[0].max(widths[1]) / 2.0;
        self.box_cost(from.min(to) - wide, from.max(to) + wide)
    }

    fn box_cost(&self, low: Vec2, high: Vec2) -> u64 {
        let [across, down] =
            [range(low.x, high.x, self.width), range(low.y, high.y, self.height)].map(|range| range.len());
        across as u64 * down as u64 + 1
    }

    /// Draws the sample at a corner of a triangle.
    pub fn dot(&mut self, corner: Projected, paint: Paint, shade: impl Fn() -> Vec4) {
        let [across, down] =
            [(corner.x, self.width), (corner.y, self.height)].map(|(at, len)| range(at - 0.5, at + 0.5, len));
        if let (Some(x), Some(y)) = (across.last(), down.last()) {
            let index = self.index(x, y);
            if corner.near > self.depths[index] {
                self.paint(index, corner.near, paint, shade());
            }
        }
    }

    /// Returns the length of the shorter side in samples.
    #[expect(clippy::cast_precision_loss, reason = "at most a few thousand samples")]
    pub fn unit(&self) -> f32 {
        self.width.min(self.height) as f32
    }

    /// Draws a triangle. `shade` returns the linear colour for the shares of the corners.
    pub fn triangle(&mut self, corners: [Projected; 3], paint: Paint, shade: impl Fn(Vec3) -> Vec4) {
        let [a, b, c] = corners.map(|corner| Vec2::new(corner.x, corner.y));
        let area = (b - a).perp_dot(c - a);
        if area == 0.0 || !area.is_finite() {
            return;
        }
        let nears = Vec3::from_array(corners.map(|corner| corner.near));
        let low = a.min(b).min(c);
        let high = a.max(b).max(c);
        for y in range(low.y, high.y, self.height) {
            for x in range(low.x, high.x, self.width) {
                let at = center(x, y);
                let shares =
                    Vec3::new((c - b).perp_dot(at - b), (a - c).perp_dot(at - c), (b - a).perp_dot(at - a))
                        / area;
                if shares.min_element() < 0.0 {
                    continue;
                }
                let near = shares.dot(nears);
                let index = self.index(x, y);
                if near <= self.depths[index] {
                    continue;
                }
                // Shares on the canvas become shares on the triangle in space.
                self.paint(index, near, paint, shade(shares * nears / near));
            }
        }
    }

    fn paint(&mut self, index: usize, near: f32, paint: Paint, color: Vec4) {
        match paint {
            Paint::Solid { threshold } => {
                if color.w * 100.0 >= f32::from(threshold) {
                    self.colors[index] = color.xyz().extend(1.0);
                    self.depths[index] = near;
                }
            }
            Paint::Blended => self.blend(index, color),
            Paint::Added => self.add(index, color),
            Paint::Multiplied => self.multiply(index, color),
        }
    }

    /// Adds a colour to a sample. Over a transparent background it covers as much as it is bright.
    fn add(&mut self, index: usize, color: Vec4) {
        let light = color.xyz() * color.w.clamp(0.0, 1.0);
        let below = self.colors[index];
        let sum = (below.xyz() + light).min(Vec3::ONE);
        self.colors[index] = sum.extend(covered(below.w, light.max_element()));
    }

    /// Multiplies a sample with a colour. Over a transparent background it covers as much as it is dark.
    fn multiply(&mut self, index: usize, color: Vec4) {
        let factor = Vec3::ONE.lerp(color.xyz().min(Vec3::ONE), color.w.clamp(0.0, 1.0));
        let below = self.colors[index];
        let product = below.xyz() * factor;
        self.colors[index] = product.extend(covered(below.w, 1.0 - factor.max_element()));
    }

    /// Blends a colour over a sample.
    fn blend(&mut self, index: usize, color: Vec4) {
        let opacity = color.w.clamp(0.0, 1.0);
        let over = (color.xyz() * opacity).extend(opacity);
        self.colors[index] = over + self.colors[index] * (1.0 - opacity);
    }

    /// Draws a line with round ends over everything else; widths are in samples.
    pub fn line(&mut self, [from, to]: [Vec2; 2], widths: [f32; 2], color: Vec4) {
        if !(from.is_finite() && to.is_finite()) {
            return;
        }
        let wide = widths[0].max(widths[1]) / 2.0;
        let (low, high) = (from.min(to) - wide, from.max(to) + wide);
        let along = to - from;
        let length = along.length_squared();
        for y in range(low.y, high.y, self.height) {
            for x in range(low.x, high.x, self.width) {
                let at = center(x, y);
                let share =
                    if length > 0.0 { ((at - from).dot(along) / length).clamp(0.0, 1.0) } else { 0.0 };
                let radius = (widths[0] + (widths[1] - widths[0]) * share) * 0.5;
                if (from + along * share).distance_squared(at) <= radius * radius {
                    let index = self.index(x, y);
                    self.blend(index, color);
                }
            }
        }
    }

    const fn index(&self, x: u32, y: u32) -> usize {
        y as usize * self.width as usize + x as usize
    }

    /// Returns the picture with several samples per pixel, in front of a background.
    pub fn resolve(&self, samples: u32, background: Option<[u8; 3]>) -> Picture {
        let (width, height) = (self.width / samples, self.height / samples);
        let back = background.map(|[red, green, blue]| super::light::from_srgb([red, green, blue, 255]));
        #[expect(clippy::cast_precision_loss, reason = "a small number")]
        let num = (samples * samples) as f32;
        let mut pixels = Vec::with_capacity(width as usize * height as usize);
        for y in 0..height {
            for x in 0..width {
                let all = (0..samples * samples)
                    .map(|nth| (x * samples + nth % samples, y * samples + nth / samples));
                let sum: Vec4 = all.map(|(x, y)| self.colors[self.index(x, y)]).sum();
                let color = sum / num;
                let color = back.map_or(color, |back| color + back * (1.0 - color.w));
                let straight = if color.w > 0.0 { color.xyz() / color.w } else { Vec3::ZERO };
                pixels.push(to_srgb(straight.extend(color.w)));
            }
        }
        Picture { width, height, pixels }
    }
}

/// Returns the samples whose centres are between two positions.
fn range(low: f32, high: f32, len: u32) -> std::ops::Range<u32> {
    #[expect(clippy::cast_precision_loss, reason = "at most a few thousand samples")]
    let most = len as f32;
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "clamped to the canvas")]
    let sample = |value: f32| value.clamp(0.0, most) as u32;
    sample((low - 0.5).ceil())..sample((high + 0.5).floor())
}

#[expect(clippy::cast_precision_loss, reason = "at most a few thousand samples")]
fn center(x: u32, y: u32) -> Vec2 {
    Vec2::new(x as f32 + 0.5, y as f32 + 0.5)
}
