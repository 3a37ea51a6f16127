//! Trees of triangles for intersection tests.

use std::collections::HashMap;

use glam::Vec3;

use super::super::super::{Tree, TreeNode};
use crate::codec::Bounds;
use crate::wire::CInt;

/// A leaf has fewer triangles.
pub(super) const LEAF: usize = 4;

/// The cosine of the angle between triangles that count as coplanar.
const COPLANAR: f32 = 0.9999;

/// A triangle, and its edges in the order of the opposite corners.
struct Triangle {
    corners: [Vec3; 3],
    normal: Vec3,
    bounds: Bounds,
}

impl Triangle {
    fn new(corners: [Vec3; 3]) -> Self {
        let [a, b, c] = corners;
        let (min, max) = (a.min(b).min(c).to_array(), a.max(b).max(c).to_array());
        let normal = (b - a).cross(c - a).normalize_or_zero();
        Self { corners, normal, bounds: Bounds { min, max } }
    }

    /// The ends of the edge opposite a corner, in the same order for both triangles that share it.
    fn edge(&self, corner: usize) -> [[u32; 3]; 2] {
        let [a, b] = [self.corners[(corner + 1) % 3], self.corners[(corner + 2) % 3]];
        let mut ends = [a, b].map(|own| own.to_array().map(|number| (number + 0.0).to_bits()));
        ends.sort_unstable();
        ends
    }

    fn center(&self, axis: usize) -> f32 {
        f32::midpoint(self.bounds.min[axis], self.bounds.max[axis])
    }
}

/// Returns the tree of triangles, which are given by three corners each.
pub(super) fn tree(vertices: &[[f32; 3]], corners: impl Iterator<Item = u32>) -> Tree {
    let corners: Vec<Vec3> =
        corners.filter_map(|own| vertices.get(own as usize)).map(|own| Vec3::from(*own)).collect();
    let (triples, _) = corners.as_chunks::<3>();
    let triangles: Vec<Triangle> = triples.iter().map(|own| Triangle::new(*own)).collect();
    let mut order: Vec<usize> = (0..triangles.len()).collect();
    let mut tree = Tree { edge_flags: edge_flags(&triangles).into(), ..Tree::default() };
    // A range of the order, and the node whose right child it is.
    let mut stack = vec![(0..triangles.len(), None)];
    while let Some((range, parent)) = stack.pop() {
        let here = tree.nodes.len();
        if let Some(parent) = parent {
            let parent: &mut TreeNode = &mut tree.nodes[parent];
            parent.right = index(here);
        }
        let bounds = around(order[range.clone()].iter().map(|own| &triangles[*own]));
        let [min, max] = [bounds.min, bounds.max];
        tree.boxes.push([min[0], min[1], min[2], max[0], max[1], max[2]]);
        if range.len() < LEAF {
            let none = CInt::new(-1).unwrap_or_default();
            let [begin, end] = [index(range.start), index(range.end)];
            tree.nodes.push(TreeNode { axis: 0, left: none, right: none, begin, end });
            tree.splits.push(0.0);
            continue;
        }
        let (axis, split, first) = halves(&mut order[range.clone()], &triangles, &bounds);
        let axis = i8::try_from(axis).unwrap_or_default();
        tree.nodes.push(TreeNode { axis, left: index(here + 1), ..TreeNode::default() });
        tree.splits.push(split);
        let middle = range.start + first;
        stack.push((middle..range.end, Some(here)));
        stack.push((range.start..middle, None));
    }
    tree.indices = order.into_iter().map(|own| index(3 * own)).collect::<Vec<_>>().into();
    tree
}

fn index(number: usize) -> CInt {
    CInt::try_from(number).unwrap_or_default()
}

fn around<'t>(triangles: impl Iterator<Item = &'t Triangle>) -> Bounds {
    let corners = triangles.flat_map(|own| [own.bounds.min, own.bounds.max]);
    Bounds::around(corners).unwrap_or(Bounds { min: [0.0; 3], max: [0.0; 3] })
}

/// Splits triangles in the middle of their box, along the longest axis that separates any; returns the axis, the plane and
/// the number of triangles below it.
fn halves(order: &mut [usize], triangles: &[Triangle], bounds: &Bounds) -> (usize, f32, usize) {
    let extent = |axis: &usize| bounds.max[*axis] - bounds.min[*axis];
    let mut longest_first = [0, 1, 2];
    longest_first.sort_by(|a, b| extent(b).total_cmp(&extent(a)));
    let middle = |axis: usize| f32::midpoint(bounds.min[axis], bounds.max[axis]);
    for axis in longest_first {
        let is_below = |triangle: &usize| triangles[*triangle].center(axis) < middle(axis);
        let below = order.iter().filter(|own| is_below(own)).count();
        if below > 0 && below < order.len() {
            order.sort_by_key(|triangle| !is_below(triangle));
            return (axis, middle(axis), below);
        }
    }
    (longest_first[0], middle(longest_first[0]), order.len() / 2)
}

/// Returns the flags of the edges of each triangle: bit n is set if the edge opposite corner n has no neighbour, or a
/// neighbour that is below the plane of the triangle.
fn edge_flags(triangles: &[Triangle]) -> Vec<u8> {
    let mut sides: HashMap<[[u32; 3]; 2], Vec<(usize, usize)>> = HashMap::new();
    for (place, triangle) in triangles.iter().enumerate() {
        for corner in 0..3 {
            sides.entry(triangle.edge(corner)).or_default().push((place, corner));
        }
    }
    let is_set = |place: usize, corner: usize| {
        let own = &triangles[place];
        let neighbours = sides.get(&own.edge(corner)).into_iter().flatten();
        let other = neighbours.copied().find(|(neighbour, _)| *neighbour != place);
        other.is_none_or(|(place, opposite)| {
            let other = &triangles[place];
            let height = own.normal.dot(other.corners[opposite] - own.corners[(corner + 1) % 3]);
            height < 0.0 && own.normal.dot(other.normal) < COPLANAR
        })
    };
    let flags = |place: usize| (0..3).map(|corner| u8::from(is_set(place, corner)) << corner).sum();
    (0..triangles.len()).map(flags).collect()
}
