//! Tangents computed from texture coordinates.

use std::sync::Arc;

use glam::{Vec3, Vec4};

use super::super::{Delta, Mesh, Morph, Primitive, Skin, Weld};
use super::bind::pick;
use super::mikktspace;

/// Returns the mesh with tangents computed by `MikkTSpace` from the first set of texture coordinates. Vertices whose
/// triangles have different tangents are split. Where there is no tangent, as without texture coordinates, it is any
/// direction across the normal. The mesh has normals.
#[must_use]
pub fn with_tangents(mesh: &Mesh) -> Mesh {
    let len = mesh.positions.len();
    let is_mapped =
        mesh.uvs.first().is_some_and(|uvs| uvs.len() == len && uvs.iter().all(|own| own.is_finite()));
    let is_finite = mesh.positions.iter().chain(&mesh.normals).all(|own| own.is_finite());
    if !is_mapped || !is_finite {
        let tangents = mesh.normals.iter().map(|normal| across(*normal)).collect();
        return Mesh { tangents, ..mesh.clone() };
    }
    let triangles: Vec<_> = mesh.primitives.iter().flat_map(|own| own.triangles.iter().copied()).collect();
    let of_triangles = mikktspace::tangents(mesh, &triangles);
    drop(triangles);
    let tangent =
        |vertex: u32, own: Option<Vec4>| own.unwrap_or_else(|| across(mesh.normals[vertex as usize]));
    let mut weld = Weld::default();
    let mut of_triangles = of_triangles.into_iter();
    let mut primitives = Vec::with_capacity(mesh.primitives.len());
    for primitive in &mesh.primitives {
        let triangles = primitive.triangles.iter().zip(&mut of_triangles).map(|(triangle, own)| {
            [0, 1, 2].map(|at| {
                let bits = tangent(triangle[at], own[at]).to_array().map(f32::to_bits);
                weld.add((triangle[at], bits))
            })
        });
        primitives.push(Primitive { triangles: triangles.collect(), ..primitive.clone() });
    }
    let vertices: Vec<u32> = weld.vertices().iter().map(|(vertex, _)| *vertex).collect();
    let tangents = weld.vertices().iter().map(|(_, bits)| Vec4::from(bits.map(f32::from_bits))).collect();
    Mesh { tangents, primitives, ..spread(mesh, &vertices) }
}

/// A tangent across a normal.
fn across(normal: Vec3) -> Vec4 {
    normal.any_orthogonal_vector().normalize_or(Vec3::X).extend(1.0)
}

/// Returns a mesh with copies of the vertices of another one, and its triangles.
fn spread(mesh: &Mesh, vertices: &[u32]) -> Mesh {
    let mut copies = vec![Vec::new(); mesh.positions.len()];
    for (copy, vertex) in (0..).zip(vertices) {
        copies[*vertex as usize].push(copy);
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
        primitives: mesh.primitives.clone(),
        skin: mesh.skin.as_ref().map(skin),
        morphs: mesh.morphs.iter().map(morph).collect(),
    }
}
