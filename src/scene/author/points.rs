//! Vertices that share a point.

use std::hash::{BuildHasher, Hasher};
use std::iter::once;

use hashbrown::{DefaultHashBuilder, HashMap, HashTable};

use super::super::{Delta, Mesh};

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
        let places = Self::of_positions(mesh);
        let divided = places.divided_by_movement(mesh, normals);
        divided.unwrap_or(places)
    }

    /// Returns the points of a mesh: vertices with the same position.
    #[must_use]
    pub fn of_positions(mesh: &Mesh) -> Self {
        Self::of_places(&mesh.positions)
    }

    /// Returns the points of vertices with the same position.
    pub(crate) fn of_places<P: Copy + Into<[f32; 3]>>(positions: &[P]) -> Self {
        Self::by(positions.len(), |vertex| Some(bits(positions[vertex as usize].into()).into_iter()))
    }

    /// Returns the points of vertices that also have the same influences and displacements, and if `normals` the same
    /// normal. None if no vertices share a point.
    pub(crate) fn divided_by_movement(&self, mesh: &Mesh, normals: bool) -> Option<Self> {
        let is_shared = self.shared()?;
        let point = |vertex: u32| self.of_vertices.get(vertex as usize);
        let has_key = |own: &&Delta| point(own.vertex).is_some_and(|point| is_shared[*point as usize]);
        let mut moved: HashMap<u32, Vec<u32>> = HashMap::new();
        for (index, morph) in (0_u32..).zip(&mesh.morphs) {
            for own in morph.deltas.iter().filter(has_key) {
                let key = moved.entry(own.vertex).or_default();
                key.push(index);
                key.extend(bits(own.position.to_array()));
                key.extend(if normals { bits(own.normal.to_array()) } else { [0; 3] });
            }
        }
        Some(self.divided(&is_shared, |vertex| {
            let at = vertex as usize;
            let normal = mesh.normals.get(at).filter(|_| normals).map(|own| bits(own.to_array()));
            let influences = mesh.skin.as_ref().map_or(&[][..], |skin| skin.weights.of(at));
            let influences = influences.iter().flat_map(|own| [own.joint, own.weight.to_bits()]);
            let moved = moved.get(&vertex).into_iter().flatten().copied();
            normal.into_iter().flatten().chain(influences).chain(moved)
        }))
    }

    /// Returns the points of vertices that also have the same normal and first texture coordinates. None if no vertices
    /// share a point.
    pub(super) fn divided_by_uvs(&self, mesh: &Mesh) -> Option<Self> {
        Some(self.divided(&self.shared()?, |vertex| {
            let normal = bits(mesh.normals[vertex as usize].to_array());
            let uv = bits(mesh.uvs[0][vertex as usize].extend(0.0).to_array());
            normal.into_iter().chain(uv)
        }))
    }

    /// Returns the points of vertices that also have the same key.
    fn divided<K: Iterator<Item = u32>>(&self, is_shared: &[bool], key: impl Fn(u32) -> K) -> Self {
        Self::by(self.of_vertices.len(), |vertex| {
            let point = self.of_vertices[vertex as usize];
            is_shared[point as usize].then(|| once(point).chain(key(vertex)))
        })
    }

    /// Returns whether each point has several vertices. None if each has one.
    fn shared(&self) -> Option<Vec<bool>> {
        if self.first.len() == self.of_vertices.len() {
            return None;
        }
        let mut is_shared = vec![false; self.first.len()];
        for (vertex, point) in (0..).zip(&self.of_vertices) {
            is_shared[*point as usize] |= self.first[*point as usize] != vertex;
        }
        Some(is_shared)
    }

    /// Gathers vertices with the same key. Those without a key are points of their own.
    fn by<K: Iterator<Item = u32>>(num_vertices: usize, key: impl Fn(u32) -> Option<K>) -> Self {
        let mut points = Self { of_vertices: Vec::with_capacity(num_vertices), first: Vec::new() };
        let mut known: HashTable<u32> = HashTable::with_capacity(num_vertices);
        let state = DefaultHashBuilder::default();
        let hash = |key: K| {
            let mut hasher = state.build_hasher();
            key.for_each(|word| hasher.write_u32(word));
            hasher.finish()
        };
        for vertex in (0..).take(num_vertices) {
            let next = u32::try_from(points.first.len()).unwrap_or(u32::MAX);
            let mut point = next;
            if let Some(own) = key(vertex) {
                let of = |point: &u32| key(points.first[*point as usize]);
                let is_same =
                    |point: &u32| of(point).into_iter().flatten().eq(key(vertex).into_iter().flatten());
                let rehash = |point: &u32| of(point).map_or(0, hash);
                point = *known.entry(hash(own), is_same, rehash).or_insert(next).get();
            }
            if point == next {
                points.first.push(vertex);
            }
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
