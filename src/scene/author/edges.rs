//! Edges that triangles share.
//!
//! The corners of triangle `n` are `3 * n` and the following two.

use super::Points;

/// An edge of a triangle.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Edge {
    /// The point of higher index.
    high: u32,
    /// The corner where it starts.
    pub start: u32,
    /// Whether that is the point of higher index.
    pub is_reversed: bool,
}

/// Calls a function for each two points that edges connect, with these edges in the order of the corners where they start.
pub(crate) fn each_shared(
    triangles: &[[u32; 3]],
    points: &Points,
    is_included: impl Fn(usize) -> bool,
    mut visit: impl FnMut(&[Edge]),
) {
    // Where the edges of each point start, and when they are there, where they end.
    let num_points = points.first().len();
    let mut ends = vec![0_u32; num_points + 1];
    each(triangles, points, &is_included, |low, _| ends[low as usize + 1] += 1);
    for point in 0..num_points {
        ends[point + 1] += ends[point];
    }
    let mut sorted = vec![0; ends[num_points] as usize];
    each(triangles, points, &is_included, |low, start| {
        sorted[ends[low as usize] as usize] = start;
        ends[low as usize] += 1;
    });
    let point = |corner: u32| points.of_vertices()[triangles.as_flattened()[corner as usize] as usize];
    let edge = |corner: &u32| {
        let (start, end) = (point(*corner), point(next(*corner)));
        Edge { high: start.max(end), start: *corner, is_reversed: start > end }
    };
    let (mut of_point, mut start) = (Vec::new(), 0);
    for end in ends {
        of_point.clear();
        of_point.extend(sorted[start..end as usize].iter().map(edge));
        start = end as usize;
        of_point.sort_unstable();
        of_point.chunk_by(|a, b| a.high == b.high).for_each(&mut visit);
    }
}

/// Calls a function with the lower point of each edge, and with the corner where it starts.
fn each(
    triangles: &[[u32; 3]],
    points: &Points,
    is_included: impl Fn(usize) -> bool,
    mut visit: impl FnMut(u32, u32),
) {
    for (index, first) in (0..triangles.len()).zip((0..).step_by(3)).filter(|(index, _)| is_included(*index))
    {
        let point = |corner: usize| points.of_vertices()[triangles[index][corner] as usize];
        let (a, b, c) = (point(0), point(1), point(2));
        visit(a.min(b), first);
        visit(b.min(c), first + 1);
        visit(c.min(a), first + 2);
    }
}

/// Returns the next corner of the triangle.
pub(crate) const fn next(corner: u32) -> u32 {
    if corner % 3 == 2 { corner - 2 } else { corner + 1 }
}

/// Returns the previous corner of the triangle.
pub(crate) const fn previous(corner: u32) -> u32 {
    if corner.is_multiple_of(3) { corner + 2 } else { corner - 1 }
}
