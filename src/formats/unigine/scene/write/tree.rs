//! Trees of triangles for intersection tests.

use glam::{Vec3, Vec3A};

use super::super::super::{CInt, EdgeFlags, Tree, TreeNode};
use crate::codec::Bounds;
use crate::scene::author::Points;
use crate::scene::author::edges::{Edge, each_shared, previous};

/// A leaf has fewer triangles.
pub(super) const LEAF: usize = 4;

/// The cosine of the angle between triangles that count as coplanar.
const COPLANAR: f32 = 0.9999;

/// The number of nodes that each triangle is in, on average, before the rest of the tree is split by number. A plane can separate
/// one triangle from very many, again and again. The triangles of models are in about 20 nodes.
const MAX_NODES: usize = 256;

/// Returns the tree of triangles, which are given by three corners each.
pub(super) fn tree(vertices: &[[f32; 3]], corners: impl Iterator<Item = u32>) -> Tree {
    let corners: Vec<u32> = corners.filter(|own| (*own as usize) < vertices.len()).collect();
    let (triangles, _) = corners.as_chunks::<3>();
    // Coordinates that are too large for a float are 0.
    let places: Vec<Vec3> = vertices.iter().map(|own| finite(Vec3::from(*own))).collect();
    let mut tree = Tree {
        edge_flags: edge_flags(&places, triangles)
            .into_iter()
            .map(EdgeFlags::from_raw)
            .collect::<Vec<_>>()
            .into(),
        ..Tree::default()
    };
    let boxes: Vec<Bounds> = triangles.iter().map(|own| box_of(own, &places)).collect();
    let mut order: Vec<u32> = (0..).take(boxes.len()).collect();
    let mut above = vec![0; order.len()];
    let mut num_visits = 0_usize;
    // A range of the order, and the node whose right child it is.
    let mut stack = vec![(0..boxes.len(), None)];
    while let Some((range, parent)) = stack.pop() {
        let here = tree.nodes.len();
        if let Some(parent) = parent {
            let parent: &mut TreeNode = &mut tree.nodes[parent];
            parent.right = index(here);
        }
        let own = &mut order[range.clone()];
        let bounds = around(own, &boxes);
        let [min, max] = [bounds.min, bounds.max];
        tree.boxes.push([min[0], min[1], min[2], max[0], max[1], max[2]]);
        if range.len() < LEAF {
            let none = CInt::new(-1).unwrap_or_default();
            let [begin, end] = [index(range.start), index(range.end)];
            tree.nodes.push(TreeNode { axis: 0, left: none, right: none, begin, end });
            tree.splits.push(0.0);
            continue;
        }
        num_visits += range.len();
        let is_by_number = num_visits / MAX_NODES > boxes.len();
        let (axis, num_below) = split(own, &mut above, &boxes, &bounds, is_by_number);
        tree.nodes.push(TreeNode {
            axis: i8::try_from(axis).unwrap_or_default(),
            left: index(here + 1),
            ..TreeNode::default()
        });
        tree.splits.push(middle(&bounds, axis));
        let first_above = range.start + num_below;
        stack.push((first_above..range.end, Some(here)));
        stack.push((range.start..first_above, None));
    }
    tree.indices = order.into_iter().map(|own| index(3 * own as usize)).collect::<Vec<_>>().into();
    tree
}

fn index(number: usize) -> CInt {
    CInt::try_from(number).unwrap_or_default()
}

fn finite(own: Vec3) -> Vec3 {
    Vec3::select(own.is_finite_mask(), own, Vec3::ZERO)
}

fn box_of([a, b, c]: &[u32; 3], places: &[Vec3]) -> Bounds {
    let place = |corner: &u32| Vec3A::from(places[*corner as usize]);
    let (a, b, c) = (place(a), place(b), place(c));
    let min = a.min(b).min(c);
    // The same zero, if both are 0.
    let max = a.max(b).max(c).max(min);
    Bounds { min: min.to_array(), max: max.to_array() }
}

/// Returns the box around triangles. Of equal numbers it has the first one, as zeros can be negative.
fn around(order: &[u32], boxes: &[Bounds]) -> Bounds {
    let (mut min, mut max) = (Vec3A::INFINITY, Vec3A::NEG_INFINITY);
    for own in order {
        let own = &boxes[*own as usize];
        min = Vec3A::from(own.min).min(min);
        max = Vec3A::from(own.max).max(max);
    }
    if order.is_empty() {
        (min, max) = (Vec3A::ZERO, Vec3A::ZERO);
    }
    Bounds { min: min.to_array(), max: max.to_array() }
}

/// Returns the middle of a box along an axis.
fn middle(bounds: &Bounds, axis: usize) -> f32 {
    f32::midpoint(bounds.min[axis], bounds.max[axis])
}

/// Splits triangles in the middle of their box, along the longest axis that separates any, or in two halves. Returns the axis and
/// the number of triangles below the plane, which come first.
fn split(
    order: &mut [u32],
    above: &mut [u32],
    boxes: &[Bounds],
    bounds: &Bounds,
    is_by_number: bool,
) -> (usize, usize) {
    let extent = |axis: &usize| bounds.max[*axis] - bounds.min[*axis];
    let mut longest_first = [0, 1, 2];
    longest_first.sort_by(|a, b| extent(b).total_cmp(&extent(a)));
    for axis in longest_first.into_iter().filter(|_| !is_by_number) {
        let plane = middle(bounds, axis);
        let (mut num_below, mut num_above) = (0, 0);
        for at in 0..order.len() {
            let own = order[at];
            let is_below = middle(&boxes[own as usize], axis) < plane;
            // Without a branch, whose direction is not predictable.
            order[num_below] = own;
            above[num_above] = own;
            num_below += usize::from(is_below);
            num_above += usize::from(!is_below);
        }
        order[num_below..].copy_from_slice(&above[..num_above]);
        if num_below > 0 && num_above > 0 {
            return (axis, num_below);
        }
    }
    (longest_first[0], order.len() / 2)
}

/// Returns the flags of the edges of each triangle: bit n is set if the edge opposite corner n has no neighbour, or a
/// neighbour that is below the plane of the triangle. The neighbour is the first other triangle with the edge.
fn edge_flags(places: &[Vec3], triangles: &[[u32; 3]]) -> Vec<u8> {
    let normal = |[a, b, c]: &[u32; 3]| {
        let (a, b, c) = (places[*a as usize], places[*b as usize], places[*c as usize]);
        (b - a).cross(c - a).normalize_or_zero()
    };
    let normals: Vec<Vec3> = triangles.iter().map(normal).collect();
    let place = |corner: u32| places[triangles.as_flattened()[corner as usize] as usize];
    let triangle = |edge: &Edge| edge.start as usize / 3;
    let is_open = |own: &Edge, other: &Edge| {
        let normal = normals[triangle(own)];
        let height = normal.dot(place(previous(other.start)) - place(own.start));
        height < 0.0 && normal.dot(normals[triangle(other)]) < COPLANAR
    };
    let mut flags = vec![0; triangles.len()];
    let points = Points::of_places(places);
    each_shared(
        triangles,
        &points,
        |_| true,
        |edges| {
            let first = triangle(&edges[0]);
            let (of_first, others) =
                edges.split_at(edges.iter().take_while(|own| triangle(own) == first).count());
            for edge in edges {
                let others = if triangle(edge) == first { others } else { of_first };
                // Two edges of a triangle can be the same.
                let other = others.iter().take_while(|own| triangle(own) == triangle(&others[0]));
                let other = other.min_by_key(|own| previous(own.start));
                let is_set = other.is_none_or(|other| is_open(edge, other));
                flags[triangle(edge)] |= u8::from(is_set) << (previous(edge.start) % 3);
            }
        },
    );
    flags
}
