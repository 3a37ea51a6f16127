//! Smoothing groups: editors average the normals of triangles of a group that share a vertex.

use crate::scene::Mesh;
use crate::scene::author::Points;
use crate::scene::author::edges::{each_shared, next};

/// How far two normals can be from each other to be the same.
const SAME: f32 = 1e-3;

/// The number of groups.
const GROUPS: u32 = 32;

/// Returns the smoothing group of each triangle, by the normals: triangles belong to one group if they are connected by edges with
/// the same normals on both sides. Groups that share a point differ, as far as there are enough.
pub(super) fn groups(mesh: &Mesh, points: &Points) -> Vec<u8> {
    let triangles: Vec<[u32; 3]> =
        mesh.primitives.iter().flat_map(|own| own.triangles.iter().copied()).collect();
    let corners = triangles.as_flattened();
    let normal = |corner: u32| mesh.normals[corners[corner as usize] as usize];
    let is_same = |a: u32, b: u32| normal(a).abs_diff_eq(normal(b), SAME);
    let mut parts = Parts((0..triangles.len()).collect());
    each_shared(
        &triangles,
        points,
        |_| true,
        |edges| {
            for pair in edges.windows(2) {
                let ends = pair.iter().map(|edge| {
                    let (start, end) = (edge.start, next(edge.start));
                    if edge.is_reversed { [end, start] } else { [start, end] }
                });
                let ends: Vec<[u32; 2]> = ends.collect();
                if is_same(ends[0][0], ends[1][0]) && is_same(ends[0][1], ends[1][1]) {
                    parts.join(pair[0].start as usize / 3, pair[1].start as usize / 3);
                }
            }
        },
    );
    let mut of_part: Vec<(usize, usize)> = (0..triangles.len()).map(|own| (parts.find(own), own)).collect();
    of_part.sort_unstable();
    let mut taken = vec![0_u32; points.first().len()];
    let mut groups = vec![1; triangles.len()];
    for part in of_part.chunk_by(|a, b| a.0 == b.0) {
        let own = || part.iter().flat_map(|(_, triangle)| triangles[*triangle]);
        let point = |vertex: u32| points.of_vertices()[vertex as usize] as usize;
        let around = own().fold(0, |around, vertex| around | taken[point(vertex)]);
        let group = around.trailing_ones() % GROUPS;
        own().for_each(|vertex| taken[point(vertex)] |= 1 << group);
        for (_, triangle) in part {
            groups[*triangle] = u8::try_from(group + 1).unwrap_or(1);
        }
    }
    groups
}

/// Disjoint sets of triangles: the index of another one of the same set, or its own.
struct Parts(Vec<usize>);

impl Parts {
    fn find(&mut self, mut own: usize) -> usize {
        while self.0[own] != own {
            self.0[own] = self.0[self.0[own]];
            own = self.0[own];
        }
        own
    }

    fn join(&mut self, a: usize, b: usize) {
        let (a, b) = (self.find(a), self.find(b));
        self.0[a.max(b)] = a.min(b);
    }
}
