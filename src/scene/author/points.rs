//! Vertices that share a point.

use std::collections::HashMap;
use std::hash::BuildHasher;

use hashbrown::{DefaultHashBuilder, HashTable};

use super::super::Mesh;

/// The points of a mesh, for formats that store positions apart from corners.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Points {
    of_vertices: Vec<u32>,
    first: Vec<u32>,
}

impl Points {
    /// Returns the points of a mesh: vertices with the same position, influences and displacements. If `normals`, they
    /// also have the same normal.
    #[must_use]
    pub fn of(mesh: &Mesh, normals: bool) -> Self {
        let mut moved: HashMap<u32, Vec<u32>> = HashMap::new();
        for (index, morph) in (0_u32..).zip(&mesh.morphs) {
            for own in &morph.deltas {
                let key = moved.entry(own.vertex).or_default();
                key.push(index);
                key.extend(bits(own.position.to_array()));
                key.extend(if normals { bits(own.normal.to_array()) } else { [0; 3] });
            }
        }
        Self::by(mesh, |vertex, key| {
            if let (true, Some(normal)) = (normals, mesh.normals.get(vertex)) {
                key.extend(bits(normal.to_array()));
            }
            let influences = mesh.skin.as_ref().map_or(&[][..], |skin| skin.weights.of(vertex));
            key.extend(influences.iter().flat_map(|own| [own.joint, own.weight.to_bits()]));
            let index = u32::try_from(vertex).unwrap_or(u32::MAX);
            key.extend(moved.get(&index).into_iter().flatten());
        })
    }

    /// Returns the points of a mesh: vertices with the same position.
    #[must_use]
    pub fn of_positions(mesh: &Mesh) -> Self {
        Self::by(mesh, |_, _| {})
    }

    /// Returns the points of a mesh: vertices with the same position, normal and first texture coordinates.
    pub(super) fn of_uvs(mesh: &Mesh) -> Self {
        Self::by(mesh, |vertex, key| {
            key.extend(bits(mesh.normals[vertex].to_array()));
            key.extend(bits(mesh.uvs[0][vertex].extend(0.0).to_array()));
        })
    }

    /// Gathers vertices with the same position and the same values from `add`.
    fn by(mesh: &Mesh, add: impl Fn(usize, &mut Vec<u32>)) -> Self {
        let key = |vertex: usize, key: &mut Vec<u32>| {
            key.clear();
            key.extend(bits(mesh.positions[vertex].to_array()));
            add(vertex, key);
        };
        let mut points = Self { of_vertices: Vec::with_capacity(mesh.positions.len()), first: Vec::new() };
        let hasher = DefaultHashBuilder::default();
        // Each point with the hash of its key.
        let mut known: HashTable<(u64, u32)> = HashTable::new();
        let (mut own, mut other) = (Vec::new(), Vec::new());
        for vertex in 0..mesh.positions.len() {
            key(vertex, &mut own);
            let hash = hasher.hash_one(&own);
            let is_same = |(of_point, point): &(u64, u32)| {
                *of_point == hash && {
                    key(points.first[*point as usize] as usize, &mut other);
                    own == other
                }
            };
            let point = if let Some((_, point)) = known.find(hash, is_same) {
                *point
            } else {
                let next = u32::try_from(points.first.len()).unwrap_or(u32::MAX);
                points.first.push(u32::try_from(vertex).unwrap_or(u32::MAX));
                known.insert_unique(hash, (hash, next), |(hash, _)| *hash);
                next
            };
            points.of_vertices.push(point);
        }
        points
    }

    /// Returns the points of a mesh of copies of vertices: those of the vertices.
    pub(crate) fn of_copies(&self, vertices: &[u32]) -> Self {
        let mut places = vec![None; self.first.len()];
        let mut points = Self { of_vertices: Vec::with_capacity(vertices.len()), first: Vec::new() };
        for (copy, vertex) in (0..).zip(vertices) {
            let place = places[self.of_vertices[*vertex as usize] as usize].get_or_insert_with(|| {
                points.first.push(copy);
                u32::try_from(points.first.len() - 1).unwrap_or(u32::MAX)
            });
            points.of_vertices.push(*place);
        }
        points
    }

    /// Returns the point of each vertex.
    #[must_use]
    pub fn of_vertices(&self) -> &[u32] {
        &self.of_vertices
    }

    /// Returns the first vertex of each point.
    #[must_use]
    pub fn first(&self) -> &[u32] {
        &self.first
    }
}

/// The bits of floats; the two zeros are equal.
fn bits(floats: [f32; 3]) -> [u32; 3] {
    floats.map(|float| (float + 0.0).to_bits())
}
