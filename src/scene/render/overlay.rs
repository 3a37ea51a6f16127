//! Bones drawn over the meshes.

use glam::{Affine3A, Vec2};

use super::allowance::{Allowance, Shape, hash_of};
use super::camera::Camera;
use super::light::from_srgb;
use super::raster::Canvas;
use crate::scene::Skeleton;

/// The colours of bones, of joints and of their outlines.
const BONE: [u8; 4] = [255, 176, 46, 235];
const JOINT: [u8; 4] = [255, 236, 190, 255];
const OUTLINE: [u8; 4] = [40, 28, 8, 200];

/// Draws a bone from each joint to its parent, wide at the parent, and a dot for each joint. Returns the number of bones and
/// joints that are left out.
pub(super) fn draw(skeleton: &Skeleton, placed: &[Affine3A], camera: &Camera, canvas: &mut Canvas) -> usize {
    let points: Vec<Option<Vec2>> = placed
        .iter()
        .map(|bone| camera.project(bone.translation.into()).map(|point| Vec2::new(point.x, point.y)))
        .collect();
    let wide = canvas.unit() * 0.016;
    let parents = skeleton.bones().iter().map(|bone| bone.parent);
    let mut ends: Vec<[Vec2; 2]> = parents
        .zip(&points)
        .filter_map(|(parent, point)| Some([(*points.get(parent?)?)?, (*point)?]))
        .collect();
    let mut dots: Vec<Vec2> = points.iter().flatten().copied().collect();
    let left_out = thin_out(&mut ends, canvas, wide) + thin_out_dots(&mut dots, canvas);
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
    left_out
}

/// Keeps the lines that a picture has time for; returns the number of others.
fn thin_out(lines: &mut Vec<[Vec2; 2]>, canvas: &Canvas, wide: f32) -> usize {
    let shape = |ends: &[Vec2; 2]| {
        // Each line is drawn twice.
        let cost = 2 * canvas.line_cost(*ends, [wide; 2]);
        Shape { cost, hash: hash_of(ends.map(|end| end.to_array().map(f32::to_bits))) }
    };
    let mut allowance = Allowance::for_shapes(canvas, lines.iter().map(shape));
    lines.retain(|line| allowance.permits(|| shape(line)));
    allowance.reduced
}

fn thin_out_dots(dots: &mut Vec<Vec2>, canvas: &Canvas) -> usize {
    let mut lines: Vec<_> = dots.iter().map(|dot| [*dot; 2]).collect();
    let left_out = thin_out(&mut lines, canvas, canvas.unit() * 0.011);
    *dots = lines.into_iter().map(|[dot, _]| dot).collect();
    left_out
}
