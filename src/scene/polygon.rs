//! Triangulates polygons.

use glam::{Vec2, Vec3};

/// The maximum number of tests for each corner in ear clipping, which takes more than linear time. Polygons that need more
/// become fans.
const MOST_TESTS: usize = 1024;

/// The maximum number of tests for a polygon.
const MOST_IN_ALL: usize = 1 << 24;

/// The tolerance for rounding errors, relative to the area of a polygon.
const NOTHING: f32 = 1e-5;

/// Returns the triangles of a polygon, as indices of its corners in order: a fan around the first corner, or ear
/// clipping if a fan would cover area outside of the polygon.
///
/// ```
/// use bindpose::scene::triangles;
/// use glam::Vec3;
/// let square = [Vec3::ZERO, Vec3::X, Vec3::X + Vec3::Y, Vec3::Y];
/// assert_eq!(triangles(&square), [[0, 1, 2], [0, 2, 3]]);
/// // An arrowhead that starts at a tip.
/// let arrow = [Vec3::ZERO, Vec3::X * 2.0, (Vec3::X + Vec3::Y) * 0.5, Vec3::Y * 2.0];
/// assert_eq!(triangles(&[arrow[1], arrow[2], arrow[3], arrow[0]]), [[3, 0, 1], [3, 1, 2]]);
/// ```
#[must_use]
pub fn triangles(corners: &[Vec3]) -> Vec<[usize; 3]> {
    let fan: Vec<_> = (2..corners.len()).map(|at| [0, at - 1, at]).collect();
    if fan.len() < 2 {
        return fan;
    }
    let points = flattened(corners);
    let areas = fan.iter().map(|corners| area(corners.map(|corner| points[corner])));
    let (whole, least) = areas.fold((0.0, 0.0_f32), |(sum, least), area| (sum + area, least.min(area)));
    let turned_over = least < -NOTHING * whole;
    let ears = if turned_over { clip_ears(&points) } else { None };
    ears.unwrap_or(fan)
}

/// Returns the corners projected to the plane with the largest area, counterclockwise.
fn flattened(corners: &[Vec3]) -> Vec<Vec2> {
    let sides: Vec<Vec3> = corners.iter().map(|corner| corner - corners[0]).collect();
    let normal: Vec3 = sides.windows(2).map(|pair| pair[0].cross(pair[1])).sum();
    let right = normal.any_orthogonal_vector().normalize_or_zero();
    let up = normal.cross(right).normalize_or_zero();
    sides.iter().map(|side| Vec2::new(side.dot(right), side.dot(up))).collect()
}

/// Returns twice the area of a triangle; negative if it is clockwise.
fn area([a, b, c]: [Vec2; 3]) -> f32 {
    (b - a).perp_dot(c - a)
}

/// Clips ears one by one; none if there is no ear, as in a polygon that intersects itself, or it takes too many tests.
fn clip_ears(points: &[Vec2]) -> Option<Vec<[usize; 3]>> {
    let mut tests = (MOST_TESTS * points.len()).min(MOST_IN_ALL);
    let mut left: Vec<usize> = (0..points.len()).collect();
    let mut triangles = Vec::with_capacity(points.len() - 2);
    while left.len() > 2 {
        let len = left.len();
        let around = |at: usize| [(at + len - 1) % len, at, (at + 1) % len].map(|at| left[at]);
        let mut is_ear = |at: &usize| {
            let ear = around(*at).map(|corner| points[corner]);
            let is_tip = area(ear) > 0.0;
            tests = tests.saturating_sub(if is_tip { len } else { 1 });
            is_tip && !left.iter().any(|corner| is_inside(points[*corner], ear))
        };
        let is_flat = |at: &usize| area(around(*at).map(|corner| points[corner])) == 0.0;
        let ear = (0..len).find(&mut is_ear);
        let at = ear.or_else(|| (0..len).find(is_flat)).filter(|_| tests > 0)?;
        triangles.push(around(at));
        left.remove(at);
        // The corners after it have moved, some at a time.
        tests = tests.saturating_sub((len - at) / 64);
    }
    Some(triangles)
}

/// Returns whether a point is inside a triangle or on its border, but is not one of its corners.
fn is_inside(point: Vec2, [a, b, c]: [Vec2; 3]) -> bool {
    ![a, b, c].contains(&point) && [[a, b], [b, c], [c, a]].iter().all(|[a, b]| area([*a, *b, point]) >= 0.0)
}
