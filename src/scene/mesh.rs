//! Surfaces and what they look like.

use std::collections::HashMap;
use std::hash::Hash;

use glam::{Vec2, Vec3, Vec4};

use super::Skin;

/// Triangles over shared vertices. Each list of vertex data is empty or has one value for each position.
///
/// ```
/// use bindpose::scene::{Mesh, Primitive};
/// use glam::Vec3;
/// let mut mesh = Mesh {
///     positions: vec![Vec3::ZERO, Vec3::X, Vec3::Y],
///     primitives: vec![Primitive { triangles: vec![[0, 1, 2]], ..Primitive::default() }],
///     ..Mesh::default()
/// };
/// mesh.smooth(&[0, 1, 2]);
/// assert_eq!(mesh.normals[0], Vec3::Z);
/// ```
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Mesh {
    /// The name.
    pub name: String,
    /// The bone that a mesh without a skin hangs on, in whose space its vertices then are; otherwise they are in
    /// model space, as they were when the mesh was bound.
    pub bone: Option<usize>,
    /// Metres.
    pub positions: Vec<Vec3>,
    /// Outward, of unit length in sound files.
    pub normals: Vec<Vec3>,
    /// The direction in which u grows, and 1 where v grows along the cross product of normal and tangent, -1 where it
    /// grows against it. glTF's sign is the opposite: its bitangents point to the top of the image.
    pub tangents: Vec<Vec4>,
    /// Sets of texture coordinates, from the top left of the image.
    pub uvs: Vec<Vec<Vec2>>,
    /// Red, green, blue, alpha; 0 to 1.
    pub colors: Vec<[f32; 4]>,
    /// The triangles.
    pub primitives: Vec<Primitive>,
    /// How the mesh follows the skeleton.
    pub skin: Option<Skin>,
    /// Other shapes it can take.
    pub morphs: Vec<Morph>,
}

/// Triangles of one material.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Primitive {
    /// What the format calls the part; often empty.
    pub name: String,
    /// Index of the material.
    pub material: Option<usize>,
    /// Indices of the vertices, counterclockwise seen from outside.
    pub triangles: Vec<[u32; 3]>,
}

/// Another shape, as what changes.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Morph {
    /// The name.
    pub name: String,
    /// What moves, by rising index of the vertex, each once.
    pub deltas: Vec<Delta>,
}

/// How far a vertex moves.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Delta {
    /// Index of the vertex.
    pub vertex: u32,
    /// Added to its position.
    pub position: Vec3,
    /// Added to its normal.
    pub normal: Vec3,
}

impl Morph {
    /// A shape from deltas in any order; of several for a vertex the last counts.
    #[must_use]
    pub fn new(name: String, mut deltas: Vec<Delta>) -> Self {
        deltas.reverse();
        deltas.sort_by_key(|delta| delta.vertex);
        deltas.dedup_by_key(|delta| delta.vertex);
        Self { name, deltas }
    }
}

impl Mesh {
    /// How many triangles there are.
    #[must_use]
    pub fn num_triangles(&self) -> usize {
        self.primitives.iter().map(|primitive| primitive.triangles.len()).sum()
    }

    /// Turns every triangle over.
    pub fn flip(&mut self) {
        for triangle in self.primitives.iter_mut().flat_map(|primitive| &mut primitive.triangles) {
            triangle.swap(1, 2);
        }
    }

    /// Whether more triangles look against the normals of their vertices than along them.
    #[must_use]
    pub fn is_inside_out(&self) -> bool {
        let triangles = self.primitives.iter().flat_map(|primitive| &primitive.triangles);
        let mut sides = [0_usize; 2];
        for triangle in triangles {
            let of =
                |list: &[Vec3]| triangle.map(|vertex| list.get(vertex as usize).copied().unwrap_or_default());
            let ([a, b, c], normals) = (of(&self.positions), of(&self.normals));
            let along = (b - a).cross(c - a).dot(normals.into_iter().sum());
            if along != 0.0 {
                sides[usize::from(along < 0.0)] += 1;
            }
        }
        sides[1] > sides[0]
    }

    /// Gives the mesh normals that are smooth across vertices of the same point.
    pub fn smooth(&mut self, points: &[u32]) {
        let num = points.iter().max().map_or(0, |most| *most as usize + 1);
        let mut sums = vec![Vec3::ZERO; num];
        for triangle in self.primitives.iter().flat_map(|primitive| &primitive.triangles) {
            let corners = triangle.map(|vertex| self.positions.get(vertex as usize).copied());
            let [Some(a), Some(b), Some(c)] = corners else { continue };
            // As long as the triangle is large.
            let normal = (b - a).cross(c - a);
            for vertex in triangle {
                if let Some(sum) =
                    points.get(*vertex as usize).and_then(|point| sums.get_mut(*point as usize))
                {
                    *sum += normal;
                }
            }
        }
        let normal = |point: &u32| sums[*point as usize].normalize_or(Vec3::Y);
        self.normals = points.iter().map(normal).collect();
    }
}

/// A colour with all its shares from 0 to 1, and whether they were.
///
/// ```
/// use bindpose::scene::color;
/// assert_eq!(color([1.0, 0.5, 0.0, 1.0]), ([1.0, 0.5, 0.0, 1.0], true));
/// assert_eq!(color([2.0, -1.0, f32::NAN, 1.0]), ([1.0, 0.0, 0.0, 1.0], false));
/// ```
#[must_use]
pub fn color(shares: [f32; 4]) -> ([f32; 4], bool) {
    let clamped = |share: f32| if share.is_nan() { 0.0 } else { share.clamp(0.0, 1.0) };
    (shares.map(clamped), shares.iter().all(|share| (0.0..=1.0).contains(share)))
}

/// A colour of 8 bits for each share.
#[must_use]
pub fn color8(bytes: [u8; 4]) -> [f32; 4] {
    bytes.map(|byte| f32::from(byte) / 255.0)
}

/// What a surface looks like.
#[derive(Clone, Debug, PartialEq)]
pub struct Material {
    /// The name.
    pub name: String,
    /// Red, green, blue, opacity; 0 to 1.
    pub color: [f32; 4],
    /// Red, green, blue of its own light; 0 to 1.
    pub emissive: [f32; 3],
    /// Paths of the textures as the file has them, the colour's first.
    pub textures: Vec<String>,
    /// How opacity is used; where it is less than 1 a scene has no [`Alpha::Opaque`].
    pub alpha: Alpha,
    /// Whether it is seen from behind, too.
    pub double_sided: bool,
    /// Whether it looks the same in any light.
    pub unlit: bool,
}

impl Default for Material {
    fn default() -> Self {
        Self {
            name: String::new(),
            color: [1.0; 4],
            emissive: [0.0; 3],
            textures: Vec::new(),
            alpha: Alpha::Opaque,
            double_sided: false,
            unlit: false,
        }
    }
}

/// How opacity is used.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Alpha {
    /// Not at all.
    #[default]
    Opaque,
    /// What is less than half opaque is not seen.
    Mask,
    /// Mixed with what is behind.
    Blend,
}

/// Makes vertices out of corners: equal corners become one.
///
/// ```
/// use bindpose::scene::Weld;
/// let mut weld = Weld::default();
/// assert_eq!([weld.add("a"), weld.add("b"), weld.add("a")], [0, 1, 0]);
/// assert_eq!(weld.vertices(), ["a", "b"]);
/// ```
#[derive(Clone, Debug)]
pub struct Weld<K> {
    known: HashMap<K, u32>,
    vertices: Vec<K>,
}

impl<K> Default for Weld<K> {
    fn default() -> Self {
        Self { known: HashMap::new(), vertices: Vec::new() }
    }
}

impl<K: Copy + Eq + Hash> Weld<K> {
    /// The index of the vertex of a corner.
    pub fn add(&mut self, corner: K) -> u32 {
        let next = u32::try_from(self.vertices.len()).unwrap_or(u32::MAX);
        *self.known.entry(corner).or_insert_with(|| {
            self.vertices.push(corner);
            next
        })
    }

    /// The vertices in the order in which they were first met.
    #[must_use]
    pub fn vertices(&self) -> &[K] {
        &self.vertices
    }
}
