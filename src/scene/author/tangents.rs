//! Tangents computed from texture coordinates.

use std::borrow::Cow;

use glam::{Vec3, Vec4};
use hashbrown::HashMap;

use super::super::Mesh;
use super::Points;
use super::bind::spread;
use super::mikktspace::{self, Tangents};

/// Returns the mesh with tangents computed by `MikkTSpace` from the first set of texture coordinates. Vertices whose
/// triangles have different tangents are split. Where there is no tangent, as without texture coordinates, it is any
/// direction across the normal. The mesh has normals.
#[must_use]
pub fn with_tangents(mesh: &Mesh) -> Mesh {
    split_by_tangents(mesh.clone(), &Points::of_positions(mesh)).0
}

/// As [`with_tangents`], with the vertex that each vertex of the result is a copy of. The points are the vertices with the
/// same position.
fn split_by_tangents(mut mesh: Mesh, places: &Points) -> (Mesh, Vec<u32>) {
    let len = mesh.positions.len();
    let is_mapped = mesh.normals.len() == len
        && mesh.uvs.first().is_some_and(|uvs| uvs.iter().all(|own| own.is_finite()))
        && mesh.is_consistent(usize::MAX, usize::MAX).is_ok();
    let is_finite = mesh.positions.iter().chain(&mesh.normals).all(|own| own.is_finite());
    if !is_mapped || !is_finite {
        mesh.tangents = mesh.normals.iter().map(|normal| across(*normal)).collect();
        return (mesh, (0..).take(len).collect());
    }
    let triangles = match &*mesh.primitives {
        [only] => Cow::Borrowed(&*only.triangles),
        all => all.iter().flat_map(|own| own.triangles.iter().copied()).collect(),
    };
    let Tangents { list, of_corners } = mikktspace::tangents(&mesh, places, &triangles);
    drop(triangles);
    let mut copies = Copies::new(len);
    let mut of_corners = of_corners.into_iter();
    for own in &mut mesh.primitives {
        for (vertex, index) in own.triangles.as_flattened_mut().iter_mut().zip(&mut of_corners) {
            let across = || across(mesh.normals[*vertex as usize]);
            *vertex = copies.add(*vertex, index, || list.get(index as usize).copied().unwrap_or_else(across));
        }
    }
    drop((list, of_corners));
    let Copies { tangents, vertices, .. } = copies;
    spread(&mut mesh, &vertices);
    mesh.tangents = tangents;
    (mesh, vertices)
}

/// Copies of vertices, one for each of their tangents.
struct Copies {
    tangents: Vec<Vec4>,
    /// The vertex of each copy.
    vertices: Vec<u32>,
    /// The copy that was found last for each vertex, or [`u32::MAX`], and the index of its tangent. Most vertices have one.
    last: Vec<(u32, u32)>,
    /// The copies of vertices with several tangents.
    others: HashMap<(u32, [u32; 4]), u32>,
}

impl Copies {
    fn new(num_vertices: usize) -> Self {
        Self {
            tangents: Vec::with_capacity(num_vertices),
            vertices: Vec::with_capacity(num_vertices),
            last: vec![(u32::MAX, 0); num_vertices],
            others: HashMap::new(),
        }
    }

    /// Returns the copy of a vertex with a tangent. Equal tangents can have different indices.
    fn add(&mut self, vertex: u32, index: u32, tangent: impl Fn() -> Vec4) -> u32 {
        let bits = |own: Vec4| own.to_array().map(f32::to_bits);
        let next = u32::try_from(self.vertices.len()).unwrap_or(u32::MAX);
        let copy = match self.last[vertex as usize] {
            (u32::MAX, _) => next,
            (copy, known) if known == index => return copy,
            (copy, _) => {
                let own = bits(self.tangents[copy as usize]);
                self.others.entry((vertex, own)).or_insert(copy);
                *self.others.entry((vertex, bits(tangent()))).or_insert(next)
            }
        };
        self.last[vertex as usize] = (copy, index);
        if copy == next {
            self.vertices.push(vertex);
            self.tangents.push(tangent());
        }
        copy
    }
}

/// As [`with_tangents`], unless the mesh has tangents. Also returns the vertex that each vertex of the result is a copy
/// of, if it is another mesh. The points are the vertices with the same position.
#[must_use]
pub(crate) fn complete_tangents(mesh: Mesh, places: &Points) -> (Mesh, Option<Vec<u32>>) {
    if mesh.tangents.len() == mesh.positions.len() {
        return (mesh, None);
    }
    let (mesh, vertices) = split_by_tangents(mesh, places);
    (mesh, Some(vertices))
}

/// A tangent across a normal.
fn across(normal: Vec3) -> Vec4 {
    normal.any_orthogonal_vector().normalize_or(Vec3::X).extend(1.0)
}
