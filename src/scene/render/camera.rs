//! A perspective camera that frames a set of points.

use glam::{Mat3, Vec3};

use super::View;

/// Half of the vertical field of view, as a tangent: about 28 degrees in all.
const SLOPE: f32 = 0.25;
/// The part of the picture that the points fill.
const FILL: f32 = 0.92;

/// Projects points of the scene to samples of the canvas.
pub(super) struct Camera {
    /// From model space to the axes of the camera: right, up, towards the viewer.
    turn: Mat3,
    /// The position of the camera on its own axes.
    eye: Vec3,
    /// Samples per unit of slope.
    scale: f32,
    /// The middle of the canvas.
    middle: [f32; 2],
}

/// A point on the canvas.
#[derive(Clone, Copy, Debug)]
pub(super) struct Projected {
    /// The position in samples, from the top left.
    pub x: f32,
    /// The position in samples, from the top left.
    pub y: f32,
    /// The reciprocal of the distance along the view direction.
    pub near: f32,
}

impl Camera {
    /// Creates the camera that is as close as possible while all points are in the picture.
    pub fn framing(points: &[Vec3], view: &View<'_>, [width, height]: [u32; 2]) -> Self {
        let turn = axes(view);
        #[expect(clippy::cast_precision_loss, reason = "at most a few thousand samples")]
        let size = [width as f32, height as f32];
        let slopes = if size[0] < size[1] {
            [SLOPE, SLOPE * size[1] / size[0]]
        } else {
            [SLOPE * size[0] / size[1], SLOPE]
        };
        let eye = eye(points.iter().map(|point| turn * *point), slopes.map(|slope| slope * FILL));
        let middle = size.map(|side| side / 2.0);
        Self { turn, eye, scale: middle[1] / slopes[1], middle }
    }

    /// Projects a point; `None` if it is not in front of the camera.
    pub fn project(&self, point: Vec3) -> Option<Projected> {
        let seen = self.turn * point - self.eye;
        let near = -seen.z.recip();
        (point.is_finite() && near > 0.0 && near.is_finite()).then(|| Projected {
            x: self.middle[0] + seen.x * near * self.scale,
            y: self.middle[1] - seen.y * near * self.scale,
            near,
        })
    }

    /// Returns a direction of model space along the axes of the camera: right, up, towards the viewer.
    pub fn direction(&self, direction: Vec3) -> Vec3 {
        self.turn * direction
    }

    /// Returns the direction from a point to the camera, along the axes of the camera.
    pub fn towards(&self, point: Vec3) -> Vec3 {
        self.eye - self.turn * point
    }
}

/// Returns the rotation to the axes of the camera.
fn axes(view: &View<'_>) -> Mat3 {
    let (yaw, pitch) = (view.yaw.to_radians(), view.pitch.clamp(-89.0, 89.0).to_radians());
    let back = Vec3::new(yaw.sin() * pitch.cos(), pitch.sin(), yaw.cos() * pitch.cos());
    let right = Vec3::Y.cross(back).normalize_or(Vec3::X);
    Mat3::from_cols(right, back.cross(right), back).transpose()
}

/// Returns the nearest position from which all points are within the slopes to both sides.
fn eye(points: impl Iterator<Item = Vec3>, [across, down]: [f32; 2]) -> Vec3 {
    // A point is in the picture if |x - eye.x| <= slope * (eye.z - z); each side bounds eye.z and eye.x.
    let mut most = [f32::NEG_INFINITY; 4];
    let mut front = f32::NEG_INFINITY;
    let mut any = false;
    for Vec3 { x, y, z } in points {
        any = true;
        let sides = [x + across * z, -x + across * z, y + down * z, -y + down * z];
        for (most, side) in most.iter_mut().zip(sides) {
            *most = most.max(side);
        }
        front = front.max(z);
    }
    if !any {
        return Vec3::Z;
    }
    let [right, left, top, bottom] = most;
    let fit = ((right + left) / (2.0 * across)).max((top + bottom) / (2.0 * down));
    // A single point and a flat model need some distance, too.
    let least = front + front.abs().max(1.0) * 1e-3;
    Vec3::new((right - left) / 2.0, (top - bottom) / 2.0, fit.max(least))
}
