//! Tangent spaces as `MikkTSpace` defines them: the method of Morten S. Mikkelsen that most tools use for normal maps.
//!
//! Time and memory are linear in the number of triangles, also if all of them share a vertex. The crate `bevy_mikktspace` compares
//! such triangles in pairs and recurses from one to the next; 100,000 of them overflow the stack. The tests compare with it.

use std::collections::VecDeque;

use glam::{Vec2, Vec3, Vec3A, Vec4};

use super::super::Mesh;
use super::Points;

/// The tangents of corners; none where the texture coordinates determine none.
pub(super) struct Tangents {
    /// The different tangents: the corners of a group share one.
    list: Vec<Vec4>,
    /// The index of the tangent of each corner, or [`NONE`].
    of_corners: Vec<u32>,
}

impl Tangents {
    /// Returns the tangents of all corners, three for each triangle.
    pub fn into_corners(self) -> impl Iterator<Item = Option<Vec4>> {
        self.of_corners.into_iter().map(move |index| self.list.get(index as usize).copied())
    }

    /// Adds a tangent, and returns its index.
    fn add(&mut self, tangent: Vec4) -> u32 {
        let index = u32::try_from(self.list.len()).unwrap_or(NONE);
        self.list.push(tangent);
        index
    }
}

/// The index of no tangent, and of no triangle.
const NONE: u32 = u32::MAX;

/// The minimum cosine of the angle between two directions that lie on the same side, with a margin for rounding.
const SAME_SIDE: f32 = 1e-3;

/// In groups of more triangles, tangents are not compared in pairs, and all triangles share one.
const MAX_COMPARED: usize = 64;

/// A triangle.
#[derive(Clone, Debug)]
struct Face {
    /// The points at its corners: vertices with the same position, normal and texture coordinates are one.
    points: [u32; 3],
    /// Whether its texture is not mirrored.
    is_upright: bool,
    /// Whether texture coordinates determine no directions. Such a triangle joins any group.
    is_unmapped: bool,
    /// Whether two corners have the same position.
    is_degenerate: bool,
    /// For each edge, starting at the corner of the same index, the triangle on its other side, or [`NONE`].
    neighbors: [u32; 3],
    /// Whether each corner is in a group.
    is_grouped: [bool; 3],
}

/// Returns the tangents of triangles of a mesh with finite positions, normals and texture coordinates.
pub(super) fn tangents(mesh: &Mesh, triangles: &[[u32; 3]]) -> Tangents {
    let points = Points::of_uvs(mesh);
    let face = |corners: &[u32; 3]| Face::new(mesh, *corners, &points);
    let mut faces: Vec<Face> = triangles.iter().map(face).collect();
    connect(&mut faces, points.first().len());
    let directions: Vec<_> =
        faces.iter_mut().zip(triangles).map(|(own, corners)| own.map(mesh, *corners)).collect();
    let mut tangents = Tangents { list: Vec::new(), of_corners: vec![NONE; faces.len() * 3] };
    let mut group =
        Group { mesh, triangles, directions: &directions, corners: Vec::new(), members: Vec::new() };
    for corner in 0..faces.len() * 3 {
        if group.collect(corner, &mut faces) {
            group.find_tangents(&faces, &mut tangents);
        }
    }
    inherit(&faces, points.first().len(), &mut tangents);
    tangents
}

impl Face {
    fn new(mesh: &Mesh, corners: [u32; 3], points: &Points) -> Self {
        let [a, b, c] = corners.map(|corner| mesh.positions[corner as usize]);
        Self {
            points: corners.map(|corner| points.of_vertices()[corner as usize]),
            is_upright: false,
            is_unmapped: true,
            is_degenerate: a == b || b == c || c == a,
            neighbors: [NONE; 3],
            is_grouped: [false; 3],
        }
    }

    /// Returns the corner at a point, which joins a group, unless it is in one.
    fn join(&mut self, point: u32, is_upright: bool) -> Option<usize> {
        let at = self.points.iter().position(|own| *own == point).filter(|at| !self.is_grouped[*at])?;
        if self.is_unmapped && self.is_grouped == [false; 3] {
            self.is_upright = is_upright;
        }
        self.is_grouped[at] = self.is_upright == is_upright;
        self.is_grouped[at].then_some(at)
    }

    /// Returns the directions in which u and v grow, of unit length, or zeros. Finds out how the texture is mapped.
    fn map(&mut self, mesh: &Mesh, corners: [u32; 3]) -> [Vec3; 2] {
        if self.is_degenerate {
            return [Vec3::ZERO; 2];
        }
        let [at, next, last] = corners.map(|corner| mesh.positions[corner as usize]);
        let edges = [next - at, last - at];
        let uvs: [Vec2; 3] = corners.map(|corner| mesh.uvs[0][corner as usize]);
        let [first, second] = [uvs[1] - uvs[0], uvs[2] - uvs[0]];
        let area = first.x * second.y - first.y * second.x;
        self.is_upright = area > 0.0;
        if !is_significant(area) {
            return [Vec3::ZERO; 2];
        }
        let u = second.y * edges[0] - first.y * edges[1];
        let v = -second.x * edges[0] + first.x * edges[1];
        let sign = if self.is_upright { 1.0 } else { -1.0 };
        self.is_unmapped = ![u, v].iter().all(|own| is_significant(own.length() / area.abs()));
        [u, v].map(|own| Vec3::from(unit(own.into())) * sign)
    }
}

/// An edge of a triangle, from the point of lower index to the other one.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
struct Edge {
    high: u32,
    /// Where it starts in the triangle: three times the index of the triangle, plus that of the corner.
    corner: u32,
}

impl Edge {
    const fn face(self) -> usize {
        self.corner as usize / 3
    }

    const fn side(self) -> usize {
        self.corner as usize % 3
    }

    /// Whether the triangle has the edge in the other direction.
    fn is_reversed(self, faces: &[Face]) -> bool {
        faces[self.face()].points[self.side()] == self.high
    }
}

/// Finds the neighbours of triangles: two triangles with the same edge in opposite directions, in the order of triangles.
fn connect(faces: &mut [Face], num_points: usize) {
    // Where the edges of each point start, and when they are there, where they end.
    let mut ends = vec![0_u32; num_points + 1];
    edges(faces, |low, _| ends[low as usize + 1] += 1);
    for point in 0..num_points {
        ends[point + 1] += ends[point];
    }
    let mut sorted = vec![Edge::default(); ends[num_points] as usize];
    edges(faces, |low, edge| {
        sorted[ends[low as usize] as usize] = edge;
        ends[low as usize] += 1;
    });
    let (mut waiting, mut start) = (VecDeque::new(), 0);
    for end in ends {
        let of_point = &mut sorted[start..end as usize];
        start = end as usize;
        of_point.sort_unstable();
        for same in of_point.chunk_by(|a, b| a.high == b.high) {
            pair(same, faces, &mut waiting);
        }
    }
}

/// Calls a function with each edge of triangles that are not degenerate, and with its lower point.
fn edges(faces: &[Face], mut each: impl FnMut(u32, Edge)) {
    for (own, first) in faces.iter().zip((0_u32..).step_by(3)).filter(|(own, _)| !own.is_degenerate) {
        for (at, corner) in (0..3).zip(first..) {
            let [start, end] = [own.points[at], own.points[(at + 1) % 3]];
            each(start.min(end), Edge { high: start.max(end), corner });
        }
    }
}

/// Connects triangles with the same edge. Those that wait for one have it in the same direction.
fn pair(edges: &[Edge], faces: &mut [Face], waiting: &mut VecDeque<Edge>) {
    waiting.clear();
    for edge in edges {
        if waiting.front().is_none_or(|other| other.is_reversed(faces) == edge.is_reversed(faces)) {
            waiting.push_back(*edge);
        } else if let Some(other) = waiting.pop_front() {
            faces[edge.face()].neighbors[edge.side()] = other.corner / 3;
            faces[other.face()].neighbors[other.side()] = edge.corner / 3;
        }
    }
}

/// Connected triangles around a point, all with their texture mirrored or all not. A corner is three times the index of its
/// triangle, plus its index there.
struct Group<'a> {
    mesh: &'a Mesh,
    triangles: &'a [[u32; 3]],
    /// The directions in which u and v grow in each triangle.
    directions: &'a [[Vec3; 2]],
    corners: Vec<usize>,
    members: Vec<Member>,
}

/// A corner of a group. `Vec3A` is faster, and rounds as `Vec3`.
struct Member {
    /// The directions in which u and v grow, across the normal.
    axes: [Vec3A; 2],
    /// The first axis times the angle between the edges at the corner.
    weighted: Vec3A,
    is_unmapped: bool,
}

impl Group<'_> {
    /// Collects the group of a corner, unless it has one.
    fn collect(&mut self, first: usize, faces: &mut [Face]) -> bool {
        let (own, at) = (&mut faces[first / 3], first % 3);
        if own.is_unmapped || own.is_grouped[at] {
            return false;
        }
        let (point, is_upright) = (own.points[at], own.is_upright);
        own.is_grouped[at] = true;
        let sides = [at, (at + 2) % 3].map(|side| own.neighbors[side]);
        self.corners.clear();
        self.corners.push(first);
        // Around the point in both directions: neighbours have their common edge in opposite directions.
        for (direction, mut next) in [0, 2].into_iter().zip(sides) {
            while let Some(own) = faces.get_mut(next as usize) {
                let Some(at) = own.join(point, is_upright) else { break };
                self.corners.push(next as usize * 3 + at);
                next = own.neighbors[(at + direction) % 3];
            }
        }
        self.corners.sort_unstable();
        true
    }

    /// Adds the tangents of the corners.
    fn find_tangents(&mut self, faces: &[Face], tangents: &mut Tangents) {
        let mut members = std::mem::take(&mut self.members);
        members.clear();
        members.extend(self.corners.iter().map(|corner| self.member(*corner, faces)));
        let is_upright = self.corners.first().is_some_and(|corner| faces[corner / 3].is_upright);
        let sign = if is_upright { 1.0 } else { -1.0 };
        if has_opposites(&members) {
            for (own, corner) in members.iter().zip(&self.corners) {
                let tangent = mean(members.iter().filter(|other| !own.is_opposite(other)));
                tangents.of_corners[*corner] = tangents.add(tangent.extend(sign));
            }
        } else {
            let index = tangents.add(mean(members.iter()).extend(sign));
            self.corners.iter().for_each(|corner| tangents.of_corners[*corner] = index);
        }
        self.members = members;
    }

    fn member(&self, corner: usize, faces: &[Face]) -> Member {
        let (face, at) = (corner / 3, corner % 3);
        let vertices = self.triangles[face].map(|vertex| vertex as usize);
        let [own, next, last] = [vertices[at], vertices[(at + 1) % 3], vertices[(at + 2) % 3]];
        let normal = Vec3A::from(self.mesh.normals[own]);
        let axes = self.directions[face].map(|axis| across(axis.into(), normal));
        let place = |vertex: usize| Vec3A::from(self.mesh.positions[vertex]);
        let edges = [next, last].map(|other| across(place(other) - place(own), normal));
        Member { axes, weighted: angle(edges) * axes[0], is_unmapped: faces[face].is_unmapped }
    }
}

impl Member {
    fn is_opposite(&self, other: &Self) -> bool {
        let is_along = |axis: usize| self.axes[axis].dot(other.axes[axis]) > -1.0;
        !(std::ptr::eq(self, other) || self.is_unmapped || other.is_unmapped || is_along(0) && is_along(1))
    }
}

/// Whether directions of two members are opposite.
fn has_opposites(members: &[Member]) -> bool {
    let [first, others @ ..] = members else { return false };
    // Directions that lie on the same side as the first one are not opposite, so they need not be compared in pairs.
    let is_like_first = |own: &Member| (0..2).all(|axis| own.axes[axis].dot(first.axes[axis]) > SAME_SIDE);
    let is_possible = members.len() <= MAX_COMPARED && !others.iter().all(is_like_first);
    is_possible && (0..members.len()).any(|a| (0..a).any(|b| members[a].is_opposite(&members[b])))
}

/// Returns the mean of the directions of u, weighted by the angles.
fn mean<'m>(members: impl Iterator<Item = &'m Member>) -> Vec3 {
    let mapped = members.filter(|member| !member.is_unmapped);
    unit(mapped.fold(Vec3A::ZERO, |sum, own| sum + own.weighted)).into()
}

/// Returns the angle between directions.
#[expect(clippy::cast_possible_truncation, reason = "rounds an angle")]
fn angle([a, b]: [Vec3A; 2]) -> f32 {
    // With 64 bits, as in other tools.
    f64::from(a.dot(b).clamp(-1.0, 1.0)).acos() as f32
}

/// Gives the corners of degenerate triangles the tangent of the first other corner at the same point.
fn inherit(faces: &[Face], num_points: usize, tangents: &mut Tangents) {
    if !faces.iter().any(|face| face.is_degenerate) {
        return;
    }
    let mut of_points = vec![None; num_points];
    let (of_faces, _) = tangents.of_corners.as_chunks_mut::<3>();
    for (face, own) in faces.iter().zip(&*of_faces).filter(|(face, _)| !face.is_degenerate) {
        for (point, tangent) in face.points.iter().zip(own) {
            of_points[*point as usize].get_or_insert(*tangent);
        }
    }
    for (face, own) in faces.iter().zip(of_faces).filter(|(face, _)| face.is_degenerate) {
        *own = face.points.map(|point| of_points[point as usize].unwrap_or(NONE));
    }
}

/// Returns the part of a vector across a normal, with unit length.
#[inline]
fn across(own: Vec3A, normal: Vec3A) -> Vec3A {
    unit(own - normal.dot(own) * normal)
}

/// Returns a vector with unit length, unless it is too short.
#[inline]
fn unit(own: Vec3A) -> Vec3A {
    let is_long = own.abs().cmpgt(Vec3A::splat(f32::MIN_POSITIVE)).any();
    if is_long { own * own.length().recip() } else { own }
}

fn is_significant(number: f32) -> bool {
    number.abs() > f32::MIN_POSITIVE
}
