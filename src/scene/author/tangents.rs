//! Tangents computed from texture coordinates.

use std::borrow::Cow;
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
    let triangles = match &*mesh.primitives {
        [only] => Cow::Borrowed(&*only.triangles),
        all => all.iter().flat_map(|own| own.triangles.iter().copied()).collect(),
    };
    let mut tangents = mikktspace::tangents(mesh, &triangles).into_corners();
    drop(triangles);
    let mut weld = Weld::default();
    // The copy that was found last for each vertex: most vertices have one.
    let mut last = vec![u32::MAX; len];
    let mut copy = |vertex: u32, tangent: Option<Vec4>| {
        let tangent = tangent.unwrap_or_else(|| across(mesh.normals[vertex as usize]));
        let own = (vertex, tangent.to_array().map(f32::to_bits));
        let last = &mut last[vertex as usize];
        if weld.vertices().get(*last as usize) != Some(&own) {
            *last = weld.add(own);
        }
        *last
    };
    let mut primitives = Vec::with_capacity(mesh.primitives.len());
    for Primitive { name, material, triangles } in &mesh.primitives {
        let copies = triangles.iter().map(|own| own.map(|vertex| copy(vertex, tangents.next().flatten())));
        primitives.push(Primitive { name: name.clone(), material: *material, triangles: copies.collect() });
    }
    drop(tangents);
    let vertices: Vec<u32> = weld.vertices().iter().map(|(vertex, _)| *vertex).collect();
    let tangents = weld.vertices().iter().map(|(_, bits)| Vec4::from(bits.map(f32::from_bits))).collect();
    Mesh { tangents, primitives, ..spread(mesh, &vertices) }
}

/// As [`with_tangents`], unless the mesh has tangents.
#[must_use]
pub(crate) fn complete_tangents(mesh: Mesh) -> Mesh {
    if mesh.tangents.len() == mesh.positions.len() { mesh } else { with_tangents(&mesh) }
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
