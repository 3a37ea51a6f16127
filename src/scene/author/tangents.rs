//! Tangents computed from texture coordinates.

use std::borrow::Cow;
use std::sync::Arc;

use glam::{Vec3, Vec4};
use hashbrown::HashMap;

use super::super::{Delta, Mesh, Morph, Primitive, Skin};
use super::bind::pick;
use super::mikktspace;

/// Returns the mesh with tangents computed by `MikkTSpace` from the first set of texture coordinates. Vertices whose
/// triangles have different tangents are split. Where there is no tangent, as without texture coordinates, it is any
/// direction across the normal. The mesh has normals.
#[must_use]
pub fn with_tangents(mesh: &Mesh) -> Mesh {
    split_by_tangents(mesh).0
}

/// As [`with_tangents`], with the vertex that each vertex of the result is a copy of.
fn split_by_tangents(mesh: &Mesh) -> (Mesh, Vec<u32>) {
    let len = mesh.positions.len();
    let is_mapped =
        mesh.uvs.first().is_some_and(|uvs| uvs.len() == len && uvs.iter().all(|own| own.is_finite()));
    let is_finite = mesh.positions.iter().chain(&mesh.normals).all(|own| own.is_finite());
    if !is_mapped || !is_finite {
        let tangents = mesh.normals.iter().map(|normal| across(*normal)).collect();
        return (Mesh { tangents, ..mesh.clone() }, (0..).take(len).collect());
    }
    let triangles = match &*mesh.primitives {
        [only] => Cow::Borrowed(&*only.triangles),
        all => all.iter().flat_map(|own| own.triangles.iter().copied()).collect(),
    };
    let mut tangents = mikktspace::tangents(mesh, &triangles).into_corners();
    drop(triangles);
    let mut copies = Copies::new(len);
    let mut copy = |vertex: u32, tangent: Option<Vec4>| {
        copies.add(vertex, tangent.unwrap_or_else(|| across(mesh.normals[vertex as usize])))
    };
    let mut primitives = Vec::with_capacity(mesh.primitives.len());
    for Primitive { name, material, triangles } in &mesh.primitives {
        let copies = triangles.iter().map(|own| own.map(|vertex| copy(vertex, tangents.next().flatten())));
        primitives.push(Primitive { name: name.clone(), material: *material, triangles: copies.collect() });
    }
    drop(tangents);
    let Copies { tangents, vertices, .. } = copies;
    (Mesh { tangents, primitives, ..spread(mesh, &vertices) }, vertices)
}

/// Copies of vertices, one for each of their tangents.
struct Copies {
    tangents: Vec<Vec4>,
    /// The vertex of each copy.
    vertices: Vec<u32>,
    /// The copy that was found last for each vertex. Most vertices have one.
    last: Vec<u32>,
    /// The copies of vertices with several tangents.
    others: HashMap<(u32, [u32; 4]), u32>,
}

impl Copies {
    fn new(num_vertices: usize) -> Self {
        Self {
            tangents: Vec::with_capacity(num_vertices),
            vertices: Vec::with_capacity(num_vertices),
            last: vec![u32::MAX; num_vertices],
            others: HashMap::new(),
        }
    }

    /// Returns the copy of a vertex with this tangent.
    fn add(&mut self, vertex: u32, tangent: Vec4) -> u32 {
        let bits = |own: Vec4| own.to_array().map(f32::to_bits);
        let next = u32::try_from(self.vertices.len()).unwrap_or(u32::MAX);
        let last = &mut self.last[vertex as usize];
        *last = match self.tangents.get(*last as usize) {
            Some(own) if bits(*own) == bits(tangent) => return *last,
            Some(own) => {
                self.others.entry((vertex, bits(*own))).or_insert(*last);
                *self.others.entry((vertex, bits(tangent))).or_insert(next)
            }
            None => next,
        };
        if *last == next {
            self.vertices.push(vertex);
            self.tangents.push(tangent);
        }
        *last
    }
}

/// As [`with_tangents`], unless the mesh has tangents. Also returns the vertex that each vertex of the result is a copy
/// of, if it is another mesh.
#[must_use]
pub(crate) fn complete_tangents(mesh: Mesh) -> (Mesh, Option<Vec<u32>>) {
    if mesh.tangents.len() == mesh.positions.len() {
        return (mesh, None);
    }
    let (mesh, vertices) = split_by_tangents(&mesh);
    (mesh, Some(vertices))
}

/// A tangent across a normal.
fn across(normal: Vec3) -> Vec4 {
    normal.any_orthogonal_vector().normalize_or(Vec3::X).extend(1.0)
}

/// Returns a mesh with copies of the vertices of another one, without triangles.
fn spread(mesh: &Mesh, vertices: &[u32]) -> Mesh {
    let mut copies = Vec::new();
    if !mesh.morphs.is_empty() {
        copies.resize(mesh.positions.len(), Vec::new());
        for (copy, vertex) in (0..).zip(vertices) {
            copies[*vertex as usize].push(copy);
        }
    }
    let delta = |own: &Delta| {
        let copies = copies.get(own.vertex as usize).map_or(&[][..], Vec::as_slice);
        let own = *own;
        copies.iter().map(move |vertex| Delta { vertex: *vertex, ..own })
    };
    let morph = |own: &Morph| Morph::new(own.name.clone(), own.deltas.iter().flat_map(delta).collect());
    let skin =
        |skin: &Skin| Skin { joints: Arc::clone(&skin.joints), weights: skin.weights.spread(vertices) };
    Mesh {
        name: mesh.name.clone(),
        bone: mesh.bone,
        positions: pick(&mesh.positions, vertices),
        normals: pick(&mesh.normals, vertices),
        tangents: pick(&mesh.tangents, vertices),
        uvs: mesh.uvs.iter().map(|set| pick(set, vertices)).collect(),
        colors: pick(&mesh.colors, vertices),
        primitives: Vec::new(),
        skin: mesh.skin.as_ref().map(skin),
        morphs: mesh.morphs.iter().map(morph).collect(),
    }
}
