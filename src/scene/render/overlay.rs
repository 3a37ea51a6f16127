//! Bones drawn over the meshes.

use glam::{Affine3A, Vec2};

use super::camera::Camera;
use super::light::from_srgb;
use super::raster::Canvas;
use crate::scene::Skeleton;

/// The colours of bones, of joints and of their outlines.
const BONE: [u8; 4] = [255, 176, 46, 235];
const JOINT: [u8; 4] = [255, 236, 190, 255];
const OUTLINE: [u8; 4] = [40, 28, 8, 200];

/// Draws a bone from each joint to its parent, wide at the parent, and a dot for each joint.
pub(super) fn draw(skeleton: &Skeleton, placed: &[Affine3A], camera: &Camera, canvas: &mut Canvas) {
    let points: Vec<Option<Vec2>> = placed
        .iter()
        .map(|bone| camera.project(bone.translation.into()).map(|point| Vec2::new(point.x, point.y)))
        .collect();
    let wide = canvas.unit() * 0.016;
    let parents = skeleton.bones().iter().map(|bone| bone.parent);
    let ends: Vec<[Vec2; 2]> = parents
        .zip(&points)
        .filter_map(|(parent, point)| Some([(*points.get(parent?)?)?, (*point)?]))
        .collect();
    let dots: Vec<Vec2> = points.iter().flatten().copied().collect();
    for (color, margin) in [(OUTLINE, canvas.unit() * 0.004), (BONE, 0.0)] {
        for ends in &ends {
            let length = ends[0].distance(ends[1]);
            let wide = wide.min(length * 0.3);
            canvas.line(*ends, [wide + margin, wide * 0.25 + margin], from_srgb(color));
        }
    }
    for (color, margin) in [(OUTLINE, canvas.unit() * 0.003), (JOINT, 0.0)] {
        for dot in &dots {
            canvas.line([*dot; 2], [canvas.unit() * 0.008 + margin; 2], from_srgb(color));
        }
    }
}
