//! Tangent spaces as `MikkTSpace` defines them: the method of Morten S. Mikkelsen that most tools use for normal maps.
//!
//! Time and memory are linear in the number of triangles, also if all of them share a vertex. The crate `bevy_mikktspace` compares
//! such triangles in pairs and recurses from one to the next; 100,000 of them overflow the stack. The tests compare with it.
//!
//! A corner is three times the index of its triangle, plus its index there. An edge has the index of the corner where it starts.

use std::collections::VecDeque;

use glam::{Vec3, Vec3A, Vec4};

use super::super::Mesh;
use super::Points;
use super::edges::{Edge, each_shared, next, previous};
use super::lanes::Lanes;

/// The tangents of corners; none where the texture coordinates determine none.
pub(super) struct Tangents {
    /// Tangents: the corners of a group share one.
    pub list: Vec<Vec4>,
    /// The index of the tangent of each corner, three for each triangle; [`u32::MAX`] for none.
    pub of_corners: Vec<u32>,
}

impl Tangents {
    /// Adds a tangent, and returns its index.
    fn add(&mut self, tangent: Vec4) -> u32 {
        let index = u32::try_from(self.list.len()).unwrap_or(NONE);
        self.list.push(tangent);
        index
    }
}

/// The index of no tangent, and of no edge.
const NONE: u32 = u32::MAX;

/// The minimum cosine of the angle between two directions that lie on the same side, with a margin for rounding.
const SAME_SIDE: f32 = 1e-3;

/// In groups of more triangles, tangents are not compared in pairs, and all triangles share one.
const MAX_COMPARED: usize = 64;

/// Returns the tangents of triangles of a mesh with finite positions, normals and texture coordinates. The points are the
/// vertices with the same position.
pub(super) fn tangents(mesh: &Mesh, places: &Points, triangles: &[[u32; 3]]) -> Tangents {
    let mut faces: Vec<Face> = triangles.iter().map(|corners| Face::new(*corners, places)).collect();
    // Vertices with the same position, normal and texture coordinates are one.
    let points = places.divided_by_uvs(mesh);
    let points = points.as_ref().unwrap_or(places);
    let neighbors = neighbors(&faces, triangles, points);
    let map = |(own, corners): (&mut Face, &[u32; 3])| own.map(mesh, *corners);
    let directions = faces.iter_mut().zip(triangles).map(map).collect();
    let list = Vec::with_capacity(points.first().len());
    let mut tangents = Tangents { list, of_corners: vec![NONE; triangles.len() * 3] };
    Surface { mesh, triangles, faces: &mut faces, neighbors, directions }.find_tangents(&mut tangents);
    if faces.iter().any(|face| face.is_degenerate) {
        inherit(&faces, triangles, points, &mut tangents);
    }
    tangents
}

/// The properties of a triangle.
#[derive(Clone, Copy, Debug)]
struct Face {
    /// Whether its texture is not mirrored.
    is_upright: bool,
    /// Whether texture coordinates determine no directions. Such a triangle joins any group.
    is_unmapped: bool,
    /// Whether two corners have the same position.
    is_degenerate: bool,
}

impl Face {
    fn new(corners: [u32; 3], places: &Points) -> Self {
        let [a, b, c] = corners.map(|corner| places.of_vertices()[corner as usize]);
        Self { is_upright: false, is_unmapped: true, is_degenerate: a == b || b == c || c == a }
    }

    /// Returns the directions in which u and v grow, of unit length, or zeros. Finds out how the texture is mapped.
    fn map(&mut self, mesh: &Mesh, corners: [u32; 3]) -> [Vec3; 2] {
        if self.is_degenerate {
            return [Vec3::ZERO; 2];
        }
        let place = |at: usize| mesh.positions[corners[at] as usize];
        let uv = |at: usize| mesh.uvs[0][corners[at] as usize];
        let edges = [place(1) - place(0), place(2) - place(0)];
        let [first, second] = [uv(1) - uv(0), uv(2) - uv(0)];
        let area = first.x * second.y - first.y * second.x;
        self.is_upright = area > 0.0;
        if !is_significant(area) {
            return [Vec3::ZERO; 2];
        }
        let u = second.y * edges[0] - first.y * edges[1];
        let v = -second.x * edges[0] + first.x * edges[1];
        let axes = Lanes::new(u, v, v);
        let lengths = axes.length() / area.abs();
        self.is_unmapped = !(is_significant(lengths.x) && is_significant(lengths.y));
        let sign = if self.is_upright { 1.0 } else { -1.0 };
        let [u, v, _] = axes.unit().vectors();
        [(u * sign).into(), (v * sign).into()]
    }
}

/// Returns the neighbour of each edge: an edge of another triangle between the same points, in the opposite direction, or
/// [`NONE`]. Edges are connected in the order of triangles.
fn neighbors(faces: &[Face], triangles: &[[u32; 3]], points: &Points) -> Vec<u32> {
    let mut neighbors = vec![NONE; triangles.len() * 3];
    // Edges that wait for another one. They have the same direction.
    let mut waiting: VecDeque<Edge> = VecDeque::new();
    each_shared(
        triangles,
        points,
        |face| !faces[face].is_degenerate,
        |edges| {
            waiting.clear();
            for edge in edges {
                if waiting.front().is_none_or(|other| other.is_reversed == edge.is_reversed) {
                    waiting.push_back(*edge);
                } else if let Some(other) = waiting.pop_front() {
                    neighbors[edge.start as usize] = other.start;
                    neighbors[other.start as usize] = edge.start;
                }
            }
        },
    );
    neighbors
}

/// Triangles and their connections.
struct Surface<'a> {
    mesh: &'a Mesh,
    triangles: &'a [[u32; 3]],
    faces: &'a mut [Face],
    /// The edge on the other side of each edge, or [`NONE`].
    neighbors: Vec<u32>,
    /// The directions in which u and v grow in each triangle.
    directions: Vec<[Vec3; 2]>,
}

/// A corner of a group.
struct Member {
    corner: u32,
    /// The directions in which u and v grow, across the normal.
    axes: [Vec3A; 2],
    /// The first axis times the angle between the edges at the corner.
    weighted: Vec3A,
    is_unmapped: bool,
}

impl Surface<'_> {
    /// Adds a tangent for each group of corners, or for each corner of groups with opposite directions.
    fn find_tangents(mut self, tangents: &mut Tangents) {
        let mut separate = Vec::new();
        for first in (0_u32..).take(tangents.of_corners.len()) {
            let face = self.faces[first as usize / 3];
            if face.is_unmapped || tangents.of_corners[first as usize] != NONE {
                continue;
            }
            let group = tangents.add(Vec3::ZERO.extend(if face.is_upright { 1.0 } else { -1.0 }));
            if self.gather(first, group, &mut tangents.of_corners) {
                separate.extend(self.separate_tangents(first, &tangents.of_corners));
            }
        }
        self.add_up(tangents);
        for (corner, direction) in separate {
            let sign = tangents.list[tangents.of_corners[corner as usize] as usize].w;
            tangents.of_corners[corner as usize] = tangents.add(direction.extend(sign));
        }
    }

    /// Gathers a group of corners from the first one on: connected triangles around a point, all with their texture mirrored
    /// or all not. Returns whether directions of two may be opposite, and are to be compared.
    fn gather(&mut self, first: u32, group: u32, groups: &mut [u32]) -> bool {
        let Self { triangles, faces, neighbors, directions, .. } = self;
        groups[first as usize] = group;
        let is_upright = faces[first as usize / 3].is_upright;
        let normal = self.mesh.normals[triangles.as_flattened()[first as usize] as usize];
        // Directions that lie on the same side as the first one are not opposite.
        let sides = directions[first as usize / 3].map(|own| own - normal.dot(own) * normal);
        // They are compared as they are: the part along the normal counts if the normal is not of unit length.
        let least = sides.map(|own| SAME_SIDE + normal.length() * normal.dot(own).abs());
        let (mut num_corners, mut is_same_side) = (1, true);
        each_around(neighbors, first, |corner| {
            let own = corner as usize / 3;
            if groups[corner as usize] != NONE {
                return false;
            }
            if faces[own].is_unmapped && groups[own * 3..own * 3 + 3] == [NONE; 3] {
                faces[own].is_upright = is_upright;
            }
            if faces[own].is_upright != is_upright {
                return false;
            }
            groups[corner as usize] = group;
            num_corners += 1;
            let [u, v] = directions[own];
            is_same_side &=
                faces[own].is_unmapped || u.dot(sides[0]) > least[0] && v.dot(sides[1]) > least[1];
            true
        });
        num_corners <= MAX_COMPARED && !is_same_side
    }

    /// Returns the direction of the tangent at each corner of a group, if two are opposite.
    fn separate_tangents(&self, first: u32, groups: &[u32]) -> Vec<(u32, Vec3)> {
        let mut corners = vec![first];
        each_around(&self.neighbors, first, |corner| {
            let is_other = corner != first && groups[corner as usize] == groups[first as usize];
            corners.extend(is_other.then_some(corner));
            is_other
        });
        corners.sort_unstable();
        // In a closed ring each corner is visited twice.
        corners.dedup();
        let members: Vec<Member> = corners.iter().map(|corner| self.member(*corner)).collect();
        let is_opposite =
            |(at, own): (usize, &Member)| members[..at].iter().any(|other| own.is_opposite(other));
        if !members.iter().enumerate().any(is_opposite) {
            return Vec::new();
        }
        let tangent = |own: &Member| {
            let others = members.iter().filter(|other| !own.is_opposite(other) && !other.is_unmapped);
            (own.corner, unit(others.fold(Vec3A::ZERO, |sum, own| sum + own.weighted).into()))
        };
        members.iter().map(tangent).collect()
    }

    fn member(&self, corner: u32) -> Member {
        let (face, at) = (corner as usize / 3, corner as usize % 3);
        let normals = self.normals(face);
        let axes = self.directions[face].map(|own| Lanes::splat(own).across(normals).vectors()[at]);
        let weighted = self.weighted(face).vectors()[at];
        Member { corner, axes, weighted, is_unmapped: self.faces[face].is_unmapped }
    }

    /// Returns the normals at the corners of a triangle.
    fn normals(&self, face: usize) -> Lanes {
        let [a, b, c] = self.triangles[face];
        let normal = |vertex: u32| self.mesh.normals[vertex as usize];
        Lanes::new(normal(a), normal(b), normal(c))
    }

    /// Returns the direction of u across the normal at each corner of a triangle, times the angle between the edges.
    fn weighted(&self, face: usize) -> Lanes {
        let [a, b, c] = self.triangles[face];
        let place = |vertex: u32| self.mesh.positions[vertex as usize];
        let (places, normals) = (Lanes::new(place(a), place(b), place(c)), self.normals(face));
        let next = places.turned();
        let to_next = next.minus(places).across(normals);
        let to_last = next.turned().minus(places).across(normals);
        let cosines = to_next.dot(to_last);
        let angles = Vec3A::new(angle(cosines.x), angle(cosines.y), angle(cosines.z));
        Lanes::splat(self.directions[face][0]).across(normals).scaled(angles)
    }

    /// Adds up the directions of u around each point, weighted by the angles between the edges.
    fn add_up(&self, tangents: &mut Tangents) {
        let (groups, _) = tangents.of_corners.as_chunks::<3>();
        for (face, groups) in groups.iter().enumerate().filter(|(face, _)| !self.faces[*face].is_unmapped) {
            for (group, weighted) in groups.iter().zip(self.weighted(face).vectors()) {
                tangents.list[*group as usize] += weighted.extend(0.0);
            }
        }
        for own in &mut tangents.list {
            *own = unit(own.truncate()).extend(own.w);
        }
    }
}

impl Member {
    fn is_opposite(&self, other: &Self) -> bool {
        let is_along = |axis: usize| self.axes[axis].dot(other.axes[axis]) > -1.0;
        !(std::ptr::eq(self, other) || self.is_unmapped || other.is_unmapped || is_along(0) && is_along(1))
    }
}

/// Visits the corners around a point from the first one on, in both directions, each as far as the function returns true.
fn each_around(neighbors: &[u32], first: u32, mut visit: impl FnMut(u32) -> bool) {
    for is_forward in [true, false] {
        let mut edge = neighbors[if is_forward { first } else { previous(first) } as usize];
        while edge != NONE {
            // Neighbours have their common edge in opposite directions.
            let corner = if is_forward { next(edge) } else { edge };
            if !visit(corner) {
                break;
            }
            edge = neighbors[if is_forward { corner } else { previous(corner) } as usize];
        }
    }
}

/// Gives the corners of degenerate triangles the tangent of the first other corner at the same point.
fn inherit(faces: &[Face], triangles: &[[u32; 3]], points: &Points, tangents: &mut Tangents) {
    let points_of = |corners: &[u32; 3]| corners.map(|corner| points.of_vertices()[corner as usize] as usize);
    let mut of_points = vec![None; points.first().len()];
    let (of_faces, _) = tangents.of_corners.as_chunks_mut::<3>();
    for ((face, corners), own) in faces.iter().zip(triangles).zip(&*of_faces) {
        for (point, tangent) in points_of(corners).into_iter().zip(own).filter(|_| !face.is_degenerate) {
            of_points[point].get_or_insert(*tangent);
        }
    }
    for ((face, corners), own) in faces.iter().zip(triangles).zip(of_faces) {
        if face.is_degenerate {
            *own = points_of(corners).map(|point| of_points[point].unwrap_or(NONE));
        }
    }
}

/// Returns the angle with a cosine.
#[expect(clippy::cast_possible_truncation, reason = "rounds an angle")]
fn angle(cosine: f32) -> f32 {
    // With 64 bits, as in other tools.
    f64::from(cosine.clamp(-1.0, 1.0)).acos() as f32
}

/// Returns a vector with unit length, unless it is too short.
fn unit(own: Vec3) -> Vec3 {
    Lanes::splat(own).unit().vectors()[0].into()
}

fn is_significant(number: f32) -> bool {
    number.abs() > f32::MIN_POSITIVE
}
